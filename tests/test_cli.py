"""The command line: what it prints where, and how it ends."""

import contextlib
import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from bgcore import bench
from bgcore.errors import NetError
from bgcore.match import series_from_dict
from bgcore.nets import write_npz

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


# ---- plays ----


def test_plays_of_the_opening_3_1(ask_json):
    answer = ask_json("plays", OPENING, "31")
    assert (answer["id"], answer["dice"], answer["count"]) == (OPENING, [3, 1], 16)
    assert len(answer["plays"]) == 16
    point = next(play for play in answer["plays"] if play["play"] == "8/5 6/5")
    # made by hand: two checkers on 5, one less on 8 and on 6
    assert point["board"] == [
        *(0, -2, 0, 0, 0, 2, 4, 0, 2, 0, 0, 0, -5),
        *(5, 0, 0, 0, -3, 0, -5, 0, 0, 0, 0, 2, 0),
    ]
    # the side that played comes first in the ID, the other is on roll; GNU Backgammon prints it
    assert point["position_id"] == "sGfwATDgc/ABMA"


@pytest.mark.parametrize("dice", ["31", "3-1", "3,1", "13", "1-3"])
def test_dice_are_read_in_every_form_and_before_or_after_the_id(ask_json, dice):
    for arguments in [(OPENING, dice), (dice, OPENING)]:
        assert ask_json("plays", *arguments)["count"] == 16


def test_dice_in_the_id_count(ask_json):
    assert ask_json("plays", XGID)["dice"] == [3, 1]
    assert ask_json("plays", f"{OPENING}:MIEFAAAAAAAA")["dice"] == [3, 1]


def test_dice_on_the_command_line_go_before_those_in_the_id(ask_json):
    answer = ask_json("plays", XGID, "66")
    assert (answer["dice"], answer["count"]) == ([6, 6], 11)


def test_dance_has_no_plays(ask, ask_json):
    # on the bar against six made points
    dance = "-AACCCC---a--------bbbbbbA:0:0:1:00:0:0:0:0:10"
    assert ask_json("plays", dance, "31") | {"id": ""} == {
        "id": "",
        "assumed": None,
        "dice": [3, 1],
        "count": 0,
        "plays": [],
    }
    assert "no legal play" in ask("plays", dance, "31")[1]


def test_bare_position_id_says_what_is_assumed(ask, ask_json):
    assert ask_json("plays", OPENING, "31")["assumed"].startswith("money, centred 1-cube")
    assert ask_json("plays", XGID)["assumed"] is None
    assert "money, centred 1-cube, no Jacoby, no beavers" in ask("plays", OPENING, "31")[1]


def test_plays_of_the_upper_player_are_in_his_own_numbering(ask_json):
    # the same position drawn for either player
    lower = ask_json("plays", "-b----E-C---eE---c-e---AA-:0:0:1:31:0:0:0:0:10")
    upper = ask_json("plays", "-aa---E-C---eE---c-e----B-:0:0:-1:31:0:0:0:0:10")
    assert lower["plays"] == upper["plays"]


# ---- eval ----

FIVE = ["win", "win_gammon", "win_backgammon", "lose_gammon", "lose_backgammon"]


def equity(values):
    win, wg, wbg, lg, lbg = (values[name] for name in FIVE)
    return 2 * win - 1 + (wg - lg) + (wbg - lbg)


def test_eval_gives_five_probabilities_and_the_equity_of_each_id(ask_json):
    results = ask_json("eval", OPENING, XGID)["results"]
    assert [result["id"] for result in results] == [OPENING, XGID]
    for result in results:
        assert 0 <= result["win_backgammon"] <= result["win_gammon"] <= result["win"] <= 1
        assert result["equity_cubeless"] == pytest.approx(equity(result), abs=1e-6)  # float32
    # dice do not count: the same position
    assert {**results[0], "id": "", "assumed": ""} == {**results[1], "id": "", "assumed": ""}


