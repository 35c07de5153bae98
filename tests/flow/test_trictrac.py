"""French Trictrac by hand: moves, corners, jans, points, holes, bredouille, leaving, options."""

import json

import pytest

from bgcore import Game
from bgcore.actions import Settle
from bgcore.errors import GameError, IllegalPlayError, VariantError
from bgcore.game_state import Stage
from bgcore.variants import (
    VARIANTS,
    Jan,
    Leave,
    Side,
    State,
    Stay,
    TrictracRules,
    VariantGame,
    VariantGameState,
    VariantMatch,
    VariantPlay,
    VariantRecord,
    parse_variant_action,
    perft,
    play_variant,
    variant,
)
from bgcore.variants.marks import marked

RULES = variant("trictrac")
# An opponent with all checkers at his start, the mover's point 1. He can still fill both of his
# jans, so nobody stops on 12 to 1.
FAR = "24:15"
# One who can fill none any more: all are on his 6, the mover's 19.
PAST = "6:15"


def worth(own, opponent, dice, turns=3):
    """What a roll is worth, as texts: of the player on roll, and of the opponent."""
    side, other = Side.parse(own), Side.parse(opponent)
    state = State.of(side._replace(turns=turns), other._replace(turns=turns))
    RULES.check(state)
    turn = RULES.rolled(state, RULES.begin(), dice)
    jans = (
        [str(jan) for jan in turn.jans if not jan.is_opponents],
        [str(jan) for jan in turn.jans if jan.is_opponents],
    )
    assert [sum(int(jan.split()[-1]) for jan in part) for part in jans] == [
        turn.points(of_opponent=False),
        turn.points(of_opponent=True),
    ]
    return jans


def own_points(own, opponent, dice, turns=3):
    jans, others = worth(own, opponent, dice, turns)
    assert others == []
    return jans


def after_roll(rules, text, dice):
    """State and turn when the play is due; nobody leaves."""
    state = State.parse(text)
    rules.check(state)
    turn = rules.rolled(state, rules.begin(), dice)
    if turn.todo == "mark":
        state, turn = rules.marked(state, turn)
    if turn.todo == "leave":
        turn = rules.stayed(turn)
    return state, turn


def plays(text, dice, rules=RULES):
    return sorted(str(play) for play in rules.plays(*after_roll(rules, text, dice)))


def can(text, dice, play, rules=RULES):
    try:
        rules.plays(*after_roll(rules, text, dice)).find(play)
    except IllegalPlayError:
        return False
    return True


# ---- 20.1: position and turn ----


def test_fifteen_checkers_start_on_the_stack():
    assert str(RULES.initial()) == "24:15 / 24:15"
    assert RULES.across(24) == 1


def test_the_higher_die_plays_both_numbers_and_no_doublet_opens():
    game = Game.of_variant("trictrac")
    assert game.roll("33").stage is Stage.OPENING
    game.roll("26")
    assert (game.on_roll, game.numbers, game.stage) == (1, (6, 2), Stage.PLAY)


def test_a_doublet_is_two_steps():
    assert plays("24:15 / 24:15", (3, 3)) == ["24/21 21/18", "24/21 24/21"]
    # 6-5 with one checker would leave it alone in the corner, 6-6 in the other one
    assert plays("24:15 / 24:15", (6, 5)) == ["24/18 24/19"]
    assert plays("24:15 / 24:15", (6, 6)) == ["24/18 24/18"]


def test_perft_from_the_start():
    # one checker or two: two plays of each roll but 6-5 and 6-6
    assert perft(RULES, 1) == 21 * 2 - 2
    assert perft(RULES, 1, weighted=True) == 36 * 2 - 3
    assert perft(RULES, 2) == 40 * 40


def test_the_larger_number_if_only_one_can_be_played():
    # those on 1 wait for the last one; 9, where both numbers lead, is his
    state = "20:1 1:14 / 16:2 6:13"
    assert plays(state, (6, 5)) == ["20/14"]
    free = variant("trictrac", any_number=True)
    assert plays(state, (6, 5), free) == ["20/14", "20/15"]


def test_one_opposing_checker_closes_a_field_and_a_place_of_rest():
    # a single one on 14 (his 11): the way leads over 15
    assert plays("20:1 1:14 / 11:1 6:14", (6, 5)) == ["20/15 15/9"]
    assert plays("20:1 1:14 / 11:1 10:1 6:13", (6, 5)) == ["(no play)"]


