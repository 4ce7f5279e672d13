"""Tells a game as it goes, one line for each thing that happened."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dicetable import texts
from dicetable.ledger.entries import Decided, Opened, Revealed, Thrown
from dicetable.table import display, narration
from games import words
from games.prompts import ActPrompt, OverPrompt, RevealPrompt, ThrowPrompt

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dicetable.ledger.entries import Entry
    from games.match import Match
    from vision.reading import DieReading


def dice_line(dice: Sequence[DieReading]) -> str:
    """What lies there, such as `1 1 3 4? ?`; kinds are named unless all are d6."""
    kinds = any(die.kind not in ("d6", None) for die in dice)
    return " ".join(shown(die, kind=kinds) for die in dice)


def shown(die: DieReading, *, kind: bool) -> str:
    """One die: its kind if that is wanted and known, its value, `?` for doubt."""
    name = f"{die.kind}:" if kind and die.kind else ""
    return f"{name}{die.value or ''}{'' if die.sure else '?'}"


def awaited(match: Match) -> str:
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


def scores(match: Match) -> str:
    """How every seat stands, as one line."""
    return ", ".join(display.scores(match))


def told(entry: Entry, match: Match | None) -> tuple[dict[str, Any], list[str]]:
    """The entry as one JSON object and as lines for people; `match` is the game after it."""
    happened = narration.consequences(match) if match else []
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
