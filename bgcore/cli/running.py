"""Start and end of a run of the command line."""

import io
import os
import signal
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn, TextIO

import typer

from bgcore import _leave
from bgcore.cli.app import app
from bgcore.cli.interrupt import INTERRUPTED
from bgcore.cli.printing import complain
from bgcore.cli.reading import BARE_XGID, ID_MARK, UsageError
from bgcore.errors import BgcoreError, BgcoreWarning


def main() -> NoReturn:
    """Run the command line of the process and leave it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a sign is no fault
    try:
        if signal.getsignal(signal.SIGINT) is _leave:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        status = run(sys.argv[1:])
    except KeyboardInterrupt:
        status = INTERRUPTED
    sys.exit(status)


def run(arguments: Sequence[str]) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str
        What stands after the name of the program.

    Returns
    -------
    int
        The exit status.
    """
    if any(ID_MARK in argument for argument in arguments):
        return complain("an argument holds a NUL character", 1)
    marked = [ID_MARK + a if BARE_XGID.fullmatch(a) else a for a in arguments] or ["--help"]
    with warnings.catch_warnings():
        warnings.simplefilter("always", BgcoreWarning)
        warnings.showwarning = _show_warning
        return _run(marked)


def _run(marked: list[str]) -> int:
    try:
        status = app(marked, prog_name="bgcore", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except typer.TyperException as error:
        return complain(error.format_message(), error.exit_code)
    except UsageError as error:
        return complain(str(error), 2)
    except (BgcoreError, MemoryError) as error:
        return complain(str(error) or "not enough memory", 1)
    except (KeyboardInterrupt, typer.Abort):
        return INTERRUPTED
    except BrokenPipeError:
        give_up_stdout()
        return 1
    except OSError as error:
        give_up_stdout()
        name = "" if error.filename is None else f"{error.filename or repr('')}: "
        return complain(f"{name}{error.strerror or error}", 1)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning as one line, without the place in the code that means nothing to a user."""
    complain(f"warning: {message}", 0)


def give_up_stdout() -> None:
    """Let what is left in the buffer of a broken standard output go nowhere, without a word."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        sys.stdout = None
