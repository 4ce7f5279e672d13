"""`dicetable calibrate`: faults of a rig are named with a remedy, and a good calibration is saved."""

from __future__ import annotations

import contextlib
import json
import os
from typing import TYPE_CHECKING, Any

import cv2
import numpy as np
import pytest

from dicetable.__main__ import main
from dicetable.eye.operator_view import Findings, look_at_rig, picture
from dicetable.eye.rig import Calibration, CalibrationError, load_calibration, load_lens
from dicetable.eye.stills import NoFramesError, still_picture
from hardware.ports import Degraded, Frame
from tests.dicetable.commands.usage import usage_error
from tests.vision.drawing import one_die
from tests.vision.tray.poses import VIEW, seen, usual

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from vision.reading import Image

Captured = pytest.CaptureFixture[str]


def bad(findings: Findings) -> set[str]:
    assert all(bool(f.remedy) != f.good for f in findings.all)
    return {f.name for f in findings.all if not f.good}


def photo(folder: Path, frame: Image, name: str = "tray.png") -> str:
    assert cv2.imwrite(str(folder / name), frame)
    return str(folder / name)


def test_a_good_rig_is_remembered(tmp_path: Path, capsys: Captured) -> None:
    shown = tmp_path / "seen.png"
    out = tmp_path / "state" / "calibration"
    name = photo(tmp_path, seen(VIEW))
    assert main(["calibrate", "--photo", name, "--out", str(out), "--picture", str(shown)]) == 0
    output = capsys.readouterr()
    assert output.err == ""
    lines = output.out.splitlines()
    assert len(lines) == 10
    assert all(line.startswith("ok ") for line in lines[:-1])
    known = load_calibration(out)
    assert known is not None
    assert known.tray.moved_mm(usual()) < 0.1
    assert known.background.shape == (720, 1280, 3)
    drawn = cv2.imread(str(shown))
    assert drawn is not None
    assert drawn.shape[1] == 1280


def test_a_good_rig_is_remembered_though_its_picture_cannot_be_written(
    tmp_path: Path, capsys: Captured
) -> None:
    name = photo(tmp_path, seen(VIEW))
    out, shown = tmp_path / "state", tmp_path / "none" / "seen.png"
    assert main(["calibrate", "--photo", name, "--out", str(out), "--picture", str(shown)]) == 1
    assert f"{shown} cannot be written" in capsys.readouterr().err
    assert load_calibration(out) is not None


def test_the_photograph_is_not_drawn_over(tmp_path: Path, capsys: Captured) -> None:
    name = photo(tmp_path, seen(VIEW))
    said = usage_error(["calibrate", "--photo", name, "--picture", name], capsys)
    assert "it is the photograph itself" in said


