"""The values of the ``message`` rows of golden_vectors.txt, by name, and bodies that are no message."""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING, TypedDict

from firmware_bridge.messages import (
    NO_BOOT_ID,
    BoardHello,
    BoardLamp,
    BoardLampMode,
    BoardPing,
    Event,
    EventAck,
    HostHello,
    HostPing,
    Inputs,
    Lamps,
    LampsAck,
    ResetCause,
    Stay,
    Text,
    TextAck,
    Version,
)

if TYPE_CHECKING:
    from firmware_bridge.messages import Message


class Facts(TypedDict):
    """What stays the same in every HELLO of the board."""

    inputs: int
    lamps: int
    board_id: str


HOST_BOOT_ID = 0x11223344
BOARD_BOOT_ID = 0xA1B2C3D4
VERSION = 1
BOARD_FACTS = Facts(inputs=25, lamps=9, board_id="dicetable-25x9")
NINE_LAMPS = (
    BoardLamp(BoardLampMode.OFF),
    BoardLamp(BoardLampMode.ON, 255, 255, 255),
    BoardLamp(BoardLampMode.BLINK, 255, 0, 0),
    BoardLamp(BoardLampMode.PULSE, 0, 255, 0),
    BoardLamp(BoardLampMode.CHASE, 0, 0, 255),
    BoardLamp(BoardLampMode.ON, 1, 2, 3),
    BoardLamp(BoardLampMode.OFF, 9, 9, 9),
    BoardLamp(BoardLampMode.PULSE, 128, 64, 32),
    BoardLamp(BoardLampMode.ON, 0, 0, 1),
)
MESSAGES: dict[str, Message] = {
    "host_hello": HostHello(1, 1, Version(0, 1, 0), HOST_BOOT_ID, NO_BOOT_ID),
    "host_hello_remembers": HostHello(1, 1, Version(0, 1, 0), HOST_BOOT_ID, BOARD_BOOT_ID),
    "board_hello_alone": BoardHello(
        1,
        1,
        Version(1, 0, 0),
        BOARD_BOOT_ID,
        NO_BOOT_ID,
        resumed=False,
        reset_cause=ResetCause.POWER,
        **BOARD_FACTS,
    ),
    "board_hello_answer": BoardHello(
        1,
        1,
        Version(1, 0, 0),
        BOARD_BOOT_ID,
        HOST_BOOT_ID,
        resumed=False,
        reset_cause=ResetCause.POWER,
        **BOARD_FACTS,
    ),
    "board_hello_resumed": BoardHello(
        1,
        1,
        Version(1, 0, 0),
        BOARD_BOOT_ID,
        HOST_BOOT_ID,
        resumed=True,
        reset_cause=ResetCause.WATCHDOG,
        **BOARD_FACTS,
    ),
    "host_ping": HostPing(),
    "board_ping": BoardPing(3, 65535),
    "lamps": Lamps(1, NINE_LAMPS),
    "lamps_dark": Lamps(65535, (BoardLamp(),) * 9),
    "text_first": Text(1, 0, "Six By 6".ljust(20)),
    "text_last": Text(256, 3, "OK = roll   - + walk"),
    "lamps_ack": LampsAck(1),
    "text_ack": TextAck(256, 3),
    "event_ack": EventAck(5),
    "event_pressed": Event(5, 0, 24, pressed=True),
    "event_released": Event(0xFFFFFFFF, 255, 0, pressed=False),
    "inputs_restart": Inputs(1, restart=True, lost=0, held=frozenset()),
    "inputs_overflow": Inputs(0x01020304, restart=False, lost=700, held=frozenset({0, 9, 24})),
    "stay": Stay(),
}
# Type and payload of what is no message, though its check may fit.
REFUSED = {
    "unknown type": "7f",
    "no type": "",
    "ping with payload": "0201",
    "stay with payload": "0601",
    "board ping cut": "82000300",
    "no lamps": "030001",
    "lamp cut": "03000101ffffff01",
    "unknown mode": "03000105ffffff",
    "thirteen lamps": "030001" + "00000000" * 13,
    "line 4": "04000104" + "20" * 20,
    "short line": "04000100" + "20" * 19,
    "control character": "04000100" + "20" * 19 + "1f",
    "not ascii": "04000100" + "20" * 19 + "7f",
    "ack of line 4": "84000104",
    "event of input 32": "85000000010020",
    "report of an unknown kind": "860000000102000000000000",
    "versions reversed": "01020100010011223344" + "00000000",
    "host without boot id": "01010100010000000000" + "00000000",
    "host hello cut": "010101000100112233",
    "board id cut": "810101010000a1b2c3d40000000000011909" + "056162",
    "board without id": "810101010000a1b2c3d40000000000011909" + "00",
    "board of no inputs": "810101010000a1b2c3d40000000000010009" + "0161",
    "board of 33 inputs": "810101010000a1b2c3d40000000000012109" + "0161",
}


def checked(plain: bytes, key: int) -> bytes:
    """The body with this type and payload."""
    return plain + zlib.crc32(plain, key).to_bytes(4, "big")
