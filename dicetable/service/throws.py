"""The throws of the ledger for people: who threw what, and whether its picture may be shown."""

from __future__ import annotations

from collections import Counter, deque
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol

from dicetable.ledger.entries import Corrected, Opened, Revealed, Thrown
from dicetable.ledger.pictures import note_of
from dicetable.table.table_state import TableState
from dicetable.throws.baseline import closeness
from games.errors import RuleError
from games.prompts import OverPrompt, RevealPrompt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from dicetable.ledger.entries import DiceInTray, Entry, LyingDie
    from games.dice import Die
    from games.requests import JsonObject
    from vision.reading import Box

EVENING_S: Final = 6 * 3600.0
"""The board is cleared once the ledger has been silent for this long."""


MOST_NAMES: Final = 5


class Board:
    """Counts games, dice and wins from the table's events, in the order of the ledger."""

    def __init__(self) -> None:
        self.games = self.dice = 0
        self.wins: Counter[str] = Counter()

    def follow(self, events: Iterable[JsonObject]) -> None:
        """Counts what happened."""
        for event in events:
            if event["event"] == "throw":
                self.dice += len(event["dice"])
            elif event["event"] == "game_over":
                self.games += 1
                self.wins.update(event["winners"])

    def to_json(self) -> JsonObject | None:
        """The board; None until a game is over."""
        if not self.games:
            return None
        best = sorted(self.wins.items(), key=lambda each: -each[1])[:MOST_NAMES]
        return {
            "games": self.games,
            "dice": self.dice,
            "wins": [{"name": name, "wins": wins} for name, wins in best],
        }


def events(number: int, entry: Entry, seat: str, before: TableState, after: TableState) -> list[JsonObject]:
    """The events caused by the entry of row `number`, in order; `seat` is the thrower, if there was one."""
    happened: list[JsonObject] = []
    game = after.opened.game if after.opened else ""

    def tell(event: str, **more: object) -> None:
        happened.append({"row": number, "event": event, "game": game, **more})

    if isinstance(entry, Thrown | Revealed):
        tell("throw", seat=seat, dice=[{"kind": kind, "value": value} for kind, value in entry.dice])
    match = after.match
    if match is not None and match is not before.match:
        for event in match.events:
            if event["event"] == "bust":
                tell("bust", seat=event.get("seat", ""))
            elif event.get("rack") is True:
                tell("rack", seat=event.get("seat", ""))
        if isinstance(match.prompt, OverPrompt) and not over(before):
            tell("game_over", winners=list(match.prompt.winners))
    if after.asked is not None and after.asked != before.asked:
        tell("turn", seat=after.asked)
    return happened


def over(state: TableState) -> bool:
    """Whether the match is over."""
    return state.match is not None and isinstance(state.match.prompt, OverPrompt)


def boxes_of(dice: Sequence[Die], lying: DiceInTray, before: DiceInTray) -> tuple[Box, ...]:
    """The box of each die of a throw, in pixels of the frame; empty if the match is ambiguous.

    Args:
        dice: the dice that count, in the order in which they appear in `lying`.
        lying: all dice in the tray; one that was confirmed has no kind and no value there.
        before: the dice that lay there at the last accepted throw; those still there were not thrown. None if
            that is unknown.
    """
    there = list(before or ())
    fresh: list[LyingDie] = []
    for die in lying or ():
        same = [old for old in there if unmoved(die, old)]
        if same:
            there.remove(max(same, key=partial(closeness, die)))
        else:
            fresh.append(die)
    first = found_in_order(dice, fresh)
    last = found_in_order(dice[::-1], fresh[::-1])[::-1]
    return tuple(die.box for die in first) if len(first) == len(dice) and first == last else ()


def unmoved(die: LyingDie, old: LyingDie) -> bool:
    """Whether it is the same die, at the same position with the same face up."""
    known = die.value is not None and old.value is not None
    return closeness(die, old) >= 1 and (not known or (die.kind, die.value) == (old.kind, old.value))


def found_in_order(dice: Iterable[Die], lying: Sequence[LyingDie]) -> list[LyingDie]:
    """For each of the dice, the first of those in the tray that it can be, one after the other."""
    left = iter(lying)
    found: list[LyingDie] = []
    for wanted in dice:
        die = next((die for die in left if die.value is None or (die.kind, die.value) == wanted), None)
        if die is not None:
            found.append(die)
    return found


def marks(boxes: Iterable[Box], picture: bytes, motion: bytes) -> JsonObject:
    """The data to show a picture with: the boxes as fractions of it, and the frames of the strip.

    Returns:
        `boxes`: left, top, width and height of each die of the throw, in order, as fractions of the picture's
        width and height; empty if they are not known. `motion`: `columns` and `seconds` of the strip, each
        frame's time before the dice came to rest; None if there is no strip.
    """
    shows = numbers(note_of(picture).get("shows"))
    placed: list[list[float]] = []
    if len(shows) == 4 and shows[2] > 0 and shows[3] > 0:
        left, top, wide, high = shows
        placed = [
            [round(part, 4) for part in ((x - left) / wide, (y - top) / high, w / wide, h / high)]
            for x, y, w, h in boxes
        ]
    note = note_of(motion)
    columns, seconds = note.get("columns"), numbers(note.get("seconds"))
    known = type(columns) is int and columns > 0 and seconds
    return {"boxes": placed, "motion": {"columns": columns, "seconds": seconds} if known else None}


def numbers(value: Any) -> list[float]:
    """The list of numbers; empty if it is not one."""
    known = isinstance(value, list) and all(type(each) in (int, float) for each in value)
    return list(value) if known else []


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
        """Rows for the league from that number on, as `dicetable.service.league` makes them; maybe none."""


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
        """As `marks` of the module, with boxes of the last throws alone; None without a picture."""
        picture, motion = self.evidence(number)
        boxes = next((throw.boxes for throw in self.recent if throw.number == number), ())
        return marks(boxes, picture, motion) if picture else None
