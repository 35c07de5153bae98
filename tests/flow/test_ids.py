"""Position IDs and XGIDs: known pairs of text and board, both directions, and bad texts."""

import base64

import numpy as np
import pytest
from boards import boards, cells_of
from hypothesis import given
from hypothesis import strategies as st

from bgcore import Board, Xgid, boards_from_position_ids, parse_xgid
from bgcore._core.board import read_position_key, read_position_keys
from bgcore.errors import IdError

OPENING = "24:2 13:5 8:3 6:5"

# ID, the side on roll, the other side; each in its own numbering
POSITION_IDS = [
    ("4HPwATDgc/ABMA", OPENING, OPENING),
    ("ADAAAQAkIAAAAA", "24:1 17:1 15:1", "23:1 13:2"),
    ("jGfkASjg8wcBMA", "24:2 13:1 8:7 6:5", "24:1 23:1 13:4 11:1 8:2 6:4 3:2"),
    ("zGbiIQgxH/AAWA", "bar:1 24:2 13:4 6:5 4:2 1:1", "22:1 17:1 13:4 10:1 8:2 6:2 5:2 3:2"),
    ("zGbiIYCYD3gALA", "bar:1 24:2 13:4 6:5 4:2 1:1", "17:1 13:4 10:1 8:2 6:2 5:2 3:2"),
    ("HC/wATDg8+AxAA", "16:2 13:4 8:4 6:5", "24:2 13:5 7:1 6:4 3:3"),
    (
        "AACAkCRJqqoAAA",
        "24 23 22 21 20 19 18 17 15 13 11 9 7 5 3".replace(" ", ":1 ") + ":1",
        "24:1",
    ),
    ("4HPwATDgc/ABUA", "bar:1 24:1 13:5 8:3 6:5", OPENING),
    ("b9sBCIC5bYDQAA", "19:2 18:1 14:1 6:2 5:2 4:2 3:3 1:2", "15:1 5:3 4:2 3:2 2:2 1:4"),
    (
        "dB7GGAJsZuJgAg",
        "20:1 18:2 13:3 10:1 8:2 6:2 4:2 3:2",
        "20:1 16:2 13:2 10:2 6:4 4:3 3:1",
    ),
    (
        "Mw5jkCQyz+AhAg",
        "20:1 17:1 13:4 8:2 6:4 4:2 2:1",
        "24:1 22:1 20:1 18:1 13:2 10:2 6:3 3:2 1:2",
    ),
    ("5O4uAAhmdysAQA", "bar:1 9:1 8:1 7:2 6:3 5:3 4:2 2:2", "22:1 9:1 8:3 7:3 6:3 5:3 3:1"),
    ("4TcAALDeAAAAAA", "6:2 5:4 4:1 3:2", "6:2 5:6 1:1"),
    ("cxzwAA7gbjADEw", "23:1 21:2 15:2 13:2 8:2 7:3 6:3", "22:3 13:4 6:3 3:3 1:2"),
    (
        "29aUAAjY7m4AAA",
        "9:2 8:3 7:3 6:3 5:2 4:2",
        "22:1 11:1 9:1 8:1 6:2 5:1 4:2 3:2 2:2 1:2",
    ),
    ("0PPgATDgc/ABMA", OPENING, "24:2 13:4 8:4 6:4 5:1"),
    ("4NvgATDQ8+ABMA", "24:2 13:4 8:4 6:4 5:1", "24:2 13:4 8:2 7:2 6:5"),
]

