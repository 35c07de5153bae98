"""Players of all games on this board, and many games between two of them."""

import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bgcore.dice import Dice, DiceStream
from bgcore.errors import VariantError
from bgcore.variants.games import rules_to_dict, variant
from bgcore.variants.plays import VariantPlay, VariantPlays
from bgcore.variants.rules import VariantRules, whole
from bgcore.variants.states import BAR, HAND, SIDE_BYTES, State
from bgcore.variants.turns import Turn

__all__ = [
    "VARIANT_PLAYERS",
    "LeavingPlayer",
    "PipsVariantPlayer",
    "RandomVariantPlayer",
    "VariantPlayer",
    "VariantResults",
    "play_variant",
    "random_games",
    "thrown",
    "variant_player",
]

#: A game with more turns than this does not end.
_MOST_TURNS = 20_000


@runtime_checkable
class VariantPlayer(Protocol):
    """Anything that plays the games of this room."""

    def choose_play(
        self, rules: VariantRules, state: State, turn: Turn, plays: VariantPlays, chance: float, /
    ) -> int:
        """Choose a play.

        Parameters
        ----------
        rules : VariantRules
        state : State
            Seen by the player.
        turn : Turn
        plays : VariantPlays
            All that are legal, two or more.
        chance : float
            0 <= chance < 1, for who leaves things to it.

        Returns
        -------
        int
            The number of the play.
        """

    def choose_doublet(
        self, rules: VariantRules, state: State, turn: Turn, chance: float, /
    ) -> int:
        """Name a doublet (acey-deucey), 1 to 6."""


@runtime_checkable
class LeavingPlayer(Protocol):
    """A player of trictrac who sometimes leaves; a `VariantPlayer` without this stays."""

    def choose_leave(self, rules: VariantRules, state: State, turn: Turn, chance: float, /) -> bool:
        """Tell whether to leave after a hole; see `VariantPlayer.choose_play`."""


class RandomVariantPlayer:
    """Plays any of the distinct legal plays with equal probability.

    So he names doublets, and leaves or stays.
    """

    def choose_play(
        self, rules: VariantRules, state: State, turn: Turn, plays: VariantPlays, chance: float, /
    ) -> int:
        """Choose a play; see `VariantPlayer`."""
        return int(chance * len(plays))

    def choose_doublet(
        self, rules: VariantRules, state: State, turn: Turn, chance: float, /
    ) -> int:
        """Name a doublet; see `VariantPlayer`."""
        return int(chance * 6) + 1

    def choose_leave(self, rules: VariantRules, state: State, turn: Turn, chance: float, /) -> bool:
        """Tell whether to leave; see `LeavingPlayer`."""
        return chance < 0.5

    def __repr__(self) -> str:
        return "RandomVariantPlayer()"


#: What a checker counts on each cell of a side: off 0, its point, the bar and the hand 25.
_PIPS = np.zeros(SIDE_BYTES, np.int64)
_PIPS[: BAR + 1] = np.arange(BAR + 1)
_PIPS[HAND] = 25


class PipsVariantPlayer:
    """Plays for the best lead in pips, then for the fewest lone checkers, then the first play.

        A pinned checker of the opponent counts 12 pips for its pinner, as one that was sent back about
    half a round. The doublet is the one whose play gives the best lead. He never leaves.
    """

    def choose_play(
        self, rules: VariantRules, state: State, turn: Turn, plays: VariantPlays, chance: float, /
    ) -> int:
        """Choose a play; see `VariantPlayer`."""
        return int(self._scores(rules, plays).argmax())

    def choose_doublet(
        self, rules: VariantRules, state: State, turn: Turn, chance: float, /
    ) -> int:
        """Name a doublet; see `VariantPlayer`."""
        scores = []
        for number in range(1, 7):
            plays = rules.plays(state, rules.chosen(turn, number))
            scores.append(int(self._scores(rules, plays).max()))
        return scores.index(max(scores)) + 1

    def _scores(self, rules: VariantRules, plays: VariantPlays) -> NDArray[np.int64]:
        states = plays.states.astype(np.int64)
        own, opponent = states[:, :SIDE_BYTES], states[:, SIDE_BYTES:]
        lead = opponent @ _PIPS - own @ _PIPS
        if rules.contact == "pin":
            pins = np.ascontiguousarray(plays.states[:, SIDE_BYTES + 28 :])
            lead += 12 * np.bitwise_count(pins).sum(axis=1, dtype=np.int64)
        # a lone checker is no weakness where nothing can happen to it
        lone = (own[:, 1:25] == 1).sum(axis=1) if rules.fears_blots else 0
        scores: NDArray[np.int64] = 32 * lead - lone
        return scores

    def __repr__(self) -> str:
        return "PipsVariantPlayer()"


