"""The core against the oracle (the rules, written slowly) on drawn and on listed positions."""

import itertools

import numpy as np
import oracle
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bgcore._core import movegen

#: Points that own and opposing checkers are drawn from: contact, races, bear-offs, bars, crowds.
ZONES = [
    (1, 25),  # anywhere and the bar
    (1, 24),
    (1, 6),  # bearing off
    (1, 7),
    (1, 9),  # coming home
    (5, 25),
    (18, 25),  # far behind, often on the bar
    (25, 25),
]


@st.composite
def sides(draw, free, zone):
    """Checkers of one side, in its own numbering, on free points of a zone."""
    points = [point for point in range(zone[0], zone[1] + 1) if point in free]
    if not points:
        points = sorted(free)[-1:]
    few = draw(st.booleans())
    size = draw(st.integers(1, 4 if few else 15))
    return draw(st.lists(st.sampled_from(points), min_size=size, max_size=size))


@st.composite
def boards(draw):
    """Any board on which a game can go on, as the oracle's tuple."""
    cells = [0] * 26
    for point in draw(sides(set(range(1, 26)), draw(st.sampled_from(ZONES)))):
        cells[point] += 1
    # The opponent's own numbering is 25 - point; his bar is cell 0.
    free = {point for point in range(1, 26) if cells[25 - point] == 0 or point == 25}
    for point in draw(sides(free, draw(st.sampled_from(ZONES)))):
        cells[25 - point] -= 1
    board = tuple(cells)
    if closed_out(board) and closed_out(oracle.swap(board)):
        board = (0, *board[1:])
    if min(board) >= 0:
        board = (-1, *board[1:])
    return board


def closed_out(board):
    return board[25] > 0 and all(board[point] < -1 for point in range(19, 25))


def as_array(board):
    return np.array(board, dtype=np.int8)


def as_tuples(boards):
    return [tuple(row) for row in boards.tolist()]


def check_roll(board, roll, found):
    """Compare the boards that the core found for one roll with the oracle's."""
    assert len(set(found)) == len(found), f"a board twice: {board} {roll}"
    expected = oracle.boards_after(board, *roll)
    assert set(found) == expected, (
        f"{board} {roll}: missing {expected - set(found)}, too many {set(found) - expected}"
    )


def check_all_rolls(positions):
    """Compare the batches of all rolls with the oracle."""
    array = np.array(positions, dtype=np.int8)
    after, offsets = movegen.legal_boards_all_rolls(array)
    after = as_tuples(after)
    for i, board in enumerate(positions):
        for j, roll in enumerate(oracle.ROLLS):
            begin, end = offsets[21 * i + j : 21 * i + j + 2]
            check_roll(board, roll, after[begin:end])


# ---- drawn positions ----


@settings(deadline=None, max_examples=250)
@given(board=boards())
def test_plays_of_all_rolls_are_those_of_the_oracle(board):
    check_all_rolls([board])


@settings(deadline=None, max_examples=60)
@given(positions=st.lists(boards(), max_size=6), data=st.data())
def test_batch_has_the_plays_of_every_single_board(positions, data):
    rolls = [data.draw(st.sampled_from(oracle.ROLLS)) for _ in positions]
    array = np.array(positions, dtype=np.int8).reshape(-1, 26)
    dice = np.array(rolls, dtype=np.uint8).reshape(-1, 2)
    after, offsets = movegen.legal_boards_batch(array, dice)
    assert after.shape == (offsets[-1], 26)
    assert offsets[0] == 0
    assert len(offsets) == len(positions) + 1
    all_after, all_offsets = movegen.legal_boards_all_rolls(array)
    for i, (board, roll) in enumerate(zip(positions, rolls, strict=True)):
        single = movegen.legal_boards(as_array(board), *roll)
        assert np.array_equal(after[offsets[i] : offsets[i + 1]], single)
        j = 21 * i + oracle.ROLLS.index(roll)
        assert np.array_equal(all_after[all_offsets[j] : all_offsets[j + 1]], single)


@settings(deadline=None, max_examples=200)
@given(board=boards(), roll=st.sampled_from(oracle.ROLLS))
def test_steps_are_legal_and_lead_to_the_board(board, roll):
    after, steps, n_steps = movegen.legal_plays(as_array(board), *roll)
    assert np.array_equal(after, movegen.legal_boards(as_array(board), *roll))
    legal = oracle.step_sequences(board, *roll) if after.shape[0] < 60 else None
    for end, play in zip(as_tuples(after), steps.tolist(), strict=True):
        assert not any(any(step) for step in play[n_steps:])
        sequence = tuple((start, to, bool(hit)) for start, to, hit in play[:n_steps])
        now = board
        for step in sequence:
            # Hits are flagged where, and only where, a blot stands.
            assert step[2] == (step[1] != oracle.OFF and now[step[1]] == -1)
            now = oracle.apply_step(now, step)
        assert now == end
        if legal is not None:
            assert sequence in legal


