"""Cube decisions by rollout: no double against double and take, with common dice."""

import math
import time
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bgcore.block_totals import BlockTotals
from bgcore.board import Board
from bgcore.checks import flag, jobs_number, whole_number
from bgcore.cube_decision import CubeDecision, decision_of
from bgcore.cube_model import CubeContext, emg
from bgcore.cube_rows import start_row
from bgcore.errors import RolloutError
from bgcore.evaluators import Evaluator
from bgcore.first_rolls import first_roll_means
from bgcore.game_state import GameState
from bgcore.policies import Policy
from bgcore.position import Position, game_of
from bgcore.rollout import (
    MAX_TRIALS,
    Candidate,
    Progress,
    Setup,
    candidate_of,
    checked_executor,
    checked_progress,
    equities_of_utility,
    plot_candidates,
    points_of_utility,
    prepare,
)
from bgcore.rollout_plots import plot_first_rolls
from bgcore.rollout_work import Plan, play_missing

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["CubeRollout", "prepare_cube", "result_of_cube", "rollout_cube"]

#: Places of the two candidates.
_NO_DOUBLE, _DOUBLE_TAKE = 0, 1
_ACTIONS = ("no double", "double, take")
#: The cube turned once and owned by side 1 (`bgcore.cube_rows`).
_TAKEN_ROW = 5


