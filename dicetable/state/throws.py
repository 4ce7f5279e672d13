"""The throws of the ledger for people: who threw what, and whether its picture may be shown.

A picture waits while cups are down: one that was taken since the cups were put down may show what lies under
one that was lifted a moment ago, or beside them, and is shown when all have been lifted.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, Protocol

from dicetable.ledger.entries import Corrected, Opened, Revealed, Thrown
from dicetable.state.board import Board
from dicetable.state.events import events
from dicetable.state.marks import boxes_of, marks
from dicetable.table.table_state import TableState
from games.errors import RuleError
from games.prompts import RevealPrompt

if TYPE_CHECKING:
    from collections.abc import Iterator

    from dicetable.ledger.entries import Entry
    from games.dice import Die
    from games.requests import JsonObject
    from vision.reading import Box

PAGE: Final = 10
"""Throws told at once."""
PART: Final = -1
"""The revision of a part of a reveal: no correction means it."""
MOST_EVENTS: Final = 16
"""Events told with each state: whoever misses some states misses no event."""
MOST_ROWS: Final = 2000
"""Most rows that are searched for one page."""


class Archive(Protocol):
    """The rows of the ledger by number, from 1; never raises for what is damaged or gone."""

    @property
    def count(self) -> int:
        """The number of the newest row; 0 if there is none."""

    def row(self, number: int) -> tuple[int, Entry] | None:
        """The number of the row that opened its match, and the entry; None if it is not there."""

    def evidence(self, number: int) -> tuple[bytes, bytes]:
        """The picture kept with a row and the strip of its motion, JPEG; empty if there is none."""

    def outgoing(self, number: int) -> bytes:
        """Rows for the league from that number on, as `dicetable.state.outbox` makes them; maybe none."""


@dataclass(frozen=True, slots=True)
class ToldThrow:
    """A throw or a reveal that counts.

    Attributes:
        number: of its row in the ledger; its picture has the same.
        revision: of the match, after it; PART if others had still to reveal theirs.
        seat: who threw; empty if several did at once.
        hidden: its picture waits.
        boxes: of each die in the frame, pixels; empty if they are not known.
        unseen: how many dice count although they were not seen to roll.
        vouched: another seat vouched for them.
    """

    number: int
    revision: int
    game: str
    seat: str
    dice: tuple[Die, ...]
    by_hand: bool
    corrected: bool = False
    hidden: bool = False
    boxes: tuple[Box, ...] = ()
    unseen: int = 0
    vouched: bool = False

    def to_json(self) -> JsonObject:
        """As the snapshot has it."""
        return {
            "number": self.number,
            "game": self.game,
            "seat": self.seat,
            "dice": [{"kind": kind, "value": value} for kind, value in self.dice],
            "by_hand": self.by_hand,
            "corrected": self.corrected,
            "unseen": self.unseen,
            "vouched": self.vouched,
            "picture": not (self.hidden or self.by_hand),
        }


class MatchThrows:
    """The throws of one match, as its entries come.

    `hidden_from` is the first row whose picture waits; None if no cup is down. `happened` are the events of
    the newest entry.
    """

    def __init__(self) -> None:
        self.state = TableState()
        self.throws: list[ToldThrow] = []
        self.hidden_from: int | None = None
        self.happened: list[JsonObject] = []
        self.lost = False

    def follow(self, number: int, entry: Entry) -> None:
        """The next entry. After an entry that does not fit, no throw is listed and every picture waits."""
        self.happened = []
        if self.lost:
            return
        before = self.state
        try:
            self.state = after = before.after(entry)
        except (RuleError, ValueError):
            self.lose()
            return
        seat = entry.seat if isinstance(entry, Revealed) else thrower(before)
        self.happened = events(number, entry, seat, before, after)
        if isinstance(entry, Thrown | Revealed):
            by_hand = isinstance(entry, Thrown) and entry.by_hand
            went_on = after.match is not None and after.match is not before.match
            revision = after.match.revision if after.match is not None and went_on else PART
            game = after.opened.game if after.opened else ""
            boxes = () if by_hand else boxes_of(entry.dice, entry.lying, before.baseline)
            by = [die.vouched_by for die in entry.details if die.vouched_by is not None]
            self.throws.append(
                ToldThrow(
                    number,
                    revision,
                    game,
                    seat,
                    entry.dice,
                    by_hand,
                    boxes=boxes,
                    unseen=len(by),
                    vouched=bool(by) and "nobody" not in by,
                )
            )
        elif isinstance(entry, Corrected):
            self.throws = [
                replace(throw, dice=entry.dice, corrected=True) if throw.revision == entry.revision else throw
                for throw in self.throws
            ]
        self.mind_cups(number, before, after)

    def lose(self) -> None:
        """What the match has come to is not known: every picture waits until the next one."""
        self.lost, self.hidden_from = True, 0

    def miss(self) -> None:
        """A row cannot be read. It may have put cups down: pictures wait until it is known that none is."""
        self.hidden_from = 0

    def mind_cups(self, number: int, before: TableState, after: TableState) -> None:
        """Which pictures wait after this entry."""
        down = after.match is not None and bool(after.match.cups or after.shown)
        lifted = (
            before.match is not None
            and isinstance(before.match.prompt, RevealPrompt)
            and after.match is not before.match
        )
        if not down:
            self.hidden_from = None
        elif lifted or self.hidden_from is None:
            self.hidden_from = number + 1

    def hides(self, number: int) -> bool:
        """Whether the picture of that row waits."""
        return self.hidden_from is not None and number >= self.hidden_from

    def told(self, most: int | None = None) -> list[ToldThrow]:
        """All of them, or the last ones, oldest first."""
        throws = self.throws if most is None else self.throws[-most:]
        return [replace(throw, hidden=self.hides(throw.number)) for throw in throws]


def thrower(before: TableState) -> str:
    """Who throws next; nobody alone where the last cups are lifted at once."""
    match = before.match
    if match is not None and isinstance(match.prompt, RevealPrompt):
        left = [seat for seat in match.cups if seat not in before.shown]
        return left[0] if len(left) == 1 else ""
    return before.asked or ""


def older(archive: Archive, before: int) -> Iterator[list[ToldThrow] | None]:
    """The newest throws below row `before`, newest first: None after each row that was looked at, then those.

    Whoever asks can so do something else between two rows.
    """
    found: list[ToldThrow] = []
    number, looked = min(before - 1, archive.count), 0
    while number >= 1 and len(found) < PAGE and looked < MOST_ROWS:
        row = archive.row(number)
        looked += 1
        yield None
        if row is None or not 1 <= row[0] <= number:
            number -= 1
            continue
        first = at = row[0]
        match = MatchThrows()
        while at <= archive.count and looked < MOST_ROWS:
            row = archive.row(at)
            if row is not None and row[0] != first:
                break
            if row is not None:
                match.follow(at, row[1])
            at, looked = at + 1, looked + 1
            yield None
        newest = [throw for throw in reversed(match.told()) if throw.number < before]
        found += newest[: PAGE - len(found)]
        number = first - 1
    yield found


class Chronicle:
    """Follows the newest match as its rows are written.

    `recent` are the last throws of all matches, `events` what has happened last since this match began,
    `board` what was won since the table started.
    """

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        newest = archive.row(archive.count) if archive.count else None
        self.next = max(1, newest[0]) if newest else archive.count + 1
        self.match = MatchThrows()
        if archive.count and newest is None:
            self.match.lose()
        self.before: list[ToldThrow] = []
        self.events: deque[JsonObject] = deque(maxlen=MOST_EVENTS)
        self.board = Board()
        self.search: Iterator[list[ToldThrow] | None] | None = older(archive, self.next)

    def step(self, rows: int) -> None:
        """Looks at `most` rows at most."""
        for _ in range(rows):
            if self.next <= self.archive.count:
                row = self.archive.row(self.next)
                if row is not None:
                    self.follow(row[1])
                else:
                    self.match.miss()
                self.next += 1
            elif self.search is not None:
                found = next(self.search)
                if found is not None:
                    self.before, self.search = [*reversed(found), *self.before][-PAGE:], None
            else:
                return

    def follow(self, entry: Entry) -> None:
        """The next entry."""
        if isinstance(entry, Opened):
            self.before = [replace(throw, hidden=False) for throw in self.recent]
            self.match = MatchThrows()
        self.match.follow(self.next, entry)
        self.events += self.match.happened
        self.board.follow(self.match.happened)

    @property
    def follows(self) -> bool:
        """Whether every row that was written has been looked at."""
        return self.next > self.archive.count

    @property
    def recent(self) -> list[ToldThrow]:
        """The last throws, oldest first."""
        return [*self.before, *self.match.told(PAGE)][-PAGE:]

    def evidence(self, number: int) -> tuple[bytes, bytes]:
        """The picture of a throw and the strip of its motion; empty if there is none, or they wait."""
        if not self.follows or self.match.hides(number):
            return b"", b""
        return self.archive.evidence(number)

    def marks(self, number: int) -> JsonObject | None:
        """As `dicetable.state.marks.marks`, with boxes of the last throws alone; None without a picture."""
        picture, motion = self.evidence(number)
        boxes = next((throw.boxes for throw in self.recent if throw.number == number), ())
        return marks(boxes, picture, motion) if picture else None
