"""Duels: which of two players wins more points a game, cubeless money.

Every roll of both sides is measured for luck: the equity after its best play, less the mean of
that over all rolls, by our own net at 0-ply. The luck of a game has mean 0 whatever the net thinks,
so the points less the luck have the same mean and about a tenth of the variance. (Montgomery,
"Variance reduction", GammOnLine, 2000.)
"""

import math
import os
import pickle
import signal
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Protocol, SupportsIndex, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bgcore._core.board import values as finished_values
from bgcore._core.movegen import legal_boards_batch
from bgcore.checks import flag, jobs_number, takes, whole_number
from bgcore.dice import DiceStream
from bgcore.errors import EvaluatorError
from bgcore.evaluators import Evaluator, NetEvaluator, PipCountEvaluator, core_of
from bgcore.policies import BestPlay, ask

__all__ = ["DuelResult", "EvaluatorPlayer", "Player", "RandomPlayer", "duel", "player"]

#: Games that are played side by side and handed to a process as one piece.
_CHUNK = 100

MAX_GAMES = 10**8
_MAX_PLIES = 5_000

_START = np.array(
    [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0], np.int8
)


@runtime_checkable
class Player(Protocol):
    """Anything that chooses plays."""

    def choose(
        self,
        boards: NDArray[np.int8],
        dice: NDArray[np.uint8],
        games: NDArray[np.int64],
        ply: int,
    ) -> NDArray[np.int8]:
        """Play each board's roll.

        Parameters
        ----------
        boards : (n, 26) int8 array
            Unfinished games; the side seen is on roll.
        dice : (n, 2) uint8 array
            The rolls.
        games : (n,) int64 array
            The numbers of the games, for players that draw at random.
        ply : int
            Turns played so far.

        Returns
        -------
        (n, 26) int8 array
            After a legal play, still seen by the mover; unchanged if no play is legal.
        """


class EvaluatorPlayer:
    """Plays for the largest cubeless equity by an evaluator, at 0-ply.

    Parameters
    ----------
    evaluator : Evaluator

    Raises
    ------
    EvaluatorError
        It is none.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator
        self._policy = BestPlay(evaluator)

    def __repr__(self) -> str:
        return f"EvaluatorPlayer({self.evaluator!r})"

    def choose(
        self,
        boards: NDArray[np.int8],
        dice: NDArray[np.uint8],
        games: NDArray[np.int64],
        ply: int,
    ) -> NDArray[np.int8]:
        """Play each board's roll; see `Player`.

        Raises
        ------
        EvaluatorError
            If the evaluator returns something that is no set of probabilities.
        """
        core = core_of(self.evaluator)
        if core is not None:
            return core.best_plays(boards, dice)[0]
        plays, offsets = legal_boards_batch(boards, dice)
        return _after(boards, plays, offsets, ask(self._policy, boards, plays, offsets))


class RandomPlayer:
    """Plays any of the distinct legal plays with equal probability.

    Parameters
    ----------
    seed : int, default 0
        0 <= seed < 2**128. The choice depends on (seed, game, ply).
    """

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed
        self._bits = DiceStream(seed, stratified=False)

    def __repr__(self) -> str:
        return f"RandomPlayer({self.seed})"

    def __reduce__(self) -> tuple[type["RandomPlayer"], tuple[int]]:
        return RandomPlayer, (self.seed,)

    def choose(
        self,
        boards: NDArray[np.int8],
        dice: NDArray[np.uint8],
        games: NDArray[np.int64],
        ply: int,
    ) -> NDArray[np.int8]:
        """Play each board's roll; see `Player`."""
        plays, offsets = legal_boards_batch(boards, dice)
        counts = np.diff(offsets)
        bits = [self._bits.bits(game, ply, 0) for game in games.tolist()]
        chosen = [b % n if n else -1 for b, n in zip(bits, counts.tolist(), strict=True)]
        return _after(boards, plays, offsets, np.array(chosen, np.int64))


