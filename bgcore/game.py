"""A game with its history: does actions, takes them back, throws the dice, and is recorded."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self, SupportsIndex

from bgcore.actions import (
    Action,
    Beaver,
    Double,
    MakePlay,
    MakeStep,
    Pass,
    Raccoon,
    Refuse,
    Resign,
    Roll,
    parse_action,
)
from bgcore.board import Board
from bgcore.checks import flag, shown, whole_number
from bgcore.dice import Dice as DiceSource
from bgcore.errors import BgcoreError, GameError, RecordError, RulesError
from bgcore.game_history import GameHistory
from bgcore.game_state import (
    GameState,
    Stage,
    after_found_play,
    is_legal,
    legal_actions,
    pending_actions,
    state_after,
)
from bgcore.notation import Play, Plays
from bgcore.play_mistakes import index_of_play
from bgcore.rolls import Dice
from bgcore.rules import Rules
from bgcore.scoring import GameResult
from bgcore.variants import VariantGame, variant

__all__ = ["Game", "GameRecord", "HistoryEntry", "Turn"]


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One action of a game.

    Attributes
    ----------
    before : GameState
    action : Action
        With its dice, or its play as a `Play`.
    automatic : bool
        Whether a policy did it for the player, see `bgcore.automatic`.
    """

    before: GameState
    action: Action
    automatic: bool = False


@dataclass(frozen=True, slots=True)
class Turn:
    """What one player did with one roll.

    Attributes
    ----------
    player : int
        0 or 1.
    dice : (int, int)
        As thrown.
    play : Play
        The whole play; empty if no play was legal.
    board : Board
        Before the play, seen by the player.
    """

    player: int
    dice: tuple[int, int]
    play: Play
    board: Board


@dataclass(frozen=True, slots=True)
class GameRecord:
    """A game as it was played: where it began, and every action.

    Attributes
    ----------
    start : GameState
    actions : tuple of Action
    automatic : frozenset of int
        The numbers of the actions that a policy did for a player.
    """

    start: GameState
    actions: tuple[Action, ...] = ()
    automatic: frozenset[int] = frozenset()

    def to_dict(self, *, with_rules: bool = True) -> dict[str, Any]:
        """Return the record as values that JSON can hold.

        Parameters
        ----------
        with_rules : bool, default True
            Whether the rules and the length stand in it; a match says them once for all games.

        Returns
        -------
        dict
            `actions` are the texts of `bgcore.actions`; entries that are as usual are left out.
            `pending` are the actions before the first one whose answer the start waits for, such
            as a double.
        """
        start = self.start
        document: dict[str, Any] = {}
        if with_rules:
            document["rules"] = start.rules.to_dict()
            document["length"] = start.length
        document["scores"] = list(start.scores)
        if start.is_crawford:
            document["crawford"] = True
        if start.stage is not Stage.OPENING:
            document["on_roll"] = start.on_roll
        if start.turns:
            document["board"] = start.board.to_list()
            document["cube"] = [start.cube.value, start.cube.owner]
            if start.dice is not None:
                document["dice"] = list(start.dice)
        usual = _start_of(document, start.rules, start.length)
        for name in _COUNTS:
            if (count := getattr(start, name)) != getattr(usual, name):
                document[name] = list(count) if name == "rolled" else count
        if pending := pending_actions(start):
            document["pending"] = [str(action) for action in pending]
        document["actions"] = [str(action) for action in self.actions]
        if self.automatic:
            document["automatic"] = sorted(self.automatic)
        return document

    @classmethod
    def from_dict(
        cls, document: Mapping[str, Any], *, rules: Rules | None = None, length: int = 0
    ) -> Self:
        """Return the record that `to_dict` wrote; the actions are not played.

        Parameters
        ----------
        document : mapping
        rules, length : optional
            For a record without them.

        Raises
        ------
        RecordError
            An entry is missing, unknown or of the wrong form.
        RulesError, BoardError, DiceError
            What it says cannot be.
        """
        if not isinstance(document, Mapping):
            raise RecordError(f"the record of a game is a mapping, not {type(document).__name__}")
        unknown = [key for key in document if key not in _RECORD_KEYS]
        if unknown:
            raise RecordError(f"the record of a game has no entry {shown(unknown[0])}")
        if "rules" in document:
            rules, length = Rules.from_dict(document["rules"]), 0
        length = document.get("length", length)
        start = _start_of(document, rules, length)
        actions = _texts(document, "actions")
        automatic = document.get("automatic", ())
        if not isinstance(automatic, Sequence) or not all(
            type(i) is int and 0 <= i < len(actions) for i in automatic
        ):
            raise RecordError("'automatic' is a list of numbers of actions, counted from 0")
        return cls(start, tuple(parse_action(text) for text in actions), frozenset(automatic))


