"""IDs of random positions read by GNU Backgammon itself (pytest -m peers).

Outcome with GNU Backgammon 1.07.001 (Debian): 300 XGIDs and 300 pairs of position and match ID,
all read as the same position, cube, score, dice and side on roll.
"""

import random
import re
import shutil
import subprocess

import pytest

from bgcore import Board, Position, Rules
from bgcore.corpus import contact_boards

GNUBG = shutil.which("gnubg") or shutil.which("/usr/games/gnubg")

pytestmark = [
    pytest.mark.peers,
    pytest.mark.skipif(GNUBG is None, reason="GNU Backgammon is not installed"),
]


def positions(n):
    rng = random.Random(4)
    for cells in contact_boards()[:n]:
        length = rng.choice((0, 0, 3, 7, 25))
        top = length - 1 if length else 9
        scores = (rng.randint(0, top), rng.randint(0, top))
        is_crawford = length > 0 and max(scores) == top > min(scores) and rng.random() < 0.5
        owner = None if is_crawford else rng.choice((None, 0, 1))
        yield Position(
            board=Board(cells),
            on_roll=rng.randint(0, 1),
            dice=rng.choice((None, (rng.randint(1, 6), rng.randint(1, 6)))),
            cube=1 if owner is None else 1 << rng.randint(1, 6),
            cube_owner=owner,
            rules=Rules.match() if length else Rules.money(jacoby=rng.random() < 0.5, beavers=0),
            length=length,
            scores=scores,
            is_crawford=is_crawford,
        )


def read_by_gnubg(command, texts):
    """Return the GNU ID that GNU Backgammon shows after each text."""
    # it draws boards while it reads too; an unknown command marks the one that counts
    lines = [f"{command} {text}\nmark\nshow board" for text in texts]
    done = subprocess.run(
        [GNUBG, "-t", "-q"],
        input="\n".join([*lines, "exit", "y", ""]),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
    )
    shown = done.stdout.split("Unknown keyword `mark'")[1:]
    pattern = re.compile(r"Position ID: (\S+)\s+Match ID\s+: (\S+)")
    return [":".join(pattern.search(part).groups()) for part in shown]


def told(text):
    """What a GNU ID tells; GNU Backgammon sorts the dice."""
    position = Position.from_text(text)
    dice = position.dice and tuple(sorted(position.dice))
    jacoby = None if position.length else position.rules.jacoby
    return (
        position.board,
        position.on_roll,
        dice,
        position.cube,
        position.cube_owner,
        position.length,
        position.scores,
        position.is_crawford,
        jacoby,
    )


@pytest.mark.parametrize(("format", "command"), [("xgid", "set xgid"), ("gnubg", "set gnubgid")])
def test_gnubg_reads_what_bgcore_writes(format, command):
    made = list(positions(300))
    answers = read_by_gnubg(command, [position.to_text(format) for position in made])
    assert len(answers) == len(made)
    for position, answer in zip(made, answers, strict=True):
        if format == "xgid" and position.on_roll == 1:
            # having read it right, `set xgid` seats the player on roll at the bottom
            position = position.with_players_swapped()
        assert told(answer) == told(position.to_text("gnubg")), position
