"""Finds what has newly happened in the states that the table sends. Pure: no clock, no input or output."""

from typing import Final, get_args

from common.snapshot import EventName, Snapshot, TableEvent

EVENT_KINDS: Final[tuple[EventName, ...]] = get_args(EventName)
"""The events of version 1."""

COUNTS: Final = "counts"
"""The verdict on each throw that is an event: only throws that count are."""


class NewEvents:
    """Finds the events that no earlier state had.

    A state lists the last events by the row of the ledger that caused them. What happened before the first
    state is past: no lamp flashes for it.
    """

    def __init__(self) -> None:
        self.row: int | None = None

    def of(self, snapshot: Snapshot) -> list[TableEvent]:
        """The new events of this snapshot, oldest first; none if rows begin anew, as after a repair."""
        row, self.row = self.row, snapshot["row"]
        if row is None or self.row < row:
            return []
        return [event for event in snapshot["events"] if event["row"] > row]
