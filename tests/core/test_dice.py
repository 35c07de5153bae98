"""Dice streams: the generator, the strata, and statistics with fixed seeds and stated bounds."""

import pickle
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import combinations

import numpy as np
import pytest

from bgcore._core.dice import bounded, philox_words
from bgcore.dice import (
    Dice,
    DiceStream,
    ScriptedDice,
    SystemDice,
    opening_roll,
    throw,
    throw_for_start,
)
from bgcore.errors import DiceError

ALL_ROLLS = [(a, b) for a in range(1, 7) for b in range(1, 7)]
NOT_DOUBLES = [(a, b) for a, b in ALL_ROLLS if a != b]

# trials 0, 1 and 1000 of seed 2024, plies 0-3
PINNED = [
    *[(4, 4), (6, 3), (5, 1), (3, 4)],
    *[(4, 6), (6, 5), (4, 2), (4, 3)],
    *[(6, 3), (6, 5), (3, 5), (2, 3)],
]

MODES = [(True, False), (True, True), (False, False), (False, True)]


def codes(dice, trials, plies):
    """Rolls as numbers 0-35."""
    faces = dice.rolls(trials, plies).astype(np.int64)
    return (faces[..., 0] - 1) * 6 + faces[..., 1] - 1


def chi_square_z(counts):
    """How many standard deviations chi-square over equal cells is from its mean."""
    counts = np.asarray(counts, dtype=float)
    expected = counts.sum() / counts.size
    assert expected > 5
    chi2 = ((counts - expected) ** 2 / expected).sum()
    return (chi2 - (counts.size - 1)) / np.sqrt(2 * (counts.size - 1))


# ---- the generator ----


@pytest.mark.parametrize(
    ("counter", "key"),
    [
        (1, 0),
        (1, 1),
        (12345, 67890),
        (1 << 64, 1 << 64),
        ((1 << 256) - 1, (1 << 128) - 1),
        (0x0123456789ABCDEF0F1E2D3C4B5A6978 << 100, 0xFEDCBA98765432100123456789ABCDEF),
    ],
)
def test_philox_equals_numpy_for_the_same_key_and_counter(counter, key):
    # numpy adds 1 to the counter before it makes the first four words
    generator = np.random.Philox(counter=counter - 1, key=key)
    assert philox_words(counter, key) == tuple(generator.random_raw(4).tolist())


def test_philox_equals_numpy_over_many_blocks():
    key = 2**127 + 5
    words = np.random.Philox(counter=99, key=key).random_raw(4 * 1000).reshape(1000, 4)
    for i in range(1000):
        assert philox_words(100 + i, key) == tuple(words[i].tolist())


def test_philox_known_answer_of_random123():
    # kat_vectors of Random123: philox4x64 10, counter and key all ones
    ones = (1 << 64) - 1
    assert philox_words((1 << 256) - 1, (1 << 128) - 1) == (
        0x87B092C3013FE90B,
        0x438C3C67BE8D0224,
        0x9CC7D7C69CD777B6,
        0xA09CAEBF594F0BA0,
    )
    assert philox_words(0, 0) != philox_words(ones, 0)


