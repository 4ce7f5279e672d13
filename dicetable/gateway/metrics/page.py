"""/metrics, for the addresses that the config allows."""

from __future__ import annotations

import ipaddress
import json
from contextlib import suppress
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from starlette.responses import PlainTextResponse, Response

from dicetable.gateway.link import BusyError
from dicetable.gateway.machine import resident_bytes, temperature_c
from dicetable.gateway.metrics.families import Own, families
from dicetable.gateway.metrics.text import CONTENT_TYPE, exposition
from dicetable.network.addresses import address_in

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.requests import Request

    from dicetable.gateway.link import TableLink
    from dicetable.gateway.settings import Metrics
    from dicetable.gateway.signals import Signalling

REFUSED = "this address is not in `allow` of [metrics]\n"


class MetricsPage:
    """Answers whoever may ask. `screens` is how many browsers follow the game."""

    def __init__(
        self, link: TableLink, signalling: Signalling, metrics: Metrics, screens: Callable[[], int]
    ) -> None:
        self.link = link
        self.signalling = signalling
        self.networks = [ipaddress.ip_network(each) for each in metrics.allow]
        self.screens = screens
        self.version = version("dicetable")

    def allows(self, host: str) -> bool:
        """Whether somebody at this address may ask."""
        address = address_in(host)
        return address is not None and any(address in network for network in self.networks)

    async def answer(self, request: Request) -> Response:
        """Metrics for Prometheus; while the table is away without what it counts."""
        if request.client is None or not self.allows(request.client.host):
            return PlainTextResponse(REFUSED, 403)
        meters: dict[str, Any] | None = None
        with suppress(BusyError):
            meters = json.loads(await self.link.meters()) or None
        state = json.loads(self.link.state) if self.link.state is not None else None
        own = Own(
            self.version,
            self.screens(),
            resident_bytes(),
            temperature_c(),
            self.signalling.broker(),
            self.signalling.targets(),
        )
        text = exposition(families(meters, state, own))
        return Response(text, headers={"content-type": CONTENT_TYPE, "cache-control": "no-store"})
