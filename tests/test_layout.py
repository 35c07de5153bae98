"""The rooms of the house use each other in one direction only.

Each list runs from the ground up: a file may use what stands before it in its list. A new module
is entered here, at the highest place from which it still sees all that it needs.
"""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]

#: src/: what is compiled.
CORE = (
    "types",
    "cpu",
    "board",
    "dice",
    "movegen",
    "transcript",
    "variants",
    "bearoff",
    "hypergammon",
    "network",
    "evaluator",
    "search",
    "cubeful",
    "playout",
    "training",
    "workloads",
)

#: bgcore/: what is Python. `_core` stands for all of src/.
PYTHON = (
    "errors",
    "whole_files",
    "owned_files",
    "checks",
    "texts",
    "processes",
    "_core",
    # play
    "rolls",
    "notation",
    "play_mistakes",
    "ids",
    "drawing",
    "board",
    "dice",
    "rules",
    "met",
    "cube",
    "scoring",
    "actions",
    "game_state",
    "game_history",
    "json_records",
    "game_series",
    "variants",
    "variant_boards",
    "position",
    "game",
    "game_text",
    "automatic",
    "match",
    "cube_model",
    "cube_rows",
    # the core's tables and nets, as Python sees them
    "table_files",
    "bearoff",
    "nets",
    "net_weights",
    "recipes",
    "evaluators",
    "variant_nets",
    "variant_training",
    "policies",
    "identity",
    "adapters",
    "mining",
    "roll_training",
    "training",
    # study
    "cube_decision",
    "hints",
    "hypergammon",
    "players",
    "game_table",
    "arena",
    "duel_totals",
    "duel",
    "decision_loss",
    "block_records",
    "block_totals",
    "contest",
    "rollout_work",
    "first_rolls",
    "rollout_plots",
    "rollout",
    "cube_rollout",
    "stop_rules",
    "resumable_rollout",
    "rollout_presets",
    "rollout_picture",
    "rollout_columns",
    "rollout_text",
    "rollout_bar",
    "rollout_batch",
    "analysis",
    "formats",
    # what the project measures about itself
    "corpus",
    "signature",
    "bench",
    # use: sees the public names in bgcore itself too
    "__init__",
    "envs",
    "web",
    "terminal",
    "cli",
    "__main__",
)


def compiled_uses(path):
    """The modules that a .pyx or .pxd names in cimports, and those in plain imports."""
    text = path.read_text(encoding="utf-8")
    cimports = re.findall(r"^\s*from\s+bgcore\._core\.(\w+)\s+cimport", text, re.MULTILINE)
    cimports += re.findall(r"^\s*cimport\s+bgcore\._core\.(\w+)", text, re.MULTILINE)
    # the CPU level stands in the package itself, before any module is loaded
    text = re.sub(
        r"^from bgcore\._core import CPU_LEVEL as _CPU_LEVEL$", "", text, flags=re.MULTILINE
    )
    imports = re.findall(r"^\s*from\s+bgcore\.([\w.]+)\s+import", text, re.MULTILINE)
    imports += re.findall(r"^\s*import\s+bgcore\.([\w.]+)", text, re.MULTILINE)
    return cimports, imports


def python_uses(path):
    """The modules of bgcore that a .py file imports, anywhere in it."""
    found = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            found += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            if node.module == "bgcore":
                found += [f"bgcore.{name_in_package(alias.name)}" for alias in node.names]
            else:
                found.append(node.module)
    return [name.split(".")[1] for name in found if name.startswith("bgcore.")]


def name_in_package(name):
    """The module of that name, or `__init__` for something that stands there."""
    package = ROOT / "bgcore"
    return name if (package / name).is_dir() or (package / f"{name}.py").exists() else "__init__"


def room(path):
    """The first name below bgcore/ of a file."""
    return path.relative_to(ROOT / "bgcore").with_suffix("").parts[0]


def python_files():
    return [
        p for p in sorted((ROOT / "bgcore").rglob("*.py")) if room(p) not in ("_core", "__init__")
    ]


def test_every_compiled_module_has_its_place():
    assert {p.stem for p in (ROOT / "src").glob("*.p[yx][xd]")} <= set(CORE)


def test_every_python_module_has_its_place():
    assert {room(p) for p in python_files()} <= set(PYTHON)


def test_compiled_modules_use_only_what_stands_before_them():
    for path in (ROOT / "src").glob("*.p[yx][xd]"):
        allowed = CORE[: CORE.index(path.stem)]
        for name in compiled_uses(path)[0]:
            assert name in allowed or name == path.stem, f"{path.name} cimports {name}"


def test_compiled_modules_import_no_python_but_the_errors_and_the_core():
    for path in (ROOT / "src").glob("*.p[yx][xd]"):
        allowed = CORE[: CORE.index(path.stem)]
        for name in compiled_uses(path)[1]:
            assert name == "errors" or name.removeprefix("_core.") in allowed, (
                f"{path.name} imports {name}"
            )


def test_python_modules_use_only_what_stands_before_them():
    for path in python_files():
        own = room(path)
        allowed = PYTHON[: PYTHON.index(own)]
        for name in python_uses(path):
            assert name in allowed or name == own, f"{path.relative_to(ROOT)} imports {name}"


def test_core_package_imports_nothing_from_above():
    for path in (ROOT / "bgcore" / "_core").rglob("*.py"):
        assert set(python_uses(path)) <= {"_core", "errors"}, path.name
