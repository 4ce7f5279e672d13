"""A 20×4 character display as its bus sees it: an HD44780 that also minds how long it was given."""

from __future__ import annotations

from firmware_bridge.messages import TEXT_COLUMNS

LINE_STARTS = (0x00, 0x40, 0x14, 0x54)
BUSY_US, CLEAR_BUSY_US = 37, 1520  # HD44780U data sheet, table 6


class Display:
    """Follows the bytes; its memory holds what a person would read."""

    def __init__(self) -> None:
        self.memory = [" "] * 0x80
        self.too_fast = 0
        self._address = 0
        self._ready_us = 0

    @property
    def lines(self) -> tuple[str, ...]:
        return tuple("".join(self.memory[start : start + TEXT_COLUMNS]) for start in LINE_STARTS)

    def write(self, us: int, *, is_data: bool, byte: int) -> None:
        if us < self._ready_us:
            self.too_fast += 1
        self._ready_us = us + (CLEAR_BUSY_US if not is_data and byte in (1, 2) else BUSY_US)
        if is_data:
            self.memory[self._address] = chr(byte)
            self._address = (self._address + 1) % 0x80
        elif byte & 0x80:
            self._address = byte & 0x7F
        elif byte == 1:
            self.memory = [" "] * 0x80
            self._address = 0
