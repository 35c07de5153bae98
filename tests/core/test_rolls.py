"""The roll net that looks at one roll at a time: arithmetic, zero mean, training, files."""

import numpy as np
import pytest
from boards import boards, cells_of, head_of
from cpu_levels import said_on_each_level
from hypothesis import given

from bgcore import DiceStream
from bgcore._core import network, playout, training
from bgcore._core.movegen import legal_boards
from bgcore.errors import BoardError, NetError, TrainingError
from bgcore.evaluators import NetEvaluator
from bgcore.net_weights import first_rolls_weights, quantise_rolls
from bgcore.nets import load_net, save_net, shipped_net
from bgcore.roll_training import luck_fit, luck_samples, train_rolls, with_rolls

ROLLS = [(large, small) for large in range(1, 7) for small in range(1, large + 1)]
WEIGHTS = np.array([1 if large == small else 2 for large, small in ROLLS])
SIGNS = np.array([2.0, 1, 1, -1, -1])
OPENING = np.array(cells_of("24:2 13:5 8:3 6:5", "24:2 13:5 8:3 6:5"), np.int8)
#: Positions with zero, one, two and five checkers on the bar, a race and a bear-off.
BOARDS = np.array(
    [
        OPENING,
        cells_of("bar:1 13:5 8:4 6:5", "24:2 13:5 8:3 6:3 4:2"),
        cells_of("bar:2 13:5 8:3 6:5", "6:2 5:2 4:2 3:2 2:2 24:5"),
        cells_of("bar:5 6:5 2:5", "24:1 1:2 5:1 3:2 13:9"),
        cells_of("11:4 8:6 3:5", "12:5 6:5 5:5"),
        cells_of("6:2 3:1 1:1", "4:2 1:1"),
        cells_of("20:2 16:1 14:1 9:1 5:1 4:1 3:1 2:7", "24:1 19:2 18:1 15:2 8:1 7:1 1:7"),
    ],
    np.int8,
)


def kind_of(cells, point):
    """What stands on a point, 0 to 4: a made point, a blot, nothing, and the other side's."""
    v = int(cells[point])
    return 0 if v >= 2 else 1 if v == 1 else 2 if v == 0 else 3 if v == -1 else 4


def step_row(cells, start, die):
    n = min(int(cells[start]), 3)
    kind = kind_of(cells, start - die) if start > die else 5
    return ((start - 1) * 6 + die - 1) * 18 + (n - 1) * 6 + kind


def moves_of(cells):
    """The numbers of the moves of each roll, by what src/rolls.h says of them."""
    starts = [i for i in range(1, 26) if cells[i] > 0]
    bar = int(cells[25])
    enters = {die: kind_of(cells, 25 - die) != 4 for die in range(1, 7)}
    result = []
    for number, (large, small) in enumerate(ROLLS):
        rows = [4222 + number]
        dice = {large: small, small: large}  # each die, and the other one
        for die, other in dice.items():
            for start in starts:
                if start == 25 or bar == 0 or (bar == 1 and enters[other]):
                    rows.append(step_row(cells, start, die))
        for start in [25] if bar == 1 else [] if bar else starts:
            if large == small:
                for steps in (2, 3, 4):
                    path = [start - large * k for k in range(1, steps + 1)]
                    kinds = [kind_of(cells, p) for p in path if p >= 1]
                    if path[-1] >= 1 and 4 not in kinds and kinds[-1] in (1, 3):
                        at = ((start - 1) * 6 + large - 1) * 3 + steps - 2
                        rows.append(3250 + at * 2 + (kinds[-1] == 3))
            elif start - large - small >= 1:
                kind = kind_of(cells, start - large - small)
                on_way = {kind_of(cells, start - die) for die in dice}
                if kind in (1, 3) and on_way != {4}:
                    at = (start - 1) * 11 + large + small - 2
                    rows.append(2700 + at * 2 + (kind == 3))
        if large != small and not bar:
            for point in range(1, 25):
                both = all(point + die <= 25 and cells[point + die] > 0 for die in dice)
                if both and kind_of(cells, point) in (1, 2, 3):
                    rows.append(4150 + (point - 1) * 3 + kind_of(cells, point) - 1)
        result.append(rows)
    return result


