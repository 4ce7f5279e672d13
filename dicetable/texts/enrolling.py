"""Enrolling the table's own dice."""

from __future__ import annotations

from dicetable.texts.catalogue import tr
from dicetable.texts.counting import dice_count

UNUSABLE = tr("The table's own dice cannot be used.")
NOT_LEARNED = tr("The table can't save what it learns about its own dice.")
SHOW_EMPTY = tr("Take everything out of the tray.")


def show_face(kind: str, value: int) -> str:
    """What to lay under the camera to enrol it."""
    return tr("Put the {kind} in the tray so that {value} counts, and take your hand away.").format(
        kind=kind, value=value
    )


def show_one(count: int) -> str:
    """The camera sees no die, or more than one."""
    if count == 0:
        return tr("I see no die. If there is one, nudge it.")
    return tr("I see {count}: leave only one in the tray.").format(count=dice_count(count))


def looks_like(kind: str, value: int) -> str:
    """The die seems to show another face than was asked for."""
    return tr("That looks like the {value} of a {kind}. If that's right, put it down again.").format(
        value=value, kind=kind
    )
