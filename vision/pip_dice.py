"""Reads six-sided dice with pips: pips, then faces, then bodies, then how sure each is."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter

import cv2
import numpy as np

from vision.bodies import EDGES, Body, Mask, Sizes, look_around
from vision.faces import PLACES, Face, find_faces
from vision.pips import Floats, Pips, find_pips, square_roots
from vision.reading import Box, DieReading, Image

SURE = 0.5
"""Confidence from which a value may be played."""
NO_DIE = 0.1
"""Confidence up to which a layout is dropped."""
TILT = 0.78
"""Least ratio of a top face's two axes: below it the face leans away by over 39°, as a side of a die does."""


RESERVED = 0.25
"""Confidence from which a layout of four and more keeps its pips from others, though it is not sure."""
INSIDE = 1.6
"""A pip this near to the middle of a face, in grid steps, is on it."""
MOST_JUDGED = 400
"""Layouts that are looked into, those of most pips first, so that a patterned cloth costs bounded time."""
FEW = 2
"""Layouts of so few pips need a body around them to be believed."""
GAP = 2.6
"""A die's side lies within this many grid steps of its middle; beyond it is another die."""
LINE = np.linspace(-1.2, 1.2, 19)
"""Where a face is sampled along each axis, in grid steps."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One frame (uint8, H×W×3 BGR, slightly blurred), the size of the pip at each pixel, and the pips."""

    frame: Image
    sizes: Sizes
    pips: Pips


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
    """The mean of the sides that were found, in steps of the axes; 2, as on most dice, if none was."""
    finite = body.sides[np.isfinite(body.sides)]
    return float(finite.mean()) if len(finite) else 2.0


def read_pip_dice(frame: Image) -> list[DieReading]:
    """The pip dice of a frame (uint8, H×W×3 BGR), doubtful ones too, in no order."""
    grey = np.asarray(cv2.cvtColor(frame, cv2.COLOR_BGR2GRAY), np.uint8)
    pips = find_pips(grey)
    soft = np.asarray(cv2.GaussianBlur(frame, (3, 3), 0), np.uint8)
    return [reading(top, frame) for top in tops(Scene(soft, pip_sizes(grey, pips), pips))]


def pip_sizes(grey: Image, pips: Pips) -> Sizes:
    """For each pixel the size of the smallest pip that it lies on or beside; 0 off all pips. H×W float32."""
    sizes = np.zeros(grey.shape, np.float32)
    values, vectors = np.linalg.eigh(pips.shape)
    for i in np.argsort(-pips.size):
        semi = 2 * np.sqrt(values[i, ::-1]) * 1.25 + 1
        angle = float(np.degrees(np.arctan2(vectors[i, 1, 1], vectors[i, 0, 1])))
        cv2.ellipse(sizes, (pips.xy[i].tolist(), (2 * semi).tolist(), angle), float(pips.size[i]), -1)
    return sizes


def tops(scene: Scene) -> list[Top]:
    """Faces that look like dice, each pip used once, a die's side faces left out."""
    used: set[int] = set()
    accepted: list[Top] = []
    doubtful: list[Top] = []
    judged = 0
    for face in find_faces(scene.pips):
        if used.intersection(face.pips):
            continue
        judged += 1
        if judged > MOST_JUDGED:
            break
        top = judge(scene, face)
        if top is None:
            continue
        if face.value == 1 and any(covers(top, other) for other in accepted):
            continue
        if face.value >= 4 and RESERVED < top.confidence < SURE:
            used.update(face.pips)  # nearly a face: what is left of it is no other
        if top.confidence >= SURE:
            used.update(face.pips)
            accepted.append(top)
        else:
            doubtful.append(top)
    accepted = without_sides(accepted)
    for top in sorted(doubtful, key=lambda t: (-len(t.face.pips), -t.confidence)):
        if not any(covers(other, top) for other in accepted):
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


