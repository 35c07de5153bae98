"""What players do in a game: small immutable values with one text form each.

The texts stand in records of games: `roll 3-1`, `double`, `take`, `drop`, `beaver`, `raccoon`,
`play 8/5 6/5`, `step 8/5`, `pass`, `resign gammon`, `accept`, `refuse`. Two more are no player's
right, but happen at the table and stand in records: `irregular 8/5 6/4` and `settle 0 2`.
"""

import re
from dataclasses import dataclass

from bgcore.checks import shown, whole_number
from bgcore.errors import GameError, InvalidPlayError, RecordError
from bgcore.notation import BAR, NO_PLAY, OFF, Play, read_moves
from bgcore.rolls import Dice, parse_dice
from bgcore.scoring import WinKind

__all__ = [
    "Accept",
    "Action",
    "Beaver",
    "Double",
    "Drop",
    "Irregular",
    "MakePlay",
    "MakeStep",
    "Pass",
    "Raccoon",
    "Refuse",
    "Resign",
    "Roll",
    "Settle",
    "Take",
    "parse_action",
]


@dataclass(frozen=True, slots=True)
class Action:
    """Base of all actions."""

    def __str__(self) -> str:
        return type(self).__name__.lower()


@dataclass(frozen=True, slots=True)
class Roll(Action):
    """Roll the dice.

    Parameters
    ----------
    dice : str or pair of int, optional
        What was thrown, where the user supplies the dice. In the opening roll the die of player 0
        comes first.
    """

    dice: tuple[int, int] | None = None

    def __init__(self, dice: Dice | None = None) -> None:
        object.__setattr__(self, "dice", None if dice is None else parse_dice(dice))

    def __str__(self) -> str:
        return "roll" if self.dice is None else f"roll {self.dice[0]}-{self.dice[1]}"


@dataclass(frozen=True, slots=True)
class Double(Action):
    """Offer to double the stake."""


@dataclass(frozen=True, slots=True)
class Take(Action):
    """Accept a double, a beaver or a raccoon."""


@dataclass(frozen=True, slots=True)
class Drop(Action):
    """Refuse it and lose the game at the stake before it."""


@dataclass(frozen=True, slots=True)
class Beaver(Action):
    """Take a double (or a raccoon), turn the cube once more and keep it."""


@dataclass(frozen=True, slots=True)
class Raccoon(Action):
    """Answer a beaver by one more turn of the cube; the other side keeps it."""


@dataclass(frozen=True, slots=True)
class MakePlay(Action):
    """Play the whole roll.

    Parameters
    ----------
    play : Play or str
        A text is read leniently when the play is made, see `Plays`.
    """

    play: Play | str

    def __post_init__(self) -> None:
        if not isinstance(self.play, (Play, str)):
            raise InvalidPlayError(
                f"a play is one of the legal plays, or a text such as '8/5 6/5', not"
                f" {shown(self.play)}"
            )

    def __str__(self) -> str:
        return f"play {self.play}"


@dataclass(frozen=True, slots=True)
class MakeStep(Action):
    """Move one checker by one die.

    Parameters
    ----------
    start, to : int
        Points as the mover counts them; 25 is the bar, 0 is off.
    die : int, optional
        Which die is used, where two fit; the exact one if not given.
    """

    start: int
    to: int
    die: int | None = None

    def __str__(self) -> str:
        start = "bar" if self.start == BAR else self.start
        to = "off" if self.to == OFF else self.to
        return f"step {start}/{to}" + ("" if self.die is None else f" by {self.die}")


@dataclass(frozen=True, slots=True)
class Pass(Action):
    """Give up the turn without rolling, where no roll could move a checker."""


@dataclass(frozen=True, slots=True)
class Irregular(Action):
    """Play the roll against the rules, and the opponent lets it stand.

    A play stands once the opponent has rolled or doubled (World Backgammon Federation, tournament
    rules 2.1: illegal plays may be condoned). The checkers named must be there, and no point held
    by the opponent is landed on; they may even have moved backwards.

    Parameters
    ----------
    moves : Play or str
        The checkers moved. An empty play is a turn given up though something could be played.
    """

    moves: Play

    def __init__(self, moves: Play | str) -> None:
        if isinstance(moves, Play):
            moved = [(start, to) for start, to, _ in moves.steps]
        else:
            moved = read_moves(moves) or []
        object.__setattr__(self, "moves", Play.against_rules(moved))

    def __str__(self) -> str:
        # each move apart: where a checker touches down tells whom it hits
        moves = " ".join(
            str(Play.against_rules([(start, to)])) for start, to, _ in self.moves.steps
        )
        return f"irregular {moves or NO_PLAY}"


