"""Phones, or one tablet, as the panel: a table without buttons, lamps and display of its own.

It has no network. The program that serves the phones sets with `reach` whether they can be reached, reports
their presses, and shows them `view`. Only the holder of a seat may press for it; any holder may press the
table's own button.
"""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Final

from hardware.ports import NOT_IN_USE, Degraded, PanelView
from hardware.press_log import PressLog

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hardware.ports import Clock, Press
    from hardware.seat_claims import SeatClaims

TAP_S: Final = 0.05
"""A tap lasts this long, with a pause of the same length after it: longer than any bouncing."""
HELD_S: Final = 0.9
"""A hold lasts this long: longer than HOLD_S of dicetable.table.keys."""
LONGEST_S: Final = 10.0
"""A control that is held for longer is released, because its phone may be gone."""
MOST_WAITING: Final = 32
"""Changes of one control that may be queued; further taps are dropped."""
BLANK: Final = PanelView({}, [])
WHAT: Final = "no phone can reach the table: the gateway is not there"
NO_WEB: Final = Degraded(WHAT, "set [web] in the config and start dicetable-gateway")
OUT_OF_REACH: Final = Degraded(WHAT, "start dicetable-gateway")


class How(StrEnum):
    """What a finger did to a control."""

    TAP = "tap"
    HOLD = "hold"
    DOWN = "down"
    UP = "up"


LASTS_S: Final = {How.TAP: TAP_S, How.HOLD: HELD_S, How.DOWN: LONGEST_S}


@dataclass(frozen=True, slots=True)
class ControlChange:
    """A change of a control at a time."""

    at_s: float
    down: bool


class WebPanel:
    """The panel of `claims.seats` seats; `view` is what phones show.

    `out_of_reach` is why nobody can press while `reached` is False.
    """

    at_the_table = False
    """Whether only people at the table can read what it shows."""

    def __init__(self, clock: Clock, claims: SeatClaims) -> None:
        self.clock = clock
        self.claims = claims
        self.view = BLANK
        self.reached = False
        self.out_of_reach = OUT_OF_REACH
        self.started = False
        self._presses = PressLog()
        self._due: dict[str, deque[ControlChange]] = {}
        self._up_s: dict[str, float] = {}
        self._news: Callable[[], None] = lambda: None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def degraded(self) -> Degraded | None:
        """Why nobody can press; None while phones can."""
        if not self.started:
            return NOT_IN_USE
        return None if self.reached else self.out_of_reach

    @property
    def below(self) -> Sequence[str]:
        """Lines for a text screen beside the panel: the codes of the seats that can be claimed."""
        codes = self.claims.codes(self.clock.now_s())
        return [f"{f'seat {seat}' if seat else 'tablet'}: {code}" for seat, code in sorted(codes.items())]

    def start(self, news: Callable[[], None]) -> None:
        """Accepts presses from now on; does nothing if already started."""
        if not self.started:
            self.started, self._news = True, news
            try:
                self._loop = asyncio.get_running_loop()
            except RuntimeError:  # a table in virtual time, whose loop is driven by the caller
                self._loop = None

    def stop(self) -> None:
        """Accepts no more presses, and shows nothing unless the view stays."""
        self.started = False
        self._let_go()
        if not self.view.stays:
            self.view = BLANK

    def reach(self, reached: bool) -> None:
        """Sets whether phones can be reached; if not, all controls are released."""
        if reached != self.reached:
            self.reached = reached
            if not reached:
                self._let_go()
            self._news()

    def show(self, view: PanelView) -> None:
        """Sets the view that phones show: phones may be anywhere."""
        self.view = view if view.elsewhere is None else replace(view, lines=view.elsewhere, elsewhere=None)

    def press(self, token: str, control: str, how: How) -> bool:
        """A phone presses. Returns False if it may not, or if the panel is stopped."""
        seats = self.claims.here(token, self.clock.now_s())
        where = control.partition(".")[0]
        if self.degraded is not None or not (
            where in {f"seat{n}" for n in seats} or (where == "table" and seats)
        ):
            return False
        self._plan(control, how)
        return True

    def presses(self) -> Sequence[Press]:
        """The events since the last call."""
        now_s = self.clock.now_s()
        due = sorted(
            (change.at_s, name) for name in self._due for change in self._due[name] if change.at_s <= now_s
        )
        for at_s, control in due:
            change = self._due[control].popleft()
            self._presses.change(control, down=change.down, time_s=at_s)
            self._up_s[control] = at_s
        return self._presses.take()

    def _plan(self, control: str, how: How) -> None:
        """Queues a change of the control behind those still pending."""
        due = self._due.setdefault(control, deque())
        now_s = self.clock.now_s()
        lifts = due[-1].at_s > now_s + HELD_S if due else False
        if lifts and how is not How.HOLD:  # held by a phone that is gone
            due.pop()
            due.append(ControlChange(max(now_s, due[-1].at_s + TAP_S if due else now_s), down=False))
        if how is How.UP or len(due) >= MOST_WAITING:
            self._wake(due, now_s)
            return
        last_s = due[-1].at_s if due else self._up_s.get(control, float("-inf"))
        down_s = max(now_s, last_s + TAP_S)
        due.append(ControlChange(down_s, down=True))
        due.append(ControlChange(down_s + LASTS_S[how], down=False))
        self._wake(due, now_s)

    def _wake(self, due: Iterable[ControlChange], now_s: float) -> None:
        """Wakes the loop when something is due."""
        self._news()
        if self._loop is not None:
            for change in due:
                self._loop.call_later(max(change.at_s - now_s, 0.0) + 0.001, self._news)

    def _let_go(self) -> None:
        """Releases everything, because nobody knows what is held."""
        self._due.clear()
        self._presses.release(set(self._presses.held), self.clock.now_s())
