"""The whole path in real time: event loop, terminal device, firmware on its processor, pins, and back."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from firmware_bridge.host_session import InputChanged, InputsReported, Linked, LossCause, Lost
from firmware_bridge.messages import BoardLamp, BoardLampMode
from tests.firmware_bridge.firmware.real_time import HANGING_S, RealTimePanel
from tests.firmware_bridge.world import LAMPS

if TYPE_CHECKING:
    from pathlib import Path

COLOUR_ON_THE_CHAIN = "0c030201" * LAMPS  # brightness, blue, green, red


async def press_and_show(panel: RealTimePanel, button: int) -> None:
    """A link comes up, the view comes out of the pins, and a pressed button arrives."""
    await panel.event(Linked)
    await panel.event(InputsReported)
    while COLOUR_ON_THE_CHAIN not in await panel.answer("lamps"):
        pass
    panel.command(f"input 0 {button} 1")
    changed = await panel.event(InputChanged)
    assert isinstance(changed, InputChanged)
    assert (changed.input, changed.pressed) == (button, True)


def test_button_and_view_through_a_reset(simulator: Path, panel_elf: Path, tmp_path: Path) -> None:
    async def run() -> None:
        async with asyncio.timeout(HANGING_S):
            panel = await RealTimePanel.start(simulator, panel_elf)
            device = tmp_path / "panel"
            device.symlink_to(await panel.answer("pty"))
            link = panel.connect(device)
            link.show((BoardLamp(BoardLampMode.ON, 1, 2, 3),) * LAMPS, ("one", "two", "three", "four"))
            await press_and_show(panel, 7)
            panel.command("reset button")
            assert await panel.event(Lost) == Lost(LossCause.BOARD_RESET)
            await press_and_show(panel, 8)
            link.close()
            await panel.stop()

    asyncio.run(run())
