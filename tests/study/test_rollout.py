"""Rollouts: exact cases, truth of means and errors, policies, threads, bad input."""

import json
import signal
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction

import numpy as np
import pytest
from all_plays import net_of_all_plays

from bgcore import Board
from bgcore._core import playout as core
from bgcore.bearoff import two_sided
from bgcore.block_totals import OUTPUTS, BlockTotals
from bgcore.dice import DiceStream
from bgcore.errors import BoardError, DiceError, EvaluatorError, RolloutError
from bgcore.evaluators import NetEvaluator
from bgcore.policies import BestPlay
from bgcore.rollout import rollout

OPENING = Board.opening()


def make_board(own: dict[int, int], opponent: dict[int, int]) -> Board:
    """Checkers by point, both counted by the player on roll."""
    cells = np.zeros(26, np.int8)
    for point, n in own.items():
        cells[point] += n
    for point, n in opponent.items():
        cells[point] -= n
    return Board(cells)


#: An own checker on the bar against blots, the opponent bearing off: hit or lose.
HIT_OR_MISS = make_board({25: 1, 6: 3, 5: 3, 4: 2, 3: 2, 2: 2, 1: 2}, {22: 1, 24: 2, 20: 2})


class Wrapped:
    """The shipped net behind a Python object."""

    def __init__(self):
        self.net = net_of_all_plays()
        self.calls = 0

    def evaluate(self, boards):
        self.calls += 1
        assert boards.dtype == np.int8
        assert boards.flags.c_contiguous
        assert (boards > 0).any(axis=1).all()
        assert (boards < 0).any(axis=1).all()
        return self.net.evaluate(boards)


# ---- exact cases ----


def test_one_checker_each_on_the_six_point():
    # 27 of 36 rolls bear off from the 6-point; after a miss the opponent has the same chance, and
    # then the first side, which is nearer now, is off with any roll: 0.75 + 0.25 * 0.25
    board = make_board({6: 1}, {19: 1})
    for luck in ("none", "table"):
        result = rollout(board, trials=1296, policy="pips", luck=luck)
        assert result.best.win == 0.8125
        assert result.best.equity_cubeless == 0.625
    assert result.best.mean_plies > 1


def test_the_design_that_shows_every_sequence_has_no_error():
    board = make_board({6: 1}, {19: 1})
    whole = rollout(board, trials=1296, policy="pips", luck="none", stop_at_tables=False)
    assert whole.totals.longest[0] == 3
    # three plies need 46,656 trials
    assert whole.best.equity_se > 0
    whole = rollout(board, trials=46_656, policy="pips", luck="none", stop_at_tables=False)
    assert whole.best.standard_errors == (0.0,) * 6
    assert whole.best.win == 0.8125
    cut = rollout(OPENING, trials=36, truncate=1)
    assert cut.best.standard_errors == (0.0,) * 6
    assert rollout(OPENING, trials=35, truncate=1).best.equity_se > 0
    assert rollout(OPENING, trials=1296, truncate=2).best.equity_se == 0
    assert rollout(OPENING, trials=30, truncate=1, opening=True).best.equity_se == 0
    # random plays are not exhausted by the rolls
    assert rollout(OPENING, trials=36, truncate=1, policy="random").best.equity_se > 0


@pytest.mark.parametrize(
    ("own", "opponent", "expected"),
    [
        ({17: 15}, {24: 8}, {"win": 0.0, "lose_gammon": 1.0, "lose_backgammon": 0.0}),
        ({1: 8}, {2: 15}, {"win": 1.0, "win_gammon": 1.0, "win_backgammon": 1.0}),
    ],
)
def test_results_that_no_dice_can_change(own, opponent, expected):
    result = rollout(make_board(own, opponent), trials=72, policy="random")
    for name, value in expected.items():
        assert getattr(result.best, name) == value
    assert result.best.standard_errors == (0.0,) * 6


