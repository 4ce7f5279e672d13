"""Follows what moves in the tray, so that a die that was thrown can be told from one that was placed.

Works on the small frame against the empty tray's picture. What crosses the tray's edge and is larger than the
dice that went into it is a hand; everything else that differs from the empty tray is dice. Each patch of dice
is followed from frame to frame: how far and how long it moved apart from any hand, and whether a hand came
over it later. Knows no clock but the frames' times.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from games.dice import SOLIDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from games.dice import Kind
    from vision.motion.stillness import Area
    from vision.reading import Box, DieReading, Image

Labels: TypeAlias = npt.NDArray[np.int32]

FOREGROUND: Final = 13
"""Grey levels (largest channel, light matched) by which something differs from the empty tray."""
SHADOW: Final = (0.42, 0.93)
"""Parts of the empty tray's level that its shadowed places have."""
SHADOW_SPREAD: Final = 0.07
"""By how much that part may differ between the channels: a shadow has the tray's own colour."""
SHADOW_UNIT: Final = 128.0
LEAST_MM2: Final = 40.0
"""A patch with less area is noise or a reflection."""
EDGE_MM: Final = 2.0
"""Width of the watched area's edge, which hands cross and dice do not."""
RIM_MM: Final = 13.0
"""Width of the strip inside it: a rim of the hand's own colour hides where the hand crosses the edge."""
LEAST_DIE_MM2: Final = 100.0
"""A patch with less area is not a whole die: where patches that lie still are joined, it does not count."""
FINGER_MM2: Final = 150.0
"""A patch across the edge that is so much larger than the dice in it is a finger, if it stays there."""
FINGER_S: Final = 0.2
"""A die that flies over the edge is back, or gone, sooner."""
HAND_MM2: Final = (3000.0, 7000.0)
"""Area by which a patch is larger than the dice that went into it, from which it is a hand's: in the strip,
and anywhere."""
APART: Final = 0.15
"""With less of it where dice were before, a patch has moved farther than it is wide."""
MADE_OF_DICE: Final = 0.3
"""Part of a patch that must have been dice before; else it may be a fingertip, whose way does not count."""
SURE_MM: Final = 20.0
"""A patch that moved so far by itself is made of dice."""
CREDIT_MM: Final = 24.0
"""A patch that appears where no hand is came over the edge: its way from there counts, but no more."""
NEAR_HAND_MM: Final = 4.0
"""A die nearer to a hand than this may be in its fingers."""
FASTEST_MM_S: Final = 2600.0
"""No thrown die is faster over a bar-top tray."""
STEP_MM: Final = 0.8
"""A patch whose centroid moves less from one frame to the next lies still."""
GROWN: Final = 1.35
"""A patch that grew or shrank more has merged or split: its centroid's step means nothing then."""
FREE_S: Final = 0.15
"""A thrown die moves apart from any hand at least so long before it comes to rest."""
EDGES: Final = 3.0
"""... and at least so many times its edge."""
LEAST_EDGE_MM: Final = 12.0
"""A die with shorter edges moves as far as one with these: where a hand lets go of it is not known finer."""
EDGE_OF_MM: Final[dict[Kind, float]] = {
    kind: max(
        LEAST_EDGE_MM,
        *(
            math.dist(solid.vertices_mm[one], solid.vertices_mm[other])
            for face in solid.faces
            for one, other in zip(face.corners, (*face.corners[1:], face.corners[0]), strict=True)
        ),
    )
    for kind, (solid, *_) in SOLIDS.items()
}
"""The longest edge of a die of a common 16 mm set."""
UNREAD_S: Final = 2.5
"""Dice that lie still and free of hands for so long, and were not read, cannot be."""
GAP_S: Final = 0.2
"""After a longer pause between two frames nobody knows what happened meanwhile."""
SLOWEST_FPS: Final = 12.0
"""With fewer frames per second a flight of FREE_S cannot be followed."""
FASTEST_FPS: Final = 1000.0


class Arrival(StrEnum):
    """How a die came to lie where it lies."""

    LAY = "lay there"
    THROWN = "thrown"
    PLACED = "placed"
    TOUCHED = "touched"
    UNSEEN = "unseen"


