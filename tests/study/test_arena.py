"""Thousands of games at once: the same games as the game layer plays one by one.

Every recorded game is played again through `Match` or `MoneySession`, which knows the rules as a
state machine of its own.
"""

import functools
import json
import math
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from boards import cells_of

from bgcore import arena
from bgcore.actions import Beaver, Double, Drop, Pass, Raccoon, Roll, Take
from bgcore.arena import play_match
from bgcore.board import Board
from bgcore.dice import DiceStream
from bgcore.errors import ArenaError, DiceError, EvaluatorError, RecordError, RulesError
from bgcore.game_state import Stage, is_legal
from bgcore.match import series_from_dict
from bgcore.players import DROP, TAKE, TURN_BACK, RandomPlayer, ScriptedPlayer
from bgcore.rules import Rules


class Shy(RandomPlayer):
    """Doubles one time in eight and seldom drops, so that games with a cube grow long."""

    def choose_doubles(self, turns):
        return turns.bits % np.uint64(8) == 0

    def choose_answers(self, turns, can_return):
        answers = np.where(turns.bits % np.uint64(16) == 0, DROP, TAKE)
        answers[can_return & (turns.bits % np.uint64(16) > 9)] = TURN_BACK
        return np.maximum(answers, DROP if turns.can_drop else TAKE)


class Eager(RandomPlayer):
    """Doubles whenever it may, and turns every double back that it may."""

    def choose_doubles(self, turns):
        return np.ones(len(turns), bool)

    def choose_answers(self, turns, can_return):
        return np.where(can_return, TURN_BACK, TAKE)


class Witness(Shy):
    """Writes down every decision that it is asked for."""

    def __init__(self, who, seen):
        super().__init__()
        self.who, self.seen = who, seen

    def note(self, kind, turns):
        for i in range(len(turns)):
            key = (int(turns.series[i]), int(turns.games[i]), int(turns.plies[i]), kind)
            assert key not in self.seen
            self.seen[key] = (
                self.who,
                turns.boards[i].tolist(),
                int(turns.cubes[i]),
                int(turns.owners[i]),
                int(turns.offers[i]),
                turns.needs[i].tolist(),
                bool(turns.is_crawford[i]),
            )

    def choose_plays(self, turns, dice):
        self.note("play", turns)
        return super().choose_plays(turns, dice)

    def choose_doubles(self, turns):
        self.note("double", turns)
        return super().choose_doubles(turns)

    def choose_answers(self, turns, can_return):
        self.note(f"answer {turns.returns}", turns)
        return super().choose_answers(turns, can_return)


def replayed(results):
    """Play all records again; check dice, results, scores, Crawford flags; return the series."""
    table, row = results.table, 0
    stream = DiceStream(results.seed, stratified=False)
    found = []
    for number, document in enumerate(results.records()):
        series = series_from_dict(json.loads(json.dumps(document)))
        rolls = 0
        for game in series.games:
            assert table.series[row] == number
            assert game.result.winner == table.winners[row]
            assert game.result.kind == table.kinds[row]
            assert game.result.points == table.points[row]
            assert game.result.cube == table.cubes[row]
            assert (game.result.ending == "dropped") == table.dropped[row]
            assert game.start.is_crawford == table.crawford[row]
            assert game.start.scores == tuple(table.scores[row])
            assert game.state.turns == table.plies[row]
            for action in game.actions:
                if isinstance(action, Roll):
                    assert action.dice == stream.roll(number, rolls)
                    rolls += 1
            row += 1
        assert series.is_over == (results.length > 0)
        assert len(series.games) == 1 or results.length
        found.append(series)
    assert row == len(table) == results.games
    return found


# closed out: the player to enter faces a full home board
CLOSED_OUT = Board(cells_of("6:3 5:2 4:2 3:2 2:2 1:2 13:2", "bar:1 6:5 5:5 4:4"))
THREE = Board(cells_of("24:1 23:1 22:1", "24:1 23:1 22:1"), n_checkers=3)

