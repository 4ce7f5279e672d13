"""What the panel's drivers cost: a button pressed to the press taken, and a view shown to the lamp lit.

    python -m benchmarks.panel

Real time on a running asyncio loop. Pins are those of a fake RPi.GPIO, whose press is due once it has been
steady for the debouncing time; the serial board is a board session behind a pseudo-terminal, without the time
that bits take on a line (`python -m benchmarks.link` has that, through the simulated board at 115200 baud).
Where the kernel has a simulated chip, its pins are taken instead, as in the virtual machine:

    python -m tests.rig.machine '$python -m benchmarks.panel'
"""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import Protocol

from hardware.gpio_pins import PinSetup
from hardware.ports import Lamp, LampMode, Panel, PanelView
from tests.hardware.panels import TWO_SEATS, PinBench, SerialBench

ROUNDS = 200
LIMIT_S = 30.0
LINK_S = 2.0
BETWEEN_S = 0.03
"""Between two changes of a button: a finger is not faster."""


class Bench(Protocol):
    """A driver with fingers and eyes, as the tests have it."""

    controls: Sequence[str]

    @property
    def panel(self) -> Panel: ...

    def start(self) -> None: ...

    def press(self, control: str, *, down: bool) -> None: ...

    def lit(self) -> set[str]: ...


async def until(reached: Callable[[], object]) -> float:
    """Milliseconds until it is so."""
    started = time.perf_counter()
    async with asyncio.timeout(LIMIT_S):
        while not reached():
            await asyncio.sleep(0)
    return 1000 * (time.perf_counter() - started)


def shines(bench: Bench, wanted: set[str]) -> bool:
    return bench.lit() == wanted


async def measured(name: str, bench: Bench) -> None:
    """Prints one JSON line for the buttons and one for the lamps."""
    bench.start()
    async with asyncio.timeout(LIMIT_S):
        while bench.panel.degraded is not None:
            await asyncio.sleep(BETWEEN_S)
    await asyncio.sleep(LINK_S)
    bench.panel.presses()
    control = bench.controls[0]
    pressed, shown = [], []
    for i in range(ROUNDS):
        bench.press(control, down=i % 2 == 0)
        pressed.append(await until(bench.panel.presses))
        await asyncio.sleep(BETWEEN_S)
    for i in range(ROUNDS):
        lamp = Lamp(LampMode.ON if i % 2 == 0 else LampMode.OFF)
        bench.panel.show(PanelView({"seat1": lamp}, []))
        wanted = {"seat1"} if lamp.mode is LampMode.ON else set()
        shown.append(await until(partial(shines, bench, wanted)))
        await asyncio.sleep(BETWEEN_S)
    report(f"{name}: button to press", pressed)
    report(f"{name}: view to lamp", shown)


def report(case: str, took: list[float]) -> None:
    ordered = sorted(took)
    told = {
        "case": case,
        "n": len(took),
        "median_ms": round(median(took), 2),
        "p95_ms": round(ordered[int(0.95 * (len(ordered) - 1))], 2),
        "max_ms": round(ordered[-1], 2),
    }
    print(json.dumps(told), flush=True)


async def on_a_kernel() -> bool:
    """The pins of the kernel's simulated chip; says so if there is none."""
    modprobe = shutil.which("modprobe")
    if modprobe is None or subprocess.run([modprobe, "-n", "-q", "gpio-sim-rig"], check=False).returncode:
        print("no simulated GPIO chip here: pins are those of the fake RPi.GPIO alone", file=sys.stderr)
        return False
    from tests.rig.inside.gpio_sim import GpioSim
    from tests.rig.inside.test_pins import SLOW, Bench

    chip = GpioSim()
    bench = Bench(chip, SLOW)
    await measured(f"pins of a kernel's chip, debounced {1000 * SLOW.bounce_s:g} ms", bench)
    bench.stop()
    chip.remove()
    return True


async def main() -> None:
    if not await on_a_kernel():
        setup = PinSetup(TWO_SEATS)
        pins = PinBench(setup)
        await measured(f"pins, debounced {1000 * setup.bounce_s:g} ms", pins)
        pins.close()
    with tempfile.TemporaryDirectory() as folder:
        board = SerialBench(Path(folder))
        await measured("serial board", board)
        board.close()


if __name__ == "__main__":
    asyncio.run(main())
