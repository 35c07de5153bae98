"""Steps, plays and all plays of some numbers; how they are written and read."""

import itertools
from collections.abc import Sequence
from typing import Literal, NamedTuple, overload

import numpy as np
from numpy.typing import NDArray

from bgcore.checks import shown
from bgcore.errors import AmbiguousPlayError, IllegalPlayError, InvalidPlayError
from bgcore.variants.states import BAR, HAND, State, is_count

__all__ = ["Step", "VariantPlay", "VariantPlays", "read_steps"]


class Step(NamedTuple):
    """One checker moved by one number."""

    #: A point; 25 is the bar, 26 the hand.
    start: int
    #: A point; 0 is off.
    end: int
    #: The number that is used.
    number: int
    #: What happens to a lone opposing checker there.
    effect: Literal["", "hit", "pin"] = ""

    def __str__(self) -> str:
        start = {BAR: "bar", HAND: "hand"}.get(self.start, str(self.start))
        return f"{start}/{self.end or 'off'}{'*' if self.effect else ''}"


EFFECTS: tuple[Literal["", "hit", "pin"], ...] = ("", "hit", "pin")


class VariantPlay(NamedTuple):
    """What is done with the numbers of one play, and the state after it, seen by the mover.

    `str` writes one item for each step; a star marks a hit or a pin. No legal play is a play
    without steps and with the state as it was; its text is ``(no play)``.
    """

    steps: tuple[Step, ...]
    state: State

    def __str__(self) -> str:
        return " ".join(map(str, self.steps)) or "(no play)"


class VariantPlays(Sequence[VariantPlay]):
    """All legal plays of some numbers, each resulting state once. Never empty.

    In the order in which they are found: larger numbers first, then higher points. If nothing can
    be played it holds one play without steps.
    """

    __slots__ = ("_n_steps", "_state", "_states", "_steps")

    def __init__(
        self,
        state: State,
        states: NDArray[np.uint8],
        steps: NDArray[np.int8],
        n_steps: NDArray[np.int8],
    ) -> None:
        self._state = state
        self._states = states
        self._steps = steps
        self._n_steps = n_steps

    @property
    def states(self) -> NDArray[np.uint8]:
        """(M, 64) uint8 array: the states after the plays, seen by the mover."""
        if len(self._states):
            return self._states
        return np.frombuffer(self._state.cells, dtype=np.uint8).reshape(1, -1)

    def __len__(self) -> int:
        return max(len(self._states), 1)

    @overload
    def __getitem__(self, index: int) -> VariantPlay: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[VariantPlay, ...]: ...
    def __getitem__(self, index: int | slice) -> VariantPlay | tuple[VariantPlay, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        if not -len(self) <= index < len(self):
            raise IndexError(f"play {index} of {len(self)}")
        if not len(self._states):
            return VariantPlay((), self._state)
        steps = self._steps[index][: self._n_steps[index]].tolist()
        return VariantPlay(
            tuple(Step(start, end, die, EFFECTS[effect]) for start, end, die, effect in steps),
            State(self._states[index].tobytes(), self._state.score),
        )

    def find(self, text: str) -> VariantPlay:
        """Return the play that a text means.

        Read leniently: steps in any order and joined (``24/18/13``, ``24/13``), repeated
        (``24/18(2)``), with commas, ``bar`` or 25, ``hand`` or 26, ``off`` or 0, with or without stars.

        Raises
        ------
        InvalidPlayError
            The text cannot be read.
        IllegalPlayError
            It is none of the legal plays.
        AmbiguousPlayError
            It is several: the points between make a difference.
        """
        wanted = read_steps(text)
        plays = list(self)
        exact = [p for p in plays if sorted((s.start, s.end) for s in p.steps) == sorted(wanted)]
        found = exact or [p for p in plays if _net([s[:2] for s in p.steps]) == _net(wanted)]
        if not found:
            raise IllegalPlayError(
                f"{shown(text)} is not a legal play; legal are {', '.join(map(str, plays[:5]))}"
                + (" ..." if len(plays) > 5 else "")
            )
        if len(found) > 1:
            raise AmbiguousPlayError(f"{shown(text)} can be {' or '.join(map(str, found))}")
        return found[0]


def read_steps(text: str) -> list[tuple[int, int]]:
    """Return the pairs (from, to) of a text, see `VariantPlays.find`; they may be illegal.

    Raises
    ------
    InvalidPlayError
    """
    if not isinstance(text, str):
        raise InvalidPlayError(
            f"a play is read from a text such as '24/18 13/7', not {shown(text)}"
        )
    names = {"bar": BAR, "hand": HAND, "off": 0}
    steps = []
    if text.strip() == "(no play)":
        return []
    for item in text.replace("*", "").replace(",", " ").lower().split():
        body, bracket, times = item.partition("(")
        words = body.split("/")
        numbers = [names[w] if w in names else int(w) if is_count(w) else -1 for w in words]
        count = times.removesuffix(")") if bracket else "1"
        if len(numbers) < 2 or not all(0 <= n <= HAND for n in numbers) or count not in "1234":
            raise InvalidPlayError(
                f"{shown(item)} in the play {shown(text)}; right is 24/18 or 13/7(2)"
            )
        steps += list(itertools.pairwise(numbers)) * int(count)
    if not steps:
        raise InvalidPlayError("the text of the play is empty")
    return steps


def _net(steps: Sequence[tuple[int, int]]) -> dict[int, int]:
    """Checkers that each cell gains; a checker's stops on the way cancel out."""
    net: dict[int, int] = {}
    for start, end in steps:
        net[start] = net.get(start, 0) - 1
        net[end] = net.get(end, 0) + 1
    return {cell: n for cell, n in net.items() if n}
