"""Plays as text: one way of printing, many ways of reading."""

import copy
import pickle
import random

import numpy as np
import pytest
from boards import boards, cells_of
from hypothesis import assume, given
from hypothesis import strategies as st
from testdata import rows

from bgcore import Board, Phase, Play, Plays
from bgcore.errors import (
    AmbiguousPlayError,
    BoardError,
    DiceError,
    IllegalPlayError,
    InvalidPlayError,
)

ROLLS = st.tuples(st.integers(1, 6), st.integers(1, 6))


def after_steps(board: Board, play: Play) -> list[int]:
    """Apply the steps of a play by hand."""
    cells = board.to_list()
    for start, to, hit in play.steps:
        assert cells[start] > 0
        cells[start] -= 1
        if to == 0:
            continue
        assert hit == (cells[to] == -1)
        if hit:
            cells[to] = 0
            cells[0] -= 1
        assert cells[to] >= 0
        cells[to] += 1
    return cells


# ---- Play ----


@pytest.mark.parametrize(
    ("steps", "text"),
    [
        ([], "(no play)"),
        ([(8, 5), (6, 5)], "8/5 6/5"),
        ([(6, 5), (8, 5)], "8/5 6/5"),
        ([(24, 18, True), (18, 13)], "24/18*/13"),
        ([(24, 18), (18, 13)], "24/13"),
        ([(24, 18), (18, 13, True)], "24/13*"),
        ([(24, 18, True), (18, 13, True)], "24/18*/13*"),
        ([(24, 18, True), (24, 18), (18, 12), (18, 12)], "24/18*/12(2)"),
        ([(24, 18, True), (24, 18), (18, 12)], "24/18*/12 24/18"),
        ([(13, 7, True), (13, 7), (8, 2), (8, 2)], "13/7*(2) 8/2(2)"),
        ([(13, 7), (13, 7, True)], "13/7*(2)"),
        ([(25, 20), (20, 15)], "bar/15"),
        ([(25, 20, True), (6, 5)], "bar/20* 6/5"),
        ([(6, 0)], "6/off"),
        ([(6, 0), (6, 0), (6, 0), (6, 0)], "6/off(4)"),
        ([(8, 6), (6, 0)], "8/off"),
        ([(4, 0), (6, 5)], "6/5 4/off"),
        ([(25, 19), (25, 19), (25, 19), (19, 13)], "bar/13 bar/19(2)"),
        # the hit is made by whoever comes first; it is written once, at the higher checker
        ([(8, 7, True), (13, 7)], "13/7* 8/7"),
    ],
)
def test_plays_print_in_standard_notation(steps, text):
    assert str(Play(steps)) == text


def test_plays_with_the_same_steps_are_equal_in_any_order():
    a = Play([(8, 7, True), (13, 7, False)])
    b = Play(((13, 7, True), (8, 7)))
    assert a == b
    assert hash(a) == hash(b)
    assert a.steps == ((13, 7, True), (8, 7, False))
    assert a != Play([(13, 7), (8, 7)])
    assert a != str(a)
    assert a.hits == (7,)


def test_a_play_is_a_value():
    play = Play([(24, 18, True), (18, 13)])
    assert eval(repr(play)) == play
    assert copy.deepcopy(play) == play == pickle.loads(pickle.dumps(play))
    with pytest.raises(AttributeError):
        play.steps = ()  # type: ignore[misc]
    assert Play(play.steps) == play
    assert Play(np.array([[8, 5, 0], [6, 5, 1]])) == Play([(8, 5), (6, 5, True)])


@pytest.mark.parametrize(
    "steps",
    [
        [(5, 8)],
        [(5, 5)],
        [(26, 20)],
        [(25, 25)],
        [(0, -1)],
        [(6, -1)],
        [(6, 0, True)],
        [(8.0, 5)],
        [("8", "5")],
        [(8,)],
        [(8, 5, False, 1)],
        [8, 5],
        [(13, 7, True), (8, 7, True)],
        [None],
    ],
)
def test_impossible_steps_are_refused(steps):
    with pytest.raises(InvalidPlayError):
        Play(steps)


