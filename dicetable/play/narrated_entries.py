"""Narrates a game from its entries: what was thrown or decided, and the consequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dicetable import texts
from dicetable.ledger.entries import Decided, Opened, Revealed, Thrown
from dicetable.table import narration
from games import words

if TYPE_CHECKING:
    from dicetable.ledger.entries import Entry
    from games.match import Match


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
        note = texts.panel.ENTERED_BY_HAND if by_hand else rolled(entry)
        return line, [f"  {dice}{note}", *(f"    {each}" for each in happened)]
    return {"event": entry.entry}, []


def rolled(entry: Thrown | Revealed) -> str:
    """A note on dice that were not seen to roll; empty if all were."""
    by = {die.vouched_by for die in entry.details} - {None}
    if not by:
        return ""
    return texts.panel.NOT_SEEN if "nobody" in by else texts.panel.VOUCHED
