"""Follows the table and passes its states and events on: to the MQTT broker, the webhooks and the league.

Each of them takes a state at once and works in a task of its own: none waits for another.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Final

from gateway.link import TableLink
from gateway.settings import Signals
from gateway.signals.events import NewEvents
from gateway.signals.league import LeagueRelay, Upload
from gateway.signals.metrics import temperature_c

if TYPE_CHECKING:
    from gateway.signals.mqtt import MqttPublisher
    from gateway.signals.webhooks import Hook

PAUSE_S: Final = 10.0
"""After an unexpected error of one part, it is restarted so much later."""

log = logging.getLogger(__name__)


class Signalling:
    """All listeners of one table; `show` puts a text on every screen."""

    def __init__(self, link: TableLink, signals: Signals, show: Callable[[str], None]) -> None:
        self.link = link
        self.league = signals.league
        self.new = NewEvents()
        self.publisher: MqttPublisher | None = None
        self.hooks: Sequence[Hook] = ()
        if signals.mqtt is not None:
            from gateway.signals.mqtt import Commands, MqttPublisher

            commands = Commands(link, show)
            self.publisher = MqttPublisher(signals.mqtt, version("dicetable"), temperature_c, commands)
        if signals.webhooks is not None:
            from gateway.signals.webhooks import hooks

            self.hooks = hooks(signals.webhooks)
        self.listeners = [*([self.publisher] if self.publisher else []), *self.hooks]

    async def run(self) -> None:
        works: list[Callable[[], Awaitable[None]]] = [listener.run for listener in self.listeners]
        if works:
            works.append(self.follow)
        if self.league:
            upload = Upload(self.link, self.league)
            works += [upload.run, LeagueRelay(upload).run]
        async with asyncio.TaskGroup() as tasks:
            for work in works:
                tasks.create_task(keep_running(work))

    async def follow(self) -> None:
        """Passes each state on, and the events that are new in it."""
        passed: bytes | None = b""
        while True:
            news, state = self.link.news, self.link.state
            if state is passed:
                await news.wait()
                continue
            passed = state
            snapshot = self.link.snapshot()
            events = self.new.of(snapshot) if snapshot is not None else []
            for listener in self.listeners:
                listener.update(snapshot, events)


async def keep_running(work: Callable[[], Awaitable[None]]) -> None:
    """Works until it is done; restarts after an unexpected error."""
    while True:
        try:
            await work()
        except Exception:  # the log has it, and every other part goes on
            log.exception("signals=failed pause_s=%g", PAUSE_S)
            await asyncio.sleep(PAUSE_S)
        else:
            return
