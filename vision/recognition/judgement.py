"""Makes a reading of each recognized die: kind, value, confidence, and the reason for doubt, if any."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import KINDS
from vision.detection.detections import PLAIN
from vision.reading import DieReading, Doubt
from vision.recognition import doubts
from vision.recognition.confidence import cues, fitted
from vision.recognition.enrolment import known_again
from vision.recognition.fusion import stored_crop
from vision.recognition.hidden_pip import bare_middle
from vision.recognition.kind_stability import kind_share
from vision.recognition.recognizer import Find, finds, ignore_progress, inside

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from games.dice import Die
    from vision.recognition.crops import Pixels
    from vision.recognition.enrolled import OwnDice
    from vision.settings import DoubtSettings

Floats: TypeAlias = npt.NDArray[Any]


def read_any_dice(
    frame: Pixels,
    settings: DoubtSettings,
    own: OwnDice | None = None,
    progress: Callable[[], None] = ignore_progress,
) -> list[DieReading]:
    """The dice of a frame (uint8, H×W×3, BGR), doubtful ones too, in no order; `own` are the enrolled ones.

    `progress` is called between dice.
    """
    dice = []
    for seen in finds(frame, progress):
        progress()
        evidence = evidence_of(frame, seen, settings)
        die = judge(evidence, settings)
        if die is not None:
            if own:
                clear = doubts.may_be_identified(evidence, settings)
                die = known_again(
                    frame, seen.candidate, seen.said.joint, die, own, settings=settings, clear=clear
                )
            dice.append(die)
    return of_usual_size(dice, settings, own.shows if own else ())


def evidence_of(
    frame: Pixels, seen: Find, settings: DoubtSettings, confidence: float | None = None
) -> doubts.Evidence:
    """What is known of a find; `confidence` stands in for the calibrated one."""
    said, candidate = seen.said, seen.candidate

    def share() -> float:
        return kind_share(stored_crop(frame, candidate), said.best[0], settings.kind_turn_deg)

    def bare() -> bool:
        return said.mark is None or bare_middle(
            stored_crop(frame, candidate), said.mark, settings.middle_unlike
        )

    if confidence is None:
        confidence = fitted().of(told(seen))
    shape = (frame.shape[0], frame.shape[1])
    return doubts.Evidence(candidate, said, confidence, shape, seen.leans, seen.holds, share, bare)


def told(seen: Find) -> Floats:
    """The cues to how far a find is to be trusted."""
    said, candidate = seen.said, seen.candidate
    return cues(said.confidence, mark=said.score, found=candidate.score, longer_px=candidate.longer)


def judge(die: doubts.Evidence, settings: DoubtSettings) -> DieReading | None:
    """The reading of a find; None if it is better dropped than asked about."""
    doubt = doubts.first_doubt(die, settings)
    if doubt is not None and die.detection.score < PLAIN:
        return None
    box = inside(die.detection, die.frame)
    if doubt is Doubt.COCKED:
        if doubts.looks_cocked(die):
            return DieReading(None, None, die.prediction.cocked, box, doubt)
        return DieReading(KINDS[die.kind], None, die.confidence, box, doubt)
    if die.value == 0:
        return DieReading(None, None, die.confidence, box, doubt)
    return DieReading(KINDS[die.kind], die.value, die.confidence, box, doubt)


def of_usual_size(
    dice: list[DieReading], settings: DoubtSettings, known: Collection[Die] = ()
) -> list[DieReading]:
    """The dice without doubtful ones of a size that no sure die of the frame has: coins, tokens, pips.

    A sure one of such a size is doubted, for print may pass for pips, unless its face is `known`.
    """
    sizes = [max(die.box[2:]) for die in dice if die.sure]
    if not sizes:
        return dice
    usual = float(np.median(sizes))
    kept = []
    for die in dice:
        if not doubts.has_odd_size(max(die.box[2:]), usual, settings):
            kept.append(die)
        elif die.sure:
            kept.append(die if (die.kind, die.value) in known else replace(die, doubt=Doubt.ODD_SIZE))
    return kept