def uncertain_bear_offs(n: int) -> list[tuple[Board, float]]:
    """Boards of six checkers a side with a win probability between 0.2 and 0.8, and this."""
    rng = np.random.default_rng(2024)
    found = []
    while len(found) < n:
        own = np.bincount(rng.integers(1, 7, 6), minlength=7)[1:]
        other = np.bincount(rng.integers(1, 7, 6), minlength=7)[1:]
        win = (1 + two_sided().equities(own, other).cubeless) / 2
        if 0.2 < win < 0.8:
            cells = np.zeros(26, np.int8)
            cells[1:7] = own
            cells[24:18:-1] = -other
            found.append((Board(cells), win))
    return found


def test_fifty_bear_offs_agree_with_the_exact_table():
    # Plain trials to the last checker. The 50 z-scores are like those of a standard normal: none
    # beyond 4, and their mean square is within 4.5 standard deviations, sqrt(2 / 50), of 1.
    z = []
    for i, (board, win) in enumerate(uncertain_bear_offs(50)):
        plain = rollout(
            board,
            policy="table",
            luck="none",
            stop_at_tables=False,
            stratified=False,
            trials=2000,
            seed=i,
        ).best
        assert plain.mean_plies > 4
        z.append((plain.win - win) / plain.standard_errors[0])
        assert plain.equity_cubeless == pytest.approx(2 * plain.win - 1, abs=1e-12)
    assert np.abs(z).max() < 4
    assert abs(np.mean(np.square(z)) - 1) < 4.5 * (2 / 50) ** 0.5
    assert abs(np.mean(z)) < 4 / 50**0.5


def test_the_table_as_luck_gives_its_value_without_error():
    for board, win in uncertain_bear_offs(50):
        exact = rollout(board, policy="table", luck="table", stop_at_tables=False, trials=108)
        assert exact.best.standard_errors == (0.0,) * 6
        assert exact.best.win == pytest.approx(win, abs=2**-30)
        assert exact.best.mean_plies > 4


def test_stopping_at_the_table_gives_its_value_without_error():
    board, win = uncertain_bear_offs(1)[0]
    result = rollout(board, trials=1)
    assert result.best.win == pytest.approx(win, abs=2**-30)
    assert result.best.equity_se == 0
    assert result.best.mean_plies == 0


# ---- luck ----


@pytest.mark.parametrize("truncate", [None, 7])
def test_taking_luck_out_moves_no_mean(truncate):
    # The same trials with and without: the mean of the difference is 0. Bound: 4.5 standard
    # errors of the difference, dice without strata.
    net = NetEvaluator().core
    for board in (OPENING, HIT_OR_MISS):
        settings = {
            "policy": core.BEST_PLAY,
            "player": net,
            "evaluator": net,
            "truncate": truncate or 0,
        }
        dice = DiceStream(3, stratified=False)
        n = 800
        plain, _ = core.Playout(dice, **settings).trial_values(board.to_array(), False, 0, n)
        lucky, _ = core.Playout(dice, luck=core.PLAYER_LUCK, **settings).trial_values(
            board.to_array(), False, 0, n
        )
        difference = (lucky - plain) * 2.0**-30
        error = difference.std(axis=0, ddof=1) / n**0.5
        assert (np.abs(difference.mean(axis=0)) <= 4.5 * error).all()
        # what is taken out is most of the spread
        assert lucky[:, 5].std() < 0.6 * plain[:, 5].std()


def test_what_the_rules_exclude_stays_at_nothing_whatever_the_luck():
    # both sides have borne off checkers, so there are no gammons; contact is left
    board = make_board({25: 1, 6: 4, 5: 4, 4: 3}, {22: 1, 24: 2, 20: 2})
    best = rollout(board, trials=72, stop_at_tables=False).best
    assert best.probabilities[1:] == (0.0,) * 4
    assert best.standard_errors[1:5] == (0.0,) * 4
    assert best.equity_se > 0


# ---- standard errors ----


def pooled_ratio(boards, trials: int, seeds: int, **settings) -> np.ndarray:
    """Stated variance over the variance seen over seeds, pooled over boards."""
    stated = np.zeros(6)
    seen = np.zeros(6)
    for board in boards:
        results = [rollout(board, trials=trials, seed=s, **settings) for s in range(seeds)]
        means = np.array([r.totals.mean(0) for r in results])
        errors = np.array([r.totals.standard_errors(0) for r in results])
        stated += (errors**2).mean(axis=0)
        seen += means.var(axis=0, ddof=1)
    return stated / seen


