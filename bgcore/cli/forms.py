"""Commands about the forms of a position: convert, show."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from bgcore.cli.printing import complain, print_json, print_text
from bgcore.cli.reading import (
    IdAndDice,
    Json,
    UsageError,
    assumed_by,
    plain_name,
    read_arguments,
)
from bgcore.drawing import png_of
from bgcore.ids.any_id import read_id
from bgcore.position import FORMATS, Position
from bgcore.whole_files import whole_file

_FORMAT_NAMES = ", ".join(FORMATS)


def convert(
    position: Annotated[
        list[str],
        typer.Argument(metavar="ID", show_default=False, help="A position as any ID tells it."),
    ],
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            show_default=False,
            help=f"{_FORMAT_NAMES}; gnubg is positionID:matchID.",
        ),
    ] = None,
    strict: Annotated[
        bool, typer.Option("--strict", help="Refuse if the format cannot hold everything.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Write a position as another kind of ID.

    What the format cannot hold is named on standard error, or in the JSON document.
    """
    ids, dice = read_arguments(position)
    if len(ids) > 1 or dice is not None:
        raise UsageError("convert takes one ID")
    if to not in FORMATS:
        given = "is missing" if to is None else f"is {to!r}"
        raise UsageError(f"--to {given}; right are {_FORMAT_NAMES}")
    made = Position.from_text(ids[0])
    text, lost = made.encode(to)
    if strict:
        made.to_text(to, strict=True)
    assumed = None if to == "key" else assumed_by(read_id(ids[0]))
    if as_json:
        print_json({"text": text, "lost": list(lost), "assumed": assumed})
        return
    print_text(text)
    notes = [f"the format {to} cannot hold: {'; '.join(lost)}"] if lost else []
    notes += [f"the ID tells the checkers alone; assumed: {assumed}"] if assumed else []
    if notes:
        complain(f"warning: {'. '.join(notes)}", 0)


def show(
    position: IdAndDice,
    home: Annotated[
        str, typer.Option(metavar="SIDE", help="Where the home boards are drawn: right or left.")
    ] = "right",
    svg: Annotated[
        str | None,
        typer.Option(metavar="FILE", parser=plain_name, help="Write a picture in SVG too."),
    ] = None,
    png: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            parser=plain_name,
            help="Write a picture in PNG too; needs pip install 'bgcore[png]'.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Show a position: board, cube, score, pips, dice and who acts.

    X is the bottom player. The points bear the numbers of the player on roll.
    """
    if home not in ("right", "left"):
        raise UsageError(f"--home is {home!r}; it is right or left")
    ids, dice = read_arguments(position)
    if len(ids) > 1:
        raise UsageError("this command takes one position")
    made = Position.from_text(ids[0])
    if dice is not None:
        made = replace(made, dice=dice)
    assumed = assumed_by(read_id(ids[0]))
    if svg is not None:
        _write(svg, made.svg(home=home).encode())
    if png is not None:
        _write(png, png_of(made.svg(home=home)))
    if as_json:
        print_json(_document(ids[0], assumed, made, home))
        return
    note = "" if assumed is None else f"  ({assumed})"
    print_text(f"{ids[0]}{note}")
    print_text(made.text(home=home))


def _document(text: str, assumed: str | None, position: Position, home: str) -> dict[str, Any]:
    boards = [position.board_swapped_for(player) for player in (0, 1)]
    return {
        "id": text,
        "assumed": assumed,
        "position": position.to_dict(),
        "actor": position.actor,
        "pips": [board.pips for board in boards],
        "position_id": position.board.position_id,
        "xgid": position.to_text("xgid"),
        "text": position.text(home=home),
    }


def _write(name: str, picture: bytes) -> None:
    with whole_file(Path(name)) as file:
        file.write(picture)