@dataclass(slots=True)
class Patch:
    """Connected pixels that are dice, in one frame, with the history of what they are made of.

    Attributes:
        label: its number in the frame's label image.
        at: centroid, x and y in pixels.
        box: left, top, width and height in pixels.
        area: pixels.
        mass: pixels of the dice that it is made of, as they were apart from the tray's edge.
        path_mm: how far it moved since no hand had it.
        free_s: since when no hand has had it.
        moved_s: when it last moved.
        rested: it has not moved since all was settled last.
        old: all of it lay there when all was settled last.
    """

    label: int
    at: tuple[float, float]
    box: Box
    area: int
    mass: float = 0.0
    path_mm: float = 0.0
    free_s: float = 0.0
    moved_s: float = 0.0
    rested: bool = False
    old: bool = False

    def flew(self, edge_mm: float, frame_s: float) -> bool:
        """Whether it moved by itself as a thrown die does; `frame_s`: between two frames.

        It began to move, and came to rest, up to a frame before that was seen: half of one each on average.
        """
        return self.path_mm >= EDGES * edge_mm and self.moved_s - self.free_s + frame_s >= FREE_S


@dataclass(frozen=True, slots=True)
class Flight:
    """What happened in the tray between two settled states.

    Attributes:
        arrivals: for each die how it came to lie there, in the order of the boxes that were given.
        knocked: a die that lay there has left its place although no hand took it.
        interfered: a hand came over dice that had been thrown and were not yet read.
        fps: frames per second meanwhile.
    """

    arrivals: tuple[Arrival, ...]
    knocked: bool = False
    interfered: bool = False
    fps: float = 0.0

    @property
    def followed(self) -> bool:
        """Whether frames came fast enough to tell a throw."""
        return self.fps >= SLOWEST_FPS


