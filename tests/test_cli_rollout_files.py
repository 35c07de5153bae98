"""`rollout` with files, stop rules and presets, and `merge`."""

import json
import sys

import pytest

OPENING = "4HPwATDgc/ABMA"
QUICK = ("--truncate", "3", "--jobs", "1")


def without_run(document):
    return {name: value for name, value in document.items() if name != "run"}


def test_a_file_goes_on_where_it_stopped(ask_json, tmp_path):
    file = str(tmp_path / "r.bgr")
    for trials in ("72", "144"):
        answer = ask_json("rollout", OPENING, "--file", file, "--trials", trials, *QUICK)
        assert answer["results"][0]["trials"] == int(trials)
    whole = ask_json("rollout", OPENING, "--trials", "144", *QUICK)
    assert without_run(answer) == without_run(whole)


def test_parts_are_merged(ask_json, ask, tmp_path):
    a, b, out = (str(tmp_path / name) for name in ("a.bgr", "b.bgr", "c.bgr"))
    ask_json("rollout", OPENING, "31", "--file", a, "--trials", "72", *QUICK)
    ask_json("rollout", OPENING, "31", "--file", b, "--trials", "72", "--first", "72", *QUICK)
    merged = ask_json("merge", out, b, a)
    whole = ask_json("rollout", OPENING, "31", "--trials", "144", *QUICK)
    assert merged["ranges"] == [[0, 144]]
    assert merged["results"][0]["candidates"] == whole["results"][0]["candidates"]
    assert "8/5 6/5" in ask("merge", out, a, b)[1]
    status, printed, err = ask("merge", out, a, a)
    assert (status, printed, err.count("\n")) == (1, "", 1)
    assert "trials 0 to 71" in err


def test_a_part_that_is_given_as_the_place_to_write_is_kept(ask, ask_json, tmp_path):
    a, b = (str(tmp_path / name) for name in ("a.bgr", "b.bgr"))
    ask_json("rollout", OPENING, "--file", a, "--trials", "72", *QUICK)
    ask_json("rollout", OPENING, "--file", b, "--trials", "36", "--first", "72", *QUICK)
    status, out, err = ask("merge", a, b)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "trials that are not in" in err
    assert ask_json("merge", b, a, b)["ranges"] == [[0, 108]]
    assert ask_json("merge", a, b)["ranges"] == [[0, 108]]


def test_another_match_equity_table(ask, ask_json, tmp_path):
    path = tmp_path / "linear.met"
    chances = [[0.5 + (j - i) / 20 for j in range(7)] for i in range(7)]
    rows = "".join(f"{i + 1}=" + " ".join(map(str, row)) + "\n" for i, row in enumerate(chances))
    after = " ".join(str(0.5 - i / 20) for i in range(7))
    path.write_text(f"[PostCrawford]\nData={after}\n[PreCrawford]\nSize=7\n{rows}", "utf-8")
    common = ("--met", str(path), "--trials", "36", *QUICK)
    match = "-b----E-C---dEa--c-da---B-:0:0:1:00:2:3:0:7:10"
    # 5 and 4 to go: winning a point makes it 4 and 4
    found = ask_json("rollout", match, "--cube-decision", *common)
    assert found["results"][0]["mwc"]["double_pass"] == 0.5
    ids, out = tmp_path / "ids.txt", tmp_path / "r.jsonl"
    ids.write_text(match, encoding="utf-8")
    ask_json("rollout", str(ids), "--out", str(out), "--cube-decision", *common)
    assert json.loads(out.read_text(encoding="utf-8")) == found["results"][0]
    for arguments, status in ((("--cube", "--met", "none.met"), 1), (("--met", str(path)), 2)):
        told, printed, err = ask("rollout", match, *arguments, "--trials", "36", *QUICK)
        assert (told, printed, err.count("\n")) == (status, "", 1)


def test_a_line_of_a_file_that_is_no_id_is_told_by_its_number(ask, tmp_path):
    ids = tmp_path / "ids.txt"
    ids.write_text(f"# mine\n{OPENING}\n\nnonsense\n{OPENING}\n", encoding="utf-8")
    out = tmp_path / "r.jsonl"
    for arguments in (("eval", str(ids)), ("rollout", str(ids), "--out", str(out), *QUICK)):
        status, printed, err = ask(*arguments)
        assert (status, printed, err.count("\n")) == (1, "", 1)
        assert "ids.txt', line 4: 'nonsense'" in err
    assert list(tmp_path.iterdir()) == [ids]


