"""Players of all games on this board, and many games between two of them."""

import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from bgcore.checks import shown, whole_number
from bgcore.dice import Dice, DiceStream
from bgcore.errors import DiceError, VariantError
from bgcore.variants.games import rules_to_dict, variant
from bgcore.variants.plays import VariantPlay, VariantPlays
from bgcore.variants.rules import VariantRules
from bgcore.variants.states import BAR, HAND, SIDE_BYTES, State
from bgcore.variants.turns import Turn

__all__ = [
    "VARIANT_PLAYERS",
    "LeavingPlayer",
    "PipsVariantPlayer",
    "RandomVariantPlayer",
    "VariantPlayer",
    "VariantResults",
    "VariantTable",
    "play_series",
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
                f"there is no player {shown(player)} of these games; there are {', '.join(_PLAYERS)}"
            )
        return _PLAYERS[player]()
    if not isinstance(player, VariantPlayer):
        raise VariantError(f"a player has choose_play and choose_doublet, unlike {shown(player)}")
    return player


def thrown(rules: VariantRules, dice: Dice, trial: int, number: int) -> tuple[int, ...]:
    """Return roll `number` of a trial of a dice source.

    Three dice are two rolls of the source, of which the last die is left aside.
    """
    if rules.dice == 2:
        return tuple(dice.roll(trial, number))
    return (*dice.roll(trial, 2 * number), dice.roll(trial, 2 * number + 1)[0])


@dataclass(frozen=True, slots=True, eq=False)
class VariantTable:
    """Games one by one, in the order of their matches.

    Attributes
    ----------
    series : (games,) int64 array
        The number of the match; of single games, of the game.
    points : (games,) int64 array
        What the first player won; negative if he lost, 0 for a draw.
    turns : (games,) int64 array
        Turns of each game, those in which nothing could be played included.
    """

    series: NDArray[np.int64]
    points: NDArray[np.int64]
    turns: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.series)

    @classmethod
    def joined(cls, tables: Sequence["VariantTable"]) -> "VariantTable":
        """Return the games of several tables, one after the other."""
        return cls(
            *(
                np.concatenate([getattr(table, name) for table in tables])
                for name in ("series", "points", "turns")
            )
        )

    def first(self, n: int) -> "VariantTable":
        """Return the first n games."""
        return VariantTable(self.series[:n], self.points[:n], self.turns[:n])


