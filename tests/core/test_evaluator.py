"""Evaluators: perspective, choice of plays, checks of what comes in and goes out."""

import os
import pickle

import numpy as np
import pytest
from all_plays import net_of_all_plays
from boards import boards, cells_of
from hypothesis import given
from hypothesis import strategies as st

from bgcore._core import movegen, network
from bgcore._core.evaluator import Evaluator as CoreEvaluator
from bgcore.errors import BoardError, DiceError, EvaluatorError, NetError
from bgcore.evaluators import (
    Evaluator,
    NetEvaluator,
    PipCountEvaluator,
    Probabilities,
    checked_probabilities,
    equity_cubeless,
    flip,
)

START = cells_of("24:2 13:5 8:3 6:5", "24:2 13:5 8:3 6:5")


def swapped(b):
    return np.ascontiguousarray(-b[:, ::-1])


@pytest.mark.parametrize("evaluator", [NetEvaluator(), PipCountEvaluator()])
@given(boards())
def test_evaluate_is_the_flip_of_evaluate_after_for_the_other_side(evaluator, board):
    b = np.array(board, np.int8)[None]
    before = evaluator.core.evaluate_fixed(b, after=False)[0].tolist()
    win, wg, wbg, lg, lbg = evaluator.core.evaluate_fixed(swapped(b), after=True)[0].tolist()
    assert before == [(1 << 30) - win, lg, lbg, wg, wbg]
    flipped = flip(evaluator.evaluate_after(swapped(b)))
    assert evaluator.evaluate(b) == pytest.approx(flipped, abs=1e-7)  # float32 near 1


def test_net_knows_who_is_ahead():
    # X has two checkers left, O all fifteen: X wins a gammon or more almost surely.
    board = np.array([cells_of("1:2", "23:5 22:5 21:5")], np.int8)
    before = NetEvaluator().evaluate(board)[0]
    assert before[0] > 0.97
    assert NetEvaluator().evaluate(swapped(board))[0, 0] < 0.1


def test_net_finds_the_known_opening_plays():
    # gnubg-nn at 2-ply, cubeless: 3-1 8/5 6/5; 4-2 8/4 6/4; 6-1 13/7 8/7
    board = np.array([START] * 3, np.int8)
    chosen, _ = NetEvaluator().best_plays(board, np.array([[3, 1], [4, 2], [1, 6]], np.uint8))
    expected = [
        cells_of("24:2 13:5 8:2 6:4 5:2", "24:2 13:5 8:3 6:5"),
        cells_of("24:2 13:5 8:2 6:4 4:2", "24:2 13:5 8:3 6:5"),
        cells_of("24:2 13:4 8:2 7:2 6:5", "24:2 13:5 8:3 6:5"),
    ]
    assert chosen.tolist() == expected


def test_pip_count_of_an_equal_race_after_the_play_favours_the_opponent_on_roll():
    board = np.array([cells_of("6:5 5:5 4:5", "6:5 5:5 4:5")], np.int8)
    # lead -4 of 150 pips: 1/2 - 13 * 4 / (2 (13 * 4 + 104 + 150))
    after = PipCountEvaluator().evaluate_after(board)[0]
    assert after[0] == pytest.approx(0.5 - 52 / 612)
    assert after[1:].tolist() == [0, 0, 0, 0]


@given(boards(), st.integers(1, 6), st.integers(1, 6))
def test_best_play_is_the_first_of_largest_equity(board, die1, die2):
    b = np.array(board, np.int8)
    if not ((b > 0).any() and (b < 0).any()):
        return
    try:
        plays = movegen.legal_boards(b, die1, die2)
    except BoardError:  # both sides closed out
        return
    for evaluator in (NetEvaluator("fast"), PipCountEvaluator()):
        chosen, index = evaluator.best_plays(b[None], np.array([[die1, die2]]))
        if len(plays) == 0:
            assert index.tolist() == [-1]
            assert chosen[0].tolist() == b.tolist()
        else:
            equities = evaluator.core.equities_after(b, plays)
            assert index[0] == int(np.argmax(equities))
            assert chosen[0].tolist() == plays[index[0]].tolist()


def test_equal_equities_choose_the_first_play():
    zero = network.ValueNet(
        np.zeros((28, 31, 128), np.int16),
        np.zeros(128, np.int16),
        np.zeros((10, 5, 128), np.int16),
        np.zeros((10, 5), np.int32),
    )
    assert CoreEvaluator(zero).best_plays(np.array([START], np.int8), np.array([[3, 1]]))[1] == 0


