"""Nets that play the other games of this board."""

import dataclasses
import os
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from bgcore._core.evaluator import Evaluator
from bgcore.bearoff import tables
from bgcore.checks import path_text
from bgcore.errors import NetError, VariantError
from bgcore.nets import NetFile, load_net
from bgcore.variant_boards import boards_of_states, equities_of_fives
from bgcore.variants import (
    VARIANT_PLAYERS,
    State,
    Turn,
    VariantPlayer,
    VariantPlays,
    VariantRules,
    variant,
    variant_player,
)
from bgcore.variants.states import BAR, SIDE_BYTES

__all__ = ["NetVariantPlayer", "equities_after", "variant_player_of"]

_UNIT = 1 << 30


def equities_after(
    rules: VariantRules, evaluator: Evaluator, states: NDArray[np.uint8]
) -> NDArray[np.int64]:
    """Return what states after a play are worth to the mover, in points of unit 2**-30.

    Parameters
    ----------
    rules : VariantRules
    evaluator : Evaluator
        Of the core, with a net of this game.
    states : (n, 64) uint8 array
        Seen by the mover. Finished games are valued exactly.

    Returns
    -------
    (n,) int64 array
    """
    fives = evaluator.evaluate_core(boards_of_states(rules, states))
    equities = equities_of_fives(rules, fives)
    may_be_over = states[:, 0] == rules.n_checkers
    if rules.john != "none":
        entering = [point for point in range(1, 25) if rules.across(point) >= 19]
        n_open = 6 - (states[:, entering] > 1).sum(axis=1)
        may_be_over |= states[:, SIDE_BYTES + BAR] > n_open
    for row in np.flatnonzero(may_be_over).tolist():
        points = rules.result(State(states[row].tobytes()))
        if points is not None:
            equities[row] = points * _UNIT
    return equities


class NetVariantPlayer:
    """Plays for the largest expected points by a net, the first of equals; it never leaves.

    A net of a layout of backgammon plays all layouts with its number of checkers, Portes too.
    Other nets play the game that they were trained for; only its cube and who begins may differ.

    Parameters
    ----------
    path : path
        A file of nets.

    Raises
    ------
    NetError
        The file cannot be read, or this is no path.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = path_text(path, "the path of a net", NetError)
        self.nets: NetFile = load_net(self.path)
        self._known: VariantRules | None = None

    def __repr__(self) -> str:
        return f"NetVariantPlayer({self.path!r})"

    def __reduce__(self) -> tuple[type["NetVariantPlayer"], tuple[str]]:
        return NetVariantPlayer, (self.path,)

    @property
    def game(self) -> VariantRules:
        """What the net was trained for."""
        return self.nets.game or variant("standard")

    @cached_property
    def evaluator(self) -> Evaluator:
        """The evaluator of the core."""
        first_choice = self.nets.value if self.nets.strong is not None else None
        table = tables() if self.game.is_layout else None
        return Evaluator(self.nets.net, table, first_choice, n_checkers=self.nets.n_checkers)

    def choose_play(
        self, rules: VariantRules, state: State, turn: Turn, plays: VariantPlays, chance: float, /
    ) -> int:
        """Choose a play; see `VariantPlayer`.

        Raises
        ------
        VariantError
            The net is one of another game.
        """
        self.check(rules)
        return int(equities_after(rules, self.evaluator, plays.states).argmax())

    def choose_doublet(
        self, rules: VariantRules, state: State, turn: Turn, chance: float, /
    ) -> int:
        """Name the doublet whose best play is worth most; see `VariantPlayer`.

        Raises
        ------
        VariantError
            The net is one of another game.
        """
        self.check(rules)
        worth = []
        for number in range(1, 7):
            plays = rules.plays(state, rules.chosen(turn, number))
            worth.append(int(equities_after(rules, self.evaluator, plays.states).max()))
        return worth.index(max(worth)) + 1

    def check(self, rules: VariantRules) -> None:
        """Refuse rules of a game that the net does not know.

        Raises
        ------
        VariantError
        """
        if rules is self._known:
            return
        game = self.game
        if game.is_layout:
            fits = rules.is_layout and rules.n_checkers == game.n_checkers
        else:
            free = {name: getattr(game, name) for name in ("cube", "opening", "next_opening")}
            fits = type(rules) is type(game) and dataclasses.replace(rules, **free) == game
        if not fits:
            other = " with other rules" if rules.name == game.name else ""
            raise VariantError(
                f"{self.path} is a net of {game.name}; it does not play {rules.name}{other}"
            )
        self._known = rules


def variant_player_of(player: object, games: Sequence[VariantRules]) -> VariantPlayer:
    """Return the player of a name or of a file of nets; a player comes back as it is.

    Parameters
    ----------
    player : VariantPlayer, str or path
    games : sequence of VariantRules
        What will be played.

    Raises
    ------
    VariantError
        There is no such player, or it is a net of another game.
    NetError
        The file is no file of nets.
    """
    if isinstance(player, str | os.PathLike) and player not in VARIANT_PLAYERS:
        path = os.fspath(player)
        player = NetVariantPlayer(path) if os.path.isfile(path) else path
    one = variant_player(player)  # type: ignore[arg-type]
    if isinstance(one, NetVariantPlayer):
        for rules in games:
            one.check(rules)
    return one
