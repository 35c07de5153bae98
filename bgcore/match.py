"""Matches and money sessions: games that count towards one score."""

import os
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, ClassVar, Self, SupportsIndex

from bgcore.checks import flag, shown, whole_number
from bgcore.dice import Dice as DiceSource
from bgcore.errors import BgcoreError, RecordError, RulesError
from bgcore.game import Game, GameRecord
from bgcore.game_series import GameSeries
from bgcore.game_state import MAX_LENGTH, GameState
from bgcore.json_records import load_json
from bgcore.rules import Rules
from bgcore.scoring import GameResult

__all__ = [
    "Match",
    "MoneySession",
    "load_series",
    "series_document",
    "series_from_dict",
]

_FORMAT = "bgcore-games"
_VERSION = 1


class _Series(GameSeries[Game]):
    """Games in a row with one score; what `Match` and `MoneySession` share."""

    kind: ClassVar[str]

    def __init__(
        self,
        rules: Rules,
        length: int,
        names: Sequence[str],
        scores: Sequence[int],
        crawford_played: bool,
        dice: DiceSource | SupportsIndex | None,
        trial: int,
        first: GameState | None = None,
        info: Mapping[str, str] | None = None,
    ) -> None:
        self._rules = rules
        self._info = _checked_info(info)
        super().__init__(length, names, dice, trial)
        self._crawford_played = crawford_played
        # refuses rules and scores that do not fit
        start = GameState.start(rules, length=length, scores=scores)
        self._start_scores = start.scores
        if crawford_played and max(start.scores) < length - 1:
            raise RulesError(
                f"no Crawford game can have been played before {start.scores[0]}-{start.scores[1]}"
                f" in a match to {length}"
            )
        if first is None:
            self._begin_game()
        else:
            self._append(first)

    # -- what is --

    @property
    def rules(self) -> Rules:
        """The rules of every game."""
        return self._rules

    @property
    def info(self) -> Mapping[str, str]:
        """What is known about the occasion: names of entries and texts, see `Match`."""
        return MappingProxyType(self._info)

    @property
    def start_scores(self) -> tuple[int, int]:
        """The score before the first game."""
        return self._start_scores

    # -- going on --

    def _begin_game(self) -> Game:
        scores = self.scores if self._games else self._start_scores
        last = self._games[-1].result if self._games else None
        by_winner = self._rules.next_opening == "winner" and last is not None
        start = GameState.start(
            self._rules,
            length=self._length,
            scores=scores,
            is_crawford=self._is_crawford_next(scores),
            starter=last.winner if by_winner and last is not None else None,
        )
        return self._append(start)

    def _append(self, start: GameState) -> Game:
        return self._add(
            Game(start=start, dice=self._dice, trial=self._trial, first_roll=self._rolls())
        )

    def _is_crawford_next(self, scores: Sequence[int]) -> bool:
        if not self._rules.crawford or max(scores) != self._length - 1:
            return False
        was_played = self._crawford_played or any(g.start.is_crawford for g in self._games)
        return not was_played and min(scores) < self._length - 1

    # -- records --

    def to_dict(self) -> dict[str, Any]:
        """Return everything as values that JSON can hold.

        Returns
        -------
        dict
            `format`, `version`, `kind` ("match" or "money"), `rules` (those that differ from the
            defaults), `length`, `names`, `info`, `games` (see `GameRecord.to_dict`), and the score
            so far.
        """
        return series_document(
            self._rules,
            self._length,
            self._names,
            [(game.record(), game.result) for game in self._games],
            self.scores,
            crawford_played=self._crawford_played,
            info=self._info,
        )

    @classmethod
    def from_dict(
        cls,
        document: Mapping[str, Any],
        *,
        dice: DiceSource | SupportsIndex | None = None,
        trial: int = 0,
    ) -> Self:
        """Return what `to_dict` wrote, every action played again.

        Parameters
        ----------
        document : mapping
        dice, trial : optional
            For what is played from here on.

        Raises
        ------
        RecordError
            It is of another kind or form, or something in it cannot be; the message says which
            game and why.
        """
        kind, rules, length, games = _read_document(document)
        if kind != cls.kind:
            raise RecordError(f"this is a record of kind {kind!r}, not {cls.kind!r}")
        series = cls.__new__(cls)
        try:
            first = GameRecord.from_dict(_actions_only(games[0]), rules=rules, length=length)
            _Series.__init__(
                series,
                rules,
                length,
                document.get("names", ("X", "O")),
                first.start.scores,
                flag(document.get("crawford_played", False), "'crawford_played'", RecordError),
                dice,
                trial,
                info=document.get("info"),
            )
        except RecordError:
            raise
        except BgcoreError as error:
            raise RecordError(f"the record cannot be: {error}") from None
        series._games.clear()
        for number, entry in enumerate(games, start=1):
            try:
                series._replay(
                    GameRecord.from_dict(_actions_only(entry), rules=rules, length=length)
                )
                _check_result(series.game, entry)
            except BgcoreError as error:
                raise RecordError(f"game {number}: {error}") from None
            if number < len(games) and series.game.result is None:
                raise RecordError(f"game {number} is not over, and {len(games) - number} follow")
        if "scores" in document and document["scores"] != list(series.scores):
            raise RecordError(
                f"it says that the score is {shown(document['scores'])}; its games make"
                f" {list(series.scores)}"
            )
        return series

    @classmethod
    def _of_games(
        cls,
        games: Sequence[Game],
        names: Sequence[str],
        crawford_played: bool,
        info: Mapping[str, str] | None,
    ) -> Self:
        if not games or not all(isinstance(game, Game) for game in games):
            raise RecordError("a match is made of one game or more")
        start = games[0].start
        if (start.length > 0) != (cls is Match):
            raise RulesError("games of a match make a Match, games for money a MoneySession")
        series = cls.__new__(cls)
        _Series.__init__(
            series,
            start.rules,
            start.length,
            names,
            start.scores,
            crawford_played,
            None,
            0,
            start,
            info,
        )
        series._games.clear()
        for number, game in enumerate(games, start=1):
            begin = game.start
            if (
                begin.rules is not start.rules and begin.rules != start.rules
            ) or begin.length != start.length:
                raise RulesError(f"game {number} has other rules or another length than game 1")
            if number > 1 and games[number - 2].result is None:
                raise RecordError(f"game {number - 1} is not over, and others follow")
            try:
                series._check_start(begin)
            except RecordError as error:
                raise RecordError(f"game {number}: {error}") from None
            series._add(game)
        return series

    def _check_start(self, start: GameState) -> None:
        """Refuse a game that does not follow from those before it."""
        # mostly the same object: comparing all rules takes time
        is_other = start.rules is not self._rules and start.rules != self._rules
        if is_other or start.length != self._length:
            raise RecordError("its rules or its length are not those of the first game")
        if self._games:
            if self.is_over:
                raise RecordError("the match is over before it")
            expected = self.scores
            if start.scores != expected:
                raise RecordError(
                    f"it begins at {start.scores[0]}-{start.scores[1]}; the games before it make"
                    f" {expected[0]}-{expected[1]}"
                )
        if start.is_crawford != self._is_crawford_next(start.scores):
            raise RecordError(
                "it is marked as the Crawford game and is not"
                if start.is_crawford
                else "it is the Crawford game and not marked so"
            )

    def _replay(self, record: GameRecord) -> None:
        self._check_start(record.start)
        self._add(Game.replay(record, dice=self._dice, trial=self._trial, first_roll=self._rolls()))


