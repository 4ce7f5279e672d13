"""Codes of seats on paired displays: whoever reads one there stands at the table."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Final

from starlette.responses import Response, StreamingResponse

from dicetable import texts
from dicetable.gateway.operator.guard import RequestRefusedError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request

    from dicetable.gateway.control_link import ControlLink
    from dicetable.gateway.operator.displays import Displays

ALIVE_S: Final = 10.0
MOST_STREAMS: Final = 8


class CodesOnDisplays:
    """Streams the codes to browsers that are paired, for as long as they are."""

    def __init__(self, control: ControlLink, displays: Displays) -> None:
        self.control = control
        self.displays = displays
        self.streams = 0

    async def events(self, request: Request) -> Response:
        """Server-sent events: `codes` with the codes by seat, at once and each time that they change."""
        if not self.displays.shows_codes(request):
            raise RequestRefusedError(403, texts.operator.NOT_PAIRED)
        if self.streams >= MOST_STREAMS:
            raise RequestRefusedError(503, texts.phones.NO_TABLE)
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(self.stream(request), media_type="text/event-stream", headers=headers)

    async def stream(self, request: Request) -> AsyncIterator[bytes]:
        """The codes, and what each seat is called."""
        self.streams += 1
        try:
            while self.displays.shows_codes(request):
                news = self.control.news
                told = {
                    "codes": self.control.events.get("codes", {}).get("codes", {}),
                    "seats": self.control.events.get("panel", {}).get("seats", []),
                }
                yield f"event: codes\ndata: {json.dumps(told)}\n\n".encode()
                try:
                    async with asyncio.timeout(ALIVE_S):
                        await news.wait()
                except TimeoutError:
                    continue
        finally:
            self.streams -= 1
