"""Duels: which of two players wins more points a game, cubeless money.

Every roll of both sides is measured for luck: the equity after its best play, less the mean of
that over all rolls, by our own net at 0-ply. The luck of a game has mean 0 whatever the net thinks,
so the points less the luck have the same mean and about a tenth of the variance. (Montgomery,
"Variance reduction", GammOnLine, 2000.)
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from bgcore._core.board import values as finished_values
from bgcore.checks import flag, jobs_number, whole_number
from bgcore.dice import DiceStream
from bgcore.errors import EvaluatorError
from bgcore.evaluators import NetEvaluator, PipCountEvaluator, core_of
from bgcore.players import Player, Turns, player
from bgcore.processes import process_pool

__all__ = ["DuelResult", "duel"]

#: Games that are played side by side and handed to a process as one piece.
_CHUNK = 100

MAX_GAMES = 10**8
_MAX_PLIES = 5_000

_START = np.array(
    [0, -2, 0, 0, 0, 0, 5, 0, 3, 0, 0, 0, -5, 5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0], np.int8
)


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
        rolls = dice.rolls_at(trials[alive], np.full(len(alive), ply))
        after = boards[alive]
        for who, chooser in enumerate((first, second)):
            rows = np.flatnonzero((seat[alive] + ply) % 2 == who)
            if len(rows):
                moving = alive[rows]
                turns = Turns.plain(
                    boards[moving],
                    bits=dice.bits_at(numbers[moving], np.full(len(moving), ply)),
                    series=numbers[moving],
                    ply=ply,
                )
                after[rows] = chooser.choose_plays(turns, rolls[rows])
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
        The first and the second player, see `bgcore.players.player`; only plays are asked for.
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
        with process_pool(n_jobs, (players, referee), EvaluatorError) as pool:
            take(pool.map(_play_chunk, *zip(*tasks, strict=True)))
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
