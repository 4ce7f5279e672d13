"""What dice told of the focal length outlives a restart, but no new calibration and no damaged file."""

from __future__ import annotations

import threading
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from common import texts
from dicetable.eye import rig
from dicetable.eye.operator_view import look_at_rig
from dicetable.eye.rig import Calibration, KeptFocal, load_calibration, save_lens
from dicetable.eye.wizards import Wizards
from tests.vision.tray.poses import SHAPE, VIEW, seen, tray_of, usual
from vision.nets import load_nets
from vision.reading import SeenTop
from vision.recognition.classifiers import DieClassifier
from vision.tray.camera import Lens, intrinsics
from vision.tray.tracking import TrayWatch

if TYPE_CHECKING:
    from pathlib import Path

TOPS = [SeenTop((x, y), (0.3 * (x - 640) / 640, 0.0), 0.02) for x in (100.0, 1180.0) for y in (200.0, 500.0)]
ELSEWHERE = [top._replace(pixel=(top.pixel[0], top.pixel[1] + 60)) for top in TOPS]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    Calibration(usual(), seen(VIEW)).save(tmp_path)
    return tmp_path


def started(folder: Path) -> tuple[TrayWatch, KeptFocal]:
    """The tray as the eye tracks it after a start, and what is kept."""
    known = load_calibration(folder)
    assert known is not None
    place = TrayWatch(known.tray)
    return place, KeptFocal(folder, place)


def read(place: TrayWatch, focal: KeptFocal, tops: list[SeenTop], time_s: float) -> None:
    place.learn_camera(tops, SHAPE)
    focal.saw(place, time_s)
    for thread in threading.enumerate():
        if thread.name == "focal":
            thread.join()


def taught(folder: Path) -> TrayWatch:
    place, focal = started(folder)
    read(place, focal, TOPS, 10.0)
    return place


def test_a_restart_keeps_it_and_does_not_count_the_same_dice_again(folder: Path) -> None:
    told = taught(folder).tray
    place, _ = started(folder)
    assert told is not None
    assert told.focal is not None
    assert place.tray is place.first
    assert place.tray is not None
    assert place.tray.focal == pytest.approx(told.focal, abs=1e-4)
    kept = place.tray.focal
    place.learn_camera(TOPS, SHAPE)
    assert place.tray.focal == kept
    place.learn_camera(ELSEWHERE, SHAPE)
    assert place.tray.focal != kept


def test_a_new_calibration_forgets_it(folder: Path) -> None:
    taught(folder)
    Calibration(tray_of(seen(VIEW, seed=1)), seen(VIEW, seed=1)).save(folder)
    place, focal = started(folder)
    assert place.tray is not None
    assert place.tray.focal is None
    read(place, focal, ELSEWHERE, 10.0)
    assert started(folder)[0].tray.focal is not None  # type: ignore[union-attr]


def test_a_new_calibration_on_the_operator_page_forgets_it(folder: Path) -> None:
    place, focal = started(folder)
    read(place, focal, TOPS, 10.0)
    eye = watching(place, focal)
    wizards = Wizards(eye, folder, None)
    wizards.findings = look_at_rig(seen(VIEW, seed=1))
    assert wizards.findings.tray is not None
    assert wizards.keep_rig({}) == ({"kept": str(folder)}, b"")
    assert eye.observer.place.tray.focal is None
    read(eye.observer.place, eye.focal, ELSEWHERE, 11.0)
    assert started(folder)[0].tray.focal is not None  # type: ignore[union-attr]


def test_a_calibration_is_put_back_with_its_picture_and_what_dice_have_shown(folder: Path) -> None:
    place, focal = started(folder)
    read(place, focal, TOPS, 10.0)
    shown = started(folder)[0].tray.focal  # type: ignore[union-attr]
    assert shown is not None
    eye = watching(place, focal)
    wizards = Wizards(eye, folder, None)
    wizards.findings = look_at_rig(seen(VIEW, seed=1))
    wizards.keep_rig({})
    newer = (folder / "empty.png").read_bytes()
    assert eye.observer.place.tray.focal is None
    assert "rig" in wizards.put_back("rig", {})[0]
    assert eye.observer.place.tray.focal == shown
    assert (folder / "empty.png").read_bytes() != newer
    assert "rig" in wizards.put_back("rig", {})[0]
    assert eye.observer.place.tray.focal is None
    assert (folder / "empty.png").read_bytes() == newer


