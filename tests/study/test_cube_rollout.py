"""Rollouts with the cube: exact equities, luck, scores, both views, jobs, files, decisions."""

import json
import os
from dataclasses import replace

import numpy as np
import pytest
from all_plays import net_of_all_plays
from boards import cells_of
from cpu_levels import said_on_each_level

from bgcore import (
    Board,
    CubeContext,
    GameState,
    MatchEquityTable,
    NetEvaluator,
    Position,
    Rollout,
    Rules,
    StopRules,
    cube_decision,
    rollout,
    rollout_cube,
    swap_boards,
)
from bgcore._core import playout as core
from bgcore._core.movegen import legal_boards
from bgcore.bearoff import tables, two_sided
from bgcore.block_totals import CUBE_OUTPUTS, BlockTotals
from bgcore.corpus import contact_boards
from bgcore.cube_rows import cube_rows, start_row
from bgcore.dice import DiceStream
from bgcore.errors import RolloutError
from bgcore.evaluators import PipCountEvaluator
from bgcore.nets import shipped_net

UNIT = 2**30
OPENING = Board.opening()
OWNERS = ("centred", "own", "opponent")
#: What a cube must not change when it is turned in trials: money and scores of every kind.
CUBES = {
    "money": CubeContext(),
    "jacoby": CubeContext(jacoby=True, beavers=1),
    "owned": CubeContext(cube=2, owner="own"),
    "7 away 7 away": CubeContext(needs=(7, 7)),
    "2 away 5 away, owned by the other": CubeContext(needs=(2, 5), cube=2, owner="opponent"),
    "post-Crawford": CubeContext(needs=(3, 1), after_crawford=True),
}


def bear_offs(n, seed=0):
    """Positions of up to six checkers a side whose winner is uncertain."""
    rng = np.random.default_rng(seed)
    found = []
    while len(found) < n:
        cells = np.zeros(26, np.int8)
        for point in rng.integers(1, 7, rng.integers(2, 7)):
            cells[point] += 1
        for point in rng.integers(19, 25, rng.integers(2, 7)):
            cells[point] -= 1
        if abs(two_sided().equities(cells).cubeless) < 0.6:
            found.append(cells)
    return found


def playout(cube, seed=1, *, stratified=True, **settings):
    net = NetEvaluator().core
    options = {"policy": core.BEST_PLAY, "player": net, "evaluator": net} | settings
    return core.Playout(
        DiceStream(seed, stratified),
        options.pop("policy"),
        roll_net=shipped_net().luck,
        tables=tables(),
        cube=None if cube is None else cube_rows(cube),
        **options,
    )


# ---- the exact table ----


def z_scores(n_positions, n_trials):
    """Plain trials against the table: no luck taken out, no stop, plays and cube by the table."""
    scores = []
    for number, cells in enumerate(bear_offs(n_positions)):
        exact = two_sided().equities(cells)
        for place, wanted in enumerate((exact.centred, exact.owned, exact.opponent_owned)):
            cube = CubeContext(owner=OWNERS[place])
            seed = 3 * number + place
            table = playout(cube, seed, stratified=False, policy=core.TABLE_PLAY)
            values, _ = table.trial_values(
                cells, False, 0, n_trials, row=start_row(cube), rolls=True
            )
            utilities = values[:, 6] / UNIT
            error = utilities.std(ddof=1) / n_trials**0.5
            if error > 0:
                scores.append((utilities.mean() - wanted) / error)
            else:
                assert utilities.mean() == pytest.approx(wanted, abs=1e-9)
    return np.array(scores)


def test_plain_trials_agree_with_the_exact_money_equities():
    scores = z_scores(40, 2000)
    assert len(scores) > 100
    assert np.abs(scores).max() < 4
    assert abs(scores.mean()) < 4 / len(scores) ** 0.5
    assert 0.8 < scores.std() < 1.2


@pytest.mark.slow
def test_many_plain_trials_agree_with_the_exact_money_equities():
    scores = z_scores(40, 200_000)
    assert np.abs(scores).max() < 4
    assert abs(scores.mean()) < 4 / len(scores) ** 0.5
    assert 0.8 < scores.std() < 1.2


