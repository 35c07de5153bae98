"""Games of all rules as a person plays them: turns, dice, cube, ends, history, matches, players."""

import json
import random

import numpy as np
import pytest

from bgcore import Game, ScriptedDice
from bgcore.actions import (
    Accept,
    Beaver,
    Double,
    Drop,
    MakePlay,
    MakeStep,
    Refuse,
    Resign,
    Roll,
    Settle,
    Take,
)
from bgcore.errors import (
    AmbiguousVariantError,
    BgcoreError,
    DiceError,
    GameError,
    IllegalPlayError,
    InvalidPlayError,
    RecordError,
    RulesError,
    VariantError,
)
from bgcore.game_state import Stage
from bgcore.variants import (
    VARIANT_PLAYERS,
    VARIANTS,
    Choose,
    PipsVariantPlayer,
    RandomVariantPlayer,
    RollThree,
    State,
    VariantGame,
    VariantGameState,
    VariantMatch,
    VariantRecord,
    VariantRules,
    load_variant_match,
    parse_variant_action,
    play_variant,
    random_games,
    tavli,
    variant,
    variant_options,
    variant_player,
)

NAMES = sorted(VARIANTS)


def game_at(name, state, dice=None, *, options=None, **more):
    """A game that begins with a state; player 0 is on roll and has rolled."""
    rules = variant(name, **(options or {}))
    return VariantGame(start=VariantGameState.at(rules, state, dice=dice, **more))


def begun(name, **options):
    """A game of which player 0 has won the opening roll, and rolls."""
    game = VariantGame(variant(name, **options))
    game.roll("65")
    return game


def plays(game):
    return sorted(str(play) for play in game.legal_plays())


def states(game):
    return {str(play.state) for play in game.legal_plays()}


# ---- the cases of variants.md, section 22, in its numbering ----


def test_case_1_the_larger_number_is_compulsory():
    game = game_at("standard", "24:1 off:14 / 12:2 off:13", "65")
    assert plays(game) == ["24/18"]
    with pytest.raises(IllegalPlayError):
        game.play("24/19")


def test_case_2_closed_out():
    game = game_at("standard", "bar:1 off:14 / 1:2 2:2 3:2 4:2 5:2 6:2 off:3")
    for dice in ("11", "21", "66", "54"):
        game.roll(dice)
        assert plays(game) == ["(no play)"]
        game.play("(no play)")
        assert game.on_roll == 1
        game.undo()
        game.undo()


def test_case_3_a_small_number_first():
    game = game_at("standard", "4:1 2:1 off:13 / 24:1 off:14", "62")
    assert states(game) == {"off:15 / 24:1 off:14", "2:1 off:14 / 24:1 off:14"}
    assert game.play("4/off 2/off").result.winner == 0


def test_case_4_both_numbers_before_the_end():
    game = game_at("standard", "3:1 off:14 / 23:1 off:14", "31")
    assert plays(game) == ["3/2* 2/off"]
    early = game_at("standard", "3:1 off:14 / 23:1 off:14", "31", options={"finish_early": True})
    assert "3/off" in plays(early)


@pytest.mark.parametrize(
    ("dice", "found"),
    [
        ("33", {"24:13 18:2 / 24:15", "24:13 21:1 15:1 / 24:15"}),  # case 5
        ("66", {"24:13 18:2 / 24:15"}),  # case 6
    ],
)
def test_cases_5_and_6_the_first_turn_of_nardy(dice, found):
    game = begun("nardy_long")
    game.roll(dice)
    assert states(game) == found


def test_case_7_plakoto_pins():
    game = game_at("plakoto", "24:15 / 24:14 6:1", "65")
    assert plays(game) == ["24/18 18/13", "24/18 24/19*"]
    after = game.play("24/18 24/19")
    assert str(after.state) == "24:14 6:pin / 24:13 19:1 18:1"
    # the pinned checker stays where it is
    game.roll("11")
    assert not any(step.start == 6 for play in game.legal_plays() for step in play.steps)


def test_case_8_nobody_hits_in_dutch_backgammon_before_the_gate_is_open():
    closed = game_at("dutch", "24:15 / 5:1 24:14", "43")
    assert "step 24/20 by 4" not in [str(step) for step in closed.legal_steps()]
    opened = game_at("dutch", "24:15 home / 5:1 24:14", "43")
    assert "step 24/20 by 4" in [str(step) for step in opened.legal_steps()]


def test_case_9_acey_deucey_of_which_one_number_can_be_played():
    game = game_at("acey_deucey", "24:1 off:14 / 3:2 4:2 off:11", "21")
    after = game.play("24/23")
    assert (after.on_roll, after.stage) == (1, Stage.ROLL)


