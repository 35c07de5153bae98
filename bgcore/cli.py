"""The command line: reads arguments, calls the library, prints.

Standard output holds the answer and nothing else, standard error one line if something is wrong,
and progress if it is a terminal. Exit status 0, 1 for a mistake in the input, 2 for wrong usage,
130 after Ctrl-C.
"""

import io
import json
import math
import os
import re
import signal
import sys
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from typing import Annotated, Any, NoReturn, TextIO

import numpy as np
import typer

from bgcore import __version__, position_ids, swap_boards
from bgcore._core.movegen import perft as count_nodes
from bgcore.bench import run_bench
from bgcore.board import Board, Phase
from bgcore.duel import duel as run_duel
from bgcore.errors import BgcoreError, BgcoreWarning
from bgcore.evaluators import NetEvaluator, Probabilities
from bgcore.ids.any_id import ReadId, read_id
from bgcore.nets import writable_place
from bgcore.policies import POLICY_NAMES
from bgcore.rollout import LUCK_NAMES, Progress, RolloutResult
from bgcore.rollout import rollout as roll_out
from bgcore.rolls import parse_dice
from bgcore.signature import signature as compute_signature
from bgcore.training import Recipe
from bgcore.training import train as run_training

#: Marks an argument that begins with "-" and is an XGID all the same. No argument of a process
#: can hold this character.
_ID_MARK = "\0"
#: An XGID without its prefix, right or wrong: it has a colon, or letters and dashes alone, more of
#: them than any option has.
_BARE_XGID = re.compile(r"-[^=:]*:.*|-[-a-oA-O]{19,}", re.DOTALL)
#: Digits alone, fewer than a position ID has letters, or two numbers.
_DICE = re.compile(r"[0-9]{1,13}|[0-9]+[-, ][0-9]+")
_INTERRUPTED = 130
#: Longest line of a complaint; what a message repeats of the input may be of any length.
_MAX_LINE = 500
#: What a bare position ID leaves open.
_ASSUMED = "money, centred 1-cube, no Jacoby, no beavers"

