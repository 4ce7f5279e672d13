"""The table's own dice are known again: what the nets read, weighed with how like each own face a find looks.

A prototype is the middle of one face in one photograph, as it lay, where the net for whole dice found its
mark. What is compared with it is turned in steps all round and shifted a little; the likeness is their
normalised cross-correlation. Neither lettering nor its way up need be known: any die with faces that differ
can be enrolled, also one whose signs nobody else can read.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

from games.dice import KINDS, Die
from vision.reading import DieReading, Doubt
from vision.recognition.crops import MARK, ROOM, STORED, Pixels, mark_view
from vision.recognition.die_classifier import look
from vision.recognition.doubts import is_unknown, looks_like_another_face
from vision.recognition.enrolled import OwnDice, Prototype
from vision.recognition.fusion import stored_crop

if TYPE_CHECKING:
    from vision.detection.detections import Candidate
    from vision.recognition.enrolled import Likeness
    from vision.settings import DoubtSettings

Floats: TypeAlias = npt.NDArray[Any]

DISC = cv2.circle(np.zeros((MARK, MARK), np.uint8), (MARK // 2, MARK // 2), MARK // 2 - 1, 1, -1) > 0
"""What of a view is compared: what lies in the circle stays there however it is turned."""
SPAN = 0.45 * STORED / ROOM
"""Pixels of the stored crop along what is compared: not half the die's box."""
TURNS_DEG = range(0, 360, 10)
ZOOMS = (0.93, 1.07)
SHIFTS = ((0, 0), (3, 0), (-3, 0), (0, 3), (0, -3))
"""How a face is turned, stretched and shifted (in pixels of the stored crop) to be compared."""
FINE, COARSE = 0.7, 6.7
"""Standard deviations in pixels of the stored crop: of what is smoothed, and of the shading that goes."""
MARKS = 2
"""Most marks that what is compared lies about, beside the middle of the box."""
READ, ALIKE, PLAINLY = 0.69, 6.91, 15.49
"""What the logarithm of the nets' probability of a face weighs, its likeness, and that beyond STRIKING …"""
STRIKING = 0.7
LEAST = 1e-4
"""… and the least probability. Those of a conditional logit over the own faces (docs/research/trials.md)."""
OWN_ALIKE, OWN_TINT = 5.79, -1.34
"""Weights of the likeness and of the logarithm of the colour's distance."""
SAME_TINT = 3.0
"""Distance of colours under which they are the same."""


class Recognized(NamedTuple):
    """The own face that a find likeliest shows.

    The probability of it; the log odds that the find is an own die at all; and the probability of its kind
    if none of that kind is enrolled, else 0.
    """

    die: Die
    probability: float
    likeness: float
    kind_elsewhere: float


def known_again(
    frame: Pixels,
    candidate: Candidate,
    joint: Floats,
    die: DieReading,
    own: OwnDice,
    *,
    settings: DoubtSettings,
    clear: bool,
) -> DieReading:
    """The reading of a find, in the light of the own dice.

    A sure reading of a face that was not enrolled stays, unless the find is known as one that was: then it is
    neither.

    Args:
        frame: uint8, H×W×3, BGR.
        candidate: where the find is.
        joint: the nets' probabilities (kinds, VALUES) of what it shows.
        die: what is told of it without the own dice.
        own: those dice.
        settings: when it is doubted.
        clear: whether it is whole, lies flat and is surely a die, so that it may be sure.
    """
    found = recognized(own.likeness(*seen(stored_crop(frame, candidate))), joint)
    if is_unknown(found.likeness, found.kind_elsewhere, settings):
        return replace(die, doubt=Doubt.UNKNOWN_DIE)
    confirmed = die.sure and (die.kind, die.value) == found.die
    foreign = die.sure and (die.kind, die.value) not in own.shows
    if confirmed or (clear and not foreign and found.probability >= settings.known):
        kind, value = found.die
        confidence = max(found.probability, die.confidence if confirmed else 0.0)
        return DieReading(kind, value, confidence, die.box)
    if die.kind is None or die.value is None or not die.sure:
        return die
    read = (die.kind, die.value)
    if looks_like_another_face(read, found.die, found.probability, own.shows, settings):
        return replace(die, doubt=Doubt.LIKE_ANOTHER_FACE)
    return die


