"""How often the simulated table took an honest throw at first look, or called it void."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hardware.simulated.world import World


@dataclass
class Honest:
    """Throws that nothing went wrong with.

    Attributes:
        throws: how many there were.
        accepted: those that the table took as they lay.
        void: those that it called void.
        confirmed: those of which a die had to be confirmed.
    """

    world: World
    throws: int = 0
    accepted: int = 0
    void: int = 0
    confirmed: int = 0
    waits: bool = False

    def begins(self) -> None:
        """Somebody throws; it counts if no fault is at work."""
        self.waits = self.clean
        self.throws += self.waits

    @property
    def clean(self) -> bool:
        """Whether no fault is at work."""
        return not self.world.faults.all(self.world.clock.now_s())

    def spoiled(self) -> None:
        """A fault began before the throw was judged."""
        self.throws -= self.waits
        self.waits = False

    def ends(self, *, accepted: bool, confirmed: bool = False) -> None:
        """The table has taken it or called it void."""
        if self.waits:
            self.confirmed += accepted and confirmed
            self.accepted += accepted and not confirmed
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
        }
