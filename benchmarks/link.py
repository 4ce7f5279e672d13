"""What the panel link costs: times through the simulated board, and what bad lines leave of three framings.

    python -m benchmarks.link

Times are the simulated board's own and do not depend on this machine. Needs what the firmware's tests need:
a C compiler, avr-gcc, libsimavr.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from binascii import crc_hqx
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from statistics import median

from firmware_bridge.errors import MessageError
from firmware_bridge.host_session import InputChanged
from firmware_bridge.messages import Event, Lamp, LampMode, Lamps, from_body, to_body
from firmware_bridge.protocol import FrameDecoder, encode_frame
from tests.firmware_bridge import damage
from tests.firmware_bridge.firmware.simulation import SimulatedPanel
from tests.firmware_bridge.world import BYTE_S, LAMPS, World

ROOT = Path(__file__).resolve().parent.parent
FIRMWARE = ROOT / "firmware_bridge" / "firmware"
SIMULATOR = ROOT / "tests" / "firmware_bridge" / "firmware"
LINES = ("Six By 6", "throw six dice", "", "OK = roll")
RATES = (0.0, 0.001, 0.01, 0.05)
SEEDS = 5
MESSAGES = 40_000
KEY = 0x1025F8A1


def wire_ms(message: Event | Lamps) -> float:
    return len(encode_frame(to_body(message, KEY))) * BYTE_S * 1000


# Times through the board


def built(folder: Path) -> tuple[Path, Path]:
    subprocess.run(["make", "-s", "-C", FIRMWARE, f"BUILD={folder}"], check=True, stdout=sys.stderr)
    program = folder / "simulated_board"
    libraries = ["-lsimavr", "-lelf", "-lutil", "-lm"]
    subprocess.run(
        ["cc", "-std=c11", "-O2", "-o", program, *SIMULATOR.glob("simulated_*.c"), *libraries], check=True
    )
    return program, folder / "panel.elf"


def colour(number: int) -> tuple[Lamp, ...]:
    """A view of the lamps that no other number has."""
    return (Lamp(LampMode.ON, 1 + number % 255, number >> 8, 0),) * LAMPS


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


# Framings on bad lines

Sent = tuple[int, int, int, bool]
NEVER_SENT: Sent = (-1, 0, 0, False)


def parsed(payload: bytes) -> Sent:
    """The event of a frame that was taken for a whole one, NEVER_SENT if it is none."""
    try:
        event = Event.parse(payload)
    except MessageError:
        return NEVER_SENT
    return event.number, event.age, event.input, event.pressed


class CobsWithChecks:
    """Ours: COBS, CRC-16, and the message's check from the session key."""

    name = "panel link v1"

    def __init__(self) -> None:
        self._decoder = FrameDecoder()

    def encode(self, event: Sent) -> bytes:
        return encode_frame(to_body(Event(*event), KEY))

    def decode(self, data: bytes) -> Iterator[Sent]:
        for body in self._decoder.feed(data):
            try:
                message = from_body(body, KEY)
            except MessageError:
                continue
            if isinstance(message, Event):
                yield message.number, message.age, message.input, message.pressed


class CobsWithCrc:
    """The same frames without the message's check: what CRC-16 alone would let through."""

    name = "COBS, CRC-16 alone"

    def __init__(self) -> None:
        self._decoder = FrameDecoder()

    def encode(self, event: Sent) -> bytes:
        return encode_frame(bytes((Event.TYPE,)) + Event(*event).payload())

    def decode(self, data: bytes) -> Iterator[Sent]:
        for body in self._decoder.feed(data):
            yield parsed(body[1:])