def test_stated_errors_are_those_seen_over_seeds():
    # 3 boards, 80 seeds: the ratio of variances has a standard deviation of about sqrt(2 / 160),
    # a little more where one board dominates. Bound: 4 of them.
    boards = [OPENING, HIT_OR_MISS, make_board({10: 2, 6: 5, 5: 4, 3: 4}, {15: 3, 19: 6, 22: 6})]
    ratio = pooled_ratio(boards, 180, 80, policy="pips")
    assert np.abs(np.log(ratio)).max() < 4 * (2 / 160) ** 0.5


#: Ten positions, three of them hit-or-miss shots.
TEN_BOARDS = {
    "opening": OPENING,
    "shot from the 20-point": make_board(
        {20: 1, 6: 3, 5: 3, 4: 3, 3: 3, 2: 2}, {14: 1, 23: 3, 24: 2}
    ),
    "shot from the bar": HIT_OR_MISS,
    "double shot": make_board({13: 1, 18: 1, 6: 3, 5: 3, 4: 3, 3: 2, 2: 2}, {9: 1, 22: 2, 23: 3}),
    "bearing off against a blot": make_board(
        {15: 1, 6: 2, 5: 2, 4: 2, 1: 3}, {20: 2, 23: 2, 19: 3, 22: 2, 24: 3, 18: 1, 2: 1}
    ),
    "race": make_board(
        {10: 2, 9: 2, 8: 2, 6: 3, 5: 3, 4: 3}, {15: 2, 16: 2, 17: 3, 19: 3, 20: 3, 21: 2}
    ),
    "bear-off": make_board({6: 2, 5: 2, 3: 2, 1: 1}, {19: 2, 21: 2, 22: 2, 24: 2}),
    "holding game": make_board(
        {13: 3, 8: 2, 6: 4, 5: 2, 20: 2, 3: 2}, {12: 3, 17: 3, 19: 4, 21: 2, 18: 3}
    ),
    "back game": make_board(
        {24: 2, 22: 2, 13: 2, 8: 3, 6: 4, 4: 2}, {12: 2, 17: 3, 18: 2, 19: 3, 20: 3, 7: 2}
    ),
    "prime": make_board(
        {8: 3, 7: 2, 6: 2, 5: 2, 4: 2, 3: 2, 13: 2}, {2: 2, 17: 3, 19: 4, 20: 2, 21: 2, 12: 2}
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("trials", [360, 1296, 2600])
@pytest.mark.parametrize("policy", ["net", "pips"])
def test_stated_errors_are_those_seen_over_200_seeds(policy, trials):
    # The pooled ratio has a standard deviation of about 0.05 where no board dominates.
    ratio = pooled_ratio(TEN_BOARDS.values(), trials, 200, policy=policy, jobs=2)
    assert (ratio > 0.85).all(), ratio
    assert (ratio < 1.15).all(), ratio


def test_the_error_of_plain_dice_is_that_of_single_trials():
    result = rollout(OPENING, trials=360, policy="pips", stratified=False, luck="none")
    win = result.best.win
    assert result.best.standard_errors[0] == pytest.approx((win * (1 - win) / 359) ** 0.5)


def test_one_trial_has_no_error():
    result = rollout(OPENING, trials=1, policy="pips")
    assert np.isnan(result.best.equity_se)
    as_json = json.loads(json.dumps(result.to_dict()))
    assert as_json["candidates"][0]["equity_cubeless_se"] is None


# ---- the same bits ----


def same(first, second) -> bool:
    return json.dumps(first.to_dict()) == json.dumps(second.to_dict())


def test_jobs_and_the_order_of_the_work_change_nothing():
    one = rollout(OPENING, "31", trials=300, plays=3, truncate=8)
    for jobs in (2, 3):
        assert same(one, rollout(OPENING, "31", trials=300, plays=3, truncate=8, jobs=jobs))
    whole = rollout(HIT_OR_MISS, trials=1500)
    assert same(whole, rollout(HIT_OR_MISS, trials=1500, jobs=2))
    with ThreadPoolExecutor(2) as pool:
        assert same(one, rollout(OPENING, "31", trials=300, plays=3, truncate=8, executor=pool))


def test_totals_do_not_depend_on_the_order_or_the_split():
    playout = core.Playout(DiceStream(1), core.RANDOM_PLAY)
    boards = OPENING.to_array()[None]
    whole = BlockTotals(1, DiceStream(1))
    whole.add(0, 36 * 80 + 5, *playout.blocks(boards, False, 0, 36 * 80 + 5, 36))
    pieces = [(36 * b, 36) for b in range(80)] + [(36 * 80, 5)]
    np.random.default_rng(1).shuffle(pieces)
    left, right = BlockTotals(1, DiceStream(1)), BlockTotals(1, DiceStream(1))
    for i, (first, n) in enumerate(pieces):
        (left if i % 3 else right).add(first, n, *playout.blocks(boards, False, first, n, 36))
    left.merge(right)
    assert left.ranges == [(0, 36 * 80 + 5)]
    assert left.mean(0) == whole.mean(0)
    assert left.standard_errors(0) == whole.standard_errors(0)
    with pytest.raises(RolloutError, match="trials 36 to 71 are in the totals already"):
        left.add(36, 36, *playout.blocks(boards, False, 36, 36, 36))
    with pytest.raises(RolloutError, match="in the totals already"):
        left.merge(whole)
    with pytest.raises(RolloutError, match="do not begin with a whole block"):
        left.add(40_000, 36, *playout.blocks(boards, False, 40_000, 36, 36))
    with pytest.raises(RolloutError, match="different kinds"):
        left.merge(BlockTotals(2, DiceStream(1)))
    with pytest.raises(RolloutError, match="different kinds"):
        left.merge(BlockTotals(1, DiceStream(2)))


def test_means_are_the_exact_sums():
    playout = core.Playout(DiceStream(1), core.RANDOM_PLAY)
    values, _ = playout.trial_values(OPENING.to_array(), False, 0, 100)
    result = rollout(OPENING, trials=100, policy="random", seed=1)
    for v, name in enumerate(OUTPUTS):
        exact = Fraction(int(values[:, v].sum()), 100 * 2**30)
        assert getattr(result.best, name) == float(exact)


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"truncate": 5},
        {"truncate": 4, "luck": "player"},
        {"luck": "player+table", "stop_at_tables": False},
        {"dice": "31", "plays": 3, "truncate": 6},
        {"opening": True},
    ],
)
def test_the_net_behind_python_gives_the_same_bits(settings):
    settings = dict(settings)
    dice = settings.pop("dice", None)
    for board in (OPENING, HIT_OR_MISS):
        inner = rollout(board, dice, trials=75, evaluator=net_of_all_plays(), **settings)
        outer = rollout(board, dice, trials=75, evaluator=Wrapped(), **settings)
        assert same(inner, outer)
        assert [c.play for c in inner.candidates] == [c.play for c in outer.candidates]


