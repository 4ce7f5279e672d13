"""Opens the panel's serial device exclusively, and detects when it has changed. Linux only."""

from __future__ import annotations

import errno
import fcntl
import os
import termios
from pathlib import Path

import serial

from firmware_bridge.errors import (
    PortAbsentError,
    PortBusyError,
    PortDeniedError,
    PortError,
    PortFailedError,
    PortNotSerialError,
)

BAUD = 115200
LONGEST = 200
"""Longest text of an unexpected error that is reported, in characters."""
BY_CAUSE: dict[int, type[PortError]] = {
    errno.ENOENT: PortAbsentError,
    errno.ENODEV: PortAbsentError,
    errno.ENXIO: PortAbsentError,
    errno.ENOTTY: PortNotSerialError,
    errno.EBUSY: PortBusyError,
    errno.EAGAIN: PortBusyError,
    errno.EACCES: PortDeniedError,
    errno.EPERM: PortDeniedError,
}
REMEDIES = {
    PortAbsentError: "no such device: plug the panel in, or correct its path (ls /dev/serial/by-id)",
    PortNotSerialError: "not a serial device: correct the panel's path in the config (ls /dev/serial/by-id)",
    PortBusyError: "in use by another program: stop it",
    PortDeniedError: "permission denied: add the user to the group dialout and log in again",
}


def identity(path: Path) -> tuple[int, int, int] | None:
    """Identifies the device that a path leads to now, to compare it later; None if there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_rdev, found.st_dev, found.st_ino


def holder(device: Path) -> str | None:
    """The name and process id of another program that has the device open, if this user may see it."""
    real = device.resolve()
    for process in Path("/proc").glob("[0-9]*"):
        if int(process.name) == os.getpid():
            continue
        try:
            if any(link.readlink() == real for link in (process / "fd").iterdir()):
                return f"{(process / 'comm').read_text(errors='replace').strip()} (process {process.name})"
        except OSError:
            continue  # it has just exited, or belongs to another user
    return None


def port_error(path: Path, error: Exception) -> PortError:
    """The exception class and text for an error of the operating system."""
    if not isinstance(error, OSError):
        return PortFailedError(f"{path}: {type(error).__name__}: {' '.join(str(error).split())[:LONGEST]}")
    cause = BY_CAUSE.get(error.errno or 0, PortFailedError)
    taken_by = holder(path) if cause is PortBusyError else None
    remedy = f"in use by {taken_by}: stop it" if taken_by else REMEDIES.get(cause, error)
    return cause(f"{path}: {remedy}")


def open_port(path: Path) -> serial.Serial:
    """Opens the device at the path: 115200 baud 8N1, non-blocking, exclusive. Raises PortError."""
    try:
        # Kept open until pyserial has it too, so that a board that resets at every opening resets only once.
        look = os.open(path, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
    except IsADirectoryError:
        raise port_error(path, OSError(errno.ENOTTY, "a folder")) from None
    except OSError as error:
        raise port_error(path, error) from error
    try:
        if not os.isatty(look):
            raise port_error(path, OSError(errno.ENOTTY, "not a terminal"))
        if holder(path) is not None:
            raise port_error(path, OSError(errno.EBUSY, "open elsewhere"))
        port = serial.Serial(str(path), BAUD, timeout=0, write_timeout=0, exclusive=True)
        try:
            fcntl.ioctl(port.fileno(), termios.TIOCEXCL)
        except Exception:
            port.close()  # an error that keeps the port alive would block later openings
            raise
    except PortError:
        raise
    except Exception as error:
        raise port_error(path, error) from error
    finally:
        os.close(look)
    return port


def is_still(port: serial.Serial, path: Path) -> bool:
    """Whether the path still leads to the open device; a replugged board may have another name."""
    try:
        return os.fstat(port.fileno()).st_rdev == path.stat().st_rdev
    except OSError:
        return False
