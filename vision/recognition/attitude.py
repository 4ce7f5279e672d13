"""Measures which way the top of a die points, from a view of it that its symbol turns upright.

In such a view a kind of die that lies flat always looks alike, but for where it is seen from: its outline,
the edges of its top and its symbol shift against one another as it tips. A convolutional net predicts from
the view, the kind and the symbol's place where the top points, and how far off that may be.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

import numpy as np

from games.dice import KINDS
from vision.reading import Detection, Net
from vision.recognition.classifiers import CROP_PX, CROP_SPAN, Floats, Matrix, Pixels, Symbol, square_at, warp
from vision.tray.camera import USUAL_FOCAL, CameraPose

RISE_ERROR: Final = 0.15
"""Standard deviation of how far tops move outward, as a part of the usual, besides the error of the focal
length."""
SLANT: Final = 0.02
"""Standard deviation of the shift of all tops, in parts of a box, besides `SLANT_RISE`."""
SLANT_RISE: Final = 0.43
"""How many times the error of straight up, as a sine, adds to the shift of all tops."""
PLACE_SPREAD: Final = 0.028
"""Standard deviation of a symbol's place on a die that lies flat, in parts of its box."""
PLUMB_ERROR: Final = 0.03
"""Standard deviation of how far straight up runs outward, as a part of the usual, besides the error of the
focal length."""
LEAST_ATTITUDE_ERROR: Final = 0.02
"""Standard deviation of where a top points, as a sine, at least."""
ROUNDS: Final = 3
"""Times that the least squares are weighted anew."""
SLACK: Final = 2.0
"""Errors by which a top is off and counts half. Larger: dice that lean pull the others' straight up aside;
smaller: a slanted camera is found from fewer of its dice."""
VIEW_PX: Final = 48
"""Pixels along the upright view. More: slower."""
VIEW_SPAN: Final = 1.4
"""How many times the longer side of a die's box the upright view spans."""
USUAL_SPAN: Final = 0.3
"""The usual side of a symbol's square, in parts of the die's box."""
PLACE_GAIN: Final = 5.0
"""The factor that makes the numbers of the symbol's place as large as those of the kind."""
ASIDE: Final = ((0.0, 0.0), (0.03, 0.0), (-0.03, 0.0), (0.0, 0.03), (0.0, -0.03))
"""How far aside a die is looked at again (right, down), in parts of its box."""
TURNS: Final = {"d6": 4, "d20": 3}
"""Kinds whose top face looks the same after a part of a turn, and how many such views are averaged."""
PIXELS: Final = VIEW_PX * VIEW_PX * 3
PLACE: Final = 4
ATTITUDE_FEATURES: Final = PIXELS + PLACE + len(KINDS)
"""Numbers that the net is shown of a view."""


class Attitude(NamedTuple):
    """Where a die's top points.

    `top` has the components (2,), to the right and down at right angles to the line of sight, of the unit
    normal of its top face; `error` is the standard deviation of either.
    """

    top: Floats
    error: float


class UprightDie(NamedTuple):
    """A die to be measured: its crop, the index of its kind, its symbol, and its box's width over height."""

    crop: Pixels
    kind: int
    symbol: Symbol
    aspect: float


class AttitudeNet:
    """The net and what it is shown."""

    def __init__(self, net: Net) -> None:
        self.net = net

    def measure(self, dice: Sequence[UprightDie], aside: tuple[float, float] = (0.0, 0.0)) -> list[Attitude]:
        """The attitude of each die, in views this far aside; every symbol must have an orientation."""
        if not dice:
            return []
        counts = [TURNS.get(KINDS[die.kind], 1) for die in dice]
        shown = [die for die, count in zip(dice, counts, strict=True) for _ in range(count)]
        turns = [
            upright(die.symbol.orientations[0].up_deg + 360 / count * turn, aside)
            for die, count in zip(dice, counts, strict=True)
            for turn in range(count)
        ]
        measured = self.net(attitude_features(shown, turns))
        tops = np.array([rotation(turn).T @ row[:2] for turn, row in zip(turns, measured, strict=True)])
        ends = np.cumsum(counts)
        return [
            Attitude(tops[end - count : end].mean(0), float(measured[end - count : end, 2].mean()))
            for end, count in zip(ends, counts, strict=True)
        ]

    def scatter(self, die: UprightDie) -> float:
        """How much the attitude of a die scatters over views a little aside: the standard deviation."""
        tops = np.array([self.measure([die], aside)[0].top for aside in ASIDE])
        return float(np.sqrt(tops.var(0).mean()))


