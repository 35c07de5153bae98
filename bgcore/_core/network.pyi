from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from typing_extensions import disjoint_base

CELLS: int
VALUES: int
HIDDEN: int
HEADS: int
ROLL_HIDDEN: int
ROLL_HEADS: int
ROLL_OUTPUTS: int
Z_BITS: int
ROLL_Z_BITS: int
ROLL_WIDTH: int
ROLL_PAIRS: int
ROLL_PAIR_BITS: int

DEEP_THIRD_UNITS: int
DEEP_SUM_BITS: int
DEEP_LAYER_BITS: int
DEEP_LAYER_WEIGHT_BITS: int
RELATIONS: int
ROLL_MOVES: int
ROLL_STEPS: int
ROLL_KINDS: int

def check_rolls_hidden(hidden: int) -> None: ...
def check_deep_shape(hidden: object, second: object) -> None: ...
def hidden_range(
    rows: NDArray[np.int16], bias: NDArray[np.int16]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]: ...
def relation_range(
    relations: NDArray[np.int16],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def moves_range(
    moves: NDArray[np.int16],
) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...
def relations_of(boards: ArrayLike) -> list[list[int]]: ...
def unfinished_boards(boards: ArrayLike, n_checkers: int = 15) -> NDArray[np.int8]: ...
def sigmoid_table() -> NDArray[np.int32]: ...
def sigmoid(z: NDArray[np.int32]) -> NDArray[np.int32]: ...

@disjoint_base
class ValueNet:
    def __init__(
        self,
        rows: NDArray[Any],
        bias: NDArray[Any],
        out: NDArray[Any],
        out_bias: NDArray[Any],
    ) -> None: ...

@disjoint_base
class DeepNet:
    def __init__(
        self,
        rows: NDArray[Any],
        bias: NDArray[Any],
        second: NDArray[Any],
        second_bias: NDArray[Any],
        third: NDArray[Any],
        third_bias: NDArray[Any],
        out: NDArray[Any],
        out_bias: NDArray[Any],
        relations: NDArray[Any] | None = None,
        reach: NDArray[Any] | None = None,
    ) -> None: ...
    @property
    def hidden(self) -> int: ...
    @property
    def second(self) -> int: ...
    @property
    def relations(self) -> bool: ...

@disjoint_base
class AnyRollNet:
    def __init__(self, *args: Any, **kwargs: Any) -> None: ...
    def luck_of_rolls(self, boards: NDArray[np.int8]) -> NDArray[np.int32]: ...

@disjoint_base
class LuckNet(AnyRollNet):
    def __init__(
        self,
        rows: NDArray[Any],
        bias: NDArray[Any],
        pair_rows: NDArray[Any],
        pair_out: NDArray[Any],
        out: NDArray[Any],
        out_bias: NDArray[Any],
    ) -> None: ...
    def values(self, boards: NDArray[np.int8]) -> NDArray[np.float32]: ...

@disjoint_base
class RollNet(AnyRollNet):
    def __init__(
        self,
        rows: NDArray[Any],
        bias: NDArray[Any],
        moves: NDArray[Any],
        out: NDArray[Any],
        out_bias: NDArray[Any],
    ) -> None: ...
    @property
    def hidden(self) -> int: ...
