"""The trial loop of the core: ends, values, luck, sums."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from all_plays import net_of_all_plays

from bgcore import Board
from bgcore._core import playout as core
from bgcore._core.movegen import legal_boards
from bgcore.bearoff import tables
from bgcore.dice import DiceStream
from bgcore.errors import EvaluatorError, RolloutError
from bgcore.evaluators import NetEvaluator, PipCountEvaluator
from bgcore.nets import shipped_net

UNIT = 2**30
OPENING = Board.opening().to_array()
WEIGHTS = np.array([1 if a == b else 2 for a in range(1, 7) for b in range(1, a + 1)])


def make_board(own: dict[int, int], opponent: dict[int, int]) -> np.ndarray:
    """Checkers by point, both counted by the player on roll."""
    cells = np.zeros(26, np.int8)
    for point, n in own.items():
        cells[point] += n
    for point, n in opponent.items():
        cells[point] -= n
    return cells


#: Both sides have one checker on their own 6-point (reference list: 81.25 % for the roller).
SIX_SIX = make_board({6: 1}, {19: 1})
#: Own 15 checkers on the 17-point, the opponent's last 8 on his ace point.
CANNOT_SAVE_GAMMON = make_board({17: 15}, {24: 8})
#: Own 8 on the ace point; the opponent has all 15 on the mover's 2-point.
WINS_BACKGAMMON = make_board({1: 8}, {2: 15})
#: Contact near the end: an own checker on the bar against a blot.
SHOT = make_board({25: 1, 6: 3, 5: 3, 4: 2, 3: 2, 2: 2, 1: 2}, {22: 1, 24: 2, 20: 2})


def flip(values: np.ndarray) -> np.ndarray:
    flipped = values[..., [0, 3, 4, 1, 2, 5]]
    flipped[..., 0] = UNIT - values[..., 0]
    flipped[..., 5] = -values[..., 5]
    return flipped


def random_playout(seed: int = 1, **settings) -> core.Playout:
    return core.Playout(DiceStream(seed), core.RANDOM_PLAY, **settings)


# ---- ends of trials ----


@pytest.mark.parametrize(
    ("board", "five"),
    [(CANNOT_SAVE_GAMMON, [0, 0, 0, 1, 0]), (WINS_BACKGAMMON, [1, 1, 1, 0, 0])],
)
def test_results_that_no_dice_can_change_have_no_variance(board, five):
    values, _ = random_playout().trial_values(board, False, 0, 200)
    assert (values[:, :5] == np.array(five) * UNIT).all()
    assert (values[:, 5] == (2 * five[0] - 1 + five[1] + five[2] - five[3] - five[4]) * UNIT).all()


@pytest.mark.parametrize(
    ("board", "points"),
    [
        # the loser has one checker on the bar and 14 at home: a backgammon
        (make_board({}, {0: 1, 24: 7, 23: 7}), 3),
        # all 15 on the winner's 6-point: a backgammon; one point further on: a gammon
        (make_board({}, {6: 15}), 3),
        (make_board({}, {7: 15}), 2),
        # one checker is off: a single game, wherever the others are
        (make_board({}, {6: 14}), 1),
    ],
)
def test_a_finished_game_has_its_value_and_no_plies(board, points):
    values, plies = random_playout().trial_values(board, False, 0, 3)
    five = [1, points >= 2, points == 3, 0, 0]
    assert (values[:, :5] == np.array(five) * UNIT).all()
    assert (values[:, 5] == points * UNIT).all()
    assert (plies == 0).all()


def test_one_checker_each_on_the_six_point_wins_29_25_of_36():
    # off at once with 27 of 36 rolls; else the opponent misses with 9 of 36 and then any two rolls
    # ... 0.75 + 0.25 * 0.25 = 0.8125, if the last checker is off with the next roll for sure
    stream = DiceStream(5)
    table_play = core.Playout(stream, core.PIPS_PLAY)
    values, plies = table_play.trial_values(SIX_SIX, False, 0, 1296)
    assert values[:, 0].mean() / UNIT == 0.8125
    assert values[:, 5].mean() / UNIT == 0.625
    assert plies.max() == 3


def test_games_end_and_differ():
    values, plies = random_playout().trial_values(OPENING, False, 0, 360)
    assert values[:, 5].std() > 0.5 * UNIT
    assert (plies > 0).all()
    assert set(np.unique(values[:, :5])) == {0, UNIT}


def test_a_policy_that_never_ends_is_an_error_that_names_the_trial():
    with pytest.raises(RolloutError, match="trial 36 did not end within 3 plies"):
        random_playout(max_plies=3).trial_values(OPENING, False, 36, 5)
    with pytest.raises(RolloutError, match="trial 36 did not end within 3 plies"):
        random_playout(max_plies=3).blocks(OPENING[None], False, 36, 5, 36)


def test_a_truncated_trial_has_the_evaluators_value_of_the_board_it_reaches():
    evaluator = NetEvaluator().core
    stream = DiceStream(9)
    for n_plies in (1, 2, 3, 6):
        playout = core.Playout(
            stream, core.BEST_PLAY, player=evaluator, evaluator=evaluator, truncate=n_plies
        )
        values, _ = playout.trial_values(SHOT, False, 0, 60)
        for trial in range(60):
            board = SHOT
            for ply in range(n_plies):
                after, _ = evaluator.best_plays(
                    board[None], np.array([stream.roll(trial, ply)], np.uint8)
                )
                if not (after[0] > 0).any():
                    break
                board = np.ascontiguousarray(-after[0][::-1])
            else:
                five = evaluator.evaluate_fixed(board[None], after=False)[0]
                expected = five if n_plies % 2 == 0 else flip(np.append(five, 0))[:5]
                assert values[trial, :5].tolist() == expected.tolist()


def test_the_other_sides_values_are_the_flipped_ones():
    playout = random_playout()
    own, _ = playout.trial_values(SHOT, False, 0, 100)
    other, _ = playout.trial_values(SHOT, True, 0, 100)
    assert (other == flip(own)).all()


def test_a_random_play_is_the_share_of_the_plays_that_its_bits_point_at():
    # 64 uniform bits times the number of plays, divided by 2**64
    judge = PipCountEvaluator().core
    stream = DiceStream(3)
    playout = core.Playout(stream, core.RANDOM_PLAY, evaluator=judge, truncate=1)
    values, _ = playout.trial_values(OPENING, False, 0, 200)
    seen = set()
    for trial in range(200):
        plays = legal_boards(OPENING, *stream.roll(trial, 0))
        place = stream.bits(trial, 0) * len(plays) >> 64
        seen.add(place * 4 // len(plays))
        expected = judge.evaluate_fixed(plays[place : place + 1], after=True)[0]
        assert values[trial, :5].tolist() == expected.tolist()
    assert seen == {0, 1, 2, 3}


# ---- sums ----


def test_blocks_hold_the_sums_of_their_trials():
    playout = random_playout()
    boards = np.stack([OPENING, SHOT])
    sums, squares, plies, trial_values = playout.blocks(boards, True, 72, 100, 36)
    assert sums.shape == (3, 2, 6)
    for k, board in enumerate(boards):
        values, lengths = playout.trial_values(board, True, 72, 100)
        assert (trial_values[:, k] == values).all()
        for i, part in enumerate((slice(0, 36), slice(36, 72), slice(72, 100))):
            assert (sums[i, k] == values[part].sum(axis=0)).all()
            for v in range(6):
                exact = sum(int(x) ** 2 for x in values[part, v])
                assert int(squares[i, k, v, 0]) + (int(squares[i, k, v, 1]) << 64) == exact
            assert plies[i, k].tolist() == [lengths[part].sum(), lengths[part].max()]


def test_trials_do_not_depend_on_their_neighbours_or_on_threads():
    playout = random_playout()
    whole, *_ = playout.blocks(OPENING[None], False, 0, 36 * 8, 36)
    with ThreadPoolExecutor(4) as pool:
        parts = list(
            pool.map(
                lambda b: playout.blocks(OPENING[None], False, 36 * b, 36, 36)[0],
                [5, 0, 7, 2, 1, 6, 3, 4],
            )
        )
    assert (np.concatenate(parts) == whole[[5, 0, 7, 2, 1, 6, 3, 4]]).all()


def test_the_dice_alone_decide_what_a_trial_is():
    first = random_playout(7).trial_values(OPENING, False, 0, 36)[0]
    assert (random_playout(7).trial_values(OPENING, False, 0, 36)[0] == first).all()
    assert (random_playout(8).trial_values(OPENING, False, 0, 36)[0] != first).any()


def test_both_sides_do_equally_well_in_random_games():
    # the side that begins is nearly level; 4.5 standard errors of 4,320 games, and 0.05 of edge
    own, _ = random_playout(11).trial_values(OPENING, False, 0, 4320)
    assert abs(own[:, 5].mean()) / UNIT < 0.05 + 4.5 * 1.9 / 4320**0.5


# ---- luck ----


def search_luck(board: np.ndarray, roll: tuple[int, int], opening: bool = False) -> list[int]:
    """Luck of a roll in parts of 1/180, counted by hand from the evaluator's best plays."""
    fives = NetEvaluator().core.best_fives(board[None])[0].astype(object)
    large, small = max(roll), min(roll)
    index = large * (large - 1) // 2 + small - 1
    weights = np.where(WEIGHTS == 2, 12, 0) if opening else 5 * WEIGHTS
    return [
        int(180 * fives[index, o] - sum(int(w) * fives[k, o] for k, w in enumerate(weights)))
        for o in range(5)
    ]


