"""Buttons and lamps on the pins of a fake RPi.GPIO, in virtual time: bouncing, storms, taken pins."""

from __future__ import annotations

import asyncio
import sys
from collections import deque
from itertools import pairwise
from types import ModuleType
from typing import TYPE_CHECKING

import pytest

from hardware import gpio_pins
from hardware.gpio_panel import PinPanel
from hardware.gpio_pins import PinSetup, RpiPins
from hardware.ports import Degraded, Lamp, LampMode, PanelView
from hardware.simulated import clock
from tests.hardware.fake_rpi import FakeRpi
from tests.hardware.panels import TWO_SEATS, PinBench

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from pathlib import Path

SETUP = PinSetup(TWO_SEATS)
OK, MENU = "seat1.ok", "table.menu"


def on_the_bench(story: Callable[[PinBench], Awaitable[None]]) -> PinBench:
    """Tells the story with a started panel, in virtual time."""
    bench = PinBench(SETUP)

    async def tell() -> None:
        bench.start()
        await story(bench)
        bench.stop()

    clock.run(tell())
    return bench


def pin(control: str) -> int:
    return TWO_SEATS.controls[control]


async def bounce(bench: PinBench, control: str, *, down: bool, times: int) -> None:
    """So many turns a millisecond apart, the last one to stay."""
    for turn in range(times, -1, -1):
        bench.gpio.drive(pin(control), int(not down) if turn % 2 == 0 else int(down))
        await asyncio.sleep(0.001)


def test_a_bouncing_press_is_one_press_at_the_time_it_held() -> None:
    async def story(bench: PinBench) -> None:
        await bounce(bench, OK, down=True, times=6)
        held_s = asyncio.get_running_loop().time() - 0.001
        await asyncio.sleep(0.1)
        await bounce(bench, OK, down=False, times=3)
        await asyncio.sleep(0.1)
        down, up = bench.panel.presses()
        assert (down.down, up.down) == (True, False)
        assert down.time_s == pytest.approx(held_s)

    assert on_the_bench(story).news == 3  # it came up, and two presses


def test_a_glitch_is_no_press() -> None:
    async def story(bench: PinBench) -> None:
        bench.gpio.drive(pin(OK), 0)
        await asyncio.sleep(0.004)
        bench.gpio.drive(pin(OK), 1)
        await asyncio.sleep(1)
        assert bench.panel.presses() == []

    on_the_bench(story)


def test_a_press_whose_edge_was_missed_is_found_by_its_level() -> None:
    async def story(bench: PinBench) -> None:
        await asyncio.sleep(0.1)
        bench.gpio.levels[pin(OK)] = 0
        await asyncio.sleep(1)
        (press,) = bench.panel.presses()
        assert (press.control, press.down) == (OK, True)

    on_the_bench(story)


async def storm(bench: PinBench, control: str, seconds: float) -> int:
    """A thousand edges a second; returns how many of them the panel's driver was asked to hear."""
    heard = 0
    for _ in range(int(seconds * 1000)):
        heard += pin(control) in bench.gpio.callbacks
        bench.gpio.drive(pin(control), 1 - bench.gpio.levels[pin(control)])
        await asyncio.sleep(0.001)
    return heard


def test_a_storm_is_cut_off_named_and_heals_and_the_other_buttons_work_on() -> None:
    async def story(bench: PinBench) -> None:
        assert await storm(bench, OK, 10) < 5 * 500  # of 10,000: it listens again for a moment now and then
        assert bench.panel.degraded == Degraded(
            "gpio:7 (seat1.ok) keeps flickering", "check its cable and its button"
        )
        bench.press(MENU, down=True)
        await asyncio.sleep(0.05)
        (press,) = bench.panel.presses()
        assert press.control == MENU
        bench.gpio.drive(pin(OK), 1)
        await asyncio.sleep(5)
        assert bench.panel.degraded is None
        bench.press(OK, down=True)
        await asyncio.sleep(0.05)
        assert [press.control for press in bench.panel.presses()] == [OK]

    on_the_bench(story)


def test_a_slow_flicker_that_passes_the_debouncing_is_a_storm_too() -> None:
    async def story(bench: PinBench) -> None:
        for turn in range(200):
            bench.gpio.drive(pin(OK), turn % 2)
            await asyncio.sleep(0.01)
        assert bench.panel.degraded is not None
        presses = bench.panel.presses()
        assert len(presses) <= 41
        assert [press.down for press in presses] == [n % 2 == 0 for n in range(len(presses))]
        assert presses[-1].down is False

    on_the_bench(story)


def test_lamps_move_by_themselves() -> None:
    async def story(bench: PinBench) -> None:
        lamps = {"seat1": Lamp(LampMode.BLINK), "seat2": Lamp(LampMode.ON), "seat7": Lamp(LampMode.ON)}
        bench.panel.show(PanelView(lamps, ["no display"]))
        seen = []
        for _ in range(20):
            seen.append(frozenset(bench.lit()))
            await asyncio.sleep(0.1)
        assert {frozenset({"seat2"}), frozenset({"seat1", "seat2"})} == set(seen)
        assert 9 <= seen.count(frozenset({"seat2"})) <= 11

    assert on_the_bench(story).lit() == set()


def test_pins_are_pulled_to_where_a_button_does_not_take_them() -> None:
    async def story(bench: PinBench) -> None:
        assert {bench.gpio.pulls[n] for n in SETUP.inputs} == {bench.gpio.PUD_UP}
        await asyncio.sleep(0)

    assert on_the_bench(story).gpio.directions == {}  # and all are given back


