"""Reads six-sided dice with pips: pips, then faces, then bodies, then how sure each is."""

from __future__ import annotations

from dataclasses import dataclass

import cv2
import numpy as np

from vision.bodies import Body, Sizes, look_around
from vision.faces import PLACES, Face, find_faces
from vision.pips import Floats, Pips, find_pips
from vision.reading import Box, DieReading, Image

SURE = 0.5
"""Confidence from which a value may be played."""
TILT = 0.74
"""Least ratio of a top face's two axes: below it the face leans away by over 42° and may be a side of the die."""


LINE = np.linspace(-1.2, 1.2, 19)
"""Where a face is sampled along each axis, in grid steps."""


@dataclass(frozen=True, slots=True)
class Top:
    """A face with the body around it and how likely they are the top of a die showing that value."""

    face: Face
    body: Body
    confidence: float

    @property
    def half_side(self) -> float:
        """Half the side of the die's top, in pixels."""
        step = float(np.sqrt(abs(np.linalg.det(self.face.axes))))
        return step * mean_side(self.body)


def mean_side(body: Body) -> float:
    finite = body.sides[np.isfinite(body.sides)]
    return float(finite.mean()) if len(finite) else 2.0


def read_pip_dice(grey: Image) -> list[DieReading]:
    """The pip dice of a grey frame (H×W uint8), doubtful ones too, in no order."""
    pips = find_pips(grey)
    soft = np.asarray(cv2.GaussianBlur(grey, (3, 3), 0), np.uint8)
    sizes = pip_sizes(grey, pips)
    return [reading(top, grey) for top in tops(soft, sizes, pips)]


def pip_sizes(grey: Image, pips: Pips) -> Sizes:
    """For each pixel the size of the smallest pip that it lies on or just beside; 0 off all pips. H×W float32."""
    sizes = np.zeros(grey.shape, np.float32)
    values, vectors = np.linalg.eigh(pips.shape)
    for i in np.argsort(-pips.size):
        semi = 2 * np.sqrt(values[i, ::-1]) * 1.25 + 1
        angle = float(np.degrees(np.arctan2(vectors[i, 1, 1], vectors[i, 0, 1])))
        cv2.ellipse(sizes, (pips.xy[i].tolist(), (2 * semi).tolist(), angle), float(pips.size[i]), -1)
    return sizes


def tops(grey: Image, sizes: Sizes, pips: Pips) -> list[Top]:
    """Faces that look like dice, each pip used once, a die's side faces left out."""
    used: set[int] = set()
    accepted: list[Top] = []
    doubtful: list[Top] = []
    for face in find_faces(pips):
        if used.intersection(face.pips):
            continue
        top = judge(grey, sizes, pips, face)
        if face.value == 1 and any(covers(top, other) for other in accepted):
            continue
        if top.confidence >= SURE:
            used.update(face.pips)
            accepted.append(top)
        elif top.confidence > 0.1:
            doubtful.append(top)
    accepted = without_sides(accepted)
    for top in sorted(doubtful, key=lambda t: (-len(t.face.pips), -t.confidence)):
        if not used.intersection(top.face.pips) and not any(covers(other, top) for other in accepted):
            used.update(top.face.pips)
            accepted.append(top)
    return accepted


def covers(one: Top, other: Top) -> bool:
    """Whether the other's middle lies on this one's die or just beside it."""
    gap = float(np.linalg.norm(one.face.centre - other.face.centre))
    return gap < 1.15 * max(one.half_side, other.half_side)


def without_sides(found: list[Top]) -> list[Top]:
    """Of faces too near each other to be two dice, the largest; both doubtful if it is not clearly so."""
    kept: list[Top] = []
    for top in sorted(found, key=lambda t: -t.half_side):
        rival = next((k for k, other in enumerate(kept) if covers(other, top)), None)
        if rival is None:
            kept.append(top)
        elif top.half_side > 0.8 * kept[rival].half_side:
            larger = kept[rival]
            kept[rival] = Top(larger.face, larger.body, min(larger.confidence, SURE / 2))
    return kept


def judge(grey: Image, sizes: Sizes, pips: Pips, face: Face) -> Top:
    """How likely the face is the top of a die with exactly these pips."""
    contrast = float(np.median(pips.contrast[list(face.pips)]))
    size = 2.2 * float(pips.size[list(face.pips)].max())
    body = look_around(grey, sizes, size, face, contrast)
    large = ramp(float(np.median(pips.size[list(face.pips)])), 2.5, 4.5)
    scores = [large, body_score(face, body), tilt_score(face, pips), alone_score(face, body, pips)]
    if min(scores) > 0:
        scores.append(surface_score(grey, sizes, size, face, body, contrast))
    return Top(face, body, float(min(scores)))


def ramp(x: float, zero: float, one: float) -> float:
    """0 at `zero`, 1 at `one`, straight between."""
    return float(np.clip((x - zero) / (one - zero), 0.0, 1.0))


