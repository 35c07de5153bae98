"""The sums of single blocks of a rollout, kept on request."""

from collections.abc import Sequence
from typing import Self

import numpy as np
from numpy.typing import NDArray

from bgcore.errors import RolloutError

__all__ = ["BlockRecords"]

_Numbers = NDArray[np.int64]


class BlockRecords:
    """The sums of whole blocks of trials, by candidate and value.

    Parameters
    ----------
    n_candidates, n_values : int

    Attributes
    ----------
    numbers : (K,) int64 array
        Which blocks there are, in order: block b holds the trials from b times its size.
    sums : (K, N, V) int64 array
        Unit 2**-30; 0 where a candidate did not play the block.
    played : (K, N) bool array
        Who played which block.
    """

    def __init__(self, n_candidates: int, n_values: int) -> None:
        self.numbers: _Numbers = np.empty(0, np.int64)
        self.sums: _Numbers = np.empty((0, n_candidates, n_values), np.int64)
        self.played: NDArray[np.bool_] = np.empty((0, n_candidates), np.bool_)

    @classmethod
    def of_arrays(cls, numbers: _Numbers, sums: _Numbers, played: NDArray[np.bool_]) -> Self:
        """Return the records of the three arrays.

        Raises
        ------
        RolloutError
            They do not fit together.
        """
        if (
            sums.ndim != 3
            or (numbers.shape, played.shape) != (sums.shape[:1], sums.shape[:2])
            or numbers.dtype != np.int64
            or sums.dtype != np.int64
            or played.dtype != np.bool_
            or (np.diff(numbers) <= 0).any()
            or (len(numbers) and numbers[0] < 0)
        ):
            raise RolloutError("these are no records of the blocks of a rollout")
        records = cls(sums.shape[1], sums.shape[2])
        records.numbers, records.sums, records.played = numbers, sums, played
        return records

    def add(self, first: int, sums: _Numbers, members: Sequence[int]) -> None:
        """Add blocks from number `first` on: (B, M, V) sums of the members."""
        self._enter(np.arange(first, first + len(sums)), sums, members)

    def merge(self, other: "BlockRecords") -> None:
        """Add the blocks of other records of the same candidates."""
        for member in range(self.played.shape[1]):
            theirs = other.played[:, member]
            self._enter(other.numbers[theirs], other.sums[theirs][:, [member]], [member])

    def _enter(self, numbers: _Numbers, sums: _Numbers, members: Sequence[int]) -> None:
        places = np.searchsorted(self.numbers, numbers)
        new = places == np.searchsorted(self.numbers, numbers, side="right")
        if new.any():
            # a long rollout has many blocks, and adds a few at a time
            self.numbers = np.insert(self.numbers, places[new], numbers[new])
            self.sums = np.insert(self.sums, places[new], 0, axis=0)
            self.played = np.insert(self.played, places[new], False, axis=0)
        places = np.searchsorted(self.numbers, numbers)[:, None]
        self.sums[places, members] = sums
        self.played[places, members] = True

    def common(self, candidate: int, other: int, end: int | None) -> NDArray[np.bool_]:
        """Tell which blocks, of the first `end`, both candidates played."""
        both: NDArray[np.bool_] = self.played[:, candidate] & self.played[:, other]
        if end is not None:
            both &= self.numbers < end
        return both

    def total(self, candidate: int, end: int) -> int:
        """Return a candidate's sum of the last value over the first `end` blocks."""
        here = self.played[:, candidate] & (self.numbers < end)
        return int(self.sums[here, candidate, -1].astype(object).sum())