class Match(_Series):
    """A match to a number of points.

    Parameters
    ----------
    length : int
        Points that win the match.
    rules : Rules, optional
        `Rules.match()` if not given.
    names : (str, str), default ("X", "O")
        Of player 0 and player 1.
    scores : (int, int), default (0, 0)
        The score before the first game.
    crawford_played : bool, default False
        Whether the Crawford game was played before the first game.
    info : mapping of str to str, optional
        What else is known, such as `{"Event": "Open", "Round": "2", "EventDate": "2026.05.01"}`.
        The names are those of the tags in XG's match files where there is one.
    dice : int, SeedSequence, dice source or None, default None
        See `Game`; the rolls of all games of the match are those of one trial, in their order.
    trial : int, default 0
        Which trial of the dice source is this match's.

    Raises
    ------
    RulesError
        The length, the rules, the names or the score cannot be.

    Examples
    --------
    >>> match = Match(3, names=("Ann", "Bob"), scores=(2, 0))
    >>> match.is_crawford, match.needs
    (True, (1, 3))
    """

    kind = "match"

    def __init__(
        self,
        length: int,
        rules: Rules | None = None,
        *,
        names: Sequence[str] = ("X", "O"),
        scores: Sequence[int] = (0, 0),
        crawford_played: bool = False,
        info: Mapping[str, str] | None = None,
        dice: DiceSource | SupportsIndex | None = None,
        trial: int = 0,
    ) -> None:
        length = whole_number(length, "the length of a match", 1, MAX_LENGTH, RulesError)
        rules = Rules.match() if rules is None else rules
        super().__init__(
            rules,
            length,
            names,
            scores,
            flag(crawford_played, "crawford_played", RulesError),
            dice,
            trial,
            info=info,
        )

    @property
    def length(self) -> int:
        """Points that win the match."""
        return self._length

    @property
    def needs(self) -> tuple[int, int]:
        """Points that each player still needs; 0 for the winner."""
        return self._length - self.scores[0], self._length - self.scores[1]

    @property
    def winner(self) -> int | None:
        """The player who won the match; None while it goes on."""
        return None if not self.is_over else int(self.scores[1] >= self._length)

    @property
    def is_crawford(self) -> bool:
        """Whether the last game is the Crawford game."""
        return self.game.start.is_crawford

    @property
    def is_post_crawford(self) -> bool:
        """Whether the last game comes after the Crawford game."""
        return self.game.start.is_post_crawford

    @classmethod
    def from_state(
        cls,
        state: GameState,
        *,
        names: Sequence[str] = ("X", "O"),
        dice: DiceSource | SupportsIndex | None = None,
        trial: int = 0,
    ) -> Self:
        """Return a match whose first game begins with a state, such as `GameState.at(...)`.

        At a score of one point from the match, a state that is not the Crawford game means that
        this game was played before.

        Raises
        ------
        RulesError
            The state is one of money play.
        """
        if not state.length:
            raise RulesError("this state is one of money play: see MoneySession.from_state")
        series = cls.__new__(cls)
        _Series.__init__(
            series,
            state.rules,
            state.length,
            names,
            state.scores,
            state.is_post_crawford,
            dice,
            trial,
            state,
        )
        return series

    @classmethod
    def of_games(
        cls,
        games: Sequence[Game],
        *,
        names: Sequence[str] = ("X", "O"),
        crawford_played: bool = False,
        info: Mapping[str, str] | None = None,
    ) -> Self:
        """Return the match that games make which were played one after the other.

        Parameters
        ----------
        games : sequence of Game
            All of them over, except perhaps the last. They are taken as they are, not copied.
        names, crawford_played, info : optional
            See the class.

        Raises
        ------
        RecordError
            A game does not begin with the score, or the Crawford rule, that follows from those
            before it, or one in between is not over.
        RulesError
            They are not of one match.
        """
        return cls._of_games(games, names, crawford_played, info)

    def __repr__(self) -> str:
        (name0, name1), (score0, score1) = self.names, self.scores
        return f"<Match to {self._length}, {name0} {score0} - {name1} {score1}>"


