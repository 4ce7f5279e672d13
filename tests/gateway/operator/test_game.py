"""Corrections from the operator page, and one question for all plots."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING, Any, cast

from starlette.requests import Request

from common.messages import Answer
from gateway.link import ANSWER_S, BusyError
from gateway.operator import game
from gateway.operator.game import GamePages
from gateway.sessions import OperatorSession

if TYPE_CHECKING:
    from gateway.link import TableLink


class SlowTable:
    """Takes `after_s` virtual seconds to answer."""

    def __init__(self, after_s: float) -> None:
        self.after_s = after_s

    async def ask(self, kind: str, _: dict[str, Any], within_s: float = ANSWER_S) -> Answer:
        assert kind == "operator_correct"
        if self.after_s > within_s:
            raise BusyError
        return Answer(accepted=True)


def test_a_correction_waits_as_long_as_a_seat_has_to_confirm() -> None:
    table = SlowTable(36.0)
    pages = GamePages(cast("TableLink", table))
    request = Request({"type": "http", "path_params": {"what": "correct"}})
    body = {"revision": 3, "dice": [["d6", 4]]}
    told = asyncio.run(pages.act(request, OperatorSession(0.0, 0.0), body))
    assert "corrected" in json.loads(bytes(told.body))["done"]


class History:
    """Counts how often it is asked; the answer takes a moment."""

    asked = 0

    async def ask(self, _kind: str, _body: dict[str, Any], _within_s: float = ANSWER_S) -> Answer:
        self.asked += 1
        await asyncio.sleep(0)
        return Answer(accepted=True, body=b'{"minutes": [[0, 2, 0, 1, 50.0]], "limit_c": 80.0}')


def test_all_plots_of_a_page_ask_the_table_once() -> None:
    history = History()

    async def page() -> list[bytes]:
        pages = GamePages(cast("TableLink", history))
        requests = (
            Request({"type": "http", "path_params": {"name": name}})
            for name in ("throws", "asked", "void", "celsius")
        )
        plots = await asyncio.gather(*(pages.plot(each, OperatorSession(0.0, 0.0)) for each in requests))
        return [bytes(plot.body) for plot in plots]

    plots = asyncio.run(page())
    assert history.asked == 1
    assert ["polyline" in plot.decode() for plot in plots] == [False, False, False, True]


def test_a_time_of_day_has_hours_and_minutes() -> None:
    assert game.clock(0).count(":") == 1
