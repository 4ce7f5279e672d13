"""What [mqtt], [metrics] and [webhooks] say, for the small process that serves.

Secrets stay in their files, which that process reads whenever it needs them.
"""

from __future__ import annotations

import errno
import os
import stat
from dataclasses import dataclass
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Mqtt:
    """The broker, as [mqtt] names it. `seats` is how many there are at the table."""

    host: str
    port: int
    topic: str
    discovery: str
    seats: int
    username: str | None = None
    password_file: str | None = None
    tls: bool = False
    ca_file: str | None = None
    commands: bool = False


@dataclass(frozen=True, slots=True)
class Webhook:
    """One address; `body` is sent in place of the event if it is given."""

    url: str
    events: tuple[str, ...]
    body: str | None = None


@dataclass(frozen=True, slots=True)
class Webhooks:
    """Whom something may be sent, and who is sent something."""

    allow: tuple[str, ...]
    secret_file: str
    to: tuple[Webhook, ...]


@dataclass(frozen=True, slots=True)
class Metrics:
    """Networks that may ask for /metrics."""

    allow: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Signals:
    """All that is switched on; `league` is the address of a league's server, empty without one."""

    mqtt: Mqtt | None = None
    metrics: Metrics | None = None
    webhooks: Webhooks | None = None
    league: str = ""

    @property
    def follow(self) -> bool:
        """Whether anybody is told what the table does."""
        return self.mqtt is not None or self.webhooks is not None or self.league != ""

    @classmethod
    def from_json(cls, told: dict[str, Any]) -> Signals:
        """The settings out of what `dataclasses.asdict` made of them; nothing is on if that is empty."""
        mqtt, metrics, webhooks = (told.get(name) for name in ("mqtt", "metrics", "webhooks"))
        return cls(
            Mqtt(**mqtt) if mqtt else None,
            Metrics(tuple(metrics["allow"])) if metrics else None,
            Webhooks(
                tuple(webhooks["allow"]),
                webhooks["secret_file"],
                tuple(Webhook(to["url"], tuple(to["events"]), to["body"]) for to in webhooks["to"]),
            )
            if webhooks
            else None,
            told.get("league", ""),
        )


NO_SIGNALS: Final = Signals()
"""Nothing is on."""


def secret(path: str) -> bytes:
    """The first line of a file, at most 1,001 bytes; OSError if it cannot be read or is no regular file."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NONBLOCK), "rb") as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "is no file", path)
        return file.readline(1001).strip()
