"""Errors of the panel link, one exception per cause. Ordinary line damage is counted, not raised."""


class LinkError(Exception):
    """The base class of all exceptions of firmware_bridge."""


class FrameError(LinkError):
    """Bytes that are not a frame: bad COBS, bad checksum, too short or too long."""


class MessageError(LinkError):
    """A complete frame that is not a message of this session: check, type, length or a field is wrong."""


class RefusedError(LinkError):
    """The board answers, but the host cannot work with it."""


class VersionMismatchError(RefusedError):
    """There is no protocol version that both ends speak."""


class BoardMismatchError(RefusedError):
    """The board is of another kind than the config expects, or has too few inputs or lamps."""


class PortError(LinkError):
    """The serial device cannot be used; each subclass names the cause, the text the remedy."""


class PortAbsentError(PortError):
    """There is nothing at the path."""


class PortNotSerialError(PortError):
    """The path is not a serial device."""


class PortBusyError(PortError):
    """Another program uses the device."""


class PortDeniedError(PortError):
    """This user may not open the device."""


class PortFailedError(PortError):
    """The device failed while it was being opened or used."""


class FlashError(LinkError):
    """The firmware could not be written to the board."""
