"""The games by hand: counts, worked cases, options, ends, names, states and their text."""

import pickle
import random

import numpy as np
import pytest

from bgcore import Board
from bgcore._core import movegen
from bgcore.actions import Double
from bgcore.errors import (
    AmbiguousPlayError,
    AmbiguousVariantError,
    BoardError,
    DiceError,
    IllegalPlayError,
    InvalidPlayError,
    VariantError,
)
from bgcore.variants import (
    DESCRIPTIONS,
    TAVLI_ORDER,
    VARIANTS,
    Side,
    State,
    Turn,
    TurnItem,
    VariantGameState,
    VariantPlay,
    legal_variant_actions,
    perft,
    variant,
)

NAMES = sorted(VARIANTS)
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


def turn_of(rules, state, dice):
    return rules.rolled(state, rules.begin(), dice)


def texts(rules, state, dice):
    """The plays of a roll as sorted texts."""
    if isinstance(state, str):
        state = State.parse(state)
        rules.check(state)
    return sorted(str(play) for play in rules.plays(state, turn_of(rules, state, dice)))


def can(rules, state, dice, text):
    """Whether a play is legal, in whatever order its steps are written."""
    if isinstance(state, str):
        state = State.parse(state)
        rules.check(state)
    try:
        rules.plays(state, turn_of(rules, state, dice)).find(text)
    except IllegalPlayError:
        return False
    return True


def side(text, n=15):
    """A side; what is missing is borne off."""
    made = Side.parse(text)
    return made._replace(off=n - made.n_checkers)


def state_of(own, opponent, n=15):
    return State.of(side(own, n), side(opponent, n))


def counts(rules):
    state = rules.initial()
    return [len(rules.plays(state, turn_of(rules, state, roll))) for roll in ROLLS]


# ---- counts by independent brute force ----


@pytest.mark.parametrize(
    ("name", "options", "total"),
    [
        ("standard", {}, 447),
        ("nackgammon", {}, 547),
        ("hypergammon", {}, 195),
        ("longgammon", {}, 59),
        ("plakoto", {}, 59),
        ("gul_bara", {}, 53),
        ("nardy_long", {}, 22),
        ("nardy_long", {"head_exception": "fixed46"}, 21),
    ],
)
def test_plays_of_the_first_turn(name, options, total):
    assert sum(counts(variant(name, **options))) == total


def test_plays_of_the_first_turn_of_gul_bara_roll_by_roll():
    expected = [2] * 21
    for number, count in enumerate((5, 5, 4, 3, 5, 1), 1):
        expected[ROLLS.index((number, number))] = count
    assert counts(variant("gul_bara")) == expected


def test_plays_of_the_first_turn_of_nardy_roll_by_roll():
    expected = [1] * 21
    expected[ROLLS.index((3, 3))] = 2
    assert counts(variant("nardy_long")) == expected


@pytest.mark.parametrize(
    ("name", "depth", "nodes"),
    [("standard", 1, 447), ("hypergammon", 2, 38017), ("longgammon", 2, 3484)],
)
def test_perft_of_the_layouts(name, depth, nodes):
    assert perft(VARIANTS[name], depth) == nodes


def test_perft_counts_named_doublets_and_weights():
    assert perft(VARIANTS["nardy_long"], 0) == 1
    assert perft(VARIANTS["nardy_long"], 1, weighted=True) == 15 * 2 + 7
    # 21/18 with 1-2; then 18/14, 18/10, 18/6, 18/2, and off with 5-5 and 6-6
    acey = VARIANTS["acey_deucey"]
    state = state_of("21:1", "24:1")
    assert perft(acey, 1, state=state) == 14 + 6 + 5
    with pytest.raises(VariantError, match="depth"):
        perft(acey, 9)


def test_the_kernel_counts_as_the_standard_generator_does():
    board = Board.opening()
    state = np.frombuffer(State.from_board(board).cells, dtype=np.uint8)[None]
    found = VARIANTS["standard"].kernel.count_plays(state)
    np.testing.assert_array_equal(found, movegen.count_plays(np.array(board.to_list())[None]))


# ---- worked cases ----


def test_nardy_starts_with_threes_in_two_ways():
    rules = variant("nardy_long")
    assert len(texts(rules, rules.initial(), (3, 3))) == 2
    assert can(rules, rules.initial(), (3, 3), "24/18(2)")
    assert can(rules, rules.initial(), (3, 3), "24/15 24/21")


def test_nardy_starts_with_sixes_and_loses_two_of_them():
    rules = variant("nardy_long")
    assert texts(rules, rules.initial(), (6, 6)) == ["24/18 24/18"]


def test_nardy_lets_one_checker_leave_the_head():
    rules = variant("nardy_long")
    state = "24:14 18:1 turns:1 / 24:14 18:1 turns:1"
    # my 12 is the opponent's head: nothing goes there from 18
    assert texts(rules, state, (6, 6)) == ["24/18"]
    assert can(rules, state, (2, 1), "24/22 18/17")
    assert not can(rules, state, (2, 1), "24/22 24/23")


def test_nardy_second_player_blocked_by_checkers_on_the_way():
    # The first 5 goes to 19, the next would meet the opponent's 2, my 14.
    state = "24:15 / 24:13 2:1 1:1"
    assert texts(variant("nardy_long"), state, (5, 5)) == ["24/19"]
    blocked = variant("nardy_long", head_exception="blocked")
    assert texts(blocked, state, (5, 5)) == ["24/19 24/19"]
    later = state.replace("24:15", "24:15 turns:2")
    assert texts(blocked, later, (5, 5)) == ["24/19"]
    doubles = variant("nardy_long", head_exception="doubles")
    assert texts(doubles, later, (5, 5)) == ["24/19 24/19"]


