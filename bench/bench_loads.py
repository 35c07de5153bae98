"""The loads of `bgcore bench` under pytest-benchmark, one test each.

pytest bench --benchmark-autosave        then, on a quiet machine,
pytest bench --benchmark-compare --benchmark-compare-fail=min:10%
"""

from importlib.util import find_spec

import pytest

from bgcore import CPU_LEVEL
from bgcore.bench import LOADS, PEER_LOADS


def run(benchmark, load, rounds=None):
    load.check()
    benchmark.group = load.unit
    benchmark.extra_info.update(unit=load.unit, n=load.n, cpu_level=CPU_LEVEL)
    if rounds is None:
        assert benchmark(load.call) == load.n
    else:
        assert benchmark.pedantic(load.call, rounds=rounds) == load.n


@pytest.mark.parametrize("make", LOADS, ids=lambda make: make.__name__)
def test_load(benchmark, make):
    run(benchmark, make())


@pytest.mark.parametrize(
    ("module", "make"), PEER_LOADS, ids=[make.__name__ for _, make in PEER_LOADS]
)
def test_peer(benchmark, module, make):
    if find_spec(module) is None:
        pytest.skip(f"{module} is not installed")
    run(benchmark, make(), rounds=7)  # few: some engines remember what they have seen
