"""Charts as SVG: wins, luck, skill and form of players, faces of dice; and pictures to share, made of charts.

They contain their colours and need no style sheet, so the same chart works on a page and in a picture by
itself. Every text in them is escaped. Pictures are upright, as phones show them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from math import log10
from typing import Any, Final

from common import texts
from gateway.settings import Look

INK: Final = "#f6f3ea"
DIM: Final = "#c3cbd6"
EDGE: Final = "#3a4657"
CARD: Final = "#1a212c"
GOLD: Final = "#ffd166"
BLUE: Final = "#7db7ff"
PALE: Final = "#33506f"
FONT: Final = "system-ui, 'DejaVu Sans', 'Liberation Sans', sans-serif"
WIDE: Final = 440
"""The width of every chart, in its own units; text 22 of them high is readable on a phone."""
SIZE: Final = 22
ROW: Final = 46
NAMED: Final = 164.0
"""Where bars begin, right of their names."""
WIDEST_NAME: Final = 10.0
"""Letters of a name beside a bar; longer names are written smaller."""
LUCKY: Final = 2.0
"""Standard deviations of luck that are exceeded about once in twenty times."""
MOST_ROWS: Final = 8
"""Players in a chart of all of them."""
FEW_FACES: Final = 12
"""A die with more has no room for a number at each bar."""
ACCUSED: Final = log10(20)
HALO: Final = {"stroke": CARD, "stroke_width": 6, "paint_order": "stroke"}
"""Attributes of a text that may stand on a line."""
PICTURE_WIDE: Final = 1080
PICTURE_HIGH: Final = 1350
MARGIN: Final = 70
FULL: Final = (PICTURE_WIDE - 2 * MARGIN) / WIDE
"""The scale of a chart that is as wide as the picture."""
ABOVE: Final = 80
"""The room for the heading of a chart."""
LETTER: Final = 0.64
"""The width of an average letter as a part of its height."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The elements of a chart, `WIDE` units wide, and its height."""

    height: float
    body: str

    def svg(self, label: str) -> str:
        return (
            f'<svg viewBox="0 0 {WIDE} {self.height:g}" role="img" aria-label="{plain(label)}" '
            f'font-family="{FONT}" font-size="{SIZE}">{self.body}</svg>'
        )

    def placed(self, left: float, top: float, scale: float) -> str:
        return (
            f'<g transform="translate({left:g} {top:g}) scale({scale:g})" font-size="{SIZE}">{self.body}</g>'
        )


def plain(text: str) -> str:
    """The text escaped, without characters that XML forbids."""
    return escape("".join(character for character in text if character.isprintable()))


def shape(tag: str, **attributes: Any) -> str:
    """An element; `_` in the name of an attribute stands for `-`."""
    written = "".join(f' {name.replace("_", "-")}="{number(value)}"' for name, value in attributes.items())
    return f"<{tag}{written}/>"


def number(value: Any) -> str:
    """A number rounded to tenths, or the text of an attribute."""
    return f"{value:.1f}".removesuffix(".0") if isinstance(value, float) else str(value)


def line(x1: float, x2: float, y1: float, y2: float, stroke: str, **attributes: Any) -> str:
    return shape("line", x1=x1, x2=x2, y1=y1, y2=y2, stroke=stroke, **attributes)


def polyline(points: str) -> str:
    return shape("polyline", points=points, fill="none", stroke=BLUE, stroke_width=4, stroke_linejoin="round")


def label(x: float, y: float, text: str, **attributes: Any) -> str:
    """A text whose baseline starts at this point; `text_anchor` may centre it there or end it there."""
    return (
        shape("text", x=x, y=y, **{"fill": INK, **attributes}).removesuffix("/>") + f">{plain(text)}</text>"
    )


def row_name(top: float, name: str, **attributes: Any) -> str:
    """A name before the bar of its row, smaller if it would be too wide."""
    size = SIZE * min(1.0, WIDEST_NAME / max(1, len(name)))
    return label(NAMED - 12, top + 20, name, text_anchor="end", font_size=size, **attributes)


def bar(x: float, y: float, width: float, colour: str) -> str:
    return shape("rect", x=x, y=y, width=max(0.0, width), height=ROW * 0.55, rx=4, fill=colour)


