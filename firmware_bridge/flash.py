"""Writes the firmware to the board through its bootloader, with avrdude. Does not build it."""

import shlex
import shutil
import subprocess
from enum import Enum
from pathlib import Path

from firmware_bridge.errors import FlashError

PREBUILT = Path(__file__).with_name("panel.hex")
"""The prebuilt image; panel.hex.txt beside it names its compiler."""
FLASH_BYTES = 32768
TIMEOUT_S = 120  # flashing takes about 5 s; after this time the bootloader is taken to be silent
DATA_RECORD = 0


class Bootloader(Enum):
    """The board's bootloader; the value is its baud rate."""

    OPTIBOOT = 115200  # Arduino Uno, and Nano since 2018
    OLD_NANO = 57600


NOT_WHOLE = "is no whole Intel HEX image: build it again with `make firmware`"


def checked_image(firmware: Path) -> Path:
    """The path, if it contains an Intel HEX image that fits the ATmega328P. Raises FlashError otherwise."""
    try:
        lines = firmware.read_text(encoding="ascii").split()
        records = [bytes.fromhex(line.removeprefix(":")) for line in lines if line.startswith(":")]
    except FileNotFoundError:
        raise FlashError(f"no firmware at {firmware}: build it with `make firmware`") from None
    except OSError as error:
        raise FlashError(f"{firmware} cannot be read: {error.strerror}") from error
    except ValueError:
        raise FlashError(f"{firmware} {NOT_WHOLE}") from None
    whole = len(records) == len(lines) > 0 and all(
        len(record) >= 5 and len(record) == record[0] + 5 and sum(record) % 256 == 0 for record in records
    )
    if not whole or records[-1] != bytes.fromhex("00000001FF"):
        raise FlashError(f"{firmware} {NOT_WHOLE}")
    ends = [int.from_bytes(record[1:3], "big") + record[0] for record in records if record[3] == DATA_RECORD]
    if not ends or max(ends) > FLASH_BYTES:
        raise FlashError(f"{firmware} does not fit the {FLASH_BYTES} bytes of an ATmega328P")
    return firmware


def avrdude_command(firmware: Path, port: Path, bootloader: Bootloader = Bootloader.OPTIBOOT) -> list[str]:
    """The avrdude command that writes and verifies the image."""
    link = ["-c", "arduino", "-P", str(port), "-b", str(bootloader.value)]
    return ["avrdude", "-p", "m328p", *link, "-D", "-U", f"flash:w:{firmware}:i"]


def flash(firmware: Path, port: Path, bootloader: Bootloader = Bootloader.OPTIBOOT) -> None:
    """Writes the image to the board. Raises FlashError with a remedy. The port must not be open elsewhere."""
    command = avrdude_command(checked_image(firmware), port, bootloader)
    avrdude = shutil.which(command[0])
    if avrdude is None:
        raise FlashError(f"no avrdude here (Debian: apt-get install avrdude); then: {shlex.join(command)}")
    if not port.exists():
        raise FlashError(f"no device at {port}: plug the panel in (ls /dev/serial/by-id)")
    try:
        done = subprocess.run(  # noqa: S603 - avrdude, with words of ours
            [avrdude, *command[1:]], capture_output=True, text=True, timeout=TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        raise FlashError(f"the bootloader at {port} did not answer within {TIMEOUT_S} s") from None
    if done.returncode != 0:
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        reason = next((line for line in lines if "error" in line.lower() or "not in sync" in line), "")
        raise FlashError(f"avrdude failed: {reason or (lines or ['it said nothing'])[-1]}")
