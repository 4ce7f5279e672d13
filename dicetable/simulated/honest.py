"""Counts how the table judged honest throws: accepted at once, confirmed, vouched for, or void."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from dicetable.simulated.hands import Hands


@dataclass
class Honest:
    """Throws during which no fault was injected, and all of whose dice came to rest flat.

    A cocked die makes a throw void rightly; those are counted by the judge.

    Attributes:
        throws: all of them.
        accepted: those that the table accepted as they lay.
        void: those that it declared void.
        confirmed: those accepted after another seat confirmed a die.
        vouched: those accepted after another seat vouched for a die, with no value to confirm.
    """

    hands: Hands
    throws: int = 0
    accepted: int = 0
    void: int = 0
    confirmed: int = 0
    vouched: int = 0
    waits: bool = False

    def begins(self) -> None:
        """A throw begins. It counts if no fault is active and all its dice will lie flat."""
        self.waits = self.clean and all(die.value is not None for die in self.hands.thrown)
        self.throws += self.waits

    @property
    def clean(self) -> bool:
        """Whether no fault is active."""
        world = self.hands.world
        return not world.faults.all(world.clock.now_s())

    def spoiled(self) -> None:
        """A fault began before the throw was judged, so the throw does not count."""
        self.throws -= self.waits
        self.waits = False

    def ends(self, *, accepted: bool, confirmed: bool = False, vouched: bool = False) -> None:
        """The table has accepted the throw or declared it void."""
        if self.waits:
            self.confirmed += accepted and confirmed
            self.vouched += accepted and vouched and not confirmed
            self.accepted += accepted and not (confirmed or vouched)
            self.void += not accepted
        self.waits = False

    @property
    def summary(self) -> dict[str, int]:
        """The counts by name."""
        return {
            "throws": self.throws,
            "accepted": self.accepted,
            "void": self.void,
            "confirmed": self.confirmed,
            "vouched": self.vouched,
        }
