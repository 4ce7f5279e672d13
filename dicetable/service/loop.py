"""Joins panel, eye, table, ledger and systemd on one asyncio loop. It decides nothing about any game."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from common import texts
from dicetable.eye.messages import Blind, Eye, EyeMessage, LearningEye
from dicetable.eye.process import ProcessEye, resident_bytes
from dicetable.ledger.entries import Entry
from dicetable.service.doctor_machine import hottest
from dicetable.service.healing_ledger import HealingLedger
from dicetable.service.sockets import NO_SOCKETS, Sockets
from dicetable.service.systemd import CrashLoop, Notifier
from dicetable.service.throws import Archive
from dicetable.table.meters import Meters
from dicetable.table.table import Table
from games.requests import JsonObject
from hardware.ports import Clock, Degraded, Panel, PanelView
from vision.reading import Settled

if TYPE_CHECKING:
    from dicetable.service.simulation import Simulation

EVERY_S: Final = 60.0
LONGEST: Final = 12 * 60
"""Minutes: an evening and what came before it."""
TURN_S: Final = 0.1
"""The longest wait between two turns. News of panel or eye ends it at once, and a held key when it is due.

It is the pace of what goes by time alone, and of the keyboard panel, which does not report typed lines.
Shorter: smoother, but more idle CPU.
"""
FAREWELL_S: Final = 4.0
"""How long the panel shows the last words after power-off; less than TimeoutStopSec."""
THROW_S: Final = 5.0
"""How long SIGTERM waits for a throw to be saved; less than TimeoutStopSec by the time it takes to end."""

log = logging.getLogger(__name__)


def gauges(eye: Eye, panel: Panel) -> dict[str, Callable[[], float | None]]:
    """Measurements of a running table by name, taken only on request; None where it has no such thing."""
    child = eye if isinstance(eye, ProcessEye) else None
    return {
        "table_bytes": lambda: resident_bytes(os.getpid()),
        "eye_bytes": lambda: resident_bytes(child.child.pid) if child and child.child else None,
        "eye_restarts": lambda: child.restarts if child else None,
        "bad_frames": lambda: child.bad_frames if child else None,
        "link_errors": lambda: link_errors(panel),
    }


def link_errors(panel: Panel) -> float | None:
    """Frames of the panel's link that were damaged at either end since it was opened; None without a link."""
    link = getattr(getattr(panel, "panel", panel), "link", None)
    if link is None:
        return None
    return float(link.session.damaged_frames + link.session.board_health.damaged_frames)


def celsius() -> tuple[float, float] | None:
    sensor = hottest()
    return None if sensor is None else sensor[:2]


class Minute(NamedTuple):
    """What a minute brought; `celsius` is at its end, None without a thermometer."""

    ended_s: float
    throws: int
    asked: int
    void: int
    celsius: float | None


class History:
    """Throws, asks, voids and the machine's temperature, minute by minute, since the table started.

    `celsius` measures the temperature and its limit. Times are given as ages, so that setting the clock moves
    nothing.
    """

    def __init__(self, now_s: float, celsius: Callable[[], tuple[float, float] | None]) -> None:
        self.celsius = celsius
        self.limit_c: float | None = None
        self.minutes: deque[Minute] = deque(maxlen=LONGEST)
        self.due_s = now_s + EVERY_S
        self.counts = (0, 0, 0)

    def note(self, now_s: float, meters: Meters) -> None:
        """Adds a minute that is over; to be called often."""
        if now_s < self.due_s:
            return
        counts = (meters.throws, meters.asked, meters.void)
        fresh = any(new < old for new, old in zip(counts, self.counts, strict=True))  # a table made anew
        before = (0, 0, 0) if fresh else self.counts
        throws, confirmed, void = (new - old for new, old in zip(counts, before, strict=True))
        measured = self.celsius()
        if measured is not None:
            self.limit_c = measured[1]
        self.minutes.append(
            Minute(now_s, throws, confirmed, void, None if measured is None else round(measured[0], 1))
        )
        self.counts = counts
        self.due_s = now_s + EVERY_S

    def to_json(self, now_s: float) -> JsonObject:
        """The minutes from the oldest on; the first of each is how long ago it ended, in seconds."""
        minutes = [[round(now_s - minute.ended_s), *minute[1:]] for minute in self.minutes]
        return {"v": 1, "limit_c": self.limit_c, "minutes": minutes}


