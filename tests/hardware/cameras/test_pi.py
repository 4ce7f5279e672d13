"""The Pi camera over a stand-in for picamera2: locked settings, deadlines, nothing that is not given back."""

from __future__ import annotations

import time

import pytest

from hardware.cameras.capture import CaptureCamera
from hardware.cameras.pi import PiSettings, PiSource, pi_camera
from hardware.cameras.source import SourceError
from hardware.system_clock import SystemClock
from tests.hardware.fake_picamera2 import SIZE, FakePicamera2Library

SETTINGS = PiSettings(*SIZE)
HANGING_S = 30  # bounds what hangs; nothing here measures time


@pytest.fixture
def library() -> FakePicamera2Library:
    return FakePicamera2Library()


def source(library: FakePicamera2Library, settings: PiSettings = SETTINGS, number: int = 0) -> PiSource:
    return PiSource(number, settings, lambda: library)


def test_everything_is_locked_in_libcameras_units(library: FakePicamera2Library) -> None:
    settings = PiSettings(*SIZE, frames_per_s=50, exposure_ms=8, focus_dioptres=2.5)
    opened = source(library, settings)
    assert opened.open() == []
    assert library.configuration["main"] == {"size": SIZE, "format": "RGB888"}
    assert library.configuration["controls"] == {
        "FrameDurationLimits": (20_000, 20_000),
        "AeEnable": False,
        "ExposureTime": 8000,
        "AnalogueGain": 2.0,
        "AwbEnable": False,
        "ColourGains": (1.8, 1.8),
        "AfMode": 0,
        "LensPosition": 2.5,
    }
    opened.close()
    assert library.opened == 0


def test_a_lens_that_has_no_focus_is_told(library: FakePicamera2Library) -> None:
    library.controls = library.controls[:-2]
    opened = source(library, PiSettings(*SIZE, focus_dioptres=2.5))
    assert opened.open() == ["it has no AfMode", "it has no LensPosition"]
    opened.close()


def test_a_frame_has_the_time_of_its_exposure(library: FakePicamera2Library) -> None:
    opened = source(library)
    opened.open()
    before_s = time.monotonic()
    pixels, time_s = opened.read()
    assert pixels.shape == (48, 64, 3)
    assert before_s - 0.021 <= time_s <= time.monotonic() - 0.019
    assert library.unreleased == 0
    opened.close()


def test_a_number_that_no_camera_has(library: FakePicamera2Library) -> None:
    with pytest.raises(SourceError, match=r"no Pi camera 1 \(there: imx708\)"):
        source(library, number=1).open()


def test_a_camera_that_another_program_has(library: FakePicamera2Library) -> None:
    library.busy = True
    with pytest.raises(SourceError, match="stop what else uses it"):
        source(library).open()


def test_a_silent_camera_is_given_up_at_the_deadline(library: FakePicamera2Library) -> None:
    opened = source(library)
    opened.open()
    library.hangs = True
    with pytest.raises(SourceError, match="gave no frame"):
        opened.read()
    opened.close()
    assert library.opened == 0


def test_a_picture_that_cannot_be_had_is_given_back_all_the_same(library: FakePicamera2Library) -> None:
    opened = source(library)
    opened.open()
    library.breaks = True
    with pytest.raises(SourceError, match="failed to find buffer"):
        opened.read()
    assert library.unreleased == 0
    opened.close()


def test_it_heals_when_the_ribbon_is_back(library: FakePicamera2Library) -> None:
    camera = CaptureCamera("Pi camera 0", lambda: source(library), SystemClock())
    camera.start()
    assert camera.frame(HANGING_S)
    library.plugged = False
    while camera.trouble is None:
        camera.frame(0.01)
    library.plugged = True
    while camera.frame(HANGING_S) is None:
        pass
    assert camera.trouble is None
    camera.stop()
    assert library.opened == 0


def test_without_picamera2_the_camera_says_so() -> None:
    camera = pi_camera(0, SETTINGS, SystemClock())
    camera.start()
    while camera.trouble is None:
        camera.frame(0.01)
    assert camera.trouble.what.startswith("picamera2 cannot be loaded")
    assert "apt install python3-picamera2" in camera.trouble.remedy
    camera.stop()
