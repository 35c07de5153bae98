"""Rollouts: Monte Carlo equities of positions and of plays, with their errors."""

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, SupportsIndex, TypeAlias, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bgcore import bearoff
from bgcore._core import playout as core
from bgcore._core.board import swap_boards
from bgcore._core.dice import DiceStream
from bgcore._core.movegen import legal_boards_all_rolls, legal_plays
from bgcore._core.network import LuckNet
from bgcore.block_totals import OUTPUTS, BlockTotals, block_of
from bgcore.board import Board, Phase
from bgcore.checks import flag, jobs_number, takes, whole_number
from bgcore.errors import BoardError, RolloutError
from bgcore.evaluators import Evaluator, NetEvaluator, core_of
from bgcore.nets import first_net
from bgcore.notation import Play
from bgcore.policies import (
    POLICY_NAMES,
    BestPlay,
    Policy,
    ask,
    equities_of,
    first_best,
    fixed_values,
    is_policy,
    values_after,
)
from bgcore.rolls import Dice, parse_dice

__all__ = ["LUCK_NAMES", "Candidate", "Progress", "RolloutResult", "rollout"]

MAX_TRIALS = 2**40
#: A trial that is longer than this many plies is an error.
MAX_PLIES = 10_000
#: Plays that are rolled out if it is not said which.
DEFAULT_PLAYS = 8
#: More than any roll has.
MAX_PLAYS = 10_000

#: What the luck of a roll may be measured by; see `rollout`.
LUCK_NAMES = ("auto", "none", "net", "player", "table", "net+table", "player+table")
_LUCK_PARTS = {
    "none": core.NO_LUCK,
    "net": core.NET_LUCK,
    "player": core.PLAYER_LUCK,
    "table": core.TABLE_LUCK,
}

_TASK_SECONDS = 0.2  # about what one piece of work takes, so that ctrl-C is answered quickly
_LOCKSTEP_TRIALS = 1024  # trials of all candidates that go on together when Python is asked

#: Sums, squares, plies and values, as `Playout.blocks` gives them.
Rows: TypeAlias = tuple[NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]]


@dataclass(frozen=True)
class Progress:
    """How far a rollout has come.

    Attributes
    ----------
    done, total : int
        Trials of each candidate.
    games_per_second : float
        Trials a second of all candidates together.
    seconds, seconds_left : float
        Since the start, and estimated.
    """

    done: int
    total: int
    games_per_second: float
    seconds: float
    seconds_left: float


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
        Equity of the best candidate less this one's.
    loss_se : float
        Standard error of the loss, from the dice that the two share; 0 for the best one.
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
        values["loss"] = self.loss
        values["loss_se"] = _known(self.loss_se)
        values["trials"] = self.trials
        values["mean_plies"] = self.mean_plies
        return values


