"""Decides whether anything moved in the last moments: no spot of the picture varied more than its noise.

It says so of all that is watched, and of the part of it in which dice lie.

Each frame is first brought to the same light, so that flicker, bands, drift and soft shadows are no motion;
then the variance over time of every small neighbourhood is compared with the noise of the whole. A die that
rocks moves few pixels and comes back to where it was: the variance over the window sees it all the same.
Knows no clock but the timestamps given to it.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision.reading import Image

WINDOW_S: Final = 0.3
"""Nothing must have moved for so long. Longer: slower rocking is seen, every throw waits."""
BRIEF_S: Final = 0.2
"""Dice that do not move for so long lie still, and are read if a hand reaches for them. Less: a die that
rocks, and stops for a moment, is read; more: quick fingers take dice up before they are read."""
FRAMES: Final = 2
"""Least steps from frame to frame of a motion or of a rest, however slow the camera is: in one a part of a
hand may turn into a die."""
TIMES_NOISE: Final = 4.0
"""Variance, as a multiple of the noise's, from which something moved. Higher misses small motion."""
MOST_NOISE: Final = 250.0
"""Variance of noise, in squared grey levels, that is allowed at most: more is the snow of a lost signal."""
LEAST_VARIANCE: Final = 1.2
"""Variance in squared grey levels below which nothing moved, however quiet the camera: it is the last bit of
the sensor."""
TIMES_TAIL: Final = 4.5
"""Multiple of the 97th percentile that is allowed, for compressing cameras that flicker along edges. Higher
misses small motion before such a camera."""
MOST_TAIL: Final = 12.0
"""Limit of what `TIMES_TAIL` allows, in squared grey levels. Higher misses motion before a noisy camera."""
HELD_TIMES: Final = 1.5
"""Times the allowed variance up to which what is settled is taken to stay so."""
CLEAR_TIMES: Final = 20.0
"""Times the allowed variance of a die at which the window starts anew: what was before it moved is no measure
of how a camera shakes."""
SPOT_PX: Final = (3, 3)
"""The neighbourhood that must not vary, about 3 mm on the tray."""
LIGHT_PX: Final = (65, 9)
"""The neighbourhood whose mean is its light, width and height: wide, for lamps that flicker in bands."""
SHAKEN_PX: Final = 0.05
"""Shift of the whole picture, standard deviation, from which the camera shakes."""
TIMES_SHAKEN: Final = 16.0
"""Multiple of the variance explained by that which is allowed."""
GAINS: Final = (0.8, 1.25)
"""Change of the light within which a window stays good; beyond it the dice are read again."""
Floats: TypeAlias = npt.NDArray[np.float32]
Area: TypeAlias = npt.NDArray[np.bool_]


class WindowFrame(NamedTuple):
    """A frame of the window.

    Attributes:
        time_s: when it was taken.
        even: brought to the light of the window's first frame.
        shake: how the whole picture has moved against the window's first frame: shift right and down in
            pixels, turn in radians, growth as a part.
    """

    time_s: float
    even: Floats
    shake: Floats


