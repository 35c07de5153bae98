"""Compare what can be taken out of a rollout as luck: the error that a given time buys.

    python bench/rollout_luck.py [--trials N] [--truncate PLIES]

For contact positions of the bench corpus: standard error of the equity and games a second of processor time of each
measure of luck, and the time that it needs for the error which plain trials reach in one second,
(error / plain error)**2 * plain games a second / games a second. Below 1 it pays.
"""

import argparse
import time

import numpy as np

from bgcore import Board, rollout
from bgcore.corpus import contact_boards
from bgcore.nets import first_net

STEP = 125  # every so many boards of the corpus


def measure(boards: list[Board], trials: int, **settings: object) -> tuple[float, float]:
    """Return the root mean square of the error of one trial, and games a second."""
    variances = []
    began = time.process_time()
    for seed, board in enumerate(boards):
        result = rollout(board, trials=trials, seed=seed, **settings)
        variances.append(result.best.equity_se**2 * trials)
    seconds = time.process_time() - began
    return float(np.mean(variances)) ** 0.5, trials * len(boards) / seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=1296)
    parser.add_argument("--truncate", type=int)
    asked = parser.parse_args()
    boards = [Board(cells) for cells in contact_boards()[::STEP]]
    kinds = ["none", "player", "table", "player+table"]
    if first_net().luck is not None:
        kinds += ["net", "net+table"]
    rows = []
    for luck in kinds:
        for stop in (False, True):
            if stop and "table" in luck:
                continue  # the table is never entered
            settings = {"luck": luck, "stop_at_tables": stop, "truncate": asked.truncate}
            trials = asked.trials if "player" not in luck else max(36, asked.trials // 4)
            rows.append((luck, stop, *measure(boards, trials, **settings)))
    plain_error, plain_rate = rows[0][2:]
    print(f"{len(boards)} contact positions, truncate {asked.truncate}, one thread")
    print(f"{'luck':14} {'stops at table':14} {'error of a trial':>16} {'games/s':>8} {'time':>6}")
    for luck, stop, error, rate in rows:
        needed = (error / plain_error) ** 2 * plain_rate / rate
        name = "yes" if stop else "no"
        print(f"{luck:14} {name:14} {error:16.4f} {rate:8.0f} {needed:6.2f}")


if __name__ == "__main__":
    main()
