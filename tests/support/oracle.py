"""Slow, obvious rules of a turn, written from the rule text. Imports nothing of bgcore.

A board is a tuple of 26 integers seen by the player on roll: index 1-24 are his points, 25 is
his bar, 0 the opponent's bar. His checkers are positive, the opponent's negative. What is missing
is borne off. A step is ``(start, end, hit)``: ``start`` 25 is the bar, ``end`` 0 is off.

The rule text
    Each number moves one checker forward to a point that is empty, own, or holds exactly one
    opposing checker, which goes to the bar. Doubles are four steps. While the player has checkers
    on the bar every step must enter one, on point 25 - n. When all his checkers are on 6 to 1, a
    number n removes a checker from point n, or the rearmost one if no checker stands on n or
    above. As many numbers as possible must be used; if only one of two can be used and either
    could be, the larger. The turn ends when the last checker is off; the duty to use both numbers
    comes first.
"""

import base64
import itertools
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

Board = tuple[int, ...]
Step = tuple[int, int, bool]

BAR = 25
OFF = 0
#: The 21 rolls in the order 1-1, 2-1, 2-2, 3-1 ... 6-6.
ROLLS = [(high, low) for high in range(1, 7) for low in range(1, high + 1)]


# ---- one step ----


def swap(board: Board) -> Board:
    """Return the same board seen by the other player."""
    return tuple(-board[25 - i] for i in range(26))


def pips(board: Board) -> int:
    """Return the pips that the player on roll needs to bear off."""
    return sum(i * n for i, n in enumerate(board) if n > 0)


def checkers(board: Board) -> tuple[int, int]:
    """Return how many checkers each side has on the board and the bar."""
    return sum(n for n in board if n > 0), -sum(n for n in board if n < 0)


def single_steps(board: Board, die: int) -> list[Step]:
    """Return every step that one number allows by itself, from the rearmost checker on."""
    starts = [BAR] if board[BAR] > 0 else [point for point in range(24, 0, -1) if board[point] > 0]
    steps = []
    for start in starts:
        end = start - die
        if end >= 1:
            if board[end] >= -1:
                steps.append((start, end, board[end] == -1))
        else:
            all_home = max(starts) <= 6
            exact = end == 0
            rearmost = start == max(starts)
            if all_home and (exact or rearmost):
                steps.append((start, OFF, False))
    return steps


def apply_step(board: Board, step: Step) -> Board:
    """Return the board after one step, still seen by the mover."""
    start, end, hit = step
    after = list(board)
    after[start] -= 1
    if hit:
        after[end] = 0
        after[0] -= 1
    if end != OFF:
        after[end] += 1
    return tuple(after)


# ---- whole plays ----


def _orders(dice: Iterable[int]) -> list[tuple[int, ...]]:
    """Return every order in which the numbers can be used."""
    return sorted(set(itertools.permutations(dice)))


def dice_of(d1: int, d2: int) -> tuple[int, ...]:
    """Return the numbers of a roll: two, or four for a double."""
    return (d1,) * 4 if d1 == d2 else (d1, d2)


def _sequences_in_order(
    board: Board, order: tuple[int, ...]
) -> Iterator[tuple[tuple[tuple[Step, int], ...], Board]]:
    """Yield every sequence of (step, number) that uses the numbers one after the other.

    A sequence ends where its next number cannot be used.
    """
    steps = single_steps(board, order[0]) if order else []
    if not steps:
        yield (), board
    for step in steps:
        for rest, after in _sequences_in_order(apply_step(board, step), order[1:]):
            yield ((step, order[0]), *rest), after


def all_plays(
    board: Board, dice: tuple[int, ...]
) -> list[tuple[tuple[tuple[Step, int], ...], Board]]:
    """Return every complete legal sequence of steps with the numbers left, and its board.

    ``dice`` is what is left of the roll: one to four numbers. Without a legal step the list holds
    the empty sequence.
    """
    found = [play for order in _orders(dice) for play in _sequences_in_order(board, order)]
    most = max(len(steps) for steps, _ in found)
    found = [play for play in found if len(play[0]) == most]
    if most == 1 and len(set(dice)) == 2:
        largest = max(steps[0][1] for steps, _ in found)
        found = [play for play in found if play[0][0][1] == largest]
    return found


