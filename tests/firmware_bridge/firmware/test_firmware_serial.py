"""The whole path in real time: event loop, terminal device, firmware on its processor, pins, and back."""

from __future__ import annotations

import asyncio
from random import Random
from typing import TYPE_CHECKING

from firmware_bridge.host_session import HostSession, InputChanged, InputsReported, Linked, LossCause, Lost
from firmware_bridge.messages import Lamp, LampMode
from firmware_bridge.serial_link import LinkEvent, SerialLink
from tests.firmware_bridge.world import EXPECTED, LAMPS, SOFTWARE

if TYPE_CHECKING:
    from pathlib import Path

HANGING_S = 30  # bounds what hangs; nothing here measures time
COLOUR_ON_THE_CHAIN = "0c030201" * LAMPS  # brightness, blue, green, red


class RealTimePanel:
    """The simulator with a terminal device for its UART, and a link to it."""

    def __init__(self, board: asyncio.subprocess.Process) -> None:
        assert board.stdin is not None
        assert board.stdout is not None
        self._board, self._commands, self._answers = board, board.stdin, board.stdout
        self._told: asyncio.Queue[LinkEvent] = asyncio.Queue()

    @classmethod
    async def start(cls, simulator: Path, elf: Path, *bootloader: Path) -> RealTimePanel:
        pipe, files = asyncio.subprocess.PIPE, (elf, *bootloader)
        return cls(await asyncio.create_subprocess_exec(simulator, "--pty", *files, stdin=pipe, stdout=pipe))

    async def stop(self) -> None:
        self._commands.close()
        await self._board.communicate()

    def connect(self, path: Path) -> SerialLink:
        link = SerialLink(path, HostSession(1234, EXPECTED, SOFTWARE), self._told.put_nowait, Random(1))
        link.start()
        return link

    def command(self, text: str) -> None:
        self._commands.write(f"{text}\n".encode())

    async def answer(self, start: str) -> str:
        """The rest of the board's next line that begins so."""
        while line := (await self._answers.readline()).decode():
            if line.startswith(start):
                return line.removeprefix(start).strip()
        raise AssertionError("the simulator has ended")

    async def event(self, kind: type[LinkEvent]) -> LinkEvent:
        while not isinstance(event := await self._told.get(), kind):
            pass
        return event


async def press_and_show(panel: RealTimePanel, button: int) -> None:
    """A link comes up, the view comes out of the pins, and a pressed button arrives."""
    await panel.event(Linked)
    await panel.event(InputsReported)
    while COLOUR_ON_THE_CHAIN not in await panel.answer("lamps"):
        pass
    panel.command(f"input 0 {button} 1")
    changed = await panel.event(InputChanged)
    assert isinstance(changed, InputChanged)
    assert (changed.input, changed.pressed) == (button, True)


def test_button_and_view_through_a_reset(simulator: Path, panel_elf: Path, tmp_path: Path) -> None:
    async def run() -> None:
        async with asyncio.timeout(HANGING_S):
            panel = await RealTimePanel.start(simulator, panel_elf)
            device = tmp_path / "panel"
            device.symlink_to(await panel.answer("pty"))
            link = panel.connect(device)
            link.show((Lamp(LampMode.ON, 1, 2, 3),) * LAMPS, ("one", "two", "three", "four"))
            await press_and_show(panel, 7)
            panel.command("reset button")
            assert await panel.event(Lost) == Lost(LossCause.BOARD_RESET)
            await press_and_show(panel, 8)
            link.close()
            await panel.stop()

    asyncio.run(run())