@pytest.mark.parametrize(
    ("change", "word"), [(("--seed", "1"), "seed"), (("--truncate", "4"), "truncate")]
)
def test_a_file_of_another_rollout_is_refused_and_kept(ask, ask_json, tmp_path, change, word):
    file = tmp_path / "r.bgr"
    ask_json("rollout", OPENING, "--file", str(file), "--trials", "36", *QUICK)
    before = file.read_bytes()
    status, out, err = ask("rollout", OPENING, "--file", str(file), *QUICK, *change)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert f"{word} is" in err
    assert file.read_bytes() == before


def test_a_file_that_is_no_rollout_is_refused_and_kept(ask, tmp_path):
    file = tmp_path / "r.bgr"
    file.write_text(json.dumps({"my": "thesis"}), encoding="utf-8")
    status, _, err = ask("rollout", OPENING, "--file", str(file), *QUICK)
    assert (status, err.count("\n")) == (1, 1)
    assert "thesis" in file.read_text(encoding="utf-8")


def test_plays_in_a_file_can_be_dropped_later(ask_json, tmp_path):
    plan = ("--truncate", "7", "--jobs", "1")
    a, b, out = (str(tmp_path / name) for name in ("a.bgr", "b.bgr", "c.bgr"))
    ask_json("rollout", OPENING, "64", "--file", a, "--trials", "72", *plan)
    common = ("--jsd", "4", "--min-trials", "1296", "--trials", "3888", *plan)
    found = ask_json("rollout", OPENING, "64", "--file", a, *common)["results"][0]
    alone = ask_json("rollout", OPENING, "64", *common)["results"][0]
    assert found == alone
    trials = [candidate["trials"] for candidate in found["candidates"]]
    assert min(trials) < max(trials)
    first = str(found["trials"])
    ask_json("rollout", OPENING, "64", "--file", b, "--first", first, "--trials", "36", *plan)
    merged = ask_json("merge", out, a, b)["results"][0]
    assert merged["trials"] == found["trials"] + 36


def test_stop_rules(ask_json):
    answer = ask_json(
        "rollout", OPENING, "--se", "0.05", "--min-trials", "36", "--trials", "20000", *QUICK
    )
    result = answer["results"][0]
    assert result["trials"] == 1_296
    assert result["candidates"][0]["equity_cubeless_se"] < 0.05
    answer = ask_json("rollout", OPENING, "31", "--jsd", "2.33", "--trials", "20000", *QUICK)
    assert answer["results"][0]["candidates"][0]["play"] == "8/5 6/5"
    assert answer["results"][0]["trials"] < 20_000


def test_presets(ask_json, ask):
    answer = ask_json("rollout", OPENING, "--preset", "quick")
    assert (answer["results"][0]["trials"], answer["results"][0]["truncate"]) == (360, 7)
    answer = ask_json("rollout", OPENING, "--preset", "quick", "--trials", "72")
    assert (answer["results"][0]["trials"], answer["results"][0]["truncate"]) == (72, 7)
    status, _, err = ask("rollout", OPENING, "--preset", "best")
    assert status == 1
    assert "quick" in err


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ((OPENING, OPENING, "--file", "x.bgr"), 2),
        ((OPENING, "--min-trials", "36"), 2),
        ((OPENING, "--se", "0"), 1),
        ((OPENING, "--se", "nan"), 1),
        ((OPENING, "--seconds", "-1"), 1),
        ((OPENING, "--first", "40"), 1),
        ((OPENING, "--first", "36", "--se", "0.1"), 1),
        ((OPENING, "--file", "/nowhere/x.bgr", "--trials", "36"), 1),
    ],
)
def test_settings_that_make_no_sense(ask, arguments, status):
    found, out, err = ask("rollout", *arguments)
    assert (found, out, err.count("\n")) == (status, "", 1)