def test_case_10_a_named_doublet_in_part():
    game = game_at("acey_deucey", "24:1 off:14 / 24:2 off:13", "21")
    game.play(game.legal_plays()[0])
    assert game.stage is Stage.CHOOSE
    assert game.choose(5).numbers == (5, 5, 5, 5)
    assert plays(game) == ["21/16 16/11 11/6"]
    after = game.play("21/6")
    assert (after.on_roll, after.stage) == (1, Stage.ROLL)


def test_case_11_doublets_of_gul_bara_ascend_from_the_fourth_turn_on():
    game = game_at("gul_bara", "24:15 turns:3 / 24:15 turns:3", "55")
    game.play(game.legal_plays()[0])
    # 24/19/14/9/4 and others: all four fives were played
    assert (game.on_roll, game.numbers, game.dice) == (0, (6, 6, 6, 6), (5, 5))
    stuck = game_at("gul_bara", "17:1 1:1 off:13 turns:3 / 24:5 off:10 turns:3", "55")
    assert len(stuck.legal_plays()[0].steps) < 4
    assert stuck.play(stuck.legal_plays()[0]).on_roll == 1


def test_case_12_not_in_the_third_turn():
    game = begun("gul_bara")
    for dice in ("21", "21", "31", "31"):
        game.roll(dice)
        game.play(game.legal_plays()[0])
    assert (game.on_roll, game.board.own.turns) == (0, 2)
    game.roll("55")
    assert game.play(game.legal_plays()[0]).on_roll == 1


def test_case_13_three_dice_without_a_bonus():
    game = game_at("tabula", "24:12 hand:3 / hand:15", "222")
    assert game.numbers == (2, 2, 2)
    after = game.play("hand/23(3)")
    assert (str(after.state.opponent), after.on_roll) == ("24:12 23:3", 1)


def test_case_14_the_first_checker_goes_first():
    game = game_at("fevga", "24:14 13:1 / 24:15", "11")
    assert plays(game) == ["(no play)"]


def test_case_15_a_house_rule_gives_an_extra_turn():
    game = VariantGame(
        start=VariantGameState.at(variant("standard", extra_turn="doubles"), "24:15 / 24:15")
    )
    game.roll("22")
    after = game.play("24/22(4)")
    assert (after.on_roll, after.stage, after.dice) == (0, Stage.ROLL, None)
    assert not game.is_legal(Double())
    with pytest.raises(GameError, match="another roll of the same turn"):
        game.double()
    game.roll("31")
    assert game.play(game.legal_plays()[0]).on_roll == 1
    assert game.is_legal(Double())


def test_case_16_the_cube():
    # (b) taken and a gammon: 4; (c) dropped: 1; (h) the Crawford game has no cube
    game = game_at("nackgammon", "1:1 off:14 / 23:15")
    game.double()
    assert (game.actor, game.stage) == (1, Stage.ANSWER)
    game.take()
    assert (game.cube.value, game.cube.owner, game.actor) == (2, 1, 0)
    game.roll("21")
    result = game.play("1/off").result
    assert (result.winner, result.value, result.points) == (0, 3, 6)
    gammon = game_at("nackgammon", "1:1 off:14 / 6:15")
    gammon.double()
    gammon.take()
    gammon.roll("21")
    assert gammon.play("1/off").result.points == 4
    dropped = game_at("nackgammon", "1:1 off:14 / 6:15")
    dropped.double()
    result = dropped.drop().result
    assert (result.winner, result.points, result.ending) == (0, 1, "dropped")
    match = VariantMatch("nackgammon", 3)
    match.game.do(Settle(0, 2))
    game = match.next_game()
    assert game.start.is_crawford
    game.roll("65")
    game.play(game.legal_plays()[0])
    with pytest.raises(GameError, match="not in play"):
        game.double()
    game.do(Settle(1, 2))
    assert not match.next_game().start.is_crawford


def test_cases_17_and_18_scores():
    # one off and one on the bar: single; none off and on the bar: backgammon
    single = game_at("standard", "1:1 off:14 / bar:1 6:13 off:1", "21")
    assert single.play("1/off").result.points == 1
    backgammon = game_at("standard", "1:1 off:14 / bar:1 6:14", "21")
    assert backgammon.play("1/off").result.points == 3
    assert game_at("portes", "1:1 off:14 / bar:1 6:14", "21").play("1/off").result.points == 2


# ---- the opening ----


def test_the_higher_die_begins_and_rolls_afresh():
    game = VariantGame("portes")
    assert (game.stage, game.on_roll, game.actor) == (Stage.OPENING, None, None)
    assert game.roll("33").stage is Stage.OPENING
    after = game.roll("25")
    assert (after.stage, after.on_roll, after.dice, after.rolls) == (Stage.ROLL, 1, None, 2)
    assert game.roll("44").numbers == (4, 4, 4, 4)


