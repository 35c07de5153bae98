"""What games of all rules share: a state with its history, and undo.

`bgcore.Game` plays backgammon, `bgcore.variants.VariantGame` the other games on the board. Both do
actions on an immutable state; only which actions there are and what follows them is theirs.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, Generic, Protocol, SupportsIndex, TypeVar

from bgcore.actions import Accept, Action, Double, Drop, MakeStep, Refuse, Resign, Take
from bgcore.checks import whole_number
from bgcore.cube import Cube
from bgcore.dice import Dice as DiceSource
from bgcore.dice import DiceStream
from bgcore.errors import GameError, RulesError
from bgcore.game_state import Stage
from bgcore.scoring import WinKind

__all__ = ["GameHistory"]


#: A roll has a lower number than this in its trial.
_MOST_ROLLS = 1 << 62


class _AnyState(Protocol):
    """What the states of all games have."""

    @property
    def cube(self) -> Cube: ...
    @property
    def stage(self) -> Stage: ...
    @property
    def on_roll(self) -> int | None: ...
    @property
    def actor(self) -> int | None: ...
    @property
    def is_over(self) -> bool: ...


class _AnyEntry(Protocol):
    """What the entries of all histories have."""

    @property
    def before(self) -> Any: ...
    @property
    def action(self) -> Action: ...


StateT = TypeVar("StateT", bound=_AnyState)
EntryT = TypeVar("EntryT", bound=_AnyEntry)


class GameHistory(ABC, Generic[StateT, EntryT]):
    """A game with its history; the base of `Game` and `VariantGame`.

    Parameters
    ----------
    state : GameState or VariantGameState
        Where the game begins.
    state_after : callable
        Gives the state that follows a state and an action.
    dice : int, SeedSequence, dice source or None
    trial, first_roll : int
        See `Game`.
    """

    def __init__(
        self,
        state: StateT,
        state_after: Callable[[StateT, Action], StateT],
        dice: DiceSource | SupportsIndex | None,
        trial: int,
        first_roll: int,
    ) -> None:
        self._state = state
        self._state_after = state_after
        self._done: list[EntryT] = []
        self._undone: list[EntryT] = []
        self._dice = _dice_source(dice)
        self._trial = trial
        self._first_roll = whole_number(first_roll, "first_roll", 0, _MOST_ROLLS, RulesError)
        self._is_closed = False

    # -- what is --

    @property
    def state(self) -> StateT:
        """The state now."""
        return self._state

    @property
    def cube(self) -> Cube:
        """The cube."""
        return self._state.cube

    @property
    def stage(self) -> Stage:
        """What the game waits for."""
        return self._state.stage

    @property
    def on_roll(self) -> int | None:
        """Whose turn it is, 0 or 1; None before the opening roll."""
        return self._state.on_roll

    @property
    def actor(self) -> int | None:
        """The player who must act now; None before the opening roll and after the game."""
        return self._state.actor

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self._state.is_over

    # -- doing it --

    @abstractmethod
    def do(self, action: Action) -> StateT:
        """Do an action and return the state after it."""

    def _did(self, entry: EntryT, after: StateT) -> StateT:
        """Note an action that was done; what was undone before is forgotten."""
        self._done.append(entry)
        self._undone.clear()
        self._state = after
        return after

    def double(self) -> StateT:
        """Offer a double."""
        return self.do(Double())

    def take(self) -> StateT:
        """Accept the double on offer, or the beaver or raccoon."""
        return self.do(Take())

    def drop(self) -> StateT:
        """Refuse it and lose the game."""
        return self.do(Drop())

    def step(self, start: int, to: int, die: int | None = None) -> StateT:
        """Move one checker by one number; the play ends when nothing more can be played.

        25 is the bar, 0 off; in games that begin with checkers in hand 26 is the hand.
        """
        return self.do(MakeStep(start, to, die))

    def resign(self, kind: int = WinKind.SINGLE) -> StateT:
        """Offer to lose a single game (1), a gammon (2) or a backgammon (3)."""
        return self.do(Resign(kind))

    def accept(self) -> StateT:
        """Accept a resignation."""
        return self.do(Accept())

    def refuse(self) -> StateT:
        """Refuse a resignation; the game goes on."""
        return self.do(Refuse())

    # -- history --

    @property
    def history(self) -> tuple[EntryT, ...]:
        """Every action done, with the state before it."""
        return tuple(self._done)

    @property
    def actions(self) -> tuple[Action, ...]:
        """Every action done."""
        return tuple(entry.action for entry in self._done)

    @property
    def start(self) -> StateT:
        """The state in which the game began."""
        if not self._done:
            return self._state
        first: StateT = self._done[0].before
        return first

    @property
    def can_undo(self) -> bool:
        """Whether there is an action to take back."""
        return bool(self._done) and not self._is_closed

    @property
    def can_redo(self) -> bool:
        """Whether an action that was taken back can be done again."""
        return bool(self._undone)

    def undo(self) -> None:
        """Take the last action back.

        A dice source throws the same dice again, since they depend on the number of the roll.

        Raises
        ------
        GameError
            Nothing was done yet; or the next game of the match has begun.
        """
        if self._is_closed:
            name = type(self).__name__
            raise GameError(
                f"the next game has begun, so this one stands as it is; {name}.replay(game.record())"
                " makes a game that does not"
            )
        if not self._done:
            raise GameError("there is nothing to undo: the game is at its start")
        entry = self._done.pop()
        self._undone.append(entry)
        self._state = entry.before

    def redo(self) -> None:
        """Do the last action again that was taken back.

        Raises
        ------
        GameError
            Nothing was taken back.
        """
        if not self._undone:
            raise GameError("there is nothing to redo")
        entry = self._undone.pop()
        self._state = self._state_after(entry.before, entry.action)
        self._done.append(entry)

    def close(self) -> None:
        """Let what was done stand: nothing can be taken back any more. A match does it."""
        self._is_closed = True


def _dice_source(dice: DiceSource | SupportsIndex | None) -> DiceSource | None:
    if dice is None or isinstance(dice, DiceSource):
        return dice
    return DiceStream(dice, stratified=False)