class LengthPrefixed:
    """Length, payload, CRC-16; after a bad frame it goes on at the next byte."""

    name = "length prefix, CRC-16"

    def __init__(self) -> None:
        self._pending = b""

    def encode(self, event: Sent) -> bytes:
        payload = Event(*event).payload()
        framed = bytes((len(payload),)) + payload
        return framed + crc_hqx(framed, 0xFFFF).to_bytes(2, "big")

    def decode(self, data: bytes) -> Iterator[Sent]:
        self._pending += data
        while self._pending:
            end = 1 + self._pending[0] + 2
            if self._pending[0] not in range(1, 62):
                self._pending = self._pending[1:]
                continue
            if len(self._pending) < end:
                return
            framed = self._pending[:end]
            if crc_hqx(framed, 0xFFFF) != 0:
                self._pending = self._pending[1:]
                continue
            self._pending = self._pending[end:]
            yield parsed(framed[1:-2])


class JsonLines:
    """One JSON object a line, as many a hobby project does it."""

    name = "JSON lines"

    def __init__(self) -> None:
        self._pending = b""

    def encode(self, event: Sent) -> bytes:
        return json.dumps(dict(zip(("n", "age", "input", "down"), event, strict=True))).encode() + b"\n"

    def decode(self, data: bytes) -> Iterator[Sent]:
        *lines, self._pending = (self._pending + data).split(b"\n")
        for line in lines:
            try:
                value = json.loads(line)
                yield int(value["n"]), int(value["age"]), int(value["input"]), bool(value["down"])
            except (ValueError, KeyError, TypeError, OverflowError):
                continue


Framing = CobsWithChecks | CobsWithCrc | LengthPrefixed | JsonLines


def over_bad_line(framing: Framing, rate: float, seed: int) -> tuple[float, int]:
    """Goodput in events/s at line rate, and the count of wrong ones: never sent, or taken before."""
    random = Random(seed)
    spoil: Callable[[bytes], bytes] = damage.bytes_at(rate, random) if rate else damage.none
    due: set[Sent] = set()
    right = wrong = on_the_wire = 0
    for number in range(MESSAGES):
        event = (number, random.randrange(256), random.randrange(25), random.random() < 0.5)
        due.add(event)
        wire = framing.encode(event)
        on_the_wire += len(wire)
        for found in framing.decode(spoil(wire)):
            right += found in due
            wrong += found not in due
            due.discard(found)
    return right / (on_the_wire * BYTE_S), wrong


def framings() -> None:
    """Prints what bad lines leave of each framing."""
    print(f"right events/s at 115200 baud (median of {SEEDS} seeds) | wrong frames in a million sent")
    print(f"{'damaged bytes':<24}" + "".join(f"{rate:>18.1%}" for rate in RATES))
    for kind in (CobsWithChecks, CobsWithCrc, LengthPrefixed, JsonLines):
        cells = []
        for rate in RATES:
            runs = [over_bad_line(kind(), rate, seed) for seed in range(SEEDS)]
            good = median(good for good, _ in runs)
            wrong = sum(wrong for _, wrong in runs) / (SEEDS * MESSAGES) * 1e6
            cells.append(f"{good:9.0f} |{wrong:7.0f}")
        print(f"{kind.name:<24}" + "".join(cells))


def link(world: World) -> None:
    world.run_until(lambda: world.linked, 60)


def whole_link(seconds: float = 10.0) -> None:
    """Prints what the sessions, with acknowledging and resending, deliver once and in order."""
    cells = []
    for rate in RATES:
        runs = []
        for seed in range(SEEDS):
            world = World()
            if rate:
                world.up.damage = damage.bytes_at(rate, Random(seed))
                world.down.damage = damage.bytes_at(rate, Random(seed + 100))
            link(world)
            start, n = world.now, 0
            while world.now < start + seconds:
                while world.undelivered < 16:
                    world.change(n % 25, pressed=n // 25 % 2 == 0)
                    n += 1
                world.step(start + seconds)
            runs.append(world.received / seconds)
        cells.append(f"{median(runs):9.0f} |{0:7}")
    # The world's judge stops the run at the first wrong or doubled event, so none is what it found.
    print(f"{'sessions, in order':<24}" + "".join(cells))


if __name__ == "__main__":
    times()
    framings()
    whole_link()