@pytest.mark.parametrize("owner", OWNERS)
def test_with_the_table_as_luck_no_error_is_left(owner):
    cube = CubeContext(owner=owner, cube=4)
    table = playout(cube, policy=core.TABLE_PLAY, luck=core.TABLE_LUCK)
    stop = playout(cube, stop_at_tables=True)
    for cells in bear_offs(8, seed=3):
        exact = two_sided().equities(cells)
        wanted = dict(zip(OWNERS, (exact.centred, exact.owned, exact.opponent_owned), strict=True))
        for trials in (table, stop):
            values, _ = trials.trial_values(cells, False, 0, 72, row=start_row(cube), rolls=True)
            assert (values[:, 6] == values[0, 6]).all()
            assert values[0, 6] / UNIT == pytest.approx(wanted[owner], abs=1e-9)
            values, _ = trials.trial_values(cells, False, 0, 36, row=start_row(cube))
            answered = exact.doubled if owner != "opponent" else -9.0
            assert (values[:, 6] == values[0, 6]).all()
            assert values[0, 6] / UNIT == pytest.approx(max(wanted[owner], answered), abs=1e-9)


def test_a_cube_decision_by_the_table_is_the_exact_one():
    for cells in bear_offs(5, seed=4):
        state = GameState.at(Board(cells), rules=Rules.money(jacoby=False, beavers=0), on_roll=0)
        found = rollout_cube(
            Board(cells), policy="table", luck="table", stop_at_tables=False, trials=36
        )
        exact = two_sided().equities(cells)
        assert cube_decision(state).verdict == found.decision.verdict
        assert found.decision.no_double == pytest.approx(exact.centred, abs=1e-9)
        assert found.decision.double_take == pytest.approx(2 * exact.opponent_owned, abs=1e-9)
        assert found.no_double_se == found.double_take_se == found.difference_se == 0


def test_a_bear_off_that_xg_rolled_out():
    # no double 0.754, double and take 0.877; all dice are played here, so nothing is left to chance
    cells = np.zeros(26, np.int8)
    cells[[1, 2]] = 4
    cells[[22, 23, 24]] = -1, -3, -3
    found = rollout_cube(Board(cells), trials=12960)
    assert found.decision.no_double == pytest.approx(0.754, abs=0.0015)
    assert found.decision.double_take == pytest.approx(0.877, abs=0.001)
    assert (found.no_double_se, found.double_take_se, found.difference_se) == (0, 0, 0)


@pytest.mark.slow
def test_a_low_wastage_race_as_xg_sees_it():
    # XG: owned +0.1484, in the middle -0.0087, the opponent's -0.3252 for the doubled cube
    board = Position.from_text("XGID=-BBBCBB------------bbbbbb-:0:0:1:00:0:0:0:0:10").board
    for owner, wanted in (("own", 0.1484), ("centred", -0.0087), ("opponent", -0.1626)):
        found = rollout(board, cube=CubeContext(owner=owner), trials=12960).best
        assert found.equity_cubeful == pytest.approx(wanted, abs=0.02)


@pytest.mark.slow
def test_the_reference_rollout_of_xg_is_near():
    # XG: no double +0.598, double and take +0.606. The net that comes with bgcore wins fewer
    # gammons here (33 % against 38 %), so the doubled cube most of all is worth less to it.
    cells = np.array(
        [-2, 2, 0, 0, 0, 0, 4, 1, 2, 0, 1, 0, -4, 3, 0, 0, 0, -3, 0, -4, -2, 0, 1, 0, 1, 0], np.int8
    )
    found = rollout_cube(Board(cells), CubeContext(jacoby=True), trials=36 * 720)
    assert found.decision.no_double == pytest.approx(0.598, abs=0.1)
    assert found.decision.double_take == pytest.approx(0.606, abs=0.15)


@pytest.mark.slow
def test_stated_errors_are_those_seen_over_seeds():
    for cube in (CubeContext(jacoby=True), CubeContext(needs=(5, 7))):
        found = [rollout_cube(OPENING, cube, trials=1296, seed=seed) for seed in range(50)]
        for values, errors in (
            ([r.decision.no_double for r in found], [r.no_double_se for r in found]),
            (
                [r.decision.no_double - r.decision.double_take for r in found],
                [r.difference_se for r in found],
            ),
        ):
            ratio = np.std(values, ddof=1) / np.sqrt(np.mean(np.square(errors)))
            assert 0.7 < ratio < 1.4


# ---- luck ----


