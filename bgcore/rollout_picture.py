"""All that can be drawn of a rollout, in one file, by matplotlib, which is an optional package."""

import os
from pathlib import Path

from bgcore.cube_rollout import CubeRollout
from bgcore.errors import RolloutError
from bgcore.rollout import RolloutResult
from bgcore.rollout_plots import PLOTS, need_matplotlib
from bgcore.whole_files import check_place, whole_file

__all__ = ["picture_place", "save_rollout_picture"]

_ENDINGS = (".pdf", ".png", ".svg")
_INCHES = (18.0, 5.5)


def picture_place(path: str | os.PathLike[str]) -> Path:
    """Try whether a picture could be written, before there is one.

    Returns
    -------
    Path
        Where it would be written.

    Raises
    ------
    RolloutError
        The name has another ending, or matplotlib is not installed.
    OSError
        No file can be written there.
    """
    if Path(path).suffix not in _ENDINGS:
        raise RolloutError(f"{os.fspath(path)!r} ends in none of {', '.join(_ENDINGS)}")
    need_matplotlib()
    return check_place(path)


def save_rollout_picture(result: RolloutResult | CubeRollout, path: str | os.PathLike[str]) -> None:
    """Write a picture of a rollout: how it settled, how games ended, and the first rolls.

    The three are those of `RolloutResult.plot` beside each other: the map of the first rolls is
    that of the best play, of a cube decision that of no double. Where there is nothing to draw, as
    of one that did not keep its blocks, the reason stands in its place.

    Parameters
    ----------
    result : RolloutResult or CubeRollout
        With `keep_blocks`, to see how it settled.
    path : path
        Ends in ``.png``, ``.svg`` or ``.pdf``; what stands there is replaced.

    Raises
    ------
    RolloutError
        The name has another ending, or there is no matplotlib (`pip install 'bgcore[plot]'`).
    OSError
        The file cannot be written.
    """
    place = picture_place(path)
    from matplotlib.figure import Figure

    figure = Figure(figsize=_INCHES, layout="constrained")
    for what, axes in zip(PLOTS, figure.subplots(1, len(PLOTS)), strict=True):
        try:
            result.plot(what, ax=axes)
        except RolloutError as error:
            axes.text(0.5, 0.5, str(error), ha="center", va="center", wrap=True)
            axes.set_axis_off()
    dice = result.dice if isinstance(result, RolloutResult) else None
    roll = "" if dice is None else f" {dice[0]}{dice[1]}"
    figure.suptitle(f"{result.board.position_id}{roll}, {result.trials:,} trials")
    with whole_file(place) as file:
        figure.savefig(file, format=place.suffix[1:])
