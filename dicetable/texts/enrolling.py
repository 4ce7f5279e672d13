"""Enrolling the table's own dice."""

from __future__ import annotations

from dicetable.texts.catalogue import tr
from dicetable.texts.counting import dice_count

SHOW_EMPTY = tr("Take everything out of the tray.")


def show_face(kind: str, value: int) -> str:
    """What to lay under the camera to enrol it."""
    return tr("Lay the {kind} in the tray, {value} counting, and take your hand away.").format(
        kind=kind, value=value
    )


def show_one(count: int) -> str:
    """Something else than one die lies under the camera."""
    if count == 0:
        return tr("No die is seen. If one lies there, move it a little.")
    return tr("{count} are seen: lay one alone.").format(count=dice_count(count))


def looks_like(kind: str, value: int) -> str:
    """The die seems to show another face than was asked for."""
    return tr(
        "That looks like the {value} of a {kind}. If it is right all the same, lay it there once more."
    ).format(value=value, kind=kind)