def test_a_policy_is_asked_once_a_ply_for_all_trials():
    class Counting(BestPlay):
        calls = 0

        def choose(self, boards, plays, offsets):
            self.calls += 1
            assert len(offsets) == len(boards) + 1
            assert offsets[-1] == len(plays)
            assert (np.diff(offsets) > 0).all()
            return super().choose(boards, plays, offsets)

    net = net_of_all_plays()
    policy = Counting(net)
    result = rollout(OPENING, trials=200, policy=policy, evaluator=net, stop_at_tables=True)
    # not at plies at which nobody can move
    assert result.totals.longest[0] / 2 < policy.calls <= result.totals.longest[0]
    assert same(result, rollout(OPENING, trials=200, evaluator=net))


@pytest.mark.parametrize("policy", ["random", "pips", "table", "net"])
def test_an_evaluator_in_python_values_trials_of_every_policy(policy):
    settings = {"trials": 80, "policy": policy, "truncate": 4}
    for board in (HIT_OR_MISS, uncertain_bear_offs(1)[0][0]):
        inner = rollout(board, stop_at_tables=False, **settings)
        outer = rollout(board, stop_at_tables=False, evaluator=Wrapped(), **settings)
        assert same(inner, outer)


def test_an_evaluator_as_policy_plays_and_the_other_one_values():
    class Cautious:
        def evaluate(self, boards):
            return np.tile(np.float32([0.5, 0.1, 0, 0.1, 0]), (len(boards), 1))

    options = {"policy": "net", "evaluator": Cautious(), "truncate": 4, "luck": "none"}
    inner = rollout(OPENING, trials=72, **options)
    # two plies each, and the same constant at the end
    assert inner.best.equity_cubeless == 0
    assert inner.best.win_gammon == pytest.approx(0.1)


