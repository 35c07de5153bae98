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
from bgcore.nets import shipped_net

STEP = 125  # every so many boards of the corpus
ROUNDS = 6  # the kinds take turns, and the fastest round of each counts


def measure(boards: list[Board], trials: int, seed: int, **settings: object) -> tuple[float, float]:
    """Return the variance of one trial and seconds of processor time a game."""
    variances = []
    began = time.process_time()
    for number, board in enumerate(boards):
        result = rollout(board, trials=trials, seed=100 * seed + number, **settings)
        variances.append(result.best.equity_se**2 * trials)
    seconds = time.process_time() - began
    return float(np.mean(variances)), seconds / (trials * len(boards))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=360, help="of each board in each round")
    parser.add_argument("--truncate", type=int)
    asked = parser.parse_args()
    boards = [Board(cells) for cells in contact_boards()[::STEP]]
    kinds = [("none", False), ("none", True), ("player", True), ("player+table", False)]
    kinds.append(("table", False))
    if shipped_net().luck is not None:
        kinds += [("net", False), ("net", True), ("net+table", False)]
    found: dict[tuple[str, bool], list[tuple[float, float]]] = {kind: [] for kind in kinds}
    for seed in range(ROUNDS):
        for luck, stop in kinds:
            settings = {"luck": luck, "stop_at_tables": stop, "truncate": asked.truncate}
            found[luck, stop].append(measure(boards, asked.trials, seed, **settings))
    print(f"{len(boards)} contact positions, truncate {asked.truncate}, one thread")
    print(f"{'luck':14} {'stops at table':14} {'error of a trial':>16} {'games/s':>8} {'time':>6}")
    plain = 0.0
    for (luck, stop), rounds in found.items():
        variance = float(np.mean([variance for variance, _ in rounds]))
        seconds = min(seconds for _, seconds in rounds)
        plain = plain or variance * seconds
        print(
            f"{luck:14} {'yes' if stop else 'no':14} {variance**0.5:16.4f} {1 / seconds:8.0f}"
            f" {variance * seconds / plain:6.2f}"
        )


if __name__ == "__main__":
    main()
