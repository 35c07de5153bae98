"""The games by name, with their options."""

import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from bgcore.checks import shown
from bgcore.errors import AmbiguousVariantError, VariantError
from bgcore.variants.rules import VariantRules, whole
from bgcore.variants.trictrac import TrictracRules

__all__ = [
    "DESCRIPTIONS",
    "TAVLI_ORDER",
    "VARIANTS",
    "as_tuples",
    "payoffs_of",
    "rules_from_dict",
    "rules_to_dict",
    "variant",
    "variant_options",
]

_STANDARD = ((24, 2), (13, 5), (8, 3), (6, 5))
_STACK = ((24, 15),)


def _records() -> Iterator[VariantRules]:
    new = VariantRules
    yield new(name="standard", start=_STANDARD, cube=True, opening="use")
    yield new(
        name="nackgammon",
        start=((24, 2), (23, 2), (13, 4), (8, 3), (6, 4)),
        cube=True,
        opening="use",
    )
    yield new(
        name="hypergammon",
        n_checkers=3,
        start=((24, 1), (23, 1), (22, 1)),
        cube=True,
        opening="use",
    )
    yield new(name="longgammon", start=_STACK, cube=True, opening="use")
    yield new(name="portes", start=_STANDARD, payoff="gammon", next_opening="winner")
    yield new(
        name="tavla",
        start=_STANDARD,
        no_hit_and_run=True,
        payoff="gammon",
        next_opening="winner",
    )
    yield new(name="dutch", start=(), enter_first=15, hit_gate="was_home", payoff="gammon")
    yield new(name="acey_deucey", start=(), special_roll=True, payoff="men_left")
    yield new(
        name="acey_deucey_european",
        start=(),
        special_roll=True,
        doubles="complement",
        bear_off="exact",
        payoff="men_left",
    )
    yield new(
        name="plakoto",
        start=_STACK,
        contact="pin",
        mother="wait",
        payoff="gammon",
        next_opening="winner",
    )
    yield new(name="tapa", start=_STACK, contact="pin", payoff="gammon", next_opening="winner")
    yield new(
        name="fevga",
        start=_STACK,
        mapping="same12",
        contact="block1",
        pass_gate=True,
        quarter_limits=(5, 6, 6, 6),
        prime_stack=True,
        payoff="gammon",
        next_opening="winner",
    )
    yield new(
        name="moultezim",
        start=_STACK,
        mapping="same12",
        contact="block1",
        pass_gate=True,
        quarter_limits=(6, 6, 4, 6),
        payoff="gammon",
    )
    yield new(
        name="nardy_long",
        start=_STACK,
        mapping="same12",
        contact="block1",
        head_limit=1,
        head_exception="fixed",
        prime="ahead",
        payoff="gammon",
        next_opening="winner",
    )
    yield new(
        name="gul_bara",
        start=_STACK,
        mapping="same12",
        contact="block1",
        doubles="ascending",
        plain_turns=3,
        payoff="gammon",
    )
    yield new(
        name="russian",
        start=(),
        mapping="same0",
        doubles="complement",
        complement_entered=True,
        enter_first=2,
        payoff="gammon",
    )
    yield new(
        name="tabula",
        start=(),
        mapping="same0",
        dice=3,
        doubles="plain",
        half_gate=True,
        bear_off="exact",
        bear_off_zone=12,
        payoff="single",
    )
    yield new(
        name="verquere",
        start=_STACK,
        mapping="same12",
        singles=(13, 23),
        john="open",
        payoff="single",
    )
    yield TrictracRules()


#: All games by name, with their defaults.
VARIANTS: Mapping[str, VariantRules] = {rules.name: rules for rules in _records()}

