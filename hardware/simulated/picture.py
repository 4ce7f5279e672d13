"""Composes a frame from camera pose, lamps, objects and soft shadows; redraws only what has changed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import cv2
import numpy as np
import numpy.typing as npt
from cv2.typing import MatLike
from numpy.random import Generator

from hardware.ports import Pixels
from hardware.simulated.die import Floats, Singles, about

Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; the last two are exclusive."""
SHADY = 25
"""A shadow that takes more than this of 255 is one."""
WIDTH, HEIGHT = 1280, 720
SPAN_MM = 288.0
"""The width of the tray's floor that a frame spans."""
WARMTH = np.array([0.3, 0.12, -0.4])
"""The tint, BGR, of a lamp that is as blue beside the ambient light as daylight is beside a bulb."""
SHIFT = 4
COARSE = 3
"""Shadows are drawn at this fraction of the size and then enlarged."""
NEAR = 0.8
"""The part of the ambient light that does not arrive close under an object."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A drawn patch of the frame.

    Attributes:
        pixels: uint8, H×W×3; of a shadow what it takes away of each colour (255: all).
        cover: float32 H×W, 0 … 1; for an object.
        x, y: its upper left pixel in the frame; it may reach beyond the frame.
    """

    pixels: Pixels
    cover: Singles | None
    x: int
    y: int

    @property
    def box(self) -> Box:
        tall, wide = self.pixels.shape[:2]
        return self.x, self.y, self.x + wide, self.y + tall


@dataclass(frozen=True, slots=True)
class DrawnObject:
    """An object as drawn; one of a higher order is on top. Its state changes whenever it looks different.

    The shadow of a `tall` object falls on all that are not tall and no higher in order.
    """

    state: Hashable
    order: float
    body: Layer | None
    shadow: Layer | None
    tall: bool = False


@dataclass(frozen=True, slots=True)
class Masks:
    """The exact content of each pixel of a frame.

    Attributes:
        labels: uint8 H×W; 0 the tray and the table around it, 1 a hand, a cup or any other object, 2 + n the
            die of number n.
        shadow: bool H×W; a shadow takes at least a tenth of some colour of the tray or of a die there.
    """

    labels: Pixels
    shadow: npt.NDArray[np.bool_]


class Picture:
    """The newest frame, without the camera's noise."""

    def __init__(self, empty: Pixels) -> None:
        self.empty = empty
        self.canvas = empty.copy()
        self.things: dict[Hashable, DrawnObject] = {}
        self.changes = 0

    def show(self, things: Mapping[Hashable, DrawnObject]) -> Pixels:
        """The frame with these objects; it belongs to this instance, so copy it before writing to it."""
        dirty = []
        for name in self.things.keys() | things.keys():
            before, now = self.things.get(name), things.get(name)
            if before is None or now is None or before.state != now.state:
                dirty += [
                    layer.box
                    for drawn in (before, now)
                    if drawn
                    for layer in (drawn.body, drawn.shadow)
                    if layer
                ]
        self.things = dict(things)
        height, width = self.canvas.shape[:2]
        whole = 0, 0, width, height
        for box in merge_boxes([part for box in dirty if (part := overlap(box, whole))]):
            self.redraw(box)
        self.changes += bool(dirty)
        return self.canvas

    def redraw(self, box: Box) -> None:
        x0, y0, x1, y1 = box
        part = self.canvas[y0:y1, x0:x1]
        part[:] = self.empty[y0:y1, x0:x1]
        tall, low = (self.fallen(box, tall=tall) for tall in (True, False))
        dark = low if tall is None else tall if low is None else np.maximum(low, tall)
        if dark is not None:
            cv2.multiply(part, 255 - dark, dst=part, scale=1 / 255)
        under = self.under
        for drawn in sorted(self.things.values(), key=lambda t: t.order):
            if drawn.body and drawn.body.cover is not None and (meet := overlap(drawn.body.box, box)):
                place = part[within(meet, x0, y0)]
                own = within(meet, drawn.body.x, drawn.body.y)
                cover = np.ascontiguousarray(drawn.body.cover[own])
                pixels = drawn.body.pixels[own]
                if tall is not None and not drawn.tall and drawn.order < under:
                    pixels = np.asarray(
                        cv2.multiply(pixels, 255 - tall[within(meet, x0, y0)], scale=1 / 255), np.uint8
                    )
                cv2.blendLinear(pixels, place, cover, 1 - cover, dst=place)

    def fallen(self, box: Box, *, tall: bool) -> Pixels | None:
        """What shadows of tall or of low objects take away in a box of the frame; None if there is none."""
        taken: Pixels | None = None
        for drawn in self.things.values():
            if drawn.tall is tall and drawn.shadow and (meet := overlap(drawn.shadow.box, box)):
                if taken is None:
                    taken = np.zeros((box[3] - box[1], box[2] - box[0], 3), np.uint8)
                place = taken[within(meet, box[0], box[1])]
                falls = drawn.shadow.pixels[within(meet, drawn.shadow.x, drawn.shadow.y)]
                np.maximum(place, falls, out=place)
        return taken

    def labels(self, label: Callable[[Hashable], int]) -> Masks:
        """The content of each pixel of the newest frame, by the label of each object's name."""
        height, width = self.canvas.shape[:2]
        of = np.zeros((height, width), np.uint8)
        low = np.ones(of.shape, np.bool_)
        falls = {tall: np.zeros(of.shape, np.bool_) for tall in (False, True)}
        whole = 0, 0, width, height
        for drawn in self.things.values():
            if drawn.shadow and (meet := overlap(drawn.shadow.box, whole)):
                taken = drawn.shadow.pixels[within(meet, drawn.shadow.x, drawn.shadow.y)]
                falls[drawn.tall][within(meet, 0, 0)] |= np.asarray(taken).max(axis=-1) > SHADY
        under = self.under
        for name, drawn in sorted(self.things.items(), key=lambda item: item[1].order):
            if drawn.body and drawn.body.cover is not None and (meet := overlap(drawn.body.box, whole)):
                covered = drawn.body.cover[within(meet, drawn.body.x, drawn.body.y)] >= 0.5
                of[within(meet, 0, 0)][covered] = label(name)
                low[within(meet, 0, 0)][covered] = not drawn.tall and drawn.order < under
        return Masks(of, low & (falls[True] | falls[False] & (of == 0)))

    @property
    def under(self) -> float:
        """Tall shadows fall on objects below this order."""
        return min(
            (drawn.order for drawn in self.things.values() if drawn.tall and drawn.shadow), default=0.0
        )


