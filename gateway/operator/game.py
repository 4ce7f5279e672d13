"""The operator's overview, games and ledger, and the plots of the evening: all asked of the table."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from common import texts
from games.registry import GAMES
from gateway.link import ANSWER_S, BusyError, TableLink
from gateway.operator.plots import counted, warmth
from gateway.requests import (
    RequestRefusedError,
    accepted,
    answer,
    parse_answer,
    parse_object,
    row_number,
)
from gateway.sessions import OperatorSession

ACTS: Final = ("start", "pause", "resume", "end", "correct", "restart", "off")
SEATS_S: Final = 45.0
"""Longest wait for a seat's OK; the table gives up before that."""
SEARCH_S: Final = 130.0
COUNTS: Final = {"throws": 1, "asked": 2, "void": 3}
"""The index of each count in a minute of the history."""
CELSIUS: Final = "celsius"
FRESH_S: Final = 10.0


class GamePages:
    """Answers the overview, what is done with games, the ledger page and the plots."""

    def __init__(self, link: TableLink) -> None:
        self.table = link
        self.history: dict[str, Any] = {}
        self.history_s = float("-inf")
        self.asking = asyncio.Lock()

    async def overview(self, _: Request, __: OperatorSession) -> Response:
        """The table's `state` as guests have it, and the `games` that may be started."""
        snapshot = self.table.snapshot()
        if snapshot is None:
            raise BusyError
        return answer({"state": snapshot, "games": game_choices()})

    async def seats(self, _: Request, __: OperatorSession) -> Response:
        """Who could play: the result of `operator_seats`."""
        return answer(dict(accepted(await self.table.ask("operator_seats", {})).result))

    async def act(self, request: Request, session: OperatorSession, body: dict[str, Any]) -> Response:
        """Starts, pauses, resumes, ends or corrects a game, restarts the service or switches the table off.

        `what` is `start`, `pause`, `resume`, `end`, `correct`, `restart` or `off`; the body is the payload
        of `operator_start` and so on. Answers with `done`, a sentence.
        """
        act = request.path_params["what"]
        if act not in ACTS:
            raise RequestRefusedError(404, texts.operator.NOTHING)
        within_s = SEATS_S if act == "correct" else ANSWER_S
        done = accepted(await self.table.ask(f"operator_{act}", body, within_s))
        return answer({"done": done.sentence or texts.operator.DONE[act], **done.result}, session)

    async def show_code(self, code: str, lives_s: int) -> bool:
        """Shows a login code on the panel; False if the panel can't."""
        try:
            shown = await self.table.ask("operator_code", {"code": code, "lives_s": lives_s}, 2.0)
        except BusyError:
            return False
        return shown.accepted and bool(shown.result.get("panel", True))

    async def ledger(self, request: Request, _: OperatorSession) -> Response:
        """The newest games: with `?words=` those that have them, with `?before=` those in rows before.

        With `?match=` it is the entries of that one.
        """
        params = request.query_params
        query = {
            "words": params.get("words", "")[:100],
            "before": checked_row(params.get("before", "0")),
            "match": checked_row(params.get("match", "0")),
        }
        return answer(parse_answer(accepted(await self.table.ask("operator_ledger", query, SEARCH_S)).body))

    async def export(self, request: Request, _: OperatorSession) -> Response:
        """All entries, or with `?match=` those of one game, as JSON lines."""
        match = checked_row(request.query_params.get("match", "0"))
        first = await self.piece(1, match)
        headers = {"cache-control": "no-store", "content-disposition": 'attachment; filename="ledger.jsonl"'}
        return StreamingResponse(self.pieces(first, match), media_type="application/jsonl", headers=headers)

    async def pieces(self, piece: bytes, match: int) -> AsyncIterator[bytes]:
        """One piece after the other, each requested once the browser has taken the one before."""
        while piece:
            yield piece
            last = json.loads(piece.splitlines()[-1])["number"]
            piece = await self.piece(last + 1, match)

    async def piece(self, start: int, match: int) -> bytes:
        """The entries from row `start` on that fit into one message."""
        rows = {"start": start, "match": match}
        return accepted(await self.table.ask("operator_export", rows, SEARCH_S)).body

    async def plot(self, request: Request, _: OperatorSession) -> Response:
        """A plot of the evening, SVG: `throws`, `asked`, `void` or `celsius`."""
        name = request.path_params["name"]
        if name not in COUNTS and name != CELSIUS:
            raise RequestRefusedError(404, texts.operator.NOTHING)
        async with self.asking:  # one question for all plots of the page
            now_s = time.monotonic()
            if now_s - self.history_s > FRESH_S:
                self.history = parse_object(accepted(await self.table.ask("operator_history", {})).body)
                self.history_s = now_s
        minutes = self.history["minutes"]
        drawn = (
            warmth(minutes, self.history["limit_c"], clock)
            if name == CELSIUS
            else counted(minutes, COUNTS[name], clock)
        )
        svg = drawn.svg(name).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
        return Response(svg, 200, {"cache-control": "no-store"}, "image/svg+xml")


def game_choices() -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "title": game.title,
            "fewest": game.fewest_seats,
            "most": game.most_seats,
            "players": texts.gateway.players(game.fewest_seats, game.most_seats),
        }
        for name, game in GAMES.items()
    ]


def checked_row(text: str) -> int:
    """The number of a row. Raises RequestRefusedError if the text is none."""
    number = row_number(text)
    if number is None:
        raise RequestRefusedError(400, texts.operator.MALFORMED)
    return number


def clock(ago_s: float) -> str:
    return time.strftime("%H:%M", time.localtime(time.time() - ago_s))