def _known(error: float) -> float | None:
    return None if math.isnan(error) else error


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
        Trials of each candidate that were played.
    trials_wanted : int
    interrupted : bool
        Whether the rollout was stopped by ctrl-C; `trials` tells how many were done.
    luck, truncate, stop_at_tables : str, int or None, bool
        As they were used.
    totals : BlockTotals
        The exact sums, in the order of `order`: candidate i stands at place ``order[i]``.
    order : tuple of int
    jobs : int
    seconds : float
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

    @property
    def best(self) -> Candidate:
        """The candidate with the largest equity."""
        return self.candidates[0]

    @property
    def games_per_second(self) -> float:
        """Trials a second of all candidates together."""
        return self.trials * len(self.candidates) / self.seconds if self.seconds > 0 else 0.0

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON values, the same for any number of jobs."""
        return {
            "id": self.board.position_id,
            "dice": None if self.dice is None else list(self.dice),
            "seed": self.seed,
            "trials": self.trials,
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
        Called now and then with a `Progress`.
    plays : int or "all", optional
        With dice: how many plays are rolled out, the best by the evaluator's equity (0-ply);
        8 by default.
    opening : bool, default False
        The first roll is that of a game's beginning: no doubles.
    stratified : bool, default True
        Spread the dice evenly over the trials (`bgcore.dice.DiceStream`).
    stop_at_tables : bool, optional
        End a trial with the exact value where the two-sided table applies. By default yes, except
        for the policies "random" and "pips" and objects with `choose`, whose own play would not
        be what is measured then.

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

    Objects in Python are asked once a ply for all trials that go on together (about 1,024). They
    get the same dice, luck and arithmetic as the core: the shipped net behind a Python object
    gives the same bits as the net itself.

    Examples
    --------
    >>> from bgcore import Board
    >>> result = rollout(Board.opening(), "31", trials=36, policy="pips", truncate=2, plays=2)
    >>> len(result.candidates), result.trials
    (2, 36)
    """
    start = _checked_board(board)
    pair = None if dice is None else parse_dice(dice)
    n_trials = whole_number(trials, "trials", 1, MAX_TRIALS, RolloutError)
    n_jobs = jobs_number(jobs, RolloutError)
    n_plies = None
    if truncate is not None:
        n_plies = whole_number(truncate, "truncate", 1, MAX_PLIES, RolloutError)
    opens = flag(opening, "opening", RolloutError)
    in_strata = flag(stratified, "stratified", RolloutError)
    if opens and pair is not None:
        raise RolloutError("an opening roll and given dice exclude each other")
    if progress is not None and not callable(progress):
        raise RolloutError(f"progress must be callable, not {progress!r}")
    if executor is not None and not takes(executor, "submit", 4):
        raise RolloutError(f"an executor has a method submit; {executor!r} has not")
    judge: Evaluator = NetEvaluator() if evaluator is None else evaluator
    if not takes(judge, "evaluate", 1):
        raise RolloutError(f"an evaluator has a method evaluate(boards); {judge!r} has not")
    who = _checked_policy(policy)
    measure = _checked_luck(luck, judge, who)
    stop = _stops_at_tables(who)
    if stop_at_tables is not None:
        stop = flag(stop_at_tables, "stop_at_tables", RolloutError)
    chosen_plays, boards_after = _candidates(start, pair, judge, plays)
    plan = _Plan(
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
    )
    began = time.perf_counter()
    totals, interrupted = _play(plan, n_trials, n_jobs, executor, progress)
    seconds = time.perf_counter() - began
    means = [totals.mean(i) for i in range(len(boards_after))]
    # of equal equities the one that the evaluator liked better
    order = tuple(sorted(range(len(means)), key=lambda i: -means[i][-1]))
    candidates = tuple(
        Candidate(
            None if pair is None else chosen_plays[i],
            start if pair is None else Board(boards_after[i]),
            **dict(zip(OUTPUTS, means[i], strict=True)),
            standard_errors=totals.standard_errors(i),
            trials=totals.trials,
            mean_plies=int(totals.plies[i]) / totals.trials,
            loss=means[order[0]][-1] - means[i][-1],
            loss_se=totals.difference_error(order[0], i),
        )
        for i in order
    )
    return RolloutResult(
        board=start,
        dice=pair,
        candidates=candidates,
        seed=plan.seed,
        trials=totals.trials,
        trials_wanted=n_trials,
        interrupted=interrupted,
        luck=plan.luck,
        truncate=n_plies,
        stop_at_tables=plan.stop_at_tables,
        totals=totals,
        order=order,
        jobs=n_jobs,
        seconds=seconds,
    )


# ---- reading the settings ----


def _checked_board(board: Board | ArrayLike) -> Board:
    checked = board if isinstance(board, Board) else Board(board)
    if not checked.is_valid():
        raise BoardError(f"the board is impossible: {checked.status().explain()}")
    if checked.n_checkers != 15:
        raise RolloutError(f"rollouts need 15 checkers a side, not {checked.n_checkers}")
    if checked.phase is Phase.OVER:
        raise BoardError("the game is over: there is nothing to roll out")
    return checked


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
        plain = policy == "random" or _roll_net(evaluator) is None
        return "none" if plain else "net"
    if "net" in luck and _roll_net(evaluator) is None:
        raise RolloutError(f"{evaluator!r} has no roll net; choose another luck")
    return luck


def _roll_net(evaluator: Evaluator) -> LuckNet | None:
    nets = evaluator.file if isinstance(evaluator, NetEvaluator) else first_net()
    return nets.luck


def _candidates(
    board: Board, dice: tuple[int, int] | None, evaluator: Evaluator, wanted: object
) -> tuple[list[Play], NDArray[np.int8]]:
    """Return the plays, best first by the evaluator, and the boards after them."""
    cells = board.to_array()
    if dice is None:
        if wanted is not None:
            raise RolloutError("plays can only be chosen if dice are given")
        return [], cells[None]
    boards, steps, n_steps = legal_plays(cells, *dice)
    if len(boards) == 0:
        return [Play()], cells[None]
    equities = equities_of(values_after(evaluator, boards))
    ranked = np.argsort(-equities, kind="stable")
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


# ---- the work ----


