"""The state machine of one game: what may be done, what follows, and what is refused."""

import json
import pickle
import random

import pytest
from games import LOSERS, board, last_checker
from hypothesis import given, settings
from hypothesis import strategies as st

from bgcore import (
    Board,
    DiceStream,
    Game,
    GameRecord,
    GameState,
    Play,
    Plays,
    Rules,
    ScriptedDice,
    Stage,
)
from bgcore.actions import (
    Accept,
    Action,
    Beaver,
    Double,
    Drop,
    MakePlay,
    MakeStep,
    Pass,
    Raccoon,
    Refuse,
    Resign,
    Roll,
    Take,
    parse_action,
)
from bgcore.dice import throw
from bgcore.errors import (
    BgcoreError,
    BoardError,
    DiceError,
    GameError,
    IllegalPlayError,
    InvalidPlayError,
    RecordError,
    RulesError,
)
from bgcore.game_state import is_legal, legal_actions, why_illegal

MONEY = Rules.money(beavers=2)


def opened(rules=MONEY, dice="31", **start):
    """A game whose opening roll was thrown: player 0 begins with 3-1."""
    game = Game(start=GameState.start(rules, **start))
    game.roll(dice)
    return game


def second_turn(rules=MONEY, **start):
    """A game in which player 1 may double or roll."""
    game = opened(rules, **start)
    game.play("8/5 6/5")
    return game


def refused(game, action, words=None):
    """Check that an action is refused with these words and that nothing changes."""
    before, history = game.state, game.history
    with pytest.raises(BgcoreError, match=words) as caught:
        game.do(action)
    assert game.state == before
    assert game.history == history
    assert not game.is_legal(action)
    assert str(caught.value)


# -- the opening --


def test_the_higher_die_begins_and_plays_both_numbers():
    game = Game(MONEY)
    assert (game.stage, game.on_roll, game.actor) == (Stage.OPENING, None, None)
    assert game.legal_actions() == game.legal_actions(0) == game.legal_actions(1) == (Roll(),)
    game.roll((3, 5))
    assert (game.stage, game.on_roll, game.dice) == (Stage.PLAY, 1, (3, 5))
    assert len(game.legal_plays()) == len(Board.opening().legal_plays("53"))


def test_equal_dice_in_the_opening_are_rolled_again():
    game = Game(MONEY)
    for faces in ("11", "66", "44"):
        game.roll(faces)
        assert (game.stage, game.cube.value) == (Stage.OPENING, 1)
    game.roll("21")
    assert game.on_roll == 0


def test_an_automatic_double_turns_the_cube_in_the_middle_as_often_as_agreed():
    for limit, value in ((0, 1), (1, 2), (2, 4), (None, 16)):
        game = Game(Rules.money(auto_doubles=limit))
        for _ in range(4):
            game.roll("22")
        assert (game.cube.value, game.cube.owner) == (value, None)
        game.roll("12")
        assert game.on_roll == 1


def test_automatic_doubles_stop_at_the_limit_of_the_cube():
    game = Game(Rules.money(auto_doubles=None, cube_limit=4))
    for _ in range(4):
        game.roll("22")
    assert game.cube.value == 4


def test_no_double_in_the_first_turn():
    game = Game(MONEY)
    refused(game, Double(), "waits for: opening")
    game.roll("31")
    refused(game, Double(), "waits for: play")
    game = Game(start=GameState.start(Rules.money(next_opening="winner"), starter=1))
    assert game.on_roll == 1
    refused(game, Double(), "first turn")
    game.roll("66")  # who begins without an opening roll may throw a doublet
    assert game.stage is Stage.PLAY


# -- the cube --


def test_after_a_take_the_taker_owns_the_cube_and_the_doubler_rolls():
    game = second_turn()
    assert game.actor == game.on_roll == 1
    game.double()
    assert (game.actor, game.on_roll, game.cube.value, game.state.offer) == (0, 1, 1, 2)
    assert game.legal_actions(1) == ()
    assert game.legal_actions(0) == (Take(), Drop(), Beaver())
    game.take()
    assert (game.cube.value, game.cube.owner, game.actor) == (2, 0, 1)
    refused(game, Double(), "opponent owns the cube")
    game.roll("61")
    game.play(game.legal_plays()[0])
    assert game.is_legal(Double())  # the owner may redouble


def test_a_drop_ends_the_game_at_the_value_before_the_double():
    game = second_turn()
    game.double()
    game.drop()
    assert game.is_over
    assert (game.result.winner, game.result.points, game.result.cube) == (1, 1, 1)
    assert game.state.offer == 0
    assert game.legal_actions() == ()
    refused(game, Take(), "over")


