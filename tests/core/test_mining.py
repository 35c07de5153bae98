"""Mining: rare kinds by hand-made boards, values from rollouts that are known otherwise."""

import time
from dataclasses import replace

import numpy as np
import pytest
from boards import cells_of
from cpu_levels import said_on_each_level

from bgcore import bearoff, mining, rollout, swap_boards, training
from bgcore._core.evaluator import Evaluator
from bgcore.errors import TrainingError
from bgcore.evaluators import NetEvaluator
from bgcore.mining import RARE, kinds_of, mined, rolled_out
from bgcore.nets import read_npz, shipped_net, write_npz
from bgcore.recipes import Recipe, Stage
from bgcore.training import Trainer, train

MINED = Recipe(
    (
        Stage(10, 1e-3, 1e-3),
        Stage(20, 1e-3, 1e-4, lookahead=True, trace=0.5, mined=0.2, trials=36, plies=2),
        Stage(10, 1e-3, 1e-4),
    ),
    seed=5,
    games_per_cycle=10,
    hidden=128,
    second=32,
)


def board(own, other):
    return np.array(cells_of(own, other), np.int8)


OPENING = "24:2 13:5 8:3 6:5"
BOARDS = {
    "opening": (OPENING, OPENING, set()),
    "race": ("6:5 5:5 4:5", "6:5 5:5 4:5", set()),
    "race with checkers off": ("6:1", "6:5 5:5 4:5", set()),
    "two anchors": ("24:2 22:2 6:5 5:6", "13:5 8:5 6:5", {"back game"}),
    "one anchor, and a blot": ("24:2 22:1 6:6 5:6", "13:5 8:5 6:5", set()),
    # the points 4 to 9 but the 6 point, and a checker on the bar or behind
    "broken prime": (
        "4:3 5:3 7:3 8:3 9:3",
        "bar:1 13:4 8:5 6:5",
        {"prime"},
    ),
    "full prime": ("4:2 5:2 6:2 7:3 8:3 9:3", "24:1 6:14", {"prime"}),
    "prime that all have passed": (
        "24:1 4:2 5:2 6:2 7:3 8:3 9:2",
        "13:5 8:5 6:5",
        set(),
    ),
    "four points": ("4:4 5:4 6:4 7:3", "24:1 6:14", set()),
    "closed board of one who bears off": (
        "6:2 5:2 4:2 3:2 2:2 1:2",
        "bar:1 6:14",
        {"prime", "containment"},
    ),
    "hit late": ("6:3 5:3 4:2 20:1", "bar:1 3:1 2:1", {"containment"}),
    "crashed": ("24:2 3:3 2:5 1:5", "13:5 8:5 6:5", {"crashed board"}),
    "nearly crashed": ("24:2 8:2 6:5 3:2 2:2 1:2", "13:5 8:5 6:5", set()),
}


@pytest.mark.parametrize("name", BOARDS)
def test_kinds_are_those_of_either_side(name):
    own, other, kinds = BOARDS[name]
    boards = np.array([board(own, other), board(other, own)])
    expected = [kind in kinds for kind in RARE]
    assert kinds_of(boards).T.tolist() == [expected, expected]


def test_half_are_those_that_change_most_and_rare_kinds_share_the_rest():
    plain = board(OPENING, OPENING)
    rare = {kind: board(*next(b[:2] for b in BOARDS.values() if b[2] == {kind})) for kind in RARE}
    boards = np.array([plain] * 60 + [rare[kind] for kind in RARE for _ in range(10)])
    values = np.zeros((100, 5))
    targets = np.zeros((100, 5))
    targets[[7, 50, 99], 1] = [0.1, -0.2, 0.3]  # gammons lost count against, as gammons won for
    targets[3, 4] = 0.4
    order = np.arange(100)[::-1]
    chosen = mined(boards, values, targets, 0.08, order)
    assert set(chosen[chosen < 60]) == {3, 7, 50}
    # one of each kind, the first in the order that is not chosen yet
    assert chosen[chosen >= 60].tolist() == [69, 79, 89, 98, 99]
    assert (np.diff(chosen) > 0).all()
    assert len(mined(boards, values, targets, 0, order)) == 0
    assert len(mined(boards[:0], values[:0], targets[:0], 0.5, order[:0])) == 0


def test_a_board_that_the_table_has_is_worth_what_the_table_says():
    nets = shipped_net("fast")
    after = board("2:3 1:1", "3:2 1:2")
    exact = bearoff.two_sided().equities([2, 0, 2, 0, 0, 0], [1, 3, 0, 0, 0, 0]).cubeless
    core = Evaluator(nets.value, bearoff.tables())
    (values,) = rolled_out(
        core, nets.luck, after[None], 3, np.zeros(1, np.int64), trials=36, plies=7, jobs=1
    )
    assert values == pytest.approx([1 - (exact + 1) / 2, 0, 0, 0, 0], abs=1e-6)


