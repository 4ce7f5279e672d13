"""Server-sent events, one stream for each tab, and each client's share of streams and of the table's time."""

import asyncio
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import asynccontextmanager
from typing import Final

from starlette.responses import StreamingResponse

from gateway.link import BusyError

HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}
ALIVE_S: Final = 10.0
"""A stream without news says so this often: a screen that hears nothing knows that it is out of date."""
AT_ONCE: Final = 2
"""Requests of one client that the table gets at once; further ones wait for their turn."""
MOST_WAITING: Final = 24
"""Waiting requests of one client; a page with the pictures of many throws sends some twenty."""


def event(name: str, data: bytes) -> bytes:
    """One server-sent event; `data` is JSON in one line."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)


async def wait_at_most(news: asyncio.Event, within_s: float | None) -> bool:
    """Waits for the event; False if it doesn't come in time."""
    try:
        async with asyncio.timeout(within_s):
            return await news.wait()
    except TimeoutError:
        return False


async def merge_streams(*sources: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """Yields what each source yields, as it comes, until all of them have ended."""
    waiting = {asyncio.create_task(anext(source, b"")): source for source in sources}
    try:
        while waiting:
            # Whichever source has something is passed on; one that has ended is not asked again.
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in [task_waiting for task_waiting in waiting if task_waiting.done()]:
                source = waiting.pop(task)
                if data := task.result():
                    waiting[asyncio.create_task(anext(source, b""))] = source
                    yield data
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for source in sources:
            await source.aclose()


def streaming(*sources: AsyncGenerator[bytes, None]) -> StreamingResponse:
    """A response that lasts as long as the browser stays connected."""
    stream = sources[0] if len(sources) == 1 else merge_streams(*sources)
    return StreamingResponse(stream, media_type="text/event-stream", headers=HEADERS)


class Turns:
    """Passes on a few requests of each client at a time."""

    def __init__(self) -> None:
        self.gates: dict[str, asyncio.Semaphore] = {}
        self.waiting: Counter[str] = Counter()

    @asynccontextmanager
    async def of(self, client: str) -> AsyncIterator[None]:
        """Waits for the client's turn. Raises BusyError if too many of its requests wait already."""
        if self.waiting[client] >= MOST_WAITING:
            raise BusyError
        gate = self.gates.setdefault(client, asyncio.Semaphore(AT_ONCE))
        self.waiting[client] += 1
        try:
            async with gate:
                yield
        finally:
            self.waiting[client] -= 1
            if not self.waiting[client]:
                del self.waiting[client], self.gates[client]


class Streams:
    """Counts the open streams of each client, and limits them."""

    def __init__(self, most: int, most_of_a_client: int) -> None:
        self.most = most
        self.most_of_a_client = most_of_a_client
        self.open: Counter[str] = Counter()

    def total(self) -> int:
        return self.open.total()

    def allows(self, client: str, more: int = 0) -> bool:
        """Whether the client may hold its open streams and `more` others.

        When all are taken, a new client still gets its equal share, and some of the others' end.
        """
        own = self.open[client] + more
        clients = len(self.open.keys() | {client})
        shared = self.total() + more <= self.most or own * clients <= self.most
        return own <= self.most_of_a_client and shared