def test_beaver_and_raccoon_go_back_and_forth_and_the_taker_keeps_the_cube():
    game = second_turn(Rules.money(beavers=3))
    game.double()
    refused(game, Raccoon(), "answers a beaver")
    game.beaver()
    assert (game.actor, game.state.offer) == (1, 4)
    refused(game, Beaver(), "answers a double")
    game.raccoon()
    assert (game.actor, game.state.offer) == (0, 8)
    game.beaver()
    assert (game.actor, game.state.offer) == (1, 16)
    refused(game, Raccoon(), "3 times")
    game.take()
    assert (game.cube.value, game.cube.owner, game.actor, game.stage) == (16, 0, 1, Stage.ROLL)


def test_beavers_only_where_the_rules_have_them():
    game = second_turn(Rules.money(beavers=0))
    game.double()
    refused(game, Beaver(), "not")
    game = second_turn(Rules.money(beavers=1))
    game.double()
    game.beaver()
    refused(game, Raccoon(), "once")


def test_a_beaver_of_redoubles_is_an_option():
    for doubles, legal in (("every", True), ("initial", False)):
        rules = Rules.money(beaver_doubles=doubles)
        game = Game(start=GameState.at(LOSERS[1], rules=rules, cube=2, cube_owner=0))
        game.double()
        assert game.is_legal(Beaver()) is legal


def test_a_beaver_that_cannot_be_dropped():
    game = second_turn(Rules.money(beaver_drop=False))
    game.double()
    assert game.is_legal(Drop())
    game.beaver()
    refused(game, Drop(), "cannot be dropped")


def test_no_double_and_no_beaver_beyond_the_limit():
    rules = Rules.money(cube_limit=4, beavers=5)
    game = Game(start=GameState.at(LOSERS[1], rules=rules, cube=2, cube_owner=0))
    game.double()
    refused(game, Beaver(), "limit of 4")
    game.take()
    game = Game(start=GameState.at(LOSERS[1], rules=rules, cube=4, cube_owner=0))
    refused(game, Double(), "limit of 4")


def test_match_to_3_at_2_0_is_the_crawford_game_and_2_2_is_not():
    game = second_turn(Rules.match(), length=3, scores=(2, 0), is_crawford=True)
    refused(game, Double(), "Crawford")
    game = second_turn(Rules.match(), length=3, scores=(2, 2))
    assert game.state.is_post_crawford
    assert game.state.is_dead_cube
    game.double()
    assert game.actor == 0


def test_a_dead_cube_can_be_forbidden():
    game = second_turn(Rules.match(forbid_dead=True), length=3, scores=(0, 2))
    refused(game, Double(), "dead")
    game = second_turn(Rules.match(forbid_dead=True), length=3, scores=(2, 0))
    assert game.is_legal(Double())  # player 1 needs 3 points


def test_holland_rule_after_crawford_both_have_rolled_twice_before_a_double():
    rules = Rules.match(holland=True)
    game = opened(rules, length=3, scores=(2, 1))
    for turn in range(2, 6):
        game.play(game.legal_plays()[0])
        assert game.is_legal(Double()) is (turn > 4), turn
        game.roll("21")
    before_crawford = second_turn(rules, length=5, scores=(2, 1))
    assert before_crawford.is_legal(Double())


def test_by_the_holland_rule_extra_turns_do_not_stand_for_the_other_ones_rolls():
    game = opened(Rules.match(holland=True, extra_turn=True), length=3, scores=(2, 1))
    game.play(game.legal_plays()[0])
    for dice in ("22", "11", "21"):
        assert (game.on_roll, game.is_legal(Double())) == (1, False)
        game.roll(dice)
        game.play(game.legal_plays()[0])
    assert (game.on_roll, game.state.turns, game.state.rolled) == (0, 4, (1, 3))
    refused(game, Double(), "rolled twice")
    game.roll("21")
    game.play(game.legal_plays()[0])
    assert game.is_legal(Double())


def test_by_the_holland_rule_a_pass_is_no_roll():
    closed = board({6: 3, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2, 13: 2}, {6: 5, 5: 5, 4: 4}, other_bar=1)
    rules = Rules.match(holland=True, skip_closed_out=True, layout=closed)
    game = Game(start=GameState.start(rules, length=3, scores=(2, 1)))
    game.roll("31")
    for play in ("13/10 13/12", "12/9", "10/7"):
        game.play(play)
        assert game.legal_actions()[0] == Pass()
        assert not game.is_legal(Double())
        game.pass_turn()
        assert not game.is_legal(Double())
        game.roll("21")


