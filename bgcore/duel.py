"""Duels: which of two players wins more points a game without a cube, or more games.

Every roll of both sides is measured for luck: the equity after its best play, less the mean of
that over all rolls, by our own net at 0-ply. The luck of a game has mean 0 whatever the net thinks,
so the points less the luck have the same mean and about a tenth of the variance. (Montgomery,
"Variance reduction", GammOnLine, 2000.)
"""

import os
import time
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from bgcore._core.board import values as finished_values
from bgcore.arena import rules_of_layout
from bgcore.checks import executor_of, flag, jobs_number, path_text, whole_number
from bgcore.dice import DiceStream
from bgcore.duel_totals import LUCK_UNIT, DuelTotals, GameResult, load_totals, save_totals
from bgcore.errors import EvaluatorError
from bgcore.evaluators import NetEvaluator, PipCountEvaluator, checkers_of, core_of
from bgcore.identity import identity_of
from bgcore.owned_files import alone_at
from bgcore.players import Player, Turns, identity_of_player, player
from bgcore.processes import process_pool
from bgcore.rules import Rules
from bgcore.variants import VariantRules
from bgcore.variants import variant as variant_of
from bgcore.variants.games import rules_to_dict
from bgcore.whole_files import check_place

__all__ = ["DuelResult", "duel"]

#: Games that are played side by side and handed to a process as one piece.
_CHUNK = 100

MAX_GAMES = 10**8
_MAX_PLIES = 5_000

# Saving takes a few milliseconds.
_SAVE_SECONDS = 10.0


