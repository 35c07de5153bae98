"""The number that stands for everything bgcore computes.

A change of plays, evaluations or rollouts changes it: then write the new number here and a line
into the changelog. Any other change of it is a fault.
"""

import os
import subprocess
import sys

import pytest

from bgcore._core import cpu_levels
from bgcore.signature import signature

SIGNATURE = 1148372216373095


def test_signature_is_the_committed_number():
    parts = signature()
    assert parts["signature"] == SIGNATURE, parts


@pytest.mark.skipif("BGCORE_CPU" in os.environ, reason="the level is forced already")
@pytest.mark.parametrize("level", cpu_levels())
def test_signature_is_the_same_on_every_level(level):
    done = subprocess.run(
        [sys.executable, "-P", "-m", "bgcore", "signature"],
        env={**os.environ, "BGCORE_CPU": level},
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout) == SIGNATURE
