"""What the panel shows of a match: built from the prompt and the state alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable import texts
from games.prompts import ActPrompt, OverPrompt, RevealPrompt, ThrowPrompt
from hardware.ports import COLUMNS, Colour, Lamp, LampMode, PanelView

if TYPE_CHECKING:
    from games.match import Match


def panel_view(match: Match, message: str = "") -> PanelView:
    """The lamps and four lines for a match; `message` takes the last line or two."""
    prompt = match.prompt
    lamps: dict[str, Lamp] = {}
    if isinstance(prompt, ThrowPrompt | ActPrompt):
        lamps[f"seat{match.seats.index(prompt.seat) + 1}"] = Lamp(LampMode.PULSE, Colour.GREEN)
    elif isinstance(prompt, OverPrompt):
        for winner in prompt.winners:
            lamps[f"seat{match.seats.index(winner) + 1}"] = Lamp(LampMode.CHASE, Colour.YELLOW)
    if message:
        lamps["table"] = Lamp(LampMode.BLINK, Colour.RED)
    lines = [texts.GAMES[match.game], headline(match), standing(match)]
    lines = [*lines[: 4 - len(wrapped(message))], *wrapped(message)] if message else lines
    return PanelView(lamps, [printable(line) for line in lines])


def headline(match: Match) -> str:
    """What is awaited, in one line."""
    prompt = match.prompt
    if isinstance(prompt, ThrowPrompt):
        return texts.to_throw(prompt.seat, prompt.count)
    if isinstance(prompt, RevealPrompt):
        return texts.to_reveal(len(prompt.dice))
    if isinstance(prompt, ActPrompt):
        return texts.to_act(prompt.seat)
    return texts.won(prompt.winners)


def standing(match: Match) -> str:
    """How the turn or the game stands, in one line; empty where there is nothing to add."""
    state = match.state()
    if match.game != "six_by_6":
        return ""
    if state["turn"] is None:
        return " ".join(str(seat["total"]) for seat in state["seats"])
    return texts.six_by_6_turn(state["turn"]["posted"], state["turn"]["carry"])


def wrapped(message: str) -> list[str]:
    """The message in at most two lines, cut at words; what does not fit is dropped."""
    lines = [""]
    for word in message.split():
        if len(lines[-1]) + len(word) + 1 > COLUMNS and lines[-1]:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return lines[:2]


def printable(line: str) -> str:
    """The line in twenty ASCII characters; what no panel can show becomes a question mark."""
    return "".join(c if c.isascii() and c.isprintable() else "?" for c in line)[:COLUMNS]
