"""Some mutated texts in every run of the tests; `python tests/fuzz/fuzz.py --runs 1000000` more."""

import importlib.util
import sys
from pathlib import Path

import pytest

_SPEC = importlib.util.spec_from_file_location("bgcore_fuzz", Path(__file__).parent / "fuzz.py")
fuzz = importlib.util.module_from_spec(_SPEC)
sys.modules["bgcore_fuzz"] = fuzz
_SPEC.loader.exec_module(fuzz)


@pytest.mark.parametrize("target", fuzz.TARGETS)
def test_mutated_texts_give_a_value_or_our_own_error(target):
    counts, faults = fuzz.fuzz(target, 3000, seed=1)
    assert not faults, faults[0]
    assert min(counts["read"], counts["refused"]) > 100
