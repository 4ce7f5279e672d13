"""Words and numbers into what a panel can show: four lines of twenty printable ASCII characters."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.plain import ascii_letters
from hardware.ports import COLUMNS, LINES, PanelView

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from games.match import Match
    from games.requests import JsonObject
    from hardware.ports import Lamp

PAGE_S = 2.5
"""How long each page of what does not fit at once is shown."""


def view(lines: Iterable[str], lamps: Mapping[str, Lamp]) -> PanelView:
    """What the panel is to show; lines and characters that it cannot show are cut off or replaced."""
    return PanelView(dict(lamps), [printable(line) for line in lines][:LINES])


def printable(line: str) -> str:
    """The line in twenty ASCII characters: no accents, and ? for what no panel can show."""
    return "".join(c if c.isascii() and c.isprintable() else "?" for c in ascii_letters(line))[:COLUMNS]


def wrapped(sentence: str) -> list[str]:
    """The sentence in lines of twenty, cut between words where it can be."""
    return textwrap.wrap(sentence, COLUMNS)


def page(lines: Sequence[str], room: int, now_s: float) -> list[str]:
    """So many of the lines as there is room for; if there are more, page after page as time goes by."""
    pages = [list(lines[start : start + room]) for start in range(0, len(lines), room)] or [[]]
    shown = pages[int(now_s / PAGE_S) % len(pages)]
    return shown + [""] * (room - len(shown))


def beside(left: str, right: str) -> str:
    """One line with something at its left and its right; the left gives way."""
    left = left[: max(0, COLUMNS - len(right) - 1)]
    return f"{left}{right:>{COLUMNS - len(left)}}"


def packed(words: Iterable[str], gap: str = " ") -> list[str]:
    """Short words put into as few lines as hold them, in order, none cut."""
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + len(gap) + len(word) <= COLUMNS:
            lines[-1] += gap + word
        else:
            lines.append(word)
    return lines


def facts(state: JsonObject) -> list[str]:
    """What everybody wants to know of a game's public state, in short words."""
    known = ((text, state.get(key)) for key, text in texts.games.FACTS.items())
    return [text(value) for text, value in known if value is not None]


def own_facts(seat: JsonObject) -> list[str]:
    """What a seat of the public state has in dice that lie open."""
    return [texts.games.has(seat["total"])] if isinstance(seat.get("dice"), list) and seat["dice"] else []


def score(seat: JsonObject) -> str:
    """How a seat of a game's public state stands, in short."""
    for key, text in texts.games.SCORES.items():
        if isinstance(seat.get(key), int):
            return text(seat[key])
    return ""


def scores(match: Match) -> list[str]:
    """Every seat and how it stands."""
    return [f"{seat['seat']} {score(seat)}" for seat in match.state()["seats"]]
