"""The list of all commands."""

from typing import Annotated

import typer

from bgcore import __version__
from bgcore.cli.contests import duel, loss, match
from bgcore.cli.decisions import evaluate, hint
from bgcore.cli.forms import convert, show
from bgcore.cli.hypergammon import hypergammon
from bgcore.cli.making import bench, signature, train, train_rolls
from bgcore.cli.positions import perft, plays
from bgcore.cli.printing import print_text
from bgcore.cli.rollouts import merge, rollout
from bgcore.cli.table import play, roll
from bgcore.cli.variants import variants

app = typer.Typer(
    name="bgcore",
    help="Backgammon: legal plays, evaluations and Monte Carlo rollouts.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print_text(f"bgcore {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    pass


app.command()(plays)
app.command()(perft)
app.command(name="eval")(evaluate)
app.command()(hint)
app.command()(rollout)
app.command()(merge)
app.command()(play)
app.command()(convert)
app.command()(show)
app.command()(roll)
app.command()(variants)
app.command()(hypergammon)
app.command()(train)
app.command(name="train-rolls")(train_rolls)
app.command()(match)
app.command()(duel)
app.command()(loss)
app.command()(bench)
app.command()(signature)
