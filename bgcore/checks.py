"""Checks of settings that several rooms share, so that all have the same limits and words."""

import inspect
import lzma
import operator
import os
import tokenize
import zipfile
import zlib
from concurrent.futures import Executor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bgcore.errors import BgcoreError

__all__ = [
    "MAX_JOBS",
    "UNREADABLE_ARCHIVE",
    "are_chances",
    "counted",
    "executor_of",
    "flag",
    "jobs_number",
    "path_text",
    "shown",
    "side",
    "takes",
    "whole_number",
]

#: Largest number of threads or processes that can be asked for.
MAX_JOBS = 1024
#: By so much five probabilities may miss their limits.
_SLACK = 1e-4
_LONGEST_SHOWN = 200
#: What `numpy.load` ends in with an archive that is damaged or made to do harm: it reads the heads
#: of arrays as Python text and makes room for what they say; zipfile has RuntimeErrors for odd
#: heads, and seeks wherever they point.
UNREADABLE_ARCHIVE = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    IndexError,
    KeyError,
    MemoryError,
    OSError,
    OverflowError,
    RuntimeError,
    SyntaxError,
    ValueError,
    tokenize.TokenError,
)


def shown(value: object) -> str:
    """Return what was given as a message shows it: its `repr`, cut if it is long.

    Numbers of thousands of digits and lists in lists in lists, as bad files have them, have no
    `repr` at all.
    """
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        kind = "number" if isinstance(value, int) else type(value).__name__
        return f"a {kind} that is too long to be shown"
    return text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}..."


def whole_number(
    value: object, name: str, low: int, high: int, error: type[BgcoreError] = BgcoreError
) -> int:
    """Return a whole number from low to high; True and 3.0 are none.

    Parameters
    ----------
    value : object
        What was given.
    name : str
        What it is, for the message.
    low, high : int
        Its limits, both allowed.
    error : type of BgcoreError
        What is raised otherwise.
    """
    if type(value) is int and low <= value <= high:
        return value  # nearly always
    try:
        if isinstance(value, (bool, np.bool_)):
            raise TypeError
        number = operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise error(f"{name} must be a whole number, not {shown(value)}") from None
    if not low <= number <= high:
        raise error(f"{name} must be {low} to {high}, not {shown(number)}")
    return number


def side(value: object, name: str, error: type[BgcoreError]) -> int:
    """Return the number of a player: 0 or 1; True and 1.0 are none."""
    try:
        return whole_number(value, name, 0, 1, error)
    except error:
        raise error(f"{name} is 0 or 1, not {shown(value)}") from None


def jobs_number(value: object, error: type[BgcoreError]) -> int:
    """Return a number of threads or processes: 1 to `MAX_JOBS`."""
    return whole_number(value, "jobs", 1, MAX_JOBS, error)


def flag(value: object, name: str, error: type[BgcoreError]) -> bool:
    """Return True or False; nothing else will do."""
    if not isinstance(value, (bool, np.bool_)):
        raise error(f"{name} must be True or False, not {shown(value)}")
    return bool(value)


def are_chances(fives: NDArray[Any]) -> NDArray[np.bool_]:
    """Tell of rows of five probabilities whether they can be those of a game, within 1e-4.

    They lie in [0, 1], a backgammon is not above a gammon, a gammon not above a win or a loss.
    Numbers that are not finite cannot.

    Parameters
    ----------
    fives : (..., 5) array

    Returns
    -------
    (...) bool array
    """
    win, win_gammon, win_backgammon, lose_gammon, lose_backgammon = np.moveaxis(fives, -1, 0)
    slack = fives.dtype.type(_SLACK)
    fit: NDArray[np.bool_] = (
        (fives >= -slack).all(axis=-1)
        & (win <= 1 + slack)
        & (win_gammon <= win + slack)
        & (win_backgammon <= win_gammon + slack)
        & (lose_gammon <= 1 - win + slack)
        & (lose_backgammon <= lose_gammon + slack)
    )
    return fit


def path_text(path: object, name: str, error: type[BgcoreError]) -> str:
    """Return a path as a text; a number, which would be a file that is open already, is none."""
    try:
        text = os.fspath(path)  # type: ignore[call-overload]
    except TypeError:
        text = None
    if not isinstance(text, str) or "\0" in text:
        raise error(f"{name} is a text or a path, not {shown(path)}")
    return text


def takes(thing: object, method: str, n: int) -> bool:
    """Tell whether an object has a method that can be called with n arguments.

    A class in place of its instance has not.
    """
    function = getattr(thing, method, None)
    if isinstance(thing, type) or not callable(function):
        return False
    try:
        inspect.signature(function).bind(*range(n))
    except TypeError:
        return False
    except ValueError:  # compiled code that does not tell its arguments
        return True
    return True


def executor_of(executor: Executor | None, error: type[BgcoreError]) -> Executor | None:
    """Return what work can be submitted to, or None."""
    if executor is not None and not takes(executor, "submit", 4):
        raise error(f"an executor has a method submit; {executor!r} has not")
    return executor


def counted(n: int, one: str, many: str | None = None) -> str:
    """Write a number and its noun: "1 trial", "1,296 trials"."""
    return f"{n:,} {one if n == 1 else many or one + 's'}"
