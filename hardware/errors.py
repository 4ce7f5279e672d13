"""Device errors, one exception per cause. Each says what is wrong and how to fix it.

Drivers use them internally; outside they appear as the driver's `Degraded`, with the same words. The serial
link has errors of its own, in `firmware_bridge.errors`.
"""

import logging
import sys
from pathlib import Path
from typing import Final

from hardware.ports import Degraded

REMEDY: Final = "check its cable, then restart the machine; the log has more (journalctl -u dicetable)"
LONGEST: Final = 200
"""Longest text of an exception that is reported, in characters."""
log = logging.getLogger(__name__)


class DeviceError(Exception):
    """The device cannot be used now; this class itself is raised if the cause is unknown.

    It says what is wrong and how to fix it, in words for the person beside the device.
    """

    def __init__(self, cause: str, remedy: str) -> None:
        super().__init__(f"{cause}: {remedy}")
        self.what = cause
        self.remedy = remedy


class NotInstalledError(DeviceError):
    """The library that the driver needs is missing, or does not work here."""


class NoDeviceError(DeviceError):
    """There is no such device."""


class WrongDeviceError(DeviceError):
    """The device is another one than expected, or lacks something."""


class NoPermissionError(DeviceError):
    """This user may not open the device."""


class InUseError(DeviceError):
    """Another program is using the device."""


class PinInUseError(InUseError):
    """Another program, or the kernel, is using one of the pins."""


class BadFrameError(DeviceError):
    """A frame arrived damaged; the next one may be whole."""


class LinkLostError(DeviceError):
    """The device stopped responding or was unplugged."""


def with_apt(package: str) -> str:
    """The command for a system package, and what makes it visible in this environment."""
    install = f"sudo apt install {package}"
    if sees_system_packages():
        return install
    return f"{install}; but {sys.prefix} does not see it: install the Debian package, which does"


def sees_system_packages() -> bool:
    """Whether this is the system's own Python, or an environment that sees its packages."""
    try:
        settings = (Path(sys.prefix) / "pyvenv.cfg").read_text()
    except OSError:
        return True
    return "include-system-site-packages = true" in settings


def one_line(error: BaseException) -> str:
    """An exception's text in one line of bounded length, or its type if it has no text."""
    return " ".join(str(error).split())[:LONGEST] or type(error).__name__


def unforeseen(part: str, error: Exception, state: Degraded | None = None) -> Degraded:
    """The state of a part whose library raised an exception that its driver does not know.

    The traceback is logged, unless the part is in this state already (`state`), because drivers keep
    retrying.
    """
    degraded = Degraded(f"{part} failed with {type(error).__name__}: {one_line(error)}", REMEDY)
    if degraded != state:
        log.warning("unforeseen=%r", degraded.what, exc_info=error)
    return degraded