@dataclass(frozen=True)
class DuelResult:
    """What a duel found.

    Attributes
    ----------
    games : int
        Games played.
    points_per_game, points_per_game_se : float
        Points that the first player wins a game, less luck, and the standard error; that is NaN
        after one game, or one pair of games with duplicate dice. In one-point matches a win is 1
        point and a loss -1, so that 0.02 are 51 % of the matches.
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
    one_point : bool
        Whether the games were one-point matches.
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
    one_point: bool = False


def _play_chunk(
    first: Player,
    second: Player,
    judge: NetEvaluator | PipCountEvaluator,
    seed: int,
    start: int,
    stop: int,
    duplicate: bool,
    one_point: bool,
    rules: Rules,
) -> list[GameResult]:
    """Play games start to stop - 1."""
    n = stop - start
    numbers = np.arange(start, stop, dtype=np.int64)
    # Seats change from game to game; with duplicate dice two games in turn share their rolls.
    seat = numbers % 2
    trials = numbers // 2 if duplicate else numbers
    dice = DiceStream(seed, stratified=False, opening=True)
    boards = np.repeat(rules.layout.to_array()[None], n, axis=0)
    points = np.zeros(n, np.int64)
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
                    rules=rules,
                    bits=dice.bits_at(numbers[moving], np.full(len(moving), ply)),
                    series=numbers[moving],
                    ply=ply,
                    needs=int(one_point),
                )
                after[rows] = chooser.choose_plays(turns, rolls[rows])
        for row, i in enumerate(alive.tolist()):
            histories[i].append((boards[i].copy(), rolls[row]))
        results = finished_values(after, n_checkers=rules.n_checkers)
        results = results.clip(-rules.multiplier(3), rules.multiplier(3))
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
        luck = judge.core.luck(before, rolled, opening=True, to_win=one_point)
        # Luck of the side on roll; the first player rolls on plies of his seat's parity.
        own = luck[int(seat[i]) :: 2].sum() - luck[1 - int(seat[i]) :: 2].sum()
        found.append((int(points[i]), round(float(own) / LUCK_UNIT), int(plies[i])))
    return found


def _in_order(
    pool: Executor, tasks: Iterator[tuple[Any, ...]], most: int
) -> Iterator[list[GameResult]]:
    """Play pieces in an executor, `most` of them at once, and give them in their order."""
    running: deque[Future[list[GameResult]]] = deque()
    try:
        for task in tasks:
            running.append(pool.submit(_play_chunk, *task))
            if len(running) == most:
                yield running.popleft().result()
        while running:
            yield running.popleft().result()
    finally:
        for future in running:
            future.cancel()


@contextmanager
def _alone_at(path: str) -> Iterator[None]:
    """Keep a file for this duel."""
    check_place(path)  # a device would have no end
    with alone_at(path, EvaluatorError, "duel", "choose another file"):
        yield


def duel(
    a: object,
    b: object,
    games: SupportsIndex,
    *,
    seed: SupportsIndex | np.random.SeedSequence = 0,
    jobs: SupportsIndex = 1,
    executor: Executor | None = None,
    duplicate: bool = False,
    one_point: bool = False,
    judge: NetEvaluator | PipCountEvaluator | None = None,
    progress: Callable[[int, int], None] | None = None,
    path: str | os.PathLike[str] | None = None,
    variant: VariantRules | str | None = None,
) -> DuelResult:
    """Let two players play money games without a cube, or one-point matches.

    The players take turns to open. Game g has plain dice from (seed, g). The result does not
    depend on the number of jobs, nor on how often a duel with a file was ended and gone on with.

    Parameters
    ----------
    a, b
        The first and the second player, see `bgcore.players.player`; only plays are asked for.
    games : int
        1 to 100,000,000; even with duplicate dice. With a file: of all runs together.
    seed : int or SeedSequence, default 0
        0 <= seed < 2**128.
    jobs : int, default 1
        Processes, 1 to 1,024. Each gets the players by pickle.
    executor : concurrent.futures.Executor, optional
        Plays the games instead of processes of its own; any object with `submit` will do, one that
        sends the work to a cluster too. `jobs` is then how many pieces it can play at once.
    duplicate : bool, default False
        Play each dice twice with changed seats. The standard errors are those of the pairs.
    one_point : bool, default False
        Every game is a match to one point: a win counts 1, and gammons count no more. Evaluators
        then choose plays, and luck is measured, by the win probability alone. (Two engines know
        less: bgsage does so at 0 plies, its look ahead is for money; pubeval has one way to play.)
    judge : NetEvaluator or PipCountEvaluator, optional
        Measures the luck; default the shipped net, or with fewer than 15 checkers the pip counts.
        Any judge that knows the number of checkers gives the right mean; a good one a small
        standard error.
    progress : callable, optional
        Gets the number of games done and of all, now and then.
    path : path, optional
        The file of the duel, written every ten seconds and at the end, whole or not at all. If it
        is there, the duel goes on from it, after the process was killed too, or to more games.
        Players are told apart by the numbers of their nets, engines by their versions, other
        objects by the names of their classes. If more games are in than asked for, all count.
    variant : VariantRules or str, optional
        Another layout of backgammon, such as "nackgammon".

    Returns
    -------
    DuelResult
        Seen by the first player.

    Raises
    ------
    EvaluatorError
        If a setting makes no sense, a player breaks the rules or knows another game, or the file
        is of another duel, or damaged, or another process is writing it.
    VariantError
        If there is no such game.
    DiceError
        If the seed is out of range.
    OSError
        If the file cannot be read or written.
    """
    n_games = whole_number(games, "games", 1, MAX_GAMES, EvaluatorError)
    place = None if path is None else path_text(path, "the file of a duel", EvaluatorError)
    n_jobs = jobs_number(jobs, EvaluatorError)
    number = DiceStream(seed).seed
    pairs = flag(duplicate, "duplicate", EvaluatorError)
    only_wins = flag(one_point, "one_point", EvaluatorError)
    own_pool = executor_of(executor, EvaluatorError)
    if pairs and n_games % 2:
        raise EvaluatorError(f"duplicate dice need an even number of games, not {n_games}")
    if progress is not None and not callable(progress):
        raise EvaluatorError(f"progress must be callable, not {progress!r}")
    game = variant if isinstance(variant, VariantRules) else variant_of(variant or "standard")
    rules = rules_of_layout(game)
    if rules is None:
        raise EvaluatorError(f"{game.name} is no layout of backgammon: play_match plays it")
    players = player(a), player(b)
    usual = NetEvaluator() if rules.n_checkers == 15 else PipCountEvaluator(rules.n_checkers)
    referee = usual if judge is None else judge
    if core_of(referee) is None:
        raise EvaluatorError(
            f"luck is measured by a NetEvaluator or a PipCountEvaluator, not by {referee!r}"
        )
    if checkers_of(referee) != rules.n_checkers:
        raise EvaluatorError(
            f"luck is measured with {rules.n_checkers} checkers a side: {referee!r} knows another"
            " number"
        )
    settings: dict[str, Any] = {}
    totals = DuelTotals()
    with ExitStack() as kept:
        if place is not None:
            settings = {
                "players": [identity_of_player(one) for one in players],
                "judge": identity_of(referee),
                "seed": number,
                "duplicate": pairs,
                "one_point": only_wins,
                **({} if variant is None else {"variant": rules_to_dict(game)}),
            }
            kept.enter_context(_alone_at(place))
            totals = load_totals(place, settings)
            # a place that cannot be written is refused at once
            save_totals(place, settings, totals)
        tasks = (
            (
                *players,
                referee,
                number,
                start,
                min(start + _CHUNK, n_games),
                pairs,
                only_wins,
                rules,
            )
            for start in range(totals.games, n_games, _CHUNK)
        )
        opened: Any = nullcontext(own_pool)
        if own_pool is None and n_jobs > 1 and totals.games < n_games:
            opened = process_pool(n_jobs, (players, referee), EvaluatorError)
        try:
            with opened as pool:
                parts = (
                    (_play_chunk(*task) for task in tasks)
                    if pool is None
                    else _in_order(pool, tasks, 4 * n_jobs)
                )
                saved = time.monotonic()
                for part in parts:
                    totals = totals.with_games(part, pairs=pairs, one_point=only_wins)
                    if place is not None and time.monotonic() - saved > _SAVE_SECONDS:
                        save_totals(place, settings, totals)
                        saved = time.monotonic()
                    if progress is not None:
                        progress(totals.games, n_games)
        finally:
            if place is not None:
                save_totals(place, settings, totals)
    mean, error = totals.adjusted_mean()
    raw, raw_error = totals.raw_mean()
    return DuelResult(
        games=totals.games,
        points_per_game=mean,
        points_per_game_se=error,
        raw_points_per_game=raw,
        raw_points_per_game_se=raw_error,
        wins=totals.wins,
        gammons=totals.gammons,
        backgammons=totals.backgammons,
        losses=totals.losses,
        gammons_lost=totals.gammons_lost,
        backgammons_lost=totals.backgammons_lost,
        plies=totals.plies,
        seed=number,
        one_point=only_wins,
    )
