"""The messages of panel link v1 as frozen values, and as the bodies of frames. Stateless.

Down: HELLO, PING, LAMPS, TEXT, acknowledgement of events. Up: HELLO, PING, acknowledgements of LAMPS and
TEXT, events. The two HELLOs identify each end, its boot id and the protocol versions it speaks. Their first
fields never change, so that ends of any two versions can explain why they cannot talk; later versions may
append fields, which are ignored.

A body is ``type, payload, check``, with big-endian numbers. The check is a CRC-32 (IEEE 802.3, as in zlib)
over type and payload, seeded with the session key, which boot ids and version determine. So a frame that
passed the CRC-16 by chance, or that was sent before a reset of either end, is still rejected. Both HELLOs,
which establish the key, are checked with key 0.
"""

import struct
import zlib
from dataclasses import dataclass, fields
from enum import IntEnum
from typing import ClassVar, Self

from firmware_bridge.errors import BoardMismatchError, MessageError, VersionMismatchError
from firmware_bridge.protocol import NEWEST_VERSION, OLDEST_VERSION, common_version

TEXT_LINES = 4
TEXT_COLUMNS = 20
MAX_INPUTS = 32
MAX_LAMPS = 12
AGE_UNIT_S = 0.01
MAX_AGE = 255
NO_BOOT_ID = 0  # stands for none: no end has it
MAX_BOARD_ID = 16
HELLO_KEY = 0
CHECK_BYTES = 4


class BoardLampMode(IntEnum):
    """How a lamp is animated; the board does that, with all lamps of a mode in step."""

    OFF = 0
    ON = 1
    BLINK = 2
    PULSE = 3
    CHASE = 4


MODES = frozenset(BoardLampMode)


@dataclass(frozen=True, slots=True)
class BoardLamp:
    """One lamp: mode and colour, each channel 0 to 255."""

    mode: BoardLampMode = BoardLampMode.OFF
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
class FixedMessage:
    """A message whose payload is its fields in order, packed by LAYOUT."""

    TYPE: ClassVar[int]
    LAYOUT: ClassVar[struct.Struct]

    def payload(self) -> bytes:
        return self.LAYOUT.pack(*(getattr(self, field.name) for field in fields(self)))

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        return cls(*exactly(payload, cls.LAYOUT))


@dataclass(frozen=True, slots=True)
class HostPing(FixedMessage):
    """Down: the host is alive."""

    TYPE: ClassVar[int] = 0x02
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">")


@dataclass(frozen=True, slots=True)
class Stay(FixedMessage):
    """Down: keep the text on the display when the host has gone, which will be soon."""

    TYPE: ClassVar[int] = 0x06
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">")


@dataclass(frozen=True, slots=True)
class BoardPing(FixedMessage):
    """Up: the board is alive; frames rejected and bytes dropped since its reset, both modulo 65536."""

    TYPE: ClassVar[int] = 0x82
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">HH")
    damaged_frames: int
    dropped_bytes: int


@dataclass(frozen=True, slots=True)
class Lamps:
    """Down: the state of all lamps in a view."""

    TYPE: ClassVar[int] = 0x03
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">4B")
    view: int
    lamps: tuple[BoardLamp, ...]

    def payload(self) -> bytes:
        """View number, then mode, red, green, blue of every lamp."""
        packed = (self.LAYOUT.pack(lamp.mode, lamp.red, lamp.green, lamp.blue) for lamp in self.lamps)
        return self.view.to_bytes(2, "big") + b"".join(packed)

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        view, rest = payload[:2], payload[2:]
        count, odd = divmod(len(rest), cls.LAYOUT.size)
        if odd or not 1 <= count <= MAX_LAMPS:
            raise MessageError(f"{len(rest)} bytes are no whole number of lamps")
        if any(mode not in MODES for mode in rest[::4]):
            raise MessageError("an unknown lamp mode")
        lamps = (BoardLamp(BoardLampMode(mode), *rgb) for mode, *rgb in cls.LAYOUT.iter_unpack(rest))
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
        text = payload[cls.LAYOUT.size :]
        view, line = exactly(payload[: cls.LAYOUT.size], cls.LAYOUT)
        if line >= TEXT_LINES or len(text) != TEXT_COLUMNS or not printable(text):
            raise MessageError("no line of the display")
        return cls(view, line, text.decode("ascii"))


