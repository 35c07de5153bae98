"""Duels: the same for any number of jobs, unbiased by the judge, and checked."""

import hashlib
import json
import math
import os
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import active_children

import numpy as np
import pytest

from bgcore.dice import DiceStream
from bgcore.duel import DuelResult, duel
from bgcore.duel_totals import DuelTotals
from bgcore.errors import DiceError, EvaluatorError
from bgcore.evaluators import NetEvaluator, PipCountEvaluator
from bgcore.players import EvaluatorPlayer, RandomPlayer, Turns
from bgcore.recipes import Recipe, Stage
from bgcore.training import train

#: Plays many games in little time.
FAST = NetEvaluator("fast")


class PlainNet:
    """The shipped net seen through nothing but `evaluate`, as a user's own model would be."""

    def evaluate(self, boards):
        return NetEvaluator().evaluate(boards)


def test_number_of_jobs_does_not_matter():
    results = {duel("fast", "random", 220, seed=5, jobs=jobs, judge=FAST) for jobs in (1, 2)}
    assert len(results) == 1


def test_net_beats_the_pip_count_and_random_play():
    for other in ("pips", "random"):
        result = duel("fast", other, 100, seed=1, judge=FAST)
        assert result.points_per_game - 4 * result.points_per_game_se > 1


def test_a_player_is_even_with_itself_and_both_seats_are_equal():
    result = duel("fast", "fast", 400, seed=7, duplicate=True, judge=FAST)
    assert result.raw_points_per_game == 0  # each pair is one game seen from both seats
    assert result.points_per_game == pytest.approx(0, abs=1e-12)
    plain = duel("fast", "fast", 400, seed=7, judge=FAST)
    assert abs(plain.points_per_game) < 4 * plain.points_per_game_se


def test_luck_adjustment_keeps_the_mean_and_lowers_the_error(tmp_path):
    weak = tmp_path / "weak.npz"
    train(Recipe((Stage(3_000, 1e-3, 1e-3, trace=0.7),), games_per_cycle=100)).save_net(weak)
    result = duel("fast", weak, 400, seed=11, judge=FAST)
    gap = result.points_per_game - result.raw_points_per_game
    assert abs(gap) < 4 * math.hypot(result.points_per_game_se, result.raw_points_per_game_se)
    assert result.points_per_game_se < 0.6 * result.raw_points_per_game_se


def test_counts_belong_together():
    result = duel("fast", "random", 100, seed=2, judge=FAST)
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
        ("net", 2, {"one_point": 1}),
        ("net", 2, {"executor": 2}),
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
        duel("fast", "fast", 10**7, jobs=2, progress=stop, judge=FAST)  # all games would take hours
    assert len(calls) == 1
    assert not set(active_children()) - before


# ---- one-point matches ----


def test_a_win_is_one_point_in_one_point_matches():
    result = duel("fast", "random", 60, seed=2, one_point=True, judge=FAST)
    assert result.one_point
    assert result.gammons > 0
    assert result.raw_points_per_game == pytest.approx((result.wins - result.losses) / 60)
    gap = result.points_per_game - result.raw_points_per_game
    assert abs(gap) < 4 * math.hypot(result.points_per_game_se, result.raw_points_per_game_se)


def test_evaluators_play_one_point_matches_for_the_win():
    # the same player but for gammons is better in such matches, and worse for money
    class ForPoints(EvaluatorPlayer):
        def choose_plays(self, turns, dice):
            return super().choose_plays(Turns.plain(turns.boards), dice)

    result = duel("fast", ForPoints(FAST), 600, seed=1, duplicate=True, one_point=True, judge=FAST)
    assert result.points_per_game > 2 * result.points_per_game_se
    assert duel("fast", ForPoints(FAST), 4, seed=1).points_per_game == pytest.approx(
        duel("fast", "fast", 4, seed=1).points_per_game
    )


# ---- duels that go on later, anywhere ----


def quick(*arguments, **options):
    """Play a duel whose luck is measured by a fast judge."""
    return duel(*arguments, **{"judge": PipCountEvaluator()} | options)


def test_a_duel_is_extended_to_the_same_bits(tmp_path):
    path = tmp_path / "duel.json"
    whole = quick("pips", "random", 250, seed=3)
    assert quick("pips", "random", 30, seed=3, path=path).games == 30
    assert quick("pips", "random", 180, seed=3, path=path).games == 180
    assert quick("pips", "random", 250, seed=3, path=path) == whole
    assert quick("pips", "random", 10, seed=3, path=path) == whole  # all that are in


def test_a_duel_that_was_broken_off_goes_on(tmp_path):
    path = tmp_path / "duel.json"

    def stop(done, games):
        if done == 200:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        quick("pips", "random", 400, seed=3, path=path, progress=stop)
    seen = []
    found = quick(
        "pips", "random", 400, seed=3, path=path, progress=lambda done, _: seen.append(done)
    )
    assert seen == [300, 400]
    assert found == quick("pips", "random", 400, seed=3)


def test_a_killed_duel_goes_on_from_the_last_time_it_was_saved(tmp_path, monkeypatch):
    monkeypatch.setattr("bgcore.duel._SAVE_SECONDS", 0)
    path = tmp_path / "duel.json"
    files = []

    def tell(done, games):
        files.append(path.read_bytes())  # what a process that was killed here has left

    whole = quick("pips", "random", 300, seed=3, path=path, progress=tell)
    for content, games in zip(files, (100, 200, 300), strict=True):
        path.write_bytes(content)
        assert json.loads(content)["totals"]["games"] == games
        assert quick("pips", "random", 300, seed=3, path=path) == whole


