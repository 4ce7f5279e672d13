"""An asyncio loop in virtual time: instead of waiting it moves the clock on to what is scheduled next.

    clock = VirtualClock()
    run(main(), clock)

Descriptors are still looked at, but never waited for. What would wait for ever fails at once.
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
    """Everything waits, and nothing is scheduled that could end it."""


class JumpingSelector(selectors.DefaultSelector):
    """Spends the time that it should wait on the clock."""

    def __init__(self, clock: VirtualClock) -> None:
        super().__init__()
        self.clock = clock

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        """What is ready now; else time goes on by the timeout."""
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
    """The coroutine's result, as soon as it can be computed; on a clock of its own if none is given.

    Raises:
        NothingScheduledError: it waits for what never comes.
    """
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(clock or VirtualClock())) as runner:
        return runner.run(main)
