"""What keeps the table from reading dice or from playing on, and how to mend it."""

from __future__ import annotations

from dicetable.texts.catalogue import tr

PARTS = {"camera": tr("CAMERA"), "panel": tr("PANEL"), "journal": tr("MEMORY"), "dice": tr("DICE")}
"""What a part is called on the panel."""

GUESTS = {
    "camera": tr("The table can't see the dice right now."),
    "panel": tr("The buttons don't answer right now."),
    "journal": tr("The game waits: the table can't save it right now."),
}
"""By part: what guests are told while it fails. Of other parts they need to know nothing."""

EYE = {
    "moving": tr("Rolling..."),
    "hand": tr("Please take your hand out of the tray."),
    "unlit": tr("Too dark to read the dice: switch the light on."),
    "camera_moved": tr("The camera moved: put it back, or calibrate it."),
    "markers": tr("A corner marker is hidden: uncover it."),
}
"""By vision.observation.Reason."""

CAMERA_SILENT = tr("No picture from the camera.")
CAMERA_SILENT_REMEDY = tr("check the camera's cable; `dicetable doctor` says more")
EYE_LOST = tr("The camera's program stopped and is restarting.")
EYE_LOST_REMEDY = tr("wait a moment; if it does not come back, see `dicetable doctor`")

SAFE_TEXT = tr("SAFE MODE: I crashed three times.")
SAFE_ITEMS = {"resume": tr("Resume the game"), "new": tr("New game"), "off": tr("Power off")}
DAMAGED = tr("The saved game is damaged.")


BAD_CONFIG_REMEDY = tr("correct it, try it with `dicetable check-config`, then restart the table")


def bad_config(where: str, what: str) -> str:
    """The config cannot be used: the first mistake in it; `where` is empty if it is the file as a whole."""
    if not where:
        return tr("The config {what}").format(what=what)
    return tr("The config is wrong: {where} {what}").format(where=where, what=what)


def degraded(part: str) -> str:
    """The heading over what is wrong with a part."""
    return tr("{part} TROUBLE").format(part=PARTS.get(part, part.upper()))


def fewer_seats(seat: int, seats: int) -> str:
    """Somebody plays at a seat that the table does not have any more."""
    return tr("Seat {seat} plays, but the table has {seats}: resume without it?").format(
        seat=seat, seats=seats
    )
