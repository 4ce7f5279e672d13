"""Flashing: the command, the checks of the image, and a stand-in avrdude that is missing, fails or works."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from firmware_bridge.errors import FlashError
from firmware_bridge.flash import Bootloader, avrdude_command, checked_image, flash

END = ":00000001FF\n"


def record(address: int, data: bytes, kind: int = 0) -> str:
    raw = bytes((len(data), address >> 8, address & 255, kind)) + data
    return f":{raw.hex()}{-sum(raw) & 255:02x}\n".upper()


@pytest.fixture
def image(tmp_path: Path) -> Path:
    path = tmp_path / "panel.hex"
    path.write_text(record(0, b"\x0c\x94\x34\x00") + record(0x7FF0, bytes(16)) + END)
    return path


@pytest.fixture
def avrdude(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A stand-in that notes its arguments and does what the test adds to it."""
    program = tmp_path / "bin" / "avrdude"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" > {shlex.quote(str(tmp_path / "arguments"))}\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:/usr/bin:/bin")
    return program


def test_the_command_is_what_a_person_would_type() -> None:
    command = avrdude_command(Path("panel.hex"), Path("/dev/ttyUSB0"), Bootloader.OLD_NANO)
    typed = "avrdude -p m328p -c arduino -P /dev/ttyUSB0 -b 57600 -D -U flash:w:panel.hex:i"
    assert shlex.join(command) == typed


def test_avrdude_is_run_with_it(image: Path, avrdude: Path, tmp_path: Path) -> None:
    flash(image, avrdude)  # any existing path passes for the device
    assert (tmp_path / "arguments").read_text().split() == avrdude_command(image, avrdude)[1:]


def test_a_failure_is_told_in_avrdudes_words(image: Path, avrdude: Path) -> None:
    with avrdude.open("a") as program:
        program.write(
            "echo banner >&2\necho 'avrdude: stk500_recv(): programmer is not in sync' >&2\nexit 1\n"
        )
    with pytest.raises(FlashError, match="not in sync"):
        flash(image, avrdude)


def test_a_missing_avrdude_is_named_with_the_command(
    image: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(FlashError, match=r"apt-get install avrdude.*-p m328p"):
        flash(image, tmp_path)


@pytest.mark.usefixtures("avrdude")
def test_a_missing_device_is_named(image: Path, tmp_path: Path) -> None:
    with pytest.raises(FlashError, match=r"no device at .*absent"):
        flash(image, tmp_path / "absent")


def test_a_bootloader_that_never_answers_is_given_up(
    image: Path, avrdude: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("firmware_bridge.flash.TIMEOUT_S", 0.1)
    with avrdude.open("a") as program:
        program.write("exec sleep 30\n")
    with pytest.raises(FlashError, match="did not answer"):
        flash(image, avrdude)


WRONG_IMAGES = {
    "empty": "",
    "no end": record(0, b"\x01\x02"),
    "cut": (record(0, b"\x01\x02") + END)[:-4],
    "bad checksum": record(0, b"\x01\x02").replace("0102", "0103") + END,
    "not hex": ":xyz\n" + END,
    "something else": "int main(void)\n" + END,
    "nothing in it": END,
    "too large": record(0x7FFF, b"\x01\x02") + END,
}


@pytest.mark.parametrize("content", WRONG_IMAGES.values(), ids=WRONG_IMAGES.keys())
def test_a_wrong_image_is_refused(tmp_path: Path, content: str) -> None:
    path = tmp_path / "panel.hex"
    path.write_text(content)
    with pytest.raises(FlashError):
        checked_image(path)


def test_a_picture_is_no_image(tmp_path: Path) -> None:
    path = tmp_path / "panel.png"
    path.write_bytes(b"\x89PNG\r\n")
    with pytest.raises(FlashError, match=r"panel\.png is no whole Intel HEX image"):
        checked_image(path)


def test_a_missing_image_names_the_remedy(tmp_path: Path) -> None:
    with pytest.raises(FlashError, match="make firmware"):
        checked_image(tmp_path / "panel.hex")


def test_the_built_firmware_is_a_good_image(panel_elf: Path) -> None:
    image = panel_elf.with_suffix(".hex")
    assert checked_image(image) == image