@dataclass
class FlightWatch:
    """Follows the dice of one camera position.

    Args:
        area: the watched part of the small frame, bool H×W.
        px_per_mm: of the small frame.
    """

    area: Area
    px_per_mm: float
    patches: list[Patch] = field(default_factory=list)
    labels: Labels | None = None
    dice: Area | None = None
    touched_s: npt.NDArray[np.float64] | None = None
    time_s: float | None = None
    begun_s: float = 0.0
    frames: int = 0
    unseen: bool = True
    hand: bool = False
    visit_s: float | None = None
    left_s: float = -np.inf
    free_s: float = -np.inf
    interfered: bool = False
    settled: list[Box] = field(default_factory=list)
    standing: list[Box] = field(default_factory=list)
    settled_s: float = -np.inf

    def __post_init__(self) -> None:
        self.edge, self.rim = (self.strip(width) for width in (EDGE_MM, RIM_MM))
        self.across_s = np.full(int(self.edge.sum()), np.inf)
        self.depth = cv2.distanceTransform(self.area.astype(np.uint8), cv2.DIST_L2, 3)
        self.watched = self.area.astype(np.uint8) * np.uint8(255)

    def strip(self, wide_mm: float) -> Area:
        """The outermost part of the watched area."""
        side = 2 * round(wide_mm * self.px_per_mm) + 1
        bordered = np.pad(self.area.astype(np.uint8)[1:-1, 1:-1], 1)
        inside = np.asarray(cv2.erode(bordered, np.ones((side, side), np.uint8)), np.bool_)
        return np.asarray(self.area & ~inside, np.bool_)

    def lose_sight(self) -> None:
        """Nobody can tell what happens now."""
        self.unseen, self.patches, self.labels, self.time_s = True, [], None, None

    def see(self, small: Image, bare: Image, time_s: float) -> None:
        """Follows the dice to this small frame (uint8, H×W×3 BGR); `bare` is the empty tray in its light."""
        if self.time_s is not None and time_s - self.time_s > GAP_S:
            self.lose_sight()
        since_s = time_s - self.time_s if self.time_s is not None else 0.0
        self.time_s = time_s
        self.frames += 1
        mask, shaded = (part & self.watched for part in foreground(small, bare))
        _, found, stats, centroids = cv2.connectedComponentsWithStats(mask, connectivity=8)
        labels = np.asarray(found, np.int32)
        scale = self.px_per_mm**2
        at_edge, at_rim = labels[self.edge], set(np.unique(labels[self.rim]).tolist())
        since = np.where(at_edge > 0, np.minimum(self.across_s, time_s), np.inf)
        self.across_s = since
        patches = [
            Patch(
                n,
                (float(centroids[n, 0]), float(centroids[n, 1])),
                (x, y, w, h),
                size,
                0.0,
                0.0,
                time_s,
                time_s,
            )
            for n, (x, y, w, h, size) in enumerate(stats.tolist())
            if n and size >= LEAST_MM2 * scale
        ]
        came_from = self.came_from(patches, FASTEST_MM_S * since_s * self.px_per_mm, at_rim)
        hands = []
        for patch in patches:
            at = at_edge == patch.label
            more = (patch.area - GROWN * patch.mass) / scale
            across = more > FINGER_MM2 and bool(at.any()) and time_s - since[at].min() >= FINGER_S
            if across or more > HAND_MM2[patch.label not in at_rim]:
                hands.append(patch.label)
        patches = [patch for patch in patches if patch.label not in hands]
        near = self.reach_of(np.isin(labels, hands), shaded, time_s) if hands else None
        for patch in patches:
            x, y, w, h = patch.box
            own = np.asarray(labels[y : y + h, x : x + w] == patch.label, np.bool_)
            held = near is not None and bool((near[y : y + h, x : x + w] & own).any())
            ones = came_from.get(patch.label, [])
            dice = patch.mass >= MADE_OF_DICE * patch.area or any(one.path_mm > SURE_MM for one in ones)
            if ones and dice and not held:
                self.follow(patch, ones, own, time_s)
            else:
                patch.old = any(_same(patch.box, place) for place in self.standing)
                if not ones and not hands and not self.hand:
                    depth_mm = float(self.depth[round(patch.at[1]), round(patch.at[0])]) / self.px_per_mm
                    patch.path_mm = min(
                        max(0.0, depth_mm - max(patch.box[2:]) / 2 / self.px_per_mm), CREDIT_MM
                    )
            if patch.label not in at_rim:
                patch.mass = patch.area
        if near is None:
            self.visit_s = None
        else:
            self.free_s = self.free_s if self.visit_s is not None else self.left_s
            self.visit_s = time_s if self.visit_s is None else self.visit_s
            self.left_s = time_s
            self.covered(near, self.visit_s)
        self.standing = [box for box in self.standing if self.stands(box, labels, near)]
        self.patches, self.labels, self.hand = patches, labels, bool(hands)
        self.dice = np.isin(labels, [patch.label for patch in patches])

    def stands(self, box: Box, labels: Labels, near: Area | None) -> bool:
        """Whether something is still seen where a die lay, or a hand hides it."""
        x, y, w, h = box
        row, column = min(y + h // 2, labels.shape[0] - 1), min(x + w // 2, labels.shape[1] - 1)
        around = labels[max(0, row - 2) : row + 3, max(0, column - 2) : column + 3]
        return bool(around.any()) or (near is not None and bool(near[row, column]))

    def came_from(self, patches: Sequence[Patch], reach: float, at_rim: set[int]) -> dict[int, list[Patch]]:
        """The patches of the frame before that each (by its label) is made of; sets the masses.

        One becomes one, the nearest first; of those left over several became one, or one became several. What
        lies in the strip along the edge (`at_rim`) may be a hand: it was dice only if it looks like those, or
        lies where they lay.
        """
        came: dict[int, list[Patch]] = {}
        left = {id(patch): patch.mass for patch in self.patches}
        shrunk = {id(patch): patch.area for patch in self.patches}
        pairs = sorted(
            (_apart(now, before) + (0.0 if _alike(now, before) else 0.3 * reach), i, j)
            for i, now in enumerate(patches)
            for j, before in enumerate(self.patches)
            if _apart(now, before) <= reach + max(now.box[2:]) / 2
            and (_alike(now, before) or now.label not in at_rim or _touch(now, before))
        )
        gone: set[int] = set()
        for _, i, j in pairs:
            now, before = patches[i], self.patches[j]
            if now.label not in came and j not in gone:
                came[now.label] = [before]
                gone.add(j)
                now.mass = min(before.mass, float(now.area))
                left[id(before)] -= now.mass
                shrunk[id(before)] -= now.area
        for _, i, j in pairs:
            now, before = patches[i], self.patches[j]
            lacks = now.area - now.mass
            if lacks > APART * now.area and left[id(before)] > APART * before.mass:
                given = min(lacks, left[id(before)])
                now.mass += given
                left[id(before)] -= given
                came.setdefault(now.label, []).append(before)
        for _, i, j in pairs:
            now, before = patches[i], self.patches[j]
            if now.label not in came and shrunk[id(before)] >= now.area / 2:
                came[now.label] = [before]
                shrunk[id(before)] -= now.area
        return came

    def reach_of(self, hand: Area, shaded: Image, time_s: float) -> Area:
        """Where the hand is or may be holding something; remembered as touched.

        What is taken for its shadow may be a part of it that has the tray's own colour.
        """
        _, found = cv2.connectedComponents(shaded, connectivity=8)
        touched = np.unique(found[hand & (found > 0)])
        hand = np.isin(found, touched)
        side = 2 * round(NEAR_HAND_MM * self.px_per_mm) + 1
        near = np.asarray(cv2.dilate(hand.astype(np.uint8), np.ones((side, side), np.uint8)), np.bool_)
        if self.touched_s is None:
            self.touched_s = np.full(self.area.shape, -np.inf, np.float64)
        self.touched_s[near] = time_s
        return near

    def follow(self, patch: Patch, ones: Sequence[Patch], own: Area, time_s: float) -> None:
        """Gives the patch, whose pixels in its box are `own`, the history of those that it was before."""
        step_mm = _apart(patch, ones[0]) / self.px_per_mm
        if (len(ones) > 1 or not _alike(patch, ones[0])) and self.dice is not None:
            x, y, w, h = patch.box
            lay = float(self.dice[y : y + h, x : x + w][own].mean())
            if lay > APART:
                step_mm = min(step_mm, (1 - lay) * min(w, h) / self.px_per_mm)
        moves = step_mm >= STEP_MM
        whole = [one for one in ones if not one.old and one.mass >= LEAST_DIE_MM2 * self.px_per_mm**2]
        if moves or not whole:
            like = max(ones, key=lambda one: one.path_mm)
        else:
            like = min(whole, key=lambda one: one.path_mm)
        patch.path_mm = like.path_mm + (step_mm if moves else 0.0)
        patch.free_s = like.free_s
        patch.moved_s = time_s if moves else max(one.moved_s for one in ones)
        same = patch.area <= GROWN * sum(one.area for one in ones)
        patch.rested = same and not moves and all(one.rested for one in ones)
        patch.old = same and all(one.old for one in ones)

    def covered(self, near: Area, visit_s: float) -> None:
        """Remembers that a hand came over dice that had been thrown and not yet been read.

        Where they lay still and free of hands for long before this hand's visit, the table could not read
        them for reasons of its own, and somebody has to take them up.
        """
        for patch in self.patches:
            column, row = round(patch.at[0]), round(patch.at[1])
            in_time = visit_s - max(patch.moved_s, self.free_s) < UNREAD_S
            if in_time and not patch.old and near[row, column] and patch.flew(EDGE_OF_MM["d6"], 0.0):
                self.interfered = True

    def idle(self, time_s: float) -> None:
        """Nothing has changed since the last frame."""
        self.time_s = time_s
        self.frames += 1

    def settle(self, dice: Sequence[DieReading], by: int, time_s: float) -> Flight:
        """What happened since the last time, now that these dice lie still.

        Args:
            dice: all that lie there, with boxes in pixels of the frame.
            by: so many pixels of the frame make one of the small frame.
            time_s: of the frame that was read.
        """
        boxes = [_small(die.box, by) for die in dice]
        arrivals = tuple(self.arrival(box, die.kind) for box, die in zip(boxes, dice, strict=True))
        knocked = not self.unseen and any(
            not any(_same(box, now) for now in boxes) and self.last_touch(box) <= self.settled_s
            for box in self.settled
        )
        fps = min(1 / self.pace_s, FASTEST_FPS) if self.pace_s > 0 else 0.0
        flight = Flight(arrivals, knocked, self.interfered, fps)
        self.settled, self.standing, self.settled_s = boxes, boxes, time_s
        self.unseen = self.interfered = False
        for patch in self.patches:
            patch.rested, patch.old, patch.path_mm, patch.free_s = True, True, 0.0, time_s
        self.begun_s, self.frames = time_s, 1
        return flight

    def arrival(self, box: Box, kind: Kind | None) -> Arrival:
        """How the die in this box came to lie there."""
        if self.unseen:
            return Arrival.UNSEEN
        if any(_same(box, old) for old in self.settled) and self.last_touch(box) <= self.settled_s:
            return Arrival.LAY
        patch = self.patch_at(box)
        if patch is not None and not patch.old and patch.flew(EDGE_OF_MM[kind or "d6"], self.pace_s):
            return Arrival.THROWN
        return Arrival.TOUCHED if self.interfered else Arrival.PLACED

    def patch_at(self, box: Box) -> Patch | None:
        """The patch that the die in this box belongs to."""
        if self.labels is None:
            return None
        x, y, w, h = box
        part = self.labels[max(0, y + h // 4) : y + h - h // 4, max(0, x + w // 4) : x + w - w // 4]
        counts = np.bincount(part.ravel()) if part.size else np.zeros(1, int)
        counts[0] = 0
        label = int(counts.argmax())
        return next((patch for patch in self.patches if patch.label == label and counts[label]), None)

    @property
    def pace_s(self) -> float:
        """Mean time between two frames since the last settled state."""
        return ((self.time_s or self.begun_s) - self.begun_s) / max(1, self.frames - 1)

    def last_touch(self, box: Box) -> float:
        """When a hand was last over this place."""
        if self.touched_s is None:
            return -np.inf
        x, y, w, h = box
        part = self.touched_s[max(0, y + h // 4) : y + h - h // 4, max(0, x + w // 4) : x + w - w // 4]
        return float(part.max()) if part.size else -np.inf


def foreground(small: Image, bare: Image) -> tuple[Image, Image]:
    """255 where a frame (uint8, H×W×3 BGR) differs from the empty tray, else 0: without and with shadows."""
    off = largest(cv2.absdiff(small, bare)) > FOREGROUND
    one_more = np.asarray(cv2.max(bare, np.array(1.0)), np.uint8)
    part = np.asarray(cv2.divide(small, one_more, scale=SHADOW_UNIT), np.uint8)
    most = largest(part)
    least = ~largest(~part)
    shadow = (least > SHADOW[0] * SHADOW_UNIT) & (most < SHADOW[1] * SHADOW_UNIT)
    shadow &= most - least < SHADOW_SPREAD * SHADOW_UNIT
    return cleaned(off & ~shadow), cleaned(off)


def cleaned(mask: Area) -> Image:
    """255 where the mask (bool, H×W) is set, without specks and with small holes filled."""
    whole = mask.astype(np.uint8) * np.uint8(255)
    whole = np.asarray(cv2.morphologyEx(whole, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)
    return np.asarray(cv2.morphologyEx(whole, cv2.MORPH_CLOSE, np.ones((3, 3), np.uint8)), np.uint8)


def largest(levels: npt.ArrayLike) -> Image:
    """The largest of each pixel's three channels."""
    blue, green, red = cv2.split(np.asarray(levels, np.uint8))
    return np.asarray(cv2.max(cv2.max(blue, green), red), np.uint8)


def same_light(bare: Image, small: Image) -> Image:
    """The empty tray's picture in the light of a frame of the same size, if that changed everywhere alike."""
    some = (slice(None, None, 6), slice(None, None, 6))
    gain = np.median((small[some] + 1.0) / (bare[some] + 1.0), axis=(0, 1))
    return np.asarray(cv2.convertScaleAbs(bare, alpha=float(gain.mean())), np.uint8)


def _small(box: Box, by: int) -> Box:
    x, y, w, h = box
    return x // by, y // by, w // by + 1, h // by + 1


def _apart(one: Patch, other: Patch) -> float:
    return float(np.hypot(one.at[0] - other.at[0], one.at[1] - other.at[1]))


def _alike(one: Patch, other: Patch) -> bool:
    return one.area <= GROWN * other.area and other.area <= GROWN * one.area


def _touch(one: Patch, other: Patch) -> bool:
    (x, y, w, h), (left, top, wide, high) = one.box, other.box
    return x <= left + wide and left <= x + w and y <= top + high and top <= y + h


def _same(one: Box, other: Box) -> bool:
    """Whether the middles of two boxes are nearer than a quarter of their size."""
    dx = one[0] + one[2] / 2 - other[0] - other[2] / 2
    dy = one[1] + one[3] / 2 - other[1] - other[3] / 2
    return bool(np.hypot(dx, dy) < 0.25 * min(*one[2:], *other[2:]))