def test_the_corner_is_entered_and_left_by_two():
    assert not can("19:1 24:14 / 24:15", (6, 1), "19/13 24/23")
    assert can("19:1 14:1 24:13 / 24:15", (6, 1), "19/13 14/13")
    # one goes through the empty corner
    assert can(f"14:1 18:14 / {PAST}", (3, 1), "14/13/10")
    # a third one comes and goes alone
    assert can("19:1 13:2 24:12 / 24:15", (6, 1), "19/13 24/23")
    assert not can(f"13:2 18:13 / {PAST}", (6, 1), "13/7 18/17")
    assert can(f"13:3 18:12 / {PAST}", (6, 1), "13/7 18/17")
    assert can(f"13:2 18:13 / {PAST}", (6, 4), "13/7 13/9")


def test_nobody_stops_in_the_other_corner_but_rests_there():
    assert not can(f"18:15 / {PAST}", (6, 1), "18/12 18/17")
    assert not can(f"18:14 17:1 / {PAST}", (6, 5), "18/12 17/12")
    game = VariantGame(start=VariantGameState.at(RULES, f"18:15 / {PAST}", dice="61"))
    game.step(18, 12)
    assert [(step.start, step.to) for step in game.legal_steps()] == [(12, 11)]
    # not where the opponent stands
    held = VariantGame(start=VariantGameState.at(RULES, "18:15 / 13:2 6:13", dice="61"))
    with pytest.raises(IllegalPlayError):
        held.step(18, 12)


def test_the_corner_by_puissance():
    # 18 and 17 could come to 12 together: they come to 13
    state = "18:1 17:1 24:13 / 24:15"
    assert can(state, (6, 5), "18/13 17/13")
    assert plays(state, (6, 5)) == ["18/13 17/13", "24/18 24/19"]
    # by effect goes before by puissance: 19 and 18 come to 13 as they are
    both = "19:1 18:1 17:1 24:12 / 24:15"
    assert can(both, (6, 5), "19/13 18/13")
    assert not can(both, (6, 5), "18/13 17/13")
    # the other corner must be empty, and so must one's own
    assert not can("18:1 17:1 24:13 / 13:2 24:13", (6, 5), "18/13 17/13")
    assert not can("18:1 17:1 13:2 24:11 / 24:15", (6, 5), "18/13 17/13")
    # a doublet needs two on one point
    assert can("16:2 24:13 / 24:15", (4, 4), "16/13(2)")
    assert not can("16:1 24:14 / 24:15", (4, 4), "16/13")
    # step by step
    game = VariantGame(start=VariantGameState.at(RULES, state, dice="65"))
    game.step(18, 13)
    assert [(step.start, step.to, step.die) for step in game.legal_steps()] == [(17, 13, 5)]
    assert game.step(17, 13).state.opponent.points[12] == 2


def test_nobody_stops_where_the_opponent_can_fill_his_jan():
    # two for each of six points: twelve of his checkers can still fill his big jan
    assert not can("14:2 15:13 / 24:12 6:3", (6, 5), "14/8 14/9")
    assert can("14:2 15:13 / 24:11 6:4", (6, 5), "14/8 14/9")
    # all are there, but nobody comes back to his 18
    assert can("14:2 15:13 / 16:15", (6, 4), "14/8 14/10")
    # the same in the return jan, his small one; 13/1 rests on 7
    assert not can("13:4 15:11 / 24:12 6:3", (6, 6), "13/1 15/9")


def test_a_checker_rests_in_the_big_jan_on_its_way_to_the_return_jan():
    # all of his can fill his big jan, none his small one
    state = "14:2 24:13 / 18:15"
    assert not can(state, (6, 5), "14/8 24/19")
    assert not can(state, (5, 1), "14/9/8")
    assert can(state, (6, 6), "14/8/2")
    # not while he can fill the small one too
    assert not can(f"14:2 24:13 / {FAR}", (6, 6), "14/8/2")


def test_bearing_off_by_exact_and_larger_numbers():
    # an exact number may be played inside
    state = "6:2 4:2 off:11 / 18:15"
    assert can(state, (4, 1), "4/off 6/5")
    assert can(state, (4, 1), "6/2 6/5")
    # a larger one takes the rearmost
    assert plays("3:2 1:1 off:12 / 18:15", (6, 5)) == ["3/off 3/off"]
    # not while one is outside
    assert not can("7:1 4:14 / 17:15", (4, 4), "4/off 4/off")
    assert can("7:1 4:14 / 17:15", (4, 4), "7/3 4/off")


