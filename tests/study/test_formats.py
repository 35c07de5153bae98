"""Files of matches: what is read, what is reported, and what comes back from what is written."""

import importlib
import io
import json
import pickle
import re
import tarfile
from functools import cache
from pathlib import Path

import pytest
from xg_files import packed, records, xg_file

from bgcore import (
    Board,
    Game,
    GameState,
    Match,
    MoneySession,
    Rules,
    match_columns,
    read_matches,
    write_matches,
)
from bgcore.actions import Accept, Double, Drop, Irregular, Resign, Settle, Take
from bgcore.errors import FileFormatError, GameError
from bgcore.formats.events import events_of
from bgcore.formats.late_game import LateGame
from bgcore.game import GameRecord
from bgcore.scoring import WinKind

ARCHIVE = Path(__file__).parents[1] / "data" / "gnubg_matches.tar.xz"
HEAD = "\n Game 1\n Ann : 0                        Bob : 0\n"


@cache
def gnubg_files() -> dict[str, bytes]:
    with tarfile.open(ARCHIVE) as archive:
        return {entry.name: archive.extractfile(entry).read() for entry in archive}


def read(data, format=None, **options):
    data = data.encode() if isinstance(data, str) else data
    reader = read_matches(io.BytesIO(data), format, **options)
    return list(reader), reader.problems


def read_one(data, format=None):
    matches, problems = read(data, format)
    assert [str(problem) for problem in problems if problem.kind != "assumed"] == []
    assert len(matches) == 1
    return matches[0]


def written(match, format):
    file = io.BytesIO()
    problems = write_matches(file, match, format)
    return file.getvalue(), problems


def texts(match, game=-1):
    return [str(action) for action in match.games[game].actions]


# ---- the records of GNU Backgammon ----


@pytest.mark.parametrize("start", ["match-00", "match-01", "money-3", "resigned"])
def test_both_files_of_gnubg_give_the_same_match_and_come_back_as_they_were(start):
    names = [name for name in gnubg_files() if name.startswith(start) and name.endswith(".mat")]
    assert names
    for name in names:
        mat = read_one(gnubg_files()[name], "mat")
        document = mat.to_dict()
        sgf = read_one(gnubg_files()[name.replace(".mat", ".sgf")], "sgf")
        assert sgf.to_dict() == document, name
        for format in ("mat", "xg-text", "sgf", "json"):
            data, lost = written(mat, format)
            assert lost == [], (name, format)
            assert read_one(data, format).to_dict() == document, (name, format)


def test_a_cube_at_the_start_that_the_scores_deny_is_left_out():
    # GNU Backgammon's own record of game 14 contradicts itself: CV[8] and RE[B+64], though it was
    # played from 1 and scored 8. All games stay one session, as in the .mat of the same games.
    (session,), problems = read(gnubg_files()["money-5.sgf"], "sgf")
    assert [(problem.kind, problem.game) for problem in problems] == [
        ("assumed", 14),
        ("score", 14),
    ]
    assert "cube is said to show 8" in problems[1].text
    assert len(session.games) == 20
    assert session.to_dict() == read_one(gnubg_files()["money-5.mat"], "mat").to_dict()


def test_automatic_doubles_of_an_sgf_file_are_told():
    # with the score that goes with it the cube stands
    data = re.sub(
        rb"\[game:14\]\[ws:9\]\[bs:21\]", b"[game:14][ws:9][bs:77]", gnubg_files()["money-5.sgf"]
    )
    matches, problems = read(data, "sgf")
    assert matches[0].games[13].start.cube.value == 8
    assert matches[0].games[13].result.points == 64
    assert [problem.game for problem in problems] == [14, 16]


@pytest.mark.slow
def test_every_record_of_gnubg_comes_back_from_every_format():
    names = sorted(name for name in gnubg_files() if name.endswith(".mat"))
    assert len(names) == 206
    for name in names:
        match = read_one(gnubg_files()[name], "mat")
        document = match.to_dict()
        for format in ("mat", "xg-text", "sgf", "json"):
            data, lost = written(match, format)
            assert lost == [], (name, format)
            assert read_one(data, format).to_dict() == document, (name, format)


# ---- .mat: what is in practice ----


