"""Commands about positions: plays, perft."""

import time
from typing import Annotated

import typer

from bgcore import position_ids, swap_boards
from bgcore._core.movegen import perft as count_nodes
from bgcore.board import Board
from bgcore.checks import counted
from bgcore.cli.interrupt import ctrl_c_ends
from bgcore.cli.printing import headline, print_json, print_text
from bgcore.cli.reading import IdAndDice, Json, UsageError, read_one_position
from bgcore.cli.variants import Rule, VariantName, perft_of_variant, plays_of_variant
from bgcore.texts import table


def plays(
    position: IdAndDice,
    variant: VariantName = None,
    rule: Rule = None,
    as_json: Json = False,
) -> None:
    """List every legal play of a roll.

    With --variant a position is a state in quotes, such as "24:13 18:2 / 24:15": points and
    checkers of the player on roll and of the opponent, each as he counts them; also bar:1, hand:2,
    off:3, 18:pin. Without one the game begins.
    """
    if variant is not None:
        plays_of_variant(variant, rule, position, as_json)
        return
    if rule:
        raise UsageError("--rule needs --variant")
    given = read_one_position(position)
    if given.dice is None:
        raise UsageError("no dice: give them after the ID, such as 31")
    legal = given.board.legal_plays(given.dice)
    count = 0 if legal.is_dance else len(legal)
    texts = [str(play) for play in legal[:count]]
    ids = position_ids(swap_boards(legal.boards))[:count]
    if as_json:
        found = [
            {"play": text, "board": cells, "position_id": text_id}
            for text, cells, text_id in zip(texts, legal.boards[:count], ids, strict=True)
        ]
        print_json(
            {
                "id": given.id,
                "assumed": given.assumed,
                "dice": given.dice,
                "count": count,
                "plays": found,
            }
        )
        return
    print_text(headline(given, given.dice))
    print_text(counted(count, "legal play") if count else "no legal play")
    if count:
        print_text(table(list(zip(texts, ids, strict=True))))


def perft(
    depth: Annotated[int, typer.Option(min=0, max=8, help="Plies.", show_default=False)],
    position: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", show_default=False, help="The opening if not given."),
    ] = None,
    weighted: Annotated[
        bool, typer.Option("--weighted", help="Count 36 rolls, not the 21 different ones.")
    ] = False,
    variant: VariantName = None,
    rule: Rule = None,
    as_json: Json = False,
) -> None:
    """Count the nodes of the tree of plays.

    Each ply is a roll and a play; a roll without a legal play has one child. With --variant a
    position is a state, see plays.
    """
    if variant is not None:
        perft_of_variant(variant, rule, depth, position, weighted, as_json)
        return
    if rule:
        raise UsageError("--rule needs --variant")
    board = Board.opening() if position is None else read_one_position([position]).board
    start = time.perf_counter()
    with ctrl_c_ends():
        nodes = count_nodes(board, depth, weighted=weighted)
    seconds = time.perf_counter() - start
    if as_json:
        print_json(
            {
                "id": board.position_id,
                "depth": depth,
                "weighted": weighted,
                "nodes": nodes,
                "seconds": seconds,
            }
        )
        return
    rolls = "36 rolls" if weighted else "21 rolls"
    print_text(f"depth {depth}, {rolls}: {counted(nodes, 'node')} in {seconds:.2f} s")
