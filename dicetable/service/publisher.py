"""Publishes the table's state on its socket, and answers what the gateway wants to read of it.

The state is a complete snapshot after each change. Pictures, their marks, older throws, rows for the league
and what the table has counted are requests; the throws of a page are read a few rows at a time.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING, Annotated, Any, Final

from pydantic import Field

from dicetable.messages import HIGHEST, STATE, Answer, Event
from dicetable.service.requests import Nothing, Pace, Payload, RequestKind, accepted
from dicetable.service.snapshot import snapshot
from dicetable.service.throws import EVENING_S, Board, RecentThrows, older

if TYPE_CHECKING:
    from dicetable.service.server import TableServer
    from dicetable.service.throws import Archive
    from dicetable.table.table import Table
    from games.requests import JsonObject

ROWS: Final = 5
"""Rows of the ledger that are read at once."""
READ_S: Final = 0.02
"""The pause between two such readings for a page of throws; only one page is read at a time."""
LOOK_S: Final = 0.1
"""How often the state is compared; after an entry of the ledger this happens at once."""
PAUSE_S: Final = 5.0
"""The pause after a fault in this part, which never affects the game."""
READS: Final = Pace(100, 0.02)
"""The gateway keeps pictures, so that a hundred screens cost the table one request."""
BATCHES: Final = Pace(10, 0.1)
"""A gateway that catches up takes four batches of rows a second."""

log = logging.getLogger(__name__)


class Reading(Payload):
    """What to read: a row of the ledger, or the row that older throws lie below."""

    number: Annotated[int, Field(ge=0, le=HIGHEST)]


class Publisher:
    """Publishes the state of a table; `turn` does a bounded amount of work."""

    def __init__(self, server: TableServer) -> None:
        self.server = server
        self.archive: Archive | None = None
        self.table: Table | None = None
        self.throws: RecentThrows | None = None
        self.known: JsonObject = {}
        self.revision = self.row = 0
        self.looked_s = self.paused_s = float("-inf")
        self.written_s = 0.0
        self.searching = asyncio.Lock()

    def turn(self, now_s: float, table: Table, archive: Archive) -> None:
        """Publishes what is new; never raises."""
        if now_s < self.paused_s:
            return
        try:
            self.publish(now_s, table, archive)
        except Exception:  # a fault here must cost the screens, not the game
            log.exception("state=failed pause_s=%g", PAUSE_S)
            self.paused_s = now_s + PAUSE_S
            self.table = self.throws = None
            table.recorded = None
            self.server.disconnect()

    def publish(self, now_s: float, table: Table, archive: Archive) -> None:
        """Follows the table, and publishes a new revision if anything has changed."""
        if self.table is not table or self.throws is None:
            self.table, self.archive, self.throws = table, archive, RecentThrows(archive)
            table.recorded = self.throws.recorded.append
            self.looked_s, self.written_s, self.row = float("-inf"), now_s, 0
        throws = self.throws
        throws.step(ROWS)
        if throws.number != self.row:
            self.row, self.written_s, self.looked_s = throws.number, now_s, float("-inf")
        elif now_s - self.written_s >= EVENING_S:
            throws.board = Board()
        if not self.server.clients:
            self.known = {}
            self.server.events.pop(STATE, None)  # a new client gets no old state
        elif throws.up_to_date and now_s >= self.looked_s + LOOK_S:
            self.looked_s = now_s
            found = snapshot(table, throws.throws, throws.number, throws.events, throws.board)
            if found != self.known:
                self.known = found
                self.revision += 1
                body = as_json({**found, "revision": self.revision})
                self.server.publish(Event(STATE, body=body))

    def kinds(self) -> dict[str, RequestKind[Any]]:
        return {
            "picture": RequestKind(Reading, self.read_picture, READS),
            "motion": RequestKind(Reading, self.read_motion, READS),
            "marks": RequestKind(Reading, self.read_marks, READS),
            "throws": RequestKind(Reading, self.read_throws, READS),
            "rows": RequestKind(Reading, self.read_rows, BATCHES),
            "meters": RequestKind(Nothing, self.read_meters, BATCHES),
        }

    def read_picture(self, asked: Reading, _: Table) -> Answer:
        """The picture of a throw, JPEG; an empty body if there is none to show."""
        return accepted(body=self.throws.evidence(asked.number)[0] if self.throws is not None else b"")

    def read_motion(self, asked: Reading, _: Table) -> Answer:
        """The strip of a throw's motion, JPEG; as for pictures."""
        return accepted(body=self.throws.evidence(asked.number)[1] if self.throws is not None else b"")

    def read_marks(self, asked: Reading, _: Table) -> Answer:
        """Where the dice of a throw are in its picture and the frames in its strip, JSON; as for pictures."""
        found = self.throws.marks(asked.number) if self.throws is not None else None
        return accepted(body=as_json(found) if found is not None else b"")

    async def read_throws(self, asked: Reading, _: Table) -> Answer:
        """A JSON list of the newest throws below a row, newest first."""
        if self.archive is None:
            return accepted(body=b"[]")
        async with self.searching:
            found = None
            for at, found in enumerate(older(self.archive, asked.number), 1):
                if found is None and at % ROWS == 0:
                    await asyncio.sleep(READ_S)
        listed = [throw.to_json() for throw in found or ()]
        for each in listed:
            each["picture"] &= self.throws is not None and self.throws.shows(each["number"])
        return accepted(body=as_json(listed))

    def read_rows(self, asked: Reading, _: Table) -> Answer:
        """The id of the table and signed rows for the league from a row on; empty if it is in none."""
        return accepted(body=self.archive.outgoing(asked.number) if self.archive is not None else b"")

    def read_meters(self, _: Nothing, table: Table) -> Answer:
        """What the table has counted and timed since it started, JSON."""
        return accepted(body=as_json(table.meters.to_json()))


def as_json(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode()