def test_without_out_nothing_is_written(tmp_path: Path, capsys: Captured) -> None:
    name = photo(tmp_path, seen(VIEW))
    assert main(["calibrate", "--photo", name, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["usable"] is True
    assert next(f["name"] for f in told["findings"]) == "markers"
    assert [path.name for path in tmp_path.iterdir()] == ["tray.png"]


def test_a_missing_marker_is_named_and_nothing_is_remembered(tmp_path: Path, capsys: Captured) -> None:
    frame = seen(VIEW)
    frame[:360, 640:] = 80
    out = tmp_path / "calibration"
    assert main(["calibrate", "--photo", photo(tmp_path, frame), "--out", str(out)]) == 1
    assert "NO  markers: not seen: far right (1)" in capsys.readouterr().out
    assert not out.exists()


def test_dice_in_the_tray_are_seen(tmp_path: Path, capsys: Captured) -> None:
    frame = seen(VIEW)
    die = one_die(4, 60.0, 20.0)
    frame[300:400, 600:700] = cv2.resize(die, None, fx=1, fy=1)[190:290, 270:370]
    findings = look_at_rig(frame)
    assert bad(findings) == {"empty tray"}
    assert not findings.usable
    (x, y, w, h), *_ = findings.things
    assert abs(x + w / 2 - 650) < 20
    assert abs(y + h / 2 - 350) < 20
    assert main(["calibrate", "--photo", photo(tmp_path, frame), "--out", str(tmp_path / "c")]) == 1
    assert "take everything out" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("spoil", "what"),
    [
        (lambda f: cv2.GaussianBlur(f, (0, 0), 3.0), "focus"),
        (lambda f: (f * 0.3).astype(np.uint8), "light"),
        (lambda f: (f * np.linspace(1.0, 0.45, 1280)[None, :, None]).astype(np.uint8), "evenness"),
        (lambda f: cv2.circle(f.copy(), (640, 360), 130, (255, 255, 255), -1), "glare"),
        (lambda f: cv2.resize(f, (640, 360), interpolation=cv2.INTER_AREA), "camera"),
        (lambda f: np.where(f.min(axis=2, keepdims=True) > 150, f, (82, 110, 150)), "colour"),
    ],
)
def test_what_is_not_good_is_named(spoil: Callable[[Image], Any], what: str) -> None:
    findings = look_at_rig(np.asarray(spoil(seen(VIEW)), np.uint8))
    assert what in bad(findings)
    assert findings.tray is not None


def test_the_picture_says_what_is_wrong() -> None:
    for frame in (seen(VIEW), np.zeros((360, 640, 3), np.uint8)):
        findings = look_at_rig(frame)
        shown = picture(findings)
        assert shown.shape[0] > frame.shape[0]
        assert shown.shape[1] == frame.shape[1]


def test_mistakes_are_told_in_a_line(tmp_path: Path, capsys: Captured) -> None:
    assert main(["calibrate", "--photo", str(tmp_path / "nothing.png")]) == 1
    assert main(["calibrate", "--simulated", "-1"]) == 2
    assert main(["calibrate", "--config", str(tmp_path / "nothing.toml")]) == 1
    name = photo(tmp_path, seen(VIEW))
    assert main(["calibrate", "--photo", name, "--json", "--picture", str(tmp_path / "x.what")]) == 1
    (tmp_path / "file").write_text("")
    assert main(["calibrate", "--photo", name, "--json", "--out", str(tmp_path / "file")]) == 1
    output = capsys.readouterr()
    assert len(output.err.splitlines()) == 5
    with pytest.raises(SystemExit):
        main(["calibrate"])


def damaged(folder: Path) -> str:
    with pytest.raises(CalibrationError) as error:
        load_calibration(folder)
    assert "dicetable calibrate" in str(error.value)
    return str(error.value)


@pytest.mark.parametrize("name", ["tray.json", "lens.json"])
def test_a_pipe_in_place_of_a_file_is_not_waited_for(name: str, tmp_path: Path) -> None:
    Calibration(usual(), seen(VIEW)).save(tmp_path)
    (tmp_path / name).unlink(missing_ok=True)
    os.mkfifo(tmp_path / name)
    with pytest.raises(CalibrationError, match=f"{name} is no file"):
        load_calibration(tmp_path) if name == "tray.json" else load_lens(tmp_path, seen(VIEW).shape)


def test_damaged_files_are_named(tmp_path: Path) -> None:
    assert load_calibration(tmp_path) is None
    Calibration(usual(), seen(VIEW)).save(tmp_path)
    tray, empty = (tmp_path / "tray.json"), (tmp_path / "empty.png")
    text, data = tray.read_text(), empty.read_bytes()
    for wrong in ("", "{", "[]", text.replace('"version": 1', '"version": 2'), text[:-30], "[" * 9000):
        tray.write_text(wrong)
        assert "tray.json is damaged" in damaged(tmp_path)
    told = json.loads(text)
    for corners in told["markers_px"].values():
        corners[:] = [[1.0, 1.0]] * 4
    tray.write_text(json.dumps(told))
    damaged(tmp_path)
    tray.write_text(text)
    empty.write_bytes(data[: len(data) // 2])
    cut = None
    with contextlib.suppress(CalibrationError):
        cut = load_calibration(tmp_path)
    assert cut is None or cut.background.shape == (720, 1280, 3)
    empty.write_bytes(b"\x89PNG\r\n\x1a\n" + b"\xff" * 200)
    assert "empty.png: it is cut short, damaged or" in damaged(tmp_path)
    empty.unlink()
    assert "there is no such file" in damaged(tmp_path)


class Tray:
    """A camera that shows these pictures, and then none."""

    def __init__(self, pictures: list[Image], degraded: Degraded | None = None, fps: int = 30) -> None:
        self.pictures = pictures
        self.degraded = degraded
        self.fps = fps
        self.given = 0
        self.running = False

    def start(self) -> None:
        self.running = True

    def stop(self) -> None:
        self.running = False

    def frame(self, timeout_s: float) -> Frame | None:
        assert self.running
        assert timeout_s > 0
        if self.given >= len(self.pictures):
            return None
        self.given += 1
        return Frame(self.pictures[self.given - 1], self.given / self.fps)


def test_the_picture_is_the_mean_of_frames_in_which_nothing_moves() -> None:
    rng = np.random.default_rng(0)
    still = [np.clip(rng.normal(100, 6, (180, 320, 3)), 0, 255).astype(np.uint8) for _ in range(40)]
    moving = [frame.copy() for frame in still[:10]]
    for number, frame in enumerate(moving):
        frame[60:90, number * 20 : number * 20 + 30] = 200
    camera = Tray([*moving, *still])
    frame = still_picture(camera)
    assert frame.std() < 3
    assert not camera.running


def test_a_camera_without_a_still_tray_is_named() -> None:
    with pytest.raises(NoFramesError, match="unplugged: plug it in"):
        still_picture(Tray([], Degraded("unplugged", "plug it in")))
    rng = np.random.default_rng(0)
    restless = [rng.integers(0, 255, (90, 160, 3)).astype(np.uint8) for _ in range(40)]
    camera = Tray(restless, fps=2)
    with pytest.raises(NoFramesError, match="Something is moving"):
        still_picture(camera)
    assert not camera.running


@pytest.mark.slow
def test_the_simulated_table_is_a_good_rig(tmp_path: Path, capsys: Captured) -> None:
    assert main(["calibrate", "--simulated", "1", "--out", str(tmp_path)]) == 0
    assert "NO" not in capsys.readouterr().out
    assert load_calibration(tmp_path) is not None
