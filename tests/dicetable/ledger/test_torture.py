"""A small run of torture.py."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.extent import extent

ROOT = Path(__file__).resolve().parents[3]


def torture(*arguments: str) -> subprocess.CompletedProcess[str]:
    """In memory where there is a disk in memory: a killed program loses no more there than elsewhere."""
    program = [sys.executable, "-m", "tests.dicetable.ledger.torture", *arguments]
    memory = {"TMPDIR": "/dev/shm"} if os.access("/dev/shm", os.W_OK) else {}
    return subprocess.run(
        program, cwd=ROOT, env={**os.environ, **memory}, capture_output=True, text=True, check=False
    )


def killed(said: str) -> list[int]:
    return [int(count) for count in re.findall(r"^killed .*: (\d+)$", said, re.MULTILINE)]


def test_a_few_kills_lose_and_double_nothing() -> None:
    ran = torture("--kills", "12")
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    assert killed(ran.stdout) == [4, 4, 4]


def test_showing_before_the_commit_is_found_out() -> None:
    ran = torture("--kills", "60", "--show-first")
    assert ran.returncode == 1
    assert re.search(r"entry \d+ was shown, the ledger ends at \d+", ran.stdout)


@pytest.mark.slow
def test_many_kills_lose_and_double_nothing() -> None:
    of_each = extent(30, 110)
    ran = torture("--kills", str(3 * of_each))
    sys.stdout.write(ran.stdout)
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stdout
    assert killed(ran.stdout) == [of_each] * 3