def test_the_higher_die_begins_and_plays_both():
    for name in ("nackgammon", "hypergammon", "longgammon"):
        after = VariantGame(name).roll("25")
        assert (after.stage, after.on_roll, after.numbers) == (Stage.PLAY, 1, (5, 2))
    after = VariantGame(variant("plakoto", opening="use")).roll("62")
    assert (after.stage, after.on_roll, after.numbers) == (Stage.PLAY, 0, (6, 2))


def test_tabula_opens_with_two_dice_and_goes_on_with_three():
    game = VariantGame("tabula")
    with pytest.raises(GameError):
        game.roll("315")
    assert game.roll("31").on_roll == 0
    with pytest.raises(GameError, match="3 dice"):
        game.roll("31")
    assert game.roll((3, 1, 5)).numbers == (5, 3, 1)
    assert game.dice == (3, 1, 5)
    with pytest.raises(VariantError):
        variant("tabula", opening="use")


# ---- turns of several parts ----


def test_a_complement_and_another_roll():
    game = begun("acey_deucey_european")
    game.roll("66")
    game.play("hand/19(4)")
    assert (game.on_roll, game.numbers) == (0, (1, 1, 1, 1))
    game.play("hand/24(4)")
    assert (game.on_roll, game.stage, game.dice) == (0, Stage.ROLL, None)


def test_what_the_opponent_passed_on_is_played_before_the_roll():
    game = game_at(
        "gul_bara",
        "17:1 1:1 off:13 turns:3 / 24:5 off:10 turns:3",
        "55",
        options={"unplayed": "opponent"},
    )
    game.play(game.legal_plays()[0])
    assert (game.on_roll, game.stage, game.dice) == (1, Stage.PLAY, None)
    assert game.numbers == (5, 5, 5, 5)
    game.play(game.legal_plays()[0])
    assert game.numbers == (6, 6, 6, 6)
    game.play(game.legal_plays()[0])
    assert (game.on_roll, game.stage) == (1, Stage.ROLL)


# ---- steps ----


def test_a_play_step_by_step():
    whole, stepwise = begun("nardy_long"), begun("nardy_long")
    whole.roll("31")
    stepwise.roll("31")
    whole.play("24/20")
    assert [str(step) for step in stepwise.legal_steps()] == ["step 24/21 by 3", "step 24/23 by 1"]
    middle = stepwise.step(24, 21)
    assert (middle.stage, middle.numbers, len(middle.steps)) == (Stage.PLAY, (1,), 1)
    # one checker has left the head: the other one stays
    assert [str(step) for step in stepwise.legal_steps()] == ["step 21/20 by 1"]
    stepwise.step(21, 20)
    assert stepwise.state == whole.state


def test_the_rest_of_a_play_may_be_typed_as_a_play():
    game = begun("acey_deucey")
    game.roll("65")
    game.step(26, 19)
    assert game.play("hand/20").on_roll == 1


def test_nobody_resigns_in_the_middle_of_a_play():
    game = begun("portes")
    game.roll("65")
    game.step(24, 18)
    with pytest.raises(GameError, match="complete it"):
        game.resign()


def test_steps_bear_off_with_the_exact_number_first():
    game = game_at("portes", "1:2 off:13 / 23:15", "21")
    assert game.step(1, 0).numbers == (2,)
    game.undo()
    assert game.step(1, 0, 2).numbers == (1,)
    assert game.step(1, 0).result.points == 2


# ---- ends ----


def test_a_mother_ends_the_game():
    # his mother stands on my 1, mine has left
    after = game_at("plakoto", "4:1 6:14 / 24:1 5:14", "31").play("4/1 6/5")
    assert (after.result.winner, after.result.points) == (0, 2)


def test_a_draw_has_no_winner():
    # both mothers pinned (variants.md 9, K2)
    game = game_at("plakoto", "24:pin 4:14 / 24:1 1:1 5:13", "32", on_roll=1)
    result = game.play("4/1 4/2").result
    assert (result.winner, result.value, result.points) == (None, 0, 0)
    match = VariantMatch("plakoto", 3)
    match.game.do(Settle(0, 0))
    assert match.scores == (0, 0)
    assert match.next_game().stage is Stage.OPENING


def test_acey_deucey_pays_for_every_checker():
    game = game_at("acey_deucey", "1:1 off:14 / 20:3 hand:2 bar:1 off:9", "63")
    result = game.play("1/off").result
    assert (result.value, result.points) == (6, 6)


def test_resignations():
    game = begun("portes")
    assert [a for a in game.legal_actions() if isinstance(a, Resign)] == [Resign(1), Resign(2)]
    with pytest.raises(GameError, match="no more than 2"):
        game.resign(3)
    game.resign(1)
    assert (game.stage, game.actor, game.legal_actions(0)) == (Stage.RESIGNATION, 1, ())
    game.refuse()
    assert (game.stage, game.actor) == (Stage.ROLL, 0)
    with pytest.raises(GameError, match="refused just now"):
        game.resign(1)
    game.resign(2)
    result = game.accept().result
    assert (result.winner, result.points, result.ending) == (1, 2, "resigned")
    home = game_at("portes", "1:5 off:10 / 1:10 off:5")
    assert [a for a in home.legal_actions() if isinstance(a, Resign)] == [Resign(1)]
    paid = begun("acey_deucey")
    with pytest.raises(GameError, match="nobody resigns"):
        paid.resign()
    assert not any(isinstance(action, Resign) for action in paid.legal_actions())


