"""A stand-in for the module RPi.GPIO with the manners of the real one, and pins that a test can drive."""

from __future__ import annotations

from typing import TYPE_CHECKING

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


class FakeBusyError(Exception):
    """As lgpio.error: derived from nothing narrower."""