#: What each game is, in two lines.
DESCRIPTIONS: Mapping[str, str] = {
    "standard": "Backgammon without stakes of its own: lone checkers are hit,\n"
    "gammons count 2 and backgammons 3.",
    "nackgammon": "Backgammon with two more checkers far behind, by Nack Ballard:\n"
    "24:2, 23:2, 13:4, 8:3, 6:4.",
    "hypergammon": "Backgammon with three checkers on 24, 23 and 22:\nshort games full of hits.",
    "longgammon": "Backgammon with all checkers on 24.\n"
    "Not to be confused with long Nardy, where nothing is hit.",
    "portes": "The Greek backgammon: no cube, a gammon counts 2, nothing counts 3.\n"
    "The first of the three games of Tavli.",
    "tavla": "The Turkish backgammon: as Portes; a checker that hits at home\n"
    "stays there for the rest of the turn.",
    "dutch": "All checkers start off the board and enter before anything else moves.\n"
    "Nobody hits before one of his checkers has come home.",
    "acey_deucey": "All checkers start off the board. After 1-2 the player names a doublet,\n"
    "plays it and rolls again. The loser pays for every checker left.",
    "acey_deucey_european": "As acey-deucey; a doublet is followed by its complement\n"
    "and another roll, and bearing off is exact.",
    "plakoto": "Greek: lone checkers are not hit but pinned where they stand.\n"
    "Who pins the last checker on the opponent's start wins two points.",
    "tapa": "The Bulgarian Plakoto:\nlone checkers are pinned; the last one at the start is like any.",
    "fevga": "Greek: both sides travel in the same direction, one checker closes a point.\n"
    "The first checker passes the opponent's start before others leave.",
    "moultezim": "Turkish: as Fevga; at most four points of the opponent's\n"
    "starting quarter may be held.",
    "nardy_long": "Russian: both sides travel in the same direction, one checker closes a point.\n"
    "One checker a turn leaves the head; six in a row need somebody ahead.",
    "gul_bara": "Bulgarian: as Fevga without its gate. From the fourth turn on\n"
    "a doublet is followed by all higher ones, up to 6-6.",
    "russian": "Both sides enter and travel on the same road, and hit.\n"
    "A doublet is followed by its complement and another roll.",
    "tabula": "The Roman game: three dice, the same road for both,\n"
    "nothing beyond the first half before all have entered.",
    "verquere": "After Cotton (1674): no points may be made far from home.\n"
    "Who has more checkers on the bar than can enter loses double.",
    "trictrac": "French: nothing is hit or must be borne off; points for what a roll could do,\n"
    "twelve of them a hole, twelve holes the game.",
}

#: The games of a match of Tavli, again and again.
TAVLI_ORDER = ("portes", "plakoto", "fevga")

_OTHER_NAMES = {
    "backgammon": "standard",
    "shesh_besh": "portes",
    "tawula": "portes",
    "takhte_nard": "portes",
    "mahbusa": "tapa",
    "acey_deucey_american": "acey_deucey",
    "narde_long": "nardy_long",
    "long_nardy": "nardy_long",
    "long_narde": "nardy_long",
    "gulbara": "gul_bara",
    "french_trictrac": "trictrac",
    "great_trictrac": "trictrac",
    "grand_trictrac": "trictrac",
    "rosespring": "gul_bara",
}

_NARDY = "nardy_long: both travel in the same direction, nothing is hit"
_LONG = "longgammon: backgammon with all checkers on 24"
_VERQUERE = "verquere: after Cotton (1674), with the double game called John"
_TRICTRAC = "trictrac: French Trictrac, a game of points and holes"
_AMBIGUOUS = {
    **dict.fromkeys(("nardi", "nardy", "narde", "long_backgammon"), (_NARDY, _LONG)),
    "nard": (_NARDY, _LONG, "plakoto: checkers are pinned, not hit"),
    **dict.fromkeys(
        ("triktrak", "tric_trac", "verkeer", "verquer", "trick_track"), (_VERQUERE, _TRICTRAC)
    ),
    "tables": (
        "standard: backgammon",
        "tabula: the Roman game with three dice",
        _VERQUERE,
        _TRICTRAC,
    ),
    "acey": (
        "acey_deucey: American, doublets four times",
        "acey_deucey_european: a doublet is followed by its complement",
    ),
    "tavli": ("portes, plakoto, fevga: a match of Tavli is these three, again and again",),
}
_UNKNOWN = {
    "gioul": "gioul has no rules here; gul_bara is its nearest relative",
    "swedish_tables": "Swedish Tables have no rules here; verquere is an older relative",
    **dict.fromkeys(
        ("toc", "tick_tack", "small_trictrac", "petit_trictrac"),
        "small trictrac (Toc, Tick-tack) has no rules here; trictrac is the great one",
    ),
}
#: What [TRI] tells of trictrac and this program leaves out.
_LEFT_OUT = {
    "schools": "there are no schools in trictrac here: the program marks every point itself",
    "misery_pile": "the misery pile is left out of trictrac: no text here defines it",
    "scored_game": "trictrac is the ordinary game of holes here, not the scored game of rounds",
}

