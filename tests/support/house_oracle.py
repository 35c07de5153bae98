"""Slow, obvious house rules, written from the rule text. Builds on ``oracle``.

The rule text
    own_limit = k: a step may not end on an own point that holds k checkers, from the bar neither.
    any_number: when only one of two numbers can be played, the player chooses which.
    finish_early: a play that bears off the last checker is legal also if it uses fewer numbers
    than could be used.
    no_hit_and_run: a checker that hits in the mover's own home may not be moved again in that
    turn; as many numbers as possible must be used among the plays that heed this.
"""

import itertools
from typing import NamedTuple

import oracle


class House(NamedTuple):
    """The switches."""

    own_limit: int = 0
    any_number: bool = False
    finish_early: bool = False
    no_hit_and_run: bool = False


def steps_now(board, die, stay, house):
    """Every step that one number allows by itself; ``stay`` are points of men that must rest."""
    steps = []
    for start, end, hit in oracle.single_steps(board, die):
        if house.own_limit and end != oracle.OFF and board[end] >= house.own_limit:
            continue
        if start in stay and board[start] == 1:
            continue
        steps.append((start, end, hit))
    return steps


def sequences(board, dice, stay, house):
    """Yield (steps, board) of every sequence, broken off at any place, the empty one too.

    A step is (start, end, number, hit).
    """
    yield (), board
    for i, die in enumerate(dice):
        if die in dice[:i]:
            continue
        for start, end, hit in steps_now(board, die, stay, house):
            rests = stay | {end} if house.no_hit_and_run and hit and end <= 6 else stay
            after = oracle.apply_step(board, (start, end, hit))
            for more, last in sequences(after, dice[:i] + dice[i + 1 :], rests, house):
                yield ((start, end, die, hit), *more), last


def plays(board, dice, house, stay=frozenset()):
    """Return every complete legal sequence and its board; only the empty one for a dance."""
    found = list(sequences(board, dice, frozenset(stay), house))
    most = max(len(steps) for steps, _ in found)
    longest = [play for play in found if len(play[0]) == most]
    if most == 1 and len(dice) == 2 and not house.any_number:
        largest = max(steps[0][2] for steps, _ in longest)
        longest = [play for play in longest if play[0][0][2] == largest]
    if house.finish_early:
        longest += [
            play for play in found if 0 < len(play[0]) < most and not any(n > 0 for n in play[1])
        ]
    return longest


def boards_after(board, roll, house):
    """Return the distinct boards after every legal play; empty for a dance."""
    return {after for steps, after in plays(board, oracle.dice_of(*roll), house) if steps}


def first_steps(board, dice, house, stay=()):
    """Return (start, end, number, hit) of every step that begins a legal sequence."""
    return {steps[0] for steps, _ in plays(board, dice, house, stay) if steps}


def all_switches():
    """Every combination of the switches, with limits of 5 and 2."""
    return [
        House(*values)
        for values in itertools.product((0, 2, 5), *((False, True) for _ in range(3)))
    ]
