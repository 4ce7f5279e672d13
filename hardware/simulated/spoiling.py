"""What the faults that are at work do to one throw."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from games.dice import KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from games.dice import Kind
    from hardware.simulated.active import ActiveFaults


@dataclass(frozen=True, slots=True)
class Spoiled:
    """How many dice each fault strikes; the fields have the faults' names."""

    leaning: int = 0
    touching: int = 0
    lost: int = 0
    on_rim: int = 0
    on_marker: int = 0
    wrong_kind: int = 0
    too_many: int = 0
    too_few: int = 0

    @classmethod
    def taken(cls, faults: ActiveFaults, now_s: float) -> Spoiled:
        """What is at work on throws now, which is over with this."""
        return cls(**{field.name: faults.take(field.name, now_s) for field in fields(cls)})

    def dice(
        self, rng: Generator, kinds: Sequence[Kind], values: Sequence[int] | None
    ) -> tuple[list[Kind], list[int | None]]:
        """Which dice are thrown, and which values they are to show; None: any."""
        thrown = list(kinds)
        wanted: list[int | None] = [None] * len(thrown) if values is None else list(values)
        for _ in range(min(self.too_few, len(thrown))):
            at = int(rng.integers(len(thrown)))
            del thrown[at], wanted[at]
        for at in rng.permutation(len(thrown))[: self.wrong_kind].tolist():
            others = [kind for kind in KINDS if kind != thrown[at]]
            thrown[at], wanted[at] = others[int(rng.integers(len(others)))], None
        for _ in range(self.too_many):
            thrown.append(kinds[int(rng.integers(len(kinds)))] if kinds else "d6")
            wanted.append(None)
        return thrown, wanted
