"""What a program says on each CPU level."""

import os
import subprocess
import sys

from bgcore._core import cpu_levels

__all__ = ["said_on_each_level"]


def said_on_each_level(code: str) -> list[str]:
    """Return what Python code prints on each level that this machine has, the slowest first.

    Where there is one level only, two processes of it are compared.
    """
    levels = cpu_levels()
    return [
        subprocess.run(
            [sys.executable, "-P", "-c", code],
            env={**os.environ, "BGCORE_CPU": level},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for level in (levels if len(levels) > 1 else 2 * levels)
    ]
