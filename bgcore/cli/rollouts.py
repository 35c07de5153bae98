"""Commands about rollouts: rollout, merge."""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from bgcore.checks import counted
from bgcore.cli.interrupt import INTERRUPTED
from bgcore.cli.printing import headline, print_json, print_text
from bgcore.cli.reading import (
    GivenPosition,
    IdsAndDice,
    Jobs,
    Json,
    Met,
    Net,
    Plies,
    Seed,
    UsageError,
    cpus,
    plain_name,
    read_arguments,
    read_met,
)
from bgcore.cube_rollout import CubeRollout
from bgcore.errors import BgcoreError
from bgcore.evaluators import NetEvaluator
from bgcore.policies import POLICY_NAMES
from bgcore.resumable_rollout import Rollout
from bgcore.rollout import LUCK_NAMES, RolloutResult
from bgcore.rollout_bar import RolloutBar
from bgcore.rollout_batch import RolloutTask, rollout_batch
from bgcore.rollout_columns import block_columns
from bgcore.rollout_picture import picture_place, save_rollout_picture
from bgcore.rollout_presets import PRESETS, Preset
from bgcore.rollout_presets import preset as read_preset
from bgcore.rollout_text import blocks_text, rollout_text
from bgcore.stop_rules import StopRules

_Result = RolloutResult | CubeRollout


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
    cube_decision: Annotated[
        bool,
        typer.Option(
            "--cube-decision",
            help="Roll out no double and double/take with the same dice; dice in an ID do not"
            " count.",
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
        typer.Option(
            metavar="X",
            help="Drop plays that are behind by so many joint errors; stop when one is left.",
        ),
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
    out: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            parser=plain_name,
            help="Write the results of many positions: .jsonl, or .parquet (needs pip install"
            " 'bgcore[arrow]'). The same command goes on after it was ended.",
        ),
    ] = None,
    plot: Annotated[
        str | None,
        typer.Option(
            metavar="FILE",
            parser=plain_name,
            help="Draw how it settled, how games ended and the first rolls: .png, .svg or .pdf"
            " (needs pip install 'bgcore[plot]'). For one ID.",
        ),
    ] = None,
    blocks: Annotated[
        bool,
        typer.Option("--blocks", help="Show the means of the single blocks of 36 trials too."),
    ] = False,
    net: Net = None,
    plies: Plies = 0,
    met: Met = None,
    as_json: Json = False,
) -> None:
    """Play positions out: Monte Carlo equities.

    All numbers have standard errors. With dice the best plays are rolled out with the same dice
    and ranked, otherwise the position before the roll. Ctrl-C ends with what is done so far. With
    stop rules or a file, trials are played in whole blocks. Plays and cube actions are decided at
    0-ply (GNU numbering) if not said otherwise. A name with a dot is a file of IDs, one a line,
    and - standard input.
    """
    named = read_preset(preset) if preset is not None else None
    if named is not None:
        trials = named.trials if trials is None else trials
        truncate = named.truncate if truncate is None else truncate
    stop = _stop_rules(named, se, jsd, min_trials, seconds)
    n_trials = 1296 if trials is None else trials
    ids, dice = read_arguments(positions)
    if cube_decision and (dice is not None or plays is not None):
        raise UsageError("a cube decision comes before the roll: it takes no dice and no --plays")
    if met is not None and not (cube or cube_decision):
        raise UsageError("--met needs --cube or --cube-decision")
    how_read: dict[str, Any] = {
        "cube": cube,
        "cube_decision": cube_decision,
        "met": read_met(met),
    }
    if out is not None and (file is not None or first or (stop is not None and stop.seconds)):
        raise UsageError("--file, --first and --seconds do not go with --out")
    if out is not None and (plot is not None or blocks):
        raise UsageError("--plot and --blocks do not go with --out")
    if file is not None and len(ids) > 1:
        raise UsageError("--file keeps the rollout of one ID")
    if plot is not None:
        if len(ids) > 1:
            raise UsageError("--plot draws the rollout of one ID")
        picture_place(plot)  # before the games are played
    settings: dict[str, Any] = {
        "evaluator": NetEvaluator(net, plies=plies),
        "policy": policy,
        "seed": seed,
        "truncate": truncate,
        "luck": luck,
    }
    if plays is not None:
        settings["plays"] = _number_or_all(plays)
    n_jobs = jobs or cpus()
    if out is not None:
        with RolloutBar() as bar:
            done = rollout_batch(
                ids,
                out,
                dice=dice,
                trials=n_trials,
                stop=stop,
                jobs=n_jobs,
                progress=bar,
                **how_read,
                **settings,
            )
        _tell_batch(out, done, len(ids), as_json)
        return
    keep: dict[str, Any] = {"keep_blocks": blocks or plot is not None}
    tasks = [RolloutTask.read(text, dice, **how_read) for text in ids]
    results: list[tuple[RolloutTask, _Result]] = []
    try:
        with RolloutBar() as bar:
            for i, task in enumerate(tasks):
                how: dict[str, Any] = {"jobs": n_jobs, "progress": bar.part(i, len(tasks))}
                if file is None and first == 0:
                    result = task.run(n_trials, stop=stop, **how, **keep, **settings)
                else:
                    going_on = _rollout_of(file, task, settings, **keep)
                    going_on.run(n_trials, first=first, stop=stop, path=file, **how)
                    result = _result_of(going_on)
                results.append((task, result))
                if result.interrupted:
                    break
    except KeyboardInterrupt:
        if not results:
            raise
    if plot is not None:
        save_rollout_picture(results[0][1], plot)
    if as_json:
        print_json(_document(results, n_jobs, blocks))
    else:
        for task, result in results:
            _print(GivenPosition(task.id, task.board, task.dice, task.assumed), result)
            if blocks:
                print_text(blocks_text(result))
    if len(results) < len(tasks) or results[-1][1].interrupted:
        raise typer.Exit(INTERRUPTED)


