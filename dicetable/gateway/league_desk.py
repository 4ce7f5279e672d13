"""Carries the table's questions to the league, and brings its answers, its news and what it asks for.

The table has signed what it asks. The league's server makes sure that all sides of a match want a picture; it
knows the true one by the digest that the table signed. The table gives out pictures of closed matches alone
whose rows it sends too, and they go to no server that others on the network could listen in on.
"""

from __future__ import annotations

import asyncio
import http.client
import ipaddress
import logging
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from dicetable.gateway.link import BusyError
from dicetable.state import wire

if TYPE_CHECKING:
    from dicetable.gateway.control_link import ControlLink
    from dicetable.gateway.league import Upload

EVENT: Final = "league"
NEWS_S: Final = 300.0
"""How often to ask the league what it has for this table, besides at once when somebody opens its menu."""
PAUSE_S: Final = 1.0
LONGEST_WHY: Final = 200
MOST_PICTURES: Final = 4
"""Sent at once; others follow with the next news."""
LATER_S: Final = 1800.0
"""How long to wait with a picture that the table did not give out, or the league did not take."""

log = logging.getLogger(__name__)


class Desk:
    """Works while `run` runs. `done` is the number of the question that was answered last."""

    def __init__(self, upload: Upload, control: ControlLink) -> None:
        self.upload = upload
        self.control = control
        self.done = 0
        self.heard_s = float("-inf")
        self.looks = 0
        self.later: dict[int, float] = {}
        self.warned = False

    async def run(self) -> None:
        """Goes on until it is cancelled."""
        while True:
            news = self.control.news
            try:
                await self.step()
            except BusyError:
                pass
            except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError) as error:
                self.upload.tell(f"league=away server={self.upload.server} error={str(error)!r}")
                await asyncio.sleep(PAUSE_S)
            try:
                async with asyncio.timeout(PAUSE_S):
                    await news.wait()
            except TimeoutError:
                pass

    async def step(self) -> None:
        """Carries the question that waits, and asks for news when it is time."""
        match self.control.events.get(EVENT):
            case {
                "table": str(table),
                "number": int(number),
                "path": str(path),
                "body": str(body),
                "looks": int(looks),
            } if table:
                pass
            case _:
                return
        if looks != self.looks:
            self.looks, self.heard_s = looks, float("-inf")
        if body and number != self.done:
            answer = await self.upload.ask("POST", path, body.encode())
            await self.control.ask("league_said", said(number, answer.status, answer.body))
            self.done = number
            self.heard_s = float("-inf")
        now_s = asyncio.get_running_loop().time()
        if now_s >= self.heard_s + NEWS_S:
            self.heard_s = now_s
            await self.news(table)

    async def news(self, table: str) -> None:
        """Brings what the league has for this table, and the pictures that it asks for."""
        answer = await self.upload.ask("GET", f"/v1/tables/{table}/news", b"")
        if answer.status != 200:
            return
        await self.control.ask("league_news", {"contests": answer.body["contests"]})
        rows: Any = answer.body.get("pictures")
        asked = [row for row in rows if type(row) is int and 0 < row < wire.HIGHEST] if rows else []
        if asked and not private(self.upload.server):
            if not self.warned:
                log.warning(
                    "league_pictures=kept server=%s why='pictures are sent over https only'",
                    self.upload.server,
                )
            self.warned = True
            return
        now_s = asyncio.get_running_loop().time()
        self.later = {row: until_s for row, until_s in self.later.items() if until_s > now_s}
        for row in [row for row in asked if row not in self.later][:MOST_PICTURES]:
            if not await self.picture(table, row):
                self.later[row] = now_s + LATER_S

    async def picture(self, table: str, row: int) -> bool:
        """Sends what is kept of a throw, if the table gives it out; whether the league took it."""
        kept = await self.upload.link.ask(wire.StateRequest(wire.EVIDENCE, row))
        if not kept:
            return False
        path = f"/v1/tables/{table}/pictures/{row}"
        answer = await self.upload.ask("POST", path, kept)
        log.info("league_picture=%d bytes=%d status=%d", row, len(kept), answer.status)
        return answer.status == 200


def private(server: str) -> bool:
    """Whether nobody on the network can read what goes to a server: it is https, or on this machine."""
    address = urlsplit(server)
    if address.scheme == "https" or address.hostname == "localhost":
        return True
    try:
        return ipaddress.ip_address(address.hostname or "").is_loopback
    except ValueError:
        return False


def said(number: int, status: int, body: dict[str, Any]) -> dict[str, Any]:
    """The league's answer as the table takes it."""
    if status != 200:
        return {"number": number, "why": str(body.get("message", status))[:LONGEST_WHY]}
    players = body.get("players")
    found = players if isinstance(players, list) else []
    return {"number": number, "game": str(body.get("game", "")), "players": found}
