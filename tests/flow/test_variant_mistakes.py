"""What cannot be given to the games is refused by an error of the package that says so shortly."""

import math

import numpy as np
import pytest

from bgcore import Match, load_series
from bgcore.actions import MakeStep, Resign, Roll
from bgcore.errors import (
    BgcoreError,
    DiceError,
    GameError,
    IllegalPlayError,
    InvalidPlayError,
    NetError,
    RecordError,
    RulesError,
    VariantError,
)
from bgcore.variant_nets import NetVariantPlayer
from bgcore.variants import (
    Choose,
    Side,
    State,
    VariantGame,
    VariantGameState,
    VariantMatch,
    VariantPlay,
    VariantRecord,
    VariantRules,
    load_variant_match,
    order_of,
    parse_variant_action,
    perft,
    play_variant,
    random_games,
    variant,
    variant_options,
    variant_player,
)

#: Right for nothing here.
WRONG = [
    None,
    -1,
    2**130,
    10**5000,
    0.5,
    math.nan,
    math.inf,
    "",
    "x",
    "a" * 5000,
    "\x00",
    "\u0663",  # a digit of another script
    b"24",
    [],
    {},
    {"a": 1},
    [[1]],
    object(),
    np.float64(3),
    np.array([0, 9]),
    np.zeros((2, 2)),
    int,
]
#: A message shows what was given, cut, and what would be right.
LONGEST = 700


def refused(call, *errors):
    with pytest.raises(errors or BgcoreError) as error:
        call()
    assert 0 < len(str(error.value)) < LONGEST


@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("name", ["plakoto", "trictrac", "tabula", "acey_deucey"])
def test_rules_take_states_turns_and_dice_alone(name, value):
    rules = variant(name)
    state, begun = rules.initial(), rules.begin()
    for call in (rules.check, rules.result, rules.is_over):
        refused(lambda call=call: call(value), VariantError)
    refused(lambda: rules.rolled(value, begun, (3, 1, 1)[: rules.dice]), VariantError)
    refused(lambda: rules.rolled(state, value, (3, 1, 1)[: rules.dice]), VariantError)
    refused(lambda: rules.rolled(state, begun, value), DiceError)
    refused(lambda: rules.end_turn(value, begun), VariantError)
    turn = rules.rolled(state, begun, (3, 1, 1)[: rules.dice])
    for call in (rules.plays, rules.steps):
        refused(lambda call=call: call(value, turn), VariantError)
        refused(lambda call=call: call(state, value), VariantError)
    refused(lambda: rules.played(state, turn, value), VariantError)
    refused(lambda: rules.plays(state, turn).find(value), InvalidPlayError)
    refused(lambda: perft(rules, value), VariantError)
    if value is not None:
        refused(lambda: perft(rules, 0, state=value), VariantError)


def test_a_play_of_other_numbers_is_refused():
    rules = variant("plakoto")
    state = rules.initial()
    turn = rules.rolled(state, rules.begin(), (6, 5))
    other = rules.plays(state, rules.rolled(state, rules.begin(), (2, 1)))[0]
    refused(lambda: rules.played(state, turn, other), VariantError)
    refused(lambda: rules.stepped(state, turn, other), VariantError)
    assert rules.played(state, turn, VariantPlay((), state))[1].todo == "end"


@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
def test_states_are_made_of_texts_boards_and_sides_alone(value):
    for call in (State.parse, State.from_board, State):
        refused(lambda call=call: call(value), VariantError)
    if value not in ("", "x") if isinstance(value, str) else True:
        refused(lambda: Side.parse(value), VariantError)
    right = variant("plakoto").initial().own
    refused(lambda: State.of(value, right), VariantError)
    refused(lambda: State.of(right, Side(value)), VariantError)
    for field in (*right._fields[1:4], *right._fields[5:]):
        refused(lambda field=field: State.of(right, right._replace(**{field: value})))
    refused(lambda: State.of(right, right._replace(pinned=value)), VariantError)
    refused(lambda: State.of(right, right._replace(pinned=(value,))), VariantError)


def test_sides_hold_each_pin_once_and_bytes_alone():
    right = variant("plakoto").initial().own
    for change in ({"pinned": (3, 3)}, {"pinned": (0,)}, {"pinned": (25,)}, {"turns": 4},
                   {"bar": 100}, {"off": True}, {"was_home": 1}):  # fmt: skip
        refused(lambda change=change: State.of(right, right._replace(**change)), VariantError)