def _tell_batch(out: str, done: int, positions: int, as_json: bool) -> None:
    is_whole = done == positions
    if as_json:
        print_json({"out": out, "positions": positions, "done": done})
    elif is_whole:
        print_text(f"{out}: {counted(done, 'position')}")
    else:
        print_text(f"{done:,} of {counted(positions, 'position')}; the same command goes on")
    if not is_whole:
        raise typer.Exit(INTERRUPTED)


def _stop_rules(
    named: Preset | None,
    se: float | None,
    jsd: float | None,
    min_trials: int | None,
    seconds: float | None,
) -> StopRules | None:
    """Return the stop rules of a preset with what the options change, or None."""
    wanted = {"equity_se": se, "jsd": jsd, "min_trials": min_trials, "seconds": seconds}
    changes: dict[str, Any] = {name: value for name, value in wanted.items() if value is not None}
    base = None if named is None else named.stop
    if base is None and not changes:
        return None
    if min_trials is not None and se is None and jsd is None and base is None:
        raise UsageError("--min-trials needs --se or --jsd")
    return StopRules(**changes) if base is None else replace(base, **changes)


def _rollout_of(
    file: str | None, task: RolloutTask, settings: dict[str, Any], *, keep_blocks: bool
) -> Rollout:
    """Return the rollout of a file if it exists, else a new one."""
    # plays in a file may be dropped by later commands, and merged with parts that dropped some
    new = task.begin(keep_blocks=keep_blocks or task.dice is not None, **settings)
    if file is None or not Path(file).exists():
        return new
    known = Rollout.load(file, evaluator=settings["evaluator"])
    try:
        known.check_same(new)
    except BgcoreError as error:
        raise BgcoreError(f"{file!r} holds another rollout: {error}") from None
    if keep_blocks and not known.keeps_blocks:
        raise BgcoreError(
            f"{file!r} was begun without keeping single blocks of trials, which --plot and --blocks"
            " show; begin a rollout of a position before the roll with one of them"
        )
    return known


def _result_of(rollout: Rollout) -> _Result:
    return rollout.cube_decision() if rollout.is_cube_decision else rollout.result()


def merge(
    out: Annotated[str, typer.Argument(metavar="OUT", parser=plain_name, help="To be written.")],
    parts: Annotated[
        list[str],
        typer.Argument(metavar="PART...", parser=plain_name, help="Files of rollout --file."),
    ],
    net: Net = None,
    plies: Plies = 0,
    as_json: Json = False,
) -> None:
    """Put the parts of a rollout together that several machines played.

    Parts of other rollouts, and trials that are in two parts, are refused. A file that is at OUT
    already is written over only if all its trials are in the parts.
    """
    evaluator = NetEvaluator(net, plies=plies)
    whole = Rollout.load(parts[0], evaluator=evaluator)
    for name in parts[1:]:
        try:
            whole.merge(Rollout.load(name, evaluator=evaluator))
        except BgcoreError as error:
            raise BgcoreError(f"{name!r}: {error}") from None
    if Path(out).exists():
        whole.check_kept(out)
    whole.save(out)
    result = _result_of(whole)
    if as_json:
        print_json({"results": [result.to_dict()], "ranges": [list(pair) for pair in whole.ranges]})
        return
    dice = result.dice if isinstance(result, RolloutResult) else None
    _print(GivenPosition(result.board.position_id, result.board, dice, None), result)


def _number_or_all(text: str | None) -> int | str | None:
    if text is None or text == "all":
        return text
    if not re.fullmatch(r"[0-9]{1,6}", text) or int(text) == 0:
        raise UsageError(f"--plays is {text!r}; it is a number above 0, or all")
    return int(text)


def _document(
    results: Sequence[tuple[RolloutTask, _Result]], jobs: int, blocks: bool
) -> dict[str, Any]:
    documents = [task.document(result) for task, result in results]
    if blocks:
        for document, (_, result) in zip(documents, results, strict=True):
            document["blocks"] = {
                name: np.asarray(values).tolist() for name, values in block_columns(result).items()
            }
    seconds = sum(result.seconds for _, result in results)
    games = sum(result.games for _, result in results)
    return {
        "results": documents,
        "run": {
            "jobs": jobs,
            "seconds": seconds,
            "games_per_second": games / seconds if seconds > 0 else None,
        },
    }


def _print(position: GivenPosition, result: _Result) -> None:
    print_text(headline(position, position.dice))
    print_text(rollout_text(result))
    print_text(f"{result.games_per_second:,.0f} games/s")
