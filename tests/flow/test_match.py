"""Matches and money sessions: score, Crawford, who opens, records and files."""

import json
import os
import random

import pytest
from games import LOSERS, board
from hypothesis import given, settings
from hypothesis import strategies as st

from bgcore import (
    Board,
    DiceStream,
    Game,
    GameState,
    Match,
    MoneySession,
    Rules,
    ScriptedDice,
    Stage,
    load_series,
)
from bgcore.actions import Double, MakePlay, MakeStep, Resign
from bgcore.errors import BgcoreError, GameError, RecordError, RulesError
from bgcore.game_state import state_after
from bgcore.match import series_from_dict


def win(series, winner, points=1):
    """Let a player win the game being played, and some points: the other one resigns."""
    game = series.game
    if game.stage is Stage.OPENING:
        game.roll("31" if winner == 0 else "13")
        game.play(game.legal_plays()[0])
    assert game.on_roll != winner
    game.resign(points)
    game.accept()


def test_a_match_ends_when_a_player_has_its_points():
    match = Match(3, Rules.match(), names=("Ann", "Bob"))
    win(match, 0)
    assert (match.scores, match.winner, match.is_over) == ((1, 0), None, False)
    assert match.next_game().state.scores == (1, 0)
    win(match, 1, 2)
    match.next_game()
    assert (match.scores, match.needs) == ((1, 2), (2, 1))
    assert match.is_crawford
    win(match, 1)
    assert (match.scores, match.winner, match.is_over) == ((1, 3), 1, True)
    with pytest.raises(GameError, match="over"):
        match.next_game()


def test_surplus_points_have_no_value():
    match = Match(2)
    win(match, 1, 3)
    assert match.game.result.points == 3
    assert match.scores == (0, 2)
    assert match.winner == 1


def test_the_crawford_game_is_played_once_and_the_next_ones_are_not():
    match = Match(3)
    assert not match.is_crawford
    win(match, 0, 2)
    match.next_game()
    assert (match.scores, match.is_crawford, match.is_post_crawford) == ((2, 0), True, False)
    match.game.roll("31")
    match.game.play("8/5 6/5")
    assert not match.game.is_legal(Double())
    match.game.roll("21")
    match.game.play(match.game.legal_plays()[0])
    win(match, 1)
    match.next_game()
    assert (match.scores, match.is_crawford, match.is_post_crawford) == ((2, 1), False, True)
    match.game.roll("31")
    match.game.play("8/5 6/5")
    assert match.game.is_legal(Double())
    match.game.roll("21")
    match.game.play(match.game.legal_plays()[0])
    win(match, 1)
    match.next_game()
    assert (match.scores, match.is_crawford) == ((2, 2), False)
    match.game.roll("31")
    match.game.play("8/5 6/5")
    assert match.game.is_legal(Double())


def test_no_crawford_game_if_the_score_jumps_past_it_or_the_rules_have_none():
    match = Match(5)
    win(match, 0, 3)
    match.next_game()
    win(match, 0, 2)
    assert match.is_over
    assert not any(game.start.is_crawford for game in match.games)
    match = Match(3, Rules.match(crawford=False))
    win(match, 0, 2)
    assert not match.next_game().start.is_crawford


def test_a_match_to_1_has_no_crawford_game():
    # both need one point from the start: nobody came to it
    match = Match(1)
    assert not match.is_crawford
    match.game.roll("31")
    match.game.play("8/5 6/5")
    assert match.game.state.is_dead_cube


def test_a_score_at_the_start_tells_whether_crawford_was_played():
    assert Match(3, scores=(2, 0)).is_crawford
    after = Match(3, scores=(2, 0), crawford_played=True)
    assert not after.is_crawford
    assert after.is_post_crawford
    assert not Match(3, scores=(2, 2)).is_crawford


def test_the_next_game_waits_for_the_end_of_this_one():
    match = Match(3)
    with pytest.raises(GameError, match="game 1 is not over"):
        match.next_game()


def test_who_opens_later_games():
    by_dice = Match(5)
    win(by_dice, 1)
    assert by_dice.next_game().stage is Stage.OPENING
    by_winner = Match(5, Rules.match(next_opening="winner"))
    assert by_winner.game.stage is Stage.OPENING
    win(by_winner, 1)
    assert (by_winner.next_game().stage, by_winner.game.on_roll) == (Stage.ROLL, 1)
    assert not by_winner.game.is_legal(Double())


def test_undo_of_the_last_play_takes_the_points_back():
    match = Match(3)
    win(match, 0)
    assert match.scores == (1, 0)
    match.game.undo()
    assert match.scores == (0, 0)
    match.game.redo()
    assert match.scores == (1, 0)


def test_the_end_of_a_game_stands_once_the_next_one_has_begun():
    match = Match(3)
    win(match, 0)
    first = match.game
    assert first.can_undo
    match.next_game()
    assert not first.can_undo
    with pytest.raises(GameError, match="next game has begun"):
        first.undo()
    again = Match.from_dict(match.to_dict())
    with pytest.raises(GameError, match="next game has begun"):
        again.games[0].undo()
    with pytest.raises(GameError, match="next game has begun"):
        Match.of_games(match.games).games[0].undo()
    copy = Game.replay(first.record())
    copy.undo()
    assert not copy.is_over