app = typer.Typer(
    name="bgcore",
    help="Backgammon: legal plays, evaluations and Monte Carlo rollouts.",
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


class _UsageError(Exception):
    """The command line cannot be understood: exit status 2."""


# ---- start and end ----


def main() -> NoReturn:
    """Run the command line of the process and leave it."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a sign is no fault
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run one command.

    Parameters
    ----------
    arguments : sequence of str
        What stands after the name of the program.

    Returns
    -------
    int
        The exit status.
    """
    if any(_ID_MARK in argument for argument in arguments):
        return _complain("an argument holds a NUL character", 1)
    marked = [_ID_MARK + a if _BARE_XGID.fullmatch(a) else a for a in arguments] or ["--help"]
    with warnings.catch_warnings():
        warnings.simplefilter("always", BgcoreWarning)
        warnings.showwarning = _show_warning
        return _run(marked)


def _run(marked: list[str]) -> int:
    try:
        status = app(marked, prog_name="bgcore", standalone_mode=False)
        if sys.stdout is not None:
            sys.stdout.flush()
        return status if isinstance(status, int) else 0
    except typer.TyperException as error:
        return _complain(error.format_message(), error.exit_code)
    except _UsageError as error:
        return _complain(str(error), 2)
    except (BgcoreError, MemoryError) as error:
        return _complain(str(error) or "not enough memory", 1)
    except (KeyboardInterrupt, typer.Abort):
        return _INTERRUPTED
    except BrokenPipeError:
        _give_up_stdout()
        return 1
    except OSError as error:
        _give_up_stdout()
        name = "" if error.filename is None else f"{error.filename}: "
        return _complain(f"{name}{error.strerror or error}", 1)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Show a warning as one line, without the place in the code that means nothing to a user."""
    _complain(f"warning: {message}", 0)


def _complain(message: str, status: int) -> int:
    if sys.stderr is not None:
        line = " ".join(message.replace(_ID_MARK, "").split())
        if len(line) > _MAX_LINE:
            line = f"{line[: _MAX_LINE // 2]} ... {line[-_MAX_LINE // 2 :]}"
        # a closed or full standard error leaves nobody to tell
        with suppress(OSError):
            print(f"bgcore: {_printable(line)}", file=sys.stderr, flush=True)
    return status


def _printable(text: str) -> str:
    """Write what a terminal may not show, or could obey, as an escape."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def _give_up_stdout() -> None:
    """Let what is left in the buffer of a broken standard output go nowhere, without a word."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
    except (OSError, ValueError, AttributeError):
        sys.stdout = None


@contextmanager
def _ctrl_c_ends() -> Iterator[None]:
    """Let Ctrl-C end the process at once while the core computes and cannot ask Python."""
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_DFL)
    except ValueError:  # not the main thread: nothing to change
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


# ---- what comes in ----


@dataclass(frozen=True, slots=True)
class _Position:
    """A position as the user gave it, with the dice that count."""

    id: str
    board: Board
    dice: tuple[int, int] | None
    #: What a bare position ID leaves open, else None.
    assumed: str | None


def _read_arguments(arguments: Sequence[str]) -> tuple[list[str], tuple[int, int] | None]:
    """Tell dice and IDs apart by their shape; `-` and names with a dot are files of IDs."""
    ids: list[str] = []
    dice: tuple[int, int] | None = None
    for argument in arguments:
        text = argument.removeprefix(_ID_MARK)
        if _DICE.fullmatch(text):
            if dice is not None:
                raise _UsageError(f"dice are given twice: {text}")
            dice = parse_dice(text)
        elif text == "-" or "." in text:
            ids += _read_file(text)
        else:
            ids.append(text)
    if not ids:
        raise _UsageError("no position is given")
    return ids, dice


def _read_file(name: str) -> list[str]:
    """Read IDs from a file, one a line; empty lines and lines that begin with # say nothing."""
    try:
        if name == "-":
            text = "" if sys.stdin is None else sys.stdin.read()
        else:
            with open(name, encoding="utf-8-sig") as file:
                text = file.read()
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not a text in UTF-8"
        raise BgcoreError(f"cannot read {name!r}: {reason}") from None
    lines = [line.strip() for line in text.splitlines()]
    ids = [line for line in lines if line and not line.startswith("#")]
    if not ids:
        raise BgcoreError(f"{'standard input' if name == '-' else repr(name)} holds no position")
    return ids


def _positions(arguments: Sequence[str]) -> list[_Position]:
    """Read the positions of a command line; dice on it count for all of them."""
    ids, dice = _read_arguments(arguments)
    return [_position(read_id(text), dice) for text in ids]


def _position(read: ReadId, dice: tuple[int, int] | None) -> _Position:
    assumed = _ASSUMED if read.is_bare else None
    return _Position(read.text, Board(read.cells), dice or read.dice, assumed)


def _one_position(arguments: Sequence[str]) -> _Position:
    positions = _positions(arguments)
    if len(positions) > 1:
        raise _UsageError("this command takes one position")
    return positions[0]


def _cpus() -> int:
    """Processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


# ---- what goes out ----


def _print(text: str) -> None:
    if sys.stdout is not None:
        print(text)


def _print_json(document: dict[str, Any]) -> None:
    _print(json.dumps(_plain(document), allow_nan=False))


def _plain(value: Any) -> Any:
    """Turn numpy's numbers and arrays into JSON's; what is not a number becomes null."""
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if isinstance(value, (np.ndarray, np.generic)):
        return _plain(value.tolist())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value


def _table(rows: Sequence[Sequence[str]]) -> str:
    """Set rows of text in columns: the first one to the left, the others to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*rows, strict=True)]
    lines = []
    for row in rows:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines)


def _headline(position: _Position, dice: tuple[int, int] | None = None) -> str:
    """The ID, the dice and what a bare position ID leaves open."""
    line = position.id
    if dice is not None:
        line += f"  {dice[0]}-{dice[1]}"
    return line if position.assumed is None else f"{line}  ({position.assumed})"


def _points(value: float, error: float | None = None) -> str:
    return f"{value:+.4f}" if error is None else f"{value:+.4f} {_plus_minus(error, 4)}"


def _percent(value: float, error: float | None = None) -> str:
    text = f"{100 * value:.2f}"
    return text if error is None else f"{text} {_plus_minus(100 * error, 2)}"


def _plus_minus(error: float, digits: int) -> str:
    """A standard error; "?" if it is not known."""
    return "\N{PLUS-MINUS SIGN}" + ("?" if math.isnan(error) else f"{error:.{digits}f}")


