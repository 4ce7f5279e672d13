"""The table [mqtt]: what a home's broker is told."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from dicetable.config.section import FilePath, Section

HOST = r"^[A-Za-z0-9]([A-Za-z0-9._:-]{0,252}[A-Za-z0-9])?$"
"""A name, an IPv4 or an IPv6 address."""
SEGMENT = r"^[A-Za-z0-9_-]{1,64}$"
PREFIX = r"^[A-Za-z0-9_-]{1,64}(/[A-Za-z0-9_-]{1,64}){0,4}$"
PLAIN_PORT, TLS_PORT = 1883, 8883


def checked(host: str) -> str:
    """The same, if it holds no port: that has a setting of its own."""
    if host.count(":") == 1:
        raise PydanticCustomError("host", "must be a name or an address; the port is set by `port`")
    return host


class MqttSection(Section):
    """The broker to which `dicetable gateway` publishes, also for Home Assistant ([signals](signals.md))."""

    host: Annotated[str, Field(pattern=HOST), AfterValidator(checked)] = Field(
        examples=["homeassistant.local"]
    )
    """Name or address of the broker."""
    port: int | None = Field(default=None, ge=1, le=65535, examples=[1883])
    """If left out, 1883, or 8883 with `tls`."""
    username: str | None = Field(default=None, min_length=1, max_length=100, examples=["dicetable"])
    """The user that the broker knows the table by."""
    password_file: FilePath | None = Field(default=None, examples=["/etc/dicetable/mqtt-password"])
    """A file with the password in its first line, which nobody else may read."""
    tls: bool = False
    """Talk to the broker through TLS; its certificate must be valid for `host`."""
    ca_file: FilePath | None = Field(default=None, examples=["/etc/dicetable/mqtt-ca.pem"])
    """The certificate of whoever signed the broker's, PEM; if left out, whom this machine trusts anyway."""
    topic: str = Field(default="dicetable", pattern=SEGMENT)
    """All topics begin with it. It also tells tables apart: each needs its own."""
    discovery: str = Field(default="homeassistant", pattern=PREFIX)
    """The discovery prefix of Home Assistant."""
    commands: bool = False
    """Let the broker pause the game and put a message on the screen; without it nothing is taken from it."""

    @property
    def port_used(self) -> int:
        """The port of the broker."""
        return self.port or (TLS_PORT if self.tls else PLAIN_PORT)
