"""The body of a frame, ``type, payload, check``, and the session key that seeds the check.

The check is a CRC-32 (IEEE 802.3, as in zlib) over type and payload, seeded with the session key. The
boot ids of both ends and the protocol version determine that key. So a frame that passed the CRC-16 by
chance, or that was sent before a reset of either end, is still rejected. Both HELLOs, which establish the
key, are checked with key 0.
"""

from __future__ import annotations

import struct
import zlib

from firmware_bridge.errors import MessageError
from firmware_bridge.hello import BoardHello, HostHello
from firmware_bridge.messages import (
    BoardPing,
    Event,
    EventAck,
    HostPing,
    Inputs,
    Lamps,
    LampsAck,
    Stay,
    Text,
    TextAck,
)

HELLO_KEY = 0
CHECK_BYTES = 4

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
