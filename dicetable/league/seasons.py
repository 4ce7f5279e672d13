"""Seasons: spans of days in which results count, in one game or in all."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from typing import TYPE_CHECKING

from dicetable.league import folding
from dicetable.league.registry import checked_name
from games.errors import UnknownGame
from games.registry import find

if TYPE_CHECKING:
    from dicetable.league.database import Database


def day(text: str) -> date:
    """A day as 2027-01-31; ValueError."""
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ValueError(f"{text!r} is no day: write it as 2027-01-31") from None


def midnight_s(when: date) -> int:
    """When a day begins, Unix time; days are those of UTC."""
    return int(datetime(when.year, when.month, when.day, tzinfo=UTC).timestamp())


def add(database: Database, name: str, game: str, first: str, last: str) -> int:
    """Adds a season from its first to its last day; its number. Results that are there already count too.

    Raises ValueError for a name that is taken, a game that is none, or days in the wrong order.
    """
    try:
        starts, ends = day(first), day(last)
        if game:
            find(game)
    except UnknownGame as error:
        raise ValueError(str(error)) from None
    if ends < starts:
        raise ValueError(f"a season from {first} to {last} has no day")
    with database.transaction() as session:
        ((number,),) = session.rows("SELECT coalesce(max(season_id), 0) + 1 FROM season")
        if session.rows("SELECT 1 FROM season WHERE name = ?", (checked_name(name),)):
            raise ValueError(f"there is a season {name!r} already")
        span = (midnight_s(starts), midnight_s(ends + timedelta(days=1)))
        session.insert("season", [(number, checked_name(name), game, *span)])
    folding.retally(database)
    return int(number)
