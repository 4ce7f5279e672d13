"""Decides whether a die is sure: every doubt is assigned here, from evidence, and nowhere else.

`judge` makes the reading of one detected die: `first_doubt` asks the predicates in the order of `PREDICATES`.
What is wrong with the die itself comes first, for there another throw helps; then what the camera cannot
see; what costs most comes last. The frame's other dice, the tray and the enrolled dice then confirm that
reading or doubt it. `consensus` joins the readings of several frames; only what it returns
is ever played.
"""

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Final, TypeAlias

import numpy as np

from games.dice import KINDS, Die, Kind
from vision.reading import SAME_DIE_IOU, Box, DieReading, Doubt, Reading, inside, iou
from vision.recognition.classifiers import logit
from vision.recognition.evidence import EnrolmentMatch, Evidence, has_numeral

LEAST_CONFIDENCE: Final = 0.85
"""Confidence of a sure die. Higher: fewer wrong values, more dice thrown again."""
MOST_PRINTED: Final = 0.2
"""Probability of no die from which it may be a picture. Lower: fewer prints pass for dice, more real dice
are doubted."""
MOST_UNREADABLE: Final = 0.3
"""Probability of an illegible die from which it counts as covered. Lower: fewer covered dice are sure, more
worn ones are doubted."""
CUT_PART: Final = 0.03
"""Part of a die's side that may lie beyond the frame. Higher: dice at the edge are read, of which a symbol
may be cut off."""
LEAST_SIX_NINE: Final = 0.998
"""Probability that a 6 or 9 is not the other one under which it is doubted."""
MOST_UPSIDE_DOWN: Final = 0.8
"""Probability of another value upside down from which a numeral of a d10 or d12 is doubted. Lower: fewer d10
whose numerals stand with their foot towards the tip are misread, more others are asked about."""
LEAST_KIND_SHARE: Final = 0.7
"""Probability among the kinds that is enough then. Higher: fewer wrong kinds, more doubts. At 0.7 it finds
four of six wrong kinds and doubts one right kind in eighty."""
MOST_PERCENT: Final = 0.3
"""Probability of a percentile die's two digits from which a d10 is doubted. Lower: fewer percentile dice pass
for a d10, more d10 are asked about."""
MAY_BE_PICTURE: Final = 0.5
"""Probability of a picture from which a face is looked at again. Lower: slower, and few more are found."""
MOST_UNLIKE: Final = 1.0
"""How unlike its value a face may look then. Lower: fewer emblems pass for a value, more worn and ornate
numerals are asked about."""
MOST_UNLIKE_OFTEN: Final = 0.8
"""How unlike its value the face of a d6 may look, which most emblems stand on, and the ten of a d10, which a
percentile die has too. Lower and higher: as for other faces."""
BORNE_OUT: Final = 2.3
"""Logarithm of how much better the numerals beside the top of a d20 fit its value than an unknown die's,
from which they show its kind. Higher: slower, and more d20 are doubted."""
PLAIN_PIPS: Final = 0.995
"""Confidence from which the middle of two or four pips need not be bare. Lower: a chip on a five may pass
for a four."""
ODD_SIZE_RATIO: Final = 2.0
"""How many times larger or smaller than the median sure die a die may be. Lower: more prints and tokens are
found out, more mixed sets of dice are doubted."""
LEAST_CHANGED_PART: Final = 0.2
"""Part of a die's box that must differ from the empty tray. Higher: the tray's own pattern is never a die; a
die like its cloth is doubted."""
SAME_PART: Final = 0.03
"""Part up to which a doubtful die is left out as the tray's own pattern. Higher: fewer false doubts, and a
dark die on dark cloth may be missed."""
KNOWN_FACE: Final = 0.95
"""Probability among the enrolled faces from which a face is known by its looks alone."""
KNOWN_LIKENESS: Final = -2.5
"""Log odds from which a die is one of the enrolled ones."""
KIND_ELSEWHERE: Final = 0.9
"""Probability of a kind that is not enrolled from which the die is an unknown one."""
CONTRADICTED_CONFIDENCE: Final = 0.3
"""Confidence left to a value that its place or its size contradicts."""
SMALLEST_MM: Final = 7.0
"""Longer side of the smallest die that is sold."""
LARGEST_MM: Final = 40.0
"""Longer side of the largest one, and its diagonal is 1.5 times that."""
HIDDEN_MIDDLE: Final = (2, 4)
"""What a three or a five passes for when something covers its middle pip."""
LIKELIER: Final = 0.5
"""Confidence from which something is likelier than not."""
OF_ONE_FRAME: Final[tuple[Doubt | None, ...]] = (None, Doubt.LOW_CONFIDENCE)
"""Doubts that other frames may settle: all others are of the die and not of the frame."""
Predicate: TypeAlias = "Callable[[Evidence], bool]"


