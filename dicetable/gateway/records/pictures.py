"""An evening or a player as one picture to share: an SVG of its own, upright as phones show it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from dicetable import texts
from dicetable.gateway.records import drawings
from dicetable.gateway.records.pages import MOST_ROWS, accent, luck_of, skill_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from dicetable.gateway.settings import Look

WIDE: Final = 1080
HIGH: Final = 1350
MARGIN: Final = 70
FULL: Final = (WIDE - 2 * MARGIN) / drawings.WIDE
"""The scale of a chart that is as wide as the picture."""
ABOVE: Final = 80
"""The room for the heading of a chart."""
LETTER: Final = 0.64
"""The width of an average letter as a part of its height."""


def picture(look: Look, heading: str, parts: Sequence[str]) -> bytes:
    """The whole picture with the bar's name at its foot."""
    bar = look.name or texts.gateway.TITLE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDE}" height="{HIGH}" viewBox="0 0 {WIDE} {HIGH}" '
        f'font-family="{drawings.FONT}"><rect width="{WIDE}" height="{HIGH}" fill="{drawings.CARD}"/>'
        f'<rect width="{WIDE}" height="18" fill="{accent(look)}"/>'
        f"{fitted(heading, 150, 92, accent(look), 900)}{''.join(parts)}"
        f"{fitted(bar, HIGH - 50, 44, drawings.DIM, 700)}</svg>"
    ).encode()


def fitted(
    text: str, y: float, size: float, colour: str = drawings.INK, weight: int = 600, left: float = MARGIN
) -> str:
    """A line of text, smaller if it would be too wide."""
    most = (WIDE - MARGIN - left) / (LETTER * max(1, len(text)))
    return drawings.label(left, y, text, font_size=min(size, most), fill=colour, font_weight=weight)


def wrapped(text: str, size: float) -> list[str]:
    """The text in lines that have room in letters of this size."""
    most = int((WIDE - 2 * MARGIN) / (LETTER * size))
    lines: list[str] = []
    for word in text.split():
        if lines and len(lines[-1]) + 1 + len(word) <= most:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def paragraphs(told: Sequence[str], y: float, size: float) -> str:
    """Each text from a line of its own on, as many as there is room for."""
    parts = []
    for text in told:
        lines = wrapped(text, size)
        if y + 1.25 * size * len(lines) > HIGH - 110:
            break
        for line in lines:
            parts.append(fitted(line, y, size))
            y += 1.25 * size
        y += 0.5 * size
    return "".join(parts)


def evening(look: Look, told: Mapping[str, Any]) -> bytes:
    """The newest evening: who won, and what was remarkable."""
    people = told["players"][:MOST_ROWS]
    scale = min(FULL, 560 / (max(1, len(people)) * drawings.ROW))
    chart = drawings.wins(people, accent(look))
    below = 330 + chart.height * scale
    return picture(
        look,
        told["day"],
        [
            fitted(told["counted"], 225, 52, drawings.DIM),
            chart.placed(MARGIN, 270, scale),
            paragraphs(told["highlights"], below, 44),
        ],
    )


def player(look: Look, one: Mapping[str, Any], everybody: Sequence[Mapping[str, Any]]) -> bytes:
    """A player: wins, streak, form, luck and skill."""
    won, played = sum(one["won"].values()), sum(one["played"].values())
    streak = texts.gateway.streaks(one["longest_streak"], one["streak"])
    beside = MARGIN + 150.0 * len(str(won)) + 40
    parts = [
        drawings.label(MARGIN, 360, str(won), font_size=230, font_weight=900),
        fitted(texts.gateway.of_games(played), 295, 52, drawings.DIM, left=beside),
        fitted(streak, 360, 40, left=beside),
    ]
    y = 400.0
    if one["form"]:
        parts.append(drawings.form(one["form"], accent(look)).placed(MARGIN, y, FULL))
        y += 90
    charts = [(texts.gateway.LUCK, drawings.luck(rows))] if (rows := luck_of(one)) else []
    charts += [
        (
            texts.gateway.skill_in(game),
            drawings.skill(skill_of(game, one["name"], everybody), one["name"], accent(look)),
        )
        for game in one["skill"]
    ]
    room = HIGH - 140 - y - ABOVE * len(charts)
    scale = min(FULL, room / max(1.0, sum(chart.height for _, chart in charts)))
    for heading, chart in charts:
        parts.append(fitted(heading, y + 40, 44, accent(look), 800))
        parts.append(chart.placed((WIDE - scale * drawings.WIDE) / 2, y + ABOVE - 10, scale))
        y += ABOVE + chart.height * scale
    return picture(look, one["name"], parts)
