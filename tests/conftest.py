"""Settings that hold for all tests."""

import json
import signal

import pytest
from hypothesis import settings

from bgcore.cli import run

# A shell starts background jobs with SIGINT ignored; tests of Ctrl-C need it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Times depend on the machine and are measured in bench/, not here.
settings.register_profile("bgcore", deadline=None)
settings.load_profile("bgcore")


@pytest.fixture
def ask(capsys):
    """The command line in this process: exit status, standard output, standard error."""

    def ask(*arguments):
        status = run(arguments)
        printed = capsys.readouterr()
        return status, printed.out, printed.err

    return ask


@pytest.fixture
def ask_json(ask):
    def ask_json(*arguments):
        status, out, err = ask(*arguments, "--json")
        assert (status, err) == (0, "")
        return json.loads(out)

    return ask_json
