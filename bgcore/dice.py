"""Dice: streams for rollouts, scripts for tests, and the opening roll.

Everything that rolls has one face: `roll(trial, ply)` gives two dice, `rolls(trials, plies)` an
array of them. `DiceStream` draws from a seed, `ScriptedDice` reads a list.
"""

import operator
from collections.abc import Iterable, Sequence
from typing import Protocol, SupportsIndex, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bgcore._core.dice import DiceStream
from bgcore.errors import DiceError

__all__ = ["Dice", "DiceStream", "ScriptedDice", "opening_roll"]


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
                f"the scripted dice have run out: ply {number} was asked for, "
                f"{len(self._script)} rolls were given"
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
        raise DiceError(f"the {what} must be a whole number, 0 or more, not {value!r}")
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
        raise DiceError(f"scripted roll {ply} must be a pair of dice, not {pair!r}")
    first, second = (_checked_number(die, f"die of scripted roll {ply}") for die in dice)
    if not (1 <= first <= 6 and 1 <= second <= 6):
        raise DiceError(f"scripted roll {ply} is {first}, {second}; dice are 1 to 6")
    return first, second
