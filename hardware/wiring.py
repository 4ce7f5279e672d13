"""The number of each named control and lamp of a panel: a pin, or an input or lamp on the link."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hardware.ports import CONTROLS, LAMPS

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Wiring:
    """Numbers by the names of CONTROLS and LAMPS; those that a panel lacks are absent."""

    controls: Mapping[str, int]
    lamps: Mapping[str, int]

    def __post_init__(self) -> None:
        if unknown := (set(self.controls) - set(CONTROLS)) | (set(self.lamps) - set(LAMPS)):
            raise ValueError(f"no panel has {min(unknown)}")
        for numbers in (self.controls.values(), self.lamps.values()):
            if len(set(numbers)) != len(numbers):
                raise ValueError("two names have one number")


WHOLE_BOARD = Wiring(
    {name: number for number, name in enumerate(CONTROLS)},
    {name: number for number, name in enumerate(LAMPS)},
)
"""The project's own board: all controls and lamps in the order of their names."""
