"""Named settings of rollouts, each with its meaning in one line."""

from dataclasses import dataclass

from bgcore.errors import RolloutError
from bgcore.stop_rules import StopRules

__all__ = ["PRESETS", "Preset", "preset"]


@dataclass(frozen=True, slots=True)
class Preset:
    """Settings of a rollout under one name.

    Attributes
    ----------
    name, meaning : str
    trials : int
        At most.
    truncate : int or None
        Plies after which a trial is cut off.
    stop : StopRules or None
    """

    name: str
    meaning: str
    trials: int
    truncate: int | None = None
    stop: StopRules | None = None


PRESETS = {
    made.name: made
    for made in (
        Preset("quick", "360 trials of 7 plies: a look, in well under a second", 360, 7),
        Preset("standard", "1,296 trials to the end: every pair of first rolls once", 1_296),
        Preset("thorough", "12,960 trials to the end", 12_960),
        Preset(
            "publish",
            "to the end until the equity's standard error is 0.002, 12,960 to 466,560 trials",
            466_560,
            None,
            StopRules(equity_se=0.002, min_trials=12_960, check_every=12_960),
        ),
        Preset(
            "choose",
            "plays 2.33 joint errors behind are dropped, 1,296 to 46,656 trials",
            46_656,
            None,
            StopRules(jsd=2.33),
        ),
    )
}


def preset(name: str) -> Preset:
    """Return the settings of a name.

    Raises
    ------
    RolloutError
        There is no such name.
    """
    if name not in PRESETS:
        raise RolloutError(f"there is no preset {name!r}; the names are {', '.join(PRESETS)}")
    return PRESETS[name]
