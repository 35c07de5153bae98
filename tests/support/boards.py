"""Boards for tests: from the notation `point:count`, and drawn by hypothesis."""

from collections.abc import Sequence

from hypothesis import strategies as st

from bgcore import Board


def cells_of(own: str, opponent: str) -> list[int]:
    """Return 26 cells. Each side in its OWN numbering: "24:2 13:5 bar:1"; "off" is ignored."""
    cells = [0] * 26
    for text, sign in ((own, 1), (opponent, -1)):
        for item in text.split():
            point, _, count = item.partition(":")
            if point == "off":
                continue
            index = 25 if point == "bar" else int(point)
            index = index if sign > 0 else 25 - index
            if cells[index]:
                raise ValueError(f"index {index} twice: {own!r} / {opponent!r}")
            cells[index] = sign * int(count or 1)
    return cells


def head_of(cells: Sequence[int]) -> int:
    """Return the head of a net: 0 a race; else by the points in the other home board, 0, 1 or 2+."""
    own = [i for i in range(26) if cells[i] > 0]
    opp = [i for i in range(26) if cells[i] < 0]
    if max(own) < min(opp):
        return 0
    return 1 + 3 * min(2, sum(i >= 19 for i in own)) + min(2, sum(i <= 6 for i in opp))


@st.composite
def boards(draw: st.DrawFn, n_checkers: int = 15) -> Board:
    """Any possible board, finished games too, mostly asymmetric."""
    cells = [0] * 26
    own_points = draw(st.lists(st.integers(1, 25), min_size=0, max_size=n_checkers))
    for point in own_points:
        cells[point] += 1
    free = [i for i in range(25) if cells[i] == 0]
    least = 0 if own_points else 1
    for point in draw(st.lists(st.sampled_from(free), min_size=least, max_size=n_checkers)):
        cells[point] -= 1
    board = Board(cells, n_checkers=n_checkers, check=False)
    if not board.is_valid():
        cells[25] = 0
        board = Board(cells, n_checkers=n_checkers)
    return board
