"""Finds what lies on a plain tray, die or not, so that something unread is not overlooked.

Against a picture of the empty tray if there is one, else against the tray's own even colour. On a floor too
busy for that, it finds nothing. Does not say what the things are.
"""

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision.reading import Box, Image

LONGEST_PX: Final = 320
"""Longer side of the small frame that is compared. Larger: smaller things, more noise."""
STEP: Final = 26
"""Grey levels (largest channel) by which a thing differs from the floor. Lower: shadows are things too."""
CHANGED_STEP: Final = 12
"""Grey levels by which a region of interest differs from the empty tray of a calibrated rig. Lower: slower;
higher: a die that looks like its cloth is not looked for."""
CHANGED_PX: Final = 7
"""Pixels of the small frame around a change that belong to its region."""
BUSY: Final = 9.0
"""Median difference above which the floor is too busy to find things on it."""
MOST_COVERED: Final = 0.45
"""Part of the frame that things may cover."""
FILLED: Final = 0.45
"""Part of its box that a thing must fill. Higher: fewer crumbs in a row, fewer odd dice."""
ELONGATED: Final = 2.2
"""How many times longer than wide a thing may be."""
LEAST_AREA: Final = 40
"""Pixels of the small frame that it must cover."""
SHADOW: Final = (0.2, 0.95)
"""Parts of the empty tray's level that its shadowed places have, on average. Wider than for motion, since
such a shadow lies beside a die that was read."""
SHADOW_SPREAD: Final = 0.1
"""How much that part may differ between the channels: a shadow has the tray's own colour."""
SHADOW_WIDTH: Final = 0.85
"""Width of a die's shadow beside the die, as a part of the die's. Lower: more shadows are taken for dice
that cannot be read; higher: dark dice beside others may be overlooked."""
SHARED_PART: Final = 0.3
"""A doubtful die with so much of its box in the boxes of sure dice may be made of those. A die that touches
another and lies aslant shares a quarter."""
LEAST_BESIDE: Final = 0.6
"""Shorter side of a thing that touches a die in a photograph, as a part of the smallest die's. Lower: what a
box leaves of a die is another one; higher: small dice beside others are overlooked."""
OWN_PART: Final = 0.15
"""A doubtful die is one of its own if more of its box than this differs from the floor, apart from sure dice
and shadows. Higher: dice that others nearly hide are overlooked; lower: a pair passes for a third die."""
ALONE_PART: Final = 0.15
"""How far around the box of a die there must be nothing but the floor for it to stand alone, in parts of its
longer side; what a die leans on touches it, so this is what boxes are off by."""
ALONE_LEFT: Final = 0.01
"""Part of that surroundings and the box in which something else may be."""
OUTLINE_PX: Final = 64
"""Longer side of the picture in which the outline of a die is followed. Larger: narrower gaps, more time."""
OUTLINE_OFF: Final = 0.04
"""How far within the die's box a side of its outline may be, in parts of the box's longer side. Higher: a
die's dark side may be taken for a shadow, and its outline end before the die does."""
LEAST_GAP: Final = 0.03
"""Width of the floor that is seen between dice that do not touch, in parts of the smaller one. Higher: more
flat dice are asked about; lower: dice whose edges are blurred seem apart."""
DETAIL: Final = 1 / 10
"""Half the width of a detail of a print, as a part of the print's. Lower: a die of its colour has holes;
higher: what of the print lies between dice is a part of them."""
Area: TypeAlias = npt.NDArray[np.bool_]
Levels: TypeAlias = npt.NDArray[np.float32]
Outline: TypeAlias = npt.NDArray[np.float64]
"""The corners of a convex polygon in pixels of the frame: float64, n×2."""
LEAST_PX = 16
"""Shorter side of the small frame below which no foreground is found."""


class Difference(NamedTuple):
    """A frame against the floor, both small: how far each pixel is `off` (largest channel).

    `scale` is the pixels of it per pixel of the frame.
    """

    off: Image
    scale: float
    frame: Image
    floor: Image


