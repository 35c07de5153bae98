"""The doubling cube: its value, who owns it and who may turn it."""

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Self

from bgcore.checks import shown, side, whole_number
from bgcore.errors import RulesError
from bgcore.rules import DEFAULT_CUBE_LIMIT, LARGEST_CUBE_LIMIT, Rules

__all__ = ["Cube"]

_OWNER = "the owner of the cube (None in the middle)"


@dataclass(frozen=True, slots=True)
class Cube:
    """A doubling cube. Immutable.

    Parameters
    ----------
    value : int, default 1
        A power of 2 up to the limit.
    owner : {0, 1} or None, default None
        The player who owns it; None while it is in the middle.
    limit : int, default 32768
        The largest value; the cube is never turned beyond it.
    is_resting : bool, default False
        Nobody may double: the Crawford game of a match, or a game without a cube.

    Raises
    ------
    RulesError
        The value is no power of 2 or above the limit, or there is no such owner.

    Examples
    --------
    >>> cube = Cube().doubled_to(1)
    >>> cube.value, cube.owner, cube.may_double(0), cube.may_double(1)
    (2, 1, False, True)
    """

    value: int = 1
    owner: int | None = None
    limit: int = DEFAULT_CUBE_LIMIT
    is_resting: bool = False

    def __post_init__(self) -> None:
        for field, name in (("limit", "the limit of the cube"), ("value", "the cube")):
            number = getattr(self, field)
            try:
                whole = whole_number(number, name, 1, LARGEST_CUBE_LIMIT, RulesError)
            except RulesError:
                whole = 0
            if not whole or whole & (whole - 1):
                raise RulesError(
                    f"{name} is a power of 2 from 1 to {LARGEST_CUBE_LIMIT}, not {shown(number)}"
                )
            object.__setattr__(self, field, whole)
        if self.value > self.limit:
            raise RulesError(f"the cube shows {self.value}; its limit is {self.limit}")
        if self.owner is not None:
            object.__setattr__(self, "owner", side(self.owner, _OWNER, RulesError))

    @staticmethod
    def of(rules: Rules, *, is_crawford: bool = False) -> "Cube":
        """Return the cube at the start of a game."""
        return _at_start(rules.cube_limit, is_crawford or not rules.cube)

    @property
    def is_centred(self) -> bool:
        """Whether it is in the middle."""
        return self.owner is None

    @property
    def log2(self) -> int:
        """How often it was turned: 0 for 1, 1 for 2, 2 for 4 and so on."""
        return self.value.bit_length() - 1

    def why_not(self, player: int) -> str:
        """Return why a player may not double; empty if he may.

        Whether it is his turn, and what the score says, is for the game to know.
        """
        if self.is_resting:
            return "the cube is not in play in this game"
        if self.owner not in (None, player):
            return "the opponent owns the cube"
        if self.value >= self.limit:
            return f"the cube has reached its limit of {self.limit}"
        return ""

    def may_double(self, player: int) -> bool:
        """Tell whether a player has access to the cube and it can be turned."""
        return not self.why_not(player)

    @property
    def doublers(self) -> tuple[int, ...]:
        """The players who may double when it is their turn."""
        return tuple(player for player in (0, 1) if self.may_double(player))

    def doubled(self) -> Self:
        """Return the cube turned once, owned as before.

        Raises
        ------
        RulesError
            It has reached its limit.
        """
        if self.value >= self.limit:
            raise RulesError(f"the cube has reached its limit of {self.limit}")
        return replace(self, value=2 * self.value)

    def doubled_to(self, owner: int) -> Self:
        """Return the cube turned once and given to a player.

        Raises
        ------
        RulesError
            It has reached its limit.
        """
        return replace(self.doubled(), owner=owner)

    def is_dead_for(self, needs: int | None) -> bool:
        """Tell whether doubling is without value for a player: the cube wins the match as it is.

        Parameters
        ----------
        needs : int or None
            Points that the player needs to win the match; None for money, where no cube is dead.
        """
        return needs is not None and self.value >= needs


@lru_cache(maxsize=64)
def _at_start(limit: int, is_resting: bool) -> Cube:
    """Return a cube at the start of a game: every game has one, and there are few."""
    return Cube(limit=limit, is_resting=is_resting)
