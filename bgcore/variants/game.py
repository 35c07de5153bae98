"""A game of any rules with its history: does actions, takes them back, throws the dice."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, SupportsIndex

from bgcore.actions import (
    Action,
    MakePlay,
    MakeStep,
    Roll,
)
from bgcore.checks import flag, shown
from bgcore.dice import Dice as DiceSource
from bgcore.errors import BgcoreError, GameError, RecordError, RulesError
from bgcore.game_history import GameHistory
from bgcore.game_state import Stage
from bgcore.rolls import Dice
from bgcore.variants.actions import (
    Choose,
    Leave,
    RollThree,
    Stay,
    parse_variant_action,
    read_dice,
)
from bgcore.variants.game_state import (
    VariantGameResult,
    VariantGameState,
    legal_variant_actions,
    state_after_action,
    why_illegal_action,
)
from bgcore.variants.games import rules_from_dict, rules_to_dict, variant
from bgcore.variants.players import thrown
from bgcore.variants.plays import VariantPlay, VariantPlays
from bgcore.variants.rules import VariantRules
from bgcore.variants.states import State

__all__ = ["VariantEntry", "VariantGame", "VariantRecord"]


@dataclass(frozen=True, slots=True)
class VariantEntry:
    """One action of a game.

    Attributes
    ----------
    before : VariantGameState
    action : Action
        With its dice; a play as the text of a whole play.
    """

    before: VariantGameState
    action: Action


@dataclass(frozen=True, slots=True)
class VariantRecord:
    """A game as it was played: where it began, and every action."""

    start: VariantGameState
    actions: tuple[Action, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the record as values that JSON can hold.

        `actions` are the texts of `bgcore.variants.actions`; entries that are as usual are left
        out.
        """
        start = self.start
        document: dict[str, Any] = {"rules": rules_to_dict(start.rules)}
        if start.length:
            document["length"] = start.length
        document["scores"] = list(start.scores)
        if start.is_crawford:
            document["crawford"] = True
        if start.stage is not Stage.OPENING:
            document["on_roll"] = start.on_roll
        if start.turns:
            document["state"] = str(start.rules.state_of_roll(start.state, start.turn))
            document["cube"] = [start.cube.value, start.cube.owner]
            if start.dice is not None:
                document["dice"] = list(start.dice)
        document["actions"] = [str(action) for action in self.actions]
        return document

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Return the record that `to_dict` wrote; the actions are not played.

        Raises
        ------
        RecordError
            An entry is missing, unknown or of the wrong form.
        VariantError, RulesError, DiceError
            What it says cannot be.
        """
        if not isinstance(document, Mapping):
            raise RecordError(f"the record of a game is a mapping, not {type(document).__name__}")
        if unknown := [key for key in document if key not in _RECORD_KEYS]:
            raise RecordError(f"the record of a game has no entry {shown(unknown[0])}")
        actions = document.get("actions", ())
        scores = document.get("scores", (0, 0))
        cube = document.get("cube", (1, None))
        for name, entry in (("actions", actions), ("scores", scores), ("cube", cube)):
            if not isinstance(entry, Sequence) or isinstance(entry, str):
                raise RecordError(f"the entry {name!r} of a record is a list, not {shown(entry)}")
        if len(cube) != 2:
            raise RecordError(f"the cube of a record is its value and its owner, not {shown(cube)}")
        rules = rules_from_dict(document.get("rules"))
        score: dict[str, Any] = {
            "length": document.get("length", 0),
            "scores": scores,
            "is_crawford": flag(
                document.get("crawford", False), "the entry 'crawford'", RecordError
            ),
        }
        if "state" in document:
            if not isinstance(document["state"], str):
                raise RecordError(
                    f"the state of a record is a text, not {shown(document['state'])}"
                )
            start = VariantGameState.at(
                rules,
                document["state"],
                on_roll=document.get("on_roll", 0),
                dice=document.get("dice"),
                cube=cube[0],
                cube_owner=cube[1],
                **score,
            )
        else:
            start = VariantGameState.start(rules, starter=document.get("on_roll"), **score)
        return cls(start, tuple(parse_variant_action(text) for text in actions))


_RECORD_KEYS = frozenset(
    ["rules", "length", "scores", "crawford", "on_roll", "state", "cube", "dice", "actions"]
)


class VariantGame(GameHistory[VariantGameState, VariantEntry]):
    """A game of any rules on this board, with its history; the face is that of `bgcore.Game`.

    Also `bgcore.Game.of_variant(name)`. The dice, the cube and resignations are handled as in
    `Game`; a cube is there only where the rules have one, and without beavers and other rules of
    money play. Standard layouts with all of those: `Game` with `Rules(layout=...)`.

    Parameters
    ----------
    rules : VariantRules or str, optional
        The rules, or the name of a game.
    start : VariantGameState, optional
        Where the game begins, instead of `rules`.
    dice : int, SeedSequence, dice source or None, default None
        A seed, or anything that rolls like `DiceStream`; three dice are two rolls of it without
        the last die. None: every roll must be said, `game.roll("31")`.
    trial : int, default 0
        Which trial of the dice source is this game's.
    first_roll : int, default 0
        Which roll of the trial is the first of this game.

    Raises
    ------
    RulesError
        Neither or both of rules and start are given, or they cannot be.

    Examples
    --------
    >>> game = VariantGame("plakoto", dice=7)
    >>> game.roll().on_roll                 # one die each: player 1 begins
    1
    >>> game.roll().numbers
    (3, 2)
    >>> [str(play) for play in game.legal_plays()]
    ['24/21 24/22', '24/21 21/19']
    >>> game.play("24/19").on_roll, game.stage.value
    (0, 'roll')
    >>> game.undo()
    >>> game.on_roll, game.numbers
    (1, (3, 2))
    """

    def __init__(
        self,
        rules: VariantRules | str | None = None,
        *,
        start: VariantGameState | None = None,
        dice: DiceSource | SupportsIndex | None = None,
        trial: int = 0,
        first_roll: int = 0,
    ) -> None:
        if (start is None) == (rules is None):
            raise RulesError("give rules or a start: the start has its rules in it")
        if start is not None and not isinstance(start, VariantGameState):
            raise RulesError(f"the start of a game is a VariantGameState, not {shown(start)}")
        if start is not None and (start.offer or start.resigned or start.steps or start.result):
            raise RulesError(
                "a game begins where nobody has to answer, no play has begun and nothing is over"
            )
        if isinstance(rules, str):
            rules = variant(rules)
        if start is None and rules is not None:
            start = VariantGameState.start(rules)
        if start is not None:
            super().__init__(start, state_after_action, dice, trial, first_roll)

    # -- what is --

    @property
    def rules(self) -> VariantRules:
        """The rules of the game."""
        return self._state.rules

    @property
    def board(self) -> State:
        """The checkers, seen by the player on roll (before the opening roll by who will begin)."""
        return self._state.state

    @property
    def dice(self) -> tuple[int, ...] | None:
        """The roll that is played, or None."""
        return self._state.dice

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers that are to be played now; more than the dice after some doublets."""
        return self._state.numbers

    @property
    def result(self) -> VariantGameResult | None:
        """Who won and how much; None while the game goes on."""
        return self._state.result

    def __repr__(self) -> str:
        what = self.result or f"waits for: {self.stage.value}"
        return f"<VariantGame of {self.rules.name}, {len(self._done)} actions, {what}>"

    def __str__(self) -> str:
        return str(self.board)

    # -- what may be done --

    def legal_actions(self, player: int | None = None) -> tuple[Action, ...]:
        """Return exactly what may be done now, see `legal_variant_actions`."""
        return legal_variant_actions(self._state, player)

    def is_legal(self, action: Action) -> bool:
        """Tell whether an action may be done now."""
        return not why_illegal_action(self._state, action)

    def legal_plays(self) -> VariantPlays:
        """Return the legal plays of the numbers, see `VariantGameState.legal_plays`."""
        return self._state.legal_plays()

    def legal_steps(self) -> list[MakeStep]:
        """Return the legal steps of one checker, see `VariantGameState.legal_steps`."""
        return self._state.legal_steps()

    # -- doing it --

    def do(self, action: Action) -> VariantGameState:
        """Do an action and return the state after it.

        A roll without dice is thrown by the game's dice. What was undone before is forgotten.

        Raises
        ------
        GameError
            A rule forbids it; the message says which. Nothing is changed.
        InvalidPlayError, IllegalPlayError, AmbiguousPlayError
            See `VariantPlays.find`.
        """
        before = self._state
        is_thrown = isinstance(action, Roll) and action.dice is None
        if is_thrown and self._dice is not None and not why_illegal_action(before, action):
            action = self._throw(self._dice)
        if isinstance(action, MakePlay) and before.stage is Stage.PLAY:
            action = MakePlay(str(before.legal_plays().find(str(action.play))))
        after = state_after_action(before, action)
        return self._did(VariantEntry(before, action), after)

    def _throw(self, dice: DiceSource) -> Action:
        numbers = thrown(self.rules, dice, self._trial, self._first_roll + self._state.rolls)
        if self.stage is Stage.OPENING or len(numbers) == 2:
            return Roll(numbers[:2])
        return RollThree((numbers[0], numbers[1], numbers[2]))

    def roll(self, dice: Dice | None = None) -> VariantGameState:
        """Roll; dice are given where the user throws them."""
        return self.do(Roll() if dice is None else read_dice(dice))

    def choose(self, number: int) -> VariantGameState:
        """Name a doublet (acey-deucey)."""
        return self.do(Choose(number))

    def stay(self) -> VariantGameState:
        """Play on where one may leave (trictrac)."""
        return self.do(Stay())

    def leave(self) -> VariantGameState:
        """Have all checkers set up again, and roll (trictrac)."""
        return self.do(Leave())

    def play(self, play: VariantPlay | str) -> VariantGameState:
        """Play the numbers, or what steps have left of them; a text is read leniently."""
        return self.do(MakePlay(str(play) if isinstance(play, VariantPlay) else play))

    # -- history --

    def record(self) -> VariantRecord:
        """Return the game as it was played so far."""
        return VariantRecord(self.start, self.actions)

    @classmethod
    def replay(
        cls,
        record: VariantRecord,
        *,
        dice: DiceSource | SupportsIndex | None = None,
        trial: int = 0,
        first_roll: int = 0,
    ) -> Self:
        """Play a record again.

        Parameters
        ----------
        record : VariantRecord
        dice, trial, first_roll : optional
            For the rolls after the end of the record.

        Raises
        ------
        RecordError
            An action is not legal; the message says which and why.
        """
        game = cls(start=record.start, dice=dice, trial=trial, first_roll=first_roll)
        for number, action in enumerate(record.actions, start=1):
            try:
                if action == Roll():
                    raise GameError("a roll in a record has its dice")
                game.do(action)
            except BgcoreError as error:
                raise RecordError(f"action {number}, '{action}': {error}") from None
        return game
