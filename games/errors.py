"""Why a request is refused: one small tree by cause. Each class carries the code that the protocol shows."""

from __future__ import annotations

from typing import ClassVar


class RuleError(Exception):
    """A request that was refused. Nothing has changed; `code` names the cause, the text says it in words."""

    code: ClassVar[str] = ""


class BadRequest(RuleError):
    """The request has not the shape of a request, or an action has not the fields of its type."""

    code = "bad_request"


class UnknownGame(RuleError):
    """There is no game of that name."""

    code = "unknown_game"


class BadOption(RuleError):
    """An option or the list of seats does not suit the game."""

    code = "bad_option"


class NoGame(RuleError):
    """No game has been started."""

    code = "no_game"


class GameOver(RuleError):
    """The game is over and takes no more requests."""

    code = "game_over"


class NotNow(RuleError):
    """Dice came where an action is awaited, or an action where dice are."""

    code = "not_now"


class NotYourTurn(RuleError):
    """Another seat is to act, or there is no such seat."""

    code = "not_your_turn"


class IllegalAction(RuleError):
    """The action is not offered, or its value lies outside what is offered."""

    code = "illegal_action"


class WrongDice(RuleError):
    """Wrong number of dice, a wrong kind, or a face that the die does not have."""

    code = "wrong_dice"


class Stale(RuleError):
    """The answer was given to an earlier revision of the match."""

    code = "stale"


class BadCorrection(RuleError):
    """The revision to be corrected is not a throw that still counts."""

    code = "bad_correction"


class BadLog(RuleError):
    """The records are not the log of a match; the text says which line."""

    code = "bad_log"
