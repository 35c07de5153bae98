"""The board as numbers: arrays in and out, counts, status, shots."""

import copy
import pickle

import numpy as np
import pytest
from boards import boards, cells_of
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import bgcore
from bgcore import Board, Phase, Status
from bgcore._core.board import BoardBase
from bgcore.errors import BoardError

OPENING = [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0]
ASYMMETRIC = cells_of("bar:1 24:2 13:4 6:5 4:2 1:1", "22:1 17:1 13:4 10:1 8:2 6:2 5:2 3:2")


# ---- construction ----


def test_opening_is_the_usual_set_up():
    assert Board.opening().to_list() == OPENING
    assert cells_of("24:2 13:5 8:3 6:5", "24:2 13:5 8:3 6:5") == OPENING


@pytest.mark.parametrize(
    "form",
    [
        tuple,
        np.array,
        lambda cells: np.array(cells, dtype=np.float64),
        lambda cells: np.array(cells, dtype=">i4"),
        lambda cells: np.array(cells * 2, dtype=np.int16).reshape(2, 26).T.ravel()[::2],
        Board,
        BoardBase,
    ],
)
def test_board_is_made_from_anything_that_holds_the_26_numbers_exactly(form):
    assert Board(form(ASYMMETRIC)).to_list() == ASYMMETRIC


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        ([0] * 25, "shape"),
        (np.zeros((1, 26)), "shape"),
        (5, "shape"),
        ([0.5] + [0] * 25, "0.5 at index 0"),
        ([0] * 25 + [float("nan")], "nan at index 25"),
        ([0] * 25 + [float("inf")], "inf at index 25"),
        ([0] * 6 + [300] + [0] * 19, "300 at index 6"),
        ([None] * 26, "dtype object"),
        (["1"] * 26, "dtype"),
        ([True] * 26, "dtype bool"),
        ([1j] * 26, "dtype complex"),
        ("4HPwATDgc/ABMA", "dtype"),
        ([[1], [1, 2]], "cannot be read"),
        ([10**30] * 26, "dtype object"),
        (np.ma.masked_equal(OPENING, 5), "masked"),
    ],
)
def test_board_refuses_what_is_not_26_whole_numbers(cells, words):
    with pytest.raises(BoardError, match=words):
        Board(cells)


@pytest.mark.parametrize("number", [0, 16, -1, True, 3.0, "15", None])
def test_number_of_checkers_is_from_1_to_15(number):
    with pytest.raises(BoardError, match="n_checkers"):
        Board(OPENING, n_checkers=number)


def test_missing_checkers_are_borne_off():
    board = Board(cells_of("6:3 bar:1", "24:2"))
    assert (board.off, board.opponent_off, board.bar, board.opponent_bar) == (11, 13, 1, 0)
    small = Board(cells_of("6:1", "24:2 bar:1"), n_checkers=3)
    assert (small.off, small.opponent_off, small.bar, small.opponent_bar) == (2, 0, 0, 1)
    assert small != Board(small.to_list())


def test_boards_of_different_rules_differ_even_where_nothing_can_be_off():
    cells = cells_of("6:4", "6:4")
    assert Board(cells, n_checkers=3, check=False) != Board(cells, n_checkers=2, check=False)


# ---- status ----

CLOSED = "1:2 2:2 3:2 4:2 5:2 6:2 bar:1"
IMPOSSIBLE = [
    (cells_of("6:16", "1:1"), Status.TOO_MANY),
    (cells_of("6:1", "1:16"), Status.OPPONENT_TOO_MANY),
    ([0] * 25 + [-1], Status.BAR_SIGN),
    ([1] + [0] * 25, Status.OPPONENT_BAR_SIGN),
    ([0] * 26, Status.BOTH_OFF),
    (cells_of(CLOSED, CLOSED), Status.BOTH_CLOSED_OUT),
    (
        [3] + [0] * 9 + [14] + [0] * 14 + [-17],
        Status.TOO_MANY | Status.OPPONENT_TOO_MANY | Status.BAR_SIGN | Status.OPPONENT_BAR_SIGN,
    ),
    ([127] * 26, Status.TOO_MANY | Status.OPPONENT_BAR_SIGN),
    ([-128] * 26, Status.OPPONENT_TOO_MANY | Status.BAR_SIGN),
]


