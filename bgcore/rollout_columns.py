"""Results of rollouts as columns, for data frames of any kind."""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bgcore.block_totals import OUTPUTS
from bgcore.cube_rollout import CubeRollout
from bgcore.errors import RolloutError
from bgcore.rollout import Candidate, RolloutResult

__all__ = ["block_columns", "columns_of_documents", "rollout_columns"]

Result = RolloutResult | CubeRollout
Column = NDArray[Any] | list[str]

_WHOLE: Final = ("rollout", "rank", "die1", "die2", "trials", "truncate")
_TEXTS: Final = ("id", "play", "action", "verdict", "seed", "luck")
_REALS: Final = (
    *(name for output in OUTPUTS for name in (output, f"{output}_se")),
    "equity_cubeful",
    "equity_cubeful_se",
    "mwc",
    "mwc_se",
    "loss",
    "loss_se",
    "mean_plies",
)


def rollout_columns(results: Iterable[Result] | Result) -> dict[str, NDArray[Any] | list[str]]:
    """Return results of rollouts as columns of equal length, one row for each candidate.

    The dict goes as it is into `pandas.DataFrame`, `polars.DataFrame` or `pyarrow.table`; none of
    them is imported.

    Parameters
    ----------
    results : RolloutResult, CubeRollout, or an iterable of them

    Returns
    -------
    dict
        `rollout` (which one, from 0), `rank` (of the candidate, from 1), `die1`, `die2` (0: before
        the roll), `trials`, `truncate` (0: to the end): int64. `interrupted`: bool. `id` (of the
        position), `play` (empty without dice), `action` ("no double" and "double, take" of a cube
        decision, else empty), `verdict` (of a cube decision), `seed`, `luck`: lists of str. The
        five probabilities, `equity_cubeless`, `equity_cubeful`, `mwc`, each with its standard
        error `..._se`, `loss`, `loss_se` and `mean_plies`: float64, NaN for what is not known.

    Examples
    --------
    >>> from bgcore import Board, rollout
    >>> columns = rollout_columns(rollout(Board.opening(), "31", plays=2, trials=36, truncate=2))
    >>> columns["rank"].tolist(), columns["play"][0]
    ([1, 2], '8/5 6/5')
    """
    all_of_them = [results] if isinstance(results, (RolloutResult, CubeRollout)) else results
    return columns_of_documents(result.to_dict() for result in all_of_them)


def columns_of_documents(
    documents: Iterable[Mapping[str, Any]],
) -> dict[str, NDArray[Any] | list[str]]:
    """Return the columns of `rollout_columns` from what `to_dict` gave of each result."""
    whole: dict[str, list[int]] = {name: [] for name in _WHOLE}
    texts: dict[str, list[str]] = {name: [] for name in _TEXTS}
    reals: dict[str, list[float]] = {name: [] for name in _REALS}
    interrupted: list[bool] = []
    for number, document in enumerate(documents):
        die1, die2 = document["dice"] or (0, 0)
        common = {
            "rollout": number,
            "die1": die1,
            "die2": die2,
            "truncate": document["truncate"] or 0,
            "id": document["id"],
            "verdict": document.get("verdict", ""),
            "seed": str(document["seed"]),
            "luck": document["luck"],
        }
        for rank, candidate in enumerate(document["candidates"], start=1):
            row = {
                "action": "",
                **candidate,
                **common,
                "rank": rank,
                "play": candidate["play"] or "",
            }
            for name in _WHOLE:
                whole[name].append(row[name])
            for name in _TEXTS:
                texts[name].append(row[name])
            for name in _REALS:
                value = row.get(name)
                reals[name].append(float("nan") if value is None else value)
            interrupted.append(document["interrupted"])
    columns: dict[str, Column] = {name: np.array(whole[name], np.int64) for name in _WHOLE}
    columns |= texts
    columns |= {name: np.array(reals[name], np.float64) for name in _REALS}
    columns["interrupted"] = np.array(interrupted, np.bool_)
    return columns


def block_columns(result: Result) -> dict[str, NDArray[Any] | list[str]]:
    """Return the single blocks of trials of a rollout as columns, one row a block and candidate.

    A block is 36 trials in which every roll comes once at every ply (30 for an opening roll).

    Parameters
    ----------
    result : RolloutResult or CubeRollout
        With `keep_blocks`.

    Returns
    -------
    dict
        `rank` (of the candidate, from 1), `first` (its first trial), `trials`: int64. `play` and
        `action`: lists of str, as in `rollout_columns`. The means over the block of the five
        probabilities and of `equity_cubeless`, and with a cube of `utility`, float64: points for
        each point of the cube, or chances to win the match.

    Raises
    ------
    RolloutError
        The blocks were not kept.
    """
    totals = result.totals
    if totals.records is None:
        raise RolloutError("the blocks were not kept: roll out with keep_blocks")
    order = result.order if isinstance(result, RolloutResult) else (0, 1)
    parts: dict[str, list[NDArray[Any]]] = {}
    texts: dict[str, list[str]] = {"play": [], "action": []}
    for rank, (place, (action, candidate)) in enumerate(
        zip(order, _candidates(result), strict=True), start=1
    ):
        played = totals.records.played[:, place]
        firsts = totals.records.numbers[played] * totals.block
        means = totals.records.sums[played, place] / (totals.block * 2.0**30)
        row = {
            "rank": np.full(len(firsts), rank),
            "first": firsts,
            "trials": np.full(len(firsts), totals.block),
            **{name: means[:, i] for i, name in enumerate(totals.outputs)},
        }
        for name, values in row.items():
            parts.setdefault(name, []).append(values)
        texts["play"] += ["" if candidate.play is None else str(candidate.play)] * len(firsts)
        texts["action"] += [action] * len(firsts)
    columns: dict[str, Column] = {name: np.concatenate(values) for name, values in parts.items()}
    return columns | texts


def _candidates(result: Result) -> list[tuple[str, Candidate]]:
    if isinstance(result, CubeRollout):
        return [("no double", result.no_double), ("double, take", result.double_take)]
    return [("", candidate) for candidate in result.candidates]
