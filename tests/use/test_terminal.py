"""Sessions in a terminal: what people type and what they are told."""

import contextlib
import io
import json
import random
import re

import pytest
from games import LOSERS, board

from bgcore import GameState, Match, MoneySession, Rules
from bgcore.actions import MakePlay, Roll
from bgcore.errors import RecordError
from bgcore.game_state import Stage
from bgcore.match import series_from_dict
from bgcore.terminal import Session, Setting, load_session

SEED = 3  # begins with 6-2 for player 0


class Stopped(Exception):
    """The script is over."""


class Table:
    """A session that reads a script and keeps what it shows."""

    def __init__(self, series=None, setting=None, **options):
        self.setting = Setting(net=1, seed=SEED) if setting is None else setting
        self.series = MoneySession(dice=SEED, names=("you", "net")) if series is None else series
        self.out = io.StringIO()
        self.prompts = []
        self.script = []
        options.setdefault("color", False)
        self.session = Session(self.series, self.setting, read=self.read, out=self.out, **options)

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
        return self.series.game


def persons(rules=None, **options):
    """Two people who type what they throw."""
    series = MoneySession(rules, names=("Ann", "Bob"))
    return Table(series, Setting(net=None, seed=None), **options)


# ---- playing ----


def test_plays_are_read_in_any_usual_notation():
    for text in ("24/18 13/11", "13/11 24/18", "24-18 13-11", "24/18, 13/11", "13/11 24/18*"):
        table = Table()
        assert "you: 6-2 24/18 13/11" in table.type(text)
        assert [type(a) for a in table.game.actions[:2]] == [Roll, MakePlay]


def test_a_play_may_be_typed_step_by_step_and_taken_back_so():
    table = Table()
    shown = table.type("24/18")
    assert "you to play 6-2, left 2" in shown
    assert table.prompts[-1] == "you, left 2> "
    assert "6/3 is not legal: 6/3 is 3 pips; with 6-2" in table.type("6/3")
    table.type("u")
    assert table.game.state.steps == ()
    assert table.prompts[-1] == "you, 6-2> "
    table.type("24/18", "13/11")
    assert next(str(turn.play) for turn in table.game.turns()) == "24/18 13/11"
    assert len(table.game.actions) > 3  # the net has answered


def test_two_steps_of_a_doublet_are_a_part_of_the_play():
    table = persons()
    table.type("31", "8/5 6/5", "22", "13/9")
    assert table.game.state.dice_left == (2, 2)
    table.type("6/4(2)")
    assert str(list(table.game.turns())[-1].play) == "13/9 6/4(2)"


@pytest.mark.parametrize(
    ("typed", "told"),
    [
        ("8/5 6/4", "8/5 is 3 pips; with 6-2 a checker moves 2, 6 or 8"),
        ("5/3 13/7", "you have no checker on your 5 point"),
        ("24/18 13/12", "the opponent holds your 12 point"),
        ("bar/23 13/7", "you have no checker on the bar"),
        ("pass", "the roll must be played"),
        ("8/x", "cannot read '8/x'"),
        ("1/2/3/4/5/6/7", "1/2/3/4/5/6/7"),
        ("roll", "Type a play such as"),
        ("double", "Type a play such as"),
        ("take", "Type a play such as"),
        ("accept", "Type a play such as"),
        ("", "Type a play such as"),
        ("hnit", "Did you mean hint?"),
        ("resign x", "you can resign"),
        ("save", "where? save FILE"),
        ("\x1b[31m", r"cannot read '\x1b[31m'"),
        ("save \x1b[31m/x", r"cannot be saved"),
        ("take it", "take stands alone"),
        ("8/5 " * 1000, "This line has 3,999 signs"),
    ],
)
def test_mistakes_are_answered_and_change_nothing(typed, told):
    table = Table()
    table.type("board")
    before = table.game.state
    shown = table.type(typed)
    assert told in shown
    assert "\x1b" not in shown
    assert table.game.state == before


def test_what_was_perhaps_meant_is_shown():
    assert "Legal and close to it: 24/18 13/11" in Table().type("24/18 13/10")


