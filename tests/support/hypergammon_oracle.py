"""Hypergammon solved slowly, from the rule texts: the plays of `oracle`, and the rules of the cube.

Positions are boards as in `oracle`, of a game in which each side has n checkers. Values are seen by
the side on roll, for each point of the cube, in the order of KINDS.
"""

import numpy as np
import oracle

#: No cube; it is owned, the opponent's, in the middle; there with the Jacoby rule; and beavers.
KINDS = ("none", "own", "opponent", "centred", "jacoby", "beaver")
#: What the opponent has of the same cube.
ACROSS = [KINDS.index(kind) for kind in ("none", "opponent", "own", "centred", "jacoby", "beaver")]


def worth(board, n):
    """Points of a finished game for the side that has borne off; None if it is not finished."""
    own, other = oracle.checkers(board)
    if own:
        return None
    if other < n:
        return 1
    in_home_or_bar = any(board[i] < 0 for i in range(7))
    return 3 if in_home_or_bar else 2


def positions(n):
    """Every position of an unfinished game, with the boards that are possible."""
    sides = [side for k in range(1, n + 1) for side in _sides(k)]
    for own in sides:
        for other in sides:
            board = [0] * 26
            for point in own:
                board[point] += 1
            clash = any(board[25 - point] > 0 and point < 25 for point in other)
            if clash:
                continue
            for point in other:
                board[25 - point] -= 1
            yield tuple(board)


def _sides(k):
    if k == 0:
        return [()]
    return [(first, *rest) for rest in _sides(k - 1) for first in range(1, (rest or (25,))[0] + 1)]


def rolled(values_of, board, n):
    """Values of a side that rolls now without doubling.

    `values_of` gives those of a side on roll that may double first.
    """
    total = np.zeros(len(KINDS))
    for die1, die2 in oracle.ROLLS:
        best = np.full(len(KINDS), -np.inf)
        for after in oracle.boards_after(board, die1, die2) or {board}:
            points = worth(after, n)
            if points is None:
                value = -np.asarray(values_of(oracle.swap(after)))[ACROSS]
            else:
                # by the Jacoby rule only a turned cube makes gammons count
                value = np.array([points] * 4 + [1, 1], float)
            best = np.maximum(best, value)
        total += best * (1 if die1 == die2 else 2) / 36
    return total


def doubled(values):
    """Values of a side that may double first, from those of one that does not."""
    taken = 2 * values[KINDS.index("opponent")]  # twice the cube, and the other side owns it
    best = values.copy()
    for kind in ("own", "centred", "jacoby", "beaver"):
        answer = min(taken, 1)
        if kind == "beaver":
            answer = min(answer, 2 * taken)  # or he turns it back, and keeps it
        best[KINDS.index(kind)] = max(values[KINDS.index(kind)], answer)
    return best


def solve(n, small=1e-12):
    """Solve a game by plain value iteration: position -> values without a double now."""
    boards = list(positions(n))
    number = {board: i for i, board in enumerate(boards)}
    # behind the positions: games lost by 1, 2 and 3 points, seen by the loser
    values = np.zeros((len(boards) + 3, len(KINDS)))
    for points in (1, 2, 3):
        values[len(boards) + points - 1] = [-points] * 4 + [-1, -1]
    reached = [
        [
            number[oracle.swap(after)]
            if worth(after, n) is None
            else len(boards) + worth(after, n) - 1
            for after in oracle.boards_after(board, *dice) or {board}
        ]
        for board in boards
        for dice in oracle.ROLLS
    ]
    most = max(map(len, reached))
    plays = np.array([places + places[:1] * (most - len(places)) for places in reached])
    weights = np.array([1 if a == b else 2 for a, b in oracle.ROLLS]) / 36
    while True:
        best = (-values[plays][..., ACROSS]).max(axis=1).reshape(len(boards), 21, len(KINDS))
        rolls = np.einsum("prk,r->pk", best, weights)
        new = np.array([doubled(value) for value in rolls])
        change = np.abs(new - values[: len(boards)]).max()
        values[: len(boards)] = new
        if change < small:
            return dict(zip(boards, rolls, strict=True))
