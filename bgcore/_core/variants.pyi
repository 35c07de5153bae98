from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

def house_plays(
    board: ArrayLike,
    die1: int,
    die2: int,
    *,
    own_limit: int = 0,
    any_number: bool = False,
    finish_early: bool = False,
    no_hit_and_run: bool = False,
    n_checkers: int = 15,
) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int8]]: ...
def house_next_steps(
    board: ArrayLike,
    dice_left: Sequence[int],
    *,
    hit_points: Iterable[int] = (),
    own_limit: int = 0,
    any_number: bool = False,
    finish_early: bool = False,
    no_hit_and_run: bool = False,
    n_checkers: int = 15,
) -> tuple[list[tuple[int, int, int, bool]], bool]: ...
