"""The overview, the ledger and the plots of the evening, all asked of the table."""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Final

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from common import texts
from games.registry import GAMES
from gateway.charts import BLUE, DIM, EDGE, GOLD, WIDE, Drawing, label, line, polyline, shape
from gateway.credentials import OperatorSession
from gateway.link import ANSWER_S, BusyError, TableLink
from gateway.requests import (
    RequestRefusedError,
    accepted,
    answer,
    parse_answer,
    parse_object,
    row_number,
)

ACTS: Final = ("start", "pause", "resume", "end", "correct", "restart", "off")
SEATS_S: Final = 45.0
"""Longest wait for a seat's OK; the table gives up before that."""
SEARCH_S: Final = 130.0
COUNTS: Final = {"throws": 1, "asked": 2, "void": 3}
"""The index of each count in a minute of the history."""
CELSIUS: Final = "celsius"
FRESH_S: Final = 10.0
SLOT_S: Final = 600.0
LEAST_SLOTS: Final = 12
"""Two hours: a plot of a few minutes would be all bars."""
MARKS: Final = 3
HIGH: Final = 220.0
LEFT: Final = 52.0
TOP: Final = 14.0
BOTTOM: Final = 184.0
COOLEST_C: Final = 20.0
LIMIT_C: Final = 80.0


class GamePages:
    """Answers the overview, the ledger page and the plots."""

    def __init__(self, link: TableLink) -> None:
        self.table = link
        self.history: dict[str, Any] = {}
        self.asked_s = float("-inf")

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
        """The newest games, those with `?words=`, below `?before=`; with `?match=` the entries of one."""
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
        now_s = time.monotonic()
        if now_s - self.asked_s > FRESH_S:  # one question for all plots of the page
            self.history = parse_object(accepted(await self.table.ask("operator_history", {})).body)
            self.asked_s = now_s
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


def counted(minutes: Sequence[Sequence[Any]], place: int, clock: Callable[[float], str]) -> Drawing:
    """A bar for each ten minutes, the newest on the right."""
    span = slots(minutes)
    sums = [0] * span
    for minute in minutes:
        sums[span - 1 - min(span - 1, int(minute[0] // SLOT_S))] += minute[place]
    most = max(4, *sums)
    step = (WIDE - LEFT) / span
    parts = [axes(span, [(0, "0"), (1, str(most))], clock)]
    if not any(sums):
        x, y = (LEFT + WIDE) / 2, (TOP + BOTTOM) / 2
        parts.append(label(x, y, texts.operator.NOT_YET, text_anchor="middle", fill=DIM))
    for slot, count in enumerate(sums):
        tall = (BOTTOM - TOP) * count / most
        if count:
            x, width = LEFT + slot * step + 1, max(1.0, step - 2)
            parts.append(shape("rect", x=x, y=BOTTOM - tall, width=width, height=tall, fill=BLUE))
    return Drawing(HIGH, "".join(parts))


def warmth(minutes: Sequence[Sequence[Any]], limit_c: float | None, clock: Callable[[float], str]) -> Drawing:
    """The temperature as a line, with the limit at which the machine slows down."""
    span = slots(minutes)
    limit_c = limit_c or LIMIT_C
    measured = [(minute[0], minute[4]) for minute in minutes if minute[4] is not None]
    hottest: float = max([limit_c, *(celsius for _, celsius in measured)]) + 5

    def height(celsius: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (max(celsius, COOLEST_C) - COOLEST_C) / (hottest - COOLEST_C)

    def part(celsius: float) -> float:
        return (BOTTOM - height(celsius)) / (BOTTOM - TOP)

    parts = [axes(span, [(0, f"{COOLEST_C:.0f}°"), (part(limit_c), f"{limit_c:.0f}°")], clock)]
    parts.append(line(LEFT, WIDE, height(limit_c), height(limit_c), GOLD, stroke_dasharray="6 6"))
    if measured:
        unit = (WIDE - LEFT) / (span * SLOT_S)
        points = " ".join(f"{WIDE - ago * unit:.1f},{height(celsius):.1f}" for ago, celsius in measured)
        parts.append(polyline(points))
        last = measured[-1][1]
        above = height(last) - 12 if height(last) > TOP + 30 else height(last) + 28
        parts.append(label(WIDE - 4, above, f"{last:.0f} °C", text_anchor="end"))
    else:
        words = texts.operator.NO_THERMOMETER if minutes else texts.operator.NOT_YET
        parts.append(label((LEFT + WIDE) / 2, (TOP + BOTTOM) / 2 + 20, words, text_anchor="middle", fill=DIM))
    return Drawing(HIGH, "".join(parts))


def slots(minutes: Sequence[Sequence[Any]]) -> int:
    return max(LEAST_SLOTS, *(int(minute[0] // SLOT_S) + 1 for minute in minutes), 0)


def axes(span: int, levels: Sequence[tuple[float, str]], clock: Callable[[float], str]) -> str:
    """The axes: levels from 0 at the bottom to 1 at the top, and times of day."""
    parts = []
    for level, text in levels:
        y = BOTTOM - (BOTTOM - TOP) * level
        parts.append(line(LEFT, WIDE, y, y, EDGE))
        parts.append(label(LEFT - 8, y + 7, text, text_anchor="end", fill=DIM))
    anchors = ("start", "middle", "end")
    for mark in range(MARKS):
        x = LEFT + (WIDE - LEFT) * mark / (MARKS - 1)
        ago_s = span * SLOT_S * (1 - mark / (MARKS - 1))
        parts.append(label(x, BOTTOM + 30, clock(ago_s), text_anchor=anchors[mark], fill=DIM))
    return "".join(parts)
