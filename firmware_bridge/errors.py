"""What can go wrong on the panel link, one exception a cause. Ordinary line damage is counted, not raised."""

from __future__ import annotations


class LinkError(Exception):
    """The root of everything that firmware_bridge raises."""


class FrameError(LinkError):
    """Bytes that are no frame: bad COBS, bad checksum, too short or too long."""


class MessageError(LinkError):
    """A whole frame that is no message of this session: check, type, length or a field is wrong."""


class RefusedError(LinkError):
    """The board answers, and the host will not work with it as it is."""


class VersionMismatchError(RefusedError):
    """No protocol version is spoken by both ends."""


class BoardMismatchError(RefusedError):
    """It is another kind of board than the configuration expects, or has too few inputs or lamps."""
