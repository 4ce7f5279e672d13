"""The nets that look at one die: what they are shown, and what their answers mean."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Final, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from games.dice import KINDS
from vision.reading import Detection, Net

MOST_BOX_OFF: Final = 0.5
"""The most by which a box is corrected, in each of these numbers."""
SYMBOL_SCORE: Final = 0.15
"""Score of a symbol. Lower: fainter ones are read, at a run of the symbol net each."""
MOST_SYMBOLS: Final = 3
"""Symbols of one die that are read at most."""
SYMBOL_CELLS: Final = 2
"""Cells of the map within which a symbol is found once."""
LEAST_ORIENTATION: Final = 0.04
"""Probability of an orientation in which a symbol is read."""
Floats: TypeAlias = npt.NDArray[Any]
Pixels: TypeAlias = npt.NDArray[Any]
"""A picture: uint8, H×W×3, BGR."""
Matrix: TypeAlias = npt.NDArray[Any]
"""An affine map of pixel places: float, 2×3."""
CROP_PX = 112
"""Pixels along the crop that all views of a die are cut from."""
CROP_SPAN = 1.5
"""The crop spans this many times the longer side of the die's box, for views turned and shifted."""
DIE_PX = 80
"""Pixels along the view of the whole die."""
DIE_SPAN = 1.25
"""The view of the whole die spans this many times the longer side of its box."""
SYMBOL_PX = 40
"""Pixels along the view of one symbol: a numeral, or a face of pips."""
SYMBOL_SPAN = 1.15
"""The view of a symbol spans this many times its square."""


def crop_of(frame: Pixels, detection: Detection) -> Pixels:
    """The crop that all views of a detection are cut from."""
    return cut(frame, *detection.middle, CROP_SPAN * detection.longer, CROP_PX)


def cut(frame: Pixels, x: float, y: float, span: float, side: int, turn_deg: float = 0.0) -> Pixels:
    """The square of `span` pixels about (x, y), turned, as side × side; beyond the frame its edge goes on."""
    scale = side / span
    if scale < 0.5:  # averaged first, or small print would alias
        half = 0.75 * span
        x0, y0 = max(0, int(x - half)), max(0, int(y - half))
        frame = frame[y0 : max(y0 + 1, int(y + half) + 1), x0 : max(x0 + 1, int(x + half) + 1)]
        smaller = 2 * scale
        small = cv2.resize(frame, None, fx=smaller, fy=smaller, interpolation=cv2.INTER_AREA)
        x, y = (x - x0) * small.shape[1] / frame.shape[1], (y - y0) * small.shape[0] / frame.shape[0]
        frame, scale = small, 0.5
    return warp(frame, square_at((x, y), side / scale, side, turn_deg), side)


def square_at(middle: tuple[float, float], span: float, side: int, turn_deg: float = 0.0) -> Matrix:
    """The matrix from a picture to the square of `span` pixels about `middle`, turned counter-clockwise."""
    matrix = cv2.getRotationMatrix2D(middle, turn_deg, side / span)
    matrix[:, 2] += np.array([side / 2 - middle[0], side / 2 - middle[1]])
    return matrix


def warp(picture: Pixels, matrix: Matrix, side: int) -> Pixels:
    return cv2.warpAffine(
        picture, matrix, (side, side), flags=cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE
    )


def die_view(turn_deg: float = 0.0, zoom: float = 1.0, shift: tuple[float, float] = (0, 0)) -> Matrix:
    """The map from the crop to the view of the whole die; `shift` is in the crop's pixels."""
    middle = (CROP_PX / 2 + shift[0], CROP_PX / 2 + shift[1])
    return square_at(middle, DIE_SPAN * zoom * CROP_PX / CROP_SPAN, DIE_PX, turn_deg)


def symbol_view(x: float, y: float, span: float, up_deg: float) -> Matrix:
    """The map from the crop to the upright view of the symbol there, whose square is `span` pixels large.

    `up_deg` counts counter-clockwise from the picture's right.
    """
    return square_at((x, y), SYMBOL_SPAN * span, SYMBOL_PX, 90.0 - up_deg)


UNREADABLE = len(KINDS)
"""Body class of a die that is cut, covered, or bears nothing legible."""
COCKED = UNREADABLE + 1
"""Body class of a cocked die, so that no face counts."""
NO_DIE = UNREADABLE + 2
"""Body class of a place without a die in its middle."""
BODIES = UNREADABLE + 3
"""Body classes: the kinds in their order, then the reasons why there is none to read."""
BOX = 3
"""Numbers that say where a die really is: how far right and down of the view's middle the middle of its box
lies, in parts of the side that the box is thought to have, and the logarithm of how much longer it is."""
STRIDE = 4
"""Pixels of the whole die's view along a cell of the symbol maps."""
TURNS = 16
"""Directions that a symbol's up is sorted into, from the picture's right counter-clockwise."""
SPAN = 20.0
"""Pixels of the whole die's view that a symbol's side is measured against, by its logarithm."""
MAPS = 4 + TURNS
"""Maps of symbols: a middle is here, its offset x and y in cells, log of the side, then the turns."""
VALUES = 21
"""Answers about a symbol: 0 for nothing that can be read upright, else the value."""
CELLS = DIE_PX // STRIDE
A_DIE = 0.5
"""A crop shows a legible die if the kinds are together as probable."""


