"""Boxes that may contain a die, and which of those that lie over one another are kept."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from vision.detection import boxes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from vision.detection.boxes import Sides
    from vision.settings import DetectionSettings

Floats: TypeAlias = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class Detection:
    """A box that may contain a die: the whole visible die, in pixels of the frame, and a score 0 … 1.

    `known`: a die was read in this box before and lies there as it lay, so the box is right.
    """

    x: float
    y: float
    width: float
    height: float
    score: float
    known: bool = False

    @property
    def sides(self) -> Sides:
        """Its box as vision.detection.boxes takes it."""
        return (self.x, self.y, self.width, self.height)

    @property
    def middle(self) -> tuple[float, float]:
        """The middle of its box."""
        return (self.x + self.width / 2, self.y + self.height / 2)

    @property
    def longer(self) -> float:
        """The longer side of its box."""
        return max(self.width, self.height)

    def corrected(self, off: Floats) -> Detection:
        """The same with a better box: `off` (vision.recognition.outputs.BOX,) says how this one is off."""
        right, down, longer = (float(v) for v in off)
        x, y = self.middle[0] + right * self.longer, self.middle[1] + down * self.longer
        w, h = (side * math.exp(longer) for side in (self.width, self.height))
        return Detection(x - w / 2, y - h / 2, w, h, self.score)

    def holds(self, place: tuple[float, float]) -> bool:
        """Whether a place lies in its box."""
        return 0 < place[0] - self.x < self.width and 0 < place[1] - self.y < self.height


def boxed(
    found: Sequence[Detection], known: Sequence[Sides], same_iou: float, settings: DetectionSettings
) -> list[Detection]:
    """The detections, best first, those of dice that lie in boxes that are known in these.

    What overlaps a known die by `same_iou`, or is a part of it, is that die. What else holds most of it is
    that die and what lies beside it: the die, and itself as well unless another detection is of the rest.
    """
    dice = [Detection(*box, 1.0, known=True) for box in known]
    scores: dict[Detection, float] = {}
    others = []
    for one in found:
        die = max(dice, key=lambda die: iou(one, die), default=None)
        if die is None:
            others.append(one)
            continue
        same = iou(one, die) >= same_iou or (one.longer <= die.longer and is_part(one, die, settings))
        holds = holds_most(one, die, settings)
        if same or holds:
            scores[die] = max(scores.get(die, 0.0), one.score)
        if not (same or (holds and holds_another(one, die, found))):
            others.append(one)
    there = [replace(die, score=best) for die, best in scores.items()]
    return sorted([*there, *others], key=score, reverse=True)


def holds_most(one: Detection, die: Detection, settings: DetectionSettings) -> bool:
    """Whether a detection holds most of a die."""
    return boxes.intersection(one.sides, die.sides) >= settings.held_part * die.width * die.height


def holds_another(one: Detection, die: Detection, found: Iterable[Detection]) -> bool:
    """Whether the middle of another detection lies within this one, but beside the die."""
    return any(other != one and one.holds(other.middle) and not die.holds(other.middle) for other in found)


def iou(one: Detection, other: Detection) -> float:
    """Intersection over union of their boxes, 0 … 1."""
    return boxes.iou(one.sides, other.sides)


def non_maximum_suppression(found: Iterable[Detection], settings: DetectionSettings) -> list[Detection]:
    """The detections, best first, without those that a better one overlaps by more than `same_iou`."""
    found = list(found)
    scores = [one.score for one in found]
    kept = cv2.dnn.NMSBoxes([one.sides for one in found], scores, 0.0, settings.same_iou) if found else ()
    return [found[number] for number in kept]


def averaged(
    kept: Iterable[Detection], found: Sequence[Detection], settings: DetectionSettings
) -> list[Detection]:
    """The kept ones, each with the mean box of all that were found alike, weighted by their scores."""
    kept = list(kept)
    if not kept:
        return []
    sides = np.array([one.sides for one in found])
    weights = np.array([one.score for one in found])
    alike = ious(np.array([one.sides for one in kept]), sides) >= settings.alike_iou
    mean = []
    for one, like in zip(kept, alike, strict=True):
        x, y, width, height = np.average(sides[like], axis=0, weights=weights[like]).tolist()
        mean.append(Detection(x, y, width, height, one.score))
    return mean


def ious(some: Floats, others: Floats) -> Floats:
    """Intersection over union of each of some boxes (n×4: left, top, width, height) and others (m×4), n×m."""
    low = np.maximum(some[:, None, :2], others[None, :, :2])
    high = np.minimum((some[:, :2] + some[:, 2:])[:, None], (others[:, :2] + others[:, 2:])[None])
    both = np.maximum(high - low, 0).prod(2)
    return np.asarray(both / (some[:, 2:].prod(1)[:, None] + others[:, 2:].prod(1)[None] - both))


def score(detection: Detection) -> float:
    """The detector's score."""
    return detection.score


def without_parts(
    found: Iterable[Detection],
    settings: DetectionSettings,
    belief: Callable[[Detection], float] = score,
) -> list[Detection]:
    """The detections, the most believed first, without parts or wholes of one that is more believed."""
    kept: list[Detection] = []
    for one in sorted(found, key=belief, reverse=True):
        if not any(is_part(one, other, settings) for other in kept):
            kept.append(one)
    return kept


def is_part(one: Detection, other: Detection, settings: DetectionSettings) -> bool:
    """Whether the middle of one lies near that of the other, as the larger one measures it."""
    larger = max(one, other, key=lambda c: c.width * c.height)
    across, down = (abs(a - b) for a, b in zip(one.middle, other.middle, strict=True))
    return max(across / larger.width, down / larger.height) < settings.part_distance


def holds_others(detection: Detection, among: Iterable[Detection], settings: DetectionSettings) -> bool:
    """Whether two plain detections, or more, lie within this one."""
    inner = sum(
        other.score >= settings.plain_score
        and other.longer < settings.part_size * detection.longer
        and detection.holds(other.middle)
        for other in among
    )
    return inner >= 2


def plain(found: Iterable[Detection], settings: DetectionSettings) -> list[Detection]:
    """The plain detections, without piles of them and parts of them."""
    those = [one for one in non_maximum_suppression(found, settings) if one.score >= settings.plain_score]
    return without_parts((one for one in those if not holds_others(one, those, settings)), settings)
