"""Every throw of every die, oldest first, in two bytes a throw."""

from __future__ import annotations

from array import array
from collections import Counter
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np

from games.dice import FACES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from games.dice import Kind

    Faces: TypeAlias = NDArray[np.uint8]
    Counts: TypeAlias = NDArray[np.int64]

ASKED: Final = 1
"""Mark of a die whose value a person confirmed or corrected, or that a photograph shows in doubt."""
ALONE: Final = 2
"""Mark of a die that was the only one of its kind in its throw, so that it can be told from the others."""


class Tape:
    """The throws of one die, or of all dice of one kind: a face and its marks each.

    `proposed` is how often the table took a die that it was not sure of for each face.
    """

    __slots__ = ("kind", "marks", "proposed", "rolled")

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.rolled = array("B")
        self.marks = array("B")
        self.proposed = Counter[int]()

    def __len__(self) -> int:
        return len(self.rolled)

    @property
    def faces(self) -> Faces:
        """Faces 1 … k in the order of the throws; uint8."""
        return np.frombuffer(self.rolled, np.uint8)

    def marked(self, mark: int) -> NDArray[np.bool_]:
        """For each throw whether it has the mark."""
        return np.asarray(np.frombuffer(self.marks, np.uint8) & mark, np.bool_)

    @property
    def counts(self) -> Counts:
        """How often each face came, with those that were asked for; int64, shape (k,)."""
        return self.count(self.faces)

    @property
    def asked(self) -> Counts:
        """How often each face came of those that were asked for; int64, shape (k,)."""
        return self.count(self.faces[self.marked(ASKED)])

    def count(self, faces: Faces) -> Counts:
        """How often each face is among `faces`."""
        return np.bincount(faces, minlength=FACES[self.kind] + 1)[1:]


class Tapes:
    """The tapes of all dice: one for each kind, and one for each die that has a name.

    A kind's tape holds every throw of that kind, also those of its dice with names.
    """

    def __init__(self) -> None:
        self.kinds: dict[Kind, Tape] = {}
        self.named: dict[str, dict[Kind, Tape]] = {}

    def add(self, kind: Kind, face: int, marks: int, name: str | None = None) -> None:
        """Notes one thrown die; a face from 1 to that of its kind."""
        tape = self.kinds.get(kind)
        if tape is None:
            tape = self.kinds[kind] = Tape(kind)
        tape.rolled.append(face)
        tape.marks.append(marks)
        if name is not None:
            own = self.named.setdefault(name, {})
            if kind not in own:
                own[kind] = Tape(kind)
            own[kind].rolled.append(face)
            own[kind].marks.append(marks | ALONE)

    def propose(self, kind: Kind, face: int, name: str | None = None) -> None:
        """Notes what the table took the die for that was added last."""
        self.kinds[kind].proposed[face] += 1
        if name is not None:
            self.named[name][kind].proposed[face] += 1

    def __len__(self) -> int:
        """How many dice were thrown."""
        return sum(map(len, self.kinds.values()))

    def all(self) -> dict[str, Tape]:
        """Every tape by the name of its kind or die; kinds first, d4 before d6.

        A die with throws of two kinds was taken for another die at times: the kind that it has most often is
        the die, see `strays`.
        """
        kinds: dict[str, Tape] = {kind: self.kinds[kind] for kind in FACES if kind in self.kinds}
        dice = {name: max(own.values(), key=len) for name, own in sorted(self.named.items())}
        return kinds | {name: tape for name, tape in dice.items() if name not in kinds}

    def strays(self) -> Mapping[str, Mapping[Kind, int]]:
        """Of each name the throws that are of another kind than most, by kind; names without any left out."""
        found: dict[str, Counter[Kind]] = {}
        for name, own in self.named.items():
            most = max(own.values(), key=len)
            others = {kind: len(tape) for kind, tape in own.items() if tape is not most}
            if others:
                found[name] = Counter(others)
        return found
