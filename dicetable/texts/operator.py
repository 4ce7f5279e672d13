"""The operator page, `/operator`: what it shows, and why it refuses."""

from __future__ import annotations

from typing import Final

# Why something is refused.
NEEDS_TLS: Final = (
    "From other machines this page needs TLS: set tls_cert and tls_key in [web], "
    "or operator_plain_http = true on a network that you trust."
)
FOREIGN: Final = "This request did not come from a page of this table: open the page anew."
MALFORMED: Final = "This request cannot be understood: open the page anew and try again."
TOO_LARGE: Final = "This request is too large."
TOO_OFTEN: Final = "Too much is asked at once: wait a moment and try again."
LOGGED_OUT: Final = "You are logged out: log in again."
REPLAYED: Final = "This was sent before, or the page is old: it was not done. Try again."
NOTHING: Final = "There is no such thing."
TABLE_AWAY: Final = "The table does not answer now: its service may be starting."
TOO_MANY_CODES: Final = "Too many codes were asked for: wait two minutes and try again."
NOWHERE_TO_SHOW: Final = (
    "The table does not answer and no display is paired, so no code can be shown. "
    "Open this page on the machine itself, or pair a display."
)
WRONG_CODE: Final = "This code is wrong, or its time is over: have a new one shown."
WRONG_BOTH: Final = "Code or passphrase is wrong, or the code's time is over."
NOT_PAIRED: Final = "This display is not paired."
UNPAIRED: Final = "No display is paired any more."
LOGIN_CODE: Final = "Operator login:"

# Saving the config.
FILE_CHANGED: Final = ("was changed meanwhile", "open the page anew to see it")
TOO_MANY_CHANGES: Final = ("holds too many changes at once", "save some of them first")
MEND_BY_HAND: Final = "change it in the file, on the machine itself"


def no_such_setting(key: str) -> tuple[str, str]:
    """The page names a setting that does not exist, and the remedy."""
    return f"{key[:60]!r} is no setting", "open the page anew"


def read_only_setting(key: str) -> tuple[str, str]:
    """The page may not change this, and the remedy."""
    return f"{key} cannot be changed on this page", MEND_BY_HAND


def not_saved(why: str) -> str:
    """The config could not be written."""
    return f"The config could not be saved: {why}. Nothing was changed."
