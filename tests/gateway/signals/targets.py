"""Receivers of webhooks: good ones, and each kind of bad one."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import h11

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator


@dataclass
class Target:
    """A server of HTTP that answers as it is told; what it got is in `bodies` and `headers`.

    `answers` are statuses for the next requests, the last one for ever. A negative one is no answer at all.
    With `endless` the body of an answer never ends.
    """

    answers: list[int] = field(default_factory=lambda: [200])
    endless: bool = False
    location: str = "/"
    bodies: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    sent_bytes: int = 0
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook"

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError, asyncio.CancelledError):
            await self.exchange(reader, writer)
        writer.close()

    async def exchange(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        connection = h11.Connection(h11.SERVER)
        body = b""
        while True:
            event = connection.next_event()
            if event is h11.NEED_DATA:
                connection.receive_data(await reader.read(65536))
            elif isinstance(event, h11.Request):
                self.headers.append({name.decode(): value.decode() for name, value in event.headers})
                self.paths.append(f"{event.method.decode()} {event.target.decode()}")
            elif isinstance(event, h11.Data):
                body += bytes(event.data)
            else:
                break
        self.bodies.append(body.decode())
        status = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if status < 0:
            await asyncio.sleep(3600)
        headers = [("location", self.location), ("content-length", str(10**9 if self.endless else 0))]
        writer.write(connection.send(h11.Response(status_code=status, headers=headers)) or b"")
        while self.endless and self.sent_bytes < 10**9:
            writer.write(connection.send(h11.Data(data=b"x" * 65536)) or b"")
            await writer.drain()
            self.sent_bytes += 65536


@asynccontextmanager
async def target(
    answers: list[int] | None = None, *, context: ssl.SSLContext | None = None
) -> AsyncIterator[Target]:
    """A target until the end of the block."""
    made = Target(answers or [200])
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0, ssl=context)
    made.port = server.sockets[0].getsockname()[1]
    try:
        yield made
    finally:
        server.close()
