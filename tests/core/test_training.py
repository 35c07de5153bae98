"""The trainer: the same result for any number of threads and after a stop, and it learns."""

import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from cpu_levels import said_on_each_level

from bgcore._core import network, training
from bgcore._core.evaluator import Evaluator
from bgcore.dice import DiceStream
from bgcore.duel import duel
from bgcore.errors import DiceError, NetError, TrainingError
from bgcore.evaluators import NetEvaluator, PipCountEvaluator
from bgcore.net_weights import FAST, NetShape, quantise_luck
from bgcore.nets import load_net, read_npz, shipped_net, write_npz
from bgcore.recipes import Recipe, Stage
from bgcore.roll_training import luck_fit, luck_samples, train_luck
from bgcore.training import Trainer, train

TINY = Recipe(
    (Stage(60, 1e-3, 1e-3, trace=0.7, batch=64), Stage(90, 1e-3, 1e-4)), seed=5, games_per_cycle=20
)


def test_number_of_threads_does_not_matter():
    digests = {train(TINY, jobs=jobs).digest() for jobs in (1, 2, 3)}
    assert len(digests) == 1


def test_seed_matters():
    other = Recipe(TINY.stages, seed=6, games_per_cycle=20)
    assert train(TINY, games=20).digest() != train(other, games=20).digest()


def test_a_stopped_run_goes_on_from_its_checkpoint(tmp_path):
    path = tmp_path / "run.npz"
    train(TINY, checkpoint=path, games=70)
    lines = []
    resumed = train(TINY, checkpoint=path, jobs=2, log=lines.append)
    assert lines[0]["games"] == 80  # the cycle in which game 70 fell was played to its end
    assert lines[-1]["games"] == 150
    assert resumed.digest() == train(TINY).digest()
    again = Trainer(TINY)
    again.load(path)
    assert again.digest() == resumed.digest()


def test_a_longer_recipe_goes_on_from_the_checkpoint_of_a_shorter_one(tmp_path):
    path = tmp_path / "run.npz"
    train(TINY, checkpoint=path)
    more = (*TINY.stages, Stage(20, 1e-4, 1e-5, lookahead=True))
    longer = Recipe(more, seed=5, games_per_cycle=20)
    resumed = train(longer, checkpoint=path)
    assert resumed.digest() == train(longer).digest()
    changed = Recipe((TINY.stages[0], Stage(90, 1e-3, 2e-4), more[2]), seed=5, games_per_cycle=20)
    with pytest.raises(TrainingError, match="another recipe"):
        train(changed, checkpoint=path)


@pytest.mark.skipif(os.name == "nt", reason="kills a process by a POSIX signal")
def test_a_killed_run_goes_on_from_its_checkpoint(tmp_path):
    path = tmp_path / "run.npz"
    code = (
        "import sys\n"
        "from bgcore.recipes import Recipe, Stage\nfrom bgcore.training import train\n"
        "recipe = Recipe((Stage(4000, 1e-3, 1e-3),), seed=5, games_per_cycle=20)\n"
        "train(recipe, checkpoint=sys.argv[1], save_every=20)\n"
    )
    child = subprocess.Popen([sys.executable, "-P", "-c", code, str(path)])
    try:
        deadline = time.monotonic() + 60
        while not path.exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        assert path.exists()
    finally:
        child.send_signal(signal.SIGKILL)
        child.wait()
    recipe = Recipe((Stage(4000, 1e-3, 1e-3),), seed=5, games_per_cycle=20)
    resumed = Trainer(recipe)
    resumed.load(path)
    assert resumed.games % 20 == 0
    assert resumed.digest() == train(recipe, games=resumed.games).digest()


@pytest.mark.parametrize(
    "recipe",
    [
        "Recipe((Stage(40, 1e-3, 1e-4, trace=0.5),), games_per_cycle=20)",
        "Recipe((Stage(20, 1e-3, 1e-4, trace=0.5, less_luck=True),), hidden=128, second=64)",
        "Recipe((Stage(20, 1e-3, 1e-4),), hidden=128, second=32, relations=True)",
    ],
    ids=["fast", "strong", "relations"],
)
def test_all_cpu_levels_train_the_same_net(recipe):
    code = (
        "from bgcore.recipes import Recipe, Stage\n"
        "from bgcore.training import train\n"
        f"print(train({recipe}).digest())\n"
    )
    said = said_on_each_level(code)
    assert len(set(said)) == 1


def test_two_thousand_games_beat_random_play_and_the_first_weights(tmp_path):
    recipe = Recipe((Stage(2_000, 1e-3, 1e-3, trace=0.7),), seed=1, games_per_cycle=100)
    path = tmp_path / "net.npz"
    train(recipe).save_net(path)
    learned = NetEvaluator(path)
    result = duel(learned, "random", 200, seed=3, judge=PipCountEvaluator())
    # About 1.9 points a game against random play, sd 1.1: 1.0 lies more than ten errors away,
    # a net that has learned nothing gains less than 0.5.
    assert result.raw_points_per_game > 1.0
    start = tmp_path / "start.npz"
    Trainer(recipe).save_net(start)
    assert duel(learned, start, 200, seed=3, judge=PipCountEvaluator()).raw_points_per_game > 0.5


