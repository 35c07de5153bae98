"""Files in which sessions are kept."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Self

from bgcore.checks import shown
from bgcore.errors import RecordError
from bgcore.json_records import load_json
from bgcore.match import Match, MoneySession, series_from_dict

__all__ = ["Setting", "load_session", "session_document"]

#: What a session adds to the record of its games.
_ENTRY = "terminal"


@dataclass(frozen=True, slots=True)
class Setting:
    """Who plays at a table and how the dice are thrown.

    Attributes
    ----------
    net : int or None
        The player for whom the net plays; None if both are people.
    seed : int or None
        Of the dice; None if people throw real dice and type them.
    """

    net: int | None
    seed: int | None

    @classmethod
    def from_dict(cls, document: object) -> Self:
        """Return what stands in a saved session.

        Raises
        ------
        RecordError
            It is no setting.
        """
        if not isinstance(document, Mapping) or set(document) != {"net", "seed"}:
            raise RecordError(f"the entry {_ENTRY!r} has the entries 'net' and 'seed'")
        net, seed = document["net"], document["seed"]
        if (net is not None and (type(net) is not int or net not in (0, 1))) or (
            seed is not None and (type(seed) is not int or not 0 <= seed < 1 << 128)
        ):
            raise RecordError(f"the entry {_ENTRY!r} cannot be {shown(dict(document))}")
        return cls(net, seed)


def load_session(path: str | os.PathLike[str]) -> tuple[Match | MoneySession, Setting]:
    """Return the match or session of a file that a `Session` saved, and its setting.

    Raises
    ------
    RecordError
        The file is no saved session.
    OSError
        The file cannot be read.
    """
    document = load_json(path, "saved game")
    if not isinstance(document, Mapping) or _ENTRY not in document:
        raise RecordError(f"{os.fspath(path)!r} is no game saved from a terminal")
    setting = Setting.from_dict(document[_ENTRY])
    return series_from_dict(document, dice=setting.seed), setting


def session_document(series: Match | MoneySession, setting: Setting) -> dict[str, Any]:
    """Return what stands in the file of a session: the record of its games, and its setting."""
    return series.to_dict() | {_ENTRY: asdict(setting)}