@dataclass(frozen=True, slots=True)
class Orientation:
    """An orientation that a symbol may have: its up in degrees counter-clockwise from the right."""

    up_deg: float
    probability: float


@dataclass(frozen=True, slots=True)
class Symbol:
    """A numeral or a face of pips on a die: middle and side of its square in pixels of the crop."""

    x: float
    y: float
    span: float
    score: float
    orientations: tuple[Orientation, ...]


@dataclass(frozen=True)
class DiePrediction:
    """What the die net predicts of one view.

    Attributes:
        bodies: the probability of each body class, (BODIES,).
        off: how the box is off in which the die was seen, (BOX,); it means nothing in a turned view.
        find: finds the symbols, best first; `symbols` asks it once, when they are first needed.
    """

    bodies: Floats
    off: Floats
    find: Callable[[], tuple[Symbol, ...]]

    @cached_property
    def symbols(self) -> tuple[Symbol, ...]:
        return self.find()


class DieClassifier:
    """The die net."""

    def __init__(self, net: Net) -> None:
        self.net = net

    def predict(self, crop: Pixels, turn_deg: float = 0.0, zoom: float = 1.0) -> DiePrediction:
        """What the net predicts of a crop, seen turned and nearer or farther."""
        return self.predict_all([crop], turn_deg, zoom)[0]

    def predict_all(
        self, crops: Sequence[Pixels], turn_deg: float = 0.0, zoom: float = 1.0
    ) -> list[DiePrediction]:
        """What the net predicts of several crops, in one batch."""
        if not crops:
            return []
        matrix = die_view(turn_deg, zoom)
        back = cv2.invertAffineTransform(matrix)
        views = cv2.dnn.blobFromImages([warp(crop, matrix, DIE_PX) for crop in crops], 1 / 255)
        return [self._prediction(logits, back, turn_deg) for logits in self.net(views)]

    def is_die(self, crop: Pixels) -> bool:
        """Whether a crop shows a die that could be read, and not a fingertip."""
        return float(self.predict(crop).bodies[: len(KINDS)].sum()) >= A_DIE

    def _prediction(self, logits: Floats, back: Floats, turn_deg: float) -> DiePrediction:
        maps = logits[BODIES + BOX :].reshape(MAPS, CELLS, CELLS)
        most = MOST_BOX_OFF
        off = np.clip(logits[BODIES : BODIES + BOX], -most, most)
        find = partial(symbols, maps, back, turn_deg)
        return DiePrediction(softmax(logits[:BODIES]), off, find)


FLOOR: Final = 1e-4


def logit(p: float) -> float:
    """The logarithm of p : 1 − p, of a p that is kept off 0 and 1 by FLOOR."""
    p = min(max(p, FLOOR), 1 - FLOOR)
    return float(np.log(p / (1 - p)))


def softmax(logits: Floats) -> Floats:
    """Probabilities, over the last axis."""
    odds = np.exp(logits - logits.max(-1, keepdims=True))
    return np.asarray(odds / odds.sum(-1, keepdims=True))


def symbols(maps: Floats, back: Floats, turn_deg: float) -> tuple[Symbol, ...]:
    """The symbols in the net's maps, best first; `back` (2×3) leads from the view to the crop."""
    score = 1 / (1 + np.exp(-maps[0]))
    side = 2 * SYMBOL_CELLS + 1
    around = cv2.dilate(score, np.ones((side, side), np.uint8))
    places = np.argwhere((score >= SYMBOL_SCORE) & (score >= around))
    found_symbols = []
    for i, j in sorted(places.tolist(), key=lambda cell: -score[cell[0], cell[1]])[:MOST_SYMBOLS]:
        right, down, size = (float(v) for v in maps[1:4, i, j])
        place = back @ np.array([(j + right) * STRIDE, (i + down) * STRIDE, 1.0])
        span = SPAN * float(np.exp(np.clip(size, -2, 2))) * float(np.hypot(*back[0, :2]))
        ups = orientations(softmax(maps[4:, i, j]), turn_deg, LEAST_ORIENTATION)
        found_symbols.append(Symbol(float(place[0]), float(place[1]), span, float(score[i, j]), ups))
    return tuple(found_symbols)