@dataclass(frozen=True)
class CubeRollout:
    """What a rollout found for a cube decision.

    Attributes
    ----------
    decision : CubeDecision
        From the means of the rollout: equities, verdict, what each mistake costs.
    no_double_se, double_take_se : float
        Standard errors of its `no_double` and `double_take`, in the same unit.
    difference_se : float
        Standard error of their difference, from the dice that the two share.
    no_double, double_take : Candidate
        Everything about the two. The equities of both are for each point of the cube before the
        double.
    board : Board
    seed : int
    trials : int
        Of each of the two.
    trials_wanted : int
    interrupted : bool
    luck, truncate, stop_at_tables : str, int or None, bool
        As they were used.
    totals : BlockTotals
        The exact sums of no double and of double and take.
    jobs : int
    seconds : float
    plan : Plan
        Everything that the trials depend on.
    """

    decision: CubeDecision
    no_double_se: float
    double_take_se: float
    difference_se: float
    no_double: Candidate
    double_take: Candidate
    board: Board
    seed: int
    trials: int
    trials_wanted: int
    interrupted: bool
    luck: str
    truncate: int | None
    stop_at_tables: bool
    totals: BlockTotals
    jobs: int
    seconds: float
    plan: Plan = field(repr=False, compare=False)

    @property
    def cube(self) -> CubeContext:
        """The cube and the score, seen by the player on roll."""
        return self.decision.context

    @property
    def games(self) -> int:
        """Trials of both together."""
        return 2 * self.trials

    @property
    def seconds_left(self) -> float:
        """Estimate of the time that the trials still wanted take."""
        left = max(self.trials_wanted - self.trials, 0)
        return self.seconds * left / self.trials if self.trials else 0.0

    @property
    def games_per_second(self) -> float:
        """Trials a second of both together."""
        return self.games / self.seconds if self.seconds > 0 else 0.0

    @property
    def verdict_errors(self) -> tuple[float, float]:
        """How many standard errors away the decision is from another one.

        First that of the player on roll: to double, against rolling. Then that of the opponent: to
        take, against passing; or to beaver, against taking. Infinite where nothing is uncertain.
        """
        found = self.decision
        gap, answer = abs(found.no_double - found.answered), found.double_take - found.double_pass
        if found.should_beaver:
            # two times double and take: no more than these together
            error, answer = self.difference_se + self.double_take_se, found.double_take
        elif answer > 0:
            error = self.no_double_se
        else:
            error = self.difference_se
        return _ratio(gap, error), _ratio(abs(answer), self.double_take_se)

    def by_first_roll(self, action: str = "no double") -> NDArray[np.float64]:
        """Return the equity of an action after each first roll.

        Parameters
        ----------
        action : {"no double", "double, take"}

        Returns
        -------
        (6, 6) float64 array
            By the two dice, less 1. NaN: no trial had this roll.

        Raises
        ------
        RolloutError
            There is no such action, or the trials ended before the first roll.
        """
        if action not in _ACTIONS:
            raise RolloutError(f"there is no action {action!r}; right are {', '.join(_ACTIONS)}")
        means = first_roll_means(self.plan, self.totals, _ACTIONS.index(action))
        return equities_of_utility(means, self.cube)

    def plot(
        self,
        what: str = "convergence",
        *,
        action: str = "no double",
        ax: "Axes | None" = None,
    ) -> "Axes":
        """Draw a picture; needs matplotlib (`pip install 'bgcore[plot]'`).

        Parameters
        ----------
        what : {"convergence", "outcomes", "first roll"}
            See `bgcore.RolloutResult.plot`.
        action : {"no double", "double, take"}
            Of which the map of the first rolls is drawn.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure if not given.

        Returns
        -------
        matplotlib.axes.Axes

        Raises
        ------
        RolloutError
            There is no such picture, no matplotlib, or the blocks were not kept.
        """
        if what == "first roll":
            return plot_first_rolls(self.by_first_roll(action), action, ax)
        candidates = (self.no_double, self.double_take)
        named = list(zip(_ACTIONS, (_NO_DOUBLE, _DOUBLE_TAKE), candidates, strict=True))
        return plot_candidates(what, named, self.totals, self.cube, ax)

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values, the same for any number of jobs."""

        def known(error: float) -> float | None:
            return None if math.isnan(error) else error

        return {
            "id": self.board.position_id,
            "dice": None,
            "seed": self.seed,
            "trials": self.trials,
            "ranges": [list(pair) for pair in self.totals.ranges],
            "interrupted": self.interrupted,
            "luck": self.luck,
            "truncate": self.truncate,
            "stop_at_tables": self.stop_at_tables,
            **self.decision.to_dict(),
            "no_double_se": known(self.no_double_se),
            "double_take_se": known(self.double_take_se),
            "difference_se": known(self.difference_se),
            "candidates": [
                {"action": _ACTIONS[_NO_DOUBLE], **self.no_double.to_dict()},
                {"action": _ACTIONS[_DOUBLE_TAKE], **self.double_take.to_dict()},
            ],
        }


def _ratio(value: float, error: float) -> float:
    return value / error if error > 0 else math.inf


def rollout_cube(
    position: GameState | Position | Board | ArrayLike,
    cube: CubeContext | None = None,
    *,
    evaluator: Evaluator | None = None,
    policy: str | Policy | Evaluator | None = None,
    trials: SupportsIndex = 1296,
    seed: SupportsIndex | np.random.SeedSequence = 0,
    truncate: SupportsIndex | None = None,
    luck: str = "auto",
    jobs: SupportsIndex = 1,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
    stratified: bool = True,
    stop_at_tables: bool | None = None,
    keep_blocks: bool = False,
) -> CubeRollout:
    """Roll out a cube decision: rolling without a double, and a double that is taken.

    Both are played with the same dice. After the first roll the cube is played as in
    `bgcore.rollout`.

    Parameters
    ----------
    position : GameState, Position, Board or (26,) array_like
        Before the roll, dice in a `Position` do not count; a board is seen by the player on roll.
    cube : CubeContext, optional
        The cube and the score, seen by the player on roll. Only with a board; money with a cube in
        the middle, without Jacoby rule and beavers, if not given.
    evaluator, policy, trials, seed, truncate, luck, jobs, executor, progress, stratified
        See `bgcore.rollout`.
    stop_at_tables, keep_blocks
        See `bgcore.rollout`.

    Returns
    -------
    CubeRollout

    Raises
    ------
    RolloutError
        The player on roll cannot double, or a setting is out of range.
    BoardError, DiceError, EvaluatorError, KeyboardInterrupt
        See `bgcore.rollout`.

    Examples
    --------
    >>> from bgcore import Board
    >>> result = rollout_cube(Board.opening(), trials=36)
    >>> result.decision.text
    'no double, take'
    """
    n_trials = whole_number(trials, "trials", 1, MAX_TRIALS, RolloutError)
    n_jobs = jobs_number(jobs, RolloutError)
    setup = prepare_cube(
        position,
        cube,
        evaluator=evaluator,
        policy=policy,
        seed=seed,
        truncate=truncate,
        luck=luck,
        stratified=stratified,
        stop_at_tables=stop_at_tables,
    )
    began = time.perf_counter()

    def result(totals: BlockTotals, interrupted: bool = False) -> CubeRollout:
        return result_of_cube(
            setup,
            totals,
            trials_wanted=n_trials,
            interrupted=interrupted,
            jobs=n_jobs,
            seconds=time.perf_counter() - began,
        )

    return result(
        *play_missing(
            setup.plan,
            setup.plan.new_totals(keep_blocks=flag(keep_blocks, "keep_blocks", RolloutError)),
            0,
            n_trials,
            jobs=n_jobs,
            executor=checked_executor(executor),
            progress=checked_progress(progress),
            result_of=result,
        )
    )


def prepare_cube(
    position: GameState | Position | Board | ArrayLike,
    cube: CubeContext | None = None,
    **settings: Any,
) -> Setup:
    """Check the settings that trials depend on, see `rollout_cube`."""
    board: Board | ArrayLike
    if isinstance(position, (GameState, Position)):
        if cube is not None:
            raise RolloutError("a game has a cube of its own; give the board to change it")
        state = game_of(position, before_roll=True)
        board, context = state.board, CubeContext.of(state)
    else:
        board, context = position, CubeContext() if cube is None else cube
    if isinstance(context, CubeContext) and not context.may_double:
        raise RolloutError("the player on roll cannot double: there is no decision to roll out")
    setup = prepare(board, cube=context, **settings)
    plan = setup.plan
    # the first rolls at once; the other one is the opponent's cube
    plan.boards = np.repeat(plan.boards, 2, axis=0)
    plan.starts = ((start_row(context), 1), (_TAKEN_ROW, 1))
    return replace(setup, boards_after=plan.boards)


def result_of_cube(
    setup: Setup,
    totals: BlockTotals,
    *,
    trials_wanted: int,
    interrupted: bool,
    jobs: int,
    seconds: float,
) -> CubeRollout:
    """Return what totals tell about a cube decision that `prepare_cube` set up."""
    context = setup.cube
    if context is None:
        raise RolloutError("no cube was played: this is no cube decision")
    means = [totals.mean(place)[-1] for place in (_NO_DOUBLE, _DOUBLE_TAKE)]
    best = int(means[_DOUBLE_TAKE] > means[_NO_DOUBLE])
    hold, taken = (
        candidate_of(totals, place, best, None, setup.board, context)
        for place in (_NO_DOUBLE, _DOUBLE_TAKE)
    )
    cubeless = hold.equity_cubeless
    if context.is_match:
        win, wg, wbg, lg, lbg = hold.probabilities
        shares = (lbg, lg - lbg, 1 - win - lg, win - wg, wg - wbg, wbg)
        kinds = (-3, -2, -1, 1, 2, 3)
        mwc = sum(
            share * context.mwc_after(kind * context.cube)
            for share, kind in zip(shares, kinds, strict=True)
        )
        cubeless = float(emg(mwc, context))
    scale = points_of_utility(context)
    return CubeRollout(
        decision=decision_of(hold.probabilities, cubeless, _equity(hold), _equity(taken), context),
        no_double_se=totals.standard_errors(_NO_DOUBLE)[-1] * scale,
        double_take_se=totals.standard_errors(_DOUBLE_TAKE)[-1] * scale,
        difference_se=totals.difference_error(_NO_DOUBLE, _DOUBLE_TAKE) * scale,
        no_double=hold,
        double_take=taken,
        board=setup.board,
        seed=setup.plan.seed,
        trials=totals.trials,
        trials_wanted=trials_wanted,
        interrupted=interrupted,
        luck=setup.plan.luck,
        truncate=setup.plan.truncate or None,
        stop_at_tables=setup.plan.stop_at_tables,
        totals=totals,
        jobs=jobs,
        seconds=seconds,
        plan=setup.plan,
    )


def _equity(candidate: Candidate) -> float:
    if candidate.equity_cubeful is None:
        raise RolloutError("no cube was played: this is no cube decision")
    return candidate.equity_cubeful