# ---- Plays ----


@pytest.mark.parametrize(("position_id", "dice", "_count", "texts"), rows("plays_gnubg.csv", ","))
def test_plays_are_printed_as_gnubg_prints_them(position_id, dice, _count, texts):
    plays = Board.from_position_id(position_id).legal_plays(dice)
    assert sorted(str(play) for play in plays) == sorted(texts.split(" | "))


@given(boards(), ROLLS)
def test_plays_lead_to_their_boards_and_are_found_by_text(board, dice):
    assume(board.phase is not Phase.OVER)
    plays = board.legal_plays(dice)
    assert len(plays) == len(plays.boards) >= 1
    assert len({row.tobytes() for row in plays.boards}) == len(plays)
    # the last ones and not all: a doublet can have hundreds
    for i, play in list(enumerate(plays))[-15:]:
        assert after_steps(board, play) == plays.boards[i].tolist()
        assert play in plays
        assert str(play) in plays
        assert plays.index(str(play)) == plays.index(play) == i
        assert plays.find(str(play)) == play
        assert board.after(play, dice).to_list() == plays.boards[i].tolist()
        assert plays.count(play) == 1


def fibs_step(start: int, to: int, rising: bool = False) -> str:
    """Write one step as FIBS does; rising for the player who goes from 1 to 24."""
    first = "bar" if start == 25 else str(25 - start if rising else start)
    return f"{first}-{'off' if to == 0 else 25 - to if rising else to}"


@given(boards(), ROLLS, st.randoms(use_true_random=False))
def test_texts_are_read_leniently(board: Board, dice: tuple[int, int], rng: random.Random):
    assume(board.phase is not Phase.OVER)
    plays = board.legal_plays(dice)
    assume(not plays.is_dance)
    play = rng.choice(plays)
    text = str(play)
    words = [f"{a}/{b}" for a, b, _ in play.steps]
    rng.shuffle(words)
    for variant in (
        text.upper(),
        text.replace("*", ""),
        text.replace(" ", ", "),
        text.replace(" ", ";"),
        text.replace("(", " ("),
        text.replace("/", " / "),
        text.replace("bar", "25").replace("off", "0"),
        text.replace("bar", "b").replace("off", "O"),
        f"  {text}\n",
        f"{text} .",
        " ".join(reversed(text.split())),
        # FIBS, for either direction
        text.replace("/", "-"),
        " ".join(fibs_step(a, b) for a, b, _ in play.steps),
        " ".join(fibs_step(a, b, rising=True) for a, b, _ in play.steps),
        # single steps in any order, all or none of them marked as hits
        " ".join(words),
        " ".join(word if word.endswith("/0") else word + "*" for word in words),
    ):
        assert plays.find(variant) == play, variant


@given(boards(), ROLLS)
def test_a_position_and_its_twin_have_the_same_plays(board, dice):
    # swapping sides twice must not change the numbering of the points
    assume(board.phase is not Phase.OVER)
    assert list(board.legal_plays(dice)) == list(board.swapped().swapped().legal_plays(dice))
    assert set(board.legal_plays(dice)) == set(board.legal_plays(dice[::-1]))


def test_a_checker_that_goes_all_the_way_in_dashes_is_no_rising_one():
    cells = [0] * 26
    cells[19], cells[24] = 1, -1
    assert str(Board(cells).legal_plays("55").find("19-off")) == "19/off"
    cells[19], cells[6] = 0, 1
    assert str(Board(cells).legal_plays("65").find("19-off")) == "6/off"


