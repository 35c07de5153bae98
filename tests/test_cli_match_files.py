"""The command convert, with files of matches."""

import io
import json
import sys
import tarfile
from pathlib import Path

import pytest

from bgcore import read_matches
from bgcore.cli import run

ARCHIVE = Path(__file__).parent / "data" / "gnubg_matches.tar.xz"
NAMES = ("match-001.mat", "resigned.mat", "resigned.sgf")


@pytest.fixture
def ask(capsys):
    """The command line in this process: exit status, standard output, standard error."""

    def ask(*arguments):
        status = run([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return ask


@pytest.fixture
def folder(tmp_path):
    """Some records of GNU Backgammon."""
    place = tmp_path / "in"
    (place / "below").mkdir(parents=True)
    with tarfile.open(ARCHIVE) as archive:
        for name in NAMES:
            data = archive.extractfile(name).read()
            (place / ("below" if name.endswith(".sgf") else ".") / name).write_bytes(data)
    (place / "notes.pdf").write_bytes(b"not a match")
    return place


def documents(path):
    return [match.to_dict() for match in read_matches(path)]


def test_a_file_becomes_another(ask, folder, tmp_path):
    out = tmp_path / "a.sgf"
    status, said, err = ask("convert", folder / "match-001.mat", out)
    assert (status, err) == (0, "")
    assert said == f"{out}: 1 match, 7 games\n"
    assert documents(out) == documents(folder / "match-001.mat")


def test_json_tells_what_was_done_and_what_was_wrong(ask, folder, tmp_path):
    source = folder / "match-001.mat"
    source.write_text(source.read_text().replace("63: 24/18 18/15", "63: 24/18 18/14", 1))
    status, said, err = ask("convert", "--json", source, tmp_path / "a.json")
    assert (status, err) == (0, "")
    document = json.loads(said)
    assert document["files"] == [
        {
            "source": str(source),
            "target": str(tmp_path / "a.json"),
            "source_format": "mat",
            "target_format": "json",
            "matches": 1,
            "games": 7,
        }
    ]
    problem = document["problems"][0]
    assert (problem["kind"], problem["line"], problem["game"], problem["move"]) == (
        "illegal",
        7,
        1,
        1,
    )


def test_problems_are_one_line_each_and_strict_refuses(ask, folder, tmp_path):
    source = folder / "match-001.mat"
    source.write_text(source.read_text().replace("63: 24/18 18/15", "63: 24/18 18/14", 1))
    status, said, err = ask("convert", source, tmp_path / "a.sgf")
    assert status == 0
    assert "1 match" in said
    lines = err.splitlines()
    assert lines[0].startswith(f"bgcore: warning: {source}, line 7, match 1, game 1, move 1: ")
    status, said, err = ask("convert", "--strict", source, tmp_path / "b.sgf")
    assert (status, said, err.count("\n")) == (1, "", 1)
    assert not (tmp_path / "b.sgf").exists()


def test_a_folder_becomes_a_folder_or_one_file(ask, folder, tmp_path):
    status, said, err = ask("convert", folder, tmp_path / "out", "--to", "json")
    assert (status, err) == (0, "")
    assert said.count("\n") == 3
    made = sorted(path.relative_to(tmp_path / "out") for path in (tmp_path / "out").rglob("*.*"))
    assert [str(path) for path in made] == [
        "below/resigned.json",
        "match-001.json",
        "resigned.json",
    ]
    status, said, err = ask("convert", folder, tmp_path / "all.mat")
    assert (status, err) == (0, "")
    assert said == f"{tmp_path / 'all.mat'}: 3 matches, 15 games\n"
    assert len(documents(tmp_path / "all.mat")) == 3
    assert ask("convert", folder, tmp_path / "only", "--from", "sgf", "--to", "mat")[0] == 0
    assert [path.name for path in (tmp_path / "only").rglob("*.mat")] == ["resigned.mat"]


def test_what_is_made_inside_a_folder_is_not_read_the_next_time(ask, folder):
    for _ in range(2):
        target = folder / "all.json"
        assert ask("convert", folder, target)[1] == f"{target}: 3 matches, 15 games\n"
    (folder / "all.json").unlink()
    for _ in range(2):
        said = ask("convert", folder, folder / "out", "--to", "json")[1]
        assert said.count("\n") == 3
    assert len(list(folder.rglob("*.json"))) == 3


def test_a_folder_is_converted_in_place(ask, folder):
    assert ask("convert", folder, folder, "--to", "json")[1].count("\n") == 3
    assert len(list(folder.rglob("*.json"))) == 3


def test_standard_input_and_output(monkeypatch, capsysbinary, folder):
    data = (folder / "resigned.mat").read_bytes()
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert run(["convert", "-", "--to", "sgf"]) == 0
    out = capsysbinary.readouterr().out
    assert [match.to_dict() for match in read_matches(io.BytesIO(out))] == documents(
        folder / "resigned.mat"
    )


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (("a.mat",), 2, "give --to"),
        (("a.mat", "b.pdf"), 2, "give --to"),
        (("a.mat", "b.mat", "c.mat"), 2, "IN and OUT"),
        (("a.mat", "b.sgf", "--to", "xgid"), 2, "right for matches are mat, xg-text, sgf, json"),
        (("a.mat", "b.sgf", "--from", "pdf"), 2, "--from is 'pdf'"),
        (("a.mat", "--to", "sgf", "--json"), 2, "give OUT"),
        (("nothing.mat", "b.sgf"), 1, "nothing.mat: No such file"),
        (("a.mat", "b.xg"), 1, "cannot be written"),
        (("empty.mat", "b.sgf"), 1, "there is no match"),
        (("missing", "b.sgf"), 1, "no file or folder 'missing'"),
        (("", "b.sgf"), 1, "no file or folder ''"),
        (("a.mat", "b.sgf/"), 1, "b.sgf/: that names a folder"),
        (("4HPwATDgc/ABMA", "--from", "mat", "--to", "xgid"), 2, "--from is for files"),
    ],
)
def test_convert_refuses_files(ask, folder, monkeypatch, arguments, status, words):
    monkeypatch.chdir(folder)
    (folder / "match-001.mat").rename("a.mat")
    (folder / "empty.mat").write_bytes(b"")
    answer = ask("convert", *arguments)
    assert answer[:2] == (status, "")
    assert words in answer[2].splitlines()[-1]
    assert not (folder / "b.sgf").exists()


def test_two_files_that_would_become_one_are_refused(ask, folder, tmp_path):
    (folder / "resigned.sgf").write_bytes((folder / "below" / "resigned.sgf").read_bytes())
    status, said, err = ask("convert", folder, tmp_path / "out", "--to", "json")
    assert (status, said) == (1, "")
    assert "would both become" in err
