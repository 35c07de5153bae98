"""Pictures of boards."""

import subprocess
import sys
import xml.etree.ElementTree as ET

import pytest
from boards import boards, cells_of
from hypothesis import given

from bgcore import Board, Position, Status
from bgcore.drawing import png_of
from bgcore.errors import BoardError, DrawingError

ASYMMETRIC = Board(
    cells_of("bar:1 24:2 13:1 6:9", "bar:6 22:1 5:2"),
)

RIGHT = """\
+13-14-15-16-17-18------19-20-21-22-23-24-+  O: 182 pips, 6 off
| X                | O |    O           X |
|                  | O |    O           X |
|                  | O |                  |
|                  | O |                  |
|                  | 6 |                  |
|                  |BAR|                  |
|                  |   | 9                |
|                  |   | X                |
|                  |   | X                |
|                  |   | X                |
|                  | X | X        O       |
+12-11-10--9--8--7-------6--5--4--3--2--1-+  X: 140 pips, 2 off, on roll"""

LEFT = """\
+24-23-22-21-20-19------18-17-16-15-14-13-+  O: 182 pips, 6 off
| X           O    | O |                X |
| X           O    | O |                  |
|                  | O |                  |
|                  | O |                  |
|                  | 6 |                  |
|                  |BAR|                  |
|                9 |   |                  |
|                X |   |                  |
|                X |   |                  |
|                X |   |                  |
|       O        X | X |                  |
+-1--2--3--4--5--6-------7--8--9-10-11-12-+  X: 140 pips, 2 off, on roll"""


def test_text_has_the_home_board_at_the_right():
    assert ASYMMETRIC.text() == RIGHT
    assert str(ASYMMETRIC) == RIGHT


def test_text_has_the_home_board_at_the_left_if_wanted():
    assert ASYMMETRIC.text(home="left") == LEFT


def test_text_names_what_is_wrong():
    board = Board([1] + [0] * 24 + [-1], check=False)
    lines = board.text().splitlines()
    assert lines[-2:] == [
        f"impossible: {Status.BAR_SIGN.explain()}",
        f"impossible: {Status.OPPONENT_BAR_SIGN.explain()}",
    ]


@pytest.mark.parametrize("home", ["", "up", "RIGHT", None, 1, ["right"]])
def test_home_is_right_or_left(home):
    for draw in (Board.opening().text, Board.opening().svg):
        with pytest.raises(BoardError, match="home"):
            draw(home=home)


def svg_elements(board: Board, name: str, home: str = "right") -> list[ET.Element]:
    root = ET.fromstring(board.svg(home=home))
    return list(root.iter("{http://www.w3.org/2000/svg}" + name))


def test_svg_draws_each_checker_in_its_column():
    board = Board(cells_of("24:2 3:1", "bar:1 2:4"))
    circles = svg_elements(board, "circle")
    places = [(c.get("fill"), float(c.get("cx", 0)), float(c.get("cy", 0))) for c in circles]
    own = {x for fill, x, _ in places if fill == "#fbfaf6"}
    opponent = {x for fill, x, _ in places if fill == "#2b2b30"}
    numbers = {t.text: float(t.get("x", 0)) for t in svg_elements(board, "text")}
    assert own == {numbers["24"], numbers["3"]}
    assert numbers["23"] in opponent
    # the bar lies between the 6-point and the 7-point
    assert opponent - {numbers["23"]} == {(numbers["6"] + numbers["7"]) / 2}
    ys = {"24": [], "3": []}
    for fill, x, y in places:
        for name, found in ys.items():
            if fill == "#fbfaf6" and x == numbers[name]:
                found.append(y)
    assert len(ys["24"]) == 2
    assert max(ys["24"]) < min(ys["3"])


@given(boards())
def test_svg_is_well_formed_and_shows_all_numbers(board):
    for home in ("right", "left"):
        texts = [element.text for element in svg_elements(board, "text", home)]
        for point in range(1, 25):
            assert str(point) in texts
        for number in (board.pips, board.opponent_pips):
            assert str(number) in texts
        for number in (board.off, board.opponent_off):
            assert f"{number} off" in texts
        circles = svg_elements(board, "circle", home)
        assert len(circles) == sum(min(abs(count), 5) for count in board)


