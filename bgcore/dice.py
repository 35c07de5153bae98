"""Dice: streams for rollouts, scripts for tests, dice for the table, and the opening roll.

Everything that rolls has one face: `roll(trial, ply)` gives two dice, `rolls(trials, plies)` an
array of them. `DiceStream` draws from a seed, `ScriptedDice` reads a list, `SystemDice` throws
with the randomness of the operating system.
"""

import operator
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, SupportsIndex, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bgcore._core.dice import DiceStream
from bgcore.checks import counted, shown
from bgcore.errors import DiceError

__all__ = [
    "Dice",
    "DiceStream",
    "OpeningThrow",
    "ScriptedDice",
    "SystemDice",
    "opening_roll",
    "throw",
    "throw_for_start",
]


@runtime_checkable
class Dice(Protocol):
    """What a source of dice can do. Trials and plies count from 0."""

    def roll(self, trial: int, ply: int, /) -> tuple[int, int]:
        """Give the two dice of a ply of a trial."""

    def rolls(self, trials: int | range, plies: int | range, /) -> NDArray[np.uint8]:
        """Give a (T, P, 2) uint8 array of the dice of many trials and plies."""


class ScriptedDice:
    """Dice that were written down: every trial plays the same list of rolls.

    Parameters
    ----------
    rolls : iterable of (int, int)
        The dice of ply 0, 1, 2 and so on, 1 to 6 each.

    Raises
    ------
    DiceError
        Dice out of range or not in pairs; a roll is asked for beyond the end of the list.

    Examples
    --------
    >>> dice = ScriptedDice([(3, 1), (6, 5)])
    >>> dice.roll(0, 0)
    (3, 1)
    >>> dice.all_used
    False
    """

    def __init__(self, rolls: Iterable[tuple[int, int]]) -> None:
        if not isinstance(rolls, Iterable):
            raise DiceError(f"scripted dice are a list of rolls, not {shown(rolls)}")
        script = []
        for ply, pair in enumerate(rolls):
            script.append(_checked_roll(pair, ply))
        self._script = tuple(script)
        self._used = bytearray(len(script))

    def roll(self, trial: SupportsIndex, ply: SupportsIndex) -> tuple[int, int]:
        """Give the two dice of a ply, the same for every trial.

        Raises
        ------
        DiceError
            The list is shorter, or a number is negative or not a whole number.
        """
        _checked_number(trial, "trial")
        number = _checked_number(ply, "ply")
        if number >= len(self._script):
            raise DiceError(
                f"the scripted dice have run out: ply {shown(number)} was asked for, "
                f"the script has {counted(len(self._script), 'roll')}"
            )
        self._used[number] = 1
        return self._script[number]

    def rolls(
        self, trials: int | range | Sequence[int], plies: int | range | Sequence[int]
    ) -> NDArray[np.uint8]:
        """Give the dice of many trials and plies; a count n means 0 to n - 1.

        Returns
        -------
        (T, P, 2) uint8 array
            Dice 1 to 6.

        Raises
        ------
        DiceError
            As `roll`.
        """
        trial_list = _checked_numbers(trials, "trial")
        ply_list = _checked_numbers(plies, "ply")
        row = [self.roll(0, ply) for ply in ply_list]
        faces = np.array(row, dtype=np.uint8).reshape(len(row), 2)
        return np.tile(faces, (len(trial_list), 1, 1))

    @property
    def script(self) -> tuple[tuple[int, int], ...]:
        """The rolls that were given."""
        return self._script

    @property
    def all_used(self) -> bool:
        """Whether every roll of the list has been asked for."""
        return all(self._used)

    def __len__(self) -> int:
        return len(self._script)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScriptedDice):
            return NotImplemented
        return self._script == other._script

    def __hash__(self) -> int:
        return hash(self._script)

    def __repr__(self) -> str:
        return f"ScriptedDice({list(self._script)})"


class SystemDice:
    """Dice for the table, thrown with the randomness of the operating system.

    They have the face of the other dice, and no memory: a trial or ply that is asked for twice
    is thrown twice.

    Examples
    --------
    >>> die1, die2 = SystemDice().roll()
    >>> 1 <= die1 <= 6 and 1 <= die2 <= 6
    True
    """

    def roll(self, trial: SupportsIndex = 0, ply: SupportsIndex = 0) -> tuple[int, int]:
        """Throw two dice.

        Raises
        ------
        DiceError
            A number is negative or not a whole number.
        """
        _checked_number(trial, "trial")
        _checked_number(ply, "ply")
        return secrets.randbelow(6) + 1, secrets.randbelow(6) + 1

    def rolls(
        self, trials: int | range | Sequence[int], plies: int | range | Sequence[int]
    ) -> NDArray[np.uint8]:
        """Throw the dice of many trials and plies; a count n means 0 to n - 1.

        Returns
        -------
        (T, P, 2) uint8 array
            Dice 1 to 6.

        Raises
        ------
        DiceError
            As `roll`.
        """
        shape = len(_checked_numbers(trials, "trial")), len(_checked_numbers(plies, "ply")), 2
        faces = [secrets.randbelow(6) + 1 for _ in range(shape[0] * shape[1] * shape[2])]
        return np.array(faces, dtype=np.uint8).reshape(shape)

    def __repr__(self) -> str:
        return "SystemDice()"


