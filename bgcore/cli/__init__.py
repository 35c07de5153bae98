"""The command line: reads arguments, calls the library, prints.

Standard output holds the answer and nothing else, standard error one line if something is wrong,
and progress if it is a terminal. Exit status 0, 1 for a mistake in the input, 2 for wrong usage,
130 after Ctrl-C.

A new command is a function in one of the modules of commands and a line in `app`.
"""

from bgcore.cli.app import app
from bgcore.cli.running import main, run

__all__ = ["app", "main", "run"]
