"""Cube decisions against GNU Backgammon, the exact table, and worked cases."""

import numpy as np
import pytest
from gnubg_cubes import compared
from testdata import rows

from bgcore import (
    Board,
    CubeContext,
    GameState,
    Phase,
    Position,
    Rules,
    Verdict,
    cube_decision,
    cube_points,
    parse_match_id,
)
from bgcore.cube_decision import cube_life, decide, decision_of
from bgcore.errors import BoardError, EvaluatorError, MatchEquityError


def context_of(match_id):
    """The context of a match ID whose player on roll may double."""
    state = parse_match_id(match_id)
    me = state.roller
    owner = "centred"
    if state.cube_owner is not None:
        owner = "own" if state.cube_owner == me else "opponent"
    needs = None
    if state.length:
        needs = state.length - state.score[me], state.length - state.score[1 - me]
    return CubeContext(
        cube=state.cube,
        owner=owner,
        needs=needs,
        is_crawford=state.crawford,
        after_crawford=needs is not None and min(needs) == 1 and not state.crawford,
        jacoby=state.jacoby and not state.length,
        beavers=0 if state.length else 3,
    )


def gnubg_rows():
    for row in rows("cubes_gnubg.csv", ","):
        position_id, match_id = row[0].split(":")
        numbers = [float(cell) for cell in row[1:9]]
        yield Board.from_position_id(position_id), match_id, numbers, row[9].replace(" / ", ", ")


def is_known_difference(board, context):
    """Where bgcore means to differ from GNU Backgammon 1.07.

    At 2-away, 2-away it takes the cube for dead. In small bear-offs of a match it uses a dead cube
    too; for money both use an exact table, here with the exact chance instead of a rounded one.
    """
    few = board.phase is Phase.BEAROFF and max(15 - board.off, 15 - board.opponent_off) <= 6
    return few or (context.needs == (2, 2) and context.cube == 1)


def test_equities_and_verdicts_are_those_of_gnu_backgammon():
    compared, verdicts = 0, 0
    for board, match_id, numbers, verdict in gnubg_rows():
        context = context_of(match_id)
        found = decide(board, numbers[:5], context)
        if is_known_difference(board, context):
            continue
        place = f"{board.position_id}:{match_id}"
        assert found.equity_cubeless == pytest.approx(numbers[5], abs=2e-4), place
        assert found.no_double == pytest.approx(numbers[6], abs=1e-3), place
        assert found.double_take == pytest.approx(numbers[7], abs=1e-3), place
        compared += 1
        # a game that is surely won or lost: the equities are equal, and the words a matter of taste
        if 1e-4 < numbers[0] < 1 - 1e-4:
            assert found.text == verdict, place
            verdicts += 1
    assert compared > 320
    assert verdicts > 300


def test_decisions_agree_with_gnu_backgammons_at_2_ply():
    """By its own chances, in our model: it looks two plies further with the cube in them.

    What differs most are 2-away, 2-away, where it takes the cube for dead, and bear-offs of a few
    rolls. `bench/bench_cubes.py` lists every large difference.
    """
    found = compared(their_chances=True)
    assert len(found) == 200
    assert np.mean([one.doubles_alike for one in found]) > 0.95
    assert np.mean([one.answers_alike for one in found]) > 0.98
    differences = np.array([one.difference for one in found])
    assert abs(differences.mean()) < 0.005
    assert np.abs(differences).mean() < 0.02
    assert np.mean([one.cost for one in found]) < 0.003


def test_the_nets_decisions_come_near_those_of_gnu_backgammon_at_2_ply():
    found = compared()
    assert np.mean([one.doubles_alike for one in found]) > 0.9
    assert np.mean([one.answers_alike for one in found]) > 0.95
    assert abs(np.mean([one.difference for one in found])) < 0.02
    assert np.mean([one.cost for one in found]) < 0.01