@dataclass(frozen=True, slots=True)
class LampsAck(FixedMessage):
    """Up: the lamps of a view are set."""

    TYPE: ClassVar[int] = 0x83
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">H")
    view: int


@dataclass(frozen=True, slots=True)
class TextAck:
    """Up: the board has accepted the line of a view."""

    TYPE: ClassVar[int] = 0x84
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">HB")
    view: int
    line: int

    def payload(self) -> bytes:
        return self.LAYOUT.pack(self.view, self.line)

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        view, line = exactly(payload, cls.LAYOUT)
        if line >= TEXT_LINES:
            raise MessageError("no line of the display")
        return cls(view, line)


@dataclass(frozen=True, slots=True)
class EventAck(FixedMessage):
    """Down: every event up to this number has arrived."""

    TYPE: ClassVar[int] = 0x05
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">I")
    number: int


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
        number, restart, lost, bits = exactly(payload, cls.LAYOUT)
        if restart > 1:
            raise MessageError("an unknown kind of report")
        held = frozenset(which for which in range(MAX_INPUTS) if bits >> which & 1)
        return cls(number, bool(restart), lost, held)


class ResetCause(IntEnum):
    """Why the board last restarted."""

    UNKNOWN = 0
    POWER = 1
    BUTTON = 2
    BROWN_OUT = 3
    WATCHDOG = 4


CAUSES = frozenset(ResetCause)


@dataclass(frozen=True, slots=True)
class Version:
    """The version of host software or firmware; for people, never compared."""

    major: int
    minor: int
    patch: int

    def __str__(self) -> str:
        return f"{self.major}.{self.minor}.{self.patch}"


