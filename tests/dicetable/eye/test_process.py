"""Supervision of the child: real processes that misbehave in every way, on a fake clock."""

from __future__ import annotations

import asyncio
import os
import select
import signal
import sys
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dicetable.eye import process
from dicetable.eye.messages import Blind, EyeMessage, Retraction
from dicetable.eye.process import (
    LONGEST_PAUSE_S,
    ProcessEye,
    resident_bytes,
    waited_for_processor_s,
)
from hardware.ports import Degraded
from tests.dicetable.eye.pretend_eye import ALIVE, encode
from vision.reading import Settled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HANGING_S = 300
PROGRAM = [sys.executable, "-I", "-S", str(Path(__file__).with_name("pretend_eye.py"))]


class Clock:
    """The machine's time when the test began, and more where it says so."""

    def __init__(self) -> None:
        self.time_s = time.monotonic()

    def now_s(self) -> float:
        return self.time_s

    def sleep(self, seconds: float) -> None:
        self.time_s += seconds


class Heard:
    """An eye with all that it has said."""

    def __init__(self, manner: str, program: list[str] = PROGRAM) -> None:
        self.clock = Clock()
        self.eye = ProcessEye(program, manner.encode(), self.clock)
        self.said: list[EyeMessage] = []

    def listen(self) -> None:
        self.said += self.eye.messages()

    def until(self, what: Callable[[], bool]) -> None:
        deadline = time.monotonic() + HANGING_S
        while not what():
            assert time.monotonic() < deadline, f"waited for {HANGING_S} s"
            self.listen()
            select.select([], [], [], 0.002)


@contextmanager
def eye(manner: str, program: list[str] = PROGRAM) -> Iterator[Heard]:
    heard = Heard(manner, program)
    heard.eye.start()
    try:
        yield heard
    finally:
        heard.eye.stop()
        heard.until(lambda: not heard.eye.dying)


def test_what_the_child_says_arrives() -> None:
    with eye("is good") as heard:
        heard.until(lambda: len(heard.said) == 1)
        assert isinstance(heard.said[0], Settled)
        child = heard.eye.child
        heard.eye.start()
        heard.listen()
        assert heard.eye.child is child
        heard.eye.stop()
        assert heard.eye.messages() == []
        heard.eye.start()
        heard.until(lambda: len(heard.said) == 2)


def test_lessons_reach_the_child_and_its_dice_are_told_of() -> None:
    with eye("learns") as heard:
        assert not heard.eye.teach(Retraction(7, 1))  # there is no child yet
        heard.until(lambda: heard.eye.dice_degraded == Degraded("No dice.", "mend it"))
        assert heard.eye.teach(Retraction(7, 1))
        heard.until(lambda: 1 in heard.eye.unfetched)
        told = heard.eye.answer(1)
        assert told is not None
        assert told.result == {"lesson": "retract", "seed": 7, "revision": 1}
        heard.until(lambda: heard.eye.dice_degraded is None)


@pytest.mark.slow
def test_questions_without_end_do_not_cost_the_eye_its_life() -> None:
    """Each is answered with the largest picture that there is."""
    with eye("answers") as heard:
        heard.until(lambda: len(heard.said) == 1)
        asked = refused = rounds = 0
        while rounds < 300 or asked <= 4:
            rounds += 1
            for _ in range(10):
                number = heard.eye.ask("view", {})
                asked += number > 0
                refused += not number
            heard.listen()
            heard.eye.unfetched.clear()
            time.sleep(0.005)
        assert heard.eye.restarts == 0
        assert refused > 0
        assert heard.eye.answer(0) is None


@pytest.mark.parametrize(
    "manner", ["dies", "dies at once", "babbles", "dies in the middle of a message", "from the future"]
)
def test_a_child_that_fails_is_told_of_and_another_one_comes(manner: str) -> None:
    with eye(manner) as heard:
        heard.until(lambda: heard.eye.restarts == 1)
        assert isinstance(heard.said[-1], Blind)
        assert all(isinstance(message, Settled) for message in heard.said[:-1])
        heard.clock.sleep(1.0)
        heard.until(lambda: heard.eye.restarts == 2)


def test_a_killed_child_is_replaced() -> None:
    with eye("is good") as heard:
        heard.until(lambda: len(heard.said) == 1)
        assert heard.eye.child is not None
        os.kill(heard.eye.child.pid, signal.SIGKILL)
        heard.until(lambda: heard.eye.restarts == 1)
        heard.clock.sleep(1.0)
        heard.until(lambda: isinstance(heard.said[-1], Settled))
        assert [type(message) for message in heard.said] == [Settled, Blind, Settled]


def test_a_child_that_hangs_is_killed() -> None:
    with eye("is good") as heard:
        heard.until(lambda: len(heard.said) == 1)
        heard.clock.sleep(2.0)
        heard.listen()
        assert heard.eye.restarts == 0
        heard.clock.sleep(1.1)
        heard.listen()
        assert heard.eye.restarts == 1


