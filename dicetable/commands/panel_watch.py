"""The live test of a panel: prints presses and what degrades it, and shows on it what was pressed."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hardware.ports import LAMPS, Colour, Lamp, LampMode, PanelView

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardware.ports import Degraded, Panel, Press

POLL_S = 0.02
COLOURS = {"minus": Colour.RED, "plus": Colour.GREEN, "ok": Colour.WHITE, "menu": Colour.BLUE}


class PanelWatch:
    """Reports what happens at a panel, line by line; answers each press with its lamp and on the display."""

    def __init__(self, panel: Panel, report: Callable[[str], None]) -> None:
        self.panel = panel
        self.report = report
        self.came_up = False
        self._degraded: Degraded | None = None
        self._news = asyncio.Event()

    async def run(self, seconds: float | None) -> None:
        """Watches for that many seconds, or until it is cancelled."""
        self.panel.show(
            PanelView(dict.fromkeys(LAMPS, Lamp(LampMode.PULSE)), ["dicetable panel", "press a button"])
        )
        self.panel.start(self._news.set)
        try:
            async with asyncio.timeout(seconds):
                self._report_degraded(first=True)
                while True:
                    await self._wait()
                    self._report_degraded(first=False)
                    for press in self.panel.presses():
                        self._answer(press)
        except TimeoutError:
            return
        finally:
            self.panel.stop()

    async def _wait(self) -> None:
        """Waits for news; a panel that does not report news is polled."""
        self._news.clear()
        try:
            async with asyncio.timeout(POLL_S):
                await self._news.wait()
        except TimeoutError:
            return

    def _report_degraded(self, *, first: bool) -> None:
        degraded = self.panel.degraded
        if degraded == self._degraded and not first:
            return
        self._degraded = degraded
        self.came_up = self.came_up or degraded is None
        self.report(f"{degraded.what}: {degraded.remedy}" if degraded else "the panel is connected")

    def _answer(self, press: Press) -> None:
        self.report(f"{press.number:5} {press.control:12} {'down' if press.down else 'up'}")
        seat, _, key = press.control.partition(".")
        lamps = {seat: Lamp(LampMode.ON, COLOURS[key])} if press.down else {}
        self.panel.show(PanelView(lamps, ["dicetable panel", press.control, "down" if press.down else "up"]))
