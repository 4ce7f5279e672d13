"""The tunable numbers of the reader: one frozen object, grouped by stage, each with its effect and its cost.

What the nets' shapes fix (sizes of crops, layouts of outputs) stands with the nets, and what training fits
stands in `models/fitted.json`. A value here may be changed without training anything again; the scores of
the photographs tell whether that was wise. Probabilities and scores are 0 … 1; pixels are the frame's where
nothing else is said.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from vision.motion.settings import MotionSettings


@dataclass(frozen=True, slots=True)
class DetectionSettings:
    """Where dice are looked for, and which boxes are kept.

    Attributes:
        longest_px: Longer side of the largest pyramid level. Larger: smaller dice are found; the time grows
            with its square.
        smallest_px: Least longer side of a box in its level, in the level's pixels.
        largest_px: The largest one; the next level has the others.
        least_score: Score of a detection. Lower: more faint dice, and more boxes that are none, each of
            which costs a run of the die net.
        least_changed: The same on a calibrated rig, where only those places are searched that have changed
            since the tray was empty.
        plain_score: Score from which a detection is very likely a die.
        costly_levels: So many of the largest levels are searched only near traces in the level before.
            Fewer: slower; dice that leave no trace are found.
        trace: Score that a die leaves in a level where it is too small. Lower: more tiles are searched.
        trace_tiles: Tiles around a trace that are searched too.
        whole_part: Part of a level from which all of it is searched in one piece.
        large_px: If all plain dice are so long in the second level (its pixels), the first is not searched.
        seen_px: A plain die so long in the second level is not searched for again in the first.
        other_score: Score in the second level from which there may be another die in its box or beside it,
            for which the first is searched. Lower: more small dice that touch others are found; slower.
        middle_part: How far from its middle, as a part of the longer side, the score is its own.
        same_iou: IoU from which the better of two detections stands for both.
        alike_iou: IoU from which detections of two levels give one averaged box.
        part_distance: Distance of middles, as a part of the larger box, within which one is a part of
            the other.
        part_size: Size, as a part of the box that holds it, under which a detection is one of several in it.
        held_part: Part of the area of a known die from which a detection that holds it is no other die.
    """

    longest_px: int = 640
    smallest_px: float = 7.5
    largest_px: float = 32.0
    least_score: float = 0.3
    least_changed: float = 0.15
    plain_score: float = 0.5
    costly_levels: int = 2
    trace: float = 0.03
    trace_tiles: int = 3
    whole_part: float = 0.7
    large_px: float = 14.0
    seen_px: float = 9.0
    other_score: float = 0.2
    middle_part: float = 0.3
    same_iou: float = 0.35
    alike_iou: float = 0.55
    part_distance: float = 0.3
    part_size: float = 0.6
    held_part: float = 0.75


@dataclass(frozen=True, slots=True)
class ForegroundSettings:
    """Things on the floor of the tray that are no detections.

    Attributes:
        longest_px: Longer side of the small frame that is compared. Larger: smaller things, more noise.
        step: Grey levels (largest channel) by which a thing differs from the floor. Lower: shadows are
            things too.
        changed_step: The same for the regions of interest on a calibrated rig. Lower: slower; higher: a die
            like its cloth is not looked for.
        changed_px: Pixels of the small frame around a change that belong to its region.
        busy: Median difference above which the floor is too busy to tell things from it.
        most_covered: Part of the frame that things may cover.
        filled: Part of its box that a thing must fill. Higher: fewer crumbs in a row, fewer odd dice.
        elongated: How many times longer than wide a thing may be.
        least_area: Pixels of the small frame that it must cover.
        shadow: Parts of the empty tray's level that its shadowed places have, on average. Wider than for
            motion, since such a shadow lies beside a die that was read.
        shadow_spread: By how much that part may differ between the channels: a shadow has the tray's own
            colour.
        shadow_width: Width of a die's shadow beside the die, as a part of the die's. Lower: more shadows are
            taken for dice that cannot be read; higher: dark dice beside others may be overlooked.
        shared_part: A doubtful die with so much of its box in the boxes of sure dice may be made of those. A
            die that touches another and lies aslant shares a quarter …
        beside: Shorter side of a thing that touches a die in a photograph, as a part of the smallest die's.
            Lower: what a box leaves of a die is another one; higher: small dice beside others are overlooked.
        own_part: … and more of its box than this differs from the floor apart from them and from shadows.
            Higher: dice that others nearly hide are overlooked; lower: pairs of dice pass for a third one.
    """

    longest_px: int = 320
    step: int = 26
    changed_step: int = 12
    changed_px: int = 7
    busy: float = 9.0
    most_covered: float = 0.45
    filled: float = 0.45
    elongated: float = 2.2
    least_area: int = 40
    shadow: tuple[float, float] = (0.2, 0.95)
    shadow_spread: float = 0.1
    shadow_width: float = 0.85
    shared_part: float = 0.3
    beside: float = 0.6
    own_part: float = 0.15


@dataclass(frozen=True, slots=True)
class RecognitionSettings:
    """How each detection is classified, and which views of it are fused.

    Attributes:
        most_detections: So many detections, the best, are classified: a patterned cloth has hundreds.
        batch: Views of a batch of the die net. More: a little faster, more memory, longer without a sign of
            life.
        no_die: Probability of no die from which a detection is dropped.
        no_die_legible: The same for one that is plain and legible; it stays, doubted.
        legible: Confidence of such a one.
        box_off: Error of a box, as a part of its side, up to which it is not cut out again. Higher: faster,
            less exact crops.
        size_off: The same for the logarithm of its longer side.
        most_box_off: The most by which a box is corrected, in each of these numbers.
        marker_score: A detection scored under this may be one of the tray's markers, which is looked for.
        symbol_score: Score of a symbol. Lower: fainter ones are read, at a run of the symbol net each.
        most_symbols: Symbols of one die that are read at most.
        symbol_cells: Cells of the map within which a symbol is found once.
        orientation: Probability of an orientation in which a symbol is read.
        views: Turn in degrees and zoom of each view of the die. Each costs a run of the die net.
        clear: Confidence of the first view from which the others are not needed.
        hopeless: Confidence under which they would not help.
        kind_power: Power of the probabilities of the kinds in the joint one.
        floor: Added to each probability before its logarithm is taken.
    """

    most_detections: int = 128
    batch: int = 8
    no_die: float = 0.5
    no_die_legible: float = 0.85
    legible: float = 0.95
    box_off: float = 0.02
    size_off: float = 0.04
    most_box_off: float = 0.5
    marker_score: float = 0.75
    symbol_score: float = 0.15
    most_symbols: int = 3
    symbol_cells: int = 2
    orientation: float = 0.04
    views: tuple[tuple[float, float], ...] = ((0.0, 1.0), (-14.0, 1.07))
    clear: float = 0.98
    hopeless: float = 0.2
    kind_power: float = 1.25
    floor: float = 1e-4


@dataclass(frozen=True, slots=True)
class SymbolSettings:
    """How the symbols of a die and their orientations are read.

    Attributes:
        slight: Odds, against the best symbol of the die, under which another one is not read.
        floor: Added to each probability before its logarithm is taken.
        alike: From so many orientations …
        pips: … of which the likeliest is less probable than this, a symbol is a face of pips, read once.
        reversible: Probability of a 6 or 9 from which a symbol is read upside down too.
        mute: Probability that a symbol of a d10 says nothing as it seems to stand, from which it is read
            upside down instead.
        turned: Probability of such an orientation.
    """

    slight: float = 0.01
    floor: float = 1e-5
    alike: int = 3
    pips: float = 0.45
    reversible: float = 0.1
    mute: float = 0.5
    turned: float = 0.04


@dataclass(frozen=True, slots=True)
class CorroborationSettings:
    """What else than its numeral's shape tells a value.

    Attributes:
        read_again: Probability of a 6 or 9, or of a d20, from which a top is looked at again. Lower:
            slower.
        reversed: The part of the d12 and d20 whose numerals stand upside down against the usual: the way up
            alone makes a 6 or 9 no surer than that.
        d10_reversed: The same of the d10, of which makers differ more.
        d12_line: Log odds of a line or dot of a d12 under which it counts for nothing, for nothing beside the
            top bears it out. Lower: more that have neither are sure, and some of them are the other one.
        plain_shape: Probability that a 6 or 9, set upright by its line or dot, is not the other one by its
            shape. Under it the line or dot counts for nothing. Higher: fewer blotted ones are read as the
            other one, more are asked for.
        legible_shape: Probability of the value, set upright so, under which the line or dot counts for
            nothing either. Higher: fewer blurred ones are read as the other one, more are asked for.
        same_both_ways: Probability that upside down it is the same value again, from which the line or dot
            counts for nothing: a 6 upside down is a 9. Lower: the same.
        other_beside: How many times better the numerals beside the top must fit another value than the one
            that was read, to contradict it. Lower: more worn numerals are found out, more dice that are not
            numbered as usual are doubted.
        ruled_out: Probability of a value under which its numeral rules it out. Higher: more contradictions.
        off_middle: How far a symbol may lie off the middle of a d20, in parts of the distance from there to a
            face, to be on top.
        standard: The part of all d20 that are numbered as usual.
        misread: Likelihood of a numeral beside the top that this numbering does not allow. Higher: one that
            is misread counts less.
    """

    read_again: float = 0.03
    reversed: float = 0.02
    d10_reversed: float = 0.3
    d12_line: float = 6.0
    plain_shape: float = 0.95
    legible_shape: float = 0.9
    same_both_ways: float = 0.3
    other_beside: float = 30.0
    ruled_out: float = 0.1
    off_middle: float = 0.6
    standard: float = 0.9
    misread: float = 0.03


@dataclass(frozen=True, slots=True)
class TiltSettings:
    """When a die's symbol is too far from where it is on one that lies flat.

    Attributes:
        rise_error: Standard deviation of how far tops move outward, as a part of the usual, for a lens that
            is not calibrated.
        known_rise_error: The same for a known camera, besides the error of its focal length.
        slant: Standard deviation of the shift of all tops by a camera that hangs aslant, in parts of a box.
        known_slant: The same where it is known from the markers.
        spread: Standard deviation of a symbol's place on a die that lies flat, in parts of its box.
        cocked_power: Power of the net's odds that a die is cocked, without a known camera.
        tilted: Log odds from which a die is tilted then. Lower: more cocked dice are caught, more flat ones
            are lost; at 2.7 one flat die in fourteen.
        plumb_slant: Standard deviation of straight up by a camera that hangs aslant, as a sine.
        known_plumb_slant: The same where the markers and the focal length tell it.
        known_plumb_error: Standard deviation of how far straight up runs outward under a known camera, as a
            part of the usual, besides the error of its focal length.
        least_attitude_error: Standard deviation of where a top points, as a sine, at least.
        cocked: Probability from which a die is cocked under a known camera. Lower: fewer cocked dice are
            sure, more flat ones are asked about.
        cocked_unknown: The same without calibration, where the frame's other dice tell straight up.
        plainly: Probability from which it is plainly cocked under a known camera; below, people are asked
            whether it lies flat. Higher: fewer throws with a flat die are void, more cocked ones are asked
            about.
        marker_part: Part of a die's box that a marker of the tray covers from which people see whether it is
            cocked: the pattern may pass for its edges.
        usual_scatter_deg: By how much a top's direction scatters over views a little aside, as a standard
            deviation; what is beyond …
        times_scatter: … so many times adds to its error. Higher: fewer flat dice are called cocked, more
            cocked ones are sure.
        farthest: Mahalanobis distance of a symbol's place beyond which it does not count more against it.
        reference_confidence: Confidence of the dice that tell where tops are seen; one of no more is never
            plainly cocked by its measured tilt.
        reference_cocked: Probability of cocked from which a die does not.
        suspect_median: Median probability of cocked …
        suspect_dice: … of at least so many dice from which all of them are taken for tilted.
        suspect_legible: Confidence of dice …
        suspect_part: … that are legible. If this part of them looks tilted and the camera is not known, it
            may hang so far aslant that it sees a face beside the top of a d20, so a d20 may be tilted.
            Lower: fewer such faces are read, more d20 are asked about.
        rounds: Times that the least squares are weighted anew.
    """

    rise_error: float = 0.4
    known_rise_error: float = 0.15
    slant: float = 0.06
    known_slant: float = 0.02
    spread: float = 0.028
    cocked_power: float = 0.75
    tilted: float = 2.7
    plumb_slant: float = 0.13
    known_plumb_slant: float = 0.012
    known_plumb_error: float = 0.03
    least_attitude_error: float = 0.02
    cocked: float = 0.3
    cocked_unknown: float = 0.97
    plainly: float = 0.95
    marker_part: float = 0.05
    usual_scatter_deg: float = 1.0
    times_scatter: float = 6.0
    farthest: float = 4.0
    reference_confidence: float = 0.5
    reference_cocked: float = 0.3
    suspect_median: float = 0.3
    suspect_dice: int = 3
    suspect_legible: float = 0.9
    suspect_part: float = 0.34
    rounds: int = 3


@dataclass(frozen=True, slots=True)
class EnrolmentSettings:
    """How a die is compared with the enrolled ones.

    Attributes:
        turn_step_deg: Step of the turns in which a face is compared. Smaller: slower, a little surer.
        zooms: Zooms in which it is compared.
        shifts: Shifts in pixels of the crop in which it is compared.
        fine: Standard deviation in pixels of the crop of what is smoothed.
        coarse: That of the shading that is taken out.
        symbols: Most symbols that are compared, beside the middle of the box.
        same_tint: Distance of colours (L*a*b*) under which they are the same.
    """

    turn_step_deg: int = 10
    zooms: tuple[float, ...] = (0.93, 1.07)
    shifts: tuple[tuple[int, int], ...] = ((0, 0), (3, 0), (-3, 0), (0, 3), (0, -3))
    fine: float = 0.7
    coarse: float = 6.7
    symbols: int = 2
    same_tint: float = 3.0


@dataclass(frozen=True, slots=True)
class GallerySettings:
    """Which pictures of enrolled dice are learned from throws that counted.

    Attributes:
        most_of_a_face: Pictures of one face that are kept. Higher: slower, and a larger file.
        least_alike: Likeness to the enrolled pictures of the same face from which one is taken. Lower: faces
            in other light are learned, and an outlier may be.
        nearer: How much more it must be like that face than like any other that is known.
        farthest_tint: Most distance of its colour (L*a*b*) from the enrolled one.
        same_view: Likeness to a picture that is known from which it is nothing new.
        turn_step_deg: Step of the turns in which learned pictures are compared with one another.
    """

    most_of_a_face: int = 4
    least_alike: float = 0.5
    nearer: float = 0.0
    farthest_tint: float = 40.0
    same_view: float = 0.9
    turn_step_deg: int = 10


@dataclass(frozen=True, slots=True)
class DoubtSettings:
    """When a die is not sure.

    Attributes:
        least_confidence: Confidence of a sure die. Higher: fewer wrong values, more dice thrown again.
        printed: Probability of no die from which it may be a picture. Lower: fewer prints pass for dice,
            more real dice are doubted.
        thrown_ratio: How many times likelier a thing is a die, and no picture, if it was seen to be thrown.
            Higher: fewer dice are doubted; other things that people throw are taken for dice.
        unreadable: Probability of an illegible die from which it counts as covered. Lower: fewer covered
            dice are sure, more worn ones are doubted.
        upright: Probability of the likeliest orientation from which a symbol is a numeral. A face of pips
            has four that are alike.
        cut_part: Part of a die's side that may lie beyond the frame. Higher: dice at the edge are read,
            of which a symbol may be cut off.
        six_nine: Probability that a 6 or 9 is not the other one under which it is doubted.
        upside_down: Probability of another value upside down from which a numeral of a d10 or d12 is doubted.
            Lower: fewer d10 whose numerals stand with their foot towards the tip are misread, more others
            are asked about.
        kind_turn_deg: The turn at which the kind is looked at again. It costs a run of the die net for each
            numeral that is otherwise sure.
        kind_share: Probability among the kinds that is enough then. Higher: fewer wrong kinds, more
            doubts. At 0.7 it finds four of six wrong kinds and doubts one right kind in eighty.
        borne_out: Logarithm of how much better the numerals beside the top of a d20 fit its value than an
            unknown die's, from which they tell its kind. Higher: slower, and more d20 are doubted.
        plain_pips: Confidence from which the middle of two or four pips need not be bare. Lower: a chip on
            a five may pass for a four.
        middle_unlike: How far the middle's colour may be from the face's, as a part of the pips' contrast.
        odd_size_ratio: How many times larger or smaller than the median sure die a die may be. Lower:
            more prints and tokens are found out, more mixed sets of dice are doubted.
        smallest_mm: Longer side of the smallest die that is sold.
        largest_mm: Longer side of the largest one, and its diagonal is 1.5 times that.
        changed_part: Part of a die's box that must differ from the empty tray. Higher: the tray's own pattern
            is never a die; a die like its cloth is doubted.
        lies_there: Part of a box that must differ from the empty tray for a legible die to be reported
            although the detector is unsure of it. Lower: fewer dice are overlooked, more patterns are asked
            about.
        same_part: Part up to which a doubtful die is left out as the tray's own pattern. Higher: fewer false
            doubts, and a dark die on dark cloth may be missed.
        known: Probability among the enrolled faces from which a face is known by its looks alone.
        known_likeness: Log odds from which a die is one of the enrolled ones.
        kind_elsewhere: Probability of a kind that is not enrolled from which the die is an unknown one.
        contradicted_confidence: Confidence left to a value that its place or its size contradicts.
    """

    least_confidence: float = 0.85
    printed: float = 0.2
    thrown_ratio: float = 50.0
    unreadable: float = 0.3
    upright: float = 0.5
    cut_part: float = 0.03
    six_nine: float = 0.998
    upside_down: float = 0.8
    kind_turn_deg: float = 45.0
    kind_share: float = 0.7
    borne_out: float = 2.3
    plain_pips: float = 0.995
    middle_unlike: float = 0.42
    odd_size_ratio: float = 2.0
    smallest_mm: float = 7.0
    largest_mm: float = 40.0
    changed_part: float = 0.2
    lies_there: float = 0.5
    same_part: float = 0.03
    known: float = 0.95
    known_likeness: float = -2.5
    kind_elsewhere: float = 0.9
    contradicted_confidence: float = 0.3


@dataclass(frozen=True, slots=True)
class ReaderSettings:
    """All of the reader's stages.

    Attributes:
        detection: Where dice are looked for.
        foreground: Things that are no detections.
        recognition: How a detection is classified.
        symbols: How its symbols are read.
        corroboration: What else than its numeral's shape tells a value.
        tilt: When it is tilted.
        doubts: When it is not sure.
        enrolment: How it is compared with the enrolled dice.
        gallery: Which pictures of the enrolled dice are learned.
        motion: When dice lie still, what is a hand, and what was thrown.
        consensus_iou: IoU from which boxes of two frames are the same die's.
        threads: Threads of one net. More shorten a reading and take the cores from the table beside it.
    """

    detection: DetectionSettings = field(default_factory=DetectionSettings)
    foreground: ForegroundSettings = field(default_factory=ForegroundSettings)
    recognition: RecognitionSettings = field(default_factory=RecognitionSettings)
    symbols: SymbolSettings = field(default_factory=SymbolSettings)
    corroboration: CorroborationSettings = field(default_factory=CorroborationSettings)
    tilt: TiltSettings = field(default_factory=TiltSettings)
    doubts: DoubtSettings = field(default_factory=DoubtSettings)
    enrolment: EnrolmentSettings = field(default_factory=EnrolmentSettings)
    gallery: GallerySettings = field(default_factory=GallerySettings)
    motion: MotionSettings = field(default_factory=MotionSettings)
    consensus_iou: float = 0.5
    threads: int = 1
