"""The evening as small plots: throws, asks, voids and temperature, drawn here as SVG."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Final

from starlette.responses import Response

from dicetable import texts
from dicetable.gateway.operator.asking import done
from dicetable.gateway.operator.guard import RequestRefusedError
from dicetable.gateway.operator.programs import object_in
from dicetable.gateway.records.drawings import BLUE, DIM, EDGE, GOLD, WIDE, Drawing, label, shape

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from starlette.requests import Request

    from dicetable.gateway.link import TableLink
    from dicetable.gateway.operator.entrance import Entrance

COUNTS: Final = {"throws": 1, "asked": 2, "void": 3}
"""The place of each count in a minute."""
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


class HistoryPages:
    """The plots; the table is asked once for all of them."""

    def __init__(self, entrance: Entrance, table: TableLink) -> None:
        self.entrance = entrance
        self.table = table
        self.told: dict[str, Any] = {}
        self.told_s = float("-inf")

    async def plot(self, request: Request) -> Response:
        """One of them."""
        self.entrance.session(request)
        name = request.path_params["name"]
        if name not in COUNTS and name != CELSIUS:
            raise RequestRefusedError(404, texts.operator.NOTHING)
        now_s = time.monotonic()
        if now_s - self.told_s > FRESH_S:
            self.told = object_in(done(await self.table.ask("operator_history", {})).body)
            self.told_s = now_s
        minutes = self.told["minutes"]
        drawn = (
            warmth(minutes, self.told["limit_c"], clock)
            if name == CELSIUS
            else counted(minutes, COUNTS[name], clock)
        )
        svg = drawn.svg(name).replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ', 1)
        return Response(svg, 200, {"cache-control": "no-store"}, "image/svg+xml")


def clock(ago_s: float) -> str:
    """What the clock said so long ago."""
    return time.strftime("%H:%M", time.localtime(time.time() - ago_s))


def counted(minutes: Sequence[Sequence[Any]], place: int, clock: Callable[[float], str]) -> Drawing:
    """A bar for each ten minutes, the newest on the right."""
    span = slots(minutes)
    sums = [0] * span
    for minute in minutes:
        sums[span - 1 - min(span - 1, int(minute[0] // SLOT_S))] += minute[place]
    most = max(4, *sums)
    step = (WIDE - LEFT) / span
    parts = [frame(span, [(0, "0"), (1, str(most))], clock)]
    if not any(sums):
        parts.append(
            label(
                (LEFT + WIDE) / 2, (TOP + BOTTOM) / 2, texts.operator.NOT_YET, text_anchor="middle", fill=DIM
            )
        )
    for at, count in enumerate(sums):
        tall = (BOTTOM - TOP) * count / most
        if count:
            parts.append(
                shape(
                    "rect",
                    x=LEFT + at * step + 1,
                    y=BOTTOM - tall,
                    width=max(1.0, step - 2),
                    height=tall,
                    fill=BLUE,
                )
            )
    return Drawing(HIGH, "".join(parts))


def warmth(minutes: Sequence[Sequence[Any]], limit_c: float | None, clock: Callable[[float], str]) -> Drawing:
    """The temperature as a line, with the limit at which the machine slows down."""
    span = slots(minutes)
    limit_c = limit_c or LIMIT_C
    known = [(minute[0], minute[4]) for minute in minutes if minute[4] is not None]
    hottest: float = max([limit_c, *(celsius for _, celsius in known)]) + 5

    def height(celsius: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (max(celsius, COOLEST_C) - COOLEST_C) / (hottest - COOLEST_C)

    def part(celsius: float) -> float:
        return (BOTTOM - height(celsius)) / (BOTTOM - TOP)

    parts = [frame(span, [(0, f"{COOLEST_C:.0f}°"), (part(limit_c), f"{limit_c:.0f}°")], clock)]
    parts.append(
        shape(
            "line",
            x1=LEFT,
            x2=WIDE,
            y1=height(limit_c),
            y2=height(limit_c),
            stroke=GOLD,
            stroke_dasharray="6 6",
        )
    )
    if known:
        unit = (WIDE - LEFT) / (span * SLOT_S)
        points = " ".join(f"{WIDE - ago * unit:.1f},{height(celsius):.1f}" for ago, celsius in known)
        parts.append(
            shape(
                "polyline", points=points, fill="none", stroke=BLUE, stroke_width=4, stroke_linejoin="round"
            )
        )
        last = known[-1][1]
        above = height(last) - 12 if height(last) > TOP + 30 else height(last) + 28
        parts.append(label(WIDE - 4, above, f"{last:.0f} °C", text_anchor="end"))
    else:
        words = texts.operator.NO_THERMOMETER if minutes else texts.operator.NOT_YET
        parts.append(label((LEFT + WIDE) / 2, (TOP + BOTTOM) / 2 + 20, words, text_anchor="middle", fill=DIM))
    return Drawing(HIGH, "".join(parts))


def slots(minutes: Sequence[Sequence[Any]]) -> int:
    """How many ten minutes the plot spans."""
    return max(LEAST_SLOTS, *(int(minute[0] // SLOT_S) + 1 for minute in minutes), 0)


def frame(span: int, levels: Sequence[tuple[float, str]], clock: Callable[[float], str]) -> str:
    """The axes: levels from 0 at the bottom to 1 at the top, and what the clock said."""
    parts = []
    for level, told in levels:
        y = BOTTOM - (BOTTOM - TOP) * level
        parts.append(shape("line", x1=LEFT, x2=WIDE, y1=y, y2=y, stroke=EDGE))
        parts.append(label(LEFT - 8, y + 7, told, text_anchor="end", fill=DIM))
    anchors = ("start", "middle", "end")
    for mark in range(MARKS):
        x = LEFT + (WIDE - LEFT) * mark / (MARKS - 1)
        ago_s = span * SLOT_S * (1 - mark / (MARKS - 1))
        parts.append(label(x, BOTTOM + 30, clock(ago_s), text_anchor=anchors[mark], fill=DIM))
    return "".join(parts)
