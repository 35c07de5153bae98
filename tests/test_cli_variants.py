"""The other games of this board on the command line."""

import json

import pytest

from bgcore.cli import contests
from bgcore.errors import TableError
from bgcore.variants import DESCRIPTIONS, VARIANTS, variant_options

# ---- variants ----


def test_variants_lists_every_game_in_three_lines(ask):
    status, out, err = ask("variants")
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[::3] == list(VARIANTS)
    assert all(line.startswith("    ") for i, line in enumerate(lines) if i % 3)


def test_variants_as_json(ask_json):
    entries = {entry["name"]: entry for entry in ask_json("variants")["variants"]}
    assert list(entries) == list(VARIANTS)
    for name, entry in entries.items():
        assert entry["description"] == DESCRIPTIONS[name].splitlines()
        assert entry["options"] == list(variant_options(name))
    assert entries["tabula"]["dice"] == 3
    assert entries["acey_deucey"]["start"] == "hand:15 / hand:15"
    assert (entries["nackgammon"]["cube"], entries["portes"]["cube"]) == (True, False)


# ---- plays ----


def test_plays_of_a_game_from_its_start(ask_json):
    # 6-6 in the first turn of Nardy: one checker each to 18, twice, then nothing (variants.md 22.6)
    answer = ask_json("plays", "--variant", "nardy_long", "66")
    assert (answer["variant"], answer["dice"], answer["count"]) == ("nardy_long", [6, 6], 1)
    assert answer["plays"] == [{"play": "24/18 24/18", "state": "24:13 18:2 / 24:15"}]


def test_plays_of_a_state(ask, ask_json):
    # the lone checker on 6 of the opponent stands on my 19 and is pinned there (variants.md 22.7)
    arguments = ("plays", "--variant", "plakoto", "24:15 / 24:14 6:1", "6-5")
    answer = ask_json(*arguments)
    assert answer["count"] == 2
    assert answer["plays"][0] == {
        "play": "24/18 24/19*",
        "state": "24:13 19:1 18:1 / 24:14 6:pin",
    }
    status, out, _ = ask(*arguments)
    assert (status, out.splitlines()) == (
        0,
        [
            "plakoto: 24:15 / 24:14 6:1  6-5",
            "2 legal plays",
            "24/18 24/19*",
            "24/18 18/13",
        ],
    )


def test_what_follows_a_play_is_told(ask_json):
    answer = ask_json("plays", "--variant", "acey_deucey", "12")
    assert (answer["numbers"], answer["then"]) == ([2, 1], ["a doublet is named"])
    answer = ask_json("plays", "--variant", "acey_deucey_european", "33")
    assert answer["then"] == ["4 4 4 4", "another roll"]


def test_three_dice(ask, ask_json):
    for dice in ("222", "2-2-2", "2,2,2"):
        plays = ask_json("plays", "--variant", "tabula", dice)["plays"]
        assert "hand/23 hand/23 hand/23" in [entry["play"] for entry in plays]
    status, out, err = ask("plays", "--variant", "tabula", "31")
    assert (status, out) == (1, "")
    assert "3 dice" in err


def test_layouts_take_ids_and_give_boards(ask_json):
    standard = ask_json("plays", "4HPwATDgc/ABMA", "31")
    answer = ask_json("plays", "--variant", "standard", "4HPwATDgc/ABMA", "31")
    assert [entry["play"] for entry in answer["plays"]] == [
        entry["play"] for entry in standard["plays"]
    ]
    assert answer["count"] == standard["count"] == 16
    assert {tuple(entry["board"]) for entry in answer["plays"]} == {
        tuple(entry["board"]) for entry in standard["plays"]
    }
    assert {entry["position_id"] for entry in answer["plays"]} == {
        entry["position_id"] for entry in standard["plays"]
    }


def test_a_layout_of_three_checkers(ask_json):
    answer = ask_json("plays", "--variant", "hypergammon", "66")
    assert "24/18(3)" not in [entry["play"] for entry in answer["plays"]]
    assert answer["plays"][0]["board"][1:4] == [-1, -1, -1]
    # the ID of what is reached is read again, seen by the other side
    reached = answer["plays"][0]["position_id"]
    again = ask_json("plays", "--variant", "hypergammon", reached, "21")
    own, other = answer["plays"][0]["state"].split(" / ")
    assert again["state"] == f"{other} / {own}"
    dance = "13:14 bar:1 / 6:2 5:2 4:2 3:2 2:2 1:5"
    assert ask_json("plays", "--variant", "longgammon", dance, "31")["count"] == 0


def test_a_dance_has_no_plays(ask, ask_json):
    state = "13:14 bar:1 / 6:2 5:2 4:2 3:2 2:2 1:5"
    assert ask_json("plays", "--variant", "portes", state, "31")["count"] == 0
    assert "no legal play" in ask("plays", "--variant", "portes", state, "31")[1]


