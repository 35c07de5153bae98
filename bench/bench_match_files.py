"""How fast archives of matches are read, every play verified.

pytest bench/bench_match_files.py --benchmark-disable -s      prints the figures once

The load is the 206 records of tests/data/gnubg_matches.tar.xz, and for the comparison all of their
games as one money session, since GNU Backgammon imports one match of a file. The limit is what any
reader must do at least: split the lines and look at every byte of the plays, here by one regular
expression. GNU Backgammon is run where it is installed; its start is taken off.
"""

import io
import re
import shutil
import subprocess
import tarfile
import time
from pathlib import Path

import pytest

from bgcore import read_matches, write_matches
from bgcore.match import MoneySession

ARCHIVE = Path(__file__).parents[1] / "tests" / "data" / "gnubg_matches.tar.xz"
GNUBG = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
#: Nothing slower goes through, in MB/s of processor time on one core.
SLOWEST = 2.0


def records():
    with tarfile.open(ARCHIVE) as archive:
        return b"".join(
            archive.extractfile(entry).read() for entry in archive if entry.name.endswith(".mat")
        )


def one_session(repeats):
    """All games as one session, as text: names, scores and numbers of the games are new."""
    games = re.split(rb"^ Game \d+\n.*\n", records(), flags=re.MULTILINE)[1:]
    lines, scores = [b" 0 point match\n"], [0, 0]
    for number, game in enumerate(games * repeats, start=1):
        game = re.split(rb"^;", game, flags=re.MULTILINE)[0].rstrip()
        head = f"\n Game {number}\n {f'Anna : {scores[0]}':<30}  Ben : {scores[1]}\n"
        lines += [head.encode(), game, b"\n"]
        last = game.rsplit(b"\n", 1)[-1]
        won = re.search(rb"Wins (\d+)", last)
        scores[won.start() > 20] += int(won[1])
    return b"".join(lines)


def read_all(data):
    reader = read_matches(io.BytesIO(data), "mat")
    games = sum(len(match.games) for match in reader)
    assert reader.problems == []
    return games


def look_at_all(data):
    """The limit: every line and every number of the plays is found, and nothing made of it."""
    return len(data.split(b"\n")), sum(1 for _ in re.finditer(rb"\d+/\d+", data))


def seconds(work, *arguments):
    start = time.process_time()
    work(*arguments)
    return time.process_time() - start


def test_matches_are_read_and_verified(benchmark):
    data = records()
    benchmark.group = "bytes of .mat"
    benchmark.extra_info.update(unit="bytes", n=len(data))
    assert benchmark(read_all, data) == 1029
    took = min(seconds(read_all, data) for _ in range(3))
    limit = min(seconds(look_at_all, data) for _ in range(3))
    print(f"\n{len(data) / took / 1e6:.1f} MB/s; {took / limit:.1f} times the limit")
    assert len(data) / took > 1e6 * SLOWEST


def test_actions_are_made_of_what_was_read(benchmark):
    """The same, and every state and action asked for: what a program pays that looks at all."""
    data = records()[:60_000].rsplit(b"; [", 1)[0]

    def walk():
        return sum(
            len(game.history) for match in read_matches(io.BytesIO(data)) for game in match.games
        )

    benchmark.group = "bytes of .mat"
    benchmark.extra_info.update(unit="bytes", n=len(data))
    assert benchmark.pedantic(walk, rounds=1) > 1000


def test_matches_are_written(benchmark):
    matches = list(read_matches(io.BytesIO(records()[:60_000].rsplit(b"; [", 1)[0])))
    benchmark.group = "bytes of .mat"
    benchmark.pedantic(lambda: write_matches(io.BytesIO(), matches, "mat"), rounds=1)


@pytest.mark.skipif(GNUBG is None, reason="gnubg is not installed")
@pytest.mark.parametrize("repeats", [1, 4])
def test_gnubg_reads_the_same_file(benchmark, tmp_path, repeats):
    data = one_session(repeats)
    (tmp_path / "all.mat").write_bytes(data)
    (session,) = read_matches(io.BytesIO(data))
    assert isinstance(session, MoneySession)
    assert len(session.games) == 1029 * repeats

    def gnubg(*commands):
        before = children_seconds()
        done = subprocess.run(
            [GNUBG, "-t", "-q"],
            input="\n".join(["set display off", *commands, ""]),
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env={"HOME": str(tmp_path), "LC_ALL": "C"},
            check=True,
        )
        return children_seconds() - before, done.stdout

    empty = min(gnubg()[0] for _ in range(3))
    theirs, said = gnubg("import mat all.mat", "show score")
    assert f"after {1029 * repeats} games" in said
    ours = min(seconds(read_all, data) for _ in range(3))
    print(
        f"\n{len(data) / 1e6:.1f} MB: bgcore {len(data) / ours / 1e6:.1f} MB/s, gnubg"
        f" {len(data) / (theirs - empty) / 1e6:.2f} MB/s, {(theirs - empty) / ours:.1f} times"
    )
    benchmark.group = "bytes of .mat"
    benchmark.extra_info.update(gnubg_seconds=theirs - empty)
    benchmark.pedantic(read_all, args=(data,), rounds=1)


def children_seconds():
    import resource

    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime
