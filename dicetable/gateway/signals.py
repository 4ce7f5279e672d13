"""Follows the table and passes its states and events on: to the MQTT broker, the webhooks and the league.

Each of them takes a state at once and works in a task of its own: none waits for another.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, Protocol

from dicetable.gateway.events import Event, NewEvents
from dicetable.gateway.league import LeagueRelay, Upload
from dicetable.gateway.link import TableLink
from dicetable.gateway.metrics import BrokerStats, WebhookStats, temperature_c
from dicetable.gateway.settings import Signals

if TYPE_CHECKING:
    from dicetable.gateway.mqtt import Publisher
    from dicetable.gateway.webhooks import Sender

PAUSE_S: Final = 10.0
"""After an unexpected error of one part, it is restarted so much later."""

log = logging.getLogger(__name__)


class Listener(Protocol):
    """Follows the table."""

    def update(self, state: dict[str, Any] | None, events: list[Event]) -> None:
        """Takes the newest state, None while the table is away, and its new events; never waits."""

    async def run(self) -> None:
        """Works until it is cancelled."""


class Signalling:
    """All listeners of one table.

    `show` puts a text on every screen.
    """

    def __init__(self, link: TableLink, signals: Signals, show: Callable[[str], None]) -> None:
        self.link = link
        self.league = signals.league
        self.new = NewEvents()
        self.publisher: Publisher | None = None
        self.sender: Sender | None = None
        if signals.mqtt is not None:
            from dicetable.gateway.mqtt import Commands, Publisher

            commands = Commands(link, show)
            self.publisher = Publisher(signals.mqtt, version("dicetable"), temperature_c, commands)
        if signals.webhooks is not None:
            from dicetable.gateway.webhooks import Sender

            self.sender = Sender(signals.webhooks)
        self.listeners: Sequence[Listener] = [
            each for each in (self.publisher, self.sender) if each is not None
        ]

    async def run(self) -> None:
        """Runs until it is cancelled."""
        works = [self.follow, *(listener.run for listener in self.listeners)] if self.listeners else []
        if self.league:
            upload = Upload(self.link, self.league)
            works += [upload.run, LeagueRelay(upload).run]
        async with asyncio.TaskGroup() as tasks:
            for work in works:
                tasks.create_task(keep_running(work))

    async def follow(self) -> None:
        """Passes each state on."""
        passed: bytes | None = b""
        while True:
            news, state = self.link.news, self.link.state
            if state is passed:
                await news.wait()
                continue
            passed = state
            parsed = json.loads(state) if state is not None else None
            events = self.new.of(parsed) if parsed is not None else []
            for listener in self.listeners:
                listener.update(parsed, events)

    def broker(self) -> BrokerStats | None:
        """The state of the connection to the broker; None without a broker in the config."""
        found = self.publisher
        return BrokerStats(found.connected, found.published, found.dropped) if found is not None else None

    def webhooks(self) -> Sequence[WebhookStats]:
        """What became of each webhook."""
        hooks = self.sender.hooks if self.sender is not None else ()
        return [
            WebhookStats(each.host, each.outbox.delivered, each.outbox.dropped, len(each.outbox.waiting))
            for each in hooks
        ]


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
