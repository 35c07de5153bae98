"""Rules: presets, defaults, and combinations that no rule book has."""

import dataclasses
import json
import pickle

import pytest

from bgcore import Board, Rules
from bgcore.errors import RulesError


def test_money_has_jacoby_and_one_beaver_and_no_crawford():
    rules = Rules.money()
    assert (rules.jacoby, rules.beavers, rules.crawford, rules.auto_doubles) == (True, 1, False, 0)
    assert not rules.match_play
    assert rules.cube


def test_a_match_has_crawford_and_neither_jacoby_nor_beavers_nor_automatic_doubles():
    for rules in (Rules.match(), Rules.tournament()):
        assert rules.match_play
        assert rules.crawford
        assert (rules.jacoby, rules.beavers, rules.auto_doubles) == (False, 0, 0)


def test_casual_games_have_no_cube_and_count_gammons():
    assert not Rules.casual().cube
    assert Rules.casual().multiplier(3) == 3


def test_presets_by_name_are_the_methods():
    for name in ("money", "match", "tournament", "casual"):
        assert Rules.preset(name) == getattr(Rules, name)()
    assert Rules.preset("money", beavers=2).beavers == 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"match_play": True, "jacoby": True}, "Jacoby"),
        ({"match_play": True, "beavers": 1}, "beavers"),
        ({"match_play": True, "auto_doubles": 1}, "automatic doubles"),
        ({"match_play": True, "auto_doubles": None}, "automatic doubles"),
        ({"crawford": True}, "Crawford"),
        ({"holland": True}, "Holland"),
        ({"forbid_dead": True}, "dead"),
        ({"cube": False, "jacoby": True}, "cube"),
        ({"cube": False, "beavers": 1}, "cube"),
        ({"cube": False, "auto_doubles": 1}, "cube"),
        ({"cube": False, "cube_limit": 64}, "cube"),
        ({"cube": False, "match_play": True, "crawford": True}, "cube"),
        ({"jacoby": True, "payoff": "single"}, "gammons"),
        ({"jacoby_auto_counts": True}, "automatic doubles"),
        ({"jacoby": True, "jacoby_auto_counts": True}, "automatic doubles"),
        ({"beaver_doubles": "initial"}, "needs beavers"),
        ({"beaver_drop": False}, "needs beavers"),
        ({"match_play": True, "holland": True}, "Crawford"),
        ({"extra_turn_forfeit": True}, "extra_turn"),
        ({"max_chain": 3}, "extra_turn"),
    ],
)
def test_what_rule_books_exclude_is_refused_with_the_reason(change, words):
    with pytest.raises(RulesError, match=words):
        Rules(**change)


@pytest.mark.parametrize(
    "change",
    [
        {"cube_limit": 48},
        {"cube_limit": 0},
        {"cube_limit": 2**31},
        {"cube_limit": 64.0},
        {"cube": 1},
        {"jacoby": None},
        {"beavers": -1},
        {"beavers": True},
        {"beavers": 10**9},
        {"auto_doubles": -1},
        {"max_chain": 0, "extra_turn": True},
        {"own_limit": 0},
        {"own_limit": 4},  # five stand on the six-point at the start
        {"payoff": "triple"},
        {"payoff": ["full"]},
        {"next_opening": "loser"},
        {"layout": [0] * 26},
        {"layout": Board([0] * 26, check=False)},
        {"layout": Board([0] * 6 + [1] + [0] * 19)},
    ],
)
def test_values_out_of_range_are_refused(change):
    with pytest.raises(RulesError):
        Rules(**change)


def test_an_unknown_rule_is_named():
    with pytest.raises(RulesError, match="'jakoby'"):
        Rules.money(jakoby=False)
    with pytest.raises(RulesError, match="'jakoby'"):
        Rules.from_dict({"jakoby": True})
    with pytest.raises(RulesError, match="no changes"):
        Rules.preset("tournament", payoff="single")
    with pytest.raises(RulesError, match="money, match, tournament, casual"):
        Rules.preset("club")


def test_what_needs_the_cube_leaves_with_it():
    assert Rules.money(cube=False) == Rules.casual()
    assert not Rules.match(cube=False).crawford
    with pytest.raises(RulesError):
        Rules.money(cube=False, jacoby=True)


def test_rules_are_immutable_hashable_and_survive_pickle_and_json():
    layout = Board([0] * 24 + [2, 0], n_checkers=2, check=False)
    layout = Board([-2 if i == 1 else cell for i, cell in enumerate(layout)], n_checkers=2)
    for rules in (
        Rules.money(beavers=3, auto_doubles=None, own_limit=5),
        Rules.match(holland=True, payoff="gammon", next_opening="winner"),
        Rules.casual(extra_turn=True, max_chain=2, any_number=True),
        Rules(layout=layout),
    ):
        with pytest.raises(dataclasses.FrozenInstanceError):
            rules.cube = False
        assert pickle.loads(pickle.dumps(rules)) == rules
        assert Rules.from_dict(json.loads(json.dumps(rules.to_dict()))) == rules
        assert hash(Rules.from_dict(rules.to_dict())) == hash(rules)


def test_replace_keeps_the_other_rules():
    assert Rules.money().replace(beavers=2) == Rules.money(beavers=2)
    with pytest.raises(RulesError, match="match does not know"):
        Rules.money().replace(match_play=True)


@pytest.mark.parametrize("document", [None, 3, "money", [1], {"layout": 3}, {"layout": {}}])
def test_documents_that_are_no_rules_are_refused(document):
    with pytest.raises(RulesError):
        Rules.from_dict(document)


def test_every_rule_is_described():
    for entry in dataclasses.fields(Rules):
        assert f"    {entry.name} : " in Rules.__doc__, entry.name
