"""Duels: which of two players wins more points a game, cubeless money.

Every roll of both sides is measured for luck: the equity after its best play, less the mean of
that over all rolls, by our own net at 0-ply. The luck of a game has mean 0 whatever the net thinks,
so the points less the luck have the same mean and about a tenth of the variance. (Montgomery,
"Variance reduction", GammOnLine, 2000.)
"""

import math
import operator
import os
import signal
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bgcore._core.board import values as finished_values
from bgcore._core.movegen import legal_boards_batch
from bgcore.dice import DiceStream
from bgcore.errors import EvaluatorError
from bgcore.evaluators import (
    Evaluator,
    NetEvaluator,
    PipCountEvaluator,
    checked_probabilities,
    equity_cubeless,
)

__all__ = ["DuelResult", "EvaluatorPlayer", "Player", "RandomPlayer", "duel", "player"]

#: Games that are played side by side and handed to a process as one piece.
_CHUNK = 100

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
    """

    def __init__(self, evaluator: Evaluator) -> None:
        self.evaluator = evaluator

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
        if isinstance(self.evaluator, NetEvaluator | PipCountEvaluator):
            return self.evaluator.best_plays(boards, dice)[0]
        plays, offsets = legal_boards_batch(boards, dice)
        own, opponent = (plays > 0).any(axis=1), (plays < 0).any(axis=1)
        equities = _finished_points(plays)
        open_ = own & opponent
        if open_.any():
            before = np.ascontiguousarray(-plays[open_][:, ::-1])
            values = checked_probabilities(self.evaluator.evaluate(before), len(before))
            equities[open_] = -equity_cubeless(values)
        result = boards.copy()
        for row in range(len(boards)):
            first, last = int(offsets[row]), int(offsets[row + 1])
            if first < last:
                result[row] = plays[first + int(np.argmax(equities[first:last]))]
        return result


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
        result = boards.copy()
        for row in range(len(boards)):
            first, last = int(offsets[row]), int(offsets[row + 1])
            if first < last:
                bits = self._bits.bits(int(games[row]), ply, 0)
                result[row] = plays[first + bits % (last - first)]
        return result


def player(what: object) -> Player:
    """Make a player.

    Parameters
    ----------
    what : str, Player, Evaluator or path
        "net" (the shipped net), "gnubg-nn", "pipcount", "random"; a player; an evaluator; or the
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
    if what == "pipcount":
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
                f"no player {path!r}: 'net', 'gnubg-nn', 'pipcount', 'random', or the file of a net"
            )
        evaluator = NetEvaluator(path)
        _ = evaluator.core  # a bad file is refused here
        return EvaluatorPlayer(evaluator)
    if isinstance(what, Player):
        return what
    if isinstance(what, Evaluator):
        return EvaluatorPlayer(what)
    raise EvaluatorError(f"{type(what).__name__} neither chooses plays nor evaluates boards")


def _finished_points(boards: NDArray[np.int8]) -> NDArray[np.float64]:
    """Points of the side seen where a game is over, else 0."""
    return finished_values(boards).astype(np.float64)


@dataclass(frozen=True)
class DuelResult:
    """What a duel found.

    Attributes
    ----------
    games : int
        Games played.
    points_per_game, points_per_game_se : float
        Points that the first player wins a game, less luck, and the standard error.
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
                after[rows] = chooser.choose(
                    np.ascontiguousarray(boards[alive[rows]]),
                    rolls[rows],
                    numbers[alive[rows]],
                    ply,
                )
        for row, i in enumerate(alive.tolist()):
            histories[i].append((boards[i].copy(), rolls[row]))
        results = _finished_points(after)
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


def _se(values: NDArray[np.float64]) -> float:
    n = len(values)
    return float(values.std(ddof=1) / math.sqrt(n)) if n > 1 else math.inf


def duel(
    a: object,
    b: object,
    games: int,
    *,
    seed: int = 0,
    jobs: int = 1,
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
        > 0; even with duplicate dice.
    seed : int, default 0
        0 <= seed < 2**128.
    jobs : int, default 1
        Processes.
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
        If a setting makes no sense, or a player does.
    """
    try:
        games, jobs, seed = operator.index(games), operator.index(jobs), operator.index(seed)
    except TypeError:
        raise EvaluatorError("games, jobs and seed must be whole numbers") from None
    if not 1 <= games <= 10**8 or not 1 <= jobs <= 1024:
        raise EvaluatorError(f"{games} games with {jobs} jobs cannot be played")
    if duplicate and games % 2:
        raise EvaluatorError(f"duplicate dice need an even number of games, not {games}")
    players = player(a), player(b)
    referee = NetEvaluator() if judge is None else judge
    starts = range(0, games, _CHUNK)
    tasks = [
        (*players, referee, seed, start, min(start + _CHUNK, games), duplicate) for start in starts
    ]
    parts: list[list[tuple[float, float, int]]] = []

    def take(found: Iterable[list[tuple[float, float, int]]]) -> None:
        for part in found:
            parts.append(part)
            if progress is not None:
                progress(min(len(parts) * _CHUNK, games), games)

    if jobs == 1:
        take(_play_chunk(*task) for task in tasks)
    else:
        with ProcessPoolExecutor(
            # a shell sends Ctrl-C to all processes: this one answers for them
            jobs,
            mp_context=get_context("spawn"),
            initializer=signal.signal,
            initargs=(signal.SIGINT, signal.SIG_IGN),
        ) as pool:
            try:
                take(pool.map(_play_chunk, *zip(*tasks, strict=True)))
            except BaseException:
                # without the chunks that nobody has begun
                pool.shutdown(cancel_futures=True)
                raise
    table = np.array([game for part in parts for game in part], np.float64)
    points, luck, plies = table.T
    raw, adjusted = points, points - luck
    if duplicate:
        raw, adjusted = raw.reshape(-1, 2).mean(axis=1), adjusted.reshape(-1, 2).mean(axis=1)
    return DuelResult(
        games=games,
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
        seed=seed,
    )
