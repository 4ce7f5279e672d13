"""A panel of buttons and lamps on pins. Debounces, animates lamps, survives storms.

It has no display, so the lines of a view are not shown.
"""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from hardware.errors import DeviceError
from hardware.gpio.debounce import WINDOW_S, Debounce, StormBreaker
from hardware.gpio.lamps import levels, next_change_s
from hardware.ports import NOT_IN_USE, Degraded, PanelView
from hardware.press_log import PressLog
from hardware.unforeseen import unforeseen

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hardware.gpio.rpi_pins import PinSetup, RpiPins
    from hardware.ports import Press
    from hardware.wiring import Wiring

PART = "the GPIO driver"
FIRST_RETRY_S = 0.25
MOST_RETRY_S = 2.0
CHECK_S = 0.5
"""How often levels are polled, to find missed edges and lost pins."""
RAW_EDGES = 250
"""More edges of one pin per second do not come from a bouncing button, not even a worn one pressed fast."""
CHANGES = 40
"""More debounced changes of one pin per second do not come from a finger."""


class PinPanel:
    """Buttons and lamps on the pins of `setup`."""

    def __init__(self, pins: RpiPins, setup: PinSetup) -> None:
        self.pins = pins
        self.setup = setup
        self.degraded: Degraded | None = NOT_IN_USE
        self._controls = {pin: name for name, pin in setup.wiring.controls.items()}
        self._view = PanelView({}, [])
        self._presses = PressLog()
        self._news: Callable[[], None] = lambda: None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._forget()
        self._retry_s = 0.0

    def _forget(self) -> None:
        """Resets the state of all pins."""
        self._open = False
        self._lit: dict[int, float] | None = None
        self._debounce = Debounce(self.setup.bounce_s)
        self._breakers = (StormBreaker(RAW_EDGES), StormBreaker(CHANGES))
        self._due_s = self._calm_at_s = 0.0

    def start(self, news: Callable[[], None]) -> None:
        """Opens the pins, now or as soon as they are present; does nothing if already started."""
        if self._loop is not None:
            return
        self._loop = asyncio.get_running_loop()
        self._news = news
        self._retry_s = 0.0
        self._advance()

    def stop(self) -> None:
        """Releases the pins, lamps off."""
        if self._loop is None:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._presses.release(set(self._presses.held), self._loop.time())
        self._loop = None
        self._give_back()
        self._forget()
        self.degraded = NOT_IN_USE

    def show(self, view: PanelView) -> None:
        """Shows the view's lamps."""
        self._view = view
        if self._open:
            self._advance()

    @property
    def wiring(self) -> Wiring:
        """The pins by name."""
        return self.setup.wiring

    @property
    def notes(self) -> Sequence[str]:
        """Limitations that are not faults."""
        return self.pins.notes if self._open else ()

    def presses(self) -> Sequence[Press]:
        """The events since the last call."""
        return self._presses.take()

    def _advance(self) -> None:
        """Does what is due, and sets the timer for the next time."""
        if self._loop is None:
            return
        now_s = self._loop.time()
        try:
            if not self._open and now_s >= self._due_s:
                self._take(now_s)
            if self._open:
                self._work(now_s)
        except Exception as error:  # noqa: BLE001 - the library may raise anything; it is reported and logged
            self._fail(error)
        self._set_timer()

    def _take(self, now_s: float) -> None:
        self.pins.open(self._edge, self._failed)
        self._open, self._retry_s, self._due_s = True, 0.0, now_s + CHECK_S
        held = self.pins.pressed()
        self._debounce.reset({pin: pin in held for pin in self.setup.inputs})
        self._say(None)

    def _work(self, now_s: float) -> None:
        if now_s >= self._due_s:
            self._due_s = now_s + CHECK_S
            held = self.pins.pressed()
            for pin in self._heard():
                self._debounce.level(pin, pressed=pin in held, time_s=now_s)
        for breaker in self._breakers:
            for pin in breaker.rested(now_s):
                self.pins.listen(pin, on=True)
                self._debounce.adopt(pin, pressed=pin in self.pins.pressed())
                self._calm_at_s = now_s + WINDOW_S
        for pin, pressed, since in self._debounce.settle(now_s):
            if self._breakers[1].edge(pin, now_s):
                self._stop_hearing(pin, now_s)
            elif pin in self._heard():
                self._presses.change(self._controls[pin], down=pressed, time_s=since)
                self._news()
        self._light(now_s)
        stormy = any(breaker.stopped for breaker in self._breakers)
        if self.degraded is not None and not stormy and now_s >= self._calm_at_s:
            self._say(None)

    def _light(self, now_s: float) -> None:
        wanted = levels(self._view.lamps, now_s, dims=self.pins.dims)
        pins = {pin: wanted.get(name, 0.0) for name, pin in self.setup.wiring.lamps.items()}
        if pins != self._lit:
            self._lit = pins
            self.pins.light(pins)

    def _heard(self) -> set[int]:
        return set(self.setup.inputs) - {pin for breaker in self._breakers for pin in breaker.stopped}

    def _edge(self, pin: int, pressed: bool, time_s: float) -> None:
        if self._loop is None or not self._open or pin not in self._heard():
            return
        now_s = self._loop.time()
        try:
            if self._breakers[0].edge(pin, now_s):
                self._stop_hearing(pin, now_s)
        except Exception as error:  # noqa: BLE001 - the library may raise anything; it is reported and logged
            self._fail(error)
        else:
            self._debounce.level(pin, pressed=pressed, time_s=min(time_s, now_s))
        self._advance()

    def _stop_hearing(self, pin: int, now_s: float) -> None:
        self.pins.listen(pin, on=False)
        self._presses.release({self._controls[pin]}, now_s)
        self._debounce.level(pin, pressed=False, time_s=now_s)
        self._say(
            Degraded(f"{self.setup.name(pin)} flickers without end", "look after its cable and its button")
        )

    def _failed(self, error: Exception) -> None:
        """Called by the pins on a failure; treated like an error that they raise."""
        if self._open:
            self._fail(error)
            self._set_timer()

    def _fail(self, error: Exception) -> None:
        now_s = self._loop.time() if self._loop is not None else 0.0
        known = self.degraded
        self._give_back()
        self._presses.release(set(self._presses.held), now_s)
        self._forget()
        self._retry_s = min(max(2 * self._retry_s, FIRST_RETRY_S), MOST_RETRY_S)
        self._due_s = now_s + self._retry_s
        if isinstance(error, DeviceError):
            self._say(Degraded(error.what, error.remedy))
        else:
            self._say(unforeseen(PART, error, known))

    def _give_back(self) -> None:
        try:
            self.pins.close()
        except Exception as error:  # noqa: BLE001 - told in the log; the next opening says what is wrong
            unforeseen(PART, error, self.degraded)

    def _say(self, degraded: Degraded | None) -> None:
        if degraded != self.degraded:
            self.degraded = degraded
            self._news()

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if self._loop is None:
            return
        due = self._due_s
        if self._open:
            moving = {
                name: lamp for name, lamp in self._view.lamps.items() if name in self.setup.wiring.lamps
            }
            due = min(
                due,
                self._debounce.due_s,
                next_change_s(moving, self._loop.time(), dims=self.pins.dims),
                *(breaker.due_s for breaker in self._breakers),
            )
        self._timer = self._loop.call_at(due, self._advance)
