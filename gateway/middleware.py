"""The gateway's middleware: limits for clients, seats and crowds, and the check of the Host header."""

import asyncio
import re
import socket
import time
from collections.abc import Callable, Iterable
from typing import Final

from starlette.requests import HTTPConnection
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from common import texts
from common.network import LOCAL_HOSTS, RateLimit, client_of, host_of, parse_address
from gateway.requests import answer

PRIVATE_SUFFIXES: Final = (
    "local", "lan", "home", "home.arpa", "internal", "localdomain", "fritz.box", "speedport.ip",
)  # fmt: skip
"""What routers append to the names of machines. No stranger can have a name below one of them."""
HOST_NAME = re.compile(r"[a-z0-9][a-z0-9.-]{0,99}")
BURST: Final = 100
EVERY_S: Final = 0.02
"""Requests from one client: a hundred at once, enough for a few phones to open the page, then 50 a second."""
CROWD_BURST: Final = 400
CROWD_EVERY_S: Final = 0.005
"""Requests from all clients together, without seats and this machine: 400 at once, then 200 a second. A
smaller EVERY_S leaves less time for players, a larger one makes a full bar wait for its pages."""
SEAT_BURST: Final = 40
SEAT_EVERY_S: Final = 0.05
"""Requests of one phone with a seat that its player needs to play: forty at once, then twenty a second. They
wait for no one; further ones wait like those of any client."""
TO_PLAY: Final = (
    "/phone/choose",
    "/phone/here",
    "/phone/leave",
    "/phone/name",
    "/phone/colour",
    "/phone/events",
)
LONGEST_S: Final = 8.0
"""Requests that would wait longer are refused; a client with every connection it may have waits this long."""
REFUSED_AFTER_S: Final = 3.0
"""A refusal waits for so long, and then its connection ends: a client that waits asks less."""
MOST_WAITING: Final = 400
"""Waiting requests, from all clients together; more are refused at once."""


class HostCheck:
    """Refuses requests for other hosts: DNS rebinding sends a browser here under a foreign name.

    It accepts the machine's own names, also with a private suffix as routers give it, `names`, and the
    address that the connection reached.
    """

    def __init__(self, app: ASGIApp, names: Iterable[str]) -> None:
        self.app = app
        full = socket.gethostname().lower()
        short = full.partition(".")[0]
        routed = (f"{short}.{suffix}" for suffix in PRIVATE_SUFFIXES)
        self.names = {*LOCAL_HOSTS, full, short, *routed, *(name.lower() for name in names)}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on, or answers 421 and ends the connection."""
        if scope["type"] != "http" or self.accepts(scope):
            await self.app(scope, receive, send)
            return
        host = host_named(scope)
        why = texts.gateway.unknown_host(host if HOST_NAME.fullmatch(host) else "?")
        await PlainTextResponse(f"{why}\n", 421, {"connection": "close"})(scope, receive, send)

    def accepts(self, scope: Scope) -> bool:
        """Whether there is exactly one Host header, and it names this machine."""
        host = host_named(scope)
        if not host:
            return False
        own = parse_address(scope["server"][0]) if scope.get("server") else None
        return host in self.names or (own is not None and parse_address(host) == own)


def host_named(scope: Scope) -> str:
    """The host in the only Host header; empty if there is none, or several."""
    hosts = [value.decode("latin-1") for name, value in scope["headers"] if name == b"host"]
    return host_of(hosts[0]) if len(hosts) == 1 else ""


class Throttle:
    """Delays requests of a client that sends too many, so that others get their turn; the first thing of all.

    Each request costs the gateway's only thread a little, even one that is refused. `seat_of` names the phone
    with a seat that sends a request, empty for others: what its player needs to play waits for no crowd. This
    machine's own browser never waits.
    """

    def __init__(
        self,
        app: ASGIApp,
        seat_of: Callable[[HTTPConnection], str],
        now_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.app = app
        self.seat_of = seat_of
        self.limit = RateLimit(now_s, BURST, EVERY_S)
        self.seats = RateLimit(now_s, SEAT_BURST, SEAT_EVERY_S)
        self.crowd = RateLimit(now_s, CROWD_BURST, CROWD_EVERY_S)
        self.waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes the request on in time, or answers 429 and ends the connection."""
        wait_s = self.wait_s(HTTPConnection(scope)) if scope["type"] == "http" else 0.0
        waits = self.waiting < MOST_WAITING
        if wait_s > 0.0 and waits:
            self.waiting += 1
            try:
                await asyncio.sleep(wait_s if wait_s <= LONGEST_S else REFUSED_AFTER_S)
            finally:
                self.waiting -= 1
        if wait_s > LONGEST_S or (wait_s > 0.0 and not waits):
            refusal = answer({"error": texts.operator.TOO_OFTEN}, status=429)
            refusal.headers["connection"] = "close"
            await refusal(scope, receive, send)
            return
        await self.app(scope, receive, send)

    def wait_s(self, request: HTTPConnection) -> float:
        """How long the request waits; more than LONGEST_S if it is refused."""
        client = client_of(request)
        if client in LOCAL_HOSTS:
            return 0.0
        seat = self.seat_of(request)
        if seat and request.scope["path"] in TO_PLAY and self.seats.allows(seat):
            return 0.0
        wait_s = self.limit.wait_s(client, LONGEST_S)
        if seat or wait_s > LONGEST_S:
            return wait_s
        return max(wait_s, self.crowd.wait_s("", LONGEST_S))
