"""Carries the table's questions to the league, and brings its answers and its news.

The table has signed what it asks.
"""

from __future__ import annotations

import asyncio
import http.client
import logging
from typing import TYPE_CHECKING, Any, Final

from dicetable.gateway.link import BusyError

if TYPE_CHECKING:
    from dicetable.gateway.control_link import ControlLink
    from dicetable.gateway.league import Upload

EVENT: Final = "league"
NEWS_S: Final = 300.0
"""How often to ask the league what it has for this table, besides at once when somebody opens its menu."""
PAUSE_S: Final = 1.0
LONGEST_WHY: Final = 200

log = logging.getLogger(__name__)


class Desk:
    """Works while `run` runs. `done` is the number of the question that was answered last."""

    def __init__(self, upload: Upload, control: ControlLink) -> None:
        self.upload = upload
        self.control = control
        self.done = 0
        self.heard_s = float("-inf")
        self.looks = 0

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
        """Brings what the league has for this table."""
        answer = await self.upload.ask("GET", f"/v1/tables/{table}/news", b"")
        if answer.status != 200:
            return
        await self.control.ask("league_news", {"contests": answer.body["contests"]})


def said(number: int, status: int, body: dict[str, Any]) -> dict[str, Any]:
    """The league's answer as the table takes it."""
    if status != 200:
        return {"number": number, "why": str(body.get("message", status))[:LONGEST_WHY]}
    players = body.get("players")
    found = players if isinstance(players, list) else []
    return {"number": number, "game": str(body.get("game", "")), "players": found}
