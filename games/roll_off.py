"""Who goes first: each seat throws in the open, the highest score begins, seats tied for it throw again."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RollOff:
    """Seats still to throw, the next one first, and the (score, seat) of those that have thrown."""

    waiting: tuple[int, ...]
    thrown: tuple[tuple[int, int], ...] = ()

    @property
    def thrower(self) -> int:
        """The seat that throws next."""
        return self.waiting[0]

    def after(self, score: int) -> RollOff | int:
        """The roll-off after the next seat threw `score`, or the seat that won it."""
        thrown = (*self.thrown, (score, self.thrower))
        if len(self.waiting) > 1:
            return RollOff(self.waiting[1:], thrown)
        top = max(thrown)[0]
        tied = tuple(seat for score, seat in thrown if score == top)
        return tied[0] if len(tied) == 1 else RollOff(tied)
