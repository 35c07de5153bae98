"""Players of whole games: they double, answer doubles and play rolls, many games at once.

A player is one of the names below, the file of a net, an evaluator, a policy, or an object of
your own with the methods of `Player`; `player` makes one of any of them.

* ``"random"``: uniform over the distinct boards; never doubles and takes every double
* ``"random-cube"``: the same plays; doubles in half of the cases where it may, and drops, takes
  or turns back a double with equal probability
* ``"pips"``: the play with the best lead in pips, of equals the one with the fewest blots, then
  the first; the cube by its lead, see `PipsPlayer`
* ``"net"``: the best play of the net that comes with bgcore; the cube by its probabilities, see
  `EvaluatorPlayer`
* ``"fast"``, ``"strong"``: the same with the one or the other net that comes with bgcore
* ``"gnubg-nn"``, ``"bgsage"``: the same with the nets of these engines (extra `peers`)
* ``"pubeval"``: Tesauro's public evaluator of 1993, from gnubg-nn; never doubles and takes every
  double
* ``"hypergammon-exact"``: best play in Hypergammon, see `HypergammonPlayer`

``"net@1"``, and so the file of a net, looks one ply ahead (`NetEvaluator`), 3 at most; so do
``"gnubg-nn@1"`` and ``"bgsage@1"``, 2 at most.

A player decides from what it is shown and from nothing else, so a game does not depend on which
other games are played beside it.
"""

import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol, Self, cast

import numpy as np
from numpy.typing import NDArray

from bgcore._core.board import pips
from bgcore._core.movegen import legal_boards_batch
from bgcore._core.variants import house_plays
from bgcore.adapters.bgsage import BgSage
from bgcore.adapters.gnubg_nn import GnubgNN
from bgcore.adapters.pubeval import Pubeval
from bgcore.board import Board
from bgcore.checks import takes, whole_number
from bgcore.cube_decision import cube_life
from bgcore.cube_model import CubeContext, Owner, cube_equity, emg
from bgcore.errors import EvaluatorError, TableError
from bgcore.evaluators import (
    Evaluator,
    NetEvaluator,
    check_game,
    checked_probabilities,
    core_of,
)
from bgcore.hypergammon import MOST, HypergammonTable, hypergammon_table
from bgcore.identity import identity_of
from bgcore.nets import SHIPPED
from bgcore.notation import Plays
from bgcore.policies import BestPlay, Policy, ask, first_best, is_policy
from bgcore.rules import Rules

__all__ = [
    "DROP",
    "PLAYER_NAMES",
    "TAKE",
    "TURN_BACK",
    "EvaluatorPlayer",
    "HypergammonPlayer",
    "PipsPlayer",
    "Player",
    "PolicyPlayer",
    "PubevalPlayer",
    "RandomPlayer",
    "ScriptedPlayer",
    "Turns",
    "identity_of_player",
    "legal_boards_of",
    "player",
]

#: What a player may be called.
PLAYER_NAMES = (
    "random",
    "random-cube",
    "pips",
    "net",
    *SHIPPED,
    "gnubg-nn",
    "bgsage",
    "pubeval",
    "hypergammon-exact",
)

#: Answers to a double.
DROP, TAKE, TURN_BACK = 0, 1, 2

