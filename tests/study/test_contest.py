"""Plays that are dropped and picked up: a fair choice, and the same bits however it was played."""

import json
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from bgcore import Board, NetEvaluator, Rollout, StopRules, rollout
from bgcore.block_totals import OUTPUTS, BlockTotals
from bgcore.contest import Contest
from bgcore.dice import DiceStream
from bgcore.errors import RolloutError

UNIT = 2**30
BLOCK = 36
START = Board.opening()


def totals_of(n_candidates):
    return BlockTotals(n_candidates, DiceStream(0, stratified=False), keep_blocks=True)


def add(totals, values, first, end, members):
    """Add trials whose equities are given: values (T, N), in points."""
    n = end - first
    equities = np.rint(values[first:end, members] * UNIT).astype(np.int64)
    trials = np.zeros((n, len(members), len(OUTPUTS)), np.int64)
    trials[..., -1] = equities
    blocks = trials.reshape(n // BLOCK, BLOCK, *trials.shape[1:])
    size = np.abs(trials).astype(object) ** 2
    squares = size.reshape(blocks.shape).sum(axis=1)
    words = np.stack([squares % 2**64, squares // 2**64], axis=-1).astype(np.uint64)
    plies = np.full((n // BLOCK, len(members), 2), (50 * BLOCK, 50), dtype=np.int64)
    plies[:] = [50 * BLOCK, 50]
    totals.add(first, n, blocks.sum(axis=1), words, plies, trials, members)


def play(values, jsd=2.0, step=72, min_trials=72):
    """Let candidates with these values meet; return who won, the totals and the contest."""
    contest = Contest(values.shape[1], jsd, min_trials)
    totals = totals_of(values.shape[1])
    picked_up = []
    for end in range(step, len(values) + 1, step):
        for member in contest.members:
            add(totals, values, contest.ends[member], end, [member])
        contest.played(end)
        while late := contest.look(totals):
            picked_up += late
            for member in late:
                add(totals, values, contest.ends[member], end, [member])
            contest.played(end)
        if contest.is_decided:
            break
    return contest, totals, picked_up


def paired_values(rng, n_trials, means, noise=0.1):
    """Trials of candidates that share most of their luck."""
    common = rng.normal(0, 1, (n_trials, 1))
    return common + rng.normal(0, noise, (n_trials, len(means))) + np.asarray(means)


def test_the_best_of_different_plays_is_found_and_the_others_stop_early():
    rng = np.random.default_rng(1)
    contest, totals, _ = play(paired_values(rng, 7200, [0.0, 0.3, 0.29, -1.0]), jsd=4)
    assert contest.members == [1]
    counts = [totals.trials_of(i) for i in range(4)]
    assert counts[3] == 72
    assert counts[0] < counts[2] == counts[1]


def test_equal_plays_are_chosen_equally_often_wherever_they_stand():
    rng = np.random.default_rng(2)
    won = np.zeros(3)
    for _ in range(300):
        contest, totals, _ = play(paired_values(rng, 720, [0, 0, 0]), jsd=1.0)
        best = max(
            (i for i in range(3) if contest.ends[i] == contest.now),
            key=lambda i: totals.mean(i)[-1],
        )
        won[best] += 1
    # each has 100 of 300 on average; the standard deviation of a count is 8
    assert np.abs(won - 100).max() < 4 * (300 * 2 / 9) ** 0.5


def test_the_wrong_play_is_chosen_as_seldom_as_by_all_trials_alone():
    # the better one is 2 errors of all trials ahead: without dropping, 2.3 % are wrong
    rng = np.random.default_rng(3)
    n, noise = 1440, 0.1
    gap = 2 * noise * (2 / n) ** 0.5
    wrong = 0
    for _ in range(400):
        values = paired_values(rng, n, [0, gap], noise)
        wrong += play(values, jsd=3.0, min_trials=720)[0].members == [0]
    assert wrong <= 0.023 * 400


def test_what_was_played_is_not_biased():
    """Wald: sums less their expectation have mean 0, whenever a play is dropped."""
    rng = np.random.default_rng(4)
    means = [0.0, 0.01, 0.02]
    excess = []
    for _ in range(300):
        _, totals, _ = play(paired_values(rng, 720, means), jsd=1.0)
        excess.append(
            [
                totals.trials_of(i) * (totals.mean(i)[-1] - means[i])
                - totals.trials_of(2) * (totals.mean(2)[-1] - means[2])
                for i in range(2)
            ]
        )
    found = np.array(excess)
    assert (np.abs(found.mean(axis=0)) < 4 * found.std(axis=0) / 300**0.5).all()


def test_a_play_is_picked_up_when_another_one_leads():
    # 1 is behind 0 for certain, and 2 is anywhere; then 0 loses much, 2 leads, 1 is not far behind
    n = 720
    values = np.zeros((n, 3))
    values[:, 0] = np.where(np.arange(n) < 144, 0.1, -2.0)
    values[:, 2] = np.where(np.arange(n) // BLOCK % 2, 1.0, -1.0)
    contest, totals, picked_up = play(values, jsd=2, min_trials=144)
    assert picked_up == [1]
    assert totals.trials_of(1) == n
    assert totals.mean(1)[-1] == 0
    assert contest.members == [1, 2]


def test_a_play_that_is_dropped_keeps_what_it_showed():
    rng = np.random.default_rng(6)
    values = paired_values(rng, 2880, [0.5, 0.49, 0.0])
    _, totals, _ = play(values, jsd=3)
    n = totals.trials_of(2)
    assert n < totals.trials_of(0)
    assert totals.mean(2)[-1] == pytest.approx(values[:n, 2].mean(), abs=1e-8)
    # the loss is over the trials of both, whose common luck falls out
    loss, error = totals.difference(0, 2)
    paired = values[:n, 0] - values[:n, 2]
    assert loss == pytest.approx(paired.mean(), abs=1e-8)
    blocks = paired.reshape(-1, BLOCK).sum(axis=1)
    assert error == pytest.approx(blocks.std(ddof=1) * len(blocks) ** 0.5 / n, rel=1e-6)


# -- in rollouts --

RULES = StopRules(jsd=2.0, min_trials=72, check_every=72)
# with all its luck, so that it is not decided at once
HOW = {
    "seed": 3,
    "truncate": 3,
    "plays": 6,
    "evaluator": NetEvaluator("fast"),
    "luck": "none",
}


def bits(made):
    result = made.result()
    records = result.totals.records
    return (
        json.dumps(result.to_dict()),
        result.totals.to_dict(),
        records.numbers.tobytes(),
        records.sums.tobytes(),
        records.played.tobytes(),
    )


@pytest.fixture(scope="module")
def whole():
    made = Rollout(START, "64", **HOW)
    made.run(2880, stop=RULES)
    return made


def test_losing_plays_stop_early_and_rank_below(whole):
    result = whole.result()
    counts = [candidate.trials for candidate in result.candidates]
    assert min(counts) < max(counts) == result.trials
    assert result.best.trials == result.trials
    losses = [candidate.loss for candidate in result.candidates]
    assert losses == sorted(losses)
    for candidate in result.candidates[1:]:
        if candidate.trials < result.trials:
            assert candidate.loss >= 2.0 * candidate.loss_se


def test_every_dropped_play_has_the_numbers_of_its_own_trials(whole):
    for candidate in whole.result().candidates:
        alone = rollout(START, "64", trials=candidate.trials, **HOW)
        (same,) = (other for other in alone.candidates if other.play == candidate.play)
        assert same.probabilities == candidate.probabilities
        assert same.equity_cubeless == candidate.equity_cubeless
        assert same.standard_errors == candidate.standard_errors


def test_the_choice_is_that_of_all_trials(whole):
    full = rollout(START, "64", trials=2880, **HOW)
    best = full.best.play
    assert (
        whole.result().best.play == best or full.candidates[1].loss < 2 * full.candidates[1].loss_se
    )


@pytest.mark.parametrize("jobs", [2, 3])
def test_jobs_change_nothing(whole, jobs):
    made = Rollout(START, "64", **HOW)
    made.run(2880, stop=RULES, jobs=jobs)
    assert bits(made) == bits(whole)
    again = Rollout(START, "64", **HOW)
    with ThreadPoolExecutor(jobs) as pool:
        again.run(2880, stop=RULES, executor=pool, jobs=jobs)
    assert bits(again) == bits(whole)


def test_stopped_at_any_moment_and_gone_on_with_it_is_the_same(whole, tmp_path):
    path = tmp_path / "r.bgr"
    made = Rollout(START, "64", **HOW)
    calls = 0

    def cancel_often(now):
        nonlocal calls
        calls += 1
        if calls % 3 == 0:
            now.cancel()

    for _ in range(500):
        result = made.run(2880, stop=RULES, progress=cancel_often, path=path, jobs=2)
        made = Rollout.load(path, evaluator=HOW["evaluator"])
        if not result.interrupted:
            break
    assert calls > 10
    assert not result.interrupted
    assert bits(made) == bits(whole)


def test_plays_of_uneven_parts_are_merged():
    left, right = (Rollout(START, "64", keep_blocks=True, **HOW) for _ in range(2))
    trials = left.run(720, stop=RULES).trials
    assert not left.result().totals.is_even
    right.run(720, first=720)
    left.merge(right)
    assert left.trials == trials + 720
    assert min(candidate.trials for candidate in left.result().candidates) < left.trials
    whole = Rollout(START, "64", keep_blocks=True, **HOW)
    whole.run(1440)
    left.run(1440)
    assert bits(left) == bits(whole)
    with pytest.raises(RolloutError, match="in the totals already"):
        left.merge(right)


def test_with_the_cube_plays_are_dropped_by_cubeful_equity():
    from bgcore import CubeContext

    made = Rollout(START, "31", cube=CubeContext(needs=(3, 5)), plays=4, truncate=3)
    result = made.run(2880, stop=RULES)
    assert str(result.best.play) == "8/5 6/5"
    assert result.candidates[-1].trials < 2880
    assert result.candidates[-1].loss > 2 * result.candidates[-1].loss_se


def test_without_kept_blocks_nothing_is_dropped_later():
    made = Rollout(START, "64", **HOW)
    made.run(72)
    with pytest.raises(RolloutError, match="keep_blocks"):
        made.run(144, stop=RULES)
    kept = Rollout(START, "64", keep_blocks=True, **HOW)
    kept.run(72)
    with pytest.raises(RolloutError, match="keeps its blocks"):
        made.merge(kept)


def test_kept_blocks_change_no_number():
    plain = rollout(START, "64", trials=1440 + 20, **HOW)
    kept = rollout(START, "64", trials=1440 + 20, keep_blocks=True, **HOW)
    assert plain.to_dict() == kept.to_dict()
    records = kept.totals.records
    assert records.sums.shape == (40, 6, 6)
    assert records.played.all()
    assert (records.sums.sum(axis=0) == kept.totals.block_sums).all()
