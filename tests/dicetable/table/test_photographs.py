"""Throws that a single photograph shows: friendly rules take them, strict ones can't."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from common.texts import throws as texts
from dicetable.table.acceptance import Acceptance, Accepted, Rejected
from tests.dicetable.readings import lie
from tests.dicetable.table.trays import THREE
from vision.reading import Arrival, Flight, Reading, Settled

if TYPE_CHECKING:
    from dicetable.table.acceptance import Outcome


def photographed(acceptance: Acceptance, reading: Reading, time_s: float) -> Outcome | None:
    """The eye's two messages about a photograph."""
    flight = Flight((Arrival.UNSEEN,) * len(reading.dice))
    acceptance.settled(Settled(Reading(()), time_s, photograph=True), time_s)
    return acceptance.settled(Settled(reading, time_s, flight=flight, photograph=True), time_s)


def waiting(*, strict: bool) -> Acceptance:
    made = Acceptance(strict=strict)
    made.set_baseline(())
    made.prompt(THREE, 1.0)
    return made


def test_friendly_rules_take_a_photograph_as_dice_that_nobody_saw_roll() -> None:
    acceptance = waiting(strict=False)
    outcome = photographed(acceptance, lie(1, 2, 3), 2.0)
    assert isinstance(outcome, Accepted)
    assert outcome.unseen == outcome.dice
    acceptance.set_baseline(outcome.baseline)
    acceptance.prompt(THREE, 3.0)
    assert not isinstance(photographed(acceptance, lie(1, 2, 3), 4.0), Accepted), "they were not thrown again"
    assert isinstance(photographed(acceptance, lie(1, 2, 3, start=20), 5.0), Accepted)


@pytest.mark.parametrize("known", [True, False])
def test_strict_rules_say_that_a_photograph_can_t_show_a_roll(known: bool) -> None:
    acceptance = waiting(strict=True)
    acceptance.set_baseline(() if known else None)
    reading = lie(1, 2, 3)
    assert photographed(acceptance, reading, 2.0) == Rejected(texts.PHOTOGRAPH, reading)
    assert acceptance.last_settled is None
    assert acceptance.baseline_known is known