def test_opening_31():
    plays = Board.opening().legal_plays("31")
    assert len(plays) == 16
    assert str(plays.find("6/5 8/5")) == "8/5 6/5"
    assert "8/4" in plays
    assert plays.boards.shape == (16, 26)
    assert plays.boards.dtype == np.int8
    assert plays.dice == (3, 1)
    assert not plays.is_dance
    assert plays[-1] == plays[15] == list(plays)[15]
    assert plays[:2] == [plays[0], plays[1]]
    assert isinstance(plays, Plays)
    with pytest.raises(IndexError):
        plays[16]
    with pytest.raises(ValueError, match="read-only"):
        plays.boards[0, 0] = 1


def test_no_legal_play_is_one_empty_play():
    board = Board(cells_of("bar:1 6:2", "1:2 2:2 3:2 4:2 5:2 6:2 8:3"))
    plays = board.legal_plays("65")
    assert list(plays) == [Play()]
    assert plays.is_dance
    assert plays.boards.tolist() == [board.to_list()]
    for text in ("(no play)", "no play", "Cannot move", "PASS", Play()):
        assert text in plays
        assert plays.find(text) == Play()
        assert board.after(text, "65") == board
    for text in ("bar/20", "6/1", Play([(6, 1)])):
        assert text not in plays
        with pytest.raises(IllegalPlayError):
            plays.find(text)


@pytest.mark.parametrize(
    ("text", "play"),
    [
        # what FIBS sends: "gflohr moves 17-20 19-20 ."
        ("8-5 6-5 .", "8/5 6/5"),
        ("17-20 19-20", "8/5 6/5"),
        ("8/5, 6-5", "8/5 6/5"),
        ("24-21-20", "24/20"),
        ("1-4-5", "24/20"),
        ("13-10 6-5", "13/10 6/5"),
    ],
)
def test_plays_as_fibs_writes_them(text, play):
    assert str(Board.opening().legal_plays("31").find(text)) == play


@pytest.mark.parametrize("off", ["off", "OFF", "o", "0", "home", "h"])
@pytest.mark.parametrize("bar", ["bar", "Bar", "B", "25"])
def test_names_of_bar_and_off(bar, off):
    assert str(Board(cells_of("bar:1 13:1", "1:2")).legal_plays("51").find(f"{bar}-20 20-19"))
    assert str(Board(cells_of("6:2 1:1", "1:2")).legal_plays("61").find(f"6/{off} 1/{off}"))


def test_rising_numbers_need_dashes_and_every_move():
    plays = Board.opening().legal_plays("31")
    for text in ("17/20 19/20", "17-20 6-5", "17-20 19/20"):
        with pytest.raises(IllegalPlayError, match="does not go forward"):
            plays.find(text)


@pytest.mark.parametrize(
    "text",
    [
        "(no play)",
        "No play",
        "cannot move",
        "Can't move.",
        "no legal move",
        "PASS",
        "dances",
        "fan",
    ],
)
def test_usual_words_for_no_play(text):
    plays = Board(cells_of("bar:1 6:14", "6:2 5:2 4:2 3:2 2:2 1:2")).legal_plays("31")
    assert plays.find(text) == Play()


def test_playing_nothing_is_illegal_where_there_are_plays():
    plays = Board.opening().legal_plays("31")
    for play in ("(no play)", Play()):
        assert play not in plays
        with pytest.raises(IllegalPlayError):
            plays.find(play)


@pytest.mark.parametrize(
    "text",
    [
        "8/4/5 6/5",
        "8/5",
        "8/5 6/5 24/23",
        "8/5(2)",
        "5/8 5/6",
        "8/8 6/2",
        "7/4 6/5",
        "24/20*/19",
        "8/5 6/4",
        "24/19 6/5",
        "bar/24 8/5",
        "6/off",
        "24/23 6/3 8/8",
        "13/9 8/8",
        # the right checkers in three moves
        "8/6 6/5 6/5",
    ],
)
def test_illegal_plays_are_refused(text):
    board = Board.opening()
    plays = board.legal_plays("31")
    assert text not in plays
    with pytest.raises(IllegalPlayError):
        plays.find(text)
    with pytest.raises(IllegalPlayError):
        board.after(text, "31")


