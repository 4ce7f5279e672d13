"""Carries the table's rows to the league: store and forward, with the ledger as the store.

It asks the server what it has, the table for what follows, and posts that as it came: signed by the table,
whose key is not here. Whatever fails is tried again, with pauses; a month without a network is caught up at a
bounded pace.
"""

from __future__ import annotations

import asyncio
import http.client
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from dicetable import messages
from dicetable.gateway.link import BusyError
from dicetable.network import outside_json

if TYPE_CHECKING:
    from dicetable.gateway.link import TableLink

PACE_S: Final = 0.25
"""Between two batches: 400 rows a second at most."""
QUIET_S: Final = 2.0
"""How long to wait for the table's next news before looking again."""
UNREGISTERED_S: Final = 30.0
REFUSED_S: Final = 60.0
"""How long to wait after a refusal that a retry does not heal; the log gives its reason."""
FIRST_RETRY_S: Final = 1.0
LAST_RETRY_S: Final = 60.0
ANSWER_S: Final = 15.0
LONGEST_ANSWER_BYTES: Final = 256 * 1024

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LeagueAnswer:
    """What the server said."""

    status: int
    body: dict[str, object]


class Upload:
    """Keeps the league up to date while `run` runs. `next` is the row that it lacks; None: not known."""

    def __init__(self, link: TableLink, server: str) -> None:
        self.link = link
        self.server = server
        self.next: int | None = None
        self.gaps = 0
        self.told = ""

    async def run(self) -> None:
        """Goes on until it is cancelled."""
        retry_s = FIRST_RETRY_S
        while True:
            try:
                pause_s = await self.step()
                retry_s = FIRST_RETRY_S
            except BusyError:
                pause_s = QUIET_S
            except (OSError, http.client.HTTPException, ValueError) as error:
                self.tell(f"league=away server={self.server} error={str(error) or type(error).__name__}")
                pause_s, retry_s = retry_s, min(2 * retry_s, LAST_RETRY_S)
            await asyncio.sleep(pause_s)

    async def step(self) -> float:
        """Sends at most one batch; how long to wait then. OSError, HTTPException or ValueError: try again."""
        news = self.link.news
        table, batch = await self.outgoing(self.next or 0)
        if not table:
            return UNREGISTERED_S
        if self.next is None:
            return await self.look(table)
        if not batch:
            try:
                async with asyncio.timeout(QUIET_S):
                    await news.wait()
            except TimeoutError:
                pass
            return 0.0
        answer = await self.ask("POST", f"/v1/tables/{table}/rows", batch)
        self.gaps = self.gaps + 1 if answer.body.get("error") == "gap" else 0
        return self.take(answer)

    async def outgoing(self, number: int) -> tuple[str, bytes]:
        """The id of the table and a batch, each empty if there is none. BusyError."""
        told = await self.link.ask(messages.StateRequest(messages.ROWS, number))
        table, _, batch = told.partition(b"\n")
        return table.decode("ascii", "replace"), batch

    async def look(self, table: str) -> float:
        """Asks the server what it has."""
        answer = await self.ask("GET", f"/v1/tables/{table}/acknowledged", b"")
        return self.take(answer)

    def take(self, answer: LeagueAnswer) -> float:
        """Goes by an answer; how long to wait then."""
        if answer.status == 200:
            row = answer.body.get("row")
            if type(row) is not int or not 0 <= row < messages.HIGHEST:
                raise ValueError("this is no league server")
            self.next = row + 1
            self.tell(f"league=connected server={self.server}")
            return PACE_S
        cause = answer.body.get("error")
        self.tell(f"league=refused server={self.server} cause={cause!r} why={answer.body.get('message')!r}")
        self.next = None  # another gateway may have sent rows, or a backup was restored: it says what it has
        return PACE_S if self.gaps == 1 else REFUSED_S

    def tell(self, what: str) -> None:
        """Logs what has changed."""
        if what != self.told:
            self.told = what
            log.info("%s", what)

    async def ask(self, method: str, path: str, data: bytes) -> LeagueAnswer:
        """The server's answer; ConnectionError if it cannot answer now, and what `request` raises."""
        answer = await asyncio.to_thread(self.request, method, path, data)
        if answer.status >= 500:
            raise ConnectionError(f"it answers {answer.status}")
        return answer

    def request(self, method: str, path: str, data: bytes) -> LeagueAnswer:
        """Asks the server; OSError, HTTPException or ValueError if it does not answer as one."""
        address = urlsplit(self.server)
        secure = address.scheme == "https"
        made = http.client.HTTPSConnection if secure else http.client.HTTPConnection
        connection = made(address.hostname or "", address.port, timeout=ANSWER_S)
        try:
            headers = {"content-type": "application/json"}
            connection.request(method, address.path.rstrip("/") + path, data or None, headers)
            response = connection.getresponse()
            body = outside_json.parsed(response.read(LONGEST_ANSWER_BYTES) or b"{}")
        finally:
            connection.close()
        return LeagueAnswer(response.status, body if isinstance(body, dict) else {})
