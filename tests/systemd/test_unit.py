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
GATEWAY = ROOT / "systemd" / "dicetable-gateway.service"
UNITS = {UNIT: 20, GATEWAY: 25}
"""How exposed each may be, in tenths; a service with a network is a little more."""

units = pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)


def analyze(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("there is no systemd-analyze: apt install systemd")
    return subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, check=False)


@units
def test_the_unit_is_without_fault(tmp_path: Path, unit: Path) -> None:
    text = unit.read_text()
    unit = tmp_path / unit.name
    (tmp_path / "dicetable.socket").write_text((ROOT / "systemd" / "dicetable.socket").read_text())
    installed = "/usr/lib/dicetable/bin/python "
    assert installed in text
    unit.write_text(text.replace(installed, "/bin/true "))
    checked = analyze("verify", "--man=no", unit)
    assert checked.stdout + checked.stderr == ""
    assert checked.returncode == 0


@units
def test_the_unit_is_hardly_exposed(unit: Path) -> None:
    checked = analyze("security", "--offline=true", f"--threshold={UNITS[unit]}", unit)
    assert checked.returncode == 0, checked.stdout


def test_a_bare_unit_is_too_exposed(tmp_path: Path) -> None:
    unit = tmp_path / UNIT.name
    unit.write_text("[Service]\nExecStart=/bin/true\nUser=dicetable\n")
    checked = analyze("security", "--offline=true", f"--threshold={UNITS[UNIT]}", unit)
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


def test_the_gateway_reads_the_table_s_state_and_the_table_keeps_its_network_shut() -> None:
    table, gateway = UNIT.read_text().splitlines(), GATEWAY.read_text().splitlines()
    socket = (ROOT / "systemd" / "dicetable.socket").read_text().splitlines()
    assert "PrivateNetwork=yes" in table
    assert "Sockets=dicetable.socket" in table
    assert [line for line in socket if line.startswith("ListenStream=")] == [
        "ListenStream=/run/dicetable/table.sock",
        "ListenStream=/run/dicetable/camera.sock",
    ]
    for line in ("SocketGroup=dicetable-web", "SocketMode=0660", "PartOf=dicetable.service"):
        assert line in socket
    for line in ("User=dicetable-web", "After=dicetable.service network.target"):
        assert line in gateway
    assert not any(line.startswith(("Requires=", "BindsTo=", "PartOf=")) for line in gateway)


def test_settings_are_changed_by_a_helper_that_may_write_nothing_else() -> None:
    socket = (ROOT / "systemd" / "dicetable-settings.socket").read_text().splitlines()
    helper = (ROOT / "systemd" / "dicetable-settings@.service").read_text().splitlines()
    for line in ("ListenStream=/run/dicetable/settings.sock", "SocketGroup=dicetable-web", "SocketMode=0660"):
        assert line in socket
    assert [line for line in helper if line.startswith("ReadWritePaths=")] == [
        "ReadWritePaths=/etc/dicetable"
    ]
    for line in ("Type=oneshot", "CapabilityBoundingSet=", "PrivateNetwork=yes", "ProtectSystem=strict"):
        assert line in helper
    assert "DevicePolicy=closed" in helper  # it sees which devices there are, and opens none
    assert not any(line.startswith("DeviceAllow=") for line in helper)
    program = "/usr/lib/dicetable/bin/python -m dicetable.config.form"
    assert f"ExecStart={program} save /etc/dicetable/table.toml" in helper
    gateway = GATEWAY.read_text().splitlines()
    assert "Wants=dicetable-settings.socket dicetable-journal.socket" in gateway


def test_the_gateway_reads_the_lines_of_both_services_and_not_the_machine_s_journal() -> None:
    socket = (ROOT / "systemd" / "dicetable-journal.socket").read_text().splitlines()
    helper = (ROOT / "systemd" / "dicetable-journal@.service").read_text().splitlines()
    for line in ("ListenStream=/run/dicetable/journal.sock", "SocketGroup=dicetable-web", "SocketMode=0660"):
        assert line in socket
    for line in ("DynamicUser=yes", "CapabilityBoundingSet=", "PrivateNetwork=yes", "ProtectSystem=strict"):
        assert line in helper
    (command,) = [line for line in helper if line.startswith("ExecStart=")]
    assert "--unit=dicetable.service --unit=dicetable-gateway.service" in command
    assert "%" not in command
    assert "systemd-journal" not in GATEWAY.read_text()
