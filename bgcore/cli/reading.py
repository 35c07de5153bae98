"""What comes in: arguments, files of positions, and the options that commands share."""

import os
import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Annotated

import typer

from bgcore._core.evaluator import MOST_PLIES
from bgcore.board import Board
from bgcore.errors import BgcoreError
from bgcore.game_state import GameState
from bgcore.ids.any_id import ReadId, read_id
from bgcore.met import MatchEquityTable
from bgcore.position import Position, game_of
from bgcore.rolls import parse_dice

#: Marks an argument that begins with "-" and is an XGID all the same. No argument of a process
#: can hold this character.
ID_MARK = "\0"
#: An XGID without its prefix, right or wrong: it has a colon, or letters and dashes alone, more of
#: them than any option has.
BARE_XGID = re.compile(r"-[^=:]*:.*|-[-a-oA-O]{19,}", re.DOTALL)
#: Digits alone, fewer than a position ID has letters, or two numbers.
_DICE = re.compile(r"[0-9]{1,13}|[0-9]+[-, ][0-9]+")


class UsageError(Exception):
    """The command line cannot be understood: exit status 2."""


@dataclass(frozen=True, slots=True)
class GivenPosition:
    """A position as the user gave it, with the dice that count."""

    id: str
    board: Board
    dice: tuple[int, int] | None
    #: What a bare position ID leaves open, else None.
    assumed: str | None


def read_arguments(arguments: Sequence[str]) -> tuple[list[str], tuple[int, int] | None]:
    """Tell dice and IDs apart by their shape; `-` and names with a dot are files of IDs."""
    ids: list[str] = []
    dice: tuple[int, int] | None = None
    for argument in arguments:
        text = argument.removeprefix(ID_MARK)
        if _DICE.fullmatch(text):
            if dice is not None:
                raise UsageError(f"dice are given twice: {text}")
            dice = parse_dice(text)
        elif text == "-" or "." in text:
            ids += _read_file(text)
        else:
            ids.append(text)
    if not ids:
        raise UsageError("no position is given")
    return ids, dice


def _read_file(name: str) -> list[str]:
    """Read IDs from a file, one a line; empty lines and lines that begin with # say nothing.

    A line that is no ID is refused here, where its number is known.
    """
    try:
        if name == "-":
            text = "" if sys.stdin is None else sys.stdin.read()
        else:
            with open(name, encoding="utf-8-sig") as file:
                text = file.read()
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text in UTF-8"
        raise BgcoreError(f"cannot read {name!r}: {reason}") from None
    shown_name = "standard input" if name == "-" else repr(name)
    ids = []
    for number, line in enumerate(text.splitlines(), start=1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        try:
            read_id(line)
        except BgcoreError as error:
            raise BgcoreError(f"{shown_name}, line {number}: {error}") from None
        ids.append(line)
    if not ids:
        raise BgcoreError(f"{shown_name} holds no position")
    return ids


def read_positions(arguments: Sequence[str]) -> list[GivenPosition]:
    """Read the positions of a command line; dice on it count for all of them."""
    ids, dice = read_arguments(arguments)
    return [read_position(read_id(text), dice) for text in ids]


def read_position(read: ReadId, dice: tuple[int, int] | None) -> GivenPosition:
    return GivenPosition(read.text, Board(read.cells), dice or read.dice, read.assumed)


def state_of(given: GivenPosition, dice: tuple[int, int] | None) -> GameState:
    """Return the game of a position with these dice, whatever its ID says of dice."""
    return game_of(replace(Position.from_text(given.id), dice=dice))


def read_one_position(arguments: Sequence[str]) -> GivenPosition:
    positions = read_positions(arguments)
    if len(positions) > 1:
        raise UsageError(f"this command takes one position, not {len(positions)}")
    return positions[0]


def read_met(name: str | None) -> MatchEquityTable | None:
    """Read a match equity table; None is the one that is used by default."""
    return None if name is None else MatchEquityTable.load(name)


def cpus() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# ---- arguments and options ----


def plain_name(text: str) -> str:
    """Take back the mark from an argument that looks like an ID where a name is wanted."""
    return text.removeprefix(ID_MARK)


Ids = Annotated[
    list[str],
    typer.Argument(
        metavar="ID...",
        show_default=False,
        help="XGID, GNU position ID, positionID:matchID, OGID, or FIBS board line.",
    ),
]
IdAndDice = Annotated[
    list[str],
    typer.Argument(
        metavar="ID [DICE]",
        show_default=False,
        help="XGID, GNU position ID, positionID:matchID, OGID, or FIBS board line; dice such as 31,"
        " 3-1 or 3,1. Dice in the ID count unless dice are given.",
    ),
]
IdsAndDice = Annotated[
    list[str],
    typer.Argument(
        metavar="ID... [DICE]",
        show_default=False,
        help="As for plays; dice on the command line count for every ID.",
    ),
]
Net = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        parser=plain_name,
        help="A file of nets; the one that comes with bgcore if not given.",
    ),
]
Met = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        parser=plain_name,
        help="A match equity table, .xml or .met; Kazaross-XG2 if not given.",
    ),
]
Plies = Annotated[
    int,
    typer.Option(
        "--plies",
        min=0,
        max=MOST_PLIES,
        help="How far the net looks ahead: 0 judges positions as they stand.",
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Of the dice.")]
Jobs = Annotated[
    int | None,
    typer.Option(min=1, help="How many work at once; all processors if not given."),
]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]
