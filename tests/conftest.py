"""Settings that hold for all tests."""

import signal

from hypothesis import settings

# A shell starts background jobs with SIGINT ignored; tests of Ctrl-C need it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Times depend on the machine and are measured in bench/, not here.
settings.register_profile("bgcore", deadline=None)
settings.load_profile("bgcore")
