"""House rules: without any the kernel is movegen, with each it does what the rule text says."""

import house_oracle
import numpy as np
import oracle
import pytest
from boards import cells_of
from hypothesis import given, settings
from hypothesis import strategies as st

from bgcore._core import movegen
from bgcore._core.variants import house_next_steps, house_plays
from bgcore.errors import BoardError, DiceError, VariantError

ZONES = [(1, 25), (1, 24), (1, 6), (1, 7), (1, 9), (5, 25), (18, 25), (25, 25)]
SWITCHES = house_oracle.all_switches()


@st.composite
def sides(draw, free, most):
    low, high = draw(st.sampled_from(ZONES))
    points = [point for point in range(low, high + 1) if point in free] or sorted(free)[-1:]
    size = draw(st.integers(1, draw(st.sampled_from([2, 4, most]))))
    return draw(st.lists(st.sampled_from(points), min_size=size, max_size=size))


@st.composite
def boards(draw, most=15):
    """Any board on which a game can go on."""
    cells = [0] * 26
    for point in draw(sides(set(range(1, 26)), most)):
        cells[point] += 1
    free = {point for point in range(1, 26) if cells[25 - point] == 0 or point == 25}
    for point in draw(sides(free, most)):
        cells[25 - point] -= 1
    board = tuple(cells)
    if closed_out(board) and closed_out(oracle.swap(board)):
        board = (0, *board[1:])
    return board if min(board) < 0 else (-1, *board[1:])


def closed_out(board):
    return board[25] > 0 and all(board[point] < -1 for point in range(19, 25))


def tuples(array):
    return [tuple(row) for row in array.tolist()]


def plays_of(board, roll, **switches):
    """The boards after every play, and each play as a sorted list of (from, to)."""
    after, steps, n_steps = house_plays(board, *roll, **switches)
    written = [
        sorted(((int(a), int(b)) for a, b, _ in steps[i][: n_steps[i]]), reverse=True)
        for i in range(len(after))
    ]
    return tuples(after), written


# ---- without a house rule ----


@given(boards(), st.sampled_from(oracle.ROLLS))
@settings(deadline=None, max_examples=400)
def test_without_switches_boards_steps_and_order_are_those_of_movegen(board, roll):
    after, steps, n_steps = house_plays(board, *roll)
    expected, expected_steps, expected_n = movegen.legal_plays(board, *roll)
    np.testing.assert_array_equal(after, expected)
    np.testing.assert_array_equal(steps, expected_steps)
    assert set(n_steps.tolist()) <= {expected_n}


@given(boards(), st.sampled_from(oracle.ROLLS), st.data())
@settings(deadline=None, max_examples=200)
def test_without_switches_steps_one_by_one_are_those_of_movegen(board, roll, data):
    dice = list(oracle.dice_of(*roll))
    now = np.array(board, dtype=np.int8)
    while True:
        steps, may_end = house_next_steps(now, dice)
        assert steps == movegen.next_steps(now, dice)
        assert may_end == (not steps)
        if may_end:
            break
        start, _, die, _ = data.draw(st.sampled_from(steps))
        now = movegen.apply_step(now, start, die)
        dice.remove(die)
        if not (now > 0).any():
            assert house_next_steps(now, dice) == ([], True)
            break


def test_the_number_of_checkers_may_be_smaller():
    cells = [0] * 26
    cells[24] = cells[23] = cells[22] = 1
    cells[1] = cells[2] = cells[3] = -1
    # counts of the three-checker start by an independent brute force
    expected = [7, 6, 11, 7, 8, 15, 7, 8, 9, 15, 7, 8, 9, 9, 15, 7, 8, 9, 9, 9, 12]
    found = [len(house_plays(cells, *roll, n_checkers=3)[0]) for roll in oracle.ROLLS]
    assert found == expected


# ---- with every combination, against the oracle ----


@given(boards(most=8), st.sampled_from(oracle.ROLLS), st.sampled_from(SWITCHES))
@settings(deadline=None, max_examples=250)
def test_plays_under_house_rules_are_those_of_the_oracle(board, roll, house):
    after, steps, n_steps = house_plays(board, *roll, **house._asdict())
    found = tuples(after)
    assert len(set(found)) == len(found)
    assert set(found) == house_oracle.boards_after(board, roll, house)
    legal = {
        tuple((start, end, hit) for start, end, _, hit in play)
        for play, _ in house_oracle.plays(board, oracle.dice_of(*roll), house)
    }
    for i, board_after in enumerate(found):
        written = tuple((int(a), int(b), bool(hit)) for a, b, hit in steps[i][: n_steps[i]])
        assert written in legal
        assert not steps[i][n_steps[i] :].any()
        now = board
        for step in written:
            now = oracle.apply_step(now, step)
        assert now == board_after


