"""Training with the weights seen as they are shipped: rounded in the passes, floats in the steps."""

import numpy as np
import pytest
from boards import head_of
from cpu_levels import said_on_each_level

from bgcore._core import network, training
from bgcore._core.evaluator import Evaluator
from bgcore.errors import NetError, TrainingError
from bgcore.net_weights import FAST, NetShape
from bgcore.nets import shipped_net
from bgcore.recipes import Recipe, Stage
from bgcore.training import Trainer, train

SHAPES = [FAST, NetShape(128, 64), NetShape(128, 32, relations=True)]
IDS = ["fast", "strong", "relations"]
#: Where the activations behind the second and third layer end.
CUT = 32767 / 4096


def samples(games):
    """Boards of the shipped fast net's games, and their lambda-returns."""
    evaluator = Evaluator(shipped_net("fast").value)
    return training.self_play(evaluator, 1, 0, 0, games, 0.5)


def step(shape, weights, boards, targets, **options):
    """One step of Adam from moments of 0: weights, first and second moments, loss."""
    state = [weights.copy(), np.zeros_like(weights), np.zeros_like(weights)]
    loss = shape.learn(
        *state, np.ones(2), boards, targets, np.arange(len(boards)), len(boards), 1e-3, **options
    )
    return *state, loss


class FileNet:
    """What the integers of a file stand for, in float64, evaluated as the file's format says."""

    def __init__(self, shape, weights):
        arrays = shape.quantised(weights)
        name = "strong" if shape.second else "value"
        unit = 2.0 ** -shape.hidden_bits(weights)
        behind = 2.0**-20 / unit
        units = {
            "rows": unit, "bias": unit, "relations": unit,
            "second": behind, "second_bias": 2.0**-20, "third": 2.0**-10, "third_bias": 2.0**-22,
            "out": 2.0**-10 if shape.second else behind,
            "out_bias": 2.0**-22 if shape.second else 2.0**-20,
        }  # fmt: skip
        self.parts = {
            part: arrays[f"{name}_{part}"] * size
            for part, size in units.items()
            if f"{name}_{part}" in arrays
        }

    def hidden_sums(self, board):
        p = self.parts
        sums = p["bias"] + sum(p["rows"][cell, board[cell] + 15] for cell in range(28))
        if "relations" in p:
            related = network.relations_of(board[None, :26])[0]
            sums = sums + np.clip(p["relations"][related].sum(axis=0), -8, 8)
        return sums

    def loss(self, boards, targets):
        """The mean cross-entropy of the outputs that may differ from 0."""
        p, total = self.parts, 0.0
        for board, target in zip(boards, targets, strict=True):
            head = head_of(board)
            x = np.maximum(self.hidden_sums(board), 0)
            if "second" in p:
                for layer in ("second", "third"):
                    x = np.clip(p[layer][head] @ x + p[f"{layer}_bias"][head], 0, CUT)
            z = p["out"][head] @ x + p["out_bias"][head]
            terms = np.logaddexp(0, z) - target * z
            possible = np.array([True] + 2 * [board[27] == 0] + 2 * [board[26] == 0])
            if head == 0:  # a race: a backgammon needs a checker on the wrong side
                possible[2] &= (board[:7] < 0).any()
                possible[4] &= (board[19:26] > 0).any()
            total += terms[possible].sum()
        return total / len(boards)

    def slope(self, part, index, direction, boards, targets):
        """The derivative of the loss where one part is moved, from two differences."""
        array, whole, size = self.parts[part], self.parts[part].copy(), 1e-6
        losses = []
        for sign in (1, -1):
            array[index] = whole[index] + sign * size * direction
            losses.append(self.loss(boards, targets))
            array[...] = whole
        return (losses[0] - losses[1]) / (2 * size)


def coarse_weights(shape):
    """Weights some of which are so large that the others are rounded much."""
    weights = shape.initial(3)
    rng = np.random.default_rng(1)
    rows = weights[: training.FEATURES * 128].reshape(-1, 128)
    rows[:, :2] *= 150
    if shape.second:
        related = weights[training.FEATURES * 128 : shape.inputs * 128]
        related[:] = rng.normal(0, 0.05, len(related))
        tails = shape.tails(weights)
        tails[1:] = rng.normal(0, 0.002, tails[1:].shape)
        shape.part(tails, "out")[0] /= 8
        shape.part(tails, "out")[..., 5:] = 0
    assert shape.hidden_bits(weights) == 5
    return weights


