"""The compiled core: `src/NAME.pyx` becomes `bgcore._core.NAME`.

Hot modules exist twice, built from the same C text: for the platform's baseline and for
x86-64-v3. The second set holds the kernels of the nets for AVX-512 as well (level `avx512`). The
best level that the processor can run is taken; the environment variable `BGCORE_CPU` forces
another one. All give the same bits.
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


def cpu_levels() -> tuple[str, ...]:
    """List the CPU levels that this processor and build have, the slowest first."""
    from bgcore._core.cpu import has_avx512, has_x86_64_v3

    if not has_x86_64_v3() or importlib.util.find_spec(f"{__name__}.x86_64_v3.board") is None:
        return ("baseline",)
    return ("baseline", "x86-64-v3", "avx512") if has_avx512() else ("baseline", "x86-64-v3")


def _choose_level() -> str:
    wanted = os.environ.get("BGCORE_CPU", "")
    if wanted not in ("", "baseline", "x86-64-v3", "avx512"):
        raise ImportError(
            f"BGCORE_CPU is {wanted!r}; it may be 'baseline', 'x86-64-v3', 'avx512', or not set"
        )
    levels = cpu_levels()
    if wanted and wanted not in levels:
        raise ImportError(f"BGCORE_CPU is {wanted!r}, which this processor or build does not have")
    return wanted or levels[-1]


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


#: The CPU level in use: "baseline", "x86-64-v3" or "avx512".
CPU_LEVEL = _choose_level()

if CPU_LEVEL != "baseline":
    for _name in HOT_MODULES:
        _load_v3(_name)
