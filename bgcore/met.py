"""Match equity: the chance to win a match at a score.

`[i][j]` of a table is the chance of a player who needs i points against one who needs j; its first
row and column are the Crawford game. A table of its own holds the games after the Crawford game.

Beyond the size of a table its numbers are continued by a recursion: before the Crawford game each
side wins a game half the time, and it is worth 2, 4 or 8 points in 58, 38 and 4 of 100 games (that
reproduces the last ten rows and columns of Kazaross-XG2 within 0.0002); after it the trailer
doubles at once and 31 of 100 games are gammons, so `A[i] = (0.31 A[i-4] + 0.69 A[i-2]) / 2`; in the
Crawford game `C[i] = (0.31 A[i-2] + 0.69 A[i-1]) / 2`.
"""

import math
import os
import re
from collections.abc import Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any, Self
from xml.etree import ElementTree

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bgcore.errors import MatchEquityError

__all__ = ["MatchEquityTable", "default_met"]

#: Points of the longest match for which a table is continued.
MAX_NEEDS = 1_000

_GAME_POINTS = ((2, 0.58), (4, 0.38), (8, 0.04))
_GAMMON_RATE = 0.31
#: A table of 64 points, the longest match of GNU Backgammon, has about 60,000.
_MAX_BYTES = 1_000_000
#: Rounding moves chances by less.
_EQUAL = 1e-9


