"""A game that was started at more seats than the table has now: nobody could answer there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.ledger.entries import Sat, Sitting
from dicetable.table.screens.safe import Safe
from dicetable.table.table_state import AWAY, TableState
from games.prompts import OverPrompt

if TYPE_CHECKING:
    from dicetable.table.screens.screen import TableControl


def beyond(state: TableState, seats: int) -> list[Sat]:
    """The players who sit beyond the panel's last seat."""
    if state.match is None or isinstance(state.match.prompt, OverPrompt):
        return []
    sats = [state.roster[seat] for seat in state.panel_seats.values() if seat > seats]
    return [sat for sat in sats if sat.how not in AWAY]


def go_on_without(table: TableControl, state: TableState) -> None:
    """Offers to go on as if they had left, or to begin anew."""
    missing = beyond(state, table.seats)

    def resume() -> None:
        table.go_on(state)
        if not all(table.write(replace(sat, how=Sitting.LEAVES)) for sat in missing):
            go_on_without(table, table.state)
        table.ask()

    table.state = TableState(opened=state.opened, roster=state.roster)
    table.base = Safe(table, texts.health.fewer_seats(missing[0].panel_seat, table.seats), resume)
