"""Both builds of the core list the same plays in the same order, byte for byte."""

import hashlib
import os
import subprocess
import sys

import oracle
import pytest
from testdata import DATA, position_ids

from bgcore._core.cpu import has_x86_64_v3

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


def run(level, boards):
    """The level and the digest that a process of its own prints."""
    result = subprocess.run(
        [sys.executable, "-P", "-c", SCRIPT],
        input=boards,
        env={**os.environ, "BGCORE_CPU": level},
        cwd=DATA,  # not the source tree
        capture_output=True,
        check=True,
    )
    return result.stdout.decode().split()


@pytest.mark.skipif(not has_x86_64_v3(), reason="this processor has one level only")
@pytest.mark.parametrize("name", ["positions_contact.txt", "positions_race.txt"])
def test_both_levels_list_the_same_bytes(name):
    cells = [n for text in position_ids(name) for n in oracle.parse_position_id(text)]
    boards = bytes(n & 255 for n in cells)
    base, fast = run("baseline", boards), run("x86-64-v3", boards)
    assert (base[0], fast[0]) == ("baseline", "x86-64-v3")
    assert base[1] == fast[1]
    assert base[1] != hashlib.sha256().hexdigest()