class MoneySession(_Series):
    """Games for points without an end.

    Parameters
    ----------
    rules : Rules, optional
        `Rules.money()` if not given.
    names, scores, info, dice, trial : optional
        See `Match`.

    Raises
    ------
    RulesError
        The rules are those of a match, or the names or the score cannot be.

    Examples
    --------
    >>> session = MoneySession(dice=1)
    >>> session.game.stage.value
    'opening'
    """

    kind = "money"

    def __init__(
        self,
        rules: Rules | None = None,
        *,
        names: Sequence[str] = ("X", "O"),
        scores: Sequence[int] = (0, 0),
        info: Mapping[str, str] | None = None,
        dice: DiceSource | SupportsIndex | None = None,
        trial: int = 0,
    ) -> None:
        rules = Rules.money() if rules is None else rules
        super().__init__(rules, 0, names, scores, False, dice, trial, info=info)

    @classmethod
    def of_games(
        cls,
        games: Sequence[Game],
        *,
        names: Sequence[str] = ("X", "O"),
        info: Mapping[str, str] | None = None,
    ) -> Self:
        """Return the session that games make which were played one after the other.

        Raises
        ------
        RecordError, RulesError
            See `Match.of_games`.
        """
        return cls._of_games(games, names, False, info)

    @classmethod
    def from_state(
        cls,
        state: GameState,
        *,
        names: Sequence[str] = ("X", "O"),
        dice: DiceSource | SupportsIndex | None = None,
        trial: int = 0,
    ) -> Self:
        """Return a session whose first game begins with a state, such as `GameState.at(...)`.

        Raises
        ------
        RulesError
            The state is one of a match.
        """
        if state.length:
            raise RulesError("this state is one of a match: see Match.from_state")
        series = cls.__new__(cls)
        _Series.__init__(series, state.rules, 0, names, state.scores, False, dice, trial, state)
        return series

    @property
    def balance(self) -> int:
        """Points that player 0 is ahead; negative if he is behind."""
        return self.scores[0] - self.scores[1]

    def __repr__(self) -> str:
        (name0, name1), (score0, score1) = self.names, self.scores
        return f"<MoneySession, {name0} {score0} - {name1} {score1}>"


