from typing import TypeAlias, final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bgcore._core.bearoff import BearoffTables
from bgcore._core.cubeful import CubeRows
from bgcore._core.dice import DiceStream
from bgcore._core.evaluator import Evaluator
from bgcore._core.network import AnyRollNet

NO_LUCK: int
TABLE_LUCK: int
NET_LUCK: int
PLAYER_LUCK: int
BEST_PLAY: int
RANDOM_PLAY: int
TABLE_PLAY: int
PIPS_PLAY: int
VALUES: int
VALUES_WITH_CUBE: int

_Totals: TypeAlias = tuple[
    NDArray[np.int64], NDArray[np.uint64], NDArray[np.int64], NDArray[np.int64]
]

@final
class Playout:
    dice: DiceStream
    player: Evaluator | None
    evaluator: Evaluator | None
    roll_net: AnyRollNet | None
    tables: BearoffTables | None
    cube: CubeRows | None
    n_checkers: int
    def __init__(
        self,
        dice: DiceStream,
        policy: int,
        *,
        player: Evaluator | None = None,
        evaluator: Evaluator | None = None,
        roll_net: AnyRollNet | None = None,
        tables: BearoffTables | None = None,
        luck: int = ...,
        truncate: int = 0,
        stop_at_tables: bool = False,
        max_plies: int = 10000,
        cube: CubeRows | None = None,
        n_checkers: int = 15,
    ) -> None: ...
    def blocks(
        self,
        boards: NDArray[np.int8],
        swapped: bool,
        first: int,
        n: int,
        size: int,
        *,
        starts: ArrayLike | None = None,
    ) -> _Totals: ...
    def trial_values(
        self,
        board: NDArray[np.int8],
        swapped: bool,
        first: int,
        n: int,
        *,
        row: int = 0,
        rolls: bool = False,
    ) -> tuple[NDArray[np.int64], NDArray[np.int64]]: ...

@final
class Lockstep:
    playout: Playout
    def __init__(
        self,
        playout: Playout,
        boards: NDArray[np.int8],
        swapped: bool,
        first: int,
        n: int,
        *,
        starts: ArrayLike | None = None,
    ) -> None: ...
    def cube_boards(self) -> NDArray[np.int8]: ...
    def play_cube(self, fives: NDArray[np.int32]) -> None: ...
    def roll(self) -> tuple[NDArray[np.int8], NDArray[np.int8], NDArray[np.int64]]: ...
    def luck_wanted(self, all_of_them: bool) -> NDArray[np.int64]: ...
    def add_luck(self, values: NDArray[np.int32], rows: NDArray[np.int64]) -> None: ...
    def choose(self) -> NDArray[np.int64]: ...
    def choose_by(self, fives: NDArray[np.int32], is_judge: bool) -> NDArray[np.int64]: ...
    def play(self, indices: NDArray[np.int64]) -> NDArray[np.int8]: ...
    def finish(self, fives: NDArray[np.int32]) -> None: ...
    def totals(self, size: int) -> _Totals: ...

def random_games(
    dice: DiceStream, board: NDArray[np.int8], first: int, n: int
) -> tuple[int, tuple[int, int, int, int, int, int]]: ...
