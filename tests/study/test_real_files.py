"""Files that programs and servers wrote are read, written and read again; see the README there."""

import io
import lzma
from pathlib import Path

import pytest

from bgcore import Match, MoneySession, Position, read_matches, write_matches

FILES = Path(__file__).parents[1] / "data" / "match_files"


def read(name):
    reader = read_matches(FILES / name)
    matches = list(reader)
    return matches, [problem for problem in reader.problems if problem.kind != "lost"]


def endings(match):
    return [(g.result.ending, g.result.winner, g.result.points) for g in match.games]


def same_but_for_dice(series):
    """Return the record without what is told of the occasion and the order of the dice."""
    document = series.to_dict()
    del document["info"]
    for game in document["games"]:
        game["actions"] = [
            f"roll {'-'.join(sorted(text[5:].split('-')))}" if text.startswith("roll") else text
            for text in game["actions"]
        ]
    return document


@pytest.mark.parametrize(
    ("name", "length", "games"),
    [
        # by hand from the files
        (
            "xg_transcript.txt",
            9,
            [("resigned", 0, 2), ("resigned", 1, 2), ("dropped", 0, 1)],
        ),
        (
            "studio.txt",
            5,
            [("played", 1, 2), ("dropped", 0, 1), ("played", 0, 2), ("played", 0, 2)],
        ),
        (
            "gridgammon.mat",
            11,
            [("dropped", 1, 1), ("dropped", 1, 1), ("played", 1, 2), ("dropped", 0, 1)],
        ),
        (
            # player 0 resigned the third game when it was not his turn
            "backgammon_abc.mat",
            11,
            [("resigned", 0, 1), ("played", 1, 2), ("settled", 1, 1), ("dropped", 1, 1)],
        ),
        ("server_money.mat", 0, [("dropped", 0, 1), ("dropped", 1, 1), ("resigned", 0, 6)]),
        ("server_match.mat", 5, [("dropped", 1, 1), ("dropped", 1, 1), ("played", 1, 4)]),
    ],
)
def test_texts_of_programs_and_servers_are_read_without_a_fault(name, length, games):
    (match,), faults = read(name)
    assert faults == []
    assert (match.length if isinstance(match, Match) else 0) == length
    assert endings(match) == games


@pytest.mark.parametrize(
    "name",
    [
        *("xg_transcript.txt", "studio.txt", "gridgammon.mat", "backgammon_abc.mat"),
        *("server_money.xg", "server_match.xg", "irregular.xg", "irregular.mat", "resigns.mat"),
    ],
)
def test_what_was_read_comes_back_from_every_format(name):
    (match,), _ = read(name)
    for format in ("mat", "xg-text", "sgf", "json"):
        file = io.BytesIO()
        lost = write_matches(file, match, format)
        (again,) = read_matches(io.BytesIO(file.getvalue()), format)
        kept = again.to_dict()
        if name == "backgammon_abc.mat" and format != "json":
            assert [problem.game for problem in lost if "settled" in problem.text] == [3]
        if lost:  # an entry of the info, such as the clock, has no place in SGF
            kept = {**kept, "info": match.to_dict()["info"]}
        assert kept == match.to_dict(), format


@pytest.mark.parametrize("name", ["server_money", "server_match", "irregular"])
def test_what_xg_saved_is_what_the_text_of_the_same_match_says(name):
    (text,), faults_of_text = read(f"{name}.mat")
    (saved,), faults = read(f"{name}.xg")
    assert type(saved) is (MoneySession if name == "server_money" else Match)
    assert same_but_for_dice(saved) == same_but_for_dice(text)
    assert [fault.kind for fault in faults] == [fault.kind for fault in faults_of_text]


def test_illegal_plays_that_were_let_stand_are_told_and_the_games_go_on():
    (match,), faults = read("irregular.mat")
    assert [(fault.kind, fault.game, fault.move, fault.line) for fault in faults] == [
        ("illegal", 2, 20, 71),  # 14/8 15/10 6/8: a checker went backwards
        ("illegal", 3, 9, 98),  # 13/9 13/7 with 63
        ("illegal", 3, 15, 104),  # 7/1 with 41
    ]
    texts = [str(action) for game in match.games for action in game.actions]
    assert [text for text in texts if text.startswith("irregular")] == [
        "irregular 15/10 14/8 6/8",
        "irregular 13/9 13/7",
        "irregular 7/1",
    ]
    # by the file: a gammon with the cube on 2; 34) 34: 1/0; twice "Resigns"
    assert endings(match) == [
        ("played", 0, 4),
        ("played", 0, 2),
        ("resigned", 0, 2),
        ("resigned", 0, 1),
    ]


