"""Bad input to the functions about legal plays is refused with a message that says what is wrong."""

import numpy as np
import oracle
import pytest

from bgcore._core import movegen
from bgcore.errors import (
    BgcoreError,
    BoardError,
    DiceError,
    IllegalPlayError,
    OutputBufferError,
)

OPENING = np.array(oracle.parse_position_id("4HPwATDgc/ABMA"), dtype=np.int8)
TWO = np.stack([OPENING, OPENING])


def board(text):
    return np.array(oracle.parse_board(text), dtype=np.int8)


# ---- dice ----


@pytest.mark.parametrize(
    "die",
    [0, 7, -1, 256, 2**70, True, False, 1.0, 2.5, float("nan"), "1", None, np.float32(1), [1]],
)
@pytest.mark.parametrize("place", [0, 1])
def test_die_that_is_no_whole_number_from_one_to_six(die, place):
    dice = [3, 1]
    dice[place] = die
    for function in (movegen.legal_boards, movegen.legal_plays):
        with pytest.raises(DiceError, match="whole number from 1 to 6"):
            function(OPENING, *dice)
    with pytest.raises(DiceError, match="whole number from 1 to 6"):
        movegen.next_steps(OPENING, dice)
    with pytest.raises(DiceError, match="whole number from 1 to 6"):
        movegen.apply_step(OPENING, 6, die)


def test_numpy_integers_are_dice():
    found = movegen.legal_boards(OPENING, np.uint8(3), np.int64(1))
    assert len(found) == 16


@pytest.mark.parametrize(
    ("dice", "message"),
    [
        (np.array([[3, 1]]), "shape"),
        (np.array([[3, 1, 1], [3, 1, 1]]), "shape"),
        (np.array([3, 1]), "shape"),
        (np.array([[3, 1], [0, 1]]), "row 1"),
        (np.array([[3, 1], [7, 1]]), "row 1"),
        (np.array([[257, 1], [3, 1]]), "row 0"),
        (np.array([[-255, 1], [3, 1]]), "row 0"),
        (np.array([[3.0, 1.0], [3.0, 1.0]]), "dtype"),
        (np.array([[np.nan, 1.0], [3.0, 1.0]]), "dtype"),
        (np.array([[True, True], [True, True]]), "dtype"),
        (np.array([["3", "1"], ["3", "1"]]), "dtype"),
        (None, "dice"),
        ([[3, 1], [3]], "dice"),
        ("31", "shape"),
    ],
)
def test_wrong_dice_of_a_batch(dice, message):
    with pytest.raises(DiceError, match=message):
        movegen.legal_boards_batch(TWO, dice)


@pytest.mark.parametrize("dice_left", [[1, 1, 1, 1, 1], [1, 2, 3], [1, 1, 2], [3, 3, 3, 1]])
def test_dice_left_that_no_roll_leaves(dice_left):
    with pytest.raises(DiceError, match="left"):
        movegen.next_steps(OPENING, dice_left)


@pytest.mark.parametrize("dice_left", [3, None])
def test_dice_left_that_are_no_sequence(dice_left):
    with pytest.raises(DiceError, match="dice left"):
        movegen.next_steps(OPENING, dice_left)


# ---- boards ----

SIXTEEN = board("24:2 13:5 8:3 6:6 / 1:2 12:5 17:3 19:5")
CLOSED_OUT = board("bar:1 6:2 5:2 4:2 3:2 2:2 1:2 / bar:1 24:2 23:2 22:2 21:2 20:2 19:2")
WRAPPED = np.array([-1] + [11] * 24 + [1], dtype=np.int8)  # 265 own checkers: 15 - 265 is 6 mod 256
WRAPPED_OPPONENT = np.array([-1] + [-11] * 23 + [-11, 15], dtype=np.int8)

