"""The probability that a die is cocked: a logistic regression over three kinds of evidence.

They are the die net's own suspicion, how far the symbol is from where a flat die has it, and the angle
between the top and the vertical, in degrees and relative to the measurement's error. On rigs that are not
calibrated the frame's other dice tell the vertical, less well: more is asked of the probability there, and
`is_tilted` of tilt.py decides too. The weights are fitted by `python -m training cocked-weights`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from vision.recognition.attitude import Top
from vision.recognition.evidence import logit

if TYPE_CHECKING:
    from vision.recognition.attitude import Attitude, TopShift
    from vision.settings import TiltSettings

Floats: TypeAlias = npt.NDArray[Any]
COCKED_FEATURES: Final = ("suspicion", "symbol", "distance", "angle", "error", "d4", "d6")
"""What is weighed; see `features`."""
FARTHEST: Final = 5.0
"""Mahalanobis distance beyond which a place or a direction is no odder."""
LARGE_DEG: Final = 10.0
"""An angle of so much counts as one."""
MOST_DEG: Final = 25.0


class OffLevel(NamedTuple):
    """How far a top is measured to point from straight up: the angle, its Mahalanobis distance and error."""

    angle_deg: float
    distance: float
    error_deg: float


def off_level(attitude: Attitude, shift: TopShift, plumb: Floats) -> OffLevel:
    """How far the attitude is from straight up, which the shift of the camera moves."""
    top = Top(attitude.top, plumb)
    away = float(np.hypot(*shift.residual(top)))
    spread = float(np.sqrt(np.trace(shift.covariance(top)) / 2))
    return OffLevel(
        float(np.degrees(np.arcsin(min(1.0, away)))), shift.distance(top), float(np.degrees(spread))
    )


def scattered(off: OffLevel, scatter: float, settings: TiltSettings) -> OffLevel:
    """The same if views of the die that were moved a little scatter so much, as a sine.

    Where they do, the net hardly knows such a die, and errs by more than it tells: one in a dark shadow, or
    whose outline runs into that of another die or of a marker.
    """
    beyond_deg = settings.times_scatter * max(0.0, float(np.degrees(scatter)) - settings.usual_scatter_deg)
    error_deg = float(np.hypot(off.error_deg, beyond_deg))
    return OffLevel(off.angle_deg, off.distance * off.error_deg / error_deg, error_deg)


def cocked_features(suspicion: float, symbol: float, off: OffLevel, kind: int) -> Floats:
    """The features (features,) of a die.

    Args:
        suspicion: the die net's probability that it is cocked.
        symbol: Mahalanobis distance of its symbol from where a flat die has it.
        off: how far its top is off the level.
        kind: index of its kind; the two that are hardest to measure have a weight of their own.
    """
    return np.array(
        [
            logit(suspicion),
            min(symbol, FARTHEST) ** 2 / 2,
            min(off.distance, FARTHEST) ** 2 / 2,
            min(off.angle_deg, MOST_DEG) / LARGE_DEG,
            off.error_deg / LARGE_DEG,
            float(kind == 0),
            float(kind == 1),
        ]
    )