def overlap(a: Box, b: Box) -> Box | None:
    box = max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])
    return box if box[0] < box[2] and box[1] < box[3] else None


def within(box: Box, x: int, y: int) -> tuple[slice, slice]:
    """The box as an index into an array whose upper left pixel is (x, y)."""
    return slice(box[1] - y, box[3] - y), slice(box[0] - x, box[2] - x)


def merge_boxes(boxes: list[Box]) -> list[Box]:
    """Boxes that cover the same area without overlapping."""
    apart: list[Box] = []
    for box in boxes:
        while (overlapping := next((o for o in apart if overlap(o, box)), None)) is not None:
            apart.remove(overlapping)
            box = (
                min(box[0], overlapping[0]),
                min(box[1], overlapping[1]),
                max(box[2], overlapping[2]),
                max(box[3], overlapping[3]),
            )
        apart.append(box)
    return apart


@dataclass(frozen=True, slots=True)
class Projection:
    """A pinhole camera at `eye_mm`, with its focal length in pixels.

    The rows of `rotation` (3×3) are the picture's right, its down and the way it looks, on the tray.
    """

    rotation: Floats
    eye_mm: Floats
    focal: float

    def project(self, points_mm: Floats) -> Floats:
        """Pixels (N×2) of N×3 points on the tray; integers are the centres of pixels."""
        points = (points_mm - self.eye_mm) @ self.rotation.T
        flat = points[:, :2] / points[:, 2:] * self.focal
        return np.asarray(flat + np.array([WIDTH - 1, HEIGHT - 1]) / 2)

    def plane(self, height_mm: float = 0.0) -> Floats:
        """The 3×3 homography from (x, y) in mm, at that height above the floor, to pixels."""
        right, away, up = np.eye(3)
        return self.sheet(up * height_mm, right, away)

    def sheet(self, at_mm: Floats, right: Floats, down: Floats) -> Floats:
        """The 3×3 homography from (u, v) in mm on a sheet anywhere, at_mm + u·right + v·down, to pixels."""
        lens = np.array([[self.focal, 0, (WIDTH - 1) / 2], [0, self.focal, (HEIGHT - 1) / 2], [0, 0, 1]])
        return np.asarray(lens @ self.rotation @ np.stack([right, down, at_mm - self.eye_mm], axis=1))

    def order(self, at_mm: Floats) -> float:
        """How near to the camera's plane that point is: its height if the camera looks straight down, mm."""
        return -float(self.rotation[2] @ at_mm)

    def floor(self, pixel: Floats, height_mm: float = 0.0) -> Floats:
        """The position (x, y in mm), at that height above the floor, that is seen at a pixel (x, y)."""
        x, y, w = np.linalg.inv(self.plane(height_mm)) @ [*pixel, 1.0]
        return np.array([x / w, y / w])

    def turned(self, pan: float, tilt: float, roll: float) -> Projection:
        """The camera after a knock: rotated in place by three angles in radians."""
        knock = about(np.array([0.0, 1.0, 0.0]), pan) @ about(np.array([1.0, 0.0, 0.0]), tilt)
        knock = knock @ about(np.array([0.0, 0.0, 1.0]), roll)
        return Projection(knock @ self.rotation, self.eye_mm, self.focal)


