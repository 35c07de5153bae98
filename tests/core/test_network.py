"""The nets: arithmetic against numpy, incremental against whole, files against hostile input."""

import json
import zipfile

import numpy as np
import pytest
from boards import boards, cells_of
from cpu_levels import said_on_each_level
from hypothesis import given
from hypothesis import strategies as st

from bgcore._core import movegen, network
from bgcore._core.evaluator import Evaluator
from bgcore.corpus import contact_boards
from bgcore.errors import BoardError, NetError
from bgcore.evaluators import NetEvaluator
from bgcore.nets import load_net, save_net, shipped_net, write_npz

UNIT = 1 << 30


def random_arrays(seed=1, scale=60):
    rng = np.random.default_rng(seed)
    rows = rng.normal(0, scale, (28, 31, 128)).astype(np.int16)
    rows[:, 15] = 0
    return {
        "value_rows": rows,
        "value_bias": rng.normal(0, scale, 128).astype(np.int16),
        "value_out": rng.normal(0, scale, (10, 5, 128)).astype(np.int16),
        "value_out_bias": rng.normal(0, 1e6, (10, 5)).astype(np.int32),
    }


def random_net(seed=1):
    return network.ValueNet(*random_arrays(seed).values())


def reference_head(b):
    """Which output layer: 0 a race; else points held in the other home board, 0, 1 or 2 and more."""
    own = [i for i in range(26) if b[i] > 0]
    opp = [i for i in range(26) if b[i] < 0]
    if max(own) < min(opp):
        return 0
    back = min(2, sum(1 for i in own if i >= 19))
    theirs = min(2, sum(1 for i in opp if i <= 6))
    return 1 + 3 * back + theirs


def reference_five(arrays, board):
    """The value net in numpy integers: an unfinished board after a play, mover's view."""
    b = np.asarray(board, np.int64)
    own, opp = b[b > 0].sum(), -b[b < 0].sum()
    cells = [*b, 15 - own, opp - 15]
    hidden = arrays["value_bias"].astype(np.int64)
    for cell, value in enumerate(cells):
        hidden = hidden + arrays["value_rows"][cell, value + 15]
    assert hidden.min() >= -32768
    assert hidden.max() <= 32767
    hidden = np.maximum(hidden, 0)
    head = reference_head(b)
    z = arrays["value_out"][head].astype(np.int64) @ hidden + arrays["value_out_bias"][head]
    table = network.sigmoid_table().astype(np.int64)
    z = np.clip(z, -(1 << 24), (1 << 24) - 1) + (1 << 24)
    i, rest = z >> 15, z & 32767
    win, wg, wbg, lg, lbg = (table[i] + ((table[i + 1] - table[i]) * rest >> 15)).tolist()
    race = head == 0
    if opp < 15:
        wg = wbg = 0
    if own < 15:
        lg = lbg = 0
    if race and not (b[:7] < 0).any():
        wbg = 0
    if race and not (b[19:] > 0).any():
        lbg = 0
    wg, lg = min(wg, win), min(lg, UNIT - win)
    # the evaluator keeps 24 bits, so that float32 holds what it says
    return [p & -64 for p in (win, wg, min(wbg, wg), lg, min(lbg, lg))]


def random_strong_arrays(seed=11, hidden=256, second=64, relations=False):
    rng = np.random.default_rng(seed)
    rows = rng.normal(0, 60, (28, 31, hidden)).astype(np.int16)
    rows[:, 15] = 0
    related = np.random.default_rng(seed).normal(0, 40, (network.RELATIONS, hidden))
    return {
        "strong_rows": rows,
        "strong_bias": rng.normal(0, 60, hidden).astype(np.int16),
        "strong_second": rng.normal(0, 300, (10, second, hidden)).astype(np.int16),
        "strong_second_bias": rng.normal(0, 1e6, (10, second)).astype(np.int32),
        "strong_third": rng.normal(0, 300, (10, 32, second)).astype(np.int16),
        "strong_third_bias": rng.normal(0, 4e6, (10, 32)).astype(np.int32),
        "strong_out": rng.normal(0, 200, (10, 5, 32)).astype(np.int16),
        "strong_out_bias": rng.normal(0, 4e6, (10, 5)).astype(np.int32),
    } | (
        {"strong_relations": related.astype(np.int16), "strong_reach": np.array([90], np.int16)}
        if relations
        else {}
    )


