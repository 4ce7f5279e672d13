"""Every tunable number of stillness, of darkness and of the background, as frozen settings.

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
        unlit_level: Grey level that the brightest part of the tray has in the dark, at most.
        unlit_part: The same as a part of what it was when the dice last lay still.
        unlit_median: The same of the median of all levels, which has to be as dark as well.
        again_s: While the markers cannot be seen they are looked for so often.
        follow_s: The background follows the light so often while all lies still.
        lasts_s: How long another reason for not reading must last before it is reported.
        background: How the picture of the empty tray is kept.
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
    unlit_level: float = 22.0
    unlit_part: float = 0.3
    unlit_median: float = 0.6
    again_s: float = 0.5
    follow_s: float = 2.0
    lasts_s: float = 0.15
    background: BackgroundSettings = field(default_factory=BackgroundSettings)
