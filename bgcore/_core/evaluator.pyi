from typing import Any

import numpy as np
from numpy.typing import NDArray
from typing_extensions import disjoint_base

from bgcore._core.bearoff import BearoffTables
from bgcore._core.network import DeepNet, ValueNet

MOST_PLIES: int

@disjoint_base
class Evaluator:
    @property
    def net(self) -> DeepNet | ValueNet | None: ...
    @property
    def tables(self) -> BearoffTables | None: ...
    @property
    def first_choice(self) -> ValueNet | None: ...
    def __init__(
        self,
        net: DeepNet | ValueNet | None,
        tables: BearoffTables | None = None,
        first_choice: ValueNet | None = None,
        plies: int = 0,
        *,
        n_checkers: int = 15,
    ) -> None: ...
    @property
    def n_checkers(self) -> int: ...
    @property
    def plies(self) -> int: ...
    def evaluate_fixed(self, boards: NDArray[np.int8], *, after: bool) -> NDArray[np.int32]: ...
    def evaluate_core(self, boards: NDArray[np.int8]) -> NDArray[np.int32]: ...
    def evaluate(self, boards: NDArray[np.int8]) -> NDArray[np.float32]: ...
    def evaluate_after(self, boards: NDArray[np.int8]) -> NDArray[np.float32]: ...
    def equities_after(
        self, board: NDArray[np.int8], boards: NDArray[np.int8]
    ) -> NDArray[np.int64]: ...
    def best_plays(
        self, boards: NDArray[np.int8], dice: NDArray[Any], *, to_win: bool = False
    ) -> tuple[NDArray[np.int8], NDArray[np.int32]]: ...
    def best_fives(
        self, boards: NDArray[np.int8], *, to_win: bool = False
    ) -> NDArray[np.int32]: ...
    def best_equities(
        self, boards: NDArray[np.int8], *, to_win: bool = False
    ) -> NDArray[np.int64]: ...
    def luck(
        self, boards: NDArray[np.int8], dice: NDArray[Any], *, opening: bool, to_win: bool = False
    ) -> NDArray[np.float64]: ...
