"""Something to read at the panel, page by page: help, the rules of a game in short, the scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from dicetable import texts
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.screens.screen import YOURS, Choice, PhoneView, Screen, lamp
from dicetable.table.screens.walk import Walk
from hardware.ports import LINES

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from dicetable.table.screens.screen import TableControl
    from games.match import Match
    from hardware.ports import PanelView

IDLE_S = 90.0
ROOM = LINES - 1
"""Lines of a page, below its heading."""


class Pages(Screen):
    """The owner turns the pages with − and +; OK closes them."""

    idle_s = IDLE_S

    def __init__(self, table: TableControl, owner: int, heading: str, pages: Sequence[Sequence[str]]) -> None:
        super().__init__(table)
        self.owner = owner
        self.heading = heading
        self.walk = Walk(pages)

    def key(self, key: Key) -> None:
        """Turns a page, or closes."""
        if key.seat != self.owner:
            return
        if key.means is Means.STEP:
            self.walk.step(key.by)
        else:
            self.table.close(self)

    def phone(self, seat: int) -> PhoneView:
        """All of it at once."""
        if seat != self.owner:
            return PhoneView()
        told = [" ".join(" ".join(page).split()) for page in self.walk.items]
        close = Choice(texts.panel.CLOSE_MENU, self.keyed(seat, Means.OK))
        return PhoneView("\n".join([self.heading, *told]), [close])

    def view(self) -> PanelView:
        """The page; over it, in turn, what it is and how to turn it."""
        heading = self.page([display.beside(self.heading, self.walk.position), texts.panel.TURN_PAGES], 1)
        return self.lines([*heading, *self.walk.current], {lamp(self.owner): YOURS})


def sentences(said: Iterable[str]) -> list[list[str]]:
    """A page for each sentence."""
    return [display.wrapped(sentence)[:ROOM] for sentence in said]


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