def test_best_fives_are_those_of_the_best_plays_of_all_rolls():
    board = np.array([START], np.int8)
    core = NetEvaluator().core
    fives = core.best_fives(board)[0]
    row = 0
    for large in range(1, 7):
        for small in range(1, large + 1):
            chosen, _ = core.best_plays(board, np.array([[small, large]]))
            assert fives[row].tolist() == core.evaluate_fixed(chosen, after=True)[0].tolist()
            row += 1


def test_a_dance_leaves_the_value_of_the_board_itself():
    board = np.array(
        [cells_of("bar:1 6:14", "6:2 5:2 4:2 3:2 2:2 1:2 24:3")], np.int8
    )  # closed out
    core = NetEvaluator().core
    fives = core.best_fives(board)[0]
    assert (fives == core.evaluate_fixed(board, after=True)[0]).all()


def test_luck_has_mean_zero_over_all_rolls_and_over_the_opening_rolls():
    core = NetEvaluator().core
    boards36 = np.array([START] * 36, np.int8)
    rolls = np.array([(a, b) for a in range(1, 7) for b in range(1, 7)])
    assert abs(core.luck(boards36, rolls, opening=False).sum()) < 1e-9
    total = sum(
        core.luck(boards36[:1], np.array([[a, b]]), opening=True)[0]
        for a in range(1, 7)
        for b in range(1, 7)
        if a != b
    )
    assert abs(total) < 1e-9
    with pytest.raises(DiceError, match="double"):
        core.luck(boards36[:1], np.array([[2, 2]]), opening=True)


def test_plays_to_win_have_the_largest_win_probability():
    rng = np.random.default_rng(4)
    core = net_of_all_plays().core
    board = np.array(START, np.int8)
    differ = 0
    for _ in range(300):
        dice = rng.integers(1, 7, 2)
        plays = movegen.legal_boards(board, *dice.tolist())
        after = board
        if len(plays):
            to_win = core.best_plays(board[None], dice[None], to_win=True)[1][0]
            wins = core.evaluate_fixed(plays, after=True)[:, 0]
            assert to_win == wins.argmax()
            differ += to_win != core.best_plays(board[None], dice[None])[1][0]
            fives = core.best_fives(board[None], to_win=True)[0]
            large, small = max(dice), min(dice)
            assert fives[large * (large - 1) // 2 + small - 1, 0] == wins.max()
            after = plays[rng.integers(len(plays))]
        board = np.ascontiguousarray(-after[::-1])
        if not ((board > 0).any() and (board < 0).any()):
            board = np.array(START, np.int8)
    assert differ > 10


def test_luck_in_winning_chances_has_mean_zero():
    core = NetEvaluator().core
    boards36 = np.array([START] * 36, np.int8)
    rolls = np.array([(a, b) for a in range(1, 7) for b in range(1, 7)])
    luck = core.luck(boards36, rolls, opening=False, to_win=True)
    assert abs(luck.sum()) < 1e-9
    assert np.abs(luck).max() < np.abs(core.luck(boards36, rolls, opening=False)).max()


def test_looking_ahead_to_win_is_for_the_win_on_both_sides():
    rng = np.random.default_rng(6)
    static, ahead = NetEvaluator().core, NetEvaluator(plies=1).core
    weights = np.array([1 if a == b else 2 for a in range(6) for b in range(a + 1)]) / 36
    board = np.array(START, np.int8)
    for _ in range(25):
        dice = rng.integers(1, 7, 2)
        plays = movegen.legal_boards(board, *dice.tolist())
        after = board
        if len(plays):
            chosen = ahead.best_plays(board[None], dice[None], to_win=True)[1][0]
            replies = static.best_fives(swapped(plays), to_win=True)[..., 0]
            wins = 1 - replies @ weights / 2**30
            assert wins[chosen] == pytest.approx(wins.max(), abs=1e-6)
            after = plays[rng.integers(len(plays))]
        board = np.ascontiguousarray(-after[::-1])


def test_equity_of_known_probabilities():
    # 60 % wins, 20 % gammons, 5 % backgammons, 15 % gammons lost, 1 % backgammons lost
    five = [0.6, 0.2, 0.05, 0.15, 0.01]
    assert equity_cubeless(five) == pytest.approx(0.2 + 0.05 + 0.04)
    assert equity_cubeless([five, five]).shape == (2,)
    record = Probabilities.from_array(five)
    assert record.equity_cubeless == pytest.approx(0.29)
    assert record.flip().equity_cubeless == pytest.approx(-0.29)
    assert record.flip().win == pytest.approx(0.4)
    with pytest.raises(EvaluatorError):
        equity_cubeless([1, 2, 3])
    with pytest.raises(EvaluatorError):
        Probabilities.from_array([1.0])
    with pytest.raises(EvaluatorError):
        flip(0.5)


@pytest.mark.parametrize(
    "values",
    [
        np.zeros((3, 5)),
        np.full((2, 5), np.nan),
        [[0.5, 0.6, 0, 0, 0], [0.5, 0, 0, 0, 0]],  # more gammons than wins
        [[0.5, 0, 0, 0.6, 0], [0.5, 0, 0, 0, 0]],
        [[1.1, 0, 0, 0, 0], [0.5, 0, 0, 0, 0]],
        [[0.5, 0, -0.1, 0, 0], [0.5, 0, 0, 0, 0]],
        "no numbers",
        None,
    ],
)
def test_what_an_evaluator_returns_is_checked(values):
    with pytest.raises(EvaluatorError):
        checked_probabilities(values, 2)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((2, 25), np.int8),
        np.zeros(26, np.int8),
        np.zeros((1, 26), np.int8),  # nobody has a checker
        np.array([cells_of("6:15 5:1", "1:1")], np.int8),  # sixteen checkers
        np.array([cells_of("6:15", "1:15 2:1")], np.int8),
        np.array([[0] * 6 + [127] * 19 + [-1]], np.int8),
        np.array([[1] + [0] * 5 + [5] + [-1] * 19], np.int8),  # own checker on the opponent's bar
        np.array([[0] * 6 + [5] + [0] * 18 + [-1]], np.int8),
        np.full((1, 26), 127, np.int8),
    ],
)
def test_impossible_boards_are_refused(array):
    for evaluator in (NetEvaluator(), PipCountEvaluator()):
        with pytest.raises(BoardError):
            evaluator.evaluate(array)
        with pytest.raises(BoardError):
            evaluator.evaluate_after(array)


