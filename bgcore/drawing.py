"""Pictures of a board, as text and as SVG.

The player on roll sits at the bottom and has the home board at the right (or left); his checkers
are X in text and light in SVG, the opponent's O and dark.
"""

from xml.sax.saxutils import escape

from bgcore._core.board import STATUS_TEXTS, BoardBase
from bgcore.errors import BoardError

_ROWS = 5  # checkers of a stack that are drawn one by one

# SVG, in user units
_COLUMN = 40
_RADIUS = 18
_PITCH = 2 * _RADIUS
_TRIANGLE = 178
_MARGIN = 26
_GAP = 24
_INNER = 2 * _ROWS * _PITCH + _GAP
_TRAY = 58
_SLAB = 10

_STYLE = {
    "frame": "#4a3728",
    "felt": "#efe3cd",
    "point0": "#c8a06a",
    "point1": "#9c6b43",
    "own": "#fbfaf6",
    "opponent": "#2b2b30",
    "line": "#1d1712",
}


def _columns(home: str) -> tuple[list[int], list[int]]:
    """Return the points of the upper and the lower edge from left to right, 12 each."""
    if home == "right":
        return list(range(13, 25)), list(range(12, 0, -1))
    if home == "left":
        return list(range(24, 12, -1)), list(range(1, 13))
    raise BoardError(f"home is {home!r}; the home board is drawn at the 'right' or the 'left'")


def _faults(board: BoardBase) -> list[str]:
    flags = board.status_flags()
    return [words for flag, words in STATUS_TEXTS.items() if flags & flag]


# ---- text ----


def board_text(board: BoardBase, *, home: str = "right") -> str:
    """Return a picture of a board in plain letters.

    Parameters
    ----------
    board : BoardBase
        Seen by the player on roll, who is drawn at the bottom as X.
    home : {"right", "left"}
        Where the home boards are drawn.

    Returns
    -------
    str
        Lines without a newline at the end. A stack of more than five shows its number.

    Raises
    ------
    BoardError
        Another value of `home`.
    """
    upper, lower = _columns(home)
    lines = [_edge(upper) + f"  O: {board.opponent_pips} pips, {board.opponent_off} off"]
    lines += [_row(board, upper, board[0], depth) for depth in range(_ROWS)]
    lines.append("|" + " " * 18 + "|BAR|" + " " * 18 + "|")
    lines += [_row(board, lower, board[25], depth) for depth in reversed(range(_ROWS))]
    lines.append(_edge(lower) + f"  X: {board.pips} pips, {board.off} off, on roll")
    lines += [f"impossible: {fault}" for fault in _faults(board)]
    return "\n".join(lines)


def _edge(points: list[int]) -> str:
    names = [f"{point:->2}-" for point in points]
    return "+" + "".join(names[:6]) + "-----" + "".join(names[6:]) + "+"


def _row(board: BoardBase, points: list[int], bar: int, depth: int) -> str:
    cells = [_letter(board[point], depth) for point in points]
    return "|" + "".join(cells[:6]) + "|" + _letter(bar, depth) + "|" + "".join(cells[6:]) + "|"


def _letter(count: int, depth: int) -> str:
    """Return what three letters of a row show of a stack."""
    if abs(count) <= depth:
        return "   "
    if depth == _ROWS - 1 and abs(count) > _ROWS:
        return f"{abs(count):>2} "
    return " X " if count > 0 else " O "


# ---- SVG ----


