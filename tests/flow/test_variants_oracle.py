"""The games against slow rules written from their texts, on positions of play and drawn ones."""

import random

import pytest
import variants_oracle
from hypothesis import given, settings
from hypothesis import strategies as st
from variants_oracle import Position

from bgcore.variants import VARIANTS, Side, State, VariantPlay

NAMES = sorted(variants_oracle.GAMES)


def position(state):
    """A state as the oracle has it."""
    own, opp = state.own, state.opponent
    return Position(
        *((side.off, *side.points, side.bar, side.hand) for side in (own, opp)),
        frozenset(own.pinned),
        frozenset(opp.pinned),
        own.was_home,
        opp.was_home,
        own.turns,
        opp.turns,
    )


def compare(name, state, dice, rng):
    """Follow a turn at random and compare what there is to do, and every play, on the way."""
    rules, game = VARIANTS[name], variants_oracle.GAMES[name]
    dice = sorted(dice, reverse=True)
    start = state
    turn = rules.rolled(state, rules.begin(), dice)
    script = game.turn(position(state), dice)
    limit = game.head_limit(position(state), dice)
    heads, sent = 0, None
    while True:
        try:
            part = script.send(sent)
        except StopIteration as end:
            again = end.value
            break
        if part == "choose":
            assert turn.todo == "choose"
            sent = rng.randint(1, 6)
            turn = rules.chosen(turn, sent)
            continue
        assert turn.todo == "play"
        assert sorted(turn.numbers) == sorted(part)
        plays = rules.plays(state, turn)
        expected = game.plays(position(state), part, limit, heads)
        found = [(position(play.state), len(play.steps)) for play in plays]
        assert len(set(found)) == len(found)
        assert set(found) == expected, f"{name} {start} {dice} {state}"
        before = state
        state, turn = rules.played(state, turn, rng.choice(plays))
        if limit < 99:
            heads += before.own.points[23] - state.own.points[23]
        if state.own.off == rules.n_checkers:
            assert rules.result(state) == game.value(position(state))
            return
        sent = position(state), found[0][1] == len(part)
    assert turn.todo == ("roll" if again else "end")


def roll(rules, rng):
    dice = [rng.randint(1, 6) for _ in range(rules.dice)]
    # more doublets than dice give, and the special roll
    kind = rng.random()
    if kind < 0.3:
        return [dice[0]] * rules.dice
    return [2, 1] if kind < 0.4 and rules.special_roll else dice


def state_of_play(rules, rng, n_turns):
    """The state after some turns of random play, or the last one before the end."""
    state, turn = rules.initial(), rules.begin()
    kept = state
    while n_turns:
        if turn.todo == "roll":
            kept = state
            turn = rules.rolled(state, turn, roll(rules, rng))
        elif turn.todo == "choose":
            turn = rules.chosen(turn, rng.randint(1, 6))
        elif turn.todo == "play":
            state, turn = rules.played(state, turn, rng.choice(rules.plays(state, turn)))
            if rules.result(state) is not None:
                return kept
        else:
            state, turn = rules.end_turn(state, turn)
            n_turns -= 1
    return state


def drawn_state(rules, rng):
    """Any state that the rules allow, also ones to which no game comes."""
    taken = {}
    sides = []
    for who in range(2):
        points, bar, hand, off, pinned = [0] * 24, 0, 0, 0, []
        low, high = rng.choice([(1, 24), (1, 6), (1, 12), (7, 18), (13, 24), (1, 8)])
        spots = rng.sample(range(low, high + 1), min(rng.choice([1, 3, 6, 12]), high - low + 1))
        if rng.random() < 0.3:
            # as in a prime, and perhaps an opponent right behind it
            low = rng.randint(1, 18)
            spots = list(range(low, low + 7))
            if who and taken and rng.random() < 0.5:
                spots = [min(max(map(rules.across, taken)) + 1, 24)]
        for _ in range(rules.n_checkers):
            where = rng.random()
            point = rng.choice(spots)
            common = point if who == 0 else rules.across(point)
            other = taken.get(common, who)
            if where < 0.05 and rules.contact == "hit":
                bar += 1
            elif where < 0.1 and not rules.start:
                hand += 1
            elif (
                other == who
                and point not in pinned
                and not (points[point - 1] and rules.singles[0] <= point <= rules.singles[1])
            ):
                points[point - 1] += 1
                taken[common] = who
            elif (
                rules.contact == "pin"
                and who == 1
                and points[point - 1] == 0
                and sides[0].points[common - 1] > 0
            ):
                points[point - 1] = 1
                pinned.append(point)
            else:
                off += 1
        turns = rng.randint(0, 3) if rules.plain_turns or rules.head_limit else 0
        was_home = rules.hit_gate == "was_home" and (off > 0 or any(points[:6]))
        side = Side(tuple(points), bar, hand, off, tuple(sorted(pinned)[::-1]), turns, was_home)
        sides.append(side)
    if any(side.off == rules.n_checkers for side in sides):
        return rules.initial()
    state = State.of(*sides)
    rules.check(state)
    return state if rng.random() < 0.5 else state.swapped()


