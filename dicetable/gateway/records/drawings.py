"""Charts as SVG: bars of wins, luck, form, faces of a die and the evidence against it.

They carry their colours themselves and no style sheet, so that the same drawing stands on a page and in a
picture by itself. Every text in them is escaped.
"""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from math import log10
from typing import TYPE_CHECKING, Any, Final

from dicetable import texts

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

INK: Final = "#f6f3ea"
DIM: Final = "#c3cbd6"
EDGE: Final = "#3a4657"
GROUND: Final = "#10141b"
CARD: Final = "#1a212c"
GOLD: Final = "#ffd166"
BLUE: Final = "#7db7ff"
PALE: Final = "#33506f"
FONT: Final = "system-ui, 'DejaVu Sans', 'Liberation Sans', sans-serif"
WIDE: Final = 440
"""The width of every chart, in its own units; a text of 22 of them can be read on a phone."""
SIZE: Final = 22
ROW: Final = 46
NAMED: Final = 164.0
"""Where bars begin, right of their names."""
WIDEST_NAME: Final = 10.0
"""Letters of a name beside a bar; a longer one is written smaller."""
LUCKY: Final = 2.0
"""Standard deviations of luck that come about once in twenty times."""
FEW_FACES: Final = 12
"""A die with more has no room for a number at each bar."""
ACCUSED: Final = log10(20)
HALO: Final = {"stroke": CARD, "stroke_width": 6, "paint_order": "stroke"}
"""Of a text that may stand on a line."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The elements of a chart, `WIDE` units wide, and its height."""

    height: float
    body: str

    def svg(self, label: str) -> str:
        """The chart by itself; `label` says what it shows."""
        return (
            f'<svg viewBox="0 0 {WIDE} {self.height:g}" role="img" aria-label="{plain(label)}" '
            f'font-family="{FONT}" font-size="{SIZE}">{self.body}</svg>'
        )

    def placed(self, left: float, top: float, scale: float) -> str:
        """The chart as a part of a larger drawing."""
        return (
            f'<g transform="translate({left:g} {top:g}) scale({scale:g})" font-size="{SIZE}">{self.body}</g>'
        )


def plain(text: str) -> str:
    """The text escaped, without characters that no XML may hold."""
    return escape("".join(each for each in text if each.isprintable()))


def shape(tag: str, **attributes: Any) -> str:
    """An element; `_` in the name of an attribute stands for `-`."""
    told = "".join(f' {name.replace("_", "-")}="{number(value)}"' for name, value in attributes.items())
    return f"<{tag}{told}/>"


def number(value: Any) -> str:
    """A number to a tenth, or a text of our own."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def label(x: float, y: float, text: str, **attributes: Any) -> str:
    """A text whose baseline begins, or where `text_anchor` says so is centred or ends, at this point."""
    told = {"fill": INK, **attributes}
    return shape("text", x=x, y=y, **told).removesuffix("/>") + f">{plain(text)}</text>"


def name_size(text: str) -> float:
    """The size of the letters in which a name has room beside a bar."""
    return SIZE * min(1.0, WIDEST_NAME / max(1, len(text)))


def bar(x: float, y: float, width: float, colour: str, height: float = ROW * 0.55) -> str:
    """A bar with round corners."""
    return shape("rect", x=x, y=y, width=max(0.0, width), height=height, rx=4, fill=colour)


def wins(people: Sequence[dict[str, Any]], accent: str) -> Drawing:
    """A row for each player: the games played to their end, and how many of them were won."""
    played = [sum(one["played"].values()) for one in people]
    won = [sum(one["won"].values()) for one in people]
    told = [texts.gateway.won_of(*each) for each in zip(won, played, strict=True)]
    left, right = NAMED, WIDE - 13.0 * max([0, *map(len, told)])
    unit = (right - left) / max([1, *played])
    parts = []
    for row, one in enumerate(people):
        top = row * ROW + 8.0
        middle = top + 20.0
        name = one["name"]
        parts.append(label(left - 12, middle, name, text_anchor="end", font_size=name_size(name)))
        parts.append(bar(left, top, unit * played[row], PALE))
        parts.append(bar(left, top, unit * won[row], accent))
        parts.append(label(WIDE, middle, told[row], text_anchor="end", fill=DIM))
    return Drawing(max(1, len(people)) * ROW, "".join(parts))


def luck(rows: Sequence[tuple[str, float]]) -> Drawing:
    """A bar to the left or right of the middle for each: luck in standard deviations."""
    reach = max([LUCKY + 1.0, *(abs(deviations) + 1.0 for _, deviations in rows)])
    left, right = NAMED, WIDE - 10.0
    middle, unit = (left + right) / 2, (right - left) / 2 / reach
    high = len(rows) * ROW
    parts = []
    for limit in (-LUCKY, LUCKY):
        x = middle + unit * limit
        parts.append(shape("line", x1=x, x2=x, y1=0, y2=high, stroke=GOLD, stroke_dasharray="6 6"))
        parts.append(label(x, high + 22.0, f"{limit:+.0f}", text_anchor="middle", fill=DIM))
    parts.append(shape("line", x1=middle, x2=middle, y1=0, y2=high, stroke=DIM))
    parts.append(label(middle, high + 22.0, "0", text_anchor="middle", fill=DIM))
    for row, (name, deviations) in enumerate(rows):
        top = row * ROW + 8.0
        parts.append(label(left - 12, top + 20, name, text_anchor="end", font_size=name_size(name)))
        start = min(middle, middle + unit * deviations)
        parts.append(bar(start, top, abs(unit * deviations), BLUE))
        told = f"{deviations:+.1f}"
        outside = middle + unit * deviations + (8 if deviations >= 0 else -8)
        anchor = "start" if deviations >= 0 else "end"
        parts.append(label(outside, top + 20, told, text_anchor=anchor, **HALO))
    return Drawing(high + 30, "".join(parts))


def skill(rows: Sequence[tuple[str, float]], name: str, accent: str) -> Drawing:
    """A bar for each player: the chips given away in a decision; that of `name` has the bar's colour."""
    left, right = NAMED, WIDE - 70.0
    unit = (right - left) / max([0.001, *(loss for _, loss in rows)])
    parts = []
    for row, (player, loss) in enumerate(rows):
        top = row * ROW + 8.0
        own = player == name
        weight = 800 if own else 400
        size = name_size(player)
        parts.append(
            label(left - 12, top + 20, player, text_anchor="end", font_size=size, font_weight=weight)
        )
        parts.append(bar(left, top, max(3.0, unit * loss), accent if own else PALE))
        parts.append(label(WIDE, top + 20, f"{loss:.2f}", text_anchor="end", font_weight=weight))
    return Drawing(len(rows) * ROW, "".join(parts))


