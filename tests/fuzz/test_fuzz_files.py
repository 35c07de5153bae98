"""Some mutated files in every run of the tests; `python tests/fuzz/fuzz_files.py` for more."""

import importlib.util
import sys
from pathlib import Path

import pytest

_PATH = Path(__file__).parent / "fuzz_files.py"
_SPEC = importlib.util.spec_from_file_location("bgcore_fuzz_files", _PATH)
fuzz_files = importlib.util.module_from_spec(_SPEC)
sys.modules["bgcore_fuzz_files"] = fuzz_files
_SPEC.loader.exec_module(fuzz_files)


@pytest.mark.parametrize("format", fuzz_files.FORMATS)
def test_mutated_files_give_matches_or_a_report(format):
    counts, faults = fuzz_files.fuzz(format, 300, seed=1)
    assert not faults, faults[0]
    assert min(counts["read"], counts["refused"]) > 5
