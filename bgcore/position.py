"""A position as IDs tell it: board, cube, score, rules and dice, and whose turn it is.

Every ID makes a `Position`, every state of a game is one, and a game can begin at any of them. The
players are 0 and 1. In formats that have a bottom and a top player, the bottom one is player 0:
in an XGID capital letters, in GNU Backgammon's match ID its player 1 ("X"), in an OGID Black, in a
FIBS board line the player named first.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, Self, get_args

from bgcore.board import Board, Phase
from bgcore.checks import counted, shown
from bgcore.cube import Cube
from bgcore.errors import BgcoreError, BoardError, GameError, IdError, RecordError, RulesError
from bgcore.game_state import GameState, Stage, pending_actions, state_after
from bgcore.ids.any_id import id_kind, split_gnubg_id
from bgcore.ids.fibs import MAX_LENGTH as FIBS_MAX_LENGTH
from bgcore.ids.fibs import FibsBoard, parse_fibs_board
from bgcore.ids.match_id import MatchState, format_match_id
from bgcore.ids.ogid import MAX_CUBE_LOG2 as OGID_MAX_CUBE_LOG2
from bgcore.ids.ogid import Ogid, parse_ogid
from bgcore.ids.position_id import decode_key_letters, decode_position_id, encode_key_letters
from bgcore.ids.xgid import MAX_CUBE_LOG2 as XGID_MAX_CUBE_LOG2
from bgcore.ids.xgid import Xgid, parse_xgid
from bgcore.notation import Plays, Step
from bgcore.rolls import parse_dice
from bgcore.rules import Rules
from bgcore.scoring import GameResult, WinKind, kind_cap, play_result

if TYPE_CHECKING:
    from bgcore.drawing import Scene, Side

__all__ = ["FORMATS", "EncodedPosition", "Format", "Position", "game_of"]

#: Forms in which a position can be written.
Format = Literal["xgid", "gnubg", "ogid", "fibs", "key"]
FORMATS: Final[tuple[Format, ...]] = get_args(Format)

#: XG writes 10 where nothing limits the cube; no game gets to 1024.
_USUAL_LIMIT_LOG2 = 10
#: Standard money play, as a bare position ID means it.
_PLAIN_RULES: Final = Rules()
_OFFER_NAMES = ("", "double", "beaver", "raccoon")
_PLAYER_NAMES = ("the bottom player", "the top player")


class EncodedPosition(NamedTuple):
    """A position in some format.

    Attributes
    ----------
    text : str
    lost : tuple of str
        What the position holds and the text does not, in words; empty if it holds everything.
    """

    text: str
    lost: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Position:
    """Board, cube, score, rules and dice, and whose turn it is. Immutable and hashable.

    What led to the position is not in it: how many turns were played, resignations refused, the
    extra turns of a house rule.

    Parameters
    ----------
    board : Board
        Seen by the player on roll; before the opening roll by player 0.
    on_roll : {0, 1} or None, default 0
        Whose turn it is, also while the other one has to answer: 0 the bottom, 1 the top player.
        None before the opening roll.
    dice : str or pair of int, optional
        The roll to be played, as thrown; None before the roll.
    cube : int, default 1
        What the cube shows. A double on offer has not turned it yet.
    cube_owner : {0, 1} or None, default None
    offers : int, default 0
        How often the cube was turned since the player on roll doubled, and not taken yet: 1 his
        double is on offer, 2 a beaver, 3 a raccoon.
    resigned : WinKind or None, default None
        A resignation of the player on roll that waits for its answer.
    rules : Rules, default Rules()
        By default money play without the Jacoby rule and beavers, as a bare position ID means it;
        a match needs `Rules.match()`.
    length : int, default 0
        Points of the match, 0 for money.
    scores : (int, int), default (0, 0)
        Points of player 0 and player 1 before this game.
    is_crawford : bool, default False
    result : GameResult or None, default None
        How the game ended. Found by itself if a side has borne off all its checkers.

    Raises
    ------
    RulesError
        Values that do not fit each other; the message names them.
    BoardError
        The board is impossible.
    DiceError
        The dice cannot be read.

    Examples
    --------
    >>> position = Position.from_text("4HPwATDgc/ABMA:MIEFAAAAAAAA")
    >>> position.on_roll, position.dice, position.rules.jacoby
    (1, (3, 1), True)
    >>> position.encode("xgid")
    EncodedPosition(text='XGID=-b----E-C---eE---c-e----B-:0:0:-1:31:0:0:1:0:10', lost=())
    >>> position.encode("key").lost
    ('the top player is on roll', 'dice 3-1', 'Jacoby rule')
    """

    board: Board
    on_roll: int | None = 0
    dice: tuple[int, int] | None = None
    cube: int = 1
    cube_owner: int | None = None
    offers: int = 0
    resigned: WinKind | None = None
    rules: Rules = _PLAIN_RULES
    length: int = 0
    scores: tuple[int, int] = (0, 0)
    is_crawford: bool = False
    result: GameResult | None = None

    def __post_init__(self) -> None:
        if not isinstance(self.board, Board):
            raise RulesError(f"the board is a bgcore.Board, not {type(self.board).__name__}")
        if not isinstance(self.rules, Rules):
            raise RulesError(f"rules are a bgcore.Rules, not {self.rules!r}")
        if self.dice is not None:
            object.__setattr__(self, "dice", parse_dice(self.dice))
        if self.resigned is not None:
            if isinstance(self.resigned, bool) or self.resigned not in (1, 2, 3):
                raise RulesError(f"a resignation is 1, 2 or 3, not {self.resigned!r}")
            object.__setattr__(self, "resigned", WinKind(self.resigned))
        state = self.to_state()
        object.__setattr__(self, "scores", state.scores)
        object.__setattr__(self, "result", state.result)

    # -- whose it is --

    @property
    def offer(self) -> int:
        """What the cube will show if the double, beaver or raccoon on offer is taken; else 0."""
        return self.cube << self.offers if self.offers else 0

    @property
    def pending(self) -> str:
        """What waits for an answer: "double", "beaver", "raccoon", "resignation", or nothing."""
        if self.resigned is not None:
            return "resignation"
        return _OFFER_NAMES[self.offers if self.offers < 4 else 2 + self.offers % 2]

    @property
    def actor(self) -> int | None:
        """The player who must act now; None before the opening roll and after the game."""
        return self.to_state().actor

    def board_swapped_for(self, player: int) -> Board:
        """Return the board seen by a player, swapped if he is not on roll."""
        return self.board if player == (self.on_roll or 0) else self.board.swapped()

    def with_players_swapped(self) -> Self:
        """Return the same position with the players' numbers swapped: bottom becomes top."""
        if self.on_roll is None:
            return replace(self, scores=(self.scores[1], self.scores[0]))
        result = self.result and replace(self.result, winner=1 - self.result.winner)
        return replace(
            self,
            on_roll=1 - self.on_roll,
            cube_owner=None if self.cube_owner is None else 1 - self.cube_owner,
            scores=(self.scores[1], self.scores[0]),
            result=result,
        )

    # -- from and to the state of a game --

    def to_state(self) -> GameState:
        """Return the state of a game that stands here, to be played on.

        The first turn is taken as past: the player on roll may double if the cube lets him.

        Raises
        ------
        RulesError, BoardError, DiceError
            Never for a position that was made.
        """
        if self.on_roll is None:
            return self._state_before_opening_roll()
        if self.board.phase is Phase.OVER or self.result is not None:
            return self._state_of_end()
        state = GameState.at(
            self.board,
            on_roll=self.on_roll,
            dice=self.dice,
            cube=self.cube,
            cube_owner=self.cube_owner,
            rules=self.rules,
            length=self.length,
            scores=self.scores,
            is_crawford=self.is_crawford,
        )
        self._check_cube()
        if self.offers:
            self._check_offers(state.cube)
            offered = replace(state, stage=Stage.ANSWER, offer=self.offer, returns=self.offers - 1)
            try:
                for action in pending_actions(offered):
                    state = state_after(state, action)
            except GameError as error:
                raise RulesError(f"no {self.pending} can be on offer here: {error}") from None
            return state
        if self.resigned is not None:
            cap = kind_cap(self.board, state.cube, self.rules)
            if self.resigned > cap:
                raise RulesError(
                    f"no more than a {cap.name.lower()} game can be resigned here: more cannot be"
                    " lost, or would not count"
                )
            return replace(state, stage=Stage.RESIGNATION, resigned=self.resigned)
        return state

    def _check_cube(self) -> None:
        if self.cube == 1 and self.cube_owner is not None:
            raise RulesError(
                f"player {self.cube_owner} owns a cube of 1: it is nobody's until a double is taken"
            )
        if self.length and self.cube > 1 and self.cube_owner is None:
            raise RulesError(
                f"a cube of {self.cube} in the middle: in a match a taken double gives it an owner"
            )

    def _check_offers(self, cube: Cube) -> None:
        if isinstance(self.offers, bool) or not isinstance(self.offers, int) or self.offers < 0:
            raise RulesError(f"offers is a whole number, 0 or more, not {self.offers!r}")
        if self.dice is not None:
            raise RulesError(f"a {self.pending} is on offer, and the dice are rolled already")
        if self.resigned is not None:
            raise RulesError(f"a {self.pending} is on offer together with a resignation")
        if reason := cube.why_not(self.on_roll or 0):
            raise RulesError(f"a double is on offer that player {self.on_roll} may not: {reason}")
        if self.offers - 1 > self.rules.beavers:
            raise RulesError(
                f"a {self.pending} is on offer; by these rules a double can be turned back"
                f" {counted(self.rules.beavers, 'time')} (beavers={self.rules.beavers})"
            )
        if self.offer > cube.limit:
            raise RulesError(f"a cube of {self.offer} is on offer; its limit is {cube.limit}")

    def _state_before_opening_roll(self) -> GameState:
        state = GameState.start(
            self.rules, length=self.length, scores=self.scores, is_crawford=self.is_crawford
        )
        if self.board != state.board:
            raise RulesError(
                "before the opening roll the board is the rules' layout; later somebody is on roll"
            )
        known = (self.dice, self.cube_owner, self.resigned, self.result)
        if self.offers or any(value is not None for value in known):
            raise RulesError(
                "before the opening roll there are no dice, no owner of the cube, no offers and no"
                " result"
            )
        self._check_cube()
        cube = replace(state.cube, value=self.cube)
        return replace(state, cube=cube, auto_doubles=cube.log2)

    def _state_of_end(self) -> GameState:
        checked = GameState.start(
            self.rules,
            length=self.length,
            scores=self.scores,
            is_crawford=self.is_crawford,
            starter=self.on_roll,
        )
        if self.board.n_checkers != self.rules.n_checkers:
            raise RulesError(
                f"the board is one of {self.board.n_checkers} checkers a side, the rules play with"
                f" {self.rules.n_checkers}"
            )
        if self.dice is not None or self.offers or self.resigned is not None:
            raise RulesError("the game is over: there are no dice and no offers")
        cube = replace(checked.cube, value=self.cube, owner=self.cube_owner)
        self._check_cube()
        result = self.result
        if self.board.phase is Phase.OVER:
            winner = (self.on_roll or 0) if self.board.value > 0 else 1 - (self.on_roll or 0)
            played = play_result(winner, self.board, cube, self.rules)
            if result not in (None, played):
                raise RulesError(f"the result is {result}; by the board it is {played}")
            result = played
        elif not isinstance(result, GameResult) or result.ending == "played":
            raise RulesError(f"the result is {result!r}, but both sides have checkers left")
        return replace(
            checked, board=self.board, stage=Stage.OVER, cube=cube, turns=2, result=result
        )

    @classmethod
    def from_state(cls, state: GameState) -> Self:
        """Return the position of a state of a game.

        A turn that was begun step by step is shown before its first step.
        """
        is_over = state.stage is Stage.OVER
        return cls(
            board=_board_before(state.board, state.steps),
            on_roll=state.on_roll,
            dice=None if is_over else state.dice,
            cube=state.cube.value,
            cube_owner=state.cube.owner,
            offers=state.returns + 1 if state.stage is Stage.ANSWER else 0,
            resigned=state.resigned if state.stage is Stage.RESIGNATION else None,
            rules=state.rules,
            length=state.length,
            scores=state.scores,
            is_crawford=state.is_crawford,
            result=state.result,
        )

    # -- from and to texts --

    @classmethod
    def from_text(cls, text: str, *, rules: Rules | None = None) -> Self:
        """Return the position of an ID of any kind; its shape tells which it is.

        A bare position ID or key means money, the cube on 1 and in the middle, nothing rolled. A
        Crawford game in a match to one point is read as a game like any other: there is no cube to
        rest.

        Parameters
        ----------
        text : str
            XGID with or without `XGID=`, GNU position ID, `positionID:matchID`, OGID, FIBS board
            line, or GNU's older key of 20 letters.
        rules : Rules, optional
            What the ID leaves open: the layout and its number of checkers, house rules, beavers
            where it cannot tell. By default standard backgammon without beavers, and without the
            Jacoby rule where the ID cannot tell. What the ID tells takes its place.

        Raises
        ------
        IdError
            The text is no ID, or what it says is impossible; the message names what is wrong.
        """
        text = text.strip() if isinstance(text, str) else text
        kind = id_kind(text)
        rules = _PLAIN_RULES if rules is None else rules
        if not isinstance(rules, Rules):
            raise RulesError(f"rules are a bgcore.Rules, not {rules!r}")
        try:
            told = _READERS[kind](text, rules)
            return cls(**told)
        except IdError:
            raise
        except BgcoreError as error:
            raise IdError(f"{text!r}: {error}") from None

    def encode(self, format: Format = "xgid") -> EncodedPosition:
        """Return the position as a text, with a list of what the text cannot hold.

        What is lost is found by reading the text again and comparing. Of a beaver that a format
        does not know, the double is left; of a resignation, the position before it.

        Parameters
        ----------
        format : {"xgid", "gnubg", "ogid", "fibs", "key"}
            XGID; GNU's positionID:matchID; OGID; FIBS board line, player 0 named You; GNU's older
            key of 20 letters, which holds the board alone.

        Raises
        ------
        IdError
            There is no such format; or a number is too large for it, and any text would be wrong.
        """
        if format not in FORMATS:
            raise IdError(f"{format!r} is no format; right are {', '.join(FORMATS)}")
        text = _WRITERS[format](self)
        plain = _PLAIN_RULES
        if self.rules.n_checkers != plain.n_checkers:
            plain = Rules(layout=self.rules.layout)
        back = Position.from_text(text, rules=plain)
        return EncodedPosition(text, tuple(_differences(self, back, format)))

    def to_text(self, format: Format = "xgid", *, strict: bool = False) -> str:
        """Return the position as a text, see `encode`.

        Parameters
        ----------
        format : {"xgid", "gnubg", "ogid", "fibs", "key"}
        strict : bool, default False
            Refuse if the text cannot hold everything.

        Raises
        ------
        IdError
            As `encode`; or something would be lost: the message names it.
        """
        text, lost = self.encode(format)
        if strict and lost:
            raise IdError(f"the format {format} cannot hold: {'; '.join(lost)}")
        return text

    # -- pictures --

    def describe(self, names: tuple[str, str] = ("X", "O")) -> tuple[str, str]:
        """Return in two lines what is played for, and who has to do what.

        Parameters
        ----------
        names : (str, str), default ("X", "O")
            Of player 0 and player 1.
        """
        return self._stakes(names), self._task(names)

    def _stakes(self, names: tuple[str, str]) -> str:
        score = f"score {names[0]} {self.scores[0]}, {names[1]} {self.scores[1]}"
        if self.length:
            words = [f"match to {self.length}", score, *["Crawford game"] * self.is_crawford]
        else:
            words = ["money", *["Jacoby rule"] * self.rules.jacoby]
            words += ["beavers"] * (self.rules.beavers > 0) + [score] * (self.scores != (0, 0))
        if not self.rules.cube:
            words.append("no cube")
        elif not self.is_crawford:
            owner = self.cube_owner
            where = "in the middle" if owner is None else f"of {names[owner]}"
            words.append(f"cube {self.cube} {where}")
        return "; ".join(words)

    def _task(self, names: tuple[str, str]) -> str:
        if self.result is not None:
            return (
                f"{names[self.result.winner]} has won a {self.result.kind.name.lower()} game:"
                f" {counted(self.result.points, 'point')}, {self.result.ending}"
            )
        if self.on_roll is None:
            return "the opening roll is to come"
        mover, other = names[self.on_roll], names[1 - self.on_roll]
        if self.resigned is not None:
            return f"{mover} resigns a {self.resigned.name.lower()} game, {other} answers"
        if self.offers:
            asked = mover if self.offers % 2 == 0 else other
            return f"{asked} answers a {self.pending} to {self.offer}"
        if self.dice is not None:
            return f"{mover} plays {self.dice[0]}-{self.dice[1]}"
        return f"{mover} is on roll"

    def text(self, *, home: str = "right") -> str:
        """Return a picture in plain letters: player 0 is X, at the bottom.

        The points bear the numbers of the player on roll.

        Parameters
        ----------
        home : {"right", "left"}
            Where the home boards are drawn.
        """
        # pictures are rarely wanted: their module is loaded when the first one is
        from bgcore.drawing import board_text

        return board_text(self.board_swapped_for(0), home=home, scene=self._scene(("X", "O")))

    def svg(self, *, home: str = "right") -> str:
        """Return a picture as an SVG document: player 0 is light, at the bottom.

        The points bear the numbers of the player on roll.

        Parameters
        ----------
        home : {"right", "left"}
            Where the home boards are drawn.
        """
        from bgcore.drawing import board_svg

        return board_svg(self.board_swapped_for(0), home=home, scene=self._scene(("light", "dark")))

    def _repr_svg_(self) -> str:
        return self.svg()

    def _scene(self, names: tuple[str, str]) -> "Scene":
        from bgcore.drawing import Scene

        sides: dict[int | None, Side | None] = {0: "lower", 1: "upper", None: None}
        return Scene(
            on_roll=None if self.result is not None else sides[self.on_roll],
            names=("bottom", "top"),
            cube=self.cube if self.rules.cube else None,
            cube_owner=sides[self.cube_owner],
            dice=self.dice,
            captions=self.describe(names),
        )

    # -- JSON --

    def to_dict(self) -> dict[str, Any]:
        """Return the position as values that JSON can hold.

        ============  =============================================================
        board         26 whole numbers, seen by the player on roll
        on_roll       0, 1 or null
        dice          [die, die] or null
        cube          a power of 2
        cube_owner    0, 1 or null
        offers        0; 1 a double is on offer, 2 a beaver, 3 a raccoon
        resigned      0; 1, 2 or 3 for the resignation on offer
        length        points of the match, 0 for money
        scores        [points of player 0, points of player 1]
        is_crawford   true or false
        rules         what differs from standard money play, see `Rules.to_dict`
        result        null, or winner, kind, points, cube and ending of a game that is over
        ============  =============================================================
        """
        result = self.result and {
            "winner": self.result.winner,
            "kind": int(self.result.kind),
            "points": self.result.points,
            "cube": self.result.cube,
            "ending": self.result.ending,
        }
        return {
            "board": self.board.to_list(),
            "on_roll": self.on_roll,
            "dice": None if self.dice is None else list(self.dice),
            "cube": self.cube,
            "cube_owner": self.cube_owner,
            "offers": self.offers,
            "resigned": int(self.resigned or 0),
            "length": self.length,
            "scores": list(self.scores),
            "is_crawford": self.is_crawford,
            "rules": self.rules.to_dict(),
            "result": result,
        }

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Return the position that `to_dict` wrote; entries but the board may be missing.

        Raises
        ------
        RecordError
            The document is no mapping, or has an unknown entry or none for the board.
        RulesError, BoardError, DiceError
            As for the class.
        """
        if not isinstance(document, Mapping) or "board" not in document:
            raise RecordError("a position is a mapping with the entry 'board'")
        values = dict(document)
        known = {entry.name for entry in fields(cls)}
        if unknown := sorted(set(map(str, values)) - known):
            raise RecordError(
                f"a position has no entry {unknown[0]!r}; right are {', '.join(sorted(known))}"
            )
        values["rules"] = Rules.from_dict(values.get("rules", {}))
        values["board"] = Board(values["board"], n_checkers=values["rules"].n_checkers)
        values["resigned"] = values.get("resigned") or None
        if values.get("result") is not None:
            values["result"] = _result_of(values["result"])
        return cls(**values)


def game_of(position: GameState | Position, *, before_roll: bool = False) -> GameState:
    """Return the game that a question is about.

    Parameters
    ----------
    position : GameState or Position
    before_roll : bool, default False
        Whether dice of a `Position` do not count, because they come after what is asked.

    Raises
    ------
    BoardError
        It is neither.
    """
    if isinstance(position, GameState):
        return position
    if not isinstance(position, Position):
        raise BoardError(
            f"a GameState or a Position is wanted, such as Position.from_text(ID), not"
            f" {shown(position)}"
        )
    dice = None if before_roll else position.dice
    return replace(position, dice=dice, resigned=None).to_state()


def _result_of(document: Any) -> GameResult:
    names = {entry.name for entry in fields(GameResult)}
    if not isinstance(document, Mapping) or set(document) != names:
        raise RecordError(f"a result is a mapping with the entries {', '.join(sorted(names))}")
    if document["kind"] not in (1, 2, 3):
        raise RecordError(f"the kind of a result is 1, 2 or 3, not {document['kind']!r}")
    return GameResult(**{**document, "kind": WinKind(document["kind"])})


def _board_before(board: Board, steps: tuple[Step, ...]) -> Board:
    """Return the board before these steps were made."""
    if not steps:
        return board
    cells = board.to_list()
    for start, to, hit in reversed(steps):
        cells[start] += 1
        if to:
            cells[to] -= 1
        if hit:
            cells[to] -= 1
            cells[0] += 1
    return Board(cells, n_checkers=board.n_checkers)


# ---- reading: the arguments of `Position` that a text tells ----


def _board(cells: tuple[int, ...], rules: Rules) -> Board:
    return Board(cells, n_checkers=rules.n_checkers)


@lru_cache(maxsize=128)
def _rules_told(rules: Rules, *, is_match: bool, cube: bool = True, **changes: Any) -> Rules:
    """Return the rules with what a text tells in its place."""
    told: dict[str, Any] = {"match_play": is_match, "cube": cube, "crawford": False}
    if is_match:
        # matches are played by the Crawford rule, which without a cube says nothing
        told["crawford"] = cube and (rules.crawford or not rules.match_play)
        told |= {"jacoby": False, "beavers": 0}
    if not cube:
        told["cube_limit"] = _PLAIN_RULES.cube_limit
    return rules.replace(**{**told, **changes})


def _from_xgid(text: str, rules: Rules) -> dict[str, Any]:
    xgid = parse_xgid(text, n_checkers=rules.n_checkers)
    offers = " DBR".index(xgid.action or " ")
    # the player of `turn` has doubled, beavered or raccooned; the double itself was ...
    turn = -xgid.turn if offers == 2 else xgid.turn
    changes: dict[str, Any] = {}
    if not xgid.length:
        changes["jacoby"] = xgid.has_jacoby
        least = max(1, offers - 1)
        changes["beavers"] = max(rules.beavers, least) if xgid.has_beavers else 0
    if xgid.max_cube_log2:
        changes["cube_limit"] = 1 << xgid.max_cube_log2
    cells = xgid.cells if turn == 1 else tuple(-count for count in reversed(xgid.cells))
    return {
        "board": _board(cells, rules),
        "on_roll": 0 if turn == 1 else 1,
        "dice": xgid.dice,
        "cube": 1 << xgid.cube_log2,
        "cube_owner": {1: 0, -1: 1}.get(xgid.cube_owner),
        "offers": offers,
        "rules": _rules_told(
            rules, is_match=xgid.length > 0, cube=xgid.max_cube_log2 != 0, **changes
        ),
        "length": xgid.length,
        "scores": (xgid.score_bottom, xgid.score_top),
        "is_crawford": xgid.is_crawford and xgid.length > 1,
    }


def _from_gnubg(text: str, rules: Rules) -> dict[str, Any]:
    cells, match = split_gnubg_id(text, n_checkers=rules.n_checkers)
    board = _board(cells, rules)
    waits = match.doubled or match.resigned > 0
    if waits != (match.decider != match.roller):
        raise IdError(
            f"{text!r}: player {match.decider} decides and player {match.roller} is on roll, but"
            f" {'a' if waits else 'no'} double or resignation is open"
        )
    if match.game_state > 2 or (match.game_state == 2 and board.phase is not Phase.OVER):
        raise IdError(f"{text!r}: the game is over by a pass or a resignation; that is no position")
    changes = {} if match.length else {"jacoby": match.jacoby}
    return {
        "board": board,
        "on_roll": 1 - match.roller,
        "dice": None if board.phase is Phase.OVER else match.dice,
        "cube": match.cube,
        "cube_owner": None if match.cube_owner is None else 1 - match.cube_owner,
        "offers": int(match.doubled),
        "resigned": match.resigned or None,
        "rules": _rules_told(rules, is_match=match.length > 0, **changes),
        "length": match.length,
        "scores": (match.score[1], match.score[0]),
        "is_crawford": match.crawford and match.length > 1,
    }


def _from_ogid(text: str, rules: Rules) -> dict[str, Any]:
    ogid = parse_ogid(text)
    if ogid.n_checkers != rules.n_checkers:
        raise IdError(
            f"{text!r}: {ogid.n_checkers} checkers of a side; the rules play with"
            f" {rules.n_checkers}: give the rules of this game"
        )
    is_crawford = ogid.modifier == "C" and ogid.length > 1
    is_dead = ogid.cube_owner == "D" and not is_crawford
    if is_dead and ogid.cube_log2:
        raise IdError(
            f"{text!r}: a cube of {1 << ogid.cube_log2} that nobody may turn; only one of 1 is read"
        )
    return {
        "board": _board(ogid.cells_on_roll, rules),
        "on_roll": 0 if ogid.on_roll == "B" else 1,
        "dice": ogid.dice,
        "cube": 1 << ogid.cube_log2,
        "cube_owner": {"B": 0, "W": 1}.get(ogid.cube_owner),
        "offers": int(ogid.cube_action == "O"),
        "rules": _rules_told(rules, is_match=ogid.length > 0, cube=not is_dead and rules.cube),
        "length": ogid.length,
        "scores": (ogid.scores[1], ogid.scores[0]),
        "is_crawford": is_crawford,
    }


def _from_fibs(text: str, rules: Rules) -> dict[str, Any]:
    line = parse_fibs_board(text)
    board = _board(line.cells_on_roll, rules)
    on_roll = 1 if line.turn == -1 else 0
    if line.turn == 0:
        if board.phase is not Phase.OVER:
            raise IdError(f"{text!r}: the game is over (turn 0), but both sides have checkers left")
        if board.value < 0:
            board, on_roll = board.swapped(), 1
    changes: dict[str, Any] = {}
    needs_one = line.length > 1 and max(line.scores) == line.length - 1 > min(line.scores)
    is_crawford = needs_one and line.did_crawford == 0
    if line.length and line.did_crawford == 3:
        changes["crawford"] = False
    if not line.length and line.redoubles:
        changes["beavers"] = line.redoubles
    doubler = _fibs_doubler(line, is_crawford, text)
    owner = doubler if line.cube > 1 else None
    if line.may_double[0] != line.may_double[1]:
        owner = 0 if line.may_double[0] else 1
    return {
        "board": board,
        "on_roll": on_roll,
        "dice": None if doubler is not None else line.dice_on_roll,
        "cube": line.cube,
        "cube_owner": owner,
        "offers": int(doubler is not None),
        "rules": _rules_told(rules, is_match=line.length > 0, **changes),
        "length": line.length,
        "scores": line.scores,
        "is_crawford": is_crawford,
    }


def _fibs_doubler(line: FibsBoard, is_crawford: bool, text: str) -> int | None:
    """Return whose double waits for an answer, in the numbers 0 player and 1 opponent."""
    if line.was_doubled:
        return 1
    if any(line.may_double) or is_crawford or line.turn == 0:
        return None
    if line.turn == -1 or line.dice is not None:
        raise IdError(
            f"{text!r}: neither side may double (fields 39 and 40), which is so only in the"
            " Crawford game and while the player's own double waits"
        )
    return 0


def _from_board_alone(decode: Callable[..., Any]) -> Callable[[str, Rules], dict[str, Any]]:
    def read(text: str, rules: Rules) -> dict[str, Any]:
        cells = tuple(decode(text, n_checkers=rules.n_checkers).tolist())
        return {"board": _board(cells, rules), "rules": rules}

    return read


_READERS: Final[dict[str, Callable[[str, Rules], dict[str, Any]]]] = {
    "xgid": _from_xgid,
    "position and match ID": _from_gnubg,
    "ogid": _from_ogid,
    "fibs board": _from_fibs,
    "position ID": _from_board_alone(decode_position_id),
    "key": _from_board_alone(decode_key_letters),
}


# ---- writing ----


def _cells_of_player_0(position: Position) -> tuple[int, ...]:
    return tuple(position.board_swapped_for(0).to_list())


def _log2(position: Position, most: int, name: str) -> int:
    """Return the cube as a power of 2, with what is on offer inside the bounds of a format."""
    if (position.offer or position.cube) > 1 << most:
        raise IdError(
            f"a cube of {position.offer or position.cube} is too large for {name}; it holds up to"
            f" {1 << most}"
        )
    return position.cube.bit_length() - 1


def _to_xgid(position: Position) -> str:
    rules = position.rules
    log2 = _log2(position, XGID_MAX_CUBE_LOG2, "an XGID")
    offers = position.offers if position.offers < 4 else 2 + position.offers % 2
    limit = rules.cube_limit.bit_length() - 1
    if limit > XGID_MAX_CUBE_LOG2:
        limit = max(_USUAL_LIMIT_LOG2, (position.offer or position.cube).bit_length() - 1)
    turn = -1 if position.on_roll == 1 else 1
    money = rules.jacoby + 2 * (rules.beavers > 0)
    return str(
        Xgid(
            cells=_cells_of_player_0(position),
            cube_log2=log2,
            cube_owner={0: 1, 1: -1, None: 0}[position.cube_owner],
            turn=-turn if offers == 2 else turn,
            dice=position.dice,
            action=" DBR"[offers].strip(),
            score_bottom=position.scores[0],
            score_top=position.scores[1],
            rules=int(position.is_crawford) if position.length else money,
            length=position.length,
            max_cube_log2=limit if rules.cube else 0,
        )
    )


def _to_gnubg(position: Position) -> str:
    on_roll = position.on_roll or 0
    waits = position.offers > 0 or position.resigned is not None
    match = MatchState(
        cube=position.cube,
        cube_owner=None if position.cube_owner is None else 1 - position.cube_owner,
        roller=1 - on_roll,
        decider=on_roll if waits else 1 - on_roll,
        dice=position.dice,
        crawford=position.is_crawford,
        game_state=2 if position.board.phase is Phase.OVER else int(position.on_roll is not None),
        doubled=position.offers > 0,
        resigned=int(position.resigned or 0),
        length=position.length,
        score=(position.scores[1], position.scores[0]),
        # GNU Backgammon of today sets the bit "Jacoby rule off" in matches
        jacoby=position.rules.jacoby,
    )
    return f"{position.board.position_id}:{format_match_id(match)}"


def _to_ogid(position: Position) -> str:
    if position.offers:
        state = "D"
    elif position.board.phase is Phase.OVER:
        state = "G"
    else:
        state = "C" if position.dice is None else "R"
    on_roll = "W" if position.on_roll == 1 else "B"
    reached = {"W": "B", "B": "W"}[on_roll]
    nobody = "N" if position.rules.cube else "D"
    return str(
        Ogid(
            cells=_cells_of_player_0(position),
            cube_log2=_log2(position, OGID_MAX_CUBE_LOG2, "an OGID"),
            cube_owner={0: "B", 1: "W", None: nobody}[position.cube_owner],
            cube_action="O" if position.offers else "N",
            dice=position.dice,
            acted=on_roll if position.offers else reached,
            state=state,
            scores=(position.scores[1], position.scores[0]),
            length=position.length,
            modifier="C" if position.is_crawford else "",
            n_checkers=position.board.n_checkers,
        )
    )


def _to_fibs(position: Position) -> str:
    if position.length > FIBS_MAX_LENGTH or position.board.n_checkers != _PLAIN_RULES.n_checkers:
        raise IdError(
            f"a FIBS board line holds matches up to {FIBS_MAX_LENGTH} points with"
            f" {_PLAIN_RULES.n_checkers} checkers a side"
        )
    is_over = position.board.phase is Phase.OVER
    turn = -1 if position.on_roll == 1 else 1
    owner = position.cube_owner
    may_double = (owner in (None, 0), owner in (None, 1))
    if position.offers and turn == 1:
        may_double = (False, False)
    can_move = 0
    if position.dice is not None and turn == 1:
        plays = Plays(position.board, position.dice, **position.rules.house)
        can_move = max(len(play.steps) for play in plays)
    did_crawford = 0
    if position.length > 1 and max(position.scores) == position.length - 1:
        did_crawford = int(not position.is_crawford) if position.rules.crawford else 3
    return str(
        FibsBoard(
            cells=_cells_of_player_0(position),
            length=position.length,
            scores=position.scores,
            turn=0 if is_over else turn,
            dice=position.dice if turn == 1 else None,
            opponent_dice=position.dice if turn == -1 else None,
            cube=position.cube,
            may_double=may_double,
            was_doubled=position.offers > 0 and turn == -1,
            can_move=can_move,
            did_crawford=did_crawford,
            redoubles=position.rules.beavers,
        )
    )


_WRITERS: Final[dict[str, Callable[[Position], str]]] = {
    "xgid": _to_xgid,
    "gnubg": _to_gnubg,
    "ogid": _to_ogid,
    "fibs": _to_fibs,
    "key": lambda position: encode_key_letters(position.board),
}


# ---- what a text has lost ----


def _differences(position: Position, back: Position, format: Format) -> list[str]:
    """Return in words what `position` holds and `back`, read from its text, does not."""
    lost = []
    if position.board.n_checkers != _PLAIN_RULES.n_checkers and format != "ogid":
        lost.append(f"{position.board.n_checkers} checkers a side")
    if position.on_roll != back.on_roll:
        lost.append(
            "the opening roll is still to come"
            if position.on_roll is None
            else f"{_PLAYER_NAMES[position.on_roll]} is on roll"
        )
    if position.dice is not None and (back.dice is None or set(back.dice) != set(position.dice)):
        lost.append(f"dice {position.dice[0]}-{position.dice[1]}")
    if (position.cube, position.cube_owner) != (back.cube, back.cube_owner):
        where = (
            "in the middle"
            if position.cube_owner is None
            else f"owned by {_PLAYER_NAMES[position.cube_owner]}"
        )
        lost.append(f"cube of {position.cube} {where}")
    if position.offers != back.offers:
        lost.append(f"the {position.pending} on offer")
    if position.resigned is not None and position.resigned != back.resigned:
        lost.append(f"the resignation of a {position.resigned.name.lower()} game")
    if position.length != back.length:
        lost.append(f"match to {position.length}")
    if position.scores != back.scores:
        lost.append(f"score {position.scores[0]}-{position.scores[1]}")
    if position.is_crawford != back.is_crawford:
        lost.append("Crawford game")
    if position.result is not None and position.result.ending != "played":
        lost.append(f"the game is over: {position.result.ending}")
    return lost + _rules_lost(position, back)


def _rules_lost(position: Position, back: Position) -> list[str]:
    """Return in words which rules of `position` are other ones in `back`."""
    lost = []
    for entry in fields(Rules):
        rule, left = getattr(position.rules, entry.name), getattr(back.rules, entry.name)
        if entry.name == "cube_limit":
            usual = 1 << _USUAL_LIMIT_LOG2
            rule, left = min(rule, usual), min(left, usual)
        if rule == left or entry.name == "match_play":
            continue
        if entry.name == "crawford" and (position.length != back.length or not position.rules.cube):
            continue
        lost.append(_rule_words(entry.name, rule, left))
    return lost


def _rule_words(name: str, rule: Any, left: Any) -> str:
    if name == "jacoby":
        return "Jacoby rule" if rule else "no Jacoby rule"
    if name == "beavers":
        return f"beavers ({rule})" if not left else f"beavers ({rule}; the text means {left})"
    if name == "cube_limit":
        return f"cube limit {rule}"
    if name == "cube":
        return "no cube" if not rule else "the cube"
    if name == "crawford":
        return "Crawford rule" if rule else "no Crawford rule"
    if name == "layout":
        return "the layout at the start"
    if name == "auto_doubles":
        return f"automatic doubles ({'any number' if rule is None else rule})"
    return f"rule {name} ({rule})"