def test_where_a_game_is_set_up_the_holland_rule_is_past():
    state = GameState.at(
        Board.opening(), rules=Rules.match(holland=True), length=3, scores=(2, 1), on_roll=1
    )
    assert is_legal(state, Double())


def test_no_beaver_in_a_match():
    game = second_turn(Rules.match(), length=7)
    game.double()
    assert game.legal_actions() == (Take(), Drop())


def test_without_a_cube_there_is_nothing_to_double():
    refused(second_turn(Rules.casual()), Double(), "no cube")


# -- plays --


def test_plays_are_read_leniently_and_recorded_whole():
    game = opened()
    assert game.play("6/5, 8/5").on_roll == 1
    assert str(game.actions[-1]) == "play 8/5 6/5"
    assert game.board == Board.opening().after("8/5 6/5", "31").swapped()


def test_the_same_by_steps_in_any_order():
    whole = opened()
    whole.play("8/5 6/5")
    for steps in ([(8, 5), (6, 5)], [(6, 5), (8, 5)]):
        game = opened()
        for start, to in steps:
            assert game.on_roll == 0
            game.step(start, to)
        assert game.state == whole.state
        assert [turn.play for turn in game.turns()] == [Play([(8, 5), (6, 5)])]


def test_a_turn_begun_by_steps_is_completed_by_steps():
    game = opened()
    game.step(8, 5)
    refused(game, MakePlay("8/5 6/5"), "step by step")
    refused(game, MakeStep(8, 5), "not legal with the dice left")
    refused(game, Resign(1), "begun")
    assert {(s.start, s.to) for s in game.legal_steps()} == {
        (start, start - 1) for start in (5, 6, 8, 24)
    }
    assert game.legal_actions() == tuple(game.legal_steps())
    game.undo()
    assert game.is_legal(MakePlay("8/5 6/5"))


def test_a_step_that_leaves_the_other_die_unplayable_is_refused():
    # one checker on 24, the 13-point held: 6-5 can be played only with the 6
    game = Game(start=GameState.at(board({24: 1}, {12: 2}), dice="65"))
    assert [str(play) for play in game.legal_plays()] == ["24/18"]
    assert game.legal_steps() == [MakeStep(24, 18, 6)]
    refused(game, MakeStep(24, 19), "not legal")


def test_by_house_rule_either_number_may_be_chosen():
    rules = Rules.casual(any_number=True)
    game = Game(start=GameState.at(board({24: 1}, {12: 2}), rules=rules, dice="65"))
    assert sorted(str(play) for play in game.legal_plays()) == ["24/18", "24/19"]
    assert set(game.legal_steps()) == {MakeStep(24, 18, 6), MakeStep(24, 19, 5)}
    game.step(24, 19)
    assert game.on_roll == 1


def test_at_most_five_checkers_on_a_point_by_house_rule():
    game = opened(Rules.casual(own_limit=5), dice="61")
    assert "13/7 8/7" in game.legal_plays()
    assert "7/6" not in " ".join(map(str, game.legal_plays()))
    assert opened(Rules.casual(), dice="21").is_legal(MakePlay("8/6 7/6")) is False
    assert opened(Rules.casual(), dice="21").is_legal(MakePlay("8/6 24/23"))
    assert not opened(Rules.casual(own_limit=5), dice="21").is_legal(MakePlay("8/6 24/23"))


def test_the_last_checker_and_the_duty_to_use_both_dice():
    position = board({3: 1}, {23: 1, 6: 2})  # a blot of the opponent on my 2
    standard = Game(start=GameState.at(position, dice="31"))
    assert [str(play) for play in standard.legal_plays()] == ["3/2*/off"]
    early = Game(start=GameState.at(position, rules=Rules.casual(finish_early=True), dice="31"))
    assert {str(play) for play in early.legal_plays()} == {"3/2*/off", "3/off"}
    early.step(3, 0)
    assert early.is_over


def test_two_results_with_men_on_4_and_2_and_6_2():
    game = Game(start=GameState.at(board({4: 1, 2: 1}, {6: 2}), dice="62"))
    # the second one is 4/2/off, one checker with both dice
    assert [str(play) for play in game.legal_plays()] == ["4/off 2/off", "4/off"]
    game.play("4/off 2/off")
    assert game.result.winner == 0


def test_a_dance_is_one_empty_play():
    closed = board({}, {point: 2 for point in range(1, 7)}, own_bar=1)
    game = Game(start=GameState.at(closed, dice="65"))
    assert [a for a in game.legal_actions() if not isinstance(a, Resign)] == [MakePlay(Play())]
    game.play("no play")
    assert game.on_roll == 1