@dataclass(frozen=True, slots=True)
class VariantResults:
    """What came out of many games of two players.

    Attributes
    ----------
    order : tuple of VariantRules
        The games of a match, one after the other, again and again; mostly one.
    length : int
        Points of a match; 0 for single games.
    players : (str, str)
        Their names.
    seed : int
    table : VariantTable
        The games one by one.
    """

    order: tuple[VariantRules, ...]
    length: int
    players: tuple[str, str]
    seed: int
    table: VariantTable = field(repr=False)

    @property
    def rules(self) -> VariantRules:
        """The rules of the first game."""
        return self.order[0]

    @property
    def points(self) -> NDArray[np.int64]:
        """What the first player won in each game; negative if he lost, 0 for a draw."""
        return self.table.points

    @property
    def turns(self) -> NDArray[np.int64]:
        """Turns of each game."""
        return self.table.turns

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
    def matches(self) -> tuple[int, int]:
        """Matches that the first and the second player won; none of single games."""
        if not self.length:
            return 0, 0
        # whoever wins the last game of a match has won the match
        last = self.points[np.append(np.diff(self.table.series) != 0, True)]
        return int((last > 0).sum()), int((last < 0).sum())

    @property
    def shares(self) -> dict[int, float]:
        """The share of games in which the winner got so many points; 0 is a draw."""
        counts = Counter(np.abs(self.points).tolist())
        return {points: counts[points] / self.games for points in sorted(counts)}

    def to_dict(self) -> dict[str, Any]:
        """Return the results as values that JSON can hold, without those of single games."""
        return {
            "rules": rules_to_dict(self.rules),
            "order": [rules_to_dict(rules) for rules in self.order],
            "length": self.length,
            "players": list(self.players),
            "seed": self.seed,
            "games": self.games,
            "wins": list(self.wins),
            "draws": self.games - sum(self.wins),
            "points": list(self.totals),
            "matches": list(self.matches),
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
    """Let two players play many single games; the opening roll says who begins each.

    Game i depends on the seed, i and the players alone. There is no cube. `bgcore.play_match` does
    the same by several processes, and plays matches too.

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
    order = (variant(rules) if isinstance(rules, str) else rules,)
    if not isinstance(order[0], VariantRules):
        raise VariantError(f"the rules are a VariantRules or a name, not {shown(rules)}")
    games = whole_number(games, "games", 1, 10**9, VariantError)
    seed = whole_number(seed, "the seed", 0, 2**128 - 1, DiceError)
    players = variant_player(first), variant_player(second)
    table = play_series(order, players, 0, seed, range(games), check=check)
    return VariantResults(order, 0, (_name(first), _name(second)), seed, table)


def random_games(
    rules: VariantRules | str, games: int = 1000, *, seed: int = 0, check: bool = False
) -> VariantResults:
    """Play games at random to their ends: `play_variant` with two random players."""
    return play_variant(rules, games=games, seed=seed, check=check)


def play_series(
    order: tuple[VariantRules, ...],
    players: tuple[VariantPlayer, VariantPlayer],
    length: int,
    seed: int,
    numbers: range,
    *,
    check: bool = False,
) -> VariantTable:
    """Play matches, or single games if the length is 0, by their numbers.

    The rolls of match m are those of trial m of the dice stream of the seed, in their order. Who
    begins a game is said by its rules, as in `VariantMatch`; a draw gives no points.
    """
    dice = DiceStream(seed, stratified=False)
    rows: list[tuple[int, int, int]] = []
    for number in numbers:
        chance = random.Random((seed << 64) + number).random
        scores = [0, 0]
        rolls = game = 0
        winner: int | None = None
        while True:
            rules = order[game % len(order)]
            starter = winner if rules.next_opening == "winner" else None
            table = _Table(rules, players, dice, number, chance, check)
            points, turns, rolls = table.play(rolls, starter)
            rows.append((number, points, turns))
            winner = None if points == 0 else int(points < 0)
            if winner is not None:
                scores[winner] += abs(points)
            game += 1
            if max(scores) >= length:
                break
    columns = np.array(rows, np.int64).reshape(len(rows), 3).T
    return VariantTable(*(np.ascontiguousarray(column) for column in columns))


def _name(player: VariantPlayer | str) -> str:
    return player if isinstance(player, str) else repr(player)


@dataclass(frozen=True, slots=True)
class _Table:
    """What a game is played with."""

    rules: VariantRules
    players: tuple[VariantPlayer, VariantPlayer]
    dice: Dice
    trial: int
    chance: Callable[[], float]
    check: bool

    def play(self, rolls: int, starter: int | None) -> tuple[int, int, int]:
        """Play a game from a roll of the trial on.

        Returns
        -------
        points : int
            Of player 0.
        turns : int
        rolls : int
            The number of the roll after the game.
        """
        rules, trial, chance = self.rules, self.trial, self.chance
        state, turn = rules.initial(), rules.begin()
        seen: list[State] = []
        if starter is None:
            opening = (0, 0)
            while opening[0] == opening[1]:
                opening = self.dice.roll(trial, rolls if rules.dice == 2 else 2 * rolls)
                rolls += 1
            mover = int(opening[0] < opening[1])
            if rules.opening == "use":
                turn = rules.rolled(state, turn, opening)
        else:
            mover = starter
        for turns in range(1, _MOST_TURNS):
            player = self.players[mover]
            while turn.todo != "end":
                if turn.todo == "roll":
                    turn = rules.rolled(state, turn, thrown(rules, self.dice, trial, rolls))
                    rolls += 1
                elif turn.todo == "leave":
                    if isinstance(player, LeavingPlayer) and player.choose_leave(
                        rules, state, turn, chance()
                    ):
                        state, turn = rules.left(state, turn)
                    else:
                        turn = rules.stayed(turn)
                elif turn.todo == "choose":
                    number = player.choose_doublet(rules, state, turn, chance())
                    turn = rules.chosen(turn, number)
                else:
                    if turn.todo == "mark":
                        state, turn = rules.marked(state, turn)
                    else:
                        play = _choice(rules, player, state, turn, chance)
                        state, turn = rules.played(state, turn, play)
                    seen.append(state)
                    points = rules.result(state)
                    if points is not None:
                        if self.check:
                            rules.check_all(seen)
                        return (-points if mover else points), turns, rolls
            state, turn = rules.end_turn(state, turn)
            mover = 1 - mover
        raise VariantError(f"{rules.name}: game {trial} does not end: {state}")


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
    name = f"the play that {shown(player)} chooses"
    return plays[whole_number(index, name, 0, len(plays) - 1, VariantError)]