#: XG's own numbers: ID, win, gammon, backgammon, lost gammon, backgammon, cubeless, no double,
#: double/take, its verdict, and the share of wrong answers that it says is needed. The money IDs
#: are of the AnkiGammon fixtures, the last one of bgonline.org read=160613.
XG = [
    (
        "--BBbBB-----aE----Be-c-bb-:1:-1:-1:00:0:0:0:0:8",
        (0.4942, 0.1168, 0.0007, 0.1058, 0.0022),
        (-0.002, 0.172, -0.361),
        ("no redouble, take", None),
    ),
    (
        "--BBbBB-----a-----Be-c-bbE:1:-1:-1:00:0:0:0:0:8",
        (0.8842, 0.8123, 0.1370, 0.0109, 0.0002),
        (1.707, 1.761, 3.332),
        ("too good, pass", None),
    ),
    (
        "-b----E-C--AeD---bAdb---A-:0:0:1:00:0:0:3:0:10",
        (0.5183, 0.1207, 0.0048, 0.1206, 0.0044),
        (0.037, 0.057, -0.568 / 2),  # it shows the beaver
        ("no double, beaver", 0.398),
    ),
    (
        "-b--D-D-C--AeC---b-db-----:0:0:1:00:0:0:1:0:10",
        (0.7238, 0.1748, 0.0093, 0.0319, 0.0008),
        (0.599, 0.911, 0.991),
        ("double, take", None),
    ),
    (
        "-bBBCCA-----e----b-db-----:0:0:1:00:0:0:0:0:10",
        (0.8144, 0.6414, 0.1249, 0.0, 0.0),
        (1.395, 1.438, 2.653),
        ("too good, pass", 0.265),
    ),
    (
        "---BBBBBA----B--a-a-Bbcce-:0:0:1:00:0:0:3:0:10",
        (0.6268, 0.0893, 0.0025, 0.0499, 0.0001),
        (0.295, 0.261, 0.463),
        ("double, take", None),
    ),
]


@pytest.mark.parametrize(("xgid", "five", "equities", "wanted"), XG)
def test_xgs_equities_give_xgs_verdict(xgid, five, equities, wanted):
    state = Position.from_text(xgid).to_state()
    context = CubeContext.of(state)
    cubeless, no_double, double_take = equities
    assert decide(state.board, five, context).equity_cubeless == pytest.approx(cubeless, abs=6e-4)
    found = decision_of(five, cubeless, no_double, double_take, context)
    verdict, share = wanted
    assert found.text == verdict
    if share is not None:
        assert found.needed_mistakes == pytest.approx(share, abs=1e-3)


@pytest.mark.parametrize(("xgid", "five", "equities", "wanted"), [XG[0], XG[1], XG[4]])
def test_the_model_comes_near_xgs_equities_by_its_chances(xgid, five, equities, wanted):
    # where XG does not look far ahead, or the cube hardly matters any more
    state = Position.from_text(xgid).to_state()
    found = decide(state.board, five, CubeContext.of(state))
    assert found.no_double == pytest.approx(equities[1], abs=0.05)
    assert found.double_take == pytest.approx(equities[2], abs=0.05)
    assert found.text == wanted[0]


def test_small_bear_offs_for_money_are_exact():
    # 5 and 2 against 5 and 2: cubeless .49865, owned .50155, centred .47533, opponent's .47533
    board = Board([0] * 2 + [1, 0, 0, 1] + [0] * 14 + [-1, 0, 0, -1] + [0, 0])
    found = decide(board, [0.5, 0, 0, 0, 0], CubeContext())
    assert found.is_exact
    assert found.no_double == pytest.approx(0.47533, abs=3e-5)
    assert found.double_take == pytest.approx(2 * 0.47533, abs=6e-5)
    assert found.equity_cubeless == pytest.approx(0.49865, abs=3e-5)
    assert found.verdict is Verdict.DOUBLE_TAKE
    own = decide(board, [0.5, 0, 0, 0, 0], CubeContext(cube=2, owner="own"))
    assert own.no_double == pytest.approx(0.50155, abs=3e-5)
    assert own.text == "redouble, take"


def test_6_against_6_is_half_a_point_and_a_double_is_cashed():
    board = Board([0] * 6 + [1] + [0] * 12 + [-1] + [0] * 6)
    found = decide(board, [0.8, 0, 0, 0, 0], CubeContext())
    assert (found.no_double, found.double_take, found.double_pass) == (0.5, 1.0, 1.0)
    assert found.should_double
    assert found.equity_cubeful == 1


