"""The rules of one game: a record of parameters that drives states, turns and scores."""

import dataclasses
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from bgcore._core.variants import Kernel
from bgcore.checks import shown
from bgcore.errors import DiceError, VariantError
from bgcore.variants.plays import EFFECTS, Step, VariantPlay, VariantPlays
from bgcore.variants.states import (
    BAR,
    BEGAN,
    FLAGS_CELL,
    HAND,
    MOST_TURNS,
    SIDE_BYTES,
    TURNS,
    Side,
    State,
)
from bgcore.variants.turns import ROLL, Todo, Turn, TurnItem

__all__ = ["VariantRules", "whole"]

Direction = Literal["contrary", "same12", "same0"]
Doubles = Literal["four", "plain", "complement", "ascending"]
Contact = Literal["hit", "block1", "pin"]
HitGate = Literal["none", "was_home", "now"]
HeadException = Literal["none", "fixed", "fixed46", "blocked", "doubles"]
Prime = Literal["free", "ahead", "forbidden"]
BearOff = Literal["larger", "exact"]
ExtraTurn = Literal["none", "doubles"]
Unplayed = Literal["lost", "opponent"]
Mother = Literal["none", "wait", "immediate"]
John = Literal["none", "open", "seven"]
BoardPayoff = Literal["triple", "gammon", "single", "men_left", "men_on_board", "pips"]
#: With those of trictrac, which counts holes.
Payoff = BoardPayoff | Literal["double", "quadruple"]
Opening = Literal["use", "reroll"]
NextOpening = Literal["dice", "winner"]


