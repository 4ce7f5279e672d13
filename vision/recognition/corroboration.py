"""Evidence for the value of a top besides its numeral: a line or dot by a 6 or 9, and the numerals beside."""

from dataclasses import replace
from functools import cache
from typing import Final, NamedTuple

import cv2
import numpy as np

from games.dice import FACES, KINDS, SOLIDS
from vision.recognition.classifiers import (
    CROP_PX,
    CROP_SPAN,
    SYMBOL_PX,
    SYMBOL_SPAN,
    VALUES,
    Floats,
    Pixels,
    SixNineClassifier,
    Symbol,
    SymbolClassifier,
    warp,
)
from vision.recognition.fusion import NINE, SIX, TWO_WAYS, Looks, Prediction

READ_AGAIN: Final = 0.03
"""Probability of a 6 or 9, or of a d20, from which a top is looked at again. Lower: slower."""
REVERSED: Final = 0.02
"""The part of the d12 and d20 whose numerals stand upside down against the usual: the way up alone makes a 6
or 9 no surer than that."""
D10_REVERSED: Final = 0.3
"""The part of the d10 whose numerals stand upside down against the usual: makers differ more in it."""
D12_LINE: Final = 6.0
"""Log odds of a line or dot of a d12 under which it counts for nothing, for nothing beside the top bears it
out. Lower: more that have neither are sure, and some of them are the other one."""
PLAIN_SHAPE: Final = 0.95
"""Probability that a 6 or 9, set upright by its line or dot, is not the other one by its shape. Under it the
line or dot counts for nothing. Higher: fewer blotted ones are read as the other one, more are asked for."""
LEGIBLE_SHAPE: Final = 0.9
"""Probability of the value, set upright so, under which the line or dot counts for nothing either. Higher:
fewer blurred ones are read as the other one, more are asked for."""
SAME_BOTH_WAYS: Final = 0.3
"""Probability that upside down it is the same value again, from which the line or dot counts for nothing: a
6 upside down is a 9. Lower: the same."""
OTHER_BESIDE: Final = 30.0
"""How many times better the numerals beside the top must fit another value than the one that was read, to
contradict it. Lower: more worn numerals are found out, more dice that are not numbered as usual are
doubted."""
RULED_OUT: Final = 0.1
"""Probability of a value under which its numeral rules it out. Higher: more contradictions."""
OFF_MIDDLE: Final = 0.6
"""How far a symbol may lie off the middle of a d20, in parts of the distance from there to a face, to be on
top."""
STANDARD: Final = 0.9
"""The part of all d20 that are numbered as usual."""
MISREAD: Final = 0.03
"""Likelihood of a numeral beside the top that this numbering does not allow. Higher: one that is misread
counts less."""
D20: Final = KINDS.index("d20")
RADIUS: Final = CROP_PX / CROP_SPAN / 2 / 1.2
"""Pixels of the crop from the middle of a d20 to the middle of one of its faces."""


class Beside(NamedTuple):
    """The faces next to one: their normals (3, 3), and in each the ways that numerals may stand (3, 3, 3).

    The face itself has the normal (0, 0, 1), and its numeral stands along (0, 1, 0).
    """

    normals: Floats
    ups: Floats


@cache
def beside() -> Beside:
    """The faces beside the top of any d20: all of its faces are alike."""
    (solid,) = SOLIDS["d20"]
    top = solid.faces[0]
    normal, up = np.array(top.normal), np.array(top.symbols[0].up)
    frame = np.array([np.cross(up, normal), up, normal])
    corners = np.array(solid.vertices_mm)
    near = [face for face in solid.faces if len(set(face.corners) & set(top.corners)) == 2]
    normals = np.array([frame @ np.array(face.normal) for face in near])
    ups = np.array(
        [
            [frame @ _way(corners[c], corners[list(face.corners)].mean(0)) for c in face.corners]
            for face in near
        ]
    )
    return Beside(normals, ups)


def _way(end: Floats, start: Floats) -> Floats:
    return np.asarray((end - start) / np.linalg.norm(end - start))


@cache
def numbered_beside() -> Floats:
    """Whether a value stands beside another on a d20 numbered as usual, (VALUES, VALUES)."""
    (solid,) = SOLIDS["d20"]
    beside_each = np.zeros((VALUES, VALUES))
    for face in solid.faces:
        for neighbour in solid.faces:
            beside_each[face.value, neighbour.value] = len(set(face.corners) & set(neighbour.corners)) == 2
    return beside_each


