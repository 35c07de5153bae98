"""Duels: the same for any number of jobs, unbiased by the judge, and checked."""

import math
import os
from multiprocessing import active_children

import numpy as np
import pytest

from bgcore.dice import DiceStream
from bgcore.duel import DuelResult, duel
from bgcore.errors import DiceError, EvaluatorError
from bgcore.evaluators import NetEvaluator
from bgcore.players import RandomPlayer
from bgcore.recipes import Recipe, Stage
from bgcore.training import train


class PlainNet:
    """The shipped net seen through nothing but `evaluate`, as a user's own model would be."""

    def evaluate(self, boards):
        return NetEvaluator().evaluate(boards)


def test_number_of_jobs_does_not_matter():
    results = {duel("net", "random", 220, seed=5, jobs=jobs) for jobs in (1, 2)}
    assert len(results) == 1


def test_net_beats_the_pip_count_and_random_play():
    for other in ("pips", "random"):
        result = duel("net", other, 100, seed=1)
        assert result.points_per_game - 4 * result.points_per_game_se > 1


def test_a_player_is_even_with_itself_and_both_seats_are_equal():
    result = duel("net", "net", 400, seed=7, duplicate=True)
    assert result.raw_points_per_game == 0  # each pair is one game seen from both seats
    assert result.points_per_game == pytest.approx(0, abs=1e-12)
    plain = duel("net", "net", 400, seed=7)
    assert abs(plain.points_per_game) < 4 * plain.points_per_game_se


def test_luck_adjustment_keeps_the_mean_and_lowers_the_error(tmp_path):
    weak = tmp_path / "weak.npz"
    train(Recipe((Stage(3_000, 1e-3, 1e-3, trace=0.7),), games_per_cycle=100)).save_net(weak)
    result = duel("net", weak, 400, seed=11)
    gap = result.points_per_game - result.raw_points_per_game
    assert abs(gap) < 4 * math.hypot(result.points_per_game_se, result.raw_points_per_game_se)
    assert result.points_per_game_se < 0.6 * result.raw_points_per_game_se


def test_counts_belong_together():
    result = duel("net", "random", 100, seed=2)
    assert isinstance(result, DuelResult)
    assert result.wins + result.losses == result.games == 100
    assert result.wins >= result.gammons >= result.backgammons
    total = (
        result.wins + result.gammons + result.backgammons
        - result.losses - result.gammons_lost - result.backgammons_lost
    )  # fmt: skip
    assert total / 100 == pytest.approx(result.raw_points_per_game)
    assert result.plies > 1000


@pytest.mark.parametrize(
    ("a", "games", "options"),
    [
        ("nobody", 2, {}),
        (3, 2, {}),
        ("net", 0, {}),
        ("net", -5, {}),
        ("net", 2.5, {}),
        ("net", True, {}),
        ("net", 10**8 + 1, {}),
        ("net", 2, {"jobs": 0}),
        ("net", 2, {"jobs": 1025}),
        ("net", 2, {"duplicate": "no"}),
        ("net", 2, {"progress": 5}),
        ("net", 2, {"judge": PlainNet()}),
        ("net", 2, {"judge": NetEvaluator}),
        ("pipcount", 2, {}),
        (NetEvaluator, 2, {}),
        (RandomPlayer, 2, {}),
        ("net", 3, {"duplicate": True}),
    ],
)
def test_settings_that_make_no_sense_are_refused(a, games, options):
    with pytest.raises(EvaluatorError):
        duel(a, "random", games, **options)


def test_a_model_that_returns_nonsense_is_refused():
    class Broken:
        def evaluate(self, boards):
            return np.full((len(boards), 5), np.nan, np.float32)

    with pytest.raises(EvaluatorError):
        duel(Broken(), "random", 2)


class Plays(RandomPlayer):
    def __init__(self, after):
        super().__init__()
        self.after = after

    def choose_plays(self, turns, dice):
        return self.after(turns.boards)


@pytest.mark.parametrize(
    ("after", "message"),
    [
        (lambda boards: None, "Plays returned object of shape"),
        (lambda boards: boards[0], "Plays returned int8 of shape"),
        (lambda boards: boards.astype(float), "Plays returned float64"),
        (lambda boards: boards, "Plays made an illegal play"),  # there are legal plays
        (np.zeros_like, "Plays made an illegal play"),
        (lambda boards: np.where(boards < 0, 0, boards), "Plays made an illegal play"),
        (lambda boards: boards.astype(int) + 256, "Plays made an illegal play"),
    ],
)
def test_a_player_that_breaks_the_rules_is_refused(after, message):
    with pytest.raises(EvaluatorError, match=message):
        duel(Plays(after), "random", 2)


def test_a_player_may_write_on_what_it_is_given():
    class Scribbles(RandomPlayer):
        def choose_plays(self, turns, dice):
            after = super().choose_plays(turns, dice)
            turns.boards[:], dice[:], turns.series[:] = 0, 1, -1
            return after

    assert duel(Scribbles(), "net", 10) == duel("random", "net", 10)


def test_one_game_has_no_error():
    result = duel("random", "random", 1)
    assert math.isnan(result.points_per_game_se)
    assert math.isnan(result.raw_points_per_game_se)


class Deadly(RandomPlayer):
    """Ends the process that reads it."""

    def __reduce__(self):
        return os._exit, (9,)


def test_a_process_that_ends_by_itself_is_an_error():
    with pytest.raises(EvaluatorError, match="ended from outside"):
        duel(Deadly(), "net", 300, jobs=2)


def test_players_of_several_jobs_must_be_picklable():
    player = RandomPlayer()
    player.choose = lambda *arguments: RandomPlayer().choose(*arguments)
    assert duel(player, "net", 4) == duel("random", "net", 4)

    class Local(RandomPlayer):
        __reduce__ = object.__reduce__

    with pytest.raises(EvaluatorError, match="picklable"):
        duel(Local(), "net", 4, jobs=2)


def test_a_seed_may_be_a_seed_sequence():
    seed = np.random.SeedSequence(5)
    by_number = duel("random", "random", 4, seed=DiceStream(seed).seed)
    assert duel("random", "random", 4, seed=seed) == by_number
    for wrong in (-1, 2**128, 1.5, None):
        with pytest.raises(DiceError):
            duel("random", "random", 2, seed=wrong)


@pytest.mark.thread_unsafe
def test_a_duel_that_is_broken_off_ends_at_once():
    calls = []

    def stop(done, games):
        calls.append(done)
        raise KeyboardInterrupt

    before = set(active_children())
    with pytest.raises(KeyboardInterrupt):
        duel("net", "net", 10**7, jobs=2, progress=stop)  # all games would take hours
    assert len(calls) == 1
    assert not set(active_children()) - before