class _Plan:
    """Everything that the trials depend on; can be sent to another process."""

    def __init__(
        self,
        *,
        boards: NDArray[np.int8],
        swapped: bool,
        evaluator: Evaluator,
        policy: str | Policy | Evaluator | None,
        seed: int,
        stratified: bool,
        opening: bool,
        luck: str,
        truncate: int,
        stop_at_tables: bool,
    ) -> None:
        self.boards = boards
        self.swapped = swapped
        self.evaluator = evaluator
        self.policy = policy
        self.seed = seed
        self.stratified = stratified
        self.opening = opening
        self.luck = luck
        self.truncate = truncate
        self.stop_at_tables = stop_at_tables
        self.block = block_of(self.dice)
        self._engine: _Engine | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_engine": None}

    @property
    def dice(self) -> DiceStream:
        """The dice of the trials."""
        return DiceStream(self.seed, self.stratified, self.opening)

    @property
    def deterministic(self) -> bool:
        """Whether nothing but the dice differs between trials, as far as is known."""
        return self.policy != "random" and not is_policy(self.policy)

    @property
    def engine(self) -> "_Engine":
        """What plays the trials; made when it is first needed."""
        if self._engine is None:
            self._engine = _Engine(self)
        return self._engine

    def new_totals(self) -> BlockTotals:
        return BlockTotals(len(self.boards), self.dice, exhaustible=self.deterministic)