def test_with_a_cube_there_are_cubeful_equities(ask_json, ask):
    xgid = "-b----E-C---eE---c-e----B-:0:0:1:00:2:3:0:7:10"
    cubeless = ask_json("rollout", xgid, "--trials", "72", *QUICK)["results"][0]["candidates"][0]
    found = ask_json("rollout", xgid, "--cube", "--trials", "72", *QUICK)["results"][0]
    candidate = found["candidates"][0]
    assert "equity_cubeful" not in cubeless
    assert abs(candidate["equity_cubeful"]) < 1
    assert candidate["equity_cubeful_se"] > 0
    assert 0 < candidate["mwc"] < 1
    out = ask("rollout", xgid, "31", "--cube", "--trials", "36", "--plays", "2", *QUICK)[1]
    lines = out.splitlines()
    assert lines[2].startswith(" 1. 8/5 6/5  ")
    assert lines[5].split()[0] == "Cubeless"
    assert lines[6].split()[0] == "Match"
    out = ask("rollout", xgid, "--cube", "--trials", "36", *QUICK)[1]
    assert out.splitlines()[2].split()[:4] == ["before", "the", "roll", "equity"]


# -- cube decisions --

MATCH = "-b----E-C---eE---c-e----B-:0:0:1:00:2:3:0:7:10"
DECIDE = ("--cube-decision", *QUICK)


def test_a_cube_decision_has_the_equities_of_the_actions_and_both_candidates(ask_json):
    (found,) = ask_json("rollout", MATCH, "--trials", "72", *DECIDE)["results"]
    assert (found["id"], found["dice"], found["trials"]) == (MATCH, None, 72)
    assert found["verdict"] == "no double, take"
    assert found["double_pass"] == 1
    assert found["double_take"] < found["no_double"] < 1
    assert min(found[f"{name}_se"] for name in ("no_double", "double_take", "difference")) > 0
    hold, taken = found["candidates"]
    assert (hold["action"], taken["action"]) == ("no double", "double, take")
    assert (hold["play"], hold["equity_cubeful"]) == (None, found["no_double"])
    assert taken["equity_cubeful"] == found["double_take"]
    assert min(ends["cube"] for ends in taken["cubes"]) == 2
    for candidate in (hold, taken):
        shares = [ends[name] for ends in candidate["cubes"] for name in ends if name != "cube"]
        assert sum(shares) == pytest.approx(1)


def test_a_cube_decision_prints_what_players_know(ask):
    lines = ask("rollout", MATCH, "--trials", "72", *DECIDE)[1].splitlines()
    text = "\n".join(lines)
    assert lines[0] == MATCH
    for word in ("No double ", "Double, take ", "Double, pass ", "Player ", "Opponent "):
        assert sum(line.strip().startswith(word) for line in lines) >= 1, word
    assert "Proper cube action: no double, take" in text
    assert "How trials ended" in text


def test_jobs_change_nothing_in_a_cube_decision(ask_json):
    answers = [
        without_run(ask_json("rollout", MATCH, "--trials", "144", "--cube-decision", "--jobs", n))
        for n in ("1", "2")
    ]
    assert answers[0] == answers[1]


def test_a_cube_decision_goes_on_from_its_file_and_is_merged(ask, ask_json, tmp_path):
    a, b, out = (str(tmp_path / name) for name in ("a.bgr", "b.bgr", "c.bgr"))
    for trials in ("36", "72"):
        ask_json("rollout", MATCH, "--file", a, "--trials", trials, *DECIDE)
    ask_json("rollout", MATCH, "--file", b, "--trials", "72", "--first", "72", *DECIDE)
    merged = ask_json("merge", out, a, b)
    whole = ask_json("rollout", MATCH, "--trials", "144", *DECIDE)["results"][0]
    assert merged["ranges"] == [[0, 144]]
    assert merged["results"][0]["candidates"] == whole["candidates"]
    assert merged["results"][0]["verdict"] == whole["verdict"]
    assert "Proper cube action" in ask("merge", out, a, b)[1]
    # the file of a cube decision is not that of the position
    status, _, err = ask("rollout", MATCH, "--file", a, "--cube", *QUICK)
    assert (status, err.count("\n")) == (1, 1)
    assert "another rollout" in err


