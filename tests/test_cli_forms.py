"""Commands about the forms of a position: convert and show."""

import json
import sys
import xml.etree.ElementTree as ET

import pytest

from bgcore import Position
from bgcore.cli import run

OPENING = "4HPwATDgc/ABMA"
XGID = "--BBbBB-----aE----Be-c-bb-:1:-1:-1:31:2:3:0:7:10"
MONEY = "-b----E-C---eE---c-e----B-:0:0:1:31:0:0:3:0:8"


@pytest.fixture
def ask(capsys):
    """The command line in this process: exit status, standard output, standard error."""

    def ask(*arguments):
        status = run(arguments)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return ask


# ---- convert ----


@pytest.mark.parametrize(
    ("to", "text"),
    [
        ("xgid", f"XGID={XGID}"),
        # as GNU Backgammon 1.07 shows this XGID
        ("gnubg", "NhvwwQCb8wEBBg:AYHlADAAEAAE"),
        ("ogid", "44cjjjjjlllnnoo:22335566dddddii:W1N:13:B:R:3:2:7:0"),
        (
            "fibs",
            (
                "board:You:Opponent:7:2:3:0:0:2:2:-2:2:2:0:0:0:0:0:-1:5:0:0:0:0:2:-5:0:-3:0:-2:-2:0"
                ":-1:0:0:3:1:2:0:1:0:1:-1:0:25:0:0:0:0:0:0:0:0"
            ),
        ),
    ],
)
def test_convert_prints_the_text_alone(ask, to, text):
    assert ask("convert", XGID, "--to", to) == (0, text + "\n", "")
    status, out, err = ask("convert", text, "--to", "xgid", "--json")
    assert (status, err) == (0, "")
    document = json.loads(out)
    assert document["lost"] == []
    assert Position.from_text(document["text"]).board == Position.from_text(XGID).board


def test_convert_names_what_is_lost(ask):
    status, out, err = ask("convert", MONEY, "--to", "gnubg")
    assert (status, out) == (0, f"{OPENING}:cIkFAAAAAAAA\n")
    assert err == "bgcore: warning: the format gnubg cannot hold: cube limit 256; beavers (1)\n"
    status, out, err = ask("convert", "--json", MONEY, "--to", "gnubg")
    assert (status, err) == (0, "")
    assert json.loads(out) == {
        "text": f"{OPENING}:cIkFAAAAAAAA",
        "lost": ["cube limit 256", "beavers (1)"],
        "assumed": None,
    }


def test_convert_is_strict_if_wanted(ask):
    status, out, err = ask("convert", "--strict", MONEY, "--to", "gnubg")
    assert (status, out) == (1, "")
    assert err == "bgcore: the format gnubg cannot hold: cube limit 256; beavers (1)\n"
    assert ask("convert", "--strict", XGID, "--to", "gnubg")[0] == 0


def test_convert_says_what_a_bare_id_leaves_open(ask):
    status, out, err = ask("convert", OPENING, "--to", "xgid")
    assert (status, out) == (0, "XGID=-b----E-C---eE---c-e----B-:0:0:1:00:0:0:0:0:10\n")
    assert "assumed: money" in err
    assert json.loads(ask("convert", OPENING, "--to", "xgid", "--json")[1])["assumed"]
    assert ask("convert", OPENING, "--to", "key") == (0, "OAHDPAABDAOAHDPAABDA\n", "")


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ((OPENING,), 2, "--to is missing; right are xgid, gnubg, ogid, fibs, key"),
        ((OPENING, "--to", "mat"), 2, "--to is 'mat'"),
        ((OPENING, OPENING, "--to", "xgid"), 2, "one ID"),
        ((OPENING, "31", "--to", "xgid"), 2, "one ID"),
        (("cAkAAAAAAAAA", "--to", "xgid"), 1, "the position ID before it is missing"),
        (("-b----E:0:0", "--to", "gnubg"), 1, "3 fields"),
    ],
)
def test_convert_refuses(ask, arguments, status, words):
    answer = ask("convert", *arguments)
    assert answer[:2] == (status, "")
    assert words in answer[2]
    assert answer[2].count("\n") == 1


# ---- show ----


def test_show_prints_board_cube_score_and_who_acts(ask):
    status, out, err = ask("show", XGID)
    assert (status, err) == (0, "")
    lines = out.splitlines()
    assert lines[0] == XGID
    assert lines[1].endswith("  O (top): 103 pips, 0 off, on roll")
    assert lines[2].endswith("  cube: 2")
    assert lines[4].endswith("  3-1")
    assert lines[-3].endswith("  X (bottom): 133 pips, 0 off")
    assert lines[-2:] == ["match to 7; score X 2, O 3; cube 2 of O", "O plays 3-1"]


def test_show_takes_dice_and_the_side_of_the_home_boards(ask):
    status, out, _ = ask("show", OPENING, "65", "--home", "left")
    assert status == 0
    assert "(money, centred 1-cube, no Jacoby, no beavers)" in out
    assert "+24-23-22-21-20-19------18-17-16-15-14-13-+" in out
    assert out.endswith("X plays 6-5\n")


def test_show_as_json(ask):
    document = json.loads(ask("show", XGID, "--json")[1])
    assert document["xgid"] == f"XGID={XGID}"
    assert document["pips"] == [133, 103]
    assert (document["actor"], document["assumed"]) == (1, None)
    assert Position.from_dict(document["position"]) == Position.from_text(XGID)


@pytest.mark.extras
def test_show_writes_pictures(ask, tmp_path):
    svg, png = tmp_path / "board.svg", tmp_path / "board.png"
    assert ask("show", XGID, "--svg", str(svg), "--png", str(png))[0] == 0
    assert ET.parse(svg).getroot().tag.endswith("svg")
    assert png.read_bytes().startswith(b"\x89PNG\r\n")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["board.png", "board.svg"]


def test_show_says_what_png_needs(ask, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "resvg_py", None)
    status, out, err = ask("show", XGID, "--png", str(tmp_path / "board.png"))
    assert (status, out) == (1, "")
    assert "pip install 'bgcore[png]'" in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        ((OPENING, "--home", "up"), 2, "right or left"),
        ((OPENING, OPENING), 2, "one position"),
        ((OPENING, "77"), 1, "77"),
        (("-b----E-C---eE---c-e----B-:0:0:1:D:0:0:3:0:8", "31"), 1, "on offer"),
        ((OPENING, "--svg", "/nowhere/at/all.svg"), 1, "/nowhere"),
    ],
)
def test_show_refuses(ask, arguments, status, words):
    answer = ask("show", *arguments)
    assert answer[:2] == (status, "")
    assert words in answer[2]
    assert answer[2].count("\n") == 1
