"""Whole games as the entries of a ledger."""

from __future__ import annotations

from dicetable.ledger.entries import Closed, Decided, Ending, Entry, Opened, Thrown
from games.match import Match
from games.players import RandomPlayer
from games.requests import Act
from tests.games.tabletop import Tabletop

SEATS = ("ann", "bob", "cleo", "dan")
OPTIONS: dict[str, dict[str, object]] = {
    "six_shooter": {"hands": 12},
    "liars_dice": {"dice": 4},
    "sixes": {"rounds": 10},
    "six_by_6": {"sets": 4},
    "money_shot": {"rounds": 12},
    "rolls": {"rolls": 10},
    "ten_thousand": {"rounds": 6},
    "yacht": {"rounds": 4},
    "ship_captain_crew": {"rounds": 5},
    "mexico": {"lives": 4},
    "mia": {"lives": 4},
    "midnight": {"rounds": 3},
    "shut_the_box": {"rounds": 2},
    "bar_dice": {"wins": 2},
}


def script(game: str, seed: int) -> list[Entry]:
    """Every entry of one game played to its end by players that take any legal choice."""
    match = Match.new(game, SEATS, OPTIONS[game], seed=seed)
    top = Tabletop(match, {seat: RandomPlayer(seed + n) for n, seat in enumerate(SEATS)}, seed)
    top.play()
    opening = match.opening
    panel_seats = tuple(range(1, len(SEATS) + 1))
    entries: list[Entry] = [Opened(game, SEATS, dict(opening.options), seed, opening.draws, panel_seats, ())]
    for record in top.match.log[1:]:
        if record["op"] == "act":
            act = Act(record["seat"], record["action"])
            entries.append(Decided(act.seat, act.action))
        else:
            entries.append(Thrown(tuple((kind, face) for kind, face in record["dice"]), ()))
    return [*entries, Closed(Ending.OVER)]
