"""Whether a folder is kept in memory, with real mount tables of disks, Pis and containers."""

from __future__ import annotations

from pathlib import Path

import pytest

from common.files import mounts
from dicetable.service import doctor
from dicetable.service.doctor_machine import why_in_memory

DISK = """\
21 1 179:2 / / rw,noatime shared:1 - ext4 /dev/mmcblk0p2 rw
25 21 0:22 / /run rw,nosuid shared:5 - tmpfs tmpfs rw,size=379460k
26 21 0:5 / /dev rw - devtmpfs udev rw
40 21 8:1 / /mnt/a\\040disk rw shared:9 - ext4 /dev/sda1 rw
"""
OVERLAY = """\
22 1 0:30 / / rw,noatime - overlay overlayroot rw,lowerdir=/media/root-ro,upperdir=/media/root-rw/overlay
27 22 179:2 / /media/root-ro ro,relatime - ext4 /dev/mmcblk0p2 ro
28 22 0:29 / /media/root-rw rw,relatime - tmpfs tmpfs-root rw
41 22 8:1 / /mnt/disk rw shared:9 - ext4 /dev/sda1 rw
"""
ON_DISK = OVERLAY.replace("tmpfs tmpfs-root", "ext4 /dev/sda2")
CONTAINER = """\
700 600 0:51 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/c/1,upperdir=/var/lib/c/2
701 700 0:60 / /dev/shm rw - tmpfs shm rw,size=65536k
"""


@pytest.mark.parametrize(
    ("lines", "folder", "why"),
    [
        (DISK, "/var/lib/dicetable", None),
        (DISK, "/run/dicetable", "/run is a tmpfs"),
        (DISK, "/mnt/a disk/dicetable", None),
        (OVERLAY, "/var/lib/dicetable", "/ is an overlay in memory"),
        (OVERLAY, "/mnt/disk/dicetable", None),
        (ON_DISK, "/var/lib/dicetable", None),
        (CONTAINER, "/var/lib/dicetable", None),
        (CONTAINER, "/dev/shm/dicetable", "/dev/shm is a tmpfs"),
        ("", "/var/lib/dicetable", None),
        ("nonsense\n1 2 - \n", "/var/lib/dicetable", None),
        (DISK + "50 21 0:40 / /var rw - tmpfs tmpfs rw\n", "/var/lib/dicetable", "/var is a tmpfs"),
        (DISK + "50 21 0:40 / / rw - ramfs none rw\n", "/var/lib/dicetable", "/ is a ramfs"),
    ],
)
def test_what_lies_in_memory(tmp_path: Path, lines: str, folder: str, why: str | None) -> None:
    file = tmp_path / "mountinfo"
    file.write_text(lines)
    assert why_in_memory(Path(folder), file) == why


def test_a_kernel_that_does_not_tell(tmp_path: Path) -> None:
    assert why_in_memory(Path("/"), tmp_path / "none") is None


def test_this_machines_own_mounts_are_read() -> None:
    assert Path("/proc") in {mount.point for mount in mounts()}


def test_a_ledger_in_memory_is_told_with_what_helps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "why_in_memory", lambda _: "/ is an overlay in memory")
    found = doctor.ledger(tmp_path)
    assert not found.ok
    assert "switching the machine off loses every game: / is an overlay in memory" in found.state
    assert "raspi-config" in found.remedy
