"""What players do in these games: the actions of `bgcore.actions`, and some more.

Their texts stand in records: `roll 3-1`, `roll 3-1-5`, `play 24/18 24/19*`, `step hand/20 by 5`,
`choose 5`, `stay`, `leave`, `double`, `take`, `drop`, `resign gammon`, `accept`, `refuse`,
`settle 0 2`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from bgcore.actions import Action, MakePlay, MakeStep, Roll, parse_action
from bgcore.checks import shown
from bgcore.errors import DiceError, RecordError
from bgcore.rolls import Dice, parse_dice
from bgcore.variants.states import BAR, HAND

__all__ = ["Choose", "Leave", "RollThree", "Stay", "parse_variant_action", "read_dice"]


@dataclass(frozen=True, slots=True)
class RollThree(Action):
    """Roll three dice, as in Tabula.

    Parameters
    ----------
    dice : (int, int, int)
        What was thrown.
    """

    dice: tuple[int, int, int]

    def __str__(self) -> str:
        return f"roll {'-'.join(map(str, self.dice))}"


@dataclass(frozen=True, slots=True)
class Choose(Action):
    """Name a doublet, as in acey-deucey.

    Parameters
    ----------
    number : int
        1 to 6.
    """

    number: int

    def __post_init__(self) -> None:
        if type(self.number) is not int or not 1 <= self.number <= 6:
            raise DiceError(f"a doublet is named by a number from 1 to 6, not {shown(self.number)}")

    def __str__(self) -> str:
        return f"choose {self.number}"


@dataclass(frozen=True, slots=True)
class Stay(Action):
    """Play on after a hole that one's own roll has won, in trictrac."""


@dataclass(frozen=True, slots=True)
class Leave(Action):
    """Have all checkers set up again after such a hole, and roll."""


_THREE = re.compile(r" *([0-9]) *[-, ]? *([0-9]) *[-, ]? *([0-9]) *")
_STEP = re.compile(r"(bar|hand|[0-9]{1,2})/(off|[0-9]{1,2})(?: by ([1-6]))?")


def read_dice(dice: Dice) -> Roll | RollThree:
    """Return the roll that a text such as "31" or "3-1-5", or numbers, mean.

    Raises
    ------
    DiceError
    """
    if isinstance(dice, str):
        match = _THREE.fullmatch(dice)
        numbers = None if match is None else [int(number) for number in match.groups()]
    elif isinstance(dice, Iterable):
        numbers = list(dice)
        dice = numbers
    else:
        numbers = None
    if numbers is None or len(numbers) != 3:
        return Roll(parse_dice(dice))
    first, second = parse_dice(numbers[:2])
    third, _ = parse_dice([numbers[2], 1])
    return RollThree((first, second, third))


def parse_variant_action(text: str) -> Action:
    """Return the action of a text, see the top of the module.

    Raises
    ------
    RecordError
        The text is none of the forms.
    DiceError
        The dice of a roll, or a doublet, cannot be.
    InvalidPlayError, GameError
        See `bgcore.actions.parse_action`.

    Examples
    --------
    >>> parse_variant_action("roll 3-1-5")
    RollThree(dice=(3, 1, 5))
    >>> parse_variant_action("choose 5")
    Choose(number=5)
    """
    if not isinstance(text, str):
        raise RecordError(f"an action is a text, not {shown(text)}")
    word, _, rest = text.strip().partition(" ")
    if word == "roll" and rest:
        return read_dice(rest)
    if word in ("stay", "leave") and not rest:
        return Stay() if word == "stay" else Leave()
    if word == "choose" and rest in ("1", "2", "3", "4", "5", "6"):
        return Choose(int(rest))
    if word == "step" and (match := _STEP.fullmatch(rest)):
        start = {"bar": BAR, "hand": HAND}.get(match[1]) or int(match[1])
        end = 0 if match[2] == "off" else int(match[2])
        return MakeStep(start, end, None if match[3] is None else int(match[3]))
    if word == "play" and rest:
        return MakePlay(rest)
    return parse_action(text)
