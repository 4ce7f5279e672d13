"""A season of matches, and its tables folded by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from games.prompts import OverPrompt
from league.results import pseudonym

if TYPE_CHECKING:
    from league.database import Database
    from tests.league.bars import Bar


ALWAYS = (0, 2**53)


def season(league: Database, number: int, game: str = "", span: tuple[int, int] = ALWAYS) -> None:
    with league.transaction() as session:
        session.insert("season", [(number, f"season {number}", game, *span, f"season {number}")])


def folded(league: Database) -> dict[str, list[tuple[Any, ...]]]:
    with league.reading() as session:
        names = ("result", "result_seat", "tally", "pending")
        return {name: sorted(session.rows(f"SELECT * FROM {name}")) for name in names}


def tallies(league: Database, number: int = 1) -> dict[int, tuple[int, int, int]]:
    with league.reading() as session:
        found = session.rows(
            "SELECT player_id, sum(played), sum(won), sum(points) FROM tally WHERE season_id = ? "
            "GROUP BY player_id",
            (number,),
        )
    return {player: (int(a), int(b), int(c)) for player, a, b, c in found}


def by_hand(bars: list[Bar], secret: str, game: str = "") -> dict[int, tuple[int, int, int]]:
    """The standings by the table's own fold of its ledger, and nothing of the league's."""
    from dicetable.table.table_state import TableState

    found: dict[int, tuple[int, int, int]] = {}
    for bar in bars:
        state, match = TableState(), None
        for row in bar.ledger.rows():
            entry = entry_of(bar, row.body)
            if entry.entry == "closed" and match is not None and isinstance(match.prompt, OverPrompt):
                for seat in match.seats if game in ("", match.game) else ():
                    won = seat in match.prompt.winners
                    each = pseudonym(secret, bar.table, bar.ledger.players.id_of(seat))
                    played, wins, points = found.get(each, (0, 0, 0))
                    beaten = (len(match.seats) - len(match.prompt.winners)) * won
                    found[each] = (played + 1, wins + won, points + beaten)
            state = state.after(entry)
            match = state.match
    return found


def entry_of(bar: Bar, body: bytes) -> Any:
    from dicetable.ledger.entries import load

    return load(bar.ledger.players.to_names(body))


def secret_of(league: Database) -> str:
    from league.database import meta

    with league.reading() as session:
        return meta(session, "secret")
