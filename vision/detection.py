"""Detects dice in a frame: a small net searches several levels of its pyramid. Says where, not what.

Each level shows dice of one octave of sizes, so one net finds dice of 8 pixels and of a whole frame. The
search begins with the smallest level; the largest two, which cost most, are searched only where the level
before shows a trace of something.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final, NamedTuple, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision import reading
from vision.reading import SAME_DIE_IOU, Detection, Image, Net, Sides, ignore_progress

LONGEST_PX: Final = 640
"""Longer side of the largest pyramid level. Larger: finds smaller dice; the time grows with its square."""
SMALLEST_PX: Final = 7.5
"""Least longer side of a box in its level, in the level's pixels."""
LARGEST_PX: Final = 32.0
"""The largest one; the next level has the others."""
LEAST_SCORE: Final = 0.3
"""Score of a detection. Lower: more faint dice, and more boxes that are none, each of which costs a run of
the die net."""
LEAST_CHANGED: Final = 0.15
"""Score of a detection on a calibrated rig, which searches only the places that have changed since the tray
was empty. Lower: more faint dice, and more boxes that are none."""
PLAIN_SCORE: Final = 0.5
"""Score from which a detection is very likely a die."""
COSTLY_LEVELS: Final = 2
"""The number of the largest levels that are searched only near traces in the level before. Fewer: slower;
dice that leave no trace are found."""
TRACE: Final = 0.03
"""Score that a die leaves in a level where it is too small. Lower: more tiles are searched."""
TRACE_TILES: Final = 3
"""Tiles around a trace that are searched too."""
WHOLE_PART: Final = 0.7
"""Part of a level from which all of it is searched in one piece."""
LARGE_PX: Final = 14.0
"""If all plain dice are so long in the second level (its pixels), the first is not searched."""
SEEN_PX: Final = 9.0
"""A plain die so long in the second level is not searched for again in the first."""
OTHER_SCORE: Final = 0.2
"""Score in the second level from which there may be another die in its box or beside it, for which the first
is searched. Lower: more small dice that touch others are found; slower."""
MIDDLE_PART: Final = 0.3
"""How far from its middle, as a part of the longer side, the score is its own."""
SAME_IOU: Final = 0.35
"""IoU from which the better of two detections stands for both."""
ALIKE_IOU: Final = 0.55
"""IoU from which detections of two levels give one averaged box."""
PART_DISTANCE: Final = 0.3
"""Distance of middles, as a part of the larger box, within which one is a part of the other."""
PART_SIZE: Final = 0.6
"""Size, as a part of the box that holds it, under which a detection is one of several in it."""
HELD_PART: Final = 0.75
"""Part of the area of a known die from which a detection that holds it is no other die."""
Floats: TypeAlias = npt.NDArray[Any]


def boxed(detections: Sequence[Detection], boxes: Sequence[Sides]) -> list[Detection]:
    """The detections, best first; those of dice that lie in known `boxes` get these.

    What overlaps a known die by SAME_DIE_IOU, or is a part of it, is that die. What else holds most of it is
    that die and what lies beside it: the die, and itself as well unless another detection is of the rest.
    """
    dice = [Detection(*box, 1.0, known=True) for box in boxes]
    scores: dict[Detection, float] = {}
    others = []
    for detection in detections:
        die = max(dice, key=lambda die: iou(detection, die), default=None)
        if die is None:
            others.append(detection)
            continue
        same = iou(detection, die) >= SAME_DIE_IOU or (
            detection.longer <= die.longer and is_part(detection, die)
        )
        holds = reading.intersection(detection.sides, die.sides) >= HELD_PART * die.width * die.height
        if same or holds:
            scores[die] = max(scores.get(die, 0.0), detection.score)
        if not (same or (holds and holds_another(detection, die, detections))):
            others.append(detection)
    dice_there = [replace(die, score=best) for die, best in scores.items()]
    return sorted([*dice_there, *others], key=score, reverse=True)


