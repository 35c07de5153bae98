"""Games as columns of numbers: what thousands of games of an arena leave behind.

One row is one game. If the games were recorded, every roll, play and cube action stands behind
each other, and records as the game layer knows them can be made of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bgcore.actions import Action, Beaver, Double, Drop, MakePlay, Pass, Raccoon, Roll, Take
from bgcore.board import Board
from bgcore.errors import RecordError
from bgcore.game import GameRecord
from bgcore.game_state import GameState
from bgcore.match import series_document
from bgcore.notation import Plays
from bgcore.rules import Rules
from bgcore.scoring import GameResult, WinKind

__all__ = ["GameEvent", "GameTable", "documents"]


class GameEvent:
    """The numbers of what can happen in a game. A return is a beaver or a raccoon."""

    ROLL, PLAY, PASS, DOUBLE, TAKE, DROP, RETURN = range(7)


@dataclass(frozen=True, slots=True, eq=False)
class GameTable:
    """The games one by one, in the order of their matches.

    Attributes
    ----------
    series, games : (n,) int64 array
        Number of the match (or money game), and of the game in its match; both from 0.
    winners : (n,) int8 array
        0 the first player, 1 the second.
    kinds : (n,) int8 array
        1 single, 2 gammon, 3 backgammon, as the board shows it; 1 if a double was dropped.
    points : (n,) int64 array
        What the winner gets.
    cubes : (n,) int64 array
        The cube that counted: before the double if that was dropped.
    dropped : (n,) bool array
        Whether the game ended with a dropped double.
    plies : (n,) int64 array
        Turns, dances included.
    crawford : (n,) bool array
        The Crawford games.
    scores : (n, 2) int64 array
        Of both players in the match before the game.
    n_events : (n,) int64 array
        How many of `events` are this game's; 0 if games were not recorded.
    events : (e,) uint8 array
        What happened in all games one after the other, by the numbers of `GameEvent`.
    dice : (r, 2) uint8 array
        The rolls among the events.
    boards : (p, 26) int8 array
        After the plays among the events, seen by the mover.
    """

    series: NDArray[np.int64]
    games: NDArray[np.int64]
    winners: NDArray[np.int8]
    kinds: NDArray[np.int8]
    points: NDArray[np.int64]
    cubes: NDArray[np.int64]
    dropped: NDArray[np.bool_]
    plies: NDArray[np.int64]
    crawford: NDArray[np.bool_]
    scores: NDArray[np.int64]
    n_events: NDArray[np.int64]
    events: NDArray[np.uint8]
    dice: NDArray[np.uint8]
    boards: NDArray[np.int8]

    def __len__(self) -> int:
        return len(self.series)

    @classmethod
    def joined(cls, tables: Sequence["GameTable"]) -> Self:
        """Return the games of several tables, one after the other."""
        columns = {
            column.name: np.concatenate([getattr(table, column.name) for table in tables])
            for column in fields(cls)
        }
        return cls(**columns)

    def first(self, n: int) -> "GameTable":
        """Return the first n games."""
        n_events = int(self.n_events[:n].sum())
        events = self.events[:n_events]
        lengths = {
            "events": n_events,
            "dice": int((events == GameEvent.ROLL).sum()),
            "boards": int((events == GameEvent.PLAY).sum()),
        }
        return GameTable(
            **{
                column.name: getattr(self, column.name)[: lengths.get(column.name, n)]
                for column in fields(self)
            }
        )


@dataclass(slots=True)
class _Reader:
    """Reads the events of a table from the first game to the last."""

    table: GameTable
    rules: Rules
    length: int
    event: int = 0
    roll: int = 0
    play: int = 0

    def record(self, i: int, starter: int | None) -> GameRecord:
        """Return game i; the games before it were read."""
        first, second = self.table.scores[i].tolist()
        start = GameState.start(
            self.rules,
            length=self.length,
            scores=(first, second),
            is_crawford=bool(self.table.crawford[i]),
            starter=starter,
        )
        end = self.event + int(self.table.n_events[i])
        events = self.table.events[self.event : end].tolist()
        self.event = end
        return GameRecord(start, tuple(self._actions(events, start.board, starter)))

    def _actions(self, events: list[int], board: Board, starter: int | None) -> Iterator[Action]:
        """Give the actions of a game; the board follows them."""
        opens, dice, returns = starter is None, (0, 0), 0
        chain = 0
        for event in events:
            if event == GameEvent.ROLL:
                die1, die2 = self.table.dice[self.roll].tolist()
                dice = die1, die2
                self.roll += 1
                if opens and die1 != die2:
                    opens = False
                    board = board.swapped() if die2 > die1 else board
                yield Roll(dice)
            elif event == GameEvent.PLAY:
                after = self.table.boards[self.play]
                self.play += 1
                plays = Plays(board, dice, **self.rules.house)
                play = plays[int(np.flatnonzero((plays.boards == after).all(axis=1))[0])]
                yield MakePlay(play)
                board = Board(after, n_checkers=self.rules.n_checkers, check=False)
                if self._has_extra_turn(dice, len(play.steps), chain):
                    chain += 1
                else:
                    board, chain = board.swapped(), 0
            elif event == GameEvent.PASS:
                board, chain = board.swapped(), 0
                yield Pass()
            elif event == GameEvent.RETURN:
                yield Raccoon() if returns % 2 else Beaver()
                returns += 1
            else:
                returns = 0
                yield {
                    GameEvent.DOUBLE: Double(),
                    GameEvent.TAKE: Take(),
                    GameEvent.DROP: Drop(),
                }[event]

    def _has_extra_turn(self, dice: tuple[int, int], n_steps: int, chain: int) -> bool:
        rules = self.rules
        return (
            rules.extra_turn
            and dice[0] == dice[1]
            and chain < rules.max_chain
            and (n_steps == 4 or not rules.extra_turn_forfeit)
        )


def documents(
    table: GameTable, rules: Rules, length: int, names: Sequence[str]
) -> Iterator[dict[str, Any]]:
    """Make records of recorded games: for each match or money game what `Match.to_dict` makes.

    Parameters
    ----------
    table : GameTable
        With events.
    rules, length
        By which the games were played; length 0 is money.
    names : (str, str)

    Raises
    ------
    RecordError
        The games were not recorded.
    """
    if not table.n_events.all():
        raise RecordError("the games were not recorded: play them with record=True")
    reader = _Reader(table, rules, length)
    cuts = np.flatnonzero(np.diff(table.series)) + 1
    for rows in np.split(np.arange(len(table)), cuts):
        games: list[tuple[GameRecord, GameResult | None]] = []
        scores = [0, 0]
        for i in rows.tolist():
            by_winner = rules.next_opening == "winner" and bool(games)
            record = reader.record(i, int(table.winners[i - 1]) if by_winner else None)
            result = _result(table, i)
            games.append((record, result))
            scores = list(record.start.scores)
            scores[result.winner] += result.points
        if length:
            scores = [min(score, length) for score in scores]
        yield series_document(rules, length, names, games, scores)


def _result(table: GameTable, i: int) -> GameResult:
    return GameResult(
        winner=int(table.winners[i]),
        kind=WinKind(int(table.kinds[i])),
        points=int(table.points[i]),
        cube=int(table.cubes[i]),
        ending="dropped" if table.dropped[i] else "played",
    )