def gradient_of(parameters, boards, targets, kind):
    """The gradient as Adam's first moment after one step from zero: 0.1 x gradient."""
    first, second = np.zeros_like(parameters), np.zeros_like(parameters)
    order = np.arange(len(boards))
    training.train(
        parameters.copy(), first, second, np.ones(2), boards, targets, order, len(boards), 1e-9,
        kind=kind,
    )  # fmt: skip
    return first / np.float32(0.1)


def features_of(board):
    """Dense vector of the features of a core board, from their definition."""
    x = np.zeros((28, 2, 4))
    for cell, value in enumerate(board[:28].tolist()):
        n, side = abs(value), int(value < 0)
        if n == 0:
            continue
        if cell >= 26:
            x[cell, side] = [1, min(n, 5) / 5, np.clip(n - 5, 0, 5) / 5, max(n - 10, 0) / 5]
        else:
            x[cell, side] = [1, n >= 2, n >= 3, max(n - 3, 0) / 2]
    return x.ravel()


def test_gradient_of_the_value_net_is_that_of_cross_entropy():
    trainer = Trainer(TINY)
    boards, targets = training.self_play(trainer.evaluator(), 1, 0, 0, 2, 0.5)
    boards, targets = boards[:1], targets[:1]
    p = trainer.parameters.astype(np.float64)
    n = training.FEATURES * 128
    x = features_of(boards[0])
    hidden = np.maximum(x @ p[:n].reshape(-1, 128) + p[n : n + 128], 0)
    head = 1 + 3 * 1 + 1  # the opening: one point held on either side
    out = p[n + 128 : n + 128 + 50 * 128].reshape(10, 5, 128)[head]
    z = out @ hidden + p[n + 128 + 50 * 128 :].reshape(10, 5)[head]
    error = 1 / (1 + np.exp(-z)) - targets[0]
    gradient = gradient_of(trainer.parameters, boards, targets, "value")
    got_out = gradient[n + 128 : n + 128 + 50 * 128].reshape(10, 5, 128)
    # float32 arithmetic, and a sigmoid that is linear between knots: 1.2e-5
    assert got_out[head] == pytest.approx(np.outer(error, hidden), abs=1e-4)
    assert not np.delete(got_out, head, axis=0).any()
    back = (error @ out) * (hidden > 0)
    assert gradient[n : n + 128] == pytest.approx(back, abs=1e-4)
    assert gradient[:n].reshape(-1, 128) == pytest.approx(np.outer(x, back), abs=2e-4)


def strong_gradient(shape, weights, boards, targets):
    """As `gradient_of`, for a strong net."""
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    order = np.arange(len(boards))
    shape.learn(
        weights.copy(), first, second, np.ones(2), boards, targets, order, len(boards), 1e-9
    )
    return first / np.float32(0.1)


#: Where the activations behind the second and third layer end.
CUT = 32767 / 4096


def strong_outputs(shape, weights, board, head):
    """The layers of a strong net in float64: inputs and sums of each."""
    p = weights.astype(np.float64)
    n = shape.inputs * shape.hidden
    tails = shape.tails(p)
    tail = tails[0] + tails[head + 1]
    x = [features_of(board)]
    sums = [
        x[0] @ p[: len(x[0]) * shape.hidden].reshape(-1, shape.hidden) + p[n : n + shape.hidden]
    ]
    if shape.relations:
        related = np.zeros(training.RELATIONS)
        related[network.relations_of(board[None, :26])[0]] = 1
        rows = p[len(x[0]) * shape.hidden : n].reshape(-1, shape.hidden)
        sums[0] += np.clip(related @ rows, -8, 8)
        x[0] = np.concatenate([x[0], related])
    for layer, limit in (("second", np.inf), ("third", CUT), ("out", CUT)):
        x.append(np.clip(sums[-1], 0, limit))
        sums.append(x[-1] @ shape.part(tail, layer) + shape.part(tail, f"{layer}_bias"))
    return x, sums, tail


@pytest.mark.parametrize(("size", "relations"), [(1, False), (8, False), (1, True)])
def test_gradient_of_the_strong_net_is_that_of_cross_entropy(size, relations):
    shape = NetShape(128, 64, relations)
    weights = shape.initial(3)
    n = shape.inputs * shape.hidden
    weights[training.FEATURES * 128 : n].reshape(-1, 128)[:] = [0.01] * 120 + [3] * 4 + [-3] * 4
    tails = shape.tails(weights)
    shape.part(tails, "second")[:] *= size  # 8: activations that are cut
    shape.part(tails, "third")[:] *= size
    shape.part(tails, "out")[:] /= size * size
    shape.tails(weights)[1:] = np.random.default_rng(1).normal(
        0, 0.05, shape.tails(weights)[1:].shape
    )
    boards, targets = training.self_play(Trainer(TINY).evaluator(), 1, 0, 0, 2, 0.5)
    boards, targets = boards[:1], targets[:1]
    head = 1 + 3 * 1 + 1  # the opening: one point held on either side
    x, sums, tail = strong_outputs(shape, weights, boards[0], head)
    errors = [1 / (1 + np.exp(-sums[3][:5])) - targets[0]]
    errors[0] = np.concatenate([errors[0], np.zeros(3)])
    for layer, below in (("out", 2), ("third", 1), ("second", 0)):
        passes = (sums[below] > 0) & ((sums[below] < CUT) | (below == 0))
        errors.append((shape.part(tail, layer) @ errors[-1]) * passes)
    assert (max(sums[1]) > CUT) == (size == 8)
    gradient = strong_gradient(shape, weights, boards, targets)
    got = shape.tails(gradient)
    for part in (got[0], got[head + 1]):  # the common tail learns what the head does
        for layer, at in (("out", 0), ("third", 1), ("second", 2)):
            expected = np.outer(x[3 - at], errors[at])
            assert shape.part(part, layer) == pytest.approx(expected, abs=2e-4)
            assert shape.part(part, f"{layer}_bias") == pytest.approx(errors[at], abs=2e-4)
    assert not np.delete(got, [0, head + 1], axis=0).any()
    assert gradient[n : n + 128] == pytest.approx(errors[3], abs=2e-4)
    expected = np.outer(x[0], errors[3])
    expected[training.FEATURES :, 120:] = 0  # the sum of the relations of these units is cut
    assert gradient[:n].reshape(-1, 128) == pytest.approx(expected, abs=4e-4)


