"""Match files in the Smart Game Format, as GNU Backgammon saves them.

One tree a game, one after the other. Points are letters: a to x are those of the player with the
white checkers (player 0), from his 1 to his 24; y is the bar, z is off. Properties read:

    MI length, number of the game, scores    PW PB names      RU rules       CV cube at the start
    RE result, R for resigned                W B actions      PL DI roll     AE AW AB CP position
    DT EV RO PC AN GC US WR BR CP info

The rest (analysis, statistics, luck) is left out and reported once for a match.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import BinaryIO, Final

from bgcore.board import Board
from bgcore.errors import BgcoreError
from bgcore.formats.events import events_of
from bgcore.formats.problems import ProblemKind, Report
from bgcore.formats.replay import series_of
from bgcore.formats.rule_tags import RULES_TAG, layout_of, read_rule_tags, rule_tags, variation_of
from bgcore.formats.told import SetUp, Told, ToldGame, ToldMatch
from bgcore.game import Game
from bgcore.match import Match, MoneySession
from bgcore.notation import BAR, OFF

__all__ = ["read_sgf", "write_sgf"]

Series = Match | MoneySession

# A tree is one game with its analysis: what is larger is not one, and is not read into memory.
_LARGEST_TREE = 64 << 20
_BLOCK = 1 << 16
_MOST_CHECKERS = 15

#: Properties about the occasion, and the names of XG's tags for them.
_INFO: Final = {
    "EV": "Event",
    "RO": "Round",
    "PC": "Site",
    "DT": "EventDate",
    "AN": "Annotator",
    "GC": "Comment",
    "US": "Transcriber",
    "WR": "Player 1 Elo",
    "BR": "Player 2 Elo",
}
#: Read, or without meaning for a match.
_KNOWN = frozenset(
    re.findall("[A-Z]+", "FF GM CA AP MI PW PB RU CV RE W B PL DI AE AW AB CP C")
) | set(_INFO)
_PROPERTY = re.compile(r"\s*([A-Z][A-Za-z]*)\s*((?:\[(?:[^\]\\]|\\.)*\]\s*)+)", re.DOTALL)
_VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)
_RESULT = re.compile(r"([WB])\+(\d{1,10})([A-Z]*)", re.IGNORECASE)
_MOVE = re.compile(r"([1-6])([1-6])((?:[a-z][a-z]){0,4})")

_RULE_WORDS: Final = {
    "Nackgammon": "nackgammon",
    "Hypergammon3": "hypergammon",
}


def read_sgf(file: BinaryIO, report: Report) -> Iterator[Series]:
    """Yield the matches of a file, one after the other, each read when it is asked for.

    Parameters
    ----------
    file : binary file
    report : Report

    Raises
    ------
    FileFormatError
        In strict mode, if something is wrong.
    """
    told: ToldMatch | None = None
    last = -1
    for line, tree in _trees(file, report):
        header = _Tree(tree, line, report)
        if not header.is_backgammon:
            report.note("unread", "a tree that is not a game of backgammon", line=line)
            continue
        if told is None or header.number <= last or not header.belongs_to(told):
            if told is not None:
                yield from series_of(told, report)
            report.match += 1
            told = header.match()
        last = header.number
        report.game = len(told.games) + 1
        told.games.append(header.game(told, len(told.games) + 1))
        report.game = 0
    if told is not None:
        yield from series_of(told, report)
    if report.match == 0:
        report.note("unread", "there is no match in it")


def _trees(file: BinaryIO, report: Report) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of each tree of a file."""
    buffer = bytearray()
    depth = 0
    line = begin_line = 1
    is_value = is_guarded = False
    too_large = False
    stray_line = 0
    while block := file.read(_BLOCK):
        for piece in re.finditer(rb"[\\\[\]()\n]|[^\\\[\]()\n]+", block):
            part = piece[0]
            if part == b"\n":
                line += 1
            if depth == 0:
                if part == b"(":
                    depth, begin_line = 1, line
                    buffer += part
                elif line != stray_line and part.strip(b" \t\r\n;\xef\xbb\xbf\x00"):
                    stray_line = line
                    report.note(
                        "unread",
                        f"it says nothing known: {part.decode('latin-1').strip()[:80]!r}",
                        line=line,
                    )
                continue
            if not too_large:
                buffer += part
                if len(buffer) > _LARGEST_TREE:
                    too_large = True
                    buffer.clear()
            if is_guarded:
                is_guarded = False
            elif part == b"\\":
                is_guarded = is_value
            elif is_value:
                is_value = part != b"]"
            elif part == b"[":
                is_value = True
            elif part == b"(":
                depth += 1
            elif part == b")":
                depth -= 1
                if depth == 0:
                    if too_large:
                        report.note("unread", "a tree is too large: left out", line=begin_line)
                    else:
                        yield begin_line, _decoded(bytes(buffer))
                    buffer.clear()
                    too_large = False
    if depth:
        report.note("unread", "the last tree has no end", line=begin_line)
        if not too_large:
            yield begin_line, _decoded(bytes(buffer) + (b"]" if is_value else b""))


