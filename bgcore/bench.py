"""How fast bgcore is on this machine, beside the limit of the machine and other engines.

`bgcore bench` and the files in bench/ run the loads of this module. What a load computes is
checked before it is timed: a faster wrong answer must fail.
"""

import itertools
import os
import platform
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib.util import find_spec
from typing import Any

import numpy as np

from bgcore import _core
from bgcore._core.dice import DiceStream
from bgcore._core.movegen import legal_boards_all_rolls
from bgcore._core.playout import random_games as core_random_games
from bgcore._core.workloads import generate_all_rolls, write_boards
from bgcore.adapters.gnubg_nn import gnubg_board
from bgcore.board import Board
from bgcore.corpus import CONTACT_PLAYS, contact_boards
from bgcore.errors import BgcoreError
from bgcore.evaluators import NetEvaluator
from bgcore.ids.position_id import boards_from_position_ids, position_ids
from bgcore.rollout import rollout
from bgcore.variants import VARIANTS, State

_ROLLS = [(large, small) for large in range(1, 7) for small in range(1, large + 1)]


@dataclass(frozen=True, slots=True)
class Load:
    """Something to time.

    Attributes
    ----------
    name : str
        Key of the result, `..._per_second`.
    unit : str
        What is counted.
    n : int
        How many of it one call does.
    call : callable
        Does the work and returns how many it did.
    """

    name: str
    unit: str
    n: int
    call: Callable[[], int]

    def check(self) -> None:
        """Run once and compare the count.

        Raises
        ------
        BgcoreError
            The call did not do `n`.
        """
        done = self.call()
        if done != self.n:
            raise BgcoreError(f"{self.name}: counted {done:,} {self.unit}, {self.n:,} are right")


# ---- the loads ----


def movegen_plays() -> Load:
    """Plays of the corpus with all 21 rolls, by the public batch call into a caller's array."""
    boards = contact_boards()
    out = np.empty((CONTACT_PLAYS + 4000, 26), dtype=np.int8)
    offsets = np.empty(21 * len(boards) + 1, dtype=np.int64)

    def call() -> int:
        return len(legal_boards_all_rolls(boards, out, offsets)[0])

    return Load("movegen_plays_per_second", "plays", CONTACT_PLAYS, call)


def movegen_core_plays() -> Load:
    """The same plays in the core's own form, as a rollout takes them."""
    boards = contact_boards()
    return Load(
        "movegen_core_plays_per_second",
        "plays",
        5 * CONTACT_PLAYS,
        lambda: generate_all_rolls(boards, 5),
    )


def variant_plays() -> Load:
    """The same plays by the generator of all games, counted and not copied."""
    boards = contact_boards()
    states = [State.from_board(Board(board)).cells for board in boards]
    array = np.frombuffer(b"".join(states), dtype=np.uint8).reshape(len(states), -1)
    kernel = VARIANTS["standard"].kernel
    return Load(
        "variant_plays_per_second",
        "plays",
        CONTACT_PLAYS,
        lambda: int(kernel.count_plays(array).sum()),
    )


def limit_plays() -> Load:
    """As many boards of 32 bytes written with five byte-edits each, and nothing else."""
    board = contact_boards()[0]
    mean = round(CONTACT_PLAYS / 21_000)
    n = 5 * CONTACT_PLAYS // mean * mean

    def call() -> int:
        write_boards(board, n, mean)
        return n

    return Load("limit_plays_per_second", "boards", n, call)


def gnubg_nn_plays() -> Load:
    """The same plays by gnubg-nn's `moves`, one call for a position and a roll."""
    import gnubg_nn

    boards = [gnubg_board(board) for board in contact_boards()[:300].tolist()]

    def call() -> int:
        return sum(len(gnubg_nn.moves(board, *roll)) for board in boards for roll in _ROLLS)

    return Load("gnubg_nn_plays_per_second", "plays", call(), call)


