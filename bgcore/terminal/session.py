"""A session at a table: what people type, and what follows."""

import difflib
import os
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TextIO

from bgcore.actions import (
    Accept,
    Action,
    Beaver,
    Double,
    Drop,
    MakePlay,
    MakeStep,
    Pass,
    Raccoon,
    Refuse,
    Resign,
    Roll,
    Take,
)
from bgcore.automatic import Automatic
from bgcore.errors import (
    AmbiguousPlayError,
    BgcoreError,
    IllegalPlayError,
    InvalidPlayError,
)
from bgcore.evaluators import NetEvaluator
from bgcore.game import Game
from bgcore.game_state import GameState, Stage, state_after
from bgcore.game_text import (
    Line,
    action_line,
    dice_text,
    game_lines,
    game_picture,
    result_line,
    score_line,
)
from bgcore.match import Match, MoneySession
from bgcore.notation import Play, Plays, read_moves
from bgcore.play_mistakes import closest_plays, why_illegal_play
from bgcore.position import Position
from bgcore.rolls import parse_dice
from bgcore.scoring import GameResult, WinKind
from bgcore.terminal.net import cube_advice, net_action, play_advice
from bgcore.terminal.saved import Setting, session_document
from bgcore.terminal.table_session import TableSession

__all__ = ["Session"]

_DICE = re.compile(r"[0-9] ?[-, ]? ?[0-9]")

_HELP = """\
Plays are typed in the usual notation: 8/5 6/5, bar/20, 13/7*(2), 6/off; or one
step at a time: 8/5, then the rest.

  roll, r, Enter      roll the dice (Enter where there is no choice)
  double, d           offer the cube
  take, drop (pass)   answer a double; also beaver, raccoon
  resign [gammon]     resign a single game, a gammon or a backgammon
  accept, refuse      answer a resignation
  hint, h             what the net thinks
  plays               all legal plays
  undo, u             back to your last decision; the dice stay the same
  redo                forward again
  board, pips, score  show them
  moves               the game so far
  id                  the position as IDs for other programs
  save FILE           keep the game in a file, from now on after every action
  quit, q             leave"""


