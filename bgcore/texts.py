"""Numbers and tables as text."""

import math
from collections.abc import Sequence

__all__ = ["percent", "plus_minus", "points", "table"]


def table(rows: Sequence[Sequence[str]]) -> str:
    """Set rows of text in columns: the first one to the left, the others to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def points(value: float, error: float | None = None) -> str:
    """Write an equity, and its standard error if it is given."""
    return f"{value:+.4f}" if error is None else f"{value:+.4f} {plus_minus(error, 4)}"


def percent(value: float, error: float | None = None) -> str:
    """Write a share in per cent, and its standard error if it is given."""
    text = f"{100 * value:.2f}"
    return text if error is None else f"{text} {plus_minus(100 * error, 2)}"


def plus_minus(error: float, digits: int) -> str:
    """A standard error; "?" if it is not known."""
    return "\N{PLUS-MINUS SIGN}" + ("?" if math.isnan(error) else f"{error:.{digits}f}")