@dataclass(frozen=True, kw_only=True)
class VariantRules:
    """The rules of one game on this board. Immutable and hashable; made by `variant`.

    Each field says what it means, its default here, and which games differ, with their sources;
    where texts disagree, the other reading is the option. Sources: [GAL] the rule pages of Tom
    Keith's site and its copies; [GNU] the GNU Backgammon manual; [P65] play65, Dutch backgammon;
    [BRI] encyclopaedia text on acey-deucey; [TZF] thezombieforum, [BA] the bgammon server, [ITV]
    itavli.com, [BPN] backgammon-play.net, [ZOO] zooescape on acey-deucey; [GX] gammonx-server,
    [TAV] pages on Tavla; [LUD] ludii.games, [CON] Condos' text, [QUA] quasoft's backgammonjs;
    [BRK] brainking.com on Fevga; [TMG], [SUG], [VOG], [PLH], [MOB] pages on long Nardy; [TMGM],
    [TB] on Moultezim; [EIG] eightygames, [TSW] totalshareware on Gul Bara; [ITVF], [OCR] on
    Russian backgammon; [KAL] Kalkhoven, [A4G] Finkel's reconstruction, [THE] Edkins on Tabula;
    Cotton, "The Compleat Gamester", 1674, on Verquere.

    Parameters
    ----------
    name : str
    n_checkers : int, default 15
        Checkers of one side.
    start : tuple of (point, checkers)
        Of each side, in its own numbering; the others are in hand. Dutch backgammon, acey-deucey,
        Russian backgammon and Tabula start with all in hand.
    mapping : {"contrary", "same12", "same0"}, default "contrary"
        The opponent's number of my point p: 25 - p; or p + 12, on a ring: both travel in the same
        direction, half a round apart (Nardy, Fevga, Moultezim, Gul Bara; Verquere after Ludii, or
        contrary as Cotton can be read); or p: both travel the same road (Russian, Tabula).
    dice : {2, 3}, default 2
        Tabula has three.
    doubles : {"four", "plain", "complement", "ascending"}, default "four"
        A doublet n-n is played four times; is two numbers like others (Tabula's three dice know
        no bonus); is followed by 7 - n four times and another roll, if all was played (European
        acey-deucey [ITV, BPN], Russian [GAL]); is followed by n + 1, n + 2 ... 6, four times each
        (Gul Bara).
    plain_turns : int, default 0
        Turns of a player before doublets ascend. Gul Bara: 3, counted for each player (in [QUA]
        for both together).
    on_failure : {"stop", "continue"}, default "stop"
        Whether an ascending doublet goes on after a number that could not be played four times.
    unplayed : {"lost", "opponent"}, default "lost"
        What happens to the rest of an ascending doublet: lost [ITV, TSW], or the opponent plays
        what he can of it and then rolls for his own turn [EIG, QUA].
    complement_entered : bool, default False
        The second half of a doublet is given only when no checker is in hand, looked at when it is
        due. Russian: True [ITVF].
    contact : {"hit", "block1", "pin"}, default "hit"
        A lone opposing checker is hit; or closes the point (Nardy and its relatives); or is pinned
        until the checkers on top have left (Plakoto, Tapa).
    own_limit : int, default 0
        House rule: most checkers of one side on a point; 0 is no limit. [GNU] knew five.
    singles : (int, int), default (0, 0)
        From the first to the second of these own points no two own checkers stand together; (0, 0)
        is nowhere. Verquere: 13 to 23 (Cotton).
    enter_first : int, default 0
        As long as fewer checkers than this have entered, those in hand go before all others.
        Dutch: 15, all of them [GAL]; [P65]: 0. American acey-deucey: 0 [GAL]; [BRI]: 15. Russian: 2
        [OCR]; the page of [GAL] says both. Checkers on the bar always go first.
    hit_gate : {"none", "was_home", "now"}, default "none"
        Nobody hits before one of his checkers has come home: Dutch, "was_home", for good; or only
        while one is at home. Until then a lone opposing checker closes its point.
    pass_gate : bool, default False
        The first checker passes the opponent's start (comes to 11 or lower) before another leaves
        24. Fevga [BRK, GX], Moultezim [TMGM].
    half_gate : bool, default False
        Nothing goes beyond 13 while checkers are in hand. Tabula: True [THE, BA].
    head_limit : int or None, default None
        Most checkers that leave 24 in a turn. Nardy: 1.
    head_exception : {"none", "fixed", "fixed46", "blocked", "doubles"}, default "none"
        When it is one more: in a player's first turn with 3-3, 4-4 or 6-6 (Nardy [TMG, SUG, MOB,
        VOG]); with 4-4 or 6-6; if one checker cannot play the whole roll [MOB]; or with every
        doublet ("crazy Narde").
    prime : {"free", "ahead", "forbidden"}, default "free"
        Six or more points in a row, as the opponent meets them on his road, are allowed; need at
        least one opposing checker that is past them or borne off (Nardy [PLH, SUG]); or are
        forbidden.
    prime_stack : bool, default False
        A prime right before an opponent who has all checkers on one point is forbidden; if it
        stands it must be opened if that is possible. Fevga: True [BRK].
    quarter_limits : (int, int, int, int), default (6, 6, 6, 6)
        Most points that a side may hold on 24-19, 18-13, 12-7 and 6-1. Fevga: (5, 6, 6, 6) [BRK];
        [GX] looks at the opponent's start, (6, 6, 5, 6). Moultezim: (6, 6, 4, 6) [TMGM]; [TB]:
        (6, 6, 6, 5).
    prime_each_step : bool, default False
        The rules about primes and quarters hold after each step, not only at the end of a play.
    bear_off : {"larger", "exact"}, default "larger"
        Whether a number higher than all checkers takes the highest one. European acey-deucey
        [ITV] and Tabula [BA, A4G] are exact.
    bear_off_zone : int, default 6
        Bearing off needs all checkers on this point and below. Tabula: 12 [BA]; [A4G]: 6. A player
        with a pinned checker bears off nothing [GX].
    any_number : bool, default False
        No duty to play the larger number where only one of two can be played.
    finish_early : bool, default False
        The last checker may be borne off with fewer numbers than could be played.
    no_hit_and_run : bool, default False
        A checker that hits at home does not move again in that turn. Tavla: True [TAV]; it goes
        before the duty to play all numbers.
    special_roll : bool, default False
        After 1-2 played in full the player names a doublet, plays it, and rolls again if all was
        played. Acey-deucey.
    strict_forfeit : bool, default False
        A named doublet that cannot be played in full is not played at all [TZF]. By default what
        can be played is played, and there is no further roll.
    extra_turn : {"none", "doubles"}, default "none"
        House rule: after a doublet the same player rolls again.
    extra_turn_forfeit : bool, default False
        ... only if the doublet was played in full.
    max_chain : int, default 32
        Extra rolls in one turn; then the turn ends.
    mother : {"none", "wait", "immediate"}, default "none"
        Plakoto: the last checker on 24 is the mother. Pinned there it loses two points as soon as
        the pinner's own mother has left 24; two pinned mothers are a draw. "immediate": it loses
        at once. Tapa has no such rule [QUA]. With payoff="single" it loses one point.
    john : {"none", "open", "seven"}, default "none"
        Verquere: a player with more checkers on the bar than entering points that the opponent
        leaves open loses two points at once; or with seven or more.
    payoff : str, default "triple"
        What the winner gets. "triple": 1, 2 if the loser has borne off none, 3 if in addition he
        has a checker on the bar, in hand or in the winner's home. "gammon": 1 or 2. "single": 1.
        "men_left": the loser's checkers not borne off, also on the bar and in hand [BA] (acey-
        deucey). "men_on_board": without those in hand, at least 1. "pips": the loser's pips, at
        least 1.
    koks : bool, default False
        Nardy: 3 if the loser has brought no checker home [MOB calls a rare threefold game so; the
        Russian federation knows none].
    equalise : bool, default False
        Nardy: when the player who began has finished, the other has one more turn; if he finishes
        too, the game is a draw.
    cube : bool, default False
        Whether there is a doubling cube.
    opening : {"use", "reroll"}, default "reroll"
        Whether the player who wins the opening roll plays its numbers or rolls both dice.
    next_opening : {"dice", "winner"}, default "dice"
        Who begins later games.

    Raises
    ------
    VariantError
        A value is out of range, or values exclude each other.
    """

    name: str
    start: tuple[tuple[int, int], ...]
    n_checkers: int = 15
    mapping: Direction = "contrary"
    dice: int = 2
    doubles: Doubles = "four"
    plain_turns: int = 0
    on_failure: Literal["stop", "continue"] = "stop"
    unplayed: Unplayed = "lost"
    complement_entered: bool = False
    contact: Contact = "hit"
    own_limit: int = 0
    singles: tuple[int, int] = (0, 0)
    enter_first: int = 0
    hit_gate: HitGate = "none"
    pass_gate: bool = False
    half_gate: bool = False
    head_limit: int | None = None
    head_exception: HeadException = "none"
    prime: Prime = "free"
    prime_stack: bool = False
    quarter_limits: tuple[int, int, int, int] = (6, 6, 6, 6)
    prime_each_step: bool = False
    bear_off: BearOff = "larger"
    bear_off_zone: int = 6
    any_number: bool = False
    finish_early: bool = False
    no_hit_and_run: bool = False
    special_roll: bool = False
    strict_forfeit: bool = False
    extra_turn: ExtraTurn = "none"
    extra_turn_forfeit: bool = False
    max_chain: int = 32
    mother: Mother = "none"
    john: John = "none"
    payoff: Payoff = "triple"
    koks: bool = False
    equalise: bool = False
    cube: bool = False
    opening: Opening = "reroll"
    next_opening: NextOpening = "dice"

    def __post_init__(self) -> None:
        self._check_values()
        for is_wrong, reason in self._exclusions():
            if is_wrong:
                raise VariantError(f"{self.name}: {reason}")
        self.check(self.initial())

    def _exclusions(self) -> tuple[tuple[bool, str], ...]:
        """Pairs (whether it is so, why that cannot be)."""
        hits, pins = self.contact == "hit", self.contact == "pin"
        ascends = self.doubles == "ascending"
        has_head = self.head_limit is not None
        return (
            (self.no_hit_and_run and not hits, "no_hit_and_run needs hits"),
            (self.hit_gate != "none" and not hits, "hit_gate needs hits"),
            (self.john != "none" and not hits, "john needs hits"),
            (self.mother != "none" and not pins, "the mother needs pins"),
            (pins and self.mapping != "contrary", "pins need mapping='contrary'"),
            (self.head_exception != "none" and not has_head, "head_exception needs head_limit"),
            (has_head and hits, "a checker that enters again would count for head_limit twice"),
            (self.dice == 3 and self.doubles != "plain", "three dice need doubles='plain'"),
            (self.dice == 3 and self.extra_turn != "none", "extra turns need two dice"),
            (self.dice == 3 and self.special_roll, "a special roll needs two dice"),
            (self.dice == 3 and self.opening == "use", "an opening roll shows two dice of three"),
            (self.strict_forfeit and not self.special_roll, "strict_forfeit needs special_roll"),
            (
                self.complement_entered and self.doubles != "complement",
                "complement_entered needs doubles='complement'",
            ),
            (self.plain_turns > 0 and not ascends, "plain_turns needs doubles='ascending'"),
            (self.on_failure != "stop" and not ascends, "on_failure needs doubles='ascending'"),
            (
                self.unplayed != "lost" and not (ascends and self.on_failure == "stop"),
                "unplayed='opponent' needs doubles='ascending' and on_failure='stop'",
            ),
            (
                self.extra_turn_forfeit and self.extra_turn == "none",
                "extra_turn_forfeit needs extra_turn='doubles'",
            ),
            (
                self.prime_each_step and not self._has_primes,
                "prime_each_step needs a rule about primes or quarters",
            ),
            (self.koks and self.payoff != "gammon", "koks needs payoff='gammon'"),
        )

    def _choices(self) -> dict[str, tuple[str, ...]]:
        """The values of each field that is a word."""
        types = {
            "mapping": Direction,
            "doubles": Doubles,
            "contact": Contact,
            "hit_gate": HitGate,
            "head_exception": HeadException,
            "prime": Prime,
            "bear_off": BearOff,
            "extra_turn": ExtraTurn,
            "unplayed": Unplayed,
            "on_failure": Literal["stop", "continue"],
            "mother": Mother,
            "john": John,
            "payoff": BoardPayoff,
            "opening": Opening,
            "next_opening": NextOpening,
        }
        return {name: get_args(words) for name, words in types.items()}

    def _ranges(self) -> dict[str, tuple[int, int]]:
        """The least and the largest value of each field that is a number."""
        return {
            "n_checkers": (1, 15),
            "dice": (2, 3),
            "plain_turns": (0, MOST_TURNS),
            "own_limit": (0, 15),
            "enter_first": (0, 15),
            "bear_off_zone": (1, 24),
            "max_chain": (1, 10_000),
        }

    def _check_values(self) -> None:
        if not isinstance(self.name, str) or not self.name.isprintable() or not self.name:
            raise VariantError(f"the name of rules is a text, not {shown(self.name)}")
        choices, ranges = self._choices(), self._ranges()
        for entry in dataclasses.fields(self):
            value = getattr(self, entry.name)
            if entry.type is bool and not isinstance(value, bool):
                raise VariantError(f"{entry.name} is True or False, not {shown(value)}")
            if entry.name in choices and not (
                isinstance(value, str) and value in choices[entry.name]
            ):
                right = ", ".join(choices[entry.name])
                raise VariantError(f"{entry.name} is {shown(value)}; right are {right}")
            if entry.name in ranges:
                whole(entry.name, value, *ranges[entry.name])
        if self.head_limit is not None:
            whole("head_limit", self.head_limit, 0, 15)
        for name, length, low, high in (("singles", 2, 0, 24), ("quarter_limits", 4, 0, 6)):
            values = getattr(self, name)
            if not isinstance(values, tuple) or len(values) != length:
                raise VariantError(f"{name} is a tuple of {length} numbers, not {shown(values)}")
            for value in values:
                whole(f"a number of {name}", value, low, high)
        if not isinstance(self.start, tuple) or not all(
            isinstance(entry, tuple) and len(entry) == 2 for entry in self.start
        ):
            raise VariantError("start is a tuple of pairs (point, checkers)")
        for point, count in self.start:
            whole("a point of start", point, 1, 24)
            whole("a count of start", count, 1, 15)
        if len({point for point, _ in self.start}) < len(self.start):
            raise VariantError("start names a point twice")
        if sum(count for _, count in self.start) > self.n_checkers:
            raise VariantError(f"start has more than {self.n_checkers} checkers")

    @property
    def _has_primes(self) -> bool:
        return self.prime != "free" or self.prime_stack or min(self.quarter_limits) < 6

    @property
    def _counts_turns(self) -> bool:
        return self.plain_turns > 0 or self.head_exception in ("fixed", "fixed46", "blocked")

    @property
    def fears_blots(self) -> bool:
        """Whether something can happen to a lone checker."""
        return self.contact != "block1"

    @property
    def is_standard_board(self) -> bool:
        """Whether a `Board` holds every state: opposite directions, hits, nothing in hand."""
        return (
            self.mapping == "contrary"
            and self.contact == "hit"
            and self.hit_gate == "none"
            and sum(count for _, count in self.start) == self.n_checkers
        )

    @property
    def is_layout(self) -> bool:
        """Whether only the start is another one than in backgammon, as far as plays go."""
        plain = {"name", "start", "n_checkers", "payoff", "cube", "opening", "next_opening"}
        return self.is_standard_board and all(
            getattr(self, entry.name) == entry.default
            for entry in dataclasses.fields(self)
            if entry.name not in plain
        )

    def across(self, point: int) -> int:
        """Return the opponent's number of a point of mine."""
        if self.mapping == "contrary":
            return 25 - point
        return (point + 11) % 24 + 1 if self.mapping == "same12" else point

    @cached_property
    def kernel(self) -> Kernel:
        """The compiled generator with these rules."""
        return self._make_kernel()

    def _make_kernel(self, *, rest_corner: bool = False) -> Kernel:
        return Kernel(
            across=[self.across(point) for point in range(1, 25)],
            contact=get_args(Contact).index(self.contact),
            n_checkers=self.n_checkers,
            own_limit=self.own_limit,
            singles=self.singles,
            enter_first=self.enter_first,
            hit_gate=get_args(HitGate).index(self.hit_gate),
            pass_gate=self.pass_gate,
            half_gate=self.half_gate,
            off_zone=self.bear_off_zone,
            off_exact=self.bear_off == "exact",
            quarter_limits=self.quarter_limits,
            prime_rule=get_args(Prime).index(self.prime),
            prime_stack=self.prime_stack,
            prime_each_step=self.prime_each_step,
            rest_corner=rest_corner,
            hit_stays=self.no_hit_and_run,
            any_number=self.any_number or self.dice == 3,
            finish_early=self.finish_early,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {entry.name: getattr(self, entry.name) for entry in dataclasses.fields(self)}

    def __setstate__(self, fields: dict[str, Any]) -> None:
        self.__dict__.update(fields)

    # -- states --

    def initial(self) -> State:
        """Return the state before the first turn, seen by the player who begins."""
        points = [0] * 24
        for point, count in self.start:
            points[point - 1] = count
        side = Side(tuple(points), hand=self.n_checkers - sum(points))
        return State.of(side._replace(began=self.equalise), side)

    def check(self, state: State) -> None:
        """Refuse a state that cannot come up in this game.

        Raises
        ------
        VariantError
            With the reason.
        """
        self._expect_state(state)
        self._check_sides(state.own, state.opponent)

    def _check_sides(self, own: Side, opp: Side) -> None:
        for who, side in (("the player on roll", own), ("the opponent", opp)):
            if side.n_checkers != self.n_checkers:
                raise VariantError(f"{who} has {side.n_checkers} checkers, not {self.n_checkers}")
            if side.bar and self.contact != "hit":
                raise VariantError(f"{who} has checkers on the bar in a game without hits")
            if side.hand and sum(count for _, count in self.start) == self.n_checkers:
                raise VariantError(f"{who} has checkers in hand in a game that starts without")
        if own.off == self.n_checkers and opp.off == self.n_checkers and not self.equalise:
            raise VariantError("both sides have borne off everything")
        for point in range(1, 25):
            mine, theirs = own.points[point - 1], opp.points[self.across(point) - 1]
            below = [
                count
                for count, is_pinned in (
                    (mine, point in own.pinned),
                    (theirs, self.across(point) in opp.pinned),
                )
                if is_pinned
            ]
            if below != ([1] if mine and theirs else []):
                raise VariantError(f"both sides, or a pin that is none, on point {point}")
        if (own.pinned or opp.pinned) and self.contact != "pin":
            raise VariantError("a pin in a game without pins")
        self._check_score(own, opp)

    def _check_score(self, own: Side, opp: Side) -> None:
        if any(own.score) or any(opp.score):
            raise VariantError(f"points or holes in {self.name}, where nothing is marked")

    def check_all(self, states: Sequence[State]) -> None:
        """Refuse states of which one cannot come up in this game; fast for many.

        Raises
        ------
        VariantError
            With the reason, of the first one.
        """
        cells = np.frombuffer(b"".join(state.cells for state in states), np.uint8)
        self.check_states(cells.reshape(len(states), -1))

    def check_states(self, states: NDArray[np.uint8]) -> None:
        """Refuse states of which one cannot come up in this game; fast for many.

        Parameters
        ----------
        states : (N, 64) uint8 array
            The bytes of `State.cells`.

        Raises
        ------
        VariantError
            With the reason, of the first one.
        """
        sides = states.reshape(-1, 2, SIDE_BYTES)
        n_checkers = sides[:, :, : HAND + 1].sum(axis=2, dtype=np.int64)
        across = [self.across(point) for point in range(1, 25)]
        # what is special may be right: that is for the slow check to say
        doubtful = (n_checkers != self.n_checkers).any(axis=1)
        doubtful |= (sides[:, :, 0] == self.n_checkers).all(axis=1)
        doubtful |= ((sides[:, 0, 1:25] > 0) & (sides[:, 1, across] > 0)).any(axis=1)
        doubtful |= sides[:, :, FLAGS_CELL + 1 :].any(axis=(1, 2))
        if self.contact != "hit":
            doubtful |= sides[:, :, BAR].any(axis=1)
        if sum(count for _, count in self.start) == self.n_checkers:
            doubtful |= sides[:, :, HAND].any(axis=1)
        for cells in states[doubtful]:
            self.check(State(cells.tobytes()))

    # -- turns --

    def begin(self) -> Turn:
        """Return the turn of the player who begins: he rolls."""
        return Turn((ROLL,))

    def rolled(self, state: State, turn: Turn, dice: Sequence[int]) -> Turn:
        """Return the turn after a roll of the dice.

        Raises
        ------
        VariantError
            There is nothing to roll now.
        DiceError
        """
        self._expect_state(state)
        self._expect(turn, "roll")
        numbers = self._read_dice(dice)
        rolls = turn.rolls + 1
        items = self._program(state, numbers)
        return Turn(
            self._without_more_rolls(items, rolls) + turn.items[1:],
            head_limit=self._head_limit(state, numbers),
            rolls=rolls,
        )

    def _read_dice(self, dice: Sequence[int]) -> tuple[int, ...]:
        """Return the numbers of a roll, the largest first."""
        numbers = list(dice) if isinstance(dice, Iterable) else []
        if len(numbers) != self.dice or not all(
            isinstance(n, (int, np.integer)) and not isinstance(n, bool) and 1 <= n <= 6
            for n in numbers
        ):
            raise DiceError(
                f"{self.name} is played with {self.dice} dice, 1 to 6, not {shown(dice)}"
            )
        return tuple(sorted(map(int, numbers), reverse=True))

    def _without_more_rolls(self, items: tuple[TurnItem, ...], rolls: int) -> tuple[TurnItem, ...]:
        if rolls <= self.max_chain:
            return items
        return tuple(item for item in items if item.kind == "play")

    def _program(self, state: State, numbers: tuple[int, ...]) -> tuple[TurnItem, ...]:
        """What a roll gives to do."""
        high = numbers[0]
        if self.special_roll and set(numbers) == {1, 2}:
            return TurnItem("play", numbers), TurnItem("choose", needs_all=True)
        if self.dice == 3 or len(set(numbers)) > 1 or self.doubles == "plain":
            items: tuple[TurnItem, ...] = (TurnItem("play", numbers),)
        else:
            items = self._doublet(high, state.cells[FLAGS_CELL] // TURNS & 3)
        if self.extra_turn == "doubles" and len(set(numbers)) == 1:
            # in place of a roll that the game gives already
            items = tuple(item for item in items if item.kind == "play")
            items += (TurnItem("roll", needs_all=self.extra_turn_forfeit),)
        return items

    def _doublet(self, number: int, turns: int) -> tuple[TurnItem, ...]:
        first = TurnItem("play", (number,) * 4)
        if self.doubles == "complement":
            second = TurnItem(
                "play", (7 - number,) * 4, needs_all=True, entered=self.complement_entered
            )
            return first, second, TurnItem("roll", needs_all=True)
        if self.doubles == "ascending" and turns >= self.plain_turns:
            stops = self.on_failure == "stop"
            passes = self.unplayed == "opponent"
            return tuple(
                TurnItem("play", (n,) * 4, needs_all=stops and n > number, passes=passes)
                for n in range(number, 7)
            )
        return (first,)

    def _head_limit(self, state: State, numbers: tuple[int, ...]) -> int | None:
        if self.head_limit is None or self.head_exception == "none":
            return self.head_limit
        is_double = len(set(numbers)) == 1
        is_first = state.cells[FLAGS_CELL] // TURNS & 3 == 0
        if self.head_exception == "doubles":
            more = is_double
        elif self.head_exception == "blocked":
            numbers = numbers * 2 if is_double and self.doubles != "plain" else numbers
            n_steps = self.kernel.plays(state.cells, numbers, head_limit=self.head_limit)[2]
            more = is_first and (not len(n_steps) or int(n_steps[0]) < len(numbers))
        else:
            which = (3, 4, 6) if self.head_exception == "fixed" else (4, 6)
            more = is_first and is_double and numbers[0] in which
        return self.head_limit + more

    def chosen(self, turn: Turn, number: int) -> Turn:
        """Return the turn after a doublet was named (acey-deucey).

        Raises
        ------
        VariantError
            There is nothing to choose now.
        DiceError
        """
        self._expect(turn, "choose")
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= 6:
            raise DiceError(f"the doublet is {shown(number)}; it is named by a number from 1 to 6")
        items = self._doublet(number, 0)
        if self.strict_forfeit:
            items = tuple(
                item._replace(whole=True) if item.kind == "play" else item for item in items
            )
        if items[-1].kind != "roll":
            items += (TurnItem("roll", needs_all=True),)
        return dataclasses.replace(
            turn, items=self._without_more_rolls(items, turn.rolls) + turn.items[1:]
        )

    def marked(self, state: State, turn: Turn) -> tuple[State, Turn]:
        """Return state and turn after the points of a roll were marked (trictrac).

        Ask `result` then: they may have won the game.

        Raises
        ------
        VariantError
            There is nothing to mark now.
        """
        self._expect(turn, "mark")
        raise VariantError(f"nothing is marked in {self.name}")

    def stayed(self, turn: Turn) -> Turn:
        """Return the turn of a player who could leave and stays (trictrac).

        Raises
        ------
        VariantError
            There is no such choice now.
        """
        self._expect(turn, "leave")
        raise VariantError(f"nobody leaves in {self.name}")

    def left(self, state: State, turn: Turn) -> tuple[State, Turn]:
        """Return state and turn after a player has left (trictrac): all is set up again.

        Raises
        ------
        VariantError
            Nobody may leave now.
        """
        self._expect(turn, "leave")
        raise VariantError(f"nobody leaves in {self.name}")

    def state_of_roll(self, state: State, turn: Turn) -> State:
        """Return the state in which the dice were rolled, before any step of the play.

        Where a roll changes nothing by itself that is the state as it is.
        """
        return state

    def plays(self, state: State, turn: Turn) -> VariantPlays:
        """Return all legal plays of the numbers `turn.numbers`.

        Also in the middle of a play, after some steps. The state is not checked: see `check`.

        Raises
        ------
        VariantError
            There is nothing to play now.
        """
        self._expect_state(state)
        self._expect(turn, "play")
        item = turn.items[0]
        states, steps, n_steps = self.kernel.plays(
            state.cells, item.numbers, head_limit=turn.head_limit, heads=turn.heads, stay=turn.stay
        )
        if item.whole and len(n_steps) and n_steps[0] < len(item.numbers):
            states, steps, n_steps = states[:0], steps[:0], n_steps[:0]
        return VariantPlays(state, states, steps, n_steps)

    def played(self, state: State, turn: Turn, play: VariantPlay) -> tuple[State, Turn]:
        """Return state and turn after one of the legal plays, which is not checked again.

        The state is seen by the mover.
        """
        self._expect(turn, "play")
        left = self._numbers_left(turn, play)
        turn = self._remember(turn, play.steps)
        return play.state, self._go_on(play.state, turn, left)

    def steps(self, state: State, turn: Turn) -> list[VariantPlay]:
        """List the single steps that may be made now so that the play can still be completed.

        Each as a play of one step, with the state after it. Empty when nothing (more) can be
        played: then finish with `played` and a play without steps, ``VariantPlay((), state)``.
        """
        self._expect_state(state)
        self._expect(turn, "play")
        item = turn.items[0]
        if item.whole and not self.plays(state, turn)[0].steps:
            return []
        found = self.kernel.next_steps(
            state.cells, item.numbers, head_limit=turn.head_limit, heads=turn.heads, stay=turn.stay
        )
        return [
            VariantPlay((Step(start, end, number, EFFECTS[effect]),), State(after))
            for start, end, number, effect, after in found
        ]

    def stepped(self, state: State, turn: Turn, step: VariantPlay) -> tuple[State, Turn]:
        """Return state and turn after one of `steps`, which is not checked again.

        The play is not finished by this: see `steps`.
        """
        self._expect(turn, "play")
        left = self._numbers_left(turn, step)
        turn = self._remember(turn, step.steps)
        item = turn.items[0]._replace(numbers=left, whole=False)
        return step.state, dataclasses.replace(turn, items=(item, *turn.items[1:]))

    def _numbers_left(self, turn: Turn, play: VariantPlay) -> tuple[int, ...]:
        """The numbers to be played that a play does not use."""
        if not isinstance(play, VariantPlay):
            raise VariantError(f"a play is one of rules.plays(state, turn), not {shown(play)}")
        left = list(turn.numbers)
        for step in play.steps:
            if step.number not in left:
                raise VariantError(f"{play} is none of the plays of {turn.numbers}")
            left.remove(step.number)
        return tuple(left)

    def _remember(self, turn: Turn, steps: Sequence[Step]) -> Turn:
        """Keep what matters for the rest of the turn."""
        if turn.head_limit is not None:
            heads = turn.heads + sum(step.start == 24 for step in steps)
            turn = dataclasses.replace(turn, heads=heads)
        if self.no_hit_and_run:
            hits = {step.end for step in steps if step.effect == "hit" and step.end <= 6}
            if hits:
                turn = dataclasses.replace(turn, stay=tuple(sorted(hits.union(turn.stay))))
        return turn

    def _go_on(self, state: State, turn: Turn, left: tuple[int, ...]) -> Turn:
        """Drop the play that was made, and what cannot follow it."""
        items = turn.items[1:]
        passed = turn.passed
        if left and turn.items[0].passes:
            rest = [item.numbers for item in items if item.passes]
            passed += (left, *rest)
        if left:
            items = tuple(item for item in items if not item.needs_all)
        while items and items[0].entered and state.cells[HAND]:
            items = items[1:]
        changes: dict[str, Any] = {"items": items, "passed": passed}
        if not items or items[0].kind != "play":
            # What was remembered ends with the plays of a roll.
            changes |= {"heads": 0, "stay": ()}
        return dataclasses.replace(turn, **changes)

    def end_turn(self, state: State, turn: Turn) -> tuple[State, Turn]:
        """Return the state seen by the other side, and its turn.

        He rolls; before that he plays what was passed on to him.
        """
        self._expect_state(state)
        self._expect(turn, "end")
        if self._counts_turns:
            cells = bytearray(state.cells)
            if cells[FLAGS_CELL] // TURNS & 3 < MOST_TURNS:
                cells[FLAGS_CELL] += TURNS
            state = dataclasses.replace(state, cells=bytes(cells))
        items = tuple(TurnItem("play", numbers) for numbers in turn.passed)
        return state.swapped(), Turn((*items, ROLL), head_limit=self.head_limit)

    def _expect(self, turn: Turn, todo: Todo) -> None:
        if not isinstance(turn, Turn):
            raise VariantError(f"a turn is a Turn, such as rules.begin(), not {shown(turn)}")
        if turn.todo != todo:
            raise VariantError(f"the turn must go on with {turn.todo!r}, not with {todo!r}")

    def _expect_state(self, state: State) -> None:
        if not isinstance(state, State):
            raise VariantError(f"a state is a State, such as State.parse(text), not {shown(state)}")

    # -- the end --

    def result(self, state: State) -> int | None:
        """Return what the player who has just played has won; None while the game goes on.

        A game in which neither side can ever move again is a draw: in Tapa both last checkers
        can lie pinned. No rule text speaks of it.

        Parameters
        ----------
        state : State
            After a play, seen by the mover.

        Returns
        -------
        int or None
            Points, before any cube; negative if the mover has lost, 0 for a draw.
        """
        self._expect_state(state)
        cells = state.cells
        all_off = cells[0] == self.n_checkers
        if self.equalise and cells[SIDE_BYTES] == self.n_checkers:
            # The player who began has finished; this was the last turn.
            return 0 if all_off else -self._value(state.opponent, state.own)
        if all_off:
            if self.equalise and cells[FLAGS_CELL] & BEGAN:
                return None
            return self._value(state.own, state.opponent)
        if self.john != "none" and cells[SIDE_BYTES + BAR] and self._is_john(state):
            return 2
        if self.mother != "none":
            points = self._mothers(state)
            if points is not None:
                return points
        if self.kernel.can_move(cells) or self.kernel.can_move(state.swapped().cells):
            return None
        return 0

    def is_over(self, state: State) -> bool:
        """Tell whether nothing is to be played in a state, whoever played last."""
        return self.result(state) is not None or self.result(state.swapped()) is not None

    def most_lost(self, state: State) -> int:
        """Return the most points that the player on roll can still lose, and may resign.

        0 where games are not counted so: in acey-deucey each checker counts, and nobody resigns.
        """
        most = {"single": 1, "gammon": 2, "triple": 3}.get(self.payoff, 0)
        if not most:
            return 0
        if self.koks:
            most = 3
        if state.cells[0]:
            most = 1
        if self.mother != "none":
            return max(most, self._most_of_mother)
        return max(most, 2) if self.john != "none" else most

    def _is_john(self, state: State) -> bool:
        """Whether the opponent has more checkers on the bar than he can enter."""
        own = state.own
        on_bar = state.opponent.bar
        if self.john == "seven":
            return on_bar >= 7
        closed = sum(n > 1 and self.across(point) >= 19 for point, n in enumerate(own.points, 1))
        return on_bar > 6 - closed

    def _mothers(self, state: State) -> int | None:
        if not any(state.cells[28:SIDE_BYTES]) and not any(state.cells[SIDE_BYTES + 28 :]):
            return None
        own, opp = state.own, state.opponent
        mine, his = 24 in own.pinned, 24 in opp.pinned
        points = self._most_of_mother
        if self.mother == "immediate":
            return points if his else -points if mine else None
        if mine and his:
            return 0
        if his and not own.points[23]:
            return points
        if mine and not opp.points[23]:
            return -points
        return None

    @property
    def _most_of_mother(self) -> int:
        """What a pinned mother loses."""
        return 1 if self.payoff == "single" else 2

    def _value(self, winner: Side, loser: Side) -> int:
        left = self.n_checkers - loser.off
        if self.payoff == "men_left":
            return left
        if self.payoff == "men_on_board":
            return max(left - loser.hand, 1)
        if self.payoff == "pips":
            return max(loser.pips, 1)
        if self.payoff == "single" or loser.off:
            return 1
        if self.koks and not any(loser.points[:6]):
            return 3
        if self.payoff == "gammon":
            return 2
        far = any(loser.points[self.across(point) - 1] for point in range(1, 7))
        return 3 if loser.bar or loser.hand or far else 2


def whole(name: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise VariantError(f"{name} is a whole number from {low} to {high}, not {shown(value)}")
