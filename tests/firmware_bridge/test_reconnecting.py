"""When a serial link opens its device, on a fake clock: with growing pauses, and at once when it appears."""

from __future__ import annotations

import asyncio
import heapq
from itertools import pairwise
from random import Random
from typing import TYPE_CHECKING

from firmware_bridge.errors import PortBusyError
from firmware_bridge.host_session import HostSession
from firmware_bridge.serial_link import LinkEvent, PortFailed, SerialLink
from tests.firmware_bridge.world import EXPECTED, SOFTWARE

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    import pytest
    import serial


class Handle:
    """A planned call."""

    def __init__(self, call: Callable[[], None]) -> None:
        self.call: Callable[[], None] | None = call

    def cancel(self) -> None:
        self.call = None


class FakeLoop:
    """What the link needs of an event loop, without waiting."""

    def __init__(self) -> None:
        self._now = 0.0
        self._planned: list[tuple[float, int, Handle]] = []

    def time(self) -> float:
        return self._now

    def call_later(self, delay: float, call: Callable[[], None]) -> Handle:
        handle = Handle(call)
        heapq.heappush(self._planned, (self._now + delay, len(self._planned), handle))
        return handle

    def run(self, seconds: float) -> None:
        until = self._now + seconds
        while self._planned and self._planned[0][0] <= until:
            self._now, _, handle = heapq.heappop(self._planned)
            if handle.call is not None:
                handle.call()
        self._now = until


class BusyDevice:
    """A path whose device another program always holds; notes when it was tried."""

    def __init__(self, path: Path, monkeypatch: pytest.MonkeyPatch, seed: int = 1) -> None:
        self.path = path
        self.tried: list[float] = []
        self.told: list[LinkEvent] = []
        self.loop = FakeLoop()
        monkeypatch.setattr(asyncio, "get_running_loop", lambda: self.loop)
        monkeypatch.setattr("firmware_bridge.serial_link.open_port", self._open)
        self.link = SerialLink(path, HostSession(1, EXPECTED, SOFTWARE), self.told.append, Random(seed))
        self.link.start()

    def _open(self, path: Path) -> serial.Serial:
        self.tried.append(self.loop.time())
        raise PortBusyError(f"{path}: in use")


def test_it_tries_for_ever_with_growing_waits(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    device = BusyDevice(tmp_path / "panel", monkeypatch)
    device.loop.run(3600)
    waits = [b - a for a, b in pairwise(device.tried)]
    for wait, least in zip(waits, (0.25, 0.5, 1.0, 2.0, 2.0, 2.0), strict=False):
        assert least <= wait <= least * 1.25 + 0.100001
    assert max(waits) <= 2.600001
    assert device.tried[-1] > 3590
    assert len(device.told) == 1, "the same degraded is told once"
    assert isinstance(device.told[0], PortFailed)


def test_waits_differ_between_hosts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = []
    for seed in (1, 2):
        device = BusyDevice(tmp_path / "panel", monkeypatch, seed)
        device.loop.run(60)
        tried.append(device.tried)
    assert tried[0] != tried[1]


def test_a_device_that_appears_or_is_another_is_tried_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, other = tmp_path / "panel", tmp_path / "other"
    device = BusyDevice(path, monkeypatch)
    for _ in ("appears", "is another"):
        device.loop.run(60)
        other.touch()
        other.rename(path)
        appeared, so_far = device.loop.time(), len(device.tried)
        device.loop.run(0.7)
        assert device.tried[so_far] <= appeared + 0.100001
        assert len(device.tried) >= so_far + 2, "and its waits are short again"
