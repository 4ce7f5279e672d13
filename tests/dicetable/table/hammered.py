"""An evening in which controls are hammered at random."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dicetable.ledger.entries import Opened, dump, load
from games.dice import FACES, KINDS
from games.registry import GAMES
from hardware.ports import Degraded
from tests.dicetable.readings import die
from tests.dicetable.table.hands_on import HandsOn
from vision.reading import Reading, Reason

if TYPE_CHECKING:
    from games.dice import Kind
    from games.match import Match


OPTIONS: dict[str, dict[str, object]] = {
    "six_shooter": {"chips": 6, "hands": 2},
    "liars_dice": {"dice": 2},
    "sixes": {"rounds": 2},
    "six_by_6": {"sets": 1},
    "money_shot": {"chips": 5, "rounds": 2},
    "rolls": {"rolls": 3},
    "ten_thousand": {"target": 1000},
    "yacht": {"rounds": 3},
    "ship_captain_crew": {"rounds": 2},
    "mexico": {"lives": 2},
    "mia": {"lives": 2},
    "midnight": {"rounds": 1},
    "shut_the_box": {"rounds": 1},
    "bar_dice": {"wins": 1},
}


SEATS = 3


CONTROLS = [f"seat{seat}.{key}" for seat in (1, 2, 3, 8) for key in ("minus", "plus", "ok")] + ["table.menu"]


def chips(match: Match) -> int | None:
    """All chips there are; None in games without."""
    state = match.state()
    if "pot" not in state:
        return None
    return int(state["pot"]) + sum(int(seat["chips"]) for seat in state["seats"])


class Evening:
    """One evening of random events, checked after each."""

    def __init__(self, game: str) -> None:
        self.at = HandsOn()
        self.at.open(game, SEATS, **OPTIONS[game])
        self.game = game
        self.thrown = 0
        match = self.at.table.state.match
        assert match is not None
        self.chips = chips(match)

    def dice(self, seed: int, *, fit: bool) -> Reading:
        """Dice that are due, thrown where none lay; or others."""
        awaited = self.at.table.state.awaited
        self.thrown = (self.thrown + 20) % 5000
        picked: list[Kind] = list(
            awaited.kinds[: awaited.counts[seed % len(awaited.counts)]] if awaited else ["d6"] * 3
        )
        if not fit:
            picked = [*picked, KINDS[seed % 6]][seed % 3 :]
        sure = fit or seed % 5 > 1
        return Reading(
            tuple(
                die(seed // (n + 1) % FACES[kind] + 1, self.thrown + n, kind=kind, sure=sure)
                for n, kind in enumerate(picked)
            )
        )

    def step(self, what: tuple[Any, ...]) -> None:
        """One event."""
        at = self.at
        seat = at.table.state.panel_seats.get(at.table.state.to_act or "", 1)
        match what:
            case ("change", control, down):
                at.wait(0.02)
                at.change(control, down=down)
            case ("tap", number, key):
                at.tap(f"{number}.{key}")
            case ("asked", "hold"):
                at.hold(f"{seat}.ok")
            case ("asked", key):
                at.tap(f"{seat}.{key}")
            case ("throw", seed):
                at.settle(Reading(()))
                at.settle(self.dice(seed, fit=True))
            case ("odd", seed):
                at.settle(self.dice(seed, fit=False))
            case ("thing", name):
                self.thing(name)
            case ("item", number, item):
                self.item(number, item)
            case ("wait", seconds):
                at.wait(seconds)

    def item(self, seat: int, item: str) -> None:
        """Somebody takes an item of the menu, if it is there, and presses OK on; then a second seat does."""
        at = self.at
        at.tap("menu", f"{seat}.plus")
        for _ in range(12):
            if at.choice == item:
                break
            at.tap(f"{seat}.plus")
        at.tap(*[f"{seat}.ok"] * 8, f"{seat % 3 + 1}.ok")

    def thing(self, name: str) -> None:
        """Something else happens."""
        at = self.at
        if name == "blind":
            at.blind()
        elif name == "menu":
            at.tap("menu")
        elif name == "full":
            at.journal.full = not at.journal.full
        elif name == "panel":
            gone = "panel" not in at.table.degraded
            at.table.report("panel", Degraded("The panel is gone", "plug it in") if gone else None)
        elif name == "again":
            self.restart()
        else:
            at.stir(Reason(name))

    def restart(self) -> None:
        """The power goes and comes back."""
        before, full = self.at, self.at.journal.full
        self.at = HandsOn(load(dump(entry)) for entry in before.journal.entries)
        self.at.now_s, self.at.journal.full = before.now_s, full
        assert self.at.stands() == before.stands()

    def check(self) -> None:
        """What must be true at any time."""
        at = self.at
        table = at.table
        assert HandsOn(at.journal.entries).stands() == at.stands()
        match = table.state.match
        if match is not None and match.game == self.game and self.chips is not None:
            start = next(entry for entry in reversed(at.journal.entries) if isinstance(entry, Opened))
            each = start.options.get("chips", GAMES[self.game].options.__dataclass_fields__["chips"].default)
            assert chips(match) == each * len(start.seats)