def holds_another(detection: Detection, die: Detection, detections: Iterable[Detection]) -> bool:
    """Whether the middle of another detection lies within this one, but beside the die."""
    return any(
        candidate != detection and detection.holds(candidate.middle) and not die.holds(candidate.middle)
        for candidate in detections
    )


def iou(first: Detection, second: Detection) -> float:
    return reading.iou(first.sides, second.sides)


def non_maximum_suppression(detections: Iterable[Detection]) -> list[Detection]:
    """The detections, best first, without those that a better one overlaps by more than `same_iou`."""
    detections = list(detections)
    scores = [detection.score for detection in detections]
    numbers = (
        cv2.dnn.NMSBoxes([detection.sides for detection in detections], scores, 0.0, SAME_IOU)
        if detections
        else ()
    )
    return [detections[number] for number in numbers]


def averaged(best: Iterable[Detection], detections: Sequence[Detection]) -> list[Detection]:
    """The best ones, each with the mean box of all detections like it, weighted by their scores."""
    best = list(best)
    if not best:
        return []
    sides = np.array([detection.sides for detection in detections])
    weights = np.array([detection.score for detection in detections])
    alike = ious(np.array([detection.sides for detection in best]), sides) >= ALIKE_IOU
    mean = []
    for detection, like in zip(best, alike, strict=True):
        x, y, width, height = np.average(sides[like], axis=0, weights=weights[like]).tolist()
        mean.append(Detection(x, y, width, height, detection.score))
    return mean


def ious(some: Floats, others: Floats) -> Floats:
    """Intersection over union of each of some boxes (n×4: left, top, width, height) and others (m×4), n×m."""
    low = np.maximum(some[:, None, :2], others[None, :, :2])
    high = np.minimum((some[:, :2] + some[:, 2:])[:, None], (others[:, :2] + others[:, 2:])[None])
    both = np.maximum(high - low, 0).prod(2)
    return np.asarray(both / (some[:, 2:].prod(1)[:, None] + others[:, 2:].prod(1)[None] - both))


def score(detection: Detection) -> float:
    return detection.score


def without_parts(
    detections: Iterable[Detection],
    belief: Callable[[Detection], float] = score,
) -> list[Detection]:
    """The detections, the most believed first, without parts or wholes of one that is more believed."""
    whole: list[Detection] = []
    for detection in sorted(detections, key=belief, reverse=True):
        if not any(is_part(detection, better) for better in whole):
            whole.append(detection)
    return whole


def is_part(first: Detection, second: Detection) -> bool:
    """Whether the middle of one lies near that of the other, as the larger one measures it."""
    larger = max(first, second, key=lambda c: c.width * c.height)
    across, down = (abs(a - b) for a, b in zip(first.middle, second.middle, strict=True))
    return max(across / larger.width, down / larger.height) < PART_DISTANCE


def holds_others(detection: Detection, among: Iterable[Detection]) -> bool:
    """Whether two plain detections, or more, lie within this one."""
    inner = sum(
        inner_detection.score >= PLAIN_SCORE
        and inner_detection.longer < PART_SIZE * detection.longer
        and detection.holds(inner_detection.middle)
        for inner_detection in among
    )
    return inner >= 2


def plain(detections: Iterable[Detection]) -> list[Detection]:
    """The plain detections, without piles of them and parts of them."""
    candidates = [
        detection for detection in non_maximum_suppression(detections) if detection.score >= PLAIN_SCORE
    ]
    return without_parts(detection for detection in candidates if not holds_others(detection, candidates))


Tiles: TypeAlias = npt.NDArray[np.bool_]
"""Rows × columns of squares that a picture is made of; the last ones may reach beyond it."""
TILE = 16
"""Pixels along a tile: the detector's inputs are whole numbers of them."""


