"""Finds what lies on a plain tray, die or not, so that something unread is not overlooked.

Against a picture of the empty tray if there is one, else against the tray's own even colour. On a floor too
busy to tell things from, it finds nothing. Says nothing of what the things are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.reading import Box, Image
    from vision.settings import ForegroundSettings

Area: TypeAlias = npt.NDArray[np.bool_]
LEAST_PX = 16
"""Shorter side of the small frame below which no foreground is found."""


class Difference(NamedTuple):
    """A frame against the floor, small.

    Attributes:
        off: how far each pixel is off (largest channel).
        scale: pixels of it per pixel of the frame.
        frame: the frame, small.
        floor: the floor, of the same size.
    """

    off: Image
    scale: float
    frame: Image
    floor: Image


def difference(frame: Image, settings: ForegroundSettings, background: Image | None = None) -> Difference:
    """How far a frame (uint8, H×W×3 BGR) differs from the empty tray, or from its own even floor.

    `background` is the same view without things, of any size; None if there is no such picture.
    """
    scale = min(1.0, settings.longest_px / max(frame.shape[:2]))
    small = downsampled(frame, (max(1, round(frame.shape[1] * scale)), max(1, round(frame.shape[0] * scale))))
    floor = (
        downsampled(background, (small.shape[1], small.shape[0]))
        if background is not None
        else own_floor(small)
    )
    return Difference(largest(cv2.absdiff(small, floor)), scale, small, floor)


def find_foreground(difference: Difference, settings: ForegroundSettings) -> list[Box]:
    """Boxes of compact things on the floor, in pixels of the frame.

    What the frame cuts is no such thing, but something whose shadow reaches as far may be one.
    """
    off = difference.off
    if min(off.shape[:2]) < LEAST_PX:
        return []
    mask = np.asarray(off > settings.step, np.bool_)
    if np.median(off) > settings.busy or mask.mean() > settings.most_covered:
        return []
    boxes, cut = compact(mask, settings)
    if cut.any():
        boxes += compact(cut & things(difference, settings), settings)[0]
    scale = difference.scale
    return [(round(x / scale), round(y / scale), round(w / scale), round(h / scale)) for x, y, w, h in boxes]


def compact(mask: Area, settings: ForegroundSettings) -> tuple[list[Box], Area]:
    """The boxes of the compact things in a small mask, and where the frame cuts things."""
    opened = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(opened)
    boxes: list[Box] = []
    cut: list[int] = []
    for label, (x, y, w, h, area) in enumerate(stats.tolist()[1:], 1):
        if x == 0 or y == 0 or x + w == mask.shape[1] or y + h == mask.shape[0]:
            cut.append(label)
        elif (
            area >= settings.least_area
            and area >= settings.filled * w * h
            and max(w, h) <= settings.elongated * min(w, h)
        ):
            boxes.append((x, y, w, h))
    return boxes, np.asarray(np.isin(labels, cut), np.bool_)


def beside(difference: Difference, settings: ForegroundSettings, boxes: Sequence[Box]) -> list[Box]:
    """Boxes of compact things that touch those `boxes` and are about as large, in pixels of the frame."""
    if not boxes or min(difference.off.shape[:2]) < LEAST_PX:
        return []
    scale = difference.scale
    left = things(difference, settings)
    for x, y, w, h in boxes:
        fill(left, (x, y, w, h), scale, to=False)
    found, _ = compact(left, settings)
    sides = [min(w, h) * scale for _, _, w, h in boxes]
    found = [box for box in found if min(box[2:]) >= settings.beside * min(sides)]
    return [(round(x / scale), round(y / scale), round(w / scale), round(h / scale)) for x, y, w, h in found]


def changed_mask(difference: Difference, settings: ForegroundSettings) -> Area:
    """Where anything differs from the floor, and near it; bool, small."""
    around = np.ones((settings.changed_px, settings.changed_px), np.uint8)
    mask = np.asarray(difference.off > settings.changed_step, np.uint8)
    return np.asarray(cv2.dilate(mask, around), np.bool_)


def may_be_shadow(difference: Difference, box: Box, settings: ForegroundSettings) -> bool:
    """Whether what changed in a box of the frame is the floor in a shadow."""
    x, y, w, h = (round(number * difference.scale) for number in box)
    there = (slice(y, y + h), slice(x, x + w))
    changed = difference.off[there] > settings.step
    if not changed.any():
        return False
    now, before = (image[there][changed].astype(float) for image in (difference.frame, difference.floor))
    parts = now.mean(0) / np.maximum(before.mean(0), 1.0)
    darkest, brightest = settings.shadow
    dimmed = bool(
        darkest < parts.min() and parts.max() < brightest and np.ptp(parts) < settings.shadow_spread
    )
    return dimmed and not bool((now > before + settings.step).any())


def things(difference: Difference, settings: ForegroundSettings) -> Area:
    """Where the frame differs from the floor and is not the floor in a shadow; bool, small."""
    parts = difference.frame / np.maximum(difference.floor, 1.0)
    least, most = parts.min(axis=2), parts.max(axis=2)
    darkest, brightest = settings.shadow
    shadow = (darkest < least) & (most < brightest) & (most - least < settings.shadow_spread)
    return np.asarray((difference.off > settings.step) & ~shadow, np.bool_)


def fill(area: Area, box: Box, scale: float, *, to: bool = True) -> None:
    """Sets the area, small by that scale, in a box of the frame."""
    x, y, w, h = (round(side * scale) for side in box)
    area[max(0, y) : max(0, y + h), max(0, x) : max(0, x + w)] = to


def part_of(area: Area, box: Box, scale: float) -> float:
    """The part of a box of the frame, 0 … 1, in which the area, small by that scale, is set."""
    x, y, w, h = (round(side * scale) for side in box)
    there = area[max(0, y) : y + h, max(0, x) : x + w]
    return float(there.mean()) if there.size else 0.0


def changed_part(frame: Image, background: Image, box: Box, step: int) -> float:
    """The part of a box, 0 … 1, that differs from the empty tray (of any size) by over `step` grey levels."""
    x, y, w, h = box
    rows, rows_before = stretch(y, h, frame.shape[0], background.shape[0])
    columns, columns_before = stretch(x, w, frame.shape[1], background.shape[1])
    before = background[rows_before, columns_before]
    now = downsampled(frame[rows, columns], (before.shape[1], before.shape[0]))
    return float(np.mean(largest(cv2.absdiff(now, before)) > step))


def stretch(start: int, length: int, now: int, before: int) -> tuple[slice, slice]:
    """A part of a side of `now` pixels, and of the same side in `before`: whole pixels of the latter."""
    scale = before / now
    first = min(int(start * scale), before - 1)
    last = max(first + 1, int((start + length) * scale))
    begin = min(round(first / scale), now - 1)
    return slice(begin, max(begin + 1, round(last / scale))), slice(first, last)


def largest(levels: npt.ArrayLike) -> Image:
    """The largest of each pixel's three channels."""
    blue, green, red = cv2.split(np.asarray(levels, np.uint8))
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


def downsampled(image: Image, size: tuple[int, int]) -> Image:
    """The image in that width and height."""
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def own_floor(small: Image) -> Image:
    """The floor as the median of a wide neighbourhood, which things do not fill."""
    side = min(small.shape[:2]) // 2 | 1
    return np.asarray(cv2.medianBlur(small, min(side, 121)), np.uint8)
