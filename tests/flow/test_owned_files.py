"""Files that one writer has to itself: against processes, threads, and what kill -9 leaves."""

import os
import signal
import subprocess
import sys
from threading import Thread

import pytest

from bgcore.owned_files import owned_file, sole_writer

#: Takes the file, and leaves a process behind that was forked from it.
OWNER = """
import os, sys, time
from bgcore.owned_files import owned_file
with owned_file(sys.argv[1]) as file:
    child = os.fork() if sys.argv[2] == "fork" else 0
    if child or sys.argv[2] != "fork":
        print(child, flush=True)
    time.sleep(3600)
"""


@pytest.mark.skipif(os.name != "posix", reason="Windows has no kill -9")
@pytest.mark.parametrize("kind", ["alone", "fork"])
def test_a_file_is_free_once_its_process_was_killed(tmp_path, kind):
    path = tmp_path / "x"
    path.write_bytes(b"abc")
    command = [sys.executable, "-P", "-c", OWNER, str(path), kind]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        child = int(process.stdout.readline())
        try:
            with pytest.raises(BlockingIOError) as told, owned_file(path):
                pass
            assert told.value.filename == str(path)
            process.kill()
            process.wait()
            with owned_file(path) as file:
                file.write(b"d")
        finally:
            process.kill()
            if child:
                os.kill(child, signal.SIGKILL)
    assert path.read_bytes() == b"abcd"


def test_a_file_belongs_to_one_thread(tmp_path):
    path = tmp_path / "x"
    refused = []

    def take():
        try:
            with owned_file(path):
                pass
        except BlockingIOError as error:
            refused.append(error)

    with owned_file(path):
        for _ in range(2):  # a refusal must not set it free
            thread = Thread(target=take)
            thread.start()
            thread.join()
        assert len(refused) == 2
    take()
    assert len(refused) == 2


def test_what_cannot_be_opened_is_not_taken(tmp_path):
    for _ in range(2):
        with pytest.raises(FileNotFoundError), owned_file(tmp_path / "none" / "x"):
            pass


def test_the_longest_names_have_a_lock_of_their_own(tmp_path):
    names = [letter * 255 for letter in "xy"] + ["é" * 127, "x" * 254 + "y"]
    for name in names:
        with sole_writer(tmp_path / name):
            with pytest.raises(BlockingIOError), sole_writer(tmp_path / name):
                pass
            for other in set(names) - {name}:
                with sole_writer(tmp_path / other):
                    pass
    assert list(tmp_path.iterdir()) == []
