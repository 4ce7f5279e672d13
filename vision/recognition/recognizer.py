"""Recognizes the dice among a frame's detections, each in the light of the others."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np

from vision.detection import PLAIN_SCORE, holds_others, without_parts
from vision.reading import Box, Detection, Image, ignore_progress, inside
from vision.recognition.attitude import AttitudeNet, TopShift, top_of, top_shifts
from vision.recognition.classifiers import NO_DIE, Symbol, crop_of
from vision.recognition.cocked import FARTHEST_PLACE, CockedDice, Contacts, LogisticWeights, reference_weights
from vision.recognition.evidence import Evidence
from vision.recognition.fusion import Classifiers, Views
from vision.tray.camera import CameraPose, usual_camera
from vision.tray.markers import is_marker

MOST_DETECTIONS: Final = 128
"""Most detections that are classified, the best ones: a patterned cloth has hundreds."""
BATCH: Final = 8
"""Views of a batch of the die net. More: a little faster, more memory, longer without a sign of life."""
MOST_NO_DIE: Final = 0.5
"""Probability of no die from which a detection is dropped."""
MOST_NO_DIE_LEGIBLE: Final = 0.85
"""Probability of no die from which a plain and legible detection is dropped. Below it stays, doubted."""
LEGIBLE: Final = 0.95
"""Confidence from which a detection is legible. Higher: more legible prints are dropped."""
BOX_OFF: Final = 0.02
"""Error of a box, as a part of its side, up to which it is not cut out again. Higher: faster, less exact
crops."""
SIZE_OFF: Final = 0.04
"""Error of the logarithm of a box's longer side, up to which it is not cut out again. Higher: faster, less
exact crops."""
MARKER_SCORE: Final = 0.75
"""A detection scored under this may be one of the tray's markers, which is looked for."""


