"""Handles requests of the gateway over `control.sock`, in the turns of the table's own loop.

The gateway is treated as hostile. The server never blocks: a turn reads a bounded amount and carries out a
bounded number of requests and steps, and a client that sends faster than RATE is read more slowly. A line
without a number to answer to closes the connection; an invalid request is refused with a sentence.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Iterator
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from dicetable import messages, texts
from dicetable.network.limits import Limit
from dicetable.service import requests
from dicetable.service.requests import BadRequestError, ControlEvent, refused
from dicetable.service.server import Connection

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping

    from dicetable.service.requests import ControlRequest, Pace, Reply, RequestKind
    from dicetable.table.table import Table

MOST_CLIENTS: Final = 4
"""Simultaneous clients: a gateway, its predecessor that is just exiting, and commands on this machine."""
MOST_JOBS: Final = 8
"""Requests in progress per client; further ones are refused."""
MOST_ANSWERS: Final = 32
"""Queued answers per client; at this number nothing more is read from it."""
RATE: Final = 100.0
BURST: Final = 50.0
"""Requests per second and burst size per client; each kind has a pace of its own besides."""
A_TURN: Final = 8
"""Requests per client in one turn."""
PAUSE_S: Final = 5.0
"""After a fault in this part, which never affects the game, nothing is served for this long."""

log = logging.getLogger(__name__)


class ControlClient(Connection):
    """One connected client."""

    def __init__(self, connection: socket.socket, now_s: float) -> None:
        super().__init__(connection, now_s, requests.LONGEST_LINE_BYTES)
        self.answers: deque[bytes] = deque()
        self.jobs: dict[int, Iterator[Reply | None]] = {}
        self.told: dict[str, int] = {}
        self.allowed = BURST
        self.counted_s = now_s
        self.watched = False

    def allow(self, now_s: float) -> None:
        """Refills the allowance for requests."""
        self.allowed = min(BURST, self.allowed + RATE * (now_s - self.counted_s))
        self.counted_s = now_s

    @property
    def is_read(self) -> bool:
        """Whether another request is allowed now."""
        return self.allowed >= 1 and len(self.answers) < MOST_ANSWERS


class ControlServer:
    """Listens on a Unix socket; `take` carries out requests, `give` sends answers and events."""

    def __init__(self, listener: socket.socket, kinds: Mapping[str, RequestKind[Any]]) -> None:
        listener.settimeout(0.0)
        self.listener = listener
        self.kinds = kinds
        self.clients: list[ControlClient] = []
        self.events: dict[str, tuple[int, bytes]] = {}
        self.limits: dict[str, Limit] = {}
        self.now_s = self.paused_s = float("-inf")
        self.wake: Callable[[], None] | None = None
        self.loop: asyncio.AbstractEventLoop | None = None

    def watch(self, news: Callable[[], None]) -> None:
        """From now on calls `news` on the running loop when somebody connects or sends a request."""
        self.wake, self.loop = news, asyncio.get_running_loop()
        self.loop.add_reader(self.listener, news)

    def tell(self, event: str, payload: dict[str, Any]) -> None:
        """Sends an event to everybody; slow clients get only the newest of each name."""
        number, known = self.events.get(event, (0, b""))
        data = ControlEvent(event=event, payload=payload).to_bytes()
        if data != known:
            self.events[event] = (number + 1, data)

    def take(self, now_s: float, table: Table) -> None:
        """Carries out requests; never raises."""

        def work() -> None:
            self.now_s = now_s
            self.accept(now_s)
            for client in list(self.clients):
                self.keep(client, partial(self.carry_out, client, now_s, table))

        self.guarded(now_s, work)

    def give(self, now_s: float) -> None:
        """Sends answers and events; never raises."""

        def work() -> None:
            for client in list(self.clients):
                self.keep(client, partial(client.write, partial(self.next_for, client), now_s))
                self.watch_client(client)

        self.guarded(now_s, work)

    def guarded(self, now_s: float, work: Callable[[], None]) -> None:
        """Runs the step, unless a fault occurred recently; a fault costs the gateway, not the game."""
        if now_s < self.paused_s:
            return
        try:
            work()
        except Exception:
            log.exception("control=failed pause_s=%g", PAUSE_S)
            self.paused_s = now_s + PAUSE_S
            for client in list(self.clients):
                self.drop(client)

    def keep(self, client: ControlClient, serve: Callable[[], None]) -> None:
        """Serves a client; disconnects one that has gone, accepts no data, or sends invalid lines."""
        try:
            serve()
        except messages.WireError as error:
            log.warning("control_client=refused why=%r", str(error))
            self.drop(client)
        except OSError:
            self.drop(client)

    def accept(self, now_s: float) -> None:
        """Accepts at most one new client; one too many is disconnected."""
        try:
            connection, _ = self.listener.accept()
        except OSError:
            return
        if len(self.clients) >= MOST_CLIENTS:
            connection.close()
            return
        self.clients.append(ControlClient(connection, now_s))

    def carry_out(self, client: ControlClient, now_s: float, table: Table) -> None:
        """Continues the client's requests in progress, and takes new ones."""
        client.allow(now_s)
        for number, job in list(client.jobs.items()):
            self.step(client, number, job)
        if client.is_read and b"\n" not in client.lines.waiting:
            client.read()
        for _ in range(A_TURN):
            if not client.is_read or (line := client.lines.next()) is None:
                return
            client.allowed -= 1
            try:
                request = requests.request(line)
            except BadRequestError as error:
                self.answer(client, error.number, refused(str(error)))
            else:
                self.begin(client, request, table)

    def begin(self, client: ControlClient, request: ControlRequest, table: Table) -> None:
        """Carries out a request, or refuses it."""
        kind = self.kinds.get(request.kind)
        if kind is None:
            self.answer(client, request.id, refused(texts.control.UNKNOWN))
        elif len(client.jobs) >= MOST_JOBS or request.id in client.jobs:
            self.answer(client, request.id, refused(texts.control.BUSY))
        elif not self.allows(request.kind, kind.pace):
            self.answer(client, request.id, refused(texts.control.TOO_OFTEN, later=True))
        else:
            try:
                replying = kind.begin(request, table)
            except Exception:  # other requests are still served
                log.exception("control_request=failed kind=%s", request.kind)
                replying = refused(texts.control.FAILED)
            if isinstance(replying, Iterator):
                client.jobs[request.id] = replying
            else:
                self.answer(client, request.id, replying)

    def allows(self, kind: str, pace: Pace) -> bool:
        """Whether people could have asked for this once more by now; all clients together are counted."""
        if kind not in self.limits:
            self.limits[kind] = Limit(lambda: self.now_s, pace.burst, pace.every_s)
        return self.limits[kind].allows("")

    def step(self, client: ControlClient, number: int, job: Iterator[Reply | None]) -> None:
        """Advances one request."""
        try:
            reply = next(job, refused(texts.control.FAILED))
        except Exception:
            log.exception("control_request=failed")
            reply = refused(texts.control.FAILED)
        if reply is not None:
            del client.jobs[number]
            self.answer(client, number, reply)

    def answer(self, client: ControlClient, number: int, reply: Reply) -> None:
        """Queues an answer."""
        client.answers.append(reply.model_copy(update={"id": number}).to_bytes())

    def next_for(self, client: ControlClient) -> bytes | None:
        """What to send to the client next: answers, then events that it has not had."""
        if client.answers:
            return client.answers.popleft()
        for event, (number, data) in self.events.items():
            if client.told.get(event) != number:
                client.told[event] = number
                return data
        return None

    def watch_client(self, client: ControlClient) -> None:
        """Lets the client's requests wake the loop, once per turn and not faster than its rate."""
        if self.loop is not None and client in self.clients and not client.watched and client.is_read:
            client.watched = True
            self.loop.add_reader(client.connection, self.asked, client)

    def asked(self, client: ControlClient) -> None:
        """A client has sent something: a turn is due."""
        if self.loop is not None and self.wake is not None:
            self.loop.remove_reader(client.connection)
            client.watched = False
            self.wake()

    def drop(self, client: ControlClient) -> None:
        """Disconnects a client and drops its requests."""
        self.clients.remove(client)
        if self.loop is not None and client.watched:
            self.loop.remove_reader(client.connection)
        client.close()

    def close(self) -> None:
        """Disconnects all clients and stops listening."""
        for client in list(self.clients):
            self.drop(client)
        if self.loop is not None:
            self.loop.remove_reader(self.listener)
        self.listener.close()
