"""Sends events to webhooks: signed, retried, and only to hosts that the config allows.

Each address has a task of its own: one that is slow or gone delays no other.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import hashlib
import hmac
import json
import logging
import ssl
import time
import uuid
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from typing import Final

import h11

from common import texts
from common.network import DEFAULT_PORTS, WEBHOOK_FIELD, allowed_as, webhook_url
from common.snapshot import Snapshot, TableEvent
from gateway.settings import Webhook, Webhooks, secret
from gateway.signals.events import COUNTS
from gateway.streams import wait_at_most

SECRET_PREFIX: Final = b"whsec_"
SHORTEST_SECRET_BYTES: Final = 16
"""The shortest secret that the config takes and that signs: a shorter one can be guessed."""
MOST_WAITING: Final = 100
FIRST_RETRY_S: Final = 1.0
LAST_RETRY_S: Final = 60.0
LONGEST_S: Final = 10.0
"""Time for a whole request: finding the address, connecting, sending, and the head of the response."""
MOST_BYTES: Final = 16 * 1024
"""Longest head of a response that is read."""
EVENT_S: Final = 600.0
"""How long an event is worth delivering."""
BODY_S: Final = 30.0
"""How long a body from the config is worth delivering: it makes a device act, which is of no use later."""
RETRIED: Final = frozenset({408, 425, 429})
"""Status codes below 500 after which a delivery is tried again."""

log = logging.getLogger(__name__)


def hooks(webhooks: Webhooks) -> list[Hook]:
    """All webhooks of the config."""
    allow = {host.lower() for host in webhooks.allow}
    return [
        Hook(webhook, webhooks.secret_file, allowed=allowed_as(webhook.url) in allow)
        for webhook in webhooks.to
    ]


class Hook:
    """One address and its deliveries."""

    def __init__(self, webhook: Webhook, secret_file: str, *, allowed: bool) -> None:
        self.webhook = webhook
        self.secret_file = secret_file
        self.allowed = allowed
        self.host = allowed_as(webhook.url)
        self.outbox = WebhookOutbox()
        self.more = asyncio.Event()
        self.logged = ""

    def update(self, _: Snapshot | None, events: list[TableEvent]) -> None:
        """Queues the events that this address wants."""
        lasts_s = EVENT_S if self.webhook.body is None else BODY_S
        until_s = asyncio.get_running_loop().time() + lasts_s
        for event in events:
            if event["event"] in self.webhook.events:
                body = as_json(event) if self.webhook.body is None else filled(self.webhook.body, event)
                self.outbox.put(Delivery(f"msg_{uuid.uuid4().hex}", body.encode(), until_s))
                self.more.set()

    async def run(self) -> None:
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
            await wait_at_most(self.more, self.outbox.until_due_s(loop.time()))

    async def deliver(self, delivery: Delivery) -> None:
        try:
            line = secret(self.secret_file)
            if len(line) < SHORTEST_SECRET_BYTES:  # it was emptied or cut after the config was checked
                raise NoAnswerError(f"{self.secret_file}: its first line has {len(line)} bytes, needs 16")
            key = signing_key(line)
            headers = {
                "content-type": "application/json",
                "user-agent": f"dicetable/{version('dicetable')}",
                **signed_headers(key, delivery.id, int(time.time()), delivery.body),
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
            if status < 500 and status not in RETRIED:
                self.outbox.refused(delivery)
                self.note(f"{why}{', and no redirect is followed' if 300 <= status < 400 else ''}")
                return
        self.outbox.failed(asyncio.get_running_loop().time())
        self.note(why)

    def note(self, why: str) -> None:
        """Logs once why nothing is delivered, and once that it is again."""
        if why == self.logged:
            return
        self.logged = why
        if why:
            log.warning("webhook=%s why=%r", self.host, why)
        else:
            log.info("webhook=%s delivers again", self.host)


@dataclass(frozen=True, slots=True)
class Delivery:
    """One body; `id` is the same at each try, and after `until_s` it is of no use."""

    id: str
    body: bytes
    until_s: float


@dataclass(slots=True)
class WebhookOutbox:
    """Deliveries in order: the oldest is retried at `next_s`, with growing pauses, until it is too old."""

    waiting: deque[Delivery] = field(default_factory=deque)
    delivered: int = 0
    dropped: int = 0
    next_s: float = float("-inf")
    pause_s: float = 0.0

    def put(self, delivery: Delivery) -> None:
        """Adds a delivery; if too many wait, it drops the oldest."""
        if len(self.waiting) >= MOST_WAITING:
            self.waiting.popleft()
            self.dropped += 1
        self.waiting.append(delivery)

    def due(self, now_s: float) -> Delivery | None:
        while self.waiting and self.waiting[0].until_s <= now_s:
            self.waiting.popleft()
            self.dropped += 1
        return self.waiting[0] if self.waiting and self.next_s <= now_s else None

    def until_due_s(self, now_s: float) -> float | None:
        """How long until a delivery may be due; None if none waits."""
        return max(0.0, self.next_s - now_s) if self.waiting else None

    def arrived(self, delivery: Delivery) -> None:
        self.delivered += 1
        self.remove(delivery)
        self.next_s, self.pause_s = float("-inf"), 0.0

    def refused(self, delivery: Delivery) -> None:
        self.dropped += 1
        self.remove(delivery)

    def failed(self, now_s: float) -> None:
        self.pause_s = min(max(2 * self.pause_s, FIRST_RETRY_S), LAST_RETRY_S)
        self.next_s = now_s + self.pause_s

    def remove(self, delivery: Delivery) -> None:
        if self.waiting and self.waiting[0] is delivery:
            self.waiting.popleft()


def as_json(event: TableEvent) -> str:
    data = {key: value for key, value in event.items() if key != "event"}
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps({"type": event["event"], "timestamp": now, "data": data}, ensure_ascii=False)


def filled(body: str, event: TableEvent) -> str:
    """The body with `{seat}`, `{dice}` … replaced by what they stand for, escaped for a JSON string."""
    dice = [(die["kind"], str(die["value"]), True) for die in event.get("dice", ())]
    formula, total = event.get("formula"), event.get("total")
    values = {
        "seat": event.get("seat", ""),
        "dice": texts.rolls.dice_line(dice),
        "total": total,
        "formula": formula or "",
        "result": event.get("result") if formula else total,
        "verdict": COUNTS,
    }
    return WEBHOOK_FIELD.sub(lambda field: json.dumps(str(values[field[1]]), ensure_ascii=False)[1:-1], body)


def signing_key(secret: bytes) -> bytes:
    """The key of a secret: the base64 after `whsec_`, else the secret's own bytes."""
    if not secret.startswith(SECRET_PREFIX):
        return secret
    try:
        return base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except binascii.Error:
        return secret


