"""The rules of the port `Clock`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hardware.conformance.rule import require

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hardware.ports import Clock


def never_goes_back(clock: Clock) -> None:
    """It never goes back."""
    times = [clock.now_s() for _ in range(1000)]
    require(times == sorted(times), "it went back")


def sleeps_long_enough(clock: Clock) -> None:
    """Sleeping takes at least as long as asked for."""
    for seconds in (0.0, 0.001, 0.02):
        before_s = clock.now_s()
        clock.sleep(seconds)
        slept_s = clock.now_s() - before_s
        require(slept_s >= seconds * (1 - 1e-9) - 1e-9, f"sleep({seconds}) took {slept_s} s")


CLOCK_RULES: Sequence[Callable[[Clock], None]] = (never_goes_back, sleeps_long_enough)