def read_beside(
    crop: Pixels, top: Symbol, up_deg: float, classifier: SymbolClassifier, off_middle: float
) -> Floats | None:
    """Probabilities (3, VALUES) of the numerals beside the top, of nothing legible first.

    None where the top lies farther off the middle than `off_middle`, in parts of RADIUS: then it is none.
    """
    up = np.radians(up_deg)
    right = np.array([np.sin(up), np.cos(up)])  # of the numeral, in the crop's right and down
    ahead = np.array([np.cos(up), -np.sin(up)])
    off = (np.array([top.x, top.y]) - CROP_PX / 2) / RADIUS
    if float(np.hypot(*off)) > off_middle:
        return None
    lean = np.array([off @ right, off @ ahead])
    turn = _leaning(lean)
    faces = beside()
    views = []
    for normal, ups in zip(faces.normals, faces.ups, strict=True):
        outward = turn @ normal
        for way in ups:
            stands = turn @ way
            across = np.cross(stands, outward)
            views.append(_view(crop, outward, across, stands, (right, ahead), top.span))
    predictions = classifier.predict_views(views).reshape(len(faces.normals), 3, VALUES)
    legible = 1 - predictions[..., 0] + 1e-4
    share = legible**2 / (legible**2).sum(1, keepdims=True)
    return np.asarray((share[..., None] * predictions).sum(1))


def _leaning(lean: Floats) -> Floats:
    """The rotation that takes (0, 0, 1) to where it is seen at `lean`, by the shortest way."""
    x, y = lean
    z = float(np.sqrt(max(0.05, 1 - x * x - y * y)))
    return np.array(
        [[1 - x * x / (1 + z), -x * y / (1 + z), x], [-x * y / (1 + z), 1 - y * y / (1 + z), y], [-x, -y, z]]
    )


def _view(
    crop: Pixels, normal: Floats, across: Floats, stands: Floats, axes: tuple[Floats, Floats], span: float
) -> Pixels:
    """The upright view of a numeral on the face with this normal."""
    right, ahead = axes

    def flat(vector: Floats) -> Floats:
        return np.asarray(vector[0] * right + vector[1] * ahead)

    middle = np.full(2, CROP_PX / 2) + RADIUS * flat(normal)
    step = SYMBOL_SPAN * span / SYMBOL_PX
    towards = np.stack([step * flat(across), -step * flat(stands)], 1)
    start = middle - towards @ np.full(2, SYMBOL_PX / 2)
    back = np.hstack([towards, start[:, None]])
    return warp(crop, cv2.invertAffineTransform(back), SYMBOL_PX)


def likelihoods(predictions: Floats, standard: float, misread: float) -> Floats:
    """How likely the numerals beside the top are for each value of a d20, (VALUES - 1,); 1 means nothing.

    `predictions` is (3, VALUES); `standard` the part of all d20 that are numbered as usual, `misread` the
    likelihood of what that numbering does not allow.
    """
    faces = FACES["d20"]
    allowed = numbered_beside()[1:, 1:]
    fits = predictions[:, :1] + faces / 3 * (predictions[:, 1:] @ allowed.T)
    return np.asarray(standard * np.prod(fits + misread, axis=0) + 1 - standard)


SIX_NINE: Final = (SIX, NINE)
D10: Final = KINDS.index("d10")
D12: Final = KINDS.index("d12")
UPSIDE_DOWN: Final = {D10: tuple(range(1, VALUES)), D12: SIX_NINE}
"""What a numeral upside down may be: makers differ in the way up of a d10's numerals, and a 6 or 9 of a d12
may be worn or blotted so that it is legible upside down alone."""


