"""What saving a rollout costs, and what a second worker brings, on this machine.

    python bench/rollout_overhead.py [--trials N] [--rounds R]

Saving: processor time of one save, and its share if a rollout is saved every 10 seconds, as it is
by default. Workers: time by the clock of one job and of two, which take turns; the fastest round of
each counts. It needs two processors that nobody else uses.
"""

import argparse
import tempfile
import time
from pathlib import Path

from bgcore import Board, Rollout, rollout

SAVE_EVERY = 10.0


def seconds_of_save(trials: int, path: Path) -> float:
    made = Rollout(Board.opening(), "31", plays=4, truncate=2, keep_blocks=True)
    made.run(trials)
    times = []
    for _ in range(5):
        began = time.process_time()
        made.save(path)
        times.append(time.process_time() - began)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=46_656)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "r.bgr")
        save = seconds_of_save(asked.trials, path)
        size = path.stat().st_size
    print(
        f"a save of 4 plays, {asked.trials:,} trials, blocks kept: {1000 * save:.1f} ms, {size:,}"
        f" bytes; every {SAVE_EVERY:.0f} s that is {save / SAVE_EVERY:.2%}"
    )
    clocks: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(asked.rounds):
        for jobs, times in clocks.items():
            times.append(rollout(Board.opening(), trials=12_960, jobs=jobs).seconds)
    one, two = (min(times) for times in clocks.values())
    print(f"workers: {one:.2f} s with one, {two:.2f} s with two, {one / two:.2f} times as fast")


if __name__ == "__main__":
    main()