def test_a_child_that_only_waits_for_a_processor_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    waited_s = [1.0]
    monkeypatch.setattr(process, "waited_for_processor_s", lambda _: waited_s[0])
    with eye("is good") as heard:
        heard.until(lambda: len(heard.said) == 1)
        heard.clock.sleep(3.5)
        waited_s[0] += 3.0
        heard.listen()
        assert heard.eye.restarts == 0
        heard.clock.sleep(3.0)
        heard.listen()
        assert heard.eye.restarts == 1


def test_what_a_process_waited_for_a_processor_is_told_by_the_kernel() -> None:
    assert 0.0 < waited_for_processor_s(os.getpid()) < time.monotonic()
    assert waited_for_processor_s(-1) == 0.0


def test_a_stopped_child_is_killed_too() -> None:
    with eye("is good") as heard:
        heard.until(lambda: len(heard.said) == 1)
        assert heard.eye.child is not None
        os.kill(heard.eye.child.pid, signal.SIGSTOP)
        heard.clock.sleep(3.1)
        heard.listen()
        heard.until(lambda: not heard.eye.dying)


def test_a_child_that_never_begins_is_killed() -> None:
    with eye("", [sys.executable, "-c", "import time; time.sleep(600)"]) as heard:
        heard.listen()
        heard.clock.sleep(29.0)
        heard.listen()
        assert heard.eye.restarts == 0
        heard.clock.sleep(1.1)
        heard.listen()
        assert heard.eye.restarts == 1


def test_a_child_that_grows_is_killed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "MOST_RESIDENT_BYTES", 30 * 2**20)
    with eye("grows") as heard:
        heard.until(lambda: len(heard.said) == 1)
        pid = heard.eye.child.pid if heard.eye.child else 0
        heard.until(lambda: resident_bytes(pid) > 30 * 2**20)
        heard.eye.memory_s = heard.clock.now_s()
        heard.listen()
        assert heard.eye.restarts == 1


def test_a_child_that_floods_is_killed_and_nobody_waits_for_its_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with eye("floods") as heard:
        heard.listen()
        child = heard.eye.child
        heard.until(lambda: heard.eye.restarts == 1)
        assert heard.eye.dying == [child]
        assert isinstance(heard.said[-1], Blind)
        assert "more than can be read" in caplog.text


def test_a_child_that_sends_a_thousand_single_bytes_a_second_is_killed() -> None:
    read, write = os.pipe()
    os.set_blocking(read, False)
    with eye("is good") as heard, os.fdopen(write, "wb", buffering=0) as drips:
        heard.until(lambda: len(heard.said) == 1)
        child = heard.eye.child
        assert child is not None
        assert child.stdout is not None
        child.stdout.close()
        child.stdout = os.fdopen(read, "rb", buffering=0)
        heard.clock.sleep(1.0)
        for byte in (encode(ALIVE) * 50)[:1000]:
            drips.write(bytes([byte]))
            heard.listen()
        assert heard.eye.restarts == 0
        for byte in (encode(ALIVE) * 51)[1000:1100]:
            if not heard.eye.restarts:
                drips.write(bytes([byte]))
                heard.listen()
        assert heard.eye.restarts == 1


def test_a_child_that_floods_is_killed_though_it_is_heard_at_once() -> None:
    async def story() -> None:
        heard = Heard("floods")
        woken = asyncio.Event()
        heard.eye.start(woken.set)
        heard.listen()
        while not heard.eye.restarts:
            await asyncio.wait_for(woken.wait(), HANGING_S)
            woken.clear()
            heard.listen()
        heard.eye.stop()
        heard.until(lambda: not heard.eye.dying)

    asyncio.run(story())


def test_the_loop_is_woken_when_the_child_says_something_and_when_it_is_gone() -> None:
    async def story() -> None:
        heard = Heard("is good")
        woken = asyncio.Event()

        async def until(count: int) -> None:
            while len(heard.said) < count:
                await asyncio.wait_for(woken.wait(), HANGING_S)
                woken.clear()
                heard.listen()

        heard.eye.start(woken.set)
        heard.listen()
        await until(1)
        assert heard.eye.child is not None
        os.kill(heard.eye.child.pid, signal.SIGKILL)
        await until(2)
        heard.clock.sleep(1.0)
        heard.listen()
        await until(3)
        heard.eye.stop()
        woken.clear()
        for _ in range(10):
            await asyncio.sleep(0)
        assert not woken.is_set()
        assert [type(message) for message in heard.said] == [Settled, Blind, Settled]
        heard.until(lambda: not heard.eye.dying)

    asyncio.run(story())


def test_a_program_that_is_not_there_is_tried_again() -> None:
    with eye("", ["/nonexistent/python"]) as heard:
        heard.listen()
        assert [type(message) for message in heard.said] == [Blind]
        heard.clock.sleep(LONGEST_PAUSE_S)
        heard.listen()
        assert len(heard.said) == 2