def values_of(cells, rows, bias, moves, out, out_bias):
    """The outputs of the net in numpy, (21, 5), of integers or of floats."""
    b = np.asarray(cells, np.int64)
    cells_28 = [*b, 15 - b[b > 0].sum(), -b[b < 0].sum() - 15]
    common = bias + sum(rows[cell, value + 15] for cell, value in enumerate(cells_28))
    head = head_of(b)
    found = []
    for (large, small), seen in zip(ROLLS, moves_of(b), strict=True):
        hidden = common + moves[seen].sum(axis=0)
        assert abs(hidden).max() < 32768
        found.append(out[head, int(large != small)] @ np.maximum(hidden, 0))
    return np.array(found) + out_bias[head]


def random_rolls(seed=1, hidden=128):
    rng = np.random.default_rng(seed)
    rows = rng.normal(0, 60, (28, 31, hidden)).astype(np.int16)
    rows[:, 15] = 0
    return {
        "rolls_rows": rows,
        "rolls_bias": rng.normal(0, 60, hidden).astype(np.int16),
        "rolls_moves": rng.normal(0, 40, (network.ROLL_MOVES, hidden)).astype(np.int16),
        "rolls_out": rng.normal(0, 90, (10, 2, 5, hidden)).astype(np.int16),
        "rolls_out_bias": rng.normal(0, 1e6, (10, 21, 5)).astype(np.int32),
    }


NETS = {hidden: network.RollNet(*random_rolls(hidden, hidden).values()) for hidden in (128, 256)}


def check_luck(hidden, cells):
    wide = [array.astype(np.int64) for array in random_rolls(hidden, hidden).values()]
    values = values_of(cells, *wide)
    luck = NETS[hidden].luck_of_rolls(np.array([cells], np.int8))[0].astype(np.int64)
    assert ((WEIGHTS[:, None] * luck).sum(axis=0) == 0).all()
    mean = (WEIGHTS[:, None] * values).sum(axis=0) / 36
    assert np.abs(luck - (values - mean)).max() <= 1.5


@given(boards())
def test_luck_is_the_same_sums_in_numpy_and_has_mean_zero(board):
    cells = np.array(board, np.int8)
    if (cells > 0).any() and (cells < 0).any():
        check_luck(128, cells)


def test_luck_of_special_boards():
    for cells in BOARDS:
        check_luck(256, cells)


def test_all_cpu_levels_give_the_same_bits():
    code = (
        "import hashlib, sys, numpy as np\n"
        "from bgcore._core import movegen, network, training\n"
        "from bgcore import NetEvaluator\n"
        "from bgcore.roll_training import train_rolls\n"
        "rng = np.random.default_rng(3)\n"
        "few = lambda scale, *shape: rng.normal(0, scale, shape)\n"
        "rows = few(60, 28, 31, 128).astype(np.int16)\n"
        "rows[:, 15] = 0\n"
        "net = network.RollNet(\n"
        "    rows, few(60, 128).astype(np.int16),\n"
        "    few(30, network.ROLL_MOVES, 128).astype(np.int16),\n"
        "    few(90, 10, 2, 5, 128).astype(np.int16), few(1e6, 10, 21, 5).astype(np.int32))\n"
        "boards = movegen.legal_boards_all_rolls(training.OPENING[None])[0]\n"
        "boards = movegen.legal_boards_all_rolls(-boards[:40, ::-1])[0]\n"
        "state = hashlib.sha256(net.luck_of_rolls(boards[::7]).tobytes())\n"
        "core = NetEvaluator().core\n"
        "state.update(train_rolls(core, games=4, games_per_cycle=2, hidden=128).tobytes())\n"
        "print(state.hexdigest())\n"
    )
    said = said_on_each_level(code)
    assert len(set(said)) == 1


