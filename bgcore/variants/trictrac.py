"""French Trictrac: the rules of its moves and turns, see `jans` and `marks` for its points."""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

from bgcore._core.variants import Kernel
from bgcore.errors import VariantError
from bgcore.variants.jans import (
    CORNER,
    OPPOSING_CORNER,
    START,
    Jan,
    are_full,
    can_enter,
    jan_in_reach,
    jans_of_filling,
    jans_of_roll,
)
from bgcore.variants.marks import POINTS_OF_A_HOLE, marked
from bgcore.variants.plays import Step, VariantPlay, VariantPlays
from bgcore.variants.rules import Contact, Doubles, Opening, Payoff, VariantRules
from bgcore.variants.states import SIDE_BYTES, Side, State
from bgcore.variants.turns import Turn, TurnItem

__all__ = ["TrictracRules", "TrictracTurn"]

#: What the opponent marks for each number that cannot be played.
_HELPLESS: Final = 2
_MARK: Final = TurnItem("mark")
_LEAVE: Final = TurnItem("leave")
#: The rules that a game of trictrac can have differently; all others are what makes it trictrac.
_FREE: Final = frozenset(("any_number", "opening", "next_opening", "payoff", "holes", "leaving"))

_Arrays = tuple[NDArray[np.uint8], NDArray[np.int8], NDArray[np.int8]]


@dataclass(frozen=True, slots=True)
class TrictracTurn(Turn):
    """A turn of trictrac after the dice were rolled.

    Attributes
    ----------
    base : State
        The state in which they were rolled.
    dice : (int, int)
    jans : tuple of Jan
        What the roll is worth, for both players; the opponent marks his points after the play.
    """

    base: State = dataclasses.field(kw_only=True)
    dice: tuple[int, int] = dataclasses.field(kw_only=True)
    jans: tuple[Jan, ...] = dataclasses.field(kw_only=True)

    def points(self, *, of_opponent: bool) -> int:
        """Return the points that the roll gives one of the players."""
        return sum(jan.points for jan in self.jans if jan.is_opponents == of_opponent)


