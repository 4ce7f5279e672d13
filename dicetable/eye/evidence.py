"""The pictures that are kept of each throw: the dice at rest, and a strip of how they came to lie there."""

from collections.abc import Sequence
from math import ceil
from typing import Final

import cv2
import numpy as np

from dicetable.eye.messages import LONGEST_EVIDENCE
from dicetable.ledger.pictures import noted
from vision.reading import Image

WIDEST_PX: Final = 640
MOST_BYTES: Final = 60_000
"""A picture of a throw, or a strip, that cannot be packed into this is left out."""
LARGE: Final = (1280, 960, 640, 320)
"""Widths of a picture for close inspection, in pixels; the first that fits into a message is used."""
QUALITY: Final = 70
STRIP_QUALITIES: Final = (70, 45, 25)
STRIP_FRAME_PX: Final = 240
"""Width of each frame of the strip."""
COLUMNS: Final = 4
LABEL_PX: Final = 11
WHITE: Final = (255, 255, 255)


def jpeg(picture: Image, most_bytes: int, quality: int = QUALITY) -> bytes:
    """The picture (uint8, H×W×3 BGR) as a JPEG; empty if it would be larger."""
    done, data = cv2.imencode(".jpg", picture, [cv2.IMWRITE_JPEG_QUALITY, quality])
    return data.tobytes() if done and len(data) <= most_bytes else b""


def packed(frame: Image, widths: Sequence[int]) -> bytes:
    """A JPEG of the frame, as wide (pixels) as the first of these that fits into a message; else empty."""
    return next(filter(None, (jpeg(narrowed(frame, widest), LONGEST_EVIDENCE) for widest in widths)), b"")


def evidence(view: Image, corner: tuple[int, int] = (0, 0)) -> bytes:
    """A small JPEG of a part of a frame, or of all of it; empty if none could be made.

    A note in it says which part of the frame it shows, so that the boxes of dice can be found in it.
    `corner` is the part's upper left corner in the frame, x and y in pixels.
    """
    height, width = view.shape[:2]
    for widest in (WIDEST_PX, WIDEST_PX // 2):
        if data := jpeg(narrowed(view, widest), MOST_BYTES):
            return noted(data, {"shows": [*corner, width, height]})
    return b""


def strip(frames: Sequence[tuple[float, Image]], rest_s: float) -> bytes:
    """A JPEG of frames (uint8, H×W×3 BGR) with their times, each labelled with the time to rest.

    Frames whose size differs from that of the last one, which shows the dice at rest, are left out: the
    camera was switched to another size. The frames lie in rows, oldest first, and a note in the file says
    how many there are to a row and when each was taken. Empty if there are no frames, or if no small picture
    of them could be made.
    """
    if not frames:
        return b""
    frames = [(taken_s, frame) for taken_s, frame in frames if frame.shape == frames[-1][1].shape]
    seconds = [round(taken_s - rest_s, 2) for taken_s, _ in frames]
    pictures = [labelled(narrowed(frame, STRIP_FRAME_PX), taken_s - rest_s) for taken_s, frame in frames]
    tall, wide = pictures[0].shape[:2]
    sheet = np.zeros((ceil(len(pictures) / COLUMNS) * tall, COLUMNS * wide, 3), np.uint8)
    for i, picture in enumerate(pictures):
        row, column = divmod(i, COLUMNS)
        sheet[row * tall : (row + 1) * tall, column * wide : (column + 1) * wide] = picture
    for quality in STRIP_QUALITIES:
        if data := jpeg(sheet, MOST_BYTES, quality):
            return noted(data, {"columns": COLUMNS, "seconds": seconds})
    return b""


def labelled(picture: Image, seconds: float) -> Image:
    """The picture with a time in its corner and a line along its right and lower edges."""
    marked = picture.copy()
    marked[-1:] = marked[:, -1:] = 0
    marked[: LABEL_PX + 2, : 4 * LABEL_PX] //= 3
    font = cv2.FONT_HERSHEY_SIMPLEX
    cv2.putText(marked, f"{seconds:+.1f} s", (1, LABEL_PX), font, 0.35, WHITE, 1, cv2.LINE_AA)
    return marked


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