@pytest.mark.parametrize("opening", [False, True])
def test_luck_is_the_value_of_the_roll_less_the_mean_over_all_rolls(opening):
    evaluator = NetEvaluator().core
    stream = DiceStream(4, True, opening)
    settings = {"player": evaluator, "evaluator": evaluator, "truncate": 2}
    plain = core.Playout(stream, core.BEST_PLAY, **settings)
    lucky = core.Playout(stream, core.BEST_PLAY, luck=core.PLAYER_LUCK, **settings)
    for trial in range(40):
        value = plain.trial_values(OPENING, False, trial, 1)[0][0]
        first = search_luck(OPENING, stream.roll(trial, 0), opening)
        after, _ = evaluator.best_plays(OPENING[None], np.array([stream.roll(trial, 0)], np.uint8))
        second = search_luck(np.ascontiguousarray(-after[0][::-1]), stream.roll(trial, 1))
        second = [-second[0], second[3], second[4], second[1], second[2]]
        expected = []
        for o in range(5):
            parts = 180 * int(value[o]) - first[o] - second[o]
            size = (abs(parts) + 90) // 180
            expected.append(size if parts >= 0 else -size)
        found = lucky.trial_values(OPENING, False, trial, 1)[0][0]
        assert found[:5].tolist() == expected
        assert found[5] == (
            2 * expected[0] - UNIT + expected[1] - expected[3] + expected[2] - expected[4]
        )


