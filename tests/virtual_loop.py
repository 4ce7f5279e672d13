"""An asyncio loop in virtual time: instead of waiting it moves its clock on to what is scheduled next."""

from __future__ import annotations

import asyncio
import selectors
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Coroutine

Result = TypeVar("Result")


class NoWaiting(selectors.DefaultSelector):
    """Looks at descriptors without waiting; the time that would have been waited goes to the loop."""

    loop: VirtualLoop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = super().select(0)
        if ready or timeout == 0:
            return ready
        if timeout is None:
            raise RuntimeError("nothing is scheduled: this would wait for ever")
        self.loop.now_s += timeout
        return []


class VirtualLoop(asyncio.SelectorEventLoop):
    """Starts at 1000 s."""

    def __init__(self) -> None:
        self.now_s = 1000.0
        selector = NoWaiting()
        selector.loop = self
        super().__init__(selector)

    def time(self) -> float:
        return self.now_s


def run(main: Coroutine[Any, Any, Result]) -> Result:
    """The coroutine's result, in no time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main)