@contextmanager
def _progress(what: str) -> Iterator[Callable[[int, int], None] | None]:
    """Show a bar on standard error if it is a terminal; gives the function that moves it."""
    if sys.stderr is None or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(what, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


# ---- commands ----


def _name(text: str) -> str:
    """Take back the mark from an argument that looks like an ID where a name is wanted."""
    return text.removeprefix(_ID_MARK)


_Ids = Annotated[
    list[str],
    typer.Argument(
        metavar="ID...", show_default=False, help="XGID, GNU position ID, or positionID:matchID."
    ),
]
_IdAndDice = Annotated[
    list[str],
    typer.Argument(
        metavar="ID [DICE]",
        show_default=False,
        help="XGID, GNU position ID, or positionID:matchID; dice such as 31, 3-1 or 3,1. Dice in"
        " the ID count unless dice are given.",
    ),
]
_IdsAndDice = Annotated[
    list[str],
    typer.Argument(
        metavar="ID... [DICE]",
        show_default=False,
        help="As for plays; dice on the command line count for every ID.",
    ),
]
_Net = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        parser=_name,
        help="A file of nets; the one that comes with bgcore if not given.",
    ),
]
_Seed = Annotated[int, typer.Option(min=0, help="Of the dice.")]
_Jobs = Annotated[
    int | None,
    typer.Option(min=1, help="How many work at once; all processors if not given."),
]
_PLAYERS = "net, gnubg-nn, pips, random, or a file of nets."
_RECIPE = Recipe()
_HEADINGS = ("equity", "win", "win g", "win bg", "lose g", "lose bg")
_Json = Annotated[bool, typer.Option("--json", help="Print one JSON document.")]


def _show_version(wanted: bool) -> None:
    if wanted:
        _print(f"bgcore {__version__}")
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


@app.command()
def plays(position: _IdAndDice, as_json: _Json = False) -> None:
    """List every legal play of a roll."""
    given = _one_position(position)
    if given.dice is None:
        raise _UsageError("no dice: give them after the ID, such as 31")
    legal = given.board.legal_plays(given.dice)
    count = 0 if legal.is_dance else len(legal)
    texts = [str(play) for play in legal[:count]]
    ids = position_ids(swap_boards(legal.boards))[:count]
    if as_json:
        found = [
            {"play": text, "board": cells, "position_id": text_id}
            for text, cells, text_id in zip(texts, legal.boards[:count], ids, strict=True)
        ]
        _print_json(
            {
                "id": given.id,
                "assumed": given.assumed,
                "dice": given.dice,
                "count": count,
                "plays": found,
            }
        )
        return
    _print(_headline(given, given.dice))
    _print({0: "no legal play", 1: "1 legal play"}.get(count, f"{count} legal plays"))
    if count:
        _print(_table(list(zip(texts, ids, strict=True))))


