"""The facts about a recognized die when `doubts` decides whether it is sure, and its confidence."""

from dataclasses import astuple, dataclass, replace
from typing import Final, NamedTuple

import numpy as np

from games.dice import KINDS, Die
from vision.reading import Detection, SeenTop
from vision.recognition.classifiers import (
    FIRST_PERCENT,
    PLAIN,
    SYMBOL_PX,
    UNREADABLE,
    VALUES,
    Floats,
    Pixels,
    Symbol,
    logistic,
    logit,
    symbol_view,
    warp,
)
from vision.recognition.fusion import D10, Prediction, Views

NUMERAL_UPRIGHT: Final = 0.5
"""Probability of the likeliest orientation from which a symbol is a numeral. A face of pips has four that
are alike."""
KIND_TURN_DEG: Final = 45.0
"""The turn at which the kind is looked at again. It costs a run of the die net for each numeral that is
otherwise sure."""
AGAIN: Final = ((0.0, 1.0), (8.0, 1.0), (-8.0, 1.0), (0.0, 1.12), (0.0, 0.9))
"""Turn in degrees and zoom of each view in which a face that may bear a picture is looked at again: a value
looks like itself in all of them. More views cost a run of two nets each, for few dice."""
MIDDLE_UNLIKE: Final = 0.42
"""How far the middle's colour may be from the face's, as a part of the pips' contrast."""
MIDDLE, AROUND = 0.08, (0.15, 0.4)
"""Radius of the middle of a symbol's view, and radii of the ring about it, in parts of the view."""
TEN: Final = 1
"""The place of 10 among the tens."""
NOISE: Final = 6.0
"""Levels by which anything may differ."""
ONE_FACE_SEEN: Final = (KINDS.index("d6"), KINDS.index("d12"))
"""Kinds that show one face from above, as a token does."""
CONFIDENCE_FEATURES: Final = ("joint", "symbol", "detection", "size", "token", "token_no_die")
"""What the confidence weighs; see `confidence_features`."""
USUAL_PX: Final = 40.0
"""Longer side of a die's box whose logarithm counts as 0."""
USUAL_NO_DIE: Final = -7.0
"""Logit of no die that is usual for a die."""


class FaceShown(NamedTuple):
    """The probabilities that a face bears what no plain die does, and a percentile die's two digits.

    A 10 and a 20 stand on plain dice and on percentile dice. `tens` are the likeliest two digits, as 0, 10 …
    90, and `tens_share` is their probability.
    """

    foreign: float
    percent: float
    tens: int = 0
    tens_share: float = 0.0


class Evidence(NamedTuple):
    """A detection that passes for a die, and what is known of it when it is decided whether it is sure.

    Attributes:
        detection: its box and the detector's score.
        views: the views of it.
        prediction: the fused prediction of its kind and value.
        frame: height and width of the frame.
        touches: it touches something that it may lean on.
        tilted: it leans on that: a calibrated camera shows its top plainly point aside.
        may_be_tilted: it may lean on that.
        beside_top: it lies flat, and the symbol that was read points aside, so it is not the one on top.
        holds_others: other detections lie within its box.
        thrown: it was seen to be thrown, so that it is no picture of a die.
        arrived: the tray was seen empty there before, so that it is none either.
        tilt_deg: how far its top points aside; None if that was not measured.
        tilt_error_deg: the standard deviation of `tilt_deg`.
        top: which way it points, if that was measured and the net does not suspect that it is cocked.
        confidence: the calibrated probability that kind and value are right; 0 until all else is known.
    """

    detection: Detection
    views: Views
    prediction: Prediction
    frame: tuple[int, int]
    touches: bool = False
    tilted: bool = False
    may_be_tilted: bool = False
    beside_top: bool = False
    holds_others: bool = False
    thrown: bool = False
    arrived: bool = False
    tilt_deg: float | None = None
    tilt_error_deg: float | None = None
    top: SeenTop | None = None
    confidence: float = 0.0

    @property
    def kind(self) -> int:
        return self.prediction.best[0]

    @property
    def value(self) -> int:
        """The likeliest value; 0 if none was read."""
        return self.prediction.best[1]

    @property
    def crop(self) -> Pixels:
        return self.views.crop

    @property
    def aspect(self) -> float:
        return self.detection.width / self.detection.height

    def kind_share(self) -> float:
        """Probability of its kind among the kinds, seen turned by KIND_TURN_DEG; runs the die net."""
        dice, crop = self.views.classifiers.dice, self.crop
        bodies = self.views.looks.once("turned", lambda: dice.predict(crop, KIND_TURN_DEG).bodies)
        kinds = bodies[:UNREADABLE]
        return float(kinds[self.kind] / kinds.sum())

    def face(self) -> FaceShown:
        """What the symbol's face bears; runs the face net."""
        symbol, up_deg = self.prediction.symbol, self.prediction.up_deg
        if symbol is None:
            return FaceShown(1.0, 0.0)
        shown = self.views.face(symbol, up_deg)
        percent = shown[:, FIRST_PERCENT:]
        way, tens = np.unravel_index(int(percent.argmax()), percent.shape)
        return FaceShown(
            foreign(shown[0]),
            float(percent.sum(1).max()),
            10 * int(tens),
            float(percent[way, tens]),
        )

    def joint(self) -> Floats:
        """Probabilities (EVERY_KIND, VALUES) of kind and place of value, those of a percentile die too.

        A 10 in two digits counts for both dice that bear it.
        """
        of_shapes, of_percentile = self.prediction.joint.copy(), np.zeros(VALUES)
        symbol = self.prediction.symbol
        if symbol is not None and self.kind == D10:
            percent = self.views.face(symbol, self.prediction.up_deg)[:, FIRST_PERCENT:]
            shares = percent[percent.sum(1).argmax()]
            of_percentile[1 : 1 + len(shares)] = shares * of_shapes[D10].sum()
            of_shapes[D10] *= 1 - (shares.sum() - shares[TEN])
        return np.vstack([of_shapes, of_percentile])

    def unlike_value(self) -> float:
        """How little its face looks like the value that was read, 0 … 2; runs two nets on several views.

        It is the mean probability of a picture, and that of another value or of none.
        """
        prediction = self.prediction
        if prediction.symbol is None:
            return 2.0
        views = [
            (replace(prediction.symbol, span=zoom * prediction.symbol.span), prediction.up_deg + turn_deg)
            for turn_deg, zoom in AGAIN
        ]
        pictures = [foreign(self.views.face(symbol, up_deg)[0]) for symbol, up_deg in views]
        values = self.views.classifiers.symbols.classifier.predict_all(self.crop, views)
        return float(np.mean(pictures) + 1 - values[:, prediction.read_as].mean())

    def has_bare_middle(self) -> bool:
        """Whether the middle of its symbol has the colour of the face about it; looks at pixels."""
        return self.prediction.symbol is None or bare_middle(self.crop, self.prediction.symbol)


