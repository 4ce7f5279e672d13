"""How the evening went, minute by minute: throws, asks, voids and the machine's temperature.

It is kept in memory alone and begins anew when the table starts. Its times are how long ago something was,
so that a clock which is set meanwhile moves nothing.
"""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

    from dicetable.table.meters import Meters
    from games.requests import JsonObject

EVERY_S: Final = 60.0
LONGEST: Final = 12 * 60
"""Minutes: an evening and what came before it."""


class Minute(NamedTuple):
    """What a minute brought; `celsius` is at its end, None without a thermometer."""

    ended_s: float
    throws: int
    asked: int
    void: int
    celsius: float | None


class History:
    """The minutes of the evening. `celsius` measures the temperature and its limit."""

    def __init__(self, now_s: float, celsius: Callable[[], tuple[float, float] | None]) -> None:
        self.celsius = celsius
        self.limit_c: float | None = None
        self.minutes: deque[Minute] = deque(maxlen=LONGEST)
        self.due_s = now_s + EVERY_S
        self.counts = (0, 0, 0)

    def note(self, now_s: float, meters: Meters) -> None:
        """Adds a minute that is over; to be called often."""
        if now_s < self.due_s:
            return
        counts = (meters.throws, meters.asked, meters.void)
        fresh = any(new < old for new, old in zip(counts, self.counts, strict=True))  # a table made anew
        before = (0, 0, 0) if fresh else self.counts
        throws, asked, void = (new - old for new, old in zip(counts, before, strict=True))
        measured = self.celsius()
        if measured is not None:
            self.limit_c = measured[1]
        self.minutes.append(
            Minute(now_s, throws, asked, void, None if measured is None else round(measured[0], 1))
        )
        self.counts = counts
        self.due_s = now_s + EVERY_S

    def to_json(self, now_s: float) -> JsonObject:
        """The minutes from the oldest on; the first of each is how long ago it ended, in seconds."""
        minutes = [[round(now_s - each.ended_s), *each[1:]] for each in self.minutes]
        return {"v": 1, "limit_c": self.limit_c, "minutes": minutes}
