"""Feed mutated texts to the readers of IDs and plays: a value or our own error, nothing else.

usage: python tests/fuzz/fuzz.py [ids] [plays] [--runs N] [--seed S] [--jobs J]

Only the standard library. Each target has a corpus of one text a line; every run takes one, mutates
it some times and reads it. Anything but a value or a BgcoreError is printed with the text that
shows it, and so is a text that takes longer than a second; the exit status is 1 then. The same seed
gives the same texts.

Outcome of 1,000,000 IDs and 1,000,000 plays (seed 41): no fault; 185,870 IDs and 57,003 plays were
read, the others refused. So it was with a million of each of other seeds before.
"""

import json
import random
import sys
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from bgcore import (
    Board,
    Position,
    Rules,
    closest_plays,
    parse_fibs_board,
    parse_match_id,
    parse_ogid,
    parse_xgid,
    read_id,
    why_illegal_play,
)
from bgcore.actions import parse_action
from bgcore.errors import BgcoreError, IdError
from bgcore.ids.position_id import decode_key_letters, decode_position_id
from bgcore.notation import Plays, read_moves
from bgcore.position import FORMATS

sys.path.insert(0, str(Path(__file__).parent))

from feeding import feed, main

CORPUS = Path(__file__).parent / "corpus"
#: No reader may need longer for one text, in seconds.
SLOW = 1.0
MOST_LETTERS = 2000

LETTERS = (
    "0123456789:-/*(),; .=+ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz?_'\"\\\0\n\t"
    "\u00e9\u0660\u00b2\u2013\U0001f3b2\ud800"
)
NUMBERS = ("0", "-0", "-1", "1", "2", "3", "7", "10", "13", "15", "16", "25", "26", "63", "64")
NUMBERS += ("99", "9999", "32767", "32768", "65536", "99999", "2147483648", "1e9", "1" * 5000)


def mutated(rng: random.Random, texts: list[str]) -> str:
    """Return one of the texts after some changes."""
    text = rng.choice(texts)
    for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3, 5, 12))):
        text = rng.choice(MUTATIONS)(rng, text, texts)
    return text[:MOST_LETTERS] if rng.random() < 0.999 else text


def _change(rng: random.Random, text: str, texts: list[str]) -> str:
    i = rng.randrange(len(text) + 1)
    return text[:i] + rng.choice(LETTERS) + text[i + 1 :]


def _insert(rng: random.Random, text: str, texts: list[str]) -> str:
    i = rng.randrange(len(text) + 1)
    return text[:i] + rng.choice(LETTERS) + text[i:]


def _remove(rng: random.Random, text: str, texts: list[str]) -> str:
    i = rng.randrange(len(text) + 1)
    return text[:i] + text[i + rng.choice((1, 1, 1, 2, 9)) :]


def _repeat(rng: random.Random, text: str, texts: list[str]) -> str:
    i, j = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    return text[:j] + text[i:j] * rng.choice((1, 1, 2, 50)) + text[j:]


def _exchange(rng: random.Random, text: str, texts: list[str]) -> str:
    letters = list(text) or [""]
    i, j = rng.randrange(len(letters)), rng.randrange(len(letters))
    letters[i], letters[j] = letters[j], letters[i]
    return "".join(letters)


def _splice(rng: random.Random, text: str, texts: list[str]) -> str:
    other = rng.choice(texts)
    return text[: rng.randrange(len(text) + 1)] + other[rng.randrange(len(other) + 1) :]


def _field(rng: random.Random, text: str, texts: list[str]) -> str:
    """Change a whole field: another number, one of another text, or none."""
    mark = rng.choice(":: /-")
    fields, others = text.split(mark), rng.choice(texts).split(mark)
    i = rng.randrange(len(fields))
    kind = rng.randrange(4)
    if kind == 0:
        fields[i] = rng.choice(NUMBERS)
    elif kind == 1:
        fields[i] = others[min(i, len(others) - 1)]
    elif kind == 2:
        fields[i] = str(rng.randint(-3, 30))
    else:
        del fields[i]
    return mark.join(fields)


def _case(rng: random.Random, text: str, texts: list[str]) -> str:
    i, j = sorted(rng.randrange(len(text) + 1) for _ in range(2))
    return text[:i] + text[i:j].swapcase() + text[j:]


