"""Advances a simulated world, its eye, table and panel together, one frame at a time."""

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
    """Sleeps for one frame, passes on presses and messages, and returns the time in seconds.

    `saw` is called with each message of the eye after the table has handled it.
    """
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