def test_backward_moves_and_nonsense_are_refused():
    game = opened()
    refused(game, MakePlay("5/8"), "forward")
    refused(game, MakePlay("hello"), "cannot read")
    refused(game, MakeStep(5, 8), "not legal")
    refused(game, MakePlay(Play([(8, 4)])), "2 dice")
    for error, play in ((InvalidPlayError, "8/"), (IllegalPlayError, "24/18")):
        with pytest.raises(error):
            game.play(play)


def test_a_bear_off_step_uses_the_exact_die():
    game = Game(start=GameState.at(board({3: 2}, {6: 2}), dice="63"))
    assert set(game.legal_steps()) == {MakeStep(3, 0, 6), MakeStep(3, 0, 3)}
    game.step(3, 0)
    assert game.state.dice_left == (6,)
    game.undo()
    game.step(3, 0, die=6)
    assert game.state.dice_left == (3,)


# -- turns --


def test_a_doublet_gives_another_turn_by_house_rule_and_the_cube_stays():
    game = second_turn(Rules.money(extra_turn=True))
    game.roll("22")
    game.play("13/11(2) 6/4(2)")
    assert (game.on_roll, game.stage, game.state.chain) == (1, Stage.ROLL, 1)
    refused(game, Double(), "extra turn")
    game.roll("31")
    game.play(game.legal_plays()[0])
    assert (game.on_roll, game.state.chain) == (0, 0)
    assert game.is_legal(Double())


def test_extra_turns_end_with_the_chain_limit():
    game = second_turn(Rules.casual(extra_turn=True, max_chain=2))
    for on_roll in (1, 1, 0):
        game.roll("11")
        game.play(game.legal_plays()[0])
        assert game.on_roll == on_roll


def test_an_extra_turn_after_a_doublet_that_could_not_be_played_in_full():
    blocked = board({24: 2}, {9: 2, 6: 2})  # both on 20 after 4-4, and 16 is held
    for forfeit, on_roll in ((False, 0), (True, 1)):
        rules = Rules.casual(extra_turn=True, extra_turn_forfeit=forfeit)
        game = Game(start=GameState.at(blocked, rules=rules, dice="44"))
        assert [str(play) for play in game.legal_plays()] == ["24/20(2)"]
        game.play("24/20(2)")
        assert game.on_roll == on_roll


def test_a_closed_out_player_may_pass_without_rolling_and_still_double():
    closed = board({}, {point: 2 for point in range(1, 7)}, own_bar=1)
    standard = Game(start=GameState.at(closed))
    assert standard.is_legal(Roll())
    refused(standard, Pass(), "skip_closed_out")
    game = Game(start=GameState.at(closed, rules=Rules.money(skip_closed_out=True)))
    refused(game, Roll((2, 1)), "passed")
    assert game.is_legal(Double())
    game.pass_turn()
    assert game.on_roll == 1
    refused(game, Pass(), "can move")


# -- resignation --


def test_a_resignation_is_offered_and_answered():
    game = second_turn(Rules(cube_limit=64))
    game.double()
    game.take()
    game.resign(2)
    assert (game.stage, game.actor, game.on_roll) == (Stage.RESIGNATION, 0, 1)
    assert game.legal_actions() == (Accept(), Refuse())
    assert game.legal_actions(1) == ()
    game.accept()
    assert (game.result.winner, game.result.points, game.result.ending) == (0, 4, "resigned")


def test_a_refused_resignation_can_only_be_raised_before_the_next_roll():
    game = second_turn(Rules())
    game.resign(1)
    game.refuse()
    assert game.actor == 1
    refused(game, Resign(1), "refused just now")
    assert game.is_legal(Resign(2))
    game.roll("21")
    assert game.is_legal(Resign(1))
    game.resign(1)
    game.refuse()
    assert (game.stage, game.dice) == (Stage.PLAY, (2, 1))


def test_no_more_is_resigned_than_can_be_lost():
    assert [a.kind for a in second_turn(Rules()).legal_actions() if isinstance(a, Resign)] == [
        1,
        2,
        3,
    ]
    under_jacoby = second_turn(Rules.money())
    refused(under_jacoby, Resign(2), "no more than a single game")
    off = Game(start=GameState.at(board({6: 14}, {6: 15}), rules=Rules()))
    refused(off, Resign(2), "single")
    with pytest.raises(GameError):
        Resign(0)
    with pytest.raises(GameError):
        Resign(4)


# -- history and records --


def test_undo_and_redo_of_a_hit_restore_the_blot_exactly():
    game = Game(start=GameState.at(board({8: 1, 6: 2}, {20: 1, 6: 2}), dice="31"))
    before = game.state
    game.play("8/5*/4")
    after = game.state
    assert after.board.bar == 1
    game.undo()
    assert game.state == before
    assert game.can_redo
    game.redo()
    assert game.state == after
    with pytest.raises(GameError, match="redo"):
        game.redo()
    game.undo()
    with pytest.raises(GameError, match="undo"):
        game.undo()