def test_stop_rules_and_presets_of_a_cube_decision(ask_json):
    common = ("--cube-decision", "--jobs", "1", "--trials", "20000", "--truncate", "3")
    (found,) = ask_json("rollout", MATCH, "--se", "0.1", *common)["results"]
    assert max(found["no_double_se"], found["double_take_se"]) <= 0.1
    assert found["trials"] < 20_000
    (found,) = ask_json("rollout", MATCH, "--jsd", "3", *common)["results"]
    assert found["no_double"] - found["double_take"] > 3 * found["difference_se"]
    assert found["trials"] < 20_000
    (found,) = ask_json("rollout", MATCH, "--cube-decision", "--preset", "quick")["results"]
    assert (found["trials"], found["truncate"]) == (360, 7)


def test_dice_of_an_id_do_not_count_for_a_cube_decision(ask_json, ask):
    rolled = MATCH.replace(":00:", ":31:")
    found, wanted = (
        ask_json("rollout", text, "--trials", "36", *DECIDE)["results"][0]
        for text in (rolled, MATCH)
    )
    assert found | {"id": MATCH} == wanted
    status, out, err = ask("rollout", MATCH, "31", *DECIDE)
    assert (status, out, err.count("\n")) == (2, "", 1)


@pytest.mark.parametrize(
    ("cube", "owner", "scores", "word"),
    [
        (1, -1, "0:0:0:0", "cannot double"),
        (0, 0, "6:3:1:7", "cannot double"),
        (0, 0, "0:0:0:0", "--plays"),
    ],
)
def test_without_a_double_there_is_no_cube_decision(ask, cube, owner, scores, word):
    xgid = f"-b----E-C---eE---c-e----B-:{cube}:{owner}:1:00:{scores}:10"
    extra = ("--plays", "2") if word == "--plays" else ()
    status, out, err = ask("rollout", xgid, *DECIDE, *extra)
    assert (status > 0, out, err.count("\n")) == (True, "", 1)
    if not extra:
        assert word in err
        assert xgid in err


# -- pictures and blocks --


@pytest.mark.extras
@pytest.mark.parametrize(
    "kind", [(OPENING, "31"), (OPENING, "--cube-decision"), (OPENING, "--se", "0.5")]
)
@pytest.mark.parametrize(
    ("ending", "beginning"), [("png", b"\x89PNG"), ("svg", b"<?xml"), ("pdf", b"%PDF")]
)
def test_a_picture_is_drawn(ask, tmp_path, kind, ending, beginning):
    picture = tmp_path / f"x.{ending}"
    plain = ask("rollout", *kind, "--trials", "108", *QUICK)
    drawn = ask("rollout", *kind, "--trials", "108", *QUICK, "--plot", str(picture))
    assert (drawn[0], drawn[2]) == (0, "")
    assert drawn[1].splitlines()[:-1] == plain[1].splitlines()[:-1]
    assert picture.read_bytes().startswith(beginning)
    assert picture.stat().st_size > 5000
    assert [path.name for path in tmp_path.iterdir()] == [picture.name]


@pytest.mark.extras
def test_a_picture_of_what_a_file_holds(ask, tmp_path):
    file, picture = str(tmp_path / "r.bgr"), str(tmp_path / "x.svg")
    for trials in ("72", "144"):
        arguments = ("--file", file, "--trials", trials, "--plot", picture, *QUICK)
        assert ask("rollout", OPENING, *arguments)[0] == 0
    plain = str(tmp_path / "plain.bgr")
    ask("rollout", OPENING, "--file", plain, "--trials", "72", *QUICK)
    status, _, err = ask("rollout", OPENING, "--file", plain, "--plot", picture, *QUICK)
    assert (status, err.count("\n")) == (1, 1)
    assert "without keeping single blocks" in err


