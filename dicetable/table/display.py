"""Turns games and dice into lines: of the panel, four of twenty printable ASCII characters, and of a log."""

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any, Final

from common import texts
from common.texts.plain import ascii_letters
from dicetable.ledger.entries import Decided, Entry, Opened, Revealed, Thrown
from games import words
from games.match import Match
from games.prompts import ActPrompt, AnyDicePrompt, OverPrompt, RevealPrompt, ThrowPrompt
from games.requests import JsonObject
from hardware.ports import COLUMNS, LINES, Lamp, PanelView
from vision.reading import DieReading

PAGE_S = 2.5
"""How long each page of what does not fit at once is shown."""
NOTICE_S: Final = 2.0
"""How long each of several notices is shown in its turn."""
MOST_NOTICES: Final = 8


def view(lines: Iterable[str], lamps: Mapping[str, Lamp]) -> PanelView:
    """A view of the panel; lines and characters that it cannot show are cut off or replaced."""
    return PanelView(dict(lamps), [printable(line) for line in lines][:LINES])


@lru_cache(maxsize=256)
def printable(line: str) -> str:
    """The line in twenty ASCII characters: no accents, and ? for what no panel can show."""
    plain = ascii_letters(line)
    if not (plain.isascii() and plain.isprintable()):
        plain = "".join(c if c.isascii() and c.isprintable() else "?" for c in plain)
    return plain[:COLUMNS]


def wrapped(sentence: str) -> list[str]:
    """The sentence in lines of twenty, cut between words where it can be."""
    return textwrap.wrap(sentence, COLUMNS)


def fitting(*lines: str, room: int = COLUMNS) -> str:
    """The first of these lines that the panel shows whole in `room` characters, else the last."""
    return next((line for line in lines if len(ascii_letters(line)) <= room), lines[-1])


def choice(label: str) -> list[str]:
    """`> label` on a line; a long label needs several, to be shown in turn."""
    return [f"> {part}" for part in textwrap.wrap(label, COLUMNS - 2)] or ["> "]


def page(lines: Sequence[str], room: int, now_s: float) -> list[str]:
    """The lines for which there is room; if there are more, page after page as time goes by."""
    return turned([lines[start : start + room] for start in range(0, len(lines), room)], room, now_s)


def turned(pages: Sequence[Sequence[str]], room: int, now_s: float) -> list[str]:
    """The page that is shown now, filled up to `room` lines."""
    shown = list(pages[int(now_s / PAGE_S) % len(pages)]) if pages else []
    return shown + [""] * (room - len(shown))


