"""Rollouts of many positions into a file: the same results however often the work is ended."""

import json
import random
import signal
import subprocess
import sys
import time

import pytest

from bgcore import Board, MatchEquityTable, StopRules, rollout, rollout_batch
from bgcore.corpus import contact_boards
from bgcore.errors import BgcoreError, RolloutError
from bgcore.rollout_batch import RolloutTask

ROLLED = "-b----E-C---eE---c-e----B-:0:0:1:31:2:3:0:7:10"
IDS = ["4HPwATDgc/ABMA", ROLLED, *(Board(cells).position_id for cells in contact_boards()[:60:5])]
QUICK = {"trials": 36, "truncate": 2}


def documents(path):
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("batch") / "whole.jsonl"
    assert rollout_batch(IDS, path, plays=2, **QUICK) == len(IDS)
    return path


def test_every_line_is_the_rollout_of_its_position(whole):
    found = documents(whole)
    assert [document["id"] for document in found] == IDS
    alone = rollout(Board.opening(), "31", plays=2, **QUICK)
    assert found[1]["candidates"] == alone.to_dict()["candidates"]
    assert found[1]["dice"] == [3, 1]
    assert found[0]["candidates"] == rollout(Board.opening(), **QUICK).to_dict()["candidates"]
    assert [path.name for path in whole.parent.iterdir()] == ["whole.jsonl"]


class Stop(Exception):
    pass


def stopping_after(n):
    """A list of IDs whose work ends at number n, in the middle of a position."""

    class Bar:
        def part(self, number, count):
            def tell(now):
                if number == n:
                    raise Stop

            return tell

    return Bar()


@pytest.mark.parametrize("n", [0, 1, 7])
def test_ended_and_begun_again_it_is_the_same(whole, tmp_path, n):
    path = tmp_path / "r.jsonl"
    with pytest.raises(Stop):
        rollout_batch(IDS, path, plays=2, progress=stopping_after(n), **QUICK)
    assert not path.exists()
    part = tmp_path / "r.jsonl.part"
    assert len(part.read_text(encoding="utf-8").splitlines()) == n + 1
    assert rollout_batch(IDS, path, plays=2, jobs=2, **QUICK) == len(IDS)
    assert path.read_bytes() == whole.read_bytes()
    assert not part.exists()


def test_a_line_that_was_cut_off_is_written_again(whole, tmp_path):
    path = tmp_path / "r.jsonl"
    with pytest.raises(Stop):
        rollout_batch(IDS, path, plays=2, progress=stopping_after(3), **QUICK)
    part = tmp_path / "r.jsonl.part"
    good = part.read_bytes()
    lengths = [len(good) - 1, len(good) - 200, 100, 1, 0]
    for length in lengths:
        part.write_bytes(good[:length])
        rollout_batch(IDS, path, plays=2, **QUICK)
        assert path.read_bytes() == whole.read_bytes()
        path.unlink()
    # ended after the results stood, before the part was removed
    with pytest.raises(Stop):
        rollout_batch(IDS, path, plays=2, progress=stopping_after(3), **QUICK)
    path.write_bytes(whole.read_bytes())
    rollout_batch(IDS, path, plays=2, **QUICK)
    assert path.read_bytes() == whole.read_bytes()


KILLED = """
import sys
from bgcore import rollout_batch
rollout_batch(sys.argv[2:], sys.argv[1], trials=360, truncate=5, jobs=2)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no kill -9")
def test_killed_at_random_moments_it_is_the_same(tmp_path):
    ids = [Board(cells).position_id for cells in contact_boards()[:900:18]]
    path = tmp_path / "r.jsonl"
    command = [sys.executable, "-P", "-c", KILLED, str(path), *ids]
    moments = random.Random(3)
    for _ in range(5):
        process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        time.sleep(moments.uniform(0.3, 1.0))
        process.send_signal(signal.SIGKILL)
        process.wait()
        if path.exists():
            break
    if not path.exists():
        subprocess.run(command, check=True)
    rollout_batch(ids, tmp_path / "whole.jsonl", trials=360, truncate=5)
    assert path.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()


@pytest.fixture
def writing(tmp_path):
    """A process that has begun to write r.jsonl and is at its first positions."""
    command = [sys.executable, "-P", "-c", SLOW, str(tmp_path / "r.jsonl"), *IDS]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
    part = tmp_path / "r.jsonl.part"
    while not (part.exists() and part.read_bytes().count(b"\n")):
        assert process.poll() is None
        time.sleep(0.02)
    yield process
    process.kill()
    process.wait()


SLOW = """
import sys, time
from bgcore import rollout_batch
class Bar:
    def part(self, number, count):
        return lambda now: time.sleep(3600)
