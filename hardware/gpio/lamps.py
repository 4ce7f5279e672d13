"""The lamp modes of the panel's board for lamps on pins, as functions of time.

On, blink and chase are as on the board. If the driver can dim, a pulse fades in and out in 2.048 s as there;
otherwise it is a short flash at the pulse's brightest moment.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardware.ports import LAMPS, Lamp, LampMode

if TYPE_CHECKING:
    from collections.abc import Mapping

BLINK_S = 1.0
PULSE_S = 2.048
FLASH_S = PULSE_S / 8
FADES = 64
"""Steps of a dimmed pulse."""
CHASE_S = 0.128
STEP_S = {LampMode.BLINK: BLINK_S / 2, LampMode.PULSE: FLASH_S / 2, LampMode.CHASE: CHASE_S}
TICK = 1e-9
"""Times within this distance before a step count as in the step, because of rounding."""


def levels(lamps: Mapping[str, Lamp], now_s: float, *, dims: bool) -> dict[str, float]:
    """The brightness of each lamp at a time, 0 to 1; only 0 and 1 unless the driver dims.

    Lamps of one mode run in step; chasing lamps are lit in turn.
    """
    chasing = [name for name in LAMPS if lamps.get(name, Lamp()).mode is LampMode.CHASE]
    turn = chasing[int(now_s / CHASE_S) % len(chasing)] if chasing else ""
    shines = {
        LampMode.OFF: 0.0,
        LampMode.ON: 1.0,
        LampMode.BLINK: float(now_s % BLINK_S < BLINK_S / 2),
        LampMode.PULSE: faded(now_s) if dims else float(abs(now_s % PULSE_S - PULSE_S / 2) < FLASH_S / 2),
    }
    return {
        name: float(name == turn) if name in chasing else shines[lamp.mode] for name, lamp in lamps.items()
    }


def faded(now_s: float) -> float:
    """The brightness of a pulse, 0 to 1: it rises and falls linearly."""
    step = int(now_s / PULSE_S * FADES + TICK) % FADES
    return min(step, FADES - step) / (FADES / 2)


def next_change_s(lamps: Mapping[str, Lamp], now_s: float, *, dims: bool) -> float:
    """The next time at which a lamp may change; infinite if none is animated."""
    lengths = STEP_S | {LampMode.PULSE: PULSE_S / FADES} if dims else STEP_S
    steps = {lengths[lamp.mode] for lamp in lamps.values() if lamp.mode in lengths}
    return min((step * (int(now_s / step + TICK) + 1) for step in steps), default=float("inf"))