def _decoded(tree: bytes) -> str:
    try:
        return tree.decode()
    except UnicodeDecodeError:
        return tree.decode("cp1252", errors="replace")


@dataclass(slots=True)
class _Node:
    line: int
    properties: dict[str, list[str]] = field(default_factory=dict)

    def value(self, name: str) -> str | None:
        values = self.properties.get(name)
        return None if not values else values[0]


def _nodes(text: str, line: int, report: Report) -> list[_Node]:
    """Return the nodes of a tree along its first branches."""
    nodes: list[_Node] = []
    at, depth, was_closed = 0, 0, False
    while at < len(text):
        sign = text[at]
        if sign == "\n":
            line += 1
        if sign == "(":
            if was_closed:
                report.note("lost", "other branches of the game are left out", line=line)
                break
            depth += 1
        elif sign == ")":
            depth -= 1
            was_closed = True
        elif sign == ";":
            nodes.append(_Node(line))
        elif sign.isalpha() and (found := _PROPERTY.match(text, at)):
            if not nodes:
                nodes.append(_Node(line))
            values = [_plain(value) for value in _VALUE.findall(found[2])]
            nodes[-1].properties.setdefault(found[1], []).extend(values)
            line += found[0].count("\n")
            at = found.end()
            continue
        elif not sign.isspace():
            end = re.compile(r"[;()\n]").search(text, at)
            stop = len(text) if end is None else end.start()
            report.note(
                "unread", f"it says nothing known: {text[at:stop].strip()[:80]!r}", line=line
            )
            at = max(stop, at + 1)
            continue
        at += 1
    return nodes


def _plain(value: str) -> str:
    """Take back the marks that guard letters."""
    value = re.sub(r"\\(?:\r\n|\n|\r)", "", value)
    return re.sub(r"\\(.)", r"\1", value, flags=re.DOTALL)


def _read_info(name: str, text: str) -> str | None:
    """Return an entry of the info from the value of a property; None if it says nothing."""
    text = " ".join(text.split())
    if name == "DT" and (found := re.fullmatch(r"([0-9]{4})-([0-9]{2})-([0-9]{2})", text)):
        text = ".".join(found.groups())
    return text or None


def _written_info(name: str, text: str) -> str:
    """Return the value of a property that tells an entry of the info."""
    if name != "DT":
        return text
    return re.sub(r"([0-9]{4})\.([0-9]{2})\.([0-9]{2})", r"\1-\2-\3", text)


