from collections.abc import Iterable, Sequence
from typing import Self, final

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

@final
class Kernel:
    def __new__(
        cls,
        *,
        across: Sequence[int],
        contact: int,
        n_checkers: int,
        own_limit: int = 0,
        singles: tuple[int, int] = (0, 0),
        enter_first: int = 0,
        hit_gate: int = 0,
        pass_gate: bool = False,
        half_gate: bool = False,
        off_zone: int = 6,
        off_exact: bool = False,
        quarter_limits: tuple[int, int, int, int] = (6, 6, 6, 6),
        prime_rule: int = 0,
        prime_stack: bool = False,
        prime_each_step: bool = False,
        rest_corner: bool = False,
        hit_stays: bool = False,
        any_number: bool = False,
        finish_early: bool = False,
    ) -> Self: ...
    def plays(
        self,
        state: bytes,
        numbers: Sequence[int],
        *,
        head_limit: int | None = None,
        heads: int = 0,
        stay: Iterable[int] = (),
    ) -> tuple[NDArray[np.uint8], NDArray[np.int8], NDArray[np.int8]]: ...
    def next_steps(
        self,
        state: bytes,
        numbers: Sequence[int],
        *,
        head_limit: int | None = None,
        heads: int = 0,
        stay: Iterable[int] = (),
    ) -> list[tuple[int, int, int, int, bytes]]: ...
    def can_move(self, state: bytes) -> bool: ...
    def count_plays(self, states: NDArray[np.uint8]) -> NDArray[np.int32]: ...
