"""Watches the tray frame by frame: is it dark, is a hand in it, does a die move, or does all lie still?

It looks at each frame once, with the frame's own time as its only clock. While nothing changes it costs a
comparison with the frames before. As soon as something does, a net segments the frame, and dice are tracked.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.foreground import STEP, largest, off_shades
from vision.frames import LOST_S, downsample, middle_level
from vision.motion.background import OFF, BackgroundModel, Standing
from vision.motion.segmentation import (
    DIE,
    DIE_PX,
    LEAST_HAND,
    OTHER,
    STOPPED_S,
    TRAY,
    Classes,
    Places,
    Segmenter,
    cut_times,
    disc,
    resized,
    size_for,
    without_specks,
)
from vision.motion.stillness import WINDOW_S, Area, Stillness
from vision.motion.tracks import Tracker
from vision.reading import Box, Image, Part

UNLIT_LEVEL: Final = 22.0
"""Grey level that the brightest part of the tray has in the dark, at most."""
DIE_MM: Final = 16.0
"""The width of a common die."""
STAYS_S: Final = 2.0
"""What has not moved for so long is no hand. Less: a hand that hovers is read around; more: a table with a
thing at its edge waits longer. Where the tray was never seen, half of it is enough to take what is there for
tray: hands come into a view later."""
EDGE: Final = 0.1
"""Part of a standing thing's outline that may flicker. More: a hand of which one finger moves stands; less: a
thing whose edge flickers in a compressed picture stays a hand."""
CHANGED: Final = 0.25
"""Part of a place that looks otherwise once a die came there, at least. More: a die like its cloth did not
come; less: a compressed picture that trembles brings dice."""
ALONE_S: Final = 0.1
"""How often a frame is segmented without the empty tray too while nothing changes where the tray was never
seen. Less: slower; more: a tray that comes out of a shadow is learned later."""
REFRESHED_S: Final = 1.0
"""How often the empty tray is brought to a still frame's light, and lost markers are looked for."""


class Motion(StrEnum):
    """What the tray is doing."""

    MOVING = "moving"
    HAND = "hand"
    UNLIT = "unlit"
    SETTLED = "settled"