def test_a_file_as_xg_writes_it():
    text = """\ufeff; [Site "XG Mobile"]
; [Match ID "491989142"]
; [Player 1 "Zoë"]
; [Player 2 "XG-Intermediate"]
; [Player 1 Elo "1522,94/244"]
; [EventDate "2022.12.24"]
; [Variation "Backgammon"]
; [Jacoby "On"]
; [Beaver "On"]
; [Unrated "Off"]
; [CubeLimit "1024"]

0 point match

Game 1
Zoë : 0                              XG-Intermediate : 0
 1)                                  51: 24/23 13/8
 2)  Doubles => 2                     Beavers => 4
 3)  Raccoons => 8                    Takes
 4) 42: Cannot Move                  65: 13/8 13/7
"""
    matches, problems = read(text.replace("\n", "\r\n"))
    match = matches[0]
    assert match.names == ("Zoë", "XG-Intermediate")
    assert match.info == {
        "Site": "XG Mobile",
        "Match ID": "491989142",
        "Player 1 Elo": "1522,94/244",
        "EventDate": "2022.12.24",
        "Unrated": "Off",
    }
    assert match.rules == Rules.money(beavers=2)
    assert texts(match)[2:6] == ["double", "beaver", "raccoon", "take"]
    assert match.game.cube.value == 8
    assert match.game.cube.owner == 1
    # the roll could be played: it is kept as an irregular turn, and reported with its place
    assert "irregular (no play)" in texts(match)
    assert [(p.kind, p.line, p.game, p.move) for p in problems] == [("illegal", 20, 1, 4)]


@pytest.mark.parametrize(
    "play", ["24/23 13/8", "24/23, 13/8", "13/8 24/23", "13/8* 24/23", "24-23 13-8"]
)
def test_plays_are_read_in_every_notation(play):
    match = read_one(f" 5 point match\n{HEAD}  1) 51: {play}\n")
    assert texts(match) == ["roll 5-1", "play 24/23 13/8"]


@pytest.mark.parametrize("word", ["", "Cannot Move", "(no move)", "(No Play)", "cannot move"])
def test_a_turn_without_a_play_is_written_in_many_ways(word):
    # player 1 has two checkers on the bar against six made points
    text = f" 5 point match\n{HEAD}; Set Pos=bBBBBBB-C------------dccc-/0\n"
    text += f"  1) 61: 8/2 8/7                  65: {word}\n  2) 31: 8/4\n"
    assert texts(read_one(text))[:3] == ["roll 6-1", "play 8/7 8/2", "roll 6-5"]
    assert texts(read_one(text))[3] == "play (no play)"


def test_columns_are_told_by_their_place():
    text = f" 5 point match\n{HEAD}  1)                              63: 24/15\n  2) 65: 24/13\n"
    assert texts(read_one(text)) == ["roll 3-6", "play 24/15", "roll 6-5", "play 24/13"]
    tabs = text.replace("  1)                              ", "  1)\t\t")
    assert texts(read_one(tabs)) == texts(read_one(text))


def test_several_matches_in_one_file_come_one_by_one():
    files = gnubg_files()
    data = files["match-001.mat"] + files["money-1.mat"] + files["match-002.mat"]
    reader = read_matches(io.BytesIO(data), "mat")
    assert [type(match) for match in reader] == [Match, MoneySession, Match]
    assert reader.problems == []


