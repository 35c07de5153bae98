"""Match IDs: GNU Backgammon's manual and IDs that its users published.

The right values are the ones printed next to the IDs (board, cube line and score).
"""

import base64

import numpy as np
import pytest

from bgcore.errors import IdError
from bgcore.ids.match_id import MatchState, format_match_id, parse_match_id

OLD = {"jacoby": True}
NEW = {"jacoby": False}

VECTORS = {
    # GNU Backgammon manual
    "QYkqASAAIAAA": MatchState(cube=2, cube_owner=0, length=9, score=(2, 4), dice=(5, 2), **OLD),
    "MIEFAAAAAAAA": MatchState(roller=0, decider=0, dice=(3, 1), **OLD),
    "cAkAAAAAAAAA": MatchState(**OLD),
    # example of the R package bglab
    "8IhuACAACAAE": MatchState(
        length=3, score=(2, 1), crawford=True, dice=(5, 3), game_state=0, **NEW
    ),
    # openai/evals, pull request 573; dice as rolled
    "cIgUAAAAAAAA": MatchState(dice=(1, 5), game_state=0, **OLD),
    # exports of kevung/bgfparser
    "QYnoAGAAGAAE": MatchState(cube=2, cube_owner=0, length=7, score=(6, 3), dice=(1, 2), **NEW),
    "cAkgAVAAAAAE": MatchState(length=9, score=(5, 0), **NEW),
    "cAkgAUAAEAAE": MatchState(length=9, score=(4, 2), **NEW),
    "cAngACAAAAAE": MatchState(length=7, score=(2, 0), **NEW),
    "UQngAAAAIAAE": MatchState(cube=2, cube_owner=1, length=7, score=(0, 4), **NEW),
    "UQngABAAAAAE": MatchState(cube=2, cube_owner=1, length=7, score=(1, 0), **NEW),
    "UQkgASAACAAE": MatchState(cube=2, cube_owner=1, length=9, score=(2, 1), **NEW),
    # corpus of bglab: a double, the take, the redouble, the take
    "cBHgAAAAAAAE": MatchState(length=7, decider=0, doubled=True, **NEW),
    "QQnzAAAAAAAE": MatchState(cube=2, cube_owner=0, length=7, dice=(6, 4), **NEW),
    "ARngAAAAAAAE": MatchState(
        cube=2, cube_owner=0, roller=0, decider=1, doubled=True, length=7, **NEW
    ),
    "EgHvAAAAAAAE": MatchState(
        cube=4, cube_owner=1, roller=0, decider=0, length=7, dice=(6, 3), **NEW
    ),
    # the same corpus, other matches
    "8AizASAAYAAE": MatchState(
        length=13, score=(2, 12), crawford=True, dice=(6, 4), game_state=0, **NEW
    ),
    "8IhyAAAAEAAE": MatchState(
        length=3, score=(0, 2), crawford=True, dice=(5, 4), game_state=0, **NEW
    ),
    "UhGgAXAAKAAE": MatchState(
        cube=4, cube_owner=1, length=13, score=(7, 5), decider=0, doubled=True, **NEW
    ),
    # GNU Backgammon's change log, 2003-09-19
    "cAmgACAAGAAA": MatchState(length=5, score=(2, 3), **OLD),
}


@pytest.mark.parametrize("text", VECTORS)
def test_published_match_id_reads_as_printed_beside_it(text):
    assert parse_match_id(text) == VECTORS[text]


@pytest.mark.parametrize("text", VECTORS)
def test_match_id_is_written_as_it_was_read(text):
    assert format_match_id(parse_match_id(text)) == text


@pytest.mark.parametrize("exponent", range(13))
def test_every_cube_up_to_4096_round_trips(exponent):
    state = MatchState(cube=2**exponent, cube_owner=0 if exponent else None)
    assert parse_match_id(format_match_id(state)) == state


@pytest.mark.parametrize(
    "text", ["", "cAkAAAAAAAA", "cAkAAAAAAAAAA", "cAk AAAAAAAA", "cAk€AAAAAAAA"]
)
def test_text_that_is_no_match_id_is_refused(text):
    with pytest.raises(IdError, match="not a match ID"):
        parse_match_id(text)


def change(text, start, width, value):
    """Set bits of a match ID, as a broken program would."""
    bits = int.from_bytes(base64.b64decode(text), "little")
    bits = bits & ~(((1 << width) - 1) << start) | value << start
    return base64.b64encode(bits.to_bytes(9, "little")).decode()


@pytest.mark.parametrize(
    ("start", "width", "value", "words"),
    [
        (15, 3, 7, "dice are 7 and 0"),
        (15, 3, 4, "dice are 4 and 0"),
        (4, 2, 2, "player 2 owns"),
        (0, 4, 13, "cube is 8192"),
        (7, 1, 1, "Crawford"),
        (8, 3, 5, "state is 5"),
        (67, 1, 1, "no meaning"),
    ],
)
def test_state_that_cannot_be_is_refused(start, width, value, words):
    with pytest.raises(IdError, match=words):
        parse_match_id(change("cAkAAAAAAAAA", start, width, value))


def test_score_above_the_length_is_refused():
    with pytest.raises(IdError, match="6-3 in a match to 5"):
        parse_match_id(change("QYnoAGAAGAAE", 21, 15, 5))


@pytest.mark.parametrize(
    "state",
    [MatchState(cube=3), MatchState(cube=0), MatchState(length=40000), MatchState(roller=2)],
)
def test_state_that_has_no_match_id_is_not_written(state):
    with pytest.raises(IdError):
        format_match_id(state)


@pytest.mark.parametrize(
    "state",
    [
        None,
        "QYkqASAAIAAA",
        MatchState(cube="2"),
        MatchState(cube=2.0),
        MatchState(cube=True),
        MatchState(cube_owner="X"),
        MatchState(cube_owner=1.0),
        MatchState(roller=None),
        MatchState(dice=5),
        MatchState(dice=(1, 2, 3)),
        MatchState(dice=(1.0, 2.0)),
        MatchState(score=None),
        MatchState(score=(1,)),
        MatchState(crawford="yes", length=3),
        MatchState(jacoby=None),
    ],
    ids=repr,
)
def test_what_is_no_state_has_no_match_id(state):
    with pytest.raises(IdError, match="no match ID for this state"):
        format_match_id(state)


def test_numbers_of_a_state_may_be_numpys():
    state = MatchState(cube=np.int8(2), cube_owner=np.int64(1), score=(np.uint8(1), 2), length=5)
    assert parse_match_id(format_match_id(state)) == state