def test_nardy_six_in_a_row_need_a_checker_ahead():
    rules = variant("nardy_long")
    # 9 to 4 are closed after 10/9 8/6; the opponent has all on his 24, my 12, behind them.
    behind = "10:1 8:2 7:2 6:2 5:2 4:6 / 24:15"
    assert can(variant("nardy_long", prime="free"), behind, (2, 1), "10/9 8/6")
    assert not can(rules, behind, (2, 1), "10/9 8/6")
    # one on his 13, my 1, is past them, and so is one that is borne off
    assert can(rules, behind.replace("24:15", "24:14 13:1"), (2, 1), "10/9 8/6")
    ahead = behind.replace("24:15", "24:14 off:1")
    assert can(rules, ahead, (2, 1), "10/9 8/6")
    assert not can(variant("nardy_long", prime="forbidden"), ahead, (2, 1), "10/9 8/6")
    # his 14, my 2, is past them; his 17, my 5, would stand in them; his 23, my 11, is not
    assert can(rules, behind.replace("24:15", "24:14 14:1"), (2, 1), "10/9 8/6")
    assert not can(rules, behind.replace("24:15", "24:14 23:1"), (2, 1), "10/9 8/6")


def test_nardy_six_in_a_row_on_the_way_are_allowed_unless_each_step_counts():
    # 10/9 makes six in a row, 5/3 with the last checker there opens them again
    state = "10:1 8:3 7:3 6:3 5:1 4:4 / 24:15"
    assert can(variant("nardy_long"), state, (2, 1), "10/9 5/3")
    each = variant("nardy_long", prime_each_step=True)
    assert can(each, state, (2, 1), "10/9 5/3")  # in the other order
    # Only 9/8 after 10/9 plays this checker twice.
    assert can(variant("nardy_long"), state, (1, 1), "10/9 9/8 8/7 8/7")
    assert not can(each, state, (1, 1), "10/9 9/8 8/7 8/7")


def test_plakoto_pins_a_lone_checker():
    rules = variant("plakoto")
    state = State.parse("24:15 / 24:14 6:1")
    rules.check(state)
    assert texts(rules, state, (6, 5)) == ["24/18 18/13", "24/18 24/19*"]
    play = rules.plays(state, turn_of(rules, state, (6, 5))).find("24/18 24/19")
    assert str(play.state) == "24:13 19:1 18:1 / 24:14 6:pin"
    assert play.steps[1].effect == "pin"


def test_plakoto_pinned_checkers_rest_until_the_pin_leaves():
    rules = variant("plakoto")
    state = state_of("24:2 19:1 18:1", "24:14 6:pin")
    # the opponent cannot move his checker on 6, nor land there
    other = state.swapped()
    assert all("6/" not in text and "/6" not in text for text in texts(rules, other, (6, 1)))
    # when the pin leaves, the checker below is free again
    after = rules.plays(state, turn_of(rules, state, (5, 4))).find("19/10").state
    assert after.opponent.pinned == ()
    assert after.opponent.points[5] == 1
    # one more may stand on the pin
    assert "24/19" in {t.split()[0] for t in texts(rules, state, (5, 4))}


def test_plakoto_bears_off_nothing_while_a_checker_is_pinned():
    rules = variant("plakoto")
    free = state_of("6:2 5:1", "24:10")
    assert "6/off 5/off" in texts(rules, free, (6, 5))
    pinned = State.parse("6:2 5:pin off:12 / 20:1 24:10 off:4")
    rules.check(pinned)
    assert texts(rules, pinned, (6, 4)) == ["6/2"]


def test_plakoto_mother():
    rules = variant("plakoto")
    immediate = variant("plakoto", mother="immediate")
    tapa = variant("tapa")
    # the opponent's last checker on his 24 is pinned on my 1
    gone = State.parse("10:14 1:1 / 24:pin 12:14")
    assert rules.result(gone) == 2
    assert tapa.result(gone) is None
    # ... while my own mother has not left
    waiting = State.parse("24:1 10:13 1:1 / 24:pin 12:14")
    assert rules.result(waiting) is None
    assert immediate.result(waiting) == 2
    # not the last one on 24: nothing pins it
    both = State.parse("24:pin 10:13 1:1 / 24:pin 12:13 1:1")
    assert rules.result(both) == 0
    assert rules.result(waiting.swapped()) is None
    assert rules.result(gone.swapped()) == -2


def test_tapa_can_end_in_a_draw():
    assert variant("tapa").result(State.parse("24:pin 1:14 / 24:pin 1:14")) == 0


def test_dutch_nobody_hits_before_a_checker_has_come_home():
    rules = variant("dutch")
    state = state_of("24:1 13:5", "5:1 12:3")
    assert not any("24/20" in text for text in texts(rules, state, (4, 1)))
    home = state_of("24:1 13:5 home", "5:1 12:3")
    assert any("24/20*" in text for text in texts(rules, home, (4, 1)))
    # the gate opens within the turn
    near = state_of("24:1 7:5", "5:1 12:3")
    assert can(rules, near, (4, 1), "7/6 24/20*")
    # and stays open, unless the other reading is played
    now = variant("dutch", hit_gate="now")
    assert any("24/20*" in text for text in texts(now, state_of("24:1 6:5", "5:1"), (4, 1)))
    assert not any("24/20*" in text for text in texts(now, home, (4, 2)))


def test_dutch_all_enter_first():
    state = state_of("24:1 hand:1", "24:1")
    rules, free = variant("dutch"), variant("dutch", enter_first=False)
    assert all("hand/" in text for text in texts(rules, state, (4, 1)))
    assert can(rules, state, (4, 1), "hand/21 24/23")
    assert not can(rules, state, (4, 1), "24/20 20/19")
    assert can(free, state, (4, 1), "24/20 20/19")


def test_the_bar_goes_before_the_hand():
    state = State.parse("bar:1 hand:14 / 24:15")
    assert all(text.startswith("bar/") for text in texts(variant("acey_deucey"), state, (4, 1)))


def test_acey_deucey_ends_the_turn_if_the_ace_or_the_deuce_cannot_be_played():
    rules = variant("acey_deucey")
    # only the 1 can be played: 2 is closed
    state = state_of("24:1", "3:2 4:2")
    turn = turn_of(rules, state, (1, 2))
    plays = rules.plays(state, turn)
    assert [str(play) for play in plays] == ["24/23"]
    assert rules.played(state, turn, plays[0])[1].todo == "end"


