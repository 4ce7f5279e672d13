"""Start, pause and end a game, correct a throw, restart, power off: asked of the table."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from dicetable import texts
from dicetable.gateway.link import ANSWER_S, BusyError
from dicetable.gateway.operator.asking import done
from dicetable.gateway.operator.guard import RequestRefusedError, answer
from games.registry import GAMES

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from dicetable.gateway.link import TableLink
    from dicetable.gateway.operator.entrance import Entrance

ACTS: Final = ("start", "pause", "resume", "end", "correct", "restart", "off")
SEATS_S: Final = 45.0
"""Longest wait for a seat's OK; the table gives up before that."""


class GamePages:
    """What the overview shows and does."""

    def __init__(self, entrance: Entrance, link: TableLink, table: TableLink) -> None:
        self.entrance = entrance
        self.link = link
        self.table = table

    async def overview(self, request: Request) -> Response:
        """The table's `state` as guests have it, and the `games` that may be started."""
        self.entrance.session(request)
        if self.link.state is None:
            raise BusyError
        return answer({"state": json.loads(self.link.state), "games": games()})

    async def seats(self, request: Request) -> Response:
        """Who could play: the result of `operator_seats`."""
        self.entrance.session(request)
        told = done(await self.table.ask("operator_seats", {}))
        return answer(dict(told.result))

    async def act(self, request: Request) -> Response:
        """Starts, pauses, resumes, ends or corrects a game, restarts the service or switches the table off.

        `what` is `start`, `pause`, `resume`, `end`, `correct`, `restart` or `off`; the body is the payload
        of `operator_start` and so on. Answers with `done`, a sentence.
        """
        session, body = await self.entrance.change(request)
        what = request.path_params["what"]
        if what not in ACTS:
            raise RequestRefusedError(404, texts.operator.NOTHING)
        within_s = SEATS_S if what == "correct" else ANSWER_S
        told = done(await self.table.ask(f"operator_{what}", body, within_s))
        return answer({"done": told.sentence or texts.operator.DONE[what], **told.result}, session)

    async def show_code(self, code: str, lives_s: int) -> bool:
        """Whether the panel shows the code."""
        try:
            told = await self.table.ask("operator_code", {"code": code, "lives_s": lives_s}, 2.0)
        except BusyError:
            return False
        return told.accepted and bool(told.result.get("panel", True))


def games() -> list[dict[str, Any]]:
    """The games that can be started, and for how many they are."""
    return [
        {
            "name": name,
            "title": game.title,
            "fewest": game.fewest_seats,
            "most": game.most_seats,
            "players": texts.web.players(game.fewest_seats, game.most_seats),
        }
        for name, game in GAMES.items()
    ]
