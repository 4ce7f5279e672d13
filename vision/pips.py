"""Finds pips: small elliptic spots, darker or brighter than an even surface all round them.

Works on a pyramid, so that a pip is always some six to twelve pixels wide where it is looked for; knows
nothing of faces or dice. Numerals, texture and specks that happen to be round come out too: the layout
of a face (faces.py) and the body around it (bodies.py) tell those apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import cv2
import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from vision.reading import Image

Floats: TypeAlias = npt.NDArray[np.float64]

WINDOW = 15
"""Side of the square that no pip fills, in pixels of its pyramid level: what is larger is not a spot."""
STEP = 10
"""Grey levels by which a spot must stand out. Lower finds fainter pips, and noise."""
GRAIN = 2.5
"""The same as a multiple of what the surface's own grain stands out by."""
HEIGHTS = (0.5, 0.75)
"""Parts of the local peak at which spots are cut out: high for glowing or close pips, low for uneven ones."""
AREA = (6, 105)
"""Area within the outline of a spot in pixels of its level; each level overlaps the next."""
OUTLINE = (8, 64)
"""Pixels of such an outline."""
SMALLEST_SIDE_DOUBLED = 1000
"""Frames up to this wide or high are also looked at in double size, for pips of 3 to 6 pixels."""
CONTRAST = 16.0
"""Least difference between a pip and the surface round it, in grey levels."""
EVENNESS = 0.38
"""How far, as a part of the contrast, the surface round a pip may stray from its median."""
STRAYS = 6
"""How many of 16 looks around a spot may stray further: its neighbours on the same face."""
MOST = 400
"""At most this many pips are kept, the best first, so that a busy cloth costs bounded time."""


@dataclass(frozen=True, slots=True)
class Pips:
    """N spots as parallel arrays, in pixels of the full frame.

    Attributes:
        xy: N×2 centres.
        shape: N×2×2 second moments; an ellipse of semi-axes 2·√eigenvalue.
        size: N diameters (geometric mean of the two axes).
        surface: N grey levels of the surface round each spot.
        contrast: N, surface minus spot: positive for dark pips.
    """

    xy: Floats
    shape: Floats
    size: Floats
    surface: Floats
    contrast: Floats

    def __len__(self) -> int:
        return len(self.xy)

    def take(self, chosen: npt.NDArray[np.intp]) -> Pips:
        """The chosen spots, in that order."""
        return Pips(
            self.xy[chosen],
            self.shape[chosen],
            self.size[chosen],
            self.surface[chosen],
            self.contrast[chosen],
        )


def find_pips(grey: Image) -> Pips:
    """The spots of a grey frame (H×W, uint8) that could be pips, strongest first."""
    found = [level_pips(level, scale) for level, scale in pyramid(grey)]
    pips = Pips(*(np.concatenate(parts) for parts in zip(*(fields(p) for p in found), strict=True)))
    return without_doubles(pips)


def fields(pips: Pips) -> tuple[Floats, ...]:
    """The arrays in the order of the attributes."""
    return pips.xy, pips.shape, pips.size, pips.surface, pips.contrast


def pyramid(grey: Image) -> list[tuple[Image, float]]:
    """Levels with their scale (pixels of the level for one of the frame), largest first."""
    levels: list[tuple[Image, float]] = []
    if max(grey.shape) <= SMALLEST_SIDE_DOUBLED:
        levels.append(
            (np.asarray(cv2.resize(grey, None, fx=2, fy=2, interpolation=cv2.INTER_CUBIC), np.uint8), 2.0)
        )
    level, scale = grey, 1.0
    while min(level.shape) >= WINDOW * 2:
        levels.append((level, scale))
        level, scale = np.asarray(cv2.pyrDown(level), np.uint8), scale / 2
    return levels or [(grey, 1.0)]


def level_pips(level: Image, scale: float) -> Pips:
    """The pips of one level, in pixels of the full frame."""
    square = np.ones((WINDOW, WINDOW), np.uint8)
    masks = [
        mask
        for kind in (cv2.MORPH_BLACKHAT, cv2.MORPH_TOPHAT)
        for mask in standing_out(cv2.morphologyEx(level, kind, square))
    ]
    xy, shape, mask = compact_spots(masks)
    surface, contrast, even = surroundings(level, xy, shape)
    dark = mask < len(HEIGHTS)
    keep = even & (np.abs(contrast) >= CONTRAST) & ((contrast > 0) == dark)
    xy, shape = (xy[keep] + 0.5) / scale - 0.5, shape[keep] / scale**2
    size = 4 * np.linalg.det(shape) ** 0.25
    return Pips(xy, shape, size, surface[keep], contrast[keep])


def standing_out(relief: npt.ArrayLike) -> list[Image]:
    """Masks of what stands out by at least each of HEIGHTS of the highest point of its neighbourhood."""
    relief = np.asarray(relief, np.uint8)
    peak = cv2.dilate(relief, np.ones((WINDOW, WINDOW), np.uint8))
    least = np.array(max(STEP, GRAIN * float(np.median(relief[::8, ::8]))))
    floors = [cv2.max(cv2.convertScaleAbs(peak, alpha=part), least) for part in HEIGHTS]
    return [np.asarray(cv2.compare(relief, floor, cv2.CMP_GE), np.uint8) for floor in floors]