def test_a_reader_holds_one_match_at_a_time():
    class Endless(io.RawIOBase):
        """Gives the same match for ever."""

        taken = 0

        def readable(self):
            return True

        def readinto(self, buffer):
            match = gnubg_files()["match-001.mat"]
            data = (match * (len(buffer) // len(match) + 1))[: len(buffer)]
            self.taken += len(data)
            buffer[: len(data)] = data
            return len(data)

    source = Endless()
    reader = read_matches(source, "mat")
    for _, match in zip(range(100), reader, strict=False):
        assert isinstance(match, Match)
    assert source.taken < 4 << 20


def test_encodings_and_line_ends():
    text = f" 5 point match\n{HEAD}  1) 31: 8/5 6/5\n".replace("Ann", "Åse")
    right = read_one(text).to_dict()
    assert right["names"] == ["Åse", "Bob"]
    for encoding in ("utf-8-sig", "latin-1", "utf-16"):
        assert read_one(text.encode(encoding)).to_dict() == right, encoding
    for end in ("\r\n", "\r"):
        assert read_one(text.replace("\n", end)).to_dict() == right


# ---- what is wrong is reported, and the rest is kept ----


@pytest.mark.parametrize("size", [20_000, 300_000])
def test_line_ends_of_all_systems_in_one_file(size):
    lines = [" 3 point match", "", " Game 1", " Ann : 0                      Bob : 0"]
    lines += ["  1) 31: 8/5 6/5                42: 8/4 6/4", "  2) 65: 24/13", ""]
    n = size // len("".join(lines))
    for ends in (("\r",), ("\r\n",), ("\n", "\r", "\r\n"), ("\r\r\n",)):
        text = "".join(line + ends[i % len(ends)] for i, line in enumerate(lines * n))
        reader = read_matches(io.BytesIO(text.encode()))
        assert [len(match.game.actions) for match in reader] == [6] * n
        assert reader.problems == []
    bad = "\r".join(lines * 50 + lines[:4] + ["  1) 31: 8/5 6/4"])
    reader = read_matches(io.BytesIO(bad.encode()))
    assert len(list(reader)) == 51
    assert [problem.line for problem in reader.problems] == [len(lines) * 50 + 5]


def test_an_illegal_play_is_reported_with_its_place_and_the_game_goes_on():
    text = f" 5 point match\n{HEAD}  1) 31: 8/5 6/4                  42: 8/4 6/4\n"
    matches, problems = read(text)
    assert texts(matches[0]) == ["roll 3-1", "irregular 8/5 6/4", "roll 4-2", "play 8/4 6/4"]
    (problem,) = problems
    assert (problem.kind, problem.line, problem.match, problem.game, problem.move) == (
        "illegal",
        5,
        1,
        1,
        1,
    )
    with pytest.raises(FileFormatError, match="line 5, match 1, game 1, move 1"):
        read(text, strict=True)


def test_what_cannot_be_played_ends_the_game_with_the_result_of_the_file():
    text = f" 5 point match\n{HEAD}  1) 31: 8/5 7/6                  42: 8/4 6/4\n      Wins 2 points\n"
    matches, problems = read(text)
    assert texts(matches[0]) == ["roll 3-1", "settle 0 2"]
    assert matches[0].scores == (2, 0)
    assert [problem.kind for problem in problems] == ["illegal", "lost"]


@pytest.mark.parametrize(
    ("lines", "actions", "words"),
    [
        ("  1) 31: ????      42: 8/4 6/4\n", ["roll 3-1", "settle 0 4"], "with 31 is not told"),
        (
            "  1) 31: 8/5 6/5                   Doubles => 2\n  2)  Beavers => 4\n",
            ["roll 3-1", "play 8/5 6/5", "double", "settle 0 4"],
            "turned back not",
        ),
        ("  1) 31: 8/5 6/5\n  2) 42: 8/4 6/4\n", None, "the other player's turn"),
        ("  1) 33: 8/5(2) 6/3(2)\n", None, "the opening roll cannot be 3-3"),
        ("  1)  Doubles => 2                 Takes\n", None, "before the first roll"),
        ("  1)  Takes                        31: 8/5 6/5\n", None, "answers no double"),
        ("  1) 31: 8/5 6/5   42: 8/4 6/4   11: 6/5\n", None, "a third cell"),
        ("  1) 31: 8/5 6/5   hello\n", ["roll 3-1", "settle 0 4"], "cannot read"),
        ("  hello\n", ["settle 0 4"], "says nothing known"),
    ],
)
def test_what_cannot_be_is_told_and_the_result_stays(lines, actions, words):
    matches, problems = read(f" 5 point match\n{HEAD}{lines}      Wins 4 points\n")
    assert any(words in problem.text for problem in problems)
    assert matches[0].scores == (4, 0)
    assert actions is None or texts(matches[0]) == actions


def test_results_are_compared_with_the_scores_that_follow():
    data = gnubg_files()["match-001.mat"].decode()
    assert " Anna : 0                       Ben : 1" in data
    wrong = data.replace(
        " Anna : 0                       Ben : 1", " Anna : 1                       Ben : 1"
    )
    matches, problems = read(wrong)
    # the games before the wrong score, those from it, and those after it
    assert [len(match.games) for match in matches] == [1, 1, 5]
    assert any(problem.kind == "score" and problem.game == 2 for problem in problems)


def test_the_winner_is_the_one_that_the_next_score_tells():
    text = (
        f" 5 point match\n{HEAD}  1) 31: 8/5 6/5                  42: 8/4 6/4\n"
        "      Wins 1 point\n\n Game 2\n Ann : 0                        Bob : 1\n"
    )
    matches, problems = read(text)
    assert matches[0].games[0].result.winner == 1
    assert [problem.kind for problem in problems] == ["score"]


def test_a_game_that_is_broken_off_parts_the_match():
    text = (
        f" 5 point match\n{HEAD}  1) 31: 8/5 6/5                  42: 8/4 6/4\n"
        "\n Game 2\n Ann : 0                        Bob : 0\n  1) 31: 8/5 6/5\n"
    )
    matches, problems = read(text)
    assert [len(match.games) for match in matches] == [1, 1]
    assert [problem.kind for problem in problems] == ["score"]


def test_gammons_without_a_turned_cube_show_that_there_is_no_jacoby_rule():
    text = (
        f" 0 point match\n{HEAD}  1) 31: 8/5 6/5                  42: 8/4 6/4\n  2) 31: 8/4\n"
        "                                  Wins 2 points\n"
    )
    matches, problems = read(text)
    assert not matches[0].rules.jacoby
    assert problems == []
    # told by the file it is a fault, or an agreement of the players
    matches, _ = read('; [Jacoby "On"]\n' + text)
    assert matches[0].rules.jacoby
    assert matches[0].game.result.ending == "settled"


def test_doubles_that_cannot_be_are_reported():
    text = f" 5 point match\n{HEAD}  1) 31: 8/5 6/5                   Doubles => 4\n  2)  Takes\n"
    matches, problems = read(text)
    assert matches[0].game.cube.value == 2
    assert [problem.text for problem in problems] == ["the cube is turned to 2, not to 4"]


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"nothing",
        b"\0\xff" * 50,
        b"(",
        b"(;)",
        b"(;GM[1])",
        b"{",
        b"{}",
        b"7 point match",
        b" Game 1",
    ],
)
def test_what_is_no_file_of_matches_is_reported(data):
    for format in (None, "mat", "sgf", "json"):
        matches, problems = read(data, format)
        assert problems
        assert all(len(match.games) == 1 for match in matches)


