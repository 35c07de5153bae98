"""Commands in which players meet: match and duel."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from bgcore.arena import MatchResults, play_match, rules_of_layout
from bgcore.checks import counted
from bgcore.cli.hypergammon import solved
from bgcore.cli.printing import print_json, print_text, progress
from bgcore.cli.reading import Jobs, Json, Seed, UsageError, cpus, plain_name
from bgcore.cli.variants import Rule, VariantName, read_rules
from bgcore.decision_loss import DecisionLoss, decision_loss, load_decisions
from bgcore.duel import duel as run_duel
from bgcore.hypergammon import MOST
from bgcore.players import PLAYER_NAMES, HypergammonPlayer, player
from bgcore.texts import percent, points, table
from bgcore.variants import VariantResults, VariantRules, tavli
from bgcore.whole_files import check_place

#: The player that needs a table which takes minutes to make.
_EXACT = "hypergammon-exact"
_PLAYERS = (
    f"{', '.join(PLAYER_NAMES)}, or a file of nets; net@1 and so on look ahead; with --variant"
    " random, pips or the file of a net of that game."
)
_First = Annotated[
    str, typer.Argument(metavar="A", parser=plain_name, help=_PLAYERS, show_default=False)
]
_Second = Annotated[
    str, typer.Argument(metavar="B", parser=plain_name, help=_PLAYERS, show_default=False)
]


def match(
    first: _First,
    second: _Second,
    length: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Play matches to so many points.")
    ] = None,
    money: Annotated[
        bool, typer.Option("--money", help="Play money games: cube, Jacoby rule, one beaver.")
    ] = False,
    games: Annotated[
        int | None,
        typer.Option(min=1, help="How many, and the last match to its end; 1000 if not given."),
    ] = None,
    matches: Annotated[
        int | None, typer.Option(min=1, help="How many matches, instead of games.")
    ] = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            parser=plain_name,
            help="Write the games as JSON Lines, one match or money game a line.",
        ),
    ] = None,
    variant: VariantName = None,
    rule: Rule = None,
    as_json: Json = False,
) -> None:
    """Let two players play many games or matches.

    Without --length and --money: single games without a cube. With --variant, layouts of backgammon
    are played as backgammon is; the other games have the players random and pips, nets that were
    trained for them, and no cube.
    """
    if variant is None and rule:
        raise UsageError("--rule needs --variant")
    if length is not None and money:
        raise UsageError("money games belong to no match: --length or --money, not both")
    if matches is not None and length is None:
        raise UsageError("--matches needs the --length of a match")
    if matches is not None and games is not None:
        raise UsageError("--games or --matches, not both")
    if out is not None:
        check_place(out)  # before the games are played
    order = None if variant is None else _order(variant, rule)
    if _EXACT in (first, second) and _plays_by_table((first, second), order, length, money):
        solved(MOST)  # with a bar of its own
    with progress("playing") as tell:
        result = play_match(
            first,
            second,
            variant=order,
            length=length,
            money=money,
            games=games or 1000,
            matches=matches,
            seed=seed,
            jobs=jobs or cpus(),
            record=out is not None,
            progress=tell,
        )
    if out is not None and isinstance(result, MatchResults):
        result.save_records(out)
    if as_json:
        names = [rules.name for rules in order or ()]
        print_json(({"variants": names} if names else {}) | result.to_dict())
    elif isinstance(result, MatchResults):
        _print_match(result, money, f"{order[0].name}: " if order else "")
    else:
        _print_variant(result)


def _order(variant: str, rule: Sequence[str] | None) -> tuple[VariantRules, ...]:
    """Return the games that are played."""
    if variant.strip().lower() != "tavli":
        return (read_rules(variant, rule),)
    if rule:
        raise UsageError("tavli is played by the rules of its games, without --rule")
    return tavli()


def _plays_by_table(
    names: tuple[str, str],
    order: tuple[VariantRules, ...] | None,
    length: int | None,
    money: bool,
) -> bool:
    """Whether the table is needed: what `play_match` refuses is worth no minutes of solving."""
    if order is None or len(order) > 1:
        return False
    rules = rules_of_layout(order[0], length=length, money=money)
    if rules is None or HypergammonPlayer(MOST).why_not(rules):
        return False
    for name in names:
        player(name)
    return True


def _print_match(result: MatchResults, money: bool, game: str) -> None:
    what = counted(result.games, "money game" if money else "single game")
    if result.length:
        matches = counted(sum(result.matches), "match", "matches")
        what = f"{counted(result.games, 'game')} of {matches} to {result.length:,}"
    first, second = result.names
    print_text(
        f"{game}{first} against {second}, {what}, seed {result.seed};"
        f" {result.games_per_second:,.0f} games/s"
    )
    rows = [["", first, second]]
    if result.length:
        rows.append(["matches won", *map(str, result.matches)])
    rows.append(["games won", *map(str, result.wins)])
    rows.append(["points", *map(str, result.points)])
    print_text(table(rows))
    shares = {
        "single": result.single,
        "gammon": result.gammon,
        "backgammon": result.backgammon,
        "dropped doubles": result.dropped,
    }
    told = ", ".join(f"{name} {percent(share)} %" for name, share in shares.items())
    print_text(f"{told}; {result.plies_per_game:.1f} turns a game")


def _print_variant(result: VariantResults) -> None:
    first, second = result.players
    names = ", ".join(rules.name for rules in result.order)
    what = counted(result.games, "game")
    if result.length:
        what += f" of {counted(sum(result.matches), 'match', 'matches')} to {result.length:,}"
    print_text(f"{names}: {first} against {second}, {what}, seed {result.seed}")
    rows = [["", first, second]]
    if result.length:
        rows.append(["matches won", *map(str, result.matches)])
    rows.append(["games won", *map(str, result.wins)])
    rows.append(["points", *map(str, result.totals)])
    print_text(table(rows))
    kinds = (f"{points or 'draw'} {percent(share)} %" for points, share in result.shares.items())
    print_text(f"points won: {', '.join(kinds)}; {result.turns.mean():.1f} turns a game")


def duel(
    first: _First,
    second: _Second,
    games: Annotated[int, typer.Option(min=1, help="Games to play.", show_default=False)],
    duplicate: Annotated[
        bool,
        typer.Option("--duplicate", help="Play each dice twice with changed seats."),
    ] = False,
    one_point: Annotated[
        bool,
        typer.Option("--one-point", help="Matches to one point: a win counts 1, gammons too."),
    ] = False,
    file: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            parser=plain_name,
            help="Keep the duel in a file, and go on from it if it is there.",
        ),
    ] = None,
    variant: VariantName = None,
    rule: Rule = None,
    seed: Seed = 0,
    jobs: Jobs = None,
    as_json: Json = False,
) -> None:
    """Let two players play each other.

    Money games without a cube, or one-point matches; the answer is the points a game that A wins,
    less luck. With --variant another layout of backgammon.
    """
    if variant is None and rule:
        raise UsageError("--rule needs --variant")
    game = None if variant is None else read_rules(variant, rule)
    with progress("playing") as tell:
        result = run_duel(
            first,
            second,
            games,
            duplicate=duplicate,
            one_point=one_point,
            variant=game,
            path=file,
            seed=seed,
            jobs=jobs or cpus(),
            progress=tell,
        )
    if as_json:
        names = {} if game is None else {"variant": game.name}
        print_json({"players": [first, second], **names, **asdict(result)})
        return
    what = counted(result.games, "game")
    if one_point:
        what = counted(result.games, "one-point match", "one-point matches")
    name = "" if game is None else f"{game.name}: "
    print_text(f"{name}{first} against {second}, {what}, seed {result.seed}")
    adjusted = points(result.points_per_game, result.points_per_game_se)
    raw = points(result.raw_points_per_game, result.raw_points_per_game_se)
    print_text(table([["points a game, less luck", adjusted], ["points a game, raw", raw]]))
    print_text(
        f"{first} won {_wins(result.wins, result.gammons, result.backgammons)} and lost"
        f" {_wins(result.losses, result.gammons_lost, result.backgammons_lost)}"
    )


def _wins(wins: int, gammons: int, backgammons: int) -> str:
    return f"{wins:,} ({counted(gammons, 'gammon')}, {counted(backgammons, 'backgammon')})"


def loss(
    players: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER...", help=_PLAYERS.partition(";")[0] + ".", show_default=False
        ),
    ],
    decisions: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            parser=plain_name,
            help="A set of decisions; the one that comes with bgcore if not given.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Measure what players lose by their plays, in points for each of 1,000 decisions.

    The decisions are cubeless money plays of all phases; what each play loses was rolled out.
    """
    given = load_decisions(decisions)
    found = [(name, decision_loss(name, given)) for name in players]
    if as_json:
        print_json({"players": [{"player": name, **_loss_record(one)} for name, one in found]})
        return
    rows = [("phase", "decisions", *(name for name, _ in found))]
    for parts in zip(*((one.total, *one.phases) for _, one in found), strict=True):
        numbers = [f"{1000 * part.loss:.2f} +- {1000 * part.loss_se:.2f}" for part in parts]
        rows.append((parts[0].phase, f"{parts[0].decisions:,}", *numbers))
    print_text(table(rows))


def _loss_record(found: DecisionLoss) -> dict[str, Any]:
    return {**asdict(found.total), "phases": [asdict(part) for part in found.phases]}
