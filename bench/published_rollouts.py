"""Published rollouts of openings and replies beside our own, with confidence intervals.

    python bench/published_rollouts.py [--net NAME] [--trials N] [--jobs J]

Money, cube in the middle, no Jacoby rule, no beavers; the XG reference position with the Jacoby
rule. Every position is rolled out after the play, the opponent to roll; all numbers are the
mover's. A star marks a published equity outside our 95 % confidence interval: the quality of plays
and cube decisions (ours: 0-ply, by the net) moves such numbers more than chance does. All positions
have the same dice, so what is chance in one is partly that of the others.

The book's cubeful equities of good openings are nearer to cubeless ones than those of other
programs: GNU Backgammon 1.07 says +0.218 of 3-1 8/5 6/5, +0.160 of 4-2 8/4 6/4 and +0.080 of 6-5
24/13 (2-ply cubeful, `hint`), which is what ours are like.

Sources: XG's opening book (equities cubeful; win, gammon, backgammon per cent of the opener);
rollouts with GNU Backgammon by Stick Rice (bkgm.com/rgb/rgb.cgi?view+1344); the replies of
bkgm.com/openings (cubeless); XG's reference rollout of bgsage's benchmarks.
"""

import argparse
import time

import numpy as np

from bgcore import Board, CubeContext, NetEvaluator, rollout, rollout_cube

#: Plays of the opening; roll, play, cubeful equity, per cent won, gammons, backgammons.
OPENINGS = (
    ("21", "13/11 6/5", 0.0088, 50.58, 14.15, 0.59),
    ("21", "24/23 13/11", 0.0045, 49.96, 13.69, 0.56),
    ("31", "8/5 6/5", 0.1670, 55.46, 17.08, 0.71),
    ("32", "13/11 13/10", 0.0053, 49.77, 14.93, 0.65),
    ("32", "24/21 13/11", 0.0052, 50.17, 13.55, 0.64),
    ("41", "24/23 13/9", 0.0024, 49.84, 14.05, 0.58),
    ("42", "8/4 6/4", 0.1234, 53.80, 16.97, 0.74),
    ("43", "13/10 13/9", 0.0125, 49.84, 15.29, 0.75),
    ("43", "24/21 13/9", 0.0060, 49.96, 14.04, 0.66),
    ("51", "24/23 13/8", 0.0056, 50.06, 13.50, 0.54),
    ("51", "13/8 6/5", -0.0031, 49.76, 13.74, 0.58),
    ("52", "24/22 13/8", 0.0032, 50.07, 13.34, 0.58),
    ("53", "8/3 6/3", 0.0638, 51.73, 16.17, 0.76),
    ("54", "24/20 13/8", 0.0155, 50.51, 13.62, 0.72),
    ("61", "13/7 8/7", 0.1035, 53.53, 15.16, 0.63),
    ("62", "24/18 13/11", 0.0066, 50.68, 12.70, 0.58),
    ("63", "24/18 13/10", 0.0072, 50.53, 12.99, 0.62),
    ("64", "8/2 6/2", 0.0102, 49.81, 15.40, 0.77),
    ("64", "24/18 13/9", 0.0069, 50.34, 13.48, 0.61),
    ("65", "24/13", 0.0545, 52.82, 11.64, 0.53),
)
#: The same by GNU Backgammon, 46,656 trials.
STICK_RICE = (
    ("51", "24/23 13/8", 0.0057, 50.11, 13.81, 0.61),
    ("51", "13/8 6/5", -0.0041, 49.79, 13.74, 0.58),
)
#: Replies: opening, its play, roll, reply, cubeless equity.
REPLIES = (
    ("21", "24/23 13/11", "11", "24/22 6/5(2)", 0.114),
    ("21", "24/23 13/11", "21", "24/21", -0.102),
    ("21", "24/23 13/11", "21", "13/10", -0.139),
    ("21", "24/23 13/11", "54", "24/20 13/8", -0.075),
    ("21", "24/23 13/11", "54", "13/9 13/8", -0.095),
    ("21", "13/11 6/5", "54", "24/20* 13/8", 0.136),
    ("31", "8/5 6/5", "54", "13/9 13/8", -0.241),
    ("32", "24/21 13/11", "54", "13/4*", -0.067),
    ("21", "24/23 13/11", "52", "24/22 13/8", -0.085),
    ("21", "13/11 6/5", "52", "24/22 13/8", -0.180),
    ("31", "8/5 6/5", "52", "24/22 13/8", -0.213),
    ("32", "24/21 13/11", "52", "13/8 6/4*", -0.065),
)
#: XG: no double, double/take; cubeless with its error; won, gammons, lost gammons.
REFERENCE = [-2, 2, 0, 0, 0, 0, 4, 1, 2, 0, 1, 0, -4, 3, 0, 0, 0, -3, 0, -4, -2, 0, 1, 0, 1, 0]
XG = {"no double": 0.598, "double, take": 0.606, "cubeless": 0.449, "win": 0.6007}
XG |= {"win gammon": 0.3801, "lose gammon": 0.1156}
Z95 = 1.959964


