"""Janowski's model and match cubes: published numbers."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bgcore import MatchEquityTable
from bgcore.cube_model import (
    CubeContext,
    cube_equity,
    cube_points,
    emg,
    gammon_values,
    mwc_of_emg,
)
from bgcore.errors import BgcoreError, MatchEquityError

MONEY = CubeContext()


def flat(win):
    """No gammons."""
    return [win, 0, 0, 0, 0]


def points(probabilities, life, **context):
    return cube_points(probabilities, CubeContext(**context), life)


# -- money --


def test_without_gammons():
    assert points(flat(0.5), 0).take == 0.25
    assert points(flat(0.5), 1).take == 0.2
    found = points(flat(0.5), 0.68)
    assert found.take == pytest.approx(0.21368, abs=5e-6)
    assert found.cash == pytest.approx(0.78632, abs=5e-6)
    assert found.too_good == pytest.approx(0.85470, abs=5e-6)
    assert found.double == pytest.approx(0.68273, abs=1e-5)
    assert points(flat(0.5), 0.7).take == pytest.approx(0.21277, abs=5e-6)


def test_every_win_a_gammon():
    gammons = [0.5, 0.5, 0, 0, 0]  # W = 2, L = 1
    assert points(gammons, 0).take == pytest.approx(1 / 6)
    assert points(gammons, 1).take == pytest.approx(1 / 7)


def test_janowskis_sample():
    sample = [0.47, 0.47 * 0.292, 0.0, 0.53 * 0.114, 0.0]  # W = 1.292, L = 1.114
    assert points(sample, 0).take == pytest.approx(0.255, abs=1e-3)


def test_the_sample_of_gnu_backgammons_manual():
    sample = [0.454, 0.103, 0.001, 0.106, 0.003]
    found = points(sample, 1)
    assert found.take == pytest.approx(0.238, abs=1e-3)
    assert found.cash == pytest.approx(0.751, abs=1e-3)
    assert cube_equity(sample, MONEY, 0)[0] == pytest.approx(-0.097, abs=1e-9)
    assert cube_equity(sample, MONEY, 1)[0] == pytest.approx(-0.157, abs=4e-3)
    assert cube_equity(sample, MONEY, 0.68)[0] == pytest.approx(-0.138, abs=3e-3)


def test_a_low_wastage_race_as_xg_sees_it():
    held = {
        owner: cube_equity(flat(0.49694), CubeContext(owner=owner), 0.622)[0]
        for owner in ("own", "centred", "opponent")
    }
    assert held["own"] == pytest.approx(0.1484, abs=1e-4)
    assert held["centred"] == pytest.approx(-0.0087, abs=1e-4)
    assert 2 * held["opponent"] == pytest.approx(-0.3252, abs=1e-4)


#: Positions with published cubeful equities (cube life 0.68): the five probabilities, cubeless,
#: and with the cube owned, in the middle, and the opponent's (for the doubled cube); and how near
#: the model must come. XG looks at more than a cube life; GNU Backgammon's is this model.
PUBLISHED = {
    "2-1 slotted, XG": ((49.89, 14.18, 1.02, 13.57, 0.72), 0.0069, (0.181, 0.002, -0.344), 0.02),
    "2-1 slotted, GNU": (
        (49.90, 14.43, 0.97, 14.28, 0.75),
        0.0017,
        (0.1722, 0.0036, -0.3373),
        0.0025,
    ),
    "a strong attack, XG": (
        (67.94, 26.38, 3.05, 5.96, 0.28),
        0.5907,
        (0.8304, 0.8140, 0.9557),
        0.01,
    ),
}


@pytest.mark.parametrize(("five", "cubeless", "cubeful", "near"), PUBLISHED.values(), ids=PUBLISHED)
def test_published_equities_with_every_owner(five, cubeless, cubeful, near):
    chances = np.array(five) / 100
    assert cube_equity(chances, MONEY, 0)[0] == pytest.approx(cubeless, abs=6e-5)
    for owner, times, wanted in zip(
        ("own", "centred", "opponent"), (1, 1, 2), cubeful, strict=True
    ):
        found = times * cube_equity(chances, CubeContext(owner=owner), 0.68)[0]
        assert found == pytest.approx(wanted, abs=near)


def test_published_take_points_of_both_sides():
    mine = np.array([49.89, 14.18, 1.02, 13.57, 0.72]) / 100
    other = np.array([50.11, 13.57, 0.72, 14.18, 1.02]) / 100
    found = [points(five, life).take for five in (other, mine) for life in (0, 1)]
    assert found == pytest.approx([0.3107, 0.2604, 0.3032, 0.2541], abs=5e-5)


def test_the_published_points_of_dead_and_live_cubes():
    w, l = 1.3, 1.2
    five = [0.5, 0.15, 0.0, 0.1, 0.0]
    dead, live = points(five, 0), points(five, 1)
    assert dead.take == pytest.approx((l - 0.5) / (w + l))
    assert live.take == pytest.approx((l - 0.5) / (w + l + 0.5))
    assert dead.beaver == pytest.approx(l / (w + l))
    assert live.beaver == pytest.approx(l / (w + l + 0.5))
    assert dead.raccoon == pytest.approx(l / (w + l))
    assert live.raccoon == pytest.approx((l + 0.5) / (w + l + 0.5))
    assert dead.redouble == pytest.approx(l / (w + l))
    assert live.redouble == live.double == pytest.approx((l + 1) / (w + l + 0.5))
    assert dead.cash == pytest.approx((l + 0.5) / (w + l))
    assert live.cash == pytest.approx((l + 1) / (w + l + 0.5))
    assert dead.too_good == pytest.approx((l + 1) / (w + l))
    assert live.too_good == pytest.approx((l + 1) / (w + l + 0.5))
    assert dead.double == pytest.approx(l / (w + l))
    assert points(five, 0, jacoby=True).double == pytest.approx((l - 0.5) / (w + l - 1))
    beavers = points(five, 0, jacoby=True, beavers=1)
    assert beavers.double == pytest.approx((l - 0.25) / (w + l - 0.5))


def test_under_jacoby_gammons_count_only_after_the_double():
    five = [0.6, 0.3, 0.0, 0.05, 0.0]
    assert cube_equity(five, CubeContext(jacoby=True), 0)[0] == pytest.approx(0.2)
    assert cube_equity(five, CubeContext(jacoby=True, owner="own"), 0)[0] == pytest.approx(0.45)
    sure = [1.0, 0.9, 0.0, 0.0, 0.0]
    assert cube_equity(sure, CubeContext(jacoby=True), 1)[0] == pytest.approx(1)
    assert cube_equity(sure, MONEY, 1)[0] == pytest.approx(1.9)


def test_a_cube_at_its_limit_is_dead():
    at_limit = CubeContext(cube=64, owner="own", limit=64)
    assert cube_equity(flat(0.6), at_limit, 1)[0] == pytest.approx(0.2)


# -- matches, Kazaross-XG2 --


def match(mine, his, probabilities=None, life=0.0, **context):
    five = flat(0.5) if probabilities is None else probabilities
    return cube_points(five, CubeContext(needs=(mine, his), **context), life)


def test_take_points_without_gammons():
    assert match(5, 3).take == pytest.approx(0.28731, abs=5e-6)
    assert match(5, 3, life=1).take == pytest.approx(0.19135, abs=5e-6)
    assert match(5, 3, life=0.7).take == pytest.approx(0.22014, abs=5e-6)
    for life in (0, 1):
        assert match(3, 5, cube=2, life=life).take == pytest.approx(0.33401, abs=5e-6)
    assert match(4, 2, life=1).take == pytest.approx(0.18564, abs=5e-6)
    assert match(5, 3, cube=2, life=1).take == pytest.approx(0.15821, abs=5e-6)
    assert match(5, 3, cube=2, life=0).take == pytest.approx(0.21073, abs=5e-6)
    assert match(5, 3, cube=2, life=0).double == pytest.approx(0.38685, abs=5e-6)


def test_take_points_with_gammons_the_takers_do_not_count_with_a_live_cube():
    five = [0.2834, 0.0525, 0.0034, 0.2020, 0.0010]
    assert match(11, 13, five).take == pytest.approx(0.3216, abs=5e-5)
    assert match(11, 13, five, life=1).take == pytest.approx(0.2759, abs=5e-5)


def test_money_like_equity_of_a_take():
    # three rolls against three, the doubler needs 2: the taker needs 3 and wins 0.212 of matches
    assert emg([0.212], CubeContext(needs=(3, 2)))[0] == pytest.approx(-1.296, abs=2e-3)


def test_a_wrong_take_of_three_rolls_against_three_costs_what_is_published():
    # the taker wins 0.21219 of the games and turns the cube at once, for the match
    win = 0.21219
    kept = emg([win], CubeContext(needs=(3, 3), cube=2))[0]
    assert kept == pytest.approx(-1.148, abs=1e-3)
    # doubled to 8 at 3 away, 5 away
    assert emg([win], CubeContext(needs=(3, 5), cube=4))[0] == pytest.approx(-1.099, abs=1e-3)
    assert CubeContext(needs=(3, 2)).mwc_after(-1) == pytest.approx(0.24924)


def test_who_can_redouble_for_nothing_does_so():
    # the doubler needs 2, so his cube on 2 wins the match: the taker, who needs 4, turns it to 4
    # at once, and the game is for the match; a pass leaves 4 to go against 1 in the Crawford game
    live = match(4, 2, life=1)
    assert live.take == pytest.approx(1 - 0.81436, abs=1e-9)
    # a taker who would not turn it wins 2 points and half of the matches that are left
    assert match(4, 2, life=0).take == pytest.approx((1 - 0.81436) / 0.5, abs=1e-9)


@pytest.mark.peers
def test_the_cubes_of_gnu_backgammons_manual():
    # Woolsey's table, 7 to go against 4, and the manual's sample of 45.4 % wins
    file = Path("/usr/share/gnubg/met/woolsey.xml")
    if not file.exists():
        pytest.skip("GNU Backgammon's tables are not installed")
    table = MatchEquityTable.load(file)
    sample = [0.454, 0.103, 0.001, 0.106, 0.003]
    for cube, take, cash in ((1, 0.245, 0.273), (2, 0.15, 0.385), (4, 0.0, 0.41)):
        found = cube_points(sample, CubeContext(cube=cube, needs=(7, 4), met=table), 1)
        assert found.take == pytest.approx(take, abs=5e-4)
        assert 1 - found.cash == pytest.approx(cash, abs=5e-4)
    context = CubeContext(needs=(7, 4), met=table)
    chances = [cube_equity(sample, context, life)[0] for life in (0, 1, 0.68)]
    assert chances == pytest.approx([0.291, 0.292, 0.2917], abs=5e-4)


def test_gammon_values():
    # as `show gammonvalues` of GNU Backgammon 1.07 has them: 7 points, 3-2 and 0-1
    assert gammon_values(CubeContext(needs=(4, 5))) == pytest.approx(
        (0.64643, 1.31017, 0.48327, 1.14025), abs=2e-5
    )
    assert gammon_values(CubeContext(needs=(7, 6))) == pytest.approx(
        (0.525, 1.13032, 0.57651, 1.07382), abs=2e-5
    )
    # at double match point and in the Crawford game for the leader a win is all
    assert gammon_values(CubeContext(needs=(1, 1))) == (0, 0, 0, 0)
    assert gammon_values(CubeContext(needs=(1, 4), is_crawford=True))[:2] == (0, 0)
    # a gammon with the cube on 2 wins the match for who needs 4
    assert gammon_values(CubeContext(needs=(4, 2), cube=2, owner="own"))[2:] == (0, 0)


def test_gammon_values_for_money():
    assert gammon_values(MONEY) == (0.5, 1, 0.5, 1)
    assert gammon_values(CubeContext(jacoby=True)) == (0, 0, 0, 0)
    assert gammon_values(CubeContext(jacoby=True, cube=2, owner="opponent")) == (0.5, 1, 0.5, 1)
    assert gammon_values(CubeContext(most=2)) == (0.5, 0.5, 0.5, 0.5)


@pytest.mark.parametrize(
    "five",
    [
        [0.5, 0.1, 0, 0.1],
        [0.5] * 6,
        "x",
        None,
        [2, 0, 0, 0, 0],
        [-0.1, 0, 0, 0, 0],
        [float("nan")] * 5,
        [0.5, 0.6, 0, 0, 0],
        [0.5, 0.1, 0.2, 0, 0],
        [0.5, 0, 0, 0.6, 0],
        [0.5, 0, 0, 0.1, 0.2],
    ],
)
def test_what_is_no_probabilities_is_refused(five):
    with pytest.raises(MatchEquityError):
        cube_equity(five, MONEY, 0.68)
    with pytest.raises(MatchEquityError):
        cube_points(five, MONEY, 0.68)


@pytest.mark.parametrize("life", [-0.1, 1.1, float("nan"), "x", None])
def test_what_is_no_cube_life_is_refused(life):
    with pytest.raises(MatchEquityError, match="cube life"):
        cube_equity(flat(0.5), MONEY, life)
    with pytest.raises(MatchEquityError, match="cube life"):
        cube_points(flat(0.5), MONEY, life)


def test_a_score_where_a_rounded_table_has_nothing_at_stake_is_told():
    # as in Jacobs-Trice +50 at 2-away, 25-away: 0.999 after a win and after a loss
    rows = [[0.5, 0.999, 0.999, 0.999], [0.001, 0.5, 0.999, 0.999]]
    rows += [[0.001, 0.001, 0.5, 0.999], [0.001, 0.001, 0.001, 0.5]]
    context = CubeContext(needs=(2, 4), met=MatchEquityTable(rows, [0.5, 0.4, 0.3, 0.2]))
    for ask in (
        lambda: emg(0.5, context),
        lambda: mwc_of_emg(0, context),
        lambda: cube_points(flat(0.5), context, 0.5),
        lambda: gammon_values(context),
    ):
        with pytest.raises(MatchEquityError, match="nothing is at stake"):
            ask()
    # who plays such a match goes on all the same
    assert 0.999 <= cube_equity(flat(0.5), context, 0.68)[0] <= 1


def test_money_like_equity_and_back():
    context = CubeContext(needs=(4, 7), cube=2)
    assert emg(mwc_of_emg([-1, 0, 1], context), context).tolist() == pytest.approx([-1, 0, 1])
    assert mwc_of_emg(1, context) == context.mwc_after(2)
    assert mwc_of_emg(-1, context) == context.mwc_after(-2)
    for nothing in ("x", None, float("nan")):
        with pytest.raises(MatchEquityError, match="number"):
            emg(nothing, context)


@given(st.floats(0.01, 0.99), st.floats(0, 1), st.floats(0, 1))
def test_at_double_match_point_only_the_win_counts(win, gammons, losses):
    five = [win, win * gammons, 0, (1 - win) * losses, 0]
    context = CubeContext(needs=(1, 1), after_crawford=True)
    for life in (0, 0.68, 1):
        equity = emg(cube_equity(five, context, life), context)[0]
        assert equity == pytest.approx(2 * win - 1, abs=1e-9)


def test_no_cube_in_the_crawford_game():
    five = [0.6, 0.2, 0.01, 0.1, 0.0]
    context = CubeContext(needs=(1, 4), is_crawford=True)
    assert cube_equity(five, context, 0)[0] == cube_equity(five, context, 1)[0]
    assert not context.may_double
    # a gammon is worth nothing to the leader, and two points to the trailer
    assert context.mwc_after(2) == context.mwc_after(1) == 1
    assert context.mwc_after(-1) == 1 - 0.32264  # 3 to go after Crawford
    assert context.mwc_after(-2) == 1 - 0.48803


@given(
    st.integers(1, 15),
    st.integers(1, 15),
    st.sampled_from([1, 2, 4]),
    st.sampled_from(["centred", "own", "opponent"]),
    st.floats(0.02, 0.98),
    st.floats(0, 0.6),
    st.floats(0, 0.6),
    st.floats(0, 1),
)
def test_both_sides_see_the_same_match(mine, his, cube, owner, win, wg, lg, life):
    owner = "centred" if cube == 1 else owner
    five = [win, win * wg, win * wg / 9, (1 - win) * lg, (1 - win) * lg / 9]
    other = [1 - win, five[3], five[4], five[1], five[2]]
    context = CubeContext(
        cube=cube, owner=owner, needs=(mine, his), after_crawford=min(mine, his) == 1
    )
    here = cube_equity(five, context, life)[0]
    there = cube_equity(other, context.swapped(), life)[0]
    assert here + there == pytest.approx(1, abs=1e-9)
    assert 0 <= here <= 1


@given(
    st.sampled_from(["centred", "own", "opponent"]),
    st.booleans(),
    st.floats(0, 1),
    st.floats(0, 0.9),
    st.floats(0, 0.9),
    st.floats(0, 1),
)
def test_both_sides_see_the_same_money_game(owner, jacoby, win, wg, lg, life):
    five = [win, win * wg, win * wg / 9, (1 - win) * lg, (1 - win) * lg / 9]
    other = [1 - win, five[3], five[4], five[1], five[2]]
    context = CubeContext(owner=owner, jacoby=jacoby)
    here = cube_equity(five, context, life)[0]
    assert cube_equity(other, context.swapped(), life)[0] == pytest.approx(-here, abs=1e-9)


@given(st.floats(0, 1), st.floats(0, 1))
def test_owning_the_cube_is_worth_more_than_not(win, life):
    own, centred, opponent = (
        cube_equity(flat(win), CubeContext(owner=owner), life)[0]
        for owner in ("own", "centred", "opponent")
    )
    assert own >= centred - 1e-12
    assert centred >= opponent - 1e-12


def test_rising_chances_never_lower_the_equity():
    win = np.linspace(0, 1, 301)
    five = np.stack([win, 0.3 * win, 0 * win, 0.2 * (1 - win), 0 * win], axis=1)
    for context in (
        MONEY,
        CubeContext(owner="own"),
        CubeContext(owner="opponent"),
        CubeContext(needs=(5, 3)),
        CubeContext(needs=(4, 2), cube=2, owner="opponent"),
        CubeContext(needs=(3, 1), after_crawford=True),
    ):
        for life in (0, 0.68, 1):
            assert (np.diff(cube_equity(five, context, life)) > -1e-12).all()


def test_contexts_that_cannot_be_are_refused():
    for arguments in (
        {"cube": 3},
        {"owner": "me"},
        {"needs": (0, 3)},
        {"cube": 64, "limit": 32},
        {"most": 4},
        {"beaver_doubles": "never"},
        {"needs": 3},
        {"needs": (3,)},
        {"needs": (3, 4, 5)},
        {"needs": "35"},
        {"needs": (2.5, 3)},
        {"needs": (True, 3)},
        {"needs": (1001, 3)},
        {"is_crawford": True},
        {"needs": (1, 4)},
        {"needs": (3, 4), "is_crawford": True},
        {"needs": (3, 4), "after_crawford": True},
        {"needs": (1, 4), "is_crawford": True, "after_crawford": True},
        {"jacoby": "no"},
        {"has_cube": None},
        {"beaver_drop": 1},
        {"beavers": -1},
        {"beavers": "1"},
        {"player": 2},
        {"player": "1"},
        {"met": "kazaross"},
        {"most": True},
    ):
        with pytest.raises(BgcoreError):
            CubeContext(**arguments)
    with pytest.raises(BgcoreError, match="money"):
        MONEY.mwc_after(1)
