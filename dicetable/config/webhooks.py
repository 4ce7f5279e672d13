"""The table [webhooks]: who is sent what happens."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from dicetable.config.section import FilePath, Section
from dicetable.gateway.webhooks.address import parts

ALLOWED = r"^([A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$"
EventName = Literal["throw", "turn", "bust", "rack", "game_over"]
EVENTS: tuple[EventName, ...] = ("throw", "turn", "bust", "rack", "game_over")


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
