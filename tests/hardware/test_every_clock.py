"""What the port says of clocks, asked of every driver. A driver without its entry here fails."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import hardware
from hardware.conformance import CLOCK_RULES, BrokenError
from hardware.ports import Clock, SystemClock
from hardware.simulated.clock import VirtualClock
from tests.hardware.fakes import FakeClock

if TYPE_CHECKING:
    from collections.abc import Callable

CLOCKS = (SystemClock, VirtualClock)


def test_every_driver_has_its_entry() -> None:
    root = Path(hardware.__file__).parent
    found = set()
    for path in root.rglob("*.py"):
        name = ".".join(("hardware", *path.relative_to(root).with_suffix("").parts)).removesuffix(".__init__")
        members = inspect.getmembers(importlib.import_module(name), inspect.isclass)
        found |= {made for _, made in members if made.__module__ == name and "now_s" in vars(made)}
    assert found - {Clock} == set(CLOCKS)


@pytest.mark.parametrize("clock", [*CLOCKS, FakeClock])
@pytest.mark.parametrize("rule", CLOCK_RULES, ids=[rule.__name__ for rule in CLOCK_RULES])
def test_rule(clock: type[Clock], rule: Callable[[Clock], None]) -> None:
    rule(clock())


class Backward:
    time_s = 0.0

    def now_s(self) -> float:
        self.time_s -= 1
        return self.time_s

    def sleep(self, seconds: float) -> None:
        pass


@pytest.mark.parametrize("rule", CLOCK_RULES)
def test_a_clock_that_breaks_a_rule_is_found(rule: Callable[[Clock], None]) -> None:
    with pytest.raises(BrokenError):
        rule(Backward())