def reference_relations(board):
    """Numbers of the relations of a board, from their definition in deep.h."""
    b = np.asarray(board).tolist()
    found = []
    for i in range(1, 25):
        shot, block = (i - 1) * 12, (i - 1) * 6
        for d in range(1, 13):
            if i - d >= 0 and b[i] == 1 and b[i - d] < 0:
                found.append(shot + 12 - d)
            if i + d <= 25 and b[i] == -1 and b[i + d] > 0:
                found.append(288 + shot + d - 1)
        for d in range(1, 7):
            if i + d <= 24 and b[i] > 1 and b[i + d] > 1:
                found.append(576 + block + d - 1)
            if i + d <= 24 and b[i] < -1 and b[i + d] < -1:
                found.append(720 + block + d - 1)
            if i - d >= 0 and b[i] > 1 and b[i - d] < 0:
                found.append(864 + block + 6 - d)
            if i + d <= 25 and b[i] < -1 and b[i + d] > 0:
                found.append(1008 + block + d - 1)
    return sorted(found)


def random_strong_net(seed=11, **shape):
    return network.DeepNet(*random_strong_arrays(seed, **shape).values())


def random_related_net(seed=11):
    return random_strong_net(seed, relations=True)


def reference_strong_z(arrays, board):
    """The five outputs of the strong net before the sigmoid, in numpy integers, unit 2**-20."""
    b = np.asarray(board, np.int64)
    cells = [*b, 15 - b[b > 0].sum(), -15 - b[b < 0].sum()]
    units = arrays["strong_bias"].astype(np.int64)
    for cell, value in enumerate(cells):
        units = units + arrays["strong_rows"][cell, value + 15]
    if "strong_relations" in arrays:
        sums = arrays["strong_relations"][reference_relations(b)].sum(axis=0, dtype=int)
        units = units + np.clip(sums, -90, 90)
    units = np.maximum(units, 0)
    head = reference_head(b)
    for layer, shift in (("second", 8), ("third", 10)):
        sums = arrays[f"strong_{layer}"][head].astype(np.int64) @ units
        sums = sums + arrays[f"strong_{layer}_bias"][head]
        units = np.clip((sums + (1 << shift >> 1)) >> shift, 0, 32767)  # to the nearest, half up
    return (
        arrays["strong_out"][head].astype(np.int64) @ units + arrays["strong_out_bias"][head]
    ) >> 2


def test_sigmoid_table_is_the_logistic_function():
    x = np.arange(-512, 513) / 32
    exact = 1 / (1 + np.exp(-x))
    assert np.abs(network.sigmoid_table() / UNIT - exact).max() < 2e-9  # rounding to 2**-30


def test_sigmoid_is_monotone_and_near_the_logistic_function():
    z = np.arange(-(17 << 20), 17 << 20, 1017, dtype=np.int32)
    p = network.sigmoid(z)
    assert (np.diff(p) >= 0).all()
    inside = np.abs(z) < 15 << 20
    exact = 1 / (1 + np.exp(-z[inside] / 2**20))
    assert np.abs(p[inside] / UNIT - exact).max() < 1.5e-5  # linear between knots 1/32 apart
    extremes = network.sigmoid(np.array([-(2**31), 2**31 - 1], np.int32))
    assert extremes[0] >= 0
    assert extremes[1] <= UNIT


@given(boards())
def test_net_equals_the_same_sums_in_numpy(board):
    b = np.array(board, np.int8)
    if not ((b > 0).any() and (b < 0).any()):
        return
    arrays = random_arrays()
    got = Evaluator(network.ValueNet(*arrays.values())).evaluate_fixed(b[None], after=True)
    assert got[0].tolist() == reference_five(arrays, b)


