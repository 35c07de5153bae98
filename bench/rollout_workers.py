"""How much faster a rollout goes with two workers than with one.

    python bench/rollout_workers.py [--seconds S] [--rounds R]

Needs Linux and two processors that nobody else uses. The opening position is rolled out to its end,
so many trials that one worker takes about S seconds. The clock of each processor may swing with
what else its host does, and the two need not be alike. So runs are short and take turns: a round is
one worker on the first processor, two workers, one on the second processor, two. Its ratio is that
of the mean games a second by the clock. What counts is the median of the rounds.

The share of processor time tells which runs count. With one worker it is 100 % unless somebody else
took the processor. With two workers and nobody else, what it lacks of 100 % is what they waited: at
the start, for each other, and for the last one at the end.
"""

import argparse
import math
import os
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass

from bgcore import Board, rollout

PILOT = 360
BLOCK = 36


@dataclass(frozen=True)
class Run:
    """A rollout: its processors, games a second, and the share of processor time in the time."""

    processors: tuple[int, ...]
    rate: float
    share: float

    def __str__(self) -> str:
        names = " and ".join(map(str, self.processors))
        return f"processor {names}: {self.rate:,.0f} games/s, {self.share:.1%} processor time"


def run(trials: int, processors: Sequence[int]) -> Run:
    """Roll out on some processors, with one worker on each."""
    os.sched_setaffinity(0, processors)
    began, spent = time.perf_counter(), time.process_time()
    rollout(Board.opening(), trials=trials, jobs=len(processors))
    spent, seconds = time.process_time() - spent, time.perf_counter() - began
    return Run(tuple(processors), trials / seconds, spent / (seconds * len(processors)))


def ratio(ones: Sequence[Run], twos: Sequence[Run]) -> float:
    """Return how much faster the runs with two workers were than those with one."""
    one, two = (statistics.fmean(run.rate for run in runs) for runs in (ones, twos))
    return two / one


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=2.0, help="of one worker")
    parser.add_argument("--rounds", type=int, default=8)
    asked = parser.parse_args()
    if not hasattr(os, "sched_setaffinity"):
        parser.error("runs can be bound to a processor on Linux only")
    processors = sorted(os.sched_getaffinity(0))[:2]
    if len(processors) < 2:
        parser.error("two processors are needed; this process may use one")
    run(BLOCK, processors)  # the nets and tables are read now
    rate = run(PILOT, processors).rate / len(processors)
    trials = BLOCK * math.ceil(asked.seconds * rate / BLOCK)
    print(f"{trials:,} trials of the opening position")
    ratios, shares = [], []
    for _ in range(asked.rounds):
        ones, twos = [], []
        for processor in processors:
            ones.append(run(trials, [processor]))
            twos.append(run(trials, processors))
            print(ones[-1], twos[-1], sep="\n", flush=True)
        ratios.append(ratio(ones, twos))
        shares += [both.share for both in twos]
    print(
        f"two workers are {statistics.median(ratios):.3f} times as fast as one"
        f" ({min(ratios):.3f} to {max(ratios):.3f}); they used {statistics.median(shares):.1%} of"
        " the time of two processors"
    )


if __name__ == "__main__":
    main()
