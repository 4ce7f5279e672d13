"""Measurements of a running table, taken only on request."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from dicetable.doctor.sensors import hottest
from dicetable.eye.process import ProcessEye, resident_bytes

if TYPE_CHECKING:
    from collections.abc import Callable

    from dicetable.eye.messages import Eye
    from hardware.ports import Panel


def gauges(eye: Eye, panel: Panel) -> dict[str, Callable[[], float | None]]:
    """By name; None where this table has no such thing."""
    return {
        "table_bytes": lambda: resident_bytes(os.getpid()),
        "eye_bytes": lambda: eye_bytes(eye),
        "eye_restarts": lambda: eye.restarts if isinstance(eye, ProcessEye) else None,
        "bad_frames": lambda: eye.bad_frames if isinstance(eye, ProcessEye) else None,
        "link_errors": lambda: link_errors(panel),
    }


def eye_bytes(eye: Eye) -> float | None:
    """Resident memory of the eye's process, bytes."""
    if not isinstance(eye, ProcessEye) or eye.child is None:
        return None
    return resident_bytes(eye.child.pid)


def link_errors(panel: Panel) -> float | None:
    """Frames of the panel's link that were damaged at either end since it was opened; None without a link."""
    link = getattr(getattr(panel, "panel", panel), "link", None)
    if link is None:
        return None
    return float(link.session.damaged_frames + link.session.board_health.damaged_frames)


def celsius() -> tuple[float, float] | None:
    """The machine's temperature and its limit; None without a thermometer."""
    found = hottest()
    return None if found is None else found[:2]