@settings(deadline=None, max_examples=150)
@given(board=boards(), roll=st.sampled_from(oracle.ROLLS))
def test_order_of_the_dice_does_not_matter(board, roll):
    d1, d2 = roll
    assert np.array_equal(
        movegen.legal_boards(as_array(board), d1, d2), movegen.legal_boards(as_array(board), d2, d1)
    )


@settings(deadline=None, max_examples=150)
@given(board=boards(), roll=st.sampled_from(oracle.ROLLS))
def test_no_checker_is_lost_and_pips_fall_by_the_numbers_used(board, roll):
    after, _, n_steps = movegen.legal_plays(as_array(board), *roll)
    own, opp = oracle.checkers(board)
    largest = sum(sorted(oracle.dice_of(*roll), reverse=True)[:n_steps])
    smallest = sum(sorted(oracle.dice_of(*roll))[:n_steps])
    for end in as_tuples(after):
        own_after, opp_after = oracle.checkers(end)
        borne_off = own - own_after
        assert 0 <= borne_off <= n_steps
        assert opp_after == opp
        used = oracle.pips(board) - oracle.pips(end)
        # Only bearing off may use less than the number shows.
        assert used <= largest
        assert borne_off or used >= smallest
        hits = board[0] - end[0]
        assert 0 <= hits <= n_steps
        lost = oracle.pips(oracle.swap(end)) - oracle.pips(oracle.swap(board))
        assert (lost > 0) == (hits > 0)


@settings(deadline=None, max_examples=150)
@given(board=boards(), dice=st.data())
def test_next_steps_are_those_that_begin_a_complete_play(board, dice):
    roll = dice.draw(st.sampled_from(oracle.ROLLS))
    left = list(oracle.dice_of(*roll))
    now = board
    while True:
        # A double of a crowded side has too many sequences for the oracle: shorten it.
        if len(left) == 4 and oracle.checkers(now)[0] > 8:
            left = left[:2]
        found = movegen.next_steps(as_array(now), left)
        expected = {(start, to, die, hit) for start, to, die, hit in oracle.start_steps(now, left)}
        assert len(set(found)) == len(found)
        assert set(found) == expected
        if not found:
            break
        start, to, die, hit = dice.draw(st.sampled_from(sorted(found)))
        after = oracle.apply_step(now, (start, to, hit))
        assert movegen.apply_step(as_array(now), start, die).tolist() == list(after)
        left.remove(die)
        now = after


@settings(deadline=None, max_examples=60)
@given(board=boards(), roll=st.sampled_from(oracle.ROLLS))
def test_playing_step_by_step_reaches_exactly_the_legal_boards(board, roll):
    left = {board: [oracle.dice_of(*roll)]}
    complete = set()
    while left:
        following = {}
        for now, ways in left.items():
            for dice in ways:
                steps = movegen.next_steps(as_array(now), dice)
                if not steps and now != board:
                    complete.add(now)
                for start, to, die, hit in steps:
                    rest = list(dice)
                    rest.remove(die)
                    after = oracle.apply_step(now, (start, to, hit))
                    following.setdefault(after, set()).add(tuple(rest))
        left = following
    assert complete == set(as_tuples(movegen.legal_boards(as_array(board), *roll)))


# ---- listed positions ----


def placements(points, n_checkers):
    """Every way to put a number of checkers on points, as a dictionary."""
    for places in itertools.combinations_with_replacement(points, n_checkers):
        yield {point: places.count(point) for point in places}


def listed(own_points, own_sizes, opp_points, opp_sizes):
    """Every board with checkers on the given cells, without shared points."""
    found = []
    for own_size, opp_size in itertools.product(own_sizes, opp_sizes):
        for own in placements(own_points, own_size):
            for opp in placements(opp_points, opp_size):
                if not own.keys() & opp.keys():
                    cells = [0] * 26
                    for point, count in own.items():
                        cells[point] = count
                    for point, count in opp.items():
                        cells[point] = -count
                    found.append(tuple(cells))
    return found


