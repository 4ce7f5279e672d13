"""The table as its screens see it, and what every screen is: it takes keys and time, and shows a view."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Generic, TypeVar

from common import texts
from dicetable.config.sections import LONGEST_NAME
from dicetable.eye.messages import MOST_TAUGHT, Lesson, Retraction, TaughtDie, Teaching
from dicetable.ledger.entries import (
    Closed,
    Corrected,
    DiceInTray,
    Entry,
    Journal,
    JournalError,
    Opened,
    Revealed,
    Thrown,
)
from dicetable.table import display
from dicetable.table.acceptance import (
    Acceptance,
    Accepted,
    NeedsConfirmation,
    Outcome,
    Rejected,
    Throw,
    Void,
    Waiting,
)
from dicetable.table.baseline import remembered
from dicetable.table.game_list import GameList
from dicetable.table.keys import Key, Means
from dicetable.table.meters import Meters
from dicetable.table.pairings import Pairings
from dicetable.table.table_state import Recorded, TableState
from games import words
from games.errors import RuleError
from games.prompts import OverPrompt
from hardware.ports import SEATS, Colour, Degraded, Lamp, LampMode, PanelView
from vision.reading import Reason

YOURS = Lamp(LampMode.PULSE, Colour.GREEN)
ABSENT = Lamp(LampMode.PULSE, Colour.YELLOW)
CONFIRM = Lamp(LampMode.BLINK, Colour.BLUE)
THERE = Lamp(LampMode.ON, Colour.WHITE)
WINNER = Lamp(LampMode.CHASE, Colour.YELLOW)
DEGRADED = Lamp(LampMode.BLINK, Colour.RED)
WAITS = Lamp(LampMode.PULSE, Colour.YELLOW)
PLAYERS = (
    *(Colour.RED, Colour.BLUE, Colour.GREEN, Colour.YELLOW),
    *(Colour.VIOLET, Colour.ORANGE, Colour.CYAN, Colour.PINK),
)
"""The colours of players by their numbers, from 1 on; pages have the same."""
T = TypeVar("T")
LONG = 40
"""The longest list in which a key that is held goes on by one at a time."""
NEWS_S = 1.6
"""How long each line of the news is shown."""
MOST_LESSONS = 100
"""How many lessons wait for the eye; the oldest are dropped."""
MOST_FILMS = 4
"""How many throws can be replayed in slow motion: each takes a third of a megabyte of memory."""
CALL_S = 60.0
"""How long a player who is called has to press a button."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One button of a phone.

    Attributes:
        label: what the button says; within a screen it names the choice.
        do: does it. It takes the numbers, if the choice has any.
        numbers: the numbers that may be chosen, ascending; empty if the choice takes none.
        at: which of `numbers` is offered first.
        faces: the last number is the face of a d6.
        dice: each number is a selection of d6, as in `games.keeping`.
        digits: each number is a call, its digits the faces of the dice from high to low.
        gives_up: it gives up, and looks like that.
        names: what each of `numbers` is called, in their order; empty if a number says enough.
        small: it leads away from the question.
        note: lines that the button shows below its label.
    """

    label: str
    do: Callable[..., object]
    numbers: Sequence[tuple[int, ...]] = ()
    at: int = 0
    faces: bool = False
    dice: bool = False
    digits: bool = False
    gives_up: bool = False
    names: Sequence[str] = ()
    small: bool = False
    note: str = ""

    def allows(self, numbers: tuple[int, ...]) -> bool:
        return numbers in self.numbers if self.numbers else not numbers


@dataclass(frozen=True, slots=True)
class PhoneView:
    """What a seat's phone shows: lines of text, and the seat's choices. Without a text it shows the game."""

    text: str = ""
    choices: Sequence[Choice] = ()


class Walk(Generic[T]):
    """A cursor over `items`, at least one."""

    def __init__(self, items: Sequence[T], start: int = 0) -> None:
        self.items = items
        self.at = start

    @property
    def current(self) -> T:
        return self.items[self.at]

    @property
    def position(self) -> str:
        """`3/9`: which item is shown, and of how many."""
        return f"{self.at + 1}/{len(self.items)}"

    def step(self, by: int) -> None:
        """Goes on: a single step round the end, a larger one up to it."""
        count = len(self.items)
        if abs(by) == 1 or count <= LONG:
            self.at = (self.at + (1 if by > 0 else -1)) % count
        else:
            self.at = min(max(self.at + by, 0), count - 1)


@dataclass(slots=True)
class OwnScreen:
    """A screen on the phone of one seat; `number` is another one for each thing that it asks."""

    screen: Screen
    number: int
    since_s: float


class TableControl(ABC):
    """The table as its screens see it: its state, the open screens, and what a screen may do.

    Attributes:
        base, above: the screen of the game, or of no game, and those that lie over it; the last has the keys.
        colours: the number of each seat's colour, from 1 to 8; `coloured` are the seats that chose theirs.
        own: what seats have open on their own phones, beside the table's screens: it holds up no one else.
        call: the seat that is called, and until when it may press a button before it sits out.
        called: the names that seats gave themselves, from the next game on.
        on_phones: whether phones are the panel.
        seated: the seats that phones hold.
        outcome: the newest outcome of the acceptance.
        recorded: called with each entry once it counts; it must not raise.
        films: those of the newest throws, by their rows in the ledger.
        lessons: what the eye has to learn about its readings, oldest first; the loop takes them out.
    """

    base: Screen

    def __init__(
        self,
        journal: Journal,
        draw_seed: Callable[[], int],
        *,
        seats: int,
        names: Sequence[str],
        strict: bool,
        games: GameList,
    ) -> None:
        self.journal = journal
        self.draw_seed = draw_seed
        self.seats = seats
        self.names = [name[:LONGEST_NAME] for name in names]
        self.games = games
        self.called: dict[int, str] = {}
        self.on_phones = False
        self.seated: frozenset[int] = frozenset()
        self.colours = {seat: seat for seat in range(1, SEATS + 1)}
        self.coloured: set[int] = set()
        self.state = TableState()
        self.recorded: Callable[[Recorded], None] | None = None
        self.acceptance = Acceptance(strict=strict)
        self.outcome: Outcome | None = None
        self.off_requested = False
        self.filmed_by_phone = False
        self.degraded: dict[str, Degraded] = {}
        self.sentence = ""
        self.hindrance = ""
        self.hindered_s = 0.0
        self.unsettled: Reason | None = None
        self.meters = Meters()
        self.pairings = Pairings()
        self.call: tuple[int, float] | None = None
        self.winners: tuple[str, ...] = ()
        self.guided: Opened | None = None
        self.news_lines: Sequence[str] = ()
        self.news_since_s = self.now_s = self.question_s = self.touched_s = 0.0
        self.failed_s = float("-inf")
        self.films: dict[int, bytes] = {}
        self.lessons: deque[Teaching] = deque(maxlen=MOST_LESSONS)
        self.above: list[Screen] = []
        self.own: dict[int, OwnScreen] = {}
        self.own_questions = 0

    # Screens.

    @abstractmethod
    def home(self) -> Screen:
        """The bottom screen for the state of the table."""

    @abstractmethod
    def set_up(self, host: int) -> None:
        """Begins to set up a game."""

    @abstractmethod
    def set_up_guided(self, host: int) -> None:
        """Begins to set up a short game that explains itself."""

    @abstractmethod
    def ask_about(self, throw: NeedsConfirmation) -> None:
        """Asks another seat about a throw."""

    @property
    def paused(self) -> bool:
        return any(screen.pauses for screen in self.above)

    def begin_question(self) -> None:
        """A new question is on the panel: keys that went down before do not answer it."""
        self.question_s = self.now_s

    def show(self, screen: Screen) -> None:
        """Puts the screen in the place of the one at the bottom."""
        self.base = screen
        self.begin_question()

    def open(self, screen: Screen) -> None:
        """Puts the screen over the others until it is closed."""
        self.above.append(screen)
        self.touched_s = self.now_s
        self.begin_question()
        self.interrupt()

    def open_own(self, seat: int, screen: Screen) -> None:
        """Puts the screen on the phone of a seat; a phone's own screen has no others below it."""
        self.own_questions += 1
        self.own[seat] = OwnScreen(screen, self.own_questions, self.now_s)

    def is_own(self, screen: Screen) -> bool:
        return any(own.screen is screen for own in self.own.values())

    def close(self, screen: Screen, then: Callable[[], object] | None = None) -> None:
        """Takes away the screen, with all that lies over it; does `then` before the game goes on."""
        if self.is_own(screen):
            self.own = {seat: own for seat, own in self.own.items() if own.screen is not screen}
            if then:
                then()
            return
        if screen in self.above:
            del self.above[self.above.index(screen) :]
        self.begin_question()
        if then:
            then()
        self.interrupt()

    def interrupt(self) -> None:
        """Dice are accepted while the game is what the panel shows, and a panel is there to show it."""
        interrupted = bool(self.above) or "panel" in self.degraded
        self.carry_out(self.acceptance.interrupt(self.now_s, interrupted=interrupted))

    # People.

    def name(self, seat: int) -> str:
        sat = self.state.roster.get(seat)
        given_name = self.called.get(seat) or dict(enumerate(self.names, 1)).get(seat)
        return sat.name if sat else given_name or texts.panel.seat_name(seat)

    def thrower_and_witnesses(self) -> tuple[int, list[int]]:
        """The seat of who throws, and those of the other people that can say what lies there."""
        state = self.state
        hands, panel_seats = state.hands(state.to_act or ""), state.panel_seats
        idle = {hands, *state.house}
        others = [panel_seats[seat] for seat in panel_seats if seat not in idle and not state.away(seat)]
        return panel_seats[hands], others

    def call_for(self, seat: int) -> None:
        """Gives the seat a while to press a button, or it sits out."""
        if seat:
            self.call = (seat, self.now_s + CALL_S)

    def missed_call(self) -> int | None:
        """The seat that was called and did not answer in time, once; None if there is none."""
        if self.call is None or self.now_s < self.call[1]:
            return None
        seat, self.call = self.call[0], None
        return seat

    def switch_off(self) -> None:
        self.off_requested = True

    # What there is to say.

    @property
    def rolling(self) -> bool:
        return self.unsettled is Reason.MOVING

    @property
    def news(self) -> str:
        """The line of news to show now, or how long a called player has left."""
        line = int((self.now_s - self.news_since_s) / NEWS_S)
        if line < len(self.news_lines):
            return self.news_lines[line]
        return texts.panel.countdown(int(self.call[1] - self.now_s) + 1) if self.call else ""

    def explained(self, part: str) -> str:
        degraded = self.degraded[part]
        return f"{degraded.what.rstrip('.')}: {degraded.remedy}"

    # The game.

    def in_tray(self) -> DiceInTray:
        """All dice in the tray, as they were read; None while something moves or nothing is seen."""
        settled = self.acceptance.last_settled
        return remembered(settled.reading.dice) if settled else None

    def go_on(self, state: TableState) -> None:
        self.state = state
        self.acceptance.set_baseline(state.baseline)
        self.acceptance.lose_sight()
        self.base = self.home()
        self.carry_out(self.acceptance.prompt(state.awaited, self.now_s))

    def write(self, entry: Entry, throw: Throw | None = None) -> bool:
        """Makes the entry durable, then lets it count; False if it does not fit or could not be saved.

        `throw` is the one that the entry's dice were taken from, if they were read.
        """
        before = self.state
        try:
            after = before.after(entry)
            row = self.journal.append(entry, throw.settled.evidence if throw else b"")
        except RuleError as error:
            self.sentence = f"{error}."
            return False
        except JournalError as degraded:
            self.degraded["journal"] = Degraded(degraded.what, degraded.remedy)
            self.failed_s = self.now_s
            return False
        self.degraded.pop("journal", None)
        self.state = after
        if self.recorded is not None:
            self.recorded(Recorded(row, entry, before, after))
        self.keep_film(row, throw)
        self.teach(entry, row, throw)
        if isinstance(entry, Opened):
            self.games.count(entry)
        self.sentence = ""
        if isinstance(entry, Opened | Thrown | Revealed):
            self.acceptance.set_baseline(after.baseline)
        if isinstance(entry, Thrown | Revealed):
            self.meters.accepted(entry)
        if isinstance(entry, Closed):
            ended = before.match.prompt if before.match else None
            self.winners = ended.winners if isinstance(ended, OverPrompt) else ()
        if after.match is not before.match or after.shown != before.shown:
            self.call = None
            self.announce(entry, before)
            self.show(self.home())
            self.carry_out(self.acceptance.prompt(after.awaited, self.now_s))
        return True

    def keep_film(self, row: int, throw: Throw | None) -> None:
        """Keeps the film of the throw of this row, in place of the oldest one."""
        if throw is not None and throw.settled.film:
            self.films[row] = throw.settled.film
            for old in sorted(self.films)[:-MOST_FILMS]:
                del self.films[old]

    def teach(self, entry: Entry, row: int, throw: Throw | None) -> None:
        """Notes what the eye can learn from an entry of this row; dice entered by hand teach nothing.

        Sure values teach, and those that another seat confirmed; a value that only the thrower confirmed
        does not.
        """
        match, opened = self.state.match, self.state.opened
        if match is None or opened is None:
            return
        if isinstance(entry, Corrected):
            self.lessons.append(Retraction(opened.seed, entry.revision))
        elif isinstance(entry, Thrown) and throw is not None:
            taught = tuple(
                TaughtDie(die.number, die.kind, die.value, confirmed=die.details.confirmed_by is not None)
                for die in throw.dice
                if die.value is not None and die.details.confirmed_by != "nobody"
            )[:MOST_TAUGHT]
            if taught:
                self.lessons.append(Lesson(throw.settled.time_s, row, opened.seed, match.revision, taught))

    def announce(self, entry: Entry, before: TableState) -> None:
        """Puts what just happened into the news, line after line."""
        match = self.state.match
        dice = []
        if isinstance(entry, Thrown | Revealed):
            seat = entry.seat if isinstance(entry, Revealed) else before.to_act
            dice = [texts.games.threw(seat or "", words.dice(entry.dice))]
        consequences = [] if match is None or match is before.match else display.consequences(match)
        self.news_lines = [line for text in (*dice, *consequences) for line in display.wrapped(text)]
        self.news_since_s = self.now_s

    def carry_out(self, outcome: Outcome | None) -> None:
        if outcome is None:
            return
        self.outcome = outcome
        self.sentence = outcome.text if isinstance(outcome, Waiting | Rejected | Void) else ""
        if isinstance(outcome, Rejected | Void):
            self.meters.rejected(outcome)
        elif isinstance(outcome, NeedsConfirmation):
            self.ask_about(outcome)
        elif isinstance(outcome, Accepted):
            self.accept(outcome)

    def accept(self, throw: Accepted) -> None:
        """Writes down the throw, or the part of a reveal that one seat shows; later, if that fails."""
        state, awaited = self.state, self.state.awaited
        details = tuple(die.details for die in throw.dice)
        if not any(die.die_id or die.confirmed_by or die.vouched_by for die in details):
            details = ()
        entry: Thrown | Revealed = Thrown(throw.faces, throw.baseline, throw.numbers, details=details)
        if awaited is not None and awaited.reveal and len(throw.dice) < len(awaited.kinds):
            entry = Revealed(state.to_act or "", throw.faces, throw.baseline, throw.numbers, details)
        if not self.write(entry, throw) and "journal" in self.degraded:
            self.acceptance.not_saved(self.now_s)