def _in_turn(n: int) -> Iterator[list[Any]]:
    """Give n boards of the corpus as gnubg-nn takes them, then n others, and so on.

    gnubg-nn remembers what it has evaluated, so no call may get the boards of the one before. Each
    gets boards from the whole of the corpus: the fastest call counts, and it must not be one with
    easy boards.
    """
    boards = [gnubg_board(board) for board in contact_boards().tolist()]
    parts = len(boards) // n
    return itertools.cycle([boards[i::parts] for i in range(parts)])


def gnubg_nn_evals() -> Load:
    """Evaluations of the corpus by gnubg-nn at 0-ply, one call for each."""
    import gnubg_nn

    boards = _in_turn(100)

    def call() -> int:
        return len([gnubg_nn.probabilities(board, 0) for board in next(boards)])

    return Load("gnubg_nn_evals_per_second", "evaluations", 100, call)


def gnubg_nn_decisions() -> Load:
    """Best plays of gnubg-nn at 0-ply, one call for a position and a roll."""
    import gnubg_nn

    boards = _in_turn(20)

    def call() -> int:
        return len(
            [gnubg_nn.best_move(board, *roll, 0) for board in next(boards) for roll in _ROLLS]
        )

    return Load("gnubg_nn_decisions_per_second", "decisions", 20 * len(_ROLLS), call)


def _evals(prefix: str, net: NetEvaluator) -> Load:
    boards = np.tile(contact_boards(), (10, 1))

    def call() -> int:
        return len(net.evaluate(boards))

    return Load(f"{prefix}evals_per_second", "evaluations", len(boards), call)


def evals() -> Load:
    """Evaluations of the corpus by the net that is used where none is named, one batch."""
    return _evals("", NetEvaluator())


def fast_evals() -> Load:
    """The same by the fast net."""
    return _evals("fast_", NetEvaluator("fast"))