@pytest.mark.parametrize(
    "text",
    [
        "",
        " ",
        "8",
        "8/",
        "/5",
        "8//5",
        "8-5 6",
        "8-5-",
        "-8/5",
        "25-3 0-3",
        "8/5 6",
        "8/5 x",
        "x/5",
        "26/25",
        "99/1",
        "8/bar",
        "8/25",
        "off/3",
        "0/3",
        "8/off/3",
        "8*/5",
        "8/5(0)",
        "8/5()",
        "8/5(-1)",
        "8/5(5)",
        "8/5(2)(2)",
        "8/5 (2",
        "100/99",
        "8/5**",
        "\u0668/5",
        "8/5 6/5 8/5 6/5 8/5",
        None,
        85,
        b"8/5 6/5",
        ["8/5", "6/5"],
    ],
)
def test_texts_that_cannot_be_read_are_refused(text):
    plays = Board.opening().legal_plays("31")
    assert text not in plays
    with pytest.raises(InvalidPlayError):
        plays.find(text)


@given(st.text(alphabet="0123456789/*() ,barofx-", max_size=25))
def test_any_text_is_read_or_refused(text):
    plays = Board.opening().legal_plays("31")
    try:
        assert plays.find(text) in plays
    except (InvalidPlayError, IllegalPlayError):
        assert text not in plays


def test_a_touch_down_that_is_left_out_is_without_a_hit_if_it_can_be():
    # 24/13 with 6-5: over 18 (a blot) or over 19 (empty)
    board = Board(cells_of("24:2 6:3", "7:1 2:2"))
    plays = board.legal_plays("65")
    assert str(plays.find("24/13")) == "24/13"
    assert str(plays.find("24/19/13")) == "24/13"
    assert str(plays.find("24/18/13")) == "24/18*/13"
    assert str(plays.find("24/18 18/13")) == "24/18*/13"
    assert str(plays.find("24/18*/13*")) == "24/18*/13"
    assert board.after("24/13", "65") != board.after("24/18/13", "65")


def test_a_touch_down_that_is_left_out_is_a_hit_if_it_must_be():
    board = Board(cells_of("24:2 6:3", "7:1 6:2 2:2"))
    assert str(board.legal_plays("65").find("24/13")) == "24/18*/13"


def test_two_ways_that_both_hit_are_ambiguous():
    board = Board(cells_of("24:2 6:3", "7:1 6:1 2:2"))
    plays = board.legal_plays("65")
    with pytest.raises(AmbiguousPlayError, match=r"24/18\*/13") as caught:
        plays.find("24/13")
    assert "24/19*/13" in str(caught.value)
    assert "24/13" not in plays
    assert str(plays.find("24/18/13")) == "24/18*/13"
    assert str(plays.find("24/19/13")) == "24/19*/13"


def test_a_named_touch_down_must_be_open():
    board = Board(cells_of("24:2 6:3", "7:2 2:2"))
    plays = board.legal_plays("65")
    assert "24/13" in plays
    assert "24/19/13" in plays
    with pytest.raises(IllegalPlayError, match="holds point 18"):
        plays.find("24/18/13")


def test_one_checker_or_two_where_the_board_is_the_same():
    # 7/5 5/2 with a checker that stood on 5 is the same board as 7/2
    board = Board(cells_of("7:1 5:1 3:1", "6:2"))
    plays = board.legal_plays("32")
    assert plays.find("7/5 5/2") == plays.find("7/2") == plays.find("7/4/2")


