"""The messages of an established session, as frozen values, and their fields as bytes.

Down: PING, LAMPS, TEXT, acknowledgement of events. Up: PING, acknowledgements of LAMPS and TEXT, events.
Numbers are big-endian. The HELLOs are in hello.py; body.py adds type byte and check. Stateless.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, Self

from firmware_bridge.errors import MessageError

TEXT_LINES = 4
TEXT_COLUMNS = 20
MAX_INPUTS = 32
MAX_LAMPS = 12
AGE_UNIT_S = 0.01
MAX_AGE = 255


class LampMode(IntEnum):
    """How a lamp is animated; the board does that, with all lamps of a mode in step."""

    OFF = 0
    ON = 1
    BLINK = 2
    PULSE = 3
    CHASE = 4


MODES = frozenset(LampMode)


@dataclass(frozen=True, slots=True)
class Lamp:
    """One lamp: mode and colour, each channel 0 to 255."""

    mode: LampMode = LampMode.OFF
    red: int = 0
    green: int = 0
    blue: int = 0


def exactly(payload: bytes, layout: struct.Struct) -> tuple[int, ...]:
    """Unpacks the fields of a payload. Raises MessageError if its length is wrong."""
    if len(payload) != layout.size:
        raise MessageError(f"{len(payload)} payload bytes where {layout.size} are due")
    return layout.unpack(payload)


def printable(text: bytes) -> bool:
    """Whether every byte is printable ASCII, the only text on this link."""
    return all(0x20 <= byte <= 0x7E for byte in text)


@dataclass(frozen=True, slots=True)
class HostPing:
    """Down: the host is alive."""

    TYPE: ClassVar[int] = 0x02
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">")

    def payload(self) -> bytes:
        """No fields."""
        return b""

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """There are no fields to read."""
        exactly(payload, cls.LAYOUT)
        return cls()


@dataclass(frozen=True, slots=True)
class Stay:
    """Down: keep the text on the display when the host has gone, which will be soon."""

    TYPE: ClassVar[int] = 0x06
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">")

    def payload(self) -> bytes:
        """No fields."""
        return b""

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """There are no fields to read."""
        exactly(payload, cls.LAYOUT)
        return cls()


@dataclass(frozen=True, slots=True)
class BoardPing:
    """Up: the board is alive; frames rejected and bytes dropped since its reset, both modulo 65536."""

    TYPE: ClassVar[int] = 0x82
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">HH")
    damaged_frames: int
    dropped_bytes: int

    def payload(self) -> bytes:
        """The fields as bytes."""
        return self.LAYOUT.pack(self.damaged_frames, self.dropped_bytes)

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Reads the fields."""
        return cls(*exactly(payload, cls.LAYOUT))


@dataclass(frozen=True, slots=True)
class Lamps:
    """Down: the state of all lamps in a view."""

    TYPE: ClassVar[int] = 0x03
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">4B")
    view: int
    lamps: tuple[Lamp, ...]

    def payload(self) -> bytes:
        """View number, then mode, red, green, blue of every lamp."""
        each = (self.LAYOUT.pack(lamp.mode, lamp.red, lamp.green, lamp.blue) for lamp in self.lamps)
        return self.view.to_bytes(2, "big") + b"".join(each)

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Reads 1 to 12 lamps."""
        view, rest = payload[:2], payload[2:]
        count, odd = divmod(len(rest), cls.LAYOUT.size)
        if odd or not 1 <= count <= MAX_LAMPS:
            raise MessageError(f"{len(rest)} bytes are no whole number of lamps")
        if any(mode not in MODES for mode in rest[::4]):
            raise MessageError("an unknown lamp mode")
        lamps = (Lamp(LampMode(mode), *rgb) for mode, *rgb in cls.LAYOUT.iter_unpack(rest))
        return cls(int.from_bytes(view, "big"), tuple(lamps))


@dataclass(frozen=True, slots=True)
class Text:
    """Down: one line of the display in a view, always twenty printable ASCII characters."""

    TYPE: ClassVar[int] = 0x04
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">HB")
    view: int
    line: int
    text: str

    def payload(self) -> bytes:
        """View number, line from 0, characters."""
        return self.LAYOUT.pack(self.view, self.line) + self.text.encode("ascii")

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Reads one line."""
        text = payload[cls.LAYOUT.size :]
        view, line = exactly(payload[: cls.LAYOUT.size], cls.LAYOUT)
        if line >= TEXT_LINES or len(text) != TEXT_COLUMNS or not printable(text):
            raise MessageError("no line of the display")
        return cls(view, line, text.decode("ascii"))


@dataclass(frozen=True, slots=True)
class LampsAck:
    """Up: the lamps of a view are set."""

    TYPE: ClassVar[int] = 0x83
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">H")
    view: int

    def payload(self) -> bytes:
        """The view number."""
        return self.LAYOUT.pack(self.view)

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Reads the view number."""
        return cls(*exactly(payload, cls.LAYOUT))


@dataclass(frozen=True, slots=True)
class TextAck:
    """Up: the board has accepted the line of a view."""

    TYPE: ClassVar[int] = 0x84
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">HB")
    view: int
    line: int

    def payload(self) -> bytes:
        """View number, line."""
        return self.LAYOUT.pack(self.view, self.line)

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Reads view number and line."""
        view, line = exactly(payload, cls.LAYOUT)
        if line >= TEXT_LINES:
            raise MessageError("no line of the display")
        return cls(view, line)


@dataclass(frozen=True, slots=True)
class EventAck:
    """Down: every event up to this number has arrived."""

    TYPE: ClassVar[int] = 0x05
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">I")
    number: int

    def payload(self) -> bytes:
        """The event number."""
        return self.LAYOUT.pack(self.number)

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Reads the event number."""
        return cls(*exactly(payload, cls.LAYOUT))


@dataclass(frozen=True, slots=True)
class Event:
    """Up: an input was pressed or released, ``age`` hundredths of a second ago (255: or more)."""

    TYPE: ClassVar[int] = 0x85
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">IBB")
    number: int
    age: int
    input: int
    pressed: bool

    def payload(self) -> bytes:
        """Number, age, and the input with bit 7 set for a press."""
        return self.LAYOUT.pack(self.number, self.age, self.input | self.pressed << 7)

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Reads one event."""
        number, age, code = exactly(payload, cls.LAYOUT)
        if code & 0x7F >= MAX_INPUTS:
            raise MessageError(f"no board has an input {code & 0x7F}")
        return cls(number, age, code & 0x7F, bool(code >> 7))


@dataclass(frozen=True, slots=True)
class Inputs:
    """Up, numbered like an event: ``lost`` events were dropped before it; these inputs are held now.

    With ``restart`` the numbers restart here for this host, whatever it saw before. Without, this reports an
    overflow and takes its place in the sequence.
    """

    TYPE: ClassVar[int] = 0x86
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">IBHI")
    number: int
    restart: bool
    lost: int
    held: frozenset[int]

    def payload(self) -> bytes:
        """Number, restart, count of lost events (65535: or more), one bit per input."""
        return self.LAYOUT.pack(self.number, self.restart, self.lost, sum(1 << held for held in self.held))

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Reads the report."""
        number, restart, lost, bits = exactly(payload, cls.LAYOUT)
        if restart > 1:
            raise MessageError("an unknown kind of report")
        held = frozenset(which for which in range(MAX_INPUTS) if bits >> which & 1)
        return cls(number, bool(restart), lost, held)