# ---- the fast way ----


def test_games_that_are_followed_in_the_core_are_those_that_are_played_in_python():
    match = read_one(gnubg_files()["match-001.mat"], "mat")
    assert all(isinstance(game, LateGame) for game in match.games)
    for game in match.games:
        result, start = game.result, game.start
        again = pickle.loads(pickle.dumps(game))
        assert type(again) is Game
        assert again.record() == game.record()
        assert game.state.result == again.result == game.result == result
        assert game.start == start
    late = read_one(gnubg_files()["match-002.mat"], "mat").games[-1]
    assert late.is_over
    late.undo()
    assert late.result is None
    assert not late.is_over


def test_the_core_reads_no_number_that_python_does_not():
    text = f" 1 point match\n{HEAD}  1) 31:08/5 6/5\n      Wins 1 point\n"
    for play in ("08/5 6/5", "008/5 6/5", "8/5 6/5(3)", "8/5 6/5**", "8/5/ 6/5", "8/5 bar/24"):
        for match in read(text.replace("08/5 6/5", play))[0]:
            for game in match.games:
                assert game.result == game.state.result, play


# ---- what the actions beside the rules do ----


def test_an_irregular_play_stands():
    game = Game(start=GameState.at(Board.opening(), dice="31", rules=Rules.money()))
    with pytest.raises(GameError, match="legal"):
        game.do(Irregular("8/5 6/5"))
    with pytest.raises(GameError, match="missing"):
        game.do(Irregular("7/5"))
    game.do(Irregular("8/5 6/4"))
    assert game.on_roll == 1
    assert game.board[25 - 4] == -1
    assert GameRecord.from_dict(game.record().to_dict()).actions == game.actions


def test_an_irregular_play_hits():
    blots = Board.opening().after("13/10 13/11", "32").swapped()
    game = Game(start=GameState.at(blots, dice="21", rules=Rules.money()))
    game.do(Irregular("24/14"))
    assert game.board[25] == 1


def test_an_irregular_play_tells_where_a_checker_touches_down():
    blots = Board.opening().after("13/10 13/11", "32").swapped()
    game = Game(start=GameState.at(blots, dice="21", rules=Rules.money()))
    game.do(Irregular("24/14 14/13"))
    assert str(game.actions[0]) == "irregular 24/14 14/13"
    assert game.board[25] == 1
    assert Game.replay(GameRecord.from_dict(game.record().to_dict())).board == game.board