def tiles(height: int, width: int) -> tuple[int, int]:
    return -(-height // TILE), -(-width // TILE)


def traced(score: Floats, shape: tuple[int, int]) -> Tiles:
    """The tiles of a level, of this shape in tiles, where the next smaller level's score shows a trace."""
    rows, columns = (side // 2 for side in score.shape)
    cells = score.reshape(rows, 2, columns, 2).max((1, 3)) >= TRACE
    return np.asarray(cells[: shape[0], : shape[1]], np.bool_)


def regions(marked: Tiles) -> Iterator[tuple[slice, slice]]:
    """Rows and columns, in tiles, of rectangles that hold the marked tiles and what is around them."""
    side = 2 * TRACE_TILES + 1
    grown = cv2.dilate(marked.astype(np.uint8), np.ones((side, side), np.uint8))
    _, _, stats, _ = cv2.connectedComponentsWithStats(grown, connectivity=8)
    rectangles = [(slice(y, y + h), slice(x, x + w)) for x, y, w, h, _ in stats[1:].tolist()]
    if sum(grown[part].size for part in rectangles) > WHOLE_PART * grown.size:
        rectangles = [(slice(0, grown.shape[0]), slice(0, grown.shape[1]))]
    yield from rectangles


STRIDE = 4
"""Pixels along a cell of the net's maps."""
CELLS = TILE // STRIDE
"""Cells along a tile."""
LEAST_LEVEL_PX = 16
"""Longer side of the smallest level."""


class Within(NamedTuple):
    """Where and how large dice may be.

    The longer side of the smallest and the largest box in pixels of the frame, and the part of the frame
    that is searched (bool, of any size); None for all of it.
    """

    smallest_px: float
    largest_px: float
    area: npt.NDArray[np.bool_] | None = None

    def tiles(self, shape: tuple[int, int]) -> Tiles:
        """The tiles of a level, of this shape in tiles, that are searched."""
        if self.area is None:
            return np.ones(shape, np.bool_)
        part = np.asarray(self.area, np.float32)
        return np.asarray(cv2.resize(part, shape[::-1], interpolation=cv2.INTER_AREA) > 0, np.bool_)


EVERYWHERE = Within(0.0, np.inf)


class Detector:
    """The detector's net and the search through the pyramid."""

    def __init__(self, net: Net) -> None:
        self.net = net

    def detect(self, frame: Image) -> list[Detection]:
        """Boxes that may contain dice in a BGR frame (uint8, H×W×3), best first, none a part of another."""
        return without_parts(self.candidates(frame))

    def candidates(
        self, frame: Image, within: Within | None = None, progress: Callable[[], None] = ignore_progress
    ) -> list[Detection]:
        """Boxes that may contain dice in a BGR frame (uint8, H×W×3), best first.

        Among them are parts of others: a die of a pile that looks like one, a pip of a die. Boxes that are
        not `within` what may be are left out. `progress` is called between regions.
        """
        within = within or EVERYWHERE
        scale = max(1.0, max(frame.shape[:2]) / LONGEST_PX)
        if within.area is not None and not within.area.any():
            return []
        least = LEAST_SCORE if within.area is None else LEAST_CHANGED
        detections: list[Detection] = []
        score: Floats | None = None
        for level, picture in reversed(list(enumerate(self.pyramid(frame)))):
            shape = tiles(*picture.shape[:2])
            if score is None or level >= COSTLY_LEVELS:
                marked = within.tiles(shape)
            else:
                if level == 0:
                    # The largest level shows small dice only, and costs most: large ones are blanked in it.
                    cell_px = 2 * STRIDE * scale
                    dice = plain(detections)
                    least_px = LARGE_PX / STRIDE * cell_px
                    if dice and min(die.longer for die in dice) >= least_px:
                        break
                    self._blank(score, dice, cell_px)
                marked = traced(score, shape)
                rows, columns = marked.shape
                marked &= within.tiles(shape)[:rows, :columns]
            score = np.zeros((shape[0] * CELLS, shape[1] * CELLS), np.float32)
            for region in regions(marked):
                detections += self._search(picture, region, marked, score, frame.shape, least)
                progress()
        detections = [
            detection
            for detection in detections
            if within.smallest_px <= detection.longer <= within.largest_px
        ]
        best = non_maximum_suppression(detections)
        return averaged(best, detections)

    def pyramid(self, frame: Image) -> list[Image]:
        """The frame downsampled by two again and again, the largest level first."""
        longest = max(frame.shape[:2])
        scale = min(1.0, LONGEST_PX / longest)
        levels = []
        level = frame
        while longest * scale >= LEAST_LEVEL_PX:
            wide, high = (max(1, round(side * scale)) for side in (frame.shape[1], frame.shape[0]))
            level = np.asarray(cv2.resize(level, (wide, high), interpolation=cv2.INTER_AREA), np.uint8)
            levels.append(level)
            scale /= 2
        return levels

    def _blank(self, score: Floats, dice: list[Detection], cell_px: float) -> None:
        """Blanks the dice that are well seen in the second level, in its score; a cell is `cell_px` long.

        What may be another die within such a box, or touching it, stays.
        """
        for die in dice:
            if die.longer / cell_px >= SEEN_PX / STRIDE:
                x0, y0 = (max(0, int(v / cell_px) - 1) for v in (die.x, die.y))
                x1, y1 = (int(v / cell_px) + 2 for v in (die.x + die.width, die.y + die.height))
                part = score[y0:y1, x0:x1]
                rows, columns = np.indices(part.shape)
                across, down = (v / cell_px - 0.5 for v in die.middle)
                off = np.maximum(abs(columns + x0 - across), abs(rows + y0 - down))
                middle = off <= max(1.0, MIDDLE_PART * die.longer / cell_px)
                part[middle | (part < OTHER_SCORE)] = 0

    def _search(
        self,
        picture: Image,
        region: tuple[slice, slice],
        marked: Tiles,
        score: Floats,
        shape: tuple[int, ...],
        least: float,
    ) -> list[Detection]:
        """What the net finds in the marked tiles of a region of a level, with a score of at least `least`.

        The boxes are in pixels of the frame, which has this shape. Fills in that region of the level's score.
        """
        high, wide = picture.shape[:2]
        stretch_x, stretch_y = shape[1] / wide, shape[0] / high
        rows, columns = region
        patch = picture[TILE * rows.start : TILE * rows.stop, TILE * columns.start : TILE * columns.stop]
        padded = cv2.copyMakeBorder(
            patch, 0, -patch.shape[0] % TILE, 0, -patch.shape[1] % TILE, cv2.BORDER_REPLICATE
        )
        maps: Floats = self.net(cv2.dnn.blobFromImage(padded, 1 / 255))[0]
        patch_score = 1 / (1 + np.exp(-maps[0]))
        top, left = CELLS * rows.start, CELLS * columns.start
        score[top : top + patch_score.shape[0], left : left + patch_score.shape[1]] = patch_score
        peak = (patch_score >= least) & (patch_score >= cv2.dilate(patch_score, np.ones((3, 3), np.uint8)))
        detections = []
        for i, j in np.argwhere(peak).tolist():
            _, right, down, log_wide, log_high = (float(v) for v in maps[:, i, j])
            w, h = (float(np.exp(min(v, 4.0))) * STRIDE for v in (log_wide, log_high))
            x, y = (left + j + right) * STRIDE, (top + i + down) * STRIDE
            sized = SMALLEST_PX <= max(w, h) <= LARGEST_PX
            if sized and x < wide and y < high and marked[(top + i) // CELLS, (left + j) // CELLS]:
                box = ((x - w / 2) * stretch_x, (y - h / 2) * stretch_y, w * stretch_x, h * stretch_y)
                detections.append(Detection(*box, float(patch_score[i, j])))
        return detections
