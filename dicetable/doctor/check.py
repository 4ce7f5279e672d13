"""The result of one of the doctor's checks, for people and as JSON."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from dicetable import texts


@dataclass(frozen=True, slots=True)
class Check:
    """The state of one part. `remedy` is empty if nothing needs to be done; notes are not faults."""

    part: str
    ok: bool
    state: str
    remedy: str = ""
    notes: tuple[str, ...] = ()

    def lines(self) -> list[str]:
        """For people."""
        head = f"{texts.doctor.GOOD if self.ok else texts.doctor.BAD:5} {self.part}: {self.state}"
        remedy = [f"      -> {self.remedy}"] if self.remedy else []
        return [head, *remedy, *(f"      ({note})" for note in self.notes)]

    def json(self) -> dict[str, Any]:
        """For programs."""
        return asdict(self)
