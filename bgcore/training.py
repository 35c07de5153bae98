"""Training of the nets by self-play.

The value net learns by TD(lambda) from games against itself, played by the very integers that are
shipped: each cycle of a few hundred games is played with the present net, then the float weights
take one step of Adam for each batch of its positions, in a random order (Tesauro, "Temporal
difference learning and TD-Gammon", 1995; Kingma and Ba, "Adam", 2015).

The roll net learns by regression: its targets are the five probabilities after the best play of
each of the 21 rolls, from the finished value net.

Everything depends on the recipe alone: game g of a run has dice from (seed, g), threads only share
out games, and a run that was stopped goes on from its checkpoint as if it had not been.
"""

import hashlib
import json
import math
import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bgcore._core import network, training
from bgcore._core.evaluator import Evaluator
from bgcore.bearoff import tables
from bgcore.checks import flag, jobs_number, whole_number
from bgcore.dice import DiceStream
from bgcore.errors import NetError, TrainingError
from bgcore.nets import read_npz, save_net, writable_place, write_npz

__all__ = [
    "Recipe",
    "Stage",
    "Trainer",
    "luck_fit",
    "luck_samples",
    "quantise_luck",
    "quantise_value",
    "train",
    "train_luck",
]

#: Version of the checkpoint format.
CHECKPOINT_FORMAT = 1

# Fraction bits of the roll net's hidden sums.
_LUCK_HIDDEN_BITS = 10

Log = Callable[[dict[str, Any]], None]


def _settle(record: object, **values: Any) -> None:
    """Put checked values, as Python's own numbers, into a frozen record."""
    for name, value in values.items():
        object.__setattr__(record, name, value)


def _real(value: object, name: str) -> float:
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, float, np.number)):
        raise TrainingError(f"{name} must be a number, not {value!r}")
    return float(value)


@dataclass(frozen=True)
class _State:
    """How far a run has come: weights, Adam's moments and powers, games. Replaced as a whole."""

    parameters: NDArray[np.float32]
    first: NDArray[np.float32]
    second: NDArray[np.float32]
    powers: NDArray[np.float64]
    games: int

    def arrays(self) -> dict[str, NDArray[Any]]:
        return {name: getattr(self, name) for name in ("parameters", "first", "second", "powers")}

    def copy(self) -> "_State":
        arrays = {name: array.copy() for name, array in self.arrays().items()}
        return _State(**arrays, games=self.games)


@dataclass(frozen=True)
class Stage:
    """One stretch of a recipe.

    Attributes
    ----------
    games : int
        Games of self-play, > 0.
    rate_start, rate_end : float
        Learning rate of Adam, above 0 and up to 1; it falls geometrically from one to the other.
    trace : float
        lambda of TD(lambda), 0 to 1.
    batch : int
        Positions in one step of Adam.
    lookahead : bool
        Targets are exact 1-ply values (the mean over all rolls of the best play's value) instead
        of lambda-returns. About ten times the work for a game.

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

    def __post_init__(self) -> None:
        rates = {name: _real(getattr(self, name), name) for name in ("rate_start", "rate_end")}
        for name, rate in rates.items():
            if not 0 < rate <= 1:
                raise TrainingError(f"{name} is {rate}; it must lie in (0, 1]")
        trace = _real(self.trace, "trace")
        if not 0 <= trace <= 1:
            raise TrainingError(f"trace is {trace}; it must lie in [0, 1]")
        _settle(
            self,
            games=whole_number(self.games, "games", 1, 10**9, TrainingError),
            **rates,
            trace=trace,
            batch=whole_number(self.batch, "batch", 1, 10**6, TrainingError),
            lookahead=flag(self.lookahead, "lookahead", TrainingError),
        )


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

    Raises
    ------
    TrainingError
        If there is no stage, or a number is out of range.
    DiceError
        If the seed is out of range.
    """

    stages: tuple[Stage, ...] = (
        Stage(100_000, 1e-3, 1e-3, trace=0.7),
        Stage(900_000, 1e-3, 2e-5, trace=0.0),
    )
    seed: int = 1
    games_per_cycle: int = 500

    def __post_init__(self) -> None:
        stages = tuple(self.stages) if isinstance(self.stages, Iterable) else ()
        if not stages or not all(isinstance(stage, Stage) for stage in stages):
            raise TrainingError(f"stages must be a tuple of one Stage or more, not {self.stages!r}")
        cycle = whole_number(self.games_per_cycle, "games_per_cycle", 1, 100_000, TrainingError)
        seed = DiceStream(self.seed).seed
        _settle(self, stages=stages, seed=seed, games_per_cycle=cycle)

    @property
    def games(self) -> int:
        """Games of all stages."""
        return sum(stage.games for stage in self.stages)

    def at(self, game: int) -> tuple[Stage, float]:
        """Return the stage of a game and the learning rate there."""
        for stage in self.stages:
            if game < stage.games:
                break
            game -= stage.games
        part = min(game / stage.games, 1.0)
        rate = stage.rate_start * math.exp(part * math.log(stage.rate_end / stage.rate_start))
        # Rounded, so that the last bits of exp and log cannot reach the net.
        return stage, float(f"{rate:.5g}")