def named(rules, state, number):
    """State and turn after 1-2, its first play, and the name of a doublet."""
    turn = turn_of(rules, state, (1, 2))
    state, turn = rules.played(state, turn, rules.plays(state, turn)[0])
    assert turn.todo == "choose"
    return state, rules.chosen(turn, number)


def test_acey_deucey_plays_what_it_can_of_the_named_doublet():
    rules = variant("acey_deucey")
    # 24/22 and 22/21 or 24/23 first; then 5-5: 21/16/11/6 and a closed 1
    state = state_of("24:1", "24:2")
    now, turn = named(rules, state, 5)
    plays = rules.plays(now, turn)
    assert [str(play) for play in plays] == ["21/16 16/11 11/6"]
    assert rules.played(now, turn, plays[0])[1].todo == "end"
    strict = variant("acey_deucey", strict_forfeit=True)
    now, turn = named(strict, state, 5)
    assert [str(play) for play in strict.plays(now, turn)] == ["(no play)"]
    assert strict.steps(now, turn) == []


def test_acey_deucey_rolls_again_after_a_named_doublet_in_full():
    rules = variant("acey_deucey")
    now, turn = named(rules, rules.initial(), 6)
    now, turn = rules.played(now, turn, rules.plays(now, turn).find("hand/19(4)"))
    assert turn.todo == "roll"
    assert rules.rolled(now, turn, (6, 6)).rolls == 2


def test_acey_deucey_doublets():
    american, european = variant("acey_deucey"), variant("acey_deucey_european")
    assert [item.kind for item in turn_of(american, american.initial(), (2, 2)).items] == ["play"]
    turn = turn_of(european, european.initial(), (2, 2))
    assert [item.numbers for item in turn.items] == [(2,) * 4, (5,) * 4, ()]
    assert turn.items[-1].kind == "roll"
    twice = variant("acey_deucey_european", extra_turn="doubles")
    turn = turn_of(twice, twice.initial(), (2, 2))
    assert [item.kind for item in turn.items] == ["play", "play", "roll"]
    more = variant("acey_deucey", extra_turn="doubles")
    assert turn_of(more, more.initial(), (2, 2)).items[-1].kind == "roll"


def test_acey_deucey_bears_off_exactly_in_europe():
    state = state_of("4:2", "24:1")
    assert texts(variant("acey_deucey"), state, (6, 5)) == ["4/off 4/off"]
    assert texts(variant("acey_deucey_european"), state, (6, 5)) == ["(no play)"]
    assert texts(variant("acey_deucey", bear_off="exact"), state, (6, 4)) == ["4/off"]


def test_extra_rolls_come_to_an_end():
    rules = variant("portes", extra_turn="doubles", max_chain=2)
    state, turn = rules.initial(), rules.begin()
    rolls = 0
    while turn.todo != "end":
        if turn.todo == "roll":
            turn = rules.rolled(state, turn, (1, 1))
            rolls += 1
        else:
            state, turn = rules.played(state, turn, rules.plays(state, turn)[0])
    assert rolls == 3


def test_a_doublet_gives_an_extra_turn_as_a_house_rule():
    rules = variant("standard", extra_turn="doubles")
    state = rules.initial()
    turn = turn_of(rules, state, (3, 3))
    state, turn = rules.played(state, turn, rules.plays(state, turn)[0])
    assert turn.todo == "roll"
    # also if it could not be played, unless that is forfeited
    closed = state_of("bar:1", "1:2 2:2 3:2 4:2 5:2 6:2")
    for forfeit, todo in ((False, "roll"), (True, "end")):
        rules = variant("standard", extra_turn="doubles", extra_turn_forfeit=forfeit)
        turn = turn_of(rules, closed, (3, 3))
        play = rules.plays(closed, turn)[0]
        assert play.steps == ()
        assert rules.played(closed, turn, play)[1].todo == todo


def test_gul_bara_doublets_ascend_from_the_fourth_turn_on():
    rules = variant("gul_bara")
    third = State.parse("24:15 turns:2 / 24:15 turns:2")
    fourth = State.parse("24:15 turns:3 / 24:15 turns:3")
    assert [item.numbers for item in turn_of(rules, third, (5, 5)).items] == [(5,) * 4]
    turn = turn_of(rules, fourth, (5, 5))
    assert [item.numbers for item in turn.items] == [(5,) * 4, (6,) * 4]
    # if the fourth 5 cannot be played the 6s are not tried
    now = state_of("17:1 1:1 turns:3", "24:5 turns:3")  # 17/12 is closed
    turn = turn_of(rules, now, (5, 5))
    assert texts(rules, now, (5, 5)) == ["(no play)"]
    assert rules.played(now, turn, rules.plays(now, turn)[0])[1].todo == "end"
    goes_on = variant("gul_bara", on_failure="continue")
    turn = turn_of(goes_on, now, (5, 5))
    now, turn = goes_on.played(now, turn, goes_on.plays(now, turn)[0])
    assert turn.numbers == (6,) * 4
    assert str(goes_on.plays(now, turn)[0]).startswith("17/11")


def test_gul_bara_can_pass_the_rest_to_the_opponent():
    rules = variant("gul_bara", unplayed="opponent")
    now = state_of("17:1 1:1 turns:3", "24:5 turns:3")
    turn = turn_of(rules, now, (5, 5))
    now, turn = rules.played(now, turn, rules.plays(now, turn)[0])
    assert turn.passed == ((5,) * 4, (6,) * 4)
    now, turn = rules.end_turn(now, turn)
    assert [item.kind for item in turn.items] == ["play", "play", "roll"]
    now, turn = rules.played(now, turn, rules.plays(now, turn)[0])
    assert turn.numbers == (6,) * 4
    now, turn = rules.played(now, turn, rules.plays(now, turn)[0])
    assert turn.todo == "roll"
    assert rules.rolled(now, turn, (2, 1)).numbers == (2, 1)


