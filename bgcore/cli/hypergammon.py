"""The command that asks the exact tables of Hypergammon."""

from dataclasses import asdict
from typing import Annotated, Any

import numpy as np
import typer

from bgcore.board import Board
from bgcore.cli.printing import print_json, print_text, progress
from bgcore.cli.reading import Json, UsageError
from bgcore.cli.variants import is_dice, read_state
from bgcore.cube_model import CubeContext
from bgcore.errors import VariantError
from bgcore.evaluators import Probabilities
from bgcore.hypergammon import HypergammonTable, hypergammon_table
from bgcore.rolls import parse_dice
from bgcore.texts import percent, points, table
from bgcore.variants import variant

_HEADINGS = ("win", "win g", "win bg", "lose g", "lose bg")
_CUBES = {
    "owned": "cube owned",
    "centred": "centred",
    "centred_jacoby": "centred, Jacoby",
    "centred_jacoby_beavers": "centred, Jacoby, beavers",
    "opponent": "opponent owns it",
}


def solved(n_checkers: int) -> HypergammonTable:
    """Give a table of Hypergammon; solving it the first time shows its progress."""
    with progress("solving Hypergammon") as tell:
        return hypergammon_table(n_checkers, progress=tell)


def hypergammon(
    position: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[STATE] [DICE]",
            show_default=False,
            help="A state such as '24:1 6:1 / 24:3', or an ID; the start if not given.",
        ),
    ] = None,
    checkers: Annotated[
        int, typer.Option(min=1, max=3, help="How many each side has in the game.")
    ] = 3,
    cube: Annotated[
        str, typer.Option(help="With dice: centred, own, opponent, or none.", metavar="PLACE")
    ] = "centred",
    jacoby: Annotated[bool, typer.Option("--jacoby", help="With dice: the Jacoby rule.")] = False,
    as_json: Json = False,
) -> None:
    """Tell what Hypergammon positions and plays are worth, exactly.

    Money equities of the player on roll for each point of the cube, when both play without a
    mistake. The table is made the first time, which takes minutes, and kept.
    """
    arguments = position or []
    dice = [text for text in arguments if is_dice(text)]
    states = [text for text in arguments if not is_dice(text)]
    if len(dice) > 1 or len(states) > 1:
        raise UsageError("this command takes one state, in quotes, and one roll")
    if cube not in ("centred", "own", "opponent", "none"):
        raise UsageError(f"--cube is centred, own, opponent or none, not {cube!r}")
    rules = variant("hypergammon", n_checkers=checkers)
    state = read_state(rules, states[0]) if states else rules.initial()
    if checkers in (state.own.off, state.opponent.off):
        raise VariantError(f"{str(state)!r}: the game is over")
    board = state.to_board()
    document: dict[str, Any] = {"state": str(state), "n_checkers": checkers}
    if dice:
        roll = parse_dice(dice[0])
        place = CubeContext(owner=cube, jacoby=jacoby) if cube != "none" else None  # type: ignore[arg-type]
        ranked = solved(checkers).rank_plays(board, roll, place or CubeContext(has_cube=False))
        if as_json:
            print_json(document | {"dice": roll, "plays": [play.to_dict() for play in ranked]})
            return
        print_text(f"hypergammon: {state}  {roll[0]}-{roll[1]}")
        rows: list[tuple[str, ...]] = [("play", "cubeful", "loss", "cubeless", *_HEADINGS)]
        for play in ranked:
            numbers = [percent(value) for value in asdict(play.probabilities).values()]
            loss = points(-play.loss) if play.loss else ""
            cubeful, cubeless = points(play.equity_cubeful), points(play.equity_cubeless)
            rows.append((str(play.play), cubeful, loss, cubeless, *numbers))
        print_text(table(rows))
        return
    _show_equities(document, solved(checkers), board, as_json)


def _show_equities(
    document: dict[str, Any], found: HypergammonTable, board: Board, as_json: bool
) -> None:
    cells = board.to_array()[np.newaxis]
    five = Probabilities.from_array(found.probabilities(cells)[0])
    settings: dict[str, dict[str, Any]] = {
        "owned": {"cube": "own"},
        "centred": {},
        "centred_jacoby": {"jacoby": True},
        "centred_jacoby_beavers": {"jacoby": True, "beavers": True},
        "opponent": {"cube": "opponent"},
    }
    equities = {
        name: (
            float(found.money(cells, may_double=False, **options)[0]),
            float(found.money(cells, **options)[0]),
        )
        for name, options in settings.items()
    }
    verdicts = {
        "owned": found.decision(board, CubeContext(owner="own")).text,
        "centred": found.decision(board, CubeContext(beavers=1)).text,
        "centred_jacoby": found.decision(board, CubeContext(jacoby=True)).text,
        "centred_jacoby_beavers": found.decision(board, CubeContext(jacoby=True, beavers=1)).text,
    }
    if as_json:
        entries = {
            name: {"no_double": rolls, "best": best, "verdict": verdicts.get(name)}
            for name, (rolls, best) in equities.items()
        }
        print_json(document | asdict(five) | {"cubeless": five.equity_cubeless, "cube": entries})
        return
    print_text(f"hypergammon: {document['state']}")
    numbers = [percent(value) for value in asdict(five).values()]
    print_text(table([("cubeless", *_HEADINGS), [points(five.equity_cubeless), *numbers]]))
    rows = [("", "no double", "best", "")]
    for name, (rolls, best) in equities.items():
        rows.append((_CUBES[name], points(rolls), points(best), verdicts.get(name, "")))
    print_text(table(rows))
