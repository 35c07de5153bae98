"""What a program says on each CPU level."""

import os
import subprocess
import sys

__all__ = ["said_on_both_levels"]


def said_on_both_levels(code: str) -> list[str]:
    """Return what Python code prints on the best level here and on the baseline."""
    return [
        subprocess.run(
            [sys.executable, "-P", "-c", code],
            env={**os.environ, "BGCORE_CPU": level},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for level in ("", "baseline")
    ]
