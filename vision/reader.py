"""Reads the dice in one frame: the only way from pixels to dice, which every command uses."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Final

import numpy as np

from games.dice import Die
from vision.detection import PLAIN_SCORE, Detector, Within, boxed
from vision.foreground import (
    OWN_PART,
    SHADOW_WIDTH,
    SHARED_PART,
    STEP,
    Difference,
    beside,
    changed_mask,
    changed_part,
    difference,
    fill,
    find_foreground,
    may_be_shadow,
    part_of,
    things,
    without_prints,
)
from vision.nets import Nets, load_nets
from vision.reading import Box, Detection, DieReading, Image, Reading, ignore_progress, inside, touch
from vision.recognition import doubts
from vision.recognition.attitude import AttitudeNet
from vision.recognition.classifiers import (
    DieClassifier,
    FaceClassifier,
    Pixels,
    SixNineClassifier,
    SymbolClassifier,
    crop_of,
)
from vision.recognition.cocked import Contacts, nowhere
from vision.recognition.corroboration import Corroborators
from vision.recognition.enrolled import EnrolledDice, Gallery, Learned, Origin, Prototype
from vision.recognition.enrolment import compared, identify, middles, prototype, views
from vision.recognition.evidence import Evidence, features_of
from vision.recognition.fusion import Classifiers, SymbolReader, Views
from vision.recognition.recognizer import Recognizer
from vision.tray.camera import CameraPose, SceneWidth
from vision.tray.pose import Tray

LIES_THERE: Final = 0.5
"""Part of a box that must differ from the empty tray for a legible die to be reported although the detector
is unsure of it. Lower: fewer dice are overlooked, more patterns are asked about."""


def markers_of(tray: Tray | SceneWidth | None) -> Sequence[Box]:
    return tray.marker_boxes if isinstance(tray, Tray) else ()


class DiceReader:
    """Reads frames with these nets, or the package's; holds nothing of one frame for the next."""

    def __init__(self, nets: Nets | None = None) -> None:
        self.nets = nets = nets or load_nets()
        self.fitted = nets.fitted
        self.detector = Detector(nets.detector)
        self.dice = DieClassifier(nets.die)
        self.symbols = SymbolClassifier(nets.symbol)
        symbols = SymbolReader(self.symbols, nets.fitted.symbols)
        classifiers = Classifiers(self.dice, symbols, FaceClassifier(nets.face))
        six_nine = SixNineClassifier(nets.six_nine)
        self.corroborators = Corroborators(self.symbols, six_nine)
        self.recognizer = Recognizer(
            classifiers,
            AttitudeNet(nets.attitude),
            nets.fitted.cocked,
        )

    def read(
        self,
        frame: Image,
        tray: Tray | SceneWidth | None = None,
        background: Image | None = None,
        enrolled: EnrolledDice | None = None,
        progress: Callable[[], None] = ignore_progress,
        lying: Sequence[Box] = (),
        thrown: Callable[[Box], bool] = nowhere,
        camera: CameraPose | None = None,
        views: dict[Box, Views] | None = None,
    ) -> Reading:
        """The dice in a frame.

        Args:
            frame: uint8, H×W×3, BGR.
            tray: how the camera sees the tray, or the width of the scene. Sizes that no die has are doubted;
                with a tray it is also known where dice lie, which ones are tilted, and what is a marker.
            background: the same view without dice, of any size; what did not change since is no die, or a
                doubtful one if it is surely read (then the picture may be wrong); what did change and is not
                read is a doubtful die. With a tray, dice are looked for only where something changed.
            enrolled: the table's own dice; they are identified, and any other die is doubted.
            progress: called between dice, so that a slow reading does not look stuck.
            lying: boxes of sure dice of an earlier reading that lie as they lay then. A die that is detected
                there has that box, which is right already; all else comes from this frame alone.
            thrown: whether what lies in a box was seen to be thrown. Then it is no picture of a die,
                no part of the tray, and flat unless it touches something.
            camera: what dice showed before of a camera that is not calibrated.
            views: those of `lying` dice that look the same still, by their boxes; the nets look at these dice
                no more. The views of each die that is read are added.

        Returns:
            Each die once, doubtful ones too. A value that is `sure` may be played.
        """
        off = None if background is None else difference(frame, background)
        calibrated = tray if isinstance(tray, Tray) else None
        if calibrated is not None:
            camera = calibrated.camera(frame.shape)
        contacts = Contacts(frame, off, calibrated, thrown)
        views = {} if views is None else views
        unmarked = frame
        if off is not None and calibrated is not None:
            unmarked = without_prints(frame, off, calibrated.papers)
        within = self.within(tray, off)
        recognized = self.recognize(unmarked, progress, camera, within, lying, contacts, views)
        views.update({inside(die.detection, frame.shape): die.views for die in recognized})

        def changed(box: Box) -> bool:
            return background is not None and changed_part(frame, background, box, STEP) >= LIES_THERE

        dice: list[DieReading] = []
        for candidate in recognized:
            progress()
            dice += self.judged(candidate, enrolled, thrown, changed)
        dice = doubts.of_usual_size(dice, enrolled.shows if enrolled else ())
        if tray is not None:
            placed = [replace(die, position_mm=tray.position_mm(die.box, frame.shape)) for die in dice]
            dice = [doubts.of_possible_size(die, tray.longer_mm(die.box, frame.shape)) for die in placed]
        if background is not None and off is not None:
            dice = without_composites(off, on_the_tray(frame, background, dice, thrown), tray)
            dice += unread(off, frame.shape, dice, tray)
        tops = tuple(die.top for die in recognized if die.top is not None)
        return Reading(tuple(sorted(dice, key=lambda die: (die.box[1], die.box[0]))), tops)

    def agree(self, readings: Sequence[Reading]) -> Reading:
        """One reading out of readings of the same still dice; see `vision.recognition.doubts`."""
        return doubts.consensus(readings)

    def recognize(
        self,
        frame: Image,
        progress: Callable[[], None] = ignore_progress,
        camera: CameraPose | None = None,
        within: Within | None = None,
        boxes: Sequence[Box] = (),
        contacts: Contacts | None = None,
        views: Mapping[Box, Views] = MappingProxyType({}),
    ) -> list[Evidence]:
        """What passes for dice in a frame, before it is judged.

        `camera` is what is known of the camera, `within` where and how large dice may be; `boxes` are those
        of dice that were read before and lie as they lay; `contacts` show what dice may lean on; `views` are
        those of dice that look the same still.
        """
        detections = self.detector.candidates(frame, within, progress)
        detections = boxed(detections, boxes)
        dice = []
        for die in self.recognizer.recognize(frame, detections, progress, camera, contacts, views):
            progress()
            sure = self.corroborators.corroborated(die.prediction, die.crop, die.views.looks)
            dice.append(die._replace(prediction=sure))
        return dice

    def within(self, tray: Tray | SceneWidth | None, off: Difference | None) -> Within | None:
        """Where dice are looked for on a calibrated rig: where something changed, in the sizes of dice."""
        if not isinstance(tray, Tray):
            return None
        px_per_mm = tray.px_per_mm()
        changed = None if off is None else changed_mask(off)
        return Within(doubts.SMALLEST_MM * px_per_mm, 1.5 * doubts.LARGEST_MM * px_per_mm, changed)

    def confidence(self, die: Evidence) -> float:
        """The calibrated probability that the kind and the value of a recognized die are right."""
        if die.thrown:
            right = self.fitted.thrown.probability(die.prediction.confidence)
        else:
            right = self.fitted.confidence.probability(features_of(die))
        return min(right, doubts.CONTRADICTED_CONFIDENCE) if die.beside_top else right

    def prototype(self, frame: Image, detection: Detection) -> Prototype:
        """How the face of a detected die looks, to enrol it."""
        crop = crop_of(frame, detection)
        return prototype(crop, self.dice.predict(crop).symbols)

    def crop(self, frame: Image, box: Box) -> Pixels:
        """The crop of a die that was read, for `taught`."""
        return crop_of(frame, Detection(*box, 1.0))

    def face(self, crop: Pixels) -> tuple[int, int] | None:
        """The likeliest kind and value of the die in a crop, by index; None if another is as likely."""
        prediction = Views(self.recognizer.classifiers, crop).predict()
        return prediction.best if prediction.confidence > 0.5 else None

    def shows_die(self, picture: Image) -> bool:
        """Whether a picture shows a die that could be read, and not only a fingertip."""
        detections = [
            detection for detection in self.detector.candidates(picture) if detection.score >= PLAIN_SCORE
        ]
        return any(self.dice.is_die(crop_of(picture, detection)) for detection in detections)

    def taught(
        self, gallery: Gallery, enrolled: EnrolledDice, crop: Pixels, die: Die, origin: Origin
    ) -> Gallery:
        """The gallery with this picture of an enrolled face, or itself if the picture is not taken.

        `enrolled` are the table's own dice without what was learned, `crop` is the die as `crop_of` cut it
        from the frame, `die` the value that counted.
        """
        symbols = self.dice.predict(crop).symbols
        learned = Learned(die, prototype(crop, symbols), origin)
        turned = views(crop, middles(symbols)[:1])
        return gallery.taught(enrolled, learned, turned)

    def judged(
        self,
        evidence: Evidence,
        enrolled: EnrolledDice | None = None,
        thrown: Callable[[Box], bool] = nowhere,
        changed: Callable[[Box], bool] = nowhere,
    ) -> Iterable[DieReading]:
        """The reading of a recognized die, or nothing; see `read`.

        A die that the detector is unsure of is left out if there is a doubt, unless its value is likely right
        and most of its box has `changed` since the tray was empty.
        """
        box = inside(evidence.detection, evidence.frame)
        evidence = evidence._replace(thrown=thrown(box), arrived=changed(box))
        evidence = evidence._replace(confidence=self.confidence(evidence))
        legible = evidence.confidence >= doubts.LIKELIER and evidence.arrived
        die = doubts.judge(evidence, 0.0 if legible else PLAIN_SCORE)
        if die is None:
            return ()
        if enrolled is not None:
            clear = doubts.may_be_identified(evidence)
            views = evidence.views
            comparison = views.looks.once(
                ("enrolled", enrolled), lambda: compared(views.crop, views.view(0).symbols, enrolled)
            )
            joint, weights = evidence.joint(), self.fitted.enrolment
            die = identify(comparison, joint, die, enrolled, weights, clear=clear)
        return (die,)