_PLAYERS: Mapping[str, Callable[[], VariantPlayer]] = {
    "random": RandomVariantPlayer,
    "pips": PipsVariantPlayer,
}

#: What a player may be called.
VARIANT_PLAYERS: Final = tuple(_PLAYERS)


def variant_player(player: VariantPlayer | str) -> VariantPlayer:
    """Return the player of a name; an object that is one already comes back as it is.

    Raises
    ------
    VariantError
        There is no such player.
    """
    if isinstance(player, str):
        if player not in _PLAYERS:
            raise VariantError(
                f"there is no player {player!r} of these games; there are {', '.join(_PLAYERS)}"
            )
        return _PLAYERS[player]()
    if not isinstance(player, VariantPlayer):
        raise VariantError(f"a player has choose_play and choose_doublet, unlike {player!r}")
    return player


def thrown(rules: VariantRules, dice: Dice, trial: int, number: int) -> tuple[int, ...]:
    """Return roll `number` of a trial of a dice source.

    Three dice are two rolls of the source, of which the last die is left aside.
    """
    if rules.dice == 2:
        return tuple(dice.roll(trial, number))
    return (*dice.roll(trial, 2 * number), dice.roll(trial, 2 * number + 1)[0])


@dataclass(frozen=True, slots=True)
class VariantResults:
    """What came out of many games of two players.

    Attributes
    ----------
    rules : VariantRules
    players : (str, str)
        Their names.
    seed : int
    points : (games,) int64 array
        What the first player won; negative if he lost, 0 for a draw.
    turns : (games,) int64 array
        Turns of each game, those in which nothing could be played included.
    """

    rules: VariantRules
    players: tuple[str, str]
    seed: int
    points: NDArray[np.int64] = field(repr=False)
    turns: NDArray[np.int64] = field(repr=False)

    @property
    def games(self) -> int:
        """How many games were played."""
        return len(self.points)

    @property
    def wins(self) -> tuple[int, int]:
        """Games that the first and the second player won."""
        return int((self.points > 0).sum()), int((self.points < 0).sum())

    @property
    def totals(self) -> tuple[int, int]:
        """The points of the first and the second player."""
        return int(self.points.clip(min=0).sum()), int((-self.points).clip(min=0).sum())

    @property
    def shares(self) -> dict[int, float]:
        """The share of games in which the winner got so many points; 0 is a draw."""
        counts = Counter(np.abs(self.points).tolist())
        return {points: counts[points] / self.games for points in sorted(counts)}

    def to_dict(self) -> dict[str, Any]:
        """Return the results as values that JSON can hold, without those of single games."""
        return {
            "rules": rules_to_dict(self.rules),
            "players": list(self.players),
            "seed": self.seed,
            "games": self.games,
            "wins": list(self.wins),
            "draws": self.games - sum(self.wins),
            "points": list(self.totals),
            "shares": {str(points): share for points, share in self.shares.items()},
            "turns_per_game": float(self.turns.mean()),
            "most_turns": int(self.turns.max()),
        }