def step_sequences(board: Board, d1: int, d2: int) -> set[tuple[Step, ...]]:
    """Return every complete legal sequence of steps of a roll; empty for a dance."""
    plays = all_plays(board, dice_of(d1, d2))
    return {tuple(step for step, _ in steps) for steps, _ in plays if steps}


def start_steps(board: Board, dice: tuple[int, ...]) -> set[tuple[int, int, int, bool]]:
    """Return (start, end, number, hit) of every step that begins a complete play."""
    return {(*steps[0][0][:2], steps[0][1], steps[0][0][2]) for steps, _ in
            all_plays(board, dice) if steps}  # fmt: skip


def boards_after(board: Board, d1: int, d2: int) -> set[Board]:
    """Return the distinct boards after every legal play of a roll; empty for a dance.

    The same as ``all_plays``, faster: boards reached by several sequences are followed once.
    """
    best: dict[int, set[Board]] = {}
    used: dict[int, set[int]] = {}
    for order in _orders(dice_of(d1, d2)):
        level = {board}
        for count, die in enumerate(order, 1):
            level = {apply_step(b, step) for b in level for step in single_steps(b, die)}
            if level:
                best.setdefault(count, set()).update(level)
                used.setdefault(count, set()).add(order[0])
    if not best:
        return set()
    most = max(best)
    if most == 1 and d1 != d2 and len(used[1]) == 2:
        die = max(d1, d2)
        return {apply_step(board, step) for step in single_steps(board, die)}
    return best[most]


# ---- text, for the fixtures ----


def _side(text: str) -> dict[str, int]:
    counts = {}
    for item in text.split():
        point, count = item.split(":")
        counts[point] = int(count)
    return counts


def parse_board(text: str) -> Board:
    """Read ``"24:2 bar:1 / 22:2 bar:1"``: both sides in the mover's numbering."""
    own, _, opp = text.partition("/")
    cells = [0] * 26
    for point, count in _side(own).items():
        if point != "off":
            cells[BAR if point == "bar" else int(point)] += count
    for point, count in _side(opp).items():
        if point != "off":
            cells[0 if point == "bar" else int(point)] -= count
    return tuple(cells)


def parse_position_id(text: str) -> Board:
    """Read a GNU position ID: first the player not on roll, then the player on roll.

    Each side is written as 25 runs of ones (points 1-24 in its own numbering, then the bar), each
    followed by a zero; the bits fill bytes from the lowest bit on.
    """
    data = base64.b64decode(text + "==")
    bits = iter([byte >> i & 1 for byte in data for i in range(8)])
    sides = []
    for _ in range(2):
        counts = []
        for _ in range(25):
            counts.append(len(list(itertools.takewhile(bool, bits))))
        sides.append(counts)
    opp, own = sides
    cells = [0] * 26
    for i in range(25):
        cells[i + 1] += own[i]
        cells[24 - i] -= opp[i]
    return tuple(cells)


def parse_roll(text: str) -> tuple[int, int]:
    """Read ``"6-4"``."""
    d1, d2 = text.split("-")
    return int(d1), int(d2)


class NotationError(Exception):
    """A play in a fixture does not fit its board."""


class Move(NamedTuple):
    """One item of a written play: the points visited, which of them are hit, how often."""

    points: list[int]
    hits: list[bool]
    times: int


def _parse_item(item: str) -> Move:
    match = re.fullmatch(r"([\w/*]+?)(?:\((\d)\))?", item)
    if match is None:
        raise NotationError(item)
    words = match[1].split("/")
    names = {"bar": BAR, "off": OFF}
    bare = [word.rstrip("*") for word in words]
    return Move(
        [names[word] if word in names else int(word) for word in bare],
        [word.endswith("*") for word in words],
        int(match[2] or 1),
    )


def apply_notation(board: Board, text: str) -> Board:
    """Return the board after a play written as GNU Backgammon does, e.g. ``bar/22 4/1*(2)``.

    Raises NotationError where a checker, or a blot at a star, is missing.
    """
    for item in text.split():
        move = _parse_item(item)
        for turn in range(move.times):
            for start, end, starred in zip(
                move.points, move.points[1:], move.hits[1:], strict=False
            ):
                blot = end != OFF and board[end] == -1
                if board[start] < 1 or (end != OFF and board[end] < -1):
                    raise NotationError(f"{text}: {start}/{end} cannot be played on {board}")
                if blot != (starred and turn == 0):
                    raise NotationError(f"{text}: star and blot do not agree on point {end}")
                board = apply_step(board, (start, end, blot))
    return board
