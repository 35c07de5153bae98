"""What was wrong with a file, or could not be said in it: a list, and an error in strict mode."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from bgcore.errors import FileFormatError

__all__ = ["Problem", "ProblemKind", "Report"]

ProblemKind = Literal["illegal", "unread", "score", "lost", "assumed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One thing that was wrong, lost or taken for granted.

    Attributes
    ----------
    kind : {"illegal", "unread", "score", "lost", "assumed"}
        A play or action that the rules forbid; text that says nothing known; a result or score
        that does not follow from the games; something that the match, or the file, cannot hold;
        something that the file does not tell, and what was taken for it.
    text : str
        What, and what was done about it.
    file : str
        Empty if it has no name.
    match : int
        Its number in the file, from 1; 0 if it is about none.
    game : int
        Its number as the file has it; 0 if it is about none.
    move : int
        The number of the move as the file has it (of the action in the game where the file has
        no numbers); 0 if it is about none.
    line : int
        Of the file, from 1; 0 if the file has no lines.
    """

    kind: ProblemKind
    text: str
    file: str = ""
    match: int = 0
    game: int = 0
    move: int = 0
    line: int = 0

    @property
    def is_fault(self) -> bool:
        """Whether the file is at fault: the kinds "illegal", "unread" and "score"."""
        return self.kind in ("illegal", "unread", "score")

    def __str__(self) -> str:
        places = [
            self.file,
            *(
                f"{name} {number}"
                for name, number in (
                    ("line", self.line),
                    ("match", self.match),
                    ("game", self.game),
                    ("move", self.move),
                )
                if number
            ),
        ]
        place = ", ".join(part for part in places if part)
        return f"{place}: {self.text}" if place else self.text


class Report:
    """Takes problems as they are found, each with the place that was set last.

    Parameters
    ----------
    file : str
    on_problem : callable
        Called with every `Problem`.
    strict : bool
        Raise instead: `raises` tells for which kinds.
    raises : set of str, optional
        "illegal", "unread" and "score" if not given.
    """

    def __init__(
        self,
        file: str,
        on_problem: Callable[[Problem], None],
        strict: bool = False,
        raises: frozenset[str] = frozenset(("illegal", "unread", "score")),
    ) -> None:
        self.file = file
        self.match = 0
        self.game = 0
        self._on_problem = on_problem
        self._raises = raises if strict else frozenset()
        self._held: list[Problem] | None = None

    def hold(self) -> None:
        """Keep problems back until `release`."""
        self._held = []

    def forget(self) -> None:
        """Drop what was kept back."""
        self._held = []

    def release(self) -> None:
        """Report what was kept back.

        Raises
        ------
        FileFormatError
            In strict mode.
        """
        held, self._held = self._held or [], None
        for problem in held:
            self._give(problem)

    def note(self, kind: ProblemKind, text: str, *, line: int = 0, move: int = 0) -> None:
        """Report one problem.

        Raises
        ------
        FileFormatError
            In strict mode.
        """
        problem = Problem(
            kind=kind,
            text=text,
            file=self.file,
            match=self.match,
            game=self.game,
            move=move,
            line=line,
        )
        if self._held is None:
            self._give(problem)
        else:
            self._held.append(problem)

    def _give(self, problem: Problem) -> None:
        if problem.kind in self._raises:
            raise FileFormatError(str(problem))
        self._on_problem(problem)
