"""Decides which dice lean, and so are cocked: `doubts` only says so of those whose value is read.

A die at rest lies flat unless it leans on something, so what it touches counts first (`Contacts`). One that
touches nothing, where a wall would be seen, and that came to rest by itself is flat, whatever the nets
suspect; if its top seems to point far aside, the symbol that was read is not the one on top. Of one that
touches something, a logistic regression weighs the die net's suspicion and how far its top points from
straight up, in degrees and relative to the measurement's error. Only a calibrated camera measures a tilt so
well that the die counts as cocked; else people are asked. The weights are fitted by `python -m training
cocked-weights`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, NamedTuple

import numpy as np

from vision.foreground import (
    LEAST_GAP,
    Area,
    Difference,
    Outline,
    difference,
    gap,
    is_plain,
    off_floor,
    outlines,
    stands_alone,
    surroundings,
)
from vision.reading import Box, Image, SeenTop, inside, intersection, touch
from vision.recognition.attitude import Attitude, AttitudeNet, Top, TopShift, UprightDie, attitude_shifts
from vision.recognition.classifiers import Floats, Symbol, logistic, logit
from vision.recognition.evidence import Evidence
from vision.recognition.fusion import Prediction
from vision.tray.camera import CameraPose
from vision.tray.pose import Tray

BATCH: Final = 8
"""Dice in a batch of the attitude net. More: a little faster, longer without a sign of life."""
LEAST_COCKED: Final = 0.3
"""Probability from which a die that touches something may be cocked. Lower: fewer cocked dice are sure, more
flat ones are asked about."""
PLAINLY_COCKED: Final = 0.95
"""Probability from which it is plainly cocked under a calibrated camera. Higher: fewer throws with a flat die
are void, more cocked ones are asked about."""
BESIDE_TOP_DEG: Final = 20.0
"""How far from straight up the face that was read of a flat die points if it is not the top: half as far as
the nearest faces of a d20 do, because the kind may be misread too. Lower: fewer faces beside the top are
sure, more dice seen from low are asked about."""
BESIDE_TOP_ERRORS: Final = 4.0
"""How many times its error that angle must be. Lower: the same, above all where the camera is not known."""
SEEN_ASIDE_DEG: Final = 30.0
"""An angle at which it is not the top whatever the error: no camera looks so far aside. Higher: a die that a
hand holds up may be sure in a photograph. Lower: as `BESIDE_TOP_DEG`."""
USUAL_SCATTER_DEG: Final = 1.0
"""How much a top's direction scatters over views a little aside, as a standard deviation, where nothing is
odd. Lower: plain dice get larger errors."""
TIMES_SCATTER: Final = 6.0
"""How many times the scatter beyond the usual adds to a top's error. Higher: fewer flat dice are called
cocked, more cocked are sure."""
FARTHEST_PLACE: Final = 4.0
"""Mahalanobis distance of a symbol's place beyond which it does not count more against it."""
REFERENCE_CONFIDENCE: Final = 0.5
"""Confidence of the dice that show where tops are seen; one of no more is never plainly cocked by its
measured tilt."""
REFERENCE_COCKED: Final = 0.3
"""Probability of cocked from which a die does not."""
MAY_LEAN: Final = 0.3
"""How much a die that touches something counts beside one that touches nothing when dice show where straight
up is. Higher: dice that lean pull it aside; lower: a slanted camera is found worse in a heap."""
COCKED_FEATURES: Final = ("suspicion", "symbol", "distance", "angle", "error", "d4", "d6")
"""Names of the features that are weighed, in their order; see `features`."""
FARTHEST: Final = 5.0
"""Mahalanobis distance beyond which a place or a direction is no odder."""
LARGE_DEG: Final = 10.0
"""An angle of so much counts as one."""
MOST_DEG: Final = 25.0


class OffLevel(NamedTuple):
    """How far a top is measured to point from straight up: the angle, its Mahalanobis distance and error."""

    angle_deg: float
    distance: float
    error_deg: float


