"""Connections: bounded in number with a share for each client, and in time."""

from __future__ import annotations

import asyncio
import socket
from contextlib import ExitStack, suppress
from typing import Any

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from common import http_server
from common.http_server import BODY, HEAD, BoundedProtocol, Connection, ConnectionSlots, Listener
from common.network import RateLimit

HANGING_S = 300.0
GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


class Ended(list[tuple[str, int]]):
    """The connections that were ended for others."""

    def take(self, places: ConnectionSlots, host: str, port: int) -> bool:
        return places.take((host, port), lambda: self.append((host, port))) is not None


def test_the_client_with_the_most_connections_loses_the_one_that_was_idle_for_longest() -> None:
    places, ended = ConnectionSlots(4), Ended()
    assert all(ended.take(places, "192.0.2.1", port) for port in range(4))
    places.set_idle(("192.0.2.1", 0), idle=True)
    assert ended.take(places, "192.0.2.2", 0)
    assert ended == [("192.0.2.1", 1)]
    assert all(ended.take(places, "192.0.2.3", port) for port in range(2))
    assert ended[1:] == [("192.0.2.1", 2), ("192.0.2.1", 3)]


def test_a_busy_client_that_has_the_most_gets_no_more_and_gives_to_others() -> None:
    places, ended = ConnectionSlots(3), Ended()
    for port in range(3):
        assert ended.take(places, "2001:db8::1", port)
        places.set_idle(("2001:db8::1", port), idle=False)
    assert not ended.take(places, "2001:db8::ffff", 3), "the same network is the same client"
    assert ended.take(places, "192.0.2.2", 0)
    assert ended == [("2001:db8::1", 2)]
    assert len(places.taken) == 3


def test_a_phone_with_a_seat_and_this_machine_keep_their_connections_in_a_crowd() -> None:
    places, ended = ConnectionSlots(400), Ended()
    places.keeps = "192.0.2.1".__eq__
    assert ended.take(places, "127.0.0.1", 0)
    assert all(ended.take(places, "192.0.2.1", port) for port in range(2))
    for number in range(1000):
        ended.take(places, f"10.0.{number // 250}.{number % 250}", 0)
        places.set_idle((f"10.0.{number // 250}.{number % 250}", 0), idle=False)
    for address in (("192.0.2.1", 0), ("192.0.2.1", 1), ("127.0.0.1", 0)):
        places.set_idle(address, idle=False)
    assert all(ended.take(places, "192.0.2.1", port) for port in range(2, 6))
    assert ended.take(places, "127.0.0.1", 1)
    assert not {"192.0.2.1", "127.0.0.1"} & {host for host, _ in ended}


def test_one_with_a_seat_does_not_take_every_connection() -> None:
    places, ended = ConnectionSlots(400), Ended()
    places.keeps = "192.0.2.1".__eq__
    for port in range(400):
        ended.take(places, "192.0.2.1", port)
    assert all(ended.take(places, f"10.0.0.{number}", 0) for number in range(100))
    assert {host for host, _ in ended} == {"192.0.2.1"}


def test_a_place_is_given_back_once() -> None:
    places = ConnectionSlots(1)
    first = places.take(("192.0.2.1", 1), lambda: None)
    assert first is not None
    places.release(("192.0.2.1", 1), first)
    second = places.take(("192.0.2.1", 1), lambda: None)
    places.release(("192.0.2.1", 1), first)
    assert places.taken == {("192.0.2.1", 1): second}