def test_roll_double_take_and_drop_between_people():
    table = persons(Rules.money(beavers=0))
    table.type("31", "8/5 6/5")
    assert table.prompts[-1] == "Bob (dice or double)> "
    assert "Type take or drop" in table.type("d", "beaver", "31")
    table.type("take")
    assert table.game.cube.value == 2
    assert table.prompts[-1] == "Bob (dice, such as 31)> "
    table.type("66", "24/18(2) 13/7(2)")
    shown = table.type("double", "pass")
    assert "2 points for Ann (dropped, cube 2)" in shown
    assert table.game.result.points == 2


def test_beaver_and_raccoon():
    table = persons(Rules.money(beavers=2))
    table.type("31", "8/5 6/5", "double")
    assert table.prompts[-1] == "Ann, take, drop or beaver> "
    table.type("beaver", "raccoon", "take")
    assert table.game.cube.value == 8


def test_hints_for_answers_to_beavers_tell_what_taking_and_dropping_are_worth():
    table = persons(Rules.money(beavers=2))
    shown = table.type("31", "8/5 6/5", "double", "hint")
    take = float(re.search(r"double and take ([+-]\d\.\d+)", shown)[1])
    assert take < 0  # a double that should be beavered
    shown = table.type("beaver", "hint")
    assert f"taken {2 * take:.2f}"[:-1] in shown
    assert "dropped -2.000" in shown
    assert "dropped +4.000" in table.type("raccoon", "hint")


def test_enter_rolls_only_where_there_is_no_choice():
    table = Table(Match(3, Rules.match(), dice=SEED, names=("you", "net")))
    table.type("24/18 13/11")
    assert "Type roll or double" in table.type("")
    assert table.game.dice is None
    table.type("r")
    assert table.game.dice is not None
    plain = Table(MoneySession(Rules.casual(), dice=SEED), auto=False)
    plain.type("24/18 13/11")
    assert plain.prompts[-1] == "X (Enter to roll)> "
    plain.type("")
    assert plain.game.dice is not None


def test_rolls_without_a_choice_and_forced_plays_are_automatic_and_told():
    # closed out: every roll of X is lost
    closed = board({6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 2, 8: 1, 7: 2}, {24: 1}, other_bar=0)
    start = GameState.at(
        board({24: 1, 23: 1}, {6: 2, 5: 2, 4: 2, 3: 2, 2: 2, 1: 3}, own_bar=1),
        rules=Rules.casual(),
    )
    series = MoneySession.from_state(start, names=("Ann", "Bob"), dice=1)
    table = Table(series, Setting(net=None, seed=1))
    shown = table.type()
    assert re.search(r"Ann: \d-\d \(no play\)", shown)
    assert table.game.history[0].automatic
    assert table.game.history[1].automatic
    assert closed.is_valid()
    only = GameState.at(board({24: 1}, {12: 2, 2: 13}), dice="65", rules=Rules.casual())
    series = MoneySession.from_state(only, names=("Ann", "Bob"), dice=1)
    assert "Ann: 6-5 24/18 (the only play)" in Table(series, Setting(net=None, seed=1)).type()


def test_nothing_is_automatic_if_it_is_switched_off():
    only = GameState.at(board({24: 1}, {12: 2, 2: 13}), dice="65", rules=Rules.casual())
    series = MoneySession.from_state(only, names=("Ann", "Bob"), dice=1)
    table = Table(series, Setting(net=None, seed=1), auto=False)
    table.type("24/18")
    assert not any(entry.automatic for entry in table.game.history)


def test_enter_ends_a_turn_without_a_legal_play():
    stuck = GameState.at(board({20: 1}, {10: 2, 11: 13}), dice="65", rules=Rules.casual())
    series = MoneySession.from_state(stuck, names=("Ann", "Bob"), dice=1)
    table = Table(series, Setting(net=None, seed=1), auto=False)
    table.type("20/14")
    assert table.prompts[-1] == "Ann, 6-5: no play (Enter)> "
    assert "Ann: 6-5 (no play)" in table.type("")
    assert table.game.on_roll == 1


# ---- resigning, ends, the next game ----


