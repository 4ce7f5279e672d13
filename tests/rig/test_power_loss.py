"""The power is cut while games are played, in the virtual machine, on ext4 on a disk of its own."""

from __future__ import annotations

import re
import shutil
import subprocess
from random import Random
from typing import TYPE_CHECKING

import pytest

from tests.extent import extent
from tests.rig import machine

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.slow

CUTS = extent(2, 6)
FEWEST, MOST = 5.0, 40.0
"""Entries that are shown before a cut; the fraction is the part of the next."""
BOOT_S = 3600
"""Only against hanging: a boot takes a minute and a half, on a busy machine many times that."""
SEED = 7
DISK_MB = 64


def session(shared: Path, disk: Path, cut_after: float) -> tuple[str, int]:
    """One boot: what was found in the ledger, and the last entry that was shown before the power was gone."""
    script = (
        "modprobe virtio_blk; modprobe ext4; mkdir -p /tmp/disk; mount -t ext4 /dev/vda /tmp/disk || exit\n"
        f"$python -m tests.dicetable.ledger.power_loss /tmp/disk/ledger {SEED} {cut_after}\n"
        "umount /tmp/disk"
    )
    drive = ["-drive", f"file={disk},if=virtio,format=raw"]
    console = machine.boot(script, shared, BOOT_S, drive)
    found = re.search(r"^found \d+ .*$", console, re.MULTILINE)
    assert found, console[-4000:]
    return found[0].strip(), max(map(int, re.findall(r"^shown (\d+)\s*$", console, re.MULTILINE)), default=0)


def test_the_power_is_cut_while_games_are_played(tmp_path: Path) -> None:
    if reason := machine.missing():
        pytest.skip(reason)
    mkfs = shutil.which("mkfs.ext4", path="/usr/sbin:/sbin")
    if mkfs is None:
        pytest.skip("a disk for the virtual machine needs mkfs.ext4: apt-get install e2fsprogs")
    machine.prepare()
    disk = tmp_path / "disk.img"
    with disk.open("wb") as file:
        file.truncate(DISK_MB * 2**20)
    subprocess.run([mkfs, "-q", str(disk)], check=True)
    shared = tmp_path / "shared"
    shared.mkdir()
    chance, shown, told = Random(SEED), 0, []
    for cut_after in [*(chance.uniform(FEWEST, MOST) for _ in range(CUTS)), 0.0]:
        found, last = session(shared, disk, cut_after)
        count = int(found.split()[1])
        assert found == f"found {count} same True repaired None error ''"
        assert shown <= count <= shown + 1, f"{shown} entries were shown, {count} are there"
        assert (last > count) == (cut_after > 0)
        told.append((shown, count))
        shown = last
    assert len(told) == CUTS + 1
