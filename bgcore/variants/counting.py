"""Counts of the tree of rolls and plays."""

from bgcore.variants.rules import VariantRules, whole
from bgcore.variants.states import State
from bgcore.variants.turns import Turn

__all__ = ["perft"]


def _rolls(n_dice: int) -> list[tuple[tuple[int, ...], int]]:
    """Every roll with its weight among all ordered rolls."""
    rolls: dict[tuple[int, ...], int] = {}
    for i in range(6**n_dice):
        numbers = tuple(sorted((i // 6**k % 6 + 1 for k in range(n_dice)), reverse=True))
        rolls[numbers] = rolls.get(numbers, 0) + 1
    return sorted(rolls.items())


def _after_roll(
    rules: VariantRules, state: State, turn: Turn, dice: tuple[int, ...]
) -> set[tuple[State, Turn]]:
    """The distinct ends of everything that one roll gives to do."""
    open_: set[tuple[State, Turn]] = {(state, rules.rolled(state, turn, dice))}
    done: set[tuple[State, Turn]] = set()
    while open_:
        now, to_do = open_.pop()
        if rules.result(now) is not None:
            done.add((now, Turn(())))
        elif to_do.todo == "mark":
            open_.add(rules.marked(now, to_do))
        elif to_do.todo == "leave":
            open_ |= {rules.left(now, to_do), (now, rules.stayed(to_do))}
        elif to_do.todo == "choose":
            open_ |= {(now, rules.chosen(to_do, n)) for n in range(1, 7)}
        elif to_do.todo == "play":
            open_ |= {rules.played(now, to_do, play) for play in rules.plays(now, to_do)}
        elif to_do.todo == "roll":
            done.add((now, Turn(to_do.items, rolls=to_do.rolls)))
        else:
            done.add((now, Turn((), passed=to_do.passed)))
    return done


def perft(
    rules: VariantRules,
    depth: int,
    *,
    state: State | None = None,
    weighted: bool = False,
) -> int:
    """Count the nodes of the tree of rolls and distinct plays.

    A node is a state after everything that one roll gives to do, a named doublet included; another
    roll of the same player is a ply of its own. A roll without a legal play counts one node. A
    finished game has no children.

    Parameters
    ----------
    rules : VariantRules
    depth : int
        Rolls; 0 is one node.
    state : State, optional
        Where to begin; by default the start of the game.
    weighted : bool, default False
        Count every roll as often as it comes among all ordered rolls.

    Raises
    ------
    VariantError
    """
    whole("depth", depth, 0, 8)
    root = rules.initial() if state is None else state
    rules.check(root)
    rolls = _rolls(rules.dice)

    def below(state: State, turn: Turn, depth: int) -> int:
        if depth == 0:
            return 1
        if turn.todo == "play":
            # what the opponent passed on comes before the roll
            ends: set[tuple[State, Turn]] = {
                rules.played(state, turn, play) for play in rules.plays(state, turn)
            }
            return sum(below(*end, depth) for end in ends if rules.result(end[0]) is None)
        count = 0
        for dice, weight in rolls:
            ends = _after_roll(rules, state, turn, dice)
            if depth == 1:
                count += (weight if weighted else 1) * len(ends)
                continue
            for after, rest in ends:
                if rules.result(after) is not None:
                    continue
                nodes = (
                    below(after, rest, depth - 1)
                    if rest.todo == "roll"
                    else below(*rules.end_turn(after, rest), depth - 1)
                )
                count += (weight if weighted else 1) * nodes
        return count

    return below(root, rules.begin(), depth)
