"""Thousands of other games of this board: the same games as the game layer plays one by one."""

import json

import pytest
from boards import cells_of

from bgcore.arena import play_match
from bgcore.board import Board
from bgcore.errors import ArenaError, EvaluatorError, VariantError
from bgcore.rules import Rules
from bgcore.variants import (
    VARIANTS,
    Choose,
    PipsVariantPlayer,
    Stay,
    VariantMatch,
    play_variant,
    variant,
)

OTHER_GAMES = sorted(name for name, rules in VARIANTS.items() if not rules.is_layout)


def played_by_hand(name, length, seed, number):
    """The points of each game of a match, seen by player 0: two pip players, by the game layer."""
    player = PipsVariantPlayer()
    match = VariantMatch(name, length, dice=seed, trial=number)
    points = []
    while True:
        game = match.game
        while not game.is_over:
            state = game.state
            if state.stage.value in ("opening", "roll"):
                game.roll()
            elif state.stage.value == "leave":
                game.do(Stay())
            elif state.stage.value == "choose":
                game.do(Choose(player.choose_doublet(state.rules, state.state, state.turn, 0.0)))
            else:
                legal = state.rules.plays(state.state, state.turn)
                index = 0
                if len(legal) > 1:
                    index = player.choose_play(state.rules, state.state, state.turn, legal, 0.0)
                game.play(legal[index])
        result = game.result
        won = 0 if result.winner is None else result.points
        points.append(-won if result.winner == 1 else won)
        if not length or match.is_over:
            return points
        match.next_game()


@pytest.mark.parametrize("name", OTHER_GAMES)
def test_single_games_are_those_of_the_game_layer(name):
    results = play_match("pips", "pips", variant=name, games=3, seed=5)
    assert results.order == (variant(name),)
    assert results.points.tolist() == [played_by_hand(name, 0, 5, n)[0] for n in range(3)]
    assert results.table.series.tolist() == [0, 1, 2]
    assert results.matches == (0, 0)


@pytest.mark.parametrize(("name", "length"), [("tavli", 5), ("dutch", 3), ("gul_bara", 2)])
def test_matches_are_those_of_the_game_layer(name, length):
    results = play_match("pips", "pips", variant=name, length=length, matches=4, seed=6)
    by_hand = [played_by_hand(name, length, 6, n) for n in range(4)]
    assert results.points.tolist() == [won for points in by_hand for won in points]
    assert results.table.series.tolist() == [n for n in range(4) for _ in by_hand[n]]
    first = [sum(p for p in points if p > 0) >= length for points in by_hand]
    assert results.matches == (sum(first), 4 - sum(first))
    document = results.to_dict()
    assert json.loads(json.dumps(document)) == document
    assert [rules["name"] for rules in document["order"]] == [r.name for r in results.order]


def test_who_wins_a_game_begins_the_next_one_where_the_rules_say_so():
    rules = variant("plakoto", next_opening="winner")
    results = play_match("pips", "pips", variant=rules, length=9, matches=2, seed=1)
    assert results.points.tolist() == [
        *played_by_hand(rules, 9, 1, 0),
        *played_by_hand(rules, 9, 1, 1),
    ]


def test_games_do_not_depend_on_the_number_of_jobs():
    for settings in ({"games": 70}, {"length": 3, "games": 70}):
        alone, two = (
            play_match("random", "pips", variant="tavli", seed=3, jobs=jobs, **settings)
            for jobs in (1, 2)
        )
        assert alone.points.tolist() == two.points.tolist()
        assert alone.turns.tolist() == two.turns.tolist()
        assert alone.games >= 70
        # of matches no more than needed
        assert not alone.length or alone.table.series[69] == alone.table.series[-1]
    other = play_match("random", "pips", variant="tavli", seed=4, games=70)
    assert other.turns.tolist() != alone.turns[:70].tolist()


def test_single_games_are_those_of_play_variant():
    first = play_match("random", "pips", variant="fevga", games=10, seed=8)
    second = play_variant("fevga", "random", "pips", games=10, seed=8)
    assert first.points.tolist() == second.points.tolist()
    assert first.turns.tolist() == second.turns.tolist()


# ---- layouts of backgammon ----


def test_layouts_are_played_as_backgammon_is():
    three = Board(cells_of("24:1 23:1 22:1", "24:1 23:1 22:1"), n_checkers=3)
    for settings, rules in (
        ({"games": 50}, Rules.casual(layout=three)),
        ({"games": 50, "money": True}, Rules.money(layout=three)),
        ({"length": 5, "matches": 10}, Rules.match(layout=three)),
    ):
        found = play_match("random-cube", "pips", variant="hypergammon", seed=2, **settings)
        right = play_match("random-cube", "pips", rules=rules, seed=2, **settings)
        assert found.rules == right.rules
        assert (found.table.points == right.table.points).all()
        assert (found.table.plies == right.table.plies).all()


FIVE = variant("hypergammon", start=((24, 1), (23, 1), (22, 1), (21, 1), (20, 1)))
OWN = variant("standard", start=((13, 4), (8, 3), (6, 5)), payoff="gammon")


@pytest.mark.parametrize("rules", [FIVE, OWN], ids=["five checkers", "twelve checkers"])
def test_layouts_of_ones_own_are_played(rules):
    results = play_match("random", "pips", variant=rules, games=40, seed=1, record=True)
    assert results.rules.n_checkers == rules.n_checkers == sum(n for _, n in rules.start)
    first = next(iter(results.records()))
    layout = results.rules.layout
    assert dict(rules.start) == {i: layout[i] for i in range(1, 25) if layout[i] > 0}
    assert first["rules"]["layout"]["n_checkers"] == rules.n_checkers
    if rules.payoff == "gammon":
        assert results.table.points.max() == 2
        assert results.backgammon > 0  # counted as a gammon


def test_the_kernel_plays_layouts_with_players_of_its_own():
    # who begins may roll both dice afresh: then it is no layout of backgammon
    results = play_match("pips", "random", variant=variant("nackgammon", opening="reroll"), games=5)
    assert results.order[0].opening == "reroll"
    own = play_match(PipsVariantPlayer(), "random", variant="nackgammon", games=5, seed=1)
    named = play_variant("nackgammon", "pips", "random", games=5, seed=1)
    assert own.points.tolist() == named.points.tolist()


# ---- what is refused ----


@pytest.mark.parametrize(
    ("players", "settings", "error", "words"),
    [
        (("net", "pips"), {"variant": "tapa"}, VariantError, "there is no player 'net'"),
        (("pips", "pips"), {"variant": "chess"}, VariantError, "there is no game 'chess'"),
        (("pips", "pips"), {"variant": "tapa", "money": True}, ArenaError, "without a cube"),
        (("pips", "pips"), {"variant": "tapa", "record": True}, ArenaError, "without records"),
        (("pips", "pips"), {"variant": "tapa", "matches": 3}, ArenaError, "needs their length"),
        (
            ("pips", "pips"),
            {"variant": "tapa", "rules": Rules.casual()},
            ArenaError,
            "variant or rules, not both",
        ),
        (
            ("pips", "pips"),
            {"variant": variant("nackgammon", cube=False), "money": True},
            ArenaError,
            "nackgammon has no cube",
        ),
        (("plum", "pips"), {"variant": "nackgammon"}, EvaluatorError, "no player 'plum'"),
    ],
)
def test_what_cannot_be_played_is_refused(players, settings, error, words):
    with pytest.raises(error, match=words):
        play_match(*players, games=2, **{"seed": 0, **settings})
