"""Handles unexpected exceptions of a driver's library: they degrade a part and never end it."""

from __future__ import annotations

import logging
from typing import Final

from hardware.ports import Degraded

REMEDY: Final = "check its cable, then start the machine anew; the log has more (journalctl -u dicetable)"
LONGEST: Final = 200
"""Longest text of an exception that is reported, in characters."""

log = logging.getLogger(__name__)


def one_line(error: BaseException) -> str:
    """An exception's text in one line of bounded length, or its type if it has no text."""
    return " ".join(str(error).split())[:LONGEST] or type(error).__name__


def unforeseen(part: str, error: Exception, known: Degraded | None = None) -> Degraded:
    """The state of a part whose library raised an exception that its driver does not know.

    The traceback is logged, unless the part is in this state already (`known`), because drivers keep
    retrying.
    """
    degraded = Degraded(f"{part} failed with {type(error).__name__}: {one_line(error)}", REMEDY)
    if degraded != known:
        log.warning("unforeseen=%r", degraded.what, exc_info=error)
    return degraded
