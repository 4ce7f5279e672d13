"""What each part of a small frame shows: the tray, dice, or a hand or anything else."""

from __future__ import annotations

from typing import Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision.foreground import largest
from vision.motion.background import OFF
from vision.reading import Box, Image, Net

Classes: TypeAlias = npt.NDArray[np.uint8]
"""H×W: TRAY, DIE or OTHER for each pixel of a small frame."""
Mask: TypeAlias = npt.NDArray[np.bool_]
TRAY, DIE, OTHER = 0, 1, 2
CLASSES: Final = 3
PIXELS: Final = 160 * 96
"""About how many pixels the net sees. More: slower, and finer outlines."""
DIE_PX: Final = 10.0
"""Width of a die in the frame that the net sees, while the scale of the tray is not known. More: bare cloth
farther from a hand is a part of it; less: parts of a hand that look like the tray are tray."""
MULTIPLE: Final = 16
"""The sides of the frame that the net sees are multiples of this, as its strides require."""
LEAST_HAND: Final = 0.5
"""A hand in the tray covers at least this part of a die's area there. Lower: specks are hands."""
LEAST_ALONE: Final = 4.0
"""A hand that comes from nowhere covers the area of at least this many dice: its sleeve may have the colour
of the tray. Lower: a clump of dice is a hand."""
SURE: Final = 2.0
"""Logits by which the tray is likelier than all else where it is surely seen. Less: slits in a hand are taken
for tray, too."""


def size_for(shape: tuple[int, ...]) -> tuple[int, int]:
    """Width and height in which a frame of this shape (H×W…) is shown to the net: 160 × 96 of 1280 × 720."""
    scale = (PIXELS / (shape[0] * shape[1])) ** 0.5
    width, height = (max(1, round(shape[axis] * scale / MULTIPLE)) * MULTIPLE for axis in (1, 0))
    return width, height


class Segmenter:
    """Segments small frames with a net: (1, 6, h, w) in [0, 1] to logits (1, CLASSES, h, w)."""

    def __init__(self, net: Net) -> None:
        self.net = net

    def segment(self, frame: Image, background: Image) -> Classes:
        """The class of each pixel of a frame (uint8, H×W×3 BGR) of the size that `size_for` gives.

        `background` is the empty tray, of the same size and in the same light.
        """
        return without_tray(likeliest(self.logits(frame, background)), frame, background)

    def segment_alone(self, frame: Image) -> tuple[Classes, Mask]:
        """The classes of a frame whose tray is unknown, and where it surely shows bare tray (bool, H×W)."""
        logits = self.logits(frame, frame)
        return likeliest(logits), np.asarray(logits[TRAY] - np.maximum(logits[DIE], logits[OTHER]) > SURE)

    def logits(self, frame: Image, empty: Image) -> npt.NDArray[np.float32]:
        """CLASSES×H×W."""
        both = cv2.dnn.blobFromImages([frame, empty], 1 / 255).reshape(1, 6, *frame.shape[:2])
        return np.asarray(self.net(both)[0], np.float32)


def likeliest(logits: npt.NDArray[np.float32]) -> Classes:
    """The likeliest class of each pixel; the tray of those that are as likely."""
    tray, die, other = logits
    classes = np.where(die > tray, np.uint8(DIE), np.uint8(TRAY))
    np.copyto(classes, OTHER, where=other > np.maximum(tray, die))
    return classes


def without_tray(classes: Classes, frame: Image, background: Image) -> Classes:
    """The classes with OTHER taken for tray wherever nothing within a die's width is off the empty tray.

    The net takes some rims for a hand, and bare cloth beside a cup or a tower.
    """
    other = classes == OTHER
    if not other.any():
        return classes
    off = (largest(cv2.absdiff(frame, background)) > OFF).astype(np.uint8)
    bare = cv2.dilate(off, disc(DIE_PX)) == 0
    return np.where(other & bare, np.uint8(TRAY), classes)


def without_specks(classes: Classes, die_area: float, outside: Mask) -> Classes:
    """The classes with what is too small for a hand taken for dice where it touches one, else for tray.

    A hand comes from `outside` (bool, H×W), or is so large that its sleeve may look like the tray.
    """
    other = classes == OTHER
    if not other.any():
        return classes
    count, labels, stats, _ = cv2.connectedComponentsWithStats(other.view(np.uint8))
    reaching = set(np.unique(labels[outside]).tolist())
    least = [die_area * (LEAST_HAND if i in reaching else LEAST_ALONE) for i in range(count)]
    specks = [i for i in range(1, count) if stats[i, cv2.CC_STAT_AREA] < least[i]]
    if not specks:
        return classes
    cleaned = classes.copy()
    at_die = set(
        labels[cv2.dilate((classes == DIE).astype(np.uint8), np.ones((3, 3), np.uint8)) > 0].tolist()
    )
    for i in specks:
        cleaned[labels == i] = DIE if i in at_die else TRAY
    return cleaned


def resized(picture: Image) -> Image:
    """A picture in the size in which the net sees it."""
    return np.asarray(cv2.resize(picture, size_for(picture.shape), interpolation=cv2.INTER_AREA), np.uint8)