def test_a_new_action_after_undo_forgets_what_was_undone():
    game = opened()
    game.play("8/5 6/5")
    game.undo()
    game.play("24/23 13/10")
    assert not game.can_redo


def test_dice_from_a_stream_are_thrown_again_after_undo():
    game = Game(MONEY, dice=5)
    game.roll()
    dice = game.dice
    game.undo()
    game.roll()
    assert game.dice == dice == DiceStream(5, stratified=False).roll(0, 0)


def test_dice_from_a_script_and_from_the_user():
    game = Game(MONEY, dice=ScriptedDice([(3, 1), (6, 5)]))
    game.roll()
    game.play("8/5 6/5")
    game.roll()
    assert game.dice == (6, 5)
    game.play("24/13")
    with pytest.raises(DiceError, match="run out"):
        game.roll()
    by_hand = Game(MONEY)
    with pytest.raises(GameError, match="say what was rolled"):
        by_hand.roll()
    with pytest.raises(DiceError):
        by_hand.roll("70")


def test_a_game_replays_from_its_record():
    game = Game(Rules.money(), dice=11)
    game.roll()
    while game.stage is Stage.OPENING:
        game.roll()
    game.play(game.legal_plays()[3])
    game.double()
    game.beaver()
    game.take()
    game.roll()
    for step in range(4):
        if game.state.steps or step == 0:
            first = game.legal_steps()[0]
            game.step(first.start, first.to, first.die)
    document = json.loads(json.dumps(game.record().to_dict()))
    again = Game.replay(GameRecord.from_dict(document))
    assert again.state == game.state
    assert again.history == game.history
    assert pickle.loads(pickle.dumps(game.state)) == game.state


def test_a_record_that_breaks_a_rule_is_refused_with_the_action():
    good = ["roll 3-1", "play 8/5 6/5", "roll 2-1"]
    record = GameRecord.from_dict({"rules": Rules.money().to_dict(), "actions": good})
    assert Game.replay(record).on_roll == 1
    for bad, words in (
        ("double", "action 4, 'double'"),
        ("play 8/4", "action 4"),
        ("roll", "action 4"),
    ):
        record = GameRecord.from_dict({"rules": Rules.money().to_dict(), "actions": [*good, bad]})
        with pytest.raises(RecordError, match=words):
            Game.replay(record)


@pytest.mark.parametrize(
    "document",
    [
        None,
        [],
        {"action": []},
        {"actions": "roll 3-1"},
        {"actions": ["fly"]},
        {"actions": [3]},
        {"actions": ["step 30/2"]},
        {"actions": ["resign twice"]},
        {"actions": [], "automatic": [0]},
        {"actions": [], "automatic": 1},
        {"actions": [], "board": [1], "cube": [1, 0]},
        {"actions": [], "board": [0] * 26, "cube": 1},
        {"actions": [], "scores": [1]},
        {"actions": [], "scores": [1, -1]},
        {"actions": [], "on_roll": 2},
        {"actions": [], "rules": {"jacoby": 3}},
        {"actions": [], "rules": {}, "length": 7},
        {"actions": [], "crawford": True},
    ],
)
def test_documents_that_are_no_records_are_refused(document):
    with pytest.raises(BgcoreError):
        GameRecord.from_dict(document)


@pytest.mark.parametrize(
    "action",
    [
        Roll("31"),
        Roll(),
        Double(),
        Take(),
        Drop(),
        Beaver(),
        Raccoon(),
        Pass(),
        Accept(),
        Refuse(),
        Resign(1),
        Resign(2),
        Resign(3),
        MakeStep(25, 20, 5),
        MakeStep(6, 0),
    ],
)
def test_every_action_has_a_text_that_reads_back(action):
    assert parse_action(str(action)) == action


def test_the_text_of_a_play_reads_back_as_a_play_to_be_found():
    assert parse_action("play 24/18* 13/10") == MakePlay("24/18* 13/10")


# -- states of one's own --