CASES = {
    "casual": ({}, {"games": 25}, ("random", "pips")),
    "money": ({"money": True}, {"games": 400}, ("random-cube", "random-cube")),
    "long money": ({"money": True}, {"games": 60}, (Shy(), Shy())),
    "raccoons, automatic doubles": (
        {"rules": Rules.money(beavers=2, auto_doubles=1)},
        {"games": 500},
        ("random-cube", "random-cube"),
    ),
    "every money option": (
        {
            "rules": Rules.money(
                beavers=4,
                beaver_doubles="initial",
                beaver_drop=False,
                auto_doubles=None,
                jacoby_auto_counts=True,
                cube_limit=64,
            )
        },
        {"games": 100},
        (Shy(), "random-cube"),
    ),
    "no Jacoby, no triple game": (
        {"rules": Rules.money(jacoby=False, payoff="gammon", auto_doubles=2)},
        {"games": 60},
        (Shy(), Shy()),
    ),
    "matches to 1": ({"length": 1}, {"matches": 20}, ("random-cube", "random-cube")),
    "matches to 3": ({"length": 3}, {"matches": 120}, ("random-cube", "random-cube")),
    "matches to 7": ({"length": 7}, {"matches": 100}, ("random-cube", "random-cube")),
    "long matches": ({"length": 5}, {"matches": 12}, (Shy(), Shy())),
    "forbidden dead doubles": (
        {"length": 5, "rules": Rules.match(forbid_dead=True, payoff="single")},
        {"matches": 30},
        ("random-cube", "random-cube"),
    ),
    "Holland rule, the winner begins": (
        {"length": 3, "rules": Rules.match(holland=True, next_opening="winner")},
        {"matches": 120},
        ("random-cube", "random-cube"),
    ),
    "Holland rule with extra turns": (
        {
            "length": 3,
            "rules": Rules.match(
                holland=True, extra_turn=True, skip_closed_out=True, layout=CLOSED_OUT
            ),
        },
        {"matches": 60},
        ("random-cube", "random-cube"),
    ),
    "no Crawford game": (
        {"length": 3, "rules": Rules.match(crawford=False, cube_limit=2)},
        {"matches": 30},
        ("random-cube", Shy()),
    ),
    "matches without a cube": (
        {"length": 3, "rules": Rules.match(cube=False, next_opening="winner")},
        {"matches": 8},
        ("random", "random"),
    ),
    "extra turns": ({"rules": Rules.money(extra_turn=True)}, {"games": 60}, (Shy(), Shy())),
    "extra turns, a short chain": (
        {"rules": Rules.money(extra_turn=True, extra_turn_forfeit=True, max_chain=1)},
        {"games": 60},
        (Shy(), Shy()),
    ),
    "closed out": (
        {"rules": Rules.money(layout=CLOSED_OUT, skip_closed_out=True)},
        {"games": 60},
        (Shy(), Shy()),
    ),
    "three checkers": ({"rules": Rules.money(layout=THREE)}, {"games": 300}, (Shy(), Shy())),
    "house rules": (
        {
            "rules": Rules.money(
                own_limit=5, any_number=True, finish_early=True, extra_turn=True,
                extra_turn_forfeit=True, skip_closed_out=True,
            )
        },
        {"games": 20},
        (Shy(), Shy()),
    ),
}  # fmt: skip


@functools.cache
def games_of(name):
    settings, number, (a, b) = CASES[name]
    return replayed(play_match(a, b, **settings, **number, seed=len(name), record=True))


@pytest.mark.parametrize("name", CASES)
def test_the_game_layer_plays_the_same_games(name):
    assert games_of(name)


