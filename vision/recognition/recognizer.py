"""Recognizes the dice among a frame's detections, each in the light of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from vision.detection import holds_others, without_parts
from vision.reading import SeenTop, intersection
from vision.recognition.attitude import (
    AttitudeNet,
    TopShift,
    UprightDie,
    attitude_shifts,
    is_tilted,
    most_tilted,
    seen_from_low,
    top_of,
    top_shifts,
)
from vision.recognition.classifiers import NO_DIE, crop_of
from vision.recognition.cocked import OffLevel, cocked_features, off_level, scattered
from vision.recognition.corroboration import D20
from vision.recognition.fusion import Classifiers, Prediction, Views
from vision.tray.camera import usual_camera
from vision.tray.markers import is_marker

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from vision.fitted import LogisticWeights
    from vision.reading import Box, Detection, Image
    from vision.recognition.attitude import Attitude
    from vision.recognition.classifiers import DiePrediction, Pixels, Symbol
    from vision.settings import DetectionSettings, RecognitionSettings, TiltSettings
    from vision.tray.camera import CameraPose

Passing: TypeAlias = "tuple[Detection, Views, Prediction]"
"""A detection that passes for a die by itself, the views of it, and what they predict."""


class Recognized(NamedTuple):
    """A detection that passes for a die, and what is predicted of it.

    `tilted` tells whether it plainly is, by where its symbol is and by how it looks; `may_be_tilted` whether
    it may be, which is for people to see; `tilt_deg` how far, if that was measured; `top` which
    way it points, if that was measured and the net does not suspect that it is cocked; `holds_others` whether
    other detections lie within it; `crop` and `symbols` are those of its first view.
    """

    detection: Detection
    prediction: Prediction
    tilted: bool
    holds_others: bool
    crop: Pixels
    symbols: tuple[Symbol, ...] = ()
    tilt_deg: float | None = None
    top: SeenTop | None = None
    may_be_tilted: bool = False

    @property
    def aspect(self) -> float:
        """The width of its box over the height."""
        return self.detection.width / self.detection.height


def ignore_progress() -> None:
    """Does nothing: the caller does not need to tell slow from stuck."""


class Recognizer:
    """The classifiers and the settings of the stages that it spans."""

    def __init__(
        self,
        classifiers: Classifiers,
        attitudes: AttitudeNet,
        cocked: LogisticWeights,
        detection: DetectionSettings,
        tilt: TiltSettings,
    ) -> None:
        self.classifiers = classifiers
        self.attitudes = attitudes
        self.cocked = cocked
        self.detection = detection
        self.tilt = tilt

    @property
    def settings(self) -> RecognitionSettings:
        """Those of recognition."""
        return self.classifiers.settings

    def recognize(
        self,
        frame: Image,
        detections: Sequence[Detection],
        progress: Callable[[], None] = ignore_progress,
        camera: CameraPose | None = None,
        markers: Sequence[Box] = (),
    ) -> list[Recognized]:
        """The dice among the detections, best first, of a frame (uint8, H×W×3, BGR).

        How the camera shifts the tops of the others tells which of a die's symbols is on top: each is
        weighed again by that. `progress` is called between dice; `camera` is that of a calibrated rig, and
        `markers` are where it sees those of the tray.
        """
        passing = self.passing(frame, detections, progress)
        kept = [detection for detection, _, _ in passing]
        all_tilted = most_tilted([prediction.cocked for _, _, prediction in passing], self.tilt)
        seen_by = camera or usual_camera(frame.shape)
        shifts = self.shifts(passing, seen_by, known=camera is not None)
        found = []
        distances = []
        for (detection, views, prediction), shift in zip(passing, shifts, strict=True):
            progress()
            distance = 0.0
            if shift is not None:
                known = Known(shift, detection, seen_by, prediction.best[0], self.tilt.farthest)
                prediction = views.predict(known.weight)
                if prediction.symbol is not None:
                    distance = known.distance(prediction.symbol)
            tilted = all_tilted or (camera is None and is_tilted(distance, prediction.cocked, self.tilt))
            holding = holds_others(detection, kept, self.detection)
            symbols = views.view(0).die.symbols
            found.append(Recognized(detection, prediction, tilted, holding, views.crop, symbols))
            distances.append(distance)
        found = self.held_level(found, distances, frame.shape, seen_by, known=camera is not None)
        return [self.on_marker(die, markers) for die in found]

    def on_marker(self, die: Recognized, markers: Sequence[Box]) -> Recognized:
        """The die; of one on a marker, whose pattern may pass for its edges, people see if it is flat."""
        box = die.detection.sides
        least = self.tilt.marker_part * die.detection.width * die.detection.height
        if die.tilted and any(intersection(box, marker) >= least for marker in markers):
            return die._replace(tilted=False, may_be_tilted=True)
        return die

    def held_level(
        self,
        dice: Sequence[Recognized],
        distances: Sequence[float],
        shape: tuple[int, ...],
        camera: CameraPose,
        *,
        known: bool,
    ) -> list[Recognized]:
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
            if self.hardly_read(die.prediction):
                cocked, may_be = False, cocked or may_be
            tilted = die.tilted or cocked
            top = None
            if self.is_reference(die.prediction):
                right, down = attitude.top.tolist()
                top = SeenTop(die.detection.middle, (right, down), attitude.error)
            die = die._replace(tilted=tilted, may_be_tilted=may_be and not tilted, top=top)
            result.append(die._replace(tilt_deg=off.angle_deg) if known else die)
        return result if known else self.asked_from_low(result)

    def asked_from_low(self, dice: Sequence[Recognized]) -> list[Recognized]:
        """The dice; where the camera may see them from low, each d20 as one that may be tilted.

        The faces of a d20 stand so little aslant that one beside the top then looks as the top does from
        above, with its own numerals beside it.
        """
        legible = [die for die in dice if die.prediction.confidence > self.tilt.suspect_legible]
        if not seen_from_low([die.tilted for die in legible], self.tilt):
            return list(dice)
        return [
            die._replace(may_be_tilted=True) if die.prediction.best[0] == D20 and not die.tilted else die
            for die in dice
        ]

    def lies_cocked(
        self, die: Recognized, distance: float, off: OffLevel, *, known: bool
    ) -> tuple[bool, bool]:
        """Whether a die is cocked, and whether it may be, so that people have to look.

        Under a known camera one that seems cocked is looked at again. That may clear a weak suspicion; after
        a strong one people have to look at least.
        """
        first = self.probability(die, distance, off)
        if not known:
            return first >= self.tilt.cocked_unknown, False
        if first < self.tilt.cocked:
            return False, False
        again = self.probability(die, distance, self.looked_again(die, off))
        plainly = again >= self.tilt.plainly
        return plainly, not plainly and (again >= self.tilt.cocked or first >= self.tilt.plainly)

    def probability(self, die: Recognized, distance: float, off: OffLevel) -> float:
        """That a die is cocked whose symbol is this far from its place and whose top is so far off."""
        prediction = die.prediction
        return self.cocked.probability(cocked_features(prediction.cocked, distance, off, prediction.best[0]))

    def looked_again(self, die: Recognized, off: OffLevel) -> OffLevel:
        """How far its top is off, with the error that other views of it show."""
        upright = self.measurable(die)
        return off if upright is None else scattered(off, self.attitudes.scatter(upright), self.tilt)

    def attitudes_of(self, dice: Sequence[Recognized]) -> list[Attitude | None]:
        """Where the top of each die points; None for a die without a symbol that shows which way is up."""
        uprights = [self.measurable(die) for die in dice]
        measured = iter(self.attitudes.measure([upright for upright in uprights if upright is not None]))
        return [None if upright is None else next(measured) for upright in uprights]

    def off_level(
        self,
        dice: Sequence[Recognized],
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
        references = [self.is_reference(die.prediction) for die in legible]
        moved = attitude_shifts(measured, plumbs, references, self.tilt, camera, known=known)
        off = iter(off_level(*one) for one in zip(measured, moved, plumbs, strict=True))
        return [None if attitude is None else next(off) for attitude in attitudes]

    def measurable(self, die: Recognized) -> UprightDie | None:
        """What is measured of a die; None if no symbol of it shows which way is up."""
        prediction = die.prediction
        if prediction.symbol is None or not prediction.symbol.orientations:
            return None
        return UprightDie(die.crop, prediction.best[0], prediction.symbol, die.aspect)

    def is_reference(self, prediction: Prediction) -> bool:
        """Whether a die tells how the camera sees the others."""
        return not self.hardly_read(prediction) and prediction.cocked < self.tilt.reference_cocked

    def hardly_read(self, prediction: Prediction) -> bool:
        """Whether a die is read too badly to tell anything about others, or to be called plainly cocked."""
        return prediction.confidence <= self.tilt.reference_confidence

    def passing(
        self, frame: Image, detections: Sequence[Detection], progress: Callable[[], None]
    ) -> list[Passing]:
        """The detections that pass for dice, none a part of another, each by itself.

        Each is classified in the detector's box, and anew in a better one, if that prediction tells one. A
        known box stays: corrected again at each reading, it would grow over what lies beside the die.
        """
        beliefs: dict[Detection, float] = {}
        views: dict[Detection, Views] = {}
        likely = [
            one
            for one in detections[: self.settings.most_detections]
            if one.score >= self.settings.marker_score or not is_marker(frame, inside(one, frame.shape))
        ]
        for detection, crop, die in self._classified(frame, likely, progress):
            no_die = float(die.bodies[NO_DIE])
            if not self.passes(detection, no_die):
                continue
            right, down, longer = np.abs(die.off)
            fits = max(right, down) < self.settings.box_off and longer < self.settings.size_off
            if fits or detection.known:
                better = detection
                views[better] = Views(self.classifiers, crop, die)
            else:
                better = detection.corrected(die.off)
            beliefs[better] = better.score * (1 - no_die)
        whole = without_parts(beliefs, self.detection, beliefs.__getitem__)
        corrected = [one for one in whole if one not in views]
        for detection, crop, die in self._classified(frame, corrected, progress):
            views[detection] = Views(self.classifiers, crop, die)
        passing: list[Passing] = []
        for detection in whole:
            progress()
            prediction = views[detection].predict()
            if self.passes(detection, prediction.no_die, prediction.confidence):
                passing.append((detection, views[detection], prediction))
        return passing

    def _classified(
        self, frame: Image, detections: Sequence[Detection], progress: Callable[[], None]
    ) -> list[tuple[Detection, Pixels, DiePrediction]]:
        """The crop and the first view of each, in batches."""
        found: list[tuple[Detection, Pixels, DiePrediction]] = []
        for start in range(0, len(detections), self.settings.batch):
            progress()
            batch = detections[start : start + self.settings.batch]
            crops = [crop_of(frame, one) for one in batch]
            found += zip(batch, crops, self.classifiers.dice.predict_all(crops), strict=True)
        return found

    def passes(self, detection: Detection, no_die: float, confidence: float = 1.0) -> bool:
        """Whether a detection passes for a die, by the probability of none and the confidence of its value.

        Before it is read, the greatest confidence is assumed.
        """
        plain = detection.score >= self.detection.plain_score
        legible = plain and confidence >= self.settings.legible
        return no_die <= (self.settings.no_die_legible if legible else self.settings.no_die)

    def shifts(self, passing: Sequence[Passing], camera: CameraPose, *, known: bool) -> list[TopShift | None]:
        """The camera's shift of each die's top, as the others tell it; None where a top tells nothing."""
        tops = [
            None
            if prediction.symbol is None
            else top_of(prediction.symbol, detection, camera, prediction.best[0])
            for detection, _, prediction in passing
        ]
        references = [
            self.is_reference(prediction)
            for (_, _, prediction), top in zip(passing, tops, strict=True)
            if top is not None
        ]
        measured = [top for top in tops if top is not None]
        told = iter(top_shifts(measured, references, self.tilt, camera if known else None))
        return [None if top is None else next(told) for top in tops]


class Known(NamedTuple):
    """Where on a detection of this kind the camera shows its symbol."""

    shift: TopShift
    detection: Detection
    camera: CameraPose
    kind: int
    farthest: float

    def distance(self, symbol: Symbol) -> float:
        """The Mahalanobis distance of the symbol from there."""
        top = top_of(symbol, self.detection, self.camera, self.kind)
        return 0.0 if top is None else self.shift.distance(top)

    def weight(self, symbol: Symbol) -> float:
        """The logarithm of how likely the symbol is there, but for a constant."""
        return -0.5 * min(self.farthest, self.distance(symbol)) ** 2


def inside(detection: Detection, shape: tuple[int, ...]) -> Box:
    """The detection's box in whole pixels of the frame."""
    x0, y0 = max(0, round(detection.x)), max(0, round(detection.y))
    x1 = min(shape[1], round(detection.x + detection.width))
    y1 = min(shape[0], round(detection.y + detection.height))
    return (min(x0, shape[1] - 1), min(y0, shape[0] - 1), max(1, x1 - x0), max(1, y1 - y0))
