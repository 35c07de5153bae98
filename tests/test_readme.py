"""What README.md shows is what happens."""

import doctest
import re
import shlex
from pathlib import Path

import pytest

from bgcore.cli import app, run

README = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```sh\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
COMMANDS = re.findall(r"^\$ bgcore (.*)$", README, re.MULTILINE)


def test_python_examples_run_as_shown(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    blocks = re.findall(r"^```python\n(.*?)^```", README, re.DOTALL | re.MULTILINE)
    assert blocks
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, "README.md", None, 0)
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0


def test_two_shell_blocks_install_and_test():
    assert len(BLOCKS) == 2
    assert "bgcore " in BLOCKS[0].splitlines()[-1]
    assert BLOCKS[1].splitlines()[-1].endswith("pytest")


def test_every_command_is_shown():
    named = {command.name or command.callback.__name__ for command in app.registered_commands}
    assert named == {command.split()[0] for command in COMMANDS}


@pytest.mark.parametrize("line", COMMANDS)
def test_shown_command_exists_with_its_options(line, capsys):
    words = shlex.split(line, comments=True)
    assert run([words[0], "--help"]) == 0
    text = capsys.readouterr().out
    for word in words:
        if word.startswith("--"):
            assert re.search(rf"{re.escape(word)}\b", text), f"{word} in {line}"


@pytest.mark.parametrize("name", re.findall(r"`((?:src|bgcore|tests|bench|\.ci)/[\w./]*)`", README))
def test_named_file_exists(name):
    if "NAME" not in name:
        assert (Path(__file__).parents[1] / name).exists()