@pytest.mark.parametrize(("cells", "status"), IMPOSSIBLE)
def test_status_names_everything_that_is_wrong(cells, status):
    board = Board(cells, check=False)
    assert board.status() == status
    assert not board.is_valid()
    assert bgcore.statuses([cells]).tolist() == [int(status)]
    with pytest.raises(BoardError) as caught:
        Board(cells)
    for flag in status:
        assert flag.explain() in str(caught.value)
    with pytest.raises(BoardError):
        _ = board.position_id
    with pytest.raises(BoardError):
        _ = board.xgid_board
    with pytest.raises(BoardError):
        board.shots()


def test_status_of_possible_boards_is_empty():
    # one side behind a closed board is possible, and so is a finished game
    for cells in (OPENING, ASYMMETRIC, cells_of(CLOSED, "bar:1"), cells_of("", "1:1")):
        assert Board(cells).status() == Status.VALID
        assert Board(cells).status().explain() == "nothing is wrong"


def test_on_the_bar_behind_five_points_is_possible():
    five = "1:2 2:2 3:2 4:2 5:2 6:1 bar:1"
    assert Board(cells_of(CLOSED, five)).is_valid()
    assert Board(cells_of(five, CLOSED)).is_valid()


def test_more_checkers_than_a_variant_has_are_refused():
    with pytest.raises(BoardError, match="too many checkers of the opponent"):
        Board(cells_of("6:3", "6:4"), n_checkers=3)


# ---- arrays ----


def some_boards(n: int) -> np.ndarray:
    return np.array([ASYMMETRIC if i % 2 else OPENING for i in range(n)], dtype=np.int8)


def test_an_array_in_the_right_form_is_not_copied():
    array = some_boards(3)
    assert bgcore.as_boards(array) is array
    array.flags.writeable = False
    assert bgcore.as_boards(array) is array


@pytest.mark.parametrize(
    "convert",
    [
        lambda a: a.astype(np.int64),
        lambda a: a.astype(np.float64),
        lambda a: a.astype(np.float16),
        lambda a: a.astype(">i2"),
        lambda a: a.astype(">f8"),
        np.asfortranarray,
        lambda a: np.repeat(a, 2, axis=0)[::2],
        lambda a: np.repeat(a, 2, axis=1)[:, ::2],
        lambda a: a[::-1][::-1],
        lambda a: a.tolist(),
        lambda a: [Board(row) for row in a],
        lambda a: a.astype(np.int32)[:, ::-1][:, ::-1],
    ],
)
def test_other_forms_are_converted_exactly(convert):
    array = some_boards(4)
    result = bgcore.as_boards(convert(array))
    assert result.dtype == np.int8
    assert result.flags.c_contiguous
    assert np.array_equal(result, array)


def test_unsigned_cells_are_converted_where_they_fit():
    array = np.zeros((2, 26), dtype=np.uint8)
    array[1, 6] = 127
    assert bgcore.as_boards(array)[1, 6] == 127
    array[1, 6] = 255
    with pytest.raises(BoardError, match="255 at row 1, index 6"):
        bgcore.as_boards(array)


def with_cell(value, dtype) -> np.ndarray:
    array = some_boards(5).astype(dtype)
    array[3, 7] = value
    return array


@pytest.mark.parametrize(
    ("array", "words"),
    [
        (with_cell(np.nan, np.float64), "nan at row 3, index 7"),
        (with_cell(np.inf, np.float32), "inf at row 3, index 7"),
        (with_cell(0.5, np.float64), "0.5 at row 3, index 7"),
        (with_cell(300, np.int16), "300 at row 3, index 7"),
        (with_cell(-129, np.int64), "-129 at row 3, index 7"),
        (with_cell(2**63, np.float64), "at row 3, index 7"),
        (some_boards(2).astype(object), "dtype object"),
        (some_boards(2).astype(bool), "dtype bool"),
        (some_boards(2).astype(str), "dtype"),
        (some_boards(2).astype(complex), "dtype complex"),
        (np.zeros((2, 25), np.int8), "26"),
        (np.zeros((2, 27), np.int8), "26"),
        (np.zeros(26, np.int8), r"\(N, 26\)"),
        (np.zeros((1, 1, 26), np.int8), r"\(N, 26\)"),
        (np.int8(3), "shape"),
        ([], "shape"),
        (None, "dtype object"),
        ("boards", "dtype"),
        (np.zeros(3, dtype=[("a", "i1", 26)]), "dtype"),
        (np.ma.masked_array(some_boards(2), mask=True), "masked"),
    ],
)
def test_what_is_no_array_of_boards_is_refused_by_every_batch_function(array, words):
    for function in (
        bgcore.as_boards,
        bgcore.check_boards,
        bgcore.swap_boards,
        bgcore.pips,
        bgcore.phases,
        bgcore.statuses,
        bgcore.values,
        bgcore.position_ids,
    ):
        with pytest.raises(BoardError, match=words):
            function(array)