@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
def test_names_and_options_of_games(value):
    for call in (variant, variant_options, random_games, order_of, VariantMatch):
        refused(lambda call=call: call(value))
    refused(lambda: play_variant(value, games=1))
    for name in ("standard", "nardy_long", "gul_bara", "acey_deucey_european", "trictrac"):
        for option in variant_options(name):
            if option == "head_limit" and value is None:
                continue
            refused(lambda n=name, o=option: variant(n, **{o: value}), VariantError)
    if not isinstance(value, str):
        refused(lambda: VariantRules(name=value, start=((24, 15),)), VariantError)


@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
def test_games_matches_and_records(value):
    rules = variant("nackgammon")
    state = rules.initial()
    if value is not None:
        refused(lambda: VariantGame(value))
        refused(lambda: VariantGame(start=value), RulesError)
        refused(lambda: VariantGameState.start(rules, starter=value), RulesError)
        refused(lambda: VariantGameState.at(rules, state, cube_owner=value), RulesError)
        refused(lambda: VariantGameState.at(rules, state, dice=value), DiceError)
    refused(lambda: VariantGame("tapa", dice=1, first_roll=value), RulesError)
    refused(lambda: VariantGameState.start(value), RulesError)
    for field in ("length", "scores", "is_crawford"):
        refused(lambda f=field: VariantGameState.start(rules, **{f: value}), RulesError)
    for field in ("on_roll", "cube"):
        refused(lambda f=field: VariantGameState.at(rules, state, **{f: value}), RulesError)
    refused(lambda: VariantGameState.at(rules, value), VariantError)
    refused(lambda: VariantMatch("tavli", value), RulesError)
    refused(lambda: VariantMatch("tavli", names=value), RulesError)
    refused(lambda: VariantMatch.from_state(value), RulesError)
    for call in (VariantMatch.from_dict, VariantRecord.from_dict):
        refused(lambda call=call: call(value))
    for field in ("format", "version", "order", "games", "scores", "length", "names"):
        document = VariantMatch("tapa", 3).to_dict()
        refused(lambda d=document, f=field: VariantMatch.from_dict(d | {f: value}), RecordError)


@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("name", ["plakoto", "acey_deucey"])
def test_actions(name, value):
    game = VariantGame(name, dice=1)
    game.roll()
    before = game.state
    refused(lambda: game.do(value), GameError)
    assert not game.is_legal(value)
    if value is not None:
        refused(lambda: game.roll(value), DiceError)
        refused(lambda: game.legal_actions(value), GameError)
    game.roll("65")
    refused(lambda: game.play(value), InvalidPlayError)
    for step in ((value, 18), (24, value)):
        refused(lambda step=step: game.step(*step), IllegalPlayError)
    refused(lambda: game.resign(value), GameError)
    for call in (parse_variant_action, Choose, Resign, Roll if value is not None else Choose):
        refused(lambda call=call: call(value))
    if value is not None:
        refused(lambda: game.do(MakeStep(24, 18, value)), IllegalPlayError)
    game.undo()
    assert game.state == before


@pytest.mark.parametrize("value", WRONG, ids=lambda value: type(value).__name__)
def test_players_and_seeds(value):
    refused(lambda: variant_player(value), VariantError)
    for field in ("first", "second", "games"):
        settings = {"games": 1} | {field: value}
        refused(lambda s=settings: play_variant("tapa", **s), VariantError)
    refused(lambda: random_games("tapa", 1, seed=value), DiceError)


@pytest.mark.parametrize("value", [*WRONG, 0, True, "a\0b"], ids=lambda value: type(value).__name__)
def test_files_have_a_path(value):
    # a number is no path: it would be a file that is open already, such as standard input
    if isinstance(value, str) and "\0" not in value:
        return
    match = VariantMatch("tapa", 3)
    for call in (load_variant_match, load_series, match.save, Match(3).save):
        refused(lambda call=call: call(value), RecordError)
    refused(lambda: NetVariantPlayer(value), NetError)


def test_seeds_of_numpy_are_whole_numbers():
    seeded = random_games("tapa", 3, seed=np.int64(5))
    assert (seeded.points == random_games("tapa", 3, seed=5).points).all()


@pytest.mark.parametrize("choice", [-1, 10**9, 0.0, None, "0", np.array([0, 1])])
def test_what_a_player_chooses_is_a_play(choice):
    class Player:
        def choose_play(self, rules, state, turn, plays, chance):
            return choice

        def choose_doublet(self, rules, state, turn, chance):
            return choice

    for name in ("tapa", "acey_deucey"):
        refused(lambda name=name: play_variant(name, Player(), games=1), VariantError)
