"""OGIDs: published ones, in both directions, and bad texts.

The IDs come from the tests of AnkiGammon and GammonView (both MIT), some of them written by
HedgeHog, whose format it is. Boards are stated in each side's own numbering.
"""

import pytest
from boards import boards, cells_of
from hypothesis import given
from hypothesis import strategies as st

from bgcore import Board, Ogid, parse_ogid, read_id
from bgcore.errors import IdError

OPENING = "11ccccchhhjjjjj:66666888dddddoo"

# as HedgeHog wrote them: ID, who is on roll, his checkers, the other side's
HEDGEHOG = [
    # White plays 7/6 7/1* with 6-1
    (
        "99cchhiijjjkkmm:223334455666ddo:N0N:16:B:R:2:1:3C:13",
        "W",
        "16:2 13:2 8:2 7:2 6:3 5:2 3:2",
        "24:1 13:2 6:3 5:2 4:2 3:3 2:2",
    ),
    (
        "03cccchhhhjjjjj:16666888dddddoo:N0N:33:W:R:0:1:3:3",
        "B",
        "1:1 6:4 8:3 13:5 24:2",
        "bar:1 22:1 13:4 8:4 6:5",
    ),
    # Black has doubled
    (
        "cccccgghhhjjjjj:112233666777dll:N0O::B:D:0:0:3:11",
        "B",
        "1:2 2:2 3:2 6:3 7:3 13:1 21:2",
        "13:5 9:2 8:3 6:5",
    ),
]


@pytest.mark.parametrize(("text", "on_roll", "own", "opponent"), HEDGEHOG)
def test_ogids_of_hedgehog_both_ways(text, on_roll, own, opponent):
    ogid = parse_ogid(text)
    assert ogid.on_roll == on_roll
    assert Board(ogid.cells_on_roll) == Board(cells_of(own, opponent))
    assert str(ogid) == text
    assert Board(read_id(text).cells) == Board(ogid.cells_on_roll)


def test_all_fields():
    assert parse_ogid("OGID=" + HEDGEHOG[0][0]) == Ogid(
        cells=tuple(cells_of("24:1 13:2 6:3 5:2 4:2 3:3 2:2", "16:2 13:2 8:2 7:2 6:3 5:2 3:2")),
        dice=(1, 6),
        acted="B",
        state="R",
        scores=(2, 1),
        length=3,
        modifier="C",
        move_number=13,
    )


def test_the_fields_after_the_fifth_may_be_missing():
    ogid = parse_ogid(f"{OPENING}:N0N:31:W")
    assert (ogid.state, ogid.scores, ogid.length, ogid.n_checkers) == ("", (0, 0), 0, 15)


def test_the_start_of_a_game_has_white_on_roll():
    # OGID.md's own example
    assert parse_ogid("11jjjjjhhhccccc:ooddddd88866666:N0N::W:IW:0:0:1:0").on_roll == "W"
    assert parse_ogid(f"{OPENING}:N0N:31:W:IW:0:0:1:0").on_roll == "B"


def test_checkers_borne_off_may_be_written():
    assert parse_ogid("11jjjjjhhhccccq:ooddddd88866666:W1N::B").cells.count(0) == 18
    assert Board(parse_ogid("11jjjjjhhhccccq:ooddddd88866666:W1N::B").cells_on_roll).off == 1


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "1 fields"),
        (f"{OPENING}:N0N", "3 fields"),
        (f"{OPENING}:N0N:31:W:R:0:0:0:0:15:1", "12 fields"),
        (f"{OPENING}:XXX:31:B", "the cube is 'XXX'"),
        (f"{OPENING}:N16N:31:B", "the cube is 'N16N'"),
        (f"{OPENING}:N0N:79:B", "the dice are '79'"),
        (f"{OPENING}:N0N:3:B", "the dice are '3'"),
        (f"{OPENING}:N0N:31:X", "who acted is 'X'"),
        (f"{OPENING}:N0N:31:B:state", "the state is 'state'"),
        (f"{OPENING}:N0N:31:B:R:x:0:0", "White's score is 'x'"),
        (f"{OPENING}:N0N:31:B:R:0:7:7", "Black's score is '7'"),
        (f"{OPENING}:N0N:31:B:R:0:0:7X", "the match length is '7X'"),
        (f"{OPENING}:N0N:31:B:R:0:0:C", "Crawford game without a match length"),
        (f"{OPENING}:N0N:31:B:R:0:0:7:-1", "move number is '-1'"),
        (f"{OPENING}:N0N:31:B:R:0:0:7:0:16", "checkers of a side is '16'"),
        (f"{OPENING}:N0O:31:B:D", "the dice are rolled already"),
        (f"{OPENING}:N0P::B:P", "the game is over"),
        (f"{OPENING}:N0N::B:G", "the game is over"),
        ("11ccccchhhjjjjz:66666888dddddoo:N0N:31:B", "'z' among the checkers of White"),
        ("11ccccchhhjjjjp:66666888dddddoo:N0N:31:B", "White has a checker on the bar of"),
        ("11ccccchhhjjjjj:0666688ddddddoo:N0N:31:B", "Black has a checker on the bar of"),
        ("11ccccchhhjjjjjj:66666888dddddoo:N0N:31:B", "White has 16 checkers"),
        ("11ccccchhhjjjjj:166668888ddddoo:N0N:31:B", "both sides have checkers on point 1"),
        (":qqq:N0N:31:B", "borne everything off"),
    ],
)
def test_bad_ogids_are_refused_with_the_field(text, words):
    with pytest.raises(IdError, match=words):
        parse_ogid(text)


@pytest.mark.parametrize("value", [None, 5, OPENING.encode()])
def test_an_ogid_is_a_text(value):
    with pytest.raises(IdError, match="text"):
        parse_ogid(value)


@given(boards(), st.sampled_from("WB"))
def test_boards_round_trip(board, acted):
    text = str(Ogid(cells=tuple(board.to_list()), acted=acted))
    ogid = parse_ogid(text)
    assert Board(ogid.cells) == board
    assert str(ogid) == text
    assert Board(ogid.cells_on_roll) == (board if acted == "W" else board.swapped())
