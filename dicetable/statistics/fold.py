"""Folds the entries of the journal into tapes: which dice were thrown, and what they showed.

Only dice that were seen to be thrown count, so that no choice of a player biases the counts:

- A die that was set aside and still counts for the game stands in no later throw. Each throw is a fresh one,
  whatever led to it.
- Dice under cups do not count: a player who looks may keep the high ones and cast the others again, and the
  reveal shows what was kept.
- Dice entered by hand do not count, as nothing saw them.
- Dice that were not seen to roll count, but are marked as asked, no matter who vouched for them: a
  person's word stands for the throw.
- A correction replaces what was read. A die whose value it changes is marked as asked, since a person's word
  stands for it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final, TypeAlias

from pydantic_core import from_json

from dicetable.ledger.entries import BadEntry, Corrected, Entry, Opened, Revealed, Thrown, load
from dicetable.ledger.players import Players
from dicetable.statistics.tapes import ALONE, ASKED, Tapes
from dicetable.table.table_state import TableState
from games import registry
from games.dice import VALUES, Die, Kind, place_of
from games.errors import RuleError, UnknownGame
from games.game import no_cups
from games.prompts import ThrowPrompt

Stored: TypeAlias = tuple[str, bytes]
"""When an entry was accepted (ISO 8601, UTC), and the entry as the ledger stores it."""

OPENED: Final = b'"entry":"opened"}'
THROWN: Final = b'"entry":"thrown"}'
REVEALED: Final = b'"entry":"revealed"}'
CORRECTED: Final = b'"entry":"corrected"}'
"""How entries end. No text in one can look so: a quotation mark within a text has a backslash before it."""
NOTEWORTHY: Final = (OPENED, CORRECTED)
LYING: Final = b']],"lying":'
BY_HAND: Final = b',"by_hand":true,'
DETAILS: Final = b',"details":['
NO_DETAILS: Final = b',"by_hand":false,"by":[],"details":[],"entry":"thrown"}'
NOTHING_KNOWN: Final = b'"die_id":null,"confirmed_by":null,"proposed":null'
VOUCHED: Final = b',"vouched_by":'
NOT_VOUCHED: Final = b',"vouched_by":null'
"""The details of a die that has no name and raised no question. Rows written before vouching was recorded
lack the last one."""
REMEMBERED: Final = 65_536
"""Different throws that are held as they were parsed; six d6 can fall in 46,656 ways."""


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
        misproposed: dice confirmed with another value than the table had proposed.
        vouched: dice that count although they were not seen to roll.
    """

    tapes: Tapes = field(default_factory=Tapes)
    throws: int = 0
    by_hand: int = 0
    hidden: int = 0
    corrected: int = 0
    unplaced: int = 0
    misproposed: int = 0
    vouched: int = 0


def fold(rows: Iterable[Stored], since: str = "", folded: Folded | None = None) -> Folded:
    """Folds entries in order, after those of `folded`; throws before `since` (ISO 8601, UTC) do not count."""
    folded = folded or Folded()
    fold_into(lambda accepted: folded if accepted >= since else None, rows)
    return folded


def fold_into(target: Callable[[str], Folded | None], rows: Iterable[Stored]) -> None:
    """Folds entries in order, each into the target for its time; without a target, it does not count."""
    match: list[Stored] = []
    hard = False
    for stored in rows:
        if stored[1].endswith(NOTEWORTHY):
            if stored[1].endswith(OPENED):
                fold_match(target, match, hard)
                opening = entry_in(stored[1])
                match, hard = [], isinstance(opening, Opened) and has_cups(opening.game)
            else:
                hard = True
        match.append(stored)
    fold_match(target, match, hard)


def fold_match(target: Callable[[str], Folded | None], match: Sequence[Stored], hard: bool) -> None:
    """Counts the dice of one match; it is `hard` if it must be played again to know which count."""
    replay = replayed([entry_in(body) for _, body in match]) if hard else Replay()
    if replay.unplaced and (folded := target(match[-1][0])) is not None:
        folded.unplaced += replay.unplaced
    for number, (accepted, body) in enumerate(match):
        if body.endswith(THROWN):
            if (folded := target(accepted)) is None:
                continue
            if not hard and body.endswith(NO_DETAILS):
                folded.throws += 1
                folded.tapes.extend(parsed(body[: body.find(LYING)]).by_kind)
            elif number in replay.hidden:
                folded.hidden += len(throw_in(body).dice)
            else:
                fold_throw(folded, body, replay.showed.get(number))
        elif body.endswith(REVEALED) and (folded := target(accepted)) is not None:
            revealed = entry_in(body)
            folded.hidden += len(revealed.dice) if isinstance(revealed, Revealed) else 0


def entry_in(body: bytes) -> Entry:
    """Parses the entry in a row, with a substitute for each player's name. Raises BadEntry."""
    return load(NAMELESS.to_names(body))


NAMELESS: Final = Players()
"""Knows no name: each player is shown by the beginning of the id, and no two of a ledger begin alike."""


@lru_cache(maxsize=64)
def has_cups(game: str) -> bool:
    """Whether a game can hide dice; true of a game that this program does not know."""
    try:
        return registry.find(game).cups is not no_cups
    except UnknownGame:
        return True


@dataclass(frozen=True, slots=True)
class Parsed:
    """The dice of a throw, in order, and by kind: the places of its faces and their marks, a byte each."""

    dice: tuple[Die, ...]
    by_kind: tuple[tuple[Kind, bytes, bytes], ...]