def test_a_position_of_ones_own():
    state = GameState.at(LOSERS[1], on_roll=1, cube=4, cube_owner=1, length=9, scores=(3, 5))
    assert (state.actor, state.needs, state.cube.value) == (1, (6, 4), 4)
    assert state.is_dead_cube
    assert state.board_swapped_for(0) == LOSERS[1].swapped()
    assert state.board_swapped_for(1) == LOSERS[1]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"on_roll": 2}, RulesError),
        ({"cube": 3}, RulesError),
        ({"cube_owner": 5}, RulesError),
        ({"dice": "70"}, DiceError),
        ({"length": -1}, RulesError),
        ({"length": 3, "scores": (3, 0)}, RulesError),
        ({"length": 3, "scores": (1, 0), "is_crawford": True}, RulesError),
        ({"length": 3, "scores": (2, 2), "is_crawford": True}, RulesError),
        ({"scores": (2, 2), "is_crawford": True}, RulesError),
        ({"length": 3, "scores": (2, 0), "is_crawford": True, "cube": 2}, RulesError),
        ({"length": 3, "rules": Rules.money()}, RulesError),
        ({"rules": Rules.match()}, RulesError),
        ({"rules": Rules.casual(), "cube": 2}, RulesError),
        ({"scores": (1, 2, 3)}, RulesError),
        ({"scores": (1.0, 2)}, RulesError),
        ({"scores": None}, RulesError),
    ],
)
def test_states_that_cannot_be_are_refused(arguments, error):
    with pytest.raises(error):
        GameState.at(LOSERS[1], **arguments)


def test_finished_and_impossible_boards_are_no_states():
    over = last_checker({6: 5}).after("1/off", "21")
    with pytest.raises(BoardError):
        GameState.at(over)
    with pytest.raises(RulesError):
        GameState.at([0] * 26)
    with pytest.raises(RulesError):
        GameState.at(board({1: 1}, {1: 1}, n_checkers=3))
    with pytest.raises(RulesError, match="rules or a start"):
        Game(MONEY, start=GameState.start())


# -- random games keep the invariants --

EVERY_ACTION = [
    Roll((2, 1)),
    Roll((6, 6)),
    Double(),
    Take(),
    Drop(),
    Beaver(),
    Raccoon(),
    Pass(),
    Accept(),
    Refuse(),
    Resign(1),
    Resign(2),
    Resign(3),
    MakePlay("8/5 6/5"),
    MakePlay(Play()),
    MakePlay("24/18"),
    MakeStep(24, 20),
    MakeStep(25, 20),
    MakeStep(6, 0),
    Action(),
]

RULES = [
    (Rules.money(), 0, (0, 0)),
    (Rules.money(beavers=4, auto_doubles=None, cube_limit=64), 0, (3, 5)),
    (
        Rules(beavers=2, beaver_doubles="initial", beaver_drop=False, skip_closed_out=True),
        0,
        (0, 0),
    ),
    (Rules.money(extra_turn=True, max_chain=2, any_number=True, own_limit=6), 0, (0, 0)),
    (Rules.casual(payoff="gammon", finish_early=True), 0, (0, 0)),
    (Rules.match(), 5, (1, 3)),
    (Rules.match(holland=True, forbid_dead=True), 3, (2, 1)),
    (Rules.match(cube=False, payoff="single", extra_turn=True, extra_turn_forfeit=True), 1, (0, 0)),
]


def invariants(state):
    n = state.rules.n_checkers
    cells = state.board.to_list()
    assert state.board.is_valid()
    assert sum(c for c in cells[1:] if c > 0) + state.board.off == n
    assert -sum(c for c in cells if c < 0) + state.board.opponent_off == n
    assert state.cube.value & (state.cube.value - 1) == 0
    assert state.cube.value <= state.rules.cube_limit
    assert (state.actor is None) == (state.stage in (Stage.OPENING, Stage.OVER))
    assert (state.result is not None) == (state.stage is Stage.OVER)
    assert (state.dice is not None) == (state.stage is Stage.PLAY) or state.stage in (
        Stage.RESIGNATION,
        Stage.OVER,
    )
    if not state.rules.cube:
        assert state.cube.value == 1
    if state.stage is Stage.OVER:
        assert legal_actions(state) == ()
        assert state.result.points % state.result.cube == 0
        assert 1 <= state.result.points <= 3 * state.result.cube
    else:
        assert legal_actions(state)


def play_at_random(rules, length, scores, seed):
    choices = random.Random(seed)
    game = Game(start=GameState.start(rules, length=length, scores=scores), dice=seed)
    while not game.is_over:
        state = game.state
        invariants(state)
        actions = game.legal_actions()
        assert len(set(actions)) == len(actions)
        for action in choices.sample(EVERY_ACTION, 2):
            if not is_legal(state, action):
                refused(game, action)
        wanted = [a for a in actions if not isinstance(a, (Resign, Drop))]
        if choices.random() < 0.97 and wanted:
            actions = wanted
        whole = [a for a in actions if not isinstance(a, MakeStep)]
        if choices.random() < 0.8 and whole:
            actions = whole
        chosen = choices.choice(actions)
        assert why_illegal(state, chosen) == ""
        game.do(chosen, automatic=choices.random() < 0.1)
        after = game.state
        if choices.random() < 0.1:
            game.undo()
            assert game.state == state
            game.redo()
            assert game.state == after
    invariants(game.state)
    again = Game.replay(GameRecord.from_dict(json.loads(json.dumps(game.record().to_dict()))))
    assert again.state == game.state
    assert again.history == game.history
    turns = list(game.turns())
    assert len(turns) <= game.state.turns
    for turn in turns:
        assert turn.play in Plays(turn.board, turn.dice, **rules.house)


