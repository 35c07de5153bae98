"""Why a play is illegal: the right reason in given positions, and what was perhaps meant."""

import pytest
from games import board
from hypothesis import given
from hypothesis import strategies as st

from bgcore import Board, Play, Plays
from bgcore.errors import InvalidPlayError
from bgcore.play_mistakes import closest_plays, why_illegal_play

OPENING = Board.opening()
ON_THE_BAR = board({6: 5, 8: 3, 13: 5}, {6: 3, 5: 2, 8: 3, 13: 5, 24: 2}, own_bar=2)
CLOSED_OUT = board({6: 7, 8: 7}, {6: 3, 5: 3, 4: 3, 3: 2, 2: 2, 1: 2}, own_bar=1)
HOME = board({5: 4, 4: 4, 2: 4}, {1: 5, 2: 5, 3: 5})
ALMOST_HOME = board({13: 1, 8: 1, 5: 4, 4: 4}, {1: 5, 2: 5, 3: 5})

#: Board, dice, play, words that stand in the reason.
REASONS = [
    (OPENING, "31", "5/8 6/5", "5/8 does not go forward"),
    (OPENING, "31", "14/11 6/5", "you have no checker on your 14 point"),
    (OPENING, "31", "12/9 6/5", "the checkers on your 12 point are the opponent's"),
    (OPENING, "31", "bar/22 6/5", "you have no checker on the bar"),
    (OPENING, "66", "24/18(3) 13/7", "you have only 2 checkers on your 24 point"),
    (OPENING, "61", "13/12 8/2", "the opponent holds your 12 point with 5 checkers"),
    (OPENING, "31", "8/5 6/4", "6/4 is 2 pips; with 3-1 a checker moves 1, 3 or 4"),
    (OPENING, "22", "13/10 6/4(2)", "13/10 is 3 pips; with 2-2 a checker moves 2, 4, 6 or 8"),
    (OPENING, "31", "13/5", "13/5 is 8 pips"),
    (OPENING, "31", "8/5 8/5", "together these moves do not fit the dice 3-1"),
    (OPENING, "65", "24/13", ""),
    (OPENING, "61", "13/off", "9 checkers are outside, on 8, 13 and 24"),
    (OPENING, "31", "8/5", "both numbers must be played, and this is only the 3"),
    (OPENING, "22", "13/11(2)", "all four 2s must be played if they can: this is 2"),
    (OPENING, "31", "pass", "the roll must be played: there are 16 legal plays"),
    # on the way
    (OPENING, "55", "24/14", "the opponent holds your 19 point with 5 checkers"),
    (
        board({10: 14, 20: 1}, {17: 5, 18: 5, 1: 5}),
        "32",
        "10/5",
        "the opponent holds your 7 point with 5 checkers and the opponent holds your 8 point",
    ),
    # the bar
    (ON_THE_BAR, "31", "bar/22 6/5", "your 2 checkers on the bar must enter"),
    (ON_THE_BAR, "31", "13/10 6/5", "your 2 checkers on the bar must enter"),
    (ON_THE_BAR, "61", "bar/24 bar/19", "the opponent holds your 19 point with 3 checkers"),
    (ON_THE_BAR, "65", "13/8 13/7", "your 2 checkers on the bar must enter"),
    (ON_THE_BAR, "43", "bar/21 bar/23", "bar/23 is 2 pips"),
    (CLOSED_OUT, "65", "bar/24", "the opponent holds your 24 point with 2 checkers"),
    # bearing off
    (ALMOST_HOME, "63", "13/7 5/off", "2 checkers are outside, on 7 and 8"),
    (board({7: 1, 5: 4}, {1: 15}), "52", "5/off 5/3", "1 checker is outside, on 7"),
    (HOME, "63", "2/off 4/1", "a 6 bears a checker off from your 2 point only if none stands"),
    (HOME, "21", "5/off", "5/off is 5 pips; with 2-1 a checker moves 1, 2 or 3"),
    # the duty to play as much as possible
    (
        board({24: 1}, {12: 2, 2: 13}),
        "65",
        "24/19",
        "only one of the two numbers can be played, and then it must be the larger one, the 6",
    ),
    # the last checker on 3, a blot on 2: the hit comes first, and this text can mean it
    (board({3: 1}, {23: 1, 1: 14}), "31", "3/off", ""),
    (
        board({24: 1, 3: 1}, {7: 2, 3: 13}),
        "51",
        "24/23",
        "which leaves no 5",
    ),
    (
        board({24: 2}, {7: 2, 3: 13}),
        "33",
        "24/21",
        "2 of the four 3s can be played, so 2 must be: this is 1",
    ),
]


