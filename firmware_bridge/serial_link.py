"""Carries a host session over a serial device on the asyncio loop, and reconnects for ever.

It never raises because of what a device does: a port that fails is reported as ``PortFailed`` with its cause,
and the link recovers by itself. It does not interpret messages; the session does.
"""

import asyncio
import errno
import fcntl
import os
import termios
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from random import Random

import serial

from firmware_bridge.errors import (
    LinkError,
    PortAbsentError,
    PortBusyError,
    PortDeniedError,
    PortError,
    PortFailedError,
    PortNotSerialError,
)
from firmware_bridge.host_session import HostEvent, HostSession, Linked, Lost
from firmware_bridge.messages import BoardLamp

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
FIRST_RETRY_S = 0.25
MOST_RETRY_S = 2.0
JITTER = 0.25  # waits are lengthened by up to this fraction, so that hosts do not stay in step
WATCH_S = 0.1  # how often the path is checked: a device that appears there is opened at once
READ_BYTES = 4096
RECENT = 60  # how many pieces of traffic are stored for display
RECENT_BYTES = 64
SILENT_S = 10.0  # a board that was linked and is then silent for this long has hung


def identity(path: Path) -> tuple[int, int, int] | None:
    """Identifies the device that a path leads to now, to compare it later; None if there is none."""
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_rdev, status.st_dev, status.st_ino


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


@dataclass(frozen=True, slots=True)
class PortFailed:
    """The serial device cannot be used, for this reason; reported once per reason."""

    reason: PortError


@dataclass(frozen=True, slots=True)
class PortOpened:
    """The serial device is open; the session reports whether a board answers."""


LinkEvent = HostEvent | PortFailed | PortOpened


