"""Rollouts that are stopped, saved, gone on with, extended and merged: always the same bits."""

import json
import os
import random
import signal
import struct
import subprocess
import sys
import time
import zipfile
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import numpy as np
import pytest

from bgcore import Board, CubeContext, NetEvaluator, Rollout, StopRules, rollout
from bgcore.errors import NetError, RolloutError
from bgcore.nets import load_net
from bgcore.resumable_rollout import _checksum

START = Board.opening()
QUICK = {"seed": 5, "truncate": 3}


def bits(made):
    """Everything that a rollout has found, to the last bit."""
    result = made if not isinstance(made, Rollout) else made.result()
    document = result.to_dict()
    return json.dumps(document), result.totals.to_dict(), result.totals.first_values.tobytes()


@pytest.fixture(scope="module")
def whole():
    return rollout(START, "31", trials=288, plays=3, **QUICK)


def new():
    return Rollout(START, "31", plays=3, **QUICK)


def test_in_one_piece_it_is_the_rollout(whole):
    made = new()
    made.run(288)
    assert bits(made) == bits(whole)
    assert made.ranges == ((0, 288),)


def test_extended_bit_by_bit_it_is_the_same(whole):
    made = new()
    for trials in (36, 72, 180, 180, 288):
        made.run(trials)
    assert bits(made) == bits(whole)


def test_merged_from_machines_in_any_order_it_is_the_same(whole, tmp_path):
    parts = []
    for number, (first, trials) in enumerate([(108, 72), (0, 108), (180, 108)]):
        part = new()
        part.run(trials, first=first, path=tmp_path / f"{number}.bgr")
        parts.append(Rollout.load(tmp_path / f"{number}.bgr"))
    made = parts[0]
    made.merge(parts[1])
    assert made.ranges == ((0, 180),)
    made.merge(parts[2])
    assert bits(made) == bits(whole)


def test_a_hole_between_the_parts_is_filled(whole):
    made = new()
    made.run(72, first=144)
    made.run(36)
    assert made.ranges == ((0, 36), (144, 216))
    made.run(288)
    assert bits(made) == bits(whole)


def test_saved_and_loaded_it_goes_on(whole, tmp_path):
    path = tmp_path / "r.bgr"
    made = new()
    made.run(108)
    made.save(path)
    again = Rollout.load(path)
    assert bits(again) == bits(made)
    again.run(288, path=path)
    assert bits(again) == bits(whole)
    assert bits(Rollout.load(path)) == bits(whole)
    assert os.listdir(tmp_path) == ["r.bgr"]


@pytest.mark.parametrize("jobs", [2, 3])
def test_threads_change_nothing(whole, jobs):
    made = new()
    made.run(288, jobs=jobs)
    assert bits(made) == bits(whole)


def test_any_executor_will_do(whole):
    made = new()
    with ThreadPoolExecutor(3) as pool:
        made.run(144, executor=pool, jobs=3)
    with ProcessPoolExecutor(2) as pool:
        made.run(288, executor=pool, jobs=2)
    assert bits(made) == bits(whole)


def test_what_is_done_stays_when_the_work_fails(whole):
    class Fails(ThreadPoolExecutor):
        left = 3

        def submit(self, *arguments):
            self.left -= 1
            if self.left < 0:
                raise OSError("no more workers")
            return super().submit(*arguments)

    made = new()
    with Fails(1) as pool, pytest.raises(OSError, match="no more workers"):
        made.run(288, executor=pool)
    assert 0 < made.trials < 288
    made.run(288)
    assert bits(made) == bits(whole)


def test_trials_are_rounded_up_to_whole_blocks():
    made = new()
    assert made.run(37).trials == 72
    assert made.step == 36
    with pytest.raises(RolloutError, match="multiple of 36"):
        made.run(36, first=40)


def test_overlapping_and_foreign_parts_are_refused(tmp_path):
    made, other = new(), new()
    made.run(72)
    other.run(72, first=36)
    before = bits(made)
    with pytest.raises(RolloutError, match="36 to 71 are in the totals already"):
        made.merge(other)
    for changes, word in (
        ({"seed": 6}, "seed"),
        ({"truncate": 4}, "truncate"),
        ({"luck": "none"}, "luck"),
        ({"policy": "pips"}, "policy"),
        ({"plays": 2}, "boards_after"),
        ({"stratified": False}, "stratified"),
    ):
        foreign = Rollout(START, "31", **{"plays": 3, **QUICK, **changes})
        foreign.run(36, first=72)
        with pytest.raises(RolloutError, match=f"do not belong together: {word}"):
            made.merge(foreign)
    with pytest.raises(RolloutError):
        made.merge("r.bgr")
    assert bits(made) == before


