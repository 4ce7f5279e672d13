"""Pins by the kernel's GPIO character device (libgpiod 2): kernel debounce and timestamps, one descriptor.

The chip is found by its label, for its number changes from one kernel to the next.
"""

from __future__ import annotations

import asyncio
import errno
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from hardware.gpio.pins import PinsError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    import gpiod

    from hardware.gpio.pins import PinSetup

CONSUMER = "dicetable"
NANO = 1e-9
DEVICES = Path("/dev")


class GpiodPins:
    """The pins of one chip."""

    debounced = True

    def __init__(self, chip_label: str, setup: PinSetup) -> None:
        self.chip_label = chip_label
        self.setup = setup
        self._inputs: gpiod.LineRequest | None = None
        self._outputs: gpiod.LineRequest | None = None
        self._deaf: set[int] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self, changed: Callable[[int, bool, float], None], failed: Callable[[PinsError], None]) -> None:
        """Takes the lines; PinsError names what is missing or who has them."""
        try:
            import gpiod
            from gpiod.line import Direction, Value
        except ImportError:
            raise PinsError("gpiod is not installed", "pip install gpiod (2.2 or newer)") from None
        self._changed, self._failed = changed, failed
        path = chip_path(self.chip_label)
        lit_low = not self.setup.lamps_lit_high
        lamp = gpiod.LineSettings(direction=Direction.OUTPUT, active_low=lit_low, output_value=Value.INACTIVE)
        try:
            if self.setup.outputs:
                self._outputs = gpiod.request_lines(
                    str(path), consumer=CONSUMER, config={tuple(self.setup.outputs): lamp}
                )
            self._inputs = gpiod.request_lines(str(path), consumer=CONSUMER, config=self._listening())
        except (OSError, ValueError) as error:
            self.close()
            raise refused(path, self.setup, error) from error
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._inputs.fd, self._readable)

    def _listening(self) -> dict[Iterable[int | str] | int | str, gpiod.LineSettings | None]:
        """The settings of every input; one that is deaf has no edges."""
        import gpiod
        from gpiod.line import Bias, Clock, Direction, Edge

        to_ground = self.setup.buttons_to_ground
        return {
            pin: gpiod.LineSettings(
                direction=Direction.INPUT,
                edge_detection=Edge.NONE if pin in self._deaf else Edge.BOTH,
                bias=Bias.PULL_UP if to_ground else Bias.PULL_DOWN,
                active_low=to_ground,
                debounce_period=timedelta(seconds=0 if pin in self._deaf else self.setup.bounce_s),
                event_clock=Clock.MONOTONIC,
            )
            for pin in self.setup.inputs
        }

    def pressed(self) -> frozenset[int]:
        """The controls that are pressed now."""
        from gpiod.line import Value

        request = self._request(self._inputs)
        try:
            values = request.get_values()
        except (OSError, ValueError) as error:
            raise gone(self.chip_label, error) from error
        pairs = zip(request.offsets, values, strict=True)
        return frozenset(pin for pin, value in pairs if value is Value.ACTIVE)

    def light(self, lit: frozenset[int]) -> None:
        """Sets every lamp."""
        from gpiod.line import Value

        if not self.setup.outputs:
            return
        values: dict[int | str, Value] = {
            pin: Value.ACTIVE if pin in lit else Value.INACTIVE for pin in self.setup.outputs
        }
        try:
            self._request(self._outputs).set_values(values)
        except (OSError, ValueError) as error:
            raise gone(self.chip_label, error) from error

    def listen(self, pin: int, *, on: bool) -> None:
        """Turns the edges of one control off or on."""
        self._deaf = self._deaf - {pin} if on else self._deaf | {pin}
        try:
            self._request(self._inputs).reconfigure_lines(self._listening())
        except (OSError, ValueError) as error:
            raise gone(self.chip_label, error) from error

    def close(self) -> None:
        """Gives the lines back."""
        if self._outputs is not None:
            with suppress(PinsError):  # the chip may be gone, and its lamps with it
                self.light(frozenset())
        if self._inputs is not None and self._loop is not None:
            self._loop.remove_reader(self._inputs.fd)
        for request in (self._inputs, self._outputs):
            if request is not None:
                request.release()
        self._inputs = self._outputs = self._loop = None
        self._deaf = set()

    def _request(self, request: gpiod.LineRequest | None) -> gpiod.LineRequest:
        if request is None:
            raise PinsError("the pins are not in use", "open them")
        return request

    def _readable(self) -> None:
        from gpiod.edge_event import EdgeEvent

        if self._inputs is None:
            return
        try:
            events = self._inputs.read_edge_events()
        except (OSError, ValueError) as error:
            self._failed(gone(self.chip_label, error))
            return
        for event in events:
            pressed = event.event_type is EdgeEvent.Type.RISING_EDGE
            self._changed(event.line_offset, pressed, event.timestamp_ns * NANO)
            if self._inputs is None:
                return  # the change was the last that could be heard


def chip_path(label: str) -> Path:
    """The device of the chip with this label; PinsError if there is none."""
    import gpiod

    found = []
    for path in sorted(DEVICES.glob("gpiochip*")):
        try:
            with gpiod.Chip(str(path)) as chip:
                info = chip.get_info()
        except PermissionError:
            raise PinsError(f"{path}: permission denied", "add the user to the group gpio") from None
        except (OSError, ValueError):
            continue  # it has just gone, or is no chip
        if label in (info.label, info.name):
            return path
        found.append(info.label)
    there = ", ".join(found) if found else "none"
    raise PinsError(f"there is no GPIO chip {label!r} (there: {there})", "correct panel.chip in the config")


def refused(path: Path, setup: PinSetup, error: OSError | ValueError) -> PinsError:
    """Why the lines were not given."""
    import gpiod

    number = error.errno if isinstance(error, OSError) else None
    if number == errno.EBUSY:
        try:
            with gpiod.Chip(str(path)) as chip:
                infos = [chip.get_line_info(pin) for pin in (*setup.inputs, *setup.outputs)]
        except (OSError, ValueError) as gone_meanwhile:
            return gone(str(path), gone_meanwhile)
        taken = [
            f"{setup.name(info.offset)} by {info.consumer or 'the kernel'}" for info in infos if info.used
        ]
        return PinsError(f"pins are in use: {', '.join(taken)}", "stop that program, or use other pins")
    if number in (errno.EPERM, errno.EACCES):
        return PinsError(f"{path}: permission denied", "add the user to the group gpio")
    if number in (errno.EINVAL, None):
        return PinsError(f"{path} has not all of these pins: {error}", "correct the pins in the config")
    return gone(str(path), error)


def gone(chip: str, error: OSError | ValueError) -> PinsError:
    """The chip does not answer any more."""
    return PinsError(
        f"the GPIO chip {chip} does not answer: {error}", "look after its plug; it is tried again"
    )
