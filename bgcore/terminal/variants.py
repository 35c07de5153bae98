"""Sessions of any rules at a table: two people, or a person against a simple player."""

import os
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self, TextIO

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
    Take,
)
from bgcore.checks import shown
from bgcore.errors import BgcoreError, IllegalPlayError, PlayError, RecordError
from bgcore.game_state import Stage
from bgcore.game_text import Line
from bgcore.json_records import load_json
from bgcore.terminal.table_session import TableSession
from bgcore.terminal.variant_board import score_words, side_words, variant_picture
from bgcore.variant_nets import variant_player_of
from bgcore.variants import (
    VARIANT_PLAYERS,
    Choose,
    Leave,
    LeavingPlayer,
    Stay,
    Step,
    TrictracRules,
    VariantEntry,
    VariantGame,
    VariantGameResult,
    VariantGameState,
    VariantMatch,
    VariantPlayer,
)
from bgcore.variants.actions import read_dice
from bgcore.variants.game_state import state_after_action, why_illegal_action
from bgcore.variants.plays import read_steps

__all__ = ["VariantSession", "VariantSetting", "load_variant_session"]

_ENTRY = "terminal"
_DICE = re.compile(r"[0-9](?: ?[-, ]? ?[0-9]){1,2}")

_HELP = """\
Plays are typed in the numbers of who plays, from 24 down to 1: 24/18 18/13,
hand/20, bar/20, 6/off, 24/18(2); or one step at a time.

  roll, r, Enter       roll the dice (Enter where there is no choice)
  1 to 6               name a doublet where you may
  stay, leave          after a hole of trictrac that your roll has won
  double, take, drop   the cube, where the rules have one
  resign [gammon]      resign a single game, a gammon or a backgammon
  accept, refuse       answer a resignation
  plays                all legal plays
  undo, u              back to your last decision; the dice stay the same
  redo                 forward again
  board, pips, score   show them
  moves                the game so far
  state                the position as a text for bgcore plays
  save FILE            keep the games in a file, from now on after each action
  quit, q              leave"""


@dataclass(frozen=True, slots=True)
class VariantSetting:
    """Who plays at a table and how the dice are thrown.

    Attributes
    ----------
    player : str or None
        The name of the player who is player 1, or the file of its net; None if both are people.
    seed : int or None
        Of the dice; None if people throw real dice and type them.
    """

    player: str | None
    seed: int | None

    @classmethod
    def from_dict(cls, document: object) -> Self:
        """Return what stands in a saved session.

        Raises
        ------
        RecordError
            It is no setting.
        """
        if not isinstance(document, Mapping) or set(document) != {"player", "seed"}:
            raise RecordError(f"the entry {_ENTRY!r} has the entries 'player' and 'seed'")
        player, seed = document["player"], document["seed"]
        is_known = player is None or (
            isinstance(player, str) and (player in VARIANT_PLAYERS or os.path.isfile(player))
        )
        if not is_known or (
            seed is not None and (type(seed) is not int or not 0 <= seed < 1 << 128)
        ):
            raise RecordError(f"the entry {_ENTRY!r} cannot be {shown(dict(document))}")
        return cls(player, seed)


def load_variant_session(
    path: str | os.PathLike[str],
) -> tuple[VariantMatch, VariantSetting]:
    """Return the games of a file that a `VariantSession` saved, and their setting.

    Raises
    ------
    RecordError
        The file is no such session.
    OSError
        The file cannot be read.
    """
    document = load_json(path, "saved game")
    if not isinstance(document, Mapping) or _ENTRY not in document:
        raise RecordError(f"{os.fspath(path)!r} is no game saved from a terminal")
    setting = VariantSetting.from_dict(document[_ENTRY])
    return VariantMatch.from_dict(document, dice=setting.seed), setting


def _player(setting: VariantSetting, match: VariantMatch) -> VariantPlayer | None:
    return None if setting.player is None else variant_player_of(setting.player, match.order)