def test_turns_are_counted_where_the_rules_ask_for_it():
    for name, expected in (("gul_bara", [1, 2, 3, 3]), ("standard", [0] * 4)):
        rules = variant(name)
        state = rules.initial()
        found = []
        for _ in range(8):
            state, _ = rules.end_turn(state, Turn(()))
            found.append(state.opponent.turns)
        assert found[::2] == expected


def test_fevga_the_first_checker_goes_first():
    rules = variant("fevga")
    state = "24:14 13:1 / 24:15"
    # 12 is the opponent's stack: 13/12 is closed, and nobody else may leave 24
    assert texts(rules, state, (1, 1)) == ["(no play)"]
    assert texts(rules, state, (2, 1)) == ["13/11 11/10", "13/11 24/23"]
    assert texts(rules, rules.initial(), (2, 1)) == ["24/22 22/21"]


def test_fevga_never_holds_the_whole_starting_quarter():
    state = "24:3 23:2 22:2 21:2 20:2 18:1 10:3 / 24:15"
    loose = variant("fevga", quarter_limits=(6, 6, 5, 6))
    assert can(loose, state, (5, 4), "24/19 18/14")
    assert not can(variant("fevga"), state, (5, 4), "24/19 18/14")
    # on the way it is allowed
    assert can(variant("fevga"), state, (5, 4), "24/19 19/15")


def test_fevga_no_prime_before_a_stack():
    # The opponent has everything on his 24, my 12; 11 to 6 would be a wall right before it.
    rules = variant("fevga")
    open_ = "11:3 10:2 9:2 8:2 7:3 5:3 / 24:15"
    assert can(variant("fevga", prime_stack=False), open_, (2, 1), "11/9 7/6")
    assert not can(rules, open_, (2, 1), "11/9 7/6")
    assert can(rules, open_.replace("24:15", "24:14 13:1"), (2, 1), "11/9 7/6")
    # A wall that stands must be opened ...
    standing = State.parse("11:1 10:2 9:2 8:2 7:2 6:1 5:5 / 24:15")
    plays = rules.plays(standing, turn_of(rules, standing, (2, 1)))
    assert len(plays) > 1
    assert all(min(play.state.own.points[5:11]) == 0 for play in plays)
    # ... if that is possible
    stuck = State.parse("20:3 6:2 5:2 4:2 3:2 2:2 1:2 / 19:15")  # his 19 is my 7
    plays = rules.plays(stuck, turn_of(rules, stuck, (6, 5)))
    assert all(min(play.state.own.points[:6]) > 0 for play in plays)
    assert {len(play.steps) for play in plays} == {2}
    assert {str(step) for step in rules.steps(stuck, turn_of(rules, stuck, (6, 5)))} == {
        "20/14",
        "20/15",
        "6/1",
    }


def test_moultezim_holds_at_most_four_points_of_the_other_start():
    rules = variant("moultezim")
    state = "13:1 11:2 10:2 9:2 8:1 6:7 / 19:15"
    assert can(variant("moultezim", quarter_limits=(6, 6, 6, 5)), state, (2, 1), "13/12 6/4")
    assert not can(rules, state, (2, 1), "13/12 6/4")
    assert can(rules, state, (2, 1), "13/12 8/6")


def test_russian_complement_waits_until_all_have_entered():
    rules = variant("russian")
    state = rules.initial()
    turn = turn_of(rules, state, (2, 2))
    state, turn = rules.played(state, turn, rules.plays(state, turn)[0])
    assert turn.todo == "roll"
    given = variant("russian", complement_entered=False)
    state = given.initial()
    turn = turn_of(given, state, (2, 2))
    state, turn = given.played(state, turn, given.plays(state, turn)[0])
    assert turn.numbers == (5,) * 4


def test_russian_two_enter_before_others_move():
    rules = variant("russian")
    assert all(t.count("hand/") == 2 for t in texts(rules, rules.initial(), (2, 1)))
    assert "23/21 21/20" in texts(rules, "23:1 22:1 hand:13 / 24:15", (2, 1))
    strict = variant("russian", enter_first=True)
    assert texts(strict, "23:1 22:1 hand:13 / 19:15", (2, 1)) == ["hand/23 hand/24"]


def test_both_may_hit_on_the_same_road():
    rules = variant("russian")
    assert "10/8* 8/7" in texts(rules, state_of("10:1", "8:1 3:2"), (2, 1))


def test_tabula_three_dice_without_a_bonus():
    rules = variant("tabula")
    assert can(rules, "hand:3 15:12 / 10:15", (2, 2, 2), "hand/23(3)")
    assert {t.count("/") for t in texts(rules, "hand:3 15:12 / 10:15", (2, 2, 2))} == {3}
    with pytest.raises(DiceError, match="3 dice"):
        rules.rolled(rules.initial(), rules.begin(), (1, 2))


def test_tabula_nothing_goes_beyond_the_first_half_while_some_are_in_hand():
    rules = variant("tabula")
    some = "hand:3 14:12 / 24:15"
    assert not can(rules, some, (3, 2, 1), "hand/22 14/12 14/13")
    assert can(variant("tabula", half_gate=False), some, (3, 2, 1), "hand/22 14/12 14/13")
    assert can(rules, some, (3, 2, 1), "hand/22 hand/23 14/13")
    # the last one in opens the gate
    assert can(rules, "hand:1 14:14 / 24:15", (3, 2, 1), "hand/22 14/12 14/13")


def test_tabula_bears_off_from_the_last_half_by_exact_numbers():
    state = state_of("12:1 3:2", "24:5")
    rules = variant("tabula")
    assert any("3/off" in text for text in texts(rules, state, (6, 5, 3)))
    quarter = variant("tabula", bear_off_zone=6)
    assert not any(
        "3/off" in text for text in texts(quarter, state, (6, 5, 3)) if "12/" not in text
    )
    low = state_of("2:2", "24:5")
    assert texts(rules, low, (6, 5, 3)) == ["(no play)"]
    assert texts(variant("tabula", bear_off="larger"), low, (6, 5, 3)) == ["2/off 2/off"]