def test_a_limited_cube_is_not_the_tables():
    board = Board([0] * 6 + [1] + [0] * 12 + [-1] + [0] * 6)
    assert not decide(board, [0.8125, 0, 0, 0, 0], CubeContext(limit=64)).is_exact


def test_cube_life_depends_on_the_player_on_roll_alone():
    race = Board([0] * 7 + [5, 5, 5] + [0] * 9 + [-15] + [0] * 6)  # 120 pips against 90
    assert race.phase is Phase.RACE
    assert cube_life([race.to_array()])[0] == pytest.approx(0.7)
    assert cube_life([race.swapped().to_array()])[0] == pytest.approx(0.55 + 0.00125 * 90)
    assert cube_life([Board.opening().to_array()])[0] == pytest.approx(0.68)
    home = Board([0, 5, 5, 5] + [0] * 15 + [-5, -5, -5] + [0] * 4)
    assert cube_life([home.to_array()])[0] == pytest.approx(0.6)


class Says:
    """An evaluator that gives every board the same chances."""

    def __init__(self, *five):
        self.five = five

    def evaluate(self, boards):
        return np.tile(np.array(self.five, np.float32), (len(boards), 1))


def decision(five, rules=None, **start):
    state = GameState.at(Board.opening(), rules=rules, **start)
    return cube_decision(state, evaluator=Says(*five))


@pytest.mark.parametrize(
    ("win", "rules", "text"),
    [
        (0.5, Rules(), "no double, take"),
        (0.72, Rules(), "double, take"),
        (0.82, Rules(), "double, pass"),
        (0.30, Rules(beavers=1), "no double, beaver"),
        (0.30, Rules(), "no double, take"),
        (0.5, Rules.casual(), "the cube is not available"),
    ],
)
def test_verdicts_without_gammons(win, rules, text):
    assert decision([win, 0, 0, 0, 0], rules).text == text


def test_verdicts_with_many_gammons():
    assert decision([0.8, 0.6, 0.05, 0.02, 0], Rules()).text == "too good, pass"
    # under the Jacoby rule gammons count only after a double: there is nothing to play on for
    assert decision([0.8, 0.6, 0.05, 0.02, 0], Rules(jacoby=True)).text == "double, pass"


def test_what_does_not_count_by_the_payoff_changes_nothing():
    five, backgammons = [0.7, 0.3, 0.1, 0.1, 0.05], [2, 4]
    plain = [0 if place in backgammons else chance for place, chance in enumerate(five)]
    triple, double = (decision(five, Rules(payoff=payoff)) for payoff in ("full", "gammon"))
    assert triple.equity_cubeless == pytest.approx(0.4 + 0.2 + 0.05)
    assert double.equity_cubeless == pytest.approx(0.4 + 0.2)
    assert double.no_double == pytest.approx(decision(plain, Rules()).no_double)
    single = decision(five, Rules(payoff="single"))
    assert single.equity_cubeless == pytest.approx(0.4)
    assert single.no_double == pytest.approx(decision([0.7, 0, 0, 0, 0], Rules()).no_double)
    points = cube_points(five, single.context, 0.0)
    assert points.take == 0.25
    # at gammon-go too
    state = {"length": 5, "scores": (3, 4)}
    with_payoff = decision(five, Rules.match(payoff="single"), **state)
    assert with_payoff.mwc == decision([0.7, 0, 0, 0, 0], **state).mwc


def test_only_first_doubles_are_beavered_if_the_rules_say_so():
    weak = [0.3, 0, 0, 0, 0]
    every, initial = Rules(beavers=1), Rules(beavers=1, beaver_doubles="initial")
    assert decision(weak, every).text == decision(weak, initial).text == "no double, beaver"
    own = {"cube": 2, "cube_owner": 0}
    assert decision(weak, every, **own).text == "no redouble, beaver"
    found = decision(weak, initial, **own)
    assert (found.text, found.double_beaver) == ("no redouble, take", None)


def test_an_owned_cube_is_redoubled():
    held = decision([0.76, 0, 0, 0, 0], Rules(), cube=2, cube_owner=0)
    assert held.text == "redouble, take"
    gone = decision([0.76, 0, 0, 0, 0], Rules(), cube=2, cube_owner=1)
    assert gone.verdict is Verdict.NOT_AVAILABLE
    assert not gone.should_double
    assert gone.equity_cubeful == gone.no_double