def body_score(face: Face, body: Body) -> float:
    """How well the outline is a square of a size that fits the layout, centred on it.

    A layout of four pips and more speaks for itself, so it is enough that nothing contradicts; a 1 could be
    any dot, and only the die around it says that it is a 1.
    """
    seen = np.isfinite(body.sides)
    if face.value >= 3:
        return ramp(float(body.sides.min()), 1.1, 1.4)
    if not seen.all():
        return 0.0
    right, up, left, down = body.sides
    width, height = right + left, up + down
    shift = max(abs(right - left) / width, abs(up - down) / height)
    slim = max(width, height) / min(width, height)
    side = (width + height) / 4
    low, high = (1.25, 3.8) if face.value == 1 else (1.45, 3.2)
    return min(
        ramp(side, low, low * 1.1),
        ramp(side, high, high * 0.93),
        ramp(shift, 0.3, 0.1),
        ramp(slim, 1.5, 1.2),
        ramp(body.straight, 0.45, 0.85),
        ramp(body.corner, 1.0, 1.12) if face.value == 1 else 1.0,
    )


def tilt_score(face: Face, pips: Pips) -> float:
    """Whether the face is seen from above rather than from the side."""
    if face.value in (4, 5):
        spread = np.linalg.svd(face.axes, compute_uv=False)
        ratio = float(spread[1] / spread[0])
    else:
        values = np.linalg.eigvalsh(np.median(pips.shape[list(face.pips)], axis=0) + 0.35 * np.eye(2))
        ratio = float(np.sqrt(values[0] / values[1]))
    return ramp(ratio, TILT - 0.12, TILT + 0.12)


def alone_score(face: Face, body: Body, pips: Pips) -> float:
    """0 if another pip of like size and tone stands on the same top, else 1."""
    first = face.pips[0]
    where = np.abs(np.linalg.solve(face.axes, (pips.xy - face.centre).T)).max(axis=0)
    limit = {1: 0.9 * mean_side(body), 2: 2.1, 3: 2.1}.get(face.value, 1.6)
    like = (pips.contrast * pips.contrast[first] > 0) | (face.value == 1)
    like &= np.abs(pips.contrast) > 0.3 * abs(pips.contrast[first])
    like &= (pips.size > 0.45 * pips.size[first]) & (pips.size < 2.2 * pips.size[first]) & (where < limit)
    like[list(face.pips)] = False
    return 0.0 if like.any() else 1.0


def surface_score(grey: Image, sizes: Sizes, size: float, face: Face, body: Body, contrast: float) -> float:
    """Whether the face is even between its pips: no edge of another die, no pip lost in glare."""
    axes = face.axes
    if face.value == 1:
        c, s = np.cos(body.turn), np.sin(body.turn)
        axes = axes @ np.array([[c, -s], [s, c]]) * (mean_side(body) / 2)
    places = np.stack(np.meshgrid(LINE, LINE), axis=-1).reshape(-1, 2)
    x, y = np.rint(face.centre[:, None] + axes @ places.T).astype(np.intp)
    x, y = np.clip(x, 0, grey.shape[1] - 1), np.clip(y, 0, grey.shape[0] - 1)
    plain = (sizes[y, x] == 0) | (sizes[y, x] > size)
    if plain.sum() < 12:
        return 0.0
    level, slope = grey[y, x].astype(np.float64), np.column_stack([places, np.ones(len(places))])
    rest = level - np.median(level[plain])
    for _ in range(2):
        sound = plain & (np.abs(rest) <= 2.0 * np.median(np.abs(rest[plain])) + 3.0)
        rest = level - slope @ np.linalg.lstsq(slope[sound], level[sound], rcond=None)[0]
    odd = float((np.abs(rest[plain]) > 0.3 * abs(contrast)).mean())
    even = ramp(odd, 0.3, 0.08) if face.value >= 4 else ramp(odd, 0.08, 0.01)
    empty = np.array([place for place in PLACES if not (place == filled_places(face)).all(axis=1).any()])
    close = np.abs(places[None] - empty[:, None]).max(axis=2) < 0.25
    lost = max(float(np.median(np.abs(rest[spot]))) for spot in close)
    return min(even, ramp(lost / abs(contrast), 0.5, 0.2))


def filled_places(face: Face) -> Floats:
    """The places of the grid that hold a pip, K×2."""
    return PLACES[list(face.layout)]


def reading(top: Top, grey: Image) -> DieReading:
    sure = top.confidence >= SURE
    return DieReading("d6", top.face.value, top.confidence, sure, box_of(top, grey))


def box_of(top: Top, grey: Image) -> Box:
    """The box of the die's top: of the square that the sides make, or what the layout suggests."""
    sides = np.where(np.isfinite(top.body.sides), top.body.sides, 2.0)
    c, s = np.cos(top.body.turn), np.sin(top.body.turn)
    right, up, left, down = sides
    corners = np.array([[right, up], [-left, up], [-left, -down], [right, -down]]) @ np.array([[c, s], [-s, c]])
    points = top.face.centre + corners @ top.face.axes.T
    limit = np.array([grey.shape[1], grey.shape[0]])
    low = np.clip(np.floor(points.min(axis=0)), 0, limit - 1).astype(int)
    high = np.clip(np.ceil(points.max(axis=0)), 1, limit).astype(int)
    return int(low[0]), int(low[1]), int(max(high[0] - low[0], 1)), int(max(high[1] - low[1], 1))
