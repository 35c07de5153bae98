"""Rolls as texts and pairs."""

import numpy as np
import pytest

from bgcore import parse_dice
from bgcore.errors import DiceError


@pytest.mark.parametrize(
    "dice",
    ["31", "3-1", "3,1", "3, 1", "3 1", " 31 ", (3, 1), [3, 1], np.array([3, 1]), iter((3, 1))],
)
def test_a_roll_is_read_in_the_order_given(dice):
    assert parse_dice(dice) == (3, 1)


@pytest.mark.parametrize("a", range(1, 7))
@pytest.mark.parametrize("b", range(1, 7))
def test_all_rolls(a, b):
    assert parse_dice(f"{a}{b}") == parse_dice(f"{a}-{b}") == parse_dice((a, b)) == (a, b)


@pytest.mark.parametrize(
    "dice",
    [
        *("", "3", "311", "07", "70", "37", "3--1", "3/1", "3.1", "a1", "-31", "٣1", "3-", "00"),
        *((), (3,), (3, 1, 1), (0, 1), (7, 1), (-1, 2), (3, 2**70)),
        *((3.0, 1), (True, 1), (1, False), ("3", "1"), (None, 1), (np.float64(3), 1)),
        *((np.True_, 3), None, 31, 3.1, b"31", bytearray(b"31"), np.zeros((2, 2), int)),
        *(np.array(3), {"a": 1, "b": 2}, range(10**12), [[3], [1]]),
    ],
)
def test_anything_else_is_refused(dice):
    with pytest.raises(DiceError):
        parse_dice(dice)
