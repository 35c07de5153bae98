"""Legal plays of single positions, with answers from the rules and from other programs."""

import numpy as np
import oracle
import pytest
from testdata import rows

from bgcore._core import movegen


def plays(board, d1, d2):
    """The boards after every legal play as a set of tuples; no board may come twice."""
    found = movegen.legal_boards(np.array(board, dtype=np.int8), d1, d2).tolist()
    result = {tuple(row) for row in found}
    assert len(result) == len(found)
    return result


def written(board, *texts):
    """The boards after plays that are written in GNU Backgammon's notation."""
    return {oracle.apply_notation(board, text) for text in texts}


def with_opponent(board):
    """The board with an opponent out of the way where it has none, for that would be a win."""
    return board if min(board) < 0 else (*board[:24], -1, board[25])


def steps_to(board, d1, d2, text):
    """The steps that the core names for one play, as (from, to, hit)."""
    boards, steps, n_steps = movegen.legal_plays(board, d1, d2)
    index = boards.tolist().index(list(oracle.parse_board(text)))
    assert not steps[index, n_steps:].any()
    return [tuple(step) for step in steps[index, :n_steps].tolist()]


def starts(board, dice_left):
    """The (from, to) of every step that may be made with the dice left."""
    return {step[:2] for step in movegen.next_steps(board, dice_left)}


def sequences(board, dice_left):
    """Every way to make a play step by step, each a tuple of (from, to)."""
    steps = movegen.next_steps(board, dice_left)
    if not steps:
        return {()}
    found = set()
    for start, end, die, _ in steps:
        rest = list(dice_left)
        rest.remove(die)
        after = movegen.apply_step(board, start, die)
        found |= {((start, end), *others) for others in sequences(after, rest)}
    return found


# ---- lists of other programs ----


@pytest.mark.parametrize(("position_id", "roll", "count"), rows("plays_johansen.csv", ","))
def test_number_of_plays_of_the_johansen_list(position_id, roll, count):
    board = oracle.parse_position_id(position_id)
    d1, d2 = oracle.parse_roll(roll)
    assert len(oracle.boards_after(board, d1, d2)) == int(count)
    assert len(plays(board, d1, d2)) == int(count)


@pytest.mark.parametrize(
    ("position_id", "roll", "start", "n_dice", "results"), rows("plays_wildbg.txt", "|")
)
def test_all_boards_of_the_wildbg_list(position_id, roll, start, n_dice, results):
    board = oracle.parse_board(start)
    d1, d2 = oracle.parse_roll(roll)
    assert oracle.parse_position_id(position_id) == board
    board = with_opponent(board)
    expected = {with_opponent(oracle.parse_board(result)) for result in results.split(";")}
    if n_dice == "0":
        assert expected == {board}
        expected = set()
    assert oracle.boards_after(board, d1, d2) == expected
    assert plays(board, d1, d2) == expected
    assert movegen.legal_plays(board, d1, d2)[2] == int(n_dice)


@pytest.mark.parametrize(("position_id", "roll", "count", "texts"), rows("plays_gnubg.csv", ","))
def test_all_plays_of_positions_analysed_by_gnubg(position_id, roll, count, texts):
    board = oracle.parse_position_id(position_id)
    d1, d2 = oracle.parse_roll(roll)
    expected = written(board, *texts.split("|"))
    assert len(expected) == int(count)
    assert oracle.boards_after(board, d1, d2) == expected
    assert plays(board, d1, d2) == expected


@pytest.mark.parametrize(
    ("report", "mistake", "position_id", "start", "roll", "texts"), rows("plays_mistakes.txt", "|")
)
def test_mistakes_of_other_programs_are_not_made(report, mistake, position_id, start, roll, texts):
    board = oracle.parse_board(start)
    d1, d2 = oracle.parse_roll(roll)
    assert not position_id or oracle.parse_position_id(position_id) == board
    expected = written(board, *texts.split(";"))
    assert oracle.boards_after(board, d1, d2) == expected
    assert plays(board, d1, d2) == expected, f"{report}: {mistake}"


# ---- both numbers, and the larger of two ----


def test_larger_number_must_be_played_when_only_one_of_two_can_be():
    # The 6 and the 5 can each be played, but then the opponent's 13 stops the other.
    board = oracle.parse_board("24:1 / 13:2")
    assert plays(board, 6, 5) == written(board, "24/18")
    assert starts(board, [6, 5]) == {(24, 18)}


def test_smaller_number_is_played_when_the_larger_cannot_be():
    board = oracle.parse_board("24:1 / 18:2 13:2")
    assert plays(board, 6, 5) == written(board, "24/19")
    assert starts(board, [6, 5]) == {(24, 19)}


