"""Commands at the table: play, roll."""

import os
import secrets
import sys
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

from bgcore.cli.printing import print_json, print_text, printable
from bgcore.cli.reading import ID_MARK, Json, UsageError, plain_name
from bgcore.cli.variants import VariantName, read_rules, read_state
from bgcore.dice import throw, throw_for_start
from bgcore.errors import BgcoreError
from bgcore.game_state import GameState
from bgcore.match import Match, MoneySession
from bgcore.met import MAX_NEEDS
from bgcore.position import Position
from bgcore.rules import PRESET_NAMES, Rules
from bgcore.variants import (
    VARIANT_PLAYERS,
    VariantGameState,
    VariantMatch,
    VariantRules,
    tavli,
)

_MOST_ROLLS = 1_000_000


def roll(
    count: Annotated[
        int | None,
        typer.Argument(
            metavar="[N]",
            min=1,
            max=_MOST_ROLLS,
            show_default=False,
            help="How often two dice are thrown; once if not given.",
        ),
    ] = None,
    opening: Annotated[
        tuple[str, str] | None,
        typer.Option(
            metavar="A B", help="One die for each of two players, until they differ: who starts."
        ),
    ] = None,
    seed: Annotated[
        int | None,
        typer.Option(
            min=0,
            help="The same dice for the same seed; if not given, the randomness of the system.",
        ),
    ] = None,
    as_json: Json = False,
) -> None:
    """Throw fair dice."""
    if opening is None:
        rolls = throw(count or 1, seed=seed)
        if as_json:
            print_json({"rolls": rolls, "seed": seed})
        else:
            print_text("\n".join(f"{die1}-{die2}" for die1, die2 in rolls))
        return
    if count is not None:
        raise UsageError("an opening is thrown once: N and --opening do not go together")
    names = [name.removeprefix(ID_MARK) for name in opening]
    if not all(name.strip() for name in names):
        raise UsageError("each of the two players needs a name")
    if names[0] == names[1]:
        raise UsageError(f"both players have the name {names[0]!r}")
    start = throw_for_start(seed=seed)
    if as_json:
        print_json(
            {
                "players": names,
                "opening": start.throws,
                "starts": names[start.starter],
                "dice": start.dice,
                "seed": seed,
            }
        )
        return
    first, second = (printable(name) for name in names)
    for die1, die2 in start.throws:
        who = (first, second)[start.starter]
        end = "again" if die1 == die2 else f"{who} starts with {die1}-{die2}"
        print_text(f"{first} {die1}, {second} {die2}: {end}")


def play(
    position: Annotated[
        str | None,
        typer.Argument(
            metavar="[ID]",
            parser=plain_name,
            show_default=False,
            help="Where the first game begins; the opening position if not given. With --variant a"
            " state of that game, in quotes, or an ID where a board holds it: you are on roll.",
        ),
    ] = None,
    length: Annotated[
        int | None, typer.Option(min=1, max=MAX_NEEDS, help="Play a match to so many points.")
    ] = None,
    money: Annotated[
        bool, typer.Option("--money", help="Play for points, with the cube; so if nothing is said.")
    ] = False,
    against: Annotated[
        str | None,
        typer.Option(
            metavar="net|person",
            help="Who sits opposite; the net. With --variant: pips, random, person or the file of a"
            " net of that game; pips.",
        ),
    ] = None,
    names: Annotated[
        tuple[str, str] | None, typer.Option(metavar="A B", help="Of you and the other player.")
    ] = None,
    rules: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"A set of rules: {', '.join(PRESET_NAMES)}."),
    ] = None,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=VALUE",
            help="Change a rule, such as beavers=2, auto_doubles=1, jacoby=false; see"
            " help(bgcore.Rules). Can be given often.",
        ),
    ] = None,
    variant: VariantName = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of the dice; a new one if not given.")
    ] = None,
    typed_dice: Annotated[
        bool, typer.Option("--dice", help="You throw real dice and type what they show.")
    ] = False,
    file: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            parser=plain_name,
            help="Keep the session in this file, after every action, and go on from it.",
        ),
    ] = None,
    auto: Annotated[
        bool,
        typer.Option(help="Roll where there is no double, and make plays that are the only ones."),
    ] = True,
    home: Annotated[
        str, typer.Option(metavar="right|left", help="Where the home boards are.")
    ] = "right",
    color: Annotated[
        bool | None, typer.Option(show_default=False, help="Colours; NO_COLOR is respected.")
    ] = None,
) -> None:
    """Play a match or a money session against the net or another person.

    With --variant another game of this board, or tavli, against a simple player, a net of that game
    or a person.
    """
    # only this command shows pictures in a terminal
    from bgcore.terminal import Session, Setting, load_session

    if home not in ("right", "left"):
        raise UsageError(f"--home is right or left, not {home!r}")
    if typed_dice and seed is not None:
        raise UsageError("--dice and --seed do not go together")
    if sys.stdin is None or sys.stdout is None:
        raise UsageError("play needs standard input and standard output")
    if variant is not None:
        if money or rules is not None:
            raise UsageError("--variant goes without --money and --rules")
        _play_variant(
            variant,
            position,
            rule,
            length,
            against,
            names,
            _Table(seed, typed_dice, file, home=home, color=color, auto=auto),
        )
        return
    if against not in (None, "net", "person"):
        raise UsageError(f"--against is net or person, not {against!r}")
    if money and length is not None:
        raise UsageError("--money and --length do not go together")
    start = _start(position, length, money, rules, _changes(rule or ()))
    is_net = against != "person"
    if names is None:
        named = ("you", "net") if is_net else ("X", "O")
    else:
        named = plain_name(names[0]), plain_name(names[1])
    path = None if file is None else Path(file)
    if path is not None and path.exists():
        series, setting = load_session(path)
        given = {
            "the position": position is not None and series.games[0].start != start,
            "--length": length is not None and series.game.state.length != length,
            "--money": money and isinstance(series, Match),
            "--against": against is not None and (setting.net is not None) != is_net,
            "--names": names is not None and series.names != named,
            "the rules": (rules or rule) and series.rules != start.rules,
            "--seed": seed is not None and setting.seed != seed,
            "--dice": typed_dice and setting.seed is not None,
        }
        if differing := [name for name, differs in given.items() if differs]:
            raise BgcoreError(f"{file}: the session in it differs in {differing[0]}")
    else:
        if seed is None and not typed_dice:
            seed = secrets.randbits(32)
        setting = Setting(net=1 if is_net else None, seed=seed)
        kind = Match if start.length else MoneySession
        series = kind.from_state(start, names=named, dice=seed)
    with suppress(ImportError):
        import readline  # noqa: F401 - input() then lets people edit what they type
    Session(
        series,
        setting,
        read=_read_line,
        out=sys.stdout,
        path=path,
        home=home,
        color=color,
        auto=auto,
    ).run()


