"""The up direction of a host session: takes each event once and in order, by board boot id and number.

It does no I/O and does not know what an input means.
"""

from __future__ import annotations

from firmware_bridge.hello import NOBODY
from firmware_bridge.messages import Event, Inputs
from firmware_bridge.protocol import EVENT_NUMBERS


class EventReceiver:
    """Remembers the last event of one board."""

    def __init__(self) -> None:
        self.board_boot_id = NOBODY
        self._last: int | None = None

    @property
    def acknowledged(self) -> int | None:
        """The number to acknowledge: that of the last event taken; None before the board's first report."""
        return self._last

    def begin(self, board_boot_id: int, *, resumed: bool) -> None:
        """Starts a session with a board; unless it is resumed, it begins with an INPUTS that restarts."""
        if not resumed or board_boot_id != self.board_boot_id:
            self._last = None
        self.board_boot_id = board_boot_id

    def take(self, event: Event | Inputs) -> bool:
        """Whether to take the event as the next one; if not, it is a repeat, or an earlier one is missing."""
        if isinstance(event, Inputs) and event.restart:
            ahead = 1 if self._last is None else (event.number - self._last) % EVENT_NUMBERS
            new = 0 < ahead < EVENT_NUMBERS // 2
        else:
            new = self._last is not None and event.number == (self._last + 1) % EVENT_NUMBERS
        if new:
            self._last = event.number
        return new