def test_the_net_accepts_a_resignation():
    table = Table(MoneySession(Rules.money(jacoby=False), dice=SEED, names=("you", "net")))
    shown = table.type("resign gammon")
    assert "net: accept" in shown
    assert "2 points for net (gammon, resigned)" in shown
    assert "Score after 1 game: you 0, net 2." in shown


def test_a_resignation_that_cannot_count_is_refused_with_the_reason():
    assert "no more than a single game can be resigned" in Table().type("resign gammon")


def test_a_person_may_refuse_a_resignation():
    table = persons()
    table.type("31", "resign", "refuse")
    assert table.prompts[-1] == "Ann, 3-1> "
    assert "was refused just now" in table.type("resign")


def test_the_next_game_begins_with_enter_and_the_score_goes_on():
    table = Table(Match(3, dice=SEED, names=("you", "net")))
    assert "Score: you 0, net 2, to 3." in table.type("resign gammon")
    shown = table.type("")
    assert "Game 2: to 3, Crawford game; you 0, net 2" in shown
    assert table.game.start.is_crawford
    assert "no cube in the Crawford game" in shown
    shown = table.type(*["resign"] * 3)
    assert "The match is over: net has won it. you 0, net 3." in shown


def test_end_by_the_last_checker():
    start = GameState.at(LOSERS[2], dice="21", rules=Rules.casual())
    series = MoneySession.from_state(start, names=("Ann", "Bob"), dice=1)
    shown = Table(series, Setting(net=None, seed=1)).type()
    assert "2 points for Ann (gammon)" in shown


WORDS = [
    "roll",
    "r",
    "d",
    "double",
    "take",
    "t",
    "drop",
    "pass",
    "beaver",
    "raccoon",
    "accept",
    "refuse",
    "hint",
    "plays",
    "undo",
    "u",
    "redo",
    "board",
    "pips",
    "score",
    "moves",
    "id",
    "help",
    "?",
    "save",
    "31",
    "66",
    "resign",
    "hello",
    "8/5",
    "bar/20",
    "99/1",
    "()",
    "*",
]


@pytest.mark.parametrize("seed", range(8))
def test_whatever_is_typed_the_session_goes_on(seed):
    chance = random.Random(seed)
    rules = [
        Rules.money(beavers=3, auto_doubles=None),
        Rules.money(cube_limit=2, own_limit=5, skip_closed_out=True),
        Rules.casual(extra_turn=True, any_number=True, finish_early=True),
        Rules.money(payoff="single", next_opening="winner"),
    ][seed % 4]
    dice = None if seed % 3 == 0 else seed
    series = MoneySession(rules, names=("Ann", "Bob"), dice=dice)
    net = None if seed % 2 else seed % 4 // 2
    table = Table(series, Setting(net=net, seed=dice), auto=seed < 4)
    for _ in range(60):
        game = table.game
        lines = [chance.choice([*WORDS, "resign gammon"])]
        if game.stage is Stage.PLAY and chance.random() < 0.7:
            lines = [str(chance.choice([*table.session._plays_of_turn(), *game.legal_steps()]))]
        elif chance.random() < 0.4:
            lines = [f"{chance.randint(1, 6)}{chance.randint(1, 6)}" if dice is None else "roll"]
        table.type(*lines)
    assert game.actions or series.games[1:]
    # whatever was done is within the rules: it can be played again
    again = series_from_dict(json.loads(json.dumps(series.to_dict())), dice=dice)
    assert [one.state for one in again.games] == [one.state for one in series.games]


# ---- back and forth ----


def test_undo_goes_back_over_the_net_to_the_last_decision_and_the_dice_stay():
    table = Table(Match(3, dice=SEED, names=("you", "net")))
    table.type("24/18 13/11", "roll")
    dice, state = table.game.dice, table.game.state
    table.type("u")
    assert table.game.dice is None
    table.type("roll")
    assert table.game.state == state
    table.type("u", "u")
    assert table.game.dice == (6, 2)
    assert "nothing to take back" in table.type("u")
    table.type("redo")
    assert table.prompts[-1] == "you (roll or double)> "
    table.type("redo")
    assert (table.game.state, table.game.dice) == (state, dice)
    assert "nothing to do again" in table.type("redo")


