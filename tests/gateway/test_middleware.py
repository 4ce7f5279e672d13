"""How often clients may ask: a crowd waits, others do not."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from gateway import middleware
from gateway.middleware import TO_PLAY, Throttle

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

GUEST, OTHER = "203.0.113.7", "192.0.2.1"


class Room:
    """A gateway with a clock of the test's own; `waits` are those of the requests that were passed on."""

    def __init__(self) -> None:
        self.s = 1000.0
        self.waits: list[float] = []
        self.statuses: list[int] = []
        self.closed: list[int] = []
        self.paced = Throttle(
            self.app, lambda asking: asking.cookies.get("dicetable_seat", ""), lambda: self.s
        )

    async def app(self, _: Scope, __: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})

    async def ask(self, client: str, cookie: str = "", path: str = "/") -> int:
        async def receive() -> Message:
            raise NotImplementedError

        async def send(message: Message) -> None:
            if message["type"] == "http.response.start":
                self.statuses.append(message["status"])
                if (b"connection", b"close") in message["headers"]:
                    self.closed.append(message["status"])

        headers = [(b"cookie", cookie.encode())]
        scope = {"type": "http", "method": "GET", "path": path, "client": (client, 1), "headers": headers}
        await self.paced(scope, receive, send)
        return self.statuses[-1]


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> Room:
    made = Room()

    async def sleep(seconds: float) -> None:
        made.waits.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return made


def test_a_client_that_asks_without_end_waits_and_others_do_not(room: Room) -> None:
    async def story() -> None:
        for number in range(300):
            assert await room.ask(GUEST) == 200
            if number % 50 == 0:
                assert await room.ask(OTHER) == await room.ask("127.0.0.1") == 200
                assert await room.ask(GUEST, "dicetable_seat=of-the-table", "/phone/choose") == 200
        assert room.waits == pytest.approx([0.02 * (number + 1) for number in range(200)])
        room.s += 8.0 + 100 * 0.02
        room.waits.clear()
        assert {await room.ask(GUEST) for _ in range(100)} == {200}
        assert room.waits == []

    asyncio.run(story())


def test_what_would_wait_too_long_is_refused_and_does_not_count(room: Room) -> None:
    async def story() -> None:
        answers = [await room.ask(f"2001:db8::{number:x}") for number in range(900)]
        assert answers.index(429) == pytest.approx(500, abs=1)
        assert set(answers[answers.index(429) :]) == {429}
        room.s += 0.04
        assert await room.ask("2001:db8::1") == 200

    asyncio.run(story())


def test_few_requests_wait_and_few_clients_are_remembered(
    room: Room, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(middleware, "MOST_WAITING", 0)

    async def story() -> Any:
        assert [await room.ask(GUEST) for _ in range(101)] == [200] * 100 + [429]
        for number in range(1000):
            assert await room.ask(f"10.0.{number // 250}.{number % 250}") == 200
            room.s += 0.01

    asyncio.run(story())
    assert len(room.paced.limit.buckets) == 500
    assert room.paced.waiting == 0


SEATED = "dicetable_seat=of-the-table"


@pytest.mark.parametrize("path", ["/", "/phone/choose", "/api/throws", "/players/Ann", "/phone/events"])
def test_a_phone_with_a_seat_has_a_share_of_each_path(room: Room, path: str) -> None:
    async def story() -> None:
        answers = [await room.ask(GUEST, SEATED, path) for _ in range(900)]
        assert answers.count(200) <= 40 + 100 + 400
        room.waits.clear()
        assert await room.ask(OTHER, "dicetable_seat=another", "/phone/choose") == 200
        assert await room.ask(OTHER) == 200
        assert room.waits == []

    asyncio.run(story())


def test_a_crowd_at_many_addresses_waits_and_players_and_this_machine_do_not(room: Room) -> None:
    async def story() -> None:
        crowd = [await room.ask(f"10.0.{n // 250}.{n % 250}") for n in range(5000)]
        assert crowd.count(200) == pytest.approx(400 + 1600, abs=2)
        room.waits.clear()
        for path in TO_PLAY:
            assert await room.ask(GUEST, SEATED, path) == 200
        assert await room.ask(GUEST, SEATED, "/") == 200
        assert await room.ask("127.0.0.1") == 200
        assert room.waits == []

    asyncio.run(story())


def test_a_refusal_waits_and_ends_the_connection(room: Room) -> None:
    async def story() -> None:
        for _ in range(500):
            await room.ask(GUEST)
        assert room.closed == []
        room.waits.clear()
        assert await room.ask(GUEST) == 429
        assert room.waits == [3.0]
        assert room.closed == [429]

    asyncio.run(story())
