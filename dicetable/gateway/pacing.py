"""How often each client may ask for anything: what comes too soon waits, and leaves others time.

Every page costs the gateway's one thread a little, whatever becomes of the request. Phones with a seat and
this machine's own browser never wait.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from typing import TYPE_CHECKING, Final

from starlette.requests import HTTPConnection

from dicetable import texts
from dicetable.gateway.operator.guard import answer
from dicetable.network.addresses import client_of, is_here
from dicetable.network.limits import MOST_NAMES

if TYPE_CHECKING:
    from collections.abc import Callable

    from starlette.types import ASGIApp, Receive, Scope, Send

BURST: Final = 100
EVERY_S: Final = 0.02
"""Requests of one client: a hundred at once, as of some phones that open the page, then fifty a second."""
LONGEST_S: Final = 8.0
"""What would wait for longer is refused; that is the wait of as many connections as there may be."""
MOST_WAITING: Final = 400
"""Requests of all clients that wait; further ones are refused."""


class Paced:
    """Passes requests on, some of them later. `has_seat` knows the phones that have one."""

    def __init__(
        self,
        app: ASGIApp,
        has_seat: Callable[[HTTPConnection], bool],
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.app = app
        self.has_seat = has_seat
        self.now_s = now_s
        self.due_s: OrderedDict[str, float] = OrderedDict()
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
        """How long this request has to wait; one that waits too long does not count."""
        client = client_of(asking)
        if is_here(client) or self.has_seat(asking):
            return 0.0
        now_s = self.now_s()
        due_s = max(self.due_s.pop(client, 0.0), now_s - (BURST - 1) * EVERY_S)
        self.due_s[client] = due_s + EVERY_S if due_s <= now_s + LONGEST_S else due_s
        while len(self.due_s) > MOST_NAMES:
            self.due_s.popitem(last=False)
        return max(0.0, due_s - now_s)