def wins(people: Sequence[dict[str, Any]], accent: str) -> Drawing:
    """A row for each player: the games played to their end, and how many of them were won."""
    played = [sum(player["played"].values()) for player in people]
    won = [sum(player["won"].values()) for player in people]
    shares = [texts.gateway.won_of(*pair) for pair in zip(won, played, strict=True)]
    left, right = NAMED, WIDE - 13.0 * max([0, *map(len, shares)])
    unit = (right - left) / max([1, *played])
    parts = []
    for row, player in enumerate(people):
        top = row * ROW + 8.0
        parts.append(row_name(top, player["name"]))
        parts.append(bar(left, top, unit * played[row], PALE))
        parts.append(bar(left, top, unit * won[row], accent))
        parts.append(label(WIDE, top + 20, shares[row], text_anchor="end", fill=DIM))
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
        parts.append(line(x, x, 0, high, GOLD, stroke_dasharray="6 6"))
        parts.append(label(x, high + 22.0, f"{limit:+.0f}", text_anchor="middle", fill=DIM))
    parts.append(line(middle, middle, 0, high, DIM))
    parts.append(label(middle, high + 22.0, "0", text_anchor="middle", fill=DIM))
    for row, (name, deviations) in enumerate(rows):
        top = row * ROW + 8.0
        parts.append(row_name(top, name))
        start = min(middle, middle + unit * deviations)
        parts.append(bar(start, top, abs(unit * deviations), BLUE))
        outside = middle + unit * deviations + (8 if deviations >= 0 else -8)
        anchor = "start" if deviations >= 0 else "end"
        shown = round(deviations, 1) + 0.0  # without a sign that rounding left over
        parts.append(label(outside, top + 20, f"{shown:+.1f}", text_anchor=anchor, **HALO))
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
        parts.append(row_name(top, player, font_weight=weight))
        parts.append(bar(left, top, max(3.0, unit * loss), accent if own else PALE))
        parts.append(label(WIDE, top + 20, f"{loss:.2f}", text_anchor="end", font_weight=weight))
    return Drawing(len(rows) * ROW, "".join(parts))


def form(won: Sequence[bool], accent: str) -> Drawing:
    """The last games, the newest on the right: filled for a game that was won."""
    step = WIDE / 20
    first = WIDE - step * len(won)
    parts = [
        shape(
            "rect",
            x=first + step * place + 2,
            y=2,
            width=step - 4,
            height=step - 4,
            rx=5,
            fill=accent if is_won else "none",
            stroke=accent if is_won else EDGE,
            stroke_width=2,
        )
        for place, is_won in enumerate(won)
    ]
    return Drawing(step, "".join(parts))


def faces(die: Mapping[str, Any]) -> Drawing:
    """How often each face came, with its 95 % interval, beside what a fair die shows."""
    sides = die["faces"]
    high, left, bottom = 230.0, 64.0, 200.0
    fair = 1 / len(sides)
    most: float = max(fair, *(face["interval"][1] for face in sides)) * 1.08
    across = (WIDE - left) / len(sides)
    few = len(sides) <= FEW_FACES
    parts = []

    def level(share: float) -> float:
        return bottom - (bottom - 8) * share / most

    for place, face in enumerate(sides):
        x = left + place * across
        middle = x + across / 2
        share, (low, up) = face["share"] or 0.0, face["interval"]
        rect = {"x": x + across * 0.14, "width": across * 0.72, "fill": BLUE}
        parts.append(shape("rect", y=level(share), height=bottom - level(share), **rect))
        parts.append(line(middle, middle, level(low), level(up), INK, stroke_width=2))
        if few or place == 0 or place % 5 == 4:
            at_most = min(middle, WIDE - 14.0)
            parts.append(label(at_most, high - 4, str(face["face"]), text_anchor="middle"))
    y = level(fair)
    parts.append(line(left, WIDE, y, y, GOLD, stroke_width=3, stroke_dasharray="8 6"))
    parts.append(label(left - 8, y + 8, f"{100 * fair:.0f} %", text_anchor="end", fill=GOLD))
    return Drawing(high, "".join(parts))


def evidence(curve: Sequence[Sequence[float]]) -> Drawing:
    """The E value after each throw, and the limit from which it accuses the die."""
    high, left, bottom, top = 230.0, 64.0, 200.0, 14.0
    powers = [power for _, power in curve]
    low, most = min(-1.0, *powers) - 0.1, max(ACCUSED, *powers) + 0.2
    last = max(1, curve[-1][0])

    def level(power: float) -> float:
        return top + (bottom - top) * (most - power) / (most - low)

    points = " ".join(
        f"{left + (WIDE - left - 8) * count / last:.1f},{level(power):.1f}" for count, power in curve
    )
    zero, limit = level(0), level(ACCUSED)
    parts = (
        line(left, WIDE, zero, zero, EDGE, stroke_width=2),
        line(left, WIDE, limit, limit, GOLD, stroke_width=3, stroke_dasharray="8 6"),
        polyline(points),
        label(left - 8, zero + 8, "1" if zero - limit > SIZE else "", text_anchor="end", fill=DIM),
        label(left - 8, limit + 8, "20", text_anchor="end", fill=GOLD),
        label(left, high - 4, "0", fill=DIM),
        label(WIDE, high - 4, texts.statistics.throws_of(int(last)), text_anchor="end", fill=DIM),
    )
    return Drawing(high, "".join(parts))


