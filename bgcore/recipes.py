"""Recipes of training runs: what is played, how often, and how the weights learn from it."""

import math
import os
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np

from bgcore.checks import flag, path_text, shown, whole_number
from bgcore.dice import DiceStream
from bgcore.errors import DiceError, NetError, TrainingError, VariantError
from bgcore.net_weights import FAST, NetShape
from bgcore.variant_boards import why_no_net
from bgcore.variants import VariantRules, variant
from bgcore.variants.games import as_tuples, rules_to_dict

__all__ = ["Recipe", "Stage", "load_recipe"]

_MAX_BYTES = 1 << 20
#: Less would change no float32 weight.
_LEAST_RATE = 1e-12
#: Trials of a rollout are a multiple of this: the first roll goes through all 36.
_TRIALS_STEP = 36


def _settle(record: object, **values: Any) -> None:
    """Put checked values, as Python's own numbers, into a frozen record."""
    for name, value in values.items():
        object.__setattr__(record, name, value)


def _real(value: object, name: str) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
        raise TrainingError(f"{name} must be a number, not {shown(value)}")
    if isinstance(value, np.complexfloating):
        raise TrainingError(f"{name} must be a real number, not {shown(value)}")
    try:
        return float(value)
    except OverflowError:
        raise TrainingError(f"{name} is too large: {shown(value)}") from None