def test_a_smaller_number_is_played_inside_rather_than_made_too_large():
    # 4/2 with the 2 would let the 3 bear off from 2; 4/1 leaves the 2 exact
    assert plays("4:1 2:1 off:13 / 18:15", (3, 2)) == ["4/1 2/off"]
    # the 6 takes the 5 off, and then the 4 would be too large: it is played first
    assert plays("5:1 1:1 off:13 / 18:15", (6, 4)) == ["5/1 1/off"]


def test_when_all_are_off_everything_is_set_up_and_the_player_rolls():
    text = "2:1 1:1 off:13 turns:3 marked:6 holes:2 flag bredouille / 18:15 turns:3"
    state, turn = after_roll(RULES, text, (6, 4))
    after, rest = RULES.played(state, turn, RULES.plays(state, turn)[0])
    assert str(after) == "24:15 marked:10 holes:2 bredouille flag / 24:15"
    assert rest == RULES.begin()
    # six points for a doublet: a hole, in a row
    state, turn = after_roll(RULES, text, (6, 6))
    after, _ = RULES.played(state, turn, RULES.plays(state, turn)[0])
    assert str(after) == "24:15 holes:4 flag / 24:15"
    game = VariantGame(start=VariantGameState.at(RULES, text, dice="64"))
    game.play("2/off 1/off")
    assert (game.on_roll, game.stage) == (0, Stage.ROLL)
    # the number that is left over costs nothing
    state, turn = after_roll(RULES, "1:1 off:14 / 18:15", (6, 4))
    after, _ = RULES.played(state, turn, RULES.plays(state, turn)[0])
    assert str(after) == "24:15 marked:4 bredouille / 24:15"


# ---- 20.2: what a roll is worth ----


@pytest.mark.parametrize(
    ("opponent", "dice", "found"),
    [
        # a single one on 7 (his 18), six from the corner: the table of the big jans
        ("18:1 24:14", (6, 2), ["true hit on 7 2"]),
        ("18:1 24:14", (6, 6), ["true hit on 7 4"]),
        # with both numbers
        ("18:1 24:14", (4, 2), ["true hit on 7 2"]),
        ("18:1 24:14", (3, 3), ["true hit on 7 4"]),
        # on 2 and on 1, the return jan: the table of the small jans
        ("23:1 24:14", (6, 5), ["true hit on 2 4"]),
        ("24:1 20:14", (6, 6), ["true hit on 1 6"]),
        # one, and over it another
        ("23:1 18:1 24:13", (6, 5), ["true hit on 7 2", "true hit on 2 4"]),
    ],
)
def test_true_hits(opponent, dice, found):
    # the two in the corner could not leave it one by one, but they hit
    assert own_points("24:13 13:2", opponent, dice) == found


def test_hits_in_several_ways():
    # 11 from 14 and from 13, then also from 16 with both
    assert own_points("14:1 13:2 24:12", "14:1 24:14", (3, 2)) == ["true hit on 11 in 2 ways 4"]
    assert own_points("16:1 14:1 13:2 24:11", "14:1 24:14", (3, 2)) == [
        "true hit on 11 in 3 ways 6"
    ]
    # a doublet: directly and by the sum, not once for each checker
    assert own_points("15:1 13:2 24:12", "14:1 24:14", (2, 2)) == ["true hit on 11 in 2 ways 8"]
    # 6 is in the return jan
    assert own_points("15:1 11:1 10:1 18:12", "19:1 6:14", (5, 4)) == ["true hit on 6 in 3 ways 12"]
    # two equal numbers are one way
    assert own_points("15:1 11:2 10:1 18:11", "19:1 6:14", (5, 5)) == ["true hit on 6 6"]


def test_false_hits_are_the_opponents():
    own = "24:13 13:2"
    # 7 with both numbers over 9 or 11 (his 16 and 14), which are held by two
    assert worth(own, "18:1 16:3 14:2 24:9", (4, 2)) == ([], ["false hit on 7 2"])
    assert worth(own, "18:1 15:2 24:12", (3, 3)) == ([], ["false hit on 7 4"])
    # 2 over 8 or 7
    assert worth(own, "23:1 18:2 17:3 24:9", (6, 5)) == ([], ["false hit on 2 4"])
    assert worth(own, "24:1 18:2 20:12", (6, 6)) == ([], ["false hit on 1 6"])
    # one place of rest is enough; so is a single opposing checker, which is hit too
    assert own_points(own, "18:1 16:3 24:11", (4, 2)) == ["true hit on 7 2"]
    assert own_points(own, "23:1 18:1 17:3 24:10", (6, 5)) == ["true hit on 7 2", "true hit on 2 4"]
    # both kinds at once, of different checkers
    assert worth(own, "23:1 19:1 18:2 17:3 24:8", (6, 5)) == ([], ["false hit on 2 4"])
    assert worth("24:12 13:2 16:1", "23:1 14:1 18:2 17:3 24:8", (6, 5)) == (
        ["true hit on 11 2"],
        ["false hit on 2 4"],
    )


