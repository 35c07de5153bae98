"""Pictures of a board, as text, as SVG and as PNG.

The side that the board is seen by sits at the bottom and has the home board at the right (or left);
its checkers are X in text and light in SVG, the other side's O and dark. A `Scene` adds what stands
around the board: cube, dice, words.
"""

from dataclasses import dataclass
from typing import Literal
from xml.sax.saxutils import escape

from bgcore._core.board import STATUS_TEXTS, BoardBase
from bgcore.errors import BoardError, DrawingError

Side = Literal["lower", "upper"]

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

_CUBE = 44
_DIE = 22
_LINE = 22
_MARKS = {
    1: ((0, 0),),
    2: ((-1, -1), (1, 1)),
    3: ((-1, -1), (0, 0), (1, 1)),
    4: ((-1, -1), (-1, 1), (1, -1), (1, 1)),
    5: ((-1, -1), (-1, 1), (0, 0), (1, -1), (1, 1)),
    6: ((-1, -1), (-1, 0), (-1, 1), (1, -1), (1, 0), (1, 1)),
}

#: Programs that turn SVG into pixels may know no fallback for a family that is not there.
_FONTS = "Arial, Helvetica, Liberation Sans, DejaVu Sans, Noto Sans, sans-serif"

_STYLE = {
    "frame": "#4a3728",
    "felt": "#efe3cd",
    "point0": "#c8a06a",
    "point1": "#9c6b43",
    "own": "#fbfaf6",
    "opponent": "#2b2b30",
    "line": "#1d1712",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What a picture shows beside the checkers.

    Attributes
    ----------
    on_roll : {"lower", "upper"} or None, default "lower"
        Whose turn it is. The points bear this side's numbers.
    names : (str, str), default ("", "")
        What the lower and the upper side are called beside X and O.
    cube : int or None, default None
        None for a game without a cube.
    cube_owner : {"lower", "upper"} or None, default None
    dice : (int, int) or None, default None
        The roll of the side on roll.
    captions : tuple of str, default ()
        Lines below the board.
    """

    on_roll: Side | None = "lower"
    names: tuple[str, str] = ("", "")
    cube: int | None = None
    cube_owner: Side | None = None
    dice: tuple[int, int] | None = None
    captions: tuple[str, ...] = ()

    def number(self, point: int) -> int:
        """Return the number that a point of the lower side bears in the picture."""
        return 25 - point if self.on_roll == "upper" else point


_PLAIN = Scene()


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


def board_text(board: BoardBase, *, home: str = "right", scene: Scene | None = None) -> str:
    """Return a picture of a board in plain letters.

    Parameters
    ----------
    board : BoardBase
        Seen by the side that is drawn at the bottom as X: the player on roll, unless `scene` says
        that the upper side is.
    home : {"right", "left"}
        Where the home boards are drawn.
    scene : Scene, optional
        What stands around the board.

    Returns
    -------
    str
        Lines without a newline at the end. A stack of more than five shows its number.

    Raises
    ------
    BoardError
        Another value of `home`.
    """
    scene = scene or _PLAIN
    upper, lower = _columns(home)
    upper_line = f"  {_side_text('O', scene.names[1])}: {board.opponent_pips} pips"
    lower_line = f"  {_side_text('X', scene.names[0])}: {board.pips} pips"
    beside = {
        "upper": [f"{upper_line}, {board.opponent_off} off", *[""] * _ROWS],
        "middle": [""],
        "lower": [*[""] * _ROWS, f"{lower_line}, {board.off} off"],
    }
    if scene.on_roll is not None:
        beside[scene.on_roll][0 if scene.on_roll == "upper" else -1] += ", on roll"
        if scene.dice is not None:
            place = 3 if scene.on_roll == "upper" else 2
            beside[scene.on_roll][place] = f"  {scene.dice[0]}-{scene.dice[1]}"
    if scene.cube is not None:
        where = scene.cube_owner or "middle"
        beside[where][{"upper": 1, "middle": 0, "lower": -2}[where]] = f"  cube: {scene.cube}"
    pictures = [
        _edge(upper, scene),
        *(_row(board, upper, board[0], depth) for depth in range(_ROWS)),
        "|" + " " * 18 + "|BAR|" + " " * 18 + "|",
        *(_row(board, lower, board[25], depth) for depth in reversed(range(_ROWS))),
        _edge(lower, scene),
    ]
    notes = [*beside["upper"], *beside["middle"], *beside["lower"]]
    lines = [picture + note for picture, note in zip(pictures, notes, strict=True)]
    lines += [f"impossible: {fault}" for fault in _faults(board)]
    return "\n".join([*lines, *scene.captions])


def _side_text(letter: str, name: str) -> str:
    return f"{letter} ({name})" if name else letter


def _edge(points: list[int], scene: Scene) -> str:
    names = [f"{scene.number(point):->2}-" for point in points]
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


def board_svg(board: BoardBase, *, home: str = "right", scene: Scene | None = None) -> str:
    """Return a picture of a board as an SVG document.

    Parameters
    ----------
    board : BoardBase
        Seen by the side that is drawn at the bottom with the light checkers: the player on roll,
        unless `scene` says that the upper side is.
    home : {"right", "left"}
        Where the home boards and the checkers borne off are drawn.
    scene : Scene, optional
        What stands around the board.

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
    # the cube has its place on the other side of the checkers that are borne off
    cube_column = 0 if scene is None or scene.cube is None else _TRAY
    scene = scene or _PLAIN
    left = _MARGIN + (_TRAY if home == "left" else cube_column)
    width = 2 * _MARGIN + 13 * _COLUMN + _TRAY + cube_column
    height = 2 * _MARGIN + _INNER + _LINE * len(scene.captions)
    tray_x = width - _MARGIN - _TRAY if home == "right" else _MARGIN
    parts = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}"'
            f' width="{width}" height="{height}" role="img"'
            f' font-family="{_FONTS}" font-size="13" text-anchor="middle">'
        ),
        f"<title>{escape(_title(board, scene))}</title>",
        f'<rect width="{width}" height="{height}" rx="6" fill="{_STYLE["frame"]}"/>',
    ]
    for x in (left, left + 7 * _COLUMN):
        parts.append(
            f'<rect x="{x}" y="{_MARGIN}" width="{6 * _COLUMN}" height="{_INNER}"'
            f' fill="{_STYLE["felt"]}"/>'
        )
    for i in range(12):
        x = left + (i + (i > 5)) * _COLUMN
        parts += _point(x, board, upper[i], i, scene, is_upper=True)
        parts += _point(x, board, lower[i], i, scene, is_upper=False)
    middle = left + 6 * _COLUMN + _COLUMN // 2
    parts += _stack(middle, board[0], is_upper=True)
    parts += _stack(middle, board[25], is_upper=False)
    parts += _tray(tray_x, board.opponent_off, board.opponent_pips, is_upper=True)
    parts += _tray(tray_x, board.off, board.pips, is_upper=False)
    if scene.cube is not None:
        x = _MARGIN if home == "right" else width - _MARGIN - _TRAY
        parts += _cube(x + (_TRAY - _CUBE) // 2, scene)
    if scene.dice is not None:
        half = left + (10 * _COLUMN if scene.on_roll == "lower" else 3 * _COLUMN)
        parts += _die(half - _DIE, scene.dice[0], scene) + _die(half + _DIE, scene.dice[1], scene)
    for i, caption in enumerate(scene.captions):
        y = 2 * _MARGIN + _INNER + _LINE * i + 12
        parts.append(_label(width // 2, y, escape(caption), _STYLE["felt"]))
    parts.append("</svg>")
    return "\n".join(parts)


def _title(board: BoardBase, scene: Scene) -> str:
    marks = {side: "on roll, " if scene.on_roll == side else "" for side in ("lower", "upper")}
    words = (
        f"Backgammon board; {marks['lower']}light, bottom: {board.pips} pips, {board.off} off;"
        f" {marks['upper']}dark, top: {board.opponent_pips} pips, {board.opponent_off} off"
    )
    return "; ".join([words, *(f"impossible: {f}" for f in _faults(board)), *scene.captions])


def _cube(x: int, scene: Scene) -> list[str]:
    places = {"upper": _MARGIN, "lower": _MARGIN + _INNER - _CUBE}
    y = _MARGIN + (_INNER - _CUBE) // 2
    if scene.cube_owner is not None:
        y = places[scene.cube_owner]
    size = 20 if (scene.cube or 0) < 1000 else 13
    return [
        (
            f'<rect x="{x}" y="{y}" width="{_CUBE}" height="{_CUBE}" rx="6"'
            f' fill="{_STYLE["own"]}" stroke="{_STYLE["line"]}" stroke-width="1.5"/>'
        ),
        (
            f'<text x="{x + _CUBE // 2}" y="{y + _CUBE // 2 + size // 3}" font-size="{size}"'
            f' font-weight="bold" fill="{_STYLE["line"]}">{scene.cube}</text>'
        ),
    ]


def _die(x: int, number: int, scene: Scene) -> list[str]:
    """Draw a die around a place of the middle line."""
    y = _MARGIN + _INNER // 2
    side, other = ("own", "opponent") if scene.on_roll == "lower" else ("opponent", "own")
    parts = [
        (
            f'<rect x="{x - _DIE // 2}" y="{y - _DIE // 2}" width="{_DIE}" height="{_DIE}" rx="4"'
            f' fill="{_STYLE[side]}" stroke="{_STYLE["line"]}"/>'
        )
    ]
    parts += [
        f'<circle cx="{x + 6 * across}" cy="{y + 6 * down}" r="2" fill="{_STYLE[other]}"/>'
        for across, down in _MARKS[number]
    ]
    return parts


def _label(x: int, y: int, text: str, colour: str) -> str:
    return f'<text x="{x}" y="{y}" fill="{colour}">{text}</text>'


def _point(
    x: int, board: BoardBase, point: int, column: int, scene: Scene, *, is_upper: bool
) -> list[str]:
    """Draw one triangle, its number and its checkers."""
    middle = x + _COLUMN // 2
    base = _MARGIN if is_upper else _MARGIN + _INNER
    tip = base + (_TRIANGLE if is_upper else -_TRIANGLE)
    colour = _STYLE[f"point{(column + is_upper) % 2}"]
    return [
        f'<path d="M{x} {base}H{x + _COLUMN}L{middle} {tip}Z" fill="{colour}"/>',
        _label(middle, base + (-8 if is_upper else 18), str(scene.number(point)), _STYLE["felt"]),
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


# ---- PNG ----


def png_of(svg: str, *, zoom: float = 2.0) -> bytes:
    """Return an SVG picture as a PNG. Numbers and words need a font on the machine.

    Parameters
    ----------
    svg : str
        As `board_svg` makes it.
    zoom : float, default 2.0
        Pixels for each unit of the SVG, above 0 and up to 20.

    Raises
    ------
    DrawingError
        The package resvg-py is not installed, or the zoom is out of range.
    """
    if not 0 < zoom <= 20:
        raise DrawingError(f"the zoom of a picture is above 0 and up to 20, not {zoom!r}")
    try:
        from resvg_py import svg_to_bytes
    except ImportError:
        raise DrawingError(
            "PNG pictures need the package resvg-py: pip install 'bgcore[png]'"
        ) from None
    return bytes(svg_to_bytes(svg_string=svg, zoom=zoom))
