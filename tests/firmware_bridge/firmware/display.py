"""A 20×4 HD44780 display at its bus, which also checks the timing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_bridge.messages import TEXT_COLUMNS

if TYPE_CHECKING:
    from random import Random

BUSY_US, CLEAR_BUSY_US = 37, 1520  # HD44780U data sheet, table 6
ROW, SECOND_ROW = 40, 0x40
BLANK = (" " * TEXT_COLUMNS,) * 4


class Display:
    """Follows the nibbles; `lines` is what a person reads. D0 to D3 of its bus are on ground."""

    def __init__(self) -> None:
        self.memory = {base + column: " " for base in (0, SECOND_ROW) for column in range(ROW)}
        self.too_fast = self.clears = 0
        self._ready_us = 0
        self.lose_power()

    def lose_power(self) -> None:
        """What a supply that fails for a moment leaves: a bus of eight bits, one line, nothing shown."""
        self._four_bits = self._two_lines = self._on = False
        self._rightward, self._shifting = True, False
        self._high: int | None = None
        self._address = self._shift = 0
        self._in_font = False

    def slip(self) -> None:
        """A spike on E: half a byte too many."""
        self._high = 0x3 if self._high is None else None

    def garble(self, random: Random) -> None:
        """Any state at all."""
        for cell in self.memory:
            self.memory[cell] = chr(random.randrange(32, 127))
        self._four_bits, self._two_lines, self._on = (random.random() < 0.5 for _ in range(3))
        self._rightward, self._shifting, self._in_font = (random.random() < 0.5 for _ in range(3))
        self._high = random.choice((None, random.randrange(16))) if self._four_bits else None
        self._address, self._shift = random.choice(list(self.memory)), random.randrange(ROW)

    def shift(self) -> None:
        """An instruction that nobody sent moves all that is shown."""
        self._shift = (self._shift + 7) % ROW

    @property
    def lines(self) -> tuple[str, ...]:
        if not self._on:
            return BLANK
        rows = [
            "".join(self.memory[base + (column + self._shift) % ROW] for column in range(ROW))
            if self._two_lines or base == 0
            else " " * ROW
            for base in (0, SECOND_ROW)
        ]
        return tuple(row[at : at + TEXT_COLUMNS] for at in (0, TEXT_COLUMNS) for row in rows)

    def take(self, us: int, *, is_data: bool, nibble: int) -> None:
        if us < self._ready_us:
            self.too_fast += 1
        if self._four_bits and self._high is None:
            self._high = nibble
            return
        byte = nibble << 4 if self._high is None else self._high << 4 | nibble
        self._high = None
        self._ready_us = us + (CLEAR_BUSY_US if not is_data and byte in (1, 2, 3) else BUSY_US)
        if is_data:
            self._write(chr(byte))
        else:
            self._obey(byte)

    def _write(self, character: str) -> None:
        if not self._in_font:
            self.memory[self._address] = character
        self._move()
        if self._shifting:
            self._shift = (self._shift + (1 if self._rightward else -1)) % ROW

    def _move(self) -> None:
        cells = sorted(self.memory)
        at = cells.index(self._address) + (1 if self._rightward else -1)
        self._address = cells[at % len(cells)]

    def _obey(self, byte: int) -> None:
        if byte & 0x80:
            cell = byte & 0x7F
            self._address, self._in_font = (cell if cell in self.memory else 0), False
        elif byte & 0x40:
            self._in_font = True
        elif byte & 0x20:
            self._four_bits, self._two_lines = not byte & 0x10, bool(byte & 0x08)
        elif byte & 0x10:
            if byte & 0x08:
                self._shift = (self._shift + (-1 if byte & 0x04 else 1)) % ROW
            else:
                self._move()
        elif byte & 0x08:
            self._on = bool(byte & 0x04)
        elif byte & 0x04:
            self._rightward, self._shifting = bool(byte & 0x02), bool(byte & 0x01)
        elif byte & 0x03:
            self._address, self._shift, self._in_font = 0, 0, False
            if byte == 1:
                self.clears += 1
                self._rightward = True
                self.memory = dict.fromkeys(self.memory, " ")