@pytest.mark.parametrize("n", [2, 7, 30, 35, 36, 256])
def test_bounded_draws_have_no_bias(n):
    results = Counter(bounded(bits, n) for bits in range(65536))
    rejected = results.pop(None, 0)
    assert rejected == 65536 % n
    assert sorted(results) == list(range(n))
    assert set(results.values()) == {65536 // n}


# ---- strata ----


@pytest.mark.parametrize("seed", [0, 1, 2**127 + 3])
def test_36_trials_show_every_roll_once_at_every_ply(seed):
    rolls = codes(DiceStream(seed), range(36 * 50, 36 * 60), 300).reshape(10, 36, 300)
    assert (np.sort(rolls, axis=1) == np.arange(36)[None, :, None]).all()


def test_1296_trials_show_every_pair_at_any_two_of_the_first_four_plies():
    rolls = codes(DiceStream(3), range(1296 * 7, 1296 * 8), 4)
    for first, second in combinations(range(4), 2):
        assert np.unique(rolls[:, first] * 36 + rolls[:, second]).size == 1296


def test_46656_trials_show_every_triple_at_any_three_of_the_first_four_plies():
    rolls = codes(DiceStream(4), range(46656, 2 * 46656), 4)
    for plies in combinations(range(4), 3):
        assert np.unique(rolls[:, plies] @ [1296, 36, 1]).size == 46656


def test_36_to_the_fourth_trials_show_every_quadruple_of_first_rolls_once():
    rolls = codes(DiceStream(5), 36**4, 4)
    assert (np.bincount(rolls @ [46656, 1296, 36, 1], minlength=36**4) == 1).all()


@pytest.mark.parametrize("seed", range(20))
def test_37_trials_cannot_begin_with_three_double_sixes(seed):
    first = DiceStream(seed).rolls(37, 1)[:, 0]
    assert (first == 6).all(axis=1).sum() <= 2


@pytest.mark.parametrize("seed", [0, 5, 2**100])
def test_opening_30_trials_show_each_first_roll_that_is_no_double_once(seed):
    dice = DiceStream(seed, opening=True)
    for start in (0, 30, 30 * 12345):
        assert sorted(dice.roll(start + t, 0) for t in range(30)) == NOT_DOUBLES


def test_opening_strata_of_pairs_and_triples():
    rolls = codes(DiceStream(8, opening=True), range(38880, 2 * 38880), 4)
    for first, second in combinations(range(4), 2):
        assert np.unique(rolls[:1080, first] * 36 + rolls[:1080, second]).size == 1080
    for plies in combinations(range(4), 3):
        assert np.unique(rolls[:, plies] @ [1296, 36, 1]).size == 38880


def test_opening_30_trials_show_30_different_rolls_at_later_plies():
    rolls = codes(DiceStream(8, opening=True), range(3000, 3300), 200).reshape(10, 30, 200)
    ordered = np.sort(rolls[:, :, 1:], axis=1)
    assert (np.diff(ordered, axis=1) > 0).all()


def test_plain_opening_rolls_are_never_doubles_and_equally_likely():
    rolls = codes(DiceStream(9, stratified=False, opening=True), 300_000, 1)[:, 0]
    counts = np.bincount(rolls, minlength=36).reshape(6, 6)
    assert counts.trace() == 0
    # z of chi-square with 29 degrees of freedom; n = 300,000
    assert abs(chi_square_z(counts[~np.eye(6, dtype=bool)])) < 4


def test_plain_dice_repeat_first_rolls_within_36_trials():
    rolls = codes(DiceStream(1, stratified=False), 36, 1)
    assert np.unique(rolls).size < 36


def test_block_says_how_many_trials_share_a_stratum():
    assert DiceStream(1).block == 36
    assert DiceStream(1, opening=True).block == 30
    assert DiceStream(1, stratified=False, opening=True).block == 1


# ---- chance ----


@pytest.mark.parametrize(("stratified", "opening"), MODES)
def test_every_roll_is_equally_likely_at_later_plies(stratified, opening):
    # plies 1-48 of 20,000 trials, |z| < 4 for each of 48 chi-squares
    # (stratified: less than chance, so only the upper bound has a meaning)
    rolls = codes(DiceStream(11, stratified, opening), 20_000, range(1, 49))
    for ply in range(48):
        z = chi_square_z(np.bincount(rolls[:, ply], minlength=36))
        assert z < 4
        assert stratified or z > -4


@pytest.mark.parametrize(("stratified", "opening"), MODES)
@pytest.mark.parametrize("lag", [1, 2, 3, 16, 17, 128])
def test_pairs_of_plies_of_a_trial_are_independent(stratified, opening, lag):
    # 1,296 cells, 648,000 pairs in all; the permutations are reused after 128 plies
    rolls = codes(DiceStream(12, stratified, opening), 648_000 // 36, range(1, 37 + lag))
    pairs = rolls[:, :36] * 36 + rolls[:, lag : 36 + lag]
    z = chi_square_z(np.bincount(pairs.ravel(), minlength=1296))
    assert z < 4
    assert stratified or z > -4


def test_one_trial_of_stratified_dice_is_random_over_seeds():
    # 26,000 seeds: each roll (35 degrees of freedom) and each pair of rolls (1,295, cells of 20)
    # of trial 41 is equally likely; |z| < 4
    plies = [0, 1, 2, 3, 4, 40, 128]
    rolls = np.array([codes(DiceStream(seed), [41], plies)[0] for seed in range(26_000)])
    for i in range(len(plies)):
        assert abs(chi_square_z(np.bincount(rolls[:, i], minlength=36))) < 4
        for j in range(i):
            pairs = rolls[:, j] * 36 + rolls[:, i]
            assert abs(chi_square_z(np.bincount(pairs, minlength=1296))) < 4


def test_trials_that_follow_each_other_are_independent_in_plain_dice():
    rolls = codes(DiceStream(13, stratified=False), 648_001, 1)[:, 0]
    assert abs(chi_square_z(np.bincount(rolls[:-1] * 36 + rolls[1:], minlength=1296))) < 4


def test_blocks_are_shifted_independently_in_stratified_dice():
    # the first trial of 46,656 blocks at ply 5: pairs of blocks that follow each other
    rolls = codes(DiceStream(14), range(0, 36 * 46_657, 36), [5])[:, 0]
    assert abs(chi_square_z(np.bincount(rolls[:-1] * 36 + rolls[1:], minlength=1296))) < 4


@pytest.mark.parametrize(("stratified", "opening"), MODES)
def test_different_seeds_give_different_dice(stratified, opening):
    seeds = [0, 1, 2, 1 << 64, (1 << 64) + 1, (1 << 128) - 1]
    rolls = [codes(DiceStream(seed, stratified, opening), 360, 10) for seed in seeds]
    for i in range(len(seeds)):
        for j in range(i):
            # equal by chance: 1/36 of 3,600 rolls, about 100
            assert (rolls[i] == rolls[j]).sum() < 160


def test_the_opening_stream_has_its_own_first_rolls():
    assert (DiceStream(1).rolls(36, 1) != DiceStream(1, opening=True).rolls(36, 1)).any()


def test_bits_are_random_and_differ_by_purpose():
    dice = DiceStream(15)
    words = np.array(
        [[dice.bits(t, p, q) for q in range(2)] for t in range(100) for p in range(100)],
        dtype=np.uint64,
    )
    assert np.unique(words).size == words.size
    ones = np.bitwise_count(words).mean(axis=0)
    # mean of 10,000 words of 64 fair bits: s.d. 4 / 100
    assert (abs(ones - 32) < 4 * 0.04).all()
    together = np.bitwise_count(words[:, 0] ^ words[:, 1]).mean()
    assert abs(together - 32) < 4 * 0.04


def test_bits_do_not_depend_on_the_mode():
    assert DiceStream(1).bits(7, 3) == DiceStream(1, stratified=False).bits(7, 3)


# ---- the same answer whichever way it is asked ----


@pytest.mark.parametrize(("stratified", "opening"), MODES)
@pytest.mark.parametrize("start", [0, 1, 2, 3, 15, 16, 100, 2**31 - 40])
def test_rolls_in_bulk_equal_single_rolls(stratified, opening, start):
    dice = DiceStream(21, stratified, opening)
    trials = np.array([0, 1, 29, 30, 35, 36, 1295, 1296, 50_000, 2**63 - 1])
    plies = range(start, start + 40)
    many = dice.rolls(trials, plies)
    assert many.shape == (10, 40, 2)
    assert many.dtype == np.uint8
    for i, trial in enumerate(trials):
        for j, ply in enumerate(plies):
            assert tuple(many[i, j]) == dice.roll(trial, ply)


def test_rolls_that_are_drawn_again_are_the_same_in_bulk():
    # a draw is rejected once in 4,096: 200 trials of 128 plies hold about six
    for stratified in (True, False):
        dice = DiceStream(22, stratified)
        many = dice.rolls(200, 128)
        for trial in range(200):
            assert [tuple(pair) for pair in many[trial]] == [
                dice.roll(trial, ply) for ply in range(128)
            ]


def test_rolls_take_counts_ranges_arrays_and_lists():
    dice = DiceStream(23)
    expected = dice.rolls(20, 6)
    assert (dice.rolls(range(20), range(6)) == expected).all()
    assert (dice.rolls(list(range(20)), np.arange(6, dtype=np.uint16)) == expected).all()
    assert (dice.rolls([7, 3, 7], [5, 0, 1]) == expected[[7, 3, 7]][:, [5, 0, 1]]).all()
    assert (dice.rolls(range(19, -1, -1), 6) == expected[::-1]).all()
    assert dice.rolls(0, 5).shape == (0, 5, 2)
    assert dice.rolls([], []).shape == (0, 0, 2)


def test_threads_get_the_same_dice():
    dice = DiceStream(24)
    expected = dice.rolls(8 * 36, 100)
    with ThreadPoolExecutor(8) as pool:
        parts = list(pool.map(lambda i: dice.rolls(range(36 * i, 36 * i + 36), 100), range(8)))
    assert (np.concatenate(parts) == expected).all()


def test_dice_of_a_seed_are_pinned():
    # a change of these numbers is a change of the streams: say so in the change log
    assert [DiceStream(2024).roll(t, p) for t in (0, 1, 1000) for p in (0, 1, 2, 3)] == PINNED


# ---- the Python face ----


@pytest.mark.parametrize(("stratified", "opening"), MODES)
def test_a_stream_survives_pickle_and_repr(stratified, opening):
    dice = DiceStream(2**128 - 1, stratified=stratified, opening=opening)
    for again in (pickle.loads(pickle.dumps(dice)), eval(repr(dice))):
        assert again == dice
        assert hash(again) == hash(dice)
        assert again.roll(1234, 56) == dice.roll(1234, 56)
    assert (dice.seed, dice.stratified, dice.opening) == (2**128 - 1, stratified, opening)
    assert dice != DiceStream(5, stratified=stratified, opening=opening)
    assert dice != 5


def test_a_stream_cannot_be_changed():
    dice = DiceStream(1)
    for name in ("seed", "stratified", "opening", "block", "other"):
        with pytest.raises(AttributeError):
            setattr(dice, name, 1)


def test_a_seed_sequence_is_a_seed():
    dice = DiceStream(np.random.SeedSequence(5))
    assert dice == DiceStream(dice.seed)
    assert dice.seed > 2**64
    assert dice != DiceStream(np.random.SeedSequence(6))
    assert DiceStream(np.int64(5)) == DiceStream(5)


@pytest.mark.parametrize(
    "seed", [-1, 1 << 128, 1.0, True, np.True_, "1", None, float("nan"), [1], np.array([1, 2])]
)
def test_bad_seeds_are_refused(seed):
    with pytest.raises(DiceError, match="seed"):
        DiceStream(seed)


@pytest.mark.parametrize("flag", [1, "yes", None])
def test_bad_flags_are_refused(flag):
    with pytest.raises(DiceError, match="stratified"):
        DiceStream(1, stratified=flag)
    with pytest.raises(DiceError, match="opening"):
        DiceStream(1, opening=flag)


@pytest.mark.parametrize("number", [-1, 1.5, True, None, "0", 1 << 63, 1 << 200])
def test_bad_trials_and_plies_are_refused(number):
    dice = DiceStream(1)
    with pytest.raises(DiceError, match="trial"):
        dice.roll(number, 0)
    with pytest.raises(DiceError, match="ply"):
        dice.roll(0, number)
    with pytest.raises(DiceError, match="trial"):
        dice.bits(number, 0)
    with pytest.raises(DiceError, match="purpose"):
        dice.bits(0, 0, number)
    with pytest.raises(DiceError, match="trial"):
        dice.rolls([number], 1)
    with pytest.raises(DiceError, match="ply"):
        dice.rolls(1, [number])


def test_bad_batches_are_refused():
    dice = DiceStream(1)
    for bad in (-1, 1.5, np.zeros((2, 2), dtype=int), np.array(3), [0.5], range(-1, 3)):
        with pytest.raises(DiceError):
            dice.rolls(bad, 1)
    with pytest.raises(DiceError):
        dice.rolls(1, range(2**31 - 1, 2**31 + 1))


def test_the_largest_trial_and_ply_work():
    for stratified, opening in MODES:
        die1, die2 = DiceStream(1, stratified, opening).roll(2**63 - 1, 2**31 - 1)
        assert 1 <= die1 <= 6
        assert 1 <= die2 <= 6


def test_opening_roll_is_never_a_double():
    rolls = [opening_roll(7, trial) for trial in range(2000)]
    assert sorted(set(rolls)) == NOT_DOUBLES
    assert opening_roll(7) == rolls[0]


# ---- scripts ----


def test_a_script_gives_its_rolls_in_order_to_every_trial():
    dice = ScriptedDice([(3, 1), (6, 5), (4, 4)])
    assert [dice.roll(0, ply) for ply in range(3)] == [(3, 1), (6, 5), (4, 4)]
    assert dice.roll(99, 1) == (6, 5)
    assert dice.rolls(2, 3).tolist() == [[[3, 1], [6, 5], [4, 4]]] * 2
    assert dice.rolls(range(5, 8), [2]).tolist() == [[[4, 4]]] * 3
    assert dice.rolls(2, 0).shape == (2, 0, 2)
    assert len(dice) == 3


def test_a_script_that_runs_out_says_so():
    dice = ScriptedDice([(3, 1)])
    with pytest.raises(DiceError, match="run out: ply 1 was asked for, the script has 1 roll"):
        dice.roll(0, 1)
    with pytest.raises(DiceError, match="run out"):
        dice.rolls(1, 2)


def test_a_script_knows_whether_all_was_used():
    dice = ScriptedDice([(3, 1), (6, 5)])
    assert not dice.all_used
    dice.roll(0, 1)
    assert not dice.all_used
    dice.roll(0, 0)
    assert dice.all_used


@pytest.mark.parametrize(
    "rolls",
    [[(0, 1)], [(7, 1)], [(1,)], [(1, 2, 3)], [(1.0, 2)], [(True, 2)], [5], [None], ["31"]],
)
def test_bad_scripts_are_refused(rolls):
    with pytest.raises(DiceError, match="scripted roll 0"):
        ScriptedDice(rolls)
    for no_list in (5, None):
        with pytest.raises(DiceError, match="a list of rolls"):
            ScriptedDice(no_list)


def test_a_script_survives_pickle_and_repr():
    dice = ScriptedDice([(3, 1), (6, 5)])
    assert pickle.loads(pickle.dumps(dice)) == dice
    assert eval(repr(dice)) == dice
    assert dice.script == ((3, 1), (6, 5))
    assert dice != ScriptedDice([(3, 1)])


@pytest.mark.parametrize("number", [-1, 1.5, True])
def test_a_script_refuses_bad_numbers(number):
    dice = ScriptedDice([(3, 1)])
    with pytest.raises(DiceError):
        dice.roll(number, 0)
    with pytest.raises(DiceError):
        dice.roll(0, number)


def test_all_sources_have_the_same_face():
    assert isinstance(DiceStream(1), Dice)
    assert isinstance(ScriptedDice([]), Dice)
    assert isinstance(SystemDice(), Dice)


@pytest.mark.parametrize("source", [DiceStream(0), ScriptedDice([(3, 1), (6, 5)])])
def test_numbers_of_trials_and_plies_are_checked_the_same_way(source):
    for trials, plies in [(-1, 2), (2, -1), (range(-1, 1), 1), (1.0, 2), ("2", 2), ([0, -1], 1)]:
        with pytest.raises(DiceError):
            source.rolls(trials, plies)
    assert source.rolls(np.int64(3), np.uint8(2)).shape == (3, 2, 2)
    assert source.rolls(range(10**6, 10**6 + 2), range(0)).shape == (2, 0, 2)


def test_a_script_does_not_count_through_a_long_range():
    assert ScriptedDice([]).rolls(range(10**15, 2 * 10**15, 10**15), 0).shape == (1, 0, 2)
    with pytest.raises(DiceError):
        ScriptedDice([]).rolls(range(-1, 10**15), 0)


# ---- dice for the table ----


def test_system_dice_are_fair_and_do_not_remember():
    # 36,000 rolls: 36 cells of 1,000. A fair source is beyond 6 sigma once in many millions.
    assert abs(chi_square_z(np.bincount(codes(SystemDice(), 36, 1000).ravel(), minlength=36))) < 6
    assert [SystemDice().roll(0, 0) for _ in range(40)] != [SystemDice().roll(0, 0)] * 40
    assert SystemDice().rolls(range(2, 4), 0).shape == (2, 0, 2)


def test_system_dice_refuse_what_other_dice_refuse():
    with pytest.raises(DiceError):
        SystemDice().roll(-1, 0)
    with pytest.raises(DiceError):
        SystemDice().rolls(1, [True])


def test_throws_are_fair_and_repeat_with_a_seed():
    rolls = throw(36_000, seed=5)
    assert rolls == throw(36_000, seed=5) != throw(36_000, seed=6)
    assert set(rolls) == set(ALL_ROLLS)
    assert abs(chi_square_z(list(Counter(rolls).values()))) < 6
    assert len(throw()) == 1
    assert len(throw(7)) == 7


def test_throw_for_start_ends_with_the_first_dice_that_differ():
    counts = Counter()
    ties = 0
    for seed in range(3000):
        start = throw_for_start(seed=seed)
        assert all(a == b for a, b in start.throws[:-1])
        assert start.dice[start.starter] > start.dice[1 - start.starter]
        counts[start.dice] += 1
        ties += len(start.throws) - 1
    assert set(counts) == set(NOT_DOUBLES)
    assert abs(chi_square_z(list(counts.values()))) < 5
    assert abs(ties / 3000 - 0.2) < 0.05  # 1/6 + 1/36 + ...: 0.2 a start
    start = throw_for_start()
    assert start.dice[start.starter] > start.dice[1 - start.starter]


@pytest.mark.parametrize("seed", [-1, 2**128, "x", True])
def test_seeds_of_throws_are_checked(seed):
    with pytest.raises(DiceError):
        throw(seed=seed)
    with pytest.raises(DiceError):
        throw_for_start(seed=seed)


@pytest.mark.parametrize("count", [-1, 1.5, "3"])
def test_number_of_throws_is_checked(count):
    with pytest.raises(DiceError):
        throw(count)


def test_rolls_and_bits_of_pairs_are_those_of_each_trial_and_ply():
    for dice in (DiceStream(9, stratified=False), DiceStream(9), DiceStream(9, opening=True)):
        trials = np.array([0, 5, 2**40, 7, 5, 2**63 - 1])
        plies = np.array([0, 3, 1, 200, 3, 2**31 - 1])
        pairs = list(zip(trials.tolist(), plies.tolist(), strict=True))
        assert dice.rolls_at(trials, plies).tolist() == [list(dice.roll(*pair)) for pair in pairs]
        for purpose in (0, 3):
            words = dice.bits_at(trials, plies, purpose)
            assert words.tolist() == [dice.bits(*pair, purpose) for pair in pairs]
    assert dice.rolls_at([], []).shape == (0, 2)
    for wrong in (([1], [1, 2]), ([-1], [0]), ([0], [2**31]), ([0.5], [0]), ([[1]], [0])):
        with pytest.raises(DiceError):
            dice.rolls_at(*wrong)
        with pytest.raises(DiceError):
            dice.bits_at(*wrong)
    with pytest.raises(DiceError):
        dice.bits_at([0], [0], -1)
