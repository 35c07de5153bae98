"""Commands at the table: roll."""

from typing import Annotated

import typer

from bgcore.cli.printing import print_json, print_text, printable
from bgcore.cli.reading import ID_MARK, Json, UsageError
from bgcore.dice import throw, throw_for_start

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
