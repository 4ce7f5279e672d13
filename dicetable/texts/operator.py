"""The operator page, `/operator`: what it shows, and why it refuses."""

from __future__ import annotations

from typing import Final

from dicetable.texts.catalogue import tr
from dicetable.texts.operator_pages import PAGE, SCRIPT

__all__ = ["PAGE", "SCRIPT"]

# Why something is refused.
NEEDS_TLS: Final = tr(
    "From other machines this page needs TLS: set tls_cert and tls_key in [web], "
    "or operator_plain_http = true on a network that you trust."
)
FOREIGN: Final = tr("This request did not come from a page of this table: reload the page.")
MALFORMED: Final = tr("This request cannot be understood: reload the page and try again.")
TOO_LARGE: Final = tr("This request is too large.")
TOO_OFTEN: Final = tr("Too many requests at once: wait a moment and try again.")
LOGGED_OUT: Final = tr("You are logged out: log in again.")
REPLAYED: Final = tr("This was sent before, or the page is out of date: nothing was done. Try again.")
NOTHING: Final = tr("Not found.")
TABLE_AWAY: Final = tr("The table does not answer now: its service may be starting.")
TOO_MANY_CODES: Final = tr("Too many code requests: wait two minutes and try again.")
NOWHERE_TO_SHOW: Final = tr(
    "No code can be shown: the table has no display of its own that works now, and no other is paired. "
    "Open this page on the machine itself, or pair a display."
)
WRONG_CODE: Final = tr("This code is wrong or has expired: ask for a new one.")
WRONG_BOTH: Final = tr("Code or passphrase is wrong, or the code has expired.")
NOT_PAIRED: Final = tr("This display is not paired.")
UNPAIRED: Final = tr("No display is paired any more.")
LOGIN_CODE: Final = tr("Operator login:")
NO_FILE: Final = tr("The table runs without a config file, so there is nothing to change.")
NO_HELPER: Final = tr(
    "The helper that saves settings does not answer: systemctl start dicetable-settings.socket, "
    "or change the file on the machine itself."
)
TOO_SLOW: Final = tr("This took too long and was stopped: try again.")
TOO_MUCH: Final = tr("The answer is too large to be shown.")
FAILED: Final = tr("This could not be done because of an internal fault; the log says more.")
NO_JOURNAL: Final = tr("This machine has no system journal: see the terminal in which the table runs.")

# What the table refuses.
GAME_RUNS: Final = tr("A game is being played: end it first, or wait until it is over.")
NO_GAME: Final = tr("No game is being played.")
NOT_PAUSED: Final = tr("The game is not paused.")
MENU_OPEN: Final = tr("A player has a menu open: wait until it is closed.")
NO_SUCH_GAME: Final = tr("There is no such game, or no such seat: reload the page.")
NO_SUCH_DIE: Final = tr("One of these dice has no such face.")
NOT_WRITTEN: Final = tr("It could not be saved in the ledger; the panel says why.")
NOT_CONFIRMED: Final = tr("No seat at the table has confirmed it: nothing was changed.")

# What the eye refuses, and its meters.
NO_EYE: Final = tr("The camera's process does not answer now: it may be starting.")
EYE_BUSY: Final = tr("The camera's process is still busy with the previous request: try again in a moment.")
LOOK_FIRST: Final = tr("Look at the empty tray first, and fix what prevents the calibration.")
NO_FOLDER: Final = tr("This table has no folder to save it in.")
EMPTY_FIRST: Final = tr("Start with the empty tray.")
NO_FACES: Final = tr("No face has been captured yet.")
SURE: Final = tr("the reading is sure")
MARKERS_SEEN: Final = tr("all four markers are in view")
METERS: Final = {"focus": tr("Focus"), "light": tr("Light"), "glare": tr("Glare"), "size": tr("Size")}
DONE: Final = {
    "start": tr("The game has begun."),
    "pause": tr("The game is paused."),
    "resume": tr("The game continues."),
    "end": tr("The game has ended."),
    "correct": tr("Confirmed at the table: the throw is corrected."),
    "restart": tr("The service is restarting."),
    "off": tr("The table is being switched off."),
}


