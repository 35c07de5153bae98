"""Commands `eval` and `hint`: cubeful equities, plays and cube decisions."""

import pytest

OPENING = "4HPwATDgc/ABMA"
MONEY = "-b----E-C---eE---c-e----B-:0:0:1:31:0:0:0:0:10"
MATCH = "-b----E-C---dEa--c-da---B-:0:0:1:00:2:3:0:7:10"
CRAWFORD = "-b----E-C---dEa--c-da---B-:0:0:1:00:6:3:1:7:10"


def test_eval_has_a_cubeful_equity_of_every_position(ask_json):
    money, match = ask_json("eval", MONEY, MATCH)["results"]
    assert money["equity_cubeful"] > money["equity_cubeless"]  # the side on roll has the cube first
    assert -1 < match["equity_cubeful"] < 1


def test_eval_of_a_finished_game_has_no_cubeful_equity(ask_json):
    (result,) = ask_json("eval", "-------------------------A:0:0:1:00:0:0:0:0:10")["results"]
    assert result["equity_cubeful"] is None


def test_hint_ranks_the_plays_of_a_roll(ask_json, ask):
    answer = ask_json("hint", OPENING, "31")
    assert answer["count"] == 16
    assert len(answer["plays"]) == 10
    assert answer["plays"][0]["play"] == "8/5 6/5"
    assert answer["plays"][0]["loss"] == 0
    equities = [play["equity_cubeful"] for play in answer["plays"]]
    assert equities == sorted(equities, reverse=True)
    assert len(ask_json("hint", MONEY, "--plays", "3")["plays"]) == 3
    out = ask("hint", MONEY)[1].splitlines()
    assert out[2].startswith("8/5 6/5")


def test_hint_without_dice_is_the_cube_decision(ask_json, ask):
    answer = ask_json("hint", MATCH)
    assert {"no_double", "double_take", "double_pass", "verdict"} <= set(answer)
    assert answer["verdict"] == "no double, take"
    assert answer["double_pass"] == 1
    assert answer["mwc"]["double_pass"] == pytest.approx(0.5)  # 4 to go against 4
    out = ask("hint", MATCH)[1]
    assert "proper cube action: no double, take" in out


def test_hint_in_the_crawford_game_has_no_cube(ask_json):
    assert ask_json("hint", CRAWFORD)["verdict"] == "the cube is not available"


def test_hint_of_a_redouble(ask_json):
    # 30 pips against 63, on roll, and his cube
    answer = ask_json("hint", "-EEE---------------eee----:1:1:1:00:0:0:0:0:10")
    assert answer["verdict"] == "redouble, pass"


def test_beavers_of_the_id_count(ask_json):
    bare = ask_json("hint", OPENING)
    with_beavers = ask_json("hint", "-b----E-C---eE---c-e----B-:0:0:1:00:0:0:2:0:10")
    assert bare["double_beaver"] is None
    assert with_beavers["double_beaver"] == pytest.approx(2 * with_beavers["double_take"])


def test_another_match_equity_table(ask_json, ask, tmp_path):
    path = tmp_path / "linear.met"
    chances = [[0.5 + (j - i) / 20 for j in range(7)] for i in range(7)]
    rows = "".join(f"{i + 1}=" + " ".join(map(str, row)) + "\n" for i, row in enumerate(chances))
    after = " ".join(str(0.5 - i / 20) for i in range(7))
    table = f"[PostCrawford]\nData={after}\n[PreCrawford]\nSize=7\n{rows}"
    path.write_text(table, encoding="utf-8")
    # 5 and 4 to go: winning a point makes it 4 and 4
    assert ask_json("hint", MATCH, "--met", str(path))["mwc"]["double_pass"] == 0.5
    path.write_text(table.replace("Size=7", "Size=x"), encoding="utf-8")
    for name in (path, tmp_path / "none.met"):
        status, out, err = ask("hint", MATCH, "--met", str(name))
        assert (status, out, err.count("\n")) == (1, "", 1)
        assert name.name in err


def test_hint_of_a_finished_game_says_so(ask):
    status, out, err = ask("hint", "-------------------------A:0:0:1:00:0:0:0:0:10")
    assert (status, out) == (1, "")
    assert "the game is over" in err
