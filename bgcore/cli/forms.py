"""Commands about the forms of positions and of files of matches: convert, show."""

import os
import sys
from dataclasses import asdict, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from bgcore.checks import counted, shown
from bgcore.cli.printing import complain, print_json, print_text
from bgcore.cli.reading import (
    ID_MARK,
    IdAndDice,
    Json,
    UsageError,
    plain_name,
    read_arguments,
)
from bgcore.drawing import png_of
from bgcore.errors import BgcoreError
from bgcore.formats import MATCH_FORMATS, Problem, convert_matches, format_of
from bgcore.ids.any_id import read_id
from bgcore.position import FORMATS, Position
from bgcore.whole_files import whole_file

_FORMAT_NAMES = ", ".join(FORMATS)
_MATCH_FORMAT_NAMES = ", ".join(name for name, kind in MATCH_FORMATS.items() if kind.write)


def convert(
    position: Annotated[
        list[str],
        typer.Argument(
            metavar="ID | IN [OUT]",
            show_default=False,
            help="A position as any ID tells it; or a file or folder of matches, or - for standard"
            " input, and where they go: a file, a folder, or standard output.",
        ),
    ],
    to: Annotated[
        str | None,
        typer.Option(
            metavar="FORMAT",
            show_default=False,
            help=f"Of a position: {_FORMAT_NAMES}; gnubg is positionID:matchID. Of matches:"
            f" {_MATCH_FORMAT_NAMES}; by the ending of OUT if not given.",
        ),
    ] = None,
    from_format: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="FORMAT",
            show_default=False,
            help="Of matches; by how IN begins, or else by its ending, if not given.",
        ),
    ] = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="Refuse if the format cannot hold everything, or a file is at fault.",
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Write a position as another kind of ID, or matches in another format.

    What the format cannot hold, and what is wrong in a file, is named on standard error, one line
    each, or in the JSON document.
    """
    if _is_place(position[0]):
        _convert_matches(position, from_format, to, strict, as_json)
        return
    if from_format is not None:
        raise UsageError("--from is for files of matches")
    if len(position) == 2 and format_of(plain_name(position[1])) is not None:
        raise BgcoreError(
            f"there is no file or folder {shown(plain_name(position[0]))} to convert; a position"
            " is converted with --to alone"
        )
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
    assumed = None if to == "key" else read_id(ids[0]).assumed
    if as_json:
        print_json({"text": text, "lost": list(lost), "assumed": assumed})
        return
    print_text(text)
    notes = [f"the format {to} cannot hold: {'; '.join(lost)}"] if lost else []
    notes += [f"the ID tells the checkers alone; assumed: {assumed}"] if assumed else []
    if notes:
        complain(f"warning: {'. '.join(notes)}", 0)


def _is_place(text: str) -> bool:
    """Tell a file, a folder or standard input from an ID."""
    if text.startswith(("board:", ID_MARK)):
        return False
    return text == "-" or "." in text or os.path.exists(text)


def _convert_matches(
    places: list[str], from_format: str | None, to: str | None, strict: bool, as_json: bool
) -> None:
    if len(places) > 2:
        raise UsageError("convert takes one ID, or IN and OUT")
    if from_format is not None and from_format not in MATCH_FORMATS:
        raise UsageError(f"--from is {from_format!r}; right are {', '.join(MATCH_FORMATS)}")
    if to is not None and to not in MATCH_FORMATS:
        raise UsageError(f"--to is {to!r}; right for matches are {_MATCH_FORMAT_NAMES}")
    source, target = plain_name(places[0]), plain_name(places[1]) if len(places) > 1 else "-"
    if target == "-" and as_json:
        raise UsageError("--json tells of a file: give OUT")
    if to is None and (target == "-" or format_of(target) is None):
        raise UsageError(f"the format of {target!r} is not known: give --to")
    problems: list[Problem] = []

    def on_problem(problem: Problem) -> None:
        if as_json:
            problems.append(problem)
        else:
            complain(f"warning: {problem}", 0)

    done = []
    for conversion in convert_matches(
        sys.stdin.buffer if source == "-" else source,
        sys.stdout.buffer if target == "-" else target,
        from_format,
        to,
        strict=strict,
        on_problem=on_problem,
    ):
        done.append(conversion)
        if not as_json and target != "-":
            print_text(
                f"{conversion.target}: {counted(conversion.matches, 'match', 'matches')},"
                f" {counted(conversion.games, 'game', 'games')}"
            )
    if as_json:
        print_json(
            {
                "files": [asdict(conversion) for conversion in done],
                "problems": [asdict(problem) for problem in problems],
            }
        )


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
        raise UsageError(f"this command takes one position, not {len(ids)}")
    made = Position.from_text(ids[0])
    if dice is not None:
        made = replace(made, dice=dice)
    assumed = read_id(ids[0]).assumed
    if svg is not None:
        _write(svg, made.svg(home=home).encode())
    if png is not None:
        _write(png, png_of(made.svg(home=home)))
    if as_json:
        print_json(_document(ids[0], assumed, made, home))
        return
    note = "" if assumed is None else f"  ({assumed})"
    print_text(f"{ids[0].strip()}{note}")
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