@dataclass(frozen=True)
class Stage:
    """One stretch of a recipe.

    Attributes
    ----------
    games : int
        Games of self-play, > 0.
    rate_start, rate_end : float
        Learning rate of Adam, 1e-12 to 1; it falls geometrically from one to the other.
    trace : float
        lambda of TD(lambda), 0 to 1.
    batch : int
        Positions in one step of Adam.
    lookahead : bool
        Make the lambda-returns of exact 1-ply values (the mean over all rolls of the best play's
        value), which leave no luck of the rolls in them; with a trace of 0 they are those values.
        About ten times the work for a game.
    less_luck : bool
        Take the luck of the rolls, as the shipped roll net sees it, out of the lambda-returns:
        their means stay, their variance falls.
    first_choice : bool
        The shipped fast net makes the first choice among the plays of a strong net, as it does
        in the file that is saved. About twice the speed with lookahead.
    revive : bool
        Hidden units of a strong net that are active on none of the boards of the stage's first
        cycle get new random inputs, and outputs of weight 0: what the net says stays as it is.
    explore : int
        Half of the games begin with 1 to so many random plays, 0 to 1,000, which bring up positions
        that the net would avoid; it learns from what comes after them.
    games_per_cycle : int or None
        Games that one net plays before it learns from them; None as the recipe says.
    hidden, second : int or None
        Numbers of units of the strong net from this stage on; None as before. A net grows without
        any change of what it says.
    relations : bool or None
        Whether the strong net sees relations of two cells from this stage on; None as before.
    passes : int
        How often the weights learn from the positions of a cycle, each time in another order, 1 to
        100.
    mined : float
        Share of the positions, 0 to 0.5, whose targets come from rollouts instead: half of them
        those whose targets differ most from the net's equity (with lookahead: where looking further
        changes it most), the others of rare kinds (back games, primes, containment, crashed boards;
        see `bgcore.mining`). A roll net that is trained
        when the stage begins takes the luck out of them. For strong nets and backgammon.
    trials, plies : int
        Trials of such a rollout, a multiple of 36 up to 12,960, and after how many plies, 1 to
        1,000, a trial is cut off and valued by the net.
    average : float
        0, or the weight, below 1, of the past in a running mean of the weights over the cycles;
        the net that is saved is that mean.
    rounded : bool
        The weights learn as they are shipped: forward and backward passes see them rounded as the
        file has them, and the steps of Adam are made on the float weights (straight-through
        estimator); a running mean is one of those. docs/nets/strong.md has figures.

    Raises
    ------
    TrainingError
        If a number is out of range.
    """

    games: int
    rate_start: float
    rate_end: float
    trace: float = 0.0
    batch: int = 256
    lookahead: bool = False
    less_luck: bool = False
    first_choice: bool = False
    revive: bool = False
    explore: int = 0
    games_per_cycle: int | None = None
    hidden: int | None = None
    second: int | None = None
    relations: bool | None = None
    passes: int = 1
    mined: float = 0.0
    trials: int = 72
    plies: int = 7
    average: float = 0.0
    rounded: bool = False

    def __post_init__(self) -> None:
        rates = {name: _real(getattr(self, name), name) for name in ("rate_start", "rate_end")}
        for name, rate in rates.items():
            if not _LEAST_RATE <= rate <= 1:
                raise TrainingError(f"{name} is {rate}; it must lie in [{_LEAST_RATE:g}, 1]")
        trace, average = _real(self.trace, "trace"), _real(self.average, "average")
        if not 0 <= trace <= 1:
            raise TrainingError(f"trace is {trace}; it must lie in [0, 1]")
        if not 0 <= average < 1:
            raise TrainingError(f"average is {average}; it must lie in [0, 1)")
        mined = _real(self.mined, "mined")
        if not 0 <= mined <= 0.5:
            raise TrainingError(f"mined is {mined}; it must lie in [0, 0.5]")
        trials = whole_number(self.trials, "trials", 1, 360 * _TRIALS_STEP, TrainingError)
        if trials % _TRIALS_STEP:
            raise TrainingError(
                f"trials is {trials}; it must be a multiple of {_TRIALS_STEP}, for all first rolls"
            )
        units = {
            name: None if value is None else whole_number(value, name, 1, 10**4, TrainingError)
            for name, value in (("hidden", self.hidden), ("second", self.second))
        }
        cycle = self.games_per_cycle
        _settle(
            self,
            games=whole_number(self.games, "games", 1, 10**9, TrainingError),
            **rates,
            trace=trace,
            batch=whole_number(self.batch, "batch", 1, 10**6, TrainingError),
            lookahead=flag(self.lookahead, "lookahead", TrainingError),
            less_luck=flag(self.less_luck, "less_luck", TrainingError),
            first_choice=flag(self.first_choice, "first_choice", TrainingError),
            revive=flag(self.revive, "revive", TrainingError),
            explore=whole_number(self.explore, "explore", 0, 1000, TrainingError),
            games_per_cycle=None if cycle is None else _cycle(cycle),
            **units,
            relations=None
            if self.relations is None
            else flag(self.relations, "relations", TrainingError),
            passes=whole_number(self.passes, "passes", 1, 100, TrainingError),
            mined=mined,
            trials=trials,
            plies=whole_number(self.plies, "plies", 1, 1000, TrainingError),
            average=average,
            rounded=flag(self.rounded, "rounded", TrainingError),
        )


def _cycle(value: object) -> int:
    return whole_number(value, "games_per_cycle", 1, 100_000, TrainingError)


