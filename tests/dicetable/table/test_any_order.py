"""Strict throws in any order of events: what is accepted was thrown fairly, whole, and once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, rule

from dicetable.table.acceptance import Accepted, NeedsConfirmation, Void
from dicetable.table.baseline import unmoved
from tests.dicetable.readings import die
from tests.dicetable.table.trays import THREE, Tray
from vision.reading import Arrival, Flight, Reading

if TYPE_CHECKING:
    from dicetable.table.acceptance import Outcome

counts = st.sampled_from([2, 3, 3, 3, 4])
faces = st.lists(st.integers(1, 6), min_size=4, max_size=4)


@dataclass(eq=False)
class LaidDie:
    """A die in the tray, and how it came there since the tray was last read."""

    at: int
    value: int
    arrival: Arrival
    sure: bool = True
    thrown: bool = False
    unseen: bool = False
    void: bool = False


class AtTheTray(RuleBasedStateMachine):
    """People throw, place, push, take up and touch dice; the table asks, pauses and saves."""

    def __init__(self) -> None:
        super().__init__()
        self.tray = Tray(THREE, strict=True)
        self.dice: list[LaidDie] = []
        self.read: list[LaidDie] = []
        self.fresh: list[LaidDie] = []
        self.next_at = 0
        self.interfered = False
        self.consent_due = False
        self.unconfirmed: list[LaidDie] = []
        self.accepted: set[LaidDie] = set()

    def new(self, count: int, faces: list[int], arrival: Arrival, *, sure: bool = True) -> None:
        self.tray.move()
        for face in faces[:count]:
            self.dice.append(LaidDie(self.next_at, face, arrival, sure))
            self.next_at += 1

    @rule(
        count=counts,
        faces=faces,
        sure=st.sampled_from([True, True, False]),
        kept=st.sampled_from([0, 0, 1, 9]),
    )
    def throw(self, count: int, faces: list[int], sure: bool, kept: int) -> None:
        """Somebody takes up all dice but the first `kept`, and throws."""
        del self.dice[kept:]
        self.new(count, faces, Arrival.THROWN, sure=sure)

    @rule(count=counts, faces=faces, touched=st.sampled_from([False, False, True]))
    def throw_and_wait(self, count: int, faces: list[int], touched: bool) -> None:
        """The same with all dice, until they are read; before that somebody may touch them."""
        self.throw(count, faces, sure=True, kept=0)
        if touched:
            self.touch()
        self.settle()

    @rule(count=counts, faces=faces)
    def throw_out_of_sight(self, count: int, faces: list[int]) -> None:
        """The same, but the camera does not see how the dice come."""
        self.throw(count, faces, sure=True, kept=0)
        for each in self.dice:
            each.arrival = Arrival.UNSEEN

    @rule(count=counts, faces=faces)
    def place(self, count: int, faces: list[int]) -> None:
        self.new(count, faces, Arrival.HANDLED)

    @rule(seed=st.integers(0, 100))
    def push(self, seed: int) -> None:
        if self.dice:
            self.tray.move()
            pushed = self.dice[seed % len(self.dice)]
            pushed.at, pushed.arrival, self.next_at = self.next_at, Arrival.HANDLED, self.next_at + 1

    @rule()
    def touch(self) -> None:
        """A hand comes over dice that rest."""
        self.tray.move()
        self.interfered |= any(each.arrival is not Arrival.LAY for each in self.dice)
        for each in self.dice:
            if each.arrival is not Arrival.LAY:
                each.arrival = Arrival.HANDLED

    @rule(count=st.integers(1, 9))
    def take_up(self, count: int) -> None:
        self.tray.move()
        del self.dice[:count]

    @rule()
    def settle(self) -> None:
        """The dice lie still and are read."""
        self.read = list(self.dice)
        seen = Reading(tuple(die(each.value, each.at, sure=each.sure) for each in self.dice))
        numbers = unmoved(seen.dice, self.tray.acceptance.baseline)
        self.fresh = [each for each, number in zip(self.dice, numbers, strict=True) if number is None]
        arrivals = tuple(each.arrival for each in self.dice)
        flight = Flight(arrivals, interfered=self.interfered, fps=30.0)
        if self.tray.awaited is not None:
            self.consent_due |= self.interfered
        for each in self.dice:
            if each.arrival is not Arrival.LAY:
                each.thrown = each.arrival is Arrival.THROWN
                each.unseen = each.arrival is Arrival.UNSEEN
            each.arrival = Arrival.LAY
        self.interfered = False
        self.check(self.tray.lie(seen, flight))

    @rule()
    def lose_sight(self) -> None:
        self.tray.acceptance.lose_sight()

    @rule(held=st.booleans())
    def hold(self, held: bool) -> None:
        self.check(self.tray.hold(held=held))

    @rule()
    def prompt(self) -> None:
        self.check(self.tray.ask(THREE))

    @rule()
    def consent(self) -> None:
        self.tray.acceptance.consent()
        self.consent_due = False

    @rule(seconds=st.sampled_from([0.1, 3.0, 60.0]))
    def wait(self, seconds: float) -> None:
        self.check(self.tray.wait(seconds))

    @rule()
    def confirm(self) -> None:
        """Another seat accepts what it was asked about."""
        if confirming := self.tray.acceptance.confirming:
            self.tray.acceptance.set_baseline(confirming.baseline)
            self.count(self.unconfirmed)

    @rule()
    def nobody_agrees(self) -> None:
        if confirming := self.tray.acceptance.confirming:
            self.tray.acceptance.nobody_agreed(confirming)
            for each in self.unconfirmed:
                each.void = True

    def check(self, outcome: Outcome | None) -> None:
        """Carries out what follows."""
        if isinstance(outcome, Void):
            for each in self.fresh:
                each.void = True
        elif isinstance(outcome, NeedsConfirmation):
            assert [die in outcome.unsure for die in outcome.dice] == [not die.sure for die in self.fresh]
            assert [die.unseen for die in outcome.dice] == [die.unseen for die in self.fresh]
            assert outcome.unsure or outcome.unseen
            self.is_fair(outcome)
            self.unconfirmed = self.fresh
        elif isinstance(outcome, Accepted):
            assert all(each.sure and each.thrown for each in self.fresh)
            self.is_fair(outcome)
            self.count(self.fresh)
            self.tray.save()

    def is_fair(self, outcome: Accepted | NeedsConfirmation) -> None:
        """The dice that count are new, as many as awaited, and no hand brought or touched one."""
        assert [die.value for die in outcome.dice] == [each.value for each in self.fresh]
        assert len(self.fresh) == 3
        assert all(each.thrown or each.unseen for each in self.fresh)
        assert not self.consent_due
        assert not any(each.void for each in self.read)

    def count(self, thrown: list[LaidDie]) -> None:
        """A throw counts once."""
        assert not self.accepted & set(thrown)
        self.accepted |= set(thrown)


AtTheTray.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
TestAnyOrder = AtTheTray.TestCase
