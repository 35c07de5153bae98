"""A bar that shows how far a rollout is, in terminals and notebooks."""

import importlib
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self, TextIO

from bgcore.cube_rollout import CubeRollout
from bgcore.rollout import Progress
from bgcore.texts import points

__all__ = ["RolloutBar"]

#: Seconds between two estimates; the first one is shown at once.
_ESTIMATE_EVERY = 1.0
_CELLS = 30


class RolloutBar:
    """Shows trials, estimates so far, games a second and the time left.

    In a terminal it is a line that goes away at the end, in a notebook a line of the cell's output,
    and anywhere else nothing. It is given to a rollout as its `progress`.

    Parameters
    ----------
    what : str, default "rolling out"
        What stands before the bar.
    stream : text stream, default standard error
        The terminal.

    Examples
    --------
    >>> from bgcore import Board, rollout
    >>> with RolloutBar() as bar:
    ...     result = rollout(Board.opening(), trials=36, truncate=2, progress=bar)
    >>> result.trials
    36
    """

    def __init__(self, what: str = "rolling out", stream: TextIO | None = None) -> None:
        self.what = what
        self.stream = sys.stderr if stream is None else stream
        self._show: Callable[[float, str], None] | None = None
        self._close: Callable[[], None] | None = None
        self._estimate = ""
        self._next = 0.0

    def __enter__(self) -> Self:
        if _in_notebook():
            self._show = _notebook_line(self.what)
        elif self.stream is not None and self.stream.isatty():
            self._show, self._close = _terminal_bar(self.what, self.stream)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._close is not None:
            self._close()
        self._show = self._close = None

    def __call__(self, now: Progress) -> None:
        """Show how far a rollout is."""
        self._tell(now, 0, 1)

    def part(self, number: int, count: int) -> Callable[[Progress], None]:
        """Return what shows the progress of one of several rollouts as that of all.

        Parameters
        ----------
        number : int
            Which one, from 0.
        count : int
            How many there are.
        """
        return lambda now: self._tell(now, number, count)

    def _tell(self, now: Progress, number: int, count: int) -> None:
        if self._show is None:
            return
        clock = time.monotonic()
        if clock >= self._next or now.done >= now.total:
            self._estimate = _estimate(now.result())
            self._next = clock + _ESTIMATE_EVERY
        share = now.done / now.total if now.total else 1.0
        which = f"{number + 1} of {count}, " if count > 1 else ""
        self._show(
            (number + share) / count,
            f"{which}{now.done:,} of {now.total:,} trials, {self._estimate},"
            f" {now.games_per_second:,.0f} games/s, {_time(now.seconds_left)} left",
        )


def _estimate(result: Any) -> str:
    if isinstance(result, CubeRollout):
        found = result.decision
        return (
            f"no double {points(found.no_double, result.no_double_se)}, take"
            f" {points(found.double_take, result.double_take_se)}"
        )
    best = result.best
    name = "" if best.play is None else f"{best.play} "
    if best.equity_cubeful is not None:
        return f"{name}{points(best.equity_cubeful, best.equity_cubeful_se)}"
    return f"{name}{points(best.equity_cubeless, best.equity_se)}"


def _time(seconds: float) -> str:
    whole = round(seconds)
    hours, rest = divmod(whole, 3600)
    minutes, rest = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _in_notebook() -> bool:
    """Tell whether this is the kernel of a notebook, without importing anything for it."""
    shell = sys.modules.get("IPython")
    running = None if shell is None else shell.get_ipython()
    return running is not None and type(running).__name__ == "ZMQInteractiveShell"


def _notebook_line(what: str) -> Callable[[float, str], None]:
    # a notebook has it; nothing else needs it
    display: Any = importlib.import_module("IPython.display").display

    def text(share: float, words: str) -> dict[str, str]:
        full = round(_CELLS * share)
        return {"text/plain": f"{what} [{'#' * full}{'.' * (_CELLS - full)}] {words}"}

    handle = display(text(0.0, ""), raw=True, display_id=True)
    return lambda share, words: handle.update(text(share, words), raw=True)


def _terminal_bar(
    what: str, stream: TextIO
) -> tuple[Callable[[float, str], None], Callable[[], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(_CELLS),
        TextColumn("{task.fields[words]}"),
        console=Console(file=stream),
        transient=True,
    )
    task = bar.add_task(what, total=1.0, words="")
    bar.start()
    return lambda share, words: bar.update(task, completed=share, words=words), bar.stop
