"""A panel whose firmware runs in real time."""

from __future__ import annotations

import asyncio
from random import Random
from typing import TYPE_CHECKING

from firmware_bridge.host_session import HostSession
from firmware_bridge.serial_link import LinkEvent, SerialLink
from tests.firmware_bridge.world import EXPECTED, SOFTWARE

if TYPE_CHECKING:
    from pathlib import Path


HANGING_S = 300  # bounds what hangs; nothing here measures time


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