# ---- plays ----


def test_plays_are_ranked_and_share_their_dice():
    result = rollout(OPENING, (3, 1), trials=360, truncate=6)
    assert len(result.candidates) == 8
    assert str(result.best.play) == "8/5 6/5"
    equities = [c.equity_cubeless for c in result.candidates]
    assert equities == sorted(equities, reverse=True)
    assert result.best.loss == 0
    assert result.best.loss_se == 0
    for candidate in result.candidates[1:]:
        assert candidate.loss == pytest.approx(
            result.best.equity_cubeless - candidate.equity_cubeless
        )
        assert 0 < candidate.loss_se < 3 * (candidate.equity_se + result.best.equity_se)
        alone = rollout(candidate.board.swapped(), trials=360, truncate=6).best
        assert candidate.equity_cubeless == pytest.approx(-alone.equity_cubeless, abs=1e-12)
        assert candidate.equity_se == pytest.approx(alone.equity_se)
    assert len(rollout(OPENING, "31", trials=1, truncate=1, plays="all").candidates) == 16


def test_a_play_that_ends_the_game_is_worth_its_points():
    board = make_board({1: 2}, {24: 15})
    result = rollout(board, "21", trials=5)
    assert str(result.best.play) == "1/off(2)"
    assert result.best.equity_cubeless == 2
    assert result.best.standard_errors == (0.0,) * 6


def test_no_legal_play_is_one_empty_play():
    board = make_board({25: 1, 6: 14}, {24: 3, 23: 3, 22: 3, 21: 3, 20: 2, 19: 1})
    closed = make_board({25: 1, 6: 14}, {24: 2, 23: 2, 22: 2, 21: 2, 20: 2, 19: 5})
    result = rollout(closed, "65", trials=36, truncate=2)
    assert str(result.best.play) == "(no play)"
    assert result.best.board == closed
    assert len(rollout(board, "66", trials=36, truncate=2).candidates) == 1


# ---- ctrl-C and progress ----


def test_progress_counts_up_to_the_end():
    seen = []
    rollout(OPENING, trials=3000, policy="random", progress=seen.append)
    assert seen[-1].done == seen[-1].total == 3000
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    assert seen[-1].seconds_left == 0
    assert seen[-1].games_per_second > 0


@pytest.mark.thread_unsafe
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_returns_what_is_done(jobs):
    def stop(progress):
        if progress.done >= 36:
            signal.raise_signal(signal.SIGINT)

    result = rollout(OPENING, trials=500_000, policy="random", progress=stop, jobs=jobs)
    assert result.interrupted
    assert 36 <= result.trials < 500_000
    assert result.trials % 36 == 0
    assert result.trials_wanted == 500_000
    if jobs == 1:
        again = rollout(OPENING, trials=result.trials, policy="random")
        assert again.best == result.best


def test_ctrl_c_before_anything_is_done_is_passed_on():
    class Stops:
        def choose(self, boards, plays, offsets):
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        rollout(OPENING, trials=36, policy=Stops())


def test_memory_does_not_grow_with_the_trials():
    few = rollout(OPENING, trials=36, policy="random").totals
    many = rollout(OPENING, trials=36 * 200, policy="random").totals
    assert few.first_values.shape == many.first_values.shape
    assert few.ranges == [(0, 36)]
    assert many.ranges == [(0, 7200)]


# ---- bad input ----


