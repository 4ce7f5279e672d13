"""Buttons and lamps on a GPIO chip of a real kernel."""

from __future__ import annotations

import asyncio
import importlib
import sys
from typing import TYPE_CHECKING, Any

import pytest

from hardware import gpio_panel
from hardware.conformance import PANEL_RULES, PanelBench, heard, shown, until
from hardware.gpio_panel import PinPanel
from hardware.gpio_pins import PinSetup, RpiPins
from hardware.ports import Lamp, LampMode, PanelView
from tests.hardware.panels import TWO_SEATS

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from tests.rig.inside.gpio_sim import GpioSim

SLOW = PinSetup(TWO_SEATS, bounce_s=0.12)
"""A finger's bounces last longer here than on wood: the machine is slow."""
QUICK = PinSetup(TWO_SEATS)
RULES = {rule.__name__: rule for rule in PANEL_RULES}
OK, MENU = "seat1.ok", "table.menu"


class Bench:
    """The chip around a panel: fingers, eyes, and a chip that vanishes."""

    controls: Sequence[str] = tuple(TWO_SEATS.controls)
    lamps: Sequence[str] = tuple(TWO_SEATS.lamps)

    def __init__(self, chip: GpioSim, setup: PinSetup) -> None:
        self.chip = chip
        self.panel = PinPanel(RpiPins(setup))
        for pin in setup.inputs:
            chip.drive(pin, 1)

    def start(self) -> None:
        self.panel.start(lambda: None)

    def stop(self) -> None:
        self.panel.stop()

    def press(self, control: str, *, down: bool) -> None:
        """With a bounce."""
        for level in (int(not down), int(down), int(not down)):
            self.chip.drive(TWO_SEATS.controls[control], level)

    def lit(self) -> set[str]:
        return {name for name, pin in TWO_SEATS.lamps.items() if self.chip.level(pin)}

    def lines(self) -> None:
        return None

    def unplug(self) -> None:
        self.chip.vanish()

    def plug(self) -> None:
        self.chip.appear()
        for pin in TWO_SEATS.controls.values():
            self.chip.drive(pin, 1)


def told(chip: GpioSim, story: Callable[[Any], Awaitable[None]], setup: PinSetup = SLOW) -> None:
    """The story with a panel on the chip."""

    async def tell() -> None:
        bench = Bench(chip, setup)
        try:
            await story(bench)
        finally:
            bench.stop()

    asyncio.run(tell())


@pytest.mark.parametrize("rule", RULES)
def test_rule(chip: GpioSim, rule: str) -> None:
    told(chip, RULES[rule])


def test_a_storm_is_cut_off_and_the_other_buttons_work_on(
    chip: GpioSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    # An interpreted machine gives no thousand edges a second.
    monkeypatch.setattr(gpio_panel, "RAW_EDGES", 40)
    monkeypatch.setattr(gpio_panel, "CHANGES", 10)

    async def story(bench: Bench) -> None:
        bench.start()
        await until(lambda: bench.panel.degraded is None, "the panel does not come up")
        pin = TWO_SEATS.controls[OK]
        for _ in range(5000):
            if bench.panel.degraded is not None:
                break
            for _ in range(4):
                chip.drive(pin, 1 - chip.pulled[pin])
            await asyncio.sleep(0)
        assert bench.panel.degraded is not None, "nobody noticed"
        assert bench.panel.degraded.what == f"gpio:{pin} ({OK}) keeps flickering"
        bench.panel.presses()
        chip.drive(TWO_SEATS.controls[MENU], 0)
        (press,) = await heard(bench, 1)
        assert press.control == MENU
        chip.drive(pin, 1)
        await until(lambda: bench.panel.degraded is None, "the storm is over, it stays degraded")

    told(chip, story, QUICK)


def test_a_line_that_another_program_has_is_named_until_it_is_free(chip: GpioSim) -> None:
    lgpio = importlib.import_module("lgpio")
    taken = TWO_SEATS.controls[OK]

    async def story(bench: Bench) -> None:
        other = lgpio.gpiochip_open(int(chip.chip.removeprefix("gpiochip")))
        lgpio.gpio_claim_input(other, taken)
        bench.start()
        await until(lambda: bench.panel.degraded is not None, "it is not degraded")
        error = bench.panel.degraded
        assert error is not None
        assert f"gpio:{taken} ({OK})" in error.what
        lgpio.gpiochip_close(other)
        await until(lambda: bench.panel.degraded is None, "the line is free, it stays degraded")

    told(chip, story)


def test_lamps_blink(chip: GpioSim) -> None:
    async def story(bench: Bench) -> None:
        bench.panel.show(PanelView({"seat1": Lamp(LampMode.BLINK)}, []))
        bench.start()
        turns: list[set[str]] = [{"seat1"}, set(), {"seat1"}, set()]
        for lit in turns:
            await shown(bench, lit, [])

    told(chip, story)


def test_a_pulsing_lamp_is_dimmed(chip: GpioSim) -> None:
    """It is switched so fast that a slow machine sees it now lit and now dark."""
    asked: list[float] = []

    async def story(bench: Bench) -> None:
        bench.panel.show(PanelView({"seat1": Lamp(LampMode.PULSE)}, []))
        bench.start()
        await until(lambda: bench.panel.degraded is None, "the panel does not come up")
        pwm = importlib.import_module("RPi.GPIO").PWM
        change = pwm.ChangeDutyCycle

        def note(wave: Any, duty: float) -> None:
            asked.append(duty)
            change(wave, duty)

        pwm.ChangeDutyCycle = note
        try:
            seen: set[frozenset[str]] = set()
            async with asyncio.timeout(60):
                while len(set(asked)) < 10 or len(seen) < 2:
                    seen.add(frozenset(bench.lit()))
                    await asyncio.sleep(0.003)
        finally:
            pwm.ChangeDutyCycle = change
        bench.panel.show(PanelView({"seat1": Lamp(LampMode.ON)}, []))
        await shown(bench, {"seat1"}, [])
        bench.panel.show(PanelView({}, []))
        await shown(bench, set(), [])
        assert bench.panel.degraded is None

    told(chip, story)


def test_without_edges_the_panel_names_the_package_that_has_them(
    chip: GpioSim, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_edges(*_: object, **__: object) -> None:
        raise RuntimeError("Failed to add edge detection")  # as RPi.GPIO itself, since Linux 6.6

    async def story(bench: Bench) -> None:
        bench.start()
        await until(lambda: bench.panel.degraded is not None, "the panel comes up without edges")
        assert bench.panel.degraded is not None
        assert "python3-rpi-lgpio" in bench.panel.degraded.remedy

    monkeypatch.setattr(importlib.import_module("RPi.GPIO"), "add_event_detect", no_edges)
    told(chip, story)


def test_the_bench_is_one() -> None:
    kind: type[PanelBench] = Bench
    assert kind is Bench
    assert importlib.import_module("RPi.GPIO") is sys.modules["RPi.GPIO"]