class SerialLink:
    """One panel at one path, preferably in /dev/serial/by-id. Calls ``on_event`` on the loop."""

    def __init__(
        self, path: Path, session: HostSession, on_event: Callable[[LinkEvent], None], random: Random
    ) -> None:
        self.session = session
        self._path = path
        self._owner = on_event
        self._closed = False
        self._random = random
        self._port: serial.Serial | None = None
        self._error: PortError | None = None
        self._unwritten = b""
        self._recent: deque[tuple[float, str, bytes]] = deque(maxlen=RECENT)
        self._seen: tuple[int, int, int] | None = None
        self._retry_at = self._retry_s = 0.0
        self._lost_at: float | None = None  # when a board that was linked through this opening fell silent
        self._watch: asyncio.TimerHandle | None = None
        self._timer: asyncio.TimerHandle | None = None

    def recent_frames(self) -> list[dict[str, object]]:
        """The latest traffic on the line, oldest first: time, direction, bytes in hexadecimal."""
        return [{"at_s": at_s, "way": way, "hex": data.hex(" ")} for at_s, way, data in self._recent]

    @property
    def problem(self) -> LinkError | None:
        """Why there is no link, if a cause with a remedy is known."""
        return self._error or self.session.refusal

    def start(self) -> None:
        """Starts looking for the device; call on the running loop."""
        self._loop = asyncio.get_running_loop()
        self._look()

    def close(self) -> None:
        """Closes the device and stops looking. Reports nothing more."""
        self._closed = True
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None
        self._drop()

    def show(self, lamps: Sequence[BoardLamp], lines: Sequence[str], *, stays: bool = False) -> None:
        """Sets what the panel shows, now and after interruptions. Raises ValueError for an impossible view.

        Text that ``stays`` remains on the display after `close`.
        """
        self.session.show(lamps, lines, stays=stays)
        if self._port is not None:
            self._pump([])

    def _report(self, event: LinkEvent) -> None:
        if not self._closed:
            self._owner(event)

    def _look(self) -> None:
        """Opens the device when it appears or a retry is due; closes one that the path no longer leads to.

        A device whose board hangs is reopened, which resets most boards. This is done only once, so that a
        device that is not a board is not disturbed again and again.
        """
        now = self._loop.time()
        silent = self._lost_at is not None and now >= self._lost_at + SILENT_S
        if self._port is not None and (silent or not is_still(self._port, self._path)):
            self._drop()
            self._retry_at, self._retry_s, self._seen = now, 0.0, None
        if self._port is None:
            device = identity(self._path)
            appeared = device is not None and device != self._seen
            self._seen = device
            if appeared:
                self._retry_s = 0.0
            if appeared or now >= self._retry_at:
                self._try_to_open(now)
        if not self._closed:
            self._watch = self._loop.call_later(WATCH_S, self._look)

    def _try_to_open(self, now: float) -> None:
        self._retry_s = min(max(2 * self._retry_s, FIRST_RETRY_S), MOST_RETRY_S)
        self._retry_at = now + self._retry_s * (1 + JITTER * self._random.random())
        try:
            port = open_port(self._path)
        except PortError as error:
            self._report_error(error)
            return
        self._port, self._error, self._unwritten = port, None, b""
        self._loop.add_reader(port.fileno(), self._readable)
        self.session.connected(now)
        self._report(PortOpened())
        self._pump([])

    def _report_error(self, error: PortError) -> None:
        news = str(error) != str(self._error)
        self._error = error
        if news:
            self._report(PortFailed(error))

    def _drop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._port is None:
            return
        self._loop.remove_reader(self._port.fileno())
        self._loop.remove_writer(self._port.fileno())
        port, self._port, self._lost_at = self._port, None, None
        with suppress(Exception):  # it is gone; the next opening reports that
            port.close()
        for event in self.session.disconnected():
            self._report(event)

    def _fail(self, error: Exception) -> None:
        """The open device failed: usually it was unplugged, which the next check detects."""
        self._drop()
        self._retry_at, self._retry_s = self._loop.time() + FIRST_RETRY_S, 0.0
        self._seen = identity(self._path)
        self._report_error(port_error(self._path, error))

    def _readable(self) -> None:
        if self._port is None:
            return
        try:
            data = os.read(self._port.fileno(), READ_BYTES)
        except BlockingIOError:
            return
        except Exception as error:  # noqa: BLE001 - the device's driver may raise anything; it is reported by name
            self._fail(error)
            return
        if not data:
            self._fail(OSError("the device hung up"))
            return
        self._recent.append((self._loop.time(), "from", data[:RECENT_BYTES]))
        self._pump(self.session.receive(data, self._loop.time()))

    def _timed(self) -> None:
        self._timer = None
        self._pump(self.session.advance(self._loop.time()))

    def _pump(self, events: Sequence[HostEvent]) -> None:
        """Reports the session's events, writes its bytes, and sets the timer to its deadline."""
        for event in events:
            if isinstance(event, Linked | Lost):
                self._lost_at = self._loop.time() if isinstance(event, Lost) else None
            self._report(event)
        if self._port is None:
            return  # the owner closed the link on one of these events
        if not self._unwritten:
            self._unwritten = self.session.outgoing(self._loop.time())
            self._write()
        self._set_timer()

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._port is not None:
            due = self.session.due
            if self._unwritten:  # nothing can be sent yet, but a loss must still be noticed
                due = max(due, self._loop.time() + WATCH_S)
            self._timer = self._loop.call_at(due, self._timed)

    def _write(self) -> None:
        """Writes as much as the device takes; the rest when it is ready, and nothing newer before that."""
        if self._port is None or not self._unwritten:
            return
        try:
            written = os.write(self._port.fileno(), self._unwritten)
        except BlockingIOError:
            written = 0
        except Exception as error:  # noqa: BLE001 - the device's driver may raise anything; it is reported by name
            self._fail(error)
            return
        if written:
            self._recent.append((self._loop.time(), "to", self._unwritten[: min(written, RECENT_BYTES)]))
        self._unwritten = self._unwritten[written:]
        if self._unwritten:
            self._loop.add_writer(self._port.fileno(), self._writable)

    def _writable(self) -> None:
        if self._port is not None:
            self._loop.remove_writer(self._port.fileno())
            self._write()
            if not self._unwritten:
                self._pump(self.session.advance(self._loop.time()))
