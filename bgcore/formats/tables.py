"""Matches as columns: one row for each thing that a player did, for data frames of any kind."""

from collections.abc import Iterable
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bgcore.formats.events import Event, events_of
from bgcore.game import Game
from bgcore.match import Match, MoneySession

__all__ = ["match_columns"]

Series = Match | MoneySession
Column = NDArray[Any] | list[str]

_NUMBERS: Final[dict[str, type[np.generic]]] = {
    "match": np.int64,
    "game": np.int64,
    "number": np.int64,
    "player": np.int8,
    "die1": np.int8,
    "die2": np.int8,
    "value": np.int64,
    "cube": np.int64,
    "cube_owner": np.int8,
    "length": np.int64,
    "score": np.int64,
    "opponent_score": np.int64,
    "crawford": np.bool_,
    "game_winner": np.int8,
    "game_points": np.int64,
}
_TEXTS: Final = ("name", "kind", "play", "position_id", "game_ending")


def match_columns(
    matches: Iterable[Series] | Series, *, boards: bool = False
) -> dict[str, NDArray[Any] | list[str]]:
    """Return what was done in matches as columns of equal length.

    The dict goes as it is into `pandas.DataFrame`, `polars.DataFrame` or `pyarrow.table`; none of
    them is imported. One row is one event: a roll with its play, or a word about the cube or a
    resignation.

    Parameters
    ----------
    matches : Match, MoneySession, or an iterable of them
        Such as `read_matches(...)`.
    boards : bool, default False
        Add the columns `board_0` to `board_25`, int8: the cells before the event, seen by the
        player on roll.

    Returns
    -------
    dict
        `match` (from 0), `game` and `number` (of the event in its game, from 1): int64. `player`:
        0 or 1, and his `name`. `kind`: "play", "rolled" (a roll that was not played), "irregular",
        "tie" (an opening roll of equal dice), "pass", "double", "beaver", "raccoon", "take",
        "drop", "resign", "accept", "refuse", "settle". `die1`, `die2`: 0 without a roll. `play`:
        in standard notation, else empty. `value`: what the cube would show, of a double, beaver or
        raccoon; the kind of a resignation (1, 2, 3); the points of a settlement; else 0. `cube` and
        `cube_owner` (-1 in the middle) before the event. `position_id`: of the board before it,
        seen by the player on roll. `length` (0: money), `score` and `opponent_score` (of the player
        before the game), `crawford`. `game_winner` (-1 while it goes on), `game_points`,
        `game_ending` ("played", "dropped", "resigned", "settled", or empty).

    Examples
    --------
    >>> session = MoneySession(dice=1, names=("Ann", "Bob"))
    >>> while session.game.stage.value == "opening":
    ...     state = session.game.roll()
    >>> state = session.game.play(session.game.legal_plays()[0])
    >>> columns = match_columns(session)
    >>> columns["kind"][-1], columns["die1"].dtype.name
    ('play', 'int8')
    """
    numbers: dict[str, list[int]] = {name: [] for name in _NUMBERS}
    texts: dict[str, list[str]] = {name: [] for name in _TEXTS}
    cells: list[list[int]] = []
    all_of_them = [matches] if isinstance(matches, (Match, MoneySession)) else matches
    for number, series in enumerate(all_of_them):
        for game_number, game in enumerate(series.games, start=1):
            ending = _about(game)
            for event_number, event in enumerate(events_of(game), start=1):
                before = event.before
                row = {
                    "match": number,
                    "game": game_number,
                    "number": event_number,
                    "player": event.player,
                    "die1": event.dice[0] if event.dice else 0,
                    "die2": event.dice[1] if event.dice else 0,
                    "value": event.value,
                    "cube": before.cube.value,
                    "cube_owner": -1 if before.cube.owner is None else before.cube.owner,
                    "length": before.length,
                    "score": before.scores[event.player],
                    "opponent_score": before.scores[1 - event.player],
                    "crawford": before.is_crawford,
                    "game_winner": ending[0],
                    "game_points": ending[1],
                }
                for name, value in row.items():
                    numbers[name].append(value)
                texts["name"].append(series.names[event.player])
                texts["kind"].append(event.kind)
                texts["play"].append(_play(event))
                texts["position_id"].append(before.board.position_id)
                texts["game_ending"].append(ending[2])
                if boards:
                    cells.append(before.board.to_list())
    columns: dict[str, Column] = {
        name: np.array(values, _NUMBERS[name]) for name, values in numbers.items()
    }
    columns.update(texts)
    if boards:
        array = np.array(cells, np.int8).reshape(-1, 26)
        columns.update((f"board_{i}", np.ascontiguousarray(array[:, i])) for i in range(26))
    return columns


def _about(game: Game) -> tuple[int, int, str]:
    result = game.result
    return (-1, 0, "") if result is None else (result.winner, result.points, result.ending)


def _play(event: Event) -> str:
    return "" if event.play is None else str(event.play)
