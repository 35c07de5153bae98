"""Training of the value nets by self-play.

The value net learns by TD(lambda) from games against itself, played by the very integers that are
shipped: each cycle of a few hundred games is played with the present net, then the float weights
take one step of Adam for each batch of its positions, in a random order (Tesauro, "Temporal
difference learning and TD-Gammon", 1995; Kingma and Ba, "Adam", 2015).

Everything depends on the recipe alone: game g of a run has dice from (seed, g), threads only share
out games, and a run that was stopped goes on from its checkpoint as if it had not been.
"""

import hashlib
import json
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bgcore._core import training
from bgcore._core.evaluator import Evaluator
from bgcore._core.network import RollNet, ValueNet
from bgcore.bearoff import tables
from bgcore.checks import jobs_number, whole_number
from bgcore.errors import NetError, TrainingError
from bgcore.mining import mined, rolled_out
from bgcore.net_weights import FAST, NetShape, check_weights, quantise_rolls, seed_key
from bgcore.nets import read_npz, save_net, shipped_net, writable_place, write_npz
from bgcore.owned_files import alone_at
from bgcore.recipes import Recipe, Stage
from bgcore.roll_training import train_rolls
from bgcore.variant_training import variant_self_play
from bgcore.variants.games import rules_to_dict

__all__ = ["Trainer", "train"]

#: Version of the checkpoint format.
CHECKPOINT_FORMAT = 1

# The roll net of a stage that rolls positions out: its hidden units and the games it learns from.
_ROLLS_HIDDEN, _ROLLS_GAMES, _ROLLS_CYCLE = 128, 10_000, 2_000
# purposes of random numbers, see `seed_key`; 1 and what is added to it are orders of samples
_MINED_ORDER, _MINED_DICE = 0x4D01, 0x4D02
# positions of a game whose dice are their own; self-play stores no more
_PLACES = 1024

Log = Callable[[dict[str, Any]], None]


@dataclass(frozen=True)
class _State:
    """How far a run has come: weights, Adam's moments and powers, games. Replaced as a whole.

    mean: the running mean of the weights; empty where the recipe asks for none.
    rolls: the roll net of a stage that rolls positions out; empty in others.
    """

    parameters: NDArray[np.float32]
    first: NDArray[np.float32]
    second: NDArray[np.float32]
    powers: NDArray[np.float64]
    mean: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    rolls: NDArray[np.float32] = field(default_factory=lambda: np.zeros(0, np.float32))
    games: int = 0

    def arrays(self) -> dict[str, NDArray[Any]]:
        names = ("parameters", "first", "second", "powers", "mean", "rolls")
        return {name: getattr(self, name) for name in names}

    def copy(self) -> "_State":
        arrays = {name: array.copy() for name, array in self.arrays().items()}
        return _State(**arrays, games=self.games)

    def grown(self, old: NetShape, new: NetShape, seed: int) -> "_State":
        return replace(
            self,
            parameters=old.grown(self.parameters, new, seed),
            first=old.grown(self.first, new, None),
            second=old.grown(self.second, new, None),
            mean=old.grown(self.mean, new, seed) if len(self.mean) else self.mean,
        )

    def revived(self, shape: NetShape, boards: NDArray[np.int8], seed: int) -> "_State":
        dead = shape.active(self.parameters, boards) == 0
        return replace(
            self,
            parameters=shape.renewed(self.parameters, dead, seed),
            first=shape.renewed(self.first, dead, None),
            second=shape.renewed(self.second, dead, None),
        )


def _extends(recipe: Recipe, other: object, games: int) -> bool:
    """Whether the first games of a recipe are those of another one, given as JSON."""
    own = json.loads(json.dumps(recipe.record()))
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


def _game(recipe: Recipe) -> dict[str, Any]:
    """Return what is played, as self-play takes it."""
    rules = recipe.variant
    if rules is None:
        return {}
    return {
        "layout": rules.initial().to_board().to_array(),
        "opening": rules.opening == "use",
        "most": {"triple": 3, "gammon": 2, "single": 1}[rules.payoff],
    }


