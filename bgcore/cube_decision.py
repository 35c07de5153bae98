"""Cube decisions: what doubling, taking and passing are worth, and the verdict.

Equities are seen by the player on roll, who may double and has not rolled. For money they are
points for each point of the cube; in a match they are match equities turned into money-like ones
(`emg`): -1 and +1 are losing and winning a single game with the cube as it is.

Cube life follows GNU Backgammon 1.07: 0.68 with contact, 0.6 in the bear-off, and in other races
0.55 + 0.00125 pips of the player on roll, from 0.6 to 0.7. For money the exact two-sided table
takes the place of the model where it applies.
"""

from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bgcore._core.board import phases, pips
from bgcore.bearoff import two_sided
from bgcore.board import Board, Phase
from bgcore.cube_model import CubeContext, counted_outcomes, cube_equity, emg, mwc_of_emg
from bgcore.errors import EvaluatorError
from bgcore.evaluators import Evaluator, NetEvaluator, Probabilities, checked_probabilities
from bgcore.game_state import GameState
from bgcore.met import MatchEquityTable
from bgcore.position import Position, game_of

__all__ = ["CubeDecision", "Verdict", "cube_decision", "cube_life", "decide", "decision_of"]

#: Equities that differ by less are equal.
_EQUAL = 1e-9


class Verdict(StrEnum):
    """The proper cube action of both sides; "redouble" takes the place of "double" by the text."""

    DOUBLE_TAKE = "double, take"
    DOUBLE_PASS = "double, pass"
    DOUBLE_BEAVER = "double, beaver"
    NO_DOUBLE_TAKE = "no double, take"
    NO_DOUBLE_BEAVER = "no double, beaver"
    NO_DOUBLE_DEAD_CUBE = "no double, dead cube"
    TOO_GOOD_TAKE = "too good, take"
    TOO_GOOD_PASS = "too good, pass"
    OPTIONAL_DOUBLE_TAKE = "optional double, take"
    OPTIONAL_DOUBLE_PASS = "optional double, pass"
    OPTIONAL_DOUBLE_BEAVER = "optional double, beaver"
    NOT_AVAILABLE = "the cube is not available"