@pytest.mark.parametrize("relations", [False, True])
def test_the_integers_of_a_strong_net_say_what_its_floats_say(relations):
    shape = NetShape(128, 64, relations)
    weights = shape.initial(3)
    related = weights[training.FEATURES * 128 : shape.inputs * 128]
    related[:] = np.random.default_rng(2).normal(0, 0.05, len(related))
    tails = shape.tails(weights)
    tails[1:] = np.random.default_rng(1).normal(0, 0.05, tails[1:].shape)
    shape.part(tails, "second")[:] *= 6
    boards, _ = training.self_play(Trainer(TINY).evaluator(), 1, 0, 0, 3, 0.5)
    opening = np.zeros((1, 32), np.int8)
    opening[0, :26] = -boards[0, 25::-1]
    evaluator = Evaluator(shape.net(weights))
    cut = 0
    for board in boards[:20]:
        own, opp = np.flatnonzero(board[:26] > 0), np.flatnonzero(board[:26] < 0)
        if own.max() < opp.min():
            continue
        head = 1 + 3 * min(2, (own >= 19).sum()) + min(2, (opp <= 6).sum())
        sums = strong_outputs(shape, weights, board, head)[1]
        cut += (sums[1] > CUT).sum() + (sums[2] > CUT).sum()
        five = evaluator.evaluate_after(np.ascontiguousarray(board[None, :26]))[0]
        assert five[0] == pytest.approx(1 / (1 + np.exp(-sums[3][0])), abs=3e-3)
    assert cut > 0


def test_a_net_grows_without_a_change_of_what_it_says():
    small, large = NetShape(128, 32), NetShape(256, 96, True)
    weights = small.initial(3)
    rng = np.random.default_rng(1)
    small.tails(weights)[1:] = rng.normal(0, 0.05, small.tails(weights)[1:].shape)
    grown = small.grown(weights, large, 9)
    boards, _ = training.self_play(Trainer(TINY).evaluator(), 1, 0, 0, 3, 0.5)
    for board in boards[::7]:
        for head in (0, 4, 9):
            before = strong_outputs(small, weights, board, head)[1][3]
            assert strong_outputs(large, grown, board, head)[1][3] == pytest.approx(
                before, abs=1e-5
            )
    public = np.ascontiguousarray(boards[:, :26])
    fives = [
        Evaluator(shape.net(w)).evaluate_after(public)
        for shape, w in ((small, weights), (large, grown))
    ]
    assert np.abs(fives[0] - fives[1]).max() < 4e-3  # hidden units of a coarser unit
    # the new units can learn
    targets = np.full((len(boards), 5), 0.5, np.float32)
    gradient = strong_gradient(large, grown, boards, targets)
    assert large.part(large.tails(gradient)[0], "second")[128:, :32].any()
    assert large.part(large.tails(gradient)[0], "third")[32:].any()
    related = gradient[: large.inputs * 256].reshape(-1, 256)[training.FEATURES :]
    assert related[:, :128].any()
    assert not small.grown(np.zeros_like(weights), large, None).any()