def test_verquere_makes_no_point_far_from_home():
    rules = variant("verquere")
    for roll in ROLLS:
        for play in rules.plays(rules.initial(), turn_of(rules, rules.initial(), roll)):
            assert max(play.state.own.points[12:23]) <= 1
    state = "24:12 20:1 19:1 13:1 / 24:15"
    assert not can(rules, state, (1, 1), "24/23 20/19 13/11")
    # nearer home it may
    assert can(rules, "24:12 13:1 11:2 / 24:15", (2, 1), "13/11 24/23")


def test_verquere_john():
    open_ = variant("verquere")
    seven = variant("verquere", john="seven")
    # the opponent has seven on the bar and six points to enter
    full = state_of("24:5", "bar:7 1:3")
    assert open_.result(full) == seven.result(full) == 2
    six = state_of("24:5", "bar:6 1:3")
    assert open_.result(six) is None
    # one of his entering points, his 24 which is my 12, is closed
    one_closed = state_of("24:5 12:2", "bar:6 1:3")
    assert open_.result(one_closed) == 2
    assert seven.result(one_closed) is None


def test_options_that_several_games_share():
    gul_bara = variant("gul_bara")
    assert can(gul_bara, gul_bara.initial(), (2, 1), "24/22 24/23")
    one = variant("gul_bara", head_limit=1)
    assert not can(one, one.initial(), (2, 1), "24/22 24/23")
    # ... in the whole turn, over all its parts
    late = State.parse("24:15 turns:3 / 24:15")
    turn = turn_of(one, late, (5, 5))
    after, turn = one.played(late, turn, one.plays(late, turn).find("24/4"))
    assert turn.numbers == (6,) * 4
    assert turn.heads == 1
    assert [str(play) for play in one.plays(after, turn)] == ["(no play)"]
    early = variant("gul_bara", plain_turns=0)
    assert len(turn_of(early, early.initial(), (5, 5)).items) == 2
    never = variant("gul_bara", doubles="four", plain_turns=0)
    assert [item.numbers for item in turn_of(never, late, (5, 5)).items] == [(5,) * 4]

    fevga = variant("fevga", head_limit=1)
    state = "24:12 10:3 / 24:15"
    assert can(variant("fevga"), state, (2, 1), "24/22 24/23")
    assert not can(fevga, state, (2, 1), "24/22 24/23")


def test_in_the_first_turn_some_doublets_take_two_checkers_from_the_head():
    # 24/12 is closed: the opponent's checkers stand there
    for exception, threes, fours in (
        ("none", {"24:14 15:1"}, {"24:14 16:1"}),
        ("fixed46", {"24:14 15:1"}, {"24:13 16:2"}),
        ("fixed", {"24:13 21:1 15:1", "24:13 18:2"}, {"24:13 16:2"}),
    ):
        rules = variant("nardy_long", head_exception=exception)
        for roll, reached in (((3, 3), threes), ((4, 4), fours)):
            plays = rules.plays(rules.initial(), turn_of(rules, rules.initial(), roll))
            assert {str(play.state.own) for play in plays} == reached


def test_gates_and_entering_are_options_of_acey_deucey_too():
    hit = state_of("24:1 13:5", "5:1 12:3")
    assert can(variant("acey_deucey"), hit, (4, 3), "24/20* 13/10")
    for gate in ("was_home", "now"):
        assert not can(variant("acey_deucey", hit_gate=gate), hit, (4, 3), "24/20* 13/10")
    some_in_hand = state_of("24:1 hand:1", "24:1")
    assert can(variant("acey_deucey"), some_in_hand, (4, 3), "24/20 20/17")
    assert not can(variant("acey_deucey", enter_first=True), some_in_hand, (4, 3), "24/20 20/17")


def test_a_cube_is_an_option_of_some_games():
    for name, state in (("dutch", "hand:15 / hand:15"), ("nackgammon", "24:15 / 24:15")):
        for cube in (False, True):
            at = VariantGameState.at(variant(name, cube=cube), state)
            assert (Double() in legal_variant_actions(at)) == cube


def test_house_rules_on_other_games():
    full = state_of("24:2 20:5 6:8", "24:15")
    assert can(variant("portes"), full, (4, 1), "24/20 6/5")
    assert not can(variant("portes", own_limit=5), full, (4, 1), "24/20 6/5")
    # 24/18 and 24/19 can be played, but not both
    either = state_of("24:1", "12:2")
    assert texts(variant("standard"), either, (6, 5)) == ["24/18"]
    assert texts(variant("standard", any_number=True), either, (6, 5)) == ["24/18", "24/19"]
    last = state_of("3:1", "23:1")
    assert texts(variant("standard"), last, (3, 1)) == ["3/2* 2/off"]
    assert texts(variant("standard", finish_early=True), last, (3, 1)) == ["3/2* 2/off", "3/off"]
    # a blot on the mover's 5 may be hit and left behind, except in Tavla
    blot = state_of("8:1", "20:1 18:2")
    assert texts(variant("portes"), blot, (3, 1)) == ["8/5* 5/4"]
    assert texts(variant("tavla"), blot, (3, 1)) == ["8/5*"]
    assert texts(variant("tavla", no_hit_and_run=False), blot, (3, 1)) == ["8/5* 5/4"]


def test_verquere_in_other_readings():
    contrary = variant("verquere", mapping="contrary")
    assert contrary.across(24) == 1
    start = contrary.initial()
    assert turn_of(contrary, start, (2, 2)).numbers == (2,) * 4
    plain = variant("verquere", doubles="plain")
    assert turn_of(plain, plain.initial(), (2, 2)).numbers == (2, 2)
    home = state_of("3:2", "24:5")
    assert texts(variant("verquere"), home, (6, 5)) == ["3/off 3/off"]
    assert texts(variant("verquere", bear_off="exact"), home, (6, 5)) == ["(no play)"]
    won = State.parse("off:15 / 24:15")
    assert variant("verquere").result(won) == 1
    assert variant("verquere", payoff="gammon").result(won) == 2


# ---- what a game is worth ----


