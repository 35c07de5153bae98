"""Matches of games of any rules: one score for games in a row, such as those of Tavli."""

import os
from collections.abc import Mapping, Sequence
from typing import Any, Self, SupportsIndex

from bgcore.checks import shown
from bgcore.dice import Dice as DiceSource
from bgcore.errors import BgcoreError, RecordError, RulesError
from bgcore.game_series import GameSeries
from bgcore.game_state import MAX_LENGTH
from bgcore.json_records import load_json
from bgcore.variants.game import VariantGame, VariantRecord
from bgcore.variants.game_state import VariantGameState
from bgcore.variants.games import TAVLI_ORDER, rules_from_dict, rules_to_dict, variant
from bgcore.variants.rules import VariantRules

__all__ = ["VariantMatch", "load_variant_match", "order_of", "tavli"]

_FORMAT = "bgcore-variant-games"
_VERSION = 1


class VariantMatch(GameSeries[VariantGame]):
    """Games that count towards one score; with several rules, one after the other, again and again.

    A draw gives no points. Who begins a game is said by its rules: the winner of the last one, or
    an opening roll; after a draw an opening roll. Where the rules have a cube the Crawford rule
    holds: in the first game after a player has come to one point from the match nobody doubles.

    Parameters
    ----------
    rules : VariantRules, str, or a sequence of them
        Names are those of `variant`, or "tavli" for `tavli()`.
    length : int, default 0
        Points that win the match; 0 goes on as long as the players like.
    names : (str, str), default ("X", "O")
        Of player 0 and player 1.
    dice : int, SeedSequence, dice source or None, default None
        See `VariantGame`; the rolls of all games are those of one trial, in their order.
    trial : int, default 0

    Raises
    ------
    RulesError
        The length or the names cannot be.
    VariantError
        There is no such game.

    Examples
    --------
    >>> match = VariantMatch("tavli", 5, names=("Ann", "Bob"), dice=1)
    >>> [rules.name for rules in match.order]
    ['portes', 'plakoto', 'fevga']
    >>> match.game.rules.name, match.scores
    ('portes', (0, 0))
    """

    def __init__(
        self,
        rules: VariantRules | str | Sequence[VariantRules | str],
        length: int = 0,
        *,
        names: Sequence[str] = ("X", "O"),
        dice: DiceSource | SupportsIndex | None = None,
        trial: int = 0,
    ) -> None:
        if type(length) is not int or not 0 <= length <= MAX_LENGTH:
            raise RulesError(f"a match is played to 1 to {MAX_LENGTH} points, not {shown(length)}")
        self._order = order_of(rules)
        super().__init__(length, names, dice, trial)
        self._begin_game()

    @classmethod
    def from_state(
        cls,
        state: VariantGameState,
        *,
        names: Sequence[str] = ("X", "O"),
        dice: DiceSource | SupportsIndex | None = None,
        trial: int = 0,
    ) -> Self:
        """Return games whose first one begins with a state, such as `VariantGameState.at(...)`.

        All have the rules of the state; its length and its score are those of the match.

        Raises
        ------
        RulesError
            The names cannot be, or no game begins with this state, see `VariantGame`.
        """
        if not isinstance(state, VariantGameState):
            raise RulesError(f"games begin with a VariantGameState, not {shown(state)}")
        match = cls.__new__(cls)
        match._order = (state.rules,)
        GameSeries.__init__(match, state.length, names, dice, trial)
        match._add(VariantGame(start=state, dice=dice, trial=trial))
        return match

    @property
    def order(self) -> tuple[VariantRules, ...]:
        """The rules of the games, in their order, which begins again after the last one."""
        return self._order

    @property
    def length(self) -> int:
        """Points that win the match; 0 if there is no end."""
        return self._length

    @property
    def winner(self) -> int | None:
        """The player who won the match; None while it goes on."""
        return int(self.scores[1] >= self._length) if self.is_over else None

    def _begin_game(self) -> VariantGame:
        rules = self._order[len(self._games) % len(self._order)]
        scores = self.scores if self._games else (0, 0)
        last = self._games[-1].result if self._games else None
        by_winner = rules.next_opening == "winner" and last is not None
        start = VariantGameState.start(
            rules,
            length=self._length,
            scores=scores,
            is_crawford=self._is_crawford(rules, scores),
            starter=last.winner if by_winner and last is not None else None,
        )
        return self._add(
            VariantGame(start=start, dice=self._dice, trial=self._trial, first_roll=self._rolls())
        )

    def _is_crawford(self, rules: VariantRules, scores: tuple[int, int]) -> bool:
        is_near = max(scores) == self._length - 1 and min(scores) < self._length - 1
        return rules.cube and is_near and not any(g.start.is_crawford for g in self._games)

    # -- records --

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can hold."""
        records = [game.record() for game in self._games]
        start = records[0].start
        is_usual = start == VariantGameState.start(self._order[0], length=self._length)
        return {
            "format": _FORMAT,
            "version": _VERSION,
            **({} if is_usual else {"start": VariantRecord(start).to_dict()}),
            "order": [rules_to_dict(rules) for rules in self._order],
            "length": self._length,
            "names": list(self._names),
            "games": [[str(action) for action in record.actions] for record in records],
            "scores": list(self.scores),
        }

    @classmethod
    def from_dict(
        cls,
        document: Mapping[str, Any],
        *,
        dice: DiceSource | SupportsIndex | None = None,
        trial: int = 0,
    ) -> Self:
        """Return the match that `to_dict` wrote; every action is done again by the rules.

        Raises
        ------
        RecordError
            It is no such record, or an action is not legal.
        """
        if not isinstance(document, Mapping) or not _is(document.get("format"), _FORMAT):
            raise RecordError(f"this is no record of such games: 'format' must be {_FORMAT!r}")
        if not _is(document.get("version"), _VERSION):
            raise RecordError(
                f"this record is of version {shown(document.get('version'))}; this program reads"
                f" {_VERSION}"
            )
        order, games = document.get("order"), document.get("games")
        scores = document.get("scores")
        for name, entry in (("order", order), ("games", games)):
            if not isinstance(entry, Sequence) or isinstance(entry, str) or not entry:
                raise RecordError(f"{name!r} is a list of one or more, not {shown(entry)}")
        names = document.get("names", ("X", "O"))
        try:
            rules = tuple(rules_from_dict(entry) for entry in order or ())
            length = document.get("length", 0)
            if "start" in document:
                start = VariantRecord.from_dict(document["start"]).start
                match = cls.from_state(start, names=names, dice=dice, trial=trial)
                if (match.order, match.length) != (rules, length):
                    raise RulesError("'start' has other rules, or another length, than the match")
            else:
                match = cls(rules, length, names=names, dice=dice, trial=trial)
        except BgcoreError as error:
            raise RecordError(f"the match cannot be: {error}") from None
        for number, actions in enumerate(games or (), start=1):
            try:
                if number > 1:
                    match.next_game()
                entries = match.game.record().to_dict() | {"actions": actions}
                record = VariantRecord.from_dict(entries)
                match._games[-1] = VariantGame.replay(
                    record, dice=dice, trial=trial, first_roll=match.game._first_roll
                )
            except BgcoreError as error:
                raise RecordError(f"game {number}: {error}") from None
        if not _is(scores, list(match.scores)):
            raise RecordError(
                f"it says that the score is {shown(scores)}; its games lead to {list(match.scores)}"
            )
        return match

    def __repr__(self) -> str:
        (name0, name1), (score0, score1) = self.names, self.scores
        return f"<VariantMatch to {self._length}, {name0} {score0} - {name1} {score1}>"


def _is(entry: object, right: object) -> bool:
    """Whether an entry of a record is what it must be; values of other types never are."""
    return type(entry) is type(right) and entry == right


def load_variant_match(
    path: str | os.PathLike[str],
    *,
    dice: DiceSource | SupportsIndex | None = None,
    trial: int = 0,
) -> VariantMatch:
    """Return the match of a file that `VariantMatch.save` wrote.

    Raises
    ------
    RecordError
        The file is no such record.
    OSError
        The file cannot be read.
    """
    document = load_json(path, "record of games")
    return VariantMatch.from_dict(document, dice=dice, trial=trial)


def tavli() -> tuple[VariantRules, ...]:
    """Return the rules of Tavli: Portes, Plakoto and Fevga, one after the other."""
    return tuple(variant(name) for name in TAVLI_ORDER)


def order_of(rules: VariantRules | str | Sequence[VariantRules | str]) -> tuple[VariantRules, ...]:
    """Return the games of a match: one, several in turn, or those of "tavli".

    Raises
    ------
    RulesError, VariantError
        These are no games.
    """
    if isinstance(rules, str) and rules.strip().lower() == "tavli":
        return tavli()
    if isinstance(rules, (str, VariantRules)):
        given: list[VariantRules | str] = [rules]
    else:
        given = list(rules) if isinstance(rules, Sequence) else []
    made = tuple(variant(entry) if isinstance(entry, str) else entry for entry in given)
    if not made or not all(isinstance(entry, VariantRules) for entry in made):
        raise RulesError(f"the games of a match are one VariantRules or more, not {shown(rules)}")
    return made
