"""Every tunable number of the motion watch, of hands and of the flight of dice, as frozen settings.

Each attribute says what it does and, where it is not plain, what more or less of it costs.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class BackgroundSettings:
    """How the picture of the empty tray is kept.

    Attributes:
        off: Grey levels (any channel) by which a thing differs from the tray. Lower: the tray's own grain is
            taken for things, and its light is judged in fewer places.
        off_part: The same as a part of the level, on top: bright places differ more by themselves.
        off_dark: Grey levels by which a thing differs on a black tray …
        off_most: … and the largest part of the level by which it does on a dark one. Higher: a black die on a
            black tray is taken for its light; lower: a change of the light there is taken for a thing.
        around_px: Pixels around a thing that are left out too, for its shadow and its glow.
        light_px: The neighbourhood whose light is the same, width and height. Less: a die's own colour is
            taken for light; more: the edge of a lamp's light is smeared.
        least_shown: Part of the view that must show the background before its light is judged place by
            place. Less: a hand that covers most of the tray is taken for a change of the light.
        gains: Bounds of that judgement, on top of the light of the whole.
        follows_s: How long it takes to follow a change of the tray itself, such as a stain. Less: a die of
            the tray's colour that lies there becomes background sooner.
        farthest: How far, as a part of the width, a reference photograph may be shifted against the frame.
    """

    off: float = 16.0
    off_part: float = 0.1
    off_dark: float = 6.0
    off_most: float = 1 / 3
    around_px: int = 7
    light_px: tuple[int, int] = (61, 61)
    least_shown: float = 0.25
    gains: tuple[float, float] = (0.6, 1.6)
    follows_s: float = 20.0
    farthest: float = 0.06


@dataclass(frozen=True, slots=True)
class DifferenceSettings:
    """What differs from the background in a small frame.

    Attributes:
        step: Grey levels (largest channel, light matched) by which something differs. Lower: the tray's own
            grain and faint shadows move; higher: dice of the tray's colour are not followed.
        shadow: Parts of the background's level that its shadowed places have. Wider: dark dice are taken for
            shadows; narrower: shadows are followed like dice.
        shadow_spread: By how much that part may differ between the channels: a shadow has the tray's own
            colour.
        glow_spread: Grey levels by which the channels may differ in a spot of white light on the tray …
        glow_slope: … and by which its level changes from one pixel to the next; at the edge of a thing it is
            more. Higher: white dice are taken for light.
        glow_px: A spot of light has at least this many pixels of the small frame.
        rises: It rises from nothing along this part of its rim at least, where no die hides the rim …
        rises_in_all: … and along this part of all of it.
        dice_px: A spot with no more pixels may be a die or two that are a little brighter than the tray: …
        even: … if its level is less than that of its brightest part by no more than this part of it …
        even_part: … in so much of it. Less: small spots of light are taken for dice.
        hides_px: Side of the square around a pixel of the rim in which a die hides what it is.
    """

    step: int = 13
    shadow: tuple[float, float] = (0.42, 0.93)
    shadow_spread: float = 0.07
    glow_spread: int = 14
    glow_slope: int = 8
    glow_px: int = 150
    rises: float = 0.5
    rises_in_all: float = 0.3
    dice_px: int = 1500
    even: float = 0.15
    even_part: float = 0.45
    hides_px: int = 5


@dataclass(frozen=True, slots=True)
class HandSettings:
    """What is a hand, and no die.

    Attributes:
        rim_mm: Width of the strip along the edge that every hand crosses. Where the rim has the hand's
            colour, the crossing itself cannot be seen.
        finger_mm2: A patch across the strip that exceeds its dice by this area may be a finger, if it stays.
            Less: dice at the wall are taken for fingers; more: a thin finger is overlooked.
        finger_s: It stays for so long: a die that flies over the edge is back, or gone, sooner. Less: thrown
            dice are taken for hands; more: a quick finger is overlooked.
        few_mm2: One or two dice that roll in slowly, of less area than this with all else at the edge, …
        slow_s: … are given so long.
        arm_mm2: A patch that exceeds its dice by this area is a hand, even if its way in cannot be seen.
        thick_mm: Radius of the largest circle within dice that lie at the wall and touch, with their shadows.
        palm_mm: … and within dice that fly in together, smeared. What is thicker is a hand at once.
        palm_mm2: No hand is so thick with less area.
        cut_mm: Two dice at the wall are not cut off by the end of the watched area along so much of it, …
        cut_s: … nor dice that fly, in one place for so long; a hand is.
        solid_part: Smallest share of a heap of dice with shadows that is dice. A patch with less may be a
            hand of the shadow's colour.
        beyond_mm: A die at the wall is not seen so far outside the watched area; an arm is.
        near_mm: A die nearer to a hand than this may be in its fingers. More: honest throws beside a hand are
            void; less: a die that was set down counts.
    """

    rim_mm: float = 13.0
    finger_mm2: float = 150.0
    finger_s: float = 0.2
    few_mm2: float = 1000.0
    slow_s: float = 0.4
    arm_mm2: float = 9000.0
    thick_mm: float = 19.0
    palm_mm: float = 24.0
    palm_mm2: float = 3000.0
    cut_mm: float = 36.0
    cut_s: float = 0.15
    solid_part: float = 0.25
    beyond_mm: float = 4.0
    near_mm: float = 4.0


@dataclass(frozen=True, slots=True)
class FlightSettings:
    """Which dice were thrown.

    Attributes:
        least_mm2: A patch with less area is noise or a reflection.
        least_die_mm2: A patch with less area is not a whole die: where patches that lie still are joined, it
            does not count.
        least_seen: Part of its box from which a die is seen apart from shadows.
        plain_part: Share of the middle of a die's box that must be seen as more than a shadow before an
            earlier shadow there counts as bare tray. Lower: a die like the tray in a shadow passes for new;
            higher: dice that roll into shadows are void.
        top_mm2: What is seen all around a place no larger than this is a die with a top of the tray's colour.
        made_of_dice: Part of a patch that must have been dice before; else it may be a fingertip, whose way
            does not count. Lower: dice pushed by a finger count as thrown; higher: more throws are void.
        read_part: Part of a patch that lies in the boxes of dice that were read, from which it is no finger.
        stood: Part of a new patch that lies where dice stand, from which it is those dice, uncovered.
        left_of_it: Part of a die's box in which something is seen as long as the die may still lie there.
        along_side: Part of the outer quarter of its box, on each side, in which a die is seen if its top has
            the tray's colour. Lower: dice beside it are taken for it.
        edge_px: A patch that ends farther from the edge of the watched area does not go on outside, as a
            finger does.
        sure_mm: A patch that moved so far by itself is made of dice.
        credit_mm: A patch that appears where no hand is came over the edge: its way from there counts, but no
            more than this.
        fastest_mm_s: No thrown die is faster over a bar-top tray.
        step_mm: A patch whose centroid moves less from one frame to the next lies still …
        crept_mm: … unless by and by it gets so far.
        alters: Part of a patch that may look otherwise than in the frame before if it lies still.
        free_s: A thrown die moves apart from any hand at least so long before it comes to rest …
        edges: … and at least this many times its edge. Less: dice that were turned over count as thrown;
            more: honest short throws are void.
        apart: With less of it where dice were before, a patch has moved farther than it is wide.
        grown: A patch that grew or shrank more has merged or split: its centroid's step means nothing then.
        rolled_mm: A die that moved this far by itself before a hand came has been thrown.
        looked_s: Dice that came to rest while a hand was there show what was thrown once they have lain this
            long.
        approach_s: How far back the approach of a hand is looked for once it is recognised.
        unread_s: Dice that have lain untouched this long without being read cannot be read. One that creeps
            by less than is followed keeps the table from reading for some seconds.
        gap_s: After a longer pause between two frames nobody knows what happened meanwhile.
    """

    least_mm2: float = 40.0
    least_die_mm2: float = 100.0
    least_seen: float = 0.35
    plain_part: float = 0.75
    top_mm2: float = 600.0
    made_of_dice: float = 0.3
    read_part: float = 0.6
    stood: float = 0.75
    left_of_it: float = 0.1
    along_side: float = 0.25
    edge_px: float = 1.5
    sure_mm: float = 20.0
    credit_mm: float = 24.0
    fastest_mm_s: float = 2600.0
    step_mm: float = 0.8
    crept_mm: float = 2.0
    alters: float = 0.1
    free_s: float = 0.15
    edges: float = 3.0
    apart: float = 0.15
    grown: float = 1.35
    rolled_mm: float = 20.0
    looked_s: float = 0.15
    approach_s: float = 0.35
    unread_s: float = 8.0
    gap_s: float = 0.2


@dataclass(frozen=True, slots=True)
class LookSettings:
    """Which frames are kept of dice that lie open before they are read.

    Attributes:
        most: Frames that are kept at most, and read if a hand came over the dice. More: slower.
        least_mm2: A part with less area is no die.
        within: Part of the middle of a die's box that lies open if the die does.
        glance_s: What came in so shortly before it seemed to lie open, and is a hand's so shortly after, were
            its fingers. Longer: dice that roll in under a hand are forgotten.
        near_mm: What is nearer than this to dice that a frame is kept of is their outline, seen otherwise.
        changed: Grey levels (largest channel) by which a place shows another thing than in a frame that is
            kept. Lower: more frames are kept, for shadows; higher: dice with the colour of the cup that stood
            there are missed.
        detail: Part of a die's box that is as wide as what is compared of its picture in two frames. More:
            shadows count; less: only the sensor's noise is left.
        inset: Part of the box along each side that is left out, for what lies beside the die.
        middle: Width and height, as parts of the box, of its middle, which is compared alone if another die
            may hide an edge.
        shift: Part of the box by which the die may have shifted: a camera shakes.
        same: How alike the pictures are if nobody touched the die: such frames need not be read again. A die
            that shows one pip more in the same place is less alike.
        moved: How alike they are at least: less if the die was turned by more than about 7° or moved by more
            than about a millimetre. Higher: a die that lay untouched seems moved.
    """

    most: int = 12
    least_mm2: float = 100.0
    within: float = 0.5
    glance_s: float = 0.3
    near_mm: float = 3.0
    changed: int = 30
    detail: float = 1 / 8
    inset: float = 0.1
    middle: float = 0.6
    shift: float = 0.02
    same: float = 0.95
    moved: float = 0.8


@dataclass(frozen=True, slots=True)
class MotionSettings:
    """When the tray is settled, moving, occluded or unlit, in small frames.

    Attributes:
        window_s: Nothing must have moved for so long. Longer: slower rocking is seen, every throw waits.
        least_frames: Frames that the window must hold, however slow the camera is.
        pace_s: Frames that come faster are left out, so that a window holds 15 at most.
        gap_s: After so long without a frame anything may have happened; slow cameras get twice their pace.
        times_noise: Variance, as a multiple of the noise's, from which something moved. Higher misses small
            motion.
        least_variance: The same in squared grey levels, at least: below it is the last bit of the sensor.
        times_tail: A camera that compresses flickers along edges: so many times the 97th percentile is
            allowed …
        most_tail: … up to this.
        held_times: Times the allowed variance up to which what is settled is taken to stay so.
        clear_times: Times the allowed variance at which the window starts anew at once.
        spot_px: The neighbourhood that must not vary, about 3 mm on the tray.
        light_px: The neighbourhood whose mean is its light, width and height: wide, for lamps that flicker in
            bands.
        flicker_left: Part of a change of light that may remain once it is taken out: no lamp lights all
            things alike.
        shaken_px: Shift of the whole picture, standard deviation, from which the camera shakes …
        times_shaken: … and so many times the variance that this explains is allowed.
        crept: Grey levels by which a spot may be off what it was when all came to rest: more is a slow move.
        gains: Change of the light within which a window stays good; beyond it the dice are read again.
        bright: Grey level from which more light may burn a place out …
        bright_left: … and the part of a change that may remain there.
        burnt: Levels below white within which a place follows the light less and less.
        hand_part: Least width of a hand at the edge, as a part of the frame's width: about 17 mm.
        hand_mm: The same on a tray whose scale is known.
        unlit_level: Grey level that the brightest part of the tray has in the dark, at most.
        unlit_part: The same as a part of what it was when the dice last lay still.
        unlit_median: The same of the median of all levels, which has to be as dark as well.
        background_after_s: A thing that has lain still across the edge for so long belongs there, unless the
            background is known.
        edge_off: Grey levels (any channel, once the light is matched) by which the edge must differ. Lower
            takes shadows for hands.
        edge_off_part: The same as a part of the level, on top: bright edges differ more by themselves.
        edge_bridged: Gaps of so many pixels do not end a crossing.
        again_s: While the markers cannot be seen they are looked for so often.
        follow_s: The background follows the light so often while all lies still.
        lasts_s: How long another reason for not reading must last before it is reported.
        light_s: While something moves the background follows the light so often …
        light_step: … by at most this part. More: what looks like the tray in a shadow, such as a hand that
            passes, is taken for the tray …
        patience_s: … and not while a hand is near, unless it stays for so long.
        background: How the picture of the empty tray is kept.
        difference: What differs from the background.
        hands: What is a hand.
        flight: Which dice were thrown.
        looks: Which frames are kept of dice that lie open.
    """

    window_s: float = 0.3
    least_frames: int = 3
    pace_s: float = 0.028
    gap_s: float = 0.6
    times_noise: float = 4.0
    least_variance: float = 1.2
    times_tail: float = 4.5
    most_tail: float = 12.0
    held_times: float = 1.5
    clear_times: float = 20.0
    spot_px: tuple[int, int] = (3, 3)
    light_px: tuple[int, int] = (65, 9)
    flicker_left: float = 0.1
    shaken_px: float = 0.05
    times_shaken: float = 16.0
    crept: float = 5.0
    gains: tuple[float, float] = (0.8, 1.25)
    bright: float = 232.0
    bright_left: float = 0.5
    burnt: float = 7.0
    hand_part: float = 0.055
    hand_mm: float = 17.0
    unlit_level: float = 22.0
    unlit_part: float = 0.3
    unlit_median: float = 0.6
    background_after_s: float = 60.0
    edge_off: float = 20.0
    edge_off_part: float = 0.12
    edge_bridged: int = 3
    again_s: float = 0.5
    follow_s: float = 2.0
    lasts_s: float = 0.15
    light_s: float = 0.25
    light_step: float = 0.02
    patience_s: float = 3.0
    background: BackgroundSettings = field(default_factory=BackgroundSettings)
    difference: DifferenceSettings = field(default_factory=DifferenceSettings)
    hands: HandSettings = field(default_factory=HandSettings)
    flight: FlightSettings = field(default_factory=FlightSettings)
    looks: LookSettings = field(default_factory=LookSettings)
