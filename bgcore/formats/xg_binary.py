"""XG's own files, `.xg` (matches) and `.xgp` (positions): read only.

The format is published by its author (extremegammon.com/XGformat.aspx, "can be freely
redistributed"): a header of 8,232 bytes that begins with RGMH, a picture, and an archive of files
packed with zlib, of which `temp.xg` holds records of 2,560 bytes. Little-endian throughout.

What is read of a record, by its kind in byte 8 (places from its begin):

    0 match   names 9, 50; length 92 (99999: money); variation 96; Crawford, Jacoby, beavers 100-102;
              ratings 104, 112; date 128; event 136; place 283; round 417; version 552; limit of the
              cube as a power of 2 612 (from version 8); from version 24 texts in UTF-16 at 622 (event), 880, 1138 (names), 1396 (place), 1654 (round)
    1 game    scores 12, 16; Crawford game 20; position at the start 21; number 48; automatic
              doubles 64 (from version 26)
    2 cube    player 12; doubled 16; answer 20 (0 drop, 1 take, 2 beaver); answers to it 24, 28;
              cube 32 (a power of 2, negative if player 2 owns it); position 36
    3 play    position before 9 and after 35; player 64; dice 100, 104; cube 108; what was
              considered: how many 188, positions 192, moves 1024
    4 end     winner 24; points 28; how 32 (0 dropped, 1-3 played, +100 resigned, +1000 settled)

Positions are seen by player 1 (his points 1 to 24, 25 his bar, 0 the opponent's), but after a play
by the mover. The play is found among the legal ones by the position that it leads to. Analysis,
comments, luck and times are left out.
"""

import struct
import zlib
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import BinaryIO, Final

import numpy as np

from bgcore.board import Board
from bgcore.errors import BgcoreError
from bgcore.formats.problems import ProblemKind, Report
from bgcore.formats.replay import series_of
from bgcore.formats.rule_tags import layout_of
from bgcore.formats.told import UNKNOWN_PLAY, SetUp, Told, ToldGame, ToldMatch
from bgcore.game_state import cells_after
from bgcore.match import Match, MoneySession
from bgcore.notation import Play

__all__ = ["read_xg", "records_of"]

Series = Match | MoneySession

MAGIC: Final = b"RGMH"
HEADER_SIZE: Final = 8232
RECORD_SIZE: Final = 2560
#: Entries of the archive's list, and what stands at its end.
ENTRY_SIZE: Final = 532
TRAILER_SIZE: Final = 36

_LARGEST_FILE = 64 << 20
_MOST_RECORDS = 100_000
_MONEY = 99_999
_VARIATIONS = ("Backgammon", "NackGammon", "HyperGammon", "LongGammon")
_FIRST_DAY = datetime(1899, 12, 30)

_MATCH, _GAME, _CUBE, _PLAY, _END, _MATCH_END, _COMMENT, _MISSING = range(8)


def read_xg(file: BinaryIO, report: Report) -> Iterator[Series]:
    """Yield the match (or position) of a file.

    Parameters
    ----------
    file : binary file
    report : Report

    Raises
    ------
    FileFormatError
        In strict mode, if something is wrong.
    """
    data = file.read(_LARGEST_FILE + 1)
    if len(data) > _LARGEST_FILE:
        report.note("unread", f"it is larger than {_LARGEST_FILE >> 20} MiB: no file of XG is")
        return
    records = records_of(data, report)
    told: ToldMatch | None = None
    reader = _Records(report)
    for record in records:
        if record[8] == _MATCH:
            if told is not None:
                yield from series_of(told, report)
            report.match += 1
            told = reader.match(record)
        elif told is None:
            report.note("unread", "a record before that of the match")
        else:
            reader.take(record, told)
    if told is not None:
        reader.finish(told)
        yield from series_of(told, report)
        report.note("lost", "analysis, comments, luck and times are left out")
    elif report.match == 0:
        report.note("unread", "there is no match in it")


# ---- the archive ----