def test_no_boards_give_no_results():
    empty = np.zeros((0, 26), dtype=np.int8)
    assert bgcore.as_boards(np.zeros((0, 26))).shape == (0, 26)
    assert bgcore.check_boards(empty) is empty
    assert bgcore.swap_boards(empty).shape == (0, 26)
    assert bgcore.pips(empty).shape == (0, 2)
    for function in (bgcore.phases, bgcore.statuses, bgcore.values):
        assert function(empty).shape == (0,)
    assert bgcore.position_ids(empty) == []


def test_check_boards_names_the_first_impossible_row_and_everything_wrong_with_it():
    array = some_boards(6)
    assert bgcore.check_boards(array) is array
    array[2, 0] = 1
    array[2, 25] = -1
    array[4] = 0
    with pytest.raises(BoardError) as caught:
        bgcore.check_boards(array, name="parents")
    message = str(caught.value)
    assert message.startswith("parents, row 2: ")
    assert Status.BAR_SIGN.explain() in message
    assert Status.OPPONENT_BAR_SIGN.explain() in message
    assert Status.BOTH_OFF.explain() not in message


def test_batch_functions_leave_their_input_alone_and_return_new_arrays():
    array = some_boards(3)
    before = array.copy()
    swapped = bgcore.swap_boards(array)
    assert not np.shares_memory(swapped, array)
    assert np.array_equal(array, before)


@given(st.lists(boards(), max_size=5))
def test_batch_numbers_are_those_of_single_boards(many):
    array = np.array([board.to_list() for board in many], dtype=np.int8).reshape(-1, 26)
    assert bgcore.pips(array).tolist() == [[b.pips, b.opponent_pips] for b in many]
    assert bgcore.phases(array).tolist() == [b.phase for b in many]
    assert bgcore.values(array).tolist() == [b.value for b in many]
    assert bgcore.swap_boards(array).tolist() == [b.swapped().to_list() for b in many]
    assert bgcore.position_ids(array) == [b.position_id for b in many]
    assert bgcore.boards_from_position_ids(bgcore.position_ids(array)).tolist() == array.tolist()


# ---- as a Python value ----


def test_numpy_sees_a_read_only_view():
    board = Board(ASYMMETRIC)
    view = np.asarray(board)
    assert view.shape == (26,)
    assert view.dtype == np.int8
    assert view.tolist() == ASYMMETRIC
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 1
    with pytest.raises(ValueError, match="WRITEABLE"):
        view.flags.writeable = True
    copied = board.to_array()
    copied[0] = -1
    assert board.to_list() == ASYMMETRIC
    del board
    assert view.tolist() == ASYMMETRIC


def test_a_view_keeps_the_board_alive_and_shows_its_form():
    view = memoryview(Board(ASYMMETRIC))
    assert (view.format, view.shape, view.strides, view.readonly) == ("b", (26,), (1,), True)
    assert view.tolist() == ASYMMETRIC


def test_a_board_cannot_be_changed():
    board = Board(ASYMMETRIC)
    with pytest.raises(TypeError):
        board[0] = 1  # type: ignore[index]
    for name in ("n_checkers", "pips", "anything"):
        with pytest.raises(AttributeError):
            setattr(board, name, 1)


def test_cells_are_reached_by_index():
    board = Board(ASYMMETRIC)
    assert [board[i] for i in range(26)] == ASYMMETRIC == list(board)
    assert len(board) == 26
    assert board[np.int64(25)] == 1
    for index in (-1, 26):
        with pytest.raises(IndexError):
            board[index]
    with pytest.raises(TypeError):
        board[1.0]  # type: ignore[index]


def test_equal_boards_have_equal_hashes():
    a, b = Board(ASYMMETRIC), Board(np.array(ASYMMETRIC))
    assert a == b
    assert hash(a) == hash(b)
    assert len({a, b, a.swapped()}) == 2
    assert a != a.swapped()
    assert a != ASYMMETRIC
    assert (a == "board") is False


@given(boards())
def test_copies_and_pickles_are_equal(board):
    assert copy.copy(board) == board == copy.deepcopy(board)
    for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
        restored = pickle.loads(pickle.dumps(board, protocol))
        assert type(restored) is Board
        assert restored == board
        assert (restored.off, restored.opponent_off) == (board.off, board.opponent_off)


@pytest.mark.parametrize("cells", [case[0] for case in IMPOSSIBLE])
def test_impossible_boards_are_pickled_and_shown_too(cells):
    board = Board(cells, check=False)
    assert pickle.loads(pickle.dumps(board)) == board
    assert eval(repr(board)) == board