class VariantSession(TableSession):
    """Games of any rules in a terminal.

    Parameters
    ----------
    match : VariantMatch
        With dice of its own unless the setting says that they are typed.
    setting : VariantSetting
    read : callable
        Shows a prompt and returns the next line that is typed; EOFError at the end.
    out : text stream
    path : path, optional
        The file in which the games are kept.
    home, color, auto
        See `bgcore.terminal.Session`.
    """

    _HELP = _HELP

    def __init__(
        self,
        match: VariantMatch,
        setting: VariantSetting,
        *,
        read: Callable[[str], str],
        out: TextIO,
        path: str | os.PathLike[str] | None = None,
        home: str = "right",
        color: bool | None = None,
        auto: bool = True,
    ) -> None:
        super().__init__(match, setting.seed, read=read, out=out, path=path, home=home, color=color)
        self.match = match
        self.setting = setting
        self._auto = auto
        self._player = None if setting.player is None else _player(setting, match)
        self._file.write(self._document())

    # -- the course of a session --

    @property
    def _game(self) -> VariantGame:
        return self.match.game

    def _is_person(self, player: int | None) -> bool:
        return player is not None and (self._player is None or player == 0)

    def _action_without_asking(self, state: VariantGameState) -> Action | None:
        """Return what a player or nobody's will does now; None if a person must type something."""
        if state.stage in (Stage.OPENING, Stage.ROLL):
            is_free = self._auto and not self._may_double(state)
            asks = self._are_dice_typed or (self._is_person(state.actor) and not is_free)
            return None if asks else Roll()
        if self._is_person(state.actor):
            return self._only_play(state)
        return self._action_of_player(state)

    def _may_double(self, state: VariantGameState) -> bool:
        return not why_illegal_action(state, Double())

    def _only_play(self, state: VariantGameState) -> Action | None:
        if state.stage is not Stage.PLAY or not self._auto:
            return None
        plays = state.legal_plays()
        return MakePlay(str(plays[0])) if len(plays) == 1 else None

    def _action_of_player(self, state: VariantGameState) -> Action:
        if state.stage is Stage.ANSWER:
            return Take()
        if state.stage is Stage.RESIGNATION:
            return Accept()
        if self._player is None:
            raise TypeError(state.stage)
        # the same choices again after an undo
        number = f"{self.setting.seed} {len(self.match.games)} {len(self._game.history)}"
        chance = random.Random(number).random()
        if state.stage is Stage.LEAVE:
            player = self._player
            leaves = isinstance(player, LeavingPlayer) and player.choose_leave(
                state.rules, state.state, state.turn, chance
            )
            return Leave() if leaves else Stay()
        if state.stage is Stage.CHOOSE:
            doublet = self._player.choose_doublet(state.rules, state.state, state.turn, chance)
            return Choose(doublet)
        plays = state.legal_plays()
        index = 0
        if len(plays) > 1:
            index = self._player.choose_play(state.rules, state.state, state.turn, plays, chance)
        return MakePlay(str(plays[index]))

    def _do(self, action: Action, *, unasked: bool = False) -> None:
        after = self._game.do(action)
        self._changed()
        for line in _action_lines(self._game.history[-1], after, self._names):
            self._screen.say(line)

    def _document(self) -> dict[str, Any]:
        return self.match.to_dict() | {_ENTRY: asdict(self.setting)}

    # -- people --

    def _prompt(self, state: VariantGameState) -> str:
        count = 2 if state.stage is Stage.OPENING else state.rules.dice
        example = "31" if count == 2 else "315"
        dice = f"dice, such as {example}" if self._are_dice_typed else "Enter to roll"
        if state.actor is None:
            return f"opening roll, {self._names[0]} first ({dice})> "
        name = self._names[state.actor]
        if state.stage is Stage.PLAY:
            numbers = " ".join(map(str, state.numbers))
            if _is_dance(state):
                return f"{name}, {numbers}: no play (Enter)> "
            return f"{name}, {'left ' if state.steps else ''}{numbers}> "
        if state.stage is Stage.CHOOSE:
            return f"{name}, which doublet, 1 to 6?> "
        if state.stage is Stage.LEAVE:
            return f"{name}, stay or leave> "
        if state.stage is Stage.ANSWER:
            return f"{name}, take or drop> "
        if state.stage is Stage.RESIGNATION:
            return f"{name}, accept or refuse> "
        return f"{name} ({dice}{' or double' if self._may_double(state) else ''})> "

    def _obey_word(self, word: str, rest: str, line: str) -> None:
        state = self._game.state
        if not line:
            self._empty_line(state)
        elif word == "resign":
            kind = _RESIGNATIONS.get(rest.lower())
            if kind is None:
                self._screen.say("you can resign a single game, a gammon or a backgammon")
            else:
                self._act(Resign(kind))
        elif word == "pass" and _is_dance(state):
            self._empty_line(state)
        elif word in _ACTIONS and not rest:
            self._act(_ACTIONS[word]())
        elif state.stage is Stage.CHOOSE and line in ("1", "2", "3", "4", "5", "6"):
            self._act(Choose(int(line)))
        elif state.stage in (Stage.OPENING, Stage.ROLL) and _DICE.fullmatch(line):
            self._typed_dice(line)
        elif state.stage is Stage.PLAY and re.search(r"[0-9]", line):
            self._play(line)
        else:
            self._screen.say(f"{line!r} is not understood now; help tells what can be typed.")

    def _empty_line(self, state: VariantGameState) -> None:
        is_roll = state.stage in (Stage.OPENING, Stage.ROLL) and not self._are_dice_typed
        if is_roll and not self._may_double(state):
            self._do(Roll())
        elif _is_dance(state):
            self._do(MakePlay("(no play)"))
        else:
            self._screen.say("Something must be chosen here; help tells what can be typed.")

    def _typed_dice(self, line: str) -> None:
        if not self._are_dice_typed:
            self._screen.say("the dice are thrown here: type roll")
            return
        try:
            self._do(read_dice(line))
        except BgcoreError as error:
            self._screen.say(str(error))

    def _act(self, action: Action) -> None:
        """Do an action that was typed, or say why it is not possible."""
        if isinstance(action, Roll) and self._are_dice_typed:
            self._screen.say("Type what was thrown, such as 31.")
            return
        try:
            self._do(action)
        except BgcoreError as error:
            self._screen.say(str(error))

    def _play(self, text: str) -> None:
        try:
            self._do(MakePlay(text))
            return
        except IllegalPlayError as error:
            reason = str(error)
        except PlayError as error:
            self._screen.say(str(error))
            return
        # perhaps the first steps of a play
        state = self._game.state
        steps = [MakeStep(start, end) for start, end in read_steps(text)]
        for step in steps:
            try:
                state = state_after_action(state, step)
            except BgcoreError:
                self._screen.say(reason)
                return
        for step in steps:
            self._do(step)

    # -- commands --

    def _commands(self) -> Mapping[str, Callable[[str], None]]:
        return {**super()._commands(), "pips": self._pips, "state": self._state}

    def _is_decision(self, number: int) -> bool:
        """Tell whether an action of the game was typed by a person."""
        entry = self._game.history[number]
        before = entry.before
        if before.stage in (Stage.OPENING, Stage.ROLL) and not isinstance(
            entry.action, (Double, Resign)
        ):
            if self._are_dice_typed:
                return True
            is_asked = not self._auto or self._may_double(before)
            return self._is_person(before.actor) and is_asked
        return self._is_person(before.actor) and self._only_play(before) is None

    def _play_texts(self) -> list[str] | None:
        if self._game.stage is not Stage.PLAY:
            return None
        return [str(play) for play in self._game.legal_plays()]

    def _pips(self, rest: str) -> None:
        for player in (0, 1):
            side = self._game.state.side(player)
            self._screen.say(f"{self._names[player]}: {side_words(side)}")

    def _history_lines(self) -> list[str]:
        history = self._game.history
        lines = []
        for i, entry in enumerate(history):
            after = history[i + 1].before if i + 1 < len(history) else self._game.state
            lines += _action_lines(entry, after, self._names)
        return lines

    def _state(self, rest: str) -> None:
        self._screen.say(str(self._game.board), wrap=False)

    # -- what the games say --

    def _kind(self) -> str:
        match = self.match
        games = ", ".join(dict.fromkeys(rules.name for rules in match.order))
        return f"{f'Match to {match.length}' if match.length else 'Games'} of {games}"

    def _result_words(self, result: VariantGameResult) -> str:
        return _result_line(result, self._names)

    def _next_words(self) -> str:
        return f", {self._game.rules.name}. {self._standing()}"

    def _standing(self) -> str:
        match = self.match
        (name0, name1), (score0, score1) = self._names, match.scores
        score = f"{name0} {score0}, {name1} {score1}"
        if match.winner is not None:
            return f"The match is over: {self._names[match.winner]} has won it. {score}."
        return f"Score: {score}" + (f", to {match.length}." if match.length else ".")

    def _picture(self) -> list[Line]:
        state = self._game.state
        viewer = 0 if self._player is not None else state.actor or 0
        return variant_picture(state, self._names, viewer=viewer, home=self._home)


