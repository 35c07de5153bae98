"""OGXM, the binary format of OpenGammon and HedgeHog, and streams of it: read only.

The format's own package does the reading (`ogxm`, MIT; `pip install 'bgcore[ogxm]'`). It turns a
file into a document: games of plies with an action each (0-20 the rolls, 21 double, 22 take, 23
drop, 24-26 and 30 the end, 27 and 28 a resignation, 31 a position set up, 32 beaver, 33 raccoon).
White, colour 1, is player 0. Points are numbered so that White goes up: 0 is his bar, 25 Black's.
"""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from bgcore.board import Board
from bgcore.errors import BgcoreError, FileFormatError
from bgcore.formats.problems import Report
from bgcore.formats.replay import series_of
from bgcore.formats.rule_tags import layout_of
from bgcore.formats.told import UNKNOWN_PLAY, SetUp, Told, ToldGame, ToldKind, ToldMatch
from bgcore.match import Match, MoneySession

__all__ = ["read_ogxm"]

Series = Match | MoneySession

_WORDS: dict[int, ToldKind] = {21: "double", 22: "take", 23: "drop", 32: "beaver", 33: "beaver"}
_RESIGNATIONS = (27, 28)
_SET_UP = 31
_MARKS = (24, 25, 26, 30)
_INFO = {"event": "Event", "site": "Site", "round": "Round"}


def read_ogxm(file: BinaryIO, report: Report) -> Iterator[Series]:
    """Yield the matches of a file or stream, one after the other.

    Parameters
    ----------
    file : binary file
    report : Report

    Raises
    ------
    FileFormatError
        The package `ogxm` is not installed; or, in strict mode, something is wrong.
    """
    try:
        import ogxm
    except ImportError:
        raise FileFormatError(
            "files of the format 'ogxm' are read by its own package: pip install 'bgcore[ogxm]'"
        ) from None

    def on_skip(offset: int, length: int) -> None:
        report.note("unread", f"{length} bytes from {offset} on are damaged: left out")

    members = ogxm.iter_stream(file, strict=False, on_skip=on_skip)
    while True:
        try:
            member = next(members, None)
        except ogxm.StreamError as error:
            report.note("unread", f"the rest is left out: {error}")
            break
        if member is None:
            break
        report.match += 1
        try:
            document = ogxm.binary_to_json(member)
        except (ogxm.OgxmError, ValueError) as error:
            report.note("unread", f"a match is left out: {error}")
            continue
        yield from series_of(_Document(document, report).match(), report)
    if report.match == 0:
        report.note("unread", "there is no match in it")


class _Document:
    """What one document tells."""

    def __init__(self, document: dict[str, Any], report: Report) -> None:
        self._document = document
        self._report = report

    def match(self) -> ToldMatch:
        """Return the match."""
        document = self._document
        told = ToldMatch(int(document.get("match_length") or 0))
        told.names = (
            str(document.get("player_white") or ""),
            str(document.get("player_black") or ""),
        )
        for name, tag in _INFO.items():
            if isinstance(text := document.get(name), str) and text.strip():
                told.info[tag] = " ".join(text.split())
        rules = told.rules
        if told.length and "crawford" in document:
            rules["crawford"] = bool(document["crawford"]) or self._has_crawford_game()
        elif not told.length and "jacoby" in document:
            rules["jacoby"] = bool(document["jacoby"])
        variant = str(document.get("variant") or "backgammon")
        layout = layout_of(variant)
        if layout is None:
            self._report.note("unread", f"the variant {variant!r} is not known")
        elif layout != Board.opening():
            rules["layout"] = layout
        for number, game in enumerate(document.get("games") or [], start=1):
            self._report.game = number
            told.games.append(self._game(game, number, told))
        self._report.game = 0
        if any("analysis" in ply for game in document.get("games") or [] for ply in _plies(game)):
            self._report.note("lost", "the analysis is left out")
        if document.get("annotations"):
            words = json.dumps(document["annotations"])[:200]
            self._report.note("lost", f"annotations are left out: {words}")
        return told

    def _has_crawford_game(self) -> bool:
        return any(game.get("is_crawford") for game in self._document.get("games") or [])

    def _game(self, game: dict[str, Any], number: int, match: ToldMatch) -> ToldGame:
        told = ToldGame(number, 0, _scores(game), list)
        if match.length and self._document.get("crawford"):
            told.is_crawford = bool(game.get("is_crawford"))
        if game.get("winner") in (0, 1):
            told.winner, told.points = int(game["winner"]), int(game.get("points_won") or 0)
        told.resigned = False
        if game.get("is_default_board") is False:
            told.set_up = self._set_up(game.get("initial_board"), match)
        actions: list[Told] = []
        for ply in _plies(game):
            action = int(ply.get("action_id", 30))
            player = int(ply.get("color") != 1)
            place = len(actions) + 1
            if action in _RESIGNATIONS:
                told.resigned = True
            elif action == _SET_UP and not actions and "d1" not in ply:
                told.set_up = self._set_up(ply.get("set_position"), match)
            elif action in _WORDS:
                actions.append(Told(player, _WORDS[action], move=place))
            elif 0 <= action <= 20 or action == _SET_UP:
                # in which order they were thrown is not told
                dice = "".join(sorted((str(ply.get("d1")), str(ply.get("d2"))), reverse=True))
                text = UNKNOWN_PLAY if action == _SET_UP else _moves(ply, player)
                actions.append(Told(player, "play", dice, text, move=place))
            elif action not in _MARKS:
                self._report.note("unread", f"the action {action} is not known", move=place)
        returns = row = 0
        for made in actions:
            row = row + 1 if made.kind == "beaver" else 0
            returns = max(returns, row)
        match.returns = max(match.returns, returns)
        told.read = lambda: actions
        return told

    def _set_up(self, cells: object, match: ToldMatch) -> SetUp | None:
        layout = match.rules.get("layout")
        n_checkers = layout.n_checkers if isinstance(layout, Board) else 15
        try:
            # seen by White, who counts his own points from the other end
            board = Board(cells[::-1] if isinstance(cells, list) else [], n_checkers=n_checkers)
        except BgcoreError as error:
            self._report.note("unread", f"the position set up cannot be: {error}")
            return None
        return SetUp(board)


def _scores(game: dict[str, Any]) -> tuple[int, int] | None:
    """Return the score before a game, as the OGID of its first ply tells it."""
    for ply in _plies(game)[:1]:
        fields = str(ply.get("ogid_before") or "").split(":")
        if len(fields) > 7 and fields[6].isdecimal() and fields[7].isdecimal():
            return int(fields[6]), int(fields[7])
    return None


def _plies(game: dict[str, Any]) -> list[dict[str, Any]]:
    plies: list[dict[str, Any]] = game.get("plies") or []
    return plies


def _moves(ply: dict[str, Any], player: int) -> str:
    words = []
    for move in ply.get("moves") or []:
        start = 25 - int(move["from"]) if player == 0 else int(move["from"])
        to = start - int(move["pips"])
        words.append(f"{'bar' if start == 25 else start}/{'off' if to <= 0 else to}")
    return " ".join(words)
