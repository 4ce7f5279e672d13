"""What tests of a whole table share."""

from __future__ import annotations

import pytest

from hardware.simulated import physics


@pytest.fixture
def cheap_throws(monkeypatch: pytest.MonkeyPatch) -> None:
    """Dice come to rest at once, for tests that are not about how they roll."""
    monkeypatch.setattr(physics, "available", lambda: False)
