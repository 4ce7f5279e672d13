"""What the panel needs of pins, and how they are wired; RPi.GPIO and gpiod are behind it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hardware.wiring import Wiring


@dataclass(frozen=True, slots=True)
class PinSetup:
    """How the panel's pins are wired.

    Attributes:
        wiring: pins (BCM numbers) by name of control and lamp.
        buttons_to_ground: a pressed button connects its pin to ground, and the pin is pulled up; else to
            3.3 V, and it is pulled down.
        lamps_lit_high: a lamp shines while its pin is high.
        bounce_s: a button must hold so long before it counts.
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
    """Pins of one kind of driver. `open` and all after it raise DeviceError when the pins do not work."""

    @property
    def debounced(self) -> bool:
        """Whether the kernel has filtered the edges already."""

    @property
    def dims(self) -> bool:
        """Whether a lamp can shine at less than its full brightness."""

    @property
    def notes(self) -> Sequence[str]:
        """What does not work as well as it could, though nothing is wrong."""

    def open(self, changed: Callable[[int, bool, float], None], failed: Callable[[Exception], None]) -> None:
        """Takes the pins. Both functions are called on the running loop.

        Args:
            changed: pin, whether it is pressed now, and when that was seen on the loop's clock.
            failed: the pins do not work any more; best a DeviceError.
        """

    def pressed(self) -> frozenset[int]:
        """The pins of controls that are pressed now."""

    def light(self, levels: Mapping[int, float]) -> None:
        """Lets each lamp shine at its level, 0 to 1; one that is not named is dark."""

    def listen(self, pin: int, *, on: bool) -> None:
        """Turns the edges of one control off or on again."""

    def close(self) -> None:
        """Gives the pins back, lamps off; does nothing if it already has. Raises nothing."""