# XGID and the position ID of the same position
XGIDS = [
    ("-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", "4HPwATDgc/ABMA"),
    ("-B-CBBB---a---A---ABcbbbd-:1:-1:1:21:3:6:0:7:10", "b9sBCIC5bYDQAA"),
    ("---BBaB-BbA-bC-b--BdAca---:0:0:1:00:0:5:0:9:10", "dB7GGAJsZuJgAg"),
    ("-aAaBaDaB---bD-b-A-cA-b-b-:0:0:1:00:2:4:0:9:10", "Mw5jkCQyz+AhAg"),
    ("--BaBCCBAA------acccc-a--A:0:0:1:00:0:2:0:7:10", "5O4uAAhmdysAQA"),
    ("---BADB------------bf---a-:1:1:1:00:4:0:0:7:10", "4TcAALDeAAAAAA"),
    ("---c--CCB---dB-B---c-BcAb-:1:1:1:00:0:1:0:7:10", "cxzwAA7gbjADEw"),
    ("---aBBCCCB----a-aa-babbbb-:1:1:1:00:1:2:0:9:10", "29aUAAjY7m4AAA"),
    # the top player is on roll
    ("--BBbBB-----aE----Be-c-bb-:1:-1:-1:00:0:0:0:0:8", "NhvwwQCb8wEBBg"),
    ("--BBbBB-----a-----Be-c-bbE:1:-1:-1:00:0:0:0:0:8", "NhsABnyb8wEBBg"),
    ("-b----E-C--AeD---bAdb---A-:0:0:1:52:0:0:3:0:10", "sGfwATDgc+RBIA"),
    ("-b--D-D-C--AeC---b-db-----:0:0:1:00:0:0:1:0:10", "sGfwATB4niMHAA"),
    ("-bBBCCA-----e----b-db-----:0:0:1:00:0:0:3:0:10", "sGfwATC2uwAAAA"),
    ("----abF-B--BbB-Bacbd----A-:0:0:1:41:1:0:0:11:10", "4O3CgAXgZ8wMIA"),
    ("-O-----------------aaa----:1:1:1:00:0:0:3:0:10", "qAAA8P8HAAAAAA"),
    ("aB-B--CaA---dE-a-c-e----B-:0:0:1:00:3:0:0:7:10", "4HPiQUAzTvABMA"),
]


# ---- position IDs ----


@pytest.mark.parametrize(("text", "own", "opponent"), POSITION_IDS)
def test_position_id_names_the_side_on_roll_second(text, own, opponent):
    board = Board(cells_of(own, opponent))
    assert Board.from_position_id(text) == board
    assert board.position_id == text


def test_position_id_of_the_opening_has_the_known_key():
    assert Board.opening().position_key().hex(" ").upper() == "E0 73 F0 01 30 E0 73 F0 01 30"


def test_position_id_with_both_sides_bearing_off():
    # 13 of the other side are off in this ID; a side's missing checkers are always borne off
    board = Board.from_position_id("mxmAQ4PbAQAAAA")
    assert board.off > 0
    assert board.opponent_off > 0
    assert board.position_id == "mxmAQ4PbAQAAAA"


def test_position_id_holds_fifteen_checkers_on_one_point_and_on_the_bar():
    for own, opponent in (("1:15", "1:15"), ("bar:15", "24:15"), ("24:15", "bar:15")):
        board = Board(cells_of(own, opponent))
        assert Board.from_position_id(board.position_id) == board


@given(boards())
def test_position_id_round_trips(board):
    text = board.position_id
    assert len(text) == 14
    assert Board.from_position_id(text) == board


@given(boards(n_checkers=3))
def test_position_id_round_trips_with_three_checkers(board):
    assert Board.from_position_id(board.position_id, n_checkers=3) == board


def id_of(bits: str) -> str:
    """Return the ID of a key whose bits are given from the lowest on."""
    number = int(bits[::-1] or "0", 2)
    return base64.b64encode(number.to_bytes(10, "little"))[:14].decode()


BAD_POSITION_IDS = [
    ("", "0 letters"),
    ("4HPwATDgc/ABM", "13 letters"),
    ("4HPwATDgc/ABMAA", "15 letters"),
    ("4HPwATDgc/ABMA==", "16 letters"),
    (" 4HPwATDgc/ABMA", "15 letters"),
    ("4HPwATDgc-ABMA", "'-'"),
    ("4HPwATDgc_ABMA", "'_'"),
    ("4HPwATDgc/ABM=", "'='"),
    ("4HPwATDgc/ABM\n", "letter 14"),
    ("4HPwATDgc/ABMé", "letter 14"),
    ("4HPwATDgc/ABMB", "unused bits"),
    ("4HPwATDgc/ABMP", "unused bits"),
    ("//////////////", "unused bits"),
    ("/////////////w", "80 bits"),
    ("AAAAAAAAAAAAAA", "everything off"),
    (id_of("1" + "0" * 50 + "1"), "behind the last field"),
    (id_of("1" * 16 + "0" * 25 + "1"), "too many checkers of the opponent"),
    (id_of("1" + "0" * 25 + "1" * 16), "too many checkers of the player on roll"),
    # the other side's 5-point is the 20-point of the side on roll
    (id_of("00001" + "0" * 21 + "0" * 19 + "1"), "both sides have checkers on one point"),
    (id_of(("110" * 6 + "0" * 18 + "10") * 2), "closed boards"),
]


