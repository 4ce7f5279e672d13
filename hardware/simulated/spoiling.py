"""The effect of the active faults on one throw."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from games.dice import KINDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.random import Generator

    from games.dice import Kind
    from hardware.simulated.active import ActiveFaults

SOME_LEAN = (2, 4)
"""The minimum and maximum number of cocked dice if only angles are given."""


@dataclass(frozen=True, slots=True)
class Spoiled:
    """How many dice each fault affects; the fields have the faults' names.

    `tilts_deg` is the range of tilts, if it was given: then two to four dice are cocked.
    """

    leaning: int = 0
    touching: int = 0
    lost: int = 0
    on_rim: int = 0
    on_marker: int = 0
    wrong_kind: int = 0
    too_many: int = 0
    too_few: int = 0
    tilts_deg: tuple[float, float] | None = None

    @classmethod
    def taken(cls, faults: ActiveFaults, now_s: float) -> Spoiled:
        """The faults of throws that are active; they end with this call."""
        lean = faults.at("leaning", now_s)
        struck = {field.name: faults.take(field.name, now_s) for field in fields(cls) if field.type == "int"}
        return cls(**struck, tilts_deg=lean.fault.tilts_deg if lean else None)

    def cocked(self, rng: Generator) -> int:
        """The number of cocked dice."""
        return self.leaning if self.tilts_deg is None else int(rng.integers(SOME_LEAN[0], SOME_LEAN[1] + 1))

    def dice(
        self, rng: Generator, kinds: Sequence[Kind], values: Sequence[int] | None
    ) -> tuple[list[Kind], list[int | None]]:
        """The dice thrown, and the values that they must show; None: any."""
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
