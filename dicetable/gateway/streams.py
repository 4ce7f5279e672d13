"""Server-sent events: one stream for each tab, whatever flows to it."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Final

from starlette.responses import StreamingResponse

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

HEADERS: Final = {"cache-control": "no-store", "x-accel-buffering": "no"}


def event(name: str, data: bytes) -> bytes:
    """One server-sent event; `data` is JSON in one line."""
    return b"event: %s\ndata: %s\n\n" % (name.encode(), data)


async def merged(*sources: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """What all of these say, as it comes, until each of them has ended."""
    waiting = {asyncio.create_task(anext(source, b"")): source for source in sources}
    try:
        while waiting:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            for task in [each for each in waiting if each.done()]:
                source = waiting.pop(task)
                if said := task.result():
                    waiting[asyncio.create_task(anext(source, b""))] = source
                    yield said
    finally:
        for task in waiting:
            task.cancel()
        await asyncio.gather(*waiting, return_exceptions=True)
        for source in sources:
            await source.aclose()


def streaming(*sources: AsyncGenerator[bytes, None]) -> StreamingResponse:
    """A response that goes on for as long as the browser stays."""
    stream = sources[0] if len(sources) == 1 else merged(*sources)
    return StreamingResponse(stream, media_type="text/event-stream", headers=HEADERS)
