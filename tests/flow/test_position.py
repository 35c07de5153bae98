"""Positions: what every kind of ID tells, what each can hold, and states of games.

IDs that stand together for one position were published together: exports of BGBlitz that print
board, position ID, match ID and XGID (kevung/bgfparser), and the tests of OpenGammon's board, which
pair OGIDs with XGIDs.
"""

import json
from dataclasses import replace

import pytest
from boards import boards, cells_of
from hypothesis import given
from hypothesis import strategies as st

from bgcore import Board, GameState, Position, Rules, Stage, WinKind, parse_match_id, read_id
from bgcore.actions import (
    Accept,
    Beaver,
    Double,
    Drop,
    MakePlay,
    MakeStep,
    Raccoon,
    Resign,
    Roll,
    Take,
)
from bgcore.errors import BgcoreError, DiceError, IdError, RecordError, RulesError
from bgcore.game_state import state_after
from bgcore.position import FORMATS

OPENING = "-b----E-C---eE---c-e----B-"

#: XGID and GNU ID of one position, as exported together.
XGID_AND_GNUBG = [
    (
        "---BBaB-BbA-bC-b--BdAca---:0:0:1:00:0:5:0:9:10",
        "dB7GGAJsZuJgAg:cAkgAVAAAAAE",
    ),
    (
        "-aAaBaDaB---bD-b-A-cA-b-b-:0:0:1:00:2:4:0:9:10",
        "Mw5jkCQyz+AhAg:cAkgAUAAEAAE",
    ),
    (
        "--BaBCCBAA------acccc-a--A:0:0:1:00:0:2:0:7:10",
        "5O4uAAhmdysAQA:cAngACAAAAAE",
    ),
    (
        "---BADB------------bf---a-:1:1:1:00:4:0:0:7:10",
        "4TcAALDeAAAAAA:UQngAAAAIAAE",
    ),
    (
        "---c--CCB---dB-B---c-BcAb-:1:1:1:00:0:1:0:7:10",
        "cxzwAA7gbjADEw:UQngABAAAAAE",
    ),
    (
        "---aBBCCCB----a-aa-babbbb-:1:1:1:00:1:2:0:9:10",
        "29aUAAjY7m4AAA:UQkgASAACAAE",
    ),
    # the dice as the match ID has them
    (
        "-B-CBBB---a---A---ABcbbbd-:1:-1:1:12:3:6:0:7:10",
        "b9sBCIC5bYDQAA:QYnoAGAAGAAE",
    ),
]

#: OGID and XGID of one position, tests of OpenGammon's board; letters in rising order.
OGID_AND_XGID = [
    ("11ccccchhhjjjjj:66666888dddddoo:N0N::W:C:0:0:0:0", f"{OPENING}:0:0:1:00:0:0:0:0:10"),
    ("11ccccchhhjjjjj:66666888dddddoo:N0N::B:C:0:0:0:0", f"{OPENING}:0:0:-1:00:0:0:0:0:10"),
    (
        "jjjkkklllmmnnoo:111222333445566:N0N::W:C:0:0:0:0",
        "-CCCBBB------------cccbbb-:0:0:1:00:0:0:0:0:10",
    ),
    # OpenGammon turns the board round here; an XGID's letters never turn
    (
        "jjjkkklllmmnnoo:111222333445566:N0N::B:C:0:0:0:0",
        "-CCCBBB------------cccbbb-:0:0:-1:00:0:0:0:0:10",
    ),
    ("00jjj:66ppp:N0N::W:C:0:0:0:0", "b-----B------------c-----C:0:0:1:00:0:0:0:0:10"),
    (
        "jjjkkklllmmnnoo:111222333445566:N0N:36:W:R:0:0:0:0",
        "-CCCBBB------------cccbbb-:0:0:1:36:0:0:0:0:10",
    ),
    ("11ccccchhhjjjjj:66666888dddddoo:W1N::W:C:0:0:0:0", f"{OPENING}:1:-1:1:00:0:0:0:0:10"),
    ("11ccccchhhjjjjj:66666888dddddoo:B1N::W:C:0:0:0:0", f"{OPENING}:1:1:1:00:0:0:0:0:10"),
    ("11ccccchhhjjjjj:66666888dddddoo:N0N::W:C:3:5:7:0", f"{OPENING}:0:0:1:00:5:3:0:7:10"),
]

