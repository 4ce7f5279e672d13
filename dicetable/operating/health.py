"""`python -m dicetable.operating.health [CONFIG]`: the doctor's findings and the sensors, as JSON."""

from __future__ import annotations

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

from dicetable.commands.doctor import examined
from dicetable.doctor.sensors import sensors

NICE = 10


def health(config: Path | None) -> dict[str, Any]:
    """All findings."""
    parts = [found.json() for found in examined(config, selftest=False, measure=False, asks=False)]
    return {
        "ok": all(part["ok"] for part in parts),
        "parts": parts,
        "sensors": [found.json() for found in sensors()],
        "load": os.getloadavg(),
        "memory": memory(Path("/proc/meminfo")),
        "disk_free_mb": shutil.disk_usage("/").free // 1_000_000,
    }


def memory(file: Path) -> dict[str, int]:
    """The machine's memory in megabytes, total and available; empty if the kernel does not report it."""
    try:
        lines = dict(line.split(":", 1) for line in file.read_text().splitlines() if ":" in line)
        return {
            "total_mb": int(lines["MemTotal"].split()[0]) // 1000,
            "available_mb": int(lines["MemAvailable"].split()[0]) // 1000,
        }
    except (OSError, KeyError, ValueError):
        return {}


if __name__ == "__main__":
    os.nice(NICE)
    print(json.dumps(health(Path(sys.argv[1]) if len(sys.argv) > 1 else None)))  # noqa: T201
