"""Reads the dice in one frame. This is the only door from pixels to dice; every command goes through it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from vision.detection.boxes import touch
from vision.detection.detector import Detector
from vision.detection.foreground import changed_part, find_foreground
from vision.nets import load_nets
from vision.reading import Box, DieReading, Doubt, Image, Reading
from vision.recognition import doubts
from vision.recognition.consensus import consensus
from vision.recognition.crops import crop_of
from vision.recognition.die_classifier import DieClassifier
from vision.recognition.enrolment import Seen, identify, prototype
from vision.recognition.fusion import Classifiers
from vision.recognition.judgement import evidence_of, features_of, judge, of_usual_size
from vision.recognition.recognizer import Recognizer, ignore_progress
from vision.recognition.symbol_classifier import SymbolClassifier
from vision.recognition.symbols import SymbolReader
from vision.settings import ReaderSettings

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from vision.detection.detections import Detection
    from vision.nets import Nets
    from vision.recognition.enrolled import EnrolledDice, Prototype
    from vision.recognition.recognizer import Recognized
    from vision.tray.scene import SceneWidth


class DiceReader:
    """Reads frames with its own nets and settings; holds nothing of one frame for the next.

    Args:
        nets: the models; None for those that come with the package.
        settings: all that can be tuned.
    """

    def __init__(self, nets: Nets | None = None, settings: ReaderSettings | None = None) -> None:
        self.settings = settings or ReaderSettings()
        nets = nets or load_nets(self.settings.threads)
        self.fitted = nets.fitted
        self.detector = Detector(nets.detector, self.settings.detection)
        self.dice = DieClassifier(nets.die, self.settings.recognition)
        self.symbols = SymbolClassifier(nets.symbol)
        symbols = SymbolReader(self.symbols, nets.fitted.symbols, self.settings.symbols)
        classifiers = Classifiers(self.dice, symbols, self.settings.recognition)
        self.recognizer = Recognizer(classifiers, self.settings.detection, self.settings.tilt)

    def read(
        self,
        frame: Image,
        tray: SceneWidth | None = None,
        background: Image | None = None,
        enrolled: EnrolledDice | None = None,
        progress: Callable[[], None] = ignore_progress,
    ) -> Reading:
        """The dice in a frame.

        Args:
            frame: uint8, H×W×3, BGR.
            tray: how large things are; sizes that no die has are then doubted.
            background: the same view without dice, of any size; what did not change since is no die, or a
                doubtful one if it is surely read (then the picture may be wrong); what did change and is not
                read is a doubtful die.
            enrolled: the table's own dice; they are identified, and any other die is doubted.
            progress: called between dice, for whoever must tell slow from stuck.

        Returns:
            Each die once, doubtful ones too. A value that is `sure` may be played.
        """
        dice = [die for one in self.recognize(frame, progress) for die in self.judged(one, frame, enrolled)]
        dice = of_usual_size(dice, self.settings.doubts, enrolled.shows if enrolled else ())
        if tray is not None:
            dice = [self.of_possible_size(die, tray.longer_mm(die.box, frame.shape)) for die in dice]
        if background is not None:
            dice = self.since(frame, background, dice)
            things = find_foreground(frame, self.settings.foreground, background)
            dice += [unread(thing) for thing in things if not any(touch(thing, die.box) for die in dice)]
        return Reading(tuple(sorted(dice, key=lambda die: (die.box[1], die.box[0]))))

    def agree(self, readings: Sequence[Reading]) -> Reading:
        """One reading out of readings of the same still dice; see `vision.recognition.consensus`."""
        return consensus(readings, self.settings.consensus_iou)

    def recognize(self, frame: Image, progress: Callable[[], None] = ignore_progress) -> list[Recognized]:
        """What passes for dice in a frame, before it is judged."""
        return self.recognizer.recognize(frame, self.detector.candidates(frame), progress)

    def confidence(self, die: Recognized) -> float:
        """The calibrated probability that the kind and the value of a recognized die are right."""
        return self.fitted.confidence.probability(features_of(die))

    def prototype(self, frame: Image, detection: Detection) -> Prototype:
        """How the face of a detected die looks, to enrol it."""
        crop = crop_of(frame, detection)
        return prototype(crop, self.dice.predict(crop).symbols, self.settings.enrolment)

    def judged(self, seen: Recognized, frame: Image, enrolled: EnrolledDice | None) -> Iterable[DieReading]:
        """The reading of a recognized die, if it is worth telling."""
        limits = self.settings.doubts
        evidence = evidence_of(seen, self.confidence(seen), frame.shape, self.dice, limits)
        die = judge(evidence, limits, self.settings.detection.plain_score)
        if die is not None and enrolled is not None:
            clear = doubts.may_be_identified(evidence, limits)
            view = Seen(seen.crop, seen.symbols, seen.prediction.joint, clear)
            weights, settings = self.fitted.enrolment, self.settings.enrolment
            die = identify(view, die, enrolled, weights, settings, limits)
        return () if die is None else (die,)

    def of_possible_size(self, die: DieReading, longer_mm: float) -> DieReading:
        """The die, doubted if no die is of that size."""
        if doubts.has_impossible_size(longer_mm, self.settings.doubts):
            return self.contradicted(die, Doubt.ODD_SIZE)
        return die

    def since(self, frame: Image, background: Image, dice: Iterable[DieReading]) -> list[DieReading]:
        """The dice as they are where the background differs; elsewhere doubted, or left out."""
        kept = []
        for die in dice:
            part = changed_part(frame, background, die.box, self.settings.foreground.step)
            if not doubts.is_part_of_the_tray(part, self.settings.doubts):
                kept.append(die)
            elif die.sure or part > self.settings.doubts.same_part:
                kept.append(self.contradicted(die, Doubt.PART_OF_THE_TRAY))
        return kept

    def contradicted(self, die: DieReading, doubt: Doubt) -> DieReading:
        """The die with a doubt, unless it has one, and little confidence."""
        confidence = min(die.confidence, self.settings.doubts.contradicted_confidence)
        return replace(die, doubt=die.doubt or doubt, confidence=confidence)


def unread(thing: Box) -> DieReading:
    """Something that may be a die of any kind."""
    return DieReading(kind=None, value=None, confidence=0.0, box=thing, doubt=Doubt.NOT_READ)