class _Tree:
    """One game of a file."""

    def __init__(self, text: str, line: int, report: Report) -> None:
        self._report = report
        self._line = line
        self._nodes = _nodes(text, line, report) or [_Node(line)]
        self._root = self._nodes[0]
        info: dict[str, str] = {}
        for value in self._root.properties.get("MI", []):
            name, _, text = value.partition(":")
            info[name.strip()] = text.strip()
        self._length = self._whole(info.get("length"), "the length of the match") or 0
        self._given_number = self._whole(info.get("game"), "the number of the game")
        self._scores = (
            self._whole(info.get("ws"), "the score") if "ws" in info else None,
            self._whole(info.get("bs"), "the score") if "bs" in info else None,
        )

    @property
    def is_backgammon(self) -> bool:
        return self._root.value("GM") in (None, "6")

    @property
    def number(self) -> int:
        """Its number in the match, from 0."""
        return self._given_number or 0

    def _whole(self, text: str | None, what: str) -> int | None:
        if text is None:
            return None
        if not re.fullmatch(r"[0-9]{1,9}", text):
            self._note("unread", f"{what} is a whole number, not {text[:40]!r}", self._line)
            return None
        return int(text)

    def _note(self, kind: ProblemKind, text: str, line: int, move: int = 0) -> None:
        self._report.note(kind, text, line=line, move=move)

    @property
    def _names(self) -> tuple[str, str]:
        return self._root.value("PW") or "", self._root.value("PB") or ""

    @property
    def _rule_words(self) -> list[str]:
        words = ":".join(self._root.properties.get("RU", [])).split(":")
        return [word.strip() for word in words if word.strip()]

    def belongs_to(self, told: ToldMatch) -> bool:
        """Tell whether it can be one of the games of a match."""
        names = self._names
        return self._length == told.length and (not any(names) or names == told.names)

    def match(self) -> ToldMatch:
        """Return what it tells about its match."""
        told = ToldMatch(self._length, self._names)
        for name, tag in _INFO.items():
            if (text := _read_info(name, self._root.value(name) or "")) is not None:
                told.info[tag] = text
        words = self._rule_words
        rules = told.rules
        if told.length:
            rules["crawford"] = "Crawford" in words or "CrawfordGame" in words
        else:
            rules["jacoby"] = "Jacoby" in words
        if "NoCube" in words:
            rules["cube"] = False
            rules.pop("crawford", None)
            rules.pop("jacoby", None)
        for word in words:
            if (variation := _RULE_WORDS.get(word)) is not None:
                rules["layout"] = layout_of(variation)
            elif word in ("Hypergammon1", "Hypergammon2"):
                self._note("unread", f"{word} is not known: taken as backgammon", self._line)
        if (own := self._root.value("BGCORE")) is not None:
            told.info[RULES_TAG] = own
            read_rule_tags(told, self._report)
        return told

    def game(self, match: ToldMatch, number: int) -> ToldGame:
        """Return the game."""
        scores = None if None in self._scores else (self._scores[0] or 0, self._scores[1] or 0)
        told = ToldGame(number, self._line, scores, list)
        if match.length:
            told.is_crawford = "CrawfordGame" in self._rule_words
        self._read_result(told)
        cube = self._whole(self._root.value("CV"), "the cube")
        told.set_up = self._root_set_up(match, cube)
        actions = self._actions(match, told)
        told.read = lambda: actions
        returns = row = 0
        for action in actions:
            row = row + 1 if action.kind == "beaver" else 0
            returns = max(returns, row)
        match.returns = max(match.returns, returns)
        told.end_line = self._nodes[-1].line
        return told

    def _read_result(self, told: ToldGame) -> None:
        text = self._root.value("RE")
        if text is None or text.strip() in ("", "?", "Void"):
            return
        found = _RESULT.fullmatch(text.strip())
        if found is None:
            self._note("unread", f"the result {text[:40]!r} says nothing known", self._line)
            return
        told.winner = int(found[1].upper() == "B")
        told.points = int(found[2])
        told.resigned = "R" in found[3].upper()

    def _root_set_up(self, match: ToldMatch, cube: int | None) -> SetUp | None:
        if cube is None or cube <= 1:
            return None
        if cube & (cube - 1) or cube > 1 << 30:
            self._note("unread", f"the cube cannot show {cube}", self._line)
            return None
        self._note(
            "assumed",
            f"the cube starts at {cube} by automatic doubles, whose rolls are not told:"
            " taken as a position set up",
            self._line,
        )
        layout = match.rules.get("layout")
        return SetUp(layout if isinstance(layout, Board) else Board.opening(), cube=cube)

    # -- actions --

    def _actions(self, match: ToldMatch, told: ToldGame) -> list[Told]:
        actions: list[Told] = []
        left_out: set[str] = set()
        roller: int | None = None
        for place, node in enumerate(self._nodes):
            comment = node.value("C")
            if comment is not None and comment.strip():
                text = " ".join(comment.split())[:200]
                self._note("lost", f"a comment is left out: {text!r}", node.line, len(actions))
            left_out |= set(node.properties) - _KNOWN - {"BGCORE"}
            if place == 0 and not {"W", "B"} & set(node.properties):
                continue
            if {"AE", "AW", "AB"} & set(node.properties) or (
                place and {"CV", "CP"} & set(node.properties)
            ):
                if actions:
                    self._note(
                        "lost",
                        f"the position is set up after {len(actions)} actions:"
                        " what was before it is left out",
                        node.line,
                        len(actions),
                    )
                    actions.clear()
                told.set_up = self._set_up(node, told.set_up, match)
            if (colour := node.value("PL")) is not None:
                roller = int(colour.strip().upper().startswith("B"))
                if told.set_up is not None and not actions:
                    told.set_up.on_roll = roller
            if (dice := node.value("DI")) is not None:
                self._dice(dice, roller, node, actions)
            for name, player in (("W", 0), ("B", 1)):
                for value in node.properties.get(name, []):
                    action = self._action(value, player, node.line, len(actions) + 1, actions)
                    if action is not None:
                        actions.append(action)
        if left_out:
            self._note(
                "lost",
                f"analysis and statistics are left out (properties {', '.join(sorted(left_out))})",
                self._line,
            )
        return _without_doubled_rolls(actions)

    def _dice(self, dice: str, roller: int | None, node: _Node, actions: list[Told]) -> None:
        found = _MOVE.fullmatch(dice.strip())
        if found is None or found[3] or roller is None:
            self._note("unread", f"the roll {dice[:40]!r} says nothing known", node.line)
            return
        actions.append(
            Told(
                roller,
                "play",
                found[1] + found[2],
                move=len(actions) + 1,
                line=node.line,
                rolled_only=True,
            )
        )

    def _action(
        self, value: str, player: int, line: int, move: int, before: list[Told]
    ) -> Told | None:
        word = value.strip().lower()
        if word == "double":
            answers = bool(before) and before[-1].kind in ("double", "beaver")
            return Told(player, "beaver" if answers else "double", move=move, line=line)
        if word == "take":
            return Told(player, "take", move=move, line=line)
        if word in ("drop", "pass"):
            return Told(player, "drop", move=move, line=line)
        if word in ("beaver", "raccoon"):
            return Told(player, "beaver", move=move, line=line)
        found = _MOVE.fullmatch(word)
        if found is None:
            self._note("unread", f"the action {value[:40]!r} says nothing known", line, move)
            return None
        points = [_point(letter, player) for letter in found[3]]
        play = " ".join(
            f"{'bar' if start == BAR else start}/{'off' if to == OFF else to}"
            for start, to in zip(points[::2], points[1::2], strict=True)
        )
        return Told(player, "play", found[1] + found[2], play, move=move, line=line)

    def _set_up(self, node: _Node, known: SetUp | None, match: ToldMatch) -> SetUp | None:
        layout = match.rules.get("layout")
        board = layout if isinstance(layout, Board) else Board.opening()
        n_checkers = board.n_checkers
        if known is None:
            known = SetUp(board)
        if {"AE", "AW", "AB"} & set(node.properties):
            counts = {"AW": [0] * 26, "AB": [0] * 26}
            for name, count in counts.items():
                for value in node.properties.get(name, []):
                    letters = value.strip().lower()
                    if not re.fullmatch("[a-y]", letters):
                        self._note("unread", f"{value[:40]!r} is no point", node.line)
                        return known
                    # the place of a letter is counted by the white player
                    count[_point(letters, 0 if name == "AW" else 1)] += 1
            cells = [counts["AW"][point] - counts["AB"][25 - point] for point in range(1, 25)]
            both = any(counts["AW"][point] and counts["AB"][25 - point] for point in range(1, 25))
            if both or max(sum(count) for count in counts.values()) > _MOST_CHECKERS:
                self._note("illegal", "the position set up cannot be: left out", node.line)
                return known
            try:
                known.board = Board(
                    [-counts["AB"][BAR], *cells, counts["AW"][BAR]], n_checkers=n_checkers
                )
            except BgcoreError as error:
                self._note("illegal", f"the position set up cannot be: {error}", node.line)
                return known
        cube = self._whole(node.value("CV"), "the cube")
        if cube is not None:
            if cube < 1 or cube & (cube - 1) or cube > 1 << 30:
                self._note("unread", f"the cube cannot show {cube}", node.line)
            else:
                known.cube = cube
        if (owner := node.value("CP")) is not None:
            known.owner = {"w": 0, "b": 1}.get(owner.strip().lower()[:1])
        return known