def upright(up_deg: float, aside: tuple[float, float] = (0.0, 0.0)) -> Matrix:
    """The map from a crop to the view of its die with this direction up, so far aside in parts of its box."""
    box = CROP_PX / CROP_SPAN
    middle = (CROP_PX / 2 + aside[0] * box, CROP_PX / 2 + aside[1] * box)
    return square_at(middle, VIEW_SPAN * box, VIEW_PX, 90.0 - up_deg)


def rotation(matrix: Matrix) -> Floats:
    part = matrix[:, :2]
    return np.asarray(part / np.sqrt(abs(np.linalg.det(part))))


def attitude_features(dice: Sequence[UprightDie], turns: Sequence[Matrix]) -> Floats:
    """What the net is shown of dice (n, ATTITUDE_FEATURES), float32, in these views.

    The pixels of the view, from 0 to 255, row by row; the symbol's place and the box's form; the kind.
    """
    rows = np.zeros((len(dice), ATTITUDE_FEATURES), np.float32)
    for row, die, turn in zip(rows, dice, turns, strict=True):
        x, y = turn @ (die.symbol.x, die.symbol.y, 1.0) / VIEW_PX - 0.5
        span = die.symbol.span / (CROP_PX / CROP_SPAN) - USUAL_SPAN
        row[:PIXELS] = warp(die.crop, turn, VIEW_PX).ravel()
        row[PIXELS : PIXELS + PLACE] = PLACE_GAIN * x, PLACE_GAIN * y, PLACE_GAIN * span, die.aspect - 1
        row[PIXELS + PLACE + die.kind] = 1
    return rows


RISE = {"d6": 0.3, "d8": 0.35, "d10": 0.33, "d12": 0.46, "d20": 0.5}
"""How far a kind's top moves outward, in parts of its box, for each longer side of the frame from the nadir,
under a lens of USUAL_FOCAL; in inverse proportion under others."""
OFF_AXIS = {"d10": 0.114}
"""How far from the middle of its box, along its up, a kind's value stands: the top of a d10 is a kite."""
MAKERS = {"d10": 0.03}
"""How much `OFF_AXIS` differs from maker to maker, as a standard deviation: it is 0.164 where the pole is
0.85 of the girdle's radius from the middle, and 0.067 where it is 1.2."""


class Top(NamedTuple):
    """Where a top is seen, and where it would be seen of a flat die under the usual camera, both (x, y).

    Either the place of a die's symbol from the middle of its box, in parts of that, or the direction of its
    top face (`Attitude.top`). `makers` is how its maker may have moved a symbol, right and down, as a
    standard deviation.
    """

    place: Floats
    outward: Floats
    makers: Floats = np.zeros(2)


def top_of(symbol: Symbol, detection: Detection, camera: CameraPose, kind: int) -> Top | None:
    """The place of a detection's symbol under this camera, in parts of the box; None of a d4."""
    rise = RISE.get(KINDS[kind])
    if rise is None:
        return None
    place = (np.array([symbol.x, symbol.y]) / CROP_PX - 0.5) * CROP_SPAN
    outward = rise * USUAL_FOCAL * (np.array(detection.middle) - camera.nadir_px) / camera.focal_px
    makers = np.zeros(2)
    if symbol.orientations:
        way = np.radians(symbol.orientations[0].up_deg)
        up = np.array([np.cos(way), -np.sin(way)])
        place = place - np.copysign(OFF_AXIS.get(KINDS[kind], 0.0), (place - outward) @ up) * up
        makers = MAKERS.get(KINDS[kind], 0.0) * up
    return Top(place, outward, makers)


class TopShift(NamedTuple):
    """How a frame's camera shifts tops: right, down, and outward in parts of the usual; (3,), (3, 3).

    `spread` is the covariance of the three, `error` the standard deviation of a top's place by itself.
    """

    mean: Floats
    spread: Floats
    error: float

    def residual(self, top: Top) -> Floats:
        """How far (x, y) a top is from where this camera shows that of a flat die, in parts of the box."""
        return np.asarray(top.place - slope(top.outward) @ self.mean)

    def distance(self, top: Top) -> float:
        """The Mahalanobis distance of a top from there."""
        off = self.residual(top)
        return float(np.sqrt(off @ np.linalg.solve(self.covariance(top), off)))

    def covariance(self, top: Top) -> Floats:
        """The covariance (2, 2) of a top's place about where this camera shows the top of a flat die."""
        across = slope(top.outward)
        own = self.error**2 * np.eye(2) + np.outer(top.makers, top.makers)
        return np.asarray(across @ self.spread @ across.T + own)