def test_another_play_after_undo_forgets_what_was_undone():
    table = Table(Match(3, dice=SEED, names=("you", "net")))
    table.type("24/18 13/11", "u", "24/16")
    assert next(str(turn.play) for turn in table.game.turns()) == "24/16"
    assert "nothing to do again" in table.type("redo")


def test_the_end_of_a_game_can_be_taken_back():
    table = Table(Match(3, dice=SEED, names=("you", "net")))
    table.type("resign", "undo")
    assert table.game.result is None
    assert table.prompts[-1] == "you, 6-2> "


def test_typed_dice_are_taken_back_one_roll_at_a_time():
    table = persons()
    table.type("31", "8/5 6/5", "65", "u")
    assert table.game.dice is None
    assert table.game.on_roll == 1
    table.type("64")
    assert table.game.dice == (6, 4)


# ---- what is shown ----


def test_hints_rank_plays_and_tell_the_cube():
    table = Table(Match(3, dice=SEED, names=("you", "net")))
    shown = table.type("hint")
    ranks = re.findall(r" (\d)\. \d", shown)
    assert ranks == ["1", "2", "3", "4", "5"]
    assert len(re.findall(r"-0\.\d{3} ", shown)) >= 4
    shown = table.type("24/18 13/11", "h")
    assert re.search(r"win \d+\.\d% \(gammon .* no double [+-]\d\.\d{3}, double and take", shown)
    doubled = persons()
    assert "cube, seen by Bob" in doubled.type("31", "8/5 6/5", "double", "hint")
    assert "nothing to think about" in persons().type("hint")


def test_lists_of_plays_scores_ids_and_the_game_so_far():
    table = Table(Match(3, dice=SEED, names=("you", "net")))
    shown = table.type("plays")
    assert all(str(play) in shown for play in table.game.legal_plays())
    assert "you 167 pips, net 167 pips" in table.type("pips")
    assert "to 3; you 0, net 0" in table.type("score")
    assert re.search(
        r"4HPwATDgc/ABMA:\S{12} XGID=-b----E-C---eE---c-e----B-:0:0:1:62", table.type("id")
    )
    assert "1. you: 6-2 24/18 13/11" in table.type("24/18 13/11", "moves")
    assert "no dice are rolled" in table.type("plays")
    shown = table.type("?")
    assert all(word in shown for word in ("double", "resign", "undo", "save FILE", "quit"))


def test_plays_are_listed_in_the_middle_of_a_turn_too():
    table = Table()
    table.type("24/18")
    assert "24/18 13/11" in table.type("plays")
    assert "24/18 13/11" in table.type("hint")


def test_the_one_who_acts_sits_at_the_bottom_unless_it_is_the_net():
    table = persons()
    assert "*X Ann" in table.type("31")
    assert "*O Bob" in table.type("8/5 6/5")
    lines = table.out.getvalue().splitlines()
    assert lines[-1].startswith("+12-11-10--9--8--7-------6--5--4--3--2--1-+   *O  Bob")


def test_colours_only_where_they_are_wanted(monkeypatch):
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)
    coloured = Table(color=True)
    coloured.type("board")
    assert "\x1b[" in coloured.out.getvalue()
    for options in ({"color": False}, {"color": None}):
        plain = Table(**options)
        plain.type("board")
        assert "\x1b" not in plain.out.getvalue()


def test_lines_fit_into_80_columns_without_colours():
    table = Table(Match(3, dice=SEED, names=("a very long name of somebody", "net")))
    table.type("24/18 13/11", "hint", "plays", "help", "moves", "13/1 8/5", "foo", "id")
    assert [line for line in table.out.getvalue().splitlines() if len(line) > 80] == []


# ---- leaving and going on ----


def test_quit_and_the_end_of_input_leave_cleanly(tmp_path):
    table = Table()
    assert "Not saved" in table.type("quit")
    end = Table()
    end.session._read = lambda prompt: (_ for _ in ()).throw(EOFError)
    end.session.run()
    assert "Not saved" in end.out.getvalue()
    kept = Table(path=tmp_path / "game.json")
    assert "Saved in" in kept.type("q")
    assert load_session(tmp_path / "game.json")[0].game.state == kept.game.state