def test_unusual_things_happen_in_these_games():
    """What the cases above are for, or they would prove nothing."""
    actions = {}
    for name in ("raccoons, automatic doubles", "closed out", "three checkers"):
        for series in games_of(name):
            for action in series.game.actions:
                key = type(action)
                actions[key] = actions.get(key, 0) + 1
    for kind in (Double, Take, Drop, Beaver, Raccoon, Pass):
        assert actions[kind] > 10, kind
    doubled = play_match("random", "random", rules=Rules.money(auto_doubles=None), games=500)
    assert set(doubled.table.cubes.tolist()) >= {1, 2, 4}


@pytest.mark.parametrize(
    "settings",
    [
        {"rules": Rules.money(beavers=3, auto_doubles=1, cube_limit=256), "games": 10},
        {"rules": Rules.money(beavers=3, beaver_doubles="initial", cube_limit=64), "games": 10},
        {"length": 9, "matches": 6},
        {"length": 9, "matches": 6, "rules": Rules.match(forbid_dead=True, holland=True)},
        {
            "length": 5,
            "matches": 12,
            "rules": Rules.match(holland=True, cube_limit=2, payoff="single"),
        },
        {"rules": Rules.money(extra_turn=True, cube_limit=128), "games": 10},
        {
            "length": 3,
            "matches": 60,
            "rules": Rules.match(
                holland=True, extra_turn=True, skip_closed_out=True, layout=CLOSED_OUT
            ),
        },
    ],
)
def test_players_are_asked_wherever_a_double_or_a_return_is_legal(settings):
    for series in replayed(play_match(Eager(), Eager(), **settings, seed=3, record=True)):
        for game in series.games:
            for entry in game.history:
                if entry.before.stage is Stage.ROLL:
                    assert is_legal(entry.before, Double()) == (entry.action == Double())
                elif entry.before.stage is Stage.ANSWER:
                    more = is_legal(entry.before, Beaver()) or is_legal(entry.before, Raccoon())
                    assert more == isinstance(entry.action, (Beaver, Raccoon))


@pytest.mark.parametrize(
    "settings",
    [
        {"length": 5, "matches": 6},
        {"rules": Rules.money(beavers=3, auto_doubles=1), "games": 25},
    ],
)
def test_players_see_the_state_of_the_game(settings):
    seen = {}
    players = Witness(0, seen), Witness(1, seen)
    results = play_match(*players, **settings, seed=8, record=True)
    for number, series in enumerate(replayed(results)):
        for place, game in enumerate(series.games):
            for state in [entry.before for entry in game.history]:
                kind = {Stage.PLAY: "play", Stage.ROLL: "double"}.get(
                    state.stage, f"answer {state.returns}"
                )
                plies = state.turns - (state.stage is Stage.PLAY)
                found = seen.pop((number, place, plies, kind), None)
                if found is None:
                    # nobody is asked: the opening roll, or a roll that no double can precede
                    assert state.stage in (Stage.OPENING, Stage.ROLL)
                    assert not is_legal(state, Double())
                    continue
                who = state.actor
                owner = state.cube.owner
                assert found == (
                    who,
                    state.board.to_list(),
                    state.cube.value,
                    0 if owner is None else 1 if owner == who else -1,
                    state.offer,
                    [state.needs[who] or 0, state.needs[1 - who] or 0],
                    state.is_crawford,
                )
    assert not seen


def columns(results):
    return [np.asarray(getattr(results.table, name)) for name in results.table.__slots__]


def same(first, second):
    return all(np.array_equal(x, y) for x, y in zip(columns(first), columns(second), strict=True))


@pytest.mark.parametrize("settings", [{"money": True, "games": 150}, {"length": 3, "games": 120}])
def test_jobs_executors_and_blocks_do_not_matter(settings, monkeypatch):
    settings = {**settings, "seed": 5, "record": True}
    expected = play_match("random-cube", "pips", **settings)
    assert same(expected, play_match("random-cube", "pips", **settings, jobs=2))
    with ThreadPoolExecutor(3) as pool:
        assert same(expected, play_match("random-cube", "pips", **settings, executor=pool, jobs=3))
    monkeypatch.setattr(arena, "_BLOCK", 7)
    assert same(expected, play_match("random-cube", "pips", **settings))
    assert not same(expected, play_match("random-cube", "pips", **{**settings, "seed": 6}))


