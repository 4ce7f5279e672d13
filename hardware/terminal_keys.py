"""Parses the keys of a terminal in raw mode: bytes in, named keys out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardware.ports import SEATS, Lamp, LampMode

if TYPE_CHECKING:
    from collections.abc import Mapping

ESCAPED = {b"[A": "up", b"[B": "down", b"[C": "right", b"[D": "left", b"OA": "up", b"OB": "down"}
NAMED = {
    0x0D: "enter",
    0x0A: "enter",
    0x7F: "back",
    0x08: "back",
    0x03: "leave",
    0x04: "leave",
    0x20: "space",
}
ESCAPE = 0x1B


class KeyParser:
    """Assembles bytes into keys; an escape sequence may arrive in pieces."""

    def __init__(self) -> None:
        self.begun = b""

    def feed(self, data: bytes) -> list[str]:
        """The keys that are complete: a printable character, or a name such as "enter" or "left"."""
        keys = []
        for byte in data:
            if self.begun:
                self.begun += bytes([byte])
                if len(self.begun) == 2 and byte not in b"[O":
                    self.begun = b""
                elif len(self.begun) > 2 and 0x40 <= byte <= 0x7E:
                    if (name := ESCAPED.get(self.begun[1:])) is not None:
                        keys.append(name)
                    self.begun = b""
                elif len(self.begun) > 8:
                    self.begun = b""
            elif byte == ESCAPE:
                self.begun = bytes([byte])
            elif byte in NAMED:
                keys.append(NAMED[byte])
            elif 0x20 < byte < 0x7F:
                keys.append(chr(byte))
        return keys


def meant(key: str, lamps: Mapping[str, Lamp]) -> int:
    """The seat that a key without a seat is for: OK for one whose lamp blinks, because its OK is asked for.

    Else, and for − and +, the first lit seat whose lamp does not blink; the first one if none is lit.
    """
    lit = {n: lamps.get(f"seat{n}", Lamp()).mode for n in range(1, SEATS + 1)}
    lit = {n: mode for n, mode in lit.items() if mode is not LampMode.OFF}
    first = sorted(lit, key=lambda n: ((lit[n] is LampMode.BLINK) is not (key == "ok"), n))
    return first[0] if first else 1