def form(won: Sequence[bool], accent: str) -> Drawing:
    """The last games, the newest on the right: full for a game that was won."""
    step = WIDE / 20
    first = WIDE - step * len(won)
    parts = [
        shape(
            "rect",
            x=first + step * at + 2,
            y=2,
            width=step - 4,
            height=step - 4,
            rx=5,
            fill=accent if each else "none",
            stroke=accent if each else EDGE,
            stroke_width=2,
        )
        for at, each in enumerate(won)
    ]
    return Drawing(step, "".join(parts))


def faces(die: Mapping[str, Any]) -> Drawing:
    """How often each face came, with its 95 % interval, beside what a fair die shows."""
    told = die["faces"]
    high, left, bottom = 230.0, 64.0, 200.0
    fair = 1 / len(told)
    most: float = max(fair, *(face["interval"][1] for face in told)) * 1.08
    across = (WIDE - left) / len(told)
    few = len(told) <= FEW_FACES
    parts = []

    def level(share: float) -> float:
        return bottom - (bottom - 8) * share / most

    for at, face in enumerate(told):
        x = left + at * across
        middle = x + across / 2
        share, (low, up) = face["share"] or 0.0, face["interval"]
        rect = {"x": x + across * 0.14, "width": across * 0.72, "fill": BLUE}
        parts.append(shape("rect", y=level(share), height=bottom - level(share), **rect))
        parts.append(
            shape("line", x1=middle, x2=middle, y1=level(low), y2=level(up), stroke=INK, stroke_width=2)
        )
        if few or at == 0 or at % 5 == 4:
            at_most = min(middle, WIDE - 14.0)
            parts.append(label(at_most, high - 4, str(face["face"]), text_anchor="middle"))
    y = level(fair)
    parts.append(
        shape("line", x1=left, x2=WIDE, y1=y, y2=y, stroke=GOLD, stroke_width=3, stroke_dasharray="8 6")
    )
    parts.append(label(left - 8, y + 8, f"{100 * fair:.0f} %", text_anchor="end", fill=GOLD))
    return Drawing(high, "".join(parts))


def evidence(curve: Sequence[Sequence[float]]) -> Drawing:
    """E after each throw, and where it accuses a die."""
    high, left, bottom, top = 230.0, 64.0, 200.0, 14.0
    powers = [power for _, power in curve]
    low, most = min(-1.0, *powers) - 0.1, max(ACCUSED, *powers) + 0.2
    last = max(1, curve[-1][0])

    def level(power: float) -> float:
        return top + (bottom - top) * (most - power) / (most - low)

    points = " ".join(f"{left + (WIDE - left - 8) * at / last:.1f},{level(power):.1f}" for at, power in curve)
    line = {"x1": left, "x2": WIDE}
    zero, limit = level(0), level(ACCUSED)
    return Drawing(
        high,
        "".join(
            (
                shape("line", **line, y1=zero, y2=zero, stroke=EDGE, stroke_width=2),
                shape(
                    "line", **line, y1=limit, y2=limit, stroke=GOLD, stroke_width=3, stroke_dasharray="8 6"
                ),
                shape(
                    "polyline",
                    points=points,
                    fill="none",
                    stroke=BLUE,
                    stroke_width=4,
                    stroke_linejoin="round",
                ),
                label(left - 8, zero + 8, "1" if zero - limit > SIZE else "", text_anchor="end", fill=DIM),
                label(left - 8, limit + 8, "20", text_anchor="end", fill=GOLD),
                label(left, high - 4, "0", fill=DIM),
                label(WIDE, high - 4, texts.statistics.throws_of(int(last)), text_anchor="end", fill=DIM),
            )
        ),
    )