def test_eval_of_a_bearoff_that_cannot_fail(ask_json):
    # one checker on the ace point each, and the opponent has borne off others: a single win
    result = ask_json("eval", "-A----------------------a-:0:0:1:00:0:0:0:0:10")["results"][0]
    assert [result[name] for name in FIVE] == [1, 0, 0, 0, 0]
    assert result["equity_cubeless"] == 1


def test_eval_is_seen_by_the_side_on_roll(ask_json):
    lower = ask_json("eval", "-A----------------------o-:0:0:1:00:0:0:0:0:10")["results"][0]
    upper = ask_json("eval", "-O----------------------a-:0:0:-1:00:0:0:0:0:10")["results"][0]
    assert [lower[name] for name in FIVE] == [upper[name] for name in FIVE]
    assert lower["win_gammon"] == 1


def test_ids_come_from_a_file_or_from_standard_input(ask_json, tmp_path, monkeypatch):
    text = f"# two positions\n\n{OPENING}\n  {XGID}  \n"
    (tmp_path / "ids.txt").write_text(text, encoding="utf-8")
    monkeypatch.setattr(sys, "stdin", io.StringIO(text))
    for source in (str(tmp_path / "ids.txt"), "-"):
        results = ask_json("eval", source)["results"]
        assert [result["id"] for result in results] == [OPENING, XGID]


def test_eval_prints_per_cent(ask):
    out = ask("eval", OPENING)[1].splitlines()
    assert out[0].startswith(f"{OPENING}  (money")
    assert out[1].split()[:3] == ["cubeless", "cubeful", "win"]
    assert 40 < float(out[2].split()[2]) < 60


# ---- rollout ----


def test_rollout_of_a_position_has_one_candidate_without_a_play(ask_json):
    answer = ask_json("rollout", OPENING, "--trials", "72", "--seed", "5", "--truncate", "4")
    (result,) = answer["results"]
    assert (result["id"], result["dice"], result["seed"], result["trials"]) == (
        OPENING,
        None,
        5,
        72,
    )
    (candidate,) = result["candidates"]
    assert candidate["play"] is None
    for name in [*FIVE, "equity_cubeless"]:
        assert candidate[f"{name}_se"] >= 0
    assert candidate["equity_cubeless"] == pytest.approx(equity(candidate), abs=1e-8)
    assert set(answer["run"]) >= {"jobs", "seconds", "games_per_second"}


def test_rollout_of_a_roll_ranks_its_plays(ask_json):
    (result,) = ask_json("rollout", XGID, "--trials", "36", "--plays", "all")["results"]
    equities = [candidate["equity_cubeless"] for candidate in result["candidates"]]
    assert result["dice"] == [3, 1]
    assert len(equities) == 16
    assert equities == sorted(equities, reverse=True)
    assert {"8/5 6/5", "24/20"} < {candidate["play"] for candidate in result["candidates"]}
    assert result["candidates"][0]["loss"] == 0


def test_number_of_plays_can_be_chosen(ask_json):
    (result,) = ask_json("rollout", OPENING, "31", "--trials", "1", "--plays", "3")["results"]
    assert len(result["candidates"]) == 3


def test_standard_error_of_one_trial_is_null(ask_json):
    (result,) = ask_json("rollout", OPENING, "--trials", "1", "--truncate", "1")["results"]
    assert result["candidates"][0]["win_se"] is None


def test_jobs_change_nothing_but_run(ask_json):
    answers = [
        ask_json("rollout", OPENING, XGID, "--trials", "144", "--jobs", jobs)
        for jobs in ("1", "2", "3")
    ]
    runs = [answer.pop("run") for answer in answers]
    assert answers[0] == answers[1] == answers[2]
    assert [run["jobs"] for run in runs] == [1, 2, 3]


def test_rollout_prints_errors_beside_the_numbers(ask):
    out = ask("rollout", OPENING, "31", "--trials", "36", "--plays", "2")[1]
    assert "8/5 6/5" in out
    # equity and three chances of both sides after both plays, and what the second play loses
    assert out.count("\N{PLUS-MINUS SIGN}") == 15