def test_rules_can_be_changed(ask_json):
    # two checkers of Dutch backgammon have entered; the third may stay in hand only if told so
    state = "24:2 hand:13 / hand:15"
    free = ask_json("plays", "--variant", "dutch", state, "31", "--rule", "enter_first=false")
    bound = ask_json("plays", "--variant", "dutch", state, "31")
    assert [entry["play"] for entry in bound["plays"]] == ["hand/22 hand/24"]
    assert free["count"] > 1
    assert ask_json("plays", "--variant", "plakoto", "31", "--rule", "mother=none")["count"] == 2
    free_head = ("--rule", "head_limit=none", "--rule", "head_exception=none")
    assert ask_json("plays", "--variant", "nardy_long", "31", *free_head)["count"] > 1
    limits = ("--rule", "quarter_limits=1,6,6,6")
    assert ask_json("plays", "--variant", "moultezim", "21", *limits)["count"] == 0
    moved = ("--rule", "start=23:2,13:13")
    answer = ask_json("plays", "--variant", "portes", "11", *moved)
    assert answer["state"] == "23:2 13:13 / 23:2 13:13"


# ---- perft ----


@pytest.mark.parametrize(
    ("name", "depth", "nodes"),
    [
        ("plakoto", 1, 59),  # variants.md 22
        ("nardy_long", 1, 22),  # variants.md 11
        ("gul_bara", 1, 53),  # variants.md 22
        ("longgammon", 1, 59),
        # tests/data/perft_layouts.csv
        ("standard", 2, 202_782),
        ("nackgammon", 2, 324_161),
        ("hypergammon", 2, 38_017),
        ("longgammon", 2, 3484),
    ],
)
def test_perft_of_a_game(ask_json, name, depth, nodes):
    answer = ask_json("perft", "--variant", name, "--depth", str(depth))
    assert (answer["variant"], answer["depth"], answer["nodes"]) == (name, depth, nodes)
    assert answer["seconds"] >= 0


def test_weighted_perft_of_a_game(ask, ask_json):
    # each of the 15 others counts twice: 22 nodes of Nardy, 15 of them not of doublets
    answer = ask_json("perft", "--variant", "nardy_long", "--depth", "1", "--weighted")
    assert answer["nodes"] == 22 + 15
    status, out, _ = ask("perft", "24:15 / 24:15", "--variant", "nardy_long", "--depth", "1")
    assert (status, "22 nodes" in out) == (0, True)


# ---- match ----


def test_two_players_play_many_games(ask, ask_json):
    arguments = ("match", "pips", "random", "--variant", "plakoto", "--games", "20", "--seed", "1")
    arguments += ("--jobs", "1")
    answer = ask_json(*arguments)
    assert (answer["rules"], answer["players"]) == ({"name": "plakoto"}, ["pips", "random"])
    assert answer["games"] == sum(answer["wins"]) + answer["draws"] == 20
    assert sum(answer["shares"].values()) == pytest.approx(1)
    # one or two points a win
    assert answer["wins"][0] <= answer["points"][0] <= 2 * answer["wins"][0]
    assert 10 < answer["turns_per_game"] <= answer["most_turns"]
    status, out, _ = ask(*arguments)
    assert status == 0
    assert out.startswith("plakoto: pips against random, 20 games, seed 1\n")
    assert "turns a game" in out


def test_a_roll_of_trictrac_tells_what_it_is_worth(ask, ask_json):
    # 24:13 with two men on the corner, and an ace: mezeas
    state = "24:13 13:2 turns:2 / 24:13 18:2 turns:2"
    status, out, _ = ask("plays", "--variant", "trictrac", state, "61")
    assert (status, "the player on roll marks: mezeas 4" in out) == (0, True)
    told = ask_json("plays", "--variant", "trictrac", state, "61")
    assert [jan["name"] for jan in told["jans"]] == ["mezeas"]
    assert all("marked:4" in play["state"] for play in told["plays"])
    won = "24:13 13:2 turns:2 marked:10 holes:11 flag / 24:13 18:2 turns:2 marked:2 bredouille"
    status, out, _ = ask("plays", "--variant", "trictrac", won, "61")
    assert (status, "win the game before anything is played" in out) == (0, True)
    assert ask_json("plays", "--variant", "trictrac", won, "61")["plays"] == []
    over = "24:15 holes:12 flag / 24:15"
    assert "the game is over" in ask("plays", "--variant", "trictrac", over, "61")[2]


def test_two_players_play_matches_of_several_games(ask, ask_json):
    arguments = ("match", "pips", "random", "--variant", "Tavli", "--length", "3", "--matches", "2")
    answer = ask_json(*arguments, "--jobs", "1")
    assert answer["variants"] == ["portes", "plakoto", "fevga"]
    assert sum(answer["matches"]) == 2
    status, out, _ = ask(*arguments, "--jobs", "1")
    assert status == 0
    assert out.startswith("portes, plakoto, fevga: pips against random, ")
    assert "of 2 matches to 3" in out


