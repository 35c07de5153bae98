"""The script that measures how much faster two workers roll out than one."""

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "bench" / "rollout_workers.py"
#: None where processors cannot be chosen.
PROCESSORS = sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else []

#: Leaves a script only some processors: the last word says which.
START = """
import os, runpy, sys
os.sched_setaffinity(0, map(int, sys.argv.pop().split(",")))
del sys.argv[0]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


def run(processors):
    words = ["--seconds", "0.02", "--rounds", "1"]
    return subprocess.run(
        [sys.executable, "-P", "-c", START, str(SCRIPT), *words, ",".join(map(str, processors))],
        check=False,
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.mark.skipif(len(PROCESSORS) < 2, reason="needs two processors")
def test_each_processor_works_alone_and_with_the_other_one():
    first, second = PROCESSORS[:2]
    answer = run([first, second])
    assert answer.returncode == 0, answer.stderr
    both = f"{first} and {second}"
    assert re.findall(r"^processor (.*): [1-9]", answer.stdout, re.MULTILINE) == [
        str(first),
        both,
        str(second),
        both,
    ]
    assert re.search(r"^two workers are \d\.\d+ times as fast as one", answer.stdout, re.MULTILINE)


@pytest.mark.skipif(not PROCESSORS, reason="needs Linux")
def test_one_processor_is_refused():
    answer = run(PROCESSORS[:1])
    assert answer.returncode == 2
    assert "two processors are needed" in answer.stderr


def test_processors_of_different_speed_make_no_difference():
    spec = importlib.util.spec_from_file_location("rollout_workers", SCRIPT)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    ones = [script.Run((0,), 1000.0, 1.0), script.Run((1,), 600.0, 1.0)]
    twos = [script.Run((0, 1), 1600.0, 1.0)] * 2
    assert script.ratio(ones, twos) == 2.0
