"""A game as a row of events, one for each turn or word of a player: what every writer goes through."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from bgcore.actions import (
    Accept,
    Beaver,
    Double,
    Drop,
    Irregular,
    MakePlay,
    MakeStep,
    Pass,
    Raccoon,
    Refuse,
    Resign,
    Roll,
    Settle,
    Take,
)
from bgcore.game import Game
from bgcore.game_state import GameState, Stage
from bgcore.notation import Play

__all__ = ["Event", "EventKind", "events_of"]

EventKind = Literal[
    "tie",
    "play",
    "irregular",
    "rolled",
    "pass",
    "double",
    "beaver",
    "raccoon",
    "take",
    "drop",
    "resign",
    "accept",
    "refuse",
    "settle",
]

_WORDS: dict[type, EventKind] = {
    Double: "double",
    Beaver: "beaver",
    Raccoon: "raccoon",
    Take: "take",
    Drop: "drop",
    Accept: "accept",
    Refuse: "refuse",
}


@dataclass(frozen=True, slots=True)
class Event:
    """What one player did.

    Attributes
    ----------
    kind : str
        "tie" is an opening roll of equal dice; "play" a roll with its play, also if nothing could
        be played; "rolled" a roll without its play, at the end of a game.
    player : int
    before : GameState
        Before the play, with the dice; before the word.
    dice : (int, int) or None
    play : Play or None
    value : int
        What the cube would show, of a double, beaver or raccoon; the kind of a resignation; the
        points of a settlement.
    is_automatic : bool
        A policy did it for the player.
    is_by_steps : bool
        The play was made step by step.
    """

    kind: EventKind
    player: int
    before: GameState
    dice: tuple[int, int] | None = None
    play: Play | None = None
    value: int = 0
    is_automatic: bool = False
    is_by_steps: bool = False


def events_of(game: Game) -> Iterator[Event]:
    """Go through the events of a game.

    Parameters
    ----------
    game : Game
    """
    history = game.history
    first: GameState | None = game.start if game.start.dice is not None else None
    is_opening = game.start.stage is Stage.OPENING
    for number, entry in enumerate(history):
        action, before = entry.action, entry.before
        after = history[number + 1].before if number + 1 < len(history) else game.state
        player = int(before.actor or 0)
        automatic = entry.automatic
        if isinstance(action, Roll):
            if after.on_roll is None:
                yield Event("tie", 0, before, action.dice, is_automatic=automatic)
            else:
                first = after
        elif isinstance(action, (MakePlay, Irregular)):
            is_irregular = isinstance(action, Irregular)
            play = action.moves if isinstance(action, Irregular) else action.play
            if isinstance(play, str):
                play = before.legal_plays().find(play)
            first = None
            dice = before.dice
            if dice is not None and is_opening and before.turns == 1:
                # one die of each player, the larger one first as in every other file
                dice = max(dice), min(dice)
            yield Event(
                "irregular" if is_irregular else "play",
                player,
                before,
                dice,
                play,
                is_automatic=automatic,
            )
        elif isinstance(action, MakeStep):
            if not after.steps:
                play = Play((*before.steps, before.step_of(action)[0]))
                begin = before if first is None else first
                first = None
                yield Event(
                    "play",
                    player,
                    begin,
                    before.dice,
                    play,
                    is_automatic=automatic,
                    is_by_steps=True,
                )
        elif isinstance(action, Resign):
            yield Event("resign", player, before, value=int(action.kind), is_automatic=automatic)
        elif isinstance(action, Settle):
            if first is not None:
                yield Event("rolled", int(first.on_roll or 0), first, first.dice)
            first = None
            yield Event("settle", action.winner, before, value=action.points)
        elif isinstance(action, Pass):
            yield Event("pass", player, before, is_automatic=automatic)
        else:
            if isinstance(action, Accept) and first is not None:
                yield Event("rolled", int(first.on_roll or 0), first, first.dice)
                first = None
            kind: EventKind = _WORDS[type(action)]
            value = after.offer if kind in ("double", "beaver", "raccoon") else 0
            yield Event(kind, player, before, value=value, is_automatic=automatic)
    if first is not None:
        yield Event("rolled", int(first.on_roll or 0), first, first.dice)
