"""Crowds that ask the gateway for things, each at an address of its own, as a proxy reports them."""

from __future__ import annotations

import asyncio
import json
import secrets
import threading
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

GUEST, PHONE = "203.0.113.7", "192.0.2.1"


def request(port: int, path: str, client: str, body: Any = None, cookie: str = "") -> bytes:
    """A request from our own page, over a proxy."""
    data = b"" if body is None else json.dumps(body).encode()
    lines = [
        f"{'GET' if body is None else 'POST'} {path} HTTP/1.1",
        f"Host: 127.0.0.1:{port}",
        f"Origin: http://127.0.0.1:{port}",
        f"X-Forwarded-For: {client}",
        "Content-Type: application/json",
        f"Content-Length: {len(data)}",
    ]
    if cookie:
        lines.append(f"Cookie: {cookie}")
    return "\r\n".join([*lines, "", ""]).encode() + data


async def status(reader: asyncio.StreamReader) -> int:
    """The status of the next answer, whose body is read too."""
    head = await reader.readuntil(b"\r\n\r\n")
    size = next(int(line[15:]) for line in head.lower().splitlines() if line.startswith(b"content-length:"))
    await reader.readexactly(size)
    return int(head.split()[1])


class Crowd:
    """Many connections that ask without end, in a thread; `statuses` counts the answers."""

    def __init__(self, port: int, connections: int, ask: Callable[[], bytes]) -> None:
        self.port = port
        self.connections = connections
        self.ask = ask
        self.statuses: Counter[int] = Counter()
        self.ending = threading.Event()
        self.thread = threading.Thread(target=lambda: asyncio.run(self.all()), daemon=True)

    def __enter__(self) -> Crowd:
        self.thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ending.set()
        self.thread.join(30)

    async def all(self) -> None:
        await asyncio.gather(*(self.one() for _ in range(self.connections)))

    async def one(self) -> None:
        while not self.ending.is_set():
            with suppress(OSError, EOFError, StopIteration):
                reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
                try:
                    while not self.ending.is_set():
                        writer.write(self.ask())
                        async with asyncio.timeout(10):
                            self.statuses[await status(reader)] += 1
                finally:
                    writer.close()
            await asyncio.sleep(0.01)


def made_up() -> str:
    """A cookie that no table gave out."""
    return f"dicetable_seat={secrets.token_urlsafe(24)}"
