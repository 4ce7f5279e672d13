"""Finds the faces of pip dice among pips: which spots stand together as a 1, 2, 3, 4, 5 or 6.

A face is laid out on a 3×3 grid. Every face but the 1 has two pips in opposite corners, so each pair of
like pips proposes one grid; what stands on its nine places says which face it is, or that it is none.
Knows nothing of what lies around the grid: that is for bodies.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from vision.pips import Floats, Pips, square_roots

PLACES: Floats = np.array(
    [[1, 1], [-1, -1], [-1, 1], [1, -1], [0, 0], [0, 1], [0, -1], [1, 0], [-1, 0]], dtype=np.float64
)
"""The nine places of the grid: corners (the proposing pair first), centre, middles of the sides."""
ONE = (False, False, False, False, True, False, False, False, False)
LAYOUTS: dict[tuple[bool, ...], int] = {
    tuple(bool(int(mark)) for mark in marks): value
    for marks, value in (
        ("110000000", 2),
        ("110010000", 3),
        ("111100000", 4),
        ("111110000", 5),
        ("111101100", 6),
        ("111100011", 6),
    )
}
SLANTS = np.deg2rad([90.0, 74.0, 106.0, 61.0, 119.0])
"""Angles between the two diagonals: a square's, and a 6 with its rows closer or wider than its columns."""
SPACING = (0.75, 2.3)
"""Grid step in pip diameters: large pips crowd the face, small ones leave it empty."""
NEAR = 0.36
"""How far a pip may lie from its place, in grid steps."""
ALIKE = 1.5
"""How much larger one pip of a face may look than another."""
INSIDE = 1.45
"""A like pip within this many grid steps of the centre, off the layout, spoils the face."""
MOST_PAIRS = 3000
"""Bound on the proposals looked at, so that texture costs bounded time."""
AT_ONCE = 500
"""Proposals weighed in one go, which bounds memory."""


@dataclass(frozen=True, slots=True)
class Face:
    """A layout that fits, in pixels of the frame.

    Attributes:
        value: 1 … 6.
        pips: indices of its pips.
        centre: 2, the middle of the grid.
        axes: 2×2, columns are one grid step along each side of the face (for a 1: one pip diameter).
        misfit: root mean square distance of the pips from their places, in grid steps.
        layout: for each of PLACES whether a pip stands there.
    """

    value: int
    pips: tuple[int, ...]
    centre: Floats
    axes: Floats
    misfit: float
    layout: tuple[bool, ...]


def find_faces(pips: Pips) -> list[Face]:
    """Every layout that fits: most pips first, then the best fitting, small 1s before large ones.

    They may share pips.
    """
    first, second = pairs(pips)
    faces = [
        face
        for start in range(0, len(first), AT_ONCE)
        for slant in SLANTS
        for face in laid_out(
            pips, first[start : start + AT_ONCE], second[start : start + AT_ONCE], float(slant)
        )
    ]
    faces += [Face(1, (i,), pips.xy[i], upright_axes(pips, i), 0.0, ONE) for i in range(len(pips))]
    return sorted(faces, key=lambda face: (-face.value, face.misfit, pips.size[face.pips[0]]))


