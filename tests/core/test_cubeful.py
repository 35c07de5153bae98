"""The cube of the core: the model and its choices are those of Python, at any score."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bgcore import Board, CubeContext, cube_equity, rollout
from bgcore._core import playout as core
from bgcore._core.cubeful import CubeRows
from bgcore.corpus import contact_boards, walked_boards
from bgcore.cube_decision import cube_life, decide
from bgcore.cube_rows import GROWTH, cube_rows, start_row
from bgcore.dice import DiceStream
from bgcore.errors import RolloutError
from bgcore.evaluators import NetEvaluator

UNIT = 2**30
OWNERS = ("centred", "own", "opponent")
OPENING = Board.opening().to_array()
#: Contact, races and bear-offs.
BOARDS = np.concatenate([contact_boards()[::200], walked_boards(60)])


@st.composite
def contexts(draw):
    owner = draw(st.sampled_from(OWNERS))
    cube = 1 << draw(st.integers(0, 5))
    if draw(st.booleans()):
        limit = draw(st.sampled_from([cube, 2 * cube, 8 * cube, 1 << 15]))
        return CubeContext(
            cube=cube,
            owner=owner,
            jacoby=draw(st.booleans()),
            beavers=draw(st.integers(0, 2)),
            beaver_drop=draw(st.booleans()),
            limit=limit,
        )
    needs = draw(st.tuples(st.integers(1, 17), st.integers(1, 17)))
    crawford = needs != (1, 1) and min(needs) == 1 and draw(st.booleans())
    return CubeContext(
        cube=cube,
        owner=owner,
        needs=needs,
        is_crawford=crawford,
        after_crawford=min(needs) == 1 and not crawford,
    )


@st.composite
def fives(draw):
    def part(whole):
        return draw(st.integers(0, whole))

    win = part(UNIT)
    wg, lg = part(win), part(UNIT - win)
    return [win, wg, part(wg), lg, part(lg)]


def at_row(context, row, side):
    """The context of a row, seen by a side."""
    here = replace(
        context,
        cube=context.cube << row // 3,
        owner=OWNERS[row % 3],
        limit=min(context.limit, GROWTH * context.cube),
    )
    return here.swapped() if side else here


def points(context, row):
    """Utility of a point of the row's cube."""
    return 1.0 if context.is_match else float(1 << row // 3)


@given(contexts(), fives(), st.integers(0, len(BOARDS) - 1), st.data())
@example(CubeContext(needs=(3, 5)), [UNIT, UNIT, UNIT, 0, 0], 0, None)
@example(CubeContext(jacoby=True), [0, 0, 0, UNIT, UNIT], 0, None)
def test_the_model_is_that_of_python(context, five, place, data):
    rows = cube_rows(context)
    board = BOARDS[place]
    row, side = 0, 1
    if data is not None:
        row, side = data.draw(st.integers(0, 3 * rows.n_levels - 1)), data.draw(st.integers(0, 1))
    found = rows.equity(board[None], [five], row, side)[0]
    here = at_row(context, row, side)
    wanted = cube_equity(np.array(five) / UNIT, here, cube_life(board[None]))[0]
    assert found == pytest.approx(wanted * points(context, row), rel=1e-12, abs=1e-12)


# a taker who wins more than two points a game does not beaver: the doubler would drop
@given(contexts(), fives(), st.integers(0, len(BOARDS) - 1))
@example(CubeContext(beavers=1), [0, 0, 0, UNIT, UNIT], 0)
@example(CubeContext(beavers=1, beaver_drop=False), [0, 0, 0, UNIT, UNIT], 0)
def test_choices_are_the_decisions_of_python(context, five, place):
    board = BOARDS[place]
    # the exact table is not asked here, and the last doubles before the limit are others
    context = replace(context, limit=max(context.limit, 4 * context.cube))
    if Board(board).phase != 3:
        board = OPENING
    choice, utility = cube_rows(context).choices(board[None], [five], start_row(context), 0)
    decision = decide(Board(board), np.array(five) / UNIT, context)
    if not context.may_double or context.is_dead:
        assert choice == 0
        return
    scale = 1.0
    middle = 0.0
    if context.is_match:
        low, high = context.mwc_after(-context.cube), context.mwc_after(context.cube)
        scale, middle = (high - low) / 2, (high + low) / 2
    gain = decision.answered - decision.no_double
    if abs(gain) > 1e-6:
        assert (choice[0] != 0) == (gain > 0)
    assert utility[0] == pytest.approx(middle + scale * decision.equity_cubeful, abs=2e-6)
    if choice[0] and abs(decision.double_take - decision.double_pass) > 1e-6:
        assert (choice[0] == 2) == (not decision.should_take)
        if choice[0] != 2 and decision.double_beaver is not None and abs(utility[0]) > 1e-6:
            assert (choice[0] >= 3) == decision.should_beaver


def test_under_jacoby_a_double_that_is_beavered_can_be_right():
    # Kauder's paradox: 30 % wins, all of them backgammons, which do not count before the double
    board = np.zeros(26, np.int8)
    board[[6, 19]] = 15, -15
    win = int(0.2985 * UNIT)
    five = [win, win, win, 0, 0]
    taken = cube_equity(np.array(five) / UNIT, CubeContext(cube=2, owner="opponent"), 0.6)[0]
    assert -0.05 < taken < 0
    for beavers, choice, worth in ((0, 1, 2 * taken), (1, 3, 4 * taken), (2, 3, 4 * taken)):
        rows = cube_rows(CubeContext(jacoby=True, beavers=beavers))
        found = rows.choices(board[None], [five], 0, 0)
        assert found[0][0] == choice
        assert found[1][0] == pytest.approx(worth, abs=1e-8)


@pytest.mark.parametrize(
    ("chance", "choice", "level"), [(0.4, 3, 2), (0.25, 4, 1), (0.95, 2, 0), (0.6, 1, 1)]
)
def test_trials_go_on_after_every_choice(chance, choice, level):
    # rows in which rolling without a double would cost twenty points, so that every double is
    # right: the one that is beavered, and the one whose beaver is dropped, too
    rows = list(cube_rows(CubeContext(beavers=1)).arguments)
    rows[0] = np.array(rows[0])
    rows[0][0, 0, 3:] = -20
    cube = CubeRows(*rows)
    net = NetEvaluator("fast")
    boards = contact_boards()
    wins = net.evaluate(boards)
    gammons = wins[:, 1] + wins[:, 3]
    at = int(np.argmin(np.abs(wins[:, 0] - chance) + gammons))
    playout = core.Playout(
        DiceStream(1), core.BEST_PLAY, player=net.core, evaluator=net.core, cube=cube
    )
    fives = net.core.evaluate_fixed(boards[at : at + 1], after=False)
    assert cube.choices(boards[at : at + 1], fives, 0, 0)[0][0] == choice
    _, _, plies, values = playout.blocks(boards[at : at + 1], False, 0, 36, 36)
    ends = plies[0, 0, 2:].reshape(12, 9)
    assert ends.sum() == 36
    assert not ends[:level].any()
    if choice == 2:
        assert ends[0, 6] == 36
        assert (values[:, 0, 6] == UNIT).all()
    elif choice == 4:
        assert ends[1, 7] == 36
        assert (values[:, 0, 6] == -2 * UNIT).all()
    else:
        assert plies[0, 0, 0] > 36
        assert ends[level].any()


def test_the_money_cube_stops_at_its_growth_and_at_the_limit():
    for context, n_levels in (
        (CubeContext(), 11),
        (CubeContext(cube=64), 10),
        (CubeContext(limit=4), 3),
        (CubeContext(has_cube=False), 1),
        (CubeContext(needs=(7, 5)), 4),
        (CubeContext(needs=(7, 5), cube=8), 2),
        (CubeContext(needs=(1, 4), is_crawford=True), 1),
    ):
        rows = cube_rows(context)
        assert rows.n_levels == n_levels, context
        assert rows.total == context.is_match
    rows = cube_rows(CubeContext())
    assert rows.stake(0, 2) == 3 * UNIT
    assert rows.stake(31, 5) == -3072 * UNIT
    # nobody doubles any more
    assert rows.choices(OPENING[None], [[UNIT * 4 // 5, 0, 0, 0, 0]], 31, 0)[0][0] == 0
    assert rows.choices(OPENING[None], [[UNIT * 4 // 5, 0, 0, 0, 0]], 28, 0)[0][0] == 2


def test_rows_can_be_sent_to_another_process():
    rows = cube_rows(CubeContext(needs=(3, 4), owner="own", cube=2))
    copy = pickle.loads(pickle.dumps(rows))
    five = [[UNIT // 3, UNIT // 9, 0, UNIT // 5, 0]]
    for row in range(3 * rows.n_levels):
        assert copy.equity(OPENING[None], five, row, 1) == rows.equity(OPENING[None], five, row, 1)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"stakes": np.zeros((4, 2, 6))}, "no rows of a cube"),
        ({"stakes": np.full((6, 2, 6), 1e9)}, "too large"),
        ({"doubles": np.ones((6, 2), int)}, "not among the rows"),
        ({"doubles": np.full((6, 2), 2)}, "numbers from 0 to 1"),
        ({"lines": np.zeros((6, 2))}, "do not fit"),
        ({"rank_rows": [0, 1, 2, 3, 4, 6]}, "no row 6"),
        ({"total": 2}, "do not fit"),
    ],
)
def test_rows_that_do_not_fit_are_refused(change, message):
    none = np.zeros((6, 2), int)
    parts = {
        "stakes": np.zeros((6, 2, 6)),
        "doubles": none,
        "takes": none,
        "take_rows": none,
        "planes": none,
        "beavers": none,
        "lines": np.zeros((6, 2, 2)),
        "rank_rows": range(6),
        "total": 0,
        "beaver_drop": True,
        "close_level": 12,
    }
    CubeRows(**parts)
    with pytest.raises(RolloutError, match=message):
        CubeRows(**{**parts, **change})


def test_trials_refuse_what_is_no_start():
    net = NetEvaluator().core
    rows = cube_rows(CubeContext())
    playout = core.Playout(DiceStream(1), core.BEST_PLAY, player=net, evaluator=net, cube=rows)
    with pytest.raises(RolloutError, match="row of the cube"):
        playout.trial_values(OPENING, False, 0, 1, row=33)
    with pytest.raises(RolloutError, match="row of the cube"):
        playout.blocks(OPENING[None], False, 0, 1, 36, starts=[[0, 2]])
    with pytest.raises(RolloutError, match="need a cube"):
        core.Playout(DiceStream(1), core.RANDOM_PLAY).blocks(
            OPENING[None], False, 0, 1, 36, starts=[[0, 0]]
        )
    with pytest.raises(RolloutError, match="row of the cube"):
        core.Lockstep(playout, OPENING[None], False, 0, 1, starts=[[33, 0]])
    with pytest.raises(RolloutError, match="need an evaluator"):
        core.Playout(DiceStream(1), core.RANDOM_PLAY, cube=rows).trial_values(OPENING, False, 0, 1)
    with pytest.raises(RolloutError, match="no row 33"):
        rows.equity(OPENING[None], [[0] * 5], 33, 0)


def test_lockstep_asks_for_the_cube_before_the_roll():
    # nobody in the core knows what the boards are worth
    playout = core.Playout(DiceStream(1), core.BEST_PLAY, cube=cube_rows(CubeContext()))
    live = core.Lockstep(playout, OPENING[None], False, 0, 3)
    assert (live.cube_boards() == OPENING).all()
    assert len(live.cube_boards()) == 3
    with pytest.raises(RolloutError, match="comes before the roll"):
        live.roll()
    with pytest.raises(RolloutError, match="five probabilities"):
        live.play_cube(np.zeros((2, 5), np.int32))
    half = np.array([[1 << 29, 0, 0, 0, 0]] * 3, np.int32)
    live.play_cube(half)
    assert len(live.cube_boards()) == 0
    _, plays, _ = live.roll()
    with pytest.raises(RolloutError, match="five probabilities for each play"):
        live.choose_by(np.zeros((1, 5), np.int32), True)
    with pytest.raises(RolloutError, match="no live trial"):
        live.add_luck(np.zeros((1, 21, 5), np.int32), np.array([3]))
    assert len(live.luck_wanted(False)) == 0
    assert live.luck_wanted(True).tolist() == [0, 1, 2]
    chosen = live.choose_by(np.zeros((len(plays), 5), np.int32), True)
    assert chosen.tolist() == [0, 0, 0]
    # a passed double ends a trial before it rolls
    sure = core.Lockstep(playout, OPENING[None], False, 0, 2)
    sure.play_cube(np.array([[int(0.9 * 2**30), 0, 0, 0, 0]] * 2, np.int32))
    assert len(sure.roll()[0]) == 0
    assert (sure.totals(36)[3][:, 0, 6] == 1 << 30).all()


@pytest.mark.parametrize("plies", [0, 1])
def test_with_and_without_a_cube_a_fast_net_makes_the_same_first_choice(plies):
    # where the cube is out of use the plays are those of games without one
    strong = NetEvaluator("strong", plies=plies)
    dead = CubeContext(has_cube=False)

    def rolled_out(board, **cube):
        plan = {"trials": 144 >> plies, "truncate": 12 >> plies, "luck": "none", "seed": 3}
        best = rollout(Board(board.tolist()), evaluator=strong, **plan, **cube).best
        return best.probabilities, best.equity_cubeless

    for board in contact_boards()[5:2000:400]:
        assert rolled_out(board, cube=dead) == rolled_out(board)
