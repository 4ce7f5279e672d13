"""Serves an application over HTTP, for the gateway and for the league, so that no client keeps others out.

When all connections are taken, the client with the most loses one: the one idle for longest, or else the one
whose request began last. This machine and clients that the application keeps, such as phones with a seat,
lose theirs last. A load balancer before a league is one client and gets all of them. A connection that waits
too long for a request, or for the rest of one, ends.
"""

import asyncio
import socket
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, cast

import h11
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from common.network import LOCAL_HOSTS, RateLimit, network_of

UNACKNOWLEDGED_MS: Final = 30_000
"""The kernel drops a browser that acknowledges nothing for so long, with what was buffered for it."""
BACKLOG: Final = 128
KEPT: Final = 48
"""Connections of a client that is kept; with more it loses some like any other. Over IPv6, all phones may be
one client."""
HEAD, BODY, NOTHING = "head", "body", ""
"""What a connection waits for: a request, the rest of one, or nothing while it is being answered."""
LONGEST_S: Final = {HEAD: 10.0, BODY: 30.0}
LONGEST_HEADERS_BYTES: Final = 16 * 1024


@dataclass(slots=True)
class Slot:
    """One connection: its client, what ends it, and whether the server waits for the client."""

    client: str
    end: Callable[[], None]
    idle: bool = True


class ConnectionSlots:
    """At most `most` connections, by the client's address and port.

    `connects` limits how fast a client opens new ones; this machine may always. Without it, as behind a load
    balancer, there is no limit.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        self.keeps: Callable[[str], bool] = lambda _: False
        self.connects: RateLimit | None = None
        self.taken: dict[Any, Slot] = {}

    def take(self, address: Any, end: Callable[[], None]) -> Slot | None:
        """A slot for a new connection.

        None if its client opens them too fast, or has the most of all and none of them is idle.
        """
        client = network_of(address[0])
        if self.connects is not None and client not in LOCAL_HOSTS and not self.connects.allows(client):
            return None
        if len(self.taken) >= self.most and not self.make_room(client):
            return None
        self.taken[address] = slot = Slot(client, end)
        return slot

    def make_room(self, client: str) -> bool:
        """Ends a connection to make room for one of this client; False if that isn't possible."""
        counts = Counter(slot.client for slot in self.taken.values())
        counts[client] += 1
        others = [name for name in counts if counts[name] > KEPT or not self.is_kept(name)]
        # The client with most connections gives one up; that may be the new client.
        largest = max(others or counts, key=lambda name: counts[name])
        theirs = [(address, slot) for address, slot in self.taken.items() if slot.client == largest]
        idle = [connection for connection in theirs if connection[1].idle]
        if not idle and largest == client:
            return False
        address, slot = idle[0] if idle else theirs[-1]
        del self.taken[address]
        slot.end()
        return True

    def is_kept(self, client: str) -> bool:
        return client in LOCAL_HOSTS or self.keeps(client)

    def set_idle(self, address: Any, *, idle: bool) -> None:
        """Notes whether a connection is idle now, and moves it to the end.

        So they stand in the order of their last change, by which `make_room` chooses.
        """
        slot = self.taken.pop(address, None)
        if slot is not None:
            slot.idle = idle
            self.taken[address] = slot

    def release(self, address: Any, slot: Slot) -> None:
        if self.taken.get(address) is slot:
            del self.taken[address]


class Connection(socket.socket):
    """An accepted connection, which releases its slot when it is closed."""

    released: Callable[[], None] = staticmethod(lambda: None)

    def close(self) -> None:
        self.released()
        super().close()

    def end(self) -> None:
        """Shuts both directions down; the reader then closes it."""
        with suppress(OSError):
            self.shutdown(socket.SHUT_RDWR)