class MotionWatch:
    """Watches frames of one size.

    Args:
        segmenter: separates dice and hands from the tray.
        area: the part of the small frame (`downsample`) that is watched, bool, H×W; None for all of it.
        background: the empty tray; None if it is not known. It is then put together from what frames show
            bare.
        die_px: the width of a 16 mm die in the segmented frame, if the scale is known.
        window_s: nothing must have moved for so long before the tray is settled.

    Attributes:
        small: the newest frame, small.
        classes: what it shows; what an earlier one showed if nothing has changed since.
        tracker, places: the dice, and when each place was bare or near a hand.
        unseen: where the empty tray is still unknown, bool, in the segmented frame.
        alone: what was last segmented without the empty tray, at `alone_s`.
        presumed: where a thing that never moved passes for the tray, the same.
        covers: where something that is no die has stood for so long that it is no hand, the same.
        idle: nothing has changed since the dice were read.
    """

    def __init__(
        self,
        segmenter: Segmenter,
        area: Area | None = None,
        background: BackgroundModel | None = None,
        die_px: float | None = None,
        window_s: float = WINDOW_S,
    ) -> None:
        self.window_s = window_s
        self.segmenter = segmenter
        self.area = area
        self.background = background
        self.known = background is not None
        self.scale_known = die_px is not None
        self.die_px = die_px or DIE_PX
        self.stillness = Stillness(area, window_s)
        self.tracker = Tracker(self.die_px)
        self.places = Places((0, 0), self.die_px, 0.0)
        self.small: Image | None = None
        self.empty: Image | None = None
        self.empty_s = -np.inf
        self.classes: Classes = np.zeros((1, 1), np.uint8)  # OpenCV crashes on an empty one
        self.inside: Area = np.zeros((1, 1), np.bool_)
        self.outside = self.unseen = self.presumed = self.covers = self.inside
        self.standing: Standing | None = None
        self.alone: Classes = self.classes
        self.alone_s = -np.inf
        self.part: Area | None = None
        self.idle = False
        self.time_s = -np.inf

    def watch(self, frame: Image, time_s: float) -> Motion:
        """What the tray does up to this frame (uint8, H×W×3 BGR)."""
        small = self.small = downsample(frame)
        grey = np.asarray(cv2.cvtColor(small, cv2.COLOR_BGR2GRAY), np.uint8)
        if cv2.erode(grey[::2, ::2], np.ones((3, 3), np.uint8)).max() < UNLIT_LEVEL:
            self.stillness.forget()
            self.lose_sight(time_s)
            self.empty = None
            return Motion.UNLIT
        still = self.stillness.see(grey, time_s, self.part)
        if self.idle and still:
            self.time_s = time_s
            return Motion.SETTLED
        self.segment(small, time_s)
        if self.hand_in_tray():
            return Motion.HAND
        if self.part is None or not self.stillness.still_in(self.part):
            return Motion.MOVING
        return Motion.SETTLED

    def segment(self, small: Image, time_s: float) -> None:
        """Follows dice and hands into a frame in which something moves, or that was not read yet."""
        stale = self.stillness.still and time_s - self.empty_s >= REFRESHED_S
        if (self.idle or stale or self.empty is None) and self.background is not None:
            self.empty, self.empty_s = resized(self.background.now(small)), time_s
        self.idle = False
        frame = resized(small)
        if self.places.bare_s.shape != frame.shape[:2]:
            self.begin(frame.shape[:2], time_s)
        if self.standing is None:
            self.standing = Standing(frame, time_s)
        self.standing.see(frame, time_s)
        stood_s = time_s - self.standing.since_s
        empty = same_light(self.empty, frame)
        seen = self.classified(small, frame, empty, time_s)
        self.classes = without_specks(seen, self.die_px**2, self.outside)
        self.covers = standing_things(self.classes == OTHER, stood_s >= STAYS_S)
        if empty is not None and self.presumed.any() and not self.hand_in_tray():
            self.unmask(frame, empty, stood_s)
        stays = (self.classes == OTHER) & self.unseen & (stood_s >= STAYS_S / 2)
        if stays.any():
            stays &= self.reaching(self.classes == OTHER)
        if stays.any():
            self.learn_tray(small, stays)
            self.presumed = self.presumed | stays
            self.classes[stays] = TRAY
        if not self.known and self.is_empty():
            self.learn_tray(small, ~self.presumed)
        if time_s - self.time_s > LOST_S and np.isfinite(self.time_s):
            self.lose_sight(time_s)
        self.time_s = time_s
        self.places.see(self.classes, time_s, None if empty is None else off_shades(frame, empty) > STEP)
        self.tracker.see(self.classes, self.places.still, self.outside, time_s)
        things = cv2.dilate(
            ((self.classes != TRAY) & self.inside).astype(np.uint8), np.ones((3, 3), np.uint8)
        )
        size = small.shape[1], small.shape[0]
        self.part = np.asarray(cv2.resize(things, size, interpolation=cv2.INTER_NEAREST) > 0)

    def classified(self, small: Image, frame: Image, empty: Image | None, time_s: float) -> Classes:
        """Classifies a segmented frame, and learns from it how the empty tray looks where that is unknown.

        `empty` is what is known of the tray, in the frame's light; elsewhere the frame takes its place.
        """
        if empty is not None and not self.unseen.any():
            return self.segmenter.segment(frame, empty)
        sure = None
        if empty is None or self.unseen_changed() or not 0 <= time_s - self.alone_s < ALONE_S:
            self.alone, sure = self.segmenter.segment_alone(frame)
            self.alone_s = time_s
        if empty is None:
            classes, brighter = self.alone.copy(), self.unseen
        else:
            cv2.copyTo(frame, self.unseen.view(np.uint8), empty)
            classes = self.segmenter.segment(frame, empty)
            classes[self.unseen] = self.alone[self.unseen]
            brighter = (largest(cv2.subtract(frame, empty)) > OFF) & ~self.presumed
        if sure is not None:
            bare = cv2.dilate((~sure).astype(np.uint8), disc(self.die_px)) == 0
            self.learn_tray(small, bare & (self.unseen | brighter))
        return classes

    def unseen_changed(self) -> bool:
        """Whether a place where the tray is still unknown has changed since it was last segmented alone."""
        return self.standing is None or bool((self.standing.since_s[self.unseen] > self.alone_s).any())

    def unmask(self, frame: Image, empty: Image, stood_s: npt.NDArray[np.float64]) -> None:
        """Takes for a hand all along what passed for the tray, and has moved: its place looks otherwise now.

        What is no die, nor beside one, shows that in a frame without another hand, if it has looked so for
        longer than a shadow that passes, and no other thing explains it: of a hand whose sleeve looks like
        the tray nothing reaches out. `stood_s`: how long each place has looked as it does.
        """
        at_die = cv2.dilate((self.classes == DIE).astype(np.uint8), self.places.near) > 0
        at_thing = cv2.dilate((self.classes == OTHER).astype(np.uint8), disc(self.die_px)) > 0
        other = (largest(cv2.absdiff(frame, empty)) > STEP) & (stood_s >= STOPPED_S) & ~at_die & ~at_thing
        shown = cv2.morphologyEx(
            (other & self.presumed).astype(np.uint8), cv2.MORPH_OPEN, np.ones((3, 3), np.uint8)
        )
        _, spots, stats, _ = cv2.connectedComponentsWithStats(shown)
        large = stats[:, cv2.CC_STAT_AREA] >= LEAST_HAND * self.die_px**2
        _, things = cv2.connectedComponents(self.presumed.astype(np.uint8))
        hand = self.presumed & np.isin(things, things[large[spots] & (shown > 0)])
        if hand.any():
            self.presumed, self.unseen = self.presumed & ~hand, self.unseen | hand
            self.places.add_hand(hand)
            self.tracker.forget_paths()

    def learn_tray(self, small: Image, bare: Area) -> None:
        """Takes the empty tray from a small frame where it is `bare`, and was in a shadow or never seen."""
        if self.background is None:
            self.background = BackgroundModel(small)
        elif bare.any():
            size = small.shape[1], small.shape[0]
            where = cv2.resize(bare.astype(np.uint8), size, interpolation=cv2.INTER_NEAREST)
            self.background.take(small, np.asarray(where > 0))
        else:
            return
        self.empty, self.unseen = None, self.unseen & ~bare

    def begin(self, shape: tuple[int, ...], time_s: float) -> None:
        """All that is known of places in segmented frames of this shape begins now."""
        self.places = Places((shape[0], shape[1]), self.die_px, time_s)
        if self.area is None:
            self.inside = np.ones(shape, np.bool_)
        else:
            area = cv2.resize(
                self.area.astype(np.uint8), (shape[1], shape[0]), interpolation=cv2.INTER_NEAREST
            )
            self.inside = np.asarray(area > 0)
        if self.unseen.shape != shape:
            self.unseen = np.zeros(shape, np.bool_) if self.known else self.inside.copy()
            self.presumed = np.zeros(shape, np.bool_)
        self.outside = ~self.inside
        self.outside[[0, -1]] = self.outside[:, [0, -1]] = True

    def lose_sight(self, time_s: float) -> None:
        """Forgets the time since the last frame: anything may have happened."""
        self.time_s = time_s
        self.tracker.lose_sight()
        self.places.lose_sight(time_s)

    def hand_in_tray(self) -> bool:
        """Whether something that is no die reaches into the tray from outside, as a standing cup does not."""
        things = (self.classes == OTHER) & ~self.covers
        if not things.any():
            return False
        hand = self.reaching(things)
        _, labels = cv2.connectedComponents(hand.astype(np.uint8))
        areas = np.bincount(labels[self.inside & hand])
        return bool((areas >= LEAST_HAND * self.die_px**2).any())

    def covered(self) -> Part | None:
        """Where the tray is hidden most by something that has stood for long, and is neither hand nor die."""
        hidden = self.covers & self.inside
        if hidden.sum() < LEAST_HAND * self.die_px**2:
            return None
        (height, width), (rows, columns) = hidden.shape, np.nonzero(hidden)
        down, across = (int(3 * np.median(at) / size) for at, size in ((rows, height), (columns, width)))
        return list(Part)[3 * down + across]

    def reaching(self, things: Area) -> Area:
        """The things in a segmented frame that reach out of the tray; bool, H×W."""
        count, labels = cv2.connectedComponents(things.astype(np.uint8))
        out = np.zeros(count, np.bool_)
        out[labels[self.outside]] = True
        return np.asarray(things & out[labels])

    def settle(self, time_s: float) -> None:
        """The dice were read in this frame: what comes next begins here."""
        self.begin(self.classes.shape, time_s)
        self.places.see(self.classes, time_s)
        self.idle = True

    def scaled(self, box: Box, shape: tuple[int, ...]) -> Box:
        """A box in a frame of this shape, in pixels of the segmented frame."""
        width, height = size_for(shape)
        across, down = width / shape[1], height / shape[0]
        x, y = int(box[0] * across), int(box[1] * down)
        right, bottom = round((box[0] + box[2]) * across), round((box[1] + box[3]) * down)
        return x, y, max(1, right - x), max(1, bottom - y)

    def is_empty(self) -> bool:
        """Whether nothing but the tray is seen."""
        return not (self.classes[self.inside] != TRAY).any()

    def has_seen(self, boxes: Sequence[Box], shape: tuple[int, ...]) -> bool:
        """Whether one of these boxes of a frame of this shape was seen bare, if there are any."""
        cuts = (
            self.unseen[y : y + h, x : x + w] for x, y, w, h in (self.scaled(box, shape) for box in boxes)
        )
        return self.background is not None and (not boxes or any(cut.mean() < 0.5 for cut in cuts))

    def has_changed(self, box: Box, since_s: float) -> bool:
        """Whether a part of this box has looked otherwise since then, or since the view was first seen."""
        if self.standing is None:
            return False
        times = cut_times(self.standing.since_s, box)
        return bool((times > max(since_s, self.standing.begun_s)).mean() > CHANGED) if times.size else False

    def know_background(self, background: BackgroundModel) -> None:
        """Takes a picture of the empty tray from elsewhere."""
        self.background, self.empty, self.known = background, None, True
        self.unseen[:] = False

    def know_dice(self, boxes: Sequence[Box], shape: tuple[int, ...]) -> None:
        """Learns how large dice are from some that were read in a frame of this shape."""
        if not self.scale_known and boxes:
            sides = [(w * h) ** 0.5 for _, _, w, h in (self.scaled(box, shape) for box in boxes)]
            self.die_px = self.tracker.die_px = float(np.median(sides))


def standing_things(things: Area, stood: Area) -> Area:
    """The things in a small frame whose outlines have stood, all but a small part; bool, H×W."""
    if not things.any():
        return np.zeros_like(things)
    shape, around = things.astype(np.uint8), np.ones((3, 3), np.uint8)
    grown = cv2.dilate(shape, around)
    count, labels = cv2.connectedComponents(grown)
    outline = grown > cv2.erode(shape, around)
    sizes, moving = (np.bincount(labels[part], minlength=count) for part in (outline, outline & ~stood))
    return np.asarray(things & (moving <= EDGE * sizes)[labels])


def same_light(background: Image | None, frame: Image) -> Image | None:
    """The empty tray in the light of a frame of the same size, if that changed everywhere alike."""
    if background is None:
        return None
    some = (slice(None, None, 4), slice(None, None, 4))
    gain = middle_level((frame[some] + 1.0) / (background[some] + 1.0))
    return np.asarray(cv2.convertScaleAbs(background, alpha=gain), np.uint8)