Times: TypeAlias = npt.NDArray[np.float32]
CLOSE: Final = 0.35
"""Die widths within which two things are in one place: a die that lies where it lay, dice in one blob, a hand
that can have put a die there."""
SLOW: Final = 5.0
"""Die widths a second below which a hand's outline is slow. Higher: a hand that passes has stopped."""
STOPPED_S: Final = 0.1
"""How long a hand's outline is slow before it has stopped at a place: at the turn of a throw a hand stops for
an instant."""
MOMENT_S: Final = 0.07
"""A die that rests longer, or from one frame of a slow camera to the next, lies open. A hand must not move
farther between two frames of a slow camera than in this time."""


class Places:
    """Times in seconds after `start_s` for each pixel of small frames of one shape; -inf: never."""

    def __init__(self, shape: tuple[int, int], die_px: float, start_s: float) -> None:
        self.die_px, self.start_s, self.time_s = die_px, start_s, start_s
        self.bare_s, self.hand_s, self.stopped_s = (np.full(shape, -np.inf, np.float32) for _ in range(3))
        self.slow_for_s = np.zeros(shape, np.float32)
        self.open_s = np.full(shape, np.inf, np.float32)
        self.hand = np.zeros(shape, np.uint8)
        self.still = np.zeros(shape, np.bool_)
        self.near, self.at_die = (disc(wide * die_px) for wide in (CLOSE, CLOSE + 0.5))

    def see(self, classes: Classes, time_s: float, unlike: Mask | None = None) -> None:
        """One more frame; `unlike` (bool, H×W): where it shows no shade of the tray, whatever its class."""
        since_s, self.time_s = min(time_s - self.time_s, MOMENT_S), time_s
        now = np.float32(time_s - self.start_s)
        hand = (classes == OTHER).astype(np.uint8)
        bare, alone = classes == TRAY, classes == DIE
        if hand.any():
            near = cv2.dilate(hand, self.near) > 0
            bare &= ~near
            alone &= cv2.dilate(hand, self.at_die) == 0
            np.copyto(self.hand_s, now, where=near)
            self.still = near & self.is_slow(hand, since_s)
            self.slow_for_s += np.float32(since_s)
            np.copyto(self.slow_for_s, 0, where=~self.still)
            np.copyto(self.stopped_s, now, where=self.slow_for_s >= STOPPED_S)
        else:
            self.still = np.zeros_like(bare)
            self.slow_for_s[:] = 0
        if unlike is not None:
            bare &= ~unlike
        np.copyto(self.bare_s, now, where=bare)
        np.copyto(self.open_s, np.inf, where=bare)
        np.minimum(self.open_s, now, out=self.open_s, where=alone)
        self.hand = hand

    def add_hand(self, hand: Mask) -> None:
        """A hand has stood here (bool, H×W) up to now, and passed for the tray: it may have let dice go."""
        near = cv2.dilate(hand.astype(np.uint8), disc(self.die_px)) > 0
        self.bare_s[near], self.open_s[near] = -np.inf, np.inf
        self.hand_s[near] = self.stopped_s[near] = self.time_s - self.start_s

    def lose_sight(self, time_s: float) -> None:
        """A hand may have been anywhere since the last frame."""
        self.time_s = time_s
        self.hand_s[:] = time_s - self.start_s
        self.slow_for_s[:] = 0

    def is_slow(self, hand: npt.NDArray[np.uint8], since_s: float) -> npt.NDArray[np.bool_]:
        """Where the outline of the hand has hardly moved: what changed, for each pixel of outline."""
        side = 2 * round(self.die_px) + 1
        changed = cv2.blur((hand != self.hand).astype(np.float32), (side, side))
        outline = cv2.blur(
            (hand - cv2.erode(hand, np.ones((3, 3), np.uint8))).astype(np.float32), (side, side)
        )
        return np.asarray((outline > 0) & (changed <= outline * (SLOW * self.die_px * since_s)))

    def bare(self, box: Box) -> float:
        """When most of the middle of this box was last seen bare."""
        return self.last(cut_times(self.bare_s, inner(box)), 0.5)

    def open(self, box: Box) -> float:
        """When a die was first seen at this box since that was bare, with no hand near; inf if none was."""
        return self.last(cut_times(self.open_s, inner(box)), 0.5)

    def is_bare(self, box: Box) -> bool:
        """Whether most of the middle of this box is bare in the newest frame."""
        return self.bare(box) >= self.start_s + float(np.float32(self.time_s - self.start_s))

    def by_hand(self, box: Box) -> float:
        """When a hand was last near this box."""
        return self.last(cut_times(self.hand_s, box), 1.0)

    def stopped(self, box: Box) -> float:
        """When a hand last stood still near this box."""
        return self.last(cut_times(self.stopped_s, box), 1.0)

    def last(self, times: Times, part: float) -> float:
        """The latest (1.0) or another quantile of some times, on the frames' clock."""
        if not times.size:
            return -np.inf
        at = int(part * (times.size - 1))  # np.quantile takes ten times as long
        return self.start_s + float(np.partition(times, at, axis=None)[at])


def disc(radius_px: float) -> npt.NDArray[np.uint8]:
    """What `cv2.dilate` needs to reach so far."""
    side = 2 * max(1, round(radius_px)) + 1
    return np.asarray(cv2.getStructuringElement(cv2.MORPH_ELLIPSE, (side, side)), np.uint8)


def inner(box: Box) -> Box:
    """The middle of a box, half as wide and high."""
    x, y, w, h = box
    return x + w // 4, y + h // 4, w - 2 * (w // 4), h - 2 * (h // 4)


def cut_times(times: Times, box: Box) -> Times:
    """The part of a map within a box."""
    x, y, w, h = box
    return times[max(0, y) : y + h, max(0, x) : x + w]
