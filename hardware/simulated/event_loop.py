"""An asyncio loop in virtual time: instead of waiting it advances the clock to the next scheduled call.

    clock = VirtualClock()
    run(main(), clock)

File descriptors are polled, but never waited for. Code that would wait for ever fails at once.
"""

from __future__ import annotations

import asyncio
import selectors
from typing import TYPE_CHECKING, Any, TypeVar

from hardware.simulated.clock import VirtualClock

if TYPE_CHECKING:
    from collections.abc import Coroutine

Result = TypeVar("Result")


class NothingScheduledError(RuntimeError):
    """All tasks wait, and nothing is scheduled that could wake them."""


class JumpingSelector(selectors.DefaultSelector):
    """A selector that advances the clock instead of waiting."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__()
        self.clock = clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """The descriptors that are ready now; if there are none, advances the time by the timeout."""
        ready = super().select(0)
        if not ready and timeout is None:
            raise NothingScheduledError("nothing is scheduled: this would wait for ever")
        if not ready and timeout:
            self.clock.sleep(timeout)
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop whose time is the clock's."""

    def __init__(self, clock: VirtualClock) -> None:
        self.clock = clock
        super().__init__(JumpingSelector(clock))

    def time(self) -> float:
        """The clock's time, seconds."""
        return self.clock.now_s()


def run(main: Coroutine[Any, Any, Result], clock: VirtualClock | None = None) -> Result:
    """Runs the coroutine on the clock, or on a new one, and returns its result.

    Raises:
        NothingScheduledError: it waits for something that never happens.
    """
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(clock or VirtualClock())) as runner:
        return runner.run(main)