def test_finished_games_and_bad_dice_have_no_best_play():
    board = np.array([START], np.int8)
    over = np.array([cells_of("", "1:15")], np.int8)
    with pytest.raises(BoardError, match="finished"):
        NetEvaluator().best_plays(over, np.array([[1, 2]]))
    for dice in ([[0, 1]], [[7, 1]], [[1.0, 2.0]], [[1, 2], [3, 4]], [1, 2], [[-255, 1]]):
        with pytest.raises(DiceError):
            NetEvaluator().best_plays(board, np.array(dice))


def test_empty_batches_stay_empty():
    none = np.zeros((0, 26), np.int8)
    assert NetEvaluator().evaluate(none).shape == (0, 5)
    chosen, index = NetEvaluator().best_plays(none, np.zeros((0, 2), np.uint8))
    assert chosen.shape == (0, 26)
    assert index.shape == (0,)


def test_evaluators_fit_the_protocol_and_can_be_pickled():
    board = np.array([START], np.int8)
    for evaluator in (NetEvaluator(), PipCountEvaluator()):
        assert isinstance(evaluator, Evaluator)
        again = pickle.loads(pickle.dumps(evaluator))
        assert again.evaluate(board).tolist() == evaluator.evaluate(board).tolist()


def test_races_with_both_sides_home_come_from_the_tables():
    # One checker each on the ace point: the side on roll wins.
    last = np.array([cells_of("1:1", "1:1")], np.int8)
    assert NetEvaluator().evaluate(last)[0].tolist() == [1, 0, 0, 0, 0]
    assert NetEvaluator().evaluate_after(last)[0].tolist() == [0, 0, 0, 0, 0]
    # A checker on the 6-point goes off with 27 of the 36 rolls; the opponent is off at once.
    board = np.array([cells_of("6:1", "1:1")], np.int8)
    assert NetEvaluator().evaluate(board)[0, 0] == pytest.approx(27 / 36)
    both = (NetEvaluator(), NetEvaluator(use_tables=False))
    contact = np.array([START], np.int8)
    assert both[0].evaluate(contact).tolist() == both[1].evaluate(contact).tolist()
    assert both[0].evaluate(board).tolist() != both[1].evaluate(board).tolist()


def test_bad_nets_are_refused(tmp_path):
    with pytest.raises(NetError):
        CoreEvaluator("net")
    with pytest.raises(NetError):
        CoreEvaluator(None, "tables")
    with pytest.raises(NetError):
        NetEvaluator(tmp_path / "missing.npz").evaluate(np.array([START], np.int8))
    for wrong in (5, b"net.npz", [], True):
        with pytest.raises(NetError, match="text or a path"):
            NetEvaluator(wrong)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs files without an end")
