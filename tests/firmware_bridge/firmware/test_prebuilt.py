"""The prebuilt firmware: built from these sources, reproducible, written by one command."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from hashlib import sha256
from typing import TYPE_CHECKING

import pytest

from dicetable.__main__ import main
from firmware_bridge.flash import PREBUILT, checked_image
from firmware_bridge.host_session import Linked
from tests.firmware_bridge.conftest import FIRMWARE
from tests.firmware_bridge.firmware.bootloaders import old_nano, optiboot
from tests.firmware_bridge.firmware.real_time import HANGING_S, RealTimePanel
from tests.firmware_bridge.programs import needed

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ABOUT = dict(line.split(": ") for line in PREBUILT.with_name("panel.hex.txt").read_text().splitlines())
TRIES = 3
"""On a busy machine avrdude may begin when the bootloader listens no more; a second reset is enough then."""


def test_it_is_a_whole_image() -> None:
    assert checked_image(PREBUILT) == PREBUILT


def test_it_is_built_of_these_sources() -> None:
    sources = [FIRMWARE / "Makefile", *sorted(FIRMWARE.glob("*.c")), *sorted(FIRMWARE.glob("*.h"))]
    whole = b"".join(source.read_bytes() for source in sources)
    assert ABOUT["sources sha256"] == sha256(whole).hexdigest(), "run `make prebuilt-firmware`"


def test_it_is_the_same_wherever_it_is_built(tmp_path: Path) -> None:
    needed("avr-gcc", "gcc-avr avr-libc")
    images = []
    for folder in (tmp_path / "a", tmp_path / "somewhere else" / "deeper"):
        sources = folder / "firmware_bridge" / "firmware"
        shutil.copytree(FIRMWARE, sources)
        subprocess.run([needed("make", "make"), "-s", "-C", sources, "prebuilt"], check=True)
        images.append((sources.parent / "panel.hex").read_bytes())
        about = (sources.parent / "panel.hex.txt").read_text()
    assert images[0] == images[1]
    if about == PREBUILT.with_name("panel.hex.txt").read_text():  # another compiler makes other bytes
        assert images[0] == PREBUILT.read_bytes()


@pytest.fixture
def empty_program(tmp_path: Path) -> Path:
    """A program that does nothing, for a board whose firmware is to be written."""
    (tmp_path / "empty.c").write_text("int main(void) { for (;;); }\n")
    command = [needed("avr-gcc", "gcc-avr avr-libc"), "-mmcu=atmega328p", "-Os"]
    subprocess.run([*command, "-o", tmp_path / "empty.elf", tmp_path / "empty.c"], check=True)
    return tmp_path / "empty.elf"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bootloader", "words"), [(optiboot, []), (old_nano, ["--old-nano"])], ids=["optiboot", "old nano"]
)
def test_one_command_writes_it_through_the_bootloader(
    simulator: Path, empty_program: Path, tmp_path: Path, bootloader: Callable[[Path], Path], words: list[str]
) -> None:
    """avrdude itself writes and verifies it; then the board answers. Its reset line is the test's to pull."""
    needed("avrdude", "avrdude")

    async def run() -> None:
        async with asyncio.timeout(2 * HANGING_S):
            panel = await RealTimePanel.start(simulator, empty_program, bootloader(tmp_path))
            device = tmp_path / "panel"
            device.symlink_to(await panel.answer("pty"))
            command = ["panel", "flash", str(device), "--write", *words]
            for _ in range(TRIES):
                panel.command("reset button")
                if await asyncio.to_thread(main, command) == 0:
                    break
            else:
                pytest.fail("it was not written")
            link = panel.connect(device)
            await panel.event(Linked)
            link.close()
            await panel.stop()

    asyncio.run(run())
