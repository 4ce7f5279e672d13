"""Guests by the hundred, and requests without end: the table accepts each throw when it would have anyway."""

from __future__ import annotations

import socket
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from dicetable.service.publisher import LOOK_S
from tests.dicetable.service.evenings import TURN_S, Evening
from tests.gateway.serving import HANGING_S, Served, Stream, until

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("cheap_throws")]

TURNS = 600
REQUESTS_PER_S = 1000
PIPELINED = 25
IDLE = 200
SLOW = 10


class Flood:
    """Sends many requests over one connection."""

    def __init__(self, port: int, path: str) -> None:
        self.port = port
        self.request = f"GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
        self.socket = socket.create_connection(("127.0.0.1", port), HANGING_S)
        self.answers = 0

    def ask(self, count: int) -> None:
        """Sends `count` requests and reads all answers."""
        self.socket.sendall(self.request * count)
        seen = b""
        while (got := seen.count(b"HTTP/1.1 200 OK")) < count or not seen.endswith(b"}"):
            data = self.socket.recv(2**20)
            assert data, "the gateway hung up"
            seen = seen[-20:] + data if got > count else seen + data
        self.answers += count

    def ask_on(self, count: int) -> None:
        """Sends `count` requests and does not wait for answers."""
        self.socket.settimeout(0.0)
        try:
            self.socket.sendall(self.request * count)
            while self.socket.recv(2**20):
                pass
        except BlockingIOError:
            return
        except OSError:
            pass
        self.socket.close()
        self.socket = socket.create_connection(("127.0.0.1", self.port), HANGING_S)


def played(evening: Evening, siege: Siege | None = None) -> list[tuple[float, int]]:
    """When each entry was accepted, in virtual time."""
    accepted: list[tuple[float, int]] = []
    record = evening.service.parts.ledger
    for _ in range(TURNS):
        before = record.count
        evening.turn()
        if siege is not None:
            siege.go_on()
        if record.count > before:
            accepted.append((round(evening.clock.now_s(), 3), record.count))
    return accepted


class Siege:
    """Screens that only listen, screens that hardly read, and a thousand requests in each virtual second."""

    def __init__(self, port: int) -> None:
        self.idle = [Stream(port) for _ in range(IDLE)]
        self.slow = [Stream(port) for _ in range(SLOW)]
        for stream in self.slow[::2]:
            stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
        self.floods = [Flood(port, "/api/state") for _ in range(4)]
        paths = (
            "/api/throws?before=9007199254740991",
            "/throws/9.jpg",
            "/throws/9.json",
            "/throws/9-motion.jpg",
        )
        self.asking = [Flood(port, path) for path in paths]

    def go_on(self) -> None:
        """A turn's part of it."""
        for flood in self.floods:
            flood.ask(round(REQUESTS_PER_S * TURN_S / len(self.floods)))
        for flood in self.asking:
            flood.ask_on(5)
        for stream in self.slow[1::2]:
            stream.socket.settimeout(0.0)
            with suppress(BlockingIOError):
                stream.socket.recv(1)
        for stream in self.idle:
            stream.socket.settimeout(0.0)
            with suppress(BlockingIOError):
                stream.seen = stream.seen[-100:] + stream.socket.recv(2**18)

    def close(self) -> None:
        for stream in (*self.idle, *self.slow):
            stream.close()
        for flood in (*self.floods, *self.asking):
            flood.socket.close()


def test_no_guest_delays_a_throw(tmp_path: Path) -> None:
    (tmp_path / "alone").mkdir()
    (tmp_path / "besieged").mkdir()
    evening = Evening(tmp_path / "alone", "six_by_6", screens=False)
    alone = played(evening)
    evening.close()
    assert len(alone) > 5
    evening = Evening(tmp_path / "besieged", "six_by_6")
    served = Served(evening.path)
    served.start()

    def connected() -> bool:
        evening.service.turn()
        return served.get("/health")[0] == 200

    until(connected)
    siege = Siege(served.port)
    assert played(evening, siege) == alone
    assert sum(flood.answers for flood in siege.floods) == REQUESTS_PER_S * TURNS * TURN_S
    evening.clock.sleep(LOOK_S)
    evening.service.turn()
    newest = b'"revision":%d}' % evening.published["revision"]
    for stream in siege.idle:
        stream.socket.settimeout(HANGING_S)
        stream.until(newest)
    siege.close()
    served.kill()
    evening.close()
