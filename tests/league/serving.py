"""A league server as a process of its own, and what is asked of it."""

from __future__ import annotations

import http.client
import json
import os
import signal
import subprocess
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from common import http_server
from common.http_server import Listener
from league import app
from league.database import connect, prepare
from tests.zygote import Forked

if TYPE_CHECKING:
    from collections.abc import Mapping

ROOT = Path(__file__).resolve().parents[2]
STARTS_WITHIN_S = 300.0


class Server:
    """`dicetable league serve` on a free port; `url` is where."""

    def __init__(self, database: str, port: int = 0) -> None:
        self.database = database
        self.port = port
        self.start()

    def start(self) -> None:
        self.said, its = os.pipe()
        self.process = Forked(
            *("-m", "dicetable", "league", "serve", "--database", self.database),
            *("--listen", f"127.0.0.1:{self.port}", "--name", "Test league"),
            stdout=its,
            stderr=subprocess.DEVNULL,
            cwd=ROOT,
        )
        os.close(its)
        line = os.read(self.said, 1 << 16).decode()
        assert line.startswith("The league: http://127.0.0.1:"), line
        self.port = int(line.rstrip("/\n").rpartition(":")[2])

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def ask(
        self, method: str, path: str, data: bytes | None = None, headers: Mapping[str, str] | None = None
    ) -> tuple[int, Any, str]:
        """Status, body (JSON if it is), and type."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=300)
        try:
            connection.request(method, path, data, dict(headers or {}))
            response = connection.getresponse()
            kind = response.headers.get_content_type()
            body = response.read()
        finally:
            connection.close()
        return response.status, json.loads(body) if kind == "application/json" else body.decode(), kind

    def alive(self) -> None:
        """Waits until it answers."""
        waited = time.monotonic()
        while True:
            try:
                if self.ask("GET", "/health")[0] == 200:
                    return
            except OSError:
                pass
            assert time.monotonic() - waited < STARTS_WITHIN_S
            time.sleep(0.05)

    def kill(self) -> None:
        self.process.kill()
        self.ended()

    def close(self) -> None:
        self.process.send_signal(signal.SIGTERM)
        self.ended()

    def ended(self) -> None:
        self.process.wait(300)
        os.close(self.said)


class Neighbour(Server):
    """The same in a thread of the tests, which starts at once; it can't be killed."""

    def start(self) -> None:
        self.league = connect(self.database)
        prepare(self.league, "Test league")
        self.listening = Listener("127.0.0.1", 0, app.MOST_CONNECTIONS)
        self.port = self.listening.getsockname()[1]
        entrance = http_server.Entrance(app.application(self.league), self.listening)
        self.server = http_server.Server(app.FAREWELL_S, entrance)
        self.thread = threading.Thread(target=self.server.run, args=([self.listening],), daemon=True)
        self.thread.start()

    def close(self) -> None:
        self.server.should_exit = True
        self.thread.join(30)
        self.listening.close()
        self.league.close()
