"""Playing in a terminal: reads what people type, shows the game, and plays for the net.

A `Session` reads lines by a function and writes to a stream, so it runs in a terminal, in a pipe
and in a test alike. It is saved after every action if it has a file.
"""

from bgcore.terminal.saved import Setting, load_session
from bgcore.terminal.session import Session
from bgcore.terminal.variant_board import variant_picture
from bgcore.terminal.variants import VariantSession, VariantSetting, load_variant_session

__all__ = [
    "Session",
    "Setting",
    "VariantSession",
    "VariantSetting",
    "load_session",
    "load_variant_session",
    "variant_picture",
]
