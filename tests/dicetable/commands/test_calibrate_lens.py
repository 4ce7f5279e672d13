"""`dicetable calibrate --lens`: the lens is saved, and later used for the tray."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import cv2
import numpy as np
import pytest

from dicetable.__main__ import main
from dicetable.eye.rig import CalibrationError, load_calibration, load_lens
from dicetable.eye.stills import VIEWS, new_views
from hardware.ports import Frame
from tests.vision.tray.poses import VIEW, seen
from tests.vision.tray.sheets import SHAPE, photographs

if TYPE_CHECKING:
    from pathlib import Path

Captured = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def sheets(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    folder = tmp_path_factory.mktemp("sheets")
    for number, picture in enumerate(photographs()[:12]):
        assert cv2.imwrite(str(folder / f"{number:02}.png"), picture)
    return [str(path) for path in sorted(folder.iterdir())]


def test_photographs_of_the_sheet_calibrate_the_lens(
    sheets: list[str], tmp_path: Path, capsys: Captured
) -> None:
    assert main(["calibrate", "--lens", "--photo", *sheets, "--out", str(tmp_path), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["focal_px"] == pytest.approx(825, rel=0.01)
    assert told["reprojection_error_px"] < 0.5
    lens = load_lens(tmp_path, SHAPE)
    assert lens is not None
    assert lens.matrix[0, 0] == pytest.approx(told["focal_px"], abs=0.1)
    with pytest.raises(CalibrationError, match="960x540, not 1280x720"):
        load_lens(tmp_path, (720, 1280, 3))


def test_a_calibrated_tray_is_seen_through_the_lens(tmp_path: Path, capsys: Captured) -> None:
    lens = '{"version":1,"width_px":1280,"height_px":720,"focal_px":[1900,1900],"centre_px":[639.5,359.5],'
    (tmp_path / "lens.json").write_text(lens + '"distortion":[0,0,0,0,0],"error_px":0.1,"focal_error":0.001}')
    tray = tmp_path / "tray.png"
    assert cv2.imwrite(str(tray), seen(VIEW))
    assert main(["calibrate", "--photo", str(tray), "--out", str(tmp_path)]) == 0
    known = load_calibration(tmp_path)
    assert known is not None
    assert known.tray.camera((720, 1280, 3)).focal_px == 1900
    (tmp_path / "lens.json").write_text("{}")
    assert main(["calibrate", "--photo", str(tray), "--out", str(tmp_path)]) == 1
    assert "lens.json is damaged; run `dicetable calibrate --lens` again" in capsys.readouterr().err
    with pytest.raises(CalibrationError, match=r"lens\.json is damaged"):
        load_calibration(tmp_path)


def test_the_camera_s_views_are_held_still_and_unlike_those_before() -> None:
    first, second = photographs(2, seed=3)
    pictures = [first, second, second, first, first, first, second, second]
    frames = (Frame(np.dstack([p] * 3), float(i)) for i, p in enumerate(pictures))
    assert len(list(new_views(frames))) == 2
    assert VIEWS > 8


def test_nothing_new_for_a_minute_ends_the_wait() -> None:
    picture = np.zeros((120, 160, 3), np.uint8)
    taken = []

    def frames() -> object:
        for second in range(1000):
            taken.append(second)
            yield Frame(picture, float(second))

    assert list(new_views(frames())) == []  # type: ignore[arg-type]
    assert 60 <= len(taken) < 70


@pytest.mark.parametrize(
    ("args", "code", "says"),
    [
        (["--lens", "--simulated", "1"], 2, "has no distortion"),
        (["--lens", "--photo", "nowhere.png"], 1, "nowhere.png"),
        (["--photo", "a.png", "b.png"], 2, "name one photograph"),
        (["--lens", "--photo", "a.png", "--picture", "b.png"], 2, "draws no picture"),
    ],
)
def test_mistakes_are_told_in_a_line(args: list[str], code: int, says: str, capsys: Captured) -> None:
    assert main(["calibrate", *args]) == code
    (line,) = capsys.readouterr().err.splitlines()
    assert says in line


def test_photographs_without_the_sheet_are_not_enough(tmp_path: Path, capsys: Captured) -> None:
    picture = tmp_path / "grey.png"
    assert cv2.imwrite(str(picture), np.full((240, 320, 3), 90, np.uint8))
    assert main(["calibrate", "--lens", "--photo", str(picture)]) == 1
    output = capsys.readouterr()
    assert "grey.png: the sheet is not seen" in output.out
    assert "the lens sheet is seen in 0 pictures, 8 are needed" in output.err
