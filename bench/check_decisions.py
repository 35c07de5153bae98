"""Check a set of decisions: against rollouts to the end of the game, and against other engines.

usage: python bench/check_decisions.py full NET --out FILE [--set FILE] [--decisions N]
       python bench/check_decisions.py gnubg-nn --out FILE [--set FILE] [--decisions N]
       python bench/check_decisions.py bgsage --out FILE [--set FILE] [--decisions N]

full: the plays that were rolled out are rolled out once more with other dice and to the end of the
game, 216 to 1,296 trials, a play that is 2.33 joint standard errors behind dropped. Told for each
phase: by how much what a play loses against the best play of the set is more by the set (mean; root
of the mean square, and what it would be by the standard errors of both rollouts alone), and in how
many decisions another play is best, and better by two joint standard errors. The best play of a set
is best by its luck too, so losses are more in the set than they are.

gnubg-nn, bgsage: what these engines play two plies ahead (GNU numbering). Told for each phase: in
how many decisions they agree with the best play of the set, what that loses by their numbers, what
their play loses by the set, and how often it is one that the set did not roll out.

full takes the first decisions of the set with two plays or more that were rolled out (a set that
was made by make_decisions.py has the phases in turn), the engines' are spread over the set. The
answers stand in FILE as they come: a run that was ended goes on, and one with more decisions, or
with a set that has grown, adds to them.
"""

import argparse
import os
import sys
import time
import zlib

import numpy as np
from kept_lines import kept_lines
from make_decisions import STEP, compare, differences

from bgcore import StopRules
from bgcore.adapters.bgsage import BgSage
from bgcore.adapters.gnubg_nn import GnubgNN
from bgcore.decision_loss import PHASES, load_decisions, phases_of
from bgcore.errors import BgcoreError
from bgcore.evaluators import NetEvaluator
from bgcore.identity import identity_of
from bgcore.policies import equities_of, values_after

REFEREES = {"gnubg-nn": GnubgNN, "bgsage": BgSage}
STOP = StopRules(jsd=2.33, min_trials=216, check_every=216)
TRIALS = 1296
#: The dice of decision n are those of seed n + OTHER_DICE.
OTHER_DICE = 1 << 32


def spread(numbers, n):
    """Return n of the numbers, evenly spread, or all if there are no more."""
    places = np.linspace(0, len(numbers) - 1, min(n, len(numbers))).round().astype(int)
    return numbers[places]


def best_of(given):
    """Return the place of the best play of each decision."""
    return np.array(
        [
            low + given.losses[low:high].argmin()
            for low, high in zip(given.offsets[:-1], given.offsets[1:], strict=True)
        ]
    )


def checksum(*arrays):
    """Return a number that tells arrays from others."""
    return zlib.crc32(b"".join(np.ascontiguousarray(array).tobytes() for array in arrays))


def tell(given, numbers, columns):
    """Print the columns, name: function of the places among the numbers, for each phase."""
    phases = phases_of(given.boards[numbers])
    rows = [("all", np.arange(len(numbers)))]
    rows += [(name, np.flatnonzero(phases == i)) for i, name in enumerate(PHASES)]
    print(f"{'phase':12} {'decisions':>9} " + " ".join(f"{name:>16}" for name in columns))
    for name, places in rows:
        if len(places):
            cells = " ".join(f"{column(places):>16}" for column in columns.values())
            print(f"{name:12} {len(places):9} {cells}")


def mean_text(values):
    """Return mean and standard error, in thousandths."""
    if len(values) < 2:
        return f"{1000 * values.mean():.2f}" if len(values) else "-"
    return f"{1000 * values.mean():.2f} +- {1000 * values.std(ddof=1) / len(values) ** 0.5:.2f}"


def share_text(flags):
    return f"{100 * flags.mean():.1f} %"