class Session(TableSession):
    """A match or money session in a terminal.

    Parameters
    ----------
    series : Match or MoneySession
        With dice of its own unless the setting says that they are typed.
    setting : Setting
    read : callable
        Shows a prompt and returns the next line that is typed; EOFError at the end. `input` does.
    out : text stream
        Where everything else goes.
    path : path, optional
        The file in which the session is kept.
    home : {"right", "left"}, default "right"
        Where the home boards are drawn.
    color : bool, optional
        Whether to use colours; where the terminal has them if not given.
    auto : bool, default True
        Roll for people where they may not double, and make plays that are the only ones.
    evaluator : NetEvaluator, optional
        Who plays and gives hints.

    Raises
    ------
    OSError
        The file cannot be written.
    """

    _HELP = _HELP

    def __init__(
        self,
        series: Match | MoneySession,
        setting: Setting,
        *,
        read: Callable[[str], str],
        out: TextIO,
        path: str | os.PathLike[str] | None = None,
        home: str = "right",
        color: bool | None = None,
        auto: bool = True,
        evaluator: NetEvaluator | None = None,
    ) -> None:
        super().__init__(
            series, setting.seed, read=read, out=out, path=path, home=home, color=color
        )
        self.series = series
        self.setting = setting
        self._auto = Automatic(roll_if_no_double=auto and setting.seed is not None, forced=auto)
        self._net = NetEvaluator() if evaluator is None else evaluator
        self._file.write(self._document())

    def _document(self) -> dict[str, Any]:
        return session_document(self.series, self.setting)

    # -- the course of a session --

    @property
    def _game(self) -> Game:
        return self.series.game

    def _is_net(self, player: int | None) -> bool:
        return player is not None and player == self.setting.net

    def _action_without_asking(self, state: GameState) -> Action | None:
        """Return what the net or a policy does now; None if a person must type something."""
        if state.actor is None:
            action: Action | None = Roll()
        elif self._is_net(state.actor):
            action = net_action(state, self._net)
        else:
            action = self._auto.action(state)
        return None if isinstance(action, Roll) and self._are_dice_typed else action

    def _do(self, action: Action, *, unasked: bool = False) -> None:
        automatic = unasked and not self._is_net(self._game.state.actor)
        after = self._game.do(action, automatic=automatic)
        self._changed()
        entry = self._game.history[-1]
        line = "" if isinstance(entry.action, MakeStep) else action_line(entry, after, self._names)
        if line and automatic and isinstance(entry.action, MakePlay):
            line += _why_automatic(entry.before)
        if line:
            self._screen.say(line)

    # -- people --

    def _prompt(self, state: GameState) -> str:
        dice = "dice, such as 31" if self._are_dice_typed else "Enter to roll"
        if state.actor is None:
            return f"opening roll, {self._names[0]} first ({dice})> "
        name = self._names[state.actor]
        if state.stage is Stage.PLAY:
            left = " ".join(str(die) for die in state.dice_left)
            if self._is_dance(state):
                return f"{name}, {dice_text(state.dice)}: no play (Enter)> "
            return f"{name}, left {left}> " if state.steps else f"{name}, {dice_text(state.dice)}> "
        if state.stage is Stage.ANSWER:
            return f"{name}, {self._answers()}> "
        if state.stage is Stage.RESIGNATION:
            return f"{name}, accept or refuse> "
        if self._is_net(state.actor) or not self._is_legal(Double()):
            return f"{name} ({dice})> "
        return f"{name} ({'dice' if self._are_dice_typed else 'roll'} or double)> "

    def _answers(self) -> str:
        *first, last = (word for word, action in _ANSWERS.items() if self._is_legal(action))
        return f"{', '.join(first)} or {last}" if first else last

    def _is_legal(self, action: Action) -> bool:
        return self._game.is_legal(action)

    def _obey_word(self, word: str, rest: str, line: str) -> None:
        state = self._game.state
        if not line:
            self._empty_line(state)
        elif _DICE.fullmatch(line) and state.stage is not Stage.PLAY:
            self._typed_dice(line)
        elif word in _ACTIONS and not rest:
            self._act(_ACTIONS[word]())
        elif word in ("roll", "r") and state.stage is not Stage.PLAY:
            self._typed_dice(rest)
        elif word in _ACTIONS:
            self._screen.say(f"{word} stands alone. {self._what_to_type(state)}")
        elif word == "pass" and not rest:
            self._act_pass(state)
        elif word == "resign":
            self._resign(rest)
        elif state.stage is Stage.PLAY and re.search(r"[0-9]", line):
            self._play(line)
        else:
            self._unknown(word, state)

    def _empty_line(self, state: GameState) -> None:
        if state.stage is Stage.ROLL and not self._is_legal(Double()):
            self._act(Roll())
        elif self._is_dance(state):
            self._do(MakePlay(Play()))
        else:
            self._screen.say(self._what_to_type(state))

    def _is_dance(self, state: GameState) -> bool:
        return state.stage is Stage.PLAY and not state.steps and state.legal_plays().is_dance

    def _typed_dice(self, line: str) -> None:
        if not self._are_dice_typed:
            self._screen.say("the dice are thrown here: type roll")
            return
        try:
            self._act(Roll(parse_dice(line)))
        except BgcoreError as error:
            self._screen.say(str(error))

    def _act(self, action: Action) -> None:
        """Do an action that was typed, or say why it is not possible."""
        state = self._game.state
        if (
            (self._is_net(state.actor) and not isinstance(action, Roll))
            or type(action) not in _STAGE_ACTIONS[state.stage]
            or (isinstance(action, Roll) and action.dice is None and self._are_dice_typed)
        ):
            self._screen.say(self._what_to_type(state))
        else:
            try:
                self._do(action)
            except BgcoreError as error:
                self._screen.say(str(error))

    def _act_pass(self, state: GameState) -> None:
        if state.stage is Stage.ANSWER:
            self._act(Drop())
        elif state.stage is Stage.PLAY:
            self._play("pass")
        else:
            self._act(Pass())

    def _resign(self, rest: str) -> None:
        kind = _RESIGNATIONS.get(rest.lower())
        if kind is None:
            self._screen.say(
                "you can resign a single game, a gammon or a backgammon: resign gammon"
            )
        else:
            self._act(Resign(kind))

    def _unknown(self, word: str, state: GameState) -> None:
        known = [*self._commands(), *_ACTIONS, "pass", "resign"]
        close = difflib.get_close_matches(word, [name for name in known if len(name) > 1], n=1)
        meant = f" Did you mean {close[0]}?" if close else ""
        self._screen.say(f"{word!r} is not understood.{meant} {self._what_to_type(state)}")

    def _what_to_type(self, state: GameState) -> str:
        if state.stage is Stage.OPENING or (state.stage is Stage.ROLL and self._are_dice_typed):
            may_double = self._is_legal(Double()) and not self._is_net(state.actor)
            double = ", or double" if may_double else ""
            return f"Type what was thrown, such as 31{double}; help tells more."
        if state.stage is Stage.ROLL:
            double = " or double" if self._is_legal(Double()) else ""
            return f"Type roll{double}; help tells more."
        if state.stage is Stage.ANSWER:
            return f"Type {self._answers()}; help tells more."
        if state.stage is Stage.RESIGNATION:
            return "Type accept or refuse; help tells more."
        if self._is_dance(state):
            return "There is no legal play: Enter ends the turn."
        return "Type a play such as 8/5 6/5; plays lists them, help tells more."

    # -- plays --

    def _play(self, text: str) -> None:
        state = self._game.state
        try:
            if not state.steps:
                self._do(MakePlay(state.legal_plays().find(text)))
                return
        except AmbiguousPlayError as error:
            self._screen.say(str(error))
            return
        except InvalidPlayError as error:
            self._screen.say(str(error))
            return
        except IllegalPlayError:
            pass
        try:
            steps = _as_steps(state, read_moves(text) or [])
        except InvalidPlayError as error:
            self._screen.say(str(error))
            return
        if steps:
            for step in steps:
                self._do(step)
        else:
            self._explain(text)

    def _explain(self, text: str) -> None:
        """Say why a play is illegal and what was perhaps meant."""
        state = self._game.state
        before = [f"{start}/{to or 'off'}".replace("25/", "bar/") for start, to, _ in state.steps]
        plays = self._plays_of_turn()
        whole = " ".join([*before, text])
        try:
            reason = why_illegal_play(plays, whole) or "the checkers cannot move in this order"
            close = closest_plays(plays, whole)
        except InvalidPlayError as error:
            self._screen.say(str(error))
            return
        self._screen.say(f"{text} is not legal: {reason}.")
        if close:
            self._screen.say(f"Legal and close to it: {', '.join(str(play) for play in close)}.")

    def _plays_of_turn(self) -> Plays:
        """Return the legal plays of the roll, also in the middle of a turn."""
        return self._state_at_roll().legal_plays()

    def _state_at_roll(self) -> GameState:
        """Return the state before the first step of a turn that was begun."""
        state = self._game.state
        return self._game.history[-len(state.steps)].before if state.steps else state

    # -- commands --

    def _commands(self) -> Mapping[str, Callable[[str], None]]:
        own = {"hint": self._hint, "h": self._hint, "pips": self._pips, "id": self._id}
        return {**super()._commands(), **own}

    def _is_decision(self, number: int) -> bool:
        """Tell whether an action of the game was typed by a person."""
        entry = self._game.history[number]
        if self._are_dice_typed and isinstance(entry.action, Roll):
            return True
        actor = entry.before.actor
        return actor is not None and not self._is_net(actor) and not entry.automatic

    def _hint(self, rest: str) -> None:
        state = self._game.state
        if state.on_roll is None or state.is_over:
            self._screen.say("there is nothing to think about now")
            return
        if state.stage is Stage.PLAY:
            lines = play_advice(self._state_at_roll(), self._net)
        else:
            lines = cube_advice(state, self._net, self._names)
        for line in lines:
            self._screen.say(line)

    def _play_texts(self) -> list[str] | None:
        if self._game.stage is not Stage.PLAY:
            return None
        return [str(play) for play in self._plays_of_turn()]

    def _pips(self, rest: str) -> None:
        state = self._game.state
        counts = [state.board_swapped_for(player).pips for player in (0, 1)]
        self._screen.say(f"{self._names[0]} {counts[0]} pips, {self._names[1]} {counts[1]} pips")

    def _score(self, rest: str) -> None:
        self._screen.say(score_line(self._game.state, self._names))

    def _history_lines(self) -> Sequence[str]:
        return game_lines(self._game, self._names)

    def _id(self, rest: str) -> None:
        position = Position.from_state(self._game.state)
        for format in ("gnubg", "xgid"):
            try:
                text, lost = position.encode(format)
            except BgcoreError as error:
                self._screen.say(f"no {format} ID: {error}")
                continue
            self._screen.say(text, wrap=False)
            if lost:
                self._screen.say(f"(not in it: {', '.join(lost)})", style="dim")

    # -- what the games say --

    def _kind(self) -> str:
        series = self.series
        return "Money session" if isinstance(series, MoneySession) else f"Match to {series.length}"

    def _result_words(self, result: GameResult) -> str:
        return result_line(result, self._names)

    def _next_words(self) -> str:
        return f": {score_line(self._game.state, self._names)}"

    def _standing(self) -> str:
        series = self.series
        (name0, name1), (score0, score1) = self._names, series.scores
        score = f"{name0} {score0}, {name1} {score1}"
        if isinstance(series, MoneySession):
            return f"Score after {_games(len(series.games))}: {score}."
        if series.winner is not None:
            return f"The match is over: {self._names[series.winner]} has won it. {score}."
        return f"Score: {score}, to {series.length}."

    def _picture(self) -> list[Line]:
        state = self._game.state
        return game_picture(
            state,
            self._names,
            viewer=self._viewer(state),
            home=self._home,
            width=self._screen.width,
        )

    def _viewer(self, state: GameState) -> int:
        """Return who sits at the bottom: a person, and of two the one who acts."""
        if self.setting.net is not None:
            return 1 - self.setting.net
        return state.actor or 0


