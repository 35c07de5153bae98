"""Two players play thousands of games: single games, money games or matches, with all rules.

Games are played side by side, one turn of all of them at a time, so that each player is asked
about many boards at once. The dice of match m (or money game m), roll number n of the match, are
``DiceStream(seed, stratified=False).roll(m, n)``; a tie of the opening roll is a roll. So the
games depend on the seed, the players and the rules, and neither on the number of jobs nor on
which games are played side by side.
"""

import json
import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future
from dataclasses import dataclass, fields
from typing import Any, Generic, Protocol, Self, SupportsIndex, TypeVar, overload

import numpy as np
from numpy.typing import NDArray

from bgcore._core.board import swap_boards, values
from bgcore._core.movegen import count_plays, legal_plays
from bgcore._core.variants import house_plays
from bgcore.checks import flag, jobs_number, whole_number
from bgcore.dice import DiceStream
from bgcore.errors import ArenaError, RulesError
from bgcore.game_state import MAX_LENGTH
from bgcore.game_table import GameEvent, GameTable, documents
from bgcore.players import DROP, TAKE, Player, Turns, legal_boards_of, player
from bgcore.processes import process_pool
from bgcore.rules import Rules
from bgcore.variant_nets import variant_player_of
from bgcore.variants import (
    VariantPlayer,
    VariantResults,
    VariantRules,
    VariantTable,
    order_of,
    play_series,
)
from bgcore.whole_files import whole_file

__all__ = ["MatchResults", "play_match"]

#: Matches that are played side by side and handed to a process as one piece.
_BLOCK = 1024
_SMALLEST_BLOCK = 32
MAX_GAMES = 10**8
#: A game does not take so many turns unless it cannot end.
_MOST_TURNS = 100_000

_NOBODY = -1
_ROLLS = [(large, small) for large in range(1, 7) for small in range(1, large + 1)]

# what random bits are for; answers to a double have 2, 3, 4 and so on
_FOR_PLAYS, _FOR_DOUBLES, _FOR_ANSWERS = 0, 1, 2


@dataclass(frozen=True, slots=True, eq=False)
class MatchResults:
    """What two players did to each other.

    Attributes
    ----------
    table : GameTable
        The games one by one.
    rules : Rules
    length : int
        Points of a match; 0 if there was none.
    seed : int
    names : (str, str)
        Of the first and the second player.
    seconds : float
        Time that it took.
    """

    table: GameTable
    rules: Rules
    length: int
    seed: int
    names: tuple[str, str]
    seconds: float

    @property
    def games(self) -> int:
        """Games played."""
        return len(self.table)

    @property
    def single(self) -> float:
        """Share of the games that ended single, those with a dropped double included."""
        return self._share(self.table.kinds == 1)

    @property
    def gammon(self) -> float:
        """Share of the games that ended with a gammon that was no backgammon."""
        return self._share(self.table.kinds == 2)

    @property
    def backgammon(self) -> float:
        """Share of the games that ended with a backgammon."""
        return self._share(self.table.kinds == 3)

    @property
    def dropped(self) -> float:
        """Share of the games that ended with a dropped double."""
        return self._share(self.table.dropped)

    def _share(self, which: NDArray[np.bool_]) -> float:
        return float(which.mean())

    @property
    def plies_per_game(self) -> float:
        """Mean number of turns; one without a legal play counts."""
        return float(self.table.plies.mean())

    @property
    def points(self) -> tuple[int, int]:
        """Points that each player won, as the games were worth: also beyond the end of a match."""
        won = self.table.points
        first = int(won[self.table.winners == 0].sum())
        return first, int(won.sum()) - first

    @property
    def wins(self) -> tuple[int, int]:
        """Games that each player won."""
        second = int(self.table.winners.sum())
        return self.games - second, second

    @property
    def matches(self) -> tuple[int, int]:
        """Matches that each player won; none in money play and single games."""
        if not self.length:
            return 0, 0
        last = np.append(np.diff(self.table.series) != 0, True)
        winners = self.table.winners[last]
        return int((winners == 0).sum()), int(winners.sum())

    @property
    def games_per_second(self) -> float:
        """Speed, over all jobs."""
        return self.games / self.seconds if self.seconds > 0 else 0.0

    def records(self) -> Iterator[dict[str, Any]]:
        """Give the record of each match or money game in its order, as `Match.to_dict` does.

        `bgcore.match.series_from_dict` plays such a record again and checks it.

        Raises
        ------
        RecordError
            The games were not recorded.
        """
        return documents(self.table, self.rules, self.length, self.names)

    def save_records(self, path: str | os.PathLike[str]) -> None:
        """Write the records as JSON Lines, one match or money game a line.

        Half a file never stays.

        Raises
        ------
        RecordError
            The games were not recorded.
        OSError
            The file cannot be written.
        """
        with whole_file(path) as file:
            for document in self.records():
                file.write(json.dumps(document).encode() + b"\n")

    def to_dict(self) -> dict[str, Any]:
        """Return the totals as values that JSON can hold."""
        return {
            "players": list(self.names),
            "length": self.length,
            "rules": self.rules.to_dict(),
            "seed": self.seed,
            "games": self.games,
            "single": self.single,
            "gammon": self.gammon,
            "backgammon": self.backgammon,
            "dropped": self.dropped,
            "plies_per_game": self.plies_per_game,
            "points": list(self.points),
            "wins": list(self.wins),
            "matches": list(self.matches),
            "games_per_second": self.games_per_second,
        }