@pytest.mark.parametrize("luck", [core.NET_LUCK, core.PLAYER_LUCK, core.NET_LUCK | core.TABLE_LUCK])
@pytest.mark.parametrize("cube", CUBES.values(), ids=CUBES)
def test_luck_moves_no_mean(cube, luck):
    n = 360 if luck == core.PLAYER_LUCK else 1440
    for cells in (OPENING.to_array(), contact_boards()[500]):
        plain, _ = playout(cube, 5).trial_values(cells, False, 0, n, row=start_row(cube))
        lucky, _ = playout(cube, 5, luck=luck).trial_values(cells, False, 0, n, row=start_row(cube))
        taken = (plain - lucky)[:, 6] / UNIT
        assert abs(taken.mean()) < 4 * taken.std() / n**0.5
        assert lucky[:, 6].std() < 0.9 * plain[:, 6].std()


@pytest.mark.parametrize("opening", [False, True])
@pytest.mark.parametrize(
    "cube", [CubeContext(), CubeContext(needs=(2, 5)), CubeContext(needs=(5, 2))]
)
def test_luck_of_the_first_roll_adds_up_to_nothing(opening, cube):
    net = NetEvaluator().core
    n = 30 if opening else 36
    for luck, tolerance in ((core.NET_LUCK, 0), (core.PLAYER_LUCK, 0)):
        plain, lucky = (
            core.Playout(
                DiceStream(2, opening=opening),
                core.BEST_PLAY,
                player=net,
                evaluator=net,
                roll_net=shipped_net().luck,
                luck=kind,
                truncate=1,
                cube=cube_rows(cube),
            ).trial_values(OPENING.to_array(), False, 0, n, rolls=True)[0]
            for kind in (core.NO_LUCK, luck)
        )
        # each trial is rounded once
        assert abs(int((plain - lucky)[:, 6].sum()) - tolerance) <= n
        assert (plain != lucky).any()


# ---- scores ----


@pytest.mark.parametrize("luck", [core.NO_LUCK, core.NET_LUCK, core.PLAYER_LUCK])
def test_at_double_match_point_utility_is_the_chance_to_win(luck):
    cube = CubeContext(needs=(1, 1), after_crawford=True)
    values, _ = playout(cube, luck=luck).trial_values(OPENING.to_array(), False, 0, 72)
    assert (values[:, 6] == values[:, 0]).all()
    result = rollout(OPENING, cube=cube, trials=72, luck="net").best
    assert result.mwc == result.win
    assert result.mwc_se == result.standard_errors[0]
    assert result.equity_cubeful == pytest.approx(2 * result.win - 1, abs=1e-9)


def largest(candidate):
    return max(ends.cube for ends in candidate.cubes)


@pytest.mark.parametrize(
    ("cube", "most"),
    [
        (CubeContext(needs=(1, 4), is_crawford=True), 1),
        (CubeContext(needs=(4, 1), is_crawford=True), 1),
        (CubeContext(has_cube=False), 1),
        (CubeContext(needs=(2, 2), cube=2, owner="own"), 2),
        (CubeContext(needs=(2, 2)), 2),
        (CubeContext(needs=(2, 3)), 4),
        (CubeContext(limit=1), 1),
        (CubeContext(limit=4), 4),
    ],
)
def test_no_cube_is_turned_beyond_what_rules_and_score_allow(cube, most):
    found = rollout(OPENING, cube=cube, trials=720, luck="none").best
    assert largest(found) == most
    total = sum(sum(ends[1:]) for ends in found.cubes)
    assert total == pytest.approx(1)
    if most == 1:
        assert found.cubes[0].cashed == found.cubes[0].passed == 0


def test_after_crawford_the_trailer_doubles_at_once():
    found = rollout(
        OPENING, cube=CubeContext(needs=(3, 1), after_crawford=True), trials=36, luck="none"
    ).best
    assert min(ends.cube for ends in found.cubes) == 2
    # with an even number of points to go the leader may pass for nothing
    found = rollout(
        OPENING, cube=CubeContext(needs=(4, 1), after_crawford=True), trials=36, luck="none"
    ).best
    assert (found.cubes[0].cube, found.cubes[0].cashed, found.mean_plies) == (1, 1, 0)


