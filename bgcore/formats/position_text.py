"""Analyses of positions as XG exports them: an XGID, who plays, the board as a picture, figures.

    XGID=-B-CBBB---a---A---ABcbbbd-:1:-1:1:21:3:6:0:7:10

    X:Anna   O:Ben
    Score is X:3 O:6 7 pt.(s) match.

What is in the XGID is read, and the names; the rest is the analysis, in one of many languages.
"""

import re

from bgcore.errors import BgcoreError
from bgcore.formats.problems import Report
from bgcore.formats.replay import names_of
from bgcore.match import Match, MoneySession
from bgcore.position import Position

__all__ = ["PositionText"]

# X is the player at the bottom
_NAMES = re.compile(r"\s*X\s*:\s*(.*?)(?:\s{2,}|\t\s*)O\s*:\s*(.*?)\s*$")
_XGID = re.compile(r"\s*XGID\s*=", re.IGNORECASE)


class PositionText:
    """One position and the lines after it.

    Parameters
    ----------
    text : str
        The line with the XGID.
    line : int
        Its number in the file.
    """

    def __init__(self, text: str, line: int) -> None:
        self._text = text
        self._line = line
        self._names = ("", "")
        self._has_more = False

    @staticmethod
    def begins(text: str) -> bool:
        """Tell whether a line is the first one of a position."""
        return _XGID.match(text) is not None

    def take(self, text: str) -> None:
        """Take one line of those that follow."""
        if (found := _NAMES.match(text)) and not any(self._names):
            self._names = found[1], found[2]
        elif text.strip():
            self._has_more = True

    def series(self, report: Report) -> Match | MoneySession | None:
        """Return a match or session with one game, which stands there; None if it cannot be."""
        try:
            state = Position.from_text(self._text.strip()).to_state()
        except BgcoreError as error:
            report.note("unread", f"the position cannot be: {error}", line=self._line)
            return None
        if self._has_more:
            report.note("lost", "the analysis is left out", line=self._line)
        kind = Match if state.length else MoneySession
        return kind.from_state(state, names=names_of(self._names, report))