#: GNU Backgammon's manual, and files that its users published.
MATCH_IDS = (
    *("QYkqASAAIAAA", "MIEFAAAAAAAA", "cAkAAAAAAAAA", "8IhuACAACAAE", "cIgUAAAAAAAA"),
    *("QYnoAGAAGAAE", "cAkgAVAAAAAE", "cAkgAUAAEAAE", "cAngACAAAAAE", "UQngAAAAIAAE"),
    *("UQngABAAAAAE", "UQkgASAACAAE", "cBHgAAAAAAAE", "QQnzAAAAAAAE", "ARngAAAAAAAE"),
    *("EgHvAAAAAAAE", "8AizASAAYAAE", "8IhyAAAAEAAE", "UhGgAXAAKAAE", "cAmgACAAGAAA"),
)

FIBS_START = (
    "board:You:someplayer:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    ":1:6:2:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0"
)


# ---- one position in several IDs ----


@pytest.mark.parametrize(("xgid", "gnubg"), XGID_AND_GNUBG)
def test_xgid_and_gnubg_id_of_one_position_turn_into_each_other(xgid, gnubg):
    assert Position.from_text(xgid).encode("gnubg") == (gnubg, ())
    assert Position.from_text(gnubg).encode("xgid") == ("XGID=" + xgid, ())


@pytest.mark.parametrize("match_id", MATCH_IDS)
def test_published_match_ids_come_back(match_id):
    text = f"4NvgATDQ8+ABMA:{match_id}"
    position = Position.from_text(text)
    back, lost = position.encode("gnubg")
    assert lost == ()
    assert Position.from_text(back) == position
    told, written = parse_match_id(match_id), parse_match_id(back[15:])
    # what a match does not need: the Jacoby rule; 0 says of some first rolls that nothing is begun
    jacoby = told.jacoby if not told.length else False
    assert written == replace(told, game_state=1, jacoby=jacoby)
    # and by way of an XGID, which has the bottom player's score first
    assert Position.from_text(position.to_text("xgid")).encode("gnubg") == (back, ())


@pytest.mark.parametrize(("ogid", "xgid"), OGID_AND_XGID)
def test_ogid_and_xgid_of_one_position_turn_into_each_other(ogid, xgid):
    assert Position.from_text(ogid).encode("xgid") == ("XGID=" + xgid, ())
    assert Position.from_text("XGID=" + xgid).encode("ogid") == (ogid, ())
    assert Position.from_text("OGID=" + ogid) == Position.from_text(ogid)


def test_fibs_line_of_the_protocols_description():
    position = Position.from_text(FIBS_START)
    assert position.board == Board.opening()
    assert (position.on_roll, position.dice, position.length) == (0, (6, 2), 3)
    assert position.to_text("xgid") == f"XGID={OPENING}:0:0:1:62:0:0:0:3:10"
    text = position.to_text("fibs", strict=True)
    assert text == FIBS_START.replace("someplayer", "Opponent")


# lines of FIBS, from the tests of the client Gibbon, with what its tests tell of them
@pytest.mark.parametrize(
    ("line", "xgid"),
    [
        (
            (
                "board:joe_white:black_jack:7:5:0:0:0:2:-1:0:-1:4:0:2:0:0:0:-2:4:0:0:0:-3:-2:-4:3:-2:0:0"
                ":0:0:-1:0:0:6:6:1:1:1:0:1:-1:0:25:0:0:0:0:2:6:0:0"
            ),
            "--Ba-aD-B---bD---cbdCb----:0:0:-1:66:5:0:0:7:10",
        ),
        # X, who plays from 1 to 24; a match to one point
        (
            (
                "board:joe_white:black_jack:1:0:0:0:6:2:0:2:0:0:0:0:0:-1:0:0:-2:0:0:0:0:0:0:-3:-1:-3:-1"
                ":-4:0:1:0:0:6:2:1:1:1:0:-1:1:25:0:0:5:0:0:2:4:0:0"
            ),
            "-DACAC------B--A-----b-bf-:0:0:-1:62:0:0:0:1:10",
        ),
        # double match point after the Crawford game; the opponent owns the cube
        (
            (
                "board:joe_white:black_jack:2:1:1:0:0:0:-1:3:3:2:0:3:0:0:2:0:2:0:0:0:-1:-1:-2:-2:-2:-4"
                ":-2:0:0:1:5:1:0:0:2:0:1:0:1:-1:0:25:0:0:0:0:2:0:1:0"
            ),
            "---aCCB-C--B-B---aabbbdb--:1:-1:1:51:1:1:0:2:10",
        ),
    ],
)
def test_lines_of_fibs(line, xgid):
    assert Position.from_text(line).encode("xgid") == ("XGID=" + xgid, ())


