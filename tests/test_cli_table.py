"""The commands at the table: play, roll."""

import io
import json
import re
import sys

import pytest

from bgcore.cli import run
from bgcore.terminal import load_session


@pytest.fixture
def ask(capsys):
    """The command line in this process: exit status, standard output, standard error."""

    def ask(*arguments):
        status = run(arguments)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return ask


def test_roll_throws_two_dice(ask):
    status, out, err = ask("roll")
    assert (status, err) == (0, "")
    assert re.fullmatch(r"[1-6]-[1-6]\n", out)


def test_roll_repeats_with_a_seed_and_only_then(ask):
    assert ask("roll", "50", "--seed", "3") == ask("roll", "50", "--seed", "3")
    assert ask("roll", "50") != ask("roll", "50")
    answer = json.loads(ask("roll", "4", "--seed", "3", "--json")[1])
    assert (len(answer["rolls"]), answer["seed"]) == (4, 3)
    assert json.loads(ask("roll", "--json")[1])["seed"] is None


def test_opening_tells_ties_and_who_starts(ask):
    seen = set()
    for seed in range(40):
        out = ask("roll", "--opening", "Ann", "Bob", "--seed", str(seed))[1]
        answer = json.loads(
            ask("roll", "--opening", "Ann", "Bob", "--seed", str(seed), "--json")[1]
        )
        *ties, (ann, bob) = answer["opening"]
        assert all(a == b for a, b in ties)
        assert answer["dice"] == [ann, bob]
        assert answer["starts"] == ("Ann" if ann > bob else "Bob")
        assert out.splitlines() == [
            *(f"Ann {a}, Bob {b}: again" for a, b in ties),
            f"Ann {ann}, Bob {bob}: {answer['starts']} starts with {ann}-{bob}",
        ]
        seen.add((answer["starts"], bool(ties)))
    assert len(seen) == 4


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("roll", "0"), 2),
        (("roll", "-3"), 2),
        (("roll", "1.5"), 2),
        (("roll", "1000001"), 2),
        (("roll", "--opening", "Ann"), 2),
        (("roll", "--opening", "Ann", "Ann"), 2),
        (("roll", "--opening", "Ann", ""), 2),
        (("roll", "--opening", "Ann", "  "), 2),
        (("roll", "3", "--opening", "Ann", "Bob"), 2),
        (("roll", "--seed", "-1"), 2),
        (("roll", "--seed", str(2**128)), 1),
    ],
)
def test_wrong_use_of_roll_is_one_line(ask, arguments, status):
    found, out, err = ask(*arguments)
    assert (found, out) == (status, "")
    assert re.fullmatch(r"bgcore: .+\n", err)


# ---- play ----


@pytest.fixture
def play(ask, monkeypatch):
    """`bgcore play` with lines in a pipe: exit status, standard output, standard error."""

    def play(*arguments, lines=()):
        monkeypatch.setattr(sys, "stdin", io.StringIO("".join(f"{line}\n" for line in lines)))
        return ask("play", *arguments)

    return play


def test_play_is_a_money_session_with_the_cube_against_the_net(play):
    status, out, err = play("--seed", "3", lines=["24/18 13/11", "quit"])
    assert (status, err) == (0, "")
    assert "Money session, you (X) against net (O); dice of seed 3." in out
    assert "[1] cube: in the middle" in out
    assert "you: 6-2 24/18 13/11" in out


def test_end_of_input_is_no_mistake(play):
    assert play()[0] == 0


@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (("--length", "5"), "Match to 5"),
        (("--length", "1", "--rules", "tournament"), "to 1"),
        (("--money",), "money game"),
        (("--against", "person", "--names", "Ann", "Bob"), "Ann (X) against Bob (O)"),
        (("--home", "left"), "+24-23-22"),
        (("4HPwATDgc/ABMA",), "you to roll"),
        (("4HPwATDgc/ABMA", "--rules", "casual"), "you to play"),
        (("XGID=-b----E-C---eE---c-e----B-:1:1:1:31:2:1:0:5:10",), "[2] cube: you"),
        (("-b----E-C---eE---c-e----B-:0:0:1:31:2:1:0:5:10",), "you to play 3-1"),
        (("-b----E-C---eE---c-e----B-:0:0:-1:D:0:0:0:0:10",), "you to answer: cube to 2?"),
        (("--dice",), "opening roll, you first (dice, such as 31)>"),
        (("--no-auto",), "you"),
    ],
)
def test_options_of_play(play, arguments, shown):
    status, out, err = play(*arguments)
    assert (status, err) == (0, "")
    assert shown in out