@pytest.mark.parametrize(("text", "words"), BAD_POSITION_IDS)
def test_bad_position_ids_are_refused_with_the_reason(text, words):
    with pytest.raises(IdError, match=words):
        Board.from_position_id(text)


@pytest.mark.parametrize("value", [None, 5, b"4HPwATDgc/ABMA", ["4HPwATDgc/ABMA"]])
def test_a_position_id_is_a_text(value):
    with pytest.raises(IdError, match="text"):
        Board.from_position_id(value)


def test_more_checkers_than_the_variant_has_are_refused():
    with pytest.raises(IdError, match="too many"):
        Board.from_position_id("4HPwATDgc/ABMA", n_checkers=3)


@given(st.binary(min_size=10, max_size=10))
def test_every_key_is_refused_or_gives_back_its_text(key):
    text = base64.b64encode(key)[:14].decode()
    try:
        board = Board.from_position_id(text)
    except IdError:
        return
    assert board.position_id == text


@given(st.text(max_size=20))
def test_any_text_is_refused_as_a_position_id_or_gives_back_itself(text):
    try:
        board = Board.from_position_id(text)
    except IdError:
        return
    assert board.position_id == text


def test_a_bad_id_among_many_is_named():
    good = "4HPwATDgc/ABMA"
    assert boards_from_position_ids([good, good]).shape == (2, 26)
    assert boards_from_position_ids([]).shape == (0, 26)
    with pytest.raises(IdError, match=r"row 1: .* 3 letters"):
        boards_from_position_ids([good, "bad"])
    with pytest.raises(IdError, match=r"row 2: .* unused bits"):
        boards_from_position_ids([good, good, "4HPwATDgc/ABMB"])
    with pytest.raises(IdError, match=r"row 0: .* not int"):
        boards_from_position_ids([1, good])
    with pytest.raises(IdError, match=r"row 1: .* too many checkers"):
        boards_from_position_ids(["ADAAAQAkIAAAAA", good], n_checkers=3)
    with pytest.raises(IdError, match="list"):
        boards_from_position_ids(good)


@given(st.lists(boards() | st.text("4HPwATDgc/BM=\n\xe9", max_size=15), max_size=8))
def test_many_ids_are_read_as_one_by_one(items):
    texts = [item if isinstance(item, str) else item.position_id for item in items]
    for given_texts in (texts, iter(texts), np.array(texts, dtype=object), np.array(texts, "U15")):
        try:
            read = boards_from_position_ids(given_texts)
        except IdError:
            assert any(isinstance(item, str) for item in items)
            with pytest.raises(IdError):
                [Board.from_position_id(text) for text in texts]
        else:
            assert [Board(row) for row in read] == [Board.from_position_id(t) for t in texts]


@pytest.mark.parametrize(
    "keys", [np.zeros((2, 9), np.uint8), np.zeros((2, 10)), np.zeros(10, np.uint8)]
)
def test_keys_in_a_batch_are_ten_bytes_each(keys):
    with pytest.raises(IdError, match="10"):
        read_position_keys(keys)


@pytest.mark.parametrize("length", [0, 9, 11])
def test_a_position_key_has_ten_bytes(length):
    with pytest.raises(IdError, match="10"):
        read_position_key(bytes(length))


# ---- XGIDs ----


@pytest.mark.parametrize(("xgid", "position_id"), XGIDS)
def test_xgid_and_position_id_tell_of_the_same_board(xgid, position_id):
    board = Board.from_position_id(position_id)
    assert Board.from_xgid(xgid) == board
    assert Board.from_xgid("XGID=" + xgid) == board
    assert Board.from_xgid(board.xgid_board) == board
    record = parse_xgid(xgid)
    assert str(record) == "XGID=" + xgid
    if record.turn == 1:
        assert board.xgid_board == xgid[:26]


