"""Decides whether a die is sure. Every reason for doubt is one predicate here, and only here.

A predicate answers for one die from what is known of it (`Evidence`) and the settings. `first_doubt` asks
them in the order of `PREDICATES`: what is wrong with the die itself comes first, for there another throw
helps; then what the camera cannot tell; the two that cost a look at the pixels come last.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import KINDS
from vision.reading import DieReading, Doubt, Reading, iou
from vision.recognition.classifiers import UNREADABLE
from vision.recognition.evidence import bare_middle, confidence_features, logit
from vision.recognition.recognizer import inside

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from games.dice import Die, Kind
    from vision.reading import Detection
    from vision.recognition.classifiers import DieClassifier
    from vision.recognition.fusion import Prediction
    from vision.recognition.recognizer import Recognized
    from vision.settings import DoubtSettings

D6: Final = KINDS.index("d6")
ONE_FACE_SEEN: Final = (D6, KINDS.index("d12"))
"""Kinds that show one face from above, as a token does."""
HIDDEN_MIDDLE: Final = (2, 4)
"""What a three or a five passes for when something covers its middle pip."""
LIKELIER: Final = 0.5
"""Confidence from which something is likelier than not."""


class Evidence(NamedTuple):
    """What is known of one detected die when it is decided whether it is sure.

    Attributes:
        detection: its box and the detector's score.
        prediction: the fused prediction of its kind and value.
        confidence: the calibrated probability that kind and value are right.
        frame: height and width of the frame.
        tilted: its symbol is not where it is on a die that lies flat, or its top plainly points aside.
        may_be_tilted: its top seems to point aside, but it may lie flat.
        holds_others: other detections lie within its box.
        kind_share: probability of the kind among the kinds when the die is seen turned by `kind_turn_deg`;
            runs the die net.
        bare_middle: whether the middle of its face has the colour of the face; looks at pixels.
    """

    detection: Detection
    prediction: Prediction
    confidence: float
    frame: tuple[int, int]
    tilted: bool
    may_be_tilted: bool
    holds_others: bool
    kind_share: Callable[[], float]
    bare_middle: Callable[[], bool]

    @property
    def kind(self) -> int:
        """Index of the likeliest kind."""
        return self.prediction.best[0]

    @property
    def value(self) -> int:
        """The likeliest value; 0 if none was read."""
        return self.prediction.best[1]


Predicate: TypeAlias = "Callable[[Evidence, DoubtSettings], bool]"


def is_cocked(die: Evidence, settings: DoubtSettings) -> bool:
    """The net takes it for a cocked die, or its symbol is read but not where a flat die has it."""
    return looks_cocked(die) or (is_read(die, settings) and die.tilted)


def may_be_cocked(die: Evidence, settings: DoubtSettings) -> bool:
    """It is read, and whether it lies flat is for people to see."""
    return is_read(die, settings) and die.may_be_tilted


def is_read(die: Evidence, settings: DoubtSettings) -> bool:
    """It has a value that is probable enough."""
    return die.value != 0 and die.confidence >= settings.least_confidence


def looks_cocked(die: Evidence) -> bool:
    """The net holds it for cocked rather than for what it reads, and rather than for any flat die."""
    seen = die.prediction
    flat = 1 - seen.cocked - seen.unreadable - seen.no_die
    return seen.cocked > max(die.confidence, seen.unreadable, flat)


def is_cut(die: Evidence, settings: DoubtSettings) -> bool:
    """A part of it lies beyond the edge of the frame."""
    box, (height, width) = die.detection, die.frame
    beyond_x = max(-box.x, box.x + box.width - width)
    beyond_y = max(-box.y, box.y + box.height - height)
    return beyond_x > settings.cut_part * box.width or beyond_y > settings.cut_part * box.height


def is_covered(die: Evidence, settings: DoubtSettings) -> bool:
    """The net takes it for a die whose top cannot be seen."""
    return die.prediction.unreadable > settings.unreadable


def is_pile(die: Evidence, _settings: DoubtSettings) -> bool:
    """Other dice lie within its box."""
    return die.holds_others


def may_be_print_or_token(die: Evidence, settings: DoubtSettings) -> bool:
    """The net suspects a picture, or no die at all."""
    return die.prediction.no_die > settings.printed


def shows_what_tokens_show(prediction: Prediction, settings: DoubtSettings) -> bool:
    """It shows what coins and tokens show too: one dot, or a numeral on a face without faces beside it."""
    kind, value = prediction.best
    if has_numeral(prediction, settings):
        return kind in ONE_FACE_SEEN
    return (kind, value) == (D6, 1)


def is_not_read(die: Evidence, _settings: DoubtSettings) -> bool:
    """No symbol was found on it."""
    return die.value == 0


def may_be_six_or_nine(die: Evidence, settings: DoubtSettings) -> bool:
    """Nothing tells its 6 or 9 from the other one, or what tells contradicts the way up."""
    return die.prediction.six_nine < settings.six_nine


def may_stand_upside_down(die: Evidence, settings: DoubtSettings) -> bool:
    """Upside down its numeral is another value as legibly."""
    return die.prediction.upside_down >= settings.upside_down


def is_contradicted_beside(die: Evidence, _settings: DoubtSettings) -> bool:
    """The numerals beside the top belong to another value: its own may be worn."""
    return die.prediction.beside_differs


def has_low_confidence(die: Evidence, settings: DoubtSettings) -> bool:
    """Kind and value are not probable enough."""
    return die.confidence < settings.least_confidence


def may_hide_a_pip(die: Evidence, settings: DoubtSettings) -> bool:
    """It shows two or four pips, and something may lie on the middle one of a three or a five."""
    prediction = die.prediction
    pips = die.kind == D6 and prediction.symbol is not None and not has_numeral(prediction, settings)
    if not pips or die.value not in HIDDEN_MIDDLE or prediction.confidence > settings.plain_pips:
        return False
    return not die.bare_middle()


def is_kind_unstable(die: Evidence, settings: DoubtSettings) -> bool:
    """It bears a numeral, and seen turned it looks like a die of another kind.

    A d20 shows its kind by the numerals beside its top, where they bear its value out.
    """
    told = not has_numeral(die.prediction, settings) or die.prediction.beside >= settings.borne_out
    return not told and die.kind_share() < settings.kind_share


PREDICATES: Final[Sequence[tuple[Doubt, Predicate]]] = (
    (Doubt.COCKED, is_cocked),
    (Doubt.CUT_BY_FRAME, is_cut),
    (Doubt.COVERED, is_covered),
    (Doubt.PILE, is_pile),
    (Doubt.COCKED, may_be_cocked),
    (Doubt.PRINT_OR_TOKEN, may_be_print_or_token),
    (Doubt.NOT_READ, is_not_read),
    (Doubt.SIX_OR_NINE, may_be_six_or_nine),
    (Doubt.OTHER_BESIDE, is_contradicted_beside),
    (Doubt.LOW_CONFIDENCE, has_low_confidence),
    (Doubt.UPSIDE_DOWN, may_stand_upside_down),
    (Doubt.HIDDEN_PIP, may_hide_a_pip),
    (Doubt.KIND_NOT_STABLE, is_kind_unstable),
)


def first_doubt(die: Evidence, settings: DoubtSettings) -> Doubt | None:
    """The first reason for doubt that applies to a die; None if it is sure."""
    return next((doubt for doubt, applies in PREDICATES if applies(die, settings)), None)


def may_be_identified(die: Evidence, settings: DoubtSettings) -> bool:
    """Whether it is a whole flat die whose top can be compared with the enrolled dice.

    Of one that the nets cannot read, the tilt is hardly measured.
    """
    spoiled = (is_cocked, may_be_cocked, is_cut, is_pile)
    printed = die.prediction.no_die > settings.printed
    return not (printed or die.tilted or any(applies(die, settings) for applies in spoiled))


def has_numeral(prediction: Prediction, settings: DoubtSettings) -> bool:
    """Whether its symbol is a numeral and no face of pips."""
    return prediction.upright >= settings.upright


def has_odd_size(longer_px: float, usual_px: float, settings: DoubtSettings) -> bool:
    """Its box is much larger or smaller than that of the usual sure die of its frame."""
    return not usual_px / settings.odd_size_ratio < longer_px < usual_px * settings.odd_size_ratio


def has_impossible_size(longer_mm: float, settings: DoubtSettings) -> bool:
    """No die of that size is sold."""
    return not settings.smallest_mm <= longer_mm <= 1.5 * settings.largest_mm


def differs_between_frames(die: DieReading, others: Sequence[DieReading | None]) -> bool:
    """Another frame of the same still dice shows no die there, or likelier than not another kind or value."""
    return any(
        other is None or (other.confidence >= LIKELIER and (other.kind, other.value) != (die.kind, die.value))
        for other in others
    )


def is_part_of_the_tray(changed_part: float, settings: DoubtSettings) -> bool:
    """Too little of its box differs from the empty tray."""
    return changed_part <= settings.changed_part


def is_unknown(likeness: float, kind_elsewhere: float, settings: DoubtSettings) -> bool:
    """It is unlike every enrolled die, or surely of a kind of which none is enrolled.

    Args:
        likeness: logit that it is one of the enrolled dice, by shape and colour.
        kind_elsewhere: probability of its kind if no die of that kind is enrolled, else 0.
        settings: the limits of both.
    """
    return likeness < settings.known_likeness or kind_elsewhere >= settings.kind_elsewhere


def looks_like_another_face(
    read: Die, match: Die, probability: float, enrolled: Collection[Die], settings: DoubtSettings
) -> bool:
    """What was read is not the enrolled face that it looks like most, `match`, of this probability."""
    return read != match if read in enrolled else probability >= settings.known


Floats: TypeAlias = npt.NDArray[Any]


def evidence_of(
    die: Recognized,
    confidence: float,
    frame: tuple[int, ...],
    classifier: DieClassifier,
    settings: DoubtSettings,
) -> Evidence:
    """What is known of a recognized die of this calibrated confidence, in a frame of this shape."""
    prediction = die.prediction

    def kind_share() -> float:
        kinds = classifier.predict(die.crop, settings.kind_turn_deg).bodies[:UNREADABLE]
        return float(kinds[prediction.best[0]] / kinds.sum())

    def is_bare() -> bool:
        return prediction.symbol is None or bare_middle(die.crop, prediction.symbol, settings.middle_unlike)

    shape = (frame[0], frame[1])
    return Evidence(
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
    return confidence_features(
        prediction.confidence,
        symbol=prediction.score,
        detection=detection.score,
        longer_px=detection.longer,
        no_die=prediction.no_die,
        token=shows_what_tokens_show(prediction, settings),
    )


def judge(die: Evidence, settings: DoubtSettings, plain_score: float) -> DieReading | None:
    """The reading of a die; None for one that is doubted and, by its score, better dropped than told."""
    doubt = first_doubt(die, settings)
    if doubt is not None and die.detection.score < plain_score:
        return None
    box = inside(die.detection, die.frame)
    if doubt is Doubt.COCKED and is_cocked(die, settings):
        if looks_cocked(die):
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
        if not has_odd_size(max(die.box[2:]), usual, settings):
            kept.append(die)
        elif die.sure:
            kept.append(die if (die.kind, die.value) in known else replace(die, doubt=Doubt.ODD_SIZE))
    return kept


OF_ONE_FRAME = (None, Doubt.LOW_CONFIDENCE)
"""Doubts that other frames may settle: all others are of the die and not of the frame."""


def consensus(readings: Sequence[Reading], same_iou: float, least_confidence: float) -> Reading:
    """One reading out of readings of the same still dice.

    A die has the value that is likeliest over all readings, with the mean of its logits. It is sure if that
    makes its confidence `least_confidence`, each frame shows it, none has another doubt of it, and none holds
    another value for likelier than not. What only some of them saw is doubtful. A die that is cocked has no
    value if one of them shows that plainly.

    Raises:
        ValueError: there is no reading.
    """
    if not readings:
        raise ValueError("there is nothing to agree on")
    first, *others = readings
    dice = [
        over_frames(die, [same_die(die, other, same_iou) for other in others], least_confidence)
        for die in first.dice
    ]
    for number, other in enumerate(others):
        before = readings[: number + 1]
        dice += [
            die if die.doubt else replace(die, doubt=Doubt.FRAMES_DISAGREE)
            for die in other.dice
            if all(same_die(die, earlier, same_iou) is None for earlier in before)
        ]
    return Reading(tuple(sorted(dice, key=lambda die: (die.box[1], die.box[0]))))


def over_frames(die: DieReading, again: Sequence[DieReading | None], least_confidence: float) -> DieReading:
    """The die by all readings of it."""
    if not again:
        return die
    readings = [die, *(reading for reading in again if reading is not None)]
    doubt = next((reading.doubt for reading in readings if reading.doubt not in OF_ONE_FRAME), None)
    best, confidence = likeliest(readings)
    if doubt is None and differs_between_frames(best, [die, *again]):
        doubt = Doubt.FRAMES_DISAGREE
    if doubt is None and (best.value is None or confidence < least_confidence):
        doubt = Doubt.LOW_CONFIDENCE
    plainly_cocked = doubt is Doubt.COCKED and any(one.cocked and one.value is None for one in readings)
    value = None if plainly_cocked else best.value
    return replace(best, value=value, box=die.box, doubt=doubt, confidence=confidence)


def likeliest(readings: Sequence[DieReading]) -> tuple[DieReading, float]:
    """The reading that is surest of the likeliest value, and the confidence in that over all readings.

    A reading of another value leaves this one half of what it is not sure of.
    """
    by_value: dict[tuple[Kind | None, int | None], list[DieReading]] = defaultdict(list)
    for reading in readings:
        by_value[reading.kind, reading.value].append(reading)

    def mean(value: tuple[Kind | None, int | None]) -> float:
        logits = [
            logit(one.confidence if (one.kind, one.value) == value else (1 - one.confidence) / 2)
            for one in readings
        ]
        return float(np.mean(logits))

    value = max(by_value, key=lambda one: (one[1] is not None, mean(one)))
    best = max(by_value[value], key=lambda reading: reading.confidence)
    return best, float(1 / (1 + np.exp(-mean(value))))


def same_die(die: DieReading, reading: Reading, same_iou: float) -> DieReading | None:
    """The die of the reading that lies where this one does, if any."""
    best = max(reading.dice, key=lambda other: iou(die.box, other.box), default=None)
    return best if best is not None and iou(die.box, best.box) >= same_iou else None
