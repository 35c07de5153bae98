"""The scripts that make the set of decisions and check it: ended and gone on with, and right."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from boards import cells_of

from bgcore._core.movegen import legal_boards_batch
from bgcore.decision_loss import PHASES, DecisionSet, load_decisions, phases_of

BENCH = Path(__file__).parents[2] / "bench"


def command(script, *words):
    return [sys.executable, str(BENCH / script), *map(str, words)]


def run(script, *words):
    return subprocess.run(
        command(script, *words), check=False, capture_output=True, text=True, timeout=300
    )


def without_seconds(lines):
    """Read lines of JSON, but not the times in them."""
    documents = [json.loads(line) for line in lines.splitlines()]
    return [{**document, "seconds": None} for document in documents]


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A set of 24 decisions, made in one go."""
    path = tmp_path_factory.mktemp("made") / "set.npz"
    answer = run("make_decisions.py", "fast", "--decisions", 24, "--out", path)
    assert answer.returncode == 0, answer.stderr
    assert "24 decisions" in answer.stdout
    assert [file.name for file in path.parent.iterdir()] == ["set.npz"]
    return path


def test_all_phases_occur_and_losses_begin_at_0(made):
    given = load_decisions(made)
    assert np.bincount(phases_of(given.boards), minlength=len(PHASES)).tolist() == [3] * 8
    least = np.minimum.reduceat(given.losses, given.offsets[:-1])
    assert (least == 0).all()
    rolled = ~np.isnan(given.errors)
    assert np.add.reduceat(rolled, given.offsets[:-1]).min() >= 1
    assert np.add.reduceat(rolled, given.offsets[:-1]).max() <= 5


def test_a_run_that_was_killed_goes_on_and_gives_the_same_bytes(made, tmp_path):
    path = tmp_path / "set.npz"
    part = tmp_path / "set.npz.part"
    words = ("make_decisions.py", "fast", "--decisions", 24, "--out", path)
    with subprocess.Popen(command(*words)) as process:
        deadline = time.monotonic() + 120
        while not (part.exists() and part.read_bytes().count(b"\n") >= 4):
            assert process.poll() is None, "it ended before it could be killed"
            assert time.monotonic() < deadline
            time.sleep(0.005)
        os.kill(process.pid, signal.SIGKILL)
    assert not path.exists()
    lines = part.read_bytes().split(b"\n")
    part.write_bytes(b"\n".join(lines[:4]) + b"\n" + lines[3][:20])  # a torn line
    answer = run(*words)
    assert answer.returncode == 0, answer.stderr
    assert path.read_bytes() == made.read_bytes()
    assert not part.exists()


def test_the_first_decisions_can_be_written_alone(made, tmp_path):
    path = tmp_path / "set.npz"
    assert run("make_decisions.py", "fast", "--decisions", 8, "--out", path).returncode == 0
    few, many = load_decisions(path), load_decisions(made)
    assert (few.boards == many.boards[:8]).all()
    assert (few.losses == many.losses[: len(few.losses)]).all()


def test_processes_change_nothing(made, tmp_path):
    path = tmp_path / "set.npz"
    answer = run("make_decisions.py", "fast", "--decisions", 24, "--jobs", 2, "--out", path)
    assert answer.returncode == 0, answer.stderr
    assert path.read_bytes() == made.read_bytes()


def test_a_part_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "set.npz"
    part = tmp_path / "set.npz.part"
    words = ("make_decisions.py", "fast", "--decisions", 8, "--out", path)
    for content, reason in (
        (b'{"seed": 1}\n', "something else"),
        (b"no JSON\n", "no file of kept lines"),
    ):
        part.write_bytes(content)
        answer = run(*words)
        assert answer.returncode == 1
        assert reason in answer.stderr
        assert answer.stderr.count("\n") == 1
        assert part.read_bytes() == content
    assert not path.exists()


def test_full_rollouts_are_gone_on_with(made, tmp_path):
    out = tmp_path / "full.jsonl"
    words = ("check_decisions.py", "full", "fast", "--set", made, "--out", out)
    first = run(*words, "--decisions", 3)
    assert first.returncode == 0, first.stderr
    lines = out.read_bytes().split(b"\n")
    whole = out.read_bytes()
    out.write_bytes(b"\n".join(lines[:3]) + b"\n" + lines[3][:9])
    again = run(*words, "--decisions", 3)
    # all but the hours
    assert again.stdout.split("\n")[:-2] == first.stdout.split("\n")[:-2]
    assert without_seconds(out.read_bytes()) == without_seconds(whole)
    assert first.stdout.split("\n")[1].split()[:2] == ["all", "3"]
    assert run("check_decisions.py", "full", "strong", "--set", made, "--out", out).returncode == 1


@pytest.mark.peers
@pytest.mark.parametrize(
    ("is_right", "numbers"), [(True, ["100.0 %", " 0.00 +- 0.00"]), (False, [" 0.0 %", " 2000.00"])]
)
def test_a_referee_plays_to_win_and_values_what_the_set_calls_best(tmp_path, is_right, numbers):
    # both checkers go off and win, or the play leaves one and the opponent ends the game: 2 points
    boards = np.array([cells_of("2:1 1:1", "1:1"), cells_of("3:1 1:1", "1:1")], np.int8)
    dice = np.array([[2, 1], [3, 1]], np.uint8)
    plays, _ = legal_boards_batch(boards, dice)
    wins = (plays > 0).sum(axis=1) == 0
    losses = np.where(wins == is_right, 0.0, 2.0)
    path = tmp_path / "set.npz"
    DecisionSet.of(boards, dice, losses, np.where(losses == 0, 0.0, np.nan), {}).save(path)
    words = ("check_decisions.py", "gnubg-nn", "--set", path, "--out", tmp_path / "said.jsonl")
    answer = run(*words)
    assert answer.returncode == 0, answer.stderr
    row = answer.stdout.split("\n")[1]
    assert row.split()[:2] == ["all", "2"]
    for number in numbers:
        assert number in row
    said = (tmp_path / "said.jsonl").read_bytes()
    assert run(*words).stdout.split("\n")[1] == row
    assert (tmp_path / "said.jsonl").read_bytes() == said  # nothing is asked twice
