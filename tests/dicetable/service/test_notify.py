"""What systemd receives, on a real notification socket."""

from __future__ import annotations

import logging
import os
import socket
from typing import TYPE_CHECKING

import pytest

from dicetable.service.systemd import Notifier, watchdog_period_s

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


@pytest.fixture(params=["path", "abstract"])
def ear(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, socket.socket]]:
    address = str(tmp_path / "notify") if request.param == "path" else f"@dicetable-test-{os.getpid()}"
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as listening:
        listening.bind(address.replace("@", "\0") if request.param == "abstract" else address)
        listening.settimeout(300)
        yield address, listening


def test_each_word_is_one_datagram(ear: tuple[str, socket.socket]) -> None:
    address, listening = ear
    notifier = Notifier.from_environment({"NOTIFY_SOCKET": address, "WATCHDOG_USEC": "10000000"})
    notifier.ready()
    notifier.turn_ended(0.0)
    notifier.status("the camera is gone:\nplug it in " + "x" * 300)
    notifier.stopping()
    heard = [listening.recv(4096) for _ in range(4)]
    assert heard[:2] == [b"READY=1", b"WATCHDOG=1"]
    assert heard[2].startswith(b"STATUS=the camera is gone: plug it in xx")
    assert len(heard[2]) == len("STATUS=") + 200
    assert heard[3] == b"STOPPING=1"


def test_who_is_not_watched_gives_no_sign_of_life(ear: tuple[str, socket.socket]) -> None:
    address, listening = ear
    notifier = Notifier.from_environment({"NOTIFY_SOCKET": address})
    notifier.turn_ended(0.0)
    notifier.ready()
    assert listening.recv(4096) == b"READY=1"


@pytest.mark.parametrize("environment", [{}, {"NOTIFY_SOCKET": ""}])
def test_without_systemd_nothing_is_said(
    environment: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    Notifier.from_environment(environment).ready()
    assert caplog.records == []


def test_a_full_or_missing_socket_neither_waits_nor_raises(
    ear: tuple[str, socket.socket], tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        Notifier(str(tmp_path / "nobody")).ready()
        assert "notify=READY" in caplog.text
        caplog.clear()
        notifier = Notifier(ear[0])
        for _ in range(10_000):
            notifier.ready()
            if caplog.records:
                break
        assert "notify=READY" in caplog.text


def test_a_socket_that_is_not_read_is_told_once_and_so_is_its_end(
    ear: tuple[str, socket.socket], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    address, listening = ear
    notifier = Notifier(address)
    while not caplog.records:
        notifier.ready()
    for _ in range(50):
        notifier.ready()
    listening.recv(4096)
    notifier.ready()
    said = [record.getMessage() for record in caplog.records]
    assert len(said) == 2
    assert said[0].startswith("notify=READY error=")
    assert said[1] == "notify=heard unheard=51"


@pytest.mark.parametrize(
    ("environment", "period_s"),
    [
        ({}, None),
        ({"WATCHDOG_USEC": "10000000"}, 10.0),
        ({"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "7"}, 10.0),
        ({"WATCHDOG_USEC": "10000000", "WATCHDOG_PID": "8"}, None),
        ({"WATCHDOG_USEC": "0"}, None),
        ({"WATCHDOG_USEC": "soon"}, None),
    ],
)
def test_the_period_is_for_this_process(environment: dict[str, str], period_s: float | None) -> None:
    assert watchdog_period_s(environment, pid=7) == period_s
