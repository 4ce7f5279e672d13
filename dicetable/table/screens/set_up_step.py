"""What every step of setting up a game is: it shows the draft, and goes away when nobody cares."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

from dicetable import texts
from dicetable.table import display
from dicetable.table.keys import Key, Means
from dicetable.table.screens.attract import Attract
from dicetable.table.screens.screen import DEGRADED, THERE, YOURS, Choice, PhoneView, Screen, lamp

if TYPE_CHECKING:
    from collections.abc import Sequence

    from dicetable.table.screens.screen import TableControl
    from dicetable.table.screens.walk import Walk
    from hardware.ports import PanelView

IDLE_S = 120.0


@dataclass
class Draft:
    """A game that is being set up: the names by seat, and what differs from the game's own options."""

    host: int
    game: str
    names: dict[int, str]
    options: dict[str, Any] = field(default_factory=dict)


class SetUp(Screen):
    """A step of the set-up."""

    idle_s = IDLE_S

    def __init__(self, table: TableControl, draft: Draft) -> None:
        super().__init__(table)
        self.draft = draft
        self.said = ""

    @property
    def game(self) -> str:
        """The game that is set up."""
        return self.draft.game

    def left_idle(self) -> None:
        """Nobody sets up anything any more."""
        self.table.show(Attract(self.table))

    @property
    def trouble(self) -> str:
        """Why the last answer was not taken, or what does not work; empty if all is well."""
        return self.said or (self.table.explained("journal") if "journal" in self.table.degraded else "")

    def four(self, lines: Sequence[str]) -> PanelView:
        """Three lines and a hint; a sentence takes the place of all but the first."""
        lamps = {lamp(seat): THERE for seat in self.draft.names} | {lamp(self.draft.host): YOURS}
        if self.trouble:
            return self.lines(
                [lines[0], *self.sentences(self.trouble, 3)],
                {**lamps, "table": DEGRADED},
            )
        return self.lines(lines, lamps)


class HostStep(SetUp):
    """A step that is the host's alone, who walks, takes and goes back; other seats' keys do not count."""

    def __init__(self, table: TableControl, draft: Draft, walk: Walk[Any]) -> None:
        super().__init__(table, draft)
        self.walk = walk

    def key(self, key: Key) -> None:
        """The host's − and + walk, OK takes, OK held goes back."""
        if key.seat != self.draft.host:
            return
        self.said = ""
        if key.means is Means.STEP:
            self.walk.step(key.by)
        elif key.means is Means.BACK:
            self.back()
        else:
            self.take()

    @property
    @abstractmethod
    def heading(self) -> str:
        """What the host chooses, at most fourteen characters."""

    @abstractmethod
    def label(self, item: Any) -> str:
        """An item of the walk for people."""

    def phone(self, seat: int) -> PhoneView:
        """A button for each item on the host's phone; the others see who chooses."""
        if seat != self.draft.host:
            return PhoneView(texts.phones.sets_up(self.table.name(self.draft.host)))
        return PhoneView(f"{self.heading}\n{self.trouble}".strip(), [*self.buttons(), self.back_button(seat)])

    def buttons(self) -> Sequence[Choice]:
        """The items as buttons."""
        return [Choice(self.label(item), partial(self.pick, at)) for at, item in enumerate(self.walk.items)]

    def back_button(self, seat: int) -> Choice:
        """The button that goes a step back."""
        return Choice(texts.panel.CLOSE_MENU, self.keyed(seat, Means.BACK), small=True)

    def pick(self, at: int) -> None:
        """Takes an item."""
        self.said = ""
        self.walk.at = at
        self.take()

    def menu(self, lines: Sequence[str]) -> PanelView:
        """The heading with where in the walk it is, and three lines."""
        return self.four([display.beside(self.heading, self.walk.position), *lines])

    @abstractmethod
    def take(self) -> None:
        """Takes where the walk stands."""

    @abstractmethod
    def back(self) -> None:
        """Goes a step back."""
