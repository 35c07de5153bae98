"""Legal plays against other engines. Run with `pytest -m peers`, needs the extra `peers`.

Outcome with gnubg-nn 1.1.0a11, open-spiel 2.0.2 and bgsage 2.0.20260907:

* gnubg-nn: 50,000 pairs of position and roll out of random games and 50,000 with checkers thrown
  at random (bars, bear-offs, crowds): equal in every pair.
* open-spiel: all 5,965 turns of 60 of its own random games, doubles as its two half turns: equal.
* bgsage: 30,000 and 30,000 such pairs: equal but for 9 of the second kind, in which bgsage also
  bears off the last checker with one number although both can be played. The rules ask for both;
  a turn ends earlier only if the play that uses most numbers does.
"""

import itertools
import random

import numpy as np
import oracle
import pytest

from bgcore._core import movegen

pytestmark = pytest.mark.peers

OPENING = np.array(oracle.parse_position_id("4HPwATDgc/ABMA"), dtype=np.int8)


def from_random_games(n, rng):
    """Positions of games of random plays from the opening, each turn."""
    positions = []
    board = OPENING
    while len(positions) < n:
        positions.append(board)
        d1, d2 = rng.integers(1, 7, size=2).tolist()
        after = movegen.legal_boards(board, d1, d2)
        if len(after):
            board = after[rng.integers(len(after))]
        over = not (board > 0).any()
        board = OPENING if over else np.ascontiguousarray(-board[::-1])
    return np.array(positions)


def thrown(n, rng):
    """Positions of checkers thrown on the board, in many densities and zones."""
    positions = []
    while len(positions) < n:
        board = np.zeros(26, dtype=np.int8)
        low, high = sorted(rng.integers(1, 26, size=2).tolist())
        for point in rng.integers(low, high + 1, size=rng.integers(1, 16)).tolist():
            board[point] += 1
        low, high = sorted(rng.integers(0, 25, size=2).tolist())
        free = [point for point in range(low, high + 1) if board[point] == 0] or [0]
        for point in rng.choice(free, size=rng.integers(1, 16)).tolist():
            board[point] -= 1
        both_closed = board[25] > 0 and board[0] < 0 and (board[1:7] > 1).all()
        if not (both_closed and (board[19:25] < -1).all()):
            positions.append(board)
    return np.array(positions)


def rolls(n, rng):
    return rng.integers(1, 7, size=(n, 2)).astype(np.uint8)


def by_pair(boards, offsets):
    """The boards of each pair as a sorted list of 26 bytes."""
    rows = [row.tobytes() for row in boards]
    return [sorted(rows[a:b]) for a, b in itertools.pairwise(offsets)]


def from_keys(keys):
    """Boards (M, 26) of gnubg's 20-letter keys: nibbles as letters, the mover second.

    The bits are 50 runs of ones, each ended by a zero: a one belongs to the run whose number is
    the count of zeros before it.
    """
    letters = np.frombuffer("".join(keys).encode(), dtype=np.uint8).reshape(-1, 10, 2) - ord("A")
    data = letters[:, :, 0] * 16 + letters[:, :, 1]
    bits = np.unpackbits(data, axis=1, bitorder="little")
    run = np.cumsum(bits == 0, axis=1)
    counts = np.zeros((len(bits), 51), dtype=np.int8)
    row, column = np.nonzero(bits)
    np.add.at(counts, (row, np.minimum(run[row, column], 50)), 1)
    boards = np.zeros((len(bits), 26), dtype=np.int8)
    boards[:, 1:] = counts[:, 25:50]
    boards[:, :25] -= counts[:, 24::-1]
    return boards


@pytest.mark.parametrize("source", [from_random_games, thrown])
def test_same_plays_as_gnubg_nn(source):
    gnubg_nn = pytest.importorskip("gnubg_nn")
    rng = np.random.default_rng(1)
    positions = source(50_000, rng)
    dice = rolls(len(positions), rng)
    keys, counts = [], []
    for board, (d1, d2) in zip(positions.tolist(), dice.tolist(), strict=True):
        own = [max(n, 0) for n in board[1:]]
        opponent = [max(-n, 0) for n in board[24::-1]]
        found = gnubg_nn.moves([opponent, own], d1, d2, 0)
        keys += found
        counts.append(len(found))
    theirs = by_pair(from_keys(keys), np.cumsum([0, *counts]))
    ours = by_pair(*movegen.legal_boards_batch(positions, dice))
    assert sum(map(len, ours)) > 500_000
    different = [i for i in range(len(positions)) if ours[i] != theirs[i]]
    assert not different, f"{positions[different[0]].tolist()} {dice[different[0]].tolist()}"


