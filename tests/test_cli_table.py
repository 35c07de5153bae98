"""The commands at the table: roll."""

import json
import re

import pytest

from bgcore.cli import run


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
        (("roll", "3", "--opening", "Ann", "Bob"), 2),
        (("roll", "--seed", "-1"), 2),
        (("roll", "--seed", str(2**128)), 1),
    ],
)
def test_wrong_use_of_roll_is_one_line(ask, arguments, status):
    found, out, err = ask(*arguments)
    assert (found, out) == (status, "")
    assert re.fullmatch(r"bgcore: .+\n", err)
