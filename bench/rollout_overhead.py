"""What checkpoints cost, and what a second worker brings, on this machine.

    python bench/rollout_overhead.py [--trials N] [--rounds R]

Checkpoints: processor time of a rollout that is saved as often as it may be, against one that is
not; the two take turns, and the fastest round of each counts. Workers: time by the clock of one
job and of two, which needs two processors that nobody else uses.
"""

import argparse
import tempfile
import time
from pathlib import Path

from bgcore import Board, Rollout, rollout


def saved(trials: int, path: Path | None) -> tuple[float, float]:
    made = Rollout(Board.opening(), "31", plays=4, keep_blocks=True)
    began, clock = time.process_time(), time.perf_counter()
    made.run(trials, path=path, save_every=1e-9)
    return time.process_time() - began, time.perf_counter() - clock


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=12_960)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    plain, kept = [], []
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "r.bgr")
        for _ in range(asked.rounds):
            plain.append(saved(asked.trials, None))
            kept.append(saved(asked.trials, path))
        size = path.stat().st_size
    for place, what in enumerate(("processor time", "time by the clock")):
        one, two = (min(times[place] for times in rounds) for rounds in (plain, kept))
        print(f"checkpoints, {what}: {one:.2f} s without, {two:.2f} s with, {two / one - 1:+.2%}")
    print(f"the file has {size:,} bytes")
    clocks: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(asked.rounds):
        for jobs, times in clocks.items():
            times.append(rollout(Board.opening(), trials=asked.trials, jobs=jobs).seconds)
    one, two = (min(times) for times in clocks.values())
    print(f"workers: {one:.2f} s with one, {two:.2f} s with two, {one / two:.2f} times as fast")


if __name__ == "__main__":
    main()