def off_level(attitude: Attitude, shift: TopShift, plumb: Floats) -> OffLevel:
    """How far the attitude is from straight up, which the shift of the camera moves."""
    top = Top(attitude.top, plumb)
    away = float(np.hypot(*shift.residual(top)))
    spread = float(np.sqrt(np.trace(shift.covariance(top)) / 2))
    return OffLevel(
        float(np.degrees(np.arcsin(min(1.0, away)))), shift.distance(top), float(np.degrees(spread))
    )


def scattered(off: OffLevel, scatter: float) -> OffLevel:
    """The measurement with the error of a die whose slightly moved views scatter by `scatter`, a sine.

    Where they do, the net hardly knows such a die, and errs by more than it reports: one in a dark shadow, or
    whose outline runs into that of another die or of a marker.
    """
    beyond_deg = TIMES_SCATTER * max(0.0, float(np.degrees(scatter)) - USUAL_SCATTER_DEG)
    error_deg = float(np.hypot(off.error_deg, beyond_deg))
    return OffLevel(off.angle_deg, off.distance * off.error_deg / error_deg, error_deg)


def cocked_features(suspicion: float, symbol: float, off: OffLevel, kind: int) -> Floats:
    """A die's features (features,): the net's suspicion, its symbol's Mahalanobis distance, how far it tips.

    The two kinds that are hardest to measure have a weight of their own.
    """
    return np.array(
        [
            logit(suspicion),
            min(symbol, FARTHEST) ** 2 / 2,
            min(off.distance, FARTHEST) ** 2 / 2,
            min(off.angle_deg, MOST_DEG) / LARGE_DEG,
            off.error_deg / LARGE_DEG,
            float(kind == 0),
            float(kind == 1),
        ]
    )


def nowhere(_box: Box) -> bool:
    """True of no box: the default where nothing is known of them."""
    return False


class Contacts:
    """What the dice of a frame touch: other dice, the tray's markers and walls, or whatever else is seen.

    Args:
        frame: uint8, H×W×3, BGR.
        off: how the frame differs from the empty tray, if that is known.
        tray: how a calibrated camera sees the tray; else the frame's own even floor shows the walls, if it
            has one.
        thrown: whether what lies in a box was seen to come to rest by itself.
    """

    def __init__(
        self,
        frame: Image,
        off: Difference | None = None,
        tray: Tray | None = None,
        thrown: Callable[[Box], bool] = nowhere,
    ) -> None:
        self.tray = tray
        self.thrown = thrown
        self.frame = frame
        self.outlines: dict[Box, list[Outline | None]] = {}
        self.floors = [] if off is None else [off]
        if tray is None or off is None:
            even = difference(frame)
            self.floors += [even] if is_plain(even) else []
        self.walls_seen = tray is not None or len(self.floors) > (off is not None)

    def touching(self, dice: Sequence[Evidence]) -> list[bool]:
        """Whether each die touches something."""
        boxes = [inside(die.detection, die.frame) for die in dice]
        return [self.touches(box, boxes[:i] + boxes[i + 1 :]) for i, box in enumerate(boxes)]

    def touches(self, box: Box, others: Sequence[Box]) -> bool:
        """Whether the die in this box touches a wall, a marker, one of the others or something else.

        Another die that is near counts unless the floor is seen between them. It always counts for a die that
        was not seen to roll: what holds that one up may be out of sight.
        """
        around = surroundings(box)
        beside = [near for near in others if touch(around, near)]
        if any(touch(around, marker) for marker in self.markers):
            return True
        if self.tray is not None and not self.tray.between_markers(around):
            return True
        if beside and not (self.thrown(box) and all(self.apart(box, near) for near in beside)):
            return True
        return not all(stands_alone(off, box, scale, beside) for off, scale in self.off_floors)

    def apart(self, first: Box, second: Box) -> bool:
        """Whether the floor is seen all along between the dice in two boxes."""
        least = LEAST_GAP * min(max(first[2:]), max(second[2:]))
        pairs = zip(self.outlines_of(first), self.outlines_of(second), strict=True)
        return any(a is not None and b is not None and gap(a, b) >= least for a, b in pairs)

    def outlines_of(self, box: Box) -> list[Outline | None]:
        """The outlines of the die in a box, on each floor."""
        if box not in self.outlines:
            self.outlines[box] = [line for floor in self.floors for line in outlines(self.frame, floor, box)]
        return self.outlines[box]

    @cached_property
    def off_floors(self) -> list[tuple[Area, float]]:
        """Where the frame is off each floor, and how small that area is."""
        return [(off_floor(floor), floor.scale) for floor in self.floors]

    @property
    def markers(self) -> Sequence[Box]:
        return () if self.tray is None else self.tray.marker_boxes

    def on_marker(self, die: Evidence) -> bool:
        """Whether it lies on a marker, whose pattern may pass for its edges."""
        return any(intersection(die.detection.sides, marker) for marker in self.markers)

    def surely_flat(self, box: Box) -> bool:
        """Whether a die there that touches nothing is flat whatever is measured.

        It came to rest by itself, and no wall is overlooked that it might lean on.
        """
        return self.walls_seen and self.thrown(box)