# ---- open-spiel ----


def spiel_board(state, player):
    """The board of open-spiel's game, seen by one player. X is player 0 and moves up its points."""
    x = [state.board(0, i) for i in range(24)]
    o = [state.board(1, i) for i in range(24)]
    bar = next(line for line in str(state).splitlines() if line.startswith("Bar:"))
    # o's own numbering runs with the index, x's against it.
    cells = [-bar.count("x"), *(b - a for a, b in zip(x, o, strict=True)), bar[4:].count("o")]
    board = tuple(cells)
    return board if player == 1 else oracle.swap(board)


def spiel_children(state, player):
    """The state after each legal action, one for each board."""
    children = {}
    for action in state.legal_actions():
        child = state.clone()
        child.apply_action(action)
        children.setdefault(spiel_board(child, player), child)
    return children


def goes_on(state, player):
    """Whether the second half of a double is still to be played."""
    return (
        state.is_player_node()
        and state.current_player() == player
        and "Extra turn: 1" in str(state)
    )


def test_same_plays_as_open_spiel_in_its_own_games():
    pyspiel = pytest.importorskip("pyspiel")
    random.seed(2)
    turns = doubles = dances = 0
    for _ in range(60):
        state = pyspiel.load_game("backgammon").new_initial_state()
        while not state.is_terminal():
            if state.is_chance_node():
                state.apply_action(random.choice(state.chance_outcomes())[0])
                continue
            player = state.current_player()
            board = spiel_board(state, player)
            line = next(line for line in str(state).splitlines() if line.startswith("Dice:"))
            d1, d2 = (int(c) for c in line if c.isdigit())
            theirs = set()
            for after, child in spiel_children(state, player).items():
                if goes_on(child, player):
                    theirs |= set(spiel_children(child, player))
                else:
                    theirs.add(after)
            ours = {tuple(row) for row in movegen.legal_boards(np.array(board, np.int8), d1, d2)
                    .tolist()} or {board}  # fmt: skip
            assert ours == theirs, f"{board} {d1}-{d2}"
            turns += 1
            doubles += d1 == d2
            dances += ours == {board}
            state.apply_action(random.choice(state.legal_actions()))
            while goes_on(state, player):
                state.apply_action(random.choice(state.legal_actions()))
    print(f"{turns} turns, {doubles} of them doubles, {dances} dances")
    assert turns > 4000
    assert doubles > 500
    assert dances > 200


# ---- bgsage ----


def sage_plays(bgbot, board, d1, d2):
    """Boards that bgsage lists, in our signs (its opponent's bar is positive); a dance is none."""
    cells = list(board)
    cells[0] = -cells[0]
    found = {(-row[0], *row[1:]) for row in bgbot.possible_moves(cells, d1, d2)}
    return found - {tuple(board)}


def test_bgsage_also_lets_one_number_win_where_both_can_be_played():
    bgbot = pytest.importorskip("bgbot_cpp")
    board = oracle.parse_board("5:1 / 4:1 24:14")
    ours = {tuple(row) for row in movegen.legal_boards(np.array(board, np.int8), 5, 1).tolist()}
    assert ours == {oracle.apply_notation(board, "5/4* 4/off")}
    assert sage_plays(bgbot, board, 5, 1) == ours | {oracle.apply_notation(board, "5/off")}


@pytest.mark.parametrize("source", [from_random_games, thrown])
def test_same_plays_as_bgsage_but_for_a_win_with_one_number(source):
    bgbot = pytest.importorskip("bgbot_cpp")
    rng = np.random.default_rng(3)
    positions = source(30_000, rng)
    dice = rolls(len(positions), rng)
    ours = by_pair(*movegen.legal_boards_batch(positions, dice))
    extra = 0
    for i, (board, (d1, d2)) in enumerate(zip(positions.tolist(), dice.tolist(), strict=True)):
        theirs = sage_plays(bgbot, board, d1, d2)
        found = {tuple(np.frombuffer(row, dtype=np.int8).tolist()) for row in ours[i]}
        if found != theirs:
            more = theirs - found
            assert found < theirs
            assert oracle.checkers(tuple(board))[0] == 1
            assert all(oracle.checkers(after)[0] == 0 for after in more)
            assert movegen.legal_plays(np.array(board, np.int8), d1, d2)[2] == 2
            extra += 1
    print(f"{extra} pairs of {len(positions)} with a win that uses one number only")