def test_layouts_are_played_with_the_cube_and_recorded(ask, tmp_path):
    file = tmp_path / "games.jsonl"
    status, out, _ = ask(
        *("match", "pips", "random-cube", "--variant", "hypergammon", "--money", "--games", "30"),
        *("--seed", "3", "--jobs", "1", "--out", str(file)),
    )
    assert status == 0
    assert out.startswith("hypergammon: pips against random-cube, 30 money games, seed 3; ")
    documents = [json.loads(line) for line in file.read_text().splitlines()]
    assert len(documents) == 30
    assert {document["rules"]["layout"]["n_checkers"] for document in documents} == {3}


# ---- what is refused ----


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("pips", "--variant", "tapa"), "there is no player 'hypergammon-exact'"),
        (("pips", "--games", "2"), "15 checkers a side"),
        (("pips", "--variant", "portes"), "hypergammon-exact"),
        (("pips", "--variant", "hypergammon", "--rule", "n_checkers=2"), "with 2 checkers a side"),
        (("pips", "--variant", "hypergammon", "--rule", "payoff=single"), "do not count"),
        (("pips", "--variant", "hypergammon", "--rule", "own_limit=2"), "hypergammon-exact"),
        (("nobody", "--variant", "hypergammon"), "no player 'nobody'"),
        (("pips", "--variant", "hypergammon", "--games", "2"), "the table is solved"),
    ],
)
def test_the_table_of_hypergammon_is_solved_only_for_games_that_it_plays(
    ask, monkeypatch, arguments, words
):
    def solved(n_checkers):
        raise TableError("the table is solved")

    monkeypatch.setattr(contests, "solved", solved)
    status, out, err = ask("match", "hypergammon-exact", *arguments, "--jobs", "1")
    assert (status, out, err.count("\n")) == (1, "", 1)
    assert words in err


@pytest.mark.parametrize("name", ["triktrak", "verkeer", "nard", "nardi", "tables", "tavli"])
def test_names_that_mean_several_games_list_them_in_one_line(ask, name):
    for command in (["plays", "31"], ["perft", "--depth", "1"]):
        status, out, err = ask(*command, "--variant", name)
        assert (status, out) == (1, "")
        assert err.startswith(f"bgcore: '{name}' can be: ")
        assert err.count("\n") == 1


@pytest.mark.parametrize("option", ["schools=true", "misery_pile=true", "scored_game=true"])
def test_what_trictrac_leaves_out_is_told(ask, option):
    status, out, err = ask("plays", "31", "--variant", "trictrac", "--rule", option)
    assert (status, out) == (1, "")
    assert "trictrac" in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["plays", "31", "--variant", "chess"], 1, "there is no game 'chess'"),
        (["plays", "--variant", "plakoto", "24:15 / 24:15"], 2, "give one roll"),
        (["plays", "--variant", "plakoto", "31", "42"], 2, "give one roll"),
        (["plays", "--variant", "plakoto", "a/b", "24:15 / 24:15", "42"], 2, "one state"),
        (["plays", "--variant", "plakoto", "24:15", "42"], 1, "is no state"),
        (["plays", "--variant", "plakoto", "24:14 / 24:15", "42"], 1, "has 14 checkers"),
        (["plays", "--variant", "plakoto", "off:15 / 24:15", "42"], 1, "the game is over"),
        (["plays", "--variant", "plakoto", "4HPwATDgc/ABMA", "42"], 1, "is no state"),
        (["plays", "--variant", "portes", "nonsense", "42"], 1, "position ID has 14"),
        (["plays", "--variant", "plakoto", "70"], 1, "1 to 6"),
        (["plays", "31", "--variant", "plakoto", "--rule", "mother"], 2, "NAME=VALUE"),
        (["plays", "31", "--variant", "plakoto", "--rule", "head_limit=1"], 1, "no option"),
        (
            ["plays", "31", "--variant", "tapa", "--rule", "mother=wait", "--rule", "mother=none"],
            2,
            "given twice",
        ),
        (["match", "net", "pips", "--variant", "tapa"], 1, "there is no player 'net'"),
        (["match", "pips", "pips", "--variant", "tapa", "--money"], 1, "without a cube"),
        (["match", "pips", "pips", "--variant", "tavli", "--rule", "cube=true"], 2, "tavli is"),
        (["match", "pips", "pips", "--rule", "cube=true"], 2, "--rule needs --variant"),
        (["plays", "4HPwATDgc/ABMA", "31", "--rule", "cube=true"], 2, "--rule needs --variant"),
        (["perft", "--depth", "1", "--rule", "cube=true"], 2, "--rule needs --variant"),
    ],
)
def test_mistakes_are_told_in_one_line(ask, arguments, status, words):
    found, out, err = ask(*arguments)
    assert (found, out) == (status, "")
    assert words in err
    assert err.count("\n") == 1
