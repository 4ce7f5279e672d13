"""What clients may do at once, so that none of them keeps the others out."""

from __future__ import annotations

import asyncio
from collections import Counter
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

from dicetable.gateway.link import BusyError

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

AT_ONCE: Final = 2
"""Questions of one client that the table is asked at once; further ones wait for their turn."""
MOST_WAITING: Final = 24
"""Those of one client that wait; a page with the pictures of many throws asks for some twenty."""


class Turns:
    """Lets each client ask the table a little at a time."""

    def __init__(self) -> None:
        self.gates: dict[str, asyncio.Semaphore] = {}
        self.waiting: Counter[str] = Counter()

    @asynccontextmanager
    async def of(self, client: str) -> AsyncIterator[None]:
        """Waits for a turn of the client. Raises BusyError if too much of it waits already."""
        if self.waiting[client] >= MOST_WAITING:
            raise BusyError
        gate = self.gates.setdefault(client, asyncio.Semaphore(AT_ONCE))
        self.waiting[client] += 1
        try:
            async with gate:
                yield
        finally:
            self.waiting[client] -= 1
            if not self.waiting[client]:
                del self.waiting[client], self.gates[client]


class Streams:
    """How many streams each client follows, within bounds."""

    def __init__(self, most: int, most_of_a_client: int) -> None:
        self.most = most
        self.most_of_a_client = most_of_a_client
        self.open: Counter[str] = Counter()

    def total(self) -> int:
        """All of them."""
        return self.open.total()

    def admits(self, client: str) -> bool:
        """Whether the client may follow one more. Where all places are taken it still has its equal share."""
        return self.allows(client, 1)

    def keeps(self, client: str) -> bool:
        """Whether a stream of the client goes on; some end for those that were admitted since."""
        return self.allows(client, 0)

    def allows(self, client: str, more: int) -> bool:
        """Whether the client may have this many more streams."""
        own = self.open[client] + more
        clients = len(self.open.keys() | {client})
        shared = self.total() + more <= self.most or own * clients <= self.most
        return own <= self.most_of_a_client and shared