def check_full(asked, given):
    """Roll out to the end."""
    net = NetEvaluator(asked.net)
    rolled = ~np.isnan(given.errors)
    enough = np.flatnonzero(np.add.reduceat(rolled, given.offsets[:-1]) > 1)
    numbers = enough[: asked.decisions]
    head = {"check": "full", "net": identity_of(net), "trials": TRIALS, "jsd": STOP.jsd}
    with kept_lines(asked.out, head) as kept:
        known = {line["number"]: line["plays"] for line in kept.documents}
        for number in numbers.tolist():
            began = time.process_time()
            places = rolled_of(given, number)
            plays = checksum(given.boards[number], given.dice[number], given.plays[places])
            if number in known:
                if known[number] != plays:
                    raise BgcoreError(f"{asked.out!r} is of another set: decision {number} differs")
                continue
            totals, best = compare(
                net, given.plays[places], number + OTHER_DICE, truncate=0, trials=TRIALS, stop=STOP
            )
            losses, errors = differences(totals, 0)
            kept.add(
                {
                    "number": number,
                    "plays": plays,
                    "losses": np.rint(losses / STEP).astype(int).tolist(),
                    "errors": np.rint(errors / STEP).astype(int).tolist(),
                    "best": best,
                    "seconds": round(time.process_time() - began, 3),
                }
            )
        lines = {line["number"]: line for line in kept.documents}
    more, expected, others, sure = [], [], [], []
    for number in numbers.tolist():
        places, line = rolled_of(given, number), lines[number]
        losses, errors = np.array([line["losses"], line["errors"]])[:, 1:] * STEP
        more.append(given.losses[places][1:] - losses)
        expected.append(given.errors[places][1:] ** 2 + errors**2)
        others.append(line["best"] != 0)
        sure.append((losses < -2 * errors).any())
    others, sure = np.array(others), np.array(sure)
    columns = {
        "more": lambda at: mean_text(np.concatenate([more[i] for i in at])),
        "rms": lambda at: rms_text(np.concatenate([more[i] for i in at]) ** 2),
        "rms by errors": lambda at: rms_text(np.concatenate([expected[i] for i in at])),
        "another best": lambda at: share_text(others[at]),
        "by 2 errors": lambda at: share_text(sure[at]),
    }
    tell(given, numbers, columns)
    print_hours(lines[number]["seconds"] for number in numbers.tolist())


def rolled_of(given, number):
    """Return the places of the plays that were rolled out, the best first."""
    low, high = given.offsets[number : number + 2]
    places = low + np.flatnonzero(~np.isnan(given.errors[low:high]))
    return places[np.argsort(given.losses[places], kind="stable")]


def rms_text(squares):
    return f"{1000 * squares.mean() ** 0.5:.2f}"


def check_referee(asked, given):
    """Ask an engine what it plays, and what it thinks of the best play of the set."""
    engine = REFEREES[asked.what](2)
    numbers = spread(np.arange(len(given)), asked.decisions)
    head = {"check": identity_of(engine), "set": checksum(given.boards, given.dice, given.plays)}
    ours, theirs = best_of(given)[numbers], np.empty(len(numbers), int)
    lost = np.zeros(len(numbers))
    with kept_lines(asked.out, head) as kept:
        plays = {line["number"]: line["play"] for line in kept.documents if "play" in line}
        values = {line["place"]: line["equity"] for line in kept.documents if "place" in line}

        def value(place):
            if place not in values:
                began = time.process_time()
                fives = values_after(engine, given.plays[place : place + 1], n_checkers=15)
                values[place] = float(equities_of(fives)[0] * 2.0**-30)
                seconds = round(time.process_time() - began, 3)
                kept.add({"place": place, "equity": values[place], "seconds": seconds})
            return values[place]

        for i, number in enumerate(numbers.tolist()):
            low, high = given.offsets[number : number + 2]
            if number not in plays:
                began = time.process_time()
                one = slice(number, number + 1)
                after = engine.best_plays(given.boards[one], given.dice[one])
                (same,) = (given.plays[low:high] == after).all(axis=1).nonzero()
                if len(same) != 1:
                    raise BgcoreError(f"{asked.what} made no legal play in decision {number}")
                plays[number] = int(same[0])
                seconds = round(time.process_time() - began, 3)
                kept.add({"number": number, "play": plays[number], "seconds": seconds})
            theirs[i] = low + plays[number]
        for i in np.flatnonzero(ours != theirs).tolist():
            if not asked.plays_only:
                lost[i] = value(int(theirs[i])) - value(int(ours[i]))
        seconds = [line["seconds"] for line in kept.documents]
    if not asked.plays_only:
        columns = {
            "agree": lambda at: share_text(ours[at] == theirs[at]),
            "ours by theirs": lambda at: mean_text(lost[at]),
            "theirs by ours": lambda at: mean_text(given.losses[theirs[at]]),
            "not rolled out": lambda at: share_text(np.isnan(given.errors[theirs[at]])),
        }
        tell(given, numbers, columns)
    print_hours(seconds)


def print_hours(seconds):
    print(f"points lost in 1,000 decisions; {sum(seconds) / 3600:.2f} hours of one core")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=["full", *REFEREES])
    parser.add_argument("net", nargs="?", help="for full: the net that plays")
    parser.add_argument("--out", required=True)
    parser.add_argument("--set", help="the set that comes with bgcore if not given")
    parser.add_argument("--decisions", type=int, default=500)
    parser.add_argument("--plays-only", action="store_true", help="ask for the engine's plays only")
    asked = parser.parse_args()
    if (asked.what == "full") != (asked.net is not None):
        parser.error("a net is named for full, and only there")
    if asked.decisions < 1:
        parser.error("--decisions is a number above 0")
    given = load_decisions(asked.set and os.fspath(asked.set))
    if asked.what == "full":
        check_full(asked, given)
    else:
        check_referee(asked, given)


if __name__ == "__main__":
    try:
        main()
    except (BgcoreError, OSError) as error:
        sys.exit(str(error))