@dataclass(frozen=True, slots=True)
class _Table:
    """Dice, file and screen as they were given."""

    seed: int | None
    typed_dice: bool
    file: str | None
    home: str
    color: bool | None
    auto: bool


def _play_variant(
    variant: str,
    position: str | None,
    rule: Sequence[str] | None,
    length: int | None,
    against: str | None,
    names: tuple[str, str] | None,
    table: _Table,
) -> None:
    """Play another game of this board."""
    from bgcore.terminal import VariantSession, VariantSetting, load_variant_session

    opponents = (*VARIANT_PLAYERS, "person")
    if against is not None and against not in opponents and not os.path.isfile(against):
        raise UsageError(
            f"--against is {', '.join(opponents)} or the file of a net with --variant, not"
            f" {against!r}"
        )
    if is_tavli := variant.strip().lower() == "tavli":
        if rule:
            raise UsageError("tavli is played by the rules of its games, without --rule")
        order: tuple[VariantRules, ...] = tavli()
    else:
        order = (read_rules(variant, rule),)
    start = None
    if position is not None:
        if is_tavli:
            raise UsageError("a position is one of a game: tavli goes without")
        board = read_state(order[0], position)
        start = VariantGameState.at(order[0], board, length=length or 0)
    player = None if against == "person" else against or "pips"
    if names is None:
        named = ("X", "O") if player is None else ("you", os.path.basename(player))
    else:
        named = plain_name(names[0]), plain_name(names[1])
    path = None if table.file is None else Path(table.file)
    if path is not None and path.exists():
        match, setting = load_variant_session(path)
        given = {
            "the game": match.order != order,
            "the position": start is not None and match.games[0].start != start,
            "--length": length is not None and match.length != length,
            "--against": against is not None and setting.player != player,
            "--names": names is not None and match.names != named,
            "--seed": table.seed is not None and setting.seed != table.seed,
            "--dice": table.typed_dice and setting.seed is not None,
        }
        if differing := [name for name, differs in given.items() if differs]:
            raise BgcoreError(f"{table.file}: the session in it differs in {differing[0]}")
    else:
        seed = table.seed
        if seed is None and not table.typed_dice:
            seed = secrets.randbits(32)
        setting = VariantSetting(player, seed)
        # Tavli is a match: seven points are usual
        points = length or (7 if is_tavli else 0)
        if start is None:
            match = VariantMatch(order, points, names=named, dice=seed)
        else:
            match = VariantMatch.from_state(start, names=named, dice=seed)
    with suppress(ImportError):
        import readline  # noqa: F401 - input() then lets people edit what they type
    VariantSession(
        match,
        setting,
        read=_read_line,
        out=sys.stdout,
        path=path,
        home=table.home,
        color=table.color,
        auto=table.auto,
    ).run()


def _read_line(prompt: str) -> str:
    """Read a line; in a pipe it is written too, so that what goes out can be followed."""
    line = input(prompt)
    if not sys.stdin.isatty():
        print(line)
    return line


def _start(
    position: str | None,
    length: int | None,
    money: bool,
    preset: str | None,
    changes: dict[str, Any],
) -> GameState:
    """Return the state in which the first game begins."""
    is_match = length is not None or preset in ("match", "tournament")
    if preset in ("match", "tournament") and length is None and position is None:
        raise UsageError(f"--rules {preset} needs --length")
    if position is None:
        made = Rules.preset(preset or ("match" if is_match else "money"), **changes)
        return GameState.start(made, length=length or 0)
    told = Position.from_text(position)
    if preset is not None:
        told = replace(told, rules=Rules.preset(preset, **changes))
    elif changes:
        told = replace(told, rules=told.rules.replace(**changes))
    if (length is not None and told.length != length) or (money and told.length):
        what = f"a match to {told.length}" if told.length else "money play"
        raise UsageError(f"the ID is one of {what}")
    state = told.to_state()
    if state.is_over:
        raise BgcoreError(f"{position!r}: the game is over")
    return state


def _changes(texts: Sequence[str]) -> dict[str, Any]:
    """Read rules such as beavers=2 or jacoby=false."""
    changes: dict[str, Any] = {}
    for text in texts:
        name, equals, value = text.partition("=")
        if not equals or not name or not value:
            raise UsageError(f"--rule is NAME=VALUE, such as beavers=2, not {text!r}")
        if name in changes:
            raise UsageError(f"--rule {name} is given twice")
        words: dict[str, Any] = {"true": True, "false": False, "none": None}
        if value.isdecimal() and value.isascii() and len(value) < 10:
            changes[name] = int(value)
        else:
            changes[name] = words.get(value.lower(), value)
    return changes
