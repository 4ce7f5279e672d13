"""Finds what has newly happened in the states that the table sends. Pure: no clock, no input or output."""

from typing import Any, Final

EVENT_KINDS: Final = ("throw", "turn", "bust", "rack", "game_over")
"""The events of version 1."""

COUNTS: Final = "counts"
"""The verdict on each throw that is an event: only throws that count are."""

Event = dict[str, Any]
"""An object with the keys `row` and `event`, as docs/signals.md describes it."""


class NewEvents:
    """Finds the events that no earlier state had.

    A state lists the last events by the row of the ledger that caused them. What happened before the first
    state is past: no lamp flashes for it.
    """

    def __init__(self) -> None:
        self.row: int | None = None

    def of(self, state: dict[str, Any]) -> list[Event]:
        """The new events of this state, oldest first; none if rows begin anew, as after a repair."""
        listed: list[Event] = [
            event for event in state.get("events", ()) if event.get("event") in EVENT_KINDS
        ]
        row, self.row = self.row, int(state.get("row", 0))
        if row is None or self.row < row:
            return []
        return [event for event in listed if event["row"] > row]
