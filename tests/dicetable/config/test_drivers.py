"""Every driver of the config makes a part."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, get_args

import pytest
from pydantic import TypeAdapter

from dicetable.config import drivers
from dicetable.config.camera import CameraSection
from dicetable.config.panel import PanelSection
from hardware.screen_panel import ScreenPanel
from hardware.simulated.clock import VirtualClock
from tests.dicetable.oddities import ODDITIES, put

BUTTONS = {f"seat1.{key}": f"gpio:{pin}" for key, pin in (("minus", 17), ("plus", 27), ("ok", 22))}
CAMERAS: dict[str, dict[str, Any]] = {
    "usb": {"device": "/dev/video99"},
    "pi": {},
    "folder": {"folder": "/nonexistent"},
    "video": {"file": "/nonexistent"},
    "phone": {},
    "simulated": {},
}
PANELS: dict[str, dict[str, Any]] = {
    "serial": {"device": "/dev/nonexistent"},
    "rpi": {"controls": BUTTONS | {"table.menu": "gpio:4"}},
    "keyboard": {},
    "simulated": {},
    "web": {},
}


def names_of_drivers(section: object) -> set[str]:
    sections = get_args(get_args(section)[0])
    return {get_args(each.model_fields["driver"].annotation)[0] for each in sections}


def test_every_driver_is_tried_here() -> None:
    assert (set(CAMERAS), set(PANELS)) == (names_of_drivers(CameraSection), names_of_drivers(PanelSection))


@pytest.mark.parametrize("driver", CAMERAS)
def test_every_camera(driver: str) -> None:
    section = TypeAdapter(CameraSection).validate_python({"driver": driver, **CAMERAS[driver]})
    camera = drivers.camera_of(section, VirtualClock())
    assert camera.frame(0.0) is None


@pytest.mark.parametrize("driver", PANELS)
def test_every_panel_has_the_screen_that_is_named(driver: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", SimpleNamespace(fileno=lambda: 0))
    settings = {"driver": driver, **PANELS[driver], "screen": "/dev/tty9"}
    section: Any = TypeAdapter(PanelSection).validate_python(settings)
    panel = drivers.panel_of(section, VirtualClock())
    assert isinstance(panel, ScreenPanel)
    assert panel.screen == Path("/dev/tty9")
    assert panel.only_display == (driver == "rpi")
    assert getattr(section, "note", "") == ""


@pytest.mark.parametrize("driver", sorted(set(PANELS) - {"keyboard"}))
def test_every_panel(driver: str) -> None:
    section = TypeAdapter(PanelSection).validate_python({"driver": driver, **PANELS[driver]})
    panel = drivers.panel_of(section, VirtualClock())
    assert list(panel.presses()) == []


@pytest.mark.parametrize(
    ("mains_hz", "exposure_ms", "steady_ms"),
    [(None, 8.0, 8.0), (50, 8.0, 10.0), (60, 8.0, 1000 / 120), (50, 26.0, 30.0), (60, 0.5, 1000 / 120)],
)
@pytest.mark.parametrize("driver", ["usb", "pi"])
def test_the_exposure_is_a_whole_number_of_flickers(
    monkeypatch: pytest.MonkeyPatch, driver: str, mains_hz: int | None, exposure_ms: float, steady_ms: float
) -> None:
    settings = {"driver": driver, **CAMERAS[driver], "exposure_ms": exposure_ms, "mains_hz": mains_hz}
    section = TypeAdapter(CameraSection).validate_python(settings)
    made: list[Any] = []
    monkeypatch.setattr(f"hardware.{driver}_camera.{driver}_camera", lambda *args: made.append(args[1]))
    drivers.camera_of(section, VirtualClock())
    assert made[0].exposure_ms == pytest.approx(steady_ms)


def test_a_pi_camera_is_told_its_crop_and_how_it_is_mounted(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = {"driver": "pi", "crop": [0.1, 0.2, 0.5, 0.5], "rotate_deg": 180, "mirror": True}
    section = TypeAdapter(CameraSection).validate_python(settings)
    made: list[Any] = []
    monkeypatch.setattr("hardware.pi_camera.pi_camera", lambda *args: made.append(args[1]))
    drivers.camera_of(section, VirtualClock())
    assert (made[0].crop, made[0].rotate_deg, made[0].mirror) == ((0.1, 0.2, 0.5, 0.5), 180, True)


@pytest.mark.parametrize("oddity", ODDITIES)
def test_what_lies_in_place_of_the_phones_file_holds_up_no_phone(tmp_path: Path, oddity: str) -> None:
    path = tmp_path / drivers.PHONES
    put(path, oddity)
    claims = drivers.web_panel_of(VirtualClock(), 2, tmp_path).claims
    codes = claims.codes(0.0)
    token, seats = claims.claim(codes[1], "", 0.0)
    assert token
    assert set(seats) == {1}
    assert path.exists() == (oddity != "dangling link")