@pytest.mark.parametrize("opening", [False, True])
def test_luck_of_the_first_roll_adds_up_to_nothing_in_a_block(opening):
    # With one ply, value less luck is the mean over all rolls, whatever the roll was.
    evaluator = NetEvaluator().core
    playout = core.Playout(
        DiceStream(6, True, opening),
        core.BEST_PLAY,
        player=evaluator,
        evaluator=evaluator,
        truncate=1,
        luck=core.PLAYER_LUCK,
    )
    values, _ = playout.trial_values(OPENING, False, 0, 30)
    assert (values == values[0]).all()


def test_the_table_as_luck_and_as_player_leaves_no_error():
    rng = np.random.default_rng(8)
    playout = core.Playout(
        DiceStream(2),
        core.TABLE_PLAY,
        player=PipCountEvaluator().core,
        tables=tables(),
        luck=core.TABLE_LUCK,
    )
    for _ in range(20):
        own = np.bincount(rng.integers(1, 7, 6), minlength=7)
        opponent = np.bincount(rng.integers(1, 7, rng.integers(1, 7)), minlength=7)
        board = np.zeros(26, np.int8)
        board[1:7] = own[1:]
        board[24:18:-1] = -opponent[1:]
        exact, _ = tables().equities(board[None])
        values, plies = playout.trial_values(board, False, 0, 72)
        assert (values == values[0]).all()
        assert plies.max() > 1
        # the table's value, rounded to a unit as a win probability
        assert values[0, 0] == np.floor((1 + exact[0]) * UNIT / 2 + 0.5)
        assert (values[0, 1:5] == 0).all()