def test_both_numbers_must_be_played_where_one_order_stops_after_one():
    # 24/22 8/2 uses both; 8/6 would leave no 6.
    board = oracle.parse_board("24:1 8:1 6:5 / 20:4 19:3 18:4 16:2 4:2")
    assert plays(board, 6, 2) == written(board, "24/22 8/2")
    assert starts(board, [6, 2]) == {(24, 22), (8, 2)}


def test_last_checker_may_not_go_off_with_one_number_where_both_can_be_played():
    # The turn ends when the last checker is off, but the duty to use both numbers comes first.
    board = oracle.parse_board("3:1 / 2:1")
    assert plays(board, 3, 1) == written(board, "3/2* 2/off")
    assert starts(board, [3, 1]) == {(3, 2)}
    board = oracle.parse_board("5:1 / 4:1 24:14")
    assert plays(board, 5, 1) == written(board, "5/4* 4/off")


def test_win_with_one_number_leaves_the_other_unused():
    board = oracle.parse_board("1:1 / 24:1")
    assert plays(board, 6, 5) == written(board, "1/off")
    assert movegen.legal_plays(board, 6, 5)[2] == 1
    assert plays(board, 3, 3) == written(board, "1/off")
    assert movegen.legal_plays(board, 3, 3)[2] == 1


def test_one_number_may_decide_whether_the_game_ends():
    # 4/off 2/off wins, 4/2/off leaves one checker on the 2-point.
    board = oracle.parse_board("4:1 2:1 / 24:2")
    assert plays(board, 6, 2) == written(board, "4/off 2/off", "4/2 2/off")


def test_roll_with_the_dice_exchanged_gives_the_same_plays():
    board = oracle.parse_position_id("4HPwATDgc/ABMA")
    assert plays(board, 1, 3) == plays(board, 3, 1)


def test_double_hits_a_blot_only_once():
    board = oracle.parse_board("20:3 / 16:1 12:2 24:2")
    assert plays(board, 4, 4) == written(board, "20/16*(3)")
    board = oracle.parse_board("bar:2 / 21:1 17:2 24:2")
    assert plays(board, 4, 4) == written(board, "bar/21*(2)")


# ---- the bar ----


@pytest.mark.parametrize("roll", oracle.ROLLS)
def test_closed_board_gives_no_play(roll):
    board = oracle.parse_board("bar:1 5:3 / 24:2 23:2 22:2 21:2 20:2 19:2")
    assert plays(board, *roll) == set()
    assert movegen.next_steps(board, list(roll)) == []
    boards, steps, n_steps = movegen.legal_plays(board, *roll)
    assert (boards.shape, steps.shape, n_steps) == ((0, 26), (0, 4, 3), 0)


def test_all_checkers_on_the_bar_enter_before_another_step():
    board = oracle.parse_board("bar:2 6:5 / 20:2 12:2")
    assert plays(board, 5, 3) == written(board, "bar/22")
    assert starts(board, [5, 3]) == {(25, 22)}


def test_no_checker_is_borne_off_while_one_is_on_the_bar():
    board = oracle.parse_board("bar:1 3:2 1:3 / 23:2")
    assert starts(board, [2]) == set()
    assert starts(board, [3]) == {(25, 22)}


# ---- bearing off ----


def test_larger_number_takes_the_rearmost_checker():
    board = oracle.parse_board("4:1 2:2 / 24:1")
    assert starts(board, [6]) == {(4, 0)}
    assert starts(board, [3]) == {(4, 1)}
    assert starts(board, [2]) == {(4, 2), (2, 0)}


def test_no_checker_is_borne_off_while_one_is_outside():
    board = oracle.parse_board("7:1 5:2 / 24:1")
    assert starts(board, [5]) == {(7, 2)}
    # After 7/6 all are at home: the 5 may then bear off.
    assert starts(board, [5, 1]) == {(7, 2), (7, 6), (5, 4)}
    assert plays(board, 5, 1) == written(board, "7/1", "7/6 5/off", "7/2 5/4")


def test_hit_by_a_rearmost_checker_does_not_end_bearing_off():
    board = oracle.parse_board("3:2 / 2:1 24:3")
    assert plays(board, 3, 1) == written(board, "3/2* 3/off")


# ---- cases of open_spiel: open_spiel/games/backgammon/backgammon_test.cc (commit 112b777) ----


def test_double_takes_the_furthest_checker_off_first():
    board = oracle.parse_board("2:1 1:2 / 24:3")
    assert plays(board, 5, 5) == written(board, "2/off 1/off(2)")
    assert sequences(board, [5, 5]) == {((2, 0), (1, 0))}


def test_normal_bear_off_has_nine_orders_of_steps_and_five_boards():
    board = oracle.parse_board("6:1 4:2 3:2 2:1 1:9 / 24:7")
    rest = [(4, 3), (3, 2), (2, 1), (1, 0)]
    assert sequences(board, [6, 1]) == (
        {((6, 5), (5, 0))} | {((6, 0), s) for s in rest} | {(s, (6, 0)) for s in rest}
    )
    assert len(plays(board, 6, 1)) == 5


