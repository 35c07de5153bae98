"""What tells one evaluator, policy or table from another, for files that are gone on with later."""

import hashlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bgcore.evaluators import NetEvaluator
from bgcore.met import MatchEquityTable

__all__ = ["identity_of"]


def identity_of(thing: Any) -> str | None:
    """Return what identifies an evaluator, policy or match equity table.

    Nets and tables are told by their numbers, engines by what they say themselves (`identity`), other objects
    by the names of their classes, texts and None by themselves.
    """
    if thing is None or isinstance(thing, str):
        return thing
    if isinstance(thing, NetEvaluator):
        told = f"net {_digest(thing.file.arrays)}"
        told += f" {thing.plies}-ply" if thing.plies else ""
        return told if thing.use_tables else f"{told} without tables"
    if isinstance(thing, MatchEquityTable):
        return f"met {_digest({'before': thing.before, 'after': thing.after})}"
    kind = type(thing)
    own = None if isinstance(thing, type) else getattr(thing, "identity", None)
    return own if isinstance(own, str) else f"{kind.__module__}.{kind.__qualname__}"


def _digest(arrays: Mapping[str, NDArray[Any]]) -> str:
    digest = hashlib.sha256()
    for name, array in sorted(arrays.items()):
        digest.update(name.encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
