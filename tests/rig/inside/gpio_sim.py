"""The kernel's simulated GPIO chip: made and unmade by configfs, its lines pulled and looked at by sysfs."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

CONFIG = Path("/sys/kernel/config")
LINES = 32
LABEL = "rig-header"


class GpioSim:
    """One chip with the label `rig-header`."""

    def __init__(self) -> None:
        self.pulled: dict[int, int] = {}
        subprocess.run(["modprobe", "configfs"], check=True)
        if not (CONFIG / "pci_ep").exists() and not any(CONFIG.iterdir()):
            subprocess.run(["mount", "-t", "configfs", "none", str(CONFIG)], check=False)
        subprocess.run(["modprobe", "gpio-sim-rig"], check=True)
        self.folder = CONFIG / "gpio-sim" / "rig"
        self.bank = self.folder / "bank0"
        self.bank.mkdir(parents=True)
        (self.bank / "num_lines").write_text(str(LINES))
        (self.bank / "label").write_text(LABEL)
        self.appear()

    def appear(self) -> None:
        (self.folder / "live").write_text("1")
        device = (self.folder / "dev_name").read_text().strip()
        chip = (self.bank / "chip_name").read_text().strip()
        self.chip = chip
        os.environ["RPI_LGPIO_CHIP"] = chip.removeprefix("gpiochip")  # rpi-lgpio goes by the number
        self.sysfs = Path("/sys/devices/platform") / device / chip

    def vanish(self) -> None:
        """The chip goes away, whoever holds its lines."""
        (self.folder / "live").write_text("0")

    def drive(self, pin: int, level: int) -> None:
        """From outside: what a button does; nothing if its chip is gone."""
        self.pulled[pin] = level
        if not self.sysfs.exists():
            return
        (self.sysfs / f"sim_gpio{pin}" / "pull").write_text("pull-up" if level else "pull-down")

    def level(self, pin: int) -> int:
        """What a lamp gets."""
        return int((self.sysfs / f"sim_gpio{pin}" / "value").read_text())

    def remove(self) -> None:
        if (self.folder / "live").read_text().strip() == "1":
            self.vanish()
        self.bank.rmdir()
        self.folder.rmdir()
