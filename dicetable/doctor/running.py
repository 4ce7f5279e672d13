"""Whether a table runs on this machine, what it says of itself, and how its parts are as far as one may ask.

A running table has camera and panel for itself: they are left alone, and only looked for by their names.
"""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from dicetable.config.camera import UsbCamera
from dicetable.config.panel import SerialPanel
from dicetable.doctor.check import Check
from dicetable.ledger.store import LOCK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dicetable.config.file import Config

UNIT = "dicetable.service"
ASK_S = 5.0
READY = "ready"
"""What the service says while nothing troubles it."""
STOP = "to have it measured, stop the table before: sudo systemctl stop dicetable"
PLUG = "plug it in; the table finds it by itself"


def status_of_running(folder: Path) -> str | None:
    """What the table that has this ledger says of itself, empty if nothing; None if none runs."""
    held = is_held(folder / LOCK)
    if held is False:
        return None
    said = service_says()
    return said if said is not None else ("" if held else None)


def is_held(lock: Path) -> bool | None:
    """Whether a running table holds the lock of its ledger; None if this user may not look."""
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
    """The status line of the installed service; None if it does not run, or there is no systemd to ask."""
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
    """The service, and camera and panel, which it has."""
    if status in ("", READY):
        yield Check("service", ok=True, state="a table is running")
    else:
        remedy = "see docs/trouble.md; all it said: journalctl -u dicetable -n 50"
        yield Check("service", ok=False, state=f"a table is running and says: {status}", remedy=remedy)
    camera, panel = config.camera, config.panel
    number = camera.device if isinstance(camera, UsbCamera) else None
    yield taken(
        f"camera ({camera.driver})", Path(f"/dev/video{number}") if isinstance(number, int) else number
    )
    yield taken(f"panel ({panel.driver})", panel.device if isinstance(panel, SerialPanel) else None)


def taken(part: str, device: Path | None) -> Check:
    """A part that the running table has, if it is there at all."""
    if device is not None and not device.exists():
        return Check(part, ok=False, state=f"{device}: no such device", remedy=PLUG)
    return Check(part, ok=True, state="the running table has it", notes=(STOP,))