def difference(frame: Image, background: Image | None = None) -> Difference:
    """How far a frame (uint8, H×W×3 BGR) differs from the empty tray, or from its own even floor.

    `background` is the same view without things, of any size; None if there is no such picture.
    """
    scale = min(1.0, LONGEST_PX / max(frame.shape[:2]))
    small = downsampled(frame, (max(1, round(frame.shape[1] * scale)), max(1, round(frame.shape[0] * scale))))
    floor = (
        downsampled(background, (small.shape[1], small.shape[0]))
        if background is not None
        else own_floor(small)
    )
    return Difference(largest(cv2.absdiff(small, floor)), scale, small, floor)


def find_foreground(difference: Difference) -> list[Box]:
    """Boxes of compact things on the floor, in pixels of the frame.

    What the frame cuts is no such thing, but something whose shadow reaches as far may be one.
    """
    off = difference.off
    if not is_plain(difference):
        return []
    boxes, cut = compact(np.asarray(off > STEP, np.bool_))
    if cut.any():
        boxes += compact(cut & things(difference))[0]
    scale = difference.scale
    return [(round(x / scale), round(y / scale), round(w / scale), round(h / scale)) for x, y, w, h in boxes]


def is_plain(difference: Difference) -> bool:
    """Whether most of the frame is floor that is even enough to tell things from it."""
    off = difference.off
    busy = np.median(off) > BUSY or float(np.mean(off > STEP)) > MOST_COVERED
    return min(off.shape[:2]) >= LEAST_PX and not busy


def compact(mask: Area) -> tuple[list[Box], Area]:
    """The boxes of the compact things in a small mask, and where the frame cuts things."""
    opened = cv2.morphologyEx(mask.astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8))
    _, labels, stats, _ = cv2.connectedComponentsWithStats(opened)
    boxes: list[Box] = []
    cut: list[int] = []
    for label, (x, y, w, h, area) in enumerate(stats.tolist()[1:], 1):
        if x == 0 or y == 0 or x + w == mask.shape[1] or y + h == mask.shape[0]:
            cut.append(label)
        elif area >= LEAST_AREA and area >= FILLED * w * h and max(w, h) <= ELONGATED * min(w, h):
            boxes.append((x, y, w, h))
    return boxes, np.asarray(np.isin(labels, cut), np.bool_)


def beside(difference: Difference, boxes: Sequence[Box]) -> list[Box]:
    """Boxes of compact things that touch those `boxes` and are about as large, in pixels of the frame."""
    if not boxes or min(difference.off.shape[:2]) < LEAST_PX:
        return []
    scale = difference.scale
    left = things(difference)
    for x, y, w, h in boxes:
        fill(left, (x, y, w, h), scale, to=False)
    boxes_left, _ = compact(left)
    sides = [min(w, h) * scale for _, _, w, h in boxes]
    boxes_left = [box for box in boxes_left if min(box[2:]) >= LEAST_BESIDE * min(sides)]
    return [
        (round(x / scale), round(y / scale), round(w / scale), round(h / scale)) for x, y, w, h in boxes_left
    ]


def changed_mask(difference: Difference) -> Area:
    """Where anything differs from the floor, and near it; bool, small."""
    around = np.ones((CHANGED_PX, CHANGED_PX), np.uint8)
    mask = np.asarray(difference.off > CHANGED_STEP, np.uint8)
    return np.asarray(cv2.dilate(mask, around), np.bool_)


def may_be_shadow(difference: Difference, box: Box) -> bool:
    """Whether what changed in a box of the frame is the floor in a shadow."""
    x, y, w, h = (round(number * difference.scale) for number in box)
    part = (slice(y, y + h), slice(x, x + w))
    changed = difference.off[part] > STEP
    if not changed.any():
        return False
    now, before = (image[part][changed].astype(float) for image in (difference.frame, difference.floor))
    parts = now.mean(0) / np.maximum(before.mean(0), 1.0)
    darkest, brightest = SHADOW
    dimmed = bool(darkest < parts.min() and parts.max() < brightest and np.ptp(parts) < SHADOW_SPREAD)
    return dimmed and not bool((now > before + STEP).any())


