"""A game in letters: its picture for a terminal, and its actions as lines.

Player 0 is X, player 1 is O. A picture is seen by one player: he sits at the bottom, and the
points are numbered as he counts them.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from bgcore.actions import (
    Action,
    Double,
    Drop,
    Irregular,
    MakePlay,
    MakeStep,
    Resign,
    Roll,
    Settle,
)
from bgcore.board import Board
from bgcore.errors import BoardError
from bgcore.game import Game, HistoryEntry
from bgcore.game_state import GameState, Stage
from bgcore.scoring import GameResult, WinKind

__all__ = [
    "Line",
    "Span",
    "action_line",
    "dice_text",
    "game_lines",
    "game_picture",
    "plain",
    "result_line",
    "score_line",
]

_ROWS = 5  # checkers of a stack that are drawn one by one
_HALF = 18
_GAP = 3
_LETTERS = "XO"
_SIDE = 34


class Span(NamedTuple):
    """A piece of a line.

    Attributes
    ----------
    text : str
    role : {"", "frame", "number", "player0", "player1", "cube", "strong", "quiet"}
        What it shows, for who wants to colour it.
    """

    text: str
    role: str = ""


Line: TypeAlias = tuple[Span, ...]


def plain(line: Line) -> str:
    """Return the letters of a line."""
    return "".join(span.text for span in line).rstrip()


# ---- the picture ----


def game_picture(
    state: GameState,
    names: Sequence[str] = ("X", "O"),
    *,
    viewer: int = 0,
    home: str = "right",
    width: int = 80,
) -> list[Line]:
    """Return a picture of a game: board, cube, pips, score, whose turn it is and the dice.

    Parameters
    ----------
    state : GameState
    names : (str, str), default ("X", "O")
        Of player 0 and player 1.
    viewer : {0, 1}, default 0
        Who sits at the bottom.
    home : {"right", "left"}, default "right"
        Where the home boards are drawn.
    width : int, default 80
        Columns there are. What stands beside the board stands below it where this is too few.

    Returns
    -------
    list of Line

    Raises
    ------
    BoardError
        Another value of `home`.
    """
    board = _board_lines(state.board_swapped_for(viewer), viewer, home)
    side = _side_lines(state, names, viewer)
    room = width - len(plain(board[0])) - _GAP
    if room < _SIDE:
        return [*board, *(line for line in side if line)]
    return [
        (*line, Span(" " * _GAP), *_cut(beside, room)) if beside else line
        for line, beside in zip(board, side, strict=True)
    ]


def _columns(home: str) -> tuple[list[int], list[int]]:
    """Return the points of the upper and the lower edge from left to right, 12 each."""
    if home == "right":
        return list(range(13, 25)), list(range(12, 0, -1))
    if home == "left":
        return list(range(24, 12, -1)), list(range(1, 13))
    raise BoardError(f"home is {home!r}; the home board is drawn at the 'right' or the 'left'")


def _board_lines(board: Board, viewer: int, home: str) -> list[Line]:
    upper, lower = _columns(home)
    lines = [_edge(upper)]
    lines += [_row(board, upper, board[0], depth, viewer) for depth in range(_ROWS)]
    middle = " " * _HALF
    lines.append((Span(f"|{middle}|BAR|{middle}|", "frame"),))
    lines += [_row(board, lower, board[25], depth, viewer) for depth in reversed(range(_ROWS))]
    lines.append(_edge(lower))
    return lines


def _edge(points: list[int]) -> Line:
    names = [f"{point:->2}-" for point in points]
    return (
        Span("+", "frame"),
        Span("".join(names[:6]), "number"),
        Span("-----", "frame"),
        Span("".join(names[6:]), "number"),
        Span("+", "frame"),
    )


def _row(board: Board, points: list[int], bar: int, depth: int, viewer: int) -> Line:
    cells = [_checker(board[point], depth, viewer) for point in points]
    frame = Span("|", "frame")
    return (frame, *cells[:6], frame, _checker(bar, depth, viewer), frame, *cells[6:], frame)


def _checker(count: int, depth: int, viewer: int) -> Span:
    """Return what three letters of a row show of a stack."""
    if abs(count) <= depth:
        return Span("   ")
    player = viewer if count > 0 else 1 - viewer
    role = f"player{player}"
    if depth == _ROWS - 1 and abs(count) > _ROWS:
        return Span(f"{abs(count):>2} ", role)
    return Span(f" {_LETTERS[player]} ", role)


def _side_lines(state: GameState, names: Sequence[str], viewer: int) -> list[Line]:
    """Return what stands beside the 13 lines of the board; empty where nothing does."""
    lines: list[Line] = [()] * 13
    top, bottom = 1 - viewer, viewer
    lines[0], lines[1] = _player_lines(state, names, top)
    lines[12], lines[11] = _player_lines(state, names, bottom)
    lines[5] = (Span(score_line(state, names)),)
    lines[7] = (Span(_now(state, names), "strong"),)
    if state.rules.cube:
        place = {None: 6, top: 2, bottom: 10}[state.cube.owner]
        lines[place] = _cube_line(state, names)
    return lines


def _player_lines(state: GameState, names: Sequence[str], player: int) -> tuple[Line, Line]:
    board = state.board_swapped_for(player)
    mark = "*" if state.actor == player else " "
    name = Span(f"{mark}{_LETTERS[player]}  {names[player]}", f"player{player}")
    off = f", {board.off} off" if board.off else ""
    return (name,), (Span(f"    {board.pips} pips{off}"),)


def _cube_line(state: GameState, names: Sequence[str]) -> Line:
    cube = state.cube
    if cube.is_resting:
        return (Span("no cube in the Crawford game", "quiet"),)
    place = "in the middle" if cube.owner is None else names[cube.owner]
    return Span(f"[{cube.value}]", "cube"), Span(f" cube: {place}", "quiet")


def _now(state: GameState, names: Sequence[str]) -> str:
    """Say what the game waits for."""
    if state.actor is None:
        return "" if state.result is None else "the game is over"
    name = names[state.actor]
    if state.stage is Stage.PLAY:
        left = "" if not state.steps else f", left {' '.join(map(str, state.dice_left))}"
        return f"{name} to play {dice_text(state.dice)}{left}"
    if state.stage is Stage.ANSWER:
        return f"{name} to answer: cube to {state.offer}?"
    if state.stage is Stage.RESIGNATION:
        return f"{name} to answer a resignation"
    return f"{name} to roll"


def _cut(line: Line, room: int) -> Line:
    """Shorten a line to so many letters."""
    kept = []
    for span in line:
        text = span.text if len(span.text) <= room else span.text[: max(room - 1, 0)] + "~"
        kept.append(Span(text if room > 0 else "", span.role))
        room -= len(text)
    return tuple(kept)


def score_line(state: GameState, names: Sequence[str] = ("X", "O")) -> str:
    """Return the score before the game in words, with the length and the Crawford game."""
    score = f"{names[0]} {state.scores[0]}, {names[1]} {state.scores[1]}"
    if not state.length:
        return f"money game; {score}"
    kind = ""
    if state.is_crawford:
        kind = ", Crawford game"
    elif state.is_post_crawford and state.rules.crawford:
        kind = ", post-Crawford"
    return f"to {state.length}{kind}; {score}"


# ---- what was done ----


def dice_text(dice: tuple[int, int] | None) -> str:
    """Return a roll with the larger number first; empty if there is none."""
    return "" if dice is None else f"{max(dice)}-{min(dice)}"


def action_line(entry: HistoryEntry, after: GameState, names: Sequence[str] = ("X", "O")) -> str:
    """Return one line that tells an action; empty for a roll that a play will tell.

    Parameters
    ----------
    entry : HistoryEntry
    after : GameState
        The state that followed.
    names : (str, str)
    """
    before, action = entry.before, entry.action
    if isinstance(action, Roll) and before.stage is Stage.OPENING:
        return _opening_line(action, before, after, names)
    if isinstance(action, Settle):
        return "settled"
    actor = before.actor
    if isinstance(action, Roll) or actor is None:
        return ""
    return f"{names[actor]}: {_words(action, before)}"


def _opening_line(action: Roll, before: GameState, after: GameState, names: Sequence[str]) -> str:
    die0, die1 = action.dice or (0, 0)
    thrown = f"opening roll: {names[0]} {die0}, {names[1]} {die1}"
    if after.on_roll is not None:
        return f"{thrown}; first: {names[after.on_roll]}"
    doubled = f", the cube goes to {after.cube.value}" if after.cube != before.cube else ""
    return f"{thrown}; again{doubled}"


def _words(action: Action, before: GameState) -> str:
    if isinstance(action, MakePlay):
        return f"{dice_text(before.dice)} {action.play}"
    if isinstance(action, MakeStep):
        return f"{dice_text(before.dice)} {str(action).removeprefix('step ')}"
    if isinstance(action, Irregular):
        return (
            f"{dice_text(before.dice)} {str(action).removeprefix('irregular ')} (against the rules)"
        )
    if isinstance(action, Double):
        return f"double to {2 * before.cube.value}"
    if isinstance(action, Resign):
        return f"resign a {_KINDS[action.kind]}"
    if isinstance(action, Drop):
        return "drop"
    return str(action)


_KINDS = {WinKind.SINGLE: "single game", WinKind.GAMMON: "gammon", WinKind.BACKGAMMON: "backgammon"}


def result_line(result: GameResult, names: Sequence[str] = ("X", "O")) -> str:
    """Return who won a game, how, and how many points."""
    points = "1 point" if result.points == 1 else f"{result.points} points"
    cube = "" if result.cube == 1 else f", cube {result.cube}"
    if result.ending == "dropped":
        how = "dropped"
    elif result.ending == "resigned":
        how = f"{_KINDS[result.kind]}, resigned"
    elif result.ending == "settled":
        how = "settled"
    else:
        how = _KINDS[result.kind]
    return f"{points} for {names[result.winner]} ({how}{cube})"


def game_lines(game: Game, names: Sequence[str] = ("X", "O")) -> list[str]:
    """Return a whole game as lines: every play, double and answer, and the result.

    Turns are numbered; those made step by step stand there as whole plays.
    """
    lines = []
    turns = game.turns()
    number = 0
    history = game.history
    for i, entry in enumerate(history):
        after = history[i + 1].before if i + 1 < len(history) else game.state
        if isinstance(entry.action, (MakePlay, MakeStep)):
            if after.steps:
                continue
            turn = next(turns)
            number += 1
            words = f"{dice_text(turn.dice)} {turn.play}"
            lines.append(f"{number:>3}. {names[turn.player]}: {words}")
        elif line := action_line(entry, after, names):
            lines.append(f"     {line}")
    if game.result is not None:
        lines.append(f"     {result_line(game.result, names)}")
    return lines