def test_the_crawford_game_of_a_fibs_line_is_the_one_without_a_mark():
    text = FIBS_START.replace(":3:0:0:0:", ":3:2:0:0:", 1)
    assert Position.from_text(text).is_crawford
    after = text.removesuffix(":0:0") + ":1:0"
    assert not Position.from_text(after).is_crawford
    assert not Position.from_text(after.removesuffix(":1:0") + ":3:0").rules.crawford


@pytest.mark.parametrize(
    ("text", "key"),
    # the second key as gnubg-nn 1.1.0a11 prints it
    [("4HPwATDgc/ABMA", "OAHDPAABDAOAHDPAABDA"), ("4NvgATDQ8+ABMA", "OANLOAABDANAPDOAABDA")],
)
def test_key_of_twenty_letters(text, key):
    position = Position.from_text(text)
    assert position.encode("key") == (key, ())
    assert Position.from_text(key) == position
    assert read_id(key).is_bare


# ---- who is who ----


def test_the_top_player_on_roll_owns_the_cube_and_leads():
    position = Position.from_text("--BBbBB-----aE----Be-c-bb-:1:-1:-1:00:2:3:0:7:10")
    assert position.board == Board.from_position_id("NhvwwQCb8wEBBg")
    assert (position.on_roll, position.cube_owner, position.scores) == (1, 1, (2, 3))
    # as GNU Backgammon 1.07 shows this XGID: player 0 rolls, has the cube and 3 points
    assert position.encode("gnubg") == ("NhvwwQCb8wEBBg:AQHgADAAEAAE", ())


def asymmetric(on_roll, owner, **changes):
    return Position(
        board=Board(cells_of("24:2 13:4 8:3 6:4 4:2", "bar:1 22:1 13:5 8:3 6:5")),
        on_roll=on_roll,
        cube=1 if owner is None else 4,
        cube_owner=owner,
        rules=Rules.match(),
        length=9,
        scores=(3, 5),
        **changes,
    )


@pytest.mark.parametrize("format", FORMATS[:-1])
@pytest.mark.parametrize("owner", [None, 0, 1])
@pytest.mark.parametrize("on_roll", [0, 1])
def test_every_direction_round_trips_in_every_format(on_roll, owner, format):
    for changes in ({}, {"dice": (4, 2)}, {"offers": 1}):
        if changes == {"offers": 1} and owner == 1 - on_roll:
            continue
        position = asymmetric(on_roll, owner, **changes)
        text, lost = position.encode(format)
        assert lost == ()
        back = Position.from_text(text)
        assert {back.dice, position.dice} in ({None}, {(4, 2)}, {(4, 2), (2, 4)})
        # an XGID tells the limit of the cube
        rules = replace(back.rules, cube_limit=position.rules.cube_limit)
        assert replace(back, dice=position.dice, rules=rules) == position


@pytest.mark.parametrize("format", FORMATS[:-1])
def test_swapping_the_players_is_not_the_same_position(format):
    position = asymmetric(0, 1, dice=(6, 5))
    swapped = position.with_players_swapped()
    assert (swapped.on_roll, swapped.cube_owner, swapped.scores) == (1, 0, (5, 3))
    assert swapped.board == position.board
    assert swapped.with_players_swapped() == position
    assert swapped.to_text(format) != position.to_text(format)
    assert Position.from_text(swapped.to_text(format)).on_roll == 1


def test_board_swapped_for_a_player():
    position = asymmetric(1, None)
    assert position.board_swapped_for(1) == position.board
    assert position.board_swapped_for(0) == position.board.swapped()


# ---- offers ----


