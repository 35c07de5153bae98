"""Nets of the other games of this board: their boards, their training, and their players."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from cpu_levels import said_on_each_level

from bgcore._core import training
from bgcore._core.evaluator import Evaluator
from bgcore.arena import play_match
from bgcore.errors import NetError, TrainingError, VariantError
from bgcore.evaluators import NetEvaluator
from bgcore.net_weights import seed_key
from bgcore.recipes import Recipe, Stage
from bgcore.training import Trainer, train
from bgcore.variant_boards import (
    boards_of_states,
    equities_of_fives,
    five_of_points,
    why_no_net,
)
from bgcore.variant_nets import NetVariantPlayer, variant_player_of
from bgcore.variant_training import variant_self_play
from bgcore.variants import VARIANTS, State, variant

TINY = Recipe((Stage(6, 1e-3, 1e-3, trace=0.7, batch=64),), seed=5, games_per_cycle=3)
OTHERS = [n for n, rules in VARIANTS.items() if not rules.is_layout and not why_no_net(rules)]


@pytest.fixture(scope="module")
def tavla_net(tmp_path_factory):
    recipe = Recipe(
        (Stage(80, 2e-3, 2e-3, trace=0.7, batch=64),), games_per_cycle=10, variant="tavla"
    )
    path = tmp_path_factory.mktemp("nets") / "tavla.npz"
    train(recipe).save_net(path)
    return path


def board_of(rules, text):
    """The cells of a state that are not empty."""
    cells = np.frombuffer(State.parse(text).cells, np.uint8)[None]
    board = boards_of_states(rules, cells)[0]
    return {cell: int(n) for cell, n in enumerate(board) if n}


# ---- boards ----


@pytest.mark.parametrize(
    ("name", "text", "cells"),
    [
        # opposite directions: his 24 is my 1
        (
            "tavla",
            "24:2 6:12 bar:1 / 24:1 6:11 bar:1 off:2",
            {24: 2, 6: 12, 25: 1, 1: -1, 19: -11, 0: -1, 27: -2},
        ),
        # the same direction, half a round apart: his 24 is my 12, his 6 my 18
        (
            "nardy_long",
            "24:14 17:1 / 24:10 6:4 off:1",
            {24: 14, 17: 1, 12: -10, 18: -4, 27: -1},
        ),
        # the same road
        ("russian", "24:2 hand:13 / 20:1 hand:13 bar:1", {24: 2, 25: 13, 20: -1, 0: -14}),
        # what is borne off does not change what the loser pays
        ("acey_deucey", "6:10 off:5 / 20:1 hand:14", {6: 10, 5: -1, 0: -14}),
    ],
)
def test_states_become_boards(name, text, cells):
    assert board_of(variant(name), text) == cells


def test_layouts_become_boards_of_backgammon():
    rules = variant("nackgammon")
    states = np.frombuffer(rules.initial().cells, np.uint8)[None]
    assert boards_of_states(rules, states)[0, :26].tolist() == rules.initial().to_board().to_list()


@pytest.mark.parametrize(
    ("rules", "results"),
    [
        (variant("tavla"), (1, 2, -1, -2, 0)),
        (variant("tavla", payoff="triple"), (1, 2, 3, -1, -2, -3)),
        (variant("tavla", payoff="single"), (1, -1)),
        (variant("verquere"), (1, 2, -1, -2)),
        (variant("acey_deucey"), (1, 7, 15, -1, -15)),
        (variant("acey_deucey", payoff="pips"), (1, 200, 375, -375)),
    ],
    ids=lambda value: value.name if hasattr(value, "name") else None,
)
def test_results_are_outputs_of_a_net_that_say_them(rules, results):
    for points in results:
        five = five_of_points(rules, points)
        # a net cannot say more
        assert five[0] >= five[1] >= five[2] >= 0
        assert 1 - five[0] >= five[3] >= five[4] >= 0
        fixed = np.rint(five.astype(float) * 2.0**30).astype(np.int32)[None]
        assert equities_of_fives(rules, fixed)[0] * 2.0**-30 == pytest.approx(points, rel=1e-6)


def test_why_a_game_has_no_net():
    for what, message in (
        ("plakoto", "both sides"),
        ("tapa", "both sides"),
        ("trictrac", "no part of a board"),
        (variant("nardy_long", equalise=True), "equalise"),
        (variant("nardy_long", koks=True), "koks"),
    ):
        with pytest.raises(TrainingError, match=message):
            replace(TINY, variant=what)
    for options in ({"lookahead": True}, {"less_luck": True}, {"explore": 3}):
        with pytest.raises(TrainingError, match="layouts"):
            replace(TINY, stages=(Stage(6, 1e-3, 1e-3, **options),), variant="tavla")


# ---- training ----


def test_self_play_is_that_of_backgammon_where_the_games_are_the_same():
    rules = variant("portes", payoff="triple")
    evaluator = Evaluator(Trainer(TINY).shape.net(Trainer(TINY).parameters))
    seed = (77 << 64) + 5
    boards, targets = variant_self_play(rules, evaluator, seed, 3, 4, 0.7)
    other = training.self_play(evaluator, *seed_key(seed), 3, 4, 0.7, opening=False)
    assert (boards == other[0]).all()
    assert targets == pytest.approx(other[1], abs=1e-6)


@pytest.mark.parametrize("name", OTHERS)
def test_each_game_is_trained_the_same_by_threads_and_after_a_stop(name, tmp_path):
    recipe = replace(TINY, stages=(Stage(4, 1e-3, 1e-3, trace=0.7),), games_per_cycle=2)
    recipe = replace(recipe, variant=name)
    whole = train(recipe)
    assert whole.games == 4
    path = tmp_path / "run.npz"
    train(recipe, checkpoint=path, games=2)
    assert train(recipe, checkpoint=path, jobs=2).digest() == whole.digest()


def test_all_cpu_levels_train_the_same_net():
    code = (
        "from bgcore.recipes import Recipe, Stage\nfrom bgcore.training import train\n"
        "print(train(Recipe((Stage(4, 1e-3, 1e-3, trace=0.5),), games_per_cycle=2,"
        " variant='gul_bara')).digest())\n"
    )
    said = said_on_each_level(code)
    assert len(set(said)) == 1


def test_results_reach_every_turn_of_a_game():
    rules = variant("acey_deucey")
    evaluator = Trainer(replace(TINY, variant=rules)).evaluator()
    _, targets = variant_self_play(rules, evaluator, 1, 0, 1, 1.0)
    won = targets[-1]
    sides = np.arange(len(targets) - 1, -1, -1) % 2
    assert set(won[[0]].tolist()) <= {0.0, 1.0}
    lost = np.array([1 - won[0], won[3], won[4], won[1], won[2]], np.float32)
    for side, target in zip(sides.tolist(), targets, strict=True):
        assert (target == (lost if side else won)).all()
    # the loser pays for 1 to 15 checkers
    assert 15 * (won[1] + won[3]) == pytest.approx(round(15 * (won[1] + won[3])), abs=1e-5)
    assert 1 <= round(15 * (won[1] + won[3])) <= 15


def test_a_hundred_games_beat_random_play(tavla_net):
    results = play_match(tavla_net, "random", variant="tavla", games=40, seed=1)
    # a net that has learned nothing wins about half of the points
    assert results.totals[0] > 3 * results.totals[1]
    few = play_match(tavla_net, "random", variant="tavla", games=4, seed=1, jobs=2)
    assert few.points.tolist() == results.points[:4].tolist()


# ---- players ----


def test_a_net_plays_its_own_game_alone(tavla_net, tmp_path):
    one = NetVariantPlayer(tavla_net)
    assert one.game == variant("tavla")
    assert repr(pickle.loads(pickle.dumps(one))) == repr(one)
    for rules, message in (
        (variant("fevga"), "does not play fevga"),
        (variant("portes"), "does not play portes"),
        (variant("tavla", payoff="single"), "does not play tavla with other rules"),
        (variant("plakoto"), "net of tavla"),
        (variant("trictrac"), "does not play trictrac"),
    ):
        with pytest.raises(VariantError, match=message):
            variant_player_of(tavla_net, [rules])
    variant_player_of(tavla_net, [variant("tavla", opening="use", cube=True)])
    with pytest.raises(VariantError, match="no player"):
        variant_player_of(tmp_path / "none.npz", [])
    bad = tmp_path / "bad.npz"
    bad.write_bytes(b"PK")
    with pytest.raises(NetError):
        variant_player_of(bad, [])
    with pytest.raises(NetError, match="net of tavla"):
        NetEvaluator(tavla_net).evaluate(np.zeros((0, 26), np.int8))


def test_nets_of_layouts_play_portes(tmp_path):
    path = tmp_path / "net.npz"
    train(replace(TINY, variant="portes")).save_net(path)
    assert play_match(path, "pips", variant="portes", games=2).games == 2
    assert play_match(path, "pips", games=2).games == 2  # and backgammon
    three = tmp_path / "three.npz"
    train(replace(TINY, variant="hypergammon")).save_net(three)
    with pytest.raises(VariantError, match="does not play portes"):
        play_match(three, "pips", variant="portes", games=2)


def test_the_best_of_six_doublets_is_named(tmp_path):
    path = tmp_path / "net.npz"
    train(replace(TINY, variant="acey_deucey")).save_net(path)
    one = NetVariantPlayer(path)
    rules = variant("acey_deucey")
    # the opponent has one checker left; a 6-6 is the doublet that bears off all four
    state = State.parse("6:4 off:11 / 1:1 off:14")
    turn = rules.rolled(State.parse("6:4 2:1 1:1 off:9 / 1:1 off:14"), rules.begin(), (2, 1))
    play = rules.plays(State.parse("6:4 2:1 1:1 off:9 / 1:1 off:14"), turn).find("2/off 1/off")
    after, turn = rules.played(State.parse("6:4 2:1 1:1 off:9 / 1:1 off:14"), turn, play)
    assert (str(after), turn.todo) == (str(state), "choose")
    assert one.choose_doublet(rules, after, turn, 0.0) == 6


def test_what_a_game_pays_is_known_exactly(tmp_path):
    path = tmp_path / "net.npz"
    train(replace(TINY, variant="fevga")).save_net(path)
    one = NetVariantPlayer(path)
    rules = variant("fevga")
    state = State.parse("3:1 1:1 off:13 / 24:15")
    turn = rules.rolled(state, rules.begin(), (3, 1))
    plays = rules.plays(state, turn)
    # the last two checkers go off, and win a gammon
    chosen = plays[one.choose_play(rules, state, turn, plays, 0.0)]
    assert rules.result(chosen.state) == 2
