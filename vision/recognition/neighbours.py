"""Reads the numerals beside the top of a d20, which tell its value too: nearly all makers number it alike.

Only a d20 shows the faces next to its top well enough. Where they are follows from the solid: how far the
top's middle lies off the box's tells from which side the camera sees the die.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from games.dice import FACES, KINDS, SOLIDS
from vision.recognition.crops import CROP_PX, CROP_SPAN, SYMBOL_PX, SYMBOL_SPAN, Pixels, warp
from vision.recognition.outputs import VALUES

if TYPE_CHECKING:
    from vision.recognition.die_classifier import Symbol
    from vision.recognition.symbol_classifier import SymbolClassifier

Floats: TypeAlias = npt.NDArray[Any]

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
    found = np.zeros((VALUES, VALUES))
    for one in solid.faces:
        for other in solid.faces:
            found[one.value, other.value] = len(set(one.corners) & set(other.corners)) == 2
    return found


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
        seen = turn @ normal
        for way in ups:
            stands = turn @ way
            across = np.cross(stands, seen)
            views.append(_view(crop, seen, across, stands, (right, ahead), top.span))
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

    def flat(at: Floats) -> Floats:
        return np.asarray(at[0] * right + at[1] * ahead)

    middle = np.full(2, CROP_PX / 2) + RADIUS * flat(normal)
    step = SYMBOL_SPAN * span / SYMBOL_PX
    towards = np.stack([step * flat(across), -step * flat(stands)], 1)
    start = middle - towards @ np.full(2, SYMBOL_PX / 2)
    back = np.hstack([towards, start[:, None]])
    return warp(crop, cv2.invertAffineTransform(back), SYMBOL_PX)


def likelihoods(predictions: Floats, standard: float, misread: float) -> Floats:
    """How likely the numerals beside the top are for each value of a d20, (VALUES - 1,); 1 tells nothing.

    `predictions` is (3, VALUES); `standard` the part of all d20 that are numbered as usual, `misread` the
    likelihood of what that numbering does not allow.
    """
    faces = FACES["d20"]
    allowed = numbered_beside()[1:, 1:]
    told = predictions[:, :1] + faces / 3 * (predictions[:, 1:] @ allowed.T)
    return np.asarray(standard * np.prod(told + misread, axis=0) + 1 - standard)
