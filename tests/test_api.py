"""The public names of the package. A name that is missing here was added without a decision."""

import importlib.metadata
import shutil
import subprocess
import sys
from pathlib import Path

import bgcore

PUBLIC = {
    "MatchResults",
    "Player",
    "RandomPlayer",
    "ScriptedPlayer",
    "Turns",
    "play_match",
    "play_variant",
    "player",
    "CPU_LEVEL",
    "Automatic",
    "BestPlay",
    "BgcoreError",
    "Board",
    "Candidate",
    "Cube",
    "CubeContext",
    "CubeDecision",
    "CubeEnds",
    "CubePoints",
    "CubeRollout",
    "DiceStream",
    "EncodedPosition",
    "Evaluator",
    "FibsBoard",
    "Game",
    "GameRecord",
    "GameResult",
    "GameState",
    "GammonValues",
    "HypergammonTable",
    "hypergammon_table",
    "Match",
    "MatchEquityTable",
    "MatchState",
    "MoneySession",
    "NetEvaluator",
    "NetVariantPlayer",
    "Ogid",
    "Phase",
    "PipCountEvaluator",
    "Play",
    "Plays",
    "Policy",
    "Position",
    "Probabilities",
    "Problem",
    "RankedPlay",
    "ReadId",
    "Rollout",
    "RolloutBar",
    "RolloutResult",
    "Rules",
    "ScriptedDice",
    "Stage",
    "Status",
    "StopRules",
    "SystemDice",
    "VariantGame",
    "VariantMatch",
    "VariantRules",
    "Verdict",
    "WinKind",
    "Xgid",
    "as_boards",
    "block_columns",
    "blocks_text",
    "boards_from_position_ids",
    "check_boards",
    "closest_plays",
    "convert_matches",
    "cube_decision",
    "cube_equity",
    "cube_points",
    "emg",
    "equity_cubeless",
    "format_match_id",
    "gammon_values",
    "hint",
    "load_series",
    "match_columns",
    "mwc_of_emg",
    "opening_roll",
    "parse_dice",
    "parse_fibs_board",
    "parse_match_id",
    "parse_ogid",
    "parse_xgid",
    "phases",
    "pips",
    "position_ids",
    "read_id",
    "read_matches",
    "rollout",
    "rollout_batch",
    "rollout_columns",
    "rollout_cube",
    "rollout_text",
    "run_automatic",
    "save_rollout_picture",
    "statuses",
    "swap_boards",
    "throw",
    "throw_for_start",
    "values",
    "variant",
    "why_illegal_play",
    "write_matches",
}


def test_public_names_are_these():
    assert set(bgcore.__all__) == PUBLIC
    assert len(bgcore.__all__) == len(PUBLIC)


def test_every_public_name_exists_and_is_documented():
    for name in bgcore.__all__:
        thing = getattr(bgcore, name)
        if callable(thing):
            assert thing.__doc__, name


def test_version_is_that_of_the_installed_package():
    assert bgcore.__version__ == importlib.metadata.version("bgcore")


def test_import_loads_numpy_and_no_other_package():
    code = (
        "import sys, numpy; before = set(sys.modules); import bgcore;"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True
    )
    loaded = {
        name
        for name in done.stdout.split()
        if name not in sys.stdlib_module_names and not name.startswith(("_", "cython_runtime"))
    }
    assert loaded <= {"bgcore", "numpy"}


def test_an_uncompiled_source_tree_says_what_it_is(tmp_path):
    source = Path(bgcore.__file__).parent
    shutil.copytree(source, tmp_path / "bgcore", ignore=shutil.ignore_patterns("*.so", "*.pyd"))
    code = (
        # an editable install finds bgcore first: look in the current directory instead
        "import sys; sys.meta_path = [f for f in sys.meta_path if isinstance(f, type)];"
        "sys.path.insert(0, '.'); import bgcore"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 1
    assert "ImportError: bgcore is not compiled here" in done.stderr
