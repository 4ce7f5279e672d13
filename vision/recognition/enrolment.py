"""Identifies the enrolled dice: what the nets predict, weighed with how like each enrolled face a die looks.

A prototype is the middle of one face in one photograph, as it lay, where the die net found its symbol. What
is compared with it is turned in steps all round and shifted a little; the likeness is their normalised
cross-correlation. Neither lettering nor its orientation need be known: any die with faces that differ can be
enrolled, also one whose signs nobody else can read.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from games.dice import KINDS, Die
from vision.reading import DieReading, Doubt
from vision.recognition.classifiers import CROP_PX, CROP_SPAN, SYMBOL_PX, Pixels, symbol_view
from vision.recognition.doubts import is_unknown, looks_like_another_face
from vision.recognition.enrolled import Prototype

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.fitted import EnrolmentWeights
    from vision.recognition.classifiers import Symbol
    from vision.recognition.enrolled import EnrolledDice, Likeness
    from vision.settings import DoubtSettings, EnrolmentSettings

Floats: TypeAlias = npt.NDArray[Any]
DISC = (
    cv2.circle(
        np.zeros((SYMBOL_PX, SYMBOL_PX), np.uint8), (SYMBOL_PX // 2,) * 2, SYMBOL_PX // 2 - 1, 1, cv2.FILLED
    )
    > 0
)
"""What of a view is compared: what lies in the circle stays there however it is turned."""
WITHIN = DISC.ravel().astype(np.float32)
"""The same as numbers (SYMBOL_PX²,), 1 within it."""
SPAN = 0.45 * CROP_PX / CROP_SPAN
"""Pixels of the crop along what is compared: not half the die's box."""


class EnrolmentMatch(NamedTuple):
    """The enrolled face that a die most likely shows.

    The probability of it; the logit that the die is an enrolled one at all; and the probability of its
    kind if none of that kind is enrolled, else 0.
    """

    die: Die
    probability: float
    likeness: float
    kind_elsewhere: float


class ComparedDie(NamedTuple):
    """A recognized die that is compared with the enrolled ones.

    Its crop, its symbols (best first), the nets' joint probabilities (kinds, VALUES), and whether it is a
    whole flat die.
    """

    crop: Pixels
    symbols: Sequence[Symbol]
    joint: Floats
    clear: bool


def identify(
    seen: ComparedDie,
    die: DieReading,
    enrolled: EnrolledDice,
    weights: EnrolmentWeights,
    settings: EnrolmentSettings,
    doubts: DoubtSettings,
) -> DieReading:
    """The reading of a die in the light of the enrolled ones; `die` is its reading without them.

    A sure reading of a face that was not enrolled stays, unless the die looks like one that was: then it is
    neither.
    """
    places = middles(seen.symbols, settings)
    looks, colour = views(seen.crop, places, settings), tint(seen.crop, *places[0])
    like = enrolled.likeness(looks, colour)
    found = match(like, seen.joint, weights, settings.same_tint)
    if is_unknown(found.likeness, found.kind_elsewhere, doubts):
        return replace(die, doubt=Doubt.UNKNOWN_DIE)
    confirmed = die.sure and (die.kind, die.value) == found.die
    foreign = die.sure and (die.kind, die.value) not in enrolled.shows
    if confirmed or (seen.clear and not foreign and found.probability >= doubts.known):
        kind, value = found.die
        confidence = max(found.probability, die.confidence if confirmed else 0.0)
        which = enrolled.which(found.die, looks, colour, partial(own, weights, settings.same_tint))
        return replace(die, kind=kind, value=value, confidence=confidence, doubt=None, die_id=which)
    if die.kind is None or die.value is None or not die.sure:
        return die
    read = (die.kind, die.value)
    if looks_like_another_face(read, found.die, found.probability, enrolled.shows, doubts):
        return replace(die, doubt=Doubt.LIKE_ANOTHER_FACE)
    return die


def match(like: Likeness, joint: Floats, weights: EnrolmentWeights, same_tint: float) -> EnrolmentMatch:
    """The likeliest face, by the likeness to each and the nets' joint probabilities (kinds, VALUES)."""
    read = np.array([joint[KINDS.index(kind), value] for kind, value in like.dice])
    logits = weights.read * np.log(read + weights.floor) + weights.alike * like.alike
    logits += weights.plainly * np.maximum(0.0, like.alike - weights.striking)
    shares = np.exp(logits - logits.max())
    shares /= shares.sum()
    i = int(shares.argmax())
    kinds = joint.sum(1)
    is_enrolled = KINDS[int(kinds.argmax())] in {kind for kind, _ in like.dice}
    likeness = own(weights, same_tint, float(like.alike[i]), float(like.tinted[i]))
    return EnrolmentMatch(
        like.dice[i], float(shares[i]), likeness, 0.0 if is_enrolled else float(kinds.max())
    )


def own(weights: EnrolmentWeights, same_tint: float, alike: float, tinted: float) -> float:
    """How much likeness and the distance of the colours speak for an enrolled die, as a logit."""
    return float(weights.own_alike * alike + weights.own_tint * np.log(max(same_tint, tinted)))


def middles(symbols: Sequence[Symbol], settings: EnrolmentSettings) -> list[tuple[float, float]]:
    """About which places of a crop the value may be, the likeliest first."""
    return [(one.x, one.y) for one in symbols[: settings.symbols]] + [(CROP_PX / 2, CROP_PX / 2)]


def relief(crop: Pixels, settings: EnrolmentSettings) -> Floats:
    """The crop without its colours and its shading, float32."""
    grey = cv2.cvtColor(crop, cv2.COLOR_BGR2GRAY).astype(np.float32)
    fine, coarse = (cv2.GaussianBlur(grey, (0, 0), sigma) for sigma in (settings.fine, settings.coarse))
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


def views(crop: Pixels, places: Sequence[tuple[float, float]], settings: EnrolmentSettings) -> Floats:
    """How a die looks in every turn, zoom and shift that is compared, (n, SYMBOL_PX²)."""
    flat = relief(crop, settings)
    return discs(
        [
            square(flat, x + right, y + down, turn_deg, zoom)
            for x, y in places
            for turn_deg in range(0, 360, settings.turn_step_deg)
            for zoom in settings.zooms
            for right, down in settings.shifts
        ]
    )


def likest_face(number: int, own: EnrolledDice, settings: EnrolmentSettings) -> tuple[Die, float]:
    """The face of the other pictures that an enrolled picture looks like most, and how alike they are.

    Raises:
        ValueError: there is no other picture.
    """
    relief = own.reliefs[number].reshape(SYMBOL_PX, SYMBOL_PX).astype(np.float32)
    middle = (SYMBOL_PX / 2, SYMBOL_PX / 2)
    turned = [
        cv2.warpAffine(relief, cv2.getRotationMatrix2D(middle, turn_deg, 1.0), (SYMBOL_PX, SYMBOL_PX)).ravel()
        for turn_deg in range(0, 360, settings.turn_step_deg)
    ]
    alike = (own.reliefs @ np.stack(turned).T).max(1)
    alike[number] = -np.inf
    if not np.isfinite(alike).any():
        raise ValueError("there is no other picture")
    best = int(alike.argmax())
    return own.shows[best], float(alike[best])


def prototype(crop: Pixels, symbols: Sequence[Symbol], settings: EnrolmentSettings) -> Prototype:
    """The face of a die as it lies."""
    x, y = middles(symbols, settings)[0]
    return Prototype(discs([square(relief(crop, settings), x, y)])[0], tint(crop, x, y))
