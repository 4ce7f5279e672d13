"""Carries the table's rows and questions to the league, and brings its answers and news.

The rows go by store and forward, with the ledger as the store: the upload asks the server what it has and the
table for what follows, and posts that as it came. The table has signed it, and its key is not here. Whatever
fails is tried again, with pauses; a month without a network is caught up at a bounded pace.
"""

import asyncio
import http.client
import logging
from dataclasses import dataclass
from typing import Any, Final

from common import messages, network
from gateway.link import BusyError, TableLink
from gateway.streams import wait_at_most

PACE_S: Final = 0.25
"""Between two batches: 400 rows a second at most."""
QUIET_S: Final = 2.0
"""How long to wait for the table's next news before looking again."""
UNREGISTERED_S: Final = 30.0
REFUSED_S: Final = 60.0
"""How long to wait after a refusal that a retry does not heal; the log gives its reason."""
FIRST_RETRY_S: Final = 1.0
LAST_RETRY_S: Final = 60.0
NEWS_S: Final = 300.0
"""How often to ask the league what it has for this table, besides at once when a player opens its menu."""
PAUSE_S: Final = 1.0
LONGEST_WHY: Final = 200

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class LeagueAnswer:
    """An answer of the server."""

    status: int
    body: dict[str, object]


class Upload:
    """Keeps the league up to date while `run` runs. `next` is the row that it lacks; None: not known."""

    def __init__(self, link: TableLink, server: str) -> None:
        self.link = link
        self.server = server
        self.next: int | None = None
        self.gaps = 0
        self.logged = ""

    async def run(self) -> None:
        retry_s = FIRST_RETRY_S
        while True:
            try:
                pause_s = await self.step()
                retry_s = FIRST_RETRY_S
            except BusyError:
                pause_s = QUIET_S
            except (OSError, http.client.HTTPException, ValueError) as error:
                self.log(f"league=away server={self.server} error={str(error) or type(error).__name__}")
                pause_s, retry_s = retry_s, min(2 * retry_s, LAST_RETRY_S)
            await asyncio.sleep(pause_s)

    async def step(self) -> float:
        """Sends at most one batch; how long to wait then. OSError, HTTPException or ValueError: try again."""
        news = self.link.news
        signed = await self.link.read(messages.ROWS, self.next or 0)
        table, _, batch = signed.partition(b"\n")
        path = f"/v1/tables/{table.decode('ascii', 'replace')}"
        if not table:
            return UNREGISTERED_S
        if self.next is None:
            return self.take(await self.ask("GET", f"{path}/acknowledged", b""))
        if not batch:
            await wait_at_most(news, QUIET_S)
            return 0.0
        answer = await self.ask("POST", f"{path}/rows", batch)
        self.gaps = self.gaps + 1 if answer.body.get("error") == "gap" else 0
        return self.take(answer)

    def take(self, answer: LeagueAnswer) -> float:
        """Goes by an answer; how long to wait then."""
        if answer.status == 200:
            row = answer.body.get("row")
            if type(row) is not int or not 0 <= row < messages.HIGHEST:
                raise ValueError("this is not a league server")
            self.next = row + 1
            self.log(f"league=connected server={self.server}")
            return PACE_S
        cause = answer.body.get("error")
        self.log(f"league=refused server={self.server} cause={cause!r} why={answer.body.get('message')!r}")
        self.next = None  # another gateway may have sent rows, or a backup was restored: it says what it has
        return PACE_S if self.gaps == 1 else REFUSED_S

    def log(self, message: str) -> None:
        if message != self.logged:
            self.logged = message
            log.info("%s", message)

    async def ask(self, method: str, path: str, data: bytes) -> LeagueAnswer:
        """The server's answer; ConnectionError if it cannot answer now, and what `request` raises."""
        answer = await asyncio.to_thread(self.request, method, path, data)
        if answer.status >= 500:
            raise ConnectionError(f"it answers {answer.status}")
        return answer

    def request(self, method: str, path: str, data: bytes) -> LeagueAnswer:
        response, body = network.ask_server(self.server, method, path, data)
        return LeagueAnswer(response.status, body if isinstance(body, dict) else {})


class LeagueRelay:
    """Carries the table's questions to the league, which the table has signed, and brings answers and news.

    `done` is the number of the question that was answered last.
    """

    def __init__(self, upload: Upload) -> None:
        self.upload = upload
        self.link = upload.link
        self.done = 0
        self.looked_s = float("-inf")
        self.looks = 0

    async def run(self) -> None:
        while True:
            news = self.link.event_news
            try:
                await self.step()
            except BusyError:
                pass
            except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
                self.upload.log(f"league=away server={self.upload.server} error={str(error)!r}")
                await asyncio.sleep(PAUSE_S)
            await wait_at_most(news, PAUSE_S)

    async def step(self) -> None:
        """Carries the question that waits, and asks for news when it is time."""
        event = self.link.payloads.get("league", {})
        if not (table := event.get("table")):
            return
        number, body, looks = event["number"], event["body"], event["looks"]
        if looks != self.looks:
            self.looks, self.looked_s = looks, float("-inf")
        if body and number != self.done:
            answer = await self.upload.ask("POST", event["path"], body.encode())
            await self.link.ask("league_said", reply(number, answer.status, answer.body))
            self.done = number
            self.looked_s = float("-inf")
        now_s = asyncio.get_running_loop().time()
        if now_s >= self.looked_s + NEWS_S:
            self.looked_s = now_s
            answer = await self.upload.ask("GET", f"/v1/tables/{table}/news", b"")
            if answer.status == 200:
                await self.link.ask("league_news", {"contests": answer.body["contests"]})


def reply(number: int, status: int, body: dict[str, Any]) -> dict[str, Any]:
    if status != 200:
        return {"number": number, "why": str(body.get("message", status))[:LONGEST_WHY]}
    players = body.get("players")
    listed = players if isinstance(players, list) else []
    return {"number": number, "game": str(body.get("game", "")), "players": listed}
