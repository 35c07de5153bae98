"""Feed mutated files to the readers of matches: matches, a report or our own error, nothing else.

usage: python tests/fuzz/fuzz_files.py [FORMAT ...] [--runs N] [--seed S] [--jobs J]

Only the standard library. Every run takes a file of the corpus, changes some of its bytes or lines
and reads it. Each match that comes out must be one: its actions are played again, written as JSON
and read once more; what was followed in the core must have the result that Python's rules give.
Anything else is printed with the bytes that show it, and so is a file that takes longer than some
seconds; the exit status is 1 then. The same seed gives the same files.

So far 360,000 files with three changes each on average, over a million in total: 130,000 .mat,
70,000 .sgf, 120,000 JSON, 40,000 .xg. They showed two faults, both mended: a number of three digits
that was followed in the core and refused in Python, and a count of -128 in a position of XG. Since
the readers were mended by real files: 4,000 .mat, 2,500 .sgf, 10,500 JSON, 2,500 .xg, no fault.
"""

import io
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

from bgcore import Match, MoneySession, read_matches, write_matches
from bgcore.errors import FileFormatError
from bgcore.match import series_from_dict

sys.path.insert(0, str(Path(__file__).parent))
sys.path.insert(0, str(Path(__file__).parents[1] / "support"))

from feeding import feed, main
from xg_files import packed, records

CORPUS = Path(__file__).parent / "corpus" / "files"
#: No reader may need longer for one file, in seconds.
SLOW = 5.0
MOST_BYTES = 60_000

PIECES = (
    *(
        b"31:",
        b"66: 24/18(4)",
        b"11:",
        b"bar/20",
        b"25/0",
        b"6/off",
        b"0/6",
        b"24/24",
        b"(9)",
        b"*",
    ),
    *(b" Doubles => 2", b" Doubles => 2147483648", b" Beavers => 4", b" Takes", b" Drops", b"????"),
    *(b"      Wins 1 point\n", b" Wins 99999999999 points", b"\n Game 2\n", b" 7 point match\n"),
    *(b" 0 point match\n", b" 99999999 point match\n", b" Ann : 0    Ann : 0\n", b" : 0     : 0\n"),
    *(b" Resigns", b"6/8", b"\nXGID=-B-CBBB---a---A---ABcbbbd-:1:-1:1:21:3:6:0:7:10\n"),
    *(b"XGID=-b----E-C---eE---c-e----B-:0:0:1:D:0:0:3:0:10\n", b"X:Ann   O:Bob\n"),
    *(b'; [Crawford "Off"]\n', b'; [CubeLimit "3"]\n', b'; [Variation "HyperGammon"]\n', b'; [x "'),
    *(b'; [Rules "own_limit=1, beavers=99, payoff=x"]\n', b"; Set Pos=" + b"O" * 26 + b"/30\n"),
    *(
        b"; Set Pos=-b----E-C---eE---c-e----B-/-1\n",
        b"(",
        b")",
        b"(;",
        b";W[31abab]",
        b";B[double]",
    ),
    *(
        b"[",
        b"]",
        b"\\",
        b";PL[W]AE[a:y]AW[a][a]AB[x]",
        b";CV[4]",
        b";CP[w]",
        b"RE[B+9R]",
        b"RU[Jacoby]",
    ),
    *(
        b"MI[length:0][game:0][ws:0][bs:0]",
        b"{",
        b"}",
        b'"settle 1 2"',
        b'"irregular 8/4"',
        b"null",
    ),
    *(b"\0", b"\xff", b"\xe9", b"\xef\xbb\xbf", b"\xff\xfe", b"\r", b"\r\n", b"\t", b"\n\n"),
    *(b"-1", b"0", b"1", b"9", b"64", b"65536", b"1e9", b"1" * 400),
)


def mutated(rng: random.Random, files: list[bytes]) -> bytes:
    """Return one of the files after some changes."""
    data = rng.choice(files)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3, 5, 12))):
        data = rng.choice(MUTATIONS)(rng, data, files)
    return data[:MOST_BYTES]


def _change(rng: random.Random, data: bytes, files: list[bytes]) -> bytes:
    i = rng.randrange(len(data) + 1)
    return data[:i] + bytes([rng.randrange(256)]) + data[i + 1 :]


def _digit(rng: random.Random, data: bytes, files: list[bytes]) -> bytes:
    places = [i for i, byte in enumerate(data) if 48 <= byte <= 57]
    if not places:
        return data
    i = rng.choice(places)
    return data[:i] + str(rng.randrange(10)).encode() + data[i + 1 :]


def _bit(rng: random.Random, data: bytes, files: list[bytes]) -> bytes:
    i = rng.randrange(len(data) + 1)
    return (
        data[:i] + bytes(byte ^ 1 << rng.randrange(8) for byte in data[i : i + 1]) + data[i + 1 :]
    )