@dataclass(frozen=True, slots=True)
class Resign(Action):
    """Offer to lose the game.

    Parameters
    ----------
    kind : WinKind or int
        1 single, 2 gammon, 3 backgammon.
    """

    kind: WinKind

    def __init__(self, kind: int = WinKind.SINGLE) -> None:
        try:
            number = whole_number(kind, "a resignation", 1, 3, GameError)
        except GameError:
            raise GameError(
                f"a resignation is 1 (single), 2 (gammon) or 3 (backgammon), not {shown(kind)}"
            ) from None
        object.__setattr__(self, "kind", WinKind(number))

    def __str__(self) -> str:
        return f"resign {self.kind.name.lower()}"


@dataclass(frozen=True, slots=True)
class Accept(Action):
    """Accept a resignation."""


@dataclass(frozen=True, slots=True)
class Refuse(Action):
    """Refuse a resignation; the game goes on."""


@dataclass(frozen=True, slots=True)
class Settle(Action):
    """End the game with a result that no play, drop or resignation brought about.

    By agreement of the players, by a ruling, on time, or because a record tells the result only.

    Parameters
    ----------
    winner : {0, 1}
    points : int
        What he gets; 0 or more.
    """

    winner: int
    points: int

    def __init__(self, winner: int, points: int) -> None:
        if type(winner) is not int or winner not in (0, 1):
            raise GameError(f"the winner is 0 or 1, not {shown(winner)}")
        if type(points) is not int or not 0 <= points <= _MOST_POINTS:
            raise GameError(
                f"a game is settled for 0 to {_MOST_POINTS} points, a whole number, not {shown(points)}"
            )
        object.__setattr__(self, "winner", winner)
        object.__setattr__(self, "points", points)

    def __str__(self) -> str:
        return f"settle {self.winner} {self.points}"


#: No stake is larger: three times the largest cube.
_MOST_POINTS = 3 << 30

_PLAIN: dict[str, type[Action]] = {
    kind.__name__.lower(): kind
    for kind in (Double, Take, Drop, Beaver, Raccoon, Pass, Accept, Refuse)
}
_SETTLEMENT = re.compile(r"([01]) ([0-9]{1,10})")
_POINT = r"1[0-9]|2[0-4]|[1-9]"
_STEP = re.compile(rf"(bar|{_POINT})/(off|{_POINT})(?: by ([1-6]))?")


def parse_action(text: str) -> Action:
    """Return the action of a text, see the top of the module.

    Raises
    ------
    RecordError
        The text is none of the forms.
    DiceError
        The dice of a roll cannot be read.
    InvalidPlayError, GameError
        What an irregular play or a settlement says cannot be.

    Examples
    --------
    >>> parse_action("resign gammon")
    Resign(kind=<WinKind.GAMMON: 2>)
    """
    if not isinstance(text, str):
        raise RecordError(f"an action is a text, not {shown(text)}")
    word, _, rest = text.strip().partition(" ")
    if word in _PLAIN and not rest:
        return _PLAIN[word]()
    if word == "roll":
        return Roll(rest or None)
    if word == "play" and rest:
        return MakePlay(rest)
    if word == "resign" and rest.upper() in WinKind.__members__:
        return Resign(WinKind[rest.upper()])
    if word == "irregular" and rest:
        return Irregular(rest)
    if word == "settle" and (match := _SETTLEMENT.fullmatch(rest)):
        return Settle(int(match[1]), int(match[2]))
    if word == "step" and (match := _STEP.fullmatch(rest)):
        start = BAR if match[1] == "bar" else int(match[1])
        to = OFF if match[2] == "off" else int(match[2])
        return MakeStep(start, to, None if match[3] is None else int(match[3]))
    raise RecordError(
        f"{shown(text)} is no action; right are forms such as 'roll 3-1', 'play 8/5 6/5', 'double',"
        " 'take', 'drop', 'resign gammon', 'accept'"
    )