@pytest.mark.parametrize("name", NAMES)
@given(st.integers(0, 10**9), st.sampled_from([0, 1, 2, *range(5, 90)]))
@settings(deadline=None, max_examples=15)
def test_turns_of_random_games_are_those_of_the_oracle(name, seed, n_turns):
    rng = random.Random(seed)
    rules = VARIANTS[name]
    state = state_of_play(rules, rng, n_turns)
    compare(name, state, roll(rules, rng), rng)


@pytest.mark.parametrize("name", NAMES)
@given(st.integers(0, 10**9))
@settings(deadline=None, max_examples=30)
def test_turns_from_drawn_states_are_those_of_the_oracle(name, seed):
    rng = random.Random(seed)
    rules = VARIANTS[name]
    compare(name, drawn_state(rules, rng), roll(rules, rng), rng)


@pytest.mark.parametrize("name", NAMES)
@given(st.integers(0, 10**9))
@settings(deadline=None, max_examples=15)
def test_steps_one_by_one_lead_to_the_plays_and_nowhere_else(name, seed):
    rng = random.Random(seed)
    rules = VARIANTS[name]
    state = drawn_state(rules, rng)
    turn = rules.rolled(state, rules.begin(), roll(rules, rng))
    wanted = {rules.played(state, turn, play) for play in rules.plays(state, turn)}
    found = set()
    to_do = [(state, turn)]
    seen = set(to_do)
    while to_do:
        now, rest = to_do.pop()
        steps = rules.steps(now, rest)
        if not steps:
            found.add(rules.played(now, rest, VariantPlay((), now)))
        for step in steps:
            then = rules.stepped(now, rest, step)
            if then not in seen:
                seen.add(then)
                to_do.append(then)
    assert found == wanted


def test_the_oracle_knows_every_game():
    # trictrac has an oracle of its own
    assert set(NAMES) == set(VARIANTS) - {"trictrac"}


@pytest.mark.parametrize("name", NAMES)
def test_games_begin_as_the_oracle_says(name):
    assert position(VARIANTS[name].initial()) == variants_oracle.GAMES[name].start()


@pytest.mark.parametrize("name", NAMES)
@given(st.integers(0, 10**9))
@settings(deadline=None, max_examples=20)
def test_the_end_is_worth_what_the_oracle_says(name, seed):
    """The last checker goes off from 1; the opponent stands anywhere."""
    rng = random.Random(seed)
    rules, n = VARIANTS[name], VARIANTS[name].n_checkers
    own = Side((1, *[0] * 23), off=n - 1)
    state = drawn_state(rules, rng)
    opp = state.opponent
    if opp.points[rules.across(1) - 1] or opp.off == n or rng.random() < 0.5:
        # none off: a far one, or one on the bar
        far = rng.choice([point for point in range(1, 25) if point != rules.across(1)])
        points = [0] * 24
        points[far - 1] = n
        opp = Side(tuple(points))
    state = State.of(own, opp._replace(pinned=()))
    rules.check(state)
    turn = rules.rolled(state, rules.begin(), (1,) * rules.dice)
    end, _ = rules.played(state, turn, rules.plays(state, turn)[0])
    assert rules.result(end) == variants_oracle.GAMES[name].value(position(end))
