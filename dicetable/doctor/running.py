"""Whether a table runs on this machine, its status, and the state of its parts.

A running table owns camera and panel, so the doctor only checks that their devices exist.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from dicetable.config.camera import UsbCamera
from dicetable.config.panel import SerialPanelSection
from dicetable.doctor.check import Check
from dicetable.ledger.store import LOCK
from dicetable.texts import doctor

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dicetable.config.file import Config

UNIT = "dicetable.service"
ASK_S = 5.0
READY = "ready"
"""The service's status while everything works."""


def status_of_running(folder: Path) -> str | None:
    """The status of the table that uses this ledger, empty if it has none; None if no table runs."""
    held = is_held(folder / LOCK)
    if held is False:
        return None
    said = service_says()
    return said if said is not None else ("" if held else None)


def is_held(lock: Path) -> bool | None:
    """Whether a running table holds the lock of its ledger; None if this user may not read it."""
    try:
        descriptor = os.open(lock, os.O_RDONLY | os.O_NOFOLLOW)
    except PermissionError:
        return None
    except OSError:
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False


def service_says() -> str | None:
    """The status line of the installed service; None if it does not run or systemd cannot be asked."""
    systemctl = shutil.which("systemctl")
    if systemctl is None:
        return None
    command = [systemctl, "show", "--property=ActiveState,StatusText", UNIT]
    try:
        told = subprocess.run(  # noqa: S603 - systemd's own, with words of ours
            command, capture_output=True, text=True, timeout=ASK_S, check=True
        ).stdout
    except (OSError, subprocess.SubprocessError):
        return None
    fields = dict(line.partition("=")[::2] for line in told.splitlines())
    return fields.get("StatusText", "") if fields.get("ActiveState") == "active" else None


def of_running(config: Config, status: str) -> Iterator[Check]:
    """The service, and the camera and panel that it uses."""
    if status in ("", READY):
        yield Check("service", ok=True, state=doctor.RUNNING)
    else:
        yield Check("service", ok=False, state=doctor.says(status), remedy=doctor.SEE_LOG)
    camera, panel = config.camera, config.panel
    number = camera.device if isinstance(camera, UsbCamera) else None
    yield taken(
        f"camera ({camera.driver})", Path(f"/dev/video{number}") if isinstance(number, int) else number
    )
    yield taken(f"panel ({panel.driver})", panel.device if isinstance(panel, SerialPanelSection) else None)


def taken(part: str, device: Path | None) -> Check:
    """A part that the running table uses, if its device exists."""
    if device is not None and not device.exists():
        return Check(part, ok=False, state=doctor.no_device(str(device)), remedy=doctor.PLUG)
    return Check(part, ok=True, state=doctor.IN_USE, notes=(doctor.STOP,))
