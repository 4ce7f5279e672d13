"""The panel's board as a USB serial device of a real kernel, with a cable that is pulled and put in again."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tty
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from firmware_bridge.messages import BoardLampMode, Version
from hardware.conformance import PANEL_RULES, until
from hardware.ports import CONTROLS, LAMPS, WHOLE_BOARD
from hardware.serial_panel import BOARD_ID, SerialPanel
from tests.firmware_bridge.board_session import BoardIdentity, BoardSession, LampsSet, LineSet

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

HOST = Path("/dev/ttyACM0")
BOARD = Path("/dev/ttyGS0")
RULES = {rule.__name__: rule for rule in PANEL_RULES}
HANGING_S = 300  # bounds what hangs; nothing here measures time


def modprobe(*arguments: str) -> None:
    subprocess.run(["modprobe", *arguments], check=True)


@pytest.fixture
def cable() -> Iterator[None]:
    modprobe("cdc_acm")
    modprobe("dummy_hcd")
    modprobe("g_serial")
    yield
    subprocess.run(["modprobe", "-r", "g_serial"], check=False)


class GadgetBoard:
    """A board's session at the other end of the cable."""

    def __init__(self) -> None:
        self.lamps: list[bool] = [False] * len(LAMPS)
        self.lines = [""] * 4
        self.loop = asyncio.get_running_loop()
        identity = BoardIdentity(BOARD_ID, Version(1, 0, 0), len(CONTROLS), len(LAMPS), boot_id=77)
        self.session = BoardSession(identity, self.loop.time())
        self.device: int | None = None
        self.timer: asyncio.TimerHandle | None = None

    async def plug(self) -> None:
        async with asyncio.timeout(HANGING_S):
            while not BOARD.exists():
                await asyncio.sleep(0.01)
            while self.device is None:
                with suppress(OSError):
                    self.device = os.open(BOARD, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
                await asyncio.sleep(0.01)
        tty.setraw(self.device)
        self.loop.add_reader(self.device, self.readable)
        self.pump()

    def unplug(self) -> None:
        if self.timer is not None:
            self.timer.cancel()
        if self.device is not None:
            self.loop.remove_reader(self.device)
            os.close(self.device)
            self.device = None

    def readable(self) -> None:
        if self.device is None:
            return
        data = b""
        with suppress(OSError):
            data = os.read(self.device, 4096)
        for event in self.session.receive(data, self.loop.time()):
            if isinstance(event, LampsSet):
                self.lamps = [lamp.mode is not BoardLampMode.OFF for lamp in event.lamps]
            elif isinstance(event, LineSet):
                self.lines[event.line] = event.text.rstrip()
        self.pump()

    def pump(self) -> None:
        if self.device is None:
            return
        self.session.advance(self.loop.time())
        with suppress(OSError):
            os.write(self.device, self.session.outgoing(self.loop.time()))
        if self.timer is not None:
            self.timer.cancel()
        self.timer = self.loop.call_at(max(self.session.due, self.loop.time() + 0.001), self.pump)


class Bench:
    """The cable with the panel at one end and a board at the other."""

    controls: Sequence[str] = CONTROLS[:6]
    lamps: Sequence[str] = LAMPS

    def __init__(self) -> None:
        self.panel = SerialPanel(HOST)
        self.board = GadgetBoard()
        self.tasks: set[asyncio.Task[None]] = set()

    def start(self) -> None:
        self.panel.start(lambda: None)

    def stop(self) -> None:
        self.panel.stop()

    def press(self, control: str, *, down: bool) -> None:
        self.board.session.change(WHOLE_BOARD.controls[control], self.board.loop.time(), pressed=down)
        self.board.pump()

    def lit(self) -> set[str]:
        return {name for name, on in zip(LAMPS, self.board.lamps, strict=True) if on}

    def lines(self) -> list[str]:
        return self.board.lines

    def unplug(self) -> None:
        self.board.unplug()
        modprobe("-r", "g_serial")

    def plug(self) -> None:
        modprobe("g_serial")
        task = asyncio.get_running_loop().create_task(self.board.plug())
        self.tasks.add(task)


@pytest.mark.usefixtures("cable")
@pytest.mark.parametrize("rule", RULES)
def test_rule(rule: str) -> None:
    async def keep() -> None:
        bench = Bench()
        await bench.board.plug()
        try:
            await RULES[rule](bench)
        finally:
            bench.stop()
            bench.board.unplug()

    asyncio.run(keep())


@pytest.mark.usefixtures("cable")
def test_a_cable_that_is_pulled_again_and_again_heals() -> None:
    async def story() -> None:
        bench = Bench()
        await bench.board.plug()
        bench.start()
        for _ in range(3):
            await until(lambda: bench.panel.degraded is None, "not linked")
            bench.unplug()
            await until(lambda: bench.panel.degraded is not None, "its loss was not noticed")
            bench.plug()
        await until(lambda: bench.panel.degraded is None, "not linked again")
        bench.stop()
        bench.board.unplug()

    asyncio.run(story())