def _mean(state: _State, average: float) -> NDArray[np.float32]:
    if not average:
        return np.zeros(0, np.float32)
    if not len(state.mean):
        return state.parameters.copy()
    weight = np.float32(average)
    mean: NDArray[np.float32] = weight * state.mean + (np.float32(1) - weight) * state.parameters
    return mean


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
        parameters = recipe.shape(0).initial(recipe.seed)
        zeros = np.zeros_like(parameters)
        self._state = _State(parameters, zeros, zeros.copy(), np.ones(2))

    @property
    def games(self) -> int:
        """Games played and learned from."""
        return self._state.games

    @property
    def shape(self) -> NetShape:
        """The shape of the net as it is now."""
        return self._shape_after(self.games)

    def _shape_after(self, games: int) -> NetShape:
        """A net grows with the first cycle of a stage."""
        return self.recipe.shape(self.recipe.stage_at(max(games - 1, 0))[0])

    @property
    def parameters(self) -> NDArray[np.float32]:
        """The float weights of the net, a (`shape.size`,) array."""
        return self._state.parameters

    @property
    def finished_parameters(self) -> NDArray[np.float32]:
        """The float weights to save: their running mean, if the recipe asks for one."""
        return self._state.mean if len(self._state.mean) else self._state.parameters

    def evaluator(self) -> Evaluator:
        """Return an evaluator with the present weights, as integers, and the bear-off tables."""
        return self._evaluator(self.shape, self.parameters)

    def _evaluator(
        self,
        shape: NetShape,
        parameters: NDArray[np.float32],
        first_choice: ValueNet | None = None,
    ) -> Evaluator:
        recipe = self.recipe
        # the tables know how backgammon is borne off
        known = tables() if recipe.variant is None or recipe.variant.is_layout else None
        net = shape.net(parameters)
        return Evaluator(net, known, first_choice, n_checkers=recipe.n_checkers)

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
        NetError
            If the weights are not finite or too large: the training has diverged.

        Notes
        -----
        An exception, such as that of ctrl-C, leaves the run as it was before the cycle.
        """
        if self.games >= self.recipe.games:
            raise TrainingError(f"all {self.recipe.games:,} games of the recipe are played")
        stage, rate = self.recipe.at(self.games)
        number, begin = self.recipe.stage_at(self.games)
        cycle = stage.games_per_cycle or self.recipe.games_per_cycle
        n = min(cycle, begin + stage.games - self.games)
        seed = self.recipe.seed
        shape = self.recipe.shape(number)
        new = self._state.copy()
        if shape != self.shape:
            new = new.grown(self.shape, shape, seed)
        first_choice = shipped_net("fast").value if stage.first_choice else None
        evaluator = self._evaluator(shape, new.parameters, first_choice)
        roll_net = shipped_net("fast").luck if stage.less_luck else None
        rules = self.recipe.variant
        cuts = [n * job // self.jobs for job in range(self.jobs + 1)]

        def play(job: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
            first, last = cuts[job], cuts[job + 1]
            if rules is not None and not rules.is_layout:
                return variant_self_play(
                    rules, evaluator, seed, self.games + first, last - first, stage.trace
                )
            return training.self_play(
                evaluator,
                *seed_key(seed),
                self.games + first,
                last - first,
                stage.trace,
                lookahead=stage.lookahead,
                roll_net=roll_net,
                explore=stage.explore,
                **_game(self.recipe),
            )

        if self.jobs == 1:
            parts = [play(0)]
        else:
            with ThreadPoolExecutor(self.jobs) as pool:
                parts = list(pool.map(play, range(self.jobs)))
        boards = np.concatenate([part[0] for part in parts])
        targets = np.concatenate([part[1] for part in parts])
        new = replace(new, rolls=self._rolls(stage, begin, evaluator))
        if stage.mined:
            self._roll_out(stage, evaluator, new.rolls, boards, targets)
        if stage.revive and self.games == begin:
            new = new.revived(shape, boards, seed)
        orders = [
            training.shuffled(*seed_key(seed, 1 + (turn << 32)), self.games, len(boards))
            for turn in range(stage.passes)
        ]
        error = shape.learn(
            new.parameters, new.first, new.second, new.powers, boards, targets,
            np.concatenate(orders), stage.batch, rate, rounded=stage.rounded,
        )  # fmt: skip
        check_weights(new.parameters, shape.size)
        self._state = replace(new, games=new.games + n, mean=_mean(new, stage.average))
        return {
            "games": self.games,
            "positions": len(boards),
            "rate": rate,
            "error": float(f"{error:.6g}"),
        }

    def _rolls(self, stage: Stage, begin: int, evaluator: Evaluator) -> NDArray[np.float32]:
        """Return the weights of the stage's roll net; it is trained with the first cycle."""
        if not stage.mined:
            return np.zeros(0, np.float32)
        if self.games > begin:
            return self._state.rolls
        return train_rolls(
            evaluator,
            seed=self.recipe.seed,
            games=_ROLLS_GAMES,
            games_per_cycle=_ROLLS_CYCLE,
            hidden=_ROLLS_HIDDEN,
        )

    def _roll_out(
        self,
        stage: Stage,
        evaluator: Evaluator,
        rolls: NDArray[np.float32],
        boards: NDArray[np.int8],
        targets: NDArray[np.float32],
    ) -> None:
        """Put values from rollouts into the targets of a cycle's mined positions."""
        seed, games = self.recipe.seed, self.games
        public = np.ascontiguousarray(boards[:, :26])
        values = evaluator.evaluate_fixed(public, after=True).astype(np.float64) * 2.0**-30
        order = training.shuffled(*seed_key(seed, _MINED_ORDER), games, len(boards))
        chosen = mined(public, values, targets.astype(np.float64), stage.mined, order)
        low, high = seed_key(seed, _MINED_DICE)
        targets[chosen] = rolled_out(
            evaluator,
            RollNet(*quantise_rolls(rolls, _ROLLS_HIDDEN).values()),
            public[chosen],
            low | high << 64,
            (games * _PLACES + np.arange(len(chosen))) * stage.trials,
            trials=stage.trials,
            plies=stage.plies,
            jobs=self.jobs,
        )

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
            "recipe": self.recipe.record(),
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
        games = whole_number(
            meta.get("games"), "the games of the checkpoint", 0, self.recipe.games, TrainingError
        )
        if not _extends(self.recipe, meta.get("recipe"), games):
            raise TrainingError(f"{path} belongs to another recipe; give the run a new checkpoint")
        for name in ("mean", "rolls"):
            arrays.setdefault(name, np.zeros(0, np.float32))
        size = self._shape_after(games).size
        last = self.recipe.at(max(games - 1, 0))[0]
        rolls = training.rolls_parameters(_ROLLS_HIDDEN) if games and last.mined else 0
        wanted = {
            "parameters": (size,), "first": (size,), "second": (size,), "powers": (2,),
            "mean": (size,) if arrays["mean"].size else (0,), "rolls": (rolls,),
        }  # fmt: skip
        if set(arrays) != set(wanted):
            raise TrainingError(f"{path} holds the arrays {sorted(arrays)}, not {sorted(wanted)}")
        for name, shape in wanted.items():
            array = arrays[name]
            dtype = np.float64 if name == "powers" else np.float32
            if array.shape != shape or array.dtype != dtype:
                raise TrainingError(f"{path}: {name} is {array.dtype} {array.shape}")
            if not np.isfinite(array).all():
                raise TrainingError(f"{path}: {name} holds values that are not finite")
        powers = arrays["powers"]
        if (powers < 0).any() or (powers > 1).any() or (arrays["second"] < 0).any():
            raise TrainingError(f"{path}: the moments of Adam are no means of gradients")
        self._state = _State(**arrays, games=games)

    def save_net(self, path: str | os.PathLike[str], **meta: Any) -> None:
        """Write the present value net as a file of nets (`bgcore.nets`).

        A strong net gets the shipped fast net for the first choice among the plays, and its roll
        net, if they know its number of checkers.
        """
        recipe = self.recipe
        full = {"games": self.games, "recipe": recipe.record(), **meta}
        if recipe.variant is not None:
            full["game"] = rules_to_dict(recipe.variant)
        arrays = self.shape.quantised(self.finished_parameters)
        if self.shape != FAST and recipe.n_checkers == 15:
            arrays |= shipped_net("fast").arrays
        save_net(path, arrays, full)


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
        If a setting makes no sense, the checkpoint is bad or of another recipe, or another run is
        writing it.
    NetError
        If the checkpoint cannot be written; this is tried before the first game. If the weights
        diverge; the checkpoint stays as it was.
    """
    trainer = Trainer(recipe, jobs=jobs)
    stop = recipe.games
    if games is not None:
        stop = whole_number(games, "games", 0, recipe.games, TrainingError)
    whole_number(save_every, "save_every", 1, 10**9, TrainingError)
    if log is not None and not callable(log):
        raise TrainingError(f"log must be callable, not {log!r}")
    with _alone_at(checkpoint):
        if checkpoint is not None and os.path.exists(checkpoint):
            trainer.load(checkpoint)
        try:
            _run(trainer, stop, checkpoint, save_every, log)
        except KeyboardInterrupt:
            if checkpoint is not None:
                _save(trainer, checkpoint)
            raise
    return trainer


@contextmanager
def _alone_at(checkpoint: str | os.PathLike[str] | None) -> Iterator[None]:
    """Keep a checkpoint for this run."""
    if checkpoint is None:
        yield
        return
    writable_place(checkpoint)
    with ExitStack() as stack:
        try:
            stack.enter_context(
                alone_at(checkpoint, TrainingError, "run", "give this run another checkpoint")
            )
        except OSError as error:
            raise NetError(f"cannot write {os.fspath(checkpoint)!r}: {error.strerror}") from error
        yield


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
