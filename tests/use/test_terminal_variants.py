"""The other games in a terminal: what people type and what they are told."""

import contextlib
import io
import json
import random

import pytest

from bgcore.actions import Settle
from bgcore.cli import run
from bgcore.errors import BoardError, RecordError
from bgcore.game_state import Stage
from bgcore.game_text import plain
from bgcore.recipes import Recipe
from bgcore.terminal import (
    VariantSession,
    VariantSetting,
    load_variant_session,
    variant_picture,
)
from bgcore.training import Trainer
from bgcore.variants import VARIANTS, VariantGame, VariantGameState, VariantMatch, variant


class Stopped(Exception):
    """The script is over."""


class Table:
    """A session that reads a script and keeps what it shows."""

    def __init__(self, rules, length=0, *, player="pips", seed=3, **options):
        names = ("you", player) if player else ("Ann", "Bob")
        self.match = VariantMatch(rules, length, names=names, dice=seed)
        self.out = io.StringIO()
        self.prompts = []
        self.script = []
        options.setdefault("color", False)
        self.session = VariantSession(
            self.match, VariantSetting(player, seed), read=self.read, out=self.out, **options
        )

    def read(self, prompt):
        self.prompts.append(prompt)
        if not self.script:
            raise Stopped
        return self.script.pop(0)

    def type(self, *lines):
        """Type lines and return what is shown until the next one is wanted."""
        self.script = list(lines)
        start = self.out.tell()
        with contextlib.suppress(Stopped):
            self.session.run()
        return " ".join(self.out.getvalue()[start:].split())

    @property
    def game(self):
        return self.match.game


def persons(rules, length=0, **options):
    """Two people who type what they throw."""
    return Table(rules, length, player=None, seed=None, **options)


def picture(name, state, **options):
    made = VariantGameState.at(variant(name), state)
    return [plain(line) for line in variant_picture(made, ("Ann", "Bob"), **options)]


# ---- the picture ----


def test_pins_are_small_letters_at_the_edge():
    lines = picture("plakoto", "24:13 19:2 / 24:14 6:pin")
    assert lines == [
        " O  Bob: 342 pips, pinned on 6",
        "+13-14-15-16-17-18------19-20-21-22-23-24-+",
        "|                  |   | o              X |",
        "|                  |   | X              X |",
        "|                  |   | X              X |",
        "|                  |   |                X |",
        "|                  |   |               13 |",
        "|                  |   |                  |",
        "|                  |   |               14 |",
        "|                  |   |                O |",
        "|                  |   |                O |",
        "|                  |   |                O |",
        "|                  |   |                O |",
        "+12-11-10--9--8--7-------6--5--4--3--2--1-+",
        "*X  Ann: 350 pips",
        "Ann to roll",
    ]


def test_bars_hands_and_what_is_off_stand_beside_the_names():
    lines = picture("acey_deucey", "24:1 bar:2 hand:11 off:1 / 20:1 hand:14")
    assert lines[-2] == "*X  Ann: 349 pips, 2 on the bar, 11 in hand, 1 off"
    assert lines[0] == " O  Bob: 370 pips, 14 in hand"


def test_both_sides_stand_where_they_are_in_games_of_one_direction():
    # his 24 is my 12
    lines = picture("nardy_long", "24:15 / 24:14 18:1")
    assert lines[12][:4] == "| O "
    # his 18 is my 6
    assert lines[12][24:27] == " O "


def test_the_picture_is_seen_from_both_sides_and_turned():
    made = VariantGameState.at(variant("nackgammon"), "24:15 / 23:15")
    seen = [plain(line) for line in variant_picture(made, viewer=1, home="left")]
    assert seen[0].startswith("*X")
    assert seen[1] == "+24-23-22-21-20-19------18-17-16-15-14-13-+"
    assert "[1] cube: in the middle" in seen
    with pytest.raises(BoardError):
        variant_picture(made, home="up")


# ---- playing ----


def test_two_people_type_dice_and_plays():
    table = persons("plakoto")
    shown = table.type("31", "65", "24/18 18/13", "21")
    assert "opening roll: Ann 3, Bob 1; first: Ann" in shown
    assert "Ann: 6-5 24/18 18/13" in shown
    assert table.game.on_roll == 1
    assert table.prompts[0] == "opening roll, Ann first (dice, such as 31)> "
    assert table.prompts[-1] == "Bob, 2 1> "


