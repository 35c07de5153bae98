"""What is played: a frozen record of everything that changes legality or payoff.

Sources in square brackets: [K] Tom Keith, "Rules of Backgammon"; [FAQ] the rec.games.backgammon FAQ;
[W] World Backgammon Federation, tournament rules 2.1 (2023). House rules without a source are those
that rule books of the game print as customs.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal, Self, get_args

from bgcore._core.board import BoardBase
from bgcore.board import Board, Phase
from bgcore.checks import flag, shown, whole_number
from bgcore.errors import RulesError

__all__ = ["PRESET_NAMES", "Rules"]

#: The largest cube if nothing else is said. No game gets there.
DEFAULT_CUBE_LIMIT = 1 << 15
#: The largest cube that may be asked for: three times it still fits any counter.
LARGEST_CUBE_LIMIT = 1 << 30

_MOST_RETURNS = 30
_MOST_EXTRA_TURNS = 10_000

Payoff = Literal["full", "gammon", "single"]
NextOpening = Literal["dice", "winner"]
BeaverDoubles = Literal["every", "initial"]

#: Names that `Rules.preset` knows.
PRESET_NAMES = ("money", "match", "tournament", "casual")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of a game. Immutable and hashable; all arguments by keyword.

    `Rules.money()`, `Rules.match()`, `Rules.tournament()` and `Rules.casual()` are the usual sets;
    each takes changes by keyword. Combinations that rule books exclude are refused, and so are
    options that could have no effect.

    Parameters
    ----------
    layout : Board, default the opening position
        The checkers at the start, seen by player 0. It gives the number of checkers of a side too.
    match_play : bool, default False
        Whether games count towards a match. Otherwise they are played for points: money play.
    cube : bool, default True
        Whether there is a doubling cube.
    cube_limit : int, default 32768
        The largest value of the cube, a power of 2; the cube is never turned beyond it. Rule books
        know no limit; real cubes show up to 64, and larger values are written down.
    jacoby : bool, default False
        Gammons and backgammons count single while no double was offered and taken [K]. Money only.
    jacoby_auto_counts : bool, default False
        An automatic double is enough to make gammons count under the Jacoby rule. The texts can be
        read both ways.
    beavers : int, default 0
        How often a double can be turned back: 1 allows the beaver (the taker doubles at once and
        keeps the cube), 2 the raccoon too (the doubler's answer to a beaver), and so on [FAQ].
        Money only.
    beaver_doubles : {"every", "initial"}, default "every"
        Whether redoubles can be beavered too.
    beaver_drop : bool, default True
        Whether a beaver (or raccoon) may be refused; who refuses pays the value before it [FAQ].
    auto_doubles : int or None, default 0
        How often equal dice in the opening roll double the cube, which stays in the middle [K];
        None is without limit. Usual is once. Money only.
    crawford : bool, default False
        The first game after a player came to one point from the match is played without the
        cube [K]. Match only; `Rules.match` sets it.
    forbid_dead : bool, default False
        A player may not double when the points of the cube as it is win the match for him. By
        default it is legal and pointless. Match only.
    holland : bool, default False
        After the Crawford game nobody may double before both have rolled twice [FAQ]. Match only.
    payoff : {"full", "gammon", "single"}, default "full"
        Single game, gammon and backgammon count 1, 2, 3 [K]; or 1, 2, 2 (no triple game); or
        always 1.
    next_opening : {"dice", "winner"}, default "dice"
        Who begins later games: an opening roll decides [K]; or the winner of the last game, who
        rolls both dice.
    extra_turn : bool, default False
        House rule: after a doublet the same player rolls and plays again, without a double of the
        cube in between.
    extra_turn_forfeit : bool, default False
        The extra turn is lost if the doublet could not be played in full.
    max_chain : int, default 32
        Extra turns in a row; then the turn passes.
    any_number : bool, default False
        House rule: if either number of a roll can be played but not both, the player chooses. By
        default it is the larger one [K].
    own_limit : int or None, default None
        House rule: no more own checkers than this on a point.
    finish_early : bool, default False
        The last checker may be borne off with one die even where both dice could be played. By
        default the duty to use both comes first, and the turn ends with the last checker off.
    skip_closed_out : bool, default False
        A player whom no roll lets move passes without rolling. He may still double before.

    Raises
    ------
    RulesError
        A value is out of range, or two rules exclude each other; the message says why.

    Examples
    --------
    >>> Rules.money().jacoby, Rules.match().crawford
    (True, True)
    >>> Rules.match(jacoby=True)
    Traceback (most recent call last):
    ...
    bgcore.errors.RulesError: the Jacoby rule is for money play; a match does not know it
    """

    layout: Board = field(default_factory=Board.opening)
    match_play: bool = False
    cube: bool = True
    cube_limit: int = DEFAULT_CUBE_LIMIT
    jacoby: bool = False
    jacoby_auto_counts: bool = False
    beavers: int = 0
    beaver_doubles: BeaverDoubles = "every"
    beaver_drop: bool = True
    auto_doubles: int | None = 0
    crawford: bool = False
    forbid_dead: bool = False
    holland: bool = False
    payoff: Payoff = "full"
    next_opening: NextOpening = "dice"
    extra_turn: bool = False
    extra_turn_forfeit: bool = False
    max_chain: int = 32
    any_number: bool = False
    own_limit: int | None = None
    finish_early: bool = False
    skip_closed_out: bool = False

    def __post_init__(self) -> None:
        self._check_values()
        for is_wrong, reason in self._exclusions():
            if is_wrong:
                raise RulesError(reason)

    def _check_values(self) -> None:
        for entry in fields(self):
            if entry.type in (bool, "bool"):
                self._keep(entry.name, flag(getattr(self, entry.name), entry.name, RulesError))
        if not isinstance(self.layout, BoardBase):
            raise RulesError(f"the layout is a Board, not {shown(self.layout)}")
        layout = Board(self.layout, n_checkers=self.layout.n_checkers, check=False)
        if not layout.is_valid() or layout.phase is Phase.OVER:
            raise RulesError("the layout must be a possible board on which both sides can play")
        self._keep("layout", layout)
        self._keep_whole("cube_limit", 1, LARGEST_CUBE_LIMIT)
        if self.cube_limit & (self.cube_limit - 1):
            raise RulesError(f"cube_limit is a power of 2 such as 64, not {self.cube_limit}")
        self._keep_whole("beavers", 0, _MOST_RETURNS)
        self._keep_whole("max_chain", 1, _MOST_EXTRA_TURNS)
        if self.auto_doubles is not None:
            self._keep_whole("auto_doubles", 0, _MOST_RETURNS)
        if self.own_limit is not None:
            self._keep_whole("own_limit", 1, layout.n_checkers)
            if max(abs(count) for count in layout) > self.own_limit:
                raise RulesError(f"the layout has more than {self.own_limit} checkers on a point")
        _one_of("payoff", self.payoff, get_args(Payoff))
        _one_of("next_opening", self.next_opening, get_args(NextOpening))
        _one_of("beaver_doubles", self.beaver_doubles, get_args(BeaverDoubles))

    def _keep(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    def _keep_whole(self, name: str, low: int, high: int) -> None:
        """Check a number; what numpy counts as one becomes Python's."""
        self._keep(name, whole_number(getattr(self, name), name, low, high, RulesError))

    def _exclusions(self) -> tuple[tuple[bool, str], ...]:
        """Pairs (whether it is so, why that cannot be)."""
        default = {entry.name: entry.default for entry in fields(self)}
        money, match, cube = not self.match_play, self.match_play, self.cube
        has_auto = self.auto_doubles != 0
        return (
            (match and self.jacoby, "the Jacoby rule is for money play; a match does not know it"),
            (match and self.beavers > 0, "beavers are for money play; a match does not know them"),
            (match and has_auto, "automatic doubles are for money play; a match has none"),
            (money and self.crawford, "the Crawford rule is for matches; money play has no score"),
            (money and self.holland, "the Holland rule is for matches; money play has no score"),
            (money and self.forbid_dead, "a cube can be dead only in a match"),
            (not cube and self.jacoby, "the Jacoby rule needs the cube: gammons could never count"),
            (not cube and self.beavers > 0, "beavers need the cube"),
            (not cube and has_auto, "automatic doubles need the cube"),
            (
                not cube and self.crawford,
                "the Crawford rule says when the cube rests: it needs one",
            ),
            (not cube and self.holland, "the Holland rule needs the cube"),
            (not cube and self.forbid_dead, "a dead cube needs a cube"),
            (
                not cube and self.cube_limit != default["cube_limit"],
                "a limit of the cube needs the cube",
            ),
            (
                self.jacoby and self.payoff == "single",
                "the Jacoby rule is about gammons, and the payoff 'single' knows none",
            ),
            (
                self.jacoby_auto_counts and not (self.jacoby and has_auto),
                "jacoby_auto_counts needs the Jacoby rule and automatic doubles",
            ),
            (self.beaver_doubles != "every" and not self.beavers, "beaver_doubles needs beavers"),
            (not self.beaver_drop and not self.beavers, "beaver_drop needs beavers"),
            (
                self.holland and not self.crawford,
                "the Holland rule follows the Crawford game: it needs the Crawford rule",
            ),
            (
                self.extra_turn_forfeit and not self.extra_turn,
                "extra_turn_forfeit needs extra_turn",
            ),
            (
                self.max_chain != default["max_chain"] and not self.extra_turn,
                "max_chain needs extra_turn",
            ),
        )

    # -- presets --

    @classmethod
    def money(cls, /, **changes: Any) -> Self:
        """Return the rules of money play: cube, Jacoby rule, one beaver.

        Automatic doubles are off; they need an agreement.
        """
        return cls._with({"jacoby": True, "beavers": 1}, changes)

    @classmethod
    def match(cls, /, **changes: Any) -> Self:
        """Return the rules of match play: cube and Crawford rule."""
        return cls._with({"match_play": True, "crawford": True}, changes)

    @classmethod
    def tournament(cls) -> Self:
        """Return the rules of tournaments [W]: match play without any house rule."""
        return cls.match()

    @classmethod
    def casual(cls, /, **changes: Any) -> Self:
        """Return the rules of single games without a cube; gammons and backgammons count."""
        return cls._with({"cube": False}, changes)

    @classmethod
    def preset(cls, name: str, **changes: Any) -> Self:
        """Return one of the usual sets by its name.

        Parameters
        ----------
        name : {"money", "match", "tournament", "casual"}
        **changes
            Parameters of `Rules`; a tournament has none.

        Raises
        ------
        RulesError
            There is no such set; or a change is refused.
        """
        _one_of("the name of a set of rules", name, PRESET_NAMES)
        if name == "tournament" and changes:
            raise RulesError("tournament rules take no changes; change 'match' instead")
        made: Self = getattr(cls, name)(**changes)
        return made

    @classmethod
    def _with(cls, preset: dict[str, Any], changes: dict[str, Any]) -> Self:
        """Apply changes to a preset. What needs the cube leaves with it unless it is asked for."""
        known = {entry.name for entry in fields(cls)}
        unknown = [name for name in changes if name not in known]
        if unknown:
            raise RulesError(f"there is no rule {shown(unknown[0])}; see help(bgcore.Rules)")
        if changes.get("cube") is False:
            preset = {name: value for name, value in preset.items() if name not in _NEED_CUBE}
        if changes.get("payoff") == "single":
            preset = {name: value for name, value in preset.items() if name != "jacoby"}
        return cls(**{**preset, **changes})

    def replace(self, **changes: Any) -> Self:
        """Return the same rules with some changed."""
        return self._with(
            {entry.name: getattr(self, entry.name) for entry in fields(self)}, changes
        )

    # -- what the rules give --

    @property
    def n_checkers(self) -> int:
        """Checkers of one side."""
        return self.layout.n_checkers

    @property
    def house(self) -> dict[str, Any]:
        """The rules that make other plays legal than standard backgammon, as `Plays` takes them."""
        rules = {
            "own_limit": self.own_limit or 0,
            "any_number": self.any_number,
            "finish_early": self.finish_early,
        }
        return {name: value for name, value in rules.items() if value}

    def multiplier(self, kind: int) -> int:
        """Return what a single game (1), gammon (2) or backgammon (3) counts by the payoff."""
        return min(kind, {"full": 3, "gammon": 2, "single": 1}[self.payoff])

    # -- other forms --

    def to_dict(self) -> dict[str, Any]:
        """Return the rules that differ from the defaults, as values that JSON can hold."""
        plain = Rules()
        changed = {
            entry.name: getattr(self, entry.name)
            for entry in fields(self)
            if getattr(self, entry.name) != getattr(plain, entry.name)
        }
        if "layout" in changed:
            changed["layout"] = {"cells": self.layout.to_list(), "n_checkers": self.n_checkers}
        return changed

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Self:
        """Return the rules that `to_dict` wrote.

        Raises
        ------
        RulesError
            An unknown rule, or values that are refused.
        BoardError
            The layout is impossible.
        """
        if not isinstance(document, Mapping):
            raise RulesError(f"rules are a mapping of names to values, not {shown(document)}")
        values = dict(document)
        if "layout" in values:
            layout = values["layout"]
            if not isinstance(layout, Mapping) or set(layout) != {"cells", "n_checkers"}:
                raise RulesError("a layout has the entries 'cells' and 'n_checkers'")
            values["layout"] = Board(layout["cells"], n_checkers=layout["n_checkers"])
        return cls._with({}, values)


_NEED_CUBE = frozenset(("jacoby", "beavers", "crawford"))


def _one_of(name: str, value: object, right: tuple[str, ...]) -> None:
    if not isinstance(value, str) or value not in right:
        raise RulesError(f"{name} is one of {', '.join(right)}, not {shown(value)}")
