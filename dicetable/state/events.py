"""The events that a row of the ledger caused, for lamps, dashboards and webhooks.

The names are the same for every game: `throw`, `turn`, `bust`, `rack`, `game_over`. A game takes part if its
own events are named `bust` or contain `"rack": true`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable.ledger.entries import Revealed, Thrown
from games.prompts import OverPrompt

if TYPE_CHECKING:
    from dicetable.ledger.entries import Entry
    from dicetable.table.table_state import TableState
    from games.requests import JsonObject


def events(number: int, entry: Entry, seat: str, before: TableState, after: TableState) -> list[JsonObject]:
    """The events caused by the entry of row `number`, in order; `seat` is the thrower, if there was one."""
    happened: list[JsonObject] = []
    game = after.opened.game if after.opened else ""

    def tell(event: str, **more: object) -> None:
        happened.append({"row": number, "event": event, "game": game, **more})

    if isinstance(entry, Thrown | Revealed):
        tell("throw", seat=seat, dice=[{"kind": kind, "value": value} for kind, value in entry.dice])
    match = after.match
    if match is not None and match is not before.match:
        for event in match.events:
            if event["event"] == "bust":
                tell("bust", seat=event.get("seat", ""))
            elif event.get("rack") is True:
                tell("rack", seat=event.get("seat", ""))
        if isinstance(match.prompt, OverPrompt) and not over(before):
            tell("game_over", winners=list(match.prompt.winners))
    if after.asked is not None and after.asked != before.asked:
        tell("turn", seat=after.asked)
    return happened


def over(state: TableState) -> bool:
    """Whether the match is over."""
    return state.match is not None and isinstance(state.match.prompt, OverPrompt)