@pytest.mark.parametrize("shape", SHAPES, ids=IDS)
def test_the_gradient_is_that_of_the_net_in_the_file(shape):
    weights = coarse_weights(shape)
    boards, targets = samples(2)
    chosen = [0, 7, len(boards) // 2, len(boards) - 3]  # contact and the end of a game
    boards, targets = boards[chosen].copy(), targets[chosen].copy()
    net = FileNet(shape, weights)
    gradients = [
        step(shape, weights, boards, targets, rounded=rounded)[1] / np.float32(0.1)
        for rounded in (True, False)
    ]
    # a sum of 0, as whole numbers have them, has no slope
    smooth = np.all([net.hidden_sums(board) != 0 for board in boards], axis=0).nonzero()[0]
    assert len(smooth) > 100
    rng = np.random.default_rng(2)
    matrix = training.feature_matrix().astype(float)
    got, plain, expected = [], [], []

    def compare(place, part, index, direction=1.0):
        expected.append(net.slope(part, index, direction, boards, targets))
        for values, gradient in zip((got, plain), gradients, strict=True):
            values.append(place(gradient))

    for _ in range(60):
        unit, side, f = rng.choice(smooth), rng.integers(2), rng.integers(4)
        cell = rng.choice(boards[rng.integers(4), :26].nonzero()[0])
        row = (cell * 2 + side) * 4 + f
        compare(
            lambda g, at=row * 128 + unit: g[at],
            "rows", (cell, slice(None), unit), matrix[cell, :, side, f],
        )  # fmt: skip
        bias_at = shape.inputs * 128 + unit
        compare(lambda g, at=bias_at: g[at], "bias", (unit,))
        head, o = head_of(boards[rng.integers(4)]), rng.integers(5)
        if not shape.second:
            at = (training.FEATURES + 1) * 128 + (head * 5 + o) * 128 + unit
            compare(lambda g, at=at: g[at], "out", (head, o, unit))
            continue
        for layer, out in (("second", shape.second), ("third", 32), ("out", 5)):
            i = rng.integers(net.parts[layer].shape[2])
            o = rng.integers(out)
            compare(
                lambda g, layer=layer, i=i, o=o, head=head: (
                    shape.part(shape.tails(g), layer)[head + 1, i, o]
                ),
                layer, (head, o, i),
            )  # fmt: skip
        if shape.relations:
            r = network.relations_of(boards[:1, :26])[0][0]
            at = (training.FEATURES + r) * 128 + unit
            compare(lambda g, at=at: g[at], "relations", (r, unit))
    # the sigmoid of the trainer is linear between knots: 1.2e-5
    assert got == pytest.approx(expected, abs=2e-4)
    assert np.count_nonzero(expected) > 60
    assert np.abs(np.subtract(plain, expected)).max() > 1e-3  # that of the floats differs
    if shape.second:
        tails = shape.tails(gradients[0])  # the common tail learns what all heads do
        assert tails[0] == pytest.approx(tails[1:].sum(axis=0), abs=1e-5)


def representable(shape):
    """Random weights that a file holds as they are, whatever the unit of its hidden sums."""
    rng = np.random.default_rng(4)

    def multiples(unit, most, n):
        return (rng.integers(-most, most + 1, n) * unit).astype(np.float32)

    weights = np.zeros(shape.size, np.float32)
    n = (shape.inputs + 1) * 128
    weights[:n] = multiples(2.0**-4, 4, n)
    rows = weights[: training.FEATURES * 128].reshape(28, 2, 4, 128)
    rows[:, :, 3] *= 2  # its coefficients are halves
    rows[26:, :, 1:] = 0  # and those of checkers borne off fifths
    weights[n:] = multiples(2.0**-6, 8, shape.size - n)
    if shape.second:
        shape.part(shape.tails(weights), "out")[..., 5:] = 0
    return weights


@pytest.mark.parametrize("shape", SHAPES, ids=IDS)
def test_weights_that_need_no_rounding_make_the_same_step(shape):
    weights = representable(shape)
    boards, targets = samples(2)
    plain = step(shape, weights, boards, targets)
    rounded = step(shape, weights, boards, targets, rounded=True)
    for a, b in zip(plain, rounded, strict=True):
        assert np.asarray(a).tobytes() == np.asarray(b).tobytes()
    moved = weights + np.float32(2.0**-14)
    a, b = (step(shape, moved, boards, targets, rounded=flag)[0] for flag in (False, True))
    assert (a != b).any()


@pytest.mark.parametrize("shape", [FAST, SHAPES[2]], ids=["fast", "relations"])
def test_integers_learn_better_when_they_are_seen(shape):
    """After the same plain training, a finish by falling rates with and without the option."""
    boards, targets = samples(4)
    n = len(boards)

    def order(first, turns):
        return np.concatenate([training.shuffled(1, 0, first + turn, n) for turn in range(turns)])

    start = shape.initial(3)
    begun = [start, np.zeros_like(start), np.zeros_like(start), np.ones(2)]
    shape.learn(*begun, boards, targets, order(0, 200), 32, 1e-3)
    errors = {}
    for rounded in (False, True):
        state = [array.copy() for array in begun]
        for k, rate in enumerate((1e-3, 3e-4, 1e-4, 3e-5, 1e-5)):
            said = shape.learn(
                *state, boards, targets, order(500 + 40 * k, 40), 32, rate, rounded=rounded
            )
        fives = Evaluator(shape.net(state[0])).evaluate_after(np.ascontiguousarray(boards[:, :26]))
        errors[rounded] = ((fives - targets) ** 2).sum(axis=1).mean()
    assert errors[True] < errors[False]
    assert said == pytest.approx(errors[True], rel=0.3)  # what is learned is what is shipped


FAST_RECIPE = "Recipe((Stage(40, 1e-3, 1e-4, trace=0.5, rounded=True),), games_per_cycle=20)"
STRONG_RECIPE = (
    "Recipe((Stage(10, 1e-3, 1e-3, batch=64), Stage(20, 1e-3, 1e-4, batch=64, passes=2,"
    " average=0.5, rounded=True)), games_per_cycle=10, hidden=128, second=32, relations=True)"
)


@pytest.mark.parametrize("recipe", [FAST_RECIPE, STRONG_RECIPE], ids=["fast", "strong"])
def test_threads_and_cpu_levels_do_not_matter(recipe):
    code = (
        "from bgcore.recipes import Recipe, Stage\n"
        "from bgcore.training import train\n"
        f"print(*(train({recipe}, jobs=jobs).digest() for jobs in (1, 2)))\n"
    )
    said = said_on_each_level(code)
    assert len({digest for line in said for digest in line.split()}) == 1


def test_a_rounded_stage_goes_on_from_a_run_that_knew_none(tmp_path):
    path = tmp_path / "run.npz"
    before = Stage(20, 1e-3, 1e-3)
    assert "rounded" not in Recipe((before,)).record()["stages"][0]
    train(Recipe((before,), games_per_cycle=20), checkpoint=path)
    plain, rounded = (
        Recipe((before, Stage(40, 1e-3, 1e-4, rounded=flag)), games_per_cycle=20)
        for flag in (False, True)
    )
    assert rounded.record()["stages"][1]["rounded"] is True
    resumed = train(rounded, checkpoint=path)
    assert resumed.digest() == train(rounded).digest() != train(plain).digest()
    with pytest.raises(TrainingError, match="another recipe"):
        train(plain, checkpoint=path)


def test_other_games_learn_rounded_too():
    def digest(rounded):
        stage = Stage(6, 1e-3, 1e-3, trace=0.7, batch=64, rounded=rounded)
        return train(Recipe((stage,), games_per_cycle=3, variant="tavla")).digest()

    assert digest(True) == digest(True) != digest(False)


@pytest.mark.parametrize("shape", SHAPES, ids=IDS)
def test_weights_that_no_file_can_hold_are_refused(shape):
    boards, targets = samples(1)
    weights = shape.initial(1)
    weights[3] = 1e9
    with pytest.raises(NetError, match="too large"):
        step(shape, weights, boards, targets, rounded=True)
    weights[3] = np.nan
    with pytest.raises(NetError, match="not finite"):
        step(shape, weights, boards, targets, rounded=True)


def test_the_core_refuses_other_units():
    weights = Trainer(Recipe()).parameters
    boards, targets = samples(1)

    def attempt(kind, bits, n, wanted):
        zeros = np.zeros(n, np.float32)
        training.train(
            zeros, zeros.copy(), zeros.copy(), np.ones(2), boards, wanted, np.arange(2), 2, 1e-3,
            kind=kind, hidden_bits=bits,
        )  # fmt: skip

    attempt("value", 5, len(weights), targets)
    for bits in (-1, 4, 13):
        with pytest.raises(TrainingError, match="hidden_bits"):
            attempt("value", bits, len(weights), targets)
    many = np.zeros((len(boards), 105), np.float32)
    with pytest.raises(TrainingError, match="value net"):
        attempt("luck", 9, training.LUCK_PARAMETERS, many)


def test_a_weight_is_seen_as_no_more_than_16_bits_hold():
    """Between two cycles a weight may grow beyond what the file's unit can hold."""
    shape = SHAPES[1]
    boards, targets = samples(1)
    cell = boards[0, :26].argmax()
    moments = {}
    for value in (32767 / 4096, 20.0):
        for bits in (0, 12):
            weights = representable(shape)
            unit = weights[: training.FEATURES * 128].reshape(28, 2, 4, 128)[cell, 0, :, 0]
            unit[:] = [value, 0, 0, 0]  # for any number of the mover's checkers
            first, second = np.zeros_like(weights), np.zeros_like(weights)
            training.train_deep(
                128, 64, False, weights, first, second, np.ones(2), boards[:1], targets[:1],
                np.arange(1), 1, 1e-3, hidden_bits=bits,
            )  # fmt: skip
            moments[value, bits] = first.tobytes()
    assert moments[20.0, 12] == moments[32767 / 4096, 12] == moments[32767 / 4096, 0]
    assert moments[20.0, 0] != moments[20.0, 12]
