"""The net at the table: what it does, and what it says when it is asked.

It plays the first of `bgcore.hints.hint` and handles the cube by `bgcore.cube_decision`: 0-ply, the
score counts. It accepts every resignation. Hints come from the same two, so it does what it advises.
"""

from collections.abc import Sequence

from bgcore.actions import Accept, Action, Beaver, Double, Drop, MakePlay, Pass, Roll, Take
from bgcore.cube_decision import cube_decision
from bgcore.evaluators import Evaluator
from bgcore.game_state import GameState, Stage, is_legal
from bgcore.hints import hint

__all__ = ["cube_advice", "net_action", "play_advice"]

_HINTS = 5


def net_action(state: GameState, evaluator: Evaluator) -> Action:
    """Return what the net does where it must act.

    Parameters
    ----------
    state : GameState
        Of a game that is not over, after the opening roll.
    evaluator : Evaluator
    """
    if state.stage is Stage.RESIGNATION:
        return Accept()
    if state.stage is Stage.ROLL:
        if is_legal(state, Double()) and cube_decision(state, evaluator=evaluator).should_double:
            return Double()
        return Pass() if is_legal(state, Pass()) else Roll()
    if state.stage is Stage.ANSWER:
        return _answer(state, evaluator)
    return MakePlay(hint(state, evaluator=evaluator)[0].play)


def _answer(state: GameState, evaluator: Evaluator) -> Action:
    decision = cube_decision(state, evaluator=evaluator)
    if state.returns % 2:  # its own double was turned back: dropping costs what it doubled to
        is_lost = decision.double_take < -1 and is_legal(state, Drop())
        return Drop() if is_lost else Take()
    if state.returns:
        return Take()
    if decision.should_beaver and is_legal(state, Beaver()):
        return Beaver()
    return Take() if decision.should_take else Drop()


def play_advice(state: GameState, evaluator: Evaluator) -> list[str]:
    """Return lines that rank the best plays of a roll; the first line is a heading."""
    ranked = hint(state, evaluator=evaluator)[:_HINTS]
    width = max(4, *(len(str(entry.play)) for entry in ranked))
    lines = [
        f"{'':4}{'play':<{width}}  {'equity':>7} {'loss':>7} {'win':>6} {'win g':>6} {'lose g':>6}"
    ]
    for place, entry in enumerate(ranked, start=1):
        loss = f"{-entry.loss:+z.3f}" if place > 1 else ""
        chances = entry.probabilities
        lines.append(
            f"{place:>2}. {entry.play!s:<{width}}  {entry.equity_cubeful:>+z7.3f} {loss:>7}"
            f" {chances.win:>6.1%} {chances.win_gammon:>6.1%} {chances.lose_gammon:>6.1%}"
        )
    return [*lines, f"({_unit(state)})"]


def cube_advice(state: GameState, evaluator: Evaluator, names: Sequence[str]) -> list[str]:
    """Return lines with the chances of the player who acts before a roll, and the cube decision."""
    decision = cube_decision(state, evaluator=evaluator)
    doubler = state.on_roll or 0
    viewer = doubler if state.actor is None else state.actor
    seen = decision.probabilities if viewer == doubler else decision.probabilities.flip()
    lines = [
        (
            f"{names[viewer]}: win {seen.win:.1%} (gammon {seen.win_gammon:.1%}, backgammon"
            f" {seen.win_backgammon:.1%}), lose {1 - seen.win:.1%} (gammon {seen.lose_gammon:.1%},"
            f" backgammon {seen.lose_backgammon:.1%}); equity without a cube"
            f" {seen.equity_cubeless:+z.3f}"
        )
    ]
    if state.returns:
        # each turn of the cube doubles what is at stake; who drops pays it as it was before
        stake = 1 << state.returns
        dropped = -stake if state.returns % 2 else stake
        lines.append(
            f"cube, seen by {names[doubler]}: taken {stake * decision.double_take:+z.3f}, dropped"
            f" {dropped:+.3f}"
        )
    elif state.stage is Stage.ANSWER or is_legal(state, Double()):
        lines.append(
            f"cube, seen by {names[doubler]}: no double {decision.no_double:+z.3f}, double and take"
            f" {decision.double_take:+z.3f}, double and drop {decision.double_pass:+z.3f}:"
            f" {decision.text.replace('pass', 'drop')}"
        )
    return [*lines, f"({_unit(state)}; before the roll)"]


def _unit(state: GameState) -> str:
    cube = "with the cube" if state.rules.cube else "without a cube"
    unit = "money-like, at this score" if state.length else "points"
    return f"the net, 0-ply; equities {cube}, {unit}"
