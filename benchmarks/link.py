"""What the panel link costs: times through the simulated board, and what bad lines leave of its events.

    python -m benchmarks.link

Times are the simulated board's own and do not depend on this machine. Needs what the firmware's tests need:
a C compiler, avr-gcc, libsimavr.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path
from random import Random
from statistics import median

from firmware_bridge.host_session import InputChanged
from firmware_bridge.messages import BoardLamp, BoardLampMode, Event, Lamps, to_body
from firmware_bridge.protocol import encode_frame
from tests.firmware_bridge import damage
from tests.firmware_bridge.firmware.simulation import SimulatedPanel
from tests.firmware_bridge.world import BYTE_S, LAMPS, World

ROOT = Path(__file__).resolve().parent.parent
FIRMWARE = ROOT / "firmware_bridge" / "firmware"
SIMULATOR = ROOT / "tests" / "firmware_bridge" / "firmware"
LINES = ("Six By 6", "throw six dice", "", "OK = roll")
RATES = (0.0, 0.001, 0.01, 0.05)
SEEDS = 5
KEY = 0x1025F8A1


def wire_ms(message: Event | Lamps) -> float:
    return len(encode_frame(to_body(message, KEY))) * BYTE_S * 1000


def built(folder: Path) -> tuple[Path, Path]:
    subprocess.run(["make", "-s", "-C", FIRMWARE, f"BUILD={folder}"], check=True, stdout=sys.stderr)
    program = folder / "simulated_board"
    libraries = ["-lsimavr", "-lelf", "-lutil", "-lm"]
    subprocess.run(
        ["cc", "-std=c11", "-O2", "-o", program, *SIMULATOR.glob("simulated_*.c"), *libraries], check=True
    )
    return program, folder / "panel.elf"


def colour(number: int) -> tuple[BoardLamp, ...]:
    """A view of the lamps that no other number has."""
    return (BoardLamp(BoardLampMode.ON, 1 + number % 255, number >> 8, 0),) * LAMPS


def one_press(panel: SimulatedPanel, number: int, random: Random) -> tuple[float, float, float]:
    """In ms: button to event in the session, view to the lamps' last bit, button to that."""
    panel.run(random.randrange(100, 40_000) // panel.slice_us * panel.slice_us)
    before, pressed = len(panel.events), number % 2 == 0
    panel.move(number // 2 % 25, pressed=pressed, in_us=random.randrange(panel.slice_us))
    panel.run_until(lambda: any(isinstance(event, InputChanged) for _, event in panel.events[before:]))
    button_us = panel.inputs[-1][0]
    event_us = next(us for us, event in panel.events[before:] if isinstance(event, InputChanged))
    shown_us = panel.now_us
    panel.lamps.clear()
    lamps = colour(number + 1)
    panel.show(lamps, LINES)
    wanted = (lamps[0].red, lamps[0].green, lamps[0].blue)
    panel.run_until(lambda: any(frame.colours[-1] == wanted for frame in panel.lamps))
    lamps_us = next(frame.us for frame in panel.lamps if frame.colours[-1] == wanted)
    return (event_us - button_us) / 1000, (lamps_us - shown_us) / 1000, (lamps_us - button_us) / 1000


def times(presses: int = 200) -> None:
    """Prints the times through the board."""
    random = Random(1)
    with tempfile.TemporaryDirectory() as folder:
        panel = SimulatedPanel(*built(Path(folder)))
        panel.slice_us = 100
        panel.show(colour(0), LINES)
        panel.settle()
        columns = list(zip(*(one_press(panel, number, random) for number in range(presses)), strict=True))
        panel.close()
    event_ms, lamps_ms = wire_ms(Event(1, 0, 1, pressed=True)), wire_ms(Lamps(1, colour(0)))
    limits = (event_ms, lamps_ms, event_ms + lamps_ms)
    names = (
        "button -> event in the session",
        "lamp command -> last bit at the lamps",
        "button -> lamp answer",
    )
    print(f"simulated board, 115200 baud, {presses} presses, ms      median    most  bits on the wire")
    for name, column, limit in zip(names, columns, limits, strict=True):
        print(f"{name:<50} {median(column):9.2f} {max(column):7.2f} {limit:17.2f}")
    print("(6 to 7 ms of a button's time are debouncing)\n")


def whole_link(seconds: float = 10.0) -> None:
    """Prints how many events the sessions, which acknowledge and resend, deliver once and in order."""
    print(f"events/s in order at 115200 baud (median of {SEEDS} seeds), by the share of damaged bytes")
    for rate in RATES:
        runs = []
        for seed in range(SEEDS):
            world = World()
            if rate:
                world.up.damage = damage.bytes_at(rate, Random(seed))
                world.down.damage = damage.bytes_at(rate, Random(seed + 100))
            world.run_until(lambda: world.linked, 60)  # noqa: B023 - it is called at once
            start, n = world.now, 0
            while world.now < start + seconds:
                while world.undelivered < 16:
                    world.change(n % 25, pressed=n // 25 % 2 == 0)
                    n += 1
                world.step(start + seconds)
            runs.append(world.received / seconds)
        # The world's judge stops the run at the first wrong or doubled event.
        print(f"{rate:>6.1%} {median(runs):9.0f}")


if __name__ == "__main__":
    times()
    whole_link()