async def answer(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


class Server:
    """An application on a free port of this machine."""

    def __init__(self, most: int) -> None:
        self.listener = Listener("127.0.0.1", 0, most)
        self.port = self.listener.getsockname()[1]
        application = Starlette(routes=[Route("/", answer, methods=["GET", "POST"])])

        def protocol(**more: Any) -> BoundedProtocol:
            return BoundedProtocol(self.listener.slots, **more)

        config = uvicorn.Config(
            application, http=protocol, lifespan="off", log_config=None,  # type: ignore[arg-type]
            timeout_graceful_shutdown=1,
        )  # fmt: skip
        self.server = uvicorn.Server(config)

    async def __aenter__(self) -> Server:
        self.serving = asyncio.create_task(self.server.serve(sockets=[self.listener]))
        async with asyncio.timeout(HANGING_S):
            while not self.server.started:
                await asyncio.sleep(0.01)
        return self

    async def __aexit__(self, *_: object) -> None:
        self.server.should_exit = True
        await self.serving
        self.listener.close()

    async def connect(self, host: str = "127.0.0.1") -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        return await asyncio.open_connection("127.0.0.1", self.port, local_addr=(host, 0))


def test_a_client_that_connects_too_fast_is_turned_away_unparsed() -> None:
    now_s = [0.0]

    async def connected(server: Server, host: str) -> bool:
        reader, writer = await server.connect(host)
        writer.write(b"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
        found = await ended(reader)
        writer.close()
        return found.startswith(b"HTTP/1.1 200")

    async def tried() -> None:
        async with Server(400) as server:
            server.listener.slots.connects = RateLimit(lambda: now_s[0], 3, 0.5)
            assert [await connected(server, "127.0.0.2") for _ in range(5)] == [True] * 3 + [False] * 2
            assert await connected(server, "127.0.0.3"), "others have a share of their own"
            assert all([await connected(server, "127.0.0.1") for _ in range(5)]), "this machine always may"
            now_s[0] = 0.5
            assert [await connected(server, "127.0.0.2") for _ in range(2)] == [True, False]

    asyncio.run(tried())


async def ended(reader: asyncio.StreamReader) -> bytes:
    """All that comes until the server ends the connection."""
    async with asyncio.timeout(HANGING_S):
        with suppress(ConnectionResetError):
            return await reader.read()
    return b""


def test_idle_connections_of_one_client_keep_nobody_out() -> None:
    async def story() -> None:
        async with Server(20) as server:
            crowd = [await server.connect("127.0.0.2") for _ in range(60)]
            for _ in range(10):
                reader, writer = await server.connect("127.0.0.3")
                writer.write(GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n"))
                assert (await ended(reader)).startswith(b"HTTP/1.1 200 OK")
                writer.close()
            assert len(server.listener.slots.taken) <= 20
            for _, writer in crowd:
                writer.close()

    asyncio.run(story())


@pytest.mark.parametrize(
    ("said", "more"),
    [
        (b"", b""),
        (b"GET / HTTP/1.1\r\nHost: x\r\n", b"A: b\r\n"),
        (b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", b"x"),
        (GET, b"GET"),
        (b"POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n", b"x"),
    ],
)
def test_a_connection_without_a_whole_request_ends(
    monkeypatch: pytest.MonkeyPatch, said: bytes, more: bytes
) -> None:
    monkeypatch.setattr(http_server, "LONGEST_S", {HEAD: 0.3, BODY: 0.3})

    async def story() -> None:
        async with Server(5) as server:
            reader, writer = await server.connect()
            writer.write(said)

            async def drip() -> None:
                while True:
                    await asyncio.sleep(0.05)
                    writer.write(more)

            dripping = asyncio.create_task(drip())
            await ended(reader)
            dripping.cancel()
            writer.close()
            async with asyncio.timeout(HANGING_S):
                while server.listener.slots.taken:
                    await asyncio.sleep(0.01)

    asyncio.run(story())


def test_an_evicted_connection_is_seen_to_end_by_both_sides() -> None:
    with ExitStack() as stack:
        ours, theirs = socket.socketpair()
        stack.enter_context(theirs)
        connection = stack.enter_context(Connection(ours.family, ours.type, ours.proto, ours.detach()))
        connection.end()
        assert theirs.recv(1) == connection.recv(1) == b""