_CASUAL = Rules.casual()


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class Turns:
    """Decisions of one player in many games.

    The decider is the player who is asked. He is on roll, but for some answers to doubles: the
    taker of a double is not, the doubler who answers a beaver is.

    Attributes
    ----------
    boards : (n, 26) int8 array
        Always seen by the player **on roll**; for answers to a double that is the doubler.
    cubes : (n,) int64 array
        What the cube shows; a double on offer has not turned it yet.
    owners : (n,) int8 array
        1 the decider owns the cube, -1 his opponent, 0 it is in the middle.
    offers : (n,) int64 array
        What the cube will show if the double (or beaver, or raccoon) is taken; 0 where none is
        on offer.
    returns : int
        Beavers and raccoons since the double on offer, the same for all: the doubler decides if
        it is odd.
    needs : (n, 2) int64 array
        Points that the decider and his opponent need to win the match; 0 in money play.
    is_crawford : (n,) bool array
    rules : Rules
    bits : (n,) uint64 array
        Random bits for this decision. They depend on the seed, the number of the match, the turn
        and the kind of the decision, and on nothing else.
    series : (n,) int64 array
        The numbers of the matches, or of the money games.
    games : (n,) int64 array
        The numbers of the games in their matches, from 0; 0 in money play.
    plies : (n,) int64 array
        Turns of the game before this one.
    """

    boards: NDArray[np.int8]
    cubes: NDArray[np.int64]
    owners: NDArray[np.int8]
    offers: NDArray[np.int64]
    returns: int = 0
    needs: NDArray[np.int64]
    is_crawford: NDArray[np.bool_]
    rules: Rules
    bits: NDArray[np.uint64]
    series: NDArray[np.int64]
    games: NDArray[np.int64]
    plies: NDArray[np.int64]

    @classmethod
    def plain(
        cls,
        boards: NDArray[np.int8],
        *,
        rules: Rules | None = None,
        bits: NDArray[np.uint64] | None = None,
        series: NDArray[np.int64] | None = None,
        ply: int = 0,
        needs: int = 0,
    ) -> Self:
        """Return the turns of single games, the cube on 1 in the middle.

        Parameters
        ----------
        boards : (n, 26) int8 array
            Seen by the player on roll.
        rules : Rules, optional
            `Rules.casual()` if not given.
        bits : (n,) uint64 array, optional
            0 if not given.
        series : (n,) int64 array, optional
            0 to n - 1 if not given.
        ply : int, default 0
        needs : int, default 0
            Points that both need to win the match; 0 is no match.
        """
        n = len(boards)
        zeros = np.zeros(n, np.int64)
        return cls(
            boards=boards,
            cubes=np.ones(n, np.int64),
            owners=np.zeros(n, np.int8),
            offers=zeros,
            needs=np.full((n, 2), needs, np.int64),
            is_crawford=np.zeros(n, np.bool_),
            rules=_CASUAL if rules is None else rules,
            bits=np.zeros(n, np.uint64) if bits is None else bits,
            series=np.arange(n) if series is None else series,
            games=zeros,
            plies=np.full(n, ply, np.int64),
        )

    def __len__(self) -> int:
        return len(self.boards)

    @property
    def can_drop(self) -> bool:
        """Whether what is on offer may be dropped: a double always, a beaver by the rules."""
        return self.returns == 0 or self.rules.beaver_drop

    @property
    def is_decider(self) -> NDArray[np.bool_]:
        """Where the game decides the match: a win is all that counts, gammons count no more."""
        low, high = self.needs.min(axis=1), self.needs.max(axis=1)
        deciders: NDArray[np.bool_] = (low > 0) & (high <= self.cubes)
        return deciders

    @property
    def is_dead(self) -> NDArray[np.bool_]:
        """Where the cube as it is wins the match for the decider: to turn it gains nothing."""
        return (self.needs[:, 0] > 0) & (self.cubes >= self.needs[:, 0])


class Player(Protocol):
    """Anything that plays whole games, batch first.

    Only legal decisions are asked for: doubles where the rules allow one, answers to a double on
    offer, plays of a roll. What a player of your own returns is checked. For several jobs it must
    be picklable, and each process has its copy.
    """

    def choose_plays(self, turns: Turns, dice: NDArray[np.uint8], /) -> NDArray[np.int8]:
        """Play rolls.

        Parameters
        ----------
        turns : Turns
            Of n games.
        dice : (n, 2) uint8 array
            The rolls, in the order as thrown.

        Returns
        -------
        (n, 26) int8 array
            The boards after a legal play, still seen by the mover; unchanged where no play is
            legal. `legal_boards_of` lists the legal ones.
        """

    def choose_doubles(self, turns: Turns, /) -> NDArray[np.bool_]:
        """Decide where to double, before the roll.

        Returns
        -------
        (n,) bool array
        """

    def choose_answers(self, turns: Turns, can_return: NDArray[np.bool_], /) -> NDArray[np.int8]:
        """Answer doubles, beavers and raccoons.

        Parameters
        ----------
        turns : Turns
            The boards are seen by the doubler.
        can_return : (n,) bool array
            Where the double may be turned back: a beaver, or a raccoon against a beaver.

        Returns
        -------
        (n,) int8 array
            0 drop (only if ``turns.can_drop``), 1 take, 2 turn back (only where ``can_return``).
        """


# ---- what is legal, and chance ----


def legal_boards_of(
    boards: NDArray[np.int8], dice: NDArray[np.uint8], rules: Rules
) -> tuple[NDArray[np.int8], NDArray[np.int64]]:
    """List the boards after every legal play by the rules, house rules included.

    Parameters
    ----------
    boards : (n, 26) int8 array
        Unfinished games, seen by the players on roll.
    dice : (n, 2) uint8 array
    rules : Rules

    Returns
    -------
    boards : (m, 26) int8 array
        After the play, seen by the mover.
    offsets : (n + 1,) int64 array
        The plays of board i are rows ``offsets[i]`` to ``offsets[i + 1]``; none: no legal play.

    Raises
    ------
    BoardError, DiceError
    """
    house = rules.house
    if not house:
        return legal_boards_batch(boards, dice)
    lists = [
        house_plays(board, die1, die2, n_checkers=rules.n_checkers, **house)[0]
        for board, (die1, die2) in zip(boards, dice.tolist(), strict=True)
    ]
    offsets = np.zeros(len(lists) + 1, np.int64)
    np.cumsum([len(plays) for plays in lists], out=offsets[1:])
    return np.concatenate([np.empty((0, 26), np.int8), *lists]), offsets


