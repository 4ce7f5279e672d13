"""How much a test tries: a little beside every change, much in the night.

The nightly run sets DICETABLE_NIGHTLY.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

NIGHTLY = "DICETABLE_NIGHTLY" in os.environ


def extent(usual: int, nightly: int) -> int:
    """How many seeds, kills or games are tried."""
    return nightly if NIGHTLY else usual


def usually(usual: Collection[str], every: Iterable[str]) -> list[Any]:
    """Parameters of a test: those outside `usual` are for the night."""
    return [pytest.param(name, marks=() if name in usual else pytest.mark.nightly) for name in every]