def test_a_new_calibration_on_the_operator_page_keeps_to_the_calibrated_lens(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    save_lens(Lens(intrinsics(900.0, SHAPE), np.zeros(5), SHAPE[:2], 0.1, 0.01), folder)
    eye = watching(TrayWatch(usual()))
    wizards = Wizards(eye, folder, None)
    monkeypatch.setattr(wizards, "still", lambda: seen(VIEW, seed=1))
    assert wizards.rig({})[0]["usable"]
    assert wizards.keep_rig({}) == ({"kept": str(folder)}, b"")
    assert eye.observer.place.tray.camera(SHAPE).focal_px == 900.0


def test_a_lens_that_cannot_be_used_is_named_on_the_operator_page(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "lens.json").write_text("{")
    wizards = Wizards(watching(TrayWatch(usual())), folder, None)
    monkeypatch.setattr(wizards, "still", lambda: seen(VIEW, seed=1))
    assert "lens.json" in wizards.rig({})[0]["error"]
    assert wizards.keep_rig({}) == ({"error": texts.operator.LOOK_FIRST}, b"")


def watching(place: TrayWatch, focal: KeptFocal | None = None) -> Any:
    """An eye that watches the tray there."""
    nets = load_nets()
    classifier = DieClassifier(nets.die)
    reader = SimpleNamespace(nets=nets, dice=classifier, face=None)
    observer = SimpleNamespace(place=place, enrolled=None, progress=None, reader=reader, damage=None)
    return SimpleNamespace(observer=observer, focal=focal)


def test_a_calibrated_lens_wins(folder: Path) -> None:
    taught(folder)
    matrix = intrinsics(900.0, SHAPE)
    save_lens(Lens(matrix, np.zeros(5), SHAPE[:2], 0.1, 0.01), folder)
    place, focal = started(folder)
    assert place.tray is not None
    assert place.tray.focal is None
    assert place.tray.camera(SHAPE).focal_px == 900.0
    before = (folder / "focal.json").read_bytes()
    read(place, focal, ELSEWHERE, 10.0)
    assert (folder / "focal.json").read_bytes() == before


@pytest.mark.parametrize("content", ["{", "[" * 5000, '{"version":1}', '{"sides":NaN}', "x" * 30_000])
def test_a_damaged_file_is_said_in_the_log_and_replaced(
    folder: Path, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "focal.json").write_text(content)
    place, focal = started(folder)
    assert "focal=unusable" in caplog.text
    assert place.tray is not None
    assert place.tray.focal is None
    read(place, focal, TOPS, 10.0)
    assert started(folder)[0].tray.focal is not None  # type: ignore[union-attr]


def test_a_calibration_that_may_not_be_read_is_unusable(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> Any:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("pathlib.Path.exists", refused)
    monkeypatch.setattr(rig, "read_file", refused)
    with pytest.raises(rig.CalibrationError, match="cannot be read: Permission denied"):
        load_calibration(folder)
    KeptFocal(folder, TrayWatch(usual()))


def test_it_is_written_seldom(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written = []
    monkeypatch.setattr(rig, "save_focal", lambda focal, *_: written.append(focal))
    place, focal = started(folder)
    read(place, focal, TOPS, 10.0)
    assert written == [place.tray.focal]  # type: ignore[union-attr]
    read(place, focal, ELSEWHERE, 609.0)
    assert len(written) == 1
    focal.saw(place, 611.0)
    assert written[1:] == [place.tray.focal]  # type: ignore[union-attr]
    focal.saw(place, 1212.0)  # nothing new
    assert len(written) == 2


def test_a_folder_that_cannot_be_written_stops_nothing(
    folder: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (folder / "focal.json").mkdir()
    place, focal = started(folder)
    read(place, focal, TOPS, 10.0)
    assert "focal=unwritable" in caplog.text