_HOUSE = ("own_limit", "any_number", "finish_early", "extra_turn", "extra_turn_forfeit",
          "max_chain", "opening", "next_opening")  # fmt: skip
#: Where every number may be played in any order, nothing is doubled, and the opening shows two dice.
_NOT_WITH_THREE_DICE = {
    "any_number",
    "extra_turn",
    "extra_turn_forfeit",
    "max_chain",
    "opening",
}
_BOARD = ("start", "n_checkers", "cube", "payoff", "no_hit_and_run")
_ACEY = ("enter_first", "hit_gate", "bear_off", "strict_forfeit", "payoff")
_PRIMES = ("prime", "prime_stack", "quarter_limits", "prime_each_step")
_HEADS = ("head_limit", "head_exception")
_OPTIONS = {
    "standard": _BOARD,
    "nackgammon": _BOARD,
    "hypergammon": _BOARD,
    "longgammon": _BOARD,
    "portes": _BOARD,
    "tavla": _BOARD,
    "dutch": ("enter_first", "hit_gate", "cube", "payoff"),
    "acey_deucey": _ACEY,
    "acey_deucey_european": _ACEY,
    "plakoto": ("mother", "payoff"),
    "tapa": ("mother", "payoff"),
    "fevga": (*_PRIMES, *_HEADS, "payoff"),
    "moultezim": (*_PRIMES, *_HEADS, "payoff"),
    "nardy_long": (*_PRIMES, *_HEADS, "koks", "equalise", "payoff"),
    "gul_bara": (*_HEADS, "doubles", "plain_turns", "on_failure", "unplayed", "payoff"),
    "russian": ("enter_first", "complement_entered", "payoff"),
    "tabula": ("bear_off", "bear_off_zone", "half_gate", "payoff"),
    "verquere": ("mapping", "john", "doubles", "bear_off", "payoff"),
    "trictrac": ("any_number", "holes", "leaving", "next_opening", "opening", "payoff"),
}
_PAYOFFS = {
    # nothing counts 3 there; that gammons do not count is a house rule
    **dict.fromkeys(
        ("plakoto", "tapa", "fevga", "moultezim", "nardy_long", "russian"), ("gammon", "single")
    ),
    "acey_deucey": ("men_left", "men_on_board", "pips", "single"),
    "acey_deucey_european": ("men_left", "men_on_board", "pips", "single"),
    "trictrac": ("single", "double", "quadruple"),
}
_HYPERGAMMON_START = ((24, 1), (23, 1), (22, 1))