def test_what_is_no_file_is_no_net(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for place in (tmp_path / "pipe", tmp_path, "/dev/zero"):
        with pytest.raises(NetError, match="it is not a file"):
            NetEvaluator(place).evaluate(np.array([START], np.int8))


@pytest.mark.parametrize(
    "wrong", ["abc", b"abc", [[1, 2], [3]], ["1"] * 5, [1j] * 5, {}, {1.0}, None, [True] * 5]
)
def test_what_is_no_array_of_real_numbers_is_an_evaluator_error(wrong):
    for read in (
        Probabilities.from_array,
        equity_cubeless,
        flip,
        lambda values: checked_probabilities(values, 1),
    ):
        with pytest.raises(EvaluatorError):
            read(wrong)


# ---- looking ahead ----


def _after_the_opponent(evaluator, after, plies):
    """The five of a board after a play, some plies deep, from the definition: slow."""
    if plies == 0:
        return evaluator.evaluate_after(after[None])[0].astype(float)
    before = np.ascontiguousarray(-after[::-1])
    total = np.zeros(5)
    for die1 in range(1, 7):
        for die2 in range(1, 7):
            played, _ = evaluator.best_plays(before[None], np.array([[die1, die2]]))
            if (played[0] <= 0).all():  # the game is over: as it stands
                total += evaluator.evaluate_after(played)[0]
            else:
                total += _after_the_opponent(evaluator, played[0], plies - 1)
    mean = total / 36
    return np.array([1 - mean[0], mean[3], mean[4], mean[1], mean[2]])


@pytest.mark.parametrize(
    ("own", "opponent", "plies"),
    [
        ("24:2 13:5 8:3 6:5", "24:2 13:5 8:3 6:5", 1),
        ("bar:1 20:2 13:2 6:5 5:5", "24:1 13:4 8:3 6:4 4:3", 1),
        ("9:1 3:2 1:2", "21:1 6:3", 2),
        ("4:2 1:1", "4:1 2:2", 2),
    ],
)
def test_plies_are_means_over_the_rolls_of_the_other_side(own, opponent, plies):
    board = np.array(cells_of(own, opponent), np.int8)
    still = NetEvaluator(use_tables=False).core
    ahead = CoreEvaluator(still.net, plies=plies)
    expected = _after_the_opponent(still, board, plies)
    assert ahead.evaluate_after(board[None])[0] == pytest.approx(expected, abs=2e-6)
    # before the roll: the same, seen from the other side
    before = np.ascontiguousarray(-board[None, ::-1])
    win, wg, wbg, lg, lbg = expected
    assert ahead.evaluate(before)[0] == pytest.approx([1 - win, lg, lbg, wg, wbg], abs=2e-6)


def test_the_play_chosen_ahead_is_the_best_of_those_that_the_ply_before_likes():
    still = NetEvaluator(use_tables=False).core
    ahead = CoreEvaluator(still.net, plies=1)
    board = np.array(cells_of("24:2 13:5 8:3 6:5", "24:2 13:5 8:3 6:5"), np.int8)
    rng = np.random.default_rng(8)
    differ = 0
    for _ in range(40):
        dice = rng.integers(1, 7, 2)
        plays = movegen.legal_boards(board, *dice.tolist())
        if len(plays) == 0:
            break
        first, deeper = still.equities_after(board, plays), ahead.equities_after(board, plays)
        order = np.argsort(-first, kind="stable")[:8]
        order = order[first[order] >= first.max() - 0.16 * (1 << 30)]
        best = min(order, key=lambda i: (-deeper[i], i))
        chosen, index = ahead.best_plays(board[None], dice[None])
        assert index[0] == best
        differ += best != first.argmax()
        board = np.ascontiguousarray(-chosen[0, ::-1])
        if not ((board > 0).any() and (board < 0).any()):
            break
    assert differ > 0


def test_looking_ahead_is_exact_where_the_tables_are():
    core = NetEvaluator(plies=2).core
    board = np.array([cells_of("3:2 1:1", "5:1 2:2")], np.int8)
    assert core.evaluate(board).tolist() == NetEvaluator().evaluate(board).tolist()


def test_plies_out_of_range_are_refused():
    for plies in (-1, 4, 1.5, None, True):
        with pytest.raises(NetError, match="plies"):
            NetEvaluator(plies=plies)
        with pytest.raises(NetError, match="plies"):
            CoreEvaluator(None, plies=plies)


def test_plies_survive_pickle_and_repr():
    evaluator = NetEvaluator(use_tables=False, plies=2)
    assert repr(evaluator) == "NetEvaluator(use_tables=False, plies=2)"
    assert pickle.loads(pickle.dumps(evaluator)).core.plies == 2
