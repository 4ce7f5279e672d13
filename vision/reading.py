"""What the reader says of one frame: the dice it saw, how sure it is of each. Data only."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from games.dice import FACES, Kind

Image: TypeAlias = npt.NDArray[np.uint8]
"""A frame: uint8, H×W (grey) or H×W×3 (BGR, as OpenCV has it)."""

Box: TypeAlias = tuple[int, int, int, int]
"""x, y, width, height in whole pixels of the frame."""


@dataclass(frozen=True, slots=True)
class DieReading:
    """One die as it was seen.

    Attributes:
        kind: what die it is; None if it could not be told.
        value: the face that counts, 1 … faces of the kind; None if it could not be read.
        confidence: 0 … 1, how likely kind and value are right.
        sure: whether the table may go by this value. Only a sure value is ever played.
        box: the whole visible die in the frame.
        cocked: the die leans on something, so that no face counts; then value is None and sure False.
        stranger: the table's own dice are enrolled and this is none of them; then sure is False.
    """

    kind: Kind | None
    value: int | None
    confidence: float
    sure: bool
    box: Box
    cocked: bool = False
    stranger: bool = False

    def __post_init__(self) -> None:
        if not 0.0 <= self.confidence <= 1.0:
            raise ValueError(f"confidence {self.confidence} is not within 0 … 1")
        if self.value is not None and (self.kind is None or not 1 <= self.value <= FACES[self.kind]):
            raise ValueError(f"a {self.kind or 'die of unknown kind'} has no face {self.value}")
        if self.sure and (self.value is None or self.cocked or self.stranger):
            raise ValueError("a die is sure only with a value, lying flat, and if it is no stranger's")


@dataclass(frozen=True, slots=True)
class Reading:
    """All dice of one frame, sorted by the top, then the left of their boxes."""

    dice: tuple[DieReading, ...]

    @property
    def sure(self) -> bool:
        """Whether every die in it is sure."""
        return all(die.sure for die in self.dice)
