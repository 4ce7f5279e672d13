"""Follows the table and tells whoever wants to know: the broker, the webhooks.

Each of them takes what it is told at once and does its work in a task of its own: none waits for another.
"""

from __future__ import annotations

import asyncio
import json
import logging
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final, Protocol

from dicetable.gateway.events import NewEvents
from dicetable.gateway.league import LeagueRelay, Upload
from dicetable.gateway.machine import temperature_c
from dicetable.gateway.metrics.families import Broker, Target

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from dicetable.gateway.events import Event
    from dicetable.gateway.link import TableLink
    from dicetable.gateway.mqtt.publisher import Publisher
    from dicetable.gateway.signal_settings import Signals
    from dicetable.gateway.webhooks.sender import Sender

PAUSE_S: Final = 10.0
"""After a fault of one part, which never becomes one of another, it is started anew."""

log = logging.getLogger(__name__)


class Listener(Protocol):
    """Somebody who is told what the table does."""

    def tell(self, state: dict[str, Any] | None, events: list[Event]) -> None:
        """The newest state, None while the table is away, and what has newly happened; never waits."""

    async def run(self) -> None:
        """Does its work until it is cancelled."""


class Signalling:
    """All listeners of one table.

    `control` asks the table for what broker and league bring; `show` puts a text on every screen.
    """

    def __init__(
        self, link: TableLink, signals: Signals, control: TableLink, show: Callable[[str], None]
    ) -> None:
        self.link = link
        self.control = control
        self.league = signals.league
        self.new = NewEvents()
        self.publisher: Publisher | None = None
        self.sender: Sender | None = None
        if signals.mqtt is not None:
            from dicetable.gateway.mqtt.commands import Commands
            from dicetable.gateway.mqtt.publisher import Publisher

            commands = Commands(control, show)
            self.publisher = Publisher(signals.mqtt, version("dicetable"), temperature_c, commands)
        if signals.webhooks is not None:
            from dicetable.gateway.webhooks.sender import Sender

            self.sender = Sender(signals.webhooks)

    @property
    def listeners(self) -> Sequence[Listener]:
        """Those that are switched on."""
        return [each for each in (self.publisher, self.sender) if each is not None]

    async def run(self) -> None:
        """Until it is cancelled."""
        works = [self.follow, *(listener.run for listener in self.listeners)] if self.listeners else []
        if self.league:
            upload = Upload(self.link, self.league)
            works += [upload.run, LeagueRelay(upload).run]
        async with asyncio.TaskGroup() as tasks:
            for work in works:
                tasks.create_task(kept_up(work))

    async def follow(self) -> None:
        """Tells each state that the table tells."""
        told: bytes | None = b""
        while True:
            news, state = self.link.news, self.link.state
            if state is told:
                await news.wait()
                continue
            told = state
            parsed = json.loads(state) if state is not None else None
            events = self.new.of(parsed) if parsed is not None else []
            for listener in self.listeners:
                listener.tell(parsed, events)

    def broker(self) -> Broker | None:
        """How the broker is reached; None if there is none."""
        found = self.publisher
        return Broker(found.connected, found.published, found.dropped) if found is not None else None

    def targets(self) -> Sequence[Target]:
        """How each webhook goes."""
        hooks = self.sender.hooks if self.sender is not None else ()
        return [
            Target(each.host, each.outbox.delivered, each.outbox.dropped, len(each.outbox.waiting))
            for each in hooks
        ]


async def kept_up(work: Callable[[], Awaitable[None]]) -> None:
    """Does the work until it is done; begins anew after a fault that nobody has foreseen."""
    while True:
        try:
            await work()
        except Exception:  # what is wrong here is in the log, and every other part goes on
            log.exception("signals=failed pause_s=%g", PAUSE_S)
            await asyncio.sleep(PAUSE_S)
        else:
            return
