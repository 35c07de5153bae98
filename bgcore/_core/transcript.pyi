from bgcore._core.board import BoardBase

class Transcript:
    def follow(
        self, text: bytes, layout: BoardBase, cube_limit: int, most_returns: int
    ) -> tuple[int, int, int, int, int, int, int, int, bool, bool, bytes] | None: ...