@given(boards())
def test_no_board_leaves_the_range_that_the_loader_allows(board):
    cells = np.array(board, np.int8)
    moves = random_rolls(9)["rolls_moves"]
    low, high = network.moves_range(moves)
    for seen in moves_of(cells):
        total = moves[seen].sum(axis=0, dtype=np.int64)
        assert (low <= total).all()
        assert (total <= high).all()


@pytest.mark.parametrize(
    "change",
    [
        {"rolls_bias": np.zeros((2, 3), np.int16)},
        {"rolls_bias": np.zeros(192, np.int16)},
        {"rolls_bias": np.zeros(384, np.int16)},
        {"rolls_bias": np.full(128, 32767, np.int16)},  # leaves 16 bits on some board
        {"rolls_rows": np.full((28, 31, 128), 3, np.int16)},  # rows of empty cells not zero
        {"rolls_moves": np.full((network.ROLL_MOVES, 128), 900, np.int16)},
        {"rolls_moves": np.zeros((network.ROLL_MOVES - 1, 128), np.int16)},
        {"rolls_moves": np.zeros((network.ROLL_MOVES, 128), np.int32)},
        {"rolls_out": np.full((10, 2, 5, 128), 32767, np.int16)},  # leaves 31 bits
        {"rolls_out": np.zeros((10, 5, 128), np.int16)},
        {"rolls_out_bias": np.full((10, 21, 5), 2**30, np.int32)},
        {"rolls_out_bias": None},
    ],
)
def test_unusable_arrays_are_refused(change):
    with pytest.raises(NetError):
        network.RollNet(*{**random_rolls(), **change}.values())


def test_finished_games_are_refused():
    with pytest.raises(BoardError, match="finished"):
        NETS[128].luck_of_rolls(np.array([cells_of("", "1:15")], np.int8))


@pytest.mark.parametrize("opening", [False, True])
def test_luck_adds_up_to_nothing_over_the_first_rolls(opening):
    core = NetEvaluator().core
    stream = DiceStream(7, True, opening)
    settings = {"player": core, "evaluator": core, "truncate": 1}
    plain = playout.Playout(stream, playout.BEST_PLAY, **settings)
    lucky = playout.Playout(
        stream, playout.BEST_PLAY, roll_net=NETS[128], luck=playout.NET_LUCK, **settings
    )
    trials = [p.trial_values(OPENING, False, 0, stream.block)[0] for p in (lucky, plain)]
    difference = trials[0] - trials[1]
    assert np.abs(difference[:, 5]).max() > 2**20
    assert (np.abs(difference.sum(axis=0)) <= stream.block).all()  # each value is rounded once


def test_gradient_is_that_of_the_squared_error_of_outputs_and_equity():
    hidden = 128
    rng = np.random.default_rng(4)
    weights = first_rolls_weights(5, hidden)
    weights += rng.normal(0, 0.02, weights.shape).astype(np.float32)
    targets = rng.uniform(0, 1, (len(BOARDS), 105)).astype(np.float32)
    core = training.core_boards(BOARDS)
    first, second = np.zeros_like(weights), np.zeros_like(weights)
    order = np.arange(len(BOARDS))
    training.train_rolls(
        hidden, weights.copy(), first, second, np.ones(2), core, targets, order, len(order), 1e-9
    )

    # squared errors of the five and of the equity, of which a tenth of the common part counts
    def loss(x):
        total = 0.0
        for cells, target in zip(BOARDS, targets.reshape(-1, 21, 5), strict=True):
            error = values_of(cells, *float_parts(x, hidden)) - target
            error = np.column_stack([error, error @ SIGNS])
            common = (WEIGHTS[:, None] * error).sum(axis=0) / 36
            total += 0.5 * (WEIGHTS[:, None] * (error - common) ** 2).sum()
            total += 0.5 * 0.1 * 36 * (common**2).sum()
        return total / len(BOARDS)

    x = weights.astype(np.float64)
    gradient = first.astype(np.float64) / 0.1
    direction = rng.normal(0, 1, x.shape) * (gradient != 0)
    step = 1e-5 * direction
    slope = (loss(x + step) - loss(x - step)) / 2e-5
    assert slope == pytest.approx((gradient * direction).sum(), rel=0.02)


