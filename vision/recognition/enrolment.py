"""Identifies the enrolled dice: what the nets predict, weighed with how like each enrolled face a die looks.

A prototype is the middle of one face in one photograph, as it lay, where the die net found its symbol. What
is compared with it is turned in steps all round and shifted a little; the likeness is their normalised
cross-correlation. Neither lettering nor its orientation need be known: any die with faces that differ can be
enrolled, even one with unknown symbols.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

import cv2
import numpy as np

from games.dice import ALIKE, EVERY_KIND, Die, every_face, place_of
from vision.reading import DieReading
from vision.recognition.classifiers import CROP_PX, CROP_SPAN, SYMBOL_PX, Floats, Pixels, Symbol, symbol_view
from vision.recognition.doubts import among_enrolled
from vision.recognition.enrolled import Comparison, EnrolledDice, Likeness, Prototype, turned
from vision.recognition.evidence import EnrolmentMatch

TURN_STEP_DEG: Final = 10
"""Step of the turns in which a face is compared. Smaller: slower, a little surer."""
ZOOMS: Final = (0.93, 1.07)
"""Zooms in which it is compared."""
SHIFTS: Final = ((0, 0), (3, 0), (-3, 0), (0, 3), (0, -3))
"""Shifts in pixels of the crop in which it is compared."""
FINE_PX: Final = 0.7
"""Standard deviation in pixels of the crop of what is smoothed."""
COARSE_PX: Final = 6.7
"""Standard deviation in pixels of the crop of the shading that is taken out."""
MOST_PLACES: Final = 2
"""Most symbols that are compared, beside the middle of the box."""
SAME_TINT: Final = 3.0
"""Distance of colours (L*a*b*) under which they are the same."""
DISC = (
    cv2.circle(
        np.zeros((SYMBOL_PX, SYMBOL_PX), np.uint8), (SYMBOL_PX // 2,) * 2, SYMBOL_PX // 2 - 1, 1, cv2.FILLED
    )
    > 0
)
"""What of a view is compared: what lies in the circle stays there however it is turned."""
WITHIN = DISC.ravel().astype(np.float32)
"""`DISC` as numbers (SYMBOL_PX²,), 1 within it."""
SPAN = 0.45 * CROP_PX / CROP_SPAN
"""Pixels of the crop along what is compared: not half the die's box."""


def compared(crop: Pixels, symbols: Sequence[Symbol], enrolled: EnrolledDice) -> Comparison:
    """How much the die in a crop looks like each enrolled picture; its symbols come best first."""
    places = middles(symbols)
    return enrolled.compared(views(crop, places), tint(crop, *places[0]))


def identify(
    comparison: Comparison,
    joint: Floats,
    die: DieReading,
    enrolled: EnrolledDice,
    weights: EnrolmentWeights,
    *,
    clear: bool,
) -> DieReading:
    """The reading of a die in the light of the enrolled ones; `die` is its reading without them.

    `comparison` is from `compared`, `joint` as in `match`. `clear`: it is a whole flat die.
    """
    best_match = match(enrolled.likeness(comparison), joint, weights)
    which = partial(enrolled.which, best_match.die, comparison, partial(own, weights))
    return among_enrolled(die, best_match, enrolled.shows, which, clear=clear)


def match(like: Likeness, joint: Floats, weights: EnrolmentWeights) -> EnrolmentMatch:
    """The likeliest face, by the likeness to each and the nets' joint probabilities.

    `joint` (EVERY_KIND, VALUES) is of the kinds, and the places of the values among those of a kind.
    """

    def net(die: Die) -> float:
        return float(joint[EVERY_KIND.index(die[0]), place_of(die)])

    read = np.array([net(die) for die in like.dice])
    logits = weights.read * np.log(read + weights.floor) + weights.alike * like.alike
    logits += weights.plainly * np.maximum(0.0, like.alike - weights.striking)
    shares = np.exp(logits - logits.max())
    shares /= shares.sum()
    i = int(shares.argmax())
    kinds = joint.sum(1)
    own_kinds = {kind for kind, _ in like.dice}
    likeliest = EVERY_KIND[int(kinds.argmax())]
    is_enrolled = not own_kinds.isdisjoint((likeliest, ALIKE.get(likeliest)))
    likeness = own(weights, float(like.alike[i]), float(like.tinted[i]))
    # A three looks much like a five: a face without a picture may look as alike as the best that has one.
    lacking = [face for face in every_face(sorted(own_kinds)) if face not in like.dice]
    others = sum(net(die) ** weights.read for die in lacking)
    against_others = 1 / (1 + shares[i] * others / (read[i] + weights.floor) ** weights.read)
    return EnrolmentMatch(
        like.dice[i],
        float(shares[i]),
        float(shares[i] * against_others),
        likeness,
        0.0 if is_enrolled else float(kinds.max()),
    )