def test_scores_of_standard_games():
    rules = variant("standard")
    won = "off:15"
    for loser, points in (
        ("6:14 off:1", 1),
        ("bar:1 6:13 off:1", 1),  # one is off: single, whatever is on the bar
        ("6:15", 2),
        ("18:1 6:14", 2),
        ("19:1 6:14", 3),  # in the winner's home
        ("bar:1 6:14", 3),
    ):
        assert rules.result(State.parse(f"{won} / {loser}")) == points
    assert variant("standard", payoff="gammon").result(State.parse(f"{won} / 24:15")) == 2
    assert variant("standard", payoff="single").result(State.parse(f"{won} / 24:15")) == 1
    assert rules.result(rules.initial()) is None


def test_scores_of_acey_deucey():
    end = State.parse("off:15 / bar:1 hand:2 6:7 off:5")
    for payoff, points in (("men_left", 10), ("men_on_board", 8), ("pips", 117), ("single", 1)):
        assert variant("acey_deucey", payoff=payoff).result(end) == points
    # nothing on the board still is a win
    none = State.parse("off:15 / hand:15")
    assert variant("acey_deucey", payoff="men_on_board").result(none) == 1


def test_a_hand_counts_as_the_bar_where_three_are_paid():
    end = State.parse("off:15 / hand:1 6:14")
    assert variant("dutch").result(end) == 2
    assert variant("dutch", payoff="triple").result(end) == 3


def test_scores_of_nardy():
    home = State.parse("off:15 / 6:1 8:14")
    away = State.parse("off:15 / 7:15")
    assert [variant("nardy_long").result(end) for end in (home, away)] == [2, 2]
    assert [variant("nardy_long", koks=True).result(end) for end in (home, away)] == [2, 3]


def test_gammons_count_nothing_as_a_house_rule():
    whole, begun = State.parse("off:15 / 24:15"), State.parse("off:15 / 24:14 off:1")
    hands = State.parse("off:15 / hand:15")
    for name, end in (
        *((name, whole) for name in ("plakoto", "tapa", "fevga", "moultezim", "nardy_long")),
        *((name, whole) for name in ("portes", "tavla", "gul_bara", "nackgammon")),
        *((name, hands) for name in ("dutch", "russian")),
    ):
        single = variant(name, payoff="single")
        assert variant(name).result(end) == (3 if name == "nackgammon" else 2)
        assert (single.result(end), single.result(begun)) == (1, 1)
        assert (variant(name).most_lost(single.initial()), single.most_lost(single.initial())) == (
            3 if name == "nackgammon" else 2,
            1,
        )
    # and so does a pinned mother
    gone = State.parse("10:14 1:1 / 24:pin 12:14")
    for mother in ("wait", "immediate"):
        rules = variant("plakoto", mother=mother, payoff="single")
        assert (rules.result(gone), rules.result(gone.swapped())) == (1, -1)
    with pytest.raises(VariantError, match="payoff of fevga is one of gammon, single"):
        variant("fevga", payoff="triple")
    with pytest.raises(VariantError, match="koks needs"):
        variant("nardy_long", payoff="single", koks=True)


def test_nardy_can_give_the_second_player_a_last_turn():
    rules = variant("nardy_long", equalise=True)
    assert rules.initial().own.began
    finished = State.parse("off:15 began / 1:1 off:14")
    assert rules.result(finished) is None
    other, turn = rules.end_turn(finished, Turn(()))
    turn = rules.rolled(other, turn, (2, 1))
    for play in rules.plays(other, turn):
        assert rules.result(play.state) == 0
    lost = State.parse("7:1 off:14 / off:15 began")
    assert rules.result(lost) == -1
    # the second player finishes first: that is the end
    assert rules.result(State.parse("off:15 / 1:1 off:14 began")) == 1


# ---- names and options ----


@pytest.mark.parametrize("name", ["nard", "nardi", "Narde", "long backgammon", "triktrak",
                                  "tric-trac", "verkeer", "tables", "tavli"])  # fmt: skip
def test_names_that_mean_several_games_list_them(name):
    with pytest.raises(AmbiguousVariantError) as error:
        variant(name)
    first, *lines = str(error.value).splitlines()
    assert repr(name) in first
    assert lines
    assert all(line.startswith("  ") and ": " in line for line in lines)
    # each candidate is the name of a game
    if name != "tavli":
        assert {line.partition(":")[0].strip() for line in lines} <= set(VARIANTS)


def test_triktrak_can_be_verquere_or_trictrac():
    for name in ("triktrak", "verkeer", "tric-trac"):
        with pytest.raises(AmbiguousVariantError, match="trictrac: French Trictrac") as error:
            variant(name)
        assert "verquere: after Cotton" in str(error.value)


@pytest.mark.parametrize(
    ("name", "meaning"),
    [
        ("Backgammon", "standard"),
        ("shesh-besh", "portes"),
        ("takhte nard", "portes"),
        ("mahbusa", "tapa"),
        ("Long Nardy", "nardy_long"),
        ("GUL-BARA", "gul_bara"),
        ("acey-deucey", "acey_deucey"),
        ("French Trictrac", "trictrac"),
    ],
)
def test_other_names(name, meaning):
    assert variant(name) == VARIANTS[meaning]


def test_names_and_options_that_do_not_exist_are_refused():
    for name in ("chess", "gioul", "swedish tables", "toc", "tick-tack", ""):
        with pytest.raises(VariantError):
            variant(name)
    with pytest.raises(VariantError, match="plakoto has no option 'head_limit'"):
        variant("plakoto", head_limit=1)
    with pytest.raises(VariantError, match="no option 'any_number'"):
        variant("tabula", any_number=True)
    with pytest.raises(VariantError, match="the payoff of dutch"):
        variant("dutch", payoff="pips")
    with pytest.raises(VariantError, match="hit_gate is 'later'"):
        variant("dutch", hit_gate="later")
    with pytest.raises(VariantError, match="head_exception needs head_limit"):
        variant("nardy_long", head_limit=None)
    with pytest.raises(VariantError, match="unplayed='opponent' needs"):
        variant("gul_bara", unplayed="opponent", on_failure="continue")
    with pytest.raises(VariantError, match="cube is True or False"):
        variant("dutch", cube=1)
    with pytest.raises(VariantError):
        variant(3)