def test_dead_units_begin_anew_without_a_change_of_what_the_net_says():
    shape = NetShape(128, 32)
    weights = shape.initial(3)
    rng = np.random.default_rng(1)
    shape.tails(weights)[1:] = rng.normal(0, 0.05, shape.tails(weights)[1:].shape)
    n = training.FEATURES * 128
    killed = [5, 17, 127]
    weights[n : n + 128][killed] = -100  # no board gets over such a bias
    boards, targets = training.self_play(Trainer(TINY).evaluator(), 1, 0, 0, 3, 0.5)
    sums = [strong_outputs(shape, weights, board, 0)[1][0] for board in boards]
    active = shape.active(weights, boards)
    assert active.tolist() == (np.array(sums) > 0).sum(axis=0).tolist()
    assert not active[killed].any()
    renewed = shape.renewed(weights, active == 0, 9)
    assert shape.active(renewed, boards)[killed].all()
    public = np.ascontiguousarray(boards[:, :26])
    fives = [Evaluator(shape.net(w)).evaluate_after(public) for w in (weights, renewed)]
    assert np.abs(fives[0] - fives[1]).max() < 2e-3  # the unit of the rows may change
    before, after = (strong_gradient(shape, w, boards, targets) for w in (weights, renewed))
    assert not shape.part(shape.tails(before), "second")[:, killed].any()
    assert shape.part(shape.tails(after), "second")[:, killed].any(axis=(0, 2)).all()
    moments = shape.renewed(np.ones_like(weights), active == 0, None)
    assert not moments[:n].reshape(-1, 128)[:, killed].any()
    assert moments.sum() == len(weights) - (active == 0).sum() * (n // 128 + 1 + 11 * 32)


def test_a_stage_revives_units_and_lets_the_fast_net_choose_first():
    stages = (
        Stage(20, 1e-3, 1e-3, batch=64),
        Stage(20, 1e-4, 1e-4, trace=0.5, lookahead=True, first_choice=True, revive=True),
    )
    recipe = Recipe(stages, seed=5, games_per_cycle=10, hidden=128, second=32)
    trainer = Trainer(recipe)
    trainer.cycle(), trainer.cycle()
    n = training.FEATURES * 128
    trainer.parameters[n : n + 4] = -100
    trainer.cycle()
    assert (trainer.parameters[n : n + 4] > -1).all()  # from 0, by steps of the rate
    trainer.parameters[n : n + 4] = -100
    trainer.cycle()  # only the first cycle of a stage looks for dead units
    assert (trainer.parameters[n : n + 4] < -99).all()
    plain = (stages[0], Stage(20, 1e-4, 1e-4, trace=0.5, lookahead=True, revive=True))
    other = Recipe(plain, seed=5, games_per_cycle=10, hidden=128, second=32)
    assert train(recipe).digest() == train(recipe, jobs=2).digest() != train(other).digest()


@pytest.mark.parametrize("shape", [FAST, NetShape(128, 32)])
def test_moments_without_gradient_vanish(shape):
    """Numbers below the smallest normal one, 2**-126, make a step of Adam many times as long."""
    weights = shape.initial(3)
    first, second, powers = np.zeros_like(weights), np.zeros_like(weights), np.ones(2)
    boards, targets = training.self_play(Trainer(TINY).evaluator(), 1, 0, 0, 1, 0.5)
    shape.learn(
        weights, first, second, powers, boards, targets, np.arange(len(boards)), len(boards), 1e-5
    )
    begun = first != 0
    one = np.zeros(3_000, np.int64)
    shape.learn(weights, first, second, powers, boards[-1:], targets[-1:], one, 1, 1e-5)
    for moment in (first, second):
        sizes = np.abs(moment[moment != 0])
        assert sizes.min() >= 2.0**-126
    assert (first[begun] == 0).sum() > begun.sum() / 2


STRONG = Recipe(
    (
        Stage(40, 1e-3, 1e-3, trace=0.7, batch=64, less_luck=True),
        Stage(
            40, 1e-3, 1e-4, hidden=256, second=64, relations=True, games_per_cycle=10, average=0.5
        ),
    ),
    seed=5,
    games_per_cycle=20,
    hidden=128,
    second=32,
)


def test_a_strong_net_trains_the_same_on_threads_and_after_a_stop(tmp_path):
    path = tmp_path / "run.npz"
    whole = train(STRONG)
    assert whole.shape == NetShape(256, 64, True)
    for games in (40, 60):  # before the net grows and after it
        path.unlink(missing_ok=True)
        train(STRONG, checkpoint=path, games=games, jobs=2)
        assert train(STRONG, checkpoint=path, jobs=3).digest() == whole.digest()
    net = tmp_path / "net.npz"
    whole.save_net(net)
    nets = load_net(net)
    assert (nets.strong.hidden, nets.strong.second, nets.strong.relations) == (256, 64, True)
    assert (nets.arrays["value_rows"] == shipped_net("fast").arrays["value_rows"]).all()
    assert nets.luck is not None


def test_passes_go_over_the_same_games_in_other_orders(monkeypatch):
    orders = []
    learn = NetShape.learn

    def recorded(self, *arguments, **options):
        orders.append(arguments[6])
        return learn(self, *arguments, **options)

    monkeypatch.setattr(NetShape, "learn", recorded)
    train(Recipe((Stage(4, 1e-3, 1e-3, passes=3),), games_per_cycle=4))
    train(Recipe((Stage(4, 1e-3, 1e-3),), games_per_cycle=4))
    parts = orders[0].reshape(3, -1)
    assert all(sorted(part.tolist()) == list(range(len(parts[0]))) for part in parts)
    assert len({part.tobytes() for part in parts}) == 3
    assert (parts[0] == orders[1]).all()


def test_the_saved_weights_are_the_running_mean():
    at = {games: train(STRONG, games=games) for games in (50, 60, 80)}
    assert (at[50].finished_parameters == at[50].parameters).all()
    mean = 0.5 * at[50].parameters + 0.5 * at[60].parameters
    assert at[60].finished_parameters == pytest.approx(mean, abs=1e-7)
    assert len(train(STRONG, games=40)._state.mean) == 0


def test_less_luck_takes_the_roll_nets_luck_of_all_rolls_out_of_the_result():
    nets = NetEvaluator().file
    evaluator = Evaluator(nets.value)
    boards, results = training.self_play(evaluator, 1, 0, 0, 1, 1.0)
    again, less = training.self_play(evaluator, 1, 0, 0, 1, 1.0, roll_net=nets.luck)
    assert (again == boards).all()
    # the luck of the rolls that follow the first stored play, each seen by the mover
    public = np.ascontiguousarray(-boards[:, 25::-1])
    lucks = nets.luck.luck_of_rolls(public) * 2.0**-22
    dice = DiceStream(1, stratified=False, opening=True)
    rolls = dice.rolls_at(np.zeros(len(boards), np.int64), np.arange(1, len(boards) + 1))
    large, small = rolls.max(axis=1).astype(int), rolls.min(axis=1).astype(int)
    own = lucks[np.arange(len(boards)), large * (large - 1) // 2 + small - 1]
    flipped = np.stack([-own[:, 0], own[:, 3], own[:, 4], own[:, 1], own[:, 2]], axis=1)
    total = np.zeros(5)
    for i in range(len(boards) - 1, -1, -1):
        # what follows, seen by the player of board i: the opponent's luck counts against him
        total = np.array([-total[0], total[3], total[4], total[1], total[2]]) + flipped[i]
        assert less[i] == pytest.approx(results[i] - total, abs=1e-4)


def test_outputs_that_the_rules_fix_are_not_trained():
    # a race, both sides have borne off checkers: only the win probability is open
    board = np.zeros((1, 32), np.int8)
    board[0, [3, 22, 26, 27]] = [5, -5, 10, -10]
    parameters = Trainer(TINY).parameters
    gradient = gradient_of(parameters, board, np.full((1, 5), 0.5, np.float32), "value")
    n = training.FEATURES * 128 + 128
    by_output = gradient[n : n + 50 * 128].reshape(10, 5, 128)
    assert by_output[0, 0].any()
    assert not by_output[0, 1:].any()
    assert not by_output[1:].any()


def test_rows_are_the_sums_of_their_features():
    matrix = training.feature_matrix()
    board = np.zeros(32, np.int8)
    for cell, value in ((6, 5), (24, -2), (13, 1), (26, 12), (27, -7)):
        board[:] = 0
        board[cell] = value
        x = features_of(board).reshape(28, 2, 4)
        assert matrix[cell, value + 15] == pytest.approx(x[cell], abs=1e-6)
    assert not matrix[:, 15].any()


def test_last_targets_are_the_result_and_others_follow_lambda():
    evaluator = Evaluator(network.ValueNet(*FAST.quantised(Trainer(TINY).parameters).values()))
    boards, exact = training.self_play(evaluator, 1, 0, 0, 1, 1.0)
    assert set(np.unique(exact)) <= {0.0, 1.0}
    # with lambda 1 every position has the result, seen by its mover
    assert (exact[:-1, 0] == 1 - exact[1:, 0]).all()
    assert (exact[:-1, 1] == exact[1:, 3]).all()
    again, zero = training.self_play(evaluator, 1, 0, 0, 1, 0.0)
    assert (again == boards).all()
    # with lambda 0 the target is the value of the next position, seen by the other side
    values = evaluator.evaluate_fixed(np.ascontiguousarray(boards[:, :26]), after=True) * 2.0**-30
    assert zero[:-1, 0] == pytest.approx(1 - values[1:, 0], abs=1e-6)
    assert zero[:-1, 1] == pytest.approx(values[1:, 3], abs=1e-6)
    assert (zero[-1] == exact[-1]).all()


def test_a_board_that_the_tables_cover_ends_a_game_with_its_value():
    with_tables = Trainer(TINY).evaluator()
    boards, targets = training.self_play(with_tables, 1, 0, 0, 20, 1.0)
    own, opp = boards[:, 1:26] > 0, boards[:, :25] < 0
    assert (own[:, 6:].any(axis=1) | opp[:, :19].any(axis=1)).all()
    assert not set(np.unique(targets[:, 0])) <= {0.0, 1.0}


def test_lookahead_targets_are_means_over_the_rolls_of_the_opponents_best_plays():
    evaluator = Trainer(TINY).evaluator()
    boards, plain = training.self_play(evaluator, 1, 0, 0, 1, 0.0)
    again, targets = training.self_play(evaluator, 1, 0, 0, 1, 0.0, lookahead=True)
    assert (again == boards).all()
    before = np.ascontiguousarray(-boards[:, 25::-1])
    fives = evaluator.best_fives(before) * 2.0**-30
    weights = np.array([1 if a == b else 2 for a in range(6) for b in range(a + 1)]) / 36
    mean = (fives * weights[:, None]).sum(axis=1)
    assert targets[:, 0] == pytest.approx(1 - mean[:, 0], abs=1e-6)
    assert targets[:, 1:] == pytest.approx(mean[:, [3, 4, 1, 2]], abs=1e-6)
    assert targets.shape == plain.shape


def test_lookahead_takes_the_luck_of_every_roll_out_of_the_lambda_return():
    """What a value differs from its mean over the next rolls is error; the rest is luck."""
    evaluator = Trainer(TINY).evaluator()
    boards, one_ply = training.self_play(evaluator, 1, 0, 0, 1, 0.0, lookahead=True)
    again, targets = training.self_play(evaluator, 1, 0, 0, 1, 0.6, lookahead=True)
    assert (again == boards).all()
    values = evaluator.evaluate_after(np.ascontiguousarray(boards[:, :26]))
    errors = one_ply - values
    # seen by the other side: its wins are the losses here, its gammons those lost here
    seen = np.stack([-errors[:, 0], *(errors[:, k] for k in (3, 4, 1, 2))], axis=1)
    for i in range(len(boards)):
        later = sum(
            0.6 ** (k - i) * (seen if (k - i) % 2 else errors)[k] for k in range(i + 1, len(boards))
        )
        assert targets[i] == pytest.approx(one_ply[i] + later, abs=1e-5)
    assert np.abs(targets - one_ply).max() > 0.01


def test_half_of_the_games_explore_and_only_the_nets_own_plays_follow_a_stored_board():
    evaluator = Trainer(TINY).evaluator()
    alike = 0
    for game in range(60):
        plain = training.self_play(evaluator, 1, 0, game, 1, 0.5)
        boards, targets = training.self_play(evaluator, 1, 0, game, 1, 0.5, explore=8)
        if (plain[0].shape == boards.shape) and (plain[0] == boards).all():
            assert (plain[1] == targets).all()
            alike += 1
            continue
        public = np.ascontiguousarray(boards[:, :26])
        played = evaluator.evaluate_fixed(public[1:], after=True)
        best = evaluator.best_fives(np.ascontiguousarray(-public[:-1, ::-1]))
        assert all((best[i] == played[i]).all(axis=1).any() for i in range(len(played)))
    assert 18 <= alike <= 42  # 30 +- 3.9
    assert training.self_play(evaluator, 1, 0, 0, 5, 0.5, explore=1000)[0].shape[1] == 32


def test_games_do_not_depend_on_how_they_are_cut():
    evaluator = Trainer(TINY).evaluator()
    whole = training.self_play(evaluator, 9, 0, 100, 7, 0.3)
    parts = [training.self_play(evaluator, 9, 0, 100 + i, n, 0.3) for i, n in ((0, 3), (3, 4))]
    for k in range(2):
        assert (whole[k] == np.concatenate([part[k] for part in parts])).all()


def test_shuffled_is_a_permutation():
    order = training.shuffled(3, 0, 5, 1000)
    assert sorted(order.tolist()) == list(range(1000))
    assert (order != training.shuffled(3, 0, 6, 1000)).any()
    assert (order == training.shuffled(3, 0, 5, 1000)).all()


def test_weights_survive_quantisation():
    trainer = Trainer(TINY)
    arrays = FAST.quantised(trainer.parameters)
    boards, _ = training.self_play(trainer.evaluator(), 1, 0, 0, 1, 0.0)
    fixed = Evaluator(network.ValueNet(*arrays.values())).evaluate_after(
        np.ascontiguousarray(boards[:1, :26])
    )[0]
    p = trainer.parameters.astype(np.float64)
    n = training.FEATURES * 128
    hidden = np.maximum(features_of(boards[0]) @ p[:n].reshape(-1, 128) + p[n : n + 128], 0)
    z = p[n + 128 : n + 128 + 6400].reshape(10, 5, 128)[5] @ hidden
    win = 1 / (1 + np.exp(-z[0]))
    assert fixed[0] == pytest.approx(win, abs=2e-3)  # weights rounded to 2**-11 and 2**-9


def test_weights_that_are_not_numbers_or_too_large_are_refused():
    for bad in (np.nan, np.inf, 1e9):
        parameters = Trainer(TINY).parameters
        parameters[17] = bad
        with pytest.raises(NetError):
            FAST.quantised(parameters)
    for quantise in (FAST.quantised, quantise_luck):
        for other in (None, np.zeros(5, np.float32), np.zeros((0,), int)):
            with pytest.raises(NetError, match="the weights are"):
                quantise(other)


def test_roll_net_learns_from_a_few_games():
    core = NetEvaluator("fast").core
    lines = []
    settings = {"games": 200, "games_per_cycle": 100, "batch": 8, "log": lines.append}
    parameters = train_luck(core, rate_end=1e-4, **settings)
    assert [line["games"] for line in lines] == [100, 200]
    luck = network.LuckNet(*quantise_luck(parameters).values())
    fit = luck_fit(core, luck, seed=99, games=20)
    assert fit["r2"] > 0
    untrained = train_luck(core, rate_start=1e-9, rate_end=1e-9, **settings)
    nothing = luck_fit(core, network.LuckNet(*quantise_luck(untrained).values()), seed=99, games=20)
    assert nothing["r2"] < -0.2
    assert fit["luck_sd"] == nothing["luck_sd"]


def test_luck_samples_hold_the_best_plays_of_the_board_before_the_roll():
    core = NetEvaluator().core
    boards, targets = luck_samples(core, seed=4, first_game=0, games=1)
    fives = core.best_fives(np.ascontiguousarray(boards[:3, :26])) * 2.0**-30
    assert targets[:3] == pytest.approx(fives.reshape(3, 105), abs=1e-6)


@pytest.mark.parametrize(
    "make",
    [
        lambda: Recipe(()),
        lambda: Recipe((Stage(0, 1e-3, 1e-3),)),
        lambda: Recipe((Stage(10, -1, 1e-3),)),
        lambda: Recipe((Stage(10, 1e-3, float("nan")),)),
        lambda: Recipe((Stage(10, 1e-3, 1e-3, trace=1.5),)),
        lambda: Recipe((Stage(10, 1e-3, 1e-3, batch=0),)),
        lambda: Recipe((Stage(1.5, 1e-3, 1e-3),)),
        lambda: Stage(True, 1e-3, 1e-3),
        lambda: Stage(10, "1e-3", 1e-3),
        lambda: Stage(10, 1e-3, 1e-3, trace=None),
        lambda: Stage(10, 1e-3, 1e-3, lookahead="no"),
        lambda: Recipe(5),
        lambda: Recipe((5,)),
        lambda: Recipe(games_per_cycle=0),
        lambda: Stage(10, 1e-3, 1e-3, less_luck=1),
        lambda: Stage(10, 1e-3, 1e-3, games_per_cycle=0),
        lambda: Stage(10, 1e-3, 1e-3, average=1),
        lambda: Stage(10, 1e-3, 1e-3, revive=1),
        lambda: Stage(10, 1e-3, 1e-3, rounded=1),
        lambda: Stage(10, 1e-3, 1e-3, explore=-1),
        lambda: Recipe((Stage(10, 1e-3, 1e-3, first_choice=True),)),
        lambda: Recipe((Stage(10, 1e-3, 1e-3, revive=True),)),
        lambda: Stage(10, 1e-3, 1e-3, passes=0),
        lambda: Stage(10, 1e-3, 1e-3, hidden=0),
        lambda: Recipe(hidden=512),
        lambda: Recipe(hidden=500, second=32),
        lambda: Recipe(hidden=512, second=33),
        lambda: Recipe(relations=True),
        lambda: Stage(10, 1e-3, 1e-3, relations=1),
        lambda: Recipe((Stage(10, 1e-3, 1e-3, relations=True),)),
        lambda: Recipe(
            (Stage(10, 1e-3, 1e-3, relations=False),), hidden=128, second=32, relations=True
        ),
        lambda: Recipe((Stage(10, 1e-3, 1e-3, hidden=256, second=32),)),
        lambda: Recipe((Stage(10, 1e-3, 1e-3, hidden=256),), hidden=384, second=32),
        lambda: Trainer(None),
        lambda: Trainer(TINY, jobs=0),
        lambda: Trainer(TINY, jobs=1025),
        lambda: train(TINY, games=0, log=5),
        lambda: luck_samples(None, seed=1, first_game=0, games=1),
        lambda: luck_samples(NetEvaluator(), seed=1, first_game=0, games=1),
        lambda: luck_samples(NetEvaluator().core, seed=1, first_game=-1, games=1),
        lambda: luck_samples(NetEvaluator().core, seed=1, first_game=0, games=0),
        lambda: luck_fit(NetEvaluator().core, None, seed=1, games=0),
        lambda: train_luck(NetEvaluator().core, games=1, start=[1.0, 2.0]),
        lambda: train(TINY, games=10**6),
        lambda: train(TINY, save_every=0),
        lambda: train_luck(NetEvaluator().core, epochs=0),
    ],
)
def test_settings_that_make_no_sense_are_refused(make):
    with pytest.raises(TrainingError):
        make()


@pytest.mark.parametrize("seed", [-1, 2**128, 1.5, None, True])
def test_seeds_are_those_of_the_dice(seed):
    with pytest.raises(DiceError):
        Recipe(seed=seed)
    with pytest.raises(DiceError):
        luck_samples(NetEvaluator().core, seed=seed, first_game=0, games=1)


def test_numbers_of_a_recipe_may_be_numpys(tmp_path):
    stages = [Stage(np.int64(60), np.float32(0.5), 1, trace=0), Stage(5, 1e-3, 1e-3)]
    recipe = Recipe(stages, seed=np.uint8(3), games_per_cycle=np.int16(20))
    same = Recipe((Stage(60, 0.5, 1.0), Stage(5, 1e-3, 1e-3)), seed=3, games_per_cycle=20)
    assert recipe == same
    assert hash(recipe) == hash(same)
    Trainer(recipe).save(tmp_path / "state")
    Trainer(same).load(tmp_path / "state")


def test_all_128_bits_of_the_seed_count():
    recipes = [Recipe(TINY.stages, seed=seed) for seed in (5, 5 + 2**64, 5 + 2**127)]
    assert len({Trainer(recipe).digest() for recipe in recipes}) == 3
    core = NetEvaluator().core
    first, other = (
        luck_samples(core, seed=recipe.seed, first_game=0, games=1)[0] for recipe in recipes[:2]
    )
    assert first.tobytes() != other.tobytes()


def test_a_finished_run_plays_no_more():
    trainer = train(TINY)
    with pytest.raises(TrainingError, match="all 150 games"):
        trainer.cycle()


@pytest.mark.parametrize("place", ["no/such/folder/state", "n" * 256, "a\0b", ".", 5, b"state"])
def test_a_checkpoint_that_cannot_be_written_is_refused_before_the_first_game(
    place, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    lines = []
    with pytest.raises(NetError):
        train(TINY, checkpoint=place, log=lines.append)
    assert lines == []
    assert list(tmp_path.iterdir()) == []


def test_a_checkpoint_may_have_the_longest_name(tmp_path):
    path = tmp_path / ("n" * 255)
    assert train(TINY, checkpoint=path, games=20).games == 20
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("games", [20, 40])
def test_ctrl_c_keeps_the_games_so_far(games, tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    cycle = Trainer.cycle

    def interrupted(trainer):
        if trainer.games == games:
            raise KeyboardInterrupt
        return cycle(trainer)

    with monkeypatch.context() as patch:
        patch.setattr(Trainer, "cycle", interrupted)
        with pytest.raises(KeyboardInterrupt):
            train(TINY, checkpoint=path)
    resumed = Trainer(TINY)
    resumed.load(path)
    assert resumed.games == games
    assert train(TINY, checkpoint=path).digest() == train(TINY).digest()


def test_a_cycle_that_is_broken_off_changes_nothing(monkeypatch):
    trainer = train(TINY, games=20)
    before = trainer.digest()
    learn = training.train

    def interrupted(*arguments, **options):
        learn(*arguments, **options)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(training, "train", interrupted)
        with pytest.raises(KeyboardInterrupt):
            trainer.cycle()
    assert trainer.digest() == before


def test_a_run_writes_over_no_checkpoint_of_another(tmp_path):
    path = tmp_path / "run.npz"
    other = Trainer(Recipe(TINY.stages, seed=6, games_per_cycle=20))

    def begin_another(line):
        if line["event"] == "start":
            other.save(path)

    with pytest.raises(TrainingError, match="another run"):
        train(TINY, checkpoint=path, log=begin_another)
    other.load(path)
    # a damaged file is no loss
    path.unlink()
    train(TINY, checkpoint=path, games=20, log=lambda _: path.write_bytes(b"PK"))


def test_a_checkpoint_has_one_writer(tmp_path):
    path = tmp_path / "run.npz"
    told = []

    def begin_the_same(line):
        with pytest.raises(TrainingError, match="another run; wait until it ends"):
            train(TINY, checkpoint=path)
        told.append(line)

    whole = train(TINY, checkpoint=path, log=begin_the_same, save_every=40)
    assert len(told) > 3
    assert whole.digest() == train(TINY).digest()
    assert list(tmp_path.iterdir()) == [path]  # the lock is gone, and the next run may begin
    assert train(TINY, checkpoint=path).digest() == whole.digest()


def test_weights_that_diverge_end_the_run_and_leave_its_checkpoint(tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    train(TINY, checkpoint=path, games=20)
    kept = path.read_bytes()
    learn = training.train

    def diverging(weights, *others, **options):
        error = learn(weights, *others, **options)
        weights[5] = np.inf
        return error

    with monkeypatch.context() as patch:
        patch.setattr(training, "train", diverging)
        with pytest.raises(NetError, match="diverged"):
            train(TINY, checkpoint=path)
    assert path.read_bytes() == kept
    assert train(TINY, checkpoint=path).digest() == train(TINY).digest()


@pytest.mark.parametrize(("name", "value"), [("powers", 2), ("powers", -1), ("second", -1)])
def test_moments_that_no_run_has_are_refused(name, value, tmp_path):
    path = tmp_path / "run.npz"
    train(TINY, checkpoint=path, games=20)
    arrays, meta = read_npz(path)
    arrays[name][0] = value
    write_npz(path, arrays, meta)
    with pytest.raises(TrainingError, match="moments"):
        train(TINY, checkpoint=path)


def test_bad_checkpoints_are_refused(tmp_path):
    path = tmp_path / "run.npz"
    trainer = train(TINY, checkpoint=path, games=20)
    other = Recipe(TINY.stages, seed=6, games_per_cycle=20)
    with pytest.raises(TrainingError, match="another recipe"):
        train(other, checkpoint=path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(TrainingError):
        train(TINY, checkpoint=path)
    trainer.parameters[3] = np.nan
    trainer.save(path)
    with pytest.raises(TrainingError, match="not finite"):
        train(TINY, checkpoint=path)
    write_npz(path, {"parameters": np.zeros(3, np.float32)}, {"checkpoint": 1})
    with pytest.raises(TrainingError):
        train(TINY, checkpoint=path)
    net = tmp_path / "net.npz"
    Trainer(TINY).save_net(net)
    assert load_net(net).meta["games"] == 0
    with pytest.raises(TrainingError, match="not a checkpoint"):
        train(TINY, checkpoint=net)


def test_core_refuses_samples_that_do_not_fit():
    trainer = Trainer(TINY)
    boards, targets = training.self_play(trainer.evaluator(), 1, 0, 0, 1, 0.0)
    moments = np.zeros_like(trainer.parameters)

    def attempt(**changes):
        arguments = {
            "boards": boards, "targets": targets, "order": np.arange(len(boards)), "batch": 8,
            "parameters": trainer.parameters.copy(), **changes,
        }  # fmt: skip
        training.train(
            arguments["parameters"], moments.copy(), moments.copy(), np.ones(2),
            arguments["boards"], arguments["targets"], arguments["order"], arguments["batch"],
            1e-3, kind="value",
        )  # fmt: skip

    attempt()
    hostile = boards.copy()
    hostile[0, 3] = 100
    for changes in (
        {"boards": hostile},
        {"boards": np.ascontiguousarray(boards[:, :26])},
        {"targets": targets[:, :4].copy()},
        {"order": np.array([len(boards)])},
        {"order": np.array([-1])},
        {"batch": 0},
        {"parameters": np.zeros(5, np.float32)},
    ):
        with pytest.raises(TrainingError):
            attempt(**changes)
