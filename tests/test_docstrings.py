"""The examples in docstrings run as shown."""

import doctest
import importlib
import pkgutil

import pytest

import bgcore

NAMES = [
    module.name
    for module in pkgutil.walk_packages(bgcore.__path__, "bgcore.")
    if "x86_64_v3" not in module.name and not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", NAMES)
def test_examples_of_a_module_run_as_shown(name):
    module = importlib.import_module(name)
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0