def board_svg(board: BoardBase, *, home: str = "right") -> str:
    """Return a picture of a board as an SVG document.

    Parameters
    ----------
    board : BoardBase
        Seen by the player on roll, who is drawn at the bottom with the light checkers.
    home : {"right", "left"}
        Where the home boards and the checkers borne off are drawn.

    Returns
    -------
    str
        One `<svg>` element. A stack of more than five shows its number.

    Raises
    ------
    BoardError
        Another value of `home`.
    """
    upper, lower = _columns(home)
    left = _MARGIN + (_TRAY if home == "left" else 0)
    width = 2 * _MARGIN + 13 * _COLUMN + _TRAY
    height = 2 * _MARGIN + _INNER
    tray_x = width - _MARGIN - _TRAY if home == "right" else _MARGIN
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            f' width="{width}" height="{height}" role="img"'
            ' font-family="sans-serif" font-size="13" text-anchor="middle">'
        ),
        f"<title>{escape(_title(board))}</title>",
        f'<rect width="{width}" height="{height}" rx="6" fill="{_STYLE["frame"]}"/>',
    ]
    for x in (left, left + 7 * _COLUMN):
        parts.append(
            f'<rect x="{x}" y="{_MARGIN}" width="{6 * _COLUMN}" height="{_INNER}"'
            f' fill="{_STYLE["felt"]}"/>'
        )
    for i in range(12):
        x = left + (i + (i > 5)) * _COLUMN
        parts += _point(x, board, upper[i], i, is_upper=True)
        parts += _point(x, board, lower[i], i, is_upper=False)
    middle = left + 6 * _COLUMN + _COLUMN // 2
    parts += _stack(middle, board[0], is_upper=True)
    parts += _stack(middle, board[25], is_upper=False)
    parts += _tray(tray_x, board.opponent_off, board.opponent_pips, is_upper=True)
    parts += _tray(tray_x, board.off, board.pips, is_upper=False)
    parts.append("</svg>")
    return "\n".join(parts)


def _title(board: BoardBase) -> str:
    words = (
        f"Backgammon board; on roll (light, bottom): {board.pips} pips, {board.off} off;"
        f" opponent (dark, top): {board.opponent_pips} pips, {board.opponent_off} off"
    )
    return "; impossible: ".join([words, *_faults(board)])


def _label(x: int, y: int, text: str, colour: str) -> str:
    return f'<text x="{x}" y="{y}" fill="{colour}">{text}</text>'


def _point(x: int, board: BoardBase, point: int, column: int, *, is_upper: bool) -> list[str]:
    """Draw one triangle, its number and its checkers."""
    middle = x + _COLUMN // 2
    base = _MARGIN if is_upper else _MARGIN + _INNER
    tip = base + (_TRIANGLE if is_upper else -_TRIANGLE)
    colour = _STYLE[f"point{(column + is_upper) % 2}"]
    return [
        f'<path d="M{x} {base}H{x + _COLUMN}L{middle} {tip}Z" fill="{colour}"/>',
        _label(middle, base + (-8 if is_upper else 18), str(point), _STYLE["felt"]),
        *_stack(middle, board[point], is_upper=is_upper),
    ]


def _stack(x: int, count: int, *, is_upper: bool) -> list[str]:
    """Draw the checkers of one point or of the bar, from its edge to the middle."""
    side, other = ("own", "opponent") if count > 0 else ("opponent", "own")
    parts = []
    y = 0
    for depth in range(min(abs(count), _ROWS)):
        distance = _RADIUS + depth * _PITCH
        y = _MARGIN + distance if is_upper else _MARGIN + _INNER - distance
        parts.append(
            f'<circle cx="{x}" cy="{y}" r="{_RADIUS - 1}" fill="{_STYLE[side]}"'
            f' stroke="{_STYLE["line"]}" stroke-width="1.5"/>'
        )
    if abs(count) > _ROWS:
        parts.append(_label(x, y + 5, str(abs(count)), _STYLE[other]))
    return parts


def _tray(x: int, off: int, pips: int, *, is_upper: bool) -> list[str]:
    """Draw the checkers that one side has borne off, their number, and its pip count."""
    height = 15 * _SLAB
    top = _MARGIN if is_upper else _MARGIN + _INNER - height
    x += (_TRAY - _COLUMN) // 2
    middle = x + _COLUMN // 2
    parts = [
        (
            f'<rect x="{x}" y="{top}" width="{_COLUMN}" height="{height}" rx="3"'
            f' fill="{_STYLE["line"]}" fill-opacity="0.35"/>'
        )
    ]
    for i in range(off):
        y = top + i * _SLAB if is_upper else top + height - (i + 1) * _SLAB
        parts.append(
            f'<rect x="{x + 1}" y="{y + 0.5}" width="{_COLUMN - 2}" height="{_SLAB - 1}" rx="2"'
            f' fill="{_STYLE["opponent" if is_upper else "own"]}" stroke="{_STYLE["line"]}"/>'
        )
    below = top + height + 16 if is_upper else top - 8
    parts.append(_label(middle, below, f"{off} off", _STYLE["felt"]))
    parts.append(
        _label(middle, _MARGIN - 8 if is_upper else _MARGIN + _INNER + 18, str(pips), _STYLE["own"])
    )
    return parts