def judge(scene: Scene, face: Face) -> Top | None:
    """How likely the face is the top of a die with exactly these pips; None if it is as good as out."""
    pips = scene.pips
    large = ramp(float(np.median(pips.size[list(face.pips)])), 2.5, 4.5)
    lies = min(large, tilt_score(face, pips))
    if lies <= NO_DIE or holds_spots(face, pips):
        return None  # whatever is around it, which costs most to see
    contrast = float(np.median(pips.contrast[list(face.pips)]))
    size = 2.2 * float(pips.size[list(face.pips)].max())
    edges = EDGES if face.value <= FEW else {max(EDGES): 1.0}
    bodies = look_around(scene.frame, scene.sizes, size, face, [part * abs(contrast) for part in edges])
    body, outline = max(
        (
            (found, trust * body_score(face, found))
            for found, trust in zip(bodies, edges.values(), strict=True)
        ),
        key=itemgetter(1),
    )
    confidence = min(lies, outline, alone_score(face, body, pips))
    if confidence > NO_DIE:
        confidence = min(confidence, surface_score(scene, size, face, body, contrast))
    return Top(face, body, float(confidence)) if confidence > NO_DIE else None


def ramp(x: float, zero: float, one: float) -> float:
    """0 at `zero`, 1 at `one`, straight between."""
    return float(np.clip((x - zero) / (one - zero), 0.0, 1.0))


