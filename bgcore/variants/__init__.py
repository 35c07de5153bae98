"""The games of this board: their rules as records, their states, their turns.

A game is a `VariantRules`, made by `variant`. It answers everything that a game needs:

>>> from bgcore.variants import variant
>>> rules = variant("plakoto")
>>> state, turn = rules.initial(), rules.begin()
>>> turn.todo
'roll'
>>> turn = rules.rolled(state, turn, (6, 5))
>>> turn.todo, turn.numbers
('play', (6, 5))
>>> [str(play) for play in rules.plays(state, turn)]
['24/18 24/19', '24/18 18/13']
>>> state, turn = rules.played(state, turn, rules.plays(state, turn)[0])
>>> rules.result(state) is None, turn.todo
(True, 'end')
>>> state, turn = rules.end_turn(state, turn)

A turn is a list of things to do. `turn.todo` says what comes next: "roll" the dice (`rolled`),
"play" the numbers `turn.numbers` (`plays`, then `played`; or one step at a time with `steps` and
`stepped` until there are no more, then `played`), "choose" a doublet (`chosen`), or "end"
(`end_turn`, after which the other side is on roll and sees the state). After `played` ask `result`:
the game may be over. Most turns are roll, play, end; a doublet of acey-deucey or Gul Bara has more
parts, and in trictrac a roll can give points to "mark" (`marked`, then ask `result`) and a hole
that lets its winner "leave" (`left`, or `stayed`).

`VariantGame` does all that by itself, with dice, history and records; `VariantMatch` is games with
one score; `play_variant` lets players play many.

The rules, their ambiguities and sources: the docstring of `VariantRules`.
"""

from bgcore.variants.actions import Choose, Leave, RollThree, Stay, parse_variant_action
from bgcore.variants.counting import perft
from bgcore.variants.game import VariantEntry, VariantGame, VariantRecord
from bgcore.variants.game_state import (
    VariantGameResult,
    VariantGameState,
    legal_variant_actions,
)
from bgcore.variants.games import DESCRIPTIONS, TAVLI_ORDER, VARIANTS, variant, variant_options
from bgcore.variants.jans import Jan
from bgcore.variants.match import VariantMatch, load_variant_match, order_of, tavli
from bgcore.variants.players import (
    VARIANT_PLAYERS,
    LeavingPlayer,
    PipsVariantPlayer,
    RandomVariantPlayer,
    VariantPlayer,
    VariantResults,
    VariantTable,
    play_series,
    play_variant,
    random_games,
    variant_player,
)
from bgcore.variants.plays import Step, VariantPlay, VariantPlays
from bgcore.variants.rules import VariantRules
from bgcore.variants.states import Side, State
from bgcore.variants.trictrac import TrictracRules, TrictracTurn
from bgcore.variants.turns import Turn, TurnItem

__all__ = [
    "DESCRIPTIONS",
    "TAVLI_ORDER",
    "VARIANTS",
    "VARIANT_PLAYERS",
    "Choose",
    "Jan",
    "Leave",
    "LeavingPlayer",
    "PipsVariantPlayer",
    "RandomVariantPlayer",
    "RollThree",
    "Side",
    "State",
    "Stay",
    "Step",
    "TrictracRules",
    "TrictracTurn",
    "Turn",
    "TurnItem",
    "VariantEntry",
    "VariantGame",
    "VariantGameResult",
    "VariantGameState",
    "VariantMatch",
    "VariantPlay",
    "VariantPlayer",
    "VariantPlays",
    "VariantRecord",
    "VariantResults",
    "VariantRules",
    "VariantTable",
    "legal_variant_actions",
    "load_variant_match",
    "order_of",
    "parse_variant_action",
    "perft",
    "play_series",
    "play_variant",
    "random_games",
    "tavli",
    "variant",
    "variant_options",
    "variant_player",
]
