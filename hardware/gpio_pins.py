"""Pins through the interface of RPi.GPIO, which two packages provide: python3-rpi-lgpio and RPi.GPIO itself.

rpi-lgpio works on every Raspberry Pi. RPi.GPIO itself does not support the Pi 5, and lost its edge detection
with the kernel's sysfs in version 6.6. Edges arrive on the library's own thread and without reliable
debouncing, so the panel debounces.
"""

import asyncio
import importlib
import logging
import sys
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from hardware.errors import DeviceError, NotInstalledError, PinInUseError, one_line, with_apt
from hardware.ports import Wiring


@dataclass(frozen=True, slots=True)
class PinSetup:
    """The wiring of the panel's pins, by BCM numbers; a press counts after `bounce_s`.

    `buttons_to_ground`: a pressed button connects its pin, which is pulled up, to ground. If False, it
    connects it, pulled down, to 3.3 V.
    """

    wiring: Wiring
    buttons_to_ground: bool = True
    lamps_lit_high: bool = True
    bounce_s: float = 0.005

    @property
    def inputs(self) -> Sequence[int]:
        return tuple(self.wiring.controls.values())

    @property
    def outputs(self) -> Sequence[int]:
        return tuple(self.wiring.lamps.values())

    def name(self, pin: int) -> str:
        """A pin's number and what hangs on it: `gpio:17 (seat1.ok)`."""
        both = {**self.wiring.controls, **self.wiring.lamps}
        names = [name for name, number in both.items() if number == pin]
        return f"gpio:{pin} ({names[0]})" if names else f"gpio:{pin}"


PACKAGE: Final = "python3-rpi-lgpio"
MOST_WAITING: Final = 256
"""Edges that wait for the loop; when full the oldest are dropped, and the panel's polling makes up for
them."""
WAVE_HZ: Final = 200
"""Frequency of dimming: too fast for the eye, slow enough for a thread."""

log = logging.getLogger(__name__)


def rpi_gpio() -> Any:
    """The library's module. Raises DeviceError if it is missing or does not work here."""
    try:
        return importlib.import_module("RPi.GPIO")
    except ImportError:
        raise NotInstalledError("RPi.GPIO is not installed", with_apt(PACKAGE)) from None
    except Exception as error:
        remedy = f"use it on a Raspberry Pi; on a Pi 5: {with_apt(PACKAGE)}"
        raise NotInstalledError(f"RPi.GPIO: {one_line(error)}", remedy) from error


def forget(gpio: Any) -> None:
    """Closes rpi-lgpio's handle of a chip that is gone, so that the next chip is found."""
    sys.modules.pop("RPi.GPIO", None)
    handle = getattr(gpio, "_chip", None)
    if handle is not None:
        importlib.import_module("lgpio").gpiochip_close(handle)


