"""Pins through the kernel's GPIO character device (libgpiod 2): kernel debouncing and timestamps.

The chip is found by its label, because its number differs between kernels. The character device can only
switch lamps on and off, not dim them.
"""

from __future__ import annotations

import asyncio
import errno
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hardware.errors import (
    DeviceError,
    LinkLostError,
    NoDeviceError,
    NoPermissionError,
    NotInstalledError,
    PinInUseError,
    WrongDeviceError,
)
from hardware.installing import with_pip
from hardware.unforeseen import one_line

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import gpiod

    from hardware.gpio.pins import PinSetup

CONSUMER = "dicetable"
NANO = 1e-9
DEVICES = Path("/dev")
HEADERS: Final = ("pinctrl-rp1", "pinctrl-bcm2711", "pinctrl-bcm2835")
"""The labels of the chips with the header's pins: of the Pi 5, the Pi 4, and older ones."""
PACKAGE: Final = "gpiod>=2.2"


class GpiodPins:
    """The pins of the chip with this label; without one, of the chip with a Raspberry Pi's header."""

    debounced = True
    dims = False
    notes: Sequence[str] = ()

    def __init__(self, chip_label: str | None, setup: PinSetup) -> None:
        self.chip_label = chip_label
        self.setup = setup
        self._inputs: gpiod.LineRequest | None = None
        self._outputs: gpiod.LineRequest | None = None
        self._deaf: set[int] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    def open(self, changed: Callable[[int, bool, float], None], failed: Callable[[Exception], None]) -> None:
        """Requests the lines. Raises DeviceError, which names what is missing or who uses them."""
        try:
            import gpiod
            from gpiod.line import Direction, Value
        except ImportError:  # or it is version 1, which has no gpiod.line
            raise NotInstalledError("gpiod 2 is not installed", with_pip(PACKAGE)) from None
        except Exception as error:
            raise NotInstalledError(
                f"gpiod cannot be loaded: {one_line(error)}", with_pip(PACKAGE)
            ) from error
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
        except Exception as error:
            self.close()
            raise refused(path, self.setup, error) from error
        self._loop = asyncio.get_running_loop()
        self._loop.add_reader(self._inputs.fd, self._readable)

    def _listening(self) -> dict[Iterable[int | str] | int | str, gpiod.LineSettings | None]:
        """The settings of every input; an ignored one has no edges."""
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
        """The pressed controls."""
        from gpiod.line import Value

        request = self._request(self._inputs)
        try:
            values = request.get_values()
        except Exception as error:
            raise gone(self.chip_name, error) from error
        pairs = zip(request.offsets, values, strict=True)
        return frozenset(pin for pin, value in pairs if value is Value.ACTIVE)

    @property
    def chip_name(self) -> str:
        """The label, or a description in place of it."""
        return self.chip_label or "of the header"

    def light(self, levels: Mapping[int, float]) -> None:
        """Sets every lamp: on from half its brightness."""
        from gpiod.line import Value

        if not self.setup.outputs:
            return
        values: dict[int | str, Value] = {
            pin: Value.ACTIVE if levels.get(pin, 0.0) >= 0.5 else Value.INACTIVE for pin in self.setup.outputs
        }
        try:
            self._request(self._outputs).set_values(values)
        except Exception as error:
            raise gone(self.chip_name, error) from error

    def listen(self, pin: int, *, on: bool) -> None:
        """Disables or enables the edges of one control."""
        self._deaf = self._deaf - {pin} if on else self._deaf | {pin}
        try:
            self._request(self._inputs).reconfigure_lines(self._listening())
        except Exception as error:
            raise gone(self.chip_name, error) from error

    def close(self) -> None:
        """Releases the lines."""
        if self._outputs is not None:
            with suppress(DeviceError):  # the chip may be gone, and its lamps with it
                self.light({})
        inputs, requests, loop = self._inputs, (self._inputs, self._outputs), self._loop
        self._inputs = self._outputs = self._loop = None
        self._deaf = set()
        if inputs is not None and loop is not None:
            loop.remove_reader(inputs.fd)
        for request in requests:
            if request is not None:
                request.release()

    def _request(self, request: gpiod.LineRequest | None) -> gpiod.LineRequest:
        if request is None:
            raise DeviceError("the pins are not in use", "open them")
        return request

    def _readable(self) -> None:
        from gpiod.edge_event import EdgeEvent

        if self._inputs is None:
            return
        try:
            events = self._inputs.read_edge_events()
        except Exception as error:  # noqa: BLE001 - told by its own words
            self._failed(gone(self.chip_name, error))
            return
        for event in events:
            pressed = event.event_type is EdgeEvent.Type.RISING_EDGE
            self._changed(event.line_offset, pressed, event.timestamp_ns * NANO)
            if self._inputs is None:
                return  # this change was the last one that could be seen


def chip_path(label: str | None) -> Path:
    """The device of the chip with this label, or of the header's chip. Raises DeviceError without one."""
    found: dict[str, Path] = {}
    for path in sorted(DEVICES.glob("gpiochip*")):
        try:
            names = names_of(path)
        except PermissionError:
            raise NoPermissionError(f"{path}: permission denied", "add the user to the group gpio") from None
        except (OSError, ValueError):
            continue  # it has just gone, or is not a chip
        for name in names:
            found.setdefault(name, path)
        if label in names:
            return path
    if label is None:
        for header in HEADERS:
            if header in found:
                return found[header]
    there = ", ".join(name for name in found if not name.startswith("gpiochip")) or "none"
    if label is None:
        what = f"there is no GPIO chip of a Raspberry Pi's header (there: {there})"
        raise NoDeviceError(what, "use a Raspberry Pi, or name the chip in panel.chip in the config")
    raise NoDeviceError(
        f"there is no GPIO chip {label!r} (there: {there})",
        "correct panel.chip in the config, or leave it out on a Raspberry Pi",
    )


def names_of(path: Path) -> tuple[str, str]:
    """A chip's label and name. Raises OSError or ValueError if it cannot be opened or is not a chip."""
    import gpiod

    with gpiod.Chip(str(path)) as chip:
        info = chip.get_info()
    return info.label, info.name


def refused(path: Path, setup: PinSetup, error: Exception) -> DeviceError:
    """Why the lines could not be requested."""
    import gpiod

    number = error.errno if isinstance(error, OSError) else None
    if number == errno.EBUSY:
        try:
            with gpiod.Chip(str(path)) as chip:
                infos = [chip.get_line_info(pin) for pin in (*setup.inputs, *setup.outputs)]
        except Exception as gone_meanwhile:  # noqa: BLE001 - told by its own words
            return gone(str(path), gone_meanwhile)
        taken = [
            f"{setup.name(info.offset)} by {info.consumer or 'the kernel'}" for info in infos if info.used
        ]
        return PinInUseError(f"pins are in use: {', '.join(taken)}", "stop that program, or use other pins")
    if number in (errno.EPERM, errno.EACCES):
        return NoPermissionError(f"{path}: permission denied", "add the user to the group gpio")
    if number == errno.EINVAL or isinstance(error, ValueError):
        return WrongDeviceError(
            f"{path} has not all of these pins: {error}", "correct the pins in the config"
        )
    return gone(str(path), error)


def gone(chip: str, error: Exception) -> DeviceError:
    """Reports that the chip does not answer any more."""
    return LinkLostError(
        f"the GPIO chip {chip} does not answer: {one_line(error)}", "check its plug; it is tried again"
    )
