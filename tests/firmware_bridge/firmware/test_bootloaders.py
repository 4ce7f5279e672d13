"""The firmware with each bootloader: it recovers from every stop, and reports why it restarted."""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

import pytest

from firmware_bridge.messages import ResetCause
from tests.firmware_bridge.firmware.bootloaders import handing_over, old_nano, optiboot
from tests.firmware_bridge.firmware.simulation import SimulatedPanel
from tests.firmware_bridge.programs import needed

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

RESTART_US = 300_000
START_US = 2_500_000  # with the wait for a programmer


@dataclass
class Booted:
    """A board behind a bootloader, linked."""

    name: str
    panel: SimulatedPanel

    def after(self, command: str) -> ResetCause:
        """What the program gives as the cause of the start that the command leads to."""
        links = len(self.panel.boards)
        self.panel.command(command)
        self.panel.run_until(lambda: len(self.panel.boards) > links, START_US)
        ids = [board.boot_id for board in self.panel.boards]
        assert ids == sorted(set(ids)), "each start has a boot id of its own"
        return self.panel.boards[-1].reset_cause


KINDS: dict[str, Callable[[Path], Path | None]] = {
    "none": lambda _: None,
    "old nano": old_nano,
    "optiboot 4.4": optiboot,
    "optiboot 7 and later": handing_over,
}
USUAL = ("optiboot 7 and later",)
"""That of today's boards."""


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("bootloaders")


@pytest.fixture(
    params=[pytest.param(kind, marks=() if kind in USUAL else pytest.mark.slow) for kind in KINDS]
)
def booted(request: pytest.FixtureRequest, simulator: Path, panel_elf: Path, build: Path) -> Iterator[Booted]:
    panel = SimulatedPanel(simulator, panel_elf, KINDS[request.param](build))
    panel.run_until(lambda: bool(panel.boards), START_US)
    yield Booted(request.param, panel)
    panel.close()


def test_a_program_that_hangs_starts_again_without_a_reset(booted: Booted) -> None:
    panel = booted.panel
    panel.resets.clear()
    for stops in ("hang 1", "stop clock"):
        panel.run(20_000)
        panel.starts.clear()
        stopped_us = panel.now_us
        assert booted.after(stops) is ResetCause.WATCHDOG
        assert len(panel.starts) == 1
        assert panel.starts[0] - stopped_us < RESTART_US
    assert panel.resets == []


def test_one_that_hangs_with_interrupts_off_is_reset_where_the_bootloader_bears_it(booted: Booted) -> None:
    panel = booted.panel
    panel.resets.clear()
    if booted.name == "old nano":
        panel.command("hang 0")
        panel.run(START_US)
        assert panel.resets == [], "it would reset for ever"
        assert booted.after("reset button") is ResetCause.BUTTON
    else:
        booted.after("hang 0")
        assert len(panel.resets) == 1


def test_a_lost_interrupt_flag_stops_nothing(booted: Booted) -> None:
    panel = booted.panel
    panel.starts.clear()
    panel.command("hang 0")
    panel.command("resume")
    panel.press(3)
    panel.run(RESTART_US)
    assert panel.changes == [(3, True)]
    assert panel.starts == []


TOLD = {
    "reset power 0": ResetCause.POWER,
    "reset power 2": ResetCause.POWER,  # r2 looks like the reset button
    "reset power 8": ResetCause.POWER,  # r2 looks like the watchdog
    "reset button": ResetCause.BUTTON,
    "reset brown-out": ResetCause.BROWN_OUT,
    "hang 0": ResetCause.WATCHDOG,
}


def test_the_cause_of_each_reset_is_told(booted: Booted) -> None:
    told = {reset: booted.after(reset) for reset in TOLD if (booted.name, reset) != ("old nano", "hang 0")}
    expected = {reset: TOLD[reset] for reset in told}
    if booted.name == "optiboot 4.4":  # it clears the flags and hands nothing over
        expected |= dict.fromkeys(("reset button", "reset brown-out", "hang 0"), ResetCause.UNKNOWN)
    assert told == expected


def test_the_firmware_leaves_the_register_alone_in_which_optiboot_hands_over(panel_elf: Path) -> None:
    command = [needed("avr-objdump", "binutils-avr"), "-d", "--no-show-raw-insn", str(panel_elf)]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    assert re.findall(r":\t(\w+)\t[^;\n]*\br2\b", listing) == ["sts", "eor"]
