"""The plots of the evening: bars of what was counted, and the machine's temperature as a line.

Both are made of minutes as the table's history has them (`dicetable.service.loop.Minute`): how many seconds
ago each ended, three counts, and the temperature or None.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from common import texts
from gateway.charts import BLUE, DIM, EDGE, GOLD, WIDE, Drawing, label, line, polyline, shape

SLOT_S: Final = 600.0
LEAST_SLOTS: Final = 12
"""Two hours: the bars of a few minutes would fill the plot."""
MARKS: Final = 3
HIGH: Final = 220.0
LEFT: Final = 52.0
TOP: Final = 14.0
BOTTOM: Final = 184.0
COOLEST_C: Final = 20.0
LIMIT_C: Final = 80.0


def counted(minutes: Sequence[Sequence[Any]], place: int, clock: Callable[[float], str]) -> Drawing:
    """Draws a bar for each ten minutes, the newest on the right.

    `place` is the index of the count in a minute.
    """
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
    highest_c: float = max([limit_c, *(celsius for _, celsius in measured)]) + 5

    def height(celsius: float) -> float:
        return BOTTOM - (BOTTOM - TOP) * (max(celsius, COOLEST_C) - COOLEST_C) / (highest_c - COOLEST_C)

    def part(celsius: float) -> float:
        return (BOTTOM - height(celsius)) / (BOTTOM - TOP)

    parts = [axes(span, [(0, f"{COOLEST_C:.0f}°"), (part(limit_c), f"{limit_c:.0f}°")], clock)]
    parts.append(line(LEFT, WIDE, height(limit_c), height(limit_c), GOLD, stroke_dasharray="6 6"))
    if measured:
        unit = (WIDE - LEFT) / (span * SLOT_S)
        points = " ".join(f"{WIDE - ago * unit:.1f},{height(celsius):.1f}" for ago, celsius in measured)
        parts.append(polyline(points))
        last = measured[-1][1]
        text_y = height(last) - 12 if height(last) > TOP + 30 else height(last) + 28
        parts.append(label(WIDE - 4, text_y, f"{last:.0f} °C", text_anchor="end"))
    else:
        words = texts.operator.NO_THERMOMETER if minutes else texts.operator.NOT_YET
        parts.append(label((LEFT + WIDE) / 2, (TOP + BOTTOM) / 2 + 20, words, text_anchor="middle", fill=DIM))
    return Drawing(HIGH, "".join(parts))


def slots(minutes: Sequence[Sequence[Any]]) -> int:
    """How many bars the plot has room for, the oldest minute's among them."""
    return max([LEAST_SLOTS, *(int(minute[0] // SLOT_S) + 1 for minute in minutes)])


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