#: What a state counts beside what a board, cube and score tell.
_COUNTS = ("turns", "rolls", "rolled", "chain", "auto_doubles")
_MOST_COUNTED = 10**9

_RECORD_KEYS = frozenset(
    [
        "rules",
        "length",
        "scores",
        "crawford",
        "on_roll",
        "board",
        "cube",
        "dice",
        *_COUNTS,
        "pending",
        "actions",
        "automatic",
    ]
)


def _start_of(document: Mapping[str, Any], rules: Rules | None, length: int) -> GameState:
    """Return the state in which a record says that its game begins."""
    score: dict[str, Any] = {
        "rules": rules,
        "length": length,
        "scores": document.get("scores", (0, 0)),
        "is_crawford": flag(document.get("crawford", False), "the entry 'crawford'", RecordError),
    }
    if "board" in document:
        known = rules or (Rules.match() if length else Rules.money())
        cube, owner = _pair(document.get("cube", (1, None)), "cube")
        start = GameState.at(
            Board(document["board"], n_checkers=known.n_checkers),
            on_roll=document.get("on_roll", 0),
            dice=document.get("dice"),
            cube=cube,
            cube_owner=owner,
            **score,
        )
    else:
        start = GameState.start(starter=document.get("on_roll"), **score)
    start = _counted(start, document)
    for action in map(parse_action, _texts(document, "pending")):
        if not isinstance(action, _PENDING):
            raise RecordError(f"'{action}' cannot be pending when a game begins")
        try:
            start = state_after(start, action)
        except GameError as error:
            raise RecordError(f"'{action}' cannot be pending: {error}") from None
    return start


def _counted(start: GameState, document: Mapping[str, Any]) -> GameState:
    """Return a state with the counts that a record has."""
    counts: dict[str, Any] = {}
    for name in _COUNTS:
        if name not in document:
            continue
        entry = document[name]
        several = _pair(entry, name) if name == "rolled" else (entry,)
        numbers = tuple(
            whole_number(number, f"the entry {name!r}", 0, _MOST_COUNTED, RecordError)
            for number in several
        )
        counts[name] = numbers if name == "rolled" else numbers[0]
    found = replace(start, **counts)
    rules = found.rules
    if (found.turns > 0) != (start.turns > 0):
        raise RecordError("a game that has had a turn has a board, and no other has")
    if found.chain > (rules.max_chain if rules.extra_turn else 0):
        raise RecordError(f"by its rules there are no {found.chain} extra turns in a row")
    if rules.auto_doubles is not None and found.auto_doubles > rules.auto_doubles:
        raise RecordError(f"by its rules there are no {found.auto_doubles} automatic doubles")
    if not found.turns:
        cube = found.cube
        for _ in range(found.auto_doubles):
            cube = cube.doubled()
        found = replace(found, cube=cube)
    return found


_PENDING = (Double, Beaver, Raccoon, Resign, Refuse)


def _pair(value: object, name: str) -> tuple[Any, Any]:
    if not isinstance(value, Sequence) or isinstance(value, str) or len(value) != 2:
        raise RecordError(f"the entry {name!r} of a record has two values, not {shown(value)}")
    return value[0], value[1]