def test_match_cubes():
    crawford = decision([0.7, 0, 0, 0, 0], length=5, scores=(4, 2), is_crawford=True)
    assert crawford.verdict is Verdict.NOT_AVAILABLE
    dead = decision([0.7, 0, 0, 0, 0], length=5, scores=(4, 4))
    assert dead.verdict is Verdict.NO_DOUBLE_DEAD_CUBE
    assert not dead.should_double
    # after Crawford the trailer doubles at once: he loses nothing
    trailer = decision([0.5, 0.1, 0, 0.1, 0], length=5, scores=(2, 4))
    assert trailer.is_automatic
    assert trailer.should_double
    # the leader may drop for nothing when the trailer needs an even number of points
    assert decision([0.5, 0, 0, 0, 0], length=5, scores=(3, 4)).is_free_drop
    assert not decision([0.5, 0, 0, 0, 0], length=5, scores=(2, 4)).is_free_drop


def test_too_good_at_4_away_4_away_needs_more_than_the_pass():
    for gammons in np.linspace(0, 0.7, 15):
        found = decision([0.75, gammons, 0, 0, 0], length=4)
        if found.verdict in (Verdict.TOO_GOOD_PASS, Verdict.TOO_GOOD_TAKE):
            assert found.no_double > found.double_pass
    assert found.verdict is Verdict.TOO_GOOD_PASS


def test_errors_are_the_best_less_the_chosen():
    found = decision([0.72, 0, 0, 0, 0], Rules(beavers=1))
    assert found.errors["double"] == 0
    assert found.errors["no_double"] == pytest.approx(found.double_take - found.no_double)
    assert found.errors["take"] == 0
    assert found.errors["pass"] == pytest.approx(1 - found.double_take)
    assert min(found.errors.values()) >= 0
    wrong = decision([0.5, 0, 0, 0, 0], Rules())
    assert wrong.errors["double"] == pytest.approx(wrong.no_double - wrong.double_take)


def test_how_often_the_opponent_must_err():
    found = decision([0.6, 0, 0, 0, 0], Rules())
    share = found.needed_mistakes
    mixed = share * found.double_pass + (1 - share) * found.double_take
    assert mixed == pytest.approx(found.no_double)
    assert decision([0.72, 0, 0, 0, 0], Rules()).needed_mistakes is None


def test_a_dead_cube_that_costs_nothing_needs_no_mistakes():
    found = cube_decision(GameState.at(Board.opening(), length=7, scores=(6, 6)))
    assert (found.text, found.needed_mistakes) == ("no double, dead cube", None)
    assert found.remarks == ()


def test_match_equities_and_their_money_like_form_agree():
    found = decision([0.6, 0.1, 0, 0.1, 0], length=7, scores=(3, 5))
    low, high = found.context.mwc_after(-1), found.context.mwc_after(1)
    assert found.mwc["double_pass"] == pytest.approx(high)
    assert found.mwc["no_double"] == pytest.approx(low + (found.no_double + 1) / 2 * (high - low))
    assert decision([0.6, 0, 0, 0, 0], Rules()).mwc is None


def test_a_position_is_decided_like_the_game_that_stands_there():
    text = "-b----E-C---dEa--c-da---B-:0:0:1:{}:2:3:0:7:10"
    state = GameState.at(
        Board.from_xgid(text.format("00")), length=7, scores=(2, 3), is_crawford=False
    )
    wanted = cube_decision(state).to_dict()
    for dice in ("00", "31", "D"):
        assert cube_decision(Position.from_text(text.format(dice))).to_dict() == wanted
    for other in (state.board, text.format("00"), None):
        with pytest.raises(BoardError, match="GameState or a Position"):
            cube_decision(other)


def test_without_a_player_on_roll_there_is_no_decision():
    with pytest.raises(MatchEquityError, match="on roll"):
        cube_decision(GameState.start())


def test_a_bad_evaluator_is_named():
    with pytest.raises(EvaluatorError, match="Says"):
        decision([1.5, 0, 0, 0, 0])
