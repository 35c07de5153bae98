"""`rollout` with files, stop rules and presets, and `merge`."""

import json

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
    assert lines[2].split()[:4] == ["play", "cubeful", "equity", "loss"]
    assert lines[3].startswith("8/5 6/5")
    out = ask("rollout", xgid, "--cube", "--trials", "36", *QUICK)[1]
    assert out.splitlines()[2].split()[:3] == ["cubeful", "equity", "win"]