def throw_in(body: bytes) -> Parsed:
    return parsed(body[: body.find(LYING)])


@lru_cache(REMEMBERED)
def parsed(beginning: bytes) -> Parsed:
    """Parses the beginning of a `thrown` entry, up to what lay in the tray. Raises BadEntry."""
    try:
        dice = tuple((kind, face) for kind, face in from_json(beginning + b"]]}")["dice"])
        possible = all(face in VALUES[kind] for kind, face in dice)
    except (ValueError, TypeError, KeyError):
        possible = False
    if not possible:
        raise BadEntry(f"dice: {beginning[:100].decode(errors='replace')} are none")
    kinds = [kind for kind, _ in dice]
    marks = tuple(ALONE if kinds.count(kind) == 1 else 0 for kind in kinds)
    by_kind = tuple(
        (
            kind,
            bytes(place_of(die) for die in dice if die[0] == kind),
            bytes(mark for die_kind, mark in zip(kinds, marks, strict=True) if die_kind == kind),
        )
        for kind in dict.fromkeys(kinds)
    )
    return Parsed(dice, by_kind)


def details_of(body: bytes, dice: int) -> Sequence[Mapping[str, Any]]:
    """The `DieDetails` of each die of a `thrown` entry, as JSON; empty if nothing is known."""
    start = body.rfind(DETAILS)
    if start < 0 or body.endswith(NO_DETAILS):
        return ()
    vouched = body.count(VOUCHED, start) > body.count(NOT_VOUCHED, start)
    if not vouched and body.count(NOTHING_KNOWN, start) == dice:
        return ()
    details: Sequence[Mapping[str, Any]] = from_json(body[start + len(DETAILS) - 1 : -len(THROWN) - 1])
    return details


def fold_throw(folded: Folded, body: bytes, showed: tuple[Die, ...] | None = None) -> None:
    """Counts the dice of one `thrown` entry; `showed` are its dice after a correction."""
    throw = throw_in(body)
    if BY_HAND in body:
        folded.by_hand += len(throw.dice)
        return
    folded.throws += 1
    details = details_of(body, len(throw.dice))
    if showed is None and not details:
        folded.tapes.extend(throw.by_kind)
        return
    dice = showed or throw.dice
    kinds = [kind for kind, _ in dice]
    for place, (kind, face) in enumerate(dice):
        marks = ALONE if kinds.count(kind) == 1 else 0
        if (kind, face) != throw.dice[place]:
            marks |= ASKED
            folded.corrected += 1
        if not details:
            folded.tapes.add(kind, face, marks)
            continue
        facts = details[place]
        name, proposed = facts["die_id"], facts["proposed"]
        vouched = facts.get("vouched_by") is not None
        folded.vouched += vouched
        if vouched or facts["confirmed_by"] is not None:
            marks |= ASKED
        folded.tapes.add(kind, face, marks, name)
        if proposed is not None and proposed in VALUES[kind]:
            folded.misproposed += proposed != face
            folded.tapes.propose(kind, proposed, name)


@dataclass(slots=True)
class Replay:
    """What only a replay of the match shows; numbers are places in its entries.

    Attributes:
        showed: what throws really showed, after corrections.
        hidden: dice that were cast under cups, or where that is not known.
        unplaced: how many corrections belong to no throw.
    """

    showed: dict[int, tuple[Die, ...]] = field(default_factory=dict)
    hidden: set[int] = field(default_factory=set)
    unplaced: int = 0


def replayed(entries: list[Entry]) -> Replay:
    """Replays a match: corrections name the revision that a throw led to, prompts show which are reveals."""
    replay = Replay()
    table_state = TableState()
    throws: dict[int, int] = {}
    for number, entry in enumerate(entries):
        before = table_state.match
        try:
            table_state = table_state.after(entry)
        except (RuleError, ValueError):
            replay.unplaced += sum(isinstance(left, Corrected) for left in entries[number:])
            opening = entries[0]
            if isinstance(opening, Opened) and has_cups(opening.game):
                replay.hidden |= set(range(number, len(entries)))
            return replay
        if isinstance(entry, Thrown) and before is not None and table_state.match is not None:
            if isinstance(before.prompt, ThrowPrompt):
                throws[table_state.match.revision] = number
            else:
                replay.hidden.add(number)
        elif isinstance(entry, Corrected) and entry.revision in throws:  # else it corrects a reveal
            thrown = entries[throws[entry.revision]]
            if isinstance(thrown, Thrown):
                replay.showed[throws[entry.revision]] = in_places(entry.dice, thrown.dice)
    return replay


def in_places(dice: tuple[Die, ...], read: tuple[Die, ...]) -> tuple[Die, ...]:
    """The dice of a correction, each in the place of the die in `read` that it corrects.

    A die of the same kind and face is the same; of what is left, one of the same kind is.
    """
    left = list(dice)
    by_place: dict[int, Die] = {}
    # First the very die, then one of its kind, then whatever is left.
    for same in (lambda a, b: a == b, lambda a, b: a[0] == b[0], lambda _a, _b: True):
        for place, die in enumerate(read):
            fits = [candidate for candidate in left if place not in by_place and same(die, candidate)]
            if fits:
                by_place[place] = fits[0]
                left.remove(fits[0])
    return tuple(by_place[place] for place in sorted(by_place))
