"""A listening socket that no client fills, and connections that end when nothing is asked on them.

When there are as many connections as there may be, the client with the most loses one: the one that has been
idle for longest, or else its newest. So no one keeps the others out, with or without TLS; and a balancer
before a league, which is one client, gets all that there is.
"""

from __future__ import annotations

import socket
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from dicetable.network.addresses import network_of

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable

UNACKNOWLEDGED_MS: Final = 30_000
"""A browser that takes nothing for so long is let go by the kernel, with what was kept for it."""
BACKLOG: Final = 128
HEAD, BODY, NOTHING = "head", "body", ""
"""What a connection waits for: a request, the rest of one, or nothing, for it is being answered."""
LONGEST_S: Final = {HEAD: 10.0, BODY: 30.0}


@dataclass(slots=True)
class Place:
    """One connection: the client that has it, what ends it, and whether it waits for its client."""

    client: str
    end: Callable[[], None]
    idle: bool = True


class Places:
    """At most `most` connections, by the address and port of the other end."""

    def __init__(self, most: int) -> None:
        self.most = most
        self.taken: dict[Any, Place] = {}

    def take(self, address: Any, end: Callable[[], None]) -> Place | None:
        """A place for a new connection; None if its client has the most of all, and none of them is idle."""
        client = network_of(address[0])
        if len(self.taken) >= self.most and not self.make_room(client):
            return None
        self.taken[address] = place = Place(client, end)
        return place

    def make_room(self, client: str) -> bool:
        """Ends a connection for a new one of this client; whether that was possible."""
        held = Counter(place.client for place in self.taken.values())
        held[client] += 1
        largest = max(held, key=lambda each: held[each])
        theirs = [(address, place) for address, place in self.taken.items() if place.client == largest]
        idle = [each for each in theirs if each[1].idle]
        if not idle and largest == client:
            return False
        address, place = idle[0] if idle else theirs[-1]
        del self.taken[address]
        place.end()
        return True

    def note(self, address: Any, *, idle: bool) -> None:
        """Notes whether a connection is idle from now on."""
        place = self.taken.pop(address, None)
        if place is not None:
            place.idle = idle
            self.taken[address] = place

    def leave(self, address: Any, place: Place) -> None:
        """The connection has ended."""
        if self.taken.get(address) is place:
            del self.taken[address]


class Connection(socket.socket):
    """An accepted connection, which gives its place back when it is closed."""

    left: Callable[[], None] = staticmethod(lambda: None)

    def close(self) -> None:
        """Closes it."""
        self.left()
        super().close()

    def end(self) -> None:
        """Has both sides see the end of the connection; it is closed by whoever reads from it."""
        with suppress(OSError):
            self.shutdown(socket.SHUT_RDWR)


class Listener(socket.socket):
    """The socket that clients connect to."""

    def __init__(self, host: str, port: int, most: int) -> None:
        """Listens; port 0 is any free one. Raises OSError if the address cannot be used."""
        super().__init__(socket.AF_INET6 if ":" in host else socket.AF_INET, socket.SOCK_STREAM)
        self.places = Places(most)
        try:
            self.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            self.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS)
            self.bind((host, port))
            self.listen(BACKLOG)
        except OSError:
            self.close()
            raise

    def accept(self) -> tuple[socket.socket, Any]:
        """The next connection. Raises ConnectionAbortedError for one that has no place, which is closed."""
        accepted, address = super().accept()
        connection = Connection(accepted.family, accepted.type, accepted.proto, accepted.detach())
        place = self.places.take(address, connection.end)
        if place is None:
            connection.close()
            raise ConnectionAbortedError
        connection.left = lambda: self.places.leave(address, place)
        return connection, address


class BoundedProtocol(H11Protocol):
    """HTTP on one connection, which ends if a request, or the rest of one, is waited for too long."""

    def __init__(self, places: Places, **more: Any) -> None:
        super().__init__(**more)
        self.places = places
        self.address: Any = None
        self.waits_for = NOTHING
        self.timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client is there; it has to say what it wants."""
        super().connection_made(transport)
        self.address = transport.get_extra_info("peername")
        place = self.places.taken.get(self.address)
        if place is not None:
            place.end = transport.abort
        self.look()

    def data_received(self, data: bytes) -> None:
        """Bytes of requests."""
        super().data_received(data)
        self.look()

    def on_response_complete(self) -> None:
        """An answer is on its way."""
        super().on_response_complete()
        self.look()

    def connection_lost(self, exc: Exception | None) -> None:
        """The client is gone."""
        self.wait_for(NOTHING)
        super().connection_lost(exc)

    def look(self) -> None:
        """Begins to wait for whatever has to come next, unless that has begun already."""
        if getattr(self.cycle, "response_complete", True):  # there is no cycle before the first request
            self.wait_for(HEAD)
        else:
            self.wait_for(BODY if self.conn.their_state is h11.SEND_BODY else NOTHING)

    def wait_for(self, what: str) -> None:
        """Waits for that, for as long as it may take; more bytes of the same do not lengthen it."""
        if what == self.waits_for:
            return
        self.waits_for = what
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None
        if what != NOTHING and not self.transport.is_closing():
            self.timer = self.loop.call_later(LONGEST_S[what], self.transport.abort)
        self.places.note(self.address, idle=what != NOTHING)