def _key(seed: int, purpose: int = 0) -> tuple[int, int]:
    """Return the two words of a seed; each purpose has random numbers of its own."""
    return seed & (2**64 - 1), seed >> 64 ^ purpose


def _initial(seed: int, hidden: int, outputs: int) -> NDArray[np.float32]:
    """Random first weights: features uniform in +-0.2, outputs in +-0.1, biases 0."""
    bits = np.random.Philox(key=list(_key(seed, 0x1217))).random_raw(
        training.FEATURES * hidden + outputs * hidden
    )
    unit = (bits >> np.uint64(40)).astype(np.float32) * np.float32(2.0**-23) - np.float32(1)
    n = training.FEATURES * hidden
    zeros = np.zeros
    return np.concatenate(
        [
            unit[:n] * np.float32(0.2),
            zeros(hidden, np.float32),
            unit[n:] * np.float32(0.1),
            zeros(outputs, np.float32),
        ]
    )


def _split(
    parameters: NDArray[np.float32], hidden: int, heads: int, outputs: int
) -> tuple[NDArray[np.float64], ...]:
    x = parameters.astype(np.float64)
    n = training.FEATURES * hidden
    features = x[:n].reshape(network.CELLS, 2, -1, hidden)
    # (28, 31, 2, 4) x (28, 2, 4, H): einsum without BLAS, its sums have at most 4 terms
    rows = np.zeros((network.CELLS, network.VALUES, hidden))
    matrix = training.feature_matrix().astype(np.float64)
    for side in range(2):
        for f in range(features.shape[2]):
            rows += matrix[:, :, side, f, None] * features[:, None, side, f]
    bias = x[n : n + hidden]
    end = n + hidden + heads * outputs * hidden
    return (
        rows,
        bias,
        x[n + hidden : end].reshape(heads, outputs, hidden),
        x[end:].reshape(heads, outputs),
    )


def _quantise(
    parameters: NDArray[np.float32], hidden: int, heads: int, outputs: int, z_bits: int
) -> tuple[NDArray[Any], ...]:
    rows, bias, out, out_bias = _split(parameters, hidden, heads, outputs)
    for bits in range(11, 4, -1):
        fixed_rows = np.rint(rows * 2.0**bits)
        fixed_bias = np.rint(bias * 2.0**bits)
        fixed_out = np.rint(out * 2.0 ** (z_bits - bits))
        if max(np.abs(fixed_rows).max(), np.abs(fixed_bias).max()) > 32767:
            continue
        fixed_rows, fixed_bias = fixed_rows.astype(np.int16), fixed_bias.astype(np.int16)
        low, high = network.hidden_range(fixed_rows, fixed_bias)
        if low.min() < -32768 or high.max() > 32767:
            continue
        if np.abs(fixed_out).max() > 32767:
            break
        fixed_out_bias = np.clip(np.rint(out_bias * 2.0**z_bits), -(2**30), 2**30)
        return fixed_rows, fixed_bias, fixed_out.astype(np.int16), fixed_out_bias.astype(np.int32)
    raise NetError("the weights are too large for 16 bits: the training has diverged")