def slope(outward: Floats) -> Floats:
    """How the three shifts move a top (2, 3)."""
    return np.array([[1, 0, outward[0]], [0, 1, outward[1]]])


def top_shifts(tops: Sequence[Top], weights: Sequence[float], camera: CameraPose) -> list[TopShift]:
    """The camera's shift at each top, from the other tops by their weights."""
    slant = float(np.hypot(SLANT, SLANT_RISE * camera.slant_error))
    rise_error = float(np.hypot(RISE_ERROR, camera.focal_error))
    return shifts(tops, np.full(len(tops), PLACE_SPREAD), weights, (slant, rise_error))


def attitude_shifts(
    attitudes: Sequence[Attitude], plumbs: Sequence[Floats], weights: Sequence[float], camera: CameraPose
) -> list[TopShift]:
    """How straight up is seen at each attitude, according to the others by their weights.

    `plumbs` are straight up as this camera sees it. Its lines run together more or less than they should
    where the focal length is off, and aside where the camera hangs aslant.
    """
    rise_error = float(np.hypot(PLUMB_ERROR, camera.focal_error))
    tops = [Top(attitude.top, plumb) for attitude, plumb in zip(attitudes, plumbs, strict=True)]
    errors = np.hypot([attitude.error for attitude in attitudes], LEAST_ATTITUDE_ERROR)
    return shifts(tops, errors, weights, (camera.slant_error, rise_error))


def shifts(
    tops: Sequence[Top], errors: Floats, weights: Sequence[float], prior: tuple[float, float]
) -> list[TopShift]:
    """Robust least squares: for each top (of these errors) the shift according to the others' weights.

    Iteratively reweighted least squares with Cauchy's weights: P. Holland and R. Welsch, Robust regression
    using iteratively reweighted least-squares, Communications in Statistics A6, 1977.

    `prior` holds the standard deviations of a shift of all alike and of the part outward, which is usually 1.
    """
    if not tops:
        return []
    places = np.array([top.place for top in tops])
    slopes = np.array([slope(top.outward) for top in tops])
    usual = np.array([0.0, 0.0, 1.0])
    slant, rise_error = prior
    information = np.diag([slant**-2, slant**-2, rise_error**-2])
    deviations = places - slopes @ usual
    distances = np.linalg.norm(deviations - most_agree(deviations, errors, np.array(weights), slant), axis=1)
    for _ in range(ROUNDS):
        counted = np.array(weights) / errors**2 / (1 + (distances / (SLACK * errors)) ** 2)
        moments = counted[:, None, None] * slopes.transpose(0, 2, 1) @ slopes
        pulls = counted[:, None] * (slopes.transpose(0, 2, 1) @ places[..., None])[..., 0]
        mean = np.linalg.solve(information + moments.sum(0), information @ usual + pulls.sum(0))
        distances = np.linalg.norm(places - slopes @ mean, axis=1)
    # The sums without each top's own part give what the others say of it: no fit for each is needed.
    spreads = np.linalg.inv(information + moments.sum(0) - moments)
    return [
        TopShift(without @ (information @ usual + pulls.sum(0) - pull), without, float(error))
        for without, pull, error in zip(spreads, pulls, errors, strict=True)
    ]


def most_agree(deviations: Floats, errors: Floats, weights: Floats, slant: float) -> Floats:
    """The shift (2,) that most of these (n, 2) show alike, or none: the least squares start from it.

    From the mean of all they would end between the dice that lie flat and those that lean.
    """
    candidates = np.vstack([np.zeros(2), deviations * (slant**2 / (slant**2 + errors**2))[:, None]])
    distances = np.linalg.norm(deviations - candidates[:, None], axis=2) / errors
    loss = SLACK**2 * np.log1p((distances / SLACK) ** 2) @ weights + (candidates**2).sum(1) / slant**2
    loss[1:][weights == 0] = np.inf
    return np.asarray(candidates[int(loss.argmin())])