MUTATIONS: tuple[Callable[[random.Random, str, list[str]], str], ...] = (
    _change,
    _change,
    _insert,
    _remove,
    _repeat,
    _exchange,
    _splice,
    _field,
    _field,
    _field,
    _case,
)


# ---- what is fed ----

READERS = (
    read_id,
    parse_xgid,
    parse_match_id,
    parse_ogid,
    parse_fibs_board,
    decode_position_id,
    decode_key_letters,
    Board.from_xgid,
)


def read_as_id(text: str, rng: random.Random) -> bool:
    """Read a text as every kind of ID; True if it is one of a position."""
    with suppress(BgcoreError):
        rng.choice(READERS)(text)
    rules = Rules.money(beavers=2) if rng.random() < 0.1 else None
    try:
        position = Position.from_text(text, rules=rules)
    except BgcoreError:
        return False
    if rng.random() < 0.1:
        assert Position.from_state(position.to_state()) == position
        assert Position.from_dict(json.loads(json.dumps(position.to_dict()))) == position
        position.text(home=rng.choice(("right", "left")))
    format = rng.choice(FORMATS)
    largest = max(position.cube, position.offer, position.length, *position.scores)
    try:
        written = position.to_text(format)
    except IdError:
        # numbers that have no place in the format
        assert largest > 4096, (format, position)
        return True
    back = Position.from_text(written)
    if format == "key":
        assert back.board == position.board
    else:
        # of a finished game FIBS does not tell whose turn it was
        assert back.board_swapped_for(0) == position.board_swapped_for(0)
    assert back.to_text(format, strict=True) == written
    return True


_BOARDS = (
    "4HPwATDgc/ABMA",
    "cxzwAA7gbjADEw",
    "5O4uAAhmdysAQA",
    "HgAAAWwtBKYMAA",
    "2G4DECZm3wEAWA",
    "ADAAAQAkIAAAAA",
    "27YLAEB3OwMAAA",
    "mh3wARiw5+AAaA",
    "2K7CoBAHAAAIAA",
)
_PLAYS: list[Plays] = []


def _all_plays() -> list[Plays]:
    if not _PLAYS:
        boards = [Position.from_text(text).board for text in _BOARDS]
        rolls = [(a, b) for a in range(1, 7) for b in range(1, a + 1)]
        _PLAYS.extend(board.legal_plays(roll) for board in boards for roll in rolls)
        _PLAYS.extend(
            Plays(board, roll, own_limit=5, any_number=True)
            for board in boards[:2]
            for roll in rolls
        )
    return _PLAYS


def read_as_play(text: str, rng: random.Random) -> bool:
    """Read a text as a play of some roll and as an action; True if it is a legal play.

    Half of the texts are legal plays of that roll, mutated.
    """
    plays = rng.choice(_all_plays())
    if rng.random() < 0.5:
        text = mutated(rng, [str(rng.choice(plays)), text])
    with suppress(BgcoreError):
        parse_action(rng.choice(("play ", "step ", "roll ", "resign ", "")) + text)
    try:
        read_moves(text)
    except BgcoreError:
        return False
    try:
        play = plays.find(text)
    except BgcoreError:
        assert why_illegal_play(plays, text)
        for close in closest_plays(plays, text):
            assert close in plays
        return False
    assert plays.find(str(play)) == play
    assert why_illegal_play(plays, text) == ""
    return True


TARGETS = {"ids": read_as_id, "plays": read_as_play}


# ---- running ----


def corpus(target: str) -> list[str]:
    lines = (CORPUS / f"{target}.txt").read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def fuzz(target: str, runs: int, seed: int) -> tuple[Counter[str], list[str]]:
    """Return how many texts were read or refused, and what went wrong, at most ten."""
    rng = random.Random(f"{target} {seed}")
    texts, read = corpus(target), TARGETS[target]
    inputs = (mutated(rng, texts) for _ in range(runs))
    return feed(inputs, lambda text: read(text, rng), SLOW)


if __name__ == "__main__":
    sys.exit(main(__doc__ or "", TARGETS, fuzz, 100_000))
