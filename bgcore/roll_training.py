"""Training of the roll net, by regression.

Its targets are the five probabilities after the best play of each of the 21 rolls, as a finished
value net gives them. The result depends on the arguments alone.
"""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bgcore._core import network, training
from bgcore._core.evaluator import Evaluator
from bgcore.checks import whole_number
from bgcore.dice import DiceStream
from bgcore.errors import NetError, TrainingError
from bgcore.net_weights import (
    check_weights,
    first_rolls_weights,
    first_weights,
    quantise_rolls,
    seed_key,
)
from bgcore.nets import NetFile
from bgcore.recipes import Recipe, Stage

__all__ = ["luck_fit", "luck_samples", "train_luck", "train_rolls", "with_rolls"]

Log = Callable[[dict[str, Any]], None]


def luck_samples(
    evaluator: Evaluator, *, seed: int, first_game: int, games: int
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Collect samples for the roll net from games of self-play.

    Parameters
    ----------
    evaluator : Evaluator
        Of the core; plays and evaluates.
    seed : int
        0 <= seed < 2**128.
    first_game, games : int
        The number of the first game, 0 to 10**9, and how many, 1 to 20,000.

    Returns
    -------
    boards : (n, 32) int8 array
        Boards before the roll in the core's layout, view of the roller.
    targets : (n, 105) float32 array
        The five probabilities after the best play of each of the 21 rolls.

    Raises
    ------
    TrainingError
        If evaluator is none of the core or knows another number of checkers than 15, or a number
        is out of range.
    DiceError
        If the seed is out of range.
    """
    if not isinstance(evaluator, Evaluator):
        raise TrainingError(
            f"games are played by an evaluator of the core (NetEvaluator().core), not {evaluator!r}"
        )
    if evaluator.n_checkers != 15:
        raise TrainingError(f"roll nets know 15 checkers a side, not {evaluator.n_checkers}")
    start = whole_number(first_game, "first_game", 0, 10**9, TrainingError)
    n = whole_number(games, "games", 1, 20_000, TrainingError)
    after, _ = training.self_play(evaluator, *seed_key(DiceStream(seed).seed), start, n, 0.0)
    boards = np.ascontiguousarray(-after[:, 25::-1])
    fives = evaluator.best_fives(boards)
    targets = (fives.reshape(len(boards), -1) * 2.0**-30).astype(np.float32)
    return training.core_boards(boards), targets


def _copy_hidden(value: NDArray[np.float32], luck: NDArray[np.float32]) -> None:
    """Let a roll net begin with the hidden units of a value net.

    The value net sees a board after a play, so it knows the roller as the opponent: cells and
    sides change places.
    """
    try:
        check_weights(value, training.VALUE_PARAMETERS)
    except NetError as error:
        raise TrainingError(f"start: {error}") from error
    n = training.FEATURES * network.HIDDEN
    other = np.array([*range(25, -1, -1), 27, 26])
    features = value[:n].reshape(network.CELLS, 2, -1)[other][:, ::-1]
    luck[:n] = features.ravel()
    luck[n : n + network.HIDDEN] = value[n : n + network.HIDDEN]


def train_luck(
    evaluator: Evaluator,
    *,
    seed: int = 1,
    games: int = 24_000,
    games_per_cycle: int = 2_000,
    epochs: int = 3,
    batch: int = 256,
    rate_start: float = 1e-3,
    rate_end: float = 2e-5,
    start: NDArray[np.float32] | None = None,
    log: Log | None = None,
) -> NDArray[np.float32]:
    """Train a roll net for an evaluator.

    Each cycle plays games of the evaluator against itself and goes over their positions `epochs`
    times. The result depends on the arguments alone.

    Parameters
    ----------
    evaluator : Evaluator
        Of the core: the finished value net.
    seed : int, default 1
        0 <= seed < 2**128.
    games, games_per_cycle, epochs, batch : int
    rate_start, rate_end : float
        Learning rate of Adam; falls geometrically.
    start : (VALUE_PARAMETERS,) float32 array, optional
        Weights of the value net; the roll net begins with its hidden units.
    log : callable, optional
        Called with a dict for each cycle: `event`, `games`, `error` (mean squared error of the
        last epoch, summed over the 105 outputs), `rate`.

    Returns
    -------
    (LUCK_PARAMETERS,) float32 array

    Raises
    ------
    TrainingError
        If a setting makes no sense.
    """
    run = _Run(evaluator, seed, games, games_per_cycle, epochs, batch, rate_start, rate_end, log)
    number = run.recipe.seed
    # What a pair adds starts at 0: the rows of the cells tell the hidden units apart.
    core = first_weights(number, network.ROLL_HIDDEN, network.ROLL_HEADS * network.ROLL_OUTPUTS)
    cut = (training.FEATURES + 1) * network.ROLL_HIDDEN
    pairs = np.zeros(training.LUCK_PARAMETERS - len(core), np.float32)
    parameters = np.concatenate([core[:cut], pairs, core[cut:]])
    if start is not None:
        _copy_hidden(start, parameters)
    run.learn(parameters, partial(training.train, kind="luck"))
    return parameters


def train_rolls(
    evaluator: Evaluator,
    *,
    seed: int = 1,
    games: int = 40_000,
    games_per_cycle: int = 4_000,
    epochs: int = 3,
    batch: int = 256,
    rate_start: float = 2e-3,
    rate_end: float = 3e-5,
    hidden: int = 128,
    log: Log | None = None,
) -> NDArray[np.float32]:
    """Train a roll net that looks at one roll at a time for an evaluator.

    It explains more of the luck of rolls than what `train_luck` makes. The result depends on the
    arguments alone.

    Parameters
    ----------
    evaluator : Evaluator
        Of the core: the finished value net, with what makes its first choice of plays.
    seed : int, default 1
        0 <= seed < 2**128.
    games, games_per_cycle, epochs, batch : int
    rate_start, rate_end : float
        Learning rate of Adam; falls geometrically.
    hidden : int, default 128
        Hidden units, 128 or 256.
    log : callable, optional
        As for `train_luck`.

    Returns
    -------
    (n,) float32 array
        See `bgcore.net_weights.quantise_rolls`.

    Raises
    ------
    TrainingError
        If a setting makes no sense.
    """
    run = _Run(evaluator, seed, games, games_per_cycle, epochs, batch, rate_start, rate_end, log)
    units = whole_number(hidden, "hidden", 1, 10**4, TrainingError)
    try:
        parameters = first_rolls_weights(run.recipe.seed, units)
    except NetError as error:
        raise TrainingError(str(error)) from error
    run.learn(parameters, partial(training.train_rolls, units))
    return parameters


def with_rolls(
    nets: NetFile, weights: NDArray[np.float32], hidden: int, training_of: dict[str, Any]
) -> tuple[dict[str, NDArray[Any]], dict[str, Any]]:
    """Return the arrays and the meta of a file of nets with another roll net in it.

    Parameters
    ----------
    nets : NetFile
        Whose value nets stay as they are.
    weights : (n,) float32 array
        As `train_rolls` returns them.
    hidden : int
        Its hidden units.
    training_of : dict
        What is known of its training: `rolls` in the meta.

    Returns
    -------
    arrays, meta
        For `bgcore.nets.save_net`.

    Raises
    ------
    NetError
        If the weights are not usable.
    """
    kept = {
        name: array
        for name, array in nets.arrays.items()
        if not name.startswith(("luck_", "rolls_"))
    }
    return kept | quantise_rolls(weights, hidden), {**nets.meta, "rolls": training_of}


class _Run:
    """The cycles of a training: games, then steps of Adam on their positions."""

    def __init__(
        self,
        evaluator: Evaluator,
        seed: int,
        games: int,
        games_per_cycle: int,
        epochs: int,
        batch: int,
        rate_start: float,
        rate_end: float,
        log: Log | None,
    ) -> None:
        self.evaluator = evaluator
        self.cycle = whole_number(games_per_cycle, "games_per_cycle", 1, 20_000, TrainingError)
        self.epochs = whole_number(epochs, "epochs", 1, 1000, TrainingError)
        self.recipe = Recipe((Stage(games, rate_start, rate_end, batch=batch),), seed=seed)
        self.log = log

    def learn(self, parameters: NDArray[np.float32], step: Callable[..., float]) -> None:
        """Change the parameters; `step` is one of `training.train`'s kind."""
        first, second, powers = np.zeros_like(parameters), np.zeros_like(parameters), np.ones(2)
        games, seed = self.recipe.games, self.recipe.seed
        done = 0
        while done < games:
            n = min(self.cycle, games - done)
            boards, targets = luck_samples(self.evaluator, seed=seed, first_game=done, games=n)
            error = rate = 0.0
            for epoch in range(self.epochs):
                stage, rate = self.recipe.at(done + n * epoch // self.epochs)
                order = training.shuffled(*seed_key(seed, 2 + epoch), done, len(boards))
                error = step(
                    parameters, first, second, powers, boards, targets, order, stage.batch, rate
                )
            done += n
            if self.log is not None:
                shown = float(f"{error:.6g}")
                self.log({"event": "luck", "games": done, "error": shown, "rate": rate})


def luck_fit(
    evaluator: Evaluator, luck: network.AnyRollNet, *, seed: int, games: int
) -> dict[str, float]:
    """Measure how much of the luck of rolls a roll net explains, on games of self-play.

    The luck of a roll is the equity after its best play less the mean of that over all rolls;
    the roll net's estimate of it is what `luck_of_rolls` gives.

    Parameters
    ----------
    evaluator : Evaluator
        Of the core; the truth.
    luck : LuckNet or RollNet
    seed, games : int
        Games that the roll net has not been trained on.

    Returns
    -------
    dict
        `positions`; `luck_sd`: standard deviation of the luck in points; `r2`: share of its
        variance that the estimate explains; `error_sd`: standard deviation of what is left.
    """
    boards, targets = luck_samples(evaluator, seed=seed, first_game=0, games=games)
    truth = targets.astype(np.float64).reshape(-1, 21, 5)
    parts = luck.luck_of_rolls(np.ascontiguousarray(boards[:, :26]))
    estimate = parts.astype(np.float64) * 2.0**-22
    weights = np.array([1 if a == b else 2 for a in range(6) for b in range(a + 1)]) / 36
    signs = np.array([2.0, 1, 1, -1, -1])

    def luck_of(values: NDArray[np.float64]) -> NDArray[np.float64]:
        equity = (values * signs).sum(axis=2)
        centred: NDArray[np.float64] = equity - (equity * weights).sum(axis=1)[:, None]
        return centred

    true = luck_of(truth)
    rest = true - luck_of(estimate)
    variance = float((true**2 * weights).sum(axis=1).mean())
    left = float((rest**2 * weights).sum(axis=1).mean())
    return {
        "positions": len(boards),
        "luck_sd": math.sqrt(variance),
        "r2": 1 - left / variance,
        "error_sd": math.sqrt(left),
    }
