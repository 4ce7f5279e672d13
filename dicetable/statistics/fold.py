"""Folds the entries of the journal into tapes: which dice were thrown, and what they showed.

Only dice that were seen to be thrown count, so that no choice of a player biases the counts:

- A die that was set aside and still counts for the game stands in no later throw. Each throw is a fresh one,
  whatever led to it.
- Dice under cups do not count: a player who looks may keep the high ones and cast the others again, and the
  reveal shows what was kept.
- Dice entered by hand do not count, as nothing saw them.
- A correction replaces what was read. A die whose value it changes is marked as asked, since a person's word
  stands for it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING

from dicetable.ledger.entries import Corrected, Opened, Revealed, Thrown
from dicetable.statistics.tapes import ALONE, ASKED, Tapes
from dicetable.table.table_state import TableState
from games import registry
from games.dice import FACES
from games.errors import RuleError, UnknownGame
from games.game import no_cups
from games.prompts import ThrowPrompt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from dicetable.ledger.entries import Entry
    from games.dice import Die

    Dated = tuple[str, Entry]
    """When an entry was accepted (ISO 8601, UTC), and the entry."""


@dataclass(slots=True)
class Folded:
    """What was thrown.

    Attributes:
        tapes: all dice that count.
        throws: in how many throws.
        by_hand: dice entered by hand, which are in no tape.
        hidden: dice that lay under cups, which are in no tape.
        corrected: dice whose value a correction changed.
        unplaced: corrections whose throw is not known, as when rows were lost; they do not count.
        misproposed: dice that somebody confirmed with another value than the table had proposed.
    """

    tapes: Tapes = field(default_factory=Tapes)
    throws: int = 0
    by_hand: int = 0
    hidden: int = 0
    corrected: int = 0
    unplaced: int = 0
    misproposed: int = 0


def fold(entries: Iterable[Dated], since: str = "") -> Folded:
    """Folds entries in order; throws accepted before `since` (ISO 8601, UTC) do not count."""
    folded = Folded()
    match: list[Dated] = []
    for dated in entries:
        if isinstance(dated[1], Opened):
            fold_match(folded, match, since)
            match = []
        match.append(dated)
    fold_match(folded, match, since)
    return folded


def fold_match(folded: Folded, match: list[Dated], since: str) -> None:
    """Counts the dice of one match."""
    walk = Walk()
    if any(
        has_cups(entry.game) if isinstance(entry, Opened) else isinstance(entry, Corrected)
        for _, entry in match
    ):
        walk = walked([entry for _, entry in match])
    folded.unplaced += walk.unplaced
    for number, (at, entry) in enumerate(match):
        if not isinstance(entry, Thrown | Revealed) or at < since:
            continue
        if number in walk.hidden or isinstance(entry, Revealed):
            folded.hidden += len(entry.dice)
        else:
            fold_throw(folded, entry, walk.showed.get(number, entry.dice))


@cache
def has_cups(game: str) -> bool:
    """Whether a game can hide dice; also one that this program does not know."""
    try:
        return registry.find(game).cups is not no_cups
    except UnknownGame:
        return True


def fold_throw(folded: Folded, entry: Thrown, dice: tuple[Die, ...]) -> None:
    """Counts the dice of one throw, which really showed `dice`."""
    if entry.by_hand:
        folded.by_hand += len(dice)
        return
    folded.throws += 1
    add = folded.tapes.add
    details = entry.details
    kinds = [kind for kind, _ in dice] if len(dice) > 1 else []
    for place, (kind, face) in enumerate(dice):
        marks = ALONE if not kinds or kinds.count(kind) == 1 else 0
        if dice is not entry.dice and (kind, face) != entry.dice[place]:
            marks |= ASKED
            folded.corrected += 1
        if not details:
            add(kind, face, marks)
            continue
        known = details[place]
        if known.confirmed_by is not None:
            marks |= ASKED
        add(kind, face, marks, known.die_id)
        if known.proposed is not None and 1 <= known.proposed <= FACES[kind]:
            folded.misproposed += known.proposed != face
            folded.tapes.propose(kind, known.proposed, known.die_id)


@dataclass(slots=True)
class Walk:
    """What only playing a match again can tell; numbers are places in its entries.

    Attributes:
        showed: what throws really showed, as corrections say.
        hidden: dice that nobody saw thrown, or where that is not known.
        unplaced: how many corrections belong to no throw.
    """

    showed: dict[int, tuple[Die, ...]] = field(default_factory=dict)
    hidden: set[int] = field(default_factory=set)
    unplaced: int = 0


def walked(entries: list[Entry]) -> Walk:
    """Plays a match again: corrections name the revision that a throw led to, prompts tell reveals."""
    walk = Walk()
    evening = TableState()
    throws: dict[int, int] = {}
    for number, entry in enumerate(entries):
        before = evening.match
        try:
            evening = evening.after(entry)
        except (RuleError, ValueError):
            walk.unplaced += sum(isinstance(left, Corrected) for left in entries[number:])
            opening = entries[0]
            if isinstance(opening, Opened) and has_cups(opening.game):
                walk.hidden |= set(range(number, len(entries)))
            return walk
        if isinstance(entry, Thrown) and before is not None and evening.match is not None:
            if isinstance(before.prompt, ThrowPrompt):
                throws[evening.match.revision] = number
            else:
                walk.hidden.add(number)
        elif isinstance(entry, Corrected) and entry.revision in throws:  # else it corrects a reveal
            thrown = entries[throws[entry.revision]]
            if isinstance(thrown, Thrown):
                walk.showed[throws[entry.revision]] = in_places(entry.dice, thrown.dice)
    return walk


def in_places(dice: tuple[Die, ...], read: tuple[Die, ...]) -> tuple[Die, ...]:
    """The dice of a correction, each in the place of the die in `read` that it corrects.

    A die of the same kind and face is the same; of what is left, one of the same kind is.
    """
    left = list(dice)
    found: dict[int, Die] = {}
    for same in (lambda a, b: a == b, lambda a, b: a[0] == b[0], lambda _a, _b: True):
        for place, die in enumerate(read):
            fits = [other for other in left if place not in found and same(die, other)]
            if fits:
                found[place] = fits[0]
                left.remove(fits[0])
    return tuple(found[place] for place in sorted(found))
