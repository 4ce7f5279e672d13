"""Tells a die that does not lie flat by where on it its symbol is seen.

On a die that lies flat the top is in the middle of what is seen of it, but for two shifts: the camera sees it
farther outward the farther it is from the middle of the frame, and all tops are shifted alike if the camera
does not look straight down. On a calibrated rig both are known. Else the frame's other dice tell them, by
robust least squares about what is usual. A die whose top is elsewhere is tilted. Of a d4, whose value stands
at its corners, the tilt is not measured.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import KINDS
from vision.recognition.confidence import logit
from vision.recognition.crops import CROP_PX, CROP_SPAN
from vision.tray.camera_pose import USUAL_FOCAL

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.detection.detections import Detection
    from vision.recognition.attitude import Attitude
    from vision.recognition.die_classifier import Symbol
    from vision.settings import TiltSettings
    from vision.tray.camera_pose import CameraPose

Floats: TypeAlias = npt.NDArray[Any]

RISE = {"d6": 0.3, "d8": 0.35, "d10": 0.33, "d12": 0.46, "d20": 0.5}
"""How far a kind's top moves outward, in parts of its box, for each frame's length from where straight down
is seen, under a lens of USUAL_FOCAL; in inverse proportion under others."""
OFF_AXIS = {"d10": 0.114}
"""How far from the middle of its box, along its up, a kind's value stands: the top of a d10 is a kite …"""
MAKERS = {"d10": 0.03}
"""… and by how much that differs from maker to maker, as a standard deviation: it is 0.164 where the pole is
0.85 of the girdle's radius from the middle, and 0.067 where it is 1.2."""


class Top(NamedTuple):
    """Where a die's symbol is seen from the middle of its box (x, y), and the usual shift outward there.

    `makers` is how its maker may have moved it, right and down, as a standard deviation.
    """

    seen: Floats
    outward: Floats
    makers: Floats = np.zeros(2)


def top_of(symbol: Symbol, detection: Detection, camera: CameraPose, kind: int) -> Top | None:
    """The place of a detection's symbol under this camera, in parts of the box; None of a d4."""
    rise = RISE.get(KINDS[kind])
    if rise is None:
        return None
    seen = (np.array([symbol.x, symbol.y]) / CROP_PX - 0.5) * CROP_SPAN
    outward = rise * USUAL_FOCAL * (np.array(detection.middle) - camera.nadir_px) / camera.focal_px
    makers = np.zeros(2)
    if symbol.orientations:
        way = np.radians(symbol.orientations[0].up_deg)
        up = np.array([np.cos(way), -np.sin(way)])
        seen = seen - np.copysign(OFF_AXIS.get(KINDS[kind], 0.0), (seen - outward) @ up) * up
        makers = MAKERS.get(KINDS[kind], 0.0) * up
    return Top(seen, outward, makers)


class TopShift(NamedTuple):
    """How a frame's camera shifts tops: right, down, and outward in parts of the usual; (3,), (3, 3).

    `spread` is the covariance of the three, `error` the standard deviation of a top's place by itself.
    """

    mean: Floats
    spread: Floats
    error: float

    def residual(self, top: Top) -> Floats:
        """How far (x, y) a top is from where this camera shows that of a flat die, in parts of the box."""
        return np.asarray(top.seen - slope(top.outward) @ self.mean)

    def distance(self, top: Top) -> float:
        """The Mahalanobis distance of a top from there."""
        off = self.residual(top)
        return float(np.sqrt(off @ np.linalg.solve(self.covariance(top), off)))

    def covariance(self, top: Top) -> Floats:
        """That of a top's place about where this camera shows that of a flat die, (2, 2)."""
        across = slope(top.outward)
        own = self.error**2 * np.eye(2) + np.outer(top.makers, top.makers)
        return np.asarray(across @ self.spread @ across.T + own)


def slope(outward: Floats) -> Floats:
    """How the three shifts move a top (2, 3)."""
    return np.array([[1, 0, outward[0]], [0, 1, outward[1]]])


