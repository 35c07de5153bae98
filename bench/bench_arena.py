"""Whole games of two players through `play_match`, on one core.

pytest bench/bench_arena.py -s

The limit of random plays is the core's own loop of them, which asks no player, has no cube and
keeps nothing: `ratio_to_core` tells how many of its turns a second are left. What must be reached
is `LEAST` games a second, in processor time, which other work on the machine disturbs least.
"""

import time

import pytest

from bgcore import CPU_LEVEL, Board, DiceStream, Rules, play_match
from bgcore._core.playout import random_games

LEAST = 3_000
GAMES = 4_000
CASES = {
    "random": ("random", {}),
    "random, recorded": ("random", {"record": True}),
    "random, the cube in play": ("random", {"money": True}),
    "random-cube, money": ("random-cube", {"money": True}),
    "random-cube, every extra": (
        "random-cube",
        {"rules": Rules.money(beavers=3, auto_doubles=None, extra_turn=True)},
    ),
    "random-cube, matches to 7": ("random-cube", {"length": 7}),
}


def seconds_of(call, rounds=3):
    """The least processor time that a call takes."""
    times = []
    for _ in range(rounds):
        began = time.process_time()
        call()
        times.append(time.process_time() - began)
    return min(times)


@pytest.fixture(scope="module")
def core_rate():
    """Turns a second of the core's loop."""
    dice, board = DiceStream(0, stratified=False), Board.opening().to_array()
    plies, _ = random_games(dice, board, 0, GAMES)
    return plies / seconds_of(lambda: random_games(dice, board, 0, GAMES))


@pytest.mark.parametrize("name", CASES)
def test_games_of_random_players(benchmark, name, core_rate):
    player, settings = CASES[name]

    def play():
        return play_match(player, player, games=GAMES, **settings)

    results = play()
    assert GAMES <= results.games < GAMES + 20
    seconds = seconds_of(play)
    rate, ratio = results.games / seconds, results.table.plies.sum() / seconds / core_rate
    benchmark.group = "games"
    benchmark.extra_info.update(
        unit="games", cpu_level=CPU_LEVEL, games_per_second=rate, ratio_to_core=ratio
    )
    print(f"\n{name}: {rate:,.0f} games/s; {ratio:.3f} of the turns of the core's loop")
    assert rate > LEAST
    benchmark.pedantic(play, rounds=2)
