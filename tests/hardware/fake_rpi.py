"""A stand-in for RPi.GPIO that behaves like the real one, with pins that a test can drive."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

if TYPE_CHECKING:
    from collections.abc import Callable


class FakeRpi:
    """Also what it complains about is the module's: wrong order, pins in use, edges asked for twice."""

    BCM, BOARD = 11, 10
    IN, OUT = 1, 0
    LOW, HIGH = 0, 1
    PUD_UP, PUD_DOWN = 22, 21
    BOTH = 33

    def __init__(self) -> None:
        self.mode: int | None = None
        self.directions: dict[int, int] = {}
        self.pulls: dict[int, int] = {}
        self.levels: dict[int, int] = {}
        self.callbacks: dict[int, Callable[[int], None]] = {}
        self.taken: set[int] = set()
        self.gone = False
        self.has_edges = True
        """RPi.GPIO itself has none since Linux 6.6."""
        self.waves: WeakValueDictionary[int, FakePwm] = WeakValueDictionary()
        self.late_waves = 0
        """Waves that outlived the module's clean-up, at which rpi-lgpio's raise."""

    def drive(self, pin: int, level: int) -> None:
        """From outside: a button, or a bouncing one."""
        self.levels[pin] = level
        if pin in self.callbacks:
            self.callbacks[pin](pin)

    def setwarnings(self, on: int) -> None:
        pass

    def setmode(self, mode: int) -> None:
        if self.mode not in (None, mode):
            raise ValueError("A different mode has already been set!")
        self.mode = mode

    def setup(self, pin: int, direction: int, pull_up_down: int = 20, initial: int = -1) -> None:
        self._ask()
        if self.mode is None:
            raise RuntimeError("Please set pin numbering mode using GPIO.setmode(GPIO.BOARD)")
        if pin in self.taken:
            raise FakeBusyError("GPIO busy")
        self.directions[pin] = direction
        self.pulls[pin] = pull_up_down
        if direction == self.OUT and initial >= 0:
            self.levels[pin] = initial
        if direction == self.IN:
            self.levels.setdefault(pin, int(pull_up_down == self.PUD_UP))

    def add_event_detect(self, pin: int, edge: int, callback: Callable[[int], None]) -> None:
        self._ask()
        if self.directions.get(pin) != self.IN:
            raise RuntimeError("You must setup() the GPIO channel as an input first")
        if not self.has_edges:
            raise RuntimeError("Failed to add edge detection")
        if pin in self.callbacks:
            raise RuntimeError("Conflicting edge detection already enabled for this GPIO channel")
        assert edge == self.BOTH
        self.callbacks[pin] = callback

    def remove_event_detect(self, pin: int) -> None:
        self._ask()
        del self.callbacks[pin]

    def input(self, pin: int) -> int:
        self._ask()
        if pin not in self.directions:
            raise RuntimeError("You must setup() the GPIO channel first")
        return self.levels[pin]

    def output(self, pin: int, level: int) -> None:
        self._ask()
        if self.directions.get(pin) != self.OUT:
            raise RuntimeError("The GPIO channel has not been set up as an OUTPUT")
        self.levels[pin] = int(level)

    def PWM(self, pin: int, hertz: float) -> FakePwm:  # noqa: N802 - the module's name
        self._ask()
        if self.directions.get(pin) != self.OUT:
            raise RuntimeError("You must setup() the GPIO channel as an output first")
        if pin in self.waves:
            raise RuntimeError("A PWM object already exists for this GPIO channel")
        assert hertz > 0
        wave = FakePwm(self, pin)
        self.waves[pin] = wave
        return wave

    def cleanup(self) -> None:
        self._ask()
        for pin in self.directions:
            self.levels.pop(pin)
        self.directions.clear()
        self.callbacks.clear()
        self.mode = None

    def _ask(self) -> None:
        if self.gone:
            raise FakeBusyError("no such device")


class FakePwm:
    """A pin that is switched so fast that it counts as partly high."""

    def __init__(self, gpio: FakeRpi, pin: int) -> None:
        self.gpio = gpio
        self.pin = pin
        self.duty = 0.0
        self.duties: list[float] = []

    def start(self, duty: float) -> None:
        self.ChangeDutyCycle(duty)

    def ChangeDutyCycle(self, duty: float) -> None:  # noqa: N802 - the module's name
        self.gpio._ask()
        if not 0.0 <= duty <= 100.0:
            raise ValueError("dutycycle must have a value from 0.0 to 100.0")
        self.duty = duty
        self.duties.append(duty)
        self.gpio.levels[self.pin] = int(duty > 0)

    def __del__(self) -> None:
        self.gpio.late_waves += self.gpio.mode is None

    def stop(self) -> None:
        self.gpio._ask()
        self.gpio.levels[self.pin] = 0


class FakeBusyError(Exception):
    """As lgpio.error: derived from nothing narrower."""