def _is_dance(state: VariantGameState) -> bool:
    return state.stage is Stage.PLAY and not state.legal_plays()[0].steps


def _action_lines(
    entry: VariantEntry, after: VariantGameState, names: tuple[str, str]
) -> list[str]:
    """Return what tells an action, and in trictrac what it was worth."""
    lines = [_action_line(entry, after, names)]
    before, rules = entry.before, entry.before.rules
    mover = before.on_roll if before.on_roll is not None else after.on_roll
    if isinstance(rules, TrictracRules) and mover is not None:
        if isinstance(entry.action, Roll) and entry.action.dice is not None:
            turn = rules.rolled(before.state, before.turn, entry.action.dice)
            lines += [f"{names[mover]}: {jan}" for jan in turn.jans if not jan.is_opponents]
            lines += [f"{names[1 - mover]}: {jan}" for jan in turn.jans if jan.is_opponents]
        scores = [score_words(after.side(player)) for player in (0, 1)]
        if scores != [score_words(before.side(player)) for player in (0, 1)]:
            lines.append("; ".join(f"{names[player]} {scores[player]}" for player in (0, 1)))
    return [line for line in lines if line]


def _action_line(entry: VariantEntry, after: VariantGameState, names: tuple[str, str]) -> str:
    """Return one line that tells an action; empty for a roll that a play will tell."""
    before, action = entry.before, entry.action
    if before.stage is Stage.OPENING and isinstance(action, Roll):
        die0, die1 = action.dice or (0, 0)
        then = "again" if after.on_roll is None else f"first: {names[after.on_roll]}"
        return f"opening roll: {names[0]} {die0}, {names[1]} {die1}; {then}"
    if before.actor is None or str(action).startswith("roll"):
        return ""
    name = names[before.actor]
    if isinstance(action, MakePlay):
        return f"{name}: {'-'.join(map(str, before.numbers))} {action.play}"
    if isinstance(action, MakeStep):
        step = Step(action.start, action.to, action.die or 0)
        return f"{name}: {'-'.join(map(str, before.numbers))} {step}"
    if isinstance(action, Choose):
        return f"{name} names {action.number}-{action.number}"
    return f"{name}: {action}"


def _result_line(result: VariantGameResult, names: tuple[str, str]) -> str:
    """Return who won a game and how many points."""
    if result.winner is None:
        return "The game is a draw."
    points = "1 point" if result.points == 1 else f"{result.points} points"
    how = "" if result.ending == "played" else f" ({result.ending})"
    return f"{points} for {names[result.winner]}{how}"


_ACTIONS: dict[str, type[Action]] = {
    "roll": Roll,
    "r": Roll,
    "double": Double,
    "d": Double,
    "take": Take,
    "t": Take,
    "drop": Drop,
    "pass": Drop,
    "accept": Accept,
    "refuse": Refuse,
    "stay": Stay,
    "leave": Leave,
}
_RESIGNATIONS = {"": 1, "single": 1, "1": 1, "gammon": 2, "2": 2, "backgammon": 3, "3": 3}
