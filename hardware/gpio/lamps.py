"""The lamp modes of the panel's board for lamps that are only on or off, by time alone.

On, blink and chase are as on the board. A pulse, which there swells and fades in 2.048 s, is a short flash at
its brightest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardware.ports import LAMPS, Lamp, LampMode

if TYPE_CHECKING:
    from collections.abc import Mapping

BLINK_S = 1.0
PULSE_S = 2.048
FLASH_S = PULSE_S / 8
CHASE_S = 0.128
STEP_S = {LampMode.BLINK: BLINK_S / 2, LampMode.PULSE: FLASH_S / 2, LampMode.CHASE: CHASE_S}


def lit(lamps: Mapping[str, Lamp], now_s: float) -> frozenset[str]:
    """The lamps that shine at a moment; lamps of one mode go in step, chasing ones in turn."""
    chasing = [name for name in LAMPS if lamps.get(name, Lamp()).mode is LampMode.CHASE]
    turn = chasing[int(now_s / CHASE_S) % len(chasing)] if chasing else ""
    shines = {
        LampMode.OFF: False,
        LampMode.ON: True,
        LampMode.BLINK: now_s % BLINK_S < BLINK_S / 2,
        LampMode.PULSE: abs(now_s % PULSE_S - PULSE_S / 2) < FLASH_S / 2,
    }
    return frozenset(
        name for name, lamp in lamps.items() if (name == turn if name in chasing else shines[lamp.mode])
    )


def next_change_s(lamps: Mapping[str, Lamp], now_s: float) -> float:
    """The first moment after now at which other lamps may shine; infinite if nothing moves."""
    steps = {STEP_S[lamp.mode] for lamp in lamps.values() if lamp.mode in STEP_S}
    return min((step * (int(now_s / step + 1e-9) + 1) for step in steps), default=float("inf"))
