"""Trictrac against slow rules written from its text: plays, points, holes, in games and drawn."""

import random
from collections import Counter

import pytest
import trictrac_oracle as oracle
from hypothesis import given, settings
from hypothesis import strategies as st

from bgcore.errors import VariantError
from bgcore.variants import Side, State, VariantPlay, variant

RULES = variant("trictrac")
START = (0, 15, *[0] * 23)


def fields(side):
    """A side in the French numbers of the oracle."""
    return (side.off, *reversed(side.points))


def side_of(men, turns=0):
    return Side(tuple(reversed(men[1:])), off=men[0], turns=turns)


def compare_roll(state, dice, rules=RULES):
    """Compare what a roll is worth and every play; return the turn and the plays."""
    mine, his = fields(state.own), fields(state.opponent)
    turn = rules.rolled(state, rules.begin(), dice)
    expected = oracle.worth(mine, his, dice, state.own.turns)
    found = Counter(), Counter()
    for jan in turn.jans:
        assert jan.points % jan.ways == 0
        found[jan.is_opponents][jan.name, jan.points // jan.ways] += jan.ways
    assert found == expected, f"{state} {dice}"
    after = state
    if turn.todo == "mark":
        after, turn = rules.marked(state, turn)
    rest = rules.stayed(turn) if turn.todo == "leave" else turn
    plays = rules.plays(after, rest)
    ends = [(fields(play.state.own), len(play.steps)) for play in plays]
    assert len(set(ends)) == len(ends)
    assert dict(ends) == oracle.legal(mine, his, dice), f"{state} {dice}"
    assert all(play.state.opponent[:4] == state.opponent[:4] for play in plays)
    return turn, plays


@given(st.integers(0, 10**9), st.sampled_from([1, 2, 3, 12]))
@settings(deadline=None, max_examples=10)
def test_games_are_those_of_the_oracle(seed, goal):
    rng = random.Random(seed)
    rules = variant("trictrac", holes=goal)
    state, turn = rules.initial(), rules.begin()
    marks = oracle.Marks(goal)
    mover = 0
    for _ in range(2000):
        dice = (rng.randint(1, 6), rng.randint(1, 6))
        mine, his = fields(state.own), fields(state.opponent)
        own, other = (
            sum(points * count for (_, points), count in part.items())
            for part in oracle.worth(mine, his, dice, state.own.turns)
        )
        before = marks.holes[mover]
        rolled, plays = compare_roll(state, dice, rules)
        marks.mark(mover, own)
        state, turn = (
            rules.marked(state, rules.rolled(state, rules.begin(), dice))
            if own
            else (state, rolled)
        )
        if marks.holes[mover] == goal:
            break
        # a hole of the own roll lets its winner leave
        assert (turn.todo == "leave") == (marks.holes[mover] > before)
        if turn.todo == "leave":
            if rng.random() < 0.5:
                state, turn = rules.left(state, turn)
                marks.forget()
                assert fields(state.own) == fields(state.opponent) == START
                assert turn == rules.begin()
                continue
            turn = rules.stayed(turn)
        play = rng.choice(plays)
        is_out = play.state.own.off == 15
        marks.mark(mover, (6 if dice[0] == dice[1] else 4) if is_out else 0)
        marks.mark(1 - mover, other)
        marks.mark(1 - mover, 0 if is_out else 2 * (2 - len(play.steps)))
        state, turn = rules.played(state, turn, play)
        rules.check(state)
        sides = (state.own, state.opponent) if mover == 0 else (state.opponent, state.own)
        for who, side in enumerate(sides):
            assert side.holes == marks.holes[who]
            assert side.flag == marks.is_grand(who)
            if max(marks.holes) < goal:
                assert side.marked == marks.points(who)
                assert side.bredouille == marks.is_bredouille(who)
        if max(marks.holes) == goal:
            break
        if is_out:
            assert turn == rules.begin()
            assert fields(state.own) == fields(state.opponent) == START
        else:
            state, turn = rules.end_turn(state, turn)
            mover = 1 - mover
    winner = marks.holes.index(goal)
    value = 2 if marks.is_grand(winner) else 1
    assert rules.result(state) == (value if winner == mover else -value)


def drawn_side(rng, kind):
    """A side of some kind of position: a jan nearly full, all at home, or anywhere."""
    men = [0] * 25
    if kind == "jan":
        jan = rng.choice(list(oracle.JANS.values()))
        for field in jan:
            men[field] = 2
        for _ in range(rng.choice([0, 1, 1, 1, 2, 2])):
            men[rng.choice([field for field in jan if men[field]])] -= 1
        low, high = (1, 24) if rng.random() < 0.3 else (max(jan[0] - 8, 1), jan[-1])
    elif kind == "opening":
        men[1] = 11
        low, high = 1, 12
    else:
        low, high = (19, 24) if kind == "home" else rng.choice([(1, 24), (1, 12), (4, 20)])
    spots = [rng.randint(low, high) for _ in range(rng.randint(1, 7))]
    while sum(men) < 15:
        if kind == "home" and rng.random() < 0.6:
            men[0] += 1
        else:
            men[rng.choice(spots)] += 1
    return tuple(men)


KINDS = ("jan", "jan", "home", "opening", "any")


def drawn_state(rng):
    """A position that the rules allow, whether or not a game comes to it."""
    while True:
        mine, his = (drawn_side(rng, rng.choice(KINDS)) for _ in range(2))
        if any(mine[field] and his[25 - field] for field in range(1, 25)):
            continue
        if 15 in (mine[0], his[0]) or (mine[0] and sum(mine[1:19])) or (his[0] and sum(his[1:19])):
            continue
        if oracle.may_stand(mine, his) and oracle.may_stand(his, mine):
            return State.of(side_of(mine, rng.choice([2, 2, 3])), side_of(his))


@given(st.integers(0, 10**9))
@settings(deadline=None, max_examples=150)
def test_drawn_positions_are_those_of_the_oracle(seed):
    rng = random.Random(seed)
    state = drawn_state(rng)
    RULES.check(state)
    low, high = sorted((rng.randint(1, 6), rng.randint(1, 6)))
    compare_roll(state, (high, low) if rng.random() < 0.7 else (high, high))


@given(st.integers(0, 10**9))
@settings(deadline=None, max_examples=60)
def test_steps_one_by_one_lead_to_the_plays_and_nowhere_else(seed):
    rng = random.Random(seed)
    state = drawn_state(rng)
    dice = (rng.randint(1, 6), rng.randint(1, 6))
    turn = RULES.rolled(state, RULES.begin(), dice)
    if turn.todo == "mark":
        state, turn = RULES.marked(state, turn)
    if turn.todo == "leave":
        turn = RULES.stayed(turn)
    wanted = {RULES.played(state, turn, play) for play in RULES.plays(state, turn)}
    found = set()
    to_do = [(state, turn)]
    while to_do:
        now, rest = to_do.pop()
        steps = RULES.steps(now, rest)
        if not steps:
            found.add(RULES.played(now, rest, VariantPlay((), now)))
        if rest.numbers != turn.numbers:
            plays = RULES.plays(now, rest)
            assert [play.steps for play in plays if play.steps] == [play.steps for play in steps]
        to_do += [RULES.stepped(now, rest, step) for step in steps]
    assert found == wanted


@given(st.integers(0, 10**9))
@settings(deadline=None, max_examples=100)
def test_states_are_refused_where_the_oracle_lets_nobody_stand(seed):
    rng = random.Random(seed)
    mine, his = (drawn_side(rng, rng.choice(KINDS[:1] + KINDS[3:])) for _ in range(2))
    meets = any(mine[field] and his[25 - field] for field in range(1, 25))
    is_right = not meets and oracle.may_stand(mine, his) and oracle.may_stand(his, mine)
    state = State.of(side_of(mine), side_of(his))
    if is_right:
        RULES.check(state)
    else:
        with pytest.raises(VariantError):
            RULES.check(state)
