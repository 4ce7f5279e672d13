"""Codes of seats on paired displays: whoever reads one there stands at the table."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from starlette.responses import Response

from dicetable.gateway.qr import own_address, qr_svg
from dicetable.gateway.streams import event

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from starlette.requests import Request

    from dicetable.gateway.link import TableLink
    from dicetable.gateway.operator.displays import Displays

ALIVE_S: Final = 10.0


class CodesOnDisplays:
    """Tells the codes to browsers that are paired, for as long as they are."""

    def __init__(self, control: TableLink, displays: Displays) -> None:
        self.control = control
        self.displays = displays

    async def qr(self, request: Request) -> Response:
        """The QR code that claims a free seat, SVG; 404 for a display that is not paired.

        The seat's code stands behind a `#`, which a browser sends to no server.
        """
        codes = self.control.events.get("codes", {}).get("codes", {})
        code = codes.get(request.path_params["seat"])
        if code is None or not self.displays.shows_codes(request):
            return Response(status_code=404)
        svg = qr_svg(f"{own_address(request)}/phone#{code}")
        return Response(svg, media_type="image/svg+xml", headers={"cache-control": "no-store"})

    async def stream(self, request: Request) -> AsyncGenerator[bytes, None]:
        """Events: `codes` with the codes by seat and the seats' names, at once and each time they change."""
        while self.displays.shows_codes(request):
            news = self.control.event_news
            told = {
                "codes": self.control.events.get("codes", {}).get("codes", {}),
                "seats": self.control.events.get("panel", {}).get("seats", []),
            }
            yield event("codes", json.dumps(told).encode())
            with suppress(TimeoutError):
                async with asyncio.timeout(ALIVE_S):
                    await news.wait()
