"""Turns a panel's presses into keys: a step, OK, back (OK held), the menu.

Makes bouncing, doubled, lost and stuck presses harmless. Time comes in with each call.
"""

from dataclasses import dataclass
from enum import StrEnum

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
"""OKs of one seat that follow each other sooner than this are one burst: it answers only one question."""


class Means(StrEnum):
    """The meaning of a key."""

    STEP = "step"
    OK = "ok"
    BACK = "back"
    MENU = "menu"


@dataclass(frozen=True, slots=True)
class Key:
    """A key that a seat pressed.

    Attributes:
        seat: the seat of the panel, 1 … 8; 0 for the menu button.
        down_s: when the control went down; a key does not answer a question that came up later.
        by: how far to step, − or +.
        burst_s: when the burst began to which this OK belongs.
    """

    seat: int
    means: Means
    down_s: float
    by: int = 0
    burst_s: float = 0.0


@dataclass(slots=True)
class HeldControl:
    """A control that is down, since when, and when it next does something by itself."""

    since_s: float
    next_s: float | None
    repeats: int = 0


class Keys:
    """Turns presses into keys."""

    def __init__(self) -> None:
        self.held: dict[str, HeldControl] = {}
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
        control, now_s = press.control, press.time_s
        if now_s - self.up_s.get(control, float("-inf")) < BOUNCE_S:
            # It stays down as if it had not been released, but does nothing more by itself.
            self.held[control] = HeldControl(now_s, None)
            return []
        if control in self.held and now_s - self.held[control].since_s < BOUNCE_S:
            return []
        seat, key = parts(control)
        self.held[control] = HeldControl(now_s, now_s + (HOLD_S if key == "ok" else REPEAT_AFTER_S))
        if key == "menu":
            self.held[control].next_s = None
            return [Key(seat, Means.MENU, now_s)]
        if key == "ok":
            return []
        return [Key(seat, Means.STEP, now_s, by=1 if key == "plus" else -1)]

    def up(self, press: Press) -> list[Key]:
        """A control was released: OK counts now, unless it was held long enough to mean back."""
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
        began_s, before_s = self.bursts.get(seat, (held.since_s, held.since_s))
        if held.since_s - before_s > HAMMER_S:
            began_s = held.since_s
        self.bursts[seat] = (began_s, held.since_s)
        return [Key(seat, Means.OK, held.since_s, burst_s=began_s)]

    def tick(self, now_s: float) -> list[Key]:
        """The keys that held controls repeat or become by now."""
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
        """When a held control next does something by itself; None if none does."""
        return min((held.next_s for held in self.held.values() if held.next_s is not None), default=None)

    def let_go(self) -> None:
        """Takes every control as released: the panel was out of reach."""
        self.held.clear()


def parts(control: str) -> tuple[int, str]:
    """(3, "ok") of `seat3.ok`; (0, "menu") of `table.menu`."""
    where, _, key = control.partition(".")
    return (0 if where == "table" else int(where.removeprefix("seat"))), key
