"""What the stage of a match is made of, and whether it is short, at each moment of a sample game."""

from __future__ import annotations

from games.game import read_options
from games.match import Match
from games.words import TableView
from tests.games.entries import ENTRIES


def seen(match: Match) -> TableView:
    """What the stage of a match is made of."""
    given = read_options(match.rules.options, match.opening.options, match.seats)
    return TableView(match.state(), getattr(match.prompt, "seat", None), given)


def stages_are_short(game: str) -> None:
    entry = ENTRIES[game]
    match = Match.new(game, tuple(entry.seats), entry.options, seed=1)
    for request in entry.sample:
        words, state = match.rules.words, match.state()
        stage = words.staged(seen(match))
        numbers = [stage.number, *(number for number, _ in stage.beside)]
        numbers += [words.seat_stage(stage, state, seat).number for seat in state["seats"]]
        assert max(map(len, numbers)) <= 7
        assert stage.number != "0"
        assert len(stage.caption) <= 20
        assert stage.owner in ("", *match.seats)
        assert len(stage.dice) <= max(stage.slots, 6)
        assert all(len(words.moment(event, match.log)) <= 11 for event in match.events)
        match = match.apply(request)
