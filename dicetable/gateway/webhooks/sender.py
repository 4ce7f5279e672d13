"""Sends what happens to each address, in tasks of their own: one that is slow or gone holds up no other."""

from __future__ import annotations

import asyncio
import json
import logging
import time
import uuid
from contextlib import suppress
from datetime import UTC, datetime
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, Final

from dicetable.gateway.settings import secret
from dicetable.gateway.webhooks import signing
from dicetable.gateway.webhooks.address import allowed_as
from dicetable.gateway.webhooks.outbox import Delivery, WebhookOutbox
from dicetable.gateway.webhooks.request import NoAnswerError, post

if TYPE_CHECKING:
    from dicetable.gateway.events import Event
    from dicetable.gateway.settings import Webhook, Webhooks

EVENT_S: Final = 600.0
"""How long an event is worth delivering."""
BODY_S: Final = 30.0
"""How long a body from the config is worth delivering: it makes a device act, which is no use much later."""
AGAIN: Final = frozenset({408, 425, 429})
"""Answers below 500 that do not mean no for good."""

log = logging.getLogger(__name__)


class Hook:
    """One address and what waits for it."""

    def __init__(self, webhook: Webhook, secret_file: str, *, allowed: bool) -> None:
        self.webhook = webhook
        self.secret_file = secret_file
        self.allowed = allowed
        self.host = allowed_as(webhook.url)
        self.outbox = WebhookOutbox()
        self.more = asyncio.Event()
        self.told = ""

    def put(self, event: Event) -> None:
        """Takes an event that is wanted here."""
        if event["event"] not in self.webhook.events:
            return
        lasts_s = EVENT_S if self.webhook.body is None else BODY_S
        body = as_json(event) if self.webhook.body is None else self.webhook.body
        until_s = asyncio.get_running_loop().time() + lasts_s
        self.outbox.put(Delivery(f"msg_{uuid.uuid4().hex}", body.encode(), until_s))
        self.more.set()

    async def run(self) -> None:
        """Delivers until it is cancelled."""
        if not self.allowed:
            self.note("is not in webhooks.allow: nothing is sent there")
            return
        loop = asyncio.get_running_loop()
        while True:
            self.more.clear()
            delivery = self.outbox.due(loop.time())
            if delivery is not None:
                await self.deliver(delivery)
                continue
            with suppress(TimeoutError):
                async with asyncio.timeout(self.outbox.until_due_s(loop.time())):
                    await self.more.wait()

    async def deliver(self, delivery: Delivery) -> None:
        """One try."""
        try:
            key = signing.key_of(secret(self.secret_file))
            headers = {
                "content-type": "application/json",
                "user-agent": f"dicetable/{version('dicetable')}",
                **signing.headers(key, delivery.id, int(time.time()), delivery.body),
            }
            status = await post(self.webhook.url, headers, delivery.body)
        except NoAnswerError as error:
            why = str(error)
        except OSError as error:
            why = f"{self.secret_file}: {error.strerror}"
        else:
            if 200 <= status < 300:
                self.outbox.arrived(delivery)
                self.note("")
                return
            why = f"answers {status}"
            if status < 500 and status not in AGAIN:
                self.outbox.refused(delivery)
                self.note(f"{why}{', and no redirect is followed' if 300 <= status < 400 else ''}")
                return
        self.outbox.failed(asyncio.get_running_loop().time())
        self.note(why)

    def note(self, why: str) -> None:
        """Says once in the log why nothing is delivered, and once that it is again."""
        if why == self.told:
            return
        self.told = why
        if why:
            log.warning("webhook=%s why=%r", self.host, why)
        else:
            log.info("webhook=%s delivers again", self.host)


class Sender:
    """All addresses."""

    def __init__(self, webhooks: Webhooks) -> None:
        allow = {host.lower() for host in webhooks.allow}
        self.hooks = [
            Hook(each, webhooks.secret_file, allowed=allowed_as(each.url) in allow) for each in webhooks.to
        ]

    def tell(self, state: dict[str, Any] | None, events: list[Event]) -> None:  # noqa: ARG002 - events alone
        """What has newly happened."""
        for event in events:
            for hook in self.hooks:
                hook.put(event)

    async def run(self) -> None:
        """Until it is cancelled."""
        async with asyncio.TaskGroup() as tasks:
            for hook in self.hooks:
                tasks.create_task(hook.run())


def as_json(event: Event) -> str:
    """An event as it is sent."""
    data = {key: value for key, value in event.items() if key != "event"}
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps({"type": event["event"], "timestamp": now, "data": data}, ensure_ascii=False)