def test_resignation_in_the_middle_of_a_turn_goes_back_there():
    game = begun("verquere")
    game.roll("65")
    before = game.state
    game.resign(2)
    game.refuse()
    assert (game.stage, game.numbers) == (Stage.PLAY, before.numbers)


# ---- actions and their texts ----


def test_what_is_no_action_now_changes_nothing():
    game = begun("plakoto")
    before = game.state
    for wrong in (
        MakePlay("24/18"),
        MakeStep(24, 18),
        Double(),
        Take(),
        Drop(),
        Accept(),
        Refuse(),
        Choose(5),
        Beaver(),
        RollThree((1, 2, 3)),
        Roll(),
        Resign(3),
    ):
        with pytest.raises(GameError):
            game.do(wrong)
    with pytest.raises(GameError):
        game.do("roll")
    with pytest.raises(DiceError):
        game.roll("71")
    with pytest.raises(DiceError):
        game.roll("3156")
    game.roll("65")
    with pytest.raises(InvalidPlayError):
        game.play("nonsense")
    with pytest.raises(IllegalPlayError):
        game.play("24/23")
    with pytest.raises(IllegalPlayError):
        game.step(24, 23)
    game.undo()
    assert game.state == before
    assert game.actions == (Roll("65"),)


def test_texts_of_actions():
    for text in (
        "roll 3-1",
        "roll 3-1-5",
        "play hand/19 24/18*",
        "play (no play)",
        "step 24/18 by 6",
        "choose 5",
        "double",
        "take",
        "drop",
        "resign gammon",
        "accept",
        "refuse",
        "settle 1 2",
    ):
        assert str(parse_variant_action(text)) == text
    assert parse_variant_action("step hand/20 by 5") == MakeStep(26, 20, 5)
    assert parse_variant_action("step bar/off") == MakeStep(25, 0)
    for wrong in ("", "jump", "choose 7", "step 3", 3):
        with pytest.raises(RecordError):
            parse_variant_action(wrong)
    for wrong in (0, 7, True, "5"):
        with pytest.raises(DiceError):
            Choose(wrong)


def test_starts_that_cannot_be():
    rules = variant("plakoto")
    with pytest.raises(RulesError):
        VariantGame()
    with pytest.raises(RulesError):
        VariantGame(rules, start=VariantGameState.start(rules))
    with pytest.raises(RulesError):
        VariantGame(start="24:15 / 24:15")
    with pytest.raises(RulesError):
        VariantGame(5)
    with pytest.raises(AmbiguousVariantError):
        VariantGame("nard")
    with pytest.raises(VariantError, match="over"):
        VariantGameState.at(rules, "off:15 / 24:15")
    with pytest.raises(VariantError):
        VariantGameState.at(rules, "24:14 / 24:15")
    with pytest.raises(RulesError):
        VariantGameState.at(rules, "24:15 / 24:15", cube=2)
    for wrong in (
        {"starter": 2},
        {"length": -1},
        {"scores": (1,)},
        {"length": 2, "scores": (2, 0)},
    ):
        with pytest.raises(RulesError):
            VariantGameState.start(rules, **wrong)


# ---- the same face as the standard game ----


def test_game_makes_games_of_other_rules():
    game = Game.of_variant("nardy_long", dice=3, head_limit=2)
    assert isinstance(game, VariantGame)
    assert game.rules == variant("nardy_long", head_limit=2)
    face = {name for name in dir(Game) if not name.startswith("_")}
    missing = face - {name for name in dir(VariantGame) if not name.startswith("_")}
    # what belongs to money play, and turns as plays of the standard board
    assert missing == {"beaver", "of_variant", "pass_turn", "raccoon", "turns"}


@pytest.mark.parametrize("seed", range(3))
def test_the_standard_game_goes_the_same_way(seed):
    standard, other = Game(dice=seed), VariantGame("standard", dice=seed)
    rng = random.Random(seed)
    while not standard.is_over:
        if standard.dice is None:
            assert standard.roll().dice == other.roll().dice
            continue
        legal = standard.legal_plays()
        assert len(legal) == len(other.legal_plays())
        standard.play(legal[rng.randrange(len(legal))])
        seen = standard.board if standard.is_over else standard.board.swapped()
        other.play(next(play for play in other.legal_plays() if play.state.to_board() == seen))
    assert (other.result.winner, other.result.value) == (
        standard.result.winner,
        int(standard.result.kind),
    )


# ---- dice ----


