"""Players of other engines see boards, sides and rolls as we do (pytest -m peers)."""

import numpy as np
import pytest
from boards import cells_of

from bgcore._core.movegen import legal_boards
from bgcore.adapters.bgsage import BgSage, bgsage_boards
from bgcore.adapters.gnubg_nn import GnubgNN, gnubg_board
from bgcore.adapters.pubeval import Pubeval
from bgcore.duel import duel
from bgcore.evaluators import equity_cubeless
from bgcore.players import EvaluatorPlayer, Turns, player

pytestmark = pytest.mark.peers

START = np.array(cells_of("24:2 13:5 8:3 6:5", "24:2 13:5 8:3 6:5"), np.int8)


def walked(n):
    """Positions and rolls of games in which gnubg and random plays take turns."""
    rng = np.random.default_rng(3)
    board = START.copy()
    for turn in range(n):
        dice = rng.integers(1, 7, 2)
        yield board.copy(), dice.astype(np.uint8)
        plays = legal_boards(board, *dice.tolist())
        after = board
        if len(plays) and turn % 2:
            after = plays[rng.integers(len(plays))]
        elif len(plays):
            after = GnubgNN().best_plays(board[None], dice[None].astype(np.uint8))[0]
        board = np.ascontiguousarray(-after[::-1])
        if not ((board > 0).any() and (board < 0).any()):
            board = START.copy()


# five checkers on the ace point against fifteen at the midpoint: won with a gammon
WON = cells_of("1:5", "13:15")
LOST = cells_of("13:15", "1:5")
# on the bar against a closed board, with one as well
CLOSED_OUT = cells_of("bar:1 1:2 2:2 3:2 4:2 5:2 6:4", "6:2 5:2 4:2 3:2 2:2 1:2")


@pytest.mark.parametrize("engine", [GnubgNN(), GnubgNN(1), BgSage(), BgSage(1)], ids=repr)
def test_probabilities_are_those_of_the_side_on_roll(engine):
    won, lost, out, start = engine.evaluate(np.array([WON, LOST, CLOSED_OUT, START], np.int8))
    assert won == pytest.approx([1, 1, won[2], 0, 0], abs=0.01)
    assert lost == pytest.approx([0, 0, 0, 1, lost[4]], abs=0.01)
    assert out[0] < 0.45
    assert start[0] == pytest.approx(0.525, abs=0.015)
    assert start[1] == pytest.approx(0.15, abs=0.03)
    assert start[3] == pytest.approx(0.13, abs=0.03)


@pytest.mark.parametrize("name", ["gnubg-nn", "gnubg-nn@1", "bgsage", "bgsage@1", "pubeval"])
def test_plays_are_legal_and_the_openings_known(name):
    one = player(name)
    for board, dice in walked(40 if "@" in name else 400):
        after = one.choose_plays(Turns.plain(board[None]), dice[None])[0]
        plays = legal_boards(board, *dice.tolist())
        assert after.tolist() in (plays.tolist() if len(plays) else [board.tolist()])
    made = cells_of("24:2 13:5 8:2 6:4 5:2", "24:2 13:5 8:3 6:5")
    dice = np.array([[3, 1]], np.uint8)
    assert one.choose_plays(Turns.plain(START[None]), dice)[0].tolist() == made


def test_gnubg_nn_plays_for_equity_or_for_wins():
    engine = GnubgNN()
    differ = 0
    for board, dice in walked(300):
        plays = legal_boards(board, *dice.tolist())
        if not len(plays) or any((play > 0).sum() == 0 for play in plays):
            continue
        five = engine.evaluate(np.ascontiguousarray(-plays[:, ::-1]))
        worth = {False: -equity_cubeless(five), True: 1 - five[:, 0]}
        chosen = {}
        for to_win, values in worth.items():
            after = engine.best_plays(board[None], dice[None], to_win=to_win)[0]
            chosen[to_win] = after.tolist()
            at = plays.tolist().index(after.tolist())
            assert values[at] == pytest.approx(values.max(), abs=1e-6)
        differ += chosen[False] != chosen[True]
    assert differ > 10


def test_gnubg_nn_looking_ahead_does_not_depend_on_the_score_that_came_before():
    turns = list(walked(40))
    boards = np.array([board for board, _ in turns])
    dice = np.array([roll for _, roll in turns])
    one = GnubgNN(1)
    to_win = one.best_plays(boards, dice, to_win=True)
    money = one.best_plays(boards, dice)
    assert (one.best_plays(boards[::-1], dice[::-1], to_win=True) == to_win[::-1]).all()
    assert (one.best_plays(boards[::-1], dice[::-1]) == money[::-1]).all()


@pytest.mark.parametrize("plies", [0, 1])
def test_bgsage_plays_as_its_own_analyzer_does(plies):
    bgsage = pytest.importorskip("bgsage")
    own = bgsage.BgBotAnalyzer(eval_level=f"{plies + 1}ply", cubeful=False, parallel_threads=1)
    engine = BgSage(plies)
    for board, dice in walked(30 if plies else 300):
        after = engine.best_plays(board[None], dice[None])[0]
        theirs = bgsage_boards(np.array([board, after]))
        answer = own.checker_play(theirs[0], *dice.tolist(), jacoby=False).moves
        value = {tuple(move.board): move.equity for move in answer}
        if len(value) > 1:
            assert value[tuple(theirs[1])] == pytest.approx(answer[0].equity, abs=1e-6)


def test_bgsage_does_not_end_a_game_with_one_die_where_both_can_be_played():
    # 5/4*/off and 5/off both win; the rules ask for both dice
    board = np.array(cells_of("5:1", "21:1 1:14"), np.int8)
    after = BgSage().best_plays(board[None], np.array([[5, 1]], np.uint8))[0]
    assert after.tolist() == cells_of("", "bar:1 1:14")
    assert len(legal_boards(board, 5, 1)) == 1


def test_pubeval_hits_enters_and_bears_off():
    board = np.array([cells_of("bar:1 13:14", "4:1 24:14"), cells_of("6:1 2:2", "1:5")], np.int8)
    after = Pubeval().best_plays(board, np.array([[4, 4], [6, 2]], np.uint8))
    assert (after[0, 0], after[0, 25]) == (-1, 0)
    assert after[1].tolist() == cells_of("2:1", "1:5")


def test_gnubg_nn_beats_pubeval_by_what_others_measured():
    result = duel("gnubg-nn", "pubeval", 300, seed=4)  # +0.63 points a game
    assert abs(result.points_per_game - 0.63) < 4 * result.points_per_game_se


def test_engines_meet_in_one_point_matches():
    result = duel("bgsage", "gnubg-nn", 20, seed=4, one_point=True, jobs=2)
    assert abs(result.raw_points_per_game) <= 1
    assert result == duel("bgsage", "gnubg-nn", 20, seed=4, one_point=True)


def test_engines_that_are_told_apart():
    assert len({one.identity for one in (GnubgNN(), GnubgNN(1), BgSage(), BgSage(2))}) == 4
    assert EvaluatorPlayer(BgSage(1)).evaluator.plies == 1
    assert gnubg_board(START.tolist())[0] == gnubg_board(START.tolist())[1]
