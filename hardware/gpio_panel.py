"""A panel of buttons and lamps on pins (`gpio_pins`). Debounces, animates lamps, survives storms.

It has no display, so the lines of a view are not shown. A level counts once it has lasted a while. A loose
wire can cause thousands of edges per second: its pin is ignored, tried again after a pause, and ignored again
if it still storms. On, blink and chase are as on the panel's board. If the driver can dim, a pulse fades in
and out in 2.048 s as there; otherwise it is a short flash at the pulse's brightest moment.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from hardware.errors import DeviceError, unforeseen
from hardware.gpio_pins import RpiPins
from hardware.ports import LAMPS, NOT_IN_USE, Degraded, Lamp, LampMode, PanelView, Press, PressLog, Wiring

WINDOW_S = 1.0
REST_S = 2.0
BLINK_S = 1.0
PULSE_S = 2.048
FLASH_S = PULSE_S / 8
FADES = 64
"""Steps of a dimmed pulse."""
CHASE_S = 0.128
STEP_S = {LampMode.BLINK: BLINK_S / 2, LampMode.PULSE: FLASH_S / 2, LampMode.CHASE: CHASE_S}
TICK = 1e-9
"""Times within this distance before a step count as in the step, because of rounding."""
PART = "the GPIO driver"
FIRST_RETRY_S = 0.25
MOST_RETRY_S = 2.0
CHECK_S = 0.5
"""How often levels are polled, to find missed edges and lost pins."""
RAW_EDGES = 250
"""Most edges a second that a bouncing button makes, even a worn one pressed fast."""
CHANGES = 40
"""Most debounced changes of one pin a second that a finger makes."""


class Debounce:
    """The debounced state of each pin, from raw levels."""

    def __init__(self, bounce_s: float) -> None:
        self.bounce_s = bounce_s
        self.settled: dict[int, bool] = {}
        self._raw: dict[int, tuple[bool, float]] = {}

    def reset(self, pressed: dict[int, bool]) -> None:
        self.settled = dict(pressed)
        self._raw = {}

    def adopt(self, pin: int, *, pressed: bool) -> None:
        self.settled[pin] = pressed
        self._raw.pop(pin, None)

    def level(self, pin: int, *, pressed: bool, time_s: float) -> None:
        """Records that a pin has this level since that time."""
        level = self._raw.get(pin)
        if level is not None and level[0] == pressed:
            return
        if level is None and self.settled.get(pin, False) == pressed:
            return
        self._raw[pin] = (pressed, time_s)

    @property
    def due_s(self) -> float:
        """When `settle` may next return something."""
        return min((since for _, since in self._raw.values()), default=float("inf")) + self.bounce_s

    def settle(self, now_s: float) -> list[tuple[int, bool, float]]:
        """Pins whose new level has lasted long enough: pin, whether pressed, and since when."""
        changes = []
        for pin, (pressed, since) in sorted(self._raw.items(), key=lambda item: item[1][1]):
            if now_s < since + self.bounce_s:
                continue
            del self._raw[pin]
            if self.settled.get(pin, False) != pressed:
                self.settled[pin] = pressed
                changes.append((pin, pressed, since))
        return changes


class StormBreaker:
    """Says which pins to ignore. `limit`: the most edges of one pin per second that are not a storm."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.stopped: dict[int, float] = {}
        self._counts: Counter[int] = Counter()
        self._began_s = float("-inf")

    def edge(self, pin: int, now_s: float) -> bool:
        """Counts an edge. Returns True if the pin must be ignored from now on."""
        if now_s >= self._began_s + WINDOW_S:
            self._counts.clear()
            self._began_s = now_s
        self._counts[pin] += 1
        if self._counts[pin] <= self.limit or pin in self.stopped:
            return False
        self.stopped[pin] = now_s + REST_S
        return True

    @property
    def due_s(self) -> float:
        """When an ignored pin is tried again."""
        return min(self.stopped.values(), default=float("inf"))

    def rested(self, now_s: float) -> list[int]:
        """Pins that are tried again from now on."""
        pins = [pin for pin, until in self.stopped.items() if now_s >= until]
        for pin in pins:
            del self.stopped[pin]
            del self._counts[pin]
        return pins


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


