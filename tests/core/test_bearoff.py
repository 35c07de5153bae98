"""Bear-off tables against published numbers, exact fractions and their own recursion."""

import pickle
import zlib
from concurrent.futures import ThreadPoolExecutor

import bearoff_oracle as oracle
import numpy as np
import pytest

from bgcore import Board, bearoff, swap_boards
from bgcore._core.bearoff import BearoffTables, build_one_sided, build_two_sided
from bgcore.errors import BoardError, TableError

UNIT = 2**30
WEIGHTS = [(a, b, 1 if a == b else 2) for a in range(1, 7) for b in range(1, a + 1)]


@pytest.fixture(scope="module")
def one():
    return bearoff.OneSided(build_one_sided())


@pytest.fixture(scope="module")
def two():
    return bearoff.TwoSided(build_two_sided())


@pytest.fixture(scope="module")
def both(one, two):
    return BearoffTables(one.arrays, two.arrays)


@pytest.fixture(scope="module")
def ranked(one):
    """All positions of up to 15 checkers, by rank."""
    positions = oracle.positions(15)
    order = sorted(positions, key=suffix_sums)
    return [np.array(p, dtype=np.int8) for p in order]


def suffix_sums(position):
    return [sum(position[:]), *(sum(position[k:]) for k in range(1, 6))]


def random_position(rng, n_checkers):
    return np.bincount(rng.integers(0, 6, n_checkers), minlength=6).astype(np.int8)


def board_of(own, other):
    """A board of two sides at home, each in his own numbering."""
    cells = np.zeros(26, dtype=np.int8)
    cells[1:7] = own
    cells[24:18:-1] = -np.asarray(other, dtype=np.int8)
    return cells


def on(*points):
    """Checkers on these points."""
    return np.bincount(np.array(points) - 1, minlength=6).astype(np.int8)


def flip(five):
    win, wg, wbg, lg, lbg = five
    return [UNIT - win, lg, lbg, wg, wbg]


# ---- ranks ----


def test_ranks_count_positions_in_the_order_of_their_suffix_sums(one, ranked):
    assert len(ranked) == 54_264
    for rank in [*range(1000), *range(1000, 54_264, 37), 54_263]:
        assert one.rank(ranked[rank]) == rank


@pytest.mark.parametrize(
    ("points", "rank"),
    [
        # GNU Backgammon's numbers of bear-off positions
        ([0, 0, 0, 0, 0, 0], 0),
        ([1, 0, 0, 0, 0, 0], 1),
        ([0, 0, 0, 0, 0, 1], 6),
        ([15, 0, 0, 0, 0, 0], 38_760),
        ([2, 2, 2, 3, 3, 3], 46_138),
        ([0, 0, 0, 0, 0, 15], 54_263),
    ],
)
def test_ranks_are_those_of_gnubg(one, points, rank):
    assert one.rank(points) == rank


# ---- one-sided ----