def test_a_trial_stops_where_the_table_knows_the_rest():
    playout = core.Playout(DiceStream(2), core.RANDOM_PLAY, tables=tables(), stop_at_tables=True)
    values, plies = playout.trial_values(SIX_SIX, False, 0, 10)
    assert (plies == 0).all()
    assert (values[:, 0] == int(0.8125 * UNIT)).all()
    # one more checker a side than the table has: it stops after the first plies
    board = make_board({1: 7}, {24: 7})
    values, plies = playout.trial_values(board, False, 0, 36)
    assert plies.max() <= 2


# ---- lockstep ----


def first_plays(offsets: np.ndarray) -> np.ndarray:
    return np.where(np.diff(offsets) > 0, 0, -1)


def test_lockstep_trials_are_those_of_the_core():
    evaluator = net_of_all_plays().core
    boards = np.stack([OPENING, SHOT, make_board({}, {6: 15})])
    playout = core.Playout(
        DiceStream(3), core.BEST_PLAY, player=evaluator, tables=tables(), luck=core.TABLE_LUCK
    )
    expected = playout.blocks(boards, True, 36, 50, 36)
    live = core.Lockstep(playout, boards, True, 36, 50)
    while True:
        before, plays, offsets = live.roll()
        if len(before) == 0:
            break
        chosen = first_plays(offsets)
        for i in np.flatnonzero(np.diff(offsets) > 1):
            own = plays[offsets[i] : offsets[i + 1]]
            chosen[i] = int(np.argmax(evaluator.equities_after(before[i], own)))
        live.play(chosen)
    for found, right in zip(live.totals(36), expected, strict=True):
        assert (found == right).all()


def test_lockstep_refuses_steps_out_of_turn():
    live = core.Lockstep(random_playout(), OPENING[None], False, 0, 4)
    with pytest.raises(RolloutError, match="not been rolled"):
        live.play(np.zeros(4, np.int64))
    _, _, offsets = live.roll()
    with pytest.raises(RolloutError, match="turn before is not finished"):
        live.roll()
    with pytest.raises(RolloutError, match="one play for each"):
        live.play(np.zeros(3, np.int64))
    with pytest.raises(EvaluatorError, match="play 9999 was chosen"):
        live.play(np.full(4, 9999))
    with pytest.raises(RolloutError, match="one row of values"):
        live.add_luck(np.zeros((3, 21, 5), np.int32), np.arange(4))
    with pytest.raises(RolloutError, match="turn is not finished"):
        live.totals(36)
    live.play(first_plays(offsets))
    with pytest.raises(RolloutError, match="a trial is not finished"):
        live.totals(36)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"policy": 9}, "no policy 9"),
        ({"policy": core.RANDOM_PLAY, "luck": core.NET_LUCK}, "roll net"),
        ({"policy": core.RANDOM_PLAY, "luck": core.TABLE_LUCK}, "table"),
        ({"policy": core.RANDOM_PLAY, "stop_at_tables": True}, "table"),
        ({"policy": core.TABLE_PLAY}, "table"),
        ({"policy": core.RANDOM_PLAY, "truncate": -1}, "truncate"),
    ],
)
def test_playouts_that_miss_something_are_refused(settings, message):
    with pytest.raises(RolloutError, match=message):
        core.Playout(DiceStream(1), **settings)


