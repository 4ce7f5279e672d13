"""How the panel's pins are wired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hardware.wiring import Wiring


@dataclass(frozen=True, slots=True)
class PinSetup:
    """The wiring of the panel's pins.

    Attributes:
        wiring: pins (BCM numbers) by name of control and lamp.
        buttons_to_ground: a pressed button connects its pin to ground, and the pin is pulled up; else to
            3.3 V, and it is pulled down.
        lamps_lit_high: a lamp is lit while its pin is high.
        bounce_s: debounce time; a press counts after this time.
    """

    wiring: Wiring
    buttons_to_ground: bool = True
    lamps_lit_high: bool = True
    bounce_s: float = 0.005

    @property
    def inputs(self) -> Sequence[int]:
        """The pins of the controls."""
        return tuple(self.wiring.controls.values())

    @property
    def outputs(self) -> Sequence[int]:
        """The pins of the lamps."""
        return tuple(self.wiring.lamps.values())

    def name(self, pin: int) -> str:
        """Such as `gpio:17 (seat1.ok)`."""
        both = {**self.wiring.controls, **self.wiring.lamps}
        names = [name for name, number in both.items() if number == pin]
        return f"gpio:{pin} ({names[0]})" if names else f"gpio:{pin}"
