"""How dice look in frames, and whether two pictures show the same die, as it lay.

Neither light nor tremble counts, nor where a die that glides lies; another face does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import cv2
import numpy as np
import numpy.typing as npt

from vision.motion.tracks import SAME_AREA, Blob
from vision.reading import Box, Detection, Image, intersection
from vision.recognition.classifiers import Pixels, crop_of

SAME: Final = 0.95
"""Pictures this much alike show the same die as it lay. A die with one pip more is less alike."""
TURNED: Final = 0.8
"""Pictures less alike than this show a die that was turned by more than 7° or moved by a millimetre."""
DETAIL: Final = 1 / 8
"""Details wider than this part of the picture, such as a shadow, do not count."""
SHIFT: Final = 0.02
"""A shift by this part of the picture does not count: a camera trembles."""
COMPARED_PX: Final = 96
"""Shorter side of pictures that are compared. Less: of a small die a tremble by half a pixel counts."""
INSET: Final = 0.1
"""This part along each side is left out, for what lies beside the die."""
MARGIN: Final = 0.15
"""A picture of a die shows this part of its width beside it."""
SPINS_DEG: Final = range(-18, 19, 9)
"""Angles by which a die that glides may have spun. More: a die that rolls looks the same at one of them."""


def likeness(before: Image, now: Image) -> float:
    """How alike two pictures (uint8, H×W×3 BGR) of a die's box are: 1 is the same."""
    if before.shape != now.shape or not before.size:
        return 0.0
    scale = COMPARED_PX / min(before.shape[:2])
    before, now = scaled(before, scale), scaled(now, scale)
    shortest, longest = min(before.shape[:2]), max(before.shape[:2])
    off = max(1, round(SHIFT * shortest))
    edge = off + round(INSET * shortest)
    old, new = (relief(picture, DETAIL * longest) for picture in (before, now))
    part = old[edge:-edge, edge:-edge]
    if not part.size or not part.std():  # OpenCV takes any two pictures for the same if one is flat
        return 0.0
    searched = new[edge - off : off - edge, edge - off : off - edge] if edge > off else new
    return float(cv2.matchTemplate(searched, part, cv2.TM_CCOEFF_NORMED).max())


def looks_same(before: Image, now: Image) -> bool:
    """Whether two pictures of a die's box show the same die, as it lay."""
    return likeness(before, now) >= SAME


def scaled(picture: Image, scale: float) -> Image:
    """The picture, resized by this factor."""
    way = cv2.INTER_AREA if scale < 1 else cv2.INTER_CUBIC
    return np.asarray(cv2.resize(picture, None, fx=scale, fy=scale, interpolation=way), np.uint8)


def likeness_moved(before: Image, now: Image) -> float:
    """How alike the die in the picture `now` (uint8, H×W×3 BGR) and a part of a larger one are at best.

    That part may lie anywhere, spun by up to `SPINS_DEG`: a die that glides over the tray stays the same.
    """
    scale = COMPARED_PX / 2 / min(now.shape[:2])  # many places and angles are compared
    now, before = scaled(now, scale), scaled(before, scale)
    height, width = now.shape[:2]
    wide_px, edge = DETAIL * max(height, width), round(INSET * min(height, width))
    die, larger = relief(now, wide_px), relief(before, wide_px)
    alike = []
    for angle in SPINS_DEG:
        spun = cv2.warpAffine(
            die, cv2.getRotationMatrix2D((width / 2, height / 2), angle, 1.0), (width, height)
        )
        part = spun[edge:-edge, edge:-edge]
        if larger.shape[0] < part.shape[0] or larger.shape[1] < part.shape[1] or not part.std():
            return 1.0
        alike.append(float(cv2.matchTemplate(larger, part, cv2.TM_CCOEFF_NORMED).max()))
    return max(alike)


def cut(frame: Image, box: Box) -> Image:
    """The part of a frame that lies in a box."""
    x, y, w, h = box
    return frame[max(0, y) : max(0, y + h), max(0, x) : max(0, x + w)]


def relief(picture: Image, wide_px: float) -> npt.NDArray[np.float32]:
    """The grey picture without what is wider than that."""
    grey = cv2.GaussianBlur(cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY).astype(np.float32), (0, 0), 1.0)
    return np.asarray(grey - cv2.GaussianBlur(grey, (0, 0), wide_px), np.float32)


@dataclass(frozen=True, slots=True, eq=False)
class Sighting:
    """How a die looked in one frame.

    Attributes:
        time_s: when.
        box: what the picture shows of the frame.
        picture: uint8, H×W×3 BGR.
    """

    time_s: float
    box: Box
    picture: Image

    def shows(self, box: Box) -> bool:
        """Whether most of a box of the frame is in the picture."""
        return intersection(self.box, box) > box[2] * box[3] / 2

    def is_altered(self, frame: Image, box: Box) -> bool:
        """Whether the die in this box of the frame looks otherwise now."""
        x, y, w, h = box
        wide, high = round((1 + 2 * MARGIN) * w), round((1 + 2 * MARGIN) * h)
        left, top = max(0, round(x - MARGIN * w)), max(0, round(y - MARGIN * h))
        right = min(left + wide, self.box[0] + self.box[2])
        bottom = min(top + high, self.box[1] + self.box[3])
        left, top = max(left, self.box[0]), max(top, self.box[1])
        shared = left, top, max(0, right - left), max(0, bottom - top)
        before = cut(self.picture, (left - self.box[0], top - self.box[1], shared[2], shared[3]))
        return likeness(before, cut(frame, shared)) < TURNED

    def shows_other_side(self, frame: Image, box: Box) -> bool:
        """Whether it shows another side of the die in this box of the frame, wherever the die was."""
        return likeness_moved(self.picture, cut(frame, box)) < TURNED


@dataclass(frozen=True, slots=True, eq=False)
class Appearance(Sighting):
    """How a die looked as it lay still.

    Attributes:
        number: of the track that was there.
        blob: where and how large, pixels of the segmented frame.
        came: it came there since dice were read last.
        thrown: it had moved freely since then.
        hand_s, stopped_s: when a hand had last been near its place, and stood still there.
    """

    number: int
    blob: Blob
    came: bool
    thrown: bool
    hand_s: float
    stopped_s: float

    def is_more_than(self, dice: Sequence[tuple[Box, Box]]) -> bool:
        """Whether it shows more than those of the dice that lie in it now: a cup that stood over them.

        The box of each die is given in pixels of the segmented frame, and of the whole frame.
        """
        return self.blob.area > SAME_AREA * sum(w * h for (_, _, w, h), whole in dice if self.shows(whole))

    def crops(self, frame: Image, box: Box) -> tuple[Pixels, Pixels]:
        """The die in this box of the frame as the die net would have seen it then, and as it does now."""
        x, y, w, h = box
        detection = Detection(x - self.box[0], y - self.box[1], w, h, 1.0)
        return crop_of(self.picture, detection), crop_of(cut(frame, self.box), detection)