def test_rollouts_have_the_mean_of_plain_games():
    """Against games to the end, with other dice and with all their luck."""
    fast = NetEvaluator("fast")
    after = board("13:1 8:3 7:2 6:3 5:3 4:3", "bar:2 24:1 13:4 8:4 6:4")[None]
    values = rolled_out(
        fast.core, fast.file.luck, after, 3, np.array([720]), trials=720, plies=1000, jobs=1
    )[0]
    plain = rollout(swap_boards(after)[0], evaluator=fast, trials=5184, seed=8, luck="none")
    opponent = plain.best
    assert opponent.lose_gammon > opponent.win_gammon + 0.5  # it matters who is seen
    expected = (1 - opponent.win, opponent.lose_gammon, opponent.win_gammon)
    assert values[[0, 1, 3]] == pytest.approx(expected, abs=0.04)


@pytest.mark.parametrize("fault", [KeyboardInterrupt, MemoryError])
def test_a_stop_leaves_the_other_positions(monkeypatch, fault):
    begun = []

    class Playout:
        def __init__(self, *args, **settings):
            pass

        def blocks(self, *args):
            begun.append(args)
            if len(begun) == 10:
                raise fault
            time.sleep(0.01)
            return (np.zeros((1, 1, 6), np.int64),)

    monkeypatch.setattr(mining.core, "Playout", Playout)
    nets = shipped_net("fast")
    boards = np.repeat(board(OPENING, OPENING)[None], 400, axis=0)
    with pytest.raises(fault):
        rolled_out(
            Evaluator(nets.value), nets.luck, boards, 3, np.zeros(400, np.int64),
            trials=36, plies=2, jobs=2,
        )  # fmt: skip
    assert len(begun) < 100


def test_threads_and_stops_do_not_matter(tmp_path, monkeypatch):
    monkeypatch.setattr(training, "_ROLLS_GAMES", 20)
    whole = train(MINED)
    path = tmp_path / "run.npz"
    for games in (10, 20, 30):
        path.unlink(missing_ok=True)
        stopped = train(MINED, checkpoint=path, games=games, jobs=2)
        assert bool(len(stopped._state.rolls)) == (games > 10)
        assert train(MINED, checkpoint=path, jobs=3).digest() == whole.digest()
    assert len(whole._state.rolls) == 0
    plain = replace(MINED, stages=(MINED.stages[0], replace(MINED.stages[1], mined=0)))
    assert train(plain, games=20).digest() != train(MINED, games=20).digest()
    path.unlink()
    train(plain, checkpoint=path, games=20)
    with pytest.raises(TrainingError, match="another recipe"):
        Trainer(MINED).load(path)


def test_all_cpu_levels_train_the_same_net():
    code = (
        "from bgcore import training\nfrom bgcore.recipes import Recipe, Stage\n"
        "training._ROLLS_GAMES = 4\n"
        "stage = Stage(4, 1e-3, 1e-3, mined=0.1, trials=36, plies=2)\n"
        "print(training.train(Recipe((stage,), hidden=128, second=32)).digest())\n"
    )
    said = said_on_each_level(code)
    assert len(set(said)) == 1


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Stage(10, 1e-3, 1e-3, mined=0.6), r"mined is 0.6; it must lie in \[0, 0.5\]"),
        (lambda: Stage(10, 1e-3, 1e-3, mined=float("nan")), "mined is nan"),
        (lambda: Stage(10, 1e-3, 1e-3, mined="all"), "mined must be a number"),
        (lambda: Stage(10, 1e-3, 1e-3, trials=0), "trials must be 1 to"),
        (lambda: Stage(10, 1e-3, 1e-3, trials=40), "a multiple of 36"),
        (lambda: Stage(10, 1e-3, 1e-3, plies=0), "plies must be 1 to"),
        (lambda: Recipe((Stage(10, 1e-3, 1e-3, mined=0.1),)), "mined are for strong nets"),
        (
            lambda: replace(MINED, variant="nackgammon"),
            "mined is for backgammon alone",
        ),
    ],
)
def test_settings_that_make_no_sense_are_refused(make, words):
    with pytest.raises(TrainingError, match=words):
        make()


def test_a_checkpoint_of_such_a_stage_holds_its_roll_net(tmp_path, monkeypatch):
    monkeypatch.setattr(training, "_ROLLS_GAMES", 4)
    path = tmp_path / "run.npz"
    train(MINED, checkpoint=path, games=20)
    arrays, meta = read_npz(path)
    write_npz(path, {k: v for k, v in arrays.items() if k != "rolls"}, meta)
    with pytest.raises(TrainingError, match="rolls is float32"):
        Trainer(MINED).load(path)