def test_the_other_corner_is_hit():
    # 18 and 17 could take 12, two others hold 13
    state = "13:2 18:1 17:1 24:11"
    assert own_points(state, FAR, (6, 5)) == ["corner hit 4"]
    assert own_points("13:2 16:2 24:11", FAR, (4, 4)) == ["corner hit 6"]
    assert own_points("13:2 16:1 24:12", FAR, (4, 4)) == []
    # with an ace one of the corner itself, if two stay
    assert own_points("13:3 18:1 24:11", FAR, (6, 1)) == ["corner hit 4"]
    assert own_points("13:2 18:1 24:12", FAR, (6, 1)) == []
    assert own_points("13:4 24:11", FAR, (1, 1)) == ["corner hit 6"]
    assert own_points("13:3 24:12", FAR, (1, 1)) == []
    # not without the own corner, not where he stands
    assert own_points("18:1 17:1 24:13", FAR, (6, 5)) == []
    assert worth(state, "13:2 24:13", (6, 5)) == ([], [])


SMALL = "24:4 23:2 22:2 21:2 20:2"  # twelve; three are missing or elsewhere


def test_a_jan_is_filled():
    # 19 lacks one: 24/19 with the 5
    assert own_points(f"{SMALL} 19:1 18:2", FAR, (5, 3)) == ["small jan filled 4"]
    # and with both numbers
    assert own_points(f"{SMALL} 19:1 18:2", FAR, (3, 2)) == ["small jan filled 4"]
    assert own_points("24:4 23:2 22:2 21:3 20:2 19:1 18:1", FAR, (5, 2)) == [
        "small jan filled in 2 ways 8"
    ]
    # three ways: from 22 and 21 directly, from 24 by the sum
    three = "24:3 23:2 22:3 21:3 20:2 19:1 18:1"
    assert own_points(three, FAR, (3, 2)) == ["small jan filled in 3 ways 12"]
    # a doublet: directly and by the sum, six each
    assert own_points("24:2 23:3 22:2 21:3 20:2 19:1 18:2", FAR, (2, 2)) == [
        "small jan filled in 2 ways 12"
    ]
    # both fields, or both checkers of one: one way
    assert own_points("24:6 23:2 22:2 21:2 20:1 19:1 18:1", FAR, (5, 4)) == ["small jan filled 4"]
    assert own_points("24:6 23:2 22:2 21:2 20:2 18:1", FAR, (5, 5)) == ["small jan filled 6"]


def test_a_jan_filled_in_passing_counts_nothing():
    state = "24:3 23:2 22:2 21:2 20:2 19:1 14:3"
    # 24/19 fills; the 6 must break the jan again, for 8 is closed while he can fill
    assert own_points(state, FAR, (6, 5)) == []
    assert can(f"{state} / {FAR}", (6, 5), "24/18/13") is False
    assert can(f"{state} / {FAR}", (6, 5), "24/19 24/18")
    # he cannot fill any more: 14/8 plays the 6
    assert own_points(state, "13:11 16:4", (6, 5)) == ["small jan filled 4"]


def test_a_jan_that_can_be_filled_must_be():
    state = f"{SMALL} 19:1 18:2 / 24:15"
    for play in plays(state, (5, 3)):
        assert "24/19" in play
    assert not can(state, (5, 3), "24/21 23/18")
    # a roll that cannot fill it is free
    assert can(state, (4, 3), "24/20 24/21")


def test_the_big_jan_with_its_corner():
    # the corner lacks two: 19 and 18 come together; by puissance too
    own = "18:3 17:2 16:2 15:2 14:2 19:1 24:3"
    assert own_points(own, FAR, (6, 5)) == ["big jan filled 4"]
    assert own_points("18:3 17:3 16:2 15:2 14:2 24:3", FAR, (6, 5)) == ["big jan filled 4"]
    assert plays("18:3 17:3 16:2 15:2 14:2 24:3 / 24:15", (6, 5)) == ["18/13 17/13"]


def test_the_return_jan_is_not_filled_from_the_corner():
    home = "6:2 5:2 4:2 3:2 2:2 1:1"
    # 13/1 would leave one in the corner; 7/1 fills
    assert own_points(f"{home} 13:2 7:2", "17:15", (6, 6)) == ["return jan filled 6"]
    # with three there it is a second way
    assert own_points(f"{home} 13:3 7:1", "17:15", (6, 6)) == ["return jan filled in 2 ways 12"]
    # and with none on 7 the only two of the corner fill nothing
    assert own_points(f"{home} 13:2 9:2", "17:15", (6, 6)) == []


