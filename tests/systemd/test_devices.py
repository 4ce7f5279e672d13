"""The unit and the udev rule on a real kernel, in a virtual machine: parts are plugged in while it runs."""

from __future__ import annotations

import json
import shlex
import shutil
import subprocess

import pytest

from tests.debian import package
from tests.rig import machine
from tests.systemd.machine import ROOT, why_not

WHY_NOT = why_not() or machine.missing()
if not WHY_NOT and shutil.which("udevadm") is None:
    WHY_NOT = "there is no udevadm: apt install udev"
pytestmark = [pytest.mark.slow, pytest.mark.skipif(WHY_NOT is not None, reason=str(WHY_NOT))]

INSTALLED = ROOT / "build" / "systemd"
OWN = "usr/lib/dicetable/lib/*/site-packages/dicetable"
INSIDE = ROOT / "tests" / "systemd" / "inside"
OURS = ("/dev/dicetable-panel", "/dev/video0", "/dev/gpiochip0")
NOT_OURS = ("/dev/kmsg", "/dev/mem", "/dev/tty0", "/dev/fuse")
BOOT_S = 900

SCRIPT = """
mount -t proc proc /proc
mount -t sysfs sys /sys
mkdir /usr/lib/dicetable
mount --bind {installed}/usr/lib/dicetable /usr/lib/dicetable
for part in systemd sysusers.d tmpfiles.d udev; do cp -a {installed}/usr/lib/$part /usr/lib/; done
rm -rf /etc/systemd/system/*.wants
systemd-sysusers dicetable.conf
systemd-tmpfiles --create dicetable.conf
mkdir -p /run/systemd/system/dicetable.service.d
cat > /run/systemd/system/dicetable.service.d/devices.conf <<END
[Service]
TimeoutStartSec=300
ExecStart=
ExecStart=/usr/lib/dicetable/bin/python {inside}/open_devices.py {devices}
END
cat > /run/systemd/system/check.service <<END
[Unit]
After=systemd-udevd.service
[Service]
Type=oneshot
TimeoutStartSec=infinity
ExecStart=/bin/sh {inside}/check.sh
END
exec /lib/systemd/systemd systemd.unit=check.service
"""


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    shared = tmp_path_factory.mktemp("rig")
    machine.prepare()
    subprocess.run(["rm", "-rf", INSTALLED], check=True)
    subprocess.run(["dpkg-deb", "--extract", package.built(), INSTALLED], check=True)
    subprocess.run(["/usr/bin/python3", "-m", "compileall", "-q", *INSTALLED.glob(OWN)], check=True)
    names = {
        "installed": shlex.quote(str(INSTALLED)),
        "inside": shlex.quote(str(INSIDE)),
        "devices": " ".join((*OURS, *NOT_OURS)),
    }
    console = machine.boot(SCRIPT.format(**names), shared, BOOT_S)
    said = shared / "result"
    assert said.exists(), console
    found = dict(line.split("=", 1) for line in said.read_text().splitlines())
    assert "never" not in found, f"{found}\n{console}"
    return found


def test_parts_that_come_later_are_opened_without_a_restart(result: dict[str, str]) -> None:
    before, after = json.loads(result["before"]), json.loads(result["after"])
    assert [before[path] for path in OURS] == ["ENOENT"] * 3
    assert [after[path] for path in OURS] == ["open"] * 3
    assert result["same_process"] == "yes"


def test_the_panel_has_its_own_name(result: dict[str, str]) -> None:
    assert result["panel"] == "/dev/ttyACM0"


def test_nothing_else_is_opened(result: dict[str, str]) -> None:
    after = json.loads(result["after"])
    assert {path: after[path] for path in NOT_OURS if after[path] not in {"EPERM", "EACCES", "ENOENT"}} == {}


def test_it_is_restarted_when_it_hangs_and_stops_cleanly(result: dict[str, str]) -> None:
    assert result["started"] == result["after_hanging"] == "active"
    assert result["stopped"] == "success"
