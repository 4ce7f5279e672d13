"""Folds the entries of the journal into matches: who played, who won, and what luck everybody had."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from dicetable.ledger.entries import Closed, Decided, Opened
from dicetable.statistics.chances import Chance, chances
from dicetable.statistics.decisions import Decision, decision
from dicetable.table.table_state import TableState
from games import log
from games.errors import RuleError
from games.match import in_order, reopen
from games.prompts import OverPrompt
from games.registry import FAIRNESS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence, Set

    from dicetable.ledger.entries import Entry
    from games.match import Match


@dataclass(frozen=True, slots=True)
class Played:
    """A match that began.

    Attributes:
        at_utc: when, ISO 8601.
        game: its name.
        seats: the players.
        winners: those who won; empty if it was not played to its end.
        chances: what the dice decided, in order, after all corrections.
        decisions: what the players decided themselves, where the worth of it is known.
        lost: whether entries are missing or unknown, so that only its beginning is known.
    """

    at_utc: str
    game: str
    seats: tuple[str, ...]
    winners: tuple[str, ...]
    chances: tuple[Chance, ...]
    lost: bool = False
    decisions: tuple[Decision, ...] = ()


def played(entries: Iterable[tuple[str, Entry]], since: str = "") -> list[Played]:
    """The matches that began at or after `since` (ISO 8601, UTC), oldest first."""
    return [match for at, group in by_match(entries) if at >= since for match in fold_match(at, group)]


def by_match(entries: Iterable[tuple[str, Entry]]) -> Iterator[tuple[str, list[Entry]]]:
    """The entries of each match from its opening on, with the time of the opening."""
    began = ""
    group: list[Entry] = []
    for at, entry in entries:
        if isinstance(entry, Opened):
            if group:
                yield began, group
            began, group = at, []
        if group or isinstance(entry, Opened):
            group.append(entry)
    if group:
        yield began, group


def fold_match(at_utc: str, entries: Sequence[Entry]) -> Iterator[Played]:
    """The match of these entries; none if the rules do not even know its opening."""
    table_state, match, lost = TableState(), None, False
    by_table: set[int] = set()
    for entry in entries:
        try:
            table_state = table_state.after(entry)
        except (RuleError, ValueError):
            lost = True
            break
        match = table_state.match or match
        if isinstance(entry, Closed):
            break
        if isinstance(entry, Decided) and entry.by_table and match is not None:
            by_table.add(match.revision)
    if match is not None and match.game != FAIRNESS.name:
        winners = match.prompt.winners if isinstance(match.prompt, OverPrompt) else ()
        luck, skill = decided(match, by_table)
        yield Played(at_utc, match.game, match.seats, winners, luck, lost, skill)


def decided(match: Match, by_table: Set[int]) -> tuple[tuple[Chance, ...], tuple[Decision, ...]]:
    """What the dice decided, and the players, in the requests that are in force, oldest first.

    `by_table` are the revisions to which the table's decisions for absent players led.
    """
    current = reopen(match.opening)
    luck: list[Chance] = []
    skill: list[Decision] = []
    for revision, request in log.requests_in_force(in_order(match.entries)):
        after = current.apply(request)
        luck += chances(current, request, after)
        if revision not in by_table and (known := decision(current, request)) is not None:
            skill.append(known)
        current = after
    return tuple(luck), tuple(skill)


def renamed(matches: Iterable[Played], names: Mapping[str, str]) -> list[Played]:
    """The matches with other names for the players."""
    return [
        Played(
            match.at_utc,
            match.game,
            tuple(names[seat] for seat in match.seats),
            tuple(names[seat] for seat in match.winners),
            tuple(Chance(names[c.seat], c.expected, c.came, c.variance) for c in match.chances),
            match.lost,
            tuple(Decision(names[d.seat], d.best, d.chosen) for d in match.decisions),
        )
        for match in matches
    ]


def numbered(matches: Iterable[Played]) -> dict[str, str]:
    """`player 1`, `player 2` … for the names, in the order in which they first played."""
    names = dict.fromkeys(seat for match in matches for seat in match.seats)
    return {name: f"player {number}" for number, name in enumerate(names, 1)}