@given(boards(most=6), st.sampled_from(oracle.ROLLS), st.sampled_from(SWITCHES), st.data())
@settings(deadline=None, max_examples=200)
def test_steps_one_by_one_are_those_of_the_oracle(board, roll, house, data):
    whole = {play for play, _ in house_oracle.plays(board, oracle.dice_of(*roll), house)}
    dice = list(oracle.dice_of(*roll))
    done, hit_points, now = (), set(), board
    while True:
        steps, may_end = house_next_steps(now, dice, hit_points=hit_points, **house._asdict())
        assert len(set(steps)) == len(steps)
        # exactly the steps that go on with a legal play of the whole roll
        assert set(steps) == {
            play[len(done)] for play in whole if play[: len(done)] == done and len(play) > len(done)
        }
        assert may_end == (done in whole and not steps)
        if may_end:
            break
        start, end, die, hit = data.draw(st.sampled_from(steps))
        now = oracle.apply_step(now, (start, end, hit))
        if hit and end <= 6:
            hit_points.add(end)
        dice.remove(die)
        done = (*done, (start, end, die, hit))


@given(boards(), st.sampled_from(oracle.ROLLS), st.sampled_from(SWITCHES))
@settings(deadline=None, max_examples=100)
def test_the_order_of_the_dice_makes_no_difference(board, roll, house):
    one = house_plays(board, *roll, **house._asdict())
    other = house_plays(board, *reversed(roll), **house._asdict())
    for a, b in zip(one, other, strict=True):
        np.testing.assert_array_equal(a, b)


# ---- cases worked by hand ----


def test_when_one_of_two_numbers_can_be_played_it_is_the_larger():
    board = cells_of("24:1", "12:2")  # the opponent holds the mover's 13
    assert plays_of(board, (6, 5))[1] == [[(24, 18)]]


def test_any_number_lets_the_player_choose_the_smaller_one():
    board = cells_of("24:1", "12:2")
    assert plays_of(board, (6, 5), any_number=True)[1] == [[(24, 18)], [(24, 19)]]


def test_any_number_does_not_excuse_from_playing_both():
    board = cells_of("24:1 10:1", "12:2")
    assert plays_of(board, (6, 5), any_number=True) == plays_of(board, (6, 5))


def test_a_closed_home_lets_nobody_in():
    board = cells_of("bar:1 6:2", "6:2 5:2 4:2 3:2 2:2 1:2")
    for roll in oracle.ROLLS:
        assert plays_of(board, roll) == ([], [])


def test_bearing_off_with_both_numbers_or_moving_first():
    board = cells_of("4:1 2:1", "24:1")
    assert sorted(plays_of(board, (6, 2))[1]) == [[(4, 0), (2, 0)], [(4, 2), (2, 0)]]


def test_both_numbers_come_before_finishing_early():
    board = cells_of("3:1", "23:1")  # a blot on the mover's 2
    assert plays_of(board, (3, 1))[1] == [[(3, 2), (2, 0)]]
    assert plays_of(board, (3, 1), finish_early=True)[1] == [[(3, 2), (2, 0)], [(3, 0)]]


def test_a_finish_early_shows_in_single_steps():
    board = cells_of("3:1", "23:1")
    assert house_next_steps(board, (3, 1)) == ([(3, 2, 1, True)], False)
    steps, may_end = house_next_steps(board, (3, 1), finish_early=True)
    assert (steps, may_end) == ([(3, 0, 3, False), (3, 2, 1, True)], False)


def test_no_step_ends_on_a_full_own_point():
    board = cells_of("13:5 19:1", "7:2")  # 18 is closed
    free = plays_of(board, (6, 1))[1]
    assert any((19, 13) in play for play in free)
    limited = plays_of(board, (6, 1), own_limit=5)[1]
    assert limited
    # 19/13 is legal after a checker has left the point
    assert [play for play in limited if (19, 13) in play] == [[(19, 13), (13, 12)]]


def test_no_checker_enters_on_a_full_own_point():
    board = cells_of("bar:1 20:2 6:1", "24:2")
    assert len(plays_of(board, (5, 5))[0]) > 0
    assert plays_of(board, (5, 5), own_limit=2) == ([], [])


