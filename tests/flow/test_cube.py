"""The doubling cube."""

import pytest

from bgcore import Cube, Rules
from bgcore.errors import RulesError


def test_anybody_may_turn_a_cube_in_the_middle_and_only_the_owner_afterwards():
    cube = Cube()
    assert cube.doublers == (0, 1)
    cube = cube.doubled_to(1)
    assert (cube.value, cube.owner, cube.doublers) == (2, 1, (1,))
    cube = cube.doubled_to(0)
    assert (cube.value, cube.owner, cube.doublers) == (4, 0, (0,))
    assert "owns" in cube.why_not(1)


def test_values_go_beyond_64_to_the_limit_and_never_wrap():
    cube, values = Cube(), []
    while cube.may_double(0):
        cube = cube.doubled()
        values.append(cube.value)
    assert values == [2**n for n in range(1, 16)]
    assert cube.log2 == 15
    with pytest.raises(RulesError, match="limit of 32768"):
        cube.doubled()
    with pytest.raises(RulesError, match="limit"):
        cube.doubled_to(0)


def test_a_limit_of_64_holds():
    cube = Cube(32, 0, limit=64).doubled_to(1)
    assert cube.value == 64
    assert cube.doublers == ()
    assert "64" in cube.why_not(1)


def test_a_resting_cube_is_nobodys():
    assert Cube.of(Rules.match(), is_crawford=True).doublers == ()
    assert Cube.of(Rules.casual()).doublers == ()
    assert Cube.of(Rules.match()).doublers == (0, 1)


def test_the_cube_is_dead_when_its_points_win_the_match():
    cube = Cube(4, 0)
    assert cube.is_dead_for(4)
    assert cube.is_dead_for(3)
    assert not cube.is_dead_for(5)
    assert not cube.is_dead_for(None)  # money


@pytest.mark.parametrize(
    "arguments",
    [
        (0,),
        (3,),
        (-2,),
        (2.0,),
        (True,),
        ("2",),
        (65536,),
        (2, 2),
        (2, -1),
        (2, True),
        (128, 0, 64),
    ],
)
def test_impossible_cubes_are_refused(arguments):
    with pytest.raises(RulesError):
        Cube(*arguments)
