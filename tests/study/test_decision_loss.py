"""Losses on a set of decisions: phases, the file, and what players lose."""

import zipfile

import numpy as np
import pytest
from boards import cells_of

from bgcore._core.movegen import legal_boards_batch
from bgcore.decision_loss import PHASES, DecisionSet, decision_loss, load_decisions, phases_of
from bgcore.errors import BgcoreError, EvaluatorError, NetError
from bgcore.evaluators import NetEvaluator
from bgcore.nets import write_npz

START = "24:2 13:5 8:3 6:5"


@pytest.mark.parametrize(
    ("own", "opponent", "phase"),
    [
        (START, START, "opening"),
        ("12:5 6:10", "12:5 6:10", "race"),
        ("5:5 4:5", "24:1 6:5", "bearing off"),
        ("24:1 6:5", "5:5 4:5", "bearing off"),
        ("bar:1 24:1 13:5 8:3 6:5", START, "on the bar"),
        ("24:2 22:2 13:2 8:4 6:5", "13:2 8:4 7:2 6:4 5:2", "back game"),
        ("13:2 8:4 7:2 6:4 5:2", "24:2 22:2 13:2 8:4 6:5", "back game"),
        ("13:1 9:2 8:2 7:2 6:4 5:3", "24:2 13:2 8:3 6:5 4:3", "prime"),
        ("20:2 13:3 8:3 6:5 3:2", "13:4 8:3 6:5 4:3", "holding"),
        ("13:3 8:3 6:5 3:2 2:2", "13:2 10:2 8:3 6:5 4:3", "other"),
    ],
)
def test_phases_follow_their_definitions(own, opponent, phase):
    board = np.array([cells_of(own, opponent)], np.int8)
    assert PHASES[phases_of(board)[0]] == phase


def a_set(losses=None):
    boards = np.array([cells_of(START, START)] * 2, np.int8)
    dice = np.array([[3, 1], [6, 5]], np.uint8)
    plays, _ = legal_boards_batch(boards, dice)
    rng = np.random.default_rng(1)
    errors = np.where(rng.random(len(plays)) < 0.5, np.nan, 0.0123)
    found = rng.random(len(plays)).round(4) if losses is None else losses(boards, dice, plays)
    return DecisionSet.of(boards, dice, found, errors, {"seed": 3})


def test_a_set_is_read_as_it_was_written(tmp_path):
    path = tmp_path / "set.npz"
    one = a_set()
    one.save(path)
    again = load_decisions(path)
    assert (again.boards == one.boards).all()
    assert (again.plays == one.plays).all()
    assert again.losses == pytest.approx(one.losses, abs=5e-5)
    assert again.errors == pytest.approx(one.errors, abs=5e-5, nan_ok=True)
    assert again.meta["seed"] == 3


def test_a_player_loses_what_its_plays_lose():
    net = NetEvaluator()

    def losses(boards, dice, plays):
        chosen, _ = net.best_plays(boards, dice)
        return np.where((plays[:, None] == chosen[None]).all(axis=2).any(axis=1), 0.0, 0.05)

    given = a_set(losses)
    assert decision_loss(net, given).total.loss == 0
    # 3-1 and 6-5 of the opening: the pip player does not make the 5 point nor run to the midpoint
    other = decision_loss("pips", given)
    assert other.total.decisions == 2
    assert other.total.loss in (0.025, 0.05)
    assert other.total.mistakes == other.total.loss / 0.05
    assert other.total.blunders == 0
    assert [part.phase for part in other.phases] == ["opening"]
    assert other.phases[0].loss == other.total.loss


def test_what_is_no_set_is_refused(tmp_path):
    one = a_set()
    with pytest.raises(BgcoreError, match="do not fit"):
        DecisionSet.of(one.boards, one.dice, one.losses[1:], one.errors, {})
    path = tmp_path / "set.npz"
    with pytest.raises(NetError):
        load_decisions(path)
    write_npz(path, {"boards": one.boards}, {"decisions": 1})
    with pytest.raises(BgcoreError, match="no set of decisions"):
        load_decisions(path)
    arrays = {
        "boards": one.boards,
        "dice": one.dice,
        "losses": np.zeros(len(one.losses), np.uint16),
        "errors": np.zeros(len(one.losses), np.uint16),
    }
    write_npz(path, arrays, {"decisions": 1, "plays": 5})
    with pytest.raises(BgcoreError, match="another order"):
        load_decisions(path)
    write_npz(path, {**arrays, "dice": one.dice.astype(float)}, {"decisions": 1, "plays": 5})
    with pytest.raises(BgcoreError, match="dice"):
        load_decisions(path)
    write_npz(path, {**arrays, "losses": arrays["losses"] + np.uint16(60_001)}, {"decisions": 1})
    with pytest.raises(BgcoreError, match=r"set\.npz.*0 to 6 points"):
        load_decisions(path)
    write_npz(path, {**arrays, "dice": one.dice + np.uint8(6)}, {"decisions": 1})
    with pytest.raises(BgcoreError, match=r"set\.npz.*dice"):
        load_decisions(path)
    # a member that is no array
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("losses", b"abc")
    with pytest.raises(NetError, match="'losses' in it is no array"):
        load_decisions(path)
    with pytest.raises(EvaluatorError, match="DecisionSet"):
        decision_loss("pips", str(path))
    with pytest.raises(EvaluatorError, match="no player"):
        decision_loss("nobody", one)


@pytest.mark.parametrize(
    ("losses", "errors", "message"),
    [
        (-1e-4, 0.0, "0 to 6 points"),
        (6.1, 0.0, "0 to 6 points"),
        (np.nan, 0.0, "0 to 6 points"),
        (0.0, -0.1, "error of a loss"),
        (0.0, np.inf, "error of a loss"),
    ],
)
def test_numbers_that_no_play_can_lose_are_refused(losses, errors, message):
    one = a_set()
    n = len(one.losses)
    with pytest.raises(BgcoreError, match=message):
        DecisionSet.of(one.boards, one.dice, np.full(n, losses), np.full(n, errors), {})


def test_a_set_holds_decisions():
    one = a_set()
    none = np.zeros(0)
    with pytest.raises(BgcoreError, match="one decision or more"):
        DecisionSet.of(one.boards[:0], one.dice[:0], none, none, {})
    # two on the bar against a closed board: no play, nothing to decide
    dance = np.zeros((1, 26), np.int8)
    dance[0, [25, 6]], dance[0, 19:25] = (2, 13), -2
    with pytest.raises(BgcoreError, match="one decision or more"):
        DecisionSet.of(dance, np.array([[6, 5]], np.uint8), none, none, {})
