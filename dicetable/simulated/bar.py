"""A bar with a simulated table in it: world, eye, table and people, moved on together one frame at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from dicetable.eye.messages import Eye, EyeMessage
    from dicetable.table.table import Table
    from hardware.ports import Clock, Panel

STEP_S = 1 / 30


def step(
    clock: Clock, panel: Panel, eye: Eye, table: Table, saw: Callable[[EyeMessage], None] | None = None
) -> float:
    """Waits for one frame's time and passes on what happened; the time. `saw` gets the eye's messages."""
    clock.sleep(STEP_S)
    for press in panel.presses():
        table.press(press)
    for message in eye.messages():
        table.eye(message)
        if saw:
            saw(message)
    now_s = clock.now_s()
    table.tick(now_s)
    panel.show(table.view)
    return now_s