def records_of(data: bytes, report: Report) -> list[bytes]:
    """Return the records of `temp.xg` in a file.

    Parameters
    ----------
    data : bytes
        The whole file.
    report : Report
    """
    if not data.startswith(MAGIC) or len(data) < HEADER_SIZE:
        report.note("unread", "it is no file of XG: it does not begin with RGMH")
        return []
    (picture,) = struct.unpack_from("<I", data, 20)
    archive = data[HEADER_SIZE + min(picture, len(data)) :]
    content = _from_list(archive, report)
    if content is None:
        # the first of the packed files holds the records in every file that is known
        content = _unpacked(archive)
        if content is None:
            report.note("unread", "its archive cannot be unpacked")
            return []
    whole, rest = divmod(len(content), RECORD_SIZE)
    if rest:
        report.note("unread", "the last record is not whole: it is left out")
    if whole > _MOST_RECORDS:
        report.note("lost", f"no more than {_MOST_RECORDS} records are read")
    return [
        content[i * RECORD_SIZE : (i + 1) * RECORD_SIZE] for i in range(min(whole, _MOST_RECORDS))
    ]


def _unpacked(packed: bytes) -> bytes | None:
    try:
        return zlib.decompressobj().decompress(packed, _LARGEST_FILE)
    except zlib.error:
        return None


