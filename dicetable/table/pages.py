"""Screens of no game: the invitation, pages to read, a question to confirm, and what replaces a lost game."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial

from common import texts
from dicetable.ledger.entries import Sat, Sitting
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.screen import (
    CONFIRM,
    DEGRADED,
    THERE,
    YOURS,
    Choice,
    PhoneView,
    Screen,
    TableControl,
    Walk,
    lamp,
)
from dicetable.table.table_state import AWAY, TableState
from games.match import Match
from games.prompts import OverPrompt
from hardware.ports import LINES, Colour, Lamp, LampMode, PanelView

ROOM = LINES - 1
"""Lines of a page, below its heading."""
ATTRACT = Lamp(LampMode.CHASE, Colour.BLUE)
SAFE_ROOM = 2
"""Lines for what happened, over the item and the key that takes it."""


class Pages(Screen):
    """The owner turns the pages with − and +; OK closes them."""

    idle_s = 90.0

    def __init__(self, table: TableControl, owner: int, heading: str, pages: Sequence[Sequence[str]]) -> None:
        super().__init__(table)
        self.owner = owner
        self.heading = heading
        self.walk = Walk(pages)

    def key(self, key: Key) -> None:
        if key.seat != self.owner:
            return
        if key.means is Means.STEP:
            self.walk.step(key.by)
        else:
            self.table.close(self)

    def phone(self, seat: int) -> PhoneView:
        if seat != self.owner:
            return PhoneView()
        pages = [" ".join(" ".join(page).split()) for page in self.walk.items]
        close = Choice(texts.panel.CLOSE_MENU, self.keyed(seat, Means.OK))
        return PhoneView("\n".join([self.heading, *pages]), [close])

    def view(self) -> PanelView:
        heading = self.page([display.beside(self.heading, self.walk.position), texts.panel.TURN_PAGES], 1)
        return self.lines([*heading, *self.walk.current], {lamp(self.owner): YOURS})


def sentences(text: Iterable[str]) -> list[list[str]]:
    return [page for sentence in text for page in display.pages(sentence, ROOM)]


def scores(match: Match) -> list[list[str]]:
    """Every seat's score, and below it what the seat has in the hand or turn that is played."""
    pages: list[list[str]] = [[]]
    for seat in match.seats:
        standing = display.standing(match, seat)
        lines = [display.beside(seat, display.score(match, seat))]
        lines += [display.beside("", standing)] if standing else []
        if len(pages[-1]) + len(lines) > ROOM:
            pages.append([])
        pages[-1] += lines
    return pages


class Confirm(Screen):
    """Asks whether the seat `asker` may do something; OK of another seat confirms, OK held anywhere refuses.

    Args:
        asker: 0 for the operator.
        heading: the first line on the panel; if it is empty, the line says who asks.
        body: the question, in two lines.
        yes: is called with the seat that confirmed.
    """

    idle_s = 30.0

    def __init__(
        self, table: TableControl, asker: int, heading: str, body: str, yes: Callable[[int], object]
    ) -> None:
        super().__init__(table)
        self.asker = asker
        self.heading = heading or self.asks
        self.body = body
        self.yes = yes

    def key(self, key: Key) -> None:
        if key.means is Means.BACK:
            self.table.close(self)
        elif key.means is Means.OK and self.answers(key.seat):
            self.table.close(self, lambda: self.yes(key.seat))

    @property
    def asks(self) -> str:
        return texts.panel.asks(self.table.name(self.asker)) if self.asker else texts.phones.OPERATOR_ASKS

    @property
    def answering(self) -> list[int]:
        return [seat for seat in range(1, self.table.seats + 1) if self.answers(seat)]

    def answers(self, seat: int) -> bool:
        return seat != self.asker or self.table.seats == 1

    def phone(self, seat: int) -> PhoneView:
        heading = list(dict.fromkeys([self.asks, self.heading]))
        no = Choice(texts.phones.NO, self.keyed(seat, Means.BACK), small=True)
        if not self.answers(seat):
            return PhoneView("\n".join([*heading, self.body, texts.phones.ANOTHER_PLAYER]), [no])
        yes = Choice(texts.phones.YES, self.keyed(seat, Means.OK))
        return PhoneView("\n".join([*heading, self.body]), [yes, no])

    def view(self) -> PanelView:
        others = [seat for seat in range(1, self.table.seats + 1) if seat != self.asker]
        lamps = {lamp(seat): CONFIRM for seat in others} or {lamp(self.asker): CONFIRM}
        answer = texts.panel.SAME_SEAT
        if not self.asker:
            answer = texts.panel.ANY_SEAT
        elif others:
            lamps[lamp(self.asker)] = THERE
            answer = texts.panel.ANOTHER_SEAT
        hint = self.page([answer, texts.panel.NO_HOLD], 1)
        return self.lines([self.heading, *self.sentences(self.body, 2), *hint], lamps)