SMALL = {
    # Up to two checkers a side on every cell of a region.
    "around the home board": (range(1, 9), (1, 2), range(9), (1, 2)),
    "around the bar": (range(20, 26), (1, 2), range(18, 25), (1, 2)),
    "across the middle": (range(10, 18), (1, 2), range(4, 14), (1,)),
    # Bearing off, with a blot or a point of the opponent's in the way.
    "bearing off two or three, blot or point inside": (range(1, 8), (3,), range(1, 7), (1,)),
    "bearing off past a point": (range(1, 7), (3,), (1, 2, 3), (2,)),
    # One checker left, everything around it.
    "last checker": (range(1, 26), (1,), range(25), (1,)),
    "four on the bar": ((25,), (1, 2, 3, 4, 5), range(18, 25), (1, 2, 3)),
}


@pytest.mark.parametrize("name", SMALL)
def test_every_small_position(name):
    own_points, own_sizes, opp_points, opp_sizes = SMALL[name]
    check_all_rolls(listed(own_points, own_sizes, opp_points, opp_sizes))


def test_every_bear_off_of_up_to_four_checkers():
    check_all_rolls(listed(range(1, 7), (1, 2, 3, 4), (24,), (1,)))


#: Own checkers before which every pattern of blots and blocks is tried.
RUNNERS = [{20: 1}, {20: 2}, {25: 1}, {25: 2}, {7: 1}, {7: 1, 2: 1}, {20: 1, 14: 1}, {9: 1, 5: 2}]


@pytest.mark.parametrize("roll", oracle.ROLLS)
def test_every_pattern_of_blots_and_blocks_on_the_way(roll):
    d1, d2 = roll
    distances = (d1, 2 * d1, 3 * d1, 4 * d1) if d1 == d2 else (d1, d2, d1 + d2)
    positions = []
    for own in RUNNERS:
        if d1 == d2 and len(own) > 1:
            continue
        ends = {start - distance for start in own for distance in distances}
        for kinds in itertools.product((0, -1, -2), repeat=len(ends)):
            cells = [0] * 26
            for point, kind in zip(sorted(ends), kinds, strict=True):
                if point > 0:
                    cells[point] = kind
            cells[0] = -1
            for point, count in own.items():
                cells[point] = count
            positions.append(tuple(cells))
    positions = sorted(set(positions))
    dice = np.tile(np.array([roll], dtype=np.uint8), (len(positions), 1))
    after, offsets = movegen.legal_boards_batch(np.array(positions, dtype=np.int8), dice)
    after = as_tuples(after)
    for i, board in enumerate(positions):
        check_roll(board, roll, after[offsets[i] : offsets[i + 1]])


# ---- random games ----


def random_positions(n_games, seed):
    """Positions of games played at random from the opening, one in three turns."""
    rng = np.random.default_rng(seed)
    opening = oracle.parse_position_id("4HPwATDgc/ABMA")
    positions = []
    for _ in range(n_games):
        board = opening
        for turn in itertools.count():
            if turn % 3 == 0:
                positions.append(board)
            d1, d2 = rng.integers(1, 7, size=2).tolist()
            after = movegen.legal_boards(as_array(board), d1, d2)
            if len(after):
                board = tuple(after[rng.integers(len(after))].tolist())
            if oracle.checkers(board)[0] == 0:
                break
            board = oracle.swap(board)
    return positions


def test_positions_of_random_games_have_the_plays_of_the_oracle():
    check_all_rolls(random_positions(6, seed=20))


def test_large_batch_equals_its_parts():
    # More boards than the core's first own buffer holds: it has to grow several times, also in
    # the middle of a board's rolls.
    opening = as_array(oracle.parse_position_id("4HPwATDgc/ABMA"))
    crowded = as_array(oracle.parse_position_id("AACAkCRJqqoAAA"))
    array = np.stack([crowded, opening, crowded, crowded, opening, crowded] * 3)
    after, offsets = movegen.legal_boards_all_rolls(array)
    for i, board in enumerate(array):
        one, one_offsets = movegen.legal_boards_all_rolls(board[None])
        begin, end = offsets[21 * i], offsets[21 * i + 21]
        assert np.array_equal(after[begin:end], one)
        assert np.array_equal(offsets[21 * i : 21 * i + 22] - begin, one_offsets)
        singles = [movegen.legal_boards(board, *roll) for roll in oracle.ROLLS]
        assert np.array_equal(np.concatenate(singles), one)
    double_ones = np.tile(np.array([[1, 1]], dtype=np.uint8), (len(array), 1))
    after, offsets = movegen.legal_boards_batch(array, double_ones)
    assert np.diff(offsets).tolist() == [len(movegen.legal_boards(b, 1, 1)) for b in array]
