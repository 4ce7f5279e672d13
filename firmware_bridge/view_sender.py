"""The down direction of a host session: lamps and text lines, sent until the board has acknowledged them.

Each is a state, not a command: only its newest value is ever sent, and sending it twice does no harm. One
frame is under way at a time and lamps go first, so a lamp never waits for more than one line of text.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_bridge.messages import TEXT_COLUMNS, TEXT_LINES, Lamp, Lamps, LampsAck, Text, TextAck, printable
from firmware_bridge.protocol import VIEW_NUMBERS, ResendTimer, is_older

if TYPE_CHECKING:
    from collections.abc import Sequence

LAMPS = -1  # the slot of the lamps; a text line's slot is its number
SLOTS = (LAMPS, *range(TEXT_LINES))


class ViewSender:
    """Holds the view that the board should show and knows which parts of it the board has confirmed."""

    def __init__(self) -> None:
        self._view = 0
        self._lamps: tuple[Lamp, ...] | None = None
        self._lines: tuple[str, ...] | None = None
        self._pending: dict[int, int] = {}  # slot to the view that changed it
        self._under_way: tuple[int, int] | None = None  # slot and view of the frame sent last
        self._timer = ResendTimer()
        self._board_lamps = 0

    @property
    def shown(self) -> bool:
        """Whether the board has confirmed all that it should show."""
        return not self._pending

    @property
    def due(self) -> float:
        """When ``next`` may have something to send though nothing else happens."""
        if self._under_way is not None:
            return self._timer.due
        return float("-inf") if self._pending else float("inf")

    def show(self, lamps: Sequence[Lamp], lines: Sequence[str]) -> None:
        """Sets the whole view: a lamp each, and four lines of at most twenty printable ASCII characters."""
        if not all(0 <= channel <= 255 for lamp in lamps for channel in (lamp.red, lamp.green, lamp.blue)):
            raise ValueError("a colour's channels go from 0 to 255")
        padded = tuple(line.ljust(TEXT_COLUMNS) for line in lines)
        for line in padded:
            if len(line) != TEXT_COLUMNS or not line.isascii() or not printable(line.encode("ascii")):
                raise ValueError(f"not {TEXT_COLUMNS} printable ASCII characters: {line!r}")
        if len(padded) != TEXT_LINES:
            raise ValueError(f"the display has {TEXT_LINES} lines, not {len(padded)}")
        old = self._lines or (None,) * TEXT_LINES
        changed = [slot for slot in range(TEXT_LINES) if padded[slot] != old[slot]]
        if tuple(lamps) != self._lamps:
            changed.append(LAMPS)
        if changed:
            self._view = (self._view + 1) % VIEW_NUMBERS
            self._pending |= dict.fromkeys(changed, self._view)
        self._lamps, self._lines = tuple(lamps), padded

    def restart(self, board_lamps: int) -> None:
        """A board with `board_lamps` lamps that knows nothing of the view: all of it must be sent."""
        self._board_lamps = board_lamps
        self._under_way = None
        self._timer.stop()
        if self._lamps is not None:
            self._pending = dict.fromkeys(SLOTS, self._view)

    def acknowledge(self, ack: LampsAck | TextAck) -> None:
        """Takes the board's word that a part of a view arrived."""
        slot = ack.line if isinstance(ack, TextAck) else LAMPS
        if slot in self._pending and not is_older(ack.view, self._pending[slot]):
            del self._pending[slot]
        if self._under_way == (slot, ack.view):
            self._under_way = None
            self._timer.stop()

    def next(self, now: float) -> Lamps | Text | None:
        """The frame to send now, if any: lamps before text, and nothing while one is under way in time."""
        if self._under_way is not None:
            if now < self._timer.due:
                return None
            self._timer.expire()
            self._under_way = None
        if not self._pending or self._lamps is None or self._lines is None:
            return None
        slot = min(self._pending)
        self._under_way = (slot, self._view)
        self._timer.start(now)
        if slot == LAMPS:
            lamps = self._lamps[: self._board_lamps]
            return Lamps(self._view, lamps + (Lamp(),) * (self._board_lamps - len(lamps)))
        return Text(self._view, slot, self._lines[slot])
