"""Rollouts as text, in the form that players know from other programs."""

from collections.abc import Sequence
from math import isnan

from bgcore.checks import counted
from bgcore.cube_rollout import CubeRollout
from bgcore.evaluators import NetEvaluator
from bgcore.rollout import Candidate, RolloutResult
from bgcore.rollout_columns import block_columns
from bgcore.texts import percent, plus_minus, points, table

__all__ = ["blocks_text", "rollout_text"]

#: Standard errors to either side that hold 95 % of a normal law.
_Z95 = 1.959964

_END_NAMES = ("won", "gammon", "backg.", "lost", "gammon", "backg.", "cashed", "passed", "valued")


def rollout_text(result: RolloutResult | CubeRollout) -> str:
    """Return a summary of several lines.

    Of each play or position: the equity and its 95 % confidence; how far it is behind the best
    one, and how many joint standard errors (JSD) that is; wins, gammons (G) and backgammons (B) of
    both sides in per cent of the trials, cumulative, with standard errors. Of a cube decision: the
    equities of the three actions, what a mistake costs, the proper action, and how trials ended by
    the value of the cube.

    Parameters
    ----------
    result : RolloutResult or CubeRollout

    Returns
    -------
    str
        Without a line break at the end.

    Examples
    --------
    >>> from bgcore import Board, rollout
    >>> text = rollout_text(rollout(Board.opening(), "31", plays=2, trials=36, truncate=3))
    >>> text.splitlines()[0]
    '36 trials of 3 plies, seed 0, luck taken out by net, 0-ply'
    >>> text.splitlines()[1].split()[:4]
    ['1.', '8/5', '6/5', 'equity']
    """
    about = _about(result)
    if isinstance(result, CubeRollout):
        return "\n".join([about, *_decision(result)])
    lines = [about]
    width = max(len(_name(candidate)) for candidate in result.candidates)
    for number, candidate in enumerate(result.candidates, start=1):
        lines += _candidate(number, candidate, width, candidate.trials != result.trials)
    if result.dice is None and result.best.cubes:
        lines += ["How trials ended, in per cent, by the cube:", _ends([("", result.best)])]
    return "\n".join(lines)


def blocks_text(result: RolloutResult | CubeRollout) -> str:
    """Return the single blocks of trials as a table, one line for a block and candidate.

    Of each: its first and last trial, the play or action, the means of the equity and of the five
    probabilities in per cent; with a cube also of what `block_columns` calls utility.

    Parameters
    ----------
    result : RolloutResult or CubeRollout
        With `keep_blocks`.

    Returns
    -------
    str
        Without a line break at the end.

    Raises
    ------
    RolloutError
        The blocks were not kept.

    Examples
    --------
    >>> from bgcore import Board, rollout
    >>> result = rollout(Board.opening(), trials=72, truncate=3, keep_blocks=True)
    >>> [line.split()[0] for line in blocks_text(result).splitlines()]
    ['trials', '0-35', '36-71']
    """
    columns = block_columns(result)
    shares = ("win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon")
    numbers = ["equity_cubeless", *(["utility"] if "utility" in columns else [])]
    names = columns["action"] if isinstance(result, CubeRollout) else columns["play"]
    rows = [("trials", "", "equity", *numbers[1:], "win", "G", "B", "G", "B")]
    for i, (first, trials) in enumerate(zip(columns["first"], columns["trials"], strict=True)):
        rows.append(
            (
                f"{int(first)}-{int(first) + int(trials) - 1}",
                names[i],
                *(points(float(columns[name][i])) for name in numbers),
                *(percent(float(columns[name][i])) for name in shares),
            )
        )
    return table(rows)


def _about(result: RolloutResult | CubeRollout) -> str:
    end = (
        "to the end"
        if result.truncate is None
        else f"of {counted(result.truncate, 'ply', 'plies')}"
    )
    part = f"{result.trials:,} of " if result.trials < result.trials_wanted else ""
    luck = "luck left in" if result.luck == "none" else f"luck taken out by {result.luck}"
    return (
        f"{part}{counted(result.trials_wanted, 'trial')} {end}, seed {result.seed}, {luck},"
        f" {_plies(result)}-ply"
    )


def _plies(result: RolloutResult | CubeRollout) -> int:
    """How far the evaluator looks ahead; one of the caller's is asked as it is."""
    judge = result.plan.evaluator
    return judge.plies if isinstance(judge, NetEvaluator) else 0


