"""The doctor: every part, its state and the remedy, in text and JSON; exit 1 if anything is wrong."""

from __future__ import annotations

import errno
import json
import os
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest

from common.texts.ledger import IN_USE, IN_USE_REMEDY
from dicetable.__main__ import main
from dicetable.commands import doctor as doctor_command
from dicetable.ledger import database
from dicetable.ledger.database import NAME
from dicetable.ledger.entries import JournalError
from dicetable.ledger.store import Ledger
from dicetable.service import doctor, doctor_machine
from hardware.attached import AttachedCamera
from hardware.ports import Degraded
from hardware.recordings import VideoCamera
from hardware.simulated.clock import VirtualClock
from hardware.simulated.panel import SimulatedPanel
from tests.hardware.fakes import FakeClock
from tests.hardware.panels import PULLED, PinBench
from vision.recognition.classifiers import SYMBOL_PX
from vision.recognition.enrolled import EnrolledDice

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hardware.gpio_panel import PinPanel
    from hardware.ports import PanelView, Press

CONFIG = """
[camera]
driver = "video"
file = "{folder}/tray.avi"
[panel]
driver = "serial"
device = "{folder}/panel"
[ledger]
folder = "{folder}/games"
"""


@pytest.fixture(autouse=True)
def on_a_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """The folder for temporary files is in memory on many machines."""
    monkeypatch.setattr(doctor, "why_in_memory", lambda _: None)


def recorded(file: Path, brightness: int) -> None:
    writer = cv2.VideoWriter(str(file), cv2.VideoWriter.fourcc(*"MJPG"), 30, (320, 240))
    for _ in range(90):
        writer.write(np.full((240, 320, 3), brightness, np.uint8))
    writer.release()


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(doctor, "PANEL_S", 0.1)
    file = tmp_path / "table.toml"
    file.write_text(CONFIG.format(folder=tmp_path))
    return file


def report(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, dict[str, Any]]]:
    code = main(["doctor", "--json", *arguments])
    told = json.loads(capsys.readouterr().out)
    assert told["ok"] == (code == 0)
    assert set(told) == {"ok", "parts", "sensors", "load", "memory", "disk_free_mb"}
    return code, {part["part"].partition(" (")[0]: part for part in told["parts"]}


