"""The places of a frame that pass for dice, with what the nets say of each in the light of the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np

from vision.detection.detections import PLAIN, Candidate, apart, holds_others
from vision.detection.detector import candidates
from vision.recognition.die_classifier import look
from vision.recognition.fusion import Opinion, Views, stored_crop
from vision.recognition.outputs import NO_DIE
from vision.recognition.tilt import Camera, cameras, leans, most_lean, place
from vision.tray.markers import is_marker

if TYPE_CHECKING:
    from collections.abc import Callable

    from vision.reading import Box
    from vision.recognition.crops import Pixels
    from vision.recognition.die_classifier import Mark

MOST = 128
"""So many candidates, the best, are looked at: a patterned cloth has hundreds of them."""
EMPTY = 0.5
"""A find that is no die with this probability is dropped …"""
LEGIBLE = 0.95
"""… but one that looks plainly like a die, and whose value is read with this confidence …"""
NO_DIE_AT_ALL = 0.85
"""… only with this probability: it stays, as a doubtful one."""
LIKELY = 0.5
"""Confidence of the finds that tell how the camera looks …"""
LEVEL = 0.3
"""… and the probability that they lean, from which they do not."""
NEAR, AS_LARGE = 0.02, 0.04
"""How little a box is off, each way and in its longer side, that is as good as a mended one."""
MARKER = 0.75
"""A find scored under this may be one of the tray's markers, which look somewhat like a d6."""
FARTHEST = 4.0
"""Oddness of a mark's place, in standard deviations, beyond which it does not speak more against the mark."""


Passing: TypeAlias = tuple[Candidate, Views, Opinion]
"""A place that passes for a die by itself, the views of it, and what they say."""


class Find(NamedTuple):
    """A place that passes for a die, and what is said of it.

    `leans` tells whether it leans, by where its mark is and by how it looks; `holds` whether
    other finds lie within it.
    """

    candidate: Candidate
    said: Opinion
    leans: bool
    holds: bool


def ignore_progress() -> None:
    """Does nothing: the caller does not need to tell slow from stuck."""


def finds(frame: Pixels, progress: Callable[[], None] = ignore_progress) -> list[Find]:
    """The places of a frame (uint8, H×W×3, BGR) that pass for dice; `progress` is called before each look.

    How the camera shifts the tops of the others tells which of a die's marks is on top: each die is weighed
    again by that.
    """
    passing = passing_by_looks(frame, progress)
    kept = [candidate for candidate, _, _ in passing]
    all_lean = most_lean([said.cocked for _, _, said in passing])
    found = []
    for (candidate, views, said), camera in zip(passing, seen_by(frame, passing), strict=True):
        progress()
        odd = 0.0
        if camera is not None:
            known = Known(camera, candidate, frame.shape, said.best[0])
            said = views.opinion(known.weight)
            odd = 0.0 if said.mark is None else known.oddness(said.mark)
        leaning = all_lean or leans(odd, said.cocked)
        found.append(Find(candidate, said, leaning, holds_others(candidate, kept)))
    return found


def passing_by_looks(frame: Pixels, progress: Callable[[], None]) -> list[Passing]:
    """The places of a frame that pass for dice, none a part of another, each by itself.

    Each is looked at in the finder's box, and anew in a better one, if that look tells one.
    """
    seen: dict[Candidate, tuple[float, Views | None]] = {}
    for candidate in candidates(frame)[:MOST]:
        progress()
        if candidate.score < MARKER and is_marker(frame, inside(candidate, frame.shape)):
            continue
        stored = stored_crop(frame, candidate)
        die = look(stored)
        no_die = float(die.bodies[NO_DIE])
        if not passes(candidate, no_die):
            continue
        right, down, longer = np.abs(die.off)
        if max(right, down) < NEAR and longer < AS_LARGE:
            seen[candidate] = (no_die, Views(stored, die))
        else:
            seen[candidate.mended(die.off)] = (no_die, None)
    passing: list[Passing] = []
    for candidate in apart(seen, lambda one: one.score * (1 - seen[one][0])):
        progress()
        views = seen[candidate][1] or Views(stored_crop(frame, candidate))
        said = views.opinion()
        if passes(candidate, said.no_die, said.confidence):
            passing.append((candidate, views, said))
    return passing


def passes(candidate: Candidate, no_die: float, confidence: float = 1.0) -> bool:
    """Whether a place passes for a die, by how likely there is none and the confidence of what is read.

    Before it is read, the greatest confidence is assumed.
    """
    legible = candidate.score >= PLAIN and confidence >= LEGIBLE
    return no_die <= (NO_DIE_AT_ALL if legible else EMPTY)


class Known(NamedTuple):
    """Where on a find of this kind, in a frame of this shape, the camera lets its mark be."""

    camera: Camera
    candidate: Candidate
    shape: tuple[int, ...]
    kind: int

    def oddness(self, mark: Mark) -> float:
        """How far the mark is from there, in standard deviations."""
        at = place(mark, self.candidate, self.shape, self.kind)
        return 0.0 if at is None else self.camera.oddness(at)

    def weight(self, mark: Mark) -> float:
        """The logarithm of how likely the mark is there, but for a constant."""
        return -0.5 * min(FARTHEST, self.oddness(mark)) ** 2


def seen_by(frame: Pixels, passing: list[Passing]) -> list[Camera | None]:
    """The camera of each, as the others tell it; None where a mark's place tells nothing."""
    places = [
        None if said.mark is None else place(said.mark, candidate, frame.shape, said.best[0])
        for candidate, _, said in passing
    ]
    trusted = [
        said.confidence > LIKELY and said.cocked < LEVEL
        for (_, _, said), at in zip(passing, places, strict=True)
        if at is not None
    ]
    told = iter(cameras([at for at in places if at is not None], trusted))
    return [None if at is None else next(told) for at in places]


def inside(candidate: Candidate, shape: tuple[int, ...]) -> Box:
    """The find's box in whole pixels of the frame."""
    x0, y0 = max(0, round(candidate.x)), max(0, round(candidate.y))
    x1 = min(shape[1], round(candidate.x + candidate.width))
    y1 = min(shape[0], round(candidate.y + candidate.height))
    return (min(x0, shape[1] - 1), min(y0, shape[0] - 1), max(1, x1 - x0), max(1, y1 - y0))
