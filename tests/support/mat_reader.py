"""Reads the recorded matches of tests/data/gnubg_matches.tar.xz. Imports nothing of bgcore.

Each match is there twice: NAME.mat, a text with one column for each player, and NAME.sgf, where
the program says more (the Crawford game, resignations). `read_matches` yields both as one.

How GNU Backgammon 1.07.001 writes a .mat file
    A play is all its steps with one die each, in numbers: `25/20` from the bar, `6/0` off, `*`
    where a blot is hit. Nothing after the dice means that nothing was played. The left column may
    be longer than its place; then the right one starts later.
    A beaver and the beavers after it are ` Beavers => 4`, ` Beavers => 8`. Who takes after a
    beaver is not told: no ` Takes` follows. The winner is the player in whose column ` Wins`
    stands. Dice that were rolled before the game was resigned look like a roll that cannot be
    played. Resignations, the Crawford and the Jacoby rule are not told. A money session has
    length 0. Automatic doubles are not shown, see `Sgf.start_cube`.
"""

import re
import tarfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ARCHIVE = Path(__file__).parents[1] / "data" / "gnubg_matches.tar.xz"

#: Where the right column of a .mat file starts.
_RIGHT = 33
_CELL = re.compile(
    r"(?P<dice>[1-6]{2}):(?P<play>(?: \d+/\d+\*?)*)"
    r"|Doubles => (?P<double>\d+)|Beavers => (?P<beaver>\d+)|(?P<take>Takes)|(?P<drop>Drops)"
    r"|Wins (?P<points>\d+) points?(?: and the match)?"
)
_NODE = re.compile(r";(?:([WB])\[([^]]*)\]|PL\[([WB])\]DI\[([1-6]{2})\])")


@dataclass(frozen=True)
class Action:
    """One thing that a player did."""

    #: 0 is the player in the left column, 1 the one in the right column.
    player: int
    #: "play", "double", "beaver" (the next ones too), "take" or "drop".
    kind: str
    #: Dice as written, "63"; empty unless it is a play.
    dice: str = ""
    #: "24/18* 18/15"; empty if nothing could be played, or the game was resigned after the roll.
    play: str = ""
    #: Value that the cube is offered at, for "double" and "beaver".
    cube: int = 0


@dataclass(frozen=True)
class Sgf:
    """What the .sgf file tells about a game."""

    #: Checkers of the plays move as in the .mat file, without `*`.
    actions: tuple[Action, ...]
    score: tuple[int, int]
    crawford: bool
    jacoby: bool
    winner: int
    points: int
    resigned: bool
    #: Where automatic doubles put the cube by this file alone: 8 in one game of money-5 though the
    #: limit was one double, else 1. The game was played, scored and written to the .mat file from
    #: 1 on, and `points` is too large by this factor.
    start_cube: int


@dataclass(frozen=True)
class Game:
    """One game as the .mat file has it, and what the .sgf file tells about it."""

    number: int
    #: Before the game: player 0, player 1.
    score: tuple[int, int]
    #: In order. The take after a beaver, which the file leaves out, is there.
    actions: tuple[Action, ...]
    winner: int
    points: int
    sgf: Sgf

    @property
    def score_after(self) -> tuple[int, int]:
        """The score with the points of this game."""
        left, right = self.score
        return (left, right + self.points) if self.winner else (left + self.points, right)


@dataclass(frozen=True)
class Match:
    """A match, or a money session."""

    name: str
    #: Points to win; 0 is a money session.
    length: int
    players: tuple[str, str]
    games: tuple[Game, ...]
    #: Both files as they are.
    mat: str
    sgf: str


def read_matches(start: str = "") -> Iterator[Match]:
    """Yield the matches whose name starts with a text, in the order of their names."""
    with tarfile.open(ARCHIVE) as archive:
        # all in one go: going back in a compressed file unpacks it again from its start
        files = {
            entry.name: archive.extractfile(entry).read().decode()
            for entry in archive
            if entry.name.startswith(start) and entry.name != "README"
        }
    for name in sorted({Path(file).stem for file in files}):
        yield _read_match(name, files[f"{name}.mat"], files[f"{name}.sgf"])


