"""Which part of a sensor becomes the picture, and in which sensor mode it is read.

A sensor reads all of its pixels slowly, or a binned or cropped part of them faster. By default a camera
often chooses a mode that covers only the middle, so that the tray's ends are missing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Rectangle: TypeAlias = tuple[int, int, int, int]
"""Left, top, width and height in pixels of the whole sensor."""
Parts: TypeAlias = tuple[float, float, float, float]
"""Left, top, width and height as fractions of the whole field of view, 0 to 1."""

WHOLE: Parts = (0.0, 0.0, 1.0, 1.0)
NEARLY = 0.98
"""The fraction of the wanted size or rate that is enough: modes crop a few pixels, and rates are rounded."""


@dataclass(frozen=True, slots=True)
class SensorMode:
    """A sensor mode.

    Attributes:
        size: width and height of its output, in pixels.
        bit_depth: bits of a raw pixel.
        frames_per_s: its highest frame rate.
        area: the part of the sensor that it covers.
    """

    size: tuple[int, int]
    bit_depth: int
    frames_per_s: float
    area: Rectangle


def modes_of(told: Iterable[dict[str, Any]]) -> list[SensorMode]:
    """The modes in picamera2's `sensor_modes`, without those with missing fields."""
    needed = {"size", "bit_depth", "fps", "crop_limits"}
    return [
        SensorMode(tuple(mode["size"]), mode["bit_depth"], mode["fps"], tuple(mode["crop_limits"]))
        for mode in told
        if needed <= mode.keys() and min(mode["size"]) > 0 and min(mode["crop_limits"][2:]) > 0
    ]


def picture_area(modes: Sequence[SensorMode], size: tuple[int, int], crop: Parts = WHOLE) -> Rectangle:
    """The largest rectangle of the picture's shape in the middle of the crop, without distortion."""
    left, top, width, height = max((mode.area for mode in modes), key=lambda area: area[2] * area[3])
    x, y = left + crop[0] * width, top + crop[1] * height
    width, height = int(crop[2] * width), int(crop[3] * height)
    wide = min(width, height * size[0] / size[1])
    high = min(height, width * size[1] / size[0])
    return even(x + (width - wide) / 2), even(y + (height - high) / 2), even(wide), even(high)


def even(pixels: float) -> int:
    """The next lower even number: colour filters come in squares of two by two pixels."""
    return int(pixels / 2) * 2


def best_mode(
    modes: Sequence[SensorMode], area: Rectangle, size: tuple[int, int], frames_per_s: float
) -> SensorMode:
    """The smallest mode that covers the area, is fast enough and has enough pixels, in this order."""
    seeing = [mode for mode in modes if seen(mode, area) >= NEARLY]
    best = seeing or [max(modes, key=lambda mode: seen(mode, area))]
    fast = [mode for mode in best if mode.frames_per_s >= NEARLY * frames_per_s]
    best = fast or [mode for mode in best if mode.frames_per_s == max(other.frames_per_s for other in best)]
    sharp = [mode for mode in best if pixels_across(mode, area) >= NEARLY * size[0]]
    if sharp:
        return min(sharp, key=lambda mode: (mode.size, -mode.bit_depth))
    return max(best, key=lambda mode: (mode.size, mode.bit_depth))


def seen(mode: SensorMode, area: Rectangle) -> float:
    """The fraction of an area that a mode covers, 0 to 1."""
    left, top, width, height = mode.area
    wide = min(left + width, area[0] + area[2]) - max(left, area[0])
    high = min(top + height, area[1] + area[3]) - max(top, area[1])
    return max(wide, 0) * max(high, 0) / (area[2] * area[3])


def pixels_across(mode: SensorMode, area: Rectangle) -> float:
    """The number of a mode's pixels across an area."""
    return area[2] * mode.size[0] / mode.area[2]
