"""Tells a game as it goes, one line for each thing that happened."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable import texts
from games.prompts import OverPrompt, ThrowPrompt

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
        return texts.to_throw(prompt.seat, prompt.count)
    if isinstance(prompt, OverPrompt):
        return texts.won(prompt.winners)
    return ""


def consequences(match: Match, events: Iterable[Event]) -> list[str]:
    """What an accepted throw brought about, one line each, for the games that can be told so far."""
    lines = []
    for event in events:
        if event["event"] == "thrown":
            lines.append(f"{texts.dice_count(event['posted'])} posted, {event['earned']} carry earned")
        elif event["event"] == "turn_over":
            end = "a rack: " if event["rack"] else ""
            lines.append(f"{event['seat']}: {end}{texts.points(event['score'])}")
    turn = match.state()["turn"]
    if turn is not None and lines and not any("points" in line for line in lines):
        lines[-1] += f"; now {texts.six_by_6_turn(turn['posted'], turn['carry'])}"
    return lines


def scores(match: Match) -> str:
    """Every seat's points, as one line."""
    return ", ".join(f"{seat['seat']} {seat['total']}" for seat in match.state()["seats"])
