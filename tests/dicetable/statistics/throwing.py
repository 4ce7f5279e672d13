"""Dice thrown for tests, and tapes of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from dicetable.statistics.tapes import ALONE, Tape
from games.dice import FACES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from games.dice import Kind


def taped(kind: Kind, faces: Iterable[int], asked: Iterable[int] = ()) -> Tape:
    """A tape of these faces; `asked` are numbers of throws."""
    tape = Tape(kind)
    marked = set(asked)
    for number, face in enumerate(faces):
        tape.rolled.append(face)
        tape.marks.append(ALONE | (number in marked))
    return tape


def one_face_at(kind: Kind, share: float) -> list[float]:
    """The shares of a die whose last face comes with this one, the others equally often."""
    k = FACES[kind]
    return [(1 - share) / (k - 1)] * (k - 1) + [share]


def rolled(kind: Kind, throws: int, shares: Sequence[float] | None = None, seed: int = 1) -> list[int]:
    """Faces of a die; fair without shares."""
    rng = np.random.default_rng(seed)
    return [int(face) for face in rng.choice(np.arange(1, FACES[kind] + 1), throws, p=shares)]