def variant(name: str, **options: Any) -> VariantRules:
    """Return the rules of a game.

    Parameters
    ----------
    name : str
        One of `VARIANTS`, or another usual name of one; letter case, hyphens and spaces do not
        matter.
    **options
        Fields of `VariantRules` that this game can have differently. ``enter_first`` may be True
        (all checkers) or False (none). Hypergammon takes ``n_checkers`` from 1 to 3; other numbers
        and other layouts are given by ``start``.

    Raises
    ------
    AmbiguousVariantError
        The name means several games; the message lists them.
    VariantError
        There is no such game, or it has no such option.

    Examples
    --------
    >>> variant("nardy_long").head_limit
    1
    >>> variant("acey_deucey", bear_off="exact").bear_off
    'exact'
    >>> variant("nard")
    Traceback (most recent call last):
    ...
    bgcore.errors.AmbiguousVariantError: 'nard' can be:
      nardy_long: both travel in the same direction, nothing is hit
      longgammon: backgammon with all checkers on 24
      plakoto: checkers are pinned, not hit
    """
    if not isinstance(name, str):
        raise VariantError(f"the name of a game is a text, not {shown(name)}")
    key = "_".join(name.strip().lower().replace("-", " ").replace("_", " ").split())
    key = _OTHER_NAMES.get(key, key)
    if key in _AMBIGUOUS:
        lines = "".join(f"\n  {line}" for line in _AMBIGUOUS[key])
        raise AmbiguousVariantError(f"{shown(name)} can be:{lines}")
    if key not in VARIANTS:
        raise VariantError(
            _UNKNOWN.get(key, f"there is no game {shown(name)}; there are {', '.join(VARIANTS)}")
        )
    rules = VARIANTS[key]
    allowed = variant_options(key)
    for option, value in options.items():
        if key == "trictrac" and option in _LEFT_OUT:
            raise VariantError(_LEFT_OUT[option])
        if option not in allowed:
            raise VariantError(f"{key} has no option {shown(option)}; it has {', '.join(allowed)}")
        right = payoffs_of(key)
        if option == "payoff" and not (isinstance(value, str) and value in right):
            raise VariantError(
                f"the payoff of {key} is one of {', '.join(right)}, not {shown(value)}"
            )
    if isinstance(options.get("enter_first"), bool):
        options["enter_first"] = 15 if options["enter_first"] else 0
    if "start" in options and "n_checkers" not in options:
        try:
            options["n_checkers"] = sum(count for _, count in options["start"])
        except (TypeError, ValueError):
            raise VariantError("start is a tuple of pairs (point, checkers)") from None
    elif key == "hypergammon" and "start" not in options and "n_checkers" in options:
        whole("n_checkers without start", options["n_checkers"], 1, 3)
        options["start"] = _HYPERGAMMON_START[: options["n_checkers"]]
    return dataclasses.replace(rules, **options)


def variant_options(name: str) -> tuple[str, ...]:
    """Return the options that a game of `VARIANTS` has, in the order of the alphabet.

    They are fields of `VariantRules`; those of `variant` beside them are told there.
    """
    if not isinstance(name, str) or name not in VARIANTS:
        raise VariantError(f"there is no game {shown(name)}; there are {', '.join(VARIANTS)}")
    # trictrac shares few house rules with games of bearing off
    options = set(_OPTIONS[name]) if name == "trictrac" else {*_HOUSE, *_OPTIONS[name]}
    if VARIANTS[name].dice == 3:
        options -= _NOT_WITH_THREE_DICE
    return tuple(sorted(options))


def payoffs_of(name: str) -> tuple[str, ...]:
    """Return the values that the option `payoff` of a game of `VARIANTS` can have."""
    return _PAYOFFS.get(name, ("triple", "gammon", "single"))


def rules_to_dict(rules: VariantRules) -> dict[str, Any]:
    """Return rules as values that JSON can hold: the name, and what differs from the game's own."""
    usual = VARIANTS.get(rules.name)
    document = {"name": rules.name}
    for entry in dataclasses.fields(rules):
        value = getattr(rules, entry.name)
        if usual is None or value != getattr(usual, entry.name):
            document[entry.name] = value
    return document


def rules_from_dict(document: object) -> VariantRules:
    """Return the rules that `rules_to_dict` wrote.

    Raises
    ------
    VariantError
        There are no such rules.
    """
    if not isinstance(document, Mapping) or not isinstance(document.get("name"), str):
        raise VariantError(f"rules are a mapping with a 'name', not {shown(document)}")
    usual = VARIANTS.get(document["name"])
    fields = {entry.name for entry in dataclasses.fields(usual or VariantRules)}
    if unknown := [name for name in document if name not in fields]:
        raise VariantError(f"there is no rule {shown(unknown[0])}")
    values = {name: as_tuples(value) for name, value in document.items()}
    if usual is not None:
        return dataclasses.replace(usual, **values)
    if "start" not in values:
        raise VariantError(
            f"there is no game {shown(document['name'])}, and these rules have no start"
        )
    return VariantRules(**values)


def as_tuples(value: Any) -> Any:
    """Return a value with tuples for the lists that files have."""
    return tuple(map(as_tuples, value)) if isinstance(value, (list, tuple)) else value