@dataclass(frozen=True)
class CubeDecision:
    """What the cube actions of a position are worth.

    Attributes
    ----------
    probabilities : Probabilities
        Of the player on roll.
    equity_cubeless : float
        Without a cube; in a match money-like.
    no_double, double_take, double_pass : float
        If he rolls without doubling; if he doubles and it is taken; if it is passed.
    double_beaver : float or None
        If his double is taken and turned back; None where there are no beavers.
    verdict : Verdict
    is_redouble : bool
        Whether he owns the cube.
    is_exact : bool
        From the two-sided table rather than from the model.
    is_automatic : bool
        He loses nothing by doubling whatever he throws: the match is at stake for him anyway.
    is_free_drop : bool
        The opponent needs 1 point after the Crawford game and the player on roll an even number:
        a pass costs the opponent next to nothing, for as many won games are needed after it.
    context : CubeContext
    """

    probabilities: Probabilities
    equity_cubeless: float
    no_double: float
    double_take: float
    double_pass: float
    double_beaver: float | None
    verdict: Verdict
    is_redouble: bool
    is_exact: bool
    is_automatic: bool
    is_free_drop: bool
    context: CubeContext

    @property
    def text(self) -> str:
        """The verdict in words, such as "redouble, take" or "no double, beaver"."""
        return self.verdict.replace("double", "redouble") if self.is_redouble else str(self.verdict)

    @property
    def answered(self) -> float:
        """The equity of doubling after the best answer."""
        answers = [self.double_take, self.double_pass]
        if self.double_beaver is not None:
            answers.append(self.double_beaver)
        return min(answers)

    @property
    def equity_cubeful(self) -> float:
        """The equity after the best action of both."""
        if self.verdict is Verdict.NOT_AVAILABLE:
            return self.no_double
        return max(self.no_double, self.answered)

    @property
    def should_double(self) -> bool:
        """Whether doubling is at least as good as rolling."""
        return self.verdict is not Verdict.NOT_AVAILABLE and (
            self.answered >= self.no_double - _EQUAL and not self.context.is_dead
        )

    @property
    def should_take(self) -> bool:
        """Whether the opponent should take if he is doubled."""
        return self.double_take <= self.double_pass

    @property
    def should_beaver(self) -> bool:
        """Whether the opponent should turn a double back."""
        return self.double_beaver is not None and self.double_beaver < min(
            self.double_take, self.double_pass
        )

    @property
    def errors(self) -> dict[str, float]:
        """What each action costs the one who takes it, 0 or more, in the unit of the equities."""
        best = self.equity_cubeful
        costs = {
            "no_double": best - self.no_double,
            "double": best - self.answered,
            "take": self.double_take - self.answered,
            "pass": self.double_pass - self.answered,
        }
        if self.double_beaver is not None:
            costs["beaver"] = self.double_beaver - self.answered
        return costs

    @property
    def needed_mistakes(self) -> float | None:
        """How often the opponent must answer wrongly for the other decision to be right.

        With "no double, take" it is the share of passes that would make a double right, with "too
        good" the share of takes; what he should do is the alternative, be it a beaver. None where
        no mistakes of his change the decision.
        """
        wrong, right = max(self.double_take, self.double_pass), self.answered
        if self.should_double or self.verdict is Verdict.NOT_AVAILABLE or wrong <= self.no_double:
            return None
        if self.no_double - right <= _EQUAL:
            return None  # a dead cube that costs nothing
        return (self.no_double - right) / (wrong - right)

    @property
    def remarks(self) -> tuple[str, ...]:
        """What else is to be said about the decision, in words."""
        found = []
        if self.needed_mistakes is not None:
            what = "passes" if self.double_take < self.double_pass else "takes"
            share = 100 * self.needed_mistakes
            found.append(f"doubling is right if {share:.2f} % are wrong {what}")
        if self.is_automatic:
            found.append("an automatic double: the match is at stake anyway")
        if self.is_free_drop:
            found.append("a pass costs nothing: a free drop")
        if self.is_exact:
            found.append("exact")
        return tuple(found)

    @property
    def mwc(self) -> dict[str, float] | None:
        """The three equities as chances to win the match; None for money."""
        if not self.context.is_match:
            return None
        names = ("no_double", "double_take", "double_pass")
        return {name: float(mwc_of_emg(getattr(self, name), self.context)) for name in names}

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can hold."""
        return {
            **asdict(self.probabilities),
            "equity_cubeless": self.equity_cubeless,
            "equity_cubeful": self.equity_cubeful,
            "no_double": self.no_double,
            "double_take": self.double_take,
            "double_pass": self.double_pass,
            "double_beaver": self.double_beaver,
            "verdict": self.text,
            "errors": self.errors,
            "needed_mistakes": self.needed_mistakes,
            "mwc": self.mwc,
            "exact": self.is_exact,
            "automatic": self.is_automatic,
            "free_drop": self.is_free_drop,
        }


def cube_life(boards: ArrayLike) -> NDArray[np.float64]:
    """Return the cube life of boards whose side seen is on roll; see the top of the module.

    Parameters
    ----------
    boards : (N, 26) int8 array_like

    Returns
    -------
    (N,) float64 array
    """
    cells = np.asarray(boards, np.int8)
    kinds = phases(cells)
    race = np.clip(0.55 + 0.00125 * pips(cells)[:, 0], 0.6, 0.7)
    life: NDArray[np.float64] = np.select(
        [kinds == Phase.CONTACT, kinds == Phase.BEAROFF], [0.68, 0.6], race
    )
    return life


def cube_decision(
    position: GameState | Position,
    *,
    evaluator: Evaluator | None = None,
    met: MatchEquityTable | None = None,
) -> CubeDecision:
    """Return the cube decision of the player on roll, by a static evaluation (0-ply).

    Parameters
    ----------
    position : GameState or Position
        Before the roll; or while a double waits for its answer, and then the decision is that of
        the double. Dice in a `Position` do not count.
    evaluator : Evaluator, optional
        The net that comes with bgcore if not given.
    met : MatchEquityTable, optional
        Kazaross-XG2 if not given.

    Raises
    ------
    BoardError
        It is no such position.
    MatchEquityError
        Nobody is on roll, the game is over, or by the table nothing is at stake at this score.
    EvaluatorError
        The evaluator returned something that cannot be used.
    """
    state = game_of(position, before_roll=True)
    context = CubeContext.of(state, met)
    used = NetEvaluator() if evaluator is None else evaluator
    boards = state.board.to_array()[np.newaxis]
    try:
        five = checked_probabilities(used.evaluate(boards), 1)[0]
    except EvaluatorError as error:
        raise EvaluatorError(f"{type(used).__name__}: {error}") from None
    return decide(state.board, five, context)


def decide(board: Board, probabilities: ArrayLike, context: CubeContext) -> CubeDecision:
    """Return the cube decision of a position from its probabilities.

    Parameters
    ----------
    board : Board
        Seen by the player on roll, who has not rolled.
    probabilities : (5,) array_like
        Of the player on roll: win, win gammon, win backgammon, lose gammon, lose backgammon.
    context : CubeContext

    Raises
    ------
    MatchEquityError
        They are no probabilities, or by the table nothing is at stake at this score.
    """
    five = np.asarray(probabilities, np.float64)
    exact = _exact(board, context)
    if exact is not None:
        no_double, double_take, cubeless = exact
        five = np.array([(cubeless + 1) / 2, 0, 0, 0, 0])
    else:
        life = cube_life(board.to_array()[np.newaxis])
        equities = [
            float(cube_equity(five, context, life)[0]),
            float(cube_equity(five, context.doubled(), life)[0]),
            _cubeless(five, context),
        ]
        if context.is_match:
            no_double, double_take, cubeless = emg(equities, context).tolist()
        else:
            no_double, double_take, cubeless = equities[0], 2 * equities[1], equities[2]
    return decision_of(five, cubeless, no_double, double_take, context, is_exact=exact is not None)


def decision_of(
    probabilities: ArrayLike,
    equity_cubeless: float,
    no_double: float,
    double_take: float,
    context: CubeContext,
    *,
    is_exact: bool = False,
) -> CubeDecision:
    """Return the decision that follows from what rolling and a double that is taken are worth.

    Parameters
    ----------
    probabilities, equity_cubeless, no_double, double_take, context, is_exact
        See `CubeDecision`.
    """
    five = np.asarray(probabilities, np.float64)
    double_pass = 1.0
    beaver = None
    if context.may_be_beavered:
        # who refuses a beaver pays the double that he offered
        beaver = max(2 * double_take, -2.0) if context.beaver_drop else 2 * double_take
    mine, his = context.needs or (0, 0)
    return CubeDecision(
        probabilities=Probabilities.from_array(five),
        equity_cubeless=equity_cubeless,
        no_double=no_double,
        double_take=double_take,
        double_pass=double_pass,
        double_beaver=beaver,
        verdict=_verdict(no_double, double_take, double_pass, beaver, five, context),
        is_redouble=context.owner == "own",
        is_exact=is_exact,
        is_automatic=context.is_match and context.may_double and his <= context.cube < mine,
        is_free_drop=context.after_crawford and his == 1 and mine % 2 == 0 and context.cube == 1,
        context=context,
    )


def _cubeless(five: NDArray[np.float64], context: CubeContext) -> float:
    win, wg, wbg, lg, lbg = counted_outcomes(five, context).tolist()
    if not context.is_match:
        return float(2 * win - 1 + (wg - lg) + (wbg - lbg))
    points = [context.mwc_after(kind * context.cube) for kind in (-3, -2, -1, 1, 2, 3)]
    shares = [lbg, lg - lbg, 1 - win - lg, win - wg, wg - wbg, wbg]
    return float(np.dot(shares, points))


def _exact(board: Board, context: CubeContext) -> tuple[float, float, float] | None:
    """Return no double, double and take, and cubeless from the table, where it applies."""
    if context.is_match or board.phase is not Phase.BEAROFF:
        return None
    if max(sum(c for c in board if c > 0), -sum(c for c in board if c < 0)) > 6:
        return None
    if context.limit < 1 << 10:  # the table's cube has no limit
        return None
    table = two_sided().equities(board.to_array())
    held = {
        "centred": table.centred,
        "own": table.owned,
        "opponent": table.opponent_owned,
    }[context.owner]
    if not context.has_cube:
        held = table.cubeless
    return held, 2 * table.opponent_owned, table.cubeless


def _verdict(
    no_double: float,
    take: float,
    passed: float,
    beaver: float | None,
    five: NDArray[np.float64],
    context: CubeContext,
) -> Verdict:
    if not context.may_double:
        return Verdict.NOT_AVAILABLE
    if context.is_dead:
        return Verdict.NO_DOUBLE_DEAD_CUBE
    is_beaver = beaver is not None and beaver < min(take, passed)
    answered = min(take, passed) if beaver is None else min(take, passed, beaver)
    is_pass = passed < take
    if abs(answered - no_double) <= _EQUAL:
        if is_beaver:
            return Verdict.OPTIONAL_DOUBLE_BEAVER
        return Verdict.OPTIONAL_DOUBLE_PASS if is_pass else Verdict.OPTIONAL_DOUBLE_TAKE
    if answered > no_double:
        if is_beaver:
            return Verdict.DOUBLE_BEAVER
        return Verdict.DOUBLE_PASS if is_pass else Verdict.DOUBLE_TAKE
    if no_double > passed:
        return Verdict.TOO_GOOD_PASS if is_pass else Verdict.TOO_GOOD_TAKE
    if is_pass:
        return Verdict.DOUBLE_PASS
    return Verdict.NO_DOUBLE_BEAVER if is_beaver else Verdict.NO_DOUBLE_TAKE
