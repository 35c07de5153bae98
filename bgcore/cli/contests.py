"""Commands in which players meet: duel."""

from dataclasses import asdict
from typing import Annotated

import typer

from bgcore.checks import counted
from bgcore.cli.printing import points, print_json, print_text, progress, table
from bgcore.cli.reading import Jobs, Json, Seed, cpus, plain_name
from bgcore.duel import duel as run_duel

_PLAYERS = "net, gnubg-nn, pips, random, or a file of nets."


def duel(
    first: Annotated[
        str, typer.Argument(metavar="A", parser=plain_name, help=_PLAYERS, show_default=False)
    ],
    second: Annotated[
        str, typer.Argument(metavar="B", parser=plain_name, help=_PLAYERS, show_default=False)
    ],
    games: Annotated[int, typer.Option(min=1, help="Games to play.", show_default=False)],
    seed: Seed = 0,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """Let two players play each other.

    Money games without a cube; the answer is the points a game that A wins, less luck.
    """
    with progress("playing") as tell:
        result = run_duel(first, second, games, seed=seed, jobs=jobs or cpus(), progress=tell)
    if as_json:
        print_json({"players": [first, second], **asdict(result)})
        return
    print_text(f"{first} against {second}, {counted(result.games, 'game')}, seed {result.seed}")
    adjusted = points(result.points_per_game, result.points_per_game_se)
    raw = points(result.raw_points_per_game, result.raw_points_per_game_se)
    print_text(table([["points a game, less luck", adjusted], ["points a game, raw", raw]]))
    print_text(
        f"{first} won {_wins(result.wins, result.gammons, result.backgammons)} and lost"
        f" {_wins(result.losses, result.gammons_lost, result.backgammons_lost)}"
    )


def _wins(wins: int, gammons: int, backgammons: int) -> str:
    return f"{wins:,} ({counted(gammons, 'gammon')}, {counted(backgammons, 'backgammon')})"
