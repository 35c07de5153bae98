"""Rollouts: Monte Carlo equities of positions and of plays, with their errors."""

import math
import operator
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bgcore._core.board import swap_boards
from bgcore._core.cubeful import CubeRows
from bgcore._core.dice import DiceStream
from bgcore._core.movegen import legal_plays
from bgcore.block_totals import OUTPUTS, BlockTotals
from bgcore.board import Board, Phase
from bgcore.checks import executor_of, flag, jobs_number, takes, whole_number
from bgcore.cube_model import CubeContext, emg, game_ends
from bgcore.cube_rows import cube_rows, start_row
from bgcore.errors import BoardError, RolloutError
from bgcore.evaluators import Evaluator, NetEvaluator, check_game
from bgcore.first_rolls import first_roll_means
from bgcore.game_state import GameState
from bgcore.notation import Play
from bgcore.policies import POLICY_NAMES, Policy, equities_of, is_policy, values_after
from bgcore.position import Position, game_of
from bgcore.rollout_plots import (
    PLOTS,
    Line,
    Outcomes,
    plot_convergence,
    plot_first_rolls,
    plot_outcomes,
)
from bgcore.rollout_work import MAX_PLIES, Plan, Progress, play_missing, roll_net_of
from bgcore.rolls import Dice, parse_dice

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "LUCK_NAMES",
    "MAX_TRIALS",
    "Candidate",
    "CubeEnds",
    "Progress",
    "RolloutResult",
    "Setup",
    "checked_executor",
    "checked_progress",
    "prepare",
    "rollout",
]

MAX_TRIALS = 2**40
#: Plays that are rolled out if it is not said which.
DEFAULT_PLAYS = 8
#: More than any roll has.
MAX_PLAYS = 10_000

#: What the luck of a roll may be measured by; see `rollout`.
LUCK_NAMES = ("auto", "none", "net", "player", "table", "net+table", "player+table")


class CubeEnds(NamedTuple):
    """How trials ended with one value of the cube, as shares of all trials.

    Seen by the side on roll in the position that was rolled out. After a double that is passed the
    cube is what it was before the double.
    """

    #: What the cube shows at the end.
    cube: int
    #: Played to the end: won single games, gammons, backgammons, and lost ones.
    won: float
    won_gammon: float
    won_backgammon: float
    lost: float
    lost_gammon: float
    lost_backgammon: float
    #: A double that was passed, by the other side and by this one.
    cashed: float
    passed: float
    #: Cut off, or stopped at the exact table.
    valued: float


