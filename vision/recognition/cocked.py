"""Decides which dice are cocked, by a logistic regression over three kinds of evidence.

They are the die net's own suspicion, how far the symbol is from where a flat die has it, and the angle
between the top and the vertical, in degrees and relative to the measurement's error. On rigs that are not
calibrated the vertical comes from the frame's other dice, less exactly: more is asked of the probability
there, and `is_tilted` decides too. The weights are fitted by `python -m training cocked-weights`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np

from vision.reading import Box, SeenTop, intersection
from vision.recognition.attitude import Attitude, AttitudeNet, Top, TopShift, UprightDie, attitude_shifts
from vision.recognition.classifiers import Floats, logistic, logit
from vision.recognition.corroboration import D20
from vision.recognition.evidence import Evidence
from vision.recognition.fusion import Prediction
from vision.tray.camera import CameraPose

COCKED_POWER: Final = 0.75
"""Power of the net's odds that a die is cocked, without a known camera."""
LEAST_TILTED: Final = 2.7
"""Log odds from which a die is tilted then. Lower: more cocked dice are caught, more flat ones are lost; at
2.7 one flat die in fourteen."""
LEAST_COCKED: Final = 0.3
"""Probability from which a die is cocked under a known camera. Lower: fewer cocked dice are sure, more flat
ones are asked about."""
LEAST_COCKED_UNKNOWN: Final = 0.97
"""The same without calibration, where straight up comes from the frame's other dice."""
PLAINLY_COCKED: Final = 0.95
"""Probability from which it is plainly cocked under a known camera; below, people are asked whether it lies
flat. Higher: fewer throws with a flat die are void, more cocked ones are asked about."""
MARKER_PART: Final = 0.05
"""Part of a die's box that a marker of the tray covers from which people see whether it is cocked: the
pattern may pass for its edges."""
USUAL_SCATTER_DEG: Final = 1.0
"""By how much a top's direction scatters over views a little aside, as a standard deviation; what is beyond
…"""
TIMES_SCATTER: Final = 6.0
"""… adds this many times to its error. Higher: fewer flat dice are called cocked, more cocked are sure."""
FARTHEST_PLACE: Final = 4.0
"""Mahalanobis distance of a symbol's place beyond which it does not count more against it."""
REFERENCE_CONFIDENCE: Final = 0.5
"""Confidence of the dice that show where tops are seen; one of no more is never plainly cocked by its
measured tilt."""
REFERENCE_COCKED: Final = 0.3
"""Probability of cocked from which a die does not."""
SUSPECT_MEDIAN: Final = 0.3
"""Median probability of cocked …"""
SUSPECT_DICE: Final = 3
"""… of at least this many dice, from which all of them are taken for tilted."""
SUSPECT_LEGIBLE: Final = 0.9
"""Confidence of dice …"""
SUSPECT_PART: Final = 0.34
"""… that are legible. If this part of them looks tilted and the camera is not known, it may hang so far
aslant that it sees a face beside the top of a d20, so a d20 may be tilted. Lower: fewer such faces are
read, more d20 are asked about."""
COCKED_FEATURES: Final = ("suspicion", "symbol", "distance", "angle", "error", "d4", "d6")
"""What is weighed; see `features`."""
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
    """The same if views of the die that were moved a little scatter so much, as a sine.

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


def is_tilted(distance: float, cocked: float) -> bool:
    """Whether a top's distance and the net's probability that the die is cocked are too much together."""
    return 0.5 * distance**2 + COCKED_POWER * logit(cocked) >= LEAST_TILTED


def most_tilted(cocked: Sequence[float]) -> bool:
    """Whether enough of a frame's dice look cocked that all their tops may be shifted alike."""
    return len(cocked) >= SUSPECT_DICE and float(np.median(cocked)) >= SUSPECT_MEDIAN


