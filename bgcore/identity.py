"""What tells one evaluator or policy from another, for files that are gone on with later."""

import hashlib
from typing import Any

import numpy as np

from bgcore.evaluators import NetEvaluator

__all__ = ["identity_of"]


def identity_of(thing: Any) -> str | None:
    """Return what identifies an evaluator or policy.

    Nets are told by their numbers, engines by what they say themselves (`identity`), other objects
    by the names of their classes, texts and None by themselves.
    """
    if thing is None or isinstance(thing, str):
        return thing
    if isinstance(thing, NetEvaluator):
        digest = hashlib.sha256()
        for name, array in sorted(thing.file.arrays.items()):
            digest.update(name.encode())
            digest.update(np.ascontiguousarray(array).tobytes())
        told = f"net {digest.hexdigest()}"
        told += f" {thing.plies}-ply" if thing.plies else ""
        return told if thing.use_tables else f"{told} without tables"
    kind = type(thing)
    own = None if isinstance(thing, type) else getattr(thing, "identity", None)
    return own if isinstance(own, str) else f"{kind.__module__}.{kind.__qualname__}"
