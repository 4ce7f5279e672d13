"""The gateway's middleware: the check of the Host header, and a limit for each client."""

import asyncio
import socket
import time
from collections.abc import Callable, Iterable
from typing import Final

from starlette.requests import HTTPConnection
from starlette.types import ASGIApp, Receive, Scope, Send

from dicetable import texts
from dicetable.gateway.requests import answer
from dicetable.network import LOCAL_HOSTS, RateLimit, client_of, host_of, is_loopback, parse_address

BURST: Final = 100
EVERY_S: Final = 0.02
"""Requests from one client: a hundred at once, enough for a few phones to open the page, then 50 a second."""
LONGEST_S: Final = 8.0
"""Requests that would wait longer are refused; a client with every connection it may have waits this long."""
MOST_WAITING: Final = 400
"""Waiting requests, from all clients together; more are refused."""


class HostCheck:
    """Refuses requests for other hosts: DNS rebinding sends a browser here under a foreign name.

    The machine's own names, `names` and the address that the connection reached are accepted.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        self.app = app
        full = socket.gethostname().lower()
        short = full.partition(".")[0]
        self.names = {*LOCAL_HOSTS, full, short, f"{short}.local", *(name.lower() for name in names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or answers 421."""
        if scope["type"] != "http" or self.accepts(scope):
            await self.app(scope, receive, send)
            return
        headers = [(b"content-type", b"text/plain; charset=utf-8")]
        await send({"type": "http.response.start", "status": 421, "headers": headers})
        await send({"type": "http.response.body", "body": b"this is another host\n"})

    def accepts(self, scope: Scope) -> bool:
        """Whether there is exactly one Host header, and it names this machine."""
        given = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
        if len(given) != 1:
            return False
        host = host_of(given[0])
        here = parse_address(scope["server"][0]) if scope.get("server") else None
        return host in self.names or (here is not None and parse_address(host) == here)


class Throttle:
    """Delays requests of a client that sends too many, so that others get their turn.

    Each request costs the gateway's only thread a little, even one that is refused. Phones with a seat,
    recognized by `has_seat`, and this machine's own browser never wait.
    """

    def __init__(
        self,
        app: ASGIApp,
        has_seat: Callable[[HTTPConnection], bool],
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.app = app
        self.has_seat = has_seat
        self.limit = RateLimit(now_s, BURST, EVERY_S)
        self.waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on in time, or answers 429."""
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

    def wait_s(self, request: HTTPConnection) -> float:
        client = client_of(request)
        if is_loopback(client) or self.has_seat(request):
            return 0.0
        return self.limit.wait_s(client, LONGEST_S)
