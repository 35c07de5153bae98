"""Numbers of plays counted by other programs: single rolls, trees, and lists of 1,000 positions."""

import hashlib

import numpy as np
import oracle
import pytest
from testdata import position_ids, rows

from bgcore._core import movegen

#: Layouts with both sides alike, in each side's own numbering.
LAYOUTS = {
    "standard": {24: 2, 13: 5, 8: 3, 6: 5},
    "nackgammon": {24: 2, 23: 2, 13: 4, 8: 3, 6: 4},
    "hypergammon": {24: 1, 23: 1, 22: 1},
    "longgammon": {24: 15},
}


def layout(name):
    board = np.zeros(26, dtype=np.int8)
    for point, count in LAYOUTS[name].items():
        board[point] += count
        board[25 - point] -= count
    return board


def swapped(boards):
    return np.ascontiguousarray(-boards[:, ::-1])


def read_boards(name):
    boards = [oracle.parse_position_id(text) for text in position_ids(name)]
    return np.array(boards, dtype=np.int8)


@pytest.mark.parametrize(("roll", "count"), rows("plays_opening.csv", ","))
def test_number_of_plays_of_the_opening_position(roll, count):
    d1, d2 = oracle.parse_roll(roll)
    assert len(movegen.legal_boards(layout("standard"), d1, d2)) == int(count)
    assert len(movegen.legal_boards(layout("standard"), d2, d1)) == int(count)


@pytest.mark.parametrize(("depth", "nodes", "weighted", "distinct"), rows("perft_opening.csv", ","))
def test_perft_of_the_opening_position(depth, nodes, weighted, distinct):
    board = layout("standard")
    assert movegen.perft(board, int(depth)) == int(nodes)
    assert movegen.perft(board, int(depth), weighted=True) == int(weighted)
    if distinct:
        boards = board[None]
        for _ in range(int(depth)):
            after, _ = movegen.legal_boards_all_rolls(swapped(boards))
            boards = np.unique(after, axis=0)
        assert len(boards) == int(distinct)


@pytest.mark.parametrize(("name", "counts", "total"), rows("plays_layouts.csv", ","))
def test_number_of_plays_of_other_layouts(name, counts, total):
    found = movegen.count_plays(layout(name)[None])[0].tolist()
    assert found == [int(n) for n in counts.split()]
    assert sum(found) == int(total)


@pytest.mark.parametrize(("name", "depth", "nodes", "no_doubles"), rows("perft_layouts.csv", ","))
def test_perft_of_other_layouts(name, depth, nodes, no_doubles):
    board = layout(name)
    assert movegen.perft(board, int(depth)) == int(nodes)
    if no_doubles:
        first = [movegen.legal_boards(board, *roll) for roll in oracle.ROLLS if roll[0] != roll[1]]
        replies = movegen.count_plays(swapped(np.concatenate(first)))
        assert np.maximum(replies, 1).sum() == int(no_doubles)


@pytest.mark.parametrize(
    ("name", "total", "total_doubles", "largest", "digest"), rows("plays_of_lists.csv", ",")
)
def test_number_of_plays_of_public_position_lists(name, total, total_doubles, largest, digest):
    boards = read_boards(name)
    assert boards.shape == (1000, 26)
    counts = movegen.count_plays(boards)
    doubles = [d1 == d2 for d1, d2 in oracle.ROLLS]
    assert counts.sum() == int(total)
    assert counts[:, doubles].sum() == int(total_doubles)
    assert counts.max() == int(largest)
    text = "\n".join(",".join(map(str, row)) for row in counts.tolist())
    assert hashlib.sha256(text.encode()).hexdigest() == digest


@pytest.mark.parametrize("name", ["positions_contact.txt", "positions_race.txt"])
def test_public_position_lists_agree_with_the_oracle(name):
    # Every tenth position: the oracle is slow.
    boards = read_boards(name)[::10]
    after, offsets = movegen.legal_boards_all_rolls(boards)
    after = [tuple(row) for row in after.tolist()]
    for i, board in enumerate(map(tuple, boards.tolist())):
        for j, roll in enumerate(oracle.ROLLS):
            begin, end = offsets[21 * i + j : 21 * i + j + 2]
            assert len(set(after[begin:end])) == end - begin
            assert set(after[begin:end]) == oracle.boards_after(board, *roll)