@pytest.mark.parametrize(
    ("row", "own", "opponent"), [(10, 159, 163), (11, 114, 163), (12, 43, 163), (13, 154, 158)]
)
def test_pips_are_those_that_xg_prints(row, own, opponent):
    board = Board.from_xgid(XGIDS[row][0])
    assert (board.pips, board.opponent_pips) == (own, opponent)


def test_all_fields_of_an_xgid():
    assert parse_xgid("XGID=-B-CBBB---a---A---ABcbbbd-:1:-1:1:21:3:6:0:7:10") == Xgid(
        cells=tuple(cells_of("19:2 18:1 14:1 6:2 5:2 4:2 3:3 1:2", "15:1 4:2 3:2 2:2 1:4 5:3")),
        cube_log2=1,
        cube_owner=-1,
        turn=1,
        dice=(2, 1),
        action="",
        score_bottom=3,
        score_top=6,
        rules=0,
        length=7,
        max_cube_log2=10,
    )


def test_top_player_on_roll_sees_the_board_from_his_side():
    record = parse_xgid("--BBbBB-----aE----Be-c-bb-:1:-1:-1:00:0:0:0:0:8")
    assert (record.turn, record.cube_owner, record.cube_log2) == (-1, -1, 1)
    assert Board(record.cells).swapped() == Board(record.cells_on_roll)


def test_an_owned_cube_at_an_even_score():
    record = parse_xgid("--CBCBC------B--b--cabbcb-:1:1:1:21:0:0:0:0:8")
    assert (record.cube_log2, record.cube_owner, record.dice) == (1, 1, (2, 1))


def test_the_bottom_players_score_comes_first():
    record = parse_xgid("----abF-B--BbB-Bacbd----A-:0:0:1:41:1:0:0:11:10")
    assert (record.score_bottom, record.score_top, record.length) == (1, 0, 11)


def test_rules_field_means_crawford_in_a_match_and_jacoby_and_beavers_for_money():
    text = "-b----E-C---eE---c-e----B-:0:0:1:00:{}:0:{}:{}:10"
    assert parse_xgid(text.format(4, 1, 5)).is_crawford
    assert not parse_xgid(text.format(4, 1, 5)).has_jacoby
    for rules in range(4):
        record = parse_xgid(text.format(0, rules, 0))
        assert (record.has_jacoby, record.has_beavers) == (rules in (1, 3), rules in (2, 3))
        assert not record.is_crawford


@pytest.mark.parametrize("action", ["D", "B", "R"])
def test_cube_actions_in_the_dice_field(action):
    text = f"-b----E-C---eE---c-e----B-:0:0:-1:{action}:0:0:3:0:10"
    record = parse_xgid(text)
    assert (record.action, record.dice) == (action, None)
    assert str(record) == "XGID=" + text


def test_cubes_are_powers_of_two():
    for log2 in range(11):
        text = f"-b----E-C---eE---c-e----B-:{log2}:1:1:00:0:0:0:0:10"
        assert parse_xgid(text).cube_log2 == log2


def test_the_tenth_field_may_be_missing():
    text = "XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0"
    assert parse_xgid(text).max_cube_log2 is None
    assert str(parse_xgid(text)) == text


def test_a_bare_xgid_begins_with_a_hyphen():
    assert Board.from_xgid("-b----E-C---eE---c-e----B-") == Board.opening()
    assert Board.from_xgid("-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10") == Board.opening()


@given(boards())
def test_xgid_board_round_trips(board):
    assert Board.from_xgid(board.xgid_board) == board
    cells = Board.from_xgid(board.xgid_board + ":0:0:-1:00:0:0:0:0:10")
    assert cells == board.swapped()


def changed(field: int, value: str) -> str:
    fields = ["-b----E-C---eE---c-e----B-", "0", "0", "1", "31", "2", "1", "0", "7", "10"]
    fields[field] = value
    return ":".join(fields)