@given(
    boards(),
    st.sampled_from([(128, 32), (256, 64), (640, 32), (128, 32, True), (384, 64, True)]),
)
def test_strong_net_equals_the_same_sums_in_numpy(board, shape):
    b = np.array(board, np.int8)
    if not ((b > 0).any() and (b < 0).any()):
        return
    arrays = random_strong_arrays(3, *shape)
    got = Evaluator(network.DeepNet(*arrays.values())).evaluate_fixed(b[None], after=True)[0]
    expected = network.sigmoid(reference_strong_z(arrays, b).astype(np.int32))
    assert got[0] == expected[0] & -64  # the others are clamped as those of the fast net
    assert got[1] in (0, min(expected[0], expected[1]) & -64)


@given(boards())
def test_relations_are_those_of_their_definition(board):
    b = np.array(board, np.int8)
    if not ((b > 0).any() and (b < 0).any()):
        return
    found = network.relations_of(b[None])[0]
    assert sorted(found) == reference_relations(b)
    rows = np.random.default_rng(2).integers(-99, 99, (network.RELATIONS, 128), np.int16)
    low, high = network.relation_range(rows)
    sums = rows[found].sum(axis=0, dtype=int)
    assert (low <= sums).all()
    assert (sums <= high).all()


def test_relations_of_a_board_by_hand():
    board = np.array([cells_of("8:1 6:2 4:2", "bar:1 20:1 13:2")], np.int8)
    shots = [7 * 12 + 12 - 8, 7 * 12 + 12 - 3]  # the blot on the 8 point: the bar, the 5 point
    theirs = [288 + 4 * 12 + 0, 288 + 4 * 12 + 2]  # their blot on the 5 point: the 6, the 8 point
    blocks = [576 + 3 * 6 + 1]  # the 4 point and the 6 point
    guards = [864 + 3 * 6 + 6 - 4, 864 + 5 * 6 + 6 - 6, 864 + 5 * 6 + 6 - 1]
    assert sorted(network.relations_of(board)[0]) == sorted(shots + theirs + blocks + guards)


@pytest.mark.parametrize("make", [random_net, random_strong_net, random_related_net])
@given(board=boards(), die1=st.integers(1, 6), die2=st.integers(1, 6))
def test_siblings_have_the_equity_that_each_has_alone(make, board, die1, die2):
    b = np.array(board, np.int8)
    if not ((b > 0).any() and (b < 0).any()):
        return
    try:
        plays = movegen.legal_boards(b, die1, die2)
    except BoardError:  # both sides closed out
        return
    evaluator = Evaluator(make())
    five = evaluator.evaluate_fixed(plays, after=True).astype(np.int64)
    alone = 2 * five[:, 0] - UNIT + five[:, 1] + five[:, 2] - five[:, 3] - five[:, 4]
    assert evaluator.equities_after(b, plays).tolist() == alone.tolist()


@pytest.mark.parametrize("make", [random_net, random_strong_net, random_related_net])
@given(board=boards())
def test_probabilities_are_nested_and_possible(make, board):
    b = np.array(board, np.int8)
    win, wg, wbg, lg, lbg = Evaluator(make(3)).evaluate_fixed(b[None], after=True)[0].tolist()
    assert 0 <= wbg <= wg <= win <= UNIT
    assert 0 <= lbg <= lg <= UNIT - win
    if -b[b < 0].sum() < 15:
        assert wg == 0
    if b[b > 0].sum() < 15:
        assert lg == 0


def test_no_backgammon_in_a_race_without_checkers_on_the_wrong_side():
    board = np.array([cells_of("6:15", "7:15")], np.int8)
    assert Evaluator(random_net(4)).evaluate(board)[0, [2, 4]].tolist() == [0, 0]
    arrays = random_arrays(4)
    arrays["value_out_bias"][:] = 1 << 24  # every output near 1 before clamping
    even = Evaluator(network.ValueNet(*arrays.values())).evaluate_after(board)[0]
    assert even[1] > 0.9
    assert even[2] == 0