def luck_of(player: Mapping[str, Any]) -> list[tuple[str, float]]:
    return [
        (texts.games.title(game), luck_in_game["standard_deviations"])
        for game, luck_in_game in player["luck"].items()
        if luck_in_game["standard_deviations"] is not None
    ]


def skill_of(game: str, name: str, players: Sequence[Mapping[str, Any]]) -> list[tuple[str, float]]:
    """What each player gives away in a decision, the best first: `name` and its neighbours."""
    losses = sorted(
        (skill["chips_lost"] / skill["decisions"], player["name"])
        for player in players
        if (skill := player["skill"].get(game)) is not None
    )
    place = next(number for number, (_, player) in enumerate(losses) if player == name)
    first = max(0, min(place - MOST_ROWS // 2, len(losses) - MOST_ROWS))
    return [(player, loss) for loss, player in losses[first : first + MOST_ROWS]]


def accent(look: Look) -> str:
    return look.colour or GOLD


def framed_picture(look: Look, heading: str, parts: Sequence[str]) -> bytes:
    """A whole picture, with the bar's name at the bottom."""
    bar = look.name or texts.gateway.TITLE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{PICTURE_WIDE}" height="{PICTURE_HIGH}" '
        f'viewBox="0 0 {PICTURE_WIDE} {PICTURE_HIGH}" '
        f'font-family="{FONT}"><rect width="{PICTURE_WIDE}" height="{PICTURE_HIGH}" fill="{CARD}"/>'
        f'<rect width="{PICTURE_WIDE}" height="18" fill="{accent(look)}"/>'
        f"{fitted(heading, 150, 92, accent(look), 900)}{''.join(parts)}"
        f"{fitted(bar, PICTURE_HIGH - 50, 44, DIM, 700)}</svg>"
    ).encode()


def fitted(
    text: str, y: float, size: float, colour: str = INK, weight: int = 600, left: float = MARGIN
) -> str:
    most = (PICTURE_WIDE - MARGIN - left) / (LETTER * max(1, len(text)))
    return label(left, y, text, font_size=min(size, most), fill=colour, font_weight=weight)


def wrapped(text: str, size: float) -> list[str]:
    most = int((PICTURE_WIDE - 2 * MARGIN) / (LETTER * size))
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def paragraphs(sentences: Sequence[str], y: float, size: float) -> str:
    """The texts, each starting a new line; those that don't fit are left out."""
    parts = []
    for text in sentences:
        lines = wrapped(text, size)
        if y + 1.25 * size * len(lines) > PICTURE_HIGH - 110:
            break
        for line in lines:
            parts.append(fitted(line, y, size))
            y += 1.25 * size
        y += 0.5 * size
    return "".join(parts)


def evening_picture(look: Look, evening: Mapping[str, Any]) -> bytes:
    people = evening["players"][:MOST_ROWS]
    scale = min(FULL, 560 / (max(1, len(people)) * ROW))
    chart = wins(people, accent(look))
    below = 330 + chart.height * scale
    parts = [
        fitted(evening["counted"], 225, 52, DIM),
        chart.placed(MARGIN, 270, scale),
        paragraphs(evening["highlights"], below, 44),
    ]
    return framed_picture(look, evening["day"], parts)


def player_picture(look: Look, player: Mapping[str, Any], players: Sequence[Mapping[str, Any]]) -> bytes:
    won, played = sum(player["won"].values()), sum(player["played"].values())
    streak = texts.gateway.streaks(player["longest_streak"], player["streak"])
    beside = MARGIN + 150.0 * len(str(won)) + 40
    parts = [
        label(MARGIN, 360, str(won), font_size=230, font_weight=900),
        fitted(texts.gateway.of_games(played), 295, 52, DIM, left=beside),
        fitted(streak, 360, 40, left=beside),
    ]
    y = 400.0
    if player["form"]:
        parts.append(form(player["form"], accent(look)).placed(MARGIN, y, FULL))
        y += 90
    charts = [(texts.gateway.LUCK, luck(rows))] if (rows := luck_of(player)) else []
    for game in player["skill"]:
        chart = skill(skill_of(game, player["name"], players), player["name"], accent(look))
        charts.append((texts.gateway.skill_in(game), chart))
    room = PICTURE_HIGH - 140 - y - ABOVE * len(charts)
    scale = min(FULL, room / max(1.0, sum(chart.height for _, chart in charts)))
    for heading, chart in charts:
        parts.append(fitted(heading, y + 40, 44, accent(look), 800))
        parts.append(chart.placed((PICTURE_WIDE - scale * WIDE) / 2, y + ABOVE - 10, scale))
        y += ABOVE + chart.height * scale
    return framed_picture(look, player["name"], parts)
