"""The unit as systemd's own checker sees it, without starting it."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.systemd.machine import ROOT

if TYPE_CHECKING:
    from pathlib import Path

UNIT = ROOT / "systemd" / "dicetable.service"
MOST_EXPOSED = 20  # in tenths


def analyze(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("there is no systemd-analyze: apt install systemd")
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)


def test_the_unit_is_without_fault(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    text = UNIT.read_text()
    installed = "/opt/dicetable/current/bin/python "
    assert installed in text
    unit.write_text(text.replace(installed, "/bin/true "))
    checked = analyze("verify", "--man=no", unit)
    assert checked.stdout + checked.stderr == ""
    assert checked.returncode == 0


def test_the_unit_is_hardly_exposed() -> None:
    checked = analyze("security", "--offline=true", f"--threshold={MOST_EXPOSED}", UNIT)
    assert checked.returncode == 0, checked.stdout


def test_a_bare_unit_is_too_exposed(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    unit.write_text("[Service]\nExecStart=/bin/true\nUser=dicetable\n")
    checked = analyze("security", "--offline=true", f"--threshold={MOST_EXPOSED}", unit)
    assert checked.returncode != 0


def test_it_is_never_given_up_and_always_watched() -> None:
    lines = UNIT.read_text().splitlines()
    for line in (
        "Type=notify",
        "Restart=always",
        "StartLimitIntervalSec=0",
        "WatchdogSec=10s",
        "User=dicetable",
    ):
        assert line in lines
