"""Hangs are detected: the table's by systemd's watchdog, the eye's by the table.

The test stands for systemd: it listens, and aborts a service that is not heard for the watchdog's period.
"""

from __future__ import annotations

import os
import re
import signal
from pathlib import Path

import pytest

from tests.dicetable.service.program import HANGING_S, Program, until
from tests.dicetable.service.stuck_table import STUCK

WATCHDOG_S = 1.0
FED = b"WATCHDOG=1"
ABORTED = (-signal.SIGABRT, -signal.SIGSEGV)
"""Python 3.11 may fail while it writes where it was: in a frame that was just being made."""
STUCK_TABLE = ("-m", "tests.dicetable.service.stuck_table")


def aborted(program: Program) -> str:
    """The log, after what systemd does to a service that is not heard."""
    assert program.process.poll() is None
    program.process.send_signal(signal.SIGABRT)
    program.process.send_signal(signal.SIGCONT)
    assert program.process.wait(HANGING_S) in ABORTED
    return program.log


def is_stopped(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "T"


@pytest.mark.slow
def test_a_stopped_table_is_not_heard_and_systemd_ends_it(tmp_path: Path) -> None:
    with Program(tmp_path, WATCHDOG_S) as program:
        program.hear(b"READY=1")
        program.hear(FED)
        program.process.send_signal(signal.SIGSTOP)
        until(lambda: is_stopped(program.process.pid))
        program.heard(0.1)
        assert program.heard(2 * WATCHDOG_S) == []
        assert "Fatal Python error: Aborted" in aborted(program)


@pytest.mark.slow
@pytest.mark.parametrize(("manner", "where"), [("screen", "in endless"), ("write", "in blocked")])
def test_a_table_that_is_stuck_is_not_heard_and_its_end_tells_where(
    manner: str, where: str, tmp_path: Path
) -> None:
    with Program(tmp_path, WATCHDOG_S, (*STUCK_TABLE, manner)) as program:
        program.hear(b"READY=1")
        until(lambda: "entry=opened" in program.log)
        program.hear(FED)
        program.process.send_signal(signal.SIGUSR1)
        until(lambda: STUCK in program.log)
        program.heard(0.1)
        assert program.heard(2 * WATCHDOG_S) == []
        assert where in aborted(program)


@pytest.mark.slow
def test_a_stopped_eye_is_replaced_by_the_table_which_says_so_and_goes_on(tmp_path: Path) -> None:
    with Program(tmp_path, WATCHDOG_S) as program:
        program.hear(b"READY=1")
        until(lambda: "entry=thrown" in program.log)
        (pid,) = map(int, re.findall(r"eye=started pid=(\d+)", program.log))
        os.kill(pid, signal.SIGSTOP)
        while not (said := program.said.recv(1000)).startswith(b"STATUS=camera: "):
            pass
        assert said == b"STATUS=camera: The camera's program stopped and is restarting."
        program.hear(FED)
        until(lambda: len(re.findall("eye=started", program.log)) == 2)
        before = program.log.count("entry=thrown")
        until(lambda: program.log.count("entry=thrown") > before)
        log = program.end(signal.SIGTERM)
        assert program.process.returncode == 0
    assert f"eye=lost pid={pid} why='hangs'" in log
    assert "part=camera state=recovered" in log