def things(difference: Difference) -> Area:
    """Where the frame differs from the floor and is not the floor in a shadow; bool, small."""
    parts = difference.frame / np.maximum(difference.floor, 1.0)
    blue, green, red = cv2.split(parts)
    least, most = cv2.min(cv2.min(blue, green), red), cv2.max(cv2.max(blue, green), red)
    darkest, brightest = SHADOW
    shadow = (darkest < least) & (most < brightest) & (most - least < SHADOW_SPREAD)
    return np.asarray((difference.off > STEP) & ~shadow, np.bool_)


def fill(area: Area, box: Box, scale: float, *, to: bool = True) -> None:
    """Sets the area, small by that scale, in a box of the frame."""
    x, y, w, h = (round(side * scale) for side in box)
    area[max(0, y) : max(0, y + h), max(0, x) : max(0, x + w)] = to


def part_of(area: Area, box: Box, scale: float) -> float:
    """The part of a box of the frame, 0 … 1, in which the area, small by that scale, is set."""
    x, y, w, h = (round(side * scale) for side in box)
    part = area[max(0, y) : y + h, max(0, x) : x + w]
    return float(part.mean()) if part.size else 0.0


def without_prints(frame: Image, difference: Difference, prints: Iterable[npt.NDArray[np.float64]]) -> Image:
    """The frame with plain floor in place of what is printed between these corners (4×2 pixels) of the tray.

    What lies over it stays, even where it has the colour of a detail of the print.
    """
    lying, bare = things(difference).astype(np.uint8), frame.copy()
    for corners in prints:
        printed = np.zeros(lying.shape, np.uint8)
        cv2.fillConvexPoly(printed, np.rint(corners * difference.scale).astype(np.int32), 1)
        detail = np.ones((2 * round(DETAIL * printed.sum() ** 0.5) + 1,) * 2, np.uint8)
        beside = (cv2.dilate(printed, detail) > 0) & (printed == 0) & (lying == 0)
        shown = (printed > 0) & (cv2.morphologyEx(lying, cv2.MORPH_CLOSE, detail) == 0)
        if beside.any():
            size = frame.shape[1], frame.shape[0]
            where = cv2.resize(shown.view(np.uint8), size, interpolation=cv2.INTER_NEAREST)
            x, y, wide, high = cv2.boundingRect(where)
            part = slice(y, y + high), slice(x, x + wide)
            bare[part][where[part] > 0] = np.median(difference.floor[beside], axis=0)
    return bare


def off_floor(difference: Difference) -> Area:
    """Where the frame shows anything but the floor, in whatever shadow; bool, small."""
    return np.asarray(off_shades(difference.frame, difference.floor, 1.0) > STEP, np.bool_)


def stands_alone(off_floor: Area, box: Box, scale: float, apart: Iterable[Box] = ()) -> bool:
    """Whether around a box of the frame there is only the floor, and dice that stand `apart`.

    The area is small by that scale.
    """
    left = off_floor.copy()
    for die_box in (box, *apart):
        fill(left, wider(die_box, 1 / scale), scale, to=False)
    return part_of(left, surroundings(box), scale) < ALONE_LEFT


