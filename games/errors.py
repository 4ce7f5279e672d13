"""The reasons for refusing a request, by cause. Each class has the code that the protocol shows."""

from typing import ClassVar


class RuleError(Exception):
    """A request was refused and nothing has changed; `code` names the cause, the text explains it."""

    code: ClassVar[str] = ""


class BadRequest(RuleError):
    """The request is malformed, or an action does not have the fields of its type."""

    code = "bad_request"


class UnknownGame(RuleError):
    """There is no game of that name."""

    code = "unknown_game"


class BadOption(RuleError):
    """An option or the list of seats is not valid for the game."""

    code = "bad_option"


class NoGame(RuleError):
    """No game has been started."""

    code = "no_game"


class GameOver(RuleError):
    """The game is over and takes no more requests."""

    code = "game_over"


class NotNow(RuleError):
    """Dice were sent while an action is expected, or an action while dice are expected."""

    code = "not_now"


class NotYourTurn(RuleError):
    """Another seat is to act, or there is no such seat."""

    code = "not_your_turn"


class IllegalAction(RuleError):
    """The action is not offered, or its value is outside the offered range."""

    code = "illegal_action"


class WrongDice(RuleError):
    """Wrong number of dice, a wrong kind, or a face that the die does not have."""

    code = "wrong_dice"


class RuleFails(RuleError):
    """A rule of a game from outside raised an error of its own; the request is refused."""

    code = "rule_fails"


class Stale(RuleError):
    """The answer was given to an earlier revision of the match."""

    code = "stale"


class BadCorrection(RuleError):
    """The revision to be corrected is not a throw that is still in force."""

    code = "bad_correction"


class BadLog(RuleError):
    """The entries are not a valid log of a match; the text names the line."""

    code = "bad_log"