@dataclass(frozen=True)
class Candidate:
    """What a rollout found for one play, or for the position itself.

    All numbers are those of the side on roll in the position that was rolled out.

    Attributes
    ----------
    play : Play or None
        None: the position was rolled out before the roll.
    board : Board
        After the play, seen by the mover; without dice the position itself.
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon : float
        Cumulative probabilities. With luck taken out they may leave [0, 1] by chance; they are
        not clipped, so that they stay unbiased.
    equity_cubeless : float
        Points a game without a cube.
    standard_errors : tuple of 6 float
        Of the five probabilities and the equity; NaN if there was one trial only. The estimator
        is described in `bgcore.block_totals.BlockTotals`.
    trials : int
    mean_plies : float
        Turns of a trial.
    loss : float
        Equity of the best candidate less this one's, over the trials that both have played;
        cubeful if the cube is played.
    loss_se : float
        Standard error of the loss, from the dice that the two share; 0 for the best one.
    equity_cubeful, equity_cubeful_se : float or None
        With the cube: points for each point of the cube as it stands, in a match money-like
        (`bgcore.cube_model.emg`); and the standard error. None if the cube is not played.
    mwc, mwc_se : float or None
        The chance to win the match, and its standard error.
    cubes : tuple of CubeEnds
        How the trials ended, by the value of the cube at the end; those values that came up.
    """

    play: Play | None
    board: Board
    win: float
    win_gammon: float
    win_backgammon: float
    lose_gammon: float
    lose_backgammon: float
    equity_cubeless: float
    standard_errors: tuple[float, ...]
    trials: int
    mean_plies: float
    loss: float
    loss_se: float
    equity_cubeful: float | None = None
    equity_cubeful_se: float | None = None
    mwc: float | None = None
    mwc_se: float | None = None
    cubes: tuple["CubeEnds", ...] = ()

    @property
    def equity_se(self) -> float:
        """Standard error of the cubeless equity."""
        return self.standard_errors[-1]

    @property
    def probabilities(self) -> tuple[float, ...]:
        """The five probabilities in their order."""
        return tuple(getattr(self, name) for name in OUTPUTS[:-1])

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values: each of the six with its standard error `..._se`.

        An error that is not known is None.
        """
        values: dict[str, Any] = {"play": None if self.play is None else str(self.play)}
        for name, error in zip(OUTPUTS, self.standard_errors, strict=True):
            values[name] = getattr(self, name)
            values[f"{name}_se"] = _known(error)
        if self.equity_cubeful is not None:
            values["equity_cubeful"] = self.equity_cubeful
            values["equity_cubeful_se"] = _known(self.equity_cubeful_se)
            values["cubes"] = [ends._asdict() for ends in self.cubes]
        if self.mwc is not None:
            values["mwc"] = self.mwc
            values["mwc_se"] = _known(self.mwc_se)
        values["loss"] = self.loss
        values["loss_se"] = _known(self.loss_se)
        values["trials"] = self.trials
        values["mean_plies"] = self.mean_plies
        return values


def _known(error: float | None) -> float | None:
    return None if error is None or math.isnan(error) else error


@dataclass(frozen=True)
class RolloutResult:
    """What a rollout found.

    Attributes
    ----------
    board : Board
    dice : (int, int) or None
    candidates : tuple of Candidate
        The best first; one if no dice were given.
    seed : int
    trials : int
        Trials that were played; of a candidate that was dropped on the way fewer, see
        `Candidate.trials`.
    trials_wanted : int
    interrupted : bool
        Whether the rollout was cancelled or stopped by ctrl-C; `trials` tells how many were done.
    luck, truncate, stop_at_tables : str, int or None, bool
        As they were used.
    totals : BlockTotals
        The exact sums, in the order of `order`: candidate i stands at place ``order[i]``.
    order : tuple of int
    jobs : int
    seconds : float
    cube : CubeContext or None
        The cube and the score, seen by the side on roll; None: the cube was not played.
    plan : Plan
        Everything that the trials depend on.
    """

    board: Board
    dice: tuple[int, int] | None
    candidates: tuple[Candidate, ...]
    seed: int
    trials: int
    trials_wanted: int
    interrupted: bool
    luck: str
    truncate: int | None
    stop_at_tables: bool
    totals: BlockTotals
    order: tuple[int, ...]
    jobs: int
    seconds: float
    cube: CubeContext | None
    plan: Plan = field(repr=False, compare=False)

    @property
    def best(self) -> Candidate:
        """The candidate with the largest equity."""
        return self.candidates[0]

    @property
    def games(self) -> int:
        """Trials of all candidates together."""
        return sum(candidate.trials for candidate in self.candidates)

    @property
    def seconds_left(self) -> float:
        """Estimate of the time that the trials still wanted take."""
        left = max(self.trials_wanted - self.trials, 0)
        return self.seconds * left / self.trials if self.trials else 0.0

    @property
    def games_per_second(self) -> float:
        """Trials a second of all candidates together."""
        return self.games / self.seconds if self.seconds > 0 else 0.0

    def by_first_roll(self, rank: SupportsIndex = 1) -> NDArray[np.float64]:
        """Return the equity of a candidate after each first roll.

        With dice given the first roll is the opponent's, who answers the play. A mean over n
        trials has about the standard error of a single trial divided by sqrt(n).

        Parameters
        ----------
        rank : int, default 1
            Of the candidate; 1 is the best.

        Returns
        -------
        (6, 6) float64 array
            By the two dice, less 1; cubeful if the cube is played. NaN: no trial had this roll.

        Raises
        ------
        RolloutError
            There is no such candidate, or the trials ended before the first roll.
        """
        number = whole_number(rank, "rank", 1, len(self.candidates), RolloutError)
        means = first_roll_means(self.plan, self.totals, self.order[number - 1])
        return equities_of_utility(means, self.cube)

    def plot(
        self, what: str = "convergence", *, rank: SupportsIndex = 1, ax: "Axes | None" = None
    ) -> "Axes":
        """Draw a picture; needs matplotlib (`pip install 'bgcore[plot]'`).

        Parameters
        ----------
        what : {"convergence", "outcomes", "first roll"}
            How the equities settled, with their band of 95 % confidence (needs `keep_blocks`); how
            often games end in each of the six ways; or a map of the equity by the first roll.
        rank : int, default 1
            Of the candidate of the map.
        ax : matplotlib.axes.Axes, optional
            Where to draw; a new figure if not given.

        Returns
        -------
        matplotlib.axes.Axes
            What was drawn on; ``ax.figure.savefig("x.png")`` makes a file of it.

        Raises
        ------
        RolloutError
            There is no such picture, no matplotlib, or the blocks were not kept.
        """
        names = [
            "before the roll" if candidate.play is None else str(candidate.play)
            for candidate in self.candidates
        ]
        if what == "first roll":
            equities = self.by_first_roll(rank)
            return plot_first_rolls(equities, names[operator.index(rank) - 1], ax)
        return plot_candidates(
            what,
            list(zip(names, self.order, self.candidates, strict=True)),
            self.totals,
            self.cube,
            ax,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values, the same for any number of jobs."""
        return {
            "id": self.board.position_id,
            "dice": None if self.dice is None else list(self.dice),
            "seed": self.seed,
            "trials": self.trials,
            "ranges": [list(pair) for pair in self.totals.ranges],
            "interrupted": self.interrupted,
            "luck": self.luck,
            "truncate": self.truncate,
            "stop_at_tables": self.stop_at_tables,
            "candidates": [candidate.to_dict() for candidate in self.candidates],
        }