def _read_match(name: str, mat: str, sgf: str) -> Match:
    head, *game_texts = re.split(r"^ Game (?=\d+$)", mat, flags=re.MULTILINE)
    length = re.search(r"^ (\d+) point match$", head, re.MULTILINE)
    sgf_texts = re.findall(r"^\((.*?)\)$", sgf, re.MULTILINE)
    if length is None or len(game_texts) != len(sgf_texts):
        raise ValueError(f"{name}: no length, or not the same games in both files")
    both = zip(game_texts, sgf_texts, strict=True)
    games = [_read_game(text, _read_sgf(sgf_text)) for text, sgf_text in both]
    return Match(name, int(length[1]), _header(game_texts[0])[0], tuple(games), mat, sgf)


def _header(text: str) -> tuple[tuple[str, str], tuple[int, int]]:
    """Return the names of the players and the score before a game."""
    found = re.match(r"\d+\n (.*?) : (\d+) +(.*?) : (\d+) *\n", text)
    if found is None:
        raise ValueError(f"no names and score: {text[:80]!r}")
    return (found[1], found[3]), (int(found[2]), int(found[4]))


def _read_game(text: str, sgf: Sgf) -> Game:
    number, _, *lines = text.rstrip().split("\n")
    actions: list[Action] = []
    result = None
    for line in lines:
        cells = list(_CELL.finditer(line))
        rest = re.sub(r"^ *\d+\)", "", _CELL.sub("", line))
        if not cells or len(cells) > 2 or rest.strip() or result:
            raise ValueError(f"game {number}: cannot read {line!r}")
        for i, cell in enumerate(cells):
            # two cells in order, since a long left one pushes the right one on
            is_right = cell.start() >= _RIGHT or (i == 1 and cell["points"] is None)
            if cell["points"]:
                result = int(is_right), int(cell["points"])
                continue
            action = _action(int(is_right), cell)
            if actions and actions[-1].kind == "beaver" and action.kind not in ("beaver", "drop"):
                actions.append(Action(1 - actions[-1].player, "take"))
            actions.append(action)
    if result is None:
        raise ValueError(f"game {number} has no end")
    return Game(int(number), _header(text)[1], tuple(actions), *result, sgf)


def _action(player: int, cell: re.Match[str]) -> Action:
    if cell["dice"]:
        return Action(player, "play", dice=cell["dice"], play=cell["play"].strip())
    kind = str(cell.lastgroup)
    return Action(player, kind, cube=int(cell[kind]) if kind in ("double", "beaver") else 0)


def _read_sgf(text: str) -> Sgf:
    root, _, _ = text.removeprefix(";").partition(";")
    values = dict(re.findall(r"([A-Z]{2})((?:\[[^]]*\])+)", root))
    info = dict(re.findall(r"(\w+):(\w+)", values["MI"]))
    rules = re.findall(r"\w+", values["RU"])
    result = re.fullmatch(r"\[([WB])\+(\d+)(R?)\]", values["RE"])
    if result is None:
        raise ValueError(f"cannot read the result: {root!r}")
    actions: list[Action] = []
    for colour, content, roller, dice in _NODE.findall(text):
        actions.append(_sgf_action(int("B" in (colour, roller)), content or dice, actions))
    return Sgf(
        actions=tuple(actions),
        score=(int(info["ws"]), int(info["bs"])),
        crawford="CrawfordGame" in rules,
        jacoby="Jacoby" in rules,
        winner=int(result[1] == "B"),
        points=int(result[2]),
        resigned=result[3] == "R",
        start_cube=int(values.get("CV", "[1]")[1:-1]),
    )


def _sgf_action(player: int, content: str, before: list[Action]) -> Action:
    if content in ("take", "drop"):
        return Action(player, content)
    if content == "double":
        cube = 2 * next((action.cube for action in reversed(before) if action.cube), 1)
        is_beaver = before and before[-1].cube
        return Action(player, "beaver" if is_beaver else "double", cube=cube)
    points = [_sgf_point(player, letter) for letter in content[2:]]
    steps = zip(points[::2], points[1::2], strict=True)
    play = " ".join(f"{start}/{to}" for start, to in steps)
    return Action(player, "play", dice=content[:2], play=play)


def _sgf_point(player: int, letter: str) -> int:
    """a to x are points, from where the left player's last checker leaves; y the bar, z off."""
    number = ord(letter) - ord("a")
    if number >= 24:
        return 25 if letter == "y" else 0
    return 24 - number if player else number + 1