def _point(letter: str, player: int) -> int:
    """Return the point that a letter names, as a player counts."""
    number = ord(letter) - ord("a")
    if number >= 24:
        return BAR if letter == "y" else OFF
    return 24 - number if player else number + 1


def _without_doubled_rolls(actions: list[Told]) -> list[Told]:
    """Leave out rolls that are told once as dice and again with the play."""
    kept: list[Told] = []
    for action in actions:
        if (
            kept
            and kept[-1].rolled_only
            and action.kind == "play"
            and action.player == kept[-1].player
        ):
            kept.pop()
        kept.append(action)
    return kept


# ---- writing ----


def write_sgf(file: BinaryIO, series: Series, report: Report) -> None:
    """Write a match or session after what stands in a file already.

    Parameters
    ----------
    file : binary file
    series : Match or MoneySession
    report : Report
        Takes what the format cannot hold.

    Raises
    ------
    FileFormatError
        In strict mode, if something would be lost.
    """
    report.match += 1
    _tell_lost_rules(series, report)
    for number, game in enumerate(series.games):
        report.game = number + 1
        text = _GameTree(series, game, number, report).text()
        file.write(text.encode())
    report.game = 0


def _tell_lost_rules(series: Series, report: Report) -> None:
    properties = {tag: name for name, tag in _INFO.items()}
    for tag, text in series.info.items():
        if (name := properties.get(tag)) is None:
            report.note("lost", f"the entry {tag!r} of the info cannot be written")
        elif (again := _read_info(name, _written_info(name, text))) != text:
            report.note("lost", f"the entry {tag!r} of the info will be read as {again or ''!r}")
    if variation_of(series.rules.layout) not in ("Backgammon", "NackGammon", "HyperGammon"):
        report.note("lost", "the checkers at the start cannot be written as a rule")


