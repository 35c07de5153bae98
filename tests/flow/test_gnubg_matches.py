"""Every game of 201 matches and 100 money games of GNU Backgammon is played again.

The games, scores, values and Crawford games are the program's own record, see
tests/support/make_gnubg_matches.py.
"""

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from mat_reader import Game, Match, read_matches

from bgcore import Game as PlayedGame
from bgcore import Match as Series
from bgcore import MoneySession, Rules, Stage
from bgcore.actions import Beaver, Raccoon

NAMES = ["match-0", "match-1", "match-2", "money", "resigned"]


@cache
def matches(start: str) -> tuple[Match, ...]:
    return tuple(read_matches(start))


def games(start: str = "") -> list[tuple[Match, Game]]:
    return [(match, game) for match in matches(start) for game in match.games]


# ---- the record itself ----


def test_the_record_holds_what_it_should() -> None:
    assert Counter(match.length for match in matches("")) == {7: 201, 0: 5}
    assert all(match.players == ("Anna", "Ben") for match in matches(""))
    assert [len(match.games) for match in matches("money")] == [20] * 5
    actions = Counter(action.kind for _, game in games() for action in game.actions)
    assert actions == {"play": 44_052, "double": 1_122, "beaver": 52, "take": 766, "drop": 356}
    ends = Counter(end_of(game) for _, game in games())
    assert ends == {"played": 252, "dropped": 356, "resigned": 421}
    assert sum(game.sgf.crawford for _, game in games()) == 92
    automatic = [(match.name, game.number) for match, game in games() if game.sgf.start_cube > 1]
    assert automatic == [("money-5", 14)]


def end_of(game: Game) -> str:
    if game.sgf.resigned:
        return "resigned"
    return "dropped" if game.actions[-1].kind == "drop" else "played"


def test_both_files_tell_the_same_game() -> None:
    for match, game in games():
        place = match.name, game.number
        assert game.score == game.sgf.score, place
        assert game.winner == game.sgf.winner, place
        assert game.points * game.sgf.start_cube == game.sgf.points, place
        actions = [replace(action, play=action.play.replace("*", "")) for action in game.actions]
        assert actions == list(game.sgf.actions), place


# ---- scores and the Crawford game ----


def test_scores_follow_from_the_points() -> None:
    for match in matches(""):
        score = (0, 0)
        for number, game in enumerate(match.games, 1):
            assert game.number == number, match.name
            assert game.score == score, (match.name, number)
            score = game.score_after
        if match.length:
            assert max(score) >= match.length > min(score), match.name
            assert max(match.games[-1].score) < match.length, match.name


def test_crawford_game_is_the_first_one_with_a_player_one_point_away() -> None:
    for match in matches(""):
        near = [game.number for game in match.games if match.length - 1 in game.score]
        right = near[:1] if match.length else []
        assert [game.number for game in match.games if game.sgf.crawford] == right, match.name


def test_nobody_doubles_in_a_crawford_game() -> None:
    for match, game in games():
        if game.sgf.crawford:
            assert all(action.kind == "play" for action in game.actions), match.name


def test_jacoby_rule_is_on_in_money_games_only() -> None:
    for match, game in games():
        assert game.sgf.jacoby == (match.length == 0)


# ---- plays, cube, values and scores, as bgcore's matches and sessions play them ----


@pytest.mark.parametrize("start", NAMES)
def test_matches_played_again_have_every_value_score_and_crawford_flag(start: str) -> None:
    for match in matches(start):
        series = Series(match.length) if match.length else MoneySession(Rules.money(beavers=3))
        for game in match.games:
            try:
                replay(series.game, game)
                assert series.game.start.is_crawford == game.sgf.crawford
                assert series.game.start.scores == game.score
                assert series.game.result.winner == game.winner
                assert series.game.result.points == game.points
                if match.length:
                    assert series.scores == tuple(min(s, match.length) for s in game.score_after)
                else:
                    assert series.scores == game.score_after
            except Exception as error:
                error.add_note(f"{match.name}, game {game.number}")
                raise
            if not series.is_over:
                series.next_game()
        if match.length:
            assert series.winner == match.games[-1].winner


def replay(played: PlayedGame, game: Game) -> None:
    """Play a game of the record again; whose turn it is must agree at every action."""
    for i, action in enumerate(game.actions):
        if played.stage is not Stage.OPENING:
            assert played.actor == action.player
        match action.kind:
            case "play":
                # the opening roll is one die of each player, and the higher one begins
                low, high = sorted(int(die) for die in action.dice)
                first = played.stage is Stage.OPENING
                dice = (high, low) if action.player == 0 or not first else (low, high)
                played.roll(dice)
                assert played.on_roll == action.player
                legal = played.legal_plays()
                if not action.play and not legal.is_dance:
                    # rolled, and then the game was resigned before a play
                    assert game.sgf.resigned
                    assert i == len(game.actions) - 1
                    break
                played.play(action.play or "(no play)")
            case "double":
                played.double()
                assert played.state.offer == action.cube
            case "beaver":
                # both beavers and raccoons have that name in the files
                played.do(Raccoon() if played.state.returns % 2 else Beaver())
                assert played.state.offer == action.cube
            case "take":
                played.take()
            case "drop":
                played.drop()
    if game.sgf.resigned:
        assert played.actor == 1 - game.winner
        played.resign(game.points // played.cube.value)
        played.accept()
    assert played.result.ending == end_of(game)