def test_trictrac_tells_what_a_roll_is_worth_and_lets_one_leave():
    seen = persons("trictrac")
    rules = variant("trictrac")
    start = "24:13 13:2 turns:3 marked:10 holes:1 flag / 24:14 18:1 turns:3 marked:6 bredouille"
    seen.match._games[-1] = VariantGame(start=VariantGameState.at(rules, start))
    shown = seen.type("62", "stay now", "leave", "moves", "pips")
    assert "Ann: true hit on 7 2" in shown
    assert "Ann 0 points 2 holes; Bob 0 points 0 holes" in shown
    assert "Ann to stay or leave" in shown
    assert "Ann, stay or leave> " in seen.prompts
    assert shown.count("Ann: leave") == 2
    assert "Ann: 360 pips, 0 points 2 holes" in shown
    assert str(seen.game.board) == "24:15 holes:2 flag / 24:15"


def test_three_dice_are_typed():
    table = persons("tabula")
    assert "3 dice" in table.type("31", "65")
    table.type("222")
    assert table.prompts[-1] == "Ann, 2 2 2> "
    table.type("hand/23(3)")
    assert str(table.game.board.opponent) == "23:3 hand:12"


def test_steps_mistakes_and_lists():
    table = persons("portes")
    table.type("31", "31")
    assert "is not a legal play" in table.type("24/18")
    assert "is not a legal play" in table.type("8/5 8/2")
    assert "8/5 6/5" in table.type("plays")
    table.type("24/21")
    assert table.prompts[-1] == "Ann, left 1> "
    assert "not understood" in table.type("jump")
    assert "right is 24/18" in table.type("5x5/")
    assert "Something must be chosen" in table.type("")
    table.type("undo")
    assert table.prompts[-1] == "Ann, 3 1> "
    table.type("redo")
    assert table.prompts[-1] == "Ann, left 1> "
    assert "nothing to do again" in table.type("redo")


def test_several_steps_are_typed_and_the_rest_later():
    table = persons("portes")
    table.type("31", "11")
    assert "is not a legal play" in table.type("8/7 24/18")
    table.type("8/7, 8/7")
    assert table.prompts[-1] == "Ann, left 1 1> "
    table.type("6/5(2)")
    assert (table.game.on_roll, str(table.game.board.opponent)) == (
        1,
        "24:2 13:5 8:1 7:2 6:3 5:2",
    )


def test_who_can_play_nothing_passes():
    closed = "13:14 bar:1 / 6:2 5:2 4:2 3:2 2:2 1:5"
    table = persons("portes", auto=False)
    table.match._games[-1] = VariantGame(start=VariantGameState.at(variant("portes"), closed))
    table.type("31")
    assert table.prompts[-1] == "Ann, 3 1: no play (Enter)> "
    assert "Ann: 3-1 (no play)" in table.type("pass")
    assert table.game.on_roll == 1


def test_a_doublet_is_named():
    table = persons("acey_deucey")
    table.type("31", "12", "hand/24 hand/23")
    assert table.prompts[-1] == "Ann, which doublet, 1 to 6?> "
    assert "Ann names 5-5" in table.type("5")
    assert table.game.numbers == (5, 5, 5, 5)
    table.type("hand/20(4)")
    assert (table.game.on_roll, table.game.stage) == (0, Stage.ROLL)


def test_the_cube_and_resignations():
    table = persons("nackgammon", 3)
    table.type("31", "13/10 6/5")
    assert table.prompts[-1] == "Bob (dice, such as 31 or double)> "
    table.type("double")
    assert table.prompts[-1] == "Ann, take or drop> "
    shown = table.type("take", "resign gammon", "refuse", "resign 3", "accept")
    assert "[2] cube: Ann" in shown
    assert "6 points for Ann (resigned)" in shown
    assert "The match is over: Ann has won it. Ann 3, Bob 0." in shown
    lame = persons("acey_deucey")
    assert "nobody resigns" in lame.type("31", "resign")
    assert "you can resign a single game" in lame.type("resign everything")
    assert "Type what was thrown" in lame.type("roll")


