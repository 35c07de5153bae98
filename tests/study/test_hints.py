"""The best plays of a roll."""

import numpy as np
import pytest
from games import board

from bgcore import Board, Game, GameState, NetEvaluator, Play, Position, Rules, hint
from bgcore.errors import BoardError, EvaluatorError, GameError


def test_plays_are_ranked_by_their_equity():
    state = GameState.at(Board.opening(), dice="31")
    ranked = hint(state)
    assert str(ranked[0].play) == "8/5 6/5"
    assert len(ranked) == len(state.legal_plays())
    equities = [play.equity_cubeful for play in ranked]
    assert equities == sorted(equities, reverse=True)
    assert ranked[0].loss == 0
    assert ranked[-1].loss == pytest.approx(equities[0] - equities[-1])
    assert ranked[0].board == Board.opening().after("8/5 6/5", "31")


def test_probabilities_are_the_movers():
    state = GameState.at(board({3: 2, 2: 1}, {12: 4}), dice="21")
    best = hint(state)[0]
    assert best.probabilities.win > 0.95
    after = NetEvaluator().evaluate(best.board.swapped().to_array()[np.newaxis])[0]
    assert best.probabilities.win == pytest.approx(1 - after[0], abs=1e-6)
    assert best.probabilities.win_gammon == pytest.approx(after[3], abs=1e-6)


def test_at_gammon_go_the_play_may_differ_and_equities_do():
    position = Board.opening()
    money = hint(GameState.at(position, rules=Rules(), dice="64"))
    trailer = hint(GameState.at(position, length=2, scores=(0, 1), is_crawford=True, dice="64"))
    assert [p.equity_cubeless for p in money] != [p.equity_cubeless for p in trailer]
    # gammons are worth a match to the trailer
    for play in trailer:
        five = play.probabilities
        chance = five.win_gammon + 0.5 * (five.win - five.win_gammon)
        assert (play.equity_cubeless + 1) / 2 * 0.5 == pytest.approx(chance, abs=0.02)


def test_the_last_checkers_are_worth_what_the_game_is():
    state = GameState.at(board({1: 2}, {6: 15}), rules=Rules(), cube=2, cube_owner=1, dice="21")
    (best,) = hint(state)
    assert best.equity_cubeful == best.equity_cubeless == 2  # a gammon, for each point of the cube


def test_a_dance_is_one_empty_play():
    closed = board({}, {point: 2 for point in range(1, 7)}, own_bar=1)
    (only,) = hint(GameState.at(closed, dice="65"))
    assert only.play == Play()
    assert only.board == closed


def test_a_position_of_an_id_is_ranked_like_its_game():
    position = Position.from_text("-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10")
    assert str(hint(position)[0].play) == "8/5 6/5"
    assert hint(position) == hint(position.to_state())
    with pytest.raises(BoardError, match="GameState or a Position"):
        hint(position.board)


def test_without_a_roll_there_is_nothing_to_rank():
    with pytest.raises(GameError, match="no roll"):
        hint(Game(Rules.money()).state)


def test_a_bad_evaluator_is_named():
    class Nan:
        def evaluate(self, boards):
            return np.full((len(boards), 5), np.nan)

    with pytest.raises(EvaluatorError, match="Nan"):
        hint(GameState.at(Board.opening(), dice="31"), evaluator=Nan())
