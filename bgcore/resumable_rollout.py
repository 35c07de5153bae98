"""Rollouts that are stopped, saved, gone on with, extended, and merged from several machines.

A trial depends on the settings and its number alone, and totals are exact sums of whole numbers.
So a rollout may be played in any pieces, in any order, anywhere: the same trials make the same
totals to the last bit.
"""

import hashlib
import json
import os
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import fields, replace
from typing import Any, Self, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bgcore._core.board import swap_boards
from bgcore._core.dice import DiceStream
from bgcore.block_records import BlockRecords
from bgcore.block_totals import BlockTotals
from bgcore.board import Board
from bgcore.checks import UNREADABLE_ARCHIVE, flag, jobs_number, whole_number
from bgcore.contest import Contest
from bgcore.cube_model import CubeContext
from bgcore.cube_rollout import CubeRollout, prepare_cube, result_of_cube
from bgcore.errors import BgcoreError, RolloutError
from bgcore.evaluators import Evaluator
from bgcore.game_state import GameState
from bgcore.identity import identity_of
from bgcore.met import MatchEquityTable
from bgcore.notation import Play, Plays
from bgcore.owned_files import alone_at
from bgcore.policies import Policy
from bgcore.position import Position
from bgcore.rollout import (
    MAX_TRIALS,
    Progress,
    RolloutResult,
    Setup,
    checked_executor,
    checked_progress,
    prepare,
)
from bgcore.rollout_work import Plan, play_missing
from bgcore.rolls import Dice
from bgcore.stop_rules import StopRules
from bgcore.whole_files import whole_file

__all__ = ["Rollout"]

_FORMAT = "bgcore-rollout"
_VERSION = 2
_MAX_BYTES = 2_000_000_000


