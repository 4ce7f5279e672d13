"""The small picture that is kept of each throw."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from dicetable.eye.messages import LONGEST_EVIDENCE
from dicetable.ledger.pictures import noted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.reading import Image

WIDEST_PX: Final = 640
QUALITY: Final = 70
MOST_BYTES: Final = 60_000
"""A picture that needs more even at half its width is left out."""
LARGE: Final = (1280, 960, 640, 320)
"""Widths of a picture for close inspection, in pixels; the first that fits into a message is used."""


def packed(frame: Image, widths: Sequence[int]) -> bytes:
    """A JPEG of the frame, as wide (pixels) as the first of these that fits into a message; else empty."""
    for widest in widths:
        done, data = cv2.imencode(".jpg", narrowed(frame, widest), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        if done and len(data) <= LONGEST_EVIDENCE:
            return data.tobytes()
    return b""


def evidence(view: Image, corner: tuple[int, int] = (0, 0)) -> bytes:
    """A small JPEG of a part of a frame, or of all of it; empty if none could be made.

    A note in it says which part of the frame it shows, so that the boxes of dice can be found in it.
    `corner` is the part's upper left corner in the frame, x and y in pixels.
    """
    height, width = view.shape[:2]
    for widest in (WIDEST_PX, WIDEST_PX // 2):
        done, packed = cv2.imencode(".jpg", narrowed(view, widest), [cv2.IMWRITE_JPEG_QUALITY, QUALITY])
        if done and len(packed) <= MOST_BYTES:
            return noted(packed.tobytes(), {"shows": [*corner, width, height]})
    return b""


def narrowed(frame: Image, widest: int) -> Image:
    """The frame, at most `widest` pixels wide: first halved, which costs least, then resized."""
    while frame.shape[1] >= 2 * widest:
        height, width = frame.shape[0] // 2, frame.shape[1] // 2
        even = frame[: 2 * height, : 2 * width]
        frame = np.asarray(cv2.resize(even, (width, height), interpolation=cv2.INTER_AREA), np.uint8)
    if frame.shape[1] <= widest:
        return frame
    size = (widest, max(1, round(frame.shape[0] * widest / frame.shape[1])))
    return np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_LINEAR), np.uint8)