def is_cocked(die: Evidence) -> bool:
    """It is read, and its top is measured to point plainly aside."""
    return is_read(die) and die.tilted


def may_be_cocked(die: Evidence) -> bool:
    """It leans on something or looks as if it did, and whether it lies flat is for people to see."""
    return (is_read(die) and die.may_be_tilted) or (die.value != 0 and looks_cocked(die))


def is_read(die: Evidence) -> bool:
    return die.value != 0 and die.confidence >= LEAST_CONFIDENCE


def looks_cocked(die: Evidence) -> bool:
    """The net holds it for cocked rather than for what it reads, and rather than for any flat die."""
    prediction = die.prediction
    flat = 1 - prediction.cocked - prediction.unreadable - prediction.no_die
    return prediction.cocked > max(die.confidence, prediction.unreadable, flat)


def is_cut(die: Evidence) -> bool:
    """A part of it lies beyond the edge of the frame."""
    box, (height, width) = die.detection, die.frame
    beyond_x = max(-box.x, box.x + box.width - width)
    beyond_y = max(-box.y, box.y + box.height - height)
    return beyond_x > CUT_PART * box.width or beyond_y > CUT_PART * box.height


def is_covered(die: Evidence) -> bool:
    """The net takes it for a die whose top cannot be seen."""
    return die.prediction.unreadable > MOST_UNREADABLE


def is_pile(die: Evidence) -> bool:
    return die.holds_others


def may_be_print_or_token(die: Evidence) -> bool:
    """The net suspects a picture, or no die at all, of what may always have been there."""
    return die.prediction.no_die > MOST_PRINTED and not (die.thrown or die.arrived)


def is_not_read(die: Evidence) -> bool:
    return die.value == 0


def may_be_six_or_nine(die: Evidence) -> bool:
    """Nothing distinguishes its 6 or 9 from the other one, or the mark that does contradicts the way up."""
    return die.prediction.six_nine < LEAST_SIX_NINE


def may_stand_upside_down(die: Evidence) -> bool:
    """Upside down its numeral is another value as legibly."""
    return die.prediction.upside_down >= MOST_UPSIDE_DOWN


def is_contradicted_beside(die: Evidence) -> bool:
    """The numerals beside the top belong to another value: its own may be worn."""
    return die.prediction.beside_differs


def has_low_confidence(die: Evidence) -> bool:
    return die.confidence < LEAST_CONFIDENCE


def may_hide_a_pip(die: Evidence) -> bool:
    """It shows two or four pips, and something may lie on the middle one of a three or a five."""
    prediction = die.prediction
    pips = KINDS[die.kind] == "d6" and prediction.symbol is not None and not has_numeral(prediction)
    if not pips or die.value not in HIDDEN_MIDDLE or prediction.confidence > PLAIN_PIPS:
        return False
    return not die.has_bare_middle()


def may_be_percentile(die: Evidence) -> bool:
    """It is a d10 by its shape, and its top bears two digits, or would upside down."""
    return KINDS[die.kind] == "d10" and die.face().percent > MOST_PERCENT


def may_show_picture(die: Evidence) -> bool:
    """What it bears is neither pips nor a numeral; the three numerals of a d4 bear one another out."""
    kind = KINDS[die.kind]
    often = kind == "d6" or (kind, die.value) == ("d10", 10)
    most = MOST_UNLIKE_OFTEN if often else MOST_UNLIKE
    return kind != "d4" and die.face().foreign > MAY_BE_PICTURE and die.unlike_value() > most


def is_kind_unstable(die: Evidence) -> bool:
    """It bears a numeral, and seen turned it looks like a die of another kind.

    A d20 shows its kind by the numerals beside its top, where they bear its value out.
    """
    kind_is_shown = not has_numeral(die.prediction) or die.prediction.beside >= BORNE_OUT
    return not kind_is_shown and die.kind_share() < LEAST_KIND_SHARE


