"""The values of the ``message`` rows of golden_vectors.txt, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

from firmware_bridge.hello import NOBODY, BoardHello, HostHello, ResetCause, Version
from firmware_bridge.messages import (
    BoardPing,
    Event,
    EventAck,
    HostPing,
    Inputs,
    Lamp,
    LampMode,
    Lamps,
    LampsAck,
    Text,
    TextAck,
)

if TYPE_CHECKING:
    from firmware_bridge.body import Message


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
    Lamp(LampMode.OFF),
    Lamp(LampMode.ON, 255, 255, 255),
    Lamp(LampMode.BLINK, 255, 0, 0),
    Lamp(LampMode.PULSE, 0, 255, 0),
    Lamp(LampMode.CHASE, 0, 0, 255),
    Lamp(LampMode.ON, 1, 2, 3),
    Lamp(LampMode.OFF, 9, 9, 9),
    Lamp(LampMode.PULSE, 128, 64, 32),
    Lamp(LampMode.ON, 0, 0, 1),
)
MESSAGES: dict[str, Message] = {
    "host_hello": HostHello(1, 1, Version(0, 1, 0), HOST_BOOT_ID, NOBODY),
    "host_hello_remembers": HostHello(1, 1, Version(0, 1, 0), HOST_BOOT_ID, BOARD_BOOT_ID),
    "board_hello_alone": BoardHello(
        1,
        1,
        Version(1, 0, 0),
        BOARD_BOOT_ID,
        NOBODY,
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
    "lamps_dark": Lamps(65535, (Lamp(),) * 9),
    "text_first": Text(1, 0, "Six By 6".ljust(20)),
    "text_last": Text(256, 3, "OK = roll   - + walk"),
    "lamps_ack": LampsAck(1),
    "text_ack": TextAck(256, 3),
    "event_ack": EventAck(5),
    "event_pressed": Event(5, 0, 24, pressed=True),
    "event_released": Event(0xFFFFFFFF, 255, 0, pressed=False),
    "inputs_restart": Inputs(1, restart=True, lost=0, held=frozenset()),
    "inputs_overflow": Inputs(0x01020304, restart=False, lost=700, held=frozenset({0, 9, 24})),
}