# points 1-6, mean, s.d. (None: not given), EPC, 36 P(1 roll), 1296 P(2 rolls), as read from
# gnubg_os0.bd
ROWS = [
    ([1, 0, 0, 0, 0, 0], 1.0, 0.0, 8.1667, 36, 0),
    ([0, 0, 0, 1, 0, 0], 1.05556, 0.22907, 8.6204, 34, 72),
    ([0, 0, 0, 0, 1, 0], 1.13889, 0.34583, 9.3009, 31, 180),
    ([0, 0, 0, 0, 0, 1], 1.25000, 0.43301, 10.2084, 27, 324),
    ([0, 2, 0, 0, 0, 0], 1.27778, 0.44790, 10.4352, 26, 360),
    ([0, 1, 0, 0, 1, 0], 1.47530, 0.50552, 12.0483, 19, 608),
    ([0, 0, 1, 1, 0, 0], 1.53086, 0.50519, 12.5020, 17, 680),
    ([1, 0, 0, 0, 0, 1], 1.58642, 0.49869, 12.9558, 15, 752),
    ([0, 0, 0, 2, 0, 0], 1.70986, 0.48663, 13.9639, 11, 880),
    ([3, 0, 0, 0, 0, 0], 1.83333, 0.37268, 14.9722, 6, 1080),
    ([4, 0, 0, 0, 0, 0], 1.83333, 0.37268, 14.9722, 6, 1080),
    ([0, 0, 0, 0, 0, 2], 2.10961, 0.57103, 17.2284, 4, 870),
    ([5, 0, 0, 0, 0, 0], 2.69444, 0.46065, 22.0046, 0, 396),
    ([6, 0, 0, 0, 0, 0], 2.69444, 0.46065, 22.0046, 0, 396),
    ([8, 0, 0, 0, 0, 0], 3.55090, 0.55044, 28.999, 0, 36),
    ([1, 1, 1, 1, 1, 1], 3.46365, 0.68854, 28.2864, 0, 95),
    ([10, 0, 0, 0, 0, 0], 4.40815, 0.62428, 36.000, None, None),
    ([12, 0, 0, 0, 0, 0], 5.26526, 0.69092, 43.000, None, None),
    ([14, 0, 0, 0, 0, 0], 6.12239, 0.75156, 50.000, None, None),
    ([15, 0, 0, 0, 0, 0], 6.97951, 0.80770, 56.999, None, None),
    ([0, 15, 0, 0, 0, 0], 7.42065, 1.00387, 60.602, None, None),
    ([0, 0, 15, 0, 0, 0], 8.45251, 1.19672, 69.029, None, None),
    ([0, 0, 0, 15, 0, 0], 9.43714, 1.33045, 77.070, None, None),
    ([0, 0, 0, 0, 15, 0], 10.82451, 1.46574, 88.400, None, None),
    ([0, 0, 0, 0, 0, 15], 12.26630, 1.51217, 100.175, None, None),
    ([2, 2, 2, 2, 2, 2], 6.36033, 0.90205, 51.943, None, None),
    ([2, 2, 2, 3, 3, 3], 8.13887, 1.07892, 66.468, None, None),
    ([0, 0, 2, 3, 4, 6], 9.94253, 1.45391, 81.197, None, None),
    ([0, 0, 0, 3, 5, 7], 10.53898, 1.52534, 86.068, None, None),
    ([0, 0, 0, 5, 5, 5], 10.07378, 1.46446, 82.269, None, None),
]


@pytest.mark.parametrize(("points", "mean", "sd", "epc", "one_roll", "two_rolls"), ROWS)
def test_one_sided_numbers_are_those_of_gnubg(one, points, mean, sd, epc, one_roll, two_rolls):
    # gnubg stores multiples of 1/65535 and cuts tails, which moves its means by up to 2e-4
    assert one.mean(points) == pytest.approx(mean, abs=2e-4)
    assert one.sd(points) == pytest.approx(sd, abs=5e-4)
    assert one.epc(points) == pytest.approx(epc, abs=2e-3)
    chances = one.distribution(points)
    if one_roll is not None:
        assert 36 * np.append(chances, 0)[1] == pytest.approx(one_roll, abs=1e-6)
        # a play that is as good for the mean may have another chance of exactly two rolls
        assert 1296 * np.append(chances, [0, 0])[2] == pytest.approx(two_rolls, abs=0.5)


@pytest.mark.parametrize(
    ("high", "counts"),
    [
        (1, [36]),
        (2, [36, 26]),
        (3, [34, 25, 17]),
        (4, [29, 23, 17, 11]),
        (5, [23, 19, 14, 10, 6]),
        (6, [15, 13, 10, 8, 6, 4]),
    ],
)
def test_rolls_that_take_two_checkers_off(one, high, counts):
    for low, count in enumerate(counts, start=1):
        assert 36 * one.distribution(on(high, low))[1] == pytest.approx(count, abs=1e-6)