def own(weights: EnrolmentWeights, alike: float, tinted: float) -> float:
    """How much likeness and the distance of the colours speak for an enrolled die, as a logit."""
    return float(weights.own_alike * alike + weights.own_tint * np.log(max(SAME_TINT, tinted)))


def middles(symbols: Sequence[Symbol]) -> list[tuple[float, float]]:
    """About which places of a crop the value may be, the likeliest first."""
    return [(symbol.x, symbol.y) for symbol in symbols[:MOST_PLACES]] + [(CROP_PX / 2, CROP_PX / 2)]


def relief(crop: Pixels) -> Floats:
    """The crop without its colours and its shading, float32."""
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY).astype(np.float32)
    fine, coarse = (cv2.GaussianBlur(grey, (0, 0), sigma) for sigma in (FINE_PX, COARSE_PX))
    return np.asarray(fine - coarse)


def square(relief: Floats, x: float, y: float, turn_deg: float = 0.0, zoom: float = 1.0) -> Floats:
    """The square of a relief about (x, y), turned and zoomed: float32, SYMBOL_PX × SYMBOL_PX."""
    return cv2.warpAffine(
        relief,
        symbol_view(x, y, zoom * SPAN, turn_deg),
        (SYMBOL_PX, SYMBOL_PX),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )


def discs(squares: Sequence[Floats]) -> Floats:
    """The discs in squares of a relief as numbers (n, SYMBOL_PX²) of mean 0 and length 1, float32."""
    flat = np.stack(squares).reshape(len(squares), -1)
    inner = (flat - flat @ WITHIN[:, None] / WITHIN.sum()) * WITHIN
    return np.asarray(inner / (np.sqrt(np.einsum("ij,ij->i", inner, inner))[:, None] + np.float32(1e-3)))


def tint(crop: Pixels, x: float, y: float) -> Floats:
    """The mean colour (3,) of the disc about (x, y), as L*a*b*."""
    within = cv2.circle(np.zeros(crop.shape[:2], np.uint8), (round(x), round(y)), round(SPAN / 2), 1, -1)
    lab = cv2.cvtColor(crop.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    return np.asarray(lab[within > 0].mean(0), np.float32)


def views(crop: Pixels, places: Sequence[tuple[float, float]]) -> Floats:
    """How a die looks in every turn, zoom and shift that is compared, (n, SYMBOL_PX²).

    Its product with a prototype's relief is their correlation: of a square only what lies in the disc counts
    there, and its mean does not, as the relief is 0 beyond the disc and 0 in the mean.
    """
    flat = relief(crop)
    turned = [
        square(flat, x + right, y + down, turn_deg, zoom)
        for x, y in places
        for turn_deg in range(0, 360, TURN_STEP_DEG)
        for zoom in ZOOMS
        for right, down in SHIFTS
    ]
    squares = np.stack(turned).reshape(len(turned), -1)
    sums = squares @ WITHIN
    length = np.sqrt(np.maximum(0.0, (squares * squares) @ WITHIN - sums**2 / WITHIN.sum()))
    squares /= length[:, None] + np.float32(1e-3)
    return squares


def likest_face(number: int, own: EnrolledDice) -> tuple[Die, float]:
    """The face of the other pictures that an enrolled picture looks like most, and how alike they are.

    Raises ValueError if there is no other picture.
    """
    alike = (own.reliefs @ turned(own.reliefs[number], TURN_STEP_DEG).T).max(1)
    alike[number] = -np.inf
    if not np.isfinite(alike).any():
        raise ValueError("there is no other picture")
    best = int(alike.argmax())
    return own.shows[best], float(alike[best])


def prototype(crop: Pixels, symbols: Sequence[Symbol]) -> Prototype:
    """The face of a die as it lies."""
    x, y = middles(symbols)[0]
    return Prototype(discs([square(relief(crop), x, y)])[0], tint(crop, x, y))


@dataclass(frozen=True, slots=True)
class EnrolmentWeights:
    """Weights of a conditional logit over the enrolled faces (docs/research/trials.md).

    `read` weighs the logarithm of the nets' probability of a face (at least `floor`), `alike` its likeness,
    `plainly` that beyond `striking`; `own_alike` and `own_tint` weigh likeness and the logarithm of the
    colours' distance for whether it is an enrolled die at all.
    """

    read: float
    alike: float
    plainly: float
    striking: float
    floor: float
    own_alike: float
    own_tint: float
