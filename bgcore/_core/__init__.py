"""The compiled core: `src/NAME.pyx` becomes `bgcore._core.NAME`.

Hot modules exist twice, built from the same C text: for the platform's baseline and for
x86-64-v3. The second set is taken where the processor can run it; the environment variable
`BGCORE_CPU=baseline` forces the first. Both give the same bits.
"""

import importlib.util
import os
import sys

#: Modules that exist for both levels, in the order in which they import each other.
HOT_MODULES = (
    "board",
    "bearoff",
    "hypergammon",
    "dice",
    "movegen",
    "variants",
    "workloads",
    "transcript",
    "network",
    "evaluator",
    "cubeful",
    "playout",
    "training",
)


def _choose_level() -> str:
    wanted = os.environ.get("BGCORE_CPU", "")
    if wanted not in ("", "baseline", "x86-64-v3"):
        raise ImportError(
            f"BGCORE_CPU is {wanted!r}; it may be 'baseline', 'x86-64-v3', or not set"
        )
    from bgcore._core.cpu import has_x86_64_v3

    runs_v3 = has_x86_64_v3() and importlib.util.find_spec(f"{__name__}.x86_64_v3.board")
    if wanted == "x86-64-v3" and not runs_v3:
        raise ImportError("BGCORE_CPU is 'x86-64-v3', which this processor or build does not have")
    return "x86-64-v3" if runs_v3 and wanted != "baseline" else "baseline"


def _load_v3(name: str) -> None:
    found = importlib.util.find_spec(f"{__name__}.x86_64_v3.{name}")
    if found is None or found.origin is None:
        raise ImportError(f"the x86-64-v3 build of bgcore._core.{name} is missing")
    spec = importlib.util.spec_from_file_location(f"{__name__}.{name}", found.origin)
    if spec is None or spec.loader is None:
        raise ImportError(f"cannot load {found.origin}")
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    globals()[name] = module


#: The CPU level in use: "baseline" or "x86-64-v3".
CPU_LEVEL = _choose_level()

if CPU_LEVEL == "x86-64-v3":
    for _name in HOT_MODULES:
        _load_v3(_name)