class Stillness:
    """Watches small grey frames of one size.

    Args:
        area: the part that is watched, H×W; None for all of it.
        window_s: nothing must have moved for so long.
    """

    def __init__(self, area: Area | None = None, window_s: float = WINDOW_S) -> None:
        self.window_s = window_s
        self.area = None if area is None else area.astype(np.float32)
        self.share = None if self.area is None else cv2.max(cv2.blur(self.area, LIGHT_PX), np.array(1e-3))
        self.some: npt.NDArray[np.intp] | None = None
        self.frames: deque[WindowFrame] = deque()
        self.light: Floats | None = None
        self.first: Floats = np.zeros((1, 1), np.float32)
        self.shaken: Floats = np.zeros((4, 1), np.float32)
        self.steady: Floats = self.shaken
        self.solve: Floats = self.shaken
        self.spots: Floats | None = None
        self.still = self.shaking = False

    def forget(self) -> None:
        """The next frame is the first of a new window."""
        self.light, self.still, self.spots = None, False, None

    def see(self, grey: Image, time_s: float, part: Area | None = None) -> bool:
        """Whether nothing has moved for `window_s` up to this frame (uint8, H×W).

        What moves in the `part` (bool, H×W) where dice were seen last starts the window anew.
        """
        if self.frames:
            since = time_s - self.frames[-1].time_s
            if not 0 <= since <= 2 * max(self.window_s, self.pace_s):
                self.forget()
        level = grey.astype(np.float32)
        light = self.light_on(level)
        if self.light is None:
            return self.begin(level, light, time_s, part)
        gain = self.push(level, light, self.light, time_s)
        if not GAINS[0] <= gain <= GAINS[1]:  # a lamp was switched: all looks otherwise now
            return self.begin(level, light, time_s, part)
        spots = self.varied()
        # A die that has just moved would stay in the variance for the rest of the window.
        if part is not None and most_in(spots, part) > CLEAR_TIMES:
            return self.begin(level, light, time_s, part)
        whole = len(self.frames) > FRAMES and time_s - self.frames[0].time_s >= self.window_s - 1e-6
        varied = float(spots.max())
        self.still = varied <= HELD_TIMES if self.still else whole and varied <= 1.0
        self.spots = spots if whole else None
        return self.still

    def still_in(self, part: Area) -> bool:
        """Whether nothing has moved in this part (bool, H×W) of what is watched, whatever moves beside it."""
        return self.spots is not None and most_in(self.spots, part) <= HELD_TIMES

    @property
    def pace_s(self) -> float:
        """Mean time between the frames of the window."""
        return (self.frames[-1].time_s - self.frames[0].time_s) / max(1, len(self.frames) - 1)

    def light_on(self, level: Floats) -> Floats:
        """The light that falls on each place: the mean over the watched part of what is around it."""
        if self.area is None or self.share is None:
            light = np.asarray(cv2.blur(level, LIGHT_PX), np.float32)
        else:
            light = np.asarray(cv2.divide(cv2.blur(level * self.area, LIGHT_PX), self.share), np.float32)
        light += 1
        return light

    def begin(self, level: Floats, light: Floats, time_s: float, part: Area | None) -> bool:
        """The window starts with this frame, and its light is what the next ones are brought to."""
        even = level if self.area is None else level * self.area
        self.frames = deque([WindowFrame(time_s, even, np.zeros(4, np.float32))])
        self.total = even.astype(np.float64)
        self.squares = self.total**2
        self.light, self.still, self.spots = light, False, None
        self.first = level
        shaken = np.empty((4, *level.shape), np.float32)
        for slope, way in zip(shaken, ((1, 0), (0, 1)), strict=False):
            cv2.Sobel(level, cv2.CV_32F, *way, dst=slope, scale=1 / 8)
        across, down, turned, grown = shaken
        ys, xs = (np.arange(side, dtype=np.float32) - side / 2 for side in level.shape)
        ys = ys[:, None]
        np.subtract(down * xs, across * ys, out=turned)
        np.add(across * xs, down * ys, out=grown)
        self.shaken = shaken.reshape(4, -1)
        watched = np.ones(level.shape, np.float32) if self.area is None else self.area.copy()
        if part is not None:
            np.copyto(watched, 0, where=part)
        self.steady = self.shaken * watched.ravel()
        self.solve = np.linalg.pinv(self.steady @ self.steady.T).astype(np.float32)
        return False

    def shake(self, even: Floats) -> Floats:
        """How a picture has moved against the window's first, by the slopes of that: see WindowFrame.

        Source: B. Lucas and T. Kanade, An iterative image registration technique with an application to
        stereo vision, IJCAI 1981; one step.
        """
        return np.asarray(self.solve @ (self.steady @ (even - self.first).ravel()), np.float32)

    def push(self, level: Floats, light: Floats, base: Floats, time_s: float) -> float:
        """One more frame in the window, those too old leave it; how much brighter the window's light is."""
        gain = np.asarray(cv2.divide(base, light), np.float32)
        even = level * gain
        if self.area is not None:
            even *= self.area
        self.frames.append(WindowFrame(time_s, even, self.shake(even)))
        cv2.accumulate(even, self.total)
        cv2.accumulateSquare(even, self.squares)
        while len(self.frames) > FRAMES + 1 and time_s - self.frames[1].time_s >= self.window_s - 1e-6:
            old = self.frames.popleft().even
            less = -old
            cv2.accumulate(less, self.total)
            cv2.accumulateProduct(less, old, self.squares)
        return cv2.mean(gain)[0]

    def varied(self) -> Floats:
        """The variance of every spot over the window; 1 is as much as noise and flicker explain."""
        # Var(x) = (Σx² − (Σx)²/n) / (n − 1), from sums that `push` keeps: no pass over the window's frames.
        count = len(self.frames)
        squared = self.total * self.total
        squared /= count
        np.subtract(self.squares, squared, out=squared)
        variance = squared.astype(np.float32)
        variance /= count - 1
        spots = np.asarray(cv2.blur(variance, SPOT_PX), np.float32)
        some = spots.ravel()[self.sample(spots.size)]
        half, tail = len(some) // 2, len(some) * 97 // 100
        some.partition((half, tail))
        # The median is noise, even beside dice that roll; the tail is a codec that flickers along edges. Both
        # have a limit: the snow of a lost signal is no noise, nor is a hand that fills the picture.
        allowed = max(
            LEAST_VARIANCE,
            TIMES_NOISE * min(some[half], MOST_NOISE),
            min(TIMES_TAIL * some[tail], MOST_TAIL),
        )
        shakes = covariance(np.array([seen.shake for seen in self.frames])).astype(np.float32)
        reach = np.array([1, 1, *(max(spots.shape) / 2,) * 2])
        self.shaking = bool(reach**2 @ np.diag(shakes) > SHAKEN_PX**2)
        # A camera on a table that people lean on moves every edge: variance by that motion is allowed there.
        if self.shaking:
            explained = (self.shaken * (shakes @ self.shaken)).sum(axis=0).reshape(spots.shape)
            spots /= 1 + TIMES_SHAKEN * cv2.blur(explained, SPOT_PX) / allowed
        spots /= allowed
        return spots

    def sample(self, size: int) -> npt.NDArray[np.intp]:
        """A sample of the watched pixels for estimating noise; indices into `size` pixels."""
        if self.some is None:
            watched = np.arange(size) if self.area is None else np.flatnonzero(self.area)
            self.some = watched[::13]
        return self.some


def most_in(spots: Floats, part: Area) -> float:
    """The most in this part (bool, H×W) of all spots; 0 if it is empty, or nothing in it is more."""
    return max(0.0, cv2.minMaxLoc(spots, part.view(np.uint8))[1])


def covariance(samples: Floats) -> npt.NDArray[np.float64]:
    """The covariance of the columns of samples (n×m), m×m; `np.cov` takes four times as long for so few."""
    off = samples.T.astype(np.float64)
    off -= off.mean(axis=1, keepdims=True)
    return np.asarray(off @ off.T * (1 / (len(samples) - 1)))