@pytest.mark.parametrize(
    ("match_id", "on_roll", "actor", "cube", "owner", "offer"),
    [
        # corpus of bglab: player 1 ("X", the bottom) doubles; later player 0 redoubles to 4
        ("cBHgAAAAAAAE", 0, 1, 1, None, 2),
        ("ARngAAAAAAAE", 1, 0, 2, 1, 4),
        ("UhGgAXAAKAAE", 0, 1, 4, 0, 8),
    ],
)
def test_doubles_that_wait_in_match_ids(match_id, on_roll, actor, cube, owner, offer):
    position = Position.from_text(f"4NvgATDQ8+ABMA:{match_id}")
    assert (position.on_roll, position.actor, position.offer) == (on_roll, actor, offer)
    assert (position.cube, position.cube_owner, position.pending) == (cube, owner, "double")
    assert position.encode("gnubg") == (f"4NvgATDQ8+ABMA:{match_id}", ())
    assert Position.from_text(position.to_text("xgid")).actor == actor


@pytest.mark.parametrize("turn", [1, -1])
@pytest.mark.parametrize(("action", "offers"), [("D", 1), ("B", 2), ("R", 3)])
def test_cube_actions_of_an_xgid_both_ways(action, offers, turn):
    text = f"XGID=--BBbBB-----aE----Be-c-bb-:1:{turn}:{turn}:{action}:0:0:3:0:10"
    if action == "B":  # the beaver is that of the other player
        text = f"XGID=--BBbBB-----aE----Be-c-bb-:1:{-turn}:{turn}:{action}:0:0:3:0:10"
    position = Position.from_text(text)
    acted = 0 if turn == 1 else 1
    assert (position.offers, position.offer, position.actor) == (offers, 2 << offers, 1 - acted)
    assert position.to_text("xgid", strict=True) == text


@pytest.mark.parametrize("format", ["gnubg", "ogid", "fibs"])
def test_a_beaver_leaves_the_double_in_formats_that_know_none(format):
    position = Position.from_text(f"{OPENING}:1:1:-1:B:0:0:2:0:10")
    text, lost = position.encode(format)
    assert "the beaver on offer" in lost
    assert Position.from_text(text).pending == "double"
    with pytest.raises(IdError, match="the beaver on offer"):
        position.to_text(format, strict=True)


@pytest.mark.parametrize("on_roll", [0, 1])
def test_a_resignation_is_in_the_match_id_alone(on_roll):
    position = asymmetric(on_roll, 1, resigned=WinKind.GAMMON)
    assert (position.actor, position.pending) == (1 - on_roll, "resignation")
    text, lost = position.encode("gnubg")
    assert lost == ()
    assert Position.from_text(text) == position
    assert position.encode("xgid").lost == ("the resignation of a gammon game",)


# ---- what is lost ----


@pytest.mark.parametrize(
    ("xgid", "format", "lost"),
    [
        (f"{OPENING}:0:0:1:31:0:0:3:0:10", "gnubg", ("beavers (1)",)),
        (f"{OPENING}:0:0:1:31:0:0:3:0:10", "ogid", ("Jacoby rule", "beavers (1)")),
        (f"{OPENING}:0:0:1:31:0:0:3:0:10", "fibs", ("Jacoby rule",)),
        (f"{OPENING}:0:0:1:31:2:1:0:7:8", "gnubg", ("cube limit 256",)),
        (f"{OPENING}:0:0:1:31:2:1:0:7:10", "ogid", ()),
        (f"{OPENING}:0:0:1:31:2:1:0:7:0", "gnubg", ("no cube",)),
        (f"{OPENING}:0:0:1:31:2:1:0:7:0", "ogid", ()),
        (f"{OPENING}:0:0:-1:31:6:1:1:7:10", "gnubg", ()),
        (f"{OPENING}:0:0:-1:31:6:1:1:7:10", "ogid", ()),
        (f"{OPENING}:0:0:-1:31:6:1:1:7:10", "fibs", ()),
        (
            f"{OPENING}:1:-1:-1:31:6:1:0:7:10",
            "key",
            (
                "the top player is on roll",
                "dice 3-1",
                "cube of 2 owned by the top player",
                "match to 7",
                "score 6-1",
            ),
        ),
    ],
)
def test_what_a_text_loses_is_named(xgid, format, lost):
    position = Position.from_text(xgid)
    assert position.encode(format).lost == lost
    if lost:
        with pytest.raises(IdError, match=format):
            position.to_text(format, strict=True)
    else:
        assert position.to_text(format, strict=True) == position.to_text(format)


def test_an_xgid_loses_house_rules_and_more_than_one_beaver():
    rules = Rules.money(beavers=3, auto_doubles=1, payoff="gammon")
    lost = Position(board=Board.opening(), rules=rules).encode("xgid").lost
    assert lost == (
        "beavers (3; the text means 1)",
        "automatic doubles (1)",
        "rule payoff (gammon)",
    )