def test_rules_are_changed_one_by_one(play, tmp_path):
    path = tmp_path / "game.json"
    changes = ("beavers=2", "auto_doubles=1", "jacoby=false", "own_limit=5", "payoff=gammon")
    options = [word for change in changes for word in ("--rule", change)]
    assert play(*options, "--file", str(path))[0] == 0
    rules = load_session(path)[0].rules
    assert (rules.beavers, rules.auto_doubles, rules.jacoby) == (2, 1, False)
    assert (rules.own_limit, rules.payoff) == (5, "gammon")


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("--home", "up"), 2, "right or left"),
        (("--against", "me"), 2, "net or person"),
        (("--money", "--length", "3"), 2, "do not go together"),
        (("--dice", "--seed", "3"), 2, "do not go together"),
        (("--rules", "match"), 2, "needs --length"),
        (("--rules", "poker"), 1, "money, match, tournament, casual"),
        (("--rules", "money", "--length", "3"), 1, "needs rules of match play"),
        (("--rule", "beavers"), 2, "NAME=VALUE"),
        (("--rule", "beavers=1", "--rule", "beavers=2"), 2, "given twice"),
        (("--rule", "beaver=1"), 1, "there is no rule 'beaver'"),
        (("--rule", "beavers=-1"), 1, "beavers"),
        (("--rule", "layout=x"), 1, "layout"),
        (("--length", "3", "--rule", "jacoby=true"), 1, "money play"),
        (("--length", "0"), 2, "length"),
        (("--names", "Ann", "Ann"), 1, "both players have the name"),
        (("--names", "Ann", "B\x1bb"), 1, "a name is a text"),
        (("nonsense",), 1, "nonsense"),
        (("4HPwATDgc/ABMA", "--length", "3"), 2, "the ID is one of money play"),
        (("--file", "no/such/folder/game"), 1, "no/such/folder"),
        (("--file", "."), 1, "."),
        (("--seed", str(2**128)), 1, "seed"),
        (("--file", "a\0b"), 1, "NUL"),
    ],
)
def test_wrong_use_of_play_is_one_line(play, arguments, status, words):
    found, out, err = play(*arguments)
    assert (found, out) == (status, "")
    assert re.fullmatch(r"bgcore: .+\n", err)
    assert words in err


def test_a_file_goes_on_only_as_it_was_begun(play, tmp_path):
    file = ("--file", str(tmp_path / "game.json"))
    begun = ("--length", "3", "--seed", "3", "--rule", "holland=true")
    assert play(*begun, *file, lines=["24/18 13/11"])[0] == 0
    for options in (begun, (), ("--length", "3"), ("--seed", "3"), ("--against", "net")):
        status, out, _ = play(*options, *file)
        assert status == 0
        assert "Going on with game 1." in out
    for options, what in [
        (("--length", "5"), "--length"),
        (("--money",), "--money"),
        (("--seed", "4"), "--seed"),
        (("--dice",), "--dice"),
        (("--against", "person"), "--against"),
        (("--names", "Ann", "Bob"), "--names"),
        (("--length", "3", "--rules", "match"), "the rules"),
        (("4HPwATDgc/ABMA",), "the position"),
    ]:
        status, out, err = play(*options, *file)
        assert (status, out) == (1, "")
        assert err.endswith(f"differs in {what}\n")


def test_a_file_of_something_else_is_refused(play, tmp_path):
    path = tmp_path / "notes.txt"
    path.write_text("not a game")
    status, out, err = play("--file", str(path))
    assert (status, out) == (1, "")
    assert re.fullmatch(r"bgcore: .*no saved game.*\n", err)
    assert path.read_text() == "not a game"
