"""Virtual time: a clock that jumps instead of waiting, and an asyncio loop that runs on it."""

import asyncio
import selectors
import time
from collections.abc import Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class VirtualClock:
    """A `Clock` that jumps.

    A sleep advances the time for all. Everything simulated derives its state from the clock's time, so
    it also runs on the machine's real clock.
    """

    def __init__(self, start_s: float = 1000.0) -> None:
        self.time_s = start_s

    def now_s(self) -> float:
        return self.time_s

    def sleep(self, seconds: float) -> None:
        """Advances the time. Raises ValueError for a negative time."""
        if seconds < 0:
            raise ValueError(f"time does not go back: {seconds} s")
        self.time_s += seconds


class PacedClock(VirtualClock):
    """A `VirtualClock` that people can watch: it is never faster than real time.

    Where the machine cannot keep up it is slower, so that a simulated camera still gives all its frames.
    """

    def __init__(self) -> None:
        super().__init__()
        self.due_s = time.monotonic()

    def sleep(self, seconds: float) -> None:
        """Advances the time, and waits that long since the last sleep ended, if that is not over yet."""
        super().sleep(seconds)
        now_s = time.monotonic()
        self.due_s = max(self.due_s + seconds, now_s)
        time.sleep(self.due_s - now_s)


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
        return self.clock.now_s()


def run(main: Coroutine[Any, Any, Result], clock: VirtualClock | None = None) -> Result:
    """Runs the coroutine on the clock, or on a new one, and returns its result.

    Raises NothingScheduledError if it waits for something that never happens.
    """
    with asyncio.Runner(loop_factory=lambda: VirtualLoop(clock or VirtualClock())) as runner:
        return runner.run(main)
