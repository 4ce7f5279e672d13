"""`dicetable engine` as a process: one line out for each line in, and a clean exit."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ENGINE = [sys.executable, "-m", "dicetable", "engine"]
NEW = b'{"op":"new","game":"six_by_6","seats":["ann"],"seed":1}'
STATE = b'{"op":"state"}'


def answers(given: bytes) -> list[Any]:
    done = subprocess.run(ENGINE, input=given, capture_output=True, timeout=300, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.endswith(b"\n") or not done.stdout
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

    def __init__(self, engine: subprocess.Popen[bytes]) -> None:
        assert engine.stdin is not None
        assert engine.stdout is not None
        assert engine.stderr is not None
        self.engine = engine
        self.stdin, self.stdout, self.stderr = engine.stdin, engine.stdout, engine.stderr

    def ask(self, request: bytes) -> None:
        self.stdin.write(request + b"\n")
        self.stdin.flush()

    def ended_quietly(self) -> bool:
        return self.engine.wait(timeout=300) == 0 and self.stderr.read() == b""


@pytest.fixture
def running() -> Iterator[Running]:
    with subprocess.Popen(
        ENGINE,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        # A shell that runs the tests in the background lets its children ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as engine:
        yield Running(engine)


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
        done = subprocess.run(
            ENGINE, input=STATE, stdout=full, stderr=subprocess.PIPE, timeout=300, check=False
        )
    assert done.returncode == 1
    assert done.stderr.startswith(b"dicetable engine: ")
    assert done.stderr.count(b"\n") == 1