def test_layouts():
    assert variant("hypergammon", n_checkers=2).start == ((24, 1), (23, 1))
    with pytest.raises(VariantError, match="from 1 to 3"):
        variant("hypergammon", n_checkers=4)
    five = variant("hypergammon", start=((24, 1), (23, 1), (22, 1), (21, 1), (20, 1)))
    assert five.n_checkers == 5
    own = variant("standard", start=((24, 2), (6, 3)))
    assert own.initial().to_board().to_list().count(3) == 1
    for start in (((25, 1),), ((6, 1), (6, 2)), ((6, 16),), 5, ((13, 2), (12, 2))):
        with pytest.raises(VariantError):
            variant("standard", start=start)


def test_every_game_is_described_in_two_lines():
    assert set(DESCRIPTIONS) == set(VARIANTS)
    for text in DESCRIPTIONS.values():
        assert len(text.splitlines()) == 2
        assert max(map(len, text.splitlines())) <= 80


def test_tavli_is_made_of_three_games():
    assert TAVLI_ORDER == ("portes", "plakoto", "fevga")
    assert set(TAVLI_ORDER) <= set(VARIANTS)


# ---- all games ----


def before_play(rules, state, turn, rng):
    """Do at random what comes next, unless it is a play or the end of the turn."""
    if turn.todo == "roll":
        return state, rules.rolled(state, turn, [rng.randint(1, 6) for _ in range(rules.dice)])
    if turn.todo == "mark":
        return rules.marked(state, turn)
    if turn.todo == "leave":
        return rng.choice([rules.left(state, turn), (state, rules.stayed(turn))])
    return state, rules.chosen(turn, rng.randint(1, 6))


def random_game(rules, rng, seen=None, most=5000):
    """Play at random to the end; call seen(state, play) on the way. Returns the points."""
    state, turn = rules.initial(), rules.begin()
    for _ in range(most):
        if turn.todo == "end":
            state, turn = rules.end_turn(state, turn)
            continue
        if turn.todo == "play":
            play = rng.choice(rules.plays(state, turn))
            if seen:
                seen(state, play)
            state, turn = rules.played(state, turn, play)
        else:
            state, turn = before_play(rules, state, turn, rng)
        points = rules.result(state)
        if points is not None:
            return points
    raise AssertionError(f"{rules.name} does not end: {state}")


OPTIONS = [
    ("standard", {"own_limit": 6, "any_number": True, "finish_early": True}),
    ("standard", {"extra_turn": "doubles", "no_hit_and_run": True}),
    ("dutch", {"enter_first": False, "hit_gate": "now", "payoff": "triple"}),
    ("acey_deucey", {"enter_first": True, "hit_gate": "was_home", "strict_forfeit": True}),
    ("plakoto", {"mother": "immediate", "own_limit": 5}),
    ("fevga", {"head_limit": 1, "head_exception": "fixed46", "prime_stack": False}),
    ("nardy_long", {"head_exception": "blocked", "equalise": True, "prime_each_step": True}),
    ("nardy_long", {"prime": "forbidden"}),
    ("gul_bara", {"unplayed": "opponent", "head_limit": 1}),
    ("gul_bara", {"on_failure": "continue"}),
    ("russian", {"complement_entered": False}),
    ("tabula", {"bear_off": "larger", "bear_off_zone": 6, "half_gate": False}),
    ("verquere", {"mapping": "contrary", "john": "seven", "doubles": "plain"}),
    ("trictrac", {"holes": 5, "leaving": "never", "any_number": True, "payoff": "single"}),
]


@pytest.mark.parametrize(
    ("name", "options"), [(name, {}) for name in NAMES] + OPTIONS, ids=lambda value: str(value)
)
def test_random_games_end_and_keep_what_must_not_change(name, options):
    rules = variant(name, **options)
    right = set(range(4)) if rules.payoff != "men_left" else set(range(16))

    def check(state, play):
        rules.check(play.state)
        assert State.parse(str(play.state)) == play.state
        # pips fall by the numbers used, or less where a larger number bears off
        used = sum(step.number for step in play.steps)
        lost = state.own.pips - play.state.own.pips
        overshoot = sum(max(step.number - step.start, 0) for step in play.steps if step.end == 0)
        # a corner taken by puissance in trictrac is one step nearer
        back = sum(step.end > 0 and step.start == step.end + step.number - 1 for step in play.steps)
        assert back in ((0, 2) if name == "trictrac" else (0,))
        assert lost == used - overshoot - back
        hits = [step for step in play.steps if step.effect == "hit"]
        assert play.state.opponent.bar == state.opponent.bar + len(hits)
        gained = sum(25 - rules.across(step.end) for step in hits)
        assert play.state.opponent.pips == state.opponent.pips + gained

    rng = random.Random(f"{name} {options}")
    for _ in range(6):
        points = random_game(rules, rng, check)
        assert abs(points) in right


@pytest.mark.parametrize("name", NAMES)
def test_both_sides_number_points_alike(name):
    rules = VARIANTS[name]
    assert all(rules.across(rules.across(point)) == point for point in range(1, 25))
    assert sorted(rules.across(point) for point in range(1, 25)) == list(range(1, 25))


@pytest.mark.parametrize("name", NAMES)
def test_plays_are_printed_read_and_found_again(name):
    rules = VARIANTS[name]
    rng = random.Random(name)
    state, turn = rules.initial(), rules.begin()
    for _ in range(60):
        if turn.todo == "end":
            state, turn = rules.end_turn(state, turn)
        elif turn.todo == "play":
            plays = rules.plays(state, turn)
            for play in plays[:8]:
                assert plays.find(str(play)) == play
                words = str(play).replace("bar", "25").replace("hand", "26").split()
                if play.steps:
                    shuffled = rng.sample(words, len(words))
                    assert plays.find(" ".join(shuffled).replace("off", "0")) == play
            state, turn = rules.played(state, turn, rng.choice(plays))
        else:
            state, turn = before_play(rules, state, turn, rng)
        if rules.result(state) is not None:
            break


