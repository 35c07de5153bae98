"""bgcore: backgammon boards, legal plays, evaluation and rollouts on a compiled core."""

import os
import signal
import sys
from pathlib import PurePath
from types import FrameType

# `bgcore` or `python -m bgcore`, whose own code does not run yet: one line, not a traceback
_is_command = PurePath(sys.argv[0]).stem == "bgcore" or (
    sys.argv[0] == "-m" and "-m bgcore" in " ".join(sys.orig_argv)
)


def _leave(_number: int, _frame: FrameType | None) -> None:
    """Answer ctrl-C while the modules of the command are imported."""
    os._exit(130)


if _is_command and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
    signal.signal(signal.SIGINT, _leave)

try:
    from bgcore._core import CPU_LEVEL
except ImportError as error:
    _reason = str(error)
    if isinstance(error, ModuleNotFoundError):
        if error.name is None or not error.name.startswith("bgcore._core"):
            raise
        _reason = (
            "bgcore is not compiled here: this is its source tree. Install it"
            " (pip install .) and start Python in another directory."
        )
    if _is_command:
        raise SystemExit(f"bgcore: {_reason}") from None
    raise ImportError(_reason) from error

from bgcore._core.board import (
    as_boards,
    check_boards,
    phases,
    pips,
    statuses,
    swap_boards,
    values,
)
from bgcore.arena import MatchResults, play_match
from bgcore.automatic import Automatic, run_automatic
from bgcore.board import Board, Phase, Status
from bgcore.cube import Cube
from bgcore.cube_decision import CubeDecision, Verdict, cube_decision
from bgcore.cube_model import (
    CubeContext,
    CubePoints,
    GammonValues,
    cube_equity,
    cube_points,
    emg,
    gammon_values,
    mwc_of_emg,
)
from bgcore.cube_rollout import CubeRollout, rollout_cube
from bgcore.dice import (
    DiceStream,
    ScriptedDice,
    SystemDice,
    opening_roll,
    throw,
    throw_for_start,
)
from bgcore.errors import BgcoreError
from bgcore.evaluators import (
    Evaluator,
    NetEvaluator,
    PipCountEvaluator,
    Probabilities,
    equity_cubeless,
)
from bgcore.formats import (
    Problem,
    convert_matches,
    match_columns,
    read_matches,
    write_matches,
)
from bgcore.game import Game, GameRecord
from bgcore.game_state import GameState, Stage
from bgcore.hints import RankedPlay, hint
from bgcore.hypergammon import HypergammonTable, hypergammon_table
from bgcore.ids.any_id import ReadId, read_id
from bgcore.ids.fibs import FibsBoard, parse_fibs_board
from bgcore.ids.match_id import MatchState, format_match_id, parse_match_id
from bgcore.ids.ogid import Ogid, parse_ogid
from bgcore.ids.position_id import boards_from_position_ids, position_ids
from bgcore.ids.xgid import Xgid, parse_xgid
from bgcore.match import Match, MoneySession, load_series
from bgcore.met import MatchEquityTable
from bgcore.notation import Play, Plays
from bgcore.play_mistakes import closest_plays, why_illegal_play
from bgcore.players import Player, RandomPlayer, ScriptedPlayer, Turns, player
from bgcore.policies import BestPlay, Policy
from bgcore.position import EncodedPosition, Position
from bgcore.resumable_rollout import Rollout
from bgcore.rollout import Candidate, CubeEnds, RolloutResult, rollout
from bgcore.rollout_bar import RolloutBar
from bgcore.rollout_batch import rollout_batch
from bgcore.rollout_columns import block_columns, rollout_columns
from bgcore.rollout_picture import save_rollout_picture
from bgcore.rollout_text import blocks_text, rollout_text
from bgcore.rolls import parse_dice
from bgcore.rules import Rules
from bgcore.scoring import GameResult, WinKind
from bgcore.stop_rules import StopRules
from bgcore.variant_nets import NetVariantPlayer
from bgcore.variants import VariantGame, VariantMatch, VariantRules, play_variant, variant

__version__ = "0.1.0"

__all__ = [
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
    "Match",
    "MatchEquityTable",
    "MatchResults",
    "MatchState",
    "MoneySession",
    "NetEvaluator",
    "NetVariantPlayer",
    "Ogid",
    "Phase",
    "PipCountEvaluator",
    "Play",
    "Player",
    "Plays",
    "Policy",
    "Position",
    "Probabilities",
    "Problem",
    "RandomPlayer",
    "RankedPlay",
    "ReadId",
    "Rollout",
    "RolloutBar",
    "RolloutResult",
    "Rules",
    "ScriptedDice",
    "ScriptedPlayer",
    "Stage",
    "Status",
    "StopRules",
    "SystemDice",
    "Turns",
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
    "hypergammon_table",
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
    "play_match",
    "play_variant",
    "player",
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
]
