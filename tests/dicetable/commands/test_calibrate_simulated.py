"""All of docs/calibrate.md on the simulated table: faults are named, fixed, and the result is saved."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from dicetable.__main__ import main
from dicetable.commands import calibrate as calibrate_command
from dicetable.eye.in_process import InProcessEye
from dicetable.eye.messages import EyeMessage
from dicetable.eye.rig import load_calibration
from hardware.simulated.clock import VirtualClock
from hardware.simulated.faults import parse
from hardware.simulated.world import World
from vision.observer import Observer
from vision.reading import Settled

if TYPE_CHECKING:
    from pathlib import Path

Captured = pytest.CaptureFixture[str]


@pytest.fixture
def config(tmp_path: Path) -> str:
    """A table whose camera is simulated and whose games are kept in `games`."""
    file = tmp_path / "table.toml"
    file.write_text(
        f'[camera]\ndriver = "simulated"\nseed = 5\n[panel]\ndriver = "simulated"\n'
        f'[ledger]\nfolder = "{tmp_path / "games"}"\n'
    )
    return str(file)


def test_a_config_with_a_simulated_camera_is_calibrated(
    tmp_path: Path, config: str, capsys: Captured
) -> None:
    shown = tmp_path / "tray.jpg"
    assert main(["calibrate", "--config", config, "--picture", str(shown)]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    assert [line[:3] for line in output.out.splitlines()] == ["ok "] * 9 + ["sav"]
    assert shown.stat().st_size > 10_000
    assert load_calibration(tmp_path / "games" / "calibration") is not None


@pytest.mark.slow
def test_faults_are_named_and_mended_one_by_one_until_the_rig_is_calibrated(
    tmp_path: Path, config: str, capsys: Captured, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = VirtualClock()
    world = World(5, clock, real=False)
    monkeypatch.setattr(calibrate_command, "camera_of", lambda _section, _clock: world.camera)
    remembered = tmp_path / "games" / "calibration"

    def calibrate() -> tuple[int, str]:
        code = main(["calibrate", "--config", config])
        output = capsys.readouterr()
        return code, output.out + output.err

    for fault, said in (
        ("unplugged:60", "plug it in"),
        ("dark:60", "it is dark: keep hands out and the light on"),
        ("hand:60", "keep hands out"),
        ("covered:1", "NO  markers: not seen: far right (1)"),
    ):
        world.inject(parse(fault))
        clock.sleep(1.0)
        code, told = calibrate()
        assert (code, said in told) == (1, True), f"{fault}: {told}"
        assert not remembered.exists()
        world.clear()
        world.settle(3.0)

    world.throw(["d6"], values=[4])
    world.settle()
    code, told = calibrate()
    assert code == 1
    assert "NO  empty tray: one thing in it\n    take everything out of the tray" in told
    assert not remembered.exists()

    world.lay([])
    world.settle()
    code, told = calibrate()
    assert (code, "NO" in told) == (0, False), told
    assert told.endswith(f"saved in {remembered}\n")
    assert values(world, clock, remembered) == [2, 5]


def values(world: World, clock: VirtualClock, calibration: Path) -> list[int]:
    """What an eye with that calibration reads of a throw of a five and a two."""
    known = load_calibration(calibration)
    assert known is not None
    eye = InProcessEye(world.camera, clock, Observer(known.tray, known.background))
    eye.start()
    world.throw(["d6", "d6"], values=[5, 2])
    heard: list[EyeMessage] = []
    end_s = world.settled_at_s + 2.0
    while clock.now_s() < end_s:
        clock.sleep(1 / 15)
        heard += eye.messages()
    eye.stop()
    last = heard[-1]
    assert isinstance(last, Settled)
    assert all(die.sure for die in last.reading.dice)
    return sorted(die.value or 0 for die in last.reading.dice)


def test_no_die_can_be_laid_under_a_simulated_camera(tmp_path: Path, config: str, capsys: Captured) -> None:
    assert main(["enrol", "--camera", config, "--out", str(tmp_path / "own.npz")]) == 1
    assert "a simulated camera sees no real dice" in capsys.readouterr().err