def test_a_double_on_offer_is_kept_where_a_match_begins_with_it():
    asked = GameState.at(Board.opening(), length=7, scores=(2, 3), cube=2, cube_owner=0)
    match = Match.from_state(state_after(asked, Double()), dice=5)
    again = Match.from_dict(match.to_dict(), dice=5)
    assert (again.game.state, again.game.state.offer) == (match.game.state, 4)
    for one in (match, again):
        one.game.take()
        one.game.roll()
    assert again.game.state == match.game.state


def test_no_crawford_game_was_played_before_a_player_is_near():
    with pytest.raises(RulesError, match="Crawford"):
        Match(5, scores=(3, 1), crawford_played=True)
    with pytest.raises(RulesError, match="True or False"):
        Match(5, scores=(4, 1), crawford_played=1)


def test_a_resigned_game_credits_that_game_alone():
    match = Match(7, scores=(2, 1))
    win(match, 0, 3)
    assert match.scores == (5, 1)
    assert not match.is_over


def test_a_money_session_counts_points_over_any_number_of_games():
    session = MoneySession(Rules(cube_limit=64))
    for winner, points in ((0, 1), (1, 3), (0, 2), (1, 1), (1, 1)):
        win(session, winner, points)
        session.next_game()
    assert session.scores == (3, 5)
    assert session.balance == -2
    assert not session.is_over
    assert len(session.games) == 6


def test_the_dice_of_all_games_are_one_trial_in_order():
    stream = DiceStream(4, stratified=False)
    match = Match(9, dice=4, trial=3)
    seen = []
    while len(match.games) < 3:
        match.game.roll()
        while match.game.stage is Stage.OPENING:
            match.game.roll()
        match.game.play(match.game.legal_plays()[0])
        match.game.resign()
        match.game.accept()
        seen += [a.dice for a in match.game.actions if type(a).__name__ == "Roll"]
        match.next_game()
    assert seen == [stream.roll(3, n) for n in range(len(seen))]


def test_scripted_dice_go_on_in_the_next_game():
    session = MoneySession(dice=ScriptedDice([(3, 1), (6, 5)]))
    session.game.roll()
    session.game.resign()
    session.game.accept()
    session.next_game().roll()
    assert session.game.dice == (6, 5)


@pytest.mark.parametrize(
    "arguments",
    [
        {"length": 0},
        {"length": -1},
        {"length": 2.0},
        {"length": True},
        {"length": 10**6},
        {"length": 3, "scores": (3, 0)},
        {"length": 3, "scores": (-1, 0)},
        {"length": 3, "scores": 1},
        {"length": 3, "rules": Rules.money()},
        {"length": 3, "rules": "match"},
        {"length": 3, "names": ("Ann", "Ann")},
        {"length": 3, "names": "AB"},
        {"length": 3, "names": ("Ann", "")},
        {"length": 3, "names": ("Ann", "B\nob")},
        {"length": 3, "names": ("Ann", 3)},
        {"length": 3, "names": ("Ann", "Bob", "Cy")},
    ],
)
def test_matches_that_cannot_be_are_refused(arguments):
    with pytest.raises(RulesError):
        Match(**arguments)


def test_a_money_session_takes_no_rules_of_a_match():
    with pytest.raises(RulesError):
        MoneySession(Rules.match())


def test_a_series_can_begin_with_a_position():
    state = GameState.at(board({6: 2}, {6: 2}), on_roll=1, length=3, scores=(2, 1))
    match = Match.from_state(state)
    assert (match.game.on_roll, match.is_crawford, match.scores) == (1, False, (2, 1))
    match.game.resign()
    match.game.accept()
    assert match.winner == 0
    session = MoneySession.from_state(GameState.at(LOSERS[1]))
    session.game.roll("21")
    session.game.play(session.game.legal_plays()[0])
    assert session.scores == (1, 0)
    with pytest.raises(RulesError):
        MoneySession.from_state(state)
    with pytest.raises(RulesError):
        Match.from_state(GameState.at(LOSERS[1]))


# -- records --


def random_series(seed, series):
    """Play up to three games at random."""
    choices = random.Random(seed)
    for _ in range(3):
        game = series.game
        while not game.is_over:
            actions = game.legal_actions()
            if choices.random() < 0.9:
                actions = [a for a in actions if not isinstance(a, (Resign, MakeStep))] or actions
            game.do(choices.choice(actions), automatic=choices.random() < 0.05)
        if series.is_over:
            break
        series.next_game()
    return series


