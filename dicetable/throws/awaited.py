"""The dice that a game's prompt waits for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from games.prompts import RevealPrompt, ThrowPrompt

if TYPE_CHECKING:
    from collections.abc import Mapping

    from games.dice import Die, Kind
    from games.match import Match


@dataclass(frozen=True, slots=True)
class Awaited:
    """The dice that are to be thrown or revealed next.

    Attributes:
        kinds: those that may be thrown, one entry for each die.
        counts: how many; any of these numbers fits, the one to ask for first.
        aside: dice thrown before that still count as they lie.
        reveal: they were cast before, under cups: nobody may throw them again.
    """

    kinds: tuple[Kind, ...]
    counts: tuple[int, ...]
    aside: tuple[Die, ...] = ()
    reveal: bool = False


def awaited_dice(match: Match | None, revealed: Mapping[str, tuple[Die, ...]]) -> Awaited | None:
    """The dice that the match waits for; None if it waits for none.

    Args:
        match: the game that is played, if there is one.
        revealed: in a reveal, the dice of each seat that has revealed its own already.
    """
    if match is None:
        return None
    prompt = match.prompt
    if isinstance(prompt, ThrowPrompt):
        return Awaited(prompt.dice, (prompt.count,), match.aside)
    if isinstance(prompt, RevealPrompt):
        left = list(prompt.dice)
        for dice in revealed.values():
            for kind, _ in dice:
                left.remove(kind)
        next_seat = next((seat for seat in match.cups if seat not in revealed), "")
        own = match.cups.get(next_seat, len(left))
        counts = (own,) if own == len(left) else (own, len(left))
        return Awaited(tuple(left), counts, reveal=True)
    return None