class _Engine:
    """Plays the trials of a plan, in the core where it can."""

    def __init__(self, plan: _Plan) -> None:
        self.plan = plan
        parts = plan.luck.split("+")
        luck = sum(_LUCK_PARTS[part] for part in parts)
        value_core = core_of(plan.evaluator)
        # evaluators and policies that only Python can ask
        self.chooser: Policy | None = None
        self.judge: Evaluator | None = None
        player = None
        number = core.BEST_PLAY
        if plan.policy in ("random", "pips"):
            number = core.RANDOM_PLAY if plan.policy == "random" else core.PIPS_PLAY
        elif is_policy(plan.policy):
            self.chooser = cast(Policy, plan.policy)
        else:
            who: Any = plan.evaluator if plan.policy is None else plan.policy
            if plan.policy in ("net", "table"):
                number = core.TABLE_PLAY if plan.policy == "table" else core.BEST_PLAY
                net = isinstance(plan.evaluator, NetEvaluator)
                who = plan.evaluator if net else NetEvaluator()
            player = core_of(who)
            if player is None:
                self.chooser = BestPlay(who)
        if value_core is None and (plan.truncate > 0 or "player" in parts):
            self.judge = plan.evaluator
        self.luck_by_judge = self.judge is not None and "player" in parts
        if self.luck_by_judge:
            luck -= core.PLAYER_LUCK
        needs_tables = plan.stop_at_tables or "table" in parts or number == core.TABLE_PLAY
        self.playout = core.Playout(
            plan.dice,
            number,
            player=player,
            evaluator=None if self.judge is not None else value_core,
            roll_net=_roll_net(plan.evaluator) if "net" in parts else None,
            tables=bearoff.tables() if needs_tables else None,
            luck=luck,
            truncate=plan.truncate,
            stop_at_tables=plan.stop_at_tables,
            max_plies=MAX_PLIES,
        )

    @property
    def in_python(self) -> bool:
        """Whether objects in Python are asked at every ply."""
        return self.chooser is not None or self.judge is not None

    @property
    def step(self) -> int:
        """Trials that are played together: tasks begin at multiples of it."""
        block = self.plan.block
        if not self.in_python:
            return block
        return block * max(1, _LOCKSTEP_TRIALS // (block * len(self.plan.boards)))

    def run(self, first: int, n: int) -> Rows:
        """Play trials first ... first + n - 1 of every candidate; first is a multiple of step."""
        plan = self.plan
        if not self.in_python:
            return self.playout.blocks(plan.boards, plan.swapped, first, n, plan.block)
        parts = [
            self._in_lockstep(start, min(self.step, first + n - start))
            for start in range(first, first + n, self.step)
        ]
        sums, squares, plies, values = zip(*parts, strict=True)
        return (
            np.concatenate(sums),
            np.concatenate(squares),
            np.concatenate(plies),
            np.concatenate(values),
        )

    def _in_lockstep(self, first: int, n: int) -> Rows:
        chooser, judge = self.chooser, self.judge
        live = core.Lockstep(self.playout, self.plan.boards, self.plan.swapped, first, n)
        while True:
            boards, plays, offsets = live.roll()
            plays.flags.writeable = False  # a policy must not change what is played
            if len(boards) == 0:
                return live.totals(self.plan.block)
            if self.luck_by_judge and judge is not None:
                live.add_luck(_best_values(judge, boards))
            chosen = live.choose() if chooser is None else ask(chooser, boards, plays, offsets)
            cut_off = live.play(chosen)
            if len(cut_off) and judge is not None:
                live.finish(fixed_values(judge, cut_off).astype(np.int32))


def _best_values(evaluator: Evaluator, boards: NDArray[np.int8]) -> NDArray[np.int32]:
    """Return (N, 21, 5) values after the evaluator's best play of every roll, unit 2**-30."""
    plays, offsets = legal_boards_all_rolls(boards)
    counts = np.diff(offsets)
    dances = np.flatnonzero(counts == 0)
    # a dance leaves the board as it is
    every = np.insert(plays, offsets[dances], boards[dances // 21], axis=0)
    counts[dances] = 1
    fives = values_after(evaluator, np.ascontiguousarray(every))
    best = np.cumsum(counts) - counts + first_best(equities_of(fives), counts)
    return fives[best].astype(np.int32).reshape(len(boards), 21, 5)


def _run_plan(plan: _Plan, first: int, n: int) -> Rows:
    return plan.engine.run(first, n)


class _Tally:
    """The totals so far. They are replaced as a whole, so ctrl-C never finds them half added."""

    def __init__(
        self, plan: _Plan, trials: int, progress: Callable[[Progress], None] | None
    ) -> None:
        self.totals = plan.new_totals()
        self.trials = trials
        self.n_boards = len(plan.boards)
        self.progress = progress
        self.began = time.perf_counter()

    def add(self, first: int, n: int, rows: Rows) -> None:
        totals = deepcopy(self.totals)
        totals.add(first, n, *rows)
        self.totals = totals

    def report(self) -> None:
        if self.progress is None:
            return
        done = self.totals.trials
        seconds = time.perf_counter() - self.began
        rate = done / seconds if seconds > 0 else 0.0
        self.progress(
            Progress(
                done=done,
                total=self.trials,
                games_per_second=rate * self.n_boards,
                seconds=seconds,
                seconds_left=(self.trials - done) / rate if rate > 0 else 0.0,
            )
        )


class _Pieces(Iterator[tuple[int, int]]):
    """Pieces of work of about _TASK_SECONDS each: (first trial, number)."""

    def __init__(self, trials: int, step: int, jobs: int) -> None:
        self.trials = trials
        self.step = step
        self.jobs = jobs
        self.next_trial = 0
        self.seconds_per_step = 0.0

    def took(self, n: int, seconds: float) -> None:
        """Tell how long a piece of n trials took."""
        self.seconds_per_step = seconds * self.step / n

    def __next__(self) -> tuple[int, int]:
        left = self.trials - self.next_trial
        if left <= 0:
            raise StopIteration
        steps = 1
        if self.seconds_per_step > 0:
            steps = max(1, int(_TASK_SECONDS / self.seconds_per_step))
            # leave something for every job at the end
            steps = min(steps, max(1, left // (2 * self.jobs * self.step)))
        first = self.next_trial
        n = min(left, steps * self.step)
        self.next_trial += n
        return first, n


def _play(
    plan: _Plan,
    trials: int,
    jobs: int,
    executor: Executor | None,
    progress: Callable[[Progress], None] | None,
) -> tuple[BlockTotals, bool]:
    """Play all trials. Returns the totals, and whether ctrl-C came before the end."""
    tally = _Tally(plan, trials, progress)
    pieces = _Pieces(trials, plan.engine.step, jobs)
    interrupted = False
    try:
        if executor is None and jobs == 1:
            _play_here(plan, pieces, tally)
        elif executor is None:
            with ThreadPoolExecutor(jobs) as pool:
                _play_in(pool, plan, pieces, tally)
        else:
            _play_in(executor, plan, pieces, tally)
    except KeyboardInterrupt:
        if tally.totals.trials == 0:
            raise
        interrupted = tally.totals.trials < trials
    return tally.totals, interrupted


def _play_here(plan: _Plan, pieces: _Pieces, tally: _Tally) -> None:
    for first, n in pieces:
        began = time.perf_counter()
        rows = plan.engine.run(first, n)
        pieces.took(n, time.perf_counter() - began)
        tally.add(first, n, rows)
        tally.report()


def _timed_run(plan: _Plan, first: int, n: int) -> tuple[Rows, float]:
    began = time.perf_counter()
    return _run_plan(plan, first, n), time.perf_counter() - began


def _play_in(pool: Executor, plan: _Plan, pieces: _Pieces, tally: _Tally) -> None:
    running: dict[Future[tuple[Rows, float]], tuple[int, int]] = {}
    try:
        while True:
            while len(running) < 2 * pieces.jobs:
                piece = next(pieces, None)
                if piece is None:
                    break
                running[pool.submit(_timed_run, plan, *piece)] = piece
            if not running:
                return
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                # taken out first: ctrl-C at any place here must not add it twice
                first, n = running.pop(future)
                rows, seconds = future.result()
                tally.add(first, n, rows)
                pieces.took(n, seconds)
            tally.report()
    except BaseException as error:
        for future in running:
            future.cancel()
        if isinstance(error, KeyboardInterrupt):
            # what is being played already takes a moment; it counts
            for future, (first, n) in running.items():
                if not future.cancelled():
                    tally.add(first, n, future.result()[0])
        raise