@app.command()
def perft(
    depth: Annotated[int, typer.Option(min=0, max=8, help="Plies.", show_default=False)],
    position: Annotated[
        str | None,
        typer.Argument(metavar="[ID]", show_default=False, help="The opening if not given."),
    ] = None,
    weighted: Annotated[
        bool, typer.Option("--weighted", help="Count 36 rolls, not the 21 different ones.")
    ] = False,
    as_json: _Json = False,
) -> None:
    """Count the nodes of the tree of plays.

    Each ply is a roll and a play; a roll without a legal play has one child.
    """
    board = Board.opening() if position is None else _one_position([position]).board
    start = time.perf_counter()
    with _ctrl_c_ends():
        nodes = count_nodes(board, depth, weighted=weighted)
    seconds = time.perf_counter() - start
    if as_json:
        _print_json(
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
    _print(f"depth {depth}, {rolls}: {nodes:,} nodes in {seconds:.2f} s")


@app.command(name="eval")
def evaluate(positions: _Ids, net: _Net = None, as_json: _Json = False) -> None:
    """Evaluate positions with the net.

    0-ply (GNU numbering) and before the roll: dice in an ID do not count.
    """
    ids, dice = _read_arguments(positions)
    if dice is not None:
        raise _UsageError("eval takes no dice")
    given = [_position(read_id(text), None) for text in ids]
    boards = np.array([position.board.to_array() for position in given])
    values = [Probabilities.from_array(five) for five in NetEvaluator(net).evaluate(boards)]
    if as_json:
        results = [
            {
                "id": position.id,
                "assumed": position.assumed,
                **asdict(five),
                "equity_cubeless": five.equity_cubeless,
            }
            for position, five in zip(given, values, strict=True)
        ]
        _print_json({"results": results})
        return
    for position, five in zip(given, values, strict=True):
        _print(_headline(position))
        numbers = [_percent(value) for value in asdict(five).values()]
        _print(_table([_HEADINGS, [_points(five.equity_cubeless), *numbers]]))


@app.command()
def rollout(
    positions: _IdsAndDice,
    trials: Annotated[
        int, typer.Option(min=1, help="Games for each play; multiples of 1,296 are best.")
    ] = 1296,
    seed: _Seed = 0,
    jobs: _Jobs = None,
    truncate: Annotated[
        int | None,
        typer.Option(min=1, metavar="PLIES", help="Stop each game after so many turns."),
    ] = None,
    luck: Annotated[
        str, typer.Option(metavar="NAME", help=f"What measures luck: {', '.join(LUCK_NAMES)}.")
    ] = "auto",
    policy: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help=f"Who plays: {', '.join(POLICY_NAMES)}; the net if not given."
        ),
    ] = None,
    plays: Annotated[
        str | None,
        typer.Option(metavar="N", help="With dice: how many of the best plays, or all; 8."),
    ] = None,
    net: _Net = None,
    as_json: _Json = False,
) -> None:
    """Play positions out: Monte Carlo equities.

    All numbers have standard errors. With dice the best plays are rolled out with the same dice
    and ranked, otherwise the position before the roll. Ctrl-C ends with what is done so far.
    """
    given = _positions(positions)
    for position in given:
        if position.board.phase is Phase.OVER:
            raise BgcoreError(f"{position.id!r}: the game is over, there is nothing to roll out")
    evaluator = NetEvaluator(net)
    n_plays = _number_or_all(plays)
    n_jobs = jobs or _cpus()
    results: list[tuple[_Position, RolloutResult]] = []
    try:
        with _progress("rolling out") as tell:
            for i, position in enumerate(given):
                result = roll_out(
                    position.board,
                    position.dice,
                    evaluator=evaluator,
                    policy=policy,
                    trials=trials,
                    seed=seed,
                    truncate=truncate,
                    luck=luck,
                    jobs=n_jobs,
                    plays=n_plays,
                    progress=_part_of(tell, i, len(given)),
                )
                results.append((position, result))
                if result.interrupted:
                    break
    except KeyboardInterrupt:
        if not results:
            raise
    if as_json:
        _print_json(_rollout_document(results, n_jobs))
    else:
        for position, result in results:
            _print_rollout(position, result)
    if len(results) < len(given) or results[-1][1].interrupted:
        raise typer.Exit(_INTERRUPTED)


def _number_or_all(text: str | None) -> int | str | None:
    if text is None or text == "all":
        return text
    if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) == 0:
        raise _UsageError(f"--plays is {text!r}; it is a number above 0, or all")
    return int(text)


def _part_of(
    tell: Callable[[int, int], None] | None, i: int, n: int
) -> Callable[[Progress], None] | None:
    """Turn the progress of rollout i of n into that of all."""
    if tell is None:
        return None
    return lambda now: tell(i * now.total + now.done, n * now.total)


def _rollout_document(
    results: Sequence[tuple[_Position, RolloutResult]], jobs: int
) -> dict[str, Any]:
    seconds = sum(result.seconds for _, result in results)
    games = sum(result.trials * len(result.candidates) for _, result in results)
    return {
        "results": [
            result.to_dict() | {"id": position.id, "assumed": position.assumed}
            for position, result in results
        ],
        "run": {
            "jobs": jobs,
            "seconds": seconds,
            "games_per_second": games / seconds if seconds > 0 else None,
        },
    }


def _print_rollout(position: _Position, result: RolloutResult) -> None:
    _print(_headline(position, result.dice))
    end = "to the end" if result.truncate is None else f"{result.truncate} plies"
    part = f" of {result.trials_wanted:,}" if result.interrupted else ""
    _print(
        f"{result.trials:,}{part} trials {end}, seed {result.seed},"
        f" {'luck left in' if result.luck == 'none' else f'luck taken out by {result.luck}'};"
        f" {result.games_per_second:,.0f} games/s; probabilities in per cent"
    )
    rows = [["play", _HEADINGS[0], "loss", *_HEADINGS[1:]]]
    for candidate in result.candidates:
        errors = candidate.standard_errors
        rows.append(
            [
                str(candidate.play),
                _points(candidate.equity_cubeless, candidate.equity_se),
                _points(-candidate.loss, candidate.loss_se) if candidate.loss else "",
                *map(_percent, candidate.probabilities, errors[:-1]),
            ]
        )
    if result.dice is None:
        rows = [[row[1], *row[3:]] for row in rows]
    _print(_table(rows))


