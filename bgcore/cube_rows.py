"""The cube and the score as a table of numbers, as trials of the core look them up.

One row for each value of the cube and each owner that a trial can meet: what winning and losing
are worth, who gains by turning the cube, how take points are found, and where a double leads. The
core (`src/cubeful.pxd`) knows nothing else about money, matches or rules.

A trial's cube grows at most 1,024-fold, and never beyond the limit of the rules: a money game has
no largest loss otherwise. In a match it is never turned by a side for which it is dead.

Trials have two sides: side 0 rolls first. Utility is points for each point of the cube at the
start, or in a match the chance to win it.
"""

from dataclasses import replace
from typing import Any

from bgcore._core.cubeful import DEAD_TAKE, LEVELS, LIVE_TAKE, MONEY_TAKE, PLANES, CubeRows
from bgcore.cube_model import CubeContext, Owner, game_ends, is_useful, redoubles_at_once
from bgcore.errors import RolloutError

__all__ = ["GROWTH", "cube_rows", "start_row"]

#: How many times its first value the cube may become in a trial.
GROWTH = 1 << 10

#: Owners in the order of the rows, seen by side 0.
_OWNERS: tuple[Owner, ...] = ("centred", "own", "opponent")
#: The two-sided table's cube has no limit: it counts where five more doubles are possible.
_TABLE_GROWTH = 32
#: Money trials with an eightfold cube are few and hold much of the variance. There the luck of the
#: roll net gives way to the evaluator's, which costs twenty times as much: at the opening the time
#: to an error falls by a quarter (from fourfold on it would rise).
_CLOSE_LEVEL = 3


def cube_rows(context: CubeContext) -> CubeRows:
    """Return the rows for trials from a cube and a score.

    Parameters
    ----------
    context : CubeContext
        Seen by the player who rolls first, side 0. Row 0, 1, 2 have its cube in the middle, owned
        by him and by his opponent; each double leads three rows further, to the opponent's.

    Raises
    ------
    RolloutError
        Gammons or backgammons do not count by its rules.
    MatchEquityError
        By its table nothing is at stake at this score (`bgcore.cube_model.emg`).
    """
    if context.most < 3:
        raise RolloutError(
            "trials with a cube count gammons double and backgammons triple; rules by which a game"
            f" counts {context.most} at most cannot be rolled out with it"
        )
    if context.is_match:
        game_ends(context)
    limit = min(context.limit, GROWTH * context.cube)
    context = replace(context, limit=limit)
    rows: dict[str, list[Any]] = {
        name: []
        for name in (
            "stakes",
            "doubles",
            "takes",
            "take_rows",
            "planes",
            "beavers",
            "lines",
            "rank_rows",
        )
    }
    n_levels = _levels(context)
    for level in range(n_levels):
        for owner in _OWNERS:
            here = replace(context, cube=context.cube << level, owner=owner)
            number = len(rows["stakes"])
            sides = here, here.swapped()
            doubles = [side.may_double and is_useful(side) for side in sides]
            stakes = [_stakes(side, level) for side in sides]
            takes = [_take(side, level) for side in sides]
            has_beaver = level + 2 < n_levels
            rows["stakes"].append(stakes)
            rows["doubles"].append(doubles)
            rows["takes"].append([kind for kind, _ in takes])
            rows["take_rows"].append([min(3 * at, 3 * n_levels - 1) for _, at in takes])
            planes, lines = _table(sides, level, stakes, any(doubles))
            rows["planes"].append(planes)
            rows["lines"].append(lines)
            rows["beavers"].append(
                [
                    may and has_beaver and side.may_be_beavered
                    for may, side in zip(doubles, sides, strict=True)
                ]
            )
            # gammons that do not count yet matter once the cube is turned
            plain = here.jacoby and owner == "centred"
            rows["rank_rows"].append(number + 1 if plain else number)
    return CubeRows(
        **rows,
        total=1 if context.is_match else 0,
        beaver_drop=context.beaver_drop,
        close_level=LEVELS if context.is_match else _CLOSE_LEVEL,
    )


def start_row(context: CubeContext) -> int:
    """Return the row of the context that `cube_rows` was given."""
    return _OWNERS.index(context.owner)


def _levels(context: CubeContext) -> int:
    """Return how many values the cube can have."""
    n_levels = 1
    if not context.has_cube or context.is_crawford:
        return n_levels
    here = context
    # a dead cube may be turned too, if somebody wants to know what that is worth
    while here.cube < here.limit and (
        n_levels == 1 or is_useful(here) or is_useful(here.swapped())
    ):
        here = replace(here, cube=2 * here.cube)
        n_levels += 1
    return n_levels


def _stakes(context: CubeContext, level: int) -> list[float]:
    """Return what winning and losing a single game, gammon and backgammon are worth."""
    if context.is_match:
        return [
            context.mwc_after(sign * kind * context.cube) for sign in (1, -1) for kind in (1, 2, 3)
        ]
    plain = context.jacoby and context.owner == "centred" and context.has_cube
    kinds = (1, 1, 1) if plain else (1, 2, 3)
    return [float(sign * kind << level) for sign in (1, -1) for kind in kinds]


def _take(context: CubeContext, level: int) -> tuple[int, int]:
    """Return how a side's live take point is found, and the level whose stakes count for it."""
    if not context.is_match:
        return MONEY_TAKE, level
    if redoubles_at_once(context):
        return DEAD_TAKE, level + 2
    if 2 * context.cube <= context.limit and is_useful(replace(context, cube=2 * context.cube)):
        return LIVE_TAKE, level + 1
    return DEAD_TAKE, level + 1


def _table(
    sides: tuple[CubeContext, CubeContext], level: int, stakes: list[list[float]], is_alive: bool
) -> tuple[list[int], list[list[float]]]:
    """Return the two-sided table's plane for each side on roll, and utility by its equity.

    The table has no gammons and a cube for money; a cube that nobody turns is the plane without
    one at any score.
    """
    first = sides[0]
    lines = [[(stake[0] + stake[3]) / 2, (stake[0] - stake[3]) / 2] for stake in stakes]
    if not is_alive:
        return [PLANES.index("cubeless")] * 2, lines
    # the cube that the trial began with
    start = first.cube >> level
    if first.is_match or first.limit < _TABLE_GROWTH * start:
        return [-1, -1], lines
    planes = {"centred": "centred", "own": "owned", "opponent": "opponent"}
    return [PLANES.index(planes[side.owner]) for side in sides], lines
