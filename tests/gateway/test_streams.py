"""One stream of events made of several."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from gateway.streams import event, merge_streams

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator


def test_an_event_is_two_lines_and_an_empty_one() -> None:
    assert event("state", b"{}") == b"event: state\ndata: {}\n\n"


def test_what_comes_from_each_is_told_as_it_comes_until_all_have_ended() -> None:
    async def told() -> list[bytes]:
        gate = asyncio.Event()

        async def short() -> AsyncGenerator[bytes, None]:
            yield b"a1"

        async def late() -> AsyncGenerator[bytes, None]:
            await gate.wait()
            yield b"b1"
            yield b"b2"

        found = []
        async for said in merge_streams(short(), late()):
            found.append(said)
            gate.set()
        return found

    assert asyncio.run(told()) == [b"a1", b"b1", b"b2"]


def test_who_leaves_ends_them_all() -> None:
    ended = []

    async def left() -> bytes:
        async def endless(name: str) -> AsyncGenerator[bytes, None]:
            try:
                yield name.encode()
                await asyncio.Event().wait()
            finally:
                ended.append(name)

        stream = merge_streams(endless("a"), endless("b"))
        first = await anext(stream)
        await anext(stream)
        await stream.aclose()
        return first

    assert asyncio.run(left()) == b"a"
    assert sorted(ended) == ["a", "b"]