def test_texts_of_plays_that_are_wrong():
    rules = variant("standard")
    state = rules.initial()
    plays = rules.plays(state, turn_of(rules, state, (3, 1)))
    assert str(plays.find("8/5 6/5")) == "8/5 6/5"
    assert plays.find("24/23/20") == plays.find("24/20")
    for text in ("", "8-5", "8/x", "8/5(9)", "99/5"):
        with pytest.raises(InvalidPlayError):
            plays.find(text)
    with pytest.raises(IllegalPlayError, match="legal are"):
        plays.find("8/5 8/7 6/5")
    # a hit on the way or not
    hit = state_of("10:1 6:1", "17:1 24:1")  # a blot on the mover's 8
    hits = rules.plays(hit, turn_of(rules, hit, (2, 1)))
    with pytest.raises(AmbiguousPlayError):
        hits.find("10/7")
    assert hits.find("10/8*/7").state.opponent.bar == 1
    assert hits.find("10/9/7").state.opponent.bar == 0
    doublet = rules.plays(state, turn_of(rules, state, (1, 1)))
    assert str(doublet.find("8/7(2) 6/5(2)")) == "8/7 8/7 6/5 6/5"


def test_plays_are_a_sequence_that_is_never_empty():
    rules = variant("standard")
    closed = state_of("bar:1", "1:2 2:2 3:2 4:2 5:2 6:2")
    plays = rules.plays(closed, turn_of(rules, closed, (3, 1)))
    assert len(plays) == 1
    assert plays[0] == plays[-1] == VariantPlay((), closed)
    assert plays.states.shape == (1, 64)
    assert str(plays[0]) == "(no play)"
    assert plays.find("(no play)") == plays[0]
    with pytest.raises(IndexError):
        plays[1]
    opening = rules.plays(rules.initial(), turn_of(rules, rules.initial(), (3, 1)))
    assert len(opening) == len(opening[:]) == len(opening.states) == 16


def test_a_turn_goes_on_only_with_what_is_next():
    rules = variant("acey_deucey")
    state, turn = rules.initial(), rules.begin()
    for call in (
        lambda: rules.plays(state, turn),
        lambda: rules.chosen(turn, 1),
        lambda: rules.end_turn(state, turn),
        lambda: rules.rolled(state, rules.rolled(state, turn, (1, 2)), (1, 2)),
    ):
        with pytest.raises(VariantError, match="must go on with"):
            call()
    for dice in ((1,), (1, 7), (1, 2, 3), (True, 2)):
        with pytest.raises(DiceError):
            rules.rolled(state, turn, dice)
    with pytest.raises(DiceError):
        rules.chosen(Turn((TurnItem("choose"),)), 7)


# ---- states ----


def test_states_are_values():
    text = "24:pin 13:5 bar:1 hand:2 off:3 turns:2 home began / 24:13 1:2"
    state = State.parse(text)
    assert str(state) == text
    assert state == State.of(state.own, state.opponent)
    assert hash(state) == hash(State.parse(text))
    assert state.swapped().swapped() == state
    assert state.swapped().own == state.opponent
    assert pickle.loads(pickle.dumps(state)) == state
    assert len({state, state.swapped(), State.parse(text)}) == 2
    with pytest.raises(AttributeError):
        state.cells = b""
    assert state.own.pinned == (24,)
    assert state.own.pips == 24 + 5 * 13 + 25 * 3


def test_pins_hands_and_flags_are_part_of_a_state():
    base = "24:1 13:5 / 1:1 20:3"
    for other in ("24:pin 13:5 / 1:1 20:3", "24:1 13:5 hand:1 / 1:1 20:3",
                  "24:1 13:5 home / 1:1 20:3", "24:1 13:5 turns:1 / 1:1 20:3"):  # fmt: skip
        assert State.parse(base) != State.parse(other)


def test_texts_and_bytes_that_are_no_state():
    for text in ("24:15", "25:1 / 24:15", "24:x / 24:15", "24:1 24:1 / 24:15", "bar / 24:15",
                 "24:100 / 24:15", "24:15 turns:4 / 24:15", "home:1 / 24:15", "² / 24:15"):  # fmt: skip
        with pytest.raises(VariantError):
            State.parse(text)
    for cells in (b"", b"0" * 63, "0" * 64):
        with pytest.raises(VariantError):
            State(cells)
    with pytest.raises(VariantError):
        State.of(Side((0,) * 23), Side((0,) * 24))


def test_states_that_do_not_fit_the_rules_are_refused():
    for name, text in (
        ("standard", "24:14 / 24:15"),
        ("standard", "24:15 / 1:15"),
        ("standard", "24:14 hand:1 / 24:15"),
        ("nardy_long", "24:14 bar:1 / 24:15"),
        ("nardy_long", "24:14 12:1 / 24:15"),
        ("plakoto", "24:14 1:1 / 24:14 1:1"),
        ("plakoto", "24:14 2:pin / 24:15"),
        ("standard", "24:14 1:pin / 24:15"),
        ("standard", "off:15 / off:15"),
    ):
        with pytest.raises(VariantError):
            VARIANTS[name].check(State.parse(text))


def test_states_and_boards():
    board = Board.opening()
    state = State.from_board(board)
    assert state == VARIANTS["standard"].initial()
    assert state.to_board() == board
    assert state.swapped().to_board() == board.swapped()
    bar = [0] * 26
    bar[25], bar[24], bar[0], bar[1] = 2, 3, -1, -4
    uneven = Board(bar)
    assert State.from_board(uneven).to_board() == uneven
    for text in ("hand:15 / 24:15", "24:14 1:1 / 24:pin 6:14"):
        with pytest.raises(BoardError):
            State.parse(text).to_board()


def test_rules_are_values():
    rules = variant("nardy_long")
    assert rules.kernel is rules.kernel
    again = pickle.loads(pickle.dumps(rules))
    assert again == rules
    assert hash(again) == hash(rules)
    assert len(again.plays(again.initial(), turn_of(again, again.initial(), (3, 3)))) == 2
    assert variant("plakoto").is_standard_board is False
    assert variant("portes").is_standard_board
