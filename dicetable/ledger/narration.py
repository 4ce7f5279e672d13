"""The ledger in words, one line for each match, entry and event, whatever a name in it holds."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dicetable import texts
from dicetable.ledger.entries import Closed, Corrected, Decided, Epoch, Later, Opened, Revealed, Sat, Thrown
from dicetable.ledger.rows import NO_EVIDENCE
from dicetable.texts.plain import plain
from games import words

if TYPE_CHECKING:
    from dicetable.ledger.entries import Entry
    from dicetable.ledger.reader import Chapter, LedgerLine
    from games.dice import Die
    from games.game import Event


def chapter(chapter: Chapter) -> str:
    """A match in short."""
    line = chapter.opening
    opened = line.entry
    if not isinstance(opened, Opened):
        raise TypeError(f"row {line.row.number} opens no match")
    state = texts.ledger.RUNNING if chapter.closed is None else texts.ledger.CLOSED[chapter.closed.why]
    names = ", ".join(opened.seats)
    game = texts.games.title(opened.game)
    return plain(f"{line.row.number:6}  {at(line)}  {game:12} {state:8} {chapter.entries:5} entries  {names}")


def line(line: LedgerLine, revision: int) -> str:
    """An entry: its number, when it was accepted, the revision that it led to, what it says."""
    picture = "" if line.row.evidence_sha256 == NO_EVIDENCE else f"  [{texts.ledger.PICTURE}]"
    return plain(f"{line.row.number:6}  {at(line)}  r{revision:<4} {sentence(line.entry)}{picture}")


def at(line: LedgerLine) -> str:
    """When it was accepted, to the second, UTC."""
    return line.row.at_utc[:19].replace("T", " ")


def sentence(entry: Entry) -> str:
    """What an entry says."""
    match entry:
        case Opened(game=game, seats=seats, options=options):
            return texts.ledger.opened(texts.games.title(game), seats, options)
        case Decided(seat=seat, action=action, by_table=by_table):
            return texts.ledger.decided(seat, values(action), by_table=by_table)
        case Thrown(dice=dice, by_hand=by_hand):
            return texts.ledger.thrown(words.dice(dice), by_hand=by_hand) + confirmed(entry) + vouched(entry)
        case Revealed(seat=seat, dice=dice):
            return texts.ledger.revealed(seat, words.dice(dice)) + confirmed(entry)
        case Corrected(revision=revision, dice=dice):
            return texts.ledger.corrected(revision, words.dice(dice))
        case Sat(name=name, how=how):
            return texts.ledger.sat(name, how)
        case Closed(why=why):
            return texts.ledger.CLOSED[why]
        case Epoch(epoch=number, why=why, lost=lost):
            return texts.ledger.epoch(number, why, lost)
        case Later(entry=kind):
            return texts.ledger.later(kind)


def confirmed(entry: Thrown | Revealed) -> str:
    """Which of its dice somebody confirmed; empty if the readings of all were sure."""
    return "".join(
        texts.ledger.confirmed(words.dice([die]), details.confirmed_by, details.proposed)
        for die, details in zip(entry.dice, entry.details, strict=False)
        if details.confirmed_by is not None
    )


def vouched(entry: Thrown) -> str:
    """Which of its dice were not seen to roll, and who vouched for them; empty if there are none."""
    by: dict[int | str, list[Die]] = {}
    for die, details in zip(entry.dice, entry.details, strict=False):
        if details.vouched_by is not None:
            by.setdefault(details.vouched_by, []).append(die)
    return "".join(texts.ledger.vouched(words.dice(dice), who) for who, dice in by.items())


def event(event: Event) -> str:
    """What came of an entry, as the rules call it."""
    fields = {key: value for key, value in event.items() if key != "event"}
    return plain(f"{event['event']}: {values(fields)}")


def values(fields: dict[str, Any]) -> str:
    """`bet amount 3`: the values of an object, each with its name but the type's and the seat's."""
    bare = ("type", "seat")
    return " ".join(str(value) if key in bare else f"{key} {value}" for key, value in fields.items())
