"""What the net does at the table: it is what its hints say."""

import pytest
from games import board

from bgcore import Board, Game, GameState, NetEvaluator, Rules
from bgcore.actions import Accept, Beaver, Double, Drop, MakePlay, Pass, Roll, Take
from bgcore.terminal.net import cube_advice, net_action, play_advice

NET = NetEvaluator()
NAMES = ("Ann", "Bob")
#: One checker is off: no gammon.
RACE = {6: 3, 5: 3, 4: 3, 3: 2, 2: 2, 1: 1}
WON = board({1: 2}, RACE)  # player on roll bears off his last two checkers
LOST = board(RACE, {1: 2})


def test_it_plays_the_first_play_that_it_advises():
    state = GameState.at(Board.opening(), dice="31")
    action = net_action(state, NET)
    assert isinstance(action, MakePlay)
    assert str(action) == "play 8/5 6/5"
    assert "1. 8/5 6/5" in play_advice(state, NET)[1]


@pytest.mark.parametrize("length", [0, 5])
def test_it_doubles_what_is_won_and_drops_what_is_lost(length):
    state = GameState.at(WON, length=length)
    assert net_action(state, NET) == Double()
    game = Game(start=state)
    game.double()
    assert net_action(game.state, NET) == Drop()


def test_it_takes_and_beavers_bad_doubles():
    worse = Board.opening().after("8/5 6/5", "31").swapped()
    game = Game(start=GameState.at(worse))
    assert net_action(game.state, NET) == Roll()
    game.double()
    assert net_action(game.state, NET) == Beaver()
    game.beaver()
    assert net_action(game.state, NET) == Take()
    plain = Game(start=GameState.at(worse, rules=Rules.money(beavers=0)))
    plain.double()
    assert net_action(plain.state, NET) == Take()


def test_it_drops_a_beaver_where_all_is_lost():
    game = Game(start=GameState.at(LOST))
    game.double()
    game.beaver()
    # it pays 2 rather than 4
    assert net_action(game.state, NET) == Drop()


def test_it_never_doubles_a_dead_cube_or_in_the_crawford_game():
    dead = GameState.at(WON, length=5, scores=(4, 0), rules=Rules.match())
    assert net_action(dead, NET) == Roll()
    crawford = GameState.at(LOST, length=5, scores=(4, 0), is_crawford=True)
    assert net_action(crawford, NET) == Roll()


def test_it_accepts_resignations_and_passes_where_nobody_rolls_in_vain():
    game = Game(start=GameState.at(Board.opening(), dice="31"))
    game.resign()
    assert net_action(game.state, NET) == Accept()
    closed = board({24: 1, 23: 1}, {6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2}, own_bar=1)
    state = GameState.at(closed, rules=Rules.casual(skip_closed_out=True))
    assert net_action(state, NET) == Pass()


def test_chances_are_those_of_the_one_who_acts():
    game = Game(start=GameState.at(WON))
    assert cube_advice(game.state, NET, NAMES)[0].startswith("Ann: win 100.0%")
    game.double()
    assert cube_advice(game.state, NET, NAMES)[0].startswith("Bob: win 0.0%")
    assert cube_advice(game.state, NET, NAMES)[1].endswith("double, drop")