def test_a_settled_game_ends_as_it_is_said():
    game = Game(start=GameState.at(Board.opening(), cube=2, cube_owner=0, rules=Rules.money()))
    game.do(Settle(1, 5))
    assert (game.result.winner, game.result.points, game.result.ending) == (1, 5, "settled")
    with pytest.raises(GameError):
        game.do(Settle(1, 5))
    for winner, points in ((2, 1), (0, -1), (True, 1), (0, 1.0)):
        with pytest.raises(GameError):
            Settle(winner, points)


def test_a_match_of_games_follows_the_score():
    games = []
    for scores in ((0, 0), (0, 1)):
        game = Game(start=GameState.start(Rules.match(), length=5, scores=scores))
        game.roll("31")
        game.play("8/5 6/5")
        for action in (Double(), Drop()):
            game.do(action)
        games.append(game)
    match = Match.of_games(games, names=("A", "B"), info={"Event": "Open"})
    assert match.scores == (0, 2)
    assert Match.from_dict(match.to_dict()).to_dict() == match.to_dict()
    with pytest.raises(ValueError, match="begins at 0-0"):
        Match.of_games([games[0], games[0]])
    with pytest.raises(ValueError, match="one game or more"):
        Match.of_games([])
    with pytest.raises(ValueError, match="MoneySession"):
        MoneySession.of_games(games)


# ---- writing ----


def test_positions_set_up_come_back():
    board = Board.from_position_id("4HPiQUAzTvABMA")
    for player in (0, 1):
        for cube, owner in ((1, None), (4, 0), (2, 1)):
            start = GameState.at(
                board,
                on_roll=player,
                dice="31",
                cube=cube,
                cube_owner=owner,
                rules=Rules.match(),
                length=7,
                scores=(2, 3),
            )
            match = Match.from_state(start, names=("A", "B"))
            match.game.play(match.game.legal_plays()[0])
            for format in ("mat", "sgf"):
                data, lost = written(match, format)
                assert lost == []
                again = read_one(data, format)
                first = again.game.start
                assert (first.board, first.on_roll, first.cube) == (
                    start.board,
                    start.on_roll,
                    start.cube,
                )
                assert again.game.state.board == match.game.state.board


def test_what_a_format_cannot_hold_is_told_and_refused_in_strict_mode(tmp_path):
    session = MoneySession(Rules.money(), names=("A", "B"), info={"Weather": "fine"})
    session.game.roll("22")
    session.game.roll("31")
    step = session.game.legal_steps()[0]
    session.game.do(step)
    while session.game.state.steps:
        session.game.do(session.game.legal_steps()[0])
    session.game.roll("21")
    session.game.resign(1)
    session.game.refuse()
    session.game.play(session.game.legal_plays()[0])
    session.game.do(Settle(0, 3))
    _, lost = written(session, "sgf")
    words = "".join(problem.text for problem in lost)
    for word in ("Weather", "equal dice", "steps", "refused", "settled"):
        assert word in words, word
    place = tmp_path / "a.mat"
    place.write_bytes(b"before")
    with pytest.raises(FileFormatError, match="equal dice"):
        write_matches(place, session, strict=True)
    assert place.read_bytes() == b"before"
    assert list(tmp_path.iterdir()) == [place]
    write_matches(place, session, "json", strict=True)
    assert json.loads(place.read_text()) == session.to_dict()


def test_a_name_that_the_line_of_the_players_cannot_hold_is_told_by_its_tag():
    names = (";Ann: A", "Ben  B")
    match = Match(3, names=names)
    data, lost = written(match, "mat")
    text = data.decode()
    assert '; [Player 1 ";Ann: A"]' in text
    assert " .Ann. A : 0 " in text
    assert [problem.text for problem in lost] == ["the name 'Ben  B' is written as 'Ben B'"]
    (again,) = read_matches(io.BytesIO(data))
    assert again.names == (";Ann: A", "Ben B")
    assert dict(again.info) == {}
    # GNU Backgammon takes a mark before a colon for a part of the name
    assert b"PW[;Ann: A]PB[Ben  B]" in written(match, "sgf")[0]