def test_dice_from_a_script_and_a_stream():
    script = ScriptedDice([(6, 5), (3, 1)])
    game = VariantGame("plakoto", dice=script)
    game.roll()
    assert game.roll().dice == (3, 1)
    assert VariantGame("plakoto", dice=9).roll() == VariantGame("plakoto", dice=9).roll()
    three = VariantGame("tabula", dice=ScriptedDice([(6, 5), (1, 1), (3, 1), (5, 2)]))
    three.roll()
    assert three.roll().dice == (3, 1, 5)


# ---- history, records, random games ----

OPTIONS = [
    ("standard", {"extra_turn": "doubles", "no_hit_and_run": True}),
    ("acey_deucey", {"strict_forfeit": True}),
    ("plakoto", {"mother": "immediate", "opening": "use"}),
    ("nardy_long", {"head_exception": "blocked", "equalise": True}),
    ("gul_bara", {"unplayed": "opponent"}),
    ("dutch", {"cube": True, "payoff": "triple"}),
    ("trictrac", {"holes": 4, "payoff": "quadruple"}),
]


def play_at_random(game, rng, watch=None):
    """Drive a game to its end by random legal actions; resignations are rare."""
    while not game.is_over:
        actions = list(game.legal_actions())
        if rng.randrange(60):
            actions = [a for a in actions if not isinstance(a, (Resign, Double))]
        if rng.randrange(4):
            actions = [a for a in actions if not isinstance(a, MakeStep)] or actions
        action = rng.choice(actions)
        if action == Roll() and game.rules.dice == 3 and game.stage is Stage.ROLL:
            action = RollThree(tuple(rng.randint(1, 6) for _ in range(3)))
        elif action == Roll():
            action = Roll((rng.randint(1, 6), rng.randint(1, 6)))
        game.do(action)
        if watch:
            watch(game)


@pytest.mark.parametrize(
    ("name", "options"), [(name, {}) for name in NAMES] + OPTIONS, ids=lambda value: str(value)
)
def test_random_games_keep_what_must_not_change_and_are_replayed(name, options):
    rules = variant(name, **options)
    rng = random.Random(f"{name} {options}")

    def watch(game):
        state = game.state
        # a step of trictrac may rest where no play ends
        if name != "trictrac" or not state.steps:
            rules.check(state.state)
        assert (state.actor is None) == state.is_over or state.stage is Stage.OPENING
        assert bool(state.numbers) == (state.stage is Stage.PLAY)
        assert (state.result is not None) == state.is_over == (not game.legal_actions())
        if rng.randrange(20) == 0:
            before = game.state
            game.undo()
            game.redo()
            assert game.state == before

    for _ in range(2):
        game = VariantGame(rules)
        play_at_random(game, rng, watch)
        record = game.record()
        again = VariantRecord.from_dict(json.loads(json.dumps(record.to_dict())))
        assert [str(action) for action in again.actions] == [str(a) for a in record.actions]
        replayed = VariantGame.replay(again)
        assert replayed.state == game.state
        assert [e.before for e in replayed.history] == [e.before for e in game.history]
        last = game.state
        while game.can_undo:
            game.undo()
        assert game.state == replayed.start == VariantGameState.start(rules)
        while game.can_redo:
            game.redo()
        assert game.state == last


def exchanged(action, game):
    """The same action where the players have changed seats: the opening dice change too."""
    if isinstance(action, Roll) and game.stage is Stage.OPENING:
        return Roll(action.dice[::-1])
    return action


@pytest.mark.parametrize("name", NAMES)
def test_players_who_change_seats_play_the_same_game(name):
    rng = random.Random(f"seats {name}")
    game, other = VariantGame(name), VariantGame(name)
    play_at_random(game, rng)
    for entry in game.history:
        before, mirrored = entry.before, other.state
        assert (before.state, before.turn) == (mirrored.state, mirrored.turn)
        if before.on_roll is not None:
            assert mirrored.on_roll == 1 - before.on_roll
            for player in (0, 1):
                assert before.side(player) == mirrored.side(1 - player)
        other.do(exchanged(entry.action, other))
    result, mirrored = game.result, other.result
    assert (result.value, result.ending) == (mirrored.value, mirrored.ending)
    winner = None if result.winner is None else 1 - result.winner
    assert mirrored.winner == winner


