"""FIBS board lines: published ones, in both directions, and bad texts.

The first comes from the description of the protocol, the others from the tests of the client
Gibbon, which state what the lines mean.
"""

import pytest
from boards import boards, cells_of
from hypothesis import given
from hypothesis import strategies as st

from bgcore import Board, FibsBoard, parse_fibs_board, read_id
from bgcore.errors import IdError

START = (
    "board:You:someplayer:3:0:0:0:-2:0:0:0:0:5:0:3:0:0:0:-5:5:0:0:0:-3:0:-5:0:0:0:0:2:0"
    ":1:6:2:0:0:1:1:1:0:1:-1:0:25:0:0:0:0:2:0:0:0"
)
OPPONENT = (
    "board:joe_white:black_jack:7:5:0:0:0:2:-1:0:-1:4:0:2:0:0:0:-2:4:0:0:0:-3:-2:-4:3:-2:0:0"
    ":0:0:-1:0:0:6:6:1:1:1:0:1:-1:0:25:0:0:0:0:2:6:0:0"
)
RISING = (
    "board:joe_white:black_jack:1:0:0:0:6:2:0:2:0:0:0:0:0:-1:0:0:-2:0:0:0:0:0:0:-3:-1:-3:-1"
    ":-4:0:1:0:0:6:2:1:1:1:0:-1:1:25:0:0:5:0:0:2:4:0:0"
)
POST_CRAWFORD = (
    "board:joe_white:black_jack:2:1:1:0:0:0:-1:3:3:2:0:3:0:0:2:0:2:0:0:0:-1:-1:-2:-2:-2:-4"
    ":-2:0:0:1:5:1:0:0:2:0:1:0:1:-1:0:25:0:0:0:0:2:0:1:0"
)


@pytest.mark.parametrize("text", [START, OPPONENT, RISING, POST_CRAWFORD])
def test_lines_are_written_as_they_were_read(text):
    assert str(parse_fibs_board(text)) == text


def test_the_line_of_the_protocols_description():
    line = parse_fibs_board(START)
    assert line == FibsBoard(
        cells=tuple(Board.opening().to_list()),
        player="You",
        opponent="someplayer",
        length=3,
        dice=(6, 2),
        can_move=2,
    )
    assert read_id(START).dice == (6, 2)


def test_the_opponents_turn():
    line = parse_fibs_board(OPPONENT)
    assert (line.turn, line.dice, line.dice_on_roll) == (-1, None, (6, 6))
    # as Gibbon prints it: 138 pips of the opponent
    assert Board(line.cells).opponent_pips == 138
    assert Board(line.cells).swapped() == Board(line.cells_on_roll)


def test_x_plays_from_1_to_24():
    board = Board(parse_fibs_board(RISING).cells)
    # Gibbon's test gives the position by the player's own points
    assert board == Board(cells_of("1:4 2:1 3:3 4:1 5:3 12:2 15:1", "1:6 2:2 4:2"))
    assert board.opponent_off == 5


def test_programs_that_leave_the_bar_at_zero_are_read():
    line = FibsBoard(cells=tuple(cells_of("bar:2 6:13", "bar:1 6:14")))
    text = str(line)
    assert ":0:25:0:0:2:1:" in text
    assert parse_fibs_board(text.replace(":0:25:0:0:2:1:", ":0:25:0:0:0:0:")) == line


def changed(field: int, value: str, text: str = START) -> str:
    fields = text.split(":")
    fields[field] = value
    return ":".join(fields)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("board:", "2 fields"),
        (START + ":0", "54 fields"),
        ("Board" + START[5:], "the first is 'board'"),
        (changed(1, ""), "the player's name"),
        (changed(2, "a b"), "the opponent's name"),
        (changed(3, "0"), "the match length"),
        (changed(3, "10000"), "the match length"),
        (changed(4, "3"), "the player's score"),
        (changed(5, "-1"), "the opponent's score"),
        (changed(7, "-16"), "point 1"),
        (changed(7, "x"), "point 1"),
        (changed(7, "-3"), "too many checkers of the opponent"),
        (changed(6, "1"), "index 0"),
        (changed(32, "2"), "the turn"),
        (changed(33, "7"), "the player's dice"),
        (changed(34, "0"), "both are rolled or none"),
        (changed(35, "1"), "both are rolled or none"),
        (changed(37, "3"), "power of 2"),
        (changed(37, "0"), "the cube"),
        (changed(38, "2"), "whether the player may double"),
        (changed(40, "1"), "the opponent has doubled, but it is not his turn"),
        (changed(40, "1", OPPONENT), "his dice are rolled already"),
        (changed(41, "0"), "the colour .* is 0"),
        (changed(42, "0"), "the direction"),
        (changed(43, "25"), "the player's home"),
        (changed(44, "0"), "the player's bar"),
        (changed(45, "1"), "the checkers the player has borne off"),
        (changed(46, "1"), "the checkers the opponent has borne off"),
        (changed(47, "1"), "the player's checkers on the bar"),
        (changed(49, "5"), "how many checkers can move"),
        (changed(52, "-1"), "the instant redoubles"),
    ],
)
def test_bad_lines_are_refused_with_the_field(text, words):
    with pytest.raises(IdError, match=words):
        parse_fibs_board(text)


@pytest.mark.parametrize("value", [None, 5, START.encode()])
def test_a_line_is_a_text(value):
    with pytest.raises(IdError, match="text"):
        parse_fibs_board(value)


@given(boards(), st.sampled_from((1, -1)), st.sampled_from((1, -1)), st.sampled_from((1, 0, -1)))
def test_boards_round_trip_for_both_colours_and_directions(board, colour, direction, turn):
    cells = tuple(board.to_list())
    line = FibsBoard(cells=cells, colour=colour, direction=direction, turn=turn, scores=(3, 1))
    assert parse_fibs_board(str(line)) == line