def _guarded(text: str) -> str:
    # a colon needs no mark here, and GNU Backgammon would show it
    return re.sub(r"([\]\\])", r"\\\1", text)


class _GameTree:
    """Writes one game as a tree."""

    def __init__(self, series: Series, game: Game, number: int, report: Report) -> None:
        self._series = series
        self._game = game
        self._number = number
        self._report = report

    def text(self) -> str:
        return f"({self._root()}{self._set_up()}{self._events()})\n"

    def _root(self) -> str:
        series, game = self._series, self._game
        length = series.length if isinstance(series, Match) else 0
        scores = game.start.scores
        info = dict(series.info)
        parts = [
            ";FF[4]GM[6]CA[UTF-8]AP[bgcore]",
            f"MI[length:{length}][game:{self._number}][ws:{scores[0]}][bs:{scores[1]}]",
            f"PW[{_guarded(series.names[0])}]PB[{_guarded(series.names[1])}]",
        ]
        for name, tag in _INFO.items():
            if self._number == 0 and tag in info:
                parts.append(f"{name}[{_guarded(_written_info(name, info[tag]))}]")
        rules = series.rules
        words = []
        if rules.crawford:
            words.append("Crawford")
        if game.start.is_crawford:
            words.append("CrawfordGame")
        if rules.jacoby:
            words.append("Jacoby")
        if not rules.cube:
            words.append("NoCube")
        variation = variation_of(rules.layout)
        if variation in ("NackGammon", "HyperGammon"):
            words.append("Nackgammon" if variation == "NackGammon" else "Hypergammon3")
        if words:
            parts.append(f"RU[{':'.join(words)}]")
        own = self._own_rules()
        if own:
            parts.append(f"BGCORE[{_guarded(own)}]")
        if (result := game.result) is not None:
            mark = "R" if result.ending == "resigned" else ""
            parts.append(f"RE[{'WB'[result.winner]}+{result.points}{mark}]")
        return "".join(parts)

    def _own_rules(self) -> str:
        """Return the rules that no standard property tells."""
        tags, _ = rule_tags(self._series.rules)
        told = dict(tags)
        own = [told[RULES_TAG]] if RULES_TAG in told else []
        if told.get("CubeLimit", "1") != "1":
            own.append(f"cube_limit={told['CubeLimit']}")
        rules = self._series.rules
        if not rules.match_play and RULES_TAG not in told and rules.beavers != 1:
            own.append(f"beavers={rules.beavers}")
        return ", ".join(own)

    def _set_up(self) -> str:
        start = self._game.start
        if not start.turns:
            if start.on_roll is not None:
                self._lost("that nobody rolled for the start")
            return ""
        board = start.board if start.on_roll == 0 else start.board.swapped()
        white = "".join(
            f"[{chr(ord('a') + point - 1)}]" * board[point]
            for point in range(1, 25)
            if board[point] > 0
        )
        black = "".join(
            f"[{chr(ord('a') + point - 1)}]" * -board[point]
            for point in range(1, 25)
            if board[point] < 0
        )
        white += "[y]" * board[25]
        black += "[y]" * -board[0]
        cube = start.cube
        text = f"\n;PL[{'WB'[int(start.on_roll or 0)]}]AE[a:y]"
        text += (f"AW{white}" if white else "") + (f"AB{black}" if black else "")
        if cube.value > 1 or not cube.is_centred:
            owner = "c" if cube.owner is None else "wb"[cube.owner]
            text += f"\n;CV[{cube.value}]\n;CP[{owner}]"
        return text

    def _events(self) -> str:
        parts = []
        for event in events_of(self._game):
            if event.is_automatic:
                self._lost("that a policy acted for the player")
            if event.is_by_steps:
                self._lost("the order of the steps")
            colour = "WB"[event.player]
            kind = event.kind
            dice = "" if event.dice is None else f"{event.dice[0]}{event.dice[1]}"
            if kind in ("play", "irregular"):
                steps = () if event.play is None else event.play.steps
                moves = "".join(
                    _letter(start, event.player) + _letter(to, event.player)
                    for start, to, _ in steps
                )
                parts.append(f";{colour}[{dice}{moves}]")
            elif kind == "rolled":
                parts.append(f";PL[{colour}]DI[{dice}]")
            elif kind in ("double", "beaver", "raccoon"):
                parts.append(f";{colour}[double]")
            elif kind in ("take", "drop"):
                parts.append(f";{colour}[{kind}]")
            elif kind == "tie":
                self._lost("an opening roll of equal dice")
            elif kind == "refuse":
                self._lost("a resignation that was refused")
            elif kind == "pass":
                self._lost("that a turn was passed without a roll")
            elif kind == "settle":
                self._lost("that the game was settled, not won by play,")
        return "".join(f"\n{part}" for part in parts)

    def _lost(self, text: str) -> None:
        self._report.note("lost", f"{text} cannot be written")


def _letter(point: int, player: int) -> str:
    if point in (BAR, OFF):
        return "y" if point == BAR else "z"
    return chr(ord("a") + (24 - point if player else point - 1))