def test_a_pin_that_is_taken_is_named_and_the_panel_comes_up_once_it_is_free() -> None:
    async def story(bench: PinBench) -> None:
        bench.stop()
        bench.gpio.taken = {pin(OK)}
        bench.start()
        await asyncio.sleep(10)
        assert bench.panel.degraded == Degraded(
            "gpio:7 (seat1.ok): GPIO busy", "stop the other program that uses the pins, or use others"
        )
        bench.gpio.taken = set()
        await asyncio.sleep(2.1)
        assert bench.panel.degraded is None

    on_the_bench(story)


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (None, "RPi.GPIO is not installed"),
        (
            "raise RuntimeError('This module can only be run\\non a Raspberry Pi!')",
            "RPi.GPIO: This module can only",
        ),
    ],
)
def test_without_the_module_the_panel_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: str | None, told: str
) -> None:
    package = ModuleType("RPi")
    package.__path__ = [str(tmp_path)]
    monkeypatch.setitem(sys.modules, "RPi", package)
    if content:
        (tmp_path / "GPIO.py").write_text(content)
    degraded = degraded_of(PinPanel(RpiPins(SETUP)))
    assert degraded.what.startswith(told)
    assert "\n" not in degraded.what


def degraded_of(panel: PinPanel) -> Degraded:
    async def look() -> None:
        panel.start(lambda: None)
        await asyncio.sleep(5)

    clock.run(look())
    assert panel.degraded is not None
    return panel.degraded


def test_edges_that_nobody_fetches_stay_bounded() -> None:
    async def story(bench: PinBench) -> None:
        for _ in range(5_000):
            bench.gpio.drive(pin(OK), 1 - bench.gpio.levels[pin(OK)])
        assert len(bench.panel.pins._edges) <= 256
        await asyncio.sleep(1)
        assert bench.panel.presses() == []

    on_the_bench(story)


def test_an_edge_that_comes_while_the_loop_takes_the_last_one_wakes_the_loop_again() -> None:
    taken: list[int] = []

    async def story() -> None:
        pins = RpiPins(SETUP, FakeRpi)
        pins.open(lambda pin, _pressed, _time_s: taken.append(pin))

        class Taken(deque[tuple[int, bool, float]]):
            def append(self, edge: tuple[int, bool, float]) -> None:
                pins._on_loop()
                super().append(edge)

        pins._edges = Taken([(pin(OK), True, 0.0)])
        pins._on_thread(pin(MENU))
        await asyncio.sleep(0.1)
        pins.close()

    clock.run(story())
    assert taken == [pin(OK), pin(MENU)]


def test_pins_of_a_chip_that_is_gone_are_released_without_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    tried: list[object] = []

    def gone(*parts: object) -> None:
        tried.append(parts)
        raise OSError("no such chip")

    async def story() -> None:
        gpio = FakeRpi()
        pins = RpiPins(SETUP, lambda: gpio)
        pins.open(lambda *_: None)
        monkeypatch.setattr(gpio, "cleanup", gone)
        monkeypatch.setattr(gpio_pins, "forget", gone)
        pins.close()
        assert tried == [(), (gpio,)]
        pins.close()
        assert len(tried) == 2

    clock.run(story())


def test_without_edges_the_panel_names_the_package_that_has_them_and_comes_up_once_it_is_there() -> None:
    bench = PinBench(SETUP)
    bench.gpio.has_edges = False

    async def story() -> None:
        bench.start()
        assert bench.panel.degraded is not None
        assert "detects no edges" in bench.panel.degraded.what
        assert "python3-rpi-lgpio" in bench.panel.degraded.remedy
        bench.gpio.has_edges = True
        await asyncio.sleep(5)
        assert bench.panel.degraded is None
        bench.gpio.drive(pin(OK), 0)
        await asyncio.sleep(0.05)
        assert [press.control for press in bench.panel.presses()] == [OK]
        bench.stop()

    clock.run(story())


@pytest.mark.parametrize("lit_high", [True, False])
def test_a_pulsing_lamp_swells_and_fades(lit_high: bool) -> None:
    bench = PinBench(PinSetup(TWO_SEATS, lamps_lit_high=lit_high))
    lamp = TWO_SEATS.lamps["seat1"]

    async def story() -> None:
        bench.start()
        bench.panel.show(PanelView({"seat1": Lamp(LampMode.PULSE)}, []))
        await asyncio.sleep(4.2)
        duties = bench.gpio.waves[lamp].duties
        levels = duties if lit_high else [100 - duty for duty in duties]
        assert (min(levels), max(levels)) == (0, 100)
        assert 120 <= len(duties) <= 140  # 64 steps in 2.048 s
        assert max(abs(a - b) for a, b in pairwise(levels)) < 5
        bench.panel.show(PanelView({"seat1": Lamp(LampMode.ON)}, []))
        assert bench.gpio.waves[lamp].duty == (100 if lit_high else 0)
        bench.panel.show(PanelView({}, []))
        assert bench.gpio.waves[lamp].duty == (0 if lit_high else 100)
        bench.stop()
        assert (dict(bench.gpio.waves), bench.gpio.late_waves) == ({}, 0)
        assert bench.gpio.directions == {}

    clock.run(story())


def test_a_lamp_that_cannot_be_dimmed_flashes(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_wave(*_: object) -> None:
        raise RuntimeError("no PWM here")

    async def story(bench: PinBench) -> None:
        monkeypatch.setattr(bench.gpio, "PWM", no_wave)
        bench.panel.show(PanelView({"seat1": Lamp(LampMode.PULSE)}, []))
        seen = []
        for _ in range(400):
            await asyncio.sleep(0.01)
            seen.append("seat1" in bench.lit())
        assert 0.08 < sum(seen) / len(seen) < 0.2
        assert bench.panel.degraded is None

    on_the_bench(story)
