"""Tells hands from dice in a small frame: a hand crosses the tray's edge and is larger than the dice in it.

Knows no clock but the frames' times.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.motion.patches import Patch
    from vision.motion.settings import MotionSettings
    from vision.motion.stillness import Area
    from vision.reading import Image

Labels: TypeAlias = npt.NDArray[np.int32]


class Fingers(NamedTuple):
    """A hand, or what may be fingers, in one frame.

    Attributes:
        at: where they are.
        been: where they have been since they came in …
        since_s: … and when that was.
    """

    at: Area
    been: Area
    since_s: float


class HandWatch:
    """Finds hands at the edge of the watched area.

    Args:
        area: the watched part of the small frame, bool H×W.
        px_per_mm: of the small frame.
        settings: what is a hand.
    """

    def __init__(self, area: Area, px_per_mm: float, settings: MotionSettings) -> None:
        self.limits, self.grown = settings.hands, settings.flight.grown
        self.px_per_mm = px_per_mm
        self.rim = self.strip(area, self.limits.rim_mm)
        self.across_s = np.full(int(self.rim.sum()), np.inf)
        within = cv2.erode(np.pad(area, 1).astype(np.uint8), np.ones((3, 3), np.uint8))[1:-1, 1:-1]
        self.ends = np.asarray(within[self.rim] == 0, np.bool_)
        self.beyond = self.outside(area, self.limits.beyond_mm)
        self.outside_s = np.full(int(self.beyond.sum()), np.inf)

    def strip(self, area: Area, wide_mm: float) -> Area:
        """The outermost part of the watched area."""
        side = 2 * round(wide_mm * self.px_per_mm) + 1
        bordered = np.pad(area.astype(np.uint8)[1:-1, 1:-1], 1)
        inside = np.asarray(cv2.erode(bordered, np.ones((side, side), np.uint8)), np.bool_)
        return np.asarray(area & ~inside, np.bool_)

    def outside(self, area: Area, off_mm: float) -> Area:
        """What lies farther from the watched area than this, and the edge of the frame."""
        side = 2 * round(off_mm * self.px_per_mm) + 1
        near = np.asarray(cv2.dilate(area.astype(np.uint8), np.ones((side, side), np.uint8)), np.bool_)
        near[[0, -1]] = near[:, [0, -1]] = False
        return ~near

    def at_edge(self, labels: Labels, whole: Image, time_s: float) -> set[int]:
        """The labels of what lies in the strip along the edge; remembers since when it is seen there.

        `whole` is what is seen in and around the tray, 255 or 0.
        """
        rim = labels[self.rim]
        self.across_s = np.where(rim > 0, np.minimum(self.across_s, time_s), np.inf)
        self.outside_s = np.where(whole[self.beyond] > 0, np.minimum(self.outside_s, time_s), np.inf)
        return set(np.unique(rim).tolist())

    def forget(self, labels: Labels, resting: Sequence[int]) -> None:
        """These patches lie still: they are no hands that come in."""
        self.across_s[np.isin(labels[self.rim], resting)] = np.inf

    def among(
        self,
        patches: Sequence[Patch],
        labels: Labels,
        solid: Labels,
        whole: Image,
        hand: Area | None,
        time_s: float,
    ) -> list[int]:
        """The labels of the patches that are hands.

        `solid` are the labels without shadows: with theirs, dice in a heap may be as large as a hand. `hand`
        is where one was in the frame before.
        """
        limits = self.limits
        rim = labels[self.rim]
        there = set(np.unique(rim).tolist())
        sizes = np.bincount(solid.ravel(), minlength=int(labels.max()) + 1)
        new = {
            patch.label: self.new_px(patch, float(sizes[patch.label])) / self.px_per_mm**2
            for patch in patches
        }
        few = sum(max(0.0, more) for label, more in new.items() if label in there) < limits.few_mm2
        since_s = time_s - (limits.slow_s if few else limits.finger_s)
        hands = []
        for patch in patches:
            at = rim == patch.label
            more = new[patch.label]
            lasts = bool(at.any()) and (
                self.across_s[at].min() <= since_s
                or (hand is not None and bool((hand & (labels == patch.label)).any()))
            )
            palm = more > limits.palm_mm2 and at.any() and self.radius(patch, labels) > limits.palm_mm
            large = more > limits.arm_mm2 or palm
            if large or (
                more > limits.finger_mm2
                and (
                    self.is_cut(at, time_s)
                    or (lasts and self.is_arm(patch, labels, solid, whole, hand, since_s))
                )
            ):
                hands.append(patch.label)
        return hands

    def new_px(self, patch: Patch, solid: float) -> float:
        """By how many pixels a patch exceeds its dice; `solid` of it are no shadow.

        What seems nearly all shadow is no heap of dice, but may be a hand of that colour.
        """
        more = patch.area - self.grown * patch.mass
        return min(more, solid) if solid >= self.limits.solid_part * patch.area else more

    def maybe(self, patches: Sequence[Patch], labels: Labels) -> list[int]:
        """The labels of the patches that may be fingers.

        Where the rim has the hand's colour nothing tells fingers that come in from dice that do, but that
        they stay.
        """
        rim = labels[self.rim]
        return [
            patch.label
            for patch in patches
            if patch.area - self.grown * patch.mass > self.limits.finger_mm2 * self.px_per_mm**2
            and bool((rim == patch.label).any())
        ]

    def is_cut(self, at: Area, time_s: float) -> bool:
        """Whether the end of the watched area cuts a patch as it does a hand.

        `at` is where the patch is in the strip along the edge.
        """
        stays = at & self.ends & (self.across_s <= time_s - self.limits.cut_s)
        return int(stays.sum()) > self.limits.cut_mm * self.px_per_mm

    def is_arm(
        self,
        patch: Patch,
        labels: Labels,
        solid: Labels,
        whole: Image,
        hand: Area | None,
        since_s: float,
    ) -> bool:
        """Whether a patch across the edge goes on outside or is thicker than dice; those at the wall do not.

        `whole` is what is seen in and around the tray; an arm that is new goes on there since `since_s`.
        Where it has the rim's colour it ends at the rim.
        """
        if self.radius(patch, solid) > self.limits.thick_mm:
            return True
        _, found = cv2.connectedComponents(whole, connectivity=8)
        inside = found[labels == patch.label]
        goes_on = np.isin(found[self.beyond], np.unique(inside[inside > 0]))
        if hand is None:
            goes_on &= self.outside_s <= since_s
        return bool(goes_on.any())

    def radius(self, patch: Patch, labels: Labels) -> float:
        """Of the largest circle within the patch, millimetres."""
        x, y, w, h = patch.box
        own = np.pad((labels[y : y + h, x : x + w] == patch.label).astype(np.uint8), 1)
        return float(cv2.distanceTransform(own, cv2.DIST_L2, 3).max()) / self.px_per_mm

    def reach(self, hand: Area, shaded: Image) -> Area:
        """Where the hand is or may be holding something.

        What is taken for its shadow may be a part of it that has the tray's own colour.
        """
        _, found = cv2.connectedComponents(shaded, connectivity=8)
        labels = np.asarray(found, np.int32)
        return self.around(hand | chosen(labels, labels[hand & (labels > 0)]))

    def around(self, hand: Area) -> Area:
        """Where the hand is, and as far around it as its fingers may hold something."""
        side = 2 * round(self.limits.near_mm * self.px_per_mm) + 1
        return np.asarray(cv2.dilate(hand.astype(np.uint8), np.ones((side, side), np.uint8)), np.bool_)


def chosen(labels: npt.NDArray[np.int32], some: npt.ArrayLike) -> Area:
    """Where the labels (int32, H×W, from 0) are some of these."""
    among = np.zeros(int(labels.max()) + 1, np.bool_)
    among[np.asarray(some, np.intp)] = True
    return np.asarray(among[labels], np.bool_)


def fingers_at(at: Area, before: Sequence[Fingers], time_s: float) -> Fingers:
    """What may be fingers there, which go on from those in the frame before that they overlap."""
    same = [one for one in before if (one.at & at).any()]
    been = np.logical_or.reduce([at, *(one.been for one in same)])
    return Fingers(at, np.asarray(been, np.bool_), min((one.since_s for one in same), default=time_s))
