"""One moment of a game of any rules: what may be done, and what follows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, Self

from bgcore.actions import (
    Accept,
    Action,
    Double,
    Drop,
    MakePlay,
    MakeStep,
    Refuse,
    Resign,
    Roll,
    Settle,
    Take,
)
from bgcore.checks import flag, shown, side, whole_number
from bgcore.cube import Cube
from bgcore.errors import BgcoreError, GameError, IllegalPlayError, RulesError, VariantError
from bgcore.game_state import MAX_LENGTH, Stage
from bgcore.rolls import Dice
from bgcore.scoring import WinKind
from bgcore.variants.actions import Choose, Leave, RollThree, Stay, read_dice
from bgcore.variants.plays import Step, VariantPlay, VariantPlays
from bgcore.variants.rules import VariantRules
from bgcore.variants.states import HAND, Side, State
from bgcore.variants.turns import Turn

__all__ = [
    "VariantGameResult",
    "VariantGameState",
    "legal_variant_actions",
    "most_resigned",
    "state_after_action",
    "why_illegal_action",
]


@dataclass(frozen=True, slots=True)
class VariantGameResult:
    """Who won a game, and how many points.

    Attributes
    ----------
    winner : int or None
        0 or 1; None for a draw.
    value : int
        What the board, or a resignation, counts: 1 for a single game, and so on; in acey-deucey
        the loser's checkers; 0 for a draw.
    points : int
        What the winner gets: the value times the cube.
    cube : int
        The value of the cube that counted: before the double if it was dropped.
    ending : {"played", "dropped", "resigned", "settled"}
    """

    winner: int | None
    value: int
    points: int
    cube: int
    ending: Literal["played", "dropped", "resigned", "settled"]


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantGameState:
    """Everything that is known at one moment of a game. Immutable and hashable.

    A new game is `VariantGameState.start(rules)`, a position `VariantGameState.at(rules, state)`.

    Attributes
    ----------
    rules : VariantRules
    state : State
        Seen by the player on roll, also while the other one has to answer; before the opening
        roll seen by who will begin.
    turn : Turn
        What the player on roll still has to do.
    stage : Stage
    on_roll : int or None
        0 or 1: whose turn it is; None before the opening roll.
    cube : Cube
        Resting where the rules have none.
    offer : int
        What the cube will show if the double on offer is taken; else 0.
    dice : tuple of int or None
        The last roll of this turn as it was thrown, while numbers of it are played; of an opening
        roll the die of player 0 is first. None also for numbers that the opponent passed on.
    steps : tuple of Step
        Steps made of a play that is made step by step.
    resigned : int
        The resignation on offer, 0 if none; it is that of the player on roll.
    refused : int
        The last resignation that was refused since the dice were thrown, 0 if none.
    turns : int
        Turns begun.
    rolls : int
        Throws of all dice, opening rolls included.
    length : int
        Points of the match; 0 if there is none.
    scores : (int, int)
        Points of player 0 and player 1 before this game.
    is_crawford : bool
        This is the Crawford game.
    result : VariantGameResult or None
        Set when the game is over.
    """

    rules: VariantRules
    state: State
    turn: Turn
    stage: Stage
    on_roll: int | None
    cube: Cube
    offer: int = 0
    dice: tuple[int, ...] | None = None
    steps: tuple[Step, ...] = ()
    resigned: int = 0
    refused: int = 0
    turns: int = 0
    rolls: int = 0
    length: int = 0
    scores: tuple[int, int] = (0, 0)
    is_crawford: bool = False
    result: VariantGameResult | None = None

    @classmethod
    def start(
        cls,
        rules: VariantRules,
        *,
        length: int = 0,
        scores: Sequence[int] = (0, 0),
        is_crawford: bool = False,
        starter: int | None = None,
    ) -> Self:
        """Return the state at the start of a game.

        Parameters
        ----------
        rules : VariantRules
        length : int, default 0
            Points of the match; 0 if there is none.
        scores : (int, int), default (0, 0)
            Points won before; in a match below its length.
        is_crawford : bool, default False
            Whether nobody may double because this is the Crawford game.
        starter : {0, 1}, optional
            Who begins without an opening roll.

        Raises
        ------
        RulesError
            The score does not fit the length, or there is no such player.
        """
        if not isinstance(rules, VariantRules):
            raise RulesError(
                f"the rules are a VariantRules, made by variant(name), not {shown(rules)}"
            )
        is_crawford = flag(is_crawford, "is_crawford", RulesError)
        if starter is not None:
            starter = side(starter, "the starter (None for an opening roll)", RulesError)
        return cls(
            rules=rules,
            state=rules.initial(),
            turn=rules.begin(),
            stage=Stage.OPENING if starter is None else Stage.ROLL,
            on_roll=starter,
            cube=Cube(is_resting=is_crawford or not rules.cube),
            length=length,
            scores=_checked_score(length, scores),
            is_crawford=is_crawford,
        )

    @classmethod
    def at(
        cls,
        rules: VariantRules,
        state: State | str,
        *,
        on_roll: int = 0,
        dice: Dice | None = None,
        cube: int = 1,
        cube_owner: int | None = None,
        length: int = 0,
        scores: Sequence[int] = (0, 0),
        is_crawford: bool = False,
    ) -> "VariantGameState":
        """Return the state of a position in the middle of a game.

        Parameters
        ----------
        rules : VariantRules
        state : State or str
            Seen by the player on roll, who has not rolled.
        on_roll : {0, 1}, default 0
        dice : str or numbers, optional
            The roll to be played.
        cube : int, default 1
        cube_owner : {0, 1} or None, default None
        length, scores, is_crawford
            See `start`.

        Raises
        ------
        VariantError
            The state does not fit the rules, or the game is over.
        RulesError
            The cube, the score or the player cannot be.
        DiceError
            The dice cannot be read.
        """
        on_roll = side(on_roll, "the player on roll", RulesError)
        begun = cls.start(
            rules, length=length, scores=scores, is_crawford=is_crawford, starter=on_roll
        )
        if isinstance(state, str):
            state = State.parse(state)
        rules.check(state)
        if rules.is_over(state):
            raise VariantError(f"the game is over: {state}")
        turned = replace(begun.cube, value=cube, owner=cube_owner)
        if turned != begun.cube and begun.cube.is_resting:
            raise RulesError("the cube is not in play in this game: it shows 1, in the middle")
        made = replace(begun, state=state, turns=2, cube=turned)
        return made if dice is None else state_after_action(made, read_dice(dice))

    @property
    def actor(self) -> int | None:
        """The player who must act now; None before the opening roll and after the game."""
        if self.on_roll is None or self.stage is Stage.OVER:
            return None
        is_answer = self.stage in (Stage.ANSWER, Stage.RESIGNATION)
        return 1 - self.on_roll if is_answer else self.on_roll

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.stage is Stage.OVER

    @property
    def numbers(self) -> tuple[int, ...]:
        """The numbers that are to be played now, from the largest to the smallest."""
        return self.turn.numbers if self.stage is Stage.PLAY else ()

    def side(self, player: int) -> Side:
        """Return the checkers of a player, in his own numbering."""
        return self.state.own if player == (self.on_roll or 0) else self.state.opponent

    def legal_plays(self) -> VariantPlays:
        """Return the legal plays of the numbers, or of those that steps have left.

        Raises
        ------
        GameError
            There is nothing to be played.
        """
        self._expect_play()
        return self.rules.plays(self.state, self.turn)

    def legal_steps(self) -> list[MakeStep]:
        """Return the steps of one checker after which the play can still be completed.

        Raises
        ------
        GameError
            There is nothing to be played.
        """
        self._expect_play()
        steps = [play.steps[0] for play in self.rules.steps(self.state, self.turn)]
        return [MakeStep(step.start, step.end, step.number) for step in steps]

    def _expect_play(self) -> None:
        if self.stage is not Stage.PLAY:
            raise GameError(f"there is no roll to play; the game waits for: {self.stage.value}")


def _checked_score(length: int, scores: Sequence[int]) -> tuple[int, int]:
    if type(length) is not int or not 0 <= length <= MAX_LENGTH:
        raise RulesError(
            f"the length of a match is a whole number from 1 to {MAX_LENGTH} (0 for none), not"
            f" {shown(length)}"
        )
    pair = tuple(scores) if isinstance(scores, Sequence) and type(scores) is not bytes else ()
    if len(pair) != 2 or not all(type(s) is int and s >= 0 for s in pair):
        raise RulesError(f"the score is two whole numbers, 0 or more, not {shown(scores)}")
    if length and max(pair) >= length:
        raise RulesError(f"the score is {pair[0]}-{pair[1]}: a match to {length} is over then")
    return pair[0], pair[1]


# ---- what may be done ----


def most_resigned(state: VariantGameState) -> int:
    """Return the most that the player on roll can resign: 1 single, 2 gammon, 3 backgammon.

    See `VariantRules.most_lost`; nobody resigns more than 3.
    """
    return min(state.rules.most_lost(state.state), 3)


def legal_variant_actions(state: VariantGameState, player: int | None = None) -> tuple[Action, ...]:
    """Return exactly what may be done now.

    A roll stands there without dice. Plays are listed whole, then single steps. Settlements are
    outside the rules and not listed though they can be done.

    Parameters
    ----------
    state : VariantGameState
    player : {0, 1}, optional
        Only what this player may do: nothing unless he must act. The opening roll is for both.

    Raises
    ------
    GameError
        There is no such player.
    """
    if player is not None and state.actor not in (None, side(player, "the player", GameError)):
        return ()
    actions: list[Action] = []
    if state.stage is Stage.PLAY:
        actions += [MakePlay(str(play)) for play in state.legal_plays()]
        actions += state.legal_steps()
    elif state.stage is Stage.CHOOSE:
        actions += [Choose(number) for number in range(1, 7)]
    elif state.stage is Stage.LEAVE:
        actions += [Stay(), Leave()]
    elif state.stage in (Stage.OPENING, Stage.ROLL):
        actions.append(Roll())
    others: list[Action] = [Double(), Take(), Drop(), Accept(), Refuse(), *map(Resign, WinKind)]
    return (*actions, *(action for action in others if not _why(state, action)))


def why_illegal_action(state: VariantGameState, action: Action) -> str:
    """Return which rule forbids an action now; empty if it is legal."""
    if isinstance(action, Roll) and action.dice is None:
        return _why(state, action)
    try:
        state_after_action(state, action)
    except BgcoreError as error:
        return str(error)
    return ""


_STAGES: Final[dict[type[Action], tuple[Stage, ...]]] = {
    Roll: (Stage.OPENING, Stage.ROLL),
    RollThree: (Stage.ROLL,),
    Choose: (Stage.CHOOSE,),
    Stay: (Stage.LEAVE,),
    Leave: (Stage.LEAVE,),
    MakePlay: (Stage.PLAY,),
    MakeStep: (Stage.PLAY,),
    Double: (Stage.ROLL,),
    Take: (Stage.ANSWER,),
    Drop: (Stage.ANSWER,),
    Resign: (Stage.ROLL, Stage.PLAY, Stage.CHOOSE, Stage.LEAVE),
    Accept: (Stage.RESIGNATION,),
    Refuse: (Stage.RESIGNATION,),
    Settle: tuple(stage for stage in Stage if stage is not Stage.OVER),
}


def _why(state: VariantGameState, action: Action) -> str:
    """Return why the stage, the cube or the dice forbid an action; empty if they do not."""
    if type(action) not in _STAGES:
        return f"there is no {str(action).split()[0]!r} in these games"
    if state.stage not in _STAGES[type(action)]:
        if state.is_over:
            return "the game is over"
        return f"not now: the game waits for: {state.stage.value}"
    if isinstance(action, Double):
        return _why_no_double(state)
    if isinstance(action, Resign):
        return _why_no_resignation(state, action)
    if isinstance(action, (Roll, RollThree)) and action.dice is not None:
        wanted = 2 if state.stage is Stage.OPENING else state.rules.dice
        if len(action.dice) != wanted:
            return f"{wanted} dice are thrown now, not {len(action.dice)}"
    return ""


def _why_no_double(state: VariantGameState) -> str:
    if reason := state.cube.why_not(_on_roll(state)):
        return reason
    if state.turns == 0:
        return "nobody doubles before the first roll of a game"
    if state.turn.rolls:
        return "nobody doubles before another roll of the same turn"
    return ""


def _why_no_resignation(state: VariantGameState, action: Resign) -> str:
    most = most_resigned(state)
    if state.steps:
        return "the play was begun: complete it or undo the steps before resigning"
    if most == 0:
        return f"nobody resigns in {state.rules.name}: the loser pays for what is left"
    if action.kind > most:
        return f"no more than {most} can be resigned here: more cannot be lost"
    if action.kind <= state.refused:
        return "this resignation was refused just now: offer more, or go on"
    return ""


def _on_roll(state: VariantGameState) -> int:
    if state.on_roll is None:
        raise GameError("nobody is on roll before the opening roll")
    return state.on_roll


# ---- what follows ----


def state_after_action(state: VariantGameState, action: Action) -> VariantGameState:
    """Return the state after an action.

    Raises
    ------
    GameError
        A rule forbids the action; the message says which.
    InvalidPlayError, IllegalPlayError, AmbiguousPlayError
        The play cannot be read, is not legal, or can mean several plays.
    """
    if not isinstance(action, Action):
        raise GameError(
            f"an action is one of bgcore.actions, such as Roll('31'), not {shown(action)}"
        )
    if reason := _why(state, action):
        raise GameError(reason)
    return _FOLLOW[type(action)](state, action)


def _after_roll(state: VariantGameState, action: Any) -> VariantGameState:
    dice = action.dice
    if dice is None:
        raise GameError("this game has no dice of its own: say what was rolled, such as '31'")
    rules = state.rules
    state = replace(state, rolls=state.rolls + 1, refused=0)
    if state.stage is Stage.OPENING:
        if dice[0] == dice[1]:
            return state
        state = replace(state, on_roll=int(dice[0] < dice[1]), stage=Stage.ROLL)
        if rules.opening == "reroll":
            return state
    turns = state.turns + (state.turn.rolls == 0)
    turn = rules.rolled(state.state, state.turn, dice)
    return _at_turn(replace(state, dice=dice, turns=turns), turn)


def _at_turn(state: VariantGameState, turn: Turn) -> VariantGameState:
    """Return the state in which the player on roll goes on with his turn, or it is over."""
    if turn.todo == "mark":
        return _moved(state, *state.rules.marked(state.state, turn))
    if turn.todo == "end":
        board, turn = state.rules.end_turn(state.state, turn)
        state = replace(state, state=board, on_roll=1 - _on_roll(state), dice=None, refused=0)
    stage = Stage(turn.todo)
    dice = None if stage is Stage.ROLL else state.dice
    return replace(state, turn=turn, stage=stage, dice=dice, steps=())


def _after_choose(state: VariantGameState, action: Any) -> VariantGameState:
    return _at_turn(state, state.rules.chosen(state.turn, action.number))


def _after_stay(state: VariantGameState, action: Any) -> VariantGameState:
    return _at_turn(state, state.rules.stayed(state.turn))


def _after_leave(state: VariantGameState, action: Any) -> VariantGameState:
    return _moved(state, *state.rules.left(state.state, state.turn))


def _after_play(state: VariantGameState, action: Any) -> VariantGameState:
    return _played(state, state.legal_plays().find(str(action.play)))


def _played(state: VariantGameState, play: VariantPlay) -> VariantGameState:
    """Return the state after the (rest of the) numbers were played."""
    return _moved(state, *state.rules.played(state.state, state.turn, play))


def _moved(state: VariantGameState, board: State, turn: Turn) -> VariantGameState:
    """Return the state with another board, on which the game may be over."""
    points = state.rules.result(board)
    state = replace(state, state=board, steps=())
    if points is None:
        return _at_turn(state, turn)
    mover = _on_roll(state)
    winner = None if points == 0 else mover if points > 0 else 1 - mover
    cube = state.cube.value
    result = VariantGameResult(winner, abs(points), abs(points) * cube, cube, "played")
    return replace(state, turn=Turn(()), stage=Stage.OVER, dice=None, result=result)


def _after_step(state: VariantGameState, action: Any) -> VariantGameState:
    rules = state.rules
    play = _step_of(state, action)
    board, turn = rules.stepped(state.state, state.turn, play)
    state = replace(state, state=board, turn=turn, steps=(*state.steps, *play.steps))
    if rules.steps(board, turn):
        return state
    return _played(state, VariantPlay((), board))


def _step_of(state: VariantGameState, action: MakeStep) -> VariantPlay:
    """Return the step that an action means; of numbers that fit, the exact one."""
    for point, what in ((action.start, "starts on 1 to 26"), (action.to, "ends on 0 to 24")):
        try:
            whole_number(point, what, 0, HAND, IllegalPlayError)
        except IllegalPlayError:
            raise IllegalPlayError(f"a step {what}, not on {shown(point)}") from None
    if action.die is not None:
        whole_number(action.die, "the number of a step", 1, 6, IllegalPlayError)
    found = [
        play
        for play in state.rules.steps(state.state, state.turn)
        if (play.steps[0].start, play.steps[0].end) == (action.start, action.to)
        and action.die in (None, play.steps[0].number)
    ]
    if not found:
        raise IllegalPlayError(f"'{action}' is not a legal step now")
    return min(found, key=lambda play: play.steps[0].number)


def _after_double(state: VariantGameState, action: Any) -> VariantGameState:
    return replace(state, stage=Stage.ANSWER, offer=2 * state.cube.value, refused=0)


def _after_take(state: VariantGameState, action: Any) -> VariantGameState:
    cube = state.cube.doubled_to(1 - _on_roll(state))
    return replace(state, stage=Stage.ROLL, cube=cube, offer=0)


def _after_drop(state: VariantGameState, action: Any) -> VariantGameState:
    cube = state.cube.value
    result = VariantGameResult(_on_roll(state), 1, cube, cube, "dropped")
    return _over(state, result)


def _after_resign(state: VariantGameState, action: Any) -> VariantGameState:
    return replace(state, stage=Stage.RESIGNATION, resigned=int(action.kind))


def _after_accept(state: VariantGameState, action: Any) -> VariantGameState:
    cube, value = state.cube.value, state.resigned
    winner = 1 - _on_roll(state)
    return _over(state, VariantGameResult(winner, value, value * cube, cube, "resigned"))


def _after_refuse(state: VariantGameState, action: Any) -> VariantGameState:
    return replace(state, stage=Stage(state.turn.todo), resigned=0, refused=state.resigned)


def _after_settle(state: VariantGameState, action: Any) -> VariantGameState:
    winner = action.winner if action.points else None
    cube = state.cube.value
    return _over(state, VariantGameResult(winner, action.points, action.points, cube, "settled"))


def _over(state: VariantGameState, result: VariantGameResult) -> VariantGameState:
    return replace(
        state,
        turn=Turn(()),
        stage=Stage.OVER,
        offer=0,
        resigned=0,
        dice=None,
        steps=(),
        result=result,
    )


_FOLLOW: Final[dict[type[Action], Callable[[VariantGameState, Any], VariantGameState]]] = {
    Roll: _after_roll,
    RollThree: _after_roll,
    Choose: _after_choose,
    Stay: _after_stay,
    Leave: _after_leave,
    MakePlay: _after_play,
    MakeStep: _after_step,
    Double: _after_double,
    Take: _after_take,
    Drop: _after_drop,
    Resign: _after_resign,
    Accept: _after_accept,
    Refuse: _after_refuse,
    Settle: _after_settle,
}