class Listener(socket.socket):
    """The socket that clients connect to."""

    def __init__(self, host: str, port: int, most: int) -> None:
        """Listens; port 0 is any free one. Raises OSError if the address cannot be used."""
        super().__init__(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
        self.slots = ConnectionSlots(most)
        try:
            self.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS)
            self.bind((host, port))
            self.listen(BACKLOG)
        except OSError:
            self.close()
            raise

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection. One without a slot is closed: ConnectionAbortedError."""
        accepted, address = super().accept()
        connection = Connection(accepted.family, accepted.type, accepted.proto, accepted.detach())
        slot = self.slots.take(address, connection.end)
        if slot is None:
            connection.close()
            raise ConnectionAbortedError
        connection.released = lambda: self.slots.release(address, slot)
        return connection, address


class BoundedProtocol(H11Protocol):
    """HTTP on one connection, which ends when the client keeps it waiting for too long."""

    def __init__(self, slots: ConnectionSlots, **more: Any) -> None:
        super().__init__(**more)
        self.slots = slots
        self.address: Any = None
        self.waits_for = NOTHING
        self.timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn's own
        super().connection_made(transport)
        self.address = transport.get_extra_info("peername")
        slot = self.slots.taken.get(self.address)
        if slot is not None:
            slot.end = transport.abort
        self.update_timer()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self.update_timer()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self.update_timer()

    def connection_lost(self, exc: Exception | None) -> None:
        self.wait_for(NOTHING)
        super().connection_lost(exc)

    def update_timer(self) -> None:
        """Starts the timer for what has to come next, unless it runs already."""
        if getattr(self.cycle, "response_complete", True):  # there is no cycle before the first request
            self.wait_for(HEAD)
        else:
            self.wait_for(BODY if self.conn.their_state is h11.SEND_BODY else NOTHING)

    def wait_for(self, event: str) -> None:
        """Gives the client LONGEST_S for that; more bytes of the same do not lengthen it."""
        if event == self.waits_for:
            return
        self.waits_for = event
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        if event != NOTHING and not self.transport.is_closing():
            self.timer = self.loop.call_later(LONGEST_S[event], self.transport.abort)
        self.slots.set_idle(self.address, idle=event != NOTHING)


async def client_disconnected(_: Request, __: Exception) -> Response:
    """The answer, which is never delivered, to a client that left before its request was complete."""
    return Response(status_code=400)


@dataclass(frozen=True, slots=True)
class Entrance:
    """An application, where it listens, and its certificate and key (PEM files), if it is served over TLS."""

    application: Starlette
    listening: Listener
    certificate: str = ""
    key: str = ""

    def config(self, farewell_s: int) -> uvicorn.Config:
        protocol = cast("type[asyncio.Protocol]", partial(BoundedProtocol, self.listening.slots))
        return uvicorn.Config(
            self.application,
            access_log=False,
            log_config=None,
            server_header=False,
            ws="none",
            http=protocol,
            loop="asyncio",
            timeout_graceful_shutdown=farewell_s,
            h11_max_incomplete_event_size=LONGEST_HEADERS_BYTES,
            proxy_headers=False,
            ssl_certfile=self.certificate or None,
            ssl_keyfile=self.key or None,
        )


class Server(uvicorn.Server):
    """Serves several entrances on one loop. The first one's application alone has a lifespan."""

    def __init__(self, farewell_s: int, first: Entrance, *others: Entrance) -> None:
        super().__init__(first.config(farewell_s))
        self.others = [(entrance.config(farewell_s), entrance.listening) for entrance in others]

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Opens the first entrance, then the others."""
        await super().startup(sockets)
        loop = asyncio.get_running_loop()
        for config, listening in self.others:
            config.load()
            protocol = partial(
                cast("Callable[..., asyncio.Protocol]", config.http_protocol_class),
                config=config,
                server_state=self.server_state,
                app_state=self.lifespan.state,
            )
            opened = await loop.create_server(protocol, sock=listening, ssl=config.ssl, backlog=BACKLOG)
            self.servers.append(opened)


def run(farewell_s: int, first: Entrance, *others: Entrance) -> None:
    """Serves until SIGTERM, then finishes within `farewell_s` seconds."""
    with ExitStack() as stack:
        for entrance in (first, *others):
            stack.enter_context(entrance.listening)
        Server(farewell_s, first, *others).run(sockets=[first.listening])


POLICY: Final = "permissions-policy"
NO_DEVICES: Final = "camera=(), microphone=(), geolocation=()"


def encoded(headers: Mapping[str, str]) -> list[tuple[bytes, bytes]]:
    return [(name.encode(), value.encode()) for name, value in headers.items()]


class SecurityHeaders:
    """Adds headers to every response, which bind browsers to our own files and hosts.

    Headers that matter for pages alone are added to pages alone.

    `form_action` is where forms may be sent, as in a content security policy. Pages with forms need the
    `referrer` policy "same-origin": with "no-referrer" browsers send their forms with the origin "null".
    """

    def __init__(
        self,
        app: ASGIApp,
        form_action: str = "'none'",
        referrer: str = "no-referrer",
        camera_page: str = "",
    ) -> None:
        """`camera_page` is the path of the one page that may use the browser's camera."""
        self.app = app
        self.camera_page = camera_page
        headers = {
            "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self'; "
            "img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; "
            f"form-action {form_action}; frame-ancestors 'none'",
            "x-content-type-options": "nosniff",
            "referrer-policy": referrer,
            "cross-origin-resource-policy": "same-origin",
        }
        page = {**headers, "cross-origin-opener-policy": "same-origin", POLICY: NO_DEVICES}
        self.headers, self.page = encoded(headers), encoded(page)
        self.filming = encoded({**page, POLICY: NO_DEVICES.replace("camera=()", "camera=(self)")})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answers the request, with the headers added."""
        films = self.camera_page and scope.get("path") == self.camera_page

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                is_page = dict(message["headers"]).get(b"content-type", b"").startswith(b"text/html")
                own = self.filming if films else self.page if is_page else self.headers
                message["headers"] = [*message["headers"], *own]
            await send(message)

        await self.app(scope, receive, with_headers)
