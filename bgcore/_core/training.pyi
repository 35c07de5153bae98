from typing import Literal

import numpy as np
from numpy.typing import NDArray

from bgcore._core.evaluator import Evaluator
from bgcore._core.network import AnyRollNet

OPENING: NDArray[np.int8]
FEATURES: int
RELATIONS: int
RELATION_LIMIT: float
VALUE_PARAMETERS: int
LUCK_PARAMETERS: int

def rolls_parameters(hidden: int) -> int: ...
def deep_parameters(hidden: int, second: int, relations: bool = False) -> tuple[int, int]: ...
def feature_matrix() -> NDArray[np.float32]: ...
def self_play(
    evaluator: Evaluator,
    key0: int,
    key1: int,
    first_game: int,
    n_games: int,
    trace: float,
    *,
    lookahead: bool = False,
    roll_net: AnyRollNet | None = None,
    layout: NDArray[np.int8] | None = None,
    opening: bool = True,
    most: int = 3,
    explore: int = 0,
) -> tuple[NDArray[np.int8], NDArray[np.float32]]: ...
def shuffled(key0: int, key1: int, index: int, n: int) -> NDArray[np.int64]: ...
def train(
    parameters: NDArray[np.float32],
    first: NDArray[np.float32],
    second: NDArray[np.float32],
    powers: NDArray[np.float64],
    boards: NDArray[np.int8],
    targets: NDArray[np.float32],
    order: NDArray[np.int64],
    batch: int,
    rate: float,
    *,
    kind: Literal["value", "luck"],
    hidden_bits: int = 0,
) -> float: ...
def train_deep(
    hidden: int,
    second: int,
    relations: bool,
    parameters: NDArray[np.float32],
    first: NDArray[np.float32],
    second_moment: NDArray[np.float32],
    powers: NDArray[np.float64],
    boards: NDArray[np.int8],
    targets: NDArray[np.float32],
    order: NDArray[np.int64],
    batch: int,
    rate: float,
    *,
    hidden_bits: int = 0,
) -> float: ...
def train_rolls(
    hidden: int,
    parameters: NDArray[np.float32],
    first: NDArray[np.float32],
    second: NDArray[np.float32],
    powers: NDArray[np.float64],
    boards: NDArray[np.int8],
    targets: NDArray[np.float32],
    order: NDArray[np.int64],
    batch: int,
    rate: float,
) -> float: ...
def hidden_active(
    hidden: int,
    second: int,
    relations: bool,
    parameters: NDArray[np.float32],
    boards: NDArray[np.int8],
) -> NDArray[np.int64]: ...
def core_boards(boards: NDArray[np.int8]) -> NDArray[np.int8]: ...
