"""What keeps the table from reading dice or from playing on, and how to mend it."""

from __future__ import annotations

PARTS = {"camera": "CAMERA", "panel": "PANEL", "journal": "MEMORY"}
"""What a part in trouble is called."""

EYE = {
    "moving": "Rolling...",
    "hand": "Please take your hand out of the tray.",
    "unlit": "Too dark to read the dice: switch the light on.",
    "camera_moved": "The camera moved: put it back, or calibrate it.",
    "markers": "A corner marker is hidden: uncover it.",
}
"""By dicetable.eye.messages.Why."""

CAMERA_SILENT = "The camera gives no pictures."
CAMERA_SILENT_REMEDY = "check the camera's cable; `dicetable doctor` says more"
EYE_LOST = "The camera's program stopped and is restarting."
EYE_LOST_REMEDY = "wait a moment; if it does not come back, see `dicetable doctor`"

SAFE_TEXT = "SAFE MODE: I crashed three times."
SAFE_ITEMS = {"resume": "Resume the game", "new": "New game", "off": "Power off"}
DAMAGED = "The saved game is damaged."


BAD_CONFIG_REMEDY = "correct it, try it with `dicetable check-config`, then restart the table"


def bad_config(where: str, what: str) -> str:
    """The config cannot be used: the first mistake in it; `where` is empty if it is the file as a whole."""
    return f"The config {what}" if not where else f"The config is wrong: {where} {what}"


def in_trouble(part: str) -> str:
    """The heading over what is wrong with a part."""
    return f"{PARTS.get(part, part.upper())} TROUBLE"


def fewer_seats(place: int, seats: int) -> str:
    """Somebody plays at a seat that the table does not have any more."""
    return f"Seat {place} plays, but the table has {seats}: resume without it?"