def test_more_games_begin_with_the_same_games():
    few = play_match("random-cube", "random-cube", length=3, games=40, record=True)
    many = play_match("random-cube", "random-cube", length=3, games=300, record=True)
    assert 40 <= few.games < 60
    for name in few.table.__slots__:
        column = getattr(few.table, name)
        assert (column == getattr(many.table, name)[: len(column)]).all()


def test_whole_matches_are_played_until_there_are_enough_games():
    results = play_match("random-cube", "random-cube", length=5, games=100, seed=1)
    last = results.table.series[-1]
    assert results.games >= 100
    assert (results.table.series < last).sum() < 100  # without the last match it were too few
    assert sum(results.matches) == last + 1
    assert play_match("random", "random", length=2, matches=7).table.series[-1] == 6


# ---- what the results say ----


#: Random plays, no cube, by an independent simulation of 300,000 games.
RANDOM_GAMES = {"single": 0.377, "gammon": 0.365, "backgammon": 0.258}
RANDOM_PLIES = 96.8


def check_random_games(games, seed):
    results = play_match("random", "random", games=games, seed=seed)
    for name, share in RANDOM_GAMES.items():
        # the error of this sample and that of the figure, which is rounded
        error = math.sqrt(share * (1 - share) * (1 / games + 1 / 300_000)) + 0.0005
        assert abs(getattr(results, name) - share) < 4 * error, name
    spread = results.table.plies.std()
    error = spread * math.sqrt(1 / games + 1 / 300_000) + 0.05
    assert abs(results.plies_per_game - RANDOM_PLIES) < 4 * error
    # neither seat is better
    assert abs(results.wins[0] - games / 2) < 4 * math.sqrt(games) / 2
    return results


def test_random_games_end_as_often_single_gammon_and_backgammon_as_they_should():
    check_random_games(6_000, seed=1)


@pytest.mark.slow
def test_random_games_in_large_numbers():
    results = check_random_games(300_000, seed=2)
    for name, share in RANDOM_GAMES.items():
        assert abs(getattr(results, name) - share) < 0.003, name
    assert abs(results.plies_per_game - RANDOM_PLIES) < 0.3


def test_totals_belong_to_the_games():
    results = play_match("random-cube", "random-cube", length=5, matches=60, seed=4)
    table = results.table
    assert results.single + results.gammon + results.backgammon == pytest.approx(1)
    assert results.wins == ((table.winners == 0).sum(), (table.winners == 1).sum())
    assert sum(results.points) == table.points.sum()
    assert sum(results.matches) == 60
    final = np.append(np.diff(table.series) != 0, True)
    assert results.matches[1] == (table.winners[final] == 1).sum()
    assert results.dropped == table.dropped.mean()
    assert play_match("random", "random", games=3).matches == (0, 0)
    document = results.to_dict()
    assert json.loads(json.dumps(document)) == document


def test_the_net_beats_the_pip_count_and_that_beats_random_plays():
    assert np.subtract(*play_match("net", "pips", games=100, seed=1).points) > 100
    assert np.subtract(*play_match("pips", "random", games=100, seed=1).points) > 100
    money = play_match("net", "pips", money=True, games=100, seed=1)
    assert np.subtract(*money.points) > 20


# ---- worked cases (variants of rule books) ----