class Attract(Screen):
    """Invites people to play; shows who won last, and what is wrong, if anything is."""

    def key(self, key: Key) -> None:
        self.table.set_up(key.seat)

    def phone(self, seat: int) -> PhoneView:
        begin = Choice(texts.phones.NEW_GAME, self.keyed(seat, Means.OK))
        guide = Choice(texts.phones.FIRST_TIME, partial(self.table.set_up_guided, seat), small=True)
        return PhoneView(texts.phones.NO_GAME, [begin, guide])

    def view(self) -> PanelView:
        table = self.table
        screens = [list(texts.panel.ATTRACT), display.packed(texts.games.titles(), gap=", ")]
        if table.winners:
            screens.append([texts.panel.LAST_WON, *display.packed(table.winners, gap=", ")])
        for part in table.degraded:
            words = display.wrapped(table.explained(part))
            screens += [
                [texts.health.degraded(part), *words[start : start + 3]] for start in range(0, len(words), 3)
            ]
        lines = [line for screen in screens for line in display.page(screen[:4], 4, 0.0)]
        lamps = {lamp(seat): ATTRACT for seat in range(1, table.seats + 1)}
        return self.lines(self.page(lines, 4), lamps)


class Safe(Screen):
    """Offers to resume, if that can be, a new game, and to power off; any seat may choose."""

    def __init__(self, table: TableControl, why: str, resume: Callable[[], None] | None) -> None:
        super().__init__(table)
        self.why = why
        self.resume = resume
        self.walk = Walk(["resume", "new", "off"] if resume else ["new", "off"])

    def key(self, key: Key) -> None:
        if key.means is Means.STEP:
            self.walk.step(key.by)
        elif key.means is Means.OK:
            self.take(key.seat, self.walk.current)

    def take(self, seat: int, item: str) -> None:
        if item == "new":
            self.table.show(Attract(self.table))
            self.table.set_up(seat)
        elif item == "off":
            confirm_power_off(self.table, seat)
        elif self.resume:
            self.resume()

    def phone(self, seat: int) -> PhoneView:
        choices = [
            Choice(texts.health.SAFE_ITEMS[item], partial(self.take, seat, item))
            for item in self.walk.items
            if item != "off"  # that is the operator's business
        ]
        return PhoneView(" ".join([self.why, *map(self.table.explained, self.table.degraded)]), choices)

    def view(self) -> PanelView:
        words: list[str] = []
        for sentence in (self.why, *map(self.table.explained, self.table.degraded)):
            wrapped = display.wrapped(sentence)
            words += [*wrapped, *([""] * (len(wrapped) % SAFE_ROOM))]
        lamps = {lamp(seat): THERE for seat in range(1, self.table.seats + 1)}
        return self.lines(
            [
                *self.page(words, SAFE_ROOM),
                f"> {texts.health.SAFE_ITEMS[self.walk.current]}",
                texts.games.take(self.walk.position),
            ],
            {**lamps, "table": DEGRADED},
        )


def confirm_power_off(table: TableControl, asker: int) -> None:
    """Switches the table off if another seat agrees; the game is where it was when the power comes back."""
    body = texts.panel.POWER_OFF
    table.open(Confirm(table, asker, "", body, lambda _: table.switch_off()))


def missing_players(state: TableState, seats: int) -> list[Sat]:
    """The players who sit beyond the panel's last seat."""
    if state.match is None or isinstance(state.match.prompt, OverPrompt):
        return []
    sats = [state.roster[seat] for seat in state.panel_seats.values() if seat > seats]
    return [sat for sat in sats if sat.how not in AWAY]


def go_on_without(table: TableControl, state: TableState) -> None:
    """Offers to go on as if they had left, or to begin anew."""
    missing = missing_players(state, table.seats)

    def resume() -> None:
        table.go_on(state)
        if not all(table.write(replace(sat, how=Sitting.LEAVES)) for sat in missing):
            go_on_without(table, table.state)
        table.begin_question()

    table.state = TableState(opened=state.opened, roster=state.roster)
    table.base = Safe(table, texts.health.fewer_seats(missing[0].panel_seat, table.seats), resume)