def test_under_jacoby_gammons_count_single_until_the_cube_is_turned():
    cells = OPENING.to_array()
    cube = CubeContext(jacoby=True, limit=1)
    values, _ = playout(cube).trial_values(cells, False, 0, 360)
    assert set(np.unique(values[:, 6])) == {-UNIT, UNIT}
    assert (np.abs(values[:, 5]) > UNIT).any()
    turned = CubeContext(jacoby=True, cube=2, owner="own", limit=2)
    values, _ = playout(turned).trial_values(cells, False, 0, 360, row=1)
    assert (values[:, 6] == values[:, 5]).all()


def test_utility_and_ends_tell_the_same():
    cube = CubeContext(cube=2, owner="own")
    result = rollout(OPENING, cube=cube, trials=360, luck="none", stop_at_tables=False)
    found = result.best
    equity = 0.0
    for ends in found.cubes:
        kinds = np.array([1, 2, 3, -1, -2, -3, 1, -1])
        equity += ends.cube / 2 * float(kinds @ ends[1:9])
        assert ends.valued == 0
    assert found.equity_cubeful == pytest.approx(equity, abs=1e-9)
    cut = rollout(OPENING, cube=cube, trials=36, truncate=3).best
    assert sum(ends.valued for ends in cut.cubes) > 0.9


def test_a_cut_off_trial_has_the_models_equity_of_the_board_it_reaches():
    cube = CubeContext(needs=(3, 5))
    found = rollout(OPENING, "31", cube=cube, truncate=1, trials=36, plays=1, luck="none").best
    rows, net = cube_rows(cube.swapped()), NetEvaluator()
    theirs = swap_boards(found.board.to_array()[None])
    equities = []
    for trial in range(36):
        dice = DiceStream(0).roll(trial, 0)
        # side 0 plays so that side 1 has least; before it side 1 may double
        plays = np.ascontiguousarray(swap_boards(legal_boards(theirs[0], *dice)))
        fives = np.rint(net.evaluate(plays).astype(np.float64) * UNIT).astype(np.int32)
        _, utilities = rows.choices(plays, fives, 0, 1)
        equities.append(utilities.min())
    assert found.mwc == pytest.approx(np.mean(equities), abs=1e-8)
    assert found.cubes[0].valued > 0.9


# ---- both views ----


@pytest.mark.parametrize("cube", CUBES.values(), ids=CUBES)
@pytest.mark.parametrize("luck", ["none", "net"])
def test_both_sides_see_the_same_trials(cube, luck):
    kind = core.NET_LUCK if luck == "net" else core.NO_LUCK
    made = playout(cube, 3, luck=kind, stop_at_tables=True)
    for cells in (contact_boards()[321], contact_boards()[900]):
        own = rollout(Board(cells), cube=cube, trials=72, luck=luck, seed=3)
        totals = BlockTotals(1, DiceStream(3), outputs=CUBE_OUTPUTS)
        totals.add(0, 72, *made.blocks(cells[None], True, 0, 72, 36, starts=[[start_row(cube), 0]]))
        first, second = own.totals.mean(0), totals.mean(0)
        assert second[-1] == pytest.approx(cube.is_match - first[-1], abs=1e-9)
        assert second[0] == pytest.approx(1 - first[0], abs=1e-9)
        for ends, seen in zip(own.totals.ends[0], totals.ends[0], strict=True):
            assert list(seen) == [*ends[3:6], *ends[:3], ends[7], ends[6], ends[8]]


def test_a_play_is_worth_what_the_other_side_loses_by_it():
    board = contact_boards()[77]
    cube = CubeContext(needs=(3, 6), cube=2, owner="own")
    found = rollout(Board(board), "61", cube=cube, trials=72, plays=3, seed=9)
    for candidate in found.candidates:
        theirs = Board(swap_boards(candidate.board.to_array()[None])[0])
        other = rollout(theirs, cube=cube.swapped(), trials=72, seed=9).best
        assert candidate.mwc == pytest.approx(1 - other.mwc, abs=1e-9)
        assert candidate.equity_cubeful == pytest.approx(-other.equity_cubeful, abs=1e-9)
        assert candidate.equity_cubeful_se == pytest.approx(other.equity_cubeful_se)
        assert candidate.equity_cubeless == pytest.approx(-other.equity_cubeless, abs=1e-9)
        assert candidate.loss == pytest.approx(
            found.best.equity_cubeful - candidate.equity_cubeful, abs=1e-9
        )