def beside(ours: float, error: float, published: float) -> str:
    mark = "*" if abs(ours - published) > Z95 * error else " "
    return f"{published:+.4f}  {ours:+.4f} [{ours - Z95 * error:+.4f}, {ours + Z95 * error:+.4f}]{mark}"


def openings(title: str, rows: tuple, settings: dict) -> None:
    print(f"\n{title}: cubeful equity published, ours, 95 %; cubeless, ours; W G B published, ours")
    for roll, play, equity, *published in rows:
        after = Board.opening().after(play, dice=roll).swapped()
        theirs = rollout(after, cube=CubeContext(), **settings).best
        ours = 1 - theirs.win, theirs.lose_gammon, theirs.lose_backgammon
        print(
            f"{roll} {play:14} {beside(-theirs.equity_cubeful, theirs.equity_cubeful_se, equity)}"
            f" {-theirs.equity_cubeless:+.4f}"
            f"  {' '.join(f'{share:5.2f}' for share in published)}"
            f"  {' '.join(f'{100 * share:5.2f}' for share in ours)}",
            flush=True,
        )


def replies(settings: dict) -> None:
    print("\nreplies: cubeless equity published, ours, 95 %")
    for roll, play, second, reply, equity in REPLIES:
        board = Board.opening().after(play, dice=roll).swapped()
        theirs = rollout(board.after(reply, dice=second).swapped(), **settings).best
        print(
            f"{roll} {play:12} {second} {reply:13}"
            f" {beside(-theirs.equity_cubeless, theirs.equity_se, equity)}",
            flush=True,
        )


def reference(settings: dict) -> None:
    print("\nXG's reference rollout, Jacoby rule: published, ours, 95 %")
    board = Board(np.array(REFERENCE, np.int8))
    found = rollout_cube(board, CubeContext(jacoby=True), **settings)
    held, errors = found.no_double, found.no_double.standard_errors
    ours = {
        "no double": (found.decision.no_double, found.no_double_se),
        "double, take": (found.decision.double_take, found.double_take_se),
        "cubeless": (held.equity_cubeless, held.equity_se),
        "win": (held.win, errors[0]),
        "win gammon": (held.win_gammon, errors[1]),
        "lose gammon": (held.lose_gammon, errors[3]),
    }
    for name, (value, error) in ours.items():
        print(f"{name:13} {beside(value, error, XG[name])}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--net", help="its name or file; the one that is shipped")
    parser.add_argument("--trials", type=int, default=1296)
    parser.add_argument("--jobs", type=int, default=1)
    asked = parser.parse_args()
    began, spent = time.perf_counter(), time.process_time()
    settings = {
        "evaluator": NetEvaluator(asked.net),
        "trials": asked.trials,
        "jobs": asked.jobs,
    }
    openings("openings, XG's book", OPENINGS, settings)
    openings("openings, GNU Backgammon", STICK_RICE, settings)
    replies(settings)
    reference(settings)
    print(
        f"\n{asked.net or 'the shipped net'}, {asked.trials:,} trials each,"
        f" {time.perf_counter() - began:.0f} s, {time.process_time() - spent:.0f} s of processor time"
    )


if __name__ == "__main__":
    main()
