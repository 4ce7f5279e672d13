"""The tunable numbers of the reader: one frozen object, grouped by stage, each with its effect and its cost.

What the nets' shapes fix (sizes of crops, layouts of outputs) stands with the nets, and what training fits
stands in the models' own JSON files. A value here may be changed without training anything again; the scores
of the photographs tell whether that was wise.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class DoubtSettings:
    """When a die is not sure.

    Attributes:
        least_confidence: Confidence of a sure die. Higher: fewer wrong values, more dice thrown again.
        printed: Probability of no die from which it may be a picture. Lower: fewer prints pass for dice,
            more real dice are doubted.
        unreadable: Probability of an illegible die from which it counts as covered. Lower: fewer covered
            dice are sure, more worn ones are doubted.
        faint_score: Detection score under which a die may be a token. Higher: fewer coins pass for dice,
            more dice on busy cloth are doubted.
        dot_no_die: Probability of no die from which a faint one-pip face may be a coin with a dot.
        numeral_no_die: The same for a faint d6 or d12 with a numeral, which show one face from above.
        upright: Probability of the likeliest orientation from which a symbol is a numeral. A face of pips
            has four that are alike.
        cut_part: Part of a die's side that may lie beyond the frame. Higher: dice at the edge are read,
            of which a symbol may be cut off.
        turned_legible: How legible a 6 or 9 must be upside down to be doubted. Lower: more are doubted.
        turned_deg: Turn from the likeliest orientation from which another one is upside down.
        kind_turn_deg: The turn at which the kind is looked at again. It costs a run of the die net for each
            numeral that is otherwise sure.
        kind_share: Probability among the kinds that is enough then. Higher: fewer wrong kinds, more
            doubts. At 0.7 it finds four of six wrong kinds and doubts one right kind in eighty.
        plain_pips: Confidence from which the middle of two or four pips need not be bare. Lower: a chip on
            a five may pass for a four.
        middle_unlike: How far the middle's colour may be from the face's, as a part of the pips' contrast.
        odd_size_ratio: How many times larger or smaller than the median sure die a die may be. Lower:
            more prints and tokens are found out, more mixed sets of dice are doubted.
        smallest_mm: Longer side of the smallest die that is sold.
        largest_mm: Longer side of the largest one, and its diagonal is 1.5 times that.
        changed_part: Part of a die's box that must differ from the empty tray. Higher: the tray's own pattern
            is never a die; a die like its cloth is doubted.
        same_part: Part up to which a doubtful die is left out as the tray's own pattern. Higher: fewer false
            doubts, and a dark die on dark cloth may be missed.
        known: Probability among the enrolled faces from which a face is known by its looks alone.
        known_likeness: Log odds from which a die is one of the enrolled ones.
        kind_elsewhere: Probability of a kind that is not enrolled from which the die is an unknown one.
        contradicted_confidence: Confidence left to a value that its place or its size contradicts.
    """

    least_confidence: float = 0.88
    printed: float = 0.2
    unreadable: float = 0.3
    faint_score: float = 0.64
    dot_no_die: float = 0.03
    numeral_no_die: float = 0.003
    upright: float = 0.5
    cut_part: float = 0.03
    turned_legible: float = 0.25
    turned_deg: float = 135.0
    kind_turn_deg: float = 45.0
    kind_share: float = 0.7
    plain_pips: float = 0.995
    middle_unlike: float = 0.42
    odd_size_ratio: float = 2.0
    smallest_mm: float = 7.0
    largest_mm: float = 40.0
    changed_part: float = 0.2
    same_part: float = 0.03
    known: float = 0.95
    known_likeness: float = -2.5
    kind_elsewhere: float = 0.9
    contradicted_confidence: float = 0.3