def test_a_player_plays_and_undo_goes_back_to_ones_own_decision():
    table = Table("tapa", seed=4)
    table.type()
    before = table.game.state
    first = str(table.game.legal_plays()[0])
    shown = table.type(first)
    assert f"you: {'-'.join(map(str, before.numbers))} {first}" in shown
    assert "pips: " in shown
    after = table.game.state
    table.type("undo")
    assert table.game.state == before
    table.type("redo")
    assert table.game.state == after
    assert "nothing to take back" in Table("tapa", seed=4).type("undo")
    assert "the dice are thrown here" in Table("tapa", auto=False).type("31")


def test_words_that_show_things():
    table = persons("fevga")
    shown = table.type("31", "help", "pips", "score", "moves", "state", "board", "?")
    assert "Plays are typed" in shown
    assert "Ann: 360 pips" in shown
    assert "24:15 / 24:15" in shown
    assert "Score: Ann 0, Bob 0." in shown
    assert "nothing to be played" in table.type("plays")
    assert "Not saved" in table.type("quit")


@pytest.mark.parametrize("name", sorted(VARIANTS))
def test_sessions_of_every_game_end(name):
    table = Table(name, 1, player="random", seed=5)
    rng = random.Random(name)
    for _ in range(6000):
        if table.match.is_over:
            break
        game = table.game
        if game.is_over or game.stage is Stage.ROLL:
            line = "roll"
        elif game.stage is Stage.CHOOSE:
            line = str(rng.randint(1, 6))
        elif game.stage is Stage.LEAVE:
            line = rng.choice(["stay", "leave"])
        elif game.stage is Stage.OPENING:
            line = ""
        else:
            line = str(rng.choice(game.legal_plays()))
        table.script = [line]
        with contextlib.suppress(Stopped):
            table.session.run() if not table.prompts else table_goes_on(table)
    assert table.match.is_over


def table_goes_on(table):
    while table.session._go_on():
        pass


def test_tavli_goes_from_game_to_game():
    table = Table("tavli", 5)
    table.game.do(Settle(1, 2))
    shown = table.type("what", "")
    assert "Enter begins the next one" in shown
    assert "Game 2, plakoto. Score: you 0, pips 2, to 5." in shown
    drawn = Table("tavli", 5)
    drawn.game.do(Settle(0, 0))
    assert "The game is a draw." in drawn.type()


# ---- files ----


def test_a_session_is_saved_and_goes_on(tmp_path):
    path = tmp_path / "game.json"
    table = persons("plakoto", 3, path=path)
    table.type("31", "65", "24/13")
    match, setting = load_variant_session(path)
    assert setting == VariantSetting(None, None)
    assert match.game.state == table.game.state
    other = tmp_path / "other.json"
    assert "saved in" in table.type(f"save {other}")
    assert "where? save FILE" in persons("plakoto").type("save")
    assert "other.json, from now on" in table.type("save")
    assert load_variant_session(other)[0].game.state == table.game.state
    document = json.loads(path.read_text())
    for wrong in ("{", "[]", json.dumps(document | {"terminal": {"player": "net", "seed": 1}}),
                  json.dumps(document | {"terminal": {"seed": 1}})):  # fmt: skip
        path.write_text(wrong)
        with pytest.raises(RecordError):
            load_variant_session(path)


def test_a_session_does_not_write_over_what_others_have_written(tmp_path):
    path = tmp_path / "game.json"
    first = persons("plakoto", 3, path=path)
    second = persons("plakoto", 3, path=path)
    second.type("31")
    written = path.read_bytes()
    first.type("21", "65")
    assert path.read_bytes() == written
    assert "another program has changed" in first.out.getvalue().replace("\n", " ")
    thesis = tmp_path / "thesis.txt"
    thesis.write_text("my work")
    assert "exists: choose another name" in first.type(f"save {thesis}")
    assert thesis.read_text() == "my work"


# ---- the command ----


def play(monkeypatch, capsys, lines, *arguments):
    script = iter(lines)

    def read(prompt=""):
        try:
            return next(script)
        except StopIteration:
            raise EOFError from None

    monkeypatch.setattr("builtins.input", read)
    status = run(["play", "--no-color", *arguments])
    return status, *capsys.readouterr()


