"""The interface between the panel and its pins, and their wiring; RPi.GPIO and gpiod implement it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

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


class Pins(Protocol):
    """Pins through one library. `open` and all later calls raise DeviceError if the pins do not work."""

    @property
    def debounced(self) -> bool:
        """Whether the kernel has debounced the edges already."""

    @property
    def dims(self) -> bool:
        """Whether lamps can be dimmed."""

    @property
    def notes(self) -> Sequence[str]:
        """Limitations that are not faults."""

    def open(self, changed: Callable[[int, bool, float], None], failed: Callable[[Exception], None]) -> None:
        """Opens the pins. Both callbacks are called on the running loop.

        Args:
            changed: the pin, whether it is pressed now, and when that was seen on the loop's clock.
            failed: the pins no longer work; preferably a DeviceError.
        """

    def pressed(self) -> frozenset[int]:
        """The pins of pressed controls."""

    def light(self, levels: Mapping[int, float]) -> None:
        """Sets the level of each lamp, 0 to 1; lamps not named are off."""

    def listen(self, pin: int, *, on: bool) -> None:
        """Disables or enables the edges of one control."""

    def close(self) -> None:
        """Releases the pins, lamps off; does nothing if already released. Never raises."""
