"""`dicetable panel`: presses and degraded as lines, what the panel shows, and the flash command."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from dicetable.__main__ import main
from dicetable.commands.panel import PanelWatch
from firmware_bridge.flash import PREBUILT
from hardware.simulated import clock
from tests.hardware.panels import PUSHED, PinBench

if TYPE_CHECKING:
    from pathlib import Path

HEX = ":0400000001020304F2\n:00000001FF\n"


def test_what_happens_is_told_line_by_line_and_answered_with_the_lamp() -> None:
    lines: list[str] = []
    lit: list[set[str]] = []

    async def story() -> None:
        bench = PinBench(PUSHED)
        watch = asyncio.create_task(PanelWatch(bench.panel, lines.append).run(10))
        await asyncio.sleep(0.1)
        for down in (True, False):
            bench.press("seat1.ok", down=down)
            await asyncio.sleep(0.1)
            lit.append(bench.lit())
        bench.gpio.gone = True
        await asyncio.sleep(1)
        bench.gpio.gone = False
        await watch
        assert bench.gpio.directions == {}  # the pins are given back

    clock.run(story())
    assert lit == [{"seat1"}, set()]
    assert lines[:3] == ["the panel is connected", "    1 seat1.ok     down", "    2 seat1.ok     up"]
    assert "no such device" in lines[3]
    assert lines[-1] == "the panel is connected"


def test_a_panel_that_never_comes_up_is_exit_code_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["panel", "--device", str(tmp_path / "none"), "--seconds", "0.1"]) == 1
    assert "plug the panel in" in capsys.readouterr().out


def test_a_panel_must_be_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["panel"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_a_wrong_config(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["panel", "--config", str(tmp_path / "none.toml")]) == 1
    assert "cannot be read" in capsys.readouterr().err


def test_flash_prints_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "panel.hex").write_text(HEX)
    assert main(["panel", "flash", "/dev/ttyUSB0", "--firmware", str(tmp_path / "panel.hex")]) == 0
    command = capsys.readouterr().out
    assert command.startswith("avrdude -p m328p -c arduino -P /dev/ttyUSB0 -b 115200")
    assert main(["panel", "flash", "/dev/x", "--old-nano", "--firmware", str(tmp_path / "panel.hex")]) == 0
    assert "-b 57600" in capsys.readouterr().out


def test_flash_takes_the_firmware_that_comes_with_the_program(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["panel", "flash", "/dev/ttyUSB0"]) == 0
    assert f"flash:w:{PREBUILT}:i" in capsys.readouterr().out


@pytest.mark.parametrize("write", [[], ["--write"]])
def test_flash_without_firmware_says_how_to_build_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], write: list[str]
) -> None:
    assert main(["panel", "flash", "/dev/x", "--firmware", str(tmp_path / "none.hex"), *write]) == 1
    assert "make firmware" in capsys.readouterr().err