def test_values_need_what_they_come_from():
    for playout in (
        core.Playout(DiceStream(1), core.BEST_PLAY),
        core.Playout(DiceStream(1), core.RANDOM_PLAY, truncate=3),
        core.Playout(DiceStream(1), core.RANDOM_PLAY, luck=core.PLAYER_LUCK),
    ):
        with pytest.raises(RolloutError, match="need"):
            playout.blocks(OPENING[None], False, 0, 36, 36)


# ---- random games ----


def test_random_games_are_as_long_and_as_costly_as_published():
    # 300,000 games of an independent simulation: 96.8 turns, 37.7 % single, 36.5 % gammons and
    # 25.8 % backgammons. Bounds: 4.5 standard errors of 20,000 games (a game's turns have a
    # standard deviation of about 45) and of the published figures, and half of the last digit.
    n = 20_000
    plies, results = core.random_games(DiceStream(12, False, True), OPENING, 0, n)
    assert sum(results) == n
    shares = (np.array(results[:3]) + np.array(results[3:])) / n
    bound = 4.5 * np.sqrt(0.25 / n + 0.25 / 300_000) + 0.0005
    assert np.abs(shares - [0.377, 0.365, 0.258]).max() < bound
    assert abs(plies / n - 96.8) < 4.5 * 45 * (1 / n + 1 / 300_000) ** 0.5 + 0.05


def test_random_games_are_the_random_trials():
    stream = DiceStream(5)
    plies, results = core.random_games(stream, OPENING, 10, 50)
    values, lengths = core.Playout(stream, core.RANDOM_PLAY).trial_values(OPENING, False, 10, 50)
    assert plies == lengths.sum()
    points = np.round(values[:, 5] / UNIT).astype(int)
    assert results == tuple((points == p).sum() for p in (1, 2, 3, -1, -2, -3))


@pytest.mark.parametrize("name", ["fast", "strong"])  # a roll net of each kind
def test_the_roll_nets_luck_has_mean_zero_to_the_last_bit(name):
    # so one roll alone is an unbiased control variate, on any board
    boards = [OPENING]
    for ply in range(200):
        plays = legal_boards(boards[-1], *DiceStream(21).roll(0, ply))
        after = plays[ply % len(plays)] if len(plays) else boards[-1]
        if not (after > 0).any():
            break
        boards.append(np.ascontiguousarray(-after[::-1]))
    luck = shipped_net(name).luck.luck_of_rolls(np.stack(boards)).astype(np.int64)
    assert ((luck * WEIGHTS[:, None]).sum(axis=1) == 0).all()


def test_the_luck_of_a_roll_is_what_the_nets_values_say():
    # where these are not cut off at 0
    net = shipped_net("fast").luck
    luck = net.luck_of_rolls(OPENING[None])
    values = net.values(OPENING[None])[0].astype(float)
    means = (values * WEIGHTS[:, None]).sum(axis=0) / 36
    assert np.abs(luck[0, :, 0] / 2**22 - (values - means)[:, 0]).max() < 1e-3


@pytest.mark.parametrize("opening", [False, True])
def test_luck_by_the_roll_net_adds_up_to_nothing_over_the_first_rolls(opening):
    net = NetEvaluator().core
    stream = DiceStream(7, True, opening)
    settings = {"player": net, "evaluator": net, "truncate": 1}
    plain = core.Playout(stream, core.BEST_PLAY, **settings)
    lucky = core.Playout(
        stream, core.BEST_PLAY, roll_net=shipped_net().luck, luck=core.NET_LUCK, **settings
    )
    n = stream.block
    difference = (
        lucky.trial_values(OPENING, False, 0, n)[0] - plain.trial_values(OPENING, False, 0, n)[0]
    )
    assert np.abs(difference[:, 5]).max() > 0.01 * UNIT
    # each value is rounded once
    assert (np.abs(difference.sum(axis=0)) <= n).all()