def foreign(shown: Floats) -> float:
    """The probability of what no plain die bears; a 10 and a 20 stand on plain dice too."""
    return float(1 - shown[PLAIN] - shown[FIRST_PERCENT + 1] - shown[FIRST_PERCENT + 2])


class EnrolmentMatch(NamedTuple):
    """The enrolled face that a die most likely shows, and its probability among the enrolled ones.

    `among_all` is its probability among all faces of the enrolled kinds, whether enrolled or not; `likeness`
    is the logit that it is an enrolled one at all; `kind_elsewhere` the probability of its kind if no die of
    that kind is enrolled, else 0.
    """

    die: Die
    probability: float
    among_all: float
    likeness: float
    kind_elsewhere: float


def bare_middle(crop: Pixels, symbol: Symbol) -> bool:
    view = warp(crop, symbol_view(symbol.x, symbol.y, symbol.span, 90.0), SYMBOL_PX).astype(np.float32)
    y, x = np.mgrid[0:SYMBOL_PX, 0:SYMBOL_PX] - (SYMBOL_PX - 1) / 2
    far = np.hypot(x, y) / SYMBOL_PX
    body = np.median(view[(far >= AROUND[0]) & (far < AROUND[1])], axis=0)
    off = np.abs(view - body).max(axis=2)
    middle = np.median(view[far <= MIDDLE], axis=0)
    pips = max(NOISE, float(np.percentile(off[far < 0.5], 97)))
    return float(np.abs(middle - body).max()) < MIDDLE_UNLIKE * pips


def has_numeral(prediction: Prediction) -> bool:
    """Whether its symbol is a numeral and no face of pips."""
    return prediction.upright >= NUMERAL_UPRIGHT


def shows_what_tokens_show(prediction: Prediction) -> bool:
    """It shows what coins and tokens show too: one dot, or a numeral on a face without faces beside it."""
    kind, value = prediction.best
    if has_numeral(prediction):
        return kind in ONE_FACE_SEEN
    return (KINDS[kind], value) == ("d6", 1)


def features_of(die: Evidence) -> Floats:
    prediction, detection = die.prediction, die.detection
    return confidence_features(
        prediction.confidence,
        symbol=prediction.score,
        detection=detection.score,
        longer_px=detection.longer,
        no_die=prediction.no_die,
        token=shows_what_tokens_show(prediction),
    )


def confidence_features(
    best: float,
    *,
    symbol: float,
    detection: float,
    longer_px: float,
    no_die: float,
    token: bool,
) -> Floats:
    """The features (features,) of the logistic regression that is the confidence.

    `python -m training calibrate` fits its weights on frames of sources that the nets never saw, so that
    of the predictions with confidence p about the part p is right.

    Args:
        best: probability of the likeliest kind and value.
        symbol: score of the symbol that shows the value.
        detection: the detector's score.
        longer_px: longer side of the box in the frame.
        no_die: probability that it is no die. Blurred and worn dice have a higher one than sharp dice that
            are read as well, so it counts for tokens alone.
        token: it shows what coins and tokens show too.
    """
    size = np.log(max(8.0, longer_px) / USUAL_PX)
    suspicion = token * (logit(no_die) - USUAL_NO_DIE)
    return np.array([logit(best), logit(symbol), logit(detection), size, token, suspicion])


@dataclass(frozen=True, slots=True)
class ThrownWeights:
    """Weights of the logistic regression that is the confidence of a die that was seen to be thrown.

    All that can be wrong there is what is read, so it weighs that alone; `python -m training calibrate`
    fits it on dice, without what is none.
    """

    joint: float
    bias: float

    def probability(self, best: float) -> float:
        """Probability 0 … 1 that kind and value are right; `best` is their uncalibrated one."""
        return float(logistic(np.array([logit(best)]), np.array(astuple(self))))


@dataclass(frozen=True, slots=True)
class ConfidenceWeights:
    """Weights of this module's logistic regression: one for each feature, and the bias."""

    joint: float
    symbol: float
    detection: float
    size: float
    token: float
    token_no_die: float
    bias: float

    def probability(self, features: Floats) -> float:
        """Probability 0 … 1 that the prediction with these features, in their order, is right."""
        return float(logistic(features, np.array(astuple(self))))