@dataclass(frozen=True)
class Recipe:
    """A whole training run: the same recipe always gives the same net.

    Attributes
    ----------
    stages : tuple of Stage
    seed : int
        0 <= seed < 2**128.
    games_per_cycle : int
        Games that one net plays before it learns from them, 1 to 100,000.
    hidden, second : int
        Numbers of units at the start: 128 and 0 for the fast net, which has no second layer; for
        a strong net a multiple of 128 up to 1,024 and a multiple of 32 up to 128.
    relations : bool
        Whether a strong net sees relations of two cells (shots, blocks, guards) beside the cells.
    variant : VariantRules or None
        What is played: None for backgammon, or another game, with its number of checkers, its
        opening roll and its payoff. Given as such, as a name such as "nackgammon", or as a mapping
        of a name and of options of `bgcore.variant`.

    Raises
    ------
    TrainingError
        If there is no stage, a number is out of range, a net would shrink, or no net can learn the
        game, as Plakoto, where a point holds checkers of both sides.
    DiceError
        If the seed is out of range.
    """

    stages: tuple[Stage, ...] = (
        Stage(100_000, 1e-3, 1e-3, trace=0.7),
        Stage(900_000, 1e-3, 2e-5, trace=0.0),
    )
    seed: int = 1
    games_per_cycle: int = 500
    hidden: int = FAST.hidden
    second: int = FAST.second
    relations: bool = False
    variant: VariantRules | None = None

    def __post_init__(self) -> None:
        stages = tuple(self.stages) if isinstance(self.stages, Iterable) else ()
        if not stages or not all(isinstance(stage, Stage) for stage in stages):
            raise TrainingError(
                f"stages must be a tuple of one Stage or more, not {shown(self.stages)}"
            )
        _settle(
            self,
            stages=stages,
            seed=DiceStream(self.seed).seed,
            games_per_cycle=_cycle(self.games_per_cycle),
            hidden=whole_number(self.hidden, "hidden", 1, 10**4, TrainingError),
            second=whole_number(self.second, "second", 0, 10**4, TrainingError),
            relations=flag(self.relations, "relations", TrainingError),
            variant=_game(self.variant),
        )
        if self.n_checkers < 15 and any(s.less_luck or s.first_choice for s in stages):
            raise TrainingError(
                "less_luck and first_choice need shipped nets, which know 15 checkers a side, not"
                f" {self.n_checkers}"
            )
        is_other = self.variant is not None and not self.variant.is_layout
        for key in ("lookahead", "less_luck", "first_choice", "explore"):
            if is_other and any(getattr(stage, key) for stage in stages):
                raise TrainingError(f"{key} is for layouts of backgammon alone")
        if self.variant is not None and any(stage.mined for stage in stages):
            raise TrainingError("mined is for backgammon alone")
        shape = self.shape(-1)
        for number in range(len(stages)):
            grown = self.shape(number)
            if not shape.fits_into(grown):
                raise TrainingError(f"stage {number + 1} has fewer units than the stage before it")
            if grown != shape and FAST in (shape, grown):
                raise TrainingError("the fast net has always the same shape")
            stage = stages[number]
            if grown == FAST and (stage.first_choice or stage.revive or stage.mined):
                raise TrainingError("first_choice, revive and mined are for strong nets")
            shape = grown

    def shape(self, number: int) -> NetShape:
        """Return the shape of the net in a stage, counted from 0; -1 for the one that begins."""
        hidden, second, relations = self.hidden, self.second, self.relations
        for stage in self.stages[: number + 1]:
            hidden = hidden if stage.hidden is None else stage.hidden
            second = second if stage.second is None else stage.second
            relations = relations if stage.relations is None else stage.relations
        try:
            return NetShape(hidden, second, relations)
        except NetError as error:
            raise TrainingError(str(error)) from error

    @property
    def n_checkers(self) -> int:
        """Checkers of one side."""
        return 15 if self.variant is None else self.variant.n_checkers

    @property
    def games(self) -> int:
        """Games of all stages."""
        return sum(stage.games for stage in self.stages)

    def stage_at(self, game: int) -> tuple[int, int]:
        """Return the number of a game's stage, from 0, and the first game of that stage."""
        first = 0
        for number, stage in enumerate(self.stages):
            if game < first + stage.games:
                return number, first
            first += stage.games
        return len(self.stages) - 1, first - self.stages[-1].games

    def at(self, game: int) -> tuple[Stage, float]:
        """Return the stage of a game and the learning rate there."""
        number, first = self.stage_at(game)
        stage = self.stages[number]
        part = min((game - first) / stage.games, 1.0)
        rate = stage.rate_start * math.exp(part * math.log(stage.rate_end / stage.rate_start))
        # Rounded, so that the last bits of exp and log cannot reach the net.
        return stage, float(f"{rate:.5g}")

    def record(self) -> dict[str, Any]:
        """Return the recipe as JSON values; what is as usual is left out."""
        plain = _changed(self)
        plain["stages"] = [_changed(stage) for stage in self.stages]
        if self.variant is not None:
            plain["variant"] = rules_to_dict(self.variant)
        return plain


