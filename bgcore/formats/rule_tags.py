"""Rules as the tags of XG's match files tell them, and the few that only bgcore's own tag tells.

XG's tags: Crawford, Jacoby, Beaver ("On" or "Off"), CubeLimit (1: no cube), Variation. What they
cannot say stands in the tag `Rules`, such as "beavers=3, payoff=gammon".
"""

import re
from dataclasses import fields
from typing import Any, Final, cast

from bgcore.board import Board
from bgcore.errors import BgcoreError
from bgcore.formats.problems import Report
from bgcore.formats.told import ToldMatch
from bgcore.rules import Rules

__all__ = [
    "RULES_TAG",
    "RULE_TAGS",
    "layout_of",
    "read_rule_tags",
    "rule_tags",
    "variation_of",
]

#: The name of bgcore's own tag.
RULES_TAG = "Rules"
#: All tags about rules.
RULE_TAGS: Final = ("Crawford", "Jacoby", "Beaver", "CubeLimit", "Variation", RULES_TAG)


def _board(points: dict[int, int], n_checkers: int) -> Board:
    cells = [0] * 26
    for point, count in points.items():
        cells[point] += count
        cells[25 - point] -= count
    return Board(cells, n_checkers=n_checkers)


_LAYOUTS: Final[dict[str, Board]] = {
    "backgammon": Board.opening(),
    "nackgammon": _board({24: 2, 23: 2, 13: 4, 8: 3, 6: 4}, 15),
    "hypergammon": _board({24: 1, 23: 1, 22: 1}, 3),
    "longgammon": _board({24: 15}, 15),
}
_VARIATIONS: Final = {
    "backgammon": "Backgammon",
    "nackgammon": "NackGammon",
    "hypergammon": "HyperGammon",
    "longgammon": "LongGammon",
}
_PLAIN_VALUES: Final[dict[str, Any]] = {"True": True, "False": False, "None": None}


def layout_of(variation: str) -> Board | None:
    """Return the checkers at the start of a variation; None if it is unknown."""
    return _LAYOUTS.get(variation.strip().lower())


def variation_of(layout: Board) -> str | None:
    """Return the name of the variation with these checkers at the start; None if it has none."""
    for name, board in _LAYOUTS.items():
        if board == layout:
            return _VARIATIONS[name]
    return None


def read_rule_tags(match: ToldMatch, report: Report) -> None:
    """Move the tags about rules from the info of a match to its rules."""
    info, rules = match.info, match.rules
    for tag, name in (("Crawford", "crawford"), ("Jacoby", "jacoby")):
        if (text := _taken(info, tag)) is None:
            continue
        is_on = _is_on(text)
        if is_on is None:
            report.note("unread", f'the tag {tag} is "On" or "Off", not {text!r}')
        # each belongs to one kind of play, and programs write both
        elif (name == "crawford") == (match.length > 0):
            rules[name] = is_on
    if (text := _taken(info, "Beaver")) is not None:
        is_on = _is_on(text)
        if is_on is None:
            report.note("unread", f'the tag Beaver is "On" or "Off", not {text!r}')
        elif not match.length:
            rules["beavers"] = int(is_on)
    if (text := _taken(info, "CubeLimit")) is not None:
        _read_limit(text, rules, report)
    if (text := _taken(info, "Variation")) is not None:
        layout = layout_of(text)
        if layout is None:
            report.note("unread", f"the variation {text!r} is not known: taken as Backgammon")
        elif layout != Board.opening():
            rules["layout"] = layout
    if (text := _taken(info, RULES_TAG)) is not None:
        _read_own(text, rules, report)


def _taken(info: dict[str, str], tag: str) -> str | None:
    """Take a tag out of the info, however its letters are; None if it is not there."""
    name = next((name for name in info if name.lower() == tag.lower()), None)
    return None if name is None else info.pop(name)


def _is_on(text: str) -> bool | None:
    word = text.strip().lower()
    return {"on": True, "yes": True, "off": False, "no": False}.get(word)


def _read_limit(text: str, rules: dict[str, object], report: Report) -> None:
    number = text.strip()
    limit = int(number) if re.fullmatch(r"[0-9]{1,10}", number) else 0
    if limit == 1:
        rules["cube"] = False
    elif limit and limit & (limit - 1) == 0 and limit <= 1 << 30:
        # XG writes its own usual limit everywhere; the cube never gets there
        if limit != 1024:
            rules["cube_limit"] = limit
    elif limit:
        report.note("unread", f"the limit of the cube is a power of 2, not {text!r}")
    else:
        report.note("unread", f"the limit of the cube is a number, not {text!r}")


def _read_own(text: str, rules: dict[str, object], report: Report) -> None:
    known = {entry.name for entry in fields(Rules)} - {"layout", "match_play"}
    for part in text.split(","):
        name, _, value = (word.strip() for word in part.partition("="))
        if name not in known:
            report.note("unread", f"there is no rule {name!r}")
        elif value in _PLAIN_VALUES:
            rules[name] = _PLAIN_VALUES[value]
        elif re.fullmatch(r"[0-9]{1,10}", value):
            rules[name] = int(value)
        else:
            rules[name] = value


def rule_tags(rules: Rules) -> tuple[list[tuple[str, str]], list[str]]:
    """Return the tags that tell rules, and what no tag can tell.

    Parameters
    ----------
    rules : Rules

    Returns
    -------
    tags : list of (str, str)
        Names and values.
    lost : list of str
    """
    tags: list[tuple[str, str]] = []
    lost = []
    variation = variation_of(rules.layout)
    if variation is None:
        lost.append("the checkers at the start")
    tags.append(("Variation", variation or "Backgammon"))
    if rules.match_play:
        tags.append(("Crawford", "On" if rules.crawford else "Off"))
    else:
        tags.append(("Jacoby", "On" if rules.jacoby else "Off"))
        tags.append(("Beaver", "On" if rules.beavers else "Off"))
    if not rules.cube:
        tags.append(("CubeLimit", "1"))
    elif rules.cube_limit != Rules().cube_limit:
        tags.append(("CubeLimit", str(rules.cube_limit)))
    told = ToldMatch(int(rules.match_play), info=dict(tags))
    read_rule_tags(told, Report("", lambda problem: None))
    make = Rules.match if rules.match_play else Rules.money
    own = []
    try:
        known = make(**cast(dict[str, Any], told.rules))
    except BgcoreError:
        known = make()
    for entry in fields(Rules):
        value = getattr(rules, entry.name)
        if entry.name not in ("layout", "match_play") and value != getattr(known, entry.name):
            own.append(f"{entry.name}={value}")
    if own:
        tags.append((RULES_TAG, ", ".join(own)))
    return tags, lost