def signed_headers(key: bytes, delivery: str, sent_s: int, body: bytes) -> dict[str, str]:
    """The headers of Standard Webhooks 1.0: HMAC-SHA-256 over id, time and body; `sent_s` is Unix time."""
    signed = b"%s.%d.%s" % (delivery.encode(), sent_s, body)
    signature = base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()
    return {
        "webhook-id": delivery,
        "webhook-timestamp": str(sent_s),
        "webhook-signature": f"v1,{signature}",
    }


class NoAnswerError(Exception):
    """No HTTP server answered; the text says why."""


@cache
def trusted() -> ssl.SSLContext:
    return ssl.create_default_context()


async def post(url: str, headers: Mapping[str, str], body: bytes, longest_s: float = LONGEST_S) -> int:
    """Sends the body and returns the response's status; reads no body, follows no redirect. NoAnswerError."""
    try:
        async with asyncio.timeout(longest_s):
            return await exchange(url, headers, body)
    except TimeoutError:
        raise NoAnswerError(f"no answer within {longest_s:g} s") from None
    except ssl.SSLCertVerificationError as error:
        raise NoAnswerError(f"its certificate is not valid: {error.verify_message}") from None
    except (OSError, h11.RemoteProtocolError) as error:
        raise NoAnswerError(
            getattr(error, "strerror", None) or str(error) or "the connection ended"
        ) from None


async def exchange(url: str, headers: Mapping[str, str], body: bytes) -> int:
    to = webhook_url(url)
    context = trusted() if to.scheme == "https" else None
    reader, writer = await asyncio.open_connection(
        to.hostname, to.port or DEFAULT_PORTS[to.scheme], ssl=context
    )
    try:
        connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=MOST_BYTES)
        target = (to.path or "/") + (f"?{to.query}" if to.query else "")
        all_headers = {**headers, "host": to.netloc, "content-length": str(len(body)), "connection": "close"}
        for event in (
            h11.Request(method="POST", target=target, headers=list(all_headers.items())),
            h11.Data(data=body),
            h11.EndOfMessage(),
        ):
            writer.write(connection.send(event) or b"")
        with suppress(ConnectionError):  # it may have answered without reading all
            await writer.drain()
        left = MOST_BYTES
        while not isinstance(reply := connection.next_event(), h11.Response):
            if reply is h11.NEED_DATA:
                data = await reader.read(min(left, 4096))
                left -= len(data)
                if left <= 0:
                    raise NoAnswerError("its answer has no end")
                connection.receive_data(data)
            elif not isinstance(reply, h11.InformationalResponse):
                raise NoAnswerError("the connection ended")
        return reply.status_code
    finally:
        writer.transport.abort()