@pytest.mark.parametrize("name", NAMES)
def test_the_order_of_the_dice_does_not_matter(name):
    rng = random.Random(f"dice {name}")
    game = VariantGame(name)
    while not game.is_over:
        if game.stage is Stage.ROLL:
            dice = [rng.randint(1, 6) for _ in range(game.rules.dice)]
            game.roll(dice)
            after = game.state
            game.undo()
            game.roll(dice[::-1])
            assert (game.state.state, game.state.turn) == (after.state, after.turn)
        elif game.stage is Stage.PLAY:
            plays = game.legal_plays()
            if name != "trictrac" and len(game.numbers) == 2:
                # the generator itself, from the smaller number to the larger
                state, turn = game.state.state, game.state.turn
                limits = {"head_limit": turn.head_limit, "heads": turn.heads, "stay": turn.stay}
                found = game.rules.kernel.plays(state.cells, game.numbers[::-1], **limits)[0]
                states = {play.state.cells for play in plays if play.steps}
                assert {cells.tobytes() for cells in found} == states
            game.play(rng.choice(plays))
        else:
            actions = [a for a in game.legal_actions() if not isinstance(a, (Resign, Double))]
            action = rng.choice(actions)
            game.do(Roll((3, 1)) if action == Roll() else action)


@pytest.mark.parametrize("name", ["acey_deucey", "nardy_long", "tabula", "tapa", "standard"])
def test_random_illegal_actions_change_nothing(name):
    rng = random.Random(name)
    game = VariantGame(name)
    candidates = [Roll("31"), RollThree((1, 2, 3)), Double(), Take(), Drop(), Accept(), Refuse()]
    candidates += [Choose(4), Resign(1), Resign(3), Beaver()]
    candidates += [MakePlay(text) for text in ("24/18", "hand/20", "13/7 8/7", "(no play)")]
    candidates += [MakeStep(start, end) for start in (26, 25, 24, 13, 6, 1) for end in (0, 5, 18)]
    refused = 0

    def watch(game):
        nonlocal refused
        before = game.state, game.actions
        action = rng.choice(candidates)
        is_legal = game.is_legal(action)
        try:
            game.do(action)
        except BgcoreError:
            assert not is_legal
            refused += 1
        else:
            assert is_legal
            game.undo()
        assert (game.state, game.actions) == before

    play_at_random(game, rng, watch)
    assert refused >= 10


def test_undo_and_redo_at_the_ends():
    game = begun("tapa")
    game.undo()
    with pytest.raises(GameError, match="nothing to undo"):
        game.undo()
    game.redo()
    with pytest.raises(GameError, match="nothing to redo"):
        game.redo()
    game.undo()
    game.roll("12")
    assert not game.can_redo


def test_records_from_the_middle_of_a_game():
    game = game_at("nackgammon", "24:15 / 24:15", "31", on_roll=1, cube=2, cube_owner=0)
    game.play(game.legal_plays()[0])
    document = json.loads(json.dumps(game.record().to_dict()))
    replayed = VariantGame.replay(VariantRecord.from_dict(document))
    assert replayed.state == game.state
    assert replayed.start == game.start


def test_records_of_rules_of_ones_own():
    own = VariantRules(name="mine", start=((24, 5),), n_checkers=5, contact="pin")
    for rules in (own, variant("moultezim", quarter_limits=(6, 6, 6, 5))):
        game = VariantGame(rules)
        game.roll("21")
        document = json.loads(json.dumps(game.record().to_dict()))
        assert VariantRecord.from_dict(document).start.rules == rules


@pytest.mark.parametrize(
    "change",
    [
        {"rules": {"name": "chess"}},
        {"rules": {"name": "tapa", "speed": 3}},
        {"rules": "tapa"},
        {"length": -1},
        {"scores": 5},
        {"scores": [0]},
        {"cube": [2]},
        {"state": 7},
        {"actions": "roll 3-1"},
        {"actions": ["jump"]},
        {"actions": [5]},
        {"colour": "red"},
    ],
)
def test_records_that_cannot_be(change):
    document = begun("tapa").record().to_dict() | change
    with pytest.raises(BgcoreError):
        VariantRecord.from_dict(document)


def test_records_whose_actions_are_illegal():
    document = begun("tapa").record().to_dict()
    for action, words in (("take", "not now"), ("roll", "its dice"), ("roll 1-1-1", "2 dice")):
        wrong = document | {"actions": ["roll 6-5", action]}
        with pytest.raises(RecordError, match=f"action 2, '{action}': .*{words}"):
            VariantGame.replay(VariantRecord.from_dict(wrong))
    with pytest.raises(RecordError):
        VariantRecord.from_dict([])


# ---- matches ----


def test_tavli_is_portes_plakoto_and_fevga_again_and_again():
    match = VariantMatch("tavli", 5, names=("Ann", "Bob"))
    assert match.order == tavli()
    seen = []
    for winner, points in ((0, 1), (1, 2), (1, 1), (0, 2)):
        seen.append((match.game.rules.name, match.game.on_roll))
        match.game.do(Settle(winner, points))
        match.next_game()
    # the winner of the last game begins; nobody before the first one
    assert seen == [("portes", None), ("plakoto", 0), ("fevga", 1), ("portes", 1)]
    assert (match.scores, match.winner) == ((3, 3), None)
    with pytest.raises(GameError, match="not over yet"):
        match.next_game()
    match.game.do(Settle(1, 4))
    assert (match.scores, match.winner, match.is_over) == ((3, 5), 1, True)
    with pytest.raises(GameError, match="the match is over"):
        match.next_game()