FULL = "24:2 23:2 22:2 21:2 20:2 19:2"


def test_a_jan_is_conserved():
    assert own_points(f"{FULL} 18:3", FAR, (4, 1)) == ["small jan conserved 4"]
    assert own_points(f"{FULL} 18:3", FAR, (2, 2)) == ["small jan conserved 6"]
    for play in plays(f"{FULL} 18:3 / {FAR}", (4, 1)):
        assert set(play.replace("/", " ").split()) <= {"18", "17", "14", "13"}
    # the other three cannot play: it must be broken, and counts nothing
    assert own_points(f"{FULL} 14:3", FAR, (6, 5)) == []


def test_a_jan_is_conserved_because_a_number_cannot_be_played():
    # 24/18 and 24/19 leave the twelve alone; two of them could also take the other corner
    big = "18:2 17:2 16:2 15:2 14:2 13:2"
    assert own_points(f"{big} 24:3", FAR, (6, 5)) == ["corner hit 4", "big jan conserved 4"]
    # nobody but the jan is left for the 6, and 12 to 7 are closed: no six, two points each for him
    corner = "24:13 13:2"
    own = "18:2 17:2 16:2 15:2 14:2 13:5"
    assert own_points(own, corner, (6, 6)) == ["big jan conserved 6"]
    state, turn = after_roll(RULES, f"{own} / {corner}", (6, 6))
    assert str(RULES.plays(state, turn)[0]) == "(no play)"
    after, _ = RULES.played(state, turn, RULES.plays(state, turn)[0])
    assert (after.own.marked, after.opponent.marked) == (6, 4)
    assert (after.own.bredouille, after.opponent.bredouille) == (False, True)
    # a smaller number can be played inside, and so it must be
    assert own_points(own, corner, (6, 3)) == []
    assert all("(no play)" not in play for play in plays(f"{own} / {corner}", (6, 3)))


def test_the_return_jan_is_conserved_by_bearing_off():
    own = "6:3 5:3 4:3 3:2 2:2 1:2"
    assert own_points(own, "18:11 17:4", (6, 5)) == ["return jan conserved 4"]
    assert plays(f"{own} / 18:11 17:4", (6, 5))[0] == "6/off 5/off"
    assert can(f"{own} / 18:11 17:4", (6, 5), "6/1 6/off") is False


def test_opening_jans():
    # two are out: 18 and 17 with 6 and 4: 17/13 and 18/12
    assert own_points("24:13 18:1 17:1", FAR, (6, 4), turns=1) == ["two tables 4"]
    assert own_points("24:13 17:1 16:1", FAR, (4, 4), turns=1) == ["two tables 6"]
    assert worth("24:13 18:1 17:1", "13:2 24:13", (6, 4), turns=1) == ([], ["contre two tables 4"])
    assert worth("24:13 17:1 16:1", "13:2 24:13", (4, 4), turns=1) == ([], ["contre two tables 6"])
    # not with a third checker out
    assert own_points("24:12 23:1 18:1 17:1", FAR, (6, 4), turns=1) == []
    # the corner is taken by the only two
    assert own_points("24:13 13:2", FAR, (6, 1), turns=2) == ["mezeas 4"]
    assert own_points("24:13 13:2", FAR, (1, 1), turns=2) == ["mezeas 6"]
    assert own_points("24:13 13:2", FAR, (6, 2), turns=2) == []
    assert worth("24:13 13:2", "13:2 24:13", (6, 1), turns=2) == ([], ["contre mezeas 4"])
    assert worth("24:13 13:2", "13:2 24:13", (1, 1), turns=2) == ([], ["contre mezeas 6"])


def test_six_tables_in_three_rolls():
    # fields 2 to 5 after two rolls; 6 and 7 are five and six away
    own = "24:11 23:1 22:1 21:1 20:1"
    assert own_points(own, FAR, (6, 5), turns=2) == ["six tables 4"]
    assert own_points(own, FAR, (6, 4), turns=2) == []
    # in the fourth roll it is none
    assert own_points(own, FAR, (6, 5), turns=3) == []
    # nobody has to play it
    assert can(f"{own} turns:2 / {FAR} turns:2", (6, 5), "23/17 24/19")