@pytest.mark.parametrize(("position", "dice", "play", "words"), REASONS)
def test_the_reason_is_the_right_one(position, dice, play, words):
    reason = why_illegal_play(position.legal_plays(dice), play)
    assert words in reason
    assert bool(reason) == bool(words)


def test_reason_where_nothing_can_be_played():
    plays = CLOSED_OUT.legal_plays("65")
    assert why_illegal_play(plays, "8/2 8/3").startswith("your checker on the bar must enter")
    assert why_illegal_play(plays, "bar/19").startswith("the opponent holds your 19 point")
    assert why_illegal_play(plays, "pass") == ""
    stuck = board({20: 1}, {10: 2, 11: 13}).legal_plays("65")
    assert stuck.is_dance
    assert why_illegal_play(stuck, "20/19") == "no checker can move with 6-5"


def test_house_rule_is_named():
    plays = Plays(OPENING, "21", own_limit=5)
    assert (
        why_illegal_play(plays, "8/6 24/23") == "by the house rule a point holds at most 5 checkers"
    )
    assert why_illegal_play(OPENING.legal_plays("21"), "8/6 24/23") == ""


def test_a_play_with_wrong_hits_is_told():
    plays = OPENING.legal_plays("31")
    assert "hits" in why_illegal_play(plays, Play([(8, 5, True), (6, 5)]))
    assert why_illegal_play(plays, Play([(8, 5), (6, 5)])) == ""


def test_text_that_cannot_be_read_is_an_error():
    for explain in (why_illegal_play, closest_plays):
        with pytest.raises(InvalidPlayError, match="cannot read 'hello'"):
            explain(OPENING.legal_plays("31"), "hello")


@pytest.mark.parametrize(
    ("dice", "typed", "meant"),
    [
        ("31", "8/5 6/4", "8/5 6/5"),
        ("42", "8/4 6/5", "8/4 6/4"),
        ("61", "13/7 8/6", "13/7 8/7"),
        ("31", "8/5", "8/5 6/5"),
    ],
)
def test_closest_plays_hold_what_was_meant(dice, typed, meant):
    assert meant in [str(play) for play in closest_plays(OPENING.legal_plays(dice), typed)]


def test_nothing_is_close_to_nonsense():
    assert closest_plays(OPENING.legal_plays("31"), "24/1 24/1 13/1 13/1") == []
    assert closest_plays(OPENING.legal_plays("31"), "pass") == []
    assert closest_plays(CLOSED_OUT.legal_plays("65"), "8/2 8/3") == []


@given(
    st.sampled_from([OPENING, ON_THE_BAR, CLOSED_OUT, HOME, ALMOST_HOME]),
    st.tuples(st.integers(1, 6), st.integers(1, 6)),
    st.lists(st.tuples(st.integers(1, 25), st.integers(0, 24)), min_size=1, max_size=4),
)
def test_there_is_a_reason_exactly_where_a_play_is_illegal(position, dice, moves):
    plays = position.legal_plays(dice)
    names = {25: "bar", 0: "off"}
    text = " ".join(f"{names.get(a, a)}/{names.get(b, b)}" for a, b in moves)
    assert (why_illegal_play(plays, text) == "") == (text in plays)
    assert all(play in plays for play in closest_plays(plays, text))
