"""What can go wrong on the panel link, one exception a cause. Ordinary line damage is counted, not raised."""

from __future__ import annotations


class LinkError(Exception):
    """The root of everything that firmware_bridge raises."""


class FrameError(LinkError):
    """Bytes that are no frame: bad COBS, bad checksum, too short or too long."""


class MessageError(LinkError):
    """A whole frame that is no message of this session: check, type, length or a field is wrong."""
