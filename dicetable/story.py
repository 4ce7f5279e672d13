"""Tells a game as it goes, one line for each thing that happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable import display, texts
from games.prompts import ActPrompt, OverPrompt, RevealPrompt, ThrowPrompt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from games.game import Event
    from games.match import Match
    from vision.reading import DieReading


def dice_line(dice: Iterable[DieReading]) -> str:
    """What lies there, such as `1 1 3 4? ?`; kinds are named unless they are d6."""
    return " ".join(shown(die) for die in dice)


def shown(die: DieReading) -> str:
    """One die: its value, `?` for doubt, its kind unless it is a d6."""
    value = "" if die.value is None else str(die.value)
    kind = "" if die.kind in ("d6", None) else f"{die.kind}:"
    return f"{kind}{value}{'' if die.sure else '?'}"


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


def consequences(events: Iterable[Event]) -> list[str]:
    """What a decision or a throw brought about, one short line each."""
    return [texts.games.EVENTS[event["event"]](event) for event in events]


def scores(match: Match) -> str:
    """How every seat stands, as one line."""
    return ", ".join(display.scores(match))
