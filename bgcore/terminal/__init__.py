"""Playing in a terminal: reads what people type, shows the game, and plays for the net.

A `Session` reads lines by a function and writes to a stream, so it runs in a terminal, in a pipe
and in a test alike. It is saved after every action if it has a file.
"""

from bgcore.terminal.saved import Setting, load_session
from bgcore.terminal.session import Session

__all__ = ["Session", "Setting", "load_session"]