@pytest.mark.parametrize(
    ("own", "opponent", "five"),
    [
        ("", "1:3", [1, 0, 0, 0, 0]),
        ("", "7:15", [1, 1, 0, 0, 0]),
        ("", "24:1 3:14", [1, 1, 1, 0, 0]),
        ("", "bar:1 3:14", [1, 1, 1, 0, 0]),
        ("2:4", "", [0, 0, 0, 0, 0]),
        ("18:1 2:14", "", [0, 0, 0, 1, 0]),
        ("19:1 2:14", "", [0, 0, 0, 1, 1]),
        ("bar:1 2:14", "", [0, 0, 0, 1, 1]),
    ],
)
def test_finished_games_are_exact(own, opponent, five):
    board = np.array([cells_of(own, opponent)], np.int8)
    evaluator = Evaluator(random_net())
    assert evaluator.evaluate(board)[0].tolist() == five
    assert evaluator.evaluate_after(board)[0].tolist() == five


def test_hidden_range_is_reached_and_never_left():
    rows = random_arrays(7)["value_rows"]
    bias = np.zeros(128, np.int16)
    low, high = network.hidden_range(rows, bias)
    # one cell alone matters: own 15 on point 3 against the best of the opponent's cells
    single = np.zeros_like(rows)
    single[3, 15 + 15] = 100
    single[5, 15 - 15] = 30
    single[25, 15 - 15] = 999  # an opposing checker cannot stand on the own bar
    assert network.hidden_range(single, bias)[1].tolist() == [130] * 128
    rng = np.random.default_rng(0)
    for _ in range(300):
        cells = np.zeros(28, np.int64)
        for _ in range(15):
            cells[rng.integers(1, 27)] += 1
        free = [c for c in (*range(25), 27) if cells[c] == 0]
        for _ in range(15):
            cells[rng.choice(free)] -= 1
        hidden = rows[np.arange(28), cells + 15].sum(axis=0, dtype=np.int64)
        assert (low <= hidden).all()
        assert (hidden <= high).all()


def random_luck_arrays(seed=2):
    rng = np.random.default_rng(seed)
    rows = rng.normal(0, 60, (28, 31, 128)).astype(np.int16)
    return {
        "luck_rows": rows,
        "luck_bias": rng.normal(0, 60, 128).astype(np.int16),
        "luck_pair_rows": rng.normal(0, 30, (3150, 128)).astype(np.int16),
        "luck_pair_out": rng.normal(0, 200, (3150, 112)).astype(np.int16),
        "luck_out": rng.normal(0, 40, (2, 105, 128)).astype(np.int16),
        "luck_out_bias": rng.normal(2e6, 1e6, (2, 105)).astype(np.int32),
    }


def reference_luck(arrays, board):
    """The roll net in numpy: 105 probabilities of the side on roll, unit 2**-30."""
    b = np.asarray(board, np.int64)
    own, opp = b[b > 0].sum(), -b[b < 0].sum()
    cells = [*b, 15 - own, opp - 15]
    pairs = []
    for start in range(1, 26):
        if b[start] <= 0:
            continue
        n = min(int(b[start]), 3)
        for distance in range(1, 7):
            target = start - distance
            if target < 1:
                kind = 5  # off
            else:
                v = int(b[target])
                kind = 0 if v >= 2 else 1 if v == 1 else 2 if v == 0 else 3 if v == -1 else 4
            pairs.append((((start - 1) * 6 + distance - 1) * 3 + n - 1) * 6 + kind)
        for distance in range(7, 25):
            if start - distance >= 1 and b[start - distance] == -1:
                pairs.append(2700 + (start - 1) * 18 + distance - 7)
    hidden = arrays["luck_bias"].astype(np.int64)
    for cell, value in enumerate(cells):
        hidden = hidden + (arrays["luck_rows"][cell, value + 15] if value else 0)
    hidden = hidden + arrays["luck_pair_rows"][pairs].sum(axis=0, dtype=np.int64)
    direct = arrays["luck_pair_out"][pairs, :105].sum(axis=0, dtype=np.int64)
    assert abs(hidden).max() < 32768
    assert abs(direct).max() < 32768
    head = 0 if reference_head(b) == 0 else 1
    z = arrays["luck_out"][head].astype(np.int64) @ np.maximum(hidden, 0)
    z = z + arrays["luck_out_bias"][head] + direct * 512
    return np.clip(z, 0, 1 << 22) << 8