PREDICATES: Final[Sequence[tuple[Doubt, Predicate]]] = (
    (Doubt.COCKED, is_cocked),
    (Doubt.CUT_BY_FRAME, is_cut),
    (Doubt.PILE, is_pile),
    (Doubt.PERCENTILE, may_be_percentile),
    (Doubt.COVERED, is_covered),
    (Doubt.COCKED, may_be_cocked),
    (Doubt.PRINT_OR_TOKEN, may_be_print_or_token),
    (Doubt.NOT_READ, is_not_read),
    (Doubt.SIX_OR_NINE, may_be_six_or_nine),
    (Doubt.OTHER_BESIDE, is_contradicted_beside),
    (Doubt.LOW_CONFIDENCE, has_low_confidence),
    (Doubt.UPSIDE_DOWN, may_stand_upside_down),
    (Doubt.HIDDEN_PIP, may_hide_a_pip),
    (Doubt.PICTURE, may_show_picture),
    (Doubt.KIND_NOT_STABLE, is_kind_unstable),
)


def first_doubt(die: Evidence) -> Doubt | None:
    """The first reason for doubt that applies to a die; None if it is sure."""
    return next((doubt for doubt, applies in PREDICATES if applies(die)), None)


def may_be_identified(die: Evidence) -> bool:
    """Whether it is a whole flat die whose top can be compared with the enrolled dice.

    Of one that the nets cannot read, the tilt is hardly measured.
    """
    spoiled = (is_cocked, may_be_cocked, is_cut, is_pile, may_be_print_or_token)
    return not (die.tilted or die.beside_top or any(applies(die) for applies in spoiled))


def judge(die: Evidence, plain_score: float) -> DieReading | None:
    """The reading of a die; None for a doubtful one of a score under `plain_score`: it is likely no die."""
    doubt = first_doubt(die)
    if doubt is not None and die.detection.score < plain_score:
        return None
    kind: Kind | None = KINDS[die.kind]
    value = die.value or None
    if value is None:
        kind = None
    elif doubt is Doubt.COCKED and is_cocked(die):
        value = None
    confidence = die.confidence
    if doubt is Doubt.PERCENTILE and (shown := die.face()).percent >= LIKELIER:
        kind, value, confidence = "d100", shown.tens, shown.tens_share
    box = inside(die.detection, die.frame)
    return DieReading(
        kind, value, confidence, box, doubt, tilt_deg=die.tilt_deg, tilt_error_deg=die.tilt_error_deg
    )


def of_usual_size(dice: Sequence[DieReading], known_faces: Collection[Die] = ()) -> list[DieReading]:
    """The dice without doubtful ones of a size that no sure die of the frame has: coins, tokens, pips.

    A sure one of such a size is doubted, for print may pass for pips, unless its face is in `known_faces`.
    """
    sizes = [max(die.box[2:]) for die in dice if die.sure]
    if not sizes:
        return list(dice)
    usual = float(np.median(sizes))
    plausible = []
    for die in dice:
        if usual / ODD_SIZE_RATIO < max(die.box[2:]) < usual * ODD_SIZE_RATIO:
            plausible.append(die)
        elif die.sure:
            is_known = (die.kind, die.value) in known_faces
            plausible.append(die if is_known else replace(die, doubt=Doubt.ODD_SIZE))
    return plausible


def contradicted(die: DieReading, doubt: Doubt) -> DieReading:
    """The die with a doubt, unless it has one, and little confidence."""
    return replace(die, doubt=die.doubt or doubt, confidence=min(die.confidence, CONTRADICTED_CONFIDENCE))


def of_possible_size(die: DieReading, longer_mm: float) -> DieReading:
    possible = SMALLEST_MM <= longer_mm <= 1.5 * LARGEST_MM
    return die if possible else contradicted(die, Doubt.ODD_SIZE)


def against_empty_tray(die: DieReading, changed_part: float, *, thrown: bool) -> DieReading | None:
    """The die, by the part of its box that differs from the empty tray; None if it is the tray itself.

    A die that was seen to be thrown is none of the tray.
    """
    if changed_part > LEAST_CHANGED_PART or thrown:
        return die
    return contradicted(die, Doubt.PART_OF_THE_TRAY) if die.sure or changed_part > SAME_PART else None


def not_read(box: Box, position_mm: tuple[float, float] | None) -> DieReading:
    """Something that lies in the tray and was not read: it may be a die of any kind."""
    return DieReading(None, None, 0.0, box, Doubt.NOT_READ, position_mm)