def test_the_setting_of_the_cube_that_differs_is_named():
    parts = [Rollout(START, cube=CubeContext(needs=needs), **QUICK) for needs in ((3, 5), (5, 3))]
    with pytest.raises(RolloutError, match=r"cube is another one: needs is \[3, 5\] and \[5, 3\]"):
        parts[0].check_same(parts[1])


def test_two_writers_do_not_share_a_file(tmp_path):
    path = tmp_path / "r.bgr"
    first = new()
    steps = first.checkpoints(144, every=72, path=path)
    next(steps)
    with pytest.raises(RolloutError, match="written by another process"):
        new().run(36, path=path)
    asked = (
        "import sys\nfrom bgcore import Board, Rollout\n"
        "made = Rollout(Board.opening(), truncate=2)\n"
        "try: made.run(36, path=sys.argv[1])\n"
        "except ValueError as error: print(error)"
    )
    told = subprocess.run(
        [sys.executable, "-P", "-c", asked, path],
        capture_output=True,
        text=True,
        check=True,
        timeout=100,
    )
    assert "written by another process" in told.stdout
    assert [result.trials for result in steps] == [144]
    assert [entry.name for entry in tmp_path.iterdir()] == ["r.bgr"]
    assert Rollout.load(path).trials == 144


def test_a_run_writes_over_nothing_that_it_does_not_have(tmp_path):
    path = tmp_path / "r.bgr"
    new().run(144, path=path)
    kept = path.read_bytes()
    with pytest.raises(RolloutError, match="trials that are not in this rollout"):
        new().run(72, path=path)
    with pytest.raises(RolloutError, match=r"another rollout.*seed"):
        Rollout(START, "31", plays=3, **{**QUICK, "seed": 6}).run(144, path=path)
    assert path.read_bytes() == kept
    text = tmp_path / "thesis.txt"
    text.write_text("mine", encoding="utf-8")
    with pytest.raises(RolloutError, match="is no rollout"):
        new().run(36, path=text)
    assert text.read_text(encoding="utf-8") == "mine"
    with pytest.raises(OSError, match="none") as caught:
        new().run(36, path=tmp_path / "none" / "r.bgr")
    assert caught.value.filename == str(tmp_path / "none" / "r.bgr")


@pytest.mark.parametrize(
    ("part", "name", "value"),
    [
        ("totals", "longest", [1e308] * 3),
        ("totals", "longest", []),
        ("totals", "longest", [2**70] * 3),
        ("settings", "truncate", []),
        ("settings", "is_cube_decision", True),
        ("settings", "seed", "x"),
        ("settings", "opening", True),
        (None, "seconds", "long"),
        (None, "totals", 3),
    ],
)
def test_a_forged_file_with_a_right_checksum_is_refused(tmp_path, part, name, value):
    path = tmp_path / "r.bgr"
    new().run(72, path=path)
    with np.load(path) as stored:
        arrays = {key: stored[key] for key in stored.files}
    document = json.loads(str(arrays.pop("document")))
    (document if part is None else document[part])[name] = value
    del arrays["checksum"]
    text = json.dumps(document)
    np.savez(
        tmp_path / "forged.npz",
        document=np.array(text),
        checksum=np.array(_checksum(text, arrays)),
        **arrays,
    )
    with pytest.raises(RolloutError, match="forged"):
        Rollout.load(tmp_path / "forged.npz")


class Flat:
    """An evaluator of one's own."""

    def evaluate(self, boards):
        return np.full((len(boards), 5), [0.5, 0, 0, 0, 0], np.float32)


def test_a_rollout_with_objects_of_ones_own_needs_them_again(tmp_path):
    path = tmp_path / "r.bgr"
    made = Rollout(START, "31", evaluator=Flat(), plays=2, truncate=2, luck="none")
    made.run(36)
    made.save(path)
    with pytest.raises(RolloutError, match="give the evaluator"):
        Rollout.load(path)
    with pytest.raises(RolloutError, match="was begun with the evaluator"):
        Rollout.load(path, evaluator=NetEvaluator())
    again = Rollout.load(path, evaluator=Flat())
    assert again.trials == made.trials
    assert bits(again) == bits(made)


