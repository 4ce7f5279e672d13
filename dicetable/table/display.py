"""Words and numbers into what a panel can show: four lines of twenty printable ASCII characters."""

from __future__ import annotations

import re
import textwrap
from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from dicetable import texts
from dicetable.ledger.entries import Decided, Opened, Revealed, Thrown
from dicetable.texts.plain import ascii_letters
from games import words
from games.prompts import ActPrompt, OverPrompt, RevealPrompt, ThrowPrompt
from hardware.ports import COLUMNS, LINES, PanelView

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from dicetable.ledger.entries import Entry
    from games.match import Match
    from games.requests import JsonObject
    from hardware.ports import Lamp
    from vision.reading import DieReading

PAGE_S = 2.5
"""How long each page of what does not fit at once is shown."""
EACH_S: Final = 2.0
"""If there are several notices, each is shown for so long in its turn."""
MOST: Final = 8


def view(lines: Iterable[str], lamps: Mapping[str, Lamp]) -> PanelView:
    """What the panel is to show; lines and characters that it cannot show are cut off or replaced."""
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


def page(lines: Sequence[str], room: int, now_s: float) -> list[str]:
    """The lines that there is room for; if there are more, page after page as time goes by."""
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
    """Short words put into as few lines as hold them, in order, none cut."""
    lines: list[str] = []
    for word in words:
        if lines and len(lines[-1]) + len(gap) + len(word) <= COLUMNS:
            lines[-1] += gap + word
        else:
            lines.append(word)
    return lines


def facts(match: Match, seat: str) -> list[str]:
    """What everybody wants to know of a game, and what a seat has in the hand that is played."""
    words, state = match.rules.words, match.state()
    own = words.standing(state, part_of(state, seat))
    return [*([own] if own else []), *words.facts(state)]


def part_of(state: JsonObject, seat: str) -> JsonObject:
    """A seat's part of a public state; empty if the state says nothing of seats."""
    seats: list[JsonObject] = state.get("seats", [])
    return next((part for part in seats if part["seat"] == seat), {})


def score(match: Match, seat: str) -> str:
    """How a seat stands, in short."""
    state = match.state()
    return match.rules.words.score(state, part_of(state, seat))


def standing(match: Match, seat: str) -> str:
    """What a seat has in the hand or turn that is played, in short."""
    state = match.state()
    return match.rules.words.standing(state, part_of(state, seat))


def scores(match: Match) -> list[str]:
    """Every seat and how it stands."""
    return [f"{seat} {score(match, seat)}" for seat in match.seats]


class Notices:
    """What is to be seen until when, by name. A notice takes no key and keeps no throw waiting."""

    def __init__(self) -> None:
        self.shown: dict[str, tuple[str, float]] = {}

    def show(self, name: str, text: str, until_s: float) -> None:
        """Shows a line; one of the same name goes away."""
        self.shown[name] = (printable(text), until_s)
        while len(self.shown) > MOST:
            del self.shown[next(iter(self.shown))]

    def over(self, view: PanelView, now_s: float) -> PanelView:
        """The view, with the notice that is to be seen now in its last line."""
        if not self.shown:
            return view
        self.shown = {name: each for name, each in self.shown.items() if each[1] > now_s}
        lines = [text for text, _ in self.shown.values()]
        if not lines:
            return view
        kept = [*view.lines, *[""] * LINES][: LINES - 1]
        shown = [*kept, lines[int(now_s / EACH_S) % len(lines)]]
        return replace(view, lines=shown, elsewhere=view.lines)


def dice_line(dice: Sequence[DieReading]) -> str:
    """What lies there, such as `1 1 3 4? ?`; kinds are named unless all are d6."""
    kinds = any(die.kind not in ("d6", None) for die in dice)
    return " ".join(die_words(die, kind=kinds) for die in dice)


def die_words(die: DieReading, *, kind: bool) -> str:
    """One die: its kind if that is wanted and known, its value, `?` for doubt."""
    name = f"{die.kind}:" if kind and die.kind else ""
    return f"{name}{die.value or ''}{'' if die.sure else '?'}"


def awaited_line(match: Match) -> str:
    """What the game waits for, as one line."""
    prompt = match.prompt
    if isinstance(prompt, ThrowPrompt):
        return texts.turns.to_throw(prompt.seat, prompt.count)
    if isinstance(prompt, ActPrompt):
        return texts.turns.to_act(prompt.seat)
    if isinstance(prompt, RevealPrompt):
        return texts.turns.to_reveal(" ".join(match.cups), len(prompt.dice))
    if isinstance(prompt, OverPrompt):
        return texts.turns.won(prompt.winners)
    raise TypeError(f"{prompt} waits for nothing that is known here")


def consequences(match: Match) -> list[str]:
    """What the last decision or throw of a match brought about, one short line each."""
    return [texts.games.event(match, event) for event in match.events]


def scores_line(match: Match) -> str:
    """How every seat stands, as one line."""
    return ", ".join(scores(match))


def narrated(entry: Entry, match: Match | None) -> tuple[dict[str, Any], list[str]]:
    """The entry as one JSON object and as lines for people; `match` is the game after it."""
    happened = consequences(match) if match else []
    if isinstance(entry, Opened):
        lines = [f"{texts.games.title(entry.game)}: {', '.join(entry.seats)}"]
        return {"event": "opened", "game": entry.game, "seats": list(entry.seats)}, lines
    if isinstance(entry, Decided):
        return {"event": "decided", "seat": entry.seat, "told": happened}, happened
    if isinstance(entry, Thrown | Revealed):
        dice = words.dice(entry.dice)
        by_hand = isinstance(entry, Thrown) and entry.by_hand
        if isinstance(entry, Revealed):
            happened = []
        line = {"event": "throw", "dice": dice, "by_hand": by_hand, "told": happened}
        note = texts.terminal.BY_HAND if by_hand else rolled(entry)
        return line, [f"  {dice}{note}", *(f"    {each}" for each in happened)]
    return {"event": entry.entry}, []


def rolled(entry: Thrown | Revealed) -> str:
    """A note on dice that were not seen to roll; empty if all were."""
    by = {die.vouched_by for die in entry.details} - {None}
    if not by:
        return ""
    return texts.terminal.NOT_SEEN if "nobody" in by else texts.terminal.VOUCHED
