"""Whatever fails at any moment of a game, the table says so, waits, and continues by itself."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import cycle
from typing import TYPE_CHECKING

import pytest

from dicetable.ledger.entries import Entry, Revealed, Thrown
from dicetable.ledger.store import Ledger
from dicetable.simulated.hands import Finger, Hands
from dicetable.simulated.people import People, WantedGame
from dicetable.table.table_state import fold
from games.players import LEVELS
from games.prompts import ActPrompt, OverPrompt, RevealPrompt, ThrowPrompt
from hardware.simulated.clock import VirtualClock
from hardware.simulated.faults import parse
from hardware.simulated.world import World
from tests.dicetable.service.fakes import FakeNotifier, service
from tests.dicetable.service.truthful_eye import TruthfulEye
from tests.extent import extent
from tests.hardware.simulated.truth import truth

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from dicetable.service.loop import Service

SEATS = ("Seat 1", "Seat 2", "Seat 3")
TURN_S = 0.05
LONGEST_S = 3600.0
LASTS_S = 20.0


class Bar:
    """A whole table in virtual time: service, ledger, world and people, readings taken from the world."""

    def __init__(self, folder: Path, game: str, seed: int = 1) -> None:
        self.clock = VirtualClock()
        self.world = World(seed, self.clock, real=False)
        self.eye = TruthfulEye(self.world)
        self.service: Service = service(folder, self.clock, self.world.panel, self.eye)
        self.hands = Hands(self.world)
        players = {seat: LEVELS["tipsy"](number) for number, seat in enumerate(SEATS)}
        wish = WantedGame(game, SEATS, 2)
        self.people = People(self.service.table, self.hands, Finger(self.world.panel), wish, players)

        self.begun = False
        self.shown: set[str] = set()
        self.wrong: list[str] = []
        append = self.service.parts.ledger.append

        def checked(entry: Entry, evidence: bytes = b"") -> int:
            if isinstance(entry, Thrown | Revealed) and not self.true(entry):
                self.wrong.append(f"{entry} at {self.clock.now_s()}")
            return append(entry, evidence)

        self.service.parts.ledger.append = checked  # type: ignore[method-assign]

    def true(self, entry: Thrown | Revealed) -> bool:
        """Whether these dice are those that people threw, and lie there."""
        if isinstance(entry, Thrown) and entry.by_hand:
            return Counter(entry.dice) == Counter(self.people.attempt.dice)
        there = Counter((die.lying.kind, die.lying.value) for die in truth(self.world).dice)
        return truth(self.world).settled and Counter(entry.dice) <= there

    def turn(self) -> None:
        self.clock.sleep(TURN_S)
        self.service.turn()
        self.people.step(self.clock.now_s())
        self.shown.add(" ".join(self.service.table.view.lines))

    def until(self, what: Callable[[], bool]) -> None:
        end_s = self.clock.now_s() + LONGEST_S
        while not what():
            assert self.clock.now_s() < end_s, f"it hangs at {list(self.service.table.view.lines)}"
            self.turn()

    @property
    def over(self) -> bool:
        """Whether the game has its winners, or people have ended one that has no end of its own."""
        match = self.service.table.state.match
        self.begun = self.begun or match is not None
        return self.begun and (match is None or isinstance(match.prompt, OverPrompt))

    @property
    def fed(self) -> int:
        """How often systemd's watchdog was fed."""
        notifier = self.service.parts.notifier
        assert isinstance(notifier, FakeNotifier)
        return notifier.said.count("WATCHDOG=1")

    def check(self) -> None:
        """No die of the ledger is wrong, the last ones were read, and it holds the game that was played."""
        assert self.wrong == []
        ledger = self.service.parts.ledger.ledger
        assert ledger is not None
        entries = ledger.entries()
        last = [entry for entry in entries if isinstance(entry, Thrown | Revealed)][-1]
        assert not (isinstance(last, Thrown) and last.by_hand), "dice are not read any more"
        found, degraded = fold(entries)
        played = self.service.table.state
        assert degraded == ""
        assert (found.match is None) == (played.match is None)
        if found.match is not None and played.match is not None:
            assert found.match.state() == played.match.state()
        self.service.parts.ledger.close()


def at_start(bar: Bar) -> bool:
    return bar.service.table.state.match is None


def setting_up(bar: Bar) -> bool:
    return (
        bar.people.finger.line(0) != "" and bar.service.table.state.match is None and bar.clock.now_s() > 1003
    )


def due(kind: type) -> Callable[[Bar], bool]:
    def reached(bar: Bar) -> bool:
        match = bar.service.table.state.match
        return match is not None and match.revision >= 3 and isinstance(match.prompt, kind)

    return reached


def rolling(bar: Bar) -> bool:
    return due(ThrowPrompt)(bar) and truth(bar.world).moving


def lies_still(bar: Bar) -> bool:
    return (
        due(ThrowPrompt)(bar)
        and bool(bar.world.lying)
        and 0 < bar.clock.now_s() - bar.world.settled_at_s < 0.3
    )


@dataclass(frozen=True)
class Moment:
    game: str
    reached: Callable[[Bar], bool]


