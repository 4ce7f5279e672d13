"""The conversation of docs/panel-link.md, byte for byte, with both boards."""

from __future__ import annotations

from typing import TYPE_CHECKING

from firmware_bridge.host_session import HostSession
from firmware_bridge.messages import Version
from tests.firmware_bridge.golden_messages import BOARD_BOOT_ID, HOST_BOOT_ID, NINE_LAMPS
from tests.firmware_bridge.vectors import rows, unhex
from tests.firmware_bridge.world import EXPECTED

if TYPE_CHECKING:
    from tests.firmware_bridge.world import NewWorld

LINES = ("Six By 6", "", "", "OK = roll")
Exchange = list[tuple[int, str, bytes]]


def conversation(new_world: NewWorld) -> Exchange:
    """Boot, link, a view, button 24 pressed at 40 ms and released at 60 ms, PINGs; at whole milliseconds."""
    world = new_world()
    world.boot_id = BOARD_BOOT_ID
    world.swap_board()
    host = HostSession(HOST_BOOT_ID, EXPECTED, Version(0, 1, 0))
    host.show(NINE_LAMPS, LINES)
    said: Exchange = []
    for ms in range(301):
        now = ms / 1000
        if ms == 5:
            host.connected(now)
        if ms in (40, 60):
            world.board.change(24, now, pressed=ms == 40)
        # What one end says in a millisecond the other hears in the next one.
        heard = [(way, wire) for at, way, wire in said if at == ms - 1]
        for way, wire in heard:
            if way == "up":
                host.receive(wire, now)
            else:
                world.board.receive(wire, now)
        host.advance(now)
        world.board.advance(now)
        said += [(ms, "down", wire)] if (wire := host.outgoing(now)) else []
        said += [(ms, "up", wire)] if (wire := world.board.outgoing(now)) else []
    return said


def test_golden_exchange(new_world: NewWorld) -> None:
    golden = [(int(ms), way, unhex(wire)) for ms, way, wire in rows("exchange")]
    assert len(golden) == 19
    assert conversation(new_world) == golden