class CockedDice:
    """Decides which dice of a frame are cocked, and which may be."""

    def __init__(self, attitudes: AttitudeNet, weights: LogisticWeights) -> None:
        self.attitudes = attitudes
        self.weights = weights

    def judged(
        self,
        dice: Sequence[Evidence],
        distances: Sequence[float],
        shape: tuple[int, ...],
        camera: CameraPose,
        contacts: Contacts,
        progress: Callable[[], None],
    ) -> list[Evidence]:
        """The dice with how they lie, and by how much they are tilted.

        The distances are those of the dice's symbols (`Known`). `progress` is called between dice.
        """
        attitudes = self.attitudes_of(dice, progress)
        measured = self.off_level(dice, attitudes, shape, camera)
        result = []
        for die, distance, attitude, off in zip(dice, distances, attitudes, measured, strict=True):
            progress()
            die = self.lying(die, distance, off, contacts, calibrated=camera.calibrated)
            if attitude is not None and off is not None:
                die = die._replace(tilt_deg=off.angle_deg, tilt_error_deg=off.error_deg)
            if attitude is not None and is_reference(die.prediction):
                right, down = attitude.top.tolist()
                die = die._replace(top=SeenTop(die.detection.middle, (right, down), attitude.error))
            result.append(die)
        return result

    def lying(
        self, die: Evidence, distance: float, off: OffLevel | None, contacts: Contacts, *, calibrated: bool
    ) -> Evidence:
        """The die with whether it is cocked, may be so that people have to look, or is read beside its top.

        One that seems cocked is measured again. That may clear a weak suspicion; after a strong one people
        have to look at least.
        """
        if not die.touches:
            flat = replace(die.prediction, cocked=0.0)
            beside = off is not None and points_aside(off)
            surely = contacts.surely_flat(inside(die.detection, die.frame))
            return die._replace(prediction=flat if surely else die.prediction, beside_top=beside)
        if off is None:
            return die._replace(may_be_tilted=True)
        first = self.probability(die, distance, off)
        if first < LEAST_COCKED:
            return die
        again = self.probability(die, distance, self.looked_again(die, off))
        # A d20 between two faces is hardly read, and the numerals beside its top may make it sure later.
        vague = not calibrated or hardly_read(die.prediction) or contacts.on_marker(die)
        plainly = again >= PLAINLY_COCKED and not vague
        possibly = not plainly and (again >= LEAST_COCKED or first >= PLAINLY_COCKED)
        return die._replace(tilted=plainly, may_be_tilted=possibly)

    def probability(self, die: Evidence, distance: float, off: OffLevel) -> float:
        """That a die is cocked whose symbol is this far from its place and whose top is so far off."""
        prediction = die.prediction
        return self.weights.probability(cocked_features(prediction.cocked, distance, off, prediction.best[0]))

    def looked_again(self, die: Evidence, off: OffLevel) -> OffLevel:
        """How far its top is off, with the error that other views of it show."""
        upright = measurable(die)
        if upright is None:
            return off
        looks, key = die.views.looks, ("scatter", question(upright))
        return scattered(off, looks.once(key, lambda: self.attitudes.scatter(upright)))

    def attitudes_of(self, dice: Sequence[Evidence], progress: Callable[[], None]) -> list[Attitude | None]:
        """Where the top of each die points; None for a die without a symbol that shows which way is up."""
        uprights = [measurable(die) for die in dice]
        legible = [(die.views.looks, upright) for die, upright in zip(dice, uprights, strict=True) if upright]
        new = [(looks, upright) for looks, upright in legible if question(upright) not in looks]
        for start in range(0, len(new), BATCH):
            batch = new[start : start + BATCH]
            measured = self.attitudes.measure([upright for _, upright in batch])
            for (looks, upright), attitude in zip(batch, measured, strict=True):
                looks[question(upright)] = attitude
            progress()
        attitudes = iter(looks[question(upright)] for looks, upright in legible)
        return [next(attitudes) if upright else None for upright in uprights]

    def off_level(
        self,
        dice: Sequence[Evidence],
        attitudes: Sequence[Attitude | None],
        shape: tuple[int, ...],
        camera: CameraPose,
    ) -> list[OffLevel | None]:
        """How far the top of each die points from straight up; None where it was not measured."""
        legible = [die for die, attitude in zip(dice, attitudes, strict=True) if attitude is not None]
        measured = [attitude for attitude in attitudes if attitude is not None]
        plumbs = [camera.plumb(die.detection.middle, shape) for die in legible]
        moved = attitude_shifts(measured, plumbs, reference_weights(legible), camera)
        off = iter(off_level(*measurement) for measurement in zip(measured, moved, plumbs, strict=True))
        return [None if attitude is None else next(off) for attitude in attitudes]


