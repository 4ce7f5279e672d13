"""The throws for people, with their pictures, and the events (`throw`, `bust` …) that signals send on.

A picture waits while cups are down: one that was taken since the cups were put down may show what lies under
one that was lifted a moment ago, or beside them, and is shown when all have been lifted.
"""

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, Final, Protocol

from common import texts
from common.snapshot import Evening, EventName, LoggedStep, ShownThrow, Sums, TableEvent
from dicetable.ledger.entries import Corrected, Decided, Entry, Opened, Revealed, Thrown
from dicetable.ledger.pictures import note_of
from dicetable.table import display
from dicetable.table.table_state import Recorded, TableState
from games import words
from games.dice import Die
from games.errors import RuleError
from games.formula import parse, sum_of
from games.match import Match
from games.prompts import OverPrompt, RevealPrompt
from games.requests import JsonObject
from games.words import amount
from vision.reading import Box

PAGE: Final = 10
"""Throws listed at once."""
PART: Final = -1
"""The revision of a part of a reveal: no correction means it."""
MOST_EVENTS: Final = 16
"""Events sent with each state: a reader that misses some states misses no event."""
REMEMBERED: Final = 32
"""Throws whose sums are remembered, since each state lists them all. Fewer cost time in each turn of a game;
more cost memory."""
MOST_ROWS: Final = 2000
"""Most rows that are searched for one page."""
EVENING_S: Final = 6 * 3600.0
"""The board is cleared once the ledger has been silent for this long."""
MOST_NAMES: Final = 5
MOST_LOGGED: Final = 6
"""Steps of a game that the log of a screen holds."""
ROLLS: Final = "rolls"
"""The game whose option `formula` is one of `games.formula`."""


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
class ListedThrow:
    """A throw or a reveal that counts.

    `number` is that of its row in the ledger, `revision` that of the match after it, or PART if others had
    still to reveal theirs. `seat` is empty if several threw at once, `boxes` if they are not known. `hidden`:
    its picture waits. `unseen` dice count although they were not seen to roll; another seat may have vouched.
    `adds_up`: the game told the sum of the dice. `formula` is what a roll was thrown for; empty without one.
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
    adds_up: bool = False
    formula: str = ""

    def to_json(self) -> ShownThrow:
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
            **sums_of(self.dice, self.formula),
        }


@lru_cache(maxsize=REMEMBERED)  # the listed throws are told with each state
def sums_of(dice: tuple[Die, ...], formula: str) -> Sums:
    """What the dice add up to, and what the formula makes of them."""
    rule = parse(formula) if formula else None
    made = rule.result(dice) if rule is not None else sum_of(dice)
    return {
        "total": sum_of(dice).total,
        "formula": rule.text if rule is not None else None,
        "result": made.total if rule is not None else None,
        "kept": list(made.counts),
        "natural": made.natural(dice),
    }


class MatchThrows:
    """The throws of one match, as its entries come.

    `hidden_from` is the first row whose picture waits; None if no cup is down. `happened` are the events of
    the newest entry, `log` what each of the last steps came to, oldest first. `lasted` has, in
    a game in which seats begin with something to lose, the row after which each had any of it last.
    """

    def __init__(self) -> None:
        self.state = TableState()
        self.log: deque[LoggedStep] = deque(maxlen=MOST_LOGGED)
        self.throws: list[ListedThrow] = []
        self.hidden_from: int | None = None
        self.happened: list[TableEvent] = []
        self.lasted: dict[str, int] = {}
        self.lost = False

    def follow(self, number: int, entry: Entry) -> None:
        """The next row. After an entry that does not fit, no throw is listed and every picture waits."""
        try:
            after = self.state.after(entry)
        except (RuleError, ValueError):
            self.lose()
        else:
            self.record(Recorded(number, entry, self.state, after))

    def record(self, recorded: Recorded) -> None:
        """The next entry, with the states of the table before and after it."""
        self.happened = []
        if self.lost:
            return
        number, entry, before, after = recorded
        self.state = after
        seat = entry.seat if isinstance(entry, Revealed) else thrower(before)
        self.happened = events(number, entry, seat, before, after)
        self.log += logged(recorded, seat)
        if (match := after.match) is not None:
            seats = match.seats if isinstance(entry, Opened) else tuple(self.lasted)
            self.lasted |= {seat: number for seat in seats if amount(display.score(match, seat))}
        if isinstance(entry, Thrown | Revealed):
            by_hand = isinstance(entry, Thrown) and entry.by_hand
            went_on = after.match is not None and after.match is not before.match
            by = [die.vouched_by for die in entry.details if die.vouched_by is not None]
            self.throws.append(
                ListedThrow(
                    number,
                    after.match.revision if after.match is not None and went_on else PART,
                    after.opened.game if after.opened else "",
                    seat,
                    entry.dice,
                    by_hand,
                    boxes=tuple(entry.lying[number].box for number in entry.numbers) if entry.lying else (),
                    unseen=len(by),
                    vouched=bool(by) and "nobody" not in by,
                    adds_up=went_on and tells_sum(after, entry.dice),
                    formula=formula_of(after),
                )
            )
        elif isinstance(entry, Corrected):
            self.throws = [
                replace(throw, dice=entry.dice, corrected=True) if throw.revision == entry.revision else throw
                for throw in self.throws
            ]
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

    def lose(self) -> None:
        """The state of the match is unknown: every picture waits until the next match."""
        self.happened = []
        self.lost, self.hidden_from = True, 0

    def miss(self) -> None:
        """Skips an unreadable row. Pictures wait until all cups are known to be up again."""
        self.hidden_from = 0

    def hides(self, number: int) -> bool:
        return self.hidden_from is not None and number >= self.hidden_from

    def listed(self, most: int | None = None) -> list[ListedThrow]:
        """All of them, or the last ones, oldest first."""
        throws = self.throws if most is None else self.throws[-most:]
        return [replace(throw, hidden=self.hides(throw.number)) for throw in throws]


def formula_of(state: TableState) -> str:
    """The formula of the rolls in progress; empty in any other game."""
    # A game of someone's own may have an option of that name that means something else.
    if state.opened is None or state.opened.game != ROLLS:
        return ""
    return str(state.opened.options.get("formula", ""))


def thrower(before: TableState) -> str:
    """Who throws next; empty where the last cups are lifted at once."""
    match = before.match
    if match is not None and isinstance(match.prompt, RevealPrompt):
        left = [seat for seat in match.cups if seat not in before.shown]
        return left[0] if len(left) == 1 else ""
    return before.to_act or ""


def older(archive: Archive, before: int) -> Iterator[list[ListedThrow] | None]:
    """The newest throws below row `before`, newest first: None after each row that was read, then those.

    The caller can so do something else between two rows.
    """
    page: list[ListedThrow] = []
    number, looked = min(before - 1, archive.count), 0
    while number >= 1 and len(page) < PAGE and looked < MOST_ROWS:
        row = archive.row(number)
        looked += 1
        yield None
        # Pruned or damaged: the row before it may be sound.
        if row is None or not 1 <= row[0] <= number:
            number -= 1
            continue
        first = row_number = row[0]
        match = MatchThrows()
        while row_number <= archive.count and looked < MOST_ROWS:
            row = archive.row(row_number)
            if row is not None and row[0] != first:
                break
            if row is not None:
                match.follow(row_number, row[1])
            row_number, looked = row_number + 1, looked + 1
            yield None
        newest = [throw for throw in reversed(match.listed()) if throw.number < before]
        page += newest[: PAGE - len(page)]
        number = first - 1
    yield page


class RecentThrows:
    """Reads the newest rows back once, and from then on takes what the table records.

    `throws` are the last of all matches, `events` what has happened last since the newest match began,
    `board` what was won since the table started. What the table appends to `recorded` counts with the next
    `step`.
    """

    def __init__(self, archive: Archive) -> None:
        self.archive = archive
        self.number = archive.count
        self.match = MatchThrows()
        self.before: list[ListedThrow] = []
        self.events: deque[TableEvent] = deque(maxlen=MOST_EVENTS)
        self.board = Board()
        self.recorded: deque[Recorded] = deque()
        self.reading: Iterator[None] | None = self.read_back()

    def read_back(self) -> Iterator[None]:
        """Reads the newest match and the throws before it, row by row."""
        last = self.number
        newest = self.archive.row(last) if last else None
        if last and newest is None:
            self.match.lose()
        first = max(1, newest[0]) if newest else last + 1
        for number in range(first, last + 1):
            row = self.archive.row(number)
            if row is not None:
                self.match.follow(number, row[1])
                self.count()
            else:
                self.match.miss()
            yield
        for page in older(self.archive, first):
            if page is not None:
                self.before = page[::-1]
            yield

    def step(self, rows: int) -> None:
        """Reads back at most that many rows, then takes what was recorded."""
        while self.reading is not None and rows > 0:
            rows -= 1
            if next(self.reading, self) is self:
                self.reading = None
        while self.reading is None and self.recorded:
            recorded = self.recorded.popleft()
            if isinstance(recorded.entry, Opened):
                self.before = [replace(throw, hidden=False) for throw in self.throws]
                self.match = MatchThrows()
            self.match.record(recorded)
            self.count()
            self.number = recorded.number

    def count(self) -> None:
        self.events += self.match.happened
        self.board.count(self.match.happened)

    @property
    def up_to_date(self) -> bool:
        return self.reading is None and not self.recorded

    @property
    def throws(self) -> list[ListedThrow]:
        return [*self.before, *self.match.listed(PAGE)][-PAGE:]

    def shows(self, number: int) -> bool:
        self.step(0)  # a request may come before the turn that follows an entry
        return self.up_to_date and not self.match.hides(number)

    def evidence(self, number: int) -> tuple[bytes, bytes]:
        """The picture of a throw and the strip of its motion; empty if there is none, or they wait."""
        return self.archive.evidence(number) if self.shows(number) else (b"", b"")

    def marks(self, number: int) -> JsonObject | None:
        """`marks` of a picture, with boxes for the last throws only; None without a picture."""
        picture, motion = self.evidence(number)
        throw = self.listed(number)
        return marks(throw.boxes if throw else (), picture, motion) if picture else None

    def listed(self, number: int) -> ListedThrow | None:
        """One of the last throws, by its row."""
        return next((throw for throw in self.throws if throw.number == number), None)


class Board:
    """The board of the evening: who has won how often."""

    def __init__(self) -> None:
        self.games = self.dice = 0
        self.wins: Counter[str] = Counter()

    def count(self, events: Iterable[TableEvent]) -> None:
        for event in events:
            if event["event"] == "throw":
                self.dice += len(event["dice"])
            elif event["event"] == "game_over":
                self.games += 1
                self.wins.update(event["winners"])

    def to_json(self) -> Evening | None:
        """The board; None until a game is over."""
        if not self.games:
            return None
        best = sorted(self.wins.items(), key=lambda entry: -entry[1])[:MOST_NAMES]
        return {
            "games": self.games,
            "dice": self.dice,
            "wins": [{"name": name, "wins": wins} for name, wins in best],
        }


def tells_sum(after: TableState, dice: Sequence[Die]) -> bool:
    """Whether an event of the newest step has the sum of several dice."""
    total = sum_of(dice).total
    return (
        len(dice) > 1
        and after.match is not None
        and any(total in event.values() for event in after.match.events)
    )


def events(number: int, entry: Entry, seat: str, before: TableState, after: TableState) -> list[TableEvent]:
    """The events caused by the entry of row `number`, in order; `seat` is the thrower, if there was one.

    Their names are the same for every game: `throw`, `turn`, `bust`, `rack`, `game_over`. A game takes part
    if its own events are named `bust` or contain `"rack": true`.
    """
    happened: list[TableEvent] = []
    game = after.opened.game if after.opened else ""

    def at_row(event: EventName) -> TableEvent:
        return {"row": number, "event": event, "game": game}

    if isinstance(entry, Thrown | Revealed):
        sums = sums_of(entry.dice, formula_of(after))
        happened.append(
            {
                **at_row("throw"),
                "seat": seat,
                "dice": [{"kind": kind, "value": value} for kind, value in entry.dice],
                "total": sums["total"],
                "formula": sums["formula"],
                "result": sums["result"],
            }
        )
    match = after.match
    if match is not None and match is not before.match:
        for event in match.events:
            if event["event"] == "bust":
                happened.append({**at_row("bust"), "seat": str(event.get("seat", ""))})
            elif event.get("rack") is True:
                happened.append({**at_row("rack"), "seat": str(event.get("seat", ""))})
        if isinstance(match.prompt, OverPrompt) and not over(before):
            happened.append({**at_row("game_over"), "winners": list(match.prompt.winners)})
    if after.to_act is not None and after.to_act != before.to_act:
        happened.append({**at_row("turn"), "seat": after.to_act})
    return happened


def news(match: Match) -> list[str]:
    """What the last step led to; dice cast under cups go without saying beside anything else."""
    told = [event for event in match.events if event["event"] != "cast"] or match.events
    return [texts.games.event(match, event) for event in told]


def logged(recorded: Recorded, seat: str) -> list[LoggedStep]:
    """A line of the log about an entry, if it led to anything; `seat` is the thrower, if there was one."""
    number, entry, before, after = recorded
    told = news(after.match) if after.match is not None and after.match is not before.match else []
    if isinstance(entry, Thrown | Revealed):
        told = with_dice(told, seat or texts.gateway.ALL_CUPS, entry.dice)
    else:
        seat = entry.seat if isinstance(entry, Decided) else ""
    sentences = [line[:1].upper() + line[1:].removesuffix(".") for line in told if line]
    return [{"number": number, "seat": seat, "text": ". ".join(sentences)}] if sentences else []


def with_dice(told: list[str], seat: str, dice: Sequence[Die]) -> list[str]:
    """The sentences about a throw, with its thrower and its dice unless one of them names those already.

    The face of a single die is no more than a digit, which may be part of any number.
    """
    shown = [value for _, value in dice]
    faces, values = words.values(shown), sorted("".join(map(str, shown)))
    thrown = {f"{texts.games.threw(seat, named)} " for named in (faces, words.dice(dice))}
    for place, line in enumerate(told):
        if sorted(filter(str.isdigit, line)) == values or f"{line} ".startswith(tuple(thrown)):
            return told
        if len(dice) > 1 and (faces in line or words.dice(dice) in line):
            return [*told[:place], texts.games.threw(seat, line), *told[place + 1 :]]
    return [texts.games.threw(seat, faces), *told]


def over(state: TableState) -> bool:
    return state.match is not None and isinstance(state.match.prompt, OverPrompt)


def marks(boxes: Iterable[Box], picture: bytes, motion: bytes) -> JsonObject:
    """The data to show a picture with; row and picture never change, so no mark leaves its die.

    `boxes` are left, top, width and height of each die of the throw as fractions of the picture; empty if
    they are not known. `motion` has `columns` and `seconds` of the strip, each frame's time before the dice
    came to rest; None if there is no strip.
    """
    return {"boxes": placed(boxes, note_of(picture)), "motion": rows_of(note_of(motion))}


def placed(boxes: Iterable[Box], note: dict[str, Any]) -> list[list[float]]:
    """The boxes as fractions of the picture with this note; none if it does not say what it shows."""
    shows = numbers(note.get("shows"))
    if len(shows) != 4 or shows[2] <= 0 or shows[3] <= 0:
        return []
    left, top, wide, high = shows
    return [
        [round(part, 4) for part in ((x - left) / wide, (y - top) / high, w / wide, h / high)]
        for x, y, w, h in boxes
    ]


def rows_of(note: dict[str, Any]) -> JsonObject | None:
    """How many frames a row has, and when each was taken; None without frames."""
    columns, seconds = note.get("columns"), numbers(note.get("seconds"))
    is_strip = type(columns) is int and columns > 0 and seconds
    return {"columns": columns, "seconds": seconds} if is_strip else None


def film_marks(boxes: Sequence[Box], film: bytes, *, adds_up: bool) -> JsonObject:
    """The data to replay a film with, for `marks`: like `motion`, with the boxes of the dice in each frame.

    `stops` has for each die the number of the frame in which it has come to rest; `adds_up` says whether the
    game added up the dice. Empty without a film.
    """
    note = note_of(film)
    rows, stops = rows_of(note), note.get("stops")
    lists = [numbers(stop) for stop in stops] if isinstance(stops, list) else []
    ends = {tuple(stop[:4]): stop[4] for stop in lists if len(stop) == 5}
    if rows is None or not boxes or any(tuple(box) not in ends for box in boxes):
        return {}
    stopped = [ends[tuple(box)] for box in boxes]
    return {"film": {**rows, "boxes": placed(boxes, note), "stops": stopped, "adds_up": adds_up}}


def numbers(value: Any) -> list[float]:
    is_list = isinstance(value, list) and all(type(number) in (int, float) for number in value)
    return list(value) if is_list else []
