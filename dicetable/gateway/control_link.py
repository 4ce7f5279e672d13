"""The gateway's end of `control.sock`: asks the table to do something; connects again by itself.

docs/control.md has the messages. They are read by hand here: the process is to stay small.
"""

from __future__ import annotations

import asyncio
import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from dicetable.gateway.link import ANSWER_S, FIRST_RETRY_S, LAST_RETRY_S, BusyError
from dicetable.messages import LONGEST_CONTROL_LINE_BYTES, MOST_BYTES, WireError

if TYPE_CHECKING:
    from pathlib import Path

NAME: Final = "control.sock"
MOST_REQUESTS: Final = 64
"""Requests that wait for an answer; more are refused here."""

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ControlAnswer:
    """What became of a request; `sentence` says why it was refused."""

    accepted: bool
    sentence: str = ""
    result: dict[str, Any] = field(default_factory=dict)
    body: bytes = b""


class ControlLink:
    """Requests to the table, and the newest of its events by name; `news` is set and replaced when one comes.

    `connected` says whether the table is there; `events` is empty while it is not.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.events: dict[str, dict[str, Any]] = {}
        self.news = asyncio.Event()
        self.writer: asyncio.StreamWriter | None = None
        self.waiting: dict[int, asyncio.Future[ControlAnswer]] = {}
        self.number = 0

    @property
    def connected(self) -> bool:
        """Whether the table is there."""
        return self.writer is not None

    async def run(self) -> None:
        """Connects, listens, and again, until it is cancelled."""
        retry_s = FIRST_RETRY_S
        while True:
            try:
                reader, self.writer = await asyncio.open_unix_connection(str(self.path), limit=MOST_BYTES)
                log.info("control=connected path=%s", self.path)
                retry_s = FIRST_RETRY_S
                self.tell()
                await self.listen(reader)
            except (OSError, EOFError, WireError, ValueError) as error:
                if self.writer is not None:
                    log.warning("control=lost error=%r", str(error))
            finally:
                self.lost()
            await asyncio.sleep(retry_s)
            retry_s = min(2 * retry_s, LAST_RETRY_S)

    async def listen(self, reader: asyncio.StreamReader) -> None:
        """Takes answers and events until the connection ends."""
        while line := await reader.readline():
            match json.loads(line):
                case {"event": str(name), "payload": dict(payload)}:
                    self.events[name] = payload
                    self.tell()
                case {"id": int(number), "accepted": bool(accepted), "bytes": int(size)} as head if (
                    0 <= size <= MOST_BYTES
                ):
                    body = await reader.readexactly(size)
                    answer = ControlAnswer(accepted, str(head["sentence"]), dict(head["result"]), body)
                    waiting = self.waiting.pop(number, None)
                    if waiting is not None and not waiting.done():
                        waiting.set_result(answer)
                case _:
                    raise WireError("there is no such message")

    def tell(self) -> None:
        """Wakes all who wait for news."""
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
        self.events.clear()
        self.tell()

    async def ask(self, kind: str, payload: dict[str, Any], within_s: float = ANSWER_S) -> ControlAnswer:
        """Asks the table to do something. BusyError: it is away, too much waits, or it was too slow.

        What is too long for a line is not sent, since the table would hang up: BusyError and a warning. A
        request that was too slow may still be carried out.
        """
        if self.writer is None or len(self.waiting) >= MOST_REQUESTS:
            raise BusyError
        number = self.number + 1
        asked = {"id": number, "kind": kind, "payload": payload}
        line = json.dumps(asked, separators=(",", ":")).encode() + b"\n"
        if len(line) > LONGEST_CONTROL_LINE_BYTES:
            log.warning("request=too_long kind=%s bytes=%d", kind, len(line))
            raise BusyError
        self.number = number
        waiting: asyncio.Future[ControlAnswer] = asyncio.get_running_loop().create_future()
        self.waiting[number] = waiting
        self.writer.write(line)
        try:
            async with asyncio.timeout(within_s):
                await asyncio.wait((waiting,))
        except TimeoutError:
            self.waiting.pop(number, None)
            raise BusyError from None
        if waiting.cancelled():
            raise BusyError
        return waiting.result()
