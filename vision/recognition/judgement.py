"""Makes a reading of each recognized die: kind, value, confidence, and the reason for doubt, if any."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import KINDS
from vision.reading import DieReading, Doubt
from vision.recognition import doubts
from vision.recognition.confidence import features
from vision.recognition.hidden_pip import bare_middle
from vision.recognition.outputs import UNREADABLE
from vision.recognition.recognizer import inside

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from games.dice import Die
    from vision.recognition.die_classifier import DieClassifier
    from vision.recognition.recognizer import Recognized
    from vision.settings import DoubtSettings

Floats: TypeAlias = npt.NDArray[Any]


def evidence_of(
    die: Recognized,
    confidence: float,
    frame: tuple[int, ...],
    classifier: DieClassifier,
    settings: DoubtSettings,
) -> doubts.Evidence:
    """What is known of a recognized die of this calibrated confidence, in a frame of this shape."""
    prediction = die.prediction

    def kind_share() -> float:
        kinds = classifier.predict(die.crop, settings.kind_turn_deg).bodies[:UNREADABLE]
        return float(kinds[prediction.best[0]] / kinds.sum())

    def is_bare() -> bool:
        return prediction.symbol is None or bare_middle(die.crop, prediction.symbol, settings.middle_unlike)

    shape = (frame[0], frame[1])
    return doubts.Evidence(
        die.detection,
        prediction,
        confidence,
        shape,
        die.tilted,
        die.may_be_tilted,
        die.holds_others,
        kind_share,
        is_bare,
    )


def features_of(die: Recognized, settings: DoubtSettings) -> Floats:
    """The features of the confidence in a recognized die."""
    prediction, detection = die.prediction, die.detection
    return features(
        prediction.confidence,
        symbol=prediction.score,
        detection=detection.score,
        longer_px=detection.longer,
        no_die=prediction.no_die,
        token=doubts.shows_what_tokens_show(prediction, settings),
    )


def judge(die: doubts.Evidence, settings: DoubtSettings, plain_score: float) -> DieReading | None:
    """The reading of a die; None for one that is doubted and, by its score, better dropped than told."""
    doubt = doubts.first_doubt(die, settings)
    if doubt is not None and die.detection.score < plain_score:
        return None
    box = inside(die.detection, die.frame)
    if doubt is Doubt.COCKED and doubts.is_cocked(die, settings):
        if doubts.looks_cocked(die):
            return DieReading(None, None, die.prediction.cocked, box, doubt)
        return DieReading(KINDS[die.kind], None, die.confidence, box, doubt)
    if die.value == 0:
        return DieReading(None, None, die.confidence, box, doubt)
    return DieReading(KINDS[die.kind], die.value, die.confidence, box, doubt)


def of_usual_size(
    dice: Sequence[DieReading], settings: DoubtSettings, known: Collection[Die] = ()
) -> list[DieReading]:
    """The dice without doubtful ones of a size that no sure die of the frame has: coins, tokens, pips.

    A sure one of such a size is doubted, for print may pass for pips, unless its face is `known`.
    """
    sizes = [max(die.box[2:]) for die in dice if die.sure]
    if not sizes:
        return list(dice)
    usual = float(np.median(sizes))
    kept = []
    for die in dice:
        if not doubts.has_odd_size(max(die.box[2:]), usual, settings):
            kept.append(die)
        elif die.sure:
            kept.append(die if (die.kind, die.value) in known else replace(die, doubt=Doubt.ODD_SIZE))
    return kept