@app.command()
def train(
    out: Annotated[
        str, typer.Argument(metavar="FILE", parser=_name, help="The net to write, an .npz file.")
    ],
    games: Annotated[
        int | None,
        typer.Option(
            min=1,
            help=f"Stop after so many games, in steps of {_RECIPE.games_per_cycle};"
            f" {_RECIPE.games:,} if not given.",
        ),
    ] = None,
    seed: _Seed = 1,
    jobs: _Jobs = None,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            parser=_name,
            help="Goes on from this file if it exists; kept up to date.",
        ),
    ] = None,
    save_every: Annotated[
        int, typer.Option(min=1, help="Games between two checkpoints and two lines.")
    ] = 20_000,
    as_json: _Json = False,
) -> None:
    """Train a net by self-play.

    With --json: JSON Lines, one for each report.
    """
    place = writable_place(out)
    if checkpoint is not None and writable_place(checkpoint) == place:
        raise BgcoreError(f"the net and the checkpoint cannot both be {out!r}")

    def tell(event: dict[str, Any]) -> None:
        _print_json(event) if as_json else _print(_training_line(event))
        if sys.stdout is not None:
            sys.stdout.flush()

    trainer = run_training(
        Recipe(seed=seed),
        checkpoint=checkpoint,
        games=games,
        jobs=jobs or _cpus(),
        save_every=save_every,
        log=tell,
    )
    trainer.save_net(out)


def _training_line(event: dict[str, Any]) -> str:
    games = f"{event['games']:,}"
    if event["event"] == "start":
        return f"from game {games} to {event['of']:,}, {event['jobs']} at once"
    if event["event"] == "end":
        return f"{games} games; state {event['digest'][:16]}"
    return (
        f"{games} games, error {event['error']:.5f}, rate {event['rate']:g},"
        f" {event['games_per_second']:,} games/s"
    )


@app.command()
def duel(
    first: Annotated[
        str, typer.Argument(metavar="A", parser=_name, help=_PLAYERS, show_default=False)
    ],
    second: Annotated[
        str, typer.Argument(metavar="B", parser=_name, help=_PLAYERS, show_default=False)
    ],
    games: Annotated[int, typer.Option(min=1, help="Games to play.", show_default=False)],
    seed: _Seed = 0,
    jobs: _Jobs = None,
    as_json: _Json = False,
) -> None:
    """Let two players play each other.

    Money games without a cube; the answer is the points a game that A wins, less luck.
    """
    with _progress("playing") as tell:
        result = run_duel(first, second, games, seed=seed, jobs=jobs or _cpus(), progress=tell)
    if as_json:
        _print_json({"players": [first, second], **asdict(result)})
        return
    _print(f"{first} against {second}, {result.games:,} games, seed {result.seed}")
    adjusted = _points(result.points_per_game, result.points_per_game_se)
    raw = _points(result.raw_points_per_game, result.raw_points_per_game_se)
    _print(_table([["points a game, less luck", adjusted], ["points a game, raw", raw]]))
    _print(
        f"{first} won {result.wins:,} ({result.gammons:,} gammons, {result.backgammons:,}"
        f" backgammons) and lost {result.losses:,} ({result.gammons_lost:,},"
        f" {result.backgammons_lost:,})"
    )


@app.command()
def bench(
    repeats: Annotated[int, typer.Option(min=1, help="Turns; the best one counts.")] = 7,
    peers: Annotated[
        bool, typer.Option(help="Time other engines too, where they are installed.")
    ] = True,
    as_json: _Json = False,
) -> None:
    """Measure the speed of bgcore on one thread of this machine."""
    with _progress("timing") as tell:
        result = run_bench(repeats=repeats, peers=peers, progress=tell)
    if as_json:
        _print_json({**result.rates, "repeats": result.repeats, "machine": result.machine})
        return
    _print(_table([(name, _rate(rate)) for name, rate in result.rates.items()]))
    machine = result.machine
    _print(
        f"best of {result.repeats} turns, processor time of one thread;"
        f" {machine['processor']}, level {machine['cpu_level']}, Python {machine['python']}"
    )


def _rate(rate: float) -> str:
    return f"{rate:,.0f}" if rate >= 1000 else f"{rate:.3g}"


@app.command()
def signature(as_json: _Json = False) -> None:
    """Print one number that stands for all that bgcore computes.

    It changes when a play, an evaluation or a rollout does, and with nothing else.
    """
    with _ctrl_c_ends():
        parts = compute_signature()
    if as_json:
        _print_json(dict(parts))
    else:
        _print(str(parts["signature"]))