def outlines(frame: Image, floor: Difference, box: Box) -> tuple[Outline | None, Outline | None]:
    """Convex outlines of the die in a box of the frame: with its shadow, and without.

    Dice are convex, so a part that looks like the floor does not matter within an outline. One that does not
    reach all sides of the box is None: a side of the die with the colour of the floor may lie beyond.
    """
    x, y, w, h = wider(box, ALONE_PART * max(box[2:]))
    left, top = max(0, x), max(0, y)
    part = frame[top : y + h, left : x + w]
    small = min(1.0, OUTLINE_PX / max(part.shape[:2]))
    now = downsampled(part, (round(part.shape[1] * small), round(part.shape[0] * small)))
    across = now.shape[1] / part.shape[1] / floor.scale
    down = now.shape[0] / part.shape[0] / floor.scale
    matrix = np.array([(across, 0, -across * left * floor.scale), (0, down, -down * top * floor.scale)])
    size = (now.shape[1], now.shape[0])
    empty = np.asarray(cv2.warpAffine(floor.floor, matrix, size, borderMode=cv2.BORDER_REPLICATE), np.uint8)

    def around(off: Area) -> Outline | None:
        hull = hull_in_middle(off)
        if hull is None:
            return None
        points = hull / small + (left, top)
        short = np.concatenate([points.min(0) - box[:2], np.add(box[:2], box[2:]) - points.max(0)])
        return points if short.max() <= OUTLINE_OFF * max(box[2:]) else None

    shaded = np.asarray(largest(cv2.absdiff(now, empty)) > CHANGED_STEP, np.bool_)
    return around(shaded), around(np.asarray(off_shades(now, empty, 1.0) > STEP, np.bool_))


def hull_in_middle(area: Area) -> Outline | None:
    """The convex hull of the part of the area that fills most of the middle third, in its pixels."""
    _, labels = cv2.connectedComponents(area.astype(np.uint8), connectivity=4)
    high, wide = (side // 3 for side in area.shape)
    middle = labels[high : area.shape[0] - high, wide : area.shape[1] - wide]
    sizes = np.bincount(middle[middle > 0], minlength=1)
    if not sizes.any():
        return None
    rows, columns = np.nonzero(labels == int(np.argmax(sizes)))
    return np.asarray(cv2.convexHull(np.stack([columns, rows], 1).astype(np.int32))[:, 0] + 0.5, np.float64)


def gap(first: Outline, second: Outline) -> float:
    """The distance between two convex outlines in pixels; negative if one has a corner in the other."""
    corners, more_corners = (outline.astype(np.float32)[:, None] for outline in (first, second))
    return -max(
        cv2.pointPolygonTest(around, (float(x), float(y)), measureDist=True)
        for points, around in ((first, more_corners), (second, corners))
        for x, y in points
    )


def surroundings(box: Box) -> Box:
    """The box of a die and what it might lean on."""
    return wider(box, ALONE_PART * max(box[2:]))


def wider(box: Box, by_px: float) -> Box:
    x, y, w, h = box
    more = round(by_px)
    return x - more, y - more, w + 2 * more, h + 2 * more


def off_shades(frame: Image, floor: Image, brightest: float = np.inf) -> Levels:
    """How far each pixel is from every shade of the floor, in the channel that is farthest.

    Args:
        frame: uint8, H×W×3 BGR.
        floor: the same view of the floor alone.
        brightest: the brightest shade, as a part of the floor's own.

    Returns:
        Grey levels, float32, H×W.
    """
    now, empty = ([channel.astype(np.float32) for channel in cv2.split(image)] for image in (frame, floor))
    along, own = (sum(a * b for a, b in zip(some, empty, strict=True)) for some in (now, empty))
    shade = np.minimum(along / np.maximum(own, 1.0), np.float32(brightest))
    off = [cv2.absdiff(level, shade * base) for level, base in zip(now, empty, strict=True)]
    return np.asarray(cv2.max(cv2.max(off[0], off[1]), off[2]), np.float32)


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
    """The largest channel of each pixel; NumPy's `max` over the last axis takes ten times as long."""
    blue, green, red = cv2.split(np.asarray(levels, np.uint8))
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


def downsampled(image: Image, size: tuple[int, int]) -> Image:
    return np.asarray(cv2.resize(image, size, interpolation=cv2.INTER_AREA), np.uint8)


def own_floor(small: Image) -> Image:
    """The floor as the median of a wide neighbourhood, which things do not fill."""
    side = min(small.shape[:2]) // 2 | 1
    return np.asarray(cv2.medianBlur(small, min(side, 121)), np.uint8)
