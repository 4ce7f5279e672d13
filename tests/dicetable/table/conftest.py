"""A table with players."""

from __future__ import annotations

import pytest

from dicetable.table.table import Table
from tests.dicetable.table.hands_on import NAMES, HandsOn


@pytest.fixture
def at() -> HandsOn:
    return HandsOn()


@pytest.fixture
def six(at: HandsOn) -> HandsOn:
    """Six By 6 with ann and bob, before the first throw."""
    at.open("six_by_6", 2)
    return at


@pytest.fixture
def strict() -> HandsOn:
    """Six By 6 where throws are strict; ann is to throw."""
    at = HandsOn()
    at.table = Table(at.journal, lambda: 7, names=NAMES, strict=True)
    at.open("six_by_6", 2)
    return at
