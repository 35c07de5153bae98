"""GNU Backgammon loads what bgcore writes, and bgcore what GNU Backgammon writes (pytest -m peers)."""

import io
import os
import shutil
import subprocess
import tarfile
from pathlib import Path

import pytest

from bgcore import Board, GameState, Match, read_matches, write_matches

pytestmark = pytest.mark.peers

ARCHIVE = Path(__file__).parents[1] / "data" / "gnubg_matches.tar.xz"
GNUBG = shutil.which("gnubg") or shutil.which("gnubg", path="/usr/games")
NAMES = ["match-001", "match-007", "match-042", "match-113", "money-2", "money-3", "resigned"]


@pytest.fixture
def gnubg(tmp_path):
    if GNUBG is None:
        pytest.skip("gnubg is not installed")

    def run(*commands):
        done = subprocess.run(
            [GNUBG, "-t", "-q"],
            input="\n".join(["set display off", "set confirm save off", *commands, ""]),
            capture_output=True,
            text=True,
            cwd=tmp_path,
            env=os.environ | {"HOME": str(tmp_path), "LC_ALL": "C"},
            check=True,
        )
        return done.stdout

    return run


def recorded(name):
    with tarfile.open(ARCHIVE) as archive:
        data = archive.extractfile(f"{name}.mat").read()
    (match,) = read_matches(io.BytesIO(data))
    return match


def played(match):
    """What must come back: everything but the occasion."""
    document = match.to_dict()
    document.pop("info", None)
    return document


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("format", ["mat", "xg-text", "sgf"])
def test_gnubg_loads_what_bgcore_writes_and_saves_the_same(gnubg, tmp_path, name, format):
    match = recorded(name)
    assert write_matches(tmp_path / "ours.txt", match, format) == []
    load = "load match" if format == "sgf" else "import mat"
    said = gnubg(f"{load} ours.txt", "show score", "save match theirs.sgf")
    scores = f"{match.names[0]} {match.scores[0]}, {match.names[1]} {match.scores[1]}"
    if not isinstance(match, Match):
        assert scores in said
    reader = read_matches(tmp_path / "theirs.sgf")
    (again,) = reader
    assert [problem for problem in reader.problems if problem.is_fault] == []
    theirs, ours = played(again), played(match)
    # the program's files do not tell how many beavers are allowed
    for document in (theirs, ours):
        document["rules"].pop("beavers", None)
    assert theirs == ours


@pytest.mark.parametrize("player", [0, 1])
def test_gnubg_loads_positions_set_up(gnubg, tmp_path, player):
    board = Board.from_position_id("4HPiQUAzTvABMA")
    start = GameState.at(
        board, on_roll=player, cube=2, cube_owner=1 - player, length=7, scores=(2, 3), dice="31"
    )
    match = Match.from_state(start, names=("Ann", "Bob"))
    match.game.play(match.game.legal_plays()[0])
    match.game.roll("65")
    write_matches(tmp_path / "ours.sgf", match)
    said = gnubg("load match ours.sgf", "set display on", "show board", "save match theirs.sgf")
    assert "2 points" in said
    assert "3 points" in said
    assert f"Position ID: {match.game.board.position_id}" in said
    (again,) = read_matches(tmp_path / "theirs.sgf")
    assert again.game.start.board == board
    assert again.game.start.cube == start.cube
    assert again.game.start.scores == (2, 3)
    assert again.game.board == match.game.board


def test_gnubg_plays_a_match_and_both_of_its_files_are_that_match(gnubg, tmp_path):
    gnubg(
        *("set automatic roll on", "set automatic move on", "set automatic game on"),
        *("set automatic crawford on", "set rng mersenne", "set seed 77"),
        *(
            f"set player {player} {words}"
            for player in (0, 1)
            for words in (
                "gnubg",
                "chequerplay evaluation plies 0",
                "cubedecision evaluation plies 0",
            )
        ),
        *("new match 5", "export match mat a.mat", "save match a.sgf"),
    )
    documents = []
    for name in ("a.mat", "a.sgf"):
        reader = read_matches(tmp_path / name)
        (match,) = reader
        assert [problem for problem in reader.problems if problem.is_fault] == []
        assert match.winner is not None
        documents.append(played(match))
    assert documents[0] == documents[1]