def throw(count: int = 1, *, seed: SupportsIndex | None = None) -> list[tuple[int, int]]:
    """Throw two dice some times.

    Parameters
    ----------
    count : int, default 1
        How often.
    seed : int, optional
        0 <= seed < 2**128: the same throws for the same seed. Without it the operating system's
        randomness throws.

    Returns
    -------
    list of (int, int)

    Raises
    ------
    DiceError
        The count or the seed is out of range.

    Examples
    --------
    >>> throw(3, seed=1) == throw(5, seed=1)[:3]
    True
    """
    number = _checked_number(count, "number of rolls")
    dice: Dice = SystemDice() if seed is None else DiceStream(seed, stratified=False)
    return [dice.roll(0, ply) for ply in range(number)]


@dataclass(frozen=True, slots=True)
class OpeningThrow:
    """How the dice chose who starts.

    Attributes
    ----------
    throws : tuple of (int, int)
        The die of the first player and that of the second; all but the last are ties.
    starter : int
        0 or 1: the player whose last die is higher. He plays both numbers of the last throw.
    """

    throws: tuple[tuple[int, int], ...]
    starter: int

    @property
    def dice(self) -> tuple[int, int]:
        """The roll that the starter plays."""
        return self.throws[-1]


def throw_for_start(*, seed: SupportsIndex | None = None) -> OpeningThrow:
    """Throw one die for each of two players until they differ.

    Parameters
    ----------
    seed : int, optional
        See `throw`.

    Raises
    ------
    DiceError
        The seed is out of range.

    Examples
    --------
    >>> start = throw_for_start(seed=8)
    >>> start.dice[start.starter] == max(start.dice)
    True
    """
    dice: Dice = SystemDice() if seed is None else DiceStream(seed, stratified=False)
    throws = [dice.roll(0, 0)]
    while throws[-1][0] == throws[-1][1]:
        throws.append(dice.roll(0, len(throws)))
    return OpeningThrow(tuple(throws), 0 if throws[-1][0] > throws[-1][1] else 1)


def opening_roll(seed: SupportsIndex | np.random.SeedSequence, trial: int = 0) -> tuple[int, int]:
    """Roll for the first turn of a game: one die for each side, never a double.

    Parameters
    ----------
    seed : int or SeedSequence
        0 <= seed < 2**128.
    trial : int, default 0
        The number of the game.

    Returns
    -------
    (int, int)
        The die of the first side and the die of the second; the higher one begins and plays
        both. All 30 pairs are equally likely.

    Raises
    ------
    DiceError
        The seed or the trial is out of range.
    """
    return DiceStream(seed, stratified=False, opening=True).roll(trial, 0)


def _checked_number(value: SupportsIndex, what: str) -> int:
    try:
        number = -1 if isinstance(value, (bool, np.bool_)) else operator.index(value)
    except TypeError:
        number = -1
    if number < 0:
        raise DiceError(f"the {what} must be a whole number, 0 or more, not {shown(value)}")
    return number


def _checked_numbers(numbers: int | range | Sequence[int], what: str) -> range | Sequence[int]:
    """Check trials or plies; a count n means 0 to n - 1."""
    if not isinstance(numbers, Iterable):
        return range(_checked_number(numbers, f"number of {what} numbers"))
    is_range = isinstance(numbers, range) and bool(numbers)
    # a range may be too long to go through
    for number in (numbers[0], numbers[-1]) if is_range else numbers:
        _checked_number(number, what)
    return numbers


def _checked_roll(pair: tuple[int, int], ply: int) -> tuple[int, int]:
    try:
        dice = tuple(pair)
    except TypeError:
        dice = ()
    if len(dice) != 2:
        raise DiceError(f"scripted roll {ply} must be a pair of dice, not {shown(pair)}")
    first, second = (_checked_number(die, f"die of scripted roll {ply}") for die in dice)
    if not (1 <= first <= 6 and 1 <= second <= 6):
        raise DiceError(f"scripted roll {ply} is {shown((first, second))}; dice are 1 to 6")
    return first, second