def test_positions_that_xg_exported_stand_as_they_are_printed():
    matches, faults = read("xg_positions.txt")
    assert faults == []
    first, second = (match.game.state for match in matches)
    # "Pip count  X: 111  O: 52", "X:3 O:6 7 pt.(s) match", "Cube: 2, O own cube", "X to play 21"
    assert (first.board.pips, first.board.opponent_pips) == (111, 52)
    assert (first.length, first.scores, first.on_roll, first.dice) == (7, (3, 6), 0, (2, 1))
    assert (first.cube.value, first.cube.owner) == (2, 1)
    # "Course  X: 176  O: 147", "X:0 O:1 match en 7 pt(s)", "X a le videau", "X: lance ou double"
    assert (second.board.pips, second.board.opponent_pips) == (176, 147)
    assert (second.length, second.scores, second.on_roll, second.dice) == (7, (0, 1), 0, None)
    assert (second.cube.value, second.cube.owner) == (2, 0)
    assert matches[0].names == ("Player 1", "Player 2")


def test_a_text_about_a_position_that_cannot_be_is_told():
    text = (FILES / "xg_positions.txt").read_bytes().replace(b"-B-CBBB", b"-B-COBB", 1)
    reader = read_matches(io.BytesIO(text))
    assert [match.scores for match in reader] == [(0, 1)]
    (fault,) = [problem for problem in reader.problems if problem.is_fault]
    assert (fault.line, fault.match) == (1, 1)
    assert "too many checkers" in fault.text


@pytest.mark.parametrize(
    ("name", "xgid"),
    [
        # by the fields of the dump: points of player 1 from his bar on, scores, rules
        ("cube_money.xgp", "-a----EBC---fC---b-dbA--A-:0:0:1:00:0:0:1:0:10"),
        ("cube_match.xgp", "abBBBBBB----bC---abcbb----:0:0:1:00:3:1:0:5:10"),
    ],
)
def test_positions_that_xg_saved(name, xgid):
    (match,), faults = read(name)
    assert faults == []
    assert match.games[0].actions == ()
    assert Position.from_state(match.game.state).encode("xgid").text == f"XGID={xgid}"


def test_an_analysed_match_of_gnubg():
    data = lzma.decompress((FILES / "gnubg_analysed.sgf.xz").read_bytes())
    reader = read_matches(io.BytesIO(data), "sgf")
    (match,) = reader
    assert (match.names, match.length, match.scores) == (("Anna", "Ben"), 3, (0, 3))
    assert match.games[0].result.points == 4
    assert len(match.games[0].actions) > 30
    assert {problem.kind for problem in reader.problems} == {"lost"}
    assert any("A remark with ] and" in problem.text for problem in reader.problems)


@pytest.mark.extras
@pytest.mark.parametrize(
    ("name", "scores", "endings_of_it"),
    [
        ("cube_on_two.ogxm", (1, 0), ["dropped"]),
        ("resign.ogxm", (1, 0), ["resigned"]),
        ("set_up.ogxm", (1, 4), ["dropped", "played"]),
    ],
)
def test_files_of_ogxm(name, scores, endings_of_it):
    (match,), faults = read(name)
    assert faults == []
    assert match.scores == scores
    assert [ending for ending, _, _ in endings(match)] == endings_of_it


def test_a_file_with_the_wrong_ending_is_read_as_what_it_is(tmp_path):
    wrong = tmp_path / "match.mat"
    wrong.write_bytes((FILES / "server_match.xg").read_bytes())
    reader = read_matches(wrong)
    assert reader.format == "xg"
    (match,) = reader
    assert match.scores == (0, 5)
    assert [problem.kind for problem in reader.problems] == ["assumed", "lost"]
    assert read_matches(FILES / "gridgammon.mat").format == "mat"
    # what is said goes before what is seen
    assert read_matches(wrong, "mat").format == "mat"
