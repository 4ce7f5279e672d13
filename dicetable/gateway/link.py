"""The gateway's end of `state.sock`: the newest state, and answers to questions; connects again by itself."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from dicetable import messages as wire

if TYPE_CHECKING:
    from pathlib import Path

FIRST_RETRY_S: Final = 0.1
LAST_RETRY_S: Final = 2.0
ANSWER_S: Final = 5.0
"""Longest wait for an answer of the table."""
MOST_QUESTIONS: Final = 16
"""Different questions that wait for an answer; more are refused."""
MOST_OF_A_KIND: Final = 8
"""Those of one kind, so that no kind keeps the others out."""
MOST_PICTURES: Final = 48
"""Pictures, strips and marks that are kept, so that a hundred screens cost the table one question."""

log = logging.getLogger(__name__)


class BusyError(Exception):
    """The table is not there, does not answer in time, or has been asked too much already."""


class TableLink:
    """What is known of the table. `state` is the newest snapshot, JSON; None while the table is away."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.state: bytes | None = None
        self.news = asyncio.Event()
        self.writer: asyncio.StreamWriter | None = None
        self.waiting: dict[wire.StateRequest, asyncio.Future[bytes]] = {}
        self.pictures: OrderedDict[wire.StateRequest, bytes] = OrderedDict()

    async def run(self) -> None:
        """Connects, listens, and again, until it is cancelled."""
        retry_s = FIRST_RETRY_S
        while True:
            try:
                reader, self.writer = await asyncio.open_unix_connection(str(self.path))
                log.info("table=connected path=%s", self.path)
                retry_s = FIRST_RETRY_S
                await self.listen(reader)
            except (OSError, wire.WireError) as error:
                if self.writer is not None:
                    log.warning("table=lost error=%r", str(error))
            finally:
                self.lost()
            await asyncio.sleep(retry_s)
            retry_s = min(2 * retry_s, LAST_RETRY_S)

    async def listen(self, reader: asyncio.StreamReader) -> None:
        """Takes messages until the connection ends; ConnectionResetError then."""
        messages = wire.Messages()
        while data := await reader.read(64 * 1024):
            for message in messages.feed(data):
                self.take(message)
        raise ConnectionResetError("the table closed the connection")

    def take(self, message: wire.StateMessage) -> None:
        """A state for everybody, or an answer for those who wait for it."""
        if message.kind == wire.STATE:
            self.tell(message.body)
            return
        waiting = self.waiting.pop(wire.StateRequest(message.kind, message.number), None)
        if waiting is not None and not waiting.done():
            waiting.set_result(message.body)

    def tell(self, state: bytes | None) -> None:
        """Wakes all who wait for news."""
        self.state = state
        self.news.set()
        self.news = asyncio.Event()

    def lost(self) -> None:
        """The table is not there: nobody gets an answer any more."""
        if self.writer is not None:
            self.writer.close()
            self.writer = None
        for waiting in self.waiting.values():
            waiting.cancel()
        self.waiting.clear()
        self.pictures.clear()
        if self.state is not None:
            self.tell(None)

    async def ask(self, request: wire.StateRequest) -> bytes:
        """The table's answer; who asks the same at the same time gets the same. BusyError."""
        if self.writer is None:
            raise BusyError
        waiting = self.waiting.get(request)
        if waiting is None:
            alike = sum(each.get == request.get for each in self.waiting)
            if len(self.waiting) >= MOST_QUESTIONS or alike >= MOST_OF_A_KIND:
                raise BusyError
            waiting = self.waiting[request] = asyncio.get_running_loop().create_future()
            self.writer.write(request.to_bytes())
        try:
            async with asyncio.timeout(ANSWER_S):
                await asyncio.wait((waiting,))
        except TimeoutError:
            raise BusyError from None
        if waiting.cancelled():
            raise BusyError
        return waiting.result()

    async def picture(self, number: int, kind: str = wire.PICTURE) -> bytes:
        """The picture of a throw, JPEG, or its MOTION or MARKS; empty if there is none to show. BusyError."""
        asked = wire.StateRequest(kind, number)
        if asked not in self.pictures:
            found = await self.ask(asked)
            if not found:
                return b""
            self.pictures[asked] = found
            while len(self.pictures) > MOST_PICTURES:
                self.pictures.popitem(last=False)
        with suppress(KeyError):
            self.pictures.move_to_end(asked)
            return self.pictures[asked]
        return b""

    async def meters(self) -> bytes:
        """What the table has counted and timed since it started, as JSON. BusyError."""
        return await self.ask(wire.StateRequest(wire.METERS, 0))

    async def throws(self, before: int) -> bytes:
        """The throws below a row of the ledger, newest first, as JSON. BusyError."""
        return await self.ask(wire.StateRequest(wire.THROWS, before))
