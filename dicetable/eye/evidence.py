"""The pictures of each throw: the dice at rest, a strip of how they came to lie there, and a film of it.

The picture and the strip are evidence and go to the ledger. The film is larger and shows the dice alone; the
table keeps it in memory for a few throws, and screens replay it in slow motion.
"""

from collections.abc import Sequence
from math import ceil
from typing import Final

import cv2
import numpy as np

from dicetable.eye.messages import LONGEST_EVIDENCE, LONGEST_FILM
from dicetable.ledger.pictures import noted
from vision.frames import unpacked
from vision.observer import Snapshot
from vision.reading import Box, Image

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
FILM_PX: Final = (480, 270)
"""Size of each frame of a film; the picture at rest above them is twice as wide and twice as high."""
FILM_QUALITIES: Final = (80, 65, 45, 25)
LEAST_SHOWN: Final = 0.3
"""The film shows at least this part of the view's width, however close together the dice lie."""
AROUND: Final = 1.5
"""The film shows this many times as much as the dice cover, so that they roll into it."""
STOPPED: Final = 10.0
"""Grey levels by which a die in a frame differs from the die at rest, at most, once it has stopped."""
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


def film(taken: Snapshot, boxes: Sequence[Box], rest_s: float) -> bytes:
    """A JPEG of the picture at rest and, below it in rows, the frames of the motion before, oldest first.

    All show the same part of the view, around the dice of the throw, whose `boxes` (x, y, width and height
    in pixels of the frame) are those of the reading. A note in the file says which part of the frame that is,
    how many frames a row has, when each was taken and in which frame each die has stopped. Empty if no dice
    moved, or if no small file could be made.
    """
    motion = [frame for frame in taken.motion if frame[1].shape == taken.motion[-1][1].shape]
    if not boxes or len(motion) < 2:
        return b""
    left, top, wide, high = shown_part(taken, boxes)
    scale = motion[0][1].shape[1] / taken.view.shape[1]
    x, y = left - taken.corner[0], top - taken.corner[1]
    small = [round(scale * side) for side in (x, y, x + wide, y + high)]
    cell_wide, cell_high = FILM_PX
    rows = ceil(len(motion) / COLUMNS)
    sheet = np.zeros(((rows + 2) * cell_high, COLUMNS * cell_wide, 3), np.uint8)
    rest = taken.view[y : y + high, x : x + wide]
    large = (2 * cell_wide, 2 * cell_high)
    sheet[: large[1], : large[0]] = cv2.resize(rest, large, interpolation=cv2.INTER_LINEAR)
    for place, (_, planes) in enumerate(motion):
        row, column = 2 + place // COLUMNS, place % COLUMNS
        part = unpacked(planes)[small[1] : small[3], small[0] : small[2]]
        cell = cv2.resize(part, FILM_PX, interpolation=cv2.INTER_LINEAR)
        sheet[row * cell_high : (row + 1) * cell_high, column * cell_wide : (column + 1) * cell_wide] = cell
    note = {
        "shows": [left, top, wide, high],
        "columns": COLUMNS,
        "seconds": [round(taken_s - rest_s, 2) for taken_s, _ in motion],
        "stops": [[*box, stop_of(motion, box, taken.corner, scale)] for box in boxes],
    }
    for quality in FILM_QUALITIES:
        if data := jpeg(sheet, LONGEST_FILM, quality):
            return noted(data, note)
    return b""


def shown_part(taken: Snapshot, boxes: Sequence[Box]) -> Box:
    """The part of the frame that a film shows: 16 to 9 where the view allows it, around the dice."""
    high_px, wide_px = taken.view.shape[:2]
    ends = [(x, y, x + w, y + h) for x, y, w, h in boxes]
    left, top = (min(end[side] for end in ends) for side in (0, 1))
    right, bottom = (max(end[side] for end in ends) for side in (2, 3))
    wide = max(LEAST_SHOWN * wide_px, AROUND * max(right - left, (bottom - top) * 16 / 9))
    wide = min(wide, wide_px, high_px * 16 / 9)
    high = min(wide * 9 / 16, high_px)
    corner = taken.corner
    x = min(max((left + right - wide) / 2, corner[0]), corner[0] + wide_px - wide)
    y = min(max((top + bottom - high) / 2, corner[1]), corner[1] + high_px - high)
    return int(x), int(y), int(wide), int(high)


def stop_of(motion: Sequence[tuple[float, Image]], box: Box, corner: tuple[int, int], scale: float) -> int:
    """The number of the frame from which on the die in this box looks as it does in the last one."""
    x, y, w, h = (round(scale * side) for side in (box[0] - corner[0], box[1] - corner[1], *box[2:]))
    rows, columns = slice(max(0, y), y + h), slice(max(0, x), x + w)
    last = motion[-1][1][rows, columns]
    for number in range(len(motion) - 1, 0, -1):
        if cv2.norm(motion[number - 1][1][rows, columns], last, cv2.NORM_L1) > STOPPED * last.size:
            return number
    return 0


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