@given(boards())
def test_roll_net_equals_the_same_sums_in_numpy(board):
    b = np.array(board, np.int8)
    if not ((b > 0).any() and (b < 0).any()):
        return
    arrays = random_luck_arrays()
    got = network.LuckNet(*arrays.values()).values(b[None])
    assert got.shape == (1, 21, 5)
    expected = (reference_luck(arrays, b) * 2.0**-30).astype(np.float32)
    assert got.ravel().tolist() == expected.tolist()


def test_roll_net_refuses_finished_games_and_wrong_arrays():
    luck = network.LuckNet(*random_luck_arrays().values())
    with pytest.raises(BoardError, match="finished"):
        luck.values(np.array([cells_of("", "1:15")], np.int8))
    for name in random_luck_arrays():
        arrays = random_luck_arrays()
        arrays[name] = arrays[name][1:]
        with pytest.raises(NetError):
            network.LuckNet(*arrays.values())


def test_all_cpu_levels_give_the_same_bits():
    code = (
        "import hashlib, numpy as np, bgcore\n"
        "from bgcore._core import movegen, network\n"
        "from bgcore._core.evaluator import Evaluator\n"
        "from bgcore.evaluators import NetEvaluator\n"
        "start = np.array([0,-2,0,0,0,0,5,0,3,0,0,0,-5,5,0,0,0,-3,0,-5,0,0,0,0,2,0], np.int8)\n"
        "boards = movegen.legal_boards_all_rolls(start[None])[0]\n"
        "boards = movegen.legal_boards_all_rolls(-boards[:40, ::-1])[0]\n"
        "net = NetEvaluator()\n"
        "state = hashlib.sha256(net.core.evaluate_fixed(boards, after=True).tobytes())\n"
        "state.update(net.core.best_fives(boards[::500]).tobytes())\n"
        "rng = np.random.default_rng(3)\n"
        "few = lambda scale, *shape: rng.normal(0, scale, shape)\n"
        "rows = few(60, 28, 31, 384).astype(np.int16)\n"
        "rows[:, 15] = 0\n"
        "strong = network.DeepNet(\n"
        "    rows, few(60, 384).astype(np.int16),\n"
        "    few(300, 10, 96, 384).astype(np.int16), few(1e6, 10, 96).astype(np.int32),\n"
        "    few(300, 10, 32, 96).astype(np.int16), few(4e6, 10, 32).astype(np.int32),\n"
        "    few(200, 10, 5, 32).astype(np.int16), few(4e6, 10, 5).astype(np.int32))\n"
        "rows = few(60, 28, 31, 640).astype(np.int16)\n"
        "rows[:, 15] = 0\n"
        "related = network.DeepNet(\n"
        "    rows, few(60, 640).astype(np.int16),\n"
        "    few(300, 10, 32, 640).astype(np.int16), few(1e6, 10, 32).astype(np.int32),\n"
        "    few(300, 10, 32, 32).astype(np.int16), few(4e6, 10, 32).astype(np.int32),\n"
        "    few(200, 10, 5, 32).astype(np.int16), few(4e6, 10, 5).astype(np.int32),\n"
        "    few(40, network.RELATIONS, 640).astype(np.int16), np.array([90], np.int16))\n"
        "for deep in (Evaluator(strong, None, net.file.value), Evaluator(related)):\n"
        "    state.update(deep.evaluate_fixed(boards, after=True).tobytes())\n"
        "    state.update(deep.best_fives(boards[::500]).tobytes())\n"
        "for name in ('fast', 'strong'):\n"
        "    luck = NetEvaluator(name).file.luck.luck_of_rolls(boards[::100])\n"
        "    state.update(luck.tobytes())\n"
        "print(state.hexdigest())\n"
    )
    said = said_on_each_level(code)
    assert len(set(said)) == 1