@dataclass(frozen=True)
class ServiceParts:
    """The parts of the service."""

    panel: Panel
    eye: Eye
    ledger: HealingLedger
    clock: Clock
    starts: CrashLoop
    notifier: Notifier
    config_degraded: Degraded | None = None
    games_degraded: Degraded | None = None
    sockets: Sockets = NO_SOCKETS


class Service:
    """The table on the bar. `turn` does one turn; `serve` turns until it has to stop."""

    def __init__(
        self,
        parts: ServiceParts,
        table: Callable[[HealingLedger, Sequence[Entry]], Table],
        simulation: Simulation | None = None,
    ) -> None:
        """`table` makes the table out of what the ledger holds; again if the ledger opens late."""
        self.parts = parts
        self.make_table = table
        self.simulation = simulation
        self.shown: PanelView | None = None
        self.degraded: dict[str, Degraded] = {}
        self.count_at_repair: int | None = None
        self.restart_requested = False
        self.ends_s: float | None = None
        self.archive: Archive = parts.ledger
        self.history = History(parts.clock.now_s(), celsius)
        parts.ledger.open(parts.clock.now_s())
        self.table = self.resumed()

    def resumed(self) -> Table:
        """The table as the ledger has it, with the ledger's own news."""
        ledger = self.parts.ledger
        table = self.make_table(ledger, ledger.entries())
        if ledger.degraded is not None:
            table.report("journal", Degraded(ledger.degraded.what, ledger.degraded.remedy))
        table.report("config", self.parts.config_degraded)
        table.report("games", self.parts.games_degraded)
        if ledger.repaired is not None:
            sentence = texts.ledger.repaired(ledger.repaired.last_lost)
            table.report("ledger", Degraded(sentence, texts.ledger.REPAIRED_REMEDY))
            self.count_at_repair = ledger.count
        table.meters.gauges = gauges(self.parts.eye, self.parts.panel)
        return table

    def turn(self) -> None:
        """Handles presses and messages, advances the time, shows the view and feeds the watchdog."""
        started_s = time.perf_counter()
        parts = self.parts
        now_s = parts.clock.now_s()
        if parts.ledger.open(now_s):
            self.table = self.resumed()
        closed = parts.ledger.degraded
        self.note("ledger", Degraded(closed.what, closed.remedy) if closed else None)
        for press in parts.panel.presses():
            self.table.press(press)
        self.report("panel", parts.panel.degraded)
        for message in parts.eye.messages():
            self.take(message)
            self.note("camera", message.degraded if isinstance(message, Blind) else None)
        if self.count_at_repair not in (None, parts.ledger.count):
            self.count_at_repair = None
            self.table.report("ledger", None)
        self.table.tick(now_s)
        self.teach()
        view = self.table.view
        if view != self.shown:
            self.shown = view
            parts.panel.show(view)
        parts.sockets.turn(now_s, self.table, self.archive)
        self.history.note(now_s, self.table.meters)
        parts.starts.tick(now_s)
        parts.notifier.turn_ended(now_s)
        self.table.meters.stages["turn"].note(1000 * (time.perf_counter() - started_s))

    def take(self, message: EyeMessage) -> None:
        """Passes a message of the eye to the table; logs the dice and how long a throw took."""
        clock, ledger, stages = self.parts.clock, self.parts.ledger, self.table.meters.stages
        heard_s, rows = clock.now_s(), ledger.count
        self.table.eye(message)
        if isinstance(message, Settled):
            dice = message.reading.dice
            doubts = ",".join(f"{doubt}:{count}" for doubt, count in sorted(message.reading.doubts.items()))
            log.info("dice=%d sure=%d doubts=%s", len(dice), sum(die.sure for die in dice), doubts or "-")
            stages["read"].note(1000 * (heard_s - message.time_s))
            if ledger.count > rows:
                stages["accept"].note(1000 * (clock.now_s() - heard_s))
                stages["save"].note(1000 * ledger.saved_s)

    def teach(self) -> None:
        """Hands the eye what it can learn from, as soon as it takes it."""
        eye, lessons = self.parts.eye, self.table.lessons
        if not isinstance(eye, LearningEye):
            lessons.clear()
            return
        while lessons and eye.teach(lessons[0]):
            lessons.popleft()
        self.report("dice", eye.dice_degraded)

    def report(self, part: str, degraded: Degraded | None) -> None:
        """Reports to the table, and logs, that a part fails or works again."""
        if degraded != self.degraded.get(part):
            self.table.report(part, degraded)
            self.note(part, degraded)

    def note(self, part: str, degraded: Degraded | None) -> None:
        """Logs when a part fails, or works again."""
        before = self.degraded.get(part)
        if degraded == before:
            return
        if degraded is None:
            del self.degraded[part]
            log.info("part=%s state=recovered", part)
        else:
            self.degraded[part] = degraded
            self.table.meters.degraded[part] += before is None
            log.warning("part=%s what=%r remedy=%r", part, degraded.what, degraded.remedy)
        words = "; ".join(f"{name}: {why.what}" for name, why in self.degraded.items())
        self.parts.notifier.status(words or "ready")

    async def serve(self) -> bool:
        """Turns until SIGTERM, SIGINT, a restart or power-off; returns whether to switch the machine off.

        SIGTERM waits for the throw that is under way, SIGINT or another SIGTERM for nothing.
        """
        parts = self.parts
        loop = asyncio.get_running_loop()
        news, ending = asyncio.Event(), asyncio.Event()

        def end(wait_s: float) -> None:
            now_s = parts.clock.now_s()
            self.ends_s = now_s + wait_s if self.ends_s is None else now_s
            ending.set()
            news.set()

        loop.add_signal_handler(signal.SIGTERM, end, THROW_S)
        loop.add_signal_handler(signal.SIGINT, end, 0.0)
        parts.panel.start(news.set)
        parts.eye.start(news.set)
        parts.sockets.start(news.set)
        living = None
        if self.simulation is not None:
            living = loop.create_task(self.simulation.live(lambda: self.table, news.set))
        self.turn()
        parts.notifier.ready()
        parts.starts.ready(parts.clock.now_s())
        log.info("service=ready")
        while not self.is_over():
            due_s, wait_s = self.table.keys.deadline_s, TURN_S
            if due_s is not None:
                wait_s = min(max(due_s - parts.clock.now_s(), 0.0), TURN_S)
            timer = loop.call_later(wait_s, news.set)
            await news.wait()
            timer.cancel()
            news.clear()
            self.turn()
            if living is not None and living.done():
                living.result()
        parts.notifier.stopping()
        await parts.sockets.flush()
        parts.sockets.close()
        parts.eye.stop()
        parts.ledger.close()
        parts.starts.stopped()
        if self.table.off_requested:
            parts.panel.show(PanelView({}, texts.panel.SAFE_TO_UNPLUG, stays=True))
            with suppress(TimeoutError):
                await asyncio.wait_for(ending.wait(), FAREWELL_S)
        parts.panel.stop()
        log.info("service=stopped off=%s", self.table.off_requested)
        return self.table.off_requested

    def is_over(self) -> bool:
        """Whether to end: by request, or by a signal once no throw is under way or its time is up."""
        if self.restart_requested or self.table.off_requested:
            return True
        if self.ends_s is None:
            return False
        return not self.table.throw_under_way or self.parts.clock.now_s() >= self.ends_s
