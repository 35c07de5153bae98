"""Time to a given standard error of a rollout: GNU Backgammon's beside ours, one core each.

    python bench/rollout_time_to_error.py [--net NAME ...] [--quick] [--gnubg PROGRAM]

Needs GNU Backgammon (`apt install gnubg`). Takes ten minutes of one core, with --quick half of it.
Both play at 0-ply for money, no Jacoby rule, no beavers, the cube in the middle; without the cube
to an error of 0.005 of the equity, with it to 0.01 of the cubeful equity.

What is measured is the processor time of n trials, their standard error s as the program states it,
and from these the trials for the error wanted, n (s / wanted)**2, in whole blocks of 36 (six by six
first rolls, in both programs), and the time of so many. GNU Backgammon is timed with its variance
reduction and without, and the faster counts; its start is measured alone and taken off; it has one
thread, its quasi-random dice, its pruning nets and its exact and one-sided bear-off tables, as it
comes. Ours has what `bgcore.rollout` does if nothing is said, on one thread, its tables loaded.

Stated errors may be wrong, so one position is rolled out with 20 seeds by each: the spread of the
results beside the errors that were stated, and the time for the same spread. A spread of 20 numbers
is known within a sixth, so that the last ratio may be off by a factor, which is given.
"""

import argparse
import math
import os
import pty
import re
import shutil
import statistics
import subprocess
import time
from dataclasses import dataclass

from bgcore import Board, CubeContext, NetEvaluator, rollout

#: Nobody doubles now, so that it makes no difference whether the first double is allowed.
POSITIONS = {
    "opening, after 3-1": "sGfwATDgc/ABMA",
    "reply, on the bar": "4PPgASHgOfIAWA",
    "blitz": "2J6DAyCw5+ABUA",
    "holding game": "dJ4jBwBoz8EBAw",
    "mutual holding game": "mM/gwQCw58gBAw",
    "prime against prime": "2N0WACjYbhcAMA",
    "back game": "sNtpBgDQOTjADQ",
    "race, contact over soon": "2M4sBwDYzoYxAA",
    "bear-off against an anchor": "2t0DAIDt7gAADA",
    "containing a late hit": "2wAAQNhumwEAAA",
}
#: Money, the cube in the middle, no Jacoby rule, the player on roll has not rolled.
MATCH_ID = "cAkAAAAAAAAE"
#: What is wanted of the cubeless and of the cubeful equity.
WANTED = {"cubeless": 0.005, "cubeful": 0.01}
BLOCK = 36
SEEDS = 20
#: Trials of ours with each of them.
OF_A_SEED = 1296
#: Far apart: GNU Backgammon takes seed + 256 trial for each trial.
SEED_STEP = 1_000_003
SPREAD_POSITION = "opening, after 3-1"

SETTINGS = """\
set output digits 6
set threads 1
set beavers 0
set rollout quasirandom on
set rollout truncation enable off
set rollout bearofftruncation exact on
set rollout bearofftruncation onesided on
set rollout limit enable off
set rollout jsd stop off
set rollout late enable off
set rollout initial off
set rollout chequerplay plies 0
set rollout cubedecision plies 0
"""
NUMBER = r"([+-]?\d+\.\d+)"
SHOWN = re.compile(rf"CL +{NUMBER}(?: +CF +{NUMBER})?")


@dataclass(frozen=True)
class Run:
    """What one rollout found: equity, stated standard error, trials, seconds of processor time."""

    equity: float
    error: float
    trials: int
    seconds: float

    def seconds_to(self, wanted: float) -> float:
        """Return the time to a standard error."""
        blocks = math.ceil(self.trials * (self.error / wanted) ** 2 / BLOCK)
        return max(blocks, 1) * BLOCK * self.seconds / self.trials


