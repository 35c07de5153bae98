"""The work of a rollout: what its trials depend on, who plays them, and where."""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ThreadPoolExecutor, wait
from copy import copy, deepcopy
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from bgcore import bearoff
from bgcore._core import playout as core
from bgcore._core.cubeful import CubeRows
from bgcore._core.dice import DiceStream
from bgcore._core.movegen import legal_boards_all_rolls
from bgcore._core.network import AnyRollNet
from bgcore.block_totals import CUBE_OUTPUTS, OUTPUTS, BlockTotals, block_of
from bgcore.evaluators import Evaluator, NetEvaluator, core_of
from bgcore.nets import shipped_net
from bgcore.policies import (
    BestPlay,
    Policy,
    ask,
    equities_of,
    first_best,
    fixed_values,
    is_policy,
    values_after,
)

__all__ = ["MAX_PLIES", "Plan", "Progress", "Watch", "play_missing", "roll_net_of"]

#: A trial that is longer than this many plies is an error.
MAX_PLIES = 10_000

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
#: Sees the totals after every piece of work; True ends the work.
Watch: TypeAlias = Callable[[BlockTotals], bool]


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
    totals : BlockTotals
        The exact sums so far.
    cancel : callable
        Call it to end the rollout here; the result holds what is done.
    result : callable
        Returns the result so far: a `RolloutResult`, or a `CubeRollout` of a cube decision. It
        takes some milliseconds.
    """

    done: int
    total: int
    games_per_second: float
    seconds: float
    seconds_left: float
    totals: BlockTotals
    cancel: Callable[[], None]
    result: Callable[[], Any]


def roll_net_of(evaluator: Evaluator) -> AnyRollNet | None:
    """Return the roll net that goes with an evaluator, if there is one."""
    nets = evaluator.file if isinstance(evaluator, NetEvaluator) else shipped_net()
    return nets.luck


class Plan:
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
        cube: CubeRows | None = None,
        starts: tuple[tuple[int, int], ...] | None = None,
        n_checkers: int = 15,
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
        # the cube, and where it is for each board: `starts` of `Playout.blocks`
        self.cube = cube
        self.starts = starts
        # of a side by the rules
        self.n_checkers = n_checkers
        self.block = block_of(self.dice)
        self.n_together = len(boards)
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

    @property
    def step(self) -> int:
        """Trials that are played together: pieces of work begin at multiples of it."""
        return self.engine.step

    def new_totals(self, *, keep_blocks: bool = False) -> BlockTotals:
        """Return totals without a trial."""
        return BlockTotals(
            len(self.boards),
            self.dice,
            exhaustible=self.deterministic,
            outputs=OUTPUTS if self.cube is None else CUBE_OUTPUTS,
            keep_blocks=keep_blocks,
        )

    def only(self, members: Sequence[int]) -> "Plan":
        """Return the plan with some of the candidates alone; their trials stay the same."""
        if list(members) == list(range(len(self.boards))):
            return self
        plan = copy(self)
        plan.boards = self.boards[list(members)]
        if self.starts is not None:
            plan.starts = tuple(self.starts[member] for member in members)
        plan._engine = None
        return plan


class _Engine:
    """Plays the trials of a plan, in the core where it can."""

    def __init__(self, plan: Plan) -> None:
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
                self.chooser = BestPlay(who, n_checkers=plan.n_checkers)
        if value_core is None and (plan.truncate > 0 or "player" in parts or plan.cube is not None):
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
            roll_net=roll_net_of(plan.evaluator) if "net" in parts else None,
            tables=bearoff.tables() if needs_tables else None,
            luck=luck,
            truncate=plan.truncate,
            stop_at_tables=plan.stop_at_tables,
            max_plies=MAX_PLIES,
            cube=plan.cube,
            n_checkers=plan.n_checkers,
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
        return block * max(1, _LOCKSTEP_TRIALS // (block * self.plan.n_together))

    def run(self, first: int, n: int) -> Rows:
        """Play trials first ... first + n - 1 of every candidate; first is a multiple of step."""
        plan = self.plan
        if not self.in_python:
            return self.playout.blocks(
                plan.boards, plan.swapped, first, n, plan.block, starts=plan.starts
            )
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
        plan = self.plan
        live = core.Lockstep(self.playout, plan.boards, plan.swapped, first, n, starts=plan.starts)
        while True:
            if judge is not None and len(asking := live.cube_boards()):
                live.play_cube(fixed_values(judge, asking).astype(np.int32))
            boards, plays, offsets = live.roll()
            plays.flags.writeable = False  # a policy must not change what is played
            if len(boards) == 0:
                return live.totals(plan.block)
            if judge is not None and len(wanted := live.luck_wanted(self.luck_by_judge)):
                live.add_luck(_best_values(judge, boards[wanted], plan.n_checkers), wanted)
            if chooser is None:
                chosen = live.choose()
            elif plan.cube is not None and isinstance(chooser, BestPlay):
                fives = values_after(chooser.evaluator, plays, n_checkers=plan.n_checkers).astype(
                    np.int32
                )
                chosen = live.choose_by(fives, chooser.evaluator is judge)
            else:
                chosen = ask(chooser, boards, plays, offsets)
            cut_off = live.play(chosen)
            if len(cut_off) and judge is not None:
                live.finish(fixed_values(judge, cut_off).astype(np.int32))


def _best_values(
    evaluator: Evaluator, boards: NDArray[np.int8], n_checkers: int
) -> NDArray[np.int32]:
    """Return (N, 21, 5) values after the evaluator's best play of every roll, unit 2**-30."""
    plays, offsets = legal_boards_all_rolls(boards)
    counts = np.diff(offsets)
    dances = np.flatnonzero(counts == 0)
    # a dance leaves the board as it is
    every = np.insert(plays, offsets[dances], boards[dances // 21], axis=0)
    counts[dances] = 1
    fives = values_after(evaluator, np.ascontiguousarray(every), n_checkers=n_checkers)
    best = np.cumsum(counts) - counts + first_best(equities_of(fives), counts)
    return fives[best].astype(np.int32).reshape(len(boards), 21, 5)


def _run_plan(plan: Plan, first: int, n: int) -> Rows:
    return plan.engine.run(first, n)


class _Tally:
    """The totals so far. They are replaced as a whole, so ctrl-C never finds them half added."""

    def __init__(
        self,
        totals: BlockTotals,
        members: Sequence[int],
        wanted: int,
        progress: Callable[[Progress], None] | None,
        watch: Watch | None,
        result_of: Callable[[BlockTotals], Any],
    ) -> None:
        self.totals = totals
        self.result_of = result_of
        self.members = members
        self.wanted = wanted
        self.played = 0
        self.before = totals.trials
        self.progress = progress
        self.watch = watch
        self.is_stopped = False
        self.is_cancelled = False
        self.began = time.perf_counter()

    @property
    def is_done(self) -> bool:
        return self.played >= self.wanted

    def cancel(self) -> None:
        """End the work after what is being played."""
        self.is_stopped = self.is_cancelled = True

    def add(self, first: int, n: int, rows: Rows) -> None:
        totals = deepcopy(self.totals)
        totals.add(first, n, *rows, members=self.members)
        self.totals = totals
        self.played += n

    def report(self) -> None:
        if self.watch is not None and self.watch(self.totals):
            self.is_stopped = True
        if self.progress is None:
            return
        seconds = time.perf_counter() - self.began
        rate = self.played / seconds if seconds > 0 else 0.0
        self.progress(
            Progress(
                done=self.totals.trials,
                total=self.before + self.wanted,
                games_per_second=rate * len(self.members),
                seconds=seconds,
                seconds_left=(self.wanted - self.played) / rate if rate > 0 else 0.0,
                totals=self.totals,
                cancel=self.cancel,
                result=partial(self.result_of, self.totals),
            )
        )


class _Pieces(Iterator[tuple[int, int]]):
    """Pieces of work of about _TASK_SECONDS each: (first trial, number).

    Parameters
    ----------
    gaps : sequence of (first, end)
        The trials to be played; each begins at a multiple of the step.
    """

    def __init__(self, gaps: Sequence[tuple[int, int]], step: int, jobs: int) -> None:
        self.gaps = list(gaps)
        self.left = sum(end - first for first, end in gaps)
        self.step = step
        self.jobs = jobs
        self.seconds_per_step = 0.0

    def took(self, n: int, seconds: float) -> None:
        """Tell how long a piece of n trials took."""
        self.seconds_per_step = seconds * self.step / n

    def __next__(self) -> tuple[int, int]:
        if not self.gaps:
            raise StopIteration
        steps = 1
        if self.seconds_per_step > 0:
            steps = max(1, int(_TASK_SECONDS / self.seconds_per_step))
            # leave something for every job at the end
            steps = min(steps, max(1, self.left // (2 * self.jobs * self.step)))
        first, end = self.gaps[0]
        n = min(end - first, steps * self.step)
        self.left -= n
        if first + n < end:
            self.gaps[0] = first + n, end
        else:
            del self.gaps[0]
        return first, n


def play_missing(
    plan: Plan,
    totals: BlockTotals,
    first: int,
    end: int,
    *,
    jobs: int,
    executor: Executor | None = None,
    progress: Callable[[Progress], None] | None = None,
    result_of: Callable[[BlockTotals], Any],
    watch: Watch | None = None,
    members: Sequence[int] | None = None,
) -> tuple[BlockTotals, bool]:
    """Play the trials first ... end - 1 that are not in the totals yet.

    Parameters
    ----------
    plan : Plan
    totals : BlockTotals
        Stays as it is.
    first, end : int
        `first` is a multiple of the plan's step; so are the ends of what is in the totals.
    jobs, executor, progress, watch
        See `bgcore.rollout.rollout`; `watch` may end the work early.
    result_of : callable
        Returns what totals tell, for `Progress.result`.
    members : sequence of int, optional
        The candidates that play, all of which have played the same of these trials; all of the
        plan if not given.

    Returns
    -------
    totals : BlockTotals
        With the new trials.
    interrupted : bool
        Whether ctrl-C or a cancel came before the end. Ctrl-C without any trial done is raised.
    """
    who = range(len(plan.boards)) if members is None else members
    gaps = totals.gaps(first, end, who[0])
    tally = _Tally(totals, who, sum(high - low for low, high in gaps), progress, watch, result_of)
    plan = plan.only(who)
    pieces = _Pieces(gaps, plan.step, jobs)
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
        interrupted = not tally.is_done
    return tally.totals, interrupted or (tally.is_cancelled and not tally.is_done)


def _play_here(plan: Plan, pieces: _Pieces, tally: _Tally) -> None:
    for first, n in pieces:
        began = time.perf_counter()
        rows = plan.engine.run(first, n)
        pieces.took(n, time.perf_counter() - began)
        tally.add(first, n, rows)
        tally.report()
        if tally.is_stopped:
            return


def _timed_run(plan: Plan, first: int, n: int) -> tuple[Rows, float]:
    began = time.perf_counter()
    return _run_plan(plan, first, n), time.perf_counter() - began


def _play_in(pool: Executor, plan: Plan, pieces: _Pieces, tally: _Tally) -> None:
    running: dict[Future[tuple[Rows, float]], tuple[int, int]] = {}
    try:
        while True:
            while len(running) < 2 * pieces.jobs and not tally.is_stopped:
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
