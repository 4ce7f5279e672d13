"""The table's end of `table.sock`: sends events to the gateway, and carries out its requests.

The gateway is treated as hostile. Everything runs on the table's own loop, in steps that are short: what is
queued for a client is bounded, one that sends faster than RATE is read more slowly, and one that takes
nothing is disconnected. So nothing that a gateway sends, reads slowly or leaves unread delays a throw. A line
without a number to answer to closes the connection; an invalid request is refused with a sentence.
"""

import asyncio
import logging
import socket
from collections import deque
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Annotated, Any, Final, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from common import strict_json, texts
from common.messages import (
    HIGHEST,
    LONGEST_LINE_BYTES,
    MOST_BYTES,
    Answer,
    Event,
    WireError,
    parsed,
    read_line,
    whole,
)
from common.network import RateLimit
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
FLUSH_S: Final = 1.0
"""Longest wait for clients to take their last answers."""
FLUSH_STEP_S: Final = 0.01

log = logging.getLogger(__name__)


class Payload(BaseModel):
    """The base of all payloads: no unknown fields, no silent conversions."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Nothing(Payload):
    """No payload."""


class Request(Payload):
    """A request of the gateway. `kind` names a handler, whose own model checks `payload`."""

    id: Annotated[int, Field(ge=0, le=HIGHEST)]
    kind: Annotated[str, Field(pattern=r"^[a-z_]{1,40}$")]
    payload: dict[str, Any] = {}


class BadRequestError(Exception):
    """The line has a number to answer to, but is no request; the text says why."""

    def __init__(self, number: int, why: str) -> None:
        super().__init__(why)
        self.number = number


def parse_request(line: bytes) -> Request:
    """The request in a line. Raises WireError if it has no number, BadRequestError if the rest is invalid."""
    message = parsed(line)
    number = whole(message.get("id"))
    try:
        strict_json.check_plain(message)
        return Request.model_validate(message)
    except ValidationError as error:
        raise BadRequestError(number, fault_in(error, "line")) from None
    except ValueError:
        raise BadRequestError(number, texts.gateway.NOT_PLAIN) from None


def fault_in(error: ValidationError, checked: str) -> str:
    """The first fault: where and what; `checked` names what was validated."""
    first = error.errors(include_url=False, include_input=False, include_context=False)[0]
    where = ".".join(map(str, first["loc"])) or checked
    return texts.gateway.bad_payload(where, first["msg"])


def accepted(result: dict[str, Any] | None = None, body: bytes = b"") -> Answer:
    return Answer(accepted=True, result=result or {}, body=body)


def refused(sentence: str, *, later: bool = False) -> Answer:
    """The reply to a request that was refused, with the reason; `later`: nothing is wrong but the time."""
    return Answer(accepted=False, sentence=sentence, result={"later": True} if later else {})


@dataclass(frozen=True, slots=True)
class Pace:
    """How often people do something: `burst` times at once, and then once every `every_s` seconds."""

    burst: int
    every_s: float


SELDOM: Final = Pace(6, 10.0)
"""The pace of what people do a few times an evening, such as starting a game."""
LOOKS: Final = Pace(20, 1.0)
"""The pace of pages that people look at; they change nothing."""
Given = TypeVar("Given", bound=Payload)


@dataclass(frozen=True, slots=True)
class RequestKind(Generic[Given]):
    """One kind of request: the model of its payload, what it does, and its pace over all connections.

    `do` returns the answer, or a coroutine that does. It runs on the table's loop, so each of its steps has
    to be short, because a throw may be waiting.
    """

    payload: type[Given]
    do: Callable[[Given, Table], Answer | Awaitable[Answer]]
    pace: Pace = SELDOM

    def begin(self, request: Request, table: Table) -> Answer | Awaitable[Answer]:
        try:
            payload = self.payload.model_validate(request.payload)
        except ValidationError as error:
            return refused(fault_in(error, "payload"))
        return self.do(payload, table)


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
        self.limits: dict[str, RateLimit] = {}
        self.table: Table | None = None
        self.wake: Callable[[], None] = lambda: None
        self.server: asyncio.Server | None = None

    async def start(self, listener: socket.socket, wake: Callable[[], None]) -> None:
        """Serves from now on; `wake` is called after each request, which may have changed the table."""
        self.wake = wake
        self.server = await asyncio.start_server(self.connected, sock=listener, limit=LONGEST_LINE_BYTES)

    def publish(self, event: Event) -> None:
        """Sends an event to all clients; slow ones get only the newest of each name."""
        number, newest = self.events.get(event.event, (0, b""))
        data = event.to_bytes()
        if data != newest:
            self.events[event.event] = (number + 1, data)
            for client in self.clients:
                client.due.set()

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(asyncio.CancelledError):  # the loop ends
            await self.serve(reader, writer)

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
        rate = RateLimit(asyncio.get_running_loop().time, int(BURST), 1 / RATE)
        while True:
            await asyncio.sleep(rate.wait_s("", float("inf")))  # at least lets the table's turn come first
            line = await read_line(reader)
            while len(client.answers) + len(client.jobs) >= MOST_ANSWERS:
                client.sent.clear()
                await client.sent.wait()
            try:
                request = parse_request(line)
            except BadRequestError as error:
                client.answer(error.number, refused(str(error)))
            else:
                self.begin(client, request)

    def begin(self, client: Client, request: Request) -> None:
        """Carries out a request in a task of its own, or refuses it."""
        kind = self.kinds.get(request.kind)
        if kind is None:
            client.answer(request.id, refused(texts.gateway.UNKNOWN_REQUEST))
        elif len(client.jobs) >= MOST_JOBS or request.id in client.jobs or self.table is None:
            client.answer(request.id, refused(texts.gateway.TABLE_BUSY))
        elif not self.allows(request.kind, kind.pace):
            client.answer(request.id, refused(texts.gateway.TOO_MANY_REQUESTS, later=True))
        else:
            client.jobs.add(request.id)
            client.tasks.create_task(self.carry_out(client, request, kind, self.table))

    def allows(self, kind: str, pace: Pace) -> bool:
        """Whether people could have asked for this once more by now; all clients together are counted."""
        if kind not in self.limits:
            self.limits[kind] = RateLimit(asyncio.get_running_loop().time, pace.burst, pace.every_s)
        return self.limits[kind].allows("")

    async def carry_out(self, client: Client, request: Request, kind: RequestKind[Any], table: Table) -> None:
        try:
            result = kind.begin(request, table)
            answer = result if isinstance(result, Answer) else await result
        except Exception:  # other requests are still served
            log.exception("request=failed kind=%s", request.kind)
            answer = refused(texts.gateway.TABLE_FAILED)
        client.jobs.remove(request.id)
        client.answer(request.id, answer)
        self.wake()

    async def send(self, client: Client) -> None:
        """Sends answers and events as they come. Raises TimeoutError if the client accepts no data."""
        client.writer.transport.set_write_buffer_limits(high=SLICE_BYTES)
        while True:
            client.due.clear()
            while (data := self.next_for(client)) is not None:
                for start in range(0, len(data), SLICE_BYTES):
                    client.writer.write(data[start : start + SLICE_BYTES])
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

    async def flush(self) -> None:
        """Waits until all answers that are ready have been sent, no longer than FLUSH_S."""
        with suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_S):
                while any(
                    client.answers or client.writer.transport.get_write_buffer_size()
                    for client in self.clients
                ):
                    await asyncio.sleep(FLUSH_STEP_S)

    def disconnect(self) -> None:
        for client in self.clients:
            client.writer.transport.abort()

    def close(self) -> None:
        """Disconnects all clients and stops listening."""
        self.disconnect()
        if self.server is not None:
            self.server.close()
