"""Cube decisions beside those of GNU Backgammon at 2-ply: a summary, and every large difference.

pytest bench/bench_cubes.py --benchmark-disable -s
"""

import numpy as np
import pytest
from gnubg_cubes import compared

LARGE = 0.05


@pytest.mark.parametrize("whose", ["our net, 0-ply", "their 2-ply chances in our cube model"])
def test_agreement_with_gnu_backgammon(whose):
    found = compared(their_chances="their" in whose)
    differences = np.array([one.difference for one in found])
    large = sorted(
        (one for one in found if abs(one.difference) > LARGE), key=lambda one: -abs(one.difference)
    )
    print(
        f"\n{whose}: {len(found)} positions,"
        f" doubles alike {np.mean([one.doubles_alike for one in found]):.1%},"
        f" takes and passes alike {np.mean([one.answers_alike for one in found]):.1%}\n"
        f"equity less theirs {differences.mean():+.4f} on average,"
        f" {np.abs(differences).mean():.4f} in size;"
        f" our decisions cost {np.mean([one.cost for one in found]):.4f} by their equities\n"
        f"{len(large)} differ by more than {LARGE}:"
    )
    for one in large:
        held, taken = one.ours.no_double, one.ours.double_take
        print(
            f"{one.id}  {one.difference:+.3f}  no double {one.no_double:+.3f} {held:+.3f}, take"
            f" {one.double_take:+.3f} {taken:+.3f}; wins {one.five[0]:.3f}"
            f" {one.ours.probabilities.win:.3f}; {one.verdict}; {one.ours.text}"
        )
    assert len(found) == 200