def test_shipped_net_is_read_once_and_knows_its_origin():
    assert shipped_net() is shipped_net()
    assert shipped_net("strong").strong is not None
    assert NetEvaluator("strong").file is shipped_net("strong")
    assert shipped_net().meta["games"] > 0
    assert shipped_net().meta["format"] == 1


def test_saved_net_is_read_back(tmp_path):
    arrays = random_arrays(5)
    path = tmp_path / "net.npz"
    save_net(path, {**arrays, **random_luck_arrays()}, {"games": 7})
    assert load_net(path).luck is not None
    save_net(path, arrays, {"games": 7})
    file = load_net(path)
    assert file.meta["games"] == 7
    assert file.luck is None
    for name, array in arrays.items():
        assert (file.arrays[name] == array).all()
    board = np.array([cells_of("24:2 13:5 8:3 6:5", "24:2 13:5 8:3 6:5")], np.int8)
    assert NetEvaluator(path).evaluate(board).shape == (1, 5)
    assert [p.name for p in tmp_path.iterdir()] == ["net.npz"]


def test_a_file_may_hold_a_strong_net_with_a_fast_one_for_the_first_choice(tmp_path):
    path = tmp_path / "net.npz"
    strong = random_strong_arrays()
    save_net(path, strong, {})
    alone = load_net(path)
    assert alone.value is None
    assert alone.net is alone.strong
    assert (alone.strong.hidden, alone.strong.second) == (256, 64)
    assert not alone.strong.relations
    save_net(path, random_strong_arrays(relations=True), {})
    assert load_net(path).strong.relations
    save_net(path, {**strong, **random_arrays(), **random_luck_arrays()}, {})
    both = load_net(path)
    assert both.net is both.strong
    evaluator = NetEvaluator(path)
    assert evaluator.core.net is evaluator.file.strong
    assert evaluator.core.first_choice is evaluator.file.value
    for wrong in (random_luck_arrays(), {**random_arrays(), "strong_bias": strong["strong_bias"]}):
        with pytest.raises(NetError, match="holds the arrays"):
            save_net(path, wrong, {})