def orientations(directions: Floats, turn_deg: float, least: float) -> tuple[Orientation, ...]:
    """The likely orientations, best first, from probabilities (TURNS,) of directions in a turned view."""
    before, after = np.roll(directions, 1), np.roll(directions, -1)
    mass = before + directions + after
    likely = []
    for k in np.flatnonzero((directions >= before) & (directions > after) & (mass >= least)):
        offset = float((after[k] - before[k]) / mass[k])
        likely.append(Orientation((k + offset) * 360 / TURNS - turn_deg, float(min(1.0, mass[k]))))
    return tuple(sorted(likely, key=lambda up: -up.probability))


LEAST_RANGE = 12.0
"""Levels of a channel that are stretched to the full range at most: less is noise."""


class SymbolClassifier:
    """The symbol net."""

    def __init__(self, net: Net) -> None:
        self.net = net

    def predict_all(self, crop: Pixels, symbols: Sequence[tuple[Symbol, float]]) -> Floats:
        """The values of symbols of one crop, each upright along its `up_deg`, in one batch.

        Returns probabilities (n, VALUES), of nothing legible first.
        """
        return self.predict_views(
            [
                warp(crop, symbol_view(symbol.x, symbol.y, symbol.span, up_deg), SYMBOL_PX)
                for symbol, up_deg in symbols
            ]
        )

    def predict_views(self, views: Sequence[Pixels]) -> Floats:
        """The values of upright views (SYMBOL_PX × SYMBOL_PX × 3), as above."""
        return softmax(self.net(np.stack([levelled(view) for view in views])))


def levelled(view: Pixels) -> Floats:
    """A view (H×W×3) with the contrast of each channel stretched to [0, 1], float32, 3×H×W."""
    channels = np.ascontiguousarray(view.transpose(2, 0, 1))
    levels = channels.reshape(len(channels), -1)
    ends = [round(part * (levels.shape[1] - 1)) for part in (0.01, 0.99)]
    counts = (np.bincount(channel, minlength=256).cumsum() for channel in levels)
    low, high = np.array([count.searchsorted(ends, "right") for count in counts], np.float32).T[
        ..., None, None
    ]
    return np.asarray(np.clip((channels - low) / np.maximum(LEAST_RANGE, high - low), 0, 1), np.float32)


FACE_SPAN: Final = 1.8
"""The view's side in sides of the symbol's square: a percentile die's other digit may lie beyond it."""
PLAIN = 0
"""Answer about a face: it bears pips or a numeral as plain dice do."""
PICTURE = 1
"""Answer about a face: it bears a picture, a letter, or nothing."""
FIRST_PERCENT = 2
"""The first of ten answers about a face: it bears 00, 10 … 90; a 10 and a 20 stand on plain dice too."""
FACES_SHOWN = FIRST_PERCENT + 10
"""Answers about a face."""


class FaceClassifier:
    """The net that tells a value from a picture and from a percentile die's two digits."""

    def __init__(self, net: Net) -> None:
        self.net = net

    def predict(self, crop: Pixels, symbol: Symbol, up_deg: float) -> Floats:
        """Probabilities (2, FACES_SHOWN) of what the symbol is, upright along `up_deg` and upside down."""
        matrix = square_at((symbol.x, symbol.y), FACE_SPAN * symbol.span, SYMBOL_PX, 90.0 - up_deg)
        view = levelled(warp(crop, matrix, SYMBOL_PX))
        return softmax(self.net(np.stack([view, view[:, ::-1, ::-1]])))


SIDE_SPAN: Final = 1.4
"""The view's side in sides of the symbol's square: the line or dot may lie beyond it."""


class SixNineClassifier:
    """The net for the line or dot."""

    def __init__(self, net: Net) -> None:
        self.net = net

    def upright(self, crop: Pixels, symbol: Symbol, up_deg: float) -> float:
        """The logit that the 6 or 9 stands upright along `up_deg`, by its line or dot alone."""
        matrix = square_at((symbol.x, symbol.y), SIDE_SPAN * symbol.span, SYMBOL_PX, 90.0 - up_deg)
        view = levelled(warp(crop, matrix, SYMBOL_PX))
        ahead, reverse = self.net(np.stack([view, view[:, ::-1, ::-1]]))[:, 0]
        return float(ahead - reverse)


def logistic(features: Floats, weights: Floats) -> Floats:
    """Probabilities of a logistic regression, () or (n,), from features of one item (k,) or several (n, k).

    `weights` has one for each feature, and the bias last (k + 1,).
    """
    return np.asarray(1 / (1 + np.exp(-np.clip(features @ weights[:-1] + weights[-1], -30, 30))))