def test_numbers_that_cannot_be_played_give_the_opponent_two_each():
    # 14 and 15 are single: both are hit, and both stop the 6 and the 5
    text = "20:1 1:14 / 11:1 10:1 6:13"
    state, turn = after_roll(RULES, text, (6, 5))
    assert state.own.marked == 4
    after, rest = RULES.played(state, turn, RULES.plays(state, turn)[0])
    assert (after.own.marked, after.opponent.marked, rest.todo) == (4, 4, "end")
    # one of two
    state, turn = after_roll(RULES, "20:1 1:14 / 16:2 6:13", (6, 5))
    after, _ = RULES.played(state, turn, RULES.plays(state, turn)[0])
    assert after.opponent.marked == 2


# ---- 20.3: holes and bredouille ----


# Ten points marked, and two for a hit on 7 with a six.
TEN = "24:13 13:2 turns:3 marked:10 holes:1 flag / 24:14 18:1 turns:3 marked:6 bredouille"
# An opponent whose single checker on 2 is hit falsely by 6-5 from the corner.
FALSE = "23:1 18:2 17:3 24:9"


def side(text):
    return Side.parse(f"24:15 {text}")


def mark(own, other, points, goal=12):
    """What stands at both after the first one has marked, without the checkers."""
    sides = marked(side(own), side(other), points, goal)
    return tuple(str(found).removeprefix("24:15").strip() for found in sides)


def test_twelve_points_are_a_hole_and_two_in_a_row():
    assert mark("", "", 4) == ("marked:4 bredouille", "")
    assert mark("marked:4 bredouille", "", 8) == ("holes:2 flag", "")
    assert mark("marked:4 bredouille", "", 10) == ("marked:2 holes:2 bredouille flag", "")
    # both have marked: a simple hole, and his points are gone
    assert mark("marked:10", "marked:4", 2) == ("holes:1 flag", "")
    assert mark("marked:10", "marked:4 holes:2 flag", 4) == (
        "marked:2 holes:1 bredouille flag",
        "holes:2",
    )


def test_the_second_one_to_mark_can_win_double_too():
    assert mark("", "marked:4 bredouille", 6) == ("marked:6 bredouille", "marked:4")
    assert mark("marked:6 bredouille", "marked:4", 6) == ("holes:2 flag", "")
    # the first one marks again: neither can
    assert mark("marked:4", "marked:6 bredouille", 2) == ("marked:6", "marked:6")
    assert mark("marked:6", "marked:6", 6) == ("holes:1 flag", "")


def test_several_holes_at_once():
    assert mark("", "", 24) == ("holes:4 flag", "")
    # the first is simple; nobody has marked since the second began
    assert mark("marked:10", "marked:2", 14) == ("holes:3 flag", "")
    assert mark("holes:11 flag", "", 12) == ("holes:12 flag", "")


def test_what_is_left_is_a_first_mark():
    # he marks afterwards, from zero: with the double token if there is a rest
    own, other = marked(side("marked:10"), side("marked:4"), 4, 12)
    assert marked(other, own, 4, 12)[0].bredouille
    assert not marked(other, own, 4, 12)[1].bredouille


def test_all_holes_in_a_row():
    # the second one to win a hole has the flag until the first one wins another
    own, other = marked(side("marked:10 holes:3 flag"), side("marked:2"), 0, 12)
    assert own.flag
    other, own = marked(side("marked:10"), side("holes:3 flag"), 2, 12)
    assert (other.holes, other.flag, own.flag) == (1, True, False)
    own, other = marked(own._replace(marked=10), other, 2, 12)
    assert (own.flag, other.flag) == (False, False)


def test_a_hole_of_ones_own_roll_lets_one_leave():
    game = VariantGame(start=VariantGameState.at(RULES, TEN))
    game.roll("62")
    assert game.stage is Stage.LEAVE
    assert str(game.board) == "24:13 13:2 turns:3 holes:2 flag / 24:14 18:1 turns:3"
    assert game.legal_actions()[:2] == (Stay(), Leave())
    game.leave()
    assert str(game.board) == "24:15 holes:2 flag / 24:15"
    assert (game.on_roll, game.stage) == (0, Stage.ROLL)
    game.undo()
    game.stay()
    assert (game.stage, game.numbers) == (Stage.PLAY, (6, 2))
    with pytest.raises(GameError, match="waits for: play"):
        game.leave()


def test_what_is_left_goes_with_who_leaves():
    # a doublet hits for four: two are left
    state = State.parse(TEN)
    state, turn = RULES.marked(state, RULES.rolled(state, RULES.begin(), (6, 6)))
    assert (state.own.marked, state.own.bredouille) == (2, True)
    state, turn = RULES.left(state, turn)
    assert str(state) == "24:15 holes:2 flag / 24:15"
    assert turn == RULES.begin()