def test_games_whose_openings_are_thrown():
    match = VariantMatch(["gul_bara", variant("moultezim")])
    match.game.do(Settle(0, 2))
    assert match.next_game().stage is Stage.OPENING
    match.game.do(Settle(0, 1))
    assert (match.next_game().rules.name, match.scores, match.is_over) == (
        "gul_bara",
        (3, 0),
        False,
    )


def test_a_match_is_played_saved_and_loaded(tmp_path):
    match = VariantMatch("tavli", 3, dice=5)
    while not match.is_over:
        game = match.next_game() if match.game.is_over else match.game
        while not game.is_over:
            game.play(game.legal_plays()[0]) if game.numbers else game.roll()
    path = tmp_path / "match.json"
    match.save(path)
    loaded = load_variant_match(path)
    assert [game.state for game in loaded.games] == [game.state for game in match.games]
    assert (loaded.scores, loaded.winner, loaded.order) == (match.scores, match.winner, match.order)
    document = match.to_dict()
    for change in (
        {"format": "x"},
        {"version": 2},
        {"order": []},
        {"order": [{"name": "chess"}]},
        {"games": "x"},
        {"games": [["take"]]},
        {"games": [*document["games"], []]},
        {"scores": [9, 9]},
        {"length": "x"},
        {"names": ["a", "a"]},
    ):
        with pytest.raises(RecordError):
            VariantMatch.from_dict(document | change)
    path.write_text("{")
    with pytest.raises(RecordError):
        load_variant_match(path)


def test_games_begin_with_a_state_and_are_saved(tmp_path):
    state = VariantGameState.at(variant("plakoto"), "24:14 6:1 / 24:15", length=3, scores=(1, 0))
    match = VariantMatch.from_state(state, names=("Ann", "Bob"), dice=5)
    assert (match.length, match.scores, match.game.on_roll) == (3, (1, 0), 0)
    assert match.game.state == state
    match.game.roll()
    match.game.resign(1)
    match.game.accept()
    match.next_game()
    assert str(match.game.board) == "24:15 / 24:15"
    path = tmp_path / "games.json"
    match.save(path)
    again = load_variant_match(path, dice=5)
    assert [game.state for game in again.games] == [game.state for game in match.games]
    assert again.scores == (1, 1)
    document = json.loads(path.read_text())
    for wrong in (
        document | {"length": 5},
        document | {"order": ["tapa"]},
        document | {"order": [{"name": "tapa"}]},
        document | {"start": "24:15 / 24:15"},
    ):
        with pytest.raises(RecordError):
            VariantMatch.from_dict(wrong)
    with pytest.raises(RulesError, match="begin with a VariantGameState"):
        VariantMatch.from_state("24:15 / 24:15")


def test_a_loaded_match_throws_the_same_dice(tmp_path):
    match = VariantMatch("tapa", 9, dice=5)
    match.game.roll()
    match.game.do(Settle(0, 1))
    match.next_game()
    loaded = VariantMatch.from_dict(match.to_dict(), dice=5)
    assert loaded.game.roll() == match.game.roll()


def test_matches_that_cannot_be():
    for arguments in (("tapa", -1), ("tapa", "3"), ([], 3), ([5], 3), (5, 3)):
        with pytest.raises((RulesError, VariantError)):
            VariantMatch(*arguments)
    for names in (0, "ab", ("a", "a"), ("a", ""), ("a",), ("a", "b\n")):
        with pytest.raises(RulesError):
            VariantMatch("tapa", names=names)


# ---- players ----


@pytest.mark.parametrize("name", NAMES)
def test_the_pip_player_wins_more_often_than_a_random_one(name):
    results = play_variant(name, "pips", "random", games=24, seed=1, check=True)
    assert results.games == sum(results.wins) + int((results.points == 0).sum()) == 24
    # where nobody hits a race is mostly dice
    least = 14 if VARIANTS[name].contact == "hit" and name != "tabula" else 6
    assert results.wins[0] >= least
    assert sum(results.shares.values()) == pytest.approx(1)
    assert results.turns.min() >= 1


def test_games_depend_on_their_number_alone():
    many, few = random_games("tapa", 8, seed=3), random_games("tapa", 5, seed=3)
    assert many.points[:5].tolist() == few.points.tolist()
    assert many.turns[:5].tolist() == few.turns.tolist()
    other = random_games("tapa", 8, seed=4)
    assert many.turns.tolist() != other.turns.tolist()


class LastPlay:
    """Always the last play and sixes."""

    def choose_play(self, rules, state, turn, plays, chance):
        return len(plays) - 1

    def choose_doublet(self, rules, state, turn, chance):
        return 6


class NoPlayer(LastPlay):
    def choose_play(self, rules, state, turn, plays, chance):
        return len(plays)


