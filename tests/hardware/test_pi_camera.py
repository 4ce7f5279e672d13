"""The Pi camera with a stand-in for picamera2: locked settings, deadlines, and no leaks."""

from __future__ import annotations

import time
from typing import Any

import pytest

from hardware.capture import CaptureCamera
from hardware.errors import DeviceError
from hardware.pi_camera import PiSettings, PiSource, pi_camera
from hardware.ports import Degraded, SystemClock
from tests.hardware.fake_picamera2 import MODULE_2, MODULE_3, SIZE, FakePicamera2Library

SETTINGS = PiSettings(*SIZE)
HANGING_S = 300  # bounds what hangs; nothing here measures time


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
        "ScalerCrop": (576, 0, 3456, 2592),
    }
    opened.close()
    assert library.opened == 0


def test_the_focus_is_locked_though_nothing_is_said_of_it(library: FakePicamera2Library) -> None:
    opened = source(library)
    opened.open()
    controls = library.configuration["controls"]
    assert (controls["AfMode"], controls["LensPosition"]) == (0, 2.3)
    opened.close()


def test_a_lens_that_has_no_focus_is_told(library: FakePicamera2Library) -> None:
    library.controls = library.controls[:-2]
    opened = source(library, PiSettings(*SIZE, focus_dioptres=2.5))
    assert opened.open() == ["its lens has no motor: focus it by hand"]
    opened.close()


@pytest.mark.parametrize(
    ("modes", "settings", "chosen", "area", "notes"),
    [
        (MODULE_3, PiSettings(), (2304, 1296), (0, 0, 4608, 2592), []),
        (MODULE_3, PiSettings(1920, 1080), (2304, 1296), (0, 0, 4608, 2592), []),
        (
            MODULE_3,
            PiSettings(960, 540, crop=(0.25, 0.25, 0.5, 0.5)),
            (1536, 864),
            (1152, 648, 2304, 1296),
            [],
        ),
        (MODULE_2, PiSettings(), (1640, 1232), (0, 308, 3280, 1844), []),
        (MODULE_2, PiSettings(1920, 1080), (1640, 1232), (0, 308, 3280, 1844), ["1640 pixels across"]),
        (MODULE_2, PiSettings(1920, 1080, 20), (3280, 2464), (0, 308, 3280, 1844), []),
        (MODULE_2, PiSettings(frames_per_s=100), (1640, 1232), (0, 308, 3280, 1844), ["84 frames/s"]),
    ],
)
def test_the_whole_field_of_view_is_read_before_all_else(
    library: FakePicamera2Library,
    modes: list[dict[str, Any]],
    settings: PiSettings,
    chosen: tuple[int, int],
    area: tuple[int, int, int, int],
    notes: list[str],
) -> None:
    library.sensor_modes = modes
    opened = source(library, settings)
    said = opened.open()
    assert library.configuration["sensor"]["output_size"] == chosen
    assert library.configuration["controls"]["ScalerCrop"] == area
    assert library.newest is not None
    assert library.newest.set_after_start == {"ScalerCrop": area}
    assert len(said) == len(notes)
    assert all(note in told for note, told in zip(notes, said, strict=True))
    opened.close()


def test_of_two_modes_that_do_the_deeper_one_is_taken(library: FakePicamera2Library) -> None:
    library.sensor_modes = MODULE_2
    opened = source(library, PiSettings())
    opened.open()
    assert library.configuration["sensor"] == {"output_size": (1640, 1232), "bit_depth": 10}
    opened.close()


def test_a_camera_that_tells_no_modes_works_too(library: FakePicamera2Library) -> None:
    library.sensor_modes = [{"format": "MJPEG"}]
    opened = source(library)
    assert opened.open() == ["it does not list its modes, so it chooses its field of view itself"]
    assert library.configuration["sensor"] is None
    opened.close()


def test_a_long_exposure_makes_the_frames_longer() -> None:
    assert PiSettings(exposure_ms=50).controls()["FrameDurationLimits"] == (50_000, 50_000)


@pytest.mark.parametrize(("rotate_deg", "shape"), [(0, (48, 64, 3)), (90, (64, 48, 3)), (180, (48, 64, 3))])
def test_the_picture_is_turned(
    library: FakePicamera2Library, rotate_deg: int, shape: tuple[int, ...]
) -> None:
    opened = source(library, PiSettings(*SIZE, rotate_deg=rotate_deg))
    opened.open()
    assert opened.read()[0].shape == shape
    opened.close()


def test_a_library_built_for_another_numpy_says_what_helps(monkeypatch: pytest.MonkeyPatch) -> None:
    said = "numpy.dtype size changed, may indicate binary incompatibility. Expected 96 from C header, got 88"

    def broken(name: str) -> None:
        assert name == "picamera2"
        raise ValueError(said)

    monkeypatch.setattr("importlib.import_module", broken)
    camera = pi_camera(0, SETTINGS, SystemClock())
    camera.start()
    while camera.degraded is None:
        camera.frame(0.01)
    assert camera.degraded == Degraded(
        f"picamera2 cannot be loaded ({said})",
        "it needs Raspberry Pi OS 13 (trixie) or newer, or a USB camera",
    )
    camera.stop()


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
    with pytest.raises(DeviceError, match=r"no Pi camera 1 \(there: imx708\)"):
        source(library, number=1).open()


def test_a_camera_that_another_program_has(library: FakePicamera2Library) -> None:
    library.busy = True
    with pytest.raises(DeviceError, match="stop any other program that uses it"):
        source(library).open()


def test_a_silent_camera_is_given_up_at_the_deadline(library: FakePicamera2Library) -> None:
    opened = source(library)
    opened.open()
    library.hangs = True
    with pytest.raises(DeviceError, match="gave no frame"):
        opened.read()
    opened.close()
    assert library.opened == 0


def test_a_picture_that_cannot_be_had_is_given_back_all_the_same(library: FakePicamera2Library) -> None:
    opened = source(library)
    opened.open()
    library.breaks = True
    with pytest.raises(DeviceError, match="failed to find buffer"):
        opened.read()
    assert library.unreleased == 0
    opened.close()


def test_it_heals_when_the_ribbon_is_back(library: FakePicamera2Library) -> None:
    camera = CaptureCamera("Pi camera 0", lambda: source(library), SystemClock())
    camera.start()
    assert camera.frame(HANGING_S)
    library.plugged = False
    while camera.degraded is None:
        camera.frame(0.01)
    library.plugged = True
    while camera.frame(HANGING_S) is None:
        pass
    assert camera.degraded is None
    camera.stop()
    assert library.opened == 0


def test_nobody_is_told_to_pull_a_ribbon_of_a_pi_that_runs() -> None:
    assert pi_camera(0, SETTINGS, SystemClock()).last_resort == "switch the Pi off and check its ribbon"


def test_without_picamera2_the_camera_says_so() -> None:
    camera = pi_camera(0, SETTINGS, SystemClock())
    camera.start()
    while camera.degraded is None:
        camera.frame(0.01)
    assert camera.degraded.what.startswith("picamera2 cannot be loaded")
    assert "apt install python3-picamera2" in camera.degraded.remedy
    camera.stop()
