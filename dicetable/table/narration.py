"""Tells a game as it goes, one line for each thing that happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.table import display
from games.prompts import ActPrompt, OverPrompt, RevealPrompt, ThrowPrompt

if TYPE_CHECKING:
    from collections.abc import Sequence

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
        return texts.games.to_throw(prompt.seat, prompt.count)
    if isinstance(prompt, ActPrompt):
        return texts.games.to_act(prompt.seat)
    if isinstance(prompt, RevealPrompt):
        return texts.games.to_reveal(" ".join(match.cups), len(prompt.dice))
    if isinstance(prompt, OverPrompt):
        return texts.games.won(prompt.winners)
    raise TypeError(f"{prompt} waits for nothing that is known here")


def consequences(match: Match) -> list[str]:
    """What the last decision or throw of a match brought about, one short line each."""
    return [texts.games.event(match, event) for event in match.events]


def scores(match: Match) -> str:
    """How every seat stands, as one line."""
    return ", ".join(display.scores(match))