def test_numbers_too_large_for_a_format_are_refused():
    owner = {"cube_owner": 0, "rules": Rules.match(cube_limit=1 << 20), "length": 9999}
    position = Position(board=Board.opening(), cube=1 << 16, **owner)
    for format in ("xgid", "gnubg", "ogid", "fibs"):
        with pytest.raises(IdError):
            position.encode(format)
    position = Position(board=Board.opening(), cube=1 << 12, **owner)
    assert position.to_text("xgid").endswith(":12:1:1:00:0:0:0:9999:12")
    assert Position.from_text(position.to_text("gnubg")).cube == 1 << 12


def test_there_are_five_formats():
    with pytest.raises(IdError, match="no format; right are xgid, gnubg, ogid, fibs, key"):
        Position(board=Board.opening()).encode("mat")


def test_variants_with_fewer_checkers():
    rules = Rules(layout=Board(cells_of("24:1 23:1 22:1", "24:1 23:1 22:1"), n_checkers=3))
    position = Position(board=rules.layout, rules=rules)
    assert position.encode("xgid").lost == ("3 checkers a side",)
    text = position.to_text("ogid", strict=True)
    assert text.endswith(":3")
    assert Position.from_text(text, rules=rules) == position
    with pytest.raises(IdError, match="checkers of a side"):
        Position.from_text(text)


# ---- what a bare ID and old IDs mean ----


def test_a_bare_position_id_is_money_without_jacoby_and_beavers():
    position = Position.from_text(" 4HPwATDgc/ABMA\n")
    assert position == Position(board=Board.opening())
    assert (position.rules.jacoby, position.rules.beavers, position.cube) == (False, 0, 1)


def test_an_old_match_id_means_that_the_jacoby_rule_is_on():
    assert Position.from_text("4HPwATDgc/ABMA:cAkAAAAAAAAA").rules.jacoby
    assert not Position.from_text("4HPwATDgc/ABMA:cAkAAAAAAAAE").rules.jacoby


def test_rules_of_ones_own_fill_what_an_id_leaves_open():
    rules = Rules.money(beavers=2, jacoby=False)
    position = Position.from_text("4HPwATDgc/ABMA:cAkAAAAAAAAA", rules=rules)
    assert (position.rules.beavers, position.rules.jacoby) == (2, True)
    assert Position.from_text(f"{OPENING}:0:0:1:00:0:0:0:0:10", rules=rules).rules.beavers == 0


@pytest.mark.parametrize(
    "text",
    [
        f"{OPENING}:0:0:1:00:0:0:1:1:10",
        "4HPwATDgc/ABMA:8AkgAAAAAAAE",
        "11ccccchhhjjjjj:66666888dddddoo:N0N::W:C:0:0:1C:0",
    ],
)
def test_a_match_to_one_point_has_no_crawford_game(text):
    position = Position.from_text(text)
    assert (position.length, position.is_crawford) == (1, False)


# ---- what is refused ----


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty ID"),
        ("cAkAAAAAAAAA", "position ID before it is missing"),
        ("4HPwATDgc/ABMA:cAkAAAAAAAA", "not a match ID"),
        (f"{OPENING}:0:1:1:00:0:0:0:0:10", "owns a cube of 1"),
        (f"{OPENING}:1:0:1:00:2:0:0:7:10", "a cube of 2 in the middle"),
        (f"{OPENING}:3:1:1:00:2:0:0:7:2", "the cube shows 8; its limit is 4"),
        (f"{OPENING}:0:0:1:00:2:0:1:7:10", "no Crawford game at 2-0"),
        (f"{OPENING}:0:0:1:D:6:0:1:7:10", "not in play"),
        (f"{OPENING}:1:-1:1:D:2:0:0:7:10", "the opponent owns the cube"),
        (f"{OPENING}:1:1:-1:B:0:0:1:0:10", "beaver is on offer"),
        (f"{OPENING}:1:1:1:D:0:0:1:0:1", "reached its limit of 2"),
        (f"{OPENING}:0:0:1:00:0:0:1:0:0", "the Jacoby rule needs the cube"),
        ("4HPwATDgc/ABMA:cAHgAAAAAAAE", "player 0 decides and player 1 is on roll"),
        ("4HPwATDgc/ABMA:cAzgAAAAAAAE", "the game is over by a pass"),
        (FIBS_START.replace(":1:1:1:0:1:-1:", ":1:0:0:0:1:-1:"), "neither side may double"),
        (FIBS_START.replace("2:0:1:6:2", "2:0:0:6:2"), "both sides have checkers left"),
        ("11ccccchhhjjjjj:66666888dddddoo:D1N:31:B:R:0:0:0", "nobody may turn"),
        ("11ccccchhhjjjjj:66666888dddddoo:N0N:31:B:R:0:0:0:0:3", "15 checkers|checkers"),
    ],
)
def test_contradictions_in_ids_are_named(text, words):
    with pytest.raises(IdError, match=words):
        Position.from_text(text)