def test_points_of_the_opponents_roll_force_staying():
    # a false hit gives him a hole in a row: the turn just ends, and he rolls
    text = f"24:13 13:2 / {FALSE} marked:10 holes:4 bredouille flag"
    state, turn = after_roll(RULES, text, (6, 5))
    after, turn = RULES.played(state, turn, RULES.plays(state, turn)[0])
    assert (after.opponent.holes, after.opponent.marked) == (6, 2)
    assert RULES.end_turn(after, turn)[1] == RULES.begin()


def test_the_twelfth_hole_ends_the_game_at_once():
    text = "24:13 13:2 marked:10 holes:11 bredouille flag / 24:14 18:1"
    game = VariantGame(start=VariantGameState.at(RULES, text))
    game.roll("62")
    assert (game.is_over, game.result.winner, game.result.points) == (True, 0, 2)
    # by the other's roll
    text = f"24:13 13:2 holes:2 / {FALSE} marked:10 holes:11 bredouille"
    game = VariantGame(start=VariantGameState.at(RULES, text))
    game.roll("65")
    assert not game.is_over
    game.play(game.legal_plays()[0])
    assert (game.is_over, game.result.winner, game.result.points) == (True, 1, 1)


def test_turns_are_counted_from_each_setting():
    game = Game.of_variant("trictrac")
    game.roll("62")
    game.play("24/18 24/22")
    assert game.board.opponent.turns == 1
    with pytest.raises(GameError, match="waits for: roll"):
        game.stay()


# ---- 20.4: options, and what is left out ----


def test_option_holes():
    text = "24:13 13:2 marked:10 holes:2 bredouille flag / 24:14 18:1"
    assert not VariantGame(start=VariantGameState.at(RULES, text, dice="62")).is_over
    short = variant("trictrac", holes=3)
    state = State.parse(text)
    state, _ = short.marked(state, short.rolled(state, short.begin(), (6, 2)))
    # the second hole of two has no value
    assert (state.own.holes, short.result(state)) == (3, 2)
    for wrong in (0, 25, True, "12"):
        with pytest.raises(VariantError):
            variant("trictrac", holes=wrong)


def test_option_leaving():
    never = variant("trictrac", leaving="never")
    assert VariantGame(start=VariantGameState.at(RULES, TEN, dice="62")).stage is Stage.LEAVE
    assert VariantGame(start=VariantGameState.at(never, TEN, dice="62")).stage is Stage.PLAY


@pytest.mark.parametrize(
    ("winner", "loser", "values"),
    [
        ("holes:12 flag", "", (1, 2, 4)),
        ("holes:12 flag", "holes:3", (1, 2, 3)),
        ("holes:12", "holes:5", (1, 1, 2)),
        ("holes:12", "holes:6", (1, 1, 1)),
    ],
)
def test_option_payoff(winner, loser, values):
    state = State.of(side(winner), side(loser))
    for payoff, value in zip(("single", "double", "quadruple"), values, strict=True):
        rules = variant("trictrac", payoff=payoff)
        rules.check(state)
        assert rules.result(state) == value
        assert rules.result(state.swapped()) == -value


def test_options_on_who_begins():
    assert Game.of_variant("trictrac", opening="reroll").roll("62").stage is Stage.ROLL
    for next_opening, starter in (("dice", None), ("winner", 1)):
        match = VariantMatch(variant("trictrac", next_opening=next_opening), 3)
        match.game.roll("62")
        match.game.do(Settle(1, 1))
        assert match.next_game().on_roll == starter


@pytest.mark.parametrize("option", ["schools", "misery_pile", "scored_game"])
def test_what_is_left_out_is_refused_with_a_message(option):
    with pytest.raises(VariantError, match="trictrac"):
        variant("trictrac", **{option: True})


def test_trictrac_has_no_rules_of_other_games():
    with pytest.raises(VariantError, match="no option 'head_limit'"):
        variant("trictrac", head_limit=1)
    with pytest.raises(VariantError, match="in every game of trictrac"):
        TrictracRules(doubles="four")
    with pytest.raises(VariantError, match="the payoff of trictrac"):
        variant("trictrac", payoff="triple")
    with pytest.raises(VariantError, match="must go on"):
        VARIANTS["tapa"].left(VARIANTS["tapa"].initial(), VARIANTS["tapa"].begin())
    with pytest.raises(VariantError, match="payoff is 'double'"):
        type(VARIANTS["tapa"])(name="x", start=((24, 15),), payoff="double")