def test_a_fast_net_makes_the_first_choice():
    # the 14 plays that the fast net finds best, without those more than 0.44 points worse than its best
    rng = np.random.default_rng(5)
    arrays = random_arrays(6)
    arrays["value_out"] *= 3  # a fast net with decided views
    fast, strong = network.ValueNet(*arrays.values()), random_strong_net(7)
    both = Evaluator(strong, None, fast)
    alone, first = Evaluator(strong), Evaluator(fast)
    differ = far = many = 0
    for board in contact_boards()[:: len(contact_boards()) // 150]:
        dice = rng.integers(1, 7, 2)
        plays = movegen.legal_boards(board, *dice.tolist())
        if len(plays) == 0:
            continue
        index = both.best_plays(board[None], dice[None])[1]
        choice, equity = first.equities_after(board, plays), alone.equities_after(board, plays)
        near = choice >= choice.max() - 0.44 * UNIT
        left = near & (choice >= np.sort(choice)[-14:][0]) | (len(plays) <= 3)
        assert index[0] == np.argmax(np.where(left, equity, -9 * UNIT))
        differ += index[0] != equity.argmax()
        far += not near.all()
        many += np.count_nonzero(near) > 14
    assert min(differ, far, many) > 20
    for wrong in ((fast, fast), (None, fast), (strong, strong), (strong, 5)):
        with pytest.raises(NetError, match="first choice"):
            Evaluator(wrong[0], None, wrong[1])


@pytest.mark.parametrize(
    "change",
    [
        {"strong_bias": np.zeros((2, 3), np.int16)},
        {"strong_bias": np.full(256, 32767, np.int16)},  # leaves 16 bits on some board
        {"strong_rows": np.full((28, 31, 256), 3, np.int16)},  # rows of empty cells not zero
        {"strong_second_bias": np.zeros(10, np.int32)},
        {"strong_second": np.full((10, 64, 256), -32768, np.int16)},  # leaves 32 bits
        {"strong_third": np.full((10, 32, 64), 32767, np.int16)},
        {"strong_third": np.zeros((10, 32, 65), np.int16)},
        {"strong_out": np.full((10, 5, 32), 32767, np.int16)},
        {"strong_out_bias": np.full((10, 5), 2**31 - 1, np.int32)},
        {"strong_out_bias": np.zeros((10, 6), np.int32)},
        {"strong_out_bias": 7},
        {"strong_relations": np.full((1152, 256), 1000, np.int16)},  # leaves 16 bits
        {"strong_relations": np.zeros((864, 256), np.int16)},
        {"strong_relations": np.zeros((1152, 128), np.int16)},
        {"strong_relations": np.zeros((1152, 256), np.int32)},
        {"strong_relations": None},
        {"strong_reach": None},
        {"strong_reach": np.array([-1], np.int16)},
        {"strong_reach": np.array([32000], np.int16)},
        {"strong_reach": np.array([90, 90], np.int16)},
    ],
)
def test_unusable_strong_arrays_are_refused(change):
    good = random_strong_arrays(relations=True)
    network.DeepNet(*good.values())
    with pytest.raises(NetError):
        network.DeepNet(*{**good, **change}.values())


def test_shapes_that_the_kernels_cannot_handle_are_refused():
    for hidden, second in ((100, 32), (0, 32), (1152, 32), (128, 0), (128, 16), (128, 160)):
        with pytest.raises(NetError, match="must be a multiple"):
            network.check_deep_shape(hidden, second)
    with pytest.raises(NetError, match="multiple of 128"):
        random_strong_net(hidden=192)


def good_meta(**changes):
    return {"format": 1, "hidden": 128, "heads": 10, **changes}


@pytest.mark.parametrize(
    "change",
    [
        {"value_rows": np.zeros((28, 31, 64), np.int16)},
        {"value_rows": np.zeros((28, 31, 128), np.float32)},
        {"value_rows": np.full((28, 31, 128), np.nan)},
        {"value_rows": np.full((28, 31, 128), 3, np.int16)},  # rows of empty cells not zero
        {"value_bias": np.zeros(127, np.int16)},
        {"value_bias": np.full(128, 32767, np.int16)},  # leaves 16 bits on some board
        {"value_out": np.full((10, 5, 128), -32768, np.int16)},  # leaves 32 bits
        {"value_out": np.zeros((9, 5, 128), np.int16)},
        {"value_out_bias": np.zeros((10, 5), np.int64)},
        {"value_out_bias": np.full((10, 5), -(2**31), np.int32)},
        {"value_out_bias": None},
        {"more": np.zeros(3)},
    ],
)
def test_unusable_arrays_are_refused(tmp_path, change):
    arrays = {**random_arrays(), **change}
    arrays = {name: array for name, array in arrays.items() if array is not None}
    path = tmp_path / "net.npz"
    write_npz(path, arrays, good_meta())
    with pytest.raises(NetError, match=r"net\.npz"):
        load_net(path)


@pytest.mark.parametrize(
    "meta", [good_meta(format=2), good_meta(hidden=64), good_meta(heads="10"), {}, [1], 5, None]
)
def test_other_formats_are_refused(tmp_path, meta):
    path = tmp_path / "net.npz"
    write_npz(path, random_arrays(), meta)
    with pytest.raises(NetError, match=r"net\.npz"):
        load_net(path)


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04", b"not a zip" * 100])
def test_files_that_are_no_archives_are_refused(tmp_path, content):
    path = tmp_path / "net.npz"
    path.write_bytes(content)
    with pytest.raises(NetError, match=r"net\.npz"):
        load_net(path)


def test_missing_truncated_and_damaged_files_are_refused(tmp_path):
    with pytest.raises(NetError, match=r"none\.npz"):
        load_net(tmp_path / "none.npz")
    with pytest.raises(NetError):
        load_net(tmp_path)
    path = tmp_path / "net.npz"
    save_net(path, random_arrays(), {})
    whole = path.read_bytes()
    for size in (10, len(whole) // 2, len(whole) - 30):
        path.write_bytes(whole[:size])
        with pytest.raises(NetError):
            load_net(path)
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 255
    path.write_bytes(damaged)
    with pytest.raises(NetError):
        load_net(path)


@pytest.mark.parametrize(
    ("arrays", "meta"),
    [
        ({"value_bias": np.zeros(128, np.int32)}, {}),
        ({"value_rows": np.full((28, 31, 128), 32767, np.int16)}, {}),
        ({"extra": np.zeros(3)}, {}),
        ({"meta": np.zeros(3)}, {}),
        ({"value_bias": np.array([object()])}, {}),
        ({}, {"about": object()}),
        ({}, {"about": float("nan")}),
        ({}, {"game": {"name": "none"}}),
        ({}, [1]),
    ],
)
def test_nets_that_could_not_be_read_are_not_written_over_good_ones(arrays, meta, tmp_path):
    path = tmp_path / "net.npz"
    save_net(path, random_arrays(), {})
    kept = path.read_bytes()
    with pytest.raises(NetError):
        save_net(path, random_arrays() | arrays, meta)
    assert path.read_bytes() == kept
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["meta", "file", "allow_pickle", 5])
def test_archives_hold_arrays_under_names_of_their_own(name, tmp_path):
    with pytest.raises(NetError, match="cannot be called"):
        write_npz(tmp_path / "x.npz", {name: np.zeros(3)}, {})
    with pytest.raises(NetError, match="array of numbers"):
        write_npz(tmp_path / "x.npz", {"x": np.array([object()])}, {})
    assert list(tmp_path.iterdir()) == []


def test_a_member_that_is_no_array_is_named(tmp_path):
    path = tmp_path / "net.npz"
    save_net(path, random_arrays(), {})
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("value_bias", b"not an array")
    with pytest.raises(NetError, match="'value_bias' in it is no array"):
        load_net(path)


@pytest.mark.parametrize("kind", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_compression_is_read_and_its_damage_is_an_error(kind, tmp_path):
    plain, packed = tmp_path / "plain.npz", tmp_path / "packed.npz"
    save_net(plain, random_arrays(), {})
    with zipfile.ZipFile(plain) as given, zipfile.ZipFile(packed, "w", kind) as archive:
        for name in given.namelist():
            archive.writestr(name, given.read(name))
    assert load_net(packed).strong is None
    content = bytearray(packed.read_bytes())
    content[1000:1010] = bytes(10)
    packed.write_bytes(content)
    with pytest.raises(NetError, match=r"packed\.npz"):
        load_net(packed)


def test_a_name_that_is_too_long_is_an_error():
    with pytest.raises(NetError, match="too long"):
        load_net("n" * 300)


def test_pickles_in_a_file_are_never_loaded(tmp_path):
    path = tmp_path / "net.npz"
    np.savez(path, meta=np.array({"format": 1}, dtype=object))
    with pytest.raises(NetError):
        load_net(path)


def test_archive_that_unpacks_to_too_much_is_refused(tmp_path):
    path = tmp_path / "net.npz"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("value_rows.npy", bytes(80 * 2**20))
        archive.writestr("meta.npy", json.dumps({}))
    with pytest.raises(NetError, match="more than"):
        load_net(path)


def test_nets_without_weights_are_refused():
    board = np.array([cells_of("24:2 13:5 8:3 6:5", "24:2 13:5 8:3 6:5")], np.int8)
    with pytest.raises(NetError, match="a LuckNet or a RollNet"):
        network.AnyRollNet()
    bare = network.RollNet.__new__(network.RollNet)
    with pytest.raises(NetError, match="no weights"):
        bare.luck_of_rolls(board)
    with pytest.raises(NetError, match="no weights"):
        Evaluator(network.DeepNet.__new__(network.DeepNet))
    assert not network.LuckNet.__new__(network.LuckNet).luck_of_rolls(board).any()
