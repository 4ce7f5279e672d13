"""The gateway's end of `table.sock`: the newest state, the table's events, and answers to requests.

It connects again by itself. Messages are read without pydantic, because the process is to stay small.
"""

import asyncio
import logging
from collections import OrderedDict
from functools import partial
from pathlib import Path
from typing import Any, Final

from common import local_sockets, messages
from common.local_sockets import ForeignSocketError
from common.messages import Answer, Event, WireError
from common.snapshot import Snapshot, parse_snapshot

FIRST_RETRY_S: Final = 0.1
LAST_RETRY_S: Final = 2.0
ANSWER_S: Final = 5.0
"""Longest wait for an answer of the table."""
MOST_REQUESTS: Final = 64
"""Requests that wait for an answer; more are refused here."""
MOST_OF_A_KIND: Final = 8
"""Waiting requests of one kind that only reads, so that no kind keeps the others out."""
MOST_PICTURES: Final = 48
"""Pictures, strips and marks that are kept, so that a hundred screens cost the table one request."""
MOST_FILMS: Final = 2
"""Films among them: one is as large as ten pictures."""

log = logging.getLogger(__name__)


class BusyError(Exception):
    """The table is not there, does not answer in time, or has been asked too much already."""


class TableLink:
    """The gateway's knowledge of the table.

    `state` is the newest snapshot, JSON; None while the table is away. `payloads` has the newest payload of
    each other event by its name; it is empty while the table is away. `news` is set and replaced when the
    state changes, `event_news` when an event comes, or the table comes or goes.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.state: bytes | None = None
        self.payloads: dict[str, dict[str, Any]] = {}
        self.news, self.event_news = asyncio.Event(), asyncio.Event()
        self.writer: asyncio.StreamWriter | None = None
        self.waiting: dict[int, asyncio.Future[Answer]] = {}
        self.reading: dict[tuple[str, int], asyncio.Task[bytes]] = {}
        self.pictures: OrderedDict[tuple[str, int], bytes] = OrderedDict()
        self.number = 0
        self.foreign = False

    async def run(self) -> None:
        """Connects, listens, and again, until it is cancelled."""
        retry_s = FIRST_RETRY_S
        while True:
            try:
                reader, self.writer = await local_sockets.open_connection(
                    self.path, messages.LONGEST_LINE_BYTES
                )
                log.info("table=connected path=%s", self.path)
                retry_s = FIRST_RETRY_S
                self.wake(events=True)
                while True:
                    self.take(await messages.read_message(reader))
            except (OSError, WireError) as error:
                if self.writer is not None:
                    log.warning("table=lost error=%r", str(error))
                elif isinstance(error, ForeignSocketError) and not self.foreign:
                    self.foreign = True
                    log.warning("table=foreign error=%r", str(error))
            finally:
                self.lost()
            await asyncio.sleep(retry_s)
            retry_s = min(2 * retry_s, LAST_RETRY_S)

    def take(self, message: messages.Answered | Event) -> None:
        """Keeps an event, or gives an answer to the request that waits for it."""
        if isinstance(message, Event):
            if message.event == messages.STATE:
                self.state = message.body
            else:
                self.payloads[message.event] = message.payload
            self.wake(events=message.event != messages.STATE)
            return
        waiting = self.waiting.pop(message.number, None)
        if waiting is not None and not waiting.done():
            waiting.set_result(message.answer)

    def wake(self, *, events: bool = False) -> None:
        """Wakes all that wait for news of the state, or of the events."""
        if events:
            self.event_news.set()
            self.event_news = asyncio.Event()
        else:
            self.news.set()
            self.news = asyncio.Event()

    def lost(self) -> None:
        """The table is gone: requests that wait get no answer any more."""
        if self.writer is not None:
            self.writer.close()
            self.writer = None
        for waiting in self.waiting.values():
            waiting.cancel()
        self.waiting.clear()
        self.pictures.clear()
        self.payloads.clear()
        self.wake(events=True)
        if self.state is not None:
            self.state = None
            self.wake()

    def snapshot(self) -> Snapshot | None:
        """The newest snapshot; None while the table is away."""
        return parse_snapshot(self.state) if self.state is not None else None

    async def ask(self, kind: str, payload: dict[str, Any], within_s: float = ANSWER_S) -> Answer:
        """Asks the table to do something. BusyError: it is away, too much waits, or it was too slow.

        What is too long for a line is not sent, since the table would hang up: BusyError and a warning. A
        request that was too slow may still be carried out.
        """
        if self.writer is None or len(self.waiting) >= MOST_REQUESTS:
            raise BusyError
        number = self.number + 1
        line = messages.line_of({"id": number, "kind": kind, "payload": payload})
        if len(line) > messages.LONGEST_LINE_BYTES:
            log.warning("request=too_long kind=%s bytes=%d", kind, len(line))
            raise BusyError
        self.number = number
        waiting: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.waiting[number] = waiting
        self.writer.write(line)
        try:
            async with asyncio.timeout(within_s):
                await asyncio.wait((waiting,))
        except TimeoutError:
            raise BusyError from None
        finally:
            self.waiting.pop(number, None)
        if waiting.cancelled():
            raise BusyError
        return waiting.result()

    async def read(self, kind: str, number: int) -> bytes:
        """What the table has of a kind that only reads. BusyError.

        Those that want the same at the same time get the same answer.
        """
        wanted = (kind, number)
        if wanted not in self.reading:
            if sum(kind_asked == kind for kind_asked, _ in self.reading) >= MOST_OF_A_KIND:
                raise BusyError
            self.reading[wanted] = task = asyncio.create_task(self.body(kind, {"number": number}))
            task.add_done_callback(partial(self.forget, wanted))
        done, _ = await asyncio.wait((task := self.reading[wanted],))
        if task.cancelled():
            raise BusyError
        return done.pop().result()

    def forget(self, wanted: tuple[str, int], task: asyncio.Task[bytes]) -> None:
        """Forgets a reading that has ended, also one that failed after all that wanted it had left."""
        del self.reading[wanted]
        if not task.cancelled():
            task.exception()

    async def body(self, kind: str, payload: dict[str, Any]) -> bytes:
        """The body of the table's answer. BusyError, also if it refuses."""
        answer = await self.ask(kind, payload)
        if not answer.accepted:
            raise BusyError
        return answer.body

    async def picture(self, number: int, kind: str = messages.PICTURE) -> bytes:
        """The picture of a throw, JPEG, or its MOTION or MARKS; empty if there is none to show. BusyError."""
        picture = self.pictures.pop((kind, number), b"") or await self.read(kind, number)
        if picture:
            self.pictures[kind, number] = picture
            films = [key for key in self.pictures if key[0] == messages.FILM]
            for old in films[:-MOST_FILMS]:
                del self.pictures[old]
            while len(self.pictures) > MOST_PICTURES:
                self.pictures.popitem(last=False)
        return picture
