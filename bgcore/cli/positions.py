"""Commands about positions: plays, perft, rollout."""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import typer

from bgcore import position_ids, swap_boards
from bgcore._core.movegen import perft as count_nodes
from bgcore.board import Board, Phase
from bgcore.checks import counted
from bgcore.cli.interrupt import INTERRUPTED, ctrl_c_ends
from bgcore.cli.printing import headline, percent, points, print_json, print_text, progress, table
from bgcore.cli.reading import (
    GivenPosition,
    IdAndDice,
    IdsAndDice,
    Jobs,
    Json,
    Net,
    Seed,
    UsageError,
    cpus,
    plain_name,
    read_one_position,
    read_positions,
    state_of,
)
from bgcore.cli.variants import Rule, VariantName, perft_of_variant, plays_of_variant
from bgcore.cube_model import CubeContext
from bgcore.errors import BgcoreError
from bgcore.evaluators import NetEvaluator
from bgcore.policies import POLICY_NAMES
from bgcore.resumable_rollout import Rollout
from bgcore.rollout import LUCK_NAMES, Progress, RolloutResult
from bgcore.rollout import rollout as roll_out
from bgcore.rollout_presets import PRESETS, Preset
from bgcore.rollout_presets import preset as read_preset
from bgcore.stop_rules import StopRules

_HEADINGS = ("win", "win g", "win bg", "lose g", "lose bg")


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


def rollout(
    positions: IdsAndDice,
    trials: Annotated[
        int | None,
        typer.Option(
            min=1,
            show_default=False,
            help="Games for each play, 1296 if not given; multiples of 1,296 are best.",
        ),
    ] = None,
    seed: Seed = 0,
    jobs: Jobs = None,
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
    cube: Annotated[
        bool,
        typer.Option(
            "--cube", help="Play the cube in the trials, by the cube and score of the ID."
        ),
    ] = False,
    preset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help=f"Settings under one name: {', '.join(PRESETS)}."),
    ] = None,
    se: Annotated[
        float | None,
        typer.Option(metavar="X", help="Stop when the best equity's standard error is so small."),
    ] = None,
    jsd: Annotated[
        float | None,
        typer.Option(metavar="X", help="Stop when the best play is ahead by so many joint errors."),
    ] = None,
    min_trials: Annotated[
        int | None,
        typer.Option(min=1, show_default=False, help="Before --se and --jsd count; 1296."),
    ] = None,
    seconds: Annotated[float | None, typer.Option(metavar="X", help="Time for each ID.")] = None,
    file: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            parser=plain_name,
            help="Keeps the rollout; goes on from it if it exists. For one ID.",
        ),
    ] = None,
    first: Annotated[
        int, typer.Option(min=0, help="The first trial: the share of one machine of several.")
    ] = 0,
    net: Net = None,
    as_json: Json = False,
) -> None:
    """Play positions out: Monte Carlo equities.

    All numbers have standard errors. With dice the best plays are rolled out with the same dice
    and ranked, otherwise the position before the roll. Ctrl-C ends with what is done so far. With
    stop rules or a file, trials are played in whole blocks.
    """
    settings = read_preset(preset) if preset is not None else None
    if settings is not None:
        trials = settings.trials if trials is None else trials
        truncate = settings.truncate if truncate is None else truncate
    stop = _stop_rules(settings, se, jsd, min_trials, seconds)
    n_trials = 1296 if trials is None else trials
    given = read_positions(positions)
    for position in given:
        if position.board.phase is Phase.OVER:
            raise BgcoreError(f"{position.id!r}: the game is over, there is nothing to roll out")
    if file is not None and len(given) > 1:
        raise UsageError("--file keeps the rollout of one ID")
    evaluator = NetEvaluator(net)
    n_plays = _number_or_all(plays)
    n_jobs = jobs or cpus()
    results: list[tuple[GivenPosition, RolloutResult]] = []
    try:
        with progress("rolling out") as tell:
            for i, position in enumerate(given):
                common: dict[str, Any] = {
                    "evaluator": evaluator,
                    "policy": policy,
                    "seed": seed,
                    "truncate": truncate,
                    "luck": luck,
                    "plays": n_plays,
                }
                if cube:
                    common["cube"] = CubeContext.of(state_of(position, None))
                told = _part_of(tell, i, len(given))
                if file is None and stop is None and first == 0:
                    result = roll_out(
                        position.board,
                        position.dice,
                        trials=n_trials,
                        jobs=n_jobs,
                        progress=told,
                        **common,
                    )
                else:
                    going_on = _rollout_of(file, position, evaluator, common)
                    result = going_on.run(
                        n_trials, first=first, jobs=n_jobs, progress=told, stop=stop, path=file
                    )
                results.append((position, result))
                if result.interrupted:
                    break
    except KeyboardInterrupt:
        if not results:
            raise
    if as_json:
        print_json(_rollout_document(results, n_jobs))
    else:
        for position, result in results:
            _print_rollout(position, result)
    if len(results) < len(given) or results[-1][1].interrupted:
        raise typer.Exit(INTERRUPTED)


