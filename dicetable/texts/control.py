"""Answers of the table to requests of the gateway that it refuses."""

from __future__ import annotations

from typing import Final

from dicetable.texts.catalogue import tr

UNKNOWN: Final = tr("The table does not know this request: it may be older than the gateway.")
BUSY: Final = tr("The table is still busy with earlier requests: try again in a moment.")
TOO_OFTEN: Final = tr("Too many requests: try again in a moment.")
FAILED: Final = tr("The table could not do this because of an internal fault; its log says more.")
NOT_PLAIN: Final = tr("The request is nested too deeply, or its text contains half a character.")


def bad_payload(where: str, what: str) -> str:
    """A field of a request that is wrong."""
    return f"{where}: {what[:1].lower()}{what[1:]}."
