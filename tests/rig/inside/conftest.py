"""Devices of a real kernel, for tests that run in the virtual machine only."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.rig.inside.gpio_sim import GpioSim

if TYPE_CHECKING:
    from collections.abc import Iterator


@pytest.fixture
def chip() -> Iterator[GpioSim]:
    """A GPIO chip of its own for each test."""
    made = GpioSim()
    yield made
    made.remove()
