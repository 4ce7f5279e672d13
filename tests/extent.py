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


def usually(usual: Collection[str], every: Iterable[str], slow: Collection[str] = ()) -> list[Any]:
    """Parameters of a test: those outside `usual` are for CI if they are `slow`, the rest for the night."""

    def marks(name: str) -> Any:
        later = pytest.mark.slow if name in slow else pytest.mark.nightly
        return () if name in usual else later

    return [pytest.param(name, marks=marks(name)) for name in every]
