"""Composes a frame from what is on the simulated tray, and redraws only what has changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Mapping

    from hardware.ports import Pixels

Cover: TypeAlias = npt.NDArray[np.float32]
Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; the last two are exclusive."""

SHADY = 25
"""A shadow that takes more than this of 255 is one."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A drawn patch of the frame.

    Attributes:
        pixels: uint8, H×W×3; of a shadow what it takes away of each colour (255: all).
        cover: float32 H×W, 0 … 1; for an object.
        x, y: its upper left pixel in the frame; it may reach beyond the frame.
    """

    pixels: Pixels
    cover: Cover | None
    x: int
    y: int

    @property
    def box(self) -> Box:
        """Its box."""
        tall, wide = self.pixels.shape[:2]
        return self.x, self.y, self.x + wide, self.y + tall


@dataclass(frozen=True, slots=True)
class Thing:
    """An object as drawn.

    Attributes:
        state: changes whenever it looks different.
        order: a high one is on top.
        seen: its patch.
        shadow: its shadow; that of a `tall` object falls on all that are not tall and no higher in order.
    """

    state: Hashable
    order: float
    seen: Layer | None
    shadow: Layer | None
    tall: bool = False


@dataclass(frozen=True, slots=True)
class Masks:
    """What each pixel of a frame shows, exactly.

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
        self.things: dict[Hashable, Thing] = {}
        self.changes = 0

    def show(self, things: Mapping[Hashable, Thing]) -> Pixels:
        """The frame with these objects; it belongs to this instance, so copy it before writing to it."""
        dirty = []
        for name in self.things.keys() | things.keys():
            before, now = self.things.get(name), things.get(name)
            if before is None or now is None or before.state != now.state:
                dirty += [layer.box for thing in (before, now) if thing for layer in layers(thing)]
        self.things = dict(things)
        for box in joined([clipped(box, self.canvas.shape) for box in dirty]):
            self.redraw(box)
        self.changes += bool(dirty)
        return self.canvas

    def redraw(self, box: Box) -> None:
        """Redraws one part of the frame."""
        x0, y0, x1, y1 = box
        part = self.canvas[y0:y1, x0:x1]
        part[:] = self.empty[y0:y1, x0:x1]
        tall = np.zeros(part.shape, np.uint8)
        dark = np.zeros(part.shape, np.uint8)
        for thing in self.things.values():
            if thing.shadow and (meet := overlap(thing.shadow.box, box)):
                place = (tall if thing.tall else dark)[within(meet, x0, y0)]
                falls = thing.shadow.pixels[within(meet, thing.shadow.x, thing.shadow.y)]
                np.maximum(place, falls, out=place)
        under = self.under
        shaded = bool(tall.any())
        if shaded or dark.any():
            lit = 255 - np.maximum(dark, tall, out=dark)
            cv2.multiply(part, lit, dst=part, scale=1 / 255)
        for thing in sorted(self.things.values(), key=lambda t: t.order):
            if thing.seen and thing.seen.cover is not None and (meet := overlap(thing.seen.box, box)):
                place = part[within(meet, x0, y0)]
                own = within(meet, thing.seen.x, thing.seen.y)
                cover = np.ascontiguousarray(thing.seen.cover[own])
                pixels = thing.seen.pixels[own]
                if shaded and not thing.tall and thing.order < under:
                    pixels = np.asarray(
                        cv2.multiply(pixels, 255 - tall[within(meet, x0, y0)], scale=1 / 255), np.uint8
                    )
                cv2.blendLinear(pixels, place, cover, 1 - cover, dst=place)

    def labels(self, label: Callable[[Hashable], int]) -> Masks:
        """What each pixel of the newest frame shows, by the label of each object's name."""
        height, width = self.canvas.shape[:2]
        of = np.zeros((height, width), np.uint8)
        low = np.ones(of.shape, np.bool_)
        falls = {tall: np.zeros(of.shape, np.bool_) for tall in (False, True)}
        whole = 0, 0, width, height
        for thing in self.things.values():
            if thing.shadow and (meet := overlap(thing.shadow.box, whole)):
                taken = thing.shadow.pixels[within(meet, thing.shadow.x, thing.shadow.y)]
                falls[thing.tall][within(meet, 0, 0)] |= np.asarray(taken).max(axis=-1) > SHADY
        under = self.under
        for name, thing in sorted(self.things.items(), key=lambda item: item[1].order):
            if thing.seen and thing.seen.cover is not None and (meet := overlap(thing.seen.box, whole)):
                covered = thing.seen.cover[within(meet, thing.seen.x, thing.seen.y)] >= 0.5
                of[within(meet, 0, 0)][covered] = label(name)
                low[within(meet, 0, 0)][covered] = not thing.tall and thing.order < under
        return Masks(of, low & (falls[True] | falls[False] & (of == 0)))

    @property
    def under(self) -> float:
        """Tall shadows fall on what is below this order."""
        return min(
            (thing.order for thing in self.things.values() if thing.tall and thing.shadow), default=0.0
        )


def layers(thing: Thing) -> list[Layer]:
    """The patch of the object."""
    return [layer for layer in (thing.seen, thing.shadow) if layer]


def clipped(box: Box, shape: tuple[int, ...]) -> Box:
    """The part of the box inside the frame."""
    return max(box[0], 0), max(box[1], 0), min(box[2], shape[1]), min(box[3], shape[0])


def overlap(a: Box, b: Box) -> Box | None:
    """The intersection of two boxes."""
    box = max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])
    return box if box[0] < box[2] and box[1] < box[3] else None


def within(box: Box, x: int, y: int) -> tuple[slice, slice]:
    """The box as an index into an array whose upper left pixel is (x, y)."""
    return slice(box[1] - y, box[3] - y), slice(box[0] - x, box[2] - x)


def joined(boxes: list[Box]) -> list[Box]:
    """Boxes that cover the same area without overlapping; empty ones are left out."""
    apart: list[Box] = []
    for box in boxes:
        if box[0] >= box[2] or box[1] >= box[3]:
            continue
        while (other := next((o for o in apart if overlap(o, box)), None)) is not None:
            apart.remove(other)
            box = min(box[0], other[0]), min(box[1], other[1]), max(box[2], other[2]), max(box[3], other[3])
        apart.append(box)
    return apart
