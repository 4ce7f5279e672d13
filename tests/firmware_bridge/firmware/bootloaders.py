"""The bootloaders that boards are sold with, for the simulated board."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.firmware_bridge.programs import needed

HERE = Path(__file__).resolve().parent
ARDUINO = Path("/usr/share/arduino/hardware/arduino/avr/bootloaders")
AT = 0x7C00  # a kilobyte, of which they fill half with one compiler and a little more with another


def from_arduino(path: str) -> Path:
    """A file of Debian's Arduino core, or a skip that names the package."""
    if not (ARDUINO / path).exists():
        pytest.skip("no bootloaders here (Debian: apt-get install arduino-core-avr)")
    return ARDUINO / path


def old_nano(_: Path) -> Path:
    """ATmegaBOOT, as on Nanos until 2018."""
    return from_arduino("atmega/ATmegaBOOT_168_atmega328.hex")


def optiboot(build: Path) -> Path:
    """Optiboot 4.4, as on Unos and newer Nanos.

    Built from Debian's source without the lamp that flashes at the start: Debian's own binary has outgrown
    its 512 bytes and crashes.
    """
    source = from_arduino("optiboot/optiboot.c")
    small = ("-mrelax", "-DLED_START_FLASHES=0", "-DBAUD_RATE=115200", f"-I{source.parent}")
    return built(source, build / "optiboot", *small)


def handing_over(build: Path) -> Path:
    """A stand-in for Optiboot from version 7 on."""
    return built(HERE / "handing_bootloader.S", build / "handing_over")


def built(source: Path, to: Path, *options: str) -> Path:
    """The bootloader as an Intel HEX file."""
    elf, image = to.with_suffix(".elf"), to.with_suffix(".hex")
    place = (f"-Wl,--section-start=.text={AT:#x}", "-Wl,--section-start=.version=0x7ffe", "-nostartfiles")
    target = ("-mmcu=atmega328p", "-DF_CPU=16000000L", "-std=gnu99", "-Os", "-w")
    subprocess.run(
        [needed("avr-gcc", "gcc-avr avr-libc"), *target, *options, *place, "-o", elf, source], check=True
    )
    subprocess.run(["avr-objcopy", "-O", "ihex", "-j", ".text", elf, image], check=True)
    return image