def test_an_uneven_table_is_read_from_both_sides():
    plain = MatchEquityTable.kazaross_xg2()
    before = plain.before[:5, :5].copy()
    before[1, 3] += 0.05  # only player 0 has this
    uneven = MatchEquityTable(before, plain.after[:, :5])
    board = Board(contact_boards()[5])
    values = [
        rollout(
            board,
            cube=CubeContext(needs=(3, 4), met=uneven, player=player),
            trials=36,
            luck="none",
        ).best.mwc
        for player in (0, 1)
    ]
    assert values[0] != values[1]


# ---- the same bits ----


def bits(result):
    return json.dumps(result.to_dict()), result.totals.to_dict()


@pytest.mark.parametrize("cube", [CUBES["jacoby"], CUBES["7 away 7 away"]])
def test_jobs_and_the_order_of_the_work_change_nothing(cube):
    settings = {"cube": cube, "trials": 360, "plays": 2}
    one = rollout(OPENING, "31", **settings)
    assert bits(rollout(OPENING, "31", jobs=2, **settings)) == bits(one)
    pieces = Rollout(OPENING, "31", cube=cube, plays=2)
    for first, n in ((180, 180), (0, 36), (36, 144)):
        pieces.run(n, first=first)
    assert pieces.result().totals.to_dict() == one.totals.to_dict()
    decision = rollout_cube(OPENING, cube, trials=180)
    assert bits(rollout_cube(OPENING, cube, trials=180, jobs=2)) == bits(decision)


PROGRAM = """
import hashlib, json
from bgcore import Board, CubeContext, rollout
board = Board.opening()
cubes = [CubeContext(jacoby=True, beavers=1), CubeContext(needs=(7, 5)),
         CubeContext(needs=(2, 4), cube=2, owner="own")]
sums = [rollout(board, cube=cube, trials=180, luck=luck, truncate=12).totals.to_dict()
        for cube in cubes for luck in ("none", "net", "player")]
print(hashlib.sha256(json.dumps(sums).encode()).hexdigest())
"""


@pytest.mark.skipif("BGCORE_CPU" in os.environ, reason="the level is forced already")
def test_all_cpu_levels_give_the_same_bits():
    assert len(set(said_on_each_level(PROGRAM))) == 1


def test_a_file_holds_the_cube(tmp_path):
    table = MatchEquityTable(
        MatchEquityTable.kazaross_xg2().before[:7, :7], MatchEquityTable.kazaross_xg2().after
    )
    cubes = (CUBES["jacoby"], CubeContext(needs=(4, 7), cube=2, owner="own", met=table))
    for number, cube in enumerate(cubes):
        path = tmp_path / f"part{number}.bgr"
        whole = Rollout(OPENING, "31", cube=cube, plays=2, seed=4)
        whole.run(108)
        part = Rollout(OPENING, "31", cube=cube, plays=2, seed=4)
        part.run(36, path=path)
        read = Rollout.load(path)
        read.run(108)
        assert bits(read.result()) == bits(whole.result())
        one = Rollout(OPENING, cube=cube)
        with pytest.raises(RolloutError, match="cube is"):
            one.merge(Rollout(OPENING, cube=replace(cube, owner="opponent")))


def test_a_cube_decision_can_be_stopped_saved_and_gone_on_with(tmp_path):
    cube = CubeContext(needs=(4, 7))
    whole = rollout_cube(OPENING, cube, trials=180, seed=6)
    part = Rollout.of_cube_decision(OPENING, cube, seed=6)
    part.run(72, path=tmp_path / "part.bgr")
    read = Rollout.load(tmp_path / "part.bgr")
    assert read.cube_decision().trials == 72
    other = Rollout.of_cube_decision(OPENING, cube, seed=6)
    other.run(108, first=72)
    read.merge(other)
    assert bits(read.cube_decision()) == bits(whole)
    assert read.result().best.loss == 0
    with pytest.raises(RolloutError, match="no rollout of a cube decision"):
        Rollout(OPENING, cube=cube).cube_decision()
    with pytest.raises(RolloutError, match="no trial"):
        Rollout.of_cube_decision(OPENING, cube).cube_decision()


def test_stop_rules_look_at_the_cubeful_error():
    made = Rollout(OPENING, cube=CubeContext(), truncate=12)
    rules = StopRules(equity_se=0.05, min_trials=36, check_every=36)
    for result in made.checkpoints(7200, stop=rules):
        enough = result.best.equity_cubeful_se <= 0.05
        assert rules.are_met(result) == enough
    assert enough
    assert 36 < result.trials < 7200


# ---- decisions ----