class Gnubg:
    """GNU Backgammon, a process for each rollout."""

    def __init__(self, program: str) -> None:
        self.program = program
        self.start = statistics.median(self._told("")[1] for _ in range(5))

    def _told(self, script: str) -> tuple[str, float]:
        """Return what it shows, and its processor time."""
        # it shows the results of a rollout on a terminal alone
        ours, its = pty.openpty()
        process = subprocess.Popen(
            [self.program, "-t", "-q"],
            stdin=subprocess.PIPE,
            stdout=its,
            stderr=its,
            env=os.environ | {"LC_ALL": "C", "TERM": "dumb"},
        )
        os.close(its)
        with process.stdin as told:
            told.write((SETTINGS + script).encode())
        shown = bytearray()
        while True:
            try:
                part = os.read(ours, 1 << 16)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            shown += part
        os.close(ours)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{self.program} failed:\n{shown.decode(errors='replace')[-2000:]}")
        return shown.decode(), used.ru_utime + used.ru_stime

    def roll_out(self, name: str, kind: str, trials: int, *, reduced: bool, seed: int = 1) -> Run:
        """Roll out a position."""
        shown, seconds = self._told(
            f"set gnubgid {POSITIONS[name]}:{MATCH_ID}\n"
            f"set rollout cubeful {'on' if kind == 'cubeful' else 'off'}\n"
            f"set rollout varredn {'on' if reduced else 'off'}\n"
            f"set rollout trials {trials}\n"
            f"set rollout seed {seed * SEED_STEP}\n"
            "rollout\n"
        )
        last = shown.rpartition("Printing final results")[2]
        found = SHOWN.findall(last)
        if len(found) != 2 or f"{trials} games" not in last:
            raise SystemExit(f"{self.program} shows no result of {trials} games:\n{shown[-2000:]}")
        equity, error = (float(pair[kind == "cubeful"]) for pair in found)
        return Run(equity, error, trials, seconds - self.start)


def ours(net: NetEvaluator, name: str, kind: str, trials: int, seed: int = 1) -> Run:
    """Roll out a position by bgcore."""
    board = Board.from_position_id(POSITIONS[name])
    cube = CubeContext() if kind == "cubeful" else None
    began = time.process_time()
    best = rollout(board, evaluator=net, trials=trials, seed=seed, cube=cube).best
    seconds = time.process_time() - began
    if best.equity_cubeful is not None and best.equity_cubeful_se is not None:
        return Run(best.equity_cubeful, best.equity_cubeful_se, trials, seconds)
    return Run(best.equity_cubeless, best.equity_se, trials, seconds)


def table(
    gnubg: Gnubg, nets: dict[str, NetEvaluator], kind: str, trials: dict[str, int]
) -> dict[str, bool]:
    """Print the times to one error; return where the variance reduction of GNU Backgammon pays."""
    wanted = WANTED[kind]
    print(f"\n{kind} equity to a standard error of {wanted}; equities +- stated error of the run")
    print(f"{'':26}  {'gnubg':>14} {'plain s':>8} {'VR s':>8}", end="")
    print("".join(f"   {name:>14} {'s':>6} {'ratio':>6}" for name in nets))
    times: dict[str, list[float]] = {name: [] for name in ("gnubg", *nets)}
    reduced_pays = {}
    for position in POSITIONS:
        plain = gnubg.roll_out(position, kind, trials["plain"], reduced=False)
        reduced = gnubg.roll_out(position, kind, trials["reduced"], reduced=True)
        seconds = [run.seconds_to(wanted) for run in (plain, reduced)]
        reduced_pays[position] = seconds[1] < seconds[0]
        shown = reduced if reduced_pays[position] else plain
        times["gnubg"].append(min(seconds))
        print(f"{position:26}  {shown.equity:+.3f} +- {shown.error:.3f}", end="")
        print("".join(f" {second:8.1f}" for second in seconds), end="")
        for name, net in nets.items():
            run = ours(net, position, kind, trials["ours"])
            times[name].append(run.seconds_to(wanted))
            ratio = min(seconds) / times[name][-1]
            print(f"   {run.equity:+.3f} +- {run.error:.3f}", end="")
            print(f" {times[name][-1]:6.2f} {ratio:6.1f}", end="")
        print(flush=True)
    print(f"{'all of them':26}  {'':14} {'':8} {sum(times['gnubg']):8.1f}", end="")
    for name in nets:
        print(f"   {'':14} {sum(times[name]):6.2f}", end="")
        print(f" {sum(times['gnubg']) / sum(times[name]):6.1f}", end="")
    print()
    for name in nets:
        ratios = [theirs / mine for theirs, mine in zip(times["gnubg"], times[name], strict=True)]
        print(
            f"{name}: gnubg / bgcore {statistics.geometric_mean(ratios):.1f} (geometric mean),"
            f" {min(ratios):.1f} to {max(ratios):.1f}"
        )
    return reduced_pays