@given(boards())
def test_text_shows_all_stacks(board):
    for home in ("right", "left"):
        lines = board.text(home=home).splitlines()
        assert len(lines) == 13
        body = "".join(line[:43] for line in lines[1:12])
        drawn = sum(min(abs(count), 5) - (abs(count) > 5) for count in board)
        # the R of BAR is no checker; X and O appear only as checkers
        assert body.count("X") + body.count("O") == drawn


def test_notebooks_get_the_svg():
    board = Board.opening()
    assert board._repr_svg_() == board.svg()
    assert board.svg().startswith("<svg ")


def test_svg_works_for_impossible_boards():
    board = Board([127] * 26, check=False)
    titles = svg_elements(board, "title")
    assert Status.TOO_MANY.explain() in titles[0].text


def test_drawing_is_loaded_when_the_first_picture_is_wanted():
    code = (
        "import sys, bgcore; assert 'bgcore.drawing' not in sys.modules;"
        "bgcore.Board.opening()._repr_svg_(); assert 'bgcore.drawing' in sys.modules"
    )
    subprocess.run([sys.executable, "-P", "-c", code], check=True)


# ---- whole positions ----

TOP_ON_ROLL = Position.from_text("--BBbBB-----aE----Be-c-bb-:1:-1:-1:31:2:3:0:7:10")


def test_a_position_has_the_bottom_player_at_the_bottom_and_the_movers_numbers():
    # as GNU Backgammon 1.07 draws this XGID
    assert (
        TOP_ON_ROLL.text()
        == """\
+12-11-10--9--8--7-------6--5--4--3--2--1-+  O (top): 103 pips, 0 off, on roll
| X              X |   | O     O     O  O |  cube: 2
| X              X |   | O     O     O  O |
| X                |   | O     O          |  3-1
| X                |   | O                |
| X                |   | O                |
|                  |BAR|                  |
|                  |   |                  |
|                  |   |                  |
|                  |   |                  |
|                  |   | X  X  O  X  X    |
| O                |   | X  X  O  X  X    |
+13-14-15-16-17-18------19-20-21-22-23-24-+  X (bottom): 133 pips, 0 off
match to 7; score X 2, O 3; cube 2 of O
O plays 3-1"""
    )


@pytest.mark.parametrize(
    ("xgid", "lines"),
    [
        ("0:0:1:00:0:0:3:0:10", ("money; Jacoby rule; beavers; cube 1 in the middle", "X is on")),
        ("1:1:1:D:4:1:0:0:10", ("money; score X 4, O 1; cube 2 of X", "O answers a double to 4")),
        ("1:1:-1:B:0:0:2:0:10", ("money; beavers; cube 2 of X", "X answers a beaver to 8")),
        ("0:0:-1:00:6:1:1:7:10", ("match to 7; score X 6, O 1; Crawford game", "O is on roll")),
        ("0:0:1:65:0:0:0:0:0", ("money; no cube", "X plays 6-5")),
    ],
)
def test_a_position_in_words(xgid, lines):
    words = Position.from_text(f"-b----E-C---eE---c-e----B-:{xgid}").describe()
    assert words[0] == lines[0]
    assert words[1].startswith(lines[1])


def test_other_moments_in_words():
    resigned = Position.from_text("4HPwATDgc/ABMA:cCEAAAAAAAAA")
    assert resigned.describe()[1] == "X resigns a single game, O answers"
    start = Position(board=Board.opening(), on_roll=None)
    assert start.describe()[1] == "the opening roll is to come"
    over = Position(board=Board(cells_of("off:15", "24:1 1:14")))
    assert over.describe()[1] == "X has won a backgammon game: 3 points, played"


def test_svg_of_a_position():
    for home in ("right", "left"):
        text = TOP_ON_ROLL.svg(home=home)
        root = ET.fromstring(text)
        words = [element.text for element in root.iter() if element.tag.endswith("text")]
        assert words.count("2") == 2  # the point and the cube
        assert words[-2:] == ["match to 7; score light 2, dark 3; cube 2 of dark", "dark plays 3-1"]
        pips = [element for element in root.iter() if element.get("r") == "2"]
        assert len(pips) == 4
    assert TOP_ON_ROLL._repr_svg_() == TOP_ON_ROLL.svg()


@pytest.mark.extras
def test_png_of_a_picture():
    assert png_of(TOP_ON_ROLL.svg()).startswith(b"\x89PNG\r\n")
    for zoom in (0, 21, -1):
        with pytest.raises(DrawingError, match="zoom"):
            png_of(TOP_ON_ROLL.svg(), zoom=zoom)
