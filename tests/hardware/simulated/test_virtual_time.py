"""Virtual time: nothing waits, and what would wait for ever fails."""

from __future__ import annotations

import asyncio
import socket
import time

import pytest

from hardware.simulated.clock import NothingScheduledError, PacedClock, VirtualClock, run
from tests.hardware.simulated.tables import world
from tests.hardware.simulated.truth import truth


def test_an_hour_is_over_at_once() -> None:
    clock = VirtualClock(5.0)

    async def wait() -> float:
        await asyncio.sleep(3600)
        return asyncio.get_running_loop().time()

    started = time.monotonic()
    assert run(wait(), clock) == pytest.approx(3605)
    assert clock.now_s() == pytest.approx(3605)
    assert time.monotonic() - started < 30


def test_things_happen_in_the_order_of_their_times() -> None:
    clock = VirtualClock(0.0)
    happened = []

    async def at(time_s: float) -> None:
        await asyncio.sleep(time_s)
        happened.append((time_s, clock.now_s()))

    async def both() -> None:
        await asyncio.gather(at(2.0), at(0.5), at(1.0))

    run(both(), clock)
    assert happened == [(0.5, 0.5), (1.0, 1.0), (2.0, 2.0)]


def test_waiting_for_ever_fails_at_once() -> None:
    async def never() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(NothingScheduledError, match="nothing is scheduled"):
        run(never(), VirtualClock())


def test_descriptors_are_heard() -> None:
    async def hear() -> bytes:
        ours, theirs = socket.socketpair()
        with ours, theirs:
            ours.setblocking(False)  # noqa: FBT003 - its only parameter
            asyncio.get_running_loop().call_later(1, theirs.send, b"hello")
            return await asyncio.get_running_loop().sock_recv(ours, 10)

    assert run(hear(), VirtualClock()) == b"hello"


def test_time_does_not_go_back() -> None:
    with pytest.raises(ValueError, match="time does not go back"):
        VirtualClock().sleep(-1)


@pytest.mark.slow
def test_an_hour_of_throws_is_known_without_drawing_one() -> None:
    made = world(1)
    end_s = made.clock.now_s() + 3600
    dice = 0
    while made.clock.now_s() < end_s:
        made.throw(["d6"] * 6)
        made.settle(10)
        dice += len(truth(made).dice)
    assert dice > 1500
    assert "picture" not in vars(made)


def test_a_paced_clock_waits_for_real_time_and_does_not_catch_up(monkeypatch: pytest.MonkeyPatch) -> None:
    real = VirtualClock(50.0)
    monkeypatch.setattr(time, "monotonic", real.now_s)
    monkeypatch.setattr(time, "sleep", real.sleep)
    clock = PacedClock()
    begun_s = clock.now_s()
    real.sleep(0.01)
    clock.sleep(0.03)
    assert real.now_s() == pytest.approx(50.03)
    real.sleep(1.0)
    clock.sleep(0.03)
    assert real.now_s() == pytest.approx(51.03)
    clock.sleep(0.03)
    assert real.now_s() == pytest.approx(51.06)
    assert clock.now_s() - begun_s == pytest.approx(0.09)
