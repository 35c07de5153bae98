"""Positions and short ways to play, for tests of games."""

from bgcore import Board, Game, GameState
from bgcore.actions import Resign


def board(own, other, *, own_bar=0, other_bar=0, n_checkers=15):
    """Make a board from {point: checkers}; the opponent's points are counted by himself."""
    cells = [0] * 26
    for point, count in own.items():
        cells[point] = count
    for point, count in other.items():
        cells[25 - point] = -count
    cells[25], cells[0] = own_bar, -other_bar
    return Board(cells, n_checkers=n_checkers)


def last_checker(loser, *, loser_bar=0):
    """A board on which the player on roll bears off his last checker with any roll."""
    return board({1: 1}, loser, other_bar=loser_bar)


#: What the loser has on the board, and what it costs him: 1, 2 or 3 times the cube.
LOSERS = {
    1: last_checker({6: 5, 5: 5, 4: 4}),
    2: last_checker({6: 5, 5: 5, 4: 5}),
    3: last_checker({6: 5, 5: 5, 4: 4, 19: 1}),
}


def finish(kind, rules=None, *, doubles=(), **start):
    """Play a game to its end in which the player on roll wins `kind`, after some cube actions."""
    game = Game(start=GameState.at(LOSERS[kind], rules=rules, **start))
    for action in doubles:
        game.do(action)
    if not game.is_over:
        game.roll("21")
        game.play(game.legal_plays()[0])
    return game


def random_game(game, data, *, resign_one_in=40, steps_one_in=5):
    """Drive a game to its end by random legal actions; `data(n)` draws a number below n."""
    while not game.is_over:
        yield game
        actions = list(game.legal_actions())
        if data(resign_one_in):
            actions = [a for a in actions if not isinstance(a, Resign)]
        if data(steps_one_in):
            whole = [a for a in actions if type(a).__name__ != "MakeStep"]
            actions = whole or actions
        game.do(actions[data(len(actions))])
