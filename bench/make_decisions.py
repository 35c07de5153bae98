"""Write bgcore/data/decisions.npz: decisions of all phases with what each of their plays loses.

usage: python bench/make_decisions.py NET [--games-of NET] [--decisions N] [--jobs N] [--out FILE]

Games of a net against itself, with a seed that no training uses, give decisions, the same number
of each phase (bgcore.decision_loss.PHASES) as far as they occur. Every play is judged one ply
ahead; those within 0.06 points of the best, five at most, are rolled out: played at 0-ply for 11
plies, then judged at 0-ply, the luck of the rolls taken out by the roll net, 144 to 360 trials, a
play that is 2.33 joint standard errors behind dropped. The others keep what they lose one ply
ahead.

What is done stands in FILE.part until all is done. A run that was ended, by kill -9 or otherwise,
goes on from there, and gives the same bytes: a label depends on the net and the number of its
decision. The part file also keeps the processor time. A run that asks for fewer decisions than were
found writes those and keeps the part file.
"""

import argparse
import base64
import sys
import time
from dataclasses import asdict
from functools import cache
from itertools import zip_longest
from pathlib import Path

import numpy as np
from kept_lines import kept_lines

from bgcore import Board, StopRules, swap_boards
from bgcore._core.dice import DiceStream as CoreDice
from bgcore._core.movegen import legal_boards_batch
from bgcore.contest import Contest
from bgcore.decision_loss import PHASES, DecisionSet, phases_of
from bgcore.dice import DiceStream
from bgcore.errors import BgcoreError
from bgcore.evaluators import NetEvaluator
from bgcore.identity import identity_of
from bgcore.processes import process_pool
from bgcore.rollout_work import Plan
from bgcore.whole_files import check_place

SEED = 20261130
TARGET = Path(__file__).parents[1] / "bgcore" / "data" / "decisions.npz"
GAMES_AT_ONCE = 1000
MOST_GAMES = 100_000
MARGIN, MOST = 0.06, 5
PLIES = 11
STOP = StopRules(jsd=2.33, min_trials=144, check_every=72)
TRIALS = 360
#: Steps of a point in which losses and errors are written, and of those that are only estimates.
STEP, COARSE = 1e-4, 10