# ---- states, records, resignations, players ----


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("13:1 24:14 / 24:15", "single checker in his corner"),
        ("12:2 24:13 / 6:15", "in the other corner"),
        ("11:2 24:13 / 24:15", "still fill its big jan"),
        ("5:2 24:13 / 24:12 6:3", "still fill its small jan"),
        ("off:2 24:13 / 24:15", "borne off checkers and others"),
        ("24:15 marked:3 bredouille / 24:15", "points are even"),
        ("24:15 marked:12 bredouille / 24:15", "below 12"),
        ("24:15 holes:13 flag / 24:15", "not more than 12"),
        ("24:15 marked:4 / 24:15", "'bredouille' is missing"),
        ("24:15 bredouille / 24:15", "nothing to win by it"),
        ("24:15 holes:2 flag / 24:15 holes:2 flag", "'flag' of both sides"),
        ("24:15 holes:12 / 24:15 holes:12", "both sides have won"),
        ("24:14 18:1 / 24:14 7:1", "both sides"),
    ],
)
def test_states_that_cannot_be(text, words):
    with pytest.raises(VariantError, match=words):
        RULES.check(State.parse(text))


def test_points_and_holes_are_part_of_a_state():
    text = "24:13 18:2 turns:2 marked:4 holes:3 bredouille flag / 24:15 holes:2"
    state = State.parse(text)
    assert str(state) == text
    assert state.swapped().swapped() == state
    assert str(state.swapped()) == " / ".join(reversed(text.split(" / ")))
    assert state != State(state.cells)
    assert len({state, State.parse(text), State(state.cells)}) == 2
    with pytest.raises(VariantError, match="where nothing is marked"):
        VARIANTS["longgammon"].check(State.parse("24:15 holes:1 flag / 24:15"))
    for score in (b"\0" * 6, b"\1", "x"):
        with pytest.raises(VariantError, match="a score is made of"):
            State(state.cells, score)


def test_texts_of_the_actions():
    assert parse_variant_action("stay") == Stay()
    assert parse_variant_action("leave") == Leave()
    assert (str(Stay()), str(Leave())) == ("stay", "leave")
    assert str(Jan("true hit", 8, 2, point=18)) == "true hit on 18 in 2 ways 8"


def test_a_record_from_the_middle_marks_the_roll_once():
    game = VariantGame(start=VariantGameState.at(RULES, TEN, dice="62"))
    for _ in range(2):
        document = json.loads(json.dumps(game.record().to_dict()))
        again = VariantGame.replay(VariantRecord.from_dict(document))
        assert again.state == game.state
        if game.stage is Stage.LEAVE:
            game.stay()


def test_resignations_are_what_can_be_lost():
    for text, most in (
        ("24:15 / 24:15", 2),
        ("24:15 holes:3 flag / 24:15", 2),
        ("24:15 holes:3 / 24:15 holes:2", 1),
    ):
        assert RULES.most_lost(State.parse(text)) == most
    game = VariantGame(start=VariantGameState.at(RULES, "24:15 holes:3 / 24:15 holes:2"))
    game.roll("62")
    with pytest.raises(GameError, match="no more than 1"):
        game.resign(2)
    game.resign(1)
    game.accept()
    assert (game.result.winner, game.result.points) == (1, 1)


class Stubborn:
    """Plays the first play; knows nothing of leaving."""

    def choose_play(self, rules, state, turn, plays, chance):
        return 0

    def choose_doublet(self, rules, state, turn, chance):
        return 1


def test_players_without_a_word_on_leaving_stay():
    results = play_variant("trictrac", Stubborn(), "pips", games=4, seed=2, check=True)
    assert sum(results.wins) == 4


def test_order_of_dice_and_both_sides_do_not_matter():
    state = State.parse("24:9 20:2 18:2 14:2 / 24:9 21:2 19:2 15:2")
    for dice in ((6, 1), (5, 2), (4, 3)):
        ends = [
            {play.state for play in RULES.plays(*after_roll(RULES, str(state), order))}
            for order in (dice, dice[::-1])
        ]
        assert ends[0] == ends[1]


def test_a_turn_goes_on_with_what_is_next():
    turn = RULES.begin()
    state = RULES.initial()
    for call in (RULES.marked, RULES.left, RULES.plays, RULES.steps):
        with pytest.raises(VariantError, match="must go on"):
            call(state, turn)
    with pytest.raises(VariantError, match="must go on"):
        RULES.stayed(turn)
    with pytest.raises(VariantError, match="must go on"):
        RULES.played(state, turn, VariantPlay((), state))