@pytest.mark.parametrize("value", [None, 5, b"4HPwATDgc/ABMA"])
def test_an_id_is_a_text(value):
    with pytest.raises(IdError, match="text"):
        Position.from_text(value)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"board": [0] * 26}, RulesError),
        ({"rules": "money"}, RulesError),
        ({"on_roll": 2}, RulesError),
        ({"on_roll": True}, RulesError),
        ({"dice": (0, 7)}, DiceError),
        ({"cube": 3}, RulesError),
        ({"cube": 2, "cube_owner": 2}, RulesError),
        ({"offers": -1}, RulesError),
        ({"offers": 1, "dice": (3, 1)}, RulesError),
        ({"offers": 1, "resigned": 1}, RulesError),
        ({"offers": 2}, RulesError),
        ({"resigned": 4}, RulesError),
        ({"length": 7}, RulesError),
        ({"scores": (1,)}, RulesError),
        ({"is_crawford": True}, RulesError),
        ({"on_roll": None, "dice": (3, 1)}, RulesError),
        ({"on_roll": None, "board": Board.opening().after("8/5 6/5", "31")}, RulesError),
        ({"result": 3}, RulesError),
    ],
)
def test_values_that_do_not_fit_are_refused(changes, error):
    with pytest.raises(error):
        Position(**{"board": Board.opening(), **changes})


# ---- states of games ----


def through(state, *actions):
    for action in actions:
        state = state_after(state, action)
        yield state


def test_every_state_of_a_game_is_a_position_and_back():
    start = GameState.start(Rules.money(beavers=2))
    states = [
        start,
        *through(
            start,
            Roll((1, 3)),
            MakePlay("8/5 6/5"),
            Double(),
            Beaver(),
            Raccoon(),
            Take(),
            Roll((6, 6)),
            Resign(WinKind.BACKGAMMON),
            Accept(),
        ),
    ]
    for state in states:
        position = Position.from_state(state)
        back = position.to_state()
        assert back.stage is state.stage
        assert (back.actor, back.board, back.cube) == (state.actor, state.board, state.cube)
        assert (back.offer, back.returns) == (state.offer, state.returns)
        assert (back.result, back.resigned) == (
            state.result,
            None if state.result else state.resigned,
        )
        assert Position.from_state(back) == position
        assert Position.from_dict(json.loads(json.dumps(position.to_dict()))) == position
        for format in FORMATS:
            position.to_text(format)


def test_a_game_can_begin_at_an_id():
    state = Position.from_text("--BBbBB-----aE----Be-c-bb-:1:-1:-1:00:2:3:0:7:10").to_state()
    assert state.stage is Stage.ROLL
    assert state_after(state, Double()).actor == 0
    assert state_after(state, Roll("65")).legal_plays()


def test_before_the_opening_roll_nobody_is_on_roll():
    position = Position.from_state(GameState.start(Rules.match(), length=5))
    assert position.on_roll is None
    assert position.to_state() == GameState.start(Rules.match(), length=5)
    for format in FORMATS:
        assert "the opening roll is still to come" in position.encode(format).lost


def test_automatic_doubles_stay_in_the_middle():
    start = GameState.start(Rules.money(auto_doubles=2))
    for state in through(start, Roll((3, 3)), Roll((2, 2))):
        assert Position.from_state(state).to_state().cube == state.cube
    assert state.auto_doubles == Position.from_state(state).to_state().auto_doubles == 2


def test_a_turn_that_was_begun_is_shown_before_its_first_step():
    start = GameState.at(Board(cells_of("13:2 6:2", "18:1 24:1")), dice=(6, 6))
    whole = Position.from_state(start)
    for state in through(start, MakeStep(13, 7), MakeStep(7, 1)):
        assert state.steps
        assert Position.from_state(state) == whole


