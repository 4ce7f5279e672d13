"""How much a test tries: a little beside every change, much in the night.

The nightly run sets DICETABLE_NIGHTLY.
"""

from __future__ import annotations

import os

NIGHTLY = "DICETABLE_NIGHTLY" in os.environ


def extent(usual: int, nightly: int) -> int:
    """How many seeds, kills or games are tried."""
    return nightly if NIGHTLY else usual