class Rollout:
    """A rollout of a position or of the plays of a roll that can go on at any time.

    Parameters
    ----------
    board, dice, **settings
        As for `bgcore.rollout`: evaluator, policy, seed, truncate, luck, plays, opening,
        stratified, stop_at_tables, cube.
    keep_blocks : bool, default False
        Keep the sums of every block: for `bgcore.block_columns`, for the plot of convergence, and
        so that plays can be dropped. A run whose stop rules drop plays sets it by itself if it is
        the first.

    Raises
    ------
    BoardError, DiceError, RolloutError, EvaluatorError
        See `bgcore.rollout`.

    Examples
    --------
    >>> from bgcore import Board
    >>> half = Rollout(Board.opening(), seed=3, policy="pips", truncate=2)
    >>> half.run(72).trials
    72
    >>> half.run(144).trials                        # goes on: 72 more
    144
    >>> other = Rollout(Board.opening(), seed=3, policy="pips", truncate=2)
    >>> other.run(72, first=144).trials             # another machine, other trials
    72
    >>> half.merge(other)
    >>> half.trials
    216
    """

    def __init__(
        self,
        board: Board | ArrayLike,
        dice: "Dice | None" = None,
        *,
        keep_blocks: bool = False,
        **settings: Any,
    ) -> None:
        self._begin(prepare(board, dice, **settings), keep_blocks)

    @classmethod
    def of_cube_decision(
        cls,
        position: GameState | Position | Board | ArrayLike,
        cube: CubeContext | None = None,
        *,
        keep_blocks: bool = False,
        **settings: Any,
    ) -> Self:
        """Return the rollout of a cube decision; its candidates are no double and double/take.

        Parameters
        ----------
        position, cube, **settings
            As for `bgcore.rollout_cube`: evaluator, policy, seed, truncate, luck, stratified,
            stop_at_tables.
        keep_blocks : bool, default False
            See the class.

        Raises
        ------
        BoardError, DiceError, RolloutError, EvaluatorError
            See `bgcore.rollout_cube`.

        Examples
        --------
        >>> from bgcore import Board, CubeContext
        >>> made = Rollout.of_cube_decision(Board.opening(), CubeContext(needs=(3, 5)), truncate=4)
        >>> made.run(72).trials
        72
        >>> made.cube_decision().decision.text
        'no double, take'
        """
        made = cls.__new__(cls)
        made._begin(prepare_cube(position, cube, **settings), keep_blocks)
        return made

    def _begin(self, setup: Setup, keep_blocks: bool) -> None:
        self._setup = setup
        self._totals: BlockTotals = setup.plan.new_totals(
            keep_blocks=flag(keep_blocks, "keep_blocks", RolloutError)
        )
        self._seconds = 0.0
        self._interrupted = False
        # of the last run: its trials, its jobs, and when the part that is being played began
        self._wanted = 0
        self._jobs = 1
        self._began: float | None = None

    # -- what is there --

    @property
    def is_cube_decision(self) -> bool:
        """Whether a cube decision is rolled out; `cube_decision` is its result then."""
        return _is_decision(self._setup)

    @property
    def keeps_blocks(self) -> bool:
        """Whether the sums of the single blocks of trials are kept."""
        return self._totals.records is not None

    @property
    def trials(self) -> int:
        """Trials that were played; plays that were dropped have fewer."""
        return self._totals.trials

    @property
    def ranges(self) -> tuple[tuple[int, int], ...]:
        """The numbers of those trials: pairs (first, end), the end not included."""
        return tuple(self._totals.ranges)

    @property
    def step(self) -> int:
        """Trials are played in so many at once: ranges begin and end at multiples of it."""
        return self._setup.plan.step

    @property
    def seconds(self) -> float:
        """Time that was spent, the parts of merged rollouts and files included."""
        return self._seconds

    @property
    def was_interrupted(self) -> bool:
        """Whether ctrl-C ended the last run."""
        return self._interrupted

    def result(self) -> RolloutResult:
        """Return what the trials so far tell.

        Raises
        ------
        RolloutError
            There are none.
        """
        if not self.trials:
            raise RolloutError("no trial was played yet")
        return self._result(self._totals)

    def cube_decision(self) -> CubeRollout:
        """Return what the trials so far tell about the cube decision.

        Raises
        ------
        RolloutError
            There are none, or it is no rollout of a cube decision.
        """
        if not self.is_cube_decision:
            raise RolloutError("this is no rollout of a cube decision")
        if not self.trials:
            raise RolloutError("no trial was played yet")
        return self._cube_result(self._totals)

    def _result(self, totals: BlockTotals, interrupted: bool | None = None) -> RolloutResult:
        return self._setup.result(totals, **self._about(totals, interrupted))

    def _cube_result(self, totals: BlockTotals, interrupted: bool | None = None) -> CubeRollout:
        return result_of_cube(self._setup, totals, **self._about(totals, interrupted))

    def _about(self, totals: BlockTotals, interrupted: bool | None) -> dict[str, Any]:
        return {
            "trials_wanted": max(self._wanted, totals.trials),
            "interrupted": self._interrupted if interrupted is None else interrupted,
            "jobs": self._jobs,
            "seconds": self._seconds + self._clock(),
        }

    def _clock(self) -> float:
        """Seconds of the part of a run that is being played."""
        return 0.0 if self._began is None else time.perf_counter() - self._began

    def _so_far(self, totals: BlockTotals) -> RolloutResult | CubeRollout:
        if self.is_cube_decision:
            return self._cube_result(totals, False)
        return self._result(totals, False)

    def __repr__(self) -> str:
        dice = self._setup.dice
        what = self._setup.board.position_id + ("" if dice is None else f" {dice[0]}-{dice[1]}")
        return f"<Rollout of {what}, {self.trials} trials>"

    # -- going on --

    def run(
        self,
        trials: SupportsIndex = 1296,
        *,
        first: SupportsIndex = 0,
        jobs: SupportsIndex = 1,
        executor: Executor | None = None,
        progress: Callable[[Progress], None] | None = None,
        stop: StopRules | None = None,
        path: str | os.PathLike[str] | None = None,
        save_every: float = 10.0,
    ) -> RolloutResult:
        """Play the trials first ... first + trials - 1, as far as they are not in yet.

        Parameters
        ----------
        trials : int, default 1296
            Rounded up to a multiple of `step`.
        first : int, default 0
            A multiple of `step`: the share of one machine of several.
        jobs, executor, progress
            See `bgcore.rollout`. Any executor of `concurrent.futures`' kind will do, one that
            sends the work to a cluster too.
        stop : StopRules, optional
            When fewer trials are enough; `first` is 0 then.
        path : path, optional
            Where the rollout is saved, now and then and at the end. After the process was killed
            at any moment, `Rollout.load` goes on from the last time. A file that is there already
            must be of this rollout, and all its trials in.
        save_every : float, default 10
            Seconds between two times; more where saving would take more than 0.5 % of the time.

        Returns
        -------
        RolloutResult
            Of all trials that are in. After ctrl-C or a cancel what was done so far.

        Raises
        ------
        RolloutError
            A setting is out of range; the file is something else, holds more, or is being written
            by another process.
        OSError
            The file cannot be written.
        KeyboardInterrupt
            Ctrl-C before any trial was done.
        """
        result: RolloutResult | None = None
        for latest in self.checkpoints(
            trials,
            first=first,
            jobs=jobs,
            executor=executor,
            progress=progress,
            stop=stop,
            path=path,
            save_every=save_every,
        ):
            result = latest
        return self.result() if result is None else result

    def checkpoints(
        self,
        trials: SupportsIndex = 1296,
        *,
        first: SupportsIndex = 0,
        every: SupportsIndex | None = None,
        jobs: SupportsIndex = 1,
        executor: Executor | None = None,
        progress: Callable[[Progress], None] | None = None,
        stop: StopRules | None = None,
        path: str | os.PathLike[str] | None = None,
        save_every: float = 10.0,
    ) -> Iterator[RolloutResult]:
        """Do what `run` does, and give the result so far now and then; leave it to cancel.

        Parameters
        ----------
        every : int, optional
            Trials between two results; those of the stop rules, or all at once, if not given.
        trials, first, jobs, executor, progress, stop, path, save_every
            See `run`.

        Yields
        ------
        RolloutResult
        """
        begin = whole_number(first, "first", 0, MAX_TRIALS, RolloutError)
        count = whole_number(trials, "trials", 1, MAX_TRIALS, RolloutError)
        n_jobs = jobs_number(jobs, RolloutError)
        pool, tell = checked_executor(executor), checked_progress(progress)
        if stop is not None and not isinstance(stop, StopRules):
            raise RolloutError(f"stop is a StopRules, not {stop!r}")
        if begin % self.step:
            raise RolloutError(f"first is a multiple of {self.step} here, not {begin}")
        if stop is not None and begin:
            raise RolloutError("stop rules look at all trials from 0; first must be 0")
        end = begin + -(-count // self.step) * self.step
        size = end - begin
        if every is not None:
            size = whole_number(every, "every", 1, MAX_TRIALS, RolloutError)
        elif stop is not None and stop.looks_at_errors:
            size = stop.check_every
        size = -(-size // self.step) * self.step
        self._wanted, self._jobs = end - begin, n_jobs
        with self._alone_at(path):
            saver = _Saver(self, path, save_every)
            watch = _Watch(stop, saver)
            contest = self._contest(stop)

            def play(low: int, high: int, members: Sequence[int]) -> bool:
                """Play what is missing; tell whether the run goes on."""
                for group in self._alike(low, high, members):
                    self._play(
                        low,
                        high,
                        group,
                        jobs=n_jobs,
                        executor=pool,
                        progress=None if tell is None else _part_of(tell, end - begin),
                        watch=watch,
                    )
                    if self._interrupted or watch.is_out_of_time:
                        return False
                return True

            everybody = range(self._n_candidates)
            try:
                for low in range(begin, end, size):
                    high = min(low + size, end)
                    before = self._totals
                    goes_on = play(low, high, everybody if contest is None else contest.members)
                    if contest is not None and goes_on:
                        contest.played(high)
                        while goes_on and (late := contest.look(self._totals)):
                            goes_on = play(0, high, late)
                            contest.played(high)
                    if self._totals is before and high < end and self.trials > high - begin:
                        continue  # an earlier run went further
                    saver.now_and_then()
                    result = self._result(self._totals)
                    yield result
                    if not goes_on:
                        return
                    # other trials, such as those of another machine, would make it another look
                    if stop is not None and self._totals.ranges == [(0, high)]:
                        is_open = contest is not None and not contest.is_decided
                        seen = self.cube_decision() if self.is_cube_decision else result
                        if not is_open and stop.are_met(seen):
                            return
            finally:
                saver.save()

    @contextmanager
    def _alone_at(self, path: str | os.PathLike[str] | None) -> Iterator[None]:
        """Keep a file for this run, and see that saving loses nothing that is in it."""
        if path is None:
            yield
            return
        with alone_at(path, RolloutError, "process", "choose another file for the rollout"):
            if os.path.exists(path):
                self.check_kept(path)
            yield

    @property
    def _n_candidates(self) -> int:
        return len(self._setup.boards_after)

    def _contest(self, stop: StopRules | None) -> Contest | None:
        """Return what drops plays, if the stop rules do; see that the blocks are kept."""
        if stop is None or stop.jsd is None or self.is_cube_decision or self._n_candidates < 2:
            return None
        if self._totals.records is None:
            if self.trials:
                raise RolloutError(
                    "plays are dropped by what single blocks of trials tell; this rollout was begun"
                    " without keeping them: begin it with keep_blocks, or with these stop rules"
                )
            self._totals = self._setup.plan.new_totals(keep_blocks=True)
        return Contest(self._n_candidates, stop.jsd, stop.min_trials)

    def _alike(self, low: int, high: int, members: Sequence[int]) -> list[list[int]]:
        """Return the members in groups that miss the same trials, those that miss some."""
        groups: dict[tuple[tuple[int, int], ...], list[int]] = {}
        for member in members:
            gaps = tuple(self._totals.gaps(low, high, member))
            if gaps:
                groups.setdefault(gaps, []).append(member)
        return list(groups.values())

    def _play(self, low: int, high: int, members: Sequence[int], **how: Any) -> None:
        self._began = time.perf_counter()
        try:
            self._totals, self._interrupted = play_missing(
                self._setup.plan,
                self._totals,
                low,
                high,
                members=members,
                result_of=self._so_far,
                **how,
            )
        finally:
            self._seconds, self._began = self._seconds + self._clock(), None

    def merge(self, other: "Rollout") -> None:
        """Add the trials of another rollout of the same kind, such as one of another machine.

        Raises
        ------
        RolloutError
            The settings differ, or some trials are in both; nothing is added then.
        """
        self.check_same(other)
        totals = deepcopy(self._totals)
        totals.merge(other._totals)
        self._totals = totals
        self._seconds += other._seconds

    def check_same(self, other: "Rollout") -> None:
        """Refuse a rollout whose trials depend on other settings.

        Raises
        ------
        RolloutError
            The message names the first setting that differs.
        """
        if not isinstance(other, Rollout):
            raise RolloutError(f"only another Rollout can be compared, not {other!r}")
        mine, theirs = self._settings(), other._settings()
        if (found := _first_difference(mine, theirs)) is not None:
            name, one, other_one = found
            raise RolloutError(
                f"these rollouts do not belong together: {name} is {_short(one)} and"
                f" {_short(other_one)}"
            )

    def check_kept(self, path: str | os.PathLike[str]) -> None:
        """Refuse a file that `save` would lose something of.

        Raises
        ------
        RolloutError
            It is no rollout, another one, or has trials that are not in.
        OSError
            It cannot be read.
        """
        plan = self._setup.plan
        policy = None if isinstance(plan.policy, str) else plan.policy
        kept = Rollout.load(path, evaluator=plan.evaluator, policy=policy)
        try:
            self.check_same(kept)
        except RolloutError as error:
            raise RolloutError(f"{os.fspath(path)!r} holds another rollout: {error}") from None
        for candidate, ranges in enumerate(kept._totals.ranges_of):
            for first, end in ranges:
                if self._totals.gaps(first, end, candidate):
                    raise RolloutError(
                        f"{os.fspath(path)!r} holds trials that are not in this rollout, such as"
                        f" {first:,}: go on from it, or choose another file"
                    )

    # -- files --

    def _settings(self) -> dict[str, Any]:
        """Everything that the trials depend on, as values that JSON can hold."""
        setup = self._setup
        n_checkers = setup.board.n_checkers
        return {
            "board": setup.board.to_list(),
            **({} if n_checkers == 15 else {"n_checkers": n_checkers}),
            "dice": None if setup.dice is None else list(setup.dice),
            "boards_after": setup.boards_after.tolist(),
            **self.how_played(),
            "cube": None if setup.cube is None else _cube_as_dict(setup.cube),
            "is_cube_decision": _is_decision(setup),
        }

    def how_played(self) -> dict[str, Any]:
        """Return what the trials depend on besides the position, as values that JSON can hold."""
        plan = self._setup.plan
        return {
            "evaluator": identity_of(plan.evaluator),
            "policy": identity_of(plan.policy),
            "seed": str(plan.seed),
            "stratified": plan.stratified,
            "opening": plan.opening,
            "luck": plan.luck,
            "truncate": plan.truncate,
            "stop_at_tables": plan.stop_at_tables,
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the rollout to a file: the whole of it or nothing.

        It holds the settings, the exact totals, the trials that are in, and a checksum.

        Raises
        ------
        OSError
            The file cannot be written.
        """
        document = {
            "format": _FORMAT,
            "version": _VERSION,
            "settings": self._settings(),
            "seconds": self._seconds,
            "totals": self._totals.to_dict(),
        }
        arrays: dict[str, NDArray[Any]] = {
            "first_values": np.ascontiguousarray(self._totals.first_values)
        }
        if (records := self._totals.records) is not None:
            arrays |= {
                "block_numbers": records.numbers,
                "block_sums": records.sums,
                "block_played": records.played,
            }
        text = json.dumps(document, sort_keys=True)
        with whole_file(path) as file:
            np.savez_compressed(
                file,
                allow_pickle=False,
                document=np.array(text),
                checksum=np.array(_checksum(text, arrays)),
                **arrays,
            )

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        *,
        evaluator: Evaluator | None = None,
        policy: Policy | Evaluator | None = None,
    ) -> Self:
        """Read a rollout that `save` wrote; it can go on at once.

        Parameters
        ----------
        path : path
        evaluator, policy : optional
            Those that it was begun with, if they were objects of yours or another net. Nets are
            compared by their numbers, other objects by the names of their classes.

        Raises
        ------
        RolloutError
            The file is no rollout, was damaged, or belongs to another evaluator or policy.
        OSError
            The file cannot be read.
        """
        document, arrays = _read(path)
        shown = repr(os.fspath(path))
        try:
            setup = _setup(document["settings"], evaluator, policy)
            rollout = cls.__new__(cls)
            rollout._begin(setup, False)
            rollout._totals = BlockTotals.from_dict(
                document["totals"],
                arrays["first_values"],
                setup.plan.dice,
                exhaustible=setup.plan.deterministic,
                outputs=rollout._totals.outputs,
                records=_records(arrays),
            )
            rollout._seconds = float(document["seconds"])
            if rollout.trials:
                rollout._so_far(rollout._totals)  # sums that cannot be are found now
        except BgcoreError as error:
            raise RolloutError(f"{shown}: {error}") from None
        except (KeyError, TypeError, ValueError, IndexError, ArithmeticError) as error:
            raise RolloutError(f"{shown} is no rollout: {error!r}") from None
        settings = json.loads(json.dumps(rollout._settings()))
        for name, given in (("evaluator", evaluator), ("policy", policy)):
            stored, found = document["settings"][name], settings[name]
            if stored != found:
                hint = "" if given is not None else f"; give the {name} that it was begun with"
                raise RolloutError(f"{shown} was begun with the {name} {stored}, not {found}{hint}")
        if (differs := _first_difference(document["settings"], settings)) is not None:
            name, stored, found = differs
            raise RolloutError(
                f"{shown} is no rollout: its {name} is {_short(stored)}, which would be"
                f" {_short(found)}"
            )
        return rollout


class _Saver:
    """Saves a rollout now and then while it is played."""

    #: Of the time, saving takes no more than this.
    SHARE = 0.005

    def __init__(self, rollout: Rollout, path: str | os.PathLike[str] | None, every: float) -> None:
        if path is not None and not (isinstance(every, (int, float)) and every > 0):
            raise RolloutError(f"save_every is a number of seconds above 0, not {every!r}")
        self.rollout = rollout
        self.path = path
        self.every = every
        self.next = time.monotonic() + every
        self.saved: BlockTotals | None = None

    def now_and_then(self) -> None:
        if time.monotonic() >= self.next:
            self.save()

    def save(self) -> None:
        """Save what is not saved yet."""
        totals = self.rollout._totals
        if self.path is None or totals is self.saved:
            return
        began = time.monotonic()
        self.rollout.save(self.path)
        now = time.monotonic()
        self.saved = totals
        self.next = now + max(self.every, (now - began) / self.SHARE)


class _Watch:
    """Keeps what is done, whatever happens to the rest; saves it; looks at the clock."""

    def __init__(self, stop: StopRules | None, saver: _Saver) -> None:
        self.saver = saver
        seconds = None if stop is None else stop.seconds
        self.end = None if seconds is None else time.monotonic() + seconds
        self.is_out_of_time = False

    def __call__(self, totals: BlockTotals) -> bool:
        self.saver.rollout._totals = totals
        self.saver.now_and_then()
        if self.end is not None and time.monotonic() >= self.end:
            self.is_out_of_time = True
        return self.is_out_of_time


def _part_of(tell: Callable[[Progress], None], total: int) -> Callable[[Progress], None]:
    """Turn the progress of a part into that of the whole."""

    def told(now: Progress) -> None:
        rate = now.games_per_second
        left = now.seconds_left
        if rate > 0 and now.total > 0 and now.done < now.total:
            left *= max(total - now.done, 0) / (now.total - now.done)
        elif now.seconds > 0 and now.done:
            left = max(total - now.done, 0) * now.seconds / now.done
        tell(replace(now, total=total, seconds_left=left))

    return told


_Arrays = Mapping[str, NDArray[Any]]


def _checksum(text: str, arrays: _Arrays) -> str:
    digest = hashlib.sha256(text.encode())
    for name, array in sorted(arrays.items()):
        digest.update(name.encode())
        digest.update(array.astype(array.dtype.newbyteorder("<")).tobytes())
    return digest.hexdigest()


def _records(arrays: _Arrays) -> BlockRecords | None:
    if "block_numbers" not in arrays:
        return None
    names = ("block_numbers", "block_sums", "block_played")
    return BlockRecords.of_arrays(*(arrays[name] for name in names))


def _read(path: str | os.PathLike[str]) -> tuple[dict[str, Any], _Arrays]:
    shown = repr(os.fspath(path))
    if os.path.exists(path) and not os.path.isfile(path):
        raise RolloutError(f"{shown} is no rollout: it is not a file")  # a pipe may have no end
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(entry.file_size for entry in archive.infolist()) > _MAX_BYTES:
                raise RolloutError(f"{shown} is too large for a rollout")
        with np.load(path, allow_pickle=False) as stored:
            arrays = {name: np.asarray(stored[name]) for name in stored.files}
        text, checksum = str(arrays.pop("document")), str(arrays.pop("checksum"))
        if checksum != _checksum(text, arrays):
            raise RolloutError(f"{shown} was damaged: its checksum is wrong")
        document = json.loads(text)
    except UNREADABLE_ARCHIVE as error:
        if isinstance(error, BgcoreError) or (isinstance(error, OSError) and error.filename):
            raise
        raise RolloutError(f"{shown} is no rollout, or was damaged: {error}") from None
    if not isinstance(document, dict) or document.get("format") != _FORMAT:
        raise RolloutError(f"{shown} is no rollout")
    if document.get("version") != _VERSION:
        raise RolloutError(
            f"{shown} is of version {document.get('version')!r}; this program reads {_VERSION}"
        )
    return document, arrays


def _setup(
    settings: dict[str, Any],
    evaluator: Evaluator | None,
    policy: Policy | Evaluator | None,
) -> Setup:
    """Make the setup again from what a file says."""
    board = Board(settings["board"], n_checkers=settings.get("n_checkers", 15))
    dice = None if settings["dice"] is None else (settings["dice"][0], settings["dice"][1])
    after = np.array(settings["boards_after"], np.int8)
    known = settings["policy"] if policy is None else policy
    cube = _cube_from_dict(settings["cube"])
    common: dict[str, Any] = {
        "evaluator": evaluator,
        "policy": known,
        "seed": int(settings["seed"]),
        "truncate": settings["truncate"] or None,
        "luck": settings["luck"],
        "stratified": settings["stratified"],
        "stop_at_tables": settings["stop_at_tables"],
    }
    if settings["is_cube_decision"]:
        return prepare_cube(board, cube, **common)
    plain = prepare(
        board,
        dice,
        plays=None if dice is None else 1,
        opening=settings["opening"],
        cube=cube,
        **common,
    )
    if dice is None:
        return plain
    legal: dict[bytes, Play] = {}
    plays = Plays(board, dice)
    for i, cells in enumerate(plays.boards):
        legal[cells.tobytes()] = plays[i]
    try:
        chosen = tuple(legal[cells.tobytes()] for cells in after)
    except KeyError:
        raise RolloutError("a play in it is not legal") from None
    plan = Plan(
        boards=np.ascontiguousarray(swap_boards(after)),
        swapped=True,
        evaluator=plain.plan.evaluator,
        policy=plain.plan.policy,
        seed=DiceStream(int(settings["seed"])).seed,
        stratified=plain.plan.stratified,
        opening=plain.plan.opening,
        luck=plain.plan.luck,
        truncate=plain.plan.truncate,
        stop_at_tables=plain.plan.stop_at_tables,
        cube=plain.plan.cube,
        starts=None if plain.plan.starts is None else plain.plan.starts[:1] * len(after),
        n_checkers=board.n_checkers,
    )
    return Setup(board, dice, chosen, after, plan, plain.cube)


def _is_decision(setup: Setup) -> bool:
    """Whether a cube decision is rolled out: two candidates without dice."""
    return setup.dice is None and len(setup.boards_after) == 2


def _cube_as_dict(cube: CubeContext) -> dict[str, Any]:
    """Return a cube and its score as values that JSON can hold, a table of one's own included."""
    document = {entry.name: getattr(cube, entry.name) for entry in fields(cube)}
    if cube.needs is not None:
        document["needs"] = list(cube.needs)
    if cube.met is not None:
        document["met"] = {"before": cube.met.before.tolist(), "after": cube.met.after.tolist()}
    return document


def _cube_from_dict(document: dict[str, Any] | None) -> CubeContext | None:
    if document is None:
        return None
    values = dict(document)
    if values["needs"] is not None:
        values["needs"] = tuple(values["needs"])
    if values["met"] is not None:
        values["met"] = MatchEquityTable(**values["met"])
    return CubeContext(**values)


def _first_difference(mine: dict[str, Any], theirs: dict[str, Any]) -> tuple[str, Any, Any] | None:
    """Return the name of the first setting that differs and both values; None: all are equal."""
    for name in {**mine, **theirs}:
        one, other = mine.get(name), theirs.get(name)
        if one == other:
            continue
        if isinstance(one, dict) and isinstance(other, dict):
            inner = _first_difference(one, other)
            if inner is not None:
                return f"{name} is another one: {inner[0]}", inner[1], inner[2]
        return name, one, other
    return None


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) < 60 else text[:57] + "..."