def _insert(rng: random.Random, data: bytes, files: list[bytes]) -> bytes:
    i = rng.randrange(len(data) + 1)
    return data[:i] + rng.choice(PIECES) + data[i:]


def _replace(rng: random.Random, data: bytes, files: list[bytes]) -> bytes:
    i = rng.randrange(len(data) + 1)
    piece = rng.choice(PIECES)
    return data[:i] + piece + data[i + len(piece) :]


def _remove(rng: random.Random, data: bytes, files: list[bytes]) -> bytes:
    i = rng.randrange(len(data) + 1)
    return data[:i] + data[i + rng.choice((1, 1, 2, 9, 60)) :]


def _repeat(rng: random.Random, data: bytes, files: list[bytes]) -> bytes:
    i = rng.randrange(len(data) + 1)
    j = i + rng.choice((1, 5, 40, 200))
    return data[:j] + data[i:j] * rng.choice((1, 1, 2, 20)) + data[j:]


def _lines(rng: random.Random, data: bytes, files: list[bytes]) -> bytes:
    """Exchange, double or leave out lines."""
    lines = data.split(b"\n")
    i, j = rng.randrange(len(lines)), rng.randrange(len(lines))
    kind = rng.randrange(3)
    if kind == 0:
        lines[i], lines[j] = lines[j], lines[i]
    elif kind == 1:
        lines.insert(i, lines[j])
    else:
        del lines[i]
    return b"\n".join(lines)


def _splice(rng: random.Random, data: bytes, files: list[bytes]) -> bytes:
    other = rng.choice(files)
    return data[: rng.randrange(len(data) + 1)] + other[rng.randrange(len(other) + 1) :]


def _cut(rng: random.Random, data: bytes, files: list[bytes]) -> bytes:
    return data[: rng.randrange(len(data) + 1)]


MUTATIONS: tuple[Callable[[random.Random, bytes, list[bytes]], bytes], ...] = (
    _change,
    _digit,
    _digit,
    _bit,
    _insert,
    _replace,
    _remove,
    _repeat,
    _lines,
    _splice,
    _cut,
)


def read(data: bytes, format: str, rng: random.Random) -> bool:
    """Read a file; tells whether a match came out.

    Raises
    ------
    AssertionError
        A match that came out is none.
    """
    guess = None if rng.randrange(10) == 0 else format
    reader = read_matches(io.BytesIO(data), guess, strict=False)
    matches = list(reader)
    if not matches and not reader.problems:
        raise AssertionError("no match and no word about it")
    for series in matches:
        known = [game.result for game in series.games]
        if [game.state.result for game in series.games] != known:
            raise AssertionError("the actions lead to another result than was followed")
        if rng.randrange(8) == 0:
            check(series, rng)
    if rng.randrange(8) == 0:
        try:
            strict = list(read_matches(io.BytesIO(data), guess, strict=True))
        except FileFormatError:
            if not any(problem.is_fault for problem in reader.problems):
                raise AssertionError("refused without a fault") from None
        else:
            if any(problem.is_fault for problem in reader.problems):
                raise AssertionError("not refused in spite of a fault")
            if len(strict) != len(matches):
                raise AssertionError("other matches in strict mode")
    return bool(matches)


def check(series: Match | MoneySession, rng: random.Random) -> None:
    document = series.to_dict()
    if series_from_dict(document).to_dict() != document:
        raise AssertionError("the record does not come back")
    format = rng.choice(("mat", "sgf", "xg-text"))
    file = io.BytesIO()
    write_matches(file, series, format)
    again = list(read_matches(io.BytesIO(file.getvalue()), format))
    if not again:
        raise AssertionError(f"nothing comes back from what was written as {format}")


# ---- running ----


def corpus(format: str) -> list[bytes]:
    if format == "xg":  # made from the others, before it is packed
        matches = [series for path in sorted(CORPUS.glob("*.mat")) for series in read_matches(path)]
        return [b"".join(records(series)) for series in matches]
    return [path.read_bytes() for path in sorted(CORPUS.glob(f"*.{format}"))]


FORMATS = ("mat", "sgf", "json", "xg")


def fuzz(format: str, runs: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Return how many files were read or refused, and what went wrong, at most ten."""
    rng = random.Random(f"{format} {seed}")
    files = corpus(format)

    def inputs() -> Iterator[bytes]:
        for _ in range(runs):
            data = mutated(rng, files)
            if format == "xg" and rng.randrange(4):
                data = packed(data)  # changes inside of what is compressed
            yield data

    return feed(inputs(), lambda data: read(data, format, rng), SLOW)


if __name__ == "__main__":
    sys.exit(main(__doc__ or "", FORMATS, fuzz, 20_000))