def test_worked_cases_of_the_cube_are_worth_what_they_should():
    drop = ["", "double drop"]
    beaver_drop = ["", "double beaver drop"]
    player = ScriptedPlayer([drop, beaver_drop, ["", "double beaver raccoon drop"]])
    results = play_match(player, player, rules=Rules.money(beavers=2), games=3)
    assert results.table.points.tolist() == [1, 2, 4]
    # who doubles in the second turn wins the first and third game, who beavers the second
    doubler = results.table.winners.copy()
    doubler[1] = 1 - doubler[1]
    rolls = [DiceStream(0, stratified=False).roll(m, 0) for m in range(3)]
    assert all(d0 != d1 for d0, d1 in rolls)
    assert doubler.tolist() == [int(d0 > d1) for d0, d1 in rolls]


def test_jacoby_rule_counts_gammons_only_after_a_double():
    quiet = play_match("random", "random", money=True, games=200, seed=2)
    assert set(quiet.table.points.tolist()) == {1}
    assert set(quiet.table.kinds.tolist()) == {1, 2, 3}
    free = play_match("random", "random", rules=Rules.money(jacoby=False), games=200, seed=2)
    assert (free.table.points == free.table.kinds).all()
    for counts in (False, True):
        rules = Rules.money(auto_doubles=None, jacoby_auto_counts=counts)
        table = play_match("random", "random", rules=rules, games=600, seed=2).table
        kinds = np.where(table.cubes > 1, table.kinds, 1) if counts else 1
        assert (table.points == kinds * table.cubes).all()
        assert (table.cubes == 2).sum() > 50
    ones = play_match("random", "random", rules=Rules.casual(payoff="single"), games=50)
    assert set(ones.table.points.tolist()) == {1}


# ---- records and settings ----


def test_records_are_written_as_a_whole(tmp_path):
    results = play_match("random-cube", "random-cube", length=3, matches=5, record=True)
    path = tmp_path / "games.jsonl"
    results.save_records(path)
    lines = path.read_text().splitlines()
    assert len(lines) == 5
    for line in lines:
        assert series_from_dict(json.loads(line)).is_over
    bare = play_match("random", "random", games=2)
    with pytest.raises(RecordError, match="record=True"):
        bare.save_records(tmp_path / "none.jsonl")
    with pytest.raises(RecordError):
        bare.save_records(path)
    assert path.read_text().splitlines() == lines
    assert [p.name for p in tmp_path.iterdir()] == ["games.jsonl"]


@pytest.mark.parametrize(
    ("error", "settings"),
    [
        (ArenaError, {"games": 0}),
        (ArenaError, {"games": 2.5}),
        (ArenaError, {"games": True}),
        (ArenaError, {"length": 0}),
        (ArenaError, {"length": 100_000}),
        (ArenaError, {"length": 3, "money": True}),
        (ArenaError, {"money": 1}),
        (ArenaError, {"matches": 3}),
        (ArenaError, {"matches": 3, "money": True}),
        (ArenaError, {"matches": 0, "length": 3}),
        (ArenaError, {"jobs": 0}),
        (ArenaError, {"record": "yes"}),
        (ArenaError, {"executor": 3}),
        (ArenaError, {"progress": 3}),
        (DiceError, {"seed": -1}),
        (RulesError, {"rules": "money"}),
        (RulesError, {"rules": Rules.match()}),
        (RulesError, {"rules": Rules.match(), "money": True}),
        (RulesError, {"rules": Rules.money(), "length": 3}),
        (RulesError, {"rules": Rules.money(next_opening="winner")}),
        (EvaluatorError, {"a": "nobody"}),
        (EvaluatorError, {"b": RandomPlayer}),
        (EvaluatorError, {"b": None}),
    ],
)
def test_settings_that_make_no_sense_are_refused(error, settings):
    players = {"a": "random", "b": "random", **settings}
    with pytest.raises(error):
        play_match(players.pop("a"), players.pop("b"), **players)


def test_progress_counts_games_or_matches():
    told = []
    play_match("random-cube", "random", games=5, progress=lambda *now: told.append(now))
    play_match("random-cube", "random", length=3, matches=4, progress=lambda *now: told.append(now))
    assert told == [(5, 5), (4, 4)]