def test_blocks_are_shown(ask, ask_json, tmp_path):
    common = (OPENING, "31", "--plays", "2", "--trials", "108", *QUICK)
    blocks = ask_json("rollout", *common, "--blocks")["results"][0]
    candidates, blocks = blocks["candidates"], blocks["blocks"]
    assert blocks["first"] == [0, 36, 72] * 2
    assert blocks["play"] == [candidates[0]["play"]] * 3 + [candidates[1]["play"]] * 3
    for rank, candidate in enumerate(candidates):
        mean = sum(blocks["win"][3 * rank : 3 * rank + 3]) / 3
        assert mean == pytest.approx(candidate["win"])
    shown = ask("rollout", *common, "--blocks")[1].splitlines()
    assert [line.split()[0] for line in shown[-6:]] == ["0-35", "36-71", "72-107"] * 2
    assert f"{100 * blocks['win'][5]:.2f}" in shown[-1].split()
    file = str(tmp_path / "r.bgr")
    told = ask_json("rollout", *common, "--file", file, "--blocks")
    assert told["results"][0]["blocks"] == blocks


def test_blocks_of_a_cube_decision_name_the_action(ask):
    shown = ask("rollout", OPENING, "--cube-decision", "--trials", "36", *QUICK, "--blocks")[1]
    head, held, taken = shown.splitlines()[-3:]
    assert head.split() == ["trials", "equity", "utility", "win", "G", "B", "G", "B"]
    assert " no double " in held
    assert " double, take " in taken


@pytest.mark.extras
@pytest.mark.parametrize(
    ("arguments", "status", "word"),
    [
        ((OPENING, "--plot", "x.gif"), 1, ".png"),
        ((OPENING, "--plot", "none/x.png"), 1, "none/x.png"),
        ((OPENING, OPENING, "--plot", "x.png"), 2, "one ID"),
        ((OPENING, "--plot", "x.png", "--out", "x.jsonl"), 2, "--plot"),
        ((OPENING, "--blocks", "--out", "x.jsonl"), 2, "--blocks"),
    ],
)
def test_pictures_that_cannot_be_made(ask, tmp_path, monkeypatch, arguments, status, word):
    monkeypatch.chdir(tmp_path)
    found, out, err = ask("rollout", *arguments, *QUICK)
    assert (found, out, err.count("\n")) == (status, "", 1)
    assert word in err
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib_nothing_is_begun(ask, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    status, out, err = ask("rollout", OPENING, "--plot", str(tmp_path / "x.png"), *QUICK)
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert "pip install 'bgcore[plot]'" in err


# -- many positions --


@pytest.fixture
def ids(tmp_path):
    file = tmp_path / "ids.txt"
    rolled = MATCH.replace(":00:", ":31:")
    file.write_text(f"# two\n{OPENING}\n\n{rolled}\n{MATCH}\n", encoding="utf-8")
    return str(file)


def test_many_positions_go_into_a_file(ask, ask_json, tmp_path, ids):
    out = tmp_path / "r.jsonl"
    common = ("--trials", "36", *QUICK, "--cube")
    told = ask_json("rollout", ids, "--out", str(out), *common)
    assert told == {"out": str(out), "positions": 3, "done": 3}
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert lines == ask_json("rollout", ids, *common)["results"]
    status, _, err = ask("rollout", ids, "--out", str(out), *common)
    assert (status, err.count("\n")) == (1, 1)
    assert "is there already" in err
    other = tmp_path / "other.jsonl"
    assert ask("rollout", ids, "--out", str(other), *common)[1] == f"{other}: 3 positions\n"


def test_many_positions_from_standard_input(ask_json, tmp_path, ids, monkeypatch):
    out = tmp_path / "r.jsonl"
    with open(ids, encoding="utf-8") as file:
        monkeypatch.setattr("sys.stdin", file)
        ask_json("rollout", "-", "--out", str(out), "--cube-decision", "--trials", "36", *QUICK)
    lines = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [line["verdict"] for line in lines] == ["no double, take"] * 3


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (("--out", "r.csv"), 1),
        (("--out", "/nowhere/r.jsonl"), 1),
        (("--out", "r.jsonl", "--file", "x.bgr"), 2),
        (("--out", "r.jsonl", "--first", "36"), 2),
        (("--out", "r.jsonl", "--seconds", "3"), 2),
    ],
)
def test_a_file_of_results_that_makes_no_sense(ask, tmp_path, monkeypatch, ids, arguments, status):
    monkeypatch.chdir(tmp_path)
    found, out, err = ask("rollout", ids, *arguments, *QUICK)
    assert (found, out, err.count("\n")) == (status, "", 1)
    assert [path.name for path in tmp_path.iterdir()] == ["ids.txt"]
