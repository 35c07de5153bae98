"""Cube decisions beside those of GNU Backgammon at 2-ply (tests/data/cubes_gnubg_2ply.csv)."""

from dataclasses import dataclass, replace

import numpy as np
from testdata import rows

from bgcore import CubeContext, NetEvaluator, Position
from bgcore.cube_decision import CubeDecision, decide


@dataclass(frozen=True)
class Compared:
    """One position: what GNU Backgammon says, and what we say.

    It shows the equity of the take also where a beaver is right.
    """

    id: str
    five: list[float]
    no_double: float
    double_take: float
    verdict: str
    ours: CubeDecision

    @property
    def answered(self) -> float:
        """Their equity of a double after the best answer."""
        return 2 * self.double_take if "beaver" in self.verdict else min(self.double_take, 1.0)

    @property
    def equity(self) -> float:
        """Their equity after the best action of both sides."""
        return max(self.no_double, self.answered)

    @property
    def difference(self) -> float:
        """Our equity after the best action of both sides, less theirs."""
        return self.ours.equity_cubeful - self.equity

    @property
    def doubles_alike(self) -> bool:
        """Whether both double or both do not; an optional double is like either."""
        if "optional" in self.verdict:
            return True
        return self.ours.should_double == self.verdict.startswith(("double", "redouble"))

    @property
    def answers_alike(self) -> bool:
        """Whether both pass, or both do not."""
        return self.ours.should_take == ("pass" not in self.verdict)

    @property
    def cost(self) -> float:
        """What our decision costs by their equities."""
        mine = self.answered if self.ours.should_double else self.no_double
        return self.equity - mine


def compared(evaluator=None, *, their_chances=False):
    """Compare all positions, with our evaluator or with their chances in our cube model."""
    judge = NetEvaluator() if evaluator is None else evaluator
    found = []
    for text, *numbers, verdict in rows("cubes_gnubg_2ply.csv", ","):
        state = Position.from_text(text).to_state()
        context = CubeContext.of(state)
        if not context.is_match:
            context = replace(context, beavers=3)
        five = [float(number) for number in numbers[:5]]
        used = five if their_chances else judge.evaluate(state.board.to_array()[np.newaxis])[0]
        ours = decide(state.board, used, context)
        no_double, double_take = (float(number) for number in numbers[6:8])
        found.append(Compared(text, five, no_double, double_take, verdict, ours))
    return found
