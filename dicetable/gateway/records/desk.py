"""What the table last counted of players and dice, kept so that a room of guests costs one counting."""

from __future__ import annotations

import asyncio
import json
import time
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from dicetable.gateway.link import BusyError

if TYPE_CHECKING:
    from collections.abc import Callable

    from dicetable.gateway.link import TableLink

COUNTING_S: Final = 125.0
"""Longest wait for the table, whose program may take two minutes."""
WAIT_S: Final = 3.0
"""A guest waits so long for a counting; after that the page says what the table is doing."""
KEPT_S: Final = 30.0
KEPT_TIMES: Final = 20.0
"""What took long to count is kept for so many times as long."""


class CountingError(Exception):
    """The table is still counting."""


@dataclass(frozen=True, slots=True)
class Counted:
    """An answer, when it came, how long it took, and the connection on which it came.

    `told` is None if the table gave none.
    """

    told: dict[str, Any] | None
    at_s: float
    took_s: float
    connection: object

    def is_fresh(self, now_s: float) -> bool:
        """Whether it need not be counted again yet."""
        least_s = 0.0 if self.told is None else KEPT_S
        return now_s < self.at_s + max(least_s, KEPT_TIMES * self.took_s)


class RecordsDesk:
    """Asks the table for `players` or `dice`. `now_s` never goes back."""

    def __init__(self, control: TableLink, now_s: Callable[[], float] = time.monotonic) -> None:
        self.control = control
        self.now_s = now_s
        self.known: dict[str, Counted] = {}
        self.counting: dict[str, asyncio.Task[Counted]] = {}

    async def told(self, what: str) -> dict[str, Any]:
        """The newest answer.

        Raises:
            CountingError: there is none yet.
            BusyError: the table is away, or refuses to count.
        """
        if self.control.writer is None:
            raise BusyError
        known = self.known.get(what)
        if known is not None and known.connection is not self.control.writer:
            known = None  # names may have been erased while the table was away
        if known is None or not known.is_fresh(self.now_s()):
            task = self.counting.get(what)
            if task is None or task.done():
                task = self.counting[what] = asyncio.create_task(self.count(what))
            done, _ = await asyncio.wait((task,), timeout=WAIT_S)
            known = task.result() if done else known
        if known is None:
            raise CountingError
        if known.told is None:
            raise BusyError
        return known.told

    async def count(self, what: str) -> Counted:
        """Asks the table and keeps its answer; the one before, if it gives none on this connection."""
        connection, began_s = self.control.writer, self.now_s()
        before = self.known.get(what)
        told = before.told if before is not None and before.connection is connection else None
        with suppress(BusyError):
            said = await self.control.ask("records", {"what": what}, COUNTING_S)
            told = json.loads(said.body) if said.accepted else told
        now_s = self.now_s()
        found = self.known[what] = Counted(told, now_s, now_s - began_s, connection)
        return found
