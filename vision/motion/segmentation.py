"""What each part of a small frame shows: the tray, dice, or a hand or anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from vision.reading import Image
    from vision.recognition.outputs import Net

Classes: TypeAlias = npt.NDArray[np.uint8]
"""H×W: TRAY, DIE or OTHER for each pixel of a small frame."""
Mask: TypeAlias = npt.NDArray[np.bool_]

TRAY, DIE, OTHER = 0, 1, 2
CLASSES: Final = 3
PIXELS: Final = 160 * 96
"""A frame is shown to the net with about so many pixels …"""
MULTIPLE: Final = 16
"""… and sides that this number divides."""


def size_for(shape: tuple[int, ...]) -> tuple[int, int]:
    """Width and height in which a frame of this shape (H×W…) is shown to the net: 160 × 96 of 1280 × 720."""
    scale = (PIXELS / (shape[0] * shape[1])) ** 0.5
    width, height = (max(1, round(shape[axis] * scale / MULTIPLE)) * MULTIPLE for axis in (1, 0))
    return width, height


class Segmenter:
    """Segments small frames with a net: (1, 6, h, w) in [0, 1] to logits (1, CLASSES, h, w)."""

    def __init__(self, net: Net) -> None:
        self.net = net

    def segment(self, frame: Image, background: Image | None = None) -> Classes:
        """The class of each pixel of a frame (uint8, H×W×3 BGR) of the size that `size_for` gives.

        `background` is the empty tray, of the same size and in the same light; None if it is not known.
        """
        empty = frame if background is None else background
        both = cv2.dnn.blobFromImages([frame, empty], 1 / 255).reshape(1, 6, *frame.shape[:2])
        tray, die, other = self.net(both)[0]
        classes = np.where(die > tray, np.uint8(DIE), np.uint8(TRAY))
        classes[other > np.maximum(tray, die)] = OTHER
        return classes


def without_specks(classes: Classes, least_area: float, alone_area: float, outside: Mask) -> Classes:
    """The classes with what is too small for a hand taken for dice where it touches one, else for tray.

    A hand comes from `outside` (bool, H×W): a part of OTHER that does not reach there is none if it is
    smaller than `alone_area`, else if it is smaller than `least_area`.
    """
    count, labels, stats, _ = cv2.connectedComponentsWithStats((classes == OTHER).astype(np.uint8))
    reaching = set(np.unique(labels[outside]).tolist())
    least = [least_area if i in reaching else max(least_area, alone_area) for i in range(count)]
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
