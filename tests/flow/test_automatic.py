"""What is done for a player: it must never change what is legal."""

import pytest
from games import LOSERS, board

from bgcore import Automatic, Game, GameState, Rules, Stage, run_automatic
from bgcore.actions import Beaver, Double, Drop, MakePlay, Pass, Roll, Take
from bgcore.errors import RulesError

OFF = Automatic()


def offered(rules):
    game = Game(start=GameState.at(LOSERS[1], rules=rules))
    game.do(Double())
    return game


def test_everything_is_off_by_default():
    game = Game(start=GameState.at(LOSERS[1]), dice=1)
    assert run_automatic(game, OFF, OFF) == 0
    assert game.actions == ()


@pytest.mark.parametrize(
    ("wanted", "action"), [("take", Take()), ("drop", Drop()), ("beaver", Beaver())]
)
def test_a_double_is_answered_and_recorded_as_automatic(wanted, action):
    game = offered(Rules.money())
    assert run_automatic(game, OFF, Automatic(on_double=wanted)) == 1
    assert game.actions[-1] == action
    assert [entry.automatic for entry in game.history] == [False, True]
    assert game.record().automatic == {1}


def test_an_automatic_beaver_is_a_take_where_no_beaver_is_legal():
    game = offered(Rules.money(beavers=0))
    run_automatic(game, OFF, Automatic(on_double="beaver"))
    assert game.actions[-1] == Take()


def test_a_beaver_is_answered_by_the_doublers_setting():
    game = offered(Rules.money(beaver_drop=False))
    run_automatic(game, Automatic(on_double="drop"), Automatic(on_double="beaver"))
    assert game.actions[-2:] == (Beaver(), Take())


def test_automatic_rolls():
    game = Game(start=GameState.at(LOSERS[1]), dice=1)
    assert run_automatic(game, Automatic(roll=True), OFF) == 1
    assert game.stage is Stage.PLAY
    for cube_owner, action in ((0, None), (1, Roll())):
        state = GameState.at(LOSERS[1], cube=2, cube_owner=cube_owner)
        assert Automatic(roll_if_no_double=True).action(state) == action


def test_who_cannot_move_passes_where_the_rules_say_so():
    closed = board({}, {point: 2 for point in range(1, 7)}, own_bar=1)
    state = GameState.at(closed, rules=Rules.money(skip_closed_out=True))
    assert Automatic(roll=True).action(state) == Pass()


def test_forced_plays():
    forced = GameState.at(board({24: 1}, {12: 2}), dice="65")
    assert Automatic(forced=True).action(forced) == MakePlay(forced.legal_plays()[0])
    closed = GameState.at(board({}, {point: 2 for point in range(1, 7)}, own_bar=1), dice="65")
    assert str(Automatic(forced=True).action(closed)) == "play (no play)"
    free = GameState.at(board({24: 1, 13: 1}, {6: 2}), dice="65")
    assert Automatic(forced=True).action(free) is None


def test_the_greedy_bear_off_takes_as_many_off_as_it_can():
    greedy = Automatic(greedy_bearoff=True)
    state = GameState.at(board({6: 2, 4: 2, 1: 2}, {6: 2}), dice="51")
    assert greedy.action(state) == MakePlay(state.legal_plays().find("6/1 1/off"))
    contact = GameState.at(board({6: 2, 4: 2, 1: 2}, {22: 1}), dice="61")
    assert greedy.action(contact) is None
    outside = GameState.at(board({9: 1, 4: 2, 1: 2}, {6: 2}), dice="21")
    assert greedy.action(outside) is None


def test_a_bear_off_game_plays_itself():
    game = Game(start=GameState.at(board({6: 5, 5: 5, 4: 5}, {6: 5, 5: 5, 4: 5})), dice=3)
    both = Automatic(roll=True, forced=True, greedy_bearoff=True)
    run_automatic(game, both, both)
    assert game.is_over
    assert all(entry.automatic for entry in game.history)


def test_an_unknown_answer_is_refused():
    with pytest.raises(RulesError, match="raccoon"):
        Automatic(on_double="raccoon")


@pytest.mark.parametrize("name", ["roll", "roll_if_no_double", "forced", "greedy_bearoff"])
def test_a_policy_is_on_or_off(name):
    with pytest.raises(RulesError, match=f"{name} must be True or False"):
        Automatic(**{name: "off"})
