"""The other games of this board on the command line: variants, plays and perft of a game."""

import re
import time
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from bgcore._core.movegen import perft as count_nodes
from bgcore.board import Board
from bgcore.checks import counted
from bgcore.cli.interrupt import ctrl_c_ends
from bgcore.cli.printing import print_json, print_text
from bgcore.cli.reading import Json, UsageError, plain_name
from bgcore.errors import AmbiguousVariantError, DiceError, VariantError
from bgcore.ids.any_id import read_id
from bgcore.variants import (
    DESCRIPTIONS,
    VARIANTS,
    State,
    TrictracTurn,
    Turn,
    VariantRules,
    variant,
    variant_options,
)
from bgcore.variants import perft as count_variant_nodes

__all__ = [
    "Rule",
    "VariantName",
    "is_dice",
    "perft_of_variant",
    "plays_of_variant",
    "read_rules",
    "read_state",
    "variants",
]

#: How a state begins; no ID has a slash after this.
_STATE = re.compile(
    r"\s*(?:(?:[0-9]{1,2}|bar|hand|off|turns|marked|holes):|(?:home|began|bredouille|flag)\b|/)"
)
_VARIANT_DICE = re.compile(r"[0-9]{2,3}|[0-9](?:[-, ][0-9]){1,2}")

VariantName = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Another game of this board; bgcore variants lists them."),
]
Rule = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="With --variant: change a rule, such as head_limit=2. Can be given often.",
    ),
]


def variants(as_json: Json = False) -> None:
    """List the games of this board."""
    if as_json:
        print_json(
            {
                "variants": [
                    {
                        "name": name,
                        "description": DESCRIPTIONS[name].splitlines(),
                        "dice": rules.dice,
                        "n_checkers": rules.n_checkers,
                        "start": str(rules.initial()),
                        "cube": rules.cube,
                        "payoff": rules.payoff,
                        "options": variant_options(name),
                    }
                    for name, rules in VARIANTS.items()
                ]
            }
        )
        return
    for name in VARIANTS:
        print_text(name)
        for line in DESCRIPTIONS[name].splitlines():
            print_text(f"    {line}")


def read_rules(name: str, changes: Sequence[str] | None) -> VariantRules:
    """Return the rules of a game with changes such as head_limit=2."""
    options: dict[str, Any] = {}
    for text in changes or ():
        option, equals, value = text.partition("=")
        if not equals or not option or not value:
            raise UsageError(f"--rule is NAME=VALUE, such as head_limit=2, not {text!r}")
        if option in options:
            raise UsageError(f"--rule {option} is given twice")
        # head_limit alone can be None; others have a value of the name "none"
        is_none = option == "head_limit" and value.lower() == "none"
        options[option] = None if is_none else _value(value)
    try:
        return variant(plain_name(name), **options)
    except AmbiguousVariantError as error:
        first, *others = str(error).splitlines()
        raise VariantError(f"{first} {'; '.join(line.strip() for line in others)}") from None


def _value(text: str) -> Any:
    """Read 5, true, a word, 6,6,4,6 or 24:2,13:5."""
    words = {"true": True, "false": False}
    if re.fullmatch(r"[0-9]{1,9}", text):
        return int(text)
    if re.fullmatch(r"[0-9]{1,3}(,[0-9]{1,3})+", text):
        return tuple(int(number) for number in text.split(","))
    if re.fullmatch(r"[0-9]{1,3}:[0-9]{1,3}(,[0-9]{1,3}:[0-9]{1,3})*", text):
        pairs = (pair.split(":") for pair in text.split(","))
        return tuple((int(point), int(count)) for point, count in pairs)
    return words.get(text.lower(), text)


def read_state(rules: VariantRules, text: str) -> State:
    """Return the state that a text of a state or, where a board holds it, an ID means."""
    text = plain_name(text)
    if "/" in text and _STATE.match(text):
        state = State.parse(text)
    elif rules.is_standard_board:
        state = State.from_board(Board(read_id(text).cells, n_checkers=rules.n_checkers))
    else:
        raise VariantError(
            f"{text!r} is no state; the game {rules.name} begins with {str(rules.initial())!r}"
        )
    rules.check(state)
    return state


def is_dice(text: str) -> bool:
    """Tell whether an argument is a roll of two or three dice, rather than a state."""
    return _VARIANT_DICE.fullmatch(text) is not None