def _name(candidate: Candidate) -> str:
    return "before the roll" if candidate.play is None else str(candidate.play)


def _candidate(number: int, candidate: Candidate, width: int, tell_trials: bool) -> list[str]:
    cubeful = candidate.equity_cubeful is not None
    equity, error = candidate.equity_cubeless, candidate.equity_se
    if candidate.equity_cubeful is not None and candidate.equity_cubeful_se is not None:
        equity, error = candidate.equity_cubeful, candidate.equity_cubeful_se
    name = f"{number:2}. " if candidate.play is not None else "    "
    line = f"{name}{_name(candidate):{width}}  equity {points(equity, error)}"
    if not isnan(error):
        line += f"  (95 %: {points(equity - _Z95 * error)} to {points(equity + _Z95 * error)})"
    if number > 1:
        line += f"  {points(-candidate.loss, candidate.loss_se)}"
        if candidate.loss_se > 0:
            line += f", JSD {candidate.loss / candidate.loss_se:.1f}"
    lines = [line, *_chances(candidate)]
    notes = []
    if cubeful:
        notes.append(f"Cubeless  {points(candidate.equity_cubeless, candidate.equity_se)}")
    if candidate.mwc is not None:
        notes.append(f"Match  {percent(candidate.mwc, candidate.mwc_se)} %")
    if tell_trials:
        notes.append(f"dropped after {counted(candidate.trials, 'trial')}")
    return lines + [f"       {note}" for note in notes]


def _chances(candidate: Candidate) -> list[str]:
    """Two lines: the chances of the player and of the opponent."""
    win, wg, wbg, lg, lbg, _ = candidate.standard_errors
    sides = (
        ("Player", candidate.win, candidate.win_gammon, candidate.win_backgammon, (win, wg, wbg)),
        (
            "Opponent",
            1 - candidate.win,
            candidate.lose_gammon,
            candidate.lose_backgammon,
            (win, lg, lbg),
        ),
    )
    lines = []
    for who, wins, gammons, backgammons, errors in sides:
        spread = " ".join(plus_minus(100 * error, 2) for error in errors)
        lines.append(
            f"       {who:8}  {percent(wins):>5} % (G {percent(gammons):>5} B"
            f" {percent(backgammons):>5})  {spread}"
        )
    return lines


def _decision(result: CubeRollout) -> list[str]:
    found = result.decision
    word = "Redouble" if found.is_redouble else "Double"
    lines = _chances(result.no_double)
    held = result.no_double
    lines.append(f"       Cubeless  {points(held.equity_cubeless, held.equity_se)}")
    rows: list[tuple[str, ...]] = [
        (f"No {word.lower()}", points(found.no_double, result.no_double_se)),
        (f"{word}, take", points(found.double_take, result.double_take_se)),
        (f"{word}, pass", points(found.double_pass)),
    ]
    values = [found.no_double, found.double_take, found.double_pass]
    if found.double_beaver is not None:
        rows.insert(2, (f"{word}, beaver", points(found.double_beaver)))
        values.insert(2, found.double_beaver)
    best = found.equity_cubeful
    rows = [
        (*row, "" if abs(value - best) < 5e-5 else f"({points(value - best)})")
        for row, value in zip(rows, values, strict=True)
    ]
    if (chances := found.mwc) is not None:
        shares = [chances["no_double"], chances["double_take"], chances["double_pass"]]
        rows = [(*row, f"{percent(share)} %") for row, share in zip(rows, shares, strict=True)]
    lines += ["Cubeful equities:", table(rows)]
    difference = points(found.double_take - found.no_double, result.difference_se)
    if result.difference_se > 0:
        jsd = (found.double_take - found.no_double) / result.difference_se
        difference += f", JSD {jsd:.1f}"
    lines.append(f"{word}, take less no {word.lower()}: {difference}")
    remarks = f" ({'; '.join(found.remarks)})" if found.remarks else ""
    lines.append(f"Proper cube action: {found.text}{remarks}")
    lines.append("How trials ended, in per cent, by the cube:")
    lines.append(_ends([(f"no {word.lower()}", result.no_double), ("take", result.double_take)]))
    return lines


def _ends(candidates: Sequence[tuple[str, Candidate]]) -> str:
    rows: list[tuple[str, ...]] = [("", "cube", *_END_NAMES)]
    for name, candidate in candidates:
        for number, ends in enumerate(candidate.cubes):
            label = "" if number else name
            rows.append((label, str(ends.cube), *map(percent, ends[1:])))
    return table(rows)