def test_players_of_ones_own():
    assert play_variant("acey_deucey", LastPlay(), "random", games=2).games == 2
    with pytest.raises(VariantError, match="chooses must be 0 to"):
        play_variant("acey_deucey", NoPlayer(), games=1)


def test_players_by_name():
    assert VARIANT_PLAYERS == ("random", "pips")
    assert isinstance(variant_player("random"), RandomVariantPlayer)
    assert isinstance(variant_player("pips"), PipsVariantPlayer)
    for wrong in ("net", 5, None):
        with pytest.raises(VariantError):
            variant_player(wrong)
    with pytest.raises(VariantError):
        random_games("tapa", 0)


def test_the_pip_player_counts():
    rules = variant("portes")
    # 6-1: hitting on 18 with the 6 costs him 18 pips; nothing else is as good
    state = State.parse("24:2 13:5 8:3 6:5 / 7:1 24:1 13:5 8:3 6:5")
    turn = rules.rolled(state, rules.begin(), (6, 1))
    legal = rules.plays(state, turn)
    best = legal[PipsVariantPlayer().choose_play(rules, state, turn, legal, 0.5)]
    assert any(step.effect == "hit" for step in best.steps)


@pytest.mark.parametrize(
    ("name", "state"),
    [
        ("portes", "24:14 / 24:15"),
        ("portes", "24:15 / 24:14"),
        ("portes", "24:15 / 1:15"),
        ("portes", "24:14 hand:1 / 24:15"),
        ("portes", "off:15 / off:15"),
        ("fevga", "24:15 / 12:15"),
        ("fevga", "24:14 bar:1 / 24:15"),
        ("fevga", "24:14 18:pin / 24:14 6:1"),
        ("tapa", "24:14 18:1 / 24:14 7:1"),
    ],
)
def test_many_states_are_checked_at_once(name, state):
    rules = variant(name)
    wrong = State.parse(state).cells
    good = rules.initial().cells
    rules.check_states(np.frombuffer(good + good, np.uint8).reshape(2, 64))
    with pytest.raises(VariantError) as alone:
        rules.check(State(wrong))
    with pytest.raises(VariantError) as together:
        rules.check_states(np.frombuffer(good + wrong + good, np.uint8).reshape(3, 64))
    assert str(alone.value) == str(together.value)


def test_many_states_with_pins_and_hands_are_right():
    for name, state in (
        ("tapa", "24:14 18:pin / 24:14 7:1"),
        ("dutch", "24:1 bar:1 hand:13 / hand:15"),
        ("nardy_long", "off:15 / off:3 1:12"),
    ):
        cells = State.parse(state).cells
        variant(name).check(State(cells))
        variant(name).check_states(np.frombuffer(cells, np.uint8).reshape(1, 64))


def test_options_of_games():
    assert "head_limit" in variant_options("nardy_long")
    assert "extra_turn" not in variant_options("tabula")
    with pytest.raises(VariantError):
        variant_options("chess")


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_ten_thousand_random_games_end_with_right_states(name):
    results = random_games(name, 10_000, seed=7, check=True)
    wins = results.wins
    # who begins is thrown for: both win alike, within five standard errors
    decided = sum(wins)
    assert abs(wins[0] - wins[1]) < 5 * decided**0.5
    right = range(16) if VARIANTS[name].payoff == "men_left" else range(4)
    assert set(results.shares) <= set(right)


def test_players_are_whole_numbers_and_messages_have_an_end():
    rules = variant("nackgammon")
    for wrong in (1.0, True, 2, 10**5000):
        with pytest.raises(RulesError, match="is 0 or 1"):
            VariantGameState.start(rules, starter=wrong)
        with pytest.raises(RulesError, match="is 0 or 1"):
            VariantGameState.at(rules, "24:15 / 24:15", on_roll=wrong)
    with pytest.raises(RulesError, match="0 or more"):
        VariantGameState.start(rules, scores=(10**5000, "x"))
    for document in ({1: 2, "x": 3}, {"crawford": 1}):
        with pytest.raises(RecordError):
            VariantRecord.from_dict(document | {"rules": {"name": "nackgammon"}})


def test_a_game_begins_where_nobody_has_to_answer():
    game = VariantGame("nackgammon")
    game.roll("31")
    game.play(game.legal_plays()[0])
    for action in (game.double, game.resign):
        action()
        with pytest.raises(RulesError, match="nobody has to answer"):
            VariantGame(start=game.state)
        game.undo()
    assert VariantGame(start=game.state).state == game.state


def test_the_end_of_a_game_stands_once_the_next_one_has_begun():
    match = VariantMatch("nackgammon", 3)
    first = match.game
    first.roll("31")
    first.resign()
    first.accept()
    assert first.can_undo
    match.next_game()
    assert not first.can_undo
    with pytest.raises(GameError, match="next game has begun"):
        first.undo()
