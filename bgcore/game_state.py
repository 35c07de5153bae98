"""The state of one game: what may be done in it, and what follows.

`legal_actions(state)` lists what may be done, `state_after(state, action)` is the state that
follows; both are pure functions.

The order of a turn: a double and its answers (not in the first turn), the roll, the play. The
opening roll is one die for each player; the higher one begins and plays both numbers.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import combinations_with_replacement
from typing import Any, Final, Self

import numpy as np
from numpy.typing import NDArray

from bgcore._core.movegen import apply_step, next_steps
from bgcore._core.variants import house_next_steps
from bgcore.actions import (
    Accept,
    Action,
    Beaver,
    Double,
    Drop,
    Irregular,
    MakePlay,
    MakeStep,
    Pass,
    Raccoon,
    Refuse,
    Resign,
    Roll,
    Settle,
    Take,
)
from bgcore.board import Board
from bgcore.checks import flag, shown, side, whole_number
from bgcore.cube import Cube
from bgcore.errors import BgcoreError, GameError, IllegalPlayError, RulesError
from bgcore.notation import BAR, OFF, Play, Plays, Step
from bgcore.play_mistakes import index_of_play
from bgcore.rolls import Dice
from bgcore.rules import Rules
from bgcore.scoring import GameResult, WinKind, kind_cap, play_result, points_of

__all__ = [
    "GameState",
    "Stage",
    "is_legal",
    "legal_actions",
    "pending_actions",
    "state_after",
    "why_illegal",
]

#: Points of the longest match.
MAX_LENGTH = 99_999
#: The largest score with which a game for money begins.
_MOST_POINTS = 10**15


class Stage(StrEnum):
    """What a game waits for."""

    #: The opening roll.
    OPENING = "opening"
    #: The roll of the player on roll, or his double before it.
    ROLL = "roll"
    #: The answer to a double, beaver or raccoon.
    ANSWER = "answer"
    #: The play of a roll.
    PLAY = "play"
    #: The naming of a doublet; in acey-deucey alone, see `bgcore.variants`.
    CHOOSE = "choose"
    #: Whether the player stays or leaves; in trictrac alone, see `bgcore.variants`.
    LEAVE = "leave"
    #: The answer to a resignation.
    RESIGNATION = "resignation"
    #: Nothing: the game is over.
    OVER = "over"


@dataclass(frozen=True, slots=True, kw_only=True)
class GameState:
    """Everything that is known at one moment of a game. Immutable and hashable.

    A new game is `GameState.start(...)`, a position of one's own `GameState.at(board, ...)`.

    Attributes
    ----------
    rules : Rules
    board : Board
        Seen by the player on roll, also while the other one has to answer; before the opening
        roll seen by player 0.
    stage : Stage
    on_roll : int or None
        0 or 1: whose turn it is; None before the opening roll.
    cube : Cube
        A double that is offered has not turned it yet.
    offer : int
        What the cube will show if the double, beaver or raccoon on offer is taken; else 0.
    returns : int
        Beavers and raccoons since the double on offer.
    dice : (int, int) or None
        The roll that is being played, as thrown; of the opening roll the die of player 0 is first.
    dice_left : tuple of int
        The dice not used yet by a turn that is played step by step.
    steps : tuple of (from, to, hit)
        Steps played of this turn.
    resigned : WinKind or None
        The resignation on offer; it is that of the player on roll.
    refused : int
        The last resignation that was refused since the dice were thrown, 0 if none.
    turns : int
        Turns begun, those passed without a roll included.
    rolls : int
        Throws of two dice, opening rolls of equal dice included.
    rolled : (int, int)
        How often player 0 and player 1 have rolled for a turn, or for an extra turn.
    chain : int
        Extra turns in a row that the player on roll has had.
    auto_doubles : int
        Automatic doubles of the opening roll.
    length : int
        Points of the match; 0 for money.
    scores : (int, int)
        Points of player 0 and player 1 before this game.
    is_crawford : bool
        This is the Crawford game.
    result : GameResult or None
        Set when the game is over.
    """

    rules: Rules
    board: Board
    stage: Stage
    on_roll: int | None
    cube: Cube
    offer: int = 0
    returns: int = 0
    dice: tuple[int, int] | None = None
    dice_left: tuple[int, ...] = ()
    steps: tuple[Step, ...] = ()
    resigned: WinKind | None = None
    refused: int = 0
    turns: int = 0
    rolls: int = 0
    rolled: tuple[int, int] = (0, 0)
    chain: int = 0
    auto_doubles: int = 0
    length: int = 0
    scores: tuple[int, int] = (0, 0)
    is_crawford: bool = False
    result: GameResult | None = None

    @classmethod
    def start(
        cls,
        rules: Rules | None = None,
        *,
        length: int = 0,
        scores: Sequence[int] = (0, 0),
        is_crawford: bool = False,
        starter: int | None = None,
    ) -> Self:
        """Return the state at the start of a game.

        Parameters
        ----------
        rules : Rules, optional
            `Rules.match()` if there is a length, else `Rules.money()`.
        length : int, default 0
            Points of the match; 0 for money.
        scores : (int, int), default (0, 0)
            Points won before; in a match below its length.
        is_crawford : bool, default False
            Whether this is the Crawford game.
        starter : {0, 1}, optional
            Who begins without an opening roll and rolls both dice.

        Raises
        ------
        RulesError
            The rules, the length and the score do not fit each other.
        """
        rules, length, scores = _checked_score(rules, length, scores, is_crawford)
        is_crawford = bool(is_crawford)
        if starter is not None:
            starter = side(starter, "the starter (None for an opening roll)", RulesError)
        return cls(
            rules=rules,
            board=rules.layout.swapped() if starter == 1 else rules.layout,
            stage=Stage.OPENING if starter is None else Stage.ROLL,
            on_roll=starter,
            cube=Cube.of(rules, is_crawford=is_crawford),
            length=length,
            scores=scores,
            is_crawford=is_crawford,
        )

    @classmethod
    def at(
        cls,
        board: Board,
        *,
        on_roll: int = 0,
        dice: Dice | None = None,
        cube: int = 1,
        cube_owner: int | None = None,
        rules: Rules | None = None,
        length: int = 0,
        scores: Sequence[int] = (0, 0),
        is_crawford: bool = False,
    ) -> "GameState":
        """Return the state of a position in the middle of a game.

        What came before is not known: the first turn is taken as past, and both players as having
        rolled often enough for any rule.

        Parameters
        ----------
        board : Board
            Seen by the player on roll.
        on_roll : {0, 1}, default 0
        dice : str or pair of int, optional
            The roll to be played; without it the player on roll may double or roll.
        cube : int, default 1
            A power of 2.
        cube_owner : {0, 1} or None, default None
        rules, length, scores, is_crawford
            See `start`.

        Raises
        ------
        RulesError
            As `start`; or the cube is impossible.
        BoardError
            The board is impossible or the game is over.
        DiceError
            The dice cannot be read.
        """
        if not isinstance(board, Board):
            raise RulesError(f"the board is a bgcore.Board, not {type(board).__name__}")
        rules, length, scores = _checked_score(rules, length, scores, is_crawford)
        is_crawford = bool(is_crawford)
        on_roll = side(on_roll, "the player on roll", RulesError)
        if board.n_checkers != rules.n_checkers:
            raise RulesError(
                f"the board is one of {board.n_checkers} checkers a side, the rules play with"
                f" {rules.n_checkers}"
            )
        if (cube != 1 or cube_owner is not None) and (is_crawford or not rules.cube):
            raise RulesError("the cube is not in play in this game: it shows 1, in the middle")
        at_start = Cube.of(rules, is_crawford=is_crawford)
        state = cls(
            rules=rules,
            board=board,
            stage=Stage.ROLL,
            on_roll=on_roll,
            cube=replace(at_start, value=cube, owner=cube_owner),
            turns=2,
            rolled=(2, 2),
            length=length,
            scores=scores,
            is_crawford=is_crawford,
        )
        board.legal_plays((2, 1))  # refuses a board on which nothing can be played
        return state if dice is None else state_after(state, Roll(dice))

    # -- whose it is --

    @property
    def actor(self) -> int | None:
        """The player who must act now; None before the opening roll and after the game."""
        if self.on_roll is None or self.stage is Stage.OVER:
            return None
        if self.stage is Stage.RESIGNATION:
            return 1 - self.on_roll
        if self.stage is Stage.ANSWER:
            return self.on_roll if self.returns % 2 else 1 - self.on_roll
        return self.on_roll

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.stage is Stage.OVER

    @property
    def needs(self) -> tuple[int | None, int | None]:
        """Points that player 0 and player 1 need to win the match; None for money."""
        if not self.length:
            return None, None
        return self.length - self.scores[0], self.length - self.scores[1]

    @property
    def is_post_crawford(self) -> bool:
        """Whether a player is one point from the match and this is not the Crawford game."""
        return self.length > 0 and max(self.scores) == self.length - 1 and not self.is_crawford

    @property
    def is_dead_cube(self) -> bool:
        """Whether a double by the player on roll could gain him nothing: the match is at stake."""
        return self.on_roll is not None and self.cube.is_dead_for(self.needs[self.on_roll])

    def board_swapped_for(self, player: int) -> Board:
        """Return the board seen by a player, swapped if he is not on roll."""
        return self.board if player == (self.on_roll or 0) else self.board.swapped()

    def legal_plays(self) -> Plays:
        """Return the legal plays of the roll.

        Raises
        ------
        GameError
            There is no roll to be played, or the turn was begun step by step.
        """
        if self.stage is not Stage.PLAY or self.dice is None:
            raise GameError(f"there is no roll to play; the game waits for: {self.stage.value}")
        if self.steps:
            raise GameError("this turn was begun step by step: go on so, or undo the steps")
        return Plays(self.board, self.dice, **self.rules.house)

    def legal_steps(self) -> list[MakeStep]:
        """Return the steps of one checker after which the turn can still be completed.

        Raises
        ------
        GameError
            There is no roll to be played.
        """
        if self.stage is not Stage.PLAY:
            raise GameError(f"there is no roll to play; the game waits for: {self.stage.value}")
        return [MakeStep(start, to, die) for start, to, die, _ in self._next_steps()]

    def step_of(self, action: MakeStep) -> tuple[Step, int]:
        """Return the step (from, to, hit) of an action and the die that it uses.

        Of two dice that fit, it is the exact one unless the action says otherwise.

        Raises
        ------
        IllegalPlayError
            The step is not legal.
        """
        for point, what in ((action.start, "starts on 1 to 25"), (action.to, "ends on 0 to 24")):
            try:
                whole_number(point, "a point", 0, BAR, IllegalPlayError)
            except IllegalPlayError:
                raise IllegalPlayError(f"a step {what}, not on {shown(point)}") from None
        fitting = [
            step
            for step in self._next_steps()
            if step[:2] == (action.start, action.to) and action.die in (None, step[2])
        ]
        if not fitting:
            legal = ", ".join(str(step).removeprefix("step ") for step in self.legal_steps())
            raise IllegalPlayError(
                f"{str(action).removeprefix('step ')!r} is not legal with the dice left"
                f" {list(self.dice_left)}; legal are: {legal or 'none'}"
            )
        # the exact die is the smaller one: the other bears off with a larger number
        start, to, die, hit = min(fitting, key=lambda step: step[2])
        return (start, to, hit), die

    def check(self, action: Action) -> None:
        """Refuse an action that a rule forbids now; whether a play is legal is not looked at.

        Raises
        ------
        GameError
            The message says which rule forbids it.
        """
        if type(action) not in _STAGES:
            raise GameError(f"{shown(action)} is no action; see bgcore.actions")
        if reason := _why(self, action):
            raise GameError(reason)

    def _next_steps(self) -> list[tuple[int, int, int, bool]]:
        if self.rules.house:
            rules = {"n_checkers": self.rules.n_checkers, **self.rules.house}
            return house_next_steps(self.board, self.dice_left, **rules)[0]
        return next_steps(self.board, self.dice_left)


# ---- what may be done ----


def legal_actions(state: GameState, player: int | None = None) -> tuple[Action, ...]:
    """Return exactly what may be done now.

    A roll stands there without dice. Plays are listed whole, then the first steps of a turn
    played step by step. What is outside the rules is not listed though it can be done: plays that
    the opponent lets stand (`Irregular`) and settlements (`Settle`).

    Parameters
    ----------
    state : GameState
    player : {0, 1}, optional
        Only what this player may do: nothing unless he must act. The opening roll is for both.

    Returns
    -------
    tuple of Action

    Raises
    ------
    GameError
        There is no such player.
    """
    if player is not None and state.actor not in (None, side(player, "the player", GameError)):
        return ()
    if state.stage is Stage.PLAY:
        plays: list[Action] = (
            [] if state.steps else [MakePlay(play) for play in state.legal_plays()]
        )
        candidates: list[Action] = [*plays, *state.legal_steps()]
        resignations = [Resign(kind) for kind in WinKind]
        return (*candidates, *(action for action in resignations if not _why(state, action)))
    return tuple(action for action in _WITHOUT_PLAYS if not _why(state, action))


def why_illegal(state: GameState, action: Action) -> str:
    """Return which rule forbids an action now; empty if it is legal."""
    try:
        state_after(state, Roll((2, 1)) if action == Roll() else action)
    except BgcoreError as error:
        return str(error)
    return ""


def is_legal(state: GameState, action: Action) -> bool:
    """Tell whether an action may be done now."""
    return not why_illegal(state, action)


_WITHOUT_PLAYS: Final = (
    Roll(),
    Pass(),
    Double(),
    Take(),
    Drop(),
    Beaver(),
    Raccoon(),
    Accept(),
    Refuse(),
    *(Resign(kind) for kind in WinKind),
)


def _why(state: GameState, action: Action) -> str:
    """Return why an action other than a play or step is illegal; empty if it is legal."""
    if state.stage is Stage.OVER:
        return "the game is over"
    stages = _STAGES[type(action)]
    if state.stage not in stages:
        right = " or ".join(stage.value for stage in stages)
        return f"{shown(str(action))} belongs to the stage '{right}'; the game waits for: {state.stage.value}"
    check = _CHECKS.get(type(action))
    return check(state, action) if check is not None else ""


def _why_no_roll(state: GameState, action: Action) -> str:
    if _must_pass(state):
        return "no roll can move a checker: by the rule skip_closed_out the turn is passed"
    return ""


def _why_no_pass(state: GameState, action: Action) -> str:
    if not state.rules.skip_closed_out:
        return "these rules know no pass without a roll (skip_closed_out)"
    return "" if _must_pass(state) else "a roll can move a checker, so the turn cannot be passed"


def _must_pass(state: GameState) -> bool:
    if not state.rules.skip_closed_out or state.stage is not Stage.ROLL:
        return False
    rolls = combinations_with_replacement(range(1, 7), 2)
    return all(Plays(state.board, roll, **state.rules.house).is_dance for roll in rolls)


def _why_no_double(state: GameState, action: Action) -> str:
    if not state.rules.cube:
        return "these rules have no cube"
    if state.is_crawford:
        return "there is no doubling in the Crawford game"
    if state.turns == 0:
        return "the first turn of a game is played without a double"
    if state.chain:
        return "there is no doubling before an extra turn"
    if state.on_roll is not None and (reason := state.cube.why_not(state.on_roll)):
        return reason
    if state.rules.forbid_dead and state.is_dead_cube:
        return "the cube is dead: its points win the match as it is (forbid_dead)"
    if state.rules.holland and state.is_post_crawford and min(state.rolled) < 2:
        return "after the Crawford game nobody doubles before both have rolled twice (holland)"
    return ""


def _why_no_drop(state: GameState, action: Action) -> str:
    if state.returns and not state.rules.beaver_drop:
        return "by these rules a beaver or raccoon cannot be dropped (beaver_drop)"
    return ""


def _why_no_return(state: GameState, action: Action) -> str:
    is_beaver = isinstance(action, Beaver)
    if is_beaver == bool(state.returns % 2):
        return (
            "a beaver answers a double or a raccoon" if is_beaver else "a raccoon answers a beaver"
        )
    if state.returns >= state.rules.beavers:
        number = state.rules.beavers
        times = {0: "not", 1: "once"}.get(number, f"{number} times")
        return f"by these rules a double can be turned back {times} (beavers={number})"
    if state.rules.beaver_doubles == "initial" and not state.cube.is_centred:
        return "by these rules only the first double of a game can be beavered (beaver_doubles)"
    if 2 * state.offer > state.cube.limit:
        return f"the cube would pass its limit of {state.cube.limit}"
    return ""


def _why_no_resignation(state: GameState, action: Action) -> str:
    if not isinstance(action, Resign):
        raise TypeError(action)
    if state.steps:
        return "the turn was begun: complete the play or undo the steps before resigning"
    cap = kind_cap(state.board, state.cube, state.rules)
    if action.kind > cap:
        return (
            f"no more than a {cap.name.lower()} game can be resigned here: more cannot be lost, or"
            " would not count"
        )
    if action.kind <= state.refused:
        return "this resignation was refused just now: offer more, or go on"
    return ""


def _why_not_irregular(state: GameState, action: Action) -> str:
    if not isinstance(action, Irregular):
        raise TypeError(action)
    if state.steps:
        return "the turn was begun step by step: go on so, or undo the steps"
    if (after := cells_after(state.board, action.moves)) is None:
        return f"{shown(str(action))} cannot be done: a checker is missing or a point is held"
    if (state.legal_plays().boards == after).all(axis=1).any():
        return f"{shown(str(action))} is a legal play: make it as such"
    return ""


def cells_after(board: Board, play: Play) -> NDArray[np.int8] | None:
    """Return the cells after moves, hits included, whatever the rules say; None if impossible.

    Parameters
    ----------
    board : Board
    play : Play

    Returns
    -------
    (26,) int8 array or None
        Still seen by the mover.
    """
    cells = np.array(board, dtype=np.int8)
    for start, to, _ in play.steps:
        if cells[start] <= 0 or (to != OFF and cells[to] < -1):
            return None
        cells[start] -= 1
        if to == OFF:
            continue
        if cells[to] == -1:
            cells[to] = 0
            cells[0] -= 1
        cells[to] += 1
    return cells


_STAGES: Final[dict[type[Action], tuple[Stage, ...]]] = {
    Roll: (Stage.OPENING, Stage.ROLL),
    Pass: (Stage.ROLL,),
    Double: (Stage.ROLL,),
    Take: (Stage.ANSWER,),
    Drop: (Stage.ANSWER,),
    Beaver: (Stage.ANSWER,),
    Raccoon: (Stage.ANSWER,),
    MakePlay: (Stage.PLAY,),
    MakeStep: (Stage.PLAY,),
    Irregular: (Stage.PLAY,),
    Settle: tuple(stage for stage in Stage if stage is not Stage.OVER),
    Resign: (Stage.ROLL, Stage.PLAY),
    Accept: (Stage.RESIGNATION,),
    Refuse: (Stage.RESIGNATION,),
}
_CHECKS: Final[dict[type[Action], Callable[[GameState, Action], str]]] = {
    Roll: _why_no_roll,
    Pass: _why_no_pass,
    Double: _why_no_double,
    Drop: _why_no_drop,
    Beaver: _why_no_return,
    Raccoon: _why_no_return,
    Irregular: _why_not_irregular,
    Resign: _why_no_resignation,
}


def pending_actions(state: GameState) -> tuple[Action, ...]:
    """Return the actions that lead to a state from where nothing waits for an answer.

    A double that is on offer, its beavers and raccoons; a resignation on offer, and one that was
    refused before it.
    """
    if state.stage is Stage.ANSWER:
        returns = [Raccoon() if number % 2 else Beaver() for number in range(state.returns)]
        return (Double(), *returns)
    refused = (Resign(state.refused), Refuse()) if state.refused else ()
    return (
        refused if state.resigned is None or state.is_over else (*refused, Resign(state.resigned))
    )


# ---- what follows ----


def state_after(state: GameState, action: Action) -> GameState:
    """Return the state after an action.

    Parameters
    ----------
    state : GameState
    action : Action
        A roll needs its dice.

    Raises
    ------
    GameError
        A rule forbids the action; the message says which.
    InvalidPlayError, IllegalPlayError, AmbiguousPlayError
        The play cannot be read, is not legal, or can mean several plays.
    """
    state.check(action)
    return _FOLLOW[type(action)](state, action)


def _after_roll(state: GameState, action: Any) -> GameState:
    if action.dice is None:
        raise GameError("this game has no dice of its own: say what was rolled, such as Roll('31')")
    if state.stage is Stage.OPENING:
        return _after_opening_roll(state, action.dice)
    return _with_dice(state, action.dice)


def _after_opening_roll(state: GameState, dice: tuple[int, int]) -> GameState:
    die0, die1 = dice
    if die0 != die1:
        starter = 0 if die0 > die1 else 1
        board = state.board.swapped() if starter == 1 else state.board
        return _with_dice(replace(state, board=board, on_roll=starter), dice)
    most = state.rules.auto_doubles
    may_double = state.cube.value < state.cube.limit and not state.cube.is_resting
    if may_double and (most is None or state.auto_doubles < most):
        state = replace(state, cube=state.cube.doubled(), auto_doubles=state.auto_doubles + 1)
    return replace(state, rolls=state.rolls + 1)


def _with_dice(state: GameState, dice: tuple[int, int]) -> GameState:
    rolled0, rolled1 = state.rolled
    return replace(
        state,
        stage=Stage.PLAY,
        dice=dice,
        dice_left=dice * 2 if dice[0] == dice[1] else dice,
        steps=(),
        refused=0,
        turns=state.turns + 1,
        rolls=state.rolls + 1,
        rolled=(rolled0, rolled1 + 1) if state.on_roll else (rolled0 + 1, rolled1),
    )


def _after_pass(state: GameState, action: Any) -> GameState:
    return _next_turn(replace(state, turns=state.turns + 1), state.board)


def _after_double(state: GameState, action: Any) -> GameState:
    return replace(state, stage=Stage.ANSWER, offer=2 * state.cube.value, returns=0, refused=0)


def _after_return(state: GameState, action: Any) -> GameState:
    return replace(state, offer=2 * state.offer, returns=state.returns + 1)


def _after_take(state: GameState, action: Any) -> GameState:
    taker = 1 - _on_roll(state)
    cube = replace(state.cube, value=state.offer, owner=taker)
    return replace(state, stage=Stage.ROLL, cube=cube, offer=0, returns=0)


def _after_drop(state: GameState, action: Any) -> GameState:
    # who drops pays the stake before the double, beaver or raccoon that he refuses
    stake = state.offer // 2
    loser = _on_roll(state) if state.returns % 2 else 1 - _on_roll(state)
    result = GameResult(1 - loser, WinKind.SINGLE, stake, stake, "dropped")
    return replace(state, stage=Stage.OVER, offer=0, returns=0, result=result)


def _after_play(state: GameState, action: Any) -> GameState:
    plays = state.legal_plays()
    return after_found_play(state, plays, index_of_play(plays, action.play))


def after_found_play(state: GameState, plays: Plays, index: int) -> GameState:
    """Return the state after a play that was found among the legal ones of a state.

    Parameters
    ----------
    state : GameState
    plays : Plays
        `state.legal_plays()`.
    index : int
    """
    # what the generator makes needs no check
    board = Board(plays.boards[index], n_checkers=state.rules.n_checkers, check=False)
    return _end_of_turn(state, plays[index].steps, board)


def _after_step(state: GameState, action: Any) -> GameState:
    step, die = state.step_of(action)
    left = list(state.dice_left)
    left.remove(die)
    board = Board(apply_step(state.board, action.start, die), n_checkers=state.rules.n_checkers)
    steps = (*state.steps, step)
    state = replace(state, board=board, steps=steps, dice_left=tuple(left))
    if board.value == 0 and left and state._next_steps():
        return state
    return _end_of_turn(state, steps, board)


def _after_irregular(state: GameState, action: Any) -> GameState:
    if (cells := cells_after(state.board, action.moves)) is None:
        raise TypeError(action)
    board = Board(cells, n_checkers=state.rules.n_checkers)
    return _end_of_turn(state, action.moves.steps, board)


def _after_settle(state: GameState, action: Any) -> GameState:
    cube = state.cube.value
    result = GameResult(action.winner, WinKind.SINGLE, action.points, cube, "settled")
    # what was pending is void
    return replace(
        state,
        stage=Stage.OVER,
        offer=0,
        returns=0,
        dice=None,
        dice_left=(),
        steps=(),
        result=result,
    )


def _end_of_turn(state: GameState, steps: Sequence[Step], board: Board) -> GameState:
    """Return the state after a whole play that leads to a board, seen by the mover."""
    if board.value != 0:
        result = play_result(_on_roll(state), board, state.cube, state.rules)
        return replace(
            state, board=board, stage=Stage.OVER, dice=None, dice_left=(), steps=(), result=result
        )
    die1, die2 = state.dice or (0, 0)
    rules = state.rules
    if (
        rules.extra_turn
        and die1 == die2
        and state.chain < rules.max_chain
        and (len(steps) == 4 or not rules.extra_turn_forfeit)
    ):
        return replace(
            state,
            board=board,
            stage=Stage.ROLL,
            dice=None,
            dice_left=(),
            steps=(),
            refused=0,
            chain=state.chain + 1,
        )
    return _next_turn(state, board)


def _next_turn(state: GameState, board: Board) -> GameState:
    return replace(
        state,
        board=board.swapped(),
        stage=Stage.ROLL,
        on_roll=1 - _on_roll(state),
        dice=None,
        dice_left=(),
        steps=(),
        refused=0,
        chain=0,
    )


def _after_resign(state: GameState, action: Any) -> GameState:
    return replace(state, stage=Stage.RESIGNATION, resigned=action.kind)


def _after_accept(state: GameState, action: Any) -> GameState:
    kind = state.resigned or WinKind.SINGLE
    points = points_of(kind, state.cube, state.rules)
    result = GameResult(1 - _on_roll(state), kind, points, state.cube.value, "resigned")
    return replace(state, stage=Stage.OVER, result=result)


def _after_refuse(state: GameState, action: Any) -> GameState:
    stage = Stage.ROLL if state.dice is None else Stage.PLAY
    return replace(state, stage=stage, resigned=None, refused=int(state.resigned or 0))


_FOLLOW: Final[dict[type[Action], Callable[[GameState, Any], GameState]]] = {
    Roll: _after_roll,
    Pass: _after_pass,
    Double: _after_double,
    Take: _after_take,
    Drop: _after_drop,
    Beaver: _after_return,
    Raccoon: _after_return,
    MakePlay: _after_play,
    MakeStep: _after_step,
    Irregular: _after_irregular,
    Settle: _after_settle,
    Resign: _after_resign,
    Accept: _after_accept,
    Refuse: _after_refuse,
}


def _on_roll(state: GameState) -> int:
    if state.on_roll is None:
        raise GameError("nobody is on roll before the opening roll")
    return state.on_roll


def _checked_score(
    rules: Rules | None, length: int, scores: Sequence[int], is_crawford: bool
) -> tuple[Rules, int, tuple[int, int]]:
    """Return the rules, the length and the score if they fit each other."""
    try:
        length = whole_number(length, "the length", 0, MAX_LENGTH, RulesError)
    except RulesError:
        raise RulesError(
            f"the length of a match is a whole number from 1 to {MAX_LENGTH} (0 for money),"
            f" not {shown(length)}"
        ) from None
    if rules is None:
        rules = Rules.match() if length else Rules.money()
    if not isinstance(rules, Rules):
        raise RulesError(f"rules are a bgcore.Rules, not {shown(rules)}")
    if rules.match_play != (length > 0):
        raise RulesError(
            "rules of match play need the length of the match, such as length=7"
            if rules.match_play
            else f"a match to {length} needs rules of match play, such as Rules.match()"
        )
    pair = _score_pair(scores)
    if length and max(pair) >= length:
        raise RulesError(f"the score is {pair[0]}-{pair[1]}: a match to {length} is over then")
    is_possible = rules.crawford and max(pair) == length - 1 and min(pair) < length - 1
    if flag(is_crawford, "is_crawford", RulesError) and not is_possible:
        raise RulesError(
            f"no Crawford game at {pair[0]}-{pair[1]} to {length}: it is played once, when the"
            " first player is one point from the match, by rules with crawford=True"
        )
    return rules, length, pair


def _score_pair(scores: object) -> tuple[int, int]:
    try:
        first, second = scores if isinstance(scores, (Sequence, np.ndarray)) else ()
        return (
            whole_number(first, "a score", 0, _MOST_POINTS, RulesError),
            whole_number(second, "a score", 0, _MOST_POINTS, RulesError),
        )
    except (TypeError, ValueError):
        raise RulesError(
            f"the score is two whole numbers, 0 or more, not {shown(scores)}"
        ) from None
