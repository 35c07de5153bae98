"""Games in letters: the picture and the lines."""

import pytest
from games import board
from hypothesis import given
from hypothesis import strategies as st

from bgcore import Board, Game, GameState, Match, Rules
from bgcore.errors import BoardError
from bgcore.game_text import game_lines, game_picture, plain, result_line, score_line
from bgcore.scoring import GameResult, WinKind

NAMES = ("Ann", "Bob")


def picture(state, **options):
    return [plain(line) for line in game_picture(state, NAMES, **options)]


def test_picture_of_the_opening():
    match = Match(3, names=NAMES, scores=(2, 0))
    match.game.roll("31")
    assert picture(match.game.state) == [
        "+13-14-15-16-17-18------19-20-21-22-23-24-+    O  Bob",
        "| X           O    |   | O              X |       167 pips",
        "| X           O    |   | O              X |",
        "| X           O    |   | O                |",
        "| X                |   | O                |",
        "| X                |   | O                |   to 3, Crawford game; Ann 2, Bob 0",
        "|                  |BAR|                  |   no cube in the Crawford game",
        "| O                |   | X                |   Ann to play 3-1",
        "| O                |   | X                |",
        "| O           X    |   | X                |",
        "| O           X    |   | X              O |",
        "| O           X    |   | X              O |       167 pips",
        "+12-11-10--9--8--7-------6--5--4--3--2--1-+   *X  Ann",
    ]


def test_home_may_be_at_the_left_and_the_viewer_sits_at_the_bottom():
    game = Game(Rules.money())
    game.roll("13")
    lines = picture(game.state, viewer=1, home="left")
    assert lines[0].startswith("+24-23-22-21-20-19------18-17-16-15-14-13-+    X  Ann")
    assert lines[12].startswith("+-1--2--3--4--5--6-------7--8--9-10-11-12-+   *O  Bob")
    # his own checkers are O and stand on his 6 point, at the bottom
    assert lines[11][16:19] == " O "
    assert lines[7].endswith("Bob to play 3-1")
    with pytest.raises(BoardError, match="home is 'up'"):
        game_picture(game.state, home="up")


def test_bar_big_stacks_and_checkers_off():
    state = GameState.at(board({6: 7, 1: 3}, {6: 6, 5: 6}, own_bar=2, other_bar=1), dice="65")
    lines = picture(state)
    assert lines[7][24:27] == " 7 "
    assert lines[11][20:23] == " X "
    assert lines[10][20:23] == " X "
    assert lines[1][20:23] == " O "
    # his 6 and 5 points are mine 19 and 20
    assert lines[5][24:30] == " 6  6 "
    assert lines[11].endswith("95 pips, 3 off")


@pytest.mark.parametrize(("owner", "row"), [(None, 6), (0, 10), (1, 2)])
def test_cube_stands_at_its_owner(owner, row):
    state = GameState.at(Board.opening(), cube=4, cube_owner=owner)
    lines = picture(state)
    where = "in the middle" if owner is None else NAMES[owner]
    assert lines[row].endswith(f"[4] cube: {where}")
    assert sum("cube" in line for line in lines) == 1


def test_what_the_game_waits_for():
    game = Game(Rules.money(beavers=0))
    assert not any("to " in line for line in picture(game.state))
    game.roll("31")
    game.step(8, 5)
    assert picture(game.state)[7].endswith("Ann to play 3-1, left 1")
    game.step(6, 5)
    assert picture(game.state)[7].endswith("Bob to roll")
    game.double()
    assert picture(game.state)[7].endswith("Ann to answer: cube to 2?")
    game.take()
    game.resign()
    assert picture(game.state)[7].endswith("Ann to answer a resignation")
    game.accept()
    assert picture(game.state)[7].endswith("the game is over")


@given(
    st.integers(0, 200),
    st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=60),
    st.booleans(),
)
def test_no_line_is_wider_than_the_terminal(width, name, is_match):
    match = Match(99_999, names=(name, "-"), scores=(99_990, 5))
    match.game.roll("63")
    lines = [plain(line) for line in game_picture(match.game.state, match.names, width=width)]
    assert all(len(line) <= max(width, 80) for line in lines)
    if width < 80:
        assert all(len(line) <= 43 for line in lines[:13])


def test_scores_in_words():
    assert score_line(GameState.start(), NAMES) == "money game; Ann 0, Bob 0"
    assert score_line(Match(5, scores=(4, 1)).game.state) == "to 5, Crawford game; X 4, O 1"
    after = Match(5, scores=(4, 2), crawford_played=True).game.state
    assert score_line(after) == "to 5, post-Crawford; X 4, O 2"


@pytest.mark.parametrize(
    ("result", "line"),
    [
        (GameResult(0, WinKind.SINGLE, 1, 1, "played"), "1 point for Ann (single game)"),
        (GameResult(1, WinKind.GAMMON, 4, 2, "played"), "4 points for Bob (gammon, cube 2)"),
        (GameResult(0, WinKind.SINGLE, 2, 2, "dropped"), "2 points for Ann (dropped, cube 2)"),
        (
            GameResult(1, WinKind.BACKGAMMON, 3, 1, "resigned"),
            "3 points for Bob (backgammon, resigned)",
        ),
    ],
)
def test_results_in_words(result, line):
    assert result_line(result, NAMES) == line


def test_a_game_as_lines():
    game = Game(Rules.money(auto_doubles=1))
    for dice in ("22", "13"):
        game.roll(dice)
    game.step(8, 5)
    game.step(6, 5)
    game.double()
    game.beaver()
    game.take()
    game.roll("66")
    game.play("24/18(2) 13/7(2)")
    game.resign(2)
    game.refuse()
    game.resign(3)
    game.accept()
    assert game_lines(game, NAMES) == [
        "     opening roll: Ann 2, Bob 2; again, the cube goes to 2",
        "     opening roll: Ann 1, Bob 3; first: Bob",
        "  1. Bob: 3-1 8/5 6/5",
        "     Ann: double to 4",
        "     Bob: beaver",
        "     Ann: take",
        "  2. Ann: 6-6 24/18(2) 13/7(2)",
        "     Bob: resign a gammon",
        "     Ann: refuse",
        "     Bob: resign a backgammon",
        "     Ann: accept",
        "     24 points for Ann (backgammon, resigned, cube 8)",
    ]