BAD_XGIDS = [
    ("", "1 field;"),
    ("XGID=", "1 field;"),
    ("4HPwATDgc/ABMA", "1 field;"),
    ("-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0", "8 fields"),
    ("-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10:1", "11 fields"),
    ("XGID=XGID=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", "31 letters"),
    ("xgid=-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10", "31 letters"),
    # handed round as the opening position; it is too short
    (changed(0, "-a-bE-D---cD---c-b-a-E-"), "23 letters"),
    (changed(0, "-b----E-C---eE---c-e----P-"), "'P' at index 24"),
    (changed(0, "-b----E-C---eE---c-e----2-"), "'2' at index 24"),
    (changed(0, "-b----E-C---eE---c-e----B "), "' ' at index 25"),
    (changed(0, "-b----E-C---eE---c-e----C-"), "too many checkers of the player on roll"),
    (changed(0, "-c----E-C---eE---c-e----B-"), "too many checkers of the opponent"),
    (changed(0, "A-----E-C---eE---c-e------"), "index 0"),
    (changed(0, "------E-C---eE---c-e-----b"), "index 25"),
    (changed(0, "--------------------------"), "borne everything off"),
    (changed(0, "aBBBBBB------------bbbbbbA"), "closed boards"),
    (changed(1, "-1"), "cube"),
    (changed(1, "13"), "cube"),
    (changed(1, ""), "cube"),
    (changed(1, "1.0"), "cube"),
    (changed(1, "01"), "cube"),
    (changed(1, "-0"), "cube"),
    (changed(2, "2"), "cube owner"),
    (changed(2, "-2"), "cube owner"),
    (changed(3, "0"), "turn"),
    (changed(3, "2"), "turn"),
    (changed(3, "+1"), "turn"),
    (changed(4, "3"), "dice"),
    (changed(4, "311"), "dice"),
    (changed(4, "71"), "dice"),
    (changed(4, "03"), "dice"),
    (changed(4, "30"), "dice"),
    (changed(4, "d"), "dice"),
    (changed(4, "X"), "dice"),
    (changed(4, ""), "dice"),
    (changed(5, "7"), "score of the bottom player"),
    (changed(5, "-1"), "score of the bottom player"),
    (changed(6, "8"), "score of the top player"),
    (changed(6, "x"), "score of the top player"),
    (changed(7, "2"), "rules"),
    (changed(7, "-1"), "rules"),
    ("-b----E-C---eE---c-e----B-:0:0:1:31:0:0:4:0:10", "rules"),
    (changed(8, "-7"), "match length"),
    (changed(8, " 7"), "match length"),
    (changed(8, "\u0667"), "match length"),
    (changed(9, "-1"), "largest cube"),
    (changed(9, "99"), "largest cube"),
    (changed(9, "10\n"), "largest cube"),
]


@pytest.mark.parametrize(("text", "words"), BAD_XGIDS)
def test_bad_xgids_are_refused_with_the_field(text, words):
    with pytest.raises(IdError, match=words):
        parse_xgid(text)
    with pytest.raises(IdError):
        Board.from_xgid(text)


@pytest.mark.parametrize("value", [None, 5, b"-b----E-C---eE---c-e----B-"])
def test_an_xgid_is_a_text(value):
    with pytest.raises(IdError, match="text"):
        parse_xgid(value)
    with pytest.raises(IdError, match="text"):
        Board.from_xgid(value)


@given(st.text(alphabet="-ABCabco:0123459DXGID=", max_size=50))
def test_any_text_is_refused_as_an_xgid_or_read(text):
    try:
        record = parse_xgid(text)
    except IdError:
        return
    assert parse_xgid(str(record)) == record


@pytest.mark.parametrize("texts", [None, 5, "4HPwATDgc/ABMA"])
def test_what_is_no_list_is_no_list_of_ids(texts):
    with pytest.raises(IdError, match="a list of texts"):
        boards_from_position_ids(texts)


def test_ids_may_come_one_after_the_other():
    texts = ["4HPwATDgc/ABMA", "4HPwATDgc/ABMA"]
    found = boards_from_position_ids(text for text in texts)
    assert (found == boards_from_position_ids(texts)).all()


def test_one_letter_is_not_called_letters():
    with pytest.raises(IdError, match="has 1 letter; a position ID has 14"):
        boards_from_position_ids(["a"])