class MatchEquityTable:
    """A match equity table. Immutable.

    Parameters
    ----------
    before : (n, n) array_like of float
        Chances of player 0 who needs row + 1 points against player 1 who needs column + 1, up to
        the Crawford game.
    after : (m,) or (2, m) array_like of float
        After the Crawford game: chances of a player who needs 1, 2, ... points against one who
        needs 1; two rows if they are not the same for player 0 and player 1.
    name, description : str, optional

    Raises
    ------
    MatchEquityError
        Wrong shape, a number that is not from 0 to 1, or a player who needs more points than in
        another place and yet has the better chance.

    Examples
    --------
    >>> met = MatchEquityTable.kazaross_xg2()
    >>> met.chance(2, 3)
    0.59947
    >>> met.chance(2, 1, after_crawford=True)
    0.48803
    """

    def __init__(
        self, before: ArrayLike, after: ArrayLike, *, name: str = "", description: str = ""
    ) -> None:
        self.name = name
        self.description = description
        self._before = _chances(before, "before")
        rows = _chances(after, "after")
        self._after = np.stack([rows, rows]) if rows.ndim == 1 else rows
        n = len(self._before)
        if self._before.shape != (n, n) or n < 1:
            raise MatchEquityError(
                f"the table before Crawford is square, not of shape {self._before.shape}"
            )
        if self._after.ndim != 2 or self._after.shape[0] != 2 or self._after.shape[1] < 1:
            raise MatchEquityError(
                f"the table after Crawford has shape (m,) or (2, m), not {np.shape(after)}"
            )
        falls = [("before", self._before, 0), ("before", 1 - self._before, 1)]
        for what, chances, axis in [*falls, ("after", self._after, 1)]:
            rising = np.argwhere(np.diff(chances, axis=axis) > _EQUAL)
            if len(rising):
                row, column = (rising[0] + 1).tolist()
                raise MatchEquityError(
                    f"the table {what} Crawford rises where it must fall: a player has a better"
                    f" chance when he needs a point more (row {row}, column {column})"
                )
        self._before.flags.writeable = False
        self._after.flags.writeable = False
        self._grown_tables = self._before, self._after

    @property
    def before(self) -> NDArray[np.float64]:
        """The (n, n) table up to the Crawford game, read-only."""
        return self._before

    @property
    def after(self) -> NDArray[np.float64]:
        """The (2, m) table after the Crawford game, read-only."""
        return self._after

    @property
    def size(self) -> int:
        """Points up to which the table itself goes."""
        return len(self._before)

    @property
    def is_symmetric(self) -> bool:
        """Whether both players have the same chances in the same place."""
        mirrored = np.abs(self._before + self._before.T - 1).max() < 1e-5
        return bool(mirrored and np.array_equal(self._after[0], self._after[1]))

    def __repr__(self) -> str:
        return f"<MatchEquityTable {self.name or 'without a name'}, {self.size} points>"

    # -- chances --

    def chance(
        self, needs: int, opponent_needs: int, *, after_crawford: bool = False, player: int = 0
    ) -> float:
        """Return the chance of a player to win the match.

        Parameters
        ----------
        needs, opponent_needs : int
            Points to go; 0 or less has won the match.
        after_crawford : bool, default False
            Whether the Crawford game is over. Then one side needs 1 point.
        player : {0, 1}, default 0
            Whose chance it is, for tables that are not the same for both.

        Raises
        ------
        MatchEquityError
            No such score.
        """
        if player not in (0, 1):
            raise MatchEquityError(f"the player is 0 or 1, not {player!r}")
        for number in (needs, opponent_needs):
            is_whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
            if not is_whole or number > MAX_NEEDS:
                raise MatchEquityError(
                    f"points to go are a whole number up to {MAX_NEEDS}, not {number!r}"
                )
        if needs <= 0 and opponent_needs <= 0:
            raise MatchEquityError("both players have won the match")
        if needs <= 0:
            return 1.0
        if opponent_needs <= 0:
            return 0.0
        if after_crawford:
            return self._chance_after(int(needs), int(opponent_needs), player)
        before, _ = self._grown(max(needs, opponent_needs))
        if player == 0:
            return float(before[needs - 1, opponent_needs - 1])
        return float(1 - before[opponent_needs - 1, needs - 1])

    def _chance_after(self, needs: int, opponent_needs: int, player: int) -> float:
        if min(needs, opponent_needs) != 1:
            raise MatchEquityError(
                f"after the Crawford game one side needs 1 point, not {needs} and {opponent_needs}"
            )
        _, after = self._grown(max(needs, opponent_needs))
        if opponent_needs == 1:
            return float(after[player, needs - 1])
        return float(1 - after[1 - player, opponent_needs - 1])

    def _grown(self, n: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return both tables, continued to n points or more."""
        before, after = self._grown_tables
        if n > len(before) or n > after.shape[1]:
            before, after = _continued(self._before, self._after, min(2 * n, MAX_NEEDS))
            self._grown_tables = before, after
        return before, after

    # -- from files --

    @classmethod
    def kazaross_xg2(cls) -> Self:
        """Return the table of Neil Kazaross (2011), which is used where no other is given."""
        resource = files("bgcore").joinpath("mets", "kazaross_xg2.met")
        return cls._from_met(resource.read_text(encoding="utf-8"), "kazaross_xg2.met")

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Self:
        """Read a table from GNU Backgammon's XML or eXtreme Gammon's .met file.

        Raises
        ------
        MatchEquityError
            The file is neither, or its numbers are no match equity table.
        OSError
            The file cannot be read.
        """
        with open(path, "rb") as file:
            content = file.read(_MAX_BYTES + 1)
        name = os.path.basename(os.fspath(path))
        if len(content) > _MAX_BYTES:
            raise MatchEquityError(
                f"{name!r} is too large for a match equity table: more than {_MAX_BYTES:,} bytes"
            )
        if content.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"<"):
            return cls._from_xml(content, name)
        return cls._from_met(content.decode("latin-1"), name)

    @classmethod
    def _from_xml(cls, content: bytes, name: str) -> Self:
        try:
            root = ElementTree.fromstring(content)
        except (ElementTree.ParseError, ValueError, LookupError) as error:
            raise MatchEquityError(f"{name!r} is no XML: {error}") from None
        if root.tag != "met":
            raise MatchEquityError(f"{name!r} holds <{root.tag}>, not the <met> of GNU Backgammon")
        before = _xml_rows(root.find("pre-crawford-table"), name)
        after: dict[str, list[float]] = {}
        for table in root.findall("post-crawford-table"):
            after[table.get("player", "both")] = _xml_rows(table, name)[0]
        try:
            rows = [after["both"]] * 2 if "both" in after else [after["0"], after["1"]]
        except KeyError as error:
            raise MatchEquityError(
                f"{name!r} has no table after Crawford for player {error}"
            ) from None
        info = {key: root.findtext(f"info/{key}", "").strip() for key in ("name", "description")}
        return cls._of_rows(before, rows, name, **info)

    @classmethod
    def _from_met(cls, text: str, name: str) -> Self:
        sections: dict[str, dict[str, str]] = {}
        section: dict[str, str] = {}
        for line in text.removeprefix("\xef\xbb\xbf").splitlines():
            line = line.strip()
            if line.startswith("[") and line.endswith("]"):
                section = sections.setdefault(line[1:-1].strip().lower(), {})
            elif line and not line.startswith(";"):
                key, equals, value = line.partition("=")
                if not equals:
                    raise MatchEquityError(f"{name!r}: {line[:40]!r} is no line of a .met file")
                if section.setdefault(key.strip().lower(), value.strip()) != value.strip():
                    raise MatchEquityError(f"{name!r}: {key.strip()[:40]!r} is given twice")
        try:
            pre, post = sections["precrawford"], sections["postcrawford"]
            size = _size(pre["size"], name)
            before = [_numbers(pre[str(i)], name)[:size] for i in range(1, size + 1)]
            after = _numbers(post["data"], name)
        except KeyError as error:
            raise MatchEquityError(f"{name!r} is no .met file: {error} is missing") from None
        info = sections.get("current", {})
        return cls._of_rows(
            before,
            [after, after],
            name,
            name=info.get("name", ""),
            description=info.get("description", ""),
        )

    @classmethod
    def _of_rows(
        cls, before: list[list[float]], after: list[list[float]], file: str, **info: str
    ) -> Self:
        if len({len(row) for row in before} | {len(before)}) != 1 or len(after[0]) != len(after[1]):
            raise MatchEquityError(f"{file!r}: the rows of the table are not equally long")
        try:
            return cls(before, after, **info)
        except MatchEquityError as error:
            raise MatchEquityError(f"{file!r}: {error}") from None


@lru_cache(maxsize=1)
def default_met() -> MatchEquityTable:
    """Return the table that is used where no other is given: Kazaross-XG2."""
    return MatchEquityTable.kazaross_xg2()


def _chances(values: ArrayLike, what: str) -> NDArray[np.float64]:
    try:
        array = np.array(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise MatchEquityError(f"the table {what} Crawford is an array of numbers") from None
    if array.size == 0 or not ((array >= 0) & (array <= 1)).all():
        raise MatchEquityError(f"the table {what} Crawford has numbers that are not from 0 to 1")
    return array


def _xml_rows(table: Any, name: str) -> list[list[float]]:
    if table is None:
        raise MatchEquityError(f"{name!r} has no table before Crawford")
    kind = table.get("type", "explicit")
    rows = [
        [number for cell in row.findall("me") for number in _numbers(cell.text or "", name)]
        for row in table.findall("row")
    ]
    if kind != "explicit" or not rows:
        raise MatchEquityError(
            f"{name!r} gives the parameters of a table ({kind}), not its numbers; bgcore reads"
            " tables of numbers"
        )
    return rows


def _size(text: str, name: str) -> int:
    """Return the number of points of a table."""
    if not re.fullmatch(r"[0-9]{1,4}", text) or not 1 <= int(text) <= MAX_NEEDS:
        raise MatchEquityError(
            f"{name!r}: the size of a table is a number from 1 to {MAX_NEEDS}, not {text[:20]!r}"
        )
    return int(text)


def _numbers(text: str, name: str) -> list[float]:
    numbers = []
    for word in text.split():
        # some programs write the comma of their country
        word = word.replace(",", ".")
        if not re.fullmatch(r"[0-9]*\.?[0-9]+(?:[eE][-+]?[0-9]{1,3})?", word):
            raise MatchEquityError(f"{name!r}: {word[:20]!r} is no chance")
        numbers.append(float(word))
        if not math.isfinite(numbers[-1]):
            raise MatchEquityError(f"{name!r}: {word[:20]!r} is no chance")
    return numbers


def _continued(
    before: NDArray[np.float64], after: NDArray[np.float64], n: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return both tables for n points; see the top of the module."""
    grown_after = np.empty((2, max(n, after.shape[1])))
    grown_after[:, : after.shape[1]] = after
    for i in range(after.shape[1], grown_after.shape[1]):
        for row in grown_after:
            row[i] = _trailer(row, i - 4, i - 2)
    size = len(before)
    grown = np.empty((max(n, size), max(n, size)))
    grown[:size, :size] = before
    for total in range(size, len(grown)):
        # the row and the column of needs total + 1, from the side that is nearer to the end
        grown[total, 0] = _trailer(grown_after[0], total - 2, total - 1)
        grown[0, total] = 1 - _trailer(grown_after[1], total - 2, total - 1)
        for other in range(1, total + 1):
            grown[other, total] = _before(grown, other, total)
            grown[total, other] = _before(grown, total, other)
    return grown, grown_after


def _trailer(row: Sequence[float] | NDArray[np.float64], gammon: int, single: int) -> float:
    """Return the chance of who needs 1 point more than an index; a negative index has won."""
    won = [1.0 if index < 0 else float(row[index]) for index in (gammon, single)]
    return (_GAMMON_RATE * won[0] + (1 - _GAMMON_RATE) * won[1]) / 2


def _before(table: NDArray[np.float64], i: int, j: int) -> float:
    """Return the chance at indices i, j from those nearer to the end."""
    chance = 0.0
    for points, share in _GAME_POINTS:
        win = 1.0 if points > i else float(table[i - points, j])
        loss = 0.0 if points > j else float(table[i, j - points])
        chance += share * (win + loss) / 2
    return chance
