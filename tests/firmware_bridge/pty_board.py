"""A board behind a pseudo-terminal, and the events of a link to it, for tests in real time."""

from __future__ import annotations

import asyncio
import os
import pty
import tty
from contextlib import suppress
from typing import TYPE_CHECKING

from firmware_bridge.messages import TEXT_LINES, Version
from firmware_bridge.serial_link import LinkEvent, PortFailed
from tests.firmware_bridge.board_session import BoardIdentity, BoardSession, LampsSet, LineSet
from tests.firmware_bridge.world import EXPECTED

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from firmware_bridge.errors import (
        PortError,
    )
    from firmware_bridge.messages import BoardLamp

HANGING_S = 300  # bounds what hangs; nothing here measures time


class PtyBoard:
    """A board session behind a pseudo-terminal; unplugging closes both of its ends, as a hub does."""

    def __init__(self, path: Path, boot_id: int = 99) -> None:
        self._path = path
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self.lamps: tuple[BoardLamp, ...] | None = None
        self.lines = [""] * TEXT_LINES
        self.reset(boot_id)
        self.plug()

    def reset(self, boot_id: int) -> None:
        identity = BoardIdentity(
            EXPECTED.board_id, Version(1, 0, 0), EXPECTED.inputs, EXPECTED.lamps, boot_id
        )
        self.session = BoardSession(identity, self._loop.time())

    def plug(self) -> None:
        self._master, self._slave = pty.openpty()
        tty.setraw(self._slave)
        os.set_blocking(self._master, False)
        self._loop.add_reader(self._master, self._readable)
        fresh = self._path.with_suffix(".new")
        fresh.symlink_to(os.ttyname(self._slave))
        fresh.rename(self._path)
        os.close(self._slave)
        self._pump()

    def unplug(self) -> None:
        self._path.unlink(missing_ok=True)
        self.hang_up()

    def hang_up(self) -> None:
        self.stall()
        os.close(self._master)

    def stall(self) -> None:
        """Neither reads nor says anything more; its device stays."""
        self._loop.remove_reader(self._master)
        if self._timer is not None:
            self._timer.cancel()

    def go_on(self) -> None:
        """Reads again what was sent meanwhile."""
        self._loop.add_reader(self._master, self._readable)

    def press(self, which: int, *, pressed: bool = True) -> None:
        """A button goes down or up; it is told when the board is plugged in."""
        self.session.change(which, self._loop.time(), pressed=pressed)
        self._pump()

    def _readable(self) -> None:
        with suppress(OSError):
            for event in self.session.receive(os.read(self._master, 4096), self._loop.time()):
                if isinstance(event, LampsSet):
                    self.lamps = event.lamps
                elif isinstance(event, LineSet):
                    self.lines[event.line] = event.text
        self._pump()

    def _pump(self) -> None:
        with suppress(OSError):
            os.write(self._master, self.session.outgoing(self._loop.time()))
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(self.session.due, self._timed)

    def _timed(self) -> None:
        self.session.advance(self._loop.time())
        self._pump()


class LinkEvents:
    """The events of a link, and waiting for them."""

    def __init__(self) -> None:
        self.events: list[LinkEvent] = []
        self._news = asyncio.Event()

    def __call__(self, event: LinkEvent) -> None:
        self.events.append(event)
        self._news.set()

    async def until(self, reached: Callable[[LinkEvent], bool]) -> LinkEvent:
        """The first event from now on for which it holds, removed with all before it."""
        async with asyncio.timeout(HANGING_S):
            while True:
                while self.events:
                    event = self.events.pop(0)
                    if reached(event):
                        return event
                self._news.clear()
                await self._news.wait()

    async def kind(self, kind: type[LinkEvent]) -> LinkEvent:
        return await self.until(lambda event: isinstance(event, kind))

    async def error(self, cause: type[PortError]) -> PortError:
        event = await self.until(lambda e: isinstance(e, PortFailed) and isinstance(e.reason, cause))
        assert isinstance(event, PortFailed)
        return event.reason


async def until(reached: Callable[[], bool]) -> None:
    async with asyncio.timeout(HANGING_S):
        while not reached():
            await asyncio.sleep(0.01)
