"""Finds dice in a frame: a small net looks at several reductions of it. Says where, not what.

Each reduction shows dice of one octave of sizes, so one net finds dice of 8 pixels and of a whole frame. It
begins with the smallest; the two largest, which cost most, are looked at only where the one before shows a
trace of something.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision import nets
from vision.detection.detections import Candidate, apart, averaged, distinct, plain
from vision.detection.regions import TILE, Tiles, parts, tiles, traces

if TYPE_CHECKING:
    from vision.recognition.crops import Pixels

Floats: TypeAlias = npt.NDArray[Any]

LONGEST = 640
"""Longer side of the largest reduction. Larger finds smaller dice; the time grows with its square."""
STRIDE = 4
"""Pixels along a cell of the net's maps."""
CELLS = TILE // STRIDE
"""Cells along a tile."""
SMALLEST, LARGEST = 7.5, 32.0
"""Longer sides in pixels that one reduction may answer for; the next one has the others."""
LEAST = 0.3
"""Score under which a place is nothing. Lower finds more faint dice and more that are none."""
COSTLY = 2
"""So many of the largest reductions are looked at only about traces."""
LARGE = 14.0
"""If all plain dice are so many pixels long in the second reduction, the first one is not looked at."""
SEEN = 9.0
"""A plain die of so many pixels in the second reduction is not looked at again in the first."""


def find(frame: Pixels) -> list[Candidate]:
    """Places that look like dice in a BGR frame (uint8, H×W×3), best first, none a part of another."""
    return apart(candidates(frame))


def candidates(frame: Pixels) -> list[Candidate]:
    """Places that look like dice in a BGR frame (uint8, H×W×3), best first.

    Among them are parts of others: a die of a heap that looks like one, a pip of a die.
    """
    found: list[Candidate] = []
    score: Floats | None = None
    for level, picture in reversed(list(enumerate(_reductions(frame)))):
        shape = tiles(*picture.shape[:2])
        if score is None or level >= COSTLY:
            marked = np.ones(shape, np.bool_)
        else:
            if level == 0:
                cell_px = 2 * STRIDE * max(1.0, max(frame.shape[:2]) / LONGEST)
                seen = plain(found)
                if seen and min(die.longer for die in seen) >= LARGE / STRIDE * cell_px:
                    break
                _blank_seen(score, seen, cell_px)
            marked = traces(score, shape)
        score = np.zeros((shape[0] * CELLS, shape[1] * CELLS), np.float32)
        for part in parts(marked):
            found += _look(picture, part, marked, score, frame.shape)
    return averaged(distinct(found), found)


def _reductions(frame: Pixels) -> list[Pixels]:
    """The frame reduced by two again and again, the largest first."""
    longest = max(frame.shape[:2])
    scale = min(1.0, LONGEST / longest)
    pictures = []
    picture = frame
    while longest * scale >= 16:
        wide, high = (max(1, round(side * scale)) for side in (frame.shape[1], frame.shape[0]))
        picture = cv2.resize(picture, (wide, high), interpolation=cv2.INTER_AREA)
        pictures.append(picture)
        scale /= 2
    return pictures


def _blank_seen(score: Floats, seen: list[Candidate], cell_px: float) -> None:
    """Blanks the dice that are well seen in the second reduction, in its score; a cell is `cell_px` long."""
    for die in seen:
        if die.longer / cell_px >= SEEN / STRIDE:
            x0, y0 = (max(0, int(v / cell_px) - 1) for v in (die.x, die.y))
            x1, y1 = (int(v / cell_px) + 2 for v in (die.x + die.width, die.y + die.height))
            score[y0:y1, x0:x1] = 0


def _look(
    picture: Pixels, part: tuple[slice, slice], marked: Tiles, score: Floats, shape: tuple[int, ...]
) -> list[Candidate]:
    """What the net finds in the marked tiles of a part of a reduction, in pixels of the frame of this shape.

    Fills in that part of the reduction's score.
    """
    high, wide = picture.shape[:2]
    stretch_x, stretch_y = shape[1] / wide, shape[0] / high
    rows, columns = part
    seen = picture[TILE * rows.start : TILE * rows.stop, TILE * columns.start : TILE * columns.stop]
    padded = cv2.copyMakeBorder(
        seen, 0, -seen.shape[0] % TILE, 0, -seen.shape[1] % TILE, cv2.BORDER_REPLICATE
    )
    maps: Floats = nets.run("detector", cv2.dnn.blobFromImage(padded, 1 / 255))[0]
    here = 1 / (1 + np.exp(-maps[0]))
    top, left = CELLS * rows.start, CELLS * columns.start
    score[top : top + here.shape[0], left : left + here.shape[1]] = here
    peak = (here >= LEAST) & (here >= cv2.dilate(here, np.ones((3, 3), np.uint8)))
    found = []
    for i, j in np.argwhere(peak).tolist():
        _, right, down, log_wide, log_high = (float(v) for v in maps[:, i, j])
        w, h = (float(np.exp(min(v, 4.0))) * STRIDE for v in (log_wide, log_high))
        x, y = (left + j + right) * STRIDE, (top + i + down) * STRIDE
        fits = SMALLEST <= max(w, h) <= LARGEST and x < wide and y < high
        if fits and marked[(top + i) // CELLS, (left + j) // CELLS]:
            box = ((x - w / 2) * stretch_x, (y - h / 2) * stretch_y, w * stretch_x, h * stretch_y)
            found.append(Candidate(*box, float(here[i, j])))
    return found