class Screen(ABC):
    """One state of the table. It changes the table only through the table's own methods."""

    idle_s: float | None = None
    """How long after the last key, or after it opened, `left_idle` is called; None: never."""
    pauses = False
    """Whether the game is paused while it is open."""

    def __init__(self, table: TableControl) -> None:
        self.table = table

    @property
    def game(self) -> str | None:
        """The game that the screen is about, if it is about one."""
        return None

    @abstractmethod
    def key(self, key: Key) -> None:
        """Handles a key that went down while this screen was shown."""

    def tick(self) -> None:
        last_s = max(self.table.touched_s, self.table.question_s)
        if self.idle_s is not None and self.table.now_s - last_s >= self.idle_s:
            self.left_idle()

    def left_idle(self) -> None:
        """Goes away, after `idle_s` without a key."""
        self.table.close(self)

    @abstractmethod
    def view(self) -> PanelView:
        """What the panel shows now."""

    def phone(self, seat: int) -> PhoneView:  # noqa: ARG002 - screens without choices ask no seat
        """What the phone of a seat shows, and what it may do."""
        return PhoneView()

    def keyed(self, seat: int, means: Means) -> Callable[[], None]:
        """Does what this key of the seat does."""
        return lambda: self.key(Key(seat, means, self.table.now_s))

    def back_button(self, seat: int) -> Choice:
        """A button that goes back, as the seat's held OK does."""
        return Choice(texts.panel.CLOSE_MENU, self.keyed(seat, Means.BACK), small=True)

    def page(self, lines: Sequence[str], room: int) -> list[str]:
        """The lines of the current page, as many as there is room for, from when the question came up."""
        return display.page(lines, room, self.table.now_s - self.table.question_s)

    def sentences(self, text: str, room: int) -> list[str]:
        """The page of a text to show now; each page makes sense alone where it can."""
        return display.turned(display.pages(text, room), room, self.table.now_s - self.table.question_s)

    @property
    def keys_hint(self) -> str:
        return self.page(texts.games.HINTS, 1)[0]

    def lines(self, lines: Iterable[str], lamps: Mapping[str, Lamp]) -> PanelView:
        """A view of these lines and lamps; the table's lamp shows any degraded part."""
        degraded = {"table": DEGRADED} if self.table.degraded else {}
        return display.view(lines, {**lamps, **degraded})


def coloured(view: PanelView, colours: Mapping[int, int]) -> PanelView:
    """The view with the lamps of players who are asked, or have won, in their own colours."""
    own = {
        lamp(seat): replace(view.lamps[lamp(seat)], colour=PLAYERS[colour - 1])
        for seat, colour in colours.items()
        if view.lamps.get(lamp(seat)) in (YOURS, WINNER)
    }
    return replace(view, lamps={**view.lamps, **own}) if own else view


def lamp(seat: int) -> str:
    return f"seat{seat}"