@dataclass(frozen=True, kw_only=True)
class TrictracRules(VariantRules):
    """The rules of French Trictrac, the ordinary game of holes. Made by ``variant("trictrac")``.

    After [TRI], "Laws and rules of trictrac" by M. Malfilâtre, edition of 2013. Points are marked
    by the program. Fields of `VariantRules` that are not told here are as trictrac needs them.

    Parameters
    ----------
    any_number : bool, default False
        No duty to play the larger number where only one of two can be played.
    holes : int, default 12
        Holes that win the game, 1 to 24.
    leaving : {"choice", "never"}, default "choice"
        Whether a player who has won a hole by his own roll may leave, before he plays it: all
        checkers are set up again, his points and the opponent's are lost, and he rolls.
    payoff : {"single", "double", "quadruple"}, default "double"
        What the winner gets. "single": 1. "double": 2 if he has won all his holes in a row, 1
        otherwise. "quadruple", another convention of [TRI]: 4 if only he has won holes, 3 if all
        his were won in a row after the opponent's, 2 if neither is so and the loser has fewer than
        half of the holes, 1 otherwise.
    opening : {"use", "reroll"}, default "use"
        Whether the player who wins the opening roll plays its numbers or rolls both dice.
    next_opening : {"dice", "winner"}, default "dice"
        Who begins later games.

    Raises
    ------
    VariantError
        A value is out of range, or another rule is not that of trictrac.
    """

    name: str = "trictrac"
    start: tuple[tuple[int, int], ...] = ((START, 15),)
    contact: Contact = "block1"
    doubles: Doubles = "plain"
    opening: Opening = "use"
    payoff: Payoff = "double"
    holes: int = 12
    leaving: Literal["choice", "never"] = "choice"

    def _choices(self) -> dict[str, tuple[str, ...]]:
        return super()._choices() | {
            "payoff": ("single", "double", "quadruple"),
            "leaving": ("choice", "never"),
        }

    def _ranges(self) -> dict[str, tuple[int, int]]:
        return super()._ranges() | {"holes": (1, 24)}

    def _exclusions(self) -> tuple[tuple[bool, str], ...]:
        fixed = (
            (
                entry.name not in (*_FREE, "name") and getattr(self, entry.name) != entry.default,
                f"{entry.name} is {entry.default!r} in every game of trictrac",
            )
            for entry in dataclasses.fields(self)
        )
        return *super()._exclusions(), *fixed

    # -- states --

    @property
    def _counts_turns(self) -> bool:
        return True

    @property
    def fears_blots(self) -> bool:
        """True: lone checkers give the opponent points."""
        return True

    @cached_property
    def kernel(self) -> Kernel:
        """The compiled generator with these rules; taking the corner by puissance is not in it."""
        return self._make_kernel(rest_corner=True)

    @cached_property
    def _step_kernel(self) -> Kernel:
        """The generator of steps that may be followed by others."""
        return self._make_kernel()

    def _check_sides(self, own: Side, opp: Side) -> None:
        # states in which a play begins or ends: in between a checker may rest where none may stay
        super()._check_sides(own, opp)
        for who, side, other in (("the player on roll", own, opp), ("the opponent", opp, own)):
            if side.points[CORNER - 1] == 1:
                raise VariantError(f"{who} has a single checker in his corner, on {CORNER}")
            if side.points[OPPOSING_CORNER - 1]:
                raise VariantError(f"{who} has a checker in the other corner, on {OPPOSING_CORNER}")
            if side.off and any(side.points[6:]):
                raise VariantError(f"{who} has borne off checkers and others on 7 or above")
            for name, low, first in (("big jan", 7, 18), ("small jan", 1, 24)):
                if any(side.points[low - 1 : low + 5]) and _may_fill(other, first):
                    raise VariantError(
                        f"{who} has a checker on {low} to {low + 5}, where the other side can"
                        f" still fill its {name}"
                    )

    def check_all(self, states: Sequence[State]) -> None:
        """Refuse states of which one cannot come up in this game, points and holes included."""
        for state in states:
            self.check(state)

    def _check_score(self, own: Side, opp: Side) -> None:
        if own.holes == opp.holes == self.holes:
            raise VariantError("both sides have won the game")
        for side, other in ((own, opp), (opp, own)):
            if side.marked % 2 or side.marked >= POINTS_OF_A_HOLE or side.holes > self.holes:
                raise VariantError(
                    f"{side.marked} points and {side.holes} holes: points are even, below"
                    f" {POINTS_OF_A_HOLE}, and holes not more than {self.holes}"
                )
            for count, mark, others, is_marked, is_others in (
                (side.marked, "bredouille", other.marked, side.bredouille, other.bredouille),
                (side.holes, "flag", other.holes, side.flag, other.flag),
            ):
                if is_marked and not count:
                    raise VariantError(f"{mark!r} of a side that has nothing to win by it")
                if count and not others and not is_marked:
                    raise VariantError(f"{mark!r} is missing where the opponent has nothing")
                if is_marked and is_others:
                    raise VariantError(f"{mark!r} of both sides")

    # -- turns --

    def rolled(self, state: State, turn: Turn, dice: Sequence[int]) -> "TrictracTurn":
        """Return the turn after a roll of the dice; see `VariantRules.rolled`."""
        self._expect_state(state)
        self._expect(turn, "roll")
        first, second = self._read_dice(dice)
        numbers = (first, second)
        own = state.own
        jans = jans_of_roll(own, state.opponent, numbers)
        if jan_in_reach(own):
            ends = VariantPlays(state, *self._by_movement(state, numbers)).states
            jans += jans_of_filling(own, numbers, ends)
        play = TurnItem("play", numbers)
        made = TrictracTurn(
            (play,), rolls=turn.rolls + 1, base=state, dice=numbers, jans=tuple(jans)
        )
        if made.points(of_opponent=False):
            return dataclasses.replace(made, items=(_MARK, play))
        return made

    def marked(self, state: State, turn: Turn) -> tuple[State, Turn]:
        """Return state and turn after the points of a roll were marked.

        Ask `result` then: they may have won the game. After a hole the player may leave.
        """
        rolled = self._expect_rolled(turn, "mark")
        before = state.own
        own, opponent = marked(before, state.opponent, rolled.points(of_opponent=False), self.holes)
        items = turn.items[1:]
        if before.holes < own.holes < self.holes and self.leaving == "choice":
            items = (_LEAVE, *items)
        return State.of(own, opponent), dataclasses.replace(turn, items=items)

    def stayed(self, turn: Turn) -> Turn:
        """Return the turn of a player who could leave and stays."""
        self._expect(turn, "leave")
        return dataclasses.replace(turn, items=turn.items[1:])

    def left(self, state: State, turn: Turn) -> tuple[State, Turn]:
        """Return state and turn after a player has left: all is set up again, and he rolls."""
        self._expect(turn, "leave")
        own, opponent = (
            self._set_up(side)._replace(marked=0, bredouille=False)
            for side in (state.own, state.opponent)
        )
        return State.of(own, opponent), self.begin()

    def _set_up(self, side: Side) -> Side:
        """The side with all checkers at the start, and what it has marked."""
        return self.initial().own._replace(
            marked=side.marked, holes=side.holes, bredouille=side.bredouille, flag=side.flag
        )

    def state_of_roll(self, state: State, turn: Turn) -> State:
        """Return the state in which the dice were rolled, before points were marked."""
        return turn.base if isinstance(turn, TrictracTurn) else state

    def _expect_rolled(self, turn: Turn, todo: Literal["mark", "play"]) -> TrictracTurn:
        self._expect(turn, todo)
        if not isinstance(turn, TrictracTurn):
            raise VariantError("a turn of trictrac goes on with what `rolled` has made")
        return turn

    def plays(self, state: State, turn: Turn) -> VariantPlays:
        """Return all legal plays of the numbers `turn.numbers`; see `VariantRules.plays`."""
        self._expect_state(state)
        rolled = self._expect_rolled(turn, "play")
        if len(turn.numbers) == 2:
            return VariantPlays(state, *self._legal(rolled))
        lasts = self.steps(state, turn)
        steps = np.zeros((len(lasts), 4, 4), dtype=np.int8)
        for i, play in enumerate(lasts):
            step = play.steps[0]
            steps[i, 0, :3] = step.start, step.end, step.number
        cells = np.frombuffer(b"".join(play.state.cells for play in lasts), dtype=np.uint8)
        return VariantPlays(
            state,
            cells.reshape(len(lasts), 2 * SIDE_BYTES),
            steps,
            np.ones(len(lasts), dtype=np.int8),
        )

    def _legal(self, turn: TrictracTurn) -> _Arrays:
        """The legal plays of a roll: a jan that can be filled or conserved must be."""
        states, steps, n_steps = self._by_movement(turn.base, turn.dice)
        name = jan_in_reach(turn.base.own)
        if name:
            full = are_full(states, name)
            if full.any():
                return states[full], steps[full], n_steps[full]
        return states, steps, n_steps

    def _by_movement(self, state: State, dice: tuple[int, int]) -> _Arrays:
        """The plays that the rules of movement allow."""
        states, steps, n_steps = self.kernel.plays(state.cells, dice)
        if len(states) and states[:, 0].max() > state.cells[0]:
            least = [
                _overflows(row[:n]) for row, n in zip(steps.tolist(), n_steps.tolist(), strict=True)
            ]
            kept = np.array(least) == min(least)
            return states[kept], steps[kept], n_steps[kept]
        taken = self._corner_by_puissance(state, dice)
        if taken is None:
            return states, steps, n_steps
        if not len(n_steps) or n_steps[0] < 2:
            return taken
        return (
            np.concatenate((states, taken[0])),
            np.concatenate((steps, taken[1])),
            np.concatenate((n_steps, taken[2])),
        )

    def _corner_by_puissance(self, state: State, dice: tuple[int, int]) -> _Arrays | None:
        """The play that takes the own corner with two checkers that could take the other one."""
        own, opponent = state.own, state.opponent
        mine = (0, *own.points)
        if mine[CORNER] or opponent.points[24 - OPPOSING_CORNER]:
            return None
        if can_enter(mine, CORNER, dice) or not can_enter(mine, OPPOSING_CORNER, dice):
            return None
        cells = bytearray(state.cells)
        steps = np.zeros((1, 4, 4), dtype=np.int8)
        for i, die in enumerate(dice):
            start = OPPOSING_CORNER + die
            cells[start] -= 1
            cells[CORNER] += 1
            steps[0, i, :3] = start, CORNER, die
        states = np.frombuffer(bytes(cells), dtype=np.uint8).reshape(1, -1)
        return states, steps, np.array([2], dtype=np.int8)

    def steps(self, state: State, turn: Turn) -> list[VariantPlay]:
        """List the single steps after which the play can be completed; see `VariantRules.steps`."""
        self._expect_state(state)
        rolled = self._expect_rolled(turn, "play")
        states, _, n_steps = self._legal(rolled)
        ends = {cells.tobytes() for cells in states}
        left = list(turn.numbers)
        most = int(n_steps[0]) if len(n_steps) else 0
        more = most - (len(rolled.dice) - len(left))
        found = []
        for number in sorted(set(left), reverse=True):
            rest = left.copy()
            rest.remove(number)
            for step, after in self._single_steps(state.cells, number):
                if (more == 1 and after in ends) or (
                    more == 2
                    and any(last in ends for _, last in self._single_steps(after, rest[0]))
                ):
                    found.append(VariantPlay((step,), State(after, state.score)))
        return found

    def _single_steps(self, cells: bytes, number: int) -> list[tuple[Step, bytes]]:
        """Every step of one checker, also those after which a play may not end."""
        states, steps, _ = self._step_kernel.plays(cells, (number,))
        found = [
            (Step(start, end, number), after.tobytes())
            for (start, end, *_), after in zip(steps[:, 0].tolist(), states, strict=True)
        ]
        start = OPPOSING_CORNER + number
        if start != CORNER and cells[start]:
            # as if back from the other corner: the half of taking the own one by puissance
            moved = bytearray(cells)
            moved[start] -= 1
            moved[CORNER] += 1
            found.append((Step(start, CORNER, number), bytes(moved)))
        return found

    def played(self, state: State, turn: Turn, play: VariantPlay) -> tuple[State, Turn]:
        """Return state and turn after one of the legal plays; see `VariantRules.played`.

        Who has borne off everything marks points, all checkers are set up again, and he rolls.
        Then the opponent marks what is his of the roll, and two for each number not played.
        """
        rolled = self._expect_rolled(turn, "play")
        unplayed = len(self._numbers_left(turn, play))
        own, opponent = play.state.own, play.state.opponent
        owed = rolled.points(of_opponent=True)
        is_out = own.off == self.n_checkers
        if is_out:
            points = 6 if rolled.dice[0] == rolled.dice[1] else 4
            own, opponent = marked(self._set_up(own), self._set_up(opponent), points, self.holes)
        else:
            owed += _HELPLESS * unplayed
        if own.holes < self.holes:
            opponent, own = marked(opponent, own, owed, self.holes)
        return State.of(own, opponent), self.begin() if is_out else Turn(())

    # -- the end --

    def result(self, state: State) -> int | None:
        """Return what the player who has just played has won; see `VariantRules.result`."""
        self._expect_state(state)
        if not state.score:
            return None
        own, opponent = state.own, state.opponent
        if own.holes >= self.holes:
            return self._value(own, opponent)
        if opponent.holes >= self.holes:
            return -self._value(opponent, own)
        return None

    def _value(self, winner: Side, loser: Side) -> int:
        if self.payoff == "single":
            return 1
        if self.payoff == "double":
            return 2 if winner.flag else 1
        if winner.flag:
            return 3 if loser.holes else 4
        return 2 if 2 * loser.holes < self.holes else 1

    def most_lost(self, state: State) -> int:
        """Return the most points that the player on roll can still lose."""
        own, opponent = state.own, state.opponent
        # the winner's next hole can be the first of a row
        winner = opponent._replace(flag=opponent.flag or opponent.holes == 0)
        return self._value(winner, own)


def _may_fill(side: Side, first: int) -> bool:
    """Whether a side has enough checkers for two on each of six points, `first` and below."""
    return all(
        sum(side.points[point - 1 :]) >= 2 * (first - point + 1)
        for point in range(first, first - 6, -1)
    )


def _overflows(steps: Sequence[Sequence[int]]) -> int:
    """How many checkers a play bears off by numbers that are too large for them.

    Of the ways to play two checkers off the one with fewer such numbers counts.
    """
    out = [(start, number) for start, end, number, _ in steps if end == 0]
    ways = [out]
    if len(out) == 2:
        (start1, number1), (start2, number2) = out
        if number2 >= start1 and number1 >= start2:
            ways.append([(start1, number2), (start2, number1)])
    return min(sum(number > start for start, number in way) for way in ways)