class Recognizer:
    """Classifies a frame's detections with the nets, and weighs each by where the others' tops are seen."""

    def __init__(
        self,
        classifiers: Classifiers,
        attitudes: AttitudeNet,
        cocked: LogisticWeights,
    ) -> None:
        self.classifiers = classifiers
        self.cocked = CockedDice(attitudes, cocked)

    def recognize(
        self,
        frame: Image,
        detections: Sequence[Detection],
        progress: Callable[[], None] = ignore_progress,
        camera: CameraPose | None = None,
        contacts: Contacts | None = None,
        known_views: Mapping[Box, Views] = MappingProxyType({}),
    ) -> list[Evidence]:
        """The dice among the detections, best first, of a frame (uint8, H×W×3, BGR).

        How the camera shifts the tops of the others shows which of a die's symbols is on top: each is
        weighed again by that. `progress` is called between dice; `camera` is what is known of the camera,
        `contacts` show what dice may lean on, and `known_views` holds the views of dice in known boxes that
        still look the same.
        """
        seen_by = camera or usual_camera(frame.shape)
        contacts = contacts or Contacts(frame)
        passing = self.passing(frame, detections, progress, known_views)
        boxes = [die.detection for die in passing]
        touching = contacts.touching(passing)
        passing = [die._replace(touches=held) for die, held in zip(passing, touching, strict=True)]
        weighed = []
        distances = []
        for die, shift in zip(passing, self.shifts(passing, seen_by), strict=True):
            progress()
            distance, prediction = 0.0, die.prediction
            if shift is not None:
                shifted = Known(shift, die.detection, seen_by, die.kind, FARTHEST_PLACE)
                prediction = die.views.predict(shifted.weight)
                if prediction.symbol is not None:
                    distance = shifted.distance(prediction.symbol)
            weighed.append(
                die._replace(prediction=prediction, holds_others=holds_others(die.detection, boxes))
            )
            distances.append(distance)
        return self.cocked.judged(weighed, distances, frame.shape, seen_by, contacts, progress)

    def passing(
        self,
        frame: Image,
        detections: Sequence[Detection],
        progress: Callable[[], None],
        known_views: Mapping[Box, Views],
    ) -> list[Evidence]:
        """The detections that pass for dice, none a part of another, each by itself.

        Each is classified in the detector's box, and anew in a better one, if that prediction has one. A
        known box stays: corrected again at each reading, it would grow over what lies beside the die. One
        of `known_views` is not classified again.
        """
        beliefs: dict[Detection, float] = {}
        views: dict[Detection, Views] = {}
        likely = [
            detection
            for detection in detections[:MOST_DETECTIONS]
            if detection.score >= MARKER_SCORE or not is_marker(frame, inside(detection, frame.shape))
        ]
        old = {
            detection: known_views[box]
            for detection in likely
            if detection.known and (box := inside(detection, frame.shape)) in known_views
        }
        first = old | self._views(
            frame, [detection for detection in likely if detection not in old], progress
        )
        for detection in likely:
            die = first[detection].view(0).die
            no_die = float(die.bodies[NO_DIE])
            if not self.passes(detection, no_die):
                continue
            right, down, longer = np.abs(die.off)
            fits = max(right, down) < BOX_OFF and longer < SIZE_OFF
            if fits or detection.known:
                better = detection
                views[better] = first[detection]
            else:
                better = detection.corrected(die.off)
            beliefs[better] = better.score * (1 - no_die)
        whole = without_parts(beliefs, beliefs.__getitem__)
        views |= self._views(frame, [detection for detection in whole if detection not in views], progress)
        passing = []
        for detection in whole:
            progress()
            prediction = views[detection].predict()
            if self.passes(detection, prediction.no_die, prediction.confidence):
                shape = (frame.shape[0], frame.shape[1])
                passing.append(Evidence(detection, views[detection], prediction, shape))
        return passing

    def _views(
        self, frame: Image, detections: Sequence[Detection], progress: Callable[[], None]
    ) -> dict[Detection, Views]:
        """The views of each detection, of which the first are classified in batches."""
        views: dict[Detection, Views] = {}
        for start in range(0, len(detections), BATCH):
            progress()
            batch = detections[start : start + BATCH]
            crops = [crop_of(frame, detection) for detection in batch]
            for detection, crop, die in zip(
                batch, crops, self.classifiers.dice.predict_all(crops), strict=True
            ):
                views[detection] = Views(self.classifiers, crop, die)
        progress()
        return views

    def passes(self, detection: Detection, no_die: float, confidence: float = 1.0) -> bool:
        """Whether a detection passes for a die, by the probability of none and the confidence of its value.

        Before it is read, the greatest confidence is assumed.
        """
        plain = detection.score >= PLAIN_SCORE
        legible = plain and confidence >= LEGIBLE
        return no_die <= (MOST_NO_DIE_LEGIBLE if legible else MOST_NO_DIE)

    def shifts(self, passing: Sequence[Evidence], camera: CameraPose) -> list[TopShift | None]:
        """The camera's shift of each die's top, according to the others; None where a top says nothing."""
        tops = [
            None
            if die.prediction.symbol is None
            else top_of(die.prediction.symbol, die.detection, camera, die.kind)
            for die in passing
        ]
        weights = reference_weights([die for die, top in zip(passing, tops, strict=True) if top is not None])
        measured_shifts = iter(top_shifts([top for top in tops if top is not None], weights, camera))
        return [None if top is None else next(measured_shifts) for top in tops]


class Known(NamedTuple):
    """Where on a detection of this kind the camera shows its symbol."""

    shift: TopShift
    detection: Detection
    camera: CameraPose
    kind: int
    farthest: float

    def distance(self, symbol: Symbol) -> float:
        top = top_of(symbol, self.detection, self.camera, self.kind)
        return 0.0 if top is None else self.shift.distance(top)

    def weight(self, symbol: Symbol) -> float:
        """The logarithm of how likely the symbol is there, but for a constant."""
        return -0.5 * min(self.farthest, self.distance(symbol)) ** 2
