"""The commands of a laptop run where the modules and constants of Linux are missing."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from hardware import keyboard, usb_camera
from tests.dicetable.elsewhere import SYSTEMS
from tests.dicetable.still_dice import photograph
from tests.extent import usually

ROOT = Path(__file__).resolve().parents[2]
PICTURE = ROOT / "docs" / "images" / "simulated-throw.jpg"
LIMIT_S = 600
every_system = pytest.mark.parametrize("system", usually(["Windows"], SYSTEMS, slow=SYSTEMS))
"""Windows lacks whatever macOS lacks, and more."""


def run(system: str, *arguments: object, typed: str = "", code: int = 0) -> str:
    """What the program prints there, with its standard error."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.dicetable.elsewhere", system, *map(str, arguments)],
        cwd=ROOT,
        input=typed,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )
    assert "Traceback" not in done.stdout
    assert done.returncode == code, done.stdout
    return done.stdout


@pytest.fixture(scope="module")
def throws(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("throws")
    photograph(folder / "1.png")
    return folder


@pytest.mark.slow
def test_a_photograph_is_read() -> None:
    assert "d6:2" in run("Windows", "read", PICTURE)


@every_system
def test_rolls_go_to_the_ledger_that_statistics_read(system: str, throws: Path, tmp_path: Path) -> None:
    ledger = tmp_path / "ledger"
    (line,) = run(system, "roll", "--camera", throws, "--json", "--ledger", ledger).splitlines()
    assert json.loads(line)["throw"] == 1
    assert run(system, "stats", "--folder", ledger)


@every_system
def test_a_game_is_played(system: str, throws: Path) -> None:
    assert "no more photographs" in run(system, "play", "six_by_6", "--photos", throws)


@pytest.mark.slow  # a program each; that commands tell mistakes is tested where they are
@pytest.mark.parametrize(
    "arguments", [("watch", "none.mp4"), ("enrol", "none"), ("roll", "--camera", "none")]
)
def test_a_mistake_gets_its_sentence(arguments: tuple[str, ...]) -> None:
    said = run("Windows", *arguments, code=1 if arguments[0] == "watch" else 2)
    assert len(said.splitlines()) == 1


def test_the_engine_answers() -> None:
    new = '{"op":"new","game":"rolls","seats":["ann"]}\n'
    assert json.loads(run("Windows", "engine", typed=new))["prompt"]["kind"] == "any"


def test_a_keyboard_without_termios_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(keyboard, "HAS_TERMIOS", False)
    keyboard.discard_typed(0)
    keyboard.restore(0, keyboard.make_raw(0))


def test_other_systems_know_cameras_by_number() -> None:
    assert usb_camera.number_of(Path("/dev/video12")) == 12
    assert usb_camera.number_of(Path("/dev/v4l/by-id/camera")) == 0
