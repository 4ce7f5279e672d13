"""What every screen of the table is: it takes keys and time, and says what the panel shows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from dicetable import texts
from dicetable.table import display
from dicetable.table.keys import Key, Means
from hardware.ports import Colour, Lamp, LampMode, PanelView

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from dicetable.ledger.entries import DiceInTray, Entry, Journal
    from dicetable.table.acceptance import Acceptance
    from dicetable.table.pairings import Pairings
    from dicetable.table.table_state import TableState
    from dicetable.table.throw_rules import Outcome, ReadFrom
    from hardware.ports import Degraded

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
"""Only through longer lists do keys that are held go by more than one at a time."""


@dataclass(frozen=True, slots=True)
class Choice:
    """One button of a phone.

    Attributes:
        label: what the button says; within a screen it names the choice.
        do: does it. It takes the numbers, if the choice has any.
        numbers: the numbers that may be chosen, ascending; empty if the choice takes none.
        at: which of `numbers` is offered first.
        faces: the last number is the face of a d6.
        small: it leads away from the question.
    """

    label: str
    do: Callable[..., object]
    numbers: Sequence[tuple[int, ...]] = ()
    at: int = 0
    faces: bool = False
    small: bool = False

    def allows(self, numbers: tuple[int, ...]) -> bool:
        """Whether these numbers may be chosen."""
        return numbers in self.numbers if self.numbers else not numbers


@dataclass(frozen=True, slots=True)
class PhoneView:
    """What a seat's phone shows: lines of text, and the seat's choices. Without a text it shows the game."""

    text: str = ""
    choices: Sequence[Choice] = ()


class TableControl(Protocol):
    """What screens may ask of the table, and do to it."""

    seats: int
    names: list[str]
    called: dict[int, str]
    journal: Journal
    draw_seed: Callable[[], int]
    state: TableState
    acceptance: Acceptance
    pairings: Pairings
    base: Screen
    degraded: dict[str, Degraded]
    winners: tuple[str, ...]
    sentence: str
    hindrance: str
    hindered_s: float
    now_s: float
    question_s: float
    touched_s: float
    failed_s: float

    @property
    def rolling(self) -> bool:
        """Whether something moves in the tray."""

    @property
    def news(self) -> str:
        """The line of news to show now, or how long a called player has left."""

    @property
    def paused(self) -> bool:
        """Whether the game is paused."""

    def in_tray(self) -> DiceInTray:
        """All dice that lie in the tray, as far as anybody can see now."""

    def explained(self, part: str) -> str:
        """What is wrong with a part, and what would help."""

    def name(self, seat: int) -> str:
        """Who sits there."""

    def ask(self) -> None:
        """A new question is on the panel: keys that went down before do not answer it."""

    def show(self, screen: Screen) -> None:
        """The screen takes the place of the one at the bottom."""

    def open(self, screen: Screen) -> None:
        """The screen lies over the others until it is closed."""

    def close(self, screen: Screen, then: Callable[[], object] | None = None) -> None:
        """The screen goes away, with all that lies over it; `then` is done before the game goes on."""

    def go_on(self, state: TableState) -> None:
        """Goes on from a table state."""

    def set_up(self, host: int) -> None:
        """Begins to set up a game."""

    def play_again(self, host: int) -> None:
        """Offers the last game once more."""

    def call_for(self, seat: int) -> None:
        """The seat has a while to press a button, or sits out."""

    def missed_call(self) -> int | None:
        """The seat that was called for and did not answer in time, once; None if there is none."""

    def switch_off(self) -> None:
        """The service is to switch the table off."""

    def thrower_and_witnesses(self) -> tuple[int, list[int]]:
        """The seat that throws, and those of the others that can say what lies there."""

    def carry_out(self, outcome: Outcome) -> None:
        """Does what follows from what has become of the dice in the tray."""

    def write(self, entry: Entry, evidence: bytes = b"", read_from: ReadFrom | None = None) -> bool:
        """Makes the entry durable, then lets it count; False if it does not fit or could not be saved.

        `read_from` says where the dice of a throw stand in the reading that they were taken from.
        """


class Screen(ABC):
    """One state of the table. It changes the table only through the table's own methods."""

    idle_s: float | None = None
    """How long after the last key, or after it opened, `left_idle` is called; None: never."""

    def __init__(self, table: TableControl) -> None:
        self.table = table

    @property
    def game(self) -> str | None:
        """The game that it is about, if it is about one."""
        return None

    @abstractmethod
    def key(self, key: Key) -> None:
        """Somebody means something, and meant it while this screen was shown."""

    def tick(self) -> None:
        """Time has gone by."""
        last_s = max(self.table.touched_s, self.table.question_s)
        if self.idle_s is not None and self.table.now_s - last_s >= self.idle_s:
            self.left_idle()

    def left_idle(self) -> None:
        """Nobody has pressed anything for `idle_s`: it goes away."""
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

    def page(self, lines: Sequence[str], room: int) -> list[str]:
        """Of these lines as many as there is room for; page after page, from when the question came up."""
        return display.page(lines, room, self.table.now_s - self.table.question_s)

    def sentences(self, text: str, room: int) -> list[str]:
        """The page of a text to show now; each page makes sense alone where it can."""
        return display.turned(display.pages(text, room), room, self.table.now_s - self.table.question_s)

    @property
    def keys_hint(self) -> str:
        """What the keys do in a menu."""
        return self.page(texts.turns.HINTS, 1)[0]

    def lines(self, lines: Iterable[str], lamps: Mapping[str, Lamp]) -> PanelView:
        """A view of these lines and lamps; the table's lamp tells of any degraded part."""
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
    """The name of the lamp of a seat of the panel."""
    return f"seat{seat}"


class Walk(Generic[T]):
    """A cursor over `items`, at least one."""

    def __init__(self, items: Sequence[T], at: int = 0) -> None:
        self.items = items
        self.at = at

    @property
    def current(self) -> T:
        """The item that is shown."""
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