@dataclass(frozen=True, slots=True)
class HostHello:
    """Down: the host's identity, and the boot id of the board whose events it remembers, if any."""

    TYPE: ClassVar[int] = 0x01
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">BB3BII")
    oldest: int
    newest: int
    software: Version
    boot_id: int
    remembers: int

    def payload(self) -> bytes:
        release = (self.software.major, self.software.minor, self.software.patch)
        return self.LAYOUT.pack(self.oldest, self.newest, *release, self.boot_id, self.remembers)

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Reads the fixed first fields; fields that a later version appends are ignored."""
        fields = exactly(payload[: cls.LAYOUT.size], cls.LAYOUT)
        oldest, newest, major, minor, patch, boot_id, remembers = fields
        if oldest > newest or boot_id == NO_BOOT_ID:
            raise MessageError("a HELLO of an impossible host")
        return cls(oldest, newest, Version(major, minor, patch), boot_id, remembers)


@dataclass(frozen=True, slots=True)
class BoardHello:
    """Up: the board's identity, the host it answers, if any, and whether its events resume."""

    TYPE: ClassVar[int] = 0x81
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">BB3BIIBBBBB")
    oldest: int
    newest: int
    firmware: Version
    boot_id: int
    answers: int
    resumed: bool
    reset_cause: ResetCause
    inputs: int
    lamps: int
    board_id: str

    def payload(self) -> bytes:
        """The fields as bytes; the board id is last, preceded by its length."""
        release = (self.firmware.major, self.firmware.minor, self.firmware.patch)
        name = self.board_id.encode("ascii")
        ids = (self.boot_id, self.answers, self.resumed, self.reset_cause, self.inputs, self.lamps, len(name))
        return self.LAYOUT.pack(self.oldest, self.newest, *release, *ids) + name

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Reads the fixed first fields and the board id; fields that a later version appends are ignored."""
        fixed, rest = payload[: cls.LAYOUT.size], payload[cls.LAYOUT.size :]
        oldest, newest, major, minor, patch, *ids = exactly(fixed, cls.LAYOUT)
        boot_id, answers, resumed, cause, inputs, lamps, length = ids
        name = rest[:length]
        if len(name) != length or not 1 <= length <= MAX_BOARD_ID or not printable(name):
            raise MessageError("a HELLO whose board id is not 1 to 16 printable characters")
        if oldest > newest or boot_id == NO_BOOT_ID or resumed > 1:
            raise MessageError("a HELLO of an impossible board")
        if not 1 <= inputs <= MAX_INPUTS or not 1 <= lamps <= MAX_LAMPS:
            raise MessageError("a HELLO of an impossible board")
        reset_cause = ResetCause(cause) if cause in CAUSES else ResetCause.UNKNOWN
        release = Version(major, minor, patch)
        whole = (boot_id, answers, bool(resumed), reset_cause, inputs, lamps, name.decode("ascii"))
        return cls(oldest, newest, release, *whole)


@dataclass(frozen=True, slots=True)
class ExpectedBoard:
    """The kind of board that the configuration needs, with the minimum numbers of inputs and lamps."""

    board_id: str
    inputs: int
    lamps: int

    def accept(self, hello: BoardHello) -> int:
        """The protocol version to speak with this board. Raises RefusedError if the board does not match."""
        version = common_version(hello.oldest, hello.newest)
        if version is None:
            raise VersionMismatchError(
                f"the board's firmware {hello.firmware} speaks versions {hello.oldest} to {hello.newest}, "
                f"this host versions {OLDEST_VERSION} to {NEWEST_VERSION}: flash the firmware of this release"
            )
        if hello.board_id != self.board_id:
            raise BoardMismatchError(
                f"the board is {hello.board_id!r}, expected is {self.board_id!r}: correct config or firmware"
            )
        for name, has, needed in (
            ("inputs", hello.inputs, self.inputs),
            ("lamps", hello.lamps, self.lamps),
        ):
            if has < needed:
                raise BoardMismatchError(
                    f"board {hello.board_id!r} has {has} {name}, configured are {needed}"
                )
        return version


DownMessage = HostHello | HostPing | Stay | Lamps | Text | EventAck
UpMessage = BoardHello | BoardPing | LampsAck | TextAck | Event | Inputs
Message = DownMessage | UpMessage
HELLOS = (HostHello, BoardHello)
BY_TYPE: dict[int, type[Message]] = {
    kind.TYPE: kind
    for kind in (
        *HELLOS,
        HostPing,
        Stay,
        BoardPing,
        Lamps,
        Text,
        LampsAck,
        TextAck,
        EventAck,
        Event,
        Inputs,
    )
}


def to_body(message: Message, key: int) -> bytes:
    """The body of the message's frame; ``key`` is the session key, which a HELLO does not use."""
    plain = bytes((message.TYPE,)) + message.payload()
    check = zlib.crc32(plain, HELLO_KEY if isinstance(message, HELLOS) else key)
    return plain + check.to_bytes(CHECK_BYTES, "big")


def from_body(body: bytes, key: int | None) -> Message:
    """The message in a body; with ``key`` None (no session) only a HELLO is valid. Raises MessageError."""
    plain, check = body[:-CHECK_BYTES], body[-CHECK_BYTES:]
    kind = BY_TYPE.get(plain[0]) if plain else None
    if kind is None:
        raise MessageError("no message of this protocol")
    start = HELLO_KEY if kind in HELLOS else key
    if start is None or zlib.crc32(plain, start).to_bytes(CHECK_BYTES, "big") != check:
        raise MessageError("damaged, or from another session")
    return kind.parse(plain[1:])


def session_key(host_boot_id: int, board_boot_id: int, version: int) -> int:
    """The session key: the CRC-32 of host boot id, board boot id and version."""
    return zlib.crc32(struct.pack(">IIB", host_boot_id, board_boot_id, version))