@given(boards())
def test_repr_round_trips(board):
    assert eval(repr(board)) == board


@given(boards(n_checkers=3))
def test_repr_round_trips_with_three_checkers(board):
    assert eval(repr(board)) == board
    assert pickle.loads(pickle.dumps(board)) == board


def test_repr_is_the_position_id():
    assert repr(Board(ASYMMETRIC)) == "Board.from_position_id('zGbiIQgxH/AAWA')"


# ---- sides ----


@given(boards())
def test_swapping_twice_gives_the_same_board(board):
    other = board.swapped()
    assert other.swapped() == board
    assert (other.pips, other.opponent_pips) == (board.opponent_pips, board.pips)
    assert (other.off, other.opponent_off) == (board.opponent_off, board.off)
    assert (other.bar, other.opponent_bar) == (board.opponent_bar, board.bar)
    assert other.phase == board.phase
    assert other.value == -board.value
    assert other.is_valid()
    assert tuple(25 - p for p in reversed(other.blots)) == board.opponent_blots


def test_swapped_counts_the_points_from_the_other_side():
    board = Board(ASYMMETRIC).swapped()
    assert board.to_list() == cells_of(
        "22:1 17:1 13:4 10:1 8:2 6:2 5:2 3:2", "bar:1 24:2 13:4 6:5 4:2 1:1"
    )


@given(boards())
def test_no_checker_is_lost(board):
    own = sum(n for n in board if n > 0)
    opponent = -sum(n for n in board if n < 0)
    assert own + board.off == 15 == opponent + board.opponent_off


# ---- numbers ----


def test_pips_count_25_for_the_bar():
    board = Board(ASYMMETRIC)
    # 25 + 48 + 52 + 30 + 8 + 1, and 22 + 17 + 52 + 10 + 16 + 12 + 10 + 6
    assert (board.pips, board.opponent_pips) == (164, 145)
    assert Board.opening().pips == 167


def test_a_finished_game_has_no_pips_left():
    board = Board(cells_of("", "1:1"))
    assert (board.pips, board.opponent_pips) == (0, 1)
    assert board.phase is Phase.OVER


@pytest.mark.parametrize(
    ("points", "phase"),
    [
        (([12], [20, 2]), Phase.CONTACT),
        (([20, 2], [12]), Phase.CONTACT),
        (([1], [2]), Phase.RACE),
        (([1], [19]), Phase.BEAROFF),
        (([6], [19]), Phase.BEAROFF),
        (([6], [18]), Phase.RACE),
        (([7], [19]), Phase.RACE),
        (([25], [1]), Phase.CONTACT),
        (([25], [24]), Phase.CONTACT),
        (([1], [0]), Phase.CONTACT),
        (([], [24]), Phase.OVER),
        (([3], []), Phase.OVER),
    ],
)
def test_phase(points, phase):
    # points of the player on roll and of the opponent, both in the numbering of the former
    cells = [0] * 26
    for point in points[0]:
        cells[point] += 1
    for point in points[1]:
        cells[point] -= 1
    assert Board(cells).phase is phase
    assert Board(cells).swapped().phase is phase


@pytest.mark.parametrize(
    ("loser", "points"),
    [
        ("8:15", 2),  # nothing off, none in the winner's home board or on the bar
        ("18:15", 2),
        ("19:1 1:14", 3),
        ("24:1 1:14", 3),
        ("bar:1 1:14", 3),
        ("bar:14 off:1", 1),
        ("1:1 off:14", 1),
        ("24:12 off:3", 1),
    ],
)
def test_points_of_a_finished_game(loser, points):
    assert Board(cells_of("", loser)).value == points
    assert Board(cells_of(loser, "")).value == -points
    assert bgcore.values([cells_of("", loser), OPENING]).tolist() == [points, 0]


def test_gammon_counts_the_checkers_of_the_variant():
    cells = cells_of("", "8:3")
    assert Board(cells, n_checkers=3).value == 2
    assert Board(cells).value == 1
    assert bgcore.values([cells], n_checkers=3).tolist() == [2]


def test_blots_points_anchors_and_primes():
    board = Board(cells_of("bar:1 24:2 20:2 13:1 8:2 7:3 6:2 5:1 3:1", "bar:1 23:1 21:2 14:5 10:1"))
    assert board.blots == (3, 5, 13)
    assert board.opponent_blots == (2, 15)
    assert board.made_points == (6, 7, 8, 20, 24)
    assert board.anchors == (20, 24)
    assert board.primes == ((6, 8),)
    assert board.longest_prime == 3


