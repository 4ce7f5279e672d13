"""`dicetable engine` as a process: one line out for each line in, and a clean exit."""

from __future__ import annotations

import json
import os
import signal
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.zygote import Forked, run

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGINE = ["-m", "dicetable", "engine"]
NEW = b'{"op":"new","game":"six_by_6","seats":["ann"],"seed":1}'
STATE = b'{"op":"state"}'


def answers(given: bytes) -> list[Any]:
    done = run(*ENGINE, typed=given)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith("\n") or not done.stdout
    return [json.loads(line) for line in done.stdout.splitlines()]


def codes(given: bytes) -> list[str]:
    return ["ok" if answer["ok"] else answer["error"]["code"] for answer in answers(given)]


def test_nothing_in_nothing_out() -> None:
    assert answers(b"") == []


def test_one_answer_a_line_whatever_the_line() -> None:
    given = [STATE, b"", b" ", b"\xff\xfe", NEW, b"[" * 100_000, b"{}\r", STATE]
    expected = ["no_game", *["bad_request"] * 3, "ok", *["bad_request"] * 2, "ok"]
    assert codes(b"\n".join(given) + b"\n") == expected


def test_a_last_line_without_line_feed_is_answered() -> None:
    assert codes(NEW + b"\n" + STATE) == ["ok", "ok"]


@pytest.mark.parametrize("size", [2**20 + 1, 2**21 + 2])
def test_a_line_over_one_mebibyte_is_refused_and_the_next_is_read(size: int) -> None:
    assert codes(NEW + b"\n" + b" " * size + b"\n" + STATE + b"\n") == ["ok", "bad_request", "ok"]
    assert codes(NEW + b"\n" + NEW.ljust(size) + b"\n" + STATE) == ["ok", "bad_request", "ok"]


def test_a_line_of_one_mebibyte_is_read() -> None:
    assert codes(NEW.ljust(2**20) + b"\n" + STATE.ljust(2**20)) == ["ok", "ok"]


class Running:
    """The engine as a program of its own."""

    def __init__(self) -> None:
        (its_in, ours_in), (ours_out, its_out), (ours_err, its_err) = (os.pipe() for _ in range(3))
        self.engine = Forked(*ENGINE, stdin=its_in, stdout=its_out, stderr=its_err)
        for end in (its_in, its_out, its_err):
            os.close(end)
        self.stdin = os.fdopen(ours_in, "wb")
        self.stdout, self.stderr = os.fdopen(ours_out, "rb"), os.fdopen(ours_err, "rb")

    def ask(self, request: bytes) -> None:
        self.stdin.write(request + b"\n")
        self.stdin.flush()

    def ended_quietly(self) -> bool:
        return self.engine.wait(timeout=300) == 0 and self.stderr.read() == b""


@pytest.fixture
def running() -> Iterator[Running]:
    made = Running()
    yield made
    made.engine.kill()
    for file in (made.stdout, made.stderr):
        file.close()
    with suppress(BrokenPipeError):
        made.stdin.close()


def test_each_answer_is_flushed_at_once(running: Running) -> None:
    for _ in range(3):
        running.ask(NEW)
        assert json.loads(running.stdout.readline())["ok"]
    running.stdin.close()
    assert running.ended_quietly()


def test_ctrl_c_ends_it_quietly(running: Running) -> None:
    running.ask(STATE)
    running.stdout.readline()
    running.engine.send_signal(signal.SIGINT)
    assert running.ended_quietly()


def test_a_reader_that_goes_away_ends_it_quietly(running: Running) -> None:
    running.ask(STATE)
    running.stdout.readline()
    running.stdout.close()
    running.ask(b"\n".join([STATE] * 10))
    assert running.ended_quietly()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_output_that_cannot_be_written_is_one_line_and_exit_code_1() -> None:
    with Path("/dev/full").open("wb") as full:
        done = run(*ENGINE, typed=STATE, stdout=full)
    assert done.returncode == 1
    assert done.stderr.startswith("dicetable engine: ")
    assert done.stderr.count("\n") == 1
