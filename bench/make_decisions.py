"""Write bgcore/data/decisions.npz: decisions of all phases with what each of their plays loses.

usage: python bench/make_decisions.py NET [--decisions N] [--jobs N] [--out FILE]

Games of the net against itself, with a seed that no training uses, give decisions, the same number
of each phase (bgcore.decision_loss.PHASES) as far as they occur. Every play is judged one ply
ahead; those within 0.1 points of the best, six at most, are rolled out: played at 0-ply for 11
plies, judged one ply ahead there, luck taken out, 144 to 360 trials, a play that is 3 joint
standard errors behind dropped. The others keep what they lose one ply ahead.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from bgcore import Board, StopRules, swap_boards
from bgcore._core.movegen import legal_boards_batch
from bgcore.decision_loss import PHASES, DecisionSet, phases_of
from bgcore.dice import DiceStream
from bgcore.errors import BgcoreError
from bgcore.evaluators import NetEvaluator
from bgcore.processes import process_pool
from bgcore.resumable_rollout import Rollout

SEED = 20261130
TARGET = Path(__file__).parents[1] / "bgcore" / "data" / "decisions.npz"
GAMES_AT_ONCE = 200
MARGIN, MOST = 0.1, 6
STOP = StopRules(jsd=3.0, min_trials=144, check_every=108)
TRIALS = 360


def positions(net, n):
    """Find n decisions: boards and dice, about as many of each phase."""
    quota = -(-n // len(PHASES))
    dice = DiceStream(SEED, stratified=False, opening=True)
    found = [[] for _ in PHASES]
    seen = set()
    game = 0
    while game < 100_000 and sum(min(len(f), quota) for f in found) < n:
        boards = np.repeat(Board.opening().to_array()[None], GAMES_AT_ONCE, axis=0)
        games = np.arange(game, game + GAMES_AT_ONCE)
        game += GAMES_AT_ONCE
        for ply in range(400):
            rolls = dice.rolls_at(games, np.full(len(games), ply))
            _, offsets = legal_boards_batch(boards, rolls)
            # one decision of a game in a phase is enough, and not always the first
            wanted = dice.bits_at(games, np.full(len(games), ply)) % np.uint64(7) == 0
            for i in np.flatnonzero((np.diff(offsets) > 1) & wanted):
                phase = phases_of(boards[i : i + 1])[0]
                key = (boards[i].tobytes(), *sorted(rolls[i].tolist()))
                if len(found[phase]) < quota and key not in seen:
                    seen.add(key)
                    found[phase].append((boards[i].copy(), rolls[i].copy()))
            after, _ = net.best_plays(boards, rolls)
            boards = swap_boards(after)
            alive = (boards > 0).any(axis=1) & (boards < 0).any(axis=1)
            boards, games = boards[alive], games[alive]
            if not len(games):
                break
    chosen = [decision for phase in found for decision in phase][:n]
    return np.array([b for b, _ in chosen], np.int8), np.array([d for _, d in chosen], np.uint8)


def label(path, number, board, dice):
    """Return losses and errors of all plays of a decision, in the generator's order."""
    deeper = NetEvaluator(path, plies=1)
    plays, _ = legal_boards_batch(board[None], dice[None])
    values = deeper.core.equities_after(board, plays) * 2.0**-30
    losses, errors = values.max() - values, np.full(len(plays), np.nan)
    near = np.flatnonzero(losses <= MARGIN)
    near = near[np.argsort(losses[near], kind="stable")][:MOST]
    errors[near[0]] = 0.0
    if len(near) > 1:
        rolled = Rollout(
            Board(board), tuple(dice.tolist()), evaluator=deeper, policy=NetEvaluator(path),
            seed=number, truncate=11, plays=len(near),
        )  # fmt: skip
        for candidate in rolled.run(TRIALS, stop=STOP).candidates:
            place = int(np.flatnonzero((plays == candidate.board.to_array()).all(axis=1))[0])
            losses[place], errors[place] = max(candidate.loss, 0.0), candidate.loss_se
    return losses, errors


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("net")
    parser.add_argument("--decisions", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", default=str(TARGET))
    arguments = parser.parse_args()
    net = NetEvaluator(arguments.net)
    boards, dice = positions(net, arguments.decisions)
    begin = time.time()
    tasks = [(arguments.net, i, boards[i], dice[i]) for i in range(len(boards))]
    if arguments.jobs == 1:
        labels = [label(*task) for task in tasks]
    else:
        with process_pool(arguments.jobs, (net,), BgcoreError) as pool:
            labels = list(pool.map(label, *zip(*tasks, strict=True), chunksize=20))
    losses = np.concatenate([one[0] for one in labels])
    errors = np.concatenate([one[1] for one in labels])
    hours = (time.time() - begin) * arguments.jobs / 3600
    meta = {
        "seed": SEED,
        "net": net.file.meta,
        "trials": TRIALS,
        "core_hours": round(hours, 2),
    }
    decisions = DecisionSet.of(boards, dice, losses, errors, meta)
    decisions.save(arguments.out)
    counts = np.bincount(phases_of(boards), minlength=len(PHASES))
    print({name: int(n) for name, n in zip(PHASES, counts, strict=True)})
    print(f"{len(boards)} decisions, {len(losses)} plays, {hours:.2f} core hours")


if __name__ == "__main__":
    main()