@settings(max_examples=40)
@given(st.sampled_from(RULES), st.integers(0, 2**32))
def test_random_games_keep_the_invariants(setting, seed):
    play_at_random(*setting, seed)


@pytest.mark.slow
def test_thousands_of_random_games_keep_the_invariants():
    for seed in range(400):
        for setting in RULES:
            play_at_random(*setting, seed)


# -- games that begin anywhere, and records of them --


THREE = board({24: 1, 6: 1, 2: 1}, {24: 1, 6: 1, 2: 1}, n_checkers=3)
ANYWHERE = [
    (Rules.money(layout=THREE, beavers=3, auto_doubles=None, jacoby_auto_counts=True), 0, (0, 0)),
    (Rules.money(layout=THREE, beavers=2, beaver_drop=False, cube_limit=8), 0, (3, 7)),
    (Rules.match(layout=THREE, extra_turn=True, max_chain=2, skip_closed_out=True), 7, (5, 6)),
    (Rules.match(layout=THREE, holland=True, forbid_dead=True, extra_turn=True), 3, (2, 1)),
    (Rules.casual(layout=THREE, own_limit=1, finish_early=True, any_number=True), 0, (0, 0)),
]
EVERY_STEP = [
    MakeStep(start, max(0, start - die), die) for start in range(1, 26) for die in range(1, 7)
]
EVERY_OTHER = [Roll(), Pass(), Double(), Take(), Drop(), Beaver(), Raccoon(), Accept(), Refuse()]
EVERY_OTHER += [Resign(kind) for kind in (1, 2, 3)]


def states_on_the_way(rules, length, scores, seed):
    """The states of a game of few checkers that is played at random, with many answers."""
    choices = random.Random(seed)
    game = Game(start=GameState.start(rules, length=length, scores=scores))
    dice = DiceStream(seed, stratified=False)
    for number in range(400):
        yield game.state
        if game.is_over:
            return
        action = choices.choice(game.legal_actions())
        game.do(Roll(dice.roll(0, number)) if action == Roll() else action)


@pytest.mark.parametrize(("rules", "length", "scores"), ANYWHERE)
def test_what_is_listed_is_exactly_what_is_accepted(rules, length, scores):
    for seed in range(6):
        for state in states_on_the_way(rules, length, scores, seed):
            listed = legal_actions(state)
            assert len(set(listed)) == len(listed)
            accepted = {action for action in EVERY_OTHER + EVERY_STEP if is_legal(state, action)}
            assert accepted == {a for a in listed if not isinstance(a, MakePlay)}
            assert all(is_legal(state, action) for action in listed)
            assert (listed == ()) == state.is_over
            for player in (0, 1):
                expected = listed if state.actor in (None, player) else ()
                assert legal_actions(state, player) == expected


@pytest.mark.parametrize(("rules", "length", "scores"), ANYWHERE)
def test_a_game_that_begins_anywhere_comes_back_from_its_record(rules, length, scores):
    stages = set()
    for seed in range(25):
        for state in states_on_the_way(rules, length, scores, seed):
            if state.is_over or state.steps:
                with pytest.raises(RulesError, match="cannot begin"):
                    Game(start=state)
                continue
            stages.add(state.stage)
            document = json.loads(json.dumps(Game(start=state).record().to_dict()))
            again = GameRecord.from_dict(document).start
            assert again == state
            assert hash(again) == hash(state)
    assert stages >= {Stage.OPENING, Stage.ROLL, Stage.PLAY, Stage.RESIGNATION}
    assert (Stage.ANSWER in stages) == rules.cube


def test_a_record_does_not_tell_what_is_usual():
    assert set(second_turn().record().to_dict()) == {"rules", "length", "scores", "actions"}
    set_up = Game(start=GameState.at(Board.opening(), dice="31")).record().to_dict()
    assert set(set_up) == {"rules", "length", "scores", "on_roll", "board", "cube", "dice"} | {
        "actions"
    }


OPENING = Board.opening().to_list()
HUGE = 10**5000