def _texts(document: Mapping[str, Any], name: str) -> Sequence[Any]:
    texts = document.get(name, ())
    if not isinstance(texts, Sequence) or isinstance(texts, str):
        raise RecordError(f"the {name} of a game are a list of texts, not {shown(texts)}")
    return texts


class Game(GameHistory[GameState, HistoryEntry]):
    """A game with its history: does actions, takes them back, throws the dice.

    Parameters
    ----------
    rules : Rules, optional
        Those of money play if not given.
    start : GameState, optional
        Where the game begins, instead of `rules`: a position, or a game of a match.
    dice : int, SeedSequence, dice source or None, default None
        A seed, a `DiceStream`, `ScriptedDice` or anything that rolls like them. None: every roll
        must be said, `game.roll("31")`.
    trial : int, default 0
        Which trial of the dice source is this game's.
    first_roll : int, default 0
        Which roll of the trial is the first of this game: a match goes on with one trial.

    Raises
    ------
    RulesError
        Both rules and start are given; they do not fit; or the start is the end of a game, or
        the middle of a play.

    Examples
    --------
    >>> game = Game(Rules.casual(), dice=7)
    >>> game.roll().dice
    (1, 6)
    >>> game.on_roll, game.play("13/7 8/7").on_roll
    (1, 0)
    >>> game.undo()
    >>> str(game.actions[-1])
    'roll 1-6'
    """

    def __init__(
        self,
        rules: Rules | None = None,
        *,
        start: GameState | None = None,
        dice: DiceSource | SupportsIndex | None = None,
        trial: int = 0,
        first_roll: int = 0,
    ) -> None:
        if start is not None and rules is not None:
            raise RulesError("give rules or a start: the start has its rules in it")
        if start is not None and not isinstance(start, GameState):
            raise RulesError(f"the start of a game is a GameState, not {shown(start)}")
        if start is not None and (start.is_over or start.steps):
            raise RulesError(
                "a game cannot begin where it is over"
                if start.is_over
                else "a game cannot begin in the middle of a play: begin before its first step"
            )
        first = GameState.start(rules) if start is None else start
        super().__init__(first, state_after, dice, trial, first_roll)

    @staticmethod
    def of_variant(
        name: str,
        *,
        dice: DiceSource | SupportsIndex | None = None,
        trial: int = 0,
        **options: Any,
    ) -> VariantGame:
        """Return a game of other rules on this board; it has the same face.

        Parameters
        ----------
        name : str
            Such as "plakoto"; `bgcore variants` and `bgcore.variants.VARIANTS` list them.
        dice, trial : optional
            See the class.
        **options
            See `bgcore.variants.variant`.

        Raises
        ------
        VariantError
            There is no such game, or it has no such option; or the name means several games.

        Examples
        --------
        >>> game = Game.of_variant("nardy_long", dice=3, head_limit=2)
        >>> game.roll().stage.value
        'roll'
        """
        return VariantGame(variant(name, **options), dice=dice, trial=trial)

    # -- what is --

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self._state.rules

    @property
    def board(self) -> Board:
        """The board, seen by the player on roll (by player 0 before the opening roll)."""
        return self._state.board

    @property
    def dice(self) -> tuple[int, int] | None:
        """The roll to be played, or None."""
        return self._state.dice

    @property
    def result(self) -> GameResult | None:
        """Who won and how much; None while the game goes on."""
        return self._state.result

    def __repr__(self) -> str:
        what = self.result or f"waits for: {self.stage.value}"
        return f"<Game, {len(self._done)} actions, {what}>"

    def __str__(self) -> str:
        return str(self.board)

    # -- what may be done --

    def legal_actions(self, player: int | None = None) -> tuple[Action, ...]:
        """Return exactly what may be done now, see `bgcore.game.legal_actions`."""
        return legal_actions(self._state, player)

    def is_legal(self, action: Action) -> bool:
        """Tell whether an action may be done now."""
        return is_legal(self._state, action)

    def legal_plays(self) -> Plays:
        """Return the legal plays of the roll, see `GameState.legal_plays`."""
        return self._state.legal_plays()

    def legal_steps(self) -> list[MakeStep]:
        """Return the legal steps of one checker, see `GameState.legal_steps`."""
        return self._state.legal_steps()

    # -- doing it --

    def do(self, action: Action, *, automatic: bool = False) -> GameState:
        """Do an action and return the state after it.

        A roll without dice is thrown by the game's dice. What was undone before is forgotten.

        Parameters
        ----------
        action : Action
        automatic : bool, default False
            Recorded: a policy does it for the player.

        Raises
        ------
        GameError
            A rule forbids it; the message says which. Nothing is changed.
        InvalidPlayError, IllegalPlayError, AmbiguousPlayError
            See `Plays.find`.
        """
        if isinstance(action, Roll) and action.dice is None and self._dice is not None:
            self._state.check(action)
            action = Roll(self._dice.roll(self._trial, self._first_roll + self._state.rolls))
        if isinstance(action, MakePlay):
            self._state.check(action)
            plays = self._state.legal_plays()
            index = index_of_play(plays, action.play)
            action = MakePlay(plays[index])
            after = after_found_play(self._state, plays, index)
        else:
            after = state_after(self._state, action)
        return self._did(HistoryEntry(self._state, action, bool(automatic)), after)

    def roll(self, dice: Dice | None = None) -> GameState:
        """Roll; dice are given where the user throws them."""
        return self.do(Roll(dice))

    def beaver(self) -> GameState:
        """Take and turn the cube once more."""
        return self.do(Beaver())

    def raccoon(self) -> GameState:
        """Answer a beaver by one more turn of the cube."""
        return self.do(Raccoon())

    def play(self, play: Play | str) -> GameState:
        """Play the whole roll; a text is read leniently."""
        return self.do(MakePlay(play))

    def pass_turn(self) -> GameState:
        """Pass without rolling, where the rules let nobody roll in vain."""
        return self.do(Pass())

    # -- history --

    def turns(self) -> Iterator[Turn]:
        """Go through the plays made so far, those made step by step as whole plays."""
        board: Board | None = None
        for number, entry in enumerate(self._done):
            action, before = entry.action, entry.before
            if not isinstance(action, (MakePlay, MakeStep)) or before.dice is None:
                continue
            board = before.board if board is None else board
            after = self._done[number + 1].before if number + 1 < len(self._done) else self._state
            if isinstance(action, MakePlay):
                play = before.legal_plays().find(action.play)
            elif after.steps:
                continue
            else:
                play = Play((*before.steps, before.step_of(action)[0]))
            yield Turn(int(before.on_roll or 0), before.dice, play, board)
            board = None

    def record(self) -> GameRecord:
        """Return the game as it was played so far."""
        automatic = frozenset(i for i, entry in enumerate(self._done) if entry.automatic)
        return GameRecord(self.start, self.actions, automatic)

    @classmethod
    def replay(
        cls,
        record: GameRecord,
        *,
        dice: DiceSource | SupportsIndex | None = None,
        trial: int = 0,
        first_roll: int = 0,
    ) -> Self:
        """Play a record again.

        Parameters
        ----------
        record : GameRecord
        dice, trial, first_roll : optional
            For the rolls after the end of the record.

        Raises
        ------
        RecordError
            An action is not legal; the message says which and why.
        """
        game = cls(start=record.start, dice=dice, trial=trial, first_roll=first_roll)
        for number, action in enumerate(record.actions):
            try:
                if isinstance(action, Roll) and action.dice is None:
                    raise GameError("a roll in a record has its dice")
                game.do(action, automatic=number in record.automatic)
            except BgcoreError as error:
                raise RecordError(f"action {number + 1}, {shown(str(action))}: {error}") from None
        return game
