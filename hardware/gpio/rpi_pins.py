"""Pins by the interface of RPi.GPIO: RPi.GPIO itself up to the Pi 4, rpi-lgpio on the Pi 5.

Its edges come on a thread of their own and without debouncing that could be relied on: the panel debounces.
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from collections import deque
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from hardware.gpio.pins import PinsError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hardware.gpio.pins import PinSetup

MOST_WAITING = 256
"""Edges that wait for the loop; older ones give way, and the panel's look at the levels makes up for them."""


def rpi_gpio() -> Any:
    """The module; PinsError if there is none, or none that works here."""
    try:
        return importlib.import_module("RPi.GPIO")
    except ImportError:
        remedy = "apt install python3-rpi-lgpio, and a venv with --system-site-packages"
        raise PinsError("RPi.GPIO is not installed", remedy) from None
    except RuntimeError as error:
        raise PinsError(f"RPi.GPIO: {one_line(error)}", "use it on a Raspberry Pi") from None


def forget(gpio: Any) -> None:
    """Lets rpi-lgpio go of a chip that is gone, which it cannot by itself, so that the next one is found."""
    sys.modules.pop("RPi.GPIO", None)
    handle = getattr(gpio, "_chip", None)
    if handle is not None:
        importlib.import_module("lgpio").gpiochip_close(handle)


class RpiPins:
    """The pins of the header, by BCM numbers; `module` gives the module with RPi.GPIO's interface."""

    debounced = False

    def __init__(self, setup: PinSetup, module: Callable[[], Any] = rpi_gpio) -> None:
        self.setup = setup
        self.module = module
        self._gpio: Any = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._edges: deque[tuple[int, bool, float]] = deque(maxlen=MOST_WAITING)

    def open(self, changed: Callable[[int, bool, float], None], failed: Callable[[PinsError], None]) -> None:
        """Takes the pins; PinsError says what is missing or which pin is taken."""
        gpio = self.module()
        self._changed, self._failed = changed, failed
        self._gpio, self._loop = gpio, asyncio.get_running_loop()
        gpio.setwarnings(0)
        self._ask("the pin numbers", gpio.setmode, gpio.BCM)
        dark = gpio.LOW if self.setup.lamps_lit_high else gpio.HIGH
        pull = gpio.PUD_UP if self.setup.buttons_to_ground else gpio.PUD_DOWN
        try:
            for pin in self.setup.outputs:
                self._ask(self.setup.name(pin), gpio.setup, pin, gpio.OUT, initial=dark)
            for pin in self.setup.inputs:
                self._ask(self.setup.name(pin), gpio.setup, pin, gpio.IN, pull_up_down=pull)
                self.listen(pin, on=True)
        except PinsError:
            self.close()
            raise

    def _ask(self, what: str, function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Calls the module; what it raises is a PinsError; of some only `Exception` is known."""
        try:
            return function(*args, **kwargs)
        except Exception as error:
            remedy = "stop what else uses the pins, or use others"
            raise PinsError(f"{what}: {one_line(error)}", remedy) from error

    def pressed(self) -> frozenset[int]:
        """The controls that are pressed now."""
        return frozenset(pin for pin in self.setup.inputs if self._is_pressed(pin))

    def _is_pressed(self, pin: int) -> bool:
        level = self._ask(self.setup.name(pin), self._gpio.input, pin)
        return bool(level) != self.setup.buttons_to_ground

    def light(self, lit: frozenset[int]) -> None:
        """Sets every lamp."""
        for pin in self.setup.outputs:
            level = (pin in lit) == self.setup.lamps_lit_high
            self._ask(self.setup.name(pin), self._gpio.output, pin, level)

    def listen(self, pin: int, *, on: bool) -> None:
        """Turns the edges of one control off or on."""
        gpio, name = self._gpio, self.setup.name(pin)
        if on:
            self._ask(name, gpio.add_event_detect, pin, gpio.BOTH, callback=self._on_thread)
        else:
            self._ask(name, gpio.remove_event_detect, pin)

    def close(self) -> None:
        """Gives the pins back."""
        if self._gpio is None:
            return
        gpio, self._loop = self._gpio, None
        with suppress(PinsError):  # not all may have been taken
            self.light(frozenset())
        try:
            self._ask("the pins", gpio.cleanup)
        except PinsError:
            forget(gpio)
        self._gpio = None
        self._edges.clear()

    def _on_thread(self, pin: int) -> None:
        """An edge, on the module's thread."""
        loop = self._loop
        if loop is None:
            return
        try:
            edge = (pin, self._is_pressed(pin), loop.time())
        except PinsError:
            return  # the panel's next look at the levels tells it
        first = not self._edges
        self._edges.append(edge)
        if first:
            try:
                loop.call_soon_threadsafe(self._on_loop)
            except RuntimeError:
                return  # the loop has just ended

    def _on_loop(self) -> None:
        while self._edges and self._loop is not None:
            self._changed(*self._edges.popleft())


def one_line(error: BaseException) -> str:
    """What an exception says, in one line."""
    return " ".join(str(error).split()) or type(error).__name__
