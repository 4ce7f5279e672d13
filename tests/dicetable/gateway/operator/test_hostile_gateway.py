"""A gateway that asks the running table for pictures without end, over all the connections that it gets."""

from __future__ import annotations

import json
import re
import socket
import threading
import urllib.request
from collections import Counter
from contextlib import closing, suppress
from typing import TYPE_CHECKING, Any

import pytest

from dicetable.state.control import MOST_CLIENTS
from dicetable.state.listener import CONTROL
from tests.dicetable.gateway.operator.running import RunningTable
from tests.dicetable.gateway.serving import HANGING_S, until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

pytestmark = pytest.mark.slow

THROWS = 4


def asking(number: int, kind: str, **payload: Any) -> bytes:
    return json.dumps({"id": number, "kind": kind, "payload": payload}).encode() + b"\n"


class Greedy:
    """Connections that ask the eye for its live picture as fast as the socket takes it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.heard = Counter[str]()
        self.ending = threading.Event()
        self.threads = [threading.Thread(target=self.run, daemon=True) for _ in range(MOST_CLIENTS)]

    def __enter__(self) -> Greedy:
        for each in self.threads:
            each.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.ending.set()
        for each in self.threads:
            each.join(HANGING_S)

    def run(self) -> None:
        while not self.ending.is_set():
            with suppress(OSError), closing(socket.socket(socket.AF_UNIX)) as connection:
                connection.connect(str(self.path))
                connection.settimeout(0.05)
                self.ask(connection)
            self.ending.wait(0.05)

    def ask(self, connection: socket.socket) -> None:
        """Asks until the table ends the connection."""
        number = 0
        while not self.ending.is_set():
            with suppress(TimeoutError):
                number += 1
                connection.sendall(asking(number, "operator_eye", what="view", payload={"grid": True}))
            with suppress(TimeoutError):
                data = connection.recv(2**20)
                if not data:
                    return
                self.heard["accepted"] += data.count(b'"accepted":true')
                self.heard["refused"] += data.count(b'"accepted":false')


@pytest.fixture
def table(tmp_path: Path) -> Iterator[RunningTable]:
    made = RunningTable(tmp_path, more="[metrics]")
    yield made
    made.close()


def counted(table: RunningTable, name: str) -> int:
    with urllib.request.urlopen(f"{table.url}/metrics", timeout=HANGING_S) as told:
        found = re.search(rf"^dicetable_{name}_total (\d+)$", told.read().decode(), re.MULTILINE)
    assert found is not None
    return int(found[1])


def test_dice_are_read_while_a_gateway_asks_for_pictures_without_end(table: RunningTable) -> None:
    path = table.folder / "run" / "dicetable" / CONTROL
    with closing(socket.socket(socket.AF_UNIX)) as operator:
        operator.settimeout(HANGING_S)
        operator.connect(str(path))
        operator.sendall(asking(1, "operator_start", game="six_by_6", names={"1": "Ann", "2": "Bob"}))
        assert b'"accepted":true' in operator.recv(65536)
    with Greedy(path) as greedy:
        until(lambda: counted(table, "throws") >= THROWS, 10 * HANGING_S)
    assert counted(table, "eye_restarts") == 0
    assert greedy.heard["accepted"] > 0
    assert greedy.heard["refused"] > greedy.heard["accepted"]
