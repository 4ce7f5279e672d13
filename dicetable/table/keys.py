"""From a panel's presses to what people mean by them: a step, OK, back (OK held), the menu.

Bouncing, doubled, lost and stuck presses are made harmless here. Time comes in with each call.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hardware.ports import Press

BOUNCE_S = 0.03
"""A control that goes down again sooner than this after it went up only bounced."""
HOLD_S = 0.8
"""OK held for so long means back. Longer: surer, but slower to go back."""
REPEAT_AFTER_S = 0.5
REPEAT_EVERY_S = 0.12
"""− and + repeat after and at this pace while they are held; ten times as far from FAST_FROM repeats on."""
FAST_FROM = 12
FAST = 10
REPEAT_FOR_S = 8.0
"""A control that is held for longer is stuck, and repeats no more."""
HAMMER_S = 0.35
"""OKs of one seat that follow each other sooner than this are one burst: it answers one question only."""


class Means(StrEnum):
    """What a key means."""

    STEP = "step"
    OK = "ok"
    BACK = "back"
    MENU = "menu"


@dataclass(frozen=True, slots=True)
class Key:
    """What somebody means.

    Attributes:
        seat: the seat of the panel, 1 … 8; 0 for the menu button.
        means: what.
        down_s: when the control went down; a key means nothing to a question that came up later.
        by: how far to step, − or +.
        burst_s: when the burst of OKs began of which this is one.
    """

    seat: int
    means: Means
    down_s: float
    by: int = 0
    burst_s: float = 0.0


@dataclass(slots=True)
class Held:
    """A control that is down, since when, and when it next does something by itself."""

    since_s: float
    next_s: float | None
    repeats: int = 0


class Keys:
    """Turns presses into keys."""

    def __init__(self) -> None:
        self.held: dict[str, Held] = {}
        self.up_s: dict[str, float] = {}
        self.last: tuple[int, float] = (0, float("-inf"))
        self.bursts: dict[int, tuple[float, float]] = {}

    def press(self, press: Press) -> list[Key]:
        """The keys that a press or release completes."""
        if press.number <= self.last[0] and press.time_s <= self.last[1]:
            return []
        self.last = (press.number, press.time_s)
        return self.down(press) if press.down else self.up(press)

    def down(self, press: Press) -> list[Key]:
        """A control went down."""
        control, now_s = press.control, press.time_s
        if now_s - self.up_s.get(control, float("-inf")) < BOUNCE_S:
            # It goes on as if it had not been let go, but does nothing more by itself.
            self.held[control] = Held(now_s, None)
            return []
        if control in self.held and now_s - self.held[control].since_s < BOUNCE_S:
            return []
        seat, key = parts(control)
        self.held[control] = Held(now_s, now_s + (HOLD_S if key == "ok" else REPEAT_AFTER_S))
        if key == "menu":
            self.held[control].next_s = None
            return [Key(seat, Means.MENU, now_s)]
        if key == "ok":
            return []
        return [Key(seat, Means.STEP, now_s, by=1 if key == "plus" else -1)]

    def up(self, press: Press) -> list[Key]:
        """A control was let go; OK counts now, if it was not held so long that it meant back."""
        control, now_s = press.control, press.time_s
        held = self.held.pop(control, None)
        if held is None:
            return []
        self.up_s[control] = now_s
        seat, key = parts(control)
        if key != "ok" or held.next_s is None:
            return []
        if now_s >= held.next_s:
            return [Key(seat, Means.BACK, held.since_s)]
        return [self.ok(seat, held.since_s)]

    def ok(self, seat: int, down_s: float) -> Key:
        """An OK, with the burst that it belongs to."""
        began_s, before_s = self.bursts.get(seat, (down_s, down_s))
        if down_s - before_s > HAMMER_S:
            began_s = down_s
        self.bursts[seat] = (began_s, down_s)
        return Key(seat, Means.OK, down_s, burst_s=began_s)

    def tick(self, now_s: float) -> list[Key]:
        """What held controls do by now."""
        keys = []
        for control, held in self.held.items():
            while held.next_s is not None and held.next_s <= now_s:
                seat, key = parts(control)
                if key == "ok":
                    held.next_s = None
                    keys.append(Key(seat, Means.BACK, held.since_s))
                elif held.next_s - held.since_s > REPEAT_FOR_S:
                    held.next_s = None
                else:
                    held.repeats += 1
                    held.next_s += REPEAT_EVERY_S
                    far = FAST if held.repeats >= FAST_FROM else 1
                    keys.append(Key(seat, Means.STEP, held.since_s, by=far if key == "plus" else -far))
        return keys

    @property
    def deadline_s(self) -> float | None:
        """When a held control next does something by itself."""
        return min((held.next_s for held in self.held.values() if held.next_s is not None), default=None)

    def let_go(self) -> None:
        """Takes every control as let go: the panel was out of reach, so nobody knows."""
        self.held.clear()


def parts(control: str) -> tuple[int, str]:
    """(3, "ok") of `seat3.ok`; (0, "menu") of `table.menu`."""
    where, _, key = control.partition(".")
    return (0 if where == "table" else int(where.removeprefix("seat"))), key
