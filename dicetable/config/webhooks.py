"""The section [webhooks]: HTTP requests on events."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from dicetable.config.section import SECRET, FilePath, Section
from dicetable.network import webhook_url

ALLOWED = r"^([A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?|\[[0-9A-Fa-f:.]{2,45}\])(:\d{1,5})?$"
EventName = Literal["throw", "turn", "bust", "rack", "game_over"]
EVENTS: tuple[EventName, ...] = ("throw", "turn", "bust", "rack", "game_over")


def checked_url(url: str) -> str:
    """The same text, if it is a URL for webhooks."""
    try:
        webhook_url(url)
    except ValueError:
        raise PydanticCustomError(
            "url", "must be a URL such as http://wled.local/json/state, without user and fragment"
        ) from None
    return url


class WebhookSection(Section):
    """One receiver. `[[webhooks.to]]` may appear up to ten times."""

    url: Annotated[str, Field(max_length=2000), AfterValidator(checked_url)] = Field(
        examples=["http://wled.local/json/state"], json_schema_extra=SECRET
    )
    """The receiver's URL; its host must be in `allow`."""
    events: list[EventName] = Field(default=list(EVENTS), min_length=1, examples=[["rack"]])
    """The events to send: any of `throw`, `turn`, `bust`, `rack` and `game_over`."""
    body: str | None = Field(
        default=None, max_length=4000, examples=['{"on": true, "ps": 2}'], json_schema_extra=SECRET
    )
    """A fixed body, for devices that know nothing about dice. Leave it out to send the event as JSON."""


class WebhooksSection(Section):
    """The receivers to which `dicetable gateway` sends events ([signals](signals.md))."""

    allow: list[Annotated[str, Field(pattern=ALLOWED)]] = Field(
        min_length=1, max_length=20, examples=[["wled.local", "192.168.1.20:8123"]]
    )
    """The hosts that may get requests, each with its port unless it is the default one."""
    secret_file: FilePath = Field(examples=["/etc/dicetable/webhook-secret"])
    """A file with the signing secret in its first line, readable only by root and `dicetable-web`."""
    to: list[WebhookSection] = Field(min_length=1, max_length=10, examples=["[[webhooks.to]]"])
    """The receivers."""
