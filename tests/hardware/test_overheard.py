"""Standard error of C libraries is heard within, and is itself again afterwards."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hardware.overheard import overheard

Captured = pytest.CaptureFixture[str]


def test_what_is_written_is_heard_and_not_seen(capfd: Captured) -> None:
    with overheard() as words:
        os.write(2, b"damaged\n")
    os.write(2, b"after\n")
    assert words.text == "damaged\n"
    assert capfd.readouterr().err == "after\n"


def test_standard_error_comes_back_after_a_failure(capfd: Captured) -> None:
    open_before = open_files()
    with pytest.raises(UnicodeDecodeError), overheard():
        b"\xff".decode()
    os.write(2, b"after\n")
    assert capfd.readouterr().err == "after\n"
    assert open_files() == open_before


def open_files() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))


def test_a_closed_standard_error_stays_closed() -> None:
    code = (
        "import os\nfrom hardware.overheard import overheard\nos.close(2)\n"
        "with overheard() as words: pass\n"
        "try: os.fstat(2)\nexcept OSError: print('closed', words.text)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30
    )
    assert done.stdout == "closed \n"
