"""What both harnesses share: mutated inputs are given to a reader, and what goes wrong is kept."""

import argparse
import multiprocessing
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable
from typing import TypeVar

#: An input that needs longer is taken for a hang and given up.
HANG = 20
#: So many faults are enough.
MOST_FAULTS = 10

InputT = TypeVar("InputT")
Fuzz = Callable[[str, int, int], tuple[Counter[str], list[str]]]


class HangError(Exception):
    """An input took too long."""


def _give_up(signum: int, frame: object) -> None:
    raise HangError


def feed(
    inputs: Iterable[InputT], read: Callable[[InputT], bool], slow: float
) -> tuple[Counter[str], list[str]]:
    """Return how many inputs were read or refused, and what went wrong.

    Whatever is raised is a fault, and so are more than so many seconds of processor time.
    """
    counts: Counter[str] = Counter()
    faults: list[str] = []
    has_alarm = hasattr(signal, "setitimer")
    if has_alarm:
        signal.signal(signal.SIGALRM, _give_up)
    for one in inputs:
        start = time.process_time()
        if has_alarm:
            signal.setitimer(signal.ITIMER_REAL, HANG)
        try:
            counts["read" if read(one) else "refused"] += 1
        except Exception:  # noqa: BLE001 - whatever it is, it is what is looked for
            faults.append(f"{one!r}\n{traceback.format_exc(limit=-6)}")
        finally:
            if has_alarm:
                signal.setitimer(signal.ITIMER_REAL, 0)
        if (took := time.process_time() - start) > slow:
            faults.append(f"{one!r}\ntook {took:.1f} s")
        if len(faults) >= MOST_FAULTS:
            break
    return counts, faults


def main(about: str, targets: Iterable[str], fuzz: Fuzz, runs: int) -> int:
    """Run a harness as a command; returns the exit status."""
    targets = list(targets)
    parser = argparse.ArgumentParser(description=about.split("\n\n")[0])
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=", ".join(targets))
    parser.add_argument("--runs", type=int, default=runs, help="inputs of each target")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    if unknown := set(options.targets) - set(targets):
        parser.error(f"unknown: {', '.join(sorted(unknown))}")
    is_bad = False
    for target in options.targets or targets:
        start = time.perf_counter()
        share = -(-options.runs // options.jobs)
        work = [(target, share, options.seed * 1000 + i) for i in range(options.jobs)]
        if options.jobs == 1:
            results = [fuzz(*work[0])]
        else:
            with multiprocessing.get_context("spawn").Pool(options.jobs) as pool:
                results = pool.starmap(fuzz, work)
        total: Counter[str] = sum((counts for counts, _ in results), Counter())
        faults = [fault for _, found in results for fault in found]
        print(
            f"{target}: {total.total():,} inputs, {total['read']:,} read, {total['refused']:,}"
            f" refused, {len(faults)} faults, {time.perf_counter() - start:.0f} s",
            flush=True,
        )
        for fault in faults:
            print(fault)
        is_bad = is_bad or bool(faults)
    sys.stdout.flush()
    return int(is_bad)