def _decisions(prefix: str, net: NetEvaluator) -> Load:
    boards = np.repeat(contact_boards(), len(_ROLLS), axis=0)
    dice = np.tile(np.array(_ROLLS, dtype=np.uint8), (len(boards) // len(_ROLLS), 1))

    def call() -> int:
        return len(net.best_plays(boards, dice)[1])

    return Load(f"{prefix}decisions_per_second", "decisions", len(boards), call)


def decisions() -> Load:
    """Best plays of the same net at 0-ply, generation included: the corpus, all 21 rolls."""
    return _decisions("", NetEvaluator())


def fast_decisions() -> Load:
    """The same by the fast net."""
    return _decisions("fast_", NetEvaluator("fast"))


def random_games() -> Load:
    """Games of uniformly random plays from the opening to the end."""
    dice = DiceStream(0, stratified=False)
    board = Board.opening().to_array()
    n = 2000

    def call() -> int:
        _, results = core_random_games(dice, board, 0, n)
        return sum(results)

    return Load("random_games_per_second", "games", n, call)


def _rollout_games(prefix: str, net: NetEvaluator) -> Load:
    board = Board.opening()
    n = 1296

    def call() -> int:
        result = rollout(board, trials=n, jobs=1, evaluator=net)
        if result.interrupted:  # a rollout keeps what it has; no time can be taken from that
            raise KeyboardInterrupt
        return result.trials

    return Load(f"{prefix}rollout_games_per_second", "games", n, call)


def rollout_games() -> Load:
    """Trials of the opening position as `bgcore rollout` plays them, one job."""
    return _rollout_games("", NetEvaluator())


def fast_rollout_games() -> Load:
    """The same by the fast net."""
    return _rollout_games("fast_", NetEvaluator("fast"))


def position_ids_read() -> Load:
    """GNU position IDs of the corpus, a list of texts, to boards in one batch."""
    texts = position_ids(contact_boards()) * 20

    def call() -> int:
        return len(boards_from_position_ids(texts))

    return Load("position_ids_read_per_second", "position IDs", len(texts), call)


def gnubg_nn_position_ids() -> Load:
    """The same by gnubg-nn, one call for each."""
    import gnubg_nn

    texts = position_ids(contact_boards())

    def call() -> int:
        return len([gnubg_nn.board_from_position_id(text) for text in texts])

    return Load("gnubg_nn_position_ids_per_second", "position IDs", len(texts), call)


#: What `bgcore bench` times, in the order in which it prints.
LOADS: tuple[Callable[[], Load], ...] = (
    movegen_plays,
    movegen_core_plays,
    variant_plays,
    limit_plays,
    evals,
    fast_evals,
    decisions,
    fast_decisions,
    random_games,
    rollout_games,
    fast_rollout_games,
    position_ids_read,
)
#: The same by other engines: name of the module that must be installed, and the load.
PEER_LOADS: tuple[tuple[str, Callable[[], Load]], ...] = (
    ("gnubg_nn", gnubg_nn_plays),
    ("gnubg_nn", gnubg_nn_evals),
    ("gnubg_nn", gnubg_nn_decisions),
    ("gnubg_nn", gnubg_nn_position_ids),
)


# ---- timing ----


@dataclass(slots=True)
class BenchResult:
    """What one run of the benchmarks measured.

    Attributes
    ----------
    rates : dict of str to float
        Per second, the best of the repeats.
    machine : dict
        What it ran on.
    repeats : int
    """

    rates: dict[str, float]
    machine: dict[str, Any] = field(default_factory=dict)
    repeats: int = 0


def run_bench(
    *,
    repeats: int = 7,
    peers: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> BenchResult:
    """Time all loads on one thread.

    The loads take turns, `repeats` times, and each one's best time counts: what else runs on the
    machine only adds time, and turns spread it fairly. Time is the processor time of this
    process, on a quiet machine the same as the clock's.

    Parameters
    ----------
    repeats : int, default 7
    peers : bool, default True
        Also time other engines, where they are installed.
    progress : callable, optional
        Gets the number of timings done and of all.

    Returns
    -------
    BenchResult

    Raises
    ------
    BgcoreError
        A load counts something else than it should, or `repeats` is below 1.
    """
    if repeats < 1:
        raise BgcoreError(f"repeats is {repeats}; it must be at least 1")
    makers: list[Callable[[], Load]] = list(LOADS)
    if peers:
        makers += [make for module, make in PEER_LOADS if find_spec(module)]
    loads = [make() for make in makers]
    for load in loads:
        load.check()
    best = dict.fromkeys((load.name for load in loads), float("inf"))
    for turn in range(repeats):
        for i, load in enumerate(loads):
            start = time.process_time()
            load.call()
            best[load.name] = min(best[load.name], time.process_time() - start)
            if progress is not None:
                progress(turn * len(loads) + i + 1, repeats * len(loads))
    rates = {load.name: load.n / best[load.name] for load in loads}
    return BenchResult(_with_ratios(rates), _machine(), repeats)


def _with_ratios(rates: dict[str, float]) -> dict[str, float]:
    """Put the ratios of rates of the same run beside them."""
    limit = rates["limit_plays_per_second"]
    full = dict(rates)
    full["movegen_share_of_limit"] = rates["movegen_plays_per_second"] / limit
    full["movegen_core_share_of_limit"] = rates["movegen_core_plays_per_second"] / limit
    for name in ("plays", "evals", "decisions"):
        theirs = rates.get(f"gnubg_nn_{name}_per_second")
        if theirs is not None:
            prefix = "movegen_" if name == "plays" else ""
            full[f"{name}_times_gnubg_nn"] = rates[f"{prefix}{name}_per_second"] / theirs
    return full


def _machine() -> dict[str, Any]:
    return {
        "processor": _processor(),
        "cpus": os.cpu_count(),
        "cpu_level": _core.CPU_LEVEL,
        "system": platform.platform(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def _processor() -> str:
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            for line in file:
                if line.startswith("model name"):
                    return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()