def spread(
    gnubg: Gnubg, nets: dict[str, NetEvaluator], trials: dict[str, int], reduced: bool
) -> None:
    """Print stated errors beside the spread over seeds, and the times to the same spread."""
    name, kind = SPREAD_POSITION, "cubeless"
    n_trials = max(trials["reduced"] // 2, BLOCK) if reduced else trials["plain"]
    seeds = range(1, SEEDS + 1)
    found = {
        "gnubg": [gnubg.roll_out(name, kind, n_trials, reduced=reduced, seed=i) for i in seeds]
    }
    for net_name, net in nets.items():
        found[net_name] = [ours(net, name, kind, OF_A_SEED, i) for i in seeds]
    print(f"\n{SEEDS} seeds, {name}, {kind}; gnubg {'with' if reduced else 'without'} its VR")
    print(f"{'':10} {'trials':>7} {'mean':>8} {'stated error':>13} {'spread':>8} {'s a run':>8}")
    costs = {}
    for who, runs in found.items():
        deviation = statistics.stdev(run.equity for run in runs)
        stated = math.sqrt(statistics.fmean(run.error**2 for run in runs))
        seconds = statistics.fmean(run.seconds for run in runs)
        mean = statistics.fmean(run.equity for run in runs)
        costs[who] = deviation**2 * seconds
        print(
            f"{who:10} {runs[0].trials:7,} {mean:+8.4f} {stated:13.4f} {deviation:8.4f}"
            f" {seconds:8.2f}"
        )
    off_by = math.exp(1.96 * math.sqrt(4 / (SEEDS - 1)))
    for who in nets:
        ratio = costs["gnubg"] / costs[who]
        print(
            f"{who}: gnubg / bgcore {ratio:.1f} to the same spread"
            f" (95 %: {ratio / off_by:.1f} to {ratio * off_by:.1f})"
        )


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--net", nargs="+", help="names or files; the net that is shipped")
    parser.add_argument("--quick", action="store_true", help="half of the trials")
    parser.add_argument("--gnubg", default=shutil.which("gnubg", path="/usr/games:" + os.defpath))
    asked = parser.parse_args()
    if asked.gnubg is None:
        raise SystemExit("there is no gnubg; install it or give --gnubg")
    trials = {"plain": 648, "reduced": 144, "ours": 12_960}
    if asked.quick:
        trials = {who: n // 2 for who, n in trials.items()}
    nets = {str(name): NetEvaluator(name) for name in asked.net or [None]}
    if asked.net is None:
        nets = {"bgcore": nets["None"]}
    began = time.perf_counter()
    gnubg = Gnubg(asked.gnubg)
    print(f"gnubg starts in {gnubg.start:.3f} s, which is taken off; all times are processor time")
    for net in nets.values():
        for kind in WANTED:
            ours(net, SPREAD_POSITION, kind, BLOCK)  # nets and tables are loaded, rows made
    reduced_pays = {kind: table(gnubg, nets, kind, trials) for kind in WANTED}
    spread(gnubg, nets, trials, reduced_pays["cubeless"][SPREAD_POSITION])
    used = os.times()
    print(
        f"\n{trials['plain']:,} plain trials, {trials['reduced']:,} with VR, {trials['ours']:,} of ours;"
        f" {used.user + used.system + used.children_user + used.children_system:.0f} s of processor"
        f" time in {time.perf_counter() - began:.0f} s"
    )


if __name__ == "__main__":
    main()
