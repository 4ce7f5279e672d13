"""A table with players: presses and readings one after the other, on its own clock."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from dicetable.eye.messages import Blind
from dicetable.ledger.entries import Entry, JournalError, MemoryJournal
from dicetable.table.set_up import open_game
from dicetable.table.table import Table
from games.prompts import OverPrompt
from hardware.ports import Degraded, Press
from tests.dicetable.readings import lie
from vision.reading import Reading, Reason, Settled, Unsettled

if TYPE_CHECKING:
    from collections.abc import Iterable

    from games.requests import JsonObject

NAMES = ("ann", "bob", "cleo", "dan", "eve", "finn", "gus", "hal")
EMPTY = Reading(())
RACK = lie(1, 2, 3, 4, 5, 6, start=20)
"""What scores most in Six By 6."""
DARK = Degraded("The camera gives no picture", "plug it in")


class FullDisk(MemoryJournal):
    """A journal that can be out of room."""

    def __init__(self) -> None:
        super().__init__()
        self.full = False
        self.pictures: list[bytes] = []

    def append(self, entry: Entry, evidence: bytes = b"") -> int:
        if self.full:
            raise JournalError("The disk is full.", "make room")
        self.pictures.append(evidence)
        return super().append(entry, evidence)


class HandsOn:
    """Presses last 60 ms, and come half a second apart."""

    def __init__(self, entries: Iterable[Entry] = (), *, safe: bool = False, seats: int = 8) -> None:
        self.journal = FullDisk()
        self.journal.entries += entries
        self.now_s = 100.0
        self.number = 0
        self.table = Table(
            self.journal, lambda: 7, entries=self.journal.entries, safe=safe, seats=seats, names=NAMES
        )

    @property
    def lines(self) -> list[str]:
        return list(self.table.view.lines)

    @property
    def heading(self) -> str:
        """The first line without the place in a menu at its end."""
        return re.sub(r" +\d+/\d+$", "", self.lines[0])

    @property
    def text(self) -> str:
        """All four lines as one."""
        return " ".join(" ".join(self.lines).split())

    @property
    def choice(self) -> str:
        return next((line[2:] for line in self.lines if line.startswith("> ")), "")

    def wait(self, seconds: float) -> None:
        self.now_s += seconds
        self.table.tick(self.now_s)

    def change(self, control: str, *, down: bool) -> None:
        self.number += 1
        self.table.press(Press(self.number, control, down, self.now_s))

    def tap(self, *controls: str, hold_s: float = 0.06) -> None:
        """Such as `1.ok`, `menu`."""
        for control in controls:
            name = "table.menu" if control == "menu" else f"seat{control}"
            self.wait(0.5)
            self.change(name, down=True)
            self.wait(hold_s)
            self.change(name, down=False)

    def hold(self, control: str) -> None:
        self.tap(control, hold_s=1.0)

    def walk(self, seat: int, label: str) -> None:
        """Presses + until the menu shows the label."""
        for _ in range(80):
            if self.choice == label:
                return
            self.tap(f"{seat}.plus")
        raise AssertionError(f"{label} is not offered: {self.lines}")

    def take(self, seat: int, *labels: str) -> None:
        """Walks to each label in turn and takes it."""
        for label in labels:
            self.walk(seat, label)
            self.tap(f"{seat}.ok")

    def menu(self, seat: int, item: str) -> None:
        """Takes an item of the table's menu."""
        self.tap("menu", f"{seat}.plus")
        self.take(seat, item)

    def stir(self, why: Reason = Reason.MOVING) -> None:
        self.wait(0.3)
        self.table.eye(Unsettled(why, self.now_s))

    def settle(self, reading: Reading) -> None:
        """Something moves, then all lies so."""
        self.stir()
        self.wait(0.7)
        self.table.eye(Settled(reading, self.now_s))

    def blind(self) -> None:
        self.wait(0.3)
        self.table.eye(Blind(DARK, self.now_s))

    def open(self, game: str, seats: int, **options: object) -> None:
        """A game over a tray that was seen empty."""
        self.settle(EMPTY)
        assert open_game(self.table, game, dict(enumerate(NAMES[:seats], 1)), options)

    def stands(self) -> tuple[object, ...]:
        """Where the game stands, to be compared."""
        evening = self.table.state
        game = None if evening.match is None else (evening.match.log, evening.match.prompt)
        return (game, evening.opened, dict(evening.roster), dict(evening.shown), evening.baseline)

    @property
    def revision(self) -> int:
        match = self.table.state.match
        assert match is not None
        return match.revision

    @property
    def state(self) -> JsonObject:
        match = self.table.state.match
        assert match is not None
        return match.state()

    @property
    def over(self) -> bool:
        match = self.table.state.match
        return match is not None and isinstance(match.prompt, OverPrompt)
