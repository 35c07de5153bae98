"""What games are worth: the worked cases of rule books, and mistakes that others made."""

import pytest
from games import LOSERS, board, finish, last_checker

from bgcore import Cube, Rules, WinKind
from bgcore.actions import Beaver, Double, Drop, Raccoon, Take
from bgcore.errors import RulesError
from bgcore.scoring import kind_cap, points_of, win_kind

JACOBY = Rules.money(beavers=2)


def test_money_with_jacoby_never_doubled_and_none_borne_off_is_1_point():
    game = finish(2, JACOBY)
    assert (game.result.winner, game.result.points, game.result.kind) == (0, 1, WinKind.GAMMON)


def test_the_same_after_a_double_and_a_take_is_4_points():
    assert finish(2, JACOBY, doubles=[Double(), Take()]).result.points == 4


def test_double_and_drop_is_1_point_for_the_doubler():
    result = finish(2, JACOBY, doubles=[Double(), Drop()]).result
    assert (result.winner, result.points, result.ending) == (0, 1, "dropped")


def test_double_beaver_and_a_drop_by_the_doubler_costs_him_2_points():
    result = finish(1, JACOBY, doubles=[Double(), Beaver(), Drop()]).result
    assert (result.winner, result.points, result.ending) == (1, 2, "dropped")


def test_double_beaver_accepted_and_a_plain_win_is_4_points():
    game = finish(1, JACOBY, doubles=[Double(), Beaver(), Take()])
    assert game.result.points == 4
    assert game.cube.owner == 1  # the taker keeps the cube


def test_double_beaver_raccoon_accepted_and_a_gammon_is_16_points():
    game = finish(2, JACOBY, doubles=[Double(), Beaver(), Raccoon(), Take()])
    assert game.result.points == 16
    assert (game.cube.value, game.cube.owner) == (8, 1)


def test_a_dropped_raccoon_costs_the_value_of_the_beaver():
    result = finish(2, JACOBY, doubles=[Double(), Beaver(), Raccoon(), Drop()]).result
    assert (result.winner, result.points) == (0, 4)


@pytest.mark.parametrize(("counts", "points"), [(False, 2), (True, 4)])
def test_an_automatic_double_under_jacoby(counts, points):
    rules = Rules.money(auto_doubles=1, jacoby_auto_counts=counts)
    assert finish(2, rules, cube=2).result.points == points


@pytest.mark.parametrize(
    ("payoff", "expected"), [("full", (1, 2, 3)), ("gammon", (1, 2, 2)), ("single", (1, 1, 1))]
)
def test_payoffs(payoff, expected):
    rules = Rules(payoff=payoff)
    assert tuple(finish(kind, rules).result.points for kind in (1, 2, 3)) == expected
    assert tuple(finish(k, rules, cube=4, cube_owner=1).result.points for k in (1, 2, 3)) == tuple(
        4 * points for points in expected
    )


def test_a_backgammon_with_a_cube_of_64_is_192_points():
    assert finish(3, Rules.money(), cube=64, cube_owner=0).result.points == 192
    assert finish(3, Rules.money(), cube=32768, cube_owner=0).result.points == 98304


def test_one_checker_off_is_a_single_game_wherever_the_others_are():
    on_the_bar = last_checker({}, loser_bar=14)
    assert win_kind(after_last(on_the_bar)) == 1
    assert win_kind(after_last(last_checker({23: 13, 20: 1}))) == 1


def test_none_off_and_none_in_the_winners_home_or_on_the_bar_is_a_gammon():
    assert win_kind(after_last(last_checker({18: 15}))) == 2


def test_none_off_with_the_last_checker_on_the_bar_is_a_backgammon():
    assert win_kind(after_last(last_checker({6: 14}, loser_bar=1))) == 3
    assert win_kind(after_last(last_checker({6: 14, 19: 1}))) == 3


def test_a_game_that_goes_on_has_no_kind():
    with pytest.raises(RulesError, match="not over"):
        win_kind(LOSERS[1])


def test_who_is_far_enough_can_resign_no_gammon():
    money = Rules(jacoby=False)
    # seen by the loser
    none_off_in_contact = board({6: 14}, {6: 15}, own_bar=1)
    none_off_past = board({12: 15}, {6: 15})
    last_in_the_home_of_the_winner = board({6: 14, 20: 1}, {4: 15})
    one_off = board({6: 14}, {6: 15})
    cube = Cube(2, 0)
    assert kind_cap(none_off_in_contact, cube, money) == 3
    assert kind_cap(none_off_past, cube, money) == 2
    assert kind_cap(last_in_the_home_of_the_winner, cube, money) == 3
    assert kind_cap(one_off, cube, money) == 1
    assert kind_cap(none_off_in_contact, cube, Rules(payoff="gammon")) == 2
    assert kind_cap(none_off_in_contact, Cube(), Rules.money()) == 1  # Jacoby
    assert kind_cap(none_off_in_contact, cube, Rules.money()) == 3


def test_points_of_every_kind():
    assert [points_of(kind, Cube(4, 1), Rules.money()) for kind in (1, 2, 3)] == [4, 8, 12]
    assert [points_of(kind, Cube(), Rules.money()) for kind in (1, 2, 3)] == [1, 1, 1]


def after_last(position):
    """The board after the last checker is borne off, seen by the winner."""
    return position.after("1/off", "21")
