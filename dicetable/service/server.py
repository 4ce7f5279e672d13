"""The table's end of `table.sock`: sends events to the gateway, and carries out its requests.

The gateway is treated as hostile. Everything runs on the table's own loop, in steps that are short: what is
queued for a client is bounded, one that sends faster than RATE is read more slowly, and one that takes
nothing is disconnected. So nothing that a gateway sends, reads slowly or leaves unread delays a throw. A line
without a number to answer to closes the connection; an invalid request is refused with a sentence.
"""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from typing import TYPE_CHECKING, Any, Final

from dicetable import texts
from dicetable.messages import LONGEST_LINE_BYTES, MOST_BYTES, Answer, Event, WireError, read_line
from dicetable.network.limits import Limit
from dicetable.service import requests
from dicetable.service.requests import BadRequestError, refused

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable

    from dicetable.service.requests import Pace, Request, RequestKind
    from dicetable.table.table import Table

MOST_CLIENTS: Final = 4
"""Simultaneous clients: a gateway, its predecessor that is just exiting, and commands on this machine."""
MOST_JOBS: Final = 16
"""Requests in progress per client; further ones are refused."""
MOST_ANSWERS: Final = 32
"""Queued answers per client; at this number nothing more is read from it."""
RATE: Final = 100.0
BURST: Final = 50.0
"""Requests per second and burst size per client; each kind has a pace of its own besides."""
SLICE_BYTES: Final = 64 * 1024
"""About as much as is buffered for one client beyond the messages that wait."""
STUCK_S: Final = 10.0
"""A client that accepts no data for this long is disconnected."""

log = logging.getLogger(__name__)


class Client:
    """One connection. `received` has the number of each event that was sent last."""

    def __init__(self, writer: asyncio.StreamWriter, tasks: asyncio.TaskGroup) -> None:
        self.writer = writer
        self.tasks = tasks
        self.answers: deque[bytes] = deque()
        self.jobs: set[int] = set()
        self.received: dict[str, int] = {}
        self.due, self.sent = asyncio.Event(), asyncio.Event()

    def answer(self, number: int, answer: Answer) -> None:
        """Queues an answer; a body that is too large is a refusal instead."""
        if len(answer.body) > MOST_BYTES:
            answer = refused(texts.operator.TOO_MUCH)
        self.answers.append(answer.to_bytes(number))
        self.due.set()


class TableServer:
    """Serves clients on a Unix socket. `table` is the one that requests are for; none is done without it."""

    def __init__(self) -> None:
        self.kinds: dict[str, RequestKind[Any]] = {}
        self.clients: list[Client] = []
        self.events: dict[str, tuple[int, bytes]] = {}
        self.limits: dict[str, Limit] = {}
        self.table: Table | None = None
        self.wake: Callable[[], None] = lambda: None
        self.server: asyncio.Server | None = None

    async def start(self, listener: socket.socket, wake: Callable[[], None]) -> None:
        """Serves from now on; `wake` is called after each request, which may have changed the table."""
        self.wake = wake
        self.server = await asyncio.start_server(self.serve, sock=listener, limit=LONGEST_LINE_BYTES)

    def publish(self, event: Event) -> None:
        """Sends an event to all clients; slow ones get only the newest of each name."""
        number, known = self.events.get(event.event, (0, b""))
        data = event.to_bytes()
        if data != known:
            self.events[event.event] = (number + 1, data)
            for client in self.clients:
                client.due.set()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serves one client until it leaves, accepts no data, or sends invalid lines."""
        if len(self.clients) >= MOST_CLIENTS:
            writer.transport.abort()
            return
        client = None
        try:
            async with asyncio.TaskGroup() as tasks:
                client = Client(writer, tasks)
                self.clients.append(client)
                self.wake()
                tasks.create_task(self.send(client))
                tasks.create_task(self.receive(client, reader))
        except* WireError as errors:
            log.warning("client=refused why=%r", str(errors.exceptions[0]))
        except* OSError:  # it is gone, or stuck
            pass
        except* Exception:  # a fault here costs this connection, not the game
            log.exception("client=failed")
        finally:
            if client is not None:
                self.clients.remove(client)
            writer.transport.abort()

    async def receive(self, client: Client, reader: asyncio.StreamReader) -> None:
        """Begins the client's requests, no faster than allowed and only while it reads its answers."""
        rate = Limit(asyncio.get_running_loop().time, int(BURST), 1 / RATE)
        while True:
            await asyncio.sleep(rate.wait_s("", float("inf")))  # at least lets the table's turn come first
            line = await read_line(reader)
            while len(client.answers) + len(client.jobs) >= MOST_ANSWERS:
                client.sent.clear()
                await client.sent.wait()
            try:
                request = requests.request(line)
            except BadRequestError as error:
                client.answer(error.number, refused(str(error)))
            else:
                self.begin(client, request)

    def begin(self, client: Client, request: Request) -> None:
        """Carries out a request in a task of its own, or refuses it."""
        kind = self.kinds.get(request.kind)
        if kind is None:
            client.answer(request.id, refused(texts.control.UNKNOWN))
        elif len(client.jobs) >= MOST_JOBS or request.id in client.jobs or self.table is None:
            client.answer(request.id, refused(texts.control.BUSY))
        elif not self.allows(request.kind, kind.pace):
            client.answer(request.id, refused(texts.control.TOO_OFTEN, later=True))
        else:
            client.jobs.add(request.id)
            client.tasks.create_task(self.carry_out(client, request, kind, self.table))

    def allows(self, kind: str, pace: Pace) -> bool:
        """Whether people could have asked for this once more by now; all clients together are counted."""
        if kind not in self.limits:
            self.limits[kind] = Limit(asyncio.get_running_loop().time, pace.burst, pace.every_s)
        return self.limits[kind].allows("")

    async def carry_out(self, client: Client, request: Request, kind: RequestKind[Any], table: Table) -> None:
        try:
            found = kind.begin(request, table)
            answer = found if isinstance(found, Answer) else await found
        except Exception:  # other requests are still served
            log.exception("request=failed kind=%s", request.kind)
            answer = refused(texts.control.FAILED)
        client.jobs.remove(request.id)
        client.answer(request.id, answer)
        self.wake()

    async def send(self, client: Client) -> None:
        """Sends answers and events as they come. Raises TimeoutError if the client accepts no data."""
        client.writer.transport.set_write_buffer_limits(high=SLICE_BYTES)
        while True:
            client.due.clear()
            while (data := self.next_for(client)) is not None:
                for at in range(0, len(data), SLICE_BYTES):
                    client.writer.write(data[at : at + SLICE_BYTES])
                    async with asyncio.timeout(STUCK_S):
                        await client.writer.drain()
            await client.due.wait()

    def next_for(self, client: Client) -> bytes | None:
        """What to send to the client next: answers, then events that it has not had."""
        if client.answers:
            client.sent.set()
            return client.answers.popleft()
        for event, (number, data) in self.events.items():
            if client.received.get(event) != number:
                client.received[event] = number
                return data
        return None

    def disconnect(self) -> None:
        """Disconnects all clients and drops their requests; they may connect again."""
        for client in self.clients:
            client.writer.transport.abort()

    def close(self) -> None:
        """Disconnects all clients and stops listening."""
        self.disconnect()
        if self.server is not None:
            self.server.close()
