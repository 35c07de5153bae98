"""Self-play of a net at the other games of this board.

Turns are those of `VariantRules`. Games are played side by side, a play of each at a time, so that
the net is asked about many states at once. A game depends on (seed, its number, the net, lambda)
alone.
"""

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bgcore._core.evaluator import Evaluator
from bgcore.dice import DiceStream
from bgcore.variant_boards import boards_of_states, five_of_points
from bgcore.variant_nets import equities_after
from bgcore.variants import State, Turn, VariantPlays, VariantRules
from bgcore.variants.players import thrown

__all__ = ["variant_self_play"]

#: A longer game ends here, and its last value stands for the result.
_MOST_TURNS = 1024
_UNIT = np.float32(2.0**-30)
#: The five of the one side are these of the other, but for the win.
_OTHER = [0, 3, 4, 1, 2]


@dataclass(slots=True)
class _Game:
    """A game that is played.

    Attributes
    ----------
    rolls : int
        Of the dice so far.
    after : list of bytes
        The states after the turns so far, each seen by its mover.
    points : int or None
        What the player of the last turn has won, when the game is over.
    """

    number: int
    state: State
    turn: Turn
    rolls: int = 0
    after: list[bytes] = field(default_factory=list)
    points: int | None = None

    @classmethod
    def begun(cls, rules: VariantRules, dice: DiceStream, number: int) -> "_Game":
        """Return a game whose first player has rolled."""
        game = cls(number, rules.initial(), rules.begin())
        roll = game._throw(rules, dice)
        while rules.opening == "use" and roll[0] == roll[1]:  # as in an opening roll
            roll = game._throw(rules, dice)
        game.turn = rules.rolled(game.state, game.turn, roll)
        return game

    def _throw(self, rules: VariantRules, dice: DiceStream) -> tuple[int, ...]:
        self.rolls += 1
        return thrown(rules, dice, self.number, self.rolls - 1)

    def choices(self, rules: VariantRules, dice: DiceStream) -> list[tuple[Turn, VariantPlays]]:
        """Roll if it is time to; return the turns there can be, six with a doublet, and plays."""
        if self.turn.todo == "roll":
            self.turn = rules.rolled(self.state, self.turn, self._throw(rules, dice))
        turns = [self.turn]
        if self.turn.todo == "choose":
            turns = [rules.chosen(self.turn, number) for number in range(1, 7)]
        return [(turn, rules.plays(self.state, turn)) for turn in turns]

    def play(self, rules: VariantRules, turn: Turn, plays: VariantPlays, index: int) -> bool:
        """Make a play; return whether the game goes on."""
        self.state, self.turn = rules.played(self.state, turn, plays[index])
        self.points = rules.result(self.state)
        if self.points is not None:
            return False
        if self.turn.todo == "end":
            self.after.append(self.state.cells)
            self.state, self.turn = rules.end_turn(self.state, self.turn)
        return len(self.after) < _MOST_TURNS


def variant_self_play(
    rules: VariantRules,
    evaluator: Evaluator,
    seed: int,
    first_game: int,
    n_games: int,
    trace: float,
) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Play games of a net against itself.

    Parameters
    ----------
    rules : VariantRules
        Of a game that a net can learn (`bgcore.variant_boards.why_no_net`).
    evaluator : Evaluator
        Of the core, with the net.
    seed : int
    first_game, n_games : int
        The games' numbers are first_game, first_game + 1, ...
    trace : float
        lambda of TD(lambda), in [0, 1].

    Returns
    -------
    boards : (n, 32) int8 array
        Unfinished boards after a turn, seen by the mover, game after game.
    targets : (n, 5) float32 array
        lambda-returns, mover's view, see `bgcore.variant_boards.five_of_points`.
    """
    dice = DiceStream(seed, stratified=False)
    games = [_Game.begun(rules, dice, first_game + i) for i in range(n_games)]
    live = games
    while live:
        choices = [game.choices(rules, dice) for game in live]
        states = [plays.states for options in choices for _, plays in options]
        equities = equities_after(rules, evaluator, np.concatenate(states))
        going_on = []
        start = 0
        for game, options in zip(live, choices, strict=True):
            sizes = [len(plays) for _, plays in options]
            best = int(equities[start : start + sum(sizes)].argmax())
            start += sum(sizes)
            which = 0
            while best >= sizes[which]:
                best -= sizes[which]
                which += 1
            if game.play(rules, *options[which], best):
                going_on.append(game)
        live = going_on
    after = np.frombuffer(b"".join(b"".join(game.after) for game in games), np.uint8)
    boards = boards_of_states(rules, after.reshape(-1, len(rules.initial().cells)))
    fives = evaluator.evaluate_core(boards).astype(np.float32) * _UNIT
    targets = np.empty_like(fives)
    start = 0
    for game in games:
        end = start + len(game.after)
        _fill_targets(rules, game, fives[start:end], np.float32(trace), targets[start:end])
        start = end
    return boards, targets


def _fill_targets(
    rules: VariantRules,
    game: _Game,
    fives: NDArray[np.float32],
    trace: np.float32,
    targets: NDArray[np.float32],
) -> None:
    """Write the lambda-returns of a game, from its end to its beginning."""
    if not len(fives):
        return
    value = fives[-1]
    if game.points is not None:
        # the other side has played the last stored board
        value = five_of_points(rules, -game.points)
    for i in range(len(fives) - 1, -1, -1):
        targets[i] = value
        value = (trace * value + (np.float32(1) - trace) * fives[i])[_OTHER]
        value[0] = np.float32(1) - value[0]
