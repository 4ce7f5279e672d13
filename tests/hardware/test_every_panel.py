"""What the port says of panels, asked of every driver. A driver without its entry here fails."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from hardware.conformance import PANEL_RULES, BrokenError, PanelBench, needs, sentence
from hardware.gpio_panel import PinPanel
from hardware.ports import PanelView
from hardware.screen_panel import ScreenPanel
from hardware.serial_panel import SerialPanel
from hardware.simulated import clock
from hardware.simulated.panel import SimulatedPanel
from hardware.terminal_panel import TerminalPanel
from hardware.terminal_view import TerminalView
from hardware.web_panel import WebPanel
from tests.hardware import drivers
from tests.hardware.panels import (
    PULLED,
    PUSHED,
    PinBench,
    ScreenBench,
    SerialBench,
    SimulatedBench,
    TerminalBench,
    TerminalViewBench,
    WebBench,
    pins_and_screen,
)

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Coroutine


class ClosableBench(PanelBench, Protocol):
    def close(self) -> None: ...


@dataclass(frozen=True)
class Entry:
    """How to make a bench with the driver on it, what its bench has, and the loop that it runs on."""

    driver: type
    bench: Callable[[Path], ClosableBench]
    has: frozenset[str]
    run: Callable[[Coroutine[Any, Any, None]], None]


WITH_DEVICE = frozenset({"contacts", "eyes", "fingers", "plug"})
SIMULATED = frozenset({"contacts", "eyes", "fingers"})
TYPED = frozenset({"eyes", "fingers"})
ENTRIES = {
    "serial": Entry(SerialPanel, SerialBench, WITH_DEVICE, asyncio.run),
    "pins": Entry(PinPanel, lambda _: PinBench(PUSHED), WITH_DEVICE, clock.run),
    "pins, other way round": Entry(PinPanel, lambda _: PinBench(PULLED), WITH_DEVICE, clock.run),
    "pins and a screen": Entry(ScreenPanel, lambda _: pins_and_screen(), WITH_DEVICE, clock.run),
    "serial and a screen": Entry(
        ScreenPanel, lambda path: ScreenBench(SerialBench(path), only_display=False), WITH_DEVICE, asyncio.run
    ),
    "simulated and a screen": Entry(
        ScreenPanel,
        lambda path: ScreenBench(SimulatedBench(path), only_display=False),
        SIMULATED,
        clock.run,
    ),
    "terminal and a screen": Entry(
        ScreenPanel,
        lambda path: ScreenBench(TerminalBench(path), only_display=False),
        TYPED,
        clock.run,
    ),
    "simulated": Entry(SimulatedPanel, SimulatedBench, SIMULATED, clock.run),
    "terminal": Entry(TerminalPanel, TerminalBench, TYPED, clock.run),
    "phones": Entry(WebPanel, WebBench, WITH_DEVICE, asyncio.run),
    "phones and a screen": Entry(
        ScreenPanel, lambda path: ScreenBench(WebBench(path), only_display=False), WITH_DEVICE, asyncio.run
    ),
    "terminal view": Entry(TerminalView, TerminalViewBench, TYPED, clock.run),
}


def test_every_driver_has_its_entry() -> None:
    assert drivers.panels() == {entry.driver for entry in ENTRIES.values()}


@pytest.mark.parametrize(
    ("entry", "rule"),
    [
        pytest.param(entry, rule, id=f"{name}-{rule.__name__}")
        for rule in PANEL_RULES
        for name, entry in ENTRIES.items()
        if needs(rule) <= entry.has
    ],
)
def test_rule(entry: Entry, rule: Callable[[PanelBench], Awaitable[None]], tmp_path: Path) -> None:
    async def keep() -> None:
        bench = entry.bench(tmp_path)
        try:
            await rule(bench)
        finally:
            bench.close()

    entry.run(keep())


def test_every_rule_says_what_it_is_about() -> None:
    assert len({sentence(rule) for rule in PANEL_RULES}) == len(PANEL_RULES)


class Forgetful(PinPanel):
    """Shows only lamps that are named, and leaves the others as they are."""

    def show(self, view: PanelView) -> None:
        super().show(PanelView({**self._view.lamps, **view.lamps}, view.lines))


class Stuttering(PinPanel):
    """Gives presses again and again."""

    def presses(self) -> Any:
        self.again = [*getattr(self, "again", []), *super().presses()]
        return self.again


async def asked(fault: type[PinPanel], told: str) -> None:
    """Asks a faulty driver whether it keeps the rule of that name."""
    (rule,) = [rule for rule in PANEL_RULES if rule.__name__ == told]
    bench = PinBench(PUSHED)
    bench.panel = fault(bench.panel.pins)
    await rule(bench)


@pytest.mark.parametrize(
    ("fault", "told"), [(Forgetful, "shows_whole_views"), (Stuttering, "hears_every_control")]
)
def test_a_driver_that_breaks_a_rule_is_found(fault: type[PinPanel], told: str) -> None:
    with pytest.raises(BrokenError):
        clock.run(asked(fault, told))


def test_a_rule_that_a_faulty_driver_keeps_is_not_held_against_it() -> None:
    clock.run(asked(Stuttering, "ignores_what_was_held"))
