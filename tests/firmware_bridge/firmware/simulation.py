"""The firmware on the simulated ATmega328P, in step with a host session, in the board's time."""

from __future__ import annotations

import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

from firmware_bridge.host_session import HostEvent, HostSession, InputChanged, InputsReported, Linked
from tests.firmware_bridge.firmware.display import Display
from tests.firmware_bridge.world import BYTE_S, EXPECTED, SOFTWARE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from firmware_bridge.messages import BoardHello, BoardLamp

SLICE_US = 500
LINK_US = 2_000_000
POWER_UP_US = 80_000  # until the display shows the first text


@dataclass(frozen=True, slots=True)
class LampFrame:
    """What the lamps' chain was told: brightness of 31 and the colour of each lamp."""

    us: int
    brightness: tuple[int, ...]
    colours: tuple[tuple[int, int, int], ...]


class SimulatedPanel:
    """The board, what hangs on its pins, and a host session at the other end of its UART."""

    def __init__(self, program: Path, elf: Path, bootloader: Path | None = None) -> None:
        command = [program, elf, *([bootloader] if bootloader else [])]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="ascii"
        )
        self.now_us = 0
        self.slice_us = SLICE_US  # how often the host looks at the line
        self.display = Display()
        self.lamps: list[LampFrame] = []
        self.inputs: list[tuple[int, int, bool]] = []
        self.resets: list[int] = []  # of the processor
        self.starts: list[int] = []  # of the program
        self.events: list[tuple[int, HostEvent]] = []
        self.damage_up: Callable[[bytes], bytes] = lambda data: data
        self.damage_down: Callable[[bytes], bytes] = lambda data: data
        self.connected = True
        self._boots = 0x5000
        self.new_host()

    def close(self) -> None:
        self._process.communicate()

    def new_host(self) -> None:
        self._boots += 1
        self.host = HostSession(self._boots, EXPECTED, SOFTWARE)
        self.host.connected(self.now_us / 1e6)

    def command(self, text: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(text + "\n")

    def move(self, which: int, *, pressed: bool, in_us: int = 0) -> None:
        self.command(f"input {in_us} {which} {int(pressed)}")

    def press(self, which: int) -> None:
        self.move(which, pressed=True)

    def release(self, which: int) -> None:
        self.move(which, pressed=False)

    def show(self, lamps: tuple[BoardLamp, ...], lines: tuple[str, ...]) -> None:
        self.host.show(lamps, lines)

    def run(self, us: int) -> None:
        until = self.now_us + us
        while self.now_us < until:
            self._slice()

    def run_until(self, reached: Callable[[], bool], at_most_us: int = LINK_US) -> None:
        until = self.now_us + at_most_us
        while not reached():
            assert self.now_us < until, f"not reached within {at_most_us} us"
            self._slice()

    def settle(self) -> None:
        """Links, and lets the view come to the display."""
        self.run_until(lambda: any(isinstance(event, InputsReported) for _, event in self.events))
        self.run_until(lambda: self.host.shown)
        self.run(POWER_UP_US)

    @property
    def boards(self) -> list[BoardHello]:
        """The board as it introduced itself at each link."""
        return [event.board for _, event in self.events if isinstance(event, Linked)]

    @property
    def changes(self) -> list[tuple[int, bool]]:
        """The inputs' changes in the order that the host session told them."""
        return [(e.input, e.pressed) for _, e in self.events if isinstance(e, InputChanged)]

    @property
    def lost(self) -> int:
        return sum(event.lost for _, event in self.events if isinstance(event, InputsReported))

    def _slice(self) -> None:
        if self.connected:
            outgoing = self.damage_down(self.host.outgoing(self.now_us / 1e6))
            if outgoing:
                self.command(f"rx {outgoing.hex()}")
        self.command(f"run {self.slice_us}")
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.flush()
        for line in self._process.stdout:
            what, *rest = line.split()
            if what == ".":
                self.now_us = int(rest[0])
                break
            self._note(what, rest)
        else:
            raise AssertionError("the simulator has ended")
        now = self.now_us / 1e6
        self.events += [(self.now_us, event) for event in self.host.advance(now)]

    def _note(self, what: str, rest: list[str]) -> None:
        if what == "tx":
            us = int(rest[0]) + round(BYTE_S * 1e6)  # a byte has arrived when its last bit has
            data = self.damage_up(bytes.fromhex(rest[1])) if self.connected else b""
            self.events += [(us, event) for event in self.host.receive(data, us / 1e6)]
        elif what == "lamps":
            words = [int(rest[1][at : at + 8], 16) for at in range(0, len(rest[1]), 8)]
            colours = tuple((word & 255, word >> 8 & 255, word >> 16 & 255) for word in words)
            self.lamps.append(LampFrame(int(rest[0]), tuple(word >> 24 for word in words), colours))
        elif what == "lcd":
            self.display.take(int(rest[0]), is_data=rest[1] == "1", nibble=int(rest[2], 16))
        elif what == "input":
            self.inputs.append((int(rest[0]), int(rest[1]), rest[2] == "1"))
        elif what == "reset":
            self.resets.append(int(rest[0]))
        elif what == "start":
            self.starts.append(int(rest[0]))