def test_terminal_that_cannot_show_a_sign_is_no_fault():
    done = start(
        *("rollout", OPENING, "31", "--trials", "36", "--plays", "1"),
        environment={"PYTHONIOENCODING": "ascii"},
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert "8/5 6/5" in done.stdout


def test_game_that_is_over_is_named_before_anything_is_rolled_out(ask):
    over = "-A------------------------:0:0:1:31:0:0:0:0:10"
    status, out, err = ask("rollout", OPENING, over, "--trials", "100000000")
    assert (status, out) == (1, "")
    assert over in err


def wait_for_work(pid, seconds=4):
    """Wait until a process has had the processor for a while, however busy that is."""
    stat = Path(f"/proc/{pid}/stat")
    for turn in range(600):
        time.sleep(0.1)
        if stat.exists():
            user, system = stat.read_text().rpartition(")")[2].split()[11:13]
            if int(user) + int(system) > seconds * os.sysconf("SC_CLK_TCK"):
                return
        elif turn > 20 * seconds:  # no such file system
            return
    raise AssertionError("the process has not got the processor for a minute")


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_ctrl_c_prints_what_is_done_so_far():
    command = [sys.executable, "-P", "-m", "bgcore", "rollout", OPENING, "--json"]
    process = subprocess.Popen(
        [*command, "--trials", "100000000"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        wait_for_work(process.pid)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert process.returncode == 130
    assert "Traceback" not in err
    (result,) = json.loads(out)["results"]
    assert 0 < result["trials"] < 100_000_000


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize("module", ["numpy", "bgcore.rollout", "typer"])
def test_ctrl_c_while_the_modules_are_imported_ends_quietly(module):
    code = f"""
import os, signal, sys
class Interrupt:
    def find_spec(self, name, *rest):
        if name == {module!r}:
            os.kill(os.getpid(), signal.SIGINT)
sys.meta_path.insert(0, Interrupt())
sys.argv[0] = "/usr/bin/bgcore"
from bgcore.cli import main
main()
"""
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], check=False, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "")


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
def test_a_program_that_imports_bgcore_keeps_its_own_answer_to_ctrl_c():
    code = "import signal, bgcore; print(signal.getsignal(signal.SIGINT).__name__)"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], check=False, capture_output=True, text=True
    )
    assert done.stdout == "default_int_handler\n"


