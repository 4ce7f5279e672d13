"""The section [mqtt]: the MQTT broker."""

from __future__ import annotations

from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from dicetable.config.section import FilePath, Section

BROKER = r"^[A-Za-z0-9]([A-Za-z0-9._:-]{0,252}[A-Za-z0-9])?$"
"""A name, an IPv4 or an IPv6 address."""
SEGMENT = r"^[A-Za-z0-9_-]{1,64}$"
PREFIX = r"^[A-Za-z0-9_-]{1,64}(/[A-Za-z0-9_-]{1,64}){0,4}$"
PLAIN_PORT, TLS_PORT = 1883, 8883


def checked_broker(host: str) -> str:
    """The same text, if it contains no port, which has a setting of its own."""
    if host.count(":") == 1:
        raise PydanticCustomError("host", "must be a name or an address without a port; set `port` for that")
    return host


class MqttSection(Section):
    """The MQTT broker to which the gateway publishes, also for Home Assistant ([signals](signals.md))."""

    host: Annotated[str, Field(pattern=BROKER), AfterValidator(checked_broker)] = Field(
        examples=["homeassistant.local"]
    )
    """Name or address of the broker."""
    port: int | None = Field(default=None, ge=1, le=65535, examples=[1883])
    """The broker's port. Leave it out for 1883, or 8883 with `tls`."""
    username: str | None = Field(default=None, min_length=1, max_length=100, examples=["dicetable"])
    """The table's user name at the broker."""
    password_file: FilePath | None = Field(default=None, examples=["/etc/dicetable/mqtt-password"])
    """A file with the password in its first line, readable only by root and `dicetable-web`."""
    tls: bool = False
    """Whether to use TLS; the broker's certificate must be valid for `host`."""
    ca_file: FilePath | None = Field(default=None, examples=["/etc/dicetable/mqtt-ca.pem"])
    """The certificate (PEM) of the authority that signed the broker's. Leave it out to trust the system's
    authorities."""
    topic: str = Field(default="dicetable", pattern=SEGMENT)
    """The first part of all topics. Each table needs its own."""
    discovery: str = Field(default="homeassistant", pattern=PREFIX)
    """Home Assistant's discovery prefix."""
    commands: bool = False
    """Whether the broker may pause the game and put messages on the screen; nothing else."""

    @property
    def port_used(self) -> int:
        """The port of the broker."""
        return self.port or (TLS_PORT if self.tls else PLAIN_PORT)