@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"trials": 0}, RolloutError, "trials must be 1 to"),
        ({"trials": -5}, RolloutError, "trials must be 1 to"),
        ({"trials": True}, RolloutError, "trials must be a whole number"),
        ({"trials": 36.0}, RolloutError, "trials must be a whole number"),
        ({"trials": 2**40 + 1}, RolloutError, "trials must be 1 to 1099511627776"),
        ({"trials": "36"}, RolloutError, "trials must be a whole number"),
        ({"seed": -1}, DiceError, "seed"),
        ({"seed": 2**128}, DiceError, "seed"),
        ({"seed": 1.5}, DiceError, "seed"),
        ({"truncate": 0}, RolloutError, "truncate must be 1 to"),
        ({"truncate": 2.5}, RolloutError, "truncate must be a whole number"),
        ({"jobs": 0}, RolloutError, "jobs must be 1 to"),
        ({"jobs": None}, RolloutError, "jobs must be a whole number"),
        ({"luck": "net net"}, RolloutError, "no luck 'net net'"),
        ({"policy": "best"}, RolloutError, "no policy 'best'"),
        ({"jobs": 1025}, RolloutError, "jobs must be 1 to 1024"),
        ({"policy": object()}, RolloutError, "method choose.* or evaluate"),
        ({"policy": BestPlay}, RolloutError, "method choose.* or evaluate"),
        ({"evaluator": object()}, RolloutError, "method evaluate"),
        ({"evaluator": NetEvaluator}, RolloutError, "method evaluate"),
        ({"executor": object()}, RolloutError, "method submit"),
        ({"executor": ThreadPoolExecutor}, RolloutError, "method submit"),
        ({"progress": 1}, RolloutError, "progress must be callable"),
        ({"plays": 3}, RolloutError, "only be chosen if dice"),
        ({"dice": "31", "plays": 0}, RolloutError, "plays must be 1 to"),
        ({"dice": "31", "plays": "some"}, RolloutError, "number or 'all'"),
        ({"dice": "31", "opening": True}, RolloutError, "exclude each other"),
        ({"opening": 1}, RolloutError, "opening must be True or False"),
        ({"stop_at_tables": 1}, RolloutError, "stop_at_tables must be True or False"),
        ({"dice": "71"}, DiceError, "1 to 6"),
        ({"dice": (3,)}, DiceError, "two dice"),
        ({"dice": "3"}, DiceError, "cannot be read"),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings, error, message):
    with pytest.raises(error, match=message):
        rollout(OPENING, **{"trials": 36, "truncate": 1, **settings})


def test_boards_that_cannot_be_rolled_out_are_refused():
    crowded = [0] * 26
    crowded[5] = 16
    crowded[20] = -5
    with pytest.raises(BoardError, match="too many checkers"):
        rollout(crowded)
    with pytest.raises(BoardError, match="shape"):
        rollout([1, 2, 3])
    closed = {i: 2 for i in range(1, 7)}
    stuck = make_board_unchecked({**closed, 25: 1}, {**{25 - i: 2 for i in range(1, 7)}, 0: 1})
    with pytest.raises(BoardError, match="closed"):
        rollout(stuck)
    with pytest.raises(BoardError, match="the game is over"):
        rollout(make_board({}, {24: 3}))


def make_board_unchecked(own, opponent) -> list[int]:
    cells = [0] * 26
    for point, n in own.items():
        cells[point] += n
    for point, n in opponent.items():
        cells[point] -= n
    return cells


class Returns:
    def __init__(self, value):
        self.value = value

    def evaluate(self, boards):
        return self.value(boards)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (lambda b: None, "Returns: .*array|Returns: .*shape"),
        (lambda b: np.zeros((len(b), 4)), "Returns: .*shape"),
        (lambda b: np.full((len(b), 5), np.nan), "Returns: .*nan"),
        (lambda b: np.full((len(b), 5), 2.0), "Returns: .*2.0"),
        (lambda b: np.zeros((len(b) + 1, 5)), "Returns: .*shape"),
        (lambda b: [["a"] * 5] * len(b), "Returns: .*array"),
        (lambda b: np.full((len(b), 5), 1e300), "Returns: .*inf"),
    ],
)
def test_what_a_users_evaluator_returns_is_checked(value, message):
    with pytest.raises(EvaluatorError, match=message):
        rollout(OPENING, trials=36, evaluator=Returns(value))
    with pytest.raises(EvaluatorError, match=message):
        rollout(OPENING, "31", trials=36, truncate=2, policy="net", evaluator=Returns(value))


