"""What a session shows: lines of text and pictures, with colours where they are wanted."""

import os
import shutil
import textwrap
from collections.abc import Iterable
from typing import TextIO

from rich.console import Console
from rich.text import Text

from bgcore.game_text import Line

__all__ = ["Screen"]

_WIDTH = 80
_LEAST_WIDTH = 20
_STYLES = {
    "": "",
    "frame": "dim",
    "number": "",
    "player0": "bold cyan",
    "player1": "bold red",
    "cube": "bold yellow",
    "strong": "bold",
    "quiet": "dim",
}


class Screen:
    """A stream that text and pictures go to.

    Parameters
    ----------
    out : text stream
    color : bool, optional
        Whether to use colours; where the terminal has them, and NO_COLOR is not set, if not given.
    """

    def __init__(self, out: TextIO, color: bool | None = None) -> None:
        if color is None and os.environ.get("NO_COLOR"):
            color = False
        self._console = Console(
            file=out,
            force_terminal=True if color else None,
            color_system=None if color is False else "auto",
            highlight=False,
            markup=False,
            emoji=False,
        )

    @property
    def width(self) -> int:
        """Columns of the terminal as it is now; 80 where there is none."""
        return shutil.get_terminal_size((_WIDTH, 24)).columns

    def say(self, text: str, *, style: str = "", wrap: bool = True) -> None:
        """Show a line, or several if it is too long for the terminal.

        Parameters
        ----------
        text : str
            What a terminal may not show, or could obey, is shown as an escape.
        style : str, default ""
            A style of rich.
        wrap : bool, default True
            False leaves a long line whole, to be copied.
        """
        text = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
        width = max(self.width, _LEAST_WIDTH)
        if wrap and len(text) > width:
            text = "\n".join(textwrap.wrap(text, width, break_long_words=False))
        self._console.print(Text(text, style=style), soft_wrap=True)

    def show(self, lines: Iterable[Line]) -> None:
        """Show a picture."""
        for line in lines:
            text = Text.assemble(*((span.text, _STYLES[span.role]) for span in line))
            self._console.print(text, soft_wrap=True)
