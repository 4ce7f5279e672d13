"""Opposite faces: a die that is too flat shows both faces of an axis too often, a loaded one only one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from dicetable.statistics.estimates import even_split_p_value, uniform_p_value
from games.dice import SOLIDS

if TYPE_CHECKING:
    from dicetable.statistics.tapes import Counts
    from games.dice import Kind


@dataclass(frozen=True, slots=True)
class Opposites:
    """The axes of a die.

    Attributes:
        layout: which numbering is meant where makers differ, see `games.dice`.
        faces: the two faces of each axis, the lower first.
        counts: how often each of the two came.
        flat_p_value: of the sums of the axes against equal ones (Monte Carlo).
        loaded_p_value: of the most uneven axis (exact binomial, Bonferroni over the axes).
    """

    layout: str
    faces: tuple[tuple[int, int], ...]
    counts: tuple[tuple[int, int], ...]
    flat_p_value: float
    loaded_p_value: float


def axes(kind: Kind) -> tuple[tuple[int, int], ...]:
    """The pairs of opposite faces in a kind's most common layout; none for a d4."""
    solid = SOLIDS[kind][0]
    found = set()
    for number, face in enumerate(solid.faces):
        across = solid.opposite(number)
        if across is not None:
            pair = sorted((face.value, solid.faces[across].value))
            found.add((pair[0], pair[1]))
    return tuple(sorted(found))


def opposites(kind: Kind, counts: Counts) -> Opposites | None:
    """What the counts say of opposite faces; None for a d4, which has none."""
    faces = axes(kind)
    if not faces:
        return None
    pairs = tuple((int(counts[low - 1]), int(counts[high - 1])) for low, high in faces)
    sums = np.array([low + high for low, high in pairs], np.int64)
    loaded = min(1.0, len(pairs) * min(even_split_p_value(low, high) for low, high in pairs))
    return Opposites(SOLIDS[kind][0].layout, faces, pairs, uniform_p_value(sums), loaded)