IMPOSSIBLE = {
    "sixteen own checkers": (SIXTEEN, "too many checkers of the player on roll"),
    "sixteen opposing checkers": (
        board("24:2 13:5 8:3 6:5 / 1:2 12:5 17:3 19:6"),
        "too many checkers of the opponent",
    ),
    "so many own checkers that a byte wraps": (WRAPPED, "too many checkers of the player on roll"),
    "so many opposing checkers that a byte wraps": (
        WRAPPED_OPPONENT,
        "too many checkers of the opponent",
    ),
    "as many as bytes can hold": (np.full(26, 127, dtype=np.int8), "too many checkers"),
    "as many opposing ones": (np.full(26, -128, dtype=np.int8), "too many checkers"),
    "both closed out on the bar": (CLOSED_OUT, "behind closed boards"),
    "an opposing checker on the own bar": (board("6:2 / bar:1 25:1"), "index 25"),
    "an own checker on the opposing bar": (
        np.array([1, *OPENING[1:6], 4, *OPENING[7:]], dtype=np.int8),
        "index 0",
    ),
    "won": (board("/ 1:2"), "end of a game"),
    "lost": (board("1:2 /"), "end of a game"),
    "empty": (np.zeros(26, dtype=np.int8), "borne everything off"),
}


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_board_on_which_nobody_can_play(name):
    bad, message = IMPOSSIBLE[name]
    for call in (
        lambda: movegen.legal_boards(bad, 3, 1),
        lambda: movegen.legal_boards(bad, 1, 1),
        lambda: movegen.legal_plays(bad, 3, 1),
        lambda: movegen.legal_boards_batch(bad[None], [[1, 1]]),
        lambda: movegen.legal_boards_all_rolls(bad[None]),
        lambda: movegen.count_plays(bad[None]),
        lambda: movegen.perft(bad, 1),
        lambda: movegen.apply_step(bad, 6, 1),
    ):
        with pytest.raises(BoardError, match=message):
            call()
    if name != "won":  # next_steps may be asked after the last step
        with pytest.raises(BoardError, match=message):
            movegen.next_steps(bad, [3, 1])


@pytest.mark.parametrize("name", IMPOSSIBLE)
def test_batch_names_the_row_of_a_bad_board(name):
    rows = np.stack([OPENING, OPENING, IMPOSSIBLE[name][0], OPENING])
    for call in (
        lambda: movegen.legal_boards_all_rolls(rows),
        lambda: movegen.legal_boards_batch(rows, [[1, 1]] * 4),
    ):
        with pytest.raises(BoardError, match=r"\b2\b"):
            call()


@pytest.mark.parametrize(
    "bad",
    [
        OPENING[:25],
        np.zeros(27, dtype=np.int8),
        OPENING[None],
        OPENING.reshape(2, 13),
        np.array(5, dtype=np.int8),
        [],
        None,
        "4HPwATDgc/ABMA",
        7,
        OPENING.astype(complex),
        OPENING.astype(bool),
        OPENING.astype(object),
        OPENING.astype("U2"),
        np.where(OPENING == 2, np.nan, OPENING),
        OPENING + 0.5,
        np.where(OPENING == 2, np.inf, OPENING),
        OPENING.astype(np.int64) + 256,
        [[1, 2], [3]],
        {"6": 5},
    ],
    ids=repr,
)
def test_what_is_no_board_at_all(bad):
    for call in (
        lambda: movegen.legal_boards(bad, 3, 1),
        lambda: movegen.legal_plays(bad, 3, 1),
        lambda: movegen.next_steps(bad, [3, 1]),
        lambda: movegen.apply_step(bad, 6, 1),
        lambda: movegen.perft(bad, 1),
    ):
        with pytest.raises(BoardError):
            call()


@pytest.mark.parametrize(
    "bad",
    [
        OPENING,
        np.zeros((2, 25), dtype=np.int8),
        np.zeros((26, 2), dtype=np.int8).T[:, :25],
        np.zeros((1, 2, 26), dtype=np.int8),
        np.where(TWO == 2, np.nan, TWO),
        TWO * 0.3,
        TWO.astype(bool),
        TWO.astype(object),
        None,
        [],
        [[0] * 26, [0] * 25],
        [[300] * 26],
    ],
    ids=repr,
)
def test_what_is_no_batch_of_boards(bad):
    for call in (
        lambda: movegen.legal_boards_all_rolls(bad),
        lambda: movegen.legal_boards_batch(bad, [[3, 1], [3, 1]]),
        lambda: movegen.count_plays(bad),
    ):
        with pytest.raises(BoardError):
            call()