def _after(
    boards: NDArray[np.int8],
    plays: NDArray[np.int8],
    offsets: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> NDArray[np.int8]:
    """Return the boards after the chosen plays; unchanged where there is none (-1)."""
    result = boards.copy()
    moves = chosen >= 0
    result[moves] = plays[(offsets[:-1] + chosen)[moves]]
    return result


def player(what: object) -> Player:
    """Make a player.

    Parameters
    ----------
    what : str, Player, Evaluator or path
        "net" (the shipped net), "gnubg-nn", "pips", "random"; a player; an evaluator; or the
        path of a file of nets.

    Returns
    -------
    Player

    Raises
    ------
    EvaluatorError
        If there is no such player.
    """
    if what == "net":
        return EvaluatorPlayer(NetEvaluator())
    if what == "pips":
        return EvaluatorPlayer(PipCountEvaluator())
    if what == "random":
        return RandomPlayer()
    if what == "gnubg-nn":
        from bgcore.adapters.gnubg_nn import GnubgNN

        return GnubgNN()
    if isinstance(what, str | os.PathLike):
        path = os.fspath(what)
        if not os.path.isfile(path):
            raise EvaluatorError(
                f"no player {path!r}: 'net', 'gnubg-nn', 'pips', 'random', or the file of a net"
            )
        evaluator = NetEvaluator(path)
        _ = evaluator.core  # a bad file is refused here
        return EvaluatorPlayer(evaluator)
    if takes(what, "choose", 4):
        return cast(Player, what)
    if takes(what, "evaluate", 1):
        return EvaluatorPlayer(cast(Evaluator, what))
    raise EvaluatorError(
        "a player has a method choose(boards, dice, games, ply) or evaluate(boards);"
        f" {what!r} has neither"
    )


def _turn(
    who: Player,
    boards: NDArray[np.int8],
    dice: NDArray[np.uint8],
    games: NDArray[np.int64],
    ply: int,
) -> NDArray[np.int8]:
    """Let a player play, and check that he keeps to the rules."""
    # copies: what a player does to its arguments is no play
    returned = who.choose(boards.copy(), dice.copy(), games.copy(), ply)
    name = type(who).__name__
    try:
        after = np.asarray(returned)
    except (TypeError, ValueError) as error:
        raise EvaluatorError(f"the player {name} returned no array: {error}") from None
    if after.shape != boards.shape or after.dtype.kind not in "iu":
        raise EvaluatorError(
            f"the player {name} returned {after.dtype} of shape {after.shape}; right are whole"
            f" numbers of shape {boards.shape}"
        )
    plays, offsets = legal_boards_batch(boards, dice)
    counts = np.diff(offsets)
    rows = np.repeat(np.arange(len(boards)), counts)
    legal = (counts == 0) & (after == boards).all(axis=1)
    legal[rows[(plays == after[rows]).all(axis=1)]] = True
    if not legal.all():
        where = int(np.flatnonzero(~legal)[0])
        roll = "-".join(map(str, dice[where].tolist()))
        raise EvaluatorError(
            f"the player {name} made an illegal play: {roll} from {boards[where].tolist()} to"
            f" {after[where].tolist()}"
        )
    return after.astype(np.int8)


@dataclass(frozen=True)
class DuelResult:
    """What a duel found.

    Attributes
    ----------
    games : int
        Games played.
    points_per_game, points_per_game_se : float
        Points that the first player wins a game, less luck, and the standard error; that is NaN
        after one game, or one pair of games with duplicate dice.
    raw_points_per_game, raw_points_per_game_se : float
        The same without taking the luck away.
    wins, gammons, backgammons : int
        Games that the first player won; among them gammons and backgammons; among those
        backgammons.
    losses, gammons_lost, backgammons_lost : int
        The same for the second player.
    plies : int
        Turns played in all games.
    seed : int
    """

    games: int
    points_per_game: float
    points_per_game_se: float
    raw_points_per_game: float
    raw_points_per_game_se: float
    wins: int
    gammons: int
    backgammons: int
    losses: int
    gammons_lost: int
    backgammons_lost: int
    plies: int
    seed: int


def _play_chunk(
    first: Player,
    second: Player,
    judge: NetEvaluator | PipCountEvaluator,
    seed: int,
    start: int,
    stop: int,
    duplicate: bool,
) -> list[tuple[float, float, int]]:
    """Play games start to stop - 1; for each: points of the first player, his luck, plies."""
    n = stop - start
    numbers = np.arange(start, stop, dtype=np.int64)
    # Seats change from game to game; with duplicate dice two games in turn share their rolls.
    seat = numbers % 2
    trials = numbers // 2 if duplicate else numbers
    dice = DiceStream(seed, stratified=False, opening=True)
    boards = np.repeat(_START[None], n, axis=0)
    points = np.zeros(n)
    plies = np.zeros(n, np.int64)
    histories: list[list[tuple[NDArray[np.int8], NDArray[np.uint8]]]] = [[] for _ in range(n)]
    alive = np.arange(n)
    for ply in range(_MAX_PLIES):
        rolls = np.array([dice.roll(trial, ply) for trial in trials[alive].tolist()], np.uint8)
        after = boards[alive]
        for who, chooser in enumerate((first, second)):
            rows = np.flatnonzero((seat[alive] + ply) % 2 == who)
            if len(rows):
                moving = alive[rows]
                after[rows] = _turn(chooser, boards[moving], rolls[rows], numbers[moving], ply)
        for row, i in enumerate(alive.tolist()):
            histories[i].append((boards[i].copy(), rolls[row]))
        results = finished_values(after)
        over = results != 0
        sign = np.where((seat[alive] + ply) % 2 == 0, 1, -1)
        points[alive[over]] = (results * sign)[over]
        plies[alive] = ply + 1
        boards[alive] = -after[:, ::-1]
        alive = alive[~over]
        if not len(alive):
            break
    else:
        raise EvaluatorError(f"a game did not end within {_MAX_PLIES} turns")
    found = []
    for i in range(n):
        before = np.array([board for board, _ in histories[i]], np.int8)
        rolled = np.array([roll for _, roll in histories[i]], np.uint8)
        luck = judge.core.luck(before, rolled, opening=True)
        # Luck of the side on roll; the first player rolls on plies of his seat's parity.
        own = luck[int(seat[i]) :: 2].sum() - luck[1 - int(seat[i]) :: 2].sum()
        found.append((float(points[i]), float(own), int(plies[i])))
    return found


@contextmanager
def _held_back_ctrl_c() -> Iterator[None]:
    """Let Ctrl-C wait; processes that are started meanwhile never get it, not even at first."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _se(values: NDArray[np.float64]) -> float:
    n = len(values)
    return float(values.std(ddof=1) / math.sqrt(n)) if n > 1 else math.nan


def duel(
    a: object,
    b: object,
    games: SupportsIndex,
    *,
    seed: SupportsIndex | np.random.SeedSequence = 0,
    jobs: SupportsIndex = 1,
    duplicate: bool = False,
    judge: NetEvaluator | PipCountEvaluator | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> DuelResult:
    """Let two players play money games without a cube and compare their points.

    The players take turns to open. Game g has plain dice from (seed, g). The result does not
    depend on the number of jobs.

    Parameters
    ----------
    a, b
        The first and the second player, see `player`.
    games : int
        1 to 100,000,000; even with duplicate dice.
    seed : int or SeedSequence, default 0
        0 <= seed < 2**128.
    jobs : int, default 1
        Processes, 1 to 1,024. Each gets the players by pickle.
    duplicate : bool, default False
        Play each dice twice with changed seats. The standard errors are those of the pairs.
    judge : NetEvaluator or PipCountEvaluator, optional
        Measures the luck; default the shipped net. Any judge gives the right mean; a good one a
        small standard error.
    progress : callable, optional
        Gets the number of games done and of all, now and then.

    Returns
    -------
    DuelResult
        Seen by the first player.

    Raises
    ------
    EvaluatorError
        If a setting makes no sense, or a player breaks the rules.
    DiceError
        If the seed is out of range.
    """
    n_games = whole_number(games, "games", 1, MAX_GAMES, EvaluatorError)
    n_jobs = jobs_number(jobs, EvaluatorError)
    number = DiceStream(seed).seed
    pairs = flag(duplicate, "duplicate", EvaluatorError)
    if pairs and n_games % 2:
        raise EvaluatorError(f"duplicate dice need an even number of games, not {n_games}")
    if progress is not None and not callable(progress):
        raise EvaluatorError(f"progress must be callable, not {progress!r}")
    players = player(a), player(b)
    referee = NetEvaluator() if judge is None else judge
    if core_of(referee) is None:
        raise EvaluatorError(
            f"luck is measured by a NetEvaluator or a PipCountEvaluator, not by {referee!r}"
        )
    if n_jobs > 1:
        try:
            pickle.dumps((players, referee))
        except Exception as error:
            raise EvaluatorError(f"players of several jobs must be picklable: {error}") from error
    tasks = [
        (*players, referee, number, start, min(start + _CHUNK, n_games), pairs)
        for start in range(0, n_games, _CHUNK)
    ]
    parts: list[list[tuple[float, float, int]]] = []

    def take(found: Iterable[list[tuple[float, float, int]]]) -> None:
        for part in found:
            parts.append(part)
            if progress is not None:
                progress(min(len(parts) * _CHUNK, n_games), n_games)

    if n_jobs == 1:
        take(_play_chunk(*task) for task in tasks)
    else:
        with ProcessPoolExecutor(
            # a shell sends Ctrl-C to all processes: this one answers for them
            n_jobs,
            mp_context=get_context("spawn"),
            initializer=signal.signal,
            initargs=(signal.SIGINT, signal.SIG_IGN),
        ) as pool:
            try:
                with _held_back_ctrl_c():
                    found = pool.map(_play_chunk, *zip(*tasks, strict=True))
                take(found)
            except BrokenProcessPool:
                raise EvaluatorError(
                    "a process of the duel was ended from outside, perhaps for want of memory;"
                    " fewer jobs need less"
                ) from None
            except BaseException:
                # without the chunks that nobody has begun
                pool.shutdown(cancel_futures=True)
                raise
    table = np.array([game for part in parts for game in part], np.float64)
    points, luck, plies = table.T
    raw, adjusted = points, points - luck
    if pairs:
        raw, adjusted = raw.reshape(-1, 2).mean(axis=1), adjusted.reshape(-1, 2).mean(axis=1)
    return DuelResult(
        games=n_games,
        points_per_game=float(adjusted.mean()),
        points_per_game_se=_se(adjusted),
        raw_points_per_game=float(raw.mean()),
        raw_points_per_game_se=_se(raw),
        wins=int((points > 0).sum()),
        gammons=int((points > 1).sum()),
        backgammons=int((points > 2).sum()),
        losses=int((points < 0).sum()),
        gammons_lost=int((points < -1).sum()),
        backgammons_lost=int((points < -2).sum()),
        plies=int(plies.sum()),
        seed=number,
    )