@pytest.mark.parametrize(
    "document",
    [
        {"on_roll": 1.0},
        {"on_roll": HUGE},
        {"board": OPENING, "on_roll": 1.0},
        {"board": OPENING, "cube": [2, 1.0]},
        {"board": OPENING, "cube": [HUGE, None]},
        {"board": OPENING, "dice": [HUGE, 1]},
        {"board": OPENING, "turns": 0},
        {"board": OPENING, "turns": -1},
        {"board": OPENING, "rolled": [1]},
        {"board": OPENING, "rolled": [1, "2"]},
        {"board": OPENING, "chain": 1},
        {"board": OPENING, "auto_doubles": 1},
        {"board": OPENING, "pending": ["take"]},
        {"board": OPENING, "pending": ["double", "double"]},
        {"board": OPENING, "pending": ["resign backgammon"]},
        {"board": OPENING, "pending": "double"},
        {"board": OPENING, "pending": [HUGE]},
        {"turns": 3},
        {"pending": ["double"]},
        {"rules": {"auto_doubles": None}, "auto_doubles": 16},
        {"rules": {"auto_doubles": 1}, "auto_doubles": 2},
        {"crawford": 1},
        {"length": True},
        {"length": 5, "scores": [9, 9]},
        {"length": HUGE},
        {"scores": [HUGE, 0]},
        {"scores": {"0": 1, "1": 2}},
        {"rules": {1: 2, "x": 3}},
        {1: 2, "x": 3},
        {"actions": [HUGE]},
    ],
)
def test_what_a_record_cannot_say_is_refused_in_a_line(document):
    with pytest.raises(BgcoreError) as caught:
        GameRecord.from_dict(document)
    assert len(str(caught.value)) < 400


def test_what_a_message_repeats_of_a_record_has_an_end():
    nested = []
    for _ in range(100_000):
        nested = [nested]
    for entry in (nested, "8/5 " * 100_000, list(range(100_000))):
        for name in ("rules", "scores", "on_roll", "actions", "pending"):
            with pytest.raises(BgcoreError) as caught:
                Game.replay(GameRecord.from_dict({name: entry}))
            assert len(str(caught.value)) < 400
    record = GameRecord.from_dict({"actions": ["roll 3-1", "play " + "8/5 " * 100_000]})
    with pytest.raises(RecordError) as caught:
        Game.replay(record)
    assert len(str(caught.value)) < 1000


def test_a_length_without_rules_means_a_match():
    start = GameRecord.from_dict({"length": 5, "scores": [4, 1], "crawford": True}).start
    assert (start.length, start.rules, start.is_crawford) == (5, Rules.match(), True)


def test_numbers_of_numpy_are_numbers_and_fractions_are_none():
    import numpy as np

    plain = GameState.at(Board.opening(), on_roll=1, cube=2, cube_owner=0, length=7, scores=(2, 3))
    numpy = GameState.at(
        Board.opening(),
        on_roll=np.int8(1),
        cube=np.int64(2),
        cube_owner=np.int8(0),
        length=np.int64(7),
        scores=np.array([2, 3]),
    )
    assert (numpy, hash(numpy), type(numpy.on_roll)) == (plain, hash(plain), int)
    assert json.dumps(Game(start=numpy).record().to_dict())
    assert Rules.money(beavers=np.int64(2), extra_turn=np.True_) == Rules.money(
        beavers=2, extra_turn=True
    )
    for wrong in ({"on_roll": 1.0}, {"on_roll": True}, {"cube_owner": 1.0, "cube": 2}):
        with pytest.raises(RulesError, match="is 0 or 1"):
            GameState.at(Board.opening(), **wrong)
    with pytest.raises(RulesError, match="is 0 or 1"):
        GameState.start(starter=1.0)
    with pytest.raises(RulesError, match="True or False"):
        GameState.start(length=3, scores=(2, 0), is_crawford="yes")
    with pytest.raises(GameError, match="is 0 or 1"):
        legal_actions(plain, 2)


@pytest.mark.parametrize(
    "step", [(HUGE, 1), (8, HUGE), (8, -1), (26, 20), (8.0, 5), ("8", 5), (True, 0), (None, 5)]
)
def test_a_step_is_from_a_point_to_a_point(step):
    refused(opened(), MakeStep(*step), "a step (starts|ends) on|not legal")


@pytest.mark.parametrize(
    "ask",
    [
        lambda: throw(-HUGE),
        lambda: ScriptedDice([(HUGE, 1)]),
        lambda: ScriptedDice([(3, 1)]).roll(0, HUGE),
        lambda: Roll((HUGE, 1)),
    ],
)
def test_huge_numbers_are_no_dice(ask):
    with pytest.raises(DiceError, match="too long to be shown"):
        ask()
