"""The operator page, `/operator`: what it shows, and why it refuses."""

from __future__ import annotations

from typing import Final

from dicetable.texts.operator_pages import PAGE, SCRIPT

__all__ = ["PAGE", "SCRIPT"]

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
NO_FILE: Final = "The table runs without a config file: there is nothing to change."
NO_HELPER: Final = (
    "The helper that saves settings does not answer: systemctl start dicetable-settings.socket, "
    "or change the file on the machine itself."
)
TOO_SLOW: Final = "This took too long and was given up: try again."
TOO_MUCH: Final = "The answer is too large to be shown."
FAILED: Final = "This could not be done because of a fault of the program; its log says more."
NO_JOURNAL: Final = "This machine has no journal of the services here: see the table's own terminal."

# What the table refuses.
GAME_RUNS: Final = "A game is being played: end it first, or wait until it is over."
NO_GAME: Final = "No game is being played."
NOT_PAUSED: Final = "The game is not paused."
MENU_OPEN: Final = "Somebody at the table is in a menu: wait until it is closed."
NO_SUCH_GAME: Final = "There is no such game, or no such seat: open the page anew."
NO_SUCH_DIE: Final = "One of these dice has no such face."
NOT_WRITTEN: Final = "It could not be written into the ledger; the panel says why."
NOT_CONFIRMED: Final = "No seat at the table has confirmed it: nothing was changed."

# What the eye refuses, and its meters.
NO_EYE: Final = "The camera's process does not answer now: it may be starting."
EYE_BUSY: Final = "The camera's process is still busy with what was asked before: try again in a moment."
LOOK_FIRST: Final = "Look at the empty tray first, and mend what stops the calibration."
NO_FOLDER: Final = "This table has no folder to keep it in."
EMPTY_FIRST: Final = "Begin with the empty tray."
NO_FACES: Final = "No face was taken yet."
SURE: Final = "it is read for sure"
MARKERS_SEEN: Final = "all four markers are known"
METERS: Final = {"focus": "Focus", "light": "Light", "glare": "Glare", "size": "Size"}
DONE: Final = {
    "start": "The game has begun.",
    "pause": "The game is paused.",
    "resume": "The game goes on.",
    "end": "The game is ended.",
    "correct": "Confirmed at the table: the throw is corrected.",
    "restart": "The service starts anew.",
    "off": "The table is being switched off.",
}


def brightness(mean: float) -> str:
    """How bright the whole picture is."""
    return f"the picture is {mean:.0f} of 255 bright"


def on_panel(code: str) -> str:
    """The last line of the panel while somebody logs in: twenty characters."""
    return f"Operator: {code}"


def throw_showed(dice: str) -> str:
    """What the seats are asked when the operator corrects a throw."""
    return f"It showed {dice}?"


def eye_failed(why: str) -> str:
    """A question could not be answered."""
    return f"This could not be done: {why[:120]}."


def not_kept(file: str, why: str) -> str:
    """A file could not be written."""
    return f"{file} cannot be written: {why}."


def no_program(name: str, why: str) -> str:
    """A program cannot be started."""
    return f"{name} cannot be started: {why}."


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


# At a terminal.
PAIRED: Final = "The display is paired: it shows codes over its page."
UNKNOWN_CODE: Final = "dicetable gateway: no display shows this code now: have it show a new one"
NO_GATEWAY: Final = "dicetable gateway: no gateway runs on this machine: systemctl start dicetable-gateway"
PAIR_AS_ROOT: Final = "dicetable gateway: only root may pair displays of the installed table: use sudo"
FIRST_TIME: Final = "Passphrase: "
AGAIN: Final = "Once more: "
NOT_THE_SAME: Final = "dicetable gateway: these are not the same: try again"


def passphrase_length(least: int, most: int) -> str:
    """A passphrase is too short or too long."""
    return f"dicetable gateway: a passphrase has {least} to {most} characters: choose another"


MENU_LABEL: Final = "Pages"
LOG_OUT: Final = "Log out"
MENU: Final = {
    "overview": "Table",
    "camera": "Camera",
    "calibrate": "Calibrate",
    "enrol": "Enrol dice",
    "health": "Health",
    "ledger": "Ledger",
    "settings": "Settings",
}