class Chooses:
    def __init__(self, value):
        self.value = value

    def choose(self, boards, plays, offsets):
        return self.value(boards)


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (lambda b: None, "policy Chooses returned object of shape"),
        (lambda b: np.zeros(len(b)), "policy Chooses returned float64"),
        (lambda b: np.zeros(len(b) + 1, int), "policy Chooses returned int64 of shape"),
        (lambda b: np.full(len(b), 5000), "policy Chooses chose play 5000"),
        (lambda b: np.full(len(b), -1), "policy Chooses chose play -1"),
    ],
)
def test_what_a_users_policy_returns_is_checked(value, message):
    with pytest.raises(EvaluatorError, match=message):
        rollout(OPENING, trials=36, policy=Chooses(value))


def test_a_policy_cannot_change_the_plays_that_are_made():
    class Scribbles(BestPlay):
        def choose(self, boards, plays, offsets):
            chosen = super().choose(boards, plays, offsets)
            boards[:] = 0
            offsets[:] = 0
            with pytest.raises(ValueError, match="read-only"):
                plays[:] = 0
            return chosen

    settings = {"trials": 36, "truncate": 5}
    plain = rollout(OPENING, policy=BestPlay(NetEvaluator()), **settings)
    assert rollout(OPENING, policy=Scribbles(NetEvaluator()), **settings).candidates == (
        plain.candidates
    )


def test_an_evaluator_that_chooses_in_another_way_plays_by_its_values():
    class Player:  # of duels
        def choose(self, boards, dice, games, ply):
            raise AssertionError

        def evaluate(self, boards):
            return NetEvaluator().evaluate(boards)

    settings = {"trials": 36, "truncate": 3}
    assert rollout(OPENING, policy=Player(), **settings).candidates == (
        rollout(OPENING, **settings).candidates
    )


def test_a_best_play_needs_an_evaluator():
    for wrong in (None, NetEvaluator, "net"):
        with pytest.raises(EvaluatorError, match="method evaluate"):
            BestPlay(wrong)


def test_errors_of_users_objects_come_through_threads():
    with pytest.raises(EvaluatorError, match="Chooses"):
        rollout(OPENING, trials=7200, policy=Chooses(lambda b: None), jobs=3)


def test_a_result_holds_what_it_came_from():
    result = rollout(OPENING, "31", trials=36, truncate=2, plays=2, seed=5)
    as_json = json.loads(json.dumps(result.to_dict()))
    assert as_json["id"] == OPENING.position_id
    assert as_json["dice"] == [3, 1]
    assert as_json["seed"] == 5
    assert as_json["trials"] == 36
    for candidate in as_json["candidates"]:
        for name in OUTPUTS:
            assert isinstance(candidate[name], float)
            assert isinstance(candidate[f"{name}_se"], float)
        assert isinstance(candidate["play"], str)
    assert rollout(OPENING, trials=36, truncate=1).to_dict()["candidates"][0]["play"] is None


# ---- other numbers of checkers ----


def test_what_a_gammon_is_depends_on_the_number_of_checkers():
    # two checkers on each ace point, and he is on roll: of two none is off, a gammon; of fifteen
    # thirteen are off, a single game
    cells = [0, 2, *[0] * 22, -2, 0]
    for n, gammon in ((2, 1), (15, 0)):
        best = rollout(Board(cells, n_checkers=n), policy="pips", luck="none", trials=36).best
        assert (best.win, best.win_gammon, best.win_backgammon) == (1, gammon, 0)
        played = rollout(Board(cells, n_checkers=n), "65", policy="pips", luck="none", trials=36)
        assert played.best.win_gammon == gammon
        assert played.best.board.n_checkers == n
