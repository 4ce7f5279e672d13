"""Limits how often each client may ask: requests that come too fast wait, so that others get their turn.

Every request costs the gateway's only thread a little, even one that is refused. Phones with a seat and this
machine's own browser never wait.
"""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Final

from starlette.requests import HTTPConnection

from dicetable import texts
from dicetable.gateway.operator.guard import answer
from dicetable.network.addresses import client_of, is_here
from dicetable.network.limits import Limit

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

BURST: Final = 100
EVERY_S: Final = 0.02
"""Requests from one client: a hundred at once, enough for a few phones to open the page, then 50 a second."""
LONGEST_S: Final = 8.0
"""Requests that would wait longer are refused; a client with every connection it may have waits this long."""
MOST_WAITING: Final = 400
"""Waiting requests, from all clients together; more are refused."""


class Paced:
    """Passes requests on, some of them late. `has_seat` recognizes phones with a seat."""

    def __init__(
        self,
        app: ASGIApp,
        has_seat: Callable[[HTTPConnection], bool],
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.app = app
        self.has_seat = has_seat
        self.limit = Limit(now_s, BURST, EVERY_S)
        self.waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes a request on when its client may ask."""
        wait_s = self.wait_s(HTTPConnection(scope)) if scope["type"] == "http" else 0.0
        if wait_s > LONGEST_S or (wait_s > 0.0 and self.waiting >= MOST_WAITING):
            await answer({"error": texts.operator.TOO_OFTEN}, status=429)(scope, receive, send)
            return
        if wait_s > 0.0:
            self.waiting += 1
            try:
                await asyncio.sleep(wait_s)
            finally:
                self.waiting -= 1
        await self.app(scope, receive, send)

    def wait_s(self, asking: HTTPConnection) -> float:
        """How long this request has to wait."""
        client = client_of(asking)
        if is_here(client) or self.has_seat(asking):
            return 0.0
        return self.limit.wait_s(client, LONGEST_S)