def test_primes_run_over_the_edge_of_a_home_board():
    board = Board(cells_of("24:2 23:2 7:2 6:2 5:2 4:2 3:2", "17:1"))
    assert board.primes == ((3, 7), (23, 24))
    assert board.longest_prime == 5
    assert Board(cells_of("9:2 7:2 5:1", "24:1")).primes == ()
    assert Board(cells_of("9:2 7:2 5:1", "24:1")).longest_prime == 1
    assert Board(cells_of("9:1 bar:2", "24:1")).longest_prime == 0


# ---- shots ----


@pytest.mark.parametrize(
    ("distance", "rolls"),
    # the well-known table of single direct and indirect shots with nothing in the way
    [
        (1, 11),
        (2, 12),
        (3, 14),
        (4, 15),
        (5, 15),
        (6, 17),
        (7, 6),
        (8, 6),
        (9, 5),
        (10, 3),
        (11, 2),
        (12, 3),
        (15, 1),
        (16, 1),
        (18, 1),
        (20, 1),
        (13, 0),
        (14, 0),
        (17, 0),
        (19, 0),
    ],
)
def test_shots_at_a_lone_blot(distance, rolls):
    blot = 24 - distance
    cells = [0] * 26
    cells[24] = 1
    cells[blot] = -1
    assert Board(cells).shots() == rolls
    assert Board(cells).shots(blot) == rolls


def test_shots_at_two_blots_are_counted_once_per_roll():
    cells = cells_of("13:2 6:2", "")
    cells[9] = cells[7] = -1  # 4 and 6 away from 13
    board = Board(cells)
    assert board.shots(9) >= 11
    assert board.shots(7) >= 11
    assert max(board.shots(9), board.shots(7)) < board.shots()
    assert board.shots() < board.shots(9) + board.shots(7)


def test_blocked_points_stop_combination_shots():
    cells = [0] * 26
    cells[24] = 1
    cells[17] = -1  # seven away: 6-1, 5-2, 4-3
    assert Board(cells).shots() == 6
    cells[18] = cells[23] = -2  # neither 6 nor 1 can be played first
    assert Board(cells).shots() == 4
    cells[20] = cells[21] = -2  # nor 4 nor 3
    assert Board(cells).shots() == 2


def test_checkers_on_the_bar_must_enter_before_they_hit():
    cells = [0] * 26
    cells[25], cells[8], cells[4] = 2, 1, -1
    # only doubles leave steps over once both are in: 2-2 and 4-4 hit from the 8-point
    assert Board(cells).shots() == 2


def test_a_die_that_cannot_be_played_legally_does_not_hit():
    # With 6-1 the point 7 away is blocked, so one die is played, and it must be the larger.
    cells = [0] * 26
    cells[24], cells[23], cells[17] = 1, -1, -2
    assert Board(cells).shots() == 11 - 2


@given(boards())
@settings(max_examples=20)
def test_shots_are_the_rolls_with_a_play_that_hits(board):
    # the same by way of the steps of all plays of the 36 rolls
    assume(board.phase is not Phase.OVER)
    hit_by = []
    for roll in range(36):
        plays = board.legal_plays((roll // 6 + 1, roll % 6 + 1))
        hit_by.append({point for play in plays for point in play.hits})
    assert board.shots() == sum(bool(points) for points in hit_by)
    for point in board.opponent_blots:
        assert board.shots(point) == sum(point in points for points in hit_by)


def test_no_blots_no_shots():
    assert Board.opening().shots() == 0
    assert Board(cells_of("", "24:1 6:2")).shots() == 0
    race = Board(cells_of("3:2", "6:1 2:2"))
    assert race.shots() == 0
    assert race.shots(19) == 0


def test_shots_at_a_point_without_a_blot_are_refused():
    with pytest.raises(BoardError, match="no blot on point 6"):
        Board(ASYMMETRIC).shots(6)
    for point in (0, 25, 26, -1, "8"):
        with pytest.raises(BoardError, match="no blot"):
            Board(ASYMMETRIC).shots(point)


def test_a_cell_without_an_opposite_in_int8_is_not_swapped():
    # -(-128) wraps round to -128
    cells = np.zeros(26, np.int8)
    cells[7] = -128
    with pytest.raises(BoardError, match="-128"):
        bgcore.swap_boards(cells[np.newaxis])
    with pytest.raises(BoardError, match="-128"):
        Board(cells, check=False).swapped()
    cells[7] = -127
    assert bgcore.swap_boards(cells[np.newaxis])[0, 18] == 127