def random_view(rng: Generator) -> Projection:
    """A camera some 40 cm above the tray's middle, slightly askew, that sees all of the tray."""
    far_mm = float(rng.uniform(380, 480))
    straight = np.array([[1.0, 0, 0], [0, -1.0, 0], [0, 0, -1.0]])
    lean = about(np.array([1.0, 0, 0]), float(rng.uniform(-0.12, 0.16)))
    lean = lean @ about(np.array([0, 1.0, 0]), float(rng.uniform(-0.1, 0.1)))
    lean = lean @ about(np.array([0, 0, 1.0]), float(rng.uniform(-0.025, 0.025)))
    rotation = straight @ lean
    return Projection(rotation, -far_mm * rotation[2], WIDTH / SPAN_MM * far_mm)


@dataclass(frozen=True, eq=False, slots=True)
class Light:
    """Lamps and ambient light. A level floor has brightness 1 under all of it together.

    Attributes:
        toward: N×3, unit directions to the lamps, z up.
        strength: N, the light of each on a surface facing it.
        around: the ambient light on a level surface.
        softness: 0 … 1, width of the shadows' edges.
        tint: N×3, the lamps' colours, BGR; ambient light makes up for what they lack.
    """

    toward: Floats
    strength: Floats
    around: float
    softness: float
    tint: Floats

    @property
    def shares(self) -> Floats:
        """The part of the light on a level floor that each lamp gives, N×3 (BGR)."""
        return np.minimum((self.strength * self.toward[:, 2])[:, None] * self.tint, 0.85)


def random_light(rng: Generator) -> Light:
    """One or two lamps above and beside the tray."""
    count = int(rng.integers(1, 3))
    toward = np.concatenate([rng.uniform(-0.75, 0.75, (count, 2)), np.ones((count, 1))], axis=1)
    toward /= np.linalg.norm(toward, axis=1, keepdims=True)
    around = float(rng.uniform(0.35, 0.6))
    parts = rng.dirichlet(np.full(count, 4.0)) * (1 - around)
    softness = float(rng.uniform(0.15, 1.0))
    own = rng.spawn(1)[0]
    tint = 1 + own.uniform(-1, 1, (count, 1)) * WARMTH + own.normal(0, 0.03, (count, 3))
    return Light(toward, parts / toward[:, 2], around, softness, tint)


def shadow(points_mm: Floats, view: Projection, light: Light) -> Layer | None:
    """The shadow of the convex body with these corners (N×3); None if it is out of view."""
    high = max(1.0, float(points_mm[:, 2].max()))
    lift = max(0.0, float(points_mm[:, 2].min()))
    scale = view.focal / float(np.linalg.norm(view.eye_mm))
    shapes = []
    for toward, share in zip(light.toward, light.shares, strict=True):
        fallen = view.project(points_mm - toward / toward[2] * points_mm[:, 2:])
        shapes.append((fallen, share, light.softness * 0.16 * (high + lift) * scale))
    under = view.project(points_mm * (1, 1, 0))
    shapes.append(
        (under, NEAR / (1 + lift / 6) * (1 - light.shares.sum(axis=0)), 0.1 * (high + 2 * lift) * scale)
    )
    margin = 2.5 * max(sigma for _, _, sigma in shapes) + 2 * COARSE
    corners = np.concatenate([outline for outline, _, _ in shapes])
    low = np.floor((corners.min(axis=0) - margin) / COARSE).astype(int)
    wide, tall = (np.ceil((corners.max(axis=0) + margin) / COARSE).astype(int) - low).tolist()
    if (low * COARSE >= (WIDTH, HEIGHT)).any() or (low + np.array([wide, tall]) <= 0).any():
        return None
    masks = []
    for outline, _, sigma in shapes:
        mask = np.zeros((tall, wide), np.uint8)
        hull = cv2.convexHull(((outline + 0.5) / COARSE - low - 0.5).astype(np.float32))
        cv2.fillConvexPoly(mask, np.rint(hull * (1 << SHIFT)).astype(np.int32), 255, cv2.LINE_AA, SHIFT)
        masks.append(soften(mask, sigma / COARSE))
    fine = cv2.resize(
        combine_shadows(masks, [share for _, share, _ in shapes]), (wide * COARSE, tall * COARSE)
    )
    return Layer(np.asarray(fine, np.uint8), None, *(low * COARSE).tolist())


def combine_shadows(masks: Sequence[MatLike], shares: Sequence[Floats]) -> MatLike:
    """The part of each colour that shadows (uint8 H×W, for each lamp and for ambient light) take together."""
    return cv2.transform(cv2.merge(list(masks)), np.array(shares).T)


def soften(mask: Singles | Pixels, sigma: float) -> MatLike:
    side = max(1, round(sigma * 0.85)) * 2 + 1
    return cv2.blur(cv2.blur(mask, (side, side)), (side, side))


def motion_blur(along_px: Floats) -> Singles:
    """A filter that blurs along a line through its middle."""
    half = int(np.ceil(np.abs(along_px).max() / 2)) + 1
    line = np.zeros((2 * half + 1, 2 * half + 1), np.float32)
    ends = np.rint((half + np.array([along_px, -along_px]) / 2) * (1 << SHIFT)).astype(np.int32)
    cv2.line(line, ends[0].tolist(), ends[1].tolist(), 1.0, 1, cv2.LINE_AA, SHIFT)
    return np.asarray(line / line.sum(), np.float32)