def recognized(like: Likeness, joint: Floats) -> Recognized:
    """What a find is, by its likeness to the own faces and the nets' probabilities (kinds, VALUES)."""
    read = np.array([joint[KINDS.index(kind), value] for kind, value in like.dice])
    weights = READ * np.log(read + LEAST) + ALIKE * like.alike
    weights += PLAINLY * np.maximum(0.0, like.alike - STRIKING)
    shares = np.exp(weights - weights.max())
    shares /= shares.sum()
    i = int(shares.argmax())
    kinds = joint.sum(1)
    enrolled = KINDS[int(kinds.argmax())] in {kind for kind, _ in like.dice}
    elsewhere = 0.0 if enrolled else float(kinds.max())
    own = OWN_ALIKE * like.alike[i] + OWN_TINT * np.log(max(SAME_TINT, like.tinted[i]))
    return Recognized(like.dice[i], float(shares[i]), float(own), elsewhere)


def middles(stored: Pixels) -> list[tuple[float, float]]:
    """About which places of a stored crop the value may be written, the likeliest first."""
    marks = look(stored).marks[:MARKS]
    return [(mark.x, mark.y) for mark in marks] + [(STORED / 2, STORED / 2)]


def relief(stored: Pixels) -> Floats:
    """The stored crop without its colours and its shading, float32."""
    grey = cv2.cvtColor(stored, cv2.COLOR_BGR2GRAY).astype(np.float32)
    return np.asarray(cv2.GaussianBlur(grey, (0, 0), FINE) - cv2.GaussianBlur(grey, (0, 0), COARSE))


def disc(relief: Floats, x: float, y: float, turn_deg: float = 0.0, zoom: float = 1.0) -> Floats:
    """The disc of a relief about (x, y) as numbers (MARK²,) of mean 0 and length 1."""
    view = cv2.warpAffine(
        relief,
        mark_view(x, y, zoom * SPAN, turn_deg),
        (MARK, MARK),
        flags=cv2.INTER_LINEAR,
        borderMode=cv2.BORDER_REPLICATE,
    )
    inner = (view - view[DISC].mean()) * DISC
    return np.asarray((inner / (np.linalg.norm(inner) + 1e-3)).ravel(), np.float32)


def tint(stored: Pixels, x: float, y: float) -> Floats:
    """The mean colour (3,) of the disc about (x, y), as L*a*b*."""
    within = cv2.circle(np.zeros(stored.shape[:2], np.uint8), (round(x), round(y)), round(SPAN / 2), 1, -1)
    lab = cv2.cvtColor(stored.astype(np.float32) / 255, cv2.COLOR_BGR2LAB)
    return np.asarray(lab[within > 0].mean(0), np.float32)


def seen(stored: Pixels) -> tuple[Floats, Floats]:
    """How a find looks: in every turn, zoom and shift that is compared (n, MARK²), and its colour (3,)."""
    flat, places = relief(stored), middles(stored)
    views = [
        disc(flat, x + right, y + down, turn, zoom)
        for x, y in places
        for turn in TURNS_DEG
        for zoom in ZOOMS
        for right, down in SHIFTS
    ]
    return np.stack(views), tint(stored, *places[0])


def prototype(frame: Pixels, candidate: Candidate) -> Prototype:
    """The face of a find as it lies."""
    stored = stored_crop(frame, candidate)
    x, y = middles(stored)[0]
    return Prototype(disc(relief(stored), x, y), tint(stored, x, y))