class RpiPins:
    """The pins of the header, by BCM numbers; `module` returns a module with RPi.GPIO's interface."""

    def __init__(self, setup: PinSetup, module: Callable[[], Any] = rpi_gpio) -> None:
        self.setup = setup
        self.module = module
        self.dims = True
        self._loop: asyncio.AbstractEventLoop | None = None
        self._edges: deque[tuple[int, bool, float]] = deque(maxlen=MOST_WAITING)
        self._forget()

    def _forget(self) -> None:
        self._gpio: Any = None
        self._waves: dict[int, Any] = {}
        self._shown: dict[int, float] = {}
        self._edges.clear()

    def open(self, changed: Callable[[int, bool, float], None]) -> None:
        """Opens the pins. Raises DeviceError, which says what is missing or which pin is in use.

        On the running loop it calls `changed` with a pin, whether it is pressed, and when that was seen on
        the loop's clock.
        """
        gpio = self.module()
        self._changed = changed
        self._gpio, self._loop = gpio, asyncio.get_running_loop()
        try:
            self._ask("the pins", gpio.setwarnings, 0)
            self._ask("the pin numbers", gpio.setmode, gpio.BCM)
            dark = gpio.LOW if self.setup.lamps_lit_high else gpio.HIGH
            pull = gpio.PUD_UP if self.setup.buttons_to_ground else gpio.PUD_DOWN
            for pin in self.setup.outputs:
                self._ask(self.setup.name(pin), gpio.setup, pin, gpio.OUT, initial=dark)
            for pin in self.setup.inputs:
                self._ask(self.setup.name(pin), gpio.setup, pin, gpio.IN, pull_up_down=pull)
                self.listen(pin, on=True)
        except DeviceError:
            self.close()
            raise

    def _ask(self, subject: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls the library and turns its exceptions into DeviceError; some are only `Exception`."""
        try:
            return function(*args, **kwargs)
        except Exception as error:
            remedy = "stop the other program that uses the pins, or use others"
            cause = PinInUseError if "busy" in str(error).lower() else DeviceError
            raise cause(f"{subject}: {one_line(error)}", remedy) from error

    def pressed(self) -> frozenset[int]:
        return frozenset(pin for pin in self.setup.inputs if self._is_pressed(pin))

    def _is_pressed(self, pin: int) -> bool:
        level = self._ask(self.setup.name(pin), self._gpio.input, pin)
        return bool(level) != self.setup.buttons_to_ground

    def light(self, levels: Mapping[int, float]) -> None:
        """Sets the level of each lamp, 0 to 1, if it has changed; lamps not named are off."""
        for pin in self.setup.outputs:
            level = levels.get(pin, 0.0)
            if level != self._shown.get(pin):
                self._shown[pin] = level
                high = level if self.setup.lamps_lit_high else 1 - level
                name = self.setup.name(pin)
                if pin in self._waves:  # it has been dimmed before
                    self._ask(name, self._waves[pin].ChangeDutyCycle, 100 * high)
                elif level in (0.0, 1.0) or not self._begin_wave(pin, 100 * high):
                    self._ask(name, self._gpio.output, pin, round(high))

    def _begin_wave(self, pin: int, duty: float) -> bool:
        """Enables dimming of a lamp. Returns False, and disables all dimming, if the library cannot."""
        try:
            wave = self._gpio.PWM(pin, WAVE_HZ)
            self._waves[pin] = wave
            wave.start(duty)
        except Exception:
            log.warning("dimming=impossible pin=%d", pin, exc_info=True)
            self._waves.pop(pin, None)
            self.dims = False
            return False
        return True

    def listen(self, pin: int, *, on: bool) -> None:
        """Disables or enables the edges of one control."""
        gpio, name = self._gpio, self.setup.name(pin)
        if not on:
            self._ask(name, gpio.remove_event_detect, pin)
            return
        try:
            self._ask(name, gpio.add_event_detect, pin, gpio.BOTH, callback=self._on_thread)
        except DeviceError as error:
            if not isinstance(error.__cause__, RuntimeError):
                raise
            cause = f"RPi.GPIO detects no edges here ({one_line(error.__cause__)})"
            raise NotInstalledError(cause, with_apt(PACKAGE)) from error

    def close(self) -> None:
        """Releases the pins, lamps off; does nothing if already released. Never raises."""
        if self._gpio is None:
            return
        gpio, self._loop = self._gpio, None
        try:
            self._stop_waves()
            self._shown = {}
            with suppress(DeviceError):  # not all may have been opened
                self.light({})
            self._ask("the pins", gpio.cleanup)
        except DeviceError:  # the chip is gone: the library must not find its handle again
            with suppress(Exception):
                forget(gpio)
        finally:
            self._forget()

    def _on_thread(self, pin: int) -> None:
        loop = self._loop
        if loop is None:
            return
        try:
            edge = (pin, self._is_pressed(pin), loop.time())
        except DeviceError:
            return  # the panel's next polling finds it
        self._edges.append(edge)
        if len(self._edges) == 1:  # else the loop has been woken, and takes all; it may take some meanwhile
            try:
                loop.call_soon_threadsafe(self._on_loop)
            except RuntimeError:
                return  # the loop has just ended

    def _stop_waves(self) -> None:
        """Stops dimming and drops the PWM objects: rpi-lgpio would stop them again after closing."""
        while self._waves:
            pin, wave = self._waves.popitem()
            with suppress(DeviceError):
                self._ask(self.setup.name(pin), wave.stop)

    def _on_loop(self) -> None:
        while self._edges and self._loop is not None:
            self._changed(*self._edges.popleft())
