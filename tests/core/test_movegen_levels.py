"""All builds of the core list the same plays in the same order, byte for byte."""

import hashlib
import os
import subprocess
import sys

import oracle
import pytest
from testdata import DATA, position_ids

from bgcore._core import cpu_levels

SCRIPT = """
import hashlib, sys
import numpy as np
from bgcore._core import CPU_LEVEL, movegen

boards = np.frombuffer(sys.stdin.buffer.read(), dtype=np.int8).reshape(-1, 26)
digest = hashlib.sha256()
for array in movegen.legal_boards_all_rolls(boards):
    digest.update(array.tobytes())
for board in boards[::50]:
    for array in movegen.legal_plays(board, 2, 1)[:2] + movegen.legal_plays(board, 4, 4)[:2]:
        digest.update(array.tobytes())
print(CPU_LEVEL, digest.hexdigest())
"""

# Plays go straight into the array, or, where little room is left, by way of a buffer.
PLACES = """
import sys
import numpy as np
from bgcore._core import CPU_LEVEL, movegen

boards = np.frombuffer(sys.stdin.buffer.read(), dtype=np.int8).reshape(-1, 26)
for n in (1, 60):
    right, offsets = movegen.legal_boards_all_rolls(boards[:n])
    for spare in (0, 5000):  # rows beyond the needed ones
        size = right.size + 26 * spare
        memory = np.empty(size + 256, dtype=np.int8)
        for shift in range(64):
            memory[:] = 99
            first = -memory.ctypes.data % 64 + 64 + shift
            out = memory[first : first + size].reshape(-1, 26)
            after, found = movegen.legal_boards_all_rolls(boards[:n], out)
            assert np.array_equal(after, right) and np.array_equal(found, offsets)
            assert (memory[:first] == 99).all() and (memory[first + size :] == 99).all()
print(CPU_LEVEL, len(boards))
"""


def run(level, boards, script=SCRIPT):
    """The two words that a process of its own prints."""
    result = subprocess.run(
        [sys.executable, "-P", "-c", script],
        input=boards,
        env={**os.environ, "BGCORE_CPU": level},
        cwd=DATA,  # not the source tree
        capture_output=True,
        check=True,
    )
    return result.stdout.decode().split()


@pytest.mark.parametrize("name", ["positions_contact.txt", "positions_race.txt"])
def test_all_levels_list_the_same_bytes(name):
    cells = [n for text in position_ids(name) for n in oracle.parse_position_id(text)]
    boards = bytes(n & 255 for n in cells)
    levels = ("", *cpu_levels())  # "": the best of them
    said = [run(level, boards) for level in levels]
    assert [level for level, _ in said] == [levels[-1], *levels[1:]]
    assert len({digest for _, digest in said}) == 1
    assert said[0][1] != hashlib.sha256().hexdigest()


@pytest.mark.parametrize("level", cpu_levels())
def test_array_of_the_caller_may_start_anywhere_and_nothing_beside_it_is_written(level):
    cells = [
        n for text in position_ids("positions_contact.txt") for n in oracle.parse_position_id(text)
    ]
    assert run(level, bytes(n & 255 for n in cells), PLACES) == [level, str(len(cells) // 26)]
