"""Follows what moves in the tray, so that a die that was thrown can be told from one that was placed.

Works on the small frame against the empty tray's picture. What differs from it and is no hand (`hands`) is
dice. Each patch of dice is followed from frame to frame: how far and how long it moved apart from any hand,
and whether a hand came over it later. Knows no clock but the frames' times.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

import cv2
import numpy as np

from vision.detection.foreground import largest
from vision.motion.flight import Arrival, Flight
from vision.motion.foreground import filled, foreground
from vision.motion.hands import Fingers, HandWatch, Labels, chosen, fingers_at
from vision.motion.looks import Look, OpenDice
from vision.motion.patches import (
    EDGE_OF_MM,
    Patch,
    alike,
    ancestors,
    apart,
    crept,
    same_place,
    touch,
)
from vision.motion.places import Places, last_time, middle
from vision.motion.settings import MotionSettings
from vision.motion.visits import HandVisits, Seen

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from games.dice import Kind
    from vision.motion.stillness import Area
    from vision.reading import Box, DieReading, Image

FASTEST_FPS: Final = 1000.0
TOGETHER: Final = 2
"""Frames within which two things happen at once: a hand leaves, and a die is gone."""


class Standing(NamedTuple):
    """A die that was read and still lies there: its box, and whether more than its sides was seen."""

    box: Box
    plain: bool


@dataclass
class FlightWatch:
    """Follows the dice of one camera position.

    Args:
        area: the watched part of the small frame, bool H×W.
        px_per_mm: of the small frame.
        settings: what is a hand, what moves, and what was thrown.

    Attributes:
        hand_near: in the last frame there was a hand, or something across the edge that may be one.
        shady: there are dice that look like the tray in a shadow, so shadows are followed too.
        fingers: what may be fingers, or a hand.
        slid: an old die left its place when no hand was at it: what may be fingers may have pushed it.
        unread: what lay there when all was settled last and may be something else, such as a cup over dice.
    """

    area: Area
    px_per_mm: float
    settings: MotionSettings = field(default_factory=MotionSettings)
    patches: list[Patch] = field(default_factory=list)
    labels: Labels | None = None
    dice: Area | None = None
    small: Image | None = None
    read_small: Image | None = None
    time_s: float | None = None
    begun_s: float = 0.0
    frames: int = 0
    fps: float = 0.0
    unseen: bool = True
    hand: Area | None = None
    fingers: list[Fingers] = field(default_factory=list)
    hand_near: bool = False
    shady: bool = False
    trail: list[tuple[float, tuple[float, float]]] = field(default_factory=list)
    settled: list[Box] = field(default_factory=list)
    standing: list[Standing] = field(default_factory=list)
    slid: bool = False
    unread: list[Box] = field(default_factory=list)
    settled_s: float = -np.inf

    def __post_init__(self) -> None:
        self.limits = self.settings.flight
        self.places = Places(self.area.shape)
        self.visits = HandVisits(self.limits, self.settings.hands.finger_s)
        self.depth = cv2.distanceTransform(self.area.astype(np.uint8), cv2.DIST_L2, 3)
        self.hands = HandWatch(self.area, self.px_per_mm, self.settings)
        self.watched = self.area.astype(np.uint8) * np.uint8(255)

    def lose_sight(self) -> None:
        """Nobody can tell what happens now."""
        self.unseen, self.patches, self.labels, self.time_s, self.small = True, [], None, None, None
        self.places.lose_sight()
        self.trail.clear()

    def see_nothing(self) -> None:
        """A frame came in which the tray is unlit."""
        self.lose_sight()
        self.frames += 1

    def next_frame(self, time_s: float) -> float:
        """Counts a frame; returns the time since the one before, 0 if there was none."""
        if self.time_s is not None and time_s - self.time_s > self.limits.gap_s:
            self.lose_sight()
        since_s = 0.0 if self.time_s is None else time_s - self.time_s
        if not self.frames:
            self.begun_s = time_s
        self.time_s = time_s
        self.frames += 1
        return since_s

    def see(self, small: Image, background: Image, time_s: float) -> None:
        """Follows the dice to this small frame (uint8, H×W×3 BGR); `background` is in its light."""
        since_s = self.next_frame(time_s)
        whole, shaded = foreground(small, background, self.settings.difference)
        bare, shaded = whole & self.watched, shaded & self.watched
        mask = shaded if self.shady else bare
        mask = self.whole(mask)
        _, found, stats, centroids = cv2.connectedComponentsWithStats(mask, connectivity=8)
        labels = np.asarray(found, np.int32)
        scale = self.px_per_mm**2
        at_rim = self.hands.at_edge(labels, whole, time_s)
        patches = [
            Patch(
                n,
                (float(centroids[n, 0]), float(centroids[n, 1])),
                (x, y, w, h),
                size,
                free_s=time_s,
                moved_s=time_s,
                from_at=(float(centroids[n, 0]), float(centroids[n, 1])),
            )
            for n, (x, y, w, h, size) in enumerate(stats.tolist())
            if n and size >= self.limits.least_mm2 * scale
        ]
        reach = self.limits.fastest_mm_s * since_s * self.px_per_mm
        came_from = ancestors(patches, self.patches, reach, at_rim, self.limits)
        solid = np.where(self.whole(bare) > 0, labels, 0) if self.shady else labels
        hands = self.hands.among(patches, labels, solid, whole, self.hand, time_s)
        patches = [patch for patch in patches if patch.label not in hands]
        hand = chosen(labels, hands) if hands else None
        if hand is not None and self.visits.since_s is None:
            hand |= self.visits.way_in(self.area.shape)
        near = None if hand is None else self.hands.reach(hand, shaded)
        if near is not None:
            self.places.touched_s[near] = time_s
        self.follow_fingers(patches, labels, hand, time_s)
        over = None if hand is None else self.hands.around(hand)
        changed, self.small = differs(small, self.small, self.settings.difference.step), small
        for patch in patches:
            x, y, w, h = patch.box
            own = np.asarray(labels[y : y + h, x : x + w] == patch.label, np.bool_)
            body = own & (bare[y : y + h, x : x + w] > 0)
            held = near is not None and bool((near[y : y + h, x : x + w] & own).any())
            ones = came_from.get(patch.label, [])
            most = self.settings.hands.few_mm2 * scale
            may_be_arm = patch.label in at_rim and patch.area - patch.mass > most
            patch.bare = not may_be_arm and (over is None or not (over[y : y + h, x : x + w] & own).any())
            alters = changed is None or changed[y : y + h, x : x + w][own].mean() > self.limits.alters
            patch.still = not alters or (len(ones) == 1 and self.lies(patch, ones[0]))
            just_left = self.places.touched_s[y : y + h, x : x + w] >= time_s - since_s
            patch.uncovered = not ones and bool((just_left & own).any())
            sure = any(one.path_mm > self.limits.sure_mm for one in ones)
            dice = sure or patch.is_dice(self.limits)
            appears = self.hand is not None and not any(touch(patch, one) for one in ones)
            if ones and dice and not (held or (appears and self.stood(patch, body))):
                self.follow(patch, ones, own)
            else:
                patch.old = self.stood(patch, body)
                uncovered = patch.old and not held and (appears or not ones)
                if uncovered and self.depth[y : y + h, x : x + w][own].min() > self.limits.edge_px:
                    patch.mass = patch.area  # unlike a finger
                if not ones and hand is None and self.hand is None:
                    depth_mm = float(self.depth[round(patch.at[1]), round(patch.at[0])]) / self.px_per_mm
                    patch.path_mm = min(
                        max(0.0, depth_mm - max(patch.box[2:]) / 2 / self.px_per_mm), self.limits.credit_mm
                    )
            if patch.label in at_rim:
                patch.edge_s = time_s
            else:
                patch.mass = patch.area
        resting = [patch.label for patch in patches if time_s - patch.moved_s >= self.settings.hands.finger_s]
        self.hands.forget(labels, resting)
        self.places.see(mask > 0, bare > 0, shaded > 0, near, time_s)
        if near is None:
            self.visits.no_hand(Seen(time_s, patches, labels, at_rim), self.pace_s)
            self.note_way(patches, time_s)
        else:
            self.visits.hand(near, self.patches, time_s, self.settled_s, self.pace_s)
            self.trail.clear()
        gone = [one for one in self.standing if not self.stands(one, labels, near)]
        self.standing = [one for one in self.standing if one not in gone]
        self.slid |= any(self.places.last_touch(one.box) < time_s - TOGETHER * since_s for one in gone)
        self.hand_near = hand is not None or any(
            patch.label in at_rim and not patch.old and not patch.is_dice(self.limits) for patch in patches
        )
        self.patches, self.labels, self.hand = patches, labels, hand
        self.dice = chosen(labels, [patch.label for patch in patches])

    def whole(self, mask: Image) -> Image:
        """The mask with dice filled that are seen only around their tops."""
        return filled(mask, self.limits.top_mm2 * self.px_per_mm**2)

    def follow_fingers(self, patches: list[Patch], labels: Labels, hand: Area | None, time_s: float) -> None:
        """Remembers where fingers may have been since they came in, once it is known that they are some."""
        there = [np.asarray(labels == label, np.bool_) for label in self.hands.maybe(patches, labels)]
        if hand is not None:
            there.append(hand)
        self.fingers = [fingers_at(area, self.fingers, time_s) for area in there]
        for fingers in self.fingers:
            if hand is not None or time_s - fingers.since_s >= self.settings.hands.finger_s:
                self.places.reached_s[self.hands.around(fingers.been)] = time_s

    def open_dice(self) -> OpenDice:
        """Where dice lie that were not read since they came there.

        What comes to light where a cup stood lay still under it.
        """
        labels = self.labels
        if labels is None:
            return OpenDice()
        bare = [patch for patch in self.patches if patch.bare]
        under_cup = [patch for patch in bare if any(self.came_out(patch, labels, box) for box in self.unread)]
        new = [patch for patch in bare if not patch.old]
        arms = where(labels, [patch for patch in self.patches if not patch.bare])
        return OpenDice(
            where(labels, [*under_cup, *(patch for patch in new if patch.still)]),
            where(labels, [patch for patch in new if patch.uncovered]),
            arms if self.hand is None else self.hand if arms is None else arms | self.hand,
        )

    def came_out(self, patch: Patch, labels: Labels, cup: Box) -> bool:
        """Whether the patch is what a cup, or another thing that could not be read, left in its place."""
        if not within(patch.at, cup):
            return False
        if self.places.last_touch(cup) > self.settled_s:
            return True
        if self.small is None or self.read_small is None:
            return False
        x, y, w, h = patch.box
        part = slice(y, y + h), slice(x, x + w)
        changed = largest(cv2.absdiff(self.small[part], self.read_small[part])) > self.settings.looks.changed
        return bool(changed[labels[part] == patch.label].mean() > self.settings.looks.within)

    def lies(self, patch: Patch, before: Patch) -> bool:
        """Whether the patch is where and as large as it was in the frame before, whatever hand is near."""
        near = apart(patch, before) < self.limits.step_mm * self.px_per_mm
        return near and alike(patch, before, self.limits.grown)

    def note_way(self, patches: Sequence[Patch], time_s: float) -> None:
        """Remembers where the dice are that are on their way."""
        moving = (patch for patch in patches if not patch.old and not patch.rested)
        self.trail += [(time_s, patch.at) for patch in moving if patch.is_dice(self.limits)]

    def stood(self, patch: Patch, own: Area) -> bool:
        """Whether the patch, whose pixels in its box without shadows are `own`, is dice where they lay."""
        there = outlines((one.box for one in self.standing), patch.box)
        return bool(own.any()) and bool(there[own].mean() >= self.limits.stood)

    def stands(self, one: Standing, labels: Labels, near: Area | None) -> bool:
        """Whether something is still seen where a die lay, or a hand hides it.

        Of one that was plainly seen, what is left must be more than the dice beside it.
        """
        x, y, w, h = one.box
        row, column = min(y + h // 2, labels.shape[0] - 1), min(x + w // 2, labels.shape[1] - 1)
        if near is not None and near[row, column]:
            return True
        part = labels[y : y + h, x : x + w]
        own = np.ones(part.shape, np.bool_)
        if one.plain:
            beside = (other.box for other in self.standing if other is not one)
            own = ~outlines(beside, (x, y, part.shape[1], part.shape[0]))
        return bool(own.any()) and bool((part[own] > 0).mean() >= self.limits.left_of_it)

    def follow(self, patch: Patch, ones: Sequence[Patch], own: Area) -> None:
        """Gives the patch, whose pixels in its box are `own`, the history of those that it was before."""
        step_mm = apart(patch, ones[0]) / self.px_per_mm
        if (len(ones) > 1 or not alike(patch, ones[0], self.limits.grown)) and self.dice is not None:
            x, y, w, h = patch.box
            lay = float(self.dice[y : y + h, x : x + w][own].mean())
            if lay > self.limits.apart:
                step_mm = min(step_mm, (1 - lay) * min(w, h) / self.px_per_mm)
        moves = step_mm >= self.limits.step_mm
        least = self.limits.least_die_mm2 * self.px_per_mm**2
        whole = [one for one in ones if not one.old and one.mass >= least]
        if moves or not whole:
            like = max(ones, key=lambda one: one.path_mm)
        else:
            like = min(whole, key=lambda one: one.path_mm)
        patch.path_mm = like.path_mm + (step_mm if moves else 0.0)
        patch.free_s = like.free_s
        patch.edge_s = max(one.edge_s for one in ones)
        creeps = len(ones) == 1 and crept(patch, ones[0]) >= self.limits.crept_mm * self.px_per_mm
        if not (moves or creeps):
            patch.moved_s = max(one.moved_s for one in ones)
            patch.from_at = ones[0].from_at
        same = patch.area <= self.limits.grown * sum(one.area for one in ones)
        patch.rested = same and not moves and all(one.rested for one in ones)
        patch.old = same and all(one.old for one in ones)

    def idle(self, time_s: float) -> None:
        """Nothing has changed since the last frame."""
        self.time_s = self.begun_s = time_s
        self.frames = 1

    def settle(self, dice: Sequence[DieReading], by: int, time_s: float) -> Flight:
        """What happened since the last time, now that these dice lie still.

        Args:
            dice: all that lie there, with boxes in pixels of the frame.
            by: pixels of the frame per pixel of the small frame.
            time_s: of the frame that was read.
        """
        boxes = [_small(die.box, by) for die in dice]
        arrivals = tuple(self.arrival(box, die.kind) for box, die in zip(boxes, dice, strict=True))
        knocked = not self.unseen and any(
            not any(same_place(box, now) for now in boxes) and self.places.last_handled(box) <= self.settled_s
            for box in self.settled
        )
        if self.pace_s > 0:
            self.fps = min(1 / self.pace_s, FASTEST_FPS)
        anew = self.places.settle(boxes, time_s)
        if self.unseen:
            anew = (False,) * len(boxes)
        flight = Flight(arrivals, knocked, self.visits.interfered, self.fps, anew)
        self.shady |= not self.unseen and any(self.hardly_seen(box) for box in boxes)
        self.settled, self.settled_s = boxes, time_s
        self.standing = [Standing(box, self.places.is_plain(box, self.limits.plain_part)) for box in boxes]
        self.unread = [box for box, die in zip(boxes, dice, strict=True) if die.value is None]
        read = [box for box, die in zip(boxes, dice, strict=True) if die.sure]
        self.read_small = self.small
        self.unseen = self.slid = False
        for patch in self.patches:
            patch.rested, patch.old, patch.free_s = True, True, time_s
            patch.path_mm = 0.0
            if self.in_boxes(patch, read) >= self.limits.read_part:
                patch.mass = patch.area
        self.begun_s, self.frames = time_s, 1
        self.visits.settle(None if self.labels is None else Seen(time_s, self.patches, self.labels, set()))
        self.trail.clear()
        return flight

    def in_boxes(self, patch: Patch, boxes: Sequence[Box]) -> float:
        """The part of a patch that lies in these boxes of the small frame, 0 … 1."""
        if self.labels is None:
            return 0.0
        left = self.labels == patch.label
        for x, y, w, h in boxes:
            left[y : y + h, x : x + w] = False
        return 1 - np.count_nonzero(left) / patch.area

    def was_thrown(self, box: Box, by: int) -> bool:
        """Whether what lies in this box of the frame moved as a thrown d6 does; `by` as in `settle`."""
        return self.arrival(_small(box, by), None) is Arrival.THROWN

    def was_handled(self, box: Box, before: Look, after: Look | None) -> bool:
        """Whether a hand, or what may have been one, came over a die between two looks.

        Args:
            box: where it lies, in pixels of the small frame.
            before: the look in which it lies otherwise.
            after: the first in which it lies as it does now; None if there is none before now.

        What may be a hand is none if it reaches there in the look before, in which the die lies open; and
        there was none over a die that came when the place was free.
        """
        if self.places.last_background(box) > before.time_s:
            return False
        if last_time(before.handled_s, box) >= before.time_s:
            hand_s = self.places.last_touch(box)
        else:
            hand_s = last_time(self.places.handled_s if after is None else after.handled_s, box)
        return hand_s > before.time_s

    def arrival(self, box: Box, kind: Kind | None) -> Arrival:
        """How the die in this box came to lie there."""
        if self.unseen:
            return Arrival.UNSEEN
        stood = any(same_place(box, old) for old in self.settled)
        touch_s = self.places.last_touch(box)
        if stood and touch_s <= self.settled_s:
            return Arrival.LAY
        patch, edge_mm = self.patch_at(box), EDGE_OF_MM[kind or "d6"]
        free_s = self.places.last_bare(box, self.limits.plain_part)
        stayed = stood and (
            free_s == self.time_s  # it looks like the tray itself
            or any(same_place(box, old.box) for old in self.standing)
        )
        if (
            patch is not None
            and not (stayed or self.pushed(box, patch))
            and free_s > max(touch_s, self.settled_s)
        ):
            if not patch.old and patch.flew(edge_mm, self.pace_s, self.limits):
                return Arrival.THROWN
            background_s, far_mm = self.places.last_background(box), self.limits.edges * edge_mm
            if background_s > max(self.visits.left_s, touch_s, self.settled_s) and self.came_alone(
                box, background_s, patch, far_mm
            ):
                return Arrival.THROWN
        return Arrival.HANDLED

    def pushed(self, box: Box, patch: Patch) -> bool:
        """Whether the die in this box may be an old one that fingers pushed, as they were there since.

        A die that lies at the edge may seem to be fingers itself.
        """
        if not self.slid:
            return False
        handled_s, now_s = self.places.last_handled(box), (self.time_s or 0.0) - TOGETHER * self.pace_s
        itself = handled_s >= now_s and patch.area <= self.limits.grown * box[2] * box[3]
        return not itself and handled_s > self.places.last_background(box)

    def tell_interfered(self) -> None:
        """Somebody else knows that a hand came over dice that had been thrown and were not yet read."""
        self.visits.interfered = True

    def is_free(self, box: Box) -> bool:
        """Whether nothing is seen in this box of the small frame now."""
        return self.places.last_background(box) == self.time_s

    def came_alone(self, box: Box, background_s: float, patch: Patch, far_mm: float) -> bool:
        """Whether a die came so far, without a hand, to this place, which was free at `background_s`.

        If it looks free now, the die looks like the tray itself: nobody can tell since when it lies there,
        and something must have been seen on the way.
        """
        x, y, w, h = box
        row, column = min(y + h // 2, self.depth.shape[0] - 1), min(x + w // 2, self.depth.shape[1] - 1)
        if not self.trail or patch.moved_s - self.trail[0][0] + self.pace_s < self.limits.free_s:
            return False
        from_rim_mm = float(self.depth[row, column]) / self.px_per_mm if background_s != self.time_s else 0.0
        if max(patch.path_mm, from_rim_mm) >= far_mm:
            return True
        came_s = background_s + self.pace_s
        return any(
            math.dist(at, (x + w / 2, y + h / 2)) >= far_mm * self.px_per_mm
            for time_s, at in self.trail
            if time_s <= came_s
        )

    def hardly_seen(self, box: Box) -> bool:
        """Whether the die in this box looks like the tray in a shadow."""
        patch, (_, _, w, h) = self.patch_at(box), box
        return patch is None or patch.area < self.limits.least_seen * w * h

    def patch_at(self, box: Box) -> Patch | None:
        """The patch that the die in this box belongs to."""
        if self.labels is None:
            return None
        part = self.labels[middle(box)]
        counts = np.bincount(part.ravel()) if part.size else np.zeros(1, int)
        counts[0] = 0
        label = int(counts.argmax())
        own = next((patch for patch in self.patches if patch.label == label and counts[label]), None)
        return own or self.all_around(box, self.labels)

    def all_around(self, box: Box, labels: Labels) -> Patch | None:
        """What is seen along all four sides of a die with a top like the tray; of several the stillest."""
        x, y, w, h = box
        part = labels[y : y + h, x : x + w]
        rows, columns = h // 4, w // 4
        sides = (part[:rows], part[-rows:], part[:, :columns], part[:, -columns:])
        if any((side > 0).mean() < self.limits.along_side for side in sides):
            return None
        least = self.limits.along_side * np.count_nonzero(part)
        seen = [patch for patch in self.patches if np.count_nonzero(part == patch.label) >= least]
        return min(seen, key=lambda patch: patch.path_mm, default=None)

    @property
    def pace_s(self) -> float:
        """Mean time between two frames since the tray last lay still."""
        return ((self.time_s or self.begun_s) - self.begun_s) / max(1, self.frames - 1)


def _small(box: Box, by: int) -> Box:
    x, y, w, h = box
    return x // by, y // by, w // by + 1, h // by + 1


def outlines(dice: Iterable[Box], box: Box) -> Area:
    """Where in this box the dice in those lie, and a little around them; bool of its size."""
    x, y, w, h = box
    there = np.zeros((h, w), np.bool_)
    for left, top, wide, high in dice:
        more_x, more_y = wide // 8, high // 8
        columns = slice(max(0, left - more_x - x), max(0, left + wide + more_x - x))
        there[max(0, top - more_y - y) : max(0, top + high + more_y - y), columns] = True
    return there


def within(at: tuple[float, float], box: Box) -> bool:
    """Whether a place lies in a box."""
    x, y, w, h = box
    return x <= at[0] < x + w and y <= at[1] < y + h


def where(labels: Labels, patches: Sequence[Patch]) -> Area | None:
    """Where these patches are; None if there are none."""
    return chosen(labels, [patch.label for patch in patches]) if patches else None


def differs(small: Image, before: Image | None, step: int) -> Area | None:
    """Where a small frame differs by more than `step` from the one before, if there was one."""
    return None if before is None else largest(cv2.absdiff(small, before)) > step
