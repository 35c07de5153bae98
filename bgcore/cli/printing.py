"""What goes out: text, tables, JSON and complaints."""

import json
import math
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np

from bgcore.cli.reading import ID_MARK, GivenPosition

#: Longest line of a complaint; what a message repeats of the input may be of any length.
_MAX_LINE = 500


def print_text(text: str) -> None:
    if sys.stdout is not None:
        print(text)


def print_json(document: dict[str, Any]) -> None:
    print_text(json.dumps(_plain(document), allow_nan=False))


def _plain(value: Any) -> Any:
    """Turn numpy's numbers and arrays into JSON's; what is not a number becomes null."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def headline(position: GivenPosition, dice: tuple[int, int] | None = None) -> str:
    """The ID, the dice and what a bare position ID leaves open."""
    line = position.id
    if dice is not None:
        line += f"  {dice[0]}-{dice[1]}"
    return line if position.assumed is None else f"{line}  ({position.assumed})"


@contextmanager
def progress(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show a bar on standard error if it is a terminal; gives the function that moves it."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


# ---- on standard error ----


def complain(message: str, status: int) -> int:
    if sys.stderr is not None:
        line = " ".join(message.replace(ID_MARK, "").split())
        if len(line) > _MAX_LINE:
            line = f"{line[: _MAX_LINE // 2]} ... {line[-_MAX_LINE // 2 :]}"
        # a closed or full standard error leaves nobody to tell
        with suppress(OSError):
            print(f"bgcore: {printable(line)}", file=sys.stderr, flush=True)
    return status


def printable(text: str) -> str:
    """Write what a terminal may not show, or could obey, as an escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