def float_parts(weights, hidden):
    """The arrays of a net from its float weights, in the order in which `RollNet` takes them."""
    x = np.asarray(weights, np.float64)
    sizes = {"features": training.FEATURES, "bias": 1, "moves": network.ROLL_MOVES, "out": 100}
    at, found = 0, {}
    for name, n in sizes.items():
        found[name] = x[at : at + n * hidden].reshape(n, hidden)
        at += n * hidden
    features = found["features"].reshape(28, 2, 4, hidden)
    rows = np.einsum("cvsf,csfh->cvh", training.feature_matrix().astype(np.float64), features)
    out = found["out"].reshape(10, 2, 5, hidden)
    return rows, found["bias"][0], found["moves"], out, x[at:].reshape(10, 21, 5)


def test_training_learns_and_the_integers_say_what_the_floats_say(tmp_path):
    core = NetEvaluator("fast").core
    lines = []
    settings = {"games": 200, "games_per_cycle": 100, "batch": 16, "hidden": 128}
    weights = train_rolls(core, log=lines.append, **settings)
    assert [line["games"] for line in lines] == [100, 200]
    net = network.RollNet(*quantise_rolls(weights, 128).values())
    fit = luck_fit(core, net, seed=99, games=20)
    assert fit["r2"] > 0.3
    assert (train_rolls(core, **settings) == weights).all()
    sampled, _ = luck_samples(core, seed=4, first_game=0, games=1)
    for cells in sampled[:30, :26]:
        values = values_of(cells, *float_parts(weights, 128))
        luck = values - (WEIGHTS[:, None] * values).sum(axis=0) / 36
        got = net.luck_of_rolls(np.ascontiguousarray(cells[None]))[0] * 2.0**-22
        assert got == pytest.approx(luck, abs=0.01)
    # a file with it, whose value nets are as they were
    nets = shipped_net("strong")
    path = tmp_path / "net.npz"
    save_net(path, *with_rolls(nets, weights, 128, {"games": 200}))
    file = load_net(path)
    assert file.luck.hidden == 128
    assert file.meta["rolls"] == {"games": 200}
    assert not any(name.startswith("luck_") for name in file.arrays)
    for name in ("value_rows", "strong_out"):
        assert (file.arrays[name] == nets.arrays[name]).all()
    assert NetEvaluator(path).file.luck.hidden == 128


def test_a_file_has_one_roll_net(tmp_path):
    with pytest.raises(NetError, match="two roll nets"):
        save_net(tmp_path / "net.npz", {**shipped_net("fast").arrays, **random_rolls()}, {})
    part = {**random_rolls(), **shipped_net("fast").arrays}
    part = {name: array for name, array in part.items() if not name.startswith("luck_")}
    del part["rolls_moves"]
    with pytest.raises(NetError, match="holds the arrays"):
        save_net(tmp_path / "net.npz", part, {})


def test_weights_that_are_not_usable_are_refused():
    weights = first_rolls_weights(1, 128)
    for bad in (np.nan, np.inf, 1e9):
        changed = weights.copy()
        changed[17] = bad
        with pytest.raises(NetError):
            quantise_rolls(changed, 128)
    with pytest.raises(NetError, match="the weights are"):
        quantise_rolls(weights[1:], 128)


@pytest.mark.parametrize(
    "settings",
    [{"hidden": 100}, {"hidden": 0}, {"hidden": 512}, {"games": 0}, {"epochs": 0}, {"batch": 0}],
)
def test_settings_that_make_no_sense_are_refused(settings):
    with pytest.raises(TrainingError):
        train_rolls(NetEvaluator().core, **settings)


def test_legal_plays_of_an_example_agree_with_the_moves():
    # 3-1 from the opening: 8/5 and 6/5 make the five point
    assert 4150 + 4 * 3 + 1 in moves_of(OPENING)[ROLLS.index((3, 1))]
    made = [board for board in legal_boards(OPENING, 3, 1) if board[5] == 2]
    assert made