def test_a_finished_game_has_its_result():
    over = Board(cells_of("off:15", "24:1"))
    position = Position(board=over, on_roll=1, cube=2, cube_owner=0, rules=Rules.money())
    assert position.result.winner == 1
    assert position.to_state().is_over
    for format in FORMATS[:-1]:
        back = Position.from_text(position.to_text(format))
        assert (back.board, back.on_roll) == (over, 1)
        assert back.result == position.result
    with pytest.raises(RulesError, match="the game is over"):
        Position(board=over, dice=(3, 1))


def test_a_game_that_was_passed_is_over_in_no_id():
    start = GameState.start()
    *_, last = through(start, Roll((3, 1)), MakePlay("8/5 6/5"), Double(), Drop())
    position = Position.from_state(last)
    assert position.result.ending == "dropped"
    for format in FORMATS:
        assert "the game is over: dropped" in position.encode(format).lost


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {},
        {"board": Board.opening().to_list(), "cubes": 1},
        {"board": Board.opening().to_list(), "result": 3},
        {"board": Board.opening().to_list(), "result": {"winner": 1}},
        {
            "board": Board.opening().to_list(),
            "result": {"winner": 1, "kind": 9, "points": 1, "cube": 1, "ending": "dropped"},
        },
    ],
)
def test_documents_that_are_no_position_are_refused(document):
    with pytest.raises(RecordError):
        Position.from_dict(document)


# ---- at random ----


@st.composite
def positions(draw):
    board = draw(boards())
    length = draw(st.sampled_from([0, 0, 1, 2, 7, 25]))
    if length:
        rules, top = Rules.match(), length - 1
    else:
        money = {"jacoby": draw(st.booleans()), "beavers": draw(st.integers(0, 1))}
        rules, top = Rules.money(**money), 20
    scores = (draw(st.integers(0, top)), draw(st.integers(0, top)))
    is_crawford = length > 1 and max(scores) == top > min(scores) and draw(st.booleans())
    owner = None if is_crawford else draw(st.sampled_from([None, 0, 1]))
    on_roll = draw(st.sampled_from([0, 1]))
    exponent = 0 if owner is None else draw(st.integers(1, 6))
    told = {}
    if board.value == 0:
        told["dice"] = draw(st.none() | st.tuples(st.integers(1, 6), st.integers(1, 6)))
        may_double = not is_crawford and owner in (None, on_roll)
        if told["dice"] is None and may_double:
            told["offers"] = draw(st.integers(0, 1 + min(rules.beavers, 1)))
    return Position(
        board=board,
        on_roll=on_roll,
        cube=1 << exponent,
        cube_owner=owner,
        rules=rules,
        length=length,
        scores=scores,
        is_crawford=is_crawford,
        **told,
    )


def same(position, back):
    """Whether both are the same but for the order of the dice and the limit of the cube."""
    if sorted(position.dice or ()) != sorted(back.dice or ()):
        return False
    rules = replace(back.rules, cube_limit=position.rules.cube_limit)
    return replace(back, dice=position.dice, rules=rules) == position


@given(positions())
def test_positions_round_trip_or_the_loss_is_named(position):
    for format in FORMATS:
        text, lost = position.encode(format)
        back = Position.from_text(text)
        assert same(position, back) == (not lost), (format, lost)
        # what was written is stable
        assert back.to_text(format, strict=True) == text
    assert position.encode("xgid").lost == ()
    assert Position.from_dict(json.loads(json.dumps(position.to_dict()))) == position
    assert Position.from_state(position.to_state()) == position
    assert position.with_players_swapped().with_players_swapped() == position


@given(st.integers(0, 15), st.integers(0, 15), positions())
def test_any_number_of_checkers_on_either_bar(own, other, position):
    cells = [0] * 26
    cells[25], cells[0] = own, -other
    cells[6], cells[19] = 15 - own, other - 15
    held = replace(position, board=Board(cells), result=None)
    for format in FORMATS:
        assert Position.from_text(held.to_text(format)).board == held.board


@given(st.text(alphabet=":-0123456789abcdopqABCDEOPWNGxgid=+/", max_size=60))
def test_any_text_is_read_or_refused(text):
    try:
        position = Position.from_text(text)
    except BgcoreError:
        return
    assert position.board.is_valid()
