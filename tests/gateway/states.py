"""Snapshots for tests of the gateway, whole as the table sends them."""

from __future__ import annotations

from typing import Any

from common.snapshot import Phase, Snapshot
from dicetable.service.publisher import NOTHING

WAITING: Snapshot = {
    **NOTHING, "v": 1, "revision": 1, "phase": Phase.IDLE, "paused": False, "paused_by": "", "phones": False,
    "oks": 0, "menu": False, "panel": [], "set_up": None, "troubles": [], "winners": [], "tonight": None,
    "throws": [], "row": 0, "log": [], "guide": "", "events": [], "question": None, "podium": None,
    "rematch": None,
}  # fmt: skip
"""Nobody plays."""
IDLE: Any = WAITING
"""The same, for tests that change it as they like."""
