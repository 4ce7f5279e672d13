"""Parts for a service in tests: only the table and the ledger are real."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from dicetable.service.healing_ledger import HealingLedger
from dicetable.service.loop import Service, ServiceParts
from dicetable.service.systemd import CountFile, CrashLoop, Notifier
from dicetable.table.table import Table
from hardware.ports import Clock, Degraded, Panel, PanelView, Press
from hardware.simulated.clock import VirtualClock

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from dicetable.eye.messages import Eye, EyeMessage
    from dicetable.ledger.entries import Entry, Journal


class Memory(CountFile):
    """A count of starts in memory alone."""

    def __init__(self) -> None:
        super().__init__(Path("unused"))
        self.number = 0

    def read(self) -> int:
        return self.number

    def write(self, number: int) -> None:
        self.number = number


class FakeNotifier(Notifier):
    """Records the notifications to systemd."""

    def __init__(self, watchdog_s: float | None) -> None:
        super().__init__(None, watchdog_s)
        self.said: list[str] = []

    def _say(self, words: str) -> None:
        self.said.append(words)


class FakeEye:
    """Says what a test puts into `next`."""

    def __init__(self) -> None:
        self.next: list[EyeMessage] = []
        self.running = False
        self.news: Callable[[], None] | None = None

    def start(self, news: Callable[[], None] | None = None) -> None:
        self.running, self.news = True, news

    def say(self, message: EyeMessage) -> None:
        """Says this in the next turn, which is now."""
        self.next.append(message)
        assert self.news is not None
        self.news()

    def messages(self) -> list[EyeMessage]:
        said, self.next = self.next, []
        return said

    def stop(self) -> None:
        self.running = False


class FakePanel:
    """A panel that a test presses and looks at."""

    def __init__(self) -> None:
        self.degraded: Degraded | None = None
        self.shown: list[PanelView] = []
        self.pressed: list[Press] = []
        self.number = 0
        self.news: Callable[[], None] | None = None

    def start(self, news: Callable[[], None]) -> None:
        self.news = news

    def stop(self) -> None:
        self.news = None

    def show(self, view: PanelView) -> None:
        self.shown.append(view)

    def presses(self) -> list[Press]:
        pressed, self.pressed = self.pressed, []
        return pressed

    def tap(self, control: str, now_s: float) -> None:
        for down in (True, False):
            self.number += 1
            self.pressed.append(Press(self.number, control, down, now_s))


def service(
    folder: Path,
    clock: Clock,
    panel: Panel,
    eye: Eye,
    *,
    period_s: float | None = 10.0,
    safe: bool = False,
    strict: bool = False,
    names: Sequence[str] = (),
) -> Service:
    starts = CrashLoop(Memory())
    starts.begin()
    parts = ServiceParts(
        panel=panel,
        eye=eye,
        ledger=HealingLedger(folder, starts.accepted),
        clock=clock,
        starts=starts,
        notifier=FakeNotifier(period_s),
    )

    def table(record: Journal, entries: Sequence[Entry]) -> Table:
        return Table(record, lambda: 1, entries=entries, safe=safe, seats=4, strict=strict, names=names)

    return Service(parts, table)


class Bench:
    """A service with fakes in virtual time."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = VirtualClock()
        self.panel = FakePanel()
        self.eye = FakeEye()
        self.service = service(folder, self.clock, self.panel, self.eye)

    @property
    def told(self) -> list[str]:
        notifier = self.service.parts.notifier
        assert isinstance(notifier, FakeNotifier)
        return notifier.said

    def wait(self, seconds: float, turn_s: float = 0.02) -> None:
        """Lets time go by, turn after turn."""
        for _ in range(round(seconds / turn_s)):
            self.clock.sleep(turn_s)
            self.service.turn()

    def tap(self, *controls: str) -> None:
        """One press after the other, as people press."""
        for control in controls:
            self.wait(0.6)
            self.panel.tap(control, self.clock.now_s())
            self.wait(0.6)

    @property
    def lines(self) -> list[str]:
        return list(self.panel.shown[-1].lines)

    def close(self) -> None:
        self.service.parts.ledger.close()