def pairs(pips: Pips) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Pairs of like pips at a distance that opposite corners of a face can have."""
    gap = np.linalg.norm(pips.xy[:, None] - pips.xy[None], axis=2)
    size = np.sqrt(pips.size[:, None] * pips.size[None])
    reach = 2 * np.sqrt(2) * size
    fit = alike(pips) & (gap > 0.8 * SPACING[0] * reach) & (gap < SPACING[1] * reach)
    first, second = np.nonzero(np.triu(fit, 1))
    if len(first) > MOST_PAIRS:
        nearest = np.argsort(gap[first, second] / size[first, second], kind="stable")[:MOST_PAIRS]
        first, second = first[nearest], second[nearest]
    return first, second


def alike(pips: Pips) -> npt.NDArray[np.bool_]:
    """N×N: which pips could be of one face: both dark or both bright, of like size, on like surface."""
    ratio = np.maximum(pips.size[:, None], pips.size[None]) / np.minimum(pips.size[:, None], pips.size[None])
    weaker = np.minimum(np.abs(pips.contrast)[:, None], np.abs(pips.contrast)[None])
    stronger = np.maximum(np.abs(pips.contrast)[:, None], np.abs(pips.contrast)[None])
    surface = np.abs(pips.surface[:, None] - pips.surface[None])
    same_sign = (pips.contrast[:, None] > 0) == (pips.contrast[None] > 0)
    return np.asarray(same_sign & (ratio < ALIKE) & (surface < 0.6 * weaker) & (stronger < 3.5 * weaker))


def laid_out(
    pips: Pips, first: npt.NDArray[np.intp], second: npt.NDArray[np.intp], slant: float
) -> list[Face]:
    """The faces that the pairs propose, with the other diagonal at that angle, and the other pips confirm."""
    centre = (pips.xy[first] + pips.xy[second]) / 2
    diagonal = (pips.xy[first] - pips.xy[second]) / 2
    across = turned(diagonal, regular((pips.shape[first] + pips.shape[second]) / 2), slant)
    axes = np.stack([(diagonal - across) / 2, (diagonal + across) / 2], axis=2)
    where = np.linalg.solve(axes[:, None], (pips.xy[None] - centre[:, None])[..., None])[..., 0]
    like = alike(pips)[first]
    off = np.linalg.norm(where[:, None] - PLACES[None, :, None], axis=3)
    off[~np.broadcast_to(like[:, None], off.shape)] = np.inf
    off[np.arange(len(first)), 0, first] = 0.0
    off[np.arange(len(first)), 1, second] = 0.0
    nearest = off.argmin(axis=2)
    taken = np.take_along_axis(off, nearest[..., None], axis=2)[..., 0] < NEAR
    inside = like & (np.abs(where).max(axis=2) < INSIDE)
    inside[np.arange(len(first)), first] = inside[np.arange(len(first)), second] = True
    faces = []
    for k in np.flatnonzero(inside.sum(axis=1) == taken.sum(axis=1)):
        value = LAYOUTS.get(tuple(taken[k].tolist()))
        if value is None or (value != 6 and slant != SLANTS[0]):
            continue
        face = fitted(pips, value, nearest[k], tuple(taken[k].tolist()), axes[k])
        if face is not None:
            faces.append(face)
    return faces


def fitted(
    pips: Pips, value: int, nearest: npt.NDArray[np.intp], layout: tuple[bool, ...], axes: Floats
) -> Face | None:
    """The face with its grid fitted to all its pips by least squares; None if it fits none well."""
    chosen, places = nearest[list(layout)], PLACES[list(layout)]
    if len(set(chosen.tolist())) != len(chosen):
        return None
    slim = np.sqrt(np.linalg.eigvalsh(regular(pips.shape[chosen]))[:, 0])
    if slim.max() > ALIKE * slim.min():  # a side's pips are seen narrower than the top's
        return None
    at = pips.xy[chosen]
    centre = at.mean(axis=0)
    if value >= 4:
        solution = np.linalg.lstsq(places, at - centre, rcond=None)[0]
        axes = solution.T
    off = np.linalg.solve(axes, (at - centre).T).T - places
    misfit = float(np.sqrt((off**2).sum(axis=1).mean()))
    step = np.sqrt(abs(np.linalg.det(axes)))
    spacing = step / float(np.median(pips.size[chosen]))
    if misfit > 0.18 or not SPACING[0] <= spacing <= SPACING[1]:
        return None
    return Face(value, tuple(int(i) for i in chosen), centre, axes, misfit, layout)


def regular(shape: Floats) -> Floats:
    """Pip moments with what a pixel cannot resolve evened out, so that tiny pips count as round."""
    return shape + np.eye(2) * 0.35


def turned(diagonal: Floats, shape: Floats, angle: float) -> Floats:
    """The diagonal turned by an angle in the plane of the face, where its pips are round; N×2."""
    root = square_roots(shape)
    flat = np.linalg.solve(root, diagonal[..., None])
    c, s = np.cos(angle), np.sin(angle)
    return np.asarray((root @ np.array([[c, -s], [s, c]]) @ flat)[..., 0])


def upright_axes(pips: Pips, i: int) -> Floats:
    """Axes for a face of one pip: one pip diameter along each, of unknown orientation."""
    root = square_roots(regular(pips.shape[i : i + 1]))[0]
    return np.asarray(root * (pips.size[i] / np.sqrt(np.linalg.det(root))))
