"""Games and matches from what a file tells: every action is done again by the rules."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache, partial
from typing import Any

import numpy as np

from bgcore.actions import (
    Accept,
    Action,
    Beaver,
    Double,
    Drop,
    Irregular,
    MakePlay,
    Pass,
    Raccoon,
    Resign,
    Roll,
    Settle,
    Take,
)
from bgcore.errors import (
    AmbiguousPlayError,
    BgcoreError,
    GameError,
    IllegalPlayError,
    InvalidPlayError,
)
from bgcore.formats.late_game import LateGame
from bgcore.formats.problems import ProblemKind, Report
from bgcore.formats.told import UNKNOWN_PLAY, SetUp, Told, ToldGame, ToldMatch
from bgcore.game import Game
from bgcore.game_state import MAX_LENGTH, GameState, Stage, cells_after
from bgcore.match import Match, MoneySession
from bgcore.notation import Play
from bgcore.play_mistakes import why_illegal_play
from bgcore.rules import Rules
from bgcore.scoring import GameResult, WinKind, kind_cap

__all__ = ["names_of", "replay_game", "series_of"]

Series = Match | MoneySession


class _CutError(Exception):
    """The rest of a game cannot be played."""


class _JacobyOffError(Exception):
    """A gammon counted though the cube was not turned."""


# ---- matches ----


def series_of(told: ToldMatch, report: Report) -> Iterator[Series]:
    """Yield what a file tells of one match: one series, or more where the scores break off.

    Parameters
    ----------
    told : ToldMatch
    report : Report
        Takes what is wrong.

    Raises
    ------
    FileFormatError
        In strict mode, if something is wrong.
    """
    rules = _rules(told, report)
    if rules is None:
        return
    names = names_of(told.names, report)
    if not told.games:
        report.note("unread", "the match has no game")
        return
    report.hold()
    try:
        parts = _parts(told, rules, report)
    except _JacobyOffError:
        report.forget()
        parts = _parts(told, rules.replace(jacoby=False), report)
    report.release()
    for part in parts:
        if told.length:
            yield Match.of_games(
                part.games, names=names, crawford_played=part.crawford_played, info=told.info
            )
        else:
            yield MoneySession.of_games(part.games, names=names, info=told.info)


@dataclass(slots=True)
class _Part:
    """Games that follow from each other."""

    crawford_played: bool = False
    games: list[Game] = field(default_factory=list)

    @property
    def scores(self) -> tuple[int, int]:
        last = self.games[-1]
        scores = list(last.start.scores)
        if (result := last.result) is not None:
            scores[result.winner] += result.points
            if last.start.length:
                scores[result.winner] = min(scores[result.winner], last.start.length)
        return scores[0], scores[1]

    def is_crawford_next(self, rules: Rules, length: int, scores: tuple[int, int]) -> bool:
        if not rules.crawford or max(scores) != length - 1 or min(scores) >= length - 1:
            return False
        return not self.crawford_played and not any(g.start.is_crawford for g in self.games)


def _parts(told: ToldMatch, rules: Rules, report: Report) -> list[_Part]:
    parts: list[_Part] = []
    part = _Part()
    for i, game in enumerate(told.games):
        report.game = game.number
        following = told.games[i + 1].scores if i + 1 < len(told.games) else None
        scores = game.scores
        if part.games:
            expected = part.scores
            is_open = part.games[-1].result is None
            if scores is None:
                scores = expected
            if is_open or scores != expected:
                if not is_open:
                    report.note(
                        "score",
                        f"it begins at {scores[0]}-{scores[1]}; the games before it make"
                        f" {expected[0]}-{expected[1]}: what follows is a match of its own",
                        line=game.line,
                    )
                parts.append(part)
                part = _Part()
        played = _one_game(told, rules, game, scores or (0, 0), following, part, report)
        if played is not None:
            part.games.append(played)
    report.game = 0
    if part.games:
        parts.append(part)
    return parts


def _one_game(
    told: ToldMatch,
    rules: Rules,
    game: ToldGame,
    scores: tuple[int, int],
    following: tuple[int, int] | None,
    part: _Part,
    report: Report,
) -> Game | None:
    """Return a game that follows from those of a part; None if it cannot be."""
    length = told.length
    if length and max(scores) >= length:
        report.note(
            "score",
            f"it begins at {scores[0]}-{scores[1]}, when the match to {length} is over:"
            " it is left out",
            line=game.line,
        )
        return None
    is_crawford = part.is_crawford_next(rules, length, scores)
    if is_crawford and not part.games and _shows_post_crawford(game):
        is_crawford, part.crawford_played = False, True
    if game.is_crawford is not None and game.is_crawford != is_crawford:
        report.note(
            "score",
            "it is marked as the Crawford game and is not"
            if game.is_crawford
            else "it is the Crawford game and not marked so",
            line=game.line,
        )
    start = GameState.start(rules, length=length, scores=scores, is_crawford=is_crawford)
    if game.quick is not None and game.set_up is None:
        result = game.quick(start)
        if result is not None and _agrees(start, result, game, following):
            return LateGame(start, result, partial(_played_late, start, game, following, told))
    _check_first_cube(game, rules, _gained(scores, following), report)
    started = _set_up(start, game, report)
    if started is None:
        return None
    return _finished(replay_game(started, game, report), game, following, told, report)


def _check_first_cube(
    game: ToldGame, rules: Rules, gained: tuple[int, int] | None, report: Report
) -> None:
    """Leave out a cube at the start that the result counts and the next score does not.

    GNU Backgammon writes such a cube after automatic doubles that it did not play with.
    """
    set_up = game.set_up
    if set_up is None or set_up.cube == 1 or set_up.owner is not None or gained is None:
        return
    winner, points = gained
    if game.winner == winner and game.points == points * set_up.cube:
        report.note(
            "score",
            f"the cube is said to show {set_up.cube} at the start, and the result counts it; by"
            " the next score it showed 1: taken as 1",
            line=game.line,
        )
        game.points = points
        if set_up.board == rules.layout:
            game.set_up = None
        else:
            set_up.cube = 1


def _played_late(
    start: GameState, game: ToldGame, following: tuple[int, int] | None, told: ToldMatch
) -> Game:
    """Return a game in which nothing is wrong, as was seen before."""
    silent = Report("", lambda problem: None)
    return _finished(replay_game(start, game, silent), game, following, told, silent)


def _shows_post_crawford(game: ToldGame) -> bool:
    """Tell whether the first game of a file, one point from the match, is past the Crawford."""
    if game.is_crawford is not None:
        return not game.is_crawford
    return any(action.kind == "double" for action in game.actions())


def _agrees(
    start: GameState, result: GameResult, game: ToldGame, following: tuple[int, int] | None
) -> bool:
    """Tell whether the result of a game is what the file says, and what the next score says."""
    if result.winner != game.winner or result.points != game.points:
        return False
    if following is None:
        return True
    own, other = result.winner, 1 - result.winner
    gained = following[own] - start.scores[own]
    return following[other] == start.scores[other] and gained == result.points


def _rules(told: ToldMatch, report: Report) -> Rules | None:
    if told.length > MAX_LENGTH:
        report.note("unread", f"no match is played to {told.length} points: it is left out")
        return None
    values: dict[str, Any] = dict(told.rules)
    if told.returns and not told.length:
        known = values.get("beavers")
        values["beavers"] = max(told.returns, known if isinstance(known, int) else 1)
    try:
        return _made_rules(told.length > 0, tuple(values.items()))
    except BgcoreError as error:
        report.note("unread", f"the rules cannot be, the usual ones are taken: {error}")
    layout = values.get("layout")
    return _made_rules(told.length > 0, () if layout is None else (("layout", layout),))


@lru_cache(maxsize=64)
def _made_rules(is_match: bool, values: tuple[tuple[str, Any], ...]) -> Rules:
    return (Rules.match if is_match else Rules.money)(**dict(values))


def names_of(told: tuple[str, str], report: Report) -> tuple[str, str]:
    """Return two names that players can have, as a file tells them or much like it.

    What is taken for them is reported.
    """
    names = []
    for number, name in enumerate(told, start=1):
        clean = "".join(c if c.isprintable() else " " for c in name)
        names.append(clean if clean.strip() else f"Player {number}")
    if names[0] == names[1]:
        names[1] += " (2)"
    if tuple(names) != told:
        report.note(
            "assumed",
            f"the names {told[0]!r} and {told[1]!r} cannot be:"
            f" taken as {names[0]!r} and {names[1]!r}",
        )
    return names[0], names[1]


def _set_up(start: GameState, game: ToldGame, report: Report) -> GameState | None:
    """Return the state in which a game begins: the usual one unless the file says otherwise."""
    set_up = game.set_up
    if set_up is None:
        if not (known := game.actions()):
            return start
        first = known[0]
        if first.kind == "play" and first.dice and first.dice[0] == first.dice[1]:
            report.note(
                "illegal",
                f"the opening roll cannot be {first.dice[0]}-{first.dice[1]}:"
                " taken as a position set up",
                line=first.line,
                move=first.move,
            )
        elif first.kind == "double":
            report.note(
                "illegal",
                "nobody doubles before the first roll: taken as a position set up",
                line=first.line,
                move=first.move,
            )
        else:
            return start
        set_up = SetUp(start.rules.layout, on_roll=first.player)
    on_roll = set_up.on_roll
    if actions := game.actions():
        # who acts first is on roll; GNU Backgammon saves the other one with positions set up
        answers = actions[0].kind in ("take", "drop", "beaver")
        on_roll = 1 - actions[0].player if answers else actions[0].player
    if on_roll is None:
        on_roll = 0
    is_resting = start.is_crawford or not start.rules.cube
    try:
        return GameState.at(
            set_up.board if on_roll == 0 else set_up.board.swapped(),
            on_roll=on_roll,
            cube=1 if is_resting else set_up.cube,
            cube_owner=None if is_resting else set_up.owner,
            rules=start.rules,
            length=start.length,
            scores=start.scores,
            is_crawford=start.is_crawford,
        )
    except BgcoreError as error:
        report.note(
            "illegal", f"it is left out: the position set up cannot be: {error}", line=game.line
        )
        return None


# ---- one game ----


def replay_game(start: GameState, told: ToldGame, report: Report) -> Game:
    """Return the game that the actions make, up to where they cannot be followed any further.

    Parameters
    ----------
    start : GameState
    told : ToldGame
    report : Report
    """
    game = Game(start=start)
    actions = told.actions()
    for i, action in enumerate(actions):
        try:
            _Follower(game, action, i + 1 == len(actions), told, report).follow()
        except _CutError:
            if left := len(actions) - i - 1:
                report.note(
                    "lost",
                    f"{left} further {'action' if left == 1 else 'actions'} of this game cannot"
                    " be followed and are left out",
                    line=action.line,
                    move=action.move,
                )
            break
    return game


class _Follower:
    """Does one told action in a game."""

    def __init__(
        self, game: Game, action: Told, is_last: bool, told: ToldGame, report: Report
    ) -> None:
        self.game = game
        self.action = action
        self.is_last = is_last
        self.told = told
        self.report = report

    def follow(self) -> None:
        if self.game.is_over:
            self._note("illegal", "the game is over before it")
            raise _CutError
        kind = self.action.kind
        if kind == "play":
            self._turn()
        elif kind == "pass":
            self._do(Pass())
        elif kind == "double":
            self._double()
        else:
            self._answer()

    def _note(self, kind: ProblemKind, text: str) -> None:
        self.report.note(kind, text, line=self.action.line, move=self.action.move)

    def _do(self, action: Action) -> None:
        """Do an action by the rules; what they forbid is the end of what can be followed."""
        try:
            self.game.do(action)
        except BgcoreError as error:
            self._note("illegal", f"'{action}': {error}")
            raise _CutError from None

    def _must_be_on_roll(self) -> None:
        state = self.game.state
        if state.stage is Stage.ANSWER:
            if not state.returns:
                self._note("unread", "the double before it has no answer: taken as taken")
            self._do(Take())
        elif state.stage is Stage.PLAY:
            self._note("unread", "the roll before it was not played")
            self._irregular(Play())
        state = self.game.state
        if state.on_roll not in (None, self.action.player):
            self._note("illegal", "it is the other player's turn")
            raise _CutError

    def _turn(self) -> None:
        action, game = self.action, self.game
        self._must_be_on_roll()
        dice = (int(action.dice[0]), int(action.dice[1]))
        if game.stage is Stage.OPENING:
            # one die of each player: the higher one begins
            if dice[0] == dice[1]:
                self._note("illegal", f"the opening roll cannot be {dice[0]}-{dice[1]}")
                raise _CutError
            dice = (max(dice), min(dice)) if action.player == 0 else (min(dice), max(dice))
        self._do(Roll(dice))
        if self.is_last and (
            action.rolled_only or (action.play == UNKNOWN_PLAY and self._may_be_unplayed())
        ):
            return
        if not action.play:
            self._nothing_played()
            return
        if action.play == UNKNOWN_PLAY:
            self._note("unread", f"what was played with {action.dice} is not told")
            raise _CutError
        try:
            game.do(MakePlay(action.play))
        except AmbiguousPlayError as error:
            play = next(p for p in game.legal_plays() if _means(p, action.play))
            self._note("illegal", f"{error}: taken as {play}")
            game.do(MakePlay(play))
        except IllegalPlayError:
            self._illegal_play()
        except InvalidPlayError as error:
            self._note("unread", f"{error}")
            raise _CutError from None

    def _may_be_unplayed(self) -> bool:
        """Tell whether the player may have resigned after the roll, or the file ends there."""
        told = self.told
        return told.winner is None or (
            told.resigned is not False and told.winner == 1 - self.action.player
        )

    def _nothing_played(self) -> None:
        game, told = self.game, self.told
        is_resigned = self.is_last and told.winner is not None and self._may_be_unplayed()
        if not game.legal_plays().is_dance:
            if self.is_last and self._may_be_unplayed():
                return
            self._note(
                "illegal", f"nothing is played with {self.action.dice}, and there are legal plays"
            )
            self._irregular(Play())
        elif not is_resigned or (told.resigned is None and not _may_resign(game, told)):
            game.do(MakePlay(Play()))

    def _illegal_play(self) -> None:
        text = self.action.play
        plays = self.game.legal_plays()
        try:
            reason = why_illegal_play(plays, text)
        except BgcoreError as error:
            reason = str(error)
        self._note("illegal", f"{text!r} with {self.action.dice}: {reason}")
        try:
            play = Irregular(text).moves
        except BgcoreError:
            raise _CutError from None
        self._irregular(play)

    def _irregular(self, play: Play) -> None:
        """Make a play against the rules, or the legal one that leads to the same position."""
        plays = self.game.legal_plays()
        after = cells_after(self.game.board, play)
        same = [] if after is None else np.flatnonzero((plays.boards == after).all(axis=1)).tolist()
        try:
            self.game.do(MakePlay(plays[same[0]]) if same else Irregular(play))
        except BgcoreError:
            raise _CutError from None

    def _double(self) -> None:
        if self.game.stage is Stage.ANSWER:
            # beavers go by the name of doubles in some files
            self._answer()
            return
        self._must_be_on_roll()
        self._do(Double())
        self._check_cube()

    def _answer(self) -> None:
        action, game = self.action, self.game
        state = game.state
        if state.stage is not Stage.ANSWER:
            self._note("illegal", f"'{action.kind}' answers no double: it is left out")
            return
        if state.actor != action.player:
            self._note("illegal", "it stands in the column of the player who doubled")
        if action.kind == "take":
            self._do(Take())
        elif action.kind == "drop":
            self._do(Drop())
        else:
            self._do(Raccoon() if state.returns % 2 else Beaver())
            self._check_cube()

    def _check_cube(self) -> None:
        offer = self.game.state.offer
        if self.action.value not in (0, offer):
            self._note("illegal", f"the cube is turned to {offer}, not to {self.action.value}")


def _means(play: Play, text: str) -> bool:
    """Tell whether a play moves the checkers that an ambiguous text moves."""
    moves = Irregular(text).moves.steps
    steps = list(play.steps)
    change: dict[int, int] = {}
    for sign, some in ((1, moves), (-1, steps)):
        for start, to, _ in some:
            change[start] = change.get(start, 0) - sign
            change[to] = change.get(to, 0) + sign
    return not any(change.values())


def _may_resign(game: Game, told: ToldGame) -> bool:
    """Tell whether the player on roll can resign what the file says that the other one won."""
    state = game.state
    if told.points is None or told.winner is None or state.on_roll != 1 - told.winner:
        return False
    if state.stage not in (Stage.ROLL, Stage.PLAY):
        return False
    return _resignation(game, told.points) is not None


def _resignation(game: Game, points: int) -> Resign | None:
    """Return the resignation by the player on roll that costs so many points."""
    state = game.state
    for kind in WinKind:
        if kind <= kind_cap(state.board, state.cube, state.rules):
            worth = state.rules.multiplier(kind) * state.cube.value
            if worth == points:
                return Resign(kind)
    return None


def _finished(
    game: Game,
    told: ToldGame,
    following: tuple[int, int] | None,
    match: ToldMatch,
    report: Report,
) -> Game:
    """End a game as the file says, or as the score of the next game does, and compare both."""
    winner, points = told.winner, told.points
    start = game.start
    gained = _gained(start.scores, following)
    result = game.result
    if winner is None and result is None:
        if gained is None:
            if following is not None:
                report.note(
                    "score",
                    "it has no end and no result: what follows is a match of its own",
                    line=told.line,
                )
            return game
        winner, points = gained
        report.note(
            "score",
            f"it has no result; by the next score player {winner + 1} won {points}",
            line=told.end_line,
        )
    elif winner is None:
        return game
    points = points or 0
    if result is None and gained is not None and gained != (winner, points):
        if gained == (1 - winner, points):
            winner = 1 - winner
        report.note(
            "score",
            f"the result and the next score differ: taken as won by player {winner + 1}",
            line=told.end_line,
        )
    if result is None:
        _end(game, winner, points, told, match, report)
    elif (result.winner, result.points) != (winner, points):
        capped = start.length and start.scores[winner] + points == start.length
        if result.winner == winner and capped and result.points > points:
            return game  # what is more than needed is often not written
        if _shows_no_jacoby(game, points, match) and result.winner == winner:
            raise _JacobyOffError
        report.note(
            "score",
            f"the file says that player {winner + 1} won {points}; by the actions player"
            f" {result.winner + 1} won {result.points}",
            line=told.end_line,
        )
    return game


def _gained(scores: tuple[int, int], following: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return who won how much between two scores; None if that cannot be told."""
    if following is None:
        return None
    changes = following[0] - scores[0], following[1] - scores[1]
    if min(changes) != 0 or max(changes) <= 0:
        return None
    winner = int(changes[1] > 0)
    return winner, changes[winner]


