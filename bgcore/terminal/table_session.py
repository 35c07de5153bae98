"""What sessions of all games share: the loop, lines that are typed, undo, the file."""

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TextIO

from bgcore.actions import Action
from bgcore.errors import RecordError
from bgcore.game_series import GameSeries
from bgcore.game_text import Line
from bgcore.terminal.screen import Screen
from bgcore.terminal.session_file import SessionFile

__all__ = ["TableSession"]

_LONGEST_LINE = 1000


class _Quit(Exception):
    """A person wants to leave."""


class TableSession(ABC):
    """Games in a row at a table; the base of `Session` and `VariantSession`.

    Parameters
    ----------
    series : GameSeries
        With dice of its own unless they are typed.
    seed : int or None
        Of the dice; None if people throw real dice and type them.
    read : callable
        Shows a prompt and returns the next line that is typed; EOFError at the end.
    out : text stream
    path : path or None
        The file in which the session is kept.
    home : {"right", "left"}
    color : bool or None
    """

    #: What `help` shows.
    _HELP: ClassVar[str]

    def __init__(
        self,
        series: GameSeries[Any],
        seed: int | None,
        *,
        read: Callable[[str], str],
        out: TextIO,
        path: str | os.PathLike[str] | None,
        home: str,
        color: bool | None,
    ) -> None:
        self._series = series
        self._are_dice_typed = seed is None
        self._dice_words = "you throw the dice" if seed is None else f"dice of seed {seed}"
        self._read = read
        self._screen = Screen(out, color)
        self._file = SessionFile(path)
        self._home = home
        self._is_shown = False

    @property
    def _names(self) -> tuple[str, str]:
        return self._series.names

    # -- what the games say --

    @abstractmethod
    def _document(self) -> dict[str, Any]:
        """Return what stands in the file."""

    @abstractmethod
    def _kind(self) -> str:
        """Return what is played, such as "Match to 7"."""

    @abstractmethod
    def _standing(self) -> str:
        """Return the score in a sentence."""

    @abstractmethod
    def _next_words(self) -> str:
        """Return what is said about a game that begins, behind its number."""

    @abstractmethod
    def _result_words(self, result: Any) -> str:
        """Return who won a game and how much."""

    @abstractmethod
    def _history_lines(self) -> Sequence[str]:
        """Return the game so far."""

    @abstractmethod
    def _play_texts(self) -> Sequence[str] | None:
        """Return the legal plays; None while there is nothing to be played."""

    @abstractmethod
    def _picture(self) -> list[Line]:
        """Return the board."""

    @abstractmethod
    def _action_without_asking(self, state: Any) -> Action | None:
        """Return what is done now without a person; None if one must type something."""

    @abstractmethod
    def _do(self, action: Action, *, unasked: bool = False) -> None:
        """Do an action, save, and say what was done."""

    @abstractmethod
    def _is_decision(self, number: int) -> bool:
        """Tell whether action `number` of the game was typed by a person."""

    @abstractmethod
    def _prompt(self, state: Any) -> str:
        """Return what stands before the line that is to be typed."""

    @abstractmethod
    def _obey_word(self, word: str, rest: str, line: str) -> None:
        """Do what a line in the middle of a game says that is no command for all times."""

    def _commands(self) -> Mapping[str, Callable[[str], None]]:
        """Return what each word does at any time."""
        return {
            "plays": self._list_plays,
            "undo": self._undo,
            "u": self._undo,
            "redo": self._redo,
            "board": self._board,
            "score": self._score,
            "moves": self._moves,
            "save": self._save_as,
            "help": self._help,
            "?": self._help,
            "quit": self._quit,
            "q": self._quit,
        }

    # -- the course of a session --

    def run(self) -> None:
        """Play until the match is over or nobody goes on.

        Raises
        ------
        KeyboardInterrupt
            Ctrl-C; everything is saved.
        """
        self._greet()
        try:
            while self._go_on():
                pass
        except _Quit:
            self._say_farewell()
        except EOFError:
            self._screen.say("")
            self._say_farewell()
        except KeyboardInterrupt:
            self._screen.say("")
            self._say_farewell()
            raise

    def _go_on(self) -> bool:
        """Do the next thing; tell whether there is more to do."""
        game = self._series.game
        if game.is_over:
            self._tell_end()
            if self._series.is_over:
                return False
            self._between_games()
        elif (action := self._action_without_asking(game.state)) is not None:
            self._do(action, unasked=True)
        else:
            if not self._is_shown:
                self._show_board()
            self._obey(self._read_line(self._prompt(game.state)))
        return True

    def _read_line(self, prompt: str) -> str:
        try:
            line = self._read(prompt)
        except UnicodeDecodeError:
            return "?"
        return " ".join(line.split())

    def _obey(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        word = word.lower()
        commands = self._commands()
        if len(line) > _LONGEST_LINE:
            self._screen.say(f"This line has {len(line):,} signs; nothing needs so many.")
        elif word in commands:
            commands[word](rest)
        else:
            self._obey_word(word, rest, line)

    def _tell_end(self) -> None:
        if not self._is_shown:
            self._show_board()
            if (result := self._series.game.result) is not None:
                self._screen.say(self._result_words(result), style="bold")
            self._screen.say(self._standing(), style="bold")

    def _between_games(self) -> None:
        word, _, rest = self._read_line("Enter for the next game, undo, or quit> ").partition(" ")
        word = word.lower()
        commands = self._commands()
        if word in ("", "next", "n", "roll", "r"):
            self._series.next_game()
            self._changed()
            number = len(self._series.games)
            self._screen.say(f"Game {number}{self._next_words()}", style="bold")
        elif word in commands:
            commands[word](rest)
        else:
            self._screen.say(
                "The game is over. Enter begins the next one; undo takes back; quit leaves."
            )

    # -- commands --

    def _undo(self, rest: str) -> None:
        game = self._series.game
        decisions = [i for i in range(len(game.history)) if self._is_decision(i)]
        if not decisions:
            self._screen.say("there is nothing to take back in this game")
            return
        while len(game.history) > decisions[-1]:
            game.undo()
        self._changed()

    def _redo(self, rest: str) -> None:
        game = self._series.game
        if not game.can_redo:
            self._screen.say("there is nothing to do again")
            return
        game.redo()
        while game.can_redo:
            game.redo()
            if self._is_decision(len(game.history) - 1):
                game.undo()
                break
        self._changed()

    def _list_plays(self, rest: str) -> None:
        texts = self._play_texts()
        if texts is None:
            self._screen.say("no dice are rolled: there is nothing to be played")
            return
        cell = max(len(text) for text in texts) + 2
        columns = max(1, self._screen.width // cell)
        for start in range(0, len(texts), columns):
            self._screen.say("".join(f"{text:<{cell}}" for text in texts[start : start + columns]))

    def _board(self, rest: str) -> None:
        self._show_board()

    def _score(self, rest: str) -> None:
        self._screen.say(self._standing())

    def _moves(self, rest: str) -> None:
        for line in self._history_lines() or ["nothing was played yet"]:
            self._screen.say(line)

    def _help(self, rest: str) -> None:
        for line in self._HELP.splitlines():
            self._screen.say(line)

    def _quit(self, rest: str) -> None:
        raise _Quit

    # -- the file --

    def _save_as(self, rest: str) -> None:
        self._screen.say(self._file.save_as(rest, self._document()))

    def _save(self) -> bool:
        """Save the session if it has a file; tell whether it is saved."""
        if self._file.path is None:
            return False
        try:
            self._file.write(self._document())
        except (OSError, RecordError) as error:
            self._screen.say(
                f"This could not be saved: {error}. The command save FILE keeps it in another file.",
                style="bold red",
            )
            return False
        return True

    def _changed(self) -> None:
        self._save()
        self._is_shown = False

    # -- the screen --

    def _greet(self) -> None:
        name0, name1 = self._names
        self._screen.say(
            f"{self._kind()}, {name0} (X) against {name1} (O); {self._dice_words}."
            " Type help for help.",
            style="bold",
        )
        games = self._series.games
        if self._series.game.history or len(games) > 1:
            self._screen.say(f"Going on with game {len(games)}.")

    def _say_farewell(self) -> None:
        if self._save():
            self._screen.say(f"Saved in {self._file.path}: the same command goes on from here.")
        elif self._file.path is None:
            self._screen.say("Not saved; --file FILE or the command save FILE keeps a game.")

    def _show_board(self) -> None:
        self._screen.say("")
        self._screen.show(self._picture())
        self._is_shown = True