def _game(what: object) -> VariantRules | None:
    """Read what is played; backgammon is None."""
    try:
        if isinstance(what, Mapping):
            if not all(isinstance(name, str) for name in what):
                raise TrainingError(f"the options of a variant have names, not {shown(what)}")
            options = {name: as_tuples(value) for name, value in what.items()}
            what = variant(options.pop("name", None), **options)
        elif isinstance(what, str):
            what = variant(what)
    except VariantError as error:
        raise TrainingError(str(error)) from error
    if what is None:
        return None
    if not isinstance(what, VariantRules):
        raise TrainingError(f"variant is the name of a game or its rules, not {shown(what)}")
    if reason := why_no_net(what):
        raise TrainingError(reason)
    plain = variant("standard")
    is_plain = what.is_layout and all(
        getattr(what, name) == getattr(plain, name)
        for name in ("start", "n_checkers", "payoff", "opening")
    )
    return None if is_plain else what


def _changed(record: Recipe | Stage) -> dict[str, Any]:
    """Return the fields of a record that differ from their defaults, or have none."""
    values = asdict(record)
    later = {
        "hidden", "second", "less_luck", "first_choice", "revive", "explore", "games_per_cycle",
        "passes", "average", "variant", "relations", "mined", "trials", "plies", "rounded",
    }  # fmt: skip
    return {
        field.name: values[field.name]
        for field in fields(record)
        if field.name not in later or values[field.name] != field.default
    }


def load_recipe(path: str | os.PathLike[str]) -> Recipe:
    """Read a recipe from a TOML file.

    Its keys are the attributes of `Recipe`; each stage is a table ``[[stages]]`` with those of
    `Stage`. A game with options is a table: ``variant = {name = "hypergammon", n_checkers = 2}``.

    Parameters
    ----------
    path : path

    Returns
    -------
    Recipe

    Raises
    ------
    TrainingError
        If the file cannot be read or is no recipe.
    DiceError
        If its seed is out of range.
    """
    name = shown(path_text(path, "the path of a recipe", TrainingError))
    try:
        place = Path(path)
        if place.exists() and not place.is_file():
            raise TrainingError(f"cannot read {name}: it is not a file")
        with place.open("rb") as file:
            text = file.read(_MAX_BYTES + 1)
        if len(text) > _MAX_BYTES:
            raise TrainingError(f"{name} is too long for a recipe")
        table = tomllib.loads(text.decode())
    except TrainingError:
        raise
    except (OSError, ValueError, RecursionError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise TrainingError(f"{name} cannot be read as a recipe: {reason}") from error
    stages = table.pop("stages", None)
    if not isinstance(stages, list) or not all(isinstance(stage, dict) for stage in stages):
        raise TrainingError(f"{name}: a recipe has one table [[stages]] or more")
    _known(table, Recipe, name)
    made = []
    for number, stage in enumerate(stages, 1):
        where = f"{name}, stage {number}"
        _known(stage, Stage, where)
        missing = [key for key in ("games", "rate_start", "rate_end") if key not in stage]
        if missing:
            raise TrainingError(f"{where}: {missing[0]} is missing")
        try:
            made.append(Stage(**stage))
        except TrainingError as error:
            raise TrainingError(f"{where}: {error}") from error
    try:
        return Recipe(tuple(made), **table)
    except (TrainingError, DiceError) as error:
        raise type(error)(f"{name}: {error}") from error


def _known(table: dict[str, Any], kind: type[Recipe] | type[Stage], where: str) -> None:
    known = [field.name for field in fields(kind)]
    for key in table:
        if key not in known:
            raise TrainingError(f"{where}: {key!r} is unknown; known are {', '.join(known)}")