def among_enrolled(
    die: DieReading,
    match: EnrolmentMatch,
    enrolled: Collection[Die],
    which: Callable[[], str | None],
    *,
    clear: bool,
) -> DieReading:
    """The reading of a die in the light of the enrolled face that it looks like most, `match`.

    A sure reading of a face that was not enrolled stays, unless the die looks like one that was: then it is
    neither. A value that is likelier than not never gives way to another one: the die may be one of several
    that look otherwise, and have no picture of this face. `which` finds which of the dice with that face it
    is. `clear`: the top of the die can be compared, see `may_be_identified`.
    """
    if is_unknown(match.likeness, match.kind_elsewhere):
        return replace(die, doubt=Doubt.UNKNOWN_DIE)
    confirmed = die.sure and (die.kind, die.value) == match.die
    foreign = die.sure and (die.kind, die.value) not in enrolled
    likely = die.confidence >= LIKELIER and die.doubt is not Doubt.PICTURE
    own_percentile = die.doubt is Doubt.PERCENTILE and match.die[0] == "d100"
    both_bear_10 = (die.kind, die.value) == ("d100", 10) and match.die == ("d10", 10)
    agrees = (die.kind, die.value) == match.die or both_bear_10 or own_percentile or not likely
    if confirmed or (clear and agrees and match.among_all >= KNOWN_FACE):
        kind, value = match.die
        confidence = max(match.among_all, die.confidence if confirmed else 0.0)
        return replace(die, kind=kind, value=value, confidence=confidence, doubt=None, die_id=which())
    another = not foreign or match.probability >= KNOWN_FACE
    return replace(die, doubt=Doubt.LIKE_ANOTHER_FACE) if die.sure and another else die


def is_unknown(likeness: float, kind_elsewhere: float) -> bool:
    """It is unlike every enrolled die, or surely of a kind of which none is enrolled.

    Args:
        likeness: logit that it is one of the enrolled dice, by shape and colour.
        kind_elsewhere: probability of its kind if no die of that kind is enrolled, else 0.
    """
    return likeness < KNOWN_LIKENESS or kind_elsewhere >= KIND_ELSEWHERE


def consensus(readings: Sequence[Reading]) -> Reading:
    """One reading out of readings of the same still dice.

    A die has the value that is likeliest over all readings, with the mean of its logits. It is sure if that
    makes its confidence LEAST_CONFIDENCE, each frame shows it, none has another doubt of it, and none holds
    another value for likelier than not. What only some of them saw is doubtful. A die that is cocked has no
    value if one of them shows that plainly.

    Raises:
        ValueError: there is no reading.
    """
    if not readings:
        raise ValueError("there is nothing to agree on")
    first, *others = readings
    dice = [over_frames(die, [same_die(die, reading) for reading in others]) for die in first.dice]
    for number, reading in enumerate(others):
        before = readings[: number + 1]
        dice += [
            die if die.doubt else replace(die, doubt=Doubt.FRAMES_DISAGREE)
            for die in reading.dice
            if all(same_die(die, earlier) is None for earlier in before)
        ]
    return Reading(tuple(sorted(dice, key=lambda die: (die.box[1], die.box[0]))))


def over_frames(die: DieReading, again: Sequence[DieReading | None]) -> DieReading:
    if not again:
        return die
    readings = [die, *(reading for reading in again if reading is not None)]
    doubt = next((reading.doubt for reading in readings if reading.doubt not in OF_ONE_FRAME), None)
    best, confidence = likeliest(readings)
    if doubt is None and differs_between_frames(best, [die, *again]):
        doubt = Doubt.FRAMES_DISAGREE
    if doubt is None and (best.value is None or confidence < LEAST_CONFIDENCE):
        doubt = Doubt.LOW_CONFIDENCE
    plainly_cocked = doubt is Doubt.COCKED and any(
        reading.cocked and reading.value is None for reading in readings
    )
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
            logit(die.confidence if (die.kind, die.value) == value else (1 - die.confidence) / 2)
            for die in readings
        ]
        return float(np.mean(logits))

    value = max(by_value, key=lambda face: (face[1] is not None, mean(face)))
    best = max(by_value[value], key=lambda reading: reading.confidence)
    return best, float(1 / (1 + np.exp(-mean(value))))


def same_die(die: DieReading, reading: Reading) -> DieReading | None:
    """The die of the reading that lies where this one does, if any."""
    best = max(reading.dice, key=lambda candidate: iou(die.box, candidate.box), default=None)
    return best if best is not None and iou(die.box, best.box) >= SAME_DIE_IOU else None


def differs_between_frames(die: DieReading, others: Sequence[DieReading | None]) -> bool:
    """Another frame of the same still dice shows no die there, or likelier than not another kind or value."""
    return any(
        reading is None
        or (reading.confidence >= LIKELIER and (reading.kind, reading.value) != (die.kind, die.value))
        for reading in others
    )
