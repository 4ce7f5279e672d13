"""What happened in the tray between two settled states: which dice were thrown, and which were not."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

SLOWEST_FPS: Final = 7.0
"""With fewer frames per second a hand may come and go between two of them (`watch.GAP_S`)."""


class Arrival(StrEnum):
    """How a die came to lie where it lies: seen to move freely, seen to be set down or touched, or neither.

    One that LAY there lies as it did when the dice were read last.
    """

    THROWN = "thrown"
    HANDLED = "handled"
    UNSEEN = "unseen"
    LAY = "lay"


@dataclass(frozen=True, slots=True)
class Flight:
    """What happened in the tray between two settled states.

    Attributes:
        arrivals: for each die how it came to lie there, in the order of the boxes that were given.
        knocked: a die that lay there has left its place although no hand took it.
        interfered: a hand came over dice that had been thrown and were not yet read, or set
            one down beside them.
        fps: frames per second meanwhile, or before if there was only one frame.
        anew: for each die whether its place was seen empty since one last lay there; (): nobody can tell.
    """

    arrivals: tuple[Arrival, ...]
    knocked: bool = False
    interfered: bool = False
    fps: float = 0.0
    anew: tuple[bool, ...] = ()

    @property
    def followed(self) -> bool:
        """Whether frames came fast enough to tell a throw."""
        return self.fps >= SLOWEST_FPS