def _played(
    boards: NDArray[np.int8],
    plays: NDArray[np.int8],
    offsets: NDArray[np.int64],
    chosen: NDArray[np.int64],
) -> NDArray[np.int8]:
    """Return the boards after the chosen plays; -1 is a dance."""
    can_play = chosen >= 0
    after = boards.copy()
    after[can_play] = plays[offsets[:-1][can_play] + chosen[can_play]]
    return after


def _bounded(bits: NDArray[np.uint64], n: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return whole numbers below n (1 to 2**32), all equally likely, one for each 64 bits.

    The high 32 bits times n are cut off at 32 bits (Lemire, 2019). Where that would favour a
    number, which is so for less than n of 2**32 draws, new bits are made from the old ones.
    """
    bound = n.astype(np.uint64)
    product = (bits >> np.uint64(32)) * bound
    low = product & np.uint64(0xFFFFFFFF)
    drawn: NDArray[np.int64] = (product >> np.uint64(32)).astype(np.int64)
    if bool((low < bound).any()):
        again = low < np.uint64(1 << 32) % bound
        if again.any():
            drawn[again] = _bounded(_mixed(bits[again]), n[again])
    return drawn


def _mixed(bits: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return other bits: the step of the generator splitmix64 (Steele, Lea, Flood, 2014)."""
    with np.errstate(over="ignore"):
        z = bits + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        mixed: NDArray[np.uint64] = z ^ (z >> np.uint64(31))
    return mixed


def _always_take(turns: Turns) -> NDArray[np.int8]:
    return np.full(len(turns), TAKE, np.int8)


_OWNERS: Final[dict[int, Owner]] = {-1: "opponent", 0: "centred", 1: "own"}


# ---- the players ----


class RandomPlayer:
    """Plays any of the distinct legal boards with equal probability.

    Parameters
    ----------
    cube : bool, default False
        False: never doubles, always takes. True: doubles with probability 1/2 where it may, and
        of drop, take and turning back chooses any that is legal with equal probability.
    """

    def __init__(self, *, cube: bool = False) -> None:
        self.cube = bool(cube)

    def __repr__(self) -> str:
        return f"RandomPlayer(cube={self.cube})"

    def choose_plays(self, turns: Turns, dice: NDArray[np.uint8], /) -> NDArray[np.int8]:
        """Play rolls; see `Player`."""
        plays, offsets = legal_boards_of(turns.boards, dice, turns.rules)
        counts = np.diff(offsets)
        chosen = _bounded(turns.bits, np.maximum(counts, 1))
        chosen[counts == 0] = -1
        return _played(turns.boards, plays, offsets, chosen)

    def choose_doubles(self, turns: Turns, /) -> NDArray[np.bool_]:
        """Decide where to double; see `Player`."""
        if not self.cube:
            return np.zeros(len(turns), np.bool_)
        doubles: NDArray[np.bool_] = (turns.bits >> np.uint64(63)) == 1
        return doubles

    def choose_answers(self, turns: Turns, can_return: NDArray[np.bool_], /) -> NDArray[np.int8]:
        """Answer doubles; see `Player`."""
        if not self.cube:
            return _always_take(turns)
        lowest = DROP if turns.can_drop else TAKE
        highest = np.where(can_return, TURN_BACK, TAKE)
        answers: NDArray[np.int64] = lowest + _bounded(turns.bits, highest - lowest + 1)
        return answers.astype(np.int8)


class PipsPlayer:
    """Plays by the pip counts alone: crude, fast and easy to follow.

    Plays the best lead in pips, of equals the fewest blots, then the first. It doubles with a lead
    of 8 per cent of its own pips, redoubles with 9, and takes while the doubler leads by 12 at
    most: the common rule of thumb for long races. It never beavers and never turns a dead cube.
    """

    def __repr__(self) -> str:
        return "PipsPlayer()"

    def choose_plays(self, turns: Turns, dice: NDArray[np.uint8], /) -> NDArray[np.int8]:
        """Play rolls; see `Player`."""
        plays, offsets = legal_boards_of(turns.boards, dice, turns.rules)
        counts = np.diff(offsets)
        chosen = np.full(len(counts), -1, np.int64)
        if len(plays):
            own, opponent = pips(plays).astype(np.int64).T
            blots = (plays[:, 1:25] == 1).sum(axis=1)
            some = counts > 0
            chosen[some] = first_best(32 * (opponent - own) - blots, counts[some])
        return _played(turns.boards, plays, offsets, chosen)

    def choose_doubles(self, turns: Turns, /) -> NDArray[np.bool_]:
        """Decide where to double; see `Player`."""
        own, opponent = pips(turns.boards).astype(np.int64).T
        per_cent = np.where(turns.owners == 0, 8, 9)
        doubles: NDArray[np.bool_] = (100 * (opponent - own) >= per_cent * own) & ~turns.is_dead
        return doubles

    def choose_answers(self, turns: Turns, can_return: NDArray[np.bool_], /) -> NDArray[np.int8]:
        """Answer doubles; see `Player`."""
        if turns.returns:
            return _always_take(turns)
        own, opponent = pips(turns.boards).astype(np.int64).T
        takes: NDArray[np.bool_] = 100 * (opponent - own) <= 12 * own
        return takes.astype(np.int8)


class EvaluatorPlayer:
    """Plays for the largest cubeless equity by an evaluator, the first of equals.

    In a game that decides the match it plays for the largest win probability.

    The cube is handled by Janowski's model from the evaluator's probabilities (`bgcore.cube_model`,
    with the cube life of `bgcore.cube_decision`), for money and at any match score. It doubles
    where that gains or loses nothing, plays on where it is too good to double, takes where that
    loses no more than to drop, and turns a double back where the doubler should not have doubled.
    It never turns a dead cube, and doubles at once where it would lose the match anyway. Matches
    have 1,000 points at most (`MatchEquityError`).

    Parameters
    ----------
    evaluator : Evaluator

    Raises
    ------
    EvaluatorError
        It is none.
    """

    def __init__(self, evaluator: Evaluator) -> None:
        BestPlay(evaluator)  # refuses what is no evaluator
        self.evaluator = evaluator

    def __repr__(self) -> str:
        return f"EvaluatorPlayer({self.evaluator!r})"

    def choose_plays(self, turns: Turns, dice: NDArray[np.uint8], /) -> NDArray[np.int8]:
        """Play rolls; see `Player`.

        Raises
        ------
        EvaluatorError
            The evaluator returned something that is no set of probabilities.
        """
        deciders = turns.is_decider
        after = turns.boards.copy()
        for to_win in (False, True):
            rows = np.flatnonzero(deciders == to_win)
            if len(rows):
                after[rows] = self._played(turns.boards[rows], dice[rows], turns.rules, to_win)
        return after

    def _played(
        self, boards: NDArray[np.int8], dice: NDArray[np.uint8], rules: Rules, to_win: bool
    ) -> NDArray[np.int8]:
        check_game(self.evaluator, rules.n_checkers)
        core = core_of(self.evaluator)
        if rules.house:
            pass
        elif core is not None and core.n_checkers == rules.n_checkers:
            return core.best_plays(boards, dice, to_win=to_win)[0]
        elif isinstance(self.evaluator, GnubgNN | BgSage) and rules.n_checkers == 15:
            return self.evaluator.best_plays(boards, dice, to_win=to_win)
        plays, offsets = legal_boards_of(boards, dice, rules)
        # with fewer checkers other finished games are gammons
        best = BestPlay(self.evaluator, n_checkers=rules.n_checkers, to_win=to_win)
        return _played(boards, plays, offsets, ask(best, boards, plays, offsets))

    def choose_doubles(self, turns: Turns, /) -> NDArray[np.bool_]:
        """Decide where to double; see `Player`."""
        five, life = self._probabilities(turns), cube_life(turns.boards)
        doubles = np.zeros(len(turns), np.bool_)
        for at, context in _contexts(turns):
            if context.is_dead:
                continue
            if context.needs is not None and context.needs[1] <= context.cube:
                doubles[at] = True
                continue
            kept = self._equity(turns.boards[at], five[at], life[at], context)
            taken = self._equity(turns.boards[at], five[at], life[at], context.doubled())
            if context.is_match:
                kept, taken = emg(kept, context), emg(taken, context)
            else:
                taken *= 2
                if context.may_be_beavered:
                    taken = np.minimum(taken, 2 * taken)
            doubles[at] = np.minimum(taken, 1) >= kept
        return doubles

    def choose_answers(self, turns: Turns, can_return: NDArray[np.bool_], /) -> NDArray[np.int8]:
        """Answer doubles; see `Player`."""
        five, life = self._probabilities(turns), cube_life(turns.boards)
        answers = np.full(len(turns), TAKE, np.int8)
        side = -1 if turns.returns % 2 == 0 else 1
        for at, context in _contexts(turns):
            # of the doubler, whose opponent will own the cube
            equity = self._equity(turns.boards[at], five[at], life[at], context)
            if context.is_match:
                drops = equity > context.mwc_after(context.cube // 2)
            else:
                drops = side * equity < -0.5
                answers[at[can_return[at] & (side * equity > 0)]] = TURN_BACK
            if turns.can_drop:
                answers[at[drops]] = DROP
        return answers

    def _equity(
        self,
        boards: NDArray[np.int8],
        five: NDArray[np.float64],
        life: NDArray[np.float64],
        context: CubeContext,
    ) -> NDArray[np.float64]:
        """Value boards whose player on roll rolls without doubling."""
        return cube_equity(five, context, life)

    def _probabilities(self, turns: Turns) -> NDArray[np.float64]:
        """Evaluate boards whose player on roll has not rolled."""
        check_game(self.evaluator, turns.rules.n_checkers)
        returned = self.evaluator.evaluate(turns.boards)
        try:
            five = checked_probabilities(returned, len(turns)).astype(np.float64)
        except EvaluatorError as error:
            raise EvaluatorError(f"{type(self.evaluator).__name__}: {error}") from None
        return five


def _contexts(turns: Turns) -> Iterator[tuple[NDArray[np.int64], CubeContext]]:
    """Give the places that share a cube and a score, and these as the player on roll sees them.

    With a double on offer, the cube is as it will be when that is taken.
    """
    rules = turns.rules
    is_offered = turns.offers > 0
    is_own = turns.returns % 2 == 1 or not is_offered.any()
    needs = turns.needs if is_own else turns.needs[:, ::-1]
    cubes = np.where(is_offered, turns.offers, turns.cubes)
    owners = np.where(is_offered, -1, turns.owners)
    keys = np.column_stack((cubes, owners, needs, turns.is_crawford))
    distinct, which = np.unique(keys, axis=0, return_inverse=True)
    for group, (cube, owner, mine, his, is_crawford) in enumerate(distinct.tolist()):
        context = CubeContext(
            cube=cube,
            owner=_OWNERS[owner],
            needs=(mine, his) if mine else None,
            is_crawford=bool(is_crawford),
            after_crawford=min(mine, his) == 1 and not is_crawford,
            jacoby=rules.jacoby and not (rules.jacoby_auto_counts and cube > 1),
            beavers=rules.beavers,
            beaver_doubles=rules.beaver_doubles,
            beaver_drop=rules.beaver_drop,
            most=rules.multiplier(3),
            limit=max(rules.cube_limit, cube),
        )
        yield np.flatnonzero(which.reshape(-1) == group), context


@dataclass(frozen=True)
class _HypergammonEvaluator:
    """The table of Hypergammon, read or solved when it is first asked."""

    n_checkers: int

    def evaluate(self, boards: NDArray[np.int8], /) -> NDArray[np.float32]:
        return hypergammon_table(self.n_checkers).evaluate(boards)


class HypergammonPlayer(EvaluatorPlayer):
    """Plays Hypergammon by its table (`bgcore.hypergammon`): without mistakes, but for matches.

    In money games plays and the cube are those of the exact cubeful equities; without a cube plays
    are those of the exact cubeless ones. In matches it plays for the exact cubeless equity, and
    the cube by the model of `EvaluatorPlayer` from the exact probabilities. The table is read, or
    solved, when it is first needed.

    Parameters
    ----------
    n_checkers : int, default 3
        Of each side, 1 to 3. Another number in the rules is refused when it plays, and so are house
        rules that change the plays, gammons that do not count, and a cube with a limit.

    Raises
    ------
    TableError
        There is no such table.
    """

    def __init__(self, n_checkers: int = 3) -> None:
        self.n_checkers = whole_number(
            n_checkers, "the number of checkers of a side", 1, MOST, TableError
        )
        super().__init__(_HypergammonEvaluator(self.n_checkers))

    def __repr__(self) -> str:
        return f"HypergammonPlayer({self.n_checkers})"

    @property
    def table(self) -> HypergammonTable:
        """The table; the first call may take minutes, see `bgcore.hypergammon_table`."""
        return hypergammon_table(self.n_checkers)

    def choose_plays(self, turns: Turns, dice: NDArray[np.uint8], /) -> NDArray[np.int8]:
        """Play rolls; see `Player`.

        Raises
        ------
        EvaluatorError
            The rules are not those of the table.
        """
        rules = turns.rules
        self._check(rules)
        if not rules.cube or turns.needs.any():
            return super().choose_plays(turns, dice)
        plays, offsets = legal_boards_of(turns.boards, dice, rules)
        counts = np.diff(offsets)
        chosen = np.full(len(counts), -1, np.int64)
        if len(plays):
            has_jacoby = rules.jacoby & ~(rules.jacoby_auto_counts & (turns.cubes > 1))
            equities = self.table.money_after(
                plays,
                np.repeat(turns.owners, counts),
                jacoby=np.repeat(has_jacoby, counts),
                beavers=rules.beavers > 0,
            )
            some = counts > 0
            chosen[some] = first_best(np.rint(equities * 2.0**30).astype(np.int64), counts[some])
        return _played(turns.boards, plays, offsets, chosen)

    def choose_doubles(self, turns: Turns, /) -> NDArray[np.bool_]:
        """Decide where to double; see `Player`."""
        self._check(turns.rules)
        return super().choose_doubles(turns)

    def choose_answers(self, turns: Turns, can_return: NDArray[np.bool_], /) -> NDArray[np.int8]:
        """Answer doubles; see `Player`."""
        self._check(turns.rules)
        return super().choose_answers(turns, can_return)

    def _equity(
        self,
        boards: NDArray[np.int8],
        five: NDArray[np.float64],
        life: NDArray[np.float64],
        context: CubeContext,
    ) -> NDArray[np.float64]:
        if context.is_match:
            return super()._equity(boards, five, life, context)
        return self.table.money(
            boards,
            context.owner,
            jacoby=context.jacoby,
            beavers=context.beavers > 0,
            may_double=False,
        )

    def why_not(self, rules: Rules) -> str:
        """Tell what keeps the table from playing by some rules; empty if nothing does."""
        reasons = {
            f"{rules.n_checkers} checkers a side": rules.n_checkers != self.n_checkers,
            "house rules": bool(rules.house) or rules.extra_turn,
            "gammons that do not count": rules.multiplier(3) < 3,
            f"a cube limit of {rules.cube_limit}": rules.cube and rules.cube_limit < 1 << 10,
        }
        return next((reason for reason, holds in reasons.items() if holds), "")

    def _check(self, rules: Rules) -> None:
        if reason := self.why_not(rules):
            raise EvaluatorError(
                f"the table of Hypergammon with {self.n_checkers} checkers a side knows no"
                f" game with {reason}"
            )


class PolicyPlayer:
    """Plays as a policy chooses; never doubles and takes every double.

    Parameters
    ----------
    policy : Policy
    """

    def __init__(self, policy: Policy) -> None:
        self.policy = policy

    def __repr__(self) -> str:
        return f"PolicyPlayer({self.policy!r})"

    def choose_plays(self, turns: Turns, dice: NDArray[np.uint8], /) -> NDArray[np.int8]:
        """Play rolls; see `Player`.

        Raises
        ------
        EvaluatorError
            What the policy returned cannot be used.
        """
        plays, offsets = legal_boards_of(turns.boards, dice, turns.rules)
        chosen = ask(self.policy, turns.boards, plays, offsets)
        return _played(turns.boards, plays, offsets, chosen)

    def choose_doubles(self, turns: Turns, /) -> NDArray[np.bool_]:
        """Decide where to double; see `Player`."""
        return np.zeros(len(turns), np.bool_)

    def choose_answers(self, turns: Turns, can_return: NDArray[np.bool_], /) -> NDArray[np.int8]:
        """Answer doubles; see `Player`."""
        return _always_take(turns)


class PubevalPlayer:
    """Plays as pubeval does, by the usual rules; never doubles and takes every double."""

    def __init__(self) -> None:
        self.engine = Pubeval()

    def __repr__(self) -> str:
        return "PubevalPlayer()"

    def choose_plays(self, turns: Turns, dice: NDArray[np.uint8], /) -> NDArray[np.int8]:
        """Play rolls; see `Player`.

        Raises
        ------
        EvaluatorError
            There are house rules, or gnubg-nn is not installed.
        """
        if turns.rules.house:
            raise EvaluatorError("pubeval plays by the usual rules, not by house rules")
        return self.engine.best_plays(turns.boards, dice)

    def choose_doubles(self, turns: Turns, /) -> NDArray[np.bool_]:
        """Decide where to double; see `Player`."""
        return np.zeros(len(turns), np.bool_)

    def choose_answers(self, turns: Turns, can_return: NDArray[np.bool_], /) -> NDArray[np.int8]:
        """Answer doubles; see `Player`."""
        return _always_take(turns)


_ANSWERS: Final = {"drop": DROP, "take": TAKE, "beaver": TURN_BACK, "raccoon": TURN_BACK}
_CUBE_WORDS = ("double", *_ANSWERS)


class ScriptedPlayer:
    """Does what a script says, for tests and demonstrations.

    The script of a game has one text for each turn of either player, so both players can be given
    the same one. A text has the cube actions of the turn, then the play: ``"8/5 6/5"``,
    ``"double take 24/18 13/11"``, ``"double beaver raccoon take"``, ``"double drop"``. A text
    without a play plays the first legal one.

    Parameters
    ----------
    scripts : sequence or mapping
        The scripts by the number of the money game; of a match, a mapping of (match, game) to
        scripts, all counted from 0.

    Raises
    ------
    EvaluatorError
        When it plays: there is no script for a game, or it ends too early, or has no answer.
    InvalidPlayError, IllegalPlayError, AmbiguousPlayError
        When it plays: the play cannot be made.
    """

    def __init__(
        self, scripts: Sequence[Sequence[str]] | Mapping[tuple[int, int], Sequence[str]]
    ) -> None:
        self.scripts: dict[tuple[int, int], tuple[str, ...]]
        if isinstance(scripts, Mapping):
            self.scripts = {key: tuple(script) for key, script in scripts.items()}
        else:
            self.scripts = {(i, 0): tuple(script) for i, script in enumerate(scripts)}

    def __repr__(self) -> str:
        return f"ScriptedPlayer({self.scripts!r})"

    def choose_plays(self, turns: Turns, dice: NDArray[np.uint8], /) -> NDArray[np.int8]:
        """Play rolls; see `Player`."""
        plays, offsets = legal_boards_of(turns.boards, dice, turns.rules)
        after = turns.boards.copy()
        for row, (_, play) in enumerate(self._texts(turns)):
            if play:
                board = Board(turns.boards[row], n_checkers=turns.rules.n_checkers)
                legal = Plays(board, dice[row].tolist(), **turns.rules.house)
                after[row] = legal.boards[legal.index(play)]
            elif offsets[row] < offsets[row + 1]:
                after[row] = plays[offsets[row]]
        return after

    def choose_doubles(self, turns: Turns, /) -> NDArray[np.bool_]:
        """Decide where to double; see `Player`."""
        return np.array([words[:1] == ["double"] for words, _ in self._texts(turns)], np.bool_)

    def choose_answers(self, turns: Turns, can_return: NDArray[np.bool_], /) -> NDArray[np.int8]:
        """Answer doubles; see `Player`."""
        answers = np.zeros(len(turns), np.int8)
        for row, (words, _) in enumerate(self._texts(turns)):
            if len(words) < turns.returns + 2:
                raise EvaluatorError(
                    f"the script of game {turns.games[row]} of match {turns.series[row]} has no"
                    f" answer to the double in turn {turns.plies[row]}"
                )
            answers[row] = _ANSWERS.get(words[turns.returns + 1], -1)
        return answers

    def _texts(self, turns: Turns) -> list[tuple[list[str], str]]:
        """Return for each decision the cube words and the play of its turn."""
        found = []
        numbers = (turns.series.tolist(), turns.games.tolist(), turns.plies.tolist())
        for series, game, ply in zip(*numbers, strict=True):
            script = self.scripts.get((series, game), ())
            if ply >= len(script):
                raise EvaluatorError(
                    f"the script of game {game} of match {series} has no turn {ply}"
                )
            words = script[ply].split()
            n = next((i for i, w in enumerate(words) if w not in _CUBE_WORDS), len(words))
            found.append((words[:n], " ".join(words[n:])))
        return found


class _CheckedPlayer:
    """A player whose every answer is checked."""

    def __init__(self, inner: Player) -> None:
        self.inner = inner

    def __repr__(self) -> str:
        return repr(self.inner)

    def choose_plays(self, turns: Turns, dice: NDArray[np.uint8], /) -> NDArray[np.int8]:
        # taken first: what a player does to its arguments is no play
        before, rolls = turns.boards.copy(), dice.copy()
        plays, offsets = legal_boards_of(before, rolls, turns.rules)
        returned = self._array(self.inner.choose_plays(turns, dice), "iu", before.shape)
        counts = np.diff(offsets)
        rows = np.repeat(np.arange(len(before)), counts)
        is_legal = (counts == 0) & (returned == before).all(axis=1)
        is_legal[rows[(plays == returned[rows]).all(axis=1)]] = True
        if not is_legal.all():
            row = int(np.flatnonzero(~is_legal)[0])
            raise EvaluatorError(
                f"{self._name} made an illegal play: {rolls[row, 0]}-{rolls[row, 1]} from"
                f" {before[row].tolist()} to {returned[row].tolist()}"
            )
        return returned.astype(np.int8)

    def choose_doubles(self, turns: Turns, /) -> NDArray[np.bool_]:
        return self._array(self.inner.choose_doubles(turns), "b", (len(turns),))

    def choose_answers(self, turns: Turns, can_return: NDArray[np.bool_], /) -> NDArray[np.int8]:
        may_return = can_return.copy()
        returned = self.inner.choose_answers(turns, can_return)
        answers = self._array(returned, "iu", (len(may_return),))
        lowest = DROP if turns.can_drop else TAKE
        is_legal = (answers >= lowest) & (answers <= np.where(may_return, TURN_BACK, TAKE))
        if not is_legal.all():
            row = int(np.flatnonzero(~is_legal)[0])
            legal = ["0 (drop)"] * turns.can_drop + ["1 (take)"]
            legal += ["2 (turn back)"] * bool(may_return[row])
            raise EvaluatorError(
                f"{self._name} answered {answers[row]} to a double; legal are {', '.join(legal)}"
            )
        return answers.astype(np.int8)

    @property
    def _name(self) -> str:
        return f"the player {type(self.inner).__name__}"

    def _array(self, returned: object, kinds: str, shape: tuple[int, ...]) -> NDArray[Any]:
        try:
            array = np.asarray(returned)
        except (TypeError, ValueError) as error:
            raise EvaluatorError(f"{self._name} returned no array: {error}") from None
        if array.shape != shape or array.dtype.kind not in kinds:
            right = "truth values" if kinds == "b" else "whole numbers"
            raise EvaluatorError(
                f"{self._name} returned {array.dtype} of shape {array.shape}; right are {right}"
                f" of shape {shape}"
            )
        return array


_BUILT_IN = (
    RandomPlayer,
    PipsPlayer,
    EvaluatorPlayer,
    HypergammonPlayer,
    PolicyPlayer,
    _CheckedPlayer,
)


def player(what: object) -> Player:
    """Make a player.

    Parameters
    ----------
    what : str, path, Player, Evaluator or Policy
        One of the names at the top of the module; the path of a file of nets; a player; an
        evaluator; a policy.

    Returns
    -------
    Player
        What a player of your own returns is checked: `EvaluatorError`, and it names the player.

    Raises
    ------
    EvaluatorError
        There is no such player.
    NetError
        The file of a net is bad.
    """
    if isinstance(what, str) and what in PLAYER_NAMES:
        return _named(what)
    if isinstance(what, str | os.PathLike):
        path, plies = os.fspath(what), 0
        if not os.path.isfile(path) and (match := re.fullmatch(r"(.+)@(\d{1,9})", path)):
            path, plies = match[1], int(match[2])
        if path in _ENGINES:
            return EvaluatorPlayer(_ENGINES[path](plies))
        if path not in ("net", *SHIPPED) and not os.path.isfile(path):
            names = ", ".join(repr(name) for name in PLAYER_NAMES)
            raise EvaluatorError(
                f"no player {path!r}: {names}, or the file of a net; nets and engines may be"
                " followed by @PLIES"
            )
        evaluator = NetEvaluator(None if path == "net" else path, plies=plies)
        _ = evaluator.core  # a bad file is refused here
        return EvaluatorPlayer(evaluator)
    if all(takes(what, method, n) for method, n in _METHODS):
        return cast(Player, what) if type(what) in _BUILT_IN else _CheckedPlayer(cast(Player, what))
    if takes(what, "evaluate", 1):
        return EvaluatorPlayer(cast(Evaluator, what))
    if is_policy(what):
        return PolicyPlayer(cast(Policy, what))
    raise EvaluatorError(
        "a player has the methods choose_plays(turns, dice), choose_doubles(turns) and"
        " choose_answers(turns, can_return); an evaluator has evaluate(boards), a policy"
        f" choose(boards, plays, offsets); {what!r} has none of these"
    )


def identity_of_player(one: Player) -> str:
    """Return what tells a player from another in a file that is gone on with later."""
    inner: Any = one
    while isinstance(inner, _CheckedPlayer):
        inner = inner.inner
    kind = type(inner)
    if kind is EvaluatorPlayer:
        return f"best play: {identity_of(inner.evaluator)}"
    if kind is PolicyPlayer:
        return f"policy: {identity_of(inner.policy)}"
    if kind is PubevalPlayer:
        return inner.engine.identity  # type: ignore[no-any-return]
    return repr(inner) if kind in (RandomPlayer, PipsPlayer) else str(identity_of(inner))


_METHODS = (("choose_plays", 2), ("choose_doubles", 1), ("choose_answers", 2))


_ENGINES: Final[dict[str, type[GnubgNN] | type[BgSage]]] = {"gnubg-nn": GnubgNN, "bgsage": BgSage}


def _named(name: str) -> Player:
    if name in ("random", "random-cube"):
        return RandomPlayer(cube=name == "random-cube")
    if name == "pips":
        return PipsPlayer()
    if name == "hypergammon-exact":
        return HypergammonPlayer()
    if name == "pubeval":
        return _CheckedPlayer(PubevalPlayer())  # its plays are of another generator
    if name in _ENGINES:
        return EvaluatorPlayer(_ENGINES[name]())
    return EvaluatorPlayer(NetEvaluator(None if name == "net" else name))