class PinPanel:
    """Buttons and lamps on pins."""

    def __init__(self, pins: RpiPins) -> None:
        self.pins = pins
        self.setup = setup = pins.setup
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
        self._open = False
        self._lit: dict[int, float] | None = None
        self._debounce = Debounce(self.setup.bounce_s)
        self._breakers = (StormBreaker(RAW_EDGES), StormBreaker(CHANGES))
        self._due_s = self._calm_at_s = 0.0

    def start(self, news: Callable[[], None]) -> None:
        if self._loop is not None:
            return
        self._loop = asyncio.get_running_loop()
        self._news = news
        self._retry_s = 0.0
        self._advance()

    def stop(self) -> None:
        if self._loop is None:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._presses.release(set(self._presses.held), self._loop.time())
        self._loop = None
        self._close_pins()
        self._forget()
        self.degraded = NOT_IN_USE

    def show(self, view: PanelView) -> None:
        self._view = view
        if self._open:
            self._advance()

    @property
    def wiring(self) -> Wiring:
        return self.setup.wiring

    def presses(self) -> Sequence[Press]:
        return self._presses.take()

    def _advance(self) -> None:
        """Runs everything that is due, and sets the timer for the next time."""
        if self._loop is None:
            return
        now_s = self._loop.time()
        try:
            if not self._open and now_s >= self._due_s:
                self.pins.open(self._edge)
                self._open, self._retry_s, self._due_s = True, 0.0, now_s + CHECK_S
                held = self.pins.pressed()
                self._debounce.reset({pin: pin in held for pin in self.setup.inputs})
                self._set_degraded(None)
            if self._open:
                self._update(now_s)
        except Exception as error:  # noqa: BLE001 - the library may raise anything; it is reported and logged
            self._fail(error)
        self._set_timer()

    def _update(self, now_s: float) -> None:
        if now_s >= self._due_s:
            self._due_s = now_s + CHECK_S
            held = self.pins.pressed()
            for pin in self._working_inputs():
                self._debounce.level(pin, pressed=pin in held, time_s=now_s)
        for breaker in self._breakers:
            for pin in breaker.rested(now_s):
                self.pins.listen(pin, on=True)
                self._debounce.adopt(pin, pressed=pin in self.pins.pressed())
                self._calm_at_s = now_s + WINDOW_S
        for pin, pressed, since in self._debounce.settle(now_s):
            if self._breakers[1].edge(pin, now_s):
                self._ignore(pin, now_s)
            elif pin in self._working_inputs():
                self._presses.change(self._controls[pin], down=pressed, time_s=since)
                self._news()
        self._light(now_s)
        stormy = any(breaker.stopped for breaker in self._breakers)
        if self.degraded is not None and not stormy and now_s >= self._calm_at_s:
            self._set_degraded(None)

    def _light(self, now_s: float) -> None:
        wanted = levels(self._view.lamps, now_s, dims=self.pins.dims)
        pins = {pin: wanted.get(name, 0.0) for name, pin in self.setup.wiring.lamps.items()}
        if pins != self._lit:
            self._lit = pins
            self.pins.light(pins)

    def _working_inputs(self) -> set[int]:
        return set(self.setup.inputs) - {pin for breaker in self._breakers for pin in breaker.stopped}

    def _edge(self, pin: int, pressed: bool, time_s: float) -> None:
        if self._loop is None or not self._open or pin not in self._working_inputs():
            return
        now_s = self._loop.time()
        try:
            if self._breakers[0].edge(pin, now_s):
                self._ignore(pin, now_s)
        except Exception as error:  # noqa: BLE001 - the library may raise anything; it is reported and logged
            self._fail(error)
        else:
            self._debounce.level(pin, pressed=pressed, time_s=min(time_s, now_s))
        self._advance()

    def _ignore(self, pin: int, now_s: float) -> None:
        self.pins.listen(pin, on=False)
        self._presses.release({self._controls[pin]}, now_s)
        self._debounce.level(pin, pressed=False, time_s=now_s)
        self._set_degraded(
            Degraded(f"{self.setup.name(pin)} keeps flickering", "check its cable and its button")
        )

    def _fail(self, error: Exception) -> None:
        now_s = self._loop.time() if self._loop is not None else 0.0
        state = self.degraded
        self._close_pins()
        self._presses.release(set(self._presses.held), now_s)
        self._forget()
        self._retry_s = min(max(2 * self._retry_s, FIRST_RETRY_S), MOST_RETRY_S)
        self._due_s = now_s + self._retry_s
        if isinstance(error, DeviceError):
            self._set_degraded(Degraded(error.what, error.remedy))
        else:
            self._set_degraded(unforeseen(PART, error, state))

    def _close_pins(self) -> None:
        try:
            self.pins.close()
        except Exception as error:  # noqa: BLE001 - it is logged; the next opening says what is wrong
            unforeseen(PART, error, self.degraded)

    def _set_degraded(self, degraded: Degraded | None) -> None:
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