def test_a_file_belongs_to_one_duel(tmp_path):
    path = tmp_path / "duel.json"
    quick("pips", "net", 2, seed=3, path=path)
    kept = path.read_bytes()
    for pair, options in (
        (("net", "pips"), {}),
        (("pips", "net@1"), {}),
        (("pips", NetEvaluator(use_tables=False)), {}),
        (("pips", PipCountEvaluator()), {}),
        (("pips", "net"), {"seed": 4}),
        (("pips", "net"), {"duplicate": True}),
        (("pips", "net"), {"one_point": True}),
        (("pips", "net"), {"judge": NetEvaluator()}),
    ):
        with pytest.raises(EvaluatorError, match="of another duel"):
            quick(*pair, 4, **{"seed": 3, "path": path} | options)
    assert path.read_bytes() == kept


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda text: text[:-20], "no file of a duel"),
        (lambda text: "[1]", "no file of a duel"),
        (lambda text: '{"format": "bgcore-rollout"}', "no file of a duel"),
        (lambda text: text.replace('"version": 1', '"version": 7'), "version 7"),
        (lambda text: text.replace('"games": 2', '"games": 3'), "checksum"),
        (lambda text: text.replace('"checksum"', '"sum"'), "no file of a duel"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path, change, message):
    path = tmp_path / "duel.json"
    quick("pips", "random", 2, path=path)
    path.write_text(change(path.read_text()))
    with pytest.raises(EvaluatorError, match=message):
        quick("pips", "random", 4, path=path)


@pytest.mark.parametrize(
    "change",
    [
        {"games": -2},
        {"games": 4, "wins": 4, "losses": 0},
        {"samples": 0},
        {"raw_squares": 0},
        {"adjusted_squares": -1},
        {"adjusted_squares": 10**400},
        {"gammons": 3},
        {"plies": 1},
    ],
)
def test_totals_of_no_games_are_refused(tmp_path, change):
    path = tmp_path / "duel.json"
    quick("random", "pips", 2, path=path)
    document = json.loads(path.read_text())
    document["totals"] |= change
    content = json.dumps([document["settings"], document["totals"]], sort_keys=True)
    document["checksum"] = hashlib.sha256(content.encode()).hexdigest()
    path.write_text(json.dumps(document))
    with pytest.raises(EvaluatorError, match="do not belong together"):
        quick("random", "pips", 4, path=path)


def test_a_file_of_a_duel_has_one_writer(tmp_path):
    path = tmp_path / "duel.json"
    refused = []

    def begin_the_same(done, games):
        with pytest.raises(EvaluatorError, match="another duel; wait until it ends"):
            quick("pips", "random", 300, seed=3, path=path)
        refused.append(done)

    found = quick("pips", "random", 300, seed=3, path=path, progress=begin_the_same)
    assert refused == [100, 200, 300]
    assert list(tmp_path.iterdir()) == [path]
    assert quick("pips", "random", 300, seed=3, path=path) == found


@pytest.mark.parametrize("place", [3, b"duel", "a\0b"])
def test_a_file_of_a_duel_is_named_by_a_path(place):
    with pytest.raises(EvaluatorError, match="a text or a path"):
        quick("pips", "random", 2, path=place)


@pytest.mark.skipif(not os.path.exists("/dev/zero"), reason="no file without an end here")
def test_a_device_is_no_file_of_a_duel():
    with pytest.raises(OSError, match="not a file"):
        quick("pips", "random", 2, path="/dev/zero")


def test_a_place_that_cannot_be_written_is_refused_before_games_are_played(tmp_path):
    with pytest.raises(OSError, match="nowhere"):
        quick("pips", "random", 10**8, path=tmp_path / "nowhere" / "duel.json")


def test_any_executor_plays():
    class Late:
        """Plays nothing before it is asked, the last piece first."""

        def __init__(self):
            self.most = 0
            self.waiting = []

        def submit(self, function, *arguments):
            self.waiting.append((future := Waiting(self), function, arguments))
            self.most = max(self.most, len(self.waiting))
            return future

        def play(self):
            while self.waiting:
                future, function, arguments = self.waiting.pop()
                future.value = function(*arguments)

    class Waiting:
        def __init__(self, pool):
            self.pool = pool

        def result(self):
            self.pool.play()
            return self.value

        def cancel(self):
            return True

    expected = quick("pips", "random", 650, seed=8)
    late = Late()
    assert quick("pips", "random", 650, seed=8, executor=late, jobs=1) == expected
    assert late.most == 4
    with ThreadPoolExecutor(2) as pool:
        assert quick("pips", "random", 650, seed=8, executor=pool, jobs=2) == expected


def test_errors_are_those_of_the_samples():
    # points 1, -2 and luck 1/2, -1/4: adjusted 1/2, -7/4
    games = [(1, 1 << 29, 10), (-2, -(1 << 28), 20)]
    totals = DuelTotals().with_games(games, pairs=False, one_point=False)
    assert totals.raw_mean() == pytest.approx((-0.5, 1.5))
    assert totals.adjusted_mean() == pytest.approx((-0.625, 1.125))
    paired = DuelTotals().with_games(games + games, pairs=True, one_point=False)
    assert paired.adjusted_mean() == pytest.approx((-0.625, 0))
    one = DuelTotals().with_games(games, pairs=False, one_point=True)
    assert one.raw_mean()[0] == 0
    assert (one.wins, one.losses, one.gammons_lost, one.plies) == (1, 1, 1, 30)