def top_shifts(
    tops: Sequence[Top], references: Sequence[bool], settings: TiltSettings, camera: CameraPose | None = None
) -> list[TopShift]:
    """For each top, the camera's shift as the references among the others tell it.

    `camera` is that of a calibrated rig: then the shift is known well by itself.
    """
    slant, rise_error = settings.slant, settings.rise_error
    if camera is not None:
        slant, rise_error = (
            settings.known_slant,
            float(np.hypot(settings.known_rise_error, camera.focal_error)),
        )
    errors = np.full(len(tops), settings.spread)
    return shifts(tops, errors, references, (slant, rise_error), settings.rounds)


def attitude_shifts(
    attitudes: Sequence[Attitude],
    plumbs: Sequence[Floats],
    references: Sequence[bool],
    settings: TiltSettings,
    camera: CameraPose,
    *,
    known: bool = True,
) -> list[TopShift]:
    """For each attitude, how straight up is seen there, as the references among the others tell it.

    `plumbs` are straight up as this camera sees it. Its lines run together more or less than they should
    where the focal length is off, and aside where the camera hangs aslant, most of all if it is not `known`
    from the markers.
    """
    slant = settings.plumb_slant
    if known:
        slant = float(np.hypot(settings.known_plumb_slant, slant * camera.focal_error))
    rise_error = float(np.hypot(settings.known_plumb_error, camera.focal_error))
    seen = [Top(attitude.top, plumb) for attitude, plumb in zip(attitudes, plumbs, strict=True)]
    errors = np.hypot([attitude.error for attitude in attitudes], settings.least_attitude_error)
    return shifts(seen, errors, references, (slant, rise_error), settings.rounds)


def shifts(
    tops: Sequence[Top],
    errors: Floats,
    references: Sequence[bool],
    prior: tuple[float, float],
    rounds: int,
) -> list[TopShift]:
    """Robust least squares: for each top (of these errors) the shift that the other references tell.

    `prior` holds the standard deviations of a shift of all alike and of the part outward, which is usually 1.
    """
    if not tops:
        return []
    seen = np.array([top.seen for top in tops])
    slopes = np.array([slope(top.outward) for top in tops])
    usual = np.array([0.0, 0.0, 1.0])
    slant, rise_error = prior
    known = np.diag([slant**-2, slant**-2, rise_error**-2])
    weights = np.array(references) / errors**2
    for _ in range(rounds):
        moments = weights[:, None, None] * slopes.transpose(0, 2, 1) @ slopes
        pulls = weights[:, None] * (slopes.transpose(0, 2, 1) @ seen[..., None])[..., 0]
        mean = np.linalg.solve(known + moments.sum(0), known @ usual + pulls.sum(0))
        off = np.linalg.norm(seen - slopes @ mean, axis=1)
        weights = np.array(references) / errors**2 / (1 + (off / (2 * errors)) ** 2)
    spreads = np.linalg.inv(known + moments.sum(0) - moments)
    return [
        TopShift(without @ (known @ usual + pulls.sum(0) - pull), without, float(error))
        for without, pull, error in zip(spreads, pulls, errors, strict=True)
    ]


def is_tilted(distance: float, cocked: float, settings: TiltSettings) -> bool:
    """Whether a top's distance and the net's probability that the die is cocked are too much together."""
    return 0.5 * distance**2 + settings.cocked_power * logit(cocked) >= settings.tilted


def most_tilted(cocked: Sequence[float], settings: TiltSettings) -> bool:
    """Whether so many of a frame's dice look cocked that their tops may all be elsewhere alike."""
    return len(cocked) >= settings.suspect_dice and float(np.median(cocked)) >= settings.suspect_median


def seen_from_low(tilted: Sequence[bool], settings: TiltSettings) -> bool:
    """Whether enough of a frame's legible dice look tilted to suspect a slanted camera instead."""
    return len(tilted) >= settings.suspect_dice and float(np.mean(tilted)) >= settings.suspect_part
