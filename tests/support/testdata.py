"""Reads the small text files in tests/data; lines with # are remarks."""

from pathlib import Path

DATA = Path(__file__).parents[1] / "data"


def rows(name: str, separator: str) -> list[list[str]]:
    """Return the fields of every line of a file, without the blanks around them."""
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    return [
        [field.strip() for field in line.split(separator)]
        for line in lines
        if line and not line.startswith("#")
    ]


def position_ids(name: str) -> list[str]:
    """Return the position IDs of a list with one on each line."""
    return [row[0] for row in rows(name, ",")]
