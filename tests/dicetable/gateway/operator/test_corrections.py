"""How long the operator's page waits for a seat that has to confirm."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, cast

from starlette.requests import Request

from dicetable.gateway.link import ANSWER_S, BusyError, TableLink
from dicetable.gateway.operator.game import GamePages
from dicetable.gateway.operator.sessions import OperatorSession
from dicetable.messages import Answer
from dicetable.service.game_requests import ANSWER_S as SEAT_S

if TYPE_CHECKING:
    from pathlib import Path

    from dicetable.gateway.operator.entrance import Entrance


class Desk:
    """Everybody is logged in."""

    async def change(self, _: Request) -> tuple[OperatorSession, dict[str, Any]]:
        return OperatorSession(0.0, 0.0), {"revision": 3, "dice": [["d6", 4]]}


class SlowTable:
    """Takes `after_s` virtual seconds to answer."""

    def __init__(self, after_s: float) -> None:
        self.after_s = after_s

    async def ask(self, kind: str, _: dict[str, Any], within_s: float = ANSWER_S) -> Answer:
        assert kind == "operator_correct"
        if self.after_s > within_s:
            raise BusyError
        return Answer(accepted=True)


def test_a_correction_waits_as_long_as_a_seat_has_to_confirm(tmp_path: Path) -> None:
    table = SlowTable(SEAT_S + 1.0)
    pages = GamePages(cast("Entrance", Desk()), TableLink(tmp_path / "table.sock"), cast("TableLink", table))
    request = Request({"type": "http", "path_params": {"what": "correct"}})
    told = asyncio.run(pages.act(request))
    assert "corrected" in json.loads(bytes(told.body))["done"]
