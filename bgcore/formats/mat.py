"""Match files in text: Jellyfish's `.mat`, as GNU Backgammon, XG and servers write it.

    ; [Event "Open"]
     7 point match

     Game 1
     Anna : 0                       Ben : 0
      1) 41: 13/9 24/23              53: 24/21 21/16*
      2)  Doubles => 2                Takes
     ...
          Wins 2 points

The left column is player 0's. There is no standard; what is known: the tags of XG (its author's
posting "Extra elements in a MAT file", bkgm.com/rgb, view 1486), and what programs write.

Read are: plays in any notation that `Plays.find` reads, one cell a line or two, any width of the
columns, `Cannot Move`, `(no move)` or nothing for a turn without a play, `????` for a roll that was
not played any more, `Beavers => 4` and `Raccoons => 8` (the take after them may be missing),
`Resigns`, `Wins 2 points and the match`, the line `; Set Pos=` that sets up a position, XG's texts
about single positions, line ends and encodings of all systems. Written are one step for each die,
25 for the bar and 0 for off, which every program reads.
"""

import codecs
import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import BinaryIO, Final

import numpy as np

from bgcore._core.transcript import Transcript, end_of_moves
from bgcore.board import Board
from bgcore.errors import BgcoreError
from bgcore.formats.events import Event, events_of
from bgcore.formats.position_text import PositionText
from bgcore.formats.problems import ProblemKind, Report
from bgcore.formats.replay import series_of
from bgcore.formats.rule_tags import RULE_TAGS, layout_of, read_rule_tags, rule_tags
from bgcore.formats.told import UNKNOWN_PLAY, SetUp, Told, ToldGame, ToldKind, ToldMatch
from bgcore.game import Game
from bgcore.game_state import GameState
from bgcore.ids.xgid import decode_xgid_board, encode_xgid_board
from bgcore.match import Match, MoneySession
from bgcore.rules import Rules
from bgcore.scoring import GameResult, WinKind, kind_cap

__all__ = ["read_mat", "write_mat"]

Series = Match | MoneySession

# A line is no longer than this, and a match no larger: what claims to be is not read into memory.
_LONGEST_LINE = 4096
_BLOCK = 1 << 18
_DIGITS = frozenset(b"0123456789")
# The end of a line on old systems; several before a newline belong to it.
_LONE_RETURN = re.compile(rb"\r(?!\r{0,2}\n)")
_MOST_GAMES = 100_000
_MOST_LINES_OF_A_GAME = 20_000
# A position is set up in one of the first lines of a game.
_HEAD = 10

_TAG = re.compile(r";\s*\[\s*([^\"\[\]]*?)\s*\"(.*)\"\s*\]\s*$")
_SET_UP = re.compile(r";\s*Set\s*Pos\s*=\s*(\S{26})(?:/(-?\d{1,2}))?\s*$", re.IGNORECASE)
_LENGTH = re.compile(
    r"\s*(?:(\d{1,6})\s*-?\s*points?\s+match|(unlimited\s+(?:game|match|session)|money\s+(?:game|session)))"
    r"[.:]?\s*$",
    re.IGNORECASE,
)
_GAME = re.compile(r"\s*Game\s+(\d{1,9})\b.*$", re.IGNORECASE)
_PLAYERS = re.compile(r"\s*(.*?)\s*:\s*(\d{1,9})(?:\s{2,}|\t\s*)(.*?)\s*:\s*(\d{1,9})\s*$")
_PLAYER_TAGS: Final = {"Player 1": 0, "Player 2": 1}
_NUMBER = re.compile(r"\s*(\d{1,9})[).]")
_CELL = re.compile(
    r"(?P<dice>\b[1-6]\s?[1-6])\s*:"
    r"|(?P<double>\bDoubles?)\s*(?:=>|to)?\s*(?P<to>\d{1,10})?"
    r"|(?P<beaver>\b(?:Beavers?|Raccoons?|Redoubles?))\s*(?:=>|to)?\s*(?P<back>\d{1,10})?"
    r"|(?P<take>\b(?:Takes?|Accepts?)\b)|(?P<drop>\b(?:Drops?|Passes|Rejects?|Declines?)\b)"
    r"|(?P<resign>\bResigns?\b)"
    r"|\bWins\s+(?P<points>\d{1,10})(?:[.,]0+)?(?:\s*points?)?(?:\s*and\s+the\s+match)?",
    re.IGNORECASE,
)
_WORDS: Final[tuple[ToldKind, ...]] = ("double", "beaver", "take", "drop")
_RETURN = re.compile(rb"(?:beaver|raccoon|redouble)s?", re.IGNORECASE)
_OTHER_ACTION = re.compile(rb"[a-z:]", re.IGNORECASE)
_BLANKS = re.compile(rb"(?:[ \t\r]*\n)*")
_NOTHING = re.compile(
    r"\(?\s*(?:cannot\s+move|can't\s+move|no\s+moves?|no\s+play|dance[sd]?)\s*\)?", re.IGNORECASE
)
_UNKNOWN = re.compile(r"\?+|\(?illegal.*|unknown.*", re.IGNORECASE)
# A cell alone in its line is one of the right column if it begins so far after the number.
_GAP = 8
_RIGHT = 20