def positions(net, n):
    """Find n decisions: boards and dice, one of each phase in turn as far as they occur.

    The first of them are those that are found for a smaller n.
    """
    quota = -(-n // len(PHASES))
    dice = DiceStream(SEED, stratified=False, opening=True)
    found = [[] for _ in PHASES]
    seen = set()
    for game in range(0, MOST_GAMES, GAMES_AT_ONCE):
        boards = np.repeat(Board.opening().to_array()[None], GAMES_AT_ONCE, axis=0)
        games = np.arange(game, game + GAMES_AT_ONCE)
        for ply in range(400):
            rolls = dice.rolls_at(games, np.full(len(games), ply))
            _, offsets = legal_boards_batch(boards, rolls)
            # one decision of a game in a phase is enough, and not always the first
            wanted = dice.bits_at(games, np.full(len(games), ply)) % np.uint64(7) == 0
            phases = phases_of(boards)
            for i in np.flatnonzero((np.diff(offsets) > 1) & wanted):
                key = (boards[i].tobytes(), *sorted(rolls[i].tolist()))
                if len(found[phases[i]]) < quota and key not in seen:
                    seen.add(key)
                    found[phases[i]].append((boards[i].copy(), rolls[i].copy()))
            after, _ = net.best_plays(boards, rolls)
            boards = swap_boards(after)
            alive = (boards > 0).any(axis=1) & (boards < 0).any(axis=1)
            boards, games = boards[alive], games[alive]
            if not len(games):
                break
        if sum(map(len, found)) >= n:
            break
    rounds = zip_longest(*found)
    chosen = [decision for turn in rounds for decision in turn if decision is not None][:n]
    return np.array([b for b, _ in chosen], np.int8), np.array([d for _, d in chosen], np.uint8)


def compare(net, after, seed, *, truncate, trials, stop):
    """Roll plays out with the same dice until the others are far enough behind.

    Parameters
    ----------
    net : NetEvaluator
        Chooses the plays, 0-ply, and values the trials that are cut off.
    after : (m, 26) int8 array
        The boards after the plays, seen by the mover, the likeliest best first.
    seed : int
    truncate : int
        Plies of a trial; 0: to the end of the game.
    trials : int
    stop : StopRules
        jsd, min_trials and check_every.

    Returns
    -------
    totals : BlockTotals
    best : int
        The play with the best mean.
    """
    plan = Plan(
        boards=np.ascontiguousarray(swap_boards(after)), swapped=True, evaluator=net, policy=net,
        seed=CoreDice(seed).seed, stratified=True, opening=False, luck="net", truncate=truncate,
        stop_at_tables=True,
    )  # fmt: skip
    totals = plan.new_totals(keep_blocks=True)
    contest = Contest(len(after), stop.jsd, stop.min_trials)

    def play(members, high):
        """Play what the members have missed."""
        for low in sorted({contest.ends[member] for member in members}):
            group = [member for member in members if contest.ends[member] == low]
            if low < high:
                rows = plan.only(group).engine.run(low, high - low)
                totals.add(low, high - low, *rows, members=group)
        contest.played(high)

    for high in range(stop.check_every, trials + 1, stop.check_every):
        play(contest.members, high)
        while late := contest.look(totals):
            play(late, high)
        if contest.is_decided:
            break
    return totals, max(contest.members, key=lambda member: totals.mean(member)[-1])


def differences(totals, one):
    """Return the differences of one play's equity to those of all, and their standard errors.

    Each of the trials that both have played.
    """
    n = totals.n_candidates
    found = [totals.difference(one, i) if i != one else (0.0, 0.0) for i in range(n)]
    return np.array(found).T


@cache
def evaluators(path):
    """Return a net as it stands and looking one ply ahead."""
    return NetEvaluator(path), NetEvaluator(path, plies=1)


def label(path, number, board, dice):
    """Return the line of a decision: losses and errors in the generator's order, in steps."""
    began = time.process_time()
    net, deep = evaluators(path)
    plays, _ = legal_boards_batch(board[None], dice[None])
    values = deep.core.equities_after(board, plays) * 2.0**-30
    losses = np.rint((values.max() - values) / (STEP * COARSE)) * COARSE
    near = np.flatnonzero(losses <= MARGIN / STEP)
    near = near[np.argsort(-values[near], kind="stable")][:MOST]
    errors = np.zeros(len(plays))
    errors[near] = 1
    if len(near) > 1:
        rolled, joint = differences(
            *compare(net, plays[near], number, truncate=PLIES, trials=TRIALS, stop=STOP)
        )
        losses[near] = np.rint(rolled.clip(0) / STEP)
        errors[near] = np.rint(joint / STEP) + 1  # 0 is not rolled out
    return {
        "losses": losses.astype(int).tolist(),
        "errors": errors.astype(int).tolist(),
        "seconds": round(time.process_time() - began, 4),
    }


def found_positions(kept, net, n):
    """Return the decisions of the part file; find them first if they are not there."""
    if not kept.documents:
        began = time.process_time()
        boards, dice = positions(net, n)
        texts = [base64.b64encode(array.tobytes()).decode() for array in (boards, dice)]
        seconds = round(time.process_time() - began, 4)
        kept.add({"wanted": n, "boards": texts[0], "dice": texts[1], "seconds": seconds})
    texts = [kept.documents[0][name] for name in ("boards", "dice")]
    boards, dice = (np.frombuffer(base64.b64decode(text), np.int8) for text in texts)
    if n > kept.documents[0]["wanted"]:
        raise BgcoreError(
            f"it was begun with {kept.documents[0]['wanted']} decisions; no more can be added"
        )
    return boards.reshape(-1, 26).copy(), dice.view(np.uint8).reshape(-1, 2).copy()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("net", help="the net that labels")
    parser.add_argument("--games-of", help="the net whose games give the decisions")
    parser.add_argument("--decisions", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", default=str(TARGET))
    asked = parser.parse_args()
    if asked.decisions < 1 or asked.jobs < 1:
        raise BgcoreError("--decisions and --jobs are numbers above 0")
    net, players = NetEvaluator(asked.net), NetEvaluator(asked.games_of or asked.net)
    about = {
        "seed": SEED,
        "net": identity_of(net),
        "games of": identity_of(players),
        "margin": MARGIN,
        "most": MOST,
        "plies": PLIES,
        "trials": TRIALS,
        "stop": {k: v for k, v in asdict(STOP).items() if v is not None},
    }
    out = check_place(asked.out)
    part = out.with_name(out.name + ".part")
    with kept_lines(part, about) as kept:
        boards, dice = found_positions(kept, players, asked.decisions)
        n, done = min(len(boards), asked.decisions), len(kept.documents) - 1
        tasks = [(asked.net, i, boards[i], dice[i]) for i in range(done, n)]
        if asked.jobs == 1:
            for task in tasks:
                kept.add(label(*task))
        elif tasks:
            with process_pool(asked.jobs, asked.net, BgcoreError) as pool:
                for line in pool.map(label, *zip(*tasks, strict=True), chunksize=10):
                    kept.add(line)
        lines = kept.documents[1 : n + 1]
        losses = np.concatenate([line["losses"] for line in lines]) * STEP
        steps = np.concatenate([line["errors"] for line in lines])
        errors = np.where(steps > 0, (steps - 1) * STEP, np.nan)
        DecisionSet.of(boards[:n], dice[:n], losses, errors, about).save(out)
        hours = sum(document["seconds"] for document in kept.documents) / 3600
        is_all = len(kept.documents) == len(boards) + 1
    if is_all:
        part.unlink()
    counts = np.bincount(phases_of(boards[:n]), minlength=len(PHASES))
    print({name: int(number) for name, number in zip(PHASES, counts, strict=True)})
    print(f"{n} decisions, {len(losses)} plays, {hours:.2f} hours of one core")


if __name__ == "__main__":
    try:
        main()
    except (BgcoreError, OSError) as error:
        sys.exit(str(error))
