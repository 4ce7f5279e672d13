"""Nobody knows all that a driver's library may raise. It becomes a trouble, never the end of a part."""

from __future__ import annotations

import logging
from typing import Final

from hardware.ports import Trouble

REMEDY: Final = "check its cable, then start the machine anew; the log has more (journalctl -u dicetable)"
LONGEST: Final = 200
"""Characters of an exception's text that are reported."""

log = logging.getLogger(__name__)


def one_line(error: BaseException) -> str:
    """What an exception says, in one line of bounded length; its type if it says nothing."""
    return " ".join(str(error).split())[:LONGEST] or type(error).__name__


def unforeseen(part: str, error: Exception, known: Trouble | None = None) -> Trouble:
    """The trouble of a part whose library raised something that its driver does not know.

    The traceback goes to the log, unless the part has this trouble already (`known`): drivers try again and
    again.
    """
    trouble = Trouble(f"{part} failed with {type(error).__name__}: {one_line(error)}", REMEDY)
    if trouble != known:
        log.warning("unforeseen=%r", trouble.what, exc_info=error)
    return trouble
