"""The empty tray as it would look in a frame's light, from a picture that follows what changes about it.

The light of a frame is judged everywhere, under the dice too; what lies in the tray is never taken into the
picture, however long it lies. Works on small frames. `DiceReader.read` takes the picture as `background`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision.foreground import largest
from vision.frames import downsample, middle_level
from vision.motion.stillness import Area
from vision.reading import Box, Image

OFF: Final = 6.0
"""Grey levels (any channel) by which a thing differs from the tray, at least. Lower: the tray's own grain is
taken for things, and its light is judged in fewer places."""
OFF_PART: Final = 1 / 5
"""Part of the tray's own level by which a thing differs from it, at least. Higher: a black die on a black
tray is taken for a change of light; lower: a change of light is taken for a thing."""
AROUND_PX: Final = 7
"""Pixels around a thing that are left out too, for its shadow and its glow."""
LIGHT_PX: Final = (61, 61)
"""The neighbourhood whose light is the same, width and height. Less: a die's own colour is taken for light;
more: the edge of a lamp's light is smeared."""
FOLLOWS_S: Final = 20.0
"""Seconds to follow a change of the tray itself, such as a stain. Less: a die of the tray's colour
that lies there becomes background sooner. More: a stain is taken for a thing for longer."""
Floats: TypeAlias = npt.NDArray[np.float32]


class BackgroundModel:
    """A picture of the empty tray (uint8 or float, H×W×3 BGR, of any size) that stays up to date."""

    def __init__(self, picture: npt.NDArray[Any]) -> None:
        self.picture = picture.astype(np.float32)
        self.seen_s: float | None = None

    def now(self, small: Image) -> Image:
        """The empty tray as it would look in this small frame's light, of the same size."""
        return np.asarray(np.rint(today(self.fitted(small))), np.uint8)

    def fitted(self, small: Image, named: Area | None = None) -> Floats:
        """The picture in the small frame's light, each level and one more.

        `named` (bool, H×W): where nothing is known to lie; None if nothing is known.
        """
        level = small.astype(np.float32)
        level += 1
        if self.picture.shape != small.shape:
            self.picture = self.resized(small.shape[1], small.shape[0]).picture
        base = self.picture + 1
        gains = level[::4, ::4] / base[::4, ::4]
        base *= np.median(gains.reshape(-1, 3), axis=0).astype(np.float32)
        shown = is_background(level, base)
        if named is not None:
            shown &= named
        part = cv2.merge([shown.astype(np.float32)] * 3)
        lit, whole = (cv2.blur(cv2.multiply(one, part), LIGHT_PX) for one in (level, base))
        gain = np.divide(lit, np.maximum(whole, 1), out=lit)
        if whole.min() <= 1:  # nothing of the tray is seen within a neighbourhood
            gain[whole <= 1] = 1
        base *= gain
        return base

    def follow(self, small: Image, things: Sequence[Box], time_s: float) -> None:
        """Learns what changed about the tray from a still small frame, slowly; `things` are boxes over it.

        The frame's light is not kept: a light that is judged anew on top of the last one swings up.
        """
        named = np.ones(small.shape[:2], bool)
        for x, y, w, h in things:
            named[max(0, y - AROUND_PX) : y + h + AROUND_PX, max(0, x - AROUND_PX) : x + w + AROUND_PX] = (
                False
            )
        base = self.fitted(small, named)
        shown = is_background(small.astype(np.float32) + 1, base) & named
        since = 0.0 if self.seen_s is None else min(max(0.0, time_s - self.seen_s), FOLLOWS_S)
        self.seen_s = time_s
        part = np.float32(1 - np.exp(-since / FOLLOWS_S))
        self.picture[shown] += part * (self.plain(small, base, shown) - self.picture[shown])

    def take(self, small: Image, where: Area) -> None:
        """Takes over what a small frame shows of the tray `where` (bool, H×W) nothing lies."""
        self.picture[where] = self.plain(small, self.fitted(small), where)

    def plain(self, small: Image, base: Floats, where: Area) -> Floats:
        """The pixels of a small frame `where` (bool, H×W), in the picture's own light, n×3.

        `base` is the picture in the frame's light, see `fitted`.
        """
        return (small[where] + np.float32(1)) * (self.picture[where] + 1) / (today(base[where]) + 1) - 1

    def resized(self, width: int, height: int) -> BackgroundModel:
        """A copy of this model, resized to a width and a height in pixels."""
        return BackgroundModel(cv2.resize(self.picture, (width, height), interpolation=cv2.INTER_AREA))

    def moved(self, matrix: npt.NDArray[np.float64]) -> BackgroundModel:
        """The tray as a moved camera sees it: `matrix` maps small pixels before the move to those after."""
        size = (self.picture.shape[1], self.picture.shape[0])
        picture = cv2.warpPerspective(self.picture, matrix, size, borderMode=cv2.BORDER_REPLICATE)
        return BackgroundModel(picture)


class Standing:
    """Since when each place of small frames of one size has looked as it does, in seconds."""

    def __init__(self, frame: Image, time_s: float) -> None:
        self.picture = frame.astype(np.float32) + 1
        self.begun_s = time_s
        self.since_s = np.full(frame.shape[:2], time_s)

    def see(self, frame: Image, time_s: float) -> None:
        """One more frame (uint8, H×W×3 BGR), in whatever light."""
        level = frame.astype(np.float32)
        level += 1
        self.picture *= np.float32(middle_level(level[::4, ::4] / self.picture[::4, ::4]))
        blue, green, red = cv2.split(cv2.absdiff(level, self.picture))
        off = cv2.max(cv2.max(blue, green), red) > OFF
        cv2.copyTo(level, off.view(np.uint8), self.picture)
        np.copyto(self.since_s, time_s, where=off)


def today(base: Floats) -> Floats:
    """The levels of a picture that was fitted to a frame's light."""
    return np.clip(base - 1, 0, 255)


def is_background(level: Floats, base: Floats) -> Area:
    """Where nothing lies, nor near it."""
    far = cv2.compare(cv2.absdiff(level, base), np.maximum(base * np.float32(OFF_PART), OFF), cv2.CMP_GT)
    off = largest(np.asarray(far, np.uint8))
    off = np.asarray(cv2.morphologyEx(off, cv2.MORPH_OPEN, np.ones((2, 2), np.uint8)), np.uint8)
    return np.asarray(cv2.dilate(off, np.ones((AROUND_PX, AROUND_PX), np.uint8)) == 0)


def matched(frame: Image, background: Image) -> Image:
    """A reference photograph brought to a frame's light and place, small.

    It may be of another size, darker, or taken by a camera that stood a little aside.
    """
    small = downsample(frame)
    tray = BackgroundModel(downsample(background))
    best = tray.now(small)
    size = (small.shape[1], small.shape[0])
    if min(size) < 2:
        return best
    grey = [np.asarray(cv2.cvtColor(p, cv2.COLOR_BGR2GRAY), np.float32) for p in (best, small)]
    (x, y), _ = cv2.phaseCorrelate(grey[0], grey[1], cv2.createHanningWindow(size, cv2.CV_32F))
    shifted = tray.moved(np.array([[1.0, 0, x], [0, 1, y], [0, 0, 1]])).now(small)
    return min(best, shifted, key=lambda picture: float(np.mean(cv2.absdiff(picture, small))))
