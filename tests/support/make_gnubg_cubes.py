"""Make tests/data/cubes_gnubg_2ply.csv again: cube decisions of GNU Backgammon at 2-ply.

usage: python make_gnubg_cubes.py [gnubg, default: the program of this name in PATH]

The positions come from games that the net that comes with bgcore plays against itself, for money
and at match scores of all kinds, with the cube in the middle or owned by the player on roll. Of
each verdict of `bgcore.cube_decision` about as many are taken as there are of the others, so that
all kinds of decisions come up, close ones among them.
"""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from bgcore import (
    Board,
    CubeContext,
    GameState,
    NetEvaluator,
    Phase,
    Position,
    Rules,
    cube_decision,
    equity_cubeless,
)

TARGET = Path(__file__).parents[1] / "data" / "cubes_gnubg_2ply.csv"
TABLE = "/usr/share/gnubg/met/Kazaross-XG2.xml"
N_POSITIONS = 200
SEED = 2026

HEAD = """\
# GNU Backgammon 1.07.001, Kazaross XG2 table, 2-ply cubeful, beavers 3: what `hint` shows of
# positions of self-play; made by tests/support/make_gnubg_cubes.py
# id,win,win_gammon,win_backgammon,lose_gammon,lose_backgammon,cubeless,no_double,double_take,verdict
"""

NUMBER = r"([+-]?\d+\.\d+)"
CHANCES = re.compile(rf"^\s+{NUMBER} {NUMBER} {NUMBER} - {NUMBER} {NUMBER} {NUMBER}", re.MULTILINE)
CUBELESS = re.compile(rf"2-ply cubeless equity\s+{NUMBER}")
HOLD = re.compile(rf"No (?:re)?double\s+{NUMBER}", re.IGNORECASE)
TAKE = re.compile(rf"(?:Double|Redouble), (?:take|beaver)\s+{NUMBER}")
VERDICT = re.compile(r"Proper cube action: ([^\n(]+)")


def start(rng):
    """A game for money or at some score, its cube in the middle or turned."""
    cube = int(rng.choice([1, 1, 1, 2, 4]))
    owner = None if cube == 1 else int(rng.integers(2))
    if rng.random() < 0.4:
        rules = Rules.money(jacoby=bool(rng.integers(2)), beavers=3)
        return GameState.at(Board.opening(), rules=rules, cube=cube, cube_owner=owner)
    length = int(rng.choice([3, 5, 7, 9, 11, 13]))
    scores = tuple(int(rng.integers(length)) for _ in range(2))
    # where one side needs a point, the Crawford game is over
    return GameState.at(Board.opening(), length=length, scores=scores, cube=cube, cube_owner=owner)


def played_on(state, plies, rng, net):
    """The position after some plies of best plays, or None if the game is over before."""
    board, on_roll = state.board, 0
    for _ in range(plies):
        die1, die2 = (int(die) for die in rng.integers(1, 7, 2))
        plays = board.legal_plays((die1, die2))
        after = Board(plays.boards[int(equity_cubeless(net.evaluate_after(plays.boards)).argmax())])
        board, on_roll = after.swapped(), 1 - on_roll
        if board.phase is Phase.OVER:
            return None
    about = (
        {"length": state.length, "scores": state.scores} if state.length else {"rules": state.rules}
    )
    return GameState.at(
        board, on_roll=on_roll, cube=state.cube.value, cube_owner=state.cube.owner, **about
    )


def positions():
    """IDs of positions whose player on roll may double."""
    rng = np.random.default_rng(SEED)
    net = NetEvaluator()
    found, verdicts = [], Counter()
    while len(found) < N_POSITIONS:
        state = played_on(start(rng), int(rng.integers(4, 70)), rng, net)
        if state is None:
            continue
        context = CubeContext.of(state)
        if not context.may_double or context.is_dead:
            continue
        decision = cube_decision(state)
        # nothing is to be learnt of games that are as good as over
        if not 0.03 < decision.probabilities.win < 0.97:
            continue
        if verdicts[decision.verdict] > N_POSITIONS / 5:
            continue
        if decision.verdict == "no double, take" and decision.no_double < -0.4:
            continue
        text = Position.from_state(state).to_text("gnubg")
        if text not in found:
            found.append(text)
            verdicts[decision.verdict] += 1
    return found


def ask(gnubg, texts):
    """What GNU Backgammon says of each, in its order."""
    script = [
        f"set met {TABLE}",
        "set beavers 3",
        "set output digits 6",
        "set output matchpc off",
        "set output mwc off",
        "set evaluation cubedecision evaluation plies 2",
        "set evaluation cubedecision evaluation cubeful on",
        "set evaluation cubedecision evaluation noise 0",
    ]
    for text in texts:
        script += [f"set gnubgid {text}", "hint"]
    done = subprocess.run(
        [gnubg, "--tty", "--quiet"],
        input="\n".join([*script, ""]),
        env=os.environ | {"LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=True,
    )
    answers = done.stdout.split("Cube analysis")[1:]
    if len(answers) != len(texts):
        raise SystemExit(
            f"{len(answers)} answers to {len(texts)} questions:\n{done.stdout[-2000:]}"
        )
    return answers


def row(text, answer):
    win, wg, wbg, _, lg, lbg = CHANCES.search(answer).groups()
    numbers = [win, wg, wbg, lg, lbg]
    numbers += [pattern.search(answer)[1] for pattern in (CUBELESS, HOLD, TAKE)]
    verdict = VERDICT.search(answer)[1].strip().lower().replace(", ", " / ")
    return ",".join([text, *(f"{float(number):.6f}" for number in numbers), verdict])


def main():
    gnubg = sys.argv[1] if len(sys.argv) > 1 else "gnubg"
    texts = positions()
    rows = [row(text, answer) for text, answer in zip(texts, ask(gnubg, texts), strict=True)]
    TARGET.write_text(HEAD + "\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