def _stop_rules(
    settings: Preset | None,
    se: float | None,
    jsd: float | None,
    min_trials: int | None,
    seconds: float | None,
) -> StopRules | None:
    """Return the stop rules of a preset with what the options change, or None."""
    wanted = {"equity_se": se, "jsd": jsd, "min_trials": min_trials, "seconds": seconds}
    changes: dict[str, Any] = {name: value for name, value in wanted.items() if value is not None}
    base = None if settings is None else settings.stop
    if base is None and not changes:
        return None
    if min_trials is not None and se is None and jsd is None and base is None:
        raise UsageError("--min-trials needs --se or --jsd")
    return StopRules(**changes) if base is None else replace(base, **changes)


def _rollout_of(
    file: str | None, position: GivenPosition, evaluator: NetEvaluator, settings: dict[str, Any]
) -> Rollout:
    """Return the rollout of a file if it exists, else a new one."""
    new = Rollout(position.board, position.dice, **settings)
    if file is None or not Path(file).exists():
        return new
    known = Rollout.load(file, evaluator=evaluator)
    try:
        known.check_same(new)
    except BgcoreError as error:
        raise BgcoreError(f"{file!r} holds another rollout: {error}") from None
    return known


def merge(
    out: Annotated[str, typer.Argument(metavar="OUT", parser=plain_name, help="To be written.")],
    parts: Annotated[
        list[str],
        typer.Argument(metavar="PART...", parser=plain_name, help="Files of rollout --file."),
    ],
    net: Net = None,
    as_json: Json = False,
) -> None:
    """Put the parts of a rollout together that several machines played.

    Parts of other rollouts, and trials that are in two parts, are refused.
    """
    evaluator = NetEvaluator(net)
    whole = Rollout.load(parts[0], evaluator=evaluator)
    for name in parts[1:]:
        try:
            whole.merge(Rollout.load(name, evaluator=evaluator))
        except BgcoreError as error:
            raise BgcoreError(f"{name!r}: {error}") from None
    whole.save(out)
    result = whole.result()
    text = result.board.position_id
    if as_json:
        print_json({"results": [result.to_dict()], "ranges": [list(pair) for pair in whole.ranges]})
        return
    _print_rollout(GivenPosition(text, result.board, result.dice, None), result)


def _number_or_all(text: str | None) -> int | str | None:
    if text is None or text == "all":
        return text
    if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) == 0:
        raise UsageError(f"--plays is {text!r}; it is a number above 0, or all")
    return int(text)


def _part_of(
    tell: Callable[[int, int], None] | None, i: int, n: int
) -> Callable[[Progress], None] | None:
    """Turn the progress of rollout i of n into that of all."""
    if tell is None:
        return None
    return lambda now: tell(i * now.total + now.done, n * now.total)


def _rollout_document(
    results: Sequence[tuple[GivenPosition, RolloutResult]], jobs: int
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


def _print_rollout(position: GivenPosition, result: RolloutResult) -> None:
    print_text(headline(position, result.dice))
    end = (
        "to the end"
        if result.truncate is None
        else f"of {counted(result.truncate, 'ply', 'plies')}"
    )
    part = f"{result.trials:,} of " if result.interrupted else ""
    print_text(
        f"{part}{counted(result.trials_wanted, 'trial')} {end}, seed {result.seed},"
        f" {'luck left in' if result.luck == 'none' else f'luck taken out by {result.luck}'};"
        f" {result.games_per_second:,.0f} games/s; probabilities in per cent"
    )
    has_cube = result.best.equity_cubeful is not None
    rows = [["play", *(["cubeful"] if has_cube else []), "equity", "loss", *_HEADINGS]]
    for candidate in result.candidates:
        errors = candidate.standard_errors
        cubeful = []
        if candidate.equity_cubeful is not None:
            cubeful = [points(candidate.equity_cubeful, candidate.equity_cubeful_se)]
        rows.append(
            [
                str(candidate.play),
                *cubeful,
                points(candidate.equity_cubeless, candidate.equity_se),
                points(-candidate.loss, candidate.loss_se) if candidate.loss else "",
                *map(percent, candidate.probabilities, errors[: len(candidate.probabilities)]),
            ]
        )
    if result.dice is None:
        loss = 3 if has_cube else 2
        rows = [[cell for place, cell in enumerate(row) if place not in (0, loss)] for row in rows]
    print_text(table(rows))