def _from_list(archive: bytes, report: Report) -> bytes | None:
    """Return `temp.xg` as the archive's list tells where it is; None if the list is bad."""
    if len(archive) < TRAILER_SIZE:
        return None
    _, n_files, _, list_size, data_size, is_packed = struct.unpack_from(
        "<IIIIII", archive, len(archive) - TRAILER_SIZE
    )
    end = len(archive) - TRAILER_SIZE
    begin = end - list_size
    if not 0 <= begin - data_size <= begin <= end:
        return None
    listing: bytes | None = archive[begin:end]
    if is_packed:
        listing = _unpacked(archive[begin:end])
    if listing is None:
        return None
    for i in range(min(n_files, len(listing) // ENTRY_SIZE)):
        entry = listing[i * ENTRY_SIZE : (i + 1) * ENTRY_SIZE]
        if entry[1 : 1 + entry[0]].lower() != b"temp.xg":
            continue
        size, packed_size, place, checksum = struct.unpack_from("<IIII", entry, 512)
        at = begin - data_size + place
        content: bytes | None = archive[at : at + packed_size]
        if entry[528] == 0:
            content = _unpacked(archive[at:begin])
        if content is None:
            return None
        if zlib.crc32(content) != checksum or len(content) != size:
            report.note("unread", "the checksum of the records is wrong: the file is damaged")
        return content
    return None


# ---- the records ----


def _whole(record: bytes, at: int) -> int:
    number: int = struct.unpack_from("<i", record, at)[0]
    return number


def _short_text(record: bytes, at: int) -> str:
    return record[at + 1 : at + 1 + record[at]].decode("cp1252", errors="replace")


def _wide_text(record: bytes, at: int) -> str:
    return record[at : at + 256].decode("utf-16-le", errors="replace").split("\0")[0]


def _cells(record: bytes, at: int) -> tuple[int, ...]:
    return struct.unpack_from("<26b", record, at)


def _swapped(cells: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(-count for count in reversed(cells))


def _moved(board: Board, moves: list[tuple[int, int]]) -> tuple[int, ...] | None:
    """Return the cells after moves, whatever the rules say; None if they cannot be made."""
    try:
        after = cells_after(board, Play.against_rules(moves))
    except BgcoreError:
        return None
    return None if after is None or len(moves) > 4 else tuple(after.tolist())


def _net_moves(before: Board, after: tuple[int, ...]) -> list[tuple[int, int]]:
    """Return moves between two positions of the mover: the rearmost checker to the rearmost."""
    change = [max(after[point], 0) - max(before[point], 0) for point in range(26)]
    starts = [point for point in range(25, 0, -1) for _ in range(-change[point])]
    ends = [point for point in range(25, 0, -1) for _ in range(change[point])]
    ends += [0] * (len(starts) - len(ends))
    return list(zip(starts, ends, strict=False))


def _moves_text(moves: list[tuple[int, int]]) -> str:
    return " ".join(f"{start}/{to}" for start, to in moves)


class _Records:
    """Gathers the records of a match."""

    def __init__(self, report: Report) -> None:
        self._report = report
        self._version = 0
        self._game: ToldGame | None = None
        self._actions: list[Told] = []
        self._cells: tuple[int, ...] | None = None

    def _note(self, kind: ProblemKind, text: str, move: int = 0) -> None:
        self._report.note(kind, text, move=move)

    def match(self, record: bytes) -> ToldMatch:
        """Return what the first record tells."""
        self._version = version = _whole(record, 552)
        length = _whole(record, 92)
        told = ToldMatch(0 if length in (0, _MONEY) else length)
        if length < 0:
            self._note("unread", f"no match is played to {length} points: taken as money play")
            told.length = 0
        wide = version >= 24
        names = [
            (_wide_text(record, at) if wide else "") or _short_text(record, short)
            for at, short in ((880, 9), (1138, 50))
        ]
        told.names = names[0], names[1]
        for tag, at, short in (("Event", 622, 136), ("Site", 1396, 283), ("Round", 1654, 417)):
            text = (_wide_text(record, at) if wide else "") or _short_text(record, short)
            if text.strip():
                told.info[tag] = " ".join(text.split())
        (day,) = struct.unpack_from("<d", record, 128)
        if 1 < day < 100_000:
            told.info["EventDate"] = (_FIRST_DAY + timedelta(days=int(day))).strftime("%Y.%m.%d")
        for number, at in ((1, 104), (2, 112)):
            (rating,) = struct.unpack_from("<d", record, at)
            if 0 < rating < 100_000:
                told.info[f"Player {number} Elo"] = f"{rating:.2f}"
        variation = _whole(record, 96)
        if 0 <= variation < len(_VARIATIONS):
            if variation:
                told.rules["layout"] = layout_of(_VARIATIONS[variation])
        else:
            self._note("unread", f"the variation {variation} is not known: taken as backgammon")
        if told.length:
            told.rules["crawford"] = record[100] != 0
        else:
            told.rules["jacoby"] = record[101] != 0
            told.rules["beavers"] = int(record[102] != 0)
        limit = _whole(record, 612) if version >= 8 else 0
        if 0 < limit <= 30 and limit != 10:  # 10 is XG's own default, and no game gets there
            told.rules["cube_limit"] = 1 << limit
        return told

    def take(self, record: bytes, told: ToldMatch) -> None:
        """Take one record after the first."""
        kind = record[8]
        if kind == _GAME:
            self.finish(told)
            self._begin(record, told)
        elif kind in (_MATCH_END, _COMMENT):
            pass
        elif self._game is None:
            self._note("unread", f"a record of kind {kind} outside of a game")
        elif kind == _CUBE:
            self._cube(record, told)
        elif kind == _PLAY:
            self._play(record, told)
        elif kind == _END:
            self._end(record)
        elif kind == _MISSING:
            self._note("lost", "a part of the game is missing in the file", len(self._actions))
        else:
            self._note("unread", f"a record of the unknown kind {kind}")

    def finish(self, told: ToldMatch) -> None:
        """End the game that is being read."""
        if self._game is None:
            return
        actions = self._actions
        self._game.read = lambda: actions
        returns = row = 0
        for action in actions:
            row = row + 1 if action.kind == "beaver" else 0
            returns = max(returns, row)
        told.returns = max(told.returns, returns)
        told.games.append(self._game)
        self._game = None
        self._report.game = 0

    def _layout(self, told: ToldMatch) -> Board:
        layout = told.rules.get("layout")
        return layout if isinstance(layout, Board) else Board.opening()

    def _begin(self, record: bytes, told: ToldMatch) -> None:
        number = _whole(record, 48)
        self._report.game = number = number if 0 < number < 1 << 30 else len(told.games) + 1
        scores = _whole(record, 12), _whole(record, 16)
        self._actions = []
        game = ToldGame(number, 0, scores if min(scores) >= 0 else None, list)
        if told.length:
            game.is_crawford = record[20] != 0
        start = _cells(record, 21)
        layout = self._layout(told)
        doubles = _whole(record, 64) if self._version >= 26 else 0
        is_set = any(start) and start != tuple(layout)
        if is_set or 0 < doubles <= 30:
            board = self._board(start, layout) if is_set else layout
            if board is not None:
                game.set_up = SetUp(board, cube=1 << min(max(doubles, 0), 30))
            if doubles > 0:
                self._note("assumed", f"{doubles} automatic doubles, whose rolls are not told")
        self._game = game

    def _board(self, cells: tuple[int, ...], layout: Board) -> Board | None:
        try:
            return Board(cells, n_checkers=layout.n_checkers)
        except BgcoreError as error:
            self._note("unread", f"a position cannot be: {error}", len(self._actions))
            return None

    def _player(self, record: bytes, at: int) -> int:
        return int(_whole(record, at) != 1)

    def _first(self, cells: tuple[int, ...], player: int, cube: int, told: ToldMatch) -> None:
        """Look whether the first action is done in another position than that at the start."""
        game = self._game
        if game is None or self._actions:
            return
        known = game.set_up
        layout = self._layout(told)
        if known is None:
            if not any(cells) or tuple(layout) == cells:
                return
            board = self._board(cells, layout)
            if board is None:
                return
            known = game.set_up = SetUp(board)
        if known.on_roll is None:
            known.on_roll = player
        if cube and abs(cube) <= 30:
            known.cube = 1 << abs(cube)
            known.owner = int(cube < 0)

    def _cube(self, record: bytes, told: ToldMatch) -> None:
        player = self._player(record, 12)
        self._first(_cells(record, 36), player, _whole(record, 32), told)
        if _whole(record, 16) != 1:
            return
        self._add(player, "double")
        answer, second, third = (_whole(record, at) for at in (20, 24, 28))
        if answer not in (0, 1, 2):
            return
        if answer < 2:
            self._add(1 - player, "take" if answer else "drop")
            return
        self._add(1 - player, "beaver")
        if second < 2:
            self._add(player, "take" if second == 1 else "drop")
            return
        self._add(player, "beaver")
        self._add(1 - player, "take" if third == 1 else "drop")

    def _add(self, player: int, kind: str, dice: str = "", play: str = "") -> None:
        self._actions.append(
            Told(player, kind, dice, play, move=len(self._actions) + 1)  # type: ignore[arg-type]
        )

    def _play(self, record: bytes, told: ToldMatch) -> None:
        player = self._player(record, 64)
        before, after = _cells(record, 9), _cells(record, 35)
        dice = _whole(record, 100), _whole(record, 104)
        self._first(before, player, _whole(record, 108), told)
        if player == 1:
            before = _swapped(before)
        if not all(1 <= die <= 6 for die in dice):
            if any(dice):
                self._note("unread", f"the dice are {dice[0]} and {dice[1]}", len(self._actions))
            return
        text = self._play_text(record, before, after, dice, self._layout(told).n_checkers)
        self._add(player, "play", f"{dice[0]}{dice[1]}", text)
        if text == "":
            self._actions[-1].rolled_only = after == before and self._is_legal(before, dice)

    def _is_legal(self, before: tuple[int, ...], dice: tuple[int, int]) -> bool:
        try:
            return not Board(before).legal_plays(dice).is_dance
        except BgcoreError:
            return False

    def _play_text(
        self,
        record: bytes,
        before: tuple[int, ...],
        after: tuple[int, ...],
        dice: tuple[int, int],
        n_checkers: int,
    ) -> str:
        """Return a play by the positions before and after it, both seen by the mover."""
        if before == after:
            return ""
        try:
            board = Board(before, n_checkers=n_checkers)
            plays = board.legal_plays(dice)
        except BgcoreError:
            return UNKNOWN_PLAY
        same = (plays.boards == np.array(after, np.int16)).all(axis=1)
        if same.any():
            return str(plays[int(same.argmax())])
        return self._told_moves(record, board, after)

    def _told_moves(self, record: bytes, before: Board, after: tuple[int, ...]) -> str:
        """Return the moves of that among the plays considered which leads to a position."""
        for i in range(min(max(_whole(record, 188), 0), 32)):
            if _cells(record, 192 + 26 * i) != after:
                continue
            points = struct.unpack_from("<8b", record, 1024 + 8 * i)
            moves = []
            for start, to in zip(points[::2], points[1::2], strict=True):
                if start < 0 or start == to == 0:
                    break
                moves.append((min(start + 1, 25), max(to + 1, 0)))
            if _moved(before, moves) == after:
                return _moves_text(moves)
        # of plays that cannot be XG keeps the positions alone
        moves = _net_moves(before, after)
        return _moves_text(moves) if _moved(before, moves) == after else UNKNOWN_PLAY

    def _end(self, record: bytes) -> None:
        game = self._game
        winner, points, how = (_whole(record, at) for at in (24, 28, 32))
        if game is None or winner not in (1, -1) or points < 0:
            return
        game.winner, game.points = int(winner == -1), points
        game.resigned = 100 <= how < 200