def test_play_a_game(monkeypatch, capsys, tmp_path):
    file = str(tmp_path / "g.json")
    command = ("--variant", "plakoto", "--seed", "4", "--file", file, "--length", "3")
    status, out, err = play(monkeypatch, capsys, ["24/18 18/13"], *command)
    assert (status, err) == (0, "")
    assert "Match to 3 of plakoto, you (X) against pips (O)" in out
    status, out, _ = play(monkeypatch, capsys, [], "--variant", "plakoto", "--file", file)
    assert (status, "Going on with game 1." in out) == (0, True)
    status, out, err = play(monkeypatch, capsys, [], "--variant", "tapa", "--file", file)
    assert (status, err.count("\n"), "differs in the game" in err) == (1, 1, True)


def test_play_from_a_state_on(monkeypatch, capsys, tmp_path):
    file = str(tmp_path / "g.json")
    state = "24:13 13:2 turns:3 holes:2 flag / 24:15 turns:3"
    command = ("--variant", "trictrac", "--seed", "4", "--file", file, state)
    status, out, err = play(monkeypatch, capsys, ["state"], *command)
    assert (status, err) == (0, "")
    assert "24:13 13:2 turns:3" in out
    assert "0 points 2 holes" in out
    assert play(monkeypatch, capsys, [], *command)[0] == 0
    status, out, err = play(monkeypatch, capsys, [], *command[:-1], "24:15 / 24:15")
    assert (status, out, "differs in the position" in err) == (1, "", True)
    # a layout takes an ID
    status, out, _ = play(monkeypatch, capsys, [], "--variant", "portes", "4HPwATDgc/ABMA")
    assert (status, "you to play" in out or "you to roll" in out) == (0, True)


def test_play_tavli_and_changed_rules(monkeypatch, capsys):
    status, out, _ = play(monkeypatch, capsys, [], "--variant", "Tavli", "--against", "person")
    assert (status, "Match to 7 of portes, plakoto, fevga, X (X) against O (O)" in out) == (0, True)
    more = ("--rule", "head_limit=2", "--dice", "--names", "Ann", "Bob", "--against", "random")
    status, out, _ = play(monkeypatch, capsys, [], "--variant", "nardy_long", *more)
    assert (status, "Ann (X) against Bob (O); you throw the dice" in out) == (0, True)


def test_play_against_a_net_of_the_game(monkeypatch, capsys, tmp_path):
    net, file = str(tmp_path / "net.npz"), str(tmp_path / "g.json")
    Trainer(Recipe(variant="nackgammon")).save_net(net)
    command = ("--variant", "nackgammon", "--seed", "4", "--against", net, "--file", file)
    status, out, err = play(monkeypatch, capsys, ["plays"], *command)
    assert (status, err, "you (X) against net.npz (O)" in out) == (0, "", True)
    assert play(monkeypatch, capsys, [], *command)[0] == 0  # goes on
    for game in ("fevga", "tavli"):
        status, out, err = play(monkeypatch, capsys, [], "--variant", game, "--against", net)
        assert (status, err.count("\n"), "net of nackgammon" in err) == (1, 1, True)
    (tmp_path / "net.npz").unlink()
    status, out, err = play(monkeypatch, capsys, [], *command[:4], "--file", file)
    assert (status, err.count("\n")) == (1, 1)


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--variant", "nard"], 1, "'nard' can be:"),
        (["--variant", "toc"], 1, "has no rules here"),
        (["--variant", "tapa", "--against", "net"], 2, "--against is random, pips, person"),
        (["--variant", "tapa", "--money"], 2, "--variant goes without"),
        (["--variant", "tapa", "24:14 / 24:15"], 1, "has 14 checkers"),
        (["--variant", "tapa", "off:15 / 24:15"], 1, "the game is over"),
        (["--variant", "tapa", "4HPwATDgc/ABMA"], 1, "is no state"),
        (["--variant", "tavli", "24:15 / 24:15"], 2, "a position is one of a game"),
        (["--variant", "tavli", "--rule", "cube=true"], 2, "without --rule"),
        (["--variant", "tapa", "--names", "a", "a"], 1, "two different"),
        (["--variant", "tapa", "--dice", "--seed", "3"], 2, "do not go together"),
    ],
)
def test_play_says_what_is_wrong(monkeypatch, capsys, arguments, status, words):
    found, out, err = play(monkeypatch, capsys, [], *arguments)
    assert (found, out) == (status, "")
    assert words in err
    assert err.count("\n") == 1
