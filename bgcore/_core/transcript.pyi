from typing_extensions import disjoint_base

from bgcore._core.board import BoardBase

@disjoint_base
class Transcript:
    def follow(
        self, text: bytes, layout: BoardBase, cube_limit: int, most_returns: int
    ) -> tuple[int, int, int, int, int, int, int, int, bool, bool, bytes] | None: ...

def end_of_moves(text: bytes, start: int) -> tuple[int, int]: ...