def series_from_dict(
    document: Mapping[str, Any],
    *,
    dice: DiceSource | SupportsIndex | None = None,
    trial: int = 0,
) -> Match | MoneySession:
    """Return the match or session that a document of `to_dict` holds.

    Raises
    ------
    RecordError
        See `Match.from_dict`.
    """
    kind = _read_document(document)[0]
    made: Match | MoneySession
    if kind == "match":
        made = Match.from_dict(document, dice=dice, trial=trial)
    else:
        made = MoneySession.from_dict(document, dice=dice, trial=trial)
    return made


def load_series(
    path: str | os.PathLike[str],
    *,
    dice: DiceSource | SupportsIndex | None = None,
    trial: int = 0,
) -> Match | MoneySession:
    """Return the match or session of a file that `save` wrote.

    Raises
    ------
    RecordError
        The file is no such record.
    OSError
        The file cannot be read.
    """
    document: Mapping[str, Any] = load_json(path, "record of games")
    return series_from_dict(document, dice=dice, trial=trial)


def _checked_info(info: Mapping[str, str] | None) -> dict[str, str]:
    if info is None:
        return {}
    if not isinstance(info, Mapping):
        raise RulesError(f"the info of a match is a mapping of texts to texts, not {shown(info)}")
    for name, text in info.items():
        if not (isinstance(name, str) and name.strip() and isinstance(text, str)):
            raise RulesError(
                f"an entry of the info is a name and a text, not {shown(name)}: {shown(text)}"
            )
    return dict(info)


def series_document(
    rules: Rules,
    length: int,
    names: Sequence[str],
    games: Iterable[tuple[GameRecord, GameResult | None]],
    scores: Sequence[int],
    *,
    crawford_played: bool = False,
    info: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Return the record of a match or session as values that JSON can hold, see `Match.to_dict`.

    Parameters
    ----------
    rules : Rules
    length : int
        Points of the match; 0 for money.
    names : (str, str)
        Of player 0 and player 1.
    games : iterable of (GameRecord, GameResult or None)
        In their order; the last one may be without a result.
    scores : (int, int)
        All of these games counted.
    crawford_played : bool, default False
        Whether the Crawford game was played before the first of them.
    info : mapping of str to str, optional
    """
    document: dict[str, Any] = {
        "format": _FORMAT,
        "version": _VERSION,
        "kind": Match.kind if length else MoneySession.kind,
        "rules": rules.to_dict(),
    }
    if length:
        document["length"] = length
    document["names"] = list(names)
    if info:
        document["info"] = dict(info)
    if crawford_played:
        document["crawford_played"] = True
    document["games"] = [_game_to_dict(record, result) for record, result in games]
    document["scores"] = list(scores)
    return document


def _game_to_dict(record: GameRecord, result: GameResult | None) -> dict[str, Any]:
    document = record.to_dict(with_rules=False)
    if result is not None:
        document["result"] = {
            "winner": result.winner,
            "kind": result.kind.name.lower(),
            "points": result.points,
            "ending": result.ending,
        }
    return document


def _actions_only(entry: object) -> Mapping[str, Any]:
    if not isinstance(entry, Mapping):
        raise RecordError(f"a game is a mapping, not {shown(entry)}")
    return {key: value for key, value in entry.items() if key != "result"}


def _check_result(game: Game, entry: Mapping[str, Any]) -> None:
    """Refuse a record whose stated result is not what its actions lead to."""
    if "result" not in entry:
        return
    found = _game_to_dict(game.record(), game.result).get("result")
    if entry["result"] != found:
        raise RecordError(f"it says {shown(entry['result'])}; its actions lead to {found}")


def _read_document(
    document: Mapping[str, Any],
) -> tuple[str, Rules, int, Sequence[Mapping[str, Any]]]:
    """Return kind, rules, length and games of a document."""
    if not isinstance(document, Mapping) or document.get("format") != _FORMAT:
        raise RecordError(f"this is no record of games: 'format' must be {_FORMAT!r}")
    if document.get("version") != _VERSION:
        raise RecordError(
            f"this record is of version {shown(document.get('version'))}; this program reads {_VERSION}"
        )
    kind = document.get("kind")
    if kind not in (Match.kind, MoneySession.kind):
        raise RecordError(f"the kind of a record is 'match' or 'money', not {shown(kind)}")
    games = document.get("games")
    if not isinstance(games, Sequence) or isinstance(games, str) or not games:
        raise RecordError("'games' is a list of one game or more")
    length = document.get("length", 0)
    if (kind == Match.kind) != (type(length) is int and length > 0):
        raise RecordError(f"a record of kind {kind!r} cannot have the length {shown(length)}")
    try:
        rules = Rules.from_dict(document.get("rules", {}))
    except BgcoreError as error:
        raise RecordError(f"the rules cannot be: {error}") from None
    return kind, rules, length, games
