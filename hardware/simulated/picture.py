"""Composes a frame from what is on the simulated tray, and redraws only what has changed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Hashable, Mapping

    from hardware.ports import Pixels

Cover: TypeAlias = npt.NDArray[np.float32]
Box: TypeAlias = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; the last two are exclusive."""


@dataclass(frozen=True, slots=True)
class Layer:
    """A drawn patch of the frame.

    Attributes:
        pixels: uint8, H×W×3 for an object, H×W for a shadow (255: black).
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
    """An object as drawn: `state` changes whenever it looks different; a high `order` is on top."""

    state: Hashable
    order: float
    seen: Layer | None
    shadow: Layer | None


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
        dark = np.zeros(part.shape[:2], np.uint8)
        for thing in self.things.values():
            if thing.shadow and (meet := overlap(thing.shadow.box, box)):
                place = dark[within(meet, x0, y0)]
                np.maximum(
                    place, thing.shadow.pixels[within(meet, thing.shadow.x, thing.shadow.y)], out=place
                )
        if dark.any():
            cv2.multiply(part, cv2.cvtColor(255 - dark, cv2.COLOR_GRAY2BGR), dst=part, scale=1 / 255)
        for thing in sorted(self.things.values(), key=lambda t: t.order):
            if thing.seen and thing.seen.cover is not None and (meet := overlap(thing.seen.box, box)):
                place = part[within(meet, x0, y0)]
                own = within(meet, thing.seen.x, thing.seen.y)
                cover = np.ascontiguousarray(thing.seen.cover[own])
                cv2.blendLinear(thing.seen.pixels[own], place, cover, 1 - cover, dst=place)


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