def test_a_decision_of_the_rollout_is_that_of_its_means():
    cube = CubeContext(needs=(5, 7), cube=1)
    found = rollout_cube(Board(contact_boards()[333]), cube, trials=720)
    assert found.decision.double_pass == 1
    assert found.decision.no_double == found.no_double.equity_cubeful
    assert found.decision.double_take == found.double_take.equity_cubeful
    assert found.decision.context == cube
    assert found.no_double_se == found.no_double.equity_cubeful_se > 0
    # common dice: the joint error is smaller than that of two rollouts
    assert 0 < found.difference_se < np.hypot(found.no_double_se, found.double_take_se)
    assert min(ends.cube for ends in found.double_take.cubes) == 2
    assert min(ends.cube for ends in found.no_double.cubes) == 1
    document = json.loads(json.dumps(found.to_dict()))
    assert document["no_double_se"] == found.no_double_se
    assert document["verdict"] == found.decision.text


def test_a_game_brings_its_cube():
    state = GameState.at(OPENING, rules=Rules.match(), length=7, scores=(2, 4), on_roll=1)
    cube = CubeContext(needs=(3, 5), player=1)
    found = rollout_cube(state, trials=36)
    assert found.cube == replace(cube, limit=found.cube.limit)
    assert found.to_dict() == rollout_cube(OPENING, found.cube, trials=36).to_dict()
    given = rollout(OPENING, cube=state, trials=36)
    assert given.cube == found.cube
    position = Position.from_state(state)
    assert rollout_cube(position, trials=36).to_dict() == found.to_dict()
    assert rollout(OPENING, cube=position, trials=36).to_dict() == given.to_dict()
    with pytest.raises(RolloutError, match="a cube of its own"):
        rollout_cube(state, cube)


def test_the_two_candidates_are_those_of_single_rollouts():
    cube = CubeContext(jacoby=True)
    board = Board(contact_boards()[123])
    # the luck of large cubes is measured in another way, and they begin where the rollout does
    found = rollout_cube(board, cube, trials=72, luck="none")
    taken = rollout(board, cube=cube.doubled(), trials=72, luck="none").best
    assert found.decision.double_take == pytest.approx(2 * taken.equity_cubeful, abs=1e-8)


@pytest.mark.parametrize(
    "cube",
    [
        CubeContext(owner="opponent", cube=2),
        CubeContext(needs=(1, 3), is_crawford=True),
        CubeContext(has_cube=False),
        CubeContext(cube=4, owner="own", limit=4),
    ],
)
def test_without_a_double_there_is_no_decision(cube):
    with pytest.raises(RolloutError, match="cannot double"):
        rollout_cube(OPENING, cube)


def test_a_dead_cube_can_be_rolled_out():
    found = rollout_cube(OPENING, CubeContext(needs=(2, 4), cube=2, owner="own"), trials=72)
    assert found.decision.verdict == "no double, dead cube"


def test_redoubles_are_not_beavered_if_the_rules_say_so():
    context = CubeContext(beavers=1, beaver_doubles="initial")
    beavers = np.array(cube_rows(context).arguments[5])
    # of each cube three rows: in the middle, owned by side 0, by side 1
    assert beavers[0::3].any()
    assert not beavers[1::3].any()
    assert not beavers[2::3].any()


@pytest.mark.parametrize("payoff", ["gammon", "single"])
def test_a_payoff_that_trials_do_not_know_is_refused(payoff):
    state = GameState.at(OPENING, rules=Rules(payoff=payoff))
    for play in (rollout_cube, lambda cube: rollout(OPENING, cube=cube)):
        with pytest.raises(RolloutError, match="cannot be rolled out"):
            play(state)


class InPython:
    """The net as an object in Python that the core does not know."""

    def __init__(self, net=None):
        self.net = net_of_all_plays() if net is None else net

    def evaluate(self, boards):
        return self.net.evaluate(boards)


@pytest.mark.parametrize("cube", CUBES.values(), ids=CUBES)
@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"luck": "none", "truncate": 7},
        {"luck": "player", "truncate": 5},
        {"luck": "net+table"},
        {"luck": "player+table", "policy": "table", "truncate": 9},
        {"truncate": 4, "seed": 5, "stratified": False},
    ],
)
def test_the_net_in_python_gives_the_same_bits_with_the_cube(cube, settings, monkeypatch):
    # the policy "table" plays by the shipped net if the evaluator is none
    monkeypatch.setattr("bgcore.evaluators.shipped_net", lambda: net_of_all_plays().file)
    cells = contact_boards()[640]
    for dice in (None, "42"):
        common = {"cube": cube, "trials": 72, **settings}
        if dice:
            common["plays"] = 2
        known = rollout(Board(cells), dice, evaluator=net_of_all_plays(), **common)
        assert bits(rollout(Board(cells), dice, evaluator=InPython(), **common)) == bits(known)


