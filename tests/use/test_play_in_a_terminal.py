"""`bgcore play` in a real terminal: a pseudo-terminal with colours, keys, signals and sizes."""

import os
import re
import select
import signal
import struct
import subprocess
import sys
import time

import pytest

from bgcore.game_state import Stage
from bgcore.terminal import load_session

if sys.platform == "win32":
    pytest.skip("Windows has no pseudo-terminals of this kind", allow_module_level=True)

import fcntl
import pty
import termios

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]|\x1b[=>]|\x07|\r")
PATIENCE = 60
#: Makes the terminal the controlling one, so that Ctrl-C is a signal, and becomes Python anew.
TAKE_TERMINAL = (
    "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0);"
    " os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
)


class Terminal:
    """A program in a pseudo-terminal; `screen` is what it has shown, without escapes."""

    def __init__(self, *arguments, columns=80, rows=24, **environment):
        self.master, slave = pty.openpty()
        self.resize(columns, rows)
        kept = {k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [sys.executable, "-P", "-c", TAKE_TERMINAL, "-P", "-m", "bgcore", "play", *arguments],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            start_new_session=True,
            env={**kept, "TERM": "xterm-256color", **environment},
        )
        os.close(slave)
        self.raw = ""
        self.seen = 0

    def resize(self, columns, rows=24):
        size = struct.pack("HHHH", rows, columns, 0, 0)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, size)

    def send(self, keys):
        os.write(self.master, keys.encode())

    def type(self, line):
        """Type a line and return what is shown up to the next prompt."""
        self.send(line + "\n")
        return self.until_prompt()

    def until_prompt(self):
        """Return what is new when the program waits for a line, or has ended."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            ready, _, _ = select.select([self.master], [], [], 0.05)
            if ready:
                try:
                    self.raw += os.read(self.master, 65536).decode(errors="replace")
                except OSError:  # the program has closed its terminal
                    return self._new()
            elif re.search(r"> $", ESCAPES.sub("", self.raw[self.seen :])):
                return self._new()
        raise AssertionError(f"no prompt came: {self.raw[-2000:]!r}")

    def _new(self):
        new, self.seen = self.raw[self.seen :], len(self.raw)
        return ESCAPES.sub("", new)

    def wait(self):
        return self.process.wait(timeout=PATIENCE)

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)


@pytest.fixture
def start():
    started = []

    def start(*arguments, **options):
        terminal = Terminal(*arguments, **options)
        started.append(terminal)
        terminal.opening = terminal.until_prompt()
        return terminal

    yield start
    for terminal in started:
        terminal.close()


def answer(path, number):
    """A sensible line for the moment that the file of the session holds."""
    game = load_session(path)[0].game
    if game.is_over:
        return ""
    if game.stage is Stage.ANSWER:
        return "take"
    if game.stage is Stage.ROLL:
        return "double" if number % 7 == 0 else "roll"
    plays = game.legal_plays() if not game.state.steps else None
    if plays is None:
        step = game.legal_steps()[0]
        return str(step).removeprefix("step ").split(" by ")[0]
    return str(plays[number % len(plays)])


def board_lines(text):
    """The lines of the last board that is shown."""
    lines = text.splitlines()
    last = max(i for i, line in enumerate(lines) if re.match(r"\+(-1|12)-", line))
    return lines[last - 12 : last + 1]


def test_a_whole_match_with_mistakes_undo_kills_and_other_sizes(start, tmp_path):
    path = tmp_path / "match.json"
    options = ("--length", "3", "--seed", "11", "--file", str(path))
    terminal = start(*options)
    assert "Match to 3, you (X) against net (O)" in terminal.opening
    assert "\x1b[" in terminal.raw
    board = board_lines(terminal.opening)
    assert board[0].startswith("+13-14-15-16-17-18------19-20-21-22-23-24-+    O  net")
    assert all(len(line) <= 80 for line in terminal.opening.splitlines())
    kills = 0
    shown = terminal.opening
    for number in range(1, 500):
        if "The match is over" in shown:
            break
        if number % 9 == 0:
            terminal.resize(60 + number % 70)
        if number % 10 == 3:
            assert re.search(
                r"not (legal|understood)|cannot read|Type|over", terminal.type("9/3 9/1")
            )
        if number % 10 == 5:
            before = load_session(path)[0].game.state
            if "nothing" not in terminal.type("undo"):
                assert load_session(path)[0].game.state != before
                terminal.type("redo")
        if number in (4, 15, 30):
            before = load_session(path)[0]
            terminal.process.send_signal(signal.SIGKILL)
            terminal.wait()
            kills += 1
            terminal = start(*options)
            assert "Going on with game" in terminal.opening
            # what was done before the kill is there; the net may have gone on
            after = load_session(path)[0]
            assert len(after.games) == len(before.games)
            kept = after.game.actions[: len(before.game.actions)]
            assert list(map(str, kept)) == list(map(str, before.game.actions))
        shown = terminal.type(answer(path, number))
    assert "The match is over" in shown
    assert kills >= 2
    assert terminal.wait() == 0
    series = load_session(path)[0]
    assert series.is_over
    again = Terminal(*options)
    assert "The match is over" in again.until_prompt()
    assert again.wait() == 0
    again.close()


def test_keys_can_be_edited(start):
    terminal = start("--seed", "3")
    assert "you: 6-2 24/16" in terminal.type("24/17\x7f6")


def test_ctrl_c_and_ctrl_d_leave_cleanly(start, tmp_path):
    path = tmp_path / "game.json"
    terminal = start("--seed", "3", "--file", str(path))
    terminal.type("24/18")
    terminal.send("\x03")
    shown = terminal.until_prompt()
    assert terminal.wait() == 130
    assert "Saved in" in shown
    assert "Traceback" not in shown
    assert load_session(path)[0].game.state.dice_left == (2,)
    terminal = start("--file", str(path))
    assert terminal.opening.endswith("you, left 2> ")
    terminal.send("\x04")
    shown = terminal.until_prompt()
    assert terminal.wait() == 0
    assert "Saved in" in shown


@pytest.mark.parametrize("how", ["option", "variable"])
def test_without_colours_the_board_is_the_same(start, how):
    plain = (
        start("--no-color", "--seed", "3")
        if how == "option"
        else start("--seed", "3", NO_COLOR="1")
    )
    coloured = start("--seed", "3")
    assert re.search(r"\x1b\[[0-9;]*m", coloured.raw)
    assert not re.search(r"\x1b\[[0-9;]*m", plain.raw)
    assert board_lines(plain.opening) == board_lines(coloured.opening)


def test_a_narrow_terminal_shows_the_players_below_the_board(start):
    terminal = start("--seed", "3", columns=50)
    assert all(len(line) <= 50 for line in terminal.opening.splitlines())
    assert "you to play 6-2" in terminal.opening


def test_two_people_with_real_dice_and_the_home_board_at_the_left(start):
    terminal = start("--against", "person", "--names", "Ann", "Bob", "--dice", "--home", "left")
    assert "opening roll, Ann first" in terminal.opening
    shown = terminal.type("31")
    assert board_lines(shown)[0].startswith("+24-23-22")
    assert "*X  Ann" in shown
    shown = terminal.type("8/5 6/5")
    assert "*O  Bob" in shown
    terminal.type("double")
    assert "2 points" not in terminal.type("beaver")
    terminal.type("take")
    terminal.type("quit")
    assert terminal.wait() == 0
