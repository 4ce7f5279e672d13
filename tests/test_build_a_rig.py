"""docs/build-a-rig.md, the example configs and `dicetable calibrate` agree with each other."""

from __future__ import annotations

import re
from math import radians, tan
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from dicetable.config.camera import PiCamera, UsbCamera
from dicetable.config.file import Config, load
from dicetable.config.panel import PinsSection, SerialPanelSection
from dicetable.eye.operator_view import LEAST_PX_PER_MM
from hardware.pi_camera import SensorMode, best_mode, picture_area, pixels_across
from hardware.ports import CONTROLS, LAMPS

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
PAGE = (ROOT / "docs" / "build-a-rig.md").read_text(encoding="utf-8")
BUILDS = ("two-seats", "four-seats", "eight-seats")
CAMERAS = {
    "two-seats": "Camera Module 3, standard",
    "four-seats": "Logitech C920",
    "eight-seats": "HQ Camera, zoom lens at 9 mm",
}
TRAY_MM = (250, 140)
IMX708 = [
    SensorMode((1536, 864), 10, 120.1, (768, 432, 3072, 1728)),
    SensorMode((2304, 1296), 10, 56.0, (0, 0, 4608, 2592)),
    SensorMode((4608, 2592), 10, 14.3, (0, 0, 4608, 2592)),
]
"""Of the Camera Module 3, as rpicam-hello --list-cameras lists them."""
IMX477 = [
    SensorMode((1332, 990), 10, 120.0, (696, 528, 2664, 1980)),
    SensorMode((2028, 1080), 12, 50.0, (0, 440, 4056, 2160)),
    SensorMode((2028, 1520), 12, 40.0, (0, 0, 4056, 3040)),
    SensorMode((4056, 3040), 12, 10.0, (0, 0, 4056, 3040)),
]
"""Of the HQ Camera."""


def rows(*heading: str) -> Iterator[list[str]]:
    """The rows of the one table whose heading begins so."""
    _, _, table = PAGE.partition(f"| {' | '.join(heading)} |")
    assert table, heading
    for line in table.splitlines()[2:]:
        if not line.startswith("|"):
            return
        yield [cell.strip() for cell in line.strip("|").split("|")]


def lenses() -> dict[str, list[str]]:
    return {row[0]: row[1:] for row in rows("camera", "lens sees across")}


def example(build: str) -> Config:
    return load(ROOT / "examples" / f"{build}.toml")


def crop_of(config: Config) -> list[float]:
    return config.camera.crop if isinstance(config.camera, PiCamera) else [0, 0, 1, 1]


def size_px(config: Config) -> tuple[int, int]:
    assert isinstance(config.camera, PiCamera | UsbCamera)
    return config.camera.width_px, config.camera.height_px


@pytest.mark.parametrize("camera", lenses())
def test_what_a_camera_sees_follows_from_its_lens_and_height(camera: str) -> None:
    lens, used, size, height, sees, px_per_mm = lenses()[camera]
    wide_px, tall_px = map(int, size.split(" × "))
    height_mm, angle = float(height.removesuffix(" cm")) * 10, radians(float(lens.removesuffix("°")))
    across_mm = 2 * height_mm * tan(angle / 2) * float(used)
    deep_mm = across_mm * tall_px / wide_px
    assert sees == f"{across_mm:.0f} × {deep_mm:.0f} mm"
    assert px_per_mm == f"{wide_px / across_mm:.1f}"
    assert float(px_per_mm) > LEAST_PX_PER_MM
    assert across_mm > TRAY_MM[0] + 20
    assert deep_mm > TRAY_MM[1] + 20


def test_the_least_resolution_is_that_of_calibrate() -> None:
    assert f"must be at least {LEAST_PX_PER_MM}" in PAGE


@pytest.mark.parametrize("build", BUILDS)
def test_the_config_of_a_build_has_the_resolution_that_its_camera_needs(build: str) -> None:
    _, used, size, height, _, px_per_mm = lenses()[CAMERAS[build]]
    assert float(used) == crop_of(example(build))[2]
    assert size == "{} × {}".format(*size_px(example(build)))
    text = (ROOT / "examples" / f"{build}.toml").read_text(encoding="utf-8")
    assert re.search(rf"# {height} above the tray.*: {px_per_mm} pixels to a millimetre", text)


@pytest.mark.parametrize(("build", "modes"), [("two-seats", IMX708), ("eight-seats", IMX477)])
def test_the_sensor_modes_are_those_that_the_driver_takes(build: str, modes: list[SensorMode]) -> None:
    config = example(build)
    assert isinstance(config.camera, PiCamera)
    left, top, width, height = crop_of(config)
    area = picture_area(modes, size_px(config), (left, top, width, height))
    mode = best_mode(modes, area, size_px(config), config.camera.frames_per_s)
    camera = CAMERAS[build].partition(",")[0]
    (words,) = re.findall(rf"^- \*\*{camera}\*\*(.*?)(?=^- )", PAGE, re.MULTILINE | re.DOTALL)
    assert re.findall(r"\d+ × \d+", words)[0] == "{} × {}".format(*mode.size)
    assert pixels_across(mode, area) > 0.98 * config.camera.width_px


def test_the_totals_of_the_three_builds_are_the_sums_of_their_parts() -> None:
    *parts, totals = rows("part", "which", "price")
    for column, build in enumerate(BUILDS, start=3):
        total = sum(int(price) * int(row[column] or 0) for row in parts if (price := row[2]))
        assert totals[column] == f"**{total}**", build


@pytest.mark.parametrize("build", BUILDS)
def test_a_build_has_the_buttons_and_lamps_that_its_config_names(build: str) -> None:
    panel = example(build).panel
    assert isinstance(panel, PinsSection | SerialPanelSection)
    column = 3 + BUILDS.index(build)
    wanted = {row[0]: int(row[column] or 0) for row in list(rows("part", "which", "price"))[:-1]}
    assert wanted["button"] == len(panel.wiring.controls)
    assert wanted["LED and resistor"] + wanted["lamp"] == len(panel.wiring.lamps)
    assert wanted["button chip"] * 8 >= len(panel.wiring.controls) * (build != "two-seats")
    assert wanted["dice cup"] == example(build).table.seats


def test_the_whole_board_is_in_the_largest_build() -> None:
    panel = example("eight-seats").panel
    assert isinstance(panel, SerialPanelSection)
    assert set(panel.wiring.controls) == set(CONTROLS)
    assert panel.wiring.lamps == {name: number for number, name in enumerate(LAMPS)}


def test_the_pins_are_those_of_the_config() -> None:
    panel = example("two-seats").panel
    assert isinstance(panel, PinsSection)
    pins = {row[0]: [int(pin) for pin in row[1].split(", ") if pin.isdigit()] for row in rows("what", "GPIO")}
    controls, lamps = panel.wiring.controls, panel.wiring.lamps
    for seat in ("seat1", "seat2"):
        told = [controls[f"{seat}.{key}"] for key in ("minus", "plus", "ok")]
        assert pins[f"seat {seat[-1]} −, +, OK"] == told
    assert pins["menu"] == [controls["table.menu"]]
    assert pins["lamps of seat 1, seat 2, table"] == [lamps["seat1"], lamps["seat2"], lamps["table"]]
    drawn = (ROOT / "docs" / "images" / "pins-wiring.svg").read_text(encoding="utf-8")
    for pin in lamps.values():
        assert f">GPIO {pin} (" in drawn
