"""Settings that hold for all tests."""

from hypothesis import settings

# Times depend on the machine and are measured in bench/, not here.
settings.register_profile("bgcore", deadline=None)
settings.load_profile("bgcore")