@pytest.mark.parametrize(
    "same",
    [
        TWO.astype(np.int64),
        TWO.astype(">i4"),
        TWO.astype(np.float32),
        np.asfortranarray(TWO),
        np.repeat(TWO, 2, axis=0)[::2],
        np.repeat(TWO, 2, axis=1)[:, ::2],
        TWO[:, ::-1].copy()[:, ::-1],
        TWO.tolist(),
        tuple(map(tuple, TWO.tolist())),
        [OPENING, OPENING],
    ],
    ids=["int64", "big-endian", "float", "Fortran", "rows", "columns", "backwards", "lists",
         "tuples", "list of arrays"],
)  # fmt: skip
def test_other_forms_of_the_same_boards_give_the_same_plays(same):
    after, offsets = movegen.legal_boards_all_rolls(TWO)
    other_after, other_offsets = movegen.legal_boards_all_rolls(same)
    assert np.array_equal(after, other_after)
    assert np.array_equal(offsets, other_offsets)


def test_read_only_boards_are_read():
    frozen = TWO.copy()
    frozen.flags.writeable = False
    assert movegen.count_plays(frozen).sum() == 2 * 447


def test_no_boards_give_no_plays():
    none = np.zeros((0, 26), dtype=np.int8)
    after, offsets = movegen.legal_boards_all_rolls(none)
    assert after.shape == (0, 26)
    assert offsets.tolist() == [0]
    after, offsets = movegen.legal_boards_batch(none, np.zeros((0, 2), dtype=np.uint8))
    assert after.shape == (0, 26)
    assert offsets.tolist() == [0]
    assert movegen.count_plays(none).shape == (0, 21)


# ---- buffers ----


def read_only(array):
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    ("out", "message"),
    [
        (np.zeros((893, 26), dtype=np.int8), "too little"),
        (np.zeros((0, 26), dtype=np.int8), "too little"),
        (np.zeros((9000, 25), dtype=np.int8), "shape"),
        (np.zeros((9000, 32), dtype=np.int8), "shape"),
        (np.zeros(9000 * 26, dtype=np.int8), "shape"),
        (np.zeros((9000, 26), dtype=np.uint8), "dtype"),
        (np.zeros((9000, 26), dtype=np.int16), "dtype"),
        (np.zeros((9000, 26), dtype=np.float32), "dtype"),
        (np.zeros((9000, 26), dtype=bool), "dtype"),
        (np.zeros((26, 9000), dtype=np.int8).T, "C-contiguous"),
        (np.zeros((18000, 26), dtype=np.int8)[::2], "C-contiguous"),
        (np.zeros((9000, 52), dtype=np.int8)[:, :26], "C-contiguous"),
        (read_only(np.zeros((9000, 26), dtype=np.int8)), "writeable"),
        (bytearray(9000 * 26), "numpy array"),
        ([], "numpy array"),
    ],
)
def test_wrong_buffer_for_boards(out, message):
    with pytest.raises(OutputBufferError, match=message):
        movegen.legal_boards_all_rolls(TWO, out=out)


@pytest.mark.parametrize(
    ("offsets", "message"),
    [
        (np.zeros(42, dtype=np.int64), "shape"),
        (np.zeros(44, dtype=np.int64), "shape"),
        (np.zeros((43, 1), dtype=np.int64), "shape"),
        (np.zeros(43, dtype=np.int32), "dtype"),
        (np.zeros(43, dtype=np.uint64), "dtype"),
        (np.zeros(43, dtype=">i8"), "dtype"),
        (np.zeros(86, dtype=np.int64)[::2], "C-contiguous"),
        (read_only(np.zeros(43, dtype=np.int64)), "writeable"),
        ([0] * 43, "numpy array"),
    ],
)
def test_wrong_buffer_for_offsets(offsets, message):
    with pytest.raises(OutputBufferError, match=message):
        movegen.legal_boards_all_rolls(TWO, offsets=offsets)


