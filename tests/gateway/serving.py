"""A gateway in a separate process, and a fake table whose state a test sets."""

from __future__ import annotations

import http.client
import itertools
import json
import re
import socket
import threading
import time
from contextlib import closing, suppress
from pathlib import Path
from subprocess import DEVNULL
from typing import TYPE_CHECKING, Any

from common import messages
from dicetable.service.publisher import as_json
from gateway.settings import GatewaySettings
from tests.gateway.states import IDLE
from tests.zygote import Forked

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

ROOT = Path(__file__).resolve().parents[2]
HANGING_S = 300.0
READINGS = (messages.PICTURE, messages.MOTION, messages.MARKS, messages.FILM, messages.THROWS, messages.ROWS)


def until(what: Callable[[], bool], hanging_s: float = HANGING_S) -> None:
    """Waits until it is so; fails if that never comes."""
    end_s = time.monotonic() + hanging_s
    while not what():
        assert time.monotonic() < end_s, f"waited for {hanging_s} s"
        time.sleep(0.02)


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def refuse(_: str, __: dict[str, Any]) -> bytes | None:
    """The table refuses every request."""
    return None


class Served:
    """A gateway at a free port of this machine, as long as the context lasts."""

    def __init__(self, table: Path, *hosts: str, **operator: Any) -> None:
        """`operator` are further fields of GatewaySettings; unless they say otherwise, the code is enough."""
        self.operator = {"code_alone": True} | operator
        self.table = table
        self.hosts = hosts
        self.port = free_port()
        self.process: Forked | None = None

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        settings = GatewaySettings("127.0.0.1", self.port, str(self.table), self.hosts, **self.operator)
        with settings.file() as file:
            self.process = Forked("-m", "gateway", stdin=file, stdout=DEVNULL, stderr=DEVNULL)
        until(self.answers)

    def answers(self) -> bool:
        assert self.process is not None
        assert self.process.poll() is None
        with suppress(OSError), closing(socket.create_connection(("127.0.0.1", self.port), 1.0)):
            return True
        return False

    def kill(self) -> None:
        if self.process is not None:
            self.process.kill()
            self.process.wait(HANGING_S)
            self.process = None

    def get(
        self, path: str, host: str | None = None, method: str = "GET"
    ) -> tuple[int, dict[str, str], bytes]:
        """Status, headers and body."""
        with closing(http.client.HTTPConnection("127.0.0.1", self.port, timeout=HANGING_S)) as connection:
            connection.putrequest(method, path, skip_host=host is not None)
            if host is not None:
                for each in host.split("|"):
                    connection.putheader("Host", each)
            connection.endheaders()
            response = connection.getresponse()
            headers = {name.lower(): value for name, value in response.getheaders()}
            return response.status, headers, response.read()

    def json(self, path: str) -> Any:
        return json.loads(self.get(path)[2])

    def stream(self) -> Stream:
        return Stream(self.port)


def over_the_wire(port: int, path: str, *headers: str) -> bytes:
    """All that an answer is, its headers too."""
    lines = (f"GET {path} HTTP/1.1", "Host: localhost", "Connection: close", *headers)
    with closing(socket.create_connection(("127.0.0.1", port), HANGING_S)) as asking:
        asking.sendall("\r\n".join([*lines, "", ""]).encode())
        found = bytearray()
        while data := asking.recv(65536):
            found += data
    return bytes(found)


def first_page(port: int) -> dict[str, int]:
    """Each path that a browser asks for to show the guest page, and the bytes of its answer.

    This is how a television elsewhere gets it; the picture of the last throw is not in it.
    """
    plain = ("X-Forwarded-For: 192.0.2.1",)
    found: dict[str, int] = {}
    left = ["/"]
    while left:
        path = left.pop()
        if path in found:
            continue
        found[path] = len(over_the_wire(port, path, "Accept-Encoding: gzip, deflate, br", *plain))
        text = over_the_wire(port, path, *plain).decode()
        if path.endswith(".js"):
            imported = re.findall(r'^import .* from "\./(.*)";', text, re.MULTILINE)
            left += [f"/static/{name}" for name in imported]
        elif path == "/":
            left += re.findall(r'(?:href|src)="(/(?:static/|qr)[^"]*)"', text)
    return found


SCREENS = itertools.cycle(f"127.0.0.{number}" for number in range(2, 250))
"""Where screens are, each at an address of its own as in a room."""


class Stream:
    """One screen."""

    def __init__(self, port: int, path: str = "/events", *headers: str) -> None:
        self.socket = socket.create_connection(("127.0.0.1", port), HANGING_S, (next(SCREENS), 0))
        lines = (f"GET {path} HTTP/1.1", "Host: localhost", *headers)
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self.seen = b""

    def until(self, text: bytes) -> bytes:
        """All that came up to this text."""
        end_s = time.monotonic() + HANGING_S
        while text not in self.seen:
            assert time.monotonic() < end_s, f"waited for {text!r}"
            data = self.socket.recv(65536)
            assert data, "the stream ended"
            self.seen += data
        return self.seen

    def close(self) -> None:
        self.socket.close()


class PretendTable:
    """The table's end of `table.sock`, in threads: sends states and answers as a test says.

    `bodies` are the answers to requests that only read, by kind and number; `answer` gives the body of an
    answer to any other request, and None refuses it.
    """

    def __init__(self, path: Path, answer: Callable[[str, dict[str, Any]], bytes | None] = refuse) -> None:
        self.path = path
        self.state = as_json(IDLE)
        self.bodies: dict[tuple[str, int], bytes] = {}
        self.answer = answer
        self.asked: list[tuple[str, int]] = []
        self.connections: list[socket.socket] = []
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(str(path))
        self.listener.listen(8)
        self.thread = threading.Thread(target=self.serve, daemon=True)
        self.thread.start()

    @property
    def connection(self) -> socket.socket | None:
        """The newest one."""
        return self.connections[-1] if self.connections else None

    def serve(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self.listener.accept()
                self.connections.append(connection)
                threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection: socket.socket) -> None:
        with connection, suppress(OSError), connection.makefile("rb") as lines:
            connection.sendall(messages.Event(messages.STATE, body=self.state).to_bytes())
            for line in lines:
                asked = json.loads(line)
                connection.sendall(self.answer_to(asked["kind"], asked["payload"]).to_bytes(asked["id"]))

    def answer_to(self, kind: str, payload: dict[str, Any]) -> messages.Answer:
        if kind in READINGS:
            self.asked.append((kind, payload["number"]))
            empty = b"[]" if kind == messages.THROWS else b""
            return messages.Answer(accepted=True, body=self.bodies.get((kind, payload["number"]), empty))
        body = self.answer(kind, payload)
        return messages.Answer(body is not None, body=body or b"")

    def tell(self, state: bytes) -> None:
        self.state = state
        until(lambda: self.connection is not None)
        assert self.connection is not None
        self.connection.sendall(messages.Event(messages.STATE, body=state).to_bytes())

    def hang_up(self) -> None:
        for connection in self.connections:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.hang_up()
        self.thread.join(HANGING_S)
        self.path.unlink()