def body_score(face: Face, body: Body) -> float:
    """How well the outline is a square of a size that fits the layout, centred on it.

    A layout of four pips and more speaks for itself, so it is enough that nothing contradicts; a 1 could be
    any dot, and only the die around it says that it is a 1.
    """
    if face.value >= 3:
        sides = ramp(float(body.sides.min()), 1.1, 1.4)
        return min(sides, ramp(body.nearest_corner, 1.5, 1.95)) if face.value == 3 else sides
    seen = np.isfinite(body.sides)
    if seen.sum() < 3:
        return 0.0
    low, high = (1.4, 3.8) if face.value == 1 else (1.35, 3.3)
    near = np.sort(body.sides)[:3]  # the fourth may run on into a neighbour or a shadow
    whole = ramp(float(np.max(body.sides)), near[1] * 1.6, near[1] * 1.25)
    return min(
        ramp(float(near.mean()), low, low * 1.1),
        ramp(float(near.mean()), high, high * 0.93),
        ramp(float(near[2] / near[0]), 1.7, 1.3),
        0.55 + 0.45 * whole,
        ramp(body.straight, 0.4, 0.8),
        ramp(body.corner, 1.01, 1.07) if face.value == 1 and whole else 1.0,
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


def holds_spots(face: Face, pips: Pips) -> bool:
    """Whether the face's pips have spots on them in turn: then they are dice, and this is no face.

    One small glint on a glossy pip is no such spot.
    """
    chosen = list(face.pips)
    apart = np.linalg.solve(
        square_roots(pips.shape[chosen])[:, None], (pips.xy - pips.xy[chosen, None])[..., None]
    )
    size = pips.size / pips.size[chosen, None]
    on = (np.linalg.norm(apart[..., 0], axis=2) < 1.6) & (size > 0.1) & (size < 0.5)
    on &= np.abs(pips.contrast) > 0.3 * np.abs(pips.contrast[chosen, None])
    return bool((on.sum(axis=1) > 1).any() or (on & (size > 0.18)).any(axis=1).all())


def alone_score(face: Face, body: Body, pips: Pips) -> float:
    """0 if another pip of like size and tone stands on the same top, else 1."""
    first = face.pips[0]
    where = np.abs(np.linalg.solve(face.axes, (pips.xy - face.centre).T)).max(axis=0)
    strength = np.abs(pips.contrast) / abs(pips.contrast[first])
    size = pips.size / pips.size[first]
    same = pips.contrast * pips.contrast[first] > 0
    limit = 0.9 * mean_side(body) if face.value == 1 else INSIDE
    like = same & (strength > 0.45) & (size > 0.45) & (size < 2.2) & (where < limit)
    # Just outside a layout stand the rest of a larger one, or the next dots of a printed pattern.
    wide = 1.15 * mean_side(body) if face.value == 1 else 2.15
    like |= same & (strength > 0.6) & (size > 0.75) & (size < 1.35) & (where < wide)
    like[list(face.pips)] = False
    return 0.0 if like.any() or (face.value == 4 and goes_on(face, body, pips)) else 1.0


def goes_on(face: Face, body: Body, pips: Pips) -> bool:
    """Whether two pips go on where a 4 ends, on the same top: they make it a part of a 6."""
    x, y = np.linalg.solve(face.axes, (pips.xy - face.centre).T)
    like = pips.contrast * pips.contrast[face.pips[0]] > 0
    for side, (along, across) in zip(body.sides, ((x, y), (y, x), (-x, y), (-y, x)), strict=True):
        on = like & (np.abs(along - 3) < 0.7) & (np.abs(np.abs(across) - 1) < 0.5)
        if side > GAP and (on & (across > 0)).any() and (on & (across < 0)).any():
            return True
    return False


def surface_score(scene: Scene, size: float, face: Face, body: Body, contrast: float) -> float:
    """Whether the face is even between its pips: no edge of another die, no pip lost in glare."""
    axes = face.axes
    if face.value == 1:
        c, s = np.cos(body.turn), np.sin(body.turn)
        axes = axes @ np.array([[c, -s], [s, c]]) * (mean_side(body) / 2)
    places = np.stack(np.meshgrid(LINE, LINE), axis=-1).reshape(-1, 2)
    x, y = np.rint(face.centre[:, None] + axes @ places.T).astype(np.intp)
    x, y = np.clip(x, 0, scene.frame.shape[1] - 1), np.clip(y, 0, scene.frame.shape[0] - 1)
    plain = (scene.sizes[y, x] == 0) | (scene.sizes[y, x] > size)
    if plain.sum() < 12:
        return 0.0
    off = off_plane(scene.frame[y, x].astype(np.float64), places, plain) / abs(contrast)
    odd = float((off[plain] > 0.3).mean())
    even = ramp(odd, 0.3, 0.08) if face.value >= 4 else ramp(odd, 0.08, 0.01)
    empty = np.array([place for place in PLACES if not (place == filled_places(face)).all(axis=1).any()])
    close = np.abs(places[None] - empty[:, None]).max(axis=2) < 0.25
    lost = max(float(np.median(off[spot])) for spot in close)
    return min(even, ramp(lost, 0.5, 0.2))


def off_plane(level: Floats, places: Floats, plain: Mask) -> Floats:
    """How far each sample (N×C) is off the plane that fits the plain ones, largest channel; N grey levels."""
    slope = np.column_stack([places, np.ones(len(places))])
    off = np.abs(level - np.median(level[plain], axis=0)).max(axis=1)
    for _ in range(2):
        sound = plain & (off <= 2.0 * np.median(off[plain]) + 3.0)
        off = np.abs(level - slope @ np.linalg.lstsq(slope[sound], level[sound], rcond=None)[0]).max(axis=1)
    return np.asarray(off)


def filled_places(face: Face) -> Floats:
    """The places of the grid that hold a pip, K×2."""
    return PLACES[list(face.layout)]


def reading(top: Top, frame: Image) -> DieReading:
    """What is said of a top."""
    sure = top.confidence >= SURE
    return DieReading("d6", top.face.value, top.confidence, sure, box_of(top, frame))


def box_of(top: Top, frame: Image) -> Box:
    """The box of the die's top: of the square that the sides make, or what the layout suggests."""
    sides = np.where(np.isfinite(top.body.sides), top.body.sides, 2.0)
    c, s = np.cos(top.body.turn), np.sin(top.body.turn)
    right, up, left, down = sides
    corners = np.array([[right, up], [-left, up], [-left, -down], [right, -down]]) @ np.array(
        [[c, s], [-s, c]]
    )
    points = top.face.centre + corners @ top.face.axes.T
    limit = np.array([frame.shape[1], frame.shape[0]])
    low = np.clip(np.floor(points.min(axis=0)), 0, limit - 1).astype(int)
    high = np.clip(np.ceil(points.max(axis=0)), 1, limit).astype(int)
    return int(low[0]), int(low[1]), int(max(high[0] - low[0], 1)), int(max(high[1] - low[1], 1))
