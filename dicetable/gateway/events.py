"""What has newly happened, out of the states that the table tells. Pure: no clock, no input or output.

A state lists the last events by the row of the ledger that brought them about. What had happened before the
gateway saw its first state is past: no lamp flashes for it.
"""

from __future__ import annotations

from typing import Any, Final

KINDS: Final = ("throw", "turn", "bust", "rack", "game_over")
"""The events of version 1."""

Event = dict[str, Any]
"""An object with the keys `row` and `event`, as docs/signals.md describes it."""


class NewEvents:
    """Finds in each state what was in none before."""

    def __init__(self) -> None:
        self.row: int | None = None

    def of(self, state: dict[str, Any]) -> list[Event]:
        """The new events of this state, oldest first.

        A ledger whose rows begin anew, as after a repair, is as if it were seen for the first time.
        """
        listed: list[Event] = [event for event in state.get("events", ()) if event.get("event") in KINDS]
        row = self.row
        newest = int(state.get("row", 0))
        self.row = newest
        if row is None or newest < row:
            return []
        return [event for event in listed if event["row"] > row]