def test_bearing_off_knows_no_limit():
    board = cells_of("6:3 5:2", "1:2")
    assert [(6, 0), (5, 0)] in plays_of(board, (6, 5), own_limit=1)[1]


def test_a_checker_that_hits_at_home_stays_there():
    board = cells_of("8:1 20:1", "20:1")  # a blot on the mover's 5
    free = plays_of(board, (3, 1))[1]
    assert [(8, 5), (5, 4)] in free
    tavla = plays_of(board, (3, 1), no_hit_and_run=True)[1]
    assert [(8, 5), (5, 4)] not in tavla
    assert [(20, 19), (8, 5)] in tavla


def test_a_checker_may_hit_and_run_outside_the_home():
    board = cells_of("13:1", "14:1")  # a blot on the mover's 11
    both = plays_of(board, (3, 2))
    assert both == plays_of(board, (3, 2), no_hit_and_run=True)
    assert len(both[0]) == 2


def test_no_hit_and_run_goes_before_the_duty_to_play_both_numbers():
    # 8/5* leaves 5/4 as the only 1; 8/7/4 is blocked on 7.
    board = cells_of("8:1", "20:1 18:2")
    assert plays_of(board, (3, 1))[1] == [[(8, 5), (5, 4)]]
    assert plays_of(board, (3, 1), no_hit_and_run=True)[1] == [[(8, 5)]]


def test_another_checker_may_leave_the_point_of_the_hit():
    # The first 2 hits on 4, the second joins it there, and one of the two may go on.
    board = cells_of("6:2", "21:1 24:2")
    tavla = plays_of(board, (2, 2), no_hit_and_run=True)
    assert [(6, 4), (6, 4), (4, 2), (2, 0)] in tavla[1]
    assert [(6, 4), (6, 4), (4, 2), (4, 2)] not in tavla[1]


def test_what_was_hit_is_remembered_between_single_steps():
    board = cells_of("8:1", "20:1 18:2")
    assert house_next_steps(board, (3, 1), no_hit_and_run=True) == ([(8, 5, 3, True)], False)
    after = cells_of("5:1", "bar:1 18:2")
    assert house_next_steps(after, (1,), no_hit_and_run=True, hit_points=[5]) == ([], True)
    assert house_next_steps(after, (1,), no_hit_and_run=True) == ([(5, 4, 1, False)], False)
    assert house_next_steps(after, (1,), hit_points=[5]) == ([(5, 4, 1, False)], False)


def test_rolls_with_very_many_plays_fit():
    board = cells_of(" ".join(f"{point}:1" for point in range(24, 9, -1)), "bar:15")
    after = plays_of(board, (1, 1), no_hit_and_run=True)[0]
    assert after == tuples(movegen.legal_boards(board, 1, 1))
    assert len(after) > 1000


# ---- what is refused ----


def test_mistakes_in_the_input_are_named():
    board = cells_of("8:1", "20:1")
    for function, arguments in ((house_plays, (3, 1)), (house_next_steps, ((3, 1),))):
        with pytest.raises(VariantError, match="own_limit is -1"):
            function(board, *arguments, own_limit=-1)
        with pytest.raises(VariantError, match="own_limit is True"):
            function(board, *arguments, own_limit=True)
        with pytest.raises(BoardError, match="n_checkers is 16"):
            function(board, *arguments, n_checkers=16)
        with pytest.raises(BoardError, match="too many"):
            function(cells_of("8:16", "20:1"), *arguments)
        with pytest.raises(BoardError, match="end of a game"):
            function(cells_of("8:1", ""), *arguments)
        with pytest.raises(BoardError):
            function([0] * 25, *arguments)
    with pytest.raises(BoardError, match="end of a game"):
        house_plays(cells_of("", "8:1"), 3, 1)
    with pytest.raises(DiceError, match="first die is 7"):
        house_plays(board, 7, 1)
    with pytest.raises(DiceError, match="second die is True"):
        house_plays(board, 1, True)
    with pytest.raises(DiceError, match="more than two dice"):
        house_next_steps(board, (1, 2, 2))
    with pytest.raises(DiceError, match="5 dice left"):
        house_next_steps(board, [1] * 5)
    with pytest.raises(DiceError, match="sequence"):
        house_next_steps(board, 3)
    with pytest.raises(VariantError, match="hit_points holds 5"):
        house_next_steps(board, (3, 1), hit_points=[5], no_hit_and_run=True)
    with pytest.raises(VariantError, match="a point of hit_points is 8"):
        house_next_steps(board, (3, 1), hit_points=[8], no_hit_and_run=True)