rollout_batch(sys.argv[2:], sys.argv[1], trials=36, truncate=2, plays=2, progress=Bar())
"""


def test_two_processes_do_not_write_the_same_results(whole, tmp_path, writing):
    path, part = tmp_path / "r.jsonl", tmp_path / "r.jsonl.part"
    before = part.read_bytes()
    with pytest.raises(RolloutError, match=r"r\.jsonl\.part' is being written by another process"):
        rollout_batch(IDS, path, plays=2, **QUICK)
    assert part.read_bytes() == before
    assert writing.poll() is None
    writing.kill()
    writing.wait()
    assert rollout_batch(IDS, path, plays=2, **QUICK) == len(IDS)
    assert path.read_bytes() == whole.read_bytes()


def test_a_process_does_not_write_the_same_results_twice_at_once(whole, tmp_path):
    path = tmp_path / "r.jsonl"

    class Bar:
        def part(self, number, count):
            with pytest.raises(RolloutError, match="is being written"):
                rollout_batch(IDS, path, plays=2, **QUICK)

    rollout_batch(IDS, path, plays=2, progress=Bar(), **QUICK)
    assert path.read_bytes() == whole.read_bytes()


def test_results_that_appear_while_the_part_is_opened_are_kept(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text("mine", encoding="utf-8")
    (tmp_path / "r.jsonl.part").touch()
    with pytest.raises(RolloutError, match="is there already"):
        rollout_batch(IDS, path, **QUICK)
    assert [entry.name for entry in tmp_path.iterdir()] == ["r.jsonl"]
    assert path.read_text(encoding="utf-8") == "mine"


def test_other_work_is_not_mixed_in(tmp_path):
    path = tmp_path / "r.jsonl"
    with pytest.raises(Stop):
        rollout_batch(IDS, path, progress=stopping_after(2), **QUICK)
    before = (tmp_path / "r.jsonl.part").read_bytes()
    for changes, word in (
        ({"trials": 72}, "trials"),
        ({"seed": 1}, "seed"),
        ({"truncate": 3}, "truncate"),
        ({"cube": True}, "cube"),
        ({"plays": 3}, "plays"),
        ({"policy": "pips"}, "policy"),
        ({"stop": StopRules(equity_se=1)}, "stop"),
    ):
        with pytest.raises(RolloutError, match=f"begun with {word}"):
            rollout_batch(IDS, path, **QUICK | changes)
    with pytest.raises(RolloutError, match="other positions"):
        rollout_batch(IDS[::-1], path, **QUICK)
    assert (tmp_path / "r.jsonl.part").read_bytes() == before


def test_another_table_is_other_work(tmp_path):
    path = tmp_path / "r.jsonl"
    linear = [[0.5 + (j - i) / 20 for j in range(7)] for i in range(7)]
    table, other = (
        MatchEquityTable(linear, [last - i / 20 for i in range(7)]) for last in (0.5, 0.45)
    )
    how = QUICK | {"cube": True}
    with pytest.raises(Stop):
        rollout_batch(IDS, path, met=table, progress=stopping_after(2), **how)
    for changed in ({}, {"met": other}):
        with pytest.raises(RolloutError, match="begun with met"):
            rollout_batch(IDS, path, **how, **changed)
    assert rollout_batch(IDS, path, met=table, **how) == len(IDS)


@pytest.mark.parametrize(
    "content", [b"thesis", b"thesis\n", b"{}\n", b'{"format": "bgcore-rollout-batch"}\n', b"\xff\n"]
)
def test_a_part_that_is_something_else_is_kept(tmp_path, content):
    part = tmp_path / "r.jsonl.part"
    part.write_bytes(content)
    with pytest.raises(RolloutError):
        rollout_batch(IDS, tmp_path / "r.jsonl", **QUICK)
    assert part.read_bytes() == content


def test_a_damaged_line_is_told(tmp_path):
    path = tmp_path / "r.jsonl"
    with pytest.raises(Stop):
        rollout_batch(IDS, path, progress=stopping_after(3), **QUICK)
    part = tmp_path / "r.jsonl.part"
    good = part.read_bytes().splitlines(keepends=True)
    for bad in (
        [good[0], good[2], good[1]],
        [*good[:2], b"{]\n"],
        [*good[:2], b"3\n"],
        good + [good[1]] * 20,
    ):
        part.write_bytes(b"".join(bad))
        with pytest.raises(RolloutError, match="damaged"):
            rollout_batch(IDS, path, **QUICK)


def test_nothing_is_begun_that_cannot_be_done(tmp_path):
    over = "-A------------------------:0:0:1:31:0:0:0:0:10"
    for ids, out, settings in (
        ([], "r.jsonl", {}),
        ([*IDS, over], "r.jsonl", {}),
        ([*IDS, "nonsense"], "r.jsonl", {}),
        (IDS, "r.csv", {}),
        (IDS, "none/r.jsonl", {}),
        (IDS, "r.jsonl", {"luck": "pure"}),
        (IDS, "r.jsonl", {"trials": 0}),
        (IDS[:1], "r.jsonl", {"plays": 2}),
        (IDS, "r.jsonl", {"stop": StopRules(seconds=1)}),
        (IDS, "r.jsonl", {"met": MatchEquityTable([[0.5]], [0.5])}),
        (IDS, ".jsonl", {}),
        ([ROLLED.replace(":0:7:", ":0:3:")], "r.jsonl", {"cube_decision": True}),
    ):
        with pytest.raises((BgcoreError, OSError)):
            rollout_batch(ids, tmp_path / out, **QUICK | settings)
    assert list(tmp_path.iterdir()) == []


def test_results_are_not_written_over(tmp_path):
    path = tmp_path / "r.jsonl"
    path.write_text("mine", encoding="utf-8")
    with pytest.raises(RolloutError, match="is there already"):
        rollout_batch(IDS, path, **QUICK)
    assert path.read_text(encoding="utf-8") == "mine"


def test_a_position_that_is_interrupted_is_not_written(tmp_path):
    path = tmp_path / "r.jsonl"

    class Bar:
        def part(self, number, count):
            return lambda now: now.cancel() if number == 2 else None

    done = rollout_batch(IDS[:4], path, progress=Bar(), trials=720, truncate=2)
    assert done == 2
    assert not path.exists()
    assert len(documents(tmp_path / "r.jsonl.part")) == 1 + 2


def test_cube_decisions_and_stop_rules(tmp_path):
    path = tmp_path / "r.jsonl"
    ids = ["4HPwATDgc/ABMA", ROLLED]
    rollout_batch(ids, path, cube_decision=True, stop=StopRules(equity_se=0.5), **QUICK)
    money, match = documents(path)
    assert money["verdict"] == "no double, take"
    assert (match["dice"], match["candidates"][1]["action"]) == (None, "double, take")
    assert match["mwc"]["double_pass"] == pytest.approx(
        RolloutTask.read(ROLLED, cube=True).cube.mwc_after(1)
    )


def test_dice_that_are_given_count_for_all(tmp_path):
    path = tmp_path / "r.jsonl"
    rollout_batch(["4HPwATDgc/ABMA", ROLLED], path, dice="64", plays=1, **QUICK)
    assert [document["dice"] for document in documents(path)] == [[6, 4]] * 2


# -- parquet --


@pytest.mark.extras
def test_a_parquet_file_holds_the_columns(whole, tmp_path):
    from pyarrow import parquet

    path = tmp_path / "r.parquet"
    with pytest.raises(Stop):
        rollout_batch(IDS, path, plays=2, progress=stopping_after(4), **QUICK)
    rollout_batch(IDS, path, plays=2, **QUICK)
    table = parquet.read_table(path)
    found = documents(whole)
    rows = [(number, c) for number, d in enumerate(found) for c in d["candidates"]]
    assert table["rollout"].to_pylist() == [number for number, _ in rows]
    assert table["win"].to_pylist() == [candidate["win"] for _, candidate in rows]
    assert table["id"].to_pylist() == [IDS[number] for number, _ in rows]
    again = tmp_path / "again.parquet"
    rollout_batch(IDS, again, plays=2, **QUICK)
    assert again.read_bytes() == path.read_bytes()


def test_without_pyarrow_nothing_is_begun(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(RolloutError, match=r"pip install 'bgcore\[arrow\]'"):
        rollout_batch(IDS, tmp_path / "r.parquet", **QUICK)
    assert list(tmp_path.iterdir()) == []