# ---- games side by side ----


class _Lockstep:
    """Matches (or money games) that are played side by side, a turn of each at a time.

    All arrays have one entry for each match. Positions in them are called rows.
    """

    def __init__(
        self,
        players: tuple[Player, Player],
        rules: Rules,
        length: int,
        seed: int,
        numbers: range,
        record: bool,
    ) -> None:
        n = len(numbers)
        self.players = players
        self.rules = rules
        self.length = length
        self.stream = DiceStream(seed, stratified=False)
        self.record = record
        self.layout = rules.layout.to_array()
        self.layout_swapped = rules.layout.swapped().to_array()
        # of the match
        self.number = np.arange(numbers.start, numbers.stop, dtype=np.int64)
        self.rolls = np.zeros(n, np.int64)
        self.game = np.full(n, -1, np.int64)
        self.scores = np.zeros((n, 2), np.int64)
        self.crawford_played = np.zeros(n, np.bool_)
        # of the game
        self.boards = np.empty((n, 26), np.int8)  # seen by the player on roll
        self.on_roll = np.empty(n, np.int8)  # _NOBODY before the opening roll
        self.value = np.empty(n, np.int64)
        self.owner = np.empty(n, np.int8)  # _NOBODY: in the middle
        self.offer = np.zeros(n, np.int64)
        self.crawford = np.zeros(n, np.bool_)
        self.turns = np.empty(n, np.int64)
        self.rolled = np.empty((n, 2), np.int64)
        self.chain = np.empty(n, np.int64)
        self.auto_doubles = np.empty(n, np.int64)
        self.n_events = np.zeros(n, np.int64)
        # how many turns of every match are over: the same for all that still go on
        self.clock = 0
        self.going_on = np.ones(n, np.bool_)
        self._ended: list[tuple[NDArray[Any], ...]] = []
        self._events: list[tuple[int, NDArray[np.int64]]] = []
        self._dice: list[tuple[NDArray[np.int64], NDArray[np.uint8]]] = []
        self._plays: list[tuple[NDArray[np.int64], NDArray[np.int8]]] = []
        rows = np.arange(n)
        self._begin_games(rows, np.full(n, _NOBODY, np.int8))

    def run(self) -> GameTable:
        """Play everything to the end."""
        rows = np.arange(len(self.number))
        while len(rows):
            rows = self._turn(rows)
            self.clock += 1
        return self._table()

    def _turn(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Play one turn, or an opening roll of equal dice, of each match; return what goes on."""
        opens = self.on_roll[rows] == _NOBODY
        rolling = self._pass(self._cube(rows[~opens]))
        opening, rolling = np.sort(rows[opens]), np.sort(rolling)
        dice = self._roll(opening)
        starts = self._open(opening, dice)
        playing = np.concatenate((opening[starts], rolling))
        self._play(playing, np.concatenate((dice[starts], self._roll(rolling))))
        if int(self.turns[rows].max()) > _MOST_TURNS:
            raise ArenaError(f"a game did not end within {_MOST_TURNS:,} turns")
        return rows[self.going_on[rows]]

    # -- the cube --

    def _cube(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Double and answer; return the rows whose game goes on."""
        rows = np.sort(rows)
        if not self.rules.cube or not len(rows):
            return rows
        doubling = self._doubling(rows[self._may_double(rows)])
        if not len(doubling):
            return rows
        self._log(GameEvent.DOUBLE, doubling)
        self.offer[doubling] = 2 * self.value[doubling]
        dropped = np.zeros(len(self.number), np.bool_)
        asked, returns = doubling, 0
        while len(asked):
            on_roll = self.on_roll[asked]
            decider = on_roll if returns % 2 else 1 - on_roll
            answers = self._answers(asked, decider, returns)
            drops, takes = answers == DROP, answers == TAKE
            self._log(GameEvent.DROP, asked[drops])
            self._log(GameEvent.TAKE, asked[takes])
            self._log(GameEvent.RETURN, asked[answers > TAKE])
            taken = asked[takes]
            self.value[taken] = self.offer[taken]
            self.owner[taken] = 1 - self.on_roll[taken]
            stake = self.offer[asked[drops]] // 2  # before the double that is refused
            dropped[asked[drops]] = True
            self._end_games(asked[drops], 1 - decider[drops], stake, stake)
            asked = asked[answers > TAKE]
            self.offer[asked] *= 2
            returns += 1
        self.offer[doubling] = 0
        return rows[~dropped[rows]]

    def _may_double(self, rows: NDArray[np.int64]) -> NDArray[np.bool_]:
        rules, owner, value = self.rules, self.owner[rows], self.value[rows]
        may: NDArray[np.bool_] = (
            ~self.crawford[rows] & (self.turns[rows] > 0) & (self.chain[rows] == 0)
        )
        may &= ((owner == _NOBODY) | (owner == self.on_roll[rows])) & (value < rules.cube_limit)
        if rules.forbid_dead:
            may &= value < self.length - self.scores[rows, self.on_roll[rows]]
        if rules.holland:
            # this is not the Crawford game, so at one point from the match it comes after it
            is_post_crawford = self.scores[rows].max(axis=1) == self.length - 1
            may &= ~is_post_crawford | (self.rolled[rows].min(axis=1) >= 2)
        return may

    def _doubling(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Ask who may double; return the rows where it is done."""
        doubles = np.zeros(len(rows), np.bool_)
        for who, at in self._each_player(self.on_roll[rows]):
            turns = self._turns(rows[at], who, _FOR_DOUBLES)
            doubles[at] = self.players[who].choose_doubles(turns)
        return rows[doubles]

    def _answers(
        self, rows: NDArray[np.int64], decider: NDArray[np.int8], returns: int
    ) -> NDArray[np.int8]:
        rules = self.rules
        can_return = 2 * self.offer[rows] <= rules.cube_limit
        if returns >= rules.beavers:
            can_return[:] = False
        elif rules.beaver_doubles == "initial":
            can_return &= self.owner[rows] == _NOBODY
        answers = np.empty(len(rows), np.int8)
        for who, at in self._each_player(decider):
            turns = self._turns(rows[at], who, _FOR_ANSWERS + returns, returns)
            answers[at] = self.players[who].choose_answers(turns, can_return[at])
        return answers

    # -- dice and plays --

    def _pass(self, rows: NDArray[np.int64]) -> NDArray[np.int64]:
        """Pass the turns of those whom no roll lets move; return the others."""
        if not self.rules.skip_closed_out:
            return rows
        passing = rows[self._cannot_move(self.boards[rows])]
        self._log(GameEvent.PASS, passing)
        self.turns[passing] += 1
        self._next_turn(passing)
        return np.setdiff1d(rows, passing, assume_unique=True)

    def _cannot_move(self, boards: NDArray[np.int8]) -> NDArray[np.bool_]:
        """Tell on which boards no roll has a legal play."""
        if not self.rules.house:
            cannot: NDArray[np.bool_] = count_plays(boards).max(axis=1) == 0
            return cannot
        left = np.arange(len(boards))
        for roll in _ROLLS:
            dice = np.repeat(np.array([roll], np.uint8), len(left), axis=0)
            offsets = legal_boards_of(boards[left], dice, self.rules)[1]
            left = left[np.diff(offsets) == 0]
        found = np.zeros(len(boards), np.bool_)
        found[left] = True
        return found

    def _roll(self, rows: NDArray[np.int64]) -> NDArray[np.uint8]:
        dice = self.stream.rolls_at(self.number[rows], self.rolls[rows])
        self.rolls[rows] += 1
        self._log(GameEvent.ROLL, rows)
        if self.record:
            self._dice.append((rows, dice))
        return dice

    def _open(self, rows: NDArray[np.int64], dice: NDArray[np.uint8]) -> NDArray[np.bool_]:
        """Begin games by their opening rolls; tell which did not show equal dice."""
        starts: NDArray[np.bool_] = dice[:, 0] != dice[:, 1]
        second = dice[:, 1] > dice[:, 0]
        self.on_roll[rows[starts]] = second[starts]
        self.boards[rows[second]] = self.layout_swapped
        most = self.rules.auto_doubles
        ties = rows[~starts]
        turned = ties[self.value[ties] < self.rules.cube_limit]
        if most is not None:
            turned = turned[self.auto_doubles[turned] < most]
        self.value[turned] *= 2
        self.auto_doubles[turned] += 1
        return starts

    def _play(self, rows: NDArray[np.int64], dice: NDArray[np.uint8]) -> None:
        if not len(rows):
            return
        before = self.boards[rows]
        after = np.empty_like(before)
        for who, at in self._each_player(self.on_roll[rows]):
            turns = self._turns(rows[at], who, _FOR_PLAYS)
            after[at] = self.players[who].choose_plays(turns, dice[at])
        self._log(GameEvent.PLAY, rows)
        if self.record:
            self._plays.append((rows, after))
        self.boards[rows] = after
        self.turns[rows] += 1
        self.rolled[rows, self.on_roll[rows]] += 1
        kinds = values(after, n_checkers=self.rules.n_checkers)
        over = kinds != 0
        again = self._extra_turns(rows, before, dice) & ~over
        self.chain[rows[again]] += 1
        self._next_turn(rows[~over & ~again])
        if over.any():
            won = rows[over]
            self._end_games(won, self.on_roll[won], *self._worth(won, kinds[over]), kinds[over])

    def _extra_turns(
        self, rows: NDArray[np.int64], before: NDArray[np.int8], dice: NDArray[np.uint8]
    ) -> NDArray[np.bool_]:
        """Tell who has another turn by the house rule if his game is not over."""
        rules = self.rules
        if not rules.extra_turn:
            return np.zeros(len(rows), np.bool_)
        is_doublet = dice[:, 0] == dice[:, 1]
        again: NDArray[np.bool_] = is_doublet & (self.chain[rows] < rules.max_chain)
        if rules.extra_turn_forfeit:
            for row in np.flatnonzero(again).tolist():
                again[row] = _steps_of_doublet(before[row], int(dice[row, 0]), rules) == 4
        return again

    def _next_turn(self, rows: NDArray[np.int64]) -> None:
        self.boards[rows] = swap_boards(self.boards[rows])
        self.on_roll[rows] = 1 - self.on_roll[rows]
        self.chain[rows] = 0

    # -- games --

    def _begin_games(self, rows: NDArray[np.int64], starters: NDArray[np.int8]) -> None:
        self.game[rows] += 1
        self.boards[rows] = self.layout
        self.boards[rows[starters == 1]] = self.layout_swapped
        self.on_roll[rows] = starters
        self.value[rows] = 1
        self.owner[rows] = _NOBODY
        self.rolled[rows] = 0
        self.turns[rows] = self.chain[rows] = self.auto_doubles[rows] = self.n_events[rows] = 0
        if self.rules.crawford:
            scores = self.scores[rows]
            is_near = (scores.max(axis=1) == self.length - 1) & (
                scores.min(axis=1) < self.length - 1
            )
            self.crawford[rows] = is_near & ~self.crawford_played[rows]
            self.crawford_played[rows] |= self.crawford[rows]

    def _worth(
        self, rows: NDArray[np.int64], kinds: NDArray[np.int8]
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Points and cube of games that were played to the end."""
        rules, cube = self.rules, self.value[rows].copy()
        counted = np.minimum(kinds.astype(np.int64), rules.multiplier(3))
        if rules.jacoby:
            is_turned = self.owner[rows] != _NOBODY
            if rules.jacoby_auto_counts:
                is_turned |= cube > 1
            counted = np.where(is_turned, counted, 1)
        return counted * cube, cube

    def _end_games(
        self,
        rows: NDArray[np.int64],
        winners: NDArray[np.int8],
        points: NDArray[np.int64],
        cubes: NDArray[np.int64],
        kinds: NDArray[np.int8] | None = None,
    ) -> None:
        """Count games; begin the next ones of their matches. Without kinds: they were dropped."""
        if not len(rows):
            return
        dropped = np.full(len(rows), kinds is None)
        if kinds is None:
            kinds = np.ones(len(rows), np.int8)
        self._ended.append(
            (
                self.number[rows],
                self.game[rows],
                winners,
                kinds,
                points,
                cubes,
                dropped,
                self.turns[rows],
                self.crawford[rows],
                self.scores[rows],
                self.n_events[rows],
            )
        )
        if not self.length:
            self.going_on[rows] = False
            return
        # surplus points have no value
        self.scores[rows, winners] = np.minimum(self.scores[rows, winners] + points, self.length)
        is_last = self.scores[rows].max(axis=1) >= self.length
        self.going_on[rows[is_last]] = False
        by_winner = self.rules.next_opening == "winner"
        starters = winners if by_winner else np.full_like(winners, _NOBODY)
        self._begin_games(rows[~is_last], starters[~is_last])

    # -- what players see, and what is kept --

    def _each_player(self, players: NDArray[np.int8]) -> Iterator[tuple[int, NDArray[np.int64]]]:
        """Give each player who has to decide, and the places where."""
        for who in (0, 1):
            at = np.flatnonzero(players == who)
            if len(at):
                yield who, at

    def _turns(self, rows: NDArray[np.int64], who: int, purpose: int, returns: int = 0) -> Turns:
        owner = self.owner[rows]
        numbers = self.number[rows]
        needs = np.zeros((len(rows), 2), np.int64)
        if self.length:
            needs = self.length - self.scores[rows][:, [who, 1 - who]]
        return Turns(
            boards=self.boards[rows],
            cubes=self.value[rows],
            owners=np.where(owner == _NOBODY, 0, np.where(owner == who, 1, -1)).astype(np.int8),
            offers=self.offer[rows],
            returns=returns,
            needs=needs,
            is_crawford=self.crawford[rows],
            rules=self.rules,
            bits=self.stream.bits_at(numbers, np.full(len(rows), self.clock), purpose),
            series=numbers,
            games=self.game[rows],
            plies=self.turns[rows],
        )

    def _log(self, event: int, rows: NDArray[np.int64]) -> None:
        if self.record and len(rows):
            self._events.append((event, rows))
            self.n_events[rows] += 1

    def _table(self) -> GameTable:
        columns = [np.concatenate(column) for column in zip(*self._ended, strict=True)]
        order = np.lexsort((columns[1], columns[0]))
        events = dice = boards = None
        if self.record:
            kinds = [np.full(len(rows), event, np.uint8) for event, rows in self._events]
            events = _by_match([rows for _, rows in self._events], kinds)
            dice = _by_match(*map(list, zip(*self._dice, strict=True)))
            boards = _by_match(*map(list, zip(*self._plays, strict=True))) if self._plays else None
        names = [column.name for column in fields(GameTable)]
        games = {name: column[order] for name, column in zip(names, columns, strict=False)}
        return GameTable(
            **games,
            events=np.empty(0, np.uint8) if events is None else events,
            dice=np.empty((0, 2), np.uint8) if dice is None else dice,
            boards=np.empty((0, 26), np.int8) if boards is None else boards,
        )


def _by_match(rows: list[NDArray[np.int64]], parts: list[NDArray[Any]]) -> NDArray[Any]:
    """Put what was noted turn by turn in the order of the matches."""
    order = np.argsort(np.concatenate(rows), kind="stable")
    sorted_parts: NDArray[Any] = np.concatenate(parts)[order]
    return sorted_parts


def _steps_of_doublet(board: NDArray[np.int8], die: int, rules: Rules) -> int:
    """Return how many checkers a doublet moves."""
    if not rules.house:
        return int(legal_plays(board, die, die)[2])
    n_steps = house_plays(board, die, die, n_checkers=rules.n_checkers, **rules.house)[2]
    return int(n_steps.max(initial=0))


def _play_block(
    a: Player, b: Player, rules: Rules, length: int, seed: int, first: int, n: int, record: bool
) -> GameTable:
    """Play the matches first to first + n - 1."""
    return _Lockstep((a, b), rules, length, seed, range(first, first + n), record).run()


# ---- many blocks ----


class _Here(Executor):
    """Does the work at once, in this thread."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class _GamesOneByOne(Protocol):
    """Games as columns, in the order of their matches."""

    @property
    def series(self) -> NDArray[np.int64]: ...
    def __len__(self) -> int: ...
    def first(self, n: int, /) -> Self: ...


_TableT = TypeVar("_TableT", bound=_GamesOneByOne)


@dataclass(slots=True)
class _Plan(Generic[_TableT]):
    """How many matches, or games, are wanted."""

    play: Callable[[Executor, int, int], Future[_TableT]]
    joined: Callable[[Sequence[_TableT]], _TableT]
    games: int
    matches: int | None
    #: Games that a match has, as far as known.
    games_per_match: float
    jobs: int
    progress: Callable[[int, int], None] | None

    def run(self, players: object, executor: Executor | None) -> _TableT:
        """Play here, by an executor, or by processes of our own."""
        if executor is not None:
            table = self._run(executor)
        elif self.jobs == 1:
            table = self._run(_Here())
        else:
            with process_pool(self.jobs, players, ArenaError) as pool:
                table = self._run(pool)
        if self.matches is None:
            # the fewest first matches that have enough games
            last = np.flatnonzero(np.append(np.diff(table.series) != 0, True)) + 1
            table = table.first(int(last[np.searchsorted(last, self.games)]))
        return table

    def _run(self, pool: Executor) -> _TableT:
        """Play blocks of matches in the order of their numbers until there are enough."""
        tables: list[_TableT] = []
        running: deque[tuple[int, Future[_TableT]]] = deque()
        begun = finished = games = 0
        ahead = 1 if isinstance(pool, _Here) else 2 * self.jobs
        try:
            while True:
                while len(running) < ahead and (n := self._next(begun, finished, games)) > 0:
                    running.append((n, self.play(pool, begun, n)))
                    begun += n
                if not running:
                    return self.joined(tables)
                n, future = running.popleft()
                tables.append(future.result())
                finished += n
                games += len(tables[-1])
                self.games_per_match = games / finished
                self._report(finished, games)
        except BaseException:
            for _, future in running:
                future.cancel()
            raise

    def _next(self, begun: int, finished: int, games: int) -> int:
        """Return how many matches the next block has; 0: none, as far as can be seen now."""
        if self.matches is not None:
            missing, all_of_them = self.matches - begun, self.matches
        else:
            games_missing = self.games - games - (begun - finished) * self.games_per_match
            missing = int(-(-games_missing // self.games_per_match))
            all_of_them = int(self.games / self.games_per_match) + 1
            if missing <= 0 and begun == finished and games < self.games:
                missing = 1
        share = max(_SMALLEST_BLOCK, -(-all_of_them // (4 * self.jobs)))
        return max(0, min(missing, _BLOCK, share if self.jobs > 1 else _BLOCK))

    def _report(self, finished: int, games: int) -> None:
        if self.progress is None:
            return
        if self.matches is not None:
            self.progress(finished, self.matches)
        else:
            self.progress(min(games, self.games), self.games)


@overload
def play_match(
    a: object,
    b: object,
    *,
    variant: None = None,
    rules: Rules | None = None,
    length: SupportsIndex | None = None,
    money: bool = False,
    games: SupportsIndex = 1000,
    matches: SupportsIndex | None = None,
    seed: SupportsIndex | np.random.SeedSequence = 0,
    jobs: SupportsIndex = 1,
    executor: Executor | None = None,
    record: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> MatchResults: ...
@overload
def play_match(
    a: object,
    b: object,
    *,
    variant: VariantRules | str | Sequence[VariantRules | str],
    length: SupportsIndex | None = None,
    money: bool = False,
    games: SupportsIndex = 1000,
    matches: SupportsIndex | None = None,
    seed: SupportsIndex | np.random.SeedSequence = 0,
    jobs: SupportsIndex = 1,
    executor: Executor | None = None,
    record: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> MatchResults | VariantResults: ...
def play_match(
    a: object,
    b: object,
    *,
    variant: VariantRules | str | Sequence[VariantRules | str] | None = None,
    rules: Rules | None = None,
    length: SupportsIndex | None = None,
    money: bool = False,
    games: SupportsIndex = 1000,
    matches: SupportsIndex | None = None,
    seed: SupportsIndex | np.random.SeedSequence = 0,
    jobs: SupportsIndex = 1,
    executor: Executor | None = None,
    record: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> MatchResults | VariantResults:
    """Let two players play many games against each other.

    Without `length` and `money`: single games without a cube. With `money`: money games, each a
    session of its own. With `length`: whole matches, in the order of their numbers, until there
    are enough games.

    Parameters
    ----------
    a, b
        The first and the second player: a name, a file of nets, a `Player`, an evaluator or a
        policy; see `bgcore.players.player`.
    variant : VariantRules, str, or a sequence of them, optional
        Another game of this board, such as "plakoto", or several in turn, such as "tavli".
        Layouts of backgammon (Nackgammon, Hypergammon, LongGammon) are played as backgammon is,
        by the same players and with the cube. The other games have the players of
        `bgcore.variants`, files of nets that were trained for them, and no cube.
    rules : Rules, optional
        By default `Rules.casual()`, `Rules.money()` or `Rules.match()`; not with a variant.
    length : int, optional
        Points of a match, 1 to 99,999.
    money : bool, default False
        Play money games.
    games : int, default 1000
        How many, 1 to 100,000,000; of matches at least so many, so that the last is finished.
    matches : int, optional
        With `length`: how many matches, instead of a number of games.
    seed : int or SeedSequence, default 0
        0 <= seed < 2**128. The result depends on it, the players and the rules alone.
    jobs : int, default 1
        Processes, 1 to 1,024; each gets the players by pickle. With an executor: how many of its
        workers are kept busy.
    executor : concurrent.futures.Executor, optional
        Where the games are played, instead of processes of our own.
    record : bool, default False
        Keep every roll, play and cube action in the table of the results.
    progress : callable, optional
        Gets the number of games (or matches) done and of all, now and then.

    Returns
    -------
    MatchResults
        Or `bgcore.variants.VariantResults`, of a game that is no layout of backgammon.

    Raises
    ------
    ArenaError
        A setting makes no sense.
    RulesError
        The rules are not those of a match, or of games without one.
    VariantError
        There is no such game, or no such player of it.
    EvaluatorError
        There is no such player, or what it returned cannot be used; the message names it.
    DiceError
        The seed is out of range.

    Examples
    --------
    >>> results = play_match("pips", "random", games=100, seed=1)
    >>> results.games, results.points[0] > results.points[1]
    (100, True)
    >>> play_match("pips", "random", variant="tavli", length=5, matches=4).matches
    (4, 0)
    """
    points = None
    if length is not None:
        points = whole_number(length, "length", 1, MAX_LENGTH, ArenaError)
    n_games = whole_number(games, "games", 1, MAX_GAMES, ArenaError)
    n_matches = None
    if matches is not None:
        n_matches = whole_number(matches, "matches", 1, MAX_GAMES, ArenaError)
    n_jobs = jobs_number(jobs, ArenaError)
    number = DiceStream(seed).seed
    is_recorded = flag(record, "record", ArenaError)
    is_money = flag(money, "money", ArenaError)
    if variant is not None and rules is not None:
        raise ArenaError("a variant has its own rules: give variant or rules, not both")
    order = () if variant is None else order_of(variant)
    if len(order) == 1 and not isinstance(a, VariantPlayer) and not isinstance(b, VariantPlayer):
        rules = rules_of_layout(order[0], length=points, money=is_money)
    is_other_game = variant is not None and rules is None
    if not is_other_game:
        rules = _checked_rules(rules, points, is_money)
    elif is_money or is_recorded:
        raise ArenaError(
            f"{order[0].name} is played here in single games and in matches, without a cube and"
            " without records"
        )
    if progress is not None and not callable(progress):
        raise ArenaError(f"progress must be callable, not {progress!r}")
    if matches is not None and points is None:
        raise ArenaError("a number of matches needs their length")
    if executor is not None and not hasattr(executor, "submit"):
        raise ArenaError(f"an executor has a method submit; {executor!r} has not")
    amount = (
        n_games,
        n_games if points is None else n_matches,
        max(1.0, 0.5 * (points or 1)),
        n_jobs,
        progress,
    )
    names = _names(a, b)
    if rules is None:
        others = variant_player_of(a, order), variant_player_of(b, order)

        def play_others(pool: Executor, first: int, n: int) -> Future[VariantTable]:
            numbers = range(first, first + n)
            return pool.submit(play_series, order, others, points or 0, number, numbers)

        others_plan = _Plan(play_others, VariantTable.joined, *amount)
        games_played = others_plan.run(others, executor)
        return VariantResults(order, points or 0, names, number, games_played)
    players = player(a), player(b)
    settings = (*players, rules, points or 0, number)

    def play(pool: Executor, first: int, n: int) -> Future[GameTable]:
        return pool.submit(_play_block, *settings, first, n, is_recorded)

    began = time.perf_counter()
    table = _Plan(play, GameTable.joined, *amount).run(players, executor)
    seconds = time.perf_counter() - began
    return MatchResults(table, rules, points or 0, number, names, seconds)


def rules_of_layout(
    rules: VariantRules, *, length: int | None = None, money: bool = False
) -> Rules | None:
    """Return a layout of backgammon as rules of backgammon; None for other games.

    Parameters
    ----------
    rules : VariantRules
    length : int, optional
        Points of a match.
    money : bool, default False
        Money play: with the cube, the Jacoby rule and one beaver, as `Rules.money` has them.

    Raises
    ------
    ArenaError
        Money games are asked for, and the rules have no cube.
    """
    if not rules.is_layout or rules.opening != "use":
        return None
    if money and not rules.cube:
        raise ArenaError(f"{rules.name} has no cube by these rules: no money games")
    if length is not None:
        made = Rules.match() if rules.cube else Rules.match(crawford=False, cube=False)
    else:
        made = Rules.money() if money else Rules.casual()
    return made.replace(
        layout=rules.initial().to_board(),
        payoff={"triple": "full", "gammon": "gammon", "single": "single"}[rules.payoff],
        next_opening=rules.next_opening,
    )


def _checked_rules(rules: Rules | None, length: int | None, money: bool) -> Rules:
    if money and length is not None:
        raise ArenaError("money games belong to no match: give a length or money, not both")
    if rules is None:
        return Rules.money() if money else Rules.casual() if length is None else Rules.match()
    if not isinstance(rules, Rules):
        raise RulesError(f"rules are a bgcore.Rules, not {rules!r}")
    if rules.match_play and length is None:
        raise RulesError("rules of a match need its length")
    if not rules.match_play and length is not None:
        raise RulesError("a match needs rules of match play, such as Rules.match()")
    if rules.next_opening == "winner" and length is None:
        raise RulesError("each of these games stands alone: no winner of another one can begin")
    return rules


def _names(a: object, b: object) -> tuple[str, str]:
    """Return names of two players that are not the same."""
    first, second = (
        os.fspath(one) if isinstance(one, str | os.PathLike) else type(one).__name__
        for one in (a, b)
    )
    return (first, second) if first != second else (f"{first} (1)", f"{second} (2)")