def rollout(
    board: Board | ArrayLike,
    dice: "Dice | None" = None,
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
    plays: SupportsIndex | str | None = None,
    opening: bool = False,
    stratified: bool = True,
    stop_at_tables: bool | None = None,
    cube: CubeContext | GameState | Position | None = None,
    keep_blocks: bool = False,
) -> RolloutResult:
    """Roll out a position, or the plays of a roll: the mean of many games played from it.

    The dice of trial t, ply p depend on the seed and on nothing else; all plays get the same
    dice. The result is the same to the last bit for any number of jobs.

    Parameters
    ----------
    board : Board or (26,) array_like
        Seen by the side on roll.
    dice : str or pair of int, optional
        Given: each of the best plays of this roll is rolled out, and they are ranked. Otherwise
        the position before the roll.
    evaluator : Evaluator, default the net that comes with bgcore
        Chooses the plays unless a policy does, values truncated trials, and picks the plays that
        are rolled out. Each `evaluate` gets many boards; finished games are never shown to it.
        With ``jobs`` above 1 it is called from several threads.
    policy : str, Evaluator or Policy, default the evaluator's best play
        Who chooses the plays for both sides; see `bgcore.policies`.
    trials : int, default 1296
        1 to 2**40, of each candidate. Multiples of 36, better 1,296, use the dice best.
    seed : int or SeedSequence, default 0
        0 <= seed < 2**128.
    truncate : int, optional
        Stop every trial after so many plies (turns of either side, at least 1) and take the
        evaluator's values. Without it trials go to the end.
    luck : str, default "auto"
        How the luck of the rolls is measured that is taken out of each trial. Any measure leaves
        the means as they are and only changes the errors.

        * "none": nothing is taken out
        * "net": the roll net, which sees all 21 rolls of a board at once
        * "player": the evaluator's value after its best play, from all 21 rolls
        * "table": the exact two-sided table, where it applies
        * "net+table", "player+table": the table where it applies, otherwise the other
        * "auto": "net"; "none" for the policy "random", or if the nets have no roll net
    jobs : int, default 1
        Threads, 1 to 1,024.
    executor : concurrent.futures.Executor, optional
        Where the work goes instead of threads of our own; `jobs` pieces are kept in flight.
        With processes, evaluator and policy must be picklable.
    progress : callable, optional
        Called now and then with a `Progress`, which tells how far it is, gives the result so far,
        and can cancel the rest. `bgcore.RolloutBar` shows it.
    plays : int or "all", optional
        With dice: how many plays are rolled out, the best by the evaluator's equity;
        8 by default.
    opening : bool, default False
        The first roll is that of a game's beginning: no doubles.
    stratified : bool, default True
        Spread the dice evenly over the trials (`bgcore.dice.DiceStream`).
    stop_at_tables : bool, optional
        End a trial with the exact value where the two-sided table applies. By default yes, except
        for the policies "random" and "pips" and objects with `choose`, whose own play would not
        be what is measured then. In a match with a live cube the table does not know enough.
    cube : CubeContext, GameState or Position, optional
        Play the cube in the trials, from this cube and score (that of the side on roll in
        `board`). Plays are chosen by cubeful equity, and candidates are ranked by it.
    keep_blocks : bool, default False
        Keep the sums of every block of 36 trials: for `bgcore.block_columns` and for the plot of
        convergence.

    Returns
    -------
    RolloutResult

    Raises
    ------
    BoardError
        The board is impossible, or the game is over.
    DiceError
        The dice or the seed cannot be read.
    RolloutError
        Another setting is out of range, or a trial did not end within 10,000 plies.
    EvaluatorError
        An evaluator or a policy of the caller returned something that cannot be used.
    KeyboardInterrupt
        Ctrl-C before the first piece of work was done. Later it ends the rollout, and the result
        holds the trials done so far, with `interrupted` set.

    Notes
    -----
    Standard errors: see `bgcore.block_totals.BlockTotals`.

    With a cube the side on roll decides before every roll, the first one of a position without
    dice included (`bgcore.rollout_cube` rolls out both sides of that decision). Doubles, takes,
    passes and beavers are those of the model of `bgcore.cube_model` with the evaluator's
    probabilities, which may look some plies ahead, exactly as in `bgcore.cube_decision`; plays are
    those of largest equity by the same model, the other side's double included. The policy "table"
    plays and doubles by the exact table where it applies, for money. A trial's cube grows
    1,024-fold at most. A policy with `choose` is not told of the cube.

    Luck is taken out of the cubeful equity too: by the roll net with the stakes of the cube as it
    is, by the evaluator with the model's equity after every roll, and by the exact table.

    Objects in Python are asked once a ply for all trials that go on together (about 1,024). They
    get the same dice, luck and arithmetic as the core: a net behind a Python object gives the same
    bits as the net itself, if no other net makes a first choice among its plays.

    Examples
    --------
    >>> from bgcore import Board
    >>> result = rollout(Board.opening(), "31", trials=36, policy="pips", truncate=2, plays=2)
    >>> len(result.candidates), result.trials
    (2, 36)
    """
    n_trials = whole_number(trials, "trials", 1, MAX_TRIALS, RolloutError)
    n_jobs = jobs_number(jobs, RolloutError)
    setup = prepare(
        board,
        dice,
        evaluator=evaluator,
        policy=policy,
        seed=seed,
        truncate=truncate,
        luck=luck,
        plays=plays,
        opening=opening,
        stratified=stratified,
        stop_at_tables=stop_at_tables,
        cube=cube,
    )
    began = time.perf_counter()

    def result(totals: BlockTotals, interrupted: bool = False) -> RolloutResult:
        return setup.result(
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


@dataclass(frozen=True)
class Setup:
    """What a rollout is about: the position, the candidates and how trials are played.

    Attributes
    ----------
    board : Board
    dice : (int, int) or None
    plays : tuple of Play
        The candidates, the best first by the evaluator; empty without dice.
    boards_after : (N, 26) int8 array
        After the plays, seen by the mover; without dice the position itself.
    plan : Plan
    cube : CubeContext or None
        Seen by the side on roll in `board`.
    """

    board: Board
    dice: tuple[int, int] | None
    plays: tuple[Play, ...]
    boards_after: NDArray[np.int8]
    plan: Plan
    cube: CubeContext | None = None

    def result(
        self,
        totals: BlockTotals,
        *,
        trials_wanted: int,
        interrupted: bool,
        jobs: int,
        seconds: float,
    ) -> RolloutResult:
        """Return what totals tell."""
        order = _ranked(totals)
        candidates = tuple(
            candidate_of(
                totals,
                i,
                order[0],
                None if self.dice is None else self.plays[i],
                self.board
                if self.dice is None
                else Board(self.boards_after[i], n_checkers=self.board.n_checkers),
                self.cube,
            )
            for i in order
        )
        return RolloutResult(
            board=self.board,
            dice=self.dice,
            candidates=candidates,
            seed=self.plan.seed,
            trials=totals.trials,
            trials_wanted=trials_wanted,
            interrupted=interrupted,
            luck=self.plan.luck,
            truncate=self.plan.truncate or None,
            stop_at_tables=self.plan.stop_at_tables,
            totals=totals,
            order=order,
            jobs=jobs,
            seconds=seconds,
            cube=self.cube,
            plan=self.plan,
        )


def points_of_utility(cube: CubeContext) -> float:
    """Return what 1 of utility (`bgcore.cube_rows`) is in points for each point of the cube."""
    if not cube.is_match:
        return 1.0
    lose, win = game_ends(cube)
    return 2 / (win - lose)


def equities_of_utility(
    utilities: NDArray[np.float64], cube: CubeContext | None
) -> NDArray[np.float64]:
    """Return equities of what trials are compared by; in a match money-like."""
    return emg(utilities, cube) if cube is not None and cube.is_match else utilities


def plot_candidates(
    what: str,
    named: Sequence[tuple[str, int, Candidate]],
    totals: BlockTotals,
    cube: CubeContext | None,
    ax: "Axes | None",
) -> "Axes":
    """Draw one of the pictures that show several candidates: names, places and candidates."""
    if what == "outcomes":
        return plot_outcomes(
            [
                Outcomes(name, candidate.probabilities, candidate.standard_errors[:5])
                for name, _, candidate in named
            ],
            ax,
        )
    if what != "convergence":
        raise RolloutError(f"there is no picture {what!r}; right are {', '.join(PLOTS)}")
    scale = 1.0 if cube is None else points_of_utility(cube)
    lines = []
    for name, place, _ in named:
        trials, means, errors = totals.convergence(place)
        lines.append(Line(name, trials, equities_of_utility(means, cube), errors * scale))
    return plot_convergence(lines, ax)


def candidate_of(
    totals: BlockTotals,
    place: int,
    best: int,
    play: Play | None,
    board: Board,
    cube: CubeContext | None,
) -> Candidate:
    """Return what totals tell about the candidate at a place, and about its loss to the best."""
    means, errors = totals.mean(place), totals.standard_errors(place)
    trials = totals.trials_of(place)
    loss, loss_error = totals.difference(best, place)
    scale = 1.0
    values: dict[str, Any] = dict(zip(OUTPUTS, means, strict=False))
    if cube is not None:
        scale = points_of_utility(cube)
        values["equity_cubeful"] = means[-1]
        values["equity_cubeful_se"] = errors[-1] * scale
        values["cubes"] = tuple(
            CubeEnds(cube.cube << level, *(int(count) / trials for count in counts))
            for level, counts in enumerate(totals.ends[place])
            if counts.any()
        )
        if cube.is_match:
            values["equity_cubeful"] = float(emg(means[-1], cube))
            values["mwc"], values["mwc_se"] = means[-1], errors[-1]
    return Candidate(
        play,
        board,
        **values,
        standard_errors=errors[: len(OUTPUTS)],
        trials=trials,
        mean_plies=int(totals.plies[place]) / trials,
        loss=loss * scale,
        loss_se=loss_error * scale,
    )


def _ranked(totals: BlockTotals) -> tuple[int, ...]:
    """Return the places of the candidates, the best first.

    Who was dropped cannot lead; the others follow by what they lose in the trials that they share
    with the leader. Of equals the one that the evaluator liked better goes first.
    """
    means = [totals.mean(i)[-1] for i in range(totals.n_candidates)]
    if totals.is_even:
        return tuple(sorted(range(len(means)), key=lambda i: -means[i]))
    counts = [totals.trials_of(i) for i in range(len(means))]
    leader = max(range(len(means)), key=lambda i: (counts[i], means[i], -i))
    losses = [totals.difference(leader, i)[0] for i in range(len(means))]
    return tuple(sorted(range(len(means)), key=lambda i: (i != leader, losses[i])))


def prepare(
    board: Board | ArrayLike,
    dice: "Dice | None" = None,
    *,
    evaluator: Evaluator | None = None,
    policy: str | Policy | Evaluator | None = None,
    seed: SupportsIndex | np.random.SeedSequence = 0,
    truncate: SupportsIndex | None = None,
    luck: str = "auto",
    plays: SupportsIndex | str | None = None,
    opening: bool = False,
    stratified: bool = True,
    stop_at_tables: bool | None = None,
    cube: CubeContext | GameState | Position | None = None,
) -> Setup:
    """Check the settings that trials depend on, see `rollout`, and choose the candidates."""
    start = _checked_board(board)
    pair = None if dice is None else parse_dice(dice)
    n_plies = None
    if truncate is not None:
        n_plies = whole_number(truncate, "truncate", 1, MAX_PLIES, RolloutError)
    opens = flag(opening, "opening", RolloutError)
    in_strata = flag(stratified, "stratified", RolloutError)
    if opens and pair is not None:
        raise RolloutError("an opening roll and given dice exclude each other")
    judge: Evaluator = NetEvaluator() if evaluator is None else evaluator
    if not takes(judge, "evaluate", 1):
        raise RolloutError(f"an evaluator has a method evaluate(boards); {judge!r} has not")
    who = _checked_policy(policy)
    for one in (judge, who):
        check_game(one, start.n_checkers)
    measure = _checked_luck(luck, judge, who)
    stop = _stops_at_tables(who)
    if stop_at_tables is not None:
        stop = flag(stop_at_tables, "stop_at_tables", RolloutError)
    context = _checked_cube(cube)
    first = context if context is None or pair is None else context.swapped()
    rows = None if first is None else cube_rows(first)
    chosen_plays, boards_after = _candidates(start, pair, judge, plays, rows, first)
    plan = Plan(
        boards=boards_after if pair is None else np.ascontiguousarray(swap_boards(boards_after)),
        swapped=pair is not None,
        evaluator=judge,
        policy=who,
        seed=DiceStream(seed).seed,
        stratified=in_strata,
        opening=opens,
        luck=measure,
        truncate=n_plies or 0,
        stop_at_tables=stop,
        cube=rows,
        starts=None if first is None else ((start_row(first), 0),) * len(boards_after),
        n_checkers=start.n_checkers,
    )
    return Setup(start, pair, tuple(chosen_plays), boards_after, plan, context)


# ---- reading the settings ----


def checked_progress(
    progress: Callable[[Progress], None] | None,
) -> Callable[[Progress], None] | None:
    """Return what can be told of progress, or None."""
    if progress is not None and not callable(progress):
        raise RolloutError(f"progress must be callable, not {progress!r}")
    return progress


def checked_executor(executor: Executor | None) -> Executor | None:
    """Return what work can be submitted to, or None."""
    return executor_of(executor, RolloutError)


def _checked_board(board: Board | ArrayLike) -> Board:
    checked = board if isinstance(board, Board) else Board(board)
    if not checked.is_valid():
        raise BoardError(f"the board is impossible: {checked.status().explain()}")
    if checked.phase is Phase.OVER:
        raise BoardError("the game is over: there is nothing to roll out")
    return checked


def _checked_cube(cube: object) -> CubeContext | None:
    if cube is None or isinstance(cube, CubeContext):
        return cube
    if isinstance(cube, (GameState, Position)):
        return CubeContext.of(game_of(cube, before_roll=True))
    raise RolloutError(f"the cube is a CubeContext or a GameState, or a Position, not {cube!r}")


def _checked_policy(policy: object) -> Any:
    if policy is None or (isinstance(policy, str) and policy in POLICY_NAMES):
        return policy
    if isinstance(policy, str):
        raise RolloutError(
            f"there is no policy {policy!r}; the names are {', '.join(POLICY_NAMES)}"
        )
    if not is_policy(policy) and not takes(policy, "evaluate", 1):
        raise RolloutError(
            "a policy has a method choose(boards, plays, offsets) or evaluate(boards);"
            f" {policy!r} has neither"
        )
    return policy


def _stops_at_tables(policy: object) -> bool:
    return policy not in ("random", "pips") and not is_policy(policy)


def _checked_luck(luck: object, evaluator: Evaluator, policy: object) -> str:
    if not isinstance(luck, str) or luck not in LUCK_NAMES:
        raise RolloutError(f"there is no luck {luck!r}; the names are {', '.join(LUCK_NAMES)}")
    if luck == "auto":
        plain = policy == "random" or roll_net_of(evaluator) is None
        return "none" if plain else "net"
    if "net" in luck and roll_net_of(evaluator) is None:
        raise RolloutError(f"{evaluator!r} has no roll net; choose another luck")
    return luck


def _candidates(
    board: Board,
    dice: tuple[int, int] | None,
    evaluator: Evaluator,
    wanted: object,
    rows: CubeRows | None,
    cube: CubeContext | None,
) -> tuple[list[Play], NDArray[np.int8]]:
    """Return the plays, best first by the evaluator, and the boards after them.

    rows, cube: those of the other side, which rolls next.
    """
    cells = board.to_array()
    if dice is None:
        if wanted is not None:
            raise RolloutError("plays can only be chosen if dice are given")
        return [], cells[None]
    boards, steps, n_steps = legal_plays(cells, *dice)
    if len(boards) == 0:
        return [Play()], cells[None]
    fives = values_after(evaluator, boards, n_checkers=board.n_checkers)
    if rows is None or cube is None:
        ranked = np.argsort(-equities_of(fives), kind="stable")
    else:
        theirs = fives[:, [0, 3, 4, 1, 2]]
        theirs[:, 0] = (1 << 30) - fives[:, 0]
        _, utilities = rows.choices(swap_boards(boards), theirs, start_row(cube), 0)
        ranked = np.argsort(utilities, kind="stable")
    if isinstance(wanted, str):
        if wanted != "all":
            raise RolloutError(f"plays must be a number or 'all', not {wanted!r}")
    else:
        limit = DEFAULT_PLAYS
        if wanted is not None:
            limit = whole_number(wanted, "plays", 1, MAX_PLAYS, RolloutError)
        ranked = ranked[:limit]
    found = [Play(steps[i, :n_steps].tolist()) for i in ranked]
    return found, np.ascontiguousarray(boards[ranked])
