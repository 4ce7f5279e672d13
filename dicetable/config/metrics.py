"""The section [metrics]: metrics for Prometheus."""

from __future__ import annotations

import ipaddress
from typing import Annotated

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

from dicetable.config.section import Section


def checked_network(text: str) -> str:
    """The same text, if it is an address or a network."""
    try:
        ipaddress.ip_network(text)
    except ValueError:
        raise PydanticCustomError(
            "network", "must be an IP address or a network such as 192.168.1.0/24"
        ) from None
    return text


class MetricsSection(Section):
    """Who may read `/metrics`, which the gateway serves at the address of [web] ([signals](signals.md))."""

    allow: list[Annotated[str, AfterValidator(checked_network)]] = Field(
        default=["127.0.0.0/8", "::1"], min_length=1, max_length=20, examples=[["127.0.0.1", "192.168.1.20"]]
    )
    """The addresses and networks that may read the metrics; by default only this machine."""