def test_a_play_object_with_wrong_steps_is_not_legal():
    board = Board(cells_of("24:2 6:3", "7:1 2:2"))
    plays = board.legal_plays("65")
    assert Play([(24, 18, True), (18, 13)]) in plays
    for steps in (
        [(24, 18), (18, 13)],
        [(24, 13)],
        [(24, 19), (19, 13, True)],
        [(24, 18, True)],
        [(24, 18, True), (18, 13), (6, 5)],
    ):
        assert Play(steps) not in plays
        with pytest.raises(IllegalPlayError):
            plays.find(Play(steps))


def test_index_looks_between_start_and_stop():
    plays = Board.opening().legal_plays("31")
    i = plays.index("8/5 6/5")
    assert plays.index("8/5 6/5", i) == plays.index("8/5 6/5", 0, i + 1) == i
    with pytest.raises(IllegalPlayError):
        plays.index("8/5 6/5", i + 1)


def test_after_keeps_the_view_of_the_mover():
    board = Board(cells_of("24:2 6:3", "7:1 2:2"))
    after = board.after("24/18*/13", (6, 5))
    assert after.to_list() == cells_of("24:1 13:1 6:3", "bar:1 2:2")
    assert after.swapped().bar == 1
    assert type(after) is Board


def test_after_keeps_the_number_of_checkers():
    board = Board(cells_of("24:1 23:1 22:1", "24:1 23:1 22:1"), n_checkers=3)
    after = board.after("24/18 23/18", "65")
    assert after.n_checkers == 3
    assert (after.off, after.opponent_off) == (0, 0)


def test_last_checker_hits_on_its_way_off():
    board = Board(cells_of("3:1", "23:1 1:2"))
    plays = board.legal_plays("31")
    assert [str(play) for play in plays] == ["3/2*/off"]
    assert board.after("3/off", "31").phase is Phase.OVER


def test_a_finished_game_has_no_plays():
    for cells in (cells_of("", "24:1"), cells_of("24:1", "")):
        with pytest.raises(BoardError, match="over"):
            Board(cells).legal_plays("31")
        with pytest.raises(BoardError, match="over"):
            Board(cells).after("8/5 6/5", "31")


def test_an_impossible_board_has_no_plays():
    with pytest.raises(BoardError, match="too many"):
        Board(cells_of("24:16", "2:1"), check=False).legal_plays("31")
    with pytest.raises(BoardError, match="too many"):
        Board(cells_of("24:4", "2:1"), n_checkers=3, check=False).legal_plays("31")


@pytest.mark.parametrize("dice", ["", "70", (0, 1), (1, 2, 3), None, 31])
def test_bad_dice_are_refused(dice):
    with pytest.raises(DiceError):
        Board.opening().legal_plays(dice)
    with pytest.raises(DiceError):
        Board.opening().after("8/5 6/5", dice)


@pytest.mark.parametrize("copied", [lambda x: pickle.loads(pickle.dumps(x)), copy.deepcopy])
def test_copies_of_plays_are_as_read_only_as_the_original(copied):
    plays = copied(Board.opening().legal_plays("31"))
    assert list(plays) == list(Board.opening().legal_plays("31"))
    assert plays.dice == (3, 1)
    assert not plays.boards.flags.writeable


@pytest.mark.parametrize("steps", [5, None, "8/5 6/5", 3.5])
def test_what_is_no_list_of_steps_is_no_play(steps):
    with pytest.raises(InvalidPlayError, match="a play is made of steps"):
        Play(steps)


@pytest.mark.parametrize("cells", [None, "4HPwATDgc/ABMA", Board.opening().to_array()])
def test_plays_are_those_of_a_board(cells):
    with pytest.raises(BoardError, match="plays are those of a Board"):
        Plays(cells, "31")


def test_one_die_is_not_called_dice():
    # one checker left of 2, on the 2: any 6-5 plays one die
    last = Board(cells_of("2:1", "24:3"))
    with pytest.raises(IllegalPlayError, match="1 die must be played"):
        last.legal_plays("65").find(Play([(2, 1), (1, 0)]))