def read_mat(file: BinaryIO, report: Report) -> Iterator[Series]:
    """Yield the matches of a file, one after the other, each read when it is asked for.

    Parameters
    ----------
    file : binary file
    report : Report

    Raises
    ------
    FileFormatError
        In strict mode, if something is wrong.
    """
    for told in _Reader(file, report).matches():
        if isinstance(told, ToldMatch):
            yield from series_of(told, report)
        elif (series := told.series(report)) is not None:
            yield series


def _batches(file: BinaryIO, report: Report) -> Iterator[bytes]:
    """Yield the lines of a file, many at once, each with its end, without byte-order marks.

    They are UTF-8 or one byte a letter.
    """
    block = file.read(_BLOCK)
    decode = None
    for mark, name in ((codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be")):
        if block.startswith(mark):
            block = block.removeprefix(mark)
            decode = codecs.getincrementaldecoder(name)(errors="replace").decode
    block = block.removeprefix(codecs.BOM_UTF8)
    rest = b""
    number = 0
    while block:
        text = _with_newlines(rest + (block if decode is None else decode(block).encode()))
        end = text.rfind(b"\n") + 1
        rest = text[end:]
        text = text[:end]
        if len(rest) > _LONGEST_LINE:
            lines = text.split(b"\n")
            for place, line in enumerate([*lines[:-1], rest], start=number + 1):
                if len(line) > _LONGEST_LINE:
                    report.note(
                        "unread", "the rest of a line that is too long is left out", line=place
                    )
            text = b"\n".join(line[:_LONGEST_LINE] for line in lines)
            rest = rest[:_LONGEST_LINE]
        number += text.count(b"\n")
        yield text
        block = file.read(_BLOCK)
    if rest:
        yield rest + b"\n"


def _with_newlines(text: bytes) -> bytes:
    """End lines that end in a carriage return alone as all others; what ends the text may go on."""
    if text.count(b"\r") == text.count(b"\r\n"):
        return text
    end = len(text) - text.endswith(b"\r")
    return _LONE_RETURN.sub(b"\n", text[:end]) + text[end:]


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        return line.decode("cp1252", errors="replace")


class _Reader:
    """Gathers the lines of one match after the other."""

    def __init__(self, file: BinaryIO, report: Report) -> None:
        self._file = file
        self._report = report
        self._number = 0
        self._tags: list[tuple[int, str]] = []
        self._match: ToldMatch | None = None
        self._game: _GameLines | None = None
        self._position: PositionText | None = None
        self._n_unknown = 0

    def matches(self) -> Iterator[ToldMatch | PositionText]:
        report = self._report
        for text in _batches(self._file, report):
            start = 0
            while start < len(text):
                if self._game is not None:
                    # nearly every line
                    end, n_lines = end_of_moves(text, start)
                    if n_lines:
                        self._number += n_lines
                        self._game.add(text[start : end - 1], n_lines)
                        start = end
                        continue
                end = text.index(b"\n", start)
                line = text[start:end]
                start = end + 1
                self._number += 1
                if (beginning := self._line(line)) is not None:
                    if (told := self._taken()) is not None:
                        yield told
                    self._begin(beginning)
        if (told := self._taken()) is not None:
            yield told
        if self._tags:
            report.note("unread", "there is no match after the tags", line=self._tags[0][0])
        if report.match == 0:
            report.note("unread", "there is no match in it", line=self._number)

    def _line(self, line: bytes) -> str | None:
        """Take one line; returns its text instead if it begins a match."""
        start = line.lstrip()
        game = self._game
        if not start:
            if game is not None:
                game.add(b"")
            return None
        if game is not None and (
            (start[0] in _DIGITS and b"match" not in start)
            or start.startswith(b"Wins ")
            or (not game.n_lines and b" : " in start and start[0] not in b";")
        ):
            # a move, the result, or the players and the score
            game.add(line)
            return None
        text = _text(line.rstrip())
        if self._position is None and (found := _GAME.match(text)):
            self._begin_game(int(found[1]))
        elif _LENGTH.match(text) or PositionText.begins(text):
            return text
        elif self._position is not None and not start.startswith(b";"):
            self._position.take(text)
        else:
            self._other(line, text, start[:1])
        return None

    def _begin(self, text: str) -> None:
        """Begin a match or a position with its first line."""
        self._report.match += 1
        found = _LENGTH.match(text)
        if found is None:
            self._position = PositionText(text, self._number)
            return
        self._match = ToldMatch(int(found[1]) if found[1] else 0)
        for number, tag in self._tags:
            self._read_tag(self._match, tag, number)
        self._tags.clear()

    def _taken(self) -> ToldMatch | PositionText | None:
        """Return what has come to its end."""
        if self._position is None:
            return self._take_match()
        position, self._position = self._position, None
        return position

    def _take_match(self) -> ToldMatch | None:
        self._end_game()
        told, self._match = self._match, None
        if self._n_unknown > 1:
            self._report.note("unread", f"{self._n_unknown - 1} more lines that say nothing known")
        self._n_unknown = 0
        if told is not None and self._report.match:
            read_rule_tags(told, self._report)
            if len(told.names) == 2 and not any(told.names):
                told.names = (told.info.get("Player 1", ""), told.info.get("Player 2", ""))
            self._match_names(told)
        return told

    @staticmethod
    def _match_names(told: ToldMatch) -> None:
        """Take the names as the tags have them where the line of the players had to change them."""
        names = list(told.names)
        for i, name in enumerate(told.names):
            tag = f"Player {i + 1}"
            text = told.info.get(tag)
            if text is None:
                continue
            if _written_name(text) == _written_name(name):
                names[i] = told.info.pop(tag)
            elif _written_name(text) == _written_name(_clean_text(name)):
                # the tag is what had to be changed
                del told.info[tag]
        told.names = names[0], names[1]

    def _end_game(self) -> None:
        if self._game is not None and self._match is not None:
            self._match.games.append(self._game.told(self._match, self._report))
        self._game = None

    def _other(self, line: bytes, text: str, first: bytes) -> None:
        report = self._report
        if first == b";":
            self._comment(line, text)
        elif self._game is not None:
            self._game.add(line)
        else:
            if not self._n_unknown:
                report.note(
                    "unread", f"it says nothing known: {text.strip()[:80]!r}", line=self._number
                )
            self._n_unknown += 1

    def _begin_game(self, number: int) -> None:
        self._end_game()
        if self._match is None:
            self._report.match += 1
            self._report.note(
                "unread", "a game without a match: taken as money play", line=self._number
            )
            self._match = ToldMatch(0)
        if len(self._match.games) >= _MOST_GAMES:
            if len(self._match.games) == _MOST_GAMES:
                self._report.note("lost", f"no more than {_MOST_GAMES} games", line=self._number)
            return
        # tags between games are about the match
        for line, tag in self._tags:
            self._read_tag(self._match, tag, line)
        self._tags.clear()
        self._game = _GameLines(number, self._number)

    def _comment(self, line: bytes, text: str) -> None:
        if _TAG.match(text.strip()):
            self._tags.append((self._number, text.strip()))
        elif self._game is not None and _SET_UP.match(text.strip()):
            self._game.add(line)
        elif text.strip("; \t"):
            self._report.note(
                "lost", f"a comment is left out: {text.strip('; ')[:200]!r}", line=self._number
            )
        if self._game is not None and not _SET_UP.match(text.strip()):
            self._game.add(b"")

    def _read_tag(self, match: ToldMatch, tag: str, line: int) -> None:
        found = _TAG.match(tag)
        if found is not None and found[1]:
            match.info[found[1]] = found[2]


class _GameLines:
    """The lines of one game."""

    def __init__(self, number: int, line: int) -> None:
        self.number = number
        self.line = line
        self.n_lines = 0
        self._parts: list[bytes] = []

    def add(self, text: bytes, n_lines: int = 1) -> None:
        """Take lines, without the end of the last one."""
        if self.n_lines <= _MOST_LINES_OF_A_GAME:
            self._parts.append(text)
        self.n_lines += n_lines

    def told(self, match: ToldMatch, report: Report) -> ToldGame:
        """Read what stands around the moves."""
        report.game = self.number
        text = b"\n".join(self._parts)
        if self.n_lines > _MOST_LINES_OF_A_GAME:
            report.note("lost", f"no more than {_MOST_LINES_OF_A_GAME} lines", line=self.line)
            text = b"\n".join(text.split(b"\n", _MOST_LINES_OF_A_GAME)[:_MOST_LINES_OF_A_GAME])
        begin = end_of_blanks.end() if (end_of_blanks := _BLANKS.match(text)) else 0
        first_line = self.line + 1 + text.count(b"\n", 0, begin)
        lines = text[begin:].split(b"\n", _HEAD)
        scores = None
        skip = 0
        if found := _PLAYERS.match(_text(lines[0].rstrip())):
            names = found[1], found[3]
            scores = int(found[2]), int(found[4])
            if not any(match.names):
                match.names = names
            elif names != match.names:
                report.note(
                    "score",
                    f"the players are {names[0]!r} and {names[1]!r}: taken as those of the"
                    f" match, {match.names[0]!r} and {match.names[1]!r}",
                    line=first_line,
                )
            skip = 1
        else:
            report.note("unread", "no line with the players and the score", line=self.line)
        told = ToldGame(self.number, self.line, scores, list)
        told.set_up = self._set_up(lines, first_line, match, report) if b";" in text else None
        text = b"\n".join(lines[skip:])
        scanner = _Cells(text, first_line + skip, self.number, report, told)
        told.read = scanner.actions
        if not match.length and (b"eaver" in text or b"EAVER" in text):
            match.returns = max(match.returns, _most_returns(text))
        told.quick = partial(_follow, text, told)
        report.game = 0
        return told

    def _set_up(
        self, lines: list[bytes], first_line: int, match: ToldMatch, report: Report
    ) -> SetUp | None:
        for i, line in enumerate(lines[:_HEAD]):
            if line.lstrip()[:1] != b";":
                continue
            lines[i] = b""
            found = _SET_UP.match(_text(line).strip())
            if found is None:
                continue
            try:
                cells = decode_xgid_board(found[1])
                board = Board(cells, n_checkers=_checkers(match))
            except BgcoreError as error:
                report.note(
                    "unread", f"the position set up cannot be: {error}", line=first_line + i
                )
                continue
            # how the owner is told is known from one program only: below 0 it is player 0
            power = int(found[2] or 0)
            owner = None if power == 0 else int(power > 0)
            return SetUp(board, cube=1 << min(abs(power), 30), owner=owner)
        return None


def _most_returns(text: bytes) -> int:
    """Return how many beavers and raccoons follow each other without another action."""
    most = row = 1
    for between in _RETURN.split(text)[1:-1]:
        row = 1 if _OTHER_ACTION.search(between) else row + 1
        most = max(most, row)
    return most


class _Here(threading.local):
    """What a thread has for itself."""

    def __init__(self) -> None:
        self.follow = Transcript().follow
        # the rules of the last game, since comparing rules takes time
        self.rules: Rules | None = None
        self.is_plain = False


_here = _Here()


def _follow(text: bytes, told: ToldGame, start: GameState) -> GameResult | None:
    """Follow a game in the core; None if anything is out of the ordinary."""
    rules = start.rules
    if rules is not _here.rules:
        _here.is_plain, _here.rules = _is_plain(rules), rules
    if not _here.is_plain:
        return None
    limit = 0 if start.is_crawford or not rules.cube else rules.cube_limit
    seen = _here.follow(text, rules.layout, limit, rules.beavers)
    if seen is None:
        return None
    over, winner, kind, value, owner, told_winner, points, on_roll, is_open, danced, cells = seen
    if told_winner < 0:
        return None
    told.winner, told.points = told_winner, points
    if over == 2:
        return GameResult(winner, WinKind.SINGLE, value, value, "dropped")
    held_back = rules.jacoby and owner < 0
    if over == 1:
        made = value * (1 if held_back else kind)
        return GameResult(winner, WinKind(kind), made, value, "played")
    # resigned: by the player on roll, for as much as he could still lose
    if is_open or on_roll != 1 - told_winner or (danced and told_winner == on_roll):
        return None
    if points not in (value, 2 * value, 3 * value):
        return None
    if points > value:
        # it matters to the Jacoby rule alone
        cube = start.cube
        if rules.jacoby:
            cube = replace(cube, value=value, owner=None if owner < 0 else owner)
        if points > value * kind_cap(Board(np.frombuffer(cells, np.int8)), cube, rules):
            return None
    return GameResult(told_winner, WinKind(points // value), points, value, "resigned")


def _is_plain(rules: Rules) -> bool:
    """Tell whether the core knows all that these rules say."""
    plain = Rules(
        layout=rules.layout,
        match_play=rules.match_play,
        cube=rules.cube,
        cube_limit=rules.cube_limit,
        jacoby=rules.jacoby,
        beavers=rules.beavers,
        crawford=rules.crawford,
    )
    return plain == rules and rules.n_checkers == 15


def _checkers(match: ToldMatch) -> int:
    layout = layout_of(match.info.get("Variation", ""))
    return 15 if layout is None else layout.n_checkers


class _Cells:
    """Reads the cells of a game's lines."""

    def __init__(
        self, text: bytes, first_line: int, number: int, report: Report, told: ToldGame
    ) -> None:
        self._text = text
        self._lines: list[bytes] = []
        self._first_line = first_line
        self._number = number
        self._report = report
        self._told = told

    def _result(self, result: tuple[int, int], i: int) -> None:
        self._told.winner, self._told.points = result
        self._told.end_line = self._first_line + i

    def actions(self) -> list[Told]:
        actions: list[Told] = []
        has_result = False
        self._lines = self._text.split(b"\n")
        for i in range(len(self._lines)):
            for cell in self._cells(i):
                if isinstance(cell, tuple):
                    if not has_result:
                        self._result(cell, i)
                    has_result = True
                elif has_result:
                    self._note("illegal", "the game is over before it", i, cell.move)
                else:
                    actions.append(cell)
        if not has_result and not self._told.end_line:
            self._told.end_line = self._first_line + max(0, len(self._lines) - 1)
        return actions

    def _note(self, kind: ProblemKind, text: str, i: int, move: int = 0) -> None:
        game, self._report.game = self._report.game, self._number
        self._report.note(kind, text, line=self._first_line + i, move=move)
        self._report.game = game

    def _cells(self, i: int) -> list[Told | tuple[int, int]]:
        """Return the actions of a line; a result is (winner, points)."""
        line = _text(self._lines[i].rstrip())
        if not line.strip():
            return []
        number = _NUMBER.match(line)
        begin = number.end() if number else 0
        move = int(number[1]) if number else 0
        found = list(_CELL.finditer(line, begin))
        if not found:
            if line[begin:].strip():
                self._note("unread", f"it says nothing known: {line.strip()[:80]!r}", i, move)
            return []
        actions: list[Told | tuple[int, int]] = []
        is_right = _is_right(line, begin, found[0].start(), number is not None)
        if stray := line[begin : found[0].start()].strip():
            self._note("unread", f"it says nothing known: {stray[:80]!r}", i, move)
        for place, cell in enumerate(found):
            end = found[place + 1].start() if place + 1 < len(found) else len(line)
            player = 1 if place or is_right else 0
            rest = line[cell.end() : end].strip()
            if cell["resign"]:
                self._told.resigned = True
                continue
            if cell["points"]:
                if place and not is_right and found[0]["points"]:
                    continue
                actions.append((player, int(cell["points"])))
                continue
            if place > 1:
                self._note("unread", f"a third cell in a line: {cell[0]!r}", i, move)
                continue
            told = self._told_cell(cell, rest, player, i, move)
            actions.append(told)
        return actions

    def _told_cell(self, cell: re.Match[str], rest: str, player: int, i: int, move: int) -> Told:
        kind: ToldKind = "play"
        for name in _WORDS:
            if cell[name]:
                kind = name
        line = self._first_line + i
        if kind != "play":
            if rest:
                self._note("unread", f"it says nothing known: {rest[:80]!r}", i, move)
            return Told(
                player, kind, value=int(cell["to"] or cell["back"] or 0), move=move, line=line
            )
        play = rest
        if _NOTHING.fullmatch(rest):
            play = ""
        elif _UNKNOWN.fullmatch(rest):
            play = UNKNOWN_PLAY
        dice = cell["dice"]
        return Told(player, "play", dice[0] + dice[-1], play, move=move, line=line)


def _is_right(line: str, begin: int, at: int, is_numbered: bool) -> bool:
    """Tell whether the first cell of a line stands in the right column."""
    gap = line[begin:at]
    if "\t" in gap:
        return gap.count("\t") > 1 or len(gap.expandtabs()) >= _RIGHT
    return len(gap) >= (_GAP if is_numbered else _RIGHT)


# ---- writing ----

#: Where the right column starts in what is written.
_RIGHT_COLUMN: Final = 34
_LEFT_WIDTH: Final = 28


def write_mat(file: BinaryIO, series: Series, report: Report, *, line_end: str = "\n") -> None:
    """Write a match or session after what stands in a file already.

    Parameters
    ----------
    file : binary file
    series : Match or MoneySession
    report : Report
        Takes what the format cannot hold.
    line_end : str, default newline

    Raises
    ------
    FileFormatError
        In strict mode, if something would be lost.
    """
    report.match += 1
    length = series.length if isinstance(series, Match) else 0
    lines = _head(series, report)
    lines += ["", f" {length} point match"]
    names = _written_names(series, report)
    total = len(series.games)
    for number, game in enumerate(series.games, start=1):
        report.game = number
        left, right = (
            f"{name} : {score}" for name, score in zip(names, game.start.scores, strict=True)
        )
        lines += ["", f" Game {number}", f" {left:<30}  {right}"]
        lines += _GameText(game, report, number == total and series.is_over).lines()
    report.game = 0
    lines.append("")
    file.write("".join(line + line_end for line in lines).encode())


def _head(series: Series, report: Report) -> list[str]:
    tags = {f"Player {i + 1}": name for i, name in enumerate(series.names)} | dict(series.info)
    told, lost = rule_tags(series.rules)
    for what in lost:
        report.note("lost", f"{what} cannot be written")
    lines = []
    about_rules = {tag.lower() for tag in RULE_TAGS}
    used: set[str] = set()
    for name, text in tags.items():
        clean_name = re.sub(r"[^\w .#/-]+", " ", name).strip()
        clean = _clean_text(text)
        number = _PLAYER_TAGS.get(name)
        if not clean_name or clean_name in used or clean_name.lower() in about_rules:
            report.note("lost", f"the entry {name!r} of the info cannot be written")
            continue
        if number is None or name in series.info:
            own_name = None if number is None else _written_name(series.names[number])
            if own_name is not None and _written_name(clean) == own_name:
                report.note("lost", f"the entry {name!r} of the info is taken for the name")
            elif (clean_name, clean) != (name, text):
                place = "" if clean_name == name else f" in {clean_name!r}"
                report.note(
                    "lost", f"the entry {name!r} of the info is written as {clean!r}{place}"
                )
        used.add(clean_name)
        lines.append(f'; [{clean_name} "{clean}"]')
    lines += [f'; [{name} "{text}"]' for name, text in told]
    return lines


def _clean_text(text: str) -> str:
    """Return what a tag can hold of a text."""
    clean = " ".join(re.sub(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\"]", " ", text).split())
    return clean[: _LONGEST_LINE // 8].strip()


def _written_name(name: str) -> str:
    """Return what the line of the players can hold of a name."""
    plain = re.sub(r"\s{2,}", " ", re.sub(r"\s*:", ".", name)).strip()
    # a line that begins with a semicolon is a comment
    return re.sub(r"^;+", ".", plain)[:200].strip() or "?"


def _written_names(series: Series, report: Report) -> tuple[str, str]:
    names = series.names
    written = []
    for number, name in enumerate(names, start=1):
        clean = _written_name(name)
        # the tag tells the name where the line cannot
        is_told = f"Player {number}" not in series.info and _clean_text(name) == name
        if clean != name and not is_told:
            report.note("lost", f"the name {name!r} is written as {clean!r}")
        written.append(clean)
    return written[0], written[1]


class _GameText:
    """Sets the events of a game in two columns."""

    def __init__(self, game: Game, report: Report, wins_match: bool) -> None:
        self._game = game
        self._report = report
        self._wins_match = wins_match
        self._rows: list[list[str]] = []

    def lines(self) -> list[str]:
        """Return the lines after that of the score."""
        start = self._game.start
        head = [self._set_up()] if start.turns else []
        if not start.turns and start.on_roll is not None:
            self._lost("that nobody rolled for the start")
        before = None
        events = list(events_of(self._game))
        for number, event in enumerate(events, start=1):
            self._event(event, before, events[number] if number < len(events) else None)
            before = event
        result = self._result()
        if result and self._is_won_right_after_left():
            # programs write it beside the last word of the loser
            self._rows[-1][1] = " " + result.pop().strip()
        rows = [
            f"{number:3d}) {left:<{_LEFT_WIDTH}} {right}".rstrip()
            for number, (left, right) in enumerate(self._rows, start=1)
        ]
        return [*head, *rows, *result]

    def _is_won_right_after_left(self) -> bool:
        result = self._game.result
        is_left_last = bool(self._rows) and self._rows[-1][0] != "" and self._rows[-1][1] == ""
        return result is not None and result.winner == 1 and is_left_last

    def _lost(self, text: str) -> None:
        self._report.note("lost", f"{text} cannot be written", move=len(self._rows))

    def _set_up(self) -> str:
        start = self._game.start
        board = start.board if start.on_roll == 0 else start.board.swapped()
        power = start.cube.log2
        if start.cube.is_centred and power:
            self._lost(f"that the cube shows {start.cube.value} in the middle")
            power = 0
        elif not start.cube.is_centred and not power:
            self._lost("who owns a cube that shows 1")
        if not self._game.actions and start.dice is None:
            self._lost("who is on roll, where nothing was done,")
        sign = "-" if power and start.cube.owner == 0 else ""
        return f"; Set Pos={encode_xgid_board(board)}/{sign}{power}"

    def _event(self, event: Event, before: Event | None, following: Event | None) -> None:
        if event.is_automatic:
            self._lost("that a policy acted for the player")
        if event.is_by_steps:
            self._lost("the order of the steps")
        kind, player = event.kind, event.player
        if kind in ("play", "irregular", "rolled"):
            self._turn(event)
        elif kind in ("double", "beaver", "raccoon"):
            word = {"double": "Doubles", "beaver": "Beavers", "raccoon": "Raccoons"}[kind]
            self._cell(player, f" {word} => {event.value}")
        elif kind == "take":
            # after a beaver programs leave the take out where the roll shows it
            is_shown = following is not None and following.kind in ("play", "irregular", "rolled")
            if before is None or before.kind == "double" or not is_shown:
                self._cell(player, " Takes")
        elif kind == "drop":
            self._cell(player, " Drops")
        elif kind == "tie":
            self._lost("an opening roll of equal dice")
        elif kind == "refuse":
            self._lost("a resignation that was refused")
        elif kind == "pass":
            self._lost("that a turn was passed without a roll")
        elif kind == "settle":
            self._lost("that the game was settled, not won by play,")

    def _turn(self, event: Event) -> None:
        dice = event.dice or (0, 0)
        steps = () if event.play is None else event.play.steps
        moves = " ".join(f"{start}/{to}{'*' if hit else ''}" for start, to, hit in steps)
        self._cell(event.player, f"{dice[0]}{dice[1]}: {moves}".rstrip())

    def _cell(self, player: int, text: str) -> None:
        if player == 0 or not self._rows or self._rows[-1][1]:
            self._rows.append(["", ""])
        self._rows[-1][player] = text

    def _result(self) -> list[str]:
        result = self._game.result
        if result is None:
            return []
        points = f"{result.points} point{'' if result.points == 1 else 's'}"
        end = " and the match" if self._wins_match else ""
        return [" " * (_RIGHT_COLUMN if result.winner else 6) + f"Wins {points}{end}"]
