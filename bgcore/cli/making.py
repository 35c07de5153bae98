"""Commands that make nets and measure bgcore itself: train, train-rolls, bench, signature."""

import sys
from dataclasses import replace
from typing import Annotated, Any

import typer

from bgcore.bench import run_bench
from bgcore.checks import counted
from bgcore.cli.interrupt import ctrl_c_ends
from bgcore.cli.printing import print_json, print_text, progress
from bgcore.cli.reading import Jobs, Json, cpus, plain_name
from bgcore.errors import BgcoreError, TrainingError
from bgcore.evaluators import NetEvaluator
from bgcore.nets import DEFAULT, save_net, writable_place
from bgcore.recipes import Recipe, load_recipe
from bgcore.roll_training import train_rolls as run_rolls
from bgcore.roll_training import with_rolls
from bgcore.signature import signature as compute_signature
from bgcore.texts import table
from bgcore.training import train as run_training


def train(
    out: Annotated[
        str,
        typer.Argument(metavar="FILE", parser=plain_name, help="The net to write, an .npz file."),
    ],
    recipe: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            parser=plain_name,
            help="What to train and how, a TOML file; the fast net's recipe if not given.",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(min=1, help="Stop after so many games, in whole cycles of the recipe."),
    ] = None,
    seed: Annotated[
        int | None, typer.Option(min=0, help="Of the dice and the first weights; 1 if not given.")
    ] = None,
    jobs: Jobs = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            parser=plain_name,
            help="Goes on from this file if it exists; kept up to date.",
        ),
    ] = None,
    save_every: Annotated[
        int, typer.Option(min=1, help="Games between two checkpoints and two lines.")
    ] = 20_000,
    as_json: Json = False,
) -> None:
    """Train a net by self-play.

    With --json: JSON Lines, one for each report.
    """
    place = writable_place(out)
    if checkpoint is not None and writable_place(checkpoint) == place:
        raise BgcoreError(f"the net and the checkpoint cannot both be {out!r}")

    def tell(event: dict[str, Any]) -> None:
        print_json(event) if as_json else print_text(_training_line(event))
        if sys.stdout is not None:
            sys.stdout.flush()

    chosen = Recipe() if recipe is None else load_recipe(recipe)
    trainer = run_training(
        chosen if seed is None else replace(chosen, seed=seed),
        checkpoint=checkpoint,
        games=games,
        jobs=jobs or cpus(),
        save_every=save_every,
        log=tell,
    )
    trainer.save_net(out)


def train_rolls(
    out: Annotated[
        str,
        typer.Argument(metavar="FILE", parser=plain_name, help="The nets to write, an .npz file."),
    ],
    net: Annotated[
        str,
        typer.Option(
            metavar="NAME", parser=plain_name, help="The value net: fast, strong, or a file."
        ),
    ] = DEFAULT,
    games: Annotated[int, typer.Option(min=1, help="Games of self-play.")] = 40_000,
    hidden: Annotated[int, typer.Option(min=1, help="Hidden units, 128 or 256.")] = 128,
    seed: Annotated[int, typer.Option(min=0, help="Of the dice and the first weights.")] = 1,
    as_json: Json = False,
) -> None:
    """Train the roll net of a value net, which takes the luck out of its rollouts.

    FILE gets the value nets as they are, and the new roll net. With --json: JSON Lines.
    """
    writable_place(out)

    def tell(event: dict[str, Any]) -> None:
        shown = f"{counted(event['games'], 'game')}, error {event['error']:.5f}"
        print_json(event) if as_json else print_text(f"{shown}, rate {event['rate']:g}")
        if sys.stdout is not None:
            sys.stdout.flush()

    evaluator = NetEvaluator(net)
    if evaluator.file.game is not None:
        raise TrainingError(f"{net} plays another game; roll nets are trained for backgammon")
    with ctrl_c_ends():
        weights = run_rolls(evaluator.core, games=games, hidden=hidden, seed=seed, log=tell)
        made = {"games": games, "hidden": hidden, "seed": seed}
        save_net(out, *with_rolls(evaluator.file, weights, hidden, made))


def _training_line(event: dict[str, Any]) -> str:
    games = f"{event['games']:,}"
    if event["event"] == "start":
        return f"from game {games} to {event['of']:,}, {event['jobs']} at once"
    if event["event"] == "end":
        return f"{counted(event['games'], 'game')}; state {event['digest'][:16]}"
    return (
        f"{counted(event['games'], 'game')}, error {event['error']:.5f}, rate {event['rate']:g},"
        f" {event['games_per_second']:,} games/s"
    )


def bench(
    repeats: Annotated[int, typer.Option(min=1, help="Turns; the best one counts.")] = 7,
    peers: Annotated[
        bool, typer.Option(help="Time other engines too, where they are installed.")
    ] = True,
    as_json: Json = False,
) -> None:
    """Measure the speed of bgcore on one thread of this machine."""
    with progress("timing") as tell:
        result = run_bench(repeats=repeats, peers=peers, progress=tell)
    if as_json:
        print_json({**result.rates, "repeats": result.repeats, "machine": result.machine})
        return
    print_text(table([(name, _rate(rate)) for name, rate in result.rates.items()]))
    machine = result.machine
    print_text(
        f"best of {counted(result.repeats, 'turn')}, processor time of one thread;"
        f" {machine['processor']}, level {machine['cpu_level']}, Python {machine['python']}"
    )


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 1000 else f"{rate:.3g}"


def signature(as_json: Json = False) -> None:
    """Print one number that stands for all that bgcore computes.

    It changes when a play, an evaluation or a rollout does, and with nothing else.
    """
    with ctrl_c_ends():
        parts = compute_signature()
    if as_json:
        print_json(dict(parts))
    else:
        print_text(str(parts["signature"]))
