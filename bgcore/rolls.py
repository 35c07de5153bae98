"""Reading a roll of two dice."""

import operator
import re
from collections.abc import Iterable
from typing import TypeAlias

from bgcore.checks import shown
from bgcore.errors import DiceError

#: A roll as the library takes it: a text such as "31", "3-1" or "3,1", or a pair of numbers.
Dice: TypeAlias = str | Iterable[int]

_FORMS = "right are forms such as '31', '3-1', '3,1' or (3, 1), each die from 1 to 6"


def parse_dice(dice: Dice) -> tuple[int, int]:
    """Return the two dice of a roll in the order in which they are given.

    Parameters
    ----------
    dice : str or iterable of two int
        Such as "31", "3-1", "3,1", "3 1", (3, 1) or an integer array of two.

    Returns
    -------
    (int, int)
        Two numbers from 1 to 6.

    Raises
    ------
    DiceError
        Another form, another number of dice, a die out of range, or a die that is not a whole
        number (True and 3.0 are not).
    """
    if isinstance(dice, str):
        if re.fullmatch(r" *[0-9] *[-, ]? *[0-9] *", dice) is None:
            raise DiceError(f"the dice {shown(dice)} cannot be read; {_FORMS}")
        numbers = [int(letter) for letter in dice if letter.isdigit()]
    else:
        numbers = _whole_numbers(dice)
    if len(numbers) != 2:
        raise DiceError(f"a roll has two dice, not {len(numbers)}: {shown(dice)}; {_FORMS}")
    for number in numbers:
        if not 1 <= number <= 6:
            raise DiceError(f"a die shows 1 to 6, not {shown(number)}: {shown(dice)}")
    return numbers[0], numbers[1]


def _whole_numbers(dice: object) -> list[int]:
    if isinstance(dice, (bytes, bytearray)) or not isinstance(dice, Iterable):
        raise DiceError(f"the dice are {shown(dice)}; {_FORMS}")
    numbers = []
    try:
        for die in dice:
            # numpy's bool has no __index__; Python's has one
            if isinstance(die, bool):
                raise TypeError
            numbers.append(operator.index(die))
            if len(numbers) > 2:
                break
    except TypeError:
        raise DiceError(f"a die is not a whole number: {shown(dice)}; {_FORMS}") from None
    return numbers
