from typing import Any, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

LEVELS: int
ENDS: int
MONEY_TAKE: int
DEAD_TAKE: int
LIVE_TAKE: int
PLANES: tuple[str, str, str, str]

@final
class CubeRows:
    arguments: tuple[Any, ...]
    def __init__(
        self,
        stakes: ArrayLike,
        doubles: ArrayLike,
        takes: ArrayLike,
        take_rows: ArrayLike,
        planes: ArrayLike,
        beavers: ArrayLike,
        lines: ArrayLike,
        rank_rows: ArrayLike,
        total: int,
        beaver_drop: bool,
        close_level: int,
    ) -> None: ...
    def __reduce__(self) -> tuple[type[CubeRows], tuple[Any, ...]]: ...
    @property
    def n_levels(self) -> int: ...
    @property
    def total(self) -> int: ...
    def stake(self, row: int, kind: int) -> int: ...
    def equity(
        self, boards: ArrayLike, fives: ArrayLike, row: int, side: int
    ) -> NDArray[np.float64]: ...
    def choices(
        self, boards: ArrayLike, fives: ArrayLike, row: int, side: int
    ) -> tuple[NDArray[np.int8], NDArray[np.float64]]: ...