def brightness(mean: float) -> str:
    """How bright the whole picture is."""
    return tr("mean brightness {mean:.0f} of 255").format(mean=mean)


def on_panel(code: str) -> str:
    """The last line of the panel while somebody logs in: twenty characters."""
    return tr("Operator: {code}").format(code=code)


def throw_showed(dice: str) -> str:
    """What the seats are asked when the operator corrects a throw."""
    return tr("It showed {dice}?").format(dice=dice)


def eye_failed(why: str) -> str:
    """The eye could not answer a question."""
    return tr("This could not be done: {why}.").format(why=why[:120])


def no_program(name: str, why: str) -> str:
    """A program cannot be started."""
    return tr("{name} cannot be started: {why}.").format(name=name, why=why)


# Saving the config.
FILE_CHANGED: Final = (tr("was changed meanwhile"), tr("reload the page to see it"))
TOO_MANY_CHANGES: Final = (tr("has too many changes at once"), tr("save some of them first"))
MEND_BY_HAND: Final = tr("change it in the file, on the machine itself")


def no_such_setting(key: str) -> tuple[str, str]:
    """The page names a setting that does not exist, and the remedy."""
    return tr("{key!r} is not a setting").format(key=key[:60]), tr("reload the page")


def read_only_setting(key: str) -> tuple[str, str]:
    """The page may not change this, and the remedy."""
    return tr("{key} cannot be changed on this page").format(key=key), MEND_BY_HAND


def not_attached(name: str) -> tuple[str, str]:
    """A device was chosen that is not there, and the remedy."""
    return tr("{name!r} is not attached to this machine").format(name=name[:80]), tr(
        "plug it in and look again"
    )


def pi_camera(number: int) -> str:
    """A camera module of the Raspberry Pi."""
    return tr("Raspberry Pi camera {number}").format(number=number)


NOT_YET: Final = tr("nothing yet")
NO_THERMOMETER: Final = tr("no thermometer")


PHONES: Final = tr("Phones")
PHONES_DETAIL: Final = tr("each player's own phone, or one tablet: nothing to solder")
ANY_DICE: Final = tr("Any dice")
OWN_DICE: Final = tr("Only the enrolled dice")


def not_saved(why: str) -> str:
    """The config could not be written."""
    return tr("The config could not be saved: {why}. Nothing was changed.").format(why=why)


# At a terminal.
PAIRED: Final = tr("The display is paired and will show login codes.")
UNKNOWN_CODE: Final = tr("dicetable gateway: no display shows this code now: show a new one")
NO_GATEWAY: Final = tr(
    "dicetable gateway: no gateway runs on this machine: systemctl start dicetable-gateway"
)
PAIR_AS_ROOT: Final = tr("dicetable gateway: only root may pair displays of the installed table: use sudo")
FIRST_TIME: Final = tr("Passphrase: ")
AGAIN: Final = tr("Repeat it: ")
NOT_THE_SAME: Final = tr("dicetable gateway: the two differ: try again")


def passphrase_length(least: int, most: int) -> str:
    """A passphrase is too short or too long."""
    return tr(
        "dicetable gateway: a passphrase must have {least} to {most} characters: choose another"
    ).format(least=least, most=most)


MENU_LABEL: Final = tr("Pages")
LOG_OUT: Final = tr("Log out")
MENU: Final = {
    "overview": tr("Table"),
    "set_up": tr("Set up"),
    "camera": tr("Camera"),
    "calibrate": tr("Calibrate"),
    "enrol": tr("Enrol dice"),
    "health": tr("Health"),
    "ledger": tr("Ledger"),
    "settings": tr("Settings"),
}
