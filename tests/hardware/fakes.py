"""A clock that advances only when told to."""

from __future__ import annotations


class FakeClock:
    """Each look at it is a millisecond later; sleeping takes no time."""

    def __init__(self) -> None:
        self.time_s = 100.0
        self.slept: list[float] = []

    def now_s(self) -> float:
        self.time_s += 0.001
        return self.time_s

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.time_s += seconds
