"""What saving a rollout costs, on this machine.

    python bench/rollout_overhead.py [--trials N] [--seconds S] [--rounds R]

Processor time of one save of a large rollout. Then the same rollout (4 plays to the end,
blocks kept) is run without a file and with one, saved as it is by default, each for about so many
seconds of processor time: what saving took in it, and the times of both, which take turns; the
fastest round of each counts. Two runs differ by some per cent anyway, so that the first of these
numbers tells more.
"""

import argparse
import math
import os
import tempfile
import time
from pathlib import Path

from bgcore import Board, Rollout

PILOT = 360


class Timed(Rollout):
    """A rollout that counts its saves and their processor time."""

    n_saves = 0
    seconds_saving = 0.0

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save it."""
        began = time.process_time()
        super().save(path)
        self.seconds_saving += time.process_time() - began
        self.n_saves += 1


def long_run(trials: int, path: Path | None) -> tuple[float, Timed]:
    """Run a rollout; return its processor time, and what was run."""
    made = Timed(Board.opening(), "31", plays=4, keep_blocks=True)
    began = time.process_time()
    made.run(trials, path=path)
    return time.process_time() - began, made


def checkpoints(seconds: float, rounds: int, folder: Path) -> None:
    """Print what the file costs a long rollout."""
    long_run(PILOT, None)
    trials = math.ceil(PILOT * seconds / long_run(PILOT, None)[0])
    times: dict[str, list[float]] = {"without": [], "with": []}
    for number in range(rounds):
        times["without"].append(long_run(trials, None)[0])
        spent, made = long_run(trials, folder / f"{number}.bgr")
        times["with"].append(spent)
        print(
            f"a rollout of 4 plays, {made.trials:,} trials, {made.n_saves} saves:"
            f" {made.seconds_saving:.3f} of {spent:.1f} s, {made.seconds_saving / spent:.2%}"
        )
    plain, saved = min(times["without"]), min(times["with"])
    print(
        f"{plain:.2f} s without a file, {saved:.2f} s with one, {saved / plain - 1:+.2%};"
        f" from round to round {max(times['without']) / plain - 1:.1%}"
    )


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
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--rounds", type=int, default=3)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "r.bgr")
        save = seconds_of_save(asked.trials, path)
        size = path.stat().st_size
        print(
            f"a save of 4 plays, {asked.trials:,} trials, blocks kept: {1000 * save:.1f} ms, {size:,}"
            " bytes"
        )
        checkpoints(asked.seconds, asked.rounds, Path(folder))


if __name__ == "__main__":
    main()