def plays_of_variant(
    name: str, changes: Sequence[str] | None, arguments: Sequence[str], as_json: bool
) -> None:
    """List every legal play of a roll in another game."""
    rules = read_rules(name, changes)
    dice = [text for text in arguments if is_dice(text)]
    states = [text for text in arguments if not is_dice(text)]
    if len(dice) != 1:
        raise UsageError(
            "give one roll after the state, such as 31" + (" or 315" if rules.dice == 3 else "")
        )
    if len(states) > 1:
        raise UsageError("this command takes one state, in quotes")
    state = read_state(rules, states[0]) if states else rules.initial()
    if rules.is_over(state):
        raise VariantError(f"{str(state)!r}: the game is over")
    numbers = tuple(int(letter) for letter in dice[0] if letter.isdigit())
    if len(numbers) != rules.dice:
        raise DiceError(f"{rules.name} is played with {rules.dice} dice, not with {dice[0]!r}")
    turn = rules.rolled(state, rules.begin(), numbers)
    jans = turn.jans if isinstance(turn, TrictracTurn) else None
    found, turn = _legal(rules, state, turn)
    then = [_later(item.kind, item.numbers) for item in turn.items[1:]]
    if as_json:
        plays: list[dict[str, Any]] = [{"play": text, "state": str(after)} for text, after in found]
        if rules.is_standard_board:
            for entry, (_, after) in zip(plays, found, strict=True):
                board = after.to_board()
                entry["board"] = board.to_list()
                entry["position_id"] = board.swapped().position_id
        print_json(
            {
                "variant": rules.name,
                "state": str(state),
                "dice": numbers,
                "numbers": turn.numbers,
                "then": then,
                "count": len(found),
                "plays": plays,
                **({} if jans is None else {"jans": [jan._asdict() for jan in jans]}),
            }
        )
        return
    later = f"; if all is played, then {', '.join(then)}" if then else ""
    shown = "-".join(map(str, numbers))
    print_text(f"{rules.name}: {state}  {shown}{later}")
    for jan in jans or ():
        print_text(f"{'the opponent' if jan.is_opponents else 'the player on roll'} marks: {jan}")
    if not turn.items:
        print_text("the points win the game before anything is played")
        return
    print_text(counted(len(found), "legal play") if found else "no legal play")
    for text, _ in found:
        print_text(text)


def _legal(rules: VariantRules, state: State, turn: Turn) -> tuple[list[tuple[str, State]], Turn]:
    """Return the legal plays as texts, with the states after them, seen by the mover; and the turn.

    In trictrac the points of the roll are marked first, and nobody leaves.
    """
    if turn.todo == "mark":
        state, turn = rules.marked(state, turn)
        if rules.is_over(state):
            return [], Turn(())
    if turn.todo == "leave":
        turn = rules.stayed(turn)
    return _legal_plays(rules, state, turn), turn


def _legal_plays(rules: VariantRules, state: State, turn: Turn) -> list[tuple[str, State]]:
    if rules.is_layout:
        # the standard generator, whose notation everybody knows
        legal = state.to_board().legal_plays(turn.numbers[:2])
        if legal.is_dance:
            return []
        boards = (Board(cells, n_checkers=rules.n_checkers) for cells in legal.boards)
        return [
            (str(play), State.from_board(board)) for play, board in zip(legal, boards, strict=True)
        ]
    return [(str(play), play.state) for play in rules.plays(state, turn) if play.steps]


def _later(kind: str, numbers: Sequence[int]) -> str:
    if kind == "play":
        return " ".join(map(str, numbers))
    return {"choose": "a doublet is named", "roll": "another roll"}[kind]


def perft_of_variant(
    name: str,
    changes: Sequence[str] | None,
    depth: int,
    position: str | None,
    weighted: bool,
    as_json: bool,
) -> None:
    """Count the nodes of the tree of rolls and plays of another game."""
    rules = read_rules(name, changes)
    state = rules.initial() if position is None else read_state(rules, position)
    start = time.perf_counter()
    with ctrl_c_ends():
        if rules.is_layout:
            nodes = count_nodes(state.to_board(), depth, weighted=weighted)
        else:
            nodes = count_variant_nodes(rules, depth, state=state, weighted=weighted)
    seconds = time.perf_counter() - start
    if as_json:
        print_json(
            {
                "variant": rules.name,
                "state": str(state),
                "depth": depth,
                "weighted": weighted,
                "nodes": nodes,
                "seconds": seconds,
            }
        )
        return
    rolls = "all ordered rolls" if weighted else "different rolls"
    print_text(f"depth {depth}, {rolls}: {counted(nodes, 'node')} in {seconds:.2f} s")