@pytest.mark.parametrize("n", [10, 12, 14])
def test_an_ace_stack_of_n_rolls_has_an_epc_of_7n_plus_1(one, n):
    # Trice's rule, n // 2 rolls without doubles
    assert one.epc([n, 0, 0, 0, 0, 0]) == pytest.approx(7 * (n // 2) + 1, abs=0.01)


def test_means_are_exact_for_up_to_four_checkers(one):
    for position in oracle.positions(4):
        assert one.mean(position) == pytest.approx(float(oracle.mean_rolls(position)), abs=1e-13)


def test_means_follow_from_the_best_play_of_each_roll(one):
    # rules from the oracle, values from the table, positions of all sizes
    rng = np.random.default_rng(1)
    for n_checkers in [*range(5, 16)] * 8:
        position = tuple(random_position(rng, n_checkers).tolist())
        mean = (
            1
            + sum(
                weight * min(one.mean(end) for end in oracle.plays(position, a, b))
                for a, b, weight in WEIGHTS
            )
            / 36
        )
        assert one.mean(position) == pytest.approx(mean, abs=1e-13)


def test_distributions_follow_from_plays_with_the_least_mean(one):
    rng = np.random.default_rng(2)
    for n_checkers in [*range(5, 16)] * 4:
        position = tuple(random_position(rng, n_checkers).tolist())
        chances = np.zeros(40)
        spread = np.zeros(40)
        for a, b, weight in WEIGHTS:
            ends = oracle.plays(position, a, b)
            least = min(map(one.mean, ends))
            rows = np.array(
                [padded(one.distribution(end)) for end in ends if one.mean(end) < least + 1e-12]
            )
            chances[1:] += weight / 36 * rows.mean(axis=0)[:-1]
            spread[1:] += weight / 36 * np.ptp(rows, axis=0)[:-1]
        # ties between plays may differ in the distribution
        assert (abs(padded(one.distribution(position)) - chances) <= spread + 1e-8).all()


def padded(chances):
    return np.pad(chances, (0, 40 - len(chances)))


def test_every_row_sums_to_one_and_has_the_mean_and_deviation_that_are_stored(one):
    index, rows = one.arrays["index"].astype(int), one.arrays["rows"].astype(np.int64)
    assert (index[1:, 0] == (index[:, 0] + index[:, 2])[:-1]).all()
    assert index[-1, 0] + index[-1, 2] == len(rows)
    owner = np.repeat(np.arange(len(index)), index[:, 2])
    number = np.arange(len(rows)) - index[owner, 0] + index[owner, 1]
    sums = np.bincount(owner, weights=rows)
    assert (sums == 2**31).all()
    mean = np.bincount(owner, weights=rows * number) / 2**31
    square = np.bincount(owner, weights=rows * number**2) / 2**31
    sd = np.sqrt(np.maximum(square - mean**2, 0))
    stored_mean = np.concatenate([one.arrays["mean"], one.arrays["first_mean"]])
    stored_sd = np.concatenate([one.arrays["sd"], one.arrays["first_sd"]])
    # twenty entries rounded to 2**-31, weighted with up to 20 rolls
    np.testing.assert_allclose(mean, stored_mean, atol=1e-7)
    # the root makes errors of the variance larger where it is small
    np.testing.assert_allclose(sd**2, stored_sd**2, atol=2e-6)


def test_the_first_checker_comes_off_soonest_by_the_recursion(one):
    rng = np.random.default_rng(3)
    for _ in range(60):
        position = tuple(random_position(rng, 15).tolist())
        mean = (
            1
            + sum(
                weight
                * min(
                    one.first_mean(end) if sum(end) == 15 else 0.0
                    for end in oracle.plays(position, a, b)
                )
                for a, b, weight in WEIGHTS
            )
            / 36
        )
        assert one.first_mean(position) == pytest.approx(mean, abs=1e-13)
        chances = one.first_distribution(position)
        assert chances @ np.arange(len(chances)) == pytest.approx(mean, abs=1e-7)


def test_the_first_of_15_checkers_on_the_six_point_comes_off_by_hand(one):
    # 6-x: 11 rolls; 5-1, 4-2, 3-3, 2-2 (one checker 6 pips): 2 + 2 + 1 + 1
    assert 36 * one.first_distribution([0, 0, 0, 0, 0, 15])[1] == pytest.approx(17, abs=1e-6)


def test_15_checkers_on_the_ace_lose_the_first_at_once(one):
    assert one.first_distribution([15, 0, 0, 0, 0, 0]).tolist() == [0, 1]
    assert one.first_mean([15, 0, 0, 0, 0, 0]) == 1
    assert one.first_sd([15, 0, 0, 0, 0, 0]) == 0


def test_nothing_left_takes_no_roll(one):
    assert one.distribution([0] * 6).tolist() == [1.0]
    assert one.mean([0] * 6) == 0


# ---- probabilities of a race ----


def race_by_hand(one, own, other):
    """The five probabilities, from the distributions alone; the first side is on roll."""
    mine, theirs = padded(one.distribution(own)), padded(one.distribution(other))
    later = 1 - np.concatenate([[0], np.cumsum(theirs)])  # later[n] = P(their rolls >= n)
    win = sum(mine[n] * later[n] for n in range(1, 40))
    win_gammon = lose_gammon = 0.0
    if sum(other) == 15:
        first = np.concatenate([[0], np.cumsum(padded(one.first_distribution(other)))])
        win_gammon = sum(mine[n] * (1 - first[n]) for n in range(1, 40))
    if sum(own) == 15:
        first = np.cumsum(padded(one.first_distribution(own)))
        lose_gammon = sum(theirs[n] * (1 - first[n]) for n in range(1, 40))
    return [win, win_gammon, 0.0, lose_gammon, 0.0]


def race_boards(n, seed, most=15):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, most + 1, (n, 2))
    sizes[: n // 4, 0] = most
    sizes[n // 8 : n // 2, 1] = most
    return [(random_position(rng, a), random_position(rng, b)) for a, b in sizes]


def test_race_probabilities_are_the_sums_over_both_distributions(one):
    for own, other in race_boards(200, seed=4):
        expected = race_by_hand(one, own, other)
        # rounding of forty products
        assert one.probabilities(board_of(own, other)) == pytest.approx(expected, abs=5e-9)


def test_gammons_of_a_race_by_hand(one):
    # Two on the ace: off in one roll. 15 on the six-point have one roll, and 17 of 36 save it.
    five = one.probabilities(board_of([0, 0, 0, 0, 0, 15], on(1, 1)))
    assert five == pytest.approx([0, 0, 0, 19 / 36, 0], abs=3e-9)
    # The other way round the two are off before the 15 roll at all.
    five = one.probabilities(board_of(on(1, 1), [0, 0, 0, 0, 0, 15]))
    assert five.tolist() == [1, 1, 0, 0, 0]


def test_no_gammon_when_a_checker_is_off(one):
    five = one.probabilities(board_of(on(1, 1), [0, 0, 0, 0, 0, 14]))
    assert five.tolist() == [1, 0, 0, 0, 0]


def test_after_a_play_the_values_are_those_of_the_swapped_board_flipped(both):
    pairs = race_boards(300, seed=5) + race_boards(100, seed=6, most=6)
    boards = np.array([board_of(own, other) for own, other in pairs])
    after, after_source = both.probabilities(boards, after=True)
    before, source = both.probabilities(swap_boards(boards))
    assert (source == after_source).all()
    assert set(source) == {1, 2}
    assert after.tolist() == [flip(five) for five in before.tolist()]
    real, units = both.equities(boards, after=True)
    other_real, other_units = both.equities(swap_boards(boards))
    np.testing.assert_array_equal(real, -other_real)
    np.testing.assert_array_equal(units, -other_units)
    exact = source == 2
    assert (np.isnan(real) == ~exact).all()
    assert (units[exact] == 2 * after[exact, 0].astype(np.int64) - UNIT).all()
    # half a unit of the chance to win
    assert (abs(real[exact] * UNIT - units[exact]) <= 1).all()


def test_probabilities_are_cumulative_and_possible(both):
    boards = np.array([board_of(own, other) for own, other in race_boards(2000, seed=7)])
    five, source = both.probabilities(boards)
    assert (source > 0).all()
    assert (five >= 0).all()
    assert (five[:, 1] <= five[:, 0]).all()
    assert (five[:, 3] <= UNIT - five[:, 0]).all()
    assert (five[:, [2, 4]] == 0).all()


@pytest.mark.parametrize(
    ("cells", "source"),
    [
        (board_of(on(6), on(6)), 2),
        (board_of(on(*[6] * 6), on(*[6] * 6)), 2),
        (board_of(on(*[1] * 7), on(1)), 1),
        (board_of(on(1), on(*[1] * 7)), 1),
        (board_of([0, 0, 0, 0, 0, 15], [15, 0, 0, 0, 0, 0]), 1),
        (board_of(on(6), [0] * 6), 0),
        (board_of([0] * 6, on(6)), 0),
    ],
)
def test_which_table_covers_a_board(both, one, two, cells, source):
    for after in (False, True):
        assert both.probabilities(cells[None], after=after)[1].tolist() == [source]
        one_source = BearoffTables(one.arrays).probabilities(cells[None], after=after)[1][0]
        two_source = BearoffTables(None, two.arrays).probabilities(cells[None], after=after)[1][0]
        assert one_source == min(source, 1)
        assert two_source == (2 if source == 2 else 0)
        assert BearoffTables().probabilities(cells[None], after=after)[1][0] == 0


@pytest.mark.parametrize("place", [0, 7, 18, 25])
def test_a_checker_outside_or_on_the_bar_is_not_covered(both, place):
    cells = board_of(on(1, 2), on(1, 2))
    cells[place] = -1 if place in (0, 18) else 1
    assert both.probabilities(cells[None])[1][0] == 0
    assert both.probabilities(cells[None], after=True)[1][0] == 0
    assert np.isnan(both.equities(cells[None])[0][0])


def test_contact_is_not_covered(both):
    cells = board_of(on(6), on(6))
    cells[2] = -1
    assert both.probabilities(cells[None])[1][0] == 0


def test_one_sided_win_chances_are_near_the_exact_ones(one, two):
    # all pairs: playing for the fewest rolls on average misses 0.0009 on average, 0.014 at most
    rows = np.array([padded(one._row(rank)) for rank in range(1, 924)])
    later = 1 - np.concatenate([np.zeros((923, 1)), np.cumsum(rows, axis=1)[:, :-1]], axis=1)
    difference = abs(rows @ later.T - (1 + two.arrays["equities"][0, 1:, 1:]) / 2)
    assert difference.max() < 0.015
    assert difference.mean() < 0.001


# ---- two-sided ----

# mover, opponent, cubeless, owned, centred, opponent owns: as read from gnubg_ts0.bd
PAIRS = [
    ([6], [1], 0.49999, 0.49999, 0.49999, 0.49999),
    ([6], [6], 0.62499, 0.62499, 0.49999, 0.49999),
    ([5, 2], [1], 0.05553, 0.05553, 0.05553, 0.05553),
    ([6, 1], [1], -0.16664, -0.16664, -0.16664, -0.16664),
    ([5, 2], [5, 2], 0.49865, 0.50155, 0.47533, 0.47533),
    ([6, 5], [1], -0.66665, -0.66665, -0.66665, -0.66665),
    ([6, 6], [1, 1], -0.77777, -0.77777, -0.77777, -0.77777),
    ([4, 4], [2, 2], -0.01164, -0.00307, -0.31167, -0.31167),
    ([1] * 4, [1, 1], -0.66665, -0.66665, -0.66665, -0.66665),
    ([1] * 4, [1] * 4, 0.72219, 0.72219, 0.72219, 0.72219),
    ([1] * 6, [1] * 4, -0.49071, -0.49071, -0.72222, -0.72222),
    ([1] * 6, [1] * 6, 0.57559, 0.76852, 0.76852, 0.57559),
    ([6] * 3, [1] * 4, -0.59976, -0.57790, -0.77517, -0.79706),
    ([3, 3], [1] * 3, 0.82406, 0.82406, 0.82406, 0.82406),
    ([1, 2, 3, 4, 5, 6], [1, 2, 3, 4, 5, 6], 0.40108, 0.63671, 0.60220, 0.35109),
    ([6] * 6, [6] * 6, 0.30233, 0.54485, 0.48492, 0.22145),
]


@pytest.mark.parametrize(("own", "other", *"abcd"), PAIRS)
def test_two_sided_equities_are_those_of_gnubg(two, own, other, a, b, c, d):
    # gnubg works in whole units of 1/32767.5, 3.05e-5, and builds each value from rounded ones
    # (see the test of every entry); the numbers here are rounded to 5e-6. Two units with a few
    # checkers, up to four with six a side
    tolerance = 1.3e-4 if len(own) == 6 else 7e-5
    assert two.equities(on(*own), on(*other)) == pytest.approx((a, b, c, d), abs=tolerance)


def test_six_against_six_by_hand(two):
    # 27 rolls of 36 win; if not, the other side has 27 of 36, and I win the rest
    equities = two.equities(on(6), on(6))
    assert (equities.cubeless + 1) / 2 == pytest.approx(0.8125, abs=1e-15)
    # with a cube in reach the other side then doubles me out: 0.75 - 0.25
    assert equities.centred == pytest.approx(0.5, abs=1e-15)
    assert equities.centred_with_double == 1.0
    assert equities.owned == pytest.approx(0.625, abs=1e-15)
    assert equities.owned_with_double == 1.0
    assert equities.doubled == pytest.approx(1.0, abs=1e-15)


def test_three_rolls_against_three_rolls(two):
    # 0.78781 for the roller: bganalyses
    equities = two.equities([6, 0, 0, 0, 0, 0], [6, 0, 0, 0, 0, 0])
    assert (equities.cubeless + 1) / 2 == pytest.approx(0.78781, abs=1e-5)


def test_a_double_that_loses_is_not_made(two):
    equities = two.equities(on(6, 6), on(1, 1))
    assert equities.owned_with_double == equities.owned
    assert equities.centred_with_double == equities.centred
    assert equities.doubled == pytest.approx(2 * -7 / 9, abs=1e-15)


def test_equities_are_exact_for_up_to_two_checkers(two):
    positions = [p for p in oracle.positions(2) if sum(p)]
    for own in positions:
        for other in positions:
            exact = [float(value) for value in oracle.money(own, other)]
            assert two.equities(own, other) == pytest.approx(exact, abs=1e-14)


def lookahead(table, rank, ranked):
    """Equities of a rank on roll against all others from the values after each play.

    The plays are the oracle's, the values those of the table (4, 924, 924).
    """
    cubeless, owned, centred, opponent = table
    double = np.minimum(2 * opponent, 1)
    # a finished game is not doubled
    double[:, 0] = -1
    lanes = [cubeless, opponent, np.maximum(centred, double), np.maximum(owned, double)]
    number = {tuple(position.tolist()): rank for rank, position in enumerate(ranked[:924])}
    sums = np.zeros((4, 923))
    for a, b, weight in WEIGHTS:
        ends = [number[end] for end in oracle.plays(tuple(ranked[rank].tolist()), a, b)]
        for lane in range(4):
            sums[lane] -= weight * lanes[lane][1:, ends].min(axis=1)
    return sums / 36


def test_the_table_is_its_own_lookahead(two, ranked):
    # This is what makes a difference of table values an exact control variate.
    rng = np.random.default_rng(9)
    table = two.arrays["equities"]
    for rank in [*range(1, 30), *rng.choice(np.arange(30, 924), 40, replace=False)]:
        expected = lookahead(table, rank, ranked)
        np.testing.assert_allclose(table[:, rank, 1:], expected, rtol=0, atol=2e-15)


def test_no_roll_of_six_checkers_has_more_plays_than_there_is_room_for():
    # MOST_SUCCESSORS in bearoff.pyx is 40; the sets grow with the checkers
    sizes = [
        len(oracle.plays(position, die, die))
        for position in oracle.positions(6)
        if sum(position) == 6
        for die in range(1, 7)
    ]
    assert max(sizes) == 35


def test_a_cube_is_worth_something_to_its_owner(two):
    cubeless, owned, centred, opponent = two.arrays["equities"][:, 1:, 1:]
    assert (owned >= cubeless - 1e-12).all()
    assert (cubeless >= opponent - 1e-12).all()
    assert (owned >= centred - 1e-12).all()
    assert (centred >= opponent - 1e-12).all()
    assert (abs(two.arrays["equities"]) <= 1 + 1e-12).all()


def test_a_board_and_two_sides_give_the_same_equities(two):
    cells = board_of(on(5, 2), on(6, 1))
    expected = two.equities(on(5, 2), on(6, 1))
    assert two.equities(cells) == expected
    assert two.equities(Board(cells)) == expected
    assert two.equities(Board(cells).swapped()) == two.equities(on(6, 1), on(5, 2))


# ---- builds ----

# CRC-32 of the arrays: the same bits on every processor and operating system
CHECKSUMS = {
    "index": 692315930,
    "rows": 31649557,
    "mean": 3646085824,
    "sd": 3046061416,
    "first_mean": 203884256,
    "first_sd": 2994594219,
    "equities": 3285104333,
}


def test_tables_have_the_same_bits_everywhere(one, two):
    arrays = one.arrays | two.arrays
    assert {name: zlib.crc32(array) for name, array in arrays.items()} == CHECKSUMS


def test_threads_build_the_same_bits():
    with ThreadPoolExecutor(4) as pool:
        builds = list(pool.map(lambda _: build_one_sided(), range(4)))
    for build in builds:
        assert {name: zlib.crc32(array) for name, array in build.items()} == {
            name: CHECKSUMS[name] for name in build
        }


# ---- loading and errors ----


def test_a_process_has_one_of_each_table():
    with ThreadPoolExecutor(8) as pool:
        assert len(set(map(id, pool.map(lambda _: bearoff.tables(), range(8))))) == 1
        assert len(set(map(id, pool.map(lambda _: bearoff.one_sided(), range(8))))) == 1
    assert bearoff.two_sided() is bearoff.two_sided()
    assert bearoff.tables().has_one_sided
    assert bearoff.tables().has_two_sided
    assert not bearoff.one_sided().core.has_two_sided


def test_tables_pickle_by_name():
    for table in (bearoff.one_sided(), bearoff.two_sided()):
        assert pickle.loads(pickle.dumps(table)) is table
    with pytest.raises(TypeError, match="tables"):
        pickle.dumps(bearoff.tables())


def test_tables_cannot_be_changed(one, two):
    for array in (one.arrays | two.arrays).values():
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1


@pytest.mark.parametrize(
    "position",
    [
        [1, 2, 3],
        [1.0] * 6,
        [[1, 0, 0, 0, 0, 0]],
        [-1, 0, 0, 0, 0, 0],
        [16, 0, 0, 0, 0, 0],
        [300, 0, 0, 0, 0, 0],
        [8, 8, 0, 0, 0, 0],
        "text",
        None,
        [float("nan")] * 6,
    ],
)
def test_bad_positions_are_refused(one, two, position):
    for call in (one.mean, one.distribution, one.first_mean, two.rank):
        with pytest.raises(BoardError):
            call(position)


def test_positions_outside_a_table_are_refused(one, two):
    outside = board_of(on(1, 1), on(1))
    outside[7] = 1
    with pytest.raises(BoardError, match="outside"):
        one.mean(outside)
    with pytest.raises(BoardError, match="covers"):
        one.probabilities(outside)
    with pytest.raises(BoardError, match="covers"):
        one.probabilities(board_of(on(1), [0] * 6))
    with pytest.raises(BoardError, match="15 checkers"):
        one.first_mean(on(1, 1))
    with pytest.raises(BoardError, match="up to 6"):
        two.rank(on(*[1] * 7))
    with pytest.raises(BoardError, match="covers"):
        two.equities(board_of(on(*[1] * 7), on(1)))
    with pytest.raises(BoardError, match="over"):
        two.equities(on(1), [0] * 6)
    with pytest.raises(BoardError, match="shape"):
        two.equities(on(1))
    with pytest.raises(BoardError):
        one.probabilities(board_of([16, 0, 0, 0, 0, 0], on(1)))


def test_a_board_gives_the_side_on_roll(one):
    cells = board_of(on(5, 2), [0, 0, 0, 0, 0, 15])
    assert one.mean(cells) == one.mean(on(5, 2))
    assert one.mean(Board(cells).swapped()) == one.mean([0, 0, 0, 0, 0, 15])


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("index", lambda a: a[:-1]),
        ("index", lambda a: a.astype(np.int64)),
        ("index", lambda a: a + np.uint32(1)),
        ("rows", lambda a: a[:-1]),
        ("rows", lambda a: a.astype(np.float32)),
        ("equities", lambda a: a[:, :-1]),
        ("equities", lambda a: a.astype(np.float32)),
        ("equities", lambda a: np.asfortranarray(a)),
    ],
)
def test_arrays_that_do_not_fit_are_refused(one, two, name, change):
    arrays = one.arrays | two.arrays
    arrays[name] = change(arrays[name])
    with pytest.raises(TableError):
        BearoffTables(arrays, arrays)


# ---- peers ----


@pytest.mark.peers
def test_every_entry_of_gnubgs_two_sided_table(two, ranked):
    data = _gnubg_data("gnubg_ts0.bd")
    theirs = data[40:].view("<u2").reshape(924, 924, 4) / 32767.5 - 1
    theirs = np.moveaxis(theirs, 2, 0).copy()
    assert abs(two.arrays["equities"] - theirs)[:, 1:, 1:].max() < 1.3e-4
    # Where that comes from: gnubg works in whole units of 1/32767.5, and each of its values is
    # the lookahead over its own values to one and a half units.
    theirs[:, :, 0] = -1
    theirs[:, 0, 1:] = 1
    for rank in range(1, 924, 7):
        error = (lookahead(theirs, rank, ranked) - theirs[:, rank, 1:]) * 32767.5
        assert abs(error).max() < 1.5


@pytest.mark.peers
def test_every_entry_of_gnubgs_one_sided_table(one):
    data = _gnubg_data("gnubg_os0.bd")
    index = data[40 : 40 + 8 * 54_264].reshape(54_264, 8)
    start = index[:, :4].copy().view("<u4")[:, 0]
    values = data[40 + 8 * 54_264 :].view("<u2") / 65535
    number = np.arange(40)
    for rank in range(54_264):
        count, first, gammon_count, gammon_first = index[rank, 4:]
        row = values[start[rank] : start[rank] + count]
        mean = row @ number[first : first + count]
        assert abs(mean - one.arrays["mean"][rank]) < 2e-4
        if rank >= 38_760:
            row = values[start[rank] + count : start[rank] + count + gammon_count]
            mean = row @ number[gammon_first : gammon_first + gammon_count]
            assert abs(mean - one.arrays["first_mean"][rank - 38_760]) < 1e-4


def _gnubg_data(name):
    from importlib.resources import files

    gnubg_nn = pytest.importorskip("gnubg_nn")
    return np.frombuffer((files(gnubg_nn) / "data" / name).read_bytes(), dtype=np.uint8)


@pytest.mark.parametrize("wrong", [[[1, 2], [3]], "abc", None, [1j] * 6, {}])
def test_what_is_no_position_is_a_board_error(wrong):
    one, two = bearoff.one_sided(), bearoff.two_sided()
    for ask in (one.mean, one.probabilities, two.equities, two.rank):
        with pytest.raises(BoardError):
            ask(wrong)
