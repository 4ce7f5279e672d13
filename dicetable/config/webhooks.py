"""The table [webhooks]: who is sent what happens."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import SplitResult, urlsplit

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from dicetable.config.section import FilePath, Section

ALLOWED = r"^([A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$"
EventName = Literal["throw", "turn", "bust", "rack", "game_over"]
EVENTS: tuple[EventName, ...] = ("throw", "turn", "bust", "rack", "game_over")


def parts(url: str) -> SplitResult:
    """The parts of a URL that something can be sent to; ValueError if it is none."""
    found = urlsplit(url)
    if found.scheme not in ("http", "https") or not found.hostname:
        raise ValueError("no URL of http or https")
    if found.username is not None or found.fragment or (found.port is not None and found.port < 1):
        raise ValueError("a user or a fragment in the URL")
    if not url.isascii() or not url.isprintable() or " " in url:
        raise ValueError("characters that no URL has")
    return found


def checked(url: str) -> str:
    """The same, if something can be sent there."""
    try:
        parts(url)
    except ValueError:
        raise PydanticCustomError(
            "url", "must be a URL such as http://wled.local/json/state, without user and fragment"
        ) from None
    return url


class Webhook(Section):
    """One address, what it is sent, and when. `[[webhooks.to]]` may stand there up to ten times."""

    url: Annotated[str, Field(max_length=2000), AfterValidator(checked)] = Field(
        examples=["http://wled.local/json/state"]
    )
    """Where to; its host must be in `allow`."""
    events: list[EventName] = Field(default=list(EVENTS), min_length=1, examples=[["rack"]])
    """What is sent: of `throw`, `turn`, `bust`, `rack` and `game_over`."""
    body: str | None = Field(default=None, max_length=4000, examples=['{"on": true, "ps": 2}'])
    """Sent as it stands, for devices that know nothing of dice; if left out, the event itself, JSON."""


class WebhooksSection(Section):
    """Whom `dicetable gateway` sends what happens ([signals](signals.md))."""

    allow: list[Annotated[str, Field(pattern=ALLOWED)]] = Field(
        min_length=1, max_length=20, examples=[["wled.local", "192.168.1.20:8123"]]
    )
    """The hosts that anything may be sent to, each with its port if that is not the usual one."""
    secret_file: FilePath = Field(examples=["/etc/dicetable/webhook-secret"])
    """A file with the secret that signs deliveries in its first line, which nobody else may read."""
    to: list[Webhook] = Field(min_length=1, max_length=10, examples=["[[webhooks.to]]"])
    """Who is sent something."""
