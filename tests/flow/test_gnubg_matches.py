"""Every game of 201 matches and 100 money games of GNU Backgammon is played again.

The games, scores, values and Crawford games are the program's own record, see
tests/support/make_gnubg_matches.py.
"""

from collections import Counter
from dataclasses import replace
from functools import cache

import pytest
from mat_reader import Action, Game, Match, read_matches

from bgcore import Board, Phase

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


# ---- plays, cube and values ----


@pytest.mark.parametrize("start", NAMES)
def test_games_are_legal_and_worth_what_the_record_says(start: str) -> None:
    for match, game in games(start):
        try:
            replay(game, is_money=match.length == 0)
        except Exception as error:
            error.add_note(f"{match.name}, game {game.number}")
            raise


def replay(game: Game, *, is_money: bool) -> None:
    """Play a game again and check its plays, turns, cube values and points."""
    board = Board.opening()
    cube, owner = 1, None
    to_act = to_roll = game.actions[0].player
    for i, action in enumerate(game.actions):
        assert action.player == to_act
        assert board.phase is not Phase.OVER
        match action.kind:
            case "play":
                assert to_act == to_roll
                is_last = i == len(game.actions) - 1
                if is_last and not action.play and not board.legal_plays(action.dice).is_dance:
                    # rolled, and then the game was resigned before a play
                    assert game.sgf.resigned
                    break
                board = board.after(action.play or "(no play)", action.dice).swapped()
                to_act = to_roll = 1 - to_roll
            case "double":
                assert to_act == to_roll
                assert owner in (None, to_act)
                assert action.cube == 2 * cube
                to_act = 1 - to_act
            case "beaver":
                assert is_money
                assert action.cube == 2 * game.actions[i - 1].cube
                to_act = 1 - to_act
            case "take":
                cube = game.actions[i - 1].cube
                owner = owner_after_take(game.actions[:i])
                to_act = to_roll
            case "drop":
                assert i == len(game.actions) - 1
                assert game.winner == 1 - to_act
                # the cube as it was before the last offer
                before = game.actions[i - 1]
                assert before.kind == "double"
                assert game.points == cube
                return
    is_dead = is_money and owner is None  # Jacoby rule
    if game.sgf.resigned:
        assert game.points in {cube * factor for factor in ((1,) if is_dead else (1, 2, 3))}
    else:
        assert board.phase is Phase.OVER
        # the loser is the one who would roll now
        assert game.winner == 1 - to_roll
        assert game.points == cube * (1 if is_dead else -board.value)


def owner_after_take(actions: tuple[Action, ...]) -> int:
    """Return who owns the cube: who was doubled, also if he or the other one beavered."""
    offer = next(i for i in reversed(range(len(actions))) if actions[i].kind == "double")
    return 1 - actions[offer].player