MOMENTS = {
    "idle": Moment("six_by_6", at_start),
    "setting up": Moment("money_shot", setting_up),
    "deciding": Moment("money_shot", due(ActPrompt)),
    "a throw is due": Moment("six_shooter", due(ThrowPrompt)),
    "dice roll": Moment("six_by_6", rolling),
    "dice lie still": Moment("six_by_6", lies_still),
    "a reveal is due": Moment("liars_dice", due(RevealPrompt)),
    "it is over": Moment("sixes", lambda bar: bar.over),
}
FAULTS = {
    "camera unplugged": f"unplugged:{LASTS_S}",
    "camera hangs": f"hangs:{LASTS_S}",
    "link down": f"link_drop:{LASTS_S}",
    "link stalls": f"link_stall:{LASTS_S}",
    "board restarts": "panel_reset:2",
    "marker covered": "covered:1",
    "light off": f"dark:{LASTS_S}",
    "camera bumped": "bump:1.5",
    "hand in the tray": f"hand:{LASTS_S}",
}


SENTENCES = {
    "camera unplugged": "the camera is gone",
    "camera hangs": "the camera gives no pictures",
    "marker covered": "marker",
    "light off": "dark",
    "camera bumped": "camera",
    "hand in the tray": "hand",
}
"""Words that the panel shows while dice are due; where the panel is what fails, the log has them."""
OLD_DIE_MOVED = "An old die moved:"
SOME = [("link down", "deciding"), ("light off", "a reveal is due")]


def struck(fault: str, moment: Moment, folder: Path) -> Bar:
    """A table that the fault has just struck."""
    bar = Bar(folder, moment.game)
    bar.until(lambda: moment.reached(bar))
    bar.world.inject(parse(FAULTS[fault]))
    return bar


def heals(fault: str, moment: Moment, folder: Path) -> Bar:
    bar = struck(fault, moment, folder)
    bar.until(lambda: bar.over)
    bar.check()
    return bar


@pytest.mark.parametrize(("fault", "moment"), SOME)
def test_it_heals(fault: str, moment: str, tmp_path: Path) -> None:
    heals(fault, MOMENTS[moment], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("fault", "moment"),
    [
        (fault, moment)
        for at, fault in enumerate(FAULTS)
        for when, moment in enumerate(MOMENTS)
        if (at + when) % extent(6, 1) == 0
    ],
)
def test_it_heals_at_every_moment(fault: str, moment: str, tmp_path: Path) -> None:
    heals(fault, MOMENTS[moment], tmp_path)


@pytest.mark.parametrize("fault", SENTENCES)
def test_the_panel_says_what_is_wrong(fault: str, tmp_path: Path) -> None:
    bar = struck(fault, MOMENTS["a throw is due"], tmp_path)
    bar.until(lambda: any(SENTENCES[fault] in lines.lower() for lines in bar.shown))
    bar.service.parts.ledger.close()


@pytest.mark.parametrize("fault", ["link down", "link stalls", "board restarts"])
def test_the_log_says_what_is_wrong_with_the_panel(
    fault: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    bar = struck(fault, MOMENTS["deciding"], tmp_path)

    def said() -> list[str]:
        return [record.getMessage() for record in caplog.records if "part=panel" in record.getMessage()]

    bar.until(lambda: "part=panel state=recovered" in said())
    assert "what=" in said()[0]
    bar.service.parts.ledger.close()


@pytest.mark.parametrize(
    ("moment", "gap_s"),
    [
        ("dice roll", 30.0),
        ("dice roll", 8 * 3600.0),
        ("a throw is due", 8 * 3600.0),
        ("deciding", 8 * 3600.0),
        ("a reveal is due", 8 * 3600.0),
    ],
)
@pytest.mark.slow
def test_a_machine_that_slept_plays_on(moment: str, gap_s: float, tmp_path: Path) -> None:
    bar = Bar(tmp_path, MOMENTS[moment].game)
    bar.until(lambda: MOMENTS[moment].reached(bar))
    before, fed = bar.service.table.state, bar.fed
    bar.clock.sleep(gap_s)
    bar.service.turn()
    assert bar.service.table.state == before
    assert bar.fed == fed + 1
    bar.until(lambda: bar.over)
    bar.check()


@pytest.mark.slow
def test_people_take_out_all_dice_when_an_old_one_moved(tmp_path: Path) -> None:
    bar = Bar(tmp_path, "six_by_6")
    bar.until(lambda: all_but_one_lie_aside(bar))
    awaited = bar.service.table.state.awaited
    assert awaited is not None
    bar.hands.clear(bar.hands.aside(awaited.aside))
    bar.world.inject(parse("nudge:25"))
    bar.until(lambda: bar.over)
    bar.check()
    assert any(OLD_DIE_MOVED in lines for lines in bar.shown)


def all_but_one_lie_aside(bar: Bar) -> bool:
    """Whether one die is due, which an old one that moved may be, and the others lie in the tray."""
    awaited = bar.service.table.state.awaited
    return (
        awaited is not None
        and awaited.counts == (1,)
        and len(bar.hands.aside(awaited.aside)) == len(awaited.aside)
    )


def test_a_wall_clock_that_jumps_changes_nothing(tmp_path: Path) -> None:
    bar = Bar(tmp_path, "sixes")
    ledger = bar.service.parts.ledger.ledger
    assert ledger is not None
    times = cycle([datetime(1970, 1, 1, tzinfo=UTC), datetime(2099, 1, 1, tzinfo=UTC)])
    ledger.now = lambda: next(times)
    bar.until(lambda: bar.over)
    bar.check()
    again = Ledger(tmp_path)
    assert again.repaired is None
    again.close()