def on_the_tray(
    frame: Image, background: Image, dice: Iterable[DieReading], thrown: Callable[[Box], bool] = nowhere
) -> list[DieReading]:
    """The dice without those that the empty tray shows as well; see `doubts.against_empty_tray`."""
    judged = (
        doubts.against_empty_tray(die, changed_part(frame, background, die.box, STEP), thrown=thrown(die.box))
        for die in dice
    )
    return [die for die in judged if die is not None]


def without_composites(
    off: Difference, dice: Sequence[DieReading], tray: Tray | SceneWidth | None = None
) -> list[DieReading]:
    """The dice without doubtful ones made of sure ones, markers and shadows.

    A pair of dice is, and the side of one; so is a marker that a die hides in part.
    """
    if all(die.sure for die in dice):
        return list(dice)
    changed = things(off)
    covered = np.zeros(changed.shape, np.bool_)
    for die in dice:
        if die.sure:
            fill(covered, die.box, off.scale)
    explained = covered.copy()
    for box in markers_of(tray):
        fill(explained, box, off.scale)
    return [
        die
        for die in dice
        if die.sure
        or part_of(explained, die.box, off.scale) < SHARED_PART
        or part_of(changed & ~covered, die.box, off.scale) >= OWN_PART
    ]


def unread(
    off: Difference,
    shape: tuple[int, ...],
    dice: Sequence[DieReading],
    tray: Tray | SceneWidth | None,
) -> list[DieReading]:
    """Things that changed the tray where no die was read: each may be a die of any kind."""
    free = [
        box
        for box in find_foreground(off)
        if not any(touch(box, die.box) or is_shadow(box, die.box, off) for die in dice)
    ]
    if not isinstance(tray, Tray):
        taken = [*free, *(die.box for die in dice if not die.sure)]
        around = beside(off, [die.box for die in dice if die.sure])
        free += [box_beside for box_beside in around if not any(touch(box_beside, box) for box in taken)]
    return [doubts.not_read(box, None if tray is None else tray.position_mm(box, shape)) for box in free]


def is_shadow(box: Box, die: Box, off: Difference) -> bool:
    """Whether the thing in a box beside a die is narrower than that and looks like the tray in its shadow."""
    x, y, w, h = die
    around = (x - w // 2, y - h // 2, 2 * w, 2 * h)
    narrow = min(box[2:]) < SHADOW_WIDTH * min(w, h)
    return narrow and touch(box, around) and may_be_shadow(off, box)