def _shows_no_jacoby(game: Game, points: int, match: ToldMatch) -> bool:
    return (
        game.rules.jacoby
        and "jacoby" not in match.rules
        and game.cube.is_centred
        and points in (2 * game.cube.value, 3 * game.cube.value)
    )


def _end(
    game: Game, winner: int, points: int, told: ToldGame, match: ToldMatch, report: Report
) -> None:
    """End a game that the actions do not end: dropped, resigned or settled."""
    state = game.state
    if state.stage is Stage.ANSWER and state.actor == 1 - winner:
        stake = state.offer // 2
        if points == stake and not (state.returns and not state.rules.beaver_drop):
            report.note("assumed", "the double has no answer: taken as dropped", line=told.end_line)
            game.do(Drop())
            return
    if (
        told.resigned is not False
        and state.stage in (Stage.ROLL, Stage.PLAY)
        and state.on_roll == 1 - winner
        and (resignation := _resignation(game, points)) is not None
    ):
        game.do(resignation)
        game.do(Accept())
        return
    if _shows_no_jacoby(game, points, match):
        raise _JacobyOffError
    try:
        game.do(Settle(winner, points))
    except GameError as error:
        report.note("unread", f"the result cannot be: {error}", line=told.end_line)
        game.do(Settle(winner, 0))
