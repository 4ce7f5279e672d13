"""Something to read at the panel, page by page, and a question that another seat confirms."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.screens.screen import CONFIRM, THERE, YOURS, Choice, PhoneView, Screen, Walk, lamp
from hardware.ports import LINES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from dicetable.table.screens.screen import TableControl
    from games.match import Match
    from hardware.ports import PanelView

ROOM = LINES - 1
"""Lines of a page, below its heading."""


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
        close = Choice(texts.menu.CLOSE, self.keyed(seat, Means.OK))
        return PhoneView("\n".join([self.heading, *pages]), [close])

    def view(self) -> PanelView:
        heading = self.page([display.beside(self.heading, self.walk.position), texts.menu.TURN_PAGES], 1)
        return self.lines([*heading, *self.walk.current], {lamp(self.owner): YOURS})


def sentences(text: Iterable[str]) -> list[list[str]]:
    """A page for each sentence."""
    return [display.wrapped(sentence)[:ROOM] for sentence in text]


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
        heading, body: the question, in one line and two more.
        yes: is called with the seat that confirmed.
    """

    idle_s = 30.0

    def __init__(
        self, table: TableControl, asker: int, heading: str, body: str, yes: Callable[[int], object]
    ) -> None:
        super().__init__(table)
        self.asker = asker
        self.heading = heading
        self.body = body
        self.yes = yes

    def key(self, key: Key) -> None:
        if key.means is Means.BACK:
            self.table.close(self)
        elif key.means is Means.OK and self.answers(key.seat):
            self.table.close(self, lambda: self.yes(key.seat))

    def answers(self, seat: int) -> bool:
        """Whether the seat may say yes."""
        return seat != self.asker or self.table.seats == 1

    def phone(self, seat: int) -> PhoneView:
        heading = [] if self.heading == texts.menu.HEADING else [self.heading]
        no = Choice(texts.phones.NO, self.keyed(seat, Means.BACK), small=True)
        if not self.answers(seat):
            return PhoneView("\n".join([*heading, self.body, texts.phones.ANOTHER_PLAYER]), [no])
        yes = Choice(texts.phones.YES, self.keyed(seat, Means.OK))
        return PhoneView("\n".join([*heading, self.body]), [yes, no])

    def view(self) -> PanelView:
        others = [seat for seat in range(1, self.table.seats + 1) if seat != self.asker]
        lamps = {lamp(seat): CONFIRM for seat in others} or {lamp(self.asker): CONFIRM}
        answer = texts.menu.SAME_SEAT
        if not self.asker:
            answer = texts.menu.ANY_SEAT
        elif others:
            lamps[lamp(self.asker)] = THERE
            answer = texts.menu.ANOTHER_SEAT
        hint = self.page([answer, texts.menu.NO_HOLD], 1)
        return self.lines([self.heading, *self.sentences(self.body, 2), *hint], lamps)
