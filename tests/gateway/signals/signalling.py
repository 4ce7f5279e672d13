"""The gateway's signals in this process, with a fake table whose state a test sets."""

from __future__ import annotations

import asyncio
import json
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from gateway.link import TableLink
from gateway.settings import Mqtt, Webhook
from gateway.signals.mqtt import MqttPublisher
from gateway.signals.signalling import Signalling
from gateway.signals.webhooks import Delivery, Hook
from tests.gateway.states import IDLE

if TYPE_CHECKING:
    from collections.abc import AsyncIterator
    from pathlib import Path

    from gateway.settings import Signals


def told(**changes: Any) -> bytes:
    """A state of the table, idle but for the changes."""
    return json.dumps({**IDLE, **changes}).encode()


def event(row: int, kind: str = "rack", **more: Any) -> dict[str, Any]:
    return {"row": row, "event": kind, "game": "six_by_6", "seat": "Ann", **more}


def connected() -> tuple[MqttPublisher, list[Hook]]:
    """A broker that got five messages, and a webhook: one delivered, two dropped, three waiting."""
    publisher = MqttPublisher(Mqtt("a", 1883, "dicetable", "homeassistant", 2), "1.2.3", lambda: None)
    publisher.connected, publisher.published = True, 5
    hook = Hook(Webhook("http://a/", ()), "", allowed=True)
    hook.outbox.delivered, hook.outbox.dropped = 1, 2
    hook.outbox.waiting.extend(Delivery(str(number), b"", 0.0) for number in range(3))
    return publisher, [hook]


@asynccontextmanager
async def signalling(
    state: Path, signals: Signals, said: list[str] | None = None
) -> AsyncIterator[Signalling]:
    """The link to the table and all listeners until the end of the block; `said` is put on the screens."""
    link = TableLink(state)
    shown = said if said is not None else []
    made = Signalling(link, signals, shown.append)
    tasks = [asyncio.create_task(each.run()) for each in (link, made)]
    try:
        yield made
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
