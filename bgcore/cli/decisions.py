"""Commands about decisions: eval, hint."""

from dataclasses import asdict
from typing import Annotated

import numpy as np
import typer

from bgcore.board import Phase
from bgcore.cli.printing import headline, print_json, print_text
from bgcore.cli.reading import (
    GivenPosition,
    IdAndDice,
    Ids,
    Json,
    Met,
    Net,
    Plies,
    UsageError,
    read_arguments,
    read_met,
    read_one_position,
    read_position,
    state_of,
)
from bgcore.cube_decision import CubeDecision, decide
from bgcore.cube_model import CubeContext
from bgcore.errors import BgcoreError
from bgcore.evaluators import NetEvaluator, Probabilities
from bgcore.game_state import Stage
from bgcore.hints import RankedPlay
from bgcore.hints import hint as rank_plays
from bgcore.ids.any_id import read_id
from bgcore.texts import percent, points, table

_HEADINGS = ("win", "win g", "win bg", "lose g", "lose bg")


def evaluate(
    positions: Ids,
    net: Net = None,
    plies: Plies = 0,
    met: Met = None,
    as_json: Json = False,
) -> None:
    """Evaluate positions with the net.

    Before the roll: dice in an ID do not count. Plies are those of GNU Backgammon: 0 if not given.
    The cubeless equity is that of money. The cubeful one is that after the best cube action of both
    sides, for each point of the cube; in a match money-like, see hint.
    """
    ids, dice = read_arguments(positions)
    if dice is not None:
        raise UsageError("eval takes no dice")
    given = [read_position(read_id(text), None) for text in ids]
    table_of_equities = read_met(met)
    boards = np.array([position.board.to_array() for position in given])
    fives = NetEvaluator(net, plies=plies).evaluate(boards)
    results = []
    for position, five in zip(given, fives, strict=True):
        cubeful = None
        if position.board.phase is not Phase.OVER:
            context = CubeContext.of(state_of(position, None), table_of_equities)
            cubeful = decide(position.board, five, context).equity_cubeful
        results.append((position, Probabilities.from_array(five), cubeful))
    if as_json:
        print_json(
            {
                "results": [
                    {
                        "id": position.id,
                        "assumed": position.assumed,
                        **asdict(five),
                        "equity_cubeless": five.equity_cubeless,
                        "equity_cubeful": cubeful,
                    }
                    for position, five, cubeful in results
                ]
            }
        )
        return
    for position, five, cubeful in results:
        print_text(headline(position))
        numbers = [percent(value) for value in asdict(five).values()]
        equities = [points(five.equity_cubeless), "" if cubeful is None else points(cubeful)]
        print_text(table([("cubeless", "cubeful", *_HEADINGS), [*equities, *numbers]]))


def hint(
    position: IdAndDice,
    plays: Annotated[int, typer.Option(min=1, metavar="N", help="How many plays are shown.")] = 10,
    net: Net = None,
    plies: Plies = 0,
    met: Met = None,
    as_json: Json = False,
) -> None:
    """Show the best plays, or the cube decision if there are no dice.

    By the net, 0-ply (GNU numbering) if not said otherwise. Equities are points for each point of
    the cube; in a match they are money-like: -1 and +1 are losing and winning the game with the
    cube as it is.
    """
    given = read_one_position(position)
    if given.board.phase is Phase.OVER:
        raise BgcoreError(f"{given.id!r}: the game is over, there is nothing to decide")
    evaluator = NetEvaluator(net, plies=plies)
    state = state_of(given, given.dice)
    if state.stage is Stage.PLAY:
        ranked = rank_plays(state, evaluator=evaluator, met=read_met(met))
        _show_plays(given, ranked, plays, as_json)
        return
    context = CubeContext.of(state, read_met(met))
    five = evaluator.evaluate(given.board.to_array()[np.newaxis])[0]
    _show_cube(given, decide(given.board, five, context), as_json)


def _show_plays(
    given: GivenPosition, ranked: tuple[RankedPlay, ...], most: int, as_json: bool
) -> None:
    shown = ranked[:most]
    if as_json:
        print_json(
            {
                "id": given.id,
                "assumed": given.assumed,
                "dice": given.dice,
                "count": len(ranked),
                "plays": [play.to_dict() for play in shown],
            }
        )
        return
    print_text(headline(given, given.dice))
    rows: list[tuple[str, ...]] = [("play", "cubeful", "loss", "cubeless", *_HEADINGS)]
    for play in shown:
        loss = points(-play.loss) if play.loss else ""
        numbers = [percent(value) for value in asdict(play.probabilities).values()]
        cubeful, cubeless = points(play.equity_cubeful), points(play.equity_cubeless)
        rows.append((str(play.play), cubeful, loss, cubeless, *numbers))
    print_text(table(rows))


def _show_cube(given: GivenPosition, found: CubeDecision, as_json: bool) -> None:
    if as_json:
        print_json({"id": given.id, "assumed": given.assumed, **found.to_dict()})
        return
    print_text(headline(given))
    numbers = [percent(value) for value in asdict(found.probabilities).values()]
    print_text(table([("cubeless", *_HEADINGS), [points(found.equity_cubeless), *numbers]]))
    word = "redouble" if found.is_redouble else "double"
    rows: list[tuple[str, ...]] = [
        (f"no {word}", points(found.no_double)),
        (f"{word}, take", points(found.double_take)),
        (f"{word}, pass", points(found.double_pass)),
    ]
    if found.double_beaver is not None:
        rows.insert(2, (f"{word}, beaver", points(found.double_beaver)))
    if (chances := found.mwc) is not None:
        shares = [chances["no_double"], chances["double_take"], chances["double_pass"]]
        rows = [(*row, percent(share) + " %") for row, share in zip(rows, shares, strict=True)]
    print_text(table(rows))
    remarks = f" ({'; '.join(found.remarks)})" if found.remarks else ""
    print_text(f"proper cube action: {found.text}{remarks}")
