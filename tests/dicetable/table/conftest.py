"""A table with players."""

from __future__ import annotations

import pytest

from tests.dicetable.table.hands_on import HandsOn


@pytest.fixture
def at() -> HandsOn:
    return HandsOn()


@pytest.fixture
def six(at: HandsOn) -> HandsOn:
    """Six By 6 with ann and bob, before the first throw."""
    at.open("six_by_6", 2)
    return at
