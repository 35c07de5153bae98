"""Where rule texts contradict each other or leave something out: what bgcore does.

Each test names what a text says; the rule followed is that of Tom Keith's "Rules of Backgammon".
"""

import pytest
from games import board, finish

from bgcore import Board, Game, GameState, Match, Rules
from bgcore.actions import Double
from bgcore.errors import RulesError


def test_a_backgammon_needs_none_borne_off_though_a_text_omits_it():
    one_off_one_on_the_bar = board({1: 1}, {6: 13}, other_bar=1)
    game = Game(start=GameState.at(one_off_one_on_the_bar, rules=Rules(), dice="21"))
    game.play("1/off")
    assert game.result.points == 1


def test_the_jacoby_rule_is_refused_in_a_match_though_a_text_lists_it_there():
    with pytest.raises(RulesError, match="money play"):
        Match(7, Rules.match(jacoby=True))


def test_checkers_travel_from_24_to_1_whatever_a_text_says_about_the_clock():
    opening = Board.opening()
    assert [(p, opening[p]) for p in range(24, 0, -1) if opening[p] > 0] == [
        (24, 2),
        (13, 5),
        (8, 3),
        (6, 5),
    ]
    assert "24/23 24/22" in opening.legal_plays("21")


def test_a_closed_out_player_does_not_lose_his_right_to_double():
    # a text lets the opponent roll until the player can move
    closed = board({}, {point: 2 for point in range(1, 7)}, own_bar=1)
    game = Game(start=GameState.at(closed, rules=Rules.money()))
    assert game.is_legal(Double())


def test_with_a_3_and_a_5_of_which_only_the_3_can_be_moved_the_3_is_played():
    # one checker on 24; the 19 is held, and so is the 16 behind the 3
    game = Game(start=GameState.at(board({24: 1}, {6: 2, 9: 2}), dice="53"))
    assert [str(play) for play in game.legal_plays()] == ["24/21"]


def test_all_men_at_home_means_all_that_are_still_in_play():
    # texts say "all 15 men"
    game = Game(start=GameState.at(board({6: 1, 2: 1}, {6: 15}), dice="62"))
    game.play("6/off 2/off")
    assert game.is_over


def test_a_number_larger_than_the_highest_point_must_be_used():
    # a text says "may"
    position = board({3: 1, 1: 1}, {6: 2})
    assert [str(play) for play in position.legal_plays("65")] == ["3/off 1/off"]


def test_entering_with_n_is_on_point_25_minus_n():
    position = board({6: 14}, {6: 2}, own_bar=1)
    assert {str(play).split()[0] for play in position.legal_plays("21")} <= {"bar/24", "bar/23"} | {
        "bar/22"
    }


def test_automatic_doubles_are_off_until_agreed_and_then_one_is_usual():
    assert Rules.money().auto_doubles == 0
    assert Rules.money(auto_doubles=1).auto_doubles == 1


def test_gammon_and_single_game_partition_the_finished_games():
    # a text defines a gammon by "within the first eighteen points"
    assert [finish(kind, Rules()).result.points for kind in (1, 2, 3)] == [1, 2, 3]