def test_exact_number_bears_off_while_a_higher_point_is_held():
    board = oracle.parse_board("6:1 4:3 3:2 2:9 / 24:5 22:1")
    first_two = {order[:2] for order in sequences(board, [4, 4, 4, 4])}
    assert first_two == {((6, 2), (4, 0)), ((4, 0), (6, 2)), ((4, 0), (4, 0))}
    assert plays(board, 4, 4) == written(board, "6/2 4/off(3)")


def test_checker_from_outside_comes_in_and_another_goes_off():
    board = oracle.parse_board("7:1 6:1 4:2 3:2 2:9 / 1:1 24:2")
    assert {((7, 1), (1, 0)), ((7, 6), (6, 0))} <= sequences(board, [6, 1])
    assert len(plays(board, 6, 1)) == 6


def test_double_brings_two_in_and_bears_two_off():
    board = oracle.parse_board(
        "8:2 6:3 5:2 4:3 3:3 1:2 / 24:2 23:2 21:2 20:1 19:2 17:1 14:1 13:1 12:1 2:2"
    )
    assert starts(board, [4, 4, 4, 4]) == {(8, 4), (5, 1)}
    assert ((8, 4), (8, 4), (4, 0), (4, 0)) in sequences(board, [4, 4, 4, 4])
    assert len(plays(board, 4, 4)) == 3


def test_one_number_is_passed_or_both_are():
    board = oracle.parse_board("24:2 / 23:2 22:2 21:2 20:2 19:2 13:2")
    assert plays(board, 6, 5) == written(board, "24/18")
    assert plays(board, 5, 3) == set()


# ---- cases of pgx: tests/test_backgammon.py. Die by die: which step is legal now ----

PGX_BEAR_OFF = "5:5 4:1 3:2 / 2:3 bar:4"


@pytest.mark.parametrize(
    ("dice_left", "expected"),
    [
        ([4, 3], {(5, 1), (4, 1), (4, 0), (3, 0)}),
        ([6], {(5, 0)}),
        ([2], {(5, 3), (3, 1)}),
        ([3], {(4, 1), (3, 0)}),
    ],
)
def test_steps_of_the_pgx_bear_off_board(dice_left, expected):
    assert starts(oracle.parse_board(PGX_BEAR_OFF), dice_left) == expected


def test_steps_of_the_pgx_bear_off_board_from_the_bar():
    board = oracle.swap(oracle.parse_board(PGX_BEAR_OFF))
    assert movegen.next_steps(board, [5, 2]) == [(25, 23, 2, False)]
    assert movegen.next_steps(board, [5, 5, 5, 5]) == []


# ---- steps of a play: wildbg, crates/logic/src/bg_move ----


def test_steps_say_whether_a_blot_is_hit_on_the_way():
    board = oracle.parse_board("20:4 10:1 / 24:1 14:1")
    hit = steps_to(board, 6, 4, "20:3 10:2 / 24:1 bar:1")
    assert hit == [(20, 14, 1), (14, 10, 0)]
    quiet = steps_to(board, 6, 4, "20:3 10:2 / 24:1 14:1")
    assert quiet == [(20, 16, 0), (16, 10, 0)]


def test_steps_use_both_numbers_although_one_would_reach_the_same_board():
    assert steps_to(oracle.parse_board("4:1 2:1 / 24:2"), 4, 2, "2:1 / 24:2") == [
        (4, 2, 0),
        (2, 0, 0),
    ]
    assert steps_to(oracle.parse_board("4:1 / 23:4 24:3"), 5, 2, "/ 23:4 24:3") == [
        (4, 2, 0),
        (2, 0, 0),
    ]


def test_single_step_ends_the_game_with_the_larger_number():
    assert steps_to(oracle.parse_board("1:1 / 24:2"), 5, 2, "/ 24:2") == [(1, 0, 0)]


# ---- one step at a time ----


def test_step_applied_hits_and_bears_off():
    board = oracle.parse_board("7:1 / 1:1 24:2")
    after = movegen.apply_step(board, 7, 6)
    assert after.tolist() == list(oracle.parse_board("1:1 / bar:1 24:2"))
    assert after.dtype == np.int8
    won = movegen.apply_step(after, 1, 3)
    assert won.tolist() == list(oracle.parse_board("/ bar:1 24:2"))
    # The turn is over although numbers are left.
    assert movegen.next_steps(won, [3]) == []


def test_dice_left_say_what_may_still_be_played():
    board = oracle.parse_position_id("4HPwATDgc/ABMA")
    assert movegen.next_steps(board, []) == []
    assert starts(board, [6]) == {(24, 18), (13, 7), (8, 2)}
    # Higher dice first, then higher checkers.
    assert movegen.next_steps(board, (1, 2))[:2] == [(24, 22, 2, False), (13, 11, 2, False)]
