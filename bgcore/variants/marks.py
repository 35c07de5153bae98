"""Points, holes and bredouille of trictrac: how what a roll is worth is marked."""

from typing import Final

from bgcore.variants.states import Side

__all__ = ["POINTS_OF_A_HOLE", "marked"]

#: So many points are a hole.
POINTS_OF_A_HOLE: Final = 12


def marked(side: Side, other: Side, points: int, goal: int) -> tuple[Side, Side]:
    """Return both sides after one of them has marked points.

    Twelve points are a hole, and two if the other side has marked none since the first of them
    (bredouille). A hole takes the points of the other side away; what is left of one's own begins
    the next hole. [TRI] article XV.

    Parameters
    ----------
    side, other : Side
        Who marks, and the opponent.
    points : int
        0 or more.
    goal : int
        Holes that win the game; nobody marks more.
    """
    if points == 0:
        return side, other
    in_a_row = side.bredouille or side.marked == 0
    total = side.marked + points
    won = 0
    while total >= POINTS_OF_A_HOLE:
        won += 2 if in_a_row else 1
        total -= POINTS_OF_A_HOLE
        in_a_row = True
    other = other._replace(bredouille=False)
    if won:
        other = other._replace(marked=0, flag=False)
        side = side._replace(holes=min(side.holes + won, goal), flag=side.flag or side.holes == 0)
    return side._replace(marked=total, bredouille=in_a_row and total > 0), other
