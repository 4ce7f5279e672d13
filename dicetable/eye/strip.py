"""The strip that is kept of each throw: how its dice came to lie there, as one picture of small frames."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, Final

import cv2
import numpy as np

from dicetable.eye.evidence import narrowed
from dicetable.ledger.pictures import noted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.reading import Image

COLUMNS: Final = 4
STRIP_FRAME_PX: Final = 240
"""Width of each frame of the strip."""
QUALITIES: Final = (70, 45, 25)
MOST_BYTES: Final = 60_000
"""A strip that needs more is packed harder, and left out if that does not help."""
LABEL_PX: Final = 11
WHITE: Final = (255, 255, 255)


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
    for quality in QUALITIES:
        done, packed = cv2.imencode(".jpg", sheet, [cv2.IMWRITE_JPEG_QUALITY, quality])
        if done and len(packed) <= MOST_BYTES:
            return noted(packed.tobytes(), {"columns": COLUMNS, "seconds": seconds})
    return b""


def labelled(picture: Image, seconds: float) -> Image:
    """The picture with a time in its corner and a line along its right and lower edges."""
    marked = picture.copy()
    marked[-1:] = marked[:, -1:] = 0
    marked[: LABEL_PX + 2, : 4 * LABEL_PX] //= 3
    font = cv2.FONT_HERSHEY_SIMPLEX
    cv2.putText(marked, f"{seconds:+.1f} s", (1, LABEL_PX), font, 0.35, WHITE, 1, cv2.LINE_AA)
    return marked
