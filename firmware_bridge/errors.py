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


class PortError(LinkError):
    """The serial device cannot be used as it is; each subclass names the cause, the text the remedy."""


class PortAbsentError(PortError):
    """Nothing is at the path."""


class PortNotSerialError(PortError):
    """What is at the path is no terminal device."""


class PortBusyError(PortError):
    """Another program holds the device."""


class PortDeniedError(PortError):
    """This user may not open the device."""


class PortFailedError(PortError):
    """The device failed while it was opened or used."""


class FlashError(LinkError):
    """The firmware could not be written to the board."""
