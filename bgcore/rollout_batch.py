"""Rollouts of many positions, into a file, with nothing lost if the work is ended at any moment.

While it goes on, what is done stands in a file beside the place of the results, `NAME.part`: one
line about the work, then one line for each position. It is read when the same work is begun again.
At the end the results are written whole.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, Self, SupportsIndex

from bgcore.board import Board, Phase
from bgcore.checks import flag, jobs_number, shown, takes, whole_number
from bgcore.cube_model import CubeContext
from bgcore.cube_rollout import CubeRollout, rollout_cube
from bgcore.errors import RecordError, RolloutError
from bgcore.evaluators import NetEvaluator
from bgcore.identity import identity_of
from bgcore.ids.any_id import read_id
from bgcore.json_records import json_document
from bgcore.met import MatchEquityTable
from bgcore.owned_files import owned_file
from bgcore.position import Position, game_of
from bgcore.resumable_rollout import Rollout
from bgcore.rollout import MAX_TRIALS, Progress, RolloutResult, rollout
from bgcore.rollout_bar import RolloutBar
from bgcore.rollout_columns import columns_of_documents
from bgcore.rolls import Dice, parse_dice
from bgcore.stop_rules import StopRules
from bgcore.whole_files import check_place, whole_file

__all__ = ["RolloutTask", "rollout_batch"]

_FORMAT = "bgcore-rollout-batch"
_VERSION = 1
_ENDINGS = (".jsonl", ".parquet")
#: Seconds between two times that the lines are forced onto the disk.
_SYNC_EVERY = 1.0


@dataclass(frozen=True, slots=True)
class RolloutTask:
    """A position as an ID tells it, and what is to be rolled out of it.

    Attributes
    ----------
    id : str
        As it was given.
    board : Board
        Seen by the side on roll.
    dice : (int, int) or None
        Given: the plays of this roll are compared.
    cube : CubeContext or None
        None: the cube is not played.
    is_cube_decision : bool
        Whether no double and double/take are compared.
    assumed : str or None
        What an ID of the checkers alone leaves open.
    """

    id: str
    board: Board
    dice: tuple[int, int] | None
    cube: CubeContext | None
    is_cube_decision: bool
    assumed: str | None

    @classmethod
    def read(
        cls,
        text: str,
        dice: tuple[int, int] | None = None,
        *,
        cube: bool = False,
        cube_decision: bool = False,
        met: MatchEquityTable | None = None,
    ) -> Self:
        """Read an ID of any kind.

        Parameters
        ----------
        text : str
        dice : (int, int), optional
            Count instead of those in the ID; of a cube decision no dice count.
        cube : bool, default False
            Play the cube, by the cube and score of the ID.
        cube_decision : bool, default False
            Roll out the decision to double.
        met : MatchEquityTable, optional
            For matches; Kazaross-XG2 if not given.

        Raises
        ------
        IdError
            The ID cannot be read.
        RolloutError
            The game is over, or the player on roll cannot double.
        """
        known = read_id(text)
        board = Board(known.cells)
        if board.phase is Phase.OVER:
            raise RolloutError(f"{text!r}: the game is over, there is nothing to roll out")
        context = None
        if cube or cube_decision:
            state = game_of(Position.from_text(text), before_roll=True)
            context = CubeContext.of(state, met)
        if cube_decision and context is not None and not context.may_double:
            raise RolloutError(f"{text!r}: the player on roll cannot double")
        roll = None if cube_decision else dice or known.dice
        return cls(text, board, roll, context, cube_decision, known.assumed)

    def begin(self, **settings: Any) -> Rollout:
        """Return a rollout that can be saved and go on; the settings are those of `Rollout`."""
        if self.is_cube_decision:
            return Rollout.of_cube_decision(self.board, self.cube, **settings)
        return Rollout(self.board, self.dice, cube=self.cube, **settings)

    def run(
        self,
        trials: int,
        *,
        stop: StopRules | None = None,
        jobs: int = 1,
        executor: Executor | None = None,
        progress: Callable[[Progress], None] | None = None,
        **settings: Any,
    ) -> RolloutResult | CubeRollout:
        """Roll out; with stop rules in whole blocks. The arguments are those of `Rollout.run`."""
        how: dict[str, Any] = {"jobs": jobs, "executor": executor, "progress": progress}
        if stop is not None:
            made = self.begin(**settings)
            made.run(trials, stop=stop, **how)
            return made.cube_decision() if self.is_cube_decision else made.result()
        if self.is_cube_decision:
            return rollout_cube(self.board, self.cube, trials=trials, **how, **settings)
        return rollout(self.board, self.dice, trials=trials, cube=self.cube, **how, **settings)

    def document(self, result: RolloutResult | CubeRollout) -> dict[str, Any]:
        """Return a result as values that JSON can hold, under the ID as it was given."""
        return result.to_dict() | {"id": self.id, "assumed": self.assumed}


def rollout_batch(
    ids: Iterable[str],
    out: str | os.PathLike[str],
    *,
    dice: "Dice | None" = None,
    trials: SupportsIndex = 1296,
    stop: StopRules | None = None,
    cube: bool = False,
    cube_decision: bool = False,
    met: MatchEquityTable | None = None,
    jobs: SupportsIndex = 1,
    executor: Executor | None = None,
    progress: RolloutBar | None = None,
    **settings: Any,
) -> int:
    """Roll out many positions and write the results to a file.

    Called again with the same arguments after it was ended at any moment, be it by kill -9, it goes
    on after the last position that was finished, and the results are the same as without the
    break. All positions get the same seed.

    Parameters
    ----------
    ids : iterable of str
        Positions, IDs of any kind. Dice in them count.
    out : path
        Ends in ``.jsonl`` (JSON Lines: for each position the document of
        `RolloutResult.to_dict` or `CubeRollout.to_dict`) or in ``.parquet`` (the columns of
        `rollout_columns`; needs pyarrow, `pip install 'bgcore[arrow]'`). The `id` is the ID as it
        was given. There must be no such file yet.
    dice : str or pair of int, optional
        Count for every position instead of those in the IDs.
    trials : int, default 1296
    stop : StopRules, optional
        Without a time budget, which could not be repeated.
    cube, cube_decision : bool
        Play the cube, by the cube and score of each ID; roll out cube decisions. See
        `RolloutTask.read`.
    met : MatchEquityTable, optional
        For the cube in matches; Kazaross-XG2 if not given.
    jobs, executor
        See `bgcore.rollout`. They and `progress` may change between two calls.
    progress : RolloutBar, optional
    **settings
        As for `bgcore.rollout`: evaluator, policy, seed, truncate, luck, plays, opening,
        stratified, stop_at_tables.

    Returns
    -------
    int
        How many positions were finished: fewer than there are if ctrl-C ended the work.

    Raises
    ------
    IdError, RolloutError
        An ID or a setting cannot be used: nothing is begun then. The file is there already; or what
        was begun there is other work, was damaged, or is being written by another process.
    OSError
        The file cannot be written.
    KeyboardInterrupt
        Ctrl-C before the first trials of a position were done.

    Examples
    --------
    >>> import tempfile
    >>> ids = ["4HPwATDgc/ABMA", "-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     done = rollout_batch(ids, f"{folder}/x.jsonl", trials=36, truncate=2)
    ...     lines = open(f"{folder}/x.jsonl").read().splitlines()
    >>> done, len(lines)
    (2, 2)
    """
    n_trials = whole_number(trials, "trials", 1, MAX_TRIALS, RolloutError)
    n_jobs = jobs_number(jobs, RolloutError)
    if stop is not None and (not isinstance(stop, StopRules) or stop.seconds is not None):
        raise RolloutError("stop is a StopRules without a time budget, which cannot be repeated")
    if isinstance(ids, str):
        raise RolloutError(f"ids are a list of IDs, not one text: {shown(ids)}")
    if progress is not None and not takes(progress, "part", 2):
        raise RolloutError(f"progress has a method part(number, count); {progress!r} has not")
    for name, value in (("cube", cube), ("cube_decision", cube_decision)):
        flag(value, name, RolloutError)
    roll = None if dice is None else parse_dice(dice)
    if met is not None and not (cube or cube_decision):
        raise RolloutError("a match equity table (met) is for trials with a cube")
    how_read: dict[str, Any] = {"cube": cube, "cube_decision": cube_decision, "met": met}
    tasks = [RolloutTask.read(text, roll, **how_read) for text in ids]
    if not tasks:
        raise RolloutError("there are no positions to roll out")
    place = Path(out)
    if place.suffix not in _ENDINGS:
        raise RolloutError(
            f"{os.fspath(out)!r} is no place for results: their name ends in"
            f" {' or '.join(_ENDINGS)}, such as results.jsonl"
        )
    if place.suffix == ".parquet":
        _parquet()
    # settings that no position can be rolled out with are found before the first one is
    common = dict(settings)
    plays = common.pop("plays", None)
    if plays is not None and not any(task.dice for task in tasks):
        raise RolloutError("plays can only be chosen if dice are given")
    common["evaluator"] = common.get("evaluator") or NetEvaluator()
    # what chooses plays is of no use before the roll
    settings_of = [common | ({"plays": plays} if task.dice else {}) for task in tasks]
    begun = tasks[0].begin(**settings_of[0])
    about = {
        "trials": n_trials,
        "stop": None if stop is None else asdict(stop),
        "cube": cube,
        "cube_decision": cube_decision,
        # what was begun without a table of its own has no such line
        **({} if met is None else {"met": identity_of(met)}),
        "dice": None if roll is None else list(roll),
        "plays": plays,
        **begun.how_played(),
    }
    with _Part(place, about, [task.id for task in tasks]) as part:
        for number in range(part.done, len(tasks)):
            result = tasks[number].run(
                n_trials,
                stop=stop,
                jobs=n_jobs,
                executor=executor,
                progress=None if progress is None else progress.part(number, len(tasks)),
                **settings_of[number],
            )
            if result.interrupted:
                return part.done
            part.add(tasks[number].document(result))
        part.finish()
    return len(tasks)


class _Part:
    """The file of what is done so far."""

    def __init__(self, place: Path, about: dict[str, Any], ids: Sequence[str]) -> None:
        self.place = place
        self.path = place.with_name(place.name + ".part")
        digest = hashlib.sha256("\n".join(ids).encode()).hexdigest()
        self.head = {
            "format": _FORMAT,
            "version": _VERSION,
            "positions": len(ids),
            "sha256": digest,
            "settings": about,
        }
        self.ids = ids
        self.done = 0
        self.synced = 0.0
        self.file: BinaryIO
        self.stack: ExitStack

    def __enter__(self) -> Self:
        check_place(self.place)
        if self.place.exists() and not self.path.exists():
            raise self._is_there()
        with ExitStack() as stack:
            try:
                self.file = stack.enter_context(owned_file(self.path))
            except BlockingIOError:
                raise RolloutError(
                    f"{os.fspath(self.path)!r} is being written by another process; wait until it"
                    " ends, or choose another file for the results"
                ) from None
            self._go_on()
            self.stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self.stack.close()

    def _is_there(self) -> RolloutError:
        return RolloutError(f"{os.fspath(self.place)!r} is there already; nothing was begun")

    def _go_on(self) -> None:
        """Read what was begun, and cut off a last line that was not finished."""
        shown = repr(os.fspath(self.path))
        self.file.seek(0)
        *whole, torn = self.file.read().split(b"\n")
        if whole:
            self._check_head(_line(whole[0], shown), shown)
        elif not _text(self.head).startswith(torn):
            raise RolloutError(f"{shown} is not what was begun of rollouts")
        elif self.place.exists():
            # another process finished the work since it was seen that there are no results
            self.path.unlink()
            raise self._is_there()
        for text, given in zip(whole[1:], [*self.ids, None], strict=False):
            if given is None or _line(text, shown).get("id") != given:
                raise RolloutError(f"{shown} was damaged: position {self.done} is another one")
            self.done += 1
        self.file.truncate(sum(len(line) + 1 for line in whole))
        if not whole:
            self._write(self.head)

    def _check_head(self, found: dict[str, Any], shown: str) -> None:
        if found.get("format") != _FORMAT or found.get("version") != _VERSION:
            raise RolloutError(f"{shown} is not what was begun of rollouts")
        settings = found.get("settings")
        if not isinstance(settings, dict):
            raise RolloutError(f"{shown} was damaged: it has no settings")
        mine = json.loads(json.dumps(self.head["settings"]))
        for name in {**mine, **settings}:
            if settings.get(name) != mine.get(name):
                raise RolloutError(
                    f"{shown} was begun with {name} {settings.get(name)}, not {mine.get(name)}"
                )
        if found.get("sha256") != self.head["sha256"]:
            raise RolloutError(f"{shown} was begun with other positions")

    def _write(self, document: dict[str, Any]) -> None:
        self.file.write(_text(document))
        self.file.flush()
        if time.monotonic() >= self.synced + _SYNC_EVERY:
            os.fsync(self.file.fileno())
            self.synced = time.monotonic()

    def add(self, document: dict[str, Any]) -> None:
        self._write(document)
        self.done += 1

    def finish(self) -> None:
        """Write the results to their place, and remove what was begun."""
        self.file.seek(0)
        lines = self.file.read().split(b"\n")[1:-1]
        with whole_file(self.place) as file:
            if self.place.suffix == ".jsonl":
                file.writelines(line + b"\n" for line in lines)
            else:
                _write_parquet(lines, file)
        self.stack.close()
        # the same work, begun in between, finds all done and the same results
        self.path.unlink(missing_ok=True)


def _text(document: dict[str, Any]) -> bytes:
    return json.dumps(document, allow_nan=False).encode() + b"\n"


def _line(text: bytes, shown: str) -> dict[str, Any]:
    try:
        document = json_document(text)
    except RecordError as error:
        raise RolloutError(f"{shown} was damaged: {error}") from None
    if not isinstance(document, dict):
        raise RolloutError(f"{shown} was damaged: a line is no JSON object")
    return document


def _parquet() -> Any:
    try:
        from pyarrow import parquet
    except ImportError:
        raise RolloutError("a .parquet file needs pyarrow: pip install 'bgcore[arrow]'") from None
    return parquet


def _write_parquet(lines: Sequence[bytes], file: BinaryIO) -> None:
    from pyarrow import table

    columns = columns_of_documents(json.loads(line) for line in lines)
    whole = BytesIO()
    _parquet().write_table(table(columns), whole)
    file.write(whole.getvalue())
