"""All exceptions of bgcore. Imports nothing, so every room may use it."""


class BgcoreError(ValueError):
    """Base of everything that bgcore raises for bad input.

    The message says what was wrong, where, and what would be right.
    """


class BoardError(BgcoreError):
    """A board, or an array of boards, is impossible or has the wrong form."""


class IdError(BgcoreError):
    """A position ID, match ID or XGID cannot be read."""


class DrawingError(BgcoreError):
    """A picture cannot be drawn."""


class DiceError(BgcoreError):
    """Dice are out of range or have the wrong form."""


class PlayError(BgcoreError):
    """Base of the errors about plays."""


class InvalidPlayError(PlayError):
    """The text of a play cannot be read."""


class IllegalPlayError(PlayError):
    """The rules do not allow this play or step."""


class AmbiguousPlayError(PlayError):
    """The text of a play fits several legal plays."""


class VariantError(BgcoreError):
    """Rules of a game or house rules that make no sense, or a state that does not fit them."""


class AmbiguousVariantError(VariantError):
    """The name means several games; the message lists them."""


class OutputBufferError(BgcoreError):
    """A caller's buffer is too small or has the wrong form."""


class TableError(BgcoreError):
    """A bear-off table cannot be built, stored or read."""


class NetError(BgcoreError):
    """A net's file cannot be read or does not fit."""


class EvaluatorError(BgcoreError):
    """There is no such player, or an evaluator, policy or player returned something unusable."""


class ArenaError(BgcoreError):
    """Games of two players were asked for with settings that make no sense."""


class RolloutError(BgcoreError):
    """A rollout was asked for with settings that make no sense."""


class TrainingError(BgcoreError):
    """A training run was asked for with settings that make no sense, or a checkpoint is bad."""


class RulesError(BgcoreError):
    """Rules, a cube or a score that cannot be, or that rule books exclude."""


class GameError(BgcoreError):
    """The rules forbid this action now; the message says which rule. Nothing was changed."""


class RecordError(BgcoreError):
    """A record of a game, match or session cannot be read or replayed."""


class FileFormatError(BgcoreError):
    """A file of matches cannot be read, or something in it, or a match cannot be written so."""


class MatchEquityError(BgcoreError):
    """A match equity table cannot be read, or there is no such score."""


class BgcoreWarning(UserWarning):
    """Something did not work as it should but the result is right all the same."""