def test_a_cube_decision_by_an_evaluator_in_python():
    cube = CubeContext(needs=(5, 4))
    board = Board(contact_boards()[333])
    net = net_of_all_plays()
    known = rollout_cube(board, cube, trials=72, truncate=9, evaluator=net)
    assert bits(rollout_cube(board, cube, trials=72, truncate=9, evaluator=InPython())) == bits(
        known
    )
    made = Rollout.of_cube_decision(board, cube, truncate=9, evaluator=InPython())
    made.run(72, jobs=2)  # as many as go on together
    known = rollout_cube(board, cube, trials=made.trials, truncate=9, evaluator=net)
    assert made.cube_decision().decision == known.decision


def test_large_cubes_take_their_luck_from_the_evaluator_in_python_too():
    # from the eightfold cube on the evaluator measures luck; such cubes come up here
    board, cube = Board(contact_boards()[500]), CubeContext(beavers=1)
    known = rollout(board, cube=cube, trials=720, truncate=30, evaluator=net_of_all_plays())
    assert largest(known.best) >= 8
    found = rollout(board, cube=cube, trials=720, truncate=30, evaluator=InPython())
    assert bits(found) == bits(known)


def test_luck_by_the_evaluator_is_taken_out_under_any_policy():
    class First:
        def choose(self, boards, plays, offsets):
            return np.zeros(len(boards), np.int64)

    for cube in (None, CubeContext(needs=(3, 3))):
        common = {"cube": cube, "trials": 72, "truncate": 3, "policy": First()}
        plain = rollout(OPENING, luck="none", **common)
        lucky = rollout(OPENING, luck="player", evaluator=net_of_all_plays(), **common)
        again = rollout(OPENING, luck="player", evaluator=InPython(), **common)
        assert bits(again) == bits(lucky)
        # the values of the trials differ by the luck, the mean hardly
        assert (lucky.totals.first_values != plain.totals.first_values).any()
        assert lucky.best.win == pytest.approx(plain.best.win, abs=0.05)


def test_a_cube_that_makes_no_sense_is_refused():
    with pytest.raises(RolloutError, match="CubeContext or a GameState"):
        rollout(OPENING, cube="centred")
    for policy in ("random", "pips", "table"):
        rollout(OPENING, cube=CubeContext(), policy=policy, trials=2)
    rollout(OPENING, cube=CubeContext(), evaluator=PipCountEvaluator(), luck="player", trials=2)


class Outside:
    """An evaluator that the core knows nothing of, which judges as another one does."""

    def __init__(self, inner):
        self.inner = inner

    def evaluate(self, boards):
        return self.inner.evaluate(boards)


@pytest.mark.parametrize("plies", [1, 2])
def test_plays_with_a_cube_are_chosen_as_deep_as_the_player_looks(plies):
    # one roll, then the judgement of the board that was chosen: by the core, which looks at the
    # best plays of each ply, and by asking for every play
    ahead = NetEvaluator("fast", plies=plies)
    board = Board(
        cells_of(
            "9:2 6:2 4:2 2:1",
            "20:1 5:3 3:2",
        )
    )
    settings = {"cube": CubeContext(), "trials": 36, "truncate": 1, "luck": "none"}
    found = [
        rollout(board, evaluator=judge, policy=judge, **settings).best
        for judge in (ahead, Outside(ahead))
    ]
    ahead_of_all = found[1].equity_cubeful
    if plies == 1:  # no play that the board alone shows to be far worse is the best here
        assert found[0].equity_cubeful == pytest.approx(ahead_of_all, abs=1e-6)
        assert found[0].win == pytest.approx(found[1].win, abs=1e-6)
    assert ahead_of_all - 0.02 < found[0].equity_cubeful < ahead_of_all + 1e-6
    still = rollout(board, evaluator=ahead, policy=NetEvaluator("fast"), **settings).best
    assert found[0].equity_cubeful >= still.equity_cubeful
