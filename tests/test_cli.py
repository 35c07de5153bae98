"""The command line: what it prints where, and how it ends."""

import json
import os
import subprocess
import sys

import pytest

from bgcore.cli import run

OPENING = "4HPwATDgc/ABMA"
XGID = "-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"


def start(*arguments, **options):
    """The command line in a process of its own, as a user starts it."""
    environment = {**os.environ, **options.pop("environment", {})}
    return subprocess.run(
        [sys.executable, "-P", "-m", "bgcore", *arguments],
        check=False,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
        env=environment,
        **{"stdin": subprocess.DEVNULL, **options},
    )


def start_in_shell(arguments):
    """The same with redirections and pipes, as a shell reads them."""
    command = f'"{sys.executable}" -P -m bgcore {arguments}'
    return subprocess.run(
        ["sh", "-c", command], check=False, capture_output=True, text=True, timeout=300
    )


@pytest.fixture
def ask(capsys):
    """The command line in this process: exit status, standard output, standard error."""

    def ask(*arguments):
        status = run(arguments)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return ask


@pytest.fixture
def ask_json(ask):
    def ask_json(*arguments):
        status, out, err = ask(*arguments, "--json")
        assert (status, err) == (0, "")
        return json.loads(out)

    return ask_json


# ---- perft ----


@pytest.mark.parametrize(("depth", "nodes"), [(0, 1), (1, 447), (2, 202_782)])
def test_perft_of_the_opening(ask_json, depth, nodes):
    answer = ask_json("perft", "--depth", str(depth))
    assert (answer["depth"], answer["nodes"]) == (depth, nodes)
    assert answer["seconds"] >= 0


def test_weighted_perft_counts_36_rolls(ask_json):
    assert ask_json("perft", "--depth", "2", "--weighted")["nodes"] == 419_783


@pytest.mark.parametrize(
    "text",
    [
        XGID,
        f"XGID={XGID}",
        OPENING,
        f"{OPENING}:MIEFAAAAAAAA",
        "-b----E-C---eE---c-e----B-:0:0:-1:00:0:0:0:0:10",
    ],
)
def test_every_kind_of_id_is_a_position(ask_json, text):
    answer = ask_json("perft", text, "--depth", "1")
    assert (answer["id"], answer["nodes"]) == (OPENING, 447)


def test_position_may_stand_after_the_options(ask_json):
    assert ask_json("perft", "--depth", "1", XGID)["nodes"] == 447


# ---- how it ends ----

WRONG_INPUT = [
    ("perft", "", "--depth", "1"),
    ("perft", "   ", "--depth", "1"),
    ("perft", "\N{GRINNING FACE}", "--depth", "1"),
    ("perft", "4HPwATDgc/ABM", "--depth", "1"),
    ("perft", "4HPwATDgc/ABMB", "--depth", "1"),
    ("perft", "4HPwATDgc/ABM\n", "--depth", "1"),
    ("perft", "\x1b[31m4HPwATDgc/", "--depth", "1"),
    ("perft", "//////////////", "--depth", "1"),
    ("perft", "AAAAAAAAAAAAAA", "--depth", "1"),
    ("perft", f"{OPENING}:MIEFAAAAAAA", "--depth", "1"),
    ("perft", f"{OPENING}:", "--depth", "1"),
    ("perft", "-b----E-C---eE---c-e----B:0:0:1:31:0:0:0:0:10", "--depth", "1"),
    ("perft", "-b----E-C---eE---c-e----B-", "--depth", "1"),
    ("perft", "-b----E-C---eE---c-e----B-:0:0:1:71:0:0:0:0:10", "--depth", "1"),
    ("perft", "XGID=", "--depth", "1"),
]
WRONG_USAGE = [
    ("frob",),
    ("--frob",),
    ("perft",),
    ("perft", "--depth"),
    ("perft", "--depth", "-1"),
    ("perft", "--depth", "9"),
    ("perft", "--depth", "1e1"),
    ("perft", "--depth", "nan"),
    ("perft", "--depth", "1", "--frob"),
    ("perft", OPENING, OPENING, "--depth", "1"),
    ("bench", "--repeats", "0"),
]


@pytest.mark.parametrize("arguments", WRONG_INPUT, ids=repr)
def test_mistake_in_the_input_is_one_line_and_status_1(ask, arguments):
    status, out, err = ask(*arguments)
    assert (status, out) == (1, "")
    assert err.startswith("bgcore: ")
    assert err.count("\n") == 1
    assert err[:-1].isprintable()


@pytest.mark.parametrize("arguments", WRONG_USAGE, ids=repr)
def test_wrong_usage_is_one_line_and_status_2(ask, arguments):
    status, out, err = ask(*arguments)
    assert (status, out) == (2, "")
    assert err.startswith("bgcore: ")
    assert err.count("\n") == 1


def test_error_names_the_bare_xgid_as_it_was_typed(ask):
    _, _, err = ask("perft", XGID[:-3] + ":x", "--depth", "1")
    assert f"'{XGID[:-3]}:x'" in err


@pytest.mark.parametrize("arguments", [("--help",), ("-h",), ("perft", "--help"), ()])
def test_help_goes_to_standard_output(ask, arguments):
    status, out, err = ask(*arguments)
    assert (status, err) == (0, "")
    assert out.startswith("Usage: bgcore")
    assert "\x1b" not in out


def test_process_prints_one_document_and_nothing_else():
    done = start("perft", XGID, "--depth", "1", "--json")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\n") == 1
    assert json.loads(done.stdout)["nodes"] == 447


def test_process_ends_with_the_status_of_the_command():
    assert start("perft", "--depth", "-1").returncode == 2
    assert start("perft", "x", "--depth", "1").returncode == 1


@pytest.mark.skipif(os.name != "posix", reason="closes streams by their numbers")
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_closed_standard_stream_is_no_fault(closed):
    done = start_in_shell(f"perft --depth 1 {closed}")
    assert done.returncode == 0
    assert done.stderr == ""


@pytest.mark.skipif(os.name != "posix", reason="needs a shell's pipes")
def test_reader_that_leaves_early_is_no_fault():
    done = start_in_shell("perft --depth 1 --json | true")
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a full device")
def test_full_disk_is_one_line():
    done = start_in_shell("perft --depth 1 > /dev/full")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