def test_buffer_may_be_exactly_large_enough():
    expected, expected_offsets = movegen.legal_boards_all_rolls(TWO)
    whole = np.full((894 + 200, 26), 99, dtype=np.int8)
    offsets = np.zeros(43, dtype=np.int64)
    after, same = movegen.legal_boards_all_rolls(TWO, out=whole[100:994], offsets=offsets)
    assert np.array_equal(after, expected)
    assert np.array_equal(offsets, expected_offsets)
    assert same is offsets
    assert np.shares_memory(after, whole)
    # Nothing was written before or behind the buffer.
    assert (whole[:100] == 99).all()
    assert (whole[994:] == 99).all()


@pytest.mark.parametrize("room", [894, 895, 3000, 4774, 5000])
def test_buffer_of_any_sufficient_size_gives_the_same_boards(room):
    expected, _ = movegen.legal_boards_all_rolls(TWO)
    whole = np.full((room + 200, 26), 99, dtype=np.int8)
    after, _ = movegen.legal_boards_all_rolls(TWO, out=whole[:room])
    assert np.array_equal(after, expected)
    assert (whole[room:] == 99).all()


def test_buffer_may_not_overlap_another_argument():
    memory = np.zeros((9000, 26), dtype=np.int8)
    memory[:2] = TWO
    with pytest.raises(OutputBufferError, match="shares memory"):
        movegen.legal_boards_all_rolls(memory[:2], out=memory[1:])
    with pytest.raises(OutputBufferError, match="shares memory"):
        movegen.legal_boards_all_rolls(memory[:2], out=memory)
    raw = np.zeros(9000 * 26, dtype=np.int8)
    out = raw.reshape(9000, 26)
    offsets = raw[: 43 * 8].view(np.int64)
    with pytest.raises(OutputBufferError, match="shares memory"):
        movegen.legal_boards_all_rolls(TWO, out=out, offsets=offsets)
    boards_as_offsets = np.zeros(43, dtype=np.int64)
    boards = boards_as_offsets.view(np.int8)[:52].reshape(2, 26)
    boards[:] = TWO
    with pytest.raises(OutputBufferError, match="shares memory"):
        movegen.legal_boards_all_rolls(boards, offsets=boards_as_offsets)
    dice = np.ones((20, 26), dtype=np.uint8)
    with pytest.raises(OutputBufferError, match="shares memory"):
        movegen.legal_boards_batch(
            np.repeat(TWO, 130, axis=0), dice.reshape(260, 2), out=dice.view(np.int8)
        )


def test_refused_call_leaves_the_input_as_it_was():
    rows = np.stack([OPENING, SIXTEEN])
    before = rows.copy()
    with pytest.raises(BoardError):
        movegen.legal_boards_all_rolls(rows)
    assert np.array_equal(rows, before)


# ---- steps ----


@pytest.mark.parametrize("start", [0, 26, -1, 7, 1, 12, 24.0, True, None, "6", 2**70])
def test_step_from_where_no_checker_of_the_player_can_go(start):
    # 7 is empty, 1 and 12 are the opponent's.
    with pytest.raises(IllegalPlayError, match="step"):
        movegen.apply_step(OPENING, start, 1)


def test_step_to_a_point_of_the_opponent():
    with pytest.raises(IllegalPlayError, match="24"):
        movegen.apply_step(OPENING, 24, 5)
    with pytest.raises(IllegalPlayError, match="6"):
        movegen.apply_step(OPENING, 6, 6)


@pytest.mark.parametrize("depth", [-1, 9, 1.0, True, None, "2", 2**70])
def test_perft_to_no_sensible_depth(depth):
    with pytest.raises(BgcoreError, match="depth"):
        movegen.perft(OPENING, depth)