class Corroborators(NamedTuple):
    """The nets that look at a top again."""

    symbols: SymbolClassifier
    six_nine: SixNineClassifier

    def corroborated(self, prediction: Prediction, crop: Pixels, looks: Looks | None = None) -> Prediction:
        """The prediction in the light of what stands by the symbol and beside the top.

        `looks` are what nets said of the crop already.
        """
        if prediction.symbol is None:
            return prediction
        looks = looks or Looks()
        joint = self._by_line_or_dot(prediction, crop, looks)
        like = self._beside(prediction, crop, looks)
        differs = like is not None and self._differs(joint, like)
        if like is not None:
            joint[D20, 1:] *= like
            joint /= joint.sum()
        kind, value = np.unravel_index(int(joint.argmax()), joint.shape)
        both = joint[kind, list(SIX_NINE)].sum()
        six_nine = float(joint[kind, value] / both) if kind in TWO_WAYS and value in SIX_NINE else 1.0
        beside = float(np.log(like[value - 1])) if like is not None and kind == D20 else 0.0
        return replace(
            prediction,
            joint=joint,
            six_nine=six_nine,
            upside_down=self._upside_down(prediction, crop, (int(kind), int(value)), looks),
            beside=beside,
            beside_differs=differs,
        )

    def _upside_down(
        self, prediction: Prediction, crop: Pixels, best: tuple[int, int], looks: Looks
    ) -> float:
        """The probability of another value by the symbol upside down; 0 where no maker sets it so."""
        kind, value = best
        others = [reverse for reverse in UPSIDE_DOWN.get(kind, ()) if reverse != value]
        if prediction.symbol is None or not others or value in SIX_NINE:
            return 0.0
        view = (prediction.symbol, prediction.up_deg + 180)
        (values,) = looks.once(view, lambda: self.symbols.predict_all(crop, [view]))
        return float(values[others].max())

    def _differs(self, joint: Floats, like: Floats) -> bool:
        """Whether what stands beside the top of a d20 belongs to a value that its own numeral rules out."""
        kind, value = np.unravel_index(int(joint.argmax()), joint.shape)
        strongest = int(like.argmax())
        ruled_out = float(joint[D20, strongest + 1]) < RULED_OUT
        fits = float(like[strongest]) > OTHER_BESIDE * float(like[value - 1])
        return bool(kind == D20 and ruled_out and fits)

    def _by_line_or_dot(self, prediction: Prediction, crop: Pixels, looks: Looks) -> Floats:
        """The joint probabilities, those of 6 and 9 shared out anew by the way up and by the line or dot."""
        joint = prediction.joint.copy()
        both = joint[:, SIX] + joint[:, NINE]
        if both[list(TWO_WAYS)].sum() < READ_AGAIN or prediction.symbol is None:
            return joint
        marked = prediction.read_as in SIX_NINE
        logit = self._six(prediction, prediction.symbol, crop, looks) if marked else 0.0
        for kind in TWO_WAYS:
            least = D10_REVERSED if kind == D10 else REVERSED
            line = 0.0 if kind == D12 and abs(logit) < D12_LINE else logit
            six = float(np.clip(joint[kind, SIX] / max(both[kind], 1e-12), least, 1 - least))
            six = 1 / (1 + (1 - six) / six * float(np.exp(-line)))
            joint[kind, SIX], joint[kind, NINE] = both[kind] * six, both[kind] * (1 - six)
        return joint

    def _six(self, prediction: Prediction, symbol: Symbol, crop: Pixels, looks: Looks) -> float:
        """The logit of a 6 by the line or dot; 0 if the numeral, set upright so, is no plain one."""
        up_deg = prediction.up_deg
        logit = looks.once(("line", symbol, up_deg), lambda: self.six_nine.upright(crop, symbol, up_deg))
        stands = logit > 0
        value = prediction.read_as if stands else SIX + NINE - prediction.read_as
        both = [(symbol, up_deg), (symbol, up_deg + 180)]
        ahead = looks.once(("both", *both), lambda: self.symbols.predict_all(crop, both))
        upright, reverse = ahead if stands else ahead[::-1]
        either = float(upright[list(SIX_NINE)].sum())
        plain = max(LEGIBLE_SHAPE, PLAIN_SHAPE * either)
        if upright[value] < plain or reverse[value] >= SAME_BOTH_WAYS:
            return 0.0
        return logit if prediction.read_as == SIX else -logit

    def _beside(self, prediction: Prediction, crop: Pixels, looks: Looks) -> Floats | None:
        """How likely what stands beside the top is for each value of a d20; None where it may be none."""
        top, up_deg = prediction.symbol, prediction.up_deg
        if top is None or prediction.joint[D20].sum() < READ_AGAIN:
            return None
        read = looks.once(
            ("beside", top, up_deg), lambda: read_beside(crop, top, up_deg, self.symbols, OFF_MIDDLE)
        )
        return None if read is None else likelihoods(read, STANDARD, MISREAD)
