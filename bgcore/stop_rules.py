"""When a rollout has seen enough."""

from dataclasses import dataclass
from math import isfinite

from bgcore.checks import whole_number
from bgcore.cube_rollout import CubeRollout
from bgcore.errors import RolloutError
from bgcore.rollout import MAX_TRIALS, RolloutResult

__all__ = ["StopRules"]


@dataclass(frozen=True, slots=True, kw_only=True)
class StopRules:
    """Ends a rollout before its last trial.

    The errors are looked at after every `check_every` trials, when all trials up to there are in
    and none beyond: so the number of jobs cannot change where a rollout ends. A time budget is the
    exception; the result tells the ranges of its trials, and the same trials give it again.

    Parameters
    ----------
    equity_se : float, optional
        Enough when the standard error of the best candidate's equity is no larger; of the cubeful
        equity if the cube is played; of a cube decision, those of both actions.
    jsd : float, optional
        A play that is behind the best one by so many joint standard errors is dropped, and picked
        up again if it is no longer so far behind (`bgcore.contest`). Enough when the best play is
        left alone. 2.33 is usual: a chance of 99 in 100 against each. Of a cube decision, of which
        nothing is dropped: when both the double and its answer are so many errors away from being
        wrong.
    min_trials : int, default 1296
        Trials before the errors are looked at.
    check_every : int, default 1296
        Trials between two looks, a multiple of 36.
    seconds : float, optional
        Time budget.

    Raises
    ------
    RolloutError
        A number is out of range.
    """

    equity_se: float | None = None
    jsd: float | None = None
    min_trials: int = 1296
    check_every: int = 1296
    seconds: float | None = None

    def __post_init__(self) -> None:
        for name in ("equity_se", "jsd", "seconds"):
            value = getattr(self, name)
            if value is not None and not (
                isinstance(value, (int, float))
                and not isinstance(value, bool)
                and isfinite(value)
                and value > 0
            ):
                raise RolloutError(f"{name} is a number above 0, not {value!r}")
        whole_number(self.min_trials, "min_trials", 1, MAX_TRIALS, RolloutError)
        whole_number(self.check_every, "check_every", 36, MAX_TRIALS, RolloutError)
        if self.check_every % 36:
            raise RolloutError(f"check_every is a multiple of 36, not {self.check_every}")

    @property
    def looks_at_errors(self) -> bool:
        """Whether there is a rule besides the time budget."""
        return self.equity_se is not None or self.jsd is not None

    def are_met(self, result: RolloutResult | CubeRollout) -> bool:
        """Tell whether a result has seen enough, by its errors."""
        if not self.looks_at_errors or result.trials < self.min_trials:
            return False
        if isinstance(result, CubeRollout):
            errors = [result.no_double_se, result.double_take_se]
            is_clear = self.jsd is None or min(result.verdict_errors) >= self.jsd
        else:
            best = result.best
            errors = [best.equity_se if best.equity_cubeful_se is None else best.equity_cubeful_se]
            is_clear = self.jsd is None or all(
                other.loss >= self.jsd * other.loss_se for other in result.candidates[1:]
            )
        if self.equity_se is not None and not max(errors) <= self.equity_se:
            return False
        return is_clear
