"""Files of matches: Jellyfish's and XG's text, GNU Backgammon's .sgf, XG's own, JSON; tables."""

from bgcore.formats.conversion import Conversion, convert_matches
from bgcore.formats.files import (
    MATCH_FORMATS,
    MatchFormat,
    MatchReader,
    format_of,
    read_matches,
    write_matches,
)
from bgcore.formats.problems import Problem
from bgcore.formats.tables import match_columns

__all__ = [
    "MATCH_FORMATS",
    "Conversion",
    "MatchFormat",
    "MatchReader",
    "Problem",
    "convert_matches",
    "format_of",
    "match_columns",
    "read_matches",
    "write_matches",
]