def _games(number: int) -> str:
    return "1 game" if number == 1 else f"{number} games"


def _why_automatic(before: GameState) -> str:
    return "" if before.legal_plays().is_dance else "  (the only play)"


def _as_steps(state: GameState, moves: Sequence[tuple[int, int]]) -> list[MakeStep] | None:
    """Return the steps, one die each, that make these moves; None if there are none."""
    if not moves:
        return []
    if state.stage is not Stage.PLAY:
        return None
    for step in sorted(state.legal_steps(), key=lambda step: step.die or 0):
        for i, (start, to) in enumerate(moves):
            if step.start != start or step.to < to:
                continue
            left = [*moves[:i], *moves[i + 1 :]]
            if step.to > to:
                left.append((step.to, to))
            following = _as_steps(state_after(state, step), left)
            if following is not None:
                return [step, *following]
    return None


_ANSWERS: dict[str, Action] = {
    "take": Take(),
    "drop": Drop(),
    "beaver": Beaver(),
    "raccoon": Raccoon(),
}
_ACTIONS: dict[str, type[Action]] = {
    "roll": Roll,
    "r": Roll,
    "double": Double,
    "d": Double,
    "take": Take,
    "t": Take,
    "drop": Drop,
    "beaver": Beaver,
    "raccoon": Raccoon,
    "accept": Accept,
    "refuse": Refuse,
}
_RESIGNATIONS = {
    "": WinKind.SINGLE,
    "single": WinKind.SINGLE,
    "1": WinKind.SINGLE,
    "gammon": WinKind.GAMMON,
    "g": WinKind.GAMMON,
    "2": WinKind.GAMMON,
    "backgammon": WinKind.BACKGAMMON,
    "bg": WinKind.BACKGAMMON,
    "3": WinKind.BACKGAMMON,
}
_STAGE_ACTIONS: dict[Stage, tuple[type[Action], ...]] = {
    Stage.OPENING: (Roll,),
    Stage.ROLL: (Roll, Double, Pass, Resign),
    Stage.ANSWER: (Take, Drop, Beaver, Raccoon),
    Stage.PLAY: (Resign,),
    Stage.RESIGNATION: (Accept, Refuse),
    Stage.OVER: (),
}