def test_ctrl_c_is_passed_on_with_everything_saved(tmp_path):
    table = Table(path=tmp_path / "game.json")

    def interrupt(prompt):
        raise KeyboardInterrupt

    table.session._read = interrupt
    with pytest.raises(KeyboardInterrupt):
        table.session.run()
    assert load_session(tmp_path / "game.json")[0].game.state == table.game.state


def test_a_session_goes_on_where_it_was_after_every_action(tmp_path):
    path = tmp_path / "game.json"
    table = Table(Match(3, dice=SEED, names=("you", "net")), path=path)
    lines = ["24/18", "13/11", "roll", "undo", "double", "undo", "roll", "resign", "", "resign"]
    for line in lines:
        table.type(line)
        series, setting = load_session(path)
        assert setting == table.setting
        assert series.game.state == table.game.state
        assert series.scores == table.series.scores
    again = Table(series, setting, path=path)
    assert "Going on with game 2" in again.type()
    # the dice of the saved session are those that would have come
    again.type("")
    table.type("")
    assert again.game.state == table.game.state


def test_save_keeps_the_session_from_then_on(tmp_path):
    path = tmp_path / "kept.json"
    table = Table()
    assert "saved in" in table.type(f"save {path}")
    table.type("24/18 13/11")
    assert load_session(path)[0].game.state == table.game.state
    assert "exists: choose another name" in Table().type(f"save {path}")
    assert "cannot be saved" in Table().type(f"save {tmp_path / 'no' / 'folder'}")
    assert "saved in" in table.type("save")


def test_a_session_does_not_write_over_what_another_program_has_written(tmp_path):
    path = tmp_path / "game.json"
    first = Table(path=path)
    series, setting = load_session(path)
    second = Table(series, setting, path=path)
    second.type("24/18 13/11")
    shown = first.type("13/7 8/6", "quit")
    assert "another program has changed" in shown
    assert "the same command goes on" not in shown
    assert load_session(path)[0].game.actions == second.game.actions
    assert "saved in" in first.type(f"save {tmp_path / 'other.json'}")
    assert load_session(tmp_path / "other.json")[0].game.actions == first.game.actions


def test_dice_that_are_typed_after_roll_are_read():
    table = persons()
    table.type("roll 31")
    assert table.game.dice == (3, 1)
    table.type("8/5 6/5", "roll 7")
    assert table.game.stage is Stage.ROLL
    thrown = Table(setting=Setting(net=None, seed=SEED))
    assert "type roll" in thrown.type("24/18 13/11", "roll 31")


def test_a_file_that_cannot_be_written_any_more_is_told(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    table = Table(path=folder / "game.json")
    (folder / "game.json").unlink()
    folder.rmdir()
    shown = table.type("24/18 13/11", "quit")
    assert "This could not be saved" in shown
    assert "the same command goes on" not in shown


def test_names_of_files_keep_their_capital_letters_between_games(tmp_path):
    table = Table()
    table.type("resign", f"save {tmp_path / 'Game'}")
    assert (tmp_path / "Game").exists()


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\xff",
        b"[]",
        b"{}",
        b'{"terminal": 3}',
        b'{"terminal": {"net": 2, "seed": 1}}',
        b'{"terminal": {"net": 1, "seed": -1}}',
        b'{"terminal": {"net": true, "seed": 1}}',
        b'{"terminal": {"net": 1, "seed": 1}}',
    ],
)
def test_files_that_hold_no_session_are_refused(tmp_path, content):
    path = tmp_path / "file"
    path.write_bytes(content)
    with pytest.raises(RecordError):
        load_session(path)


def test_a_saved_session_is_a_record_of_games_too(tmp_path):
    from bgcore import load_series

    path = tmp_path / "game.json"
    Table(path=path).type("24/18 13/11")
    assert json.loads(path.read_text())["terminal"] == {"net": 1, "seed": SEED}
    assert load_series(path).game.actions