def play_variant(
    rules: VariantRules | str,
    first: VariantPlayer | str = "random",
    second: VariantPlayer | str = "random",
    *,
    games: int = 1000,
    seed: int = 0,
    check: bool = False,
) -> VariantResults:
    """Let two players play many games; the opening roll says who begins each.

    Game i depends on the seed, i and the players alone. There is no cube.

    Parameters
    ----------
    rules : VariantRules or str
        A name is that of `variant`.
    first, second : VariantPlayer or str, default "random"
        "random", "pips", or players of your own.
    games : int, default 1000
    seed : int, default 0
        0 <= seed < 2**128.
    check : bool, default False
        Whether every state is checked against the rules, see `VariantRules.check`.

    Raises
    ------
    VariantError
        There is no such game or player; a state broke the rules; a game does not end; or what a
        player returned is no choice.
    DiceError
        The seed is out of range.

    Examples
    --------
    >>> results = play_variant("plakoto", "pips", "random", games=20, seed=1)
    >>> results.games, results.wins[0] > results.wins[1]
    (20, True)
    """
    if isinstance(rules, str):
        rules = variant(rules)
    whole("games", games, 1, 10**9)
    players = variant_player(first), variant_player(second)
    dice = DiceStream(seed, stratified=False)
    points, turns = np.zeros(games, np.int64), np.zeros(games, np.int64)
    for game in range(games):
        points[game], turns[game] = _play_game(rules, players, dice, seed, game, check)
    names = (_name(first), _name(second))
    return VariantResults(rules, names, seed, points, turns)


def random_games(
    rules: VariantRules | str, games: int = 1000, *, seed: int = 0, check: bool = False
) -> VariantResults:
    """Play games at random to their ends: `play_variant` with two random players."""
    return play_variant(rules, games=games, seed=seed, check=check)


def _name(player: VariantPlayer | str) -> str:
    return player if isinstance(player, str) else repr(player)


def _play_game(
    rules: VariantRules,
    players: tuple[VariantPlayer, VariantPlayer],
    dice: Dice,
    seed: int,
    game: int,
    check: bool,
) -> tuple[int, int]:
    """Play one game; return the points of player 0 and the number of turns."""
    chance = random.Random((seed << 64) + game).random
    opening = dice.roll(game, 0)
    rolls = 1
    while opening[0] == opening[1]:
        opening = dice.roll(game, rolls if rules.dice == 2 else 2 * rolls)
        rolls += 1
    mover = int(opening[0] < opening[1])
    state, turn = rules.initial(), rules.begin()
    seen: list[State] = []
    if rules.opening == "use":
        turn = rules.rolled(state, turn, opening)
    for turns in range(1, _MOST_TURNS):
        while turn.todo != "end":
            if turn.todo == "roll":
                turn = rules.rolled(state, turn, thrown(rules, dice, game, rolls))
                rolls += 1
            elif turn.todo == "leave":
                player = players[mover]
                if isinstance(player, LeavingPlayer) and player.choose_leave(
                    rules, state, turn, chance()
                ):
                    state, turn = rules.left(state, turn)
                else:
                    turn = rules.stayed(turn)
            elif turn.todo == "choose":
                number = players[mover].choose_doublet(rules, state, turn, chance())
                turn = rules.chosen(turn, number)
            else:
                if turn.todo == "mark":
                    state, turn = rules.marked(state, turn)
                else:
                    play = _choice(rules, players[mover], state, turn, chance)
                    state, turn = rules.played(state, turn, play)
                seen.append(state)
                points = rules.result(state)
                if points is not None:
                    if check:
                        rules.check_all(seen)
                    return (-points if mover else points), turns
        state, turn = rules.end_turn(state, turn)
        mover = 1 - mover
    raise VariantError(f"{rules.name}: game {game} of seed {seed} does not end: {state}")


def _choice(
    rules: VariantRules,
    player: VariantPlayer,
    state: State,
    turn: Turn,
    chance: Callable[[], float],
) -> VariantPlay:
    """Return the play that a player makes; he is asked where there are several."""
    plays = rules.plays(state, turn)
    if len(plays) == 1:
        return plays[0]
    index = player.choose_play(rules, state, turn, plays, chance())
    if not 0 <= index < len(plays):
        raise VariantError(f"{player!r} chose play {index} of {len(plays)}")
    return plays[index]