@settings(max_examples=12)
@given(st.integers(0, 2**31), st.sampled_from(["match", "money", "late", "position"]))
def test_records_lead_to_the_same_series(seed, kind):
    dice = DiceStream(seed, stratified=False)
    series = {
        "match": lambda: Match(3, dice=dice, names=("A", "B")),
        "money": lambda: MoneySession(Rules.money(beavers=3, auto_doubles=2), dice=dice),
        "late": lambda: Match(5, scores=(4, 1), crawford_played=True, dice=dice),
        "position": lambda: MoneySession.from_state(
            GameState.at(board({8: 2, 24: 1}, {20: 1, 6: 3}), on_roll=1, cube=2, cube_owner=0),
            dice=dice,
        ),
    }[kind]()
    random_series(seed, series)
    document = json.loads(json.dumps(series.to_dict()))
    again = series_from_dict(document, dice=dice)
    assert again.to_dict() == series.to_dict()
    assert [game.state for game in again.games] == [game.state for game in series.games]
    assert (again.scores, again.names, again.is_over) == (
        series.scores,
        series.names,
        series.is_over,
    )
    if not again.game.is_over and again.game.stage is Stage.OPENING:
        assert again.game.roll() == series.game.roll()


def test_save_and_load(tmp_path):
    match = random_series(3, Match(3, dice=3))
    path = tmp_path / "match.json"
    match.save(path)
    assert load_series(path).to_dict() == match.to_dict()
    assert isinstance(load_series(path), Match)
    match.save(path)  # again, over the old one
    assert os.listdir(tmp_path) == ["match.json"]


def test_a_save_that_fails_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "match.json"
    match = Match(3)
    match.save(path)
    before = path.read_bytes()
    match.game.roll("31")

    def no_space(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(OSError, match="No space"):
        match.save(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["match.json"]
    with pytest.raises(OSError, match="not a file"):
        match.save(tmp_path)


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"[]", b"3", b"\xff\xfe", b'{"format": "other"}', b"[" * 100_000]
    + [
        json.dumps(Match(3).to_dict()).replace('"length": 3', text).encode()
        for text in (
            '"length": 3, "length": 3',
            '"length": NaN',
            '"length": 1e400',
            f'"length": {"9" * 4000}',
            f'"length": {"9" * 5000}',
            '"length": 3.0',
        )
    ],
)
def test_files_that_are_no_records_are_refused(tmp_path, content):
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(RecordError):
        load_series(path)


def changed(**changes):
    match = Match(3)
    match.game.roll("31")
    match.game.play("8/5 6/5")
    match.game.double()
    match.game.drop()
    match.next_game()
    return {**match.to_dict(), **changes}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"version": 2}, "version 2"),
        ({"kind": "chess"}, "chess"),
        ({"kind": "money"}, "length"),
        ({"length": 0}, "length"),
        ({"rules": {"match_play": True, "jacoby": True}}, "Jacoby"),
        ({"rules": []}, "rules"),
        ({"names": ["A"]}, "names"),
        ({"games": []}, "one game"),
        ({"games": [3]}, "mapping"),
        ({"games": [{"rules": {}, "actions": []}]}, "its rules"),
        ({"games": [{"length": 9, "actions": []}]}, "length"),
        ({"scores": [3, 0]}, "score is"),
        ({"scores": None}, "score is"),
        ({"crawford_played": 1}, "True or False"),
        ({"crawford_played": True}, "Crawford"),
        ({"games": [{"actions": ["roll 3-1", "play 8/3"]}]}, "game 1: action 2"),
        ({"games": [{"actions": []}, {"actions": []}]}, "game 1 is not over"),
    ],
)
def test_records_that_cannot_be_are_refused(changes, words):
    with pytest.raises(RecordError, match=words):
        Match.from_dict(changed(**changes))


def test_a_record_whose_scores_results_or_crawford_flags_are_wrong_is_refused():
    document = changed()
    document["games"][1]["scores"] = [2, 0]
    with pytest.raises(RecordError, match="game 2: it begins at 2-0"):
        Match.from_dict(document)
    document = changed()
    document["games"][0]["result"]["points"] = 2
    with pytest.raises(RecordError, match="game 1: it says"):
        Match.from_dict(document)
    match = Match(3, scores=(2, 0)).to_dict()
    del match["games"][0]["crawford"]
    with pytest.raises(RecordError, match="Crawford"):
        Match.from_dict(match)


def test_a_record_of_the_other_kind_is_refused():
    with pytest.raises(RecordError, match="'money'"):
        Match.from_dict(MoneySession().to_dict())


def test_a_record_of_a_game_in_progress_can_go_on():
    match = Match(3, dice=8)
    match.game.roll()
    again = Match.from_dict(match.to_dict(), dice=8)
    for series in (match, again):
        while series.game.stage is Stage.OPENING:
            series.game.roll()
        series.game.do(MakePlay(series.game.legal_plays()[0]))
        series.game.roll()
    assert again.game.state == match.game.state
    assert isinstance(again.game, Game)


def test_bad_input_is_one_of_our_errors():
    for document in ({}, {"format": "bgcore-games"}, {"format": "bgcore-games", "version": 1}):
        with pytest.raises(BgcoreError):
            series_from_dict(document)
