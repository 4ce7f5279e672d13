"""Enrolling the table's own dice."""

from __future__ import annotations

from dicetable.texts.counting import dice_count

SHOW_EMPTY = "Take everything out of the tray."


def show_face(kind: str, value: int) -> str:
    """What to lay under the camera to enrol it."""
    return f"Lay the {kind} in the tray, {value} counting, and take your hand away."


def show_one(count: int) -> str:
    """Something else than one die lies under the camera."""
    if count == 0:
        return "No die is seen. If one lies there, move it a little."
    return f"{dice_count(count)} are seen: lay one alone."


def looks_like(kind: str, value: int) -> str:
    """The die seems to show another face than was asked for."""
    return f"That looks like the {value} of a {kind}. If it is right all the same, lay it there once more."
