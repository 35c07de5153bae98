"""Makes files as XG writes them, by the published format: for tests of the reader.

Of a record only what says what was played is filled in; analysis is left empty.
"""

import struct
import zlib

from bgcore import Match
from bgcore.formats.events import events_of
from bgcore.formats.xg_binary import ENTRY_SIZE, HEADER_SIZE, MAGIC, RECORD_SIZE, records_of

VERSION = 30


def xg_file(series, *, picture=b"", is_listed=True):
    """Return a match or session as the bytes of a .xg file."""
    return packed(b"".join(records(series)), picture=picture, is_listed=is_listed)


def packed(content, *, picture=b"", is_listed=True):
    """Return records in a file: header, picture, archive."""
    header = bytearray(HEADER_SIZE)
    header[:4] = MAGIC
    struct.pack_into("<iiQI", header, 4, 1, HEADER_SIZE, 0, len(picture))
    files = {"temp.xgi": content[:RECORD_SIZE], "temp.xg": content, "temp.xgr": b""}
    if not is_listed:
        files = {"temp.xg": content}
    data, entries = b"", b""
    for name, text in files.items():
        small = zlib.compress(text, 1)
        entry = bytearray(ENTRY_SIZE)
        entry[0] = len(name)
        entry[1 : 1 + len(name)] = name.encode()
        struct.pack_into("<IIII", entry, 512, len(text), len(small), len(data), zlib.crc32(text))
        data += small
        entries += entry
    listing = zlib.compress(bytes(entries))
    trailer = struct.pack("<IIIIII12x", 0, len(files), 1, len(listing), len(data), 1)
    if not is_listed:
        listing = trailer = b""
    return bytes(header) + picture + data + listing + trailer


def unpacked(data):
    """Return the records of a file."""

    class Silent:
        def note(self, *words, **places):
            pass

    return b"".join(records_of(data, Silent()))


def records(series):
    """Yield the records of a match or session."""
    yield _match(series)
    for number, game in enumerate(series.games, start=1):
        yield _game(game, number)
        pending = None
        for event in events_of(game):
            if event.kind in ("play", "irregular", "rolled"):
                if pending:
                    yield bytes(pending)
                    pending = None
                yield _play(event, game)
            elif event.kind == "double":
                pending = _record(2)
                struct.pack_into("<iiiii", pending, 12, _sign(event.player), 1, -1, -1, -1)
                board = event.before.board if event.player == 0 else event.before.board.swapped()
                struct.pack_into("<26b", pending, 36, *board)
            elif pending is not None:
                words = {"drop": 0, "take": 1, "beaver": 2, "raccoon": 2}
                places = [at for at in (20, 24, 28) if struct.unpack_from("<i", pending, at)[0] < 0]
                struct.pack_into("<i", pending, places[0], words[event.kind])
        if pending:
            yield bytes(pending)
        if game.result is not None:
            yield _end(game.result)
    yield bytes(_record(5))


def _record(kind):
    record = bytearray(RECORD_SIZE)
    record[8] = kind
    return record


def _sign(player):
    return -1 if player else 1


def _match(series):
    record = _record(0)
    for at, name in ((9, series.names[0]), (50, series.names[1])):
        text = name.encode("cp1252", errors="replace")[:40]
        record[at] = len(text)
        record[at + 1 : at + 1 + len(text)] = text
    is_match = isinstance(series, Match)
    struct.pack_into("<ii", record, 92, series.length if is_match else 99999, 0)
    rules = series.rules
    record[100:103] = bytes([rules.crawford, rules.jacoby, rules.beavers > 0])
    struct.pack_into("<d", record, 128, 46143.5)  # 1 May 2026
    struct.pack_into("<i4s", record, 552, VERSION, b"DMLI")
    struct.pack_into("<ii", record, 612, 10, 0)
    texts = {622: series.info.get("Event", ""), 880: series.names[0], 1138: series.names[1]}
    for at, text in texts.items():
        wide = text.encode("utf-16-le")[:256]
        record[at : at + len(wide)] = wide
    return bytes(record)


def _game(game, number):
    record = _record(1)
    start = game.start
    struct.pack_into("<iiB", record, 12, *start.scores, start.is_crawford)
    board = start.board.swapped() if start.on_roll == 1 else start.board
    struct.pack_into("<26b", record, 21, *board)
    struct.pack_into("<i", record, 48, number)
    return bytes(record)


def _play(event, game):
    record = _record(3)
    before = event.before.board
    cells = list(before)
    for start, to, _ in () if event.play is None else event.play.steps:
        cells[start] -= 1
        if to and cells[to] == -1:
            cells[to] = 0
            cells[0] -= 1
        if to:
            cells[to] += 1
    # before the play seen by player 1, after it by the mover
    struct.pack_into("<26b", record, 9, *(before.swapped() if event.player else before))
    struct.pack_into("<26b", record, 35, *cells)
    struct.pack_into("<i", record, 64, _sign(event.player))
    struct.pack_into("<ii", record, 100, *event.dice)
    cube = event.before.cube
    struct.pack_into("<i", record, 108, cube.log2 * (-1 if cube.owner == 1 else 1))
    struct.pack_into("<i", record, 188, 1)
    struct.pack_into("<26b", record, 192, *cells)
    moves = [-1] * 8
    for i, (start, to, _) in enumerate(() if event.play is None else event.play.steps):
        moves[2 * i : 2 * i + 2] = start - 1, to - 1
    struct.pack_into("<8b", record, 1024, *moves)
    return bytes(record)


def _end(result):
    record = _record(4)
    how = {"dropped": 0, "played": result.kind, "resigned": 100 + result.kind, "settled": 1000}
    struct.pack_into("<iii", record, 24, _sign(result.winner), result.points, how[result.ending])
    return bytes(record)