def points_aside(off: OffLevel) -> bool:
    """Whether a flat die's face that is so far off cannot be the one on top."""
    least_deg = max(BESIDE_TOP_DEG, BESIDE_TOP_ERRORS * off.error_deg)
    return off.angle_deg >= min(least_deg, SEEN_ASIDE_DEG)


def reference_weights(dice: Sequence[Evidence]) -> list[float]:
    """How much each die counts when dice show where straight up is.

    One that touches nothing counts most; where all touch something, they count alike.
    """
    weights = [is_reference(die.prediction) * (MAY_LEAN if die.touches else 1.0) for die in dice]
    most = max(weights, default=0.0)
    return [weight / most if most else 0.0 for weight in weights]


def measurable(die: Evidence) -> UprightDie | None:
    """The die as the attitude net measures it; None if no symbol of it shows which way is up."""
    prediction = die.prediction
    if prediction.symbol is None or not prediction.symbol.orientations:
        return None
    return UprightDie(die.crop, prediction.best[0], prediction.symbol, die.aspect)


def question(die: UprightDie) -> tuple[int, Symbol]:
    """Which attitude of its crop is measured."""
    return die.kind, die.symbol


def is_reference(prediction: Prediction) -> bool:
    """Whether a die shows how the camera sees the others."""
    return not hardly_read(prediction) and prediction.cocked < REFERENCE_COCKED


def hardly_read(prediction: Prediction) -> bool:
    """Whether a die is read too badly to say anything about others, or to be called plainly cocked."""
    return prediction.confidence <= REFERENCE_CONFIDENCE


@dataclass(frozen=True, slots=True)
class LogisticWeights:
    """Weights of this module's logistic regression: one for each feature, and the bias."""

    weights: tuple[float, ...]
    bias: float

    def probability(self, features: Floats) -> float:
        """Probability 0 … 1 that a die with these features is cocked."""
        return float(logistic(features, np.array((*self.weights, self.bias))))
