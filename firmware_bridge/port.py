"""Opening the panel's serial device, for us alone, and noticing when it has changed. Linux only."""

from __future__ import annotations

import errno
import fcntl
import os
import stat
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
    """What device a path leads to now, to compare with later answers; None if to nothing."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_rdev, found.st_ino, found.st_ctime_ns if stat.S_ISREG(found.st_mode) else 0


def holder(device: Path) -> str | None:
    """The name and process id of another program that has the device open, as far as this user may see."""
    real = device.resolve()
    for process in Path("/proc").glob("[0-9]*"):
        if int(process.name) == os.getpid():
            continue
        try:
            if any(link.readlink() == real for link in (process / "fd").iterdir()):
                return f"{(process / 'comm').read_text(encoding='utf-8').strip()} (process {process.name})"
        except OSError:
            continue  # it has just ended, or is another user's
    return None


def port_error(path: Path, error: OSError) -> PortError:
    """The named cause behind an error of the operating system."""
    code = error.errno if error.errno is not None else getattr(error.__cause__, "errno", None)
    cause = BY_CAUSE.get(code or 0, PortFailedError)
    return cause(f"{path}: {REMEDIES.get(cause, error)}")


def open_port(path: Path) -> serial.Serial:
    """The device at the path: 115200 baud 8N1, not blocking, ours alone; PortError if it cannot be had."""
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise port_error(path, error) from error
    if not stat.S_ISCHR(mode):
        raise PortNotSerialError(f"{path}: {REMEDIES[PortNotSerialError]}")
    taken_by = holder(path)
    if taken_by is not None:
        raise PortBusyError(f"{path}: in use by {taken_by}: stop it")
    try:
        port = serial.Serial(str(path), BAUD, timeout=0, write_timeout=0, exclusive=True)
    except termios.error as error:
        raise PortNotSerialError(f"{path}: {REMEDIES[PortNotSerialError]}") from error
    except serial.SerialException as error:
        raise port_error(path, error) from error
    try:
        fcntl.ioctl(port.fileno(), termios.TIOCEXCL)
    except OSError as error:
        port.close()
        raise port_error(path, error) from error
    return port


def is_still(port: serial.Serial, path: Path) -> bool:
    """Whether the path still leads to the open device; a board that came back may have another name."""
    try:
        return os.fstat(port.fileno()).st_rdev == path.stat().st_rdev
    except OSError:
        return False