def test_what_is_wrong_is_told_with_its_remedy(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, told = report(capsys, "--config", str(config))
    assert code == 1
    assert list(told) == ["program", "clock", "power", "config", "camera", "panel", "models", "ledger"]
    assert {part: found["ok"] for part, found in told.items() if not found["ok"]} == {
        "camera": False,
        "panel": False,
    }
    assert told["camera"]["state"] == f"there is no video {config.parent}/tray.avi"
    assert told["panel"]["state"] == f"{config.parent}/panel: no such device"
    assert "plug the panel in" in told["panel"]["remedy"]
    assert "no games yet" in told["ledger"]["state"]


@pytest.mark.parametrize(
    ("status", "well", "state"),
    [
        (None, True, "a table is running"),
        ("ready", True, "a table is running"),
        ("camera: it is unplugged", False, "a table is running: camera: it is unplugged"),
    ],
)
def test_what_a_running_table_has_is_left_to_it(
    config: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    status: str | None,
    well: bool,
    state: str,
) -> None:
    monkeypatch.setattr(doctor_machine, "service_status", lambda: status)
    (config.parent / "panel").touch()
    ledger = Ledger(config.parent / "games")
    try:
        code, told = report(capsys, "--config", str(config))
    finally:
        ledger.close()
    expected = ["program", "clock", "power", "config", "service", "camera", "panel", "models", "ledger"]
    assert list(told) == expected
    assert (code == 0, told["service"]["state"]) == (well, state)
    assert {told[part]["state"] for part in ("camera", "panel")} == {"in use by the running table"}
    assert {told[part]["ok"] for part in ("camera", "panel")} == {True}


def test_a_ledger_that_another_program_locks_is_not_called_damaged(
    config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(database.connect_to_read, "__defaults__", (0.01,))
    folder = config.parent / "games"
    Ledger(folder).close()
    with closing(sqlite3.connect(folder / NAME, isolation_level=None)) as other:
        other.execute("PRAGMA locking_mode = EXCLUSIVE")
        other.execute("BEGIN EXCLUSIVE")
        _, told = report(capsys, "--config", str(config))
        assert (told["ledger"]["state"], told["ledger"]["remedy"]) == (IN_USE, IN_USE_REMEDY)
        sentence = f"{IN_USE.removesuffix('.')}: {IN_USE_REMEDY}\n"
        for command in (["ledger", "list"], ["ledger", "verify"], ["stats"]):
            assert main([*command, "--folder", str(folder)]) == 1
            assert capsys.readouterr().err == f"dicetable {command[0]}: {sentence}"


def test_a_part_that_the_running_table_lacks_is_told(
    config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(doctor_machine, "service_status", lambda: None)
    ledger = Ledger(config.parent / "games")
    try:
        code, told = report(capsys, "--selftest", "--config", str(config))
    finally:
        ledger.close()
    assert code == 1
    assert told["panel"]["state"] == f"{config.parent}/panel: no such device"
    assert not told["selftest"]["ok"]
    assert "camera: A frame is given once" not in told


def test_who_may_not_look_at_the_lock_asks_systemd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor_machine, "is_locked", lambda _: None)
    for status in (None, "", "ready"):
        monkeypatch.setattr(doctor_machine, "service_status", lambda status=status: status)
        assert doctor_machine.status_of_running(tmp_path) == status


@pytest.mark.parametrize(
    ("told", "status"),
    [
        ("ActiveState=active\nStatusText=camera: dark\n", "camera: dark"),
        ("ActiveState=active\nStatusText=\n", ""),
        ("ActiveState=inactive\nStatusText=\n", None),
    ],
)
def test_what_systemd_knows_of_the_service(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, told: str, status: str | None
) -> None:
    program = tmp_path / "systemctl"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{told}END\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    assert doctor_machine.service_status() == status


def test_a_weak_supply_is_told(
    config: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    hwmon = config.parent / "sys" / "class" / "hwmon" / "hwmon1"
    hwmon.mkdir(parents=True)
    (hwmon / "name").write_text("rpi_volt\n")
    monkeypatch.setattr(doctor, "SYS", config.parent / "sys")
    for alarm, ok in (("1\n", False), ("0\n", True)):
        (hwmon / "in0_lcrit_alarm").write_text(alarm)
        _, told = report(capsys, "--config", str(config))
        assert (told["power"]["ok"], "rpi_volt" in told["power"]["state"]) == (ok, True)
        assert bool(told["power"]["remedy"]) != ok


def test_text_says_the_same(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--config", str(config)]) == 1
    text = capsys.readouterr().out
    assert f"WRONG camera (video): there is no video {config.parent}/tray.avi\n      -> name another" in text
    assert "ok    config: " in text


def test_a_wrong_config_is_told_mistake_by_mistake(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    config.write_text(config.read_text().replace("driver", "drivr"))
    assert main(["doctor", "--config", str(config)]) == 1
    text = capsys.readouterr().out
    assert text.count("WRONG config") == 2
    assert "has no driver" in text


@pytest.mark.slow
def test_the_simulated_table_is_well(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    # Its camera gives as many frames as this machine can draw; how many that are is not asked here.
    monkeypatch.setattr("dicetable.commands.doctor.SystemClock", VirtualClock)
    file = tmp_path / "laptop.toml"
    file.write_text(
        f'[camera]\ndriver = "simulated"\n[panel]\ndriver = "simulated"\n[ledger]\nfolder = "{tmp_path}"'
    )
    code, told = report(capsys, "--config", str(file))
    assert (code, [part for part, found in told.items() if not found["ok"]]) == (0, [])
    assert told["camera"]["state"].startswith("1280 by 720 pixels")


@pytest.mark.parametrize(("brightness", "remedy"), [(0, "switch the light on"), (255, "reduce the light")])
def test_a_tray_without_light_or_with_too_much(tmp_path: Path, brightness: int, remedy: str) -> None:
    recorded(tmp_path / "v.avi", brightness)
    clock = FakeClock()
    found = doctor.camera("video", VideoCamera(tmp_path / "v.avi", clock), clock)
    assert not found.ok
    assert remedy in found.remedy


def test_a_camera_that_gives_frames(tmp_path: Path) -> None:
    recorded(tmp_path / "v.avi", 120)
    clock = FakeClock()
    found = doctor.camera("video", VideoCamera(tmp_path / "v.avi", clock), clock)
    assert found.ok
    assert found.state.startswith("320 by 240 pixels, 30 frames/s, mean brightness 1")


def test_frames_that_are_damaged_are_counted(tmp_path: Path) -> None:
    file = cv2.VideoWriter(str(tmp_path / "v.avi"), cv2.VideoWriter.fourcc(*"MJPG"), 30, (320, 240))
    for number in range(90):
        picture = np.full((240, 320, 3), 120, np.uint8)
        picture[150:] = 20 if number % 10 == 4 else 120
        file.write(picture)
    file.release()
    clock = FakeClock()
    found = doctor.camera("video", VideoCamera(tmp_path / "v.avi", clock), clock)
    assert [note for note in found.notes if "damaged" in note] == [
        "damaged frames: 3; try another USB port or cable"
    ]


@pytest.mark.parametrize(("rate", "strict", "well"), [(6, True, False), (6, False, True), (8, True, True)])
def test_a_camera_that_is_too_slow_for_strict_throws(
    tmp_path: Path, rate: int, strict: bool, well: bool
) -> None:
    file = cv2.VideoWriter(str(tmp_path / "v.avi"), cv2.VideoWriter.fourcc(*"MJPG"), rate, (320, 240))
    for _ in range(10 * rate):
        file.write(np.full((240, 320, 3), 120, np.uint8))
    file.release()
    clock = FakeClock()
    found = doctor.camera("video", VideoCamera(tmp_path / "v.avi", clock), clock, strict=strict)
    assert found.ok is well
    assert ("vouch" in found.remedy) is not well


@pytest.mark.parametrize(
    ("number", "state", "remedy"),
    [
        (errno.EROFS, "The table can't write to the disk", "a worn-out card turns read-only"),
        (errno.ENOSPC, "The disk is full", "make room on the disk"),
        (errno.EACCES, "The table can't write to the disk", "writable for the table's user"),
        (errno.EIO, "The disk is failing", "replace it"),
    ],
)
def test_a_folder_that_cannot_be_written(
    number: int, state: str, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(**_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr("tempfile.TemporaryFile", refuse)
    found = doctor.ledger(tmp_path)
    assert not found.ok
    assert state in found.state
    assert remedy in str(found.remedy)


def test_a_ledger_on_a_network_drive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mounted = tmp_path / "mountinfo"
    mounted.write_text(f"1 0 0:1 / {tmp_path} rw - nfs4 server:/games rw\n")
    monkeypatch.setattr("common.files.MOUNTS", mounted)
    found = doctor.ledger(tmp_path / "table")
    assert found.state == "The ledger is on a network drive (nfs4), where a power cut can destroy it."
    assert found.remedy is not None
    with pytest.raises(JournalError, match="network drive"):
        Ledger(tmp_path / "table")
    assert not (tmp_path / "table").exists()


def test_own_dice_that_are_not_known_are_told(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = config.parent / "own.npz"
    config.write_text(f'{config.read_text()}[eye]\ndice = "{file}"\n')
    _, told = report(capsys, "--config", str(config))
    assert not told["dice"]["ok"]
    assert "dicetable enrol" in told["dice"]["remedy"]
    own = EnrolledDice(
        (("d20", 17),), np.ones((1, SYMBOL_PX * SYMBOL_PX), np.float32), np.zeros((1, 3), np.float32)
    )
    file.write_bytes(own.packed())
    _, told = report(capsys, "--config", str(config))
    assert (told["dice"]["ok"], told["dice"]["state"]) == (
        True,
        "faces enrolled: 1; pictures learned: 0",
    )


def test_models_that_cannot_be_used_are_told(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, told = report(capsys, "--config", str(config))
    assert (told["models"]["ok"], told["models"]["state"]) == (True, "unmodified")
    config.write_text(f'{config.read_text()}[eye]\nmodels = "{config.parent}"\n')
    code, told = report(capsys, "--config", str(config))
    assert code == 1
    assert told["models"]["state"] == "The model detector.onnx is missing."
    assert f"replace it in {config.parent}" in told["models"]["remedy"]


def test_a_damaged_ledger_is_told(tmp_path: Path) -> None:
    (tmp_path / "ledger.sqlite3").write_bytes(b"no database" * 1000)
    assert not doctor.sound("ledger", tmp_path, "").ok


def test_the_selftest_asks_the_rules_of_a_camera(tmp_path: Path) -> None:
    recorded(tmp_path / "v.avi", 120)
    clock = FakeClock()
    findings = list(doctor.of_camera(lambda: VideoCamera(tmp_path / "v.avi", clock), clock))
    assert len(findings) >= 9
    assert [finding for finding in findings if finding.state != "passed"] == []


class Broken(VideoCamera):
    """Goes on after it was stopped."""

    def stop(self) -> None:
        pass


def test_the_selftest_finds_a_camera_that_breaks_a_rule(tmp_path: Path) -> None:
    recorded(tmp_path / "v.avi", 120)
    clock = FakeClock()
    findings = list(doctor.of_camera(lambda: Broken(tmp_path / "v.avi", clock), clock))
    assert [finding.part for finding in findings if not finding.ok] == [
        "camera: Stopping twice, or unstarted, does nothing",
    ]


def test_without_a_person_what_needs_one_is_not_asked() -> None:
    findings = list(doctor.of_panel(lambda: SimulatedPanel(FakeClock()), None))
    assert all(finding.ok for finding in findings)
    assert "skipped: it needs a person to press buttons" in {finding.state for finding in findings}


def test_with_a_person_fingers_are_asked_for_in_words(monkeypatch: pytest.MonkeyPatch) -> None:
    from hardware.simulated import clock as event_loop

    monkeypatch.setattr("asyncio.run", event_loop.run)
    benches: list[PinBench] = []
    said: list[str] = []

    def new_panel() -> PinPanel:
        benches.append(PinBench(PULLED))
        return benches[-1].panel

    def obey(text: str) -> None:
        said.append(text.strip())
        words = text.split()
        if "plug" in text:
            benches[-1].gpio.gone = words[0] == "pull"
        elif words[0] == "hold":
            benches[-1].press(words[1], down=True)
        else:
            benches[-1].press(words[1], down=False)

    findings = list(doctor.of_panel(new_panel, obey))
    assert [finding for finding in findings if not finding.ok] == []
    assert "hold seat1.ok down" in said
    assert "pull the panel's plug" in said
    assert [finding.state for finding in findings].count("skipped: it needs a person to look") == 2


def test_pins_without_a_screen_are_noted(config: Path, capsys: pytest.CaptureFixture[str]) -> None:
    seat = 'controls.seat1 = { minus = "gpio:5", plus = "gpio:6", ok = "gpio:13" }'
    pins = f'driver = "rpi"\n{seat}\ncontrols.table.menu = "gpio:26"\n[table]\nseats = 1\n'
    text = config.read_text().partition("[panel]")[0]
    config.write_text(f'{text}[panel]\n{pins}[ledger]\nfolder = "{config.parent}/games"\n')
    _, told = report(capsys, "--config", str(config))
    assert "players can't read what the table says" in told["panel"]["notes"][0]


def test_a_panel_that_never_comes_up_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "PANEL_S", 0.05)

    class Gone:
        degraded = Degraded("the keyboard is gone", "start again at a terminal")

        def start(self, news: Callable[[], None]) -> None:
            pass

        def stop(self) -> None:
            pass

        def show(self, view: PanelView) -> None:
            pass

        def presses(self) -> Sequence[Press]:
            return []

    found = doctor.panel("keyboard", Gone())
    assert (found.ok, found.state) == (False, "the keyboard is gone")


def test_attached_cameras_are_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    lid = AttachedCamera(Path("/dev/video0"), "HD Webcam", on_usb=False, modes=[])
    plugged = AttachedCamera(Path("/dev/video2"), "C920", on_usb=True, modes=[])
    monkeypatch.setattr(doctor_command, "attached_cameras", lambda: [plugged, lid])
    main(["doctor"])
    line = "ok    attached cameras: /dev/video2  C920 (USB); /dev/video0  HD Webcam (built in)"
    assert line in capsys.readouterr().out.splitlines()
