"""The two HELLOs: the identity of each end, its boot id, and the protocol versions it speaks.

Their first fields never change, so that ends of any two versions can explain why they cannot talk. Later
versions may append fields, which are ignored.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import ClassVar, Self

from firmware_bridge.errors import BoardMismatchError, MessageError, VersionMismatchError
from firmware_bridge.messages import MAX_INPUTS, MAX_LAMPS, exactly, printable
from firmware_bridge.protocol import NEWEST_VERSION, OLDEST_VERSION, common_version

NOBODY = 0  # a boot id that no end ever has
MAX_BOARD_ID = 16


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
    """Down: the host's identity, and the boot id of the board whose events it remembers (NOBODY if none)."""

    TYPE: ClassVar[int] = 0x01
    LAYOUT: ClassVar[struct.Struct] = struct.Struct(">BB3BII")
    oldest: int
    newest: int
    software: Version
    boot_id: int
    remembers: int

    def payload(self) -> bytes:
        """The fields as bytes."""
        release = (self.software.major, self.software.minor, self.software.patch)
        return self.LAYOUT.pack(self.oldest, self.newest, *release, self.boot_id, self.remembers)

    @classmethod
    def parse(cls, payload: bytes) -> Self:
        """Reads the fixed first fields; fields that a later version appends are ignored."""
        fields = exactly(payload[: cls.LAYOUT.size], cls.LAYOUT)
        oldest, newest, major, minor, patch, boot_id, remembers = fields
        if oldest > newest or boot_id == NOBODY:
            raise MessageError("a HELLO of an impossible host")
        return cls(oldest, newest, Version(major, minor, patch), boot_id, remembers)


@dataclass(frozen=True, slots=True)
class BoardHello:
    """Up: the board's identity, the host it answers (NOBODY if none), and whether its events resume."""

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
        if oldest > newest or boot_id == NOBODY or resumed > 1:
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
        for what, has, needed in (
            ("inputs", hello.inputs, self.inputs),
            ("lamps", hello.lamps, self.lamps),
        ):
            if has < needed:
                raise BoardMismatchError(
                    f"board {hello.board_id!r} has {has} {what}, configured are {needed}"
                )
        return version
