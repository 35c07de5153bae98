"""Sums of the trials of a rollout: exact whole numbers that can be added, merged and divided.

A block is 36 trials (30 of an opening roll) from a multiple of 36: the unit that is played,
stored and merged. What is kept are sums over blocks of whole numbers, and the values of the first
36 blocks, so no order and no split of the work changes a bit, and the memory does not grow with
the number of trials. On request the sums of every single block are kept too
(`bgcore.block_records`); only then may candidates have played different trials.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import nan, sqrt
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from bgcore._core.cubeful import ENDS, LEVELS
from bgcore._core.dice import DiceStream
from bgcore.block_records import BlockRecords
from bgcore.errors import RolloutError

__all__ = ["CUBE_OUTPUTS", "OUTPUTS", "BlockTotals", "block_of"]

#: Names of the six values of a trial, in their order.
OUTPUTS = (
    "win",
    "win_gammon",
    "win_backgammon",
    "lose_gammon",
    "lose_backgammon",
    "equity_cubeless",
)
#: The same of a trial with a cube, whose utility (`bgcore.cube_rows`) is what counts.
CUBE_OUTPUTS = (*OUTPUTS, "utility")

_SET = 36  # blocks that together show every pair of rolls at any two of the first plies
_ARRAY_PLIES = 4  # those plies
_ROLLS = 21
_UNIT = 2.0**-30
_LEAST = 0.25  # of the variance between blocks that is never taken off

#: Exact whole numbers in an array of Python ints.
_Ints = NDArray[np.object_]
_Floats = NDArray[np.float64]


def block_of(dice: DiceStream) -> int:
    """Return the number of trials of a block."""
    return 30 if dice.opening else 36


def _zeros(shape: tuple[int, ...]) -> _Ints:
    return np.full(shape, 0, dtype=object)


#: The attributes that are exact sums.
_SUMS = (
    "sums",
    "squares",
    "plies",
    "block_sums",
    "block_squares",
    "block_products",
    "roll_sums",
    "roll_counts",
)
#: The ordered rolls 1-1, 1-2, ..., 6-6.
_ORDERED_ROLLS = 36

_Range = tuple[int, int]


def _texts(numbers: _Ints) -> Any:
    if numbers.ndim == 1:
        return [str(number) for number in numbers]
    return [_texts(row) for row in numbers]


def _whole_numbers(texts: Any) -> _Ints:
    array = np.array(texts, dtype=object)
    whole = np.empty(array.shape, dtype=object)
    for place, text in np.ndenumerate(array):
        if not isinstance(text, str):
            raise TypeError(f"{text!r} is no text of a whole number")
        whole[place] = int(text)
    return whole


class BlockTotals:
    """Totals of the trials of some candidates that were played with the same dice.

    Parameters
    ----------
    n_candidates : int
    dice : DiceStream
        The dice of the trials.
    exhaustible : bool, default True
        Whether nothing but the dice differs between trials. Only then does a design that shows
        every sequence of rolls leave no error.
    outputs : tuple of str, default OUTPUTS
        The values of a trial; the last one is what candidates are compared by, the equity for
        short. With CUBE_OUTPUTS `add` gets the ends of the trials too.
    keep_blocks : bool, default False
        Keep the sums of every block in `records`: 8 bytes for each value, candidate and block.

    Notes
    -----
    **Standard errors.** With plain dice: sqrt(s2 / n), s2 the variance of single trials.

    With stratified dice (`bgcore.dice.DiceStream`) trials are no independent draws. The 36 trials
    of a block show every roll once at every ply, so what the roll of a ply does by itself is in
    every block's mean alike: the blocks are the replicates. A set of 36 blocks shows every pair
    of rolls at any two of the first four plies, so what two rolls do together (hit, and then the
    other side dances) differs between blocks but not between sets; as an error of the mean it
    must not be counted. Let B be the trials of a block, m the number of whole blocks, r = m % 36,
    q the trials outside whole blocks, n = m B + q, and S a block's sum of one value. The variance
    of the sum of all trials is estimated as

    * m < 2: n s2;
    * 2 <= m < 36: m s2_blocks + q s2, with s2_blocks the variance of S over the blocks;
    * m >= 36: m s2_blocks - (m - r (1 - r / 36)) B s2_pairs + q s2, but the first two terms
      together are at least a quarter of m s2_blocks.

    and the standard error is its root over n. s2_pairs is the variance of a trial that comes from
    the joint effect of two of the first four rolls, summed over the six pairs of plies. It is
    estimated from the trials of the first 36 blocks: the effects of the four single rolls are
    taken off their values; trials with the same two rolls at plies p and q (the order of the dice
    does not matter, so a pair of non-doubles comes four times) are replicates, and the mean
    product of two of them estimates the variance of the joint effect. Products with effects taken
    off are a little too small, by the variance of the rest over the number of trials of each
    roll, which is put back. The r blocks beyond whole sets have the share r (1 - r / 36) of the
    joint effects left, as a sample without replacement.

    All sequences of rolls played: the error is 0. So it is if no trial took more than one ply and
    q = 0, more than two and m is a multiple of 36, more than three and m is a multiple of 36**2,
    more than four and m is a multiple of 36**3. One trial alone has no error estimate: NaN.

    The standard error of the difference of two candidates' equities is the same formula for the
    differences of the trials, which share their dice (with plain dice: m s2_blocks + q s2). Where
    it needs s2, the two variances are added: no credit is taken for the shared dice there.
    """

    def __init__(
        self,
        n_candidates: int,
        dice: DiceStream,
        *,
        exhaustible: bool = True,
        outputs: tuple[str, ...] = OUTPUTS,
        keep_blocks: bool = False,
    ) -> None:
        shape = (n_candidates, len(outputs))
        self.outputs = outputs
        self.n_candidates = n_candidates
        self.dice = dice
        self.exhaustible = exhaustible
        self.block = block_of(dice)
        #: Of each candidate the trials that are in: (first, end) pairs in order, none touching
        #: the next.
        self.ranges_of: list[list[_Range]] = [[] for _ in range(n_candidates)]
        #: Over all trials: sums and sums of squares, unit 2**-30 and 2**-60; plies.
        self.sums = _zeros(shape)
        self.squares = _zeros(shape)
        self.plies = _zeros((n_candidates,))
        self.longest = np.zeros(n_candidates, np.int64)
        #: With a cube: how many trials ended in which way, by value of the cube.
        self.ends = _zeros((n_candidates, LEVELS, ENDS) if outputs == CUBE_OUTPUTS else (0,))
        #: Over whole blocks: their number, the sums, the squares of the blocks' sums, and the
        #: products of two candidates' equities; the products are 0 if the blocks are kept.
        self.blocks = _zeros((n_candidates,))
        self.block_sums = _zeros(shape)
        self.block_squares = _zeros(shape)
        self.block_products = _zeros((n_candidates, n_candidates))
        #: The sums of single blocks, if they are kept.
        self.records = BlockRecords(*shape) if keep_blocks else None
        #: Sums of the equity by the first roll, ordered 1-1, 1-2, ..., 6-6, and trials.
        self.roll_sums = _zeros((n_candidates, _ORDERED_ROLLS))
        self.roll_counts = _zeros((n_candidates, _ORDERED_ROLLS))
        #: Values of the trials of the first set of blocks, 0 for those that are not in.
        self.first_values = np.zeros((_SET * self.block, *shape), np.int64)

    # -- what is in --

    @property
    def ranges(self) -> list[_Range]:
        """Trials that any candidate has played: (first, end) pairs in order."""
        if self.is_even:
            return self.ranges_of[0]
        return _joined(pair for ranges in self.ranges_of for pair in ranges)

    @property
    def trials(self) -> int:
        """How many those are."""
        return sum(end - first for first, end in self.ranges)

    def trials_of(self, candidate: int) -> int:
        """Return how many trials a candidate has played."""
        return sum(end - first for first, end in self.ranges_of[candidate])

    @property
    def is_even(self) -> bool:
        """Whether all candidates have played the same trials."""
        return all(ranges == self.ranges_of[0] for ranges in self.ranges_of)

    def gaps(self, first: int, end: int, candidate: int = 0) -> list[_Range]:
        """Return the trials from first to end - 1 that a candidate has not played, in order."""
        missing = []
        for low, high in self.ranges_of[candidate]:
            if low >= end:
                break
            if first < low:
                missing.append((first, low))
            first = max(first, high)
        if first < end:
            missing.append((first, end))
        return missing

    # -- adding --

    def add(
        self,
        first: int,
        n: int,
        sums: NDArray[np.int64],
        squares: NDArray[np.uint64],
        plies: NDArray[np.int64],
        values: NDArray[np.int64],
        members: Sequence[int] | None = None,
    ) -> None:
        """Add trials first ... first + n - 1, as `Playout.blocks` gives them.

        members: the candidates that played them, if it was not all.

        Raises
        ------
        RolloutError
            Trials are in already, or `first` is no multiple of the block; or not all candidates
            played, and the blocks are not kept.
        """
        who = list(range(self.n_candidates)) if members is None else list(members)
        if self.records is None and len(who) < self.n_candidates:
            raise RolloutError("candidates play different trials only if the blocks are kept")
        self._add_range(first, first + n, who)
        words = squares.astype(object)
        self.sums[who] += sums.astype(object).sum(axis=0)
        self.squares[who] += (words[..., 0] + (words[..., 1] << 64)).sum(axis=0)
        self.plies[who] += plies[..., 0].astype(object).sum(axis=0)
        self.longest[who] = np.maximum(self.longest[who], plies[..., 1].max(axis=0))
        if self.ends.size:
            ends = plies[..., 2:].astype(object).sum(axis=0)
            self.ends[who] += ends.reshape(len(who), *self.ends.shape[1:])
        self._add_first_rolls(first, n, values[..., -1], who)
        whole = n // self.block
        self.blocks[who] += whole
        for block_sum in sums[:whole].astype(object):
            self.block_sums[who] += block_sum
            self.block_squares[who] += block_sum * block_sum
            if self.records is None:
                equities = block_sum[:, -1]
                self.block_products += np.multiply.outer(equities, equities)
        if self.records is not None:
            self.records.add(first // self.block, sums[:whole], who)
        if first < len(self.first_values):
            end = min(first + n, len(self.first_values))
            self.first_values[first:end, who] = values[: end - first]

    def _add_first_rolls(
        self, first: int, n: int, equities: NDArray[np.int64], who: list[int]
    ) -> None:
        dice = self.dice.rolls(range(first, first + n), 1)[:, 0].astype(np.int64)
        roll = 6 * (dice[:, 0] - 1) + dice[:, 1] - 1
        count = np.bincount(roll, minlength=_ORDERED_ROLLS)
        # added up in two halves, each of which fits
        for place, member in enumerate(who):
            low = np.zeros(_ORDERED_ROLLS, np.int64)
            high = np.zeros(_ORDERED_ROLLS, np.int64)
            np.add.at(low, roll, equities[:, place] & 0xFFFFFFFF)
            np.add.at(high, roll, equities[:, place] >> 32)
            self.roll_sums[member] += low.astype(object) + (high.astype(object) << 32)
            self.roll_counts[member] += count.astype(object)

    def merge(self, other: "BlockTotals") -> None:
        """Add the trials of other totals of the same candidates, with the same dice.

        Raises
        ------
        RolloutError
            The totals do not belong together, or some trials are in both.
        """
        if self._kind() != other._kind():
            raise RolloutError(
                f"totals of different kinds cannot be merged: {self._kind()} and {other._kind()}"
            )
        if (self.records is None) != (other.records is None):
            raise RolloutError("one of the two keeps its blocks and the other one does not")
        for candidate, ranges in enumerate(other.ranges_of):
            for first, end in ranges:
                self._refuse_overlap(first, end, candidate)
        for candidate, ranges in enumerate(other.ranges_of):
            for first, end in ranges:
                self._add_range(first, end, [candidate])
        for name in (*self._sum_names(), "first_values"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.longest = np.maximum(self.longest, other.longest)
        if self.records is not None and other.records is not None:
            self.records.merge(other.records)

    def to_dict(self) -> dict[str, Any]:
        """Return the exact sums as values that JSON can hold: whole numbers as texts.

        `first_values` and `records` are arrays and stand beside them.
        """
        sums = {name: _texts(getattr(self, name)) for name in self._sum_names()}
        return {
            "n_candidates": self.n_candidates,
            "ranges": [[list(pair) for pair in ranges] for ranges in self.ranges_of],
            "longest": self.longest.tolist(),
            **sums,
        }

    @classmethod
    def from_dict(
        cls,
        document: Mapping[str, Any],
        first_values: NDArray[np.int64],
        dice: DiceStream,
        *,
        exhaustible: bool,
        outputs: tuple[str, ...] = OUTPUTS,
        records: BlockRecords | None = None,
    ) -> Self:
        """Return the totals that `to_dict` wrote.

        Raises
        ------
        RolloutError
            An entry is missing or of the wrong form.
        """
        try:
            n_candidates = int(document["n_candidates"])
            totals = cls(n_candidates, dice, exhaustible=exhaustible, outputs=outputs)
            totals.ranges_of = [
                [(int(first), int(end)) for first, end in ranges] for ranges in document["ranges"]
            ]
            totals.longest = np.array(document["longest"], np.int64)
            for name in totals._sum_names():
                read = _whole_numbers(document[name])
                if read.shape != getattr(totals, name).shape:
                    raise ValueError(f"{name} has the shape {read.shape}")
                setattr(totals, name, read)
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise RolloutError(f"these are no totals of a rollout: {error}") from None
        if first_values.shape != totals.first_values.shape or first_values.dtype != np.int64:
            raise RolloutError("these are no totals of a rollout: wrong values of single trials")
        totals.first_values = first_values.copy()
        if len(totals.ranges_of) != n_candidates or any(
            totals.trials_of(i) != totals.roll_counts[i].sum() for i in range(n_candidates)
        ):
            raise RolloutError("these are no totals of a rollout: the ranges are not the trials")
        if records is not None:
            if records.sums.shape[1:] != totals.sums.shape or any(
                records.played.sum(axis=0) != totals.blocks
            ):
                raise RolloutError("these are no totals of a rollout: the blocks do not fit")
            totals.records = records
        elif not totals.is_even:
            raise RolloutError("these are no totals of a rollout: the blocks are missing")
        return totals

    def _sum_names(self) -> tuple[str, ...]:
        names = (*_SUMS, "blocks")
        return (*names, "ends") if self.ends.size else names

    def _kind(self) -> tuple[object, ...]:
        return self.n_candidates, self.dice, self.exhaustible, self.outputs

    def _refuse_overlap(self, first: int, end: int, candidate: int) -> None:
        for known_first, known_end in self.ranges_of[candidate]:
            if first < known_end and known_first < end:
                raise RolloutError(
                    f"trials {max(first, known_first)} to {min(end, known_end) - 1} are in the"
                    " totals already"
                )

    def _add_range(self, first: int, end: int, members: Sequence[int]) -> None:
        if first % self.block or end <= first:
            raise RolloutError(f"trials {first} to {end - 1} do not begin with a whole block")
        for candidate in members:
            self._refuse_overlap(first, end, candidate)
        for candidate in members:
            self.ranges_of[candidate] = _joined([*self.ranges_of[candidate], (first, end)])

    # -- what they tell --

    def mean(self, candidate: int) -> tuple[float, ...]:
        """Return the means of the values (see `outputs`) of a candidate."""
        return tuple(
            int(total) / (self.trials_of(candidate) << 30) for total in self.sums[candidate]
        )

    def standard_errors(self, candidate: int) -> tuple[float, ...]:
        """Return the standard errors of the means. The estimator: see the class."""
        if self.is_exhausted(candidate):
            return (0.0,) * len(self.outputs)
        pairs = self._pair_variances(self.first_values[:, candidate].astype(np.float64), candidate)
        return tuple(
            self._error(
                self.trials_of(candidate),
                int(self.blocks[candidate]),
                int(self.block_sums[candidate, i]),
                int(self.block_squares[candidate, i]),
                self._trial_variance(candidate, i),
                pairs[i],
            )
            for i in range(len(self.outputs))
        )

    def difference(
        self, candidate: int, other: int, trials: int | None = None
    ) -> tuple[float, float]:
        """Return the difference of two candidates' equities and its standard error.

        Candidate less other, over the trials that both have played.

        trials : int, optional
            Only the trials before this one count, a whole number of blocks; if the blocks are
            kept.

        Raises
        ------
        RolloutError
            There are no such trials.
        """
        if candidate == other:
            return 0.0, 0.0
        is_plain = trials is None and self.ranges_of[candidate] == self.ranges_of[other]
        if is_plain:
            n, m = self.trials_of(candidate), int(self.blocks[candidate])
            mean = int(self.sums[candidate, -1] - self.sums[other, -1]) / (n << 30)
            if self.is_exhausted(candidate) and self.is_exhausted(other):
                return mean, 0.0
        if self.records is not None:
            both = self.records.common(
                candidate, other, None if trials is None else trials // self.block
            )
            gaps = self.records.sums[both, candidate, -1] - self.records.sums[both, other, -1]
            exact = gaps.astype(object)
            total, squares = int(exact.sum()), int((exact * exact).sum())
            if not is_plain:
                m = len(gaps)
                n = m * self.block
                if not n:
                    raise RolloutError("the two have played no trials together")
                mean = total / (n << 30)
        elif is_plain:
            products = self.block_products
            total = int(self.block_sums[candidate, -1] - self.block_sums[other, -1])
            squares = int(
                products[candidate, candidate]
                + products[other, other]
                - 2 * products[candidate, other]
            )
        else:
            raise RolloutError("parts of the trials can be told only if the blocks are kept")
        equities = self.first_values[:, :, -1].astype(np.float64)
        pairs = self._pair_variances(
            equities[:, [candidate]] - equities[:, [other]], candidate, other, end=trials
        )
        error = self._error(
            n,
            m,
            total,
            squares,
            self._trial_variance(candidate, -1) + self._trial_variance(other, -1),
            pairs[0],
            paired=True,
        )
        return mean, error

    def difference_error(self, candidate: int, other: int) -> float:
        """Return the standard error of the difference of two candidates' equities."""
        return self.difference(candidate, other)[1]

    def convergence(
        self, candidate: int, points: int = 200
    ) -> tuple[NDArray[np.int64], _Floats, _Floats]:
        """Return how the mean of a candidate's equity settled: trials, means, standard errors.

        After at most `points` numbers of whole blocks, in their order; from two blocks on.

        Raises
        ------
        RolloutError
            The blocks are not kept, or there are fewer than two.
        """
        if self.records is None:
            raise RolloutError("the blocks were not kept: roll out with keep_blocks")
        sums = self.records.sums[self.records.played[:, candidate], candidate, -1].astype(object)
        if len(sums) < 2:
            raise RolloutError("two whole blocks of trials are the least that shows convergence")
        totals, squares = np.cumsum(sums), np.cumsum(sums * sums)
        equities = self.first_values[:, candidate, [-1]].astype(np.float64)
        counts = np.unique(np.linspace(2, len(sums), points).astype(np.int64))
        pairs = [self._pair_variances(equities, candidate, end=end)[0] for end in (0, None)]
        found = []
        for m in counts.tolist():
            n = m * self.block
            pair = pairs[m >= _SET]
            error = self._error(
                n, m, int(totals[m - 1]), int(squares[m - 1]), nan, pair, paired=True
            )
            found.append((int(totals[m - 1]) / (n << 30), error))
        means, errors = np.array(found).T
        return counts * self.block, means, errors

    def is_exhausted(self, candidate: int) -> bool:
        """Tell whether every sequence of rolls was played, so that no error is left."""
        longest = int(self.longest[candidate])
        ranges = self.ranges_of[candidate]
        if not (ranges and self.exhaustible and self.dice.stratified):
            return bool(ranges) and longest == 0
        if longest > _ARRAY_PLIES:
            return False
        size = self.block * _SET ** max(0, longest - 1) if longest else 1
        return all(first % size == 0 and end % size == 0 for first, end in ranges)

    def _trial_variance(self, candidate: int, output: int) -> float:
        """Variance of single trials, unit 2**-60."""
        n = self.trials_of(candidate)
        if n < 2:
            return nan
        total = int(self.sums[candidate, output])
        return (n * int(self.squares[candidate, output]) - total * total) / (n * (n - 1))

    def _error(
        self,
        n: int,
        m: int,
        total: int,
        squares: int,
        trial_variance: float,
        pair_variance: float,
        *,
        paired: bool = False,
    ) -> float:
        """Apply the formula of the class; total and squares are those of whole blocks."""
        if n < 2:
            return nan
        if m < 2 or not (self.dice.stratified or paired):
            return sqrt(trial_variance / n) * _UNIT
        between = (m * squares - total * total) / (m - 1)
        rest = m % _SET
        balanced = m - rest * (1 - rest / _SET)
        variance = max(between - balanced * self.block * pair_variance, _LEAST * between)
        left = n - m * self.block
        if left:
            variance += left * trial_variance
        return sqrt(variance) / n * _UNIT

    def _pair_variances(self, values: _Floats, *candidates: int, end: int | None = None) -> _Floats:
        """Variance of a trial by the joint effects of two of the first rolls, for each column.

        0 unless the candidates have played the first set of blocks, before the trial `end`, and
        the dice are stratified. The sums are taken one after the other (bincount), so they have
        the same bits everywhere.
        """
        n, columns = values.shape
        is_complete = all(
            ranges and ranges[0][0] == 0 and ranges[0][1] >= n
            for ranges in (self.ranges_of[candidate] for candidate in candidates)
        )
        if not (self.dice.stratified and is_complete and (end is None or end >= n)):
            return np.zeros(columns)
        rolls = np.sort(self.dice.rolls(n, _ARRAY_PLIES), axis=2).astype(np.int64)
        codes = (rolls[..., 1] * (rolls[..., 1] - 1) // 2 + rolls[..., 0] - 1).T
        counts = [np.bincount(code, minlength=_ROLLS) for code in codes]
        levels = np.array([np.count_nonzero(count) for count in counts])
        centred = values - _sums(np.zeros(n, np.int64), values, 1) / n
        left = centred.copy()
        for code, count in zip(codes, counts, strict=True):
            left -= (_sums(code, centred, _ROLLS) / np.maximum(count, 1)[:, None])[code]
        whole = np.zeros(n, np.int64)
        rest = _sums(whole, left * left, 1)[0] / (n - 1 - np.sum(levels - 1))
        products = np.zeros((_ARRAY_PLIES, _ARRAY_PLIES, columns))
        for p, q in combinations(range(_ARRAY_PLIES), 2):
            mean = _mean_products(codes[p] * _ROLLS + codes[q], left)
            products[p, q] = products[q, p] = mean
        # What the effects of the single rolls took off with them: their own noise, which is the
        # rest less the joint effects that every roll's trials balance.
        share = (levels / n)[:, None]
        joint = products
        for _ in range(8):
            noise = share * np.maximum(rest - joint.sum(axis=1), 0.0)
            joint = products + noise[:, None] + noise[None, :]
            joint[range(_ARRAY_PLIES), range(_ARRAY_PLIES)] = 0.0
        total: _Floats = np.maximum(joint.sum(axis=(0, 1)) / 2, 0.0)
        return total


def _joined(ranges: Iterable[_Range]) -> list[_Range]:
    """Put ranges in order and join those that touch or overlap."""
    joined: list[_Range] = []
    for low, high in sorted(ranges):
        if joined and joined[-1][1] >= low:
            joined[-1] = (joined[-1][0], max(joined[-1][1], high))
        else:
            joined.append((low, high))
    return joined


def _sums(group: NDArray[np.int64], values: _Floats, n_groups: int) -> _Floats:
    """Sums of the rows of each group."""
    columns = [np.bincount(group, weights=v, minlength=n_groups) for v in values.T]
    return np.stack(columns, axis=1)


def _mean_products(group: NDArray[np.int64], values: _Floats) -> _Floats:
    """Estimate the mean square of the groups' means, without the noise inside the groups.

    A group's share is the mean product of two different members. Groups of one are given the
    noise of the groups of two: both hold doubles, which single games hinge on.
    """
    n_groups = _ROLLS**2
    count = np.bincount(group, minlength=n_groups)[:, None]
    total = _sums(group, values, n_groups)
    squares = _sums(group, values * values, n_groups)
    one, two, more = (count == 1)[:, 0], (count == 2)[:, 0], (count > 1)[:, 0]
    products = np.zeros_like(total)
    products[more] = (total * total - squares)[more] / (count[more] - 1)
    if one.any() and two.any():
        noise = (squares - total * total / 2)[two].mean(axis=0)
        products[one] = squares[one] - noise
    mean: _Floats = products.sum(axis=0) / len(values)
    return mean