@pytest.mark.skipif(os.name != "posix", reason="sends SIGINT")
@pytest.mark.parametrize("seconds", [3, 5])
def test_ctrl_c_in_a_terminal_ends_a_duel_and_its_processes_quietly(seconds):
    command = [sys.executable, "-P", "-m", "bgcore", "duel", "net", "net", "--games", "100000"]
    process = subprocess.Popen(
        [*command, "--jobs", "2"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        time.sleep(seconds)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=60)
    finally:
        process.kill()
    assert (process.returncode, out, err) == (130, "", "")


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
def test_progress_is_shown_on_a_terminal_and_nowhere_else():
    command = [sys.executable, "-P", "-m", "bgcore", "rollout", OPENING, "--trials", "720"]
    master, slave = os.openpty()
    with open(master, "rb", buffering=0) as terminal:
        process = subprocess.Popen(
            [*command, "--json"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=slave,
            text=True,
            env={**os.environ, "TERM": "xterm", "NO_COLOR": "1"},
        )
        os.close(slave)
        out, _ = process.communicate(timeout=300)
        shown = b""
        # the terminal of a process that has ended reads as an error
        with contextlib.suppress(OSError):
            while chunk := terminal.read(4096):
                shown += chunk
    assert json.loads(out)["results"][0]["trials"] == 720
    assert b"rolling out" in shown
    assert re.search(rb"\x1b\[[0-9;]*3[0-9]m", shown) is None  # no colour
    assert start(*command[4:], "--json").stderr == ""


# ---- match, duel and train ----


def test_match_plays_single_games_without_a_cube(ask_json):
    answer = ask_json("match", "pips", "random", "--games", "40", "--jobs", "1", "--seed", "1")
    assert answer["games"] == 40
    assert answer["players"] == ["pips", "random"]
    assert answer["points"][0] > answer["points"][1]
    assert sum(answer["wins"]) == 40
    assert answer["matches"] == [0, 0]
    assert answer["dropped"] == 0
    assert answer["single"] + answer["gammon"] + answer["backgammon"] == pytest.approx(1)
    assert answer["plies_per_game"] > 20
    assert answer["games_per_second"] > 0


def test_match_plays_matches_and_money_and_writes_them(ask_json, tmp_path):
    path = tmp_path / "games.jsonl"
    answer = ask_json(
        "match", "random-cube", "random", "--length", "3", "--matches", "4", "--jobs", "1",
        "--out", str(path),
    )  # fmt: skip
    assert sum(answer["matches"]) == 4
    matches = [series_from_dict(json.loads(line)) for line in path.read_text().splitlines()]
    assert len(matches) == 4
    assert sum(len(match.games) for match in matches) == answer["games"]
    assert [sum(match.winner == who for match in matches) for who in (0, 1)] == answer["matches"]
    money = ask_json("match", "random-cube", "random-cube", "--money", "--games", "9",
                     "--jobs", "2", "--out", str(path))  # fmt: skip
    sessions = [series_from_dict(json.loads(line)) for line in path.read_text().splitlines()]
    assert [sum(s.scores[who] for s in sessions) for who in (0, 1)] == money["points"]
    assert [p.name for p in tmp_path.iterdir()] == ["games.jsonl"]


def test_match_tells_people_who_won(ask):
    status, out, err = ask(
        "match", "pips", "pips", "--length", "2", "--matches", "1", "--jobs", "1"
    )
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0].startswith("pips (1) against pips (2), ")
    assert "games of 1 match to 2, seed 0;" in lines[0]
    assert [line.split("  ")[0] for line in lines[2:5]] == ["matches won", "games won", "points"]
    assert lines[5].endswith("turns a game")
    assert "money games" in ask("match", "pips", "pips", "--money", "--games", "2")[1]


def test_duel_counts_points_of_the_first_player(ask_json):
    answer = ask_json("duel", "net", "random", "--games", "20", "--jobs", "1")
    assert answer["games"] == 20
    assert answer["points_per_game"] > 1
    assert answer["players"] == ["net", "random"]
    assert answer["points_per_game_se"] > 0


def test_a_duel_of_one_point_matches_is_kept_in_a_file(ask_json, ask, tmp_path):
    file = str(tmp_path / "duel.json")
    options = ("--one-point", "--duplicate", "--jobs", "1", "--file", file)
    first = ask_json("duel", "pips", "random", "--games", "4", *options)
    assert first["raw_points_per_game"] == (first["wins"] - first["losses"]) / 4
    more = ask_json("duel", "pips", "random", "--games", "6", *options)
    assert more["games"] == 6
    assert more["wins"] >= first["wins"]
    _, out, _ = ask("duel", "pips", "random", "--games", "6", *options)
    assert "6 one-point matches" in out
    status, out, error = ask("duel", "pips", "net", "--games", "6", *options)
    assert (status, out) == (1, "")
    assert "of another duel" in error


def test_one_game_is_not_called_games(ask):
    _, out, _ = ask("duel", "net", "pips", "--games", "1")
    assert "1 game, seed 0" in out
    assert "inf" not in out
    _, out, _ = ask("rollout", OPENING, "--trials", "1", "--truncate", "1")
    assert "\n1 trial of 1 ply, seed 0" in out
    assert "'a' has 1 letter;" in ask("eval", "a")[2]


def test_training_writes_a_net_that_eval_reads(ask, ask_json, tmp_path):
    path = str(tmp_path / "small.npz")
    status, out, err = ask("train", path, "--games", "100", "--jobs", "1", "--json")
    assert (status, err) == (0, "")
    assert [json.loads(line)["event"] for line in out.splitlines()] == ["start", "progress", "end"]
    assert ask_json("eval", OPENING, "--net", path) != ask_json("eval", OPENING)


def test_training_of_a_roll_net_keeps_the_value_nets(ask, ask_json, tmp_path):
    path = str(tmp_path / "mine.npz")
    options = ("--games", "3", "--hidden", "256", "--json")
    status, out, err = ask("train-rolls", path, "--net", "strong", *options)
    assert (status, err) == (0, "")
    assert [json.loads(line)["games"] for line in out.splitlines()] == [3]
    assert ask_json("eval", OPENING, "--net", path) == ask_json("eval", OPENING, "--net", "strong")
    assert "3 games, error" in ask("train-rolls", path, "--net", path, "--games", "3")[1]


# ---- bench ----


def test_bench_prints_the_rates_of_the_contract(ask_json):
    answer = ask_json("bench", "--repeats", "1", "--no-peers")
    for name in (
        "movegen_plays_per_second",
        "variant_plays_per_second",
        "limit_plays_per_second",
        "movegen_share_of_limit",
        "random_games_per_second",
        "evals_per_second",
        "decisions_per_second",
        "rollout_games_per_second",
        "position_ids_read_per_second",
    ):
        assert answer[name] > 0


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
WRONG_INPUT += [
    ("plays", OPENING, "71"),
    ("plays", OPENING, "0-1"),
    ("plays", OPENING, "311"),
    ("plays", OPENING, "3-10"),
    ("plays", "no/such.file", "31"),
    ("plays", "bad\0name.txt", "31"),
    ("plays", ".", "31"),
    ("eval", ""),
    ("eval", "no.file"),
    ("eval", OPENING, "--net", "no.npz"),
    ("eval", OPENING, "nonsense"),
    ("rollout", OPENING, "--luck", "pure"),
    ("rollout", OPENING, "--policy", "best"),
    ("rollout", OPENING, "--plays", "3"),
    ("rollout", OPENING, "--truncate", "100000"),
    ("rollout", OPENING, "--trials", "9" * 30),
    ("rollout", OPENING, "--seed", "9" * 60),
    ("rollout", OPENING, "07"),
    ("duel", "net", "nobody", "--games", "2"),
    ("match", "net", "nobody"),
    ("match", "no/such/file.npz", "net"),
    ("match", "net", "-a:b"),
    ("match", "pips", "pips", "--games", "9" * 30),
    ("match", "pips", "pips", "--length", "100000"),
    ("match", "pips", "pips", "--games", "1", "--out", "no/such/folder/games.jsonl"),
    ("match", "pips", "pips", "--games", "1", "--out", "."),
    ("duel", "net", "net", "--games", "9" * 30),
    ("train", "no/such/folder/net.npz"),
    ("train", "no/such/folder/net.npz", "--games", "1", "--checkpoint", "a\0b"),
    ("train", "net.npz", "--games", "1", "--checkpoint", "no/such/folder/state"),
    ("train", "net.npz", "--games", "1", "--checkpoint", "net.npz"),
    ("train", "a" * 256, "--games", "1"),
    ("train-rolls", "no/such/folder/net.npz", "--games", "1"),
    ("train-rolls", "net.npz", "--games", "1", "--net", "no/such/file.npz"),
    ("train-rolls", "net.npz", "--games", "1", "--hidden", "100"),
    ("eval", OPENING, "--net", "."),
    ("eval", OPENING, "--net", ""),
    ("eval", OPENING, "--net", os.devnull),
    # names that look like an XGID
    ("eval", OPENING, "--net", "-a:b"),
    ("train", "-a:b/c"),
    ("duel", "-a:b", "net", "--games", "2"),
    ("duel", "net", "-a:b", "--games", "2"),
    ("plays", "A" * 100_000, "31"),
    # the game is over
    ("rollout", "-A------------------------:0:0:1:31:0:0:0:0:10"),
    ("plays", "-A------------------------:0:0:1:31:0:0:0:0:10"),
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
    ("eval",),
    ("eval", OPENING, "31"),
    ("rollout", "31"),
    ("rollout", OPENING, "--trials", "0"),
    ("rollout", OPENING, "--trials", "1e3"),
    ("rollout", OPENING, "--trials", "nan"),
    ("rollout", OPENING, "--jobs", "0"),
    ("rollout", OPENING, "--seed", "-1"),
    ("rollout", OPENING, "--seed", "x"),
    ("rollout", OPENING, "--truncate", "0"),
    ("rollout", OPENING, "31", "--plays", "0"),
    ("rollout", OPENING, "31", "--plays", "some"),
    ("match", "net"),
    ("match", "pips", "pips", "--games", "0"),
    ("match", "pips", "pips", "--length", "0"),
    ("match", "pips", "pips", "--length", "3", "--money"),
    ("match", "pips", "pips", "--matches", "3"),
    ("match", "pips", "pips", "--matches", "3", "--money"),
    ("match", "pips", "pips", "--length", "3", "--matches", "3", "--games", "5"),
    ("duel", "net"),
    ("duel", "net", "net"),
    ("duel", "net", "net", "--games", "0"),
    ("train",),
    ("train-rolls",),
    ("train-rolls", "net.npz", "--games", "0"),
    ("plays",),
    ("plays", "31"),
    ("plays", OPENING),
    ("plays", OPENING, "31", "42"),
    ("plays", OPENING, OPENING, "31"),
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


@pytest.mark.parametrize("name", ["net", "-a:b"])
def test_names_may_look_like_an_xgid(ask, name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    arguments = ("train", name, "--games", "1", "--jobs", "1", "--checkpoint", f"{name}.state")
    assert ask(*arguments)[::2] == (0, "")
    assert sorted(path.name for path in tmp_path.iterdir()) == [name, f"{name}.state"]
    assert ask("eval", OPENING, "--net", name)[::2] == (0, "")


def test_long_input_makes_no_long_complaint(ask):
    assert len(ask("plays", "A" * 100_000, "31")[2]) < 600


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs something that is no file")
def test_training_writes_over_files_only(ask, tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    status, _, err = ask("train", str(pipe), "--games", "1", "--jobs", "1")
    assert (status, err.count("\n")) == (1, 1)
    with pytest.raises(NetError, match="not a file"):
        write_npz(pipe, {}, {})
    assert pipe.is_fifo()


def test_a_file_of_ids_may_begin_with_a_byte_order_mark(ask_json, tmp_path):
    (tmp_path / "ids.txt").write_text(OPENING, encoding="utf-8-sig")
    assert ask_json("eval", str(tmp_path / "ids.txt"))["results"][0]["id"] == OPENING


def test_cache_that_cannot_be_used_is_one_line_and_no_fault(tmp_path):
    (tmp_path / "file").touch()
    for more in ({}, {"PYTHONWARNINGS": "error"}):
        done = start(
            "eval", OPENING, "--json", environment={"BGCORE_CACHE": str(tmp_path / "file"), **more}
        )
        assert done.returncode == 0
        assert json.loads(done.stdout)["results"]
        assert done.stderr.startswith("bgcore: warning: the cache folder")
        assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [("--help",), ("plays", OPENING, "31"), ("frob",)])
def test_wrong_cpu_level_is_one_line(arguments):
    done = start(*arguments, environment={"BGCORE_CPU": "nonsense"})
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("bgcore: BGCORE_CPU is 'nonsense'")
    assert done.stderr.count("\n") == 1


def test_wrong_cpu_level_is_an_import_error_in_python():
    code = "import bgcore"
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        check=False,
        capture_output=True,
        text=True,
        env={**os.environ, "BGCORE_CPU": "nonsense"},
    )
    assert done.stderr.splitlines()[-1].startswith("ImportError: BGCORE_CPU is 'nonsense'")


def test_ctrl_c_ends_the_bench_without_a_complaint(ask, monkeypatch):
    stopped = SimpleNamespace(interrupted=True, trials=36)
    monkeypatch.setattr(bench, "rollout", lambda *_, **__: stopped)
    assert ask("bench", "--repeats", "1", "--no-peers") == (130, "", "")
