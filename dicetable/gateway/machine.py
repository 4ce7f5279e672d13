"""What the kernel tells of this machine and this process."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

SYS: Final = Path("/sys")
PAGE_BYTES: Final = os.sysconf("SC_PAGE_SIZE")


def temperature_c(sys: Path = SYS) -> float | None:
    """The hottest thermal zone, °C; None if there is no sensor."""
    found = []
    for zone in sys.glob("class/thermal/thermal_zone*/temp"):
        try:
            found.append(int(zone.read_text()) / 1000)
        except (OSError, ValueError):
            continue
    return max(found, default=None)


def resident_bytes() -> int:
    """The memory that this process holds."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE_BYTES
