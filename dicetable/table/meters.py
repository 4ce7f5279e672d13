"""Counts and times what happens at the running table: for dashboards, not for the game.

An event costs one addition; everything dearer is computed on request. The counts start at zero with the
table; those of the ledger are in docs/statistics.md.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Final

from dicetable.ledger.entries import Revealed, Thrown
from dicetable.table.acceptance import Rejected, Void
from games.requests import JsonObject
from vision.reading import Reading

VERSION: Final = 1
BOUNDS_MS: Final = (1, 2, 5, 10, 20, 50, 100, 150, 200, 300, 500, 1000, 2000, 5000)
STAGES: Final = ("read", "accept", "save", "turn")
"""The parts of a throw that are timed: from the last frame that was read to its dice at the table; from there
to an accepted throw; the ledger's part of that; one turn of the loop."""


class Histogram:
    """How many durations were within each of BOUNDS_MS, and how many took longer."""

    def __init__(self) -> None:
        self.counts = [0] * (len(BOUNDS_MS) + 1)
        self.sum_ms = 0.0

    def note(self, ms: float) -> None:
        self.counts[bisect_left(BOUNDS_MS, ms)] += 1
        self.sum_ms += ms

    def to_json(self) -> JsonObject:
        """The JSON for the gateway; the last count is of those beyond all bounds."""
        return {"counts": list(self.counts), "sum_ms": round(self.sum_ms, 3)}


class Meters:
    """All counts and durations of one table; `gauges` are read on request."""

    def __init__(self) -> None:
        self.throws = self.dice = self.by_hand = self.confirmed = self.vouched = 0
        self.asked = self.void = self.cocked = 0
        self.degraded: Counter[str] = Counter()
        self.stages = {name: Histogram() for name in STAGES}
        self.gauges: Mapping[str, Callable[[], float | None]] = {}
        self.rejected_reading: Reading | None = None

    def accepted(self, entry: Thrown | Revealed) -> None:
        self.throws += 1
        self.dice += len(entry.dice)
        self.by_hand += isinstance(entry, Thrown) and entry.by_hand
        self.confirmed += sum(die.confirmed_by is not None for die in entry.details)
        self.vouched += sum(die.vouched_by is not None for die in entry.details)

    def rejected(self, outcome: Rejected | Void) -> None:
        """Counts a throw that is not accepted; the same one may be reported again."""
        if outcome.reading is self.rejected_reading:
            return
        self.rejected_reading = outcome.reading
        self.asked += 1
        self.void += isinstance(outcome, Void)
        self.cocked += sum(die.cocked for die in outcome.reading.dice)

    def to_json(self) -> JsonObject:
        return {
            "v": VERSION,
            "throws": self.throws,
            "dice": self.dice,
            "by_hand": self.by_hand,
            "confirmed": self.confirmed,
            "vouched": self.vouched,
            "asked": self.asked,
            "void": self.void,
            "cocked": self.cocked,
            "degraded": dict(self.degraded),
            "bounds_ms": list(BOUNDS_MS),
            "stages": {name: histogram.to_json() for name, histogram in self.stages.items()},
            "gauges": {name: ask() for name, ask in self.gauges.items()},
        }