def test_entries_of_the_info_that_would_be_read_as_rules_are_not_written():
    session = MoneySession(info={"CubeLimit": "4", "jacoby": "Off", "Event": "Open"})
    data, lost = written(session, "mat")
    assert [problem.text for problem in lost] == [
        "the entry 'CubeLimit' of the info cannot be written",
        "the entry 'jacoby' of the info cannot be written",
    ]
    (again,) = read_matches(io.BytesIO(data))
    assert again.rules == session.rules
    assert dict(again.info) == {"Event": "Open"}


def test_what_stands_between_trees_is_told_once_a_line():
    reader = read_matches(io.BytesIO(b"; [Event [x] y]\n a [b] c\n"), "sgf")
    assert list(reader) == []
    assert [problem.line for problem in reader.problems] == [1, 2, 0]


def test_house_rules_come_back():
    rules = Rules.money(jacoby=False, beavers=3, payoff="gammon", extra_turn=True, cube_limit=64)
    session = MoneySession(rules, names=("A", "B"))
    session.game.roll("31")
    session.game.play("8/5 6/5")
    for format in ("mat", "sgf"):
        data, lost = written(session, format)
        assert lost == []
        assert read_one(data, format).rules == rules


def test_other_variations_come_back():
    for name in ("NackGammon", "HyperGammon"):
        text = f'; [Variation "{name}"]\n 3 point match\n{HEAD}'
        match = read_one(text)
        assert match.rules.layout != Board.opening()
        for format in ("mat", "sgf"):
            data, lost = written(match, format)
            assert lost == []
            assert read_one(data, format).rules == match.rules


def test_resignations_come_back():
    session = MoneySession(Rules.money(), names=("A", "B"))
    game = session.game
    game.roll("31")
    game.play("8/5 6/5")
    for action in (Double(), Take()):
        game.do(action)
    game.roll("42")
    game.do(Resign(WinKind.GAMMON))
    game.do(Accept())
    assert game.result.points == 4
    for format in ("mat", "sgf"):
        data, lost = written(session, format)
        assert lost == []
        assert read_one(data, format).to_dict()["games"] == session.to_dict()["games"]


# ---- the way in and out ----


def test_formats_are_known_by_ending_and_by_content(tmp_path):
    match = read_one(gnubg_files()["resigned.mat"])
    for ending in (".mat", ".sgf", ".json", ".txt", ".jsonl"):
        path = tmp_path / f"a{ending}"
        assert write_matches(path, match) == []
        assert [m.to_dict() for m in read_matches(path)] == [match.to_dict()]
        bare = tmp_path / "bare"
        path.rename(bare)
        assert [m.to_dict() for m in read_matches(bare)] == [match.to_dict()]
    with pytest.raises(FileFormatError, match="no format"):
        write_matches(tmp_path / "a.pdf", match)
    with pytest.raises(FileFormatError, match="there is no format"):
        read_matches(tmp_path / "bare", "pdf")
    with pytest.raises(FileNotFoundError):
        read_matches(tmp_path / "nothing.mat")
    with pytest.raises(FileFormatError, match="binary"):
        read_matches(io.StringIO("x"))


# ---- .xg, by files made after the published format ----


@pytest.mark.parametrize("name", ["match-001", "match-002", "money-1", "resigned"])
def test_files_of_xg_give_the_match_that_is_in_them(name):
    match = read_one(gnubg_files()[f"{name}.mat"], "mat")
    right = match.to_dict()
    right["info"] = {"EventDate": "2026.05.01"}
    for options in ({}, {"picture": b"\xff\xd8" * 500}, {"is_listed": False}):
        matches, problems = read(xg_file(match, **options))
        assert [problem.kind for problem in problems] == ["lost"]
        assert matches[0].to_dict() == right


def test_a_position_of_xg_is_a_game_that_begins_there():
    board = Board.from_position_id("4HPiQUAzTvABMA")
    for player in (0, 1):
        start = GameState.at(board, on_roll=player, cube=2, cube_owner=1, length=7, dice="31")
        match = Match.from_state(start, names=("A", "B"))
        match.game.play(match.game.legal_plays()[0])
        matches, _ = read(xg_file(match))
        game = matches[0].game
        assert game.start.board == board
        assert (game.start.on_roll, game.cube) == (player, start.cube)
        assert game.state.board == match.game.state.board