def _check_weights(parameters: object, n: int) -> None:
    array = np.asarray(parameters)
    if array.shape != (n,) or array.dtype.kind != "f":
        raise NetError(f"the weights are {array.dtype} {array.shape}, not float32 ({n},)")
    if not np.isfinite(array).all():
        raise NetError("the weights are not finite: the training has diverged")


def quantise_value(parameters: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    """Turn the float weights of a value net into the integers of a file of nets.

    Parameters
    ----------
    parameters : (VALUE_PARAMETERS,) float32 array

    Returns
    -------
    dict of str to array
        `value_rows`, `value_bias`, `value_out`, `value_out_bias`, see `bgcore.nets`.

    Raises
    ------
    NetError
        If they are not such an array, or a weight is not finite or too large.
    """
    _check_weights(parameters, training.VALUE_PARAMETERS)
    names = ("value_rows", "value_bias", "value_out", "value_out_bias")
    parts = _quantise(parameters, network.HIDDEN, network.HEADS, 5, network.Z_BITS)
    return dict(zip(names, parts, strict=True))


def quantise_luck(parameters: NDArray[np.float32]) -> dict[str, NDArray[Any]]:
    """Turn the float weights of a roll net into the integers of a file of nets.

    As `quantise_value`, for the arrays whose names begin with `luck_`.
    """
    _check_weights(parameters, training.LUCK_PARAMETERS)
    h, outputs, pairs = network.ROLL_HIDDEN, network.ROLL_OUTPUTS, network.ROLL_PAIRS
    first = (training.FEATURES + 1) * h
    second = first + pairs * h
    third = second + pairs * network.ROLL_WIDTH
    core = np.concatenate([parameters[:first], parameters[third:]])
    rows, bias, out, out_bias = _split(core, h, network.ROLL_HEADS, outputs)
    bits = _LUCK_HIDDEN_BITS
    parts: dict[str, tuple[NDArray[Any], int, Any]] = {
        "luck_rows": (rows, bits, np.int16),
        "luck_bias": (bias, bits, np.int16),
        "luck_pair_rows": (parameters[first:second].reshape(pairs, h), bits, np.int16),
        "luck_pair_out": (
            parameters[second:third].reshape(pairs, -1),
            network.ROLL_PAIR_BITS,
            np.int16,
        ),
        "luck_out": (out, network.ROLL_Z_BITS - bits, np.int16),
        "luck_out_bias": (out_bias, network.ROLL_Z_BITS, np.int32),
    }
    arrays = {}
    for name, (values, shift, dtype) in parts.items():
        fixed = np.rint(values.astype(np.float64) * 2.0**shift)
        if np.abs(fixed).max() > np.iinfo(dtype).max:
            raise NetError(f"{name}: the weights are too large: the training has diverged")
        arrays[name] = fixed.astype(dtype)
    return arrays


def _extends(recipe: Recipe, other: object, games: int) -> bool:
    """Whether the first games of a recipe are those of another one, given as JSON."""
    own = json.loads(json.dumps(asdict(recipe)))
    if not isinstance(other, dict):
        return False
    stages, others = own.pop("stages"), dict(other).pop("stages", None)
    if not isinstance(others, list) or {k: v for k, v in other.items() if k != "stages"} != own:
        return False
    begun, done = 0, 0
    for stage in stages:
        if done < games:
            begun += 1
        done += stage["games"]
    return bool(stages[:begun] == others[:begun])


class Trainer:
    """A training run of the value net in memory.

    Parameters
    ----------
    recipe : Recipe
    jobs : int, default 1
        Threads for self-play. The result does not depend on it.

    Raises
    ------
    TrainingError
        If recipe is none, or jobs is not between 1 and 1,024.
    """

    def __init__(self, recipe: Recipe, *, jobs: int = 1) -> None:
        if not isinstance(recipe, Recipe):
            raise TrainingError(f"a training run needs a Recipe, not {recipe!r}")
        self.recipe = recipe
        self.jobs = jobs_number(jobs, TrainingError)
        parameters = _initial(recipe.seed, network.HIDDEN, network.HEADS * 5)
        zeros = np.zeros_like(parameters)
        self._state = _State(parameters, zeros, zeros.copy(), np.ones(2), 0)

    @property
    def games(self) -> int:
        """Games played and learned from."""
        return self._state.games

    @property
    def parameters(self) -> NDArray[np.float32]:
        """The float weights of the net, a (VALUE_PARAMETERS,) array."""
        return self._state.parameters

    def evaluator(self) -> Evaluator:
        """Return an evaluator with the present weights, as integers, and the bear-off tables."""
        arrays = quantise_value(self.parameters)
        return Evaluator(network.ValueNet(*arrays.values()), tables())

    def cycle(self) -> dict[str, Any]:
        """Play one cycle of games and learn from it.

        Returns
        -------
        dict
            `games` so far, `positions` learned from, `rate`, and `error`: the mean over positions
            of the sum of the squared errors of the five outputs.

        Raises
        ------
        TrainingError
            If all games of the recipe are played.

        Notes
        -----
        An exception, such as that of ctrl-C, leaves the run as it was before the cycle.
        """
        if self.games >= self.recipe.games:
            raise TrainingError(f"all {self.recipe.games:,} games of the recipe are played")
        stage, rate = self.recipe.at(self.games)
        done = 0
        for past in self.recipe.stages:
            done += past.games
            if self.games < done:
                break
        n = min(self.recipe.games_per_cycle, done - self.games)
        evaluator = self.evaluator()
        seed = self.recipe.seed
        cuts = [n * job // self.jobs for job in range(self.jobs + 1)]

        def play(job: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
            first, last = cuts[job], cuts[job + 1]
            return training.self_play(
                evaluator,
                *_key(seed),
                self.games + first,
                last - first,
                stage.trace,
                lookahead=stage.lookahead,
            )

        if self.jobs == 1:
            parts = [play(0)]
        else:
            with ThreadPoolExecutor(self.jobs) as pool:
                parts = list(pool.map(play, range(self.jobs)))
        boards = np.concatenate([part[0] for part in parts])
        targets = np.concatenate([part[1] for part in parts])
        order = training.shuffled(*_key(seed, 1), self.games, len(boards))
        new = self._state.copy()
        error = training.train(
            new.parameters, new.first, new.second, new.powers, boards, targets, order,
            stage.batch, rate, kind="value",
        )  # fmt: skip
        self._state = replace(new, games=new.games + n)
        return {
            "games": self.games,
            "positions": len(boards),
            "rate": rate,
            "error": float(f"{error:.6g}"),
        }

    def digest(self) -> str:
        """Return a SHA-256 of the state: weights, moments, games."""
        state = hashlib.sha256(str(self.games).encode())
        for array in self._state.arrays().values():
            state.update(array.tobytes())
        return state.hexdigest()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a checkpoint, the whole of it or nothing.

        Raises
        ------
        NetError
            If it cannot be written.
        """
        state = self._state
        meta = {
            "checkpoint": CHECKPOINT_FORMAT,
            "recipe": asdict(self.recipe),
            "games": state.games,
        }
        write_npz(path, state.arrays(), meta)

    def load(self, path: str | os.PathLike[str]) -> None:
        """Go on from a checkpoint of the same recipe, or of one that this recipe makes longer.

        Raises
        ------
        TrainingError
            If the file is not a checkpoint, is damaged, or belongs to another recipe.
        """
        try:
            arrays, meta = read_npz(path)
        except NetError as error:
            raise TrainingError(f"not a checkpoint: {error}") from error
        if meta.get("checkpoint") != CHECKPOINT_FORMAT:
            raise TrainingError(f"{path} is not a checkpoint of format {CHECKPOINT_FORMAT}")
        wanted = self._state.arrays()
        if set(arrays) != set(wanted):
            raise TrainingError(f"{path} holds the arrays {sorted(arrays)}, not {sorted(wanted)}")
        for name, own in wanted.items():
            array = arrays[name]
            if array.shape != own.shape or array.dtype != own.dtype:
                raise TrainingError(f"{path}: {name} is {array.dtype} {array.shape}")
            if not np.isfinite(array).all():
                raise TrainingError(f"{path}: {name} holds values that are not finite")
        games = whole_number(
            meta.get("games"), "the games of the checkpoint", 0, self.recipe.games, TrainingError
        )
        if not _extends(self.recipe, meta.get("recipe"), games):
            raise TrainingError(f"{path} belongs to another recipe; give the run a new checkpoint")
        self._state = _State(**arrays, games=games)

    def save_net(self, path: str | os.PathLike[str], **meta: Any) -> None:
        """Write the present value net as a file of nets (`bgcore.nets`)."""
        full = {"games": self.games, "recipe": asdict(self.recipe), **meta}
        save_net(path, quantise_value(self.parameters), full)


def train(
    recipe: Recipe,
    *,
    checkpoint: str | os.PathLike[str] | None = None,
    games: int | None = None,
    jobs: int = 1,
    save_every: int = 20_000,
    log: Log | None = None,
) -> Trainer:
    """Run a recipe, or go on with it.

    Parameters
    ----------
    recipe : Recipe
    checkpoint : path, optional
        Read first if it exists, written every `save_every` games, at the end and after ctrl-C.
    games : int, optional
        Stop after this many games of the run; default all of the recipe.
    jobs : int, default 1
        Threads for self-play, 1 to 1,024. The result does not depend on it.
    save_every : int, default 20,000
        Games between two checkpoints and two lines of the log.
    log : callable, optional
        Called with a dict of JSON values: `event` ("start", "progress", "end"), `games`,
        `error` (mean since the last line), `rate`, `games_per_second`.

    Returns
    -------
    Trainer

    Raises
    ------
    TrainingError
        If a setting makes no sense, or the checkpoint is bad or of another recipe.
    NetError
        If the checkpoint cannot be written; this is tried before the first game.
    """
    trainer = Trainer(recipe, jobs=jobs)
    stop = recipe.games
    if games is not None:
        stop = whole_number(games, "games", 0, recipe.games, TrainingError)
    whole_number(save_every, "save_every", 1, 10**9, TrainingError)
    if log is not None and not callable(log):
        raise TrainingError(f"log must be callable, not {log!r}")
    if checkpoint is not None and writable_place(checkpoint).exists():
        trainer.load(checkpoint)
    try:
        _run(trainer, stop, checkpoint, save_every, log)
    except KeyboardInterrupt:
        if checkpoint is not None:
            _save(trainer, checkpoint)
        raise
    return trainer


def _save(trainer: Trainer, checkpoint: str | os.PathLike[str]) -> None:
    """Write the checkpoint, but not over that of another run that was begun in the meantime."""
    try:
        _, meta = read_npz(checkpoint)
    except NetError:  # there is none, or nothing that could be lost
        pass
    else:
        games = meta.get("games")
        if not isinstance(games, int) or not _extends(trainer.recipe, meta.get("recipe"), games):
            raise TrainingError(
                f"{checkpoint} has been written by another run in the meantime; it is left as it"
                " is, and this run ends"
            )
    trainer.save(checkpoint)


def _run(
    trainer: Trainer,
    stop: int,
    checkpoint: str | os.PathLike[str] | None,
    save_every: int,
    log: Log | None,
) -> None:
    if log is not None:
        log({"event": "start", "games": trainer.games, "of": stop, "jobs": trainer.jobs})
    since, clock, errors = trainer.games, time.perf_counter(), []
    while trainer.games < stop:
        line = trainer.cycle()
        errors.append(line["error"])
        if trainer.games // save_every > since // save_every or trainer.games >= stop:
            if checkpoint is not None:
                _save(trainer, checkpoint)
            if log is not None:
                now = time.perf_counter()
                log(
                    {
                        "event": "progress",
                        "games": trainer.games,
                        "error": float(f"{np.mean(errors):.6g}"),
                        "rate": line["rate"],
                        "games_per_second": round((trainer.games - since) / (now - clock), 1),
                    }
                )
                clock = now
            since, errors = trainer.games, []
    if log is not None:
        log({"event": "end", "games": trainer.games, "digest": trainer.digest()})


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
        If evaluator is none of the core, or a number is out of range.
    DiceError
        If the seed is out of range.
    """
    if not isinstance(evaluator, Evaluator):
        raise TrainingError(
            f"games are played by an evaluator of the core (NetEvaluator().core), not {evaluator!r}"
        )
    start = whole_number(first_game, "first_game", 0, 10**9, TrainingError)
    n = whole_number(games, "games", 1, 20_000, TrainingError)
    after, _ = training.self_play(evaluator, *_key(DiceStream(seed).seed), start, n, 0.0)
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
        _check_weights(value, training.VALUE_PARAMETERS)
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
    whole_number(games_per_cycle, "games_per_cycle", 1, 20_000, TrainingError)
    whole_number(epochs, "epochs", 1, 1000, TrainingError)
    recipe = Recipe((Stage(games, rate_start, rate_end, batch=batch),), seed=seed)
    number = recipe.seed
    # What a pair adds starts at 0: the rows of the cells tell the hidden units apart.
    core = _initial(number, network.ROLL_HIDDEN, network.ROLL_HEADS * network.ROLL_OUTPUTS)
    cut = (training.FEATURES + 1) * network.ROLL_HIDDEN
    pairs = np.zeros(training.LUCK_PARAMETERS - len(core), np.float32)
    parameters = np.concatenate([core[:cut], pairs, core[cut:]])
    if start is not None:
        _copy_hidden(start, parameters)
    first, second, powers = np.zeros_like(parameters), np.zeros_like(parameters), np.ones(2)
    done = 0
    while done < games:
        n = min(games_per_cycle, games - done)
        boards, targets = luck_samples(evaluator, seed=number, first_game=done, games=n)
        error = rate = 0.0
        for epoch in range(epochs):
            rate = recipe.at(done + n * epoch // epochs)[1]
            order = training.shuffled(*_key(number, 2 + epoch), done, len(boards))
            error = training.train(
                parameters, first, second, powers, boards, targets, order, batch, rate, kind="luck"
            )
        done += n
        if log is not None:
            log({"event": "luck", "games": done, "error": float(f"{error:.6g}"), "rate": rate})
    return parameters


def luck_fit(
    evaluator: Evaluator, luck: network.LuckNet, *, seed: int, games: int
) -> dict[str, float]:
    """Measure how much of the luck of rolls a roll net explains, on games of self-play.

    The luck of a roll is the equity after its best play less the mean of that over all rolls;
    the roll net's estimate of it is made in the same way from its own values.

    Parameters
    ----------
    evaluator : Evaluator
        Of the core; the truth.
    luck : LuckNet
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
    estimate = luck.values(np.ascontiguousarray(boards[:, :26])).astype(np.float64)
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