def seen_from_low(tilted: Sequence[bool]) -> bool:
    """Whether enough of a frame's legible dice look tilted to suspect a slanted camera instead."""
    return len(tilted) >= SUSPECT_DICE and float(np.mean(tilted)) >= SUSPECT_PART


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
        *,
        known: bool,
    ) -> list[Evidence]:
        """The dice with whether they are tilted, and by how much if the camera is known.

        On a calibrated rig people are asked about a die whose tilt could not be measured. The distances are
        those of the dice's symbols (`Known`).
        """
        attitudes = self.attitudes_of(dice)
        measured = self.off_level(dice, attitudes, shape, camera, known=known)
        result = []
        for die, distance, attitude, off in zip(dice, distances, attitudes, measured, strict=True):
            if attitude is None or off is None:
                result.append(die._replace(may_be_tilted=known and not die.tilted))
                continue
            cocked, may_be = self.lies_cocked(die, distance, off, known=known)
            # A d20 between two faces is hardly read, and the numerals beside its top may make it sure later.
            if hardly_read(die.prediction):
                cocked, may_be = False, cocked or may_be
            tilted = die.tilted or cocked
            top = None
            if is_reference(die.prediction):
                right, down = attitude.top.tolist()
                top = SeenTop(die.detection.middle, (right, down), attitude.error)
            die = die._replace(tilted=tilted, may_be_tilted=may_be and not tilted, top=top)
            result.append(die._replace(tilt_deg=off.angle_deg) if known else die)
        return result if known else asked_from_low(result)

    def lies_cocked(self, die: Evidence, distance: float, off: OffLevel, *, known: bool) -> tuple[bool, bool]:
        """Whether a die is cocked, and whether it may be, so that people have to look.

        Under a known camera one that seems cocked is looked at again. That may clear a weak suspicion; after
        a strong one people have to look at least.
        """
        first = self.probability(die, distance, off)
        if not known:
            return first >= LEAST_COCKED_UNKNOWN, False
        if first < LEAST_COCKED:
            return False, False
        again = self.probability(die, distance, self.looked_again(die, off))
        plainly = again >= PLAINLY_COCKED
        return plainly, not plainly and (again >= LEAST_COCKED or first >= PLAINLY_COCKED)

    def probability(self, die: Evidence, distance: float, off: OffLevel) -> float:
        """That a die is cocked whose symbol is this far from its place and whose top is so far off."""
        prediction = die.prediction
        return self.weights.probability(cocked_features(prediction.cocked, distance, off, prediction.best[0]))

    def looked_again(self, die: Evidence, off: OffLevel) -> OffLevel:
        """How far its top is off, with the error that other views of it show."""
        upright = measurable(die)
        return off if upright is None else scattered(off, self.attitudes.scatter(upright))

    def attitudes_of(self, dice: Sequence[Evidence]) -> list[Attitude | None]:
        """Where the top of each die points; None for a die without a symbol that shows which way is up."""
        uprights = [measurable(die) for die in dice]
        measured = iter(self.attitudes.measure([upright for upright in uprights if upright is not None]))
        return [None if upright is None else next(measured) for upright in uprights]

    def off_level(
        self,
        dice: Sequence[Evidence],
        attitudes: Sequence[Attitude | None],
        shape: tuple[int, ...],
        camera: CameraPose,
        *,
        known: bool,
    ) -> list[OffLevel | None]:
        """How far the top of each die points from straight up; None where it was not measured."""
        legible = [die for die, attitude in zip(dice, attitudes, strict=True) if attitude is not None]
        measured = [attitude for attitude in attitudes if attitude is not None]
        plumbs = [camera.plumb(die.detection.middle, shape) for die in legible]
        references = [is_reference(die.prediction) for die in legible]
        moved = attitude_shifts(measured, plumbs, references, camera, known=known)
        off = iter(off_level(*one) for one in zip(measured, moved, plumbs, strict=True))
        return [None if attitude is None else next(off) for attitude in attitudes]


def on_marker(die: Evidence, markers: Sequence[Box]) -> Evidence:
    """The die; of one on a marker, whose pattern may pass for its edges, people see if it is flat."""
    box = die.detection.sides
    least = MARKER_PART * die.detection.width * die.detection.height
    if die.tilted and any(intersection(box, marker) >= least for marker in markers):
        return die._replace(tilted=False, may_be_tilted=True)
    return die


def asked_from_low(dice: Sequence[Evidence]) -> list[Evidence]:
    """The dice; where the camera may see them from low, each d20 as one that may be tilted.

    The faces of a d20 stand so little aslant that one beside the top then looks as the top does from
    above, with its own numerals beside it.
    """
    legible = [die for die in dice if die.prediction.confidence > SUSPECT_LEGIBLE]
    if not seen_from_low([die.tilted for die in legible]):
        return list(dice)
    return [
        die._replace(may_be_tilted=True) if die.prediction.best[0] == D20 and not die.tilted else die
        for die in dice
    ]


def measurable(die: Evidence) -> UprightDie | None:
    """What is measured of a die; None if no symbol of it shows which way is up."""
    prediction = die.prediction
    if prediction.symbol is None or not prediction.symbol.orientations:
        return None
    return UprightDie(die.crop, prediction.best[0], prediction.symbol, die.aspect)


def is_reference(prediction: Prediction) -> bool:
    """Whether a die shows how the camera sees the others."""
    return not hardly_read(prediction) and prediction.cocked < REFERENCE_COCKED


def hardly_read(prediction: Prediction) -> bool:
    """Whether a die is read too badly to say anything about others, or to be called plainly cocked."""
    return prediction.confidence <= REFERENCE_CONFIDENCE


@dataclass(frozen=True, slots=True)
class LogisticWeights:
    """Of the logistic regression of `vision.recognition.cocked`: one for each feature, and the bias."""

    weights: tuple[float, ...]
    bias: float

    def probability(self, features: Floats) -> float:
        """Probability 0 … 1 that a die with these features is cocked."""
        return float(logistic(features, np.array((*self.weights, self.bias))))