def pages(text: str, room: int) -> list[list[str]]:
    """The text in pages of `room` lines; one that needs several is cut between sentences where it can be."""
    lines = wrapped(text)
    if len(lines) <= room:
        return [lines]
    parts: list[list[str]] = []
    for sentence in re.split(r"(?<=\.) ", text):
        joined = f"{' '.join(parts[-1])} {sentence}" if parts else sentence
        if parts and len(wrapped(joined)) <= room:
            parts[-1] = wrapped(joined)
        else:
            lines = wrapped(sentence)
            count = -(-len(lines) // room)
            size = -(-len(lines) // count)
            parts += [lines[start : start + size] for start in range(0, len(lines), size)]
    return parts


def beside(left: str, right: str) -> str:
    """One line with something at its left and its right; the left gives way."""
    left = left[: max(0, COLUMNS - len(right) - 1)]
    return f"{left}{right:>{COLUMNS - len(left)}}"


def packed(words: Iterable[str], gap: str = " ") -> list[str]:
    """Short words put into as few lines as hold them, in order, none cut; a long one has lines of its own."""
    lines: list[str] = []
    for word in words:
        if len(word) > COLUMNS:
            lines += wrapped(word)
        elif lines and len(lines[-1]) + len(gap) + len(word) <= COLUMNS:
            lines[-1] += gap + word
        else:
            lines.append(word)
    return lines


def facts(match: Match, seat: str) -> list[str]:
    """What a seat has in the hand or turn in progress, and the public facts of the game."""
    own = standing(match, seat)
    return [*([own] if own else []), *match.rules.words.facts(match.state())]


def part_of(state: JsonObject, seat: str) -> JsonObject:
    seats: list[JsonObject] = state.get("seats", [])
    return next((part for part in seats if part["seat"] == seat), {})


def score(match: Match, seat: str) -> str:
    state = match.state()
    return match.rules.words.score(state, part_of(state, seat))


def standing(match: Match, seat: str) -> str:
    state = match.state()
    return match.rules.words.standing(state, part_of(state, seat))


def scores(match: Match) -> list[str]:
    return [f"{seat} {score(match, seat)}" for seat in match.seats]


class Notices:
    """Lines that replace the panel's last one for a while; they take no key and delay no throw.

    They are for people at the table: displays elsewhere keep the line that was there.
    """

    def __init__(self) -> None:
        self.shown: dict[str, tuple[str, float]] = {}

    def show(self, name: str, text: str, until_s: float) -> None:
        """Shows a line until then, in place of one of the same name."""
        self.shown[name] = (printable(text), until_s)
        while len(self.shown) > MOST_NOTICES:
            del self.shown[next(iter(self.shown))]

    def over(self, view: PanelView, now_s: float) -> PanelView:
        """The view with the current notice, if any, in its last line."""
        if not self.shown:
            return view
        self.shown = {name: notice for name, notice in self.shown.items() if notice[1] > now_s}
        lines = [text for text, _ in self.shown.values()]
        if not lines:
            return view
        lines_above = [*view.lines, *[""] * LINES][: LINES - 1]
        shown = [*lines_above, lines[int(now_s / NOTICE_S) % len(lines)]]
        return replace(view, lines=shown, elsewhere=view.lines)


def dice_line(dice: Sequence[DieReading]) -> str:
    """Dice as read, such as `1 1 3 4? ?`; kinds are named unless all are d6."""
    kinds = any(die.kind not in ("d6", None) for die in dice)
    values = ("" if die.value is None else str(die.value) for die in dice)
    return " ".join(
        f"{f'{die.kind}:' if kinds and die.kind else ''}{value}{'' if die.sure else '?'}"
        for die, value in zip(dice, values, strict=True)
    )


def awaited_line(match: Match) -> str:
    prompt = match.prompt
    if isinstance(prompt, AnyDicePrompt):
        return texts.games.to_roll(prompt.seat)
    if isinstance(prompt, ThrowPrompt):
        return texts.games.to_throw(prompt.seat, prompt.count)
    if isinstance(prompt, ActPrompt):
        return texts.games.to_act(prompt.seat)
    if isinstance(prompt, RevealPrompt):
        return texts.games.to_reveal(" ".join(match.cups), len(prompt.dice))
    if isinstance(prompt, OverPrompt):
        return texts.games.won(prompt.winners)
    raise TypeError(f"{prompt} is no known prompt")


def consequences(match: Match) -> list[str]:
    """What the last decision or throw of a match led to, one short line each."""
    return [texts.games.event(match, event) for event in match.events]


def narrated(entry: Entry, match: Match | None) -> tuple[dict[str, Any], list[str]]:
    """Narrates an entry, as one JSON object and as lines for people; `match` is the game after it."""
    happened = consequences(match) if match else []
    if isinstance(entry, Opened):
        title = texts.games.title(texts.games.variant(entry.game, entry.house_rules))
        lines = [f"{title}: {', '.join(entry.seats)}"]
        opened = {"event": "opened", "game": entry.game, "seats": list(entry.seats)}
        return {**opened, "house_rules": entry.house_rules}, lines
    if isinstance(entry, Decided):
        return {"event": "decided", "seat": entry.seat, "told": happened}, happened
    if isinstance(entry, Thrown | Revealed):
        dice = words.dice(entry.dice)
        by_hand = isinstance(entry, Thrown) and entry.by_hand
        if isinstance(entry, Revealed):
            happened = []
        line = {"event": "throw", "dice": dice, "by_hand": by_hand, "told": happened}
        note = texts.panel.ENTERED_BY_HAND if by_hand else ""
        if vouched := {die.vouched_by for die in entry.details} - {None}:
            note = note or (texts.panel.NOT_SEEN if "nobody" in vouched else texts.panel.VOUCHED)
        return line, [f"  {dice}{note}", *(f"    {sentence}" for sentence in happened)]
    return {"event": entry.entry}, []