def compact_spots(masks: Sequence[Image]) -> tuple[Floats, Floats, Floats]:
    """Centres (N×2), second moments (N×2×2), number of their mask: blobs that fill an ellipse of pip size."""
    rows = []
    for which, mask in enumerate(masks):
        outlines, _ = cv2.findContours(mask, cv2.RETR_LIST, cv2.CHAIN_APPROX_NONE)
        moments = [cv2.moments(outline) for outline in outlines if OUTLINE[0] <= len(outline) <= OUTLINE[1]]
        rows += [
            [m["m00"], m["m10"], m["m01"], m["mu20"], m["mu02"], m["mu11"], which]
            for m in moments
            if m["m00"] >= AREA[0]
        ]
    area, x, y, xx, yy, xy, mask_of = np.array(rows).reshape(-1, 7).T
    centres = np.stack([x, y], axis=1) / area[:, None]
    shape = np.stack([np.stack([xx, xy], -1), np.stack([xy, yy], -1)], -2) / area[:, None, None]
    det = np.linalg.det(shape)
    elliptic = area / (4 * np.pi * np.sqrt(np.maximum(det, 1e-9)))  # 1 for a full ellipse, less for all else
    round_enough = 4 * det / np.trace(shape, axis1=1, axis2=2) ** 2 > 0.38  # axes at most about 1 to 2
    keep = (area <= AREA[1]) & (elliptic > 0.9) & round_enough
    # An outline runs through the middles of its pixels: half a pixel is missing all round.
    root = square_roots(shape[keep]) + 0.25 * np.eye(2)
    return centres[keep], root @ root, mask_of[keep]


def surroundings(level: Image, xy: Floats, shape: Floats) -> tuple[Floats, Floats, npt.NDArray[np.bool_]]:
    """Grey level round each spot, contrast of the spot to it, and whether that surface is even."""
    angle = np.arange(16) * (2 * np.pi / 16)
    circle = np.stack([np.cos(angle), np.sin(angle)])
    root = square_roots(shape)
    ring = sample(level, xy, (root * 2 * 1.3) @ circle, 0.8)
    inner = sample(level, xy, np.concatenate([root @ circle[:, ::2], np.zeros((len(xy), 2, 1))], axis=2), 0.0)
    surface = np.median(ring, axis=1) if len(xy) else np.empty(0)
    contrast = surface - np.median(inner, axis=1) if len(xy) else np.empty(0)
    stray = np.abs(ring - surface[:, None]) > EVENNESS * np.abs(contrast)[:, None]
    return surface, contrast, stray.sum(axis=1) <= STRAYS


def sample(level: Image, xy: Floats, offsets: Floats, beyond: float) -> Floats:
    """Grey levels at centre + offset (N×2×K), pushed outward by `beyond` pixels; N×K."""
    if beyond:
        offsets = offsets * (1 + beyond / np.maximum(np.linalg.norm(offsets, axis=1, keepdims=True), 1e-6))
    at = np.rint(xy[:, :, None] + offsets).astype(np.intp)
    x = np.clip(at[:, 0], 0, level.shape[1] - 1)
    y = np.clip(at[:, 1], 0, level.shape[0] - 1)
    return level[y, x].astype(np.float64)


def square_roots(shape: Floats) -> Floats:
    """Symmetric square roots of N 2×2 matrices: (M + √det·I) / √(trace + 2√det)."""
    root = np.sqrt(np.linalg.det(shape))
    trace = np.trace(shape, axis1=1, axis2=2)
    return np.asarray((shape + root[:, None, None] * np.eye(2)) / np.sqrt(trace + 2 * root)[:, None, None])


def without_doubles(pips: Pips) -> Pips:
    """One spot where two levels saw the same, the strongest first, at most MOST of them.

    A spot inside a much larger one stays: a small dark die is itself a spot, with pips on it.
    """
    strongest = np.argsort(-np.abs(pips.contrast), kind="stable")[: MOST * 3 // 2]
    pips = pips.take(strongest)
    gap = np.linalg.norm(pips.xy[:, None] - pips.xy[None], axis=2)
    larger = np.maximum(pips.size[:, None], pips.size[None])
    smaller = np.minimum(pips.size[:, None], pips.size[None])
    same_sign = (pips.contrast[:, None] > 0) == (pips.contrast[None] > 0)
    alike = larger < np.where(same_sign, 3.0, 1.5) * smaller
    same = np.tril((gap < 0.5 * larger) & alike, -1)
    dropped = np.zeros(len(pips), bool)
    for i in np.flatnonzero(same.any(axis=1)):
        dropped[i] = bool((same[i] & ~dropped).any())
    return pips.take(np.flatnonzero(~dropped)[:MOST])
