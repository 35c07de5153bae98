"""A board of any rules as letters: points, bars, hands, pins and what is borne off."""

from collections.abc import Sequence

from bgcore.checks import counted
from bgcore.errors import BoardError
from bgcore.game_state import Stage
from bgcore.game_text import Line, Span
from bgcore.variants import Side, VariantGameState

__all__ = ["score_words", "side_words", "variant_picture"]

_ROWS = 5
_LETTERS = "XO"


def variant_picture(
    state: VariantGameState,
    names: Sequence[str] = ("X", "O"),
    *,
    viewer: int = 0,
    home: str = "right",
) -> list[Line]:
    """Return a picture of a game of any rules.

    Player 0 is X, player 1 is O; a small letter is a checker that lies pinned under others. The
    points have the viewer's numbers.

    Parameters
    ----------
    state : VariantGameState
    names : (str, str), default ("X", "O")
    viewer : {0, 1}, default 0
        Who sits at the bottom.
    home : {"right", "left"}, default "right"
        Where the viewer's last points are drawn.

    Returns
    -------
    list of Line

    Raises
    ------
    BoardError
        Another value of `home`.
    """
    if home not in ("right", "left"):
        raise BoardError(f"home is {home!r}; the home board is drawn at the 'right' or the 'left'")
    upper, lower = list(range(13, 25)), list(range(12, 0, -1))
    if home == "left":
        upper.reverse()
        lower.reverse()
    stacks = {point: _stack(state, viewer, point) for point in range(1, 25)}
    lines = [_player_line(state, names, 1 - viewer), _edge(upper)]
    lines += [_row(stacks, upper, depth) for depth in range(_ROWS)]
    lines.append((Span(f"|{' ' * 18}|   |{' ' * 18}|", "frame"),))
    lines += [_row(stacks, lower, depth) for depth in reversed(range(_ROWS))]
    lines += [_edge(lower), _player_line(state, names, viewer)]
    if not state.cube.is_resting:
        owner = state.cube.owner
        place = "in the middle" if owner is None else names[owner]
        lines.append((Span(f"[{state.cube.value}]", "cube"), Span(f" cube: {place}", "quiet")))
    lines.append((Span(_now(state, names), "strong"),))
    return lines


def _stack(state: VariantGameState, viewer: int, point: int) -> list[Span]:
    """Return the checkers of a point, the one at the edge first."""
    rules = state.rules
    own, other = state.side(viewer), state.side(1 - viewer)
    across = rules.across(point)
    sides = ((viewer, own, point), (1 - viewer, other, across))
    pinned = [
        Span(f" {_LETTERS[player].lower()} ", f"player{player}")
        for player, side, number in sides
        if number in side.pinned
    ]
    free = [
        Span(f" {_LETTERS[player]} ", f"player{player}")
        for player, side, number in sides
        for _ in range(side.points[number - 1] - (number in side.pinned))
    ]
    return pinned + free


def _row(stacks: dict[int, list[Span]], points: Sequence[int], depth: int) -> Line:
    cells = [_cell(stacks[point], depth) for point in points]
    frame = Span("|", "frame")
    return (frame, *cells[:6], Span("|   |", "frame"), *cells[6:], frame)


def _cell(stack: list[Span], depth: int) -> Span:
    if len(stack) <= depth:
        return Span("   ")
    if depth == _ROWS - 1 and len(stack) > _ROWS:
        return Span(f"{len(stack):>2} ", stack[-1].role)
    return stack[depth]


def _edge(points: Sequence[int]) -> Line:
    names = [f"{point:->2}-" for point in points]
    return (
        Span("+", "frame"),
        Span("".join(names[:6]), "number"),
        Span("-----", "frame"),
        Span("".join(names[6:]), "number"),
        Span("+", "frame"),
    )


def _player_line(state: VariantGameState, names: Sequence[str], player: int) -> Line:
    side = state.side(player)
    mark = "*" if state.actor == player else " "
    return (
        Span(f"{mark}{_LETTERS[player]}  {names[player]}", f"player{player}"),
        Span(f": {side_words(side)}"),
    )


def side_words(side: Side) -> str:
    """Return what a side has besides its points: pips, bar, hand, pins, borne off, its score."""
    words = [f"{side.pips} pips"]
    if side.bar:
        words.append(f"{side.bar} on the bar")
    if side.hand:
        words.append(f"{side.hand} in hand")
    if side.pinned:
        words.append(f"pinned on {', '.join(map(str, side.pinned))}")
    if side.off:
        words.append(f"{side.off} off")
    if side.marked or side.holes:
        words.append(score_words(side))
    return ", ".join(words)


def score_words(side: Side) -> str:
    """Return what a side has marked in trictrac; a star means that the next hole counts double."""
    points = f"{counted(side.marked, 'point')}{'*' if side.bredouille else ''}"
    return f"{points} {counted(side.holes, 'hole')}"


def _now(state: VariantGameState, names: Sequence[str]) -> str:
    """Say what the game waits for."""
    if state.actor is None:
        return "" if state.result is None else "the game is over"
    name = names[state.actor]
    if state.stage is Stage.PLAY:
        thrown = "" if state.dice is None else f" after {'-'.join(map(str, state.dice))}"
        return f"{name} to play {' '.join(map(str, state.numbers))}{thrown}"
    if state.stage is Stage.CHOOSE:
        return f"{name} to name a doublet"
    if state.stage is Stage.LEAVE:
        return f"{name} to stay or leave"
    if state.stage is Stage.ANSWER:
        return f"{name} to answer: cube to {state.offer}?"
    if state.stage is Stage.RESIGNATION:
        return f"{name} to answer a resignation"
    return f"{name} to roll"
