"""What the player on roll still has to do."""

from dataclasses import dataclass
from typing import Literal, NamedTuple

__all__ = ["Turn", "TurnItem"]

Todo = Literal["roll", "mark", "leave", "play", "choose", "end"]


class TurnItem(NamedTuple):
    """One thing to be done in a turn."""

    kind: Todo
    #: What is to be played.
    numbers: tuple[int, ...] = ()
    #: Only if everything before was played in full.
    needs_all: bool = False
    #: Played in full or not at all.
    whole: bool = False
    #: Only if no checker is in hand.
    entered: bool = False
    #: What cannot be played goes to the opponent.
    passes: bool = False


ROLL = TurnItem("roll")


@dataclass(frozen=True, slots=True)
class Turn:
    """What the player on roll still has to do. Made and changed by `VariantRules`.

    Attributes
    ----------
    items : tuple of TurnItem
        In this order.
    head_limit : int or None
        Most checkers that may leave 24 in this turn.
    heads : int
        Checkers that have left 24.
    stay : tuple of int
        Points with a checker that may not move again in this turn.
    rolls : int
        How often the dice were rolled in this turn.
    passed : tuple of tuple of int
        Numbers that go to the opponent.
    """

    items: tuple[TurnItem, ...]
    head_limit: int | None = None
    heads: int = 0
    stay: tuple[int, ...] = ()
    rolls: int = 0
    passed: tuple[tuple[int, ...], ...] = ()

    @property
    def todo(self) -> Todo:
        """What comes next: "roll", "play", "choose", "end"; in trictrac also "mark" and "leave"."""
        return self.items[0].kind if self.items else "end"

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers to be played now, from the largest to the smallest."""
        return self.items[0].numbers if self.items else ()
