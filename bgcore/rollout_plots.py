"""Pictures of rollouts, by matplotlib, which is an optional package."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from bgcore.errors import RolloutError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "PLOTS",
    "Line",
    "Outcomes",
    "need_matplotlib",
    "plot_convergence",
    "plot_first_rolls",
    "plot_outcomes",
]

#: What can be shown.
PLOTS = ("convergence", "outcomes", "first roll")
#: Standard errors to either side that hold 95 % of a normal law.
_Z95 = 1.959964
_OUTCOMES = ("lost\nbackgammon", "lost\ngammon", "lost", "won", "won\ngammon", "won\nbackgammon")


class Line(NamedTuple):
    """How the mean of a candidate settled: after so many trials, mean and standard error."""

    label: str
    trials: NDArray[np.int64]
    means: NDArray[np.float64]
    errors: NDArray[np.float64]


class Outcomes(NamedTuple):
    """Five cumulative probabilities of a candidate and their standard errors."""

    label: str
    probabilities: Sequence[float]
    errors: Sequence[float]


def need_matplotlib() -> None:
    """Refuse to go on where matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError:
        raise RolloutError("plots need matplotlib: pip install 'bgcore[plot]'") from None


def _axes(ax: "Axes | None") -> "Axes":
    if ax is not None:
        return ax
    need_matplotlib()
    from matplotlib import pyplot

    made: Axes = pyplot.subplots()[1]
    return made


def plot_convergence(lines: Sequence[Line], ax: "Axes | None") -> "Axes":
    """Draw how equities settled, each in its band of 95 % confidence."""
    axes = _axes(ax)
    for line in lines:
        (drawn,) = axes.plot(line.trials, line.means, label=line.label)
        axes.fill_between(
            line.trials,
            line.means - _Z95 * line.errors,
            line.means + _Z95 * line.errors,
            alpha=0.2,
            color=drawn.get_color(),
        )
    axes.set_xlabel("trials")
    axes.set_ylabel("equity, 95 % confidence")
    axes.legend()
    return axes


def plot_outcomes(found: Sequence[Outcomes], ax: "Axes | None") -> "Axes":
    """Draw how often games end in each of the six ways, with 95 % confidence."""
    axes = _axes(ax)
    places = np.arange(len(_OUTCOMES))
    width = 0.8 / len(found)
    for number, outcomes in enumerate(found):
        win, wg, wbg, lg, lbg = outcomes.probabilities
        shares = np.array([lbg, lg - lbg, 1 - win - lg, win - wg, wg - wbg, wbg])
        # of a difference of two rates no more than the two errors together
        w, g, b, h, c = outcomes.errors
        errors = np.array([c, h + c, w + h, w + g, g + b, b])
        axes.bar(
            places + (number - (len(found) - 1) / 2) * width,
            100 * shares,
            width,
            yerr=100 * _Z95 * errors,
            label=outcomes.label,
        )
    axes.set_xticks(places, _OUTCOMES)
    axes.set_ylabel("per cent of the games")
    axes.legend()
    return axes


def plot_first_rolls(equities: NDArray[np.float64], label: str, ax: "Axes | None") -> "Axes":
    """Draw a map of equities by the first roll: (6, 6), by the two dice."""
    axes = _axes(ax)
    image = axes.imshow(equities, cmap="RdYlGn", origin="lower")
    for (row, column), equity in np.ndenumerate(equities):
        if np.isfinite(equity):
            axes.text(column, row, f"{equity:+.2f}", ha="center", va="center")
    axes.set_xticks(range(6), [str(die) for die in range(1, 7)])
    axes.set_yticks(range(6), [str(die) for die in range(1, 7)])
    axes.set_title(label)
    figure: Any = axes.figure
    figure.colorbar(image, ax=axes, label="equity after the first roll")
    return axes
