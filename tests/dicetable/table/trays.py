"""A tray whose readings an acceptance is given, one after the other, on a clock of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from dicetable.table.acceptance import (
    Acceptance,
    Accepted,
    NeedsConfirmation,
    Outcome,
    Rejected,
    Void,
    Waiting,
)
from dicetable.table.baseline import remembered
from dicetable.table.table_state import Awaited
from vision.reading import Arrival, Flight, Reading, Settled

if TYPE_CHECKING:
    from dicetable.ledger.entries import LyingDie

EMPTY = Reading(())
SIX = Awaited(("d6",) * 6, (6,))
THREE = Awaited(("d6",) * 3, (3,))


@dataclass
class Tray:
    """What an acceptance is told; `said` is its newest outcome. It begins with a tray that was seen."""

    awaited: Awaited | None = SIX
    strict: bool = False
    baseline: tuple[LyingDie, ...] | None = ()
    now_s: float = 10.0
    said: Outcome | None = None
    acceptance: Acceptance = field(init=False)

    def __post_init__(self) -> None:
        self.acceptance = Acceptance(strict=self.strict)
        self.acceptance.set_baseline(self.baseline)
        self.acceptance.prompt(self.awaited, self.now_s)

    def wait(self, seconds: float) -> Outcome | None:
        self.now_s += seconds
        return self.note(self.acceptance.tick(self.now_s))

    def move(self) -> None:
        self.now_s += 0.5
        self.acceptance.unsettled()

    def lie(
        self,
        reading: Reading,
        flight: Flight | None = None,
        taken_s: float | None = None,
        *,
        touched: bool = False,
    ) -> Outcome | None:
        self.now_s += 0.5
        taken_s = self.now_s - 0.1 if taken_s is None else taken_s
        settled = Settled(reading, taken_s, b"", flight, touched)
        return self.note(self.acceptance.settled(settled, self.now_s))

    def ask(self, awaited: Awaited | None) -> Outcome | None:
        self.now_s += 0.5
        return self.note(self.acceptance.prompt(awaited, self.now_s))

    def hold(self, *, held: bool) -> Outcome | None:
        self.now_s += 0.5
        return self.note(self.acceptance.interrupt(self.now_s, interrupted=held))

    def save(self) -> None:
        """What was accepted is in the ledger."""
        assert isinstance(self.said, Accepted)
        self.acceptance.set_baseline(self.said.baseline)

    def note(self, outcome: Outcome | None) -> Outcome | None:
        self.said = outcome or self.said
        return outcome


Step: TypeAlias = Callable[[Tray], object]
"""Something that happens at the tray."""


def moves(tray: Tray) -> None:
    tray.move()


def saved(tray: Tray) -> None:
    tray.save()


def not_saved(tray: Tray) -> None:
    tray.acceptance.not_saved(tray.now_s)


def entered_by_hand(tray: Tray) -> None:
    tray.acceptance.set_baseline(())


def out_of_sight(tray: Tray) -> None:
    tray.acceptance.lose_sight()


def blind(tray: Tray) -> None:
    tray.acceptance.blind()


def menu_opens(tray: Tray) -> None:
    tray.hold(held=True)


def menu_closes(tray: Tray) -> None:
    tray.hold(held=False)


def agreed(tray: Tray) -> None:
    tray.acceptance.consent()


def nobody_agrees(tray: Tray) -> None:
    assert tray.acceptance.confirming is not None
    tray.note(tray.acceptance.nobody_agreed(tray.acceptance.confirming))


def waits(seconds: float) -> Step:
    return lambda tray: tray.wait(seconds)


def prompts(awaited: Awaited | None) -> Step:
    return lambda tray: tray.ask(awaited)


def lies(reading: Reading, flight: Flight | None = None, *, taken_s: float | None = None) -> Step:
    return lambda tray: tray.lie(reading, flight, taken_s)


def touched(reading: Reading) -> Step:
    """A hand moved dice that lay open before they were read."""
    return lambda tray: tray.lie(reading, touched=True)


def flew(
    *arrivals: Arrival,
    fps: float = 30.0,
    knocked: bool = False,
    interfered: bool = False,
    anew: tuple[bool, ...] = (),
) -> Flight:
    return Flight(arrivals, knocked, interfered, fps, anew)


def thrown(count: int) -> Flight:
    """That many dice were thrown, nobody touched them."""
    return flew(*[Arrival.THROWN] * count)


def accepted(*values: int) -> tuple[type[Outcome], object]:
    return Accepted, list(values)


def rejected(text: str) -> tuple[type[Outcome], object]:
    return Rejected, text


def void(text: str) -> tuple[type[Outcome], object]:
    return Void, text


def confirm(*values: int | None) -> tuple[type[Outcome], object]:
    return NeedsConfirmation, list(values)


def vouch(*unseen: int) -> tuple[type[Outcome], object]:
    """All values are sure, but the dice of these numbers were not seen to roll."""
    return NeedsConfirmation, ("vouch", list(unseen))


def waiting(text: str = "") -> tuple[type[Outcome], object]:
    return Waiting, text


def essence(outcome: Outcome | None) -> tuple[type[Outcome], object] | None:
    """The kind of an outcome with the values of its dice, with the dice to be vouched for, or its text."""
    if outcome is None:
        return None
    if isinstance(outcome, NeedsConfirmation) and not outcome.unsure:
        return NeedsConfirmation, ("vouch", [die.number for die in outcome.unseen])
    if isinstance(outcome, Accepted | NeedsConfirmation):
        return type(outcome), [die.value for die in outcome.dice]
    return type(outcome), outcome.text


def end_of(tray: Tray, *steps: Step) -> tuple[type[Outcome], object] | None:
    """What the last step brought about; None if it was nothing."""
    for step in steps:
        tray.said = tray.said if step in (saved, not_saved) else None
        step(tray)
    return essence(tray.said)


def lain(reading: Reading) -> tuple[LyingDie, ...]:
    """The reading as a baseline."""
    return remembered(reading.dice)