def test_counts_of_xg_that_no_board_has_are_reported():
    content = bytearray(b"".join(records(read_one(gnubg_files()["resigned.mat"]))))
    play = next(at for at in range(0, len(content), 2560) if content[at + 8] == 3)
    content[play + 40] = 128
    matches, problems = read(packed(bytes(content)))
    assert len(matches) == 1
    assert any(problem.is_fault for problem in problems)


def test_a_damaged_file_of_xg_is_reported():
    data = xg_file(read_one(gnubg_files()["match-001.mat"], "mat"))
    for broken in (data[:100], data[:8232], data[:9000], data[:-40], b"RGMH" + bytes(9000)):
        matches, problems = read(broken)
        assert any(problem.kind in ("unread", "lost", "score") for problem in problems)
        assert len(matches) <= 1
    with pytest.raises(FileFormatError, match="cannot be written"):
        write_matches(io.BytesIO(), [], "xg")


# ---- columns ----


def test_columns_have_one_row_for_each_event():
    match = read_one(gnubg_files()["match-001.mat"])
    columns = match_columns([match, match], boards=True)
    n = 2 * sum(1 for game in match.games for _ in events_of(game))
    assert {len(column) for column in columns.values()} == {n}
    assert set(columns["kind"]) == {"play", "double", "take", "drop", "resign", "accept"}
    assert columns["match"].tolist() == [0] * (n // 2) + [1] * (n // 2)
    first = {name: column[0] for name, column in columns.items()}
    assert (first["player"], first["name"], first["die1"], first["die2"]) == (1, "Ben", 6, 3)
    assert (first["play"], first["cube"], first["cube_owner"]) == ("24/15", 1, -1)
    assert first["position_id"] == "4HPwATDgc/ABMA"
    assert [first[f"board_{i}"] for i in range(26)] == Board.opening().to_list()
    doubles = [i for i, kind in enumerate(columns["kind"]) if kind == "double"]
    assert {int(columns["value"][i]) for i in doubles} <= {2, 4}
    assert columns["game_points"].sum() > 0
    assert all(column.ndim == 1 for column in columns.values() if hasattr(column, "ndim"))


def test_columns_of_nothing_are_empty():
    assert {len(column) for column in match_columns([], boards=True).values()} == {0}


@pytest.mark.extras
@pytest.mark.parametrize("module", ["pandas", "polars", "pyarrow"])
def test_columns_go_into_data_frames(module):
    library = importlib.import_module(module)
    columns = match_columns(read_one(gnubg_files()["resigned.mat"]))
    make = library.table if module == "pyarrow" else library.DataFrame
    assert len(make(columns)) == len(columns["match"])


# ---- OGXM, through its own package ----


@pytest.mark.extras
def test_ogxm_is_read_through_its_package():
    import ogxm

    match = read_one(gnubg_files()["match-001.mat"])
    data = ogxm.json_to_binary(ogxm_document(match))
    matches, problems = read(data + data)
    assert [problem for problem in problems if problem.is_fault] == []
    right = match.to_dict()
    del right["info"]
    assert [again.to_dict() for again in matches] == [right, right]
    matches, problems = read(data + data[:-50])
    assert len(matches) == 1
    assert [problem.kind for problem in problems] == ["unread"]


def ogxm_document(match):
    rolls = [(low, high) for low in range(1, 7) for high in range(low, 7)]
    words = {"double": 21, "take": 22, "drop": 23}
    games = []
    for number, game in enumerate(match.games):
        plies = []
        for event in events_of(game):
            ply = {"color": 1 - event.player}  # White is 1, and goes up
            if event.kind in ("play", "rolled"):
                ply["action_id"] = rolls.index(tuple(sorted(event.dice)))
                ply["moves"] = [
                    {"from": start if event.player else 25 - start, "pips": start - to}
                    for start, to, _ in (event.play.steps if event.play else ())
                ]
            elif event.kind in words:
                ply["action_id"] = words[event.kind]
            elif event.kind == "resign":
                ply |= {"action_id": 27, "resign_value": event.value}
            else:
                continue
            plies.append(ply)
        games.append(
            {
                "game_index": number,
                "is_crawford": game.start.is_crawford,
                "winner": game.result.winner,
                "points_won": game.result.points,
                "plies": plies,
            }
        )
    names = {"player_white": match.names[0], "player_black": match.names[1]}
    return {"match_length": match.length, "crawford": True, **names, "games": games}