@pytest.mark.parametrize("dice", [None, "66"])
def test_every_kind_of_rollout_survives_its_file(tmp_path, dice):
    for settings in (
        {"policy": "pips", "luck": "none", "truncate": 2},
        {"stratified": False, "truncate": 2, "seed": 2**127},
        {"policy": "random", "truncate": 2},
        {"stop_at_tables": False, "truncate": 1, "luck": "net+table"},
        *([{"opening": True, "truncate": 2}] if dice is None else []),
    ):
        made = Rollout(START, dice, **settings)
        made.run(36)
        made.save(tmp_path / "r.bgr")
        again = Rollout.load(tmp_path / "r.bgr")
        assert bits(again) == bits(made)
        assert again._settings() == made._settings()
        made.run(120)
        again.run(120)
        assert bits(again) == bits(made)


def test_damaged_and_foreign_files_are_refused(tmp_path):
    path = tmp_path / "r.bgr"
    made = new()
    made.run(36)
    made.save(path)
    good = path.read_bytes()
    for content in (b"", b"PK", good[:1000], good[:-200], b"x" * 5000):
        path.write_bytes(content)
        with pytest.raises(RolloutError, match="no rollout"):
            Rollout.load(path)
    for place in range(60, len(good), len(good) // 25):
        path.write_bytes(good[:place] + bytes([good[place] ^ 0x55]) + good[place + 1 :])
        try:
            again = Rollout.load(path)
        except RolloutError:
            continue
        assert bits(again) == bits(made)  # a byte that says nothing
    np.savez(path, document=np.array("{}"), first_values=np.zeros(3, np.int64), checksum="")
    os.replace(f"{path}.npz", path)
    with pytest.raises(RolloutError, match="checksum"):
        Rollout.load(path)
    with pytest.raises(FileNotFoundError):
        Rollout.load(tmp_path / "none.bgr")


def archive_with_head(path, head):
    """Write an archive whose arrays have this text as their head."""
    text = head.encode() + b" " * (64 - (len(head) + 11) % 64) + b"\n"
    array = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + bytes(64)
    with zipfile.ZipFile(path, "w") as archive:
        for name in ("document", "checksum", "meta"):
            archive.writestr(f"{name}.npy", array)


@pytest.mark.parametrize(
    "head",
    [
        "{'descr': '<i8', 'fortran_order': False, 'shape': (1000000000000,)}",
        f"{{'descr': '<i8', 'fortran_order': False, 'shape': ({10**30},)}}",
        "{'descr': '<i8', 'fortran_order': False, 'shape': (-1,)}",
        "{'descr': '|O', 'fortran_order': False, 'shape': ()}",
        "(" * 5000,
        "[]",
    ],
)
def test_arrays_that_cannot_be_are_refused(tmp_path, head):
    path = tmp_path / "r.bgr"
    archive_with_head(path, head)
    with pytest.raises(RolloutError, match=r"r\.bgr"):
        Rollout.load(path)
    with pytest.raises(NetError, match=r"r\.bgr"):
        load_net(path)


def test_an_archive_that_points_before_its_beginning_is_refused(tmp_path):
    path = tmp_path / "r.bgr"
    made = new()
    made.run(36)
    made.save(path)
    content = bytearray(path.read_bytes())
    end = content.rindex(b"PK\x05\x06")
    content[end + 16 : end + 20] = b"\xff\xff\xff\x7f"  # where the list of entries begins
    path.write_bytes(content)
    with pytest.raises(RolloutError, match=r"r\.bgr"):
        Rollout.load(path)


@pytest.mark.skipif(os.name != "posix", reason="makes a pipe with a name")
def test_a_pipe_is_no_rollout(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(RolloutError, match="not a file"):
        Rollout.load(tmp_path / "pipe")


KILLED = """
import sys
from bgcore import Board, Rollout
from pathlib import Path
path = Path(sys.argv[1])
made = Rollout.load(path) if path.exists() else Rollout(Board.opening(), "31", plays=3, seed=5, truncate=3)
made.run(int(sys.argv[2]), path=path, save_every=0.01, jobs=2)
"""


def resume_until_done(path, trials, kills, seed):
    """Start the rollout, kill it at a random moment, and so on; then let it end."""
    moments = random.Random(seed)
    for _ in range(kills):
        process = subprocess.Popen([sys.executable, "-P", "-c", KILLED, path, str(trials)])
        time.sleep(moments.uniform(0.2, 1.2))
        process.send_signal(signal.SIGKILL)
        process.wait()
    subprocess.run([sys.executable, "-P", "-c", KILLED, path, str(trials)], check=True)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no kill -9")
def test_killed_and_resumed_it_is_the_same(whole, tmp_path):
    path = tmp_path / "r.bgr"
    resume_until_done(path, 288, kills=3, seed=1)
    assert bits(Rollout.load(path)) == bits(whole)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no kill -9")
def test_killed_fifty_times_and_resumed_it_is_the_same(tmp_path):
    path = tmp_path / "r.bgr"
    resume_until_done(path, 36_000, kills=50, seed=2)
    made = new()
    made.run(36_000)
    assert bits(Rollout.load(path)) == bits(made)


# -- stop rules --


def test_stop_rules_end_a_rollout_at_the_same_trial_for_any_jobs():
    stop = StopRules(equity_se=0.02, min_trials=72, check_every=72)
    ends = []
    for jobs in (1, 2, 3):
        made = Rollout(START, seed=1, truncate=5)
        result = made.run(20_000, stop=stop, jobs=jobs)
        assert result.best.equity_se <= 0.02
        ends.append(bits(made))
    assert ends[0] == ends[1] == ends[2]
    trials = made.trials
    assert trials < 20_000
    assert trials % 72 == 0
    # the look before was not enough
    before = Rollout(START, seed=1, truncate=5)
    assert trials == 72 or before.run(trials - 72).best.equity_se > 0.02


def test_a_rollout_that_goes_on_looks_only_where_one_in_one_piece_does(tmp_path):
    stop = StopRules(equity_se=0.02, min_trials=360, check_every=360)
    whole = Rollout(START, seed=1, truncate=5)
    whole.run(20_000, stop=stop)
    path = tmp_path / "r.bgr"
    made = Rollout(START, seed=1, truncate=5)
    calls = 0

    def cancel_often(now):
        nonlocal calls
        calls += 1
        if calls % 2 == 0:
            now.cancel()

    while made.run(20_000, stop=stop, progress=cancel_often, path=path).interrupted:
        # by chance the errors would often do here, between two looks
        made = Rollout.load(path)
    assert calls > 4
    assert bits(made) == bits(whole)


def test_a_clear_best_play_ends_a_comparison():
    stop = StopRules(jsd=2.33, min_trials=36, check_every=36)
    made = Rollout(START, "31", plays=2, seed=2, truncate=5)
    result = made.run(20_000, stop=stop)
    assert str(result.best.play) == "8/5 6/5"
    assert result.trials < 2_000
    assert result.candidates[1].loss > 2.33 * result.candidates[1].loss_se


def test_a_time_budget_tells_its_trials_and_they_give_it_again():
    made = Rollout(START, seed=3, truncate=4)
    made.run(10**9, stop=StopRules(seconds=0.1), jobs=2)
    assert 0 < made.trials < 10**9
    again = Rollout(START, seed=3, truncate=4)
    for first, end in made.result().to_dict()["ranges"]:
        again.run(end - first, first=first)
    assert bits(again) == bits(made)


@pytest.mark.parametrize(
    "rules",
    [
        {"equity_se": 0},
        {"equity_se": float("nan")},
        {"jsd": -1},
        {"jsd": "2"},
        {"seconds": 0},
        {"min_trials": 0},
        {"check_every": 100},
        {"check_every": 0},
    ],
)
def test_stop_rules_that_make_no_sense_are_refused(rules):
    with pytest.raises(RolloutError):
        StopRules(**rules)


def test_settings_that_make_no_sense_are_refused(tmp_path):
    made = new()
    for arguments in (
        {"trials": 0},
        {"trials": 2**41},
        {"first": -36},
        {"jobs": 0},
        {"stop": 3},
        {"stop": StopRules(), "first": 36},
        {"progress": 3},
        {"executor": 3},
        {"path": tmp_path / "x", "save_every": 0},
    ):
        with pytest.raises(RolloutError):
            made.run(**{"trials": 36, **arguments})
    with pytest.raises(RolloutError, match="no trial"):
        made.result()


# -- progress --


def test_results_on_the_way(whole):
    made = new()
    seen = [result.trials for result in made.checkpoints(288, every=100)]
    assert seen == [108, 216, 288]
    assert bits(made) == bits(whole)


def test_leaving_the_iterator_cancels_the_rest(whole):
    made = new()
    for result in made.checkpoints(288, every=72):
        if result.trials >= 144:
            break
    assert made.trials == 144
    made.run(288)
    assert bits(made) == bits(whole)


def test_progress_is_told_for_the_whole():
    told = []
    made = new()
    made.run(144, progress=told.append, stop=StopRules(equity_se=1e-9, check_every=72))
    assert [now.total for now in told] == [144] * len(told)
    assert told[-1].done == 144
    assert all(now.seconds_left >= 0 for now in told)
